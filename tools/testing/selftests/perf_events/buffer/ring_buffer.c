// SPDX-License-Identifier: GPL-2.0
/*
 * Records in a buffer: each is written whole or counted as lost, across the end of the
 * buffer and of pages, when there is no room, and when the reader writes a wrong
 * data_tail. Overwriting, backward and paused buffers are in ring_modes.c.
 */
#include <asm/perf_regs.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#if defined(__x86_64__)
#define STACK_POINTER	PERF_REG_X86_SP
#elif defined(__aarch64__)
#define STACK_POINTER	PERF_REG_ARM64_SP
#elif defined(__riscv)
#define STACK_POINTER	PERF_REG_RISCV_SP
#elif defined(__powerpc__)
#define STACK_POINTER	PERF_REG_POWERPC_R1
#elif defined(__s390x__)
#define STACK_POINTER	PERF_REG_S390_R15
#endif

#define ADDRESSES(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

/* header, address, id */
#define RECORD_SIZE	24U

/*
 * A row of fresh pages that are touched one after the other. An address that is missing
 * among the samples was lost.
 */
struct row {
	struct perf_event_attr attr;
	struct perf_buf *buf;
	int fd;
	char *at;
	size_t touched;		/* records, lost or not */
	size_t seen;		/* their records, lost or not */
	size_t sampled;
	size_t lost;
};

static struct row row_new(struct perf_buf *buf, int fd, size_t pages)
{
	struct row row = { .attr = ADDRESSES(), .buf = buf, .fd = fd };

	row.at = map_fresh_pages(pages);
	if (!row.at)
		_exit(99);
	return row;
}

static void row_touch(struct row *row, size_t pages)
{
	perf_enable(row->fd);
	touch_pages(row->at + row->touched * page_size, pages);
	perf_disable(row->fd);
	row->touched += pages;
}

/* Read so many records. Returns false if they are not the expected ones. */
static bool row_read(struct row *row, size_t records)
{
	const struct perf_event_header *header;
	struct perf_rec rec;
	size_t page;

	while (records-- && (header = perf_buf_next(row->buf))) {
		if (header->type == PERF_RECORD_LOST) {
			const struct perf_lost *lost = (const void *)header;

			row->lost += lost->lost;
			row->seen += lost->lost;
			continue;
		}
		if (header->type != PERF_RECORD_SAMPLE ||
		    !perf_rec_parse(&row->attr, header, &rec))
			return false;
		page = (rec.addr - (unsigned long)row->at) / page_size;
		if (page != row->seen)
			return false;
		row->seen++;
		row->sampled++;
	}
	return !row->buf->bad;
}

FIXTURE(ring)
{
	int fd;
	struct perf_buf buf;
	size_t capacity;	/* records */
};

FIXTURE_VARIANT(ring)
{
	size_t pages;
};

FIXTURE_VARIANT_ADD(ring, one_page)
{
	.pages = 1,
};

FIXTURE_VARIANT_ADD(ring, four_pages)
{
	.pages = 4,
};

FIXTURE_VARIANT_ADD(ring, many_pages)
{
	.pages = 16,
};

FIXTURE_SETUP(ring)
{
	self->fd = perf_open_self(ADDRESSES());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, variant->pages));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&self->buf);
	self->capacity = self->buf.size / RECORD_SIZE;
}

FIXTURE_TEARDOWN(ring)
{
}

TEST_F(ring, in_order)
{
	struct row row = row_new(&self->buf, self->fd, 10 * self->capacity);
	size_t i;

	for (i = 0; i < 20; i++) {
		row_touch(&row, self->capacity / 2 - i);
		ASSERT_TRUE(row_read(&row, ~0UL));
		ASSERT_EQ(row.touched, row.sampled);
	}
	EXPECT_EQ(0, row.lost);
	EXPECT_EQ(0, perf_counted(self->fd).lost);
	EXPECT_EQ(row.touched * RECORD_SIZE, perf_buf_head(&self->buf));
	EXPECT_EQ(row.touched, perf_counted(self->fd).value);
}

