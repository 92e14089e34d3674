// SPDX-License-Identifier: GPL-2.0
/*
 * Every ioctl of a perf event: its effect on an event, a group and a member, with and
 * without PERF_IOC_FLAG_GROUP, and its refusals.
 */
#include <linux/hw_breakpoint.h>
#include <signal.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define BAD_POINTER	1UL

FIXTURE(trio)
{
	int leader;
	int first;
	int second;
};

FIXTURE_SETUP(trio)
{
	self->leader = perf_open_self(PERF_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->leader);
	self->first = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, self->leader);
	ASSERT_LE(0, self->first);
	self->second = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, self->leader);
	ASSERT_LE(0, self->second);
}

FIXTURE_TEARDOWN(trio)
{
	close(self->second);
	close(self->first);
	close(self->leader);
}

/* Enable, disable */

TEST(enable_disable)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	int i;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_count(fd));
	for (i = 0; i < 3; i++) {
		EXPECT_TRUE(counts_no_faults(fd));
		EXPECT_EQ(0, perf_enable(fd));
		EXPECT_TRUE(counts_faults(fd));
		EXPECT_EQ(0, perf_disable(fd));
	}
	EXPECT_LE(9, perf_count(fd));
}

TEST(enable_disable_twice)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_TRUE(counts_faults(fd));
	/* Enabling does not nest. */
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_TRUE(counts_faults(fd));
}

TEST(enable_disable_on_cpu)
{
	int cpu = nth_cpu(0);
	int fd = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), -1, cpu, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_TRUE(counts_no_faults(fd));
}

/* From one CPU, for another CPU. */
TEST(enable_disable_other_cpu)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	fd = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), -1, there, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(here));
	EXPECT_EQ(0, perf_enable(fd));
	ASSERT_EQ(0, pin_to_cpu(there));
	EXPECT_TRUE(counts_faults(fd));
	ASSERT_EQ(0, pin_to_cpu(here));
	EXPECT_EQ(0, perf_disable(fd));
	ASSERT_EQ(0, pin_to_cpu(there));
	EXPECT_TRUE(counts_no_faults(fd));
}

TEST_F(trio, leader_alone_stops_all)
{
	EXPECT_EQ(0, perf_disable(self->leader));
	EXPECT_TRUE(counts_no_faults(self->leader));
	EXPECT_TRUE(counts_no_faults(self->first));
	EXPECT_TRUE(counts_no_faults(self->second));
	/* The members themselves were never disabled. */
	EXPECT_EQ(0, perf_enable(self->leader));
	EXPECT_TRUE(counts_faults(self->leader));
	EXPECT_TRUE(counts_faults(self->first));
	EXPECT_TRUE(counts_faults(self->second));
}

TEST_F(trio, member_alone)
{
	EXPECT_EQ(0, perf_disable(self->first));
	EXPECT_TRUE(counts_no_faults(self->first));
	EXPECT_TRUE(counts_faults(self->leader));
	EXPECT_TRUE(counts_faults(self->second));
	EXPECT_EQ(0, perf_enable(self->first));
	EXPECT_TRUE(counts_faults(self->first));
}

TEST_F(trio, group_flag_on_leader)
{
	EXPECT_EQ(0, perf_disable_group(self->leader));
	EXPECT_TRUE(counts_no_faults(self->leader));
	EXPECT_TRUE(counts_no_faults(self->first));
	/* The members are disabled, too. Enabling the leader does not suffice. */
	EXPECT_EQ(0, perf_enable(self->leader));
	EXPECT_TRUE(counts_faults(self->leader));
	EXPECT_TRUE(counts_no_faults(self->first));
	EXPECT_TRUE(counts_no_faults(self->second));
	EXPECT_EQ(0, perf_enable_group(self->leader));
	EXPECT_TRUE(counts_faults(self->first));
	EXPECT_TRUE(counts_faults(self->second));
}

