// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults of buffers, AUX areas and address filters, each named after its
 * CVE or after what went wrong. A reference or a charge that was kept is seen from outside:
 * the user's memory is used up, a file system cannot be unmounted.
 *
 * buffer_race.c has those that need mappings at the same time.
 */
#include <sys/mount.h>

#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"

#define DATA_PAGES	8
#define AREA_PAGES	1024UL
#define TRACE_TYPE	"/sys/bus/event_source/devices/fake_trace/type"
#define TRACE_FILES	FAKE_DEBUGFS "/fake_trace"

/* PMU capabilities of a trace source that several events can use, in the kernel's numbers. */
#define CAP_NO_EXCLUDE	0x0040
#define CAP_USUAL	0x0270

/* E. Buffer, AUX area, references */

/* Returns 0, or the number of the step that failed. */
static int split_as_user(void)
{
	struct rlimit none = { 0, 0 };
	struct perf_buf buf;
	char *p;
	int fd, i;

	if (setrlimit(RLIMIT_MEMLOCK, &none) || user_become(USER_OTHER, 0))
		return 1;
	fd = perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
	if (fd < 0)
		return 2;
	/* Each round needs half of what a user may have on one CPU. */
	for (i = 0; i < 100; i++) {
		if (perf_buf_map(&buf, fd, 64))
			return 3;
		p = (char *)buf.meta;
		if (!munmap(p + 4 * page_size, page_size) || !munmap(p, page_size) ||
		    !munmap(p + 64 * page_size, page_size))
			return 4;
		if (mremap(p, 65 * page_size, 32 * page_size, 0) != MAP_FAILED)
			return 5;
		if (!mprotect(p + page_size, page_size, PROT_NONE))
			return 6;
		if (perf_buf_unmap(&buf))
			return 7;
	}
	return 0;
}

/*
 * A part of a mapping was unmapped, and the buffer's references and charged pages remained.
 * Fails if perf_data_vma_ops has no perf_vma_may_split().
 */
TEST(cve_2025_38563_split_mapping)
{
	long paranoid;
	pid_t child;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(PARANOID, &paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	child = fork_child();
	if (child == 0)
		_exit(split_as_user());
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(0, file_write_long(PARANOID, paranoid));
}

static struct perf_event_attr trace_attr(void)
{
	long type = -1;

	file_read_long(TRACE_TYPE, &type);
	return PERF_ATTR(type, 0, .disabled = 1);
}

static int trace_set(const char *what, unsigned long value)
{
	return folder_write_long(TRACE_FILES, what, value);
}

static void *map_area(int fd, struct perf_buf *buf, size_t pages)
{
	aux_announce(buf, pages);
	return mmap(NULL, pages * page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    buf->length);
}

/* Pages charged to the process beyond the user's limit while the area is mapped. */
static long pinned_by_area(int fd, struct perf_buf *buf)
{
	void *area = map_area(fd, buf, AREA_PAGES);
	long pinned;

	if (area == MAP_FAILED)
		return -errno;
	pinned = perf_pinned_kb();
	munmap(area, AREA_PAGES * page_size);
	return pinned;
}

#define AREA_WORKERS	3
#define AREA_ROUNDS	200
/* Long enough to allocate that another CPU runs meanwhile. */
#define RACE_PAGES	256UL

/* Map and unmap the area of a buffer by way of one of the events that share it. */
static int map_areas(int fd, int owner, struct perf_buf *buf)
{
	void *area;
	int i;

	for (i = 0; i < AREA_ROUNDS; i++) {
		area = mmap(NULL, RACE_PAGES * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, buf->length);
		/* The area is being freed. */
		if (area == MAP_FAILED && errno == EBUSY)
			continue;
		/* The last unmap has detached the event from the buffer of the other one. */
		if (area == MAP_FAILED && errno == EINVAL && fd != owner) {
			if (perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, owner))
				return 3;
			continue;
		}
		if (area == MAP_FAILED)
			return 1;
		(void)*(volatile char *)(area + (RACE_PAGES - 1) * page_size);
		if (munmap(area, RACE_PAGES * page_size))
			return 2;
	}
	return 0;
}

