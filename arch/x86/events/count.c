// SPDX-License-Identifier: GPL-2.0
/*
 * Counts and periods of an event on a counter.
 *
 * A counter raises an interrupt when it overflows. It starts at the negative number of
 * events that are left of the period, or at the negative of the longest period that can
 * be programmed. A longer period takes several overflows. An event that does not sample
 * has the longest period as well: its interrupt updates the count before the counter
 * wraps around.
 *
 * Values are signed: negative until the counter has overflowed. User space that reads
 * the counter does the same.
 *
 * Owns hw.last_tag, hw.prev_count, hw.period_left and event->count.
 *
 * Context: Interrupts disabled or NMI, on the event's CPU. An NMI may interrupt at any
 * point, see x86_count_update().
 */
#include <linux/bitops.h>
#include "core_pmu.h"

static unsigned int value_bits(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	return event->hw.idx >= INTEL_PMC_IDX_FIXED ? core->fixed_width : core->width;
}

/**
 * x86_count_init() - set the period of an event that does not sample
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
 * hw.last_tag: the low bits are the value of the last read. The bits above are a number
 * that changes whenever the counter is armed, so that x86_count_update() notices an NMI
 * that has armed the counter with the same start value again.
 */
#define VALUE_MASK	GENMASK_ULL(X86_COUNT_BITS - 1, 0)

static s64 last_value(const struct perf_event *event)
{
	return sign_extend64(READ_ONCE(event->hw.last_tag), value_bits(event) - 1);
}

/**
 * x86_count_update() - update event->count from the counter
 * @event: the event; it has a counter
 */
void x86_count_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 before = READ_ONCE(hwc->last_tag);
	u64 now = x86_hw_rdpmc(x86_perf_rdpmc_index(event)) & VALUE_MASK;
	u64 delta;

	/* If this fails, an NMI has updated the count, and may have armed the counter. */
	if (cmpxchg64_local(&hwc->last_tag, before, (before & ~VALUE_MASK) | now) != before)
		return;

	delta = (now - before) & GENMASK_ULL(value_bits(event) - 1, 0);
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
	/* The control page needs the value. */
	local64_set(&hwc->prev_count, last_value(event));
}

/**
 * x86_count_wrapped() - check whether the counter has overflowed since it was armed
 * @event: the event, after x86_count_update()
 *
 * Return: true if its interrupt is pending, or was raised.
 */
bool x86_count_wrapped(struct perf_event *event)
{
	return last_value(event) >= 0;
}

/* Get the number of events left of the period. Starts the next period if none are. */
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
 * x86_count_stopped() - check a stopped counter for an overflow that was not handled
 * @event: the event, after x86_count_update(); its counter is stopped
 *
 * The interrupt of such an overflow will ignore the event. The sample is taken when the
 * event counts again.
 */
void x86_count_stopped(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (is_sampling_event(event) && x86_count_wrapped(event) &&
	    local64_read(&hwc->period_left) <= 0)
		hwc->flags |= X86_EVENT_SAMPLE_PENDING;
}

/**
 * x86_count_arm() - write the start value to the counter
 * @cpu: this CPU's PMU
 * @event: the event, after x86_count_update(); its counter is stopped
 *
 * Starts the next period if nothing is left of the last one. Complete periods that were
 * missed are dropped.
 */
void x86_count_arm(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = 1;

	if (!(hwc->flags & X86_EVENT_SAMPLE_PENDING))
		left = events_left(hwc);
	hwc->flags &= ~X86_EVENT_SAMPLE_PENDING;

	left = clamp_t(u64, left, cpu->core->period_min, cpu->core->period_max);
	WRITE_ONCE(hwc->last_tag, (((hwc->last_tag | VALUE_MASK) + 1) & ~VALUE_MASK) |
				  (-left & VALUE_MASK));
	local64_set(&hwc->prev_count, -left);
	x86_counter_set(cpu, hwc->idx, -left);
}
