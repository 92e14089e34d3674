// SPDX-License-Identifier: GPL-2.0
/*
 * Placing: groups on the counters of a PMU, all members or none.
 *
 * Pinned groups are on, or in error. The others share; who of them is on is
 * settled in fair.c, and changes at rotations, not at context switches: what
 * was on when a pmu_ctx went off, its plan, is put back when it comes on, with one
 * add() per event. Nothing is sorted, solved or looked for then, however many
 * groups wait. Only if the PMU is not as it was, because it is another CPU's or
 * others have come or gone, are some of those that wait tried as well.
 *
 * The events of a plan stay ACTIVE while the pmu_ctx is off: they count as soon as
 * the clock of their set runs. What tells whether they have a counter is oncpu.
 *
 * Everything runs on the CPU concerned, irqs off, under perf_cpu_lock(), but
 * for changes to a pmu_ctx that is off, which need the lock of its context only.
 */
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "batch.h"
#include "event_sched.h"
#include "sched.h"
#include "pmu_ops.h"

/*
 * This CPU has a PMU with perf_cpu_pmu_context::freed set: perf_sched_refill() has
 * work. Only its own CPU looks and writes, with irqs off, so that a switch needs no
 * lock to find out.
 */
DEFINE_PER_CPU(bool, perf_sched_counters_freed);

static bool perf_group_is_exclusive(const struct perf_event *leader)
{
	/* where everything fits there is nothing to have for oneself */
	return unlikely(leader->attr.exclusive) &&
	       leader->group_pmu->task_ctx_nr != perf_sw_context;
}

/* The counters are another group's from now on, or an exclusive one's. */
static bool perf_sched_is_exclusive(const struct perf_cpu_pmu_context *cpc,
				    const struct perf_event *leader)
{
	return cpc->exclusive || (cpc->nr_scheduled && perf_group_is_exclusive(leader));
}

static void perf_sched_is_active(struct perf_cpu_pmu_context *cpc,
				 struct perf_event *leader)
{
	cpc->nr_scheduled++;
	if (!leader->attr.pinned)
		cpc->nr_running++;
	cpc->exclusive = perf_group_is_exclusive(leader);
}

/**
 * perf_group_sched_out() - a group counts no longer
 * @cpc: this CPU's side of the PMU, disabled, if the group has counters there
 * @leader: its leader, ACTIVE; leaves no list
 * @now: perf_ctx_now()
 */
void perf_group_sched_out(struct perf_cpu_pmu_context *cpc,
			  struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (cpc) {
		cpc->nr_scheduled--;
		if (!leader->attr.pinned)
			cpc->nr_running--;
		cpc->exclusive = false;
	}
	leader->runtime = perf_pmu_ctx_clock(leader->pmu_ctx, now) -
			      leader->runtime_stamp;
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
	}
}

/**
 * perf_group_sched_in() - put a whole group on, or leave the PMU as it was
 * @cpc: this CPU's side of the PMU, disabled
 * @leader: its leader, INACTIVE
 * @now: perf_ctx_now()
 *
 * Return: true when it is on; the caller puts it on a list.
 */
bool perf_group_sched_in(struct perf_cpu_pmu_context *cpc,
			 struct perf_event *leader, u64 now)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_event *event;

	if (perf_sched_is_exclusive(cpc, leader))
		return false;

	perf_pmu_start_txn(pmu, PERF_PMU_TXN_ADD);
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE &&
		    perf_event_sched_in(event, now))
			break;
	}
	if (!event && !perf_pmu_commit_txn(pmu)) {
		leader->runtime_stamp = perf_pmu_ctx_clock(leader->pmu_ctx, now) -
				       leader->runtime;
		perf_sched_is_active(cpc, leader);
		return true;
	}

	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
	}
	perf_pmu_cancel_txn(pmu);
	return false;
}

