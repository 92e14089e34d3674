// SPDX-License-Identifier: GPL-2.0
/*
 * Topdown metrics: of the slots in which a core could have issued a micro-operation, the
 * share that retired one, and the shares that were lost for several reasons.
 *
 * Fixed counter 3 counts slots. The register PERF_METRICS has one byte per metric: its
 * share of the counted slots, in 255ths. Whenever an event is read, the two registers
 * are read and set to 0 together, with the PMU disabled (x86_topdown_collect()). So a
 * byte covers few slots, and its rounding error does not grow with time. Metrics are
 * events with indices above the counters' indices. The leader of their group counts slots.
 *
 * Because the counter starts at 0, slots cannot sample. A sampling event of slots is an
 * ordinary event and cannot lead metrics.
 *
 * User space may read both registers with RDPMC, with the operands 1 << 30 | 3 for slots and
 * 1 << 29 for all metrics. It computes the slots of a piece of code from the values before and
 * after it (tools/perf/Documentation/topdown.txt). So while the slots event is mapped, its
 * registers follow it: they are saved when it loses the counter, and restored when it gets the
 * counter again, also on another CPU. Only a read of a count or a reset sets them to 0. The
 * control page of slots has the counter's number. The page of a metric has none, because a
 * register of shares is no count.
 *
 * hw.prev_count is the part of event->count that the registers have counted since they were set
 * to 0. A share is rounded, so the part of a metric may shrink; the count then stays.
 *
 * Context: irqs off or NMI, on the event's CPU.
 *
 * Source: Intel SDM volume 3, section "Performance Metrics"; the event numbers of the
 * metrics are perf's.
 */
#include <linux/perf_refusal.h>
#include "../counters/counters.h"
#include "../counters/event_attr.h"
#include "topdown.h"

#define SLOTS_BIT		BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS)
/* metrics per level, and bits of PERF_METRICS per metric */
#define METRICS_OF_LEVEL	(X86_PMC_METRICS / 2)
#define METRIC_BITS		8
#define METRIC_WHOLE		GENMASK_ULL(METRIC_BITS - 1, 0)

static_assert(X86_PMC_METRICS * METRIC_BITS <= BITS_PER_TYPE(u64));

/* x86_count_init() leaves these two members alone. */
static void x86_topdown_mark(struct hw_perf_event *hwc)
{
	hwc->flags |= X86_EVENT_TOPDOWN;
	hwc->saved_slots = 0;
	hwc->saved_metric = 0;
}

/**
 * x86_topdown_init() - check whether a new event counts slots or a metric
 * @event: the event, with hw.config and hw.config_base
 *
 * Return: 0, -EINVAL for a metric if the leader does not count the same slots.
 */
int x86_topdown_init(struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct perf_event *leader = event->group_leader;
	struct hw_perf_event *hwc = &event->hw;

	if (!core->metrics)
		return 0;
	if (hwc->config_base == SLOTS_BIT && !is_sampling_event(event))
		x86_topdown_mark(hwc);
	if (!(hwc->config_base & X86_PMC_METRICS_MASK))
		return 0;

	if (is_sampling_event(event))
		return perf_refuse(-EINVAL, "sample_period",
				   "a part of the slots does not overflow");
	if (leader == event || leader->pmu != event->pmu ||
	    !(leader->hw.flags & X86_EVENT_TOPDOWN) || leader->hw.config_base != SLOTS_BIT)
		return perf_refuse(-EINVAL, "group_fd",
				   "the leader has to count slots, and not to sample");
	if ((leader->hw.config ^ hwc->config) &
	    (ARCH_PERFMON_EVENTSEL_USR | ARCH_PERFMON_EVENTSEL_OS) ||
	    (leader->hw.flags ^ hwc->flags) & (X86_EVENT_GUEST_ONLY | X86_EVENT_HOST_ONLY))
		return perf_refuse(-EINVAL, "exclude_user",
				   "the leader counts slots of other modes");
	/* the share of one group's slots must not be taken of the slots of another group */
	event->event_caps |= PERF_EV_CAP_SIBLING;
	x86_topdown_mark(hwc);
	return 0;
}

