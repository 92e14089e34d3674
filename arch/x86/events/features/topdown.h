/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Topdown metrics, see topdown.c.
 */
#ifndef _X86_EVENTS_TOPDOWN_H
#define _X86_EVENTS_TOPDOWN_H

#include "../counters/core_pmu.h"

int x86_topdown_init(struct perf_event *event);
void x86_topdown_begin(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_topdown_end(struct x86_cpu_pmu *cpu, struct perf_event *event);
void x86_topdown_collect(struct x86_cpu_pmu *cpu);
void x86_topdown_interrupt(struct x86_cpu_pmu *cpu);
void x86_topdown_mapped(struct perf_event *event);
void x86_topdown_overflow(struct x86_cpu_pmu *cpu);
void x86_topdown_acknowledged(struct x86_cpu_pmu *cpu);
void x86_topdown_apply(struct x86_core_pmu *core, unsigned int levels);
void x86_topdown_drop(struct x86_core_pmu *core);

#endif /* _X86_EVENTS_TOPDOWN_H */
