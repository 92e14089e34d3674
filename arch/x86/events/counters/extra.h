/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that events need beside their counters, see extra.c.
 */
#ifndef _X86_EVENTS_EXTRA_H
#define _X86_EVENTS_EXTRA_H

#include "core_pmu.h"

int x86_extra_init(struct perf_event *event);
bool x86_extra_try(struct x86_extra_regs *regs, struct perf_event *event);
bool x86_extra_get(struct x86_cpu_pmu *cpu, struct perf_event *event, u64 *moved);
void x86_extra_put(struct perf_event *event);
void x86_extra_cpu_starting(unsigned int nr);
void x86_extra_probe(struct x86_core_pmu *core);
unsigned int x86_extra_home_of(unsigned int nr);

#endif /* _X86_EVENTS_EXTRA_H */
