// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's architectural branch records: MSRs in which record 0 is always the latest. IA32_LBR_CTL
 * turns recording on and says what is recorded. A write of IA32_LBR_DEPTH removes all records.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, chapter "Last Branch Records"; CPUID leaf 0x1c in volume 2.
 */
#include <linux/bitfield.h>
#include "../../branch/branch.h"
#include "../../counters/debugctl.h"
#include "../../counters/side.h"
#include "lbr.h"

/* IA32_LBR_CTL: what is recorded. */
#define CTL_ENABLE		BIT_ULL(0)
#define CTL_KERNEL		BIT_ULL(1)
#define CTL_USER		BIT_ULL(2)
#define CTL_CALL_STACK		BIT_ULL(3)
#define CTL_COND		BIT_ULL(16)
#define CTL_JUMP		BIT_ULL(17)
#define CTL_IND_JUMP		BIT_ULL(18)
#define CTL_CALL		BIT_ULL(19)
#define CTL_IND_CALL		BIT_ULL(20)
#define CTL_RET			BIT_ULL(21)
#define CTL_OTHER		BIT_ULL(22)

/* CPUID leaf 0x1c: the depths that exist, by units of 8, up to X86_BRANCHES_MAX; filters. */
#define LEAF_EAX_DEPTHS		GENMASK(X86_BRANCHES_MAX / 8 - 1, 0)
#define LEAF_EBX_LEVELS		BIT(0)
#define LEAF_EBX_CLASSES	BIT(1)
#define LEAF_EBX_CALL_STACK	BIT(2)
#define LEAF_ECX_INFO		GENMASK(2, 0)
#define LEAF_ECX_COUNTERS	GENMASK(19, 16)

static const struct {
	u32	class;
	u64	ctl;
} ctl_classes[] = {
	{ X86_BR_CLASS_COND,		CTL_COND },
	{ X86_BR_CLASS_JUMP,		CTL_JUMP },
	{ X86_BR_CLASS_IND_JUMP,	CTL_IND_JUMP },
	{ X86_BR_CLASS_CALL,		CTL_CALL },
	{ X86_BR_CLASS_IND_CALL,	CTL_IND_CALL },
	{ X86_BR_CLASS_RET,		CTL_RET },
	{ X86_BR_CLASS_FAR,		CTL_OTHER },
};

/**
 * intel_arch_lbr_control() - get the value of IA32_LBR_CTL
 * @kinds: mask of X86_BR_* to record
 * @levels: PERF_SAMPLE_BRANCH_USER, PERF_SAMPLE_BRANCH_KERNEL
 * @call_stack: returns remove their calls
 *
 * Return: the value, without the bit that turns recording on.
 */
u64 intel_arch_lbr_control(u32 kinds, u64 levels, bool call_stack)
{
	u32 classes = x86_branch_classes(kinds);
	unsigned int i;
	u64 ctl = 0;

	if (call_stack) {
		ctl |= CTL_CALL_STACK;
		classes = X86_BR_CLASS_CALL | X86_BR_CLASS_IND_CALL | X86_BR_CLASS_RET;
	}
	if (levels & PERF_SAMPLE_BRANCH_KERNEL)
		ctl |= CTL_KERNEL;
	if (levels & PERF_SAMPLE_BRANCH_USER)
		ctl |= CTL_USER;
	for (i = 0; i < ARRAY_SIZE(ctl_classes); i++) {
		if (classes & ctl_classes[i].class)
			ctl |= ctl_classes[i].ctl;
	}
	return ctl;
}

static u64 arch_lbr_select(const struct x86_branches *branches, u32 kinds, u64 levels,
			   bool call_stack)
{
	return intel_arch_lbr_control(kinds, levels, call_stack);
}

static bool arch_lbr_has_tx(const struct x86_branches *branches)
{
	return branches->can & X86_BRANCHES_TX;
}

/* Value of IA32_LBR_CTL. An NMI stops recording, and starts it again in the same way. */
static DEFINE_PER_CPU(u64, arch_lbr_ctl);

static void arch_lbr_write_ctl(u64 ctl)
{
	x86_hw_write(MSR_ARCH_LBR_CTL, ctl);
	this_cpu_write(arch_lbr_ctl, ctl);
}

static void arch_lbr_stop(struct x86_cpu_pmu *cpu)
{
	arch_lbr_write_ctl(0);
}

/*
 * IA32_DEBUGCTL only says whether an interrupt freezes the records, see intel_lbr_debugctl(). It is
 * written each time, because other code may have written an older value: see debugctl.c.
 */
