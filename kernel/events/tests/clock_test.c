// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: clocks, and the times of events that are read from them.
 */
#include <kunit/test.h>

#include "../base/clock.h"

static void clock_stands_until_started(struct kunit *test)
{
	struct perf_clock clock = {};

	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 0), 0);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 1000), 0);
}

static void clock_adds_up_intervals(struct kunit *test)
{
	struct perf_clock clock = {};

	perf_clock_start(&clock, 100);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 100), 0);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 130), 30);
	perf_clock_stop(&clock, 150);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 1000), 50);

	perf_clock_start(&clock, 2000);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 2000), 50);
	perf_clock_stop(&clock, 2007);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 0), 57);
}

/* Another CPU's time may be behind the one that started the clock. */
static void clock_never_goes_back(struct kunit *test)
{
	struct perf_clock clock = {};

	perf_clock_start(&clock, 1000);
	perf_clock_stop(&clock, 1500);
	perf_clock_start(&clock, 3000);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 2990), 500);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 3010), 510);
	perf_clock_stop(&clock, 2950);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 0), 500);
}

static void clock_survives_wrap(struct kunit *test)
{
	struct perf_clock clock = {};

	perf_clock_start(&clock, U64_MAX - 9);
	KUNIT_EXPECT_EQ(test, perf_clock_read(&clock, 10), 20);
	perf_clock_stop(&clock, 10);
	KUNIT_EXPECT_EQ(test, clock.value, 20);
}

static struct kunit_case clock_cases[] = {
	KUNIT_CASE(clock_stands_until_started),
	KUNIT_CASE(clock_adds_up_intervals),
	KUNIT_CASE(clock_never_goes_back),
	KUNIT_CASE(clock_survives_wrap),
	{}
};

static struct kunit_suite clock_suite = {
	.name		= "perf_events_clock",
	.test_cases	= clock_cases,
};

kunit_test_suite(clock_suite);
