// SPDX-License-Identifier: GPL-2.0
/*
 * Detection: reads what a CPU says of itself, and lets the vendor's code describe the PMU
 * of such CPUs as data. Whether the registers exist is not tested here, see
 * x86_core_probe().
 *
 * Context: boot, and CPU hotplug with irqs off.
 */
#include <linux/bitops.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>
#include "detect.h"

/**
 * struct x86_detect_feature - a bit of CPUID that says what the PMU has
 * @feature: X86_FEATURE_*, by which the kernel knows it
 * @word: its register, by its offset in struct x86_detect_cpu
 * @bits: the bit of the register; more if all of them mean nothing without the feature
 */
struct x86_detect_feature {
	u16	feature;
	u16	word;
	u32	bits;
};

#define WORD(_leaf, _register)	offsetof(struct x86_detect_cpu, _leaf.reg[_register])

static const struct x86_detect_feature features[] = {
	{ X86_FEATURE_DS,		WORD(features, CPUID_EDX),	CPUID1_EDX_DS },
	{ X86_FEATURE_DTES64,		WORD(features, CPUID_ECX),	CPUID1_ECX_DTES64 },
	{ X86_FEATURE_DSCPL,		WORD(features, CPUID_ECX),	CPUID1_ECX_DS_CPL },
	{ X86_FEATURE_PDCM,		WORD(features, CPUID_ECX),	CPUID1_ECX_PDCM },
	{ X86_FEATURE_HLE,		WORD(extended, CPUID_EBX),	CPUID7_EBX_HLE },
	{ X86_FEATURE_RTM,		WORD(extended, CPUID_EBX),	CPUID7_EBX_RTM },
	{ X86_FEATURE_ARCH_LBR,		WORD(extended, CPUID_EDX),	CPUID7_EDX_ARCH_LBR },
	{ X86_FEATURE_PERFCTR_CORE,	WORD(amd_features, CPUID_ECX),	CPUID_EXT1_ECX_PERFCTR_CORE },
	{ X86_FEATURE_BRS,		WORD(amd_more, CPUID_EBX),	CPUID_EXT8_EBX_BRS },
	{ X86_FEATURE_PERFMON_V2,	WORD(amd_perfmon, CPUID_EAX),	CPUID_EXT22_EAX_PERFMON_V2 },
	{ X86_FEATURE_AMD_LBR_V2,	WORD(amd_perfmon, CPUID_EAX),	CPUID_EXT22_EAX_LBR_V2 },
	{ X86_FEATURE_AMD_LBR_PMC_FREEZE, WORD(amd_perfmon, CPUID_EAX),	CPUID_EXT22_EAX_FREEZE },
};

/**
 * x86_detect_mask() - remove features that the kernel does not use
 * @cpu: what the CPU says of itself
 * @is_masked: does the kernel not use X86_FEATURE_*?
 *
 * Context: any.
 */
void x86_detect_mask(struct x86_detect_cpu *cpu, bool (*is_masked)(unsigned int feature))
{
	for (unsigned int i = 0; i < ARRAY_SIZE(features); i++) {
		if (is_masked(features[i].feature))
			*(u32 *)((void *)cpu + features[i].word) &= ~features[i].bits;
	}
}

/*
 * The user has switched the feature off (clearcpuid=), or the kernel has, because of a defect.
 * An emulator has features that the CPU under it does not have.
 */
static bool x86_detect_is_masked(unsigned int feature)
{
	return test_bit(feature, (unsigned long *)cpu_caps_cleared) ||
	       (!x86_hw_emulated() && !boot_cpu_has(feature));
}

static u64 x86_detect_read_capabilities(const struct x86_detect_cpu *cpu)
{
	u64 capabilities;

	if (!(cpu->features.reg[CPUID_ECX] & CPUID1_ECX_PDCM) ||
	    x86_hw_read_safe(MSR_IA32_PERF_CAPABILITIES, &capabilities))
		return 0;
	return capabilities;
}

/* Only what says that there is no precise sampling is of interest. */
static u64 x86_detect_read_misc_enable(const struct x86_detect_cpu *cpu)
{
	u64 value = 0;

	if (cpu->id.vendor == X86_VENDOR_INTEL && cpu->features.reg[CPUID_EDX] & CPUID1_EDX_DS)
		x86_hw_read_safe(MSR_IA32_MISC_ENABLE, &value);
	return value;
}

/**
 * x86_detect_read() - read what this CPU says of itself
 * @cpu: output
 *
 * Context: irqs off, or boot with one CPU.
 */
void x86_detect_read(struct x86_detect_cpu *cpu)
{
	*cpu = (struct x86_detect_cpu) { };
	x86_hw_identity(&cpu->id);
	x86_hw_cpuid(1, 0, &cpu->features);
	x86_hw_cpuid(7, 0, &cpu->extended);
	if (cpu->extended.reg[CPUID_EAX])	/* the last subleaf */
		x86_hw_cpuid(7, 1, &cpu->extended_1);
	x86_hw_cpuid(0xa, 0, &cpu->perfmon);
	x86_hw_cpuid(0x1a, 0, &cpu->native);
	x86_hw_cpuid(0x1c, 0, &cpu->lbr);
	x86_hw_cpuid(0x23, 0, &cpu->perfmon_ext);
	x86_hw_cpuid(0x23, 1, &cpu->perfmon_counters);
	x86_hw_cpuid(0x80000001, 0, &cpu->amd_features);
	x86_hw_cpuid(0x80000008, 0, &cpu->amd_more);
	x86_hw_cpuid(0x80000022, 0, &cpu->amd_perfmon);
	x86_detect_mask(cpu, x86_detect_is_masked);
	cpu->capabilities = x86_detect_read_capabilities(cpu);
	cpu->misc_enable = x86_detect_read_misc_enable(cpu);
}

/**
 * x86_detect_kind() - get the kind of core of a CPU
 * @cpu: the CPU
 *
 * Small cores of one CPU can differ: in an Arrow Lake H those on the low power island are
 * of an older model, with fewer fixed counters. So the type of core is not enough.
 *
 * Return: type and native model of the core, as leaf 0x1a has them; 0 if all cores of the
 * machine are alike.
 */
u32 x86_detect_kind(const struct x86_detect_cpu *cpu)
{
	if (cpu->id.vendor != X86_VENDOR_INTEL ||
	    !(cpu->extended.reg[CPUID_EDX] & CPUID7_EDX_HYBRID))
		return 0;
	return cpu->native.reg[CPUID_EAX];
}

/**
 * x86_detect_core() - describe the PMU of CPUs like this one
 * @core: output; zeroed by the caller
 * @cpu: the CPU
 *
 * Return: 0, -ENODEV if the CPU has no PMU that is known here.
 */
int x86_detect_core(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	const struct x86_vendor *row;

	core->kind = x86_detect_kind(cpu);
	core->stuck = cpu->stuck;
	for (row = x86_vendors; row->describe; row++) {
		if (row->vendor == cpu->id.vendor)
			return row->describe(core, cpu);
	}
	return -ENODEV;
}
