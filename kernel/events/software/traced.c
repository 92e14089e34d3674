// SPDX-License-Identifier: GPL-2.0
/*
 * Events of one tracepoint in one sub-context: made, found, put on a CPU's list. See traced.h.
 *
 * What an occurrence does to the events is in tracepoint.c. All but preparing runs under
 * ctx->lock.
 */
#include <linux/capability.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/walk.h"
#include "traced.h"

/* Occurrences in a probe are never about another task than the one that runs. */
static struct perf_traced *perf_traced_make(struct perf_subctx *subctx,
					    struct trace_event_call *call, bool is_probe)
{
	struct perf_traced *traced = kzalloc(sizeof(*traced), GFP_KERNEL);

	if (!traced)
		return NULL;
	traced->subctx = subctx;
	traced->call = call;
	traced->type = call->event.type;
	if (!is_probe)
		hlist_add_head_rcu(&traced->subctx_entry, &subctx->traced);
	return traced;
}

/* A probe that was made for one opened event has no other in the sub-context. */
static struct perf_traced *perf_traced_find(struct perf_subctx *subctx,
					    struct perf_event *event)
{
	struct perf_traced *traced;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	hlist_for_each_entry(traced, &subctx->traced, subctx_entry) {
		if (traced->call == event->tp_event)
			return traced;
	}
	return NULL;
}

/* All copies that one fork makes of the events of a tracepoint are together again. */
static struct perf_traced *perf_traced_copy(struct perf_subctx *subctx,
					    struct perf_event *original)
{
	struct perf_traced *from = original->traced;
	u64 fork = original->ctx->copying;

	lockdep_assert_held(&original->ctx->mutex);

	if (from->copied_by == fork)
		return from->copy;
	from->copy = perf_traced_make(subctx, from->call, hlist_unhashed(&from->subctx_entry));
	from->copied_by = from->copy ? fork : 0;
	return from->copy;
}

/* Of a task on one CPU, and as many as may be counted by another task there. */
static bool perf_traced_is_full(const struct perf_traced *traced)
{
	const struct perf_event_context *ctx = traced->subctx->ctx;

	if (!perf_ctx_is_task(ctx) || traced->subctx == &ctx->own)
		return false;
	if (traced->nr_events < PERF_TRACED_AFAR_USER)
		return false;
	return traced->nr_events >= PERF_TRACED_AFAR || !perfmon_capable();
}

/**
 * __perf_traced_prepare() - find the other events of a tracepoint, or what they will be in
 * @event: a tracing event with its sub-context, not in it yet
 * @original: what it is a copy of, or NULL
 *
 * Caller must hold the mutex of the context, and that of @original.
 *
 * Return: 0, -ENOMEM, or -ENOSPC where there are too many.
 */
int __perf_traced_prepare(struct perf_event *event, struct perf_event *original)
{
	struct perf_subctx *subctx = event->subctx;
	struct perf_traced *traced;

	lockdep_assert_held(&subctx->ctx->mutex);

	if (!perf_event_is_nosched(event))
		return 0;
	if (original) {
		traced = perf_traced_copy(subctx, original);
	} else {
		traced = perf_traced_find(subctx, event);
		if (traced && perf_traced_is_full(traced))
			return perf_refuse(-ENOSPC, "config",
					   "the task has %u events of this tracepoint on CPU %d",
					   traced->nr_events, event->cpu);
		if (!traced)
			traced = perf_traced_make(subctx, event->tp_event,
						  event->attr.type != PERF_TYPE_TRACEPOINT);
	}
	if (!traced)
		return -ENOMEM;
	traced->nr_events++;
	event->traced = traced;
	return 0;
}

/* The mutex of the context is held, maybe by the task that this CPU is interrupted for. */
static void perf_traced_put(struct perf_event *event)
{
	struct perf_traced *traced = event->traced;

	event->traced = NULL;
	if (--traced->nr_events)
		return;
	hlist_del_init_rcu(&traced->subctx_entry);
	kfree_rcu(traced, rcu_head);
}

/**
 * __perf_traced_unprepare() - undo __perf_traced_prepare()
 * @event: has not come into its sub-context
 *
 * Caller must hold the mutex of the context.
 */
void __perf_traced_unprepare(struct perf_event *event)
{
	lockdep_assert_held(&event->traced->subctx->ctx->mutex);
	perf_traced_put(event);
}

/**
 * __perf_traced_enter() - an event comes into its sub-context
 * @event: prepared, not added
 *
 * Caller must hold ctx->lock.
 */
void __perf_traced_enter(struct perf_event *event)
{
	hlist_add_head_rcu(&event->hlist_entry, &event->traced->events);
}

/**
 * __perf_traced_leave() - an event leaves its sub-context
 * @event: not added
 *
 * It may come into another one a grace period later. Caller must hold ctx->lock and
 * ctx->mutex.
 */
void __perf_traced_leave(struct perf_event *event)
{
	hlist_del_rcu(&event->hlist_entry);
	perf_traced_put(event);
}

static void perf_traced_link(struct perf_traced *traced)
{
	hlist_add_head_rcu(&traced->linked, this_cpu_ptr(traced->call->perf_events));
}

static void perf_traced_unlink(struct perf_traced *traced)
{
	perf_walk_pass(&traced->linked);
	hlist_del_rcu(&traced->linked);
}

/**
 * perf_traced_add() - an event begins to count
 * @event: in its sub-context
 *
 * Caller must hold ctx->lock, on the CPU where the context is on, if it is.
 */
void perf_traced_add(struct perf_event *event)
{
	struct perf_traced *traced = event->traced;
	struct perf_subctx *subctx = traced->subctx;

	if (traced->nr_added++)
		return;
	hlist_add_head(&traced->added_entry, &subctx->traced_added);
	subctx->busy = true;
	if (subctx->clock.on)
		perf_traced_link(traced);
}

/**
 * perf_traced_del() - undo perf_traced_add()
 * @event: added
 */
void perf_traced_del(struct perf_event *event)
{
	struct perf_traced *traced = event->traced;

	if (--traced->nr_added)
		return;
	hlist_del(&traced->added_entry);
	if (traced->subctx->clock.on)
		perf_traced_unlink(traced);
}

/**
 * perf_traced_subctx_on() - tracepoints that a sub-context has events of may be skipped no more
 * @subctx: just switched on here; none of its scheduled groups is on yet
 *
 * Caller must hold ctx->lock.
 */
void perf_traced_subctx_on(struct perf_subctx *subctx)
{
	struct perf_traced *traced;

	hlist_for_each_entry(traced, &subctx->traced_added, added_entry)
		perf_traced_link(traced);
}

/**
 * perf_traced_subctx_off() - undo perf_traced_subctx_on()
 * @subctx: about to be switched off; none of its scheduled groups is on any more
 *
 * Caller must hold ctx->lock.
 */
void perf_traced_subctx_off(struct perf_subctx *subctx)
{
	struct perf_traced *traced;

	hlist_for_each_entry(traced, &subctx->traced_added, added_entry)
		perf_traced_unlink(traced);
}
