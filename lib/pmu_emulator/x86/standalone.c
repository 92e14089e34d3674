// SPDX-License-Identifier: GPL-2.0
/*
 * The hardware of the stand-alone drivers: CPU features, and dispatch of register accesses
 * to the parts of the emulator.
 *
 * The drivers check for CPU features that QEMU does not have. These are forced on all CPUs.
 * Family and model are the machine's.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "emulator.h"
#include "standalone.h"

/* Leaf 0x14: cycles, filters, MTC; tables, of several entries, single-range output. */
#define TRACE_EBX	0x0f
#define TRACE_ECX	0x07
/* Before Skylake: tables of one entry. */
#define TRACE_ECX_ONE	0x01
/* Two address ranges; MTC periods, PSB frequencies, cycle thresholds. */
#define TRACE_1_EAX	(2 | 0x0249 << 16)
#define TRACE_1_EBX	(0x3fff | 0x003f << 16)

#define MAX_EXTENDED_LEAF	0x80000022

/* Accumulated power, ECX: PTSC cycles per sample of power. */
#define POWER_RATIO		2

static const u16 intel_features[] = { X86_FEATURE_INTEL_PT };
static const u16 amd_features[] = {
	X86_FEATURE_IBS, X86_FEATURE_TOPOEXT, X86_FEATURE_PERFCTR_NB, X86_FEATURE_PERFCTR_LLC,
};

static bool is_intel(void)
{
	return emu_machine->identity.vendor == X86_VENDOR_INTEL;
}

static void __init force(u16 feature)
{
	set_cpu_cap(&boot_cpu_data, feature);
	set_bit(feature, (unsigned long *)cpu_caps_set);
}

/**
 * emu_standalone_init() - force the CPU features that the drivers need
 *
 * Context: boot, before the other CPUs come online.
 */
void __init emu_standalone_init(void)
{
	const u16 *features = is_intel() ? intel_features : amd_features;
	unsigned int i, nr = is_intel() ? ARRAY_SIZE(intel_features) : ARRAY_SIZE(amd_features);

	if (emu_machine->power)
		force(X86_FEATURE_ACC_POWER);
	if (!emu_machine->standalone)
		return;
	for (i = 0; i < nr; i++)
		force(features[i]);
	if (is_intel())
		emu_trace_init();
	else
		emu_ibs_init();
}

/**
 * x86_emu_standalone_read() - RDMSR of a stand-alone driver
 * @msr: MSR number
 * @value: output
 *
 * Context: any.
 * Return: false if the emulator does not have the register.
 */
bool x86_emu_standalone_read(u32 msr, u64 *value)
{
	unsigned long flags;
	bool found;

	if (!emu_machine->standalone)
		return emu_power_read(msr, value);
	local_irq_save(flags);
	found = emu_uncore_read(msr, value) ||
		(is_intel() ? emu_trace_read(msr, value) : emu_ibs_read(msr, value));
	local_irq_restore(flags);
	return found;
}
EXPORT_SYMBOL_GPL(x86_emu_standalone_read);

/**
 * x86_emu_standalone_write() - WRMSR of a stand-alone driver
 * @msr: MSR number
 * @value: new value
 *
 * Context: any.
 * Return: false if the emulator does not have the register.
 */
bool x86_emu_standalone_write(u32 msr, u64 value)
{
	unsigned long flags;
	bool found;

	if (!emu_machine->standalone)
		return false;
	local_irq_save(flags);
	found = emu_uncore_write(msr, value) ||
		(is_intel() ? emu_trace_write(msr, value) : emu_ibs_write(msr, value));
	local_irq_restore(flags);
	return found;
}
EXPORT_SYMBOL_GPL(x86_emu_standalone_write);

/**
 * x86_emu_standalone_eilvt() - write an extended entry of the local vector table
 * @offset: number of the entry
 * @entry: new value
 *
 * QEMU's local APIC has no extended entries.
 *
 * Context: preemption off.
 * Return: false if the entry has to be written on the machine.
 */
bool x86_emu_standalone_eilvt(u8 offset, u32 entry)
{
	if (!emu_machine->standalone || is_intel() || offset != EMU_IBS_EILVT)
		return false;
	emu_ibs_set_entry(entry);
	return true;
}
EXPORT_SYMBOL_GPL(x86_emu_standalone_eilvt);

/**
 * x86_emu_standalone_rdpmc() - RDPMC of a stand-alone driver
 * @index: operand of RDPMC
 * @value: output
 *
 * Context: any.
 * Return: false if the emulator does not have the counter.
 */
bool x86_emu_standalone_rdpmc(u32 index, u64 *value)
{
	return emu_machine->standalone && emu_uncore_rdpmc(index, value);
}
EXPORT_SYMBOL_GPL(x86_emu_standalone_rdpmc);

/**
 * x86_emu_standalone_cpuid() - CPUID of a stand-alone driver
 * @leaf: EAX
 * @subleaf: ECX
 * @out: output; zeroed by the caller
 *
 * Context: any.
 * Return: false if the leaf has to be read on the machine.
 */
bool x86_emu_standalone_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	if (emu_machine->power && leaf == APM_CPUID_POWER) {
		out->reg[CPUID_ECX] = POWER_RATIO;
		return true;
	}
	if (!emu_machine->standalone)
		return false;
	switch (leaf) {
	case 0x14:
		out->reg[CPUID_EAX] = subleaf ? TRACE_1_EAX : 1;
		out->reg[CPUID_EBX] = subleaf ? TRACE_1_EBX : TRACE_EBX;
		if (!subleaf)
			out->reg[CPUID_ECX] = boot_cpu_data.x86_vfm == INTEL_HASWELL_X ?
					      TRACE_ECX_ONE : TRACE_ECX;
		return is_intel();
	case 0x80000000:
		out->reg[CPUID_EAX] = MAX_EXTENDED_LEAF;
		return true;
	case APM_CPUID_IBS:
		out->reg[CPUID_EAX] = EMU_IBS_CAPS;
		return !is_intel();
	}
	return false;
}
EXPORT_SYMBOL_GPL(x86_emu_standalone_cpuid);
