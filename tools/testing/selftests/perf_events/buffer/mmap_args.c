// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the buffer of an event: which sizes, flags, offsets and events are accepted.
 * Access, changes and lifetime of a mapping are in mmap_life.c, the control page is in
 * mmap_page.c, limits are in mmap_lock.c.
 */
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define RW	(PROT_READ | PROT_WRITE)

static struct perf_event_attr faults(void)
{
	return PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
		       .sample_type = PERF_SAMPLE_ADDR);
}

FIXTURE(mapped)
{
	int fd;
	struct perf_buf buf;
};

FIXTURE_SETUP(mapped)
{
	self->fd = perf_open_self(faults());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 8));
}

FIXTURE_TEARDOWN(mapped)
{
}

/* Sizes, flags and offsets */

TEST(sizes)
{
	int fd = perf_open_self(faults()), n;
	bool good;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 0));
	for (n = 1; n < 70; n++) {
		good = ((n - 1) & (n - 2)) == 0 || n == 1;
		EXPECT_EQ(good ? 0 : -EINVAL, perf_try_pages(fd, n)) {
			TH_LOG("%d pages", n);
		}
	}
	EXPECT_EQ(0, perf_try_pages(fd, 257));
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 256));
}

/* The rest of the last page is mapped, too. */
TEST(sizes_in_bytes)
{
	int fd = perf_open_self(faults());

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_try_map(fd, 1, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, perf_try_map(fd, page_size + 1, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, perf_try_map(fd, 3 * page_size - 5, RW, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, perf_try_map(fd, 3 * page_size + 5, RW,
					MAP_SHARED, 0));
}

/* More than any machine has: refused at once, and nothing stays charged. */
TEST(sizes_beyond_memory)
{
	int fd = perf_open_self(faults()), ret, shift;
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	for (shift = 28; shift < 46; shift++) {
		ret = perf_try_pages(fd, (1UL << shift) + 1);
		SKIP_STOCK_FAULT(ret == 0,
				 "2^32 data pages are taken for none");
		EXPECT_EQ(-ENOMEM, ret) {
			TH_LOG("1 + 2^%d pages", shift);
		}
	}
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, (1UL << 32) + 2));
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, (1UL << 32) + 4));
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 4));
	EXPECT_TRUE(perf_buf_works(&buf, fd));
}

TEST(flags)
{
	int fd = perf_open_self(faults());
	size_t len = 3 * page_size;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_try_map(fd, len, RW, MAP_SHARED, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, RW, MAP_SHARED_VALIDATE, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, RW, MAP_SHARED | MAP_POPULATE, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, RW, MAP_SHARED | MAP_LOCKED, 0));
	EXPECT_EQ(-EINVAL, perf_try_map(fd, len, RW, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, perf_try_map(fd, len, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(-EINVAL, perf_try_map(fd, page_size, PROT_READ,
					MAP_PRIVATE, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(0, perf_try_map(fd, len, PROT_NONE, MAP_SHARED, 0));
}

/*
 * Whether an offset behind the buffer is refused. mmap() of riscv takes it for a signed number,
 * and refuses a negative one before the event's own check.
 */
static bool is_refused(int ret, off_t offset)
{
#ifdef __riscv
	if (offset < 0)
		return ret == -EOVERFLOW;
#endif
	return ret == -EINVAL;
}

/* Without an AUX area no offset behind the buffer is valid. */
static void check_offsets(struct __test_metadata *_metadata, int fd)
{
	static const __u64 bytes[] = {
		1ULL << 31, 1ULL << 32, 1ULL << 43, 1ULL << 44, 1ULL << 62,
		1ULL << 63,
	};
	off_t offset;
	size_t i, n;
	int ret;

	for (n = 1; n < 6; n++) {
		for (i = 1; i < 12; i++) {
			ret = perf_try_map(fd, n * page_size, RW, MAP_SHARED,
					   i * page_size);
			EXPECT_EQ(-EINVAL, ret);
		}
		for (i = 0; i < sizeof(bytes) / sizeof(*bytes); i++) {
			offset = bytes[i];
			ret = perf_try_map(fd, n * page_size, RW, MAP_SHARED,
					   offset);
			EXPECT_TRUE(is_refused(ret, offset));
			ret = perf_try_map(fd, n * page_size, RW, MAP_SHARED,
					   offset - page_size);
			EXPECT_EQ(-EINVAL, ret);
		}
	}
	ret = perf_try_map(fd, page_size, RW, MAP_SHARED, -page_size);
	EXPECT_EQ(-EOVERFLOW, ret);
}

TEST(offsets)
{
	int fd = perf_open_self(faults());

	ASSERT_LE(0, fd);
	check_offsets(_metadata, fd);
	EXPECT_EQ(0, perf_try_pages(fd, 3));
}

TEST_F(mapped, offsets_behind_buffer)
{
	check_offsets(_metadata, self->fd);
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
}

/*
 * The program writes the offset and the size of the AUX area into the control page.
 * Each mistake in them is reported before the fact that the PMU has no area.
 */
TEST_F(mapped, aux_of_software_event)
{
	const size_t end = 9, two_gib = (1UL << 31) / page_size;
	const struct {
		size_t offset, size, map_offset, map_size;
		int ret;
	} rows[] = {
		{ end, 4, end, 4, -EOPNOTSUPP },
		{ 16, 1, 16, 1, -EOPNOTSUPP },
		{ two_gib, 4, two_gib, 4, -EOPNOTSUPP },
		{ 2 * two_gib, 4, 2 * two_gib, 4, -EOPNOTSUPP },
		{ end, 4, end, 2, -EINVAL },
		{ end, 4, end, 8, -EINVAL },
		{ end, 4, 16, 4, -EINVAL },
		{ end, 3, end, 3, -EINVAL },
		{ end - 1, 4, end - 1, 4, -EINVAL },
		{ 1, 4, 1, 4, -EINVAL },
		{ -end, 4, end, 4, -EINVAL },
		{ end, -4UL, end, 4, -EINVAL },
	};
	size_t i;
	int ret;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		self->buf.meta->aux_offset = rows[i].offset * page_size;
		self->buf.meta->aux_size = rows[i].size * page_size;
		ret = perf_try_map(self->fd, rows[i].map_size * page_size, RW,
				   MAP_SHARED, rows[i].map_offset * page_size);
		EXPECT_EQ(rows[i].ret, ret) {
			TH_LOG("row %zu", i);
		}
	}
	/* Off by one byte. */
	self->buf.meta->aux_offset = end * page_size + 1;
	self->buf.meta->aux_size = 4 * page_size;
	ret = perf_try_map(self->fd, 4 * page_size, RW, MAP_SHARED,
			   end * page_size);
	EXPECT_EQ(-EINVAL, ret);
	self->buf.meta->aux_offset = end * page_size;
	self->buf.meta->aux_size = 4 * page_size + 1;
	ret = perf_try_map(self->fd, 4 * page_size, RW, MAP_SHARED,
			   end * page_size);
	EXPECT_EQ(-EINVAL, ret);
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
}

/* Events */

TEST(kinds_of_event)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	EXPECT_EQ(0, perf_try_pages(fd, 3));
	fd = perf_open_self(PERF_SW(DUMMY, .write_backward = 1));
	EXPECT_EQ(0, perf_try_pages(fd, 3));
	fd = perf_open(PERF_SW(DUMMY), -1, nth_cpu(0), -1);
	EXPECT_EQ(0, perf_try_pages(fd, 3));
	fd = perf_open(PERF_SW(DUMMY), 0, nth_cpu(0), -1);
	EXPECT_EQ(0, perf_try_pages(fd, 3));
}

/* Each child would write from its own CPU. So the event must be of one CPU. */
TEST(inherit)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1);
	int fd = perf_open_self(attr);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 1));
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 3));
	EXPECT_EQ(-EINVAL, perf_try_map(fd, 3 * page_size, PROT_READ,
					MAP_SHARED, 0));
	fd = perf_open(attr, 0, nth_cpu(0), -1);
	EXPECT_EQ(0, perf_try_pages(fd, 1));
	EXPECT_EQ(0, perf_try_pages(fd, 3));
	fd = perf_open(attr, -1, nth_cpu(0), -1);
	EXPECT_EQ(0, perf_try_pages(fd, 3));
}

