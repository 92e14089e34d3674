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
 * Locking: the lock order is ctx->mutex of the old task, ctx->mutex of the new task,
 * child_mutex of the parent event. child_mutex is held from reading the parent's state until
 * the child event is on the list, so that an ioctl on the parent finds either no child event
 * or a complete one. child_mutex is not held while the child event is made, because that takes
 * locks of tracing and, under these, cpus_read_lock(). Task context.
 */
#include <linux/sched/signal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/refusal.h"
#include "../output/wakeup.h"
#include "../sideband/sideband.h"
#include "../sched/pmu_ops.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/ctx_swap.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../context/task_ctx.h"
#include "../trace/filter.h"
#include "child.h"
#include "event.h"
#include "owner.h"

/* number of events that begin at the same moment when a task execs */
#define PERF_EXEC_AT_ONCE	32

static int perf_ctx_inherit(struct perf_event_context *ctx, struct task_struct *child,
			    u64 clone_flags)
{
	struct perf_event *event;
	unsigned int nr = 0;

	guard(mutex)(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		nr += perf_event_is_inherited(event, clone_flags);
		cond_resched();
	}
	if (!nr)
		return 0;
	child->perf_event_ctxp = perf_ctx_alloc_task(child);
	if (!child->perf_event_ctxp)
		return -ENOMEM;
	return perf_children_make(ctx, child, clone_flags, nr);
}

/**
 * perf_event_init_task() - inherit current's events to a new task
 * @child: the new task, not visible to other tasks yet; its pointers are copies of current's
 * @clone_flags: CLONE_*
 *
 * Context: task, in fork(2), may sleep.
 * Return: 0 or an errno. After an error the new task has neither events nor a context.
 */
int perf_event_init_task(struct task_struct *child, u64 clone_flags)
{
	struct perf_event_context *ctx;
	int err;

	child->perf_event_ctxp = NULL;
	mutex_init(&child->perf_event_mutex);
	INIT_LIST_HEAD(&child->perf_event_list);
	memset(child->perf_recursion, 0, sizeof(child->perf_recursion));

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

/*
 * Remove an event from its context. If its whole group is removed, an opened event stays a
 * member of the group, so that the group can still be read. Caller must hold ctx->mutex.
 */
static void perf_event_exit_one(struct perf_event *event, bool whole_group)
{
	bool opened = !event->parent;

	perf_ctx_remove(event, PERF_EVENT_STATE_EXIT, opened && whole_group);
	if (opened) {
		perf_event_wakeup(event);
	} else if (perf_child_add_to_parent(event)) {
		/* false: perf_event_close() of the parent drops the reference */
		perf_event_put(event);
	}
}

/* Remove all events from a context. Child events without references are added to @gone. */
static void perf_ctx_exit(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *event;

	lockdep_assert_held(&ctx->mutex);

	perf_children_exit(ctx, gone);
	/* siblings come before their leaders, so that no sibling becomes a leader meanwhile */
	while (!list_empty(&ctx->event_list)) {
		event = list_last_entry(&ctx->event_list, struct perf_event,
					event_entry);
		perf_event_exit_one(event, true);
		cond_resched();
	}
}

/**
 * perf_event_exit_task() - remove the events of a task
 * @task: current, which exits, or has execed a program that may not be observed. In the
 *	latter case the task can get new events afterwards.
 *
 * Context: task, may sleep.
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
 * perf_event_free_task() - remove the events of a new task whose fork has failed
 * @task: the new task, which never ran
 *
 * The caller frees the task regardless of references. perf_event_close() of a parent event may
 * still reference a child event of the task, so this waits until that reference is dropped.
 *
 * Context: task, may sleep.
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
 * perf_event_delayed_put() - free the refusal of a task that is about to be freed
 * @task: the task
 *
 * Context: softirq, in an RCU callback.
 */
void perf_event_delayed_put(struct task_struct *task)
{
	WARN_ON_ONCE(task->perf_event_ctxp);
	perf_refusal_free_task(task);
}

/**
 * struct perf_exec_bunch - events that begin at the same moment when a task execs
 * @nr: number of events
 * @events: the events, all leaders or all siblings
 */
struct perf_exec_bunch {
	unsigned int		nr;
	struct perf_event	*events[PERF_EXEC_AT_ONCE];
};

/* Stop the group PMUs of all events of the bunch, or start them again. */
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

/* Enable a bunch. The clocks and counters of its events begin at the same moment. */
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

/* Enable the leaders with enable_on_exec, or the siblings. */
static void perf_exec_enable(struct perf_event_context *ctx, bool leaders)
{
	struct perf_exec_bunch bunch __uninitialized;
	struct perf_event *event;

	bunch.nr = 0;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		cond_resched();
		if (!event->attr.enable_on_exec || perf_event_leads(event) != leaders)
			continue;
		bunch.events[bunch.nr++] = event;
		if (bunch.nr == PERF_EXEC_AT_ONCE)
			perf_exec_enable_bunch(ctx, &bunch);
	}
	perf_exec_enable_bunch(ctx, &bunch);
}

/**
 * perf_event_exec() - enable, remove and refresh current's events at an exec
 *
 * Events with enable_on_exec are enabled, those with remove_on_exec are removed. Address
 * filters that name files are applied to the new address space.
 *
 * A group must begin to count as a whole, at one moment, with its leader. So its siblings are
 * enabled before the leader, and the group is scheduled in once. Leaders and single events
 * begin in the order in which they were opened, up to PERF_EXEC_AT_ONCE at the same moment.
 * Interrupts are enabled between these bunches. Siblings of a leader that is enabled already
 * begin to count in bunches of the same size.
 *
 * Context: task. Caller must hold exec_update_lock.
 */
void perf_event_exec(void)
{
	struct perf_event_context *ctx;
	struct perf_event *event, *next;

	/* the reason may contain what only the program before was allowed to know */
	perf_refusal_free_task(current);
	if (likely(!READ_ONCE(current->perf_event_ctxp)))
		return;
	ctx = perf_ctx_pin_own(current);
	if (!ctx)
		return;
	mutex_lock(&ctx->mutex);
	perf_exec_enable(ctx, false);
	perf_exec_enable(ctx, true);
	list_for_each_entry_safe_reverse(event, next, &ctx->event_list, event_entry) {
		cond_resched();
		if (event->attr.remove_on_exec)
			perf_event_exit_one(event, false);
		else if (perf_filter_names_files(event))
			perf_filter_refresh(event);
	}
	mutex_unlock(&ctx->mutex);
	perf_ctx_unpin(ctx);
}
