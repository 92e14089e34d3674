/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The registry of PMUs.
 *
 * Locking rules
 *
 *   perf_pmu_mutex	protects the registered PMUs, and whether the sysfs bus is
 *			up. The device model's locks nest inside. Lookups do not
 *			take it. It is not taken with a context's mutex held.
 *   perf_pmu_srcu	held by a lookup of a PMU until the lookup has a reference
 *			on the module or has ended. event_init() runs under it. The
 *			exception is a permanent PMU that was found by its number:
 *			its event_init() may take the hotplug lock if the type is the
 *			PMU's own.
 *   perf_pmu_cores_mutex
 *			protects the list of the core's data of all PMUs. It may be taken
 *			with a context's mutex held. No other mutex nests inside.
 *
 * The CPU hotplug lock must not be taken inside any of them, because drivers register and
 * unregister from hotplug callbacks, and perf_pmu_cpu_gone() is called by hotplug.
 *
 * Lifetime rules
 *
 *   struct pmu belongs to the driver. The registration and each event hold a reference to
 *   the core's per-CPU data of the PMU. So if a driver is unbound while events are open, this
 *   data stays until the last event is freed. PMUs with PERF_PMU_CAP_PERMANENT are never
 *   unregistered, so their events take no reference.
 */
#ifndef _KERNEL_EVENTS_PMU_H
#define _KERNEL_EVENTS_PMU_H

#include <linux/perf_event.h>

#include "../base/contexts.h"
#include "../base/event.h"

/* pmu.c */
bool perf_pmu_is_permanent(const struct pmu *pmu);
struct pmu *perf_pmu_of_event(struct perf_event *event);
void perf_pmu_release_event(struct perf_event *event);
int __perf_pmu_claim_exclusive(struct perf_event *event);
void __perf_pmu_release_exclusive(struct perf_event *event);
int __perf_pmu_check_exclusive(struct perf_event *event,
			       struct perf_event_context *ctx);
u64 perf_pmu_moment(void);
u64 perf_pmu_next_moment(void);
void perf_pmu_note_move(struct pmu *pmu, int src_cpu, int dst_cpu);
int __perf_pmu_check_cpu(struct perf_event *event, u64 since);
void perf_pmu_for_each(void (*fn)(struct pmu *pmu, void *arg), void *arg);
void perf_pmu_cpu_gone(int cpu);

/* Called when an event is opened. Return: 0, or -EBUSY while events of the other kind exist. */
static inline int perf_pmu_claim_exclusive(struct perf_event *event)
{
	return event->pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE ?
	       __perf_pmu_claim_exclusive(event) : 0;
}

/* Called before an event is installed. Return: 0, or -EBUSY if @ctx has a conflicting event. */
static inline int perf_pmu_check_exclusive(struct perf_event *event,
					   struct perf_event_context *ctx)
{
	return event->pmu->capabilities & PERF_PMU_CAP_EXCLUSIVE ?
	       __perf_pmu_check_exclusive(event, ctx) : 0;
}

/*
 * Called before an event is installed; @since is perf_pmu_moment() from before event_init(). The
 * drivers of PMUs without events of tasks select the CPU; an event of another PMU counts on the CPU
 * that was asked for. Return: 0, or -ENODEV if the PMU is elsewhere by now.
 */
static inline int perf_pmu_check_cpu(struct perf_event *event, u64 since)
{
	return event->pmu->task_ctx_nr == perf_invalid_context ?
	       __perf_pmu_check_cpu(event, since) : 0;
}

/* Undo perf_pmu_claim_exclusive(); does nothing for events without a claim. */
static inline void perf_pmu_release_exclusive(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_EXCLUSIVE)
		__perf_pmu_release_exclusive(event);
}

/* pmu_sysfs.c */
int perf_pmu_sysfs_init(void);
int perf_pmu_sysfs_add(struct pmu *pmu);
void perf_pmu_sysfs_remove(struct pmu *pmu);

/* pmu_scope.c */
int perf_pmu_scope_cpu(struct pmu *pmu, int cpu);
const struct cpumask *perf_pmu_scope_mask(struct pmu *pmu);
void perf_pmu_scope_online(int cpu);
void perf_pmu_scope_disable(int cpu);
int perf_pmu_scope_replace(unsigned int scope, int cpu);

/* migrate.c */
void perf_pmu_scope_offline(int cpu);

/* hotplug.c */
void perf_cpu_shut_down(int cpu);

#endif /* _KERNEL_EVENTS_PMU_H */
