// SPDX-License-Identifier: GPL-2.0
/* Calls on tasks, and work that makes events occur. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

#define PAGE		4096
/* most repetitions of a kind of work */
#define MAX_TIMES	64

static void fault(void)
{
	volatile char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	*page = 1;
	munmap((void *)page, PAGE);
}

static void map_code(void)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	if (page != MAP_FAILED)
		munmap(page, PAGE);
}

static void rest(void)
{
	struct timespec moment = { 0, 1000 };

	nanosleep(&moment, NULL);
}

static void rename_task(void)
{
	static unsigned int number;
	char name[16];

	snprintf(name, sizeof(name), "fuzz-%u", ++number % 1000);
	prctl(PR_SET_NAME, name);
}

static void watch(void)
{
	watched_variable++;
	watched_function();
}

static void compute(void)
{
	volatile unsigned int i;

	for (i = 0; i < 20000; i++)
		;
}

static void call_kernel(void)
{
	syscall(SYS_getppid);
	sched_yield();
}

/* @what: which of them; 0: each of them in turn */
void work(unsigned int what, unsigned int times)
{
	static void (*const works[])(void) = {
		fault, map_code, rest, rename_task, watch, compute, call_kernel,
	};
	unsigned int i;

	for (i = 0; i < times % MAX_TIMES + 1; i++)
		works[(what ? what - 1 : i) % ARRAY_SIZE(works)]();
}

CALL(work)
{
	work(step->args[0], step->args[1]);
	return 0;
}

static void run_again(void)
{
	char *const args[] = { "fuzz", "--work", NULL };

	execv("/tmp/abi-diff-probed", args);
	_exit(1);
}

/* A child that works: it may have a child too, or exec, or outlive its parent. */
CALL(fork)
{
	unsigned int what = step->args[0] % 5;
	int flags = what == 3 ? CLONE_FILES | SIGCHLD : SIGCHLD;
	pid_t pid = syscall(SYS_clone, flags, 0, 0, 0, 0);

	if (pid < 0)
		return -1;
	if (!pid) {
		if (what == 1 && !fork())
			work(0, 20);
		if (what == 2)
			run_again();
		work(0, step->args[1]);
		_exit(0);
	}
	if (what != 4)
		waitpid(pid, NULL, __WALL);
	return 0;
}

static void *thread_works(void *times)
{
	work(0, (uintptr_t)times);
	return NULL;
}

CALL(thread)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_works, (void *)(uintptr_t)step->args[0]))
		return -1;
	return pthread_join(thread, NULL) ? -1 : 0;
}

/* The next program executes the remaining steps of this worker. */
CALL(exec)
{
	char worker[12], next[12];
	char *const args[] = { "fuzz", "--continue", worker, next, NULL };

	snprintf(worker, sizeof(worker), "%u", this_worker);
	snprintf(next, sizeof(next), "%u", this_step(step) + 1);
	mark_done(this_step(step));
	return execv("/tmp/abi-diff-probed", args);
}

CALL(exit)
{
	worker_gone(this_worker);
	if (step->args[0])
		_exit(0);
	syscall(SYS_exit, 0);
	return 0;
}

/* The task that events of PID_DOOMED count. */
CALL(end)
{
	(void)step;
	return kill(shared->pids[PID_DOOMED], SIGKILL);
}

/* Credentials of this thread alone: the library would change the credentials of all threads. */
CALL(setid)
{
	static const uid_t users[] = { 65534, 1000, 0 };
	uid_t uid = users[step->args[0] % ARRAY_SIZE(users)];
	long ret = syscall(SYS_setresuid, -1, uid, -1);

	if (step->args[1])
		prctl(PR_SET_DUMPABLE, step->args[1] & 1);
	return ret;
}

CALL(prctl)
{
	return prctl(step->args[0] ? PR_TASK_PERF_EVENTS_ENABLE
				   : PR_TASK_PERF_EVENTS_DISABLE);
}

#ifdef __x86_64__
static long set_breakpoint(pid_t task, int64_t control)
{
	size_t registers = offsetof(struct user, u_debugreg);
	unsigned int number = control & 3;

	if (ptrace(PTRACE_POKEUSER, task, registers + number * 8, &watched_variable))
		return -1;
	/* a kind and a length in the register's four bits, and its local enable bit */
	return ptrace(PTRACE_POKEUSER, task, registers + 7 * 8,
		      (control >> 2 & 0xf) << (16 + number * 4) | 1ul << (2 * number));
}
#else
static long set_breakpoint(pid_t task, int64_t control)
{
	return ptrace(PTRACE_SETOPTIONS, task, 0, control & 0x7f);
}
#endif

/*
 * Wait until the tracee stops. A thread that executes a program gets the number of its process. No
 * wait for its old number ends then, but a new one fails.
 */
static bool stops(pid_t task)
{
	pid_t found;
	int status;

	while (!(found = waitpid(task, &status, __WALL | WNOHANG)))
		rest();
	return found == task && WIFSTOPPED(status);
}

/* Attach, set a breakpoint, let the task go. The tracer waits for the stop only. */
CALL(ptrace)
{
	pid_t task = shared->pids[PID_WORKER + step->args[0] % NR_WORKERS];
	long ret;

	if (ptrace(PTRACE_SEIZE, task, 0, 0))
		return -1;
	if (ptrace(PTRACE_INTERRUPT, task, 0, 0) || !stops(task))
		return -1;
	ret = set_breakpoint(task, step->args[1]);
	ptrace(PTRACE_DETACH, task, 0, 0);
	return ret;
}

/* Stop the task for a moment. A child does it, because two tasks may stop each other. */
static long stop(pid_t task)
{
	pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		return -1;
	if (!pid) {
		kill(task, SIGSTOP);
		sched_yield();
		kill(task, SIGCONT);
		_exit(0);
	}
	waitpid(pid, NULL, __WALL);
	return 0;
}

CALL(signal)
{
	static const int signals[] = { SIGIO, SIGUSR1, SIGSTOP, SIGTRAP, SIGKILL };
	pid_t task = shared->pids[PID_WORKER + step->args[0] % NR_WORKERS];
	int signal = signals[step->args[1] % ARRAY_SIZE(signals)];

	return signal == SIGSTOP ? stop(task) : kill(task, signal);
}

CALL(affine)
{
	unsigned long mask = (step->args[1] & 0xf) ?: 1;

	return syscall(SYS_sched_setaffinity,
		       shared->pids[PID_WORKER + step->args[0] % NR_WORKERS], sizeof(mask),
		       &mask);
}

/* Files that show events. */
CALL(look)
{
	static const char *const files[] = {
		"/proc/self/perf_event_refusal", "/sys/kernel/debug/perf_events/fake",
		"/sys/kernel/debug/perf_events/software", "/sys/kernel/debug/perf_events/cpu",
		"/proc/self/status", "/proc/self/maps",
	};
	char text[4096], path[40];
	int64_t what = step->args[0] % (ARRAY_SIZE(files) + 1);
	long ret;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d",
		 shared->slots[step->args[1] % FUZZ_SLOTS]);
	fd = open(what ? files[what - 1] : path, O_RDONLY | O_CLOEXEC);
	ret = read(fd, text, sizeof(text));
	close(fd);
	return ret;
}
