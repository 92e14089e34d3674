// SPDX-License-Identifier: GPL-2.0
/*
 * The emulator of AMD's core PMU: four counters at the old addresses, six at the new ones, or
 * PerfMonV2 with its global registers.
 *
 * Source: AMD64 Architecture Programmer's Manual volume 2, "Performance Monitoring
 * Counters", and appendix E of volume 3 for CPUID.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include "emulator.h"

/* Event select bits that are not reserved. */
#define AMD_SELECT_VALID	(APM_SEL_EVENT | APM_SEL_UMASK | APM_SEL_USER | APM_SEL_OS |	\
				 APM_SEL_EDGE | APM_SEL_INT | APM_SEL_EN | APM_SEL_INV |	\
				 APM_SEL_CNT_MASK | APM_SEL_GUEST_ONLY | APM_SEL_HOST_ONLY)

static bool has_global(void)
{
	return emu_machine->version >= 2;
}

/* Event selects and counters alternate at the new addresses. */
static bool has_address(u32 msr, u32 old, u32 new, unsigned int *idx)
{
	unsigned int n = msr - old;

	if (msr >= old && n < min_t(u32, emu_machine->generic, APM_LEGACY_COUNTERS)) {
		*idx = n;
		return true;
	}
	n = msr - new;
	*idx = n / 2;
	return emu_machine->core_ext && msr >= new && !(n & 1) &&
	       *idx < emu_machine->generic;
}

static bool is_counter(u32 msr, u32 old, u32 new, unsigned int *idx)
{
	return has_address(msr, old, new, idx) && !(emu_stuck.faults & BIT_ULL(*idx));
}

/* Events with an increment per cycle that is too large for one counter. */
static bool is_large(u64 select)
{
	return emu_machine->identity.family >= 0x17 &&
	       (select & APM_SEL_EVENT) == 0x003;
}

/* Event of a counter that is the upper part of the counter below. */
static bool is_upper(u64 select)
{
	return emu_machine->identity.family >= 0x17 &&
	       (select & APM_SEL_EVENT) == APM_SEL_EVENT;
}

static bool is_lower(const struct emu_cpu *cpu, unsigned int idx)
{
	return idx + 1 < emu_machine->generic && is_upper(cpu->select[idx + 1]);
}

/* Large events, and no others, need an even counter with the next one as upper part. */
static void check_pairs(const struct emu_cpu *cpu, u64 enabled)
{
	unsigned int idx;

	for (idx = 0; idx < emu_machine->generic; idx++) {
		u64 next = BIT_ULL(idx + 1);
		bool merged = is_lower(cpu, idx) && enabled & next &&
			      cpu->select[idx + 1] & APM_SEL_EN;

		if (!(idx & 1) && is_upper(cpu->select[idx]))
			emu_misuse("counter %u is no upper part", idx);
		if (cpu->running & BIT_ULL(idx) &&
		    is_large(cpu->select[idx]) != (!(idx & 1) && merged))
			emu_misuse("counter %u and the next are %sone for event %#llx", idx,
				   merged ? "" : "not ", cpu->select[idx]);
	}
}

/* Counters that count an event of the northbridge. */
static u64 counting_shared(const struct emu_cpu *cpu)
{
	u64 found = 0, todo;

	for (todo = READ_ONCE(cpu->running); todo; todo &= todo - 1) {
		if ((READ_ONCE(cpu->select[__ffs64(todo)]) & 0xe0) == 0xe0)
			found |= todo & -todo;
	}
	return found;
}

