// SPDX-License-Identifier: GPL-2.0
/*
 * Copies: all that a task inherits is made at once, and goes at once.
 *
 * A fork costs what its copies cost, so what can be done for all of them is: their
 * memory is allocated together, the new context is locked once, when they exit it is
 * locked once more, and one grace period ends them. What one copy consists of is
 * event.c's; when a task forks and exits, and what opened events do then, inherit.c's.
 *
 * A new context is made in three steps:
 *
 *	make	Make the child events, with all that can fail. They are not visible yet.
 *	begin	The child events enter the context, and count when it is on.
 *	publish	Add the child events to the parent's list, where closing, enabling and
 *		disabling the parent find them. Apply what has changed since they were made.
 *
 * Locking: as in inherit.c; the mutexes of both contexts are held. Task context.
 */
#include <linux/hw_breakpoint.h>
#include <linux/mm.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/wakeup.h"
#include "../software/traced.h"
#include "../sched/event_sched.h"
#include "../sched/sched.h"
#include "../context/ctx_swap.h"
#include "../context/context.h"
#include "../context/group.h"
#include "../context/subctx.h"
#include "../context/state.h"
#include "child.h"

/* how many begin or leave, or are passed over, while interrupts are off */
#define PERF_COPIES_AT_ONCE	32

/* up to so many are listed on the stack, in 256 bytes */
#define PERF_COPIES_FEW		16

/**
 * struct perf_inheritance - copies in the making
 * @to: the new task's context
 * @clone_flags: CLONE_*
 * @original: what is copied, in the order of its context, leaders first
 * @copy: the copies; behind them memory for more
 * @nr: how many there are
 * @nr_alloc: how many there is memory for
 */
struct perf_inheritance {
	struct perf_event_context	*to;
	u64				clone_flags;
	struct perf_event		**original;
	struct perf_event		**copy;
	unsigned int			nr;
	unsigned int			nr_alloc;
};

static int perf_child_prepare(struct perf_event_context *ctx, struct perf_event *copy,
			      struct perf_event *original)
{
	/* it counts whenever its sub-context is on, and only tracing needs something for that */
	if (copy->group_leader == copy && perf_event_is_nosched(copy)) {
		copy->subctx = copy->cpu < 0 ? &ctx->own : perf_subctx_find(ctx, copy->cpu);
		copy->attach_state |= PERF_ATTACH_GROUP;
		return perf_traced_prepare(copy, original);
	}
	return perf_ctx_prepare_copy(ctx, copy, original);
}

static bool perf_event_is_enabled(const struct perf_event *event)
{
	return READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
}

static int perf_child_make(struct perf_inheritance *c, struct perf_event *event,
			   struct perf_event *leader)
{
	struct perf_event *copy = c->copy[c->nr];
	int err;

	err = perf_event_make_child(copy, event, leader, c->to);
	if (err) {
		/* it is gone, and the last one takes its place */
		c->copy[c->nr] = c->copy[--c->nr_alloc];
		return err;
	}
	copy->state = perf_event_is_enabled(event) ? PERF_EVENT_STATE_INACTIVE
						   : PERF_EVENT_STATE_OFF;
	c->original[c->nr++] = event;
	return perf_child_prepare(c->to, copy, event);
}

static int perf_group_make_children(struct perf_inheritance *c, struct perf_event *leader)
{
	struct perf_event *event, *first = NULL;
	int err;

	perf_group_for_each(event, leader) {
		if (!perf_event_is_inherited(event, c->clone_flags)) {
			if (event == leader)
				return 0;
			continue;
		}
		err = perf_child_make(c, event, first);
		if (err)
			return err;
		first = first ?: c->copy[c->nr - 1];
	}
	return 0;
}

static int perf_ctx_copy(struct perf_inheritance *c, struct perf_event_context *from)
{
	struct perf_event *event;
	int err;

	list_for_each_entry(event, &from->event_list, event_entry) {
		if (event->group_leader != event)
			continue;
		err = perf_group_make_children(c, event);
		if (err)
			return err;
	}
	return 0;
}

/* The child events are not visible yet. Free siblings before the leaders they point to. */
static void perf_children_drop(struct perf_inheritance *c)
{
	while (c->nr) {
		struct perf_event *copy = c->copy[--c->nr];

		/* the last one may not have got as far */
		if (!perf_event_leads(copy) && copy->attach_state & PERF_ATTACH_GROUP)
			perf_group_unlink(copy);
		perf_traced_unprepare(copy);
		perf_event_free(copy);
		c->copy[c->nr] = c->copy[--c->nr_alloc];
	}
}

