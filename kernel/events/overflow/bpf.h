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

/* Most events have no program. */
static inline bool perf_event_has_program(struct perf_event *event)
{
	return unlikely(READ_ONCE(perf_event_root(event)->prog));
}

#else
static inline bool perf_event_bpf_run(struct perf_event *event, struct perf_sample_data *data,
				      struct pt_regs *regs)
{
	return true;
}

static inline bool perf_event_has_program(struct perf_event *event) { return false; }
#endif

#endif /* _KERNEL_EVENTS_BPF_H */
