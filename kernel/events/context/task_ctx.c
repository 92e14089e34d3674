// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a task: made with the first event, detached when the task exits.
 *
 * A task has at most one context of its own, perf_event_context::home_task. While tasks swap
 * contexts, it may be with another task: ctx_swap.c returns it.
 *
 * Context: task.
 */
#include <linux/sched.h>

#include "../base/contexts.h"
#include "context.h"
#include "ctx_sched.h"
#include "ctx_swap.h"
#include "task_ctx.h"

static struct perf_event_context *perf_ctx_find_task(struct task_struct *task)
{
	struct perf_event_context *ctx;

	ctx = perf_ctx_pin_own(task);
	if (ctx)
		return ctx;

	guard(mutex)(&task->perf_event_mutex);
	/* has a context been made meanwhile? */
	ctx = perf_ctx_pin_own(task);
	if (ctx)
		return ctx;
	/* perf_event_exit_task() has run, or waits for the mutex. */
	if (task->flags & PF_EXITING)
		return ERR_PTR(-ESRCH);

	ctx = perf_ctx_alloc_task(task);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->pin_count = 1;
	perf_ctx_get(ctx);
	/* pairs with READ_ONCE() in switch.c and elsewhere */
	rcu_assign_pointer(task->perf_event_ctxp, ctx);
	return ctx;
}

/**
 * perf_ctx_find() - find the context for an event, or make it
 * @task: the event's task, or NULL
 * @cpu: the event's CPU when there is no task
 *
 * For a task, the result is the task's own context, which stays with the task until
 * perf_ctx_put_found().
 *
 * Context: task.
 * Return: the context, to be released by perf_ctx_put_found(); ERR_PTR(-ESRCH) when the task
 * is exiting; ERR_PTR(-ENOMEM).
 */
struct perf_event_context *perf_ctx_find(struct task_struct *task, int cpu)
{
	struct perf_event_context *ctx;

	if (task)
		return perf_ctx_find_task(task);

	ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	perf_ctx_get(ctx);
	return ctx;
}

/**
 * perf_ctx_put_found() - undo perf_ctx_find(), whether the event was installed or not
 * @ctx: the context that perf_ctx_find() returned
 */
void perf_ctx_put_found(struct perf_event_context *ctx)
{
	if (perf_ctx_is_task(ctx))
		perf_ctx_unpin(ctx);
	else
		perf_ctx_put(ctx);
}

/**
 * perf_ctx_unhook() - detach a task's context from the task
 * @task: current, or a child that never ran
 *
 * From here on no event can be installed in the context. Events in the context do not count
 * any more.
 *
 * Context: task.
 * Return: the context with the task's reference, or NULL.
 */
struct perf_event_context *perf_ctx_unhook(struct task_struct *task)
{
	struct perf_event_context *ctx;

	guard(mutex)(&task->perf_event_mutex);
	/* the task must exit with its own context, not with the context of another task */
	ctx = perf_ctx_pin_last(task);
	if (!ctx)
		return NULL;

	guard(irq)();
	if (task == current)
		perf_ctx_sched_out(ctx);
	RCU_INIT_POINTER(task->perf_event_ctxp, NULL);
	raw_spin_lock(&ctx->lock);
	ctx->task = PERF_TASK_GONE;
	ctx->pin_count--;
	raw_spin_unlock(&ctx->lock);
	/* as in perf_ctx_unpin(); the task's reference passes to the caller */
	refcount_dec(&ctx->refcount);
	return ctx;
}
