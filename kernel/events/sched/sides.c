// SPDX-License-Identifier: GPL-2.0
/*
 * The two sides that share a PMU: the groups of the CPU, with its cgroups, and the groups of the
 * running task. Each side has half of the counters that are not pinned, and what the other one
 * does not need. So neither can take the counters of the other by the number of its groups.
 *
 * The lag of the CPU is the time for which the task had more counters in use than the CPU, as a
 * part of all in use: it grows by one ns in each ns in which only the task has any. It decides
 * which side has an odd counter, and which one is next if large groups of both do not fit beside
 * each other. The lag is kept with the task while the task is off.
 *
 * In a rotation each group has a place, in ns: the part of the counters in use that its side has
 * without the group, times the slice, minus the time by which the side is behind. What has the
 * higher place gives way. In each rotation one side, selected at random, is taken to be further
 * behind by half a slice. So a task that runs for less than a slice at a time does not find the
 * same decision each time.
 *
 * fair.c and fair_sched.c select among the groups of a side.
 *
 * Context: The CPU concerned, irqs off, locks as in cpu_pmu.h.
 */
#include <linux/math64.h>

#include "sides.h"

/* Are groups of a side on the PMU? The CPU's groups come first on the list. */
static bool perf_side_is_on(const struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	const struct list_head *list = &cpc->pmu_ctxs;
	const struct perf_event_pmu_context *pmu_ctx;

	if (list_empty(list))
		return false;
	if (side == PERF_SIDE_CPU)
		pmu_ctx = list_first_entry(list, struct perf_event_pmu_context, cpu_entry);
	else
		pmu_ctx = list_last_entry(list, struct perf_event_pmu_context, cpu_entry);
	return perf_pmu_ctx_side(pmu_ctx) == side;
}

/* What the task gets more than the CPU in a time, as a part of all counters in use. */
static s64 perf_sides_gap(const struct perf_cpu_pmu_context *cpc, s64 time)
{
	int of_task = cpc->used[PERF_SIDE_TASK], of_cpu = cpc->used[PERF_SIDE_CPU];

	if (of_task == of_cpu)
		return 0;
	if (!of_cpu)
		return time;
	if (!of_task)
		return -time;
	return div_s64(time * (of_task - of_cpu), of_task + of_cpu);
}

/* The time by which a side is behind the other one. */
static s64 perf_side_lag(const struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	return side == PERF_SIDE_CPU ? cpc->lag : -cpc->lag;
}

/* The same in a rotation, for the place of a group. */
static s64 perf_side_lag_now(const struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	s64 lag = cpc->lag + cpc->favour;

	return side == PERF_SIDE_CPU ? lag : -lag;
}

/* Groups that were unfit when they were tried the last time do not count. */
static bool perf_side_has_waiting(const struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	const struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (pmu_ctx->nr_waiting > !!pmu_ctx->retried && perf_pmu_ctx_side(pmu_ctx) == side)
			return true;
	}
	return false;
}

/**
 * perf_sides_compete() - check whether both sides have flexible groups that count or wait
 * @cpc: this CPU's side of a PMU
 *
 * Return: true if they have.
 */
bool perf_sides_compete(const struct perf_cpu_pmu_context *cpc)
{
	if (list_is_singular(&cpc->pmu_ctxs))
		return false;
	for (enum perf_side side = 0; side < PERF_SIDES; side++) {
		if (!cpc->used[side] && !perf_side_has_waiting(cpc, side))
			return false;
	}
	return true;
}

/**
 * perf_sides_left_alone() - check whether the groups of one side have left since the slice began
 * @cpc: this CPU's side of a PMU
 *
 * Return: true if groups of both sides counted or waited then, and one side's groups do no more.
 */
bool perf_sides_left_alone(const struct perf_cpu_pmu_context *cpc)
{
	return cpc->shared && !perf_sides_compete(cpc);
}

