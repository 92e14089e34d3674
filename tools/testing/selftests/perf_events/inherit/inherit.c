// SPDX-License-Identifier: GPL-2.0
/*
 * Inherited events: the counts of children, grandchildren and threads are added to the
 * event that was opened, in any order of fork, exec and exit.
 *
 * Totals are exact. They are compared with the kernel's own account of page faults: a
 * worker waits at a gate, the event is opened on it, the worker and its descendants run
 * and are waited for, and wait4() returns their faults.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>

#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

struct total {
	long kernel;	/* minor and major faults by the kernel's account */
	__u64 event;	/* by the event */
};

/* Run load() in a worker with an event of these attributes. */
static int run_worker(struct perf_event_attr attr, void (*load)(void),
		      struct total *total)
{
	struct gate go = gate_new(), ready = gate_new();
	struct rusage ru;
	long before;
	int fd, status;
	pid_t pid = fork();

	if (pid == 0) {
		gate_open(&ready);
		gate_wait(&go);
		load();
		_exit(0);
	}
	gate_wait(&ready);
	/* Until the worker sleeps it may still fault. */
	if (!wait_asleep(pid))
		return -ETIMEDOUT;
	fd = perf_open(attr, pid, -1, -1);
	if (fd < 0)
		return fd;
	before = faults_of_pid(pid);
	gate_open(&go);
	if (wait4(pid, &status, 0, &ru) != pid || status)
		return -EIO;
	total->kernel = ru.ru_minflt + ru.ru_majflt - before;
	total->event = perf_count(fd);
	close(fd);
	return 0;
}

/*
 * Exec has the kernel fault in the first page of the new stack. No instruction of the
 * user causes that fault, so only the kernel's account has it.
 */
static void check_worker_execs(struct __test_metadata *_metadata,
			       struct perf_event_attr attr,
			       void (*load)(void), int at_least, int execs)
{
	struct total total = {};

	ASSERT_EQ(0, run_worker(attr, load, &total));
	EXPECT_LE(at_least, total.kernel);
	EXPECT_EQ(total.kernel, total.event + execs);
}

static void check_worker(struct __test_metadata *_metadata,
			 struct perf_event_attr attr, void (*load)(void),
			 int at_least)
{
	check_worker_execs(_metadata, attr, load, at_least, 0);
}

#define INHERITED(...)	PERF_SW(PAGE_FAULTS, .inherit = 1, ##__VA_ARGS__)

/* Loads */

static void load_alone(void)
{
	fault_pages(50);
}

static void load_one_child(void)
{
	fault_pages(10);
	if (fork() == 0) {
		fault_pages(100);
		_exit(0);
	}
	wait_all();
	fault_pages(10);
}

static void load_nested(void)
{
	int depth;

	for (depth = 0; depth < 6; depth++) {
		fault_pages(20);
		if (fork()) {
			wait_all();
			_exit(0);
		}
	}
	fault_pages(50);
}

static void load_many_at_once(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		if (fork() == 0) {
			fault_pages(10 + i);
			_exit(0);
		}
	}
	wait_all();
}

static void load_100_short(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (fork() == 0)
			_exit(0);
		if (i % 10 == 9)
			wait_all();
	}
	wait_all();
}

static void *thread_load(void *arg)
{
	fault_pages(30);
	return arg;
}

static void load_threads(void)
{
	pthread_t thread[8];
	int i;

	for (i = 0; i < 8; i++)
		if (pthread_create(&thread[i], NULL, thread_load, NULL))
			_exit(1);
	for (i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static void load_threads_that_fork(void)
{
	load_threads();
	if (fork() == 0) {
		load_threads();
		_exit(0);
	}
	wait_all();
}

static void load_exec(void)
{
	fault_pages(10);
	if (fork() == 0)
		perf_exec_touch(70);
	wait_all();
}

static void load_exec_self(void)
{
	fault_pages(10);
	perf_exec_touch(40);
}

static void load_spawn(void)
{
	char *argv[] = { "touch", "--touch", "30", NULL };
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++)
		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv,
				NULL))
			_exit(1);
	wait_all();
}

static void load_signalled(void)
{
	struct gate faulted = gate_new();
	pid_t pid = fork();

	if (pid == 0) {
		fault_pages(50);
		gate_open(&faulted);
		for (;;)
			pause();
	}
	gate_wait(&faulted);
	kill(pid, SIGKILL);
	wait_all();
}

TEST(alone)
{
	check_worker(_metadata, INHERITED(), load_alone, 50);
}

TEST(one_child)
{
	check_worker(_metadata, INHERITED(), load_one_child, 120);
}

TEST(nested_children)
{
	check_worker(_metadata, INHERITED(), load_nested, 170);
}

TEST(children_at_once)
{
	check_worker(_metadata, INHERITED(), load_many_at_once, 390);
}

TEST(hundred_short_children)
{
	check_worker(_metadata, INHERITED(), load_100_short, 100);
}

TEST(threads)
{
	check_worker(_metadata, INHERITED(), load_threads, 240);
}

