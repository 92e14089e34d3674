// SPDX-License-Identifier: GPL-2.0
/*
 * The counters at register level. Intel's and AMD's counters differ in their MSR numbers
 * and in which registers exist. struct x86_counter_regs describes that, so both vendors
 * share this code.
 *
 * With global control, a counter is enabled and disabled by its bit there, and its event
 * select keeps its value. An event that returns to its counter costs only the write of
 * the counter. Without global control, each event select is written.
 *
 * The upper counter of a pair counts nothing by itself. It is enabled before the lower
 * counter and disabled after it.
 *
 * Owns the registers and their copies in struct x86_cpu_pmu. Does not access events.
 *
 * Context: irqs off or NMI, on the CPU concerned.
 */
#include <linux/bitops.h>
#include <linux/string.h>
#include "core_pmu.h"
#include "counters.h"
#include "side.h"

/* Event select of the upper counter of a pair (AMD, "merge"). */
#define PAIR_UPPER_EVENT	0xf000000ffULL
/* All bits of the upper counter that belong to the pair. */
#define PAIR_UPPER_FULL		0xffffULL

static bool x86_counter_is_metric(unsigned int idx)
{
	return BIT_ULL(idx) & X86_PMC_METRICS_MASK;
}

/**
 * x86_select_msr() - get the MSR of an event select
 * @core: the PMU
 * @idx: index of a general purpose counter
 *
 * Return: its MSR number.
 */
u32 x86_select_msr(const struct x86_core_pmu *core, unsigned int idx)
{
	return core->regs->select + idx * core->regs->stride;
}

/**
 * x86_counter_msr() - get the MSR of a counter
 * @core: the PMU
 * @idx: index of the counter
 *
 * Return: its MSR number.
 */
u32 x86_counter_msr(const struct x86_core_pmu *core, unsigned int idx)
{
	if (x86_counter_is_metric(idx))
		return MSR_PERF_METRICS;
	if (x86_counter_is_fixed(idx))
		return core->regs->fixed_count +
		       (idx - INTEL_PMC_IDX_FIXED) * core->regs->fixed_stride;
	return core->regs->count + idx * core->regs->stride;
}

/**
 * x86_counter_set() - write a counter
 * @cpu: this CPU's PMU
 * @idx: index of a counter that does not count now
 * @value: new value, truncated to the counter's width
 */
void x86_counter_set(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value)
{
	const struct x86_core_pmu *core = cpu->core;
	unsigned int width = x86_counter_is_fixed(idx) ? core->fixed_width : core->width;

	x86_hw_write(x86_counter_msr(core, idx), value & GENMASK_ULL(width - 1, 0));
	/* A pair overflows with its upper counter, which must overflow at the next carry. */
	if (cpu->pairs & BIT_ULL(idx))
		x86_hw_write(x86_counter_msr(core, idx + 1), PAIR_UPPER_FULL);
}

static u64 x86_cpu_enables_of(const struct x86_cpu_pmu *cpu, u64 counters)
{
	counters |= (counters & cpu->pairs) << 1;
	if (counters & X86_PMC_METRICS_MASK) {
		counters &= ~X86_PMC_METRICS_MASK;
		counters |= BIT_ULL(X86_PMC_IDX_METRICS);
	}
	return counters;
}

/**
 * x86_cpu_host_enables() - get the global control value for the host
 * @cpu: this CPU's PMU, enabled
 *
 * Return: mask of the counters that count outside of guests.
 */
u64 x86_cpu_host_enables(const struct x86_cpu_pmu *cpu)
{
	return x86_cpu_enables_of(cpu, cpu->active & ~cpu->guest_only);
}

/**
 * x86_cpu_guest_enables() - get the global control value for guests
 * @cpu: this CPU's PMU
 *
 * Return: mask of the counters that count in guests.
 */
u64 x86_cpu_guest_enables(const struct x86_cpu_pmu *cpu)
{
	return x86_cpu_enables_of(cpu, cpu->active & ~cpu->host_only);
}

