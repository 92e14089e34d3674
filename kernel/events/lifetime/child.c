// SPDX-License-Identifier: GPL-2.0
/*
 * Child events of a task: made together when it forks, removed together when it exits.
 *
 * The cost of a fork is the cost of its child events, so work is shared between them. One
 * allocation provides the memory of all child events of a task. One hold of the context's
 * lock installs up to PERF_CHILDREN_AT_ONCE child events, or removes them. event.c makes and
 * frees a single child event. inherit.c decides when child events are made and removed,
 * and handles opened events at exit.
 *
 * The child events of a new context are made in three steps:
 *
 *	make	Allocate and initialise the child events. Only this step can fail. The child
 *		events are not visible yet.
 *	begin	Add the child events to the context. They count when it is scheduled in.
 *	publish	Add the child events to the parents' lists, where closing, enabling and
 *		disabling a parent find them. Apply changes made since step one.
 *
 * Locking: see inherit.c. The mutexes of both contexts are held. Task context.
 */
#include <linux/mm.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/breakpoint.h"
#include "../software/traced.h"
#include "../sched/event_sched.h"
#include "../sched/sched.h"
#include "../context/ctx_family.h"
#include "../context/group_list.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../context/subctx.h"
#include "../context/task_data.h"
#include "child.h"
#include "event.h"

/* number of events that begin, leave or are skipped while interrupts are off */
#define PERF_CHILDREN_AT_ONCE	32

/* with no more child events than this, both lists of a fork are on the stack: 256 bytes */
#define PERF_CHILDREN_FEW		16

/**
 * struct perf_inheritance - child events while a fork makes them
 * @to: the new task's context
 * @clone_flags: CLONE_*
 * @inherited: inherited events, in the order of their context; a leader before its siblings
 * @child: child events, in the order of @inherited; then allocated memory without an event
 * @nr: number of child events
 * @nr_alloc: number of pointers in @child
 */
struct perf_inheritance {
	struct perf_event_context	*to;
	u64				clone_flags;
	struct perf_event		**inherited;
	struct perf_event		**child;
	unsigned int			nr;
	unsigned int			nr_alloc;
};

static bool perf_event_is_enabled(const struct perf_event *event)
{
	return READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
}

static int perf_child_make(struct perf_inheritance *c, struct perf_event *event,
			   struct perf_event *leader)
{
	struct perf_event_context *ctx = c->to;
	struct perf_event *child = c->child[c->nr];
	int err;

	err = perf_event_make_child(child, event, leader, ctx);
	if (err) {
		/* the failed child event has been freed: fill the gap with the last pointer */
		c->child[c->nr] = c->child[--c->nr_alloc];
		return err;
	}
	child->state = perf_event_is_enabled(event) ? PERF_EVENT_STATE_INACTIVE
						    : PERF_EVENT_STATE_OFF;
	c->inherited[c->nr++] = event;
	if (leader || !perf_event_is_nosched(child))
		return perf_ctx_prepare_child(ctx, child, event);

	/* an unscheduled leader needs no pmu_ctx and no followers, only its perf_traced */
	child->subctx = child->cpu < 0 ? &ctx->own : perf_subctx_find(ctx, child->cpu);
	child->attach_state |= PERF_ATTACH_GROUP;
	return perf_traced_prepare(child, event);
}

static int perf_group_make_children(struct perf_inheritance *c, struct perf_event *leader)
{
	struct perf_event *event, *first = NULL;
	int err;

	perf_group_for_each(event, leader) {
		cond_resched();
		if (!perf_event_is_inherited(event, c->clone_flags)) {
			if (event == leader)
				return 0;
			continue;
		}
		err = perf_child_make(c, event, first);
		if (err)
			return err;
		first = first ?: c->child[c->nr - 1];
	}
	return 0;
}

