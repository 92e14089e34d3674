/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callchain buffers of an event.
 */
#ifndef _KERNEL_EVENTS_CALLCHAIN_H
#define _KERNEL_EVENTS_CALLCHAIN_H

#include <linux/hardirq.h>
#include <linux/perf_event.h>

/* Which of task, softirq, hardirq, NMI this is: 0..3. */
static inline int perf_context_level(void)
{
	/* as most often */
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 0;
	return interrupt_context_level();
}

#endif /* _KERNEL_EVENTS_CALLCHAIN_H */
