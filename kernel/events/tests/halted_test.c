// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: an event that is about to be disabled is not started again.
 *
 * A driver stops an event, finds its last overflow, and calls perf_event_disable_inatomic(). The
 * core has stopped the event to start it again, in the same section with interrupts off. So the
 * irq_work that disables the event comes later. The PMU of the tests takes a start in between for a
 * fault.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>

#include "../abi/read.h"
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/ctx_sched.h"
#include "fake_counters.h"
#include "test_open.h"

/**
 * struct halted_test - one test
 * @fake: the PMU
 * @limited: another one, of members of groups that need counters of their own; it is not the PMU of
 *	a group that has an event of @fake
 */
struct halted_test {
	struct fake_pmu	fake;
	struct fake_pmu	limited;
};

static int halted_init(struct kunit *test)
{
	struct halted_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	t->fake.nr_counters = 2;
	t->fake.width = 48;
	t->limited.nr_counters = 2;
	t->limited.width = 48;
	err = fake_pmu_register(&t->fake, "kunit_halted", THIS_MODULE);
	if (err)
		return err;
	err = fake_pmu_register(&t->limited, "kunit_limited", THIS_MODULE);
	if (err) {
		fake_pmu_unregister(&t->fake);
		return err;
	}
	t->limited.pmu.task_ctx_nr = perf_sw_context;
	t->limited.software = true;
	test->priv = t;
	test_bind_here(test);
	return 0;
}

static void expect_sound(struct kunit *test, struct fake_pmu *fake)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, per_cpu_ptr(fake->cpus, cpu)->nr_faults, 0);
		KUNIT_EXPECT_EQ(test, per_cpu_ptr(fake->cpus, cpu)->used, 0);
	}
	KUNIT_EXPECT_NULL(test, fake->ends);
	fake_pmu_unregister(fake);
}

static void halted_exit(struct kunit *test)
{
	struct halted_test *t = test->priv;

	if (!t)
		return;
	expect_sound(test, &t->fake);
	expect_sound(test, &t->limited);
}

/* Open an event of the CPU, or of current. */
static struct perf_event *open_event(struct kunit *test, struct fake_pmu *fake, bool of_task,
				     struct perf_event *leader, bool disabled)
{
	struct perf_event_attr attr = {
		.type		= fake->pmu.type,
		.config		= FAKE_CONFIG(FAKE_POKE, 0),
		.disabled	= disabled,
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= of_task ? -1 : smp_processor_id(),
		.task	= of_task ? current : NULL,
		.leader	= leader,
	};

	return test_open(test, &req);
}

static unsigned int nr_adds(struct fake_pmu *fake)
{
	return this_cpu_ptr(fake->cpus)->nr_adds;
}

/* The event was disabled when interrupts were enabled, and the user can enable it. */
static void expect_ended(struct kunit *test, struct perf_event *event)
{
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_FALSE(test, event->pending_disable);
	KUNIT_EXPECT_LT(test, event->oncpu, 0);
}

static u64 count_of(struct perf_event *event)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	return value.count;
}

static void expect_counts(struct kunit *test, struct fake_pmu *fake, struct perf_event *event)
{
	u64 count = count_of(event);

	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	fake_pmu_poke(fake, 5);
	KUNIT_EXPECT_EQ(test, count_of(event), count + 5);
}

/* The leader is closed, and its sibling becomes a single event. */
static void ends_when_its_leader_goes(struct kunit *test)
{
	struct halted_test *t = test->priv;
	struct perf_event *leader = open_event(test, &t->fake, false, NULL, false);
	struct perf_event *event = open_event(test, &t->fake, false, leader, false);
	unsigned int adds = nr_adds(&t->fake);

	t->fake.ends = event;
	perf_event_close(leader);
	KUNIT_EXPECT_GT(test, nr_adds(&t->fake), adds);
	expect_ended(test, event);
	perf_event_enable(event);
	expect_counts(test, &t->fake, event);
	perf_event_close(event);
}

/* A sibling is enabled and does not fit. The group is tried anew. */
static void ends_when_a_sibling_does_not_fit(struct kunit *test)
{
	struct halted_test *t = test->priv;
	struct perf_event *leader, *sibling;
	unsigned int adds;

	leader = open_event(test, &t->fake, false, NULL, false);
	sibling = open_event(test, &t->fake, false, leader, true);
	t->fake.nr_counters = 1;
	adds = nr_adds(&t->fake);
	t->fake.ends = leader;
	perf_event_enable(sibling);
	KUNIT_EXPECT_GT(test, nr_adds(&t->fake), adds);
	expect_ended(test, leader);

	t->fake.nr_counters = 2;
	perf_event_enable(leader);
	expect_counts(test, &t->fake, leader);
	expect_counts(test, &t->fake, sibling);
	perf_event_close(sibling);
	perf_event_close(leader);
}

