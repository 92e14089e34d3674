// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of AMD's branch sampling on an emulated PMU. A script lets the counter overflow, and
 * the emulator records a pattern of branches. Skipped without x86_pmu_emulator=, and on other
 * machines.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "arch/x86/events/branch/branch.h"
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/counters/side.h"
#include "../stage.h"
#include "driver.h"

#define PERIOD		1000
#define TAKEN_BRANCHES	0xc4

/* DBG_EXTN_CFG while counter 0 is sampled */
#define CONTROL_ON	(PPR_BRS_ENABLE | PPR_BRS_MUST)

/**
 * struct brs_test - an event with records
 * @event: the event
 * @cpu: its CPU, to which the test's thread is bound
 * @stage: the script
 * @samples: number of samples
 * @nr: number of records of the last one
 * @wrong: number of records that differ from the emulator's pattern
 */
struct brs_test {
	struct perf_event	*event;
	int			cpu;
	struct emu_stage	stage;
	unsigned int		samples;
	u64			nr;
	unsigned int		wrong;
};

static struct pt_regs brs_regs;

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&brs_regs, true);
}

/* The latest branch is first. */
static void on_sample(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct brs_test *bt = event->overflow_handler_context;
	const struct perf_branch_stack *stack = data->br_stack;
	unsigned int i;

	bt->samples++;
	bt->nr = stack->nr;
	for (i = 0; i < stack->nr; i++) {
		u64 from = EMU_BRS_FROM((PPR_BRS_RECORDS - 1 - i) % EMU_BRS_PATTERN);

		bt->wrong += stack->entries[i].from != from || stack->entries[i].to != from + 8;
	}
}

static struct perf_event_attr recording(void)
{
	return (struct perf_event_attr) {
		.type			= PERF_TYPE_RAW,
		.config			= TAKEN_BRANCHES,
		.size			= sizeof(struct perf_event_attr),
		.sample_period		= PERIOD,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_KERNEL,
		.pinned			= 1,
	};
}

static struct perf_event *open_event(struct brs_test *bt, struct perf_event_attr attr)
{
	return perf_event_create_kernel_counter(&attr, bt->cpu, NULL, on_sample, bt);
}

static u64 counter_value(const struct brs_test *bt)
{
	return this_cpu_ptr(&emu_cpu)->counter[bt->event->hw.idx].value;
}

static bool samples_branches(void)
{
	return emu_brs_control() & PPR_BRS_ENABLE;
}

/* A new period begins. */
static unsigned long begin(struct brs_test *bt)
{
	struct hw_perf_event *hwc = &bt->event->hw;
	unsigned long flags;

	local_irq_save(flags);
	bt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&bt->stage);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	hwc->flags &= ~X86_EVENT_SAMPLE_PENDING;
	hwc->interrupts = 0;
	hwc->last_period = PERIOD;
	local64_set(&hwc->period_left, PERIOD);
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	bt->samples = 0;
	bt->wrong = 0;
	return flags;
}

/* The event stays stopped: the clock must not change the results. */
static void end(struct brs_test *bt, unsigned long flags)
{
	emu_stage_drain(&bt->stage);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	emu_stage_end();
	local_irq_restore(flags);
}

/* The counter overflows before the next access. */
static void overflow_next(struct brs_test *bt)
{
	bt->stage.step[0] = (struct emu_step) {
		.access		= bt->stage.accesses,
		.counter	= bt->event->hw.idx,
		.overflow	= true,
	};
	bt->stage.steps = 1;
}

static void a_sample_has_the_branches(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	u64 before = local64_read(&bt->event->count), counted;

	overflow_next(bt);
	bt->event->pmu->read(bt->event);
	emu_stage_drain(&bt->stage);
	bt->event->pmu->read(bt->event);
	counted = local64_read(&bt->event->count) - before;
	end(bt, flags);
	KUNIT_EXPECT_EQ(test, bt->samples, 1);
	KUNIT_EXPECT_EQ(test, bt->nr, PPR_BRS_RECORDS);
	KUNIT_EXPECT_EQ(test, bt->wrong, 0);
	KUNIT_EXPECT_EQ(test, counted, PERIOD);
	KUNIT_EXPECT_EQ(test, local64_read(&bt->event->hw.period_left), PERIOD);
}

static void the_counter_overflows_before_the_period_ends(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	u64 value = counter_value(bt), control = emu_brs_control();

	end(bt, flags);
	KUNIT_EXPECT_EQ(test, BIT_ULL(48) - value, PERIOD - PPR_BRS_RECORDS);
	KUNIT_EXPECT_EQ(test, control & ~PPR_BRS_COUNTER, CONTROL_ON);
	KUNIT_EXPECT_EQ(test, (control & PPR_BRS_COUNTER) >> 24, bt->event->hw.idx);
}

/* While recording is off, an overflow interrupts at once. The period is not over. */
static void an_early_interrupt_is_no_sample(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	s64 left;

	x86_branch_low_power(true);
	overflow_next(bt);
	bt->event->pmu->read(bt->event);
	emu_stage_drain(&bt->stage);
	x86_branch_low_power(false);
	left = local64_read(&bt->event->hw.period_left);
	end(bt, flags);
	KUNIT_EXPECT_EQ(test, bt->samples, 0);
	KUNIT_EXPECT_EQ(test, left, PPR_BRS_RECORDS);
	KUNIT_EXPECT_EQ(test, bt->stage.for_nothing, 0);
}

