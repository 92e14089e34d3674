/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The times of an event: time_enabled and time_running.
 *
 * Each time is kept twice: as a total, and as a stamp, the difference between the sub-context's
 * clock and the total. While the time runs the stamp is valid, while it is stopped the total.
 * A single store, of the event's state, selects which. Before the state changes, an update
 * computes one from the other, or only the total where only the total will be valid. It never
 * changes the value of the valid one. So an NMI that reads the event between any two stores
 * sees the right time.
 *
 * __always_inline: see abi/read.c. An event that is disabled, or a child event at exit, also takes
 * a call less.
 */
#ifndef _KERNEL_EVENTS_TIMES_H
#define _KERNEL_EVENTS_TIMES_H

#include "clock.h"
#include "contexts.h"
#include "event.h"

/**
 * struct perf_event_times - the times of an event
 * @enabled: time_enabled, ns
 * @running: time_running, ns
 */
struct perf_event_times {
	u64 enabled;
	u64 running;
};

/*
 * A time that runs. The clock may have been read against the time of another CPU, which may
 * be slightly behind, so the result is at least the total.
 */
static inline u64 perf_time_running(u64 clock, u64 stamp, u64 total)
{
	u64 time = clock - stamp;

	return (s64)(time - total) > 0 ? time : total;
}

/**
 * perf_event_running_clock() - the clock from which an event's time_running is derived
 * @event: the event
 * @now: perf_ctx_now()
 *
 * The clock of a follower is the time_running of its leader.
 *
 * Context: Caller must hold ctx->lock or run on the event's CPU.
 * Return: ns, of which only differences have a meaning.
 */
static inline u64 perf_event_running_clock(const struct perf_event *event, u64 now)
{
	const struct perf_event *leader = event->group_leader;
	u64 total;

	if (likely(!perf_event_follows(event)))
		return perf_clock_read(&event->subctx->clock, now);
	total = READ_ONCE(leader->total_time_running);
	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return total;
	return perf_time_running(perf_clock_read(&leader->subctx->clock, now),
				 READ_ONCE(leader->stamp_running), total);
}

void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times);
void perf_follower_times(const struct perf_event *event, u64 now,
			 struct perf_event_times *times);
void perf_event_stamp_times(struct perf_event *event, u64 now);
void perf_event_update_times(struct perf_event *event, u64 now);
void perf_event_running_start(struct perf_event *event, u64 now);
void perf_event_running_stop(struct perf_event *event, u64 now);

/* The clock from which an event's time_enabled is derived. */
static inline const struct perf_clock *
perf_event_enabled_clock(const struct perf_event *event)
{
	return perf_event_lone_subctx(event, event->subctx)->enabled;
}

/* The times of an event that does not follow its leader. */
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
	/* in most cases both clocks are the same */
	if (unlikely(enabled != running))
		clock = perf_clock_read(running, now);
	times->running = perf_time_running(clock, READ_ONCE(event->stamp_running),
					   times->running);
}

/* perf_event_times(), inlined. */
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
 * perf_event_update_totals() - bring an event's totals up to date
 * @event: the event; its times are about to stop, so that the stamps are not needed
 * @now: perf_ctx_now()
 *
 * Context: Caller must hold ctx->lock.
 */
static __always_inline void perf_event_update_totals(struct perf_event *event, u64 now)
{
	struct perf_event_times times;

	__perf_event_times(event, now, &times);
	WRITE_ONCE(event->total_time_enabled, times.enabled);
	WRITE_ONCE(event->total_time_running, times.running);
}

/**
 * perf_clock_event_peek() - compute the up-to-date count of a clock event
 * @event: the event; perf_event_has_counter() is true
 * @clock: its perf_event_running_clock()
 *
 * Nothing is stored, so that readers on two CPUs, or one in an NMI, do not conflict.
 *
 * Context: any. Caller must hold ctx->lock or run on the event's CPU.
 * Return: the count.
 */
static inline u64 perf_clock_event_peek(const struct perf_event *event, u64 clock)
{
	s64 since = clock - local64_read(&event->hw.prev_count);

	/* Another CPU's time may be slightly behind. */
	return local64_read(&event->count) + max(since, 0LL);
}

#endif /* _KERNEL_EVENTS_TIMES_H */
