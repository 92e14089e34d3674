// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of CPUs that lose their registers in a power state: the notifiers of the
 * arm_pmu framework, with the PMUv3 driver. No power state is entered. The notifiers are
 * called with interrupts disabled, as at the entry to a power state. In between, values
 * are written that a CPU may have in its registers afterwards.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/cpu_pm.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched/clock.h>

#include <asm/arm_pmuv3.h>
#include <asm/sysreg.h>

#define NR_EVENTS	3

/* Upper bound of cycles per nanosecond. */
#define CYCLES_AT_MOST	20

/* More than can have been counted since the events were opened. */
#define LEFTOVER	0x7ffffff0UL

struct power_events {
	struct perf_event	*event[NR_EVENTS];
	atomic_t		overflows;
};

static void power_overflow(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	struct power_events *events = event->overflow_handler_context;

	atomic_inc(&events->overflows);
}

static u64 power_count(struct power_events *events, int i)
{
	u64 enabled, running;

	return perf_event_read_value(events->event[i], &enabled, &running);
}

/* Cycles of this CPU on their fixed counter and on event counters. The last one samples. */
static void power_open(struct kunit *test, struct power_events *events)
{
	for (int i = 0; i < NR_EVENTS; i++) {
		struct perf_event_attr attr = {
			.type		= PERF_TYPE_HARDWARE,
			.size		= sizeof(attr),
			.config		= PERF_COUNT_HW_CPU_CYCLES,
			.pinned		= 1,
			.sample_period	= i == NR_EVENTS - 1 ? 100000 : 0,
		};
		struct perf_event *event;

		event = perf_event_create_kernel_counter(&attr, smp_processor_id(), NULL,
							 power_overflow, events);
		if (IS_ERR(event))
			kunit_skip(test, "no PMU that counts cycles: %ld", PTR_ERR(event));
		events->event[i] = event;
	}
}

static void power_close(struct power_events *events)
{
	for (int i = 0; i < NR_EVENTS; i++) {
		if (events->event[i])
			perf_event_release_kernel(events->event[i]);
	}
}

/* Enable all counters or none, and overwrite their values. */
static void power_lose_registers(bool running)
{
	u64 all = GENMASK_ULL(31, 0);

	write_pmcr(running ? ARMV8_PMU_PMCR_E : 0);
	if (running)
		write_pmcntenset(all);
	else
		write_pmcntenclr(all);
	if (running)
		write_pmintenset(all);
	else
		write_pmintenclr(all);
	for (int i = 0; i < FIELD_GET(ARMV8_PMU_PMCR_N, read_pmcr()); i++) {
		write_pmevtypern(i, 0);
		write_pmevcntrn(i, LEFTOVER);
	}
	write_pmccntr(LEFTOVER);
	isb();
}

/* Only counters of events are enabled. */
static void power_check_registers(struct kunit *test, struct power_events *events)
{
	u64 owned = 0;

	for (int i = 0; i < NR_EVENTS; i++)
		owned |= BIT_ULL(events->event[i]->hw.idx);
	KUNIT_EXPECT_EQ(test, read_sysreg(pmcntenset_el0), owned);
	KUNIT_EXPECT_EQ(test, read_sysreg(pmintenset_el1) & ~owned, 0);
}

static bool power_wait(struct power_events *events, int i, u64 count)
{
	u64 until = local_clock() + 10ULL * NSEC_PER_SEC;

	while (power_count(events, i) <= count) {
		if (local_clock() > until)
			return false;
		cond_resched();
	}
	return true;
}

static bool power_wait_for_overflow(struct power_events *events)
{
	u64 until = local_clock() + 10ULL * NSEC_PER_SEC;
	int before = atomic_read(&events->overflows);

	while (atomic_read(&events->overflows) == before) {
		if (local_clock() > until)
			return false;
		cond_resched();
	}
	return true;
}

static void power_check(struct kunit *test, struct power_events *events, bool running)
{
	u64 before[NR_EVENTS], after, began = local_clock();
	int err;

	KUNIT_EXPECT_TRUE(test, power_wait_for_overflow(events));
	for (int i = 0; i < NR_EVENTS; i++)
		before[i] = power_count(events, i);

	local_irq_disable();
	err = cpu_pm_enter();
	if (!err) {
		power_lose_registers(running);
		err = cpu_pm_exit();
		power_check_registers(test, events);
	}
	local_irq_enable();
	KUNIT_ASSERT_EQ(test, err, 0);

	for (int i = 0; i < NR_EVENTS; i++) {
		after = power_count(events, i);
		KUNIT_EXPECT_GE(test, after, before[i]);
		KUNIT_EXPECT_LT(test, after - before[i],
				CYCLES_AT_MOST * (local_clock() - began));
		KUNIT_EXPECT_TRUE(test, power_wait(events, i, after));
	}
	KUNIT_EXPECT_TRUE(test, power_wait_for_overflow(events));
}

static void power_run(struct kunit *test, bool running)
{
	struct power_events *events = kunit_kzalloc(test, sizeof(*events), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, events);
	test_bind_here(test);
	power_open(test, events);
	power_check(test, events, running);
	power_close(events);
}

static void counters_come_back_stopped(struct kunit *test)
{
	power_run(test, false);
}

static void counters_come_back_running(struct kunit *test)
{
	power_run(test, true);
}

static struct kunit_case power_cases[] = {
	KUNIT_CASE(counters_come_back_stopped),
	KUNIT_CASE(counters_come_back_running),
	{ }
};

static struct kunit_suite power_suite = {
	.name = "perf_arm64_power",
	.test_cases = power_cases,
};

kunit_test_suite(power_suite);
