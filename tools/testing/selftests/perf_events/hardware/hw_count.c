// SPDX-License-Identifier: GPL-2.0
/*
 * Counting on a PMU that has few counters: events, times, modes, tasks, CPUs, groups,
 * and multiplexing. The events are cycles, which every PMU counts, an emulated one too.
 * Their number is not checked.
 */
#include <sys/prctl.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* more than any PMU has counters */
#define MANY	40

static struct perf_event_attr timed_cycles(void)
{
	return HW_CYCLES(.read_format = PERF_ALL_TIMES);
}

FIXTURE(hw_count)
{
	int cpu;
	int other;	/* or -1 */
};

FIXTURE_SETUP(hw_count)
{
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	ASSERT_EQ(0, stay_where_it_counts(HW_CYCLES()));
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
}

FIXTURE_TEARDOWN(hw_count)
{
}

/* Time and mode */

TEST_F(hw_count, advances)
{
	int fd = perf_open_self(HW_CYCLES());
	__u64 before, after;

	ASSERT_LE(0, fd);
	before = perf_count(fd);
	spin(100000);
	after = perf_count(fd);
	EXPECT_LT(before, after);
}

TEST_F(hw_count, only_while_enabled)
{
	int fd = perf_open_self(HW_CYCLES(.disabled = 1));
	__u64 count;

	ASSERT_LE(0, fd);
	spin(100000);
	EXPECT_EQ(0, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	spin(100000);
	ASSERT_EQ(0, perf_disable(fd));
	count = perf_count(fd);
	EXPECT_LT(0, count);
	spin(100000);
	EXPECT_EQ(count, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	spin(100000);
	EXPECT_LT(count, perf_count(fd));
}

TEST_F(hw_count, reset)
{
	int fd = perf_open_self(HW_CYCLES());

	ASSERT_LE(0, fd);
	spin(100000);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_LT(0, perf_count(fd));
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	spin(100000);
	EXPECT_LT(0, perf_count(fd));
}

TEST_F(hw_count, never_goes_back)
{
	int fd = perf_open_self(HW_CYCLES());
	__u64 last = 0, count;
	int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 2000; i++) {
		count = perf_count(fd);
		ASSERT_LE(last, count);
		last = count;
		if (i % 100 == 0)
			sched_yield();
		if (i % 500 == 0)
			sleep_ms(1);
	}
}

TEST_F(hw_count, goes_on_elsewhere)
{
	int fd = perf_open_self(HW_CYCLES()), i;
	__u64 last = 0, count;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_LE(0, fd);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pin_to_cpu(i & 1 ? self->cpu : self->other));
		spin(10000);
		count = perf_count(fd);
		ASSERT_LT(last, count);
		last = count;
	}
}

/* Events */

struct group_of_three {
	__u64 nr;
	__u64 value[3];
};

static __u64 apart(__u64 a, __u64 b)
{
	return a < b ? b - a : a - b;
}

/* Count a load. The group's leader is disabled before and after. */
static bool count_three(int leader, struct group_of_three *g)
{
	return !perf_ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) &&
	       !perf_enable(leader) && (spin_and_call(300), true) &&
	       !perf_disable(leader) && read(leader, g, sizeof(*g)) == sizeof(*g);
}

/* All cycles, cycles in user mode, and cycles in the kernel. Returns true if they add up. */
static bool add_up(struct __test_metadata *_metadata, int leader)
{
	struct group_of_three g;

	ASSERT_TRUE(count_three(leader, &g));
	EXPECT_LT(0, g.value[1]);
	EXPECT_LT(0, g.value[2]);
	return apart(g.value[0], g.value[1] + g.value[2]) <= g.value[0] / 20;
}

