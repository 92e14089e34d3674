// SPDX-License-Identifier: GPL-2.0
/*
 * Many events at once: what a context switch asks of PMUv3.
 *
 * Enables, interrupt enables and overflow flags are bits of one register each, so
 * that what one event needs of them can be had for all of them at the price of one.
 * Periods and totals are the arm_pmu framework's; of its arithmetic only that is
 * here which a counter that is simply halted and resumed needs. Batches and single
 * events can be mixed at will.
 *
 * On the CPU concerned, irqs off, with all of the CPU's counters halted. An NMI may
 * come at any time and finds each event either stopped or complete.
 */
#include <linux/perf_event.h>

#include <asm/arm_pmuv3.h>
#include <kvm/arm_pmu.h>

#include "pmuv3.h"

#define PMUV3_FIXED_COUNTERS	(BIT_ULL(ARMV8_PMU_CYCLE_IDX) | \
				 BIT_ULL(ARMV8_PMU_INSTR_IDX))

/* Counters that count but one event, and that nobody has. */
static u64 pmuv3_free_fixed(const struct arm_pmu *pmu, const struct pmu_hw_events *cpuc)
{
	return pmu->cntr_mask[0] & ~cpuc->used_mask[0] & PMUV3_FIXED_COUNTERS;
}

/*
 * The counter that an event had in its last batch is good for it again, if nobody
 * has it. Then nothing is looked for, and programs that read it see no other number.
 */
static int pmuv3_take_idx(struct perf_event *event, const struct arm_pmu *pmu,
			  struct pmu_hw_events *cpuc)
{
	int idx = (int)event->hw.last_tag - 1;
	u64 bit = BIT_ULL(idx & 63);

	if (unlikely(idx < 0) || cpuc->used_mask[0] & bit || pmuv3_needs_pair(event))
		return pmuv3_get_event_idx(cpuc, event);
	/* has one come free that only it can use? */
	if (!(bit & PMUV3_FIXED_COUNTERS) && pmuv3_free_fixed(pmu, cpuc) &&
	    pmuv3_fixed_counter(event) >= 0)
		return pmuv3_get_event_idx(cpuc, event);
	cpuc->used_mask[0] |= bit;
	return idx;
}

/* All events get a counter, or none does. */
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
 * The counter overflows when the period is over. What the framework does beyond that
 * is for periods that have ended, or are longer than half the counter's range.
 */
static void pmuv3_resume_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	u64 max = pmuv3_max_period(event);

	if (unlikely(left <= 0 || left > max >> 1)) {
		armpmu_event_set_period(event);
		return;
	}
	local64_set(&hwc->prev_count, -left);
	pmuv3_write_counter(event, -left & max);
}

/*
 * armpmu_event_update() for a counter that stands still and does not interrupt, so
 * that nobody else does the same now.
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
 * pmuv3_add_batch() - events count, each with what is left of its period
 * @pmu: their PMU
 * @events: events without counters
 * @nr: how many
 *
 * Return: 0, or -EAGAIN when there are not enough counters; then nothing is changed.
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

	if (!(hwc->state & PERF_HES_STOPPED))
		pmuv3_take_count(event);
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	hwc->last_tag = hwc->idx + 1;
	cpuc->events[hwc->idx] = NULL;
	hwc->idx = -1;
}

/**
 * pmuv3_del_batch() - events give their counters back
 * @pmu: their PMU
 * @events: events with counters, stopped or not
 * @nr: how many
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

	/* as pmuv3_clear_event_idx() does */
	for (todo = scrub ? held : 0; todo; todo &= todo - 1) {
		idx = __ffs64(todo);
		pmuv3_clear_counter(idx);
	}
}
