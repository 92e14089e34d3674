// SPDX-License-Identifier: GPL-2.0
/*
 * Families of contexts: which contexts are equal, so that tasks may swap them.
 *
 * ctx_swap.h describes the concept and its rules. A family decides whether two contexts may be
 * swapped; ctx_swap.c swaps them.
 */
#include <linux/slab.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "ctx_family.h"

/* Operations and generations are numbered from 1. 0 stands for none. */
static atomic64_t perf_ctx_family_last_operation;
static atomic64_t perf_ctx_family_last_generation;

static struct perf_ctx_family *perf_ctx_family_alloc(void)
{
	struct perf_ctx_family *family = kmalloc(sizeof(*family), GFP_KERNEL_ACCOUNT);

	if (!family)
		return NULL;
	refcount_set(&family->refcount, 1);
	mutex_init(&family->home_mutex);
	raw_spin_lock_init(&family->lock);
	family->generation = atomic64_inc_return(&perf_ctx_family_last_generation);
	family->previous = 0;
	family->operation = 0;
	family->event_id = 0;
	return family;
}

/**
 * perf_ctx_family_put() - drop a reference on a family
 * @family: the family, or NULL
 *
 * Context: task.
 */
void perf_ctx_family_put(struct perf_ctx_family *family)
{
	if (family && refcount_dec_and_test(&family->refcount))
		kfree(family);
}

/**
 * perf_ctx_family_begin_inherit() - a context is about to be inherited
 * @from: the parent's context
 *
 * Caller must hold from->mutex.
 *
 * Return: the number of changes so far, for perf_ctx_family_end_inherit().
 */
unsigned int perf_ctx_family_begin_inherit(struct perf_event_context *from)
{
	guard(raw_spinlock_irqsave)(&from->lock);
	return from->changes;
}

/* Caller must hold from->lock. If @from has no generation, it founds the family @new. */
static void perf_ctx_family_join(struct perf_event_context *from, struct perf_event_context *to,
				 struct perf_ctx_family **new)
{
	if (!from->generation && *new) {
		swap(from->family, *new);
		WRITE_ONCE(from->generation, from->family->generation);
	}
	if (!from->generation)
		return;
	refcount_inc(&from->family->refcount);
	/* to->lock is not needed: an operation takes from->lock before it reaches @to */
	to->family = from->family;
	to->generation = from->generation;
}

/**
 * perf_ctx_family_end_inherit() - a context has been inherited
 * @from: the parent's context
 * @to: the child's context, never on so far
 * @changes: return value of perf_ctx_family_begin_inherit()
 *
 * The contexts become members of one family if all events were inherited, as they are in @from,
 * and no event was changed meanwhile. Checking @from is enough: an operation changes an event
 * before its child events. If no family can be allocated, the contexts are never swapped.
 *
 * Caller must hold the mutexes of both contexts.
 */
void perf_ctx_family_end_inherit(struct perf_event_context *from,
				 struct perf_event_context *to, unsigned int changes)
{
	struct perf_ctx_family *new = NULL;

	lockdep_assert_held(&from->mutex);

	if (from->nr_events != to->nr_events || unlikely(to->unlike))
		return;
	if (!READ_ONCE(from->generation))
		new = perf_ctx_family_alloc();
	scoped_guard(raw_spinlock_irqsave, &from->lock) {
		if (from->changes == changes)
			perf_ctx_family_join(from, to, &new);
	}
	/* either not used, or the family that @from was a member of before */
	perf_ctx_family_put(new);
}

/**
 * perf_ctx_family_begin_operation() - an event and its children are about to be changed alike
 * @event: the event, which was opened
 *
 * If the events of several contexts of a family are enabled or disabled until
 * perf_ctx_family_end_operation(), these contexts keep a common generation.
 *
 * Caller must hold ctx->mutex.
 */
void perf_ctx_family_begin_operation(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->mutex);

	atomic64_set(&ctx->operation, atomic64_inc_return(&perf_ctx_family_last_operation));
	/* pairs with perf_ctx_family_operation() */
	smp_store_release(&ctx->operated, event);
}

/* Return: the number of the operation on an event, or 0. */
static u64 perf_ctx_family_operation(struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	/* pairs with perf_ctx_family_begin_operation() */
	return smp_load_acquire(&ctx->operated) == event ? atomic64_read(&ctx->operation) : 0;
}

/**
 * perf_ctx_family_advance() - an event has been enabled or disabled
 * @event: the event; its context has a generation
 *
 * An operation moves each member of a family from the same generation to the next. Two
 * concurrent operations, on events opened for different tasks, may reach the members in
 * different orders. A member that is not reached in the order that the family has recorded
 * loses its generation.
 *
 * The number may belong to an operation that has just begun on another event of the same
 * context. Together with the event's id it still identifies one change.
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_family_advance(struct perf_event *event)
{
	struct perf_event *root = perf_event_root(event);
	u64 operation = perf_ctx_family_operation(root);
	struct perf_event_context *ctx = event->ctx;
	struct perf_ctx_family *family = ctx->family;
	u64 generation = 0;

	/* without an operation this event changes alone, and the context leaves its generation */
	if (operation) {
		guard(raw_spinlock)(&family->lock);
		if (family->operation != operation || family->event_id != root->id) {
			family->operation = operation;
			family->event_id = root->id;
			family->previous = family->generation;
			family->generation =
				atomic64_inc_return(&perf_ctx_family_last_generation);
		}
		if (ctx->generation == family->previous)
			generation = family->generation;
	}
	WRITE_ONCE(ctx->generation, generation);
}
