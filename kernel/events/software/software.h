/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software events: occurrences that the kernel reports, and their PMU.
 */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include <linux/perf_event.h>

/* The ids, as bits, that perf_sw_event_sched() reports: interrupts off, run queue locked. */
#define PERF_SWEVENTS_OF_SWITCHES	(BIT(PERF_COUNT_SW_CONTEXT_SWITCHES) |		\
					 BIT(PERF_COUNT_SW_CPU_MIGRATIONS) |		\
					 BIT(PERF_COUNT_SW_CGROUP_SWITCHES))

void perf_swevent_count(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
void perf_swevent_count_lost(struct perf_event *event, u64 nr);
bool perf_swevent_excluded(const struct perf_event *event, struct pt_regs *regs);

/*
 * Do occurrences of the event come from context switches and migrations? These are in kernel
 * mode, so an event that excludes the kernel has none.
 */
static inline bool perf_swevent_is_of_switches(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE && !event->attr.exclude_kernel &&
	       BIT(event->attr.config) & PERF_SWEVENTS_OF_SWITCHES;
}

/* task_migration.c */
void perf_task_migration_get(void);
void perf_task_migration_put(void);
void perf_task_migration_flush(void);

/* software_pmu.c */
void __init perf_swevent_init(void);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
