// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's branch sampling (BRS), of family 19h models 00h to 0Fh (Zen 3): pairs of MSRs for the 16
 * taken branches after the overflow of a counter. When these were recorded, recording stops, and
 * the interrupt comes. So the counter overflows that many events before the end of the period, and
 * the event must count taken branches.
 *
 * DBG_EXTN_CFG names the counter. Nothing can be left out. The records do not say how branches were
 * predicted. Events take turns, because one counter can be named.
 *
 * In a state of low power, no branch would end the recording, and the interrupt would not come. So
 * recording is off there, see x86_branch_low_power(). An overflow meanwhile interrupts at once, and
 * the event then continues with what is left of its period.
 *
 * The bits of DBG_EXTN_CFG are known from one description only.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 *
 * Source: AMD Processor Programming Reference, family 19h model 01h (55898), MSRC000_010F and
 * MSRC001_0300, as it is described publicly; CPUID leaf 0x80000008 in APM volume 3, appendix E.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/perf_refusal.h>
#include <linux/static_call.h>
#include "../branch/branch.h"
#include "../counters/event_attr.h"
#include "../counters/side.h"
#include "brs.h"

/* Retired taken branches */
#define TAKEN_BRANCHES		0xc4

#define BRS_DEPTH		16

/* The top bit of an address, of which the bits above are copies. */
#define ADDRESS_TOP		47

/* DBG_EXTN_CFG. The bits BRS_MUST are always set with BRS_ENABLE. */
#define BRS_ENABLE		BIT_ULL(2)
#define BRS_MUST		GENMASK_ULL(4, 3)
#define BRS_FULL		BIT_ULL(5)
#define BRS_RECORDS_SHIFT	16
#define BRS_RECORDS		GENMASK_ULL(19, 16)
#define BRS_COUNTER_SHIFT	24
#define BRS_COUNTER		GENMASK_ULL(26, 24)
#define BRS_BITS		(BRS_ENABLE | BRS_MUST | BRS_FULL | BRS_RECORDS | BRS_COUNTER)

static void amd_brs_update_control(u64 mask, u64 bits)
{
	x86_hw_write(MSR_AMD_DBG_EXTN_CFG, (x86_hw_read(MSR_AMD_DBG_EXTN_CFG) & ~mask) | bits);
}

static u64 amd_brs_select(const struct x86_branches *branches, u32 kinds, u64 levels,
			  bool call_stack)
{
	return 0;
}

/* The counter of the event with records, stopped or not; -1 if it has none. */
static int amd_brs_counter_of_event(const struct x86_cpu_pmu *cpu)
{
	u64 todo;

	for (todo = cpu->owned; todo; todo &= todo - 1) {
		if (cpu->owner[__ffs64(todo)]->hw.flags & X86_EVENT_BRANCHES)
			return __ffs64(todo);
	}
	return -1;
}

static void amd_brs_start(struct x86_cpu_pmu *cpu, u64 select)
{
	int idx = amd_brs_counter_of_event(cpu);

	if (idx >= 0)
		amd_brs_update_control(BRS_BITS, BRS_ENABLE | BRS_MUST |
				       (u64)idx << BRS_COUNTER_SHIFT);
}

/* How much was recorded remains to be read. */
static void amd_brs_stop(struct x86_cpu_pmu *cpu)
{
	amd_brs_update_control(BRS_ENABLE, 0);
}

static void amd_brs_reset(struct x86_cpu_pmu *cpu)
{
	amd_brs_update_control(BRS_BITS, 0);
}

