// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU's operations. Events are added and deleted while the PMU is disabled,
 * and programmed when it is enabled.
 *
 * add() only assigns a counter (assign.c), which may move other events. pmu_enable()
 * writes the registers once for all events that were added, deleted or moved. A
 * transaction needs no state: assignment refuses an event only if it does not fit
 * together with the events before it. If a group does not fit, its events are deleted before
 * they are programmed, and events that have moved for them move back.
 *
 * Context: irqs off, on the event's CPU. start(), stop() and read() are also called in
 * NMI by the overflow handler.
 */
#include <linux/smp.h>
#include "../counters/count.h"
#include "../counters/counters.h"
#include "../counters/extra.h"
#include "../counters/late.h"
#include "../counters/siblings.h"
#include "../counters/side.h"
#include "../features/topdown.h"
#include "../features/tsx.h"
#include "event.h"
#include "probe.h"
#include "rdpmc.h"
#include "schedule.h"

/* AMD64_EVENTSEL_HOSTONLY takes effect only while SVM is enabled. */
static u64 x86_sched_select_value(const struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	u64 config = event->hw.config;

	if (cpu->core->host_guest && !cpu->host_only_bit)
		config &= ~AMD64_EVENTSEL_HOSTONLY;
	return config;
}

static void x86_sched_set_masks(struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	u64 bit = BIT_ULL(event->hw.idx);

	cpu->guest_only &= ~bit;
	cpu->host_only &= ~bit;
	cpu->pairs &= ~bit;
	if (event->hw.flags & X86_EVENT_GUEST_ONLY)
		cpu->guest_only |= bit;
	if (event->hw.flags & X86_EVENT_HOST_ONLY)
		cpu->host_only |= bit;
	if (event->hw.flags & X86_EVENT_PAIR)
		cpu->pairs |= bit;
}

/**
 * x86_sched_start_on() - start an event on its counter
 * @cpu: this CPU's PMU
 * @event: the event; programmed and stopped
 *
 * The counter is always reloaded.
 */
void x86_sched_start_on(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (unlikely(hwc->flags & X86_EVENT_LENT)) {
		hwc->state = 0;
		return;
	}
	x86_sched_set_masks(cpu, event);
	if (hwc->flags & X86_EVENT_TOPDOWN)
		x86_topdown_begin(cpu, event);
	else
		x86_count_arm(cpu, event);
	hwc->state = 0;
	if (hwc->extra_reg.reg)
		x86_hw_write(hwc->extra_reg.reg, hwc->extra_reg.config);
	if (x86_side_uses(event))
		x86_side_start(cpu, event);
	/* Before the counter is enabled: its NMI updates the page as well. */
	perf_event_update_userpage(event);
	x86_counter_connect(cpu, hwc->idx, x86_sched_select_value(cpu, event));
}

static void x86_sched_start(struct perf_event *event, int flags)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct hw_perf_event *hwc = &event->hw;

	if (!(hwc->state & PERF_HES_STOPPED))
		return;
	/* pmu_enable() starts an event that is not programmed yet. */
	hwc->state &= ~PERF_HES_ARCH;
	if (hwc->idx >= 0)
		x86_sched_start_on(cpu, event);
}

/**
 * x86_sched_stop() - stop an event, which keeps its counter
 * @event: the event
 *
 * The count is always updated. A pending NMI may stop the event as well, because its sample is the
 * last one that the event may have.
 *
 * Return: true if the event went on until then.
 */
