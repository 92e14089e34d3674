// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas, as far as a machine without a trace source can show them. Offset, size and
 * rights are checked before the kernel finds that the PMU has no AUX area, and a
 * refusal has no side effects.
 */
#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define DATA_PAGES	8
#define FIRST		(1 + DATA_PAGES)	/* page behind the data */
#define PAGES		4

#define RW	(PROT_READ | PROT_WRITE)

/* The control page's aux_offset and aux_size, the mapping, and its result. */
static const struct aux_row {
	int want;
	long offset, size;
	long page, pages;
	int prot, flags;
	const char *name;
} rows[] = {
	{ -EOPNOTSUPP, FIRST, PAGES, FIRST, PAGES, RW,
	  MAP_SHARED, "sound" },
	{ -EOPNOTSUPP, FIRST, PAGES, FIRST, PAGES, PROT_READ,
	  MAP_SHARED, "to overwrite" },
	{ -EOPNOTSUPP, 100, PAGES, 100, PAGES, RW,
	  MAP_SHARED, "further on" },
	{ -EOPNOTSUPP, FIRST, 1, FIRST, 1, RW,
	  MAP_SHARED, "one page" },
	{ -EOPNOTSUPP, 16, 1L << 30, 16, 1L << 30, RW,
	  MAP_SHARED, "4 TiB" },
	{ -EINVAL, FIRST, PAGES, FIRST, PAGES, RW,
	  MAP_PRIVATE, "private" },
	{ -EINVAL, 0, 0, FIRST, PAGES, RW,
	  MAP_SHARED, "not announced" },
	{ -EINVAL, DATA_PAGES, PAGES, DATA_PAGES, PAGES, RW,
	  MAP_SHARED, "within the data" },
	{ -EINVAL, 1, PAGES, 1, PAGES, RW,
	  MAP_SHARED, "all within the data" },
	{ -EINVAL, 16, PAGES, FIRST, PAGES, RW,
	  MAP_SHARED, "another offset" },
	{ -EINVAL, FIRST, 2 * PAGES, FIRST, PAGES, RW,
	  MAP_SHARED, "half of it" },
	{ -EINVAL, FIRST, PAGES, FIRST, 2 * PAGES, RW,
	  MAP_SHARED, "twice of it" },
	{ -EINVAL, FIRST, 3, FIRST, 3, RW,
	  MAP_SHARED, "three pages" },
};

static int try_row(int fd, struct perf_event_mmap_page *meta,
		   const struct aux_row *row)
{
	meta->aux_offset = row->offset * page_size;
	meta->aux_size = row->size * page_size;
	return perf_try_map(fd, row->pages * page_size, row->prot, row->flags,
			    row->page * page_size);
}

/* Map an area behind the data, whatever the control page has. */
static int try_announced(int fd, long pages)
{
	return perf_try_map(fd, pages * page_size, RW, MAP_SHARED, FIRST * page_size);
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
	EXPECT_EQ(-EINVAL, try_announced(fd, PAGES));
	buf.meta->aux_offset = FIRST * page_size;
	buf.meta->aux_size = PAGES * page_size - 1;
	EXPECT_EQ(-EINVAL, try_announced(fd, PAGES));
}

TEST(needs_the_buffer_first)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, try_announced(fd, PAGES));
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	EXPECT_EQ(-EOPNOTSUPP, aux_try_map(&buf, fd, PAGES, RW));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(-EINVAL, try_announced(fd, PAGES));
}

TEST(buffer_without_data)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	EXPECT_EQ(-EOPNOTSUPP, aux_try_map(&buf, fd, 1, PROT_READ));
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
	EXPECT_EQ(-EOPNOTSUPP, aux_try_map(&buf, guest, PAGES, RW));
	/* The event still writes there. */
	EXPECT_EQ(0, perf_ioctl(guest, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, perf_ioctl(guest, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
}

TEST(refused_is_not_charged)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct perf_buf buf;
	long before;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	before = perf_pinned_kb();
	ASSERT_LE(0, before);
	EXPECT_EQ(-EOPNOTSUPP, aux_try_map(&buf, fd, 4096, RW));
	EXPECT_EQ(before, perf_pinned_kb());
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
	if (aux_try_map(&buf, fd, 1L << 24, RW) != -EPERM)
		return 3;
	if (aux_try_map(&buf, fd, PAGES, RW) != -EOPNOTSUPP)
		return 4;
	/* A wrong offset is checked first. */
	buf.meta->aux_offset = 0;
	if (try_announced(fd, 1L << 24) != -EINVAL)
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
