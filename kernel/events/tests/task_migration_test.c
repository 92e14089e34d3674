// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the two static keys of migrations (software/task_migration.c). A task that has been
 * marked under the first has to lose its mark under the second, also after the last event.
 */
#include <kunit/test.h>
#include <linux/jump_label_ratelimit.h>

#include "../base/event.h"
#include "../software/software.h"
#include "test_open.h"

static bool marked(void)
{
	return perf_swevent_enabled(PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool counted(void)
{
	return static_branch_unlikely(&perf_task_migration_key);
}

static struct perf_event *open_migrations(struct kunit *test)
{
	return test_open_own(test, NULL, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_CPU_MIGRATIONS,
	});
}

/* Run the work that disables the first key. */
static void marking_ends(void)
{
	static_key_deferred_flush(&perf_swevent_keys[PERF_COUNT_SW_CPU_MIGRATIONS]);
}

/*
 * Close the last event and end the marking. @still_counted: output, whether counting went on then.
 * Return: whether that took less time than the delay after which counting ends.
 */
static bool close_in_time(struct perf_event *event, bool *still_counted)
{
	unsigned long start = jiffies;

	perf_event_close(event);
	marking_ends();
	*still_counted = counted();
	return time_before(jiffies, start + HZ);
}

static void counting_ends_after_marking(struct kunit *test)
{
	struct perf_event *event;
	bool still_counted, in_time;

	/* A host that stops the machine in the middle does not do so each time. */
	for (int i = 0; i < 100; i++) {
		event = open_migrations(test);
		KUNIT_EXPECT_TRUE(test, marked());
		KUNIT_EXPECT_TRUE(test, counted());

		in_time = close_in_time(event, &still_counted);
		KUNIT_EXPECT_FALSE(test, marked());
		perf_task_migration_flush();
		KUNIT_EXPECT_FALSE(test, counted());
		if (in_time)
			break;
	}
	KUNIT_EXPECT_TRUE(test, in_time);
	KUNIT_EXPECT_TRUE(test, still_counted);
}

/* The work of the second key runs before the work of the first, which this test replaces. */
static void counting_waits_for_late_marking(struct kunit *test)
{
	struct static_key *marks = &perf_swevent_keys[PERF_COUNT_SW_CPU_MIGRATIONS].key.key;

	static_key_slow_inc(marks);
	perf_event_close(open_migrations(test));
	marking_ends();
	perf_task_migration_flush();
	KUNIT_EXPECT_TRUE(test, marked());
	KUNIT_EXPECT_TRUE(test, counted());

	static_key_slow_dec(marks);
	perf_task_migration_flush();
	KUNIT_EXPECT_FALSE(test, counted());
}

static void counting_goes_on_with_the_next_event(struct kunit *test)
{
	struct perf_event *event;

	perf_event_close(open_migrations(test));
	marking_ends();
	event = open_migrations(test);

	perf_task_migration_flush();
	KUNIT_EXPECT_TRUE(test, marked());
	KUNIT_EXPECT_TRUE(test, counted());
	perf_event_close(event);
}

/* The keys of an earlier test may be enabled for a while. */
static int no_migrations(struct kunit *test)
{
	marking_ends();
	perf_task_migration_flush();
	KUNIT_ASSERT_FALSE(test, counted());
	return 0;
}

static struct kunit_case task_migration_cases[] = {
	KUNIT_CASE(counting_ends_after_marking),
	KUNIT_CASE(counting_waits_for_late_marking),
	KUNIT_CASE(counting_goes_on_with_the_next_event),
	{}
};

static struct kunit_suite task_migration_suite = {
	.name		= "perf_task_migration",
	.init		= no_migrations,
	.test_cases	= task_migration_cases,
};

kunit_test_suite(task_migration_suite);
