// SPDX-License-Identifier: GPL-2.0
/*
 * Placing: groups on the counters of a PMU, all members or none.
 *
 * A set that is on queues its groups here, pinned ones first. Pinned groups
 * are on, or in error. Flexible groups share: they are tried in the order in
 * which they are owed time, and rotate.c lets them take turns when not all
 * fit. A group is owed time by how long it was on so far (placed_time); a
 * queue that comes on is shifted so that its most owed group stands level with
 * the most owed one that is here already: time spent off the CPU is no debt.
 *
 * Everything runs on the CPU concerned, irqs off, under perf_cpu_lock().
 */
#include "clones.h"
#include "context.h"
#include "event.h"
#include "group.h"
#include "place.h"
#include "pmu.h"
#include "state.h"

static struct perf_cpu_pmu_context *perf_place_here(struct pmu *pmu)
{
	return this_cpu_ptr(pmu->cpu_pmu_context);
}

static u64 perf_place_key(const struct perf_event *leader)
{
	return leader->placed_time + leader->pmu_ctx->time_shift;
}

static void perf_place_group_off(struct perf_cpu_pmu_context *cpc,
				 struct perf_event *leader, u64 now)
{
	u64 before = leader->total_time_running;
	struct perf_event *event;

	perf_group_for_each(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_halt(event, now);
	}
	leader->placed_time += leader->total_time_running - before;
	cpc->nr_placed--;
	cpc->exclusive = false;
}

/* Put a whole group on, or leave the PMU as it was. */
static bool perf_place_group_on(struct perf_cpu_pmu_context *cpc,
				struct perf_event *leader, u64 now)
{
	struct perf_event *event;
	struct pmu *pmu = cpc->pmu;
	/* where everything fits there is nothing to have for oneself */
	bool alone = leader->attr.exclusive && pmu->task_ctx_nr != perf_sw_context;

	if (cpc->exclusive || (alone && cpc->nr_placed))
		return false;

	perf_pmu_start_txn(pmu, PERF_PMU_TXN_ADD);
	perf_group_for_each(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE &&
		    perf_event_go(event, now))
			break;
	}
	if (!event && !perf_pmu_commit_txn(pmu)) {
		cpc->nr_placed++;
		cpc->exclusive = alone;
		return true;
	}

	perf_group_for_each(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_halt(event, now);
	}
	perf_pmu_cancel_txn(pmu);
	return false;
}

/**
 * perf_place_flexible_off - clear the counters for a rotation or a pinned group
 * @cpc: this CPU's side of a PMU, disabled
 * @now: perf_time()
 */
void perf_place_flexible_off(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *queue;
	struct perf_event *leader;

	list_for_each_entry(queue, &cpc->queues, cpu_entry) {
		list_for_each_entry(leader, &queue->flexible, group_entry) {
			if (leader->state == PERF_EVENT_STATE_ACTIVE)
				perf_place_group_off(cpc, leader, now);
		}
	}
}

static void perf_place_queue_off(struct perf_cpu_pmu_context *cpc,
				 struct perf_event_pmu_context *queue)
{
	list_del_init(&queue->cpu_entry);
	if (list_empty(&cpc->queues)) {
		list_del_init(&cpc->pmus_entry);
		cpc->nr_waiting = 0;
	}
}

static void perf_place_fail(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *queue = leader->pmu_ctx;
	struct perf_event *event;

	perf_clones_changed(queue->ctx);
	list_del_init(&leader->group_entry);
	queue->nr_groups--;
	queue->ctx->nr_placed--;
	perf_group_for_each(event, leader)
		perf_event_fold(event, now);
	WRITE_ONCE(leader->state, PERF_EVENT_STATE_ERROR);
}

static void perf_place_pinned(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *queue, *tmp;
	struct perf_event *leader, *next;

	list_for_each_entry_safe(queue, tmp, &cpc->queues, cpu_entry) {
		list_for_each_entry_safe(leader, next, &queue->pinned, group_entry) {
			if (leader->state != PERF_EVENT_STATE_INACTIVE ||
			    perf_place_group_on(cpc, leader, now))
				continue;
			perf_place_flexible_off(cpc, now);
			if (!perf_place_group_on(cpc, leader, now))
				perf_place_fail(leader, now);
		}
		if (!queue->nr_groups)
			perf_place_queue_off(cpc, queue);
	}
}

