// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock: events that count time.
 *
 * Both count the clock of their sub-context, or the running time of their leader. So a clock
 * event costs nothing until it is read: both are unscheduled events. A sampling clock is in a
 * queue until its period ends, see clock_queue.h. This file handles the end of the period.
 *
 * Context: software.c calls under ctx->lock, the timer of the queues calls in hardirq.
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

/*
 * Take a sample, unless the event excludes the interrupted mode or task. The count is not
 * updated: another CPU may be reading it, see perf_clock_event_peek().
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
 * How long a clock is throttled, ns: the length of a tick less the periods that the sample
 * rate allows per tick.
 */
static u64 perf_clock_event_throttled(const struct perf_event *event)
{
	u64 had = perf_sample_rate_per_tick() *
		  min_t(u64, TICK_NSEC, perf_clock_event_period(event));

	return max_t(s64, PERF_CLOCK_MIN_PERIOD, TICK_NSEC - (s64)had);
}

/**
 * perf_clock_event_tick() - handle the end of a sampling clock's period
 * @event: the event
 *
 * The scheduler tick does not unthrottle unscheduled events. A throttled clock is called here
 * again when its throttling ends. It takes no sample then and begins a whole period.
 *
 * Context: hardirq on the event's CPU.
 * Return: length of the next period, ns.
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
	if (hwc->interrupts == MAX_INTERRUPTS)
		left = perf_clock_event_throttled(event);
	else if (left <= 0)
		left = perf_clock_event_period(event);
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
		hwc->last_period = hwc->sample_period;
		event->attr.freq = 0;
	}
}
