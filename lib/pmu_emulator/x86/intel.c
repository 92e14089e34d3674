// SPDX-License-Identifier: GPL-2.0
/*
 * The emulator of Intel's architectural performance monitoring: its registers, with their
 * reserved bits.
 *
 * Source: Intel SDM volume 3, chapter "Performance Monitoring", and CPUID leaves 1 and 0xa
 * in volume 2.
 */
#include <linux/bitops.h>
#include "ds.h"

/* the event "UnHalted Core Cycles" */
#define EMU_CYCLES	0x3c

/* Do accesses to the registers of the counter fault? */
static bool is_missing(unsigned int idx)
{
	return emu_stuck.faults & BIT_ULL(idx);
}

static bool is_gp(u32 msr, u32 first, unsigned int *idx)
{
	*idx = msr - first;
	return msr >= first && *idx < emu_generic() && !is_missing(*idx);
}

static bool has_fixed(unsigned int n)
{
	return n < EMU_MAX_FIXED && emu_fixed() & BIT(n);
}

static bool is_fixed(u32 msr, unsigned int *idx)
{
	unsigned int n = msr - SDM_FIXED_CTR0;

	*idx = EMU_FIXED + n;
	return msr >= SDM_FIXED_CTR0 && has_fixed(n) && !is_missing(*idx);
}

/* The addresses of version 6, where the registers of a counter are adjacent. */
static bool is_v6(u32 msr, u32 first, unsigned int nr, unsigned int *idx)
{
	unsigned int n = msr - first;

	*idx = n / SDM_V6_STEP;
	return emu_machine->version >= 6 && msr >= first &&
	       !(n % SDM_V6_STEP) && *idx < nr;
}

static bool is_select(u32 msr, unsigned int *idx)
{
	return is_gp(msr, SDM_PERFEVTSEL0, idx) ||
	       (is_v6(msr, SDM_V6_GP0_CFG_A, emu_generic(), idx) && !is_missing(*idx));
}

/* Addresses at which counters are written in full width. */
static bool is_full_width(u32 msr, unsigned int *idx)
{
	if (emu_machine->full_width && is_gp(msr, SDM_A_PMC0, idx))
		return true;
	if (is_fixed(msr, idx))
		return true;
	if (is_v6(msr, SDM_V6_GP0_CTR, emu_generic(), idx))
		return !is_missing(*idx);
	if (!is_v6(msr, SDM_V6_FX0_CTR, EMU_MAX_FIXED, idx) || !has_fixed(*idx))
		return false;
	*idx += EMU_FIXED;
	return !is_missing(*idx);
}

static bool has_select_ext(void)
{
	return emu_kind() ? emu_kind()->select_ext : emu_machine->version >= 6;
}

static u64 select_valid(void)
{
	u64 valid = SDM_SEL_EVENT | SDM_SEL_UMASK | SDM_SEL_USR | SDM_SEL_OS | SDM_SEL_E |
		    SDM_SEL_PC | SDM_SEL_INT | SDM_SEL_EN | SDM_SEL_INV | SDM_SEL_CMASK;

	if (emu_machine->version >= 3 && !emu_machine->no_anythread)
		valid |= SDM_SEL_ANY;
	if (has_select_ext())
		valid |= SDM_SEL_UMASK2 | SDM_SEL_EQ;
	if (emu_machine->tsx)
		valid |= SDM_SEL_IN_TX | SDM_SEL_IN_TXCP;
	if (emu_pebs() && emu_pebs()->baseline)
		valid |= SDM_SEL_ADAPTIVE;
	if (emu_machine->lbr_logged)
		valid |= SDM_SEL_LBR_LOG;
	return valid;
}

static u64 fixed_ctrl_valid(void)
{
	u64 bits = SDM_FIXED_OS | SDM_FIXED_USR | SDM_FIXED_PMI;
	u64 valid = 0;
	unsigned int n;

	if (emu_machine->version >= 3 && !emu_machine->no_anythread)
		bits |= SDM_FIXED_ANY;
	if (emu_pebs() && emu_pebs()->baseline)
		bits |= SDM_FIXED_ADAPTIVE;
	for (n = 0; n < EMU_MAX_FIXED; n++) {
		if (has_fixed(n))
			valid |= bits << (n * SDM_FIXED_STRIDE);
	}
	return valid;
}

