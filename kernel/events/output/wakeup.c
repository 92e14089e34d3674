// SPDX-License-Identifier: GPL-2.0
/*
 * Wakeups and signals.
 *
 * A record may be written in NMI, or with the run queue locked. So all of them go through
 * irq_work: that of the buffer for its pollers, that of the event for its own.
 */
#include "../base/event.h"
#include "ring_buffer.h"
#include "wakeup.h"

/* events that are woken with irqs off, before others have their turn */
#define PERF_RB_WAKE_BATCH	32

/**
 * perf_event_wakeup() - wake the pollers of the event, send its signals
 * @event: the event; irqs may be off, not in NMI, no scheduler lock held
 *
 * What becomes pending meanwhile, in NMI, is left for another run of the work.
 */
void perf_event_wakeup(struct perf_event *event)
{
	struct perf_event *root = perf_event_root(event);
	int signals = atomic_xchg(&event->pending_signals, 0);

	wake_up_all(&root->waitq);
	if (signals & PERF_SIGNAL_IN)
		kill_fasync(&root->fasync, SIGIO, POLL_IN);
	if (signals & PERF_SIGNAL_HUP)
		kill_fasync(&root->fasync, SIGIO, POLL_HUP);
}

/**
 * perf_event_pending_irq() - the irq_work of an event that has signals pending
 * @work: perf_event::pending_irq
 */
void perf_event_pending_irq(struct irq_work *work)
{
	perf_event_wakeup(container_of(work, struct perf_event, pending_irq));
}

/**
 * perf_rb_wake() - wake the pollers of a buffer
 * @rb: the buffer
 * @event: one that writes to it; its signal is sent, unless one is pending
 *
 * By irq_work, since this may be NMI, or under the rq lock. The work is the buffer's:
 * the event may write to another one by then. Any context, preemption off.
 */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event)
{
	atomic_set(&rb->poll, EPOLLIN | EPOLLRDNORM);
	WRITE_ONCE(rb->wake_pending, true);
	irq_work_queue(&rb->wake_irq);
	if (READ_ONCE(perf_event_root(event)->fasync) &&
	    !atomic_read(&event->pending_signals))
		perf_event_signal(event, PERF_SIGNAL_IN);
}

/**
 * perf_rb_wake_polled() - wake all that poll a buffer
 * @work: the buffer's wake_irq
 *
 * An event is woken once, and again when it has been polled again: so what is left
 * for another run of the work gets less each time.
 */
void perf_rb_wake_polled(struct irq_work *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, wake_irq);
	struct perf_event *event;
	bool all;

	scoped_guard(spinlock_irqsave, &rb->events_lock) {
		if (xchg(&rb->wake_pending, false))
			list_splice_tail_init(&rb->polled, &rb->waking);
		for (int i = 0; i < PERF_RB_WAKE_BATCH && !list_empty(&rb->waking); i++) {
			event = list_first_entry(&rb->waking, struct perf_event,
						 poll_entry);
			list_del_init(&event->poll_entry);
			wake_up_all(&event->waitq);
		}
		all = list_empty(&rb->waking);
	}
	if (!all)
		irq_work_queue(work);
}