/* Old records stay, new records are lost. */
TEST_F(ring, never_overwrites)
{
	struct row row = row_new(&self->buf, self->fd, 3 * self->capacity + 1);
	struct perf_count_lost count;
	__u64 head;

	row_touch(&row, 2 * self->capacity);
	count = perf_counted(self->fd);
	EXPECT_EQ(2 * self->capacity, count.value);
	head = perf_buf_head(&self->buf);
	/* All room for whole records is used. */
	EXPECT_LE(head, self->buf.size);
	EXPECT_LT(self->buf.size, head + RECORD_SIZE + 8);
	EXPECT_EQ(count.value - head / RECORD_SIZE, count.lost);
	row_touch(&row, self->capacity);
	EXPECT_EQ(head, perf_buf_head(&self->buf));
	EXPECT_EQ(count.lost + self->capacity, perf_counted(self->fd).lost);
	ASSERT_TRUE(row_read(&row, ~0UL));
	EXPECT_EQ(head / RECORD_SIZE, row.sampled);
	EXPECT_EQ(0, row.lost);
	/* The next record reports the lost ones in between. */
	row_touch(&row, 1);
	ASSERT_TRUE(row_read(&row, ~0UL));
	EXPECT_EQ(head / RECORD_SIZE + 1, row.sampled);
	EXPECT_EQ(row.touched, row.seen);
	EXPECT_EQ(row.lost, perf_counted(self->fd).lost);
}

/* A reader that never keeps up, at every position of the buffer. */
TEST_F(ring, lost_adds_up)
{
	size_t pages = 12 * self->capacity;
	struct row row = row_new(&self->buf, self->fd,
				 pages + self->capacity + 1);
	unsigned int seed = 1;

	while (row.touched < pages) {
		row_touch(&row, rand_r(&seed) % self->capacity);
		ASSERT_TRUE(row_read(&row, rand_r(&seed) %
					   (self->capacity / 2)));
		ASSERT_EQ(row.seen, row.sampled + row.lost);
	}
	ASSERT_TRUE(row_read(&row, ~0UL));
	row_touch(&row, 1);
	ASSERT_TRUE(row_read(&row, ~0UL));
	EXPECT_EQ(row.touched, row.seen);
	EXPECT_NE(0, row.lost);
	EXPECT_EQ(row.touched, perf_counted(self->fd).value);
	EXPECT_EQ(row.lost, perf_counted(self->fd).lost);
}

/* Room for the record, but not for the LOST record before it. */
TEST_F(ring, lost_needs_room)
{
	struct row row = row_new(&self->buf, self->fd, 2 * self->capacity + 20);
	struct perf_count_lost before, after;
	__u64 tail = 0;
	int i;

	row_touch(&row, 2 * self->capacity);
	before = perf_counted(self->fd);
	for (i = 0; i < 10; i++) {
		tail += 8;
		perf_buf_set_tail(&self->buf, tail);
		row_touch(&row, 1);
		after = perf_counted(self->fd);
		if (after.lost == before.lost)
			break;
		ASSERT_EQ(before.lost + 1, after.lost);
		before = after;
	}
	ASSERT_GT(10, i);
	/* The reader has not read these records, so they are unchanged. */
	self->buf.pos = RECORD_SIZE * 3;
	row.seen = 3;
	ASSERT_TRUE(row_read(&row, ~0UL));
	EXPECT_EQ(row.touched, row.seen);
	EXPECT_EQ(after.lost, row.lost);
}

/* Each event counts its own losses. The record in the buffer has the losses of all events. */
TEST_F(ring, lost_of_two_events)
{
	int other = perf_open_self(ADDRESSES());
	struct perf_count_lost a, b;
	const struct perf_event_header *header;
	size_t samples = 0, lost = 0;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	perf_fault(other, self->capacity / 2);
	perf_fault(self->fd, self->capacity);
	perf_fault(other, 7);
	a = perf_counted(self->fd);
	b = perf_counted(other);
	EXPECT_EQ(self->capacity, a.value);
	EXPECT_EQ(self->capacity / 2 + 7, b.value);
	EXPECT_EQ(7, b.lost);
	EXPECT_LE(self->capacity / 2, a.lost);
	perf_buf_drop(&self->buf);
	perf_fault(other, 2);
	while ((header = perf_buf_next(&self->buf))) {
		samples += header->type == PERF_RECORD_SAMPLE;
		if (header->type == PERF_RECORD_LOST)
			lost += ((const struct perf_lost *)header)->lost;
	}
	EXPECT_EQ(2, samples);
	EXPECT_EQ(a.lost + b.lost, lost);
	EXPECT_EQ(a.lost, perf_counted(self->fd).lost);
	EXPECT_EQ(b.lost, perf_counted(other).lost);
}

