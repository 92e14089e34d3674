// SPDX-License-Identifier: GPL-2.0
/*
 * What an administrator allows: /proc/sys/kernel/perf_*.
 *
 * Owns the limits on who may measure the kernel, and how much memory that may take.
 * Does not own those on call chains (callchain.c) and on the rate of samples
 * (sample_rate.c).
 */
#include <linux/perf_event.h>

/* -1: everything, 0: no raw tracepoints, 1: no CPU events, 2: no kernel, 3: nothing */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

/* KiB of buffer per user and CPU beyond RLIMIT_MEMLOCK, and a control page */
int sysctl_perf_event_mlock __read_mostly = 512 + PAGE_SIZE / SZ_1K;

/**
 * perf_allow_kernel - may current watch what the kernel does?
 *
 * Context: task.
 * Return: 0, -EACCES, or the LSM's errno.
 */
int perf_allow_kernel(void)
{
	bool open_to_all = READ_ONCE(sysctl_perf_event_paranoid) < 2;

	if (!open_to_all && !perfmon_capable())
		return -EACCES;
	return security_perf_event_open(PERF_SECURITY_KERNEL);
}
EXPORT_SYMBOL_GPL(perf_allow_kernel);
