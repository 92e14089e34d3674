// SPDX-License-Identifier: GPL-2.0
/*
 * Inheritance: fork, exec, exit.
 *
 * A new task gets a child event for each inherited event of its parent task, group by group;
 * see child.c. The parent of all child events is the event that was opened, which lists them.
 * When a task exits, its events leave their context. The count of a child event is added to
 * its parent before the exit is visible to other tasks. An opened event stays readable until
 * its file is closed.
 *
 * Locking: the old task's ctx->mutex, the new task's, the parent event's
 * child_mutex, in this order. The last is held from looking at the event's
 * state until the copy is on the list, so that an ioctl on the parent meets
 * either no copy or a complete one; but not while the copy is made, since that
 * takes locks of tracing and, under them, cpus_read_lock(). Task context.
 */
#include <linux/sched/signal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/refusal.h"
#include "../output/wakeup.h"
#include "../sideband/sideband.h"
#include "../sched/pmu_ops.h"
#include "../context/ctx_swap.h"
#include "../context/context.h"
#include "../context/state.h"
#include "../buffer/filter.h"
#include "child.h"
#include "owner.h"

/* how many events begin at the same moment when a task execs */
#define PERF_EXEC_AT_ONCE	32

static unsigned int perf_ctx_nr_inherited(struct perf_event_context *ctx, u64 clone_flags)
{
	struct perf_event *event;
	unsigned int nr = 0;

	list_for_each_entry(event, &ctx->event_list, event_entry)
		nr += perf_event_is_inherited(event, clone_flags);
	return nr;
}

static int perf_ctx_inherit(struct perf_event_context *ctx, struct task_struct *child,
			    u64 clone_flags)
{
	unsigned int nr;

	guard(mutex)(&ctx->mutex);
	nr = perf_ctx_nr_inherited(ctx, clone_flags);
	if (!nr)
		return 0;
	child->perf_event_ctxp = perf_ctx_alloc_task(child);
	if (!child->perf_event_ctxp)
		return -ENOMEM;
	return perf_children_make(ctx, child, clone_flags, nr);
}

static int perf_task_inherit(struct task_struct *child, u64 clone_flags)
{
	struct perf_event_context *ctx;
	int err;

	if (likely(!READ_ONCE(current->perf_event_ctxp)))
		return 0;
	ctx = perf_ctx_pin_own(current);
	if (!ctx)
		return 0;

	err = perf_ctx_inherit(ctx, child, clone_flags);
	perf_ctx_unpin(ctx);
	if (err)
		perf_event_free_task(child);
	return err;
}

/**
 * perf_event_init_task() - fork: current's events for its new child
 * @child: not visible to other tasks yet; contains copies of current's pointers
 * @clone_flags: CLONE_*
 *
 * Return: 0 or an errno, and nothing is left behind then.
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	child->perf_event_ctxp = NULL;
	mutex_init(&child->perf_event_mutex);
	INIT_LIST_HEAD(&child->perf_event_list);
	memset(child->perf_recursion, 0, sizeof(child->perf_recursion));

	return perf_task_inherit(child, clone_flags);
}

/*
 * The event leaves its context. When its whole group does, an opened one stays
 * in it, so that the group can still be read.
 */
static void perf_event_exit_one(struct perf_event *event, bool whole_group)
{
	bool opened = !event->parent;

	perf_ctx_remove(event, PERF_EVENT_STATE_EXIT, opened && whole_group);
	if (opened) {
		perf_event_wakeup(event);
	} else if (perf_child_add_to_parent(event)) {
		/* else perf_event_close() of the parent has it */
		perf_event_put(event);
	}
}

/* Child events without references are added to @gone. */
static void perf_ctx_exit(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);

	perf_children_exit(ctx, gone);
	/* siblings before their leaders: no sibling need be promoted */
	while (!list_empty(&ctx->event_list)) {
		event = list_last_entry(&ctx->event_list, struct perf_event,
					event_entry);
		perf_event_exit_one(event, true);
	}
}

/**
 * perf_event_exit_task() - a task exits, or must not be watched any more
 * @task: current; in the second case it lives on and can get new events
 */
void perf_event_exit_task(struct task_struct *task)
{
	struct perf_event_context *ctx;
	LIST_HEAD(gone);

	perf_owner_exit(task);
	ctx = perf_ctx_unhook(task);
	if (!ctx) {
		perf_sideband_exit(task, NULL);
		return;
	}
	scoped_guard(mutex, &ctx->mutex) {
		perf_sideband_exit(task, ctx);
		perf_sideband_read(ctx, task);
		perf_ctx_exit(ctx, &gone);
	}
	perf_children_free(&gone);
	perf_ctx_put(ctx);
}

