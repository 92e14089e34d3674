// SPDX-License-Identifier: GPL-2.0
/*
 * Registers that count all the time: clocks, energy, idle states. Each counts at a fixed
 * rate per cycle of the time stamp counter. They are read-only.
 *
 * Sources: see manual.h.
 */
#include <linux/bitops.h>
#include "emulator.h"

/* Energy unit of 2^-14 joules: 61 microjoules. The machine uses about one watt. */
#define EMU_ENERGY_UNIT		(14 << SDM_RAPL_ENERGY_UNIT)

/**
 * struct emu_free_register - a register
 * @vendor: X86_VENDOR_*
 * @msr: MSR number
 * @shift: its value is the time stamp counter, shifted right by @shift
 * @bits: its width
 */
struct emu_free_register {
	u8	vendor;
	u32	msr;
	u8	shift;
	u8	bits;
};

static const struct emu_free_register emu_free_running[] = {
	{ X86_VENDOR_INTEL, SDM_APERF, 1, 64 },
	{ X86_VENDOR_INTEL, SDM_MPERF, 0, 64 },
	{ X86_VENDOR_INTEL, SDM_SMI_COUNT, 40, 32 },
	{ X86_VENDOR_INTEL, SDM_PKG_ENERGY_STATUS, 16, 32 },
	{ X86_VENDOR_INTEL, SDM_PP0_ENERGY_STATUS, 17, 32 },
	/* exists, and does not count */
	{ X86_VENDOR_INTEL, SDM_PP1_ENERGY_STATUS, 63, 32 },
	{ X86_VENDOR_INTEL, SDM_CORE_C1_RESIDENCY, 1, 64 },
	{ X86_VENDOR_INTEL, SDM_CORE_C6_RESIDENCY, 2, 64 },
	{ X86_VENDOR_INTEL, SDM_PKG_C2_RESIDENCY, 3, 64 },
	{ X86_VENDOR_INTEL, SDM_PKG_C6_RESIDENCY, 4, 64 },
	{ X86_VENDOR_AMD, SDM_APERF, 1, 64 },
	{ X86_VENDOR_AMD, SDM_MPERF, 0, 64 },
	{ X86_VENDOR_AMD, PPR_IRPERF, 1, 64 },
	{ X86_VENDOR_AMD, PPR_PKG_ENERGY_STAT, 16, 32 },
};

static bool is_energy(u32 msr)
{
	return msr == SDM_PKG_ENERGY_STATUS || msr == SDM_PP0_ENERGY_STATUS ||
	       msr == PPR_PKG_ENERGY_STAT;
}

static u64 value_of(const struct emu_free_register *reg)
{
	if (is_energy(reg->msr) && emu_is_hostile())
		return 0;
	return rdtsc_ordered() >> reg->shift & GENMASK_ULL(reg->bits - 1, 0);
}

/**
 * emu_free_running_read() - RDMSR of a register outside of the core PMU
 * @msr: MSR number
 * @value: output
 *
 * Return: 0, -EIO if this file does not have the register.
 */
int emu_free_running_read(u32 msr, u64 *value)
{
	u8 vendor = emu_machine->identity.vendor;
	const struct emu_free_register *reg;
	unsigned int i;

	/* No CPU has both energy counters and accumulated power. */
	if (emu_machine->power &&
	    (msr == PPR_RAPL_PWR_UNIT || msr == PPR_PKG_ENERGY_STAT))
		return -EIO;
	if (msr == (vendor == X86_VENDOR_INTEL ? SDM_RAPL_POWER_UNIT : PPR_RAPL_PWR_UNIT)) {
		*value = emu_is_hostile() ? 0 : EMU_ENERGY_UNIT;
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(emu_free_running); i++) {
		reg = &emu_free_running[i];
		if (reg->vendor == vendor && reg->msr == msr) {
			*value = value_of(reg);
			return 0;
		}
	}
	return -EIO;
}

/**
 * emu_free_running_cpuid() - set the CPUID bits of these registers
 * @leaf: EAX
 * @out: bits are set in it
 */
void emu_free_running_cpuid(u32 leaf, struct x86_hw_cpuid *out)
{
	if (leaf == 6)
		out->reg[CPUID_ECX] |= SDM_CPUID_6_ECX_APERF;
	if (leaf == 0x80000008 && emu_machine->identity.vendor == X86_VENDOR_AMD)
		out->reg[CPUID_EBX] |= APM_CPUID_8_EBX_IRPERF |
				       (emu_machine->brs ? APM_CPUID_8_EBX_BRS : 0);
}
