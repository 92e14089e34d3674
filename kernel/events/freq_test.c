// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: periods that follow a rate.
 */
#include <kunit/test.h>

#include "freq.h"

#define RATE	1000000ULL	/* per second */
#define FREQ	4000ULL

static void ideal_is_rate_over_frequency(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_freq_period(RATE, NSEC_PER_SEC, FREQ), 250);
	KUNIT_EXPECT_EQ(test, perf_freq_period(RATE / 100, NSEC_PER_SEC / 100, FREQ), 250);
	KUNIT_EXPECT_EQ(test, perf_freq_period(3, NSEC_PER_SEC, FREQ), 1);
	/* as much as a counter can hold, and as fast as it can be asked for */
	KUNIT_EXPECT_EQ(test, perf_freq_period(S64_MAX, 1, 1), S64_MAX);
	KUNIT_EXPECT_EQ(test, perf_freq_period(1, S64_MAX, INT_MAX), 1);
	KUNIT_EXPECT_EQ(test, perf_freq_period(40 * NSEC_PER_SEC, S64_MAX, INT_MAX), 2);
}

/* A period of the ideal length stays, all others come to it from both sides. */
static void approach_arrives(struct kunit *test)
{
	static const u64 start[] = { 1, 2, 249, 250, 251, 1000000, S64_MAX };
	u64 period, next;

	for (int i = 0; i < ARRAY_SIZE(start); i++) {
		period = start[i];
		for (int n = 0; n < 200 && period != 250; n++) {
			next = perf_freq_approach(period, 250);
			KUNIT_EXPECT_LT(test, abs_diff(next, 250ULL),
					abs_diff(period, 250ULL));
			period = next;
		}
		KUNIT_EXPECT_EQ(test, period, 250);
		KUNIT_EXPECT_EQ(test, perf_freq_approach(period, 250), 250);
	}
	KUNIT_EXPECT_EQ(test, perf_freq_approach(1, 1), 1);
}

/* One measurement that is far off does not throw the period off. */
static void approach_is_slow(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_freq_approach(1000, 2000), 1250);
	KUNIT_EXPECT_EQ(test, perf_freq_approach(1000, 1), 750);
}

static void overdue_after_two_periods(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, perf_freq_is_overdue(0, FREQ));
	KUNIT_EXPECT_FALSE(test, perf_freq_is_overdue(2 * NSEC_PER_SEC / FREQ - 1, FREQ));
	KUNIT_EXPECT_TRUE(test, perf_freq_is_overdue(2 * NSEC_PER_SEC / FREQ, FREQ));
	KUNIT_EXPECT_TRUE(test, perf_freq_is_overdue(U64_MAX, 1));
	KUNIT_EXPECT_FALSE(test, perf_freq_is_overdue(NSEC_PER_SEC, 1));
}

static struct kunit_case freq_test_cases[] = {
	KUNIT_CASE(ideal_is_rate_over_frequency),
	KUNIT_CASE(approach_arrives),
	KUNIT_CASE(approach_is_slow),
	KUNIT_CASE(overdue_after_two_periods),
	{}
};

static struct kunit_suite freq_test_suite = {
	.name = "perf_events_freq",
	.test_cases = freq_test_cases,
};

kunit_test_suite(freq_test_suite);

MODULE_DESCRIPTION("KUnit tests of the frequency mode of perf events");
MODULE_LICENSE("GPL");
