// SPDX-License-Identifier: GPL-2.0
/*
 * The context switch.
 *
 * For software events, however many a task has, a switch publishes one pointer and updates
 * one clock. Only groups that compete for a PMU's counters are scheduled out and in, by
 * ../sched/sched.c.
 *
 * Entry points: perf_event_task_sched_out() and perf_event_task_sched_in() are inlined in the
 * scheduler, and call perf_switch_out() and perf_switch_in() while the static key of
 * ../base/switch_key.c is enabled.
 *
 * Context: irqs off, rq lock held. No task may be woken, and no rq lock taken.
 */
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../sideband/sideband.h"
#include "../sched/sched.h"
#include "../sched/sched_task.h"
#include "cgroup.h"
#include "ctx_sched.h"
#include "ctx_swap.h"

/**
 * perf_switch_out() - a task stops running on this CPU
 * @prev: the task, still current
 * @next: the task to run next
 */
void perf_switch_out(struct task_struct *prev, struct task_struct *next)
{
	struct perf_event_context *ctx = READ_ONCE(prev->perf_event_ctxp);

	if (unlikely(perf_sideband_enabled(PERF_SIDEBAND_SWITCH)))
		perf_sideband_switch(prev, next, false);
	perf_sched_task(this_perf_cpu(), prev, false);
	if (unlikely(ctx) && !perf_ctx_swap(prev, next))
		perf_ctx_sched_out(ctx);
}

/**
 * perf_switch_in() - a task begins to run on this CPU
 * @prev: the task that ran before; it may have exited
 * @task: the task, which is current
 *
 * What the cgroup and the task bring is scheduled in at one time, and then decided on once.
 */
void perf_switch_in(struct task_struct *prev, struct task_struct *task)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event_context *ctx;
	u64 now = 0;

	if (unlikely(cpuctx->nr_cgroup_subctxs))
		now = perf_cgroup_switch(cpuctx, task);

	/* After a swap of contexts, the task's is on already. */
	ctx = READ_ONCE(task->perf_event_ctxp);
	if (unlikely(ctx && cpuctx->task_ctx != ctx)) {
		now = now ?: perf_time();
		perf_ctx_sched_in(ctx, now);
	}

	/* What the leaving task had may be free now, and the task has no groups for it. */
	if (unlikely(perf_sched_refill_is_due(cpuctx)))
		perf_sched_refill(cpuctx, now ?: perf_time());
	perf_sched_task(cpuctx, task, true);

	if (unlikely(perf_sideband_enabled(PERF_SIDEBAND_SWITCH)))
		perf_sideband_switch(task, prev, true);
}
