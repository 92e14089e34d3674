// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware breakpoints: each hit is counted, and every breakpoint that was opened has a
 * debug register.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"

#define MAX_REGISTERS	64

static volatile long watched[MAX_REGISTERS];

static struct perf_event_attr on_write(volatile void *addr)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
			 .bp_addr = (unsigned long)addr, .bp_len = sizeof(long),
			 .exclude_kernel = 1);
}

static void write_times(volatile long *where, int times)
{
	while (times--)
		*where += 1;
}

/* Open until the kernel refuses. */
static int open_all(struct perf_event_attr attr, pid_t pid, int cpu, int *fd)
{
	int nr;

	for (nr = 0; nr < MAX_REGISTERS; nr++) {
		fd[nr] = perf_open(attr, pid, cpu, -1);
		if (fd[nr] < 0)
			break;
	}
	return nr;
}

FIXTURE(breakpoint)
{
	struct perf_event_attr attr;
	int fd[MAX_REGISTERS];
	int registers;	/* registers of a CPU */
};

FIXTURE_SETUP(breakpoint)
{
	self->attr = on_write(&watched[0]);
	self->registers = open_all(self->attr, 0, -1, self->fd);
	if (!self->registers)
		SKIP(return, "no debug register for data: %d", self->fd[0]);
	EXPECT_EQ(-ENOSPC, self->fd[self->registers]);
	perf_close_all(self->fd, self->registers);
}

FIXTURE_TEARDOWN(breakpoint)
{
}

TEST_F(breakpoint, each_hit)
{
	int fd = perf_open_self(self->attr);

	ASSERT_LE(0, fd);
	write_times(&watched[0], 100);
	write_times(&watched[1], 50);
	EXPECT_EQ(100, perf_count(fd));
	perf_disable(fd);
	write_times(&watched[0], 100);
	EXPECT_EQ(100, perf_count(fd));
}

TEST_F(breakpoint, execution)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0,
		.bp_type = HW_BREAKPOINT_X, .bp_addr = (unsigned long)write_times,
		.bp_len = sizeof(long), .exclude_kernel = 1);
	void (*volatile call)(volatile long *where, int times) = write_times;
	int fd, i;

#ifdef __aarch64__
	attr.bp_len = 4;
#endif
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	for (i = 0; i < 30; i++)
		call(&watched[0], 0);
	EXPECT_EQ(30, perf_count(fd));
}

/* All registers at once. */
TEST_F(breakpoint, all_registers)
{
	int i;

	for (i = 0; i < self->registers; i++) {
		self->fd[i] = perf_open_self(on_write(&watched[i]));
		ASSERT_LE(0, self->fd[i]);
	}
	for (i = 0; i < self->registers; i++)
		write_times(&watched[i], 10 + i);
	for (i = 0; i < self->registers; i++)
		EXPECT_EQ(10 + i, perf_count(self->fd[i]));
}

TEST_F(breakpoint, refusal_says_why)
{
	char text[256] = "";

	open_all(self->attr, 0, -1, self->fd);
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, "debug registers")) {
		TH_LOG("it says: %s", text);
	}
}

TEST_F(breakpoint, tasks_have_their_own)
{
	struct gate ready = gate_new();
	int fd[MAX_REGISTERS];
	pid_t pid;

	pid = fork_child();
	if (pid == 0) {
		gate_open(&ready);
		pause();
	}
	gate_wait(&ready);
	ASSERT_EQ(self->registers, open_all(self->attr, 0, -1, self->fd));
	EXPECT_EQ(self->registers, open_all(self->attr, pid, -1, fd));
	EXPECT_EQ(-ENOSPC, fd[self->registers]);
	perf_close_all(fd, self->registers);
	kill_child(pid);
}

/* A breakpoint of a CPU leaves one less for each task, and vice versa. */
TEST_F(breakpoint, cpus_and_tasks_share)
{
	int cpu = nth_cpu(0), fd;

	ASSERT_EQ(self->registers, open_all(self->attr, 0, -1, self->fd));
	EXPECT_EQ(-ENOSPC, perf_open(self->attr, -1, cpu, -1));
	close(self->fd[0]);
	fd = perf_open(self->attr, -1, cpu, -1);
	EXPECT_LE(0, fd);
	EXPECT_EQ(-ENOSPC, perf_open(self->attr, 0, -1, -1));
	close(fd);
	self->fd[0] = perf_open(self->attr, 0, -1, -1);
	EXPECT_LE(0, self->fd[0]);
}