/* PERF_RECORD_LOST has the id of the event that writes the next record. */
TEST(lost_record)
{
	struct perf_event_attr attr = ADDRESSES(.sample_id_all = 1, .comm = 1);
	int fd = perf_open_self(attr);
	const struct perf_event_header *header;
	const struct perf_lost *lost;
	struct perf_buf buf;
	struct perf_rec rec;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	for (i = 0; i < 2; i++) {
		perf_fault(fd, 300);
		perf_buf_drop(&buf);
		/* Other records than samples bring it, too. */
		if (i == 0) {
			perf_fault(fd, 1);
		} else {
			perf_enable(fd);
			prctl(PR_SET_NAME, "lost");
			perf_disable(fd);
		}
		header = perf_buf_next(&buf);
		ASSERT_NE(NULL, header);
		ASSERT_EQ(PERF_RECORD_LOST, header->type);
		ASSERT_EQ(0, header->misc);
		ASSERT_EQ(16, perf_rec_body(&attr, header));
		ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
		lost = (const void *)header;
		EXPECT_EQ(perf_event_id(fd), lost->id);
		EXPECT_EQ(perf_event_id(fd), rec.id);
		EXPECT_LE(100, lost->lost);
		EXPECT_GE(300, lost->lost);
		header = perf_buf_next(&buf);
		ASSERT_NE(NULL, header);
		EXPECT_EQ(i ? PERF_RECORD_COMM : PERF_RECORD_SAMPLE,
			  header->type);
		EXPECT_EQ(NULL, perf_buf_next(&buf));
	}
}

/* Large records with a part of the user's stack that is known. */

#define PATTERN	4096

static struct perf_event_attr stack_attr(size_t size)
{
	return PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
		       .sample_type = PERF_SAMPLE_ADDR |
				      PERF_SAMPLE_REGS_USER |
				      PERF_SAMPLE_STACK_USER,
		       .sample_regs_user = 1ULL << STACK_POINTER,
		       .sample_stack_user = size,
		       .read_format = PERF_FORMAT_LOST);
}

/*
 * The number of bytes of the pattern in a copy of the stack, or -1 if one of them is
 * wrong. The pattern does not change between the sample and now.
 */
static long stack_matches(const struct perf_rec *rec,
			  const unsigned char *pattern)
{
	unsigned long sp = rec->regs_user[0];
	unsigned long from = (unsigned long)pattern - sp, len = PATTERN;

	if ((unsigned long)pattern < sp)
		return -1;
	if (from >= rec->stack_valid)
		return 0;
	if (len > rec->stack_valid - from)
		len = rec->stack_valid - from;
	if (memcmp((const char *)rec->stack + from, pattern, len))
		return -1;
	return len;
}

static bool good_stack(const struct perf_event_attr *attr,
		       const struct perf_event_header *header,
		       const unsigned char *pattern, long *bytes)
{
	struct perf_rec rec;

	if (!header || header->type != PERF_RECORD_SAMPLE ||
	    !perf_rec_parse(attr, header, &rec) ||
	    rec.regs_user_abi == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
	*bytes = stack_matches(&rec, pattern);
	return *bytes >= 0;
}

/* 48 bytes besides the stack. A header's size is below 64 KiB. */
static void check_stack(struct __test_metadata *_metadata, size_t pages,
			size_t size)
{
	struct perf_event_attr attr = stack_attr(size);
	const struct perf_event_header *header;
	unsigned char pattern[PATTERN];
	int fd = perf_open_self(attr);
	size_t record = size + 48 < 65528 ? size + 48 : 65528;
	long most = 0, bytes = 0;
	struct perf_buf buf;
	bool fits;
	int i;

	for (i = 0; i < PATTERN; i++)
		pattern[i] = i * 7 + i / 256 + size;
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, pages));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	fits = record < buf.size;
	/*
	 * Each record begins at another offset. They go round the buffer twice at
	 * least.
	 */
	for (i = 0; i < 25; i++) {
		perf_fault(fd, 1);
		header = perf_buf_next(&buf);
		if (!fits) {
			EXPECT_EQ(NULL, header);
			continue;
		}
		ASSERT_TRUE(good_stack(&attr, header, pattern, &bytes));
		most = bytes > most ? bytes : most;
	}
	/* A small copy does not have all bytes of the pattern. */
	EXPECT_LE(fits && size >= 8192 ? PATTERN : 0, most);
	EXPECT_EQ(fits ? 0 : 25, perf_counted(fd).lost);
	perf_buf_unmap(&buf);
	close(fd);
}

