// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the runtime that groups have when they become eligible: neither credit for time
 * without counters, nor debt for time without competition; see perf_fair_place().
 */
#include "../context/state.h"
#include "../sched/fair.h"
#include "../sched/rotate.h"
#include "sched_world.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr pinned = { .pinned = 1 };
static const struct perf_event_attr first = { .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) };

/* A new group does not have to wait for the runtime of the others, nor they for the new one. */
static void sched_newcomer(struct kunit *test)
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
static void sched_misfit_comes_back(struct kunit *test)
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
static void sched_restarted_beside_misfit(struct kunit *test)
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
static void sched_alone_before(struct kunit *test)
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
	/* the two of the task need less than half of the 7 counters, 12 groups share the others */
	world_expect_ran(w, 0, 2, 3900, 4000);
	world_expect_ran(w, 2, 14, 1550, 1800);
	world_expect_sound(w);
}

/* Neither is a cgroup that was there alone, with more groups than fit. */
static void sched_cgroup_alone_before(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, WORLD_CGROUP, 14);
	world_groups(w, WORLD_CPU, 7);
	world_lock(w);
	world_cgroup(w, true);
	for (unsigned int i = 0; i < 14; i++)
		world_enable(w, w->leaders[i]);
	world_pass(w, 20ULL * NSEC_PER_SEC);
	world_cgroup(w, false);
	world_enable_all(w);
	world_cgroup(w, true);
	world_since_now(w);
	world_pass(w, 3ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* 21 groups share 7 counters */
	world_expect_ran(w, 0, 21, 950, 1050);
	world_expect_sound(w);
}

/* An exclusive group that waited beside a pinned one has no credit either. */
static void sched_exclusive_misfit_comes_back(struct kunit *test)
{
	static const struct perf_event_attr exclusive = { .exclusive = 1 };
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, WORLD_CPU, 7, &exclusive);
	world_groups(w, WORLD_CPU, 9);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, 20ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, world_running(w, w->leaders[1]), 0);
	world_disable(w, w->leaders[0]);
	world_since_now(w);
	world_pass(w, 4ULL * NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* as in sched_misfit_comes_back() */
	world_expect_ran(w, 1, 11, 1600, 1900);
	world_expect_sound(w);
}

/* Let a group be tried anew, as perf_event_restart() does. */
static void restart(struct world *w, struct perf_event *leader)
{
	perf_group_stop(leader, w->now);
	perf_group_start(leader, w->now);
	perf_sched_fill_cpu(this_perf_cpu(), w->now);
}

/*
 * A driver refused a group for want of an AUX area. When one is mapped, the group is tried at once,
 * and has no credit for the time before.
 */
static void sched_refused_gets_an_area(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 8, &plain);
	world_groups(w, WORLD_CPU, 10);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, 20ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->pmu->pmu_ctx[WORLD_CPU].unfit), 1);
	/* none will be tried by itself for a while */
	w->pmu->cpc->retry_at = w->now + ROTATIONS(64);
	/* now the group fits */
	w->pmu->fake.nr_counters = 8;
	restart(w, w->leaders[0]);
	world_since_now(w);
	world_pass(w, ROTATIONS(2));
	KUNIT_EXPECT_GT(test, world_running(w, w->leaders[0]), 0);
	world_pass(w, 4ULL * NSEC_PER_SEC - ROTATIONS(2));
	world_check(w);
	world_unlock(w);
	/* it runs for x, and then 10 others for x each on 8 counters: 1.78 s */
	world_expect_ran(w, 0, 11, 1600, 1950);
	world_expect_sound(w);
}

/* Nor has a group that a member joins which does not fit beside the others. */
static void sched_joining_gains_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *joined, *member;

	w->pmu->fake.nr_counters = 4;
	joined = world_group(w, WORLD_CPU, 2, &plain);
	member = list_first_entry(&joined->sibling_list, struct perf_event, sibling_list);
	world_groups(w, WORLD_CPU, 9);
	world_lock(w);
	world_disable(w, member);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	world_since_now(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_enable(w, member);
		world_pass(w, WORLD_INTERVAL);
		world_disable(w, member);
		world_pass(w, WORLD_INTERVAL);
	}
	world_check(w);
	world_unlock(w);
	/* 10 groups share 4 counters, of which one needs a second one half of the time */
	world_expect_ran(w, 0, 1, 1000, 1700);
	world_expect_ran(w, 1, 10, 1400, 1750);
	world_expect_sound(w);
}

/* Many misfits are tried again at each change, and cost the others nothing. */
static void sched_many_misfits(struct kunit *test)
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
static void sched_toggled_misfits(struct kunit *test)
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
		idle += i >= 20 && hweight_long(w->pmu->here->used) < 7;
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

/*
 * Misfits of the CPU are tried again all the time, as one of them is toggled. They come before the
 * groups of the task, and take no attempt of these.
 */
