// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of groups on a PMU: all members of a group are scheduled in, or none.
 *
 * Pinned groups have counters, or are in error. Flexible groups share the remaining counters.
 * fair.c selects among them, and the selection changes at rotations, not at context switches.
 * The groups that had counters when a pmu_ctx was scheduled out, its plan, are scheduled in
 * again with it, with one add() per event. No sorting or search is done then, however many
 * groups wait. Waiting groups are tried as well only if the PMU has changed: the CPU is
 * another one, or groups have arrived, or left their counters, or others took some of the plan's.
 * That is looked at once in a switch, when all that it brings is scheduled in.
 *
 * The events of a plan stay ACTIVE while the pmu_ctx is scheduled out. They count as soon as
 * the clock of their sub-context runs. perf_event::oncpu shows whether an event has a counter.
 *
 * Context: The CPU concerned, irqs off. Caller must hold perf_cpu_lock(). Changes to a pmu_ctx that
 * is scheduled out only need the lock of its context.
 */
#include <linux/perf_give_way.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "batch.h"
#include "event_sched.h"
#include "fair.h"
#include "group_sched.h"
#include "pmu_ops.h"
#include "rotate.h"
#include "sched.h"

/*
 * This CPU may have a PMU with perf_cpu_pmu_context::freed or unsettled set: then
 * perf_sched_refill() has work. Only its own CPU reads and writes the flag, with irqs off, so a
 * context switch can test it without a lock.
 */
DEFINE_PER_CPU(bool, perf_sched_refill_due);

/* Let perf_sched_refill() schedule groups in on a PMU. */
static void perf_sched_fill_later(struct perf_cpu_pmu_context *cpc)
{
	cpc->freed = true;
	__this_cpu_write(perf_sched_refill_due, true);
}

/* Let perf_sched_refill() do so if the plans leave room. */
static void perf_sched_settle_later(struct perf_cpu_pmu_context *cpc)
{
	cpc->unsettled = true;
	__this_cpu_write(perf_sched_refill_due, true);
}

/* Note that counters have become free, if any group can use them. */
static void perf_sched_note_freed(struct perf_cpu_pmu_context *cpc)
{
	if (cpc->nr_waiting || perf_fair_has_unfit(cpc))
		perf_sched_fill_later(cpc);
}

static void perf_pmu_ctx_join(struct perf_cpu_pmu_context *cpc,
			      struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	if (list_empty(&cpc->pmu_ctxs))
		list_add_tail(&cpc->pmus_entry, &this_perf_cpu()->pmus);
	else
		perf_fair_level(cpc, pmu_ctx, now);
	cpc->full_at = 0;
	perf_sides_join(cpc, pmu_ctx, now);
	perf_pmu_ctx_set_here(pmu_ctx, cpc);

	/* the CPU's own pinned groups have priority over a task's */
	if (perf_ctx_is_task(pmu_ctx->ctx))
		list_add_tail(&pmu_ctx->cpu_entry, &cpc->pmu_ctxs);
	else
		list_add(&pmu_ctx->cpu_entry, &cpc->pmu_ctxs);
	cpc->nr_waiting += pmu_ctx->nr_waiting;
}

static void perf_pmu_ctx_leave(struct perf_cpu_pmu_context *cpc,
			       struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	cpc->full_at = 0;
	perf_sides_leave(cpc, pmu_ctx, now);
	list_del_init(&pmu_ctx->cpu_entry);
	cpc->nr_waiting -= pmu_ctx->nr_waiting;
	if (list_empty(&cpc->pmu_ctxs)) {
		list_del_init(&cpc->pmus_entry);
		cpc->freed = false;
		cpc->unsettled = false;
		cpc->due = false;
	}
}

