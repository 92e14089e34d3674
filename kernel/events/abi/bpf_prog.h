/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching BPF programs to events. perf_event_set_bpf_prog() is declared in linux/trace_events.h.
 */
#ifndef _KERNEL_EVENTS_BPF_PROG_H
#define _KERNEL_EVENTS_BPF_PROG_H

#include <linux/errno.h>
#include <linux/types.h>

struct perf_event;

#ifdef CONFIG_BPF_SYSCALL
int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd);
#else
static inline int perf_event_bpf_attach_fd(struct perf_event *event, u32 prog_fd)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* _KERNEL_EVENTS_BPF_PROG_H */
