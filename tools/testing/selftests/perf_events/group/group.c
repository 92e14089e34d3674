// SPDX-License-Identifier: GPL-2.0
/*
 * Groups: leaders and members that are enabled and disabled, members that lose their
 * leader, groups of events of different kinds (software, tracepoint, breakpoint), on
 * tasks and on CPUs, and many groups side by side.
 */
#include <linux/hw_breakpoint.h>
#include <signal.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define GETPPID_ID	"events/syscalls/sys_enter_getppid/id"

static __u64 group_size(int fd)
{
	__u64 buf[128];

	return read(fd, buf, sizeof(buf)) < 8 ? 0 : buf[0];
}

static int tracepoint_attr(struct perf_event_attr *attr)
{
	long id;
	int ret = file_read_long("/sys/kernel/tracing/" GETPPID_ID, &id);

	if (ret)
		ret = file_read_long("/sys/kernel/debug/tracing/" GETPPID_ID,
				     &id);
	if (!ret)
		*attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id);
	return ret;
}

static void __attribute__((__noinline__)) breakpoint_here(void)
{
	asm volatile("" ::: "memory");
}

static struct perf_event_attr breakpoint_attr(void)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_X,
			 .bp_addr = (unsigned long)breakpoint_here,
			 .bp_len = sizeof(long), .exclude_kernel = 1,
			 .exclude_hv = 1);
}

static void call_getppid(int n)
{
	while (n--)
		syscall(__NR_getppid);
}

/* Leader and members */

TEST(leader_disabled_at_open)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	int member = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_TRUE(counts_no_faults(leader));
	EXPECT_TRUE(counts_no_faults(member));
	ASSERT_EQ(0, perf_enable(leader));
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(member));
}

TEST(member_disabled_at_open)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS));
	int member = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), 0, -1,
			       leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_no_faults(member));
	ASSERT_EQ(0, perf_enable(member));
	EXPECT_TRUE(counts_faults(member));
}

TEST(member_joins_running_group)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS)), member, i;

	ASSERT_LE(0, leader);
	for (i = 0; i < 10; i++) {
		EXPECT_TRUE(counts_faults(leader));
		member = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
		ASSERT_LE(0, member);
		EXPECT_TRUE(counts_faults(member));
		EXPECT_TRUE(counts_faults(leader));
	}
}

/* The same with a member of another kind. It counts at once, not from the next switch. */
TEST(member_of_other_kind_joins_running_group)
{
	int clock = perf_open_self(PERF_SW(TASK_CLOCK));
	int faults = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, clock);
	bool at_once;

	ASSERT_LE(0, clock);
	ASSERT_LE(0, faults);
	at_once = counts_faults(faults);
	switch_out(1);
	EXPECT_TRUE(counts_faults(faults));
	SKIP_STOCK_FAULT(!at_once, "waits for a context switch");
	EXPECT_TRUE(at_once);
}

TEST(group_of_kinds_enabled_at_once)
{
	int clock = perf_open_self(PERF_SW(TASK_CLOCK, .disabled = 1));
	int faults = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), 0, -1,
			       clock);
	bool at_once;

	ASSERT_LE(0, clock);
	ASSERT_LE(0, faults);
	ASSERT_EQ(0, perf_enable_group(clock));
	at_once = counts_faults(faults);
	switch_out(1);
	EXPECT_TRUE(counts_faults(faults));
	SKIP_STOCK_FAULT(!at_once, "waits for a context switch");
	EXPECT_TRUE(at_once);
}

TEST(member_closed_others_go_on)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS));
	int a = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	int b = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);

	ASSERT_LE(0, b);
	EXPECT_TRUE(counts_faults(a));
	close(a);
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(b));
	ASSERT_EQ(0, perf_disable(leader));
	EXPECT_TRUE(counts_no_faults(b));
}

/* Without its leader each member is a single event. */
TEST(leader_closed_members_go_on)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .read_format =
					      PERF_FORMAT_GROUP);
	int leader = perf_open_self(attr);
	int a = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	int b = perf_open(attr, 0, -1, leader);
	__u64 before;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	fault_pages(10);
	EXPECT_EQ(3, group_size(b));
	before = perf_count(a);
	EXPECT_LE(10, before);
	close(leader);
	EXPECT_LE(before, perf_count(a));
	EXPECT_EQ(1, group_size(b));
	EXPECT_TRUE(counts_faults(a));
	/* Each is disabled separately. */
	ASSERT_EQ(0, perf_disable_group(b));
	EXPECT_TRUE(counts_faults(a));
	ASSERT_EQ(0, perf_disable_group(a));
	EXPECT_TRUE(counts_no_faults(a));
}

TEST(former_member_leads)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .read_format =
					      PERF_FORMAT_GROUP);
	int leader = perf_open_self(attr);
	int heir = perf_open(attr, 0, -1, leader);
	int member;

	ASSERT_LE(0, heir);
	EXPECT_EQ(-EINVAL, perf_open(attr, 0, -1, heir));
	close(leader);
	member = perf_open(attr, 0, -1, heir);
	ASSERT_LE(0, member);
	EXPECT_EQ(2, group_size(heir));
	EXPECT_EQ(2, group_size(member));
}

