// SPDX-License-Identifier: GPL-2.0
/*
 * Events of one tracepoint in one sub-context: allocation, lookup, linking into the list of a
 * CPU. See traced.h.
 *
 * tracepoint.c handles occurrences. Caller must hold ctx->lock for everything but preparing and
 * unpreparing.
 */
#include <linux/capability.h>
#include <linux/percpu.h>
#include <linux/rbtree.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/trace_events.h>
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/walk.h"
#include "traced.h"

static int perf_traced_compare(const void *call, const struct rb_node *node)
{
	const struct trace_event_call *other = rb_entry(node, struct perf_traced, node)->call;

	if (call == other)
		return 0;
	return call < (const void *)other ? -1 : 1;
}

static bool perf_traced_less(struct rb_node *node, const struct rb_node *other)
{
	return perf_traced_compare(rb_entry(node, struct perf_traced, node)->call, other) < 0;
}

/*
 * A probe is not on subctx->traced, which is walked for occurrences about another task: those
 * in a probe are always about the running task.
 */
static struct perf_traced *perf_traced_make(struct perf_subctx *subctx,
					    struct trace_event_call *call, bool is_probe)
{
	struct perf_traced *traced = kzalloc(sizeof(*traced), GFP_KERNEL_ACCOUNT);

	if (!traced)
		return NULL;
	traced->subctx = subctx;
	traced->call = call;
	traced->type = call->event.type;
	if (is_probe)
		return traced;
	hlist_add_head_rcu(&traced->subctx_entry, &subctx->traced);
	if (!perf_ctx_is_task(subctx->ctx))
		rb_add(&traced->node, &subctx->traced_tree, perf_traced_less);
	return traced;
}

static struct perf_traced *perf_traced_find_of_task(struct perf_subctx *subctx,
						    struct perf_event *event)
{
	struct perf_traced *traced;

	hlist_for_each_entry(traced, &subctx->traced, subctx_entry) {
		if (traced->call == event->tp_event)
			return traced;
	}
	return NULL;
}

/* When a PMU moves, there is a search for each of its groups' events: no walk of a long list. */
static struct perf_traced *perf_traced_find_of_cpu(struct perf_subctx *subctx,
						   struct perf_event *event)
{
	struct rb_node *node = rb_find(event->tp_event, &subctx->traced_tree, perf_traced_compare);

	return node ? rb_entry(node, struct perf_traced, node) : NULL;
}

/* A probe belongs to one opened event, so no other event in the sub-context can share it. */
static struct perf_traced *perf_traced_find(struct perf_subctx *subctx,
					    struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	if (perf_ctx_is_task(subctx->ctx))
		return perf_traced_find_of_task(subctx, event);
	return perf_traced_find_of_cpu(subctx, event);
}

static struct perf_traced *perf_traced_make_for(struct perf_subctx *subctx,
						struct perf_event *event)
{
	return perf_traced_make(subctx, event->tp_event,
				event->attr.type != PERF_TYPE_TRACEPOINT);
}

/* All child events that one fork creates for the events of a tracepoint share one perf_traced. */
static struct perf_traced *perf_traced_inherit(struct perf_subctx *subctx,
					       struct perf_event *original)
{
	struct perf_traced *from = original->traced;
	u64 fork = original->ctx->nr_forks;

	lockdep_assert_held(&original->ctx->mutex);

	if (from->child_fork == fork)
		return from->child;
	from->child = perf_traced_make(subctx, from->call, hlist_unhashed(&from->subctx_entry));
	from->child_fork = from->child ? fork : 0;
	return from->child;
}

/* Whether a limit of traced.h is reached. */
static bool perf_traced_is_full(const struct perf_traced *traced)
{
	const struct perf_event_context *ctx = traced->subctx->ctx;
	bool is_afar = perf_ctx_is_task(ctx) && traced->subctx != &ctx->own;

	if (traced->nr_events < PERF_TRACED_USER)
		return false;
	return (is_afar && traced->nr_events >= PERF_TRACED_AFAR) || !perfmon_capable();
}

