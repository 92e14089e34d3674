/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs on events: attached and detached. perf_event_set_bpf_prog() and
 * perf_event_free_bpf_prog() are declared in linux/trace_events.h.
 */
#ifndef _KERNEL_EVENTS_BPF_ATTACH_H
#define _KERNEL_EVENTS_BPF_ATTACH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#ifdef CONFIG_BPF_SYSCALL
int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd);

/* The event is about to be freed; task context. */
static inline void perf_event_bpf_release(struct perf_event *event)
{
	if (READ_ONCE(event->prog))
		perf_event_free_bpf_prog(event);
}
#else
static inline int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd)
{
	return -EOPNOTSUPP;
}

static inline void perf_event_bpf_release(struct perf_event *event) { }
#endif

#endif /* _KERNEL_EVENTS_BPF_ATTACH_H */
