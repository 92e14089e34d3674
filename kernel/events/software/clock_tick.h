/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The end of a period of a sampling clock.
 */
#ifndef _KERNEL_EVENTS_CLOCK_TICK_H
#define _KERNEL_EVENTS_CLOCK_TICK_H

#include <linux/perf_event.h>

u64 perf_clock_tick(struct perf_event *event);
u64 perf_clock_period(const struct perf_event *event);
u64 perf_clock_throttled(const struct perf_event *event);

#endif /* _KERNEL_EVENTS_CLOCK_TICK_H */
