/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callchain buffers of an event.
 */
#ifndef _KERNEL_EVENTS_CALLCHAIN_H
#define _KERNEL_EVENTS_CALLCHAIN_H

#include <linux/hardirq.h>
#include <linux/perf_event.h>

/* The current context level: 0 task, 1 softirq, 2 hardirq, 3 NMI. */
static inline int perf_context_level(void)
{
	/* the most frequent case */
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 0;
	return interrupt_context_level();
}

#endif /* _KERNEL_EVENTS_CALLCHAIN_H */
