/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Families of contexts: which contexts are equal. ctx_swap.h describes the concept.
 */
#ifndef _KERNEL_EVENTS_CTX_FAMILY_H
#define _KERNEL_EVENTS_CTX_FAMILY_H

#include <linux/mutex.h>
#include <linux/refcount.h>

#include "../base/contexts.h"
#include "../base/event.h"

/**
 * struct perf_ctx_family - contexts that were inherited from each other
 * @refcount: one reference for each perf_event_context::family that points here, and one for
 *	each return of a context that is under way
 * @home_mutex: serialises returns to home tasks, except perf_ctx_swap_try_home(), which does
 *	not touch pinned contexts. Innermost of the mutexes, see ctx_swap.h. Only ctx->locks are
 *	taken inside, on this CPU or on stopped CPUs.
 * @lock: protects the members below. Raw, nests inside ctx->lock.
 * @generation: generation of the contexts that have seen all operations
 * @previous: the generation before that, or 0
 * @operation: number of the last operation, which turned @previous into @generation
 * @event_id: id of the event that the last operation was on
 *
 * A context that is one generation behind catches up when the last operation reaches it. A
 * context that is further behind, or that changes otherwise, gets generation 0 and cannot be
 * swapped. So contexts of one generation have seen the same operations in the same order.
 *
 * A generation number is used once across all families. So two contexts with the same
 * generation are of one family.
 */
struct perf_ctx_family {
	refcount_t	refcount;
	struct mutex	home_mutex;
	raw_spinlock_t	lock;
	u64		generation;
	u64		previous;
	u64		operation;
	u64		event_id;
};

void perf_ctx_family_put(struct perf_ctx_family *family);

unsigned int perf_ctx_family_begin_inherit(struct perf_event_context *from);
void perf_ctx_family_end_inherit(struct perf_event_context *from,
				 struct perf_event_context *to, unsigned int changes);
void perf_ctx_family_begin_operation(struct perf_event *event);
void perf_ctx_family_advance(struct perf_event *event);

/* Undo perf_ctx_family_begin_operation(). */
static inline void perf_ctx_family_end_operation(struct perf_event *event)
{
	WRITE_ONCE(event->ctx->operated, NULL);
}

/*
 * An event has been enabled or disabled. Within an operation, the same happens to the events
 * of the other members of the family.
 */
static inline void perf_ctx_family_toggled(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	event->ctx->changes++;
	if (event->ctx->generation)
		perf_ctx_family_advance(event);
}

/* True if two contexts may be swapped, as far as their events decide that. */
static inline bool perf_ctx_family_equal(const struct perf_event_context *a,
					 const struct perf_event_context *b)
{
	u64 generation = READ_ONCE(a->generation);

	return generation && generation == READ_ONCE(b->generation);
}

#endif /* _KERNEL_EVENTS_CTX_FAMILY_H */
