// SPDX-License-Identifier: GPL-2.0
/*
 * The emulated machines, one of which is selected by x86_pmu_emulator= on the kernel's command
 * line, and dispatch of register accesses to the parts of the emulator.
 *
 * Context: any, NMI included, for accesses.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpufeature.h>
#include "ds.h"

DEFINE_STATIC_KEY_FALSE(x86_pmu_emulator_key);
EXPORT_SYMBOL_GPL(x86_pmu_emulator_key);

/* Members that most rows have in common. */
#define INTEL(_name, _model, _version, _generic, _fixed)			\
	.name = (_name), .vendor = &emu_intel,					\
	.identity = { X86_VENDOR_INTEL, 6, (_model) }, .version = (_version),	\
	.generic = (_generic), .fixed = (_fixed), .width = 48
#define AMD(_name, _family, _model, _version, _generic)				\
	.name = (_name), .vendor = &emu_amd,					\
	.identity = { X86_VENDOR_AMD, (_family), (_model) },			\
	.version = (_version), .generic = (_generic), .width = 48

/* No CPU of family 6 has this model number: the PMU is described by CPUID only. */
#define UNKNOWN		0xff

#define SKYLAKE_OFFCORE	0x3fffff8fff
#define ICELAKE_OFFCORE	0x3fffffbfff

#define GOLDEN_COVE_OFFCORE	0x3fffffffff
#define LION_COVE_OFFCORE	0xfffffffffff
#define GRACEMONT_OFFCORE	0x800ff3ffffffffff

/* Legacy records of branches. Architectural ones have format 0. */
#define LBR(_depth, _format, _stack)	\
	.lbr_depth = (_depth), .lbr_format = (_format), .lbr_stack = (_stack)
#define ARCH_LBR	LBR(32, 0, true)

#define KINDS(_kinds)		\
	.full_width = true, .no_anythread = true, .kinds = (_kinds), .nr_kinds = ARRAY_SIZE(_kinds)

static const struct emu_kind unknown_kinds[] = {
	{ .native = 0x400000ff, .generic = 10, .fixed = 0x0f, .select_ext = true },
	{ .native = 0x200000ff, .generic = 8, .fixed = 0x07, .select_ext = true },
};

static const struct emu_kind alderlake_kinds[] = {
	{
		0x40000001, 8, 0x0f, GOLDEN_COVE_OFFCORE, .metrics = true,
		.pebs = &emu_pebs_golden_cove,
	},
	{ 0x20000001, 6, 0x07, GRACEMONT_OFFCORE, .pebs = &emu_pebs_gracemont },
};

static const struct emu_kind meteorlake_kinds[] = {
	{ 0x40000002, 8, 0x0f, GOLDEN_COVE_OFFCORE, .metrics = true },
	{ 0x20000002, 8, 0x07, GRACEMONT_OFFCORE },
};

static const struct emu_kind arrowlake_h_kinds[] = {
	{ 0x40000003, 10, 0x0f, LION_COVE_OFFCORE, .metrics = true, .select_ext = true },
	{ 0x20000003, 8, 0x77, GRACEMONT_OFFCORE, .select_ext = true },
	{ 0x20000002, 8, 0x07, GRACEMONT_OFFCORE },
};

static const struct emu_kind lunarlake_kinds[] = {
	{ 0x40000003, 10, 0x0f, LION_COVE_OFFCORE, .metrics = true, .select_ext = true },
	{ 0x20000003, 8, 0x77, GRACEMONT_OFFCORE, .select_ext = true },
};

