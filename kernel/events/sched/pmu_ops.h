/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Optional functions of a PMU. What their absence means stands here once.
 */
#ifndef _KERNEL_EVENTS_PMU_OPS_H
#define _KERNEL_EVENTS_PMU_OPS_H

#include <linux/perf_event.h>

static inline void perf_pmu_start_txn(struct pmu *pmu, unsigned int flags)
{
	if (pmu->start_txn)
		pmu->start_txn(pmu, flags);
}

static inline int perf_pmu_commit_txn(struct pmu *pmu)
{
	return pmu->start_txn ? pmu->commit_txn(pmu) : 0;
}

static inline void perf_pmu_cancel_txn(struct pmu *pmu)
{
	if (pmu->start_txn)
		pmu->cancel_txn(pmu);
}

/* Hybrid machines have CPUs that lack a PMU; irqs off. */
static inline bool perf_pmu_is_absent(struct pmu *pmu)
{
	return pmu->filter && pmu->filter(pmu, smp_processor_id());
}

#endif /* _KERNEL_EVENTS_PMU_OPS_H */
