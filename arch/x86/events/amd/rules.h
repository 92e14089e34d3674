/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counter constraints of AMD's families.
 */
#ifndef _X86_EVENTS_AMD_RULES_H
#define _X86_EVENTS_AMD_RULES_H

#include "../counters/core_pmu.h"

void amd_rules_apply(struct x86_core_pmu *core, unsigned int family);

#endif /* _X86_EVENTS_AMD_RULES_H */
