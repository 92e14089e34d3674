// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of events that move to other counters, on an emulated PMU. Skipped without
 * x86_pmu_emulator=, and if the emulated CPU has no event that only one counter counts.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include "arch/x86/events/core/event.h"
#include "driver.h"

#define ON_1	0x01c0	/* only counter 1 counts it */
#define EVENTS	4

struct schedule_test {
	int			cpu;
	struct perf_event	*event[EVENTS];
};

static void open_event(struct kunit *test, unsigned int n, u64 config, bool disabled)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.config		= config,
		.size		= sizeof(attr),
		.pinned		= 1,
		.disabled	= disabled,
	};
	struct schedule_test *st = test->priv;

	st->event[n] = perf_event_create_kernel_counter(&attr, st->cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(st->event[n]));
}

/*
 * An event of a group gets its counter, for which another event moves, and the next event of the
 * group gets none: the other event keeps its counter, and goes on.
 */
static void a_group_in_vain_moves_nothing(struct kunit *test)
{
	struct schedule_test *st = test->priv;
	struct pmu *pmu = &emulated_core()->pmu;
	struct perf_event *mover;
	u64 enabled, running, before, after;

	test_bind(test, st->cpu);
	/* the lowest free counters */
	open_event(test, 0, 0x00c5, false);
	open_event(test, 1, 0x00c5, false);
	open_event(test, 2, ON_1, true);
	open_event(test, 3, ON_1, true);
	mover = st->event[1];
	before = perf_event_read_value(mover, &enabled, &running);

	local_irq_disable();
	KUNIT_EXPECT_EQ(test, st->event[0]->hw.idx, 0);
	KUNIT_EXPECT_EQ(test, mover->hw.idx, 1);
	perf_pmu_disable(pmu);
	KUNIT_EXPECT_EQ(test, pmu->add(st->event[2], PERF_EF_START), 0);
	KUNIT_EXPECT_NE(test, x86_assign_find(this_cpu_ptr(&x86_cpu_pmu.assign), mover), 1);
	KUNIT_EXPECT_EQ(test, pmu->add(st->event[3], PERF_EF_START), -EAGAIN);
	pmu->del(st->event[2], 0);
	KUNIT_EXPECT_EQ(test, x86_assign_find(this_cpu_ptr(&x86_cpu_pmu.assign), mover), 1);
	/* it was not stopped either */
	KUNIT_EXPECT_EQ(test, mover->hw.idx, 1);
	KUNIT_EXPECT_EQ(test, mover->hw.state, 0);
	perf_pmu_enable(pmu);
	KUNIT_EXPECT_EQ(test, mover->hw.idx, 1);

	/* an event that gets its counter moves the other one */
	perf_pmu_disable(pmu);
	KUNIT_EXPECT_EQ(test, pmu->add(st->event[2], PERF_EF_START), 0);
	perf_pmu_enable(pmu);
	KUNIT_EXPECT_EQ(test, st->event[2]->hw.idx, 1);
	KUNIT_EXPECT_NE(test, mover->hw.idx, 1);
	perf_pmu_disable(pmu);
	pmu->del(st->event[2], 0);
	perf_pmu_enable(pmu);
	local_irq_enable();

	after = perf_event_read_value(mover, &enabled, &running);
	KUNIT_EXPECT_GT(test, after, before);
}

static int schedule_test_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct schedule_test *st;

	if (!core || core->kind || x86_core_counters_for(core, ON_1) != BIT(1) ||
	    x86_core_counters_for(core, 0x00c5) != (core->counters & X86_PMC_GENERIC_MASK))
		kunit_skip(test, "no emulated PMU with such events");
	st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	if (!st)
		return -ENOMEM;
	test->priv = st;
	st->cpu = cpumask_first(cpu_online_mask);
	return 0;
}

static void schedule_test_exit(struct kunit *test)
{
	struct schedule_test *st = test->priv;
	unsigned int n;

	if (!st)
		return;
	for (n = 0; n < EVENTS; n++) {
		if (!IS_ERR_OR_NULL(st->event[n]))
			perf_event_release_kernel(st->event[n]);
	}
}

static struct kunit_case schedule_cases[] = {
	KUNIT_CASE(a_group_in_vain_moves_nothing),
	{ }
};

static struct kunit_suite schedule_suite = {
	.name		= "perf_x86_schedule",
	.init		= schedule_test_init,
	.exit		= schedule_test_exit,
	.test_cases	= schedule_cases,
};

kunit_test_suite(schedule_suite);
