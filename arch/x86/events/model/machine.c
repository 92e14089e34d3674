// SPDX-License-Identifier: GPL-2.0
/*
 * The modelled machines, one of which is selected by x86_pmu_model= on the kernel's command
 * line, and dispatch of register accesses to the parts of the model.
 *
 * Context: Accesses in any context, including NMI.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include "model.h"

DEFINE_STATIC_KEY_FALSE(x86_pmu_model_key);
EXPORT_SYMBOL_GPL(x86_pmu_model_key);

/* Members that most rows have in common. */
#define INTEL(_name, _model, _version, _generic, _fixed)			\
	.name = (_name), .vendor = &model_intel,				\
	.identity = { X86_VENDOR_INTEL, 6, (_model) }, .version = (_version),	\
	.generic = (_generic), .fixed = (_fixed), .width = 48
#define AMD(_name, _family, _model, _version, _generic)				\
	.name = (_name), .vendor = &model_amd,					\
	.identity = { X86_VENDOR_AMD, (_family), (_model) },			\
	.version = (_version), .generic = (_generic), .width = 48

/* No CPU of family 6 has this model number: the PMU is described by CPUID only. */
#define UNKNOWN		0xff

#define SKYLAKE_OFFCORE	0x3fffff8fff
#define ICELAKE_OFFCORE	0x3fffffbfff

static const struct model_machine model_machines[] = {
	{ INTEL("intel-v2", UNKNOWN, 2, 4, 3) },
	/* no global control: each counter is enabled by its event select; 40 bits */
	{
		.name = "intel-v1", .vendor = &model_intel,
		.identity = { X86_VENDOR_INTEL, 6, UNKNOWN }, .version = 1,
		.generic = 2, .width = 40,
	},
	{ INTEL("intel-v5", UNKNOWN, 5, 8, 4), .full_width = true, .no_anythread = true },
	/* a known model: constraints, offcore response, load latency */
	{
		INTEL("intel-haswell", 0x3c, 3, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .leaks = true,
	},
	/* also transactions, which need a counter */
	{
		INTEL("intel-skylake", 0x55, 4, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .tsx = true,
	},
	/* also the register of topdown metrics */
	{
		INTEL("intel-icelake", 0x7e, 5, 8, 4), .full_width = true,
		.no_anythread = true, .offcore_valid = ICELAKE_OFFCORE, .metrics = true,
	},
	/* a server with processor trace and counters outside of the cores */
	{
		INTEL("intel-pt", 0x3f, 3, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .alone = true,
	},
	/* registers at new addresses, and more bits in the event select */
	{ INTEL("intel-v6", UNKNOWN, 6, 10, 4), .full_width = true, .no_anythread = true },
	/* also two kinds of cores */
	{
		INTEL("intel-v6-hybrid", UNKNOWN, 6, 10, 4), .full_width = true,
		.no_anythread = true, .atom_generic = 8, .atom_fixed = 3,
	},
	/* four counters, and accumulated power */
	{ AMD("amd-legacy", 0x10, 2, 0, 4), .power = true },
	{ AMD("amd-zen", 0x17, 1, 0, 6), .core_ext = true },
	/* with instruction based sampling, and counters outside of the cores */
	{ AMD("amd-ibs", 0x19, 0x11, 0, 6), .core_ext = true, .alone = true },
	{ AMD("amd-perfmonv2", 0x19, 0x11, 2, 6), .core_ext = true },
};

const struct model_machine *model_machine;
static bool model_unknown __initdata;

static int __init model_choose(char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(model_machines); i++) {
		if (!strcmp(model_machines[i].name, name))
			model_machine = &model_machines[i];
	}
	model_unknown = !model_machine;
	return 0;
}
early_param("x86_pmu_model", model_choose);

/**
 * x86_model_init() - initialise the model, if a machine was selected
 *
 * Context: Boot, before the driver detects a PMU.
 */
void __init x86_model_init(void)
{
	unsigned int i;

	if (model_unknown) {
		pr_warn("x86 PMU model: no such machine; there are:\n");
		for (i = 0; i < ARRAY_SIZE(model_machines); i++)
			pr_warn("  %s\n", model_machines[i].name);
	}
	if (!model_machine)
		return;

	pr_info("x86 PMU model: %s, nothing that it counts is real\n", model_machine->name);
	model_clock_init();
	model_user_init();
	model_alone_init();
	static_branch_enable(&x86_pmu_model_key);
}

/**
 * model_is_atom() - check whether this CPU is of the second kind of core
 *
 * Return: true if it is; false if all CPUs are alike.
 */
bool model_is_atom(void)
{
	return model_machine->atom_generic &&
	       raw_smp_processor_id() >= num_possible_cpus() / 2;
}

/**
 * model_counters() - get the counters of this CPU
 *
 * Return: mask of counters, fixed counters from bit 32.
 */
u64 model_counters(void)
{
	return (BIT_ULL(model_generic()) - 1) |
	       (BIT_ULL(model_fixed()) - 1) << INTEL_PMC_IDX_FIXED;
}

static void access_begins(struct model_cpu *cpu)
{
	if (cpu->stage)
		model_stage_before(cpu);
	else
		model_advance(cpu, false);
}

static void access_ends(struct model_cpu *cpu)
{
	if (cpu->stage)
		model_stage_after(cpu);
}

/**
 * x86_model_read() - RDMSR
 * @msr: MSR number
 * @value: output
 * @safe: a fault is not reported as misuse
 *
 * Return: 0, -EIO if the CPU would fault.
 */
int x86_model_read(u32 msr, u64 *value, bool safe)
{
	struct model_cpu *cpu;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&model_cpu);
	access_begins(cpu);
	err = model_machine->vendor->read(cpu, msr, value);
	if (err)
		err = model_others_read(msr, value);
	access_ends(cpu);
	local_irq_restore(flags);
	if (err && !safe)
		model_misuse("RDMSR of %#x faults", msr);
	return err;
}
EXPORT_SYMBOL_GPL(x86_model_read);

/**
 * x86_model_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 * @safe: a fault is not reported as misuse
 *
 * Return: 0, -EIO if the CPU would fault.
 */
int x86_model_write(u32 msr, u64 value, bool safe)
{
	struct model_cpu *cpu;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&model_cpu);
	access_begins(cpu);
	err = model_machine->vendor->write(cpu, msr, value);
	access_ends(cpu);
	local_irq_restore(flags);
	if (err && !safe)
		model_misuse("WRMSR of %#x with %#llx faults", msr, value);
	return err;
}
EXPORT_SYMBOL_GPL(x86_model_write);

