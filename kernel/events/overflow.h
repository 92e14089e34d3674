/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Overflow: what happens when a period ends.
 */
#ifndef _KERNEL_EVENTS_OVERFLOW_H
#define _KERNEL_EVENTS_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>

/* hw_perf_event::interrupts of an event that is throttled */
#define MAX_INTERRUPTS	(~0ULL)

/* perf_event::pending_signals */
#define PERF_SIGNAL_IN		BIT(0)	/* POLL_IN: there is a sample, or a record */
#define PERF_SIGNAL_HUP		BIT(1)	/* POLL_HUP: REFRESH has run out */

void perf_event_overflow_init(struct perf_event *event);
void perf_event_wakeup(struct perf_event *event);

/**
 * perf_event_signal - send an event's signals, soon
 * @event: the event; any context
 * @signals: PERF_SIGNAL_*
 */
static inline void perf_event_signal(struct perf_event *event, unsigned int signals)
{
	atomic_or(signals, &event->pending_signals);
	irq_work_queue(&event->pending_irq);
}

/**
 * perf_event_overflow_flush - wait until nothing is pending
 * @event: removed from its context; task context
 */
static inline void perf_event_overflow_flush(struct perf_event *event)
{
	/* mostly not; the last access of a work that was is under RCU, as the event is */
	if (unlikely(irq_work_is_busy(&event->pending_irq)))
		irq_work_sync(&event->pending_irq);
	if (unlikely(irq_work_is_busy(&event->pending_disable_irq)))
		irq_work_sync(&event->pending_disable_irq);
}

#endif /* _KERNEL_EVENTS_OVERFLOW_H */
