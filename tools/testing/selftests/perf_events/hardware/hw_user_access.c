// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that a program reads itself, on arm64: the control page agrees with read(2),
 * access follows the task and the sysctl, and no counts of other tasks can be read.
 */
#include <setjmp.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user_access.h"

/* Check whether this task can read the register of cycles. */
static bool may_read(void)
{
	return !try_register(ANY_REGISTER);
}

FIXTURE(user_access)
{
	struct user_access access;
	int type;
	struct perf_buf buf;
	int fd;
};

FIXTURE_SETUP(user_access)
{
	int err = find_pmuv3() ? user_access_allow(&self->access) : -ENODEV;

	if (err == -ENODEV)
		SKIP(return, "no PMUv3");
	ASSERT_EQ(0, err);
	self->type = self->access.attr.type;
}

FIXTURE_TEARDOWN_PARENT(user_access)
{
	user_access_restore(&self->access);
}

static int open_mapped(struct _test_data_user_access *self, __u64 config,
		       __u64 config1)
{
	self->fd = perf_open_self(PERF_ATTR(self->type, config, .config1 = config1));
	if (self->fd < 0)
		return self->fd;
	return perf_buf_map(&self->buf, self->fd, 0);
}

/* The last resort against a counter that is never there. */
#define READS_MAX	1000000

static void agrees(struct __test_metadata *_metadata,
		   struct _test_data_user_access *self)
{
	__u64 before, count, after;
	int i, read = 0;

	/* While the event is throttled, it has no counter. */
	for (i = 0; read < 400 && i < READS_MAX; i++) {
		before = perf_count(self->fd);
		if (!read_self(self->buf.meta, &count))
			continue;
		after = perf_count(self->fd);
		ASSERT_LE(before, count);
		ASSERT_LE(count, after);
		read++;
		if (i % 100 == 0)
			sleep_ms(1);
	}
	EXPECT_EQ(400, read);
	EXPECT_LT(0, count);
}

TEST_F(user_access, cycles_agree_with_read)
{
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	EXPECT_TRUE(self->buf.meta->cap_user_rdpmc == 1);
	EXPECT_EQ(32, self->buf.meta->pmc_width);
	agrees(_metadata, self);
}

TEST_F(user_access, long_cycles_agree_with_read)
{
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC | PMUV3_LONG));
	EXPECT_EQ(64, self->buf.meta->pmc_width);
	agrees(_metadata, self);
}

/* The counter of cycles is in use, so this is an event counter. */
TEST_F(user_access, event_counter_agrees_with_read)
{
	int first = perf_open_self(HW_CYCLES(.pinned = 1));

	ASSERT_LE(0, first);
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	EXPECT_GT(32, self->buf.meta->index);
	agrees(_metadata, self);
}

/* Also across overflows of the lower 32 bits, each of which is an interrupt. */
TEST_F(user_access, agrees_while_it_samples)
{
	self->fd = perf_open_self(PERF_ATTR(self->type, PMUV3_CYCLES, .config1 = PMUV3_RDPMC,
					    .sample_period = 300000));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 0));
	agrees(_metadata, self);
}

TEST_F(user_access, event_that_was_not_asked_for)
{
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, 0));
	EXPECT_TRUE(self->buf.meta->cap_user_rdpmc == 0);
	EXPECT_EQ(0, self->buf.meta->index);
}

static bool turns_end(__u64 start, bool seen)
{
	__u64 time = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;

	return time > (seen ? 400 : PATIENCE_MS) * NSEC_PER_MSEC;
}

static sigjmp_buf refused;

static void on_sigill(int signal)
{
	siglongjmp(refused, 1);
}

/*
 * Between the reads of the page and of the counter the event may be scheduled out. Then
 * the page has changed, and the read of the counter raises no signal.
 */
TEST_F(user_access, no_signal_when_taking_turns)
{
	__u64 last = 0, count, start;
	int i, on = 0, off = 0;

	if (sigsetjmp(refused, 1)) {
		EXPECT_TRUE(false) {
			TH_LOG("SIGILL after %d reads", on);
		}
		return;
	}
	ASSERT_NE(SIG_ERR, signal(SIGILL, on_sigill));
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	for (i = 0; i < 40; i++)
		ASSERT_LE(0, perf_open_self(HW_CYCLES()));
	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	/* For a while. On a host that runs the machine rarely, until both were seen. */
	while (!turns_end(start, on && off)) {
		for (i = 0; i < 100; i++) {
			if (read_self(self->buf.meta, &count))
				on++;
			else
				off++;
			ASSERT_LE(last, count);
			last = count;
		}
	}
	EXPECT_LT(0, on);
	EXPECT_LT(0, off);
}