static u64 x86_topdown_read_slots(const struct x86_cpu_pmu *cpu)
{
	return x86_hw_read(x86_counter_msr(cpu->core, INTEL_PMC_IDX_FIXED_SLOTS));
}

static void x86_topdown_write_registers(const struct x86_cpu_pmu *cpu, u64 slots, u64 metrics)
{
	x86_hw_write(x86_counter_msr(cpu->core, INTEL_PMC_IDX_FIXED_SLOTS), slots);
	x86_hw_write(MSR_PERF_METRICS, metrics);
}

static bool x86_topdown_counts_slots(const struct x86_cpu_pmu *cpu)
{
	return cpu->active & SLOTS_BIT &&
	       cpu->owner[INTEL_PMC_IDX_FIXED_SLOTS]->hw.flags & X86_EVENT_TOPDOWN;
}

static u64 x86_topdown_part_of(u64 slots, u64 metrics, unsigned int idx)
{
	u64 share;

	if (idx == INTEL_PMC_IDX_FIXED_SLOTS)
		return slots;
	share = metrics >> (idx - X86_PMC_IDX_METRICS) * METRIC_BITS & METRIC_WHOLE;
	return DIV_ROUND_CLOSEST_ULL(slots * share, METRIC_WHOLE);
}

static void x86_topdown_take_part(struct perf_event *event, u64 part)
{
	u64 before = local64_read(&event->hw.prev_count);

	if (part <= before)
		return;
	local64_add(part - before, &event->count);
	local64_set(&event->hw.prev_count, part);
}

static u64 x86_topdown_active_parts(const struct x86_cpu_pmu *cpu)
{
	return cpu->active & (SLOTS_BIT | X86_PMC_METRICS_MASK);
}

static void x86_topdown_reset(struct x86_cpu_pmu *cpu, struct perf_event *leader)
{
	u64 todo;

	x86_topdown_write_registers(cpu, 0, 0);
	leader->hw.saved_slots = 0;
	leader->hw.saved_metric = 0;
	for (todo = x86_topdown_active_parts(cpu); todo; todo &= todo - 1)
		local64_set(&cpu->owner[__ffs64(todo)]->hw.prev_count, 0);
	perf_event_update_userpage(leader);
}

/*
 * Check for an overflow of slots that no interrupt has handled, and take it. The counter is
 * stopped. Its interrupt may come when the counter has another event.
 */
static bool x86_topdown_take_overflow(struct x86_cpu_pmu *cpu)
{
	u64 status;

	if (cpu->topdown.taken)
		return false;
	cpu->topdown.taken = true;
	barrier();	/* from here on an NMI only acknowledges an overflow, and clears this */
	status = x86_hw_read(cpu->core->regs->global_status);
	barrier();
	if (status & SLOTS_BIT || !cpu->topdown.taken)
		return true;
	cpu->topdown.taken = false;
	return false;
}

static bool x86_topdown_metrics_overflow_is_pending(const struct x86_cpu_pmu *cpu)
{
	return x86_hw_read(cpu->core->regs->global_status) & GLOBAL_STATUS_PERF_METRICS_OVF;
}

/* Returns whether the registers must be set to 0. */
static bool x86_topdown_take_reset(struct x86_cpu_pmu *cpu)
{
	if (!READ_ONCE(cpu->topdown.reset_due))
		return false;
	/* The PMU is disabled. The reset also serves an NMI that comes before this store. */
	WRITE_ONCE(cpu->topdown.reset_due, false);
	return true;
}

