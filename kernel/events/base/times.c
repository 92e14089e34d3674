// SPDX-License-Identifier: GPL-2.0
/*
 * The times of an event. Under ctx->lock, or on the CPU of the event.
 */
#include "clock.h"
#include "contexts.h"
#include "event.h"
#include "times.h"

/* The clock that an event's time_enabled is taken from. */
static __always_inline const struct perf_clock *
perf_event_enabled_clock(const struct perf_event *event)
{
	const struct perf_subctx *subctx = event->subctx;

	if (unlikely(perf_cgroup_is_foreign(event, subctx)))
		subctx = &subctx->ctx->own;
	return subctx->enabled;
}

/* Of any event but one that follows. */
static __always_inline void
perf_event_own_times(const struct perf_event *event, u64 now,
		     struct perf_event_times *times)
{
	const struct perf_clock *enabled, *running = &event->subctx->clock;
	u64 clock;

	times->enabled = READ_ONCE(event->total_time_enabled);
	times->running = READ_ONCE(event->total_time_running);
	if (!perf_event_should_count(event))
		return;

	enabled = perf_event_enabled_clock(event);
	clock = perf_clock_read(enabled, now);
	times->enabled = perf_time_running(clock, READ_ONCE(event->stamp_enabled),
					   times->enabled);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	/* mostly both are one */
	if (unlikely(enabled != running))
		clock = perf_clock_read(running, now);
	times->running = perf_time_running(clock, READ_ONCE(event->stamp_running),
					   times->running);
}

/*
 * What the times of an event are taken from: the clocks of its sub-context; of one that follows,
 * the times of its leader. Those stand while the leader does not count.
 */
static __always_inline void perf_event_clocks(const struct perf_event *event, u64 now,
					      struct perf_event_times *clocks)
{
	const struct perf_clock *enabled, *running = &event->subctx->clock;

	if (unlikely(perf_event_follows(event))) {
		perf_event_own_times(event->group_leader, now, clocks);
		return;
	}
	enabled = perf_event_enabled_clock(event);
	clocks->running = perf_clock_read(running, now);
	clocks->enabled = likely(enabled == running) ? clocks->running :
						       perf_clock_read(enabled, now);
}

static noinline void perf_follower_times(const struct perf_event *event, u64 now,
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

static __always_inline void
__perf_event_times(const struct perf_event *event, u64 now,
		   struct perf_event_times *times)
{
	if (unlikely(perf_event_follows(event)))
		perf_follower_times(event, now, times);
	else
		perf_event_own_times(event, now, times);
}

/**
 * perf_event_times() - an event's times, without those of children
 * @event: the event; under ctx->lock, or on its CPU
 * @now: perf_ctx_now()
 * @times: result
 */
void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times)
{
	__perf_event_times(event, now, times);
}

/**
 * perf_event_stamp_times() - let an event's times continue from its totals now
 * @event: the event
 * @now: perf_ctx_now()
 */
void perf_event_stamp_times(struct perf_event *event, u64 now)
{
	struct perf_event_times clocks;

	perf_event_clocks(event, now, &clocks);
	WRITE_ONCE(event->stamp_enabled, clocks.enabled - event->total_time_enabled);
	WRITE_ONCE(event->stamp_running, clocks.running - event->total_time_running);
}

/**
 * perf_event_update_totals() - bring an event's totals up to date
 * @event: the event; the times that are on are about to stand
 * @now: perf_ctx_now()
 */
void perf_event_update_totals(struct perf_event *event, u64 now)
{
	struct perf_event_times times;

	__perf_event_times(event, now, &times);
	WRITE_ONCE(event->total_time_enabled, times.enabled);
	WRITE_ONCE(event->total_time_running, times.running);
}

/**
 * perf_event_update_times() - bring an event's totals and stamps up to date
 * @event: the event
 * @now: perf_ctx_now()
 *
 * Before its state, its leader or its sub-context changes, if its times may run then.
 */
void perf_event_update_times(struct perf_event *event, u64 now)
{
	perf_event_update_totals(event, now);
	perf_event_stamp_times(event, now);
}

/**
 * perf_event_running_start() - time_running will go on from its total
 * @event: INACTIVE
 * @now: perf_ctx_now()
 *
 * What perf_event_update_times() does, for who becomes ACTIVE: time_enabled runs on.
 */
void perf_event_running_start(struct perf_event *event, u64 now)
{
	WRITE_ONCE(event->stamp_running, perf_event_running_clock(event, now) -
					 event->total_time_running);
}

/**
 * perf_event_running_stop() - undoes perf_event_running_start()
 * @event: ACTIVE, about to be INACTIVE
 * @now: perf_ctx_now()
 */
void perf_event_running_stop(struct perf_event *event, u64 now)
{
	u64 clock = perf_event_running_clock(event, now);

	WRITE_ONCE(event->total_time_running,
		   perf_time_running(clock, event->stamp_running,
				     event->total_time_running));
}