/**
 * __perf_traced_prepare() - find or allocate the perf_traced of an event
 * @event: a tracing event; its sub-context is set, but it has not entered it yet
 * @original: the event of the parent task that a fork inherits from, or NULL
 *
 * Caller must hold the mutexes of the event's context, and of the context of @original.
 *
 * Return: 0, -ENOMEM, or -ENOSPC where there are too many.
 */
int __perf_traced_prepare(struct perf_event *event, struct perf_event *original)
{
	struct perf_subctx *subctx = perf_event_lone_subctx(event, event->subctx);
	struct perf_traced *traced;

	lockdep_assert_held(&subctx->ctx->mutex);

	if (!perf_event_is_nosched(event))
		return 0;
	if (original) {
		traced = perf_traced_inherit(subctx, original);
	} else {
		traced = perf_traced_find(subctx, event);
		if (traced && perf_traced_is_full(traced))
			return perf_refuse(-ENOSPC, "config",
					   "there are %u events of this tracepoint already",
					   traced->nr_events);
		if (!traced)
			traced = perf_traced_make_for(subctx, event);
	}
	if (!traced)
		return -ENOMEM;
	traced->nr_events++;
	event->traced = traced;
	return 0;
}

/* See perf_traced_prepare_move(). */
bool __perf_traced_prepare_move(struct perf_event *event, struct perf_subctx *to)
{
	struct perf_subctx *subctx = perf_event_lone_subctx(event, to);
	struct perf_traced *traced;

	lockdep_assert_held(&subctx->ctx->mutex);

	if (!perf_event_is_nosched(event))
		return true;
	traced = perf_traced_find(subctx, event) ?: perf_traced_make_for(subctx, event);
	if (!traced)
		return false;
	traced->nr_events++;
	event->traced_next = traced;
	return true;
}

/**
 * perf_traced_put() - an event does not need its perf_traced any more
 * @traced: field of a prepared event that has not entered its sub-context, or has left it; cleared
 *
 * Caller must hold the mutex of the context. In an IPI the task that sent the IPI holds it.
 */
void perf_traced_put(struct perf_traced **traced)
{
	struct perf_traced *old = *traced;

	*traced = NULL;
	if (--old->nr_events)
		return;
	WARN_ON_ONCE(old->nr_added);
	if (!hlist_unhashed(&old->subctx_entry) && !perf_ctx_is_task(old->subctx->ctx))
		rb_erase(&old->node, &old->subctx->traced_tree);
	hlist_del_init_rcu(&old->subctx_entry);
	kfree_rcu(old, rcu_head);
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
 * perf_traced_add() - an event starts counting
 * @event: the event, in its sub-context
 *
 * Caller must hold ctx->lock.
 *
 * Context: irqs off, on the context's CPU if the context is scheduled in.
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
 * perf_traced_subctx_sched_in() - link the tracing events of a sub-context on this CPU
 * @subctx: the sub-context, just scheduled in here; its scheduled groups are not yet
 *
 * Caller must hold ctx->lock.
 */
void perf_traced_subctx_sched_in(struct perf_subctx *subctx)
{
	struct perf_traced *traced;

	hlist_for_each_entry(traced, &subctx->traced_added, added_entry)
		perf_traced_link(traced);
}

/**
 * perf_traced_subctx_sched_out() - undo perf_traced_subctx_sched_in()
 * @subctx: the sub-context, about to be scheduled out; its scheduled groups already are
 *
 * Caller must hold ctx->lock.
 */
void perf_traced_subctx_sched_out(struct perf_subctx *subctx)
{
	struct perf_traced *traced;

	hlist_for_each_entry(traced, &subctx->traced_added, added_entry)
		perf_traced_unlink(traced);
}