/* For shared events, only one core of a node may use the counter of a number. */
static void check_shared(const struct emu_cpu *cpu)
{
	unsigned int this = smp_processor_id(), nr;
	u64 both;

	if (emu_machine->identity.family >= 0x15 || !counting_shared(cpu))
		return;
	smp_mb();	/* one of two CPUs sees the counters that the other has enabled */
	for_each_online_cpu(nr) {
		if (nr == this || topology_amd_node_id(nr) != topology_amd_node_id(this) ||
		    topology_physical_package_id(nr) != topology_physical_package_id(this))
			continue;
		both = counting_shared(per_cpu_ptr(&emu_cpu, nr)) & counting_shared(cpu);
		if (both)
			emu_misuse("counters %#llx count for the node here and on CPU %u",
				   both, nr);
	}
}

/* Without SVM, a counter for the host only or for guests only does not count. */
static bool counts_here(const struct emu_cpu *cpu, u64 select)
{
	u64 only = select & (APM_SEL_GUEST_ONLY | APM_SEL_HOST_ONLY);
	u64 here = cpu->in_guest ? APM_SEL_GUEST_ONLY : APM_SEL_HOST_ONLY;
	u64 efer;

	if (!only)
		return true;
	rdmsrl(APM_EFER, efer);
	return efer & APM_EFER_SVME && only & here;
}

static void update_running(struct emu_cpu *cpu)
{
	u64 enabled = has_global() ? cpu->global_ctrl : emu_counters();
	unsigned int idx;

	cpu->running = 0;
	for (idx = 0; idx < emu_machine->generic; idx++) {
		struct emu_counter *counter = &cpu->counter[idx];
		u64 select = cpu->select[idx];

		counter->user = select & APM_SEL_USER;
		counter->kernel = select & APM_SEL_OS;
		counter->interrupt = select & APM_SEL_INT;
		counter->rate = emu_rate_of(select);
		if (select & APM_SEL_EN && enabled & BIT_ULL(idx) &&
		    counts_here(cpu, select) && (counter->user || counter->kernel))
			cpu->running |= BIT_ULL(idx);
	}
	cpu->running &= ~emu_stuck.still;
	check_pairs(cpu, enabled);
	check_shared(cpu);
	if (cpu->running)
		emu_rearm(cpu);
}

static int write_select(struct emu_cpu *cpu, unsigned int idx, u64 value)
{
	u64 changed = cpu->select[idx] ^ value;

	if (value & ~AMD_SELECT_VALID)
		return -EIO;
	if (changed & ~APM_SEL_EN)
		emu_check_stopped(cpu, idx, "new event");
	if (changed && idx && is_upper(cpu->select[idx]))
		emu_check_stopped(cpu, idx - 1, "new upper part");
	cpu->select[idx] = emu_stuck.off & BIT_ULL(idx) ? value & ~APM_SEL_EN : value;
	update_running(cpu);
	return 0;
}

static int write_count(struct emu_cpu *cpu, unsigned int idx, u64 value)
{
	if (value >> emu_machine->width)
		return -EIO;
	if (idx && is_upper(cpu->select[idx]))
		emu_check_stopped(cpu, idx - 1, "write of the upper part");
	emu_set_counter(cpu, idx, value);
	return 0;
}

static u64 status_valid(void)
{
	return emu_counters() | PPR_STATUS_LBR_FREEZE | PPR_STATUS_PMC_FREEZE;
}

static int write_global(struct emu_cpu *cpu, u32 msr, u64 value)
{
	u64 valid = msr == PPR_GLOBAL_CTL ? emu_counters() : status_valid();

	if (!has_global() || value & ~valid)
		return -EIO;

	switch (msr) {
	case PPR_GLOBAL_CTL:
		cpu->global_ctrl = value;
		update_running(cpu);
		if (emu_hostile_raises_again(cpu))
			emu_raise_pmi(cpu);
		return 0;
	case PPR_GLOBAL_STATUS_CLR:
		if (value & ~cpu->global_status)
			emu_misuse("overflow %#llx acknowledged, pending is %#llx",
				   value, cpu->global_status);
		cpu->global_status &= ~value;
		emu_hostile_return(cpu, value);
		emu_branches_update(cpu);
		return 0;
	case PPR_GLOBAL_STATUS_SET:
		cpu->global_status |= value;
		return 0;
	}
	return -EIO;
}

