/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The copies of events that a task inherits, all of a context at once.
 */
#ifndef _KERNEL_EVENTS_COPY_H
#define _KERNEL_EVENTS_COPY_H

#include <linux/perf_event.h>
#include <linux/sched.h>

int perf_copies_make(struct perf_event_context *from, struct task_struct *task,
		     u64 clone_flags, unsigned int nr);
bool perf_copy_bequeath(struct perf_event *copy);
void perf_copies_exit(struct perf_event_context *ctx, struct list_head *gone);

/* Whether a new task gets a copy of an event, provided that the leader's is inherited. */
static inline bool perf_event_is_inherited(const struct perf_event *event, u64 clone_flags)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->inherit)
		return false;
	if (attr->inherit_thread && !(clone_flags & CLONE_THREAD))
		return false;
	/* the new program may not want the signals */
	return !attr->sigtrap || !(clone_flags & CLONE_CLEAR_SIGHAND);
}

#endif /* _KERNEL_EVENTS_COPY_H */