/* Version 1 and 2 of the emulator's unknown machines have none of these registers. */
static bool has_capabilities(void)
{
	return emu_machine->full_width || emu_machine->lbr_depth;
}

static u64 debugctl_valid(void)
{
	return emu_branches_debugctl() | emu_bts_debugctl() |
	       SDM_DEBUGCTL_LBR | SDM_DEBUGCTL_BTF |
	       (emu_machine->full_width ? SDM_DEBUGCTL_FREEZE_WHILE_SMM : 0);
}

static u64 enable_valid(void)
{
	return emu_counters() |
	       (emu_metrics() ? SDM_CTRL_METRICS : 0);
}

static u64 status_valid(void)
{
	u64 valid = enable_valid() | SDM_STATUS_OVF_BUF | SDM_STATUS_COND_CHGD;

	if (emu_machine->version >= 3)
		valid |= SDM_STATUS_OVF_UNCORE;
	if (emu_machine->version >= 4)
		valid |= SDM_STATUS_LBR_FRZ | SDM_STATUS_CTR_FRZ;
	if (emu_machine->standalone)
		valid |= SDM_STATUS_TRACE_TOPA;
	return valid;
}

/*
 * Erratum AAK100, AAP53, BD53 of Intel's specification updates: the internal hardware must be
 * cleared by three events, which are programmed with all counters at 0.
 */
static const u64 emu_clearing[] = { 0x4300d2, 0x4300b1, 0x4300b5 };

static unsigned int clearing_event(u64 select)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(emu_clearing); i++) {
		if (select == emu_clearing[i])
			break;
	}
	return i;
}

/* Do the counters begin to count what clears the hardware? */
static bool emu_clears(const struct emu_cpu *cpu)
{
	unsigned int idx, event, seen = 0;

	for (idx = 0; idx < emu_generic(); idx++) {
		event = clearing_event(cpu->select[idx]);
		if (event == ARRAY_SIZE(emu_clearing) || cpu->counter[idx].value ||
		    !(cpu->global_ctrl & BIT_ULL(idx)))
			return false;
		seen |= BIT(event);
	}
	return seen == BIT(ARRAY_SIZE(emu_clearing)) - 1;
}

/* The counter gets an event. */
static void gets_event(struct emu_cpu *cpu, unsigned int idx, u64 select)
{
	if (!emu_machine->clear_first || !select ||
	    clearing_event(select) < ARRAY_SIZE(emu_clearing))
		return;
	if (cpu->cleared & BIT_ULL(idx))
		cpu->spoilt &= ~BIT_ULL(idx);
	else
		cpu->spoilt |= BIT_ULL(idx);
	cpu->cleared &= ~BIT_ULL(idx);
}

/* Three registers together determine which counters count. */
static void update_running(struct emu_cpu *cpu)
{
	u64 enabled = emu_machine->version >= 2 ? cpu->global_ctrl : emu_counters();
	struct emu_counter *counter;
	unsigned int idx, n;
	u64 running = 0;

	for (idx = 0; idx < emu_generic(); idx++) {
		counter = &cpu->counter[idx];
		counter->user = cpu->select[idx] & SDM_SEL_USR;
		counter->kernel = cpu->select[idx] & SDM_SEL_OS;
		counter->interrupt = cpu->select[idx] & SDM_SEL_INT;
		counter->rate = cpu->spoilt & BIT_ULL(idx) ? emu_rate_of(EMU_CYCLES) :
				emu_extra_rate(cpu, cpu->select[idx]);
		if (cpu->select[idx] & SDM_SEL_EN)
			running |= BIT_ULL(idx);
	}
	for (n = 0; n < EMU_MAX_FIXED; n++) {
		u64 bits = cpu->fixed_ctrl >> (n * SDM_FIXED_STRIDE);

		if (!has_fixed(n))
			continue;
		idx = EMU_FIXED + n;
		counter = &cpu->counter[idx];
		counter->user = bits & SDM_FIXED_USR;
		counter->kernel = bits & SDM_FIXED_OS;
		counter->interrupt = bits & SDM_FIXED_PMI;
		counter->rate = emu_fixed_rate(n);
		running |= BIT_ULL(idx);
	}

	for (idx = 0; idx < EMU_COUNTERS; idx++)
		cpu->counter[idx].records = emu_ds_enabled() & BIT_ULL(idx);

	cpu->running = 0;
	for (running &= enabled; running; running &= running - 1) {
		counter = &cpu->counter[__ffs64(running)];
		if (counter->user || counter->kernel)
			cpu->running |= BIT_ULL(__ffs64(running));
	}
	cpu->running &= ~emu_stuck.still;
	emu_check_leaks(cpu);
	emu_check_tsx(cpu, cpu->running, "counts");
	emu_ds_check(cpu);
	if (cpu->running)
		emu_rearm(cpu);
}

