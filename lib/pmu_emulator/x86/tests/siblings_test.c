// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counters that the threads of a core must not use together, on an emulated PMU:
 * neither thread keeps the counters for good. The emulator reports if a counter counts for
 * the other thread. Skipped without x86_pmu_emulator=, on other PMUs, and with one thread per core.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/topology.h>
#include "driver.h"

#define COUNTERS	4
#define THREADS		2
#define MISPREDICTED	0x00c5	/* an ordinary event */

/* Retired loads that hit some level of the caches. */
static const u64 loads[COUNTERS] = { 0x01d1, 0x02d1, 0x04d1, 0x08d1 };

struct siblings_test {
	int			cpu[THREADS];
	struct perf_event	*event[THREADS][COUNTERS];
};

static void open_event(struct kunit *test, unsigned int thread, unsigned int n, u64 config,
		       bool pinned)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_RAW,
		.config	= config,
		.size	= sizeof(attr),
		.pinned	= pinned,
	};
	struct siblings_test *st = test->priv;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, st->cpu[thread], NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	st->event[thread][n] = event;
}

static u64 running_time(struct perf_event *event)
{
	u64 enabled, running;

	perf_event_read_value(event, &enabled, &running);
	return running;
}

/* Wait until an event is scheduled in once more. */
static bool gets_a_counter(struct perf_event *event)
{
	u64 before = running_time(event);
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		usleep_range(100, 200);
		if (running_time(event) > before)
			return true;
	}
	return false;
}

/* Each event is scheduled in, again and again. The first that is not ends the test. */
static void expect_all_count(struct kunit *test)
{
	struct siblings_test *st = test->priv;
	unsigned int round, thread, n;

	for (round = 0; round < 3; round++) {
		for (thread = 0; thread < THREADS; thread++) {
			for (n = 0; n < COUNTERS; n++) {
				struct perf_event *event = st->event[thread][n];

				KUNIT_ASSERT_TRUE_MSG(test, !event || gets_a_counter(event),
						      "thread %u, event %u", thread, n);
			}
		}
	}
}

static void both_threads_count_loads(struct kunit *test)
{
	unsigned int thread, n;

	for (thread = 0; thread < THREADS; thread++) {
		for (n = 0; n < COUNTERS; n++)
			open_event(test, thread, n, loads[n], false);
	}
	expect_all_count(test);
}

static void loads_count_beside_other_events(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < COUNTERS; n++)
		open_event(test, 0, n, MISPREDICTED, false);
	open_event(test, 1, 0, loads[0], false);
	open_event(test, 1, 1, loads[1], false);
	expect_all_count(test);
}

static void other_events_count_beside_loads(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < COUNTERS; n++)
		open_event(test, 0, n, loads[n], false);
	for (n = 0; n < COUNTERS; n++)
		open_event(test, 1, n, MISPREDICTED, false);
	expect_all_count(test);
}

/* Of the events of the other thread, two have one counter each. */
static void an_event_of_one_counter_has_its_turn(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < COUNTERS; n++)
		open_event(test, 0, n, loads[n], false);
	open_event(test, 1, 0, 0x01c0, false);
	open_event(test, 1, 1, 0x0148, false);
	open_event(test, 1, 2, MISPREDICTED, false);
	expect_all_count(test);
}

static unsigned int nr_errors(const struct siblings_test *st)
{
	unsigned int n, errors = 0;

	for (n = 0; n < COUNTERS; n++)
		errors += READ_ONCE(st->event[0][n]->state) == PERF_EVENT_STATE_ERROR;
	return errors;
}

/*
 * Pinned events keep half of the counters, and the others are in error. The event of the other
 * thread may count as soon as the first of them has given its counter up.
 */
static void pinned_events_keep_half(struct kunit *test)
{
	struct siblings_test *st = test->priv;
	unsigned int n;

	for (n = 0; n < COUNTERS; n++) {
		open_event(test, 0, n, MISPREDICTED, true);
		KUNIT_EXPECT_EQ(test, st->event[0][n]->state, PERF_EVENT_STATE_ACTIVE);
	}
	open_event(test, 1, 0, loads[0], false);
	KUNIT_EXPECT_TRUE(test, gets_a_counter(st->event[1][0]));
	/* five turns */
	for (n = 0; n < 1000; n++)
		usleep_range(100, 200);
	KUNIT_EXPECT_GE(test, nr_errors(st), 1);
	KUNIT_EXPECT_LE(test, nr_errors(st), COUNTERS / 2);
}

static int siblings_test_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct siblings_test *st;
	int first, other;

	if (!core || !core->leaks)
		kunit_skip(test, "no emulated PMU with such events");
	first = cpumask_first(cpu_online_mask);
	other = cpumask_next(first, topology_sibling_cpumask(first));
	if (other >= nr_cpu_ids)
		kunit_skip(test, "a core has but one thread");
	st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	if (!st)
		return -ENOMEM;
	st->cpu[0] = first;
	st->cpu[1] = other;
	test->priv = st;
	return 0;
}

static void siblings_test_exit(struct kunit *test)
{
	struct siblings_test *st = test->priv;
	unsigned int thread, n;

	if (!st)
		return;
	for (thread = 0; thread < THREADS; thread++) {
		for (n = 0; n < COUNTERS; n++) {
			if (st->event[thread][n])
				perf_event_release_kernel(st->event[thread][n]);
		}
	}
}

static struct kunit_case siblings_cases[] = {
	KUNIT_CASE_SLOW(both_threads_count_loads),
	KUNIT_CASE_SLOW(loads_count_beside_other_events),
	KUNIT_CASE_SLOW(other_events_count_beside_loads),
	KUNIT_CASE_SLOW(an_event_of_one_counter_has_its_turn),
	KUNIT_CASE(pinned_events_keep_half),
	{ }
};

static struct kunit_suite siblings_suite = {
	.name		= "perf_x86_siblings",
	.init		= siblings_test_init,
	.exit		= siblings_test_exit,
	.test_cases	= siblings_cases,
};

kunit_test_suite(siblings_suite);
