// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs that several CPUs share, and events that follow a PMU to another CPU.
 *
 * For each scope, this file selects one online CPU of each domain (core, die, cluster,
 * package, the system). The events of the domain's PMUs are on this CPU. sysfs shows
 * these CPUs as "cpumask". When such a CPU goes offline, the CPU events of these PMUs
 * are moved to another CPU of the domain. Drivers that select a CPU by themselves move
 * their events the same way. Task events are not moved: they follow their task.
 *
 * Entry points: perf_pmu_scope_online() and perf_pmu_scope_offline() from CPU hotplug,
 * under its lock; perf_pmu_migrate_context() from drivers. Context: task.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/topology.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "../context/group.h"
#include "../context/subctx.h"
#include "../context/state.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
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

/* In topology.h "sibling" is the mask of a core's CPUs, "core" that of a package's CPUs. */
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

struct perf_scope_move {
	unsigned int	scope;
	int		from;
	int		to;
};

static void perf_scope_move_pmu(struct pmu *pmu, void *arg)
{
	struct perf_scope_move *move = arg;

	if (pmu->scope == move->scope)
		perf_pmu_migrate_context(pmu, move->from, move->to);
}

/**
 * perf_pmu_scope_offline() - a CPU goes offline; another one of its domain is selected
 * @cpu: the CPU, still online at the first call
 *
 * Moves the events of shared PMUs, before perf_event_exit_cpu() removes all others.
 * Caller must hold the CPU hotplug lock. May be called repeatedly.
 *
 * Context: task, may sleep.
 */
void perf_pmu_scope_offline(int cpu)
{
	struct perf_scope_move move = { .from = cpu };

	cpumask_clear_cpu(cpu, &perf_scope_able);
	for (move.scope = PERF_PMU_SCOPE_NONE + 1; move.scope < PERF_PMU_MAX_SCOPE;
	     move.scope++) {
		struct cpumask *serving = &perf_scope_serving[move.scope];

		if (!cpumask_test_and_clear_cpu(cpu, serving))
			continue;
		move.to = perf_scope_find(move.scope, cpu, &perf_scope_able);
		if (move.to < 0)
			continue;
		cpumask_set_cpu(move.to, serving);
		perf_pmu_for_each(perf_scope_move_pmu, &move);
	}
}

/*
 * Migration
 *
 * A group is moved as a whole, and its events keep their states. The group is stopped on
 * the old CPU, removed from the lists of the old context, and started with the clock of
 * the new CPU. In between event->ctx is the old context, and its mutex is held. A caller
 * that locks the event waits for this mutex, and then finds that the event has moved.
 */

/**
 * struct perf_migration - groups being moved from one CPU to another
 * @pmu: PMU of the groups
 * @src: context that the groups leave
 * @dst: context that the groups join
 * @cpu: CPU of @dst
 * @leaders: leaders that have left @src, by event_entry
 * @leader: leader of the current group
 * @subctx: sub-context of the current group in @dst
 * @pmu_ctx: pmu_ctx of the current group in @dst
 */
struct perf_migration {
	struct pmu			*pmu;
	struct perf_event_context	*src;
	struct perf_event_context	*dst;
	int				cpu;
	struct list_head		leaders;
	struct perf_event		*leader;
	struct perf_subctx		*subctx;
	struct perf_event_pmu_context	*pmu_ctx;
};

/* Called on the old CPU. Caller must hold src->lock. */
static void perf_migration_leave(struct perf_event_context *src, void *arg)
{
	struct perf_migration *move = arg;
	struct perf_event *event, *leader = move->leader;
	u64 now = perf_ctx_now(src);

	perf_group_stop(leader, now);
	perf_group_for_each(event, leader) {
		perf_event_update_times(event, now);
		perf_ctx_leave(src, event);
		event->attach_state |= PERF_ATTACH_MOVING;
		INIT_LIST_HEAD(&event->event_entry);
	}
	/* the destination, read by perf_migration_in() */
	leader->pmu_ctx = move->pmu_ctx;
	perf_sched_fill_waiting(src);
}

/* Called on the new CPU. Caller must hold dst->lock. */
static void perf_migration_join(struct perf_event_context *dst, void *arg)
{
	struct perf_migration *move = arg;
	struct perf_event *event, *leader = move->leader;
	u64 now = perf_ctx_now(dst);

	perf_group_for_each(event, leader) {
		event->subctx = move->subctx;
		perf_event_stamp_times(event, now);
		/* from here on perf_event_read_local() accepts the event on this CPU */
		WRITE_ONCE(event->cpu, move->cpu);
		WRITE_ONCE(event->ctx, dst);
		event->attach_state &= ~PERF_ATTACH_MOVING;
		perf_userpage_moved(event);
		perf_ctx_enter(dst, &event, 1);
	}
	/* drop the count that kept the sub-context, see perf_migration_out() */
	move->subctx->nr_events--;

	perf_group_start(leader, now);
}

