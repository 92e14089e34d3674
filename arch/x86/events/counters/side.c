// SPDX-License-Identifier: GPL-2.0
/*
 * Sides: calls the operations of struct x86_side_ops for the sides that an event uses, or for
 * those that are in use on this CPU.
 *
 * Owns x86_cpu_pmu::sides and x86_cpu_pmu::side_users.
 *
 * Context: as documented at the operations.
 */
#include <linux/bitops.h>
#include <linux/perf_refusal.h>
#include "offer.h"
#include "side.h"

/* The sides that an event uses, as a mask of X86_SIDE_*. */
static unsigned long x86_side_mask_of(const struct perf_event *event)
{
	return (event->hw.flags & X86_EVENT_SIDES) >> X86_EVENT_SIDE_SHIFT;
}

static const struct x86_side_ops *x86_side_ops_of(const struct perf_event *event,
						  unsigned int side)
{
	return x86_core_of(event->pmu)->side[side];
}

/* Call an operation, if the side has it. */
#define side_call(_ops, _op, ...)			\
do {							\
	if ((_ops)->_op)				\
		(_ops)->_op(__VA_ARGS__);		\
} while (0)

/* Call an operation of each side that an event uses. */
#define for_sides_of(_event, _op, ...)						\
do {										\
	unsigned long __sides = x86_side_mask_of(_event);			\
	unsigned int __side;							\
										\
	for_each_set_bit(__side, &__sides, X86_SIDES)				\
		side_call(x86_side_ops_of(_event, __side), _op, __VA_ARGS__);	\
} while (0)

/* Call an operation of each side in a mask. */
#define for_sides_in(_cpu, _mask, _op, ...)					\
do {										\
	unsigned long __sides = (_mask);					\
	unsigned int __side;							\
										\
	for_each_set_bit(__side, &__sides, X86_SIDES)				\
		side_call((_cpu)->core->side[__side], _op, __VA_ARGS__);	\
} while (0)

static int x86_side_init_one(struct perf_event *event, unsigned int side)
{
	event->hw.flags |= X86_EVENT_SIDE(side);
	return x86_side_ops_of(event, side)->event_init(event);
}

/*
 * Memory for the side of a CPU is allocated before its kind is known, see x86_side_cpu_prepare().
 * So kinds of a machine have precise sampling, or a trace of branches, if the boot CPU's kind has.
 */
static const char *x86_side_missing_at_boot(unsigned int side)
{
	if (side == X86_SIDE_BRANCHES || !x86_core_pmu_count || x86_core_pmus[0]->side[side])
		return NULL;
	return "cores of the boot CPU's kind have none";
}

static void x86_side_remove(struct x86_core_pmu *core, unsigned int side, const char *why)
{
	core->why_not[side] = why;
	core->side[side] = NULL;
	switch (side) {
	case X86_SIDE_PRECISE:
		core->precise.max = 0;
		core->capabilities &= ~PERF_PMU_CAP_EXTENDED_REGS;
		core->files.events[X86_EVENTS_OF_MEMORY] = NULL;
		break;
	case X86_SIDE_BRANCHES:
		core->branches = (struct x86_branches) { };
		core->files.events[X86_EVENTS_OF_BRANCHES] = NULL;
		break;
	}
}

static void x86_side_probe_one(struct x86_core_pmu *core, unsigned int side)
{
	const struct x86_side_ops *ops = core->side[side];
	const char *why;

	if (ops->probe && !ops->probe(core)) {
		x86_side_remove(core, side, "its registers do not exist");
		return;
	}
	why = x86_offer_why_not(core, side) ?: x86_side_missing_at_boot(side);
	if (!why)
		return;
	/* Records of branches stay in registers. */
	if (side != X86_SIDE_BRANCHES)
		core->unused[side] = ops;
	x86_side_remove(core, side, why);
}

/**
 * x86_side_probe() - remove the sides that a core does not have, and those that are not offered
 * @core: the PMU as detected; not yet one of x86_core_pmus
 *
 * Context: irqs off or boot, on a CPU of that kind.
 */
void x86_side_probe(struct x86_core_pmu *core)
{
	unsigned int side;

	/* The last one first: a trace that an earlier kernel left on must be off for the others. */
	for (side = X86_SIDES; side--;) {
		if (core->side[side])
			x86_side_probe_one(core, side);
	}
	if (core->side[X86_SIDE_PRECISE] && !core->side[X86_SIDE_BRANCHES])
		core->precise.max = core->precise.max_alone;
}

/**
 * x86_side_break() - switch a side off until reboot
 * @core: the PMU, registered
 * @side: X86_SIDE_*
 * @why: why, for the refusal of events; the same in each call for the side
 *
 * The side keeps its operations, because events use it. Their start() and add() must look at
 * x86_side_is_broken().
 *
 * Context: any, NMI included.
 * Return: false if it was switched off before.
 */
bool x86_side_break(struct x86_core_pmu *core, unsigned int side, const char *why)
{
	/* before the bit, for readers on other CPUs */
	WRITE_ONCE(core->why_not[side], why);
	if (test_and_set_bit(side, &core->broken))
		return false;
	if (side == X86_SIDE_PRECISE)
		WRITE_ONCE(core->precise.max, 0);
	return true;
}

