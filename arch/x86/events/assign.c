// SPDX-License-Identifier: GPL-2.0
/*
 * The constraint solver: each event names the counters that can serve it, and
 * everybody gets one of them, or the newcomer is turned away.
 *
 * This is matching in a bipartite graph. It is kept up event by event: for a
 * newcomer a chain is searched in which each user moves over to another counter
 * that can serve it, the last one to a free counter. If there is a way at all to
 * seat everybody then there is such a chain, whatever the seating was before, so
 * adding a group's events one after the other refuses none that could be placed.
 * The search goes breadth first: as few users move as possible.
 *
 * Some users need two counters, an even one and the next. They stay where they are.
 *
 * Owns nothing and touches no register. The caller serialises; any context.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/export.h>
#include "assign.h"
#include "standalone.h"

/* came_from[] of a counter that the newcomer itself can use */
#define NEWCOMER	0xff

static_assert(X86_PMC_IDX_MAX <= NEWCOMER);
static_assert(X86_PMC_IDX_MAX <= BITS_PER_TYPE(u64));

static void assign_put(struct x86_assignment *assign, unsigned int counter,
		     void *user, u64 allowed)
{
	assign->user[counter] = user;
	assign->allowed[counter] = allowed;
	assign->taken |= BIT_ULL(counter);
}

/*
 * Move everybody along the chain that ends at a free counter. Returns the
 * counters whose user is another one than before, the free one among them.
 */
static u64 assign_along_path(struct x86_assignment *assign, unsigned int counter,
		      const u8 *came_from, void *newcomer, u64 allowed)
{
	u64 changed = BIT_ULL(counter);

	while (came_from[counter] != NEWCOMER) {
		unsigned int from = came_from[counter];

		assign_put(assign, counter, assign->user[from], assign->allowed[from]);
		counter = from;
		changed |= BIT_ULL(counter);
	}
	assign_put(assign, counter, newcomer, allowed);
	return changed;
}

static unsigned int assign_choose(u64 free)
{
	if (free >> INTEL_PMC_IDX_FIXED)
		return fls64(free) - 1;
	return __ffs64(free);
}

/**
 * x86_assign_counter() - find a counter for one more user
 * @assign: the seating; changed only if the user gets one
 * @user: who; not NULL, not seated yet
 * @allowed: mask of counters that can serve it
 *
 * Of several free counters a fixed one is taken first, as it serves one event
 * only; of the general purpose ones the lowest, as events that not every counter
 * can count are, with few exceptions, counted by the lower ones.
 *
 * Return: mask of counters that have another user now, 0 if there is no way.
 */
u64 x86_assign_counter(struct x86_assignment *assign, void *user, u64 allowed)
{
	u64 reached = allowed, border = allowed, free, todo;
	u8 came_from[X86_PMC_IDX_MAX];
	unsigned int counter, next;

	for (todo = allowed; todo; todo &= todo - 1)
		came_from[__ffs64(todo)] = NEWCOMER;

	while (border) {
		free = border & ~assign->taken;
		if (free)
			return assign_along_path(assign, assign_choose(free), came_from,
					  user, allowed);

		/* all taken: where could those go who sit there? */
		todo = border;
		border = 0;
		for (; todo; todo &= todo - 1) {
			u64 others;

			counter = __ffs64(todo);
			others = assign->allowed[counter] & ~reached;
			reached |= others;
			border |= others;
			for (; others; others &= others - 1) {
				next = __ffs64(others);
				came_from[next] = counter;
			}
		}
	}
	return 0;
}

/*
 * For each user of some counters a free one beside them that can serve it, at once;
 * where[] of their counters. Returns false if there is none for one of them.
 */
static bool assign_elsewhere(const struct x86_assignment *assign, u64 counters, u8 *where)
{
	u64 free = ~(assign->taken | counters), todo;

	for (todo = assign->taken & counters; todo; todo &= todo - 1) {
		unsigned int counter = __ffs64(todo);
		u64 found = assign->allowed[counter] & free;

		if (!found)
			return false;
		where[counter] = __ffs64(found);
		free &= ~BIT_ULL(where[counter]);
	}
	return true;
}