/* A task without such an event cannot read counters. */
TEST_F(user_access, another_task_may_not)
{
	pid_t child;

	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	EXPECT_TRUE(may_read());
	child = fork_child();
	if (child == 0)
		_exit(may_read());
	EXPECT_EQ(0, wait_status(child));
	EXPECT_TRUE(may_read());
}

/* A child has inherited the events. */
TEST_F(user_access, a_child_that_inherits_may)
{
	pid_t child;

	self->fd = perf_open_self(PERF_ATTR(self->type, PMUV3_CYCLES, .config1 = PMUV3_RDPMC,
					    .inherit = 1));
	ASSERT_LE(0, self->fd);
	child = fork_child();
	if (child == 0)
		_exit(may_read());
	EXPECT_EQ(1, wait_status(child));
}

TEST_F(user_access, ends_with_the_event)
{
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	EXPECT_TRUE(may_read());
	ASSERT_EQ(0, perf_buf_unmap(&self->buf));
	close(self->fd);
	SKIP_STOCK_FAULT(may_read(), "access stays until others count");
	EXPECT_TRUE(COMES_TRUE(!may_read()));
}

TEST_F(user_access, survives_another_cpu)
{
	int here = nth_cpu(0), there = nth_cpu(1), i;
	__u64 count, last = 0;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pin_to_cpu(i & 1 ? here : there));
		ASSERT_TRUE(may_read());
		read_self(self->buf.meta, &count);
		ASSERT_LT(last, count);
		last = count;
	}
}

/* The count of another event is cleared from its counter. */
TEST_F(user_access, nothing_is_left)
{
	__u64 left = 0;
	int i, fd;

	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	for (i = 0; i < 10; i++) {
		fd = perf_open(HW_CYCLES(.pinned = 1), -1, nth_cpu(0), -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
		spin(10000);
		close(fd);
		sched_yield();
		ASSERT_TRUE(may_read());
	}
	for (i = 1; i <= 4; i++)
		if (self->buf.meta->index != i)
			left |= read_register(i);
	EXPECT_EQ(0, left);
}

TEST_F(user_access, sysctl_forbids)
{
	__u64 before, after, count;

	ASSERT_EQ(0, open_mapped(self, PMUV3_CYCLES, PMUV3_RDPMC));
	EXPECT_TRUE(may_read());
	ASSERT_EQ(0, file_write_long(USER_ACCESS_SYSCTL, 0));
	EXPECT_FALSE(may_read());
	EXPECT_TRUE(COMES_TRUE(!self->buf.meta->index));
	/* The event continues to count. */
	before = perf_count(self->fd);
	spin(10000);
	EXPECT_LT(before, perf_count(self->fd));

	ASSERT_EQ(0, file_write_long(USER_ACCESS_SYSCTL, 1));
	EXPECT_TRUE(COMES_TRUE(self->buf.meta->index));
	EXPECT_TRUE(may_read());
	before = perf_count(self->fd);
	EXPECT_TRUE(read_self(self->buf.meta, &count));
	after = perf_count(self->fd);
	EXPECT_LE(before, count);
	EXPECT_LE(count, after);
}

TEST_F(user_access, sysctl_is_0_or_1)
{
	long value;

	EXPECT_EQ(-EINVAL, file_write_long(USER_ACCESS_SYSCTL, 2));
	EXPECT_EQ(-EINVAL, file_write_long(USER_ACCESS_SYSCTL, -1));
	ASSERT_EQ(0, file_read_long(USER_ACCESS_SYSCTL, &value));
	EXPECT_EQ(1, value);
	ASSERT_EQ(0, file_write_long(USER_ACCESS_SYSCTL, 0));
	ASSERT_EQ(0, file_read_long(USER_ACCESS_SYSCTL, &value));
	EXPECT_EQ(0, value);
}

TEST_HARNESS_MAIN
