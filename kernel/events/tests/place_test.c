// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: events change their place. Their leader is closed, or their PMU moves to another CPU. What
 * occurs at the new place must reach them, and what occurs at the old place must not.
 *
 * Each test has a group of a fake PMU, or of a cgroup. The tests generate occurrences of emulation
 * faults, as group_test.c does, so counts are exact.
 */
#include <kunit/test.h>
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "../abi/file.h"
#include "../abi/read.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../buffer/attach.h"
#include "../context/cgroup.h"
#include "../overflow/overflow.h"
#include "../sideband/sideband.h"
#include "../software/traced.h"
#include "fake_counters.h"
#include "test_cpu.h"
#include "test_fault.h"
#include "test_open.h"

#define FAKE_ID		PERF_COUNT_SW_EMULATION_FAULTS

/*
 * A sample comes within a millisecond. It comes later on a machine with other work, or if a host
 * stops the CPU. A try takes 1 ms or more, so this is at least a minute.
 */
#define WAIT_TRIES	60000

/* Where a sample is taken: on @from, on @to, or on another CPU. */
enum { AT_FROM, AT_TO, AT_OTHER, AT_MAX };

/**
 * struct place_test - one test
 * @fake: the PMU
 * @from: the CPU of the events
 * @to: the CPU that they move to
 * @regs: registers at an occurrence
 * @samples: number of samples, by AT_*
 */
struct place_test {
	struct fake_pmu	fake;
	int		from;
	int		to;
	struct pt_regs	regs;
	unsigned int	samples[AT_MAX];
};

static int place_init(struct kunit *test)
{
	struct place_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	t->from = cpumask_first(cpu_online_mask);
	t->to = cpumask_next(t->from, cpu_online_mask);
	t->fake.nr_counters = 4;
	t->fake.width = 48;
	err = fake_pmu_register(&t->fake, "kunit_place", THIS_MODULE);
	if (err)
		return err;
	test->priv = t;
	test_bind(test, t->from);
	return 0;
}

static void place_exit(struct kunit *test)
{
	struct place_test *t = test->priv;

	if (!t)
		return;
	fake_pmu_unregister(&t->fake);
}

static void place_sampled(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct place_test *t = event->overflow_handler_context;
	int cpu = smp_processor_id();
	int at = cpu == t->from ? AT_FROM : cpu == t->to ? AT_TO : AT_OTHER;

	WRITE_ONCE(t->samples[at], t->samples[at] + 1);
}

/* Open an event on the CPU @from. */
static struct perf_event *place_open(struct kunit *test, struct perf_event *leader,
				     struct perf_event_attr attr)
{
	struct place_test *t = test->priv;
	struct perf_event_request req = {
		.attr			= &attr,
		.cpu			= t->from,
		.leader			= leader,
		.handler		= place_sampled,
		.handler_context	= t,
	};

	return test_open(test, &req);
}

static struct perf_event *open_leader(struct kunit *test)
{
	struct place_test *t = test->priv;

	return place_open(test, NULL, (struct perf_event_attr) {
		.type	= t->fake.pmu.type,
		.config	= FAKE_CONFIG(FAKE_NS, 0),
	});
}

/* A listener for side-band records. */
static struct perf_event *open_listener(struct kunit *test, struct perf_event *leader)
{
	return place_open(test, leader, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.cgroup	= 1,
	});
}

static u64 count_of(struct perf_event *event)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	return value.count;
}

static struct perf_event_context *ctx_on(int cpu)
{
	return &per_cpu(perf_cpu_context, cpu).ctx;
}

static void occur_here(void *regs)
{
	perf_sw_event(FAKE_ID, 1, regs, 0);
}

static void occur_on(struct kunit *test, int cpu)
{
	struct place_test *t = test->priv;

	smp_call_function_single(cpu, occur_here, &t->regs, true);
}

/* How many records does an event get of one occurrence on a CPU? */
static unsigned int nr_records(const struct perf_event *listener, int cpu)
{
	return test_nr_records(listener, cpu, PERF_SIDEBAND_CGROUP);
}

