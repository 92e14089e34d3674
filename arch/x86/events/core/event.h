/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of a core PMU, see event.c.
 */
#ifndef _X86_EVENTS_EVENT_H
#define _X86_EVENTS_EVENT_H

#include "../counters/core_pmu.h"

int x86_core_event_init(struct perf_event *event);
const struct x86_event_code *x86_core_code_of(const struct x86_core_pmu *core, u32 what);
u64 x86_core_counters_for(const struct x86_core_pmu *core, u64 config);
bool x86_core_serves(const struct perf_event *event);

#endif /* _X86_EVENTS_EVENT_H */