/* Without a reset the registers keep their values, as user space expects. */
static void x86_topdown_collect_stopped(struct x86_cpu_pmu *cpu)
{
	struct perf_event *leader = cpu->owner[INTEL_PMC_IDX_FIXED_SLOTS];
	bool keep = !x86_topdown_take_reset(cpu);
	u64 slots = x86_topdown_read_slots(cpu), carry, metrics, todo;

	if (slots == local64_read(&leader->hw.prev_count) && !local64_read(&cpu->topdown.carry) &&
	    (keep || !slots))
		return;
	/* The order matters: after x86_topdown_take_overflow() no NMI adds to the carry. */
	carry = x86_topdown_take_overflow(cpu) ? BIT_ULL(cpu->core->fixed_width) : 0;
	carry += local64_xchg(&cpu->topdown.carry, 0);
	if (keep && x86_topdown_metrics_overflow_is_pending(cpu))
		keep = false;
	metrics = x86_hw_read(MSR_PERF_METRICS);
	for (todo = x86_topdown_active_parts(cpu); todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);

		x86_topdown_take_part(cpu->owner[idx],
				      x86_topdown_part_of(slots + carry, metrics, idx));
	}
	if (!keep || carry) {
		x86_topdown_reset(cpu, leader);
		return;
	}
	leader->hw.saved_slots = slots;
	leader->hw.saved_metric = metrics;
}

/* The PMU is disabled. @keep: the registers keep their values, unless a reset is due. */
static void x86_topdown_collect_disabled(struct x86_cpu_pmu *cpu, bool keep)
{
	if (!x86_topdown_counts_slots(cpu))
		return;
	if (!keep)
		WRITE_ONCE(cpu->topdown.reset_due, true);
	/* This is an NMI. The collection that it has interrupted resets the registers. */
	if (cpu->topdown.collecting)
		return;
	do {
		cpu->topdown.collecting = true;
		barrier();

		x86_topdown_collect_stopped(cpu);

		barrier();
		cpu->topdown.collecting = false;
		barrier();
	} while (READ_ONCE(cpu->topdown.reset_due));
}

static void x86_topdown_collect_parts(struct x86_cpu_pmu *cpu, bool keep)
{
	bool on = cpu->on;

	if (!x86_topdown_counts_slots(cpu))
		return;
	x86_cpu_off(cpu);
	x86_topdown_collect_disabled(cpu, keep);
	if (on)
		x86_cpu_on(cpu);
}

/* Update the counts, and set the registers to 0 unless user space may read them. */
static void x86_topdown_collect_in_passing(struct x86_cpu_pmu *cpu)
{
	const struct perf_event *leader = cpu->owner[INTEL_PMC_IDX_FIXED_SLOTS];

	if (x86_topdown_counts_slots(cpu))
		x86_topdown_collect_parts(cpu, leader->hw.flags & X86_EVENT_KEEPS_SLOTS);
}

/**
 * x86_topdown_collect() - update the counts of slots and metrics, and reset the registers
 * @cpu: this CPU's PMU
 *
 * An NMI may interrupt. It then does not collect, and reads the counts from before or after. The
 * registers are reset once more after it.
 */
void x86_topdown_collect(struct x86_cpu_pmu *cpu)
{
	x86_topdown_collect_parts(cpu, false);
}

/**
 * x86_topdown_interrupt() - update the counts of slots and metrics, and reset the registers
 * @cpu: this CPU's PMU, disabled
 *
 * Context: NMI.
 */
void x86_topdown_interrupt(struct x86_cpu_pmu *cpu)
{
	x86_topdown_collect_disabled(cpu, false);
}

/* Slots until now do not belong to a metric that was not there. */
static void x86_topdown_begin_metric(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 slots;

	x86_topdown_collect_in_passing(cpu);
	slots = x86_topdown_read_slots(cpu);
	if (slots && slots == hwc->saved_slots)
		return;
	local64_set(&hwc->prev_count,
		    x86_topdown_part_of(slots, x86_hw_read(MSR_PERF_METRICS), hwc->idx));
}

/**
 * x86_topdown_begin() - prepare slots or a metric for being connected
 * @cpu: this CPU's PMU
 * @event: the event, with its counter. Slots begin before their metrics.
 */
void x86_topdown_begin(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->idx != INTEL_PMC_IDX_FIXED_SLOTS) {
		x86_topdown_begin_metric(cpu, event);
		return;
	}
	/* An overflow until now is of the event that had the counter before. */
	x86_topdown_take_overflow(cpu);
	local64_set(&cpu->topdown.carry, 0);
	local64_set(&hwc->prev_count, hwc->saved_slots);
	x86_topdown_write_registers(cpu, hwc->saved_slots, hwc->saved_metric);
}