/* A software event and a listener follow their leader to another CPU. */
static void followers_listen_where_they_are(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_event *leader, *event, *listener;

	if (t->to >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	leader = open_leader(test);
	event = place_open(test, leader, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= FAKE_ID,
	});
	listener = open_listener(test, leader);
	KUNIT_EXPECT_TRUE(test, perf_event_follows(event));
	occur_on(test, t->from);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 1);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 0);

	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	KUNIT_EXPECT_FALSE(test, ctx_on(t->from)->own.listened & BIT(FAKE_ID));
	KUNIT_EXPECT_TRUE(test, ctx_on(t->to)->own.listened & BIT(FAKE_ID));
	occur_on(test, t->from);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 0);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 1);

	/* it follows there, too */
	perf_event_disable(leader);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);
	perf_event_enable(leader);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 3);

	perf_event_close(listener);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 0);
	perf_event_close(event);
	KUNIT_EXPECT_FALSE(test, ctx_on(t->to)->own.listened & BIT(FAKE_ID));
	perf_event_close(leader);
}

static bool samples_come(struct place_test *t, int at)
{
	unsigned int before = READ_ONCE(t->samples[at]);

	for (int i = 0; i < WAIT_TRIES; i++) {
		if (READ_ONCE(t->samples[at]) != before)
			return true;
		usleep_range(1000, 2000);
	}
	return false;
}

/*
 * A sampling clock follows its leader to another CPU. From then on the timer of that CPU ends the
 * clock's periods.
 */
static void clock_samples_where_it_is(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_event *leader, *clock;
	unsigned int before;

	if (t->to >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	leader = open_leader(test);
	clock = place_open(test, leader, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= NSEC_PER_MSEC,
	});
	KUNIT_EXPECT_TRUE(test, perf_event_follows(clock));
	KUNIT_EXPECT_TRUE(test, samples_come(t, AT_FROM));
	KUNIT_EXPECT_EQ(test, t->samples[AT_TO], 0);

	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	before = READ_ONCE(t->samples[AT_FROM]);
	KUNIT_EXPECT_TRUE(test, samples_come(t, AT_TO));
	KUNIT_EXPECT_EQ(test, t->samples[AT_FROM], before);
	KUNIT_EXPECT_EQ(test, t->samples[AT_OTHER], 0);

	/* the clock alone */
	perf_event_close(leader);
	KUNIT_EXPECT_TRUE(test, samples_come(t, AT_TO));
	KUNIT_EXPECT_EQ(test, t->samples[AT_FROM], before);
	perf_event_close(clock);
}

/* As the core leaves an event that has overflowed too often. The tick does not look for it. */
static void throttle_here(void *arg)
{
	struct perf_event *event = arg;

	perf_event_mark_throttled(event);
	event->pmu->stop(event, PERF_EF_UPDATE);
}

static void throttle(struct perf_event *event)
{
	smp_call_function_single(event->cpu, throttle_here, event, true);
}

/* An event that is throttled starts anew when its leader goes, and when it moves. */
static void throttled_event_starts_anew(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_event *leader = open_leader(test), *event;

	event = place_open(test, leader, (struct perf_event_attr) {
		.type		= t->fake.pmu.type,
		.config		= FAKE_CONFIG(FAKE_POKE, 0),
		.sample_period	= 1,
	});
	fake_pmu_poke(&t->fake, 3);
	KUNIT_EXPECT_EQ(test, t->samples[AT_FROM], 3);
	throttle(event);
	fake_pmu_poke(&t->fake, 3);
	KUNIT_EXPECT_EQ(test, t->samples[AT_FROM], 3);

	perf_event_close(leader);
	KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
	fake_pmu_poke(&t->fake, 3);
	KUNIT_EXPECT_EQ(test, t->samples[AT_FROM], 6);

	if (t->to < nr_cpu_ids) {
		throttle(event);
		perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
		KUNIT_EXPECT_FALSE(test, perf_event_is_throttled(event));
		test_bind(test, t->to);
		fake_pmu_poke(&t->fake, 3);
		KUNIT_EXPECT_EQ(test, t->samples[AT_TO], 3);
		KUNIT_EXPECT_EQ(test, count_of(event), 9);
		KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, t->to)->nr_faults, 0);
	}
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, t->from)->nr_faults, 0);
	perf_event_close(event);
}

#ifdef CONFIG_CGROUP_PERF
static struct perf_event *open_of_cgroup(struct kunit *test, struct perf_cgroup *cgrp,
					 struct perf_event_attr attr)
{
	struct place_test *t = test->priv;
	struct perf_event_request req = { .attr = &attr, .cpu = t->from };

