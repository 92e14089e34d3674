// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock: events that count time.
 *
 * Both count the clock of their sub-context, or the running time of their leader. So a clock
 * event costs nothing until it is read: both are unscheduled events. A sampling clock is in a
 * queue until its period ends, see clock_queue.h; clock_tick.c handles the end of the period.
 *
 * Context: software_pmu.c calls under ctx->lock.
 */
#include "../base/contexts.h"
#include "../base/times.h"
#include "../overflow/overflow.h"
#include "clock_event.h"
#include "clock_queue.h"
#include "clock_tick.h"

static u64 perf_clock_event_now(struct perf_event *event)
{
	return perf_event_running_clock(event, perf_ctx_now(event->ctx));
}

/**
 * perf_clock_event_read() - bring the count up to date
 * @event: the event, ACTIVE
 *
 * Caller must run on the event's CPU, or hold ctx->lock while the context is scheduled out.
 * Other readers use perf_clock_event_peek().
 */
void perf_clock_event_read(struct perf_event *event)
{
	u64 now = perf_clock_event_now(event);
	u64 prev = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - prev, &event->count);
}

/**
 * perf_clock_event_start() - queue a sampling clock
 * @event: the event, stopped; a counting clock is only marked as started
 */
void perf_clock_event_start(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);

	if (!(hwc->state & PERF_HES_STOPPED))
		return;
	hwc->state = 0;
	if (!is_sampling_event(event))
		return;

	/* the rest of the period at the last stop, or a whole period */
	if (perf_event_is_throttled(event))
		left = perf_clock_throttled(event);
	else if (left <= 0)
		left = perf_clock_period(event);
	local64_set(&hwc->period_left, 0);
	perf_clock_queue_add(event, left);
}

/**
 * perf_clock_event_stop() - remove a sampling clock from its queue
 * @event: the event
 */
void perf_clock_event_stop(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	hwc->state = PERF_HES_STOPPED;
	if (!is_sampling_event(event))
		return;

	/* a period that ended with irqs off is handled after the next start */
	left = max_t(s64, 1, perf_clock_queue_del(event));
	/* the rest of the throttled time is not the rest of a period */
	local64_set(&hwc->period_left, perf_event_is_throttled(event) ? 0 : left);
}

/**
 * perf_clock_event_add() - add() of the two clocks
 * @event: the event
 * @flags: PERF_EF_*
 *
 * Return: 0.
 */
int perf_clock_event_add(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, perf_clock_event_now(event));
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		perf_clock_event_start(event);
	return 0;
}

/**
 * perf_clock_event_del() - del() of the two clocks
 * @event: the event
 */
void perf_clock_event_del(struct perf_event *event)
{
	perf_clock_event_stop(event);
	perf_clock_event_read(event);
}

/**
 * perf_clock_event_init() - event_init() of the two clocks
 * @event: the event
 *
 * Context: task.
 */
void perf_clock_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	event->event_caps |= PERF_EV_CAP_NOSCHED;
	if (!is_sampling_event(event))
		return;

	local64_set(&hwc->period_left, 0);
	/* The frequency of a clock is a fixed period: nothing is adjusted later. */
	if (event->attr.freq) {
		event->attr.sample_period = max(1ULL, div64_u64(NSEC_PER_SEC,
								event->attr.sample_freq));
		hwc->sample_period = event->attr.sample_period;
		event->attr.freq = 0;
	}
}
