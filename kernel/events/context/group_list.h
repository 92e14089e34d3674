/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lists of siblings of a group leader.
 */
#ifndef _KERNEL_EVENTS_GROUP_LIST_H
#define _KERNEL_EVENTS_GROUP_LIST_H

#include <linux/perf_event.h>

#include "../base/event.h"

void __perf_group_attach(struct perf_event *event);
void __perf_group_sort(struct perf_event *event);
void perf_group_unlink(struct perf_event *event);

/**
 * perf_group_attach() - put an event on its leader's lists
 * @event: the event; a leader is only marked as a member of its group
 */
static inline void perf_group_attach(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_GROUP;
	if (event->group_leader != event)
		__perf_group_attach(event);
}

/*
 * All siblings but @event are sorted, enabled ones first. An enabled event is sorted too if it
 * is the first one, or behind an enabled one; a disabled event if it is the last one, or before
 * a disabled one.
 */
static inline bool perf_group_is_sorted(const struct perf_event *event)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;
	const struct list_head *beside = enabled ? event->group_entry.prev
						 : event->group_entry.next;

	if (beside == &event->group_leader->sched_siblings)
		return true;
	return enabled == (list_entry(beside, struct perf_event, group_entry)->state >=
			   PERF_EVENT_STATE_INACTIVE);
}

/**
 * perf_group_sort() - a sibling has been enabled or disabled
 * @event: the sibling, attached, with its new state
 *
 * Keeps what perf_group_for_each_enabled() relies on. The order in which the group is
 * read does not change. Caller must hold ctx->lock.
 */
static inline void perf_group_sort(struct perf_event *event)
{
	if (!perf_event_follows(event) && !perf_group_is_sorted(event))
		__perf_group_sort(event);
}

#endif /* _KERNEL_EVENTS_GROUP_LIST_H */
