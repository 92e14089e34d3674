// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a CPU that is taken offline and brought back: counts stay, nothing hangs or
 * crashes, and new events are refused meanwhile.
 */
#include <signal.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define TIMED(_name, ...) \
	PERF_SW(_name, .read_format = PERF_ALL_TIMES, ##__VA_ARGS__)

FIXTURE(hotplug)
{
	int cpu;
	int home;
};

FIXTURE_SETUP(hotplug)
{
	self->cpu = hotplug_cpu();
	self->home = nth_cpu(0);
	if (self->cpu < 0 || self->cpu == self->home)
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, pin_to_cpu(self->home));
}

FIXTURE_TEARDOWN_PARENT(hotplug)
{
	if (self->cpu >= 0)
		cpu_set_online(self->cpu, true);
}

static void fault_on(int cpu, int home, int pages)
{
	pin_to_cpu(cpu);
	fault_pages(pages);
	pin_to_cpu(home);
}

TEST_F(hotplug, count_and_times_are_kept)
{
	int fd = perf_open(TIMED(PAGE_FAULTS), -1, self->cpu, -1);
	struct perf_timed before, off, later;

	ASSERT_LE(0, fd);
	fault_on(self->cpu, self->home, 50);
	before = perf_timed_count(fd);
	EXPECT_LE(50, before.value);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	off = perf_timed_count(fd);
	EXPECT_LE(before.value, off.value);
	EXPECT_LE(before.enabled, off.enabled);
	EXPECT_LE(off.running, off.enabled);
	sleep_ms(5);
	later = perf_timed_count(fd);
	EXPECT_EQ(off.value, later.value);
	EXPECT_EQ(off.running, later.running);
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	later = perf_timed_count(fd);
	EXPECT_LE(off.value, later.value);
	EXPECT_LE(off.running, later.running);
	EXPECT_LE(later.running, later.enabled);
}

TEST_F(hotplug, open_refused_while_offline)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int output = perf_open(attr, -1, self->home, -1);

	ASSERT_LE(0, output);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	EXPECT_EQ(-ENODEV, perf_try(attr, -1, self->cpu, -1, 0));
	/* Before the check of the output, which is of another CPU. */
	EXPECT_EQ(-ENODEV, perf_try(attr, -1, self->cpu, output,
				    PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT));
	EXPECT_EQ(-ENODEV, perf_try(PERF_SW(CPU_CLOCK), -1, self->cpu, -1,
				    0));
	/* Other CPUs are not affected. */
	EXPECT_EQ(0, perf_try(attr, -1, self->home, -1, 0));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	EXPECT_EQ(0, perf_try(attr, -1, self->cpu, -1, 0));
}

/* A task can have an event for a CPU that is offline. */
TEST_F(hotplug, task_event_for_offline_cpu)
{
	int fd;

	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	fd = perf_open(TIMED(PAGE_FAULTS), 0, self->cpu, -1);
	ASSERT_LE(0, fd);
	fault_pages(10);
	EXPECT_EQ(0, perf_timed_count(fd).value);
	EXPECT_EQ(0, perf_timed_count(fd).running);
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	fault_on(self->cpu, self->home, 30);
	EXPECT_LE(30, perf_timed_count(fd).value);
	EXPECT_LT(0, perf_timed_count(fd).running);
}

TEST_F(hotplug, task_event_survives)
{
	int bound = perf_open(PERF_SW(PAGE_FAULTS), 0, self->cpu, -1);
	int any = perf_open_self(PERF_SW(PAGE_FAULTS));

	ASSERT_LE(0, bound);
	ASSERT_LE(0, any);
	fault_on(self->cpu, self->home, 20);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	EXPECT_LE(20, perf_count(bound));
	fault_pages(20);
	EXPECT_LE(40, perf_count(any));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	fault_on(self->cpu, self->home, 20);
	EXPECT_LE(40, perf_count(bound));
	EXPECT_LE(60, perf_count(any));
}

