// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of siblings of a group leader.
 *
 * perf_event::sibling_list has all siblings in the order in which they are read;
 * perf_event::sched_siblings has those that do not follow their leader, enabled ones first.
 *
 * Context: Caller must hold ctx->mutex and ctx->lock. __perf_group_sort() needs ctx->lock only,
 * because perf_event_pending_disable() disables an event without ctx->mutex. So a walk of
 * sched_siblings needs ctx->lock; ctx->mutex does not keep the list stable.
 */
#include "../base/event.h"
#include "group_list.h"

/*
 * Among the siblings that do not follow, enabled ones come first. They are in the order of
 * opening as long as none has been enabled or disabled out of that order.
 */
static void perf_group_add_sched(struct perf_event *leader, struct perf_event *event)
{
	struct list_head *placed = &leader->sched_siblings;
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;
	struct perf_event *last;

	if (enabled && !list_empty(placed)) {
		last = list_last_entry(placed, struct perf_event, group_entry);
		if (last->state < PERF_EVENT_STATE_INACTIVE) {
			list_add(&event->group_entry, placed);
			return;
		}
	}
	list_add_tail(&event->group_entry, placed);
}

/**
 * __perf_group_sort() - put a sibling that does not follow where its new state belongs
 * @event: see perf_group_sort()
 */
void __perf_group_sort(struct perf_event *event)
{
	list_del(&event->group_entry);
	perf_group_add_sched(event->group_leader, event);
}

/**
 * __perf_group_attach() - put a sibling on its leader's lists
 * @event: the sibling
 */
void __perf_group_attach(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	list_add_tail(&event->sibling_list, &leader->sibling_list);
	if (!perf_event_follows(event))
		perf_group_add_sched(leader, event);
	leader->nr_siblings++;
}

/**
 * perf_group_unlink() - take a sibling off its leader's lists; undoes perf_group_attach()
 * @event: the sibling, not counting
 *
 * The caller sets the event's new leader, and the group PMU that the group has now.
 */
void perf_group_unlink(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	list_del_init(&event->sibling_list);
	list_del_init(&event->group_entry);
	event->attach_state &= ~PERF_ATTACH_FOLLOWS;
	leader->nr_siblings--;
}
