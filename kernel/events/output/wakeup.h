/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakeups: the pollers of a buffer, the pollers and the signals of an event.
 */
#ifndef _KERNEL_EVENTS_WAKEUP_H
#define _KERNEL_EVENTS_WAKEUP_H

#include <linux/irq_work.h>
#include <linux/perf_event.h>

struct perf_buffer;

/* perf_event::pending_signals */
#define PERF_SIGNAL_IN		BIT(0)	/* POLL_IN: there is a sample or another record */
#define PERF_SIGNAL_HUP		BIT(1)	/* POLL_HUP: the count of IOC_REFRESH has run out */

void perf_event_pending_wake(struct irq_work *work);
void perf_event_wakeup(struct perf_event *event);

void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event);
void perf_rb_wake_published(struct perf_buffer *rb, struct perf_event *event);
void perf_rb_wake_polled(struct irq_work *work);

#endif /* _KERNEL_EVENTS_WAKEUP_H */
