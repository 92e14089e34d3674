/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One group is scheduled in or out: all of its members, or none.
 */
#ifndef _KERNEL_EVENTS_GROUP_SCHED_H
#define _KERNEL_EVENTS_GROUP_SCHED_H

#include "cpu_pmu.h"

bool perf_group_sched_in(struct perf_cpu_pmu_context *cpc,
			 struct perf_event *leader, u64 now);
void perf_group_sched_out(struct perf_cpu_pmu_context *cpc,
			  struct perf_event *leader, u64 now);
bool perf_group_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event *leader, u64 now);
void perf_group_suspend(struct perf_event *leader);

#endif /* _KERNEL_EVENTS_GROUP_SCHED_H */
