// SPDX-License-Identifier: GPL-2.0
/*
 * Limits for mappings. Each user has perf_event_mlock_kb for each CPU. Pages beyond
 * that are pinned by the process and limited by RLIMIT_MEMLOCK, unless CAP_IPC_LOCK or
 * perf_event_paranoid permit more.
 *
 * A buffer of n data pages costs 1 + n. A buffer without data costs a page: the number
 * of such buffers that can be mapped is the number of pages that are left.
 */
#include <linux/capability.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* Users with no other processes. */
#define USER		54321
#define OTHER_USER	54322

#define MANY		300

static long page_kb(void)
{
	return sysconf(_SC_PAGESIZE) / 1024;
}

/* Root stays the saved uid. Capabilities are not effective meanwhile. */
static int become(uid_t uid)
{
	return setresuid(uid, uid, 0) ? -errno : 0;
}

static int set_memlock(long bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = bytes;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < limit.rlim_cur)
		limit.rlim_max = bytes;
	return setrlimit(RLIMIT_MEMLOCK, &limit) ? -errno : 0;
}

static int set_memlock_pages(long pages)
{
	return set_memlock(pages * sysconf(_SC_PAGESIZE));
}

/* A value of /proc/self/status in pages, or -1. */
static long status_pages(const char *name)
{
	char buf[8192], *line;
	long kb;

	if (file_read("/proc/self/status", buf, sizeof(buf)) < 0)
		return -1;
	line = strstr(buf, name);
	if (!line || sscanf(line + strlen(name), "%ld", &kb) != 1 ||
	    kb % page_kb())
		return -1;
	return kb / page_kb();
}

static long pinned(void)
{
	return status_pages("VmPin:");
}

static int open_event(void)
{
	return perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
}

static void *map_pages(int fd, size_t pages)
{
	void *p = mmap(NULL, pages * sysconf(_SC_PAGESIZE),
		       PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int unmap_pages(void *p, size_t pages)
{
	return munmap(p, pages * sysconf(_SC_PAGESIZE)) ? -errno : 0;
}

/* The number of pages that can still be mapped, or -1 on an unexpected errno. */
static int pages_left(void)
{
	void *page[MANY];
	int n, err, fd;

	for (n = 0; n < MANY; n++) {
		fd = open_event();
		page[n] = map_pages(fd, 1);
		err = errno;
		close(fd);
		if (!page[n])
			break;
	}
	if (n < MANY && err != EPERM)
		return -1;
	for (err = 0; err < n; err++)
		unmap_pages(page[err], 1);
	return n;
}

/* 3 pages for each CPU, and none beyond. */
FIXTURE(charge)
{
	long old_kb;
	long old_paranoid;
	int limit;
};

FIXTURE_SETUP(charge)
{
	if (geteuid() != 0)
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(MLOCK_KB, &self->old_kb));
	ASSERT_EQ(0, file_read_long(PARANOID, &self->old_paranoid));
	ASSERT_EQ(0, file_write_long(MLOCK_KB, 3 * page_kb()));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	self->limit = 3 * sysconf(_SC_NPROCESSORS_ONLN);
	if (self->limit + 10 > MANY)
		SKIP(return, "too many CPUs");
	ASSERT_EQ(0, set_memlock(0));
}

/* A failed ASSERT ends the test's process, which may be another user. */
FIXTURE_TEARDOWN_PARENT(charge)
{
	become(0);
	file_write_long(MLOCK_KB, self->old_kb);
	file_write_long(PARANOID, self->old_paranoid);
}

TEST_F(charge, limit_of_user)
{
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit, pages_left());
	EXPECT_EQ(0, pinned());
	EXPECT_EQ(0, status_pages("VmLck:"));
	EXPECT_EQ(self->limit, pages_left());
}

TEST_F(charge, limit_counts_whole_pages)
{
	int cpus = self->limit / 3, kb;

	for (kb = 0; kb < 4 * page_kb(); kb++) {
		ASSERT_EQ(0, become(0));
		ASSERT_EQ(0, file_write_long(MLOCK_KB, kb));
		ASSERT_EQ(0, become(USER));
		EXPECT_EQ(kb / page_kb() * cpus, pages_left());
	}
}

TEST_F(charge, no_limit)
{
	ASSERT_EQ(0, file_write_long(MLOCK_KB, -1));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(MANY, pages_left());
	EXPECT_EQ(0, perf_try_pages(open_event(), 1025));
	EXPECT_EQ(0, pinned());
}