/**
 * x86_model_rdpmc() - RDPMC
 * @index: operand of RDPMC
 *
 * Return: the counter, 0 if the operand would fault.
 */
u64 x86_model_rdpmc(u32 index)
{
	int idx = model_machine->vendor->rdpmc_counter(index);
	struct model_cpu *cpu;
	unsigned long flags;
	u64 value;

	if (idx < 0) {
		model_misuse("RDPMC of %#x faults", index);
		return 0;
	}
	local_irq_save(flags);
	cpu = this_cpu_ptr(&model_cpu);
	access_begins(cpu);
	value = cpu->counter[idx].value;
	access_ends(cpu);
	local_irq_restore(flags);
	return value;
}
EXPORT_SYMBOL_GPL(x86_model_rdpmc);

/**
 * x86_model_cpuid() - CPUID
 * @leaf: EAX
 * @subleaf: ECX
 * @out: output; zeroed by the caller
 */
void x86_model_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	model_machine->vendor->cpuid(leaf, subleaf, out);
	model_others_cpuid(leaf, out);
}
EXPORT_SYMBOL_GPL(x86_model_cpuid);

/**
 * x86_model_identity() - get vendor and model of the machine
 * @id: output
 */
void x86_model_identity(struct x86_hw_identity *id)
{
	*id = model_machine->identity;
}
EXPORT_SYMBOL_GPL(x86_model_identity);
