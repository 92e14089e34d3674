/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transactions on an AUX area. <linux/perf_event.h> declares them: drivers call them.
 */
#ifndef _KERNEL_EVENTS_AUX_H
#define _KERNEL_EVENTS_AUX_H

#include <linux/perf_event.h>

/**
 * perf_aux_init_event() - initialize the paused state of a new event
 * @event: the event; its PMU has accepted it
 */
static inline void perf_aux_init_event(struct perf_event *event)
{
	if (event->attr.aux_start_paused)
		event->hw.aux_paused = 1;
}

#endif /* _KERNEL_EVENTS_AUX_H */
