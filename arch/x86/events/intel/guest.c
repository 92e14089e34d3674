// SPDX-License-Identifier: GPL-2.0
/*
 * Intel PMUs and KVM's guests. Counters that count in a guest differ from those that
 * count in the host, so VM entry and exit switch the global control register. No test
 * covers this: it needs hardware.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include "../core_pmu.h"

static DEFINE_PER_CPU(struct perf_guest_switch_msr, guest_global_ctrl);

/**
 * perf_guest_get_msrs() - get the MSRs that VM entry and exit switch
 * @nr: output, number of MSRs
 * @data: the struct kvm_pmu of the vCPU
 *
 * Context: Interrupts disabled, on the CPU that enters the guest.
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
 * x86_perf_get_lbr() - describe the last branch records that KVM can offer to guests
 * @lbr: output; lbr->nr is 0, because there is no driver for them
 *
 * Context: Task.
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	memset(lbr, 0, sizeof(*lbr));
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);