	return test_open_of_cgroup(test, cgrp, &req);
}

static struct perf_subctx *subctx_on(int cpu, struct perf_cgroup *cgrp)
{
	return xa_load(&ctx_on(cpu)->subctxs, cgrp->css.id);
}

/* The tests compare with CPUs that have no other events of the cgroup. */
static void need_empty_cpu(struct kunit *test, int cpu)
{
	if (subctx_on(cpu, test_own_cgroup()))
		kunit_skip(test, "other events of the cgroup on CPU %d", cpu);
}

static void need_two_empty_cpus(struct kunit *test)
{
	struct place_test *t = test->priv;

	if (t->to >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	need_empty_cpu(test, t->from);
	need_empty_cpu(test, t->to);
}

/* Siblings without a cgroup lose a leader with one: they are events of the whole CPU then. */
static void foreign_events_come_home(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_event_context *ctx = ctx_on(t->from);
	struct perf_event *leader, *event, *listener, *clock;

	need_empty_cpu(test, t->from);
	leader = open_of_cgroup(test, test_own_cgroup(), (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
	});
	event = place_open(test, leader, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= FAKE_ID,
		.freq		= 1,
		.sample_freq	= 1,
	});
	listener = open_listener(test, leader);
	clock = place_open(test, leader, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= NSEC_PER_MSEC,
	});
	KUNIT_EXPECT_FALSE(test, perf_event_follows(event) || perf_event_follows(clock));
	KUNIT_EXPECT_PTR_EQ(test, event->subctx, leader->subctx);
	KUNIT_EXPECT_PTR_NE(test, event->subctx, &ctx->own);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(event, leader->subctx));
	occur_on(test, t->from);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 1);
	KUNIT_EXPECT_TRUE(test, samples_come(t, AT_FROM));

	perf_event_close(leader);
	KUNIT_EXPECT_NULL(test, subctx_on(t->from, test_own_cgroup()));
	KUNIT_EXPECT_PTR_EQ(test, event->subctx, &ctx->own);
	KUNIT_EXPECT_PTR_EQ(test, listener->subctx, &ctx->own);
	KUNIT_EXPECT_PTR_EQ(test, clock->subctx, &ctx->own);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(event, &ctx->own));
	occur_on(test, t->from);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 1);
	KUNIT_EXPECT_TRUE(test, samples_come(t, AT_FROM));

	perf_event_close(clock);
	perf_event_close(listener);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 0);
	perf_event_close(event);
	KUNIT_EXPECT_FALSE(test, ctx->own.listened & BIT(FAKE_ID));
}

/* Generate occurrences on a CPU. The thread stays there. */
static void poke_on(struct kunit *test, int cpu, u64 nr)
{
	struct place_test *t = test->priv;

	test_bind(test, cpu);
	fake_pmu_poke(&t->fake, nr);
}

static struct perf_event_attr poked(struct place_test *t)
{
	return (struct perf_event_attr) {
		.type	= t->fake.pmu.type,
		.config	= FAKE_CONFIG(FAKE_POKE, 0),
	};
}

static unsigned int nr_faults(struct place_test *t)
{
	return per_cpu_ptr(t->fake.cpus, t->from)->nr_faults +
	       per_cpu_ptr(t->fake.cpus, t->to)->nr_faults;
}

/*
 * Two groups of a cgroup move, and an event of the cgroup stays behind. The groups share the
 * cgroup's sub-context of the new CPU. The sub-context of the old CPU is freed with its last
 * event.
 */
