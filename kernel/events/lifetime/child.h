/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The child events that a task inherits, all of a context at once.
 */
#ifndef _KERNEL_EVENTS_CHILD_H
#define _KERNEL_EVENTS_CHILD_H

#include <linux/perf_event.h>
#include <linux/sched.h>

int perf_children_make(struct perf_event_context *from, struct task_struct *task,
		       u64 clone_flags, unsigned int nr);
bool perf_child_add_to_parent(struct perf_event *copy);
void perf_children_exit(struct perf_event_context *ctx, struct list_head *gone);

#endif /* _KERNEL_EVENTS_CHILD_H */