TEST_F(hw_count, modes_add_up)
{
	int all, user, kernel;

	if (pmu_is_emulated())
		SKIP(return, "the emulated PMU does not tell modes apart");
	all = perf_open_self(HW_CYCLES(.disabled = 1,
				       .read_format = PERF_FORMAT_GROUP));
	ASSERT_LE(0, all);
	user = perf_open(HW_CYCLES(.exclude_kernel = 1), 0, -1, all);
	kernel = perf_open(HW_CYCLES(.exclude_user = 1), 0, -1, all);
	if (user < 0 || kernel < 0)
		SKIP(return, "needs three counters");
	/* An emulator may be interrupted between two counters: one of a few tries. */
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, add_up(_metadata, all)));
}

/* Cycles three times. Returns true if they are the same. */
static bool are_the_same(struct __test_metadata *_metadata, int leader)
{
	struct group_of_three g;

	ASSERT_TRUE(count_three(leader, &g));
	EXPECT_LT(0, g.value[0]);
	return apart(g.value[0], g.value[1]) <= g.value[0] / 50 &&
	       apart(g.value[0], g.value[2]) <= g.value[0] / 50;
}

TEST_F(hw_count, group_counts_together)
{
	int leader, i;

	leader = perf_open_self(HW_CYCLES(.disabled = 1,
					  .read_format = PERF_FORMAT_GROUP));
	ASSERT_LE(0, leader);
	for (i = 1; i < 3; i++) {
		if (perf_open(HW_CYCLES(), 0, -1, leader) < 0)
			SKIP(return, "needs three counters");
	}
	/* An emulator may be interrupted between two counters: one of a few tries. */
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, are_the_same(_metadata, leader)));
}

TEST_F(hw_count, no_mode_no_count)
{
	int fd = perf_open_self(HW_CYCLES(.exclude_user = 1, .exclude_kernel = 1,
					  .exclude_hv = 1));

	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		SKIP(return, "the PMU refuses to count nothing");
	ASSERT_LE(0, fd);
	spin_and_call(300);
	EXPECT_EQ(0, perf_count(fd));
}

#define LOOP	1000000UL

TEST_F(hw_count, instructions_of_a_loop)
{
	int fd = perf_open_self(PERF_HW(INSTRUCTIONS, .disabled = 1,
					.exclude_kernel = 1, .exclude_hv = 1));
	__u64 count;

	if (pmu_is_emulated())
		SKIP(return, "the emulated PMU counts by the clock");
	if (fd < 0)
		SKIP(return, "instructions are not counted: %s", perf_errname(fd));
	ASSERT_EQ(0, perf_enable(fd));
	spin(LOOP);
	ASSERT_EQ(0, perf_disable(fd));
	count = perf_count(fd);
	/* Including the code that enables and disables it. */
	EXPECT_LE(2 * LOOP, count);
	EXPECT_GE(2 * LOOP + 1000, count);
}

/* Tasks */

TEST_F(hw_count, another_task)
{
	pid_t child = fork_child();
	int fd, status;
	__u64 count;

	if (child == 0)
		for (;;)
			spin(1000);
	fd = perf_open(HW_CYCLES(), child, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(COMES_TRUE(perf_count(fd)));
	ASSERT_EQ(0, kill(child, SIGSTOP));
	ASSERT_EQ(child, waitpid(child, &status, WUNTRACED));
	/* The child writes to its parent before it leaves the CPU. */
	ASSERT_TRUE(wait_off_cpu(child));
	count = perf_count(fd);
	spin(100000);
	EXPECT_EQ(count, perf_count(fd));

	ASSERT_EQ(0, kill(child, SIGCONT));
	EXPECT_TRUE(COMES_TRUE(perf_count(fd) > count));
	kill(child, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(child));
}

TEST_F(hw_count, children)
{
	int fd = perf_open_self(HW_CYCLES(.inherit = 1)), report[2], own;
	__u64 before, counted = 0;
	pid_t child;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe2(report, O_CLOEXEC));
	before = perf_count(fd);
	child = fork_child();
	if (child == 0) {
		own = perf_open_self(HW_CYCLES());
		spin(1000000);
		counted = perf_count(own);
		_exit(write(report[1], &counted, sizeof(counted)) < 0);
	}
	ASSERT_EQ(sizeof(counted), read(report[0], &counted, sizeof(counted)));
	ASSERT_EQ(0, wait_status(child));
	EXPECT_LT(0, counted);
	/*
	 * Where counters stop one by one, a stopped machine may advance one of the two alone. A
	 * child that is not added adds nothing.
	 */
	EXPECT_LE(turned_on_one_by_one() ? before + counted / 2 : before + counted,
		  perf_count(fd));
}