static void groups_of_a_cgroup_move(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_cgroup *cgrp = test_own_cgroup();
	struct perf_event *group[2], *stays;
	struct perf_subctx *there;
	unsigned int nr_from, nr_to;

	need_two_empty_cpus(test);

	nr_from = per_cpu(perf_cpu_context, t->from).nr_cgroup_subctxs;
	nr_to = per_cpu(perf_cpu_context, t->to).nr_cgroup_subctxs;
	for (int i = 0; i < 2; i++)
		group[i] = open_of_cgroup(test, cgrp, poked(t));
	stays = open_of_cgroup(test, cgrp, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= FAKE_ID,
	});
	poke_on(test, t->from, 1);

	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	there = subctx_on(t->to, cgrp);
	KUNIT_ASSERT_NOT_NULL(test, there);
	KUNIT_EXPECT_PTR_EQ(test, there->cgrp, cgrp);
	KUNIT_EXPECT_EQ(test, there->nr_events, 2);
	KUNIT_EXPECT_PTR_EQ(test, stays->subctx, subctx_on(t->from, cgrp));
	KUNIT_EXPECT_EQ(test, stays->subctx->nr_events, 1);
	poke_on(test, t->from, 1);
	poke_on(test, t->to, 1);
	occur_on(test, t->from);
	occur_on(test, t->to);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_PTR_EQ(test, group[i]->subctx, there);
		KUNIT_EXPECT_PTR_EQ(test, group[i]->pmu_ctx->subctx, there);
		KUNIT_EXPECT_EQ(test, group[i]->oncpu, t->to);
		KUNIT_EXPECT_EQ(test, count_of(group[i]), 2);
	}
	KUNIT_EXPECT_EQ(test, count_of(stays), 1);

	/* back: both groups leave the sub-context at once, and it goes */
	perf_pmu_migrate_context(&t->fake.pmu, t->to, t->from);
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, t->to).nr_cgroup_subctxs, nr_to);
	KUNIT_EXPECT_PTR_EQ(test, group[0]->subctx, stays->subctx);
	KUNIT_EXPECT_PTR_EQ(test, group[1]->subctx, stays->subctx);
	KUNIT_EXPECT_EQ(test, stays->subctx->nr_events, 3);
	perf_event_close(stays);
	KUNIT_EXPECT_PTR_EQ(test, group[0]->subctx, subctx_on(t->from, cgrp));

	perf_event_close(group[0]);
	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	KUNIT_EXPECT_NULL(test, subctx_on(t->from, cgrp));
	KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, t->from).nr_cgroup_subctxs, nr_from);
	poke_on(test, t->to, 1);
	KUNIT_EXPECT_EQ(test, count_of(group[1]), 3);
	perf_event_close(group[1]);
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, t->to).nr_cgroup_subctxs, nr_to);
	KUNIT_EXPECT_EQ(test, nr_faults(t), 0);
}

/*
 * Foreign events move with the group of a cgroup. When they lose their leader, they are events of
 * the whole new CPU.
 */
static void foreign_events_move(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_cgroup *cgrp = test_own_cgroup();
	struct perf_event *leader, *counter, *event, *listener;
	struct perf_subctx *own, *there;

	need_two_empty_cpus(test);

	own = &ctx_on(t->to)->own;
	leader = open_of_cgroup(test, cgrp, poked(t));
	counter = place_open(test, leader, poked(t));
	event = place_open(test, leader, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= FAKE_ID,
		.freq		= 1,
		.sample_freq	= 1,
	});
	listener = open_listener(test, leader);
	KUNIT_EXPECT_TRUE(test, perf_cgroup_is_foreign(counter, leader->subctx));
	KUNIT_EXPECT_FALSE(test, perf_event_follows(event) || perf_event_follows(listener));

	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	there = subctx_on(t->to, cgrp);
	KUNIT_ASSERT_NOT_NULL(test, there);
	KUNIT_EXPECT_EQ(test, there->nr_events, 4);
	KUNIT_EXPECT_PTR_EQ(test, counter->subctx, there);
	KUNIT_EXPECT_PTR_EQ(test, event->subctx, there);
	KUNIT_EXPECT_PTR_EQ(test, listener->subctx, there);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(event, there));
	KUNIT_EXPECT_FALSE(test, test_ticks_in(event, own));
	poke_on(test, t->from, 1);
	poke_on(test, t->to, 1);
	KUNIT_EXPECT_EQ(test, count_of(leader), 1);
	KUNIT_EXPECT_EQ(test, count_of(counter), 1);
	occur_on(test, t->from);
	KUNIT_EXPECT_EQ(test, count_of(event), 0);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->from), 0);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 1);

	perf_event_close(leader);
	KUNIT_EXPECT_NULL(test, subctx_on(t->from, cgrp));
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	KUNIT_EXPECT_PTR_EQ(test, counter->subctx, own);
	KUNIT_EXPECT_PTR_EQ(test, counter->pmu_ctx->subctx, own);
	KUNIT_EXPECT_PTR_EQ(test, event->subctx, own);
	KUNIT_EXPECT_PTR_EQ(test, listener->subctx, own);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(event, own));
	poke_on(test, t->to, 1);
	KUNIT_EXPECT_EQ(test, count_of(counter), 2);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 1);

	perf_event_close(listener);
	KUNIT_EXPECT_EQ(test, nr_records(listener, t->to), 0);
	perf_event_close(event);
	KUNIT_EXPECT_FALSE(test, own->listened & BIT(FAKE_ID));
	perf_event_close(counter);
	KUNIT_EXPECT_EQ(test, nr_faults(t), 0);
}