static int write_select(struct emu_cpu *cpu, unsigned int idx, u64 value)
{
	u64 changed = cpu->select[idx] ^ value;

	if (value & ~select_valid())
		return -EIO;
	if (changed & ~(SDM_SEL_EN | SDM_SEL_INT)) {
		emu_check_stopped(cpu, idx, "new event");
		gets_event(cpu, idx, value);
	}
	emu_check_tsx(cpu, BIT_ULL(idx), "is written");
	if (value & SDM_SEL_LBR_LOG && !(emu_machine->lbr_logged & BIT_ULL(idx)))
		emu_misuse("counter %u: no record of a branch has it", idx);
	cpu->select[idx] = emu_stuck.off & BIT_ULL(idx) ? value & ~SDM_SEL_EN : value;
	update_running(cpu);
	return 0;
}

/* The bits of fixed counters that cannot be enabled. */
static u64 fixed_off(void)
{
	u64 off = 0;
	unsigned int n;

	for (n = 0; n < EMU_MAX_FIXED; n++) {
		if (emu_stuck.off & BIT_ULL(EMU_FIXED + n))
			off |= (SDM_FIXED_OS | SDM_FIXED_USR) << (n * SDM_FIXED_STRIDE);
	}
	return off;
}

static int write_fixed_ctrl(struct emu_cpu *cpu, u64 value)
{
	u64 changed = cpu->fixed_ctrl ^ value;
	unsigned int n;

	if (value & ~fixed_ctrl_valid())
		return -EIO;
	for (n = 0; n < EMU_MAX_FIXED; n++) {
		u64 bits = (0xfULL | SDM_FIXED_ADAPTIVE) << (n * SDM_FIXED_STRIDE);

		/* A counter can always be stopped. */
		if ((changed & bits) && (value & bits))
			emu_check_stopped(cpu, EMU_FIXED + n, "new control");
	}
	cpu->fixed_ctrl = value & ~fixed_off();
	update_running(cpu);
	return 0;
}

static int write_count(struct emu_cpu *cpu, unsigned int idx, u64 value)
{
	emu_check_tsx(cpu, BIT_ULL(idx), "is written");
	emu_set_counter(cpu, idx, value & (BIT_ULL(emu_machine->width) - 1));
	return 0;
}

static int clear_status(struct emu_cpu *cpu, u64 value)
{
	if (value & ~status_valid())
		return -EIO;
	if (value & ~cpu->global_status & ~emu_ds_cleared())
		emu_misuse("overflow %#llx acknowledged, pending is %#llx",
			   value, cpu->global_status);
	cpu->global_status &= ~value;
	emu_hostile_return(cpu, value);
	if (value & SDM_STATUS_OVF_BUF)
		cpu->unhandled &= ~emu_ds_enabled();
	emu_branches_update(cpu);
	return 0;
}