/* Put a pinned group that does not fit into the error state, until it is enabled again. */
static void perf_sched_set_error(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_event *event;

	perf_ctx_changed(pmu_ctx->ctx);
	list_del_init(&leader->group_entry);
	pmu_ctx->nr_groups--;
	pmu_ctx->ctx->nr_enqueued--;
	perf_group_for_each_enabled(event, leader)
		perf_event_update_times(event, now);
	WRITE_ONCE(leader->state, PERF_EVENT_STATE_ERROR);
}

/* Schedule a pinned group of a task out, to @displaced, to make room for one of the CPU. */
static bool perf_sched_pinned_out(struct perf_cpu_pmu_context *cpc, struct list_head *displaced,
				  u64 now)
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
			list_move(&leader->group_entry, displaced);
			return true;
		}
	}
	return false;
}

/* The displaced groups have made room: they are in error. */
static void perf_sched_displaced_fail(struct perf_cpu_pmu_context *cpc,
				      struct list_head *displaced, u64 now)
{
	struct perf_event *leader, *next;

	list_for_each_entry_safe(leader, next, displaced, group_entry) {
		perf_sched_set_error(leader, now);
		if (!leader->pmu_ctx->nr_groups)
			perf_pmu_ctx_leave(cpc, leader->pmu_ctx, now);
	}
}

/* It was in vain: they get their counters back. */
static void perf_sched_displaced_return(struct perf_cpu_pmu_context *cpc,
					struct list_head *displaced, u64 now)
{
	struct perf_event *leader, *next;

	list_for_each_entry_safe(leader, next, displaced, group_entry) {
		if (perf_group_sched_in(cpc, leader, now))
			list_move_tail(&leader->group_entry, &leader->pmu_ctx->pinned);
	}
	/* none is left, unless a driver refuses what it took before */
	perf_sched_displaced_fail(cpc, displaced, now);
}

static bool perf_sched_make_room(struct perf_cpu_pmu_context *cpc,
				 const struct perf_event *leader, struct list_head *displaced,
				 u64 now)
{
	if (perf_fair_evict(cpc, now))
		return true;
	return !perf_ctx_is_task(leader->pmu_ctx->ctx) &&
	       perf_sched_pinned_out(cpc, displaced, now);
}

/*
 * Schedule a pinned group in. Other groups are scheduled out one by one until it fits. If it never
 * does, it alone is in error.
 */
static void perf_sched_pinned_in(struct perf_cpu_pmu_context *cpc,
				 struct perf_event *leader, u64 now)
{
	bool evicted = false, fits;
	LIST_HEAD(displaced);

	if (leader->state == PERF_EVENT_STATE_ACTIVE &&
	    likely(perf_group_resume(cpc, leader, now)))
		return;
	for (;;) {
		fits = perf_group_sched_in(cpc, leader, now);
		if (fits || !perf_sched_make_room(cpc, leader, &displaced, now))
			break;
		evicted = true;
	}
	if (fits) {
		perf_sched_displaced_fail(cpc, &displaced, now);
	} else {
		perf_sched_set_error(leader, now);
		perf_sched_displaced_return(cpc, &displaced, now);
	}
	/* more counters than the group needs may have been freed */
	if (evicted)
		perf_sched_note_freed(cpc);
}

static void perf_sched_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	cpc->freed = false;
	cpc->unsettled = false;
	if (cpc->due || !perf_fair_fill(cpc, now))
		perf_fair_rotate(cpc, now);
	perf_rotate_start(cpc, now);
}

/*
 * Schedule the flexible groups of the plan in again. If the slice of the pmu_ctx is over, they
 * are enqueued instead. If other groups have the counters by now, a rotation is due.
 *
 * Return: true if the plan is unchanged.
 */
