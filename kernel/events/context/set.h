/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event sets: made, found, switched. What they are is in base/contexts.h.
 */
#ifndef _KERNEL_EVENTS_SET_H
#define _KERNEL_EVENTS_SET_H

#include <linux/perf_event.h>
#include "../base/contexts.h"

void perf_set_init(struct perf_event_set *set, struct perf_event_context *ctx);
int perf_sets_copy(struct perf_event_context *to, struct perf_event_context *from,
		   u64 clone_flags);
struct perf_event_set *perf_set_get(struct perf_event_context *ctx,
				    struct perf_event *event);
void perf_set_retire(struct perf_event_set *set);

/* An event has left the set, or has not come; the mutex of the context is held. */
static inline void perf_set_put(struct perf_event_set *set)
{
	if (set->cgrp)
		perf_set_retire(set);
}

void perf_set_free_all(struct perf_event_context *ctx);
struct perf_event_pmu_context *perf_set_pmu_ctx(struct perf_event_set *set,
						struct pmu *pmu);

void perf_set_on(struct perf_event_set *set, u64 now);
void perf_set_off(struct perf_event_set *set, u64 now);

#endif /* _KERNEL_EVENTS_SET_H */
