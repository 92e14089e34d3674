/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples, and the identification at the end of every other record.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_H
#define _KERNEL_EVENTS_SAMPLE_H

#include <linux/perf_event.h>

void __perf_sample_compile(struct perf_event *event);

/* Compute the layout of a new event's samples. Most events have no sample fields. */
static inline void perf_sample_compile(struct perf_event *event)
{
	event->sample_layout.size = sizeof(struct perf_event_header);
	if (event->attr.sample_type)
		__perf_sample_compile(event);
}

#endif /* _KERNEL_EVENTS_SAMPLE_H */
