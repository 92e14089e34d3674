// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults, each named after its CVE or after what went wrong:
 * deferred work of events that are closed meanwhile, or of tasks that exit or execute a
 * program meanwhile; groups that change their context; control groups that are removed while
 * they are counted. Leaks and uses of freed memory are seen on a kernel with KASAN and
 * kmemleak. What user space can see is checked on every kernel.
 */
#include <pthread.h>
#include <signal.h>

#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/sigtrap.h"

#define TRAP(_name)							\
	PERF_SW(_name, .sample_period = 1, .sigtrap = 1,		\
		.remove_on_exec = 1, .exclude_kernel = 0)

static volatile sig_atomic_t sigtraps;

static void count_trap(int signo)
{
	sigtraps = sigtraps + 1;
}

/* F. Exit, exec, signals */

/* The event is closed between its overflow and the pending signal. */
TEST(cve_2022_48950_task_work_outlives_event)
{
	struct gate ready = gate_new(), trapped = gate_new();
	pid_t pid;
	int i, fd;

	pid = fork_child();
	if (pid == 0) {
		signal(SIGTRAP, count_trap);
		gate_open(&ready);
		while (!sigtraps)
			fault_pages(1);
		gate_open(&trapped);
		for (;;)
			fault_pages(1);
	}
	gate_wait(&ready);
	for (i = 0; i < 300; i++) {
		fd = perf_open(TRAP(PAGE_FAULTS), pid, -1, -1);
		ASSERT_LE(0, fd);
		if (i % 4 == 0)
			sched_yield();
		/* The child has run, and some signals arrive. */
		if (i % 50 == 49)
			ASSERT_TRUE(COMES_TRUE(perf_count(fd)));
		if (i == 149)
			gate_wait(&trapped);
		close(fd);
	}
	/* The child has survived all of them. */
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(-SIGKILL, wait_status(pid));
}

/* The event overflows at the end of the task, when it executes no more task work. */
TEST(cve_2024_43870_signal_owed_to_an_exiting_task)
{
	static const __u64 configs[] = {
		PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_PAGE_FAULTS,
	};
	struct perf_event_attr attr = TRAP(PAGE_FAULTS);
	struct gate go;
	pid_t pid;
	int i, fd;

	for (i = 0; i < 100; i++) {
		/* Some children have exited before the overflow. */
		go = gate_new();
		pid = fork_child();
		if (pid == 0) {
			block_trap(true);
			gate_wait(&go);
			if (i & 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		attr.config = configs[i & 1];
		fd = perf_open(attr, pid, -1, -1);
		ASSERT_LE(0, fd);
		gate_open(&go);
		/* Closed before or after the end. */
		if (i & 4)
			close(fd);
		/* A signal that cannot be blocked may end the child. */
		wait_status(pid);
		if (!(i & 4)) {
			EXPECT_NE(~0ULL, perf_count(fd));
			close(fd);
		}
		close(go.rd);
		close(go.wr);
	}
}

static void *trap_all_along(void *arg)
{
	int fd = perf_open_self(TRAP(PAGE_FAULTS));

	*(volatile int *)arg = fd < 0 ? fd : 1;
	for (;;)
		fault_pages(1);
	return NULL;
}

/* One thread calls exec while a signal is pending for another one, which exec kills. */
TEST(cve_2026_98790_exec_against_signals_owed)
{
	pthread_t thread;
	volatile int ready;
	pid_t pid;
	int i;

	for (i = 0; i < 40; i++) {
		pid = fork_child();
		if (pid == 0) {
			signal(SIGTRAP, count_trap);
			ready = 0;
			if (pthread_create(&thread, NULL, trap_all_along,
					   (void *)&ready))
				_exit(90);
			while (!ready || (ready > 0 && !sigtraps))
				sched_yield();
			if (ready < 0)
				_exit(91);
			perf_exec_touch(50);
		}
		EXPECT_EQ(0, wait_status(pid));
	}
}

/* A signal pending for the old program must not end the new one. */
TEST(exec_while_signals_are_owed)
{
	int i, fd, status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = fork_child();
		if (pid == 0) {
			signal(SIGTRAP, count_trap);
			fd = perf_open_self(TRAP(CONTEXT_SWITCHES));
			if (fd < 0)
				_exit(91);
			switch_out(1);
			perf_exec_touch(50);
		}
		status = wait_status(pid);
		SKIP_STOCK_FAULT(status == -SIGTRAP,
				 "a trap of before the exec ends it");
		EXPECT_EQ(0, status);
	}
}

/* An overflow while the event is removed from its task. */
TEST(cve_2026_23271_overflow_against_removal)
{
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .sample_period = 10000,
					      .sample_type = PERF_SAMPLE_IP);
	int i, fd, here = nth_cpu(0), there = nth_cpu(1);
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	pid_t pid = fork_child();

	if (pid == 0) {
		if (there >= 0)
			pin_to_cpu(there);
		for (;;)
			fault_pages(1);
	}
	ASSERT_EQ(0, pin_to_cpu(here));
	for (i = 0; i < 300 && race_goes_on(i, 42, start, 2 * NSEC_PER_SEC); i++) {
		attr.config = i & 1 ? PERF_COUNT_SW_CPU_CLOCK :
				      PERF_COUNT_SW_TASK_CLOCK;
		attr.disabled = i & 1;
		fd = perf_open(attr, pid, -1, -1);
		ASSERT_LE(0, fd);
		if (i & 1)
			EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1));
		if (i % 3 == 0)
			EXPECT_EQ(0, perf_disable(fd));
		if (i % 7 == 0)
			sleep_ms(1);
		close(fd);
	}
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(-SIGKILL, wait_status(pid));
}

