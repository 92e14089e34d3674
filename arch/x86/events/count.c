// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and periods of an event on a counter.
 *
 * A counter interrupts when it runs over, so it starts at minus the events that
 * are left of the period, or at minus the longest stretch that it can take; a
 * longer period is made of several stretches. Events that do not sample have a
 * period as well, the longest one: the interrupt saves them from wrapping around.
 *
 * Owns hw.prev_count, hw.period_left and event->count. On the event's CPU, irqs
 * off or in NMI; an NMI may come in between any two steps, see x86_count_update().
 */
#include "core_pmu.h"

static u64 value_mask(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	unsigned int width = event->hw.idx >= INTEL_PMC_IDX_FIXED ?
			     core->fixed_width : core->width;

	return GENMASK_ULL(width - 1, 0);
}

/**
 * x86_count_init() - give an event that does not sample its period
 * @event: a new event
 */
void x86_count_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (is_sampling_event(event))
		return;
	hwc->sample_period = x86_core_of(event->pmu)->period_max;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

/**
 * x86_count_update() - bring event->count up to date
 * @event: on a counter
 */
void x86_count_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 before = local64_read(&hwc->prev_count);
	u64 now = x86_hw_rdpmc(x86_perf_rdpmc_index(event)), delta;

	/*
	 * If this fails an NMI has come in and counted everything up to its own
	 * time, and has maybe given the counter a new value.
	 */
	if (local64_cmpxchg(&hwc->prev_count, before, now) != before)
		return;

	delta = (now - before) & value_mask(event);
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/**
 * x86_count_wrapped() - has the counter run over since it was armed?
 * @event: on a counter, updated
 *
 * Return: true if its interrupt is due, or was.
 */
bool x86_count_wrapped(struct perf_event *event)
{
	u64 sign = (value_mask(event) >> 1) + 1;

	return !(local64_read(&event->hw.prev_count) & sign);
}

/**
 * x86_count_arm() - begin a stretch: give the counter its start value
 * @cpu: this CPU's
 * @event: on a counter that does not count now, updated
 *
 * Ends the period that was running if nothing is left of it. An event that has
 * fallen behind by a period or more does not catch up.
 */
void x86_count_arm(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	u64 stretch, start;

	if (left <= 0) {
		left += hwc->sample_period;
		if (left <= 0)
			left = hwc->sample_period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = hwc->sample_period;
	}

	stretch = clamp_t(u64, left, cpu->core->period_min, cpu->core->period_max);
	start = -stretch & value_mask(event);
	local64_set(&hwc->prev_count, start);
	x86_counter_set(cpu, hwc->idx, start);
}