/* A side that had less than the other one needs no more, if none of its groups waits. */
static void perf_side_end_unused_lag(struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	if (perf_side_lag(cpc, side) > 0 && !perf_side_has_waiting(cpc, side))
		cpc->lag = 0;
}

/**
 * __perf_sides_pass() - perf_sides_pass() if time has passed, and a side may be behind
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * To be called before groups begin or cease to wait, or get or lose counters.
 *
 * While no task has groups on the PMU, or none of the CPU's groups waits, the CPU catches up with
 * tasks that were not here. While the CPU has no groups there, the lag ends.
 */
void __perf_sides_pass(struct perf_cpu_pmu_context *cpc, u64 now)
{
	s64 passed = now - cpc->lag_at, gap;

	cpc->lag_at = now;
	if (!perf_side_is_on(cpc, PERF_SIDE_CPU)) {
		cpc->lag -= clamp(cpc->lag, -passed, passed);
		return;
	}
	if (cpc->lag_to_new && (!perf_side_is_on(cpc, PERF_SIDE_TASK) ||
				!perf_side_has_waiting(cpc, PERF_SIDE_CPU)))
		cpc->lag_to_new -= min(cpc->lag_to_new, passed);
	if (!perf_side_is_on(cpc, PERF_SIDE_TASK))
		return;
	gap = perf_sides_gap(cpc, passed);
	cpc->lag += gap;
	if ((gap ?: cpc->lag) > 0)
		perf_side_end_unused_lag(cpc, PERF_SIDE_CPU);
	else
		perf_side_end_unused_lag(cpc, PERF_SIDE_TASK);
}

/**
 * perf_sides_join() - a pmu_ctx is being scheduled in
 * @cpc: this CPU's side of the PMU
 * @pmu_ctx: not yet on @cpc->pmu_ctxs
 * @now: perf_time()
 *
 * The lag of a task on another CPU, beside other groups, does not count here. Beside a task that
 * was not here the CPU is behind as it was beside the last such task. So tasks that are replaced
 * before the CPU has its turn get no more than one that stays.
 */
void perf_sides_join(struct perf_cpu_pmu_context *cpc,
		     const struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	enum perf_side side = perf_pmu_ctx_side(pmu_ctx);

	perf_sides_pass(cpc, now);
	cpc->used[side] += pmu_ctx->nr_used;
	if (side != PERF_SIDE_TASK || perf_side_is_on(cpc, side))
		return;
	cpc->beside_new = !perf_pmu_ctx_was_here(pmu_ctx, cpc);
	cpc->lag = cpc->beside_new ? cpc->lag_to_new : pmu_ctx->lag;
}

/* No other pmu_ctx of its side is scheduled in. */
static bool perf_pmu_ctx_is_alone(const struct perf_cpu_pmu_context *cpc,
				  const struct perf_event_pmu_context *pmu_ctx)
{
	const struct perf_event_pmu_context *other;

	list_for_each_entry(other, &cpc->pmu_ctxs, cpu_entry) {
		if (other != pmu_ctx && perf_pmu_ctx_side(other) == perf_pmu_ctx_side(pmu_ctx))
			return false;
	}
	return true;
}

/**
 * perf_sides_leave() - a pmu_ctx is being scheduled out
 * @cpc: this CPU's side of the PMU
 * @pmu_ctx: still on @cpc->pmu_ctxs
 * @now: perf_time()
 */
void perf_sides_leave(struct perf_cpu_pmu_context *cpc,
		      struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	enum perf_side side = perf_pmu_ctx_side(pmu_ctx);

	perf_sides_pass(cpc, now);
	cpc->used[side] -= pmu_ctx->nr_used;
	if (side == PERF_SIDE_TASK)
		pmu_ctx->lag = cpc->lag;
	if (side == PERF_SIDE_TASK && cpc->beside_new)
		cpc->lag_to_new = max(cpc->lag, 0);
	if (!perf_pmu_ctx_is_alone(cpc, pmu_ctx))
		return;
	cpc->floors[side].stale = true;
	if (side == PERF_SIDE_TASK)
		cpc->lag = 0;
}