static int intel_write(struct emu_cpu *cpu, u32 msr, u64 value)
{
	bool global = emu_machine->version >= 2;
	unsigned int idx;

	if (is_select(msr, &idx))
		return write_select(cpu, idx, value);
	/* Bit 31 is copied to the bits above. */
	if (is_gp(msr, SDM_PMC0, &idx))
		return write_count(cpu, idx, (s64)(s32)value);
	if (is_full_width(msr, &idx))
		return value >> emu_machine->width ? -EIO : write_count(cpu, idx, value);

	switch (msr) {
	case SDM_DEBUGCTL:
		if (!has_capabilities() || value & ~debugctl_valid())
			return -EIO;
		cpu->debugctl = value;
		emu_branches_update(cpu);
		emu_bts_update(cpu);
		return 0;
	case SDM_FIXED_CTR_CTRL:
		return global ? write_fixed_ctrl(cpu, value) : -EIO;
	case SDM_GLOBAL_OVF_CTRL:
		return global ? clear_status(cpu, value) : -EIO;
	case SDM_GLOBAL_CTRL:
		if (!global || value & ~enable_valid())
			return -EIO;
		cpu->global_ctrl = value;
		cpu->clearing = emu_machine->clear_first && emu_clears(cpu);
		if (cpu->clearing)
			cpu->cleared = emu_counters();
		update_running(cpu);
		if (emu_hostile_raises_again(cpu))
			emu_raise_pmi(cpu);
		return 0;
	}
	if (!emu_branches_write(cpu, msr, value))
		return 0;
	if (emu_ds_write(cpu, msr, value) && emu_extra_write(cpu, msr, value))
		return -EIO;
	update_running(cpu);
	return 0;
}

static u64 capabilities(void)
{
	u64 bits = (u64)emu_machine->lbr_format << SDM_CAP_LBR_FMT_SHIFT;

	if (emu_machine->full_width)
		bits |= SDM_CAP_FREEZE_WHILE_SMM | SDM_CAP_FULL_WRITE;
	if (emu_machine->metrics)
		bits |= SDM_CAP_METRICS;
	if (!emu_pebs())
		return bits;
	bits |= SDM_CAP_PEBS_TRAP | SDM_CAP_PEBS_REGS |
		(u64)emu_pebs()->format << SDM_CAP_PEBS_FORMAT_SHIFT;
	return bits | (emu_pebs()->baseline ? SDM_CAP_PEBS_BASELINE : 0);
}

static int intel_read(struct emu_cpu *cpu, u32 msr, u64 *value)
{
	bool global = emu_machine->version >= 2;
	unsigned int idx;

	if (is_select(msr, &idx))
		*value = cpu->select[idx];
	else if (is_gp(msr, SDM_PMC0, &idx) || is_full_width(msr, &idx))
		*value = cpu->counter[idx].value;
	else if (msr == SDM_PERF_CAPABILITIES && has_capabilities())
		*value = capabilities();
	else if (msr == SDM_DEBUGCTL && has_capabilities())
		*value = cpu->debugctl;
	else if (msr == SDM_FIXED_CTR_CTRL && global)
		*value = cpu->fixed_ctrl;
	else if (msr == SDM_GLOBAL_CTRL && global)
		*value = cpu->global_ctrl;
	else if (msr == SDM_GLOBAL_STATUS && global)
		*value = emu_hostile_status(cpu->global_status, status_valid());
	else if (emu_branches_read(cpu, msr, value) && emu_ds_read(msr, value))
		return emu_extra_read(cpu, msr, value);
	return 0;
}

static bool intel_overflow(struct emu_cpu *cpu, u64 counters)
{
	u64 recorded = counters & emu_ds_enabled();
	bool interrupt = false;

	cpu->global_status |= counters;
	if (recorded && emu_ds_overflow(cpu, recorded)) {
		cpu->global_status |= SDM_STATUS_OVF_BUF;
		interrupt = true;
	}
	for (; counters; counters &= counters - 1)
		interrupt |= cpu->counter[__ffs64(counters)].interrupt;
	if (interrupt)
		emu_branches_freeze(cpu);
	return interrupt;
}

/* Leaf 0xa describes the counters that all CPUs have. */
static void perfmon_cpuid(struct x86_hw_cpuid *out)
{
	/* There are seven architectural events. */
	out->reg[CPUID_EAX] = emu_machine->version |
			      emu_machine->generic << SDM_CPUID_A_EAX_COUNTERS |
			      emu_machine->width << SDM_CPUID_A_EAX_WIDTH |
			      7 << SDM_CPUID_A_EAX_EBX_LENGTH;
	out->reg[CPUID_EDX] = emu_machine->fixed |
			      emu_machine->width << SDM_CPUID_A_EDX_WIDTH |
			      emu_machine->no_anythread << SDM_CPUID_A_EDX_NO_ANYTHREAD;
	if (emu_machine->version >= 5)
		out->reg[CPUID_ECX] = BIT(emu_machine->fixed) - 1;
}

