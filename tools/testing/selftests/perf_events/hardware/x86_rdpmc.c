// SPDX-License-Identifier: GPL-2.0
/*
 * RDPMC in user space: the control page has the counter, the count agrees with the
 * kernel's, and a task without a mapped event gets SIGSEGV, unless sysfs "rdpmc"
 * permits more. Counters that are free do not show counts of other tasks.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user_access.h"

#ifdef __x86_64__

#define COUNTERS_MAX	16

static void exit_with(int number)
{
	_exit(number);
}

/*
 * The signal that a child gets when it reads a counter, or 0. The child catches it,
 * because the kernel logs a signal that is not caught.
 */
static int rdpmc_in_child(__u32 index)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, exit_with);
		signal(SIGILL, exit_with);
		rdpmc(index);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static struct perf_event_attr cycles(void)
{
	return PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

/* An event without a fixed counter. */
static struct perf_event_attr branch_misses(void)
{
	return PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
}

/*
 * Open the largest group. Returns its size, which is the number of general purpose
 * counters.
 */
static int open_all_counters(int *fds)
{
	int n = 0;

	while (n < COUNTERS_MAX) {
		fds[n] = perf_open(branch_misses(), 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
		n++;
	}
	return n;
}

FIXTURE(rdpmc)
{
	struct perf_buf buf;
	int fd;
};

FIXTURE_SETUP(rdpmc)
{
	if (perf_try_self(cycles()) == -ENOENT)
		SKIP(return, "no core PMU");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, file_write(rdpmc_file(), "1"));
	self->fd = perf_open_self(cycles());
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN_PARENT(rdpmc)
{
	file_write(rdpmc_file(), "1");
}

TEST_F(rdpmc, agrees_with_read)
{
	__u64 before, value, after;
	int i;

	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	ASSERT_EQ(1, self->buf.meta->cap_user_rdpmc + 0);
	for (i = 0; i < 200; i++) {
		before = perf_count(self->fd);
		ASSERT_TRUE(read_self(self->buf.meta, &value));
		after = perf_count(self->fd);
		ASSERT_LT(before, value);
		ASSERT_LT(value, after);
	}
}

TEST_F(rdpmc, needs_a_mapping)
{
	/* The event runs, but is not mapped. */
	EXPECT_EQ(SIGSEGV, rdpmc_in_child(0));

	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	rdpmc(0);
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(SIGSEGV, rdpmc_in_child(0));
}

/* fork() does not copy the mapping, so the child may not read. */
TEST_F(rdpmc, fork_does_not_inherit_permission)
{
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	EXPECT_EQ(SIGSEGV, rdpmc_in_child(0));
	/* The parent still may. */
	rdpmc(0);
}

/* Failures of a child with a mapping that fork() has copied. */
#define KEPT_OUT	1
#define STILL_MAPPED	2
#define STILL_LET_IN	4

static int use_copied_mapping(struct perf_buf *buf)
{
	int wrong = 0;

	load_address_space();
	if (try_register(ANY_REGISTER))
		wrong |= KEPT_OUT;
	if (perf_buf_unmap(buf))
		wrong |= STILL_MAPPED;
	load_address_space();
	if (try_register(ANY_REGISTER) != SIGSEGV)
		wrong |= STILL_LET_IN;
	return wrong;
}

/*
 * After madvise() fork() copies the mapping. The permission lasts as long as the
 * mapping. The event is a CPU's: a task's event permits no other task.
 */
TEST_F(rdpmc, copied_mapping_permits_until_unmapped)
{
	pid_t pid;
	int fd;

	fd = perf_open(cycles(), -1, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, fd, 0));
	ASSERT_EQ(0, madvise(self->buf.meta, self->buf.length, MADV_DOFORK));
	pid = fork();
	if (!pid)
		_exit(use_copied_mapping(&self->buf));
	EXPECT_EQ(0, wait_status(pid));
	/* The child's unmapping does not affect the parent. */
	load_address_space();
	rdpmc(0);
}

TEST_F(rdpmc, policy_0_forbids)
{
	int fd;

	ASSERT_EQ(0, file_write(rdpmc_file(), "0"));
	fd = perf_open_self(cycles());
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, fd, 0));
	EXPECT_EQ(0, self->buf.meta->cap_user_rdpmc + 0);
	EXPECT_EQ(0, self->buf.meta->index);
	EXPECT_EQ(SIGSEGV, rdpmc_in_child(0));
}

TEST_F(rdpmc, policy_2_allows_all)
{
	ASSERT_EQ(0, file_write(rdpmc_file(), "2"));
	EXPECT_EQ(0, rdpmc_in_child(0));
	ASSERT_EQ(0, file_write(rdpmc_file(), "1"));
	EXPECT_EQ(SIGSEGV, rdpmc_in_child(0));
}

TEST_F(rdpmc, policy_is_checked)
{
	long value = -1;

	EXPECT_EQ(-EINVAL, file_write(rdpmc_file(), "3"));
	EXPECT_EQ(-EINVAL, file_write(rdpmc_file(), "x"));
	ASSERT_EQ(0, file_read_long(rdpmc_file(), &value));
	EXPECT_EQ(1, value);
}

/* Another task uses all counters of this CPU, then this task runs. */
TEST_F(rdpmc, counts_of_others_are_gone)
{
	int fds[COUNTERS_MAX], n, i, own;
	pid_t pid;

	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	n = open_all_counters(fds);
	ASSERT_LE(2, n);
	for (i = 0; i < n; i++)
		close(fds[i]);

	pid = fork();
	if (!pid) {
		if (open_all_counters(fds) != n)
			_exit(1);
		burn_cpu(20 * NSEC_PER_MSEC);
		_exit(perf_count(fds[0]) ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &i, 0));
	ASSERT_EQ(0, i);

	own = (int)self->buf.meta->index - 1;
	ASSERT_LE(0, own);
	for (i = 0; i < n; i++) {
		if (i != own)
			EXPECT_EQ(0, rdpmc(i));
	}
}

