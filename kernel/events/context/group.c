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
#include "../sched/sched.h"
#include "group.h"
#include "group_list.h"
#include "state.h"
#include "subctx.h"

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
 * @leader: its leader; leader->group_pmu is the PMU of the group as it is
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

/**
 * perf_group_join_fault() - check whether an event can join a group
 * @leader: leader of the group, or another event that was named as leader
 * @event: the event, in no context yet
 * @ctx: context in which @event will be installed
 *
 * An irq_work may disable members meanwhile, which sorts sched_siblings under ctx->lock alone.
 * So the members are found on sibling_list, which needs ctx->mutex only.
 *
 * Caller must hold ctx->mutex.
 *
 * Return: why @event cannot join, or NULL.
 */
const char *perf_group_join_fault(struct perf_event *leader, const struct perf_event *event,
				  const struct perf_event_context *ctx)
{
	struct perf_event *member;

	if (leader->group_leader != leader)
		return "the event named is itself a member of a group";
	if (leader->ctx != ctx)
		return "the leader counts another task or CPU";
	if (leader->cpu != event->cpu)
		return "the leader is on another CPU";
	if (leader->clock != event->clock)
		return "the leader uses another clock";
	if (event->attr.exclusive || event->attr.pinned)
		return "only a leader can be pinned or exclusive";
	if (event->pmu->task_ctx_nr == perf_sw_context)
		return NULL;

	perf_group_for_each(member, leader) {
		if (member->pmu->task_ctx_nr != perf_sw_context &&
		    member->pmu != event->pmu)
			return "the group has counters of another PMU";
	}
	return NULL;
}

/**
 * __perf_group_make_pmu_ctxs() - make the pmu_ctxs of a member's own PMU
 * @subctx: sub-context of the group
 * @event: the member, or the leader; not an unscheduled event
 *
 * The group may need the member's PMU when other members leave, and the member when its leader
 * leaves. Neither can allocate memory then.
 *
 * Context: task. Caller must hold ctx->mutex.
 * Return: false if memory allocation failed.
 */
bool __perf_group_make_pmu_ctxs(struct perf_subctx *subctx, struct perf_event *event)
{
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
	perf_group_set_pmu_ctx(leader, group_pmu ? perf_group_pmu_ctx(leader) : NULL);
	perf_group_start(leader, now);
}

/* The leader was a cgroup event and @event is not: move it to the context's own sub-context. */
static void perf_group_leave_subctx(struct perf_event *event)
{
	struct perf_subctx *own = &event->ctx->own;

	perf_freq_detach(event);
	event->subctx->nr_events--;
	own->nr_foreign--;
	own->nr_events++;
	/* read by a tracepoint in NMI */
	WRITE_ONCE(event->subctx, own);
	perf_freq_attach(event);
}

/*
 * Take an event off its leader's lists. The pages of CPU events that follow no leader are not among
 * those that a start of the leader, or a switch, updates. There is room for a few only.
 */
static void perf_group_let_go(struct perf_event *event)
{
	perf_group_unlink(event);
	if (!perf_ctx_is_task(event->ctx))
		hlist_del_init(&event->mapped_entry);
}

/* The leader of @event is removed: make @event a single event, if it can count alone. */
static void perf_group_promote(struct perf_event *event, u64 now)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;
	struct perf_event *leader = event->group_leader;
	bool scheduled = enabled && !perf_event_follows(event) && leader->group_pmu &&
			 leader->state >= PERF_EVENT_STATE_INACTIVE;

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
	perf_group_let_go(event);
	if (scheduled)
		perf_sched_sibling_gone(leader, now);
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