/* A group of the plan gets counters again. If not, it is no longer of the plan. */
static bool perf_group_resume(struct perf_cpu_pmu_context *cpc,
			      struct perf_event *leader, u64 now)
{
	bool closed = perf_sched_is_exclusive(cpc, leader);
	struct pmu *pmu = cpc->pmu;
	struct perf_event *event;

	if (closed) {
		perf_group_sched_out(NULL, leader, now);
		return false;
	}
	perf_pmu_start_txn(pmu, PERF_PMU_TXN_ADD);
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE &&
		    unlikely(perf_event_add(event)))
			break;
	}
	if (likely(!event) && !perf_pmu_commit_txn(pmu)) {
		perf_sched_is_active(cpc, leader);
		return true;
	}
	perf_group_sched_out(NULL, leader, now);
	perf_pmu_cancel_txn(pmu);
	return false;
}

static void perf_group_suspend(struct perf_event *leader)
{
	struct perf_event *event;

	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_del(event);
	}
}

/* Counters have become free. */
static void perf_sched_note_freed(struct perf_cpu_pmu_context *cpc)
{
	if (!cpc->nr_waiting && !perf_fair_has_unfit(cpc))
		return;
	cpc->freed = true;
	__this_cpu_write(perf_sched_counters_freed, true);
}

static void perf_pmu_ctx_sched_in(struct perf_cpu_pmu_context *cpc,
				  struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	if (list_empty(&cpc->pmu_ctxs))
		list_add_tail(&cpc->pmus_entry, &this_perf_cpu()->pmus);
	else
		perf_fair_level(cpc, pmu_ctx, now);

	/* the CPU's own pinned groups go before a task's */
	if (perf_ctx_is_task(pmu_ctx->ctx))
		list_add_tail(&pmu_ctx->cpu_entry, &cpc->pmu_ctxs);
	else
		list_add(&pmu_ctx->cpu_entry, &cpc->pmu_ctxs);
	cpc->nr_waiting += pmu_ctx->nr_waiting;
}

static void perf_pmu_ctx_sched_out(struct perf_cpu_pmu_context *cpc,
				   struct perf_event_pmu_context *pmu_ctx)
{
	list_del_init(&pmu_ctx->cpu_entry);
	cpc->nr_waiting -= pmu_ctx->nr_waiting;
	if (list_empty(&cpc->pmu_ctxs)) {
		list_del_init(&cpc->pmus_entry);
		cpc->freed = false;
	}
}

/* A pinned group cannot be on: until it is enabled again it is in error. */
static void perf_sched_set_error(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_event *event;

	perf_ctx_changed(pmu_ctx->ctx);
	list_del_init(&leader->group_entry);
	pmu_ctx->nr_groups--;
	pmu_ctx->ctx->nr_scheduled--;
	perf_group_for_each_enabled(event, leader)
		perf_event_update_times(event, now);
	WRITE_ONCE(leader->state, PERF_EVENT_STATE_ERROR);
}

/* A task's pinned group makes room for the CPU's, and is in error. */
static bool perf_sched_pinned_out(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *leader;

	list_for_each_entry_reverse(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (!perf_ctx_is_task(pmu_ctx->ctx))
			return false;
		list_for_each_entry_reverse(leader, &pmu_ctx->pinned, group_entry) {
			if (leader->oncpu < 0)
				continue;
			perf_group_sched_out(cpc, leader, now);
			perf_sched_set_error(leader, now);
			if (!pmu_ctx->nr_groups)
				perf_pmu_ctx_sched_out(cpc, pmu_ctx);
			return true;
		}
	}
	return false;
}

static bool perf_sched_make_room(struct perf_cpu_pmu_context *cpc,
				 const struct perf_event *leader, u64 now)
{
	if (perf_fair_evict(cpc, now))
		return true;
	return !perf_ctx_is_task(leader->pmu_ctx->ctx) && perf_sched_pinned_out(cpc, now);
}

/* Others make room for a pinned group, one after the other. */
static void perf_sched_pinned_in(struct perf_cpu_pmu_context *cpc,
				 struct perf_event *leader, u64 now)
{
	bool evicted = false;

