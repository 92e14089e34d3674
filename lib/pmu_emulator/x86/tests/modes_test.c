// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the ticks by mode. A breakpoint on one of the emulator's variables is hit in the
 * middle of a change of the mode, and takes the place of an NMI that reads a counter.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>
#include <asm/tsc.h>
#include "../emulator.h"

/* Ticks that are much longer than the test. */
#define LONG_TICKS	BIT_ULL(40)

/**
 * struct modes_test - a breakpoint and the ticks that were seen
 * @event: the breakpoint
 * @armed: the breakpoint counts ticks
 * @hits: number of hits while @armed
 * @user: ticks of user mode
 * @kernel: ticks of the kernel
 */
struct modes_test {
	struct perf_event	*event;
	bool			armed;
	unsigned int		hits;
	u64			user;
	u64			kernel;
};

static void take_ticks(struct modes_test *mt)
{
	u64 user, kernel;

	emu_modes_split(this_cpu_ptr(&emu_cpu), rdtsc_ordered(), &user, &kernel);
	mt->user += user;
	mt->kernel += kernel;
}

static void on_access(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct modes_test *mt = event->overflow_handler_context;

	if (!READ_ONCE(mt->armed))
		return;
	mt->hits++;
	take_ticks(mt);
}

static void watch(struct kunit *test, void *variable, unsigned int length)
{
	struct modes_test *mt = test->priv;
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.size		= sizeof(attr),
		.bp_type	= HW_BREAKPOINT_RW,
		.bp_addr	= (unsigned long)variable,
		.bp_len		= min_t(unsigned int, length, sizeof(long)),
		.sample_period	= 1,
		.pinned		= 1,
	};

	mt->event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL,
						     on_access, mt);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mt->event));
}

/* Change the mode after long ticks, and let long ticks of the new mode pass. */
static void change_mode(struct kunit *test, void *variable, unsigned int length, bool to_user)
{
	struct modes_test *mt = test->priv;
	struct emu_cpu *cpu;
	unsigned long flags;

	watch(test, variable, length);
	local_irq_save(flags);
	cpu = this_cpu_ptr(&emu_cpu);
	mt->armed = false;
	mt->hits = 0;
	mt->user = 0;
	mt->kernel = 0;
	cpu->user = 0;
	cpu->idle = 0;
	cpu->in_user = !to_user;
	cpu->tsc = rdtsc_ordered() - 2 * LONG_TICKS;
	/* before a return to user mode: the last time, which is over */
	cpu->user_since = to_user ? cpu->tsc - LONG_TICKS : cpu->tsc + LONG_TICKS;
	WRITE_ONCE(mt->armed, true);
	if (to_user)
		x86_emu_enter_user();
	else
		x86_emu_enter_kernel();
	WRITE_ONCE(mt->armed, false);
	cpu->tsc -= LONG_TICKS;
	if (to_user)
		cpu->user_since -= LONG_TICKS;
	take_ticks(mt);
	cpu->in_user = false;
	local_irq_restore(flags);
	perf_event_release_kernel(mt->event);
	mt->event = NULL;

	KUNIT_EXPECT_GT(test, mt->hits, 0);
	KUNIT_EXPECT_EQ(test, mt->user / (LONG_TICKS / 2), 2);
	KUNIT_EXPECT_EQ(test, mt->kernel / (LONG_TICKS / 2), 4);
}

static void change_at_all_variables(struct kunit *test, bool to_user)
{
	/* The test's thread is bound to the CPU. */
	struct emu_cpu *cpu = raw_cpu_ptr(&emu_cpu);

	change_mode(test, &cpu->in_user, sizeof(cpu->in_user), to_user);
	change_mode(test, &cpu->user_since, sizeof(cpu->user_since), to_user);
	if (!to_user)
		change_mode(test, &cpu->user, sizeof(cpu->user), to_user);
}

static void interrupted_return_to_user_mode(struct kunit *test)
{
	change_at_all_variables(test, true);
}

static void interrupted_entry_into_the_kernel(struct kunit *test)
{
	change_at_all_variables(test, false);
}

static void modes_test_exit(struct kunit *test)
{
	struct modes_test *mt = test->priv;

	if (mt && !IS_ERR_OR_NULL(mt->event))
		perf_event_release_kernel(mt->event);
}

static int modes_test_init(struct kunit *test)
{
	if (!x86_hw_emulated())
		kunit_skip(test, "no emulated PMU");
	test->priv = kunit_kzalloc(test, sizeof(struct modes_test), GFP_KERNEL);
	if (!test->priv)
		return -ENOMEM;
	test_bind_here(test);
	return 0;
}

static struct kunit_case modes_cases[] = {
	KUNIT_CASE(interrupted_return_to_user_mode),
	KUNIT_CASE(interrupted_entry_into_the_kernel),
	{ }
};

static struct kunit_suite modes_suite = {
	.name		= "perf_x86_modes",
	.init		= modes_test_init,
	.exit		= modes_test_exit,
	.test_cases	= modes_cases,
};

kunit_test_suite(modes_suite);
