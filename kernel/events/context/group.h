/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups: a leader and the siblings that count exactly when it does.
 */
#ifndef _KERNEL_EVENTS_GROUP_H
#define _KERNEL_EVENTS_GROUP_H

#include <linux/perf_event.h>

#include "../base/event.h"

struct perf_subctx;

/* How many members a group promotes, or enables, while interrupts are off. */
#define PERF_GROUP_BATCH	32

bool perf_group_make_pmu_ctxs(struct perf_subctx *subctx, struct perf_event *event);
void perf_group_attach(struct perf_event *event);
void __perf_group_sort(struct perf_event *event);
void perf_group_unlink(struct perf_event *event);
void perf_group_detach(struct perf_event *event, u64 now);
void perf_group_disband_some(struct perf_event *leader, u64 now);
struct pmu *perf_group_pmu_with(struct perf_event *leader,
				struct perf_event *joining);

/* All siblings but @event are sorted; it is, too, beside one of its kind or at its end. */
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

#endif /* _KERNEL_EVENTS_GROUP_H */
