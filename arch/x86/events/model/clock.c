// SPDX-License-Identifier: GPL-2.0
/*
 * Counting: each event occurs at a fixed rate per cycle of the time stamp counter. Counters
 * are updated when a register is accessed. A timer fires at the time of the next overflow.
 *
 * The interrupt is a real NMI, and goes through the local APIC's entry for performance
 * counters as the driver has set it. If the timer raises it, samples show the context that
 * the timer has interrupted.
 *
 * Modes: the model does not notice when the CPU enters or leaves the kernel. A counter for
 * one mode counts in both modes, but overflows only while the CPU is in its mode. Until
 * then it stays at its highest value, and further events are ignored.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <asm/apic.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>
#include "model.h"

DEFINE_PER_CPU(struct model_cpu, model_cpu);

/* Period of the timer while a counter waits for its mode. */
#define MODEL_RETRY_NS	(50 * NSEC_PER_USEC)

/* Shortest timeout, so that the interrupted code makes progress. */
#define MODEL_MIN_NS	(2 * NSEC_PER_USEC)

/* Rates of events by number and unit mask, per 1024 cycles. Tests depend on them. */
static const struct {
	u16	select;
	u32	rate;
} model_rates[] = {
	{ 0x003c, 1024 },	/* Intel: cycles */
	{ 0x013c, 256 },	/* Intel: reference cycles, bus */
	{ 0x00c0, 768 },	/* Intel: instructions; AMD the same */
	{ 0x4f2e, 32 },		/* Intel: last level cache references */
	{ 0x412e, 8 },		/* Intel: last level cache misses */
	{ 0x00c4, 128 },	/* Intel: branches */
	{ 0x00c5, 4 },		/* Intel: mispredicted branches */
	{ 0x0076, 1024 },	/* AMD: cycles */
	{ 0x00c2, 128 },	/* AMD: branches */
	{ 0x00c3, 4 },		/* AMD: mispredicted branches */
	{ 0xff03, 20480 },	/* AMD: floating point operations, from family 17h */
};

/* Rate of all other events. */
#define MODEL_RATE_OTHERS	64

/**
 * model_rate_of() - get the rate of an event
 * @select: event select value
 *
 * Return: events per 2^MODEL_RATE_SHIFT cycles.
 */
u32 model_rate_of(u64 select)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(model_rates); i++) {
		if (model_rates[i].select == (select & 0xffff))
			return model_rates[i].rate;
	}
	return MODEL_RATE_OTHERS;
}

/**
 * model_raise_pmi() - raise an interrupt by the local APIC's entry, and mask the entry
 * @cpu: this CPU's PMU
 */
void model_raise_pmi(struct model_cpu *cpu)
{
	u32 entry = apic_read(APIC_LVTPC);

	if (entry & APIC_LVT_MASKED)
		return;
	if ((entry & APIC_MODE_MASK) != APIC_DM_NMI) {
		model_misuse("overflow while LVTPC is %#x, no NMI", entry);
		return;
	}
	apic_write(APIC_LVTPC, entry | APIC_LVT_MASKED);
	if (cpu->stage) {
		model_stage_raise(cpu->stage);
		return;
	}
	/* One write sends the NMI, so the NMI can access the APIC as well. */
	apic->send_IPI_self(NMI_VECTOR);
}

static bool must_wait(const struct model_counter *counter, bool in_user)
{
	return in_user ? !counter->user : !counter->kernel;
}

/* Cycles until a counter overflows. */
static u64 cycles_left(const struct model_counter *counter)
{
	u64 left = BIT_ULL(model_machine->width) - counter->value;

	/* A limit of hours, to avoid an overflow of the calculation. */
	if (left > BIT_ULL(44))
		return BIT_ULL(44);
	return div_u64((left << MODEL_RATE_SHIFT) - counter->part - 1, counter->rate) + 1;
}

/*
 * Counters stop at an overflow until its interrupt has been handled. Time passes between
 * the overflow and the timer, or while the emulator does not run, and must not be counted.
 */
static u64 cycles_to_count(const struct model_cpu *cpu, u64 cycles, bool in_user)
{
	u64 todo;

	if (cpu->unhandled & cpu->running)
		return 0;
	for (todo = cpu->running; todo; todo &= todo - 1) {
		const struct model_counter *counter = &cpu->counter[__ffs64(todo)];

		if (counter->interrupt && !must_wait(counter, in_user))
			cycles = min(cycles, cycles_left(counter));
	}
	return cycles;
}

