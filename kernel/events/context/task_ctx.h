/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The context of a task: made with the first event, detached when the task exits.
 */
#ifndef _KERNEL_EVENTS_TASK_CTX_H
#define _KERNEL_EVENTS_TASK_CTX_H

#include "../base/contexts.h"

struct perf_event_context *perf_ctx_find(struct task_struct *task, int cpu);
void perf_ctx_put_found(struct perf_event_context *ctx);
struct perf_event_context *perf_ctx_unhook(struct task_struct *task);

#endif /* _KERNEL_EVENTS_TASK_CTX_H */