/**
 * perf_side_end_lag() - a side is not behind any more
 * @cpc: this CPU's side of the PMU
 * @side: the side
 *
 * It has no use for counters that the other side gave it. Its groups may need the same one.
 */
void perf_side_end_lag(struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	if (perf_side_lag(cpc, side) > 0)
		cpc->lag = 0;
}

/**
 * perf_side_gone() - a flexible group has left that waited or had counters
 * @cpc: this CPU's side of the PMU; NULL if @pmu_ctx is not scheduled in
 * @pmu_ctx: the pmu_ctx of the group
 *
 * The side is behind by half a slice at most. While a group is toggled again and again, the other
 * side has its counters for a part of the time. The side of the group would be further behind with
 * each time, and keep all that its other groups have. If it was not behind at all, it would never
 * have its turn.
 */
void perf_side_gone(struct perf_cpu_pmu_context *cpc, struct perf_event_pmu_context *pmu_ctx)
{
	enum perf_side side = perf_pmu_ctx_side(pmu_ctx);
	s64 most = (cpc ? cpc->slice : perf_slice_max(pmu_ctx->pmu)) / 2;

	if (!cpc)
		pmu_ctx->lag = max(pmu_ctx->lag, -most);
	else if (side == PERF_SIDE_CPU)
		cpc->lag = min(cpc->lag, most);
	else
		cpc->lag = max(cpc->lag, -most);
}

/**
 * perf_sides_settle() - begin a rotation: bring the lag up to date, and within its limits
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 *
 * One side is favoured until @cpc->favour is cleared, by half of the slice that has ended.
 */
void perf_sides_settle(struct perf_cpu_pmu_context *cpc, u64 now)
{
	s64 limit = 2 * perf_slice_max(cpc->pmu), favour = cpc->slice / 2;

	perf_sides_pass(cpc, now);
	cpc->lag = clamp(cpc->lag, -limit, limit);
	cpc->favour = (s32)perf_cpc_random(cpc) < 0 ? favour : -favour;
}

/**
 * perf_side_may_take() - check whether a running group of the other side has to give way
 * @cpc: this CPU's side of the PMU
 * @side: the side of the group that needs counters
 * @counters: number of counters of the other side's group with the highest vruntime
 * @unused: number of counters that have become free in this rotation
 *
 * Return: true if the place of that group is higher than the place of a group that @side gets in
 * addition.
 */
bool perf_side_may_take(const struct perf_cpu_pmu_context *cpc, enum perf_side side,
			int counters, int unused)
{
	int has = cpc->used[side], others = cpc->used[perf_other_side(side)];

	return perf_side_lag_now(cpc, side) * (has + others + unused) >
	       (has - (others - counters)) * (s64)cpc->slice;
}

/**
 * perf_side_may_have_all() - check whether all groups of the other side have to give way
 * @cpc: this CPU's side of the PMU
 * @side: the side of a group that does not fit, although no other group of it has counters
 *
 * Its place may be equal to the others', or a little higher, and both stay where they are. So it is
 * the side's turn if it does not get ahead by more than two slices.
 *
 * Return: true if it is.
 */
bool perf_side_may_have_all(const struct perf_cpu_pmu_context *cpc, enum perf_side side)
{
	return perf_side_lag_now(cpc, side) > -(s64)cpc->slice;
}

/**
 * perf_side_behind() - select the side from which a group is tried first
 * @cpc: this CPU's side of the PMU
 *
 * Return: the side in which the next group has the lower place; the CPU if both are equal.
 */
enum perf_side perf_side_behind(const struct perf_cpu_pmu_context *cpc)
{
	int of_task = cpc->used[PERF_SIDE_TASK], of_cpu = cpc->used[PERF_SIDE_CPU];

	return perf_side_lag_now(cpc, PERF_SIDE_CPU) * max(of_task + of_cpu, 1) >=
	       (of_cpu - of_task) * (s64)cpc->slice ? PERF_SIDE_CPU : PERF_SIDE_TASK;
}