static bool perf_sched_replay(struct perf_cpu_pmu_context *cpc,
			      struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	bool over = pmu_ctx->nr_waiting && perf_slice_is_over(pmu_ctx, now);
	struct perf_event *leader, *next;
	LIST_HEAD(ended);

	if (likely(!over) && perf_batch_resume(cpc, pmu_ctx))
		return true;
	list_for_each_entry_safe(leader, next, &pmu_ctx->running, group_entry) {
		if (unlikely(over))
			perf_group_sched_out(NULL, leader, now);
		else if (likely(perf_group_resume(cpc, leader, now)))
			continue;
		list_move_tail(&leader->group_entry, &ended);
	}
	if (likely(!over && list_empty(&ended)))
		return true;
	perf_fair_enqueue_all(cpc, &ended, now);
	cpc->due = true;
	perf_sched_fill_later(cpc);
	return false;
}

/* No group fits beside the plans on a PMU, and no unfit one is to be tried. */
static bool perf_sched_is_settled(const struct perf_cpu_pmu_context *cpc)
{
	const struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (!perf_plan_is_settled(pmu_ctx, cpc))
			return false;
	}
	return !perf_fair_has_untried(cpc);
}

/* All that a context switch brings is scheduled in: let waiting groups use what the plans leave. */
static void perf_sched_settle(struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (!cpc->freed && perf_sched_is_settled(cpc)) {
		cpc->unsettled = false;
		perf_rotate_start(cpc, now);
		return;
	}
	perf_pmu_disable(cpc->pmu);
	perf_sched_fill(cpc, now);
	perf_plans_note_settled(cpc);
	perf_pmu_enable(cpc->pmu);
}

static void perf_pmu_ctx_resume(struct perf_cpu_pmu_context *cpc,
				struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	struct perf_event *leader, *next;

	if (unlikely(!list_empty(&pmu_ctx->unfit))) {
		/* found unfit on another CPU, or something has changed since */
		if (pmu_ctx->unfit_stale || !perf_pmu_ctx_was_here(pmu_ctx, cpc))
			perf_sched_changed(cpc);
		pmu_ctx->unfit_stale = false;
		perf_fair_retry(cpc, now);
	}

	perf_pmu_ctx_join(cpc, pmu_ctx, now);
	perf_pmu_disable(cpc->pmu);
	list_for_each_entry_safe(leader, next, &pmu_ctx->pinned, group_entry)
		perf_sched_pinned_in(cpc, leader, now);
	if (perf_sched_replay(cpc, pmu_ctx, now))
		perf_slice_continue(cpc, pmu_ctx, now);
	if (!perf_plan_is_settled(pmu_ctx, cpc) || unlikely(!list_empty(&pmu_ctx->unfit)))
		perf_sched_settle_later(cpc);
	else if (cpc->nr_waiting)
		perf_rotate_start(cpc, now);
	perf_pmu_enable(cpc->pmu);

	if (unlikely(!pmu_ctx->nr_groups))
		perf_pmu_ctx_leave(cpc, pmu_ctx, now);
}

/* The PMU does not exist on this CPU: give the plan up. */
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
 * perf_sched_resume_plans() - give the groups of a sub-context their counters on this CPU
 * @subctx: the sub-context
 * @now: time at which its clock was started
 *
 * When all sub-contexts of a context switch are scheduled in, caller must call
 * perf_sched_fill_cpu() or perf_sched_refill() with the same @now, if perf_sched_refill_is_due().
 * So their plans come before groups that wait, and one rotation selects among all of their groups.
 */
void perf_sched_resume_plans(struct perf_subctx *subctx, u64 now)
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
	if (unlikely(cpc->exclusive) && cpc->exclusive->pmu_ctx == pmu_ctx)
		cpc->exclusive = NULL;
	perf_pmu_enable(cpc->pmu);
}

/**
 * perf_sched_suspend_plans() - take the counters of a sub-context's groups on this CPU
 * @subctx: the sub-context
 * @now: time at which its clock will be stopped
 */
