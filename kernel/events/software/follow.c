// SPDX-License-Identifier: GPL-2.0
/*
 * Followers: lists of siblings that count while their leader does. See follow.h.
 *
 * Caller must hold ctx->lock for all functions but perf_followers_prepare(). They run on the CPU
 * of the context if it is scheduled in. The work of one call is bounded by the number of ids,
 * and by PERF_USERPAGE_TIMED.
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
	/* a program may write to it while it is added, even if its leader does not count */
	return !perf_event_is_bpf_output(event);
}

/**
 * __perf_followers_prepare() - let a sibling follow its leader, if it can
 * @event: the sibling, about to join its group; its sub-context is set
 *
 * Caller must hold ctx->mutex.
 *
 * Return: false if memory allocation failed, else true.
 */
bool __perf_followers_prepare(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (!perf_event_can_follow(event))
		return true;
	if (!leader->followers) {
		struct perf_followers *followers = kzalloc(sizeof(*followers), GFP_KERNEL_ACCOUNT);

		if (!followers)
			return false;
		/* read under ctx->lock when the leader becomes ACTIVE or stops being so */
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
	/* bit n of sampled: walking the listeners of id n is not enough */
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

/**
 * __perf_followers_switch() - start or stop all followers of a group
 * @leader: the leader, with followers; its state is set
 * @on: true to start, false to stop
 */
void __perf_followers_switch(struct perf_event *leader, bool on)
{
	struct perf_followers *followers = leader->followers;
	unsigned long ids = followers->listened;
	struct perf_event *event;
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
	/* Update the mapped user pages of the group. The list is short, see userpage_mmap.c. */
	hlist_for_each_entry(event, &leader->subctx->mapped, mapped_entry) {
		if (event->group_leader == leader)
			perf_event_update_userpage(event);
	}
}

/**
 * perf_followers_add() - add a follower to the lists of its leader
 * @event: the software event, being enabled; it counts whenever its leader is ACTIVE
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
