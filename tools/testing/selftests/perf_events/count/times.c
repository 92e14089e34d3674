// SPDX-License-Identifier: GPL-2.0
/*
 * time_enabled and time_running: when each advances and when not, for events of tasks,
 * of CPUs, of both, and in groups.
 */
#include <signal.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define TIMED(_name, ...) \
	PERF_SW(_name, .read_format = PERF_ALL_TIMES, ##__VA_ARGS__)

/*
 * The time that burn_cpu() uses includes a little of the switches around it, an event's
 * time does not. So the lower bound is a loose one. More than has passed on the clock is
 * always wrong.
 */
#define AT_LEAST(_ns)	((_ns) / 2)
#define AT_MOST(_ns)	((_ns) * 101 / 100 + NSEC_PER_MSEC / 5)

static __u64 wall(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

TEST(own_task_runs_all_the_time)
{
	struct perf_timed t;
	__u64 t0, t1;
	int fd;

	t0 = wall();
	fd = perf_open_self(TIMED(DUMMY));
	ASSERT_LE(0, fd);
	burn_cpu(20 * NSEC_PER_MSEC);
	t = perf_timed_count(fd);
	t1 = wall();
	EXPECT_EQ(t.enabled, t.running);
	EXPECT_LE(AT_LEAST(20 * NSEC_PER_MSEC), t.enabled);
	EXPECT_GE(AT_MOST(t1 - t0), t.enabled);
}

TEST(disabled_stands_still)
{
	int fd = perf_open_self(TIMED(DUMMY, .disabled = 1));
	struct perf_timed before, after;

	ASSERT_LE(0, fd);
	burn_cpu(2 * NSEC_PER_MSEC);
	before = perf_timed_count(fd);
	EXPECT_EQ(0, before.enabled);
	EXPECT_EQ(0, before.running);

	ASSERT_EQ(0, perf_enable(fd));
	burn_cpu(2 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(fd));
	before = perf_timed_count(fd);
	EXPECT_LE(AT_LEAST(2 * NSEC_PER_MSEC), before.enabled);
	burn_cpu(2 * NSEC_PER_MSEC);
	sleep_ms(2);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
}

TEST(intervals_add_up)
{
	int fd = perf_open_self(TIMED(DUMMY, .disabled = 1));
	__u64 outer = 0, t0;
	struct perf_timed t;
	int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++) {
		t0 = wall();
		ASSERT_EQ(0, perf_enable(fd));
		burn_cpu(NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_disable(fd));
		outer += wall() - t0;
		burn_cpu(NSEC_PER_MSEC);
	}
	t = perf_timed_count(fd);
	EXPECT_LE(AT_LEAST(10 * NSEC_PER_MSEC), t.enabled);
	EXPECT_GE(AT_MOST(outer), t.enabled);
	EXPECT_EQ(t.enabled, t.running);
}

TEST(monotonic)
{
	int fd = perf_open_self(TIMED(PAGE_FAULTS));
	struct perf_timed last = {}, t;
	int i, here = nth_cpu(0), there = nth_cpu(1);

	ASSERT_LE(0, fd);
	for (i = 0; i < 3000; i++) {
		t = perf_timed_count(fd);
		ASSERT_LE(last.value, t.value);
		ASSERT_LE(last.enabled, t.enabled);
		ASSERT_LE(last.running, t.running);
		ASSERT_LE(t.running, t.enabled);
		last = t;
		if (i % 100 == 0 && there >= 0)
			pin_to_cpu(i % 200 ? there : here);
		if (i % 300 == 0) {
			ASSERT_EQ(0, perf_disable(fd));
			ASSERT_EQ(0, perf_enable(fd));
		}
		if (i % 500 == 0)
			sleep_ms(1);
	}
}

/* Another task reads the event on another CPU, while it runs. */
TEST(monotonic_from_outside)
{
	struct perf_timed last = {}, t;
	pid_t child = fork_child();
	int fd, i;

	if (child == 0) {
		for (i = 0;; i++) {
			fault_pages(2);
			if (i % 64 == 0)
				sched_yield();
		}
	}
	fd = perf_open(TIMED(PAGE_FAULTS), child, -1, -1);
	ASSERT_LE(0, fd);
	for (i = 0; i < 2000; i++) {
		t = perf_timed_count(fd);
		ASSERT_LE(last.value, t.value);
		ASSERT_LE(last.enabled, t.enabled);
		ASSERT_LE(last.running, t.running);
		ASSERT_LE(t.running, t.enabled);
		last = t;
	}
	/* On a busy machine the child may not have run yet. */
	EXPECT_TRUE(COMES_TRUE((last = perf_timed_count(fd)).value));
	EXPECT_LT(0, last.running);
	kill_child(child);
}

/* Neither time advances while the task sleeps. */
TEST(task_off_cpu)
{
	struct gate go = gate_new(), ready = gate_new();
	struct perf_timed before, after;
	pid_t child = fork_child();
	int fd;

	if (child == 0) {
		gate_open(&ready);
		gate_wait(&go);
		_exit(0);
	}
	fd = perf_open(TIMED(DUMMY), child, -1, -1);
	ASSERT_LE(0, fd);
	gate_wait(&ready);
	ASSERT_TRUE(wait_asleep(child));
	before = perf_timed_count(fd);
	sleep_ms(50);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	after = perf_timed_count(fd);
	EXPECT_LT(before.enabled, after.enabled);
}

TEST(exited_task_stands_still)
{
	struct perf_timed before, after;
	struct gate go = gate_new();
	pid_t child = fork_child();
	int fd;

	if (child == 0) {
		gate_wait(&go);
		burn_cpu(3 * NSEC_PER_MSEC);
		_exit(0);
	}
	fd = perf_open(TIMED(DUMMY), child, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	before = perf_timed_count(fd);
	EXPECT_LE(AT_LEAST(3 * NSEC_PER_MSEC), before.enabled);
	EXPECT_EQ(before.enabled, before.running);
	sleep_ms(5);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.enabled, after.enabled);
}

/* An event of a task on one CPU: enabled on all CPUs, running only on that one. */
TEST(task_on_other_cpu)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd;
	struct perf_timed t, t2;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(here));
	fd = perf_open(TIMED(PAGE_FAULTS), 0, there, -1);
	ASSERT_LE(0, fd);
	burn_cpu(5 * NSEC_PER_MSEC);
	fault_pages(5);
	t = perf_timed_count(fd);
	EXPECT_EQ(0, t.value);
	EXPECT_EQ(0, t.running);
	EXPECT_LE(AT_LEAST(5 * NSEC_PER_MSEC), t.enabled);

	ASSERT_EQ(0, pin_to_cpu(there));
	burn_cpu(5 * NSEC_PER_MSEC);
	fault_pages(5);
	t2 = perf_timed_count(fd);
	EXPECT_LE(5, t2.value);
	EXPECT_LE(AT_LEAST(5 * NSEC_PER_MSEC), t2.running);
	EXPECT_GE(AT_MOST(t2.enabled - t.enabled), t2.running);

	ASSERT_EQ(0, pin_to_cpu(here));
	t = perf_timed_count(fd);
	burn_cpu(5 * NSEC_PER_MSEC);
	t2 = perf_timed_count(fd);
	EXPECT_EQ(t.running, t2.running);
	EXPECT_EQ(t.value, t2.value);
	EXPECT_LE(t.enabled + AT_LEAST(5 * NSEC_PER_MSEC), t2.enabled);
}