TEST(large_records)
{
	static const size_t sizes[] = {
		0, 8, 256, 2000, 4032, 4056, 4096, 4104, 8192, 12288,
		16328, 32768, 60000, 65528,
	};
	size_t pages, i;

	for (pages = 1; pages <= 32; pages *= 2)
		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			check_stack(_metadata, pages, sizes[i]);
}

/* Many records, read late: those in the buffer are whole. */
TEST(large_records_lost)
{
	struct perf_event_attr attr = stack_attr(8192);
	const struct perf_event_header *header;
	unsigned char pattern[PATTERN];
	int fd = perf_open_self(attr), round;
	size_t samples = 0, lost = 0;
	struct perf_buf buf;
	long bytes = 0;

	memset(pattern, 0x5a, sizeof(pattern));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	for (round = 0; round < 20; round++) {
		perf_fault(fd, 7);
		while ((header = perf_buf_next(&buf))) {
			if (header->type == PERF_RECORD_LOST) {
				lost += ((const struct perf_lost *)header)->lost;
				continue;
			}
			ASSERT_TRUE(good_stack(&attr, header, pattern, &bytes));
			samples++;
		}
		ASSERT_FALSE(buf.bad);
	}
	EXPECT_LT(20, samples);
	EXPECT_LT(20, lost);
	EXPECT_EQ(140, perf_counted(fd).value);
	EXPECT_EQ(140 - samples, perf_counted(fd).lost);
}

/* Special cases */

TEST(buffer_without_data)
{
	int fd = perf_open_self(ADDRESSES(.comm = 1));
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	perf_fault(fd, 100);
	perf_enable(fd);
	prctl(PR_SET_NAME, "nowhere");
	perf_disable(fd);
	EXPECT_EQ(100, perf_counted(fd).value);
	EXPECT_EQ(0, perf_buf_head(&buf));
	EXPECT_EQ(0, perf_poll(fd, POLLIN));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

/*
 * A wrong data_tail may cause lost or overwritten records, nothing else, and only as
 * long as it is there.
 */
TEST_F(ring, nonsense_in_tail)
{
	int other = perf_open_self(ADDRESSES());
	struct perf_buf untouched;
	struct perf_count_lost count;
	unsigned int seed = 2;
	size_t i, head;
	__u64 tail;

	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_buf_map(&untouched, other, 1));
	for (i = 0; i < 200; i++) {
		tail = (__u64)rand_r(&seed) << (rand_r(&seed) % 48);
		if (i % 3 == 0)
			tail = perf_buf_head(&self->buf) + rand_r(&seed) % 99;
		self->buf.meta->data_tail = i % 2 ? tail : -tail;
		perf_fault(self->fd, rand_r(&seed) % 200);
	}
	/* data_head has moved by all records that were not lost. */
	count = perf_counted(self->fd);
	head = perf_buf_head(&self->buf);
	EXPECT_LE(count.lost, count.value);
	EXPECT_LE((count.value - count.lost) * RECORD_SIZE, head);
	EXPECT_EQ(0, head % 8);
	EXPECT_EQ(0, perf_buf_head(&untouched));
	EXPECT_EQ(0, untouched.data[0]);
	self->buf.pos = head;
	perf_buf_set_tail(&self->buf, head);
	perf_fault(self->fd, 1);
	EXPECT_LE(1, perf_buf_count(&self->buf));
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
}

TEST_HARNESS_MAIN
