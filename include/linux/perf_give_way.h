/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups that give counters up for another CPU, see kernel/events/sched/sched.c.
 */
#ifndef _LINUX_PERF_GIVE_WAY_H
#define _LINUX_PERF_GIVE_WAY_H

struct perf_event;
struct pmu;

void perf_pmu_give_way(struct pmu *pmu, struct perf_event *(*next)(struct pmu *pmu));

#endif /* _LINUX_PERF_GIVE_WAY_H */