TEST_F(breakpoint, bound_to_cpus)
{
	int cpu[2] = { nth_cpu(0), nth_cpu(1) };
	int fd[MAX_REGISTERS];

	if (cpu[1] < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(self->registers, open_all(self->attr, 0, cpu[0], self->fd));
	EXPECT_EQ(self->registers, open_all(self->attr, 0, cpu[1], fd));
	EXPECT_EQ(-ENOSPC, perf_open(self->attr, 0, -1, -1));
	EXPECT_EQ(-ENOSPC, perf_open(self->attr, -1, cpu[0], -1));
	perf_close_all(self->fd, self->registers);
	EXPECT_EQ(-ENOSPC, perf_open(self->attr, 0, -1, -1));
	perf_close_all(fd, self->registers);
	EXPECT_LE(0, perf_open(self->attr, 0, -1, -1));
}

FIXTURE(breakpoint_hotplug)
{
	int cpu;
};

FIXTURE_SETUP(breakpoint_hotplug)
{
	self->cpu = hotplug_cpu();
	if (self->cpu < 0 || self->cpu == nth_cpu(0))
		SKIP(return, "no CPU that can be taken offline");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN_PARENT(breakpoint_hotplug)
{
	if (self->cpu >= 0)
		cpu_set_online(self->cpu, true);
}

/* The registers of a CPU's breakpoints are in use until these are closed, and then are free. */
TEST_F(breakpoint_hotplug, registers_are_kept)
{
	struct perf_event_attr attr = on_write(&watched[0]);
	int fd[MAX_REGISTERS], cpu = self->cpu, nr, i;

	nr = open_all(attr, -1, cpu, fd);
	if (!nr)
		SKIP(return, "no debug register for data: %d", fd[0]);
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	perf_close_all(fd, nr / 2);
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	for (i = 0; i < nr / 2; i++) {
		fd[i] = perf_open(attr, -1, cpu, -1);
		EXPECT_LE(0, fd[i]);
	}
	EXPECT_EQ(-ENOSPC, perf_try(attr, -1, cpu, -1, 0));
	perf_close_all(fd, nr);

	ASSERT_EQ(0, pin_to_cpu(cpu));
	for (i = 0; i < nr; i++) {
		fd[i] = perf_open(on_write(&watched[i]), -1, cpu, -1);
		ASSERT_LE(0, fd[i]);
		write_times(&watched[i], 10 + i);
		EXPECT_EQ(10 + i, perf_count(fd[i]));
	}
}

/* A modified breakpoint counts at its new address. A refused change has no effect. */
TEST_F(breakpoint, modified)
{
	struct perf_event_attr attr = self->attr;
	int fd = perf_open_self(self->attr);

	ASSERT_LE(0, fd);
	write_times(&watched[0], 10);
	attr.bp_addr = (unsigned long)&watched[1];
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	write_times(&watched[0], 10);
	write_times(&watched[1], 5);
	EXPECT_EQ(15, perf_count(fd));

	attr.bp_len = 77;
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_EQ(EINVAL, errno);
	attr = self->attr;
	attr.exclude_user = 1;
	EXPECT_EQ(-1, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
	EXPECT_EQ(EINVAL, errno);
	write_times(&watched[0], 10);
	write_times(&watched[1], 5);
	EXPECT_EQ(20, perf_count(fd));
	close(fd);
	/* The register is still in use. */
	ASSERT_EQ(self->registers, open_all(self->attr, 0, -1, self->fd));
}

/* From data to execution. On some machines these share registers, on others not. */
TEST_F(breakpoint, modified_to_another_type)
{
	struct perf_event_attr attr = self->attr;
	int fd = perf_open_self(self->attr), i;

	ASSERT_LE(0, fd);
	attr.bp_type = HW_BREAKPOINT_X;
	attr.bp_addr = (unsigned long)write_times;
#ifdef __aarch64__
	attr.bp_len = 4;
#endif
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr));
		ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &self->attr));
	}
	write_times(&watched[0], 10);
	EXPECT_EQ(10, perf_count(fd));
	close(fd);
	ASSERT_EQ(self->registers, open_all(self->attr, 0, -1, self->fd));
}

TEST_F(breakpoint, inherited)
{
	pid_t pid;
	int fd;

	self->attr.inherit = 1;
	fd = perf_open_self(self->attr);
	ASSERT_LE(0, fd);
	pid = fork_child();
	if (pid == 0) {
		write_times(&watched[0], 20);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(pid));
	write_times(&watched[0], 10);
	EXPECT_EQ(30, perf_count(fd));
}

/* A new period starts at once, in full length. */
TEST_F(breakpoint, period_changed)
{
	__u64 period = 5;
	struct pollfd poll_fd;
	void *page;

	self->attr.sample_period = 1000000;
	self->attr.wakeup_events = 1;
	poll_fd.fd = perf_open_self(self->attr);
	poll_fd.events = POLLIN;
	ASSERT_LE(0, poll_fd.fd);
	page = mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
		    poll_fd.fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	write_times(&watched[0], 3);
	ASSERT_EQ(0, ioctl(poll_fd.fd, PERF_EVENT_IOC_PERIOD, &period));
	write_times(&watched[0], 4);
	EXPECT_EQ(0, poll(&poll_fd, 1, 50));
	write_times(&watched[0], 1);
	EXPECT_EQ(1, poll(&poll_fd, 1, PATIENCE_MS));
}

