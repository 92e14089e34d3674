// SPDX-License-Identifier: GPL-2.0
/*
 * Events enter and leave contexts.
 *
 * perf_ctx_install() puts an event into a context, perf_ctx_remove() takes it out. Inherited
 * events enter many at a time, through perf_ctx_prepare_child() and perf_ctx_enter(). The callers
 * decide which events are installed, and in what order. Locking and lifetime rules are in
 * base/contexts.h.
 *
 * __always_inline: see lifetime/event.c.
 *
 * Context: task. Functions that require ctx->lock run with irqs off.
 */
#include <linux/sched.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../sideband/sideband.h"
#include "../overflow/freq.h"
#include "../software/follow.h"
#include "../software/traced.h"
#include "../sched/sched.h"
#include "cgroup.h"
#include "context.h"
#include "ctx_call.h"
#include "ctx_pin.h"
#include "ctx_sched.h"
#include "filtered.h"
#include "group.h"
#include "group_list.h"
#include "install.h"
#include "limits.h"
#include "state.h"
#include "subctx.h"
#include "subctx_sched.h"
#include "task_data.h"

/*
 * Switch on a context that was empty when its task was switched in. If the task does not run
 * here, its next switch-in sees the first event: the scheduler takes the locks of the runqueue
 * in between.
 */
struct perf_ctx_start {
	struct task_struct		*task;
	struct perf_event_context	*ctx;
	bool				moved;
};

static void perf_ctx_start_here(void *arg)
{
	struct perf_ctx_start *start = arg;

	lockdep_assert_irqs_disabled();
	if (start->task == current)
		perf_ctx_sched_in_filled(start->ctx);
	start->moved = start->task != current &&
		       task_cpu(start->task) != smp_processor_id();
}

/*
 * The context is off though its task runs. This happens when the context was returned to a
 * task whose other context was empty. If the task is switched in after this check, the switch
 * turns the context on.
 */
static bool perf_ctx_waits(const struct perf_event_context *ctx,
			   const struct task_struct *task)
{
	return task && READ_ONCE(ctx->cpu) < 0 && task_curr(task);
}

/* A task's context has got its first event: switch it on if @task, referenced, runs. */
static void perf_ctx_let_in(struct task_struct *task, struct perf_event_context *ctx)
{
	struct perf_ctx_start start = { .task = task, .ctx = ctx };

	if (task == current) {
		guard(irq)();
		perf_ctx_start_here(&start);
		return;
	}
	do {
		start.moved = false;
		if (smp_call_function_single(task_cpu(task), perf_ctx_start_here,
					     &start, 1))
			start.moved = true;
	} while (start.moved && READ_ONCE(task->on_rq));
}

/* The task may run right now on the CPU for which its first event has been installed. */
static void perf_ctx_sched_in_local(struct perf_event_context *ctx,
				    struct perf_subctx *subctx)
{
	if (ctx->cpu < 0 || subctx->cpu != ctx->cpu || subctx->clock.on)
		return;
	ctx->local = subctx;
	perf_subctx_sched_in(subctx, perf_time());
}

/* The first user readable event gives the task access to counters; the last one revokes it. */
static __always_inline void
perf_ctx_count_user_reads(struct perf_event_context *ctx, struct perf_event *event,
			  int change)
{
	unsigned int before = ctx->nr_user_reads;

	if (!perf_event_is_user_readable(event) || !perf_ctx_is_task(ctx))
		return;
	ctx->nr_user_reads += change;
	if (ctx->cpu >= 0 && !before != !ctx->nr_user_reads)
		arch_perf_user_access(ctx->nr_user_reads);
}

/* What is needed to install an event; @original is the event it is inherited from, or NULL. */
struct perf_ctx_installation {
	struct perf_event		*event;
	struct perf_event		*original;
	struct pmu			*group_pmu;
	struct perf_event_pmu_context	*pmu_ctx;
};

/* Make the group's pmu_ctx, and the event's own one for when its leader is removed. */
static bool perf_ctx_make_pmu_ctxs(struct perf_subctx *subctx,
				   struct perf_event *event,
				   struct perf_ctx_installation *inst)
{
	if (inst->group_pmu) {
		inst->pmu_ctx = perf_subctx_pmu_ctx(subctx, inst->group_pmu);
		if (!inst->pmu_ctx)
			return false;
	}
	/* in most cases both are the same */
	if (inst->group_pmu == event->pmu && !perf_cgroup_is_foreign(event, subctx))
		return true;
	return perf_group_make_pmu_ctxs(subctx, event);
}

/* Assign a sub-context to the event, and allocate what its group will need. */
static int perf_ctx_prepare(struct perf_event_context *ctx,
			    struct perf_ctx_installation *inst)
{
	struct perf_event *event = inst->event;
	struct perf_subctx *subctx;
	int err;

	lockdep_assert_held(&ctx->mutex);