TEST(disabled_leader_closed)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	int on = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	int off = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), 0, -1,
			    leader);

	ASSERT_LE(0, on);
	ASSERT_LE(0, off);
	EXPECT_TRUE(counts_no_faults(on));
	close(leader);
	EXPECT_TRUE(counts_no_faults(off));
	/* The leader that disabled this one is gone. */
	switch_out(1);
	EXPECT_TRUE(counts_faults(on));
	ASSERT_EQ(0, perf_enable(off));
	EXPECT_TRUE(counts_faults(off));
}

TEST(pinned_group)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .pinned = 1));
	int member = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(member));
	close(leader);
	EXPECT_TRUE(counts_faults(member));
}

TEST(exclusive_group_beside_others)
{
	int other = perf_open_self(PERF_SW(PAGE_FAULTS));
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .exclusive = 1));
	int member = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);

	ASSERT_LE(0, other);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(member));
	EXPECT_TRUE(counts_faults(other));
}

TEST(group_on_cpu)
{
	int cpu = nth_cpu(0);
	int leader = perf_open(PERF_SW(PAGE_FAULTS, .disabled = 1), -1, cpu,
			       -1);
	int member = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	EXPECT_TRUE(counts_no_faults(member));
	ASSERT_EQ(0, perf_enable(leader));
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(member));
	close(leader);
	EXPECT_TRUE(counts_faults(member));
}

/* Members that are enabled and disabled with the leader agree exactly. */
TEST(members_agree)
{
	enum { NR = 30 };
	int fd[NR], i, round;
	__u64 first;

	for (i = 0; i < NR; i++) {
		fd[i] = perf_open(PERF_SW(PAGE_FAULTS, .disabled = i == 0), 0,
				  -1, i ? fd[0] : -1);
		ASSERT_LE(0, fd[i]);
	}
	for (round = 0; round < 50; round++) {
		ASSERT_EQ(0, perf_enable(fd[0]));
		fault_pages(2);
		if (round % 7 == 0)
			sleep_ms(1);
		ASSERT_EQ(0, perf_disable(fd[0]));
	}
	first = perf_count(fd[0]);
	EXPECT_LE(100, first);
	for (i = 1; i < NR; i++)
		EXPECT_EQ(first, perf_count(fd[i]));
}

TEST(many_groups)
{
	enum { GROUPS = 40, MEMBERS = 4 };
	int fd[GROUPS][MEMBERS], g, m;

	for (g = 0; g < GROUPS; g++) {
		for (m = 0; m < MEMBERS; m++) {
			fd[g][m] = perf_open(PERF_SW(PAGE_FAULTS), 0, -1,
					     m ? fd[g][0] : -1);
			ASSERT_LE(0, fd[g][m]);
		}
	}
	/* Every second group is disabled. */
	for (g = 0; g < GROUPS; g += 2) {
		ASSERT_EQ(0, perf_disable(fd[g][0]));
		ASSERT_EQ(0, perf_ioctl(fd[g][0], PERF_EVENT_IOC_RESET,
					PERF_IOC_FLAG_GROUP));
	}
	fault_pages(10);
	for (g = 0; g < GROUPS; g++) {
		for (m = 0; m < MEMBERS; m++) {
			if (g % 2) {
				EXPECT_LE(10, perf_count(fd[g][m]));
			} else {
				EXPECT_EQ(0, perf_count(fd[g][m]));
			}
		}
	}
}

/* Mixed groups */

TEST(tracepoint_leads_software)
{
	struct perf_event_attr attr;
	int trace, faults;

	if (tracepoint_attr(&attr))
		SKIP(return, "no syscall tracepoints in this kernel");
	attr.disabled = 1;
	trace = perf_open_self(attr);
	ASSERT_LE(0, trace);
	faults = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, trace);
	ASSERT_LE(0, faults);
	call_getppid(3);
	EXPECT_EQ(0, perf_count(trace));
	ASSERT_EQ(0, perf_enable(trace));
	call_getppid(17);
	EXPECT_TRUE(counts_faults(faults));
	ASSERT_EQ(0, perf_disable(trace));
	call_getppid(5);
	EXPECT_EQ(17, perf_count(trace));
	EXPECT_TRUE(counts_no_faults(faults));
}

