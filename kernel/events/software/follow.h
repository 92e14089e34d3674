/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Followers: siblings that need nothing of their own when their group begins or ends to
 * count.
 *
 * A unscheduled sibling counts exactly while its leader is ACTIVE. So nothing is done to it
 * when that changes: it is ACTIVE as long as it is enabled, is on a list of its leader,
 * and takes its times from those of the leader. What its leader does is to put these
 * lists among those of the sub-context, one for each id, and to take them off: a group of
 * thousands begins to count at one moment, and ends.
 *
 * A guest in a cgroup's sub-context, whose time_enabled is not its leader's, does not follow, nor
 * does bpf-output: a program could write while the leader does not count.
 *
 * Locking rules: as for the listeners of a sub-context, see subctx.h.
 *
 * Lifetime rules: made for the first follower, freed with the leader.
 */
#ifndef _KERNEL_EVENTS_FOLLOW_H
#define _KERNEL_EVENTS_FOLLOW_H

#include <linux/perf_event.h>

#include "../base/contexts.h"

/**
 * struct perf_follower_list - followers of one group that count the same
 * @events: software events, by hlist_entry
 * @linked: on perf_subctx::groups while the leader is ACTIVE and @events not empty
 */
struct perf_follower_list {
	struct hlist_head	events;
	struct hlist_node	linked;
};

/**
 * struct perf_followers - all followers of a leader
 * @listened: bit n says that ids[n].events is not empty
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

bool perf_followers_prepare(struct perf_event *event);
void perf_followers_add(struct perf_event *event);
void perf_followers_del(struct perf_event *event);
void __perf_followers_switch(struct perf_event *leader, bool on);

/* A leader has become ACTIVE, or has ceased to be; others have no followers. */
static __always_inline void perf_followers_switch(struct perf_event *leader, bool on)
{
	if (unlikely(leader->followers))
		__perf_followers_switch(leader, on);
}

#endif /* _KERNEL_EVENTS_FOLLOW_H */