TEST(threads_of_children)
{
	check_worker(_metadata, INHERITED(), load_threads_that_fork, 480);
}

TEST(child_execs)
{
	check_worker_execs(_metadata, INHERITED(), load_exec, 80, 1);
}

TEST(worker_execs)
{
	check_worker_execs(_metadata, INHERITED(), load_exec_self, 50, 1);
}

TEST(spawned_children)
{
	check_worker_execs(_metadata, INHERITED(), load_spawn, 150, 5);
}

TEST(killed_child)
{
	check_worker(_metadata, INHERITED(), load_signalled, 50);
}

TEST(inherit_stat)
{
	check_worker(_metadata, INHERITED(.inherit_stat = 1), load_nested,
		     170);
	check_worker(_metadata, INHERITED(.inherit_stat = 1),
		     load_many_at_once, 390);
}

TEST(with_times)
{
	struct perf_timed t;
	pid_t pid;
	int fd;

	fd = perf_open_self(INHERITED(.read_format = PERF_ALL_TIMES));
	ASSERT_LE(0, fd);
	pid = fork();
	if (pid == 0) {
		burn_cpu(20 * NSEC_PER_MSEC);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(pid));
	t = perf_timed_count(fd);
	/* The children's times are added to the parent's. */
	EXPECT_LE(10 * NSEC_PER_MSEC, t.enabled);
	EXPECT_EQ(t.enabled, t.running);
}

/*
 * While there are counters for all events, each has run for as long as it was enabled, to the
 * nanosecond, also the events of children that begin with the context switch.
 */
TEST(with_times_on_counters)
{
	struct perf_event_attr attr;
	struct perf_timed t;
	int fds[FAKE_COUNTERS];
	pid_t pid;

	SKIP_WITHOUT_FAKE();
	attr = fake_attr("ns");
	attr.inherit = 1;
	attr.read_format = PERF_ALL_TIMES;
	for (int i = 0; i < FAKE_COUNTERS; i++) {
		fds[i] = perf_open_self(attr);
		ASSERT_LE(0, fds[i]);
	}
	for (int i = 0; i < 10; i++) {
		pid = fork();
		if (pid == 0) {
			sched_yield();
			_exit(0);
		}
		ASSERT_EQ(0, wait_status(pid));
	}
	for (int i = 0; i < FAKE_COUNTERS; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.running);
		EXPECT_EQ(t.enabled, t.running);
		close(fds[i]);
	}
}

/* Only what is asked for */

TEST(not_inherited)
{
	struct total total = {};

	ASSERT_EQ(0, run_worker(PERF_SW(PAGE_FAULTS), load_one_child, &total));
	EXPECT_LE(120, total.kernel);
	EXPECT_LE(20, total.event);
	EXPECT_GE(total.kernel - 100, (long)total.event);
}

/* A child that exists when the event is opened gets no child event, nor do its new children. */
TEST(existing_child_is_left)
{
	struct gate go = gate_new(), ready = gate_new();
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		pid_t child = fork_child();

		if (child == 0) {
			gate_open(&ready);
			gate_wait(&go);
			fault_pages(2000);
			if (fork() == 0) {
				fault_pages(2000);
				_exit(0);
			}
			wait_all();
			_exit(0);
		}
		if (wait_status(child))
			_exit(1);
		load_one_child();
		_exit(0);
	}
	gate_wait(&ready);
	fd = perf_open(INHERITED(), pid, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	/* its own faults, and the faults of the child that it made later */
	EXPECT_LE(120, perf_count(fd));
	EXPECT_GT(2000, perf_count(fd));
}

TEST(inherit_thread_counts_threads)
{
	check_worker(_metadata, INHERITED(.inherit_thread = 1), load_threads,
		     240);
}

TEST(inherit_thread_leaves_processes)
{
	struct total total = {};

	ASSERT_EQ(0, run_worker(INHERITED(.inherit_thread = 1),
				load_one_child, &total));
	EXPECT_LE(120, total.kernel);
	EXPECT_LE(20, total.event);
	EXPECT_GE(total.kernel - 100, (long)total.event);
}

/* An event of a CPU has no inherited copies. */
TEST(cpu_event_counts_once)
{
	int cpu = nth_cpu(0);
	int plain = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), -1, cpu,
			      -1);
	int inherited = perf_open(INHERITED(), -1, cpu, -1);
	pid_t pid;

	ASSERT_LE(0, plain);
	ASSERT_LE(0, inherited);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_ioctl(inherited, PERF_EVENT_IOC_RESET, 0));
	ASSERT_EQ(0, perf_enable(plain));
	pid = fork();
	if (pid == 0) {
		fault_pages(200);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(plain));
	ASSERT_EQ(0, perf_disable(inherited));
	EXPECT_LE(200, perf_count(plain));
	EXPECT_LE(perf_count(plain), perf_count(inherited));
	EXPECT_GE(perf_count(plain) + 100, perf_count(inherited));
}

PERF_TEST_EXEC_MAIN
