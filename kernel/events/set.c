// SPDX-License-Identifier: GPL-2.0
/*
 * Event sets: made, found, switched on and off.
 *
 * A set is what the context switch deals with: not an event, not a group.
 * Switching one costs a clock, plus the groups that compete for a PMU's
 * counters; those are in place.c. What a set is for, see set.h.
 */
#include <linux/slab.h>

#include "cgroup.h"
#include "context.h"
#include "place.h"
#include "set.h"

/**
 * perf_set_init - initialise a set
 * @set: zeroed memory
 * @ctx: owner
 */
void perf_set_init(struct perf_event_set *set, struct perf_event_context *ctx)
{
	INIT_LIST_HEAD(&set->pmu_ctx_list);
	INIT_LIST_HEAD(&set->sideband);
	INIT_LIST_HEAD(&set->freq_events);
	set->ctx = ctx;
	set->cpu = -1;
	set->enabled = &set->clock;
}

/* The key of the set in ctx->sets, or -1 for the context's own. */
static long perf_set_key(struct perf_event_context *ctx, struct perf_event *event)
{
	if (perf_ctx_is_task(ctx))
		return event->cpu;
	return perf_cgroup_event_id(event);
}

static struct perf_event_set *perf_set_make(struct perf_event_context *ctx,
					    struct perf_event *event,
					    unsigned long key)
{
	struct perf_event_set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return NULL;

	perf_set_init(set, ctx);
	if (perf_ctx_is_task(ctx)) {
		set->cpu = event->cpu;
		set->enabled = &ctx->own.clock;
	} else {
		perf_cgroup_set_init(set, event);
	}
	if (xa_err(xa_store(&ctx->sets, key, set, GFP_KERNEL))) {
		perf_cgroup_set_exit(set);
		kfree(set);
		return NULL;
	}
	if (set->cgrp)
		perf_cgroup_set_add(set);
	return set;
}

/**
 * perf_set_find - the set of a task's events that are bound to a CPU
 * @ctx: the task's context
 * @cpu: the CPU
 *
 * Context: any, under RCU or the context's mutex or lock.
 * Return: the set, which stays as long as the context, or NULL.
 */
struct perf_event_set *perf_set_find(struct perf_event_context *ctx, int cpu)
{
	return xa_load(&ctx->sets, cpu);
}

/**
 * perf_set_get - the set that an event belongs to, made if there is none
 * @ctx: context in which the event will be installed; its mutex is held
 * @event: the event, not yet installed
 *
 * Return: the set, or NULL without memory.
 */
struct perf_event_set *perf_set_get(struct perf_event_context *ctx,
				    struct perf_event *event)
{
	long key = perf_set_key(ctx, event);
	struct perf_event_set *set;

	lockdep_assert_held(&ctx->mutex);

	/* A sibling counts exactly when its leader does. */
	if (event->group_leader != event)
		return event->group_leader->set;
	if (key < 0)
		return &ctx->own;

	set = xa_load(&ctx->sets, key);
	return set ?: perf_set_make(ctx, event, key);
}

static void perf_set_free(struct perf_event_set *set)
{
	struct perf_event_pmu_context *queue, *next;

	list_for_each_entry_safe(queue, next, &set->pmu_ctx_list, set_entry) {
		if (queue != &set->ctx->first_queue)
			kfree_rcu(queue, rcu_head);
	}
	if (set == &set->ctx->own)
		return;
	perf_cgroup_set_exit(set);
	kfree_rcu(set, rcu_head);
}

/**
 * perf_set_retire - an event of a cgroup has left its set, or has not come
 * @set: the cgroup's; its context's mutex is held
 *
 * A cgroup's set without events is freed: it would keep costing time at every
 * switch. A task's sets go with the task.
 */
void perf_set_retire(struct perf_event_set *set)
{
	struct perf_event_context *ctx = set->ctx;

	lockdep_assert_held(&ctx->mutex);

	if (set->nr_events)
		return;
	perf_cgroup_set_retire(set);
	perf_set_free(set);
}

/**
 * perf_set_free_all - free what a context's sets hold
 * @ctx: a task's context that nobody uses any more
 */
void perf_set_free_all(struct perf_event_context *ctx)
{
	struct perf_event_set *set;
	unsigned long key;

	if (unlikely(!xa_empty(&ctx->sets))) {
		xa_for_each(&ctx->sets, key, set)
			perf_set_free(set);
		xa_destroy(&ctx->sets);
	}
	perf_set_free(&ctx->own);
}

/* Most tasks whose events need counters need those of one PMU. */
static struct perf_event_pmu_context *perf_set_alloc_queue(struct perf_event_set *set)
{
	struct perf_event_pmu_context *first = &set->ctx->first_queue;

	if (set != &set->ctx->own || !list_empty(&set->pmu_ctx_list))
		return kzalloc(sizeof(*first), GFP_KERNEL);
	memset(first, 0, sizeof(*first));
	return first;
}

/**
 * perf_set_pmu_ctx - the queue for a PMU's counters, made if there is none
 * @set: the set; its context's mutex is held
 * @pmu: the PMU
 *
 * Return: the queue, or NULL without memory.
 */
struct perf_event_pmu_context *perf_set_pmu_ctx(struct perf_event_set *set,
						struct pmu *pmu)
{
	struct perf_event_context *ctx = set->ctx;
	struct perf_event_pmu_context *queue;

	lockdep_assert_held(&ctx->mutex);

	list_for_each_entry(queue, &set->pmu_ctx_list, set_entry) {
		if (queue->pmu == pmu)
			return queue;
	}

	queue = perf_set_alloc_queue(set);
	if (!queue)
		return NULL;
	queue->pmu = pmu;
	queue->ctx = ctx;
	queue->set = set;
	perf_place_init_queue(queue);

	/* The switch walks the list. */
	raw_spin_lock_irq(&ctx->lock);
	list_add_tail(&queue->set_entry, &set->pmu_ctx_list);
	raw_spin_unlock_irq(&ctx->lock);
	return queue;
}

/**
 * perf_set_on - the set's condition begins to hold on this CPU
 * @set: the set; its context's lock is held, and the CPU's if groups compete
 * @now: perf_time()
 */
void perf_set_on(struct perf_event_set *set, u64 now)
{
	struct perf_event *event;

	lockdep_assert_held(&set->ctx->lock);

	perf_clock_start(&set->clock, now);
	if (!list_empty(&set->pmu_ctx_list))
		perf_place_set_on(set, now);
	hlist_for_each_entry(event, &set->mapped, mapped_entry)
		perf_event_update_userpage(event);
}

/**
 * perf_set_off - the set's condition ceases to hold on this CPU
 * @set: as for perf_set_on()
 * @now: perf_time()
 */
void perf_set_off(struct perf_event_set *set, u64 now)
{
	lockdep_assert_held(&set->ctx->lock);

	if (!list_empty(&set->pmu_ctx_list))
		perf_place_set_off(set, now);
	perf_clock_stop(&set->clock, now);
}
