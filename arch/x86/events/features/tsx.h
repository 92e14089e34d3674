/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that exclude transactions, see tsx.c.
 */
#ifndef _X86_EVENTS_TSX_H
#define _X86_EVENTS_TSX_H

#include "../counters/core_pmu.h"

extern const struct attribute_group x86_tsx_group;
void x86_tsx_probe(struct x86_core_pmu *core);
void x86_tsx_write(struct x86_cpu_pmu *cpu, bool abort);
void x86_tsx_apply(struct x86_cpu_pmu *cpu);
void x86_tsx_reassign(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_TSX_H */
