// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: how often a driver is called for a large group, in total and with irqs off.
 *
 * A PMU of the tests counts the calls of add(), del() and read(), and how many of them are made
 * before interrupts are enabled again. Events are opened for the task of the test. If the task
 * is switched out during a test, its events are deleted and added again; the tests subtract
 * these calls.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../context/ctx_sched.h"
#include "../context/state.h"
#include "../base/event.h"
#include "test_irq.h"
#include "test_open.h"

#define NR_MEMBERS	400

/* more than the calls with irqs off that are allowed, less than the size of a group */
#define MANY_AT_ONCE	150

/* perf_event_attr::config */
#define PLACED		0
#define RESIDENT	1

/**
 * struct bounded_fixture - one test
 * @pmu: PMU that counts the calls of its driver
 * @members: members of the group, the leader first
 * @child: a task that inherits events and never runs
 * @irqs_on: queued by each call; runs, and resets @at_once, when interrupts are on
 * @adds: number of calls of add()
 * @dels: number of calls of del()
 * @reads: number of calls of read()
 * @at_once: number of calls since interrupts were on
 * @most: maximum of @at_once
 * @switched: context switches of the task until counting began
 */
struct bounded_fixture {
	struct pmu		pmu;
	struct perf_event	*members[NR_MEMBERS];
	struct task_struct	*child;
	struct irq_work		irqs_on;
	unsigned int		adds;
	unsigned int		dels;
	unsigned int		reads;
	unsigned int		at_once;
	unsigned int		most;
	unsigned long		switched;
};

static struct bounded_fixture *fixture_of(struct perf_event *event)
{
	return container_of(event->pmu, struct bounded_fixture, pmu);
}

static void bounded_irqs_on(struct irq_work *work)
{
	container_of(work, struct bounded_fixture, irqs_on)->at_once = 0;
}

static void bounded_called(struct bounded_fixture *fix)
{
	fix->most = max(fix->most, ++fix->at_once);
	test_irq_work_queue(&fix->irqs_on);
}

static int bounded_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (event->attr.config == RESIDENT)
		event->event_caps |= PERF_EV_CAP_NOSCHED;
	return 0;
}

static int bounded_add(struct perf_event *event, int flags)
{
	fixture_of(event)->adds++;
	bounded_called(fixture_of(event));
	return 0;
}

static void bounded_del(struct perf_event *event, int flags)
{
	fixture_of(event)->dels++;
	bounded_called(fixture_of(event));
}

static void bounded_start(struct perf_event *event, int flags)
{
}

static void bounded_stop(struct perf_event *event, int flags)
{
}

static void bounded_read(struct perf_event *event)
{
	fixture_of(event)->reads++;
	bounded_called(fixture_of(event));
}

static int bounded_test_init(struct kunit *test)
{
	struct bounded_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	fix->irqs_on = IRQ_WORK_INIT_HARD(bounded_irqs_on);
	fix->pmu = (struct pmu) {
		.task_ctx_nr	= perf_sw_context,
		.event_init	= bounded_event_init,
		.add		= bounded_add,
		.del		= bounded_del,
		.start		= bounded_start,
		.stop		= bounded_stop,
		.read		= bounded_read,
	};
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&fix->pmu, "bounded", -1), 0);
	fix->child = kunit_kzalloc(test, sizeof(*fix->child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fix->child);
	/* enough references that the task is never freed */
	refcount_set(&fix->child->usage, 1000000);
	test->priv = fix;
	return 0;
}

static void bounded_close_all(struct bounded_fixture *fix)
{
	for (unsigned int i = 0; i < NR_MEMBERS; i++) {
		if (fix->members[i])
			perf_event_close(fix->members[i]);
		fix->members[i] = NULL;
	}
}

static void bounded_test_exit(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	bounded_close_all(fix);
	irq_work_sync(&fix->irqs_on);
	perf_pmu_unregister(&fix->pmu);
}

static struct perf_event *add_event(struct kunit *test, struct perf_event *leader,
				    struct perf_event_attr attr)
{
	struct bounded_fixture *fix = test->priv;

	attr.type = fix->pmu.type;
	return test_open_own(test, leader, attr);
}

static void forget(struct bounded_fixture *fix)
{
	irq_work_sync(&fix->irqs_on);
	fix->adds = 0;
	fix->dels = 0;
	fix->reads = 0;
	fix->most = 0;
	fix->switched = current->nvcsw + current->nivcsw;
}

