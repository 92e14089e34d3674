// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the runtime that groups have when they become eligible: neither credit for time
 * without counters, nor debt for time without competition; see perf_fair_place().
 */
#include "../sched/fair.h"
#include "sched_world.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr pinned = { .pinned = 1 };
static const struct perf_event_attr first = { .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) };

/* A new group does not have to wait for the runtime of the others, nor they for the new one. */
static void place_newcomer(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, 1, 15);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 14; i++)
		world_enable(w, w->leaders[i]);
	world_pass(w, 10ULL * NSEC_PER_SEC);
	world_enable(w, w->leaders[14]);
	world_since_now(w);
	world_pass(w, 2ULL * NSEC_PER_SEC);
	world_unlock(w);
	/* 15 groups share 7 counters */
	world_expect_ran(w, 0, 15, 900, 1000);
	world_expect_sound(w);
}

/*
 * Lock the world, and let single groups, numbered from 2, share the counters beside a pinned one
 * and a large one that does not fit.
 */
static void share_beside_misfit(struct world *w, unsigned int nr)
{
	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, WORLD_CPU, 7, &plain);
	world_groups(w, WORLD_CPU, nr);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, 20ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(w->test, world_running(w, w->leaders[1]), 0);
}

/*
 * A group that does not fit beside a pinned one gets its share once that is gone, and not what it
 * could have had before.
 */
