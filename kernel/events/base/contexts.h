/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: all events of one task, or of one CPU.
 *
 * Locking rules
 *
 *   ctx->mutex		Protects membership: install, remove, group and ungroup, inherit,
 *			exec, exit. Sleeps. Lock order: a parent task's, then its
 *			child's; a task's, then a CPU's. Outside all locks below.
 *   event->child_mutex	Inside ctx->mutex. Protects the list of child events, and orders
 *			changes of attr.sample_period and forks. A leader's is taken before a
 *			sibling's.
 *   ctx->lock		Protects states, times, sub-contexts and lists. Raw, irqs off.
 *			A CPU's is taken before a task's. To schedule groups in or out,
 *			the caller must hold the lock of the CPU's context and the lock
 *			of the group's. No wakeups and no rq lock under it.
 *
 * A list of events may be read under either ctx->mutex or ctx->lock, and is changed under both.
 * Code that needs the hardware, or changes the lists of listeners, uses perf_ctx_call(). That
 * runs on the CPU where the context is scheduled in, if it is.
 *
 * Lifetime rules
 *
 *   A task's context is referenced by the task and by each of its events. Two tasks may
 *   swap their contexts, and swap back, see ctx_swap.h. When the task exits, or execs a
 *   program that may not be observed, the context is detached from the task and ctx->task
 *   becomes PERF_TASK_GONE: no event can be installed any more, existing ones stay readable.
 *   PERF_TASK_GONE is stored under ctx->lock, and the task's reference is dropped after that.
 *   So while ctx->task is a task under the lock, a put does not drop the last reference.
 *   The memory is freed a grace period after the last put. CPU contexts are static.
 */
#ifndef _KERNEL_EVENTS_CONTEXTS_H
#define _KERNEL_EVENTS_CONTEXTS_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/rbtree_types.h>
#include <linux/timerqueue.h>
#include <linux/xarray.h>

#include "clock.h"

/**
 * struct perf_clock_queue - sampling clock events of a sub-context that count
 * @events: hw_perf_event::clock_node of those that follow no leader
 * @groups: perf_follower_clocks::linked, of leaders that are ACTIVE
 * @due: end of the earliest period, by the sub-context's clock; KTIME_MAX: none
 */
struct perf_clock_queue {
	struct timerqueue_head	events;
	struct timerqueue_head	groups;
	ktime_t			due;
};

/**
 * struct perf_follower_clocks - sampling clock events among the followers of a leader
 * @events: hw_perf_event::clock_node, by the running time of the leader
 * @linked: on perf_clock_queue::groups, by the sub-context's clock
 * @is_linked: @linked is on the list; true if the leader is ACTIVE and @events is not empty
 */
struct perf_follower_clocks {
	struct timerqueue_head	events;
	struct timerqueue_node	linked;
	bool			is_linked;
};

/*
 * Sub-contexts: the events of a context that count under one condition.
 *
 *	context		condition				clock for time_enabled
 *	a task's	the task runs (ctx->own)		its own
 *	a task's	the task runs on one certain CPU	the clock of ctx->own
 *	a CPU's		always (ctx->own)			its own
 *	a CPU's		a task of one certain cgroup, or of
 *			a cgroup below it, runs			its own
 *
 * A sibling is in its leader's sub-context. A sibling without a cgroup, with a leader in a
 * cgroup, is foreign there: its time_enabled follows the CPU's own sub-context, to which the
 * sibling moves when it loses its leader. That can be at a time when nothing can be allocated, so
 * @traced and @sideband of the CPU's own sub-context have foreign events from the start.
 *
 * When the condition begins or ceases to hold, the whole sub-context is scheduled in or out:
 * its clock, and the groups that compete for a PMU. Unscheduled software events are not
 * touched; an occurrence finds them through @listeners.
 *
 * Locking rules: everything here is protected by ctx->lock. The lists of listeners change only
 * on the CPU on which the sub-context is scheduled in, or while it is scheduled out, and are
 * read on that CPU under RCU. So an occurrence never sees an event in the middle of a move
 * between lists, except in NMI.
 *
 * Lifetime rules: the sub-context that a context embeds lives as long as the context. The same
 * holds for the sub-contexts of a new task's child events: they are allocated and freed in one
 * piece with their pmu_ctxs. Others are allocated for the first event that needs them. They live
 * until their context is freed or, for a cgroup, until their last event is removed.
 */

