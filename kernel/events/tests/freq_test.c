// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: periods that follow a rate.
 */
#include <kunit/test.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/subctx.h"
#include "../overflow/freq.h"
#include "../overflow/overflow.h"
#include "../sched/tick.h"

#define RATE	1000000ULL	/* per second */
#define FREQ	4000ULL

static void ideal_is_rate_over_frequency(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_freq_period(RATE, NSEC_PER_SEC, FREQ), 250);
	KUNIT_EXPECT_EQ(test, perf_freq_period(RATE / 100, NSEC_PER_SEC / 100, FREQ), 250);
	KUNIT_EXPECT_EQ(test, perf_freq_period(3, NSEC_PER_SEC, FREQ), 1);
	/* the largest count and the highest frequency */
	KUNIT_EXPECT_EQ(test, perf_freq_period(S64_MAX, 1, 1), S64_MAX);
	KUNIT_EXPECT_EQ(test, perf_freq_period(1, S64_MAX, INT_MAX), 1);
	KUNIT_EXPECT_EQ(test, perf_freq_period(40ULL * NSEC_PER_SEC, S64_MAX, INT_MAX), 2);
}

/* A period of the ideal length stays. Shorter and longer periods approach that length. */
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

/* One wrong measurement changes the period only a little. */
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

#define NR_SLOW	(2 * PERF_FREQ_AT_ONCE + 1)

static void slow_stop(struct perf_event *event, int flags)
{
	event->hw.interrupts++;
}

static void slow_start(struct perf_event *event, int flags)
{
}

static struct pmu slow_pmu = {
	.start	= slow_start,
	.stop	= slow_stop,
};

/* Make an event of a PMU that should have ended many periods by now. */
static struct perf_event *slow_event(struct kunit *test, struct perf_subctx *subctx,
				     struct pmu *pmu)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->pmu = pmu;
	event->subctx = subctx;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->attr.freq = 1;
	event->attr.sample_freq = FREQ;
	event->event_caps = PERF_EV_CAP_TICKED;
	perf_freq_attach(event);
	return event;
}

/* A tick adjusts a limited number of events. The other ones are adjusted by later ticks. */
static void tick_looks_at_few(struct kunit *test)
{
	struct perf_subctx *subctx = kunit_kzalloc(test, sizeof(*subctx), GFP_KERNEL);
	struct perf_event **event;
	unsigned int seen, most;

	event = kunit_kcalloc(test, NR_SLOW, sizeof(*event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, subctx);
	KUNIT_ASSERT_NOT_NULL(test, event);
	perf_subctx_init(subctx, NULL);
	subctx->clock.value = NSEC_PER_SEC;
	for (int i = 0; i < NR_SLOW; i++)
		event[i] = slow_event(test, subctx, &slow_pmu);

	for (int tick = 1; tick <= 6; tick++) {
		KUNIT_EXPECT_TRUE(test, perf_tick_freq_is_due(subctx));
		perf_tick_freq(subctx);
		seen = 0;
		most = 0;
		for (int i = 0; i < NR_SLOW; i++) {
			event[i]->hw.freq_time_stamp = 0;
			seen += event[i]->hw.interrupts;
			most = max_t(unsigned int, most, event[i]->hw.interrupts);
		}
		KUNIT_EXPECT_EQ(test, seen, tick * PERF_FREQ_AT_ONCE);
		KUNIT_EXPECT_EQ(test, most, DIV_ROUND_UP(seen, NR_SLOW));
	}
	for (int i = 0; i < NR_SLOW; i++)
		perf_freq_detach(event[i]);
	KUNIT_EXPECT_FALSE(test, perf_tick_freq_is_due(subctx));
}

/* Drivers of PMUs with a buffer of samples: stop() finds an overflow in it. */
static void throttling_stop(struct perf_event *event, int flags)
{
	perf_event_mark_throttled(event);
}

static void ending_stop(struct perf_event *event, int flags)
{
	event->pending_disable = 1;
}

/* hw.config is free here. */
static void counted_start(struct perf_event *event, int flags)
{
	event->hw.config++;
}

/* A tick stops an event to look at its period. It stays stopped if it is throttled, or done. */
static void tick_starts_nothing_halted(struct kunit *test)
{
	static struct pmu buffered[] = {
		{ .start = counted_start, .stop = slow_stop },
		{ .start = counted_start, .stop = throttling_stop },
		{ .start = counted_start, .stop = ending_stop },
	};
	struct perf_subctx *subctx = kunit_kzalloc(test, sizeof(*subctx), GFP_KERNEL);
	struct perf_event *event[ARRAY_SIZE(buffered)];

	KUNIT_ASSERT_NOT_NULL(test, subctx);
	perf_subctx_init(subctx, NULL);
	subctx->clock.value = NSEC_PER_SEC;
	for (int i = 0; i < ARRAY_SIZE(buffered); i++)
		event[i] = slow_event(test, subctx, &buffered[i]);

	for (int tick = 1; tick <= 2; tick++) {
		perf_tick_freq(subctx);
		KUNIT_EXPECT_EQ(test, event[0]->hw.config, tick);
		KUNIT_EXPECT_EQ(test, event[1]->hw.config, 0);
		KUNIT_EXPECT_EQ(test, event[2]->hw.config, 0);
		for (int i = 0; i < ARRAY_SIZE(buffered); i++)
			event[i]->hw.freq_time_stamp = 0;
	}

	perf_freq_detach(event[0]);
	KUNIT_EXPECT_FALSE(test, perf_tick_freq_is_due(subctx));
	for (int i = 1; i < ARRAY_SIZE(buffered); i++)
		perf_freq_detach(event[i]);
}

static struct kunit_case freq_test_cases[] = {
	KUNIT_CASE(ideal_is_rate_over_frequency),
	KUNIT_CASE(approach_arrives),
	KUNIT_CASE(approach_is_slow),
	KUNIT_CASE(overdue_after_two_periods),
	KUNIT_CASE(tick_looks_at_few),
	KUNIT_CASE(tick_starts_nothing_halted),
	{}
};

static struct kunit_suite freq_test_suite = {
	.name = "perf_events_freq",
	.test_cases = freq_test_cases,
};

kunit_test_suite(freq_test_suite);

MODULE_DESCRIPTION("KUnit tests of the frequency mode of perf events");
MODULE_LICENSE("GPL");
