/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cgroup events: CPU events that count while a task of the cgroup runs.
 */
#ifndef _KERNEL_EVENTS_CGROUP_H
#define _KERNEL_EVENTS_CGROUP_H

#include <linux/cgroup.h>
#include "../base/contexts.h"

#ifdef CONFIG_CGROUP_PERF

struct perf_cgroup {
	struct cgroup_subsys_state	css;
};

static inline long perf_cgroup_event_id(struct perf_event *event)
{
	return event->cgrp ? event->cgrp->css.id : -1;
}

int perf_cgroup_connect(struct perf_event *event, int fd);
void __perf_cgroup_disconnect(struct perf_event *event);

/* Undo perf_cgroup_connect(): the event is being freed. */
static inline void perf_cgroup_disconnect(struct perf_event *event)
{
	if (event->cgrp)
		__perf_cgroup_disconnect(event);
}

void perf_cgroup_subctx_init(struct perf_subctx *subctx, struct perf_event *event);
void perf_cgroup_subctx_exit(struct perf_subctx *subctx);
void perf_cgroup_subctx_retire(struct perf_subctx *subctx);
void perf_cgroup_subctx_add(struct perf_subctx *subctx);
u64 perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *task);

#else

static inline long perf_cgroup_event_id(struct perf_event *event) { return -1; }
static inline int perf_cgroup_connect(struct perf_event *event, int fd)
{
	return -EINVAL;
}

static inline void perf_cgroup_disconnect(struct perf_event *event) { }
static inline void perf_cgroup_subctx_init(struct perf_subctx *subctx,
					   struct perf_event *event) { }
static inline void perf_cgroup_subctx_exit(struct perf_subctx *subctx) { }
static inline void perf_cgroup_subctx_retire(struct perf_subctx *subctx) { }
static inline void perf_cgroup_subctx_add(struct perf_subctx *subctx) { }
static inline u64 perf_cgroup_switch(struct perf_cpu_context *cpuctx, struct task_struct *task)
{
	return 0;
}

#endif

#endif /* _KERNEL_EVENTS_CGROUP_H */