/* An event joins, and the group moves to the queue of another PMU; and back when it leaves. */
static void ends_when_the_pmu_of_its_group_changes(struct kunit *test)
{
	struct halted_test *t = test->priv;
	struct perf_event *leader = open_event(test, &t->limited, false, NULL, false), *event;
	unsigned int adds = nr_adds(&t->limited);

	KUNIT_EXPECT_PTR_EQ(test, leader->group_pmu, &t->limited.pmu);
	t->limited.ends = leader;
	event = open_event(test, &t->fake, false, leader, false);
	KUNIT_EXPECT_PTR_EQ(test, leader->group_pmu, &t->fake.pmu);
	KUNIT_EXPECT_GT(test, nr_adds(&t->limited), adds);
	expect_ended(test, leader);
	perf_event_enable(leader);
	expect_counts(test, &t->limited, leader);
	expect_counts(test, &t->fake, event);

	adds = nr_adds(&t->limited);
	t->limited.ends = leader;
	perf_event_close(event);
	KUNIT_EXPECT_PTR_EQ(test, leader->group_pmu, &t->limited.pmu);
	KUNIT_EXPECT_GT(test, nr_adds(&t->limited), adds);
	expect_ended(test, leader);
	perf_event_enable(leader);
	expect_counts(test, &t->limited, leader);
	perf_event_close(leader);
}

/* The task is switched out and in again, before the irq_work could run. */
static void switch_there_and_back(void)
{
	struct perf_event_context *ctx = current->perf_event_ctxp;
	struct perf_cpu_context *cpuctx;

	guard(irq)();
	cpuctx = this_perf_cpu();
	perf_cpu_lock(cpuctx);
	__perf_ctx_sched_out(cpuctx, ctx, perf_time());
	__perf_ctx_sched_in(cpuctx, ctx, perf_time());
	perf_cpu_unlock(cpuctx);
}

static void ends_in_a_switch(struct kunit *test)
{
	struct halted_test *t = test->priv;
	struct perf_event *event = open_event(test, &t->fake, true, NULL, false);
	struct perf_event *other = open_event(test, &t->fake, true, NULL, false);
	unsigned int batches = this_cpu_ptr(t->fake.cpus)->nr_batches;

	/* as a batch, if none of them ends */
	switch_there_and_back();
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(t->fake.cpus)->nr_batches, batches + 2);
	t->fake.ends = event;
	switch_there_and_back();
	expect_ended(test, event);
	expect_counts(test, &t->fake, other);
	perf_event_enable(event);
	expect_counts(test, &t->fake, event);
	perf_event_close(event);
	perf_event_close(other);
}

/* An event gets a counter that another one had. */
static void ends_when_its_turn_comes(struct kunit *test)
{
	struct halted_test *t = test->priv;
	struct perf_event *first, *event;

	t->fake.nr_counters = 1;
	first = open_event(test, &t->fake, false, NULL, false);
	event = open_event(test, &t->fake, false, NULL, false);
	scoped_guard(irq) {
		/* whichever waits */
		if (event->oncpu >= 0)
			swap(first, event);
		event->pending_disable = 1;
	}
	perf_event_disable(first);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_TRUE(test, event->hw.state & PERF_HES_STOPPED);
	irq_work_queue(&event->pending_disable_irq);
	expect_ended(test, event);
	perf_event_close(event);
	perf_event_close(first);
}

static struct kunit_case halted_cases[] = {
	KUNIT_CASE(ends_when_its_leader_goes),
	KUNIT_CASE(ends_when_a_sibling_does_not_fit),
	KUNIT_CASE(ends_when_the_pmu_of_its_group_changes),
	KUNIT_CASE(ends_in_a_switch),
	KUNIT_CASE(ends_when_its_turn_comes),
	{}
};

static struct kunit_suite halted_suite = {
	.name		= "perf_halted",
	.init		= halted_init,
	.exit		= halted_exit,
	.test_cases	= halted_cases,
};

kunit_test_suite(halted_suite);
