// SPDX-License-Identifier: GPL-2.0
/*
 * The tick: unthrottle events, and shorten sampling periods that last too long.
 *
 * Entry point: perf_event_task_tick().
 *
 * Context: hardirq. Events are changed under perf_cpu_lock().
 */
#include <linux/tick.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../overflow/freq.h"
#include "../overflow/overflow.h"
#include "sched.h"
#include "tick.h"

/* The event is stopped, its count up to date. Return: what to start it with. */
static int perf_tick_shorten(struct perf_event *event, u64 now)
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

static bool perf_tick_has_to_look(const struct perf_event *event, u64 now)
{
	return perf_event_has_counter(event) &&
	       !perf_event_is_halted(event) &&
	       perf_freq_is_overdue(now - event->hw.freq_time_stamp,
				    event->attr.sample_freq);
}

static void perf_tick_look(struct perf_event *event, u64 now)
{
	/* one that follows has nothing on the PMU of its group */
	struct pmu *group_pmu = perf_event_follows(event) ? NULL : event->group_leader->group_pmu;

	if (group_pmu)
		perf_pmu_disable(group_pmu);
	event->pmu->stop(event, PERF_EF_UPDATE);
	if (!perf_event_is_halted(event))
		event->pmu->start(event, perf_tick_shorten(event, now));
	if (group_pmu)
		perf_pmu_enable(group_pmu);
}

/**
 * perf_tick_freq_is_due() - whether perf_tick_freq() would find anything
 * @subctx: on here
 *
 * Context: irqs off, in the tick. The list does not change meanwhile, although no lock is held.
 * Return: true if it would.
 */
bool perf_tick_freq_is_due(const struct perf_subctx *subctx)
{
	const struct perf_event *event;
	unsigned int nr = 0;

	list_for_each_entry(event, &subctx->freq_events, freq_entry) {
		/* the remaining events are checked at later ticks */
		if (nr++ == PERF_FREQ_AT_ONCE)
			return true;
		if (perf_tick_has_to_look(event, perf_freq_time(event)))
			return true;
	}
	return false;
}

/**
 * perf_tick_freq() - shorten periods that last too long
 * @subctx: on here; its context is locked, and so is the CPU's
 *
 * Context: irqs off, in the tick.
 */
void perf_tick_freq(struct perf_subctx *subctx)
{
	struct perf_event *event;
	unsigned int nr = 0;
	u64 now;

	list_for_each_entry(event, &subctx->freq_events, freq_entry) {
		if (nr++ == PERF_FREQ_AT_ONCE) {
			/* begin with this one the next time */
			list_rotate_to_front(&event->freq_entry, &subctx->freq_events);
			return;
		}
		now = perf_freq_time(event);
		if (perf_tick_has_to_look(event, now))
			perf_tick_look(event, now);
	}
}

static void perf_event_unthrottle(struct perf_event *event, void *unused)
{
	struct pmu *group_pmu = event->group_leader->group_pmu;

	if (event->state != PERF_EVENT_STATE_ACTIVE || !perf_event_is_throttled(event) ||
	    perf_event_is_nosched(event) || event->oncpu != smp_processor_id())
		return;
	/* its last overflow has come: the throttling ends when the event is added again */
	if (event->pending_disable)
		return;
	perf_event_end_throttle(event, true);
	/* no overflow of the PMU may read the event while it is only partly started */
	if (group_pmu)
		perf_pmu_disable(group_pmu);
	event->pmu->start(event, 0);
	if (group_pmu)
		perf_pmu_enable(group_pmu);
}

/* Unscheduled events need no unthrottling here. */
static void perf_ctx_tick(struct perf_event_context *ctx, bool throttled)
{
	struct perf_subctx *subctx;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		perf_tick_freq(subctx);
		if (throttled)
			perf_sched_for_each_active(subctx, perf_event_unthrottle, NULL);
	}
}

static bool perf_ctx_needs_tick(struct perf_event_context *ctx)
{
	struct perf_subctx *subctx;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		if (perf_tick_freq_is_due(subctx))
			return true;
	}
	return false;
}

static bool perf_cpu_needs_tick(struct perf_cpu_context *cpuctx)
{
	return perf_ctx_needs_tick(&cpuctx->ctx) ||
	       (cpuctx->task_ctx && perf_ctx_needs_tick(cpuctx->task_ctx));
}

/**
 * perf_event_task_tick() - unthrottle events of this CPU, and check those in frequency mode
 *
 * Called by the scheduler's tick.
 *
 * Context: hardirq, no rq lock held.
 */
void perf_event_task_tick(void)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool throttled = __this_cpu_read(perf_throttled);

	lockdep_assert_irqs_disabled();

	__this_cpu_inc(perf_ticks);
	if (likely(!throttled && !perf_cpu_needs_tick(cpuctx)))
		return;

	if (throttled) {
		__this_cpu_write(perf_throttled, false);
		tick_dep_clear_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
	}
	perf_cpu_lock(cpuctx);
	perf_ctx_tick(&cpuctx->ctx, throttled);
	if (cpuctx->task_ctx)
		perf_ctx_tick(cpuctx->task_ctx, throttled);
	perf_cpu_unlock(cpuctx);
}