TEST_F(charge, size)
{
	int fd, n;
	void *p;

	ASSERT_EQ(0, become(USER));
	for (n = 0; n < 2 * self->limit; n = n ? 2 * n : 1) {
		fd = open_event();
		p = map_pages(fd, 1 + n);
		EXPECT_EQ(1 + n <= self->limit, !!p);
		EXPECT_EQ(self->limit - (p ? 1 + n : 0), pages_left());
		if (p)
			unmap_pages(p, 1 + n);
		close(fd);
	}
	EXPECT_EQ(self->limit, pages_left());
}

/* Beyond the user's limit each process has its own limit. */
TEST_F(charge, beyond_by_rlimit)
{
	int fd = -1, i;

	ASSERT_EQ(0, set_memlock(5 * sysconf(_SC_PAGESIZE) + 100));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit + 5, pages_left());
	EXPECT_EQ(0, pinned());
	for (i = 0; i < self->limit + 5; i++) {
		fd = open_event();
		ASSERT_NE(NULL, map_pages(fd, 1));
		EXPECT_EQ(i < self->limit ? 0 : i + 1 - self->limit, pinned());
	}
	EXPECT_EQ(0, status_pages("VmLck:"));
	EXPECT_EQ(0, pages_left());
}

/* One buffer that exceeds the limit with a part of its pages. */
TEST_F(charge, beyond_in_part)
{
	int n = 2, over;
	void *p;

	while (1 + n <= self->limit)
		n *= 2;
	over = 1 + n - self->limit;
	ASSERT_EQ(0, set_memlock_pages(over - 1));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(-EPERM, perf_try_pages(open_event(), 1 + n));
	EXPECT_EQ(0, pinned());
	EXPECT_EQ(self->limit + over - 1, pages_left());
	ASSERT_EQ(0, set_memlock_pages(over));
	p = map_pages(open_event(), 1 + n);
	ASSERT_NE(NULL, p);
	EXPECT_EQ(over, pinned());
	EXPECT_EQ(0, pages_left());
	EXPECT_EQ(0, unmap_pages(p, 1 + n));
	EXPECT_EQ(0, pinned());
	EXPECT_EQ(self->limit + over, pages_left());
}

/* mlock() is limited separately. */
TEST_F(charge, locked_memory_apart)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = map_fresh_pages(4);

	ASSERT_EQ(0, set_memlock_pages(4));
	ASSERT_EQ(0, become(USER));
	ASSERT_EQ(0, mlock(p, 4 * page));
	EXPECT_EQ(4, status_pages("VmLck:"));
	EXPECT_EQ(self->limit + 4, pages_left());
	EXPECT_EQ(4, status_pages("VmLck:"));
	EXPECT_EQ(0, pinned());
}

/* Mappings are charged, events are not. */
TEST_F(charge, until_last_unmap)
{
	void *first, *second;
	int fd;

	ASSERT_EQ(0, become(USER));
	fd = open_event();
	first = map_pages(fd, 3);
	ASSERT_NE(NULL, first);
	EXPECT_EQ(self->limit - 3, pages_left());
	second = map_pages(fd, 3);
	ASSERT_NE(NULL, second);
	EXPECT_EQ(self->limit - 3, pages_left());
	EXPECT_EQ(0, unmap_pages(first, 3));
	EXPECT_EQ(self->limit - 3, pages_left());
	close(fd);
	EXPECT_EQ(self->limit - 3, pages_left());
	EXPECT_EQ(0, unmap_pages(second, 3));
	EXPECT_EQ(self->limit, pages_left());
}

/* The buffer of one event, mapped through another event. */
TEST_F(charge, redirected)
{
	void *first, *second;
	int fd, other;

	ASSERT_EQ(0, become(USER));
	fd = open_event();
	other = open_event();
	first = map_pages(fd, 3);
	ASSERT_NE(NULL, first);
	EXPECT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	EXPECT_EQ(self->limit - 3, pages_left());
	second = map_pages(other, 3);
	ASSERT_NE(NULL, second);
	EXPECT_EQ(self->limit - 3, pages_left());
	EXPECT_EQ(0, unmap_pages(first, 3));
	EXPECT_EQ(self->limit - 3, pages_left());
	EXPECT_EQ(0, unmap_pages(second, 3));
	EXPECT_EQ(self->limit, pages_left());
}

