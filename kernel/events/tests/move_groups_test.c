// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a PMU moves to another CPU, with groups that share its counters with others. A task's
 * groups stay where the task is.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../abi/read.h"
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../sched/fair.h"
#include "fake_counters.h"
#include "test_cpu.h"
#include "test_open.h"

/* No slice ends during a test, unless a host stops the machine. */
#define INTERVAL_MS	1000
/* Much more than a slice, and than any test takes. */
#define LONG_BEFORE	(1000ULL * NSEC_PER_SEC)

/**
 * struct move_test - one test
 * @fake: the PMU
 * @src: the CPU of its events at first, which can go offline
 * @dst: another one
 */
struct move_test {
	struct fake_pmu	fake;
	int		src;
	int		dst;
};

static int move_init(struct kunit *test)
{
	struct move_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	t->dst = cpumask_first(cpu_online_mask);
	/* the first CPU cannot go offline on all machines */
	t->src = test_next_cpu(test, t->dst);
	t->fake.nr_counters = 1;
	t->fake.width = 48;
	err = fake_pmu_register(&t->fake, "kunit_move", THIS_MODULE);
	if (err)
		return err;
	t->fake.pmu.hrtimer_interval_ms = INTERVAL_MS;
	test->priv = t;
	test_bind(test, t->src);
	return 0;
}

static void move_exit(struct kunit *test)
{
	struct move_test *t = test->priv;

	if (!t)
		return;
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, t->src)->nr_faults, 0);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, t->dst)->nr_faults, 0);
	fake_pmu_unregister(&t->fake);
}

/* Open an event of @task on @cpu, -1 for all; of the CPU if @task is NULL. */
static struct perf_event *open_on(struct kunit *test, struct task_struct *task, int cpu)
{
	struct move_test *t = test->priv;
	struct perf_event_attr attr = {
		.type	= t->fake.pmu.type,
		.config	= FAKE_CONFIG(FAKE_POKE, 0),
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= cpu,
		.task	= task,
	};

	return test_open(test, &req);
}

static void move(struct move_test *t)
{
	perf_pmu_migrate_context(&t->fake.pmu, t->src, t->dst);
}

static u64 count_of(struct perf_event *event)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	return value.count;
}

/* The event had its counter for that long before. */
static void add_runtime_here(void *arg)
{
	struct perf_event *event = arg;

	perf_cpu_lock(this_perf_cpu());
	event->runtime_stamp -= LONG_BEFORE;
	perf_cpu_unlock(this_perf_cpu());
}

static void add_runtime(struct perf_event *event)
{
	smp_call_function_single(event->cpu, add_runtime_here, event, true);
}

struct move_look {
	struct perf_event	*a;
	struct perf_event	*b;
	s64			ahead;
};

static void look_here(void *arg)
{
	struct move_look *look = arg;
	u64 now;

	perf_cpu_lock(this_perf_cpu());
	now = perf_time();
	look->ahead = perf_fair_vruntime(look->a, now) - perf_fair_vruntime(look->b, now);
	perf_cpu_unlock(this_perf_cpu());
}

/* By how much is the vruntime of @a higher than the vruntime of @b, on the same CPU? */
static s64 ahead_of(struct perf_event *a, struct perf_event *b)
{
	struct move_look look = { .a = a, .b = b };

	smp_call_function_single(b->cpu, look_here, &look, true);
	return look.ahead;
}

/*
 * Two groups, of which one had counters for long: the one that moves, or the one that is on the
 * new CPU already. After the move neither of them has to wait until the other one has had as much.
 */
static void expect_even(struct kunit *test, bool moving_had_counters)
{
	struct move_test *t = test->priv;
	struct perf_event *moves = open_on(test, NULL, t->src);
	struct perf_event *stays = open_on(test, NULL, t->dst);

	add_runtime(moving_had_counters ? moves : stays);
	move(t);
	KUNIT_EXPECT_EQ(test, moves->cpu, t->dst);
	KUNIT_EXPECT_EQ(test, moves->pmu_ctx->nr_groups, 2);
	KUNIT_EXPECT_LT(test, ahead_of(moves, stays), (s64)(LONG_BEFORE / 2));
	KUNIT_EXPECT_GT(test, ahead_of(moves, stays), -(s64)(LONG_BEFORE / 2));
	perf_event_close(stays);
	KUNIT_EXPECT_EQ(test, moves->oncpu, t->dst);
	perf_event_close(moves);
}

