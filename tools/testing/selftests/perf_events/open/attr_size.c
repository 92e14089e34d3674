// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): how struct perf_event_attr is copied from a program that
 * was built for an older or a newer kernel, and from bad memory.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define ATTR_SIZE	sizeof(struct perf_event_attr)

/* An attribute at the end of a page. The next page is not mapped. */
static void *attr_before_hole(size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(95);
	munmap(p + 2 * page, page);
	return p + 2 * page - size;
}

/* Open with a buffer of len bytes and attr.size = size. */
static int try_sized(size_t len, __u32 size, int poison_at, __u32 *size_after)
{
	char *buf = attr_before_hole(len);
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int fd;

	attr.size = size;
	memset(buf, 0, len);
	memcpy(buf, &attr, len < ATTR_SIZE ? len : ATTR_SIZE);
	if (poison_at >= 0)
		buf[poison_at] = 1;
	fd = perf_raw_open(buf, 0, -1, -1, 0);
	memcpy(size_after, buf + offsetof(struct perf_event_attr, size),
	       sizeof(*size_after));
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

TEST(size_published)
{
	static const __u32 sizes[] = {
		PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2,
		PERF_ATTR_SIZE_VER3, PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5,
		PERF_ATTR_SIZE_VER6, PERF_ATTR_SIZE_VER7, PERF_ATTR_SIZE_VER8,
	};
	size_t i;
	__u32 after;

	EXPECT_EQ(PERF_ATTR_SIZE_VER8, ATTR_SIZE);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(0, try_sized(sizes[i], sizes[i], -1, &after)) {
			TH_LOG("size %u", sizes[i]);
		}
		EXPECT_EQ(sizes[i], after);
	}
}

TEST(size_unpublished_between)
{
	__u32 size, after;

	for (size = PERF_ATTR_SIZE_VER0; size <= PERF_ATTR_SIZE_VER8; size++) {
		EXPECT_EQ(0, try_sized(size, size, -1, &after)) {
			TH_LOG("size %u", size);
		}
	}
}

/* The kernel reads only the first 64 bytes. The next page is not mapped. */
TEST(size_zero_is_first_version)
{
	__u32 after;

	EXPECT_EQ(0, try_sized(PERF_ATTR_SIZE_VER0, 0, -1, &after));
	EXPECT_EQ(0, after);
}

TEST(size_too_small)
{
	__u32 size, after;

	for (size = 1; size < PERF_ATTR_SIZE_VER0; size++) {
		EXPECT_EQ(-E2BIG, try_sized(ATTR_SIZE, size, -1, &after)) {
			TH_LOG("size %u", size);
		}
		EXPECT_EQ(ATTR_SIZE, after);
	}
}

TEST(size_larger_with_zero_tail)
{
	static const __u32 sizes[] = { 137, 140, 144, 200, 1024, 4095, 4096 };
	size_t i;
	__u32 after;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(0, try_sized(sizes[i], sizes[i], -1, &after)) {
			TH_LOG("size %u", sizes[i]);
		}
		EXPECT_EQ(sizes[i], after);
	}
}

TEST(size_larger_with_nonzero_tail)
{
	static const __u32 sizes[] = { 137, 140, 144, 200, 1024, 4096 };
	size_t i;
	__u32 after;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-E2BIG, try_sized(sizes[i], sizes[i], ATTR_SIZE,
					    &after)) {
			TH_LOG("size %u, first unknown byte", sizes[i]);
		}
		EXPECT_EQ(ATTR_SIZE, after);
		EXPECT_EQ(-E2BIG, try_sized(sizes[i], sizes[i], sizes[i] - 1,
					    &after)) {
			TH_LOG("size %u, last byte", sizes[i]);
		}
		EXPECT_EQ(ATTR_SIZE, after);
	}
}

TEST(size_larger_than_a_page)
{
	__u32 page = sysconf(_SC_PAGESIZE);
	const __u32 sizes[] = { page + 1, 2 * page, 1U << 31, ~0U };
	size_t i;
	__u32 after;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-E2BIG, try_sized(ATTR_SIZE, sizes[i], -1, &after)) {
			TH_LOG("size %u", sizes[i]);
		}
		EXPECT_EQ(ATTR_SIZE, after);
	}
}

TEST(size_refused_leaves_rest_alone)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	struct perf_event_attr copy;

	attr.size = 8;
	attr.config = 0x1122334455667788ULL;
	attr.config3 = 0x99aabbccddeeff00ULL;
	copy = attr;
	copy.size = ATTR_SIZE;
	EXPECT_EQ(-E2BIG, perf_raw_open(&attr, 0, -1, -1, 0));
	EXPECT_EQ(0, memcmp(&attr, &copy, sizeof(attr)));
}

/* The size cannot be written back to a read-only page: still E2BIG. */
TEST(size_refused_read_only)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr *attr = attr_before_hole(page);

	attr->size = 1;
	ASSERT_EQ(0, mprotect(attr, page, PROT_READ));
	EXPECT_EQ(-E2BIG, perf_raw_open(attr, 0, -1, -1, 0));
	EXPECT_EQ(1, attr->size);
}

TEST(accepted_attr_not_written)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr *attr = attr_before_hole(page);

	*attr = PERF_SW(DUMMY);
	ASSERT_EQ(0, mprotect(attr, page, PROT_READ));
	EXPECT_LE(0, perf_raw_open(attr, 0, -1, -1, 0));
}

TEST(fields_past_size_are_zero)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);

	/* Each of these attributes is refused at full size. */
	attr.sample_type = PERF_SAMPLE_STACK_USER;
	attr.sample_stack_user = 4;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	attr.size = PERF_ATTR_SIZE_VER2;
	EXPECT_EQ(0, perf_try_self(attr));

	attr = PERF_SW(DUMMY, .__reserved_2 = 1);
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	attr.size = PERF_ATTR_SIZE_VER4;
	EXPECT_EQ(0, perf_try_self(attr));
}

TEST(pointer_bad)
{
	char *edge = attr_before_hole(PERF_ATTR_SIZE_VER0 - 1);
	struct perf_event_attr *whole = attr_before_hole(PERF_ATTR_SIZE_VER0);

	EXPECT_EQ(-EFAULT, perf_raw_open(NULL, 0, -1, -1, 0));
	EXPECT_EQ(-EFAULT, perf_raw_open((void *)-4096L, 0, -1, -1, 0));

	memset(edge, 0, PERF_ATTR_SIZE_VER0 - 1);
	EXPECT_EQ(-EFAULT, perf_raw_open(edge, 0, -1, -1, 0));

	/* The size says more than is mapped. */
	whole->type = PERF_TYPE_SOFTWARE;
	whole->config = PERF_COUNT_SW_DUMMY;
	whole->size = PERF_ATTR_SIZE_VER1;
	EXPECT_EQ(-EFAULT, perf_raw_open(whole, 0, -1, -1, 0));
	whole->size = 4096;
	EXPECT_EQ(-EFAULT, perf_raw_open(whole, 0, -1, -1, 0));
}

TEST(pointer_unaligned)
{
	char buf[ATTR_SIZE + 8];
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int i;

	for (i = 1; i < 8; i++) {
		memcpy(buf + i, &attr, sizeof(attr));
		EXPECT_LE(0, perf_raw_open(buf + i, 0, -1, -1, 0));
	}
}

TEST_HARNESS_MAIN
