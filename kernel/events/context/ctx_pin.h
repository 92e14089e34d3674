/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pins: events that keep a context with its task. ctx_swap.h describes the concept.
 */
#ifndef _KERNEL_EVENTS_CTX_PIN_H
#define _KERNEL_EVENTS_CTX_PIN_H

#include "../base/contexts.h"
#include "../base/event.h"

bool perf_event_needs_task(struct perf_event *event);
void perf_ctx_pin_for_event(struct perf_event *event);
void __perf_ctx_pin_enter(struct perf_event *event);

/* An event enters its context. A plain event does not depend on the task. */
static inline void perf_ctx_pin_enter(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!event->parent)
		event->ctx->home_task = event->ctx->task;
	if (!perf_event_is_plain(event))
		__perf_ctx_pin_enter(event);
}

/* An event leaves its context. */
static inline void perf_ctx_pin_leave(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!(event->attach_state & PERF_ATTACH_PINS_CTX))
		return;
	event->attach_state &= ~PERF_ATTACH_PINS_CTX;
	event->ctx->pin_count--;
}

#endif /* _KERNEL_EVENTS_CTX_PIN_H */