/* The running task moves to another CPU with its event enabled. */
TEST_F(hotplug, running_task_is_moved)
{
	struct gate ready = gate_new();
	cpu_set_t set;
	__u64 before;
	pid_t child;
	int fd;

	child = fork_child();
	if (child == 0) {
		pin_to_cpu(self->cpu);
		CPU_ZERO(&set);
		CPU_SET(self->cpu, &set);
		CPU_SET(self->home, &set);
		sched_setaffinity(0, sizeof(set), &set);
		gate_open(&ready);
		for (;;)
			fault_pages(4);
	}
	gate_wait(&ready);
	fd = perf_open(PERF_SW(PAGE_FAULTS), child, -1, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	before = perf_count(fd);
	EXPECT_TRUE(COMES_TRUE(perf_count(fd) >= before + 8));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	kill_child(child);
}

TEST_F(hotplug, ioctls_while_offline)
{
	int leader = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu, -1);
	int member = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	fault_on(self->cpu, self->home, 10);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	EXPECT_EQ(0, perf_disable(leader));
	EXPECT_EQ(0, perf_enable(leader));
	EXPECT_EQ(0, perf_disable_group(member));
	EXPECT_EQ(0, perf_enable_group(leader));
	EXPECT_LE(10, perf_count(member));
	EXPECT_EQ(0, perf_ioctl(member, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(member));
	EXPECT_NE(0, perf_event_id(leader));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	EXPECT_EQ(0, perf_disable_group(leader));
	EXPECT_EQ(0, perf_enable_group(leader));
	EXPECT_LE(10, perf_count(leader));
}

TEST_F(hotplug, closed_while_offline)
{
	int fd[6], i;

	for (i = 0; i < 6; i++) {
		fd[i] = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu,
				  i % 3 ? fd[i - i % 3] : -1);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	/*
	 * The leader of the first group is closed first, the leader of the second last.
	 */
	EXPECT_EQ(0, close(fd[0]));
	EXPECT_EQ(0, close(fd[1]));
	EXPECT_LE(0, perf_count(fd[2]));
	EXPECT_EQ(0, close(fd[4]));
	EXPECT_EQ(0, close(fd[5]));
	EXPECT_EQ(0, close(fd[3]));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	EXPECT_EQ(0, close(fd[2]));
	EXPECT_EQ(0, perf_try(PERF_SW(PAGE_FAULTS), -1, self->cpu, -1, 0));
}

TEST_F(hotplug, opener_exits_while_offline)
{
	struct gate go = gate_new(), ready = gate_new();
	pid_t child = fork_child();

	if (child == 0) {
		int leader = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu,
				       -1);

		if (leader < 0 || perf_open(PERF_SW(CPU_CLOCK), -1, self->cpu,
					    leader) < 0)
			_exit(1);
		gate_open(&ready);
		gate_wait(&go);
		_exit(0);
	}
	gate_wait(&ready);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	EXPECT_EQ(0, perf_try(PERF_SW(DUMMY), -1, self->cpu, -1, 0));
}

static bool head_moves(const struct perf_buf *buf, __u64 head)
{
	return perf_buf_head(buf) != head;
}

/*
 * The sampling clocks of the CPU end, also the sampling clock of a task, which is not on the CPU.
 * Later another event samples there, and the task's goes on.
 */
TEST_F(hotplug, sampling_clocks)
{
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .sample_period = 200000,
					      .sample_type = PERF_SAMPLE_CPU);
	struct perf_buf of_cpu, of_task, later;
	__u64 cpu_head, task_head;
	int fd;

	ASSERT_LE(0, fd = perf_open(attr, -1, self->cpu, -1));
	ASSERT_EQ(0, perf_buf_map(&of_cpu, fd, 8));
	ASSERT_LE(0, fd = perf_open(attr, 0, self->cpu, -1));
	ASSERT_EQ(0, perf_buf_map(&of_task, fd, 8));
	pin_to_cpu(self->cpu);
	EXPECT_TRUE(BURNS_UNTIL(head_moves(&of_cpu, 0) && head_moves(&of_task, 0)));
	pin_to_cpu(self->home);
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	/* room for samples that must not come */
	perf_buf_drop(&of_cpu);
	perf_buf_drop(&of_task);
	cpu_head = perf_buf_head(&of_cpu);
	task_head = perf_buf_head(&of_task);
	burn_cpu(5 * NSEC_PER_MSEC);
	EXPECT_FALSE(head_moves(&of_cpu, cpu_head));
	EXPECT_FALSE(head_moves(&of_task, task_head));

	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	ASSERT_LE(0, fd = perf_open(attr, -1, self->cpu, -1));
	ASSERT_EQ(0, perf_buf_map(&later, fd, 8));
	pin_to_cpu(self->cpu);
	EXPECT_TRUE(BURNS_UNTIL(head_moves(&later, 0) && head_moves(&of_task, task_head)));
	pin_to_cpu(self->home);
	EXPECT_FALSE(head_moves(&of_cpu, cpu_head));
}

TEST_F(hotplug, fresh_event_after_return)
{
	int i, fd;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cpu_set_online(self->cpu, false));
		ASSERT_EQ(0, cpu_set_online(self->cpu, true));
		fd = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu, -1);
		ASSERT_LE(0, fd);
		fault_on(self->cpu, self->home, 25);
		EXPECT_LE(25, perf_count(fd));
		close(fd);
	}
}

/* Open, read and close at any moment of the change. */
TEST_F(hotplug, against_open_and_close)
{
	pid_t opener = fork_child();
	int i;

	if (opener == 0) {
		for (;;) {
			int leader = perf_open(PERF_SW(PAGE_FAULTS), -1,
					       self->cpu, -1);
			int member;

			if (leader < 0) {
				if (leader != -ENODEV)
					_exit(-leader);
				continue;
			}
			member = perf_open(PERF_SW(CPU_CLOCK), -1, self->cpu,
					   leader);
			if (member < 0 && member != -ENODEV)
				_exit(-member);
			if (perf_count(leader) == ~0ULL)
				_exit(200);
			if (perf_disable_group(leader))
				_exit(201);
			close(leader);
			if (member >= 0)
				close(member);
		}
	}
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, cpu_set_online(self->cpu, false));
		ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	}
	EXPECT_EQ(0, waitpid(opener, NULL, WNOHANG));
	kill(opener, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(opener));
}

TEST_HARNESS_MAIN
