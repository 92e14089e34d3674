// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: rules of scheduling that hold at any time. Groups of all kinds are enabled and disabled,
 * tasks are switched, time passes and occurrences are generated, in a pseudo-random order. After
 * each step world_check() checks the rules.
 */
#include <linux/prandom.h>

#include "../base/event.h"
#include "sched_world.h"

#define STEPS		6000
#define GROUPS		40

static u32 draw(struct rnd_state *rnd, u32 below)
{
	return prandom_u32_state(rnd) % below;
}

static void make_groups(struct world *w, struct rnd_state *rnd)
{
	for (unsigned int i = 0; i < GROUPS; i++) {
		struct perf_event_attr attr = {
			.pinned		= !draw(rnd, 12),
			.exclusive	= !draw(rnd, 15),
		};
		struct world_pmu *pmu = &w->pmus[draw(rnd, w->nr_pmus - !!w->software)];
		struct perf_event *leader;

		if (!draw(rnd, 4))
			attr.config = FAKE_CONFIG(FAKE_POKE, BIT(draw(rnd, 6)) |
						  BIT(draw(rnd, 6)));
		if (!draw(rnd, 6))
			attr.config |= FAKE_CONFIG_SHARED(1 + draw(rnd, 2));
		leader = world_pmu_group(w, pmu, draw(rnd, WORLD_QUEUES), 1 + draw(rnd, 4), &attr);
		if (w->software && !draw(rnd, 3))
			world_join(w, leader);
	}
}

/*
 * Number of counters of the pinned groups that are scheduled in on a PMU.
 *
 * Return: false if one of these groups is exclusive.
 */
static bool pinned_counters(struct world *w, const struct world_pmu *pmu, unsigned int *counters)
{
	*counters = 0;
	for (unsigned int i = 0; i < w->nr_groups; i++) {
		struct perf_event *leader = w->leaders[i];

		if (!leader->attr.pinned || leader->oncpu < 0 || world_pmu_of(leader) != pmu)
			continue;
		if (leader->attr.exclusive)
			return false;
		*counters += world_group_size(leader);
	}
	return true;
}

/* Enable a group. A pinned group may be in error only if other pinned groups leave no room. */
static void random_enable(struct world *w, struct perf_event *leader)
{
	const struct world_pmu *pmu = world_pmu_of(leader);
	unsigned int others;

	world_enable(w, leader);
	if (leader->state != PERF_EVENT_STATE_ERROR || leader->attr.exclusive ||
	    leader->attr.config || !pinned_counters(w, pmu, &others))
		return;
	/* a software member may be refused */
	if (world_group_size(leader) != 1 + leader->nr_siblings)
		return;
	if (others + world_group_size(leader) <= pmu->fake.nr_counters)
		w->fault = "a pinned group is in error though there would be room";
}

/* Enable or disable a sibling, or do nothing. */
static void random_toggle(struct world *w, struct rnd_state *rnd, struct perf_event *leader)
{
	struct perf_event *event = leader;

	for (u32 n = draw(rnd, 1 + leader->nr_siblings); n; n--)
		event = perf_group_next(leader, event);
	if (event == leader)
		return;
	if (event->state == PERF_EVENT_STATE_OFF)
		world_enable(w, event);
	else
		world_disable(w, event);
}

static void random_step(struct world *w, struct rnd_state *rnd)
{
	struct perf_event *leader = w->leaders[draw(rnd, w->nr_groups)];

	switch (draw(rnd, 10)) {
	case 0:
		world_disable(w, leader);
		break;
	case 8:
		world_cgroup(w, draw(rnd, 2));
		break;
	case 9:
		random_toggle(w, rnd, leader);
		break;
	case 1:
	case 2:
		random_enable(w, leader);
		break;
	case 3:
	case 4:
		w->local = draw(rnd, 2);
		world_switch(w, draw(rnd, 1 + WORLD_TASKS));
		break;
	case 5:
		world_poke(w, draw(rnd, 3000));
		break;
	default:
		world_pass(w, draw(rnd, 3) ? draw(rnd, NSEC_PER_MSEC)
					   : draw(rnd, 10 * NSEC_PER_MSEC));
	}
}

static void random_counts(struct kunit *test, struct world *w)
{
	struct perf_event *event;

	for (unsigned int i = 0; i < w->nr_groups; i++) {
		perf_group_for_each(event, w->leaders[i])
			KUNIT_EXPECT_EQ(test, world_count(event), world_expected(event));
	}
}

