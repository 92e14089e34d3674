/* SPDX-License-Identifier: GPL-2.0 */
/* Overflow: handling of the end of a period. */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>

#include "../output/wake.h"

/* value of hw_perf_event::interrupts while an event is throttled */
#define MAX_INTERRUPTS	(~0ULL)

DECLARE_PER_CPU(u64, perf_ticks);
DECLARE_PER_CPU(bool, perf_throttled);

/**
 * perf_event_is_throttled() - check whether an event is stopped because it overflows too often
 * @event: the event; on another CPU the answer may be old
 *
 * perf_event_account_interrupt() throttles, perf_event_end_throttle() ends it.
 *
 * Return: true if it is.
 */
static inline bool perf_event_is_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == MAX_INTERRUPTS;
}

/**
 * perf_event_is_halted() - check whether an event's driver must not start it
 * @event: the event, on its CPU
 *
 * The event is throttled, or is about to be disabled: its last overflow has come, or its AUX area
 * is full. A driver that takes samples from a buffer may report overflows in stop(), so what stops
 * an event to start it again must look in between.
 *
 * Return: true if it was stopped.
 */
static inline bool perf_event_is_halted(const struct perf_event *event)
{
	return perf_event_is_throttled(event) || event->pending_disable;
}

void perf_event_end_throttle(struct perf_event *event, bool report);

/**
 * perf_event_overflow_flush() - wait until no irq_work or wakeup of an event is pending
 * @event: the event, removed from its context
 *
 * Context: task.
 */
static inline void perf_event_overflow_flush(struct perf_event *event)
{
	/*
	 * rarely pending; a work is last accessed under RCU, and the event is freed after RCU
	 * as well
	 */
	if (unlikely(perf_wake_is_busy(&event->pending_wake)))
		perf_wake_sync(&event->pending_wake);
	if (unlikely(irq_work_is_busy(&event->pending_disable_irq)))
		irq_work_sync(&event->pending_disable_irq);
}

#endif /* _KERNEL_EVENTS_OVERFLOW_H */
