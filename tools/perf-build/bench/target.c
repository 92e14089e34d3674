// SPDX-License-Identifier: GPL-2.0
/*
 * The target: a task that sleeps while events are opened on it, and then runs a function.
 * It shares memory and descriptors with the main task, but is a process of its own.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "growth.h"

#define STACK	(256 * 1024)

static char *new_stack(void)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (stack == MAP_FAILED)
		die("a stack");
	return stack;
}

/* Let the tasks of a lower priority run until they sleep. */
void let_sleep(void)
{
	usleep(20000);
}

static int target_main(void *arg)
{
	struct target *t = arg;
	char c;

	while (read(t->to[0], &c, 1) == 1 && t->fn) {
		t->fn(t->arg);
		if (write(t->from[1], &c, 1) != 1)
			break;
	}
	_exit(0);
}

/*
 * The target has a lower priority than this task, so that this task continues to run after
 * it has woken the target.
 */
void target_start(struct target *t)
{
	static const struct sched_param low = { .sched_priority = 1 };

	if (pipe(t->to) || pipe(t->from))
		die("pipe");
	t->stack = new_stack();
	t->pid = clone(target_main, t->stack + STACK,
		       CLONE_VM | CLONE_FILES | SIGCHLD, t);
	if (t->pid < 0 || sched_setscheduler(t->pid, SCHED_FIFO, &low))
		die("the target");
	let_sleep();
}

/* Run @fn in the target, and wait until it returns. */
void target_run(struct target *t, job_fn fn, void *arg)
{
	char c = 0;

	t->fn = fn;
	t->arg = arg;
	if (write(t->to[1], &c, 1) != 1 || read(t->from[0], &c, 1) != 1)
		die("the target");
}

/* The target exits. Its descriptors stay open in this task. */
void target_stop(struct target *t)
{
	char c = 0;

	t->fn = NULL;
	if (write(t->to[1], &c, 1) != 1)
		die("the target");
	waitpid(t->pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(t->to[i]);
		close(t->from[i]);
	}
	munmap(t->stack, STACK);
}

struct child {
	job_fn	fn;
	void	*arg;
};

static int child_main(void *arg)
{
	struct child *child = arg;

	child->fn(child->arg);
	_exit(0);
}

/*
 * Start a process that shares memory and descriptors with this one. Returns when it has
 * exited or executes a program. @stack is memory for its stack, or NULL for memory of this
 * function.
 */
pid_t start_child(job_fn fn, void *arg, char *stack)
{
	static char *kept;
	struct child child = { fn, arg };

	if (!stack && !kept)
		kept = new_stack();
	if (!stack)
		stack = kept;
	return clone(child_main, stack + STACK,
		     CLONE_VM | CLONE_FILES | CLONE_VFORK | SIGCHLD, &child);
}
