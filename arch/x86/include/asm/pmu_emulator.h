/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layer between the kernel and the emulator of a PMU (CONFIG_X86_PMU_EMULATOR): all functions
 * of the emulator that others call. The drivers reach it through arch/x86/events/counters/hw.h. The
 * entry code reports changes of the mode, so that the emulator counts user mode and the kernel
 * apart. Without CONFIG_X86_PMU_EMULATOR x86_hw_emulated() is a constant false, and the entry code
 * calls nothing.
 */
#ifndef _ASM_X86_PMU_EMULATOR_H
#define _ASM_X86_PMU_EMULATOR_H

#include <linux/types.h>

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
	u32	reg[4];
};

/*
 * In place of instructions, while x86_hw_emulated() is true.
 *
 * Context: any, NMI included. They access this CPU.
 */
int x86_emu_read(u32 msr, u64 *value, bool safe);
int x86_emu_write(u32 msr, u64 value, bool safe);
u64 x86_emu_rdpmc(u32 index);
void x86_emu_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
void x86_emu_identity(struct x86_hw_identity *id);
struct pt_regs *x86_emu_interrupted(struct pt_regs *regs);

/* Once at boot, before the others. */
void x86_emu_init(void);
bool x86_emu_is_untested(void);

#ifdef CONFIG_X86_PMU_EMULATOR
#include <linux/jump_label.h>

DECLARE_STATIC_KEY_FALSE(x86_pmu_emulator_key);

static inline bool x86_hw_emulated(void)
{
	return static_branch_unlikely(&x86_pmu_emulator_key);
}

void x86_emu_enter_kernel(void);
void x86_emu_prepare_user(void);
void x86_emu_enter_user(void);

/* The CPU has left user mode. Interrupts are disabled, no instrumentation. */
static __always_inline void pmu_emu_enter_kernel(void)
{
	if (static_branch_unlikely(&x86_pmu_emulator_key))
		x86_emu_enter_kernel();
}

/* The CPU will return to user mode. Interrupts are disabled. */
static inline void pmu_emu_prepare_user(void)
{
	if (static_branch_unlikely(&x86_pmu_emulator_key))
		x86_emu_prepare_user();
}

/* The CPU returns to user mode now. Interrupts are disabled, no instrumentation. */
static __always_inline void pmu_emu_enter_user(void)
{
	if (static_branch_unlikely(&x86_pmu_emulator_key))
		x86_emu_enter_user();
}
#else
static inline bool x86_hw_emulated(void)
{
	return false;
}

static __always_inline void pmu_emu_enter_kernel(void) { }
static inline void pmu_emu_prepare_user(void) { }
static __always_inline void pmu_emu_enter_user(void) { }
#endif

#endif /* _ASM_X86_PMU_EMULATOR_H */
