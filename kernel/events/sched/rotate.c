// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation: the timer that ends slices, one per CPU and PMU.
 *
 * The timer is started when groups begin to wait. If a pmu_ctx is scheduled out and in again
 * before it fires, the slice continues by the clock of the pmu_ctx. The timer then fires
 * early, and is restarted for the rest. If no group waits when it fires, it is not restarted.
 * The timer belongs to a CPU, so it may never fire while a task that rarely runs is on that
 * CPU. A slice can therefore also end in a context switch that schedules its pmu_ctx in. It ends
 * early if the groups of one side have left and others should have their counters: see
 * perf_fair_fill().
 *
 * Unfit groups are tried again at rotations, with a growing delay as long as nothing changes:
 * see perf_fair_retry(). If no other group waits, the timer runs for them.
 */
#include <linux/smp.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "fair.h"
#include "rotate.h"

static u64 perf_rotate_until(u64 end, u64 now)
{
	s64 rest = end - now;

	return rest > 0 ? rest : 0;
}

/* Groups are to be tried at the end of the slice. */
static bool perf_rotate_has_next(struct perf_cpu_pmu_context *cpc)
{
	return cpc->nr_waiting || perf_fair_has_untried(cpc);
}

/**
 * perf_rotate_rest() - time until the next rotation
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * Return: ns; U64_MAX when no group waits and none is unfit.
 */
u64 perf_rotate_rest(struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (perf_rotate_has_next(cpc))
		return perf_rotate_until(cpc->slice_end, now);
	if (unlikely(perf_fair_has_unfit(cpc)))
		return perf_rotate_until(cpc->retry_at, now);
	return U64_MAX;
}

/**
 * perf_rotate() - rotate after perf_rotate_rest() has passed
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 */
void perf_rotate(struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (unlikely(perf_fair_has_unfit(cpc)))
		perf_fair_retry(cpc, now);
	perf_fair_rotate(cpc, now);
}

/* Context: hardirq on the CPU concerned. */
static enum hrtimer_restart perf_rotate_tick(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc =
		container_of(timer, struct perf_cpu_pmu_context, timer);
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	u64 now, rest;

	/*
	 * CPU hotplug has moved the timer of a dying CPU to this one. perf_sched_cpu_gone() clears
	 * cpc->timer_on before the CPU can come back.
	 */
	if (cpc->cpu != smp_processor_id())
		return HRTIMER_NORESTART;

	perf_cpu_lock(cpuctx);
	now = perf_time();
	rest = perf_rotate_rest(cpc, now);
	if (!rest) {
		perf_rotate(cpc, now);
		rest = perf_rotate_rest(cpc, now);
	}
	cpc->timer_on = rest != U64_MAX;
	cpc->timer_at = now + rest;
	perf_cpu_unlock(cpuctx);

	if (rest == U64_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ktime_add_ns(hrtimer_cb_get_time(timer), rest));
	return HRTIMER_RESTART;
}

/**
 * perf_rotate_start() - start the rotation timer if groups wait
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * A new slice begins if the last one is over. Nothing is done if no group waits and none is
 * unfit.
 *
 * Context: Caller must hold perf_cpu_lock(). The rq lock may be held.
 */
void perf_rotate_start(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 rest;

	/* a timer that was started for unfit groups may be too late for others */
	if (cpc->timer_on && likely((s64)(cpc->timer_at - cpc->slice_end) <= 0))
		return;
	if (perf_rotate_has_next(cpc) && !perf_rotate_until(cpc->slice_end, now))
		perf_slice_begin(cpc, now);
	rest = perf_rotate_rest(cpc, now);
	if (rest == U64_MAX || (cpc->timer_on && (s64)(cpc->timer_at - now - rest) <= 0))
		return;
	cpc->timer_on = true;
	cpc->timer_at = now + rest;
	hrtimer_start(&cpc->timer, ns_to_ktime(rest), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * __perf_rotate_shorten() - perf_rotate_shorten() for this CPU
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 *
 * Context: Caller must hold perf_cpu_lock().
 */
void __perf_rotate_shorten(struct perf_cpu_pmu_context *cpc, u64 now)
{
	perf_slice_shorten(cpc, now);
	if (cpc->timer_on) {
		cpc->timer_on = false;
		perf_rotate_start(cpc, now);
	}
}

/* Context: IPI, irqs off. */
static void perf_rotate_shorten_here(void *info)
{
	const struct pmu *pmu = info;
	struct perf_cpu_pmu_context *cpc = this_cpu_ptr(pmu->cpu_pmu_context);
	struct perf_cpu_context *cpuctx = this_perf_cpu();

	perf_cpu_lock(cpuctx);
	__perf_rotate_shorten(cpc, perf_time());
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_rotate_shorten() - let no slice end later than after one that begins now
 * @pmu: its hrtimer_interval_ms was lowered
 *
 * A slice of a task that is on no CPU is shortened when the task is scheduled in. A CPU that goes
 * offline forgets its slice: perf_sched_cpu_gone().
 *
 * Context: Task, irqs on, no lock held. Waits for all CPUs that are online.
 */
void perf_rotate_shorten(struct pmu *pmu)
{
	on_each_cpu(perf_rotate_shorten_here, pmu, true);
}

/**
 * perf_rotate_init() - initialise the rotation timer
 * @cpc: any CPU's side of a PMU
 */
void perf_rotate_init(struct perf_cpu_pmu_context *cpc)
{
	hrtimer_init(&cpc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpc->timer.function = perf_rotate_tick;
}
