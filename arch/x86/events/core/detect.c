// SPDX-License-Identifier: GPL-2.0
/*
 * Detection: reads what a CPU says of itself, and lets the vendor's code describe the PMU
 * of such CPUs as data. Whether the registers exist is not tested here, see
 * x86_core_probe().
 *
 * Context: boot, and CPU hotplug with irqs off.
 */
#include "detect.h"

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
	for (row = x86_vendors; row->describe; row++) {
		if (row->vendor == cpu->id.vendor)
			return row->describe(core, cpu);
	}
	return -ENODEV;
}