static void nothing_is_recorded_in_low_power(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	bool before = samples_branches(), during, after_nmi, after;

	perf_lopwr_cb(true);
	during = samples_branches();
	x86_nmi_take(&brs_regs, true);
	after_nmi = samples_branches();
	perf_lopwr_cb(false);
	after = samples_branches();
	end(bt, flags);
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_FALSE(test, during);
	KUNIT_EXPECT_FALSE(test, after_nmi);
	KUNIT_EXPECT_TRUE(test, after);
}

static void a_disabled_pmu_stays_off_after_low_power(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	bool after;

	perf_pmu_disable(bt->event->pmu);
	perf_lopwr_cb(true);
	perf_lopwr_cb(false);
	after = samples_branches();
	perf_pmu_enable(bt->event->pmu);
	end(bt, flags);
	KUNIT_EXPECT_FALSE(test, after);
}

/* A task does not get the records of the task before it. */
static void a_switch_removes_records(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	unsigned long flags = begin(bt);
	u64 before, after;

	bt->stage.latency = 1000;
	overflow_next(bt);
	bt->event->pmu->read(bt->event);
	before = emu_brs_control();
	perf_pmu_disable(bt->event->pmu);
	bt->event->pmu->del(bt->event, PERF_EF_UPDATE);
	bt->event->pmu->add(bt->event, PERF_EF_START);
	perf_pmu_enable(bt->event->pmu);
	after = emu_brs_control();
	end(bt, flags);
	KUNIT_EXPECT_TRUE(test, before & PPR_BRS_FULL);
	KUNIT_EXPECT_FALSE(test, after & PPR_BRS_FULL);
}

static void events_take_turns(struct kunit *test)
{
	struct brs_test *bt = test->priv;
	struct perf_event *other = open_event(bt, recording());

	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	/* A pinned event that does not fit. */
	KUNIT_EXPECT_EQ(test, other->state, PERF_EVENT_STATE_ERROR);
	perf_event_release_kernel(other);
}

static int result_of(struct brs_test *bt, struct perf_event_attr attr)
{
	struct perf_event *event = open_event(bt, attr);

	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	return PTR_ERR_OR_ZERO(event);
}

static void other_events_are_refused(struct kunit *test)
{
	struct perf_event_attr attr = recording();

	attr.config = 0x76;
	KUNIT_EXPECT_EQ(test, result_of(test->priv, attr), -EINVAL);
	attr = recording();
	attr.sample_period = PPR_BRS_RECORDS;
	KUNIT_EXPECT_EQ(test, result_of(test->priv, attr), -EINVAL);
	attr.sample_period = PPR_BRS_RECORDS + 1;
	KUNIT_EXPECT_EQ(test, result_of(test->priv, attr), 0);
	attr = recording();
	attr.sample_freq = 1000;
	attr.freq = 1;
	KUNIT_EXPECT_EQ(test, result_of(test->priv, attr), -EINVAL);
}

static int brs_test_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct brs_test *bt;

	if (!core || !(core->branches.can & X86_BRANCHES_ONE))
		kunit_skip(test, "no emulated machine with branch sampling");
	bt = kunit_kzalloc(test, sizeof(*bt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bt);
	test->priv = bt;
	bt->cpu = cpumask_first(&core->cpus);
	test_bind(test, bt->cpu);
	bt->event = open_event(bt, recording());
	KUNIT_ASSERT_FALSE(test, IS_ERR(bt->event));
	KUNIT_ASSERT_EQ(test, bt->event->state, PERF_EVENT_STATE_ACTIVE);
	return 0;
}

static void leave_stage(void *unused)
{
	emu_stage_end();
}

/* Runs in another thread, also after a case that was ended. */
static void brs_test_exit(struct kunit *test)
{
	struct brs_test *bt = test->priv;

	if (!bt)
		return;
	smp_call_function_single(bt->cpu, leave_stage, NULL, true);
	if (!IS_ERR_OR_NULL(bt->event))
		perf_event_release_kernel(bt->event);
}

static struct kunit_case brs_cases[] = {
	KUNIT_CASE(a_sample_has_the_branches),
	KUNIT_CASE(the_counter_overflows_before_the_period_ends),
	KUNIT_CASE(an_early_interrupt_is_no_sample),
	KUNIT_CASE(nothing_is_recorded_in_low_power),
	KUNIT_CASE(a_disabled_pmu_stays_off_after_low_power),
	KUNIT_CASE(a_switch_removes_records),
	KUNIT_CASE(events_take_turns),
	KUNIT_CASE(other_events_are_refused),
	{ }
};

static struct kunit_suite brs_suite = {
	.name		= "perf_x86_sampled_branches",
	.init		= brs_test_init,
	.exit		= brs_test_exit,
	.test_cases	= brs_cases,
};

kunit_test_suite(brs_suite);
