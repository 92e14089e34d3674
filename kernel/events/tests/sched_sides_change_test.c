// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the halves of the CPU and of the running task, while tasks, cgroups and groups come and
 * go.
 */
#include "../sched/cpu_pmu.h"
#include "sched_world.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr pinned = { .pinned = 1 };
static const struct perf_event_attr exclusive = { .exclusive = 1 };
static const struct perf_event_attr first = { .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) };

/* One group of each side that needs all counters. */
static void large_against_large(struct world *w)
{
	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	world_group(w, 1, 4, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_since_now(w);
}

/* A task that toggles its groups before each slice ends has the lag that it had. */
static void sides_toggled_task(struct kunit *test)
{
	struct world *w = test->priv;

	large_against_large(w);
	for (unsigned int i = 0; i < 250; i++) {
		world_pass(w, WORLD_INTERVAL - NSEC_PER_MSEC / 10);
		world_disable(w, w->leaders[1]);
		world_enable(w, w->leaders[1]);
		world_pass(w, NSEC_PER_MSEC / 10);
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_TRUE(test, perf_pmu_ctx_was_here(&w->pmu->pmu_ctx[1], w->pmu->cpc));
	world_expect_ran(w, 0, 2, 400, 600);
	world_expect_sound(w);
}

/* A pause in which all groups that are left have counters makes no difference to that. */
static void sides_toggled_with_pause(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 3, &plain);
	world_group(w, 1, 1, &plain);
	/* its pmu_ctx stays on the CPU */
	world_group(w, 1, 1, &pinned);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_pass(w, WORLD_INTERVAL * 15 / 16);
		world_disable(w, w->leaders[1]);
		world_pass(w, NSEC_PER_USEC);
		world_enable(w, w->leaders[1]);
		world_pass(w, WORLD_INTERVAL / 16);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 0, 2, 700, 1300);
	world_expect_sound(w);
}

/* So has one that sleeps for a moment before each slice ends. */
static void sides_sleeping_task(struct kunit *test)
{
	struct world *w = test->priv;

	large_against_large(w);
	for (unsigned int i = 0; i < 250; i++) {
		world_pass(w, WORLD_INTERVAL * 9 / 10);
		world_switch(w, WORLD_NO_TASK);
		world_switch(w, 1);
		world_pass(w, WORLD_INTERVAL / 10);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 0, 2, 400, 600);
	world_expect_sound(w);
}

/* Tasks that follow each other before the CPU has its turn get no more than one that stays. */
static void sides_new_tasks(struct kunit *test)
{
	struct world *w = test->priv;

	large_against_large(w);
	for (unsigned int i = 0; i < 400; i++) {
		world_switch(w, WORLD_NO_TASK);
		/* the next one was on no CPU before */
		w->pmu->pmu_ctx[1].plan_at = PERF_PLAN_NOWHERE;
		w->pmu->pmu_ctx[1].lag = 0;
		w->pmu->pmu_ctx[1].slice_end = 0;
		world_switch(w, 1);
		world_pass(w, WORLD_INTERVAL * 5 / 8);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 0, 2, 400, 600);
	world_expect_sound(w);
}

/* Another task, which was here before, makes no difference to that. */
static void sides_new_tasks_beside_another(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	world_group(w, 1, 4, &plain);
	world_group(w, 2, 1, &plain);
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 400; i++) {
		world_switch(w, 2);
		world_pass(w, WORLD_INTERVAL / 8);
		/* task 1 is another one each time */
		w->pmu->pmu_ctx[1].plan_at = PERF_PLAN_NOWHERE;
		w->pmu->pmu_ctx[1].lag = 0;
		w->pmu->pmu_ctx[1].slice_end = 0;
		world_switch(w, 1);
		world_pass(w, WORLD_INTERVAL * 5 / 8);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 0, 1, 450, 750);
	world_expect_ran(w, 1, 2, 400, 600);
	world_expect_sound(w);
}

/* What the CPU has while no task is there makes up for what it was behind. */
static void sides_catch_up_alone(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	world_group(w, 1, 4, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable(w, w->leaders[1]);
	world_pass(w, NSEC_PER_MSEC);
	world_enable(w, w->leaders[0]);
	world_pass(w, NSEC_PER_MSEC / 20);
	world_switch(w, WORLD_NO_TASK);
	KUNIT_EXPECT_GT(test, w->pmu->cpc->lag_to_new, 0);
	world_pass(w, NSEC_PER_MSEC);
	w->pmu->pmu_ctx[1].plan_at = PERF_PLAN_NOWHERE;
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->lag, 0);
	world_unlock(w);
	world_expect_sound(w);
}

