// SPDX-License-Identifier: GPL-2.0
/*
 * Event sets: made, found, switched on and off.
 *
 * A set is what the context switch deals with: not an event, not a group.
 * Switching one costs a clock, plus the groups that compete for a PMU's
 * counters; those are in place.c. What a set is for, see set.h.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/clock_queue.h"
#include "../software/traced.h"
#include "../sched/place.h"
#include "cgroup.h"
#include "set.h"

/**
 * perf_set_init() - initialise a set
 * @set: zeroed memory
 * @ctx: owner
 */
void perf_set_init(struct perf_event_set *set, struct perf_event_context *ctx)
{
	INIT_LIST_HEAD(&set->pmu_ctx_list);
	INIT_LIST_HEAD(&set->sideband);
	INIT_LIST_HEAD(&set->freq_events);
	perf_clock_queue_init(&set->clocks);
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
 * perf_set_get() - the set that an event belongs to, made if there is none
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

	set = perf_set_find(ctx, key);
	return set ?: perf_set_make(ctx, event, key);
}

/* Which CPUs a context's events to be inherited are bound to, and how many queues they have. */
static unsigned int perf_sets_find_heirs(struct perf_event_context *from, u64 clone_flags,
					 struct cpumask *cpus)
{
	struct perf_event *event;
	unsigned int nr_queues = 0;

	list_for_each_entry(event, &from->event_list, event_entry) {
		if (event->cpu < 0 || event->group_leader != event ||
		    !perf_event_is_inherited(event, clone_flags) ||
		    cpumask_test_and_set_cpu(event->cpu, cpus))
			continue;
		nr_queues += list_count_nodes(&event->set->pmu_ctx_list);
	}
	return nr_queues;
}

static int perf_sets_make_copied(struct perf_event_context *to, const struct cpumask *cpus,
				 unsigned int nr_queues)
{
	unsigned int nr = cpumask_weight(cpus);
	struct perf_copied_sets *copied;
	struct perf_event_set *set;
	int cpu;

	if (!nr)
		return 0;
	copied = kvzalloc(size_add(struct_size(copied, set, nr),
				   array_size(nr_queues, sizeof(to->first_queue))),
			  GFP_KERNEL);
	if (!copied)
		return -ENOMEM;
	copied->nr = nr;
	copied->nr_queues = nr_queues;
	set = copied->set;
	for_each_cpu(cpu, cpus) {
		perf_set_init(set, to);
		set->cpu = cpu;
		set->enabled = &to->own.clock;
		set++;
	}
	to->copied_sets = copied;
	return 0;
}

/**
 * perf_sets_copy() - make the sets that a new task needs for what it inherits
 * @to: the new task's context, without events; its mutex is held
 * @from: the context that is copied, with sets; its mutex is held
 * @clone_flags: CLONE_*
 *
 * Return: 0 or -ENOMEM.
 */
int perf_sets_copy(struct perf_event_context *to, struct perf_event_context *from,
		   u64 clone_flags)
{
	unsigned int nr_queues;
	cpumask_var_t cpus;
	int err;

	lockdep_assert_held(&from->mutex);
	lockdep_assert_held(&to->mutex);

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	nr_queues = perf_sets_find_heirs(from, clone_flags, cpus);
	err = perf_sets_make_copied(to, cpus, nr_queues);
	free_cpumask_var(cpus);
	return err;
}

static struct perf_event_pmu_context *perf_copied_queues(struct perf_copied_sets *copied)
{
	return (void *)copied + struct_size(copied, set, copied->nr);
}

/* Is it in the memory of the context, or in that of its copied sets? */
static bool perf_queue_is_embedded(const struct perf_event_context *ctx,
				   const struct perf_event_pmu_context *queue)
{
	struct perf_copied_sets *copied = ctx->copied_sets;

	return queue == &ctx->first_queue ||
	       (copied && queue >= perf_copied_queues(copied) &&
		queue < perf_copied_queues(copied) + copied->nr_queues);
}

static void perf_set_free_queues(struct perf_event_set *set)
{
	struct perf_event_pmu_context *queue, *next;

	list_for_each_entry_safe(queue, next, &set->pmu_ctx_list, set_entry) {
		if (!perf_queue_is_embedded(set->ctx, queue))
			kfree_rcu(queue, rcu_head);
	}
}

