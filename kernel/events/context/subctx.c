// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-contexts: allocation, lookup, scheduling in and out.
 *
 * A context switch handles sub-contexts, not events or groups. Switching a sub-context costs
 * one clock update, plus the groups that compete for a PMU's counters; sched.c handles those.
 * base/contexts.h describes sub-contexts.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/clock_queue.h"
#include "../software/traced.h"
#include "../sched/sched.h"
#include "cgroup.h"
#include "subctx.h"

/**
 * perf_subctx_init() - initialise a sub-context
 * @subctx: zeroed memory
 * @ctx: owner
 */
void perf_subctx_init(struct perf_subctx *subctx, struct perf_event_context *ctx)
{
	INIT_LIST_HEAD(&subctx->pmu_ctx_list);
	INIT_LIST_HEAD(&subctx->sideband);
	INIT_LIST_HEAD(&subctx->freq_events);
	perf_clock_queue_init(&subctx->clocks);
	subctx->ctx = ctx;
	subctx->cpu = -1;
	subctx->enabled = &subctx->clock;
}

/* Return: the sub-context's key in ctx->subctxs, or -1 for the context's own sub-context. */
static long perf_subctx_key(struct perf_event_context *ctx, struct perf_event *event)
{
	if (perf_ctx_is_task(ctx))
		return event->cpu;
	return perf_cgroup_event_id(event);
}

static struct perf_subctx *perf_subctx_make(struct perf_event_context *ctx,
					    struct perf_event *event,
					    unsigned long key)
{
	struct perf_subctx *subctx = kzalloc(sizeof(*subctx), GFP_KERNEL);

	if (!subctx)
		return NULL;

	perf_subctx_init(subctx, ctx);
	if (perf_ctx_is_task(ctx)) {
		subctx->cpu = event->cpu;
		subctx->enabled = &ctx->own.clock;
	} else {
		perf_cgroup_subctx_init(subctx, event);
	}
	if (xa_err(xa_store(&ctx->subctxs, key, subctx, GFP_KERNEL))) {
		perf_cgroup_subctx_exit(subctx);
		kfree(subctx);
		return NULL;
	}
	if (subctx->cgrp)
		perf_cgroup_subctx_add(subctx);
	return subctx;
}

/**
 * perf_subctx_get() - the sub-context that an event belongs to, made if there is none
 * @ctx: context in which the event will be installed; its mutex is held
 * @event: the event, not yet installed
 *
 * Return: the sub-context, or NULL without memory.
 */
struct perf_subctx *perf_subctx_get(struct perf_event_context *ctx,
				    struct perf_event *event)
{
	long key = perf_subctx_key(ctx, event);
	struct perf_subctx *subctx;

	lockdep_assert_held(&ctx->mutex);

	/* A sibling counts exactly when its leader does. */
	if (event->group_leader != event)
		return event->group_leader->subctx;
	if (key < 0)
		return &ctx->own;

	subctx = perf_subctx_find(ctx, key);
	return subctx ?: perf_subctx_make(ctx, event, key);
}

/* Which CPUs a context's events to be inherited are bound to, and how many pmu_ctxs they have. */
static unsigned int perf_subctxs_find_inherited(struct perf_event_context *from, u64 clone_flags,
						struct cpumask *cpus)
{
	struct perf_event *event;
	unsigned int nr_pmu_ctxs = 0;

	list_for_each_entry(event, &from->event_list, event_entry) {
		if (event->cpu < 0 || event->group_leader != event ||
		    !perf_event_is_inherited(event, clone_flags) ||
		    cpumask_test_and_set_cpu(event->cpu, cpus))
			continue;
		nr_pmu_ctxs += list_count_nodes(&event->subctx->pmu_ctx_list);
	}
	return nr_pmu_ctxs;
}