/* As in tools/perf/Documentation/topdown.txt. */
#define SLOTS		0x400
#define RETIRING	0x8000
#define RDPMC_SLOTS	(1U << 30 | 3)
#define RDPMC_METRICS	(1U << 29)
#define METRICS		4
/* on all CPUs with metrics */
#define COUNTER_BITS	48

FIXTURE(topdown)
{
	struct perf_buf buf[2];
	int fds[2];
	int cpus[2];
};

FIXTURE_SETUP(topdown)
{
	struct perf_event_attr slots = PERF_RAW(SLOTS), retiring = PERF_RAW(RETIRING);

	if (access("/sys/bus/event_source/devices/cpu/events/topdown-retiring", F_OK) ||
	    access("/sys/bus/event_source/devices/cpu/events/slots", F_OK))
		SKIP(return, "no core PMU with metrics");
	/* before the task is bound to one of them */
	self->cpus[0] = nth_cpu(0);
	self->cpus[1] = nth_cpu(1);
	if (self->cpus[1] < 0)
		self->cpus[1] = self->cpus[0];
	ASSERT_EQ(0, pin_to_cpu(self->cpus[0]));
	ASSERT_EQ(0, file_write(rdpmc_file(), "1"));
	slots.exclude_kernel = 1;
	/* both count from the same moment on, however late this CPU opens the second one */
	slots.disabled = 1;
	retiring.exclude_kernel = 1;
	self->fds[0] = perf_open(slots, 0, -1, -1);
	ASSERT_LE(0, self->fds[0]);
	self->fds[1] = perf_open(retiring, 0, -1, self->fds[0]);
	ASSERT_LE(0, self->fds[1]);
	ASSERT_EQ(0, perf_buf_map(&self->buf[0], self->fds[0], 0));
	ASSERT_EQ(0, perf_buf_map(&self->buf[1], self->fds[1], 0));
	ASSERT_EQ(0, perf_enable(self->fds[0]));
}

FIXTURE_TEARDOWN_PARENT(topdown)
{
	file_write(rdpmc_file(), "1");
}

static unsigned int sum_of_shares(__u64 metrics)
{
	unsigned int n, sum = 0;

	for (n = 0; n < METRICS; n++)
		sum += metrics >> (8 * n) & 0xff;
	return sum;
}

/*
 * Only slots are a count. The metrics have no number in their control page. The counter starts at
 * 0, so one bit more makes a sign of 0.
 */
TEST_F(topdown, pages_have_the_counter)
{
	EXPECT_EQ(1, self->buf[0].meta->cap_user_rdpmc + 0);
	EXPECT_EQ(RDPMC_SLOTS + 1, self->buf[0].meta->index);
	EXPECT_EQ(COUNTER_BITS + 1, self->buf[0].meta->pmc_width);
	EXPECT_EQ(0, self->buf[1].meta->cap_user_rdpmc + 0);
	EXPECT_EQ(0, self->buf[1].meta->index);
}

/* The registers go on while the task sleeps and moves to another CPU. */
TEST_F(topdown, registers_follow_the_task)
{
	__u64 before = 0, slots;
	int n;

	for (n = 0; n < 20; n++) {
		burn_cpu(NSEC_PER_MSEC);
		if (n % 2)
			usleep(100);
		if (n % 5 == 4)
			ASSERT_EQ(0, pin_to_cpu(self->cpus[(n + 1) / 5 % 2]));
		slots = rdpmc(RDPMC_SLOTS);
		ASSERT_LT(before, slots);
		ASSERT_EQ(0xff, sum_of_shares(rdpmc(RDPMC_METRICS)));
		before = slots;
	}
}

/* After a reset, a stop of this CPU may count more slots than the load before it. */
static bool reset_clears(int fd)
{
	__u64 slots;

	burn_cpu(20 * NSEC_PER_MSEC);
	slots = rdpmc(RDPMC_SLOTS);
	return !perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0) && slots > rdpmc(RDPMC_SLOTS);
}

/* The page gives the same count as a system call, which resets the registers. */
TEST_F(topdown, agrees_with_read)
{
	__u64 before, value, after, slots;
	int n;

	for (n = 0; n < 50; n++) {
		burn_cpu(100000);
		slots = rdpmc(RDPMC_SLOTS);
		before = perf_count(self->fds[0]);
		ASSERT_LE(slots, before);
		burn_cpu(10000);
		ASSERT_TRUE(read_self(self->buf[0].meta, &value));
		if (n % 10 == 9)
			usleep(100);
		after = perf_count(self->fds[0]);
		ASSERT_LT(before, value);
		ASSERT_LT(value, after);
	}
	EXPECT_TRUE(IN_SOME_TRY(10, reset_clears(self->fds[0])));
}

/* The count of a metric is its share of the slots, although the registers were kept. */
TEST_F(topdown, switches_lose_nothing)
{
	__u64 slots, retiring, share;
	int n;

	for (n = 0; n < 100; n++) {
		burn_cpu(100000);
		usleep(10);
	}
	share = rdpmc(RDPMC_METRICS) & 0xff;
	ASSERT_EQ(0, perf_disable(self->fds[0]));
	slots = perf_count(self->fds[0]);
	retiring = perf_count(self->fds[1]);
	ASSERT_LT(0, share);
	EXPECT_GE(retiring, slots * share / 255 / 100 * 98);
	EXPECT_LE(retiring, slots * share / 255 / 100 * 102);
}

#else /* !__x86_64__ */

TEST(rdpmc)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
