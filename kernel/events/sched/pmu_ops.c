// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on a PMU of this CPU: its counters are stopped while groups are scheduled in or
 * out.
 */
#include <linux/percpu.h>

#include "pmu_ops.h"
#include "cpu_pmu.h"

/**
 * perf_pmu_disable() - stop the counters of a PMU on this CPU
 * @pmu: the PMU; nothing is done if it has no pmu_enable()
 *
 * Calls nest. Only the outermost call reaches the driver.
 *
 * Context: irqs off.
 */
void perf_pmu_disable(struct pmu *pmu)
{
	if (!pmu->pmu_enable)
		return;
	if (!this_cpu_ptr(pmu->cpu_pmu_context)->disable_count++ && pmu->pmu_disable)
		pmu->pmu_disable(pmu);
}

/**
 * perf_pmu_enable() - undo one perf_pmu_disable()
 * @pmu: the PMU
 *
 * Changes made in between take effect with the outermost call.
 *
 * Context: irqs off.
 */
void perf_pmu_enable(struct pmu *pmu)
{
	if (!pmu->pmu_enable)
		return;
	if (!--this_cpu_ptr(pmu->cpu_pmu_context)->disable_count)
		pmu->pmu_enable(pmu);
}
