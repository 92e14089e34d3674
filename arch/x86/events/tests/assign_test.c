// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the counter assignment. Its results on random constraints are compared
 * with an exhaustive search. tests/intel_model_test.c does the same with the constraints of
 * the models.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "../counters/assign.h"
#include "assign_test.h"

#define SMALL		6	/* counters of the random machines */
#define GROUP_MAX	7	/* one more than there are counters */
#define EVEN		0x15	/* counters that can be the lower one of a pair */

struct assign_test {
	struct x86_assignment	assign;
	int			users[GROUP_MAX];	/* only their addresses matter */
	u64			allowed[GROUP_MAX];
	unsigned int		assigned;			/* mask of users */
};

static struct assign_test *assign_test_init(struct kunit *test)
{
	struct assign_test *st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, st);
	return st;
}

/**
 * x86_assign_search() - search exhaustively for an assignment
 * @allowed: for each user, the mask of counters that can serve it
 * @nr: number of users
 * @taken: mask of counters that are not free
 *
 * Return: true if all users can be assigned at once.
 */
bool x86_assign_search(const u64 *allowed, unsigned int nr, u64 taken)
{
	u64 todo;

	if (!nr)
		return true;
	for (todo = *allowed & ~taken; todo; todo &= todo - 1) {
		if (x86_assign_search(allowed + 1, nr - 1, taken | (todo & -todo)))
			return true;
	}
	return false;
}

/**
 * x86_assign_expect() - expect that users are assigned as the search says
 * @test: fails if x86_assign_counter() and the search disagree about a user
 * @name: name of the PMU, for messages
 * @allowed: for each user, the mask of counters that can serve it
 * @nr: number of users, at most X86_ASSIGN_MAX
 *
 * The users come one after the other, as the events of a group are added.
 */
void x86_assign_expect(struct kunit *test, const char *name, const u64 *allowed,
		       unsigned int nr)
{
	struct x86_assignment assign = { };
	u64 placed[X86_ASSIGN_MAX];
	unsigned int n, nr_placed = 0;
	bool possible;

	KUNIT_ASSERT_LE(test, nr, X86_ASSIGN_MAX);
	for (n = 0; n < nr; n++) {
		placed[nr_placed] = allowed[n];
		possible = x86_assign_search(placed, nr_placed + 1, 0);
		KUNIT_ASSERT_EQ_MSG(test, possible,
				    !!x86_assign_counter(&assign, &placed[nr_placed], allowed[n]),
				    "%s: %#llx after %u others", name, allowed[n], nr_placed);
		nr_placed += possible;
	}
}

/* Each assigned user has one allowed counter, and no two users have the same one. */
static void expect_sound(struct kunit *test, struct assign_test *st)
{
	unsigned int n;
	u64 taken = 0;

	for (n = 0; n < GROUP_MAX; n++) {
		int counter = x86_assign_find(&st->assign, &st->users[n]);

		if (!(st->assigned & BIT(n))) {
			KUNIT_EXPECT_EQ(test, counter, -1);
			continue;
		}
		KUNIT_ASSERT_GE(test, counter, 0);
		KUNIT_EXPECT_TRUE(test, st->allowed[n] & BIT_ULL(counter));
		KUNIT_EXPECT_FALSE(test, taken & BIT_ULL(counter));
		taken |= BIT_ULL(counter);
	}
	KUNIT_EXPECT_EQ(test, st->assign.taken, taken);
}

/* Can all assigned users and a new one be assigned at once? */
static bool possible(const struct assign_test *st, unsigned int new_user)
{
	u64 allowed[GROUP_MAX];
	unsigned int n, nr = 0;

	for (n = 0; n < GROUP_MAX; n++) {
		if (st->assigned & BIT(n))
			allowed[nr++] = st->allowed[n];
	}
	allowed[nr++] = st->allowed[new_user];
	return x86_assign_search(allowed, nr, 0);
}

