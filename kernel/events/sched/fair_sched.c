// SPDX-License-Identifier: GPL-2.0
/*
 * Fair sharing: the flexible groups that fair.c selects are scheduled in and out.
 *
 * Three occasions change which flexible groups have counters. A pinned group needs room
 * (perf_fair_evict()). Counters have become free (perf_fair_fill()). A slice has ended
 * (perf_fair_rotate()).
 *
 * Context: The CPU concerned, irqs off, locks as in cpu_pmu.h, the PMU disabled unless stated
 * otherwise.
 */
#include "../base/event.h"
#include "batch.h"
#include "fair.h"
#include "group_sched.h"
#include "pmu_ops.h"

/*
 * Number of groups that may fail to fit before an attempt ends: filling free counters,
 * rotation.
 */
#define PERF_FILL_TRIES		2
#define PERF_ROTATE_TRIES	4
/*
 * As many groups may fail that were unfit before. They take no try of the others. As many may
 * follow each other in a rotation because they fit.
 */
#define PERF_RETRIES		4

/**
 * struct perf_tries - how often groups may still fail to fit
 * @first: groups that were not unfit
 * @again: groups that were
 * @misfits: groups that did not fit, and wait for the next attempt
 */
struct perf_tries {
	unsigned int		first;
	unsigned int		again;
	struct list_head	misfits;
};

#define PERF_TRIES_INIT(_tries, _first) {			\
	.first		= (_first),				\
	.again		= PERF_RETRIES,				\
	.misfits	= LIST_HEAD_INIT((_tries).misfits),	\
}

static void perf_fair_sched_out(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				u64 now)
{
	perf_group_sched_out(cpc, leader, now);
	list_del_init(&leader->group_entry);
}

static void perf_fair_set_running(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				  u64 now)
{
	perf_fair_dequeue(leader);
	if (unlikely(perf_fair_is_retried(leader))) {
		perf_fair_retry_ended(leader);
		/* something has changed: others may fit soon as well */
		cpc->retry_wait = 0;
		perf_fair_retry_soon(cpc, now);
	}
	leader->unfit_at = 0;
	list_add_tail(&leader->group_entry, &leader->pmu_ctx->running);
}

/*
 * A waiting group does not fit: set it aside, so that another one can be tried. When an unfit group
 * is still unfit, the next one is tried, while that takes no try of the others.
 *
 * Return: false if no further group may be tried.
 */
static bool perf_fair_misfit(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
			     struct perf_tries *tries, u64 now)
{
	if (!perf_fair_is_retried(leader))
		tries->first--;
	else if (tries->again)
		tries->again--;
	perf_fair_dequeue(leader);
	if (cpc->nr_running)
		list_add_tail(&leader->group_entry, &tries->misfits);
	else
		perf_fair_set_unfit(cpc, leader, now);
	if (tries->again)
		perf_fair_retry_unfit(cpc, now);
	return tries->first;
}

/* A waiting group has got counters. If it was unfit, others like it may fit as well. */
static void perf_fair_set_on(struct perf_cpu_pmu_context *cpc, struct perf_event *leader, u64 now)
{
	bool retried = perf_fair_is_retried(leader);

	perf_fair_set_running(cpc, leader, now);
	if (retried)
		perf_fair_retry_unfit(cpc, now);
}

/**
 * perf_fair_evict() - schedule a flexible group out to make room for a pinned group
 * @cpc: this CPU's side of the PMU, disabled
 * @now: perf_time()
 *
 * The group with the highest vruntime is selected.
 *
 * Return: false when there is no flexible group with counters.
 */
bool perf_fair_evict(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event *leader = perf_fair_pick_victim(cpc, now);
	LIST_HEAD(evicted);

	if (!leader)
		return false;
	perf_fair_sched_out(cpc, leader, now);
	list_add(&leader->group_entry, &evicted);
	perf_fair_enqueue_all(cpc, &evicted, now);
	return true;
}

/**
 * perf_fair_fill() - schedule waiting groups in without scheduling any out
 * @cpc: this CPU's side of the PMU, disabled
 * @now: perf_time(); when a sub-context is being scheduled in, the time at which its clock was
 *	started, so that its groups lose no time against that clock
 */
