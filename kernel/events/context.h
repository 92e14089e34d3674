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
 *   Two tasks may exchange theirs, and get them back, see clones.h.
 *   When the task exits, or execs a program that may not be watched, the
 *   context is unhooked and ctx->task becomes PERF_TASK_GONE: no event can be
 *   installed any more, those that are there stay readable. That is stored under
 *   ctx->lock, and the task's reference goes after it: who finds another task there
 *   under the lock does not drop the last one. The memory goes a grace period after
 *   that. CPU contexts are static.
 */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/xarray.h>
#include "set.h"

#define PERF_TASK_GONE	((struct task_struct *)-1L)

/**
 * struct perf_event_context - events of a task or of a CPU
 * @lock: see above
 * @mutex: see above
 * @own: events that count whenever the context is on
 * @local: of a task's context that is on, the set bound to this CPU, if any
 * @sets: further sets: of a task's context by CPU, of a CPU's by cgroup id;
 *	changed under @mutex, read under RCU
 * @copied_sets: of a task's context, the sets for what was inherited and is bound to
 *	CPUs, or NULL; constant from before the context is on
 * @cpu: where the context is on, or -1; @lock
 * @task: whose; NULL for a CPU's, PERF_TASK_GONE
 * @event_list: all events, in the order of installation
 * @filtered: of a task's context, perf_filter_ranges::entry of events that can have
 *	address filters
 * @nr_events: on @event_list. A task's context is never on while there are none, and
 *	holds perf_sched_events as long as there are.
 * @nr_placed: groups that need a PMU's counters
 * @nr_sideband: events on the lists perf_event_set::sideband; @lock
 * @home: of a task's context with events that were opened, the task that they are for
 * @away: the context whose home is @task, while another task has that; @lock
 * @tied: reasons why it must stay with its task, see clones.h; @lock
 * @changes: how often its events have changed; @lock
 * @generation: contexts of the same @family and generation count the same, but for
 *	generation 0; @lock
 * @family: that it was copied to or from, referenced, or NULL; @lock
 * @operated: the opened event of this context that is changed now, together with what
 *	is inherited from it, see clones.h; @mutex to change
 * @operation: the number of that change
 * @copying: the number of the fork that copies the context; @mutex
 * @nr_user_reads: of a task's context, events whose counters the task reads by
 *	itself; @lock
 * @refcount: see above
 * @rcu_head: for freeing
 * @first_queue: the first one of @own; not initialised before
 */
struct perf_event_context {
	raw_spinlock_t		lock;
	int			cpu;
	struct task_struct	*task;
	struct perf_event_set	*local;
	unsigned int		nr_placed;
	unsigned int		nr_sideband;
	unsigned int		tied;
	unsigned int		changes;
	u64			generation;
	struct perf_clones_family *family;
	unsigned int		nr_user_reads;
	struct task_struct	*home;
	struct perf_event_context *away;
	struct xarray		sets;
	struct perf_copied_sets	*copied_sets;
	struct perf_event_set	own;

	struct mutex		mutex;
	struct perf_event	*operated;
	atomic64_t		operation;
	u64			copying;
	struct list_head	event_list;
	struct hlist_head	filtered;
	unsigned int		nr_events;
	refcount_t		refcount;
	struct rcu_head		rcu_head;
	struct perf_event_pmu_context first_queue;
};

/**
 * struct perf_cpu_context - what counts on a CPU
 * @ctx: the CPU's own events
 * @task_ctx: the context of the running task, while it is on; this is what a
 *	context switch publishes. Written on the CPU with irqs off.
 * @clock_timer: ends periods of sampling clocks that are on, see clock_queue.h
 * @clock_timer_at: when it is to fire, perf_time(), or U64_MAX; irqs off
 * @clock_timer_for: the set, on here, in which something is due then, or NULL; irqs off
 * @clock_others_at: in other sets that are on here nothing is due before that,
 *	perf_time(), or U64_MAX; irqs off
 * @cgroup_sets: sets of the running task's cgroups that are on
 * @nr_cgroup_sets: how many there are at all; ctx.lock
 * @cgrp: the cgroup for which @cgroup_sets was made
 * @pmus: PMUs with groups that are on or wait here; ctx.lock
 * @online: events can be opened on the CPU; ctx.mutex
 */
