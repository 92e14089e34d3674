// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that do not count. A hypervisor may list counters in CPUID that keep no value, that
 * cannot be enabled, or that never move. So each counter is tried once, on the first CPU of its
 * kind, before the PMU is registered: the counter is written, read, enabled, and read again after a
 * loop. The counters that fail are left out of the description of the PMU. A kind without a counter
 * that passes has no PMU, so it is tried again on each of its CPUs.
 *
 * A counter is tried alone. All counters at once would test as well whether the hypervisor's own
 * users leave enough counters at that moment.
 *
 * The length of a trial is bounded by the instructions that it executes. Control registers and
 * counters are put back as they were, but for those that x86_counters_clear() has cleared. No
 * counter overflows, and none has its interrupt enabled.
 *
 * CPUs that come online later are not tried. The PMU offers one set of counters for its kind, and
 * its events may have these counters already.
 *
 * The boot parameter perf_x86_counters=all keeps counters that hold values, but seem not to count.
 *
 * Context: irqs off or boot, unless stated otherwise.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "../counters/counters.h"
#include "../features/tsx.h"
#include "counting.h"
#include "event.h"

/* Turns of the loop, of two instructions each: long enough for a clock of 24 MHz. */
#define COUNTING_TURNS		4000UL

/* Trials of a counter that does not move. */
#define COUNTING_TRIALS		3

/* Length of the list in the log. */
#define COUNTING_LINE		600

/*
 * Events that occur in the loop. A hypervisor may filter events, so a counter gets one after the
 * other until it moves.
 */
static const u32 sure_events[COUNTING_TRIALS] = {
	PERF_COUNT_HW_INSTRUCTIONS,
	PERF_COUNT_HW_CPU_CYCLES,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
};

/* Fixed counters of instructions, cycles, reference cycles and slots. */
#define SURE_FIXED	GENMASK_ULL(INTEL_PMC_IDX_FIXED + 3, INTEL_PMC_IDX_FIXED)

static bool counting_keeps_all __ro_after_init;

static int __init x86_counting_choose(char *text)
{
	if (text && !strcmp(text, "all"))
		counting_keeps_all = true;
	else
		pr_warn("perf: perf_x86_counters=%s: the value is all\n", text ?: "");
	return 0;
}
early_param("perf_x86_counters", x86_counting_choose);

static void x86_counting_loop(void)
{
	unsigned long turns = COUNTING_TURNS;

	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
}

/* The register that enables a counter, beside the global one. */
static u32 x86_counting_control(const struct x86_core_pmu *core, unsigned int idx)
{
	return x86_counter_is_fixed(idx) ? core->regs->fixed_ctrl : x86_select_msr(core, idx);
}

/*
 * The value of that register for the @nr-th trial; 0: the counter has no event that is sure. Both
 * modes are counted: it is not the modes that are tried.
 */
static u64 x86_counting_enable(const struct x86_core_pmu *core, unsigned int idx, unsigned int nr)
{
	const struct x86_event_code *code;

	if (x86_counter_is_fixed(idx))
		return SURE_FIXED & BIT_ULL(idx) ?
		       intel_fixed_bits_by_idx(idx - INTEL_PMC_IDX_FIXED,
					       INTEL_FIXED_0_KERNEL | INTEL_FIXED_0_USER) : 0;
	code = x86_core_code_of(core, sure_events[nr]);
	if (!code || !(x86_core_counters_for(core, code->config) & BIT_ULL(idx)))
		return 0;
	return code->config | ARCH_PERFMON_EVENTSEL_OS | ARCH_PERFMON_EVENTSEL_USR |
	       ARCH_PERFMON_EVENTSEL_ENABLE;
}

/* Returns false if the access faults, or @bits of the value are not read. */
static bool x86_counting_write(u32 msr, u64 value, u64 bits)
{
	u64 read;

	return !x86_hw_write_safe(msr, value) && !x86_hw_read_safe(msr, &read) &&
	       !((read ^ value) & bits);
}

/* Stop a counter, which need not have a global enable bit, before its event changes. */
static int x86_counting_stop(u32 control, u64 value, bool fixed)
{
	int err = 0;

	if (!fixed)
		err = x86_hw_write_safe(control, value & ~ARCH_PERFMON_EVENTSEL_ENABLE);
	return err ?: x86_hw_write_safe(control, 0);
}

/* The counter is enabled during the loop only. */
static void x86_counting_run(const struct x86_core_pmu *core, unsigned int idx, u64 enable,
			     struct x86_trial *trial)
{
	bool fixed = x86_counter_is_fixed(idx);
	u64 mask = GENMASK_ULL((fixed ? core->fixed_width : core->width) - 1, 0);
	u32 global = core->regs->global_ctrl, control = x86_counting_control(core, idx);
	u64 before = trial->read, after = before;

