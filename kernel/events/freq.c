// SPDX-License-Identifier: GPL-2.0
/*
 * Frequency mode: how long the periods are that give the rate of samples asked for.
 *
 * How fast an event counts is measured against the time that it runs; neither
 * waiting for a counter nor being off the CPU makes it slower. It is measured
 * whenever a period ends, and the next one follows. An event that has become slow
 * would not end its period for a long time, so the tick looks for those whose
 * period should have ended twice by now, and shortens it. Events that overflow as
 * often as they should cost a comparison there.
 *
 * Owns hw_perf_event::freq_*, and sample_period of events in frequency mode.
 */
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/tick.h>

#include "event.h"
#include "follow.h"
#include "freq.h"
#include "overflow.h"
#include "pmu.h"
#include "state.h"

/*
 * Events in frequency mode that were opened: they need the tick where it would be off.
 * The mutex serialises the first and the last one.
 */
static DEFINE_MUTEX(perf_freq_mutex);
static atomic_t perf_freq_events;

/**
 * perf_freq_period - the period that gives a rate
 * @counted: by the event
 * @took: the time in which it did, ns; not 0
 * @freq: samples per second
 *
 * Context: any. Return: the period, 1 at least.
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
 * perf_freq_approach - the next period, a quarter of the way to where it should be
 * @period: the last one
 * @ideal: as just measured, over one period only
 *
 * Context: any. Return: the period, 1 at least.
 */
u64 perf_freq_approach(u64 period, u64 ideal)
{
	/* rounded away from the last one, or it would never be reached */
	if (ideal > period)
		return period + DIV_ROUND_UP(ideal - period, 4);
	return max(period - DIV_ROUND_UP(period - ideal, 4), 1ULL);
}

/**
 * perf_freq_is_overdue - two periods should have ended by now
 * @took: since the last one did, ns
 * @freq: samples per second
 */
bool perf_freq_is_overdue(u64 took, u64 freq)
{
	return min(took, PERF_FREQ_MAX_INTERVAL) * freq >= 2 * NSEC_PER_SEC;
}

/* How long the event has run; for comparison with such a time only. */
static u64 perf_freq_time(const struct perf_event *event)
{
	return perf_event_running_clock(event, perf_time()) -
	       READ_ONCE(event->stamp_running);
}

struct perf_freq_measure {
	u64 counted;
	u64 took;
};

/* What happened since the last measurement. False: nothing that a rate follows from. */
static bool perf_freq_measure(struct perf_event *event, u64 now,
			      struct perf_freq_measure *m)
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
 * perf_freq_overflow - a period has ended: the next one
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

/* The event is stopped, its count up to date. Return: what to start it with. */
static int perf_freq_shorten(struct perf_event *event, u64 now)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_freq_measure m;

	if (!perf_freq_measure(event, now, &m))
		return 0;
	hwc->sample_period = perf_freq_period(m.counted, m.took,
					      event->attr.sample_freq);
	/* software events count up to 0, counters down */
	if (abs(local64_read(&hwc->period_left)) > hwc->sample_period)
		local64_set(&hwc->period_left, 0);
	return PERF_EF_RELOAD;
}

static bool perf_freq_has_to_look(const struct perf_event *event, u64 now)
{
	return perf_event_has_counter(event) &&
	       event->hw.interrupts != MAX_INTERRUPTS &&
	       perf_freq_is_overdue(now - event->hw.freq_time_stamp,
				    event->attr.sample_freq);
}

static void perf_freq_look(struct perf_event *event, u64 now)
{
	/* one that follows has nothing on the PMU of its group */
	struct pmu *home = perf_event_follows(event) ? NULL : event->group_leader->group_home;

	if (home)
		perf_pmu_disable(home);
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->pmu->start(event, perf_freq_shorten(event, now));
	if (home)
		perf_pmu_enable(home);
}

/**
 * perf_freq_tick_wanted - whether perf_freq_tick() would find anything
 * @set: on here
 *
 * Context: the tick, irqs off; without locks, the list does not change meanwhile.
 */
bool perf_freq_tick_wanted(const struct perf_event_set *set)
{
	const struct perf_event *event;
	unsigned int nr = 0;

	list_for_each_entry(event, &set->freq_events, freq_entry) {
		/* others wait for their turn */
		if (nr++ == PERF_FREQ_AT_ONCE)
			return true;
		if (perf_freq_has_to_look(event, perf_freq_time(event)))
			return true;
	}
	return false;
}

/**
 * perf_freq_tick - shorten periods that last too long
 * @set: on here; its context is locked, and so is the CPU's
 *
 * Context: the tick, irqs off.
 */
void perf_freq_tick(struct perf_event_set *set)
{
	struct perf_event *event;
	unsigned int nr = 0;
	u64 now;

	list_for_each_entry(event, &set->freq_events, freq_entry) {
		if (nr++ == PERF_FREQ_AT_ONCE) {
			/* begin with this one the next time */
			list_rotate_to_front(&event->freq_entry, &set->freq_events);
			return;
		}
		now = perf_freq_time(event);
		if (perf_freq_has_to_look(event, now))
			perf_freq_look(event, now);
	}
}

static void perf_freq_account(void)
{
	if (atomic_inc_not_zero(&perf_freq_events))
		return;
	guard(mutex)(&perf_freq_mutex);
	if (atomic_inc_return(&perf_freq_events) == 1)
		tick_dep_set(TICK_DEP_BIT_PERF_EVENTS);
}

/**
 * __perf_freq_unaccount - an opened event of frequency mode is being freed; task context
 */
void __perf_freq_unaccount(void)
{
	if (!atomic_dec_and_mutex_lock(&perf_freq_events, &perf_freq_mutex))
		return;
	tick_dep_clear(TICK_DEP_BIT_PERF_EVENTS);
	mutex_unlock(&perf_freq_mutex);
}

/**
 * perf_freq_init_event - find out whether the tick has to look at a new event
 * @event: its PMU has taken it; task context
 *
 * What is inherited is not counted, since it does not outlive its parent.
 */
void perf_freq_init_event(struct perf_event *event)
{
	if (!event->attr.freq || !event->attr.sample_freq ||
	    event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)
		return;
	event->event_caps |= PERF_EV_CAP_TICKED;
	if (!event->parent)
		perf_freq_account();
}