/**
 * x86_assign_pair() - find two counters for one more user
 * @assign: the seating; changed only if the user gets them
 * @user: who; not NULL, not seated yet
 * @allowed: mask of counters that can be the lower one of the two; the upper one is the
 *	next
 *
 * Who sits on either moves to a counter that is free; there is no search for a chain,
 * and no pair moves. Nobody is turned away without need where all pairs, and all
 * others, have the same counters to choose from: so it is on the CPUs that have pairs.
 *
 * Return: as x86_assign_counter().
 */
u64 x86_assign_pair(struct x86_assignment *assign, void *user, u64 allowed)
{
	u64 todo, moving, pair = 0, changed = 0;
	u8 where[X86_PMC_IDX_MAX];
	unsigned int counter = 0;

	for (todo = allowed; todo && !changed; todo &= todo - 1) {
		counter = __ffs64(todo);
		pair = BIT_ULL(counter) | BIT_ULL(counter + 1);
		if (!(assign->second & BIT_ULL(counter + 1)) &&
		    assign_elsewhere(assign, pair, where))
			changed = pair;
	}
	if (!changed)
		return 0;

	for (moving = assign->taken & pair; moving; moving &= moving - 1) {
		unsigned int from = __ffs64(moving);

		assign_put(assign, where[from], assign->user[from], assign->allowed[from]);
		changed |= BIT_ULL(where[from]);
	}
	assign_put(assign, counter, user, BIT_ULL(counter));
	assign_put(assign, counter + 1, user, BIT_ULL(counter + 1));
	assign->second |= BIT_ULL(counter + 1);
	return changed;
}

/**
 * x86_assign_release() - a user gives its counter back, or both
 * @assign: the seating
 * @counter: one that is taken, the lower one of two
 */
void x86_assign_release(struct x86_assignment *assign, unsigned int counter)
{
	u64 upper = assign->second & BIT_ULL(counter) << 1;

	assign->taken &= ~(BIT_ULL(counter) | upper);
	assign->second &= ~upper;
	assign->user[counter] = NULL;
	if (upper)
		assign->user[counter + 1] = NULL;
}

/**
 * x86_assign_find() - where somebody sits
 * @assign: the seating
 * @user: who
 *
 * Return: number of the counter, the lower one of two; -1 if @user has none.
 */
int x86_assign_find(const struct x86_assignment *assign, const void *user)
{
	u64 todo;

	for (todo = assign->taken; todo; todo &= todo - 1) {
		unsigned int counter = __ffs64(todo);

		if (assign->user[counter] == user)
			return counter;
	}
	return -1;
}

/**
 * perf_assign_events() - find counters for all events of a stand-alone driver
 * @constraints: for each event, which counters can count it
 * @n: how many
 * @wmin: not looked at, nor the next two: an exact search needs no order
 * @wmax: as @wmin
 * @gpmax: as @wmin
 * @assign: where the counter of each event goes, or NULL; written only if all have one
 *
 * Caller must serialise calls.
 *
 * Context: Any context.
 * Return: how many events have no counter.
 */
int perf_assign_events(struct event_constraint **constraints, int n,
		       int wmin, int wmax, int gpmax, int *assign)
{
	struct x86_assignment found = { };
	int i, missing = 0;
	u64 todo;

	for (i = 0; i < n; i++) {
		if (!x86_assign_counter(&found, &constraints[i], constraints[i]->idxmsk64))
			missing++;
	}
	if (missing || !assign)
		return missing;

	for (todo = found.taken; todo; todo &= todo - 1) {
		unsigned int counter = __ffs64(todo);

		assign[(struct event_constraint **)found.user[counter] - constraints] = counter;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(perf_assign_events);
