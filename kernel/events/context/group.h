/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups: a leader and the siblings that count exactly when it does.
 */
#ifndef _KERNEL_EVENTS_GROUP_H
#define _KERNEL_EVENTS_GROUP_H

#include <linux/perf_event.h>

#include "../base/event.h"

struct perf_subctx;

/* How many members a group promotes, or enables, while interrupts are off. */
#define PERF_GROUP_BATCH	32

bool __perf_group_make_pmu_ctxs(struct perf_subctx *subctx, struct perf_event *event);
void perf_group_detach(struct perf_event *event, u64 now);
void perf_group_disband_some(struct perf_event *leader, u64 now);
struct pmu *perf_group_pmu_with(struct perf_event *leader,
				struct perf_event *joining);
const char *perf_group_join_fault(struct perf_event *leader, const struct perf_event *event,
				  const struct perf_event_context *ctx);

/* As __perf_group_make_pmu_ctxs(). An unscheduled event needs no pmu_ctx. */
static inline bool perf_group_make_pmu_ctxs(struct perf_subctx *subctx, struct perf_event *event)
{
	return perf_event_is_nosched(event) || __perf_group_make_pmu_ctxs(subctx, event);
}

#endif /* _KERNEL_EVENTS_GROUP_H */