static void perf_children_begin_some(struct perf_event_context *to,
				     struct perf_event **copies, unsigned int nr)
{
	struct perf_event *copy, *leader;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&to->lock);
	perf_ctx_enter(to, copies, nr);
	for (i = 0; i < nr; i++) {
		copy = copies[i];
		leader = copy->group_leader;
		if (!perf_event_is_enabled(copy))
			continue;
		if (perf_event_follows(copy))
			__perf_event_sched_in(copy);
		else if (!perf_event_is_enabled(leader))
			continue;
		else if (!leader->group_pmu)
			__perf_event_sched_in(copy);
		else if (leader == copy)
			perf_sched_enqueue(copy, 0);
	}
}

/*
 * The context was never on, so the times of all begin at zero; and it is not on before
 * the fork is over, so it does not matter that some begin before others.
 */
static void perf_children_begin(struct perf_inheritance *c)
{
	unsigned int nr, begun = 0;

	for (;;) {
		nr = min(c->nr - begun, PERF_COPIES_AT_ONCE);
		perf_children_begin_some(c->to, c->copy + begun, nr);
		begun += nr;
		if (likely(begun == c->nr))
			return;
		cond_resched();
	}
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/* It was pointed somewhere else while it was copied; false when there is no room there. */
static bool perf_child_follow_breakpoint(struct perf_event *copy, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (likely(attr->type != PERF_TYPE_BREAKPOINT))
		return true;
	if (copy->attr.bp_addr == attr->bp_addr && copy->attr.bp_len == attr->bp_len &&
	    copy->attr.bp_type == attr->bp_type && copy->attr.sig_data == attr->sig_data)
		return true;
	perf_event_disable_one(copy);
	return !modify_user_hw_breakpoint_check(copy, attr, false);
}
#else
static bool perf_child_follow_breakpoint(struct perf_event *copy, struct perf_event *event)
{
	return true;
}
#endif

/*
 * An operation on the parent changes @event first, and then the events on the list. So either
 * the change of @event is visible here, or the operation finds the child event on the list.
 *
 * Return: false when the parent has been closed: its list is not walked again.
 */
static bool perf_child_publish(struct perf_event *copy, struct perf_event *event)
{
	struct perf_event *parent = copy->parent;

	guard(mutex)(&parent->child_mutex);
	if (parent->state == PERF_EVENT_STATE_DEAD)
		return false;

	list_add_tail(&copy->child_list, &parent->child_list);
	/* one that cannot be where it should stays off */
	if (unlikely(!perf_child_follow_breakpoint(copy, event)))
		return true;
	if (likely(perf_event_is_enabled(copy) == perf_event_is_enabled(event)))
		return true;
	if (perf_event_is_enabled(event))
		perf_event_enable_one(copy);
	else
		perf_event_disable_one(copy);
	return true;
}

static void perf_children_publish(struct perf_inheritance *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		if (likely(perf_child_publish(c->copy[i], c->original[i])))
			continue;
		perf_ctx_remove(c->copy[i], PERF_EVENT_STATE_DEAD, false);
		perf_event_put(c->copy[i]);
	}
}

static int perf_children_make_in(struct perf_inheritance *c, struct perf_event_context *from)
{
	int err = 0;

	from->copying++;
	if (unlikely(perf_ctx_has_subctxs(from)))
		err = perf_subctxs_copy(c->to, from, c->clone_flags);
	if (!err)
		err = perf_children_alloc(c->to, c->copy, c->nr_alloc);
	if (err)
		return err;
	err = perf_ctx_copy(c, from);
	if (err) {
		perf_children_drop(c);
	} else if (c->nr) {
		perf_sched_events_inc();
		perf_children_begin(c);
		perf_children_publish(c);
	}
	/* those that turned out not to be needed, because of their leaders */
	perf_children_unalloc(c->to, c->copy + c->nr, c->nr_alloc - c->nr);
	return err;
}

/* @lists: room for two lists of as many as there may be */
static int perf_children_make_with(struct perf_inheritance *c, struct perf_event_context *from,
				   struct perf_event **lists)
{
	unsigned int changes;
	int err;

	c->original = lists;
	c->copy = lists + c->nr_alloc;
	changes = perf_ctx_swap_begin_copy(from);
	mutex_lock_nested(&c->to->mutex, SINGLE_DEPTH_NESTING);
	err = perf_children_make_in(c, from);
	perf_ctx_swap_end_copy(from, c->to, changes);
	mutex_unlock(&c->to->mutex);
	return err;
}

/**
 * perf_children_make() - copy what a new task inherits
 * @from: current's context; its mutex is held
 * @task: the new task, with an empty context that is not visible yet
 * @clone_flags: CLONE_*
 * @nr: how many events of @from are inherited, or more
 *
 * Return: 0 or an errno, and the new context is empty then.
 */
