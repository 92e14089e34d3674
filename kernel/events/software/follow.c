// SPDX-License-Identifier: GPL-2.0
/*
 * Followers: lists of siblings that count while their leader does. See follow.h.
 *
 * All but perf_followers_prepare() run under ctx->lock, on the CPU where the context is
 * on if it is. What one call does is bounded by the number of ids, and by PERF_USERPAGE_TIMED.
 */
#include <linux/slab.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/walk.h"
#include "clock_queue.h"
#include "follow.h"

static bool perf_event_can_follow(const struct perf_event *event)
{
	if (!perf_event_is_nosched(event) ||
	    perf_cgroup_is_foreign(event, event->group_leader->subctx))
		return false;
	/* a program may write through it while it is added */
	return event->attr.type != PERF_TYPE_SOFTWARE ||
	       event->attr.config != PERF_COUNT_SW_BPF_OUTPUT;
}

/**
 * perf_followers_prepare() - what a sibling needs to follow its leader, if it is to
 * @event: with its sub-context, about to join; ctx->mutex is held
 *
 * Return: false without memory.
 */
bool perf_followers_prepare(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || !perf_event_can_follow(event))
		return true;
	if (!leader->followers) {
		struct perf_followers *followers = kzalloc(sizeof(*followers), GFP_KERNEL);

		if (!followers)
			return false;
		/* read under ctx->lock when the leader becomes ACTIVE, or ceases to be */
		scoped_guard(raw_spinlock_irqsave, &leader->subctx->ctx->lock) {
			followers->on = leader->state == PERF_EVENT_STATE_ACTIVE;
			leader->followers = followers;
		}
	}
	event->attach_state |= PERF_ATTACH_FOLLOWS;
	return true;
}

static void perf_followers_link(struct perf_subctx *subctx,
				struct perf_followers *followers, unsigned int id)
{
	hlist_add_head_rcu(&followers->ids[id].linked, &subctx->groups[id]);
	/* bit n of sampled: counting is not all there is to do */
	WRITE_ONCE(subctx->sampled, subctx->sampled | BIT(id));
	WRITE_ONCE(subctx->listened, subctx->listened | BIT(id));
}

static void perf_followers_unlink(struct perf_subctx *subctx,
				  struct perf_followers *followers, unsigned int id)
{
	perf_walk_pass(&followers->ids[id].linked);
	hlist_del_rcu(&followers->ids[id].linked);
	perf_subctx_update_ids(subctx, id);
}

/* The control pages that programs look at: those on the list are few, see userpage.c. */
static void perf_followers_update_pages(struct perf_event *leader)
{
	struct perf_event *event;

	hlist_for_each_entry(event, &leader->subctx->mapped, mapped_entry) {
		if (event->group_leader == leader)
			perf_event_update_userpage(event);
	}
}

/**
 * __perf_followers_switch() - all followers of a group begin to count, or end
 * @leader: with followers; its state is set
 * @on: which of it
 */
void __perf_followers_switch(struct perf_event *leader, bool on)
{
	struct perf_followers *followers = leader->followers;
	unsigned long ids = followers->listened;
	unsigned int id;

	if (followers->on == on)
		return;
	followers->on = on;
	for (; ids; ids &= ids - 1) {
		id = __ffs(ids);
		if (on)
			perf_followers_link(leader->subctx, followers, id);
		else
			perf_followers_unlink(leader->subctx, followers, id);
	}
	if (timerqueue_getnext(&followers->clocks.events))
		perf_clock_queue_switch_followers(leader);
	perf_followers_update_pages(leader);
}

/**
 * perf_followers_add() - a software event that follows is enabled
 * @event: the event; what it counts, it counts whenever its leader is ACTIVE
 */
void perf_followers_add(struct perf_event *event)
{
	struct perf_followers *followers = event->group_leader->followers;
	unsigned int id = event->attr.config;

	hlist_add_head_rcu(&event->hlist_entry, &followers->ids[id].events);
	if (followers->listened & BIT(id))
		return;
	followers->listened |= BIT(id);
	if (followers->on)
		perf_followers_link(event->subctx, followers, id);
}

/**
 * perf_followers_del() - undo perf_followers_add()
 * @event: the event
 */
void perf_followers_del(struct perf_event *event)
{
	struct perf_followers *followers = event->group_leader->followers;
	unsigned int id = event->attr.config;

	perf_walk_pass(&event->hlist_entry);
	hlist_del_rcu(&event->hlist_entry);
	if (!hlist_empty(&followers->ids[id].events))
		return;
	followers->listened &= ~BIT(id);
	if (followers->on)
		perf_followers_unlink(event->subctx, followers, id);
}
