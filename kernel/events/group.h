/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups: a leader and the siblings that count exactly when it does.
 */
#ifndef _KERNEL_EVENTS_GROUP_H
#define _KERNEL_EVENTS_GROUP_H

#include <linux/perf_event.h>

#include "follow.h"

struct perf_event_set;

static inline struct perf_event *perf_group_next(struct perf_event *leader,
						 struct perf_event *member)
{
	struct list_head *next = member == leader ? leader->sibling_list.next
						  : member->sibling_list.next;

	if (next == &leader->sibling_list)
		return NULL;
	return list_entry(next, struct perf_event, sibling_list);
}

/* the leader first, then its siblings in the order in which they joined */
#define perf_group_for_each(member, leader)				\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next(leader, member))

static inline struct perf_event *perf_group_next_placed(struct perf_event *leader,
							struct perf_event *member)
{
	struct list_head *next = member == leader ? leader->placed_siblings.next
						  : member->group_entry.next;

	if (next == &leader->placed_siblings)
		return NULL;
	return list_entry(next, struct perf_event, group_entry);
}

/* The leader, and those siblings that do not follow it. */
#define perf_group_for_each_placed(member, leader)			\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next_placed(leader, member))

/* Enabled siblings come before disabled ones: see perf_group_sort(). */
static inline struct perf_event *perf_group_next_enabled(struct perf_event *leader,
							 struct perf_event *member)
{
	struct perf_event *next = perf_group_next_placed(leader, member);

	return next && next->state >= PERF_EVENT_STATE_INACTIVE ? next : NULL;
}

/*
 * The leader, and those siblings that are enabled and do not follow it: all that have
 * something done to them when the group begins to count or ends, gets counters or loses
 * them. Disabled siblings cost nothing.
 */
#define perf_group_for_each_enabled(member, leader)			\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next_enabled(leader, member))

/* How many members a group promotes, or enables, while interrupts are off. */
#define PERF_GROUP_BATCH	32

bool perf_group_make_queues(struct perf_event_set *set, struct perf_event *event);
void perf_group_attach(struct perf_event *event);
void __perf_group_sort(struct perf_event *event);
void perf_group_unlink(struct perf_event *event);
void perf_group_detach(struct perf_event *event, u64 now);
void perf_group_disband_some(struct perf_event *leader, u64 now);
struct pmu *perf_group_home_with(struct perf_event *leader,
				 struct perf_event *joining);

/* All siblings but @event are sorted; it is, too, beside one of its kind or at its end. */
static inline bool perf_group_is_sorted(const struct perf_event *event)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;
	const struct list_head *beside = enabled ? event->group_entry.prev
						 : event->group_entry.next;

	if (beside == &event->group_leader->placed_siblings)
		return true;
	return enabled == (list_entry(beside, struct perf_event, group_entry)->state >=
			   PERF_EVENT_STATE_INACTIVE);
}

/**
 * perf_group_sort - a sibling has been enabled or disabled
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

#endif /* _KERNEL_EVENTS_GROUP_H */