TEST_F(hw_count, cpu_and_its_task)
{
	int of_cpu, of_task;
	__u64 task;

	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	of_cpu = perf_open(HW_CYCLES(), -1, self->cpu, -1);
	ASSERT_LE(0, of_cpu);
	of_task = perf_open_self(HW_CYCLES());
	ASSERT_LE(0, of_task);
	spin(200000);
	task = perf_count(of_task);
	EXPECT_LT(0, task);
	EXPECT_LE(task, perf_count(of_cpu));
}

/* Few counters */

TEST_F(hw_count, group_too_large)
{
	int leader = perf_open_self(HW_CYCLES()), i, fd = 0;

	ASSERT_LE(0, leader);
	for (i = 1; i < MANY && fd >= 0; i++)
		fd = perf_open(HW_CYCLES(), 0, -1, leader);
	EXPECT_EQ(-EINVAL, fd);
	/* The events that fit continue. */
	spin(10000);
	EXPECT_LT(0, perf_count(leader));
}

TEST_F(hw_count, pinned_or_in_error)
{
	int fd[MANY], i, counting = 0;
	__u64 value;
	ssize_t len;

	for (i = 0; i < MANY; i++) {
		fd[i] = perf_open_self(HW_CYCLES(.pinned = 1));
		ASSERT_LE(0, fd[i]);
	}
	spin(100000);
	for (i = 0; i < MANY; i++) {
		len = read(fd[i], &value, sizeof(value));
		ASSERT_TRUE(len == 0 || len == sizeof(value));
		if (len) {
			EXPECT_LT(0, value);
			counting++;
		}
	}
	EXPECT_LT(0, counting);
	EXPECT_GT(MANY, counting);
}

static bool all_have_run(const int *fd)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (!perf_timed_count(fd[i]).running)
			return false;
	return true;
}

/* The number of events with scaled counts that are far from the mean. */
static int nr_off(const int *fd)
{
	struct perf_timed t, whole = {};
	double scaled;
	int i, off = 0;

	for (i = 0; i < MANY; i++) {
		t = perf_timed_count(fd[i]);
		whole.value += t.value;
		whole.running += t.running;
	}
	for (i = 0; i < MANY; i++) {
		t = perf_timed_count(fd[i]);
		if (t.running < t.enabled / 50)
			continue;
		scaled = (double)t.value / t.running /
			 ((double)whole.value / whole.running);
		off += scaled <= 0.5 || scaled >= 2;
	}
	return off;
}

