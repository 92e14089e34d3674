/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues of sampling clocks: which period ends next, and the CPU's timer for that.
 *
 * A sampling clock that counts is in a queue, sorted by the time at which its period ends. That
 * time belongs to the clock that the event counts: the clock of its sub-context or, for a
 * follower, the running time of its leader. The former stands still while the sub-context is
 * scheduled out, the latter while the leader does not count. So a context switch changes
 * nothing in a queue. The queue of the followers of a group has one entry in the queue of the
 * sub-context while the leader is ACTIVE.
 *
 * Each CPU has one timer, for the period that ends first in the sub-contexts scheduled in
 * there. The timer does not run where no sampling clock counts.
 *
 * Locking rules: as for the listeners of a sub-context, see base/contexts.h. While the
 * sub-context is scheduled in, its queue changes only on that CPU with irqs off. While the
 * sub-context is scheduled out, its queue changes under ctx->lock. The handler of the timer runs
 * in hardirq on that CPU and takes no lock. An NMI must not access a queue.
 */
#ifndef _KERNEL_EVENTS_CLOCK_QUEUE_H
#define _KERNEL_EVENTS_CLOCK_QUEUE_H

#include "../base/contexts.h"

/* How many periods one run of the handler ends, to bound the time with irqs off. */
#define PERF_CLOCKS_AT_ONCE	64

static inline void perf_clock_queue_init(struct perf_clock_queue *queue)
{
	queue->due = KTIME_MAX;
}

/* Whether the sub-context has sampling clocks: all that a context switch has to check. */
static inline bool perf_clock_queue_is_used(const struct perf_clock_queue *queue)
{
	return unlikely(queue->due != KTIME_MAX);
}

void perf_clock_queue_add(struct perf_event *event, u64 left);
s64 perf_clock_queue_del(struct perf_event *event);
void perf_clock_queue_switch_followers(struct perf_event *leader);
void perf_clock_queue_sched_in(struct perf_subctx *subctx, u64 now);
void perf_clock_queue_sched_out(struct perf_subctx *subctx, u64 now);
void perf_clock_timer_cpu_gone(struct perf_cpu_context *cpuctx);
void perf_clock_timer_init(struct perf_cpu_context *cpuctx);

#endif /* _KERNEL_EVENTS_CLOCK_QUEUE_H */