/**
 * x86_side_exists() - check whether the core has the sides that an event requests
 * @event: the event
 *
 * A child event is not refused because the side was switched off, so fork(2) goes on. Like its
 * parent it gets no counter.
 *
 * Context: task.
 * Return: 0 or an errno, with a refusal.
 */
int x86_side_exists(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	if (event->attr.precise_ip && !event->parent &&
	    !x86_side_is_offered(core, X86_SIDE_PRECISE))
		return perf_refuse(-EOPNOTSUPP, "precise_ip",
				   "%u asked, %s has no precise sampling: %s",
				   event->attr.precise_ip, core->name,
				   READ_ONCE(core->why_not[X86_SIDE_PRECISE]) ?:
				   "the CPU does not list it");
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK && !core->side[X86_SIDE_BRANCHES])
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "%s has no branch records: %s", core->name,
				   core->why_not[X86_SIDE_BRANCHES] ?: "the CPU does not list them");
	return 0;
}

/**
 * x86_side_init() - check what an event requests of sides
 * @event: the event, after x86_side_exists(); its select value and mask of counters were
 *	computed
 *
 * Context: task.
 * Return: 0 or an errno, with a refusal.
 */
int x86_side_init(struct perf_event *event)
{
	int err = 0;

	if (event->attr.precise_ip)
		err = x86_side_init_one(event, X86_SIDE_PRECISE);
	if (!err && (has_branch_stack(event) || event->hw.flags & X86_EVENT_LOCATES))
		err = x86_side_init_one(event, X86_SIDE_BRANCHES);
	/* Precise samples, and those with records of branches, have their registers. */
	if (!err && !x86_side_uses(event) && is_sampling_event(event) &&
	    x86_side_is_offered(x86_core_of(event->pmu), X86_SIDE_TRACE))
		err = x86_side_init_one(event, X86_SIDE_TRACE);
	return err;
}

/**
 * x86_side_fits() - check whether two events can use their sides at the same time
 * @event: an event
 * @other: another event of the same PMU
 *
 * Context: task.
 * Return: 0 if they can, else -EINVAL, with a refusal.
 */
int x86_side_fits(const struct perf_event *event, const struct perf_event *other)
{
	unsigned long both = x86_side_mask_of(event) & x86_side_mask_of(other);
	unsigned int side;
	int err;

	for_each_set_bit(side, &both, X86_SIDES) {
		const struct x86_side_ops *ops = x86_side_ops_of(event, side);

		err = ops->together ? ops->together(event, other) : 0;
		if (err)
			return err;
	}
	return 0;
}

/**
 * x86_side_reserve() - reserve the sides that a new event uses
 * @event: the event, after all checks
 *
 * Context: task.
 * Return: 0 or an errno, with a refusal.
 */
int x86_side_reserve(struct perf_event *event)
{
	unsigned long sides = x86_side_mask_of(event), done = 0;
	unsigned int side;
	int err = 0;

	for_each_set_bit(side, &sides, X86_SIDES) {
		if (x86_side_ops_of(event, side)->reserve)
			err = x86_side_ops_of(event, side)->reserve(event);
		if (err)
			break;
		done |= BIT(side);
	}
	if (!err)
		return 0;
	for_each_set_bit(side, &done, X86_SIDES)
		side_call(x86_side_ops_of(event, side), release, event);
	return err;
}

/**
 * x86_side_release() - undo x86_side_reserve()
 * @event: the event
 *
 * Context: task.
 */
void x86_side_release(struct perf_event *event)
{
	for_sides_of(event, release, event);
}

static void x86_side_note_users(struct x86_cpu_pmu *cpu, unsigned long sides, int change)
{
	unsigned int side;

	for_each_set_bit(side, &sides, X86_SIDES) {
		cpu->side_users[side] += change;
		if (cpu->side_users[side])
			cpu->sides |= BIT(side);
		else
			cpu->sides &= ~BIT(side);
	}
}

/**
 * x86_side_add() - let an event use its sides on this CPU
 * @cpu: this CPU's PMU, disabled
 * @event: the event
 *
 * Return: false if other events use a side in another way.
 */
bool x86_side_add(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	unsigned long sides = x86_side_mask_of(event), done = 0;
	unsigned int side;

	for_each_set_bit(side, &sides, X86_SIDES) {
		if (x86_side_ops_of(event, side)->add &&
		    !x86_side_ops_of(event, side)->add(cpu, event))
			goto undo;
		done |= BIT(side);
	}
	x86_side_note_users(cpu, sides, 1);
	return true;

undo:
	for_each_set_bit(side, &done, X86_SIDES)
		side_call(x86_side_ops_of(event, side), del, cpu, event);
	return false;
}

/**
 * x86_side_del() - undo x86_side_add()
 * @cpu: this CPU's PMU, disabled
 * @event: the event, stopped
 */
void x86_side_del(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	for_sides_of(event, del, cpu, event);
	x86_side_note_users(cpu, x86_side_mask_of(event), -1);
}

