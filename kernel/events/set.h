/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event sets: the events of a context that count under one condition.
 *
 *	context		condition				clock for time_enabled
 *	a task's	the task runs				own
 *	a task's	the task runs on one certain CPU	the task's
 *	a CPU's		always					own
 *	a CPU's		a task of one certain cgroup runs	own
 *
 * A sibling is in its leader's set. One without a cgroup, whose leader has one, is
 * a guest there: its time_enabled follows the CPU's, where it goes without leader.
 *
 * When the condition begins and ends to hold, the whole set is switched: its
 * clock, and the groups that compete for a PMU. Software events that always
 * fit are not touched; an occurrence finds them through @listeners.
 *
 * Locking rules: everything here is under ctx->lock. The lists of listeners
 * change only on the CPU on which the set is on, or while it is off, and are
 * read there under RCU; so an occurrence never meets an event that is being
 * moved between lists, except in NMI.
 *
 * Lifetime rules: the set that a context embeds lives as long as the context, and so
 * do those that a new task needs for what it inherits: they are made, and freed, in
 * one piece with their queues. Others are made for the first event that needs them and
 * live until their context is freed, or, for a cgroup, until their last event is gone.
 */
#ifndef _KERNEL_EVENTS_SET_H
#define _KERNEL_EVENTS_SET_H

#include <linux/perf_event.h>
#include "clock.h"
#include "clock_queue.h"

/**
 * struct perf_event_set - events that come and go together
 * @listened: bit n says that listeners[n] or groups[n] is not empty
 * @sampled: bit n says that some of them may take samples, not only count, or that
 *	groups[n] is not empty, or that there may be more than PERF_WALK_AT_ONCE
 * @listeners: software events that count now, by PERF_COUNT_SW_*; but for those that
 *	follow a leader
 * @groups: lists of those, of leaders that count now: perf_follower_list::linked
 * @clock: runs while the condition holds
 * @clocks: sampling clocks that count
 * @enabled: the clock that time_enabled is taken from
 * @ctx: owner
 * @pmu_ctx_list: groups that need a PMU's counters, by PMU
 * @mapped: perf_event::mapped_entry of those whose control page a program reads; brought
 *	up to date when the set is switched on. Of a CPU's, those that follow a leader.
 * @sideband: perf_event::sideband_entry of those that record what happens beside
 *	events, but for guests, which are on the list of the CPU's own set; read under
 *	RCU where the set is on
 * @freq_events: perf_event::freq_entry of those in frequency mode
 * @busy: there is, or was when the set was on last, more to do at a switch than to move
 *	@clock: groups on @pmu_ctx_list, @mapped, @traced_added or @clocks
 * @traced: perf_traced::set_entry of its tracepoints; of a task's set that is bound to a
 *	CPU read under RCU on that CPU, whether the set is on or not
 * @traced_added: perf_traced::added_entry of those with events that count
 * @chain: the next outer cgroup's set while both are on
 * @cpu: of a task's set, the CPU that it is bound to, or -1
 * @cgrp: of a CPU's set, the cgroup, referenced, or NULL
 * @nr_events: attached events
 * @rcu_head: for freeing
 */
struct perf_event_set {
	unsigned long			listened;
	unsigned long			sampled;
	struct hlist_head		listeners[PERF_COUNT_SW_MAX];
	struct hlist_head		groups[PERF_COUNT_SW_MAX];
	struct perf_clock		clock;
	struct perf_clock_queue		clocks;
	struct perf_clock		*enabled;
	struct perf_event_context	*ctx;
	struct list_head		pmu_ctx_list;
	bool				busy;
	struct hlist_head		mapped;
	struct list_head		sideband;
	struct list_head		freq_events;
	struct hlist_head		traced;
	struct hlist_head		traced_added;
	struct perf_event_set		*chain;
	int				cpu;
	struct perf_cgroup		*cgrp;
	unsigned int			nr_events;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_copied_sets - sets of a task's context, by CPU, and queues for them
 * @nr: how many sets there are
 * @nr_queues: how many queues there is room for, behind the sets
 * @used_queues: how many of them are in use
 * @more_queues: some of the sets have queues that are not among these
 * @set: sorted by CPU
 */
struct perf_copied_sets {
	unsigned int			nr;
	unsigned int			nr_queues;
	unsigned int			used_queues;
	bool				more_queues;
	struct perf_event_set		set[] __counted_by(nr);
};

void perf_set_init(struct perf_event_set *set, struct perf_event_context *ctx);
int perf_sets_copy(struct perf_event_context *to, struct perf_event_context *from,
		   u64 clone_flags);
struct perf_event_set *perf_set_get(struct perf_event_context *ctx,
				    struct perf_event *event);
struct perf_event_set *perf_set_find(struct perf_event_context *ctx, int cpu);
void perf_set_retire(struct perf_event_set *set);

/* A program reads the control page of an event of the set. */
static inline void perf_set_add_mapped(struct perf_event_set *set, struct perf_event *event)
{
	hlist_add_head(&event->mapped_entry, &set->mapped);
	set->busy = true;
}

/* An event has left the set, or has not come; the mutex of the context is held. */
static inline void perf_set_put(struct perf_event_set *set)
{
	if (set->cgrp)
		perf_set_retire(set);
}

/* An event that listened for @id has gone, or a group has: maybe it was the last. */
static inline void perf_set_heed(struct perf_event_set *set, unsigned int id)
{
	if (!hlist_empty(&set->listeners[id]) || !hlist_empty(&set->groups[id]))
		return;
	WRITE_ONCE(set->listened, set->listened & ~BIT(id));
	WRITE_ONCE(set->sampled, set->sampled & ~BIT(id));
}

void perf_set_free_all(struct perf_event_context *ctx);
struct perf_event_pmu_context *perf_set_pmu_ctx(struct perf_event_set *set,
						struct pmu *pmu);

void perf_set_on(struct perf_event_set *set, u64 now);
void perf_set_off(struct perf_event_set *set, u64 now);

#endif /* _KERNEL_EVENTS_SET_H */
