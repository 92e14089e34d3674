// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: allocation, references, freeing.
 *
 * Events enter a context through install.c. A task gets and loses its context in task_ctx.c.
 * Locking and lifetime rules are in base/contexts.h.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../base/contexts.h"
#include "../software/clock_queue.h"
#include "context.h"
#include "ctx_family.h"
#include "subctx.h"

static struct kmem_cache *perf_ctx_cache;

/**
 * perf_ctx_alloc_init() - prepare for contexts of tasks; boot
 */
void __init perf_ctx_alloc_init(void)
{
	perf_ctx_cache = KMEM_CACHE(perf_event_context, SLAB_PANIC | SLAB_ACCOUNT);
}

static struct lock_class_key perf_cpu_ctx_lock_key;
static struct lock_class_key perf_cpu_ctx_mutex_key;

static void perf_ctx_init(struct perf_event_context *ctx)
{
	raw_spin_lock_init(&ctx->lock);
	mutex_init(&ctx->mutex);
	INIT_LIST_HEAD(&ctx->event_list);
	xa_init_flags(&ctx->subctxs, XA_FLAGS_ACCOUNT);
	refcount_set(&ctx->refcount, 1);
	ctx->cpu = -1;
	perf_subctx_init(&ctx->own, ctx);
}

/**
 * perf_ctx_init_cpu() - initialise a CPU's context; boot
 * @cpuctx: the context
 * @cpu: the CPU
 */
void perf_ctx_init_cpu(struct perf_cpu_context *cpuctx, int cpu)
{
	perf_ctx_init(&cpuctx->ctx);
	lockdep_set_class(&cpuctx->ctx.lock, &perf_cpu_ctx_lock_key);
	lockdep_set_class(&cpuctx->ctx.mutex, &perf_cpu_ctx_mutex_key);
	INIT_LIST_HEAD(&cpuctx->pmus);
	INIT_LIST_HEAD(&cpuctx->sched_task_pmus);
	perf_clock_timer_init(cpuctx);
}

/**
 * perf_ctx_alloc_task() - allocate a context for a task, not yet hooked to it
 * @task: the task; not referenced, since the task unhooks the context when it exits
 *
 * Return: the context, with one reference that belongs to the task, or NULL.
 */
struct perf_event_context *perf_ctx_alloc_task(struct task_struct *task)
{
	struct perf_event_context *ctx = kmem_cache_alloc(perf_ctx_cache, GFP_KERNEL);

	if (!ctx)
		return NULL;
	memset(ctx, 0, offsetof(struct perf_event_context, first_pmu_ctx));
	perf_ctx_init(ctx);
	ctx->task = task;
	return ctx;
}

static void perf_ctx_free_rcu(struct rcu_head *head)
{
	struct perf_event_context *ctx =
		container_of(head, struct perf_event_context, rcu_head);

	kvfree(ctx->inherited_subctxs);
	kmem_cache_free(perf_ctx_cache, ctx);
}

/**
 * perf_ctx_put_many() - drop references; task context
 * @ctx: the context
 * @nr: how many, at least one
 */
void perf_ctx_put_many(struct perf_event_context *ctx, unsigned int nr)
{
	/* @ctx may be freed as soon as these references are dropped: RCU keeps its memory */
	scoped_guard(rcu) {
		if (refcount_sub_and_test(nr, &ctx->refcount))
			break;
		/* pairs with perf_ctx_wait_unused(), which comes after unhooking */
		smp_mb__after_atomic();
		if (READ_ONCE(ctx->task) == PERF_TASK_GONE)
			wake_up_var(&ctx->refcount);
		return;
	}
	WARN_ON_ONCE(ctx->nr_events || !hlist_empty(&ctx->task_data));
	perf_subctx_free_all(ctx);
	perf_ctx_family_put(ctx->family);
	call_rcu(&ctx->rcu_head, perf_ctx_free_rcu);
}

/**
 * perf_ctx_wait_unused() - wait until the caller's reference is the last one
 * @ctx: unhooked and empty; its events are closed, some may not be freed yet
 *
 * Afterwards no event references the task any more: an event drops its reference on the task
 * before its reference on the context.
 */
void perf_ctx_wait_unused(struct perf_event_context *ctx)
{
	wait_var_event(&ctx->refcount, refcount_read(&ctx->refcount) == 1);
}

/**
 * perf_ctx_lock_of_event() - lock the mutex of an event's context
 * @event: an installed event, referenced until the mutex is unlocked
 *
 * perf_pmu_migrate_context() may move the event until the mutex is held, so event->ctx is
 * checked again. Events move only between contexts of CPUs, which are static. The event's
 * reference keeps any other context.
 *
 * Return: the context.
 */
struct perf_event_context *perf_ctx_lock_of_event(struct perf_event *event)
{
	struct perf_event_context *ctx;

	for (;;) {
		ctx = READ_ONCE(event->ctx);
		mutex_lock(&ctx->mutex);
		if (ctx == event->ctx)
			return ctx;
		mutex_unlock(&ctx->mutex);
	}
}
