// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: groups that are scheduled in or out together.
 *
 * At context switches, a batch is the flexible part of a plan. It takes one call of a driver
 * that has add_batch() and del_batch(). At rotations, one batch is scheduled out and another
 * one in. Without the driver's calls, events are added in one transaction. sched.c and fair_sched.c
 * select the groups, and fall back to single groups when a batch is not possible: there are
 * too many events, a group has members of other PMUs, a group is exclusive, or not all groups
 * fit on the free counters.
 *
 * __always_inline: a switch between tasks with hardware events takes 31 to 70 instructions less on
 * arm64, of 1,270 to 2,975 (make bench).
 *
 * Context: The CPU concerned, irqs off, locks as in cpu_pmu.h, the PMU disabled.
 */
#include "../base/event.h"
#include "../base/times.h"
#include "../output/userpage.h"
#include "../overflow/overflow.h"
#include "../software/follow.h"
#include "batch.h"
#include "event_sched.h"
#include "pmu_ops.h"
#include "sides.h"

/*
 * Add the siblings that are in the same state as their leader: ACTIVE, or about to be.
 * Siblings in another state, and followers, need not be part of the batch. Return: false if
 * the siblings cannot be part of the batch.
 */
static bool perf_batch_gather_siblings(struct perf_batch *batch,
				       struct perf_event *leader)
{
	struct perf_event *event;

	list_for_each_entry(event, &leader->sched_siblings, group_entry) {
		/* all further siblings are disabled, see perf_group_sort() */
		if (event->state < PERF_EVENT_STATE_INACTIVE)
			break;
		if (event->state != leader->state)
			continue;
		if (event->pmu != batch->pmu || batch->nr == PERF_BATCH_MAX)
			return false;
		batch->events[batch->nr++] = event;
	}
	return true;
}

/**
 * perf_batch_gather_group() - perf_batch_gather() for a group of several events
 * @batch: the batch
 * @leader: the group's leader
 *
 * Return: false if the group cannot be part of the batch.
 */
bool perf_batch_gather_group(struct perf_batch *batch, struct perf_event *leader)
{
	unsigned int nr = batch->nr;

	if (leader->attr.exclusive || leader->pmu != batch->pmu || nr == PERF_BATCH_MAX)
		return false;
	batch->events[batch->nr++] = leader;
	if (perf_batch_gather_siblings(batch, leader)) {
		batch->groups++;
		return true;
	}
	batch->nr = nr;
	return false;
}

/* Gather all flexible groups of a plan. */
static __always_inline bool perf_batch_gather_plan(struct perf_batch *batch,
						   struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *leader;

	perf_batch_begin(batch, pmu_ctx->pmu);
	list_for_each_entry(leader, &pmu_ctx->running, group_entry) {
		if (!perf_batch_gather(batch, leader))
			return false;
	}
	return batch->nr;
}

/*
 * As perf_event_prepare_add(), which has work only for throttled events here. Return: false if one
 * of the events is about to be disabled. A batch would start it: see perf_event_add_flags().
 */
static bool perf_batch_prepare(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct perf_event *event = batch->events[i];

		if (likely(!perf_event_is_halted(event)))
			continue;
		if (event->pending_disable)
			return false;
		perf_event_prepare_add(event);
	}
	return true;
}

/*
 * Set oncpu to @cpu, or to -1. Readers in NMI context test oncpu before they call the driver,
 * so it must be -1 while the driver has only part of an event.
 */
static void perf_batch_set_cpu(struct perf_batch *batch, int cpu)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		WRITE_ONCE(batch->events[i]->oncpu, cpu);
	barrier();
}

static void perf_batch_end(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		perf_userpage_changed(batch->events[i]);
}

/**
 * perf_batch_resume() - give all flexible groups of a plan their counters again
 * @cpc: this CPU's side of the PMU, disabled
 * @pmu_ctx: the pmu_ctx with the plan
 *
 * Return: false when the groups have to be tried one by one.
 */
bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *pmu_ctx)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_batch batch __uninitialized;

	if (!pmu->add_batch || cpc->exclusive || !perf_batch_gather_plan(&batch, pmu_ctx))
		return false;

	if (!perf_batch_prepare(&batch) || pmu->add_batch(pmu, batch.events, batch.nr))
		return false;
	barrier();
	perf_batch_set_cpu(&batch, pmu_ctx->ctx->cpu);
	perf_batch_end(&batch);
	cpc->nr_scheduled += batch.groups;
	cpc->nr_running += batch.groups;
	return true;
}

/**
 * perf_batch_suspend() - take the counters from all flexible groups of a plan
 * @cpc: this CPU's side of the PMU, disabled
 * @pmu_ctx: the pmu_ctx with the plan; all groups of the plan have counters
 *
 * Return: false when it has to be done one by one.
 */
