// SPDX-License-Identifier: GPL-2.0
/*
 * Migration: the CPU events of a PMU move to another CPU.
 *
 * When the CPU that has the events of a shared PMU goes offline, its events move to the CPU that
 * pmu_scope.c selects. Drivers that select a CPU by themselves move their events the same way.
 * Task events are not moved: they follow their task.
 *
 * A group is moved as a whole, and its events keep their states. The group is stopped on
 * the old CPU, removed from the lists of the old context, and started with the clock of
 * the new CPU. In between event->ctx is the old context, and its mutex is held. A caller
 * that locks the event waits for this mutex, and then finds that the event has moved. An irq_work
 * that is to disable the event does not wait: the event is disabled when it joins the new context.
 *
 * PERF_GROUP_BATCH members leave or join at a time, and interrupts are on in between. Members that
 * are scheduled with the group stop in the first of these steps and start in the last one. There
 * are no more of them than a context switch may visit, see context/limits.c. The leader has
 * PERF_ATTACH_MOVING set before any sibling, and until all have joined: the group is in no queue
 * then, although a sibling may be in a context.
 *
 * Entry points: perf_pmu_scope_offline() from CPU hotplug, under its lock;
 * perf_pmu_migrate_context() from drivers. Context: task.
 */
#include <linux/export.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/group.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../context/subctx.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
#include "../output/wakeup.h"
#include "../software/breakpoint.h"
#include "../software/traced.h"
#include "pmu.h"

/**
 * struct perf_migration - groups being moved from one CPU to another
 * @pmu: PMU of the groups, or NULL for all PMUs of @scope
 * @scope: PERF_PMU_SCOPE_*, not PERF_PMU_SCOPE_NONE; unused if there is @pmu
 * @src: context that the groups leave
 * @dst: context that the groups join
 * @src_cpu: CPU of @src, which may be offline by now
 * @cpu: CPU of @dst
 * @leaders: leaders that have left @src, by event_entry
 * @leader: leader of the current group
 * @next: its next member that leaves or joins; NULL after the last one
 * @left_at: perf_ctx_now() of @src when it was stopped: its times stand still from then on
 * @subctx: sub-context of the current group in @dst
 * @pmu_ctx: pmu_ctx of the current group in @dst
 */
struct perf_migration {
	struct pmu			*pmu;
	unsigned int			scope;
	struct perf_event_context	*src;
	struct perf_event_context	*dst;
	int				src_cpu;
	int				cpu;
	struct list_head		leaders;
	struct perf_event		*leader;
	struct perf_event		*next;
	u64				left_at;
	struct perf_subctx		*subctx;
	struct perf_event_pmu_context	*pmu_ctx;
};

/* Is the event the leader of a group that moves? */
static bool perf_migration_takes(const struct perf_migration *move, const struct perf_event *event)
{
	const struct pmu *pmu = event->group_pmu;

	if (event->group_leader != event || !pmu)
		return false;
	return move->pmu ? pmu == move->pmu : pmu->scope == move->scope;
}

/* Called on the old CPU, until all members have left. Caller must hold src->lock. */
static void perf_migration_leave(struct perf_event_context *src, void *arg)
{
	struct perf_migration *move = arg;
	struct perf_event *event = move->next, *leader = move->leader;

	if (event == leader) {
		move->left_at = perf_ctx_now(src);
		perf_group_stop(leader, move->left_at);
	}
	for (unsigned int left = PERF_GROUP_BATCH; event && left; left--) {
		perf_event_update_times(event, move->left_at);
		perf_traced_move_out(event);
		perf_ctx_leave(src, event);
		event->attach_state |= PERF_ATTACH_MOVING;
		INIT_LIST_HEAD(&event->event_entry);
		event = perf_group_next(leader, event);
	}
	move->next = event;
	/* the destination, read by perf_migration_in() */
	if (!event)
		perf_group_set_pmu_ctx(leader, move->pmu_ctx);
	perf_sched_fill_waiting(src);
}

/* From now on the event stays in the new context. */
static void perf_migration_arrive(struct perf_event *event)
{
	/* Pairs with perf_event_stays_in(). */
	smp_store_release(&event->attach_state, event->attach_state & ~PERF_ATTACH_MOVING);
	perf_userpage_moved(event);
}