	trial->sure = true;
	trial->enabled = x86_counting_write(control, enable,
					    fixed ? enable : ARCH_PERFMON_EVENTSEL_ENABLE);
	if (global && !x86_counting_write(global, BIT_ULL(idx), BIT_ULL(idx)))
		trial->enabled = false;
	x86_counting_loop();
	if (global)
		x86_hw_write_safe(global, 0);
	x86_counting_stop(control, enable, fixed);
	trial->faults |= x86_hw_read_safe(x86_counter_msr(core, idx), &after);
	trial->moved = (after - before) & mask;
}

/* What clears the hardware accesses the registers of all general purpose counters. */
static bool x86_counting_can_clear(const struct x86_core_pmu *core)
{
	u64 todo, value;

	if (!core->clear_first)
		return false;
	for (todo = core->counters & X86_PMC_GENERIC_MASK; todo; todo &= todo - 1) {
		if (x86_hw_read_safe(x86_select_msr(core, __ffs64(todo)), &value) ||
		    x86_hw_read_safe(x86_counter_msr(core, __ffs64(todo)), &value))
			return false;
	}
	return true;
}

/* All counters are stopped by the global register, if there is one. */
static void x86_counting_try_one(struct x86_cpu_pmu *cpu, const struct x86_core_pmu *core,
				 unsigned int idx, struct x86_trial *trial)
{
	u32 count = x86_counter_msr(core, idx);

	for (unsigned int nr = 0; nr < COUNTING_TRIALS; nr++) {
		u64 enable = x86_counting_enable(core, idx, nr);

		if (!x86_counter_is_fixed(idx) && x86_counting_can_clear(core))
			x86_counters_clear(cpu);
		trial->faults |= x86_hw_write_safe(count, X86_TRIAL_VALUE) ||
				 x86_hw_read_safe(count, &trial->read);
		if (trial->faults || trial->read != X86_TRIAL_VALUE)
			return;
		if (enable)
			x86_counting_run(core, idx, enable, trial);
		if (trial->faults || trial->moved)
			return;
	}
}

/* Put back what the trial of a counter changes. Returns what it has shown. */
static struct x86_trial x86_counting_try_and_restore(struct x86_cpu_pmu *cpu,
						     const struct x86_core_pmu *core,
						     unsigned int idx)
{
	u32 control = x86_counting_control(core, idx), count = x86_counter_msr(core, idx);
	struct x86_trial trial = { };
	u64 was_control, was_count;

	if (x86_hw_read_safe(control, &was_control) || x86_hw_read_safe(count, &was_count) ||
	    x86_counting_stop(control, was_control, x86_counter_is_fixed(idx))) {
		trial.faults = true;
		return trial;
	}
	x86_counting_try_one(cpu, core, idx, &trial);
	x86_hw_write_safe(count, was_count);
	x86_hw_write_safe(control, was_control);
	return trial;
}

/**
 * x86_counting_passes() - decide whether a counter is offered
 * @trial: what its trial has shown
 * @all: a counter that keeps its value is
 *
 * Return: true if it is.
 *
 * Context: any.
 */
bool x86_counting_passes(const struct x86_trial *trial, bool all)
{
	if (trial->faults || trial->read != X86_TRIAL_VALUE)
		return false;
	return all || !trial->sure || (trial->enabled && trial->moved);
}

/* Counters FIRST to LAST have shown the same. */
static int x86_counting_print(char *line, size_t size, unsigned int first, unsigned int last,
			      const struct x86_trial *trial)
{
	bool fixed = x86_counter_is_fixed(first);
	int len;

	if (fixed) {
		first -= INTEL_PMC_IDX_FIXED;
		last -= INTEL_PMC_IDX_FIXED;
	}
	len = scnprintf(line, size, "%s%u", fixed ? "fixed " : "", first);
	if (last > first)
		len += scnprintf(line + len, size - len, "-%u", last);
	if (trial->faults)
		return len + scnprintf(line + len, size - len, " (access faults)");
	len += scnprintf(line + len, size - len, " (read %#llx", trial->read);
	if (trial->read == X86_TRIAL_VALUE)
		len += scnprintf(line + len, size - len, "%s, moved by %llu",
				 trial->enabled ? "" : ", enable bits lost", trial->moved);
	return len + scnprintf(line + len, size - len, ")");
}

static bool x86_counting_is_same(const struct x86_trial *one, const struct x86_trial *other)
{
	return one->faults == other->faults && one->read == other->read &&
	       one->enabled == other->enabled && one->moved == other->moved;
}

