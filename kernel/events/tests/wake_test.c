// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the limit of wakeups, and of the mark of the subsystem's own work.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "../base/recursion.h"
#include "../output/wake.h"
#include "test_cpu.h"

/* A switch of tasks begins a new count. */
#define WAKE_TRIES	100000

/* Another CPU does a wakeup at once, unless a host stops it: two minutes, in sleeps of 20 ms. */
#define WAKE_SLEEPS	6000

/* A timer ends PERF_WAKE_MAX postponed wakeups at a time. */
#define WAKE_MANY	(3 * PERF_WAKE_MAX + 3)

struct wake_fixture {
	struct perf_event	*event;
	struct perf_wake	wake;
	unsigned int		done;
};

static void wake_func(struct irq_work *irq)
{
	struct wake_fixture *fix = container_of(irq, struct wake_fixture, wake.irq);

	perf_wake_account();
	fix->done++;
}

static void wake_handler(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
}

static int wake_init(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.size	= sizeof(attr),
	};
	struct wake_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !arch_irq_work_has_interrupt())
		kunit_skip(test, "a wakeup is no interrupt here");
	KUNIT_ASSERT_NOT_NULL(test, fix);
	perf_wake_init(&fix->wake, wake_func);
	fix->event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL,
						      wake_handler, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fix->event);
	test->priv = fix;
	return 0;
}

static void wake_exit(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;

	if (!fix)
		return;
	perf_wake_sync(&fix->wake);
	perf_event_release_kernel(fix->event);
}

/* Request a wakeup @times, with interrupts off. Return: true if it has been postponed. */
static bool wake_request(struct wake_fixture *fix, int times)
{
	guard(irq)();
	while (times--)
		perf_wake_queue(&fix->wake, fix->event);
	return fix->wake.later;
}

/* Wakeups one after the other are postponed at last, and then done, once. */
static void wake_is_postponed(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;
	unsigned int done;
	bool postponed;
	int tries = 0;

	/* a window counts the wakeups of any suite */
	schedule_timeout_uninterruptible(PERF_WAKE_WINDOW + 2);
	do {
		done = fix->done;
		postponed = wake_request(fix, 2);
		if (!postponed)
			irq_work_sync(&fix->wake.irq);
	} while (!postponed && ++tries < WAKE_TRIES);
	KUNIT_EXPECT_TRUE(test, postponed);
	KUNIT_EXPECT_GE(test, tries, PERF_WAKE_MAX - 1);
	perf_wake_sync(&fix->wake);
	KUNIT_EXPECT_FALSE(test, perf_wake_is_busy(&fix->wake));
	KUNIT_EXPECT_EQ(test, fix->done, done + 1);
}

/* While it is postponed, it is busy: its memory must not be freed. */
static void postponed_wake_is_busy(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;
	bool postponed, busy;
	int tries = 0;

	do {
		scoped_guard(irq) {
			perf_wake_queue(&fix->wake, fix->event);
			postponed = fix->wake.later;
			busy = perf_wake_is_busy(&fix->wake);
		}
		KUNIT_EXPECT_TRUE(test, busy);
		irq_work_sync(&fix->wake.irq);
	} while (!postponed && ++tries < WAKE_TRIES);
	KUNIT_EXPECT_TRUE(test, postponed);
}

/*
 * Request a wakeup. If it is postponed, cancel the timer, as hotplug does when it moves the timers
 * of a CPU that goes offline.
 */
static bool wake_request_without_timer(struct wake_fixture *fix, struct hrtimer *timer)
{
	guard(irq)();
	perf_wake_queue(&fix->wake, fix->event);
	if (!fix->wake.later)
		return false;
	hrtimer_try_to_cancel(timer);
	return true;
}

static void wake_timer_ends(void *timer)
{
	((struct hrtimer *)timer)->function(timer);
}

/* Let @timer end. Return: the number of wakeups that are still postponed. */
static int wake_left_by_timer(struct perf_wake *wakes, struct hrtimer *timer)
{
	int left = 0;

	guard(irq)();
	timer->function(timer);
	for (int i = 0; i < WAKE_MANY; i++)
		left += !!wakes[i].later;
	/* it is active again if any is left, and must not end by itself */
	if (hrtimer_try_to_cancel(timer) != !!left)
		return -EINVAL;
	return left;
}

static void wake_nothing(struct irq_work *irq)
{
}

