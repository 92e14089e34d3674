// SPDX-License-Identifier: GPL-2.0
/*
 * Counter assignment: each event has a mask of counters that can serve it, and each
 * event gets one of them. An event that cannot get one is refused.
 *
 * This is bipartite matching with augmenting paths, one event at a time. For a new
 * event a path is searched on which each user moves to another counter that can serve
 * it, and the last one moves to a free counter. Such a path exists whenever all users
 * can be assigned at once, whatever the assignment was before. So adding the events of
 * a group one after the other refuses none that fits. The search is breadth first: it
 * moves as few users as possible.
 *
 * Some users need a pair: an even counter and the next one. Pairs are not moved.
 *
 * Owns nothing and accesses no register. Callers serialise.
 *
 * Context: any.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/export.h>
#include "../standalone.h"
#include "assign.h"

/* came_from[] of a counter that can serve the new user itself */
#define NEW_USER	0xff

static_assert(X86_PMC_IDX_MAX <= NEW_USER);
static_assert(X86_PMC_IDX_MAX <= BITS_PER_TYPE(u64));

static void x86_assign_put(struct x86_assignment *assign, unsigned int counter,
			   void *user, u64 allowed)
{
	assign->user[counter] = user;
	assign->allowed[counter] = allowed;
	assign->taken |= BIT_ULL(counter);
}

/*
 * Move each user along the path that ends at a free counter. Returns the mask of
 * counters with another user than before, including the counter that was free.
 */
static u64 x86_assign_along_path(struct x86_assignment *assign, unsigned int counter,
				 const u8 *came_from, void *user, u64 allowed)
{
	u64 changed = BIT_ULL(counter);

	while (came_from[counter] != NEW_USER) {
		unsigned int from = came_from[counter];

		x86_assign_put(assign, counter, assign->user[from], assign->allowed[from]);
		counter = from;
		changed |= BIT_ULL(counter);
	}
	x86_assign_put(assign, counter, user, allowed);
	return changed;
}

static unsigned int x86_assign_choose(u64 free)
{
	if (free >> INTEL_PMC_IDX_FIXED)
		return fls64(free) - 1;
	return __ffs64(free);
}

/*
 * Find the free counter at which the shortest path for a new user ends, and the path. Returns -1 if
 * there is none.
 */
static int x86_assign_search(const struct x86_assignment *assign, u64 allowed, u8 *came_from)
{
	u64 reached = allowed, border = allowed, free, todo;
	unsigned int counter, next;

	for (todo = allowed; todo; todo &= todo - 1)
		came_from[__ffs64(todo)] = NEW_USER;

	while (border) {
		free = border & ~assign->taken;
		if (free)
			return x86_assign_choose(free);

		/* All are taken: extend the search by the counters that their users can use. */
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
	return -1;
}

/**
 * x86_assign_fits() - check whether x86_assign_counter() has a counter for one more user
 * @assign: the assignment
 * @allowed: mask of counters that can serve the user
 *
 * Return: true if it has.
 */
bool x86_assign_fits(const struct x86_assignment *assign, u64 allowed)
{
	u8 came_from[X86_PMC_IDX_MAX];

	return x86_assign_search(assign, allowed, came_from) >= 0;
}

/**
 * x86_assign_counter() - assign a counter to one more user
 * @assign: the assignment; unchanged if the user gets no counter
 * @user: the user; not NULL, and without a counter
 * @allowed: mask of counters that can serve @user
 *
 * A free fixed counter is preferred, because it serves only one event. Otherwise the
 * lowest free general purpose counter is taken: the constraints of events name, with
 * few exceptions, the lower counters.
 *
 * Return: mask of counters with another user than before, 0 if @user cannot get a counter.
 */
u64 x86_assign_counter(struct x86_assignment *assign, void *user, u64 allowed)
{
	u8 came_from[X86_PMC_IDX_MAX];
	int counter = x86_assign_search(assign, allowed, came_from);

	if (counter < 0)
		return 0;
	return x86_assign_along_path(assign, counter, came_from, user, allowed);
}

/*
 * Find a free counter outside of @counters for each user of @counters. where[] has the
 * new counter by the old one. Returns false if a user has none.
 */
static bool x86_assign_elsewhere(const struct x86_assignment *assign, u64 counters, u8 *where)
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
 * x86_assign_pair() - assign two neighbouring counters to one more user
 * @assign: the assignment; unchanged if the user gets no pair
 * @user: the user; not NULL, and without a counter
 * @allowed: mask of counters that can be the lower one of the pair
 *
 * The users of both counters move to free counters. There is no search for a longer
 * path, and no pair moves. That refuses no pair without need as long as all pairs have
 * the same mask, and all other users have the same mask. The CPUs that have pairs are
 * like that.
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
		    x86_assign_elsewhere(assign, pair, where))
			changed = pair;
	}
	if (!changed)
		return 0;

	for (moving = assign->taken & pair; moving; moving &= moving - 1) {
		unsigned int from = __ffs64(moving);

		x86_assign_put(assign, where[from], assign->user[from], assign->allowed[from]);
		changed |= BIT_ULL(where[from]);
	}
	x86_assign_put(assign, counter, user, BIT_ULL(counter));
	x86_assign_put(assign, counter + 1, user, BIT_ULL(counter + 1));
	assign->second |= BIT_ULL(counter + 1);
	return changed;
}

/**
 * x86_assign_release() - release the counter, or the pair, of a user
 * @assign: the assignment
 * @counter: the counter, or the lower one of the pair; it is taken
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
 * x86_assign_move() - move a user to a certain counter
 * @assign: the assignment; unchanged if that is not possible
 * @counter: the user's counter; not of a pair
 * @to: the counter that it gets instead
 *
 * Return: true if @to was free, and can serve the user.
 */
bool x86_assign_move(struct x86_assignment *assign, unsigned int counter, unsigned int to)
{
	if (BIT_ULL(to) & (assign->taken | ~assign->allowed[counter]))
		return false;
	x86_assign_put(assign, to, assign->user[counter], assign->allowed[counter]);
	x86_assign_release(assign, counter);
	return true;
}

/**
 * x86_assign_find() - find the counter of a user
 * @assign: the assignment
 * @user: the user
 *
 * Return: number of the counter, of the lower one of a pair; -1 if @user has none.
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
 * perf_assign_events() - assign counters to all events of a stand-alone driver
 * @constraints: for each event, the counters that can count it
 * @n: number of events
 * @wmin: unused, as @wmax and @gpmax are: an exact search needs no order of weights
 * @wmax: unused
 * @gpmax: unused
 * @assign: output, the counter of each event; or NULL. Written only if all events have
 *	a counter.
 *
 * Callers must serialise calls.
 *
 * Context: any.
 * Return: the number of events without a counter.
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
