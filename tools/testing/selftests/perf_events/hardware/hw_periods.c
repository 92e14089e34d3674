// SPDX-License-Identifier: GPL-2.0
/*
 * Each period of a counter that ends gives a sample, while the counter is disabled and enabled, and
 * its task moves. A period may end just before the counter is stopped.
 */
#include <time.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/periods.h"

#define PERIOD	100003

static void run(void)
{
	spin(2 * PERIOD);
}

static void run_and_sleep(void)
{
	const struct timespec a_little = { .tv_nsec = 1 };

	for (int i = 0; i < 20; i++) {
		spin(PERIOD / 10);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &a_little, NULL);
	}
}

/* Without -icount the interrupts of QEMU's PMU are late by several periods. */
static const char *no_exact_interrupts(void)
{
	return pmu_is_emulated() ? NULL : no_instructions();
}

static void each_gives_a_sample(struct __test_metadata *_metadata, struct perf_event_attr attr,
				void (*work)(void))
{
	const char *reason = no_pmu() ?: no_exact_interrupts();
	struct perf_periods periods;

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, stay_where_it_counts(attr));
	ASSERT_EQ(0, perf_periods_of(&periods, attr, work, false));
	EXPECT_LT(PERF_PERIODS_ROUNDS / 2, periods.ended);
	EXPECT_EQ(0, periods.lost);
	EXPECT_GE(periods.ended, periods.samples);
	/* the sample of the last period may be due when the event is enabled again */
	EXPECT_LE(periods.ended, periods.samples + 1);
}

TEST(of_user_mode)
{
	each_gives_a_sample(_metadata, HW_CYCLES(.sample_period = PERIOD, .exclude_kernel = 1),
			    run);
}

/* Periods end where interrupts are off, in the switch of the task for example. */
TEST(of_the_kernel)
{
	if (geteuid())
		SKIP(return, "needs root");
	each_gives_a_sample(_metadata, HW_CYCLES(.sample_period = PERIOD), run_and_sleep);
}

TEST_HARNESS_MAIN
