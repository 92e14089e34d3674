/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One PMU on one CPU: the state that scheduling keeps there.
 *
 * Terms
 *
 *   pmu_ctx	the groups of one sub-context for one PMU, struct perf_event_pmu_context;
 *		scheduled in while its sub-context is
 *   plan	the groups of a pmu_ctx that count when it is scheduled in. Their events
 *		are ACTIVE, also while the pmu_ctx is scheduled out. Then they have no
 *		counters, and the clock of their sub-context is stopped.
 *   side	the groups of the CPU and its cgroups, or the groups of the running task
 *   runtime	the time a group was scheduled in. Of a side, the group with the lowest
 *		vruntime is selected first.
 *   slice	the time from one rotation to the next
 *
 * Locking: Caller must hold the lock of this CPU's context, irqs off, for everything in struct
 * perf_cpu_pmu_context. For a group, the caller must also hold the lock of the group's own
 * context. No task is woken under these locks.
 */
#ifndef _KERNEL_EVENTS_CPU_PMU_H
#define _KERNEL_EVENTS_CPU_PMU_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>

#include "../base/clock.h"
#include "../base/contexts.h"

/* The two sides that share a PMU, see sides.c. */
enum perf_side {
	PERF_SIDE_CPU,		/* with its cgroups */
	PERF_SIDE_TASK,		/* the running one */
	PERF_SIDES
};

/**
 * struct perf_fair_floor - what becomes eligible is placed beside the floor of its side
 * @vruntime: the lowest vruntime of the side's groups
 * @stale: the side's last pmu_ctx has left since @vruntime was computed, so the next computation
 *	may lower it
 */
struct perf_fair_floor {
	u64	vruntime;
	bool	stale;
};

/**
 * struct perf_cpu_pmu_context - one PMU on one CPU
 * @pmu: the PMU
 * @cpu: the CPU
 * @disable_count: depth of perf_pmu_disable()
 * @pmu_ctxs: perf_event_pmu_context::cpu_entry of each that is scheduled in; the CPU's own
 *	context has the first ones
 * @pmus_entry: on perf_cpu_context::pmus while @pmu_ctxs is not empty
 * @nr_scheduled: number of groups that have counters
 * @nr_running: number of flexible groups among them
 * @nr_waiting: number of waiting groups of @pmu_ctxs
 * @generation: changes when groups may fit that did not before; unique to the CPU
 * @full_at: equal to @generation if the last rotation found that the first waiting group, a single
 *	event, does not fit, and nothing has changed since
 * @exclusive: leader of the exclusive group that has counters, or NULL; whatever schedules the
 *	group out clears it
 * @freed: counters have become free while groups waited, or a rotation is due
 * @unsettled: a pmu_ctx was scheduled in or out, so the plans may leave room for groups that wait
 * @due: a rotation is due, as groups of a plan have not got their counters again
 * @floors: the floor of each side
 * @used: sum of perf_event_pmu_context::nr_used of each side
 * @lag: see sides.c; ns, at the time @lag_at
 * @lag_at: perf_time()
 * @lag_to_new: the same beside tasks that were not on this CPU before; not negative
 * @beside_new: the task that is on was not here before
 * @favour: what is added to @lag while a rotation is under way, ns
 * @random: the last pseudo-random number, see perf_cpc_random()
 * @shared: groups of both sides counted or waited when the slice began
 * @slice: length of the slice, ns
 * @slice_end: perf_time() at which the slice ends; valid while groups wait, or unfit ones are to
 *	be tried
 * @retry_at: perf_time() at which unfit groups are tried again although no change was noticed
 * @retry_wait: the last delay of unfit groups, ns; 0 when something has changed since
 * @timer: ends the slice
 * @timer_on: @timer is queued, or its callback has not yet decided
 * @timer_at: perf_time() at which it fires
 * @sched_cb_usage: perf_sched_cb_inc() minus perf_sched_cb_dec(); changed with irqs off, as
 *	the next member
 * @sched_task_entry: on perf_cpu_context::sched_task_pmus while @sched_cb_usage is not 0
 */
struct perf_cpu_pmu_context {
	struct pmu		*pmu;
	int			cpu;
	int			disable_count;
	struct list_head	pmu_ctxs;
	struct list_head	pmus_entry;
	unsigned int		nr_scheduled;
	unsigned int		nr_running;
	unsigned int		nr_waiting;
	struct perf_event	*exclusive;
	bool			freed;
	bool			unsettled;
	bool			due;
	struct perf_fair_floor	floors[PERF_SIDES];
	int			used[PERF_SIDES];
	s64			lag;
	u64			lag_at;
	s64			lag_to_new;
	bool			beside_new;
	s64			favour;
	u32			random;
	bool			shared;
	u64			generation;
	u64			full_at;
	u64			slice;
	u64			slice_end;
	u64			retry_at;
	u64			retry_wait;
	struct hrtimer		timer;
	u64			timer_at;
	bool			timer_on;
	int			sched_cb_usage;
	struct list_head	sched_task_entry;
};