static void sched_misfits_before_a_task(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 1, &pinned);
	for (unsigned int i = 0; i < 12; i++)
		world_group(w, WORLD_CPU, 7, &plain);
	world_groups(w, 1, 9);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, ROTATIONS(12));
	world_since_now(w);
	for (unsigned int i = 0; i < 4000; i++) {
		world_disable(w, w->leaders[1]);
		world_enable(w, w->leaders[1]);
		world_pass(w, NSEC_PER_MSEC);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 1, 13, 0, 0);
	/* 9 groups share 6 counters */
	world_expect_ran(w, 13, 22, 2500, 2800);
	world_expect_sound(w);
}

/* A group that is toggled was unfit once, and fits again. Its retry is not put off each time. */
static void sched_toggled_fits_again(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *stays = world_group(w, WORLD_CPU, 1, &pinned);
	struct perf_event *large;

	world_groups(w, WORLD_CPU, 6);
	large = world_group(w, 1, 7, &plain);
	/* as many as are tried in one rotation, and more */
	for (unsigned int i = 0; i < 8; i++)
		world_group(w, 1, 8, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(12));
	KUNIT_EXPECT_EQ(test, world_running(w, large), 0);
	list_move_tail(&large->group_entry, &large->pmu_ctx->unfit);
	world_disable(w, large);
	world_disable(w, stays);
	for (unsigned int i = 0; i < 1000; i++) {
		world_enable(w, large);
		world_pass(w, NSEC_PER_MSEC);
		world_disable(w, large);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 7, 8, 50, 1000);
	world_expect_sound(w);
}

/* An unfit group that fits now does not wait for those before it, which still do not. */
static void sched_behind_misfits(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *stays, *fits;

	stays = world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, WORLD_CPU, 1, &pinned);
	for (unsigned int i = 0; i < 20; i++)
		world_group(w, WORLD_CPU, 7, &plain);
	fits = world_group(w, WORLD_CPU, 6, &plain);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, world_running(w, fits), 0);
	/* it is the last one that is tried */
	list_move_tail(&fits->group_entry, &fits->pmu_ctx->unfit);
	world_disable(w, stays);
	world_pass(w, ROTATIONS(10));
	KUNIT_EXPECT_GE(test, fits->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* The same if the task is never on for as long as a slice, and nothing else waits. */
static void sched_behind_misfits_in_short_turns(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *stays, *fits;

	stays = world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, WORLD_CPU, 1, &pinned);
	for (unsigned int i = 0; i < 20; i++)
		world_group(w, 1, 7, &plain);
	fits = world_group(w, 1, 6, &plain);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, world_running(w, fits), 0);
	world_switch(w, WORLD_NO_TASK);
	list_move_tail(&fits->group_entry, &fits->pmu_ctx->unfit);
	world_disable(w, stays);
	for (unsigned int i = 0; i < 5; i++) {
		world_switch(w, 1);
		w->now += NSEC_PER_MSEC / 2;
		world_switch(w, WORLD_NO_TASK);
		w->now += NSEC_PER_MSEC;
	}
	world_switch(w, 1);
	KUNIT_EXPECT_GE(test, fits->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A timer that was started for unfit groups alone is started again when it would be late. */
static void sched_timer_is_moved(struct kunit *test)
{
	struct world *w = test->priv;
	u64 late, moved;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, WORLD_CPU, 7, &plain);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	late = w->pmu->cpc->retry_at;
	w->pmu->cpc->timer_at = late;
	/* the timer counts as on in this world, so it is only started to move it */
	w->pmu->cpc->retry_at = w->now + 2 * WORLD_INTERVAL;
	perf_rotate_start(w->pmu->cpc, w->now);
	moved = w->pmu->cpc->timer_at;
	hrtimer_try_to_cancel(&w->pmu->cpc->timer);
	KUNIT_EXPECT_GT(test, late, w->now + 2 * WORLD_INTERVAL);
	KUNIT_EXPECT_EQ(test, moved, w->now + 2 * WORLD_INTERVAL);

	w->pmu->cpc->timer_at = late;
	w->pmu->cpc->retry_at = late + WORLD_INTERVAL;
	perf_rotate_start(w->pmu->cpc, w->now);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->timer_at, late);
	world_unlock(w);
	world_expect_sound(w);
}

/* After an unfit group has fitted, the delay of the others begins with one interval. */
static void sched_delay_begins_anew(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *refused = world_group(w, WORLD_CPU, 9, &plain);
	unsigned int i;

	world_group(w, WORLD_CPU, 10, &plain);
	world_group(w, WORLD_CPU, 1, &plain);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	KUNIT_EXPECT_GT(test, w->pmu->cpc->retry_wait, 8 * WORLD_INTERVAL);
	/* now the group fits */
	w->pmu->fake.nr_counters = 9;
	for (i = 0; i < 200 && refused->oncpu < 0; i++)
		world_pass(w, WORLD_INTERVAL);
	KUNIT_EXPECT_GE(test, refused->oncpu, 0);
	KUNIT_EXPECT_LE(test, w->pmu->cpc->retry_wait, 2 * WORLD_INTERVAL);
	world_unlock(w);
	world_expect_sound(w);
}

