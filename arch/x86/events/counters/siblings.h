/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the threads of a core, or the cores of a node, share, see siblings.c.
 */
#ifndef _X86_EVENTS_SIBLINGS_H
#define _X86_EVENTS_SIBLINGS_H

#include "core_pmu.h"

u64 x86_sibling_assign(struct x86_cpu_pmu *cpu, struct perf_event *event);
bool x86_sibling_move(struct x86_cpu_pmu *cpu, unsigned int counter, unsigned int to);
void x86_sibling_left(struct x86_cpu_pmu *cpu, const struct perf_event *event);
void x86_sibling_gone(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_SIBLINGS_H */
