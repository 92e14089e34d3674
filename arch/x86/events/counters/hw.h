/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to the PMU's registers. The drivers in this directory access MSRs and CPUID
 * through these functions only, so that a register-level emulator (lib/pmu_emulator/x86) can
 * replace the hardware. Without CONFIG_X86_PMU_EMULATOR they are the bare instructions.
 *
 * Context: any, NMI included. They access this CPU.
 */
#ifndef _X86_EVENTS_HW_H
#define _X86_EVENTS_HW_H

#include <asm/cpuid.h>
#include <asm/msr.h>
#include <asm/pmu_emulator.h>
#include <asm/processor.h>

/**
 * x86_hw_init() - initialise the emulator, if there is one
 *
 * Must be called before the other functions.
 *
 * Context: boot, one CPU.
 */
static inline void x86_hw_init(void)
{
	if (IS_ENABLED(CONFIG_X86_PMU_EMULATOR))
		x86_emu_init();
}

/**
 * x86_hw_read() - RDMSR of a register that is known to exist
 * @msr: MSR number
 *
 * Return: its value.
 */
static inline u64 x86_hw_read(u32 msr)
{
	u64 value;

	if (!x86_hw_emulated()) {
		rdmsrl(msr, value);
		return value;
	}
	return x86_emu_read(msr, &value, false) ? 0 : value;
}

/**
 * x86_hw_write() - WRMSR of a register that is known to exist
 * @msr: MSR number
 * @value: new value
 */
static inline void x86_hw_write(u32 msr, u64 value)
{
	if (x86_hw_emulated())
		x86_emu_write(msr, value, false);
	else
		wrmsrl(msr, value);
}

/**
 * x86_hw_read_safe() - RDMSR of a register that may not exist
 * @msr: MSR number
 * @value: output
 *
 * Return: 0 or a negative errno.
 */
static inline int x86_hw_read_safe(u32 msr, u64 *value)
{
	if (x86_hw_emulated())
		return x86_emu_read(msr, value, true);
	return rdmsrl_safe(msr, value);
}

/**
 * x86_hw_write_safe() - WRMSR of a register that may not exist
 * @msr: MSR number
 * @value: new value
 *
 * Return: 0 or a negative errno.
 */
static inline int x86_hw_write_safe(u32 msr, u64 value)
{
	if (x86_hw_emulated())
		return x86_emu_write(msr, value, true);
	return wrmsrl_safe(msr, value);
}

/**
 * x86_hw_rdpmc() - read a counter
 * @index: operand of RDPMC
 *
 * Return: the counter, zero-extended.
 */
static inline u64 x86_hw_rdpmc(u32 index)
{
	u64 value;

	if (x86_hw_emulated())
		return x86_emu_rdpmc(index);
	rdpmcl(index, value);
	return value;
}

/**
 * x86_hw_cpuid() - CPUID, as far as it describes the PMU
 * @leaf: basic or extended leaf; a leaf that does not exist reads as 0
 * @subleaf: ECX
 * @out: output, the four registers
 */
static inline void x86_hw_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	*out = (struct x86_hw_cpuid) { };
	if (x86_hw_emulated())
		x86_emu_cpuid(leaf, subleaf, out);
	else if (leaf <= cpuid_eax(leaf & 0x80000000))
		cpuid_count(leaf, subleaf, &out->reg[CPUID_EAX], &out->reg[CPUID_EBX],
			    &out->reg[CPUID_ECX], &out->reg[CPUID_EDX]);
}

/**
 * x86_hw_identity() - get vendor and model of the CPU
 * @id: output
 */
static inline void x86_hw_identity(struct x86_hw_identity *id)
{
	if (x86_hw_emulated())
		x86_emu_identity(id);
	else
		*id = (struct x86_hw_identity) {
			.vendor		= boot_cpu_data.x86_vendor,
			.family		= boot_cpu_data.x86,
			.model		= boot_cpu_data.x86_model,
			.stepping	= boot_cpu_data.x86_stepping,
		};
}

/**
 * x86_hw_counts_as_tested() - check whether what the driver does was tried on such hardware
 *
 * Context: any.
 * Return: true for an emulator, unless the boot parameter x86_pmu_emulator_untested is set.
 */
static inline bool x86_hw_counts_as_tested(void)
{
	return x86_hw_emulated() && !x86_emu_is_untested();
}

/**
 * x86_hw_interrupted() - get the registers for a sample
 * @regs: registers of the context that the NMI interrupted
 *
 * An emulator detects overflows in a timer's interrupt. The sample then shows the context
 * that the timer interrupted.
 *
 * Return: the registers.
 */
static inline struct pt_regs *x86_hw_interrupted(struct pt_regs *regs)
{
	return x86_hw_emulated() ? x86_emu_interrupted(regs) : regs;
}

#endif /* _X86_EVENTS_HW_H */