	subctx = perf_subctx_get(ctx, event);
	if (!subctx)
		return -ENOMEM;
	event->subctx = subctx;
	err = inst->original ? 0 : perf_ctx_check_limits(event);
	if (!err && (!perf_ctx_make_pmu_ctxs(subctx, event, inst) ||
		     !perf_task_data_get(ctx, event)))
		err = -ENOMEM;
	if (err) {
		perf_subctx_put(subctx);
		return err;
	}
	err = perf_followers_prepare(event) ? perf_traced_prepare(event, inst->original) :
					      -ENOMEM;
	if (err) {
		perf_task_data_put(ctx, event);
		perf_subctx_put(subctx);
	}
	return err;
}

/**
 * perf_ctx_prepare_child() - do what can fail when a child event enters a context
 * @ctx: a new task's context
 * @child: the child event, made for @ctx
 * @original: the event that @child is inherited from
 *
 * On success @child is a member of its group, which is not visible to others yet.
 *
 * Caller must hold the mutexes of @ctx and of the context of @original.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_ctx_prepare_child(struct perf_event_context *ctx, struct perf_event *child,
			   struct perf_event *original)
{
	struct perf_event *leader = child->group_leader;
	struct perf_ctx_installation inst = {
		.event		= child,
		.original	= original,
		.group_pmu		= perf_group_pmu_with(leader, child),
	};
	int err;

	err = perf_ctx_prepare(ctx, &inst);
	if (err)
		return err;
	perf_group_attach(child);
	leader->group_pmu = inst.group_pmu;
	perf_group_set_pmu_ctx(leader, inst.pmu_ctx);
	return 0;
}

static noinline void perf_ctx_enter_more(struct perf_event_context *ctx,
					 struct perf_event *event)
{
	perf_ctx_count_user_reads(ctx, event, 1);
	perf_sideband_attach(event);
	perf_freq_attach(event);
	perf_traced_enter(event);
	perf_filter_attach(event, ctx);
}

static void __perf_ctx_enter(struct perf_event_context *ctx,
			     struct perf_event *event)
{
	list_add_tail_rcu(&event->event_entry, &ctx->event_list);
	ctx->nr_events++;
	event->subctx->nr_events++;
	event->attach_state |= PERF_ATTACH_CONTEXT;
	if (perf_event_is_plain_child(event))
		return;
	/* a child event is a task's, and so in no cgroup's sub-context */
	if (!event->parent)
		ctx->own.nr_foreign += perf_cgroup_is_foreign(event, event->subctx);
	perf_ctx_pin_enter(event);
	if (!perf_event_is_plain(event))
		perf_ctx_enter_more(ctx, event);
}

/**
 * perf_ctx_enter() - add events to the lists of their context
 * @ctx: the context
 * @events: events that are prepared and do not count
 * @nr: number of events
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_enter(struct perf_event_context *ctx, struct perf_event **events,
		    unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&ctx->lock);

	for (i = 0; i < nr; i++)
		__perf_ctx_enter(ctx, events[i]);
}

static noinline void perf_ctx_leave_more(struct perf_event_context *ctx,
					 struct perf_event *event)
{
	perf_sideband_detach(event);
	perf_freq_detach(event);
	perf_traced_leave(event);
	perf_filter_detach(event);
	perf_ctx_pin_leave(event);
	perf_ctx_count_user_reads(ctx, event, -1);
}

/**
 * perf_ctx_leave() - remove an event from the lists of its context
 * @ctx: the context
 * @event: the event, disabled
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_leave(struct perf_event_context *ctx, struct perf_event *event)
{
	lockdep_assert_held(&ctx->lock);

	list_del_rcu(&event->event_entry);
	ctx->nr_events--;
	event->subctx->nr_events--;
	event->attach_state &= ~PERF_ATTACH_CONTEXT;
	if (perf_event_is_plain_child(event))
		return;
	if (!event->parent)
		ctx->own.nr_foreign -= perf_cgroup_is_foreign(event, event->subctx);
	hlist_del_init(&event->mapped_entry);
	if (!perf_event_is_plain(event))
		perf_ctx_leave_more(ctx, event);
}

static void perf_ctx_install_at(struct perf_event_context *ctx,
				struct perf_ctx_installation *inst, u64 now)
{
	struct perf_event *event = inst->event;
	struct perf_event *leader = event->group_leader;

	bool moves = leader == event || leader->group_pmu != inst->group_pmu;

	__perf_ctx_enter(ctx, event);
	perf_ctx_changed(ctx);
	perf_ctx_sched_in_local(ctx, event->subctx);

	/* If the new member changes the group PMU, the whole group moves to that PMU. */
	if (leader != event && moves)
		perf_group_stop(leader, now);
	perf_event_stamp_times(event, now);
	perf_group_attach(event);
	leader->group_pmu = inst->group_pmu;
	perf_group_set_pmu_ctx(leader, inst->pmu_ctx);
	if (leader == event && event->state == PERF_EVENT_STATE_INACTIVE)
		__perf_group_start(event, now);
	else if (moves)
		perf_group_start(leader, now);
	else
		perf_sibling_start(event, now);
}

static void perf_ctx_install_locked(struct perf_event_context *ctx, void *arg)
{
	perf_ctx_install_at(ctx, arg, perf_ctx_now(ctx));
}

