/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching BPF programs to events, and detaching them. perf_event_free_bpf_prog() is declared in
 * linux/trace_events.h.
 */
#ifndef _KERNEL_EVENTS_BPF_ATTACH_H
#define _KERNEL_EVENTS_BPF_ATTACH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#ifdef CONFIG_BPF_SYSCALL
int perf_bpf_set(struct perf_event *event, struct bpf_prog *prog, u64 cookie);

/* Drop the program of an event that is about to be freed. Context: task. */
static inline void perf_event_bpf_release(struct perf_event *event)
{
	if (READ_ONCE(event->prog))
		perf_event_free_bpf_prog(event);
}
#else
static inline void perf_event_bpf_release(struct perf_event *event) { }
#endif

#endif /* _KERNEL_EVENTS_BPF_ATTACH_H */
