// SPDX-License-Identifier: GPL-2.0
/*
 * Fair sharing: the flexible groups that fair.c selects are scheduled in and out.
 *
 * Three occasions change which flexible groups have counters. A pinned group needs room
 * (perf_fair_evict()). Counters have become free (perf_fair_fill()). A slice has ended, or
 * groups of a plan have not got their counters again (perf_fair_rotate()); filling tells when a
 * slice should end early.
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
 * Number of groups of a side that may fail to fit before an attempt ends: filling free counters,
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
 * struct perf_tries - how often groups of each side may still fail to fit
 * @first: groups that were not unfit
 * @again: groups that were
 * @done: bit n is set if no further group of side n may be tried
 * @misfits: groups that did not fit, and wait for the next attempt
 */
struct perf_tries {
	unsigned int		first[PERF_SIDES];
	unsigned int		again[PERF_SIDES];
	unsigned long		done;
	struct list_head	misfits;
};

#define PERF_TRIES_INIT(_tries, _first) {				\
	.first		= { (_first), (_first) },			\
	.again		= { PERF_RETRIES, PERF_RETRIES },		\
	.misfits	= LIST_HEAD_INIT((_tries).misfits),		\
}

/* No further group of this one's side may be tried. */
static void perf_tries_end(struct perf_tries *tries, const struct perf_event *leader)
{
	tries->done |= BIT(perf_pmu_ctx_side(leader->pmu_ctx));
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
 */
static void perf_fair_misfit(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
			     struct perf_tries *tries, u64 now)
{
	enum perf_side side = perf_pmu_ctx_side(leader->pmu_ctx);

	if (!perf_fair_is_retried(leader)) {
		if (!--tries->first[side])
			perf_tries_end(tries, leader);
	} else if (tries->again[side]) {
		tries->again[side]--;
	}
	perf_fair_dequeue(leader);
	if (cpc->nr_running)
		list_add_tail(&leader->group_entry, &tries->misfits);
	else
		perf_fair_set_unfit(cpc, leader, now);
	if (tries->again[side])
		perf_fair_retry_unfit(cpc, now);
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
 * The group with the highest vruntime of the side that is ahead is selected.
 *
 * Return: false when there is no flexible group with counters.
 */
bool perf_fair_evict(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event *leader;
	LIST_HEAD(evicted);
	enum perf_side behind;

	perf_sides_pass(cpc, now);
	behind = perf_side_behind(cpc);
	leader = perf_fair_pick_victim(cpc, perf_other_side(behind), now) ?:
		 perf_fair_pick_victim(cpc, behind, now);
	if (!leader)
		return false;
	perf_fair_sched_out(cpc, leader, now);
	list_add(&leader->group_entry, &evicted);
	perf_fair_enqueue_all(cpc, &evicted, now);
	return true;
}

/* A waiting group that does not fit is behind those that have counters, by more than a slice. */
static bool perf_fair_is_overdue(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				 u64 now)
{
	struct perf_event *victim;

	if (perf_fair_is_retried(leader))
		return false;
	victim = perf_fair_pick_victim(cpc, perf_pmu_ctx_side(leader->pmu_ctx), now);
	return victim && perf_vruntime_before(perf_fair_vruntime(leader, now) + cpc->slice,
					      perf_fair_vruntime(victim, now));
}

/**
 * perf_fair_fill() - schedule waiting groups in without scheduling any out
 * @cpc: this CPU's side of the PMU, disabled
 * @now: perf_time(); when a sub-context is being scheduled in, the time at which its clock was
 *	started, so that its groups lose no time against that clock
 *
 * Return: false if the slice should end now: it began with groups of both sides, one side's groups
 * have left, and a group of the other side does not fit that would have been selected without them.
 */
bool perf_fair_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, PERF_FILL_TRIES);
	struct perf_event *leader;
	bool overdue = false;

	cpc->full_at = 0;
	perf_sides_pass(cpc, now);
	perf_fair_retry_unfit(cpc, now);
	while ((leader = perf_fair_pick_next(cpc, tries.done, now))) {
		if (perf_group_sched_in(cpc, leader, now)) {
			perf_fair_set_on(cpc, leader, now);
			continue;
		}
		overdue = overdue || (cpc->shared && perf_fair_is_overdue(cpc, leader, now));
		perf_fair_misfit(cpc, leader, &tries, now);
	}
	perf_fair_enqueue_all(cpc, &tries.misfits, now);
	return !overdue || !perf_sides_left_alone(cpc);
}

