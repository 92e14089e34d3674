// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the context of a CPU and the sub-contexts of a context.
 */
#include "contexts.h"

DEFINE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

/**
 * perf_cpu_lock() - lock all that is on this CPU
 * @cpuctx: this CPU's; irqs are off
 */
void perf_cpu_lock(struct perf_cpu_context *cpuctx)
{
	raw_spin_lock(&cpuctx->ctx.lock);
	if (cpuctx->task_ctx)
		raw_spin_lock(&cpuctx->task_ctx->lock);
}

/**
 * perf_cpu_unlock() - undo perf_cpu_lock()
 * @cpuctx: this CPU's
 */
void perf_cpu_unlock(struct perf_cpu_context *cpuctx)
{
	if (cpuctx->task_ctx)
		raw_spin_unlock(&cpuctx->task_ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/*
 * No two sub-contexts are for the same CPU. So the one for @cpu is not behind the index that
 * it would have if there was one for each CPU from the first on. Mostly it is there.
 */
static struct perf_subctx *perf_copied_subctx(struct perf_copied_subctxs *copied, int cpu)
{
	int first = 0, i = min(cpu - copied->subctx[0].cpu, (int)copied->nr - 1);
	int last = i;

	while (first <= last) {
		struct perf_subctx *subctx = &copied->subctx[i];

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
 * perf_subctx_find() - the sub-context of a task's events that are bound to a CPU
 * @ctx: the task's context; if it is a CPU's, the sub-contexts are those of cgroups
 * @cpu: the CPU, or the id of the cgroup
 *
 * Context: any, under RCU or the context's mutex or lock.
 * Return: the sub-context, which stays as long as the context, or NULL.
 */
struct perf_subctx *perf_subctx_find(struct perf_event_context *ctx, int cpu)
{
	struct perf_subctx *subctx = NULL;

	if (ctx->copied_subctxs)
		subctx = perf_copied_subctx(ctx->copied_subctxs, cpu);
	return subctx ?: xa_load(&ctx->subctxs, cpu);
}
