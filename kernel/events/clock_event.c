// SPDX-License-Identifier: GPL-2.0
/*
 * cpu-clock and task-clock: events that count time.
 *
 * Both count what their set's clock counts, so a counting one costs nothing
 * until it is read: it is resident. One that samples needs an hrtimer on the
 * CPU where its condition holds, and is therefore put on and taken off at the
 * switch like a group that competes for a counter.
 *
 * Called from software.c under ctx->lock; the timer runs in hardirq.
 */
#include <asm/irq_regs.h>

#include "context.h"
#include "software.h"

#define PERF_CLOCK_MIN_PERIOD	(10 * NSEC_PER_USEC)

static u64 perf_clock_event_now(struct perf_event *event)
{
	return perf_event_running_clock(event, perf_ctx_now(event->ctx));
}

/**
 * perf_clock_event_read - bring the count up to date
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

static enum hrtimer_restart perf_clock_event_tick(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct perf_event, hw.hrtimer);
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data;
	u64 period;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return HRTIMER_NORESTART;

	perf_clock_event_read(event);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (regs && !(event->attr.exclude_idle && is_idle_task(current)) &&
	    !(event->attr.exclude_user && user_mode(regs)) &&
	    !(event->attr.exclude_kernel && !user_mode(regs)) &&
	    perf_event_overflow(event, &data, regs))
		return HRTIMER_NORESTART;

	period = max_t(u64, PERF_CLOCK_MIN_PERIOD, event->hw.sample_period);
	hrtimer_forward_now(timer, ns_to_ktime(period));
	return HRTIMER_RESTART;
}

/**
 * perf_clock_event_start - let a sampling clock tick
 * @event: the event; on its CPU, irqs off
 */
void perf_clock_event_start(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left;

	if (!is_sampling_event(event))
		return;

	/* what was left when it stopped, or a whole period */
	left = local64_read(&hwc->period_left);
	if (left <= 0)
		left = hwc->sample_period;
	local64_set(&hwc->period_left, 0);
	hrtimer_start(&hwc->hrtimer,
		      ns_to_ktime(max_t(u64, PERF_CLOCK_MIN_PERIOD, left)),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_clock_event_stop - let a sampling clock tick no more
 * @event: the event; on its CPU, irqs off or in its own tick
 */
void perf_clock_event_stop(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = 0;

	if (!is_sampling_event(event))
		return;
	/* a tick that is due, but for irqs being off, comes when it starts again */
	if (hrtimer_is_queued(&hwc->hrtimer))
		left = max_t(s64, 1, ktime_to_ns(hrtimer_get_remaining(&hwc->hrtimer)));
	local64_set(&hwc->period_left, left);
	/* In its own tick the callback sees the state or what overflow said. */
	hrtimer_try_to_cancel(&hwc->hrtimer);
}

int perf_clock_event_add(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, perf_clock_event_now(event));
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START) {
		event->hw.state = 0;
		perf_clock_event_start(event);
	}
	return 0;
}

void perf_clock_event_del(struct perf_event *event)
{
	perf_clock_event_stop(event);
	perf_clock_event_read(event);
}

static void perf_clock_event_destroy(struct perf_event *event)
{
	hrtimer_cancel(&event->hw.hrtimer);
}

/**
 * perf_clock_event_init - event_init() for the two clocks; task context
 * @event: the event
 */
void perf_clock_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!is_sampling_event(event)) {
		event->event_caps |= PERF_EV_CAP_RESIDENT;
		return;
	}

	hrtimer_init(&hwc->hrtimer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hwc->hrtimer.function = perf_clock_event_tick;
	event->destroy = perf_clock_event_destroy;
	local64_set(&hwc->period_left, 0);

	/* A clock's frequency is a period: nothing to adjust later. */
	if (event->attr.freq) {
		event->attr.sample_period = max(div64_u64(NSEC_PER_SEC,
							   event->attr.sample_freq), 1ULL);
		hwc->sample_period = event->attr.sample_period;
		hwc->last_period = hwc->sample_period;
		event->attr.freq = 0;
	}
}