/* A cgroup without tasks. */
static struct perf_cgroup *empty_cgroup(struct kunit *test)
{
	struct perf_cgroup *cgrp = kunit_kzalloc(test, sizeof(*cgrp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cgrp);
	cgrp->css.flags = CSS_NO_REF;
	/* no cgroup has this number: cgroups get the smallest number that is free */
	cgrp->css.id = INT_MAX;
	cgrp->css.cgroup = test_own_cgroup()->css.cgroup;
	return cgrp;
}

/*
 * A foreign event moves while no task of its leader's cgroup runs. Its time_enabled goes on with
 * the new CPU, and its time_running stands still until the leader is closed.
 */
static void times_of_foreign_events_move(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_cgroup *cgrp = empty_cgroup(test);
	struct perf_event *leader, *event;
	struct test_times before, after, later;

	need_two_empty_cpus(test);

	leader = open_of_cgroup(test, cgrp, poked(t));
	event = place_open(test, leader, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= FAKE_ID,
	});
	before = test_times_later(event);
	KUNIT_EXPECT_EQ(test, before.running, 0);

	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	after = test_times(event);
	later = test_times_later(event);
	KUNIT_EXPECT_EQ(test, event->cpu, t->to);
	KUNIT_EXPECT_GE(test, after.enabled, before.enabled);
	KUNIT_EXPECT_EQ(test, later.enabled - after.enabled, later.now - after.now);
	KUNIT_EXPECT_EQ(test, later.running, 0);
	KUNIT_EXPECT_EQ(test, test_times(leader).enabled, 0);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 0);

	perf_event_close(leader);
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	after = test_times(event);
	KUNIT_EXPECT_EQ(test, after.enabled - later.enabled, after.now - later.now);
	later = test_times_later(event);
	KUNIT_EXPECT_EQ(test, later.running - after.running, later.now - after.now);
	occur_on(test, t->to);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);
	perf_event_close(event);
}

#if defined(CONFIG_EVENT_TRACING) && defined(TEST_HAS_FAULTS)
/* More allocations than the migration of a test's groups needs. */
#define MOST_ALLOCATIONS	20

static bool has_traced(int cpu, struct trace_event_call *call)
{
	struct perf_event_context *ctx = ctx_on(cpu);
	struct perf_traced *traced;

	guard(mutex)(&ctx->mutex);
	hlist_for_each_entry(traced, &ctx->own.traced, subctx_entry) {
		if (traced->call == call)
			return true;
	}
	return false;
}

/**
 * struct lacking - a group of a cgroup that needs memory on each CPU that it moves to
 * @leader: the leader, of the fake PMU
 * @counter: another event of this PMU
 * @traced: events of tracepoints
 * @call: their tracepoints
 * @rb: buffer of the first tracepoint's event
 * @poller: sleeps in poll(2) for it
 * @wakeups: number of its wakeups
 */
struct lacking {
	struct perf_event	*leader;
	struct perf_event	*counter;
	struct perf_event	*traced[2];
	struct trace_event_call	*call[2];
	struct perf_buffer	*rb;
	wait_queue_entry_t	poller;
	unsigned int		wakeups;
};

static int on_wakeup(wait_queue_entry_t *poller, unsigned int mode, int flags, void *key)
{
	container_of(poller, struct lacking, poller)->wakeups++;
	return 0;
}

static __poll_t poll_of(struct perf_event *event)
{
	struct file file = { .private_data = event };

	return perf_event_fops.poll(&file, NULL);
}

