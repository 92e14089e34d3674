/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: all events of one task, or of one CPU.
 *
 * Locking rules
 *
 *   ctx->mutex		what belongs to the context: install, remove, group and
 *			ungroup, inherit, exec, exit. Sleeps. Nests: a parent
 *			task's, then its child's; a task's, then a CPU's; outside
 *			everything below.
 *   event->child_mutex	inside ctx->mutex: the list of inherited events.
 *   ctx->lock		states, times, sets, lists. Raw, irqs off. A CPU's is
 *			taken before a task's. Who puts groups on a PMU or takes
 *			them off holds the lock of that CPU's context and of the
 *			group's. Nothing is woken and no rq lock taken under it.
 *
 * A list of events may be read under either lock, and is changed under both.
 * Whoever needs the hardware, or changes who listens, goes through
 * perf_ctx_call(), which runs on the CPU where the context is on, if it is.
 *
 * Lifetime rules
 *
 *   A task's context is referenced by the task and by each of its events.
 *   Two tasks may exchange theirs, and get them back, see ctx_swap.h.
 *   When the task exits, or execs a program that may not be watched, the
 *   context is unhooked and ctx->task becomes PERF_TASK_GONE: no event can be
 *   installed any more, those that are there stay readable. That is stored under
 *   ctx->lock, and the task's reference goes after it: who finds another task there
 *   under the lock does not drop the last one. The memory goes a grace period after
 *   that. CPU contexts are static.
 */
#ifndef _KERNEL_EVENTS_CONTEXTS_H
#define _KERNEL_EVENTS_CONTEXTS_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/timerqueue.h>
#include <linux/xarray.h>

#include "clock.h"

/**
 * struct perf_clock_queue - sampling clocks of a sub-context that count
 * @events: hw_perf_event::clock_node of those that follow no leader
 * @groups: perf_follower_clocks::linked, of leaders that are ACTIVE
 * @due: when the first period of all ends, by the sub-context's clock; KTIME_MAX: there is none
 */
struct perf_clock_queue {
	struct timerqueue_head	events;
	struct timerqueue_head	groups;
	ktime_t			due;
};

/**
 * struct perf_follower_clocks - sampling clocks among the followers of a leader
 * @events: hw_perf_event::clock_node, by the running time of the leader
 * @linked: on perf_clock_queue::groups, by the sub-context's clock
 * @is_linked: it is; so if the leader is ACTIVE and @events is not empty
 */
struct perf_follower_clocks {
	struct timerqueue_head	events;
	struct timerqueue_node	linked;
	bool			is_linked;
};

/*
 * Event sets: the events of a context that count under one condition.
 *
 *	context		condition				clock for time_enabled
 *	a task's	the task runs				own
 *	a task's	the task runs on one certain CPU	the task's
 *	a CPU's		always					own
 *	a CPU's		a task of one certain cgroup runs	own
 *
 * A sibling is in its leader's sub-context. One without a cgroup, whose leader has one, is
 * a guest there: its time_enabled follows the CPU's, where it goes without leader.
 *
 * When the condition begins and ends to hold, the whole sub-context is switched: its
 * clock, and the groups that compete for a PMU. Software events that always
 * fit are not touched; an occurrence finds them through @listeners.
 *
 * Locking rules: everything here is under ctx->lock. The lists of listeners
 * change only on the CPU on which the sub-context is on, or while it is off, and are
 * read there under RCU; so an occurrence never meets an event that is being
 * moved between lists, except in NMI.
 *
 * Lifetime rules: the sub-context that a context embeds lives as long as the context, and so
 * do those that a new task needs for what it inherits: they are made, and freed, in
 * one piece with their queues. Others are made for the first event that needs them and
 * live until their context is freed, or, for a cgroup, until their last event is gone.
 */

/**
 * struct perf_subctx - events that come and go together
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
 *	up to date when the sub-context is switched on. Of a CPU's, those that follow a leader.
 * @sideband: perf_event::sideband_entry of those that record what happens beside
 *	events, but for guests, which are on the list of the CPU's own sub-context; read under
 *	RCU where the sub-context is on
 * @freq_events: perf_event::freq_entry of those in frequency mode
 * @busy: there is, or was when the sub-context was on last, more to do at a switch than to move
 *	@clock: groups on @pmu_ctx_list, @mapped, @traced_added or @clocks
 * @traced: perf_traced::subctx_entry of its tracepoints; of a task's sub-context that is bound to a
 *	CPU read under RCU on that CPU, whether the sub-context is on or not
 * @traced_added: perf_traced::added_entry of those with events that count
 * @chain: the next outer cgroup's sub-context while both are on
 * @cpu: of a task's sub-context, the CPU that it is bound to, or -1
 * @cgrp: of a CPU's sub-context, the cgroup, referenced, or NULL
 * @nr_events: attached events
 * @rcu_head: for freeing
 */
