// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which groups get the counters, for how long, and at which cost.
 */
#include <linux/perf_event_test.h>

#include "sched_world.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr pinned = { .pinned = 1 };
static const struct perf_event_attr exclusive = { .exclusive = 1 };

static void expect_work(struct kunit *test, struct world_work work,
			unsigned int adds, unsigned int dels, unsigned int misfits)
{
	KUNIT_EXPECT_EQ(test, work.adds, adds);
	KUNIT_EXPECT_EQ(test, work.dels, dels);
	KUNIT_EXPECT_LE(test, work.misfits, misfits);
}

/* Let one task with enabled groups run for some time. */
static void run_alone(struct world *w, u64 ns)
{
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ns);
	world_check(w);
	world_unlock(w);
}

static void sched_equal_64(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, 1, 64);
	run_alone(w, ROTATIONS(60));
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 64), 1050);
	world_expect_sound(w);
}

static void sched_equal_2_percent(struct kunit *test)
{
	static const unsigned int more[] = { 1, 2, 7, 5, 10, 33 };
	struct world *w = test->priv;
	unsigned int i, from = 0;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		world_groups(w, 1, 7 + more[i]);
		world_lock(w);
		world_switch(w, 1);
		for (unsigned int j = from; j < w->nr_groups; j++)
			world_enable(w, w->leaders[j]);
		world_pass(w, ROTATIONS(50));
		world_check(w);
		for (unsigned int j = from; j < w->nr_groups; j++)
			world_disable(w, w->leaders[j]);
		world_unlock(w);
		KUNIT_EXPECT_LE_MSG(test, world_spread(w, from, w->nr_groups), 1020,
				    "%u groups on 7 counters", 7 + more[i]);
		from = w->nr_groups;
	}
	world_expect_sound(w);
}

static void sched_none_starves(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, 1, 256);
	run_alone(w, ROTATIONS(60));
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 256), 1100);
	world_expect_sound(w);
}

/* Groups of a task that never runs for a whole time slice get equal shares. */
static void sched_equal_in_short_slices(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int i;

	world_groups(w, 1, 24);
	world_groups(w, 2, 10);
	world_lock(w);
	world_enable_all(w);
	for (i = 0; i < 4000; i++) {
		world_switch(w, 1 + i % 2);
		world_pass(w, 90 * NSEC_PER_USEC);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, 17 * NSEC_PER_USEC);
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 24), 1020);
	KUNIT_EXPECT_LE(test, world_spread(w, 24, 34), 1020);
	world_expect_sound(w);
}

/* As many groups of the CPU and of the running task get equal shares. */
static void sched_equal_cpu_and_task(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, WORLD_CPU, 9);
	world_groups(w, 1, 9);
	run_alone(w, ROTATIONS(50));
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 18), 1020);
	world_expect_sound(w);
}

/* Neither the groups of the CPU nor the groups of a task that runs half the time are starved. */
static void sched_cpu_against_visitor(struct kunit *test)
{
	struct world *w = test->priv;
	u64 task, cpu;
	unsigned int i;

	world_groups(w, WORLD_CPU, 12);
	world_groups(w, 1, 12);
	world_lock(w);
	world_enable_all(w);
	for (i = 0; i < 500; i++) {
		world_switch(w, 1);
		world_pass(w, NSEC_PER_MSEC);
		world_switch(w, WORLD_NO_TASK);
		world_pass(w, NSEC_PER_MSEC);
	}
	world_check(w);
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 12), 1050);
	KUNIT_EXPECT_LE(test, world_spread(w, 12, 24), 1050);
	cpu = world_running(w, w->leaders[0]);
	task = world_running(w, w->leaders[12]);
	world_unlock(w);
	/* half a second each: 12 groups share 7 counters, or 24 groups do */
	KUNIT_EXPECT_GE(test, task, 500ULL * NSEC_PER_MSEC * 7 / 24 * 9 / 10);
	KUNIT_EXPECT_GE(test, cpu, 500ULL * NSEC_PER_MSEC * 7 / 12);
	world_expect_sound(w);
}

