/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's branch sampling, see brs.c.
 */
#ifndef _X86_EVENTS_AMD_BRS_H
#define _X86_EVENTS_AMD_BRS_H

#include "../core/detect.h"

#ifdef CONFIG_PERF_EVENTS_AMD_BRS
void amd_brs_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);
#else
static inline void amd_brs_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
}
#endif

#endif /* _X86_EVENTS_AMD_BRS_H */