static int perf_subctxs_make_copied(struct perf_event_context *to, const struct cpumask *cpus,
				    unsigned int nr_pmu_ctxs)
{
	unsigned int nr = cpumask_weight(cpus);
	struct perf_copied_subctxs *copied;
	struct perf_subctx *subctx;
	int cpu;

	if (!nr)
		return 0;
	copied = kvzalloc(size_add(struct_size(copied, subctx, nr),
				   array_size(nr_pmu_ctxs, sizeof(to->first_pmu_ctx))),
			  GFP_KERNEL);
	if (!copied)
		return -ENOMEM;
	copied->nr = nr;
	copied->nr_pmu_ctxs = nr_pmu_ctxs;
	subctx = copied->subctx;
	for_each_cpu(cpu, cpus) {
		perf_subctx_init(subctx, to);
		subctx->cpu = cpu;
		subctx->enabled = &to->own.clock;
		subctx++;
	}
	to->copied_subctxs = copied;
	return 0;
}

/**
 * perf_subctxs_copy() - make the sub-contexts that a new task needs for what it inherits
 * @to: the new task's context, without events; its mutex is held
 * @from: the parent's context, which has sub-contexts; its mutex is held
 * @clone_flags: CLONE_*
 *
 * Return: 0 or -ENOMEM.
 */
int perf_subctxs_copy(struct perf_event_context *to, struct perf_event_context *from,
		      u64 clone_flags)
{
	unsigned int nr_pmu_ctxs;
	cpumask_var_t cpus;
	int err;

	lockdep_assert_held(&from->mutex);
	lockdep_assert_held(&to->mutex);

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	nr_pmu_ctxs = perf_subctxs_find_inherited(from, clone_flags, cpus);
	err = perf_subctxs_make_copied(to, cpus, nr_pmu_ctxs);
	free_cpumask_var(cpus);
	return err;
}

static struct perf_event_pmu_context *perf_copied_pmu_ctxs(struct perf_copied_subctxs *copied)
{
	return (void *)copied + struct_size(copied, subctx, copied->nr);
}

/* Is the pmu_ctx part of the allocation of the context, or of its copied sub-contexts? */
static bool perf_pmu_ctx_is_embedded(const struct perf_event_context *ctx,
				     const struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_copied_subctxs *copied = ctx->copied_subctxs;

	return pmu_ctx == &ctx->first_pmu_ctx ||
	       (copied && pmu_ctx >= perf_copied_pmu_ctxs(copied) &&
		pmu_ctx < perf_copied_pmu_ctxs(copied) + copied->nr_pmu_ctxs);
}

static void perf_subctx_free_pmu_ctxs(struct perf_subctx *subctx)
{
	struct perf_event_pmu_context *pmu_ctx, *next;

	list_for_each_entry_safe(pmu_ctx, next, &subctx->pmu_ctx_list, subctx_entry) {
		if (!perf_pmu_ctx_is_embedded(subctx->ctx, pmu_ctx))
			kfree_rcu(pmu_ctx, rcu_head);
	}
}

static void perf_subctx_free(struct perf_subctx *subctx)
{
	perf_subctx_free_pmu_ctxs(subctx);
	perf_cgroup_subctx_exit(subctx);
	kfree_rcu(subctx, rcu_head);
}

/**
 * perf_subctx_retire() - an event of a cgroup has left its sub-context, or has not come
 * @subctx: the cgroup's; its context's mutex is held
 *
 * A cgroup's sub-context without events is freed: it would keep costing time at every
 * switch. The sub-contexts of a task's context are freed with the context.
 */
void perf_subctx_retire(struct perf_subctx *subctx)
{
	struct perf_event_context *ctx = subctx->ctx;

	lockdep_assert_held(&ctx->mutex);

	if (subctx->nr_events)
		return;
	perf_cgroup_subctx_retire(subctx);
	perf_subctx_free(subctx);
}

/**
 * perf_subctx_free_all() - free the sub-contexts of a context
 * @ctx: a task's context without references
 *
 * Copied sub-contexts are one allocation, which is freed with the context after a grace period.
 */
void perf_subctx_free_all(struct perf_event_context *ctx)
{
	struct perf_copied_subctxs *copied = ctx->copied_subctxs;
	struct perf_subctx *subctx;
	unsigned long key;

	if (unlikely(!xa_empty(&ctx->subctxs))) {
		xa_for_each(&ctx->subctxs, key, subctx)
			perf_subctx_free(subctx);
		xa_destroy(&ctx->subctxs);
	}
	if (unlikely(copied && copied->more_pmu_ctxs)) {
		for (subctx = copied->subctx; subctx < copied->subctx + copied->nr; subctx++)
			perf_subctx_free_pmu_ctxs(subctx);
	}
	perf_subctx_free_pmu_ctxs(&ctx->own);
}

