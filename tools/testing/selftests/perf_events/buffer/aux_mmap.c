// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas, as far as a machine without a trace source can show them. Offset, size and
 * rights are checked before the kernel finds that the PMU has no AUX area, and a
 * refusal has no side effects.
 */
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define DATA_PAGES	8
#define FIRST		(1 + DATA_PAGES)	/* page behind the data */
#define PAGES		4

/* Map and unmap. Returns 0 or a negative errno. */
static int try_mmap(int fd, long page, long pages, int prot, int flags)
{
	void *p = mmap(NULL, pages * page_size, prot, flags, fd,
		       page * page_size);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, pages * page_size);
	return 0;
}

/* The control page's aux_offset and aux_size, the mapping, and its result. */
static const struct aux_row {
	int want;
	long offset, size;
	long page, pages;
	int prot, flags;
	const char *name;
} rows[] = {
	{ -EOPNOTSUPP, FIRST, PAGES, FIRST, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "sound" },
	{ -EOPNOTSUPP, FIRST, PAGES, FIRST, PAGES, PROT_READ,
	  MAP_SHARED, "to overwrite" },
	{ -EOPNOTSUPP, 100, PAGES, 100, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "further on" },
	{ -EOPNOTSUPP, FIRST, 1, FIRST, 1, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "one page" },
	{ -EOPNOTSUPP, 16, 1L << 30, 16, 1L << 30, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "4 TiB" },
	{ -EINVAL, FIRST, PAGES, FIRST, PAGES, PROT_READ | PROT_WRITE,
	  MAP_PRIVATE, "private" },
	{ -EINVAL, 0, 0, FIRST, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "not announced" },
	{ -EINVAL, DATA_PAGES, PAGES, DATA_PAGES, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "within the data" },
	{ -EINVAL, 1, PAGES, 1, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "all within the data" },
	{ -EINVAL, 16, PAGES, FIRST, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "another offset" },
	{ -EINVAL, FIRST, 2 * PAGES, FIRST, PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "half of it" },
	{ -EINVAL, FIRST, PAGES, FIRST, 2 * PAGES, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "twice of it" },
	{ -EINVAL, FIRST, 3, FIRST, 3, PROT_READ | PROT_WRITE,
	  MAP_SHARED, "three pages" },
};

static int try_row(int fd, struct perf_event_mmap_page *meta,
		   const struct aux_row *row)
{
	meta->aux_offset = row->offset * page_size;
	meta->aux_size = row->size * page_size;
	return try_mmap(fd, row->page, row->pages, row->prot, row->flags);
}

TEST(geometry)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;
	size_t i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		EXPECT_ROW(rows[i].want, try_row(fd, buf.meta, &rows[i]),
			   rows[i].name);

	buf.meta->aux_offset = FIRST * page_size + 1;
	buf.meta->aux_size = PAGES * page_size;
	EXPECT_EQ(-EINVAL, try_mmap(fd, FIRST, PAGES, PROT_READ, MAP_SHARED));
	buf.meta->aux_offset = FIRST * page_size;
	buf.meta->aux_size = PAGES * page_size - 1;
	EXPECT_EQ(-EINVAL, try_mmap(fd, FIRST, PAGES, PROT_READ, MAP_SHARED));
}

TEST(needs_the_buffer_first)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, try_mmap(fd, FIRST, PAGES, PROT_READ, MAP_SHARED));
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	EXPECT_EQ(-EOPNOTSUPP, try_row(fd, buf.meta, &rows[0]));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(-EINVAL, try_mmap(fd, FIRST, PAGES, PROT_READ, MAP_SHARED));
}

TEST(buffer_without_data)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	buf.meta->aux_offset = page_size;
	buf.meta->aux_size = page_size;
	EXPECT_EQ(-EOPNOTSUPP, try_mmap(fd, 1, 1, PROT_READ, MAP_SHARED));
}

/* An event that writes to another event's buffer can map the area through it. */
TEST(shared_buffer)
{
	int owner = perf_open_self(PERF_SW(DUMMY));
	int guest = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;

	ASSERT_LE(0, owner);
	ASSERT_LE(0, guest);
	ASSERT_EQ(0, perf_buf_map(&buf, owner, DATA_PAGES));
	ASSERT_EQ(0, perf_ioctl(guest, PERF_EVENT_IOC_SET_OUTPUT, owner));
	EXPECT_EQ(-EOPNOTSUPP, try_row(guest, buf.meta, &rows[0]));
	/* The event still writes there. */
	EXPECT_EQ(0, perf_ioctl(guest, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, perf_ioctl(guest, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
}

/* Pages charged to the process beyond the user's limit. */
static long pinned_kb(void)
{
	char buf[4096], *p;

	if (file_read("/proc/self/status", buf, sizeof(buf)) < 0)
		return -1;
	p = strstr(buf, "VmPin:");
	return p ? atol(p + sizeof("VmPin:") - 1) : -1;
}

TEST(refused_is_not_charged)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;
	long before;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	before = pinned_kb();
	ASSERT_LE(0, before);
	buf.meta->aux_offset = FIRST * page_size;
	buf.meta->aux_size = 4096 * page_size;
	EXPECT_EQ(-EOPNOTSUPP, try_mmap(fd, FIRST, 4096, PROT_READ | PROT_WRITE,
					MAP_SHARED));
	EXPECT_EQ(before, pinned_kb());
}

/* Returns 0, or the number of the step that failed. */
static int ask_as_user(void)
{
	struct perf_buf buf;
	int fd;

	if (setgid(65534) || setuid(65534))
		return 1;
	fd = perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
	if (fd < 0 || perf_buf_map(&buf, fd, DATA_PAGES))
		return 2;
	buf.meta->aux_offset = FIRST * page_size;
	buf.meta->aux_size = (1L << 24) * page_size;
	if (try_mmap(fd, FIRST, 1L << 24, PROT_READ | PROT_WRITE,
		     MAP_SHARED) != -EPERM)
		return 3;
	if (try_row(fd, buf.meta, &rows[0]) != -EOPNOTSUPP)
		return 4;
	/* A wrong offset is checked first. */
	buf.meta->aux_offset = 0;
	if (try_mmap(fd, FIRST, 1L << 24, PROT_READ | PROT_WRITE,
		     MAP_SHARED) != -EINVAL)
		return 5;
	return 0;
}

/* Beyond the user's limit the result is EPERM, whether the PMU has an AUX area or not. */
TEST(limit_for_users)
{
	long paranoid;
	pid_t pid;

	ASSERT_EQ(0, file_read_long(PARANOID, &paranoid));
	if (file_write_long(PARANOID, 2))
		SKIP(return, "needs root");
	pid = fork_child();
	if (!pid)
		_exit(ask_as_user());
	EXPECT_LT(0, pid);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_EQ(0, file_write_long(PARANOID, paranoid));
}

TEST_HARNESS_MAIN
