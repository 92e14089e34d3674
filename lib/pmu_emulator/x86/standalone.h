/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access of the stand-alone drivers to registers of the emulator. The drivers are unchanged
 * and access registers directly. For their files only, macros replace the functions that
 * access registers. Registers that the emulator does not have are accessed on the machine.
 */
#ifndef _PMU_EMULATOR_X86_STANDALONE_H
#define _PMU_EMULATOR_X86_STANDALONE_H

#include <asm/apic.h>
#include <asm/cpuid.h>
#include <asm/msr.h>
#include <asm/pmu_emulator.h>
#include <asm/processor.h>
#include "standalone_iommu.h"

bool x86_emu_standalone_read(u32 msr, u64 *value);
bool x86_emu_standalone_write(u32 msr, u64 value);
bool x86_emu_standalone_rdpmc(u32 index, u64 *value);
bool x86_emu_standalone_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out);
bool x86_emu_standalone_eilvt(u8 offset, u32 entry);

static inline u64 x86_standalone_read(u32 msr)
{
	u64 value;

	if (!x86_hw_emulated() || !x86_emu_standalone_read(msr, &value))
		rdmsrl(msr, value);
	return value;
}

static inline int x86_standalone_read_safe(u32 msr, u64 *value)
{
	if (x86_hw_emulated() && x86_emu_standalone_read(msr, value))
		return 0;
	return rdmsrl_safe(msr, value);
}

static inline void x86_standalone_write(u32 msr, u64 value)
{
	if (!x86_hw_emulated() || !x86_emu_standalone_write(msr, value))
		wrmsrl(msr, value);
}

static inline u64 x86_standalone_rdpmc(u32 index)
{
	u64 value;

	if (!x86_hw_emulated() || !x86_emu_standalone_rdpmc(index, &value))
		rdpmcl(index, value);
	return value;
}

static inline struct x86_hw_cpuid x86_standalone_cpuid(u32 leaf, u32 subleaf)
{
	struct x86_hw_cpuid out = { };

	if (!x86_hw_emulated() || !x86_emu_standalone_cpuid(leaf, subleaf, &out))
		cpuid_count(leaf, subleaf, &out.reg[CPUID_EAX], &out.reg[CPUID_EBX],
			    &out.reg[CPUID_ECX], &out.reg[CPUID_EDX]);
	return out;
}

static inline void x86_standalone_cpuid_to(u32 leaf, u32 subleaf, u32 *eax, u32 *ebx, u32 *ecx,
					   u32 *edx)
{
	struct x86_hw_cpuid out = x86_standalone_cpuid(leaf, subleaf);

	*eax = out.reg[CPUID_EAX];
	*ebx = out.reg[CPUID_EBX];
	*ecx = out.reg[CPUID_ECX];
	*edx = out.reg[CPUID_EDX];
}

#ifdef CONFIG_X86_LOCAL_APIC
static inline int x86_standalone_eilvt(u8 offset, u8 vector, u8 type, u8 mask)
{
	if (x86_hw_emulated() &&
	    x86_emu_standalone_eilvt(offset, mask << 16 | type << 8 | vector))
		return 0;
	return setup_APIC_eilvt(offset, vector, type, mask);
}

#define setup_APIC_eilvt		x86_standalone_eilvt
#endif

#undef rdmsrl
#undef wrmsrl
#undef rdpmcl
#undef cpuid
#undef cpuid_count
#define rdmsrl(_msr, _value)		((_value) = x86_standalone_read(_msr))
#define wrmsrl(_msr, _value)		x86_standalone_write(_msr, _value)
#define rdpmcl(_index, _value)		((_value) = x86_standalone_rdpmc(_index))
#define rdmsrl_safe			x86_standalone_read_safe
#define cpuid_eax(_leaf)		(x86_standalone_cpuid(_leaf, 0).reg[CPUID_EAX])
#define cpuid_ebx(_leaf)		(x86_standalone_cpuid(_leaf, 0).reg[CPUID_EBX])
#define cpuid_ecx(_leaf)		(x86_standalone_cpuid(_leaf, 0).reg[CPUID_ECX])
#define cpuid(_leaf, ...)		x86_standalone_cpuid_to(_leaf, 0, __VA_ARGS__)
#define cpuid_count(_leaf, ...)		x86_standalone_cpuid_to(_leaf, __VA_ARGS__)

#define amd_iommu_pc_supported		x86_emu_iommu_supported
#define amd_iommu_get_num_iommus	x86_emu_iommu_number
#define get_amd_iommu			x86_emu_iommu_get
#define amd_iommu_pc_get_max_banks	x86_emu_iommu_banks
#define amd_iommu_pc_get_max_counters	x86_emu_iommu_counters
#define amd_iommu_pc_get_reg		x86_emu_iommu_read
#define amd_iommu_pc_set_reg		x86_emu_iommu_write

#endif /* _PMU_EMULATOR_X86_STANDALONE_H */
