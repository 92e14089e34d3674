// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the task, the CPU, the group and the flags of an event, the errno
 * of each bad choice, and that a refusal leaves nothing behind.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define ALL_FLAGS	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | \
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* A child that waits to be killed. */
static pid_t idle_child(void)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		for (;;)
			pause();
	}
	return pid;
}

static int count_fds(void)
{
	struct rlimit limit;
	int fd, n = 0;

	getrlimit(RLIMIT_NOFILE, &limit);
	for (fd = 0; fd < (int)limit.rlim_cur && fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Task and CPU */

TEST(task_and_cpu_valid)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	pid_t child = idle_child();
	int cpu = nth_cpu(0);

	ASSERT_LT(0, child);
	EXPECT_ROW(0, perf_try(attr, 0, -1, -1, 0), "self, any CPU");
	EXPECT_ROW(0, perf_try(attr, 0, cpu, -1, 0), "self, one CPU");
	EXPECT_ROW(0, perf_try(attr, getpid(), -1, -1, 0), "own pid");
	EXPECT_ROW(0, perf_try(attr, getppid(), -1, -1, 0), "parent");
	EXPECT_ROW(0, perf_try(attr, child, -1, -1, 0), "child");
	EXPECT_ROW(0, perf_try(attr, child, cpu, -1, 0), "child, one CPU");
	EXPECT_ROW(0, perf_try(attr, 1, -1, -1, 0), "init");
	EXPECT_ROW(0, perf_try(attr, -1, cpu, -1, 0), "all tasks, one CPU");
	kill_child(child);
}

TEST(every_online_cpu)
{
	int i, cpu;

	for (i = 0; (cpu = nth_cpu(i)) >= 0; i++) {
		EXPECT_EQ(0, perf_try(PERF_SW(DUMMY), -1, cpu, -1, 0));
		EXPECT_EQ(0, perf_try(PERF_SW(DUMMY), 0, cpu, -1, 0));
	}
	EXPECT_LT(0, i);
}

TEST(neither_task_nor_cpu)
{
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), -1, -1, -1, 0));
}

TEST(cpu_bad)
{
	static const int cpus[] = { -2, -1000, INT_MIN, INT_MAX, 1 << 20 };
	struct perf_event_attr attr = PERF_SW(DUMMY);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		EXPECT_EQ(-EINVAL, perf_try(attr, -1, cpus[i], -1, 0)) {
			TH_LOG("all tasks, CPU %d", cpus[i]);
		}
		EXPECT_EQ(-EINVAL, perf_try(attr, 0, cpus[i], -1, 0)) {
			TH_LOG("self, CPU %d", cpus[i]);
		}
	}
}

TEST(pid_bad)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int cpu = nth_cpu(0);

	EXPECT_ROW(-ESRCH, perf_try(attr, INT_MAX, -1, -1, 0), "INT_MAX");
	EXPECT_ROW(-ESRCH, perf_try(attr, -2, -1, -1, 0), "-2");
	EXPECT_ROW(-ESRCH, perf_try(attr, -2, cpu, -1, 0), "-2, one CPU");
	EXPECT_ROW(-ESRCH, perf_try(attr, INT_MIN, -1, -1, 0), "INT_MIN");
}

TEST(pid_reaped)
{
	pid_t child = idle_child();

	ASSERT_LT(0, child);
	kill_child(child);
	EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY), child, -1, -1, 0));
}

TEST(pid_zombie)
{
	siginfo_t info;
	pid_t child = fork_child();
	int self;

	if (child == 0)
		_exit(0);
	ASSERT_LT(0, child);
	ASSERT_EQ(0, waitid(P_PID, child, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY), child, -1, -1, 0));
	/* The task is checked before the AUX area that the leader must have. */
	EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY, .sample_type = PERF_SAMPLE_AUX,
					   .aux_sample_size = 4096), child, -1, -1, 0));
	/* The task is checked before the output, which has no buffer. */
	self = perf_open_self(PERF_SW(DUMMY));
	ASSERT_LE(0, self);
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, self, PERF_FLAG_FD_OUTPUT));
	EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY), child, -1, self, PERF_FLAG_FD_OUTPUT));
	/* The task exists, so the type is checked first. */
	EXPECT_EQ(-ENOENT, perf_try(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000), child, -1, -1, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), child, 1 << 20, -1, 0));
	kill_child(child);
}

