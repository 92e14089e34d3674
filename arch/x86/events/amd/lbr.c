// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's branch records, version 2 (Zen 4 and later): pairs of MSRs in which record 0 is always the
 * latest. DBG_EXTN_CFG turns recording on, LBR_SELECT says what is left out. IA32_DEBUGCTL freezes
 * the records when a counter raises its interrupt; x86_cpu_overflowed() acknowledges that while
 * recording is off. DEBUGCTLMSR_LBR is set as well: without it, the source of a branch that was
 * fused with a comparison is the comparison.
 *
 * Some CPUs cannot freeze the records (CPUID leaf 0x80000022). Then the kernel's branches cannot be
 * requested: the latest ones would always be of the interrupt's handler.
 *
 * A record says whether the branch was speculative, and whether on the right path. Records of the
 * wrong path are passed on, with that in perf_branch_entry::spec.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: AMD64 Architecture Programmer's Manual volume 2, "Last Branch Records"; CPUID leaf
 * 0x80000022 in volume 3, appendix E.
 */
#include "../branch/branch.h"
#include "../counters/debugctl.h"
#include "../counters/side.h"
#include "lbr.h"

/* LBR_SELECT: levels that are left out. The bits of classes are X86_BR_CLASS_*. */
#define SELECT_NO_KERNEL	BIT_ULL(0)
#define SELECT_NO_USER		BIT_ULL(1)

#define FROM_MISPRED		BIT_ULL(63)
#define TO_VALID		BIT_ULL(63)
#define TO_SPEC			BIT_ULL(62)
/* No branch: erratum 1452 of family 19h models 10h to 1Fh; reserved elsewhere. */
#define TO_NONE			BIT_ULL(61)

#define DEBUGCTL_BITS		(DEBUGCTLMSR_LBR | DEBUGCTLMSR_FREEZE_LBRS_ON_PMI)

/* Value of LBR_SELECT. */
static DEFINE_PER_CPU(u64, amd_lbr_select);

static u64 amd_lbr_select_for(const struct x86_branches *branches, u32 kinds, u64 levels,
			      bool call_stack)
{
	u64 select = X86_BR_CLASSES & ~x86_branch_classes(kinds);

	if (!(levels & PERF_SAMPLE_BRANCH_KERNEL))
		select |= SELECT_NO_KERNEL;
	if (!(levels & PERF_SAMPLE_BRANCH_USER))
		select |= SELECT_NO_USER;
	return select;
}

/* Other bits of the register belong to others. */
static void amd_lbr_set_recording(bool on)
{
	u64 value = x86_hw_read(MSR_AMD_DBG_EXTN_CFG) & ~DBG_EXTN_CFG_LBRV2EN;

	x86_hw_write(MSR_AMD_DBG_EXTN_CFG, value | (on ? DBG_EXTN_CFG_LBRV2EN : 0));
}

static void amd_lbr_stop(struct x86_cpu_pmu *cpu)
{
	amd_lbr_set_recording(false);
	x86_debugctl_update(cpu, DEBUGCTL_BITS, 0);
}

static void amd_lbr_start(struct x86_cpu_pmu *cpu, u64 select)
{
	if (this_cpu_read(amd_lbr_select) != select) {
		amd_lbr_set_recording(false);
		x86_hw_write(MSR_AMD64_LBR_SELECT, select);
		this_cpu_write(amd_lbr_select, select);
	}
	x86_debugctl_update(cpu, DEBUGCTL_BITS,
			    cpu->core->branches.can & X86_BRANCHES_GO_ON ? DEBUGCTLMSR_LBR :
									   DEBUGCTL_BITS);
	amd_lbr_set_recording(true);
}

static u32 amd_lbr_from_msr(unsigned int i)
{
	return MSR_AMD_SAMP_BR_FROM + 2 * i;
}

static u32 amd_lbr_to_msr(unsigned int i)
{
	return amd_lbr_from_msr(i) + 1;
}

static void amd_lbr_reset(struct x86_cpu_pmu *cpu)
{
	unsigned int i;

	for (i = 0; i < cpu->core->branches.depth; i++) {
		x86_hw_write(amd_lbr_from_msr(i), 0);
		x86_hw_write(amd_lbr_to_msr(i), 0);
	}
}

