/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sub-contexts: allocation, lookup. base/contexts.h describes them.
 */
#ifndef _KERNEL_EVENTS_SUBCTX_H
#define _KERNEL_EVENTS_SUBCTX_H

#include <linux/perf_event.h>
#include "../base/contexts.h"

void perf_subctx_init(struct perf_subctx *subctx, struct perf_event_context *ctx);
int perf_subctxs_inherit(struct perf_event_context *to, struct perf_event_context *from,
			 u64 clone_flags);
struct perf_subctx *perf_subctx_get(struct perf_event_context *ctx,
				    struct perf_event *event);
void perf_subctx_retire(struct perf_subctx *subctx);

/* An event has left the sub-context, or has not come; the mutex of the context is held. */
static inline void perf_subctx_put(struct perf_subctx *subctx)
{
	if (subctx->cgrp)
		perf_subctx_retire(subctx);
}

void perf_subctx_free_all(struct perf_event_context *ctx);
struct perf_event_pmu_context *perf_subctx_pmu_ctx(struct perf_subctx *subctx,
						   struct pmu *pmu);

#endif /* _KERNEL_EVENTS_SUBCTX_H */