static void random_run(struct kunit *test, u64 seed, unsigned int width)
{
	struct world *w = test->priv;
	struct rnd_state rnd;
	unsigned int step;

	prandom_seed_state(&rnd, seed);
	w->pmu->fake.width = width;
	w->pmu->fake.nr_counters = 2 + draw(&rnd, 7);
	make_groups(w, &rnd);
	world_lock(w);
	for (step = 0; step < STEPS && !w->fault; step++) {
		random_step(w, &rnd);
		world_check(w);
	}
	world_unlock(w);
	KUNIT_EXPECT_TRUE_MSG(test, !w->fault, "seed %llu, step %u: %s", seed, step,
			      w->fault);
	random_counts(test, w);
}

static void random_wide(struct kunit *test)
{
	random_run(test, 1, 48);
}

static void random_64_bits(struct kunit *test)
{
	random_run(test, 2, 64);
}

/* Counters of a few bits, which wrap many times between two checks. */
static void random_narrow(struct kunit *test)
{
	random_run(test, 3, 8);
}

static void random_12_bits(struct kunit *test)
{
	random_run(test, 4, 12);
}

/* A PMU that decides only at the end of a transaction whether a group fits. */
static void random_deferred(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.deferred = true;
	random_run(test, 6, 16);
}

/* A PMU without add_batch() and del_batch(). */
static void random_without_batches(struct kunit *test)
{
	struct world *w = test->priv;

	w->pmu->fake.pmu.add_batch = NULL;
	w->pmu->fake.pmu.del_batch = NULL;
	random_run(test, 7, 20);
}

/*
 * Some groups have members on another PMU, which may refuse them. Then the counters that the group
 * has got on its own PMU are free again.
 */
static void random_software_members(struct kunit *test)
{
	struct world *w = test->priv;

	world_add_pmu(w)->fake.nr_counters = 4;
	world_add_software_pmu(w)->fake.nr_counters = 3;
	random_run(test, 9, 32);
}

/* Two PMUs, which rotate at different times. */
static void random_two_pmus(struct kunit *test)
{
	struct world *w = test->priv;

	world_add_pmu(w)->fake.nr_counters = 4;
	random_run(test, 8, 24);
}

/* Equal groups of a task that is switched in and out get equal shares. */
static void random_equal(struct kunit *test)
{
	struct world *w = test->priv;
	struct rnd_state rnd;
	unsigned int run, from;
	u64 start;

	prandom_seed_state(&rnd, 5);
	for (run = 0; run < 5; run++) {
		from = w->nr_groups;
		w->pmu->fake.nr_counters = 3 + draw(&rnd, 5);
		world_groups(w, 1, w->pmu->fake.nr_counters + 1 + draw(&rnd, 20));
		world_lock(w);
		for (unsigned int i = from; i < w->nr_groups; i++)
			world_enable(w, w->leaders[i]);
		start = w->ctx[1].own.clock.value;
		while (w->ctx[1].own.clock.value - start < 50 * WORLD_INTERVAL) {
			world_switch(w, draw(&rnd, 1 + WORLD_TASKS));
			world_pass(w, draw(&rnd, 2 * NSEC_PER_MSEC));
			world_check(w);
		}
		for (unsigned int i = from; i < w->nr_groups; i++)
			world_disable(w, w->leaders[i]);
		world_unlock(w);
		KUNIT_EXPECT_LE_MSG(test, world_spread(w, from, w->nr_groups), 1020,
				    "%u groups on %u counters", w->nr_groups - from,
				    w->pmu->fake.nr_counters);
	}
	KUNIT_EXPECT_TRUE_MSG(test, !w->fault, "%s", w->fault);
}

static struct kunit_case sched_random_cases[] = {
	KUNIT_CASE(random_wide),
	KUNIT_CASE(random_64_bits),
	KUNIT_CASE(random_narrow),
	KUNIT_CASE(random_12_bits),
	KUNIT_CASE(random_deferred),
	KUNIT_CASE(random_without_batches),
	KUNIT_CASE(random_software_members),
	KUNIT_CASE(random_two_pmus),
	KUNIT_CASE(random_equal),
	{}
};

static struct kunit_suite sched_random_suite = {
	.name		= "perf_sched_random",
	.init		= world_init,
	.exit		= world_exit,
	.test_cases	= sched_random_cases,
};

kunit_test_suite(sched_random_suite);
