// SPDX-License-Identifier: GPL-2.0
/*
 * Registers that count all the time: clocks, energy, idle states. Each counts at a fixed
 * rate per cycle of the time stamp counter. They are read-only.
 *
 * Sources: as in the drivers msr.c, rapl.c, intel/cstate.c.
 */
#include <linux/bitops.h>
#include "model.h"

#define MSR_CORE_C1_RESIDENCY	0x660

/* Energy unit of 2^-14 joules: 61 microjoules. The machine uses about one watt. */
#define MODEL_ENERGY_UNIT	(14 << 8)

/**
 * struct model_other - a register
 * @vendor: X86_VENDOR_*
 * @msr: MSR number
 * @shift: its value is the time stamp counter, shifted right by @shift
 * @bits: its width
 */
struct model_other {
	u8	vendor;
	u32	msr;
	u8	shift;
	u8	bits;
};

static const struct model_other model_others[] = {
	{ X86_VENDOR_INTEL, MSR_IA32_APERF, 1, 64 },
	{ X86_VENDOR_INTEL, MSR_IA32_MPERF, 0, 64 },
	{ X86_VENDOR_INTEL, MSR_SMI_COUNT, 40, 32 },
	{ X86_VENDOR_INTEL, MSR_PKG_ENERGY_STATUS, 16, 32 },
	{ X86_VENDOR_INTEL, MSR_PP0_ENERGY_STATUS, 17, 32 },
	{ X86_VENDOR_INTEL, MSR_CORE_C1_RESIDENCY, 1, 64 },
	{ X86_VENDOR_INTEL, MSR_CORE_C6_RESIDENCY, 2, 64 },
	{ X86_VENDOR_INTEL, MSR_PKG_C2_RESIDENCY, 3, 64 },
	{ X86_VENDOR_INTEL, MSR_PKG_C6_RESIDENCY, 4, 64 },
	{ X86_VENDOR_AMD, MSR_IA32_APERF, 1, 64 },
	{ X86_VENDOR_AMD, MSR_IA32_MPERF, 0, 64 },
	{ X86_VENDOR_AMD, MSR_F17H_IRPERF, 1, 64 },
	{ X86_VENDOR_AMD, MSR_AMD_PKG_ENERGY_STATUS, 16, 32 },
};

/**
 * model_others_read() - RDMSR of a register outside of the core PMU
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if this file does not have the register.
 */
int model_others_read(u32 msr, u64 *value)
{
	u8 vendor = model_machine->identity.vendor;
	const struct model_other *other;
	unsigned int i;

	/* No CPU has both energy counters and accumulated power. */
	if (model_machine->power &&
	    (msr == MSR_AMD_RAPL_POWER_UNIT || msr == MSR_AMD_PKG_ENERGY_STATUS))
		return -EIO;
	if (msr == (vendor == X86_VENDOR_INTEL ? MSR_RAPL_POWER_UNIT : MSR_AMD_RAPL_POWER_UNIT)) {
		*value = MODEL_ENERGY_UNIT;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(model_others); i++) {
		other = &model_others[i];
		if (other->vendor == vendor && other->msr == msr) {
			*value = rdtsc_ordered() >> other->shift & GENMASK_ULL(other->bits - 1, 0);
			return 0;
		}
	}
	return -EIO;
}

/**
 * model_others_cpuid() - set the CPUID bits of these registers
 * @leaf: EAX
 * @out: bits are set in it
 */
void model_others_cpuid(u32 leaf, struct x86_hw_cpuid *out)
{
	if (leaf == 6)
		out->reg[CPUID_ECX] |= BIT(0);		/* APERF, MPERF */
	if (leaf == 0x80000008 && model_machine->identity.vendor == X86_VENDOR_AMD)
		out->reg[CPUID_EBX] |= BIT(1);		/* IRPERF */
}
