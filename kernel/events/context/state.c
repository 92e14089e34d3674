// SPDX-License-Identifier: GPL-2.0
/*
 * Event states and times.
 *
 * An event is enabled if its state is INACTIVE or ACTIVE. An enabled event counts, and its
 * time_enabled runs, if its leader is enabled as well. Unscheduled groups are ACTIVE exactly
 * while they are enabled: a context switch stops only the sub-context's clock. Groups with a
 * group PMU are ACTIVE while they belong to the plan of their pmu_ctx, see sched/sched.c. At a
 * context switch they stay ACTIVE, but lose their counters: see perf_event_has_counter(). A
 * sibling that follows its leader is ACTIVE as long as it is enabled, and derives its times from
 * the leader's; see follow.h.
 *
 * Context: Functions with a parameter @now, and callbacks of perf_ctx_call(), run under
 * ctx->lock; if the context is scheduled in, on its CPU.
 */
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/recursion.h"
#include "../base/times.h"
#include "../overflow/overflow.h"
#include "../sched/event_sched.h"
#include "../sched/sched.h"
#include "context.h"
#include "ctx_call.h"
#include "ctx_family.h"
#include "group_list.h"
#include "state.h"

/**
 * perf_group_start() - let a group count, or enqueue it for its group PMU
 * @leader: the leader; nothing happens unless it is INACTIVE
 * @now: perf_ctx_now()
 */
void perf_group_start(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->state != PERF_EVENT_STATE_INACTIVE ||
	    !(leader->attach_state & PERF_ATTACH_CONTEXT))
		return;

	if (leader->group_pmu) {
		perf_sched_enqueue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE)
			perf_event_sched_in(event, now);
	}
}

/**
 * perf_group_stop() - let a group count no longer; undoes perf_group_start()
 * @leader: the leader
 * @now: perf_ctx_now()
 */
void perf_group_stop(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->state < PERF_EVENT_STATE_INACTIVE ||
	    !(leader->attach_state & PERF_ATTACH_CONTEXT))
		return;

	if (leader->group_pmu) {
		perf_sched_dequeue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_sched_out(event, now);
	}
}

/*
 * The times of the members begin to run. As long as the leader is disabled they stand still, so
 * the totals are up to date.
 */
static void perf_group_stamp_times(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	/* followers derive their times from the leader's */
	perf_group_for_each_enabled(event, leader)
		perf_event_stamp_times(event, now);
}

/**
 * perf_sibling_start() - let a sibling count if its group does
 * @event: the sibling; nothing happens unless it is INACTIVE and its leader is enabled
 * @now: perf_ctx_now()
 *
 * The other members are not looked at, unless there is no room for it.
 */
void perf_sibling_start(struct perf_event *event, u64 now)
{
	if (event->state != PERF_EVENT_STATE_INACTIVE)
		return;
	if (perf_event_follows(event))
		perf_event_sched_in(event, now);
	else if (!perf_event_should_count(event))
		return;
	else if (event->group_leader->group_pmu)
		perf_sched_sibling_in(event, now);
	else
		perf_event_sched_in(event, now);
}

/**
 * __perf_group_start() - let a group count, or enqueue it for its group PMU
 * @leader: the leader, INACTIVE and attached; its timestamps, and the timestamps of siblings that
 *	do not follow, are @now
 * @now: perf_ctx_now()
 */
void __perf_group_start(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->group_pmu) {
		perf_sched_enqueue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE)
			__perf_event_sched_in(event);
	}
}

/* The event is enabled, and its times have just been updated. */
static void __perf_sibling_start(struct perf_event *event, u64 now)
{
	if (perf_event_follows(event))
		__perf_event_sched_in(event);
	else
		perf_sibling_start(event, now);
}

/**
 * perf_sibling_stop() - a sibling counts no longer, the rest of its group goes on
 * @event: the sibling; nothing happens unless it is ACTIVE
 * @now: perf_ctx_now()
 */
