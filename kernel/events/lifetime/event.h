/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: making, closing and freeing them. Lifetime rules are in event.c.
 */
#ifndef _KERNEL_EVENTS_LIFETIME_EVENT_H
#define _KERNEL_EVENTS_LIFETIME_EVENT_H

#include <linux/list.h>
#include <linux/perf_event.h>

/**
 * struct perf_event_request - parameters of an event to open, for user space or the kernel
 * @attr: checked attributes; copied
 * @cpu: CPU or -1
 * @task: task or NULL; the caller holds a reference
 * @leader: leader of the group to join, or NULL
 * @of_cgroup: count only while a task of a cgroup runs
 * @cgroup_fd: with @of_cgroup, the file descriptor of the cgroup's directory, not checked yet
 * @handler: in-kernel overflow handler, or NULL
 * @handler_context: context for @handler
 */
struct perf_event_request {
	struct perf_event_attr	*attr;
	int			cpu;
	struct task_struct	*task;
	struct perf_event	*leader;
	bool			of_cgroup;
	int			cgroup_fd;
	perf_overflow_handler_t	handler;
	void			*handler_context;
};

struct perf_event *perf_event_make(const struct perf_event_request *req);
void perf_event_free(struct perf_event *event);
int perf_event_make_child(struct perf_event *child, struct perf_event *event,
			  struct perf_event *leader, struct perf_event_context *ctx);
int perf_children_alloc(struct perf_event_context *ctx, struct perf_event **children,
			unsigned int nr);
void perf_children_unalloc(struct perf_event_context *ctx, struct perf_event **children,
			   unsigned int nr);
void perf_children_free(struct list_head *children);
void perf_event_close(struct perf_event *event);
void perf_event_overflow_init(struct perf_event *event);
void __init perf_event_alloc_init(void);

#endif /* _KERNEL_EVENTS_LIFETIME_EVENT_H */
