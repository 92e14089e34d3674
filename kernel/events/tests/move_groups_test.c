// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a PMU moves to another CPU, with groups that share its counters with others. A task's
 * groups stay where the task is.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../abi/read.h"
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/group.h"
#include "../sched/fair.h"
#include "fake_counters.h"
#include "test_cpu.h"
#include "test_irq.h"
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

#ifdef CONFIG_KPROBES

#define MEMBERS	(3 * PERF_GROUP_BATCH)

/**
 * struct move_steps - how many events enter or leave a context at a time
 * @nr: number of calls
 * @at_once: number of calls since interrupts were on
 * @most: maximum of @at_once
 * @irqs_on: queued by each call; runs, and resets @at_once, when interrupts are on
 */
struct move_steps {
	unsigned int	nr;
	unsigned int	at_once;
	unsigned int	most;
	struct irq_work	irqs_on;
};

static DEFINE_PER_CPU(struct move_steps, move_steps);

static void move_irqs_on(struct irq_work *work)
{
	container_of(work, struct move_steps, irqs_on)->at_once = 0;
}

/* The functions are called with irqs off. */
static int move_step(struct kprobe *probe, struct pt_regs *regs)
{
	struct move_steps *steps = this_cpu_ptr(&move_steps);

	steps->nr++;
	steps->most = max(steps->most, ++steps->at_once);
	test_irq_work_queue(&steps->irqs_on);
	return 0;
}

static void expect_steps(struct kunit *test, struct move_test *t, int from, int to)
{
	struct move_steps *steps = per_cpu_ptr(&move_steps, t->src);

	*steps = (struct move_steps) { .irqs_on = IRQ_WORK_INIT_HARD(move_irqs_on) };
	perf_pmu_migrate_context(&t->fake.pmu, from, to);
	KUNIT_EXPECT_GE(test, steps->nr, MEMBERS);
	KUNIT_EXPECT_LE(test, steps->most, PERF_GROUP_BATCH);
	irq_work_sync(&steps->irqs_on);
}

/*
 * The members of a large group leave their context some at a time, with interrupts on in between,
 * and join the other one in the same way. The thread is on the CPU that they leave, and that they
 * join again.
 */
static void large_group_moves_in_steps(struct kunit *test)
{
	struct kprobe probes[] = {
		{ .symbol_name = "perf_ctx_leave", .pre_handler = move_step },
		{ .symbol_name = "perf_ctx_enter", .pre_handler = move_step },
	};
	struct move_test *t = test->priv;
	struct perf_event *leader = open_on(test, NULL, t->src), *members[MEMBERS];
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event_request req = { .attr = &attr, .cpu = t->src, .leader = leader };
	int cpu;

	for (int i = 0; i < MEMBERS; i++)
		members[i] = test_open(test, &req);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(&move_steps, cpu)->irqs_on = IRQ_WORK_INIT_HARD(move_irqs_on);
	for (int i = 0; i < ARRAY_SIZE(probes); i++)
		KUNIT_ASSERT_EQ(test, register_kprobe(&probes[i]), 0);

	expect_steps(test, t, t->src, t->dst);
	for (int i = 0; i < MEMBERS; i++)
		KUNIT_EXPECT_EQ(test, members[i]->cpu, t->dst);
	expect_steps(test, t, t->dst, t->src);
	for (int i = 0; i < MEMBERS; i++)
		KUNIT_EXPECT_EQ(test, members[i]->cpu, t->src);
	KUNIT_EXPECT_EQ(test, counts_here(test, leader), 3);

	for (int i = 0; i < ARRAY_SIZE(probes); i++)
		unregister_kprobe(&probes[i]);
	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(&move_steps, cpu)->irqs_on);
	for (int i = 0; i < MEMBERS; i++)
		perf_event_close(members[i]);
	perf_event_close(leader);
}
#endif

static struct kunit_case move_cases[] = {
	KUNIT_CASE(move_leaves_debt_behind),
	KUNIT_CASE(move_brings_no_credit),
	KUNIT_CASE(events_of_tasks_stay),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(large_group_moves_in_steps),
#endif
	{}
};

static struct kunit_suite move_suite = {
	.name		= "perf_move_groups",
	.init		= move_init,
	.exit		= move_exit,
	.test_cases	= move_cases,
};

kunit_test_suite(move_suite);
