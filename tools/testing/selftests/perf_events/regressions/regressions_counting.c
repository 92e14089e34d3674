// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults, each named after its CVE or after what went wrong, as
 * far as counting events show them. A fault in memory is best seen on a kernel with
 * KASAN and lockdep. What user space can see is checked on every kernel.
 */
#include <linux/hw_breakpoint.h>
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* A. Attribute and arguments */

/* Bytes past the kernel's own structure were copied without a bound. */
TEST(cve_2009_3234_attr_larger_than_kernel)
{
	static char buf[8192];
	struct perf_event_attr attr = PERF_SW(DUMMY);

	attr.size = 4096;
	memcpy(buf, &attr, sizeof(attr));
	EXPECT_LE(0, perf_raw_open(buf, 0, -1, -1, 0));
	memset(buf + sizeof(attr), 0x41, 4096 - sizeof(attr));
	EXPECT_EQ(-E2BIG, perf_raw_open(buf, 0, -1, -1, 0));
	attr.size = 8192;
	memcpy(buf, &attr, sizeof(attr));
	EXPECT_EQ(-E2BIG, perf_raw_open(buf, 0, -1, -1, 0));
}

/* The upper half of config was lost, and the rest used as a signed index. */
TEST(cve_2013_2094_config_is_64_bits)
{
	static const __u64 configs[] = {
		0xffffffffULL, 0x80000000ULL, 0xfffffff0ULL, 0x8000000aULL,
		0x100000000ULL, 0xffffffff00000002ULL, 0x8000000000000002ULL,
	};
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(configs); i++) {
		fd = perf_open_self(PERF_ATTR(PERF_TYPE_SOFTWARE, configs[i],
					      .disabled = 1));
		EXPECT_EQ(-ENOENT, fd) {
			TH_LOG("config %#llx", configs[i]);
		}
		if (fd >= 0)
			close(fd);
	}
}

/* A software leader was treated as an event of the hardware PMU. */
TEST(cve_2013_4254_software_leads_hardware)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
						  PERF_COUNT_HW_CPU_CYCLES);
	int leader = perf_open_self(PERF_SW(CPU_CLOCK, .disabled = 1));
	int clock = perf_open(PERF_SW(TASK_CLOCK), 0, -1, leader);
	int hard = perf_open(cycles, 0, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, clock);
	if (hard == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	ASSERT_LE(0, hard);
	ASSERT_EQ(0, perf_enable(leader));
	burn_cpu(NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(leader));
	EXPECT_LT(0, perf_count(hard));
	EXPECT_LT(0, perf_count(clock));
}

static void __attribute__((__noinline__)) breakpoint_here(void)
{
	asm volatile("" ::: "memory");
}

/* A refused change left the breakpoint half changed. */
TEST(cve_2018_1000199_failed_breakpoint_change)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0,
		.bp_type = HW_BREAKPOINT_X, .bp_len = sizeof(long),
		.bp_addr = (unsigned long)breakpoint_here,
		.exclude_kernel = 1, .exclude_hv = 1);
	struct perf_event_attr bad = attr;
	int fd = perf_open_self(attr), i;

	if (perf_no_breakpoint(fd))
		SKIP(return, "no hardware breakpoints on this machine");
	ASSERT_LE(0, fd);
	for (i = 0; i < 10; i++)
		breakpoint_here();
	EXPECT_EQ(10, perf_count(fd));
	bad.bp_len = 77;
	EXPECT_GT(0, perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				(unsigned long)&bad));
	for (i = 0; i < 10; i++)
		breakpoint_here();
	EXPECT_EQ(20, perf_count(fd));
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
				(unsigned long)&attr));
	breakpoint_here();
	EXPECT_EQ(21, perf_count(fd));
}

