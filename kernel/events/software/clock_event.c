// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock: events that count time.
 *
 * Both count what their set's clock counts, or their leader's running time, so one costs
 * nothing until it is read: both are not scheduled. One that samples is in a queue until its
 * period ends, see clock_queue.h; this file says what happens then.
 *
 * Called from software.c under ctx->lock, and from the timer of the queues in hardirq.
 */
#include <linux/jiffies.h>

#include <asm/irq_regs.h>

#include "../base/contexts.h"
#include "../base/times.h"
#include "../sideband/sideband.h"
#include "../overflow/overflow.h"
#include "../overflow/sample_rate.h"
#include "clock_queue.h"
#include "software.h"

#define PERF_CLOCK_MIN_PERIOD	(10 * NSEC_PER_USEC)

static u64 perf_clock_event_now(struct perf_event *event)
{
	return perf_event_running_clock(event, perf_ctx_now(event->ctx));
}

/**
 * perf_clock_event_read() - bring the count up to date
 * @event: ACTIVE; on its CPU, or off with ctx->lock held
 *
 * Readers elsewhere must not: see perf_clock_event_peek().
 */
void perf_clock_event_read(struct perf_event *event)
{
	u64 now = perf_clock_event_now(event);
	u64 prev = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - prev, &event->count);
}

/*
 * A sample, if the event wants one of what was interrupted. The count is left alone: it
 * may be looked at from another CPU, see perf_clock_event_peek().
 */
static void perf_clock_event_sample(struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data __uninitialized;

	if (!regs || (event->attr.exclude_idle && is_idle_task(current)) ||
	    perf_swevent_excluded(event, regs))
		return;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	perf_event_overflow(event, &data, regs);
}

/* ns per period */
static u64 perf_clock_event_period(const struct perf_event *event)
{
	return max_t(u64, PERF_CLOCK_MIN_PERIOD, event->hw.sample_period);
}

/*
 * How long a clock is throttled, ns: for the rest of a tick's time, of which it has had as
 * many periods as it may.
 */
static u64 perf_clock_event_throttled(const struct perf_event *event)
{
	u64 had = perf_sample_rate_per_tick() *
		  min_t(u64, TICK_NSEC, perf_clock_event_period(event));

	return max_t(s64, PERF_CLOCK_MIN_PERIOD, TICK_NSEC - (s64)had);
}

/**
 * perf_clock_event_tick() - the period of a sampling clock has ended
 * @event: the event
 *
 * No tick looks at unscheduled events. So one that is throttled comes back here when that is
 * over, takes no sample, and goes on with a whole period.
 *
 * Context: hardirq on the event's CPU.
 * Return: after how many ns the next period ends.
 */
u64 perf_clock_event_tick(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->interrupts == MAX_INTERRUPTS) {
		hwc->interrupts = 0;
		perf_sideband_throttle(event, false);
	} else if (!event->pending_disable) {
		perf_clock_event_sample(event);
		if (hwc->interrupts == MAX_INTERRUPTS)
			return perf_clock_event_throttled(event);
	}
	return perf_clock_event_period(event);
}

/**
 * perf_clock_event_start() - let a sampling clock tick
 * @event: the event, stopped; nothing happens to one that counts only
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

	/* what was left when it stopped, or a whole period */
	if (hwc->interrupts == MAX_INTERRUPTS)
		left = perf_clock_event_throttled(event);
	else if (left <= 0)
		left = perf_clock_event_period(event);
	local64_set(&hwc->period_left, 0);
	perf_clock_queue_add(event, left);
}

/**
 * perf_clock_event_stop() - let a sampling clock tick no more
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

	/* a tick that is due, but for irqs being off, comes when it starts again */
	left = max_t(s64, 1, perf_clock_queue_del(event));
	/* what was left of being throttled is no period */
	local64_set(&hwc->period_left, hwc->interrupts == MAX_INTERRUPTS ? 0 : left);
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
 * perf_clock_event_init() - event_init() for the two clocks; task context
 * @event: the event
 */
void perf_clock_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	event->event_caps |= PERF_EV_CAP_NOSCHED;
	if (!is_sampling_event(event))
		return;

	local64_set(&hwc->period_left, 0);
	/* A clock's frequency is a period: nothing to adjust later. */
	if (event->attr.freq) {
		event->attr.sample_period = max(1ULL, div64_u64(NSEC_PER_SEC,
								event->attr.sample_freq));
		hwc->sample_period = event->attr.sample_period;
		hwc->last_period = hwc->sample_period;
		event->attr.freq = 0;
	}
}
