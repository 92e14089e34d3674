/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of pmu::sched_task() at context switches, see sched_task.c.
 */
#ifndef _KERNEL_EVENTS_SCHED_TASK_H
#define _KERNEL_EVENTS_SCHED_TASK_H

#include <linux/jump_label_ratelimit.h>

#include "../base/contexts.h"
#include "../base/event.h"

extern struct static_key_false_deferred perf_sched_task_key;

void perf_sched_task_account(struct perf_event *event);
void __perf_sched_task_unaccount(struct perf_event *event);
void __perf_sched_task(struct perf_cpu_context *cpuctx, struct task_struct *task,
		       bool sched_in);

/* Undo perf_sched_task_account(): the event is being freed. */
static inline void perf_sched_task_unaccount(struct perf_event *event)
{
	if (unlikely(event->attach_state & PERF_ATTACH_SCHED_TASK))
		__perf_sched_task_unaccount(event);
}

/* See __perf_sched_task(). */
static inline void perf_sched_task(struct perf_cpu_context *cpuctx, struct task_struct *task,
				   bool sched_in)
{
	if (static_branch_unlikely(&perf_sched_task_key.key) &&
	    !list_empty(&cpuctx->sched_task_pmus))
		__perf_sched_task(cpuctx, task, sched_in);
}

#endif /* _KERNEL_EVENTS_SCHED_TASK_H */
