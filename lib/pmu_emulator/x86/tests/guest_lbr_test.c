// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of records of branches that KVM lends to a guest, on an emulated PMU of Intel. The
 * test is in KVM's place: it opens the event that KVM opens for the thread of a vCPU, and accesses
 * the registers as the guest does. Skipped without x86_pmu_emulator=, and on machines without such
 * records.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include "arch/x86/events/intel/guest.h"
#include "driver.h"

/* What the guest writes: an address of the record, and branches that are left out. */
#define GUEST(_i)	(0x1000ULL * ((_i) + 1))
#define GUEST_SELECT	0x1faULL

/**
 * struct lent_test - an event of KVM
 * @lbr: what KVM offers to guests
 * @event: the event of this thread, which is bound to a CPU
 */
struct lent_test {
	struct x86_pmu_lbr	lbr;
	struct perf_event	*event;
};

static struct perf_event *guest_event(void)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_RAW,
		.size			= sizeof(attr),
		.config			= INTEL_FIXED_VLBR_EVENT,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.pinned			= true,
		.exclude_host		= true,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER,
	};

	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

/* Records of the host's branches, of a task or of a CPU. */
static struct perf_event *host_event(int cpu, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_HARDWARE,
		.config			= PERF_COUNT_HW_CPU_CYCLES,
		.size			= sizeof(attr),
		.sample_period		= BIT_ULL(30),
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_KERNEL,
		.pinned			= 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
}

static void write_registers(const struct x86_pmu_lbr *lbr)
{
	unsigned int i;

	local_irq_disable();
	for (i = 0; i < lbr->nr; i++) {
		/* also a record that is empty */
		x86_hw_write(lbr->from + i, i == 3 ? 0 : GUEST(i));
		x86_hw_write(lbr->to + i, GUEST(i) + 8);
		if (lbr->info)
			x86_hw_write(lbr->info + i, i);
	}
	x86_hw_write(MSR_LBR_TOS, 5);
	x86_hw_write(MSR_LBR_SELECT, GUEST_SELECT);
	local_irq_enable();
}

/* Get the number of registers that differ from what was written, or from what a reset writes. */
static unsigned int differences(const struct x86_pmu_lbr *lbr, bool written)
{
	unsigned int i, wrong = 0;

	local_irq_disable();
	for (i = 0; i < lbr->nr; i++) {
		wrong += x86_hw_read(lbr->from + i) != (written && i != 3 ? GUEST(i) : 0);
		wrong += x86_hw_read(lbr->to + i) != (written ? GUEST(i) + 8 : 0);
		if (lbr->info)
			wrong += x86_hw_read(lbr->info + i) != (written ? i : 0);
	}
	wrong += x86_hw_read(MSR_LBR_TOS) != (written ? 5 : 0);
	wrong += x86_hw_read(MSR_LBR_SELECT) != (written ? GUEST_SELECT : 0);
	local_irq_enable();
	return wrong;
}

/*
 * Another task runs meanwhile. The time of a sleep may have passed before this task has left the
 * CPU. Then it sleeps again.
 */
static void sleep_a_while(void)
{
	unsigned long switches = current->nvcsw;

	do {
		schedule_timeout_uninterruptible(2);
	} while (current->nvcsw == switches);
}

static void the_event_has_no_counter(struct kunit *test)
{
	struct lent_test *lt = test->priv;

	KUNIT_EXPECT_EQ(test, lt->event->hw.idx, INTEL_PMC_IDX_FIXED_VLBR);
	KUNIT_EXPECT_FALSE(test, this_cpu_read(x86_cpu_pmu.active) &
				 BIT_ULL(INTEL_PMC_IDX_FIXED_VLBR));
	KUNIT_EXPECT_EQ(test, perf_event_read_value(lt->event, &(u64) { 0 }, &(u64) { 0 }), 0);
}

/* The host's records must not be in the registers. */
static void a_guest_begins_with_no_records(struct kunit *test)
{
	struct lent_test *lt = test->priv;
	struct perf_event *host;
	int cpu = smp_processor_id();

	perf_event_release_kernel(lt->event);
	host = host_event(cpu, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(host));
	sleep_a_while();
	perf_event_release_kernel(host);
	write_registers(&lt->lbr);
	lt->event = guest_event();
	KUNIT_ASSERT_FALSE(test, IS_ERR(lt->event));
	KUNIT_EXPECT_EQ(test, differences(&lt->lbr, false), 0);
}