bool x86_sched_stop(struct perf_event *event)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	bool has_status = cpu->core->regs->global_ctrl;
	struct hw_perf_event *hwc = &event->hw;
	bool went_on;

	if (hwc->state & PERF_HES_STOPPED)
		return false;
	if (hwc->flags & X86_EVENT_TOPDOWN) {
		x86_topdown_end(cpu, event);
	} else if (!(hwc->flags & X86_EVENT_LENT)) {
		if (!has_status)
			x86_late_stopping(cpu, hwc->idx);
		x86_counter_disconnect(cpu, hwc->idx);
		if (x86_side_uses(event))
			x86_side_stop(cpu, event);
		x86_count_update(event);
		x86_count_stopped(event);
		if (!has_status)
			x86_late_stopped(cpu, hwc->idx, x86_count_wrapped(event));
	}
	went_on = !(hwc->state & PERF_HES_STOPPED);
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	return went_on;
}

/*
 * Stop the events of some counters. Returns the mask of the counters whose events went on until
 * they were stopped. The PMU is disabled.
 */
static u64 x86_sched_stop_all(struct x86_cpu_pmu *cpu, u64 counters)
{
	u64 todo, went_on = 0;

	x86_side_drain(cpu);
	for (todo = cpu->active & counters; todo; todo &= todo - 1) {
		if (x86_sched_stop(cpu->owner[__ffs64(todo)]))
			went_on |= todo & -todo;
	}
	return went_on;
}

static void x86_sched_stop_event(struct perf_event *event, int flags)
{
	/* pmu_enable() leaves an event stopped that is not programmed yet. */
	if (event->hw.idx < 0)
		event->hw.state |= PERF_HES_ARCH;
	else
		x86_sched_stop(event);
}

/* Returns what x86_sched_stop() has returned. */
static bool x86_sched_unprogram(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	unsigned int idx = event->hw.idx;
	bool went_on = x86_sched_stop(event);

	cpu->owned &= ~BIT_ULL(idx);
	cpu->owner[idx] = NULL;
	cpu->pairs &= ~BIT_ULL(idx);
	event->hw.idx = -1;
	return went_on;
}

/**
 * x86_sched_starting() - prepare for a CPU that comes online
 * @cpu: the PMU of the CPU
 *
 * Context: irqs off.
 */
void x86_sched_starting(struct x86_cpu_pmu *cpu)
{
	cpu->moved = false;
}

/**
 * x86_sched_unprogram_all() - stop all events and release their counters
 * @cpu: this CPU's PMU, disabled; it will not be enabled any more
 *
 * The events keep their assignment, which del() releases.
 *
 * Context: irqs off.
 */
void x86_sched_unprogram_all(struct x86_cpu_pmu *cpu)
{
	u64 todo;

	for (todo = cpu->owned; todo; todo &= todo - 1)
		x86_sched_unprogram(cpu, cpu->owner[__ffs64(todo)]);
}

/*
 * Prepare the PMU for new events on counters. The general purpose counters lose their values,
 * so events that count on them are stopped and started again.
 */
static void x86_sched_clear_counters(struct x86_cpu_pmu *cpu)
{
	u64 todo = x86_sched_stop_all(cpu, X86_PMC_GENERIC_MASK);

	x86_counters_clear(cpu);
	for (; todo; todo &= todo - 1)
		x86_sched_start_on(cpu, cpu->owner[__ffs64(todo)]);
}

/*
 * Program an event that stays stopped. Its counter gets the event now if the hardware was
 * cleared for that. Otherwise x86_sched_start_on() writes it.
 */
static void x86_sched_program_stopped(struct x86_cpu_pmu *cpu, const struct perf_event *event)
{
	if (cpu->core->clear_first && !(event->hw.flags & X86_EVENT_LENT))
		x86_counter_select(cpu, event->hw.idx, x86_sched_select_value(cpu, event));
}

