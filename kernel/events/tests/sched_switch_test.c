// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: groups at context switches and rotations: batches, cgroups, new groups, and groups
 * that the driver refuses for reasons unknown to the core.
 */
#include "../base/event.h"
#include "../context/group_list.h"
#include "../context/state.h"
#include "../sched/rotate.h"
#include "sched_world.h"
#include "test_cpu.h"

static const struct perf_event_attr plain;
static const struct perf_event_attr pinned = { .pinned = 1 };
static const struct perf_event_attr first = { .config = FAKE_CONFIG(FAKE_POKE, BIT(0)) };

static void there_and_back(struct world *w, unsigned int times)
{
	while (times--) {
		world_switch(w, WORLD_NO_TASK);
		world_check(w);
		world_pass(w, NSEC_PER_USEC);
		world_switch(w, 1);
		world_check(w);
		world_poke(w, 1000);
	}
}

/* Scheduling a plan out takes one call of the driver, scheduling it in another one. */
static void sched_batches(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;

	world_group(w, 1, 3, &plain);
	world_groups(w, 1, 20);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	there_and_back(w, 1);
	world_work(w);
	there_and_back(w, 10);
	work = world_work(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, work.batches, 20);
	KUNIT_EXPECT_EQ(test, work.adds, 70);
	KUNIT_EXPECT_EQ(test, work.dels, 70);
	KUNIT_EXPECT_EQ(test, work.misfits, 0);
	for (unsigned int i = 0; i < w->nr_groups; i++)
		KUNIT_EXPECT_EQ(test, world_count(w->leaders[i]),
				world_expected(w->leaders[i]));
	world_expect_sound(w);
}

/* If a plan does not fit any more, as many of its groups as fit are scheduled in. */
static void sched_batch_does_not_fit(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *taker;
	unsigned int on = 0;

	world_groups(w, 1, 7);
	taker = world_group(w, WORLD_CPU, 3, &pinned);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 7; i++)
		world_enable(w, w->leaders[i]);
	world_switch(w, WORLD_NO_TASK);
	world_enable(w, taker);
	world_work(w);
	world_switch(w, 1);
	KUNIT_EXPECT_EQ(test, world_work(w).batches, 0);
	world_check(w);
	for (unsigned int i = 0; i < 7; i++)
		on += w->leaders[i]->oncpu >= 0;
	KUNIT_EXPECT_EQ(test, on, 4);
	world_poke(w, 77);
	world_disable(w, taker);
	/* the whole plan fits again, so all groups are scheduled in */
	there_and_back(w, 1);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_scheduled, 7);
	KUNIT_EXPECT_EQ(test, world_work(w).batches, 2);
	world_unlock(w);
	for (unsigned int i = 0; i < 7; i++)
		KUNIT_EXPECT_EQ(test, world_count(w->leaders[i]),
				world_expected(w->leaders[i]));
	world_expect_sound(w);
}

/* A driver may have only one of add_batch() and del_batch(). */
static void sched_batch_of_either(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *leader = world_group(w, 1, 3, &plain), *event;
	typeof(w->pmu->fake.pmu.add_batch) add_batch = w->pmu->fake.pmu.add_batch;

	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	w->pmu->fake.pmu.add_batch = NULL;
	there_and_back(w, 3);
	KUNIT_EXPECT_EQ(test, world_work(w).batches, 3);
	w->pmu->fake.pmu.add_batch = add_batch;
	w->pmu->fake.pmu.del_batch = NULL;
	there_and_back(w, 3);
	KUNIT_EXPECT_EQ(test, world_work(w).batches, 3);
	world_unlock(w);
	perf_group_for_each(event, leader)
		KUNIT_EXPECT_EQ(test, world_count(event), 6000);
	world_expect_sound(w);
}

/* An unfit group is retried now and then, since the core cannot know when it fits. */
static void sched_refused_is_retried(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *refused = world_group(w, 1, 9, &plain);
	struct world_work early, late;

	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(8));
	early = world_work(w);
	world_pass(w, ROTATIONS(1000));
	late = world_work(w);
	KUNIT_EXPECT_LT(test, refused->oncpu, 0);
	/* now the group fits */
	w->pmu->fake.nr_counters = 9;
	world_pass(w, ROTATIONS(65));
	KUNIT_EXPECT_GE(test, refused->oncpu, 0);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_GE(test, early.misfits, 4);
	KUNIT_EXPECT_LE(test, late.misfits, 1000 / 64 + 4);
	world_expect_sound(w);
}