TEST_F(breakpoint, not_in_the_kernel)
{
	int fd;

	self->attr.bp_addr = -4096UL;
	EXPECT_EQ(-EINVAL, perf_try_self(self->attr));
	/* Of a CPU: on arm64 a task cannot have such a breakpoint. */
	self->attr.exclude_kernel = 0;
	fd = perf_open(self->attr, -1, nth_cpu(0), -1);
	EXPECT_LE(0, fd);
	close(fd);
}

static int modify_as_user(int fd, struct perf_event_attr attr)
{
	pid_t child = fork_child();

	if (child == 0) {
		if (setresuid(1000, 1000, 1000))
			_exit(250);
		_exit(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr) ? errno : 0);
	}
	return -wait_status(child);
}

/* Permission to count the kernel is checked before what cannot change. */
TEST_F(breakpoint, modified_to_watch_the_kernel)
{
	struct perf_event_attr attr = self->attr;
	int fd;

	if (geteuid())
		SKIP(return, "needs root");
	attr.exclude_kernel = 0;
	fd = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	attr.bp_addr = -4096UL;
	EXPECT_EQ(-EPERM, modify_as_user(fd, attr));
	attr.sample_period = 5;
	EXPECT_EQ(-EPERM, modify_as_user(fd, attr));
	attr.exclude_kernel = 1;
	EXPECT_EQ(-EINVAL, modify_as_user(fd, attr));
	attr = self->attr;
	attr.sample_period = 5;
	EXPECT_EQ(-EINVAL, modify_as_user(fd, attr));
}

/*
 * A task that root observes forks, and has no privilege: its child event has what the process was
 * granted that opened the parent.
 */
TEST_F(breakpoint, of_the_kernel_is_inherited)
{
	struct gate go = gate_new();
	int fd, status;
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root");
	pid = user_who_forks(&go);
	self->attr.bp_addr = -4096UL;
	self->attr.exclude_kernel = 0;
	self->attr.inherit = 1;
	fd = perf_open(self->attr, pid, -1, -1);
	if (fd == -EINVAL || fd == -EOPNOTSUPP) {
		kill_child(pid);
		SKIP(return, "tasks have no breakpoints in the kernel");
	}
	ASSERT_LE(0, fd);
	gate_open(&go);
	status = wait_status(pid);
	SKIP_STOCK_FAULT(status, "fork(2) fails");
	EXPECT_EQ(0, status);
}

/* KSYMBOL records are not refused without privilege, they are left out. So they are here. */
TEST_F(breakpoint, modified_with_the_attributes_that_opened_it)
{
	long before;
	pid_t pid;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(PARANOID, &before));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	self->attr.ksymbol = 1;
	pid = fork_child();
	if (!pid) {
		int fd;

		if (setresuid(1000, 1000, 1000))
			_exit(250);
		fd = perf_open_self(self->attr);
		if (fd < 0)
			_exit(251);
		self->attr.bp_addr = (unsigned long)&watched[1];
		_exit(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &self->attr) ? errno : 0);
	}
	EXPECT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, file_write_long(PARANOID, before));
}

/* A child that has executed a program has used up enable_on_exec, and its parent has not. */
TEST_F(breakpoint, modified_after_a_child_has_executed)
{
	struct gate done = gate_new();
	int fd, err;
	char c;

	self->attr.inherit = 1;
	self->attr.enable_on_exec = 1;
	fd = perf_open_self(self->attr);
	ASSERT_LE(0, fd);
	if (!fork_child()) {
		/* The exec closes both ends. */
		execl("/proc/self/exe", "wait", "--wait", NULL);
		_exit(94);
	}
	close(done.wr);
	ASSERT_EQ(0, read(done.rd, &c, 1));
	self->attr.bp_addr = (unsigned long)&watched[1];
	err = perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (long)&self->attr);
	SKIP_STOCK_FAULT(err, "refuses what differs from a child event alone");
	EXPECT_EQ(0, err);
	write_times(&watched[1], 5);
	EXPECT_EQ(5, perf_count(fd));
}

/* PERF_EVENT_IOC_PERIOD changes the event and not its child events. */
TEST_F(breakpoint, modified_after_its_period)
{
	struct gate go = gate_new();
	__u64 period = 10;
	int fd, err;
	pid_t pid;

	self->attr.inherit = 1;
	self->attr.sample_period = 1000;
	fd = perf_open_self(self->attr);
	ASSERT_LE(0, fd);
	pid = fork_child();
	if (!pid) {
		gate_wait(&go);
		write_times(&watched[1], 7);
		_exit(0);
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	self->attr.sample_period = period;
	self->attr.bp_addr = (unsigned long)&watched[1];
	err = perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (long)&self->attr);
	SKIP_STOCK_FAULT(err, "refuses what differs from a child event alone");
	EXPECT_EQ(0, err);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_EQ(7, perf_count(fd));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--wait")) {
		for (;;)
			pause();
	}
	return test_harness_run(argc, argv);
}