/* So does the time in which the CPU has all it needs beside another task. */
static void sides_catch_up_satisfied(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	world_group(w, 1, 4, &plain);
	world_groups(w, WORLD_CPU, 1);
	world_groups(w, 2, 1);
	world_lock(w);
	world_switch(w, 2);
	world_enable(w, w->leaders[3]);
	world_switch(w, 1);
	world_enable(w, w->leaders[1]);
	world_pass(w, NSEC_PER_MSEC);
	world_enable(w, w->leaders[0]);
	world_pass(w, NSEC_PER_MSEC / 20);
	world_switch(w, WORLD_NO_TASK);
	KUNIT_EXPECT_GT(test, w->pmu->cpc->lag_to_new, 0);
	world_disable(w, w->leaders[0]);
	world_enable(w, w->leaders[2]);
	world_switch(w, 2);
	world_pass(w, NSEC_PER_MSEC);
	world_switch(w, WORLD_NO_TASK);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->lag_to_new, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A CPU that was offline is not behind beside new tasks. */
static void sides_offline(struct kunit *test)
{
	struct world *w = test->priv;

	large_against_large(w);
	w->pmu->pmu_ctx[1].plan_at = PERF_PLAN_NOWHERE;
	world_switch(w, WORLD_NO_TASK);
	w->pmu->cpc->lag_to_new = NSEC_PER_MSEC;
	world_offline(w);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->lag_to_new, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* What a task is behind ends while the CPU has no groups. */
static void sides_without_cpu(struct kunit *test)
{
	struct world *w = test->priv;

	large_against_large(w);
	for (unsigned int i = 0; i < 100 && w->pmu->cpc->lag >= 0; i++) {
		world_switch(w, 1);
		world_pass(w, WORLD_INTERVAL / 4);
	}
	world_disable(w, w->leaders[0]);
	KUNIT_EXPECT_LT(test, w->pmu->cpc->lag, 0);
	world_pass(w, 2 * WORLD_INTERVAL);
	world_enable(w, w->leaders[0]);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->lag, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * The cgroup and a task are on for less than a slice at a time. Groups of the cgroup need all
 * counters, which the task's event takes back only if it is its turn.
 */
static void sides_brief_cgroup(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 2);
	world_groups(w, 1, 1);
	world_group(w, 2, 2, &plain);
	world_group(w, WORLD_CGROUP, 3, &plain);
	world_group(w, WORLD_CGROUP, 3, &plain);
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_switch_to(w, 1, true);
		world_pass(w, NSEC_PER_MSEC * 3 / 2);
		world_switch_to(w, 2, false);
		world_pass(w, NSEC_PER_MSEC);
		world_switch_to(w, 1, true);
		world_pass(w, NSEC_PER_MSEC / 2);
		world_switch_to(w, WORLD_NO_TASK, false);
		world_pass(w, NSEC_PER_MSEC * 5 / 2);
	}
	world_check(w);
	world_unlock(w);
	/* of 1,000 ms */
	world_expect_ran(w, 2, 3, 500, 900);
	world_expect_ran(w, 4, 6, 80, 300);
	world_expect_sound(w);
}

/* In a switch, a plan without counters, and a slice that ends early, are one rotation. */
static void sides_one_rotation_a_switch(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 4);
	world_group(w, 1, 4, &plain);
	world_group(w, WORLD_CGROUP, 4, &plain);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 100; i++) {
		world_switch_to(w, 1, true);
		world_pass(w, NSEC_PER_MSEC);
		world_switch_to(w, WORLD_NO_TASK, false);
		world_pass(w, 5 * NSEC_PER_MSEC);
		world_work(w);
		world_switch_to(w, 1, true);
		work = world_work(w);
		/* the plans of both, in vain, and what the rotation selects */
		KUNIT_EXPECT_LE_MSG(test, work.adds, 3 * 4, "round %u", i);
	}
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* An exclusive group frees all counters, not only as many as it has events. */
static void sides_after_exclusive(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 1, &first);
	world_group(w, WORLD_CPU, 1, &first);
	world_groups(w, WORLD_CPU, 1);
	world_group(w, 1, 1, &first);
	world_group(w, 1, 1, &exclusive);
	world_group(w, 1, 1, &exclusive);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, NSEC_PER_SEC / 4);
	world_since_now(w);
	world_pass(w, NSEC_PER_SEC);
	world_check(w);
	world_unlock(w);
	/* whenever no exclusive one has the PMU, and that is less than half of the time */
	world_expect_ran(w, 2, 3, 450, 1000);
	world_expect_sound(w);
}

/*
 * A task that restarts one of its events every few ms always has less than its half. It does not
 * keep for another event the only counter that counts it.
 */
