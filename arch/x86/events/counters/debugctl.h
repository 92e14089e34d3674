/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IA32_DEBUGCTL, see debugctl.c.
 */
#ifndef _X86_EVENTS_DEBUGCTL_H
#define _X86_EVENTS_DEBUGCTL_H

#include "core_pmu.h"

void x86_debugctl_update(struct x86_cpu_pmu *cpu, u64 mask, u64 bits);
void x86_debugctl_restore(struct x86_cpu_pmu *cpu);

#endif /* _X86_EVENTS_DEBUGCTL_H */
