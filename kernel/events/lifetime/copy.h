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

#endif /* _KERNEL_EVENTS_COPY_H */