/**
 * struct perf_subctx - events that are scheduled in and out together
 * @listened: bit n is set if listeners[n] or groups[n] is not empty
 * @sampled: bit n is set if some of those listeners may sample, if groups[n] is not empty,
 *	or if there may be more than PERF_WALK_AT_ONCE listeners
 * @listeners: software events that count now, by PERF_COUNT_SW_*, except those that follow a
 *	leader
 * @groups: followers of leaders that count now: lists of perf_follower_list::linked
 * @clock: runs while the condition holds
 * @clocks: sampling clock events that count
 * @enabled: the clock from which time_enabled is derived
 * @ctx: owner
 * @pmu_ctx_list: groups that need a PMU's counters, by PMU
 * @mapped: perf_event::mapped_entry of events with a control page that user space reads;
 *	updated when the sub-context is scheduled in. Of a CPU's, those that follow a leader.
 * @sideband: perf_event::sideband_entry of events that record side-band data, except foreign
 *	ones, which are on the list of the CPU's own sub-context; read under RCU on the CPU where
 *	the sub-context is scheduled in
 * @freq_events: perf_event::freq_entry of events in frequency mode
 * @busy: there is, or was when last scheduled in, more to switch than @clock: groups on
 *	@pmu_ctx_list, @mapped, @traced_added or @clocks
 * @traced: perf_traced::subctx_entry of its tracepoints, except of foreign events, which are
 *	on the list of the CPU's own sub-context; of a task's sub-context that is bound to a CPU
 *	read under RCU on that CPU, even while the sub-context is scheduled out
 * @traced_tree: of a CPU's sub-context, perf_traced::node of those on @traced, by tracepoint;
 *	ctx->mutex
 * @traced_added: perf_traced::added_entry of those with events that count
 * @chain: the next outer cgroup's sub-context while both are scheduled in
 * @cpu: of a task's sub-context, the CPU that it is bound to, or -1
 * @cgrp: of a CPU's sub-context, the cgroup, referenced, or NULL
 * @nr_events: number of attached events
 * @nr_foreign: of a CPU's own sub-context, number of foreign events in the others; ctx->lock
 * @nr_moving: number of groups that are being moved from or to the sub-context; ctx->mutex
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
	struct rb_root			traced_tree;
	struct hlist_head		traced_added;
	struct perf_subctx		*chain;
	int				cpu;
	struct perf_cgroup		*cgrp;
	unsigned int			nr_events;
	unsigned int			nr_foreign;
	unsigned int			nr_moving;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_inherited_subctxs - inherited sub-contexts of a task's context, with their pmu_ctxs
 * @nr: number of sub-contexts
 * @nr_pmu_ctxs: number of pmu_ctxs allocated behind the sub-contexts
 * @used_pmu_ctxs: number of these that are in use
 * @more_pmu_ctxs: some of the sub-contexts have pmu_ctxs that are not among these
 * @subctx: sorted by CPU
 */
struct perf_inherited_subctxs {
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
 * Caller must hold ctx->lock, and while @subctx is scheduled in the lock of the CPU's context.
 * Drivers pass it around, but its members are private to the core.
 *
 * @pmu: the PMU
 * @ctx: the context
 * @subctx: the condition under which the groups count
 * @subctx_entry: on subctx->pmu_ctx_list
 * @cpu_entry: on perf_cpu_pmu_context::pmu_ctxs while @subctx is scheduled in
 * @pinned: leaders of pinned groups
 * @running: leaders of flexible groups that are scheduled in while @subctx is. Together with
 *	the ACTIVE ones of @pinned they are the plan, which is kept while @subctx is out.
 * @waiting: leaders of flexible groups that wait, in the order in which they are selected
 * @unfit: leaders of flexible groups that did not fit without any other flexible group
 * @retried: the unfit group that waits again, or NULL; perf_fair_retry_ended() clears it when the
 *	group fits, does not fit, or leaves the pmu_ctx
 * @unfit_stale: groups of @unfit may fit by now; checked when the pmu_ctx is scheduled in
 * @nr_groups: number of groups on all four lists
 * @nr_waiting: number of groups in @waiting
 * @vruntime_offset: offset of perf_event::runtime to the runtime of the side's other groups
 * @nr_used: sum of perf_event::nr_used of @running
 * @lag: of a task: perf_cpu_pmu_context::lag when the pmu_ctx was scheduled out
 * @slice_end: end of the time slice, by the clock of @subctx
 * @plan_at: generation of the PMU at which the plan left no room for another group
 * @plan_scheduled: number of groups of all pmu_ctxs that had counters at that time
 * @plan_used: number of counters that the flexible ones of them had
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
	struct perf_event		*retried;
	bool				unfit_stale;
	unsigned int			nr_groups;
	unsigned int			nr_waiting;
	s64				vruntime_offset;
	int				nr_used;
	s64				lag;
	u64				slice_end;
	u64				plan_at;
	unsigned int			plan_scheduled;
	int				plan_used;
	struct rcu_head			rcu_head;
};