/*
 * A copy has a superset of the enable bits of its register: a bit is set in the copy
 * before it is set in the register, and cleared in the copy afterwards. So an NMI in
 * between disables everything that may count.
 */
static void x86_cpu_write_global(struct x86_cpu_pmu *cpu, u64 enables)
{
	if (cpu->enabled == enables && !cpu->guest.switches)
		return;
	cpu->enabled |= enables;
	barrier();
	x86_hw_write(cpu->core->regs->global_ctrl, enables);
	barrier();
	cpu->enabled = enables;
}

/*
 * An NMI may stop a counter after the enables were computed, and write the register.
 * Repeat until the register has the enables of the counters that are active.
 */
static void x86_cpu_update_global(struct x86_cpu_pmu *cpu)
{
	u64 enables;

	do {
		enables = x86_cpu_host_enables(cpu);
		x86_cpu_write_global(cpu, enables);
		barrier();
	} while (enables != x86_cpu_host_enables(cpu));
}

static void x86_counter_write_select(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value)
{
	bool enable = value & ARCH_PERFMON_EVENTSEL_ENABLE;

	if (cpu->select[idx] == value && !cpu->guest.switches)
		return;
	if (enable)
		cpu->select[idx] = value;
	barrier();
	x86_hw_write(x86_select_msr(cpu->core, idx), value);
	barrier();
	cpu->select[idx] = value;
}

/* Translate an event select value to the control bits of a fixed counter. */
static u64 x86_counter_fixed_bits(u64 config)
{
	u64 bits = 0;

	if (config & ARCH_PERFMON_EVENTSEL_INT)
		bits |= INTEL_FIXED_0_ENABLE_PMI;
	if (config & ARCH_PERFMON_EVENTSEL_USR)
		bits |= INTEL_FIXED_0_USER;
	if (config & ARCH_PERFMON_EVENTSEL_OS)
		bits |= INTEL_FIXED_0_KERNEL;
	if (config & ARCH_PERFMON_EVENTSEL_ANY)
		bits |= INTEL_FIXED_0_ANYTHREAD;
	if (config & ICL_EVENTSEL_ADAPTIVE)
		bits |= ICL_FIXED_0_ADAPTIVE;
	return bits;
}

static void x86_counter_write_fixed(struct x86_cpu_pmu *cpu, unsigned int idx, u64 bits)
{
	unsigned int n = idx - INTEL_PMC_IDX_FIXED;
	u64 value = cpu->fixed_ctrl;

	/* Metrics have no control bits: they count with the counter of slots. */
	if (x86_counter_is_metric(idx))
		return;
	value &= ~intel_fixed_bits_by_idx(n, 0xfULL | ICL_FIXED_0_ADAPTIVE);
	value |= intel_fixed_bits_by_idx(n, bits);
	if (cpu->fixed_ctrl == value)
		return;
	cpu->fixed_ctrl = value;
	x86_hw_write(cpu->core->regs->fixed_ctrl, value);
}

/*
 * Event selects that clear the hardware. Source: Intel Xeon Processor 5500 Series
 * Specification Update, erratum AAK100, "Workaround". AAP53 and BD53 are the same erratum in
 * other specification updates.
 */
static const u64 clearing_selects[] = { 0x4300d2, 0x4300b1, 0x4300b5 };

/**
 * x86_counters_clear() - let counters count the events that they get next
 * @cpu: this CPU's PMU, with x86_core_pmu::clear_first; disabled. No general purpose counter
 *	is connected.
 *
 * On Nehalem and Westmere, a general purpose counter may count cycles or nothing after it got
 * another event. Before that, the counters must count three certain events, from 0.
 *
 * All general purpose counters are 0 afterwards. Those that are programmed keep their event.
 */