/*
 * The same if the task comes from another CPU each time, where it is alone. There it uses all
 * counters. Here it has neither credit nor debt for that, and the CPU is behind as it was beside
 * its last visit. @cpu and @task: the counters that each of them has during the visits, in percent.
 */
static void expect_visits(struct kunit *test, unsigned int size, u64 ns, u64 cpu, u64 task)
{
	unsigned int here = raw_smp_processor_id(), nr = 12 / size;
	unsigned int there = cpumask_any_but(cpu_online_mask, here);
	u64 beside, of_task = 0, of_cpu = 0;
	struct world *w = test->priv;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	test_bind(test, here);
	for (unsigned int i = 0; i < 2 * nr; i++)
		world_group(w, i / nr, size, &plain);
	world_lock(w);
	world_enable_all(w);
	for (beside = 0; beside < 400 * NSEC_PER_MSEC; beside += ns) {
		world_go(w, there, true);
		world_switch(w, 1);
		world_pass(w, ns);
		world_check(w);
		world_go(w, here, false);
		world_switch(w, 1);
		world_since_now(w);
		world_pass(w, ns);
		world_check(w);
		for (unsigned int i = 0; i < 2 * nr; i++)
			*(i < nr ? &of_cpu : &of_task) += world_running(w, w->leaders[i]) -
							  w->since[i];
	}
	KUNIT_EXPECT_LE(test, world_spread(w, 0, nr), 1050);
	KUNIT_EXPECT_LE(test, world_spread(w, nr, 2 * nr), 1050);
	world_unlock(w);
	of_cpu = div64_u64(of_cpu * size, beside / 100);
	of_task = div64_u64(of_task * size, beside / 100);
	KUNIT_EXPECT_GE(test, of_cpu, cpu - 20);
	KUNIT_EXPECT_LE(test, of_cpu, cpu + 20);
	KUNIT_EXPECT_GE(test, of_task, task - 20);
	KUNIT_EXPECT_LE(test, of_task, task + 20);
	world_expect_sound(w);
}

static void sched_visitor_from_another_cpu(struct kunit *test)
{
	/* at the end of a visit the task is behind, which is no credit in the next one */
	expect_visits(test, 1, NSEC_PER_MSEC, 400, 300);
}

static void sched_large_visitor_from_another_cpu(struct kunit *test)
{
	/* one of the two groups of each side has counters */
	expect_visits(test, 6, WORLD_INTERVAL * 5 / 8, 300, 300);
}

/* The cost of a context switch depends on the number of counters, not of groups. */
static void sched_switch_replays(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work first, again;
	unsigned int i;

	world_groups(w, 1, 200);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(3));
	world_work(w);
	world_switch(w, WORLD_NO_TASK);
	world_switch(w, 1);
	first = world_work(w);
	for (i = 0; i < 10; i++) {
		world_switch(w, WORLD_NO_TASK);
		world_switch(w, 1);
	}
	again = world_work(w);
	world_check(w);
	world_unlock(w);
	/* the first switch tries whether one of the new groups fits beside the plan */
	expect_work(test, first, 7, 7, 2);
	expect_work(test, again, 70, 70, 0);
	world_expect_sound(w);
}

/* Average number of calls of the PMU per rotation, during @ns. */
static struct world_work rotations(struct world *w, u64 ns)
{
	struct world_work work;

	world_work(w);
	w->pmu->nr_rotations = 0;
	world_pass(w, ns);
	work = world_work(w);
	work.adds = DIV_ROUND_CLOSEST(work.adds, w->pmu->nr_rotations);
	work.dels = DIV_ROUND_CLOSEST(work.dels, w->pmu->nr_rotations);
	work.misfits = DIV_ROUND_CLOSEST(work.misfits, w->pmu->nr_rotations);
	return work;
}