/**
 * struct perf_event_context - events of a task or of a CPU
 * @lock: see above
 * @mutex: see above
 * @own: events that count whenever the context is scheduled in
 * @local: of a task's context that is scheduled in, the sub-context bound to this CPU, if any
 * @subctxs: further sub-contexts: of a task's context by CPU, of a CPU's by cgroup id;
 *	changed under @mutex, read under RCU
 * @inherited_subctxs: of a task's context, the sub-contexts of child events that are bound to
 *	CPUs, or NULL; constant since before the context is first scheduled in
 * @cpu: the CPU where the context is scheduled in, or -1; @lock
 * @task: the task; NULL for a CPU's context, PERF_TASK_GONE after detaching
 * @event_list: all events, in the order of installation
 * @filtered: of a task's context, perf_filter_ranges::entry of events that can have
 *	address filters
 * @task_data: of a task's context, the data of drivers for the task, see task_data.c
 * @nr_events: number of events on @event_list. A task's context is scheduled in, and holds a
 *	reference to perf_switch_key, only while there are any.
 * @nr_enqueued: number of enqueued groups: enabled, need the counters of a PMU, have them or wait
 * @nr_sideband: number of events on the lists perf_subctx::sideband; @lock
 * @home_task: of a task's context with opened events, the task that they were opened for
 * @away: the context that was opened for @task, while a context swap has given it to another
 *	task; @lock
 * @pin_count: number of reasons that forbid a context swap, see ctx_swap.h; @lock
 * @changes: number of changes of its events; @lock
 * @generation: contexts of the same @family and generation are equivalent, except for
 *	generation 0; @lock
 * @family: contexts that this one was inherited by or from, referenced, or NULL; @lock
 * @operated: the opened event of this context that is being changed together with its
 *	child events, see ctx_swap.h; changed under @mutex
 * @operation: sequence number of that change
 * @nr_forks: sequence number of the fork that inherits from the context; @mutex
 * @nr_group_reads: sequence number of the read of a group with child events; @mutex
 * @nr_user_reads: of a task's context, number of events with counters that the task reads
 *	directly; @lock
 * @unlike: an event is not as in the context that this one was inherited from; set before the
 *	context is visible
 * @refcount: see above
 * @rcu_head: for freeing
 * @first_pmu_ctx: the first pmu_ctx of @own; uninitialised until it is used
 */
struct perf_event_context {
	raw_spinlock_t		lock;
	int			cpu;
	struct task_struct	*task;
	struct perf_subctx	*local;
	unsigned int		nr_enqueued;
	unsigned int		nr_sideband;
	unsigned int		pin_count;
	unsigned int		changes;
	u64			generation;
	struct perf_ctx_family *family;
	unsigned int		nr_user_reads;
	bool			unlike;
	struct task_struct	*home_task;
	struct perf_event_context *away;
	struct xarray		subctxs;
	struct perf_inherited_subctxs	*inherited_subctxs;
	struct perf_subctx	own;

	struct mutex		mutex;
	struct perf_event	*operated;
	atomic64_t		operation;
	u64			nr_forks;
	u64			nr_group_reads;
	struct list_head	event_list;
	struct hlist_head	filtered;
	struct hlist_head	task_data;
	unsigned int		nr_events;
	refcount_t		refcount;
	struct rcu_head		rcu_head;
	struct perf_event_pmu_context first_pmu_ctx;
};

