/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: allocation, references, freeing. Locking and lifetime rules are in
 * base/contexts.h.
 */
#ifndef _KERNEL_EVENTS_CONTEXT_H
#define _KERNEL_EVENTS_CONTEXT_H

#include <linux/perf_event.h>
#include "../base/contexts.h"

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
struct perf_event_context *perf_ctx_lock_of_event(struct perf_event *event);

/**
 * perf_ctx_is_online() - whether the CPU's state allows events to be installed
 * @ctx: the context, referenced
 *
 * Context: task. Without ctx->mutex the result may be outdated at once.
 * Return: true for the context of a task, and for the context of an online CPU.
 */
static inline bool perf_ctx_is_online(const struct perf_event_context *ctx)
{
	return perf_ctx_is_task(ctx) ||
	       READ_ONCE(container_of(ctx, struct perf_cpu_context, ctx)->online);
}

#endif /* _KERNEL_EVENTS_CONTEXT_H */
