// SPDX-License-Identifier: GPL-2.0
/*
 * A task's context is scheduled in and out.
 *
 * A context is scheduled in while its task runs, on the CPU in perf_event_context::cpu. Its own
 * sub-context is scheduled in then, and the sub-context for this CPU, if there is one. switch.c
 * does that at context switches, and ctx_swap.c swaps contexts that need none of it.
 *
 * Context: irqs off, on the CPU concerned. The rq lock may be held.
 */
#include <linux/sched.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../sched/sched.h"
#include "ctx_sched.h"
#include "subctx_sched.h"

/*
 * Take the locks for scheduling a task's context in or out on this CPU. The lock of the CPU's
 * context is needed as well if groups of the context compete for counters. While the context
 * is scheduled out, that can change until ctx->lock is held.
 */
static bool perf_ctx_sched_lock(struct perf_cpu_context *cpuctx,
				struct perf_event_context *ctx)
{
	bool both = READ_ONCE(ctx->nr_enqueued);

	for (;;) {
		if (both)
			raw_spin_lock(&cpuctx->ctx.lock);
		raw_spin_lock(&ctx->lock);
		if (likely(both || !ctx->nr_enqueued))
			return both;
		raw_spin_unlock(&ctx->lock);
		both = true;
	}
}

static void perf_ctx_sched_unlock(struct perf_cpu_context *cpuctx,
				  struct perf_event_context *ctx, bool both)
{
	raw_spin_unlock(&ctx->lock);
	if (both)
		raw_spin_unlock(&cpuctx->ctx.lock);
}

/* Return: false when @ctx is not current's context any more. */
static bool perf_ctx_try_sched_in(struct perf_cpu_context *cpuctx,
				  struct perf_event_context *ctx, u64 now)
{
	bool both = perf_ctx_sched_lock(cpuctx, ctx);
	bool mine = ctx->task == current;

	if (likely(ctx->nr_events && perf_ctx_is_off_here(ctx)))
		__perf_ctx_sched_in(cpuctx, ctx, now);
	/*
	 * Otherwise the plan of the right context comes first. Of all tasks' contexts only
	 * current's can be scheduled in here: task_ctx is @ctx or NULL.
	 */
	if (both && mine && perf_sched_refill_is_due(cpuctx))
		perf_sched_fill_cpu(cpuctx, now);
	perf_ctx_sched_unlock(cpuctx, ctx, both);
	return mine;
}

/**
 * perf_ctx_sched_in() - schedule current's context in
 * @ctx: current's context, or NULL
 * @now: perf_time()
 *
 * Called when current begins to run, gets a context, or its context gets the first event. Does
 * nothing if the context is scheduled in already or has no events: an empty context is not
 * guaranteed to be scheduled out again. If groups of the context compete for counters, those that
 * are free are given to waiting groups, of other contexts as well.
 *
 * Context: irqs off. The rq lock may be held.
 */
void perf_ctx_sched_in(struct perf_event_context *ctx, u64 now)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();

	/* current may have another context, or none, since the caller looked */
	while (ctx && cpuctx->task_ctx != ctx && !perf_ctx_try_sched_in(cpuctx, ctx, now))
		ctx = READ_ONCE(current->perf_event_ctxp);
}

/**
 * perf_ctx_sched_in_filled() - schedule current's context in outside of a context switch
 * @ctx: as for perf_ctx_sched_in()
 *
 * Counters that are free are given to waiting groups in any case.
 *
 * Context: irqs off. Caller must not hold the lock of a context.
 */
void perf_ctx_sched_in_filled(struct perf_event_context *ctx)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();

	perf_ctx_sched_in(ctx, perf_time());
	if (perf_sched_refill_is_due(cpuctx))
		perf_sched_refill(cpuctx, perf_time());
}

/**
 * perf_ctx_sched_out() - current stops running, or loses its context
 * @ctx: current's context
 *
 * Context: irqs off. The rq lock may be held.
 */
void perf_ctx_sched_out(struct perf_event_context *ctx)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool both;

	if (cpuctx->task_ctx != ctx)
		return;

	both = perf_ctx_sched_lock(cpuctx, ctx);
	__perf_ctx_sched_out(cpuctx, ctx, perf_time());
	perf_ctx_sched_unlock(cpuctx, ctx, both);
}
