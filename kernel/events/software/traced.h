/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of one tracepoint, or probe, in one sub-context.
 *
 * Each tracepoint has a list for each CPU, and does nothing where its list is empty. The nodes
 * of the list are not events. They are struct perf_traced, one for each sub-context that is
 * scheduled in and has counting events of the tracepoint. So the cost of a context switch
 * depends on the number of different tracepoints, not on the number of events. The events
 * themselves are unscheduled events. Function tracing is the exception: there each event is a
 * node of the list.
 *
 * Locking rules: perf_subctx::traced changes under the mutex of the context. It is read under
 * that mutex or under RCU. perf_subctx::traced_tree is used under the mutex. @events changes under
 * ctx->lock and is read under RCU. All else changes under ctx->lock, on the CPU of the sub-context
 * if it is scheduled in. The list of a CPU is read on that CPU with irqs off, or in NMI.
 *
 * A foreign event (perf_cgroup_is_foreign()) has its perf_traced in the CPU's own sub-context. An
 * occurrence finds it also while no task of its leader's cgroup runs, and does not count then.
 *
 * Lifetime rules: allocated for the first event of a tracepoint in the sub-context, freed a
 * grace period after the last one has left.
 */
#ifndef _KERNEL_EVENTS_TRACED_H
#define _KERNEL_EVENTS_TRACED_H

#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rbtree_types.h>
#include <linux/rculist.h>

#include "../base/contexts.h"

/*
 * Limits of the events of one tracepoint in one sub-context. Some tracepoints, such as
 * sched_switch, occur with irqs off and the run queue locked. Others, such as sched_wakeup, are
 * about a task that does not run: the CPU that wakes the task updates the events of the task
 * that are bound to this CPU. PERF_TRACED_AFAR limits these even with CAP_PERFMON.
 */
#define PERF_TRACED_USER	64
#define PERF_TRACED_AFAR	512

/**
 * struct perf_traced - events of one tracepoint in one sub-context
 * @linked: on the tracepoint's list of this CPU while the sub-context is scheduled in and
 *	@nr_added is not 0
 * @events: all events, by hlist_entry; events that are not added have PERF_HES_STOPPED in
 *	hw.state
 * @type: number of the tracepoint, as in the header of its records
 * @nr_added: events between add() and del()
 * @added_entry: on perf_subctx::traced_added while @nr_added is not 0
 * @subctx: the sub-context
 * @call: the tracepoint; valid while there are events
 * @subctx_entry: on perf_subctx::traced, unless this is a probe created for one event
 * @node: of a CPU's context, in perf_subctx::traced_tree if @subctx_entry is on the list
 * @nr_events: number of @events and of those about to enter; ctx->mutex
 * @child: of a task's context, perf_traced of the same tracepoint in the child context that fork
 *	number @child_fork creates; ctx->mutex
 * @child_fork: see @child
 * @rcu_head: for freeing
 */
struct perf_traced {
	struct hlist_node		linked;
	struct hlist_head		events;
	u16				type;
	unsigned int			nr_added;
	struct hlist_node		added_entry;
	struct perf_subctx		*subctx;
	struct trace_event_call		*call;
	struct hlist_node		subctx_entry;
	unsigned int			nr_events;
	union {
		struct rb_node		node;
		struct {
			struct perf_traced	*child;
			u64			child_fork;
		};
	};
	struct rcu_head			rcu_head;
};

#ifdef CONFIG_EVENT_TRACING
int __perf_traced_prepare(struct perf_event *event, struct perf_event *original);
bool __perf_traced_prepare_move(struct perf_event *event, struct perf_subctx *to);
void perf_traced_put(struct perf_traced **traced);

void perf_traced_add(struct perf_event *event);
void perf_traced_del(struct perf_event *event);

void perf_traced_subctx_sched_in(struct perf_subctx *subctx);
void perf_traced_subctx_sched_out(struct perf_subctx *subctx);

/* Return: whether the event counts occurrences of a tracepoint or a probe. */
static inline bool perf_event_is_traced(const struct perf_event *event)
{
	return event->tp_event;
}

static inline int perf_traced_prepare(struct perf_event *event,
				      struct perf_event *original)
{
	return perf_event_is_traced(event) ? __perf_traced_prepare(event, original) : 0;
}

/* Undo perf_traced_prepare(). Caller must hold the mutex of the context. */
static inline void perf_traced_unprepare(struct perf_event *event)
{
	if (!event->traced)
		return;
	lockdep_assert_held(&event->traced->subctx->ctx->mutex);
	perf_traced_put(&event->traced);
}

/**
 * perf_traced_prepare_move() - allocate what an event needs in the context that it moves to
 * @event: the event; it leaves its context before it enters the other one
 * @to: sub-context of the event's group there
 *
 * A limit does not apply: the number of events does not change.
 *
 * Caller must hold the mutexes of both contexts.
 *
 * Return: false if memory allocation failed.
 */
static inline bool perf_traced_prepare_move(struct perf_event *event, struct perf_subctx *to)
{
	return !perf_event_is_traced(event) || __perf_traced_prepare_move(event, to);
}

/* Undo perf_traced_prepare_move(). Caller must hold the mutex of the context that was @to. */
static inline void perf_traced_unprepare_move(struct perf_event *event)
{
	if (!event->traced_next)
		return;
	lockdep_assert_held(&event->traced_next->subctx->ctx->mutex);
	perf_traced_put(&event->traced_next);
}

/*
 * A member of a group that was stopped is about to leave its context. A follower is still added.
 * Caller must hold ctx->lock.
 */
static inline void perf_traced_move_out(struct perf_event *event)
{
	if (event->traced && event->state == PERF_EVENT_STATE_ACTIVE)
		perf_traced_del(event);
}

/* The event enters the context that it moves to. Caller must hold the lock of that context. */
static inline void perf_traced_move_in(struct perf_event *event)
{
	event->traced = event->traced_next;
	event->traced_next = NULL;
	if (event->traced && event->state == PERF_EVENT_STATE_ACTIVE)
		perf_traced_add(event);
}

/* A prepared event enters its sub-context. Caller must hold ctx->lock. */
static inline void perf_traced_enter(struct perf_event *event)
{
	if (event->traced)
		hlist_add_head_rcu(&event->hlist_entry, &event->traced->events);
}

/*
 * An event that is not added leaves its sub-context. It may enter another one after a grace
 * period. Caller must hold ctx->lock and ctx->mutex.
 */
static inline void perf_traced_leave(struct perf_event *event)
{
	if (!event->traced)
		return;
	hlist_del_rcu(&event->hlist_entry);
	perf_traced_put(&event->traced);
}
#else
static inline bool perf_event_is_traced(const struct perf_event *event) { return false; }
static inline int perf_traced_prepare(struct perf_event *event,
				      struct perf_event *original)
{
	return 0;
}

static inline void perf_traced_unprepare(struct perf_event *event) { }
static inline bool perf_traced_prepare_move(struct perf_event *event, struct perf_subctx *to)
{
	return true;
}

static inline void perf_traced_unprepare_move(struct perf_event *event) { }
static inline void perf_traced_move_out(struct perf_event *event) { }
static inline void perf_traced_move_in(struct perf_event *event) { }
static inline void perf_traced_enter(struct perf_event *event) { }
static inline void perf_traced_leave(struct perf_event *event) { }
static inline void perf_traced_subctx_sched_in(struct perf_subctx *subctx) { }
static inline void perf_traced_subctx_sched_out(struct perf_subctx *subctx) { }
#endif

#endif /* _KERNEL_EVENTS_TRACED_H */