/* A rotation touches only groups that are scheduled in or out. */
static void sched_rotation_swaps(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work one, all;

	world_groups(w, 1, 8);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	one = rotations(w, ROTATIONS(20));
	world_unlock(w);

	world_groups(w, 1, 56);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(60));
	all = rotations(w, ROTATIONS(20));
	world_unlock(w);
	expect_work(test, one, 1, 1, 1);
	expect_work(test, all, 7, 7, 2);
	world_expect_sound(w);
}

/* Enabling or disabling a group touches only that group and a group that replaces it. */
static void sched_change_is_local(struct kunit *test)
{
	struct world_work waiting, running, back;
	struct world *w = test->priv;
	struct perf_event *on = NULL, *off = NULL;
	unsigned int i;

	world_groups(w, 1, 128);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (i = 0; i < 128; i++) {
		if (w->leaders[i]->oncpu >= 0)
			on = w->leaders[i];
		else
			off = w->leaders[i];
	}
	world_work(w);
	world_disable(w, off);
	waiting = world_work(w);
	world_disable(w, on);
	running = world_work(w);
	world_enable(w, on);
	back = world_work(w);
	world_check(w);
	world_unlock(w);
	expect_work(test, waiting, 0, 0, 0);
	expect_work(test, running, 1, 1, 2);
	expect_work(test, back, 0, 0, 1);
	world_expect_sound(w);
}

/* If all groups fit there are no rotations. */
static void sched_no_turns(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, 1, 7);
	run_alone(w, ROTATIONS(10));
	KUNIT_EXPECT_EQ(test, w->pmu->nr_rotations, 0);
	KUNIT_EXPECT_EQ(test, world_spread(w, 0, 7), 1000);
	KUNIT_EXPECT_EQ(test, world_running(w, w->leaders[0]), ROTATIONS(10));
	world_expect_sound(w);
}

/* A group that can never be scheduled in blocks no other, and is tried once it can be. */
static void sched_too_big(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *big;
	struct world_work work;
	unsigned int i;

	big = world_group(w, 1, 9, &plain);
	world_groups(w, 1, 14);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(50));
	world_check(w);
	world_switch(w, WORLD_NO_TASK);
	world_switch(w, 1);
	world_work(w);
	for (i = 0; i < 10; i++) {
		world_switch(w, WORLD_NO_TASK);
		world_switch(w, 1);
	}
	work = world_work(w);
	KUNIT_EXPECT_EQ(test, world_running(w, big), 0);
	KUNIT_EXPECT_LE(test, world_spread(w, 1, 15), 1020);

	w->pmu->fake.nr_counters = 9;
	world_disable(w, w->leaders[1]);
	world_pass(w, ROTATIONS(50));
	world_check(w);
	KUNIT_EXPECT_NE(test, world_running(w, big), 0);
	world_unlock(w);
	expect_work(test, work, 70, 70, 0);
	world_expect_sound(w);
}

/* A group that can never be scheduled in is retried less and less often. */
static void sched_too_big_is_hardly_retried(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;
	unsigned int waiting;

	world_group(w, 1, 9, &plain);
	world_groups(w, 1, 8);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(300));
	work = rotations(w, ROTATIONS(20));
	/* a group is scheduled in at once if all groups fit together */
	world_disable(w, w->leaders[1]);
	world_disable(w, w->leaders[2]);
	world_pass(w, ROTATIONS(3));
	waiting = w->pmu->cpc->nr_waiting;
	world_check(w);
	world_unlock(w);
	expect_work(test, work, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, waiting, 0);
	world_expect_sound(w);
}

/* Groups of different sizes get equal shares. */
static void sched_sizes(struct kunit *test)
{
	struct world *w = test->priv;

	world_group(w, 1, 5, &plain);
	world_group(w, 1, 4, &plain);
	world_group(w, 1, 3, &plain);
	world_groups(w, 1, 6);
	run_alone(w, ROTATIONS(100));
	/* a group that fits beside a big one may run more, but no group runs less */
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 3), 1050);
	KUNIT_EXPECT_LE(test, world_spread(w, 3, 9), 1300);
	world_expect_sound(w);
}

