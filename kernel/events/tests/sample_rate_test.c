// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the limit of the sample rate that follows from the time that interrupts take.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sysctl.h>

#include "../overflow/sample_rate.h"
#include "test_cpu.h"

#define SHORT	1000ULL			/* ns */
#define LONG	(100 * SHORT)
#define STOLEN	(10 * NSEC_PER_MSEC)	/* a host has preempted the CPU */

/* A quarter of a tick of 4 ms: 1,000 short interrupts, or 10 long ones. */
#define BUDGET	NSEC_PER_MSEC
#define MOST	400U

/* A window and a limit do not lapse before so many ticks, see PERF_RATE_LAPSE. */
#define LAPSE	(2 * PERF_TOOK_WINDOW)

/* A host must let the CPU run for LAPSE ticks in one of so many tries. */
#define TRIES	100

/* Result of a window with @nr interrupts that take @ns, while the other ones take SHORT. */
static u64 usual_with(struct kunit *test, unsigned int nr, u64 ns)
{
	struct perf_took_window window = {};
	unsigned int i;

	for (i = 1; i <= PERF_TOOK_WINDOW; i++) {
		bool full = perf_took_add(&window, i % 2 && i / 2 < nr ? ns : SHORT);

		KUNIT_EXPECT_EQ(test, full, i == PERF_TOOK_WINDOW);
	}
	return perf_took_usual(&window);
}

/* Result of a window in which each interrupt takes @ns. */
static u64 usual_of(u64 ns)
{
	struct perf_took_window window = {};

	while (!perf_took_add(&window, ns))
		;
	return perf_took_usual(&window);
}

static void levels_are_a_quarter_wide(struct kunit *test)
{
	u64 usual;

	for (u64 ns = 0; ns <= U32_MAX; ns += 1 + ns / 7) {
		KUNIT_ASSERT_LT(test, perf_took_level(ns), PERF_TOOK_LEVELS);
		KUNIT_ASSERT_LE(test, perf_took_level(ns), perf_took_level(ns + 1));
		usual = usual_of(ns);
		KUNIT_ASSERT_GE(test, usual, ns);
		KUNIT_ASSERT_LE(test, usual, ns + ns / 4);
	}
	KUNIT_EXPECT_LT(test, perf_took_level(U32_MAX), PERF_TOOK_LEVELS);
	KUNIT_EXPECT_EQ(test, perf_took_level(U64_MAX), perf_took_level(U32_MAX));
}

static void outliers_do_not_count(struct kunit *test)
{
	u64 usual = usual_with(test, 0, 0);

	KUNIT_EXPECT_EQ(test, perf_rate_judge(MOST, MOST, usual, BUDGET), MOST);
	for (unsigned int nr = 1; nr <= PERF_TOOK_OUTLIERS; nr++) {
		KUNIT_EXPECT_EQ(test, usual_with(test, nr, STOLEN), usual);
		KUNIT_EXPECT_EQ(test, usual_with(test, nr, U64_MAX), usual);
	}
}

/* Long interrupts count if they are more than an eighth of the window. */
static void many_long_ones_count(struct kunit *test)
{
	u64 quarter = usual_with(test, PERF_TOOK_WINDOW / 4, LONG);
	u64 half = usual_with(test, PERF_TOOK_WINDOW / 2, LONG);

	KUNIT_EXPECT_GT(test, quarter, LONG / 8);
	KUNIT_EXPECT_GT(test, half, LONG / 3);
	KUNIT_EXPECT_LT(test, perf_rate_judge(MOST, MOST, quarter, BUDGET), MOST);
	KUNIT_EXPECT_LT(test, perf_rate_judge(MOST, MOST, half, BUDGET),
			perf_rate_judge(MOST, MOST, quarter, BUDGET));
}

/* A lowered rate fits the budget, and is not lower than needed. */
static void long_ones_lower_to_what_fits(struct kunit *test)
{
	for (u64 usual = BUDGET / MOST + 1; usual < 8 * BUDGET; usual += 1 + usual / 9) {
		u64 rate = perf_rate_judge(MOST, MOST, usual, BUDGET);

		KUNIT_ASSERT_GE(test, rate, 1);
		KUNIT_ASSERT_LT(test, rate, MOST);
		if (rate > 1)
			KUNIT_ASSERT_LE(test, rate * usual, BUDGET * 5 / 6);
		KUNIT_ASSERT_GE(test, (rate + 1) * (usual + usual / 4 + 1), BUDGET);
		/* a rate that fits is not changed */
		KUNIT_ASSERT_EQ(test, perf_rate_judge(rate, MOST, usual, BUDGET), rate);
	}
}

