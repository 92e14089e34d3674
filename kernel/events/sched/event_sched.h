/* SPDX-License-Identifier: GPL-2.0 */
/* Scheduling of one event on its PMU: add, delete, and the state that follows from that. */
#ifndef _KERNEL_EVENTS_EVENT_SCHED_H
#define _KERNEL_EVENTS_EVENT_SCHED_H

#include <linux/perf_event.h>

#include "../base/event.h"
#include "../output/userpage.h"
#include "../software/follow.h"

/**
 * perf_event_add_flags() - flags for add() of an event's driver
 * @event: the event, ACTIVE
 *
 * A driver that stopped an event may have reported its last overflow, or a full AUX area. Until the
 * irq_work has disabled the event, it keeps its place in the group, but does not count.
 *
 * Return: PERF_EF_START; 0 for an event that is about to be disabled.
 */
static inline int perf_event_add_flags(const struct perf_event *event)
{
	return likely(!event->pending_disable) ? PERF_EF_START : 0;
}

int __perf_event_sched_in(struct perf_event *event);
int perf_event_sched_in(struct perf_event *event, u64 now);
void perf_event_sched_out(struct perf_event *event, u64 now);
void perf_event_prepare_add(struct perf_event *event);
int perf_event_add(struct perf_event *event);

/**
 * __perf_event_del() - remove an event from its driver
 * @event: the event, added to its driver
 */
static inline void __perf_event_del(struct perf_event *event)
{
	WRITE_ONCE(event->oncpu, -1);
	barrier();
	event->pmu->del(event, 0);
}

/**
 * perf_event_del() - take an event's counter, and leave the event ACTIVE
 * @event: ACTIVE, with a counter; the PMU is disabled
 *
 * The group continues to count with its sub-context. Until then the clock of the sub-context
 * is stopped.
 */
static inline void perf_event_del(struct perf_event *event)
{
	__perf_event_del(event);
	perf_userpage_changed(event);
}

/**
 * __perf_event_sched_out() - schedule one event out
 * @event: ACTIVE, its total times up to date
 */
static inline void __perf_event_sched_out(struct perf_event *event)
{
	if (perf_event_has_counter(event))
		__perf_event_del(event);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	perf_followers_switch(event, false);
	perf_userpage_changed(event);
}

#endif /* _KERNEL_EVENTS_EVENT_SCHED_H */