void perf_sched_suspend_plans(struct perf_subctx *subctx, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		struct perf_cpu_pmu_context *cpc;

		if (!perf_pmu_ctx_is_on(pmu_ctx))
			continue;
		cpc = perf_this_cpc(pmu_ctx);
		perf_pmu_ctx_suspend(cpc, pmu_ctx);
		perf_pmu_ctx_leave(cpc, pmu_ctx, now);
		/* groups may have been unfit only because of these pinned groups */
		if (!list_empty(&pmu_ctx->pinned) && perf_fair_has_unfit(cpc))
			perf_sched_changed(cpc);
		if (cpc->nr_waiting || perf_fair_has_unfit(cpc))
			perf_sched_settle_later(cpc);
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
 * perf_sched_for_each_active() - call a function for each enabled event that may have a
 * counter here
 * @subctx: scheduled in on this CPU; locks as for perf_sched_resume_plans()
 * @fn: the function; must not move groups
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
		perf_pmu_ctx_join(cpc, pmu_ctx, now);
	perf_sides_pass(cpc, now);
	if (!leader->attr.pinned)
		perf_fair_place(leader, now);
	perf_pmu_disable(cpc->pmu);
	if (leader->attr.pinned) {
		perf_sched_pinned_in(cpc, leader, now);
	} else if (perf_group_sched_in(cpc, leader, now)) {
		leader->unfit_at = 0;
		list_add_tail(&leader->group_entry, &pmu_ctx->running);
	} else {
		perf_fair_enqueue_new(leader, now);
	}
	if (unlikely(cpc->freed))
		perf_sched_fill(cpc, now);
	else
		perf_rotate_start(cpc, now);
	perf_pmu_enable(cpc->pmu);
	if (unlikely(!pmu_ctx->nr_groups))
		perf_pmu_ctx_leave(cpc, pmu_ctx, now);
}

/*
 * Pinned groups of a PMU that a context may have while it is not on a CPU. All are tried when it is
 * scheduled in, with irqs off. No PMU of tasks has so many counters.
 */
#define PERF_PINNED_MOST	64

static bool perf_sched_too_many_pinned(const struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *leader;
	unsigned int nr = 0;

	/* they need no counters */
	if (pmu_ctx->pmu->task_ctx_nr == perf_sw_context)
		return false;
	list_for_each_entry(leader, &pmu_ctx->pinned, group_entry) {
		if (++nr > PERF_PINNED_MOST)
			return true;
	}
	return false;
}

/**
 * perf_sched_enqueue() - start scheduling a group
 * @leader: INACTIVE, attached, with a group PMU
 * @now: perf_ctx_now()
 *
 * The group is scheduled in at once if it fits. For a pinned group, other groups are scheduled
 * out until it fits. A flexible group that does not fit waits. A pinned group that cannot fit,
 * because there are too many of them, goes into the error state.
 */
void perf_sched_enqueue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;

	pmu_ctx->nr_groups++;
	pmu_ctx->ctx->nr_enqueued++;
	pmu_ctx->subctx->busy = true;
	perf_pmu_ctx_forget_generation(pmu_ctx);
	if (leader->attr.pinned)
		list_add_tail(&leader->group_entry, &pmu_ctx->pinned);

	if (pmu_ctx->subctx->clock.on && !perf_pmu_is_absent(pmu_ctx->pmu)) {
		perf_sched_enqueue_here(pmu_ctx, leader, now);
	} else if (!leader->attr.pinned) {
		perf_fair_place(leader, now);
		perf_fair_enqueue_new(leader, now);
	} else if (perf_sched_too_many_pinned(pmu_ctx)) {
		perf_sched_set_error(leader, now);
	}
}

/**
 * perf_sched_dequeue() - stop scheduling a group
 * @leader: ACTIVE or INACTIVE, enqueued
 * @now: perf_ctx_now()
 *
 * Its counters are left free until perf_sched_fill_waiting().
 */