/* Flags */

TEST(flags_known)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);

	EXPECT_ROW(0, perf_try(attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC),
		   "FD_CLOEXEC");
	EXPECT_ROW(0, perf_try(attr, 0, -1, -1, PERF_FLAG_FD_NO_GROUP),
		   "FD_NO_GROUP without a group");
	EXPECT_ROW(0, perf_try(attr, 0, -1, -1, PERF_FLAG_FD_OUTPUT),
		   "FD_OUTPUT without a group");
}

TEST(flags_unknown)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	unsigned int bit;

	for (bit = 4; bit < 8 * sizeof(long); bit++) {
		EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, -1, 1UL << bit)) {
			TH_LOG("flag bit %u", bit);
		}
	}
	/* The flags are checked before the attributes. */
	EXPECT_EQ(-EINVAL, perf_raw_open(NULL, 0, -1, -1, ALL_FLAGS + 1));
	EXPECT_EQ(-EFAULT, perf_raw_open(NULL, 0, -1, -1, ALL_FLAGS));
}

TEST(flag_cloexec)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int with = perf_raw_open(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int without = perf_raw_open(&attr, 0, -1, -1, 0);

	ASSERT_LE(0, with);
	ASSERT_LE(0, without);
	EXPECT_EQ(FD_CLOEXEC, fcntl(with, F_GETFD));
	EXPECT_EQ(0, fcntl(without, F_GETFD));
}

TEST(descriptor_is_anonymous_inode)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	char path[64], target[64] = "";

	ASSERT_LE(0, fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ASSERT_LT(0, readlink(path, target, sizeof(target) - 1));
	EXPECT_STREQ("anon_inode:[perf_event]", target);
	EXPECT_EQ(O_RDWR, fcntl(fd, F_GETFL) & O_ACCMODE);
}

TEST(descriptor_has_no_write_or_seek)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	__u64 value;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-1, write(fd, "x", 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, pread(fd, &value, sizeof(value), 0));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, lseek(fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
}

TEST(flag_pid_cgroup_wants_cpu_and_pid)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int cpu = nth_cpu(0);

	EXPECT_ROW(-EINVAL, perf_try(attr, 0, -1, -1, PERF_FLAG_PID_CGROUP),
		   "no CPU");
	EXPECT_ROW(-EINVAL, perf_try(attr, -1, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "no cgroup");
	EXPECT_ROW(-EINVAL, perf_try(attr, -1, -1, -1, PERF_FLAG_PID_CGROUP),
		   "neither");
}

TEST(flag_pid_cgroup_wants_cgroup_directory)
{
	struct perf_event_attr unknown = PERF_ATTR(PERF_TYPE_SOFTWARE, 1000);
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int null = open("/dev/null", O_RDONLY);
	int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);
	int cpu = nth_cpu(0);

	ASSERT_LE(0, null);
	ASSERT_LE(0, tmp);
	EXPECT_ROW(-EBADF, perf_try(attr, null, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "not a directory");
	EXPECT_ROW(-EBADF, perf_try(attr, tmp, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "not in cgroupfs");
	EXPECT_ROW(-EBADF, perf_try(attr, 9999, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "not a descriptor");
	EXPECT_ROW(-EBADF, perf_try(attr, -2, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "a negative number");
	EXPECT_ROW(-EBADF, perf_try(attr, INT_MIN, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "the least number");
	EXPECT_ROW(-ENOENT, perf_try(unknown, 9999, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "config before the descriptor");
	attr.aux_output = 1;
	EXPECT_ROW(-EOPNOTSUPP, perf_try(attr, 9999, cpu, -1, PERF_FLAG_PID_CGROUP),
		   "what the PMU can do before the descriptor");
}

/* Groups */

TEST(group_descriptor_bad)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int null = open("/dev/null", O_RDONLY);

	EXPECT_ROW(-EBADF, perf_try(attr, 0, -1, 9999, 0), "closed");
	EXPECT_ROW(-EBADF, perf_try(attr, 0, -1, -2, 0), "negative");
	EXPECT_ROW(-EBADF, perf_try(attr, 0, -1, null, 0), "not an event");
}

TEST(group_member_as_leader)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int leader = perf_open_self(attr);
	int sibling = perf_open(attr, 0, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, sibling);
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, sibling, 0));
}

TEST(group_same_task_other_cpu)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int cpu0 = nth_cpu(0), cpu1 = nth_cpu(1);
	int any = perf_open(attr, 0, -1, -1);
	int on0 = perf_open(attr, 0, cpu0, -1);

	if (cpu1 < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_LE(0, any);
	ASSERT_LE(0, on0);
	EXPECT_ROW(0, perf_try(attr, 0, cpu0, on0, 0), "same CPU");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, cpu1, on0, 0), "other CPU");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, -1, on0, 0), "any CPU");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, cpu0, any, 0),
		   "one CPU under any CPU");
}

