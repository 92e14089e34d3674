/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters and system management mode, see smi.c.
 */
#ifndef _X86_EVENTS_SMI_H
#define _X86_EVENTS_SMI_H

#include "../counters/core_pmu.h"

extern const struct attribute_group x86_smi_group;
void x86_smi_apply(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_SMI_H */