/**
 * x86_side_start() - prepare the sides for an event that is about to count
 * @cpu: this CPU's PMU
 * @event: the event, with its counter
 */
void x86_side_start(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	for_sides_of(event, start, cpu, event);
}

/**
 * x86_side_stop() - undo x86_side_start()
 * @cpu: this CPU's PMU
 * @event: the event; its counter was disconnected
 */
void x86_side_stop(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	for_sides_of(event, stop, cpu, event);
}

/**
 * x86_side_read() - let sides complete the count of an event
 * @cpu: this CPU's PMU
 * @event: the event, with its counter
 */
void x86_side_read(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	for_sides_of(event, read, cpu, event);
}

/**
 * x86_side_drain() - let the sides in use write the samples that they have
 * @cpu: this CPU's PMU, disabled
 *
 * The stop() of an event does this as well. What stops events to start them again must do it
 * before: a sample may be the last one of its event.
 */
void x86_side_drain(struct x86_cpu_pmu *cpu)
{
	for_sides_in(cpu, cpu->sides, drain, cpu, NULL);
}

/**
 * x86_side_on() - enable the sides in use, before the counters
 * @cpu: this CPU's PMU
 */
void x86_side_on(struct x86_cpu_pmu *cpu)
{
	for_sides_in(cpu, cpu->sides, on, cpu);
}

/**
 * x86_side_off() - disable the sides in use, after the counters
 * @cpu: this CPU's PMU
 */
void x86_side_off(struct x86_cpu_pmu *cpu)
{
	for_sides_in(cpu, cpu->sides, off, cpu);
}

/**
 * x86_side_after_guest() - undo what VM exits have loaded into registers of sides
 * @cpu: this CPU's PMU, disabled
 */
void x86_side_after_guest(struct x86_cpu_pmu *cpu)
{
	unsigned int side;

	for (side = 0; side < X86_SIDES; side++) {
		if (cpu->core->side[side])
			side_call(cpu->core->side[side], after_guest, cpu);
	}
}

/**
 * x86_side_quiet() - reset the registers of all sides that this CPU has, offered or not
 * @cpu: this CPU's PMU
 */
void x86_side_quiet(struct x86_cpu_pmu *cpu)
{
	unsigned int side;

	for (side = 0; side < X86_SIDES; side++) {
		const struct x86_side_ops *ops = cpu->core->side[side] ?: cpu->core->unused[side];

		if (ops)
			side_call(ops, quiet, cpu);
	}
}

/**
 * x86_side_before_sample() - fill in the sides' part of a sample
 * @cpu: this CPU's PMU, disabled
 * @event: the event
 * @data: the sample
 * @regs: registers of the interrupted context
 */
void x86_side_before_sample(struct x86_cpu_pmu *cpu, struct perf_event *event,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	for_sides_of(event, before_sample, cpu, event, data, regs);
}

/**
 * x86_side_sched_task() - pmu::sched_task of the core PMUs
 * @pmu_ctx: see pmu::sched_task
 * @task: see pmu::sched_task
 * @sched_in: see pmu::sched_task
 */
void x86_side_sched_task(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			 bool sched_in)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core)
		for_sides_in(cpu, cpu->sides, sched_task, cpu, pmu_ctx, task, sched_in);
}

/**
 * x86_side_check_period() - pmu::check_period of the core PMUs
 * @event: the event
 * @value: the new period
 *
 * Context: task.
 * Return: 0, or -EINVAL if a side that the event uses cannot have this period.
 */
int x86_side_check_period(struct perf_event *event, u64 value)
{
	unsigned long sides = x86_side_mask_of(event);
	unsigned int side;
	int err;

	for_each_set_bit(side, &sides, X86_SIDES) {
		const struct x86_side_ops *ops = x86_side_ops_of(event, side);

		err = ops->check_period ? ops->check_period(event, value) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* The kind of a CPU is not known before it comes online, see x86_side_missing_at_boot(). */
static const struct x86_side_ops *x86_side_prepared(unsigned int side)
{
	return x86_core_pmu_count ? x86_core_pmus[0]->side[side] : NULL;
}

/**
 * x86_side_cpu_dead() - free the memory of sides for a CPU
 * @nr: the CPU, offline
 *
 * Context: task.
 * Return: 0.
 */
int x86_side_cpu_dead(unsigned int nr)
{
	unsigned int side;

	for (side = 0; side < X86_SIDES; side++) {
		if (x86_side_prepared(side))
			side_call(x86_side_prepared(side), cpu_dead, nr);
	}
	return 0;
}

/**
 * x86_side_cpu_prepare() - allocate the memory of sides for a CPU
 * @nr: the CPU, which is about to come online
 *
 * Context: task.
 * Return: 0 or an errno.
 */
int x86_side_cpu_prepare(unsigned int nr)
{
	unsigned int side;
	int err;

	for (side = 0; side < X86_SIDES; side++) {
		if (!x86_side_prepared(side) || !x86_side_prepared(side)->cpu_prepare)
			continue;
		err = x86_side_prepared(side)->cpu_prepare(nr);
		if (err) {
			x86_side_cpu_dead(nr);
			return err;
		}
	}
	return 0;
}
