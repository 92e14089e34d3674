/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fair sharing: which flexible groups have counters when not all fit.
 *
 * fair.c selects groups and changes no counter. fair_sched.c schedules the selected groups in
 * and out.
 */
#ifndef _KERNEL_EVENTS_FAIR_H
#define _KERNEL_EVENTS_FAIR_H

#include "../base/event.h"
#include "batch.h"
#include "cpu_pmu.h"
#include "sides.h"

/* The time for which a group has been scheduled in, by the clock of its pmu_ctx. */
static inline u64 perf_fair_runtime(const struct perf_event *leader, u64 now)
{
	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return leader->runtime;
	return perf_pmu_ctx_clock(leader->pmu_ctx, now) - leader->runtime_stamp;
}

/* The runtime of a group, comparable between the pmu_ctxs on one PMU. */
static inline u64 perf_fair_vruntime(const struct perf_event *leader, u64 now)
{
	return perf_fair_runtime(leader, now) + leader->pmu_ctx->vruntime_offset;
}

/* True if @a is lower than @b. vruntimes may wrap, so compare the difference. */
static inline bool perf_vruntime_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

/* Was the group unfit, and does it wait again? Trying it must cost the others nothing. */
static inline bool perf_fair_is_retried(const struct perf_event *leader)
{
	return leader->pmu_ctx->retried == leader;
}

/* The group fits, does not fit, or leaves the pmu_ctx. Another unfit group may be tried. */
static inline void perf_fair_retry_ended(const struct perf_event *leader)
{
	if (unlikely(perf_fair_is_retried(leader)))
		leader->pmu_ctx->retried = NULL;
}

/**
 * struct perf_exchange - groups to be scheduled out and in at the end of a slice
 * @out: running groups to evict
 * @in: waiting groups to schedule in
 * @room: number of events that @out frees and @in does not need
 * @all: no other waiting group has a lower vruntime than a group that stays
 */
struct perf_exchange {
	struct perf_batch	out;
	struct perf_batch	in;
	int			room;
	bool			all;
};

/* fair.c */
void perf_fair_enqueue(struct perf_event *leader);
void perf_fair_dequeue(struct perf_event *leader);
void perf_fair_enqueue_all(struct perf_cpu_pmu_context *cpc, struct list_head *leaders, u64 now);
void perf_fair_level(struct perf_cpu_pmu_context *cpc,
		     struct perf_event_pmu_context *pmu_ctx, u64 now);
void perf_fair_place(struct perf_event *leader, u64 now);
bool perf_fair_has_unfit(struct perf_cpu_pmu_context *cpc);
bool perf_fair_retry(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_fair_set_unfit(struct perf_cpu_pmu_context *cpc,
			 struct perf_event *leader, u64 now);
void perf_fair_retry_soon(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_fair_enqueue_new(struct perf_event *leader, u64 now);
bool perf_fair_has_untried(const struct perf_cpu_pmu_context *cpc);
void perf_fair_retry_unfit(struct perf_cpu_pmu_context *cpc, u64 now);
struct perf_event *perf_fair_pick_next(struct perf_cpu_pmu_context *cpc, unsigned long done,
				       u64 now);
struct perf_event *perf_fair_pick_victim(struct perf_cpu_pmu_context *cpc, enum perf_side side,
					 u64 now);
void perf_fair_select(struct perf_exchange *exchange,
		      struct perf_event_pmu_context *pmu_ctx, u64 now);
struct perf_event_pmu_context *perf_fair_only(const struct perf_cpu_pmu_context *cpc);
void perf_slice_begin(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_slice_shorten(struct perf_cpu_pmu_context *cpc, u64 now);
bool perf_slice_is_over(const struct perf_event_pmu_context *pmu_ctx, u64 now);
void perf_slice_continue(struct perf_cpu_pmu_context *cpc,
			 const struct perf_event_pmu_context *pmu_ctx, u64 now);

/* fair_sched.c */
bool perf_fair_evict(struct perf_cpu_pmu_context *cpc, u64 now);
bool perf_fair_fill(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_fair_rotate(struct perf_cpu_pmu_context *cpc, u64 now);

#endif /* _KERNEL_EVENTS_FAIR_H */
