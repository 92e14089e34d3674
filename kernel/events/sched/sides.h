/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two sides that share a PMU: the groups of the CPU, with its cgroups, and the groups of the
 * running task.
 */
#ifndef _KERNEL_EVENTS_SIDES_H
#define _KERNEL_EVENTS_SIDES_H

#include "../base/event.h"
#include "cpu_pmu.h"

static inline enum perf_side perf_pmu_ctx_side(const struct perf_event_pmu_context *pmu_ctx)
{
	return perf_ctx_is_task(pmu_ctx->ctx) ? PERF_SIDE_TASK : PERF_SIDE_CPU;
}

static inline enum perf_side perf_other_side(enum perf_side side)
{
	return side == PERF_SIDE_CPU ? PERF_SIDE_TASK : PERF_SIDE_CPU;
}

bool perf_sides_compete(const struct perf_cpu_pmu_context *cpc);
bool perf_sides_left_alone(const struct perf_cpu_pmu_context *cpc);
void perf_sides_join(struct perf_cpu_pmu_context *cpc,
		     const struct perf_event_pmu_context *pmu_ctx, u64 now);
void perf_sides_leave(struct perf_cpu_pmu_context *cpc,
		      struct perf_event_pmu_context *pmu_ctx, u64 now);
void perf_side_gone(struct perf_cpu_pmu_context *cpc, struct perf_event_pmu_context *pmu_ctx);
void perf_side_end_lag(struct perf_cpu_pmu_context *cpc, enum perf_side side);
void __perf_sides_pass(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_sides_settle(struct perf_cpu_pmu_context *cpc, u64 now);
bool perf_side_may_take(const struct perf_cpu_pmu_context *cpc, enum perf_side side,
			int counters, int unused);
bool perf_side_may_have_all(const struct perf_cpu_pmu_context *cpc, enum perf_side side);
enum perf_side perf_side_behind(const struct perf_cpu_pmu_context *cpc);

/**
 * perf_sides_pass() - bring the lag up to date
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * Inlined for the time in which no side was behind, and no group waited or there was one pmu_ctx.
 */
static inline void perf_sides_pass(struct perf_cpu_pmu_context *cpc, u64 now)
{
	/* time has mostly passed before the first of several calls */
	if ((s64)(now - cpc->lag_at) <= 0)
		return;
	if ((cpc->nr_waiting && !list_is_singular(&cpc->pmu_ctxs)) || cpc->lag || cpc->lag_to_new)
		__perf_sides_pass(cpc, now);
	else
		cpc->lag_at = now;
}

/**
 * perf_side_add() - flexible groups have got counters, or lost them
 * @pmu_ctx: their pmu_ctx
 * @counters: number of counters that they got, or minus those that they lost
 * @now: perf_ctx_now()
 */
static inline void perf_side_add(struct perf_event_pmu_context *pmu_ctx, int counters, u64 now)
{
	struct perf_cpu_pmu_context *cpc;

	pmu_ctx->nr_used += counters;
	if (!perf_pmu_ctx_is_on(pmu_ctx))
		return;
	cpc = perf_this_cpc(pmu_ctx);
	perf_sides_pass(cpc, now);
	cpc->used[perf_pmu_ctx_side(pmu_ctx)] += counters;
}

/*
 * The number of counters that a group needs: for members that are scheduled in, or will be with the
 * group.
 */
static inline int perf_fair_group_size(struct perf_event *leader)
{
	struct perf_event *event;
	int size = 0;

	if (likely(!leader->nr_siblings))
		return 1;
	perf_group_for_each_enabled(event, leader)
		size += event->state == leader->state && event->pmu == leader->group_pmu;
	return max(size, 1);
}

/**
 * perf_side_account() - a flexible group has got counters or lost them, or its size has changed
 * @leader: the group's leader
 * @now: perf_ctx_now()
 */
static inline void perf_side_account(struct perf_event *leader, u64 now)
{
	int size = leader->state == PERF_EVENT_STATE_ACTIVE ? perf_fair_group_size(leader) : 0;
	int more = size - leader->nr_used;

	if (!more)
		return;
	leader->nr_used = size;
	perf_side_add(leader->pmu_ctx, more, now);
}

#endif /* _KERNEL_EVENTS_SIDES_H */
