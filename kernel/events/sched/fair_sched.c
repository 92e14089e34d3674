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
/* As many groups may fail that were unfit before. They take no try of the others. */
#define PERF_RETRIES		4

/**
 * struct perf_tries - how often groups may still fail to fit
 * @first: groups that were not unfit
 * @again: groups that were
 */
struct perf_tries {
	unsigned int first;
	unsigned int again;
};

/* A group does not fit. Return: false if no further one may be tried. */
static bool perf_tries_left(struct perf_tries *tries, const struct perf_event *leader)
{
	if (perf_fair_is_retried(leader) && tries->again)
		tries->again--;
	else
		tries->first--;
	return tries->first;
}

static void perf_fair_sched_out(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				u64 now)
{
	perf_group_sched_out(cpc, leader, now);
	list_del_init(&leader->group_entry);
}

static void perf_fair_set_running(struct perf_event *leader)
{
	perf_fair_dequeue(leader);
	perf_fair_retry_ended(leader);
	list_add_tail(&leader->group_entry, &leader->pmu_ctx->running);
}

/* A waiting group does not fit: set it aside, so that the next one can be tried. */
static void perf_fair_misfit(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
			     struct list_head *misfits, u64 now)
{
	perf_fair_dequeue(leader);
	if (cpc->nr_running)
		list_add_tail(&leader->group_entry, misfits);
	else
		perf_fair_set_unfit(cpc, leader, now);
}

/* A waiting group has got counters. If it was unfit, others like it may fit as well. */
static void perf_fair_set_on(struct perf_cpu_pmu_context *cpc, struct perf_event *leader, u64 now)
{
	bool retried = perf_fair_is_retried(leader);

	perf_fair_set_running(leader);
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

	if (!leader)
		return false;
	perf_fair_sched_out(cpc, leader, now);
	perf_fair_enqueue(leader);
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
	struct perf_tries tries = { .first = PERF_FILL_TRIES, .again = PERF_RETRIES };
	struct perf_event *leader;
	LIST_HEAD(misfits);
	bool more;

	perf_fair_retry_unfit(cpc, now);
	while ((leader = perf_fair_pick_next(cpc, now))) {
		if (perf_group_sched_in(cpc, leader, now)) {
			perf_fair_set_on(cpc, leader, now);
			continue;
		}
		more = perf_tries_left(&tries, leader);
		perf_fair_misfit(cpc, leader, &misfits, now);
		if (!more)
			break;
	}
	perf_fair_enqueue_all(cpc, &misfits, now);
}

/**
 * struct perf_rotation - a rotation under way
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 * @evicted: groups that were scheduled out, in the order in which they may come back
 * @room: number of events that were scheduled out, minus the number scheduled in
 * @full: a group was tried before any was evicted, and did not fit
 * @spare: number of counters that may be unused as a group needs one more
 */
struct perf_rotation {
	struct perf_cpu_pmu_context	*cpc;
	u64				now;
	struct list_head		evicted;
	int				room;
	bool				full;
	int				spare;
};

/*
 * Schedule waiting groups in up to the first that does not fit. The counters of an evicted
 * group may fit more groups than the one it was evicted for, or other ones.
 */
static void perf_rotation_fill(struct perf_rotation *r)
{
	struct perf_tries tries = { .first = 1, .again = PERF_RETRIES };
	struct perf_event *leader;
	LIST_HEAD(misfits);

	while ((leader = perf_fair_pick_next(r->cpc, r->now))) {
		if (perf_group_sched_in(r->cpc, leader, r->now)) {
			perf_fair_set_on(r->cpc, leader, r->now);
			continue;
		}
		if (!perf_tries_left(&tries, leader))
			break;
		perf_fair_misfit(r->cpc, leader, &misfits, r->now);
	}
	r->full = leader;
	if (leader)
		r->spare = max(r->spare, perf_fair_group_size(leader) - 1);
	perf_fair_enqueue_all(r->cpc, &misfits, r->now);
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
static void perf_rotation_batch_in(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			perf_fair_set_running(batch->events[i]);
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
	perf_rotation_batch_in(&exchange.in);
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
	r->room += perf_fair_group_size(victim);
	return true;
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

	/* on a full PMU the first attempt would be in vain */
	if (r->room <= 0 && (r->full || !list_empty(&r->evicted)))
		perf_rotation_evict(r, vruntime);
	while (!perf_group_sched_in(r->cpc, leader, r->now)) {
		if (!perf_rotation_evict(r, vruntime))
			return false;
	}
	perf_fair_set_running(leader);
	r->room -= perf_fair_group_size(leader);
	return true;
}

/* Replace running groups by waiting ones, lowest vruntime first, one at a time. */
static void perf_rotation_replace_each(struct perf_rotation *r)
{
	struct perf_tries tries = { .first = PERF_ROTATE_TRIES, .again = PERF_RETRIES };
	struct perf_event *leader;
	LIST_HEAD(misfits);
	bool more;

	while ((leader = perf_fair_pick_next(r->cpc, r->now))) {
		if (perf_rotation_replace(r, leader))
			continue;
		/* no counter has become free, so further groups would not fit either */
		if (r->room <= 0 && r->cpc->nr_running)
			break;
		more = perf_tries_left(&tries, leader);
		perf_fair_misfit(r->cpc, leader, &misfits, r->now);
		if (!more)
			break;
		/* they were evicted in vain, and others may have a higher vruntime */
		perf_fair_enqueue_all(r->cpc, &r->evicted, r->now);
	}
	perf_fair_enqueue_all(r->cpc, &misfits, r->now);
}

/* Schedule evicted groups in again that fit into what is left, lowest vruntime first. */
static void perf_rotation_put_back(struct perf_rotation *r)
{
	struct perf_event *leader, *next;

	list_for_each_entry_safe(leader, next, &r->evicted, group_entry) {
		if (r->room <= 0 && perf_fair_group_size(leader) > r->spare)
			continue;
		if (perf_group_sched_in(r->cpc, leader, r->now))
			list_move_tail(&leader->group_entry, &leader->pmu_ctx->running);
	}
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
		perf_rotation_put_back(&r);
	perf_fair_enqueue_all(cpc, &r.evicted, now);
	perf_slice_start(cpc, now);
	perf_pmu_enable(cpc->pmu);
}
