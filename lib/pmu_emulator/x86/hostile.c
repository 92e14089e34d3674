// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of hardware, which drivers must cope with: x86_pmu_emulator_hostile=SEED. Each CPU has a
 * sequence of pseudo-random numbers, so that a run depends on the seed, and on the order of
 * the register accesses.
 *
 * - An NMI comes up to 20 microseconds after its overflow.
 * - Some NMIs come twice (AMD). On Intel's CPUs an NMI without a status bit is of another
 *   source, such as a button that shall end a hung system.
 * - Samples show the address at which the NMI came, which may be inside of the emulator.
 * - Status registers have reserved bits set, which must not be written.
 * - Time passes between two register accesses, also in the handler: counters that are not
 *   stopped go on.
 * - CPUID leaf 0x1a, which has the kind of a core, is 0.
 * - Energy counters and their unit read as 0.
 *
 * Tests inject one more fault, by struct emu_fault: bits of the status register come back when they
 * are cleared, and raise the interrupt again when counters are enabled. Haswell is known for that,
 * of counters that start near their overflow.
 *
 * Context: any, NMI included.
 */
#include <linux/bitops.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/printk.h>
#include <asm/apic.h>
#include "emulator.h"

/* Latest NMI after an overflow. */
#define HOSTILE_LATE_NS		(20 * NSEC_PER_USEC)
/* Most ticks that pass before a register access. */
#define HOSTILE_TICKS		4096

/**
 * struct emu_hostile - the faults of a CPU
 * @random: state of the pseudo-random numbers
 * @reserved: reserved bits that the status register shows
 * @nmis: NMIs that are due
 * @timer: raises the next of @nmis
 * @start: starts @timer for accesses in NMI context
 */
struct emu_hostile {
	struct rnd_state	random;
	u64			reserved;
	unsigned int		nmis;
	struct hrtimer		timer;
	struct irq_work		start;
};

static DEFINE_PER_CPU(struct emu_hostile, emu_hostile);
static u64 emu_seed __ro_after_init;

static int __init emu_hostile_choose(char *text)
{
	if (kstrtou64(text, 0, &emu_seed) || !emu_seed)
		pr_warn("x86 PMU emulator: no such seed: %s\n", text);
	return 0;
}
early_param("x86_pmu_emulator_hostile", emu_hostile_choose);

/**
 * emu_is_hostile() - check whether the emulator has faults
 *
 * Return: true if it does.
 */
bool emu_is_hostile(void)
{
	return emu_seed;
}

/* Get a number below @end. Returns 0 without faults. */
static u32 random_below(u32 end)
{
	if (!emu_is_hostile())
		return 0;
	return prandom_u32_state(&this_cpu_ptr(&emu_hostile)->random) % end;
}

/* Returns true once in @n times. */
static bool once_in(u32 n)
{
	return emu_is_hostile() && !random_below(n);
}

/**
 * emu_hostile_ticks() - get the ticks of the kernel that pass before a register access
 *
 * Return: ticks of the time stamp counter.
 */
u64 emu_hostile_ticks(void)
{
	return once_in(8) ? random_below(HOSTILE_TICKS) : 0;
}

/**
 * emu_hostile_overflow() - choose new reserved bits of the status register
 */
void emu_hostile_overflow(void)
{
	struct emu_hostile *hostile = this_cpu_ptr(&emu_hostile);

	if (once_in(4))
		hostile->reserved = (u64)random_below(U32_MAX) << 32 | random_below(U32_MAX);
}

/**
 * emu_hostile_status() - add reserved bits to a status register
 * @status: its value
 * @valid: the bits that are not reserved
 *
 * Return: the value that is read.
 */
u64 emu_hostile_status(u64 status, u64 valid)
{
	return status | (this_cpu_read(emu_hostile.reserved) & ~valid);
}

/**
 * emu_hostile_here() - check whether a sample shows where the NMI came
 *
 * Return: true if it does; false if it shows the context of the overflow.
 */
bool emu_hostile_here(void)
{
	return once_in(4);
}

/* The bits that come back when they are cleared. */
static u64 returning(const struct emu_cpu *cpu)
{
	const u64 end = BIT_ULL(emu_machine->width);
	u64 found = cpu->fault.stuck, todo;

	if (!cpu->fault.left)
		return 0;
	for (todo = emu_counters(); todo; todo &= todo - 1) {
		const struct emu_counter *counter = &cpu->counter[__ffs64(todo)];

		if (counter->interrupt && end - counter->value < cpu->fault.near)
			found |= todo & -todo;
	}
	return found;
}

/**
 * emu_hostile_return() - set bits of the status register again
 * @cpu: this CPU's PMU
 * @bits: bits that were cleared, or the bit of a counter that was written
 */
void emu_hostile_return(struct emu_cpu *cpu, u64 bits)
{
	bits &= returning(cpu);
	cpu->fault.left -= min_t(unsigned int, cpu->fault.left, hweight64(bits));
	cpu->global_status |= bits;
}

/**
 * emu_hostile_raises_again() - check whether counters that are enabled raise their interrupt again
 * @cpu: this CPU's PMU
 *
 * Return: true if a bit that came back is of a counter that counts.
 */
bool emu_hostile_raises_again(const struct emu_cpu *cpu)
{
	u64 todo = cpu->global_status & cpu->running & returning(cpu);

	for (; todo; todo &= todo - 1) {
		if (cpu->counter[__ffs64(todo)].interrupt)
			return true;
	}
	return false;
}

static void start_timer(struct emu_hostile *hostile)
{
	hrtimer_start(&hostile->timer, ns_to_ktime(1 + random_below(HOSTILE_LATE_NS)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void start_work(struct irq_work *work)
{
	start_timer(container_of(work, struct emu_hostile, start));
}

/**
 * emu_hostile_raise() - raise an NMI later, and perhaps a second one
 *
 * Return: false if the NMI comes at once.
 */
bool emu_hostile_raise(void)
{
	struct emu_hostile *hostile = this_cpu_ptr(&emu_hostile);

	if (!emu_is_hostile() || once_in(4))
		return false;
	hostile->nmis = emu_machine->vendor == &emu_amd && once_in(4) ? 2 : 1;
	if (in_nmi())
		irq_work_queue(&hostile->start);
	else
		start_timer(hostile);
	return true;
}

static enum hrtimer_restart late(struct hrtimer *timer)
{
	struct emu_hostile *hostile = container_of(timer, struct emu_hostile, timer);

	/* The timer of a CPU that went offline has migrated. */
	if (hostile != this_cpu_ptr(&emu_hostile) || !hostile->nmis)
		return HRTIMER_NORESTART;
	hostile->nmis--;
	emu_send_nmi(this_cpu_ptr(&emu_cpu));
	if (hostile->nmis)
		irq_work_queue(&hostile->start);
	return HRTIMER_NORESTART;
}

/**
 * emu_hostile_init() - seed the numbers of all CPUs
 */
void __init emu_hostile_init(void)
{
	int nr;

	if (!emu_is_hostile())
		return;
	pr_info("x86 PMU emulator: hostile, seed %llu\n", emu_seed);
	for_each_possible_cpu(nr) {
		struct emu_hostile *hostile = per_cpu_ptr(&emu_hostile, nr);

		prandom_seed_state(&hostile->random, emu_seed + nr);
		hrtimer_init(&hostile->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		hostile->timer.function = late;
		hostile->start = IRQ_WORK_INIT_HARD(start_work);
	}
}
