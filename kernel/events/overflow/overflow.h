/* SPDX-License-Identifier: GPL-2.0 */
/* Overflow: handling of the end of a period. */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>

#include "../output/wake.h"

/* Value of hw_perf_event::interrupts while an event is throttled. For the functions below. */
#define MAX_INTERRUPTS	(~0ULL)

DECLARE_PER_CPU(u64, perf_ticks);
DECLARE_PER_CPU(bool, perf_throttled);

/**
 * perf_event_is_throttled() - check whether an event is stopped because it overflows too often
 * @event: the event; on another CPU the answer may be old
 *
 * perf_event_account_interrupt() throttles, perf_event_end_throttle() ends it; the comment of the
 * latter lists its callers. Two other files check it. sched/batch.c does so for the one of these
 * callers that adds the event. software/clock_event.c does so when a sampling clock is started or
 * stopped, because the rest of the time for which it is throttled is not the rest of a period. What
 * stops an event to start it again checks perf_event_is_halted().
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

/**
 * perf_event_mark_throttled() - note that an event is throttled
 * @event: the event, on its CPU; the caller stops it
 *
 * Context: irqs off or NMI.
 */
static inline void perf_event_mark_throttled(struct perf_event *event)
{
	event->hw.interrupts = MAX_INTERRUPTS;
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
