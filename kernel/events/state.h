/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event states and times: enable, disable, and what the clocks say.
 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/perf_event.h>

#include "follow.h"
#include "set.h"

struct perf_event_times {
	u64 enabled;
	u64 running;
};

void perf_sibling_go(struct perf_event *event, u64 now);
void perf_sibling_halt(struct perf_event *event, u64 now);
bool perf_event_is_wanted(const struct perf_event *event);
void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times);

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
	return perf_time_running(perf_clock_read(&leader->set->clock, now),
				 READ_ONCE(leader->stamp_running), total);
}

/**
 * perf_event_running_clock - what the running time of an event is taken from
 * @event: the event; under ctx->lock, or on its CPU
 * @now: perf_ctx_now()
 *
 * Return: ns, of which only differences have a meaning.
 */
static inline u64 perf_event_running_clock(const struct perf_event *event, u64 now)
{
	if (unlikely(perf_event_follows(event)))
		return perf_leader_running(event->group_leader, now);
	return perf_clock_read(&event->set->clock, now);
}

void perf_event_fold(struct perf_event *event, u64 now);
void perf_event_stamp(struct perf_event *event, u64 now);
void perf_event_running_begins(struct perf_event *event, u64 now);
void perf_event_running_ends(struct perf_event *event, u64 now);

int perf_event_begin(struct perf_event *event);
int perf_event_go(struct perf_event *event, u64 now);
void perf_event_halt(struct perf_event *event, u64 now);
void perf_event_prepare(struct perf_event *event);
int perf_event_resume(struct perf_event *event);
void perf_event_suspend(struct perf_event *event);

void perf_leader_begin(struct perf_event *leader, u64 now);
void perf_group_go(struct perf_event *leader, u64 now);
void perf_group_halt(struct perf_event *leader, u64 now);

void perf_event_turn_on(struct perf_event *event, u64 now);
void perf_event_settle_disable(struct perf_event *event, u64 now);
void perf_event_turn_off(struct perf_event *event, u64 now,
			 enum perf_event_state state);
void perf_event_end(struct perf_event *event, enum perf_event_state state);

void perf_event_enable_one(struct perf_event *event);
void perf_event_disable_one(struct perf_event *event);
void perf_event_restart(struct perf_event *event);
typedef void (*perf_event_fn)(struct perf_event *event);

void perf_event_with_children(struct perf_event *event, perf_event_fn fn);

#endif /* _KERNEL_EVENTS_STATE_H */
