// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs that several CPUs share: the CPU of each domain that has the events.
 *
 * For each scope, this file selects one online CPU of each domain (core, die, cluster,
 * package, the system). The events of the domain's PMUs are on this CPU. sysfs shows
 * these CPUs as "cpumask". When such a CPU goes offline, another CPU of the domain is selected,
 * and migrate.c moves the events there.
 *
 * Context: task. Changes run under the CPU hotplug lock.
 */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "pmu.h"

/* Selected CPUs, by scope; [NONE] is unused. Hotplug writes; readers take no lock. */
static struct cpumask perf_scope_serving[PERF_PMU_MAX_SCOPE];

/* CPUs that can be selected: online, and not going offline. */
static struct cpumask perf_scope_able;

#define DOMAIN(_name)							\
static const struct cpumask *_name##_domain(int cpu)			\
{									\
	return topology_##_name##_cpumask(cpu);				\
}

DOMAIN(sibling)
DOMAIN(die)
DOMAIN(cluster)
DOMAIN(core)

static const struct cpumask *system_domain(int cpu)
{
	return &perf_scope_able;
}

/* In topology.h "sibling" is the mask of a core's CPUs, "core" the mask of a package's CPUs. */
static const struct cpumask *(* const perf_scope_domain[])(int cpu) = {
	[PERF_PMU_SCOPE_CORE]		= sibling_domain,
	[PERF_PMU_SCOPE_DIE]		= die_domain,
	[PERF_PMU_SCOPE_CLUSTER]	= cluster_domain,
	[PERF_PMU_SCOPE_PKG]		= core_domain,
	[PERF_PMU_SCOPE_SYS_WIDE]	= system_domain,
};

static_assert(ARRAY_SIZE(perf_scope_domain) == PERF_PMU_MAX_SCOPE);

/* Return: a CPU of @mask that is in the domain of @cpu, or -1. */
static int perf_scope_find(unsigned int scope, int cpu, const struct cpumask *mask)
{
	unsigned int found = cpumask_any_and(perf_scope_domain[scope](cpu), mask);

	return found < nr_cpu_ids ? found : -1;
}

/**
 * perf_pmu_scope_mask() - the CPUs that have the events of a shared PMU
 * @pmu: the PMU
 *
 * Return: the mask, or NULL if each CPU has its own PMU.
 */
const struct cpumask *perf_pmu_scope_mask(struct pmu *pmu)
{
	if (pmu->scope == PERF_PMU_SCOPE_NONE)
		return NULL;
	return &perf_scope_serving[pmu->scope];
}

/**
 * perf_pmu_scope_cpu() - the CPU that has the events of a shared PMU in a CPU's domain
 * @pmu: the PMU, shared by several CPUs
 * @cpu: any possible CPU
 *
 * Return: the selected CPU, or -1 if no CPU of the domain is online.
 */
int perf_pmu_scope_cpu(struct pmu *pmu, int cpu)
{
	return perf_scope_find(pmu->scope, cpu, perf_pmu_scope_mask(pmu));
}

/**
 * perf_pmu_scope_online() - a CPU comes online
 * @cpu: the CPU; selected in the domains that have no selected CPU
 *
 * Caller must hold the CPU hotplug lock, except at boot. May be called repeatedly.
 */
void perf_pmu_scope_online(int cpu)
{
	bool first = cpumask_empty(&perf_scope_able);
	unsigned int scope;

	cpumask_set_cpu(cpu, &perf_scope_able);
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		/* the boot CPU is the only one and has no topology yet */
		if (first || perf_scope_find(scope, cpu, &perf_scope_serving[scope]) < 0)
			cpumask_set_cpu(cpu, &perf_scope_serving[scope]);
	}
}

/**
 * perf_pmu_scope_disable() - let no domain select a CPU from now on
 * @cpu: the CPU, which goes offline
 *
 * perf_pmu_scope_replace() has to be called for each scope afterwards.
 *
 * Caller must hold the CPU hotplug lock. May be called repeatedly.
 */
void perf_pmu_scope_disable(int cpu)
{
	cpumask_clear_cpu(cpu, &perf_scope_able);
}

/**
 * perf_pmu_scope_replace() - select another CPU in a domain
 * @scope: the scope, PERF_PMU_SCOPE_*
 * @cpu: the CPU that goes offline
 *
 * Caller must hold the CPU hotplug lock.
 *
 * Return: the CPU that has the events from now on; -1 if @cpu did not have them, or if it was
 * the last CPU of its domain.
 */
int perf_pmu_scope_replace(unsigned int scope, int cpu)
{
	int other;

	if (!cpumask_test_and_clear_cpu(cpu, &perf_scope_serving[scope]))
		return -1;
	other = perf_scope_find(scope, cpu, &perf_scope_able);
	if (other >= 0)
		cpumask_set_cpu(other, &perf_scope_serving[scope]);
	return other;
}