TEST(cve_2017_18255_percentage_out_of_range)
{
	long before, after;

	ASSERT_EQ(0, file_read_long(CPU_TIME, &before));
	EXPECT_EQ(-EINVAL, file_write(CPU_TIME, "-1"));
	EXPECT_EQ(-EINVAL, file_write(CPU_TIME, "2147483647"));
	EXPECT_EQ(-EINVAL, file_write(CPU_TIME, "4294967297"));
	ASSERT_EQ(0, file_read_long(CPU_TIME, &after));
	EXPECT_EQ(before, after);
}

TEST(unknown_flags_were_accepted)
{
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, -1, 1UL << 31));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, -1, ~0UL));
}

TEST(period_top_bit)
{
	__u64 period = 1ULL << 63;
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .sample_period = 1000));

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_SW(PAGE_FAULTS,
						 .sample_period = period)));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD,
				      (unsigned long)&period));
}

/* The error was lost, and descriptor 0 returned. */
TEST(bad_aux_sample_size_gave_fd_0)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .aux_sample_size = 1);
	int leader = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, leader);
	EXPECT_GT(0, perf_open_self(attr));
	EXPECT_GT(0, perf_open(attr, 0, -1, leader));
	attr.aux_sample_size = ~0U;
	EXPECT_GT(0, perf_open(attr, 0, -1, leader));
}

/* C. Groups and contexts */

struct joiner {
	int leader;
	struct rounds rounds;
};

static void *join_and_leave(void *arg)
{
	struct joiner *j = arg;

	while (rounds_go_on(&j->rounds)) {
		int fd = perf_open(PERF_SW(PAGE_FAULTS), getpid(), -1,
				   j->leader);

		if (fd >= 0) {
			close(fd);
			rounds_add(&j->rounds);
		}
	}
	return NULL;
}

static void join_concurrently(struct __test_metadata *_metadata,
			      struct perf_event_attr member)
{
	__u64 buf[64];
	struct joiner j = {
		.leader = perf_open_self(PERF_SW(PAGE_FAULTS, .read_format =
						 PERF_FORMAT_GROUP)),
	};
	pthread_t thread[3];
	int i, fd;

	ASSERT_LE(0, j.leader);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, join_and_leave,
					    &j));
	/* At least 200 times, and until the threads have run enough. */
	for (i = 0; i < 200 || atomic_load(&j.rounds.done) < 20; i++) {
		fd = perf_open(member, 0, -1, j.leader);
		ASSERT_LE(0, fd);
		ASSERT_LE(8, read(j.leader, buf, sizeof(buf)));
		ASSERT_LE(2, buf[0]);
		ASSERT_GE(5, buf[0]);
		close(fd);
	}
	rounds_stop(&j.rounds);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	ASSERT_EQ(16, read(j.leader, buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
}

/* Several threads change one group at the same time. */
TEST(cve_2017_6001_concurrent_group_changes)
{
	join_concurrently(_metadata, PERF_SW(PAGE_FAULTS));
	join_concurrently(_metadata, PERF_SW(TASK_CLOCK));
}

/* The same while the hardware member moves the group to its PMU. */
TEST(cve_2017_6001_concurrent_group_moves)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
						  PERF_COUNT_HW_CPU_CYCLES);

	if (perf_try_self(cycles) == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	join_concurrently(_metadata, cycles);
}

/* The group is the descriptor that the call is going to return. */
TEST(cve_2022_1729_group_open_against_itself)
{
	int next = dup(0);

	ASSERT_LE(0, next);
	close(next);
	EXPECT_EQ(-EBADF, perf_open(PERF_SW(PAGE_FAULTS), 0, -1, next));
	EXPECT_EQ(-1, fcntl(next, F_GETFD));
	EXPECT_EQ(EBADF, errno);
}