/* So does the delay of a group that is unfit for the first time. */
static void sched_delay_of_a_newcomer(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 9, &plain);
	world_group(w, 1, 9, &plain);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	KUNIT_EXPECT_GT(test, w->pmu->cpc->retry_wait, 8 * WORLD_INTERVAL);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->pmu->pmu_ctx[1].unfit), 1);
	KUNIT_EXPECT_LE(test, w->pmu->cpc->retry_wait, WORLD_INTERVAL);
	KUNIT_EXPECT_LE(test, w->pmu->cpc->retry_at, w->now + WORLD_INTERVAL);
	world_unlock(w);
	world_expect_sound(w);
}

/* Misfits of several contexts take no attempt of another group, on a PMU that is empty now. */
static void sched_misfits_of_each_context(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *stays, *fits;

	stays = world_group(w, WORLD_CPU, 1, &pinned);
	for (unsigned int i = 0; i < 8; i++) {
		world_group(w, WORLD_CPU, 8, &plain);
		world_group(w, WORLD_CGROUP, 8, &plain);
		world_group(w, 1, 8, &plain);
	}
	fits = world_group(w, 1, 7, &plain);
	world_lock(w);
	for (unsigned int i = 0; i < 25; i++)
		world_enable(w, w->leaders[i]);
	world_cgroup(w, true);
	world_switch(w, 1);
	world_pass(w, ROTATIONS(40));
	world_enable(w, fits);
	world_disable(w, stays);
	KUNIT_EXPECT_GE(test, fits->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* Let the task come: a rotation that begins with an empty PMU uses all counters. */
static void expect_full_at_first(struct world *w)
{
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(w->test, hweight_long(w->pmu->here->used), 7);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* An unfit group at the floor costs no counter in the first slice. */
static void sched_first_slice_beside_misfit(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, 1, 1, &plain);
	world_group(w, 1, 7, &plain);
	world_groups(w, 1, 5);
	expect_full_at_first(w);
}

/* A group that can use one counter only, which is taken, costs no other one in the first slice. */
static void sched_first_slice_beside_taken(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, 1, 1, &first);
	world_group(w, 1, 1, &first);
	world_groups(w, 1, 6);
	expect_full_at_first(w);
}

/* A group that had a counter that no other could use is not kept waiting for that time. */
static void sched_ahead_is_evicted(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *comes;

	w->pmu->fake.nr_counters = 3;
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

/* What becomes eligible is placed beside the lowest vruntime of its side. */
static void sched_beside_the_lowest(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *comes;
	s64 behind;

	w->pmu->fake.nr_counters = 3;
	/* the counter that the groups of the cgroup cannot use is its own */
	world_groups(w, WORLD_CPU, 1);
	for (unsigned int i = 0; i < 3; i++)
		world_group(w, WORLD_CGROUP, 2, &plain);
	comes = world_group(w, WORLD_CPU, 1, &plain);
	world_lock(w);
	world_cgroup(w, true);
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
static void sched_misfits_beside_a_task(struct kunit *test)
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
		idle += i >= 8 && hweight_long(w->pmu->here->used) < 7;
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
	KUNIT_CASE(sched_newcomer),
	KUNIT_CASE(sched_misfit_comes_back),
	KUNIT_CASE(sched_restarted_beside_misfit),
	KUNIT_CASE(sched_alone_before),
	KUNIT_CASE(sched_cgroup_alone_before),
	KUNIT_CASE(sched_exclusive_misfit_comes_back),
	KUNIT_CASE(sched_refused_gets_an_area),
	KUNIT_CASE(sched_joining_gains_nothing),
	KUNIT_CASE(sched_many_misfits),
	KUNIT_CASE(sched_toggled_misfits),
	KUNIT_CASE(sched_misfits_before_a_task),
	KUNIT_CASE(sched_toggled_fits_again),
	KUNIT_CASE(sched_behind_misfits),
	KUNIT_CASE(sched_behind_misfits_in_short_turns),
	KUNIT_CASE(sched_timer_is_moved),
	KUNIT_CASE(sched_delay_begins_anew),
	KUNIT_CASE(sched_delay_of_a_newcomer),
	KUNIT_CASE(sched_misfits_of_each_context),
	KUNIT_CASE(sched_first_slice_beside_misfit),
	KUNIT_CASE(sched_first_slice_beside_taken),
	KUNIT_CASE(sched_ahead_is_evicted),
	KUNIT_CASE(sched_misfits_beside_a_task),
	KUNIT_CASE(sched_beside_the_lowest),
	{}
};

static struct kunit_suite credit_suite = {
	.name		= "perf_sched_credit",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= credit_cases,
};

kunit_test_suite(credit_suite);
