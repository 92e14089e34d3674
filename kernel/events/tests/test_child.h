/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: a child of the test's thread. It has a copy of the thread's address space, or none if the
 * thread has none.
 */
#ifndef _KERNEL_EVENTS_TEST_CHILD_H
#define _KERNEL_EVENTS_TEST_CHILD_H

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

/**
 * struct test_child - a child task
 * @pid: its number
 * @run: what it does first; or NULL
 * @arg: argument of @run
 * @may_go: it may exit
 */
struct test_child {
	pid_t			pid;
	void			(*run)(void *arg);
	void			*arg;
	struct completion	may_go;
};

static inline int test_child_main(void *arg)
{
	struct test_child *child = arg;

	if (child->run)
		child->run(child->arg);
	wait_for_completion(&child->may_go);
	do_exit(0);
}

/* Fork. The test is failed and ended if that is not possible. */
static inline void test_child_begin(struct kunit *test, struct test_child *child)
{
	struct kernel_clone_args args = {
		.flags		= CLONE_UNTRACED,
		.exit_signal	= SIGCHLD,
		.fn		= test_child_main,
		.fn_arg		= child,
	};

	init_completion(&child->may_go);
	child->pid = kernel_clone(&args);
	KUNIT_ASSERT_GT(test, child->pid, 0);
}

/* Let the child exit, and wait until it has. */
static inline void test_child_end(struct test_child *child)
{
	int status;

	complete(&child->may_go);
	/* kernel_wait() needs SIGCHLD; the exit status is not used */
	kernel_wait(child->pid, &status);
}

#endif /* _KERNEL_EVENTS_TEST_CHILD_H */
