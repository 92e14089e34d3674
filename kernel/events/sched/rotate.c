// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation: the timer that ends turns, one per CPU and PMU.
 *
 * It is started when groups begin to wait. A pmu_ctx may go off and on again before
 * it fires: then the turn goes on where it was, as its pmu_ctx's clock says, and
 * the timer is early and waits for the rest. If nothing waits when it fires, it
 * is over. The timer belongs to a CPU, so a task that is rarely on the CPU may
 * never meet it; that is why a turn can also end when a pmu_ctx comes on.
 *
 * Groups that are set aside as unfit are tried again at rotations, less and less
 * often as long as nothing changes: see perf_fair_retry(). Where nobody else waits
 * the timer runs for them.
 */
#include "../base/clock.h"
#include "../base/contexts.h"
#include "sched.h"

static u64 perf_rotate_until(u64 end, u64 now)
{
	s64 rest = end - now;

	return rest > 0 ? rest : 0;
}

/**
 * perf_rotate_rest() - how long nothing has to be done
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * Return: ns; U64_MAX when nobody waits.
 */
u64 perf_rotate_rest(struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (cpc->nr_waiting)
		return perf_rotate_until(cpc->slice_end, now);
	if (unlikely(perf_fair_has_unfit(cpc)))
		return perf_rotate_until(cpc->retry_at, now);
	return U64_MAX;
}

/**
 * perf_rotate() - perf_rotate_rest() is over
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 */
void perf_rotate(struct perf_cpu_pmu_context *cpc, u64 now)
{
	if (unlikely(perf_fair_has_unfit(cpc)))
		perf_fair_retry(cpc, now);
	perf_fair_rotate(cpc, now);
}

/* hardirq on the CPU concerned */
static enum hrtimer_restart perf_rotate_tick(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc =
		container_of(timer, struct perf_cpu_pmu_context, timer);
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	u64 now, rest;

	/* Hotplug has moved the timer of a dying CPU here. */
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
	cpc->timer_retries = !cpc->nr_waiting;
	perf_cpu_unlock(cpuctx);

	if (rest == U64_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ktime_add_ns(hrtimer_cb_get_time(timer), rest));
	return HRTIMER_RESTART;
}

/**
 * perf_rotate_start() - groups wait, so a turn has begun or goes on
 * @cpc: this CPU's side of a PMU; under perf_cpu_lock(), maybe the rq lock
 * @now: perf_time()
 *
 * Nothing happens if none does.
 */
void perf_rotate_start(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 rest;

	/* that for the unfit alone may be far off */
	if (cpc->timer_on && !(cpc->timer_retries && cpc->nr_waiting))
		return;
	if (cpc->nr_waiting && !perf_rotate_until(cpc->slice_end, now))
		cpc->slice_end = now + perf_slice_length(cpc, now);
	rest = perf_rotate_rest(cpc, now);
	if (rest == U64_MAX)
		return;
	cpc->timer_on = true;
	cpc->timer_retries = !cpc->nr_waiting;
	hrtimer_start(&cpc->timer, ns_to_ktime(rest), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_rotate_init() - a timer that does not run yet
 * @cpc: any CPU's side of a PMU
 */
void perf_rotate_init(struct perf_cpu_pmu_context *cpc)
{
	hrtimer_init(&cpc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpc->timer.function = perf_rotate_tick;
}
