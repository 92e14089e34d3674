/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters at register level, see counters.c.
 */
#ifndef _X86_EVENTS_COUNTERS_H
#define _X86_EVENTS_COUNTERS_H

#include "core_pmu.h"

static inline bool x86_counter_is_fixed(unsigned int idx)
{
	return idx >= INTEL_PMC_IDX_FIXED;
}

/* The operand of RDPMC that reads a counter. */
static inline int x86_counter_rdpmc(int idx)
{
	if (idx < INTEL_PMC_IDX_FIXED)
		return idx;
	return INTEL_PMC_FIXED_RDPMC_BASE | (idx - INTEL_PMC_IDX_FIXED);
}

void x86_counters_clear(struct x86_cpu_pmu *cpu);
void x86_counters_forget(struct x86_cpu_pmu *cpu);
void x86_counters_reset(struct x86_cpu_pmu *cpu);
u64 x86_counters_clear_dirty(struct x86_cpu_pmu *cpu, u64 counters);
void x86_counter_select(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config);
void x86_counter_connect(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config);
void x86_counter_disconnect(struct x86_cpu_pmu *cpu, unsigned int idx);
void x86_counter_set(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value);
void x86_cpu_on(struct x86_cpu_pmu *cpu);
void x86_cpu_off(struct x86_cpu_pmu *cpu);
bool x86_cpu_leave_off(struct x86_cpu_pmu *cpu);
u64 x86_cpu_overflowed(struct x86_cpu_pmu *cpu);
void x86_counters_ignore(struct x86_cpu_pmu *cpu, u64 status, u64 idle);
u64 x86_cpu_wrapped(u64 counters, const struct x86_core_pmu *core);
u64 x86_cpu_host_enables(const struct x86_cpu_pmu *cpu);
u64 x86_cpu_guest_enables(const struct x86_cpu_pmu *cpu);
u32 x86_counter_msr(const struct x86_core_pmu *core, unsigned int idx);
u32 x86_select_msr(const struct x86_core_pmu *core, unsigned int idx);

#endif /* _X86_EVENTS_COUNTERS_H */