/* A refused group is retried after a while, also if its task is scheduled in and out. */
static void sched_refused_is_retried_at_switch(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *refused = world_group(w, 1, 9, &plain);

	world_lock(w);
	world_enable_all(w);
	there_and_back(w, 1);
	w->pmu->fake.nr_counters = 9;
	there_and_back(w, 3);
	KUNIT_EXPECT_LT(test, refused->oncpu, 0);
	world_switch(w, WORLD_NO_TASK);
	world_pass(w, ROTATIONS(2));
	world_switch(w, 1);
	KUNIT_EXPECT_GE(test, refused->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* An unfit group is retried at a switch if it may have come to fit while its task was off. */
static void sched_set_aside_fits_when_it_comes(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *in_the_way = world_group(w, 1, 3, &pinned);
	struct perf_event *large = world_group(w, 1, 5, &plain);

	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(1));
	KUNIT_EXPECT_FALSE(test, list_empty(&w->pmu->pmu_ctx[1].unfit));
	world_switch(w, WORLD_NO_TASK);
	world_switch(w, 1);
	KUNIT_EXPECT_FALSE(test, list_empty(&w->pmu->pmu_ctx[1].unfit));
	world_switch(w, WORLD_NO_TASK);
	world_disable(w, in_the_way);
	world_switch(w, 1);
	KUNIT_EXPECT_GE(test, large->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * When nothing has counters, unfit groups join the waiting groups one at a time, so the group
 * with the lowest vruntime may come last. It finds free counters, and evicts no other group.
 */
static void sched_unfit_evict_none(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *had_time = world_group(w, 1, 3, &plain);
	struct perf_event *in_the_way = world_group(w, 1, 1, &pinned);
	struct perf_event *first = world_group(w, 1, 3, &plain);
	struct perf_event *second = world_group(w, 1, 3, &plain);
	int i;

	world_lock(w);
	world_switch(w, 1);
	world_enable(w, had_time);
	world_pass(w, ROTATIONS(20));
	world_switch(w, WORLD_NO_TASK);
	w->pmu->fake.nr_counters = 2;
	world_switch(w, 1);
	world_enable(w, in_the_way);
	world_enable(w, first);
	world_enable(w, second);
	world_pass(w, ROTATIONS(1));
	world_disable(w, in_the_way);
	w->pmu->fake.nr_counters = 9;
	for (i = 0; i < 65 && first->oncpu < 0; i++)
		world_pass(w, ROTATIONS(1));
	KUNIT_EXPECT_GE(test, first->oncpu, 0);
	KUNIT_EXPECT_GE(test, second->oncpu, 0);
	KUNIT_EXPECT_GE(test, had_time->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * An unfit group is also retried if the task runs on another CPU first, where only some of the
 * unfit groups are tried, and then returns.
 */
static void sched_set_aside_fits_when_it_is_back(struct kunit *test)
{
	unsigned int here = raw_smp_processor_id();
	unsigned int there = cpumask_any_but(cpu_online_mask, here);
	struct world *w = test->priv;
	struct perf_event *in_the_way, *large;
	bool was_on;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	test_bind(test, here);
	in_the_way = world_group(w, 1, 3, &pinned);
	for (unsigned int i = 0; i < 6; i++)
		world_group(w, 1, 8, &plain);
	large = world_group(w, 1, 5, &plain);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(2));
	world_switch(w, WORLD_NO_TASK);
	world_disable(w, in_the_way);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&w->pmu->pmu_ctx[1].unfit), 7);
	world_unlock(w);

	test_bind(test, there);
	world_lock(w);
	world_switch(w, 1);
	was_on = large->oncpu >= 0;
	world_unlock(w);

	test_bind(test, here);
	world_lock(w);
	world_switch(w, 1);
	KUNIT_EXPECT_FALSE(test, was_on);
	KUNIT_EXPECT_GE(test, large->oncpu, 0);
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/* Groups of a cgroup, of the CPU and of a task share the counters fairly. */
static void sched_cgroup_shares(struct kunit *test)
{
	struct world *w = test->priv;

	world_groups(w, WORLD_CGROUP, 6);
	world_groups(w, WORLD_CPU, 6);
	world_groups(w, 1, 6);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 2000; i++) {
		world_switch(w, i % 2);
		world_cgroup(w, i % 4 < 2);
		world_check(w);
		world_pass(w, 300 * NSEC_PER_USEC);
		world_check(w);
		world_poke(w, 100);
	}
	world_unlock(w);
	for (unsigned int from = 0; from < 18; from += 6)
		KUNIT_EXPECT_LE(test, world_spread(w, from, from + 6), 1050);
	for (unsigned int i = 0; i < 18; i++)
		KUNIT_EXPECT_EQ(test, world_count(w->leaders[i]),
				world_expected(w->leaders[i]));
	/* 300 ms of cgroup time; at worst 7 counters are shared by 18 groups */
	KUNIT_EXPECT_GE(test, world_running(w, w->leaders[0]),
			300 * NSEC_PER_MSEC * 7 / 18 * 9 / 10);
	world_expect_sound(w);
}

/* Pinned groups of a cgroup are groups of the CPU: they evict pinned groups of a task. */
static void sched_cgroup_pinned(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *of_cgroup = world_group(w, WORLD_CGROUP, 4, &pinned);
	struct perf_event *of_task = world_group(w, 1, 4, &pinned);

	world_groups(w, 1, 3);
	world_lock(w);
	world_enable_all(w);
	world_switch(w, 1);
	world_check(w);
	KUNIT_EXPECT_GE(test, of_task->oncpu, 0);
	KUNIT_EXPECT_LT(test, of_cgroup->oncpu, 0);
	world_cgroup(w, true);
	world_check(w);
	KUNIT_EXPECT_GE(test, of_cgroup->oncpu, 0);
	KUNIT_EXPECT_EQ(test, of_task->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, w->pmu->cpc->nr_scheduled, 4);
	world_cgroup(w, false);
	world_check(w);
	KUNIT_EXPECT_LT(test, of_cgroup->oncpu, 0);
	KUNIT_EXPECT_EQ(test, of_cgroup->state, PERF_EVENT_STATE_ACTIVE);
	world_unlock(w);
	world_expect_sound(w);
}

static void next_turn(struct world *w)
{
	w->pmu->nr_rotations = 0;
	while (!w->pmu->nr_rotations)
		world_pass(w, 10 * NSEC_PER_USEC);
}

/* Lock the world, switch to the first task, and enable all groups. */
static void start(struct world *w)
{
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
}

static struct world_work one_turn(struct world *w)
{
	next_turn(w);
	world_work(w);
	next_turn(w);
	world_check(w);
	return world_work(w);
}

/*
 * A rotation removes and adds groups with one call each. After that one group is tried, for which
 * there is no room here. Before it, that is known of the last rotation.
 */
static void sched_turn_exchanges(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work at_once, singly;

	world_groups(w, 1, 35);
	start(w);
	at_once = one_turn(w);
	w->pmu->fake.pmu.add_batch = NULL;
	w->pmu->fake.pmu.del_batch = NULL;
	singly = one_turn(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, at_once.batches, 2);
	KUNIT_EXPECT_EQ(test, at_once.adds, 7);
	KUNIT_EXPECT_EQ(test, at_once.dels, 7);
	KUNIT_EXPECT_EQ(test, at_once.misfits, 1);
	KUNIT_EXPECT_EQ(test, singly.batches, 0);
	KUNIT_EXPECT_EQ(test, singly.adds, 7);
	KUNIT_EXPECT_EQ(test, singly.dels, 7);
	KUNIT_EXPECT_EQ(test, singly.misfits, 1);
	world_expect_sound(w);
}

/* Of groups of three events two are scheduled in; a third one is tried on the spare counter. */
static void sched_turn_exchanges_groups(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;
	unsigned int running;

	for (unsigned int i = 0; i < 4; i++)
		world_group(w, 1, 3, &plain);
	start(w);
	work = one_turn(w);
	running = w->pmu->cpc->nr_running;
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, work.batches, 2);
	KUNIT_EXPECT_EQ(test, work.dels, 6 + 1);
	KUNIT_EXPECT_EQ(test, running, 2);
	world_expect_sound(w);
}

/* The pinned event of a watchdog does not compete, so a rotation beside it is one exchange. */
static void sched_turn_beside_pinned(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;

	world_groups(w, 1, 18);
	world_group(w, WORLD_CPU, 1, &pinned);
	start(w);
	work = one_turn(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, work.batches, 2);
	KUNIT_EXPECT_EQ(test, work.adds, 6);
	world_expect_sound(w);
}

/* Of three groups that need the same counter and are due at once, only one fits. */
static void sched_turn_does_not_fit(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int running, waiting, i;
	struct world_work work;

	world_groups(w, 1, 7);
	for (i = 0; i < 3; i++)
		world_group(w, 1, 1, &first);
	start(w);
	next_turn(w);
	world_check(w);
	work = world_work(w);
	running = w->pmu->cpc->nr_running;
	waiting = w->pmu->cpc->nr_waiting;
	for (i = 0; i < 8; i++)
		next_turn(w);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_GE(test, work.misfits, 2);
	KUNIT_EXPECT_EQ(test, running, 7);
	KUNIT_EXPECT_EQ(test, waiting, 3);
	for (i = 7; i < 10; i++)
		KUNIT_EXPECT_GT(test, world_running(w, w->leaders[i]), 0);
	world_expect_sound(w);
}

/* A group needs no counters for its disabled members. */
static void sched_turn_leaves_no_gap(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *leader, *event;
	unsigned int gaps = 0;

	leader = world_group(w, 1, 4, &plain);
	world_groups(w, 1, 7);
	start(w);
	list_for_each_entry(event, &leader->sibling_list, sibling_list)
		world_disable(w, event);
	for (unsigned int i = 0; i < 20; i++) {
		next_turn(w);
		gaps += hweight_long(w->pmu->here->used) < 7;
	}
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, gaps, 0);
	world_expect_sound(w);
}