/**
 * perf_event_free_task() - fork has failed
 * @task: the child that never ran
 *
 * The caller frees the task regardless of references. perf_event_close() of a parent event may
 * still reference a child event of the task: wait for it.
 */
void perf_event_free_task(struct task_struct *task)
{
	struct perf_event_context *ctx = perf_ctx_unhook(task);
	LIST_HEAD(gone);

	if (ctx) {
		scoped_guard(mutex, &ctx->mutex)
			perf_ctx_exit(ctx, &gone);
		perf_children_free(&gone);
		perf_ctx_wait_unused(ctx);
		perf_ctx_put(ctx);
	}
	perf_refusal_free_task(task);
}

/**
 * perf_event_delayed_put() - a task is about to be freed
 * @task: the task; softirq
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
	perf_refusal_free_task(task);
}

/**
 * struct perf_exec_bunch - events that begin at the same moment when a task execs
 * @nr: how many
 * @events: they
 */
struct perf_exec_bunch {
	unsigned int		nr;
	struct perf_event	*events[PERF_EXEC_AT_ONCE];
};

/* Hold the counters of all that will be enabled, or let them go. */
static void perf_exec_hold(struct perf_exec_bunch *bunch, bool hold)
{
	for (unsigned int i = 0; i < bunch->nr; i++) {
		struct pmu *group_pmu = bunch->events[i]->group_leader->group_pmu;

		if (!group_pmu || perf_pmu_is_absent(group_pmu))
			continue;
		if (hold)
			perf_pmu_disable(group_pmu);
		else
			perf_pmu_enable(group_pmu);
	}
}

/* All of them from the same moment on, by their clocks and by their counters. */
static void perf_exec_enable_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_exec_bunch *bunch = arg;
	u64 now = perf_ctx_now(ctx);

	perf_ctx_changed(ctx);
	perf_exec_hold(bunch, true);
	for (unsigned int i = 0; i < bunch->nr; i++)
		__perf_event_enable(bunch->events[i], now);
	perf_exec_hold(bunch, false);
}

static void perf_exec_enable_bunch(struct perf_event_context *ctx,
				   struct perf_exec_bunch *bunch)
{
	if (!bunch->nr)
		return;
	perf_ctx_call(ctx, perf_exec_enable_locked, bunch);
	for (unsigned int i = 0; i < bunch->nr; i++)
		bunch->events[i]->attr.enable_on_exec = 0;
	bunch->nr = 0;
}

/* Of all that are to be enabled, the leaders, or the siblings. */
static void perf_exec_enable(struct perf_event_context *ctx, bool leaders)
{
	struct perf_exec_bunch bunch __uninitialized;
	struct perf_event *event;

	bunch.nr = 0;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (!event->attr.enable_on_exec || perf_event_leads(event) != leaders)
			continue;
		bunch.events[bunch.nr++] = event;
		if (bunch.nr < PERF_EXEC_AT_ONCE)
			continue;
		perf_exec_enable_bunch(ctx, &bunch);
		cond_resched();
	}
	perf_exec_enable_bunch(ctx, &bunch);
}

/*
 * A group begins to count with its leader, as a whole and from one moment on; so its
 * siblings are enabled first, and it is put on once. Leaders and single events begin in
 * the order in which they were opened, up to PERF_EXEC_AT_ONCE at the same moment, with
 * interrupts on before the next ones. Siblings whose leader counts already begin in such
 * bunches, too.
 */
static void perf_ctx_exec(struct perf_event_context *ctx)
{
	struct perf_event *event, *next;

	guard(mutex)(&ctx->mutex);
	perf_exec_enable(ctx, false);
	perf_exec_enable(ctx, true);
	list_for_each_entry_safe_reverse(event, next, &ctx->event_list, event_entry) {
		if (event->attr.remove_on_exec)
			perf_event_exit_one(event, false);
		else if (perf_filter_names_files(event))
			perf_filter_refresh(event);
	}
}

/**
 * perf_event_exec() - current becomes another program
 *
 * Task context, exec_update_lock held.
 */
void perf_event_exec(void)
{
	struct perf_event_context *ctx;

	if (likely(!READ_ONCE(current->perf_event_ctxp)))
		return;
	ctx = perf_ctx_pin_own(current);
	if (!ctx)
		return;
	perf_ctx_exec(ctx);
	perf_ctx_unpin(ctx);
}