void perf_sched_dequeue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	bool active = leader->state == PERF_EVENT_STATE_ACTIVE;
	struct perf_cpu_pmu_context *cpc = NULL;

	if (perf_pmu_ctx_is_on(pmu_ctx)) {
		cpc = perf_this_cpc(pmu_ctx);
		perf_sides_pass(cpc, now);
	}
	if (cpc && active)
		perf_pmu_disable(pmu_ctx->pmu);
	if (active)
		perf_group_sched_out(cpc, leader, now);
	if (cpc && active)
		perf_pmu_enable(pmu_ctx->pmu);

	perf_fair_dequeue(leader);
	list_del_init(&leader->group_entry);
	perf_fair_retry_ended(leader);
	pmu_ctx->nr_groups--;
	pmu_ctx->ctx->nr_enqueued--;
	perf_pmu_ctx_forget_generation(pmu_ctx);
	if (!leader->attr.pinned)
		perf_side_gone(cpc, pmu_ctx);
	if (!cpc) {
		perf_pmu_ctx_forget_unfit(pmu_ctx);
		return;
	}
	if (active) {
		perf_sched_changed(cpc);
		perf_sched_note_freed(cpc);
	}
	if (!pmu_ctx->nr_groups)
		perf_pmu_ctx_leave(cpc, pmu_ctx, now);
}

/* Schedule one more member of a group in that has counters. Return: false if it does not fit. */
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
 * perf_sched_sibling_in() - schedule an enabled sibling in with its group
 * @event: INACTIVE, attached; its leader is enqueued
 * @now: perf_ctx_now()
 *
 * If the group has counters, the sibling is added to them. If the sibling does not fit, the
 * whole group is dequeued and enqueued again. If the group waits, so does the sibling. If the
 * group is part of a plan that is scheduled out, the sibling joins the plan.
 */
void perf_sched_sibling_in(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return;
	if (perf_event_has_counter(leader)) {
		if (!perf_sched_join_group(event, now)) {
			perf_sched_dequeue(leader, now);
			perf_sched_enqueue(leader, now);
			return;
		}
	} else {
		perf_event_running_start(event, now);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
	}
	if (!leader->attr.pinned)
		perf_side_account(leader, now);
}

/**
 * perf_sched_sibling_gone() - note that a group needs fewer counters than before
 * @leader: enqueued; a sibling has been disabled or removed
 * @now: perf_ctx_now()
 */
