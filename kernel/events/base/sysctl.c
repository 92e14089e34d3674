// SPDX-License-Identifier: GPL-2.0
/*
 * Sysctls of the administrator: /proc/sys/kernel/perf_*.
 *
 * These are the limits of permissions, memory, callchains and the rate of samples. Handlers
 * of those that take effect on write are in sample/callchain.c and overflow/sample_rate.c.
 */
#include <linux/perf_event.h>

/* Unprivileged: -1 everything, 0 no raw tracepoints, 1 no CPU events, 2 no kernel, 3 nothing. */
int sysctl_perf_event_paranoid __read_mostly =
	IS_ENABLED(CONFIG_SECURITY_PERF_EVENTS_RESTRICT) ? 3 : 2;

/* KiB of buffer per user and CPU beyond RLIMIT_MEMLOCK, including one control page. */
int sysctl_perf_event_mlock __read_mostly = 512 + PAGE_SIZE / SZ_1K;

/* Maximum number of addresses, and of PERF_CONTEXT_* markers, in one callchain. */
int sysctl_perf_event_max_stack __read_mostly = PERF_MAX_STACK_DEPTH;
int sysctl_perf_event_max_contexts_per_stack __read_mostly =
	PERF_MAX_CONTEXTS_PER_STACK;

/* Maximum number of samples per second of one event. */
int sysctl_perf_event_sample_rate __read_mostly = 100000;

/* Maximum share of a CPU for taking samples, in percent; 0 and 100 set no limit. */
int sysctl_perf_cpu_time_max_percent __read_mostly = 25;

/**
 * perf_allow_kernel() - may current observe the kernel?
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