	if (leader->state == PERF_EVENT_STATE_ACTIVE &&
	    likely(perf_group_resume(cpc, leader, now)))
		return;
	while (!perf_group_sched_in(cpc, leader, now)) {
		if (!perf_sched_make_room(cpc, leader, now)) {
			perf_sched_set_error(leader, now);
			break;
		}
		evicted = true;
	}
	/* more than it needs may have become free */
	if (evicted)
		perf_sched_note_freed(cpc);
}

static void perf_sched_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	cpc->freed = false;
	perf_fair_fill(cpc, now);
	perf_rotate_start(cpc, now);
}

/*
 * Those of the plan that share: put back, or, if their turn is over, in the row. The
 * counters may be others' by now: then it shows again who is owed more.
 *
 * Return: the plan stands.
 */
static bool perf_sched_replay(struct perf_cpu_pmu_context *cpc,
			      struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	bool over = pmu_ctx->nr_waiting && perf_pmu_ctx_clock(pmu_ctx, now) >= pmu_ctx->slice_end;
	struct perf_event *leader, *next;
	bool whole = true;

	if (likely(!over) && perf_batch_resume(cpc, pmu_ctx))
		return true;
	list_for_each_entry_safe(leader, next, &pmu_ctx->running, group_entry) {
		if (unlikely(over))
			perf_group_sched_out(NULL, leader, now);
		else if (likely(perf_group_resume(cpc, leader, now)))
			continue;
		list_del_init(&leader->group_entry);
		perf_fair_enqueue(leader);
		whole = false;
	}
	if (likely(whole && !over))
		return true;
	perf_fair_rotate(cpc, now);
	cpc->freed = false;
	return false;
}

static void perf_pmu_ctx_resume(struct perf_cpu_pmu_context *cpc,
				struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	unsigned int beside = cpc->nr_scheduled;
	struct perf_event *leader, *next;
	bool known;

	if (unlikely(!list_empty(&pmu_ctx->unfit))) {
		/* set aside on another CPU, or something has changed since */
		if (pmu_ctx->unfit_stale || !perf_pmu_ctx_was_here(pmu_ctx, cpc))
			perf_sched_changed(cpc);
		pmu_ctx->unfit_stale = false;
		perf_fair_retry(cpc, now);
	}
	known = pmu_ctx->plan_at == cpc->generation && pmu_ctx->plan_beside == beside;

	perf_pmu_ctx_sched_in(cpc, pmu_ctx, now);
	perf_pmu_disable(cpc->pmu);
	list_for_each_entry_safe(leader, next, &pmu_ctx->pinned, group_entry)
		perf_sched_pinned_in(cpc, leader, now);
	if (perf_sched_replay(cpc, pmu_ctx, now) && (!known || cpc->freed))
		perf_sched_fill(cpc, now);
	else if (cpc->nr_waiting || unlikely(!list_empty(&pmu_ctx->unfit)))
		perf_rotate_start(cpc, now);
	pmu_ctx->plan_at = cpc->generation;
	pmu_ctx->plan_beside = beside;
	perf_pmu_enable(cpc->pmu);

	if (unlikely(!pmu_ctx->nr_groups))
		perf_pmu_ctx_sched_out(cpc, pmu_ctx);
}

/* The PMU does not exist on this CPU, so there cannot be a plan. */
static void perf_pmu_ctx_forget(struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	struct perf_event *leader, *next;

	perf_pmu_ctx_forget_generation(pmu_ctx);
	list_for_each_entry(leader, &pmu_ctx->pinned, group_entry) {
		if (leader->state == PERF_EVENT_STATE_ACTIVE)
			perf_group_sched_out(NULL, leader, now);
	}
	list_for_each_entry_safe(leader, next, &pmu_ctx->running, group_entry) {
		perf_group_sched_out(NULL, leader, now);
		list_del_init(&leader->group_entry);
		perf_fair_enqueue(leader);
	}
}

