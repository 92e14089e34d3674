// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of limits.c: how many foreign events a user without CAP_PERFMON may have on a CPU.
 *
 * A foreign event becomes an event of the CPU when its leader is closed. Nothing can be refused
 * then. So a user could exceed each limit if foreign events were not counted before.
 */
#include <kunit/test.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/smp.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/cgroup.h"
#include "../context/limits.h"
#include "test_open.h"

#ifdef CONFIG_CGROUP_PERF
/**
 * struct limits_test - one test
 * @cpu: CPU of the events
 * @own: the own sub-context of the CPU
 * @nr_foreign: number of foreign events of the CPU that are not the test's
 * @cgrp: a cgroup
 * @config: PERF_COUNT_SW_* of its events
 * @limit: how many of them a user may have
 * @leader: leader of @cgrp, or NULL
 * @events: events without a cgroup: foreign ones, what has become of them, and others
 * @nr: number of @events
 */
struct limits_test {
	int			cpu;
	struct perf_subctx	*own;
	unsigned int		nr_foreign;
	struct perf_cgroup	*cgrp;
	u64			config;
	unsigned int		limit;
	struct perf_event	*leader;
	struct perf_event	**events;
	unsigned int		nr;
};

/* Open an event of the CPU, or of a cgroup there, as a user without capabilities. */
static struct perf_event *try_open(struct kunit *test, struct perf_cgroup *cgrp,
				   struct perf_event *leader)
{
	struct limits_test *t = test->priv;
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = t->config };
	struct perf_event_request req = { .attr = &attr, .cpu = t->cpu, .leader = leader };
	struct perf_event *event;
	const struct cred *old;
	struct cred *cred;

	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	event = cgrp ? test_try_open_of_cgroup(cgrp, &req) : test_try_open(&req);
	revert_creds(old);
	put_cred(cred);
	return event;
}

static void expect_refused(struct kunit *test, struct perf_event *leader)
{
	struct perf_event *event = try_open(test, NULL, leader);

	KUNIT_EXPECT_TRUE(test, IS_ERR(event));
	if (IS_ERR(event))
		KUNIT_EXPECT_EQ(test, PTR_ERR(event), -ENOSPC);
	else
		perf_event_close(event);
}

static void expect_room(struct kunit *test, struct perf_cgroup *cgrp, struct perf_event *leader)
{
	struct perf_event *event = try_open(test, cgrp, leader);

	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	if (!IS_ERR(event))
		perf_event_close(event);
}

static void open_leader(struct kunit *test)
{
	struct limits_test *t = test->priv;
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event_request req = { .attr = &attr, .cpu = t->cpu };

	t->leader = test_open_of_cgroup(test, t->cgrp, &req);
}

/* Open up to @nr events, until one is refused. Return: their number. */
static unsigned int open_events(struct kunit *test, struct perf_cgroup *cgrp,
				struct perf_event *leader, unsigned int nr)
{
	struct limits_test *t = test->priv;
	struct perf_event *event;

	for (unsigned int i = 0; i < nr; i++) {
		event = try_open(test, cgrp, leader);
		if (IS_ERR(event))
			return i;
		t->events[t->nr++] = event;
	}
	return nr;
}

static void close_events(struct limits_test *t)
{
	while (t->nr)
		perf_event_close(t->events[--t->nr]);
}

/* How many events do fit? */
static unsigned int nr_that_fit(struct kunit *test, struct perf_cgroup *cgrp)
{
	struct limits_test *t = test->priv;
	unsigned int nr = open_events(test, cgrp, NULL, t->limit + 1);

	close_events(t);
	return nr;
}

static void close_leader(struct limits_test *t)
{
	if (t->leader)
		perf_event_close(t->leader);
	t->leader = NULL;
}

/*
 * The own sub-context is full of foreign events. It stays full when they become its own events, and
 * then has room for no other foreign event. The cgroup has, for events of its own.
 */
static void expect_full(struct kunit *test)
{
	struct limits_test *t = test->priv;

	expect_refused(test, NULL);
	expect_refused(test, t->leader);
	close_leader(t);
	KUNIT_EXPECT_EQ(test, t->own->nr_foreign, t->nr_foreign);
	KUNIT_EXPECT_PTR_EQ(test, t->events[0]->subctx, t->own);
	KUNIT_EXPECT_PTR_EQ(test, t->events[t->nr - 1]->subctx, t->own);
	expect_refused(test, NULL);

	open_leader(test);
	expect_refused(test, t->leader);
	expect_room(test, t->cgrp, NULL);
	/* one less, and there is room again */
	perf_event_close(t->events[--t->nr]);
	expect_room(test, NULL, t->leader);
	expect_room(test, NULL, NULL);
	close_leader(t);
	KUNIT_EXPECT_EQ(test, t->own->nr_foreign, t->nr_foreign);
}

/* As many foreign events fit as events of the CPU, if the cgroup has room for these. */
static void fill_with_foreign(struct kunit *test, u64 config, unsigned int limit)
{
	struct limits_test *t = test->priv;
	unsigned int nr_before = t->own->nr_events, nr_others = nr_before + t->nr_foreign;
	unsigned int nr_of_cpu, nr_of_cgroup, nr;

	t->config = config;
	t->limit = limit;
	t->events = kunit_kcalloc(test, limit + 1, sizeof(*t->events), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->events);
	open_leader(test);
	nr_of_cpu = nr_that_fit(test, NULL);
	nr_of_cgroup = nr_that_fit(test, t->cgrp);
	/* a limit may be for some kinds of events only, which events of other programs are not */
	KUNIT_EXPECT_LE(test, nr_of_cpu, limit);
	KUNIT_EXPECT_GE(test, nr_of_cpu + nr_others, limit);
	KUNIT_ASSERT_GT(test, min(nr_of_cpu, nr_of_cgroup), 2);

	nr = open_events(test, NULL, t->leader, limit + 1);
	KUNIT_EXPECT_EQ(test, nr, min(nr_of_cpu, nr_of_cgroup));
	KUNIT_EXPECT_EQ(test, t->own->nr_foreign, t->nr_foreign + nr);
	KUNIT_EXPECT_EQ(test, t->own->nr_events, nr_before);
	KUNIT_EXPECT_EQ(test, nr + open_events(test, NULL, NULL, limit + 1 - nr), nr_of_cpu);
	expect_full(test);
}

/* Events that a context switch visits. */
static void foreign_events_of_switches(struct kunit *test)
{
	fill_with_foreign(test, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_SWITCH_VISITS_USER);
}

/* The cgroup has one event more than the CPU: the leader. */
static void foreign_events_of_any_kind(struct kunit *test)
{
	fill_with_foreign(test, PERF_COUNT_SW_DUMMY, PERF_SUBCTX_EVENTS_USER);
}

static int limits_init(struct kunit *test)
{
	struct limits_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	test_bind_here(test);
	t->cpu = smp_processor_id();
	t->own = &per_cpu(perf_cpu_context, t->cpu).ctx.own;
	t->nr_foreign = t->own->nr_foreign;
	t->cgrp = test_own_cgroup();
	test->priv = t;
	return 0;
}

static void limits_exit(struct kunit *test)
{
	struct limits_test *t = test->priv;

	if (!t)
		return;
	close_leader(t);
	close_events(t);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(foreign_events_of_switches),
	KUNIT_CASE(foreign_events_of_any_kind),
	{}
};

static struct kunit_suite limits_suite = {
	.name		= "perf_limits",
	.init		= limits_init,
	.exit		= limits_exit,
	.test_cases	= limits_cases,
};

kunit_test_suite(limits_suite);
#endif
