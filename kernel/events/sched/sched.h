/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scheduling of groups: selection of the groups that have counters of a PMU now.
 *
 * sched.c is what the rest of the core calls: it enqueues and dequeues groups and schedules
 * whole sub-contexts. Below it, rotate.c has the timer, fair_sched.c moves flexible groups,
 * fair.c selects among those that do not all fit, sides.c divides the counters between the CPU and
 * the task, batch.c schedules several groups at once, and group_sched.c one. pmu/debugfs.c shows
 * the state. Terms and locking are in cpu_pmu.h.
 */
#ifndef _KERNEL_EVENTS_SCHED_H
#define _KERNEL_EVENTS_SCHED_H

#include "cpu_pmu.h"

void perf_sched_init_pmu(struct pmu *pmu);
void perf_sched_stop_pmu(struct pmu *pmu);
void perf_sched_cpu_gone(struct perf_cpu_pmu_context *cpc);
void perf_sched_init_pmu_ctx(struct perf_event_pmu_context *pmu_ctx);

void perf_sched_enqueue(struct perf_event *leader, u64 now);
void perf_sched_dequeue(struct perf_event *leader, u64 now);
void perf_sched_sibling_in(struct perf_event *event, u64 now);
void perf_sched_sibling_gone(struct perf_event *leader, u64 now);
void perf_sched_resume_plans(struct perf_subctx *subctx, u64 now);
void perf_sched_suspend_plans(struct perf_subctx *subctx, u64 now);
void perf_sched_for_each_active(struct perf_subctx *subctx,
				void (*fn)(struct perf_event *event, void *arg), void *arg);
void perf_sched_fill_here(void);

/* see sched.c */
DECLARE_PER_CPU(bool, perf_sched_refill_due);

/* Use counters that a change of a context may have freed; locks as in perf_ctx_call(). */
static inline void perf_sched_fill_waiting(const struct perf_event_context *ctx)
{
	if (ctx->cpu >= 0 && __this_cpu_read(perf_sched_refill_due))
		perf_sched_fill_here();
}

/* perf_sched_refill() has work on this CPU; irqs off. */
static inline bool perf_sched_refill_is_due(const struct perf_cpu_context *cpuctx)
{
	return unlikely(!list_empty(&cpuctx->pmus)) && __this_cpu_read(perf_sched_refill_due);
}

void perf_sched_refill(struct perf_cpu_context *cpuctx, u64 now);
void perf_sched_fill_cpu(struct perf_cpu_context *cpuctx, u64 now);

#endif /* _KERNEL_EVENTS_SCHED_H */
