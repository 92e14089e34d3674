// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's legacy branch records: a ring of MSRs. LBR_TOS is the position of the latest record,
 * LBR_SELECT says what is left out. IA32_DEBUGCTL turns recording on, and freezes it when an
 * interrupt of the PMU comes, so that the handler's own branches are not recorded. A stack of
 * calls of user mode is not frozen: the kernel's branches are left out anyway.
 *
 * Before version 4 of architectural perfmon, freezing clears the bit in IA32_DEBUGCTL. The handler
 * writes it at its end, whether or not it was cleared. From version 4 on, freezing sets a status
 * bit, which x86_cpu_overflowed() acknowledges while recording is off.
 *
 * The registers do not move while recording is off.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: Intel SDM volume 3, chapter "Debug, Branch Profile ...", sections on last branch records;
 * MSRs in volume 4.
 */
#include "../../branch/branch.h"
#include "../../counters/debugctl.h"
#include "../../counters/side.h"
#include "lbr.h"

/* LBR_SELECT: levels that are left out, and the mode in which a return removes its call. */
#define SELECT_NO_KERNEL	BIT_ULL(0)
#define SELECT_NO_USER		BIT_ULL(1)
#define SELECT_CALL_STACK	BIT_ULL(9)

/* In that mode the CPU must record these classes and no others. */
#define CALL_STACK_CLASSES	(X86_BR_CLASS_CALL | X86_BR_CLASS_IND_CALL | X86_BR_CLASS_RET)

#define DEBUGCTL_BITS		(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

/* SDM volume 3, table 17-4, and the tables of MSRs in volume 4 */
const struct intel_lbr intel_lbr_core2 = { MSR_LBR_CORE_FROM, MSR_LBR_CORE_TO, 0, 4 };
const struct intel_lbr intel_lbr_bonnell = { MSR_LBR_CORE_FROM, MSR_LBR_CORE_TO, 0, 8 };
const struct intel_lbr intel_lbr_silvermont = {
	MSR_LBR_CORE_FROM, MSR_LBR_CORE_TO, 0, 8, X86_BRANCHES_SELECT,
};

/* The threads of a core share LBR_SELECT, so that nothing is left out. */
const struct intel_lbr intel_lbr_nehalem = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, 0, 16, X86_BRANCHES_SELECT | X86_BRANCHES_SHARED,
};

const struct intel_lbr intel_lbr_sandybridge = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, 0, 16, X86_BRANCHES_SELECT,
};

const struct intel_lbr intel_lbr_haswell = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, 0, 16, X86_BRANCHES_SELECT | X86_BRANCHES_STACK,
};

const struct intel_lbr intel_lbr_goldmont = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, 0, 32, X86_BRANCHES_SELECT | X86_BRANCHES_STACK,
};

const struct intel_lbr intel_lbr_goldmont_plus = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, MSR_LBR_INFO_0, 32,
	X86_BRANCHES_SELECT | X86_BRANCHES_STACK, INTEL_LBR_FORMAT_ATOM,
};

const struct intel_lbr intel_lbr_skylake = {
	MSR_LBR_NHM_FROM, MSR_LBR_NHM_TO, MSR_LBR_INFO_0, 32,
	X86_BRANCHES_SELECT | X86_BRANCHES_STACK, INTEL_LBR_FORMAT_INFO,
};

/* Value of LBR_SELECT, or that a guest determines it. */
static DEFINE_PER_CPU(u64, lbr_select);

#define SELECT_OF_GUEST		U64_MAX

static bool intel_lbr_is_lent(void)
{
	return this_cpu_read(lbr_select) == SELECT_OF_GUEST;
}

static bool intel_lbr_has_tx(const struct x86_branches *branches)
{
	return branches->can & X86_BRANCHES_TX;
}

static u64 intel_lbr_select_for(const struct x86_branches *branches, u32 kinds, u64 levels,
				bool call_stack)
{
	u32 classes = call_stack ? CALL_STACK_CLASSES : x86_branch_classes(kinds);
	u64 select;

	if ((branches->can & (X86_BRANCHES_SELECT | X86_BRANCHES_SHARED)) != X86_BRANCHES_SELECT)
		return 0;
	select = X86_BR_CLASSES & ~classes;
	if (!(levels & PERF_SAMPLE_BRANCH_KERNEL))
		select |= SELECT_NO_KERNEL;
	if (!(levels & PERF_SAMPLE_BRANCH_USER))
		select |= SELECT_NO_USER;
	if (call_stack)
		select |= SELECT_CALL_STACK;
	return select;
}