/* Number of calls since forget() that are due to context switches of the task. */
static unsigned int switch_calls(struct bounded_fixture *fix)
{
	return (current->nvcsw + current->nivcsw - fix->switched) * (NR_MEMBERS + 1);
}

/* Expect that @nr events were added, once each. */
static void expect_added(struct kunit *test, unsigned int nr)
{
	struct bounded_fixture *fix = test->priv;

	KUNIT_EXPECT_EQ(test, fix->adds - fix->dels, nr);
	KUNIT_EXPECT_LE(test, fix->adds, nr + switch_calls(fix));
}

static void expect_bounded(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	KUNIT_EXPECT_LT(test, fix->most, MANY_AT_ONCE + switch_calls(fix));
}

/* Make a group; all siblings have the attributes @siblings. Counting of calls begins at the end. */
static void make_group(struct kunit *test, struct perf_event_attr leader,
		       struct perf_event_attr siblings)
{
	struct bounded_fixture *fix = test->priv;

	fix->members[0] = add_event(test, NULL, leader);
	for (unsigned int i = 1; i < NR_MEMBERS; i++)
		fix->members[i] = add_event(test, fix->members[0], siblings);
	forget(fix);
}

static unsigned int nr_active(struct bounded_fixture *fix)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_MEMBERS; i++)
		nr += fix->members[i] && fix->members[i]->state == PERF_EVENT_STATE_ACTIVE;
	return nr;
}

/* A sibling that follows its leader is not touched when the leader is enabled or disabled. */
static void toggling_touches_the_leader(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	for (u64 config = PLACED; config <= RESIDENT; config++) {
		make_group(test, (struct perf_event_attr) { .config = config },
			   (struct perf_event_attr) { .config = RESIDENT });
		for (int i = 0; i < 5; i++) {
			guard(mutex)(&fix->members[0]->ctx->mutex);
			perf_event_disable_one(fix->members[0]);
			perf_event_enable_one(fix->members[0]);
		}
		KUNIT_EXPECT_EQ(test, fix->adds, fix->dels);
		KUNIT_EXPECT_LE(test, fix->adds, 5 + 2 * switch_calls(fix) / NR_MEMBERS);
		bounded_close_all(fix);
	}
}

/* An event that joins a group that counts does not disturb the other members. */
static void joining_adds_one(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;
	struct perf_event *event;

	for (u64 config = PLACED; config <= RESIDENT; config++) {
		make_group(test, (struct perf_event_attr) { .config = PLACED },
			   (struct perf_event_attr) { .config = config });
		KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS);
		event = add_event(test, fix->members[0],
				  (struct perf_event_attr) { .config = config });
		expect_added(test, 1);
		KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
		forget(fix);
		perf_event_close(event);
		KUNIT_EXPECT_EQ(test, fix->dels - fix->adds, 1);
		KUNIT_EXPECT_LE(test, fix->dels, 1 + switch_calls(fix));
		bounded_close_all(fix);
	}
}

static void enabling_one_adds_one(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;
	struct perf_event *event;

	make_group(test, (struct perf_event_attr) { .config = PLACED },
		   (struct perf_event_attr) { .config = PLACED });
	event = fix->members[NR_MEMBERS / 2];
	for (int i = 0; i < 10; i++) {
		guard(mutex)(&event->ctx->mutex);
		perf_event_disable_one(event);
		KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS - 1);
		perf_event_enable_one(event);
		KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS);
	}
	KUNIT_EXPECT_EQ(test, fix->adds, fix->dels);
	KUNIT_EXPECT_LE(test, fix->adds, 10 + switch_calls(fix));
}

/* Each member is added once, whether the leader counts already or begins with them. */
static void exec_adds_each_once(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	for (int i = 0; i < 4; i++) {
		bool begins = i & 1;
		u64 config = i & 2 ? RESIDENT : PLACED;

		make_group(test, (struct perf_event_attr) {
				.config		= PLACED,
				.disabled	= begins,
				.enable_on_exec	= begins,
			   }, (struct perf_event_attr) {
				.config		= config,
				.disabled	= 1,
				.enable_on_exec	= 1,
			   });
		KUNIT_EXPECT_EQ(test, nr_active(fix), begins ? 0 : 1);
		perf_event_exec();
		KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS);
		expect_added(test, begins ? NR_MEMBERS : NR_MEMBERS - 1);
		if (!begins || config == RESIDENT)
			expect_bounded(test);
		bounded_close_all(fix);
	}
}

