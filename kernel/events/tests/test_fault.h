/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: allocations of the test's thread that fail.
 *
 * Those with __GFP_ACCOUNT fail: most allocations of perf for events are charged, what the kernel
 * allocates for debugging is not.
 */
#ifndef _KERNEL_EVENTS_TEST_FAULT_H
#define _KERNEL_EVENTS_TEST_FAULT_H

#if defined(CONFIG_KRETPROBES) && defined(CONFIG_FAILSLAB) && \
	defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
#define TEST_HAS_FAULTS

#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

/**
 * struct test_fault - failures of one test
 * @probe: of the function that decides whether an allocation fails
 * @task: the thread, or NULL
 * @spared: how many more allocations succeed
 * @nr_failed: number of allocations that failed
 */
struct test_fault {
	struct kretprobe	probe;
	struct task_struct	*task;
	unsigned int		spared;
	unsigned int		nr_failed;
};

/* Return: 0 if the result of should_failslab(cache, gfp) matters. */
static inline int test_fault_entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct test_fault *fault = container_of(get_kretprobe(ri), struct test_fault, probe);
	gfp_t gfp = (__force gfp_t)regs_get_kernel_argument(regs, 1);

	return READ_ONCE(fault->task) != current || !(gfp & __GFP_ACCOUNT);
}

static inline int test_fault_returns(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct test_fault *fault = container_of(get_kretprobe(ri), struct test_fault, probe);

	if (!in_task() || READ_ONCE(fault->task) != current)
		return 0;
	if (fault->spared) {
		fault->spared--;
		return 0;
	}
	fault->nr_failed++;
	regs_set_return_value(regs, -ENOMEM);
	return 0;
}

static inline void test_fault_end(void *fault)
{
	unregister_kretprobe(&((struct test_fault *)fault)->probe);
}

/* Prepare for failures until the end of the test. The test is skipped if there can be none. */
static inline struct test_fault *test_fault_begin(struct kunit *test)
{
	struct test_fault *fault = kunit_kzalloc(test, sizeof(*fault), GFP_KERNEL);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, fault);
	fault->probe.kp.symbol_name = "should_failslab";
	fault->probe.entry_handler = test_fault_entered;
	fault->probe.handler = test_fault_returns;
	err = register_kretprobe(&fault->probe);
	if (err)
		kunit_skip(test, "allocations cannot be probed: %d", err);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, test_fault_end, fault), 0);
	return fault;
}

/* From now on the thread's next @spared allocations succeed, and all after them fail. */
static inline void test_fault_arm(struct test_fault *fault, unsigned int spared)
{
	fault->spared = spared;
	fault->nr_failed = 0;
	WRITE_ONCE(fault->task, current);
}

/* Return: true if an allocation has failed. */
static inline bool test_fault_disarm(struct test_fault *fault)
{
	WRITE_ONCE(fault->task, NULL);
	return fault->nr_failed;
}
#endif

#endif /* _KERNEL_EVENTS_TEST_FAULT_H */