/**
 * struct perf_cpu_context - what counts on a CPU
 * @ctx: the CPU's own events
 * @task_ctx: the context of the running task, while it is scheduled in; published by the
 *	context switch. Written on the CPU with irqs off.
 * @clock_timer: ends periods of sampling clock events that count here, see clock_queue.h
 * @clock_timer_at: expiry of the timer, perf_time(), or U64_MAX; irqs off
 * @clock_timer_for: the sub-context scheduled in here that the timer was armed for, or NULL;
 *	irqs off
 * @clock_others_at: no period in other sub-contexts that are scheduled in here ends before
 *	that, perf_time(), or U64_MAX; irqs off
 * @cgroup_subctxs: sub-contexts of the running task's cgroups that are scheduled in
 * @nr_cgroup_subctxs: number of all cgroup sub-contexts of the CPU; ctx.lock
 * @cgrp: the cgroup from which @cgroup_subctxs was computed
 * @pmus: PMUs with groups that are scheduled in or wait here; ctx.lock
 * @sched_task_pmus: perf_cpu_pmu_context::sched_task_entry of PMUs that have requested calls of
 *	sched_task() here; irqs off
 * @online: events can be opened on the CPU; ctx.mutex
 * @online_since: when @online was set, see perf_pmu_moment(); ctx.mutex
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
	struct list_head		sched_task_pmus;
	bool				online;
	u64				online_since;
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

static inline struct perf_cpu_context *this_perf_cpu(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/*
 * The first sub-context other than @own that is scheduled in here, or NULL; perf_subctx::chain
 * connects the others. The context must be scheduled in here.
 */
static inline struct perf_subctx *
perf_ctx_subctx_beside(const struct perf_event_context *ctx)
{
	if (ctx->task)
		return READ_ONCE(ctx->local);
	return READ_ONCE(this_perf_cpu()->cgroup_subctxs);
}

/*
 * Iterate over the sub-contexts that are scheduled in here, @own first. The context must be
 * scheduled in here, and preemption must be off. If irqs are on, sub-contexts may be linked and
 * unlinked in between; RCU keeps them valid.
 */
#define perf_ctx_for_each_subctx_on(subctx, ctx)				\
	for ((subctx) = &(ctx)->own; (subctx);				\
	     (subctx) = (subctx) == &(ctx)->own ? perf_ctx_subctx_beside(ctx) :	\
					    READ_ONCE((subctx)->chain))

/*
 * The time at which to read a context's clocks: the time of the CPU where it is scheduled in, or
 * 0, since the clocks of a context that is scheduled out are stopped.
 * Context: Caller must hold ctx->lock or run on the context's CPU. In NMI the latter.
 */
static inline u64 perf_ctx_now(const struct perf_event_context *ctx)
{
	int cpu = READ_ONCE(ctx->cpu);

	if (cpu < 0)
		return 0;
	return cpu == raw_smp_processor_id() ? perf_time() : sched_clock_cpu(cpu);
}

/* Does the context have sub-contexts other than @own? */
static inline bool perf_ctx_has_subctxs(const struct perf_event_context *ctx)
{
	return ctx->inherited_subctxs || !xa_empty(&ctx->subctxs);
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

/* Add an event with a control page that user space reads. Caller must hold ctx->lock. */
static inline void perf_subctx_add_mapped(struct perf_subctx *subctx, struct perf_event *event)
{
	hlist_add_head(&event->mapped_entry, &subctx->mapped);
	subctx->busy = true;
}

/* Clear the bits of @id if the removed listener or group was the last one. */
static inline void perf_subctx_update_ids(struct perf_subctx *subctx, unsigned int id)
{
	if (!hlist_empty(&subctx->listeners[id]) || !hlist_empty(&subctx->groups[id]))
		return;
	WRITE_ONCE(subctx->listened, subctx->listened & ~BIT(id));
	WRITE_ONCE(subctx->sampled, subctx->sampled & ~BIT(id));
}

/*
 * Is the event in a cgroup's sub-context only because its leader is? Such an event counts with
 * its leader, but its time_enabled runs all the time. When the leader goes away, it becomes an
 * event of the whole CPU.
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

/*
 * The sub-context that an event of @subctx is in without its leader: a foreign event is in the
 * CPU's own.
 */
static inline struct perf_subctx *
perf_event_lone_subctx(const struct perf_event *event, struct perf_subctx *subctx)
{
	return perf_cgroup_is_foreign(event, subctx) ? &subctx->ctx->own : subctx;
}

/* switch_key.c */
void perf_switch_key_inc(void);
void perf_switch_key_dec(void);

/* The context has changed, so it is no longer equivalent to any other one. */
static inline void perf_ctx_changed(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->changes++;
	WRITE_ONCE(ctx->generation, 0);
}

#endif /* _KERNEL_EVENTS_CONTEXTS_H */
