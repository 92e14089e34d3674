/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wrappers of the optional functions of a PMU. They define the default if a function is
 * absent.
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

/* On hybrid machines some CPUs lack a PMU. Context: irqs off. */
static inline bool perf_pmu_is_absent(struct pmu *pmu)
{
	return pmu->filter && pmu->filter(pmu, smp_processor_id());
}

#endif /* _KERNEL_EVENTS_PMU_OPS_H */
