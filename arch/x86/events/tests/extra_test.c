// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of extra registers: two that are equivalent, of which one takes more values. The
 * events are scheduled on no PMU, and no register is accessed.
 */
#include <kunit/test.h>
#include <linux/perf_event_test.h>
#include "../counters/extra.h"
#include "../intel/cores/model.h"

#define EVENTS		3

/* Goldmont: bit 38 exists in the first register only. */
#define CODE_0		0x01b7
#define CODE_1		0x02b7
#define FIRST_ONLY	(BIT_ULL(38) | 1)

/**
 * struct extra_test - a CPU with events
 * @core: its PMU
 * @cpu: its counters
 * @event: the events, all of them with code 0
 */
struct extra_test {
	struct x86_core_pmu	core;
	struct x86_cpu_pmu	cpu;
	struct perf_event	event[EVENTS];
};

static struct extra_test *extra_test_init_core(struct kunit *test, const struct intel_model *model)
{
	struct extra_test *et = kunit_kzalloc(test, sizeof(*et), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, et);
	intel_model_tables(&et->core, model);
	/* the registers of this test are the CPU's own, whatever the model */
	et->core.extra_shared = false;
	et->cpu.core = &et->core;
	test_bind_here(test);
	return et;
}

static void set_event(struct extra_test *et, unsigned int n, u64 value)
{
	struct perf_event *event = &et->event[n];

	event->pmu = &et->core.pmu;
	event->attr.config1 = value;
	event->hw.config = CODE_0 | ARCH_PERFMON_EVENTSEL_INT;
}

/* As x86_sched_add(): the register, and a counter. Returns the mask of events that have moved. */
static bool get(struct kunit *test, struct extra_test *et, unsigned int n, u64 value, u64 *moved)
{
	struct perf_event *event = &et->event[n];
	bool got;

	set_event(et, n, value);
	KUNIT_EXPECT_EQ(test, x86_extra_init(event), 0);
	got = x86_extra_get(&et->cpu, event, moved);
	if (got)
		KUNIT_EXPECT_NE(test, x86_assign_counter(&et->cpu.assign, event, BIT(n)), 0);
	return got;
}

static void put(struct extra_test *et, unsigned int n)
{
	x86_assign_release(&et->cpu.assign, n);
	x86_extra_put(&et->event[n]);
}

static void expect_register(struct kunit *test, struct extra_test *et, unsigned int n,
			    unsigned int reg)
{
	struct hw_perf_event *hwc = &et->event[n].hw;

	KUNIT_EXPECT_EQ(test, hwc->extra_reg.reg, reg ? MSR_OFFCORE_RSP_1 : MSR_OFFCORE_RSP_0);
	KUNIT_EXPECT_EQ(test, hwc->extra_reg.idx, reg);
	KUNIT_EXPECT_EQ(test, hwc->config, (reg ? CODE_1 : CODE_0) | ARCH_PERFMON_EVENTSEL_INT);
}

/* The value in the register that takes more moves to the one that has become free. */
static void a_value_moves_for_another(struct kunit *test)
{
	struct extra_test *et = extra_test_init_core(test, &intel_goldmont);
	u64 moved;

	KUNIT_EXPECT_TRUE(test, get(test, et, 0, 1, &moved));
	KUNIT_EXPECT_TRUE(test, get(test, et, 1, 2, &moved));
	expect_register(test, et, 0, 1);
	expect_register(test, et, 1, 0);
	put(et, 0);

	KUNIT_EXPECT_TRUE(test, get(test, et, 2, FIRST_ONLY, &moved));
	KUNIT_EXPECT_EQ(test, moved, BIT(1));
	expect_register(test, et, 1, 1);
	expect_register(test, et, 2, 0);

	/* no third value fits, and nothing moves for it */
	KUNIT_EXPECT_FALSE(test, get(test, et, 0, 4, &moved));
	KUNIT_EXPECT_EQ(test, moved, 0);
	KUNIT_EXPECT_FALSE(test, get(test, et, 0, FIRST_ONLY | 8, &moved));
	KUNIT_EXPECT_EQ(test, moved, 0);
	expect_register(test, et, 1, 1);
	expect_register(test, et, 2, 0);
	/* a value that is there does */
	KUNIT_EXPECT_TRUE(test, get(test, et, 0, 2, &moved));
	expect_register(test, et, 0, 1);
	put(et, 0);
	put(et, 1);
	put(et, 2);
}

/* All users of a register move, or none. */
static void all_users_of_a_value_move(struct kunit *test)
{
	struct extra_test *et = extra_test_init_core(test, &intel_goldmont);
	struct perf_event *elsewhere = kunit_kzalloc(test, sizeof(*elsewhere), GFP_KERNEL);
	u64 moved;

	KUNIT_ASSERT_NOT_NULL(test, elsewhere);
	KUNIT_EXPECT_TRUE(test, get(test, et, 2, 1, &moved));
	KUNIT_EXPECT_TRUE(test, get(test, et, 0, 2, &moved));
	KUNIT_EXPECT_TRUE(test, get(test, et, 1, 2, &moved));
	put(et, 2);
	/* as an event of the other thread, where threads share the registers */
	*elsewhere = et->event[1];
	elsewhere->hw.extra_reg.alloc = 0;
	KUNIT_EXPECT_TRUE(test, x86_extra_get(&et->cpu, elsewhere, &moved));
	KUNIT_EXPECT_FALSE(test, get(test, et, 2, FIRST_ONLY, &moved));
	KUNIT_EXPECT_EQ(test, moved, 0);
	expect_register(test, et, 0, 0);
	expect_register(test, et, 1, 0);

	x86_extra_put(elsewhere);
	KUNIT_EXPECT_TRUE(test, get(test, et, 2, FIRST_ONLY, &moved));
	KUNIT_EXPECT_EQ(test, moved, BIT(0) | BIT(1));
	expect_register(test, et, 0, 1);
	expect_register(test, et, 1, 1);
	expect_register(test, et, 2, 0);
	put(et, 0);
	put(et, 1);
	/* both registers are free again: the same from the start */
	KUNIT_EXPECT_TRUE(test, get(test, et, 0, 1, &moved));
	expect_register(test, et, 0, 1);
	put(et, 0);
	put(et, 2);
}

static struct kunit_case extra_cases[] = {
	KUNIT_CASE(a_value_moves_for_another),
	KUNIT_CASE(all_users_of_a_value_move),
	{ }
};

static struct kunit_suite extra_suite = {
	.name		= "perf_x86_extra",
	.test_cases	= extra_cases,
};

kunit_test_suite(extra_suite);