TEST(group_other_task)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	pid_t child = idle_child();
	int mine = perf_open_self(attr);
	int theirs = perf_open(attr, child, -1, -1);

	ASSERT_LE(0, mine);
	ASSERT_LE(0, theirs);
	EXPECT_EQ(-EINVAL, perf_try(attr, child, -1, mine, 0));
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, theirs, 0));
	EXPECT_EQ(0, perf_try(attr, child, -1, theirs, 0));
	kill_child(child);
}

TEST(group_task_and_cpu_contexts)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int cpu0 = nth_cpu(0), cpu1 = nth_cpu(1);
	int task = perf_open(attr, 0, cpu0, -1);
	int cpu = perf_open(attr, -1, cpu0, -1);

	ASSERT_LE(0, task);
	ASSERT_LE(0, cpu);
	EXPECT_ROW(-EINVAL, perf_try(attr, -1, cpu0, task, 0),
		   "CPU event under a task's");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, cpu0, cpu, 0),
		   "task event under a CPU's");
	EXPECT_ROW(0, perf_try(attr, -1, cpu0, cpu, 0), "same CPU");
	if (cpu1 >= 0)
		EXPECT_ROW(-EINVAL, perf_try(attr, -1, cpu1, cpu, 0),
			   "other CPU");
}

/* A leader of a dead task has no context to join. */
TEST(group_leader_of_dead_task)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	pid_t child = idle_child();
	int theirs = perf_open(attr, child, -1, -1);

	ASSERT_LE(0, theirs);
	kill_child(child);
	EXPECT_EQ(-ENODEV, perf_try(attr, child, -1, theirs, 0));
	EXPECT_EQ(-ENODEV, perf_try(attr, 0, -1, theirs, 0));
	EXPECT_EQ(-ENODEV, perf_try(attr, 0, -1, theirs, PERF_FLAG_FD_NO_GROUP));
}

TEST(group_flag_no_group)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .read_format =
					      PERF_FORMAT_GROUP);
	int leader = perf_open_self(attr);
	__u64 buf[8];
	int fd;

	ASSERT_LE(0, leader);
	fd = perf_raw_open(&attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, fd);
	/* Neither event is a member of the other. */
	EXPECT_EQ(16, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
	EXPECT_EQ(16, read(fd, buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
	/* So the rules for groups do not apply. The descriptor must still be an event. */
	EXPECT_EQ(0, perf_try(attr, 0, nth_cpu(0), leader,
			      PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(0, perf_try(attr, 0, -1, fd, PERF_FLAG_FD_NO_GROUP));
	EXPECT_EQ(-EBADF, perf_try(attr, 0, -1, 9999, PERF_FLAG_FD_NO_GROUP));
}

/* Output goes to a buffer. This leader has none mapped. */
TEST(group_flag_output_without_buffer)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int leader = perf_open_self(attr);

	ASSERT_LE(0, leader);
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, -1, leader, PERF_FLAG_FD_OUTPUT |
				     PERF_FLAG_FD_NO_GROUP),
		   "output, no group");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, -1, leader, PERF_FLAG_FD_OUTPUT),
		   "output and group");
	EXPECT_ROW(-EINVAL, perf_try(attr, 0, nth_cpu(0), leader,
				     PERF_FLAG_FD_OUTPUT |
				     PERF_FLAG_FD_NO_GROUP),
		   "output of another CPU");
}

TEST(refused_sibling_leaves_group_alone)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .read_format =
					      PERF_FORMAT_GROUP);
	int leader = perf_open_self(attr);
	__u64 buf[8];

	ASSERT_LE(0, leader);
	attr.pinned = 1;
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, leader, 0));
	EXPECT_EQ(16, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(1, buf[0]);
}