static unsigned int nr_of_hidden(struct world *w, struct perf_event *leader,
				 struct perf_event *hidden)
{
	unsigned int looked_at = 0;

	world_enable(w, leader);
	for (int i = 0; i < 4; i++) {
		do {
			next_turn(w);
			looked_at += hidden->oncpu >= 0;
		} while (leader->oncpu < 0);
		looked_at += hidden->state != PERF_EVENT_STATE_INACTIVE;
		/* the state of a sibling that is scheduled in with its group */
		hidden->state = PERF_EVENT_STATE_ACTIVE;
		world_switch(w, WORLD_NO_TASK);
		world_switch(w, 1);
		looked_at += hidden->oncpu >= 0;
		looked_at += hidden->state != PERF_EVENT_STATE_ACTIVE;
		hidden->state = PERF_EVENT_STATE_INACTIVE;
	}
	world_disable(w, leader);
	return looked_at + w->pmu->here->nr_faults;
}

/*
 * Scheduling a group visits no sibling behind the first disabled one. The test moves an enabled
 * sibling there, which must not be touched.
 */
static void sched_looks_at_enabled_only(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *leader = world_group(w, 1, 4, &plain), *off, *hidden;
	unsigned int at_once, singly;

	world_groups(w, 1, 9);
	off = perf_group_next(leader, perf_group_next(leader, leader));
	hidden = perf_group_next(leader, off);
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 1; i < w->nr_groups; i++)
		world_enable(w, w->leaders[i]);
	world_disable(w, off);
	list_move_tail(&hidden->group_entry, &leader->sched_siblings);
	at_once = nr_of_hidden(w, leader, hidden);
	w->pmu->fake.pmu.add_batch = NULL;
	w->pmu->fake.pmu.del_batch = NULL;
	singly = nr_of_hidden(w, leader, hidden);
	perf_group_sort(hidden);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, at_once, 0);
	KUNIT_EXPECT_EQ(test, singly, 0);
	world_expect_sound(w);
}