struct perf_cpu_context {
	struct perf_event_context	ctx;
	struct perf_event_context	*task_ctx;
	struct hrtimer			clock_timer;
	u64				clock_timer_at;
	struct perf_event_set		*clock_timer_for;
	u64				clock_others_at;
	struct perf_event_set		*cgroup_sets;
	unsigned int			nr_cgroup_sets;
	struct perf_cgroup		*cgrp;
	struct list_head		pmus;
	bool				online;
};

DECLARE_PER_CPU(struct perf_cpu_context, perf_cpu_context);

static inline struct perf_cpu_context *this_perf_cpu(void)
{
	return this_cpu_ptr(&perf_cpu_context);
}

/* Of a context that is on here, the first set beside its own one; others are chained. */
static inline struct perf_event_set *
perf_ctx_set_beside(const struct perf_event_context *ctx)
{
	if (ctx->task)
		return READ_ONCE(ctx->local);
	return READ_ONCE(this_perf_cpu()->cgroup_sets);
}

/* The sets of a context that are on here, its own first; irqs off. */
#define perf_ctx_for_each_set_on(set, ctx)				\
	for ((set) = &(ctx)->own; (set);				\
	     (set) = (set) == &(ctx)->own ? perf_ctx_set_beside(ctx) :	\
					    READ_ONCE((set)->chain))

/* The time against which a context's clocks are read; ctx->lock, or on its CPU. */
static inline u64 perf_ctx_now(const struct perf_event_context *ctx)
{
	int cpu = READ_ONCE(ctx->cpu);

	return cpu < 0 ? 0 : perf_time_of(cpu);
}

/* Are there sets beside its own one? */
static inline bool perf_ctx_has_sets(const struct perf_event_context *ctx)
{
	return ctx->copied_sets || !xa_empty(&ctx->sets);
}

static inline bool perf_ctx_is_task(const struct perf_event_context *ctx)
{
	return ctx->task;
}

static inline void perf_ctx_get(struct perf_event_context *ctx)
{
	refcount_inc(&ctx->refcount);
}

/*
 * For perf_ctx_call(). One that takes the last event out of a task's context that is on
 * has to switch it off, as perf_ctx_remove() does: the scheduler may not look again.
 */
typedef void (*perf_ctx_fn)(struct perf_event_context *ctx, void *arg);

void perf_ctx_alloc_init(void);
void perf_ctx_init_cpu(struct perf_cpu_context *cpuctx, int cpu);
struct perf_event_context *perf_ctx_alloc_task(struct task_struct *task);
void perf_ctx_put_many(struct perf_event_context *ctx, unsigned int nr);

/* Drop a reference; task context. */
static inline void perf_ctx_put(struct perf_event_context *ctx)
{
	perf_ctx_put_many(ctx, 1);
}

void perf_ctx_wait_unused(struct perf_event_context *ctx);

struct perf_event_context *perf_ctx_find(struct task_struct *task, int cpu);
void perf_ctx_put_found(struct perf_event_context *ctx);
struct perf_event_context *perf_ctx_lock_of_event(struct perf_event *event);
struct perf_event_context *perf_ctx_unhook(struct task_struct *task);

void perf_ctx_on(struct perf_event_context *ctx);
void perf_ctx_off(struct perf_event_context *ctx);

void perf_ctx_call(struct perf_event_context *ctx, perf_ctx_fn fn, void *arg);

bool perf_ctx_is_online(const struct perf_event_context *ctx);
int perf_ctx_install(struct perf_event_context *ctx, struct perf_event *event);
int perf_ctx_prepare_copy(struct perf_event_context *ctx, struct perf_event *copy,
			  struct perf_event *original);
void perf_ctx_enter(struct perf_event_context *ctx, struct perf_event **events,
		    unsigned int nr);
void perf_ctx_leave(struct perf_event_context *ctx, struct perf_event *event);
void perf_ctx_remove(struct perf_event *event, enum perf_event_state state,
		     bool keep_group);

void perf_cpu_lock(struct perf_cpu_context *cpuctx);
void perf_cpu_unlock(struct perf_cpu_context *cpuctx);

void perf_sched_events_inc(void);
void perf_sched_events_dec(void);

#endif /* _KERNEL_EVENTS_CONTEXT_H */