TEST(task_has_exited)
{
	struct gate go = gate_new();
	pid_t child = fork_child();
	struct perf_buf buf;
	int fd, mapped;

	if (child == 0) {
		gate_wait(&go);
		fault_pages(5);
		_exit(0);
	}
	fd = perf_open(PERF_SW(DUMMY), child, -1, -1);
	mapped = perf_open(PERF_SW(PAGE_FAULTS, .sample_period = 1), child, -1,
			   -1);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, mapped);
	ASSERT_EQ(0, perf_buf_map(&buf, mapped, 4));
	gate_open(&go);
	ASSERT_EQ(0, wait_status(child));
	/* The records are there, and more mappings are possible. */
	EXPECT_LE(5, perf_buf_count(&buf));
	EXPECT_EQ(0, perf_try_pages(mapped, 5));
	EXPECT_EQ(-EINVAL, perf_try_pages(mapped, 3));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(0, perf_try_pages(mapped, 3));
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 4));
	EXPECT_EQ(0, perf_try_pages(fd, 3));
}

/* Several mappings */

TEST_F(mapped, second_of_same_event)
{
	struct perf_buf second;
	int n;

	for (n = 1; n < 20; n++) {
		EXPECT_EQ(n == 9 ? 0 : -EINVAL, perf_try_pages(self->fd, n)) {
			TH_LOG("%d pages", n);
		}
	}
	EXPECT_EQ(0, perf_try_map(self->fd, 9 * page_size, PROT_READ,
				  MAP_SHARED, 0));
	ASSERT_EQ(0, perf_buf_map(&second, self->fd, 8));
	EXPECT_TRUE(perf_buf_works(&second, self->fd));
	/* Both mappings are of one buffer: a tail written to one is seen in the other. */
	self->buf.meta->data_tail = 24;
	EXPECT_EQ(24, second.meta->data_tail);
	EXPECT_EQ(self->buf.meta->data_head, second.meta->data_head);
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_TRUE(perf_buf_works(&second, self->fd));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 5));
	EXPECT_EQ(0, perf_buf_unmap(&second));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

TEST_F(mapped, again_with_other_size)
{
	struct perf_buf again;
	int n;

	perf_fault(self->fd, 2);
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	for (n = 1; n < 64; n *= 2) {
		ASSERT_EQ(0, perf_buf_map(&again, self->fd, n));
		/* A new buffer, empty. */
		EXPECT_EQ(0, perf_buf_head(&again));
		EXPECT_EQ(n * page_size, again.meta->data_size);
		EXPECT_TRUE(perf_buf_works(&again, self->fd));
		EXPECT_EQ(0, perf_buf_unmap(&again));
	}
}

TEST_HARNESS_MAIN
