// SPDX-License-Identifier: GPL-2.0
/*
 * Batches: a plan put back on a PMU, or taken off, with one call of its driver.
 *
 * For PMUs with add_batch() and del_batch(), at context switches. What the plan is
 * belongs to place.c, which goes group by group whenever a batch cannot be had:
 * there are too many events, a group has members of other PMUs, wants to be alone,
 * or not all fit on what the PMU has left now.
 *
 * On the CPU concerned, irqs off, under the locks of place.h, the PMU disabled.
 */
#include "batch.h"
#include "context.h"
#include "event.h"
#include "overflow.h"
#include "pmu.h"
#include "state.h"
#include "userpage.h"

/* more than PMUs of CPUs have counters; a batch is on the stack */
#define PERF_BATCH_MAX	32

/**
 * struct perf_batch - events that go together
 * @pmu: of all of them; without PERF_PMU_CAP_ITRACE
 * @nr: how many
 * @groups: of how many groups they are
 * @events: they
 */
struct perf_batch {
	struct pmu		*pmu;
	unsigned int		nr;
	unsigned int		groups;
	struct perf_event	*events[PERF_BATCH_MAX];
};

/* Those siblings that count; false if they cannot be part of a batch. */
static bool perf_batch_gather_siblings(struct perf_batch *batch,
				       struct perf_event *leader)
{
	struct perf_event *event;

	list_for_each_entry(event, &leader->sibling_list, sibling_list) {
		if (event->state != PERF_EVENT_STATE_ACTIVE)
			continue;
		if (event->pmu != batch->pmu || batch->nr == PERF_BATCH_MAX)
			return false;
		batch->events[batch->nr++] = event;
	}
	return true;
}

/* All of a plan that shares. Most groups are one event. */
static __always_inline bool perf_batch_gather(struct perf_batch *batch,
					      struct perf_event_pmu_context *queue)
{
	struct perf_event *leader;

	/* the rest is large, and need not be initialised */
	batch->pmu = queue->pmu;
	batch->nr = 0;
	batch->groups = 0;
	list_for_each_entry(leader, &queue->running, group_entry) {
		if (unlikely(leader->attr.exclusive) || leader->pmu != batch->pmu ||
		    batch->nr == PERF_BATCH_MAX)
			return false;
		batch->events[batch->nr++] = leader;
		batch->groups++;
		if (leader->nr_siblings && !perf_batch_gather_siblings(batch, leader))
			return false;
	}
	return batch->nr;
}

/* What perf_event_prepare() does, where almost all of it is not needed. */
static void perf_batch_prepare(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (unlikely(batch->events[i]->hw.interrupts == MAX_INTERRUPTS))
			perf_event_prepare(batch->events[i]);
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
 * perf_batch_resume - all groups of a plan that share get their counters again
 * @cpc: this CPU's side of the PMU, disabled
 * @queue: whose plan it is
 *
 * Return: false when they have to be tried one after the other.
 */
bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *queue)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_batch batch __uninitialized;

	if (!pmu->add_batch || cpc->exclusive || !perf_batch_gather(&batch, queue))
		return false;

	perf_batch_prepare(&batch);
	if (pmu->add_batch(pmu, batch.events, batch.nr)) {
		perf_batch_set_cpu(&batch, -1);
		return false;
	}
	barrier();
	perf_batch_set_cpu(&batch, queue->ctx->cpu);
	perf_batch_end(&batch);
	cpc->nr_placed += batch.groups;
	cpc->nr_running += batch.groups;
	return true;
}

/**
 * perf_batch_suspend - all groups of a plan that share lose their counters
 * @cpc: this CPU's side of the PMU, disabled
 * @queue: whose plan it is, all of it on
 *
 * Return: false when it has to be done one after the other.
 */
bool perf_batch_suspend(struct perf_cpu_pmu_context *cpc,
			struct perf_event_pmu_context *queue)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_batch batch __uninitialized;

	if (!pmu->del_batch || !perf_batch_gather(&batch, queue))
		return false;

	perf_batch_set_cpu(&batch, -1);
	pmu->del_batch(pmu, batch.events, batch.nr);
	perf_batch_end(&batch);
	cpc->nr_placed -= batch.groups;
	cpc->nr_running -= batch.groups;
	return true;
}
