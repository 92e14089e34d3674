// SPDX-License-Identifier: GPL-2.0
/*
 * Adding and deleting several events at once, for context switches.
 *
 * Enables, interrupt enables and overflow flags are bits of one register each. A batch
 * writes each of these registers once for all its events. The arm_pmu framework keeps
 * periods and totals. Only the arithmetic for counters that are halted and resumed is
 * repeated here. Batches and single events can be mixed.
 *
 * Context: irqs off, on the CPU concerned, with all counters of the CPU halted.
 * An NMI may interrupt at any point. It finds each event stopped or complete.
 */
#include <linux/perf_event.h>

#include <asm/arm_pmuv3.h>
#include <kvm/arm_pmu.h>

#include "pmuv3.h"

#define PMUV3_FIXED_COUNTERS	(BIT_ULL(ARMV8_PMU_CYCLE_IDX) | \
				 BIT_ULL(ARMV8_PMU_INSTR_IDX))

/* Is a fixed counter free, and can it count the event? */
static bool pmuv3_fixed_is_free(const struct arm_pmu *pmu, const struct pmu_hw_events *cpuc,
				const struct perf_event *event)
{
	u64 open = pmu->cntr_mask[0] & ~cpuc->used_mask[0] & PMUV3_FIXED_COUNTERS;
	int fixed = open ? pmuv3_fixed_counter(event) : -1;

	return fixed >= 0 && open & BIT_ULL(fixed);
}

/*
 * Assign the counter that the event had in its last batch, if it is free. That saves the
 * search, and the index in the control page stays the same.
 */
static int pmuv3_take_idx(struct perf_event *event, const struct arm_pmu *pmu,
			  struct pmu_hw_events *cpuc)
{
	int idx = (int)event->hw.last_tag - 1;
	u64 bit = BIT_ULL(idx & 63);

	if (unlikely(idx < 0) || cpuc->used_mask[0] & bit || pmuv3_needs_pair(event))
		return pmuv3_get_event_idx(cpuc, event);
	/* Prefer its fixed counter, if that has become free. */
	if (!(bit & PMUV3_FIXED_COUNTERS) && pmuv3_fixed_is_free(pmu, cpuc, event))
		return pmuv3_get_event_idx(cpuc, event);
	cpuc->used_mask[0] |= bit;
	return idx;
}

/* Assign counters to all events, or to none. */
static int pmuv3_take_all(struct pmu_hw_events *cpuc, const struct arm_pmu *pmu,
			  struct perf_event **events, unsigned int nr)
{
	u64 used = cpuc->used_mask[0];
	unsigned int i;
	int idx;

	for (i = 0; i < nr; i++) {
		idx = pmuv3_take_idx(events[i], pmu, cpuc);
		if (unlikely(idx < 0))
			break;
		events[i]->hw.idx = idx;
	}
	if (likely(i == nr))
		return 0;
	while (i--)
		events[i]->hw.idx = -1;
	cpuc->used_mask[0] = used;
	return -EAGAIN;
}

static u64 pmuv3_max_period(const struct perf_event *event)
{
	return event->hw.flags & ARMPMU_EVT_64BIT ? U64_MAX : U32_MAX;
}

/*
 * Write the counter so that it overflows at the end of the period. The framework handles
 * periods that have ended, and those longer than half of the counter's range.
 */
static void pmuv3_resume_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	u64 max = pmuv3_max_period(event);

	if (unlikely(left <= 0 || left > max >> 1)) {
		armpmu_event_set_period(event);
		if (event->hw.flags & PMUV3_EVENT_SAMPLE_PENDING)
			pmuv3_take_pending(event);
		return;
	}
	local64_set(&hwc->prev_count, -left);
	pmuv3_write_counter(event, -left & max);
}

/*
 * armpmu_event_update() for a counter that is stopped, with its interrupt disabled:
 * no NMI updates the event at the same time, so this needs no cmpxchg.
 */
static void pmuv3_take_count(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 now = pmuv3_read_counter(event);
	u64 delta = (now - local64_read(&hwc->prev_count)) & pmuv3_max_period(event);

	local64_set(&hwc->prev_count, now);
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/**
 * pmuv3_add_batch() - add and start events, see pmu::add_batch
 * @pmu: the PMU of the events
 * @events: events without counters
 * @nr: number of events
 *
 * Each event continues its period.
 *
 * Return: 0; -EAGAIN without any change if there are not enough counters.
 */
int pmuv3_add_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr)
{
	struct arm_pmu *arm = to_arm_pmu(pmu);
	struct pmu_hw_events *cpuc = this_cpu_ptr(arm->hw_events);
	u64 counting = 0, interrupting = 0;
	unsigned int i;

	if (pmuv3_take_all(cpuc, arm, events, nr))
		return -EAGAIN;

	for (i = 0; i < nr; i++) {
		struct perf_event *event = events[i];
		u64 mask = pmuv3_event_mask(event);

		cpuc->events[event->hw.idx] = event;
		event->hw.state = 0;
		pmuv3_resume_period(event);
		pmuv3_write_type(event);
		kvm_set_pmu_events(mask, &event->attr);
		if (!kvm_pmu_counter_deferred(&event->attr))
			counting |= mask;
		interrupting |= BIT_ULL(event->hw.idx);
	}
	pmuv3_enable_counters(counting, interrupting);
	return 0;
}

static void pmuv3_forget(struct pmu_hw_events *cpuc, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!(hwc->state & PERF_HES_STOPPED)) {
		pmuv3_take_count(event);
		pmuv3_note_stopped(event);
	}
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	hwc->last_tag = hwc->idx + 1;
	cpuc->events[hwc->idx] = NULL;
	hwc->idx = -1;
}

/**
 * pmuv3_del_batch() - delete events, see pmu::del_batch
 * @pmu: the PMU of the events
 * @events: events with counters, stopped or not
 * @nr: number of events
 */
void pmuv3_del_batch(struct pmu *pmu, struct perf_event **events, unsigned int nr)
{
	struct pmu_hw_events *cpuc = this_cpu_ptr(to_arm_pmu(pmu)->hw_events);
	bool scrub = pmuv3_user_may_read();
	unsigned int i, idx;
	u64 held = 0, todo;

	for (i = 0; i < nr; i++)
		held |= pmuv3_event_mask(events[i]);
	pmuv3_disable_counters(held);
	for (i = 0; i < nr; i++)
		pmuv3_forget(cpuc, events[i]);
	cpuc->used_mask[0] &= ~held;

	/* As in pmuv3_clear_event_idx(). */
	for (todo = scrub ? held : 0; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		pmuv3_clear_counter(idx);
	}
}
