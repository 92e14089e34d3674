// SPDX-License-Identifier: GPL-2.0
/*
 * Frequency mode: selection of the period that gives the requested sampling rate.
 *
 * The speed of an event is measured against its running time. Waiting for a counter or being
 * off the CPU therefore does not make it slower. It is measured at the end of each period, and
 * the next period follows from it. An event that has slowed down would not end its period for
 * a long time. The tick therefore looks for events whose period should have ended twice by
 * now, and shortens their period. An event that overflows as often as it should costs one
 * comparison in the tick.
 *
 * This file owns hw_perf_event::freq_*, and sample_period of events in frequency mode.
 */
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/tick.h>

#include "../base/event.h"
#include "freq.h"

/*
 * Number of opened events in frequency mode. They need the tick on CPUs that would stop it.
 * The mutex serialises the addition of the first one with the removal of the last one.
 */
static DEFINE_MUTEX(perf_freq_mutex);
static atomic_t perf_freq_events;

/**
 * perf_freq_period() - compute the period that gives a rate
 * @counted: increase of the event's count
 * @took: running time in which the event counted that, ns; not 0
 * @freq: samples per second
 *
 * Context: any.
 * Return: the period, at least 1.
 */
u64 perf_freq_period(u64 counted, u64 took, u64 freq)
{
	const u64 simple = S64_MAX / NSEC_PER_SEC;

	freq *= min(took, PERF_FREQ_MAX_INTERVAL);
	if (likely(counted <= simple))
		return max(div64_u64(counted * NSEC_PER_SEC, freq), 1ULL);
	/* the result must fit, or the division traps */
	if (div64_u64(counted, freq) >= simple)
		return S64_MAX;
	return mul_u64_u64_div_u64(counted, NSEC_PER_SEC, freq);
}

/**
 * perf_freq_approach() - compute the next period, a quarter of the way to the ideal one
 * @period: the last period
 * @ideal: the ideal period, measured over one period only
 *
 * Context: any.
 * Return: the period, at least 1.
 */
u64 perf_freq_approach(u64 period, u64 ideal)
{
	/* rounded away from the last period, or the ideal one would never be reached */
	if (ideal > period)
		return period + DIV_ROUND_UP(ideal - period, 4);
	return max(period - DIV_ROUND_UP(period - ideal, 4), 1ULL);
}

/**
 * perf_freq_is_overdue() - check whether two periods should have ended by now
 * @took: running time since the last period ended, ns
 * @freq: samples per second
 *
 * Return: true if they should have.
 */
bool perf_freq_is_overdue(u64 took, u64 freq)
{
	return min(took, PERF_FREQ_MAX_INTERVAL) * freq >= 2 * NSEC_PER_SEC;
}

/**
 * perf_freq_measure() - measure how fast an event has counted since the last measurement
 * @event: in frequency mode, its count up to date
 * @now: perf_freq_time()
 * @m: result
 *
 * Context: irqs off or NMI, on the event's CPU.
 * Return: false when no rate can be computed from the result.
 */
bool perf_freq_measure(struct perf_event *event, u64 now, struct perf_freq_measure *m)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 count = local64_read(&event->count);

	m->counted = count - hwc->freq_count_stamp;
	m->took = now - hwc->freq_time_stamp;
	hwc->freq_count_stamp = count;
	hwc->freq_time_stamp = now;
	/* the count may have been reset */
	return (s64)m->counted > 0 && (s64)m->took > 0;
}

/**
 * perf_freq_overflow() - set the next period when a period has ended
 * @event: in frequency mode, its count up to date
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_freq_overflow(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_freq_measure m;
	u64 ideal;

	if (!perf_freq_measure(event, perf_freq_time(event), &m))
		return;
	ideal = perf_freq_period(m.counted, m.took, event->attr.sample_freq);
	hwc->sample_period = perf_freq_approach(hwc->sample_period, ideal);
}

/**
 * __perf_freq_unaccount() - account for an opened event in frequency mode that is being freed
 *
 * Context: task.
 */
void __perf_freq_unaccount(void)
{
	if (!atomic_dec_and_mutex_lock(&perf_freq_events, &perf_freq_mutex))
		return;
	tick_dep_clear(TICK_DEP_BIT_PERF_EVENTS);
	mutex_unlock(&perf_freq_mutex);
}

/**
 * perf_freq_init_event() - determine whether the tick has to check a new event
 * @event: initialised by its PMU
 *
 * Child events are not counted, since they do not outlive their parent.
 *
 * Context: task.
 */
void perf_freq_init_event(struct perf_event *event)
{
	if (!event->attr.freq || !event->attr.sample_freq ||
	    event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)
		return;
	event->event_caps |= PERF_EV_CAP_TICKED;
	if (event->parent || atomic_inc_not_zero(&perf_freq_events))
		return;
	guard(mutex)(&perf_freq_mutex);
	if (atomic_inc_return(&perf_freq_events) == 1)
		tick_dep_set(TICK_DEP_BIT_PERF_EVENTS);
}