static void intel_lbr_stop(struct x86_cpu_pmu *cpu)
{
	x86_debugctl_update(cpu, DEBUGCTL_BITS, 0);
}

/*
 * The manual sets up a stack of calls without the freeze. A freeze next to a call or a return might
 * leave the stack off by one for good.
 */
static u64 intel_lbr_debugctl(u64 select)
{
	const u64 user_stack = SELECT_CALL_STACK | SELECT_NO_KERNEL;

	return (select & user_stack) == user_stack ? DEBUGCTLMSR_LBR : DEBUGCTL_BITS;
}

static void intel_lbr_start(struct x86_cpu_pmu *cpu, u64 select)
{
	/* It must not change while recording is on, see x86_branch_remove_stale() in branch.c. */
	if (this_cpu_read(lbr_select) != select) {
		intel_lbr_stop(cpu);
		x86_hw_write(MSR_LBR_SELECT, select);
		this_cpu_write(lbr_select, select);
	}
	x86_debugctl_update(cpu, DEBUGCTL_BITS, intel_lbr_debugctl(select));
}

static void intel_lbr_write_record(const struct x86_branches *branches, unsigned int i,
				   const struct lbr_entry *record)
{
	x86_hw_write(branches->from + i, intel_lbr_writable_from(record->from, branches->format,
								 intel_lbr_has_tx(branches)));
	x86_hw_write(branches->to + i, intel_lbr_writable_to(record->to, branches->format));
	if (branches->info)
		x86_hw_write(branches->info + i, record->info);
}

static void intel_lbr_read_record(const struct x86_branches *branches, unsigned int i,
				  struct lbr_entry *record)
{
	record->from = x86_hw_read(branches->from + i);
	record->to = x86_hw_read(branches->to + i);
	record->info = branches->info ? x86_hw_read(branches->info + i) : 0;
}

/* Position of the record that is @age records older than the latest. The depth is a power of 2. */
static unsigned int intel_lbr_position(const struct x86_branches *branches, u64 tos,
				       unsigned int age)
{
	return (tos - age) & (branches->depth - 1);
}

static void intel_lbr_reset(struct x86_cpu_pmu *cpu)
{
	const struct x86_branches *branches = &cpu->core->branches;
	const struct lbr_entry none = { };
	unsigned int i;

	for (i = 0; i < branches->depth; i++)
		intel_lbr_write_record(branches, i, &none);
	x86_hw_write(MSR_LBR_TOS, 0);
}

/* The guest begins as after a reset. intel_lbr_start() writes the register again. */
static void intel_lbr_lend(struct x86_cpu_pmu *cpu)
{
	if (cpu->core->branches.can & X86_BRANCHES_SELECT)
		x86_hw_write(MSR_LBR_SELECT, 0);
	this_cpu_write(lbr_select, SELECT_OF_GUEST);
}

static void intel_lbr_quiet(struct x86_cpu_pmu *cpu)
{
	intel_lbr_stop(cpu);
	if (cpu->core->branches.can & X86_BRANCHES_SELECT)
		x86_hw_write(MSR_LBR_SELECT, 0);
	this_cpu_write(lbr_select, 0);
}

/* Records are removed by writing zeros, so the first zero is behind the last record. */
static unsigned int intel_lbr_read(struct x86_cpu_pmu *cpu, struct perf_branch_entry *entries,
				   u64 *hw_idx)
{
	const struct x86_branches *branches = &cpu->core->branches;
	u64 tos = x86_hw_read(MSR_LBR_TOS);
	struct lbr_entry record;
	unsigned int i;

	for (i = 0; i < branches->depth; i++) {
		intel_lbr_read_record(branches, intel_lbr_position(branches, tos, i), &record);
		if (!record.from)
			break;
		intel_lbr_decode(&entries[i], &record, branches->format,
				 intel_lbr_has_tx(branches));
	}
	*hw_idx = tos & (branches->depth - 1);
	return i;
}