static void open_lacking(struct kunit *test, struct lacking *group)
{
	struct place_test *t = test->priv;

	group->leader = open_of_cgroup(test, test_own_cgroup(), poked(t));
	group->counter = place_open(test, group->leader, poked(t));
	for (int i = 0; i < 2; i++)
		group->traced[i] = place_open(test, group->leader, (struct perf_event_attr) {
			.type	= PERF_TYPE_TRACEPOINT,
			.config	= group->call[i]->event.type,
		});
	group->rb = test_buffer(test, group->traced[0], 1);
	init_waitqueue_func_entry(&group->poller, on_wakeup);
	add_wait_queue(&group->traced[0]->waitq, &group->poller);
	group->wakeups = 0;
}

static void close_lacking(struct kunit *test, struct lacking *group)
{
	struct place_test *t = test->priv;

	remove_wait_queue(&group->traced[0]->waitq, &group->poller);
	perf_event_close(group->leader);
	perf_event_close(group->counter);
	for (int i = 0; i < 2; i++)
		perf_event_close(group->traced[i]);
	perf_rb_put(group->rb);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, has_traced(t->from, group->call[i]));
		KUNIT_EXPECT_FALSE(test, has_traced(t->to, group->call[i]));
	}
}

/* The group did not move. It is in error, and nothing is left of it on either CPU. */
static void expect_lacking_ended(struct kunit *test, struct lacking *group)
{
	struct perf_cgroup *cgrp = test_own_cgroup();
	struct place_test *t = test->priv;

	KUNIT_EXPECT_NULL(test, subctx_on(t->from, cgrp));
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	KUNIT_EXPECT_EQ(test, (int)group->leader->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, (int)group->counter->state, PERF_EVENT_STATE_ERROR);
	for (int i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, (int)group->traced[i]->state, PERF_EVENT_STATE_ERROR);
		KUNIT_EXPECT_FALSE(test, has_traced(t->from, group->call[i]));
		KUNIT_EXPECT_FALSE(test, has_traced(t->to, group->call[i]));
	}
	KUNIT_EXPECT_EQ(test, poll_of(group->traced[0]), EPOLLHUP);
	KUNIT_EXPECT_EQ(test, group->wakeups, 1);
	/* for good, also if it is enabled */
	perf_event_enable(group->leader);
	poke_on(test, t->from, 1);
	KUNIT_EXPECT_EQ(test, count_of(group->leader), 1);
	KUNIT_EXPECT_EQ(test, count_of(group->counter), 1);
	KUNIT_EXPECT_EQ(test, (int)group->leader->state, PERF_EVENT_STATE_ERROR);
}

/* Move the fake PMU with memory for @nr allocations. Return: false if that was enough. */
static bool lacks_memory(struct kunit *test, struct test_fault *fault, unsigned int nr)
{
	struct place_test *t = test->priv;

	test_fault_arm(fault, nr);
	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	return test_fault_disarm(fault);
}

/*
 * A group of a cgroup moves with memory for 0, 1, 2 and so on allocations. While these do not
 * suffice, it ends in error. A group that needs none moves.
 */
static void groups_end_without_memory(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct lacking group = {
		.call = {
			test_tracepoint("perf_event_refused"),
			test_tracepoint("perf_event_rate_limit"),
		},
	};
	struct test_fault *fault;
	struct perf_event *alone;
	unsigned int nr;

	need_two_empty_cpus(test);

	KUNIT_ASSERT_TRUE(test, group.call[0] && group.call[1]);
	fault = test_fault_begin(test);
	alone = place_open(test, NULL, poked(t));
	/* its pmu_ctx stays on the other CPU */
	perf_pmu_migrate_context(&t->fake.pmu, t->from, t->to);
	perf_pmu_migrate_context(&t->fake.pmu, t->to, t->from);

	for (nr = 0; nr < MOST_ALLOCATIONS; nr++) {
		open_lacking(test, &group);
		poke_on(test, t->from, 1);
		if (!lacks_memory(test, fault, nr))
			break;
		KUNIT_EXPECT_EQ(test, alone->oncpu, t->to);
		expect_lacking_ended(test, &group);
		close_lacking(test, &group);
		perf_pmu_migrate_context(&t->fake.pmu, t->to, t->from);
	}
	/* the sub-context, its place in the array, its pmu_ctx, and one perf_traced for each */
	KUNIT_EXPECT_GE(test, nr, 5);
	KUNIT_EXPECT_LT(test, nr, MOST_ALLOCATIONS);
	if (nr == MOST_ALLOCATIONS)
		open_lacking(test, &group);
	KUNIT_EXPECT_EQ(test, poll_of(group.traced[0]), 0);
	KUNIT_EXPECT_EQ(test, group.wakeups, 0);

	KUNIT_EXPECT_NOT_NULL(test, subctx_on(t->to, test_own_cgroup()));
	KUNIT_EXPECT_NULL(test, subctx_on(t->from, test_own_cgroup()));
	KUNIT_EXPECT_EQ(test, group.leader->oncpu, t->to);
	poke_on(test, t->to, 1);
	KUNIT_EXPECT_EQ(test, count_of(group.leader), 2);
	KUNIT_EXPECT_EQ(test, count_of(group.counter), 2);

	close_lacking(test, &group);
	perf_event_close(alone);
	KUNIT_EXPECT_EQ(test, nr_faults(t), 0);
}

