// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: each event occurs at a fixed rate per tick of the time stamp counter, see rates.c.
 * Counters are updated when a register is accessed. Ticks that the emulator needs for an access
 * are not counted. A timer fires at the time of the next overflow.
 *
 * There are two clocks:
 *
 * time
 *	The time stamp counter is real time. Counters stop at an overflow until it has been
 *	handled, because time passes between the overflow and the timer, and while QEMU
 *	does not run.
 * instructions
 *	The time stamp counter counts two ticks per instruction: QEMU with one CPU and
 *	"-icount shift=1,sleep=off". Counters do not stop. x86_pmu_emulator_clock=instructions
 *	selects it.
 *
 * The interrupt is a real NMI, and goes through the local APIC's entry for performance
 * counters as the driver has set it. If the timer raises it, samples show the context that
 * the timer has interrupted. If only counters of user mode overflow, and this is noticed in the
 * kernel, samples show where user mode was left.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>
#include "ds.h"

DEFINE_PER_CPU(struct emu_cpu, emu_cpu);

/* Shortest timeout, so that the interrupted code makes progress. */
#define EMU_MIN_NS	(2 * NSEC_PER_USEC)

/* Time from x86_emu_prepare_user() to user mode. */
#define EMU_TO_USER_NS		NSEC_PER_USEC

/* Instructions that are executed to check the clock. */
#define EMU_CLOCK_PROBE		100000
/* Instructions around those, at most. */
#define EMU_CLOCK_SLACK		100

static bool emu_clock_exact __ro_after_init;
static bool emu_clock_wanted __initdata;

/**
 * emu_raise_pmi() - raise an interrupt by the local APIC's entry, and mask the entry
 * @cpu: this CPU's PMU
 */
void emu_raise_pmi(struct emu_cpu *cpu)
{
	u32 entry = apic_read(APIC_LVTPC);

	if (entry & APIC_LVT_MASKED)
		return;
	if ((entry & APIC_MODE_MASK) != APIC_DM_NMI) {
		emu_misuse("overflow while LVTPC is %#x, no NMI", entry);
		return;
	}
	apic_write(APIC_LVTPC, entry | APIC_LVT_MASKED);
	if (cpu->stage) {
		emu_stage_raise(cpu->stage);
		return;
	}
	/* One write sends the NMI, so the NMI can access the APIC as well. */
	if (!emu_hostile_raise())
		apic->send_IPI_self(NMI_VECTOR);
}

/**
 * emu_send_nmi() - raise an NMI in a timer's callback
 * @cpu: this CPU's PMU
 */
void emu_send_nmi(struct emu_cpu *cpu)
{
	cpu->in_timer = true;
	barrier();
	apic->send_IPI_self(NMI_VECTOR);
	barrier();
	cpu->in_timer = false;
}

/* Ticks until a counter overflows. */
static u64 ticks_left(const struct emu_counter *counter)
{
	u64 left = BIT_ULL(emu_machine->width) - counter->value;

	/* A limit of hours, to avoid an overflow of the calculation. */
	if (left > BIT_ULL(44))
		return BIT_ULL(44);
	return div_u64((left << EMU_RATE_SHIFT) - counter->part - 1, counter->rate) + 1;
}

/* Something happens at an overflow. */
static bool matters(const struct emu_counter *counter)
{
	return counter->interrupt || counter->records;
}

/* The ticks of the modes in which a counter counts. */
static u64 ticks_of(const struct emu_counter *counter, u64 user, u64 kernel)
{
	return (counter->user ? user : 0) + (counter->kernel ? kernel : 0);
}

/* Reduce the ticks to those before the next overflow, which stops all counters. */
static void stop_at_overflow(const struct emu_cpu *cpu, u64 *user, u64 *kernel)
{
	u64 todo;

	if (cpu->unhandled & cpu->running)
		*user = *kernel = 0;
	for (todo = cpu->running; todo; todo &= todo - 1) {
		const struct emu_counter *counter = &cpu->counter[__ffs64(todo)];
		u64 ticks = ticks_of(counter, *user, *kernel), left = ticks_left(counter), late;

		if (!matters(counter) || ticks <= left)
			continue;
		ticks -= left;
		late = counter->kernel ? min(ticks, *kernel) : 0;
		*kernel -= late;
		*user -= ticks - late;
	}
}