TEST(software_leads_tracepoint)
{
	struct perf_event_attr attr;
	int faults, trace;

	if (tracepoint_attr(&attr))
		SKIP(return, "no syscall tracepoints in this kernel");
	faults = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	ASSERT_LE(0, faults);
	trace = perf_open(attr, 0, -1, faults);
	ASSERT_LE(0, trace);
	call_getppid(3);
	EXPECT_EQ(0, perf_count(trace));
	ASSERT_EQ(0, perf_enable(faults));
	call_getppid(100);
	EXPECT_TRUE(counts_faults(faults));
	EXPECT_EQ(100, perf_count(trace));
	/* The member alone. */
	ASSERT_EQ(0, perf_disable(trace));
	call_getppid(7);
	EXPECT_EQ(100, perf_count(trace));
	close(faults);
	ASSERT_EQ(0, perf_enable(trace));
	switch_out(1);
	call_getppid(11);
	EXPECT_EQ(111, perf_count(trace));
}

TEST(tracepoint_joins_running_software)
{
	struct perf_event_attr attr;
	int faults, trace;
	bool at_once;

	if (tracepoint_attr(&attr))
		SKIP(return, "no syscall tracepoints in this kernel");
	faults = perf_open_self(PERF_SW(PAGE_FAULTS));
	ASSERT_LE(0, faults);
	trace = perf_open(attr, 0, -1, faults);
	ASSERT_LE(0, trace);
	call_getppid(10);
	at_once = perf_count(trace) == 10;
	SKIP_STOCK_FAULT(!at_once, "waits for a context switch");
	EXPECT_TRUE(at_once);
}

TEST(tracepoint_of_other_task)
{
	struct perf_event_attr attr;
	struct gate go = gate_new();
	pid_t child;
	int mine, theirs;

	if (tracepoint_attr(&attr))
		SKIP(return, "no syscall tracepoints in this kernel");
	child = fork_child();
	if (child == 0) {
		gate_wait(&go);
		call_getppid(40);
		_exit(0);
	}
	mine = perf_open_self(attr);
	theirs = perf_open(attr, child, -1, -1);
	ASSERT_LE(0, mine);
	ASSERT_LE(0, theirs);
	gate_open(&go);
	call_getppid(9);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(40, perf_count(theirs));
	EXPECT_EQ(9, perf_count(mine));
}

TEST(breakpoint_with_software)
{
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	int bp = perf_open(breakpoint_attr(), 0, -1, leader);
	int i;

	ASSERT_LE(0, leader);
	if (perf_no_breakpoint(bp))
		SKIP(return, "no hardware breakpoints on this machine");
	ASSERT_LE(0, bp);
	breakpoint_here();
	EXPECT_EQ(0, perf_count(bp));
	ASSERT_EQ(0, perf_enable(leader));
	for (i = 0; i < 25; i++)
		breakpoint_here();
	ASSERT_EQ(0, perf_disable(leader));
	breakpoint_here();
	EXPECT_EQ(25, perf_count(bp));
}

/* A software group moves to the PMU context of its hardware member. */
TEST(software_group_joined_by_hardware)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
						  PERF_COUNT_HW_CPU_CYCLES);
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	int soft = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	int hard = perf_open(cycles, 0, -1, leader);
	int late;

	ASSERT_LE(0, leader);
	ASSERT_LE(0, soft);
	if (hard == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	ASSERT_LE(0, hard);
	late = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, leader);
	ASSERT_LE(0, late);
	EXPECT_EQ(0, perf_count(hard));
	ASSERT_EQ(0, perf_enable(leader));
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(soft));
	EXPECT_TRUE(counts_faults(late));
	EXPECT_LT(0, perf_count(hard));
	close(hard);
	EXPECT_TRUE(counts_faults(leader));
	EXPECT_TRUE(counts_faults(soft));
	EXPECT_TRUE(counts_faults(late));
}

TEST(hardware_leads_software)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
						  PERF_COUNT_HW_CPU_CYCLES,
						  .disabled = 1);
	int hard = perf_open_self(cycles), soft;

	if (hard == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	ASSERT_LE(0, hard);
	soft = perf_open(PERF_SW(PAGE_FAULTS), 0, -1, hard);
	ASSERT_LE(0, soft);
	EXPECT_TRUE(counts_no_faults(soft));
	ASSERT_EQ(0, perf_enable(hard));
	EXPECT_TRUE(counts_faults(soft));
	EXPECT_LT(0, perf_count(hard));
	ASSERT_EQ(0, perf_disable(hard));
	EXPECT_TRUE(counts_no_faults(soft));
	EXPECT_TRUE(counts_no_faults(hard));
}

/* Members close in every order. */
TEST(close_in_every_order)
{
	static const int orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	int fd[3], i, k;

	for (i = 0; i < 6; i++) {
		for (k = 0; k < 3; k++) {
			fd[k] = perf_open(PERF_SW(PAGE_FAULTS), 0, -1,
					  k ? fd[0] : -1);
			ASSERT_LE(0, fd[k]);
		}
		EXPECT_TRUE(counts_faults(fd[orders[i][2]]));
		close(fd[orders[i][0]]);
		EXPECT_TRUE(counts_faults(fd[orders[i][2]]));
		close(fd[orders[i][1]]);
		EXPECT_TRUE(counts_faults(fd[orders[i][2]]));
		close(fd[orders[i][2]]);
	}
}

TEST_HARNESS_MAIN
