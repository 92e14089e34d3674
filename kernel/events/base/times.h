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
 * A time that runs. The clock may have been read against the time of another CPU, which may
 * be slightly behind, so the result is at least the total.
 */
static inline u64 perf_time_running(u64 clock, u64 stamp, u64 total)
{
	u64 time = clock - stamp;

	return (s64)(time - total) > 0 ? time : total;
}

/* The time_running of a leader, from which the times of its followers are derived. */
static inline u64 perf_leader_running(const struct perf_event *leader, u64 now)
{
	u64 total = READ_ONCE(leader->total_time_running);

	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return total;
	return perf_time_running(perf_clock_read(&leader->subctx->clock, now),
				 READ_ONCE(leader->stamp_running), total);
}

/**
 * perf_event_running_clock() - the clock from which an event's time_running is derived
 * @event: the event
 * @now: perf_ctx_now()
 *
 * Context: caller must hold ctx->lock or run on the event's CPU.
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