static void take(struct kunit *test, struct assign_test *st, unsigned int n, u64 allowed)
{
	struct x86_assignment before = st->assign;
	bool could;
	u64 changed, found = 0;
	unsigned int i;

	st->allowed[n] = allowed;
	could = possible(st, n);
	changed = x86_assign_counter(&st->assign, &st->users[n], allowed);
	KUNIT_EXPECT_EQ(test, could, changed != 0);
	if (changed)
		st->assigned |= BIT(n);
	for (i = 0; i < X86_PMC_IDX_MAX; i++) {
		if (before.user[i] != st->assign.user[i])
			found |= BIT_ULL(i);
	}
	KUNIT_EXPECT_EQ(test, found, changed);
	expect_sound(test, st);
}

static void leave(struct kunit *test, struct assign_test *st, unsigned int n)
{
	x86_assign_release(&st->assign, x86_assign_find(&st->assign, &st->users[n]));
	st->assigned &= ~BIT(n);
	expect_sound(test, st);
}

/* Users come and go at random. A user that fits must be assigned. */
static void never_refuses_what_is_possible(struct kunit *test)
{
	struct assign_test *st = assign_test_init(test);
	struct rnd_state rnd;
	unsigned int step, n;

	prandom_seed_state(&rnd, 6);
	for (step = 0; step < 20000; step++) {
		n = prandom_u32_state(&rnd) % GROUP_MAX;
		if (st->assigned & BIT(n))
			leave(test, st, n);
		else
			take(test, st, n, prandom_u32_state(&rnd) % BIT(SMALL));
	}
}

/* Exhaustive search. Users of the mask @pairs need an even counter and the next one. */
static bool pairs_possible(u32 pairs, unsigned int nr, u64 taken)
{
	unsigned int n;

	if (!nr)
		return true;
	for (n = 0; n < SMALL; n++) {
		u64 wanted = pairs & 1 ? 3ULL << n : BIT_ULL(n);

		if (!(taken & wanted) && !(pairs & n & 1) &&
		    pairs_possible(pairs >> 1, nr - 1, taken | wanted))
			return true;
	}
	return false;
}

/* Each user has what it needs, alone, and the upper counters of pairs are marked. */
static void expect_pairs_sound(struct kunit *test, struct assign_test *st, u32 pairs)
{
	u64 taken = 0, second = 0, mine;
	unsigned int n;
	int counter;

	for (n = 0; n < GROUP_MAX; n++) {
		if (!(st->assigned & BIT(n)))
			continue;
		counter = x86_assign_find(&st->assign, &st->users[n]);
		KUNIT_ASSERT_GE(test, counter, 0);
		mine = BIT_ULL(counter);
		if (pairs & BIT(n)) {
			KUNIT_EXPECT_EQ(test, counter & 1, 0);
			KUNIT_EXPECT_PTR_EQ(test, st->assign.user[counter + 1],
					    (void *)&st->users[n]);
			mine |= mine << 1;
			second |= BIT_ULL(counter + 1);
		}
		KUNIT_EXPECT_EQ(test, taken & mine, 0);
		taken |= mine;
	}
	KUNIT_EXPECT_EQ(test, st->assign.taken, taken);
	KUNIT_EXPECT_EQ(test, st->assign.second, second);
}

static void take_either(struct kunit *test, struct assign_test *st, unsigned int n, u32 *pairs)
{
	const u64 all = BIT(SMALL) - 1;
	u32 wanted = 0;
	unsigned int i, nr = 0;
	u64 changed;

	for (i = 0; i < GROUP_MAX; i++) {
		if (st->assigned & BIT(i))
			wanted |= (*pairs >> i & 1) << nr++;
	}
	wanted |= (*pairs >> n & 1) << nr++;
	if (*pairs & BIT(n))
		changed = x86_assign_pair(&st->assign, &st->users[n], EVEN);
	else
		changed = x86_assign_counter(&st->assign, &st->users[n], all);
	KUNIT_EXPECT_EQ(test, pairs_possible(wanted, nr, 0), changed != 0);
	if (changed)
		st->assigned |= BIT(n);
}