/* A refused mapping is not charged. */
TEST_F(charge, refused)
{
	int fd, i;

	ASSERT_EQ(0, become(USER));
	fd = open_event();
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(-EPERM, perf_try_pages(fd, 1025));
		ASSERT_EQ(-EINVAL, perf_try_pages(fd, 4));
		ASSERT_EQ(-EINVAL, perf_try_map(fd, 3, PROT_READ, MAP_PRIVATE,
						0));
	}
	EXPECT_EQ(self->limit, pages_left());
	ASSERT_NE(NULL, map_pages(fd, 3));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(-EINVAL, perf_try_pages(fd, 2));
	EXPECT_EQ(self->limit - 3, pages_left());
	EXPECT_EQ(0, pinned());
}

TEST_F(charge, all_processes_of_user)
{
	struct gate go = gate_new(), done = gate_new();
	pid_t child = fork_child();

	if (child == 0) {
		if (become(USER) || !map_pages(open_event(), 3))
			_exit(1);
		gate_open(&done);
		gate_wait(&go);
		/* The exit unmaps it. */
		_exit(pinned() ? 2 : 0);
	}
	gate_wait_for_child(&done);
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit - 3, pages_left());
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, become(OTHER_USER));
	EXPECT_EQ(self->limit, pages_left());
	gate_open(&go);
	ASSERT_EQ(0, become(0));
	EXPECT_EQ(0, wait_status(child));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit, pages_left());
}

/* The user that mapped it is charged until it is unmapped, also after setuid(). */
TEST_F(charge, user_changes)
{
	void *p;

	ASSERT_EQ(0, become(USER));
	p = map_pages(open_event(), 3);
	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, become(OTHER_USER));
	EXPECT_EQ(self->limit, pages_left());
	EXPECT_EQ(0, unmap_pages(p, 3));
	EXPECT_EQ(self->limit, pages_left());
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit, pages_left());
}

/* Each process that maps a buffer is charged for it, until it unmaps it. */
TEST_F(charge, each_process)
{
	struct gate go = gate_new(), done = gate_new();
	int fd = open_event();
	pid_t child;
	void *p;

	SKIP_STOCK_FAULT(true, "only the first process is charged");
	ASSERT_EQ(0, file_write_long(MLOCK_KB, 0));
	ASSERT_EQ(0, set_memlock_pages(3));
	p = map_pages(fd, 3);
	ASSERT_NE(NULL, p);
	EXPECT_EQ(3, pinned());
	child = fork_child();
	if (child == 0) {
		p = map_pages(fd, 3);
		if (!p || pinned() != 3)
			_exit(1);
		gate_open(&done);
		gate_wait(&go);
		if (pinned() != 3)
			_exit(2);
		unmap_pages(p, 3);
		_exit(pinned() == 0 ? 0 : 3);
	}
	gate_wait_for_child(&done);
	EXPECT_EQ(0, unmap_pages(p, 3));
	EXPECT_EQ(0, pinned());
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(0, pinned());
}

/* Else a process could have any number of buffers that its children create before they exit. */
TEST_F(charge, buffer_of_child)
{
	struct gate go = gate_new(), done = gate_new();
	int fd;
	pid_t child;

	SKIP_STOCK_FAULT(true, "only the first process is charged");
	ASSERT_EQ(0, file_write_long(MLOCK_KB, 0));
	ASSERT_EQ(0, set_memlock_pages(3));
	ASSERT_EQ(0, become(USER));
	fd = open_event();
	ASSERT_LE(0, fd);
	child = fork_child();
	if (child == 0) {
		if (!map_pages(fd, 3))
			_exit(1);
		gate_open(&done);
		gate_wait(&go);
		_exit(0);
	}
	gate_wait_for_child(&done);
	ASSERT_EQ(0, set_memlock_pages(2));
	EXPECT_EQ(-EPERM, perf_try_pages(fd, 3));
	EXPECT_EQ(0, pinned());
	ASSERT_EQ(0, set_memlock_pages(3));
	EXPECT_NE(NULL, map_pages(fd, 3));
	EXPECT_EQ(3, pinned());
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(3, pinned());
	/* A second mapping in the same process is free. */
	EXPECT_NE(NULL, map_pages(fd, 3));
	EXPECT_EQ(3, pinned());
}

/* Two processes that map a new event at the same moment, again and again. */
#define BOTH_ROUNDS	50
#define BOTH_PAGES	513

/**
 * struct both - What the two processes share
 * @arrived: Number of arrivals at the meeting points so far.
 * @err: The errno of the first mapping that was refused.
 * @pinned: Pages that each process has pinned while both have the buffer.
 * @left: Pages that a process has pinned after its mapping.
 */
