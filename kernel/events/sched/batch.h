/* SPDX-License-Identifier: GPL-2.0 */
/* Groups that are scheduled in or out together. */
#ifndef _KERNEL_EVENTS_BATCH_H
#define _KERNEL_EVENTS_BATCH_H

#include "cpu_pmu.h"

/* more than the counters of a CPU PMU; a batch is on the stack */
#define PERF_BATCH_MAX	32

/**
 * struct perf_batch - events that are scheduled in or out together
 * @pmu: PMU of all events; without PERF_PMU_CAP_ITRACE
 * @nr: number of events
 * @groups: number of groups they belong to
 * @events: the events
 */
struct perf_batch {
	struct pmu		*pmu;
	unsigned int		nr;
	unsigned int		groups;
	struct perf_event	*events[PERF_BATCH_MAX];
};

/* Begin a batch without events. @events is large, and need not be initialised. */
static inline void perf_batch_begin(struct perf_batch *batch, struct pmu *pmu)
{
	batch->pmu = pmu;
	batch->nr = 0;
	batch->groups = 0;
}

bool perf_batch_gather_group(struct perf_batch *batch, struct perf_event *leader);

/**
 * perf_batch_gather() - add a group to a batch
 * @batch: the batch
 * @leader: the group's leader, in the same state (ACTIVE or INACTIVE) as the groups before
 *
 * Inlined for groups of one event, which most groups are.
 *
 * Return: false if the group cannot be part of the batch.
 */
static inline bool perf_batch_gather(struct perf_batch *batch,
				     struct perf_event *leader)
{
	if (unlikely(leader->nr_siblings || leader->attr.exclusive ||
		     leader->pmu != batch->pmu || batch->nr == PERF_BATCH_MAX))
		return perf_batch_gather_group(batch, leader);
	batch->events[batch->nr++] = leader;
	batch->groups++;
	return true;
}

void perf_batch_sched_out(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now);
bool perf_batch_sched_in(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now);
bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *pmu_ctx);
bool perf_batch_suspend(struct perf_cpu_pmu_context *cpc,
			struct perf_event_pmu_context *pmu_ctx);

#endif /* _KERNEL_EVENTS_BATCH_H */