/* Events that move release their counters before any event is programmed. */
static void x86_sched_program_moved(struct x86_cpu_pmu *cpu)
{
	struct perf_event *event;
	unsigned int idx;
	u64 todo;

	if (cpu->aborting && READ_ONCE(cpu->core->denied))
		x86_tsx_reassign(cpu);
	for (todo = cpu->owned; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		event = cpu->owner[idx];
		if (cpu->assign.user[idx] == event)
			continue;
		x86_side_drain(cpu);
		if (!x86_sched_unprogram(cpu, event))
			event->hw.state |= PERF_HES_ARCH;
	}
	if (cpu->core->force_abort)
		x86_tsx_apply(cpu);

	todo = cpu->assign.taken & ~(cpu->owned | cpu->assign.second);
	if (cpu->core->clear_first && todo & X86_PMC_GENERIC_MASK)
		x86_sched_clear_counters(cpu);
	for (; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		event = cpu->assign.user[idx];
		cpu->owner[idx] = event;
		cpu->owned |= BIT_ULL(idx);
		event->hw.idx = idx;
		event->hw.last_cpu = smp_processor_id();
		if (!(event->hw.state & PERF_HES_ARCH))
			x86_sched_start_on(cpu, event);
		else
			x86_sched_program_stopped(cpu, event);
	}
	cpu->moved = false;
}

static bool x86_sched_assign_counter(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (likely(!cpu->core->leaks && !cpu->core->shared))
		return x86_core_assign(&cpu->assign, event);
	/* May fail because of events on other CPUs; a later attempt may succeed. */
	return x86_sibling_assign(cpu, event);
}

/* Stop events of which the event select has changed. pmu_enable() programs them. */
static void x86_sched_reprogram(struct x86_cpu_pmu *cpu, u64 assigned)
{
	for (; assigned; assigned &= assigned - 1) {
		struct perf_event *event = cpu->assign.user[__ffs64(assigned)];

		if (event->hw.idx < 0)
			continue;
		x86_side_drain(cpu);
		if (!x86_sched_unprogram(cpu, event))
			event->hw.state |= PERF_HES_ARCH;
	}
	cpu->moved = true;
}

/* Let an event use the registers beside its counter. */
static bool x86_sched_get_others(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	bool got;
	u64 moved;

	got = x86_extra_get(cpu, event, &moved);
	if (unlikely(moved))
		x86_sched_reprogram(cpu, moved);
	if (!got)
		return false;
	if (!x86_side_uses(event) || x86_side_add(cpu, event))
		return true;
	x86_extra_put(event);
	return false;
}

static void x86_sched_put_others(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (x86_side_uses(event))
		x86_side_del(cpu, event);
	x86_extra_put(event);
}

static int x86_sched_add(struct perf_event *event, int flags)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	struct hw_perf_event *hwc = &event->hw;

	if (!cpu->core || !x86_sched_get_others(cpu, event))
		return -EAGAIN;
	if (!x86_sched_assign_counter(cpu, event)) {
		x86_sched_put_others(cpu, event);
		return -EAGAIN;
	}

	hwc->idx = -1;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (!(flags & PERF_EF_START))
		hwc->state |= PERF_HES_ARCH;
	cpu->moved = true;
	return 0;
}

static bool x86_sched_move_back(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	int counter = x86_assign_find(&cpu->assign, event);

	if (counter < 0)
		return false;
	if (likely(!cpu->core->leaks && !cpu->core->shared))
		return x86_assign_move(&cpu->assign, counter, event->hw.idx);
	return x86_sibling_move(cpu, counter, event->hw.idx);
}

/*
 * Events that are programmed get their counters back, if these are free again. So a group that does
 * not fit moves no other event.
 */
static void x86_sched_move_all_back(struct x86_cpu_pmu *cpu)
{
	bool moved = true;
	u64 todo;

	while (moved) {
		moved = false;
		for (todo = cpu->owned & ~cpu->assign.taken; todo; todo &= todo - 1) {
			if (x86_sched_move_back(cpu, cpu->owner[__ffs64(todo)]))
				moved = true;
		}
	}
}

