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

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/cgroup.h"
#include "../context/limits.h"
#include "test_open.h"

#ifdef CONFIG_CGROUP_PERF
/**
 * struct limits_test - one test
 * @own: the own sub-context of the CPU
 * @config: PERF_COUNT_SW_* of its events
 * @limit: how many of them a user may have
 * @nr_others: how many of those that are limited are not the test's
 * @leader: leader of a cgroup, or NULL
 * @events: foreign events, or what has become of them
 * @nr: number of @events
 */
struct limits_test {
	struct perf_subctx	*own;
	u64			config;
	unsigned int		limit;
	unsigned int		nr_others;
	struct perf_event	*leader;
	struct perf_event	**events;
	unsigned int		nr;
};

/* Open an event of the CPU as a user without capabilities. */
static struct perf_event *try_open(struct kunit *test, struct perf_event *leader, u64 config)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = config };
	struct perf_event_request req = { .attr = &attr, .cpu = 0, .leader = leader };
	struct perf_event *event;
	const struct cred *old;
	struct cred *cred;

	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	event = test_try_open(&req);
	revert_creds(old);
	put_cred(cred);
	return event;
}

static void expect_refused(struct kunit *test, struct perf_event *leader)
{
	struct limits_test *t = test->priv;
	struct perf_event *event = try_open(test, leader, t->config);

	KUNIT_EXPECT_TRUE(test, IS_ERR(event));
	if (IS_ERR(event))
		KUNIT_EXPECT_EQ(test, PTR_ERR(event), -ENOSPC);
	else
		perf_event_close(event);
}

static void expect_room(struct kunit *test, struct perf_event *leader)
{
	struct limits_test *t = test->priv;
	struct perf_event *event = try_open(test, leader, t->config);

	KUNIT_EXPECT_FALSE(test, IS_ERR(event));
	if (!IS_ERR(event))
		perf_event_close(event);
}

static struct perf_event *open_of_cgroup(struct kunit *test, u64 config)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .config = config };
	struct perf_event_request req = { .attr = &attr, .cpu = 0 };

	return test_open_of_cgroup(test, test_own_cgroup(), &req);
}

static void open_events(struct kunit *test, struct perf_event *leader, unsigned int nr)
{
	struct limits_test *t = test->priv;
	struct perf_event *event;

	for (; nr; nr--) {
		event = try_open(test, leader, t->config);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(event), "event %u: %ld", t->nr, PTR_ERR(event));
		t->events[t->nr++] = event;
	}
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
	struct perf_event *of_cgroup;

	expect_refused(test, NULL);
	expect_refused(test, t->leader);
	close_leader(t);
	KUNIT_EXPECT_EQ(test, t->own->nr_foreign, 0);
	KUNIT_EXPECT_PTR_EQ(test, t->events[0]->subctx, t->own);
	KUNIT_EXPECT_PTR_EQ(test, t->events[t->nr - 1]->subctx, t->own);
	expect_refused(test, NULL);

	t->leader = open_of_cgroup(test, PERF_COUNT_SW_DUMMY);
	expect_refused(test, t->leader);
	of_cgroup = open_of_cgroup(test, t->config);
	perf_event_close(of_cgroup);
	/* one less, and there is room again */
	perf_event_close(t->events[--t->nr]);
	expect_room(test, t->leader);
	expect_room(test, NULL);
	close_leader(t);
	KUNIT_EXPECT_EQ(test, t->own->nr_foreign, 0);
}

static void limits_begin(struct kunit *test, u64 config, unsigned int limit, unsigned int nr_others)
{
	struct limits_test *t = test->priv;

	t->config = config;
	t->limit = limit;
	t->nr_others = nr_others;
	t->events = kunit_kcalloc(test, limit, sizeof(*t->events), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t->events);
	t->leader = open_of_cgroup(test, PERF_COUNT_SW_DUMMY);
}

/* Events that a context switch visits; no other code of the kernel opens any. */
static void foreign_events_of_switches(struct kunit *test)
{
	struct limits_test *t = test->priv;

	limits_begin(test, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_SWITCH_VISITS_USER, 0);
	open_events(test, t->leader, t->limit);
	expect_full(test);
}

/* The cgroup has one event more than the CPU: the leader. */
static void foreign_events_of_any_kind(struct kunit *test)
{
	struct limits_test *t = test->priv;

	limits_begin(test, PERF_COUNT_SW_DUMMY, PERF_SUBCTX_EVENTS_USER, t->own->nr_events);
	open_events(test, t->leader, t->limit - 1 - t->nr_others);
	KUNIT_EXPECT_EQ(test, t->own->nr_events, t->nr_others);
	open_events(test, NULL, 1);
	expect_full(test);
}

static int limits_init(struct kunit *test)
{
	struct limits_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->own = &per_cpu(perf_cpu_context, 0).ctx.own;
	test->priv = t;
	return 0;
}

static void limits_exit(struct kunit *test)
{
	struct limits_test *t = test->priv;

	if (!t)
		return;
	close_leader(t);
	while (t->nr)
		perf_event_close(t->events[--t->nr]);
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
