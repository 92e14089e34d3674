// SPDX-License-Identifier: GPL-2.0
/*
 * AMD counters tell host and guest apart only while SVM is enabled, so KVM says
 * when it enables and disables SVM on a CPU. Counters that are running then
 * have to be programmed anew; as long as there is no driver, none is.
 */
#include <linux/export.h>
#include <linux/perf_event.h>

/**
 * amd_pmu_enable_virt() - SVM is enabled on this CPU now
 *
 * Preemption off.
 */
void amd_pmu_enable_virt(void)
{
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt() - SVM is about to be disabled on this CPU
 *
 * Preemption off.
 */
void amd_pmu_disable_virt(void)
{
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);