static void a_switch_keeps_the_registers(struct kunit *test)
{
	struct lent_test *lt = test->priv;

	write_registers(&lt->lbr);
	sleep_a_while();
	KUNIT_EXPECT_EQ(test, lt->event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, differences(&lt->lbr, true), 0);
}

/* An event of the CPU has precedence over an event of a task. */
static void the_host_takes_the_registers(struct kunit *test)
{
	struct lent_test *lt = test->priv;
	struct perf_event *host;
	u64 control;

	write_registers(&lt->lbr);
	host = host_event(smp_processor_id(), NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(host));
	KUNIT_EXPECT_EQ(test, host->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_LT(test, (int)lt->event->state, (int)PERF_EVENT_STATE_ACTIVE);
	control = x86_hw_read(MSR_IA32_DEBUGCTLMSR);
	KUNIT_EXPECT_TRUE(test, control & DEBUGCTLMSR_LBR);
	/* what the guest has left out */
	KUNIT_EXPECT_NE(test, x86_hw_read(MSR_LBR_SELECT), GUEST_SELECT);
	perf_event_release_kernel(host);
}

static void nothing_of_the_host_is_recorded(struct kunit *test)
{
	struct lent_test *lt = test->priv;
	struct perf_branch_entry *entries;

	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	write_registers(&lt->lbr);
	KUNIT_EXPECT_FALSE(test, x86_hw_read(MSR_IA32_DEBUGCTLMSR) & DEBUGCTLMSR_LBR);
	KUNIT_EXPECT_EQ(test, 0, static_call(perf_snapshot_branch_stack)(entries,
									 X86_BRANCHES_MAX));
}

/* What KVM offers: the registers of the SDM's tables, with a stack of calls. */
static void guests_are_offered_the_registers(struct kunit *test)
{
	struct lent_test *lt = test->priv;
	const struct x86_branches *branches = &x86_core_pmus[0]->branches;
	struct x86_pmu_lbr lbr;

	KUNIT_EXPECT_EQ(test, lt->lbr.nr, branches->depth);
	KUNIT_EXPECT_EQ(test, lt->lbr.from, 0x680);
	KUNIT_EXPECT_EQ(test, lt->lbr.to, 0x6c0);
	KUNIT_EXPECT_EQ(test, lt->lbr.info, branches->depth == 32 ? 0xdc0 : 0);
	KUNIT_EXPECT_TRUE(test, lt->lbr.has_callstack);
	/* The emulator is not switched. */
	x86_perf_get_lbr(&lbr);
	KUNIT_EXPECT_EQ(test, lbr.nr, 0);
}

static int lent_test_init(struct kunit *test)
{
	struct x86_pmu_lbr lbr = { };
	struct lent_test *lt;

	if (emulated_core())
		intel_guest_lbr(emulated_core(), &lbr);
	if (!lbr.nr)
		kunit_skip(test, "no emulated machine with records for guests");
	lt = kunit_kzalloc(test, sizeof(*lt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, lt);
	test->priv = lt;
	lt->lbr = lbr;
	test_bind(test, cpumask_first(&x86_core_pmus[0]->cpus));
	lt->event = guest_event();
	KUNIT_ASSERT_FALSE(test, IS_ERR(lt->event));
	KUNIT_ASSERT_EQ(test, lt->event->state, PERF_EVENT_STATE_ACTIVE);
	return 0;
}

static void lent_test_exit(struct kunit *test)
{
	struct lent_test *lt = test->priv;

	if (lt && !IS_ERR_OR_NULL(lt->event))
		perf_event_release_kernel(lt->event);
}

static struct kunit_case lent_cases[] = {
	KUNIT_CASE(guests_are_offered_the_registers),
	KUNIT_CASE(the_event_has_no_counter),
	KUNIT_CASE(a_guest_begins_with_no_records),
	KUNIT_CASE(a_switch_keeps_the_registers),
	KUNIT_CASE(the_host_takes_the_registers),
	KUNIT_CASE(nothing_of_the_host_is_recorded),
	{ }
};

static struct kunit_suite lent_suite = {
	.name		= "perf_x86_intel_guest_lbr",
	.init		= lent_test_init,
	.exit		= lent_test_exit,
	.test_cases	= lent_cases,
};

kunit_test_suite(lent_suite);