/* Branches are in the order in which they were taken. */
static unsigned int amd_brs_read(struct x86_cpu_pmu *cpu, struct perf_branch_entry *entries,
				 u64 *hw_idx)
{
	u64 control = x86_hw_read(MSR_AMD_DBG_EXTN_CFG);
	unsigned int nr = (control & BRS_RECORDS) >> BRS_RECORDS_SHIFT, i;

	if (control & BRS_FULL)
		nr = BRS_DEPTH;
	for (i = 0; i < nr; i++) {
		u32 msr = MSR_AMD_SAMP_BR_FROM + 2 * (nr - 1 - i);

		entries[i] = (struct perf_branch_entry) {
			.from	= sign_extend64(x86_hw_read(msr), ADDRESS_TOP),
			.to	= sign_extend64(x86_hw_read(msr + 1), ADDRESS_TOP),
		};
	}
	*hw_idx = 0;
	return nr;
}

static bool amd_brs_probe(const struct x86_branches *branches)
{
	u64 value, is;

	return !x86_hw_read_safe(MSR_AMD_DBG_EXTN_CFG, &value) &&
	       !x86_hw_write_safe(MSR_AMD_DBG_EXTN_CFG, value & ~BRS_BITS) &&
	       !x86_hw_read_safe(MSR_AMD_DBG_EXTN_CFG, &is) && is == (value & ~BRS_BITS) &&
	       !x86_hw_read_safe(MSR_AMD_SAMP_BR_FROM + 2 * BRS_DEPTH - 1, &value);
}

static int amd_brs_check(const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if ((event->hw.config & AMD_SELECT_WHAT) != TAKEN_BRANCHES)
		return perf_refuse(-EINVAL, "config",
				   "branches are recorded with event %#x (branch-brs) only",
				   TAKEN_BRANCHES);
	if (attr->freq)
		return perf_refuse(-EINVAL, "freq", "records of branches need a fixed period");
	if (attr->sample_period <= BRS_DEPTH)
		return perf_refuse(-EINVAL, "sample_period",
				   "%llu asked, records of %u branches need a longer one",
				   attr->sample_period, BRS_DEPTH);
	return 0;
}

static const struct x86_branch_ops brs_ops = {
	.check		= amd_brs_check,
	.probe		= amd_brs_probe,
	.select		= amd_brs_select,
	.start		= amd_brs_start,
	.stop		= amd_brs_stop,
	.reset		= amd_brs_reset,
	.read		= amd_brs_read,
	.quiet		= amd_brs_reset,
};

static struct attribute *brs_files[] = {
	X86_PMU_FILE("branch-brs", 0, "event=0xc4"),
	NULL,
};

/**
 * amd_brs_describe() - describe branch sampling of a core, if it has that
 * @core: output
 * @cpu: what the CPU says of itself
 */
void amd_brs_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	if (cpu->id.vendor != X86_VENDOR_AMD || cpu->id.family != 0x19 || cpu->id.model > 0xf ||
	    !(cpu->amd_more.reg[CPUID_EBX] & CPUID_EXT8_EBX_BRS))
		return;
	core->branches = (struct x86_branches) {
		.ops	= &brs_ops,
		.from	= MSR_AMD_SAMP_BR_FROM,
		.to	= MSR_AMD_SAMP_BR_FROM + 1,
		.depth	= BRS_DEPTH,
		.can	= X86_BRANCHES_ONE,
		.early	= BRS_DEPTH,
	};
	core->side[X86_SIDE_BRANCHES] = &x86_branch_side;
	core->files.events[X86_EVENTS_OF_BRANCHES] = brs_files;
}

/**
 * amd_brs_low_power() - stop recording before a state of low power, or let it go on after it
 * @enter: it begins
 *
 * Context: irqs off.
 */
void amd_brs_low_power(bool enter)
{
	x86_branch_low_power(enter);
}

/* Nothing is called on other CPUs. */
DEFINE_STATIC_CALL_NULL(perf_low_power, amd_brs_low_power);
EXPORT_STATIC_CALL_TRAMP_GPL(perf_low_power);

/* After the core PMU was detected, before idle drivers load. */
static int __init amd_brs_init(void)
{
	if (x86_core_pmu_count && x86_core_pmus[0]->branches.ops == &brs_ops)
		static_call_update(perf_low_power, amd_brs_low_power);
	return 0;
}
arch_initcall(amd_brs_init);
