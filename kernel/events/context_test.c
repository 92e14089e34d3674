// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a task's context is on while the task runs and has events.
 */
#include <kunit/test.h>

#include "context.h"

static struct perf_event *event_of_current(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static struct perf_event_context *task_context_on_here(void)
{
	guard(irqsave)();
	return this_perf_cpu()->task_ctx;
}

static unsigned long switches_of_current(void)
{
	return current->nvcsw + current->nivcsw;
}

static void on_with_the_first_event(struct kunit *test)
{
	struct perf_event *event = event_of_current(test);

	KUNIT_EXPECT_PTR_EQ(test, task_context_on_here(), event->ctx);
	schedule_timeout_idle(1);
	KUNIT_EXPECT_PTR_EQ(test, task_context_on_here(), event->ctx);
	perf_event_release_kernel(event);
}

/* At once: when the task is switched next, there may be no branch to it any more. */
static void off_with_the_last_event(struct kunit *test)
{
	struct perf_event_context *on;
	int tries = 1000;
	bool switched;

	do {
		struct perf_event *event = event_of_current(test);
		unsigned long switches = switches_of_current();

		perf_event_release_kernel(event);
		on = task_context_on_here();
		switched = switches_of_current() != switches;
	} while (switched && --tries);

	KUNIT_EXPECT_FALSE_MSG(test, switched, "a task that closes an event is always switched");
	KUNIT_EXPECT_NULL(test, on);
}

static struct kunit_case context_tests[] = {
	KUNIT_CASE(on_with_the_first_event),
	KUNIT_CASE(off_with_the_last_event),
	{}
};

static struct kunit_suite context_suite = {
	.name		= "perf_context",
	.test_cases	= context_tests,
};

kunit_test_suite(context_suite);
