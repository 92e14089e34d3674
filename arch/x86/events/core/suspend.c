// SPDX-License-Identifier: GPL-2.0
/*
 * Suspend and resume of the core PMU. At suspend all CPUs but one are offline. The last CPU
 * keeps its events scheduled in, while its registers lose their content, or get values of
 * the kernel that resumes the machine.
 *
 * Events are stopped before the local APIC is suspended, and started after it was
 * resumed, because the interrupt of an overflow in between would be lost. The APIC's
 * operations are registered at core_initcall. Operations that are registered later
 * suspend before and resume after them.
 *
 * Context: task, irqs off, one CPU.
 */
#include <linux/init.h>
#include <linux/syscore_ops.h>
#include "../counters/debugctl.h"
#include "schedule.h"
#include "suspend.h"

/* Mask of the counters that x86_core_suspend() has stopped. */
static u64 paused;

/**
 * x86_core_suspend() - stop all counters, before the registers lose their content
 */
void x86_core_suspend(void)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core)
		paused = x86_sched_pause(cpu);
}

/**
 * x86_core_resume() - write all registers, and start the counters again
 */
void x86_core_resume(void)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (!cpu->core)
		return;
	/* The trace goes on when x86_cpu_quiet() has written the address of its buffer. */
	if (cpu->trace)
		cpu->trace->pause(cpu);
	x86_debugctl_restore(cpu);
	x86_sched_continue(cpu, paused);
}

static int x86_core_suspend_op(void *data)
{
	x86_core_suspend();
	return 0;
}

static void x86_core_resume_op(void *data)
{
	x86_core_resume();
}

static const struct syscore_ops syscore_ops = {
	.suspend	= x86_core_suspend_op,
	.resume		= x86_core_resume_op,
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
