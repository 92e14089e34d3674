// SPDX-License-Identifier: GPL-2.0
/*
 * AMD counters tell host and guest apart only while SVM is enabled. A counter
 * that is to count the host alone counts nothing without SVM, so the bit that
 * says so is left out until KVM enables it on a CPU; counters that are running
 * are then programmed anew.
 */
#include <linux/export.h>
#include "../core_pmu.h"

static void set_host_only(bool enable)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	unsigned long flags;

	local_irq_save(flags);
	cpu->host_only_bit = enable;
	if (cpu->core && cpu->core->host_guest)
		x86_sched_continue(cpu, x86_sched_pause(cpu));
	local_irq_restore(flags);
}

/**
 * amd_pmu_enable_virt() - SVM is enabled on this CPU now
 *
 * Preemption off.
 */
void amd_pmu_enable_virt(void)
{
	set_host_only(true);
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt() - SVM is about to be disabled on this CPU
 *
 * Preemption off.
 */
void amd_pmu_disable_virt(void)
{
	set_host_only(false);
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);
