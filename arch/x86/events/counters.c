// SPDX-License-Identifier: GPL-2.0
/*
 * The counters at register level. Intel's and AMD's differ in where the
 * registers are and in which of them exist, and struct x86_counter_regs says
 * that; so the code that turns a counter on stands here once.
 *
 * With global control, a counter is turned off by its bit there, and its event
 * select keeps what it has: an event that comes back to its counter costs no
 * more than the counter's own value. Without, each event select is written.
 *
 * A counter that is one of a pair has the next one as its upper part, which counts
 * nothing by itself and is turned on before it and off after it.
 *
 * Owns the registers and their copies in struct x86_cpu_pmu. Does not know
 * events. Everything runs on the CPU concerned, irqs off or in NMI.
 */
#include <linux/bitops.h>
#include "core_pmu.h"

/* The event of a counter that is the upper part of the one below (AMD, "merge"). */
#define PAIR_UPPER_EVENT	0xf000000ffULL
/* The bits above those of the lower counter. */
#define PAIR_UPPER_FULL		0xffffULL

static bool is_fixed(unsigned int idx)
{
	return idx >= INTEL_PMC_IDX_FIXED;
}

static bool is_metric(unsigned int idx)
{
	return BIT_ULL(idx) & X86_PMC_METRICS_MASK;
}

static u32 select_msr(const struct x86_core_pmu *core, unsigned int idx)
{
	return core->regs->select + idx * core->regs->stride;
}

/**
 * x86_counter_msr() - the register of a counter
 * @core: which PMU
 * @idx: which counter
 *
 * Return: its MSR number.
 */
u32 x86_counter_msr(const struct x86_core_pmu *core, unsigned int idx)
{
	if (is_metric(idx))
		return MSR_PERF_METRICS;
	if (is_fixed(idx))
		return core->regs->fixed_count +
		       (idx - INTEL_PMC_IDX_FIXED) * core->regs->fixed_stride;
	return core->regs->count + idx * core->regs->stride;
}

/**
 * x86_counter_set() - give a counter a value
 * @cpu: this CPU's
 * @idx: a counter that does not count now
 * @value: new value, cut to the counter's width
 */
void x86_counter_set(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value)
{
	const struct x86_core_pmu *core = cpu->core;
	unsigned int width = is_fixed(idx) ? core->fixed_width : core->width;

	x86_hw_write(x86_counter_msr(core, idx), value & GENMASK_ULL(width - 1, 0));
	/* a pair runs over with its upper part: that has to be about to */
	if (cpu->pairs & BIT_ULL(idx))
		x86_hw_write(x86_counter_msr(core, idx + 1), PAIR_UPPER_FULL);
}

static u64 enables_of(const struct x86_cpu_pmu *cpu, u64 counters)
{
	counters |= (counters & cpu->pairs) << 1;
	if (counters & X86_PMC_METRICS_MASK) {
		counters &= ~X86_PMC_METRICS_MASK;
		counters |= BIT_ULL(X86_PMC_IDX_METRICS);
	}
	return counters;
}

/**
 * x86_cpu_host_enables() - what the global control register has to be
 * @cpu: this CPU's, on
 *
 * Return: mask of the counters that count outside of guests.
 */
u64 x86_cpu_host_enables(const struct x86_cpu_pmu *cpu)
{
	return enables_of(cpu, cpu->active & ~cpu->guest_only);
}

/**
 * x86_cpu_guest_enables() - what the global control register has to be in a guest
 * @cpu: this CPU's
 *
 * Return: mask of the counters that count in guests.
 */
u64 x86_cpu_guest_enables(const struct x86_cpu_pmu *cpu)
{
	return enables_of(cpu, cpu->active & ~cpu->host_only);
}

/*
 * The copies of enable bits err on the side of "enabled": a bit is set in the copy
 * before it is set in the register, and cleared after. So an NMI that comes in
 * between turns off everything that may count, whatever it has interrupted.
 */
static void write_global(struct x86_cpu_pmu *cpu, u64 enables)
{
	if (cpu->enabled == enables)
		return;
	cpu->enabled |= enables;
	barrier();
	x86_hw_write(cpu->core->regs->global_ctrl, enables);
	barrier();
	cpu->enabled = enables;
}

/*
 * An NMI may stop a counter after it was found to be active. The NMI itself has
 * left the register as it should be, then.
 */
