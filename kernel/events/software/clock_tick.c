// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a period of a sampling clock: a sample, throttling, the next period.
 *
 * Context: hardirq, on the event's CPU, from the timer of clock_queue.c.
 */
#include <linux/jiffies.h>

#include <asm/irq_regs.h>

#include "../base/contexts.h"
#include "../overflow/overflow.h"
#include "../overflow/sample_rate.h"
#include "clock_tick.h"
#include "software.h"

#define PERF_CLOCK_MIN_PERIOD	(10 * NSEC_PER_USEC)

/*
 * Take a sample, unless the event excludes the interrupted mode or task. The count is not
 * updated: another CPU may be reading it, see perf_clock_event_peek().
 */
static void perf_clock_sample(struct perf_event *event)
{
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data __uninitialized;

	if (!regs || (event->attr.exclude_idle && is_idle_task(current)) ||
	    perf_swevent_excluded(event, regs))
		return;
	perf_sample_data_init(&data, 0, event->hw.sample_period);
	perf_event_overflow(event, &data, regs);
}

/**
 * perf_clock_period() - length of the periods of a sampling clock
 * @event: the event
 *
 * Return: ns.
 */
u64 perf_clock_period(const struct perf_event *event)
{
	return max_t(u64, PERF_CLOCK_MIN_PERIOD, event->hw.sample_period);
}

/**
 * perf_clock_throttled() - how long a sampling clock is throttled
 * @event: the event
 *
 * Return: the length of a tick less the periods that the sample rate allows per tick, ns.
 */
u64 perf_clock_throttled(const struct perf_event *event)
{
	u64 had = perf_sample_rate_per_tick() *
		  min_t(u64, TICK_NSEC, perf_clock_period(event));

	return max_t(s64, PERF_CLOCK_MIN_PERIOD, TICK_NSEC - (s64)had);
}

/**
 * perf_clock_tick() - handle the end of a sampling clock's period
 * @event: the event
 *
 * The scheduler tick does not unthrottle unscheduled events. A throttled clock is called here
 * again when its throttling ends. It takes no sample then and begins a whole period.
 *
 * Context: hardirq, on the event's CPU.
 * Return: length of the next period, ns.
 */
u64 perf_clock_tick(struct perf_event *event)
{
	if (perf_event_is_throttled(event)) {
		perf_event_end_throttle(event, true);
	} else if (!event->pending_disable) {
		perf_clock_sample(event);
		if (perf_event_is_throttled(event))
			return perf_clock_throttled(event);
	}
	return perf_clock_period(event);
}