/*
 * Install the first event of current's context. The context is scheduled in first, so that the
 * event counts at once.
 *
 * Return: false if the context is another task's, or on already; nothing has been done then.
 */
static bool perf_ctx_install_first(struct perf_event_context *ctx,
				   struct perf_ctx_installation *inst)
{
	struct perf_cpu_context *cpuctx;
	bool possible;
	u64 now;

	guard(irq)();
	cpuctx = this_perf_cpu();
	raw_spin_lock(&cpuctx->ctx.lock);
	raw_spin_lock(&ctx->lock);
	possible = perf_ctx_is_off_here(ctx);
	if (possible) {
		now = perf_time();
		__perf_ctx_sched_in(cpuctx, ctx, now);
		perf_ctx_install_at(ctx, inst, now);
	}
	raw_spin_unlock(&ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
	return possible;
}

/**
 * perf_ctx_install() - put an event into a context
 * @ctx: the context, referenced
 * @event: an event that was never installed, or was removed with state OFF or INACTIVE;
 *	group_leader is the leader of the group that the event joins
 *
 * The event starts counting if its state is INACTIVE and the condition of its sub-context
 * holds. The event gets a reference of its own on @ctx.
 *
 * Caller must hold ctx->mutex.
 *
 * Return: 0; -ESRCH when the task has exited; -ENODEV when the CPU is offline; -ENOSPC when
 * a limit of limits.h or of software/traced.h is reached; -ENOMEM.
 */
int perf_ctx_install(struct perf_event_context *ctx, struct perf_event *event)
{
	struct perf_ctx_installation inst = {
		.event	= event,
		.group_pmu	= perf_group_pmu_with(event->group_leader, event),
	};
	bool first = perf_ctx_is_task(ctx) && !ctx->nr_events;
	int err;

	lockdep_assert_held(&ctx->mutex);

	if (ctx->task == PERF_TASK_GONE)
		return -ESRCH;
	if (!perf_ctx_is_online(ctx))
		return -ENODEV;

	err = perf_ctx_prepare(ctx, &inst);
	if (err)
		return err;
	perf_ctx_get(ctx);
	WRITE_ONCE(event->ctx, ctx);
	if (first)
		perf_switch_key_inc();
	if (first && perf_ctx_install_first(ctx, &inst))
		return 0;
	perf_ctx_call(ctx, perf_ctx_install_locked, &inst);
	if (first || perf_ctx_waits(ctx, event->hw.target))
		perf_ctx_let_in(event->hw.target, ctx);
	return 0;
}

struct perf_ctx_removal {
	struct perf_event	*event;
	enum perf_event_state	state;
	bool			keep_group;
};

static void perf_ctx_remove_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_ctx_removal *removal = arg;
	struct perf_event *event = removal->event;
	u64 now = perf_ctx_now(ctx);

	__perf_event_disable(event, now, removal->state);
	perf_ctx_changed(ctx);
	if (event->attach_state & PERF_ATTACH_CONTEXT)
		perf_ctx_leave(ctx, event);
	if (!removal->keep_group)
		perf_group_detach(event, now);
	perf_sched_fill_waiting(ctx);
	/* See perf_ctx_sched_in(). While the context is on here, only this CPU adds events. */
	if (!ctx->nr_events && perf_ctx_is_task(ctx) && ctx->cpu >= 0)
		__perf_ctx_sched_out(this_perf_cpu(), ctx, now);
}

static void perf_ctx_disband_locked(struct perf_event_context *ctx, void *arg)
{
	perf_ctx_changed(ctx);
	perf_group_disband_some(arg, perf_ctx_now(ctx));
	perf_sched_fill_waiting(ctx);
}

/**
 * perf_ctx_remove() - take an event out of its context
 * @event: the event
 * @state: new state, below INACTIVE; a lower state is kept
 * @keep_group: keep the group readable as one. The event is detached from its group when it
 *	is removed once more. Without @keep_group a leader's siblings become single events.
 *
 * The event's counts and times are final. event->ctx stays set and referenced until the event
 * is freed or installed elsewhere.
 *
 * Caller must hold ctx->mutex.
 */
void perf_ctx_remove(struct perf_event *event, enum perf_event_state state,
		     bool keep_group)
{
	struct perf_ctx_removal removal = {
		.event		= event,
		.state		= state,
		.keep_group	= keep_group,
	};
	struct perf_event_context *ctx = event->ctx;
	bool attached = event->attach_state & PERF_ATTACH_CONTEXT;

	lockdep_assert_held(&ctx->mutex);

	while (!keep_group && event->nr_siblings > PERF_GROUP_BATCH) {
		perf_ctx_call(ctx, perf_ctx_disband_locked, event);
		cond_resched();
	}
	perf_ctx_call(ctx, perf_ctx_remove_locked, &removal);
	if (!attached)
		return;
	perf_task_data_put(ctx, event);
	perf_subctx_put(event->subctx);
	if (perf_ctx_is_task(ctx) && !ctx->nr_events)
		perf_switch_key_dec();
}