void x86_counters_clear(struct x86_cpu_pmu *cpu)
{
	const struct x86_core_pmu *core = cpu->core;
	u64 todo, counters = core->counters & X86_PMC_GENERIC_MASK;
	unsigned int idx;

	for (todo = counters; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		x86_hw_write(x86_select_msr(core, idx), 0);
		x86_hw_write(x86_counter_msr(core, idx), 0);
		x86_hw_write(x86_select_msr(core, idx),
			     clearing_selects[idx % ARRAY_SIZE(clearing_selects)]);
	}
	x86_hw_write(core->regs->global_ctrl, counters);
	x86_hw_write(core->regs->global_ctrl, 0);
	for (todo = counters; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		if (!(cpu->owned & BIT_ULL(idx)))
			cpu->select[idx] = 0;
		x86_hw_write(x86_select_msr(core, idx), cpu->select[idx]);
		x86_hw_write(x86_counter_msr(core, idx), 0);
	}
}

/**
 * x86_counter_select() - set the event of a counter that is not connected
 * @cpu: this CPU's PMU, with a global control register
 * @idx: index of the counter
 * @config: event select value, without the enable bit
 */
void x86_counter_select(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config)
{
	if (!x86_counter_is_fixed(idx))
		x86_counter_write_select(cpu, idx, config | ARCH_PERFMON_EVENTSEL_ENABLE);
}

/**
 * x86_counter_connect() - make a counter count while the PMU is enabled
 * @cpu: this CPU's PMU
 * @idx: index of a counter that is not connected
 * @config: event select value, without the enable bit
 */
void x86_counter_connect(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config)
{
	bool global = cpu->core->regs->global_ctrl;

	if (cpu->pairs & BIT_ULL(idx)) {
		x86_counter_write_select(cpu, idx + 1, PAIR_UPPER_EVENT |
					 ARCH_PERFMON_EVENTSEL_ENABLE);
		cpu->dirty |= BIT_ULL(idx + 1);
	}
	if (x86_counter_is_fixed(idx))
		x86_counter_write_fixed(cpu, idx, x86_counter_fixed_bits(config));
	else if (global)
		x86_counter_write_select(cpu, idx, config | ARCH_PERFMON_EVENTSEL_ENABLE);
	else
		x86_counter_write_select(cpu, idx, config);

	cpu->dirty |= BIT_ULL(idx) & cpu->core->counters;
	/* Sources beside the counters are heeded again as well. */
	cpu->ignored &= cpu->core->counters & ~BIT_ULL(idx);
	cpu->active |= BIT_ULL(idx);
	barrier();	/* from here on an NMI may stop the counter again */
	if (cpu->on)
		x86_cpu_on(cpu);
}

/**
 * x86_counter_disconnect() - stop a counter
 * @cpu: this CPU's PMU
 * @idx: index of a counter that is connected
 *
 * Its interrupt may still be pending when this returns.
 */
void x86_counter_disconnect(struct x86_cpu_pmu *cpu, unsigned int idx)
{
	cpu->active &= ~BIT_ULL(idx);
	barrier();	/* from here on an NMI ignores the counter */

	if (!cpu->core->regs->global_ctrl)
		x86_counter_write_select(cpu, idx,
					 cpu->select[idx] & ~ARCH_PERFMON_EVENTSEL_ENABLE);
	else if (cpu->on)
		x86_cpu_update_global(cpu);
	if (cpu->pairs & BIT_ULL(idx))
		x86_counter_write_select(cpu, idx + 1, 0);
}

static bool x86_counter_counts_in_host(const struct x86_cpu_pmu *cpu, unsigned int idx)
{
	return cpu->active & ~cpu->guest_only & BIT_ULL(idx);
}

static void x86_cpu_enable_each(struct x86_cpu_pmu *cpu, bool enable)
{
	u64 todo;

	/* After a VM exit, counters may be enabled that were stopped or released before it. */
	todo = cpu->guest.switches ? cpu->core->counters : cpu->active;
	for (; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		u64 select = cpu->select[idx] & ~ARCH_PERFMON_EVENTSEL_ENABLE;

		if (enable && x86_counter_counts_in_host(cpu, idx))
			x86_counter_write_select(cpu, idx, select | ARCH_PERFMON_EVENTSEL_ENABLE);
		barrier();
		/* Disable it also if an NMI has stopped it meanwhile. */
		if (!enable || !x86_counter_counts_in_host(cpu, idx))
			x86_counter_write_select(cpu, idx, select);
	}
}

