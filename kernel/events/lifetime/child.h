/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child events of a task: made together at fork, removed together at exit.
 */
#ifndef _KERNEL_EVENTS_CHILD_H
#define _KERNEL_EVENTS_CHILD_H

#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../output/wakeup.h"

int perf_children_make(struct perf_event_context *from, struct task_struct *task,
		       u64 clone_flags, unsigned int nr);
void perf_children_exit(struct perf_event_context *ctx, struct list_head *gone);

/**
 * perf_child_add_to_parent() - add the count and times of a child event to its parent
 * @child: the child event, which has left its context
 *
 * Context: Caller must hold the mutex of the context.
 * Return: true if the child event was on the parent's list; the caller must drop the
 * list's reference. False if perf_event_close() of the parent has removed the child event.
 */
static inline bool perf_child_add_to_parent(struct perf_event *child)
{
	struct perf_event *parent = child->parent;

	guard(mutex)(&parent->child_mutex);
	if (list_empty(&child->child_list))
		return false;

	atomic64_add(local64_read(&child->count), &parent->child_count);
	atomic64_add(child->total_time_enabled, &parent->child_total_time_enabled);
	atomic64_add(child->total_time_running, &parent->child_total_time_running);
	list_del_init(&child->child_list);
	if (!list_empty(&parent->child_list))
		return true;
	/*
	 * poll() must return if the parent's task has exited as well. Pairs with
	 * perf_event_is_over(), which reads the list after the state.
	 */
	smp_mb();
	if (READ_ONCE(parent->state) <= PERF_EVENT_STATE_EXIT)
		perf_event_wakeup(parent);
	return true;
}

#endif /* _KERNEL_EVENTS_CHILD_H */