TEST_F(trio, group_flag_on_member)
{
	EXPECT_EQ(0, perf_disable_group(self->second));
	EXPECT_TRUE(counts_no_faults(self->leader));
	EXPECT_TRUE(counts_no_faults(self->first));
	EXPECT_TRUE(counts_no_faults(self->second));
	EXPECT_EQ(0, perf_enable_group(self->first));
	EXPECT_TRUE(counts_faults(self->leader));
	EXPECT_TRUE(counts_faults(self->first));
	EXPECT_TRUE(counts_faults(self->second));
}

TEST_F(trio, member_enabled_under_disabled_leader)
{
	EXPECT_EQ(0, perf_disable_group(self->leader));
	EXPECT_EQ(0, perf_enable(self->first));
	EXPECT_TRUE(counts_no_faults(self->first));
	EXPECT_EQ(0, perf_enable(self->leader));
	EXPECT_TRUE(counts_faults(self->first));
	EXPECT_TRUE(counts_no_faults(self->second));
}

TEST_F(trio, unknown_flags_are_ignored)
{
	EXPECT_EQ(0, perf_ioctl(self->leader, PERF_EVENT_IOC_DISABLE, 0x100));
	EXPECT_TRUE(counts_no_faults(self->leader));
	EXPECT_EQ(0, perf_ioctl(self->leader, PERF_EVENT_IOC_ENABLE, ~0UL));
	EXPECT_TRUE(counts_faults(self->leader));
}

/* Reset */

TEST(reset_running)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));

	ASSERT_LE(0, fd);
	fault_pages(100);
	EXPECT_LE(100, perf_count(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_GT(50, perf_count(fd));
	EXPECT_TRUE(counts_faults(fd));
}

TEST(reset_disabled)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));

	ASSERT_LE(0, fd);
	fault_pages(10);
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_LE(10, perf_count(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
}

TEST(reset_clock)
{
	int fd = perf_open_self(PERF_SW(TASK_CLOCK));
	__u64 before;

	ASSERT_LE(0, fd);
	burn_cpu(20 * NSEC_PER_MSEC);
	before = perf_count(fd);
	EXPECT_LE(10 * NSEC_PER_MSEC, before);
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
	EXPECT_EQ(0, perf_enable(fd));
	burn_cpu(2 * NSEC_PER_MSEC);
	EXPECT_LT(0, perf_count(fd));
}

TEST(reset_leaves_times)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS,
					.read_format = PERF_ALL_TIMES));
	struct perf_timed before, after;

	ASSERT_LE(0, fd);
	fault_pages(10);
	EXPECT_EQ(0, perf_disable(fd));
	before = perf_timed_count(fd);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	after = perf_timed_count(fd);
	EXPECT_EQ(0, after.value);
	EXPECT_EQ(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
}

TEST_F(trio, reset_one)
{
	fault_pages(5);
	EXPECT_EQ(0, perf_disable(self->leader));
	EXPECT_EQ(0, perf_ioctl(self->first, PERF_EVENT_IOC_RESET, 0));
	EXPECT_LE(5, perf_count(self->leader));
	EXPECT_EQ(0, perf_count(self->first));
	EXPECT_LE(5, perf_count(self->second));
}

TEST_F(trio, reset_group)
{
	fault_pages(5);
	EXPECT_EQ(0, perf_disable(self->leader));
	EXPECT_EQ(0, perf_ioctl(self->second, PERF_EVENT_IOC_RESET,
				PERF_IOC_FLAG_GROUP));
	EXPECT_EQ(0, perf_count(self->leader));
	EXPECT_EQ(0, perf_count(self->first));
	EXPECT_EQ(0, perf_count(self->second));
}

/* Identity */

TEST_F(trio, id)
{
	__u64 ids[3] = {};

	EXPECT_EQ(0, ioctl(self->leader, PERF_EVENT_IOC_ID, &ids[0]));
	EXPECT_EQ(0, ioctl(self->first, PERF_EVENT_IOC_ID, &ids[1]));
	EXPECT_EQ(0, ioctl(self->second, PERF_EVENT_IOC_ID, &ids[2]));
	EXPECT_NE(0, ids[0]);
	EXPECT_NE(ids[0], ids[1]);
	EXPECT_NE(ids[0], ids[2]);
	EXPECT_NE(ids[1], ids[2]);
	EXPECT_EQ(ids[1], perf_event_id(self->first));
	EXPECT_EQ(-EFAULT, perf_ioctl(self->leader, PERF_EVENT_IOC_ID, 0));
	EXPECT_EQ(-EFAULT, perf_ioctl(self->leader, PERF_EVENT_IOC_ID,
				      BAD_POINTER));
}

