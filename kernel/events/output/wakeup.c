// SPDX-License-Identifier: GPL-2.0
/*
 * Wakeups and signals.
 *
 * Both are deferred (wake.c): rb->wake_polled wakes the pollers of a buffer, event->pending_wake
 * wakes the pollers of an event and sends its signals.
 */
#include "../base/event.h"
#include "../base/recursion.h"
#include "ring_buffer.h"
#include "wake.h"
#include "wakeup.h"

/* Maximum number of events woken by one run of wake_polled, with interrupts off. */
#define PERF_RB_WAKE_BATCH	32

/**
 * perf_event_wakeup() - wake the pollers of an event and send its pending signals
 * @event: the event
 *
 * Signals that become pending later, in NMI, are sent by another run of pending_wake.
 *
 * Context: any but NMI, irqs may be off. No scheduler lock may be held.
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
 * perf_event_pending_wake() - irq_work of an event with pending signals
 * @work: perf_wake::irq of perf_event::pending_wake
 *
 * Context: irq_work.
 */
void perf_event_pending_wake(struct irq_work *work)
{
	guard(perf_own_work)();
	perf_wake_account();
	perf_event_wakeup(container_of(work, struct perf_event, pending_wake.irq));
}

/* Signal POLL_IN to the owner of an event, unless a signal is pending. */
static void perf_event_signal(struct perf_event *event)
{
	if (!READ_ONCE(perf_event_root(event)->fasync) ||
	    atomic_read(&event->pending_signals))
		return;
	atomic_or(PERF_SIGNAL_IN, &event->pending_signals);
	perf_wake_queue(&event->pending_wake, event);
}

/**
 * perf_rb_wake() - wake the pollers of a buffer
 * @rb: the buffer
 * @event: an event that writes to it; signalled as well
 *
 * The wakeup is deferred, because the caller may be in NMI or hold the rq lock. It belongs to the
 * buffer: the event may be attached to another one when it is done.
 *
 * Context: any, preemption off. What the reader shall find must be published.
 */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event *also = READ_ONCE(rb->wake_event);

	/*
	 * Positions in the control page before @poll: a reader that finds @poll set looks at them
	 * once. Pairs with the xchg() in perf_event_poll_output().
	 */
	atomic_set_release(&rb->poll, EPOLLIN | EPOLLRDNORM);
	WRITE_ONCE(rb->wake_pending, true);
	perf_wake_queue(&rb->wake_polled, event);
	perf_event_signal(event);
	if (unlikely(also)) {
		WRITE_ONCE(rb->wake_event, NULL);
		perf_event_signal(also);
	}
}

/**
 * perf_rb_wake_published() - wake the pollers of a buffer when its records are published
 * @rb: the buffer
 * @event: an event that writes to it
 *
 * An interrupted writer publishes the records written so far, and wakes for this event then. It has
 * preemption off, so the event is not freed before.
 *
 * Context: any, preemption off.
 */
void perf_rb_wake_published(struct perf_buffer *rb, struct perf_event *event)
{
	struct perf_event *other;

	if (!READ_ONCE(rb->open)) {
		perf_rb_wake(rb, event);
		return;
	}
	other = READ_ONCE(rb->wake_event);
	WRITE_ONCE(rb->wake_event, event);
	WRITE_ONCE(rb->wake, true);
	/* a second one within the same record: that signal comes early instead of never */
	if (unlikely(other && other != event))
		perf_event_signal(other);
}

/**
 * perf_rb_wake_polled() - wake all pollers of a buffer
 * @work: perf_wake::irq of perf_buffer::wake_polled
 *
 * Wakes a bounded number of events, then queues itself again. This terminates: an event is
 * woken once, and only a new poll(2) puts it on the list again.
 *
 * Context: irq_work.
 */
void perf_rb_wake_polled(struct irq_work *work)
{
	struct perf_buffer *rb = container_of(work, struct perf_buffer, wake_polled.irq);
	struct perf_event *event;
	bool all;

	guard(perf_own_work)();
	perf_wake_account();
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