/* Allocate what the group needs in the new context, so that moving it cannot fail. */
static bool perf_migration_prepare(struct perf_migration *move,
				   struct perf_event *leader)
{
	struct perf_event *event;

	move->leader = leader;
	move->subctx = perf_subctx_get(move->dst, leader);
	if (!move->subctx)
		return false;
	perf_group_for_each(event, leader) {
		if (!perf_group_make_pmu_ctxs(move->subctx, event))
			goto err;
	}
	move->pmu_ctx = perf_subctx_pmu_ctx(move->subctx, move->pmu);
	if (move->pmu_ctx)
		return true;
err:
	perf_subctx_put(move->subctx);
	return false;
}

static void perf_migration_out(struct perf_migration *move)
{
	struct perf_event *event, *next;

	list_for_each_entry_safe(event, next, &move->src->event_list, event_entry) {
		if (event->group_leader != event || event->group_pmu != move->pmu)
			continue;
		if (!perf_migration_prepare(move, event)) {
			pr_warn_once("perf: no memory, events of PMU %s stay behind\n",
				     move->pmu->name);
			continue;
		}
		/* the siblings follow their leader on the list and leave with it */
		while (!list_entry_is_head(next, &move->src->event_list, event_entry) &&
		       next->group_leader == event)
			next = list_next_entry(next, event_entry);

		/* an empty sub-context would be freed before the group joins it */
		move->subctx->nr_events++;
		perf_ctx_call(move->src, perf_migration_leave, move);
		list_add_tail(&event->event_entry, &move->leaders);
	}
}

/* Move the buffers. All groups have left the old context. */
static void perf_migration_take_buffers(struct perf_migration *move)
{
	struct perf_event *leader, *event;

	list_for_each_entry(leader, &move->leaders, event_entry) {
		perf_group_for_each(event, leader)
			perf_rb_move(event, move->cpu);
	}
}

/* Put the old sub-context once no group that is still being moved refers to it. */
static void perf_migration_put_subctx(struct perf_migration *move,
				      struct perf_subctx *subctx)
{
	struct perf_event *leader;

	list_for_each_entry(leader, &move->leaders, event_entry) {
		if (leader->subctx == subctx)
			return;
	}
	perf_subctx_put(subctx);
}

static void perf_migration_in(struct perf_migration *move)
{
	struct perf_subctx *old;
	struct perf_event *leader, *event;

	while ((leader = list_first_entry_or_null(&move->leaders, struct perf_event,
						  event_entry))) {
		list_del_init(&leader->event_entry);
		move->leader = leader;
		move->pmu_ctx = leader->pmu_ctx;
		move->subctx = move->pmu_ctx->subctx;
		old = leader->subctx;
		perf_group_for_each(event, leader)
			perf_ctx_get(move->dst);
		perf_ctx_call(move->dst, perf_migration_join, move);
		perf_migration_put_subctx(move, old);
		perf_group_for_each(event, leader)
			perf_ctx_put(move->src);
	}
}

/**
 * perf_pmu_migrate_context() - move a PMU's CPU events to another CPU
 * @pmu: the PMU; software events in groups of this PMU move as well
 * @src_cpu: the old CPU
 * @dst_cpu: the new CPU, not @src_cpu; both are online
 *
 * Events keep their counts, times and states: a disabled event stays disabled. Caller must
 * not hold a context's mutex.
 *
 * Context: task, may sleep. Does not take the CPU hotplug lock.
 */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	struct perf_migration move = {
		.pmu		= pmu,
		.src		= &per_cpu(perf_cpu_context, src_cpu).ctx,
		.dst		= &per_cpu(perf_cpu_context, dst_cpu).ctx,
		.cpu		= dst_cpu,
		.leaders	= LIST_HEAD_INIT(move.leaders),
	};
	bool up = src_cpu < dst_cpu;
	struct mutex *first = up ? &move.src->mutex : &move.dst->mutex;
	struct mutex *second = up ? &move.dst->mutex : &move.src->mutex;

	if (WARN_ON_ONCE(src_cpu == dst_cpu))
		return;

	mutex_lock(first);
	mutex_lock_nested(second, SINGLE_DEPTH_NESTING);

	perf_migration_out(&move);
	if (!list_empty(&move.leaders)) {
		perf_migration_take_buffers(&move);
		/*
		 * Wait for walks of the lists that the events have left, and for writes
		 * to their buffers on the old CPU.
		 */
		synchronize_rcu();
		perf_migration_in(&move);
	}

	mutex_unlock(second);
	mutex_unlock(first);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);
