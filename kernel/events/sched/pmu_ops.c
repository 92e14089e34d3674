// SPDX-License-Identifier: GPL-2.0
/*
 * What may be done to a PMU on this CPU: counters stand still while groups come and go.
 */
#include <linux/percpu.h>

#include "pmu_ops.h"
#include "sched.h"

/**
 * perf_pmu_disable() - let a PMU's counters stand still on this CPU
 * @pmu: the PMU; nothing happens if it cannot
 *
 * Nests; only the outermost call reaches the driver. irqs off.
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
 * What was changed in between takes effect with the outermost one. irqs off.
 */
void perf_pmu_enable(struct pmu *pmu)
{
	if (!pmu->pmu_enable)
		return;
	if (!--this_cpu_ptr(pmu->cpu_pmu_context)->disable_count)
		pmu->pmu_enable(pmu);
}

/**
 * perf_sched_cb_inc() - a PMU wants sched_task() calls on this CPU
 * @pmu: the PMU, disabled; from its add(), irqs off
 *
 * Counted; perf_sched_cb_dec() on the same CPU. The event also has to have
 * PERF_ATTACH_SCHED_CB, which makes the scheduler look at all.
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	this_cpu_ptr(pmu->cpu_pmu_context)->sched_cb_usage++;
}

/**
 * perf_sched_cb_dec() - undo one perf_sched_cb_inc()
 * @pmu: the PMU, disabled; from its del(), irqs off
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	this_cpu_ptr(pmu->cpu_pmu_context)->sched_cb_usage--;
}