static void sides_restarted_beside_same_counter(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 3);
	world_group(w, WORLD_CPU, 1, &first);
	world_group(w, 1, 1, &first);
	world_groups(w, 1, 1);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_since_now(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_pass(w, NSEC_PER_MSEC * 2);
		world_disable(w, w->leaders[5]);
		world_enable(w, w->leaders[5]);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 3, 4, 150, 600);
	world_expect_sound(w);
}

/* A task that comes and goes ends few slices early. */
static void sides_switches_end_few_slices(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 6;
	world_group(w, WORLD_CPU, 1, &first);
	world_group(w, WORLD_CPU, 1, &first);
	world_groups(w, WORLD_CPU, 3);
	world_groups(w, 1, 1);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	world_work(w);
	for (unsigned int i = 0; i < 1000; i++) {
		world_switch(w, 1);
		world_pass(w, NSEC_PER_MSEC / 20);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, NSEC_PER_MSEC / 20);
	}
	/* the task's event in each turn, and a rotation in each interval of the 100 ms */
	KUNIT_EXPECT_LE(test, world_work(w).adds, 1000 + 26 * 6 * 2);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * Two groups of two and one of one share three counters with an event of the CPU that fits on one
 * of them only, and others. To make room for that one, more may have to leave than it needs.
 */
static void sides_evicted_in_vain(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_group(w, 1, 2, &plain);
	world_group(w, 1, 2, &plain);
	world_groups(w, 1, 1);
	world_group(w, WORLD_CPU, 1, &first);
	world_groups(w, WORLD_CPU, 2);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_share_for(w, 500);
	world_share_for(w, 1000);
	world_unlock(w);
	/* five events of the task have half of the counters, and three of the CPU */
	world_expect_ran(w, 0, 3, 150, 600);
	world_expect_ran(w, 3, 6, 250, 750);
	world_expect_sound(w);
}

/* Let a running group be ahead of the others of its pmu_ctx by that many slices. */
static void set_ahead(struct perf_event *leader, unsigned int slices)
{
	leader->runtime_stamp -= slices * WORLD_INTERVAL;
}

/*
 * The task is behind. Its first group fits on the counter of a larger group of the CPU only, and
 * cannot evict that one. What it evicts is in vain, and goes to the CPU. Then the CPU evicts the
 * larger group itself. So the group of the task gets the counter at the end of the rotation, and
 * the task is behind as before.
 */
static void sides_filled_at_the_end(struct kunit *test)
{
	static const struct perf_event_attr fits[] = {
		{ .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) },
		{ .config = FAKE_CONFIG(FAKE_POKE, BIT(1)) },
		{ .config = FAKE_CONFIG(FAKE_POKE, BIT(2)) },
		{ .config = FAKE_CONFIG(FAKE_POKE, BIT(3)) },
	};
	struct world *w = test->priv;
	struct perf_event *large, *one, *waits;

	w->pmu->fake.nr_counters = 4;
	one = world_group(w, WORLD_CPU, 1, &fits[2]);
	large = world_group(w, WORLD_CPU, 2, &plain);
	world_group(w, WORLD_CPU, 1, &fits[2]);
	world_group(w, WORLD_CPU, 1, &fits[1]);
	world_group(w, 1, 1, &fits[3]);
	waits = world_group(w, 1, 1, &fits[0]);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->used[PERF_SIDE_CPU], 3);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->used[PERF_SIDE_TASK], 1);
	set_ahead(one, 2);
	set_ahead(large, 1);
	w->pmu->cpc->lag = -(s64)WORLD_INTERVAL / 8;
	w->pmu->cpc->slice = WORLD_INTERVAL;
	w->pmu->cpc->slice_end = w->now;
	world_pass(w, 0);
	KUNIT_EXPECT_LT(test, one->oncpu, 0);
	KUNIT_EXPECT_LT(test, large->oncpu, 0);
	KUNIT_EXPECT_GE(test, waits->oncpu, 0);
	KUNIT_EXPECT_LT(test, w->pmu->cpc->lag, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* Slices of equal length follow each other while that task, or none, is there. */
static void expect_equal_slices(struct world *w, unsigned int task)
{
	world_switch(w, task);
	for (unsigned int i = 0; i < 100; i++) {
		world_pass(w, WORLD_INTERVAL);
		if (i)
			KUNIT_EXPECT_EQ(w->test, w->pmu->cpc->slice, WORLD_INTERVAL);
	}
}

/*
 * While two pmu_ctxs compete, slices differ in length. They do not while one is on the PMU, or the
 * other one has a pinned group only.
 */
static void sides_slices_differ(struct kunit *test)
{
	u64 shortest = U64_MAX, longest = 0, slice;
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 4);
	world_groups(w, 1, 4);
	world_group(w, 2, 1, &pinned);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, 10ULL * NSEC_PER_SEC);
	for (unsigned int i = 0; i < 100; i++) {
		world_pass(w, WORLD_INTERVAL);
		slice = w->pmu->cpc->slice;
		shortest = min(shortest, slice);
		longest = max(longest, slice);
	}
	KUNIT_EXPECT_GE(test, shortest, WORLD_INTERVAL / 2);
	KUNIT_EXPECT_LT(test, shortest, WORLD_INTERVAL * 5 / 8);
	KUNIT_EXPECT_GT(test, longest, WORLD_INTERVAL * 7 / 8);
	KUNIT_EXPECT_LE(test, longest, WORLD_INTERVAL);
	expect_equal_slices(w, WORLD_NO_TASK);
	expect_equal_slices(w, 2);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_running, 2);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* If no side is behind, each of them has the odd counter after about half of the rotations. */
