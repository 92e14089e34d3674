// SPDX-License-Identifier: GPL-2.0
/*
 * prctl(PR_TASK_PERF_EVENTS_DISABLE) and _ENABLE: they affect the events that the
 * calling thread has opened, on any target, and no other events.
 */
#include <pthread.h>
#include <signal.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

static int all_off(void)
{
	return prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

static int all_on(void)
{
	return prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

TEST(without_events)
{
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, all_on());
}

TEST(own_events)
{
	int fd[20], i;

	for (i = 0; i < 20; i++) {
		fd[i] = perf_open_self(PERF_SW(PAGE_FAULTS));
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(0, all_off());
	for (i = 0; i < 20; i++)
		EXPECT_TRUE(counts_no_faults(fd[i]));
	EXPECT_EQ(0, all_on());
	for (i = 0; i < 20; i++)
		EXPECT_TRUE(counts_faults(fd[i]));
}

TEST(does_not_nest)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, all_on());
	EXPECT_TRUE(counts_faults(fd));
	/* The same state as the ioctl's. */
	EXPECT_EQ(0, all_off());
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, all_on());
	EXPECT_TRUE(counts_faults(fd));
}

TEST(event_opened_disabled)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));

	ASSERT_LE(0, fd);
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, all_on());
	EXPECT_TRUE(counts_faults(fd));
}

TEST(members_of_groups)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS));
	int member = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_EQ(0, all_off());
	/* The member was disabled separately. */
	EXPECT_EQ(0, perf_enable(leader));
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_no_faults(member));
	EXPECT_EQ(0, all_on());
	EXPECT_TRUE(counts_faults(member));
}

TEST(event_on_cpu)
{
	int cpu = nth_cpu(0);
	int fd = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, all_off());
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, all_on());
	EXPECT_TRUE(counts_faults(fd));
}

/* A child's call does not affect the parent's events, even those on that child. */
TEST(events_of_others)
{
	struct gate go = gate_new(), done = gate_new();
	int mine, on_child;
	__u64 before;
	pid_t child = fork_child();

	if (child == 0) {
		gate_wait(&go);
		if (all_off())
			_exit(1);
		fault_pages(10);
		gate_open(&done);
		for (;;)
			pause();
	}
	mine = perf_open_self(PERF_SW(PAGE_FAULTS));
	on_child = perf_open(PERF_SW(PAGE_FAULTS), child, -1, -1);
	ASSERT_LE(0, mine);
	ASSERT_LE(0, on_child);
	gate_open(&go);
	gate_wait(&done);
	EXPECT_LE(10, perf_count(on_child));
	EXPECT_TRUE(counts_faults(mine));
	before = perf_count(on_child);
	EXPECT_LE(10, before);
	kill_child(child);
}

/* A child that causes faults each time that it is let go. */
struct faulting {
	struct gate go;
	struct gate done;
	pid_t pid;
};

#define FAULTS_OF_CHILD	100

static struct faulting faulting_child(void)
{
	struct faulting child = { .go = gate_new(), .done = gate_new() };

	child.pid = fork_child();
	if (child.pid == 0) {
		for (;;) {
			gate_wait(&child.go);
			fault_pages(FAULTS_OF_CHILD);
			gate_open(&child.done);
		}
	}
	return child;
}

static void let_fault(struct faulting *child)
{
	gate_open(&child->go);
	gate_wait(&child->done);
}

/* An event counts the child while the caller's events are on. Kills the child. */
static void follows_the_caller(struct __test_metadata *_metadata, int fd, struct faulting *child)
{
	__u64 before;

	EXPECT_EQ(0, all_off());
	before = perf_count(fd);
	let_fault(child);
	EXPECT_EQ(before, perf_count(fd));
	EXPECT_EQ(0, all_on());
	let_fault(child);
	EXPECT_LE(before + FAULTS_OF_CHILD, perf_count(fd));
	kill_child(child->pid);
}

/* The caller's event on a child is affected. */
TEST(own_event_on_child)
{
	struct faulting child = faulting_child();
	int fd = perf_open(PERF_SW(PAGE_FAULTS), child.pid, -1, -1);

	ASSERT_LE(0, fd);
	let_fault(&child);
	EXPECT_LE(FAULTS_OF_CHILD, perf_count(fd));
	follows_the_caller(_metadata, fd, &child);
}

/* An inherited descriptor is not an opened event. */
TEST(event_of_parent)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	pid_t child;

	ASSERT_LE(0, fd);
	child = fork_child();
	if (child == 0)
		_exit(all_off() ? 1 : 0);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_TRUE(counts_faults(fd));
}

TEST(inherited_events_follow)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .inherit = 1));
	struct faulting child;

	ASSERT_LE(0, fd);
	child = faulting_child();
	follows_the_caller(_metadata, fd, &child);
}

static void *switch_all_off(void *arg)
{
	return all_off() ? arg : NULL;
}

/* Events belong to the thread that opened them, not to its process. */
TEST(events_of_other_threads)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	pthread_t thread;
	void *ret = NULL;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pthread_create(&thread, NULL, switch_all_off, &fd));
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(NULL, ret);
	EXPECT_TRUE(counts_faults(fd));
}

static void *open_and_leave(void *arg)
{
	*(int *)arg = perf_open(PERF_SW(PAGE_FAULTS), getpid(), -1, -1);
	return NULL;
}

/* After its opener has exited the event continues. No call affects it. */
TEST(event_of_exited_thread)
{
	pthread_t thread;
	int fd = -1;

	ASSERT_EQ(0, pthread_create(&thread, NULL, open_and_leave, &fd));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_LE(0, fd);
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, all_off());
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_TRUE(counts_no_faults(fd));
}

TEST(closed_events_are_forgotten)
{
	int kept = perf_open_self(PERF_SW(PAGE_FAULTS)), i;

	ASSERT_LE(0, kept);
	for (i = 0; i < 200; i++) {
		int fd = perf_open_self(PERF_SW(PAGE_FAULTS));

		ASSERT_LE(0, fd);
		if (i % 2)
			EXPECT_EQ(0, all_off());
		close(fd);
		EXPECT_EQ(0, all_on());
	}
	EXPECT_TRUE(counts_faults(kept));
}

TEST(many_events)
{
	struct rlimit limit = { 1024, 1024 };
	int fd[500], i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < 500; i++) {
		fd[i] = perf_open_self(PERF_SW(PAGE_FAULTS));
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(0, all_off());
	for (i = 0; i < 500; i++)
		EXPECT_EQ(0, perf_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0));
	fault_pages(5);
	for (i = 0; i < 500; i++)
		EXPECT_EQ(0, perf_count(fd[i]));
	EXPECT_EQ(0, all_on());
	fault_pages(5);
	for (i = 0; i < 500; i++)
		EXPECT_LE(5, perf_count(fd[i]));
}

TEST_HARNESS_MAIN