/*
 * Two events that write to one buffer create its AUX area at the same time: each had a lock
 * of its own. One area and its pages were lost.
 * Fails if perf_aux_map() does not hold aux_mutex.
 */
TEST(cve_2024_46713_aux_of_a_shared_buffer)
{
	struct perf_buf buf;
	int fd[2], i, cpu = nth_cpu(0);
	long before;

	SKIP_WITHOUT_FAKE();
	ASSERT_EQ(0, trace_set("capabilities", CAP_NO_EXCLUDE));
	ASSERT_EQ(0, trace_set("max_pages", AREA_PAGES));
	fd[0] = perf_open(trace_attr(), -1, cpu, -1);
	fd[1] = perf_open(trace_attr(), -1, cpu, -1);
	EXPECT_LE(0, fd[0]);
	EXPECT_LE(0, fd[1]);
	ASSERT_EQ(0, perf_buf_map(&buf, fd[0], DATA_PAGES));
	EXPECT_EQ(0, perf_ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, fd[0]));
	before = pinned_by_area(fd[0], &buf);
	EXPECT_LT(0, before);
	buf.meta->aux_size = RACE_PAGES * page_size;
	for (i = 0; i < AREA_WORKERS; i++) {
		if (fork_child() == 0) {
			pin_to_cpu(nth_cpu(i));
			_exit(map_areas(fd[i & 1], fd[0], &buf));
		}
	}
	for (i = 0; i < AREA_WORKERS; i++)
		EXPECT_EQ(0, wait_status(-1));
	EXPECT_EQ(before, pinned_by_area(fd[0], &buf));
	EXPECT_EQ(0, perf_ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, fd[0]));
	EXPECT_EQ(before, pinned_by_area(fd[1], &buf));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	close(fd[0]);
	close(fd[1]);
	EXPECT_EQ(0, trace_set("capabilities", CAP_USUAL));
}

/* H. Leaks */

#define FILTER_DIR	"/tmp/perf_test_filters"
#define FILTER_FILE	FILTER_DIR "/file"

/*
 * A filter of addresses that was refused kept its reference on the file.
 * Fails if perf_filter_free_list() does not call path_put().
 */
TEST(cve_2020_25704_refused_filter_keeps_file)
{
	static const char *const refused[] = {
		"filter 0x10/0x20@" FILTER_FILE ",nonsense",
		"filter 0x10/0x20@" FILTER_FILE ",filter 0/0@" FILTER_FILE,
		"start 0x10@" FILTER_FILE ",start 1@/nothing/there",
	};
	size_t i;
	int fd;

	SKIP_WITHOUT_FAKE();
	ASSERT_EQ(0, trace_set("capabilities", CAP_USUAL));
	ASSERT_EQ(0, mkdir(FILTER_DIR, 0700));
	ASSERT_EQ(0, mount("tmpfs", FILTER_DIR, "tmpfs", 0, NULL));
	ASSERT_LE(0, close(creat(FILTER_FILE, 0700)));
	fd = perf_open_self(trace_attr());
	EXPECT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_GT(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
					(unsigned long)refused[i])) {
			TH_LOG("row %zu", i);
		}
	}
	/* Accepted, replaced, and freed with the event. */
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)
					"filter 0x10/0x20@" FILTER_FILE));
	close(fd);
	/* The event's memory is freed a grace period later. */
	EXPECT_TRUE(COMES_TRUE(!umount(FILTER_DIR)));
	umount2(FILTER_DIR, MNT_DETACH);
	EXPECT_EQ(0, rmdir(FILTER_DIR));
}

TEST_HARNESS_MAIN
