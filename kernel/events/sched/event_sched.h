/* SPDX-License-Identifier: GPL-2.0 */
/* Scheduling of one event on its PMU: add, delete, and the state that follows from that. */
#ifndef _KERNEL_EVENTS_EVENT_SCHED_H
#define _KERNEL_EVENTS_EVENT_SCHED_H

#include <linux/perf_event.h>

int __perf_event_sched_in(struct perf_event *event);
int perf_event_sched_in(struct perf_event *event, u64 now);
void perf_event_sched_out(struct perf_event *event, u64 now);
void perf_event_prepare_add(struct perf_event *event);
int perf_event_add(struct perf_event *event);
void perf_event_del(struct perf_event *event);
void __perf_event_sched_out(struct perf_event *event);
void __perf_event_del(struct perf_event *event);

#endif /* _KERNEL_EVENTS_EVENT_SCHED_H */
