// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of a thousand members: all of them count the same, over the same time,
 * whatever happens to the group.
 *
 * Members count page faults. One member is a clock, which counts its time.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define NR_MEMBERS	1000

FIXTURE(many)
{
	int fd[NR_MEMBERS];
};

FIXTURE_VARIANT(many)
{
	__u64 leader;
	__u64 period;
};

FIXTURE_VARIANT_ADD(many, led_by_a_counter)
{
	.leader = PERF_COUNT_SW_PAGE_FAULTS,
};

/* The leader is stopped and started by each switch. */
FIXTURE_VARIANT_ADD(many, led_by_a_sampling_clock)
{
	.leader = PERF_COUNT_SW_CPU_CLOCK,
	.period = NSEC_PER_SEC,
};

FIXTURE_SETUP(many)
{
	struct rlimit limit = { NR_MEMBERS + 100, NR_MEMBERS + 100 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (int i = 0; i < NR_MEMBERS; i++)
		self->fd[i] = -1;
}

FIXTURE_TEARDOWN(many)
{
}

/* The last member is the clock. Returns false if an event cannot be opened. */
static bool open_many(int *fd, __u64 config, __u64 period, struct perf_event_attr attr,
		      pid_t pid)
{
	struct perf_event_attr leader = attr;

	leader.config = config;
	leader.sample_period = period;
	for (int i = 0; i < NR_MEMBERS; i++) {
		if (i == NR_MEMBERS - 1)
			attr.config = PERF_COUNT_SW_TASK_CLOCK;
		fd[i] = perf_open(i ? attr : leader, pid, -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			return false;
	}
	return true;
}

/* The count of all members but the leader, or ~0 if they differ in count or time. */
static __u64 read_all(int *fd)
{
	struct perf_timed first = perf_timed_count(fd[1]), t;

	for (int i = 2; i < NR_MEMBERS - 1; i++) {
		t = perf_timed_count(fd[i]);
		if (memcmp(&t, &first, sizeof(t)))
			return ~0ULL;
	}
	t = perf_timed_count(fd[NR_MEMBERS - 1]);
	if (t.enabled != first.enabled || t.running != first.running ||
	    (t.value != t.running && !perf_is_stock()))
		return ~0ULL;
	return first.value;
}

static const struct perf_event_attr faults = PERF_SW(PAGE_FAULTS,
						     .read_format = PERF_ALL_TIMES,
						     .disabled = 1);

TEST_F(many, follow_their_leader)
{
	struct perf_event_attr attr = faults;
	__u64 count;

	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, 0));
	fault_pages(200);
	EXPECT_EQ(0, read_all(self->fd));
	/* The siblings are enabled, their leader is not. */
	ASSERT_EQ(0, perf_enable_group(self->fd[0]));
	for (int i = 0; i < 3; i++) {
		fault_pages(200);
		ASSERT_EQ(0, perf_disable(self->fd[0]));
		count = read_all(self->fd);
		EXPECT_LE(200 * (i + 1), count);
		EXPECT_GT(200 * (i + 1) + 100, count);
		fault_pages(300);
		EXPECT_EQ(count, read_all(self->fd));
		ASSERT_EQ(0, perf_enable(self->fd[0]));
	}
}

TEST_F(many, outlive_their_leader)
{
	struct perf_event_attr attr = faults;
	__u64 count;

	attr.disabled = 0;
	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, 0));
	ASSERT_EQ(0, perf_ioctl(self->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	fault_pages(200);
	close(self->fd[0]);
	fault_pages(200);
	for (int i = 1; i < NR_MEMBERS; i++)
		ASSERT_EQ(0, perf_disable(self->fd[i]));
	for (int i = 1; i < NR_MEMBERS - 1; i++) {
		count = perf_timed_count(self->fd[i]).value;
		EXPECT_LE(400, count);
		EXPECT_GT(600, count);
	}
}

TEST_F(many, sleep_and_wake)
{
	struct perf_event_attr attr = faults;
	__u64 count;

	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, 0));
	ASSERT_EQ(0, perf_enable_group(self->fd[0]));
	for (int i = 0; i < 50; i++) {
		sleep_ms(1);
		fault_pages(10);
	}
	ASSERT_EQ(0, perf_disable(self->fd[0]));
	count = read_all(self->fd);
	EXPECT_LE(500, count);
	EXPECT_GT(600, count);
}

/* A child with 3000 faults before an exec, and about 500 after it. */
static pid_t child_before_exec(struct gate *go)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		gate_wait(go);
		fault_pages(3000);
		perf_exec_touch(500);
	}
	return pid;
}

TEST_F(many, begin_at_exec)
{
	struct perf_event_attr attr = faults;
	struct gate go = gate_new();
	pid_t pid = child_before_exec(&go);
	__u64 count;

	attr.enable_on_exec = 1;
	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, pid));
	EXPECT_EQ(0, read_all(self->fd));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	count = read_all(self->fd);
	EXPECT_LE(500, count);
	EXPECT_GT(3000, count);
}

/*
 * The leader counts already. The siblings start in bunches while the task executes
 * exec.
 */
TEST_F(many, begin_at_exec_behind_their_leader)
{
	struct perf_event_attr attr = faults;
	struct gate go = gate_new();
	pid_t pid = child_before_exec(&go);
	struct perf_timed t;

	attr.enable_on_exec = 1;
	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, pid));
	ASSERT_EQ(0, perf_enable(self->fd[0]));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	for (int i = 1; i < NR_MEMBERS - 1; i++) {
		t = perf_timed_count(self->fd[i]);
		EXPECT_LE(500, t.value);
		EXPECT_GT(3000, t.value);
		EXPECT_EQ(t.enabled, t.running);
	}
}

TEST_F(many, are_inherited)
{
	struct perf_event_attr attr = faults;
	__u64 before, count;
	pid_t pid;

	attr.inherit = 1;
	ASSERT_TRUE(open_many(self->fd, variant->leader, variant->period, attr, 0));
	ASSERT_EQ(0, perf_enable_group(self->fd[0]));
	before = perf_timed_count(self->fd[1]).value;
	pid = fork_child();
	if (pid == 0) {
		fault_pages(500);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(self->fd[0]));
	count = read_all(self->fd);
	EXPECT_LE(before + 500, count);
	EXPECT_GT(before + 1500, count);
}

PERF_TEST_EXEC_MAIN