/* The times on each CPU add up to the whole. */
TEST(task_split_over_cpus)
{
	int cpus[2] = { nth_cpu(0), nth_cpu(1) }, fd[3], i;
	struct perf_timed t[3];

	if (cpus[1] < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(cpus[0]));
	fd[0] = perf_open(TIMED(PAGE_FAULTS, .disabled = 1), 0, -1, -1);
	fd[1] = perf_open(TIMED(PAGE_FAULTS), 0, cpus[0], -1);
	fd[2] = perf_open(TIMED(PAGE_FAULTS), 0, cpus[1], -1);
	for (i = 0; i < 3; i++) {
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, perf_disable(fd[i]));
		ASSERT_EQ(0, perf_ioctl(fd[i], PERF_EVENT_IOC_RESET, 0));
	}
	ASSERT_EQ(0, perf_enable(fd[1]));
	ASSERT_EQ(0, perf_enable(fd[2]));
	ASSERT_EQ(0, perf_enable(fd[0]));
	for (i = 0; i < 10; i++) {
		pin_to_cpu(cpus[i % 2]);
		fault_pages(7);
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, perf_disable(fd[i]));
	for (i = 0; i < 3; i++)
		t[i] = perf_timed_count(fd[i]);
	EXPECT_LE(70, t[0].value);
	/* The first event starts a little later and stops a little earlier. */
	EXPECT_LE(t[0].value, t[1].value + t[2].value);
	EXPECT_GE(t[0].value + 5, t[1].value + t[2].value);
	EXPECT_LE(35, t[1].value);
	EXPECT_LE(35, t[2].value);
}