/* C. Groups and contexts */

#define CYCLES	PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)

/* Events of another task or CPU could join a group if their PMU was another one. */
TEST(cve_2015_9004_group_over_contexts)
{
	const struct perf_event_attr members[] = {
		PERF_SW(PAGE_FAULTS), PERF_SW(CPU_CLOCK), PERF_SW(TASK_CLOCK),
		CYCLES,
	};
	int here = nth_cpu(0), there = nth_cpu(1), bound, wide, mine, ret;
	pid_t pid = fork_child();
	size_t i;

	if (pid == 0)
		pause();
	bound = perf_open(PERF_SW(PAGE_FAULTS), 0, here, -1);
	wide = perf_open(PERF_SW(PAGE_FAULTS), -1, here, -1);
	mine = perf_open_self(PERF_SW(PAGE_FAULTS));
	ASSERT_LE(0, bound);
	ASSERT_LE(0, wide);
	ASSERT_LE(0, mine);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		ret = perf_try_self(members[i]);
		if (ret == -ENOENT)
			continue;
		ASSERT_EQ(0, ret);
		EXPECT_EQ(-EINVAL, perf_try(members[i], pid, -1, mine, 0));
		EXPECT_EQ(-EINVAL, perf_try(members[i], 0, here, mine, 0));
		EXPECT_EQ(-EINVAL, perf_try(members[i], -1, here, mine, 0));
		EXPECT_EQ(-EINVAL, perf_try(members[i], -1, here, bound, 0));
		EXPECT_EQ(-EINVAL, perf_try(members[i], 0, here, wide, 0));
		if (there < 0)
			continue;
		EXPECT_EQ(-EINVAL, perf_try(members[i], 0, there, bound, 0));
		EXPECT_EQ(-EINVAL, perf_try(members[i], -1, there, wide, 0));
	}
	kill(pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(pid));
}

/* The member and its leader would both be of @pid. */
static int try_member(pid_t pid, int leader)
{
	return perf_try(PERF_SW(PAGE_FAULTS), pid, -1, leader, 0);
}

/* An event whose task had exited was accepted as the leader of a group. */
TEST(cve_2026_74753_exited_leader)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	siginfo_t info;
	int leader;

	if (pid == 0) {
		gate_wait(&go);
		_exit(0);
	}
	leader = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
	ASSERT_LE(0, leader);
	EXPECT_EQ(0, try_member(pid, leader));
	gate_open(&go);
	/* a zombie: its number still names the task */
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ENODEV, try_member(pid, leader));
	EXPECT_EQ(-ENODEV, try_member(0, leader));
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_EQ(-ENODEV, try_member(pid, leader));
	EXPECT_EQ(-ENODEV, try_member(0, leader));
	close(leader);
}

/* The same state, while the task lives: the event has been removed at an exec. */
TEST(cve_2026_74753_leader_removed_on_exec)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .remove_on_exec = 1);
	int to[2], from[2], leader, other;
	struct gate go = gate_new();
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(to));
	ASSERT_EQ(0, pipe(from));
	pid = fork_child();
	if (pid == 0) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		gate_wait(&go);
		execlp("cat", "cat", NULL);
		_exit(1);
	}
	leader = perf_open(attr, pid, -1, -1);
	other = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, other);
	EXPECT_EQ(0, try_member(pid, leader));
	gate_open(&go);
	/* what comes back was written by the new program */
	ASSERT_EQ(1, write(to[1], "x", 1));
	ASSERT_EQ(1, read(from[0], &c, 1));
	EXPECT_EQ(-ENODEV, try_member(pid, leader));
	EXPECT_EQ(0, try_member(pid, other));
	close(to[1]);
	EXPECT_EQ(0, wait_status(pid));
	close(leader);
	close(other);
	close(to[0]);
	close(from[0]);
	close(from[1]);
}