/* The counters that did not pass are listed in one line. */
static void x86_counting_report(const struct x86_core_pmu *core, u64 bad, const char *list)
{
	const char *what = "without counters that do not count";

	if (!(core->counters & ~bad))
		what = "not offered, no counter counts";
	else if (!bad)
		what = "perf_x86_counters=all keeps counters that do not count";
	pr_info("perf: PMU %s: %s; %#llx was written: %s\n", core->name, what, X86_TRIAL_VALUE,
		list);
}

/* Try all counters. Returns those that do not pass. */
static u64 x86_counting_try_all(struct x86_cpu_pmu *cpu, const struct x86_core_pmu *core)
{
	struct x86_trial trial, last = { };
	unsigned int idx, start = 0, end = 0;
	char line[COUNTING_LINE] = "";
	u64 bad = 0, listed = 0, todo;
	int len = 0;

	for (todo = core->counters; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		trial = x86_counting_try_and_restore(cpu, core, idx);
		if (x86_counting_passes(&trial, false))
			continue;
		if (!x86_counting_passes(&trial, counting_keeps_all))
			bad |= BIT_ULL(idx);
		if (listed && idx == end + 1 && x86_counting_is_same(&trial, &last)) {
			end = idx;
			continue;
		}
		if (listed) {
			len += x86_counting_print(line + len, sizeof(line) - len, start, end,
						  &last);
			len += scnprintf(line + len, sizeof(line) - len, ", ");
		}
		listed |= BIT_ULL(idx);
		start = idx;
		end = idx;
		last = trial;
	}
	if (!listed)
		return 0;
	x86_counting_print(line + len, sizeof(line) - len, start, end, &last);
	x86_counting_report(core, bad, line);
	return bad;
}

/* A kernel that crashed may have left the counters frozen. */
static void x86_counting_thaw(const struct x86_core_pmu *core)
{
	u64 status;

	if (core->regs->fixed_ctrl && core->version < 4)
		return;
	if (!x86_hw_read_safe(core->regs->global_status, &status) &&
	    status & GLOBAL_STATUS_COUNTERS_FROZEN)
		x86_hw_write_safe(core->regs->global_clear, GLOBAL_STATUS_COUNTERS_FROZEN);
}

/**
 * x86_counting_try() - find the counters that do not count
 * @core: the kind of core of this CPU, after x86_core_probe() and x86_tsx_probe(). No event is
 *	scheduled in here.
 *
 * Logs them. On Nehalem and Westmere the general purpose counters are 0 afterwards, and so are the
 * event selects of all but the last one, see x86_counters_clear().
 *
 * Return: mask of the counters that must not be offered.
 */
u64 x86_counting_try(struct x86_core_pmu *core)
{
	u32 global = core->regs->global_ctrl;
	struct x86_core_pmu *core_was;
	struct x86_cpu_pmu *cpu;
	unsigned long flags;
	u64 enables = 0, bad;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&x86_cpu_pmu);
	core_was = cpu->core;
	/* An NMI meanwhile finds a PMU that is off. */
	cpu->core = core;
	if (core->force_abort)
		x86_tsx_write(cpu, true);
	if (global) {
		x86_hw_read_safe(global, &enables);
		x86_hw_write_safe(global, 0);
		x86_counting_thaw(core);
	}
	bad = x86_counting_try_all(cpu, core);
	if (global)
		x86_hw_write_safe(global, enables);
	if (core->force_abort)
		x86_tsx_write(cpu, false);
	cpu->core = core_was;
	local_irq_restore(flags);
	return bad;
}

/**
 * x86_counting_note() - describe for refusals which counters are left out
 * @core: the PMU, with x86_core_pmu::stuck
 *
 * Context: any.
 */
void x86_counting_note(struct x86_core_pmu *core)
{
	unsigned long generic = core->stuck & X86_PMC_GENERIC_MASK;
	unsigned long fixed = core->stuck >> INTEL_PMC_IDX_FIXED;
	int len = 0;

	if (!core->stuck)
		return;
	len = scnprintf(core->without, sizeof(core->without), "; counters");
	if (generic)
		len += scnprintf(core->without + len, sizeof(core->without) - len, " %*pbl",
				 INTEL_PMC_MAX_GENERIC, &generic);
	if (fixed)
		len += scnprintf(core->without + len, sizeof(core->without) - len, "%s fixed %*pbl",
				 generic ? "," : "", INTEL_PMC_MAX_FIXED, &fixed);
	scnprintf(core->without + len, sizeof(core->without) - len, " do not count");
}
