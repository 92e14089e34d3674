// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: joining, leaving, and which PMU a group depends on.
 *
 * A group whose members all always fit is not scheduled and has no group PMU. Any other
 * group has a group PMU: the PMU whose counters decide when it counts. Software
 * members are added and deleted along with it. So a group that starts as
 * software and is joined by a hardware event moves as a whole, without
 * leaving its context.
 *
 * An event that joins or leaves does not count meanwhile. The other members need not stop for
 * it, unless the group PMU changes: then the caller has called perf_group_stop().
 *
 * Caller must hold ctx->mutex and ctx->lock.
 */
#include "../base/attr.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../overflow/freq.h"
#include "group.h"
#include "subctx.h"
#include "state.h"

/* Limited counters take precedence over tracing, and tracing over unscheduled events. */
static int perf_event_pmu_rank(const struct perf_event *event)
{
	if (event->pmu->task_ctx_nr != perf_sw_context)
		return 2;
	return perf_event_is_nosched(event) ? 0 : 1;
}

/*
 * Find the group PMU of a group that has lost a member. @limit: no member has a higher rank.
 *
 * Return: the PMU, or NULL when every member always fits.
 */
static struct pmu *perf_group_find_pmu(struct perf_event *leader, int limit)
{
	struct perf_event *event, *best = leader;

	perf_group_for_each_sched(event, leader) {
		if (perf_event_pmu_rank(event) > perf_event_pmu_rank(best))
			best = event;
		if (perf_event_pmu_rank(best) == limit)
			break;
	}
	return perf_event_pmu_rank(best) ? best->pmu : NULL;
}

/**
 * perf_group_pmu_with() - the PMU that a group needs when it has one more member
 * @leader: its leader, whose group_pmu is that of the group as it is
 * @joining: an event that is about to join, or the leader itself
 *
 * Return: the PMU, or NULL when every member always fits.
 */
struct pmu *perf_group_pmu_with(struct perf_event *leader,
				struct perf_event *joining)
{
	struct pmu *group_pmu = leader->group_pmu;

	/* a leader alone, or a group that has no group PMU yet: @joining decides */
	if (leader == joining || !group_pmu)
		return perf_event_pmu_rank(joining) ? joining->pmu : NULL;
	if (group_pmu->task_ctx_nr != perf_sw_context || perf_event_pmu_rank(joining) < 2)
		return group_pmu;
	return joining->pmu;
}

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
 * perf_group_attach() - put an event on its leader's list
 * @event: the event; nothing is to do for a leader
 */
void perf_group_attach(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	event->attach_state |= PERF_ATTACH_GROUP;
	if (leader == event)
		return;
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

/**
 * perf_group_make_pmu_ctxs() - what a group may need of a member when others leave
 * @subctx: that of the group; its context's mutex is held
 * @event: the member, or the leader
 *
 * Its PMU may become the group's PMU, or it goes on alone.
 *
 * Return: false without memory.
 */
bool perf_group_make_pmu_ctxs(struct perf_subctx *subctx, struct perf_event *event)
{
	if (perf_event_is_nosched(event))
		return true;
	if (!perf_subctx_pmu_ctx(subctx, event->pmu))
		return false;
	return !perf_cgroup_is_foreign(event, subctx) ||
	       perf_subctx_pmu_ctx(&subctx->ctx->own, event->pmu);
}

/* perf_group_make_pmu_ctxs() has made a pmu_ctx for the PMU of each member. */
static struct perf_event_pmu_context *perf_group_pmu_ctx(struct perf_event *leader)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &leader->subctx->pmu_ctx_list, subctx_entry) {
		if (pmu_ctx->pmu == leader->group_pmu)
			return pmu_ctx;
	}
	return NULL;
}

/*
 * The group has lost @gone. If @gone was the last member of the group PMU, the group must not
 * refer to that PMU any more, because nothing references the PMU's module. No remaining member
 * has a higher rank than @gone, so the search ends at the first member of the same rank. The
 * search is short: a group has few members with limited counters, and for other ranks the
 * first member is near.
 */