/* Called on the new CPU, until all members have joined. Caller must hold dst->lock. */
static void perf_migration_join(struct perf_event_context *dst, void *arg)
{
	struct perf_migration *move = arg;
	struct perf_event *event = move->next, *leader = move->leader;
	u64 now = perf_ctx_now(dst);

	for (unsigned int left = PERF_GROUP_BATCH; event && left; left--) {
		event->subctx = move->subctx;
		perf_event_stamp_times(event, now);
		/* from here on perf_event_read_local() accepts the event on this CPU */
		WRITE_ONCE(event->cpu, move->cpu);
		WRITE_ONCE(event->ctx, dst);
		if (event != leader)
			perf_migration_arrive(event);
		/* A follower is ACTIVE also while its group is stopped. */
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			WRITE_ONCE(event->oncpu, move->cpu);
		perf_traced_move_in(event);
		perf_ctx_enter(dst, &event, 1);
		/* what the irq_work has left while the event had PERF_ATTACH_MOVING set */
		if (event != leader)
			perf_event_disable_stopped(event);
		event = perf_group_next(leader, event);
	}
	move->next = event;
	if (event)
		return;
	perf_migration_arrive(leader);
	perf_event_disable_stopped(leader);
	perf_group_start(leader, now);
}

/* Let the current group leave or join, some of its members at a time. */
static void perf_migration_do(struct perf_migration *move, struct perf_event_context *ctx,
			      perf_ctx_fn fn)
{
	move->next = move->leader;
	do {
		perf_ctx_call(ctx, fn, move);
		cond_resched();
	} while (move->next);
}

/* Undo perf_migration_prepare_event() for the members of the group before @end. */
static void perf_migration_unprepare(struct perf_migration *move, struct perf_event *leader,
				     const struct perf_event *end)
{
	struct perf_event *event;

	perf_group_for_each(event, leader) {
		if (event == end)
			break;
		perf_traced_unprepare_move(event);
		perf_bp_give_back_on(event, move->cpu);
		cond_resched();
	}
}

static int perf_migration_prepare_event(struct perf_migration *move, struct perf_event *event)
{
	int err;

	if (!perf_group_make_pmu_ctxs(move->subctx, event))
		return -ENOMEM;
	err = perf_bp_take_on(event, move->cpu);
	if (err)
		return err;
	if (perf_traced_prepare_move(event, move->subctx))
		return 0;
	perf_bp_give_back_on(event, move->cpu);
	return -ENOMEM;
}

/* Take what the group needs in the new context, so that moving it cannot fail. */
static int perf_migration_prepare(struct perf_migration *move, struct perf_event *leader)
{
	struct perf_event *event, *end = NULL;
	int err = -ENOMEM;

	move->leader = leader;
	move->subctx = perf_subctx_get(move->dst, leader);
	if (!move->subctx)
		return err;
	perf_group_for_each(event, leader) {
		err = perf_migration_prepare_event(move, event);
		if (err) {
			end = event;
			goto undo;
		}
		cond_resched();
	}
	move->pmu_ctx = perf_subctx_pmu_ctx(move->subctx, leader->group_pmu);
	if (move->pmu_ctx)
		return 0;
	err = -ENOMEM;
undo:
	perf_migration_unprepare(move, leader, end);
	perf_subctx_put(move->subctx);
	return err;
}

/* In error, and in no context: a read returns 0, and a poll EPOLLHUP. */
static void perf_migration_end(struct perf_event *event)
{
	perf_ctx_remove(event, PERF_EVENT_STATE_ERROR, true);
	perf_event_wakeup(event);
}

/*
 * The group cannot move. If it stayed, it would count a while longer and then end silently with the
 * old CPU.
 */
static void perf_migration_fail(struct perf_event *leader, int err)
{
	struct perf_event *event;

	pr_warn_ratelimited("perf: no %s, events of PMU %s end\n",
			    err == -ENOSPC ? "debug register" : "memory", leader->group_pmu->name);
	list_for_each_entry(event, &leader->sibling_list, sibling_list) {
		perf_migration_end(event);
		cond_resched();
	}
	perf_migration_end(leader);
}

static void perf_migration_out(struct perf_migration *move)
{
	struct perf_event *event, *next;
	int err;

	list_for_each_entry_safe(event, next, &move->src->event_list, event_entry) {
		cond_resched();
		if (!perf_migration_takes(move, event))
			continue;
		/* the siblings follow their leader on the list and leave with it */
		while (!list_entry_is_head(next, &move->src->event_list, event_entry) &&
		       next->group_leader == event)
			next = list_next_entry(next, event_entry);

		err = perf_migration_prepare(move, event);
		if (err) {
			perf_migration_fail(event, err);
			continue;
		}
		/*
		 * The group that moves next may fail. The new sub-context would be freed then if it
		 * has no event yet, and the old one if it has none any more.
		 */
		move->subctx->nr_moving++;
		event->subctx->nr_moving++;
		perf_migration_do(move, move->src, perf_migration_leave);
		list_add_tail(&event->event_entry, &move->leaders);
	}
}