static void update_global(struct x86_cpu_pmu *cpu)
{
	u64 enables;

	do {
		enables = x86_cpu_host_enables(cpu);
		write_global(cpu, enables);
		barrier();
	} while (enables != x86_cpu_host_enables(cpu));
}

static void write_select(struct x86_cpu_pmu *cpu, unsigned int idx, u64 value)
{
	bool enable = value & ARCH_PERFMON_EVENTSEL_ENABLE;

	if (cpu->select[idx] == value)
		return;
	if (enable)
		cpu->select[idx] = value;
	barrier();
	x86_hw_write(select_msr(cpu->core, idx), value);
	barrier();
	cpu->select[idx] = value;
}

/* The four bits of a fixed counter, from what an event select would say. */
static u64 fixed_bits(u64 config)
{
	u64 bits = INTEL_FIXED_0_ENABLE_PMI;

	if (config & ARCH_PERFMON_EVENTSEL_USR)
		bits |= INTEL_FIXED_0_USER;
	if (config & ARCH_PERFMON_EVENTSEL_OS)
		bits |= INTEL_FIXED_0_KERNEL;
	if (config & ARCH_PERFMON_EVENTSEL_ANY)
		bits |= INTEL_FIXED_0_ANYTHREAD;
	return bits;
}

static void write_fixed(struct x86_cpu_pmu *cpu, unsigned int idx, u64 bits)
{
	unsigned int n = idx - INTEL_PMC_IDX_FIXED;
	u64 value = cpu->fixed_ctrl;

	/* metrics have no control of their own: they follow the counter of slots */
	if (is_metric(idx))
		return;
	value &= ~intel_fixed_bits_by_idx(n, 0xfULL);
	value |= intel_fixed_bits_by_idx(n, bits);
	if (cpu->fixed_ctrl == value)
		return;
	cpu->fixed_ctrl = value;
	x86_hw_write(cpu->core->regs->fixed_ctrl, value);
}

/**
 * x86_counter_connect() - make a counter count an event whenever the PMU is on
 * @cpu: this CPU's
 * @idx: a counter that is not connected
 * @config: event select value, without the enable bit
 */
void x86_counter_connect(struct x86_cpu_pmu *cpu, unsigned int idx, u64 config)
{
	bool global = cpu->core->regs->global_ctrl;

	if (cpu->pairs & BIT_ULL(idx)) {
		write_select(cpu, idx + 1, PAIR_UPPER_EVENT | ARCH_PERFMON_EVENTSEL_ENABLE);
		cpu->dirty |= BIT_ULL(idx + 1);
	}
	if (is_fixed(idx))
		write_fixed(cpu, idx, fixed_bits(config));
	else if (global)
		write_select(cpu, idx, config | ARCH_PERFMON_EVENTSEL_ENABLE);
	else
		write_select(cpu, idx, config);

	cpu->dirty |= BIT_ULL(idx) & cpu->core->counters;
	cpu->active |= BIT_ULL(idx);
	barrier();	/* an NMI from here on may stop it again */
	if (cpu->on)
		x86_cpu_on(cpu);
}

/**
 * x86_counter_disconnect() - make a counter stand still
 * @cpu: this CPU's
 * @idx: a counter that is connected
 *
 * Its interrupt may still be on the way when this returns.
 */
void x86_counter_disconnect(struct x86_cpu_pmu *cpu, unsigned int idx)
{
	cpu->active &= ~BIT_ULL(idx);
	barrier();	/* an NMI now leaves the counter alone */

	if (!cpu->core->regs->global_ctrl)
		write_select(cpu, idx, cpu->select[idx] & ~ARCH_PERFMON_EVENTSEL_ENABLE);
	else if (cpu->on)
		update_global(cpu);
	if (cpu->pairs & BIT_ULL(idx))
		write_select(cpu, idx + 1, 0);
}

static void enable_each(struct x86_cpu_pmu *cpu, bool enable)
{
	u64 todo;

	for (todo = cpu->active; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		u64 select = cpu->select[idx] & ~ARCH_PERFMON_EVENTSEL_ENABLE;

		if (enable)
			write_select(cpu, idx, select | ARCH_PERFMON_EVENTSEL_ENABLE);
		barrier();
		/* also if an NMI has stopped it in the meantime */
		if (!enable || !(cpu->active & BIT_ULL(idx)))
			write_select(cpu, idx, select);
	}
}

/**
 * x86_cpu_on() - let the connected counters count
 * @cpu: this CPU's
 */