static bool perf_subctx_is_copied(const struct perf_subctx *subctx)
{
	struct perf_copied_subctxs *copied = subctx->ctx->copied_subctxs;

	return copied && subctx >= copied->subctx && subctx < copied->subctx + copied->nr;
}

/* Most tasks whose events need counters need those of one PMU. */
static struct perf_event_pmu_context *perf_subctx_alloc_pmu_ctx(struct perf_subctx *subctx)
{
	struct perf_event_pmu_context *first = &subctx->ctx->first_pmu_ctx;
	struct perf_copied_subctxs *copied = subctx->ctx->copied_subctxs;

	if (subctx == &subctx->ctx->own && list_empty(&subctx->pmu_ctx_list)) {
		memset(first, 0, sizeof(*first));
		return first;
	}
	if (perf_subctx_is_copied(subctx)) {
		if (copied->used_pmu_ctxs < copied->nr_pmu_ctxs)
			return perf_copied_pmu_ctxs(copied) + copied->used_pmu_ctxs++;
		copied->more_pmu_ctxs = true;
	}
	return kzalloc(sizeof(*first), GFP_KERNEL);
}

/**
 * perf_subctx_pmu_ctx() - the pmu_ctx for a PMU's counters, made if there is none
 * @subctx: the sub-context; its context's mutex is held
 * @pmu: the PMU
 *
 * Return: the pmu_ctx, or NULL without memory.
 */
struct perf_event_pmu_context *perf_subctx_pmu_ctx(struct perf_subctx *subctx,
						   struct pmu *pmu)
{
	struct perf_event_context *ctx = subctx->ctx;
	struct perf_event_pmu_context *pmu_ctx;

	lockdep_assert_held(&ctx->mutex);

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		if (pmu_ctx->pmu == pmu)
			return pmu_ctx;
	}

	pmu_ctx = perf_subctx_alloc_pmu_ctx(subctx);
	if (!pmu_ctx)
		return NULL;
	pmu_ctx->pmu = pmu;
	pmu_ctx->ctx = ctx;
	pmu_ctx->subctx = subctx;
	perf_sched_init_pmu_ctx(pmu_ctx);

	/* The switch walks the list. */
	raw_spin_lock_irq(&ctx->lock);
	list_add_tail(&pmu_ctx->subctx_entry, &subctx->pmu_ctx_list);
	raw_spin_unlock_irq(&ctx->lock);
	return pmu_ctx;
}

/* The clock of the sub-context runs already when its groups and listeners are added. */
static noinline void perf_subctx_sched_in_more(struct perf_subctx *subctx, u64 now)
{
	struct perf_event *event;

	if (!hlist_empty(&subctx->traced_added))
		perf_traced_subctx_on(subctx);
	if (!list_empty(&subctx->pmu_ctx_list))
		perf_sched_subctx_in(subctx, now);
	if (perf_clock_queue_is_used(&subctx->clocks))
		perf_clock_queue_on(subctx, now);
	hlist_for_each_entry(event, &subctx->mapped, mapped_entry)
		perf_event_update_userpage(event);
}

/**
 * perf_subctx_sched_in() - the sub-context's condition begins to hold on this CPU
 * @subctx: the sub-context; its context's lock is held, and the CPU's if groups compete
 * @now: perf_time()
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
		perf_sched_subctx_out(subctx, now);
	if (!hlist_empty(&subctx->traced_added))
		perf_traced_subctx_off(subctx);
	if (perf_clock_queue_is_used(&subctx->clocks)) {
		/* stop the clock first: no sampling clock of the sub-context expires any more */
		perf_clock_stop(&subctx->clock, now);
		perf_clock_queue_off(subctx, now);
	} else if (!subctx->ctx->nr_scheduled && hlist_empty(&subctx->mapped) &&
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