/* Returns true if the counter has overflowed. */
static bool count(struct emu_counter *counter, u64 ticks)
{
	u64 end = BIT_ULL(emu_machine->width);
	u64 add = ticks * counter->rate + counter->part;

	counter->value += add >> EMU_RATE_SHIFT;
	counter->part = add & (BIT_ULL(EMU_RATE_SHIFT) - 1);
	if (counter->value < end)
		return false;
	counter->value -= end;
	return true;
}

/**
 * emu_advance() - update the counters
 * @cpu: this CPU's PMU
 *
 * An overflow raises its NMI before this returns. The emulator's state must be consistent.
 */
void emu_advance(struct emu_cpu *cpu)
{
	u64 user, kernel, over = 0, todo;
	bool only_user = true;

	emu_modes_split(cpu, rdtsc_ordered(), &user, &kernel);
	if (cpu->stage)
		return;
	kernel += emu_hostile_ticks();
	if (!emu_clock_exact)
		stop_at_overflow(cpu, &user, &kernel);
	for (todo = cpu->running; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);
		struct emu_counter *counter = &cpu->counter[idx];

		if (!count(counter, ticks_of(counter, user, kernel)))
			continue;
		over |= BIT_ULL(idx);
		if (!matters(counter))
			continue;
		if (counter->interrupt)
			cpu->unhandled |= BIT_ULL(idx);
		only_user &= !counter->kernel;
	}
	if (!over)
		return;
	cpu->in_user_only = only_user;
	emu_hostile_overflow();
	if (emu_machine->vendor->overflow(cpu, over))
		emu_raise_pmi(cpu);
}

/**
 * emu_pause() - leave out the ticks since the last update
 * @cpu: this CPU's PMU, at the end of an access
 */
void emu_pause(struct emu_cpu *cpu)
{
	u64 user, kernel;

	emu_modes_split(cpu, rdtsc_ordered(), &user, &kernel);
}

/**
 * emu_set_counter() - write a counter
 * @cpu: this CPU's PMU
 * @idx: index of the counter
 * @value: new value, not wider than the counter
 */
void emu_set_counter(struct emu_cpu *cpu, unsigned int idx, u64 value)
{
	emu_check_stopped(cpu, idx, "write");
	cpu->counter[idx].value = emu_stuck.forgets & BIT_ULL(idx) ? 0 : value;
	cpu->counter[idx].part = 0;
	cpu->unhandled &= ~BIT_ULL(idx);
	if (cpu->fault.near)
		emu_hostile_return(cpu, BIT_ULL(idx));
}

/* Nanoseconds until a counter overflows, if it counts all the time. */
static u64 due_in(const struct emu_counter *counter)
{
	return max(mul_u64_u64_div_u64(ticks_left(counter), USEC_PER_SEC, tsc_khz),
		   EMU_MIN_NS);
}

static void start_timer(struct emu_cpu *cpu, u64 ns)
{
	ktime_t when = ktime_add_ns(ktime_get(), ns);

	if (!hrtimer_is_queued(&cpu->timer) ||
	    ktime_before(when, hrtimer_get_expires(&cpu->timer)))
		hrtimer_start(&cpu->timer, when, HRTIMER_MODE_ABS_PINNED_HARD);
}

/* The shortest time until an overflow of a counter of user mode only, or of another one. */
static u64 next_overflow(const struct emu_cpu *cpu, bool only_user)
{
	u64 next = U64_MAX, todo;

	for (todo = cpu->running; todo; todo &= todo - 1) {
		const struct emu_counter *counter = &cpu->counter[__ffs64(todo)];

		if (matters(counter) && counter->kernel != only_user)
			next = min(next, due_in(counter));
	}
	return next;
}

/**
 * emu_rearm() - start the timer for the next overflow
 * @cpu: this CPU's PMU
 *
 * The timer may fire earlier and find no overflow, because it is not restarted for a later
 * time: that would take long. For counters of user mode it is started when the CPU returns to
 * user mode.
 */
