/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A task's context is scheduled in and out.
 */
#ifndef _KERNEL_EVENTS_CTX_SCHED_H
#define _KERNEL_EVENTS_CTX_SCHED_H

#include "../base/contexts.h"
#include "subctx_sched.h"

void perf_ctx_sched_in(struct perf_event_context *ctx, u64 now);
void perf_ctx_sched_in_filled(struct perf_event_context *ctx);
void perf_ctx_sched_out(struct perf_event_context *ctx);

/**
 * __perf_ctx_sched_in() - schedule a context in here
 * @cpuctx: this CPU's context
 * @ctx: current's context, scheduled out
 * @now: perf_time()
 *
 * Context: irqs off. Caller must hold ctx->lock, and the lock of @cpuctx if groups of the
 * context compete for counters.
 */
static inline void __perf_ctx_sched_in(struct perf_cpu_context *cpuctx,
				       struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(ctx->cpu, smp_processor_id());
	WRITE_ONCE(cpuctx->task_ctx, ctx);
	if (unlikely(ctx->nr_user_reads))
		arch_perf_user_access(true);
	perf_subctx_sched_in(&ctx->own, now);
	if (unlikely(perf_ctx_has_subctxs(ctx))) {
		ctx->local = perf_subctx_find(ctx, ctx->cpu);
		if (ctx->local)
			perf_subctx_sched_in(ctx->local, now);
	}
}

/**
 * __perf_ctx_sched_out() - schedule a context out here
 * @cpuctx: this CPU's context
 * @ctx: current's context, scheduled in here
 * @now: perf_time()
 *
 * Context: irqs off. Caller must hold ctx->lock, and the lock of @cpuctx if groups of the
 * context compete for counters.
 */
static inline void __perf_ctx_sched_out(struct perf_cpu_context *cpuctx,
					struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(cpuctx->task_ctx, NULL);
	if (ctx->local) {
		perf_subctx_sched_out(ctx->local, now);
		ctx->local = NULL;
	}
	perf_subctx_sched_out(&ctx->own, now);
	if (unlikely(ctx->nr_user_reads))
		arch_perf_user_access(false);
	WRITE_ONCE(ctx->cpu, -1);
}

/* Caller must hold ctx->lock. */
static inline bool perf_ctx_is_off_here(const struct perf_event_context *ctx)
{
	return ctx->task == current && ctx->cpu < 0;
}

#endif /* _KERNEL_EVENTS_CTX_SCHED_H */
