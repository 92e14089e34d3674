// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's counters distinguish host and guest only while SVM is enabled. Without SVM, a
 * counter with AMD64_EVENTSEL_HOSTONLY counts nothing. So that bit is not set before KVM
 * has enabled SVM on the CPU. Counters that count are then programmed again.
 */
#include <linux/export.h>
#include "../core/schedule.h"
#include "../counters/core_pmu.h"

static void amd_virt_set_host_only(bool enable)
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
 * amd_pmu_enable_virt() - SVM was enabled on this CPU
 *
 * Context: preemption off.
 */
void amd_pmu_enable_virt(void)
{
	amd_virt_set_host_only(true);
}
EXPORT_SYMBOL_GPL(amd_pmu_enable_virt);

/**
 * amd_pmu_disable_virt() - SVM will be disabled on this CPU
 *
 * Context: preemption off.
 */
void amd_pmu_disable_virt(void)
{
	amd_virt_set_host_only(false);
}
EXPORT_SYMBOL_GPL(amd_pmu_disable_virt);
