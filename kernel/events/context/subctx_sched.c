// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-contexts are scheduled in and out.
 *
 * A context switch handles sub-contexts, not events or groups. Switching a sub-context costs
 * one clock update, plus the groups that compete for a PMU's counters; sched/sched.c handles those.
 * base/contexts.h describes sub-contexts.
 *
 * Context: irqs off, on the CPU concerned. The rq lock may be held.
 */
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/clock_queue.h"
#include "../software/traced.h"
#include "../sched/sched.h"
#include "subctx_sched.h"

/* The clock of the sub-context runs already when its groups and listeners are added. */
static noinline void perf_subctx_sched_in_more(struct perf_subctx *subctx, u64 now)
{
	struct perf_event *event;

	if (!hlist_empty(&subctx->traced_added))
		perf_traced_subctx_sched_in(subctx);
	if (!list_empty(&subctx->pmu_ctx_list))
		perf_sched_resume_plans(subctx, now);
	if (perf_clock_queue_is_used(&subctx->clocks))
		perf_clock_queue_sched_in(subctx, now);
	hlist_for_each_entry(event, &subctx->mapped, mapped_entry)
		perf_event_update_userpage(event);
}

/**
 * perf_subctx_sched_in() - the sub-context's condition begins to hold on this CPU
 * @subctx: the sub-context; its context's lock is held, and the CPU's if groups compete
 * @now: perf_time()
 *
 * If it has groups, caller must do as perf_sched_resume_plans() says.
 */
void perf_subctx_sched_in(struct perf_subctx *subctx, u64 now)
{
	lockdep_assert_held(&subctx->ctx->lock);

	perf_clock_start(&subctx->clock, now);
	if (unlikely(subctx->busy))
		perf_subctx_sched_in_more(subctx, now);
}

/* Undo perf_subctx_sched_in_more(), while the clock of the sub-context still runs. */
static noinline void perf_subctx_sched_out_more(struct perf_subctx *subctx, u64 now)
{
	if (!list_empty(&subctx->pmu_ctx_list))
		perf_sched_suspend_plans(subctx, now);
	if (!hlist_empty(&subctx->traced_added))
		perf_traced_subctx_sched_out(subctx);
	if (perf_clock_queue_is_used(&subctx->clocks)) {
		/* stop the clock first: no sampling clock of the sub-context expires any more */
		perf_clock_stop(&subctx->clock, now);
		perf_clock_queue_sched_out(subctx, now);
	} else if (!subctx->ctx->nr_enqueued && hlist_empty(&subctx->mapped) &&
		   hlist_empty(&subctx->traced_added)) {
		subctx->busy = false;
	}
}

/**
 * perf_subctx_sched_out() - the sub-context's condition ceases to hold on this CPU
 * @subctx: as for perf_subctx_sched_in()
 * @now: perf_time()
 */
void perf_subctx_sched_out(struct perf_subctx *subctx, u64 now)
{
	lockdep_assert_held(&subctx->ctx->lock);

	if (unlikely(subctx->busy))
		perf_subctx_sched_out_more(subctx, now);
	perf_clock_stop(&subctx->clock, now);
}