/* A member that exec removed was detached from its group a second time. */
TEST(cve_2023_2235_removed_member_detached_again)
{
	static const struct {
		bool leader_removed;
		bool member_removed;
		bool leader_first;
	} rows[] = {
		{ false, true, true }, { false, true, false },
		{ true, false, true }, { true, false, false },
		{ true, true, true }, { true, true, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct gate go = gate_new();
		int leader, member, last;
		pid_t child = fork_child();

		if (child == 0) {
			gate_wait(&go);
			perf_exec_touch(10);
		}
		leader = perf_open(PERF_SW(PAGE_FAULTS, .remove_on_exec =
				   rows[i].leader_removed), child, -1, -1);
		member = perf_open(PERF_SW(PAGE_FAULTS, .remove_on_exec =
				   rows[i].member_removed), child, -1, leader);
		last = perf_open(PERF_SW(PAGE_FAULTS), child, -1, leader);
		ASSERT_LE(0, leader);
		ASSERT_LE(0, member);
		ASSERT_LE(0, last);
		gate_open(&go);
		EXPECT_EQ(0, wait_status(child));
		/* Events without remove_on_exec have continued. */
		EXPECT_LE(10, perf_count(last));
		if (!rows[i].member_removed)
			EXPECT_LE(10, perf_count(member));
		if (!rows[i].leader_removed)
			EXPECT_LE(10, perf_count(leader));
		close(rows[i].leader_first ? leader : member);
		EXPECT_LE(10, perf_count(last));
		close(rows[i].leader_first ? member : leader);
		EXPECT_EQ(0, perf_disable_group(last));
		close(last);
	}
}

/* A member that was detached by hotplug kept its pointer to the leader. */
TEST(cve_2026_74637_member_keeps_leader_over_hotplug)
{
	int cpu = hotplug_cpu(), leader, member, other;
	__u64 buf[8];

	if (cpu < 0)
		SKIP(return, "no CPU that can be taken offline");
	leader = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);
	member = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, leader);
	other = perf_open(PERF_SW(PAGE_FAULTS, .read_format =
				  PERF_FORMAT_GROUP), -1, cpu, leader);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	close(leader);
	EXPECT_EQ(0, perf_disable_group(member));
	EXPECT_EQ(0, perf_enable_group(member));
	EXPECT_EQ(0, perf_ioctl(member, PERF_EVENT_IOC_RESET,
				PERF_IOC_FLAG_GROUP));
	EXPECT_EQ(0, perf_count(member));
	EXPECT_LE(16, read(other, buf, sizeof(buf)));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	EXPECT_EQ(0, perf_enable_group(other));
	close(other);
	EXPECT_EQ(0, perf_disable_group(member));
	close(member);
}

/* A child's copy of a group that had moved to a PMU was moved back. */
TEST(cve_2026_31528_inherited_group_that_moved)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_CPU_CYCLES, .inherit = 1);
	int leader = perf_open_self(PERF_SW(PAGE_FAULTS, .inherit = 1,
					    .disabled = 1));
	int hard = perf_open(cycles, 0, -1, leader), i;

	ASSERT_LE(0, leader);
	if (hard == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	ASSERT_LE(0, hard);
	/* The hardware member is gone, the group stays where it is. */
	close(hard);
	ASSERT_EQ(0, perf_enable(leader));
	for (i = 0; i < 20; i++) {
		pid_t child = fork_child();

		if (child == 0) {
			if (fork() == 0) {
				fault_pages(10);
				_exit(0);
			}
			wait(NULL);
			fault_pages(10);
			_exit(0);
		}
		EXPECT_EQ(0, wait_status(child));
	}
	EXPECT_LE(400, perf_count(leader));
}

/* D. Group reads */

