// SPDX-License-Identifier: GPL-2.0
/*
 * Sub-contexts and their pmu_ctxs: allocation, lookup, freeing.
 *
 * base/contexts.h describes sub-contexts. subctx_sched.c schedules them in and out.
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
	struct perf_subctx *subctx = kzalloc(sizeof(*subctx), GFP_KERNEL_ACCOUNT);

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
		cond_resched();
		if (event->cpu < 0 || event->group_leader != event ||
		    !perf_event_is_inherited(event, clone_flags) ||
		    cpumask_test_and_set_cpu(event->cpu, cpus))
			continue;
		nr_pmu_ctxs += list_count_nodes(&event->subctx->pmu_ctx_list);
	}
	return nr_pmu_ctxs;
}

static int perf_subctxs_make_inherited(struct perf_event_context *to,
				       const struct cpumask *cpus, unsigned int nr_pmu_ctxs)
{
	unsigned int nr = cpumask_weight(cpus);
	struct perf_inherited_subctxs *subs;
	struct perf_subctx *subctx;
	int cpu;

	if (!nr)
		return 0;
	subs = kvzalloc(size_add(struct_size(subs, subctx, nr),
				 array_size(nr_pmu_ctxs, sizeof(to->first_pmu_ctx))),
			GFP_KERNEL_ACCOUNT);
	if (!subs)
		return -ENOMEM;
	subs->nr = nr;
	subs->nr_pmu_ctxs = nr_pmu_ctxs;
	subctx = subs->subctx;
	for_each_cpu(cpu, cpus) {
		perf_subctx_init(subctx, to);
		subctx->cpu = cpu;
		subctx->enabled = &to->own.clock;
		subctx++;
	}
	to->inherited_subctxs = subs;
	return 0;
}

/**
 * perf_subctxs_inherit() - make the sub-contexts that a new task needs for what it inherits
 * @to: the new task's context, without events; its mutex is held
 * @from: the parent's context, which has sub-contexts; its mutex is held
 * @clone_flags: CLONE_*
 *
 * Return: 0 or -ENOMEM.
 */
int perf_subctxs_inherit(struct perf_event_context *to, struct perf_event_context *from,
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
	err = perf_subctxs_make_inherited(to, cpus, nr_pmu_ctxs);
	free_cpumask_var(cpus);
	return err;
}

static struct perf_event_pmu_context *perf_inherited_pmu_ctxs(struct perf_inherited_subctxs *subs)
{
	return (void *)subs + struct_size(subs, subctx, subs->nr);
}

/* Is the pmu_ctx part of the allocation of the context, or of its inherited sub-contexts? */
static bool perf_pmu_ctx_is_embedded(const struct perf_event_context *ctx,
				     const struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_inherited_subctxs *subs = ctx->inherited_subctxs;

	return pmu_ctx == &ctx->first_pmu_ctx ||
	       (subs && pmu_ctx >= perf_inherited_pmu_ctxs(subs) &&
		pmu_ctx < perf_inherited_pmu_ctxs(subs) + subs->nr_pmu_ctxs);
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
 * switch. A group that is being moved keeps it. The sub-contexts of a task's context are freed with
 * the context.
 */
void perf_subctx_retire(struct perf_subctx *subctx)
{
	struct perf_event_context *ctx = subctx->ctx;

	lockdep_assert_held(&ctx->mutex);

	if (subctx->nr_events || subctx->nr_moving)
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
	struct perf_inherited_subctxs *subs = ctx->inherited_subctxs;
	struct perf_subctx *subctx;
	unsigned long key;

	if (unlikely(!xa_empty(&ctx->subctxs))) {
		xa_for_each(&ctx->subctxs, key, subctx)
			perf_subctx_free(subctx);
		xa_destroy(&ctx->subctxs);
	}
	if (unlikely(subs && subs->more_pmu_ctxs)) {
		for (subctx = subs->subctx; subctx < subs->subctx + subs->nr; subctx++)
			perf_subctx_free_pmu_ctxs(subctx);
	}
	perf_subctx_free_pmu_ctxs(&ctx->own);
}

static bool perf_subctx_is_inherited(const struct perf_subctx *subctx)
{
	struct perf_inherited_subctxs *subs = subctx->ctx->inherited_subctxs;

	return subs && subctx >= subs->subctx && subctx < subs->subctx + subs->nr;
}

/* Most tasks that have events with counters have them on one PMU. */
static struct perf_event_pmu_context *perf_subctx_alloc_pmu_ctx(struct perf_subctx *subctx)
{
	struct perf_event_pmu_context *first = &subctx->ctx->first_pmu_ctx;
	struct perf_inherited_subctxs *subs = subctx->ctx->inherited_subctxs;

	if (subctx == &subctx->ctx->own && list_empty(&subctx->pmu_ctx_list)) {
		memset(first, 0, sizeof(*first));
		return first;
	}
	if (perf_subctx_is_inherited(subctx)) {
		if (subs->used_pmu_ctxs < subs->nr_pmu_ctxs)
			return perf_inherited_pmu_ctxs(subs) + subs->used_pmu_ctxs++;
		subs->more_pmu_ctxs = true;
	}
	return kzalloc(sizeof(*first), GFP_KERNEL_ACCOUNT);
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