/**
 * x86_cpu_on() - enable the PMU
 * @cpu: this CPU's PMU
 */
void x86_cpu_on(struct x86_cpu_pmu *cpu)
{
	cpu->on = true;
	barrier();	/* from here on an NMI leaves the PMU enabled */

	if (unlikely(cpu->sides))
		x86_side_on(cpu);
	if (cpu->core->regs->global_ctrl)
		x86_cpu_update_global(cpu);
	else
		x86_cpu_enable_each(cpu, true);
}

/**
 * x86_cpu_off() - disable the PMU
 * @cpu: this CPU's PMU
 *
 * An interrupt may still be pending when this returns.
 */
void x86_cpu_off(struct x86_cpu_pmu *cpu)
{
	cpu->on = false;
	barrier();	/* from here on an NMI leaves the PMU disabled */

	if (cpu->core->regs->global_ctrl)
		x86_cpu_write_global(cpu, 0);
	else
		x86_cpu_enable_each(cpu, false);
	if (unlikely(cpu->sides))
		x86_side_off(cpu);
	if (unlikely(cpu->guest.switches))
		x86_side_after_guest(cpu);
}

/**
 * x86_cpu_wrapped() - find overflows by the values of counters
 * @counters: mask of general purpose counters
 * @core: kind of core
 *
 * For CPUs without a status register. Counters start with their top bit set. When it is
 * clear, the counter has overflowed.
 *
 * Return: mask of the counters that have overflowed.
 */
u64 x86_cpu_wrapped(u64 counters, const struct x86_core_pmu *core)
{
	u64 sign = BIT_ULL(core->width - 1), found = 0;

	for (; counters; counters &= counters - 1) {
		unsigned int idx = __ffs64(counters);

		if (!(x86_hw_rdpmc(idx) & sign))
			found |= BIT_ULL(idx);
	}
	return found;
}

/*
 * Bits of the status register that can be written to clear them. Others are reserved, and a
 * write of them may fault. Some CPUs set them nevertheless.
 */
static u64 x86_cpu_clearable_status(const struct x86_core_pmu *core)
{
	u64 bits = core->counters;

	if (!core->regs->fixed_ctrl)
		return bits | GLOBAL_STATUS_LBRS_FROZEN | GLOBAL_STATUS_COUNTERS_FROZEN;
	bits |= GLOBAL_STATUS_BUFFER_OVF | GLOBAL_STATUS_COND_CHG;
	if (core->version >= 3)
		bits |= GLOBAL_STATUS_UNC_OVF;
	if (core->version >= 4)
		bits |= GLOBAL_STATUS_LBRS_FROZEN | GLOBAL_STATUS_COUNTERS_FROZEN;
	if (core->metrics)
		bits |= GLOBAL_STATUS_PERF_METRICS_OVF;
	if (boot_cpu_has(X86_FEATURE_INTEL_PT))
		bits |= GLOBAL_STATUS_TRACE_TOPAPMI;
	return bits;
}

/**
 * x86_cpu_overflowed() - get and acknowledge overflows
 * @cpu: this CPU's PMU, disabled
 *
 * With a status register, all its bits are cleared. Without one, a counter is reported
 * until it is written. Bits of x86_counters_ignore() are cleared as well, and not returned.
 *
 * Return: mask of counters, with the bits of pmi_sources in nmi.c that have raised an interrupt.
 */