/* The time of interrupts varies by a tenth at any time. That does not change the rate. */
static void small_changes_change_nothing(struct kunit *test)
{
	unsigned int rate = perf_rate_judge(MOST, MOST, 10 * SHORT, BUDGET);

	KUNIT_EXPECT_EQ(test, rate, 80);
	KUNIT_EXPECT_EQ(test, perf_rate_judge(rate, MOST, 9 * SHORT, BUDGET), rate);
	KUNIT_EXPECT_EQ(test, perf_rate_judge(rate, MOST, 11 * SHORT, BUDGET), rate);
	KUNIT_EXPECT_LT(test, perf_rate_judge(rate, MOST, 13 * SHORT, BUDGET), rate);
	KUNIT_EXPECT_GT(test, perf_rate_judge(rate, MOST, 7 * SHORT, BUDGET), rate);
}

static void short_ones_raise_again(struct kunit *test)
{
	unsigned int rate = perf_rate_judge(MOST, MOST, LONG, BUDGET);

	KUNIT_EXPECT_EQ(test, rate, 8);
	rate = perf_rate_judge(rate, MOST, LONG / 2, BUDGET);
	KUNIT_EXPECT_EQ(test, rate, 16);
	rate = perf_rate_judge(rate, MOST, SHORT, BUDGET);
	KUNIT_EXPECT_EQ(test, rate, MOST);
	/* the lowest rate is raised as well */
	KUNIT_EXPECT_EQ(test, perf_rate_judge(1, MOST, STOLEN, BUDGET), 1);
	KUNIT_EXPECT_EQ(test, perf_rate_judge(1, MOST, BUDGET / 3, BUDGET), 2);
	KUNIT_EXPECT_EQ(test, perf_rate_judge(1, MOST, SHORT, BUDGET), MOST);
}

static void never_above_what_is_allowed(struct kunit *test)
{
	for (unsigned int max = 1; max < 2 * MOST; max++) {
		KUNIT_ASSERT_EQ(test, perf_rate_judge(max, max, 0, BUDGET), max);
		KUNIT_ASSERT_EQ(test, perf_rate_judge(1, max, 0, U32_MAX), max);
		KUNIT_ASSERT_LE(test, perf_rate_judge(1, max, SHORT, BUDGET), max);
		KUNIT_ASSERT_EQ(test, perf_rate_judge(max, max, U32_MAX, 1), 1);
	}
	KUNIT_EXPECT_EQ(test, perf_rate_judge(1, INT_MAX, 0, U32_MAX), INT_MAX);
}

/* Values of the sysctls, which are restored at the end of a test. */
struct rate_state {
	int percent;
	int rate;
};

static int rate_init(struct kunit *test)
{
	struct rate_state *state = kunit_kzalloc(test, sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	state->percent = sysctl_perf_cpu_time_max_percent;
	state->rate = sysctl_perf_event_sample_rate;
	test->priv = state;
	WRITE_ONCE(sysctl_perf_cpu_time_max_percent, 25);
	WRITE_ONCE(sysctl_perf_event_sample_rate, 100 * HZ);
	return 0;
}

static void rate_exit(struct kunit *test)
{
	struct rate_state *state = test->priv;

	if (!state)
		return;
	WRITE_ONCE(sysctl_perf_cpu_time_max_percent, state->percent);
	WRITE_ONCE(sysctl_perf_event_sample_rate, state->rate);
}

/* Report @nr interrupts that took @ns. PERF_TOOK_WINDOW of them complete at least one window. */
static void take(unsigned int nr, u64 ns)
{
	while (nr--)
		perf_sample_event_took(ns);
}

/* If a host stops the CPU, windows and limits lapse. May one have lapsed that began since then? */
static bool may_have_lapsed(unsigned long began)
{
	return jiffies - began >= LAPSE;
}

/*
 * Report interrupts that took @ns, until one window of them is complete. Return: the samples per
 * tick that are allowed then.
 */
static unsigned int rate_after(u64 ns)
{
	unsigned int rate, tries = TRIES;
	unsigned long began;

	do {
		began = jiffies;
		take(2 * PERF_TOOK_WINDOW, ns);
		rate = perf_sample_rate_per_tick();
	} while (may_have_lapsed(began) && --tries);
	return rate;
}

static void one_outlier_lowers_nothing(struct kunit *test)
{
	guard(irqsave)();
	/* complete the window that earlier interrupts have begun */
	take(2 * PERF_TOOK_WINDOW, SHORT);
	for (int i = 0; i < 10; i++) {
		take(1, STOLEN);
		take(PERF_TOOK_WINDOW - 1, SHORT);
		KUNIT_EXPECT_EQ(test, perf_sample_rate_per_tick(), 100);
	}
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, 100 * HZ);
}

static void a_cpu_is_limited_and_recovers(struct kunit *test)
{
	guard(irqsave)();
	KUNIT_EXPECT_EQ(test, rate_after(STOLEN), 1);
	/* opens are checked against the sysctl, which does not change */
	KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, 100 * HZ);
	KUNIT_EXPECT_EQ(test, rate_after(SHORT), 100);
}