void x86_cpu_on(struct x86_cpu_pmu *cpu)
{
	cpu->on = true;
	barrier();	/* an NMI from here on leaves the PMU on */

	if (cpu->core->regs->global_ctrl)
		update_global(cpu);
	else
		enable_each(cpu, true);
}

/**
 * x86_cpu_off() - let all counters stand still
 * @cpu: this CPU's
 *
 * An interrupt may still be on the way when this returns.
 */
void x86_cpu_off(struct x86_cpu_pmu *cpu)
{
	cpu->on = false;
	barrier();	/* an NMI from here on leaves the PMU off */

	if (cpu->core->regs->global_ctrl)
		write_global(cpu, 0);
	else
		enable_each(cpu, false);
}

/**
 * x86_cpu_wrapped() - find out by their values which counters have overflowed
 * @counters: mask of general purpose counters
 * @core: what they are
 *
 * Where there is no status register. Counters start negative, so a clear top bit tells.
 *
 * Return: mask of counters.
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

/**
 * x86_cpu_overflowed() - find out which counters have overflowed, acknowledge it
 * @cpu: this CPU's; off
 *
 * Where there is a status register the bits that stand there are cleared, also
 * those that are not a counter's; without one a counter is reported until it is
 * given a new value.
 *
 * Return: mask of counters, and GLOBAL_STATUS_TRACE_TOPAPMI where the interrupt is one
 * of processor trace.
 */
u64 x86_cpu_overflowed(struct x86_cpu_pmu *cpu)
{
	const struct x86_counter_regs *regs = cpu->core->regs;
	u64 status, trace;

	if (!regs->global_ctrl)
		return x86_cpu_wrapped(cpu->active, cpu->core);

	status = x86_hw_read(regs->global_status);
	trace = status & GLOBAL_STATUS_TRACE_TOPAPMI;
	if (status)
		x86_hw_write(regs->global_clear, status);
	/* a pair is known by its lower counter */
	status |= status >> 1 & cpu->active & cpu->pairs;
	status &= ~((cpu->active & cpu->pairs) << 1);
	return (status & cpu->core->counters) | trace;
}

/**
 * x86_cpu_quiet() - put all registers into a known state: nothing counts
 * @cpu: this CPU's, with its core set; no event is on it
 *
 * Also when the registers have lost their content, or somebody else has used
 * them: firmware, or the kernel before a kexec.
 */
void x86_cpu_quiet(struct x86_cpu_pmu *cpu)
{
	const struct x86_core_pmu *core = cpu->core;
	unsigned int idx;
	u64 todo;

	cpu->active = 0;
	cpu->pairs = 0;
	cpu->enabled = 0;
	cpu->fixed_ctrl = 0;
	memset(cpu->select, 0, sizeof(cpu->select));

	if (core->regs->global_ctrl)
		x86_hw_write(core->regs->global_ctrl, 0);
	if (core->counters & ~X86_PMC_GENERIC_MASK)
		x86_hw_write(core->regs->fixed_ctrl, 0);
	if (core->force_abort)
		x86_tsx_write(cpu, true);
	for (todo = core->counters; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		if (!is_fixed(idx))
			x86_hw_write(select_msr(core, idx), 0);
		x86_hw_write(x86_counter_msr(core, idx), 0);
	}
	if (core->force_abort)
		x86_tsx_write(cpu, false);
	if (core->metrics)
		x86_hw_write(MSR_PERF_METRICS, 0);
	cpu->dirty = 0;
	if (core->regs->global_ctrl)
		x86_cpu_overflowed(cpu);
}

/**
 * x86_core_probe() - do the counters exist and hold what is written?
 * @core: what CPUID promises; no counter runs
 *
 * Hypervisors are known to pass CPUID on and to have no PMU behind it.
 *
 * Return: 0, -ENODEV if the registers are not there.
 */
int x86_core_probe(const struct x86_core_pmu *core)
{
	unsigned int idx = __ffs64(core->counters);
	const u64 pattern = 0x5a5a5a5;
	u64 value;

	if (core->regs->global_ctrl &&
	    x86_hw_write_safe(core->regs->global_ctrl, 0))
		return -ENODEV;
	if (x86_hw_write_safe(select_msr(core, idx), 0) ||
	    x86_hw_write_safe(x86_counter_msr(core, idx), pattern) ||
	    x86_hw_read_safe(x86_counter_msr(core, idx), &value) ||
	    value != pattern)
		return -ENODEV;
	return x86_hw_write_safe(x86_counter_msr(core, idx), 0) ? -ENODEV : 0;
}
