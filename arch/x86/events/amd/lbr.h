/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's branch records, see lbr.c.
 */
#ifndef _X86_EVENTS_AMD_LBR_H
#define _X86_EVENTS_AMD_LBR_H

#include "../core/detect.h"

void amd_lbr_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);
bool amd_lbr_decode(struct perf_branch_entry *entry, u64 from, u64 to, unsigned int top);

#endif /* _X86_EVENTS_AMD_LBR_H */
