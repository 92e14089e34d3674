// SPDX-License-Identifier: GPL-2.0
/*
 * The context switch.
 *
 * For software events, however many a task has, a switch publishes one pointer and updates
 * one clock. Only groups that compete for a PMU's counters are scheduled out and in, by
 * sched.c. Entered through the inlines of
 * <linux/perf_event.h> with the rq lock held and irqs off; must not wake
 * anything, nor take an rq lock. Owns the key that lets the scheduler in here.
 */
#include "../base/contexts.h"
#include "../sideband/sideband.h"
#include "../sched/sched.h"
#include "cgroup.h"
#include "ctx_swap.h"
#include "context.h"

/**
 * perf_switch_out() - @prev stops running here; current is still @prev
 * @prev: the task
 * @next: the one that comes
 */
void perf_switch_out(struct task_struct *prev, struct task_struct *next)
{
	struct perf_event_context *ctx = READ_ONCE(prev->perf_event_ctxp);

	if (unlikely(perf_sideband_enabled(PERF_SIDEBAND_SWITCH)))
		perf_sideband_switch(prev, next, false);
	if (unlikely(ctx) && !perf_ctx_swap(prev, next))
		perf_ctx_off(ctx);
}

/**
 * perf_switch_in() - @task, which is current, begins to run here
 * @prev: the one that ran before; it may have exited
 * @task: the task
 */
void perf_switch_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event_context *ctx;

	if (unlikely(cpuctx->nr_cgroup_subctxs))
		perf_cgroup_switch(cpuctx, task);

	ctx = READ_ONCE(task->perf_event_ctxp);
	if (unlikely(ctx))
		perf_ctx_on(ctx);

	/* What the leaving task had on the counters may be free now. */
	if (unlikely(!list_empty(&cpuctx->pmus)))
		perf_sched_refill(cpuctx);

	if (unlikely(perf_sideband_enabled(PERF_SIDEBAND_SWITCH)))
		perf_sideband_switch(task, prev, true);
}
