/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of a context, made on the CPU where the context is on.
 */
#ifndef _KERNEL_EVENTS_CTX_CALL_H
#define _KERNEL_EVENTS_CTX_CALL_H

#include "../base/contexts.h"

/*
 * Callback of perf_ctx_call(). A callback that removes the last event of a task's context that
 * is on must schedule the context out, as perf_ctx_remove() does: the scheduler may not check
 * the context again.
 */
typedef void (*perf_ctx_fn)(struct perf_event_context *ctx, void *arg);

void perf_ctx_call(struct perf_event_context *ctx, perf_ctx_fn fn, void *arg);

#endif /* _KERNEL_EVENTS_CTX_CALL_H */