static void sched_pinned_first(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *of_cpu, *of_task;

	world_groups(w, WORLD_CPU, 20);
	world_groups(w, 1, 20);
	of_task = world_group(w, 1, 3, &pinned);
	of_cpu = world_group(w, WORLD_CPU, 2, &pinned);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 50; i++) {
		world_switch(w, i % 3);
		world_check(w);
		world_pass(w, NSEC_PER_MSEC);
		world_check(w);
	}
	world_switch(w, WORLD_NO_TASK);
	KUNIT_EXPECT_EQ(test, world_running(w, of_cpu), 50 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, world_running(w, of_task), 17 * NSEC_PER_MSEC);
	world_unlock(w);
	world_expect_sound(w);
}

/* The CPU's pinned events take precedence over a task's. One that does not fit is in error. */
static void sched_pinned_error(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *of_cpu, *of_task;
	enum perf_event_state lost, back;

	of_task = world_group(w, 1, 4, &pinned);
	of_cpu = world_group(w, WORLD_CPU, 4, &pinned);
	world_groups(w, 1, 3);
	world_lock(w);
	world_enable(w, of_cpu);
	world_enable(w, of_task);
	world_enable(w, w->leaders[2]);
	world_switch(w, 1);
	lost = of_task->state;
	KUNIT_EXPECT_EQ(test, of_cpu->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, w->leaders[2]->state, PERF_EVENT_STATE_ACTIVE);
	world_disable(w, of_cpu);
	/* only enabling the event takes it out of error */
	world_switch(w, WORLD_NO_TASK);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, of_task->state, lost);
	world_enable(w, of_task);
	back = of_task->state;
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, lost, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, back, PERF_EVENT_STATE_ACTIVE);
	world_expect_sound(w);
}

/* A task's pinned groups are evicted for the CPU's, if evicting other groups is not enough. */
static void sched_pinned_of_cpu(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *first = world_group(w, 1, 3, &pinned);
	struct perf_event *second = world_group(w, 1, 3, &pinned);
	struct perf_event *of_cpu = world_group(w, WORLD_CPU, 4, &pinned);

	world_groups(w, 1, 1);
	world_lock(w);
	world_switch(w, 1);
	world_enable(w, first);
	world_enable(w, second);
	world_enable(w, w->leaders[3]);
	world_enable(w, of_cpu);
	world_check(w);
	KUNIT_EXPECT_EQ(test, first->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, second->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, of_cpu->state, PERF_EVENT_STATE_ACTIVE);
	/* now @first is the only flexible or pinned group of its pmu_ctx that is scheduled in */
	world_disable(w, of_cpu);
	world_disable(w, w->leaders[3]);
	w->pmu->fake.nr_counters = 4;
	world_enable(w, of_cpu);
	world_check(w);
	KUNIT_EXPECT_EQ(test, first->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, of_cpu->state, PERF_EVENT_STATE_ACTIVE);
	world_unlock(w);
	world_expect_sound(w);
}

/* A group that does not fit beside a task's pinned group is scheduled in after the task. */
static void sched_fits_after_task(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *of_cpu, *of_task;

	of_cpu = world_group(w, WORLD_CPU, w->pmu->fake.nr_counters, &plain);
	of_task = world_group(w, 1, w->pmu->fake.nr_counters, &pinned);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_pass(w, ROTATIONS(3));
	world_check(w);
	KUNIT_EXPECT_GE(test, of_task->oncpu, 0);
	KUNIT_EXPECT_LT(test, of_cpu->oncpu, 0);
	world_switch(w, WORLD_NO_TASK);
	world_check(w);
	KUNIT_EXPECT_GE(test, of_cpu->oncpu, 0);
	world_unlock(w);
	world_expect_sound(w);
}