struct perf_subctx {
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
	struct perf_subctx		*chain;
	int				cpu;
	struct perf_cgroup		*cgrp;
	unsigned int			nr_events;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_copied_subctxs - sub-contexts of a task's context, by CPU, and pmu_ctxs for them
 * @nr: how many sets there are
 * @nr_pmu_ctxs: how many pmu_ctxs there is room for, behind the sets
 * @used_pmu_ctxs: how many of them are in use
 * @more_pmu_ctxs: some of the sub-contexts have pmu_ctxs that are not among these
 * @subctx: sorted by CPU
 */
struct perf_copied_subctxs {
	unsigned int			nr;
	unsigned int			nr_pmu_ctxs;
	unsigned int			used_pmu_ctxs;
	bool				more_pmu_ctxs;
	struct perf_subctx		subctx[] __counted_by(nr);
};

#define PERF_TASK_GONE	((struct task_struct *)-1L)

/**
 * struct perf_event_pmu_context - the groups of a sub-context that need counters of one PMU
 *
 * Protected by ctx->lock. While @subctx is on, the lock of the CPU's context is held as well.
 * Drivers pass it around, but its members are private to the core.
 *
 * @pmu: the PMU
 * @ctx: the context
 * @subctx: the condition under which the groups count
 * @subctx_entry: on subctx->pmu_ctx_list
 * @cpu_entry: on perf_cpu_pmu_context::pmu_ctxs while @subctx is on
 * @pinned: leaders of pinned groups
 * @running: leaders of flexible groups that are scheduled in while @subctx is on. Together
 *	with the ACTIVE ones of @pinned they are the plan, which is kept while @subctx is off.
 * @waiting: leaders of flexible groups that wait, in the order in which they are selected
 * @unfit: leaders of flexible groups that did not fit without any other flexible group
 * @unfit_stale: groups of @unfit may fit by now; checked when the pmu_ctx is scheduled in
 * @nr_groups: number of groups on all four lists
 * @nr_waiting: number of groups in @waiting
 * @vruntime_offset: offset of perf_event::runtime to that of the CPU's other groups
 * @slice_end: end of the time slice, by the clock of @subctx
 * @plan_at: generation of the PMU at which the plan left no room for another group
 * @plan_beside: number of groups of other pmu_ctxs that were scheduled in at that time
 * @rcu_head: for freeing
 */
struct perf_event_pmu_context {
	struct pmu			*pmu;
	struct perf_event_context	*ctx;
	struct perf_subctx		*subctx;
	struct list_head		subctx_entry;
	struct list_head		cpu_entry;
	struct list_head		pinned;
	struct list_head		running;
	struct rb_root_cached		waiting;
	struct list_head		unfit;
	bool				unfit_stale;
	unsigned int			nr_groups;
	unsigned int			nr_waiting;
	s64				vruntime_offset;
	u64				slice_end;
	u64				plan_at;
	unsigned int			plan_beside;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_event_context - events of a task or of a CPU
 * @lock: see above
 * @mutex: see above
 * @own: events that count whenever the context is on
 * @local: of a task's context that is on, the sub-context bound to this CPU, if any
 * @subctxs: further sets: of a task's context by CPU, of a CPU's by cgroup id;
 *	changed under @mutex, read under RCU
 * @copied_subctxs: of a task's context, the sub-contexts for what was inherited and is bound to
 *	CPUs, or NULL; constant from before the context is on
 * @cpu: where the context is on, or -1; @lock
 * @task: whose; NULL for a CPU's, PERF_TASK_GONE
 * @event_list: all events, in the order of installation
 * @filtered: of a task's context, perf_filter_ranges::entry of events that can have
 *	address filters
 * @nr_events: on @event_list. A task's context is never on while there are none, and
 *	holds perf_sched_events as long as there are.
 * @nr_scheduled: groups that need a PMU's counters
 * @nr_sideband: events on the lists perf_subctx::sideband; @lock
 * @home_task: of a task's context with events that were opened, the task that they are for
 * @away: the context whose home is @task, while another task has that; @lock
 * @pin_count: reasons why it must stay with its task, see ctx_swap.h; @lock
 * @changes: how often its events have changed; @lock
 * @generation: contexts of the same @family and generation count the same, but for
 *	generation 0; @lock
 * @family: that it was copied to or from, referenced, or NULL; @lock
 * @operated: the opened event of this context that is changed now, together with what
 *	is inherited from it, see ctx_swap.h; @mutex to change
 * @operation: the number of that change
 * @copying: the number of the fork that copies the context; @mutex
 * @nr_user_reads: of a task's context, events whose counters the task reads by
 *	itself; @lock
 * @refcount: see above
 * @rcu_head: for freeing
 * @first_pmu_ctx: the first one of @own; not initialised before
 */
struct perf_event_context {
	raw_spinlock_t		lock;
	int			cpu;
	struct task_struct	*task;
	struct perf_subctx	*local;
	unsigned int		nr_scheduled;
	unsigned int		nr_sideband;
	unsigned int		pin_count;
	unsigned int		changes;
	u64			generation;
	struct perf_ctx_family *family;
	unsigned int		nr_user_reads;
	struct task_struct	*home_task;
	struct perf_event_context *away;
	struct xarray		subctxs;
	struct perf_copied_subctxs	*copied_subctxs;
	struct perf_subctx	own;

