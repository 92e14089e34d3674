/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Intel PMUs and KVM's guests, see guest.c.
 */
#ifndef _X86_EVENTS_INTEL_GUEST_H
#define _X86_EVENTS_INTEL_GUEST_H

#include "../counters/core_pmu.h"

/**
 * struct intel_guest_msrs - MSRs that VM entry and exit switch
 * @msr: global control, or the event select of each counter; then what records. Without global
 *	control nothing records
 */
struct intel_guest_msrs {
	struct perf_guest_switch_msr	msr[INTEL_PMC_MAX_GENERIC];
};

int intel_guest_fill(struct x86_cpu_pmu *cpu, struct intel_guest_msrs *msrs);

void intel_guest_lbr(const struct x86_core_pmu *core, struct x86_pmu_lbr *lbr);

#endif /* _X86_EVENTS_INTEL_GUEST_H */