int perf_children_make(struct perf_event_context *from, struct task_struct *task,
		       u64 clone_flags, unsigned int nr)
{
	struct perf_inheritance c = {
		.to		= task->perf_event_ctxp,
		.clone_flags	= clone_flags,
		.nr_alloc	= nr,
	};
	struct perf_event **many;
	int err;

	lockdep_assert_held(&from->mutex);

	if (nr <= PERF_COPIES_FEW) {
		struct perf_event *few[2 * PERF_COPIES_FEW] __uninitialized;

		return perf_children_make_with(&c, from, few);
	}
	many = kvmalloc_array(nr, 2 * sizeof(*many), GFP_KERNEL);
	if (!many)
		return -ENOMEM;
	err = perf_children_make_with(&c, from, many);
	kvfree(many);
	return err;
}

/* Off the lists, with what it has counted. A leader goes after its siblings. */
static void perf_child_leave(struct perf_event_context *ctx, struct perf_event *copy)
{
	struct perf_event *leader = copy->group_leader;

	if (leader->group_pmu) {
		if (perf_event_is_enabled(leader))
			perf_sched_dequeue(leader, 0);
		leader->group_pmu = NULL;
	}
	perf_event_retire(copy, PERF_EVENT_STATE_EXIT);
	perf_ctx_leave(ctx, copy);
	if (leader != copy) {
		perf_group_unlink(copy);
		WRITE_ONCE(copy->group_leader, copy);
	}
	copy->attach_state &= ~PERF_ATTACH_GROUP;
}

/*
 * Some of them, to @gone by group_entry, from *@event on, which opened events are passed
 * over by. True if there may be more. A group may leave by halves: it is off, and the
 * mutex keeps all out that look at groups.
 */
static bool perf_children_leave(struct perf_event_context *ctx, struct perf_event **event,
				struct list_head *gone)
{
	unsigned int left = PERF_COPIES_AT_ONCE;
	struct perf_event *copy = *event;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	perf_ctx_changed(ctx);
	while (!list_entry_is_head(copy, &ctx->event_list, event_entry)) {
		*event = list_prev_entry(copy, event_entry);
		if (copy->parent) {
			perf_child_leave(ctx, copy);
			list_add(&copy->group_entry, gone);
		}
		if (!--left)
			return true;
		copy = *event;
	}
	return false;
}

/*
 * No copy is left. If the task of the parent is gone as well, its pollers have nothing
 * more to wait for.
 */
static void perf_parent_lost_copies(struct perf_event *parent)
{
	/* pairs with perf_event_is_over(): it sees the empty list, or this the state */
	smp_mb();
	if (READ_ONCE(parent->state) <= PERF_EVENT_STATE_EXIT)
		perf_event_wakeup(parent);
}

static __always_inline bool __perf_child_add_to_parent(struct perf_event *copy)
{
	struct perf_event *parent = copy->parent;

	guard(mutex)(&parent->child_mutex);
	if (list_empty(&copy->child_list))
		return false;

	atomic64_add(local64_read(&copy->count), &parent->child_count);
	atomic64_add(copy->total_time_enabled, &parent->child_total_time_enabled);
	atomic64_add(copy->total_time_running, &parent->child_total_time_running);
	list_del_init(&copy->child_list);
	if (list_empty(&parent->child_list))
		perf_parent_lost_copies(parent);
	return true;
}

/**
 * perf_child_add_to_parent() - add what a copy has counted to its parent
 * @copy: has left its context, whose mutex is held
 *
 * Return: true when it was still on the parent's list, and its reference is the
 * caller's to drop; else perf_event_close() of the parent has it.
 */
bool perf_child_add_to_parent(struct perf_event *copy)
{
	return __perf_child_add_to_parent(copy);
}

/**
 * perf_children_exit() - the copies of a context leave it
 * @ctx: unhooked; its mutex is held
 * @gone: child events without references are added, for perf_children_free()
 *
 * Opened events stay.
 */
void perf_children_exit(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *last, *copy, *next;
	bool empty = !ctx->nr_events;
	bool listed;

	lockdep_assert_held(&ctx->mutex);

	last = list_last_entry(&ctx->event_list, struct perf_event, event_entry);
	while (perf_children_leave(ctx, &last, gone))
		cond_resched();
	list_for_each_entry_safe(copy, next, gone, group_entry) {
		listed = __perf_child_add_to_parent(copy);
		/* the holder of the last reference may free the event, a grace period later */
		guard(rcu)();
		if (!listed || !perf_event_put_last(copy))
			list_del_init(&copy->group_entry);
	}
	if (!empty && !ctx->nr_events)
		perf_sched_events_dec();
}
