// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the CPU and the running task share a PMU in halves, whatever the number of their groups.
 */
#include "../sched/cpu_pmu.h"
#include "sched_world.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr exclusive = { .exclusive = 1 };
static const struct perf_event_attr first = { .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) };

static void let_all_share(struct world *w, u64 ms)
{
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_share_for(w, ms);
	world_unlock(w);
}

/* A task with many groups takes no more than half of the counters from the CPU's groups. */
static void sides_many_of_task(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 4);
	world_groups(w, 1, 100);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 4, 950, 1050);
	KUNIT_EXPECT_GE(test, world_ran_together(w, 4, 104), 3900);
	world_expect_sound(w);
}

static void sides_many_of_cpu(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 100);
	world_groups(w, 1, 4);
	let_all_share(w, 2000);
	world_expect_ran(w, 100, 104, 950, 1050);
	KUNIT_EXPECT_GE(test, world_ran_together(w, 0, 100), 3900);
	world_expect_sound(w);
}

/* A side that needs less than half of the counters has them, and the other one has the rest. */
static void sides_need_little(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 1);
	world_groups(w, 1, 9);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 1, 1980, 2000);
	world_expect_ran(w, 1, 10, 630, 700);
	world_expect_sound(w);
}

/* An odd counter is had in turns. */
static void sides_odd_counter(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_groups(w, WORLD_CPU, 3);
	world_groups(w, 1, 9);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 3, 960, 1040);
	world_expect_ran(w, 3, 12, 310, 360);
	world_expect_sound(w);
}

/* Groups that need all counters have them in turns. */
static void sides_large_groups(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	for (unsigned int i = 0; i < 4; i++)
		world_group(w, 1, 4, &plain);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 1, 950, 1050);
	world_expect_ran(w, 1, 5, 220, 280);
	world_expect_sound(w);
}

/* So do a group that needs all counters and one that needs one, or two such. */
static void sides_large_beside_one(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 2);
	world_group(w, 1, 4, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable(w, w->leaders[0]);
	world_enable(w, w->leaders[2]);
	world_share_for(w, 2000);
	world_unlock(w);
	world_expect_ran(w, 0, 1, 900, 1100);
	world_expect_ran(w, 2, 3, 900, 1100);
	world_lock(w);
	world_switch(w, 1);
	world_enable(w, w->leaders[1]);
	world_share_for(w, 2000);
	world_unlock(w);
	world_expect_ran(w, 0, 3, 900, 1100);
	world_expect_sound(w);
}

/* A group that needs all counters has its turn among small ones of both sides. */
static void sides_large_among_small(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 4, &plain);
	world_groups(w, WORLD_CPU, 4);
	world_groups(w, 1, 8);
	world_group(w, 1, 4, &plain);
	let_all_share(w, 4000);
	/* each side: x for the large one, and x for the small ones, of which two count at a time */
	world_expect_ran(w, 0, 5, 400, 1400);
	world_expect_ran(w, 5, 14, 300, 1000);
	world_expect_sound(w);
}

/* Groups that never fit are found unfit, and cost neither side a thing. */
static void sides_misfits(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	for (unsigned int i = 0; i < 6; i++) {
		world_group(w, WORLD_CPU, 5, &plain);
		world_group(w, 1, 5, &plain);
	}
	world_groups(w, WORLD_CPU, 4);
	world_groups(w, 1, 8);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 12, 0, 0);
	world_expect_ran(w, 12, 16, 900, 1050);
	world_expect_ran(w, 16, 24, 450, 530);
	world_expect_sound(w);
}

/* A group that never fits is unfit soon, and not tried in each slice, beside the other side. */
static void sides_misfit_alone(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, 1, 5, &plain);
	world_groups(w, WORLD_CPU, 3);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_waiting, 0);
	KUNIT_EXPECT_GT(test, w->pmu->cpc->retry_wait, 8 * WORLD_INTERVAL);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A large group is charged for all counters in use, not for their number. */
static void sides_large_beside_small(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, WORLD_CPU, 3, &plain);
	world_groups(w, 1, 6);
	let_all_share(w, 3000);
	/* it uses 3 of 4 counters for two thirds of the time: half of them on average */
	world_expect_ran(w, 0, 1, 1850, 2150);
	KUNIT_EXPECT_GE(test, world_ran_together(w, 1, 7), 5500);
	world_expect_sound(w);
}