void perf_fair_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, PERF_FILL_TRIES);
	struct perf_event *leader;

	perf_fair_retry_unfit(cpc, now);
	while ((leader = perf_fair_pick_next(cpc, now))) {
		if (perf_group_sched_in(cpc, leader, now))
			perf_fair_set_on(cpc, leader, now);
		else if (!perf_fair_misfit(cpc, leader, &tries, now))
			break;
	}
	perf_fair_enqueue_all(cpc, &tries.misfits, now);
}

/**
 * struct perf_rotation - a rotation under way
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 * @evicted: groups that were scheduled out, the last one first
 * @room: number of events that were scheduled out, minus the number scheduled in
 * @full: a group was tried before any was evicted, and did not fit
 * @spare: number of counters that may be unused as a group needs one more
 * @retries: number of unfit groups that have got counters
 */
struct perf_rotation {
	struct perf_cpu_pmu_context	*cpc;
	u64				now;
	struct list_head		evicted;
	int				room;
	bool				full;
	int				spare;
	unsigned int			retries;
};

/*
 * Schedule waiting groups in up to the first that does not fit. The counters of an evicted
 * group may fit more groups than the one it was evicted for, or other ones.
 */
static void perf_rotation_fill(struct perf_rotation *r)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, 1);
	struct perf_event *leader;

	while ((leader = perf_fair_pick_next(r->cpc, r->now))) {
		if (perf_group_sched_in(r->cpc, leader, r->now))
			perf_fair_set_on(r->cpc, leader, r->now);
		else if (perf_fair_is_retried(leader))
			perf_fair_misfit(r->cpc, leader, &tries, r->now);
		else
			break;
	}
	r->full = leader;
	if (leader)
		r->spare = max(r->spare, perf_fair_group_size(leader) - 1);
	perf_fair_enqueue_all(r->cpc, &tries.misfits, r->now);
}

/* Move the groups of a batch that was scheduled out to the evicted groups. */
static void perf_rotation_batch_out(struct perf_rotation *r, struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			list_move(&batch->events[i]->group_entry, &r->evicted);
	}
}

/* Move the groups of a batch that was scheduled in to the running groups. */
static void perf_rotation_batch_in(struct perf_rotation *r, struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			perf_fair_set_running(r->cpc, batch->events[i], r->now);
	}
}

static int perf_batch_size(struct perf_batch *batch)
{
	int size = 0;

	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			size += perf_fair_group_size(batch->events[i]);
	}
	return size;
}

/* One pmu_ctx competes on the PMU, and its groups fit into a batch. */
static bool perf_rotation_can_exchange(const struct perf_cpu_pmu_context *cpc)
{
	return list_is_singular(&cpc->pmu_ctxs) && cpc->nr_running &&
	       cpc->nr_running <= PERF_BATCH_MAX &&
	       !(cpc->pmu->capabilities & PERF_PMU_CAP_ITRACE);
}

/*
 * Exchange all groups that are due at once, with one batch that is scheduled out and one that
 * is scheduled in. This works if the counters are interchangeable, as they mostly are.
 *
 * Return: true when the rotation is complete. Otherwise the remaining groups have to be tried
 * one by one.
 */
static bool perf_rotation_exchange(struct perf_rotation *r)
{
	struct perf_exchange exchange __uninitialized;
	struct perf_cpu_pmu_context *cpc = r->cpc;

	if (!perf_rotation_can_exchange(cpc))
		return false;
	perf_fair_select(&exchange, list_first_entry(&cpc->pmu_ctxs, struct perf_event_pmu_context,
						     cpu_entry), r->now);
	if (!exchange.in.nr)
		return exchange.all && !exchange.out.nr;

	perf_batch_off(cpc, &exchange.out, r->now);
	perf_rotation_batch_out(r, &exchange.out);
	r->room = exchange.room;
	if (!perf_batch_on(cpc, &exchange.in, r->now)) {
		r->room += perf_batch_size(&exchange.in);
		return false;
	}
	perf_rotation_batch_in(r, &exchange.in);
	return exchange.all && !r->room;
}

/* Schedule the running group with the highest vruntime out, if that is above @vruntime. */
static bool perf_rotation_evict(struct perf_rotation *r, u64 vruntime)
{
	struct perf_event *victim = perf_fair_pick_victim(r->cpc, r->now);

	if (!victim || !perf_vruntime_before(vruntime, perf_fair_vruntime(victim, r->now)))
		return false;
	perf_fair_sched_out(r->cpc, victim, r->now);
	list_add(&victim->group_entry, &r->evicted);
	/* below 0 counters were used that were free before */
	r->room = max(r->room, 0) + perf_fair_group_size(victim);
	return true;
}