/* Limits */

TEST(descriptors_exhausted)
{
	struct rlimit limit = { 64, 64 };
	int fds[128], n = 0, before, fd, i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	before = count_fds();
	while (n < (int)ARRAY_SIZE(fds)) {
		fd = perf_open_self(PERF_SW(DUMMY));
		if (fd < 0)
			break;
		fds[n++] = fd;
	}
	EXPECT_EQ(-EMFILE, fd);
	EXPECT_EQ(64 - before, n);
	/* After the caller's permission, before group, task and PMU. */
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(DUMMY), 0, -1, -1, PERF_FLAG_PID_CGROUP));
	EXPECT_EQ(-EMFILE, perf_try(PERF_SW(DUMMY), 0, -1, 9999, 0));
	EXPECT_EQ(-EMFILE, perf_try(PERF_SW(DUMMY), INT_MAX, -1, -1, 0));
	EXPECT_EQ(-EMFILE, perf_try_self(PERF_ATTR(PERF_TYPE_SOFTWARE, 1000)));
	for (i = 0; i < 50; i++)
		EXPECT_EQ(-EMFILE, perf_open_self(PERF_SW(DUMMY)));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, close(fds[i]));
	EXPECT_EQ(before, count_fds());
	EXPECT_EQ(0, perf_try_self(PERF_SW(DUMMY)));
}

/* The order of the checks decides the errno. */
TEST(order_of_refusals)
{
	struct perf_event_attr good = PERF_SW(DUMMY);
	struct perf_event_attr unknown = PERF_ATTR(PERF_TYPE_SOFTWARE, 1000);
	struct perf_event_attr reserved = PERF_SW(DUMMY, .__reserved_2 = 1);
	int cpu = 1 << 20;

	EXPECT_ROW(-EINVAL, perf_try(reserved, INT_MAX, -1, 9999, 0),
		   "reserved bit before group and pid");
	EXPECT_ROW(-EBADF, perf_try(unknown, INT_MAX, cpu, 9999, 0),
		   "group descriptor before pid, CPU and config");
	EXPECT_ROW(-ESRCH, perf_try(unknown, INT_MAX, cpu, -1, 0),
		   "pid before CPU and config");
	EXPECT_ROW(-EINVAL, perf_try(unknown, 0, cpu, -1, 0),
		   "CPU before config");
	EXPECT_ROW(-ENOENT, perf_try(unknown, 0, -1, -1, 0), "config");
	EXPECT_ROW(-ENOENT, perf_try(unknown, -1, nth_cpu(0), -1, 0),
		   "config on a CPU");
	EXPECT_ROW(-EINVAL, perf_try(unknown, -1, -1, -1, 0),
		   "no target before config");
	EXPECT_ROW(-ESRCH, perf_try(good, INT_MAX, cpu, -1, 0),
		   "pid before CPU");
}

TEST(open_close_many)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	int before = count_fds(), i, cpu = nth_cpu(0);

	for (i = 0; i < 2000 && race_goes_on(i, 200, start, 10 * NSEC_PER_SEC); i++) {
		ASSERT_EQ(0, perf_try_self(PERF_SW(DUMMY)));
		ASSERT_EQ(0, perf_try(PERF_SW(DUMMY), -1, cpu, -1, 0));
	}
	EXPECT_EQ(before, count_fds());
}

TEST(open_many_at_once)
{
	struct rlimit limit = { 4096, 4096 };
	int fds[512], i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < (int)ARRAY_SIZE(fds); i++) {
		fds[i] = perf_open_self(PERF_SW(PAGE_FAULTS));
		ASSERT_LE(0, fds[i]);
	}
	fault_pages(4);
	for (i = 0; i < (int)ARRAY_SIZE(fds); i++)
		EXPECT_LE(4, perf_count(fds[i]));
	/* Close in an order that is neither the order of opening nor its reverse. */
	for (i = 0; i < (int)ARRAY_SIZE(fds); i += 2)
		EXPECT_EQ(0, close(fds[i]));
	for (i = (int)ARRAY_SIZE(fds) - 1; i > 0; i -= 2)
		EXPECT_EQ(0, close(fds[i]));
}

TEST_HARNESS_MAIN