/**
 * struct perf_rotation - a rotation under way
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 * @evicted: groups of each side that were scheduled out, the last one first
 * @room: number of events that were scheduled out, minus the number scheduled in
 * @full: the first waiting group does not fit, by an attempt now or in the last rotation
 * @emptied: an exclusive group was evicted: more counters are free than it has events
 * @spare: number of counters that may be unused as a group needs one more
 * @retries: number of unfit groups that have got counters
 * @in_vain: bit n is set if counters became free, and groups of side n could not use them
 * @turn: bit n is set if a group of side n has got all counters of the other side, and needs them
 * @took: bit n is set if a group of side n has got counters of the other side
 */
struct perf_rotation {
	struct perf_cpu_pmu_context	*cpc;
	u64				now;
	struct list_head		evicted[PERF_SIDES];
	int				room;
	bool				full;
	bool				emptied;
	int				spare;
	unsigned int			retries;
	unsigned long			in_vain;
	unsigned long			turn;
	unsigned long			took;
};

/* A group does not fit: that many counters may be unused, fewer than it needs. */
static void perf_rotation_note_spare(struct perf_rotation *r, struct perf_event *leader)
{
	r->spare = max(r->spare, perf_fair_group_size(leader) - 1);
}

/*
 * Schedule waiting groups of each side in up to the first that does not fit. The counters of an
 * evicted group may fit more groups than the one it was evicted for, or other ones.
 */
static void perf_rotation_fill(struct perf_rotation *r)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, 1);
	struct perf_event *leader;

	r->full = false;
	while ((leader = perf_fair_pick_next(r->cpc, tries.done, r->now))) {
		if (perf_group_sched_in(r->cpc, leader, r->now)) {
			perf_fair_set_on(r->cpc, leader, r->now);
		} else if (perf_fair_is_retried(leader)) {
			perf_rotation_note_spare(r, leader);
			perf_fair_misfit(r->cpc, leader, &tries, r->now);
		} else {
			perf_rotation_note_spare(r, leader);
			perf_tries_end(&tries, leader);
			r->full = true;
		}
	}
	perf_fair_enqueue_all(r->cpc, &tries.misfits, r->now);
}