struct both {
	atomic_int arrived;
	atomic_int err;
	long pinned[2];
	long left;
};

/* Both go on at once. */
static void both_meet(struct both *both, int *meeting)
{
	atomic_fetch_add(&both->arrived, 1);
	*meeting += 2;
	while (atomic_load(&both->arrived) < *meeting)
		;
}

/* Return: 0 if in each round both had the buffer, and were charged for it once. */
static int both_map(struct both *both, int me, const int *fds, long limit)
{
	int i, err = 0, meeting = 0;
	void *p;

	for (i = 0; i < BOTH_ROUNDS; i++) {
		both_meet(both, &meeting);
		p = map_pages(fds[i], BOTH_PAGES);
		if (!p)
			atomic_store(&both->err, errno);
		both->pinned[me] = pinned();
		both_meet(both, &meeting);
		if (both->pinned[0] + both->pinned[1] != 2 * BOTH_PAGES - limit)
			err = 1;
		both_meet(both, &meeting);
		if (p)
			unmap_pages(p, BOTH_PAGES);
		if (pinned())
			both->left = pinned();
	}
	return err;
}

/*
 * The process that comes second has made a buffer for nothing. It must not be charged for that
 * one when it is charged for the buffer of the first.
 */
TEST_F(charge, first_mappings_at_once)
{
	struct both *both = mmap(NULL, sizeof(*both), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i, fds[BOTH_ROUNDS], cpus[2];
	pid_t child;

	SKIP_STOCK_FAULT(true, "only the first process is charged");
	ASSERT_NE(MAP_FAILED, both);
	if (list_cpus(cpus, 2) < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, set_memlock_pages(BOTH_PAGES));
	ASSERT_EQ(0, become(USER));
	for (i = 0; i < BOTH_ROUNDS; i++) {
		fds[i] = open_event();
		ASSERT_LE(0, fds[i]);
	}
	child = fork_child();
	if (child == 0) {
		pin_to_cpu(cpus[1]);
		_exit(both_map(both, 1, fds, self->limit));
	}
	pin_to_cpu(cpus[0]);
	EXPECT_EQ(0, both_map(both, 0, fds, self->limit));
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(0, atomic_load(&both->err));
	EXPECT_EQ(0, both->left);
	ASSERT_EQ(0, set_memlock(0));
	EXPECT_EQ(self->limit, pages_left());
}

TEST_F(charge, by_paranoia)
{
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, file_write_long(PARANOID, 0));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit, pages_left());
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, file_write_long(PARANOID, -1));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(MANY, pages_left());
	/* The mapping is charged nevertheless. */
	ASSERT_NE(NULL, map_pages(open_event(), 257));
	EXPECT_EQ(257 - self->limit, pinned());
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(0, pages_left());
}

static int set_cap(int cap)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(__NR_capget, &header, data))
		return -errno;
	data[0].effective = cap >= 0 ? 1U << cap : 0;
	data[1].effective = 0;
	return syscall(__NR_capset, &header, data) ? -errno : 0;
}

TEST_F(charge, by_capability)
{
	void *p;

	ASSERT_EQ(0, become(USER));
	ASSERT_EQ(0, set_cap(CAP_SYS_ADMIN));
	EXPECT_EQ(self->limit, pages_left());
	ASSERT_EQ(0, set_cap(CAP_IPC_LOCK));
	EXPECT_EQ(MANY, pages_left());
	p = map_pages(open_event(), 257);
	ASSERT_NE(NULL, p);
	EXPECT_EQ(257 - self->limit, pinned());
	ASSERT_EQ(0, set_cap(-1));
	EXPECT_EQ(0, pages_left());
	EXPECT_EQ(0, unmap_pages(p, 257));
	EXPECT_EQ(0, pinned());
	EXPECT_EQ(self->limit, pages_left());
}

/* A lower limit does not affect existing mappings. */
TEST_F(charge, limit_lowered)
{
	void *p;

	ASSERT_EQ(0, become(USER));
	p = map_pages(open_event(), 3);
	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, file_write_long(MLOCK_KB, 0));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(0, pages_left());
	EXPECT_EQ(0, unmap_pages(p, 3));
	EXPECT_EQ(0, pinned());
	EXPECT_EQ(0, pages_left());
	ASSERT_EQ(0, become(0));
	ASSERT_EQ(0, file_write_long(MLOCK_KB, 3 * page_kb()));
	ASSERT_EQ(0, become(USER));
	EXPECT_EQ(self->limit, pages_left());
}

TEST_HARNESS_MAIN