/* Two tasks run for one slice each. Neither of them always has the counter. */
static void sides_two_tasks(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 1;
	world_groups(w, WORLD_CPU, 1);
	world_groups(w, 1, 1);
	world_groups(w, 2, 1);
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_switch(w, 1 + i % 2);
		world_pass(w, WORLD_INTERVAL);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 0, 1, 900, 1100);
	world_expect_ran(w, 1, 3, 400, 600);
	world_expect_sound(w);
}

/* A task that runs too briefly for a slice at a time has its half of that time. */
static void sides_brief_task(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 40);
	world_groups(w, 1, 4);
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	for (unsigned int i = 0; i < 1000; i++) {
		world_switch(w, 1);
		world_pass(w, NSEC_PER_MSEC);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, NSEC_PER_MSEC);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 40, 44, 450, 650);
	world_expect_sound(w);
}

/* What the CPU did not need is no credit once it needs more. */
static void sides_no_credit(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_groups(w, WORLD_CPU, 1);
	world_groups(w, 1, 8);
	world_groups(w, WORLD_CPU, 7);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 9; i++)
		world_enable(w, w->leaders[i]);
	world_pass(w, 10ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->lag, 0);
	world_enable_all(w);
	world_share_for(w, 1000);
	world_unlock(w);
	world_expect_ran(w, 1, 9, 230, 270);
	world_expect_sound(w);
}

/* Let task 1 come and go. */
static void share_now_and_then(struct world *w, u64 on_ns, u64 off_ns, unsigned int times)
{
	world_lock(w);
	world_enable_all(w);
	world_since_now(w);
	while (times--) {
		world_switch(w, 1);
		world_pass(w, on_ns);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, off_ns);
	}
	world_check(w);
	world_unlock(w);
}

/* A group that does not fit beside the task need not wait for a slice when the task has left. */
static void sides_large_without_task(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 2;
	world_group(w, WORLD_CPU, 2, &plain);
	world_groups(w, WORLD_CPU, 2);
	world_groups(w, 1, 1);
	share_now_and_then(w, 3 * NSEC_PER_MSEC / 2, NSEC_PER_MSEC, 400);
	world_expect_ran(w, 0, 1, 250, 450);
	world_expect_ran(w, 1, 3, 250, 450);
	world_expect_sound(w);
}

/* The CPU is behind for the time for which its group waited, though it waits no more. */
static void sides_large_beside_brief_task(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_group(w, WORLD_CPU, 2, &plain);
	world_groups(w, 1, 1);
	world_group(w, 1, 2, &plain);
	world_group(w, 1, 2, &plain);
	share_now_and_then(w, 3 * NSEC_PER_MSEC / 2, NSEC_PER_MSEC / 2, 500);
	/* 250 ms without the task, and 3/4 of 750 ms, in which it uses 2/3 of the counters */
	world_expect_ran(w, 0, 1, 700, 900);
	world_expect_sound(w);
}

/* What a group leaves that was evicted for a smaller one of the other side is used at once. */
static void sides_use_what_is_left(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int idle = 0;

	w->pmu->fake.nr_counters = 2;
	world_group(w, WORLD_CPU, 2, &plain);
	world_groups(w, WORLD_CPU, 1);
	/* while these are tried, the CPU seems to be behind */
	for (unsigned int i = 0; i < 4; i++)
		world_group(w, 1, 3, &plain);
	world_groups(w, 1, 1);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 500; i++) {
		world_switch(w, 1);
		world_pass(w, 7 * NSEC_PER_MSEC / 2);
		idle += hweight_long(w->pmu->here->used) < 2;
		world_disable(w, w->leaders[6]);
		world_enable(w, w->leaders[6]);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, 5 * NSEC_PER_MSEC / 2);
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, idle, 0);
	world_expect_sound(w);
}

/* Two groups that need the same counter: their side is not behind for ever. */
static void expect_sides_same_counter(struct kunit *test, unsigned int these, unsigned int others)
{
	struct world *w = test->priv;
	unsigned int misfits;

	w->pmu->fake.nr_counters = 4;
	world_group(w, these, 1, &first);
	world_group(w, these, 1, &first);
	world_group(w, others, 4, &plain);
	world_groups(w, others, 6);
	misfits = w->nr_groups;
	for (unsigned int i = 0; i < 4; i++)
		world_group(w, others, 5, &plain);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < misfits; i++)
		world_enable(w, w->leaders[i]);
	world_share_for(w, 2000);
	world_unlock(w);
	world_expect_ran(w, 0, 2, 400, 1600);
	world_expect_ran(w, 2, 9, 300, 2000);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_share_for(w, 2000);
	world_unlock(w);
	world_expect_ran(w, 0, 2, 400, 1600);
	world_expect_ran(w, 2, 9, 300, 2000);
	world_expect_sound(w);
}