TEST(id_of_duplicate)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	int copy = dup(fd);

	ASSERT_LE(0, copy);
	EXPECT_EQ(perf_event_id(fd), perf_event_id(copy));
	EXPECT_NE(0, perf_event_id(copy));
}

/* Period */

static int set_period(int fd, __u64 period)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

TEST(period)
{
	int fd = perf_open_self(PERF_SW(DUMMY, .sample_period = 1000));

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, set_period(fd, 1));
	EXPECT_EQ(0, set_period(fd, ~0ULL >> 1));
	EXPECT_EQ(-EINVAL, set_period(fd, 0));
	EXPECT_EQ(-EINVAL, set_period(fd, 1ULL << 63));
	EXPECT_EQ(-EINVAL, set_period(fd, ~0ULL));
	EXPECT_EQ(-EFAULT, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, 0));
	EXPECT_EQ(-EFAULT, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, BAD_POINTER));
}

/* A clock takes its samples at the new period, and they say so. */
TEST(period_is_in_the_samples)
{
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .sample_period = 1000000, .disabled = 1,
					      .sample_type = PERF_SAMPLE_PERIOD);
	static struct perf_listener l;

	ASSERT_EQ(0, perf_listen_self(&l, attr));
	ASSERT_EQ(0, set_period(l.fd, 2000000));
	ASSERT_EQ(0, perf_enable(l.fd));
	ASSERT_TRUE(BURNS_UNTIL(perf_listen_of(&l, PERF_RECORD_SAMPLE)));
	SKIP_STOCK_FAULT(l.rec.period == 1000000, "samples of a clock have the period before");
	EXPECT_EQ(2000000, l.rec.period);
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST(period_of_counter)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, set_period(fd, 1));
	EXPECT_EQ(-EINVAL, set_period(fd, 0));
}

TEST(period_as_frequency)
{
	int fd = perf_open_self(PERF_SW(DUMMY, .freq = 1, .sample_freq = 10));
	long max;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &max));
	EXPECT_EQ(0, set_period(fd, 1));
	EXPECT_EQ(0, set_period(fd, max));
	EXPECT_EQ(-EINVAL, set_period(fd, max + 1));
	EXPECT_EQ(-EINVAL, set_period(fd, 0));
}

/* Refresh */

TEST(refresh_refused)
{
	int counter = perf_open_self(PERF_SW(DUMMY));
	int inherited = perf_open_self(PERF_SW(DUMMY, .sample_period = 1,
					       .inherit = 1));

	ASSERT_LE(0, counter);
	ASSERT_LE(0, inherited);
	EXPECT_EQ(-EINVAL, perf_ioctl(counter, PERF_EVENT_IOC_REFRESH, 1));
	EXPECT_EQ(-EINVAL, perf_ioctl(inherited, PERF_EVENT_IOC_REFRESH, 1));
}

TEST(refresh_counts_down)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1,
					.disabled = 1));

	ASSERT_LE(0, fd);
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2));
	fault_pages(50);
	EXPECT_LE(2, perf_count(fd));
	/* The event has disabled itself. */
	EXPECT_TRUE(counts_no_faults(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 1000));
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_TRUE(counts_faults(fd));
}

/* 0 more overflows are no limit. They take no limit away either. */
TEST(refresh_by_0)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1,
					.disabled = 1));

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 0));
	fault_pages(50);
	EXPECT_LE(50, perf_count(fd));
	EXPECT_TRUE(counts_faults(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 2));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 0));
	fault_pages(50);
	EXPECT_GT(50, perf_count(fd));
	EXPECT_TRUE(counts_no_faults(fd));
}

/* Output */

TEST(set_output_refused)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	int other = perf_open_self(PERF_SW(DUMMY));
	int null = open("/dev/null", O_RDWR);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd));
	EXPECT_EQ(-EBADF, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, null));
	EXPECT_EQ(-EBADF, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 9999));
	EXPECT_EQ(-EBADF, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -2));
	/* The other event has no buffer. */
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, other));
}

