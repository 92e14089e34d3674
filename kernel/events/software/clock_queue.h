/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues of sampling clocks: which period ends next, and the CPU's timer for that.
 *
 * A sampling clock that counts is in a queue, sorted by the time at which its period
 * ends. That time is one of the clock that its count is taken from: of the clock of its
 * sub-context, or, if it follows a leader, of the running time of that. These clocks stand while
 * the sub-context is off, or while the leader does not count. So nothing in a queue changes at a
 * switch, and the queue of the followers of a group has one entry in that of the sub-context,
 * while their leader is ACTIVE.
 *
 * Each CPU has one timer, for what is due first in the sub-contexts that are on there. It does
 * not run where no sampling clock counts.
 *
 * Locking rules: as for the listeners of a sub-context, see subctx.h: a queue changes only on the
 * CPU on which the sub-context is on, with irqs off, or while it is off, under ctx->lock.
 * The timer's handler is in hardirq on that CPU and takes no lock. An NMI must not look
 * at a queue.
 */
#ifndef _KERNEL_EVENTS_CLOCK_QUEUE_H
#define _KERNEL_EVENTS_CLOCK_QUEUE_H

#include "../base/contexts.h"

/* How many periods the handler ends while interrupts are off. */
#define PERF_CLOCKS_AT_ONCE	64

static inline void perf_clock_queue_init(struct perf_clock_queue *queue)
{
	queue->due = KTIME_MAX;
}

/* All that a switch has to know of a sub-context: whether there are sampling clocks. */
static __always_inline bool perf_clock_queue_is_used(const struct perf_clock_queue *queue)
{
	return unlikely(queue->due != KTIME_MAX);
}

void perf_clock_queue_add(struct perf_event *event, u64 left);
s64 perf_clock_queue_del(struct perf_event *event);
void perf_clock_queue_switch_followers(struct perf_event *leader);
void perf_clock_queue_on(struct perf_subctx *subctx, u64 now);
void perf_clock_queue_off(struct perf_subctx *subctx, u64 now);
void perf_clock_timer_cpu_gone(struct perf_cpu_context *cpuctx);
void perf_clock_timer_init(struct perf_cpu_context *cpuctx);

#endif /* _KERNEL_EVENTS_CLOCK_QUEUE_H */