static const struct emu_machine emu_machines[] = {
	{ INTEL("intel-v2", UNKNOWN, 2, 4, 3) },
	/* no global control: each counter is enabled by its event select; 40 bits */
	{
		.name = "intel-v1", .vendor = &emu_intel,
		.identity = { X86_VENDOR_INTEL, 6, UNKNOWN }, .version = 1,
		.generic = 2, .width = 40,
	},
	{ INTEL("intel-v5", UNKNOWN, 5, 8, 4), .full_width = true, .no_anythread = true },
	/* threads share the registers of offcore response */
	{
		INTEL("intel-westmere", 0x2c, 3, 4, 3), .offcore_valid = 0xffff,
		.extra_shared = true, .clear_first = true,
		LBR(16, SDM_LBR_FMT_EIP_FLAGS, false),
		.pebs = &emu_pebs_westmere,
	},
	/* a known model: constraints, offcore response, load latency */
	{
		INTEL("intel-haswell", 0x3c, 3, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .leaks = true,
		LBR(16, SDM_LBR_FMT_EIP_TSX, true),
		.pebs = &emu_pebs_haswell,
	},
	/* also transactions, which need a counter */
	{
		INTEL("intel-skylake", 0x55, 4, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .tsx = true,
		LBR(32, SDM_LBR_FMT_EIP_INFO, true),
		.pebs = &emu_pebs_skylake,
	},
	/* also the register of topdown metrics */
	{
		INTEL("intel-icelake", 0x7e, 5, 8, 4), .full_width = true,
		.no_anythread = true, .offcore_valid = ICELAKE_OFFCORE, .metrics = true,
		LBR(32, SDM_LBR_FMT_EIP_INFO, true),
		.pebs = &emu_pebs_icelake,
	},
	/* a server with processor trace and counters outside of the cores */
	{
		INTEL("intel-pt", 0x3f, 3, 4, 3), .full_width = true,
		.offcore_valid = SKYLAKE_OFFCORE, .standalone = true,
	},
	/* small cores, with another layout of branch records */
	{
		INTEL("intel-tremont", 0x86, 5, 4, 3), .full_width = true, .no_anythread = true,
		LBR(32, SDM_LBR_FMT_LIP_INFO, true),
		.pebs = &emu_pebs_tremont,
	},
	/* registers at new addresses, and more bits in the event select */
	{ INTEL("intel-v6", UNKNOWN, 6, 10, 4), .full_width = true, .no_anythread = true },
	/* also two kinds of cores */
	{ INTEL("intel-v6-hybrid", UNKNOWN, 6, 8, 3), KINDS(unknown_kinds) },
	/* leaf 0xa lists what both kinds have; there is no leaf 0x23 */
	{ INTEL("intel-alderlake", 0x97, 5, 6, 3), KINDS(alderlake_kinds), ARCH_LBR },
	/* the same CPU without small cores */
	{
		INTEL("intel-p-only", 0xb7, 5, 8, 4), .full_width = true,
		.no_anythread = true, .offcore_valid = GOLDEN_COVE_OFFCORE, .metrics = true,
		ARCH_LBR,
	},
	/* version 5 with leaf 0x23 */
	{ INTEL("intel-meteorlake", 0xaa, 5, 8, 3), KINDS(meteorlake_kinds), .leaf_23 = true,
	  ARCH_LBR },
	/* two kinds of small cores */
	{ INTEL("intel-arrowlake-h", 0xc5, 5, 8, 3), KINDS(arrowlake_h_kinds), .leaf_23 = true,
	  ARCH_LBR },
	/* records of branches with counters */
	{ INTEL("intel-lunarlake", 0xbd, 5, 8, 3), KINDS(lunarlake_kinds), .leaf_23 = true,
	  ARCH_LBR, .lbr_logged = 0xf },
	/* four counters, and accumulated power */
	{ AMD("amd-legacy", 0x10, 2, 0, 4), .power = true },
	{ AMD("amd-zen", 0x17, 1, 0, 6), .core_ext = true },
	/* with instruction based sampling, and counters outside of the cores */
	{ AMD("amd-ibs", 0x19, 0x11, 0, 6), .core_ext = true, .standalone = true },
	{ AMD("amd-zen3", 0x19, 0x01, 0, 6), .core_ext = true, .brs = true },
	{ AMD("amd-perfmonv2", 0x19, 0x11, 2, 6), .core_ext = true, .lbr_depth = 16 },
};

const struct emu_machine *emu_machine;
static bool emu_unknown __initdata;

static int __init emu_choose(char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(emu_machines); i++) {
		if (!strcmp(emu_machines[i].name, name))
			emu_machine = &emu_machines[i];
	}
	emu_unknown = !emu_machine;
	/* KVM offers its guests what these say. */
	if (emu_machine && emu_machine->core_ext)
		setup_force_cpu_cap(X86_FEATURE_PERFCTR_CORE);
	if (emu_machine && emu_machine->core_ext && emu_machine->version >= 2)
		setup_force_cpu_cap(X86_FEATURE_PERFMON_V2);
	return 0;
}
early_param("x86_pmu_emulator", emu_choose);

static bool emu_untested __ro_after_init;

static int __init emu_set_untested(char *text)
{
	emu_untested = true;
	return 0;
}
early_param("x86_pmu_emulator_untested", emu_set_untested);

/**
 * x86_emu_is_untested() - check whether the driver shall behave as on hardware that is new to it
 *
 * Return: true if x86_pmu_emulator_untested is on the kernel's command line.
 */
bool x86_emu_is_untested(void)
{
	return emu_untested;
}

/**
 * x86_emu_init() - initialise the emulator, if a machine was selected
 *
 * Context: boot, before the driver detects a PMU.
 */
void __init x86_emu_init(void)
{
	unsigned int i;

	if (emu_unknown) {
		pr_warn("x86 PMU emulator: no such machine; there are:\n");
		for (i = 0; i < ARRAY_SIZE(emu_machines); i++)
			pr_warn("  %s\n", emu_machines[i].name);
	}
	if (!emu_machine)
		return;

	pr_info("x86 PMU emulator: %s, nothing that it counts is real\n", emu_machine->name);
	emu_clock_init();
	emu_user_init();
	emu_standalone_init();
	static_branch_enable(&x86_pmu_emulator_key);
}

/**
 * emu_kind() - get the kind of core of this CPU
 *
 * The first half of the CPUs is of the first kind, half of the others of the second, and so
 * on. The last ones are of the last kind.
 *
 * Return: the kind; NULL if all CPUs are alike.
 */
const struct emu_kind *emu_kind(void)
{
	unsigned int nr = raw_smp_processor_id(), left = num_possible_cpus(), kind = 0;

	while (kind + 1 < emu_machine->nr_kinds && nr >= left / 2) {
		nr -= left / 2;
		left -= left / 2;
		kind++;
	}
	return emu_machine->kinds ? &emu_machine->kinds[kind] : NULL;
}

/**
 * emu_counters() - get the counters of this CPU
 *
 * Return: mask of counters, fixed counters from bit 32.
 */
u64 emu_counters(void)
{
	return (BIT_ULL(emu_generic()) - 1) | (u64)emu_fixed() << EMU_FIXED;
}

static void access_begins(struct emu_cpu *cpu)
{
	emu_ds_access_begins(cpu);
	if (cpu->stage)
		emu_stage_before(cpu);
	else
		emu_advance(cpu);
}

static void access_ends(struct emu_cpu *cpu)
{
	emu_ds_access_ends(cpu);
	if (cpu->stage)
		emu_stage_after(cpu);
	else
		emu_pause(cpu);
}

/**
 * x86_emu_read() - RDMSR
 * @msr: MSR number
 * @value: output
 * @safe: a fault is not reported as misuse
 *
 * Return: 0, -EIO if the CPU would fault.
 */
int x86_emu_read(u32 msr, u64 *value, bool safe)
{
	struct emu_cpu *cpu;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&emu_cpu);
	access_begins(cpu);
	err = emu_machine->vendor->read(cpu, msr, value);
	if (err)
		err = emu_free_running_read(msr, value);
	access_ends(cpu);
	local_irq_restore(flags);
	if (err && !safe)
		emu_misuse("RDMSR of %#x faults", msr);
	return err;
}
EXPORT_SYMBOL_GPL(x86_emu_read);

