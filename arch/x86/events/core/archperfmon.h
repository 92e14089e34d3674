/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Architectural performance monitoring of Intel and Zhaoxin.
 */
#ifndef _X86_EVENTS_ARCHPERFMON_H
#define _X86_EVENTS_ARCHPERFMON_H

#include "../counters/arch_events.h"
#include "detect.h"

extern const struct event_constraint archperfmon_rules[];
extern const struct attribute_group *archperfmon_groups[];

int archperfmon_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu, u64 known);

#endif /* _X86_EVENTS_ARCHPERFMON_H */