static void amd_lbr_quiet(struct x86_cpu_pmu *cpu)
{
	amd_lbr_stop(cpu);
	x86_hw_write(MSR_AMD64_LBR_SELECT, 0);
	this_cpu_write(amd_lbr_select, 0);
}

/**
 * amd_lbr_decode() - decode a record
 * @entry: output
 * @from: register with the source of the branch
 * @to: register with its target
 * @top: the top bit of an address. Up to bit 56 the bits above may be copies of it, or not.
 *
 * Return: false if the record is empty.
 */
bool amd_lbr_decode(struct perf_branch_entry *entry, u64 from, u64 to, unsigned int top)
{
	if (!(to & (TO_VALID | TO_SPEC)) || to & TO_NONE)
		return false;
	*entry = (struct perf_branch_entry) {
		.from		= sign_extend64(from, top),
		.to		= sign_extend64(to, top),
		.mispred	= !!(from & FROM_MISPRED),
		.predicted	= !(from & FROM_MISPRED),
	};
	if (!(to & TO_VALID))
		entry->spec = PERF_BR_SPEC_WRONG_PATH;
	else if (to & TO_SPEC)
		entry->spec = PERF_BR_SPEC_CORRECT_PATH;
	else
		entry->spec = PERF_BR_NON_SPEC_CORRECT_PATH;
	return true;
}

static unsigned int amd_lbr_read(struct x86_cpu_pmu *cpu, struct perf_branch_entry *entries,
				 u64 *hw_idx)
{
	unsigned int top = __VIRTUAL_MASK_SHIFT, i, nr = 0;

	for (i = 0; i < cpu->core->branches.depth; i++) {
		if (amd_lbr_decode(&entries[nr], x86_hw_read(amd_lbr_from_msr(i)),
				   x86_hw_read(amd_lbr_to_msr(i)), top))
			nr++;
	}
	*hw_idx = 0;
	return nr;
}

static bool amd_lbr_probe(const struct x86_branches *branches)
{
	unsigned int last = branches->depth - 1;
	u64 value;

	return !x86_hw_read_safe(MSR_AMD_DBG_EXTN_CFG, &value) &&
	       !x86_hw_write_safe(MSR_AMD_DBG_EXTN_CFG, value & ~DBG_EXTN_CFG_LBRV2EN) &&
	       !x86_hw_write_safe(MSR_AMD64_LBR_SELECT, 0) &&
	       x86_branch_probe_register(amd_lbr_from_msr(last)) &&
	       x86_branch_probe_register(amd_lbr_to_msr(last));
}

/* Without a stack of calls nothing is saved. */
static const struct x86_branch_ops amd_lbr_ops = {
	.probe		= amd_lbr_probe,
	.select		= amd_lbr_select_for,
	.start		= amd_lbr_start,
	.stop		= amd_lbr_stop,
	.reset		= amd_lbr_reset,
	.read		= amd_lbr_read,
	.quiet		= amd_lbr_quiet,
};

/**
 * amd_lbr_describe() - describe the branch records of a core, if it has them
 * @core: output, with its version
 * @cpu: what the CPU says of itself
 */
void amd_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	union cpuid_0x80000022_ebx ebx = { .full = cpu->amd_perfmon.reg[CPUID_EBX] };
	unsigned int depth = min_t(u32, ebx.split.lbr_v2_stack_sz, X86_BRANCHES_MAX);
	u32 features = cpu->amd_perfmon.reg[CPUID_EAX];

	if (core->version < 2 || !(features & CPUID_EXT22_EAX_LBR_V2) || !depth)
		return;
	core->branches = (struct x86_branches) {
		.ops	= &amd_lbr_ops,
		.from	= MSR_AMD_SAMP_BR_FROM,
		.to	= MSR_AMD_SAMP_BR_FROM + 1,
		.depth	= depth,
		.can	= X86_BRANCHES_SELECT,
	};
	if (!(features & CPUID_EXT22_EAX_FREEZE))
		core->branches.can |= X86_BRANCHES_GO_ON;
	core->side[X86_SIDE_BRANCHES] = &x86_branch_side;
}