/**
 * x86_emu_write() - WRMSR
 * @msr: MSR number
 * @value: new value
 * @safe: a fault is not reported as misuse
 *
 * Return: 0, -EIO if the CPU would fault.
 */
int x86_emu_write(u32 msr, u64 value, bool safe)
{
	struct emu_cpu *cpu;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&emu_cpu);
	access_begins(cpu);
	err = emu_machine->vendor->write(cpu, msr, value);
	access_ends(cpu);
	local_irq_restore(flags);
	if (err && !safe)
		emu_misuse("WRMSR of %#x with %#llx faults", msr, value);
	return err;
}
EXPORT_SYMBOL_GPL(x86_emu_write);

/**
 * x86_emu_rdpmc() - RDPMC
 * @index: operand of RDPMC
 *
 * Return: the counter, 0 if the operand would fault.
 */
u64 x86_emu_rdpmc(u32 index)
{
	int idx = emu_machine->vendor->rdpmc_counter(index);
	struct emu_cpu *cpu;
	unsigned long flags;
	u64 value;

	if (idx < 0) {
		emu_misuse("RDPMC of %#x faults", index);
		return 0;
	}
	local_irq_save(flags);
	cpu = this_cpu_ptr(&emu_cpu);
	access_begins(cpu);
	if (idx == EMU_IDX_METRICS)
		emu_extra_read(cpu, SDM_PERF_METRICS, &value);
	else
		value = cpu->counter[idx].value;
	access_ends(cpu);
	local_irq_restore(flags);
	return value;
}
EXPORT_SYMBOL_GPL(x86_emu_rdpmc);

/**
 * x86_emu_cpuid() - CPUID
 * @leaf: EAX
 * @subleaf: ECX
 * @out: output; zeroed by the caller
 */
void x86_emu_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	emu_machine->vendor->cpuid(leaf, subleaf, out);
	emu_free_running_cpuid(leaf, out);
}
EXPORT_SYMBOL_GPL(x86_emu_cpuid);

/**
 * x86_emu_identity() - get vendor and model of the machine
 * @id: output
 */
void x86_emu_identity(struct x86_hw_identity *id)
{
	*id = emu_machine->identity;
}
EXPORT_SYMBOL_GPL(x86_emu_identity);
