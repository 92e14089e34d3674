/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The timer that ends slices.
 */
#ifndef _KERNEL_EVENTS_ROTATE_H
#define _KERNEL_EVENTS_ROTATE_H

#include "cpu_pmu.h"

u64 perf_rotate_rest(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_rotate(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_rotate_start(struct perf_cpu_pmu_context *cpc, u64 now);
void __perf_rotate_shorten(struct perf_cpu_pmu_context *cpc, u64 now);
void perf_rotate_shorten(struct pmu *pmu);
void perf_rotate_init(struct perf_cpu_pmu_context *cpc);

#endif /* _KERNEL_EVENTS_ROTATE_H */
