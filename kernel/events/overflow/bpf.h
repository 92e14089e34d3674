/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs that decide whether an overflow gives a sample.
 */
#ifndef _KERNEL_EVENTS_BPF_H
#define _KERNEL_EVENTS_BPF_H

#include <linux/perf_event.h>

#include "../base/event.h"

#ifdef CONFIG_BPF_SYSCALL
bool perf_event_bpf_run(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);

/* Return: true if a sample is to be taken. Most events have no program. */
static inline bool perf_event_bpf_passes(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	return likely(!READ_ONCE(perf_event_root(event)->prog)) ||
	       perf_event_bpf_run(event, data, regs);
}

#else
static inline bool perf_event_bpf_passes(struct perf_event *event,
					 struct perf_sample_data *data,
					 struct pt_regs *regs)
{
	return true;
}

#endif

#endif /* _KERNEL_EVENTS_BPF_H */
