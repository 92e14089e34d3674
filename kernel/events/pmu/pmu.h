/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of PMUs.
 *
 * Locking rules
 *
 *   perf_pmu_mutex	who is registered, and whether the sysfs bus is up. The
 *			device model's locks nest inside. Not taken by lookups, nor
 *			with a context's mutex held.
 *   perf_pmu_srcu	held by whoever looks a PMU up, until it has a reference
 *			on the module or is done: event_init() runs under it.
 *
 * Neither is held together with the CPU hotplug lock taken inside, because
 * drivers register and unregister from hotplug callbacks.
 *
 * Lifetime rules
 *
 *   struct pmu belongs to the driver. What the core needs on each CPU is referenced by
 *   the registration and by each event. Not so for PMUs with PERF_PMU_CAP_PERMANENT, which
 *   are not counted. So if a driver is unbound while events are open, the core's part of the
 *   PMU stays until the last event is freed.
 */
#ifndef _KERNEL_EVENTS_PMU_H
#define _KERNEL_EVENTS_PMU_H

#include <linux/perf_event.h>

#include "../base/contexts.h"
#include "../base/event.h"

/* pmu.c */
struct pmu *perf_pmu_of_event(struct perf_event *event);
void perf_pmu_release_event(struct perf_event *event);
int __perf_pmu_claim_exclusive(struct perf_event *event);
void __perf_pmu_release_exclusive(struct perf_event *event);
int __perf_pmu_check_exclusive(struct perf_event *event,
			       struct perf_event_context *ctx);
void perf_pmu_for_each(void (*fn)(struct pmu *pmu, void *arg), void *arg);
void perf_pmu_add_devices(void);
void perf_pmu_init(void);

static inline bool perf_pmu_is_exclusive(const struct pmu *pmu)
{
	return pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE;
}

/* An event is being opened. Return: 0, or -EBUSY while there are events of the other kind. */
static inline int perf_pmu_claim_exclusive(struct perf_event *event)
{
	return perf_pmu_is_exclusive(event->pmu) ? __perf_pmu_claim_exclusive(event) : 0;
}

/* It is about to be installed. Return: 0, or -EBUSY when @ctx has one of its kind. */
static inline int perf_pmu_check_exclusive(struct perf_event *event,
					   struct perf_event_context *ctx)
{
	return perf_pmu_is_exclusive(event->pmu) ? __perf_pmu_check_exclusive(event, ctx) : 0;
}

/* Undo perf_pmu_claim_exclusive(), if it was done: of any event. */
static inline void perf_pmu_release_exclusive(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_EXCLUSIVE)
		__perf_pmu_release_exclusive(event);
}

/* pmu_sysfs.c */
int perf_pmu_sysfs_add(struct pmu *pmu);
void perf_pmu_sysfs_remove(struct pmu *pmu);

/* pmu_scope.c */
int perf_pmu_scope_cpu(struct pmu *pmu, int cpu);
const struct cpumask *perf_pmu_scope_mask(struct pmu *pmu);
void perf_pmu_scope_online(int cpu);
void perf_pmu_scope_offline(int cpu);

static inline int perf_pmu_check_period(struct perf_event *event, u64 value)
{
	struct pmu *pmu = event->pmu;

	return pmu->check_period ? pmu->check_period(event, value) : 0;
}

#endif /* _KERNEL_EVENTS_PMU_H */
