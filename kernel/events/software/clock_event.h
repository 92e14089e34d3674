/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu-clock and task-clock: events that count time.
 */
#ifndef _KERNEL_EVENTS_CLOCK_EVENT_H
#define _KERNEL_EVENTS_CLOCK_EVENT_H

#include <linux/perf_event.h>

void perf_clock_event_init(struct perf_event *event);
int perf_clock_event_add(struct perf_event *event, int flags);
void perf_clock_event_del(struct perf_event *event);
void perf_clock_event_start(struct perf_event *event);
void perf_clock_event_stop(struct perf_event *event);
void perf_clock_event_read(struct perf_event *event);

#endif /* _KERNEL_EVENTS_CLOCK_EVENT_H */