static int perf_ctx_make_children(struct perf_inheritance *c, struct perf_event_context *from)
{
	struct perf_event *event;
	int err;

	list_for_each_entry(event, &from->event_list, event_entry) {
		if (event->group_leader != event) {
			cond_resched();
			continue;
		}
		err = perf_group_make_children(c, event);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Free child events that are not visible yet. Siblings come first, because they point to
 * their leader.
 */
static void perf_children_drop(struct perf_inheritance *c)
{
	while (c->nr) {
		struct perf_event *child = c->child[--c->nr];

		/* preparing the last child event may have failed */
		if (!perf_event_leads(child) && child->attach_state & PERF_ATTACH_GROUP)
			perf_group_unlink(child);
		perf_traced_unprepare(child);
		perf_task_data_put(c->to, child);
		perf_event_free(child);
		cond_resched();
		c->child[c->nr] = c->child[--c->nr_alloc];
	}
}

static void perf_children_begin_some(struct perf_event_context *to,
				     struct perf_event **children, unsigned int nr)
{
	struct perf_event *child, *leader;
	unsigned int i;

	guard(raw_spinlock_irqsave)(&to->lock);
	perf_ctx_enter(to, children, nr);
	for (i = 0; i < nr; i++) {
		child = children[i];
		leader = child->group_leader;
		if (!perf_event_is_enabled(child))
			continue;
		if (perf_event_follows(child))
			__perf_event_sched_in(child);
		else if (!perf_event_is_enabled(leader))
			continue;
		else if (!leader->group_pmu)
			__perf_event_sched_in(child);
		else if (leader == child)
			perf_sched_enqueue(child, 0);
	}
}

/*
 * The context was never scheduled in, so the times of all child events begin at zero. It is
 * not scheduled in before the fork is complete, so the child events need not begin at the
 * same moment.
 */
static void perf_children_begin(struct perf_inheritance *c)
{
	unsigned int nr, begun = 0;

	for (;;) {
		nr = min(c->nr - begun, PERF_CHILDREN_AT_ONCE);
		perf_children_begin_some(c->to, c->child + begun, nr);
		begun += nr;
		if (likely(begun == c->nr))
			return;
		cond_resched();
	}
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/*
 * Apply a change of address, length or type that the breakpoint @event has seen since @child
 * was made.
 *
 * Return: false if the change was refused; the child event is off then.
 */
static bool perf_child_follow_breakpoint(struct perf_event *child, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (likely(attr->type != PERF_TYPE_BREAKPOINT))
		return true;
	if (child->attr.bp_addr == attr->bp_addr && child->attr.bp_len == attr->bp_len &&
	    child->attr.bp_type == attr->bp_type && child->attr.sig_data == attr->sig_data)
		return true;
	perf_event_disable_one(child);
	return !perf_bp_change(child, attr);
}
#else
static bool perf_child_follow_breakpoint(struct perf_event *child, struct perf_event *event)
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
static bool perf_child_publish(struct perf_event *child, struct perf_event *event)
{
	struct perf_event *parent = child->parent;

	guard(mutex)(&parent->child_mutex);
	if (parent->state == PERF_EVENT_STATE_DEAD)
		return false;

	list_add_tail(&child->child_list, &parent->child_list);
	/* the breakpoint could not be moved: the child event stays off */
	if (unlikely(!perf_child_follow_breakpoint(child, event)))
		return true;
	if (likely(perf_event_is_enabled(child) == perf_event_is_enabled(event)))
		return true;
	if (perf_event_is_enabled(event))
		perf_event_enable_one(child);
	else
		perf_event_disable_one(child);
	return true;
}

/* A leader's child event comes before its siblings' child events: see abi/read.c. */
static void perf_children_publish(struct perf_inheritance *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		cond_resched();
		if (likely(perf_child_publish(c->child[i], c->inherited[i])))
			continue;
		perf_ctx_remove(c->child[i], PERF_EVENT_STATE_DEAD, false);
		perf_event_put(c->child[i]);
	}
}

/* @lists: memory for two lists of c->nr_alloc pointers */
static int perf_children_make_with(struct perf_inheritance *c, struct perf_event_context *from,
				   struct perf_event **lists)
{
	unsigned int changes;
	int err = 0;

	c->inherited = lists;
	c->child = lists + c->nr_alloc;
	changes = perf_ctx_family_begin_inherit(from);
	mutex_lock_nested(&c->to->mutex, SINGLE_DEPTH_NESTING);
	from->nr_forks++;
	if (unlikely(perf_ctx_has_subctxs(from)))
		err = perf_subctxs_inherit(c->to, from, c->clone_flags);
	if (!err)
		err = perf_children_alloc(c->to, c->child, c->nr_alloc);
	if (err)
		goto unlock;
	err = perf_ctx_make_children(c, from);
	if (err) {
		perf_children_drop(c);
	} else if (c->nr) {
		perf_switch_key_inc();
		perf_children_begin(c);
		perf_children_publish(c);
	}
	/* siblings of leaders that are not inherited were counted in nr_alloc */
	perf_children_unalloc(c->to, c->child + c->nr, c->nr_alloc - c->nr);
unlock:
	perf_ctx_family_end_inherit(from, c->to, changes);
	mutex_unlock(&c->to->mutex);
	return err;
}

/**
 * perf_children_make() - make the child events of a new task
 * @from: current's context, which is pinned to current
 * @task: the new task, with an empty context that is not visible yet
 * @clone_flags: CLONE_*
 * @nr: number of events of @from for which perf_event_is_inherited() is true
 *
 * Context: task. Caller must hold from->mutex.
 * Return: 0 or an errno. After an error the new context is empty.
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

	if (nr <= PERF_CHILDREN_FEW) {
		struct perf_event *few[2 * PERF_CHILDREN_FEW] __uninitialized;

		return perf_children_make_with(&c, from, few);
	}
	many = kvmalloc_array(nr, 2 * sizeof(*many), GFP_KERNEL);
	if (!many)
		return -ENOMEM;
	err = perf_children_make_with(&c, from, many);
	kvfree(many);
	return err;
}

/*
 * Stop a child event and remove it from its context and its group. Caller must hold
 * ctx->lock, and must remove siblings before their leader.
 */
static void perf_child_leave(struct perf_event_context *ctx, struct perf_event *child)
{
	struct perf_event *leader = child->group_leader;

	if (leader->group_pmu) {
		if (perf_event_is_enabled(leader))
			perf_sched_dequeue(leader, 0);
		leader->group_pmu = NULL;
	}
	perf_event_retire(child, PERF_EVENT_STATE_EXIT);
	perf_ctx_leave(ctx, child);
	if (leader != child) {
		perf_group_unlink(child);
		WRITE_ONCE(child->group_leader, child);
	}
	child->attach_state &= ~PERF_ATTACH_GROUP;
}

/*
 * Remove child events from *@last backwards and add them to @gone by group_entry. Opened
 * events are skipped. A call handles at most PERF_CHILDREN_AT_ONCE events, so a group can be
 * half removed in between. This is safe, because the group does not count any more, and
 * readers of groups take the mutex.
 *
 * Return: true if more events may be left; *@last is the next one then.
 */
static bool perf_children_leave(struct perf_event_context *ctx, struct perf_event **last,
				struct list_head *gone)
{
	unsigned int left = PERF_CHILDREN_AT_ONCE;
	struct perf_event *event = *last;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	perf_ctx_changed(ctx);
	while (!list_entry_is_head(event, &ctx->event_list, event_entry)) {
		*last = list_prev_entry(event, event_entry);
		if (event->parent) {
			perf_child_leave(ctx, event);
			list_add(&event->group_entry, gone);
		}
		if (!--left)
			return true;
		event = *last;
	}
	return false;
}

/**
 * perf_children_exit() - remove all child events from a context
 * @ctx: the context, unhooked from its task
 * @gone: list; child events without references are added, for perf_children_free()
 *
 * Opened events stay in the context.
 *
 * Context: task. Caller must hold ctx->mutex.
 */
void perf_children_exit(struct perf_event_context *ctx, struct list_head *gone)
{
	struct perf_event *last, *child, *next;
	bool empty = !ctx->nr_events;
	bool listed;

	lockdep_assert_held(&ctx->mutex);

	last = list_last_entry(&ctx->event_list, struct perf_event, event_entry);
	while (perf_children_leave(ctx, &last, gone))
		cond_resched();
	/* A leader's child event comes before its siblings' child events: see abi/read.c. */
	list_for_each_entry_safe(child, next, gone, group_entry) {
		cond_resched();
		perf_task_data_put(ctx, child);
		listed = perf_child_add_to_parent(child);
		/* RCU keeps the memory when the reference that is dropped here is not the last */
		guard(rcu)();
		if (!listed || !perf_event_put_last(child))
			list_del_init(&child->group_entry);
	}
	if (!empty && !ctx->nr_events)
		perf_switch_key_dec();
}
