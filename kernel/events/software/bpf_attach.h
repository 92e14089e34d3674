/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching BPF programs to events, and detaching them. perf_event_set_bpf_prog()
 * and perf_event_free_bpf_prog() are declared in linux/trace_events.h.
 */
#ifndef _KERNEL_EVENTS_BPF_ATTACH_H
#define _KERNEL_EVENTS_BPF_ATTACH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#ifdef CONFIG_BPF_SYSCALL
int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd);

/* Drop the program of an event that is about to be freed. Context: task. */
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