static bool has_leaf_23(void)
{
	return emu_machine->version >= 6 || emu_machine->leaf_23;
}

/* Leaf 0x23 describes this CPU. Subleaf 0 lists the other subleaves. */
static void perfmon_extended_cpuid(u32 subleaf, struct x86_hw_cpuid *out)
{
	if (!has_leaf_23())
		return;
	if (subleaf == 0) {
		out->reg[CPUID_EAX] = BIT(0) | BIT(1);
		/* second unit mask, equal */
		out->reg[CPUID_EBX] = has_select_ext() ? BIT(0) | BIT(1) : 0;
	} else if (subleaf == 1) {
		out->reg[CPUID_EAX] = BIT(emu_generic()) - 1;
		out->reg[CPUID_EBX] = emu_fixed();
	}
}

static bool has_arch_lbr(void)
{
	return emu_machine->lbr_depth && !emu_machine->lbr_format;
}

static void intel_cpuid(u32 leaf, u32 subleaf, struct x86_hw_cpuid *out)
{
	switch (leaf) {
	case 1:
		out->reg[CPUID_ECX] = has_capabilities() ? SDM_CPUID_1_ECX_PDCM : 0;
		if (emu_bts())
			out->reg[CPUID_ECX] |= SDM_CPUID_1_ECX_DTES64 | SDM_CPUID_1_ECX_DS_CPL;
		out->reg[CPUID_EDX] = emu_pebs() ? SDM_CPUID_1_EDX_DS : 0;
		break;
	case 7:
		if (subleaf) {
			out->reg[CPUID_EAX] = has_leaf_23() ? SDM_CPUID_7_1_EAX_LEAF_23 : 0;
			break;
		}
		out->reg[CPUID_EAX] = 1;		/* the last subleaf */
		out->reg[CPUID_EDX] = emu_kind() ? SDM_CPUID_7_EDX_HYBRID : 0;
		if (has_arch_lbr())
			out->reg[CPUID_EDX] |= SDM_CPUID_7_EDX_ARCH_LBR;
		if (!emu_machine->tsx)
			break;
		out->reg[CPUID_EBX] |= SDM_CPUID_7_EBX_RTM;
		out->reg[CPUID_EDX] |= SDM_CPUID_7_EDX_TFA;
		break;
	case 0xa:
		perfmon_cpuid(out);
		break;
	case 0x1c:
		if (!has_arch_lbr())
			break;
		out->reg[CPUID_EAX] = SDM_CPUID_1C_EAX_DEPTHS | SDM_CPUID_1C_EAX_C_RESET;
		out->reg[CPUID_EBX] = SDM_CPUID_1C_EBX_ALL;
		out->reg[CPUID_ECX] = SDM_CPUID_1C_ECX_ALL |
				      emu_machine->lbr_logged << SDM_CPUID_1C_ECX_LOGGED_SHIFT;
		break;
	case 0x1a:
		if (emu_kind() && !emu_is_hostile())
			out->reg[CPUID_EAX] = emu_kind()->native;
		break;
	case 0x23:
		perfmon_extended_cpuid(subleaf, out);
		break;
	}
}

static int intel_rdpmc_counter(u32 index)
{
	if (index < emu_generic())
		return index;
	if (index == SDM_RDPMC_METRICS)
		return emu_machine->metrics ? EMU_IDX_METRICS : -1;
	index -= SDM_RDPMC_FIXED;
	return has_fixed(index) ? EMU_FIXED + index : -1;
}

const struct emu_vendor emu_intel = {
	.read		= intel_read,
	.write		= intel_write,
	.cpuid		= intel_cpuid,
	.overflow	= intel_overflow,
	.rdpmc_counter	= intel_rdpmc_counter,
};