/* Move the groups of a batch that was scheduled out to the evicted groups. */
static void perf_rotation_batch_out(struct perf_rotation *r, struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			list_move(&batch->events[i]->group_entry,
				  &r->evicted[perf_pmu_ctx_side(batch->events[i]->pmu_ctx)]);
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

/* The only pmu_ctx that competes on the PMU, if its groups fit into a batch; otherwise NULL. */
static struct perf_event_pmu_context *
perf_rotation_can_exchange(const struct perf_cpu_pmu_context *cpc)
{
	if (!cpc->nr_running || cpc->nr_running > PERF_BATCH_MAX ||
	    cpc->pmu->capabilities & PERF_PMU_CAP_ITRACE)
		return NULL;
	return perf_fair_only(cpc);
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
	struct perf_event_pmu_context *pmu_ctx = perf_rotation_can_exchange(cpc);

	if (!pmu_ctx)
		return false;
	perf_fair_select(&exchange, pmu_ctx, r->now);
	if (!exchange.in.nr)
		return exchange.all && !exchange.out.nr;

	perf_batch_sched_out(cpc, &exchange.out, r->now);
	perf_rotation_batch_out(r, &exchange.out);
	r->room = exchange.room;
	if (!perf_batch_sched_in(cpc, &exchange.in, r->now)) {
		r->room += perf_batch_size(&exchange.in);
		return false;
	}
	perf_rotation_batch_in(r, &exchange.in);
	return exchange.all && !r->room;
}

/*
 * The running group that has to give way to @leader, or NULL: one of the other side if that has
 * more than its part, otherwise one of the same side with a higher vruntime. If these have all
 * given way, and that is not enough, the group has its turn with all counters. A group that got
 * all counters of the other side keeps them in this rotation, so that two such groups do not evict
 * each other. Nor has a group its turn against a side that has got counters in this rotation: its
 * own side may have none only because they were evicted in vain.
 */
static struct perf_event *perf_rotation_victim(struct perf_rotation *r, struct perf_event *leader)
{
	enum perf_side side = perf_pmu_ctx_side(leader->pmu_ctx);
	enum perf_side other = perf_other_side(side);
	struct perf_event *victim, *of_other = NULL;

	if (r->cpc->used[other] && !(r->turn & BIT(other)))
		of_other = perf_fair_pick_victim(r->cpc, other, r->now);
	if (of_other && perf_side_may_take(r->cpc, side, of_other->nr_used, max(r->room, 0)))
		return of_other;
	victim = perf_fair_pick_victim(r->cpc, side, r->now);
	if (victim && perf_vruntime_before(perf_fair_vruntime(leader, r->now),
					   perf_fair_vruntime(victim, r->now)))
		return victim;
	if (of_other && !r->turn && !(r->took & BIT(other)) && !r->cpc->used[side] &&
	    (perf_fair_is_retried(leader) || perf_side_may_have_all(r->cpc, side)))
		return of_other;
	return NULL;
}

/* Return: what was evicted, or NULL. */
static struct perf_event *perf_rotation_evict(struct perf_rotation *r, struct perf_event *leader)
{
	struct perf_event *victim = perf_rotation_victim(r, leader);

	if (!victim)
		return NULL;
	r->emptied = r->emptied || victim == r->cpc->exclusive;
	perf_fair_sched_out(r->cpc, victim, r->now);
	list_add(&victim->group_entry, &r->evicted[perf_pmu_ctx_side(victim->pmu_ctx)]);
	/* below 0 counters were used that were free before */
	r->room = max(r->room, 0) + perf_fair_group_size(victim);
	return victim;
}

/* No counter is free, as far as is known. An empty PMU has no room that was noted. */
static bool perf_rotation_is_full(const struct perf_rotation *r)
{
	if (r->room > 0 || r->emptied)
		return false;
	return r->full || !list_empty(&r->evicted[PERF_SIDE_CPU]) ||
	       !list_empty(&r->evicted[PERF_SIDE_TASK]);
}

/*
 * A group does not fit although as many events have lost their counters as it has. Unless another
 * group of its side gets them, the side is not behind for what the other one has.
 */
static void perf_rotation_note_misfit(struct perf_rotation *r, struct perf_event *leader)
{
	if (r->room >= perf_fair_group_size(leader) && !perf_fair_is_retried(leader) &&
	    !r->cpc->exclusive && !leader->attr.exclusive)
		r->in_vain |= BIT(perf_pmu_ctx_side(leader->pmu_ctx));
}

/*
 * Schedule a group in, and groups that have to give way to it out until it fits. The groups of a
 * side are tried lowest vruntime first, so a group that this rotation has scheduled in is evicted
 * again only for a group of the other side, or an unfit one, which joins the waiting groups late.
 *
 * Return: true when the group is scheduled in.
 */
static bool perf_rotation_replace(struct perf_rotation *r, struct perf_event *leader)
{
	enum perf_side side = perf_pmu_ctx_side(leader->pmu_ctx);
	const int *others = &r->cpc->used[perf_other_side(side)];
	struct perf_event *last = NULL;
	int had = *others;

	/* the first attempt would be in vain */
	if (perf_rotation_is_full(r))
		last = perf_rotation_evict(r, leader);
	while (!perf_group_sched_in(r->cpc, leader, r->now)) {
		/* the PMU was empty when the rotation began */
		if (r->room <= 0 && !perf_rotation_is_full(r))
			perf_rotation_note_spare(r, leader);
		last = perf_rotation_evict(r, leader);
		if (!last) {
			perf_rotation_note_misfit(r, leader);
			return false;
		}
	}
	r->in_vain &= ~BIT(side);
	/* each of the groups that follow may evict the last one, so their number is bounded */
	if (perf_fair_is_retried(leader) && r->retries++ >= PERF_RETRIES)
		perf_fair_set_running(r->cpc, leader, r->now);
	else
		perf_fair_set_on(r->cpc, leader, r->now);
	r->room -= perf_fair_group_size(leader);
	if (had > *others)
		r->took |= BIT(side);
	if (had > *others && r->room >= had - *others && r->cpc->exclusive != leader &&
	    perf_pmu_ctx_side(last->pmu_ctx) == side)
		perf_side_end_lag(r->cpc, side);
	else if (had && !*others)
		r->turn |= BIT(side);
	return true;
}

/* The evicted group that comes back first, or NULL: the lowest vruntime of the side behind. */
static struct perf_event *perf_rotation_first_evicted(struct perf_rotation *r)
{
	enum perf_side side = perf_side_behind(r->cpc);

	if (list_empty(&r->evicted[side]))
		side = perf_other_side(side);
	return list_first_entry_or_null(&r->evicted[side], struct perf_event, group_entry);
}

/* An evicted group does not have to give way to @waiting, and may fit into what is left. */
static bool perf_rotation_comes_back(const struct perf_rotation *r, struct perf_event *leader,
				     const struct perf_event *waiting)
{
	enum perf_side side = perf_pmu_ctx_side(leader->pmu_ctx);

	if (r->room <= 0 && perf_fair_group_size(leader) > r->spare)
		return false;
	return !waiting || perf_pmu_ctx_side(waiting->pmu_ctx) != side ||
	       !perf_vruntime_before(perf_fair_vruntime(waiting, r->now),
				     perf_fair_vruntime(leader, r->now));
}

/*
 * Schedule evicted groups in again that fit into what is left: all, or those that do not have to
 * give way to @waiting of the same side.
 */
static void perf_rotation_put_back(struct perf_rotation *r, const struct perf_event *waiting)
{
	struct list_head rest[PERF_SIDES];
	struct perf_event *leader;
	enum perf_side side;
	bool comes;
	int *left;

	for (side = 0; side < PERF_SIDES; side++)
		INIT_LIST_HEAD(&rest[side]);
	while ((leader = perf_rotation_first_evicted(r))) {
		side = perf_pmu_ctx_side(leader->pmu_ctx);
		comes = perf_rotation_comes_back(r, leader, waiting);
		if (!comes || !perf_group_sched_in(r->cpc, leader, r->now)) {
			if (comes)
				perf_rotation_note_misfit(r, leader);
			list_move_tail(&leader->group_entry, &rest[side]);
			continue;
		}
		r->in_vain &= ~BIT(side);
		list_move_tail(&leader->group_entry, &leader->pmu_ctx->running);
		left = r->room > 0 ? &r->room : &r->spare;
		*left -= perf_fair_group_size(leader);
	}
	for (side = 0; side < PERF_SIDES; side++)
		list_splice(&rest[side], &r->evicted[side]);
}

/*
 * Replace running groups by waiting ones, one at a time, of a side lowest vruntime first. What was
 * evicted for a group that does not fit, or needs less, has its turn again before groups with a
 * higher vruntime.
 */
static void perf_rotation_replace_each(struct perf_rotation *r)
{
	struct perf_tries tries = PERF_TRIES_INIT(tries, PERF_ROTATE_TRIES);
	struct perf_event *leader;
	bool in_vain = false;

	while ((leader = perf_fair_pick_next(r->cpc, tries.done, r->now))) {
		if (in_vain || r->room > 0)
			perf_rotation_put_back(r, leader);
		if (perf_rotation_replace(r, leader))
			continue;
		/* no counter is free, so further groups of the side would not fit either */
		if (perf_rotation_is_full(r) && r->spare <= 0 && r->cpc->nr_running &&
		    perf_fair_group_size(leader) == 1) {
			perf_tries_end(&tries, leader);
			continue;
		}
		perf_fair_misfit(r->cpc, leader, &tries, r->now);
		in_vain = true;
	}
	perf_fair_enqueue_all(r->cpc, &tries.misfits, r->now);
}

/* Groups of a side that was full may fit where the other side has evicted a larger one. */
static void perf_rotation_fill_rest(struct perf_rotation *r)
{
	const int had[PERF_SIDES] = { r->cpc->used[PERF_SIDE_CPU], r->cpc->used[PERF_SIDE_TASK] };

	perf_fair_fill(r->cpc, r->now);
	for (enum perf_side side = 0; side < PERF_SIDES; side++) {
		if (r->cpc->used[side] > had[side])
			r->in_vain &= ~BIT(side);
	}
}

/* Start a slice, which is the same for all pmu_ctxs on the PMU. Their plans leave no room. */
static void perf_slice_start(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;

	perf_slice_begin(cpc, now);
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry)
		pmu_ctx->slice_end = perf_pmu_ctx_clock(pmu_ctx, now) + cpc->slice;
	perf_plans_note_settled(cpc);
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
		.evicted	= {
			LIST_HEAD_INIT(r.evicted[PERF_SIDE_CPU]),
			LIST_HEAD_INIT(r.evicted[PERF_SIDE_TASK]),
		},
	};

	cpc->due = false;
	perf_pmu_disable(cpc->pmu);
	if (!list_is_singular(&cpc->pmu_ctxs))
		perf_sides_settle(cpc, now);
	perf_fair_retry_unfit(cpc, now);
	if (cpc->full_at == cpc->generation)
		r.full = true;
	else if (cpc->nr_running)
		perf_rotation_fill(&r);
	cpc->full_at = 0;
	if (perf_rotation_exchange(&r)) {
		perf_rotation_fill(&r);
		if (r.full && !r.spare)
			cpc->full_at = cpc->generation;
	} else {
		perf_rotation_replace_each(&r);
	}
	if (r.room > 0 || r.spare > 0)
		perf_rotation_put_back(&r, NULL);
	if (r.room > 0 || r.emptied)
		perf_rotation_fill_rest(&r);
	for (enum perf_side side = 0; side < PERF_SIDES; side++) {
		perf_fair_enqueue_all(cpc, &r.evicted[side], now);
		if (unlikely(r.in_vain & BIT(side)))
			perf_side_end_lag(cpc, side);
	}
	cpc->favour = 0;
	perf_slice_start(cpc, now);
	perf_pmu_enable(cpc->pmu);
}