/* A group is scheduled in once a member of a pinned group is disabled and leaves a counter. */
static void sched_fits_when_smaller(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *large, *small;

	large = world_group(w, WORLD_CPU, w->pmu->fake.nr_counters, &pinned);
	small = world_group(w, WORLD_CPU, 1, &plain);
	world_lock(w);
	world_enable_all(w);
	world_pass(w, ROTATIONS(3));
	KUNIT_EXPECT_LT(test, small->oncpu, 0);
	world_disable(w, list_last_entry(&large->sibling_list, struct perf_event,
					 sibling_list));
	world_check(w);
	KUNIT_EXPECT_GE(test, small->oncpu, 0);
	world_unlock(w);
	world_expect_sound(w);
}

/* Counters of an evicted group that a pinned group does not need are used by other groups. */
static void sched_pinned_leaves_rest(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *needs;
	unsigned int on;

	world_group(w, 1, 6, &plain);
	world_groups(w, 1, 6);
	needs = world_group(w, 1, 2, &pinned);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	on = hweight_long(w->pmu->here->used);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, needs->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, on, 7);
	world_expect_sound(w);
}

static void sched_exclusive(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *alone;
	bool shared = false;
	unsigned int i;

	alone = world_group(w, 1, 1, &exclusive);
	world_groups(w, 1, 5);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (i = 0; i < 500; i++) {
		world_pass(w, 100 * NSEC_PER_USEC);
		if (alone->oncpu >= 0 && w->pmu->cpc->nr_scheduled != 1)
			shared = true;
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_FALSE(test, shared);
	/* alternates with all other groups, which fit together */
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 6), 1050);
	world_expect_sound(w);
}

/* A flexible exclusive group counts beside pinned groups, and alternates with the others. */
static void sched_exclusive_beside_pinned(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *alone;
	bool shared = false;
	unsigned int i;

	alone = world_group(w, 1, 1, &exclusive);
	world_groups(w, 1, 5);
	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, 1, 1, &pinned);
	world_lock(w);
	world_enable_all(w);
	for (i = 0; i < 500; i++) {
		world_switch(w, 1);
		world_pass(w, 100 * NSEC_PER_USEC);
		if (alone->oncpu >= 0 &&
		    (w->pmu->cpc->nr_scheduled != 3 || w->pmu->cpc->nr_running != 1))
			shared = true;
		if (i % 7)
			continue;
		world_switch(w, WORLD_NO_TASK);
		KUNIT_EXPECT_NULL(test, w->pmu->cpc->exclusive);
		world_pass(w, 100 * NSEC_PER_USEC);
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_FALSE(test, shared);
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 6), 1100);
	KUNIT_EXPECT_EQ(test, w->leaders[6]->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, w->leaders[7]->state, PERF_EVENT_STATE_ACTIVE);
	world_expect_sound(w);
}

/* A pinned group joins a flexible exclusive one, which keeps its counters. */
static void sched_pinned_beside_exclusive(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *alone, *joins;

	alone = world_group(w, WORLD_CPU, 1, &exclusive);
	joins = world_group(w, 1, 1, &pinned);
	world_groups(w, 1, 1);
	world_lock(w);
	world_enable_all(w);
	KUNIT_EXPECT_GE(test, alone->oncpu, 0);
	world_work(w);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, world_work(w).dels, 0);
	KUNIT_EXPECT_GE(test, alone->oncpu, 0);
	KUNIT_EXPECT_GE(test, joins->oncpu, 0);
	KUNIT_EXPECT_LT(test, w->leaders[2]->oncpu, 0);
	KUNIT_EXPECT_PTR_EQ(test, w->pmu->cpc->exclusive, alone);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* A pinned group of the CPU that cannot fit fails alone. */
