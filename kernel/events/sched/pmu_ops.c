// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on a PMU of this CPU: its counters are stopped while groups are scheduled in or
 * out.
 */
#include <linux/percpu.h>

#include "pmu_ops.h"
#include "sched.h"

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

/**
 * perf_sched_cb_inc() - request sched_task() calls on this CPU
 * @pmu: the PMU, disabled
 *
 * Requests are counted. Each must be matched by a perf_sched_cb_dec() on the same CPU. The
 * event must also have PERF_ATTACH_SCHED_CB, without which the context switch does not check
 * for requests.
 *
 * Context: From the PMU's add(), irqs off.
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	this_cpu_ptr(pmu->cpu_pmu_context)->sched_cb_usage++;
}

/**
 * perf_sched_cb_dec() - undo one perf_sched_cb_inc()
 * @pmu: the PMU, disabled
 *
 * Context: From the PMU's del(), irqs off.
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	this_cpu_ptr(pmu->cpu_pmu_context)->sched_cb_usage--;
}
