/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sub-contexts are scheduled in and out. base/contexts.h describes them.
 */
#ifndef _KERNEL_EVENTS_SUBCTX_SCHED_H
#define _KERNEL_EVENTS_SUBCTX_SCHED_H

#include "../base/contexts.h"

void perf_subctx_sched_in(struct perf_subctx *subctx, u64 now);
void perf_subctx_sched_out(struct perf_subctx *subctx, u64 now);

#endif /* _KERNEL_EVENTS_SUBCTX_SCHED_H */