static void perf_set_free(struct perf_event_set *set)
{
	perf_set_free_queues(set);
	perf_cgroup_set_exit(set);
	kfree_rcu(set, rcu_head);
}

/**
 * perf_set_retire() - an event of a cgroup has left its set, or has not come
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
 * perf_set_free_all() - free what a context's sets hold
 * @ctx: a task's context that nobody uses any more
 *
 * What is in one piece goes with the context, a grace period later.
 */
void perf_set_free_all(struct perf_event_context *ctx)
{
	struct perf_copied_sets *copied = ctx->copied_sets;
	struct perf_event_set *set;
	unsigned long key;

	if (unlikely(!xa_empty(&ctx->sets))) {
		xa_for_each(&ctx->sets, key, set)
			perf_set_free(set);
		xa_destroy(&ctx->sets);
	}
	if (unlikely(copied && copied->more_queues)) {
		for (set = copied->set; set < copied->set + copied->nr; set++)
			perf_set_free_queues(set);
	}
	perf_set_free_queues(&ctx->own);
}

static bool perf_set_is_copied(const struct perf_event_set *set)
{
	struct perf_copied_sets *copied = set->ctx->copied_sets;

	return copied && set >= copied->set && set < copied->set + copied->nr;
}

/* Most tasks whose events need counters need those of one PMU. */
static struct perf_event_pmu_context *perf_set_alloc_queue(struct perf_event_set *set)
{
	struct perf_event_pmu_context *first = &set->ctx->first_queue;
	struct perf_copied_sets *copied = set->ctx->copied_sets;

	if (set == &set->ctx->own && list_empty(&set->pmu_ctx_list)) {
		memset(first, 0, sizeof(*first));
		return first;
	}
	if (perf_set_is_copied(set)) {
		if (copied->used_queues < copied->nr_queues)
			return perf_copied_queues(copied) + copied->used_queues++;
		copied->more_queues = true;
	}
	return kzalloc(sizeof(*first), GFP_KERNEL);
}

/**
 * perf_set_pmu_ctx() - the queue for a PMU's counters, made if there is none
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

/* The clock of the set runs. Its groups, its tracepoints and its clocks are put on. */
static noinline void perf_set_on_more(struct perf_event_set *set, u64 now)
{
	struct perf_event *event;

	if (!hlist_empty(&set->traced_added))
		perf_traced_set_on(set);
	if (!list_empty(&set->pmu_ctx_list))
		perf_place_set_on(set, now);
	if (perf_clock_queue_is_used(&set->clocks))
		perf_clock_queue_on(set, now);
	hlist_for_each_entry(event, &set->mapped, mapped_entry)
		perf_event_update_userpage(event);
}

/**
 * perf_set_on() - the set's condition begins to hold on this CPU
 * @set: the set; its context's lock is held, and the CPU's if groups compete
 * @now: perf_time()
 */
void perf_set_on(struct perf_event_set *set, u64 now)
{
	lockdep_assert_held(&set->ctx->lock);

	perf_clock_start(&set->clock, now);
	if (unlikely(set->busy))
		perf_set_on_more(set, now);
}

/* What goes on with it must come off, while its clock runs. */
static noinline void perf_set_off_more(struct perf_event_set *set, u64 now)
{
	if (!list_empty(&set->pmu_ctx_list))
		perf_place_set_off(set, now);
	if (!hlist_empty(&set->traced_added))
		perf_traced_set_off(set);
	if (perf_clock_queue_is_used(&set->clocks)) {
		/* nothing of it is due any more */
		perf_clock_stop(&set->clock, now);
		perf_clock_queue_off(set, now);
	} else if (!set->ctx->nr_placed && hlist_empty(&set->mapped) &&
		   hlist_empty(&set->traced_added)) {
		set->busy = false;
	}
}

/**
 * perf_set_off() - the set's condition ceases to hold on this CPU
 * @set: as for perf_set_on()
 * @now: perf_time()
 */
void perf_set_off(struct perf_event_set *set, u64 now)
{
	lockdep_assert_held(&set->ctx->lock);

	if (unlikely(set->busy))
		perf_set_off_more(set, now);
	perf_clock_stop(&set->clock, now);
}
