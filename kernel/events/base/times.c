// SPDX-License-Identifier: GPL-2.0
/*
 * The times of an event.
 *
 * Context: Caller must hold ctx->lock or run on the event's CPU.
 */
#include "clock.h"
#include "contexts.h"
#include "event.h"
#include "times.h"

/**
 * perf_follower_times() - read the times of an event that follows its leader
 * @event: the event
 * @now: perf_ctx_now()
 * @times: result
 *
 * Context: Caller must hold ctx->lock or run on the event's CPU.
 */
void perf_follower_times(const struct perf_event *event, u64 now,
			 struct perf_event_times *times)
{
	struct perf_event_times clocks;

	times->enabled = READ_ONCE(event->total_time_enabled);
	times->running = READ_ONCE(event->total_time_running);
	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_event_own_times(event->group_leader, now, &clocks);
	times->enabled = perf_time_running(clocks.enabled,
					   READ_ONCE(event->stamp_enabled),
					   times->enabled);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		times->running = perf_time_running(clocks.running,
						   READ_ONCE(event->stamp_running),
						   times->running);
}

/**
 * perf_event_times() - read an event's times, without child events
 * @event: the event
 * @now: perf_ctx_now()
 * @times: result
 *
 * Context: Caller must hold ctx->lock or run on the event's CPU.
 */
void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times)
{
	__perf_event_times(event, now, times);
}

/**
 * perf_event_stamp_times() - make an event's times continue from its totals
 * @event: the event
 * @now: perf_ctx_now()
 */
void perf_event_stamp_times(struct perf_event *event, u64 now)
{
	const struct perf_clock *enabled, *running = &event->subctx->clock;
	struct perf_event_times clocks;

	if (unlikely(perf_event_follows(event))) {
		/* the clocks of a follower are the times of its leader */
		perf_event_own_times(event->group_leader, now, &clocks);
	} else {
		enabled = perf_event_enabled_clock(event);
		clocks.running = perf_clock_read(running, now);
		clocks.enabled = likely(enabled == running) ? clocks.running :
							      perf_clock_read(enabled, now);
	}
	WRITE_ONCE(event->stamp_enabled, clocks.enabled - event->total_time_enabled);
	WRITE_ONCE(event->stamp_running, clocks.running - event->total_time_running);
}

/**
 * perf_event_update_times() - bring an event's totals and stamps up to date
 * @event: the event
 * @now: perf_ctx_now()
 *
 * Must be called before the event's state, leader or sub-context changes, if its times may
 * run before or after the change.
 */
void perf_event_update_times(struct perf_event *event, u64 now)
{
	perf_event_update_totals(event, now);
	perf_event_stamp_times(event, now);
}

/**
 * perf_event_running_start() - make time_running continue from its total
 * @event: event that is INACTIVE, and is about to become ACTIVE
 * @now: perf_ctx_now()
 *
 * Used instead of perf_event_update_times() for an event that becomes ACTIVE: time_enabled
 * is unaffected and keeps running.
 */
void perf_event_running_start(struct perf_event *event, u64 now)
{
	WRITE_ONCE(event->stamp_running, perf_event_running_clock(event, now) -
					 event->total_time_running);
}

/**
 * perf_event_running_stop() - bring the total of time_running up to date
 * @event: event that is ACTIVE, and is about to become INACTIVE
 * @now: perf_ctx_now()
 */
void perf_event_running_stop(struct perf_event *event, u64 now)
{
	u64 clock = perf_event_running_clock(event, now);

	WRITE_ONCE(event->total_time_running,
		   perf_time_running(clock, event->stamp_running,
				     event->total_time_running));
}