/* This CPU's side of the PMU of a pmu_ctx. */
static inline struct perf_cpu_pmu_context *
perf_this_cpc(const struct perf_event_pmu_context *pmu_ctx)
{
	return this_cpu_ptr(pmu_ctx->pmu->cpu_pmu_context);
}

/*
 * A pseudo-random number. It keeps rotations out of step with context switches, and with events
 * that are toggled, whatever their period.
 */
static inline u32 perf_cpc_random(struct perf_cpu_pmu_context *cpc)
{
	cpc->random = next_pseudo_random32(cpc->random);
	return cpc->random;
}

static inline bool perf_pmu_ctx_is_on(const struct perf_event_pmu_context *pmu_ctx)
{
	return !list_empty(&pmu_ctx->cpu_entry);
}

/* The longest slice. */
static inline u64 perf_slice_max(const struct pmu *pmu)
{
	return READ_ONCE(pmu->hrtimer_interval_ms) * (u64)NSEC_PER_MSEC;
}

/* The bits of a generation above these are the CPU; those below start at 1. */
#define PERF_GENERATION_BITS	48
#define PERF_PLAN_NOWHERE	U64_MAX

static inline bool perf_same_cpu_generation(u64 a, u64 b)
{
	return a >> PERF_GENERATION_BITS == b >> PERF_GENERATION_BITS;
}

/* True if this is the CPU on which the pmu_ctx was scheduled in the last time. */
static inline bool perf_pmu_ctx_was_here(const struct perf_event_pmu_context *pmu_ctx,
					 const struct perf_cpu_pmu_context *cpc)
{
	return perf_same_cpu_generation(pmu_ctx->plan_at, cpc->generation);
}

/* Forget whether the plan left no room for another group, but not on which CPU it was. */
static inline void perf_pmu_ctx_forget_generation(struct perf_event_pmu_context *pmu_ctx)
{
	pmu_ctx->plan_at &= ~(BIT_ULL(PERF_GENERATION_BITS) - 1);
}

/* This is the CPU on which the pmu_ctx is scheduled in, whatever generation its plan is of. */
static inline void perf_pmu_ctx_set_here(struct perf_event_pmu_context *pmu_ctx,
					 const struct perf_cpu_pmu_context *cpc)
{
	if (perf_pmu_ctx_was_here(pmu_ctx, cpc))
		return;
	pmu_ctx->plan_at = cpc->generation;
	perf_pmu_ctx_forget_generation(pmu_ctx);
}

/* The number of counters that flexible groups have. */
static inline int perf_cpc_used(const struct perf_cpu_pmu_context *cpc)
{
	return cpc->used[PERF_SIDE_CPU] + cpc->used[PERF_SIDE_TASK];
}

/* The plans on a PMU leave no room for another group. */
static inline void perf_plans_note_settled(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		pmu_ctx->plan_at = cpc->generation;
		pmu_ctx->plan_scheduled = cpc->nr_scheduled;
		pmu_ctx->plan_used = perf_cpc_used(cpc);
	}
}

/*
 * The plan of a pmu_ctx left no room for another group, beside plans with as many groups and
 * counters as those that are scheduled in now.
 */
static inline bool perf_plan_is_settled(const struct perf_event_pmu_context *pmu_ctx,
					const struct perf_cpu_pmu_context *cpc)
{
	return pmu_ctx->plan_at == cpc->generation &&
	       pmu_ctx->plan_scheduled == cpc->nr_scheduled &&
	       pmu_ctx->plan_used == perf_cpc_used(cpc);
}

/* Groups or counters have changed: groups may fit that did not before. */
static inline void perf_sched_changed(struct perf_cpu_pmu_context *cpc)
{
	cpc->generation++;
	cpc->retry_wait = 0;
}

/*
 * The same for a pmu_ctx that is scheduled out: its unfit groups are tried when it is
 * scheduled in.
 */
static inline void perf_pmu_ctx_forget_unfit(struct perf_event_pmu_context *pmu_ctx)
{
	pmu_ctx->unfit_stale = !list_empty(&pmu_ctx->unfit);
}

/* Read the clock of a pmu_ctx; @now as in perf_clock_read(). */
static inline u64 perf_pmu_ctx_clock(const struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	return perf_clock_read(&pmu_ctx->subctx->clock, now);
}

#endif /* _KERNEL_EVENTS_CPU_PMU_H */