void emu_rearm(struct emu_cpu *cpu)
{
	u64 next;

	/* The interrupted context may hold the timer's lock. */
	if (in_nmi()) {
		irq_work_queue(&cpu->rearm);
		return;
	}
	cpu->rearm_for_user = next_overflow(cpu, true) != U64_MAX;
	next = next_overflow(cpu, false);
	if (next != U64_MAX)
		start_timer(cpu, next);
}

/**
 * emu_rearm_for_user() - start the timer for the next overflow of a counter of user mode
 * @cpu: this CPU's PMU
 *
 * Context: irqs off, before the return to user mode.
 */
void emu_rearm_for_user(struct emu_cpu *cpu)
{
	u64 next;

	cpu->rearm_for_user = false;
	next = next_overflow(cpu, true);
	if (next != U64_MAX)
		start_timer(cpu, next + EMU_TO_USER_NS);
}

static void emu_rearm_work(struct irq_work *work)
{
	emu_rearm(container_of(work, struct emu_cpu, rearm));
}

static enum hrtimer_restart emu_timer(struct hrtimer *timer)
{
	struct emu_cpu *cpu = container_of(timer, struct emu_cpu, timer);

	/* The timer of a CPU that went offline has migrated. */
	if (cpu != this_cpu_ptr(&emu_cpu))
		return HRTIMER_NORESTART;

	cpu->in_timer = true;
	barrier();
	emu_advance(cpu);
	barrier();
	cpu->in_timer = false;
	/* Not from the callback of the timer, which the NMI may restart as well. */
	irq_work_queue(&cpu->rearm);
	return HRTIMER_NORESTART;
}

/**
 * x86_emu_interrupted() - see x86_hw_interrupted()
 * @regs: registers of the NMI
 *
 * Return: registers for a sample.
 */
struct pt_regs *x86_emu_interrupted(struct pt_regs *regs)
{
	const struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	if (emu_hostile_here())
		return regs;
	if (cpu->in_timer)
		regs = get_irq_regs() ?: regs;
	if (cpu->in_user_only && !user_mode(regs) && !(current->flags & PF_KTHREAD))
		return task_pt_regs(current);
	return regs;
}

static int __init emu_clock_choose(char *name)
{
	emu_clock_wanted = !strcmp(name, "instructions");
	if (!emu_clock_wanted)
		pr_warn("x86 PMU emulator: no such clock: %s\n", name);
	return 0;
}
early_param("x86_pmu_emulator_clock", emu_clock_choose);

/**
 * emu_clock_is_exact() - check whether the time stamp counter counts instructions
 *
 * Return: true if it does.
 */
bool emu_clock_is_exact(void)
{
	return emu_clock_exact;
}

/* Execute a known number of instructions. Returns the ticks that this has taken. */
static u64 __init probe_clock(void)
{
	unsigned long turns = EMU_CLOCK_PROBE / 2, flags;
	u64 start, ticks;

	local_irq_save(flags);
	start = rdtsc_ordered();
	asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
	ticks = rdtsc_ordered() - start;
	local_irq_restore(flags);
	return ticks;
}

static bool __init clock_counts_instructions(void)
{
	u64 ticks = probe_clock();

	if (num_possible_cpus() == 1 && ticks >= 2 * EMU_CLOCK_PROBE &&
	    ticks <= 2 * (EMU_CLOCK_PROBE + EMU_CLOCK_SLACK))
		return true;
	pr_err("x86 PMU emulator: no clock of instructions: %u CPUs, %llu ticks for %u of them\n",
	       num_possible_cpus(), ticks, EMU_CLOCK_PROBE);
	return false;
}

/**
 * emu_clock_init() - choose the clock, and initialise the timers of all CPUs
 */
void __init emu_clock_init(void)
{
	int nr;

	emu_hostile_init();
	emu_bts_init();
	emu_spoil_init();
	emu_clock_exact = emu_clock_wanted && clock_counts_instructions();
	for_each_possible_cpu(nr) {
		struct emu_cpu *cpu = per_cpu_ptr(&emu_cpu, nr);

		hrtimer_init(&cpu->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
		cpu->timer.function = emu_timer;
		cpu->rearm = IRQ_WORK_INIT_HARD(emu_rearm_work);
	}
}