void perf_sibling_stop(struct perf_event *event, u64 now)
{
	struct pmu *group_pmu;
	bool counts;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	group_pmu = event->group_leader->group_pmu;
	counts = group_pmu && perf_event_has_counter(event) && !perf_event_follows(event);
	if (counts)
		perf_pmu_disable(group_pmu);
	perf_event_sched_out(event, now);
	if (counts)
		perf_pmu_enable(group_pmu);
}

/* All members count no longer, and their totals are up to date. */
static void perf_leader_disable(struct perf_event *leader, u64 now)
{
	bool unscheduled = !leader->group_pmu;
	struct perf_event *event;

	if (!unscheduled && leader->attach_state & PERF_ATTACH_CONTEXT)
		perf_sched_dequeue(leader, now);
	perf_group_for_each_enabled(event, leader) {
		perf_event_update_totals(event, now);
		if (unscheduled && event->state == PERF_EVENT_STATE_ACTIVE)
			__perf_event_sched_out(event);
	}
}

static void perf_sibling_disable(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (leader->group_pmu && !perf_event_follows(event)) {
		perf_sibling_stop(event, now);
		perf_event_update_totals(event, now);
		if (leader->state >= PERF_EVENT_STATE_INACTIVE)
			perf_sched_sibling_gone(leader, now);
		return;
	}
	perf_event_update_totals(event, now);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		__perf_event_sched_out(event);
}

/**
 * __perf_event_disable() - an event is disabled, in error, or leaves
 * @event: attached
 * @now: perf_ctx_now()
 * @state: the new state, below INACTIVE; a lower one stays
 */
void __perf_event_disable(struct perf_event *event, u64 now,
			  enum perf_event_state state)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;

	/* timestamps are left alone: __perf_event_enable() sets new ones */
	if (enabled) {
		perf_ctx_family_toggled(event);
		if (perf_event_leads(event))
			perf_leader_disable(event, now);
		else
			perf_sibling_disable(event, now);
	}
	if (event->state > state)
		WRITE_ONCE(event->state, state);
	if (enabled && !perf_event_leads(event))
		perf_group_sort(event);
}

/**
 * perf_event_retire() - finish the count and times of an event that leaves its context
 * @event: attached, and its context is scheduled out. Its group has no group PMU, or has been
 *	dequeued from it.
 * @state: the last state, below OFF; a lower one stays
 *
 * Siblings must be retired before their leader, because the state of the leader decides whether
 * the times of a sibling run.
 *
 * Context: Caller must hold ctx->lock.
 */
void perf_event_retire(struct perf_event *event, enum perf_event_state state)
{
	bool counts = perf_event_has_counter(event);

	/* all clocks are stopped: @now does not matter */
	perf_event_update_totals(event, 0);
	if (event->state > state)
		WRITE_ONCE(event->state, state);
	if (counts)
		__perf_event_del(event);
}

/* Disable an event for which perf_event_disable_inatomic() was called, unless that is done. */
static void perf_event_finish_disable(struct perf_event *event, u64 now)
{
	if (!event->pending_disable)
		return;
	/* Its group is moving. It has not left yet, or has joined. */
	if (event->group_leader->attach_state & PERF_ATTACH_MOVING) {
		perf_event_update_totals(event, now);
		perf_event_disable_stopped(event);
		return;
	}
	__perf_event_disable(event, now, PERF_EVENT_STATE_OFF);
	/* until here no NMI has overflowed it again */
	event->pending_disable = 0;
}

/**
 * __perf_event_enable() - the user enables an event
 * @event: attached; nothing happens if it is enabled or gone, or cannot count without a leader
 * @now: perf_ctx_now()
 *
 * A disable that is pending since an overflow is finished before: the event ends enabled.
 */
