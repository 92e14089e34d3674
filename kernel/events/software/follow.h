/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Followers: siblings that are not started and stopped one by one with their group.
 *
 * An unscheduled sibling counts exactly while its leader is ACTIVE. So a follower is not touched
 * when its leader starts or stops. A follower is ACTIVE as long as it is enabled, is on a list
 * of its leader, and derives its times from the leader's. When the leader starts, its
 * lists, one for each id, are linked into the sub-context's. When the leader stops, they
 * are unlinked. So a group of thousands of siblings starts and stops at one moment.
 *
 * An event of another cgroup in a cgroup's sub-context does not follow, since its time_enabled
 * differs from its leader's. A bpf-output event does not follow either: a program could
 * write to it while the leader does not count.
 *
 * Locking rules: as for the listeners of a sub-context, see base/contexts.h.
 *
 * Lifetime rules: allocated for the first follower, freed with the leader.
 */
#ifndef _KERNEL_EVENTS_FOLLOW_H
#define _KERNEL_EVENTS_FOLLOW_H

#include <linux/perf_event.h>

#include "../base/contexts.h"

/**
 * struct perf_follower_list - followers of one group that count the same id
 * @events: software events, by hlist_entry
 * @linked: on perf_subctx::groups while the leader is ACTIVE and @events not empty
 */
struct perf_follower_list {
	struct hlist_head	events;
	struct hlist_node	linked;
};

/**
 * struct perf_followers - all followers of a leader
 * @listened: bit n is set while ids[n].events is not empty
 * @on: the leader is ACTIVE
 * @clocks: sampling clocks
 * @ids: by PERF_COUNT_SW_*
 */
struct perf_followers {
	unsigned long			listened;
	bool				on;
	struct perf_follower_clocks	clocks;
	struct perf_follower_list	ids[PERF_COUNT_SW_MAX];
};

bool __perf_followers_prepare(struct perf_event *event);
void perf_followers_add(struct perf_event *event);
void perf_followers_del(struct perf_event *event);
void __perf_followers_switch(struct perf_event *leader, bool on);

/* An event is about to join its group. Return: false if memory allocation failed. */
static inline bool perf_followers_prepare(struct perf_event *event)
{
	return event->group_leader == event || __perf_followers_prepare(event);
}

/* A leader has become ACTIVE, or is ACTIVE no more. Only leaders have followers. */
static inline void perf_followers_switch(struct perf_event *leader, bool on)
{
	if (unlikely(leader->followers))
		__perf_followers_switch(leader, on);
}

#endif /* _KERNEL_EVENTS_FOLLOW_H */
