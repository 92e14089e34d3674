/* SPDX-License-Identifier: GPL-2.0 */
/* Deferral of wakeups: until interrupts are possible, or until the CPU has made progress. */
#ifndef _KERNEL_EVENTS_WAKE_H
#define _KERNEL_EVENTS_WAKE_H

#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>

/* Wakeups of a CPU in so many jiffies before the next ones are postponed, see wake.c */
#define PERF_WAKE_MAX		32
#define PERF_WAKE_WINDOW	msecs_to_jiffies(20)

void perf_wake_boot(void);
void perf_wake_init(struct perf_wake *wake, void (*func)(struct irq_work *irq));
void perf_wake_queue(struct perf_wake *wake, struct perf_event *event);
void perf_wake_account(void);
void perf_wake_sync(struct perf_wake *wake);
struct hrtimer *perf_wake_timer_of(int cpu);

/* Return: true if the wakeup is queued, or may still access @wake. Context: any. */
static inline bool perf_wake_is_busy(struct perf_wake *wake)
{
	/* pairs with perf_wake_leave(), which queues @irq first */
	return smp_load_acquire(&wake->later) || irq_work_is_busy(&wake->irq);
}

#endif /* _KERNEL_EVENTS_WAKE_H */