/* A group that had counters for long on the old CPU does not have to wait for those on the new. */
static void move_leaves_debt_behind(struct kunit *test)
{
	expect_even(test, true);
}

/* One that had none has no credit beside groups that had counters for long on the new CPU. */
static void move_brings_no_credit(struct kunit *test)
{
	expect_even(test, false);
}

/* Generate occurrences on the CPU of the thread, and look what an event has counted of them. */
static u64 counts_here(struct kunit *test, struct perf_event *event)
{
	struct move_test *t = test->priv;
	u64 before = count_of(event);

	fake_pmu_poke(&t->fake, 3);
	return count_of(event) - before;
}

/*
 * The PMU moves because its CPU goes offline. Events of a task stay, and get the counters that have
 * become free. While the CPU is offline they count elsewhere, if they are not bound to it.
 */
static void events_of_tasks_stay(struct kunit *test)
{
	struct move_test *t = test->priv;
	struct perf_event *moves[2], *any, *bound;
	int err;

	t->fake.nr_counters = 2;
	for (int i = 0; i < 2; i++)
		moves[i] = open_on(test, NULL, t->src);
	/* each side has half of the counters, so one of the task's groups waits at least */
	any = open_on(test, current, -1);
	bound = open_on(test, current, t->src);
	KUNIT_EXPECT_TRUE(test, any->oncpu < 0 || bound->oncpu < 0);

	move(t);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, moves[i]->cpu, t->dst);
		KUNIT_EXPECT_EQ(test, moves[i]->oncpu, t->dst);
	}
	KUNIT_EXPECT_EQ(test, any->cpu, -1);
	KUNIT_EXPECT_EQ(test, bound->cpu, t->src);
	KUNIT_EXPECT_PTR_EQ(test, any->ctx, bound->ctx);
	KUNIT_EXPECT_EQ(test, any->oncpu, t->src);
	KUNIT_EXPECT_EQ(test, bound->oncpu, t->src);
	KUNIT_EXPECT_EQ(test, counts_here(test, any), 3);
	KUNIT_EXPECT_EQ(test, counts_here(test, bound), 3);
	KUNIT_EXPECT_EQ(test, counts_here(test, moves[0]), 0);

	test_bind(test, t->dst);
	perf_event_close(moves[1]);
	err = test_remove_cpu(t->src);
	KUNIT_EXPECT_EQ(test, (int)moves[0]->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, moves[0]->oncpu, t->dst);
	KUNIT_EXPECT_EQ(test, counts_here(test, moves[0]), 3);
	KUNIT_EXPECT_EQ(test, counts_here(test, any), 3);
	KUNIT_EXPECT_EQ(test, counts_here(test, bound), 0);
	KUNIT_EXPECT_GE(test, (int)bound->state, PERF_EVENT_STATE_INACTIVE);

	if (!err) {
		KUNIT_ASSERT_EQ(test, add_cpu(t->src), 0);
		test_bind(test, t->src);
		KUNIT_EXPECT_EQ(test, counts_here(test, bound), 3);
		KUNIT_EXPECT_EQ(test, counts_here(test, any), 3);
		KUNIT_EXPECT_EQ(test, counts_here(test, moves[0]), 0);
	}
	perf_event_close(bound);
	perf_event_close(any);
	perf_event_close(moves[0]);
}

static struct kunit_case move_cases[] = {
	KUNIT_CASE(move_leaves_debt_behind),
	KUNIT_CASE(move_brings_no_credit),
	KUNIT_CASE(events_of_tasks_stay),
	{}
};

static struct kunit_suite move_suite = {
	.name		= "perf_move_groups",
	.init		= move_init,
	.exit		= move_exit,
	.test_cases	= move_cases,
};

kunit_test_suite(move_suite);