u64 x86_cpu_overflowed(struct x86_cpu_pmu *cpu)
{
	const struct x86_counter_regs *regs = cpu->core->regs;
	u64 status, others;

	if (!regs->global_ctrl)
		return x86_cpu_wrapped(cpu->active & ~cpu->ignored, cpu->core);

	status = x86_hw_read(regs->global_status) & x86_cpu_clearable_status(cpu->core);
	others = status & GLOBAL_STATUS_TRACE_TOPAPMI;
	if (cpu->core->side[X86_SIDE_PRECISE])
		others |= status & GLOBAL_STATUS_BUFFER_OVF;
	if (cpu->core->metrics)
		others |= status & GLOBAL_STATUS_PERF_METRICS_OVF;
	if (status)
		x86_hw_write(regs->global_clear, status);
	/* Overflows of a pair are reported by its lower counter. */
	status |= status >> 1 & cpu->active & cpu->pairs;
	status &= ~((cpu->active & cpu->pairs) << 1);
	return ((status & cpu->core->counters) | others) & ~cpu->ignored;
}

/**
 * x86_counters_ignore() - ignore bits of the status that do not go away
 * @cpu: this CPU's PMU, disabled
 * @status: the bits, as returned by x86_cpu_overflowed(). No event counts on these counters.
 * @idle: mask of counters that no event will start without arming them; others may be armed
 *
 * The counters in @idle are set to 0. A bit is heeded again when its counter is connected.
 */
void x86_counters_ignore(struct x86_cpu_pmu *cpu, u64 status, u64 idle)
{
	u64 todo = status & cpu->core->counters & idle;

	/* Transactions may use these counters. */
	if (!cpu->aborting)
		todo &= ~cpu->core->force_abort;
	for (; todo; todo &= todo - 1)
		x86_counter_set(cpu, __ffs64(todo), 0);
	cpu->ignored |= status;
}

/**
 * x86_cpu_leave_off() - let an NMI leave the PMU off
 * @cpu: this CPU's PMU
 *
 * Counters go on until an NMI comes. The NMI ends with the PMU disabled.
 *
 * Return: true if the caller must call x86_cpu_on() afterwards.
 */
bool x86_cpu_leave_off(struct x86_cpu_pmu *cpu)
{
	bool on = cpu->on;

	cpu->on = false;
	barrier();	/* from here on an NMI leaves the PMU off */
	return on;
}

/**
 * x86_counters_forget() - let no counter count, whatever the registers have
 * @cpu: this CPU's PMU; no event is started
 *
 * x86_counters_reset() follows.
 */
void x86_counters_forget(struct x86_cpu_pmu *cpu)
{
	const struct x86_core_pmu *core = cpu->core;

	cpu->active = 0;
	cpu->ignored = 0;
	cpu->enabled = 0;
	cpu->fixed_ctrl = 0;
	memset(cpu->select, 0, sizeof(cpu->select));

	if (core->regs->global_ctrl)
		x86_hw_write(core->regs->global_ctrl, 0);
	if (core->counters & ~X86_PMC_GENERIC_MASK)
		x86_hw_write(core->regs->fixed_ctrl, 0);
}

/**
 * x86_counters_reset() - set all counters and event selects to 0
 * @cpu: this CPU's PMU, after x86_counters_forget()
 */
void x86_counters_reset(struct x86_cpu_pmu *cpu)
{
	const struct x86_core_pmu *core = cpu->core;
	unsigned int idx;
	u64 todo;

	for (todo = core->counters; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		if (!x86_counter_is_fixed(idx))
			x86_hw_write(x86_select_msr(core, idx), 0);
		x86_hw_write(x86_counter_msr(core, idx), 0);
	}
	cpu->dirty = 0;
}

/**
 * x86_counters_clear_dirty() - set counters to 0 that may hold counts of previous events
 * @cpu: this CPU's PMU
 * @counters: mask of counters that no event uses
 *
 * Return: mask of the counters that were written.
 */
u64 x86_counters_clear_dirty(struct x86_cpu_pmu *cpu, u64 counters)
{
	u64 stale = cpu->dirty & counters, todo;

	cpu->dirty &= ~counters;
	for (todo = stale; todo; todo &= todo - 1)
		x86_counter_set(cpu, __ffs64(todo), 0);
	return stale;
}
