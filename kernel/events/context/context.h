/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: install and remove events, switch on and off, change where they are on.
 * Locking and lifetime rules are in base/contexts.h.
 */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include <linux/perf_event.h>
#include "../base/contexts.h"

/*
 * Callback of perf_ctx_call(). A callback that removes the last event of a task's context that
 * is on must switch the context off, as perf_ctx_remove() does: the scheduler may not check
 * the context again.
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

#endif /* _KERNEL_EVENTS_CONTEXT_H */
