/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event on its PMU: added, deleted, and what its state says of that.
 */
#ifndef _KERNEL_EVENTS_EVENT_SCHED_H
#define _KERNEL_EVENTS_EVENT_SCHED_H

#include <linux/perf_event.h>

int perf_event_begin(struct perf_event *event);
int perf_event_go(struct perf_event *event, u64 now);
void perf_event_halt(struct perf_event *event, u64 now);
void perf_event_prepare(struct perf_event *event);
int perf_event_resume(struct perf_event *event);
void perf_event_suspend(struct perf_event *event);
void perf_event_cease(struct perf_event *event);
void perf_event_del(struct perf_event *event);

#endif /* _KERNEL_EVENTS_EVENT_SCHED_H */