/* A child's group with another shape than its parent's. */
TEST(cve_2023_5717_groups_of_different_shape)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .read_format = PERF_FORMAT_GROUP);
	__u64 *page = map_fresh_pages(1), *buf;
	struct gate go = gate_new();
	int leader = perf_open_self(attr), i, len;
	pid_t child;

	ASSERT_LE(0, leader);
	ASSERT_NE(NULL, page);
	for (i = 0; i < 3; i++)
		ASSERT_LE(0, perf_open(attr, 0, -1, leader));
	child = fork_child();
	if (child == 0) {
		gate_wait(&go);
		_exit(0);
	}
	for (i = 0; i < 4; i++)
		ASSERT_LE(0, perf_open(attr, 0, -1, leader));
	buf = page + 100;
	memset(page, 0xa5, 1600);
	len = read(leader, buf, 8 * 9);
	/* Refused or complete, and never more than the buffer. */
	if (len < 0) {
		EXPECT_EQ(ECHILD, errno);
	} else {
		EXPECT_EQ(8 * 9, len);
		EXPECT_EQ(8, buf[0]);
	}
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5ULL, buf[-1]);
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5ULL, buf[9]);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	ASSERT_EQ(8 * 9, read(leader, buf, 8 * 9));
	EXPECT_EQ(8, buf[0]);
}

/* Only the new member's own size was checked. 16 bits of the sum wrapped. */
TEST(cve_2023_6931_sum_of_group_wraps)
{
	struct rlimit limit = { 10000, 10000 };
	struct perf_event_attr big = PERF_SW(DUMMY, .read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
		PERF_ALL_TIMES);
	static __u64 buf[16384];
	int leader, fd = 0, nr;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	leader = perf_open_self(big);
	ASSERT_LE(0, leader);
	for (nr = 1; nr < 9000; nr++) {
		/* Small by itself, but not in the leader's format. */
		fd = perf_open(PERF_SW(DUMMY), 0, -1, leader);
		if (fd < 0)
			break;
	}
	EXPECT_EQ(-E2BIG, fd);
	EXPECT_GT(65536 / 24, nr);
	ASSERT_EQ(8 * (3 + 3 * nr), read(leader, buf, sizeof(buf)));
	EXPECT_EQ(nr, buf[0]);
}

/* H. Hotplug and walks */

/* Faults are counted while the CPU's list is taken down. */
TEST(cve_2015_8963_dispatch_against_hotplug)
{
	int cpu = hotplug_cpu(), i;
	pid_t loader, opener;

	if (cpu < 0)
		SKIP(return, "no CPU that can be taken offline");
	loader = fork_child();
	if (loader == 0) {
		for (;;)
			fault_pages(8);
	}
	opener = fork_child();
	if (opener == 0) {
		for (;;)
			perf_try(PERF_SW(PAGE_FAULTS), -1, cpu, -1, 0);
	}
	for (i = 0; i < 3; i++) {
		int fd = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);

		ASSERT_LE(0, fd);
		pin_pid_to_cpu(loader, cpu);
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		EXPECT_NE(~0ULL, perf_count(fd));
		ASSERT_EQ(0, cpu_set_online(cpu, true));
		close(fd);
	}
	kill(loader, SIGKILL);
	kill(opener, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(loader));
	EXPECT_EQ(-SIGKILL, wait_status(opener));
}

/* Contexts are looked up while their tasks start and exit. */
TEST(cve_2025_21889_contexts_come_and_go)
{
	int cpu = nth_cpu(0), i, k;
	int wide = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);
	int mine = perf_open_self(PERF_SW(PAGE_FAULTS, .inherit = 1));
	pid_t child[4];

	ASSERT_LE(0, wide);
	ASSERT_LE(0, mine);
	for (i = 0; i < 40; i++) {
		for (k = 0; k < 4; k++) {
			child[k] = fork();
			if (child[k] == 0) {
				fault_pages(2);
				_exit(0);
			}
			perf_try(PERF_SW(PAGE_FAULTS), child[k], -1, -1, 0);
		}
		perf_disable(mine);
		perf_enable(mine);
		perf_count(wide);
		for (k = 0; k < 4; k++)
			EXPECT_EQ(0, wait_status(child[k]));
	}
	EXPECT_NE(~0ULL, perf_count(mine));
	EXPECT_LT(0, perf_count(mine));
}

PERF_TEST_EXEC_MAIN
