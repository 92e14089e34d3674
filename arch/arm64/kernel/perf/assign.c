// SPDX-License-Identifier: GPL-2.0
/*
 * Counter assignment of PMUv3.
 *
 * Owns the bits of pmu_hw_events::used_mask. Does not access hardware, except to clear
 * released counters: when an event is opened, the framework checks with an empty mask
 * whether its group fits.
 *
 * Context: task for that check; otherwise irqs off, on the CPU concerned.
 */
#include <linux/perf_event.h>

#include "pmuv3.h"

static bool pmuv3_has_threshold(const struct perf_event *event)
{
	return event->hw.config_base & (ARMV8_PMU_EVTYPE_TH | ARMV8_PMU_EVTYPE_TC);
}

static unsigned int pmuv3_event_number(const struct perf_event *event)
{
	return event->hw.config_base & ARMV8_PMU_EVTYPE_EVENT;
}

/**
 * pmuv3_fixed_counter() - get the fixed counter that counts an event
 * @event: the event
 *
 * Fixed counters have no threshold. User space cannot read the counter of instructions.
 * The counter of cycles may be missing from cntr_mask, see pmuv3_set_counters().
 *
 * Return: number of the counter, which the PMU may not have; -1 if there is none.
 */
int pmuv3_fixed_counter(const struct perf_event *event)
{
	if (pmuv3_has_threshold(event))
		return -1;

	switch (pmuv3_event_number(event)) {
	case ARMV8_PMUV3_PERFCTR_CPU_CYCLES:
		return ARMV8_PMU_CYCLE_IDX;
	case ARMV8_PMUV3_PERFCTR_INST_RETIRED:
		return event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT ?
		       -1 : ARMV8_PMU_INSTR_IDX;
	default:
		return -1;
	}
}

static bool pmuv3_take(const struct arm_pmu *pmu, struct pmu_hw_events *cpuc, int idx)
{
	return test_bit(idx, pmu->cntr_mask) && !__test_and_set_bit(idx, cpuc->used_mask);
}

/* Not inlined, so that an event with one counter does not pay for what pairs need. */
static noinline int pmuv3_take_pair(const struct arm_pmu *pmu, struct pmu_hw_events *cpuc,
				    const struct perf_event *event)
{
	int low;

	/* User space can read one counter, but not a pair. */
	if (event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT || !pmuv3_has_pairs(pmu))
		return -EAGAIN;
	for (low = 0; low + 1 < ARMV8_PMU_MAX_GENERAL_COUNTERS; low += 2) {
		/* A counter may be left out, see counting.c. */
		if (!test_bit(low, pmu->cntr_mask) || !test_bit(low + 1, pmu->cntr_mask))
			continue;
		if (test_bit(low, cpuc->used_mask) || test_bit(low + 1, cpuc->used_mask))
			continue;
		__set_bit(low, cpuc->used_mask);
		__set_bit(low + 1, cpuc->used_mask);
		return low + 1;
	}
	return -EAGAIN;
}

static int pmuv3_take_single(const struct arm_pmu *pmu, struct pmu_hw_events *cpuc)
{
	u64 open = pmu->cntr_mask[0] & ~cpuc->used_mask[0] &
		   GENMASK_ULL(ARMV8_PMU_MAX_GENERAL_COUNTERS - 1, 0);

	if (!open)
		return -EAGAIN;
	cpuc->used_mask[0] |= open & -open;
	return __ffs64(open);
}

/**
 * pmuv3_get_event_idx() - assign a counter to an event
 * @cpuc: counters in use; the counter is added
 * @event: the event
 *
 * A fixed counter is preferred, because it counts only this event.
 *
 * Return: number of the counter, of the upper one of a pair; -EAGAIN if none is free.
 */
int pmuv3_get_event_idx(struct pmu_hw_events *cpuc, struct perf_event *event)
{
	const struct arm_pmu *pmu = to_arm_pmu(event->pmu);
	int fixed = pmuv3_fixed_counter(event);

	if (fixed >= 0 && pmuv3_take(pmu, cpuc, fixed))
		return fixed;
	if (unlikely(pmuv3_needs_pair(event)))
		return pmuv3_take_pair(pmu, cpuc, event);
	return pmuv3_take_single(pmu, cpuc);
}

/**
 * pmuv3_clear_event_idx() - release the counter of an event
 * @cpuc: counters in use on this CPU
 * @event: the event, stopped
 *
 * Clears the counter while the current task can read counters.
 */
void pmuv3_clear_event_idx(struct pmu_hw_events *cpuc, struct perf_event *event)
{
	bool scrub = pmuv3_user_may_read();
	int idx = event->hw.idx;

	if (pmuv3_event_is_pair(event)) {
		__clear_bit(idx - 1, cpuc->used_mask);
		if (scrub)
			pmuv3_clear_counter(idx - 1);
	}
	__clear_bit(idx, cpuc->used_mask);
	if (scrub)
		pmuv3_clear_counter(idx);
}