struct user {
	int fd;
	struct rounds rounds;
};

static void *use_group(void *arg)
{
	struct user *u = arg;
	__u64 buf[64];

	while (rounds_go_on(&u->rounds)) {
		perf_disable_group(u->fd);
		perf_enable_group(u->fd);
		perf_ioctl(u->fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		if (read(u->fd, buf, sizeof(buf)) < 8)
			break;
		rounds_add(&u->rounds);
	}
	rounds_end(&u->rounds);
	return NULL;
}

/* The group moves to another context while that is in use. */
TEST(cve_2016_6786_context_changes_under_its_user)
{
	struct perf_event_attr leader = PERF_SW(PAGE_FAULTS, .read_format =
						PERF_FORMAT_GROUP);
	bool hard = !perf_try_self(CYCLES);
	struct user u;
	pthread_t thread;
	int i, fd;

	for (i = 0; i < 100; i++) {
		u = (struct user){ .fd = perf_open(leader, getpid(), -1, -1) };
		ASSERT_LE(0, u.fd);
		ASSERT_EQ(0, pthread_create(&thread, NULL, use_group, &u));
		EXPECT_TRUE(rounds_pass(&u.rounds, 1));
		fd = perf_open(hard ? CYCLES : PERF_SW(TASK_CLOCK), getpid(),
			       -1, u.fd);
		EXPECT_LE(0, fd);
		fault_pages(1);
		/* One round after the move at least. */
		EXPECT_TRUE(rounds_pass(&u.rounds, 2));
		rounds_stop(&u.rounds);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		EXPECT_NE(~0ULL, perf_count(fd));
		close(i & 1 ? fd : u.fd);
		close(i & 1 ? u.fd : fd);
	}
}

/* H. Control groups */

/* A control group is removed while the CPU that ran its tasks last still refers to it. */
TEST(dangling_current_cgroup)
{
	int cpu = nth_cpu(0), i, fd, dir;
	char path[256];
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pin_to_cpu(cpu));
	for (i = 0; i < 10; i++) {
		if (cgroup_make("dangling", path, sizeof(path)))
			SKIP(return, "no unified control groups");
		dir = open(path, O_RDONLY | O_CLOEXEC);
		ASSERT_LE(0, dir);
		fd = perf_raw_open(&PERF_SW(PAGE_FAULTS), dir, cpu, -1,
				   PERF_FLAG_PID_CGROUP);
		ASSERT_LE(0, fd);
		close(dir);
		pid = fork_child();
		if (pid == 0) {
			if (cgroup_enter(path, getpid()))
				_exit(1);
			fault_pages(20);
			_exit(0);
		}
		ASSERT_EQ(0, wait_status(pid));
		EXPECT_EQ(0, cgroup_remove(path));
		if (i & 1)
			sleep_ms(1);
		EXPECT_LE(20, perf_count(fd));
		close(fd);
	}
}

struct opener {
	const char *path;
	int cpu;
	struct rounds *rounds;
};

static void *open_cgroup_events(void *arg)
{
	struct opener *o = arg;
	int dir = open(o->path, O_RDONLY | O_CLOEXEC), fd;

	while (rounds_go_on(o->rounds)) {
		fd = perf_raw_open(&PERF_SW(PAGE_FAULTS), dir, o->cpu, -1,
				   PERF_FLAG_PID_CGROUP);
		if (fd < 0)
			break;
		close(fd);
		rounds_add(o->rounds);
	}
	rounds_end(o->rounds);
	close(dir);
	return NULL;
}

/* Events are opened and closed from one CPU on another, where the group's tasks run. */
TEST(cgroup_events_from_another_cpu)
{
	struct opener o = { .cpu = nth_cpu(1) };
	char path[256];
	pthread_t thread;
	pid_t pid;
	int i;

	if (getuid() || o.cpu < 0)
		SKIP(return, "needs root and two CPUs");
	if (cgroup_make("openers", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	o.path = path;
	o.rounds = rounds_shared();
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, open_cgroup_events, &o));
	for (i = 0; i < 20; i++) {
		pid = fork_child();
		if (pid == 0) {
			pin_to_cpu(o.cpu);
			if (cgroup_enter(path, getpid()))
				_exit(1);
			fault_pages(20);
			switch_out(1);
			/* Events are opened and closed while it runs. */
			if (!rounds_pass(o.rounds, 2))
				_exit(2);
			_exit(cgroup_enter(CGROUPFS, getpid()) ? 1 : 0);
		}
		EXPECT_EQ(0, wait_status(pid));
	}
	rounds_stop(o.rounds);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, cgroup_remove(path));
}

PERF_TEST_EXEC_MAIN
