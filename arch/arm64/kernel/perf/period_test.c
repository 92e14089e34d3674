// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: each period that ends has one sample, also if the event is stopped between the overflow of
 * its counter and the interrupt. The event counts writes of PMSWINC_EL0, so the test decides when
 * the counter overflows: with interrupts off, before the event is stopped.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>

#include <asm/barrier.h>
#include <asm/sysreg.h>

#include "pmuv3.h"

#define PERIOD		100
#define NEXT_PERIOD	1000
#define BEYOND		7	/* occurrences between the overflow and the stop */

/* An interrupt that is pending comes before so many reads of a register, also on a slow machine. */
#define PATIENCE	1000000

/**
 * struct period_test - an event of the CPU to which the test's thread is bound
 * @event: the event
 * @samples: number of its samples
 * @period: the period that the last one reports
 * @occurred: number of occurrences
 */
struct period_test {
	struct perf_event	*event;
	unsigned int		samples;
	u64			period;
	u64			occurred;
};

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct period_test *pt = event->overflow_handler_context;

	pt->samples++;
	pt->period = data->period;
}

static void occur(struct period_test *pt, unsigned int times)
{
	pt->occurred += times;
	while (times--)
		write_sysreg(BIT(pt->event->hw.idx), pmswinc_el0);
	isb();
}

/*
 * Let the event occur once more, and wait until there are @due samples. With pseudo-NMIs there may
 * be so many before. Return: the number of samples.
 */
static unsigned int samples_after_one(struct period_test *pt, unsigned int due)
{
	occur(pt, 1);
	for (unsigned int i = 0; i < PATIENCE && READ_ONCE(pt->samples) < due; i++)
		read_sysreg(pmccntr_el0);
	return READ_ONCE(pt->samples);
}

static void restart(struct perf_event *event)
{
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->pmu->start(event, PERF_EF_RELOAD);
}

static void replace(struct perf_event *event)
{
	event->pmu->del(event, PERF_EF_UPDATE);
	event->pmu->add(event, PERF_EF_START);
}

static void replace_batch(struct perf_event *event)
{
	event->pmu->del_batch(event->pmu, &event, 1);
	event->pmu->add_batch(event->pmu, &event, 1);
}

static void replace_by_batch(struct perf_event *event)
{
	event->pmu->del(event, PERF_EF_UPDATE);
	event->pmu->add_batch(event->pmu, &event, 1);
}

static void replace_twice(struct perf_event *event)
{
	replace_batch(event);
	replace(event);
}

/* A program may change the period of an event that waits. */
static void replace_with_new_period(struct perf_event *event)
{
	event->pmu->del(event, PERF_EF_UPDATE);
	event->hw.sample_period = NEXT_PERIOD;
	local64_set(&event->hw.period_left, 0);
	event->pmu->add(event, PERF_EF_START);
}

/* End a period, and do something to the event before the interrupt. */
static void end_period(struct period_test *pt, void (*op)(struct perf_event *event))
{
	struct pmu *pmu = pt->event->pmu;
	unsigned long flags;

	local_irq_save(flags);
	occur(pt, PERIOD + BEYOND);
	perf_pmu_disable(pmu);
	op(pt->event);
	perf_pmu_enable(pmu);
	local_irq_restore(flags);
}

static void expect_count(struct kunit *test, struct period_test *pt)
{
	u64 enabled, running;

	KUNIT_EXPECT_EQ(test, perf_event_read_value(pt->event, &enabled, &running), pt->occurred);
}

/* The sample of the first period comes with the next occurrence, and the second period is whole. */
static void expect_samples(struct kunit *test, void (*op)(struct perf_event *event))
{
	struct period_test *pt = test->priv;

	end_period(pt, op);
	/* a pseudo-NMI has come at once */
	KUNIT_EXPECT_LE(test, pt->samples, 1);
	KUNIT_EXPECT_EQ(test, samples_after_one(pt, 1), 1);
	expect_count(test, pt);

	occur(pt, PERIOD - BEYOND - 2);
	KUNIT_EXPECT_EQ(test, READ_ONCE(pt->samples), 1);
	KUNIT_EXPECT_EQ(test, samples_after_one(pt, 2), 2);
	expect_count(test, pt);
}

static void stopped_and_started(struct kunit *test)
{
	expect_samples(test, restart);
}

static void deleted_and_added(struct kunit *test)
{
	expect_samples(test, replace);
}

static void deleted_and_added_in_a_batch(struct kunit *test)
{
	expect_samples(test, replace_batch);
}

static void deleted_alone_and_added_in_a_batch(struct kunit *test)
{
	expect_samples(test, replace_by_batch);
}

/* It is off twice before it occurs again. */
static void deleted_and_added_twice(struct kunit *test)
{
	expect_samples(test, replace_twice);
}

/* The period begins anew, and the sample of the last one is not lost. */
static void deleted_and_added_with_a_new_period(struct kunit *test)
{
	struct period_test *pt = test->priv;

	end_period(pt, replace_with_new_period);
	KUNIT_EXPECT_LE(test, pt->samples, 1);
	KUNIT_EXPECT_EQ(test, samples_after_one(pt, 1), 1);
	KUNIT_EXPECT_EQ(test, pt->period, PERIOD);
	expect_count(test, pt);
}

/* Without an overflow there is no sample too many. */
static void stopped_before_the_end(struct kunit *test)
{
	struct period_test *pt = test->priv;

	occur(pt, PERIOD - 1);
	scoped_guard(irqsave) {
		perf_pmu_disable(pt->event->pmu);
		replace_batch(pt->event);
		replace(pt->event);
		restart(pt->event);
		perf_pmu_enable(pt->event->pmu);
	}
	KUNIT_EXPECT_EQ(test, pt->samples, 0);
	KUNIT_EXPECT_EQ(test, samples_after_one(pt, 1), 1);
	expect_count(test, pt);
}

static int period_test_init(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.config		= ARMV8_PMUV3_PERFCTR_SW_INCR,
		.size		= sizeof(attr),
		.sample_period	= PERIOD,
		.pinned		= 1,
	};
	struct period_test *pt = kunit_kzalloc(test, sizeof(*pt), GFP_KERNEL);
	int cpu = raw_smp_processor_id();
	struct perf_event *event;

	if (!pt)
		return -ENOMEM;
	test_bind(test, cpu);
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, on_overflow, pt);
	if (IS_ERR(event))
		kunit_skip(test, "no PMUv3 that counts PMSWINC_EL0");
	pt->event = event;
	test->priv = pt;
	if (event->hw.idx < 0)
		kunit_skip(test, "pinned events hold all counters");
	return 0;
}

static void period_test_exit(struct kunit *test)
{
	struct period_test *pt = test->priv;

	if (pt)
		perf_event_release_kernel(pt->event);
}

static struct kunit_case period_cases[] = {
	KUNIT_CASE(stopped_and_started),
	KUNIT_CASE(deleted_and_added),
	KUNIT_CASE(deleted_and_added_in_a_batch),
	KUNIT_CASE(deleted_alone_and_added_in_a_batch),
	KUNIT_CASE(deleted_and_added_twice),
	KUNIT_CASE(deleted_and_added_with_a_new_period),
	KUNIT_CASE(stopped_before_the_end),
	{}
};

static struct kunit_suite period_suite = {
	.name		= "perf_arm64_period",
	.init		= period_test_init,
	.exit		= period_test_exit,
	.test_cases	= period_cases,
};

kunit_test_suite(period_suite);