/* User space chooses how many wakeups are postponed. The timer ends some of them at a time. */
static void postponed_wakes_are_done_in_steps(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;
	struct perf_wake *wakes;
	struct hrtimer *timer;
	int tries = 0;

	wakes = kunit_kcalloc(test, WAKE_MANY, sizeof(*wakes), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, wakes);
	for (int i = 0; i < WAKE_MANY; i++)
		perf_wake_init(&wakes[i], wake_nothing);

	test_bind_here(test);
	timer = perf_wake_timer_of(smp_processor_id());
	while (!wake_request_without_timer(fix, timer) && ++tries < WAKE_TRIES)
		irq_work_sync(&fix->wake.irq);
	KUNIT_EXPECT_LT(test, tries, WAKE_TRIES);
	scoped_guard(irq) {
		for (int i = 0; i < WAKE_MANY; i++)
			perf_wake_queue(&wakes[i], fix->event);
	}
	/* the last one is the fixture's wakeup, which was the first */
	for (int left = WAKE_MANY - PERF_WAKE_MAX; left > 0; left -= PERF_WAKE_MAX)
		KUNIT_EXPECT_EQ(test, wake_left_by_timer(wakes, timer), left);
	KUNIT_EXPECT_EQ(test, wake_left_by_timer(wakes, timer), 0);
	/* after a failure: this CPU gets wakeups again */
	if (perf_wake_is_busy(&fix->wake))
		hrtimer_start(timer, 0, HRTIMER_MODE_REL_PINNED_HARD);

	for (int i = 0; i < WAKE_MANY; i++)
		perf_wake_sync(&wakes[i]);
}

/*
 * A CPU goes offline while a wakeup is postponed there. The timer ends on another CPU. The wakeup
 * is done, and others are not postponed for ever.
 */
static void postponed_wake_is_done_elsewhere(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;
	struct hrtimer *timer;
	unsigned int done;
	bool postponed;
	int tries = 0;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	test_bind_here(test);
	timer = perf_wake_timer_of(smp_processor_id());
	do {
		done = fix->done;
		postponed = wake_request_without_timer(fix, timer);
		if (!postponed)
			irq_work_sync(&fix->wake.irq);
	} while (!postponed && ++tries < WAKE_TRIES);
	KUNIT_EXPECT_TRUE(test, postponed);
	KUNIT_EXPECT_EQ(test, fix->done, done);

	smp_call_function_single(cpumask_any_but(cpu_online_mask, smp_processor_id()),
				 wake_timer_ends, timer, true);
	for (int i = 0; perf_wake_is_busy(&fix->wake) && i < WAKE_SLEEPS; i++)
		msleep(20);
	KUNIT_EXPECT_FALSE(test, perf_wake_is_busy(&fix->wake));
	if (postponed)
		KUNIT_EXPECT_EQ(test, fix->done, done + 1);
	/* after a failure: this CPU gets wakeups again */
	if (perf_wake_is_busy(&fix->wake))
		hrtimer_start(timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
	perf_wake_sync(&fix->wake);

	KUNIT_EXPECT_FALSE(test, wake_request(fix, 1));
	irq_work_sync(&fix->wake.irq);
}

/* Occurrences that interrupts of the subsystem cannot have caused are not limited. */
static void free_wake_is_not_postponed(struct kunit *test)
{
	struct wake_fixture *fix = test->priv;

	for (int i = 0; i < 1000; i++) {
		scoped_guard(perf_free_occurrence)
			KUNIT_EXPECT_FALSE(test, wake_request(fix, 1));
		irq_work_sync(&fix->wake.irq);
	}
	KUNIT_EXPECT_EQ(test, fix->done, 1000);
}

/* Nothing occurs while work is done, NMIs included, and the marks before it are put back. */
static void own_work_is_closed(struct kunit *test)
{
	u8 *nmi = &current->perf_recursion[PERF_LEVEL_NMI];
	int rctx;

	guard(preempt)();
	scoped_guard(perf_own_work) {
		KUNIT_EXPECT_TRUE(test, perf_in_own_work());
		KUNIT_EXPECT_EQ(test, perf_swevent_get_recursion_context(), -1);
		KUNIT_EXPECT_EQ(test, *nmi, PERF_IN_OWN_WORK);
		scoped_guard(perf_own_work)
			KUNIT_EXPECT_TRUE(test, perf_in_own_work());
		KUNIT_EXPECT_TRUE(test, perf_in_own_work());
		KUNIT_EXPECT_EQ(test, *nmi, PERF_IN_OWN_WORK);
	}
	KUNIT_EXPECT_FALSE(test, perf_in_own_work());
	KUNIT_EXPECT_EQ(test, *nmi, 0);
	rctx = perf_swevent_get_recursion_context();
	KUNIT_EXPECT_EQ(test, rctx, 0);
	if (rctx >= 0)
		perf_swevent_put_recursion_context(rctx);
}

static struct kunit_case wake_cases[] = {
	KUNIT_CASE(wake_is_postponed),
	KUNIT_CASE(postponed_wake_is_busy),
	KUNIT_CASE(postponed_wake_is_done_elsewhere),
	KUNIT_CASE(postponed_wakes_are_done_in_steps),
	KUNIT_CASE(free_wake_is_not_postponed),
	KUNIT_CASE(own_work_is_closed),
	{}
};

static struct kunit_suite wake_suite = {
	.name		= "perf_events_wake",
	.init		= wake_init,
	.exit		= wake_exit,
	.test_cases	= wake_cases,
};

kunit_test_suite(wake_suite);
