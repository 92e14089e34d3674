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
 * Owns nothing and touches no register. The caller serialises; any context.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include "assign.h"

/* came_from[] of a counter that the newcomer itself can use */
#define NEWCOMER	0xff

static void seat_put(struct x86_seating *seats, unsigned int counter,
		     void *user, u64 allowed)
{
	seats->user[counter] = user;
	seats->allowed[counter] = allowed;
	seats->taken |= BIT_ULL(counter);
}

/*
 * Move everybody along the chain that ends at a free counter. Returns the
 * counters whose user is another one than before, the free one among them.
 */
static u64 seat_shift(struct x86_seating *seats, unsigned int counter,
		      const u8 *came_from, void *newcomer, u64 allowed)
{
	u64 changed = BIT_ULL(counter);

	while (came_from[counter] != NEWCOMER) {
		unsigned int from = came_from[counter];

		seat_put(seats, counter, seats->user[from], seats->allowed[from]);
		counter = from;
		changed |= BIT_ULL(counter);
	}
	seat_put(seats, counter, newcomer, allowed);
	return changed;
}

static unsigned int seat_choose(u64 free)
{
	if (free >> INTEL_PMC_IDX_FIXED)
		return fls64(free) - 1;
	return __ffs64(free);
}

/**
 * x86_seat_take() - find a counter for one more user
 * @seats: the seating; changed only if the user gets one
 * @user: who; not NULL, not seated yet
 * @allowed: mask of counters that can serve it
 *
 * Of several free counters a fixed one is taken first, as it serves one event
 * only; of the general purpose ones the lowest, as events that not every counter
 * can count are, with few exceptions, counted by the lower ones.
 *
 * Return: mask of counters that have another user now, 0 if there is no way.
 */
u64 x86_seat_take(struct x86_seating *seats, void *user, u64 allowed)
{
	u64 reached = allowed, border = allowed, free, todo;
	u8 came_from[X86_PMC_IDX_MAX];
	unsigned int counter, next;

	for (todo = allowed; todo; todo &= todo - 1)
		came_from[__ffs64(todo)] = NEWCOMER;

	while (border) {
		free = border & ~seats->taken;
		if (free)
			return seat_shift(seats, seat_choose(free), came_from,
					  user, allowed);

		/* all taken: where could those go who sit there? */
		todo = border;
		border = 0;
		for (; todo; todo &= todo - 1) {
			u64 others;

			counter = __ffs64(todo);
			others = seats->allowed[counter] & ~reached;
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

/**
 * x86_seat_leave() - a user gives its counter back
 * @seats: the seating
 * @counter: one that is taken
 */
void x86_seat_leave(struct x86_seating *seats, unsigned int counter)
{
	seats->taken &= ~BIT_ULL(counter);
	seats->user[counter] = NULL;
}

/**
 * x86_seat_of() - where somebody sits
 * @seats: the seating
 * @user: who
 *
 * Return: number of the counter, -1 if @user has none.
 */
int x86_seat_of(const struct x86_seating *seats, const void *user)
{
	u64 todo;

	for (todo = seats->taken; todo; todo &= todo - 1) {
		unsigned int counter = __ffs64(todo);

		if (seats->user[counter] == user)
			return counter;
	}
	return -1;
}