TEST(cpu_event_runs_on_idle_cpu)
{
	int cpu = nth_cpu(1) < 0 ? nth_cpu(0) : nth_cpu(1), fd;
	__u64 t0, t1, t2, t3;
	struct perf_timed t;

	t0 = wall();
	fd = perf_open(TIMED(DUMMY), -1, cpu, -1);
	t1 = wall();
	ASSERT_LE(0, fd);
	sleep_ms(50);
	t2 = wall();
	t = perf_timed_count(fd);
	t3 = wall();
	EXPECT_EQ(t.enabled, t.running);
	EXPECT_LE((t2 - t1) * 99 / 100, t.enabled);
	EXPECT_GE(AT_MOST(t3 - t0), t.enabled);
}

TEST(cpu_event_disabled)
{
	int fd = perf_open(TIMED(DUMMY), -1, nth_cpu(0), -1);
	struct perf_timed before, after;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_disable(fd));
	before = perf_timed_count(fd);
	sleep_ms(10);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	ASSERT_EQ(0, perf_enable(fd));
	sleep_ms(10);
	after = perf_timed_count(fd);
	EXPECT_LE(before.enabled + AT_LEAST(10 * NSEC_PER_MSEC),
		  after.enabled);
}

/* A member is enabled only while its leader is. */
TEST(member_of_disabled_leader)
{
	int leader = perf_open_self(TIMED(DUMMY, .disabled = 1));
	int member = perf_open(TIMED(DUMMY), 0, -1, leader);
	struct perf_timed t;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	burn_cpu(2 * NSEC_PER_MSEC);
	t = perf_timed_count(member);
	EXPECT_EQ(0, t.enabled);
	EXPECT_EQ(0, t.running);
	ASSERT_EQ(0, perf_enable(leader));
	burn_cpu(2 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(leader));
	t = perf_timed_count(member);
	EXPECT_LE(AT_LEAST(2 * NSEC_PER_MSEC), t.enabled);
	EXPECT_EQ(t.enabled, t.running);
	/* Leader and member start together, so their times agree. */
	EXPECT_EQ(perf_timed_count(leader).enabled, t.enabled);
}

TEST(disabled_member_of_enabled_leader)
{
	int leader = perf_open_self(TIMED(DUMMY));
	int member = perf_open(TIMED(DUMMY, .disabled = 1), 0, -1, leader);
	struct perf_timed t;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	burn_cpu(2 * NSEC_PER_MSEC);
	t = perf_timed_count(member);
	EXPECT_EQ(0, t.enabled);
	EXPECT_LT(0, perf_timed_count(leader).enabled);
	ASSERT_EQ(0, perf_enable(member));
	burn_cpu(2 * NSEC_PER_MSEC);
	t = perf_timed_count(member);
	EXPECT_LE(AT_LEAST(2 * NSEC_PER_MSEC), t.enabled);
	EXPECT_LE(t.enabled, perf_timed_count(leader).enabled);
}