/**
 * x86_topdown_end() - stop slots or a metric
 * @cpu: this CPU's PMU
 * @event: the event, connected
 */
void x86_topdown_end(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	bool on = cpu->on;

	x86_cpu_off(cpu);
	x86_topdown_collect_in_passing(cpu);
	if (event->hw.idx != INTEL_PMC_IDX_FIXED_SLOTS)
		event->hw.saved_slots = x86_topdown_read_slots(cpu);
	x86_counter_disconnect(cpu, event->hw.idx);
	if (on)
		x86_cpu_on(cpu);
}

/**
 * x86_topdown_mapped() - keep the registers of an event that user space may read
 * @event: the event; its control page was mapped
 *
 * Context: task.
 */
void x86_topdown_mapped(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->flags & X86_EVENT_TOPDOWN && hwc->config_base == SLOTS_BIT)
		hwc->flags |= X86_EVENT_KEEPS_SLOTS;
}

/**
 * x86_topdown_overflow() - handle an overflow of the counter of slots
 * @cpu: this CPU's PMU, disabled
 *
 * The counter overflows after hours without a read. No slots are lost. The shares of the
 * metrics since the overflow are used for all slots since the last read. An overflow that was
 * taken before its interrupt is not counted again.
 *
 * Context: NMI.
 */
void x86_topdown_overflow(struct x86_cpu_pmu *cpu)
{
	if (cpu->topdown.taken)
		return;
	local64_add(BIT_ULL(cpu->core->fixed_width), &cpu->topdown.carry);
	x86_topdown_interrupt(cpu);
}

/**
 * x86_topdown_acknowledged() - note that no overflow of the counter of slots is pending
 * @cpu: this CPU's PMU, disabled
 */
void x86_topdown_acknowledged(struct x86_cpu_pmu *cpu)
{
	cpu->topdown.taken = false;
}

static struct attribute *level_1_events[] = {
	X86_PMU_FILE("slots", 0, "event=0x00,umask=0x4"),
	X86_PMU_FILE("topdown-retiring", 0, "event=0x00,umask=0x80"),
	X86_PMU_FILE("topdown-bad-spec", 0, "event=0x00,umask=0x81"),
	X86_PMU_FILE("topdown-fe-bound", 0, "event=0x00,umask=0x82"),
	X86_PMU_FILE("topdown-be-bound", 0, "event=0x00,umask=0x83"),
	NULL,
};

static struct attribute *level_2_events[] = {
	X86_PMU_FILE("topdown-heavy-ops", 0, "event=0x00,umask=0x84"),
	X86_PMU_FILE("topdown-br-mispredict", 0, "event=0x00,umask=0x85"),
	X86_PMU_FILE("topdown-fetch-lat", 0, "event=0x00,umask=0x86"),
	X86_PMU_FILE("topdown-mem-bound", 0, "event=0x00,umask=0x87"),
	NULL,
};

/**
 * x86_topdown_apply() - use the register of metrics
 * @core: the PMU of a CPU that has the register, with its counters
 * @levels: number of levels of this model, with four metrics each; 1 or 2
 *
 * Does nothing if no counter counts slots.
 */
void x86_topdown_apply(struct x86_core_pmu *core, unsigned int levels)
{
	if (!(core->counters & SLOTS_BIT))
		return;
	core->metrics = GENMASK_ULL(METRICS_OF_LEVEL * levels - 1, 0) << X86_PMC_IDX_METRICS;
	core->files.events[X86_EVENTS_OF_TOPDOWN_1] = level_1_events;
	if (levels > 1)
		core->files.events[X86_EVENTS_OF_TOPDOWN_2] = level_2_events;
}

/**
 * x86_topdown_drop() - do without the register of metrics
 * @core: the PMU, not registered yet
 */
void x86_topdown_drop(struct x86_core_pmu *core)
{
	core->metrics = 0;
	core->files.events[X86_EVENTS_OF_TOPDOWN_1] = NULL;
	core->files.events[X86_EVENTS_OF_TOPDOWN_2] = NULL;
}