/* Of the groups not tried yet, the one that is owed most. */
static struct perf_event *perf_place_most_owed(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event *best = NULL;
	struct perf_event_pmu_context *queue;

	list_for_each_entry(queue, &cpc->queues, cpu_entry) {
		struct perf_event *leader = queue->cursor;

		if (leader && (!best || (s64)(perf_place_key(leader) -
					      perf_place_key(best)) < 0))
			best = leader;
	}
	if (best) {
		queue = best->pmu_ctx;
		queue->cursor = list_is_last(&best->group_entry, &queue->flexible) ?
				NULL : list_next_entry(best, group_entry);
	}
	return best;
}

static void perf_place_flexible(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *queue;
	struct perf_event *leader;
	bool first = true;

	list_for_each_entry(queue, &cpc->queues, cpu_entry)
		queue->cursor = list_first_entry_or_null(&queue->flexible,
							 struct perf_event,
							 group_entry);

	cpc->nr_waiting = 0;
	while ((leader = perf_place_most_owed(cpc))) {
		if (first)
			cpc->floor = perf_place_key(leader);
		first = false;
		if (leader->state == PERF_EVENT_STATE_INACTIVE &&
		    !perf_place_group_on(cpc, leader, now))
			cpc->nr_waiting++;
	}
}

/**
 * perf_place_fill - put on what fits
 * @cpc: this CPU's side of a PMU
 * @now: perf_time(); when groups go on because their set does, that at which the
 *	set's clock was started, so that they lose no time against it
 */
void perf_place_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	perf_pmu_disable(cpc->pmu);
	perf_place_pinned(cpc, now);
	perf_place_flexible(cpc, now);
	perf_pmu_enable(cpc->pmu);

	if (cpc->nr_waiting)
		perf_rotate_start(cpc);
}

static void perf_place_queue_on(struct perf_cpu_pmu_context *cpc,
				struct perf_event_pmu_context *queue)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event *owed;

	if (!list_empty(&queue->cpu_entry) || !queue->nr_groups)
		return;

	owed = list_first_entry_or_null(&queue->flexible, struct perf_event,
					group_entry);
	if (owed)
		queue->time_shift = cpc->floor - owed->placed_time;

	if (list_empty(&cpc->queues))
		list_add_tail(&cpc->pmus_entry, &cpuctx->pmus);
	/* the CPU's own pinned groups go before a task's */
	if (perf_ctx_is_task(queue->ctx))
		list_add_tail(&queue->cpu_entry, &cpc->queues);
	else
		list_add(&queue->cpu_entry, &cpc->queues);
}

/**
 * perf_place_set_on - a set's groups may count on this CPU now
 * @set: the set
 * @now: when its clock was started
 */
void perf_place_set_on(struct perf_event_set *set, u64 now)
{
	struct perf_event_pmu_context *queue;

	list_for_each_entry(queue, &set->pmu_ctx_list, set_entry) {
		struct pmu *pmu = queue->pmu;

		/* an empty queue may have outlived its PMU */
		if (!queue->nr_groups ||
		    (pmu->filter && pmu->filter(pmu, smp_processor_id())))
			continue;
		perf_place_queue_on(perf_place_here(pmu), queue);
		perf_place_fill(perf_place_here(pmu), now);
	}
}

/**
 * perf_place_set_off - a set's groups must leave the counters of this CPU
 * @set: the set
 * @now: when its clock will be stopped
 */
void perf_place_set_off(struct perf_event_set *set, u64 now)
{
	struct perf_event_pmu_context *queue;
	struct perf_event *leader;

	list_for_each_entry(queue, &set->pmu_ctx_list, set_entry) {
		struct perf_cpu_pmu_context *cpc;

		if (list_empty(&queue->cpu_entry))
			continue;
		cpc = perf_place_here(queue->pmu);
		perf_pmu_disable(queue->pmu);
		list_for_each_entry(leader, &queue->pinned, group_entry) {
			if (leader->state == PERF_EVENT_STATE_ACTIVE)
				perf_place_group_off(cpc, leader, now);
		}
		list_for_each_entry(leader, &queue->flexible, group_entry) {
			if (leader->state == PERF_EVENT_STATE_ACTIVE)
				perf_place_group_off(cpc, leader, now);
		}
		perf_pmu_enable(queue->pmu);
		perf_place_queue_off(cpc, queue);
	}
}

/**
 * perf_place_enqueue - a group wants to count
 * @leader: INACTIVE, attached, with a home
 * @now: perf_ctx_now()
 */
