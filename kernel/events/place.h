/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups on counters: which of those that want to count are on the PMU now.
 *
 * Locking rules: the lock of this CPU's context, irqs off, for everything in
 * struct perf_cpu_pmu_context; for a group also the lock of its own context.
 */
#ifndef _KERNEL_EVENTS_PLACE_H
#define _KERNEL_EVENTS_PLACE_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>

struct perf_cpu_context;
struct perf_event_set;

/**
 * struct perf_cpu_pmu_context - one PMU on one CPU
 * @pmu: the PMU
 * @cpu: the CPU
 * @disable_count: depth of perf_pmu_disable()
 * @queues: perf_event_pmu_context::cpu_entry of the sets that are on
 * @pmus_entry: on perf_cpu_context::pmus while @queues is not empty
 * @nr_placed: groups that are on
 * @nr_waiting: groups that did not fit
 * @floor: served time of the group that is owed most, as far as known
 * @exclusive: the one group that is on wants to be alone
 * @timer: rotation, runs only while groups wait
 * @timer_on: @timer is queued, or its callback has not decided yet
 * @sched_cb_usage: perf_sched_cb_inc() minus perf_sched_cb_dec()
 */
struct perf_cpu_pmu_context {
	struct pmu		*pmu;
	int			cpu;
	int			disable_count;
	struct list_head	queues;
	struct list_head	pmus_entry;
	unsigned int		nr_placed;
	unsigned int		nr_waiting;
	u64			floor;
	bool			exclusive;
	struct hrtimer		timer;
	bool			timer_on;
	int			sched_cb_usage;
};

void perf_place_init_pmu(struct pmu *pmu);
void perf_place_stop_pmu(struct pmu *pmu);
void perf_place_cpu_gone(struct pmu *pmu, int cpu);

void perf_place_enqueue(struct perf_event *leader, u64 now);
void perf_place_dequeue(struct perf_event *leader, u64 now);
void perf_place_set_on(struct perf_event_set *set, u64 now);
void perf_place_set_off(struct perf_event_set *set, u64 now);
void perf_place_fill_waiting(struct perf_event_context *ctx);
void perf_place_refill(struct perf_cpu_context *cpuctx);

void perf_place_flexible_off(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_place_fill(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_rotate_start(struct perf_cpu_pmu_context *cpc);
void perf_rotate_init(struct perf_cpu_pmu_context *cpc);

#endif /* _KERNEL_EVENTS_PLACE_H */