/**
 * perf_sched_subctx_in() - a sub-context's groups may count on this CPU now
 * @subctx: the sub-context
 * @now: when its clock was started
 */
void perf_sched_subctx_in(struct perf_subctx *subctx, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		/* an empty pmu_ctx may have outlived its PMU */
		if (!pmu_ctx->nr_groups)
			continue;
		if (unlikely(perf_pmu_is_absent(pmu_ctx->pmu)))
			perf_pmu_ctx_forget(pmu_ctx, now);
		else
			perf_pmu_ctx_resume(perf_this_cpc(pmu_ctx), pmu_ctx, now);
	}
}

static void perf_pmu_ctx_suspend(struct perf_cpu_pmu_context *cpc,
				 struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *leader;

	perf_pmu_disable(cpc->pmu);
	list_for_each_entry(leader, &pmu_ctx->pinned, group_entry) {
		perf_group_suspend(leader);
		cpc->nr_scheduled--;
	}
	if (!perf_batch_suspend(cpc, pmu_ctx)) {
		list_for_each_entry(leader, &pmu_ctx->running, group_entry) {
			perf_group_suspend(leader);
			cpc->nr_scheduled--;
			cpc->nr_running--;
		}
	}
	if (!cpc->nr_scheduled)
		cpc->exclusive = false;
	perf_pmu_enable(cpc->pmu);
}

/**
 * perf_sched_subctx_out() - a sub-context's groups must leave the counters of this CPU
 * @subctx: the sub-context
 * @now: when its clock will be stopped
 */
void perf_sched_subctx_out(struct perf_subctx *subctx, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		struct perf_cpu_pmu_context *cpc;

		if (!perf_pmu_ctx_is_on(pmu_ctx))
			continue;
		cpc = perf_this_cpc(pmu_ctx);
		perf_pmu_ctx_suspend(cpc, pmu_ctx);
		perf_pmu_ctx_sched_out(cpc, pmu_ctx);
		/* others may have been found unfit beside its pinned groups */
		if (!list_empty(&pmu_ctx->pinned) && perf_fair_has_unfit(cpc))
			perf_sched_changed(cpc);
		perf_sched_note_freed(cpc);
	}
}

static void perf_sched_for_each_of(const struct list_head *leaders,
				   void (*fn)(struct perf_event *event, void *arg), void *arg)
{
	struct perf_event *leader, *event;

	list_for_each_entry(leader, leaders, group_entry) {
		perf_group_for_each_enabled(event, leader)
			fn(event, arg);
	}
}

/**
 * perf_sched_for_each_active() - do something with each enabled event that may have a counter here
 * @subctx: on here; locks as for perf_sched_subctx_in()
 * @fn: what to do; moves no group
 * @arg: for @fn
 */
void perf_sched_for_each_active(struct perf_subctx *subctx,
				void (*fn)(struct perf_event *event, void *arg), void *arg)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		perf_sched_for_each_of(&pmu_ctx->pinned, fn, arg);
		perf_sched_for_each_of(&pmu_ctx->running, fn, arg);
	}
}

static void perf_sched_enqueue_here(struct perf_event_pmu_context *pmu_ctx,
				    struct perf_event *leader, u64 now)
{
	struct perf_cpu_pmu_context *cpc = perf_this_cpc(pmu_ctx);

	perf_sched_changed(cpc);
	if (!perf_pmu_ctx_is_on(pmu_ctx))
		perf_pmu_ctx_sched_in(cpc, pmu_ctx, now);
	/* where nobody shares there is nobody to be level with */
	if (!leader->attr.pinned && (cpc->nr_running || cpc->nr_waiting))
		perf_fair_level_first(cpc, leader, now);
	perf_pmu_disable(cpc->pmu);
	if (leader->attr.pinned) {
		perf_sched_pinned_in(cpc, leader, now);
	} else if (perf_group_sched_in(cpc, leader, now)) {
		list_add_tail(&leader->group_entry, &pmu_ctx->running);
	} else {
		perf_fair_enqueue(leader);
		perf_rotate_start(cpc, now);
	}
	if (unlikely(cpc->freed))
		perf_sched_fill(cpc, now);
	perf_pmu_enable(cpc->pmu);
	if (unlikely(!pmu_ctx->nr_groups))
		perf_pmu_ctx_sched_out(cpc, pmu_ctx);
}

