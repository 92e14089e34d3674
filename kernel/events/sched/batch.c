// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: groups put on a PMU together, or taken off.
 *
 * At context switches for PMUs with add_batch() and del_batch(): the plan, with one
 * call of the driver. At rotations those that go and those that come; where the driver
 * has no such call, with one transaction. Who that is belongs to sched.c and fair.c,
 * which go group by group whenever a batch cannot be had: there are too many events, a
 * group has members of other PMUs, wants to be alone, or not all fit on what the PMU
 * has left now.
 *
 * On the CPU concerned, irqs off, under the locks of sched.h, the PMU disabled.
 */
#include "../base/event.h"
#include "../base/times.h"
#include "../output/userpage.h"
#include "../overflow/overflow.h"
#include "../software/follow.h"
#include "batch.h"
#include "event_sched.h"
#include "sched.h"
#include "pmu_ops.h"

/*
 * Siblings as their leader: on, or about to be; false if they cannot be of a batch. Those
 * that follow need not.
 */
static bool perf_batch_gather_siblings(struct perf_batch *batch,
				       struct perf_event *leader)
{
	struct perf_event *event;

	list_for_each_entry(event, &leader->sched_siblings, group_entry) {
		/* the rest is disabled, see perf_group_sort() */
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
 * perf_batch_gather_group() - perf_batch_gather() of a group of several events
 * @batch: what has been gathered
 * @leader: the group's leader
 *
 * Return: false when it cannot be part of it.
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

/* All of a plan that shares. */
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

/* What perf_event_prepare_add() does, where almost all of it is not needed. */
static void perf_batch_prepare(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (unlikely(batch->events[i]->hw.interrupts == MAX_INTERRUPTS))
			perf_event_prepare_add(batch->events[i]);
	}
}

/*
 * On @cpu, or -1: nowhere. Who reads an event in an NMI goes by that, so it is -1
 * while the driver has the event by halves.
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
 * perf_batch_resume() - all groups of a plan that share get their counters again
 * @cpc: this CPU's side of the PMU, disabled
 * @pmu_ctx: whose plan it is
 *
 * Return: false when they have to be tried one after the other.
 */
bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *pmu_ctx)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_batch batch __uninitialized;

	if (!pmu->add_batch || cpc->exclusive || !perf_batch_gather_plan(&batch, pmu_ctx))
		return false;

	perf_batch_prepare(&batch);
	if (pmu->add_batch(pmu, batch.events, batch.nr))
		return false;
	barrier();
	perf_batch_set_cpu(&batch, pmu_ctx->ctx->cpu);
	perf_batch_end(&batch);
	cpc->nr_scheduled += batch.groups;
	cpc->nr_running += batch.groups;
	return true;
}

/**
 * perf_batch_suspend() - all groups of a plan that share lose their counters
 * @cpc: this CPU's side of the PMU, disabled
 * @pmu_ctx: whose plan it is, all of it on
 *
 * Return: false when it has to be done one after the other.
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

/* Those of the leaders, whose state is set. */
static void perf_batch_switch_followers(struct perf_batch *batch, bool on)
{
	for (unsigned int i = 0; i < batch->nr; i++)
		perf_followers_switch(batch->events[i], on);
}

/**
 * perf_batch_off() - groups that share go off: perf_group_sched_out() of each
 * @cpc: this CPU's side of the PMU, disabled
 * @batch: they, ACTIVE and with counters; the caller takes them off their list
 * @now: perf_time()
 */
void perf_batch_off(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now)
{
	perf_batch_set_cpu(batch, -1);
	perf_batch_del(batch);
	for (unsigned int i = 0; i < batch->nr; i++) {
		struct perf_event *event = batch->events[i];

		if (perf_event_leads(event))
			event->runtime = perf_pmu_ctx_clock(event->pmu_ctx, now) -
					     event->runtime_stamp;
		perf_event_running_stop(event, now);
	}
	perf_batch_set_state(batch, PERF_EVENT_STATE_INACTIVE);
	perf_batch_switch_followers(batch, false);
	perf_batch_end(batch);
	cpc->nr_scheduled -= batch->groups;
	cpc->nr_running -= batch->groups;
}

/**
 * perf_batch_on() - groups that share come on, or none of them
 * @cpc: this CPU's side of the PMU, disabled
 * @batch: they, INACTIVE; the caller puts them on their list
 * @now: perf_time()
 *
 * Return: false when they have to be tried one after the other.
 */
bool perf_batch_on(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now)
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
	perf_batch_prepare(batch);
	if (perf_batch_add(batch)) {
		perf_batch_set_state(batch, PERF_EVENT_STATE_INACTIVE);
		return false;
	}
	barrier();
	perf_batch_set_cpu(batch, cpu);
	perf_batch_switch_followers(batch, true);
	perf_batch_end(batch);
	cpc->nr_scheduled += batch->groups;
	cpc->nr_running += batch->groups;
	return true;
}