static void sched_pinned_in_vain(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *in_vain;

	world_group(w, WORLD_CPU, 1, &pinned);
	world_group(w, 1, 1, &pinned);
	world_group(w, 1, 2, &pinned);
	world_groups(w, 1, 5);
	in_vain = world_group(w, WORLD_CPU, 7, &pinned);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 8; i++)
		world_enable(w, w->leaders[i]);
	world_enable(w, in_vain);
	world_check(w);
	KUNIT_EXPECT_EQ(test, in_vain->state, PERF_EVENT_STATE_ERROR);
	for (unsigned int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, w->leaders[i]->state, PERF_EVENT_STATE_ACTIVE);
		KUNIT_EXPECT_GE(test, w->leaders[i]->oncpu, 0);
	}
	KUNIT_EXPECT_EQ(test, hweight_long(w->pmu->here->used), 7);
	world_pass(w, ROTATIONS(2));
	world_switch(w, WORLD_NO_TASK);
	world_switch(w, 1);
	world_check(w);
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, w->leaders[i]->state, PERF_EVENT_STATE_ACTIVE);
	world_unlock(w);
	world_expect_sound(w);
}

/* A pinned exclusive group has the PMU for itself, whatever is added later. */
static void sched_exclusive_pinned(struct kunit *test)
{
	static const struct perf_event_attr attr = { .pinned = 1, .exclusive = 1 };
	struct world *w = test->priv;
	struct perf_event *alone = world_group(w, WORLD_CPU, 1, &attr);
	struct perf_event *late;

	world_groups(w, 1, 3);
	late = world_group(w, 1, 1, &pinned);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(5));
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_scheduled, 1);
	KUNIT_EXPECT_EQ(test, alone->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, late->state, PERF_EVENT_STATE_ERROR);
	world_check(w);
	world_disable(w, alone);
	world_check(w);
	world_pass(w, ROTATIONS(1));
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_scheduled, 3);
	world_unlock(w);
	world_expect_sound(w);
}

/* Events that fit on one counter only get equal shares of that counter. */
static void sched_constraints(struct kunit *test)
{
	static const struct perf_event_attr first = {
		.config = FAKE_CONFIG(FAKE_POKE, BIT(0))
	};
	struct world *w = test->priv;

	for (unsigned int i = 0; i < 3; i++)
		world_group(w, 1, 1, &first);
	world_groups(w, 1, 6);
	run_alone(w, ROTATIONS(100));
	KUNIT_EXPECT_LE(test, world_spread(w, 0, 3), 1020);
	KUNIT_EXPECT_NE(test, world_running(w, w->leaders[8]), 0);
	world_expect_sound(w);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(sched_equal_64),
	KUNIT_CASE(sched_equal_2_percent),
	KUNIT_CASE(sched_none_starves),
	KUNIT_CASE(sched_equal_in_short_slices),
	KUNIT_CASE(sched_equal_cpu_and_task),
	KUNIT_CASE(sched_cpu_against_visitor),
	KUNIT_CASE(sched_visitor_from_another_cpu),
	KUNIT_CASE(sched_large_visitor_from_another_cpu),
	KUNIT_CASE(sched_switch_replays),
	KUNIT_CASE(sched_rotation_swaps),
	KUNIT_CASE(sched_change_is_local),
	KUNIT_CASE(sched_no_turns),
	KUNIT_CASE(sched_too_big),
	KUNIT_CASE(sched_too_big_is_hardly_retried),
	KUNIT_CASE(sched_sizes),
	KUNIT_CASE(sched_pinned_first),
	KUNIT_CASE(sched_pinned_error),
	KUNIT_CASE(sched_pinned_of_cpu),
	KUNIT_CASE(sched_fits_after_task),
	KUNIT_CASE(sched_fits_when_smaller),
	KUNIT_CASE(sched_pinned_leaves_rest),
	KUNIT_CASE(sched_exclusive),
	KUNIT_CASE(sched_exclusive_beside_pinned),
	KUNIT_CASE(sched_pinned_beside_exclusive),
	KUNIT_CASE(sched_exclusive_pinned),
	KUNIT_CASE(sched_pinned_in_vain),
	KUNIT_CASE(sched_constraints),
	{}
};

static struct kunit_suite sched_suite = {
	.name		= "perf_sched",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= sched_cases,
};

kunit_test_suite(sched_suite);
