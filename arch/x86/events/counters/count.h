/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts and periods, see count.c.
 */
#ifndef _X86_EVENTS_COUNT_H
#define _X86_EVENTS_COUNT_H

#include "core_pmu.h"

const struct x86_period_rule *x86_count_rule(const struct x86_core_pmu *core, u64 config);
void x86_count_init(struct perf_event *event);
void x86_count_update(struct perf_event *event);
void x86_count_stopped(struct perf_event *event);
void x86_count_arm(struct x86_cpu_pmu *cpu, struct perf_event *event);
bool x86_count_wrapped(struct perf_event *event);
u64 x86_count_period(const struct perf_event *event);
u64 x86_count_reload(const struct perf_event *event);
bool x86_count_shows_overflow(const struct perf_event *event);
void x86_count_update_reloaded(struct perf_event *event, u64 reloads, u64 period);
void x86_count_renew(struct x86_cpu_pmu *cpu, struct perf_event *event, u64 period);

#endif /* _X86_EVENTS_COUNT_H */