TEST(group_read_shows_leaders_times)
{
	__u64 format = PERF_ALL_TIMES | PERF_FORMAT_GROUP, buf[8];
	int leader = perf_open_self(PERF_SW(DUMMY, .read_format = format));
	int member;

	ASSERT_LE(0, leader);
	burn_cpu(5 * NSEC_PER_MSEC);
	member = perf_open(TIMED(DUMMY), 0, -1, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, perf_disable(leader));
	ASSERT_EQ(40, read(leader, buf, sizeof(buf)));
	EXPECT_LE(AT_LEAST(5 * NSEC_PER_MSEC), buf[1]);
	EXPECT_EQ(buf[1], buf[2]);
	/* The member was opened later, and its times show that. */
	EXPECT_GT(buf[1] - AT_LEAST(5 * NSEC_PER_MSEC) + 1,
		  perf_timed_count(member).enabled);
}

/* Times start when the event is opened. */
TEST(starts_at_open)
{
	struct perf_timed t;
	__u64 t0;
	int fd;

	burn_cpu(20 * NSEC_PER_MSEC);
	t0 = wall();
	fd = perf_open_self(TIMED(DUMMY));
	ASSERT_LE(0, fd);
	t = perf_timed_count(fd);
	EXPECT_GE(AT_MOST(wall() - t0), t.enabled);
}

/* Enabled while the task sleeps: the time starts when the task runs. */
TEST(enabled_while_asleep)
{
	struct gate go = gate_new(), ready = gate_new();
	struct perf_timed t;
	pid_t child = fork_child();
	int fd;

	if (child == 0) {
		gate_open(&ready);
		gate_wait(&go);
		burn_cpu(2 * NSEC_PER_MSEC);
		gate_open(&ready);
		gate_wait(&go);
		_exit(0);
	}
	fd = perf_open(TIMED(DUMMY, .disabled = 1), child, -1, -1);
	ASSERT_LE(0, fd);
	gate_wait(&ready);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, perf_enable(fd));
	sleep_ms(20);
	t = perf_timed_count(fd);
	EXPECT_EQ(0, t.enabled);
	EXPECT_EQ(0, t.running);
	gate_open(&go);
	gate_wait(&ready);
	t = perf_timed_count(fd);
	EXPECT_LE(AT_LEAST(2 * NSEC_PER_MSEC), t.enabled);
	EXPECT_EQ(t.enabled, t.running);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
}

/* Many tasks alternate on one CPU. Each event has the time of its own task. */
TEST(tasks_take_turns)
{
	enum { TASKS = 4 };
	struct gate go = gate_new(), ready = gate_new();
	struct perf_timed t;
	__u64 sum = 0, t0, t1;
	pid_t pid[TASKS];
	int fd[TASKS], i;

	for (i = 0; i < TASKS; i++) {
		pid[i] = fork_child();
		if (pid[i] == 0) {
			pin_to_cpu(nth_cpu(0));
			gate_open(&ready);
			gate_wait(&go);
			burn_cpu(20 * NSEC_PER_MSEC);
			_exit(0);
		}
	}
	for (i = 0; i < TASKS; i++)
		gate_wait(&ready);
	/* From here on all of them are on one CPU. */
	t0 = wall();
	for (i = 0; i < TASKS; i++) {
		fd[i] = perf_open(TIMED(TASK_CLOCK), pid[i], -1, -1);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < TASKS; i++)
		gate_open(&go);
	for (i = 0; i < TASKS; i++)
		EXPECT_EQ(0, wait_status(pid[i]));
	t1 = wall();
	for (i = 0; i < TASKS; i++) {
		t = perf_timed_count(fd[i]);
		EXPECT_LE(AT_LEAST(20 * NSEC_PER_MSEC), t.enabled);
		EXPECT_EQ(t.enabled, t.running);
		/* The count of the clock is the event's time. */
		EXPECT_LE(AT_LEAST(t.running), t.value);
		EXPECT_GE(AT_MOST(t.running), t.value);
		sum += t.enabled;
	}
	EXPECT_GE(AT_MOST(t1 - t0), sum);
}

TEST_HARNESS_MAIN