static void place_misfit_comes_back(struct kunit *test)
{
	struct world *w = test->priv;

	share_beside_misfit(w, 9);
	world_disable(w, w->leaders[0]);
	world_since_now(w);
	world_pass(w, 4ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* the large group runs for x, and then 9 others for x each on 7 counters: 1.75 s */
	world_expect_ran(w, 1, 11, 1600, 1900);
	world_expect_sound(w);
}

/* Groups that are enabled again beside a misfit have no credit either. */
static void place_restarted_beside_misfit(struct kunit *test)
{
	struct world *w = test->priv;

	share_beside_misfit(w, 12);
	for (unsigned int i = 2; i < 8; i++) {
		world_disable(w, w->leaders[i]);
		world_enable(w, w->leaders[i]);
	}
	world_since_now(w);
	world_pass(w, 4ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* 12 groups share 6 counters */
	world_expect_ran(w, 2, 14, 1850, 2150);
	world_expect_sound(w);
}

/* A task that was alone is not behind groups that came while it was off. */
static void place_alone_before(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, 1, 2);
	world_groups(w, WORLD_CPU, 12);
	world_lock(w);
	world_switch(w, 1);
	world_enable(w, w->leaders[0]);
	world_enable(w, w->leaders[1]);
	world_pass(w, 20ULL * NSEC_PER_SEC);
	world_switch(w, WORLD_NO_TASK);
	world_enable_all(w);
	world_switch(w, 1);
	world_since_now(w);
	world_pass(w, 4ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* 14 groups share 7 counters */
	world_expect_ran(w, 0, 14, 1850, 2150);
	world_expect_sound(w);
}

/* Many misfits are tried again at each change, and cost the others nothing. */
static void place_many_misfits(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *toggled;
	unsigned int i;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_groups(w, WORLD_CPU, 9);
	toggled = world_group(w, 1, 1, &plain);
	for (i = 0; i < 8; i++)
		world_group(w, WORLD_CPU, 7, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (i = 0; i < 4000; i++) {
		world_pass(w, NSEC_PER_MSEC);
		world_disable(w, toggled);
		world_enable(w, toggled);
	}
	world_check(w);
	world_unlock(w);
	/* 10 groups share 6 counters; the one that is toggled waits for rotations, and has less */
	world_expect_ran(w, 1, 10, 2000, 2800);
	world_expect_ran(w, 11, 19, 0, 0);
	world_expect_sound(w);
}

/* A task enables groups again and again that do not fit. They are unfit from the beginning. */
static void place_toggled_misfits(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int i, k, idle = 0;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_groups(w, WORLD_CPU, 9);
	for (i = 0; i < 20; i++)
		world_group(w, 1, 7, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (i = 0; i < 4000; i++) {
		world_pass(w, NSEC_PER_MSEC);
		/* the first time each of them is tried as any other group */
		idle += i >= 20 && hweight_long(w->here->used) < 7;
		for (k = 10; k < 30; k++) {
			world_disable(w, w->leaders[k]);
			world_enable(w, w->leaders[k]);
		}
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, idle, 0);
	/* 9 groups share 6 counters */
	world_expect_ran(w, 1, 10, 2400, 2900);
	world_expect_ran(w, 10, 30, 0, 0);
	world_expect_sound(w);
}

/* An unfit group at the floor costs no counter, in a rotation that begins with an empty PMU. */
static void place_first_slice_beside_misfit(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, 1, 1, &plain);
	world_group(w, 1, 7, &plain);
	world_groups(w, 1, 5);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, hweight_long(w->here->used), 7);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* Nor does a group whose only counter is taken, in such a rotation. */
static void place_first_slice_beside_taken(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, 1, 1, &first);
	world_group(w, 1, 1, &first);
	world_groups(w, 1, 6);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, hweight_long(w->here->used), 7);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A group that had a counter that no other could use is not kept waiting for that time. */
static void place_ahead_is_evicted(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *comes;

	w->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 1);
	for (unsigned int i = 0; i < 3; i++)
		world_group(w, WORLD_CPU, 2, &plain);
	comes = world_group(w, WORLD_CPU, 1, &pinned);
	world_lock(w);
	for (unsigned int i = 0; i < 4; i++)
		world_enable(w, w->leaders[i]);
	world_pass(w, 10ULL * NSEC_PER_SEC);
	world_enable(w, comes);
	KUNIT_EXPECT_LT(test, w->leaders[0]->oncpu, 0);
	world_since_now(w);
	world_pass(w, 4ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* four groups share two counters, which is enough for one at a time */
	world_expect_ran(w, 0, 4, 950, 1050);
	world_expect_sound(w);
}

/* What becomes eligible is placed beside the lowest vruntime, whichever context has it. */
static void place_beside_the_lowest(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *comes;
	s64 behind;

	w->fake.nr_counters = 3;
	/* the counter that the groups of the task cannot use is its own */
	world_groups(w, WORLD_CPU, 1);
	for (unsigned int i = 0; i < 3; i++)
		world_group(w, 1, 2, &plain);
	comes = world_group(w, WORLD_CPU, 1, &plain);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 4; i++)
		world_enable(w, w->leaders[i]);
	world_pass(w, 10ULL * NSEC_PER_SEC);
	world_enable(w, comes);
	behind = perf_fair_vruntime(comes, w->now) - perf_fair_vruntime(w->leaders[1], w->now);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_LT(test, abs(behind), 2 * (s64)WORLD_INTERVAL);
	world_expect_sound(w);
}

/*
 * Pinned groups come and go with a task, beside groups that do not fit. While it is off, no counter
 * idles.
 */
static void place_misfits_beside_a_task(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int i, idle = 0;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_groups(w, WORLD_CPU, 9);
	for (i = 0; i < 8; i++)
		world_group(w, WORLD_CPU, 7, &plain);
	world_group(w, 1, 1, &pinned);
	world_group(w, 1, 1, &pinned);
	world_lock(w);
	world_enable_all(w);
	for (i = 0; i < 2000; i++) {
		world_switch(w, 1);
		world_pass(w, NSEC_PER_MSEC);
		world_switch(w, WORLD_NO_TASK);
		/* the first time each of them is tried as any other group */
		idle += i >= 8 && hweight_long(w->here->used) < 7;
		world_pass(w, NSEC_PER_MSEC);
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, idle, 0);
	/* 9 groups share 4 counters half of the time, and 6 the other half */
	world_expect_ran(w, 1, 10, 1900, 2550);
	world_expect_sound(w);
}

static struct kunit_case credit_cases[] = {
	KUNIT_CASE(place_newcomer),
	KUNIT_CASE(place_misfit_comes_back),
	KUNIT_CASE(place_restarted_beside_misfit),
	KUNIT_CASE(place_alone_before),
	KUNIT_CASE(place_many_misfits),
	KUNIT_CASE(place_toggled_misfits),
	KUNIT_CASE(place_first_slice_beside_misfit),
	KUNIT_CASE(place_first_slice_beside_taken),
	KUNIT_CASE(place_ahead_is_evicted),
	KUNIT_CASE(place_misfits_beside_a_task),
	KUNIT_CASE(place_beside_the_lowest),
	{}
};

static struct kunit_suite credit_suite = {
	.name		= "perf_sched_credit",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= credit_cases,
};

kunit_test_suite(credit_suite);
