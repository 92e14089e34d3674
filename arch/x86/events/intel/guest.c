// SPDX-License-Identifier: GPL-2.0
/*
 * Intel PMUs and KVM's guests. Counters that count in a guest differ from those that count in
 * the host, so VM entry and exit switch the registers that enable counters: global control, or
 * the event selects on a CPU without it (architectural version 1). What is recorded of the host,
 * by precise sampling and of its branches, is not recorded in a guest.
 *
 * KVM passes the values to the CPU, which loads them at VM entry and VM exit. An NMI may stop a
 * counter after the values have been computed. The guest then runs with the counter enabled, and
 * so does the host after VM exit, until the driver writes the register again. From the first
 * switch on, the driver does not skip a write because the register has the value already, see
 * x86_guest_cpu::switches. Without a status register, the NMI of such a counter is recognised
 * by x86_late::switched.
 *
 * Source: Intel SDM volume 3, "Loading MSRs" in the chapters on VM entries and VM exits.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include "../counters/counters.h"
#include "../counters/late.h"
#include "ds/pebs_cpu.h"
#include "guest.h"
#include "lbr/lbr.h"

static DEFINE_PER_CPU(struct intel_guest_msrs, guest_msrs);

static int intel_guest_fill_global(struct perf_guest_switch_msr *msr, const struct x86_cpu_pmu *cpu,
				   u64 host)
{
	msr->msr = cpu->core->regs->global_ctrl;
	msr->host = host;
	msr->guest = x86_cpu_guest_enables(cpu);
	return 1;
}

/* Each counter, so that KVM removes those that it need not switch any more. */
static int intel_guest_fill_selects(struct perf_guest_switch_msr *msr, struct x86_cpu_pmu *cpu,
				    u64 host)
{
	u64 guest = x86_cpu_guest_enables(cpu), todo;
	int nr = 0;

	x86_late_switched(cpu, host ^ guest);
	for (todo = cpu->core->counters; todo; todo &= todo - 1, nr++, msr++) {
		unsigned int idx = __ffs64(todo);
		u64 select = cpu->select[idx] & ~ARCH_PERFMON_EVENTSEL_ENABLE;

		msr->msr = x86_select_msr(cpu->core, idx);
		msr->host = select;
		msr->guest = select;
		if (host & BIT_ULL(idx))
			msr->host |= ARCH_PERFMON_EVENTSEL_ENABLE;
		if (guest & BIT_ULL(idx))
			msr->guest |= ARCH_PERFMON_EVENTSEL_ENABLE;
	}
	return nr;
}

/*
 * A record that the hardware writes in a guest would be in the guest's memory. KVM writes 0 before
 * VM entry as well, so that the CPU has stopped writing records.
 *
 * The other registers of precise sampling keep the host's values in a guest. No record needs them
 * there, and guests do not write them: KVM offers precise sampling to guests only if
 * x86_pmu_capability::pebs_ept is set, and emulates the registers otherwise.
 */
static int intel_guest_fill_precise(struct perf_guest_switch_msr *msr, struct x86_cpu_pmu *cpu)
{
	if (!cpu->core->side[X86_SIDE_PRECISE])
		return 0;
	msr->msr = MSR_IA32_PEBS_ENABLE;
	msr->host = pebs_before_guest(cpu);
	msr->guest = 0;
	return 1;
}

/**
 * intel_guest_fill() - list the MSRs that VM entry and exit switch
 * @cpu: this CPU's PMU, enabled
 * @msrs: output
 *
 * An MSR with equal values is not switched.
 *
 * Context: irqs off. An NMI may stop counters meanwhile.
 * Return: the number of MSRs.
 */
int intel_guest_fill(struct x86_cpu_pmu *cpu, struct intel_guest_msrs *msrs)
{
	u64 host = x86_cpu_host_enables(cpu);
	int nr, i;

	/* The last VM exit may have enabled counters that were stopped before it. */
	if (cpu->guest.switches && cpu->guest.exit_enables != host)
		x86_cpu_on(cpu);
	host = x86_cpu_host_enables(cpu);
	cpu->guest.exit_enables = host;
	if (cpu->core->regs->global_ctrl)
		nr = intel_guest_fill_global(msrs->msr, cpu, host);
	else
		nr = intel_guest_fill_selects(msrs->msr, cpu, host);
	nr += intel_guest_fill_precise(&msrs->msr[nr], cpu);
	nr += intel_arch_lbr_guest_fill(cpu->core, &msrs->msr[nr]);
	for (i = 0; i < nr; i++) {
		if (msrs->msr[i].host != msrs->msr[i].guest)
			cpu->guest.switches = true;
	}
	return nr;
}

/**
 * perf_guest_get_msrs() - get the MSRs that VM entry and exit switch
 * @nr: output, number of MSRs
 * @data: the struct kvm_pmu of the vCPU
 *
 * Context: irqs off, on the CPU that enters the guest.
 * Return: an array that is valid until the next call on this CPU, NULL if @nr is 0.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct intel_guest_msrs *msrs = this_cpu_ptr(&guest_msrs);

	*nr = 0;
	if (!cpu->core || x86_hw_emulated())
		return NULL;
	*nr = intel_guest_fill(cpu, msrs);
	return msrs->msr;
}
EXPORT_SYMBOL_GPL(perf_guest_get_msrs);

/**
 * intel_guest_lbr() - describe the last branch records of a core for guests
 * @core: the core
 * @lbr: output; lbr->nr is 0: there are none that guests can use
 *
 * Guests access the registers directly, and KVM switches what controls them only with a stack of
 * calls. Architectural records are not offered by KVM.
 *
 * Context: any.
 */
void intel_guest_lbr(const struct x86_core_pmu *core, struct x86_pmu_lbr *lbr)
{
	const struct x86_branches *branches = &core->branches;

	*lbr = (struct x86_pmu_lbr) { };
	if (!branches->ops || !branches->ops->lend || !(branches->can & X86_BRANCHES_STACK))
		return;
	lbr->nr = branches->depth;
	lbr->from = branches->from;
	lbr->to = branches->to;
	lbr->info = branches->info;
	lbr->has_callstack = true;
}

/**
 * x86_perf_get_lbr() - describe the last branch records that KVM can offer to guests
 * @lbr: output; lbr->nr is 0: guests are offered none
 *
 * Context: task.
 */
void x86_perf_get_lbr(struct x86_pmu_lbr *lbr)
{
	const struct x86_core_pmu *core = x86_core_pmus[0];

	memset(lbr, 0, sizeof(*lbr));
	/* A vCPU may run on any kind of cores. An emulator is not switched by VM entry and exit. */
	if (core && !core->kind && !x86_hw_emulated())
		intel_guest_lbr(core, lbr);
}
EXPORT_SYMBOL_GPL(x86_perf_get_lbr);
