/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changing the period of an event, and limiting the number of its overflows.
 */
#ifndef _KERNEL_EVENTS_PERIOD_H
#define _KERNEL_EVENTS_PERIOD_H

#include <linux/perf_event.h>

int perf_event_set_period(struct perf_event *event, u64 value);
int perf_event_refresh_one(struct perf_event *event, int refresh);

#endif /* _KERNEL_EVENTS_PERIOD_H */
