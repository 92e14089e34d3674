// SPDX-License-Identifier: GPL-2.0
/*
 * Buffers that are not read while they are filled: those that overwrite old records,
 * those that are written from high to low addresses, and those that are paused.
 *
 * All records here have 16 bytes, which divides the size of a buffer. So the contents
 * of a buffer are known exactly.
 */
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define ADDRESSES(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR,			\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

/* header, address */
#define RECORD_SIZE	16U

/* Pages that are touched in order. Their addresses number the samples. */
#define PAGES		3000

struct modes_test {
	int fd;
	struct perf_buf buf;
	char *at;
	size_t touched;
	bool backward;
};

FIXTURE(modes)
{
	struct modes_test test;
};

FIXTURE_VARIANT(modes)
{
	int prot;
	bool backward;
};

FIXTURE_VARIANT_ADD(modes, forward)
{
	.prot = PROT_READ | PROT_WRITE,
};

FIXTURE_VARIANT_ADD(modes, forward_overwrite)
{
	.prot = PROT_READ,
};

FIXTURE_VARIANT_ADD(modes, backward)
{
	.prot = PROT_READ | PROT_WRITE,
	.backward = true,
};

FIXTURE_VARIANT_ADD(modes, backward_overwrite)
{
	.prot = PROT_READ,
	.backward = true,
};

FIXTURE_SETUP(modes)
{
	self->test.backward = variant->backward;
	self->test.fd = perf_open_self(ADDRESSES(.write_backward =
						 variant->backward));
	ASSERT_LE(0, self->test.fd);
	ASSERT_EQ(0, perf_buf_map_prot(&self->test.buf, self->test.fd, 1,
				       variant->prot));
	ASSERT_EQ(0, stay_resident());
	self->test.at = map_fresh_pages(PAGES);
	ASSERT_NE(NULL, self->test.at);
	perf_buf_touch(&self->test.buf);
}

FIXTURE_TEARDOWN(modes)
{
}

static void touch(struct modes_test *self, size_t pages)
{
	perf_enable(self->fd);
	touch_pages(self->at + self->touched * page_size, pages);
	perf_disable(self->fd);
	self->touched += pages;
}

/* The number of bytes that were ever written. */
static __u64 written(struct modes_test *self)
{
	__u64 head = perf_buf_head(&self->buf);

	return self->backward ? -head : head;
}

/* The number of the page of the sample at a position, or -1. */
static long page_at(struct modes_test *self, __u64 pos)
{
	struct {
		struct perf_event_header header;
		__u64 addr;
	} record;

	perf_buf_copy(&self->buf, pos, &record, sizeof(record));
	if (record.header.type != PERF_RECORD_SAMPLE ||
	    record.header.size != RECORD_SIZE)
		return -1;
	return (record.addr - (unsigned long)self->at) / page_size;
}

/* The page of the sample that is so many before the youngest one. */
static long page_ago(struct modes_test *self, size_t ago)
{
	__u64 head = perf_buf_head(&self->buf);

	return page_at(self, self->backward ? head + ago * RECORD_SIZE :
					head - (ago + 1) * RECORD_SIZE);
}

TEST_F(modes, in_order)
{
	size_t room = self->test.buf.size / RECORD_SIZE - 1, i;

	touch(&self->test, room);
	EXPECT_EQ(room * RECORD_SIZE, written(&self->test));
	for (i = 0; i < room; i++)
		ASSERT_EQ(room - 1 - i, page_ago(&self->test, i));
	EXPECT_EQ(0, perf_counted(self->test.fd).lost);
	EXPECT_EQ(room, perf_counted(self->test.fd).value);
}

/* data_tail does not move: the old records stay, or the new ones do. */
TEST_F(modes, too_many)
{
	bool overwrites = !(variant->prot & PROT_WRITE);
	size_t room = self->test.buf.size / RECORD_SIZE, i, kept, last;
	struct perf_count_lost count;

	touch(&self->test, 5 * room + 7);
	count = perf_counted(self->test.fd);
	EXPECT_EQ(self->test.touched, count.value);
	kept = count.value - count.lost;
	EXPECT_EQ(kept * RECORD_SIZE, written(&self->test));
	if (overwrites) {
		EXPECT_EQ(0, count.lost);
		last = self->test.touched - 1;
	} else {
		/* One byte or more may have to stay free. */
		EXPECT_LE(room - 1, kept);
		EXPECT_GE(room, kept);
		last = kept - 1;
	}
	for (i = 0; i < room - 1; i++)
		ASSERT_EQ(last - i, page_ago(&self->test, i));
	EXPECT_TRUE(!overwrites ||
		    last - i == (size_t)page_ago(&self->test, i));
}

/* Only the first mapping decides whether the buffer overwrites. */
TEST_F(modes, decided_by_first_mapping)
{
	bool overwrites = !(variant->prot & PROT_WRITE);
	size_t room = self->test.buf.size / RECORD_SIZE;
	struct perf_buf second;

	ASSERT_EQ(0, perf_buf_map_prot(&second, self->test.fd, 1, overwrites ?
				       PROT_READ | PROT_WRITE : PROT_READ));
	ASSERT_EQ(0, mprotect(self->test.buf.meta, self->test.buf.length,
			      overwrites ? PROT_READ | PROT_WRITE : PROT_READ));
	touch(&self->test, 3 * room);
	EXPECT_EQ(overwrites, perf_counted(self->test.fd).lost == 0);
	EXPECT_EQ(overwrites, written(&self->test) >
			      self->test.buf.size);
}

/*
 * While the buffer is paused all records are lost and data_head does not move. The next
 * record reports the losses.
 */
TEST_F(modes, pause)
{
	const size_t lost_size = sizeof(struct perf_lost);
	struct perf_lost lost;
	__u64 head, at;

	touch(&self->test, 10);
	head = perf_buf_head(&self->test.buf);
	ASSERT_EQ(0, perf_ioctl(self->test.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	touch(&self->test, 20);
	EXPECT_EQ(head, perf_buf_head(&self->test.buf));
	EXPECT_EQ(9, page_ago(&self->test, 0));
	EXPECT_EQ(30, perf_counted(self->test.fd).value);
	EXPECT_EQ(20, perf_counted(self->test.fd).lost);
	/* Pausing does not nest. */
	ASSERT_EQ(0, perf_ioctl(self->test.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 7));
	ASSERT_EQ(0, perf_ioctl(self->test.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	EXPECT_EQ(head, perf_buf_head(&self->test.buf));
	touch(&self->test, 1);
	EXPECT_EQ(11 * RECORD_SIZE + lost_size,
		  written(&self->test));
	/* The LOST record is below the record that brings it. */
	at = variant->backward ? perf_buf_head(&self->test.buf) : head;
	perf_buf_copy(&self->test.buf, at, &lost, lost_size);
	EXPECT_EQ(PERF_RECORD_LOST, lost.header.type);
	EXPECT_EQ(lost_size, lost.header.size);
	EXPECT_EQ(20, lost.lost);
	EXPECT_EQ(30, page_at(&self->test, at + lost_size));
	EXPECT_EQ(20, perf_counted(self->test.fd).lost);
	touch(&self->test, 1);
	EXPECT_EQ(31, page_ago(&self->test, 0));
}

/* A snapshot has the records from before the pause, the youngest first. */
TEST(snapshot)
{
	struct perf_event_attr attr = ADDRESSES(.write_backward = 1);
	const struct perf_event_header *header;
	struct perf_buf buf;
	struct perf_rec rec;
	size_t n, room;
	int fd, round;
	__u64 last;

	/* 24 does not divide a page: the oldest record is cut. */
	attr.sample_type |= PERF_SAMPLE_TID;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map_prot(&buf, fd, 2, PROT_READ));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	room = buf.size / 24;
	for (round = 0; round < 6; round++) {
		perf_fault(fd, 100 * round + 1);
		perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
		perf_buf_snapshot(&buf);
		n = 0;
		last = ~0ULL;
		while ((header = perf_buf_next(&buf))) {
			if (header->type == PERF_RECORD_LOST)
				continue;
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			ASSERT_EQ(gettid(), rec.tid);
			/* Addresses increase within a round. */
			ASSERT_TRUE(n > 100 * (size_t)round || last > rec.addr);
			last = rec.addr;
			n++;
		}
		EXPECT_LE(100 * round + 1 < (int)room ? 100 * round + 1 : room,
			  n);
		EXPECT_GE(room, n);
		perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	EXPECT_EQ(0, perf_counted(fd).lost);
}

/* The pause is the buffer's. Each event that writes to it can set it. */
TEST(pause_of_shared_buffer)
{
	int fd = perf_open_self(ADDRESSES(.comm = 1));
	int other = perf_open_self(ADDRESSES());
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	EXPECT_EQ(-EINVAL, perf_ioctl(other, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	EXPECT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	perf_fault(fd, 2);
	perf_fault(other, 3);
	/* Every record counts, not only samples. */
	perf_enable(fd);
	prctl(PR_SET_NAME, "paused");
	perf_disable(fd);
	EXPECT_EQ(0, perf_buf_head(&buf));
	EXPECT_EQ(2, perf_counted(fd).value);
	EXPECT_EQ(3, perf_counted(fd).lost);
	EXPECT_EQ(3, perf_counted(other).lost);
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	perf_fault(other, 1);
	EXPECT_EQ(2, perf_buf_count(&buf));
	/* Unmapping ends the pause. */
	EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	EXPECT_EQ(-EINVAL, perf_ioctl(other, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	EXPECT_TRUE(perf_buf_works(&buf, fd));
}

/*
 * The buffer is paused and resumed while it is written. Each record arrives or is
 * counted as lost.
 */
TEST(pause_while_written)
{
	const struct perf_event_header *header;
	size_t samples = 0, lost = 0, i;
	struct perf_count_lost count;
	struct perf_buf buf;
	int fd, ready[2];
	pid_t child;
	char c;

	ASSERT_EQ(0, pipe(ready));
	child = fork_child();
	if (child == 0) {
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			_exit(1);
		for (i = 0; i < 20; i++)
			fault_pages(200);
		_exit(0);
	}
	fd = perf_open(ADDRESSES(), child, -1, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 32));
	ASSERT_EQ(0, perf_enable(fd));
	ASSERT_EQ(1, write(ready[1], "x", 1));
	for (i = 0; i < 500; i++) {
		perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, i & 1);
		while ((header = perf_buf_next(&buf))) {
			samples += header->type == PERF_RECORD_SAMPLE;
			if (header->type == PERF_RECORD_LOST)
				lost += ((const struct perf_lost *)header)->lost;
		}
	}
	perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	EXPECT_EQ(0, wait_status(child));
	while ((header = perf_buf_next(&buf))) {
		samples += header->type == PERF_RECORD_SAMPLE;
		if (header->type == PERF_RECORD_LOST)
			lost += ((const struct perf_lost *)header)->lost;
	}
	EXPECT_FALSE(buf.bad);
	count = perf_counted(fd);
	EXPECT_LE(4000, count.value);
	EXPECT_EQ(count.value, samples + count.lost);
	EXPECT_GE(count.lost, lost);
}

TEST_HARNESS_MAIN