/* Enabling and disabling siblings changes neither the order of reading nor other counts. */
static void sched_toggles_siblings(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *leader = world_group(w, 1, 6, &plain), *event;
	u64 expected[6] = {}, poked = 0;

	start(w);
	for (unsigned int bits = 0; bits < 32; bits++) {
		perf_group_for_each(event, leader) {
			if (event == leader)
				continue;
			if (bits & BIT(event->id))
				world_enable(w, event);
			else
				world_disable(w, event);
		}
		world_check(w);
		world_switch(w, WORLD_NO_TASK);
		world_check(w);
		world_switch(w, 1);
		world_check(w);
		KUNIT_EXPECT_EQ(test, hweight_long(w->pmu->here->used), 1 + hweight32(bits));
		world_poke(w, 1 + bits);
		poked += 1 + bits;
		for (unsigned int i = 1; i < 6; i++)
			expected[i] += bits & BIT(i - 1) ? 1 + bits : 0;
	}
	expected[0] = poked;
	world_unlock(w);
	perf_group_for_each(event, leader)
		KUNIT_EXPECT_EQ(test, world_count(event),
				expected[event == leader ? 0 : 1 + event->id]);
	world_expect_sound(w);
}

/*
 * An event that fits on any counter has the only counter that another event fits on. After one
 * rotation both have a counter.
 */
