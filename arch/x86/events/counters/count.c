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
 * Some events have limited periods, because of errata. The counter is then programmed with
 * the next longer period that is possible. What it counts too much belongs to the next
 * period, so the mean period is the one that was set. If the counter cannot be programmed
 * with a period that short, one sample stands for several periods, and reports their sum.
 *
 * Samples of an event with X86_EVENT_TRACED come from a trace of branches. Its counter has the
 * longest period, as if the event did not sample.
 *
 * With x86_branches::early, the counter of an event with records of branches overflows before the
 * end of the period. An interrupt of another source in between starts the counter with what is
 * left.
 *
 * Owns hw.last_tag, hw.prev_count, hw.period_left and event->count.
 *
 * Context: irqs off or NMI, on the event's CPU. An NMI may interrupt at any point, see
 * x86_count_update().
 */
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/math64.h>
#include "core_pmu.h"
#include "count.h"
#include "counters.h"

static unsigned int x86_count_value_bits(const struct perf_event *event)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);

	return event->hw.idx >= INTEL_PMC_IDX_FIXED ? core->fixed_width : core->width;
}

/**
 * x86_count_rule() - find the limits of an event's periods
 * @core: the PMU
 * @config: event select value
 *
 * Return: the limits, NULL if there are none.
 */
const struct x86_period_rule *x86_count_rule(const struct x86_core_pmu *core, u64 config)
{
	const struct x86_period_rule *rule;

	for (rule = core->periods; rule && rule->min; rule++) {
		if ((config & rule->cmask) == rule->code)
			return rule;
	}
	return NULL;
}

/**
 * x86_count_init() - set the period of an event that does not sample
 * @event: a new event. Slots and metrics have no period, see topdown.c.
 */
void x86_count_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (is_sampling_event(event) || hwc->flags & X86_EVENT_TOPDOWN)
		return;
	hwc->sample_period = x86_core_of(event->pmu)->period_max;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

/*
 * hw.last_tag: the low bits are the value of the last read. The bits above are a number
 * that changes whenever the counter is armed, so that x86_count_update() detects an NMI
 * that has armed the counter with the same start value again.
 */
#define VALUE_MASK	GENMASK_ULL(X86_COUNT_BITS - 1, 0)

static s64 x86_count_last_value(const struct perf_event *event)
{
	return sign_extend64(READ_ONCE(event->hw.last_tag), x86_count_value_bits(event) - 1);
}

/*
 * The control page needs the value. An NMI may arm the counter meanwhile, and set it as well.
 * Return: the tag that belongs to the value.
 */
static u64 x86_count_set_prev_count(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 tag;

	do {
		tag = READ_ONCE(hwc->last_tag);
		local64_set(&hwc->prev_count, sign_extend64(tag, x86_count_value_bits(event) - 1));
	} while (unlikely(READ_ONCE(hwc->last_tag) != tag));
	return tag;
}

/* Events since the counter was @before. Negative: hardware has reloaded it by more than @more. */
static s64 x86_count_difference(const struct perf_event *event, u64 before, u64 now, u64 more)
{
	unsigned int bits = x86_count_value_bits(event);
	u64 difference = (now - before + more) & GENMASK_ULL(bits - 1, 0);

	if (likely(!(event->hw.flags & X86_EVENT_PRECISE)))
		return difference;
	return sign_extend64(difference, bits - 1);
}

/*
 * Count what the counter shows, and @more. Returns false if an NMI has updated the count.
 *
 * A count never decreases. Where a record was written that was not counted yet, the update that
 * counts the record counts what the counter shows as well.
 */
static bool x86_count_add_events(struct perf_event *event, u64 more)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 before = READ_ONCE(hwc->last_tag);
	u64 now = x86_hw_rdpmc(x86_counter_rdpmc(event->hw.idx)) & VALUE_MASK;
	s64 delta = x86_count_difference(event, before, now, more);
	u64 tag = (before & ~VALUE_MASK) | now;

	if (unlikely(delta < 0))
		return READ_ONCE(hwc->last_tag) == before;
	/* If this fails, an NMI has updated the count, and may have armed the counter. */
	if (cmpxchg64_local(&hwc->last_tag, before, tag) != before)
		return false;

	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
	/* An NMI since the cmpxchg may have written to the page without @delta. */
	if (unlikely(x86_count_set_prev_count(event) != tag))
		perf_event_update_userpage(event);
	return true;
}

/**
 * x86_count_update() - update event->count from the counter
 * @event: the event; it has a counter
 */
void x86_count_update(struct perf_event *event)
{
	x86_count_add_events(event, 0);
}

/**
 * x86_count_shows_overflow() - check whether a counter is past its overflow now
 * @event: a precise event; it has a counter
 *
 * Return: true if the counter has overflowed, and was not reloaded.
 */
bool x86_count_shows_overflow(const struct perf_event *event)
{
	u64 now = x86_hw_rdpmc(x86_counter_rdpmc(event->hw.idx));

	return sign_extend64(now, x86_count_value_bits(event) - 1) >= 0;
}

