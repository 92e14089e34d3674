/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members of the group of a trace source pause and resume it when they overflow.
 */
#ifndef _KERNEL_EVENTS_AUX_PAUSE_H
#define _KERNEL_EVENTS_AUX_PAUSE_H

#include <linux/perf_event.h>

void perf_aux_pause_leader(struct perf_event *event, bool pause);

/**
 * perf_aux_before_sample() - apply attr.aux_pause before a sample is taken
 * @event: the event that overflowed, on its CPU
 *
 * The source is paused first, so that taking the sample is not traced.
 *
 * Context: irqs off or NMI.
 */
static inline void perf_aux_before_sample(struct perf_event *event)
{
	if (unlikely(event->attr.aux_pause))
		perf_aux_pause_leader(event, true);
}

/**
 * perf_aux_after_sample() - apply attr.aux_resume after a sample was taken or dropped
 * @event: the event that overflowed, on its CPU
 *
 * Context: irqs off or NMI.
 */
static inline void perf_aux_after_sample(struct perf_event *event)
{
	if (unlikely(event->attr.aux_resume))
		perf_aux_pause_leader(event, false);
}

#endif /* _KERNEL_EVENTS_AUX_PAUSE_H */
