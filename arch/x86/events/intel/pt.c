// SPDX-License-Identifier: GPL-2.0
/*
 * Intel Processor Trace: what a CPU can do, and keeping out of KVM's way. The
 * host does not trace, so there is never anything to stop.
 */
#include <linux/array_size.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/perf_event.h>

#include <asm/cpufeature.h>
#include <asm/cpuid.h>
#include <asm/intel_pt.h>

#define PT_CPUID_LEAF	0x14

/* Where CPUID tells of each capability. */
static const struct pt_cap_field {
	u8	subleaf;
	u8	reg;
	u32	mask;
} pt_cap_fields[] = {
	[PT_CAP_max_subleaf]		= { 0, CPUID_EAX, GENMASK(31, 0) },
	[PT_CAP_cr3_filtering]		= { 0, CPUID_EBX, BIT(0) },
	[PT_CAP_psb_cyc]		= { 0, CPUID_EBX, BIT(1) },
	[PT_CAP_ip_filtering]		= { 0, CPUID_EBX, BIT(2) },
	[PT_CAP_mtc]			= { 0, CPUID_EBX, BIT(3) },
	[PT_CAP_ptwrite]		= { 0, CPUID_EBX, BIT(4) },
	[PT_CAP_power_event_trace]	= { 0, CPUID_EBX, BIT(5) },
	[PT_CAP_event_trace]		= { 0, CPUID_EBX, BIT(7) },
	[PT_CAP_tnt_disable]		= { 0, CPUID_EBX, BIT(8) },
	[PT_CAP_topa_output]		= { 0, CPUID_ECX, BIT(0) },
	[PT_CAP_topa_multiple_entries]	= { 0, CPUID_ECX, BIT(1) },
	[PT_CAP_single_range_output]	= { 0, CPUID_ECX, BIT(2) },
	[PT_CAP_output_subsys]		= { 0, CPUID_ECX, BIT(3) },
	[PT_CAP_payloads_lip]		= { 0, CPUID_ECX, BIT(31) },
	[PT_CAP_num_address_ranges]	= { 1, CPUID_EAX, GENMASK(2, 0) },
	[PT_CAP_mtc_periods]		= { 1, CPUID_EAX, GENMASK(31, 16) },
	[PT_CAP_cycle_thresholds]	= { 1, CPUID_EBX, GENMASK(15, 0) },
	[PT_CAP_psb_periods]		= { 1, CPUID_EBX, GENMASK(31, 16) },
};

/**
 * intel_pt_validate_cap() - look a capability up in given CPUID registers
 * @caps: subleaves 0 and 1 of CPUID 0x14, four registers each
 * @capability: which
 *
 * Any context. Return: the value of its field, 0 if it is missing.
 */
u32 intel_pt_validate_cap(u32 *caps, enum pt_capabilities capability)
{
	const struct pt_cap_field *field;

	if (WARN_ON_ONCE(capability >= ARRAY_SIZE(pt_cap_fields)))
		return 0;

	field = &pt_cap_fields[capability];
	return (caps[field->subleaf * PT_CPUID_REGS_NUM + field->reg] &
		field->mask) >> __ffs(field->mask);
}
EXPORT_SYMBOL_GPL(intel_pt_validate_cap);

/**
 * intel_pt_validate_hw_cap() - look a capability of this machine up
 * @cap: which
 *
 * Any context. Return: the value of its field, 0 if the CPU has no PT.
 */
u32 intel_pt_validate_hw_cap(enum pt_capabilities cap)
{
	u32 caps[PT_CPUID_LEAVES][PT_CPUID_REGS_NUM] = { };
	u32 *eax, subleaf;

	if (!boot_cpu_has(X86_FEATURE_INTEL_PT))
		return 0;

	for (subleaf = 0; subleaf < PT_CPUID_LEAVES; subleaf++) {
		/* EAX of the first one is the number of the last one */
		if (subleaf > caps[0][CPUID_EAX])
			break;
		eax = caps[subleaf];
		cpuid_count(PT_CPUID_LEAF, subleaf, eax, eax + CPUID_EBX,
			    eax + CPUID_ECX, eax + CPUID_EDX);
	}

	return intel_pt_validate_cap(caps[0], cap);
}
EXPORT_SYMBOL_GPL(intel_pt_validate_hw_cap);

/**
 * intel_pt_handle_vmx() - keep tracing away from VMX operation
 * @on: 1 before VMXON, 0 after VMXOFF
 *
 * Interrupts off, on the CPU concerned.
 */
void intel_pt_handle_vmx(int on)
{
}
EXPORT_SYMBOL_GPL(intel_pt_handle_vmx);

/**
 * cpu_emergency_stop_pt() - stop tracing on this CPU, in a crash
 *
 * NMI, takes no lock.
 */
void cpu_emergency_stop_pt(void)
{
}
