// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the boot parameters that decide what is offered. They run on any x86 machine, and
 * access no register.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include "../counters/offer.h"

static const char * const parameters[X86_SIDES] = {
	[X86_SIDE_PRECISE]	= "perf_x86_precise",
	[X86_SIDE_BRANCHES]	= "perf_x86_branches",
	[X86_SIDE_TRACE]	= "perf_x86_trace",
};

/* An unknown value leaves the parameter as it is. */
static void offer_values(struct kunit *test)
{
	enum x86_offer_mode mode = X86_OFFER_TESTED;

	KUNIT_EXPECT_EQ(test, x86_offer_parse("on", &mode), 0);
	KUNIT_EXPECT_EQ(test, (int)mode, X86_OFFER_ON);
	KUNIT_EXPECT_EQ(test, x86_offer_parse("off", &mode), 0);
	KUNIT_EXPECT_EQ(test, (int)mode, X86_OFFER_OFF);
	KUNIT_EXPECT_EQ(test, x86_offer_parse("yes", &mode), -EINVAL);
	KUNIT_EXPECT_EQ(test, x86_offer_parse("", &mode), -EINVAL);
	KUNIT_EXPECT_EQ(test, (int)mode, X86_OFFER_OFF);
	KUNIT_EXPECT_EQ(test, x86_offer_parse("tested", &mode), 0);
	KUNIT_EXPECT_EQ(test, (int)mode, X86_OFFER_TESTED);
}

static void expect_names(struct kunit *test, const char *why, unsigned int side, const char *value)
{
	KUNIT_ASSERT_NOT_NULL(test, why);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(why, parameters[side]), "%s", why);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(why, value), "%s", why);
}

/* A refusal names the parameter, and the value that is set, or that would offer it. */
static void offer_decides(struct kunit *test)
{
	for (unsigned int side = 0; side < X86_SIDES; side++) {
		for (int tested = 0; tested < 2; tested++) {
			expect_names(test, x86_offer_refusal(side, X86_OFFER_OFF, tested), side,
				     "=off");
			KUNIT_EXPECT_NULL(test, x86_offer_refusal(side, X86_OFFER_ON, tested));
		}
		KUNIT_EXPECT_NULL(test, x86_offer_refusal(side, X86_OFFER_TESTED, true));
		expect_names(test, x86_offer_refusal(side, X86_OFFER_TESTED, false), side, "=on");
	}
}

static struct kunit_case offer_cases[] = {
	KUNIT_CASE(offer_values),
	KUNIT_CASE(offer_decides),
	{}
};

static struct kunit_suite offer_suite = {
	.name		= "perf_x86_offer",
	.test_cases	= offer_cases,
};

kunit_test_suite(offer_suite);
