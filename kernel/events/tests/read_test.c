// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the size of a read, and which groups would exceed the maximum.
 */
#include <kunit/test.h>

#include "../sample/sample_read.h"
#include "../abi/read.h"

static void read_size_of_one(struct kunit *test)
{
	static const struct {
		u64 format;
		size_t words;
	} rows[] = {
		{ 0, 1 },
		{ PERF_FORMAT_ID, 2 },
		{ PERF_FORMAT_LOST, 2 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED, 2 },
		{ PERF_FORMAT_TOTAL_TIME_RUNNING, 2 },
		{ PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
		  PERF_FORMAT_ID | PERF_FORMAT_LOST, 5 },
	};

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ(test, perf_read_size(rows[i].format, 1),
				rows[i].words * 8);
		/* the size of the group does not matter */
		KUNIT_EXPECT_EQ(test, perf_read_size(rows[i].format, 9),
				rows[i].words * 8);
	}
}

static void read_size_of_group(struct kunit *test)
{
	u64 format = PERF_FORMAT_GROUP;

	KUNIT_EXPECT_EQ(test, perf_read_size(format, 1), 2 * 8);
	KUNIT_EXPECT_EQ(test, perf_read_size(format, 3), 4 * 8);
	format |= PERF_FORMAT_ID;
	KUNIT_EXPECT_EQ(test, perf_read_size(format, 3), 7 * 8);
	format |= PERF_FORMAT_LOST;
	KUNIT_EXPECT_EQ(test, perf_read_size(format, 3), 10 * 8);
	format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	KUNIT_EXPECT_EQ(test, perf_read_size(format, 3), 12 * 8);
}

static struct perf_event *lone_event(struct kunit *test, u64 format)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	INIT_LIST_HEAD(&event->sibling_list);
	event->group_leader = event;
	event->attr.read_format = format;
	return event;
}

/* CVE-2023-6931: the read_format of each member is checked, not only the new event's. */
static void read_fits_by_every_member(struct kunit *test)
{
	u64 large = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	struct perf_event *leader = lone_event(test, large);
	struct perf_event *joining = lone_event(test, 0);

	leader->nr_siblings = 100;
	KUNIT_EXPECT_TRUE(test, perf_read_admit(leader, joining));
	leader->nr_siblings = 1000;
	KUNIT_EXPECT_FALSE(test, perf_read_admit(leader, joining));
	leader->attr.read_format = 0;
	KUNIT_EXPECT_TRUE(test, perf_read_admit(leader, joining));
	joining->attr.read_format = large;
	KUNIT_EXPECT_FALSE(test, perf_read_admit(leader, joining));
}

/* The sizes at which a group is full are ABI. */
static void read_fits_up_to_16_kib(struct kunit *test)
{
	static const struct {
		u64	format;
		int	full;
	} cases[] = {
		{ PERF_FORMAT_GROUP, 2047 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_ID, 1023 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
		  PERF_FORMAT_TOTAL_TIME_RUNNING, 1022 },
		{ PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST, 682 },
	};
	struct perf_event *joining = lone_event(test, 0);

	for (int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event *leader = lone_event(test, cases[i].format);

		leader->nr_siblings = cases[i].full - 2;
		KUNIT_EXPECT_TRUE(test, perf_read_admit(leader, joining));
		leader->nr_siblings = cases[i].full - 1;
		KUNIT_EXPECT_FALSE(test, perf_read_admit(leader, joining));
	}
}

static struct kunit_case read_cases[] = {
	KUNIT_CASE(read_size_of_one),
	KUNIT_CASE(read_size_of_group),
	KUNIT_CASE(read_fits_by_every_member),
	KUNIT_CASE(read_fits_up_to_16_kib),
	{}
};

static struct kunit_suite read_suite = {
	.name		= "perf_events_read",
	.test_cases	= read_cases,
};

kunit_test_suite(read_suite);
