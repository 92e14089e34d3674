// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and periods of an event on a counter.
 *
 * A counter interrupts when it runs over, so it starts at minus the events that
 * are left of the period, or at minus the longest stretch that it can take; a
 * longer period is made of several stretches. Events that do not sample have a
 * period as well, the longest one: the interrupt saves them from wrapping around.
 *
 * Values are kept as signed numbers: negative until the counter has run over.
 * User space that reads the counter by itself does it alike.
 *
 * Owns hw.last_tag, hw.prev_count, hw.period_left and event->count. On the event's CPU, irqs
 * off or in NMI; an NMI may come in between any two steps, see x86_count_update().
 */
#include <linux/bitops.h>
#include "core_pmu.h"

static unsigned int value_bits(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	return event->hw.idx >= INTEL_PMC_IDX_FIXED ? core->fixed_width : core->width;
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

/*
 * The value that was read last, in the low bits, and above them a number that
 * changes with each stretch: a counter begins them all at the same value, and an
 * NMI that has come and begun a new one must not go unnoticed.
 */
#define VALUE_MASK	GENMASK_ULL(X86_COUNT_BITS - 1, 0)

static s64 last_value(const struct perf_event *event)
{
	return sign_extend64(READ_ONCE(event->hw.last_tag), value_bits(event) - 1);
}

/**
 * x86_count_update() - bring event->count up to date
 * @event: on a counter
 */
void x86_count_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 before = READ_ONCE(hwc->last_tag);
	u64 now = x86_hw_rdpmc(x86_perf_rdpmc_index(event)) & VALUE_MASK;
	u64 delta;

	/*
	 * If this fails an NMI has come in and counted everything up to its own
	 * time, and has maybe given the counter a new value.
	 */
	if (cmpxchg64_local(&hwc->last_tag, before, (before & ~VALUE_MASK) | now) != before)
		return;

	delta = (now - before) & GENMASK_ULL(value_bits(event) - 1, 0);
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
	/* for the control page */
	local64_set(&hwc->prev_count, last_value(event));
}

/**
 * x86_count_wrapped() - has the counter run over since it was armed?
 * @event: on a counter, updated
 *
 * Return: true if its interrupt is due, or was.
 */
bool x86_count_wrapped(struct perf_event *event)
{
	return last_value(event) >= 0;
}

/* Events until the period ends; begins the next one where nothing is left. */
static s64 events_left(struct hw_perf_event *hwc)
{
	s64 left = local64_read(&hwc->period_left);

	if (left > 0)
		return left;

	left += hwc->sample_period;
	if (left <= 0)
		left = hwc->sample_period;
	local64_set(&hwc->period_left, left);
	hwc->last_period = hwc->sample_period;
	return left;
}

/**
 * x86_count_stopped() - a counter stands: has it run over without an interrupt?
 * @event: on a counter, updated, not counting any more
 *
 * The interrupt is on its way then, but will not find the event. The sample is
 * taken when the event counts again.
 */
void x86_count_stopped(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (is_sampling_event(event) && x86_count_wrapped(event) &&
	    local64_read(&hwc->period_left) <= 0)
		hwc->flags |= X86_EVENT_SAMPLE_OWED;
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
	s64 left = 1;

	if (!(hwc->flags & X86_EVENT_SAMPLE_OWED))
		left = events_left(hwc);
	hwc->flags &= ~X86_EVENT_SAMPLE_OWED;

	left = clamp_t(u64, left, cpu->core->period_min, cpu->core->period_max);
	WRITE_ONCE(hwc->last_tag, (((hwc->last_tag | VALUE_MASK) + 1) & ~VALUE_MASK) |
				  (-left & VALUE_MASK));
	local64_set(&hwc->prev_count, -left);
	x86_counter_set(cpu, hwc->idx, -left);
}
