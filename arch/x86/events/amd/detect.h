/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AMD's and Hygon's core PMUs, see detect.c.
 */
#ifndef _X86_EVENTS_AMD_DETECT_H
#define _X86_EVENTS_AMD_DETECT_H

#include "../core/detect.h"

int amd_core_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);

#endif /* _X86_EVENTS_AMD_DETECT_H */