bool perf_batch_suspend(struct perf_cpu_pmu_context *cpc,
			struct perf_event_pmu_context *pmu_ctx)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_batch batch __uninitialized;

	if (!pmu->del_batch || !perf_batch_gather_plan(&batch, pmu_ctx))
		return false;

	perf_batch_set_cpu(&batch, -1);
	pmu->del_batch(pmu, batch.events, batch.nr);
	perf_batch_end(&batch);
	cpc->nr_scheduled -= batch.groups;
	cpc->nr_running -= batch.groups;
	return true;
}

/* As add_batch(), for any PMU. */
static int perf_batch_add(struct perf_batch *batch)
{
	struct pmu *pmu = batch->pmu;
	unsigned int i;

	if (pmu->add_batch)
		return pmu->add_batch(pmu, batch->events, batch->nr);

	perf_pmu_start_txn(pmu, PERF_PMU_TXN_ADD);
	for (i = 0; i < batch->nr; i++) {
		if (pmu->add(batch->events[i], PERF_EF_START))
			break;
	}
	if (i == batch->nr && !perf_pmu_commit_txn(pmu))
		return 0;
	while (i--)
		pmu->del(batch->events[i], 0);
	perf_pmu_cancel_txn(pmu);
	return -EAGAIN;
}

static void perf_batch_del(struct perf_batch *batch)
{
	struct pmu *pmu = batch->pmu;

	if (pmu->del_batch) {
		pmu->del_batch(pmu, batch->events, batch->nr);
		return;
	}
	for (unsigned int i = 0; i < batch->nr; i++)
		pmu->del(batch->events[i], 0);
}

static void perf_batch_set_state(struct perf_batch *batch, enum perf_event_state state)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		WRITE_ONCE(batch->events[i]->state, state);
	barrier();
}

/*
 * Switch the followers of the batch's leaders. Caller must have changed the state of the
 * leaders.
 */
static void perf_batch_switch_followers(struct perf_batch *batch, bool on)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		perf_followers_switch(batch->events[i], on);
}

/* Note how many counters each group has got: all members are on the batch's PMU. */
static void perf_batch_set_used(struct perf_batch *batch)
{
	struct perf_event *leader = NULL;

	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i])) {
			leader = batch->events[i];
			leader->nr_used = 0;
		}
		leader->nr_used++;
	}
}

/**
 * perf_batch_sched_out() - schedule flexible groups out: perf_group_sched_out() for each group
 * @cpc: this CPU's side of the PMU, disabled
 * @batch: the groups, ACTIVE and with counters; the caller removes them from their list
 * @now: perf_time()
 */
void perf_batch_sched_out(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now)
{
	perf_batch_set_cpu(batch, -1);
	perf_batch_del(batch);
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct perf_event *event = batch->events[i];

		if (perf_event_leads(event)) {
			event->runtime = perf_pmu_ctx_clock(event->pmu_ctx, now) -
					     event->runtime_stamp;
			event->nr_used = 0;
		}
		perf_event_running_stop(event, now);
	}
	perf_batch_set_state(batch, PERF_EVENT_STATE_INACTIVE);
	perf_side_add(batch->events[0]->pmu_ctx, -(int)batch->nr, now);
	perf_batch_switch_followers(batch, false);
	perf_batch_end(batch);
	cpc->nr_scheduled -= batch->groups;
	cpc->nr_running -= batch->groups;
}

/**
 * perf_batch_sched_in() - schedule flexible groups in, all or none of them
 * @cpc: this CPU's side of the PMU, disabled
 * @batch: the groups, INACTIVE; the caller adds them to their list
 * @now: perf_time()
 *
 * Return: false when the groups have to be tried one by one.
 */
bool perf_batch_sched_in(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now)
{
	int cpu = batch->events[0]->ctx->cpu;

	for (unsigned int i = 0; i < batch->nr; i++) {
		struct perf_event *event = batch->events[i];

		if (perf_event_leads(event))
			event->runtime_stamp = perf_pmu_ctx_clock(event->pmu_ctx, now) -
					      event->runtime;
		perf_event_running_start(event, now);
	}
	perf_batch_set_state(batch, PERF_EVENT_STATE_ACTIVE);
	if (!perf_batch_prepare(batch) || perf_batch_add(batch)) {
		perf_batch_set_state(batch, PERF_EVENT_STATE_INACTIVE);
		return false;
	}
	barrier();
	perf_batch_set_cpu(batch, cpu);
	perf_batch_set_used(batch);
	perf_side_add(batch->events[0]->pmu_ctx, batch->nr, now);
	perf_batch_switch_followers(batch, true);
	perf_batch_end(batch);
	cpc->nr_scheduled += batch->groups;
	cpc->nr_running += batch->groups;
	return true;
}