TEST(set_output_none)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1));
}

TEST(pause_output_without_buffer)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
}

/* Software events have no filters and no programs. */

TEST(set_filter_refused)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
				      (unsigned long)"common_pid > 1"));
	/* The kernel copies the text before it checks the type of the event. */
	EXPECT_EQ(-EFAULT, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
				      BAD_POINTER));
}

TEST(bpf_refused)
{
	struct perf_event_query_bpf query = { .ids_len = 0 };
	int fd = perf_open_self(PERF_SW(DUMMY));
	int null = open("/dev/null", O_RDWR);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBADF, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, 9999));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, null));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_QUERY_BPF,
				      (unsigned long)&query));
}

/* Only breakpoints can be modified. */

static int modify(int fd, struct perf_event_attr attr)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
			  (unsigned long)&attr);
}

TEST(modify_attributes_refused)
{
	int fd = perf_open_self(PERF_SW(DUMMY)), clock = perf_open_self(PERF_SW(CPU_CLOCK));
	struct perf_event_attr attr = PERF_SW(DUMMY);

	ASSERT_LE(0, fd);
	ASSERT_LE(0, clock);
	EXPECT_EQ(-EOPNOTSUPP, modify(fd, attr));
	EXPECT_EQ(-EINVAL, modify(fd, PERF_ATTR(PERF_TYPE_BREAKPOINT, 0)));
	EXPECT_EQ(-EINVAL, modify(clock, PERF_SW(CPU_CLOCK)));
	EXPECT_EQ(-EFAULT, perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				      BAD_POINTER));
	EXPECT_EQ(-EINVAL, modify(fd, PERF_SW(DUMMY, .__reserved_2 = 1)));
	attr.size = 8;
	EXPECT_EQ(-E2BIG, modify(fd, attr));
}

/* The attributes must have the size with which the event was opened. */
TEST(modify_attributes_of_another_size)
{
	static volatile __u64 watched;
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0,
		.bp_addr = (unsigned long)&watched, .bp_type = HW_BREAKPOINT_W,
		.bp_len = HW_BREAKPOINT_LEN_4, .disabled = 1);
	int fd;

	attr.size = PERF_ATTR_SIZE_VER5;
	fd = perf_open_self(attr);
	if (perf_no_breakpoint(fd))
		SKIP(return, "no debug registers");
	ASSERT_LE(0, fd);
	attr.bp_type = HW_BREAKPOINT_RW;
	EXPECT_EQ(0, modify(fd, attr));
	attr.size = PERF_ATTR_SIZE_VER6;
	EXPECT_EQ(-EINVAL, modify(fd, attr));
	attr.size = sizeof(attr);
	EXPECT_EQ(-EINVAL, modify(fd, attr));
	attr.size = PERF_ATTR_SIZE_VER5;
	EXPECT_EQ(0, modify(fd, attr));
}

/* Anything else */

TEST(unknown)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	unsigned int nr;

	ASSERT_LE(0, fd);
	for (nr = 12; nr < 256; nr++) {
		EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IO('$', nr), 0)) {
			TH_LOG("nr %u", nr);
		}
	}
	/* The direction and the size are part of the number. */
	EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IOW('$', 0, int), 0));
	EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IO('$', 4), 0));
	EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IOW('$', 4, __u32), 0));
	EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IO('%', 0), 0));
}

TEST(after_task_exit)
{
	int fd, status;
	struct gate go = gate_new();
	pid_t child = fork_child();

	if (child == 0) {
		gate_wait(&go);
		fault_pages(7);
		_exit(0);
	}
	fd = perf_open(PERF_SW(PAGE_FAULTS), child, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_LE(7, perf_count(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_LE(7, perf_count(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	EXPECT_EQ(0, perf_count(fd));
	EXPECT_NE(0, perf_event_id(fd));
	EXPECT_EQ(-ENOTTY, perf_ioctl(fd, _IO('$', 99), 0));
}

TEST_HARNESS_MAIN
