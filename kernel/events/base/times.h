/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The times of an event: time_enabled and time_running.
 *
 * A time is kept twice: as a total, and as how far the sub-context's clock is ahead of
 * it. While the time runs the second counts, while it stands the first, and a
 * single store, of a state, decides which. Folding makes one out of the other
 * before the state changes, or only the total where that is what counts then; it
 * never changes the one that counts. So an NMI that reads the event sees the right
 * time between any two stores.
 */
#ifndef _KERNEL_EVENTS_TIMES_H
#define _KERNEL_EVENTS_TIMES_H

#include "clock.h"
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
 * A time that runs. The clock may have been read against the time of another
 * CPU, a little behind: never less than the total.
 */
static inline u64 perf_time_running(u64 clock, u64 stamp, u64 total)
{
	u64 time = clock - stamp;

	return (s64)(time - total) > 0 ? time : total;
}

/* The running time of a leader, which its followers' are taken from. */
static inline u64 perf_leader_running(const struct perf_event *leader, u64 now)
{
	u64 total = READ_ONCE(leader->total_time_running);

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return total;
	return perf_time_running(perf_clock_read(&leader->subctx->clock, now),
				 READ_ONCE(leader->stamp_running), total);
}

/**
 * perf_event_running_clock() - what the running time of an event is taken from
 * @event: the event; under ctx->lock, or on its CPU
 * @now: perf_ctx_now()
 *
 * Return: ns, of which only differences have a meaning.
 */
static inline u64 perf_event_running_clock(const struct perf_event *event, u64 now)
{
	if (unlikely(perf_event_follows(event)))
		return perf_leader_running(event->group_leader, now);
	return perf_clock_read(&event->subctx->clock, now);
}

void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times);
void perf_event_stamp_times(struct perf_event *event, u64 now);
void perf_event_update_totals(struct perf_event *event, u64 now);
void perf_event_update_times(struct perf_event *event, u64 now);
void perf_event_running_start(struct perf_event *event, u64 now);
void perf_event_running_stop(struct perf_event *event, u64 now);

/**
 * perf_clock_event_peek() - what the count would be if it were brought up to date
 * @event: with perf_event_has_counter(); under ctx->lock, or on its CPU in any context
 * @clock: its perf_event_running_clock()
 *
 * Nothing is changed, so that readers on two CPUs, or one in an NMI, do not meet.
 *
 * Return: the count.
 */
static inline u64 perf_clock_event_peek(const struct perf_event *event, u64 clock)
{
	s64 since = clock - local64_read(&event->hw.prev_count);

	/* another CPU's time may be a little behind */
	return local64_read(&event->count) + max(since, 0LL);
}

#endif /* _KERNEL_EVENTS_TIMES_H */
