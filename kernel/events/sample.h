/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples, and the identification at the end of every other record.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_H
#define _KERNEL_EVENTS_SAMPLE_H

#include <linux/perf_event.h>

void __perf_sample_compile(struct perf_event *event);

/* What a new event's samples consist of; most have nothing but a header, if any. */
static inline void perf_sample_compile(struct perf_event *event)
{
	event->sample_layout.size = sizeof(struct perf_event_header);
	if (event->attr.sample_type)
		__perf_sample_compile(event);
}

/* sample_id_all: what follows the body of a record that is not a sample */
static inline unsigned int perf_sample_id_size(const struct perf_event *event)
{
	return event->sample_layout.id_size;
}

void perf_sample_id_put(struct perf_output_handle *handle,
			struct perf_event *event);

/*
 * Ids of a task as the owner of an event sees them; 0 when it cannot, -1 when
 * the task is dead and has none left.
 */
u32 perf_event_pid(const struct perf_event *event, struct task_struct *task);
u32 perf_event_tid(const struct perf_event *event, struct task_struct *task);

#endif /* _KERNEL_EVENTS_SAMPLE_H */
