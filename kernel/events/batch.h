/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan on and off with one call each, for PMUs that can do that.
 */
#ifndef _KERNEL_EVENTS_BATCH_H
#define _KERNEL_EVENTS_BATCH_H

#include "place.h"

bool perf_batch_resume(struct perf_cpu_pmu_context *cpc,
		       struct perf_event_pmu_context *queue);
bool perf_batch_suspend(struct perf_cpu_pmu_context *cpc,
			struct perf_event_pmu_context *queue);

#endif /* _KERNEL_EVENTS_BATCH_H */
