// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of sub-contexts, and locks of a CPU's contexts.
 */
#include "contexts.h"

DEFINE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/**
 * perf_cpu_lock() - lock the contexts that are scheduled in on this CPU
 * @cpuctx: this CPU's context
 *
 * Context: irqs off.
 */
void perf_cpu_lock(struct perf_cpu_context *cpuctx)
{
	raw_spin_lock(&cpuctx->ctx.lock);
	if (cpuctx->task_ctx)
		raw_spin_lock(&cpuctx->task_ctx->lock);
}

/**
 * perf_cpu_unlock() - undo perf_cpu_lock()
 * @cpuctx: this CPU's context
 */
void perf_cpu_unlock(struct perf_cpu_context *cpuctx)
{
	if (cpuctx->task_ctx)
		raw_spin_unlock(&cpuctx->task_ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/*
 * Binary search by CPU. CPUs are unique in the sorted array, so the sub-context of @cpu is at
 * or before index @cpu - first CPU. The search starts there, which mostly hits at once.
 */
static struct perf_subctx *perf_inherited_subctx(struct perf_inherited_subctxs *subs, int cpu)
{
	int first = 0, i = min(cpu - subs->subctx[0].cpu, (int)subs->nr - 1);
	int last = i;

	while (first <= last) {
		struct perf_subctx *subctx = &subs->subctx[i];

		if (likely(subctx->cpu == cpu))
			return subctx;
		if (subctx->cpu < cpu)
			first = i + 1;
		else
			last = i - 1;
		i = first + (last - first) / 2;
	}
	return NULL;
}

/**
 * perf_subctx_find() - find the sub-context of a task's events that are bound to a CPU
 * @ctx: the task's context; if it is a CPU's, its sub-contexts belong to cgroups
 * @cpu: the CPU, or the id of the cgroup
 *
 * Context: any. Caller must be in an RCU read-side section, or hold ctx->mutex or ctx->lock.
 * Return: the sub-context, valid as long as the context, or NULL.
 */
struct perf_subctx *perf_subctx_find(struct perf_event_context *ctx, int cpu)
{
	struct perf_subctx *subctx = NULL;

	if (ctx->inherited_subctxs)
		subctx = perf_inherited_subctx(ctx->inherited_subctxs, cpu);
	return subctx ?: xa_load(&ctx->subctxs, cpu);
}