/**
 * perf_sched_enqueue() - a group wants to count
 * @leader: INACTIVE, attached, with a group PMU
 * @now: perf_ctx_now()
 *
 * It is put on if there is room, and if it is pinned, room is made. Otherwise
 * nothing but this group is touched.
 */
void perf_sched_enqueue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;

	pmu_ctx->nr_groups++;
	pmu_ctx->ctx->nr_scheduled++;
	pmu_ctx->subctx->busy = true;
	perf_pmu_ctx_forget_generation(pmu_ctx);
	if (leader->attr.pinned)
		list_add_tail(&leader->group_entry, &pmu_ctx->pinned);
	else if (pmu_ctx->nr_groups > 1)
		perf_fair_init_runtime(pmu_ctx, leader, now);

	if (pmu_ctx->subctx->clock.on && !perf_pmu_is_absent(pmu_ctx->pmu))
		perf_sched_enqueue_here(pmu_ctx, leader, now);
	else if (!leader->attr.pinned)
		perf_fair_enqueue(leader);
}

/**
 * perf_sched_dequeue() - a group does not want to count any more
 * @leader: ACTIVE or INACTIVE, queued
 * @now: perf_ctx_now()
 *
 * Nobody takes its counters yet, see perf_sched_fill_waiting().
 */
void perf_sched_dequeue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	bool active = leader->state == PERF_EVENT_STATE_ACTIVE;
	struct perf_cpu_pmu_context *cpc = NULL;

	if (perf_pmu_ctx_is_on(pmu_ctx))
		cpc = perf_this_cpc(pmu_ctx);
	if (cpc && active)
		perf_pmu_disable(pmu_ctx->pmu);
	if (active)
		perf_group_sched_out(cpc, leader, now);
	if (cpc && active)
		perf_pmu_enable(pmu_ctx->pmu);

	perf_fair_dequeue(leader);
	list_del_init(&leader->group_entry);
	pmu_ctx->nr_groups--;
	pmu_ctx->ctx->nr_scheduled--;
	perf_pmu_ctx_forget_generation(pmu_ctx);
	if (!cpc) {
		perf_pmu_ctx_forget_unfit(pmu_ctx);
		return;
	}
	perf_sched_changed(cpc);
	if (active)
		perf_sched_note_freed(cpc);
	if (!pmu_ctx->nr_groups)
		perf_pmu_ctx_sched_out(cpc, pmu_ctx);
}

/* The group is on. False: there is no room for one more member. */
static bool perf_sched_join_group(struct perf_event *event, u64 now)
{
	struct pmu *group_pmu = event->group_leader->group_pmu;
	bool fits;

	perf_pmu_disable(group_pmu);
	perf_pmu_start_txn(group_pmu, PERF_PMU_TXN_ADD);
	fits = !perf_event_sched_in(event, now) && !perf_pmu_commit_txn(group_pmu);
	if (!fits) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
		perf_pmu_cancel_txn(group_pmu);
	}
	perf_pmu_enable(group_pmu);
	return fits;
}

/**
 * perf_sched_sibling_in() - a sibling wants to count, too
 * @event: INACTIVE, attached; its leader is queued
 * @now: perf_ctx_now()
 *
 * If the group is on, the sibling gets on beside the others; only if there is no room
 * for it the group has to be scheduled anew. If the group waits, so does the sibling. In a
 * plan that is off it is put on when the others are.
 */
void perf_sched_sibling_in(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;
	if (perf_event_has_counter(leader)) {
		if (perf_sched_join_group(event, now))
			return;
		perf_sched_dequeue(leader, now);
		perf_sched_enqueue(leader, now);
	} else {
		perf_event_running_start(event, now);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
	}
}