/* Returns true if the counter has overflowed. */
static bool count(struct model_counter *counter, u64 cycles, bool in_user)
{
	u64 end = BIT_ULL(model_machine->width);
	u64 add = cycles * counter->rate + counter->part;

	counter->value += add >> MODEL_RATE_SHIFT;
	counter->part = add & (BIT_ULL(MODEL_RATE_SHIFT) - 1);
	if (counter->value < end)
		return false;
	if (must_wait(counter, in_user)) {
		counter->value = end - 1;
		counter->part = 0;
		return false;
	}
	counter->value -= end;
	return true;
}

/**
 * model_advance() - update the counters
 * @cpu: this CPU's PMU
 * @in_user: the CPU was in user mode
 *
 * An overflow raises its NMI before this returns. The model's state must be consistent.
 */
void model_advance(struct model_cpu *cpu, bool in_user)
{
	u64 now = rdtsc_ordered(), cycles = now - cpu->tsc, over = 0, todo;

	cpu->tsc = now;
	if ((s64)cycles <= 0 || cpu->stage)
		return;
	cycles = cycles_to_count(cpu, cycles, in_user);
	for (todo = cpu->running; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);

		if (!count(&cpu->counter[idx], cycles, in_user))
			continue;
		over |= BIT_ULL(idx);
		if (cpu->counter[idx].interrupt)
			cpu->unhandled |= BIT_ULL(idx);
	}
	if (over && model_machine->vendor->overflow(cpu, over))
		model_raise_pmi(cpu);
}

/**
 * model_set_counter() - write a counter
 * @cpu: this CPU's PMU
 * @idx: index of the counter
 * @value: new value, not wider than the counter
 */
void model_set_counter(struct model_cpu *cpu, unsigned int idx, u64 value)
{
	model_check_stopped(cpu, idx, "write");
	cpu->counter[idx].value = value;
	cpu->counter[idx].part = 0;
	cpu->unhandled &= ~BIT_ULL(idx);
}

/* Nanoseconds until a counter overflows. */
static u64 due_in(const struct model_counter *counter)
{
	u64 left = BIT_ULL(model_machine->width) - counter->value;

	if (left == 1 && (!counter->user || !counter->kernel))
		return MODEL_RETRY_NS;
	return max(mul_u64_u64_div_u64(cycles_left(counter), USEC_PER_SEC, tsc_khz),
		   MODEL_MIN_NS);
}

/**
 * model_rearm() - start the timer for the next overflow
 * @cpu: this CPU's PMU
 *
 * The timer may fire earlier and find no overflow, because it is not restarted for a later
 * time: that would take long.
 */
void model_rearm(struct model_cpu *cpu)
{
	u64 next = U64_MAX, todo;
	ktime_t when;

	/* The interrupted context may hold the timer's lock. */
	if (in_nmi()) {
		irq_work_queue(&cpu->rearm);
		return;
	}
	for (todo = cpu->running; todo; todo &= todo - 1) {
		const struct model_counter *counter = &cpu->counter[__ffs64(todo)];

		if (counter->interrupt)
			next = min(next, due_in(counter));
	}
	if (next == U64_MAX)
		return;
	when = ktime_add_ns(ktime_get(), next);
	if (!hrtimer_is_queued(&cpu->timer) ||
	    ktime_before(when, hrtimer_get_expires(&cpu->timer)))
		hrtimer_start(&cpu->timer, when, HRTIMER_MODE_ABS_PINNED_HARD);
}

static void model_rearm_work(struct irq_work *work)
{
	model_rearm(container_of(work, struct model_cpu, rearm));
}

static enum hrtimer_restart model_timer(struct hrtimer *timer)
{
	struct model_cpu *cpu = container_of(timer, struct model_cpu, timer);
	struct pt_regs *regs = get_irq_regs();

	/* The timer of a CPU that went offline has migrated. */
	if (cpu != this_cpu_ptr(&model_cpu))
		return HRTIMER_NORESTART;

	cpu->in_timer = true;
	barrier();
	model_advance(cpu, regs && user_mode(regs));
	barrier();
	cpu->in_timer = false;
	/* Not from the callback of the timer, which the NMI may restart as well. */
	irq_work_queue(&cpu->rearm);
	return HRTIMER_NORESTART;
}

/**
 * x86_model_interrupted() - see x86_hw_interrupted()
 * @regs: registers of the NMI
 *
 * Return: registers for a sample.
 */
struct pt_regs *x86_model_interrupted(struct pt_regs *regs)
{
	if (!this_cpu_read(model_cpu.in_timer))
		return regs;
	return get_irq_regs() ?: regs;
}

/**
 * model_clock_init() - initialise the timers of all CPUs
 */
void __init model_clock_init(void)
{
	int nr;

	for_each_possible_cpu(nr) {
		struct model_cpu *cpu = per_cpu_ptr(&model_cpu, nr);

		hrtimer_init(&cpu->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
		cpu->timer.function = model_timer;
		cpu->rearm = IRQ_WORK_INIT_HARD(model_rearm_work);
	}
}