static void sched_turn_finds_room(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int before, after;

	world_group(w, 1, 1, &plain);
	world_group(w, 1, 1, &first);
	start(w);
	before = w->pmu->cpc->nr_waiting;
	for (unsigned int i = 0; i < 3; i++)
		next_turn(w);
	after = w->pmu->cpc->nr_waiting;
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, before, 1);
	KUNIT_EXPECT_EQ(test, after, 0);
	world_expect_sound(w);
}

/* A group too large to fit beside a pinned group does not starve other groups. */
static void sched_turn_passes_misfit(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *large;
	unsigned int i;

	world_group(w, 1, 2, &pinned);
	world_groups(w, 1, 10);
	large = world_group(w, 1, 6, &plain);
	start(w);
	for (i = 0; i < 20; i++)
		next_turn(w);
	world_check(w);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, world_running(w, large), 0);
	KUNIT_EXPECT_LE(test, world_spread(w, 1, 11), 1400);
	world_expect_sound(w);
}

/*
 * A group that joins a pmu_ctx where others wait gets no credit over them: the groups
 * that waited before are scheduled in first.
 */
static void sched_newcomer_waits_behind(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int first, waited = 0;
	struct perf_event *late;

	world_groups(w, 1, 22);
	late = w->leaders[21];
	world_lock(w);
	world_switch(w, 1);
	for (unsigned int i = 0; i < 21; i++)
		world_enable(w, w->leaders[i]);
	/* in the second slice, seven of the 21 groups have never been scheduled in */
	world_pass(w, 1);
	next_turn(w);
	world_enable(w, late);
	first = late->oncpu >= 0;
	next_turn(w);
	for (unsigned int i = 0; i < 21; i++)
		waited += !world_running(w, w->leaders[i]) && w->leaders[i]->oncpu < 0;
	world_check(w);
	KUNIT_EXPECT_LT(test, late->oncpu, 0);
	world_unlock(w);
	KUNIT_EXPECT_EQ(test, first, 0);
	KUNIT_EXPECT_EQ(test, waited, 0);
	world_expect_sound(w);
}

/* Disabling and enabling a waiting group does not increase its share. */
static void sched_toggling_gains_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	struct perf_event *restless;

	world_groups(w, 1, 21);
	restless = w->leaders[0];
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	for (unsigned int i = 0; i < 2000; i++) {
		if (restless->oncpu < 0) {
			world_disable(w, restless);
			world_enable(w, restless);
		}
		world_pass(w, 97 * NSEC_PER_USEC);
	}
	world_check(w);
	KUNIT_EXPECT_LE(test, world_running(w, restless),
			world_running(w, w->leaders[1]) / 100 * 102);
	KUNIT_EXPECT_LE(test, world_spread(w, 1, 21), 1050);
	world_unlock(w);
	world_expect_sound(w);
}