static void perf_group_update_pmu(struct perf_event *leader, const struct perf_event *gone,
				  u64 now)
{
	struct pmu *group_pmu;

	if (perf_event_is_nosched(gone) || gone->pmu != leader->group_pmu)
		return;
	group_pmu = perf_group_find_pmu(leader, perf_event_pmu_rank(gone));
	if (group_pmu == leader->group_pmu)
		return;
	perf_group_stop(leader, now);
	leader->group_pmu = group_pmu;
	leader->pmu_ctx = group_pmu ? perf_group_pmu_ctx(leader) : NULL;
	perf_group_start(leader, now);
}

/* The leader was a cgroup event and @event is not: move it to the context's own sub-context. */
static void perf_group_leave_subctx(struct perf_event *event)
{
	struct perf_subctx *own = &event->ctx->own;

	perf_freq_detach(event);
	event->subctx->nr_events--;
	own->nr_events++;
	event->subctx = own;
	perf_freq_attach(event);
}

/* The leader of @event is removed: make @event a single event, if it can count alone. */
static void perf_group_promote(struct perf_event *event, u64 now)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;

	/* The sub-context of an event that has left its context may be gone. */
	if (!(event->attach_state & PERF_ATTACH_CONTEXT)) {
		perf_group_unlink(event);
		event->group_leader = event;
		return;
	}
	perf_sibling_stop(event, now);
	perf_event_update_times(event, now);
	/* an NMI reads only the totals while the clock that the timestamps refer to changes */
	if (enabled)
		WRITE_ONCE(event->state, PERF_EVENT_STATE_OFF);
	perf_group_unlink(event);
	/* the event cannot count without its leader */
	if ((event->event_caps & PERF_EV_CAP_SIBLING) || perf_attr_uses_leader_aux(&event->attr))
		event->state = PERF_EVENT_STATE_ERROR;
	if (perf_cgroup_is_foreign(event, event->subctx))
		perf_group_leave_subctx(event);
	WRITE_ONCE(event->group_leader, event);
	perf_event_stamp_times(event, now);
	/* from here the times run again, also for an NMI */
	if (enabled && event->state == PERF_EVENT_STATE_OFF)
		WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);

	event->group_pmu = perf_event_pmu_rank(event) ? event->pmu : NULL;
	event->pmu_ctx = event->group_pmu ? perf_group_pmu_ctx(event) : NULL;
	perf_group_start(event, now);
}

/**
 * perf_group_disband_some() - siblings become single events before their leader goes
 * @leader: the leader, turned off or not; as long as it has siblings there are more
 * @now: perf_ctx_now()
 *
 * A leader with many siblings loses them in several steps, with interrupts on in
 * between. Each sibling counts with its leader until it counts alone.
 */
void perf_group_disband_some(struct perf_event *leader, u64 now)
{
	struct perf_event *event, *next;
	unsigned int left = PERF_GROUP_BATCH;

	list_for_each_entry_safe(event, next, &leader->sibling_list, sibling_list) {
		if (!left--)
			break;
		perf_group_promote(event, now);
	}
}

/**
 * perf_group_detach() - take an event out of its group
 * @event: turned off already; a leader has PERF_GROUP_BATCH siblings at most
 * @now: perf_ctx_now()
 *
 * The siblings of a leader become single events and go on counting if they
 * are enabled. A group that loses the last member of its group PMU gets another group PMU, or
 * becomes unscheduled.
 */
void perf_group_detach(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (!(event->attach_state & PERF_ATTACH_GROUP))
		return;
	event->attach_state &= ~PERF_ATTACH_GROUP;

	if (event == leader) {
		if (leader->nr_siblings)
			perf_group_disband_some(leader, now);
		return;
	}
	perf_group_unlink(event);
	event->group_leader = event;
	if (leader->attach_state & PERF_ATTACH_CONTEXT)
		perf_group_update_pmu(leader, event, now);
	else
		leader->group_pmu = NULL;
}

#ifdef CONFIG_PROVE_LOCKING
/**
 * lockdep_assert_event_ctx() - a group's list of siblings must not change now
 * @event: its leader, or a newcomer to be
 */
void lockdep_assert_event_ctx(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	if (!debug_locks || !ctx || irqs_disabled())
		return;
	lockdep_assert_held(&ctx->mutex);
}
EXPORT_SYMBOL_GPL(lockdep_assert_event_ctx);
#endif