static void arch_lbr_start(struct x86_cpu_pmu *cpu, u64 select)
{
	bool user_stack = select & CTL_CALL_STACK && !(select & CTL_KERNEL);

	x86_debugctl_update(cpu, DEBUGCTLMSR_FREEZE_LBRS_ON_PMI,
			    user_stack ? 0 : DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	arch_lbr_write_ctl(select | CTL_ENABLE);
}

static void arch_lbr_reset(struct x86_cpu_pmu *cpu)
{
	x86_hw_write(MSR_ARCH_LBR_DEPTH, cpu->core->branches.depth);
}

static void arch_lbr_quiet(struct x86_cpu_pmu *cpu)
{
	arch_lbr_stop(cpu);
	arch_lbr_reset(cpu);
	x86_debugctl_update(cpu, DEBUGCTLMSR_FREEZE_LBRS_ON_PMI, 0);
}

/* Returns false behind the last record. */
static bool arch_lbr_read_record(unsigned int i, struct lbr_entry *record)
{
	record->from = x86_hw_read(MSR_ARCH_LBR_FROM_0 + i);
	if (!record->from)
		return false;
	record->to = x86_hw_read(MSR_ARCH_LBR_TO_0 + i);
	record->info = x86_hw_read(MSR_ARCH_LBR_INFO_0 + i);
	return true;
}

static unsigned int arch_lbr_read(struct x86_cpu_pmu *cpu, struct perf_branch_entry *entries,
				  u64 *hw_idx)
{
	const struct x86_branches *branches = &cpu->core->branches;
	struct lbr_entry record;
	unsigned int i;

	for (i = 0; i < branches->depth && arch_lbr_read_record(i, &record); i++)
		intel_arch_lbr_decode(&entries[i], &record, branches->format,
				      arch_lbr_has_tx(branches));
	*hw_idx = 0;
	return i;
}

static void arch_lbr_save(struct x86_cpu_pmu *cpu, struct x86_branch_saved *saved)
{
	unsigned int i;

	for (i = 0; i < cpu->core->branches.depth && arch_lbr_read_record(i, &saved->entry[i]); i++)
		;
	memset(&saved->entry[i], 0, (X86_BRANCHES_MAX - i) * sizeof(saved->entry[0]));
	saved->valid = true;
}

static void arch_lbr_restore(struct x86_cpu_pmu *cpu, const struct x86_branch_saved *saved)
{
	unsigned int i;

	arch_lbr_reset(cpu);
	for (i = 0; i < cpu->core->branches.depth && saved->entry[i].from; i++) {
		x86_hw_write(MSR_ARCH_LBR_FROM_0 + i, saved->entry[i].from);
		x86_hw_write(MSR_ARCH_LBR_TO_0 + i, saved->entry[i].to);
		x86_hw_write(MSR_ARCH_LBR_INFO_0 + i, saved->entry[i].info);
	}
}

static bool arch_lbr_probe(const struct x86_branches *branches)
{
	unsigned int last = branches->depth - 1;

	return !x86_hw_write_safe(MSR_ARCH_LBR_CTL, 0) &&
	       !x86_hw_write_safe(MSR_ARCH_LBR_DEPTH, branches->depth) &&
	       x86_branch_probe_register(MSR_ARCH_LBR_FROM_0 + last) &&
	       x86_branch_probe_register(MSR_ARCH_LBR_TO_0 + last);
}

static const struct x86_branch_ops arch_lbr_ops = {
	.probe		= arch_lbr_probe,
	.select		= arch_lbr_select,
	.start		= arch_lbr_start,
	.stop		= arch_lbr_stop,
	.reset		= arch_lbr_reset,
	.read		= arch_lbr_read,
	.save		= arch_lbr_save,
	.restore	= arch_lbr_restore,
	.quiet		= arch_lbr_quiet,
};

/**
 * intel_arch_lbr_guest_fill() - let VM entry stop recording, and VM exit start it
 * @core: this CPU's PMU
 * @msr: output
 *
 * Neither does by itself, other than with legacy records: VM exit clears IA32_DEBUGCTL.
 *
 * Context: irqs off, on the CPU concerned, PMU enabled.
 * Return: the number of MSRs: 1, or 0 on cores without architectural records.
 */
int intel_arch_lbr_guest_fill(const struct x86_core_pmu *core, struct perf_guest_switch_msr *msr)
{
	if (core->branches.ops != &arch_lbr_ops)
		return 0;
	msr->msr = MSR_ARCH_LBR_CTL;
	msr->host = this_cpu_read(arch_lbr_ctl);
	msr->guest = 0;
	return 1;
}

/**
 * intel_arch_lbr_describe() - describe the architectural records of a core, if it has them
 * @core: output
 * @cpu: what the CPU says of itself
 */
void intel_arch_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	u32 depths = cpu->lbr.reg[CPUID_EAX] & LEAF_EAX_DEPTHS, filters = cpu->lbr.reg[CPUID_EBX];
	unsigned int depth = fls(depths) * 8;

	if (!depths || !(filters & LEAF_EBX_LEVELS) || !(filters & LEAF_EBX_CLASSES))
		return;
	core->branches = (struct x86_branches) {
		.ops	= &arch_lbr_ops,
		.from	= MSR_ARCH_LBR_FROM_0,
		.to	= MSR_ARCH_LBR_TO_0,
		.info	= MSR_ARCH_LBR_INFO_0,
		.depth	= depth,
		.format	= cpu->lbr.reg[CPUID_ECX] & LEAF_ECX_INFO,
		.can	= X86_BRANCHES_SELECT,
		.counters = FIELD_GET(LEAF_ECX_COUNTERS, cpu->lbr.reg[CPUID_ECX]),
	};
	if (core->branches.counters)
		core->branches.format |= INTEL_ARCH_LBR_COUNTERS;
	if (filters & LEAF_EBX_CALL_STACK)
		core->branches.can |= X86_BRANCHES_STACK;
	if (cpu->extended.reg[CPUID_EBX] & (CPUID7_EBX_HLE | CPUID7_EBX_RTM))
		core->branches.can |= X86_BRANCHES_TX;
	core->side[X86_SIDE_BRANCHES] = &x86_branch_side;
}
