// SPDX-License-Identifier: GPL-2.0
/*
 * What KVM shares of an Intel PMU with its guests. While no driver programs
 * the PMU there is nothing to switch at VM entry, and nothing to share.
 */
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/string.h>

/**
 * perf_guest_get_msrs() - MSRs that VM entry and exit have to switch
 * @nr: set to the number of them
 * @data: the struct kvm_pmu of the vCPU
 *
 * Interrupts off, on the CPU that is about to enter the guest. Return: an array
 * that is valid until the next call on this CPU, NULL if @nr is 0.
 */
struct perf_guest_switch_msr *perf_guest_get_msrs(int *nr, void *data)
{
	*nr = 0;
	return NULL;
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
