/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit tests of events, of the core and of drivers: the CPU of a test's thread.
 */
#ifndef _LINUX_PERF_EVENT_TEST_H
#define _LINUX_PERF_EVENT_TEST_H

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/smp.h>

/**
 * test_bind() - bind the test's thread to a CPU until the thread ends
 * @test: the test
 * @cpu: the CPU, online
 *
 * Also sets PF_NO_SETAFFINITY. With it the thread may use smp_processor_id() and this_cpu_ptr()
 * while preemption is enabled.
 *
 * migrate_disable() would not do: a thread that ends after a failed assertion, or is skipped, does
 * not undo it, and then the CPU can never go offline. KUnit calls the exit function in another
 * thread, which is not bound.
 *
 * Context: task, in the thread of a KUnit test or of its init function.
 */
static inline void test_bind(struct kunit *test, int cpu)
{
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	current->flags |= PF_NO_SETAFFINITY;
}

/**
 * test_bind_here() - bind the test's thread to the CPU that it is on
 * @test: the test
 */
static inline void test_bind_here(struct kunit *test)
{
	test_bind(test, raw_smp_processor_id());
}

#endif /* _LINUX_PERF_EVENT_TEST_H */
