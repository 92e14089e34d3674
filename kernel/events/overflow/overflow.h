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

DECLARE_PER_CPU(u64, perf_ticks);
DECLARE_PER_CPU(bool, perf_throttled);

/**
 * perf_event_overflow_flush() - wait until nothing is pending
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