static void sides_have_turns(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_cpu_pmu_context *cpc;
	unsigned int of_task = 0;

	w->pmu->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 3);
	world_groups(w, 1, 3);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	cpc = w->pmu->cpc;
	for (unsigned int i = 0; i < 100; i++) {
		cpc->lag = 0;
		cpc->slice_end = w->now;
		world_pass(w, 0);
		of_task += cpc->used[PERF_SIDE_TASK] == 2;
	}
	KUNIT_EXPECT_GE(test, of_task, 25);
	KUNIT_EXPECT_LE(test, of_task, 75);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A side that a group leaves is behind by half a slice, if it was behind by more. */
static void sides_behind_after_toggle(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_cpu_pmu_context *cpc;
	s64 most;

	w->pmu->fake.nr_counters = 2;
	world_groups(w, WORLD_CPU, 4);
	world_groups(w, 1, 4);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, NSEC_PER_SEC);
	cpc = w->pmu->cpc;
	most = cpc->slice / 2;
	cpc->lag = 2 * most;
	world_disable(w, w->leaders[0]);
	KUNIT_EXPECT_EQ(test, cpc->lag, most);
	cpc->lag = -2 * most;
	world_disable(w, w->leaders[4]);
	KUNIT_EXPECT_EQ(test, cpc->lag, -most);
	world_switch(w, WORLD_NO_TASK);
	w->pmu->pmu_ctx[1].lag = -2 * (s64)WORLD_INTERVAL;
	world_disable(w, w->leaders[5]);
	KUNIT_EXPECT_EQ(test, w->pmu->pmu_ctx[1].lag, -(s64)WORLD_INTERVAL / 2);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * A task is on for a moment, and its events fit on one counter only, which the CPU uses when the
 * task comes. The CPU does not take the counter back in the same rotation.
 */
static void sides_confined_of_brief_task(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 1, &first);
	world_group(w, WORLD_CPU, 1, &first);
	world_groups(w, WORLD_CPU, 1);
	world_group(w, WORLD_CGROUP, 1, &first);
	world_groups(w, WORLD_CGROUP, 2);
	for (unsigned int i = 0; i < 4; i++)
		world_group(w, 1, 1, &first);
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 400; i++) {
		world_switch_to(w, 1, true);
		world_pass(w, NSEC_PER_MSEC / 2);
		world_switch_to(w, WORLD_NO_TASK, false);
		world_pass(w, 7 * NSEC_PER_MSEC);
	}
	world_check(w);
	world_unlock(w);
	/* of 200 ms */
	KUNIT_EXPECT_GE(test, world_ran_together(w, 6, 10), 50);
	world_expect_sound(w);
}

static struct kunit_case sides_change_cases[] = {
	KUNIT_CASE(sides_toggled_task),
	KUNIT_CASE(sides_toggled_with_pause),
	KUNIT_CASE(sides_sleeping_task),
	KUNIT_CASE(sides_new_tasks),
	KUNIT_CASE(sides_new_tasks_beside_another),
	KUNIT_CASE(sides_catch_up_alone),
	KUNIT_CASE(sides_catch_up_satisfied),
	KUNIT_CASE(sides_offline),
	KUNIT_CASE(sides_without_cpu),
	KUNIT_CASE(sides_brief_cgroup),
	KUNIT_CASE(sides_one_rotation_a_switch),
	KUNIT_CASE(sides_after_exclusive),
	KUNIT_CASE(sides_restarted_beside_same_counter),
	KUNIT_CASE(sides_switches_end_few_slices),
	KUNIT_CASE(sides_evicted_in_vain),
	KUNIT_CASE(sides_filled_at_the_end),
	KUNIT_CASE(sides_slices_differ),
	KUNIT_CASE(sides_have_turns),
	KUNIT_CASE(sides_behind_after_toggle),
	KUNIT_CASE(sides_confined_of_brief_task),
	{}
};

static struct kunit_suite sides_change_suite = {
	.name		= "perf_sched_sides_change",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= sides_change_cases,
};

kunit_test_suite(sides_change_suite);