static void intel_lbr_save(struct x86_cpu_pmu *cpu, struct x86_branch_saved *saved)
{
	const struct x86_branches *branches = &cpu->core->branches;
	unsigned int i;

	saved->tos = x86_hw_read(MSR_LBR_TOS);
	saved->select = intel_lbr_is_lent() ? x86_hw_read(MSR_LBR_SELECT) : 0;
	for (i = 0; i < branches->depth; i++) {
		intel_lbr_read_record(branches, intel_lbr_position(branches, saved->tos, i),
				      &saved->entry[i]);
		/* A guest may have written anything. */
		if (!saved->entry[i].from && !intel_lbr_is_lent())
			break;
	}
	memset(&saved->entry[i], 0, (X86_BRANCHES_MAX - i) * sizeof(saved->entry[0]));
	saved->valid = true;
}

static void intel_lbr_restore(struct x86_cpu_pmu *cpu, const struct x86_branch_saved *saved)
{
	const struct x86_branches *branches = &cpu->core->branches;
	unsigned int i;

	for (i = 0; i < branches->depth; i++)
		intel_lbr_write_record(branches, intel_lbr_position(branches, saved->tos, i),
				       &saved->entry[i]);
	x86_hw_write(MSR_LBR_TOS, saved->tos);
	if (intel_lbr_is_lent())
		x86_hw_write(MSR_LBR_SELECT, saved->select);
}

/* A hypervisor may hide the registers, or show their format without them. */
static bool intel_lbr_probe(const struct x86_branches *branches)
{
	unsigned int last = branches->depth - 1;
	u64 value;

	if (x86_hw_read_safe(MSR_IA32_DEBUGCTLMSR, &value) ||
	    x86_hw_write_safe(MSR_IA32_DEBUGCTLMSR, value & ~DEBUGCTL_BITS))
		return false;
	return !x86_hw_read_safe(MSR_LBR_TOS, &value) &&
	       x86_branch_probe_register(branches->from + last) &&
	       x86_branch_probe_register(branches->to + last) &&
	       (!branches->info || !x86_hw_read_safe(branches->info + last, &value)) &&
	       (!(branches->can & X86_BRANCHES_SELECT) ||
		!x86_hw_write_safe(MSR_LBR_SELECT, 0));
}

static const struct x86_branch_ops lbr_ops = {
	.probe		= intel_lbr_probe,
	.select		= intel_lbr_select_for,
	.start		= intel_lbr_start,
	.stop		= intel_lbr_stop,
	.reset		= intel_lbr_reset,
	.read		= intel_lbr_read,
	.save		= intel_lbr_save,
	.restore	= intel_lbr_restore,
	.lend		= intel_lbr_lend,
	.quiet		= intel_lbr_quiet,
};

static bool intel_lbr_format_is_known(unsigned int format, const struct intel_lbr *lbr)
{
	if (lbr->info)
		return format == lbr->format;
	return format >= INTEL_LBR_FORMAT_LIP && format <= INTEL_LBR_FORMAT_TIME &&
	       format != INTEL_LBR_FORMAT_INFO;
}

/**
 * intel_lbr_describe() - describe the legacy records of a core, if it has them
 * @core: output
 * @cpu: what the CPU says of itself
 * @lbr: records of the model
 *
 * The registers are probed later, see x86_branch_probe().
 */
void intel_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu,
			const struct intel_lbr *lbr)
{
	unsigned int format = cpu->capabilities & PERF_CAP_LBR_FORMAT;

	if (core->version < 2 || !intel_lbr_format_is_known(format, lbr))
		return;
	core->branches = (struct x86_branches) {
		.ops	= &lbr_ops,
		.from	= lbr->from,
		.to	= lbr->to,
		.info	= lbr->info,
		.depth	= lbr->depth,
		.format	= format,
		.can	= lbr->can,
	};
	if (cpu->extended.reg[CPUID_EBX] & (CPUID7_EBX_HLE | CPUID7_EBX_RTM) &&
	    (format == INTEL_LBR_FORMAT_TSX || format == INTEL_LBR_FORMAT_INFO))
		core->branches.can |= X86_BRANCHES_TX;
	core->side[X86_SIDE_BRANCHES] = &x86_branch_side;
}
