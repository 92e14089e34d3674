/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attaching events to buffers.
 */
#ifndef _KERNEL_EVENTS_ATTACH_H
#define _KERNEL_EVENTS_ATTACH_H

#include <linux/perf_event.h>

#include "../output/ring_buffer.h"

void perf_rb_put(struct perf_buffer *rb);
struct perf_buffer *perf_rb_get_of_event(struct perf_event *event);
struct perf_buffer *perf_rb_lock_of_event(struct perf_event *event);
void perf_rb_unlock(struct perf_buffer *rb);
bool perf_rb_attach(struct perf_event *event, struct perf_buffer *rb);
void perf_rb_detach(struct perf_event *event, struct perf_buffer *rb);
void perf_rb_move(struct perf_event *event, int cpu);
void perf_rb_moved(struct perf_event *event, int cpu);
__poll_t perf_event_poll_output(struct perf_event *event);
int perf_event_set_output(struct perf_event *event, struct perf_event *output);
void __perf_event_end_output(struct perf_event *event);
int perf_event_pause_output(struct perf_event *event, bool pause);

/* Detach an event that is being freed. Most events have no buffer. */
static inline void perf_event_end_output(struct perf_event *event)
{
	/* Pairs with perf_rb_leave(). */
	if (smp_load_acquire(&event->output))
		__perf_event_end_output(event);
}

#endif /* _KERNEL_EVENTS_ATTACH_H */
