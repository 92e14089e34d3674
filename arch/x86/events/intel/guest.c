// SPDX-License-Identifier: GPL-2.0
/*
 * What KVM shares of an Intel PMU with its guests: the counters that count in a
 * guest are not the ones that count outside, so VM entry and exit have to switch
 * the global control register. Only real machines show whether that works.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include "../core_pmu.h"

static DEFINE_PER_CPU(struct perf_guest_switch_msr, guest_global_ctrl);

/**
 * perf_guest_get_msrs() - MSRs that VM entry and exit have to switch
 * @nr: set to the number of them
 * @data: the struct kvm_pmu of the vCPU
 *
 * Context: Interrupts off, on the CPU that is about to enter the guest.
 * Return: an array that is valid until the next call on this CPU, NULL if @nr is 0.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	struct perf_guest_switch_msr *msr = this_cpu_ptr(&guest_global_ctrl);
	const struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	*nr = 0;
	if (!cpu->core || !cpu->core->regs->global_ctrl || x86_hw_modelled())
		return NULL;

	msr->msr = cpu->core->regs->global_ctrl;
	msr->host = x86_cpu_host_enables(cpu);
	msr->guest = x86_cpu_guest_enables(cpu);
	*nr = 1;
	return msr;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);

/**
 * x86_perf_get_lbr() - tell KVM which last branch records there are
 * @lbr: filled in; lbr->nr is 0 if guests cannot have any
 *
 * Task context.
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);