/* A task comes back in the middle of its slice, after the timer has found that nothing waits. */
static void sched_slice_goes_on(struct kunit *test)
{
	struct world *w = test->priv;
	u64 rest;

	world_groups(w, 1, 8);
	world_lock(w);
	world_switch(w, 1);
	world_enable_all(w);
	world_pass(w, ROTATIONS(1000));
	world_pass(w, perf_rotate_rest(w->pmu->cpc, w->now));
	rest = perf_rotate_rest(w->pmu->cpc, w->now) / 4;
	world_pass(w, 3 * rest);
	world_switch(w, WORLD_NO_TASK);
	w->pmu->cpc->timer_on = false;
	world_pass(w, ROTATIONS(2));
	world_switch(w, 1);
	KUNIT_EXPECT_TRUE(test, w->pmu->cpc->timer_on);
	/* the time is simulated, and the timer is not */
	hrtimer_cancel(&w->pmu->cpc->timer);
	KUNIT_EXPECT_GE(test, perf_rotate_rest(w->pmu->cpc, w->now), rest);
	KUNIT_EXPECT_LE(test, perf_rotate_rest(w->pmu->cpc, w->now), rest + 3);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * Pinned events of a task take counters of a cgroup that was scheduled in before it. The cgroup
 * gets them back when it is scheduled in without the task.
 */
static void sched_plan_grows_again(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.nr_counters = 4;
	for (unsigned int i = 0; i < 3; i++)
		world_group(w, 1, 1, &pinned);
	world_groups(w, WORLD_CPU, 1);
	world_groups(w, WORLD_CGROUP, 2);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 100; i++) {
		world_switch_to(w, 1, true);
		world_pass(w, NSEC_PER_MSEC);
		world_switch_to(w, 2, false);
		world_pass(w, NSEC_PER_MSEC);
		world_switch_to(w, WORLD_NO_TASK, true);
		KUNIT_EXPECT_GE(test, w->leaders[4]->oncpu, 0);
		KUNIT_EXPECT_GE(test, w->leaders[5]->oncpu, 0);
		world_pass(w, NSEC_PER_MSEC);
	}
	world_check(w);
	world_unlock(w);
	world_expect_sound(w);
}

/*
 * In each switch a task leaves, and another one comes with its cgroup. Groups of the CPU that wait
 * get what both plans leave, and not what the task gets next.
 */
static void sched_waiting_after_plans(struct kunit *test)
{
	struct world *w = test->priv;
	struct world_work work;

	w->pmu->fake.nr_counters = 6;
	world_groups(w, WORLD_CPU, 8);
	world_groups(w, WORLD_CGROUP, 1);
	world_groups(w, 1, 3);
	world_groups(w, 2, 3);
	world_lock(w);
	world_enable_all(w);
	for (unsigned int i = 0; i < 1000; i++) {
		world_switch_to(w, 1, false);
		world_pass(w, NSEC_PER_MSEC / 20);
		world_switch_to(w, 2, true);
		world_pass(w, NSEC_PER_MSEC / 20);
		if (i == 499)
			world_work(w);
	}
	work = world_work(w);
	world_check(w);
	world_unlock(w);
	/* two tries in each switch, and rotations */
	KUNIT_EXPECT_LE(test, work.misfits, 3000);
	world_expect_sound(w);
}

static struct kunit_case sched_switch_cases[] = {
	KUNIT_CASE(sched_batches),
	KUNIT_CASE(sched_batch_does_not_fit),
	KUNIT_CASE(sched_batch_of_either),
	KUNIT_CASE(sched_slice_goes_on),
	KUNIT_CASE(sched_refused_is_retried),
	KUNIT_CASE(sched_refused_is_retried_at_switch),
	KUNIT_CASE(sched_set_aside_fits_when_it_comes),
	KUNIT_CASE(sched_unfit_evict_none),
	KUNIT_CASE(sched_set_aside_fits_when_it_is_back),
	KUNIT_CASE(sched_cgroup_shares),
	KUNIT_CASE(sched_cgroup_pinned),
	KUNIT_CASE(sched_turn_exchanges),
	KUNIT_CASE(sched_turn_exchanges_groups),
	KUNIT_CASE(sched_turn_beside_pinned),
	KUNIT_CASE(sched_turn_does_not_fit),
	KUNIT_CASE(sched_turn_leaves_no_gap),
	KUNIT_CASE(sched_looks_at_enabled_only),
	KUNIT_CASE(sched_toggles_siblings),
	KUNIT_CASE(sched_turn_finds_room),
	KUNIT_CASE(sched_turn_passes_misfit),
	KUNIT_CASE(sched_newcomer_waits_behind),
	KUNIT_CASE(sched_toggling_gains_nothing),
	KUNIT_CASE(sched_plan_grows_again),
	KUNIT_CASE(sched_waiting_after_plans),
	{}
};

static struct kunit_suite sched_switch_suite = {
	.name		= "perf_sched_switch",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= sched_switch_cases,
};

kunit_test_suite(sched_switch_suite);
