/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data that a driver keeps for each task, see task_data.c.
 */
#ifndef _KERNEL_EVENTS_TASK_DATA_H
#define _KERNEL_EVENTS_TASK_DATA_H

#include "../base/contexts.h"
#include "../base/event.h"

bool __perf_task_data_get(struct perf_event_context *ctx, struct perf_event *event);
void __perf_task_data_put(struct perf_event_context *ctx, struct perf_event *event);
void __perf_task_data_swap(struct perf_event_context *a, struct perf_event_context *b);

/* See __perf_task_data_get(). Does nothing for an event without data. */
static inline bool perf_task_data_get(struct perf_event_context *ctx, struct perf_event *event)
{
	if (likely(!(event->attach_state & PERF_ATTACH_TASK_DATA)) ||
	    !perf_ctx_is_task(ctx) || !event->pmu->task_ctx_cache)
		return true;
	return __perf_task_data_get(ctx, event);
}

/* See __perf_task_data_put(). Does nothing if perf_task_data_get() has done nothing. */
static inline void perf_task_data_put(struct perf_event_context *ctx, struct perf_event *event)
{
	if (unlikely(event->attach_state & PERF_ATTACH_HAS_DATA))
		__perf_task_data_put(ctx, event);
}

/* See __perf_task_data_swap(). */
static inline void perf_task_data_swap(struct perf_event_context *a,
				       struct perf_event_context *b)
{
	if (unlikely(!hlist_empty(&a->task_data) || !hlist_empty(&b->task_data)))
		__perf_task_data_swap(a, b);
}

#endif /* _KERNEL_EVENTS_TASK_DATA_H */
