// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of refusal.c: the last refusal of a task, and when it is forgotten.
 */
#include <kunit/test.h>
#include <linux/cache.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "../base/refusal.h"

static void refusal_forget(struct kunit *test)
{
	perf_refusal_free_task(current);
}

static int refusal_test_init(struct kunit *test)
{
	refusal_forget(test);
	return 0;
}

static void refusal_none(struct kunit *test)
{
	char text[PERF_REFUSAL_SIZE];

	KUNIT_EXPECT_FALSE(test, perf_refusal_read(current, text, sizeof(text)));
	/* a task without a refusal */
	perf_refusal_free_task(current);
	KUNIT_EXPECT_FALSE(test, perf_refusal_read(current, text, sizeof(text)));
}

static void refusal_says_field_and_reason(struct kunit *test)
{
	char text[PERF_REFUSAL_SIZE];

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			perf_refuse(-EOPNOTSUPP, "precise_ip",
				    "%d asked, this PMU offers at most %d", 3, 0));
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text,
			   "precise_ip: 3 asked, this PMU offers at most 0");
}

static void refusal_last_one_counts(struct kunit *test)
{
	char text[PERF_REFUSAL_SIZE];

	KUNIT_EXPECT_EQ(test, -EINVAL,
			perf_refuse(-EINVAL, "sample_period", "a long story"));
	KUNIT_EXPECT_EQ(test, -ESRCH, perf_refuse(-ESRCH, "pid", "gone"));
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text, "pid: gone");
}

static void refusal_too_long_is_cut(struct kunit *test)
{
	char text[PERF_REFUSAL_SIZE];
	char *reason = kunit_kmalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, reason);
	memset(reason, 'x', PAGE_SIZE - 1);
	reason[PAGE_SIZE - 1] = '\0';

	KUNIT_EXPECT_EQ(test, -EINVAL, perf_refuse(-EINVAL, "config", "%s", reason));
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_LT(test, strlen(text), sizeof(text));
	KUNIT_EXPECT_GT(test, strlen(text), sizeof(text) / 2);
	KUNIT_EXPECT_TRUE(test, str_has_prefix(text, "config: xxx"));
	KUNIT_EXPECT_EQ(test, text[strlen(text) - 1], 'x');

	/* the name of the field may be too long as well */
	reason[2 * PERF_REFUSAL_SIZE] = '\0';
	perf_refuse(-EINVAL, reason, "why");
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_EQ(test, strlen(text), sizeof(text) - 1);
}

static void refusal_short_reader(struct kunit *test)
{
	char text[8];

	perf_refuse(-EINVAL, "config", "123456789");
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text, "config:");
}

static void refusal_forgotten_then_again(struct kunit *test)
{
	char text[PERF_REFUSAL_SIZE];

	perf_refuse(-EINVAL, "flags", "unknown");
	perf_refusal_free_task(current);
	KUNIT_EXPECT_FALSE(test, perf_refusal_read(current, text, sizeof(text)));

	perf_refuse(-EINVAL, "flags", "still unknown");
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text, "flags: still unknown");
}

/* Each task has a refusal of its own, and clearing it affects no other task. */
static void refusal_of_one_task(struct kunit *test)
{
	unsigned int before = perf_refusal_count();
	char text[PERF_REFUSAL_SIZE];

	perf_refuse(-EINVAL, "config", "mine");
	KUNIT_EXPECT_EQ(test, perf_refusal_count(), before + 1);
	KUNIT_EXPECT_FALSE(test, perf_refusal_read(&init_task, text, sizeof(text)));
	perf_refusal_free_task(&init_task);
	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text, "config: mine");
	perf_refuse(-EINVAL, "config", "mine again");
	KUNIT_EXPECT_EQ(test, perf_refusal_count(), before + 2);
}

/* number of tasks with a refusal; addresses stand for the tasks */
#define CROWD		32768
#define PATIENCE	(120 * HZ)	/* ticks */

static const struct task_struct *crowd_member(const void *base, int i)
{
	return base + i * L1_CACHE_BYTES;
}

/* The table grows asynchronously: wait until the lists are short, but not forever. */
static bool lists_are_short(void)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (perf_refusal_nr_lists() >= CROWD)
			return true;
		schedule_timeout_idle(1);
	}
	return false;
}

/* An exit searches one short list, so its time does not depend on refusals of other tasks. */
static void refusal_crowd_costs_nothing(struct kunit *test)
{
	void *base = kvmalloc_array(CROWD, L1_CACHE_BYTES, GFP_KERNEL);
	int nr;

	KUNIT_ASSERT_NOT_NULL(test, base);
	for (nr = 0; nr < CROWD; nr++) {
		if (!perf_refusal_make(crowd_member(base, nr)))
			break;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, nr, CROWD);
	KUNIT_EXPECT_TRUE(test, lists_are_short());
	while (nr--) {
		perf_refusal_free_task((struct task_struct *)crowd_member(base, nr));
		cond_resched();
	}
	kvfree(base);
}

static struct kunit_case refusal_cases[] = {
	KUNIT_CASE(refusal_none),
	KUNIT_CASE(refusal_says_field_and_reason),
	KUNIT_CASE(refusal_last_one_counts),
	KUNIT_CASE(refusal_too_long_is_cut),
	KUNIT_CASE(refusal_short_reader),
	KUNIT_CASE(refusal_forgotten_then_again),
	KUNIT_CASE(refusal_of_one_task),
	KUNIT_CASE(refusal_crowd_costs_nothing),
	{}
};

static struct kunit_suite refusal_suite = {
	.name		= "perf-refusal",
	.init		= refusal_test_init,
	.exit		= refusal_forget,
	.test_cases	= refusal_cases,
};

kunit_test_suite(refusal_suite);
