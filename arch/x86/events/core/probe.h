/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters with unknown content, see probe.c.
 */
#ifndef _X86_EVENTS_PROBE_H
#define _X86_EVENTS_PROBE_H

#include "../counters/core_pmu.h"

void x86_cpu_quiet(struct x86_cpu_pmu *cpu);
int x86_core_probe(struct x86_core_pmu *core);

#endif /* _X86_EVENTS_PROBE_H */
