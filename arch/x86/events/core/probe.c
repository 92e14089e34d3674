// SPDX-License-Identifier: GPL-2.0
/*
 * Counters with unknown content: whether they exist, and the reset of all registers of a CPU.
 *
 * Context: irqs off, or boot with one CPU.
 */
#include <linux/bitops.h>
#include "../counters/counters.h"
#include "../counters/late.h"
#include "../counters/side.h"
#include "../features/topdown.h"
#include "../features/tsx.h"
#include "probe.h"

/*
 * Disable the counters that are left out, and acknowledge their overflows: a kernel before may have
 * used them on this CPU.
 */
static void x86_cpu_quiet_stuck(const struct x86_core_pmu *core)
{
	u64 status, todo;

	for (todo = core->stuck & X86_PMC_GENERIC_MASK; todo; todo &= todo - 1)
		x86_hw_write_safe(x86_select_msr(core, __ffs64(todo)), 0);
	if (core->stuck & ~X86_PMC_GENERIC_MASK)
		x86_hw_write_safe(core->regs->fixed_ctrl, 0);
	if (core->stuck && core->regs->global_ctrl &&
	    !x86_hw_read_safe(core->regs->global_status, &status) && status & core->stuck)
		x86_hw_write_safe(core->regs->global_clear, status & core->stuck);
}

/**
 * x86_cpu_quiet() - reset all registers; no counter counts afterwards
 * @cpu: this CPU's PMU, with its core; no event is scheduled in
 *
 * The registers may have any content before: from firmware, from the kernel before a
 * kexec, or none after a power state.
 */
void x86_cpu_quiet(struct x86_cpu_pmu *cpu)
{
	const struct x86_core_pmu *core = cpu->core;

	x86_counters_forget(cpu);
	x86_cpu_quiet_stuck(core);
	x86_topdown_acknowledged(cpu);
	x86_late_switched(cpu, 0);
	/* The counter that transactions need is written only while they abort. */
	if (core->force_abort)
		x86_tsx_write(cpu, true);
	x86_counters_reset(cpu);
	if (core->force_abort)
		x86_tsx_write(cpu, false);
	if (core->metrics)
		x86_hw_write(MSR_PERF_METRICS, 0);
	x86_side_quiet(cpu);
	/* A kernel that crashed may have left records of overflows on, with a buffer of its own. */
	if (core->precise.pebs && !core->side[X86_SIDE_PRECISE])
		x86_hw_write_safe(MSR_IA32_PEBS_ENABLE, 0);
	if (core->regs->global_ctrl)
		x86_late_expect(cpu, x86_cpu_overflowed(cpu));
}

/* Remove counters that only the model is known to have, if they do not exist here. */
static void x86_core_probe_unlisted(struct x86_core_pmu *core)
{
	bool missing = false;
	u64 value, todo;

	for (todo = core->unlisted; todo; todo &= todo - 1)
		missing |= x86_hw_read_safe(x86_counter_msr(core, __ffs64(todo)), &value);
	if (!missing)
		return;
	core->counters &= ~core->unlisted;
	core->unlisted = 0;
	if (!(core->counters & X86_PMC_FIXED_BIT(3)))
		x86_topdown_drop(core);
}

/**
 * x86_core_probe() - check that the registers of the PMU exist
 * @core: the PMU as detected. Counters and metrics that do not exist, but were not listed by CPUID
 *	either, are removed.
 *
 * Some hypervisors pass CPUID through and implement no PMU. Whether the counters that CPUID lists
 * count is tried afterwards, see counting.c.
 *
 * Context: irqs off or boot, on a CPU of that kind.
 * Return: 0, -ENODEV if the registers do not exist.
 */
int x86_core_probe(struct x86_core_pmu *core)
{
	u32 global = core->regs->global_ctrl;
	u64 value;

	if (!core->counters)
		return -ENODEV;
	if (global && (x86_hw_read_safe(global, &value) || x86_hw_write_safe(global, value)))
		return -ENODEV;
	x86_core_probe_unlisted(core);
	if (core->metrics && x86_hw_read_safe(MSR_PERF_METRICS, &value))
		x86_topdown_drop(core);
	return 0;
}