	struct mutex		mutex;
	struct perf_event	*operated;
	atomic64_t		operation;
	u64			copying;
	struct list_head	event_list;
	struct hlist_head	filtered;
	unsigned int		nr_events;
	refcount_t		refcount;
	struct rcu_head		rcu_head;
	struct perf_event_pmu_context first_pmu_ctx;
};

/**
 * struct perf_cpu_context - what counts on a CPU
 * @ctx: the CPU's own events
 * @task_ctx: the context of the running task, while it is on; this is what a
 *	context switch publishes. Written on the CPU with irqs off.
 * @clock_timer: ends periods of sampling clocks that are on, see clock_queue.h
 * @clock_timer_at: when it is to fire, perf_time(), or U64_MAX; irqs off
 * @clock_timer_for: the sub-context, on here, in which something is due then, or NULL; irqs off
 * @clock_others_at: in other sub-contexts that are on here nothing is due before that,
 *	perf_time(), or U64_MAX; irqs off
 * @cgroup_subctxs: sub-contexts of the running task's cgroups that are on
 * @nr_cgroup_subctxs: how many there are at all; ctx.lock
 * @cgrp: the cgroup for which @cgroup_subctxs was made
 * @pmus: PMUs with groups that are on or wait here; ctx.lock
 * @online: events can be opened on the CPU; ctx.mutex
 */
struct perf_cpu_context {
	struct perf_event_context	ctx;
	struct perf_event_context	*task_ctx;
	struct hrtimer			clock_timer;
	u64				clock_timer_at;
	struct perf_subctx		*clock_timer_for;
	u64				clock_others_at;
	struct perf_subctx		*cgroup_subctxs;
	unsigned int			nr_cgroup_subctxs;
	struct perf_cgroup		*cgrp;
	struct list_head		pmus;
	bool				online;
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

static inline struct perf_cpu_context *this_perf_cpu(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/* Of a context that is on here, the first sub-context beside its own one; others are chained. */
static inline struct perf_subctx *
perf_ctx_subctx_beside(const struct perf_event_context *ctx)
{
	if (ctx->task)
		return READ_ONCE(ctx->local);
	return READ_ONCE(this_perf_cpu()->cgroup_subctxs);
}

/* The sub-contexts of a context that are on here, its own first; irqs off. */
#define perf_ctx_for_each_subctx_on(subctx, ctx)				\
	for ((subctx) = &(ctx)->own; (subctx);				\
	     (subctx) = (subctx) == &(ctx)->own ? perf_ctx_subctx_beside(ctx) :	\
					    READ_ONCE((subctx)->chain))

/* The time against which a context's clocks are read; ctx->lock, or on its CPU. */
static inline u64 perf_ctx_now(const struct perf_event_context *ctx)
{
	int cpu = READ_ONCE(ctx->cpu);

	return cpu < 0 ? 0 : perf_time_of(cpu);
}

/* Are there sub-contexts beside its own one? */
static inline bool perf_ctx_has_subctxs(const struct perf_event_context *ctx)
{
	return ctx->copied_subctxs || !xa_empty(&ctx->subctxs);
}

static inline bool perf_ctx_is_task(const struct perf_event_context *ctx)
{
	return ctx->task;
}

static inline void perf_ctx_get(struct perf_event_context *ctx)
{
	refcount_inc(&ctx->refcount);
}

void perf_cpu_lock(struct perf_cpu_context *cpuctx);
void perf_cpu_unlock(struct perf_cpu_context *cpuctx);

struct perf_subctx *perf_subctx_find(struct perf_event_context *ctx, int cpu);

/* A program reads the control page of an event of the sub-context. */
static inline void perf_subctx_add_mapped(struct perf_subctx *subctx, struct perf_event *event)
{
	hlist_add_head(&event->mapped_entry, &subctx->mapped);
	subctx->busy = true;
}

/* An event that listened for @id has gone, or a group has: maybe it was the last. */
static inline void perf_subctx_update_ids(struct perf_subctx *subctx, unsigned int id)
{
	if (!hlist_empty(&subctx->listeners[id]) || !hlist_empty(&subctx->groups[id]))
		return;
	WRITE_ONCE(subctx->listened, subctx->listened & ~BIT(id));
	WRITE_ONCE(subctx->sampled, subctx->sampled & ~BIT(id));
}

/*
 * In a cgroup's sub-context because its leader is, without being the cgroup's itself: it
 * counts with its leader, is enabled all the time, and when the leader goes it is
 * an event of the whole CPU.
 */
static inline bool perf_cgroup_is_foreign(const struct perf_event *event,
					  const struct perf_subctx *subctx)
{
#ifdef CONFIG_CGROUP_PERF
	return subctx->cgrp && !event->cgrp;
#else
	return false;
#endif
}

/* sched_events.c */
void perf_sched_events_inc(void);
void perf_sched_events_dec(void);

/* The context has changed: it is like no other. */
static inline void perf_ctx_changed(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->changes++;
	WRITE_ONCE(ctx->generation, 0);
}

#endif /* _KERNEL_EVENTS_CONTEXTS_H */