void perf_place_enqueue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *queue = leader->pmu_ctx;
	struct pmu *pmu = queue->pmu;
	struct perf_event *owed;

	/* A newcomer is owed as much as the one that is owed most, no more. */
	if (leader->attr.pinned) {
		list_add_tail(&leader->group_entry, &queue->pinned);
	} else {
		owed = list_first_entry_or_null(&queue->flexible,
						struct perf_event, group_entry);
		if (owed)
			leader->placed_time = max(leader->placed_time,
						  owed->placed_time);
		else if (!list_empty(&queue->cpu_entry))
			queue->time_shift = perf_place_here(pmu)->floor -
					    leader->placed_time;
		list_add(&leader->group_entry, &queue->flexible);
	}
	queue->nr_groups++;
	queue->ctx->nr_placed++;

	if (!queue->set->clock.on ||
	    (pmu->filter && pmu->filter(pmu, smp_processor_id())))
		return;
	perf_place_queue_on(perf_place_here(pmu), queue);
	perf_place_fill(perf_place_here(pmu), now);
}

/**
 * perf_place_dequeue - a group does not want to count any more
 * @leader: ACTIVE or INACTIVE, queued
 * @now: perf_ctx_now()
 */
void perf_place_dequeue(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *queue = leader->pmu_ctx;

	if (leader->state == PERF_EVENT_STATE_ACTIVE) {
		struct perf_cpu_pmu_context *cpc = perf_place_here(queue->pmu);

		perf_pmu_disable(queue->pmu);
		perf_place_group_off(cpc, leader, now);
		perf_pmu_enable(queue->pmu);
	}
	list_del_init(&leader->group_entry);
	queue->ctx->nr_placed--;
	if (!--queue->nr_groups && !list_empty(&queue->cpu_entry))
		perf_place_queue_off(perf_place_here(queue->pmu), queue);
}

static void perf_place_fill_cpu(struct perf_cpu_context *cpuctx)
{
	struct perf_cpu_pmu_context *cpc, *next;
	u64 now = perf_time();

	list_for_each_entry_safe(cpc, next, &cpuctx->pmus, pmus_entry) {
		if (cpc->nr_waiting)
			perf_place_fill(cpc, now);
	}
}

/**
 * perf_place_fill_waiting - counters may have become free in a context
 * @ctx: the context; locks as in perf_ctx_call()
 */
void perf_place_fill_waiting(struct perf_event_context *ctx)
{
	if (ctx->cpu >= 0)
		perf_place_fill_cpu(this_perf_cpu());
}

/* Only this CPU changes that, and irqs are off. */
static bool perf_place_any_waits(struct perf_cpu_context *cpuctx)
{
	struct perf_cpu_pmu_context *cpc;

	list_for_each_entry(cpc, &cpuctx->pmus, pmus_entry) {
		if (cpc->nr_waiting)
			return true;
	}
	return false;
}

/**
 * perf_place_refill - counters may have become free on this CPU
 * @cpuctx: this CPU's; irqs off, no lock held
 */
void perf_place_refill(struct perf_cpu_context *cpuctx)
{
	if (likely(!perf_place_any_waits(cpuctx)))
		return;
	perf_cpu_lock(cpuctx);
	perf_place_fill_cpu(cpuctx);
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_place_init_pmu - initialise the per-CPU side of a new PMU
 * @pmu: with cpu_pmu_context allocated and zeroed
 */
void perf_place_init_pmu(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc;
	int cpu;

	for_each_possible_cpu(cpu) {
		cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);
		cpc->pmu = pmu;
		cpc->cpu = cpu;
		INIT_LIST_HEAD(&cpc->queues);
		INIT_LIST_HEAD(&cpc->pmus_entry);
		perf_rotate_init(cpc);
	}
}

/**
 * perf_place_cpu_gone - a CPU is dead; its rotation, if it was due, is not
 * @pmu: the PMU
 * @cpu: the CPU; nothing is placed there any more; may sleep
 */
void perf_place_cpu_gone(struct pmu *pmu, int cpu)
{
	struct perf_cpu_pmu_context *cpc = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	hrtimer_cancel(&cpc->timer);
	cpc->timer_on = false;
}

/**
 * perf_place_stop_pmu - a PMU goes; no event of it can be opened any more
 * @pmu: the PMU; may sleep
 */
void perf_place_stop_pmu(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(pmu->cpu_pmu_context, cpu)->timer);
}
