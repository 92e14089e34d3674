/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the model that ../counters/hw.h calls in place of instructions, while
 * x86_hw_modelled() is true.
 *
 * Context: any, NMI included. They access this CPU.
 */
#ifndef _X86_EVENTS_MODEL_ACCESS_H
#define _X86_EVENTS_MODEL_ACCESS_H

#include <linux/types.h>
#include <asm/cpuid.h>
#include <asm/pmu_model.h>

struct pt_regs;

/**
 * struct x86_hw_identity - vendor and model of the CPU
 * @vendor: X86_VENDOR_*
 * @family: as in cpuinfo_x86::x86
 * @model: as in cpuinfo_x86::x86_model
 * @stepping: as in cpuinfo_x86::x86_stepping
 */
struct x86_hw_identity {
	u8	vendor;
	u8	family;
	u8	model;
	u8	stepping;
};

/* Output of CPUID: [CPUID_EAX] and so on. */
struct x86_hw_cpuid {
	u32	reg[CPUID_EDX + 1];
};

#ifdef CONFIG_X86_PMU_MODEL
static inline bool x86_hw_modelled(void)
{
	return static_branch_unlikely(&x86_pmu_model_key);
}
#else
static inline bool x86_hw_modelled(void)
{
	return false;
}
#endif

void x86_model_init(void);
bool x86_model_is_untested(void);
int x86_model_read(u32 msr, u64 *value, bool safe);
int x86_model_write(u32 msr, u64 value, bool safe);
u64 x86_model_rdpmc(u32 index);
void x86_model_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
void x86_model_identity(struct x86_hw_identity *id);
struct pt_regs *x86_model_interrupted(struct pt_regs *regs);

#endif /* _X86_EVENTS_MODEL_ACCESS_H */