/*
 * A group of a cgroup has left the old CPU when another one lacks memory and ends. No event of the
 * cgroup is left on the old CPU then, but the first group has not arrived yet. The sub-context is
 * freed once.
 */
static void group_ends_while_another_moves(struct kunit *test)
{
	struct place_test *t = test->priv;
	struct perf_cgroup *cgrp = test_own_cgroup();
	struct perf_event_attr attr = poked(t);
	struct perf_event_request req = { .attr = &attr, .cpu = t->to };
	struct perf_event *there, *moves, *ends, *traced;
	struct trace_event_call *call = test_tracepoint("perf_event_rate_limit");
	struct test_fault *fault;
	unsigned int nr_from;

	need_two_empty_cpus(test);

	KUNIT_ASSERT_NOT_NULL(test, call);
	fault = test_fault_begin(test);
	nr_from = per_cpu(perf_cpu_context, t->from).nr_cgroup_subctxs;
	/* so that only the tracepoint needs memory there */
	there = test_open_of_cgroup(test, cgrp, &req);
	moves = open_of_cgroup(test, cgrp, poked(t));
	ends = open_of_cgroup(test, cgrp, poked(t));
	traced = place_open(test, ends, (struct perf_event_attr) {
		.type	= PERF_TYPE_TRACEPOINT,
		.config	= call->event.type,
	});

	KUNIT_EXPECT_TRUE(test, lacks_memory(test, fault, 0));
	KUNIT_EXPECT_EQ(test, (int)ends->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, (int)traced->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, moves->oncpu, t->to);
	KUNIT_EXPECT_PTR_EQ(test, moves->subctx, there->subctx);
	KUNIT_EXPECT_EQ(test, moves->subctx->nr_events, 2);
	KUNIT_EXPECT_NULL(test, subctx_on(t->from, cgrp));
	KUNIT_EXPECT_EQ(test, per_cpu(perf_cpu_context, t->from).nr_cgroup_subctxs, nr_from);

	perf_event_close(traced);
	perf_event_close(ends);
	perf_event_close(there);
	KUNIT_EXPECT_PTR_EQ(test, moves->subctx, subctx_on(t->to, cgrp));
	perf_event_close(moves);
	KUNIT_EXPECT_NULL(test, subctx_on(t->to, cgrp));
	KUNIT_EXPECT_EQ(test, nr_faults(t), 0);
}
#endif
#endif

static struct kunit_case place_cases[] = {
	KUNIT_CASE(followers_listen_where_they_are),
	KUNIT_CASE(clock_samples_where_it_is),
	KUNIT_CASE(throttled_event_starts_anew),
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(foreign_events_come_home),
	KUNIT_CASE(groups_of_a_cgroup_move),
	KUNIT_CASE(foreign_events_move),
	KUNIT_CASE(times_of_foreign_events_move),
#if defined(CONFIG_EVENT_TRACING) && defined(TEST_HAS_FAULTS)
	KUNIT_CASE(groups_end_without_memory),
	KUNIT_CASE(group_ends_while_another_moves),
#endif
#endif
	{}
};

static struct kunit_suite place_suite = {
	.name		= "perf_place",
	.init		= place_init,
	.exit		= place_exit,
	.test_cases	= place_cases,
};

kunit_test_suite(place_suite);
