/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups on and off together.
 */
#ifndef _KERNEL_EVENTS_BATCH_H
#define _KERNEL_EVENTS_BATCH_H

#include "sched.h"

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

/* A batch without events. The rest is large, and need not be initialised. */
static inline void perf_batch_begin(struct perf_batch *batch, struct pmu *pmu)
{
	batch->pmu = pmu;
	batch->nr = 0;
	batch->groups = 0;
}

bool perf_batch_gather_group(struct perf_batch *batch, struct perf_event *leader);

/**
 * perf_batch_gather() - one more group of a batch
 * @batch: what has been gathered
 * @leader: the group's leader, ACTIVE or INACTIVE as those before
 *
 * Most groups are one event.
 *
 * Return: false when it cannot be part of it.
 */
static __always_inline bool perf_batch_gather(struct perf_batch *batch,
					      struct perf_event *leader)
{
	if (unlikely(leader->nr_siblings || leader->attr.exclusive ||
		     leader->pmu != batch->pmu || batch->nr == PERF_BATCH_MAX))
		return perf_batch_gather_group(batch, leader);
	batch->events[batch->nr++] = leader;
	batch->groups++;
	return true;
}

void perf_batch_off(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now);
bool perf_batch_on(struct perf_cpu_pmu_context *cpc, struct perf_batch *batch, u64 now);
bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *pmu_ctx);
bool perf_batch_suspend(struct perf_cpu_pmu_context *cpc,
			struct perf_event_pmu_context *pmu_ctx);

#endif /* _KERNEL_EVENTS_BATCH_H */