/* As never_refuses_what_is_possible(), with users that need a pair. */
static void pairs_come_and_go(struct kunit *test)
{
	struct assign_test *st = assign_test_init(test);
	struct rnd_state rnd;
	unsigned int step, n;
	u32 pairs = 0;

	prandom_seed_state(&rnd, 8);
	for (step = 0; step < 20000; step++) {
		n = prandom_u32_state(&rnd) % GROUP_MAX;
		if (st->assigned & BIT(n)) {
			int counter = x86_assign_find(&st->assign, &st->users[n]);

			x86_assign_release(&st->assign, counter);
			st->assigned &= ~BIT(n);
		} else {
			pairs &= ~BIT(n);
			if (prandom_u32_state(&rnd) & 1)
				pairs |= BIT(n);
			take_either(test, st, n, &pairs);
		}
		expect_pairs_sound(test, st, pairs);
	}
}

/* A path through all counters: each user but the last can use two counters. */
static void moves_along_a_whole_path(struct kunit *test)
{
	struct assign_test *st = assign_test_init(test);
	unsigned int n;

	for (n = 0; n < SMALL - 1; n++)
		take(test, st, n, BIT(n) | BIT(n + 1));
	/* Now only the top counter will do for the last user. */
	take(test, st, SMALL - 1, BIT(SMALL - 1));
	KUNIT_EXPECT_EQ(test, st->assigned, BIT(SMALL) - 1);
	for (n = 0; n < SMALL; n++)
		KUNIT_EXPECT_EQ(test, x86_assign_find(&st->assign, &st->users[n]), n);
}

static void fixed_counters_come_first(struct kunit *test)
{
	struct assign_test *st = assign_test_init(test);
	const u64 cycles = 0xf | BIT_ULL(INTEL_PMC_IDX_FIXED_CPU_CYCLES);

	take(test, st, 0, cycles);
	KUNIT_EXPECT_EQ(test, x86_assign_find(&st->assign, &st->users[0]),
			INTEL_PMC_IDX_FIXED_CPU_CYCLES);
	/* The same event once more gets a general purpose counter. */
	take(test, st, 1, cycles);
	KUNIT_EXPECT_EQ(test, x86_assign_find(&st->assign, &st->users[1]), 0);
}

static void no_user_moves_without_need(struct kunit *test)
{
	struct assign_test *st = assign_test_init(test);
	unsigned int n;
	u64 changed;

	for (n = 0; n < 3; n++)
		take(test, st, n, 0xf);
	st->allowed[3] = 0xf;
	changed = x86_assign_counter(&st->assign, &st->users[3], st->allowed[3]);
	KUNIT_EXPECT_EQ(test, hweight64(changed), 1);
	st->assigned |= BIT(3);
	leave(test, st, 1);
	/* A user that needs the counter of the first one moves only that one. */
	changed = x86_assign_counter(&st->assign, &st->users[4],
				     BIT(x86_assign_find(&st->assign, &st->users[0])));
	KUNIT_EXPECT_EQ(test, hweight64(changed), 2);
}

static struct kunit_case x86_assign_cases[] = {
	KUNIT_CASE_SLOW(never_refuses_what_is_possible),
	KUNIT_CASE_SLOW(pairs_come_and_go),
	KUNIT_CASE(moves_along_a_whole_path),
	KUNIT_CASE(fixed_counters_come_first),
	KUNIT_CASE(no_user_moves_without_need),
	{ }
};

static struct kunit_suite x86_assign_suite = {
	.name		= "perf_x86_assign",
	.test_cases	= x86_assign_cases,
};

kunit_test_suite(x86_assign_suite);