/**
 * x86_count_update_reloaded() - update event->count of a counter that hardware has reloaded
 * @event: a precise event; it has a counter, and its PMU is disabled
 * @reloads: number of reloads since the last update
 * @period: the period that a reload starts
 *
 * Each reload sets the counter back by @period. The periods that have ended are over
 * afterwards: hw.period_left is what is left of the current one.
 *
 * An NMI may update the count meanwhile, as far as that is possible without the reloads. Both
 * together are exact.
 */
void x86_count_update_reloaded(struct perf_event *event, u64 reloads, u64 period)
{
	while (!x86_count_add_events(event, reloads * period))
		;
	local64_add(reloads * period, &event->hw.period_left);
}

/**
 * x86_count_wrapped() - check whether the counter has overflowed since it was armed
 * @event: the event, after x86_count_update()
 *
 * Return: true if its interrupt is pending, or was raised.
 */
bool x86_count_wrapped(struct perf_event *event)
{
	return x86_count_last_value(event) >= 0;
}

/* Number of events beyond the period, without further complete periods. */
static u64 x86_count_events_beyond(const struct hw_perf_event *hwc)
{
	u64 beyond = -local64_read(&hwc->period_left);

	if (hwc->flags & X86_EVENT_LIMITED && beyond >= hwc->last_period)
		div64_u64_rem(beyond, hwc->last_period, &beyond);
	return beyond;
}

/**
 * x86_count_period() - get the number of events for which a sample stands
 * @event: the event, after x86_count_update(); nothing is left of its period
 *
 * Return: the period, or a multiple of it if periods are limited.
 */
u64 x86_count_period(const struct perf_event *event)
{
	const struct hw_perf_event *hwc = &event->hw;

	return hwc->last_period - local64_read(&hwc->period_left) - x86_count_events_beyond(hwc);
}

/* Get the number of events left of the period. Starts the next period if none are. */
static s64 x86_count_events_left(struct hw_perf_event *hwc)
{
	s64 left = local64_read(&hwc->period_left);

	if (left > 0)
		return left;

	left = hwc->sample_period - x86_count_events_beyond(hwc);
	if (left <= 0)
		left = hwc->sample_period;
	local64_set(&hwc->period_left, left);
	hwc->last_period = hwc->sample_period;
	return left;
}

/**
 * x86_count_stopped() - check a stopped event for a period that ended without a sample
 * @event: the event, after x86_count_update(); its counter is stopped
 *
 * The interrupt of an overflow that was not handled will ignore the event. There may have been no
 * overflow: with limited periods the counter is programmed with a longer one, and with one event
 * where a sample was pending already. The sample is taken when the event counts again.
 */
void x86_count_stopped(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (is_sampling_event(event) && !(hwc->flags & X86_EVENT_TRACED) &&
	    local64_read(&hwc->period_left) <= 0)
		hwc->flags |= X86_EVENT_SAMPLE_PENDING;
}

/* Get the period with which the counter is programmed. */
static s64 x86_count_possible_period(const struct perf_event *event, s64 left)
{
	const struct x86_core_pmu *core = x86_core_of(event->pmu);
	const struct x86_period_rule *rule;
	u64 longest = core->period_max;

	if (unlikely(event->hw.flags & X86_EVENT_TRACED))
		return longest;
	/* Events between the overflow and the interrupt belong to the period. */
	if (unlikely(event->hw.flags & X86_EVENT_BRANCHES))
		left = max_t(s64, left - core->branches.early, 1);
	if (likely(!(event->hw.flags & X86_EVENT_LIMITED)))
		return min_t(u64, left, longest);
	rule = x86_count_rule(core, event->hw.config);
	left = round_up(max_t(u64, left, rule->min), (u64)rule->unit);
	return min_t(u64, left, round_down(longest, (u64)rule->unit));
}

/**
 * x86_count_reload() - get the period with which hardware reloads a counter
 * @event: a precise event
 *
 * Return: the event's period, or one that the counter can be programmed with.
 */
u64 x86_count_reload(const struct perf_event *event)
{
	return x86_count_possible_period(event, event->hw.sample_period);
}

/**
 * x86_count_renew() - give the current period of a precise event its new length
 * @cpu: this CPU's PMU, disabled
 * @event: the event, after x86_count_update_reloaded(); hw.sample_period has changed
 * @period: the old length
 */
void x86_count_renew(struct x86_cpu_pmu *cpu, struct perf_event *event, u64 period)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left) - period + hwc->sample_period;

	local64_set(&hwc->period_left, max(left, 1LL));
	hwc->last_period = hwc->sample_period;
	x86_count_arm(cpu, event);
}

/**
 * x86_count_arm() - write the start value to the counter
 * @cpu: this CPU's PMU
 * @event: the event, after x86_count_update(); its counter is stopped
 *
 * Starts the next period if nothing is left of the last one. Further complete periods are
 * dropped: the sample has reported them if periods are limited.
 */
void x86_count_arm(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = 1;

	if (!(hwc->flags & X86_EVENT_SAMPLE_PENDING))
		left = x86_count_events_left(hwc);
	hwc->flags &= ~X86_EVENT_SAMPLE_PENDING;

	left = x86_count_possible_period(event, left);
	WRITE_ONCE(hwc->last_tag, (((hwc->last_tag | VALUE_MASK) + 1) & ~VALUE_MASK) |
				  (-left & VALUE_MASK));
	local64_set(&hwc->prev_count, -left);
	x86_counter_set(cpu, hwc->idx, -left);
}
