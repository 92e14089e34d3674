/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software events: occurrences that the kernel reports, and the clocks.
 */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include <linux/perf_event.h>

void perf_swevent_count(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
bool perf_swevent_excluded(const struct perf_event *event, struct pt_regs *regs);
void __init perf_swevent_init(void);

/* clock_event.c: cpu-clock and task-clock */
void perf_clock_event_init(struct perf_event *event);
int perf_clock_event_add(struct perf_event *event, int flags);
void perf_clock_event_del(struct perf_event *event);
void perf_clock_event_start(struct perf_event *event);
void perf_clock_event_stop(struct perf_event *event);
void perf_clock_event_read(struct perf_event *event);
u64 perf_clock_event_tick(struct perf_event *event);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
