// SPDX-License-Identifier: GPL-2.0
/*
 * Modes: the ticks that a CPU spends in user mode, in the kernel, and halted. The entry code
 * calls the emulator when the mode changes.
 *
 * The instructions between the change of the mode and the call count in user mode. On the way
 * into the kernel and back they are about a hundred.
 *
 * An NMI that interrupts a change of the mode sees no ticks. They remain for the next update.
 *
 * Context: irqs off, unless stated otherwise.
 */
#include <linux/interrupt.h>
#include <asm/trace/irq_vectors.h>
#include <asm/tsc.h>
#include <trace/events/irq.h>
#include <trace/events/power.h>
#include "emulator.h"

/**
 * x86_emu_enter_kernel() - account ticks of user mode
 *
 * Context: entry from user mode, no instrumentation.
 */
noinstr void x86_emu_enter_kernel(void)
{
	struct emu_cpu *cpu = raw_cpu_ptr(&emu_cpu);

	if (!cpu->in_user)
		return;
	cpu->changes_mode = true;
	barrier();
	cpu->user += rdtsc() - cpu->user_since;
	cpu->in_user = false;
	barrier();
	cpu->changes_mode = false;
}

/**
 * x86_emu_enter_user() - begin ticks of user mode
 *
 * Context: return to user mode, no instrumentation.
 */
noinstr void x86_emu_enter_user(void)
{
	struct emu_cpu *cpu = raw_cpu_ptr(&emu_cpu);

	cpu->changes_mode = true;
	barrier();
	cpu->user_since = rdtsc();
	cpu->in_user = true;
	barrier();
	cpu->changes_mode = false;
}

/**
 * x86_emu_prepare_user() - start the timer for counters of user mode
 */
void x86_emu_prepare_user(void)
{
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	if (cpu->rearm_for_user)
		emu_rearm_for_user(cpu);
}

/**
 * emu_modes_split() - get the ticks since the last update, by mode
 * @cpu: this CPU's PMU
 * @now: time stamp counter
 * @user: output, ticks in user mode
 * @kernel: output, ticks in the kernel, without those in which the CPU was halted
 *
 * An NMI can interrupt user mode without a call of x86_emu_enter_kernel(). It counts as user
 * mode. The emulator's own NMIs come in the kernel.
 *
 * Context: any, NMI included.
 */
void emu_modes_split(struct emu_cpu *cpu, u64 now, u64 *user, u64 *kernel)
{
	u64 all = max_t(s64, now - cpu->tsc, 0);

	*user = 0;
	*kernel = 0;
	if (cpu->changes_mode)
		return;
	*user = cpu->user;
	*kernel = cpu->idle;
	cpu->user = 0;
	cpu->idle = 0;
	cpu->tsc = now;
	if (cpu->in_user) {
		*user += now - cpu->user_since;
		cpu->user_since = now;
	}
	*user = min(*user, all);
	all -= *user;
	*kernel = all - min(*kernel, all);
}

/* The CPU is halted from the event until the next interrupt. */
static void idle_begins_or_ends(void *unused, unsigned int state, unsigned int nr)
{
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	cpu->idle_since = state == PWR_EVENT_EXIT ? 0 : rdtsc();
}

static void idle_ends(void)
{
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	if (!cpu->idle_since)
		return;
	cpu->idle += rdtsc() - cpu->idle_since;
	cpu->idle_since = 0;
}

static void timer_begins(void *unused, int vector)
{
	idle_ends();
}

static void interrupt_begins(void *unused, int irq, struct irqaction *action)
{
	idle_ends();
}

/*
 * Only with a clock of instructions: elsewhere tests need CPUs that count while they are
 * idle. Tracepoints can be used only after early boot.
 */
static int __init emu_modes_init(void)
{
	if (!emu_clock_is_exact())
		return 0;
	return register_trace_cpu_idle(idle_begins_or_ends, NULL) ?:
	       register_trace_local_timer_entry(timer_begins, NULL) ?:
	       register_trace_irq_handler_entry(interrupt_begins, NULL);
}
late_initcall(emu_modes_init);