static void exec_begins_singles_in_bunches(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	for (unsigned int i = 0; i < NR_MEMBERS; i++)
		fix->members[i] = add_event(test, NULL, (struct perf_event_attr) {
				.config		= i & 1 ? RESIDENT : PLACED,
				.disabled	= 1,
				.enable_on_exec	= 1,
			   });
	forget(fix);
	perf_event_exec();
	KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS);
	expect_added(test, NR_MEMBERS);
	expect_bounded(test);
	perf_event_exec();
	expect_added(test, NR_MEMBERS);
}

/* When the leader is closed, its siblings become single events and lose no counts. */
static void leader_leaves_in_steps(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	for (u64 config = PLACED; config <= RESIDENT; config++) {
		make_group(test, (struct perf_event_attr) { .config = config },
			   (struct perf_event_attr) { .config = config });
		perf_event_close(fix->members[0]);
		fix->members[0] = NULL;
		expect_bounded(test);
		KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS - 1);
		for (unsigned int i = 1; i < NR_MEMBERS; i++) {
			KUNIT_EXPECT_TRUE(test, perf_event_leads(fix->members[i]));
			KUNIT_EXPECT_EQ(test, fix->members[i]->nr_siblings, 0);
		}
		bounded_close_all(fix);
	}
}

/* If only the leader of a group is scheduled, a context switch touches no other member. */
static void switch_touches_what_needs_it(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;
	struct perf_event_context *ctx;

	make_group(test, (struct perf_event_attr) { .config = PLACED },
		   (struct perf_event_attr) { .config = RESIDENT });
	ctx = fix->members[0]->ctx;
	for (int i = 0; i < 10; i++) {
		guard(irq)();
		perf_ctx_sched_out(ctx);
		KUNIT_EXPECT_FALSE(test, perf_event_has_counter(fix->members[0]));
		perf_ctx_sched_in(ctx, perf_time());
		KUNIT_EXPECT_TRUE(test, perf_event_has_counter(fix->members[0]));
	}
	KUNIT_EXPECT_LE(test, fix->adds, 10 + switch_calls(fix) / NR_MEMBERS);
	KUNIT_EXPECT_EQ(test, fix->adds, fix->dels);
	KUNIT_EXPECT_EQ(test, nr_active(fix), NR_MEMBERS);
}

/* No listener records the counts of exiting child events, so read() is not called. */
static void child_events_come_and_go_in_steps(struct kunit *test)
{
	struct bounded_fixture *fix = test->priv;

	for (int grouped = 0; grouped < 2; grouped++) {
		struct perf_event_attr attr = {
			.config		= RESIDENT,
			.inherit	= 1,
			.inherit_stat	= 1,
		};

		if (grouped) {
			make_group(test, attr, attr);
		} else {
			for (unsigned int n = 0; n < NR_MEMBERS; n++)
				fix->members[n] = add_event(test, NULL, attr);
			forget(fix);
		}
		KUNIT_ASSERT_EQ(test, perf_event_init_task(fix->child, 0), 0);
		KUNIT_ASSERT_NOT_NULL(test, fix->child->perf_event_ctxp);
		KUNIT_EXPECT_EQ(test, fix->child->perf_event_ctxp->nr_events, NR_MEMBERS);
		expect_added(test, NR_MEMBERS);
		expect_bounded(test);
		forget(fix);
		perf_event_exit_task(fix->child);
		KUNIT_EXPECT_EQ(test, fix->dels, NR_MEMBERS);
		expect_bounded(test);
		KUNIT_EXPECT_EQ(test, fix->reads, 0);
		bounded_close_all(fix);
	}
}

static struct kunit_case bounded_cases[] = {
	KUNIT_CASE(toggling_touches_the_leader),
	KUNIT_CASE(joining_adds_one),
	KUNIT_CASE(enabling_one_adds_one),
	KUNIT_CASE(exec_adds_each_once),
	KUNIT_CASE(exec_begins_singles_in_bunches),
	KUNIT_CASE(leader_leaves_in_steps),
	KUNIT_CASE(switch_touches_what_needs_it),
	KUNIT_CASE(child_events_come_and_go_in_steps),
	{}
};

static struct kunit_suite bounded_suite = {
	.name		= "perf_events_bounded",
	.init		= bounded_test_init,
	.exit		= bounded_test_exit,
	.test_cases	= bounded_cases,
};

kunit_test_suite(bounded_suite);