static void sides_same_counter_of_task(struct kunit *test)
{
	expect_sides_same_counter(test, 1, WORLD_CPU);
}

static void sides_same_counter_of_cpu(struct kunit *test)
{
	expect_sides_same_counter(test, WORLD_CPU, 1);
}

/* Nor if misfits of both sides clear the PMU first, and an event is toggled. */
static void sides_same_counter_beside_misfits(struct kunit *test)
{
	static const struct perf_event_attr last = { .config = FAKE_CONFIG(FAKE_POKE, BIT(2)) };
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 3;
	world_group(w, WORLD_CPU, 1, &last);
	world_group(w, WORLD_CPU, 1, &last);
	world_group(w, 1, 3, &plain);
	world_group(w, 1, 1, &last);
	world_group(w, 1, 2, &plain);
	world_group(w, 1, 3, &plain);
	for (unsigned int i = 0; i < 6; i++)
		world_group(w, i % 2, 4, &plain);
	world_groups(w, 1, 1);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (unsigned int i = 0; i < 1000; i++) {
		world_switch(w, 1);
		world_pass(w, 3 * NSEC_PER_MSEC / 2);
		world_disable(w, w->leaders[w->nr_groups - 1]);
		world_enable(w, w->leaders[w->nr_groups - 1]);
	}
	world_check(w);
	world_unlock(w);
	world_expect_ran(w, 2, 6, 60, 500);
	world_expect_sound(w);
}

/* The other side has the counter that a group needs. What else was evicted was not in vain. */
static void sides_same_counter_of_both(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 6;
	world_group(w, WORLD_CPU, 1, &first);
	world_groups(w, WORLD_CPU, 2);
	world_group(w, 1, 1, &first);
	world_group(w, 1, 1, &first);
	world_groups(w, 1, 2);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 1, 600, 1400);
	world_expect_ran(w, 3, 5, 300, 700);
	world_expect_sound(w);
}

/*
 * An exclusive group needs all counters, whatever their number. Each side has half of what is in
 * use: the exclusive group for x, with all counters, and the other group of its side for x beside
 * it, with one of four. These are x, and half of x less than the other side has, which has the rest
 * of the time: of 2,000 ms x is 800. In the other 1,200 ms eight groups share 4,000 ms of counters.
 */
static void expect_sides_exclusive(struct kunit *test, unsigned int these, unsigned int others)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	world_group(w, these, 1, &exclusive);
	world_groups(w, these, 1);
	world_groups(w, others, 8);
	let_all_share(w, 2000);
	world_expect_ran(w, 0, 2, 740, 860);
	world_expect_ran(w, 2, 10, 470, 530);
	world_expect_sound(w);
}

static void sides_exclusive_of_cpu(struct kunit *test)
{
	expect_sides_exclusive(test, WORLD_CPU, 1);
}

static void sides_exclusive_of_task(struct kunit *test)
{
	expect_sides_exclusive(test, 1, WORLD_CPU);
}

static struct kunit_case sides_cases[] = {
	KUNIT_CASE(sides_many_of_task),
	KUNIT_CASE(sides_many_of_cpu),
	KUNIT_CASE(sides_need_little),
	KUNIT_CASE(sides_odd_counter),
	KUNIT_CASE(sides_large_groups),
	KUNIT_CASE(sides_large_beside_one),
	KUNIT_CASE(sides_large_beside_small),
	KUNIT_CASE(sides_large_among_small),
	KUNIT_CASE(sides_misfits),
	KUNIT_CASE(sides_misfit_alone),
	KUNIT_CASE(sides_two_tasks),
	KUNIT_CASE(sides_brief_task),
	KUNIT_CASE(sides_no_credit),
	KUNIT_CASE(sides_large_without_task),
	KUNIT_CASE(sides_large_beside_brief_task),
	KUNIT_CASE(sides_use_what_is_left),
	KUNIT_CASE(sides_same_counter_of_task),
	KUNIT_CASE(sides_same_counter_of_cpu),
	KUNIT_CASE(sides_same_counter_beside_misfits),
	KUNIT_CASE(sides_same_counter_of_both),
	KUNIT_CASE(sides_exclusive_of_cpu),
	KUNIT_CASE(sides_exclusive_of_task),
	{}
};

static struct kunit_suite sides_suite = {
	.name		= "perf_sched_sides",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= sides_cases,
};

kunit_test_suite(sides_suite);
