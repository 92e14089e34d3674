// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs that several CPUs share, and events that follow a PMU to another CPU.
 *
 * Owns, per scope, one online CPU of each domain (core, die, cluster, package,
 * the system): the one through which the domain's PMUs are served, shown in
 * sysfs as "cpumask". Owns the move of a PMU's CPU events from one CPU to
 * another, for such a CPU that goes offline and for drivers that choose by
 * themselves. Does not move task events: they go where their task goes.
 *
 * Entry points: perf_pmu_scope_online() and perf_pmu_scope_offline() from CPU
 * hotplug, under its lock; perf_pmu_migrate_context() from drivers. Task context.
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

/* CPUs that serve; [NONE] is unused. Hotplug writes, anybody reads. */
static struct cpumask perf_scope_serving[PERF_PMU_MAX_SCOPE];

/* CPUs that can serve: up, and not on the way down. */
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

/* topology.h calls the CPUs of a core its siblings, those of a package its cores */
static const struct cpumask *(* const perf_scope_domain[])(int cpu) = {
	[PERF_PMU_SCOPE_CORE]		= sibling_domain,
	[PERF_PMU_SCOPE_DIE]		= die_domain,
	[PERF_PMU_SCOPE_CLUSTER]	= cluster_domain,
	[PERF_PMU_SCOPE_PKG]		= core_domain,
	[PERF_PMU_SCOPE_SYS_WIDE]	= system_domain,
};

static_assert(ARRAY_SIZE(perf_scope_domain) == PERF_PMU_MAX_SCOPE);

/* A CPU of @mask that is in the domain of @cpu, or -1. */
static int perf_scope_find(unsigned int scope, int cpu, const struct cpumask *mask)
{
	unsigned int found = cpumask_any_and(perf_scope_domain[scope](cpu), mask);

	return found < nr_cpu_ids ? found : -1;
}

/**
 * perf_pmu_scope_mask() - the CPUs through which a PMU is served
 * @pmu: the PMU
 *
 * Return: the mask, or NULL if each CPU has its own.
 */
const struct cpumask *perf_pmu_scope_mask(struct pmu *pmu)
{
	if (pmu->scope == PERF_PMU_SCOPE_NONE)
		return NULL;
	return &perf_scope_serving[pmu->scope];
}

/**
 * perf_pmu_scope_cpu() - the CPU that serves a PMU for another CPU
 * @pmu: the PMU, shared by several CPUs
 * @cpu: any possible CPU
 *
 * Return: the CPU, or -1 if no CPU of the domain is online.
 */
int perf_pmu_scope_cpu(struct pmu *pmu, int cpu)
{
	return perf_scope_find(pmu->scope, cpu, perf_pmu_scope_mask(pmu));
}

/**
 * perf_pmu_scope_online() - a CPU comes; it serves where nobody does
 * @cpu: the CPU
 *
 * Hotplug lock held, or boot. May be called again.
 */
void perf_pmu_scope_online(int cpu)
{
	bool first = cpumask_empty(&perf_scope_able);
	unsigned int scope;

	cpumask_set_cpu(cpu, &perf_scope_able);
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		/* the boot CPU is alone, and has no topology yet */
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
 * perf_pmu_scope_offline() - a CPU goes; another one of its domain serves
 * @cpu: the CPU, still up
 *
 * Events go along, before perf_event_exit_cpu() stops what is left. Hotplug
 * lock held; may sleep. May be called again.
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
 * A group moves as a whole and keeps its states: it is halted on the old CPU,
 * taken off its context's lists, and goes on with the new CPU's clock. In
 * between event->ctx is the old context, whose mutex is held: whoever wants the
 * event waits there and then finds that it has moved.
 */

/**
 * struct perf_migration - groups on their way from one CPU to another
 * @pmu: whose
 * @src: context that they leave
 * @dst: context that they join
 * @cpu: that of @dst
 * @leaders: those that left, by event_entry
 * @leader: the group that is being moved
 * @subctx: its set in @dst
 * @pmu_ctx: its pmu_ctx in @dst
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

/* On the old CPU, under src->lock. */
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
	/* where to go: perf_migration_in() takes it up from here */
	leader->pmu_ctx = move->pmu_ctx;
	perf_sched_fill_waiting(src);
}

/* On the new CPU, under dst->lock. */
static void perf_migration_join(struct perf_event_context *dst, void *arg)
{
	struct perf_migration *move = arg;
	struct perf_event *event, *leader = move->leader;
	u64 now = perf_ctx_now(dst);

	perf_group_for_each(event, leader) {
		event->subctx = move->subctx;
		perf_event_stamp_times(event, now);
		/* from here on perf_event_read_local() takes it for this CPU's */
		WRITE_ONCE(event->cpu, move->cpu);
		WRITE_ONCE(event->ctx, dst);
		event->attach_state &= ~PERF_ATTACH_MOVING;
		perf_userpage_moved(event);
		perf_ctx_enter(dst, &event, 1);
	}
	/* the sub-context was held for the group, see perf_migration_out() */
	move->subctx->nr_events--;

	perf_group_start(leader, now);
}

/* Make what the group will need in the other context, now and later. */
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
		/* its members follow it on the list, and leave with it */
		while (!list_entry_is_head(next, &move->src->event_list, event_entry) &&
		       next->group_leader == event)
			next = list_next_entry(next, event_entry);

		/* a sub-context without events would be freed before the group is there */
		move->subctx->nr_events++;
		perf_ctx_call(move->src, perf_migration_leave, move);
		list_add_tail(&event->event_entry, &move->leaders);
	}
}

/* All that move have left. */
static void perf_migration_take_buffers(struct perf_migration *move)
{
	struct perf_event *leader, *event;

	list_for_each_entry(leader, &move->leaders, event_entry) {
		perf_group_for_each(event, leader)
			perf_rb_move(event, move->cpu);
	}
}

/* The sub-context is freed with its last group, of those still on their way too. */
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
 * @pmu: the PMU; also software events move that are in a group with its events
 * @src_cpu: from where
 * @dst_cpu: to where, another CPU; both are up
 *
 * Counts and times go on, and so does the state: what was disabled stays
 * disabled. Must not be called under a context's mutex.
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
		 * The lists on which the events were are walked no more, and nothing
		 * is being written any more on the old CPU to what they write to.
		 */
		synchronize_rcu();
		perf_migration_in(&move);
	}

	mutex_unlock(second);
	mutex_unlock(first);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);
