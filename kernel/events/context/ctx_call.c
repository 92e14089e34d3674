// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of a context, made on the CPU where the context is on.
 *
 * perf_ctx_call() runs every change of a context that may be on: on that CPU, under the locks
 * of the context and of the CPU's context. Locking rules are in base/contexts.h.
 *
 * Context: task, irqs on. Irqs may be off for a context that is on here.
 */
#include <linux/smp.h>

#include "../base/contexts.h"
#include "ctx_call.h"

struct perf_ctx_request {
	struct perf_event_context	*ctx;
	perf_ctx_fn			fn;
	void				*arg;
	int				cpu;
};

/* Run the request if the context is off; otherwise set request->cpu to where it is on. */
static void perf_ctx_call_off(struct perf_ctx_request *request)
{
	struct perf_event_context *ctx = request->ctx;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	request->cpu = ctx->cpu;
	if (request->cpu < 0)
		request->fn(ctx, request->arg);
}

/* Run the request if the context is on here. With irqs off, ctx->cpu and task_ctx are stable. */
static void perf_ctx_call_here(void *info)
{
	struct perf_ctx_request *request = info;
	struct perf_event_context *ctx = request->ctx;
	struct perf_event_context *task_ctx;
	struct perf_cpu_context *cpuctx;

	guard(irqsave)();
	cpuctx = this_perf_cpu();
	if (READ_ONCE(ctx->cpu) != smp_processor_id())
		return;

	perf_cpu_lock(cpuctx);
	task_ctx = cpuctx->task_ctx;
	request->cpu = -1;
	request->fn(ctx, request->arg);
	/* fn() may have switched task_ctx off: do not use cpuctx->task_ctx */
	if (task_ctx)
		raw_spin_unlock(&task_ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/**
 * perf_ctx_call() - change something in a context
 * @ctx: the context
 * @fn: the change
 * @arg: for @fn
 *
 * Runs @fn with irqs off and ctx->lock held. If the context is on, @fn runs on that CPU, also
 * under the lock of that CPU's context. If the context is off, @fn runs here. This CPU is
 * tried first, because most tasks change their own context.
 *
 * Context: task, irqs on, since another CPU may have to be interrupted. Irqs may be off if the
 * context is on here.
 */
void perf_ctx_call(struct perf_event_context *ctx, perf_ctx_fn fn, void *arg)
{
	struct perf_ctx_request request = { .ctx = ctx, .fn = fn, .arg = arg };

	request.cpu = raw_smp_processor_id();
	perf_ctx_call_here(&request);
	while (request.cpu >= 0) {
		perf_ctx_call_off(&request);
		if (request.cpu >= 0)
			smp_call_function_single(request.cpu, perf_ctx_call_here,
						 &request, 1);
	}
}
