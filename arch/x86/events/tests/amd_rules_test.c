// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of AMD's events and counter constraints: the events of family 15h against the guide,
 * and the counter assignment with these constraints against an exhaustive search.
 *
 * Source: BIOS and Kernel Developer's Guide for family 15h models 00h-0Fh (42301), core
 * performance counter events.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "../amd/events.h"
#include "../amd/rules.h"
#include "../core/event.h"
#include "assign_test.h"

#define ALL		0x3f
#define GROUP_MAX	7	/* one more than there are counters */

/* Ranges of event numbers with the same counters, PERF_CTL in the guide. */
static const struct {
	u16	first;
	u16	last;
	u8	counters;
} guide[] = {
	{ 0x000, 0x002, 0x38 }, { 0x003, 0x003, 0x08 }, { 0x004, 0x005, 0x38 },
	{ 0x00b, 0x00b, 0x08 }, { 0x00d, 0x00d, 0x08 },
	{ 0x020, 0x022, 0x3f }, { 0x023, 0x023, 0x07 }, { 0x024, 0x02b, 0x3f },
	{ 0x02d, 0x02d, 0x08 }, { 0x02e, 0x02e, 0x09 }, { 0x030, 0x030, 0x3f },
	{ 0x031, 0x031, 0x07 }, { 0x032, 0x042, 0x3f }, { 0x043, 0x043, 0x07 },
	{ 0x045, 0x046, 0x07 }, { 0x047, 0x052, 0x3f }, { 0x054, 0x055, 0x07 },
	{ 0x060, 0x07f, 0x07 }, { 0x080, 0x08e, 0x07 }, { 0x08f, 0x08f, 0x01 },
	{ 0x090, 0x09f, 0x07 }, { 0x0c0, 0x0cf, 0x3f }, { 0x0d0, 0x0d9, 0x07 },
	{ 0x0e0, 0x0ff, 0x00 },
	{ 0x187, 0x188, 0x01 }, { 0x1c0, 0x1c0, 0x38 }, { 0x1cf, 0x1cf, 0x3f },
};

static u64 select_of(unsigned int number)
{
	return (number & 0xff) | (u64)(number & 0xf00) << 24;
}

static struct x86_core_pmu *core_of(struct kunit *test, unsigned int family, u64 counters)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	amd_rules_apply(core, family);
	core->counters = counters;
	return core;
}

/* The unit mask does not matter. */
static void family_15h_agrees_with_the_guide(struct kunit *test)
{
	struct x86_core_pmu *core = core_of(test, 0x15, ALL);
	unsigned int i, number;

	for (i = 0; i < ARRAY_SIZE(guide); i++) {
		for (number = guide[i].first; number <= guide[i].last; number++) {
			u64 select = select_of(number);

			KUNIT_EXPECT_EQ_MSG(test, x86_core_counters_for(core, select),
					    guide[i].counters, "%#x", number);
			KUNIT_EXPECT_EQ_MSG(test, x86_core_counters_for(core, select | 0xff00),
					    guide[i].counters, "%#x", number);
		}
	}
}

static void family_15h_groups_are_placed(struct kunit *test)
{
	struct x86_core_pmu *core = core_of(test, 0x15, ALL);
	u64 allowed[GROUP_MAX];
	struct rnd_state rnd;
	unsigned int round, n;

	prandom_seed_state(&rnd, 15);
	for (round = 0; round < 3000; round++) {
		for (n = 0; n < GROUP_MAX; n++) {
			u32 row = prandom_u32_state(&rnd) % ARRAY_SIZE(guide);

			allowed[n] = x86_core_counters_for(core, select_of(guide[row].first));
		}
		x86_assign_expect(test, "15h", allowed, GROUP_MAX);
	}
}

static bool has(const struct event_constraint *rule, u64 select)
{
	for (; rule && rule->cmask; rule++) {
		if ((select & rule->cmask) == rule->code)
			return rule->idxmsk64;
	}
	return false;
}

/* Families with shared northbridge events, and families with events of two counters. */
static void families_differ(struct kunit *test)
{
	static const struct {
		u8	family;
		bool	shared;
		bool	large;
	} families[] = {
		{ 0x0f, true, false }, { 0x10, true, false }, { 0x14, true, false },
		{ 0x15, false, false }, { 0x16, false, false }, { 0x17, false, true },
		{ 0x18, false, true }, { 0x19, false, true }, { 0x1a, false, true },
	};
	struct x86_core_pmu *core;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(families); i++) {
		core = core_of(test, families[i].family, ALL);
		KUNIT_EXPECT_EQ(test, has(core->shared, 0x04e1), families[i].shared);
		KUNIT_EXPECT_EQ(test, has(core->shared, select_of(0x4e0)), families[i].shared);
		KUNIT_EXPECT_FALSE(test, has(core->shared, 0x0076));
		KUNIT_EXPECT_FALSE(test, has(core->shared, 0x00d0));
		KUNIT_EXPECT_EQ(test, has(core->large, 0xff03), families[i].large);
		KUNIT_EXPECT_FALSE(test, has(core->large, select_of(0x103)));
		KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, select_of(0xfff)) == 0,
				families[i].large);
	}
}

/* The event "op queue empty", by its names in tools/perf/pmu-events, from Zen 2 on. */
static void zen_has_stalls_of_the_frontend(struct kunit *test)
{
	static const struct x86_hw_identity cpus[] = {
		{ X86_VENDOR_AMD, 0x17, 0x31 }, { X86_VENDOR_AMD, 0x19, 0x01 },
		{ X86_VENDOR_AMD, 0x19, 0x11 }, { X86_VENDOR_AMD, 0x19, 0x61 },
		{ X86_VENDOR_AMD, 0x1a, 0x02 }, { X86_VENDOR_AMD, 0x1a, 0x44 },
	};
	struct x86_core_pmu *core = core_of(test, 0x19, ALL);
	const struct x86_event_code *code;

	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++) {
		core->codes = amd_events_of(&cpus[i])->codes;
		code = x86_core_code_of(core, X86_HW(STALLED_CYCLES_FRONTEND));
		KUNIT_EXPECT_EQ_MSG(test, code ? code->config : 0, 0xa9, "family %#x model %#x",
				    cpus[i].family, cpus[i].model);
	}
}

static struct kunit_case amd_rules_cases[] = {
	KUNIT_CASE(family_15h_agrees_with_the_guide),
	KUNIT_CASE(family_15h_groups_are_placed),
	KUNIT_CASE(families_differ),
	KUNIT_CASE(zen_has_stalls_of_the_frontend),
	{ }
};

static struct kunit_suite amd_rules_suite = {
	.name		= "perf_x86_amd_rules",
	.test_cases	= amd_rules_cases,
};

kunit_test_suite(amd_rules_suite);