static void perf_migration_in(struct perf_migration *move)
{
	struct perf_subctx *old;
	struct perf_event *leader, *event;

	while ((leader = list_first_entry_or_null(&move->leaders, struct perf_event,
						  event_entry))) {
		cond_resched();
		list_del_init(&leader->event_entry);
		move->leader = leader;
		move->pmu_ctx = leader->pmu_ctx;
		move->subctx = move->pmu_ctx->subctx;
		old = leader->subctx;
		perf_group_for_each(event, leader) {
			perf_ctx_get(move->dst);
			cond_resched();
		}
		perf_migration_do(move, move->dst, perf_migration_join);
		move->subctx->nr_moving--;
		old->nr_moving--;
		perf_subctx_put(old);
		perf_group_for_each(event, leader) {
			perf_bp_give_back_on(event, move->src_cpu);
			perf_ctx_put(move->src);
			cond_resched();
		}
	}
}

static void perf_migration_init(struct perf_migration *move, int src_cpu, int dst_cpu)
{
	*move = (struct perf_migration) {
		.src		= &per_cpu(perf_cpu_context, src_cpu).ctx,
		.dst		= &per_cpu(perf_cpu_context, dst_cpu).ctx,
		.src_cpu	= src_cpu,
		.cpu		= dst_cpu,
		.leaders	= LIST_HEAD_INIT(move->leaders),
	};
}

/* @move has what is to be moved, and the two CPUs. Takes the mutexes of their contexts. */
static void perf_migrate(struct perf_migration *move)
{
	bool up = move->src_cpu < move->cpu;
	struct mutex *first = up ? &move->src->mutex : &move->dst->mutex;
	struct mutex *second = up ? &move->dst->mutex : &move->src->mutex;
	struct perf_event *leader, *event;

	mutex_lock(first);
	mutex_lock_nested(second, SINGLE_DEPTH_NESTING);

	if (move->pmu)
		perf_pmu_note_move(move->pmu, move->src_cpu, move->cpu);
	perf_migration_out(move);
	if (!list_empty(&move->leaders)) {
		/* buffers move when all groups have left the old context */
		list_for_each_entry(leader, &move->leaders, event_entry) {
			perf_group_for_each(event, leader) {
				perf_rb_move(event, move->cpu);
				cond_resched();
			}
		}
		/*
		 * Wait for walks of the lists that the events have left, and for writes
		 * to their buffers on the old CPU.
		 */
		synchronize_rcu();
		list_for_each_entry(leader, &move->leaders, event_entry) {
			perf_group_for_each(event, leader) {
				perf_rb_moved(event, move->cpu);
				cond_resched();
			}
		}
		perf_migration_in(move);
	}

	mutex_unlock(second);
	mutex_unlock(first);
}

/**
 * perf_pmu_migrate_context() - move a PMU's CPU events to another CPU
 * @pmu: the PMU; software events in groups of this PMU move as well
 * @src_cpu: the old CPU
 * @dst_cpu: the new CPU, not @src_cpu; both are online
 *
 * Events keep their counts, times and states: a disabled event stays disabled. A group for which
 * memory or a debug register is lacking ends in error. Caller must not hold a context's mutex.
 *
 * If the PMU has no events of tasks (perf_invalid_context), an event for which event_init() has
 * selected @src_cpu cannot be opened any more: ENODEV. This holds until the PMU moves back, or
 * @src_cpu comes online. So event_init() may select @src_cpu until some time after this call, and
 * a driver that keeps the CPU of the user cannot have events on it.
 *
 * Context: task, may sleep. Does not take the CPU hotplug lock.
 */
void perf_pmu_migrate_context(struct pmu *pmu, int src_cpu, int dst_cpu)
{
	struct perf_migration move;

	if (WARN_ON_ONCE(src_cpu == dst_cpu))
		return;
	perf_migration_init(&move, src_cpu, dst_cpu);
	move.pmu = pmu;
	perf_migrate(&move);
}
EXPORT_SYMBOL_GPL(perf_pmu_migrate_context);

/**
 * perf_pmu_scope_offline() - a CPU goes offline; another one of its domain is selected
 * @cpu: the CPU, still online at the first call
 *
 * Moves the events of shared PMUs, before perf_event_exit_cpu() removes all others. PMUs that are
 * unregistered are included: as long as they have events, their drivers must keep them, and add
 * and delete these events.
 *
 * Caller must hold the CPU hotplug lock. May be called repeatedly.
 *
 * Context: task, may sleep.
 */
void perf_pmu_scope_offline(int cpu)
{
	struct perf_migration move;
	unsigned int scope;
	int other;

	perf_pmu_scope_disable(cpu);
	for (scope = PERF_PMU_SCOPE_NONE + 1; scope < PERF_PMU_MAX_SCOPE; scope++) {
		other = perf_pmu_scope_replace(scope, cpu);
		if (other < 0)
			continue;
		perf_migration_init(&move, cpu, other);
		move.scope = scope;
		perf_migrate(&move);
	}
}