void perf_sched_sibling_gone(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_cpu_pmu_context *cpc;

	if (!leader->attr.pinned)
		perf_side_account(leader, now);
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
 * perf_sched_fill_cpu() - schedule waiting groups in on the free counters of this CPU
 * @cpuctx: this CPU's context
 * @now: perf_time(); where clocks of sub-contexts were just started, the time of that
 *
 * Groups of the CPU and of the running task are scheduled in and out.
 *
 * Context: irqs off. Caller must hold the lock of @cpuctx, and the lock of @cpuctx->task_ctx if
 * there is one, as after perf_cpu_lock().
 */
void perf_sched_fill_cpu(struct perf_cpu_context *cpuctx, u64 now)
{
	struct perf_cpu_pmu_context *cpc;

	lockdep_assert_held(&cpuctx->ctx.lock);
	if (cpuctx->task_ctx)
		lockdep_assert_held(&cpuctx->task_ctx->lock);

	__this_cpu_write(perf_sched_refill_due, false);
	list_for_each_entry(cpc, &cpuctx->pmus, pmus_entry) {
		if (cpc->freed || cpc->unsettled)
			perf_sched_settle(cpc, now);
	}
}

/**
 * perf_sched_fill_here() - schedule waiting groups in after counters of this CPU became free
 *
 * Context: Locks as in perf_ctx_call().
 */
void perf_sched_fill_here(void)
{
	perf_sched_fill_cpu(this_perf_cpu(), perf_time());
}

/**
 * perf_sched_refill() - schedule waiting groups in if counters of this CPU became free, or
 * perf_sched_resume_plans() found that a rotation is due
 * @cpuctx: this CPU's context
 * @now: perf_time(); where clocks of sub-contexts were just started, the time of that, so that
 *	their groups lose no time against them
 *
 * Called if perf_sched_refill_is_due().
 *
 * Context: irqs off, no lock of a context held, maybe under the rq lock.
 */
void perf_sched_refill(struct perf_cpu_context *cpuctx, u64 now)
{
	perf_cpu_lock(cpuctx);
	perf_sched_fill_cpu(cpuctx, now);
	perf_cpu_unlock(cpuctx);
}

/* Schedule a group out that has counters: it waits, or is in error if it is pinned. */
static void perf_sched_give_way(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				u64 now)
{
	LIST_HEAD(evicted);

	perf_group_sched_out(cpc, leader, now);
	if (!leader->attr.pinned) {
		list_move(&leader->group_entry, &evicted);
		perf_fair_enqueue_all(cpc, &evicted, now);
		return;
	}
	perf_sched_set_error(leader, now);
	if (!leader->pmu_ctx->nr_groups)
		perf_pmu_ctx_leave(cpc, leader->pmu_ctx, now);
}

/**
 * perf_pmu_give_way() - let groups of this CPU give counters up that another CPU needs
 * @pmu: the PMU
 * @next: returns an event that has a counter of @pmu on this CPU, NULL if enough have given way.
 *	The driver must refuse the event until the other CPU has the counter.
 *
 * The group of each event is scheduled out. Then a rotation selects among the groups of this CPU.
 * So a driver can also call this on a CPU after another one has given way to it.
 *
 * Context: irqs off, no lock held. @next is called with irqs off and the PMU disabled, under the
 *	lock of the CPU's context.
 */
void perf_pmu_give_way(struct pmu *pmu, struct perf_event *(*next)(struct pmu *pmu))
{
	struct perf_cpu_pmu_context *cpc = this_cpu_ptr(pmu->cpu_pmu_context);
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event *event;
	u64 now;

	perf_cpu_lock(cpuctx);
	now = perf_time();
	perf_sides_pass(cpc, now);
	perf_pmu_disable(pmu);
	while ((event = next(pmu))) {
		if (WARN_ON_ONCE(event->oncpu < 0 || event->group_leader->group_pmu != pmu))
			break;
		perf_sched_give_way(cpc, event->group_leader, now);
	}
	if (!list_empty(&cpc->pmu_ctxs)) {
		perf_sched_changed(cpc);
		cpc->due = true;
		perf_sched_fill(cpc, now);
	}
	perf_pmu_enable(pmu);
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_sched_init_pmu_ctx() - initialise a pmu_ctx without groups
 * @pmu_ctx: zeroed, with its sub-context set
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
		/* 0 is not a valid generation, see perf_pmu_ctx_forget_generation() */
		cpc->generation = ((u64)cpu << PERF_GENERATION_BITS) + 1;
		INIT_LIST_HEAD(&cpc->pmu_ctxs);
		INIT_LIST_HEAD(&cpc->pmus_entry);
		perf_rotate_init(cpc);
	}
}

/**
 * perf_sched_cpu_gone() - cancel the rotation timer of a dead CPU, and forget its slice and lag
 * @cpc: the CPU's side of a PMU; no group is scheduled there any more
 *
 * Hotplug has moved the timer to another CPU if it was queued. It may have ended there: see
 * perf_rotate_tick().
 *
 * Context: May sleep.
 */
void perf_sched_cpu_gone(struct perf_cpu_pmu_context *cpc)
{
	hrtimer_cancel(&cpc->timer);
	cpc->timer_on = false;
	/* the interval may be lowered before the CPU comes back */
	cpc->slice_end = 0;
	cpc->retry_at = 0;
	cpc->retry_wait = 0;
	cpc->lag_to_new = 0;
}

/**
 * perf_sched_stop_pmu() - cancel all rotation timers of a PMU that is being unregistered
 * @pmu: the PMU; no event of it can be opened any more
 *
 * Context: May sleep.
 */
void perf_sched_stop_pmu(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->timer);
}