TEST_F(hw_count, take_turns)
{
	struct perf_event_attr attr = timed_cycles();
	int fd[MANY], i, waited = 0;
	struct perf_timed t;

	/*
	 * All start at once. On a busy host an event that starts earlier would run
	 * alone for a while.
	 */
	attr.disabled = 1;
	for (i = 0; i < MANY; i++) {
		fd[i] = perf_open_self(attr);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	EXPECT_TRUE(BURNS_UNTIL(all_have_run(fd)));
	burn_cpu(400 * NSEC_PER_MSEC);
	for (i = 0; i < MANY; i++) {
		t = perf_timed_count(fd[i]);
		EXPECT_LT(0, t.value);
		EXPECT_LT(0, t.running);
		EXPECT_LE(t.running, t.enabled);
		waited += t.running < t.enabled;
	}
	EXPECT_LT(0, waited);

	/*
	 * Scaled counts are about the same. They are not for events that were starting
	 * or stopping when the host ran other programs, between the clock and the
	 * counter, until they have counted for much longer. A wrong time would always
	 * show in most of them.
	 */
	EXPECT_TRUE(BURNS_UNTIL(nr_off(fd) <= MANY / 4)) {
		TH_LOG("%d of %d events are off", nr_off(fd), MANY);
	}
}

TEST_F(hw_count, exclusive_group_is_alone)
{
	struct perf_timed alone, shared;
	int first, second;

	first = perf_open_self(HW_CYCLES(.exclusive = 1, .disabled = 1,
					 .read_format = PERF_ALL_TIMES));
	second = perf_open_self(HW_CYCLES(.disabled = 1,
					  .read_format = PERF_ALL_TIMES));
	ASSERT_LE(0, first);
	ASSERT_LE(0, second);
	/* The second event is enabled only while the first one is. */
	ASSERT_EQ(0, perf_enable(first));
	ASSERT_EQ(0, perf_enable(second));
	EXPECT_TRUE(BURNS_UNTIL(perf_timed_count(first).running &&
				perf_timed_count(second).running));
	ASSERT_EQ(0, perf_disable(second));
	ASSERT_EQ(0, perf_disable(first));
	alone = perf_timed_count(first);
	shared = perf_timed_count(second);
	EXPECT_LT(0, alone.running);
	EXPECT_LT(0, shared.running);
	EXPECT_LE(alone.running + shared.running, alone.enabled);
}

/* Hotplug */

FIXTURE(hw_hotplug)
{
	int cpu;
	int home;
};

FIXTURE_SETUP(hw_hotplug)
{
	self->cpu = -1;
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	ASSERT_EQ(0, stay_where_it_counts(HW_CYCLES()));
	self->cpu = hotplug_cpu();
	self->home = nth_cpu(0);
	if (self->cpu < 0 || self->cpu == self->home)
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, pin_to_cpu(self->home));
}

FIXTURE_TEARDOWN_PARENT(hw_hotplug)
{
	if (self->cpu >= 0)
		cpu_set_online(self->cpu, true);
}

TEST_F(hw_hotplug, cpu_event_stands_still)
{
	int fd = perf_open(HW_CYCLES(), -1, self->cpu, -1);
	__u64 count;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	spin(100000);
	ASSERT_EQ(0, pin_to_cpu(self->home));
	EXPECT_LT(0, perf_count(fd));
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	count = perf_count(fd);
	spin(100000);
	EXPECT_EQ(count, perf_count(fd));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	EXPECT_EQ(0, perf_try(HW_CYCLES(), -1, self->cpu, -1, 0));
}

/* The count of @fd once it is more than @last. */
static __u64 count_beyond(int fd, __u64 last)
{
	COMES_TRUE(perf_count(fd) > last);
	return perf_count(fd);
}

TEST_F(hw_hotplug, task_goes_on_elsewhere)
{
	__u64 last = 0, count;
	pid_t child;
	int fd, i;

	child = fork_child();
	if (child == 0) {
		for (;;)
			spin(1000);
	}
	fd = perf_open(HW_CYCLES(), child, -1, -1);
	ASSERT_LE(0, fd);
	for (i = 0; i < 3; i++) {
		/*
		 * The task must leave when its CPU goes offline, maybe to a CPU of
		 * another kind.
		 */
		ASSERT_EQ(0, pin_pid_to_cpu(child, self->cpu));
		EXPECT_LT(last, count_beyond(fd, last));
		ASSERT_EQ(0, cpu_set_online(self->cpu, false));
		count = perf_count(fd);
		EXPECT_LE(last, count);
		ASSERT_EQ(0, pin_pid_to_cpu(child, self->home));
		last = count_beyond(fd, count);
		EXPECT_LT(count, last);
		ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	}
	kill(child, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(child));
}

TEST_HARNESS_MAIN