/* No counter is free, as far as is known. An empty PMU has no room that was noted. */
static bool perf_rotation_is_full(const struct perf_rotation *r)
{
	return r->room <= 0 && (r->full || !list_empty(&r->evicted));
}

/*
 * Schedule a group in, and groups with a higher vruntime out until it fits. Groups are tried
 * lowest vruntime first, so a group that this rotation has scheduled in is evicted again only
 * for an unfit group, which joins the waiting groups late.
 *
 * Return: true when the group is scheduled in.
 */
static bool perf_rotation_replace(struct perf_rotation *r, struct perf_event *leader)
{
	u64 vruntime = perf_fair_vruntime(leader, r->now);

	/* the first attempt would be in vain */
	if (perf_rotation_is_full(r))
		perf_rotation_evict(r, vruntime);
	while (!perf_group_sched_in(r->cpc, leader, r->now)) {
		if (!perf_rotation_evict(r, vruntime))
			return false;
	}
	/* each of the groups that follow may evict the last one, so their number is bounded */
	if (perf_fair_is_retried(leader) && r->retries++ >= PERF_RETRIES)
		perf_fair_set_running(r->cpc, leader, r->now);
	else
		perf_fair_set_on(r->cpc, leader, r->now);
	r->room -= perf_fair_group_size(leader);
	return true;
}

/*
 * Schedule evicted groups in again that fit into what is left, lowest vruntime first: all, or those
 * that come before @waiting.
 */
static void perf_rotation_put_back(struct perf_rotation *r, const struct perf_event *waiting)
{
	struct perf_event *leader, *next;
	int size;

	list_for_each_entry_safe(leader, next, &r->evicted, group_entry) {
		if (waiting && perf_vruntime_before(perf_fair_vruntime(waiting, r->now),
						    perf_fair_vruntime(leader, r->now)))
			break;
		size = perf_fair_group_size(leader);
		if (r->room <= 0 && size > r->spare)
			continue;
		if (!perf_group_sched_in(r->cpc, leader, r->now))
			continue;
		list_move_tail(&leader->group_entry, &leader->pmu_ctx->running);
		if (r->room > 0)
			r->room -= size;
		else
			r->spare -= size;
	}
}

/*
 * Replace running groups by waiting ones, lowest vruntime first, one at a time. What was evicted
 * for a group that does not fit has its turn again before groups with a higher vruntime.
 */
static void perf_rotation_replace_each(struct perf_rotation *r)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, PERF_ROTATE_TRIES);
	struct perf_event *leader;
	bool in_vain = false;

	while ((leader = perf_fair_pick_next(r->cpc, r->now))) {
		if (in_vain)
			perf_rotation_put_back(r, leader);
		if (perf_rotation_replace(r, leader))
			continue;
		/* no counter is free, so further groups would not fit either */
		if (perf_rotation_is_full(r) && r->spare <= 0 && r->cpc->nr_running &&
		    perf_fair_group_size(leader) == 1)
			break;
		if (!perf_fair_misfit(r->cpc, leader, &tries, r->now))
			break;
		in_vain = true;
	}
	perf_fair_enqueue_all(r->cpc, &tries.misfits, r->now);
}

/* Start a slice, which is the same for all pmu_ctxs on the PMU. */
static void perf_slice_start(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 length = perf_slice_length(cpc, now);
	struct perf_event_pmu_context *pmu_ctx;

	cpc->slice_end = now + length;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry)
		pmu_ctx->slice_end = perf_pmu_ctx_clock(pmu_ctx, now) + length;
}

/**
 * perf_fair_rotate() - end a slice: rotate the flexible groups of a PMU
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 */
void perf_fair_rotate(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_rotation r = {
		.cpc		= cpc,
		.now		= now,
		.evicted	= LIST_HEAD_INIT(r.evicted),
	};

	perf_pmu_disable(cpc->pmu);
	perf_fair_retry_unfit(cpc, now);
	if (cpc->nr_running)
		perf_rotation_fill(&r);
	if (perf_rotation_exchange(&r))
		perf_rotation_fill(&r);
	else
		perf_rotation_replace_each(&r);
	if (r.room > 0 || r.spare > 0)
		perf_rotation_put_back(&r, NULL);
	perf_fair_enqueue_all(cpc, &r.evicted, now);
	perf_slice_start(cpc, now);
	perf_pmu_enable(cpc->pmu);
}
