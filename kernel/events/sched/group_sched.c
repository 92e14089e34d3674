// SPDX-License-Identifier: GPL-2.0
/*
 * One group is scheduled in or out: all of its members, or none.
 *
 * The functions here do what they are called for. fair.c and sched.c decide which group it is.
 *
 * Context: The CPU concerned, irqs off, locks as in cpu_pmu.h.
 */
#include "../base/event.h"
#include "../base/times.h"
#include "event_sched.h"
#include "group_sched.h"
#include "pmu_ops.h"
#include "sides.h"

static bool perf_group_is_exclusive(const struct perf_event *leader)
{
	/* on a PMU without a limit of events there are no counters to be exclusive on */
	return unlikely(leader->attr.exclusive) &&
	       leader->group_pmu->task_ctx_nr != perf_sw_context;
}

/*
 * The PMU is reserved for an exclusive group, or @leader needs it exclusively and it is in use. A
 * flexible group shares it with pinned groups, whichever comes first: it would never count beside
 * the watchdog otherwise.
 */
static bool perf_sched_is_exclusive(const struct perf_cpu_pmu_context *cpc,
				    const struct perf_event *leader)
{
	if (unlikely(cpc->exclusive) && !(leader->attr.pinned && !cpc->exclusive->attr.pinned))
		return true;
	return perf_group_is_exclusive(leader) &&
	       (leader->attr.pinned ? cpc->nr_scheduled : cpc->nr_running);
}

static void perf_sched_set_active(struct perf_cpu_pmu_context *cpc,
				  struct perf_event *leader)
{
	cpc->nr_scheduled++;
	if (!leader->attr.pinned)
		cpc->nr_running++;
	if (perf_group_is_exclusive(leader))
		cpc->exclusive = leader;
}

/**
 * perf_group_sched_out() - schedule a group out
 * @cpc: this CPU's side of the PMU, disabled; NULL if the group has no counters there
 * @leader: the group's leader, ACTIVE; the caller removes it from its list
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
		if (unlikely(cpc->exclusive == leader))
			cpc->exclusive = NULL;
	}
	leader->runtime = perf_pmu_ctx_clock(leader->pmu_ctx, now) -
			      leader->runtime_stamp;
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
	}
	if (!leader->attr.pinned)
		perf_side_account(leader, now);
}

/**
 * perf_group_sched_in() - schedule a whole group in, or leave the PMU unchanged
 * @cpc: this CPU's side of the PMU, disabled
 * @leader: the group's leader, INACTIVE
 * @now: perf_ctx_now()
 *
 * Return: true when the group is scheduled in. The caller must add it to a list.
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
		perf_sched_set_active(cpc, leader);
		if (!leader->attr.pinned)
			perf_side_account(leader, now);
		return true;
	}

	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
	}
	perf_pmu_cancel_txn(pmu);
	return false;
}

/**
 * perf_group_resume() - give a group of the plan counters again
 * @cpc: this CPU's side of the PMU, disabled
 * @leader: the group's leader, ACTIVE, without counters
 * @now: perf_time()
 *
 * Return: true on success. Otherwise the group is INACTIVE, and the caller must remove it from
 * the plan.
 */
bool perf_group_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event *leader, u64 now)
{
	struct pmu *pmu = cpc->pmu;
	struct perf_event *event;

	if (perf_sched_is_exclusive(cpc, leader)) {
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
		perf_sched_set_active(cpc, leader);
		return true;
	}
	perf_group_sched_out(NULL, leader, now);
	perf_pmu_cancel_txn(pmu);
	return false;
}

/**
 * perf_group_suspend() - take the counters of a group away, which stays in the plan
 * @leader: the group's leader, ACTIVE; its PMU is disabled
 */
void perf_group_suspend(struct perf_event *leader)
{
	struct perf_event *event;

	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_del(event);
	}
}