/**
 * perf_sched_sibling_gone() - a group needs less than before
 * @leader: queued; a sibling has been disabled or has left
 */
void perf_sched_sibling_gone(struct perf_event *leader)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_cpu_pmu_context *cpc;

	perf_pmu_ctx_forget_generation(pmu_ctx);
	if (!perf_pmu_ctx_is_on(pmu_ctx)) {
		perf_pmu_ctx_forget_unfit(pmu_ctx);
		return;
	}
	cpc = perf_this_cpc(pmu_ctx);
	perf_sched_changed(cpc);
	perf_sched_note_freed(cpc);
}

/**
 * perf_sched_fill_cpu() - give away what has become free on this CPU
 * @cpuctx: this CPU's, locked
 * @now: perf_time()
 */
void perf_sched_fill_cpu(struct perf_cpu_context *cpuctx, u64 now)
{
	struct perf_cpu_pmu_context *cpc;

	__this_cpu_write(perf_sched_counters_freed, false);
	list_for_each_entry(cpc, &cpuctx->pmus, pmus_entry) {
		if (!cpc->freed)
			continue;
		perf_pmu_disable(cpc->pmu);
		perf_sched_fill(cpc, now);
		perf_pmu_enable(cpc->pmu);
	}
}

/**
 * perf_sched_fill_here() - counters have become free on this CPU
 *
 * Locks as in perf_ctx_call().
 */
void perf_sched_fill_here(void)
{
	perf_sched_fill_cpu(this_perf_cpu(), perf_time());
}

/**
 * perf_sched_refill() - counters may have become free on this CPU
 * @cpuctx: this CPU's; irqs off, no lock held
 */
void perf_sched_refill(struct perf_cpu_context *cpuctx)
{
	if (likely(!__this_cpu_read(perf_sched_counters_freed)))
		return;
	perf_cpu_lock(cpuctx);
	perf_sched_fill_cpu(cpuctx, perf_time());
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_sched_init_pmu_ctx() - a pmu_ctx without groups
 * @pmu_ctx: zeroed, with its sub-context
 */
void perf_sched_init_pmu_ctx(struct perf_event_pmu_context *pmu_ctx)
{
	INIT_LIST_HEAD(&pmu_ctx->cpu_entry);
	INIT_LIST_HEAD(&pmu_ctx->pinned);
	INIT_LIST_HEAD(&pmu_ctx->running);
	INIT_LIST_HEAD(&pmu_ctx->unfit);
	pmu_ctx->waiting = RB_ROOT_CACHED;
	pmu_ctx->plan_at = PERF_PLAN_NOWHERE;
}

/**
 * perf_sched_init_pmu() - initialise the per-CPU side of a new PMU
 * @pmu: with cpu_pmu_context allocated and zeroed
 */
void perf_sched_init_pmu(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc;
	int cpu;

	for_each_possible_cpu(cpu) {
		cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
		cpc->pmu = pmu;
		cpc->cpu = cpu;
		/* 0 is no generation, see perf_pmu_ctx_forget_generation() */
		cpc->generation = ((u64)cpu << PERF_GENERATION_BITS) + 1;
		INIT_LIST_HEAD(&cpc->pmu_ctxs);
		INIT_LIST_HEAD(&cpc->pmus_entry);
		perf_rotate_init(cpc);
	}
}

/**
 * perf_sched_cpu_gone() - a CPU is dead; its rotation, if it was due, is not
 * @pmu: the PMU
 * @cpu: the CPU; nothing is scheduled there any more; may sleep
 */
void perf_sched_cpu_gone(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context *cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	hrtimer_cancel(&cpc->timer);
	cpc->timer_on = false;
}

/**
 * perf_sched_stop_pmu() - a PMU goes; no event of it can be opened any more
 * @pmu: the PMU; may sleep
 */
void perf_sched_stop_pmu(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->timer);
}