static void x86_sched_del(struct perf_event *event, int flags)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	int counter = x86_assign_find(&cpu->assign, event);
	bool programmed = event->hw.idx >= 0;

	if (programmed)
		x86_sched_unprogram(cpu, event);
	if (!WARN_ON_ONCE(counter < 0))
		x86_assign_release(&cpu->assign, counter);
	if (cpu->core && (cpu->core->leaks || cpu->core->shared))
		x86_sibling_left(cpu, event);
	/* the event may have been added in vain, and others may have moved for it */
	if (!programmed && cpu->moved)
		x86_sched_move_all_back(cpu);
	if (cpu->aborting)
		cpu->moved = true;
	x86_sched_put_others(cpu, event);
	event->hw.state &= ~PERF_HES_ARCH;
	perf_event_update_userpage(event);
}

static void x86_sched_read(struct perf_event *event)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (event->hw.idx < 0 || event->hw.state & PERF_HES_STOPPED ||
	    event->hw.flags & X86_EVENT_LENT)
		return;
	if (x86_side_uses(event))
		x86_side_read(cpu, event);
	if (event->hw.flags & X86_EVENT_TOPDOWN)
		x86_topdown_collect(cpu);
	else
		x86_count_update(event);
}

static void x86_sched_pmu_disable(struct pmu *pmu)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core == x86_core_of(pmu))
		x86_cpu_off(cpu);
}

static void x86_sched_pmu_enable(struct pmu *pmu)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);

	if (cpu->core != x86_core_of(pmu))
		return;
	if (cpu->moved)
		x86_sched_program_moved(cpu);
	x86_cpu_on(cpu);
}

/**
 * x86_sched_pause() - disable the PMU and stop all events
 * @cpu: this CPU's PMU
 *
 * Must be paired with x86_sched_continue().
 *
 * Context: irqs off until x86_sched_continue().
 * Return: mask of the counters that were stopped.
 */
u64 x86_sched_pause(struct x86_cpu_pmu *cpu)
{
	perf_pmu_disable(&cpu->core->pmu);
	return x86_sched_stop_all(cpu, U64_MAX);
}

/**
 * x86_sched_continue() - write all registers and start events again
 * @cpu: this CPU's PMU
 * @paused: return value of x86_sched_pause()
 *
 * The registers may have any content before.
 *
 * Context: irqs off since x86_sched_pause().
 */
void x86_sched_continue(struct x86_cpu_pmu *cpu, u64 paused)
{
	u64 todo;

	x86_cpu_quiet(cpu);
	if (cpu->core->force_abort)
		x86_tsx_apply(cpu);
	if (cpu->core->clear_first)
		x86_counters_clear(cpu);
	for (todo = cpu->owned & ~paused; todo; todo &= todo - 1)
		x86_sched_program_stopped(cpu, cpu->owner[__ffs64(todo)]);
	for (todo = paused; todo; todo &= todo - 1)
		x86_sched_start_on(cpu, cpu->owner[__ffs64(todo)]);
	perf_pmu_enable(&cpu->core->pmu);
}

/* pmu::filter: skip CPUs with another kind of core. */
static bool x86_sched_filter(struct pmu *pmu, int cpu)
{
	return per_cpu(x86_cpu_pmu, cpu).core != x86_core_of(pmu);
}

/* Operations of all core PMUs. */
const struct pmu x86_sched_pmu = {
	.task_ctx_nr	= perf_hw_context,
	.event_init	= x86_core_event_init,
	.add		= x86_sched_add,
	.del		= x86_sched_del,
	.start		= x86_sched_start,
	.stop		= x86_sched_stop_event,
	.read		= x86_sched_read,
	.pmu_enable	= x86_sched_pmu_enable,
	.pmu_disable	= x86_sched_pmu_disable,
	.filter		= x86_sched_filter,
	.sched_task	= x86_side_sched_task,
	.check_period	= x86_side_check_period,
	.event_idx	= x86_rdpmc_event_idx,
	.event_mapped	= x86_rdpmc_mapped,
	.event_unmapped	= x86_rdpmc_unmapped,
};
