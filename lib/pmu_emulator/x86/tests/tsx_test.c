// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the counter that transactions need, on an emulated PMU: when transactions
 * abort, and that events move off the counter when sysfs denies it. Skipped without
 * x86_pmu_emulator=, and if the emulated CPU has no such counter.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "arch/x86/events/core/suspend.h"
#include "arch/x86/events/features/tsx.h"
#include "../emulator.h"
#include "driver.h"

#define COUNTERS	4
#define TSX_COUNTER	3	/* the counter that transactions need */

struct tsx_test {
	int			cpu;
	struct perf_event	*event[COUNTERS];
};

static ssize_t store(const char *text)
{
	struct device_attribute *attr;

	attr = container_of(x86_tsx_group.attrs[0], struct device_attribute, attr);
	return attr->store(x86_core_pmus[0]->pmu.dev, attr, text, strlen(text));
}

/* Mispredicted branches can use any general purpose counter, and no fixed one. */
static void open_event(struct kunit *test, unsigned int n)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.config	= PERF_COUNT_HW_BRANCH_MISSES,
		.size	= sizeof(attr),
		.pinned	= 1,
	};
	struct tsx_test *tt = test->priv;

	tt->event[n] = perf_event_create_kernel_counter(&attr, tt->cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(tt->event[n]));
}

static void close_event(struct kunit *test, unsigned int n)
{
	struct tsx_test *tt = test->priv;

	perf_event_release_kernel(tt->event[n]);
	tt->event[n] = NULL;
}

/* Get the index of the event that has the counter, -1 if there is none. */
static int user_of(struct kunit *test, int counter)
{
	struct tsx_test *tt = test->priv;
	int n;

	for (n = 0; n < COUNTERS; n++) {
		if (tt->event[n] && READ_ONCE(tt->event[n]->hw.idx) == counter)
			return n;
	}
	return -1;
}

static u64 aborting(struct kunit *test)
{
	struct tsx_test *tt = test->priv;

	return READ_ONCE(per_cpu(emu_cpu, tt->cpu).extra[EMU_FORCE_ABORT]);
}

static bool counts(struct kunit *test, unsigned int n)
{
	struct tsx_test *tt = test->priv;
	u64 enabled, running, before;
	unsigned int i;

	before = perf_event_read_value(tt->event[n], &enabled, &running);
	for (i = 0; i < 1000000; i++) {
		usleep_range(100, 200);
		if (perf_event_read_value(tt->event[n], &enabled, &running) > before)
			return true;
	}
	return false;
}

static void transactions_abort_for_an_event(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < TSX_COUNTER; n++) {
		open_event(test, n);
		KUNIT_EXPECT_EQ(test, aborting(test), 0);
	}
	open_event(test, TSX_COUNTER);
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	KUNIT_EXPECT_EQ(test, user_of(test, TSX_COUNTER), TSX_COUNTER);
	KUNIT_EXPECT_TRUE(test, counts(test, TSX_COUNTER));
	/* They abort as long as the event has the counter. */
	close_event(test, 1);
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	close_event(test, TSX_COUNTER);
	KUNIT_EXPECT_EQ(test, aborting(test), 0);
}

static void event_leaves_a_denied_counter(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < COUNTERS; n++)
		open_event(test, n);
	/* No other counter is free: the event stays, and counts. */
	KUNIT_EXPECT_EQ(test, store("0"), 1);
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	KUNIT_EXPECT_TRUE(test, counts(test, TSX_COUNTER));

	/* The event moves as soon as another counter is free. */
	close_event(test, 1);
	KUNIT_EXPECT_EQ(test, aborting(test), 0);
	KUNIT_EXPECT_EQ(test, user_of(test, TSX_COUNTER), -1);
	KUNIT_EXPECT_EQ(test, user_of(test, 1), TSX_COUNTER);
	KUNIT_EXPECT_TRUE(test, counts(test, TSX_COUNTER));

	/* One more event finds no counter. */
	open_event(test, 1);
	KUNIT_EXPECT_EQ(test, aborting(test), 0);
	KUNIT_EXPECT_EQ(test, user_of(test, TSX_COUNTER), -1);
	KUNIT_EXPECT_TRUE(test, counts(test, TSX_COUNTER));
	close_event(test, 1);

	KUNIT_EXPECT_EQ(test, store("1"), 1);
	open_event(test, 1);
	KUNIT_EXPECT_EQ(test, user_of(test, TSX_COUNTER), 1);
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	KUNIT_EXPECT_TRUE(test, counts(test, 1));
}

static void value_is_lost_with_the_power(struct kunit *test)
{
	struct tsx_test *tt = test->priv;
	unsigned int n;

	test_bind(test, tt->cpu);
	for (n = 0; n < COUNTERS; n++)
		open_event(test, n);
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	local_irq_disable();
	x86_core_suspend();
	this_cpu_write(emu_cpu.extra[EMU_FORCE_ABORT], 0);
	x86_core_resume();
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, aborting(test), 1);
	KUNIT_EXPECT_TRUE(test, counts(test, TSX_COUNTER));
}

static void values_that_are_none(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, store("2"), -EINVAL);
	KUNIT_EXPECT_EQ(test, store(""), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_core_pmus[0]->denied, 0);
}

static int tsx_test_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct tsx_test *tt;

	if (!core || !core->force_abort)
		kunit_skip(test, "no emulated PMU with such a counter");
	tt = kunit_kzalloc(test, sizeof(*tt), GFP_KERNEL);
	if (!tt)
		return -ENOMEM;
	test->priv = tt;
	tt->cpu = cpumask_first(cpu_online_mask);
	return 0;
}

static void tsx_test_exit(struct kunit *test)
{
	struct tsx_test *tt = test->priv;
	unsigned int n;

	if (!tt)
		return;
	for (n = 0; n < COUNTERS; n++) {
		if (tt->event[n])
			close_event(test, n);
	}
	store("1");
}

static struct kunit_case tsx_cases[] = {
	KUNIT_CASE(transactions_abort_for_an_event),
	KUNIT_CASE(event_leaves_a_denied_counter),
	KUNIT_CASE(value_is_lost_with_the_power),
	KUNIT_CASE(values_that_are_none),
	{ }
};

static struct kunit_suite tsx_suite = {
	.name		= "perf_x86_tsx",
	.init		= tsx_test_init,
	.exit		= tsx_test_exit,
	.test_cases	= tsx_cases,
};

kunit_test_suite(tsx_suite);
