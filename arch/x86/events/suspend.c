// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU when the system sleeps. All CPUs but one have gone offline by then,
 * and their events with them; the last one keeps its events on, and its registers
 * lose their content, or have that of the kernel which woke the machine.
 *
 * Events are stopped before the local APIC is put to sleep, and go on after it is
 * awake: an overflow in between would raise an interrupt that nobody gets. The
 * APIC's operations are registered at core_initcall, and those that are registered
 * later suspend before and resume after it.
 *
 * Task context, irqs off, one CPU.
 */
#include <linux/init.h>
#include <linux/syscore_ops.h>
#include "core_pmu.h"

/* Counters that were stopped; of the CPU that is the only one. */
static u64 paused;

/**
 * x86_core_suspend() - the registers of this CPU are about to lose their content
 */
void x86_core_suspend(void)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core)
		paused = x86_sched_pause(cpu);
}

/**
 * x86_core_resume() - the registers of this CPU may have lost their content
 */
void x86_core_resume(void)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (!cpu->core)
		return;
	x86_smi_apply(cpu->core);
	x86_sched_continue(cpu, paused);
}

static int suspend_op(void *data)
{
	x86_core_suspend();
	return 0;
}

static void resume_op(void *data)
{
	x86_core_resume();
}

static const struct syscore_ops syscore_ops = {
	.suspend	= suspend_op,
	.resume		= resume_op,
};

static struct syscore syscore = {
	.ops = &syscore_ops,
};

static int __init x86_core_suspend_init(void)
{
	if (x86_core_pmu_count)
		register_syscore(&syscore);
	return 0;
}
device_initcall(x86_core_suspend_init);