void __perf_event_enable(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (unlikely(event->pending_disable))
		perf_event_finish_disable(event, now);
	if (event->state >= PERF_EVENT_STATE_INACTIVE ||
	    event->state <= PERF_EVENT_STATE_EXIT ||
	    !(event->attach_state & PERF_ATTACH_CONTEXT))
		return;
	if (perf_event_is_orphan(event))
		return;

	perf_ctx_family_toggled(event);
	if (event == leader) {
		perf_group_stamp_times(leader, now);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
		__perf_group_start(leader, now);
		return;
	}

	perf_event_stamp_times(event, now);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	perf_group_sort(event);
	__perf_sibling_start(event, now);
}

static void perf_event_enable_locked(struct perf_event_context *ctx, void *arg)
{
	__perf_event_enable(arg, perf_ctx_now(ctx));
}

/**
 * perf_event_enable_one() - enable one event, not its children
 * @event: the event; the mutex of its context is held, or the event cannot
 *	move to another context
 */
void perf_event_enable_one(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_event_enable_locked, event);
}

static void perf_event_disable_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;

	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	__perf_event_disable(event, perf_ctx_now(ctx), PERF_EVENT_STATE_OFF);
	perf_sched_fill_waiting(ctx);
}

/**
 * perf_event_disable_one() - disable one event, not its children
 * @event: as for perf_event_enable_one()
 */
void perf_event_disable_one(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_event_disable_locked, event);
}

static void perf_event_restart_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg, *leader = event->group_leader;
	u64 now = perf_ctx_now(ctx);

	/* it may have moved to another CPU; there it was added anew */
	if (!perf_event_stays_in(event, ctx) || !perf_event_stays_in(leader, ctx) ||
	    !(event->attach_state & PERF_ATTACH_CONTEXT) || !leader->group_pmu)
		return;
	perf_group_stop(leader, now);
	perf_group_start(leader, now);
	perf_sched_fill_waiting(ctx);
}

/**
 * perf_event_restart() - try an event's group anew
 * @event: the event; what its driver refused it for, or stopped it for, may be gone
 *
 * Nothing happens to what was inherited from it, nor if it is disabled.
 *
 * Context: task, irqs on, may interrupt another CPU.
 */
void perf_event_restart(struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	if (ctx)
		perf_ctx_call(ctx, perf_event_restart_locked, event);
}

static void perf_event_flush_samples_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;
	struct pmu *group_pmu = event->group_leader->group_pmu;

	if (!perf_event_has_counter(event) || perf_event_is_halted(event))
		return;
	perf_pmu_disable(group_pmu);
	event->pmu->stop(event, PERF_EF_UPDATE);
	/* what the driver has reported may be too much */
	if (!perf_event_is_halted(event))
		event->pmu->start(event, 0);
	perf_pmu_enable(group_pmu);
}

/**
 * perf_event_flush_samples_one() - let an event's driver report the samples that it has, and decide
 * anew how it takes the next ones
 * @event: the event; the mutex of its context is held. Something that decides on samples has just
 *	changed: the limit of overflows, or the program of the event or of its parent
 *
 * Only drivers that need sched_task() for the event keep samples in hardware: these name no task.
 *
 * Context: task, irqs on, may interrupt another CPU.
 */
void perf_event_flush_samples_one(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_SCHED_CB)
		perf_ctx_call(event->ctx, perf_event_flush_samples_locked, event);
}

/**
 * perf_event_flush_samples() - the same for an event and its child events
 * @event: an opened event; no mutex of a context is held
 *
 * Context: task, may sleep.
 */
void perf_event_flush_samples(struct perf_event *event)
{
	struct perf_event_context *ctx;
	struct perf_event *child;

	if (!(event->attach_state & PERF_ATTACH_SCHED_CB))
		return;
	ctx = perf_ctx_lock_of_event(event);
	perf_event_flush_samples_one(event);
	scoped_guard(mutex, &event->child_mutex) {
		list_for_each_entry(child, &event->child_list, child_list) {
			perf_event_flush_samples_one(child);
			cond_resched();
		}
	}
	mutex_unlock(&ctx->mutex);
}