static int amd_write(struct emu_cpu *cpu, u32 msr, u64 value)
{
	unsigned int idx;

	if (is_counter(msr, APM_PERFEVTSEL0, APM_PERFCTL0, &idx))
		return write_select(cpu, idx, value);
	if (is_counter(msr, APM_PERFCTR0, APM_PERFCTL0_CTR, &idx))
		return write_count(cpu, idx, value);
	if (msr == APM_DEBUGCTL && emu_machine->lbr_depth) {
		if (value & ~emu_branches_debugctl())
			return -EIO;
		cpu->debugctl = value;
		emu_branches_update(cpu);
		return 0;
	}
	if (!emu_branches_write(cpu, msr, value) || !emu_brs_write(msr, value))
		return 0;
	return write_global(cpu, msr, value);
}

static int amd_read(struct emu_cpu *cpu, u32 msr, u64 *value)
{
	unsigned int idx;

	if (is_counter(msr, APM_PERFEVTSEL0, APM_PERFCTL0, &idx))
		*value = cpu->select[idx];
	else if (is_counter(msr, APM_PERFCTR0, APM_PERFCTL0_CTR, &idx))
		*value = cpu->counter[idx].value;
	else if (msr == PPR_GLOBAL_CTL && has_global())
		*value = cpu->global_ctrl;
	else if (msr == PPR_GLOBAL_STATUS && has_global())
		*value = emu_hostile_status(cpu->global_status, status_valid());
	else if (msr == APM_DEBUGCTL && emu_machine->lbr_depth)
		*value = cpu->debugctl;
	else if (emu_branches_read(cpu, msr, value))
		return emu_brs_read(msr, value);
	return 0;
}

/*
 * A pair overflows when its upper part, of 16 bits, overflows. A driver that uses a pair
 * like a counter as wide as the lower one has to set all bits of the upper part.
 */
static void carry(struct emu_cpu *cpu, unsigned int idx)
{
	u64 upper;

	if (!is_large(cpu->select[idx]) || !is_lower(cpu, idx))
		return;
	upper = cpu->counter[idx + 1].value;
	if (upper != 0xffff)
		emu_misuse("counter %u runs over, its upper part is %#llx", idx, upper);
	cpu->counter[idx + 1].value = 0;
}

static bool amd_overflow(struct emu_cpu *cpu, u64 counters)
{
	bool interrupt = false;

	emu_brs_overflow(cpu, counters);
	if (has_global())
		cpu->global_status |= counters;
	for (; counters; counters &= counters - 1) {
		carry(cpu, __ffs64(counters));
		interrupt |= cpu->counter[__ffs64(counters)].interrupt;
	}
	if (interrupt)
		emu_branches_freeze(cpu);
	return interrupt;
}

static void amd_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	if (leaf == 0x80000001 && emu_machine->core_ext)
		out->reg[CPUID_ECX] = APM_CPUID_1_ECX_CORE_EXT;
	if (leaf != APM_CPUID_PERFMON || !has_global())
		return;
	out->reg[CPUID_EAX] = APM_CPUID_22_EAX_V2;
	out->reg[CPUID_EBX] = emu_machine->generic |
			      emu_machine->lbr_depth << APM_CPUID_22_EBX_LBR_SHIFT;
	if (emu_machine->lbr_depth)
		out->reg[CPUID_EAX] |= APM_CPUID_22_EAX_LBR_V2 | APM_CPUID_22_EAX_FREEZE;
}

static int amd_rdpmc_counter(u32 index)
{
	return index < emu_machine->generic ? index : -1;
}

const struct emu_vendor emu_amd = {
	.read		= amd_read,
	.write		= amd_write,
	.cpuid		= amd_cpuid,
	.overflow	= amd_overflow,
	.rdpmc_counter	= amd_rdpmc_counter,
	.guest_switch	= update_running,
};
