// SPDX-License-Identifier: GPL-2.0
/*
 * Rotation: sharing a PMU that has too few counters.
 *
 * While groups wait, a timer per CPU and PMU lets them take turns, every
 * perf_event_mux_interval_ms. Who has been served least goes first. Nothing
 * waits, no timer runs.
 */
#include <linux/list_sort.h>

#include "context.h"
#include "place.h"

static ktime_t perf_rotate_interval(const struct perf_cpu_pmu_context *cpc)
{
	return ms_to_ktime(READ_ONCE(cpc->pmu->hrtimer_interval_ms));
}

static int perf_rotate_cmp(void *priv, const struct list_head *a,
			   const struct list_head *b)
{
	u64 ta = list_entry(a, struct perf_event, group_entry)->placed_time;
	u64 tb = list_entry(b, struct perf_event, group_entry)->placed_time;

	return ta > tb;
}

static void perf_rotate(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *queue;
	u64 now = perf_time();

	perf_pmu_disable(cpc->pmu);
	perf_place_flexible_off(cpc, now);
	list_for_each_entry(queue, &cpc->queues, cpu_entry)
		list_sort(NULL, &queue->flexible, perf_rotate_cmp);
	perf_place_fill(cpc, now);
	perf_pmu_enable(cpc->pmu);
}

/* hardirq on the CPU concerned */
static enum hrtimer_restart perf_rotate_tick(struct hrtimer *timer)
{
	struct perf_cpu_pmu_context *cpc =
		container_of(timer, struct perf_cpu_pmu_context, timer);
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool more;

	/* Hotplug has moved the timer of a dying CPU here. */
	if (cpc->cpu != smp_processor_id())
		return HRTIMER_NORESTART;

	perf_cpu_lock(cpuctx);
	if (cpc->nr_waiting)
		perf_rotate(cpc);
	more = cpc->nr_waiting;
	cpc->timer_on = more;
	perf_cpu_unlock(cpuctx);

	if (!more)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, perf_rotate_interval(cpc));
	return HRTIMER_RESTART;
}

/**
 * perf_rotate_start - groups have begun to wait
 * @cpc: this CPU's side of a PMU; under perf_cpu_lock(), maybe the rq lock
 */
void perf_rotate_start(struct perf_cpu_pmu_context *cpc)
{
	if (cpc->timer_on)
		return;
	cpc->timer_on = true;
	hrtimer_start(&cpc->timer, perf_rotate_interval(cpc),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * perf_rotate_init - a timer that does not run yet
 * @cpc: any CPU's side of a PMU
 */
void perf_rotate_init(struct perf_cpu_pmu_context *cpc)
{
	hrtimer_init(&cpc->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpc->timer.function = perf_rotate_tick;
}