/**
 * perf_event_with_children() - do something to an event and all inherited from it
 * @event: the event; the mutex of its context is held
 * @fn: what to do; may not sleep on a context's mutex
 */
void perf_event_with_children(struct perf_event *event, perf_event_fn fn)
{
	struct perf_event *child;

	WARN_ON_ONCE(event->parent);

	if (!event->attr.inherit) {
		fn(event);
		return;
	}
	perf_ctx_family_begin_operation(event);
	fn(event);
	scoped_guard(mutex, &event->child_mutex) {
		list_for_each_entry(child, &event->child_list, child_list) {
			fn(child);
			cond_resched();
		}
	}
	perf_ctx_family_end_operation(event);
}

/**
 * perf_event_disable_stopped() - finish what perf_event_disable_inatomic() began, in a group that
 * has been stopped
 * @event: the event, attached; perf_group_stop() was called for its group, and the totals of its
 *	times are up to date
 *
 * The group is not enqueued, so its group PMU need not be notified.
 *
 * Context: Caller must hold ctx->lock.
 */
void perf_event_disable_stopped(struct perf_event *event)
{
	if (likely(!event->pending_disable))
		return;
	if (event->state >= PERF_EVENT_STATE_INACTIVE) {
		perf_ctx_family_toggled(event);
		/* a follower is ACTIVE also while its leader is stopped */
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			__perf_event_sched_out(event);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_OFF);
		if (!perf_event_leads(event))
			perf_group_sort(event);
	}
	event->pending_disable = 0;
}

/*
 * Finish a disable under the lock of a context that was the event's. An event that moves is left
 * to perf_migration_join().
 *
 * Return: false if the event has joined another context meanwhile.
 */
static bool perf_event_try_disable(struct perf_event_context *ctx,
				   struct perf_event *event, u64 now)
{
	if (perf_event_stays_in(event, ctx)) {
		perf_event_finish_disable(event, now);
		return true;
	}
	return READ_ONCE(event->ctx) == ctx;
}

static bool perf_event_try_disable_here(struct perf_event_context *ctx,
					struct perf_event *event)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool done;

	perf_cpu_lock(cpuctx);
	done = perf_event_try_disable(ctx, event, perf_time());
	perf_sched_fill_waiting(ctx);
	perf_cpu_unlock(cpuctx);
	return done;
}

/**
 * perf_event_pending_disable() - the irq_work of an event that is to be disabled
 * @work: perf_event::pending_disable_irq
 *
 * The event is disabled on the CPU where its context is scheduled in. The task may have been
 * switched since the overflow, and may run on another CPU, or the event may have moved to another
 * CPU. Then the irq_work is queued there. While the event moves it is in no context, and nothing
 * is done: the event is disabled when it joins the new context. What occurs meanwhile is not
 * counted: it could disable this event, or another one, again.
 *
 * Context: irq_work, irqs off.
 */
void perf_event_pending_disable(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_disable_irq);
	struct perf_event_context *ctx;
	bool done;
	int cpu;

	lockdep_assert_irqs_disabled();
	guard(perf_own_work)();

	do {
		ctx = READ_ONCE(event->ctx);
		cpu = READ_ONCE(ctx->cpu);
		if (cpu == smp_processor_id()) {
			done = perf_event_try_disable_here(ctx, event);
			continue;
		}
		if (cpu < 0) {
			raw_spin_lock(&ctx->lock);
			cpu = ctx->cpu;
			done = cpu >= 0 || perf_event_try_disable(ctx, event, 0);
			raw_spin_unlock(&ctx->lock);
		} else {
			done = true;
		}
		if (cpu >= 0)
			irq_work_queue_on(work, cpu);
	} while (!done);
}
