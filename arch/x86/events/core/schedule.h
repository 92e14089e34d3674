/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The operations of struct pmu, see schedule.c.
 */
#ifndef _X86_EVENTS_SCHEDULE_H
#define _X86_EVENTS_SCHEDULE_H

#include "../counters/core_pmu.h"

extern const struct pmu x86_sched_pmu;
void x86_sched_start_on(struct x86_cpu_pmu *cpu, struct perf_event *event);
bool x86_sched_stop(struct perf_event *event);
void x86_sched_starting(struct x86_cpu_pmu *cpu);
void x86_sched_unprogram_all(struct x86_cpu_pmu *cpu);
u64 x86_sched_pause(struct x86_cpu_pmu *cpu);
void x86_sched_continue(struct x86_cpu_pmu *cpu, u64 paused);

#endif /* _X86_EVENTS_SCHEDULE_H */