static void the_administrator_may_allow_less(struct kunit *test)
{
	unsigned int rate;

	guard(irqsave)();
	rate = rate_after(TICK_NSEC / 4 / 50);
	KUNIT_EXPECT_LT(test, rate, 50);
	KUNIT_EXPECT_GT(test, rate, 5);
	WRITE_ONCE(sysctl_perf_event_sample_rate, 5 * HZ);
	KUNIT_EXPECT_EQ(test, perf_sample_rate_per_tick(), 5);
	KUNIT_EXPECT_EQ(test, rate_after(SHORT), 5);
}

/* With 0 or 100 percent there is no limit, and an earlier limit is lifted. */
static void all_of_the_time_is_no_limit(struct kunit *test)
{
	static const int none[] = { 0, 100 };

	guard(irqsave)();
	for (int i = 0; i < ARRAY_SIZE(none); i++) {
		WRITE_ONCE(sysctl_perf_cpu_time_max_percent, 25);
		KUNIT_EXPECT_EQ(test, rate_after(STOLEN), 1);
		WRITE_ONCE(sysctl_perf_cpu_time_max_percent, none[i]);
		KUNIT_EXPECT_EQ(test, perf_sample_rate_per_tick(), 100);
		KUNIT_EXPECT_EQ(test, rate_after(STOLEN), 100);
		KUNIT_EXPECT_EQ(test, sysctl_perf_event_sample_rate, 100 * HZ);
	}
}

/*
 * Begin with an empty window and without a limit: both follow from the end of a window. If instead
 * a limit lapses, the window need not be empty.
 */
static void empty_window(struct kunit *test)
{
	unsigned int tries = TRIES;
	unsigned long began;

	do {
		began = jiffies;
		for (int i = 0; i < 2 * PERF_TOOK_WINDOW && perf_sample_rate_per_tick() > 1; i++)
			take(1, STOLEN);
		for (int i = 0; i < 2 * PERF_TOOK_WINDOW && perf_sample_rate_per_tick() < 100; i++)
			take(1, SHORT);
	} while (may_have_lapsed(began) && --tries);
	KUNIT_ASSERT_EQ(test, perf_sample_rate_per_tick(), 100);
}

/* Half of a window is of long interrupts. These do not count if they are long ago. */
static void an_old_window_is_not_judged(struct kunit *test)
{
	test_bind_here(test);
	scoped_guard(irqsave) {
		empty_window(test);
		take(PERF_TOOK_WINDOW / 2, STOLEN);
	}
	schedule_timeout_uninterruptible(LAPSE + 2);
	scoped_guard(irqsave) {
		take(PERF_TOOK_WINDOW, SHORT);
		KUNIT_EXPECT_EQ(test, perf_sample_rate_per_tick(), 100);
	}
}

/* Long interrupts do not count if the sysctl was written since. */
static void a_window_ends_with_its_setting(struct kunit *test)
{
	struct ctl_table table = {
		.procname	= "kunit",
		.data		= &sysctl_perf_event_sample_rate,
		.maxlen		= sizeof(int),
		.extra1		= SYSCTL_ONE,
	};
	char text[16];
	size_t len = snprintf(text, sizeof(text), "%d\n", 100 * HZ);
	loff_t pos = 0;

	test_bind_here(test);
	scoped_guard(irqsave) {
		empty_window(test);
		take(PERF_TOOK_WINDOW / 2, STOLEN);
	}
	KUNIT_EXPECT_EQ(test, perf_event_max_sample_rate_handler(&table, 1, text, &len,
								 &pos), 0);
	scoped_guard(irqsave) {
		take(PERF_TOOK_WINDOW, SHORT);
		KUNIT_EXPECT_EQ(test, perf_sample_rate_per_tick(), 100);
	}
}

static struct kunit_case policy_cases[] = {
	KUNIT_CASE(levels_are_a_quarter_wide),
	KUNIT_CASE(outliers_do_not_count),
	KUNIT_CASE(many_long_ones_count),
	KUNIT_CASE(long_ones_lower_to_what_fits),
	KUNIT_CASE(small_changes_change_nothing),
	KUNIT_CASE(short_ones_raise_again),
	KUNIT_CASE(never_above_what_is_allowed),
	{}
};

static struct kunit_suite policy_suite = {
	.name		= "perf_sample_rate_policy",
	.test_cases	= policy_cases,
};

static struct kunit_case cpu_cases[] = {
	KUNIT_CASE(one_outlier_lowers_nothing),
	KUNIT_CASE(a_cpu_is_limited_and_recovers),
	KUNIT_CASE(the_administrator_may_allow_less),
	KUNIT_CASE(all_of_the_time_is_no_limit),
	KUNIT_CASE(an_old_window_is_not_judged),
	KUNIT_CASE(a_window_ends_with_its_setting),
	{}
};

static struct kunit_suite cpu_suite = {
	.name		= "perf_sample_rate_cpu",
	.init		= rate_init,
	.exit		= rate_exit,
	.test_cases	= cpu_cases,
};

kunit_test_suites(&policy_suite, &cpu_suite);
