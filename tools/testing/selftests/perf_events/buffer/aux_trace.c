// SPDX-License-Identifier: GPL-2.0
/*
 * AUX areas of a trace source with a known trace: the byte at n is n modulo 251. The
 * bytes written, the AUX records, and when the source can run.
 */
#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define TRACE_DEVICE	"/sys/bus/event_source/devices/fake_trace"
#define TRACE_FILES	FAKE_DEBUGFS "/fake_trace"
#define TRACE_FILTERS	TRACE_FILES "/filters"

#define DATA_PAGES	8
#define AUX_PAGES	4
#define PRIME		251

/* PMU capabilities, in the kernel's numbers */
#define CAP_AUX_NO_SG		0x0004
#define CAP_EXCLUSIVE		0x0010
#define CAP_ITRACE		0x0020
#define CAP_NO_EXCLUDE		0x0040
#define CAP_AUX_PAUSE		0x0200
#define CAP_AUX_PREFER_LARGE	0x0400
#define CAP_USUAL		(CAP_EXCLUSIVE | CAP_ITRACE | CAP_NO_EXCLUDE | \
				 CAP_AUX_PAUSE)

FIXTURE(aux)
{
	struct perf_event_attr attr;
	struct perf_buf buf;
	unsigned char *area;
	size_t page, size;
	int fd;
};

/* Make something happen to the source of this CPU. */
static int trace(const char *what, unsigned long amount)
{
	return folder_write_long(TRACE_FILES, what, amount);
}

static long trace_value(const char *what)
{
	return folder_read_long(TRACE_FILES, what);
}

FIXTURE_SETUP(aux)
{
	long type;

	SKIP_WITHOUT_FAKE();
	ASSERT_EQ(0, file_read_long(TRACE_DEVICE "/type", &type));
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, trace("capabilities", CAP_USUAL));
	ASSERT_EQ(0, trace("max_pages", 1024));
	self->attr = PERF_ATTR(type, 0, .disabled = 1);
	self->page = sysconf(_SC_PAGESIZE);
	self->fd = -1;
}

FIXTURE_TEARDOWN_PARENT(aux)
{
	if (access(FAKE_DEVICE, F_OK))
		return;
	trace("capabilities", CAP_USUAL);
	trace("max_pages", 1024);
	trace("busy", 0);
}

/* An event of a CPU, so that preempting the test does not end a transaction. */
static int open_here(struct perf_event_attr attr, int group)
{
	return perf_open(attr, -1, nth_cpu(0), group);
}

static void open_data(struct __test_metadata *_metadata, FIXTURE_DATA(aux) *self)
{
	self->fd = open_here(self->attr, -1);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, DATA_PAGES));
}

/* Map the area. Returns its size or a negative errno. */
static long map_area(FIXTURE_DATA(aux) *self, size_t pages, int prot)
{
	size_t at = self->buf.length;
	void *area;

	aux_announce(&self->buf, pages);
	area = mmap(NULL, pages * self->page, prot, MAP_SHARED, self->fd, at);
	if (area == MAP_FAILED)
		return -errno;
	self->area = area;
	self->size = pages * self->page;
	return self->size;
}

static void open_mapped(struct __test_metadata *_metadata, FIXTURE_DATA(aux) *self,
			int prot)
{
	open_data(_metadata, self);
	ASSERT_LT(0, map_area(self, AUX_PAGES, prot));
	ASSERT_EQ(0, perf_enable(self->fd));
}

/* The reader has read all bytes before tail. */
static void aux_seen(FIXTURE_DATA(aux) *self, __u64 tail)
{
	__atomic_store_n(&self->buf.meta->aux_tail, tail, __ATOMIC_RELEASE);
}

/* Check that the area has the source's bytes. */
static bool trace_is_right(FIXTURE_DATA(aux) *self, __u64 from, __u64 to)
{
	for (; from < to; from++)
		if (self->area[from & (self->size - 1)] != from % PRIME)
			return false;
	return true;
}

/* Check that the next record is this AUX record and starts where the last one ended. */
static void expect_news(struct __test_metadata *_metadata, FIXTURE_DATA(aux) *self,
			__u64 offset, __u64 size, __u64 flags)
{
	const struct perf_event_header *header = perf_buf_next(&self->buf);
	const struct aux_news *news = (const void *)(header + 1);

	while (header && header->type == PERF_RECORD_ITRACE_START)
		header = perf_buf_next(&self->buf);
	ASSERT_NE(NULL, header);
	ASSERT_EQ(PERF_RECORD_AUX, header->type);
	EXPECT_EQ(offset, news->offset);
	EXPECT_EQ(size, news->size);
	EXPECT_EQ(flags, news->flags);
}

static int count_records(FIXTURE_DATA(aux) *self, __u32 type)
{
	int nr = 0;

	while (perf_buf_next_of(&self->buf, type))
		nr++;
	return nr;
}

TEST_F(aux, what_is_traced_is_there)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, trace("write", 1000));
	/* There is no record before there is a reason. */
	EXPECT_EQ(0, perf_buf_aux_head(&self->buf));
	ASSERT_EQ(0, trace("flush", 0));
	EXPECT_EQ(1000, perf_buf_aux_head(&self->buf));
	expect_news(_metadata, self, 0, 1000, 0);
	ASSERT_EQ(0, trace("write", 234));
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(1234, perf_buf_aux_head(&self->buf));
	expect_news(_metadata, self, 1000, 234, 0);
	EXPECT_TRUE(trace_is_right(self, 0, 1234));
	EXPECT_EQ(0, self->area[1234]);
	EXPECT_EQ(1234, perf_count(self->fd));
	/* A disabled event does not trace. */
	ASSERT_EQ(0, trace("write", 10));
	EXPECT_EQ(1234, perf_buf_aux_head(&self->buf));
	EXPECT_EQ(NULL, perf_buf_next(&self->buf));
}

TEST_F(aux, around_the_end)
{
	__u64 seen = 0;

	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, trace("write", 3001));
		ASSERT_EQ(0, trace("flush", 0));
		EXPECT_EQ(seen + 3001, perf_buf_aux_head(&self->buf));
		EXPECT_TRUE(trace_is_right(self, seen, seen + 3001));
		seen += 3001;
		aux_seen(self, seen);
	}
	EXPECT_EQ(20 * 3001, perf_count(self->fd));
}

/* The rest is lost. The event is disabled until the reader enables it again. */
TEST_F(aux, full)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, trace("write", self->size + 100));
	expect_news(_metadata, self, 0, self->size / 2, 0);
	/* One byte stays free, which tells a full area from an empty one. */
	expect_news(_metadata, self, self->size / 2, self->size / 2 - 1,
		    PERF_AUX_FLAG_TRUNCATED);
	EXPECT_EQ(self->size - 1, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, 0, self->size - 1));
	ASSERT_EQ(0, trace("write", 1));
	EXPECT_EQ(self->size - 1, perf_count(self->fd));

	/* There is still no room. */
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, trace("write", 1));
	EXPECT_EQ(self->size - 1, perf_count(self->fd));
	aux_seen(self, self->size - 1);
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, trace("write", 7));
	ASSERT_EQ(0, trace("flush", 0));
	/* The reader is woken at a multiple of half the area. */
	expect_news(_metadata, self, self->size - 1, 1, 0);
	expect_news(_metadata, self, self->size, 6, 0);
	EXPECT_TRUE(trace_is_right(self, self->size - 1, self->size + 6));
}

/* Check that the reader is woken each time so many bytes were written. */
static void expect_woken_each(struct __test_metadata *_metadata,
			      FIXTURE_DATA(aux) *self, unsigned long step)
{
	for (unsigned long at = 512; at < 4 * step; at += 512) {
		ASSERT_EQ(0, trace("write", 512));
		if (at % step) {
			sleep_ms(2);
			EXPECT_EQ(0, perf_poll(self->fd, POLLIN));
			continue;
		}
		EXPECT_TRUE(COMES_TRUE(perf_poll(self->fd, POLLIN) == POLLIN));
		expect_news(_metadata, self, at - step, step, 0);
		aux_seen(self, perf_buf_aux_head(&self->buf));
		/* A transaction that starts now sees the new tail. */
		ASSERT_EQ(0, trace("flush", 0));
	}
}

TEST_F(aux, wakes_at_half)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	expect_woken_each(_metadata, self, self->size / 2);
}

TEST_F(aux, wakes_at_watermark)
{
	self->attr.aux_watermark = 2048;
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	expect_woken_each(_metadata, self, 2048);
}

/* Without PROT_WRITE old bytes are overwritten. */
TEST_F(aux, overwrites)
{
	__u64 end;

	open_mapped(_metadata, self, PROT_READ);
	end = 3 * self->size + 77;
	ASSERT_EQ(0, trace("write", end));
	EXPECT_EQ(0, perf_buf_aux_head(&self->buf));
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(end, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, end - self->size, end));
	expect_news(_metadata, self, end, end, PERF_AUX_FLAG_OVERWRITE);
	/* The trace continues at the same position. */
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, trace("write", 10));
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(end + 10, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, end + 10 - self->size, end + 10));
}

TEST_F(aux, passes_over)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, trace("write", 100));
	ASSERT_EQ(0, trace("skip", 50));
	ASSERT_EQ(0, trace("write", 25));
	ASSERT_EQ(0, trace("flush", 0));
	EXPECT_EQ(175, perf_buf_aux_head(&self->buf));
	expect_news(_metadata, self, 0, 100, 0);
	expect_news(_metadata, self, 150, 25, 0);
	EXPECT_TRUE(trace_is_right(self, 0, 100));
	EXPECT_TRUE(trace_is_right(self, 150, 175));
	EXPECT_EQ(0, self->area[120]);
	/* Bytes that the reader has not read are not overwritten. */
	ASSERT_EQ(0, trace("skip", self->size));
	ASSERT_EQ(0, trace("flush", 0));
	EXPECT_EQ(175, perf_buf_aux_head(&self->buf));
	expect_news(_metadata, self, 175, 0, PERF_AUX_FLAG_COLLISION);
}

TEST_F(aux, flags_of_the_driver)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, trace("write", 8));
	ASSERT_EQ(0, trace("flag", PERF_AUX_FLAG_PARTIAL));
	ASSERT_EQ(0, trace("flag", PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW));
	ASSERT_EQ(0, trace("flush", 0));
	expect_news(_metadata, self, 0, 8,
		    PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	ASSERT_EQ(0, trace("write", 8));
	ASSERT_EQ(0, trace("flush", 0));
	expect_news(_metadata, self, 8, 8, 0);
}

/* At each scheduling in, or once if the driver says so. */
TEST_F(aux, the_start_is_announced)
{
	const struct perf_event_header *header;
	const __u32 *who;

	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	header = perf_buf_next(&self->buf);
	ASSERT_NE(NULL, header);
	ASSERT_EQ(PERF_RECORD_ITRACE_START, header->type);
	who = (const __u32 *)(header + 1);
	EXPECT_EQ(getpid(), who[0]);
	EXPECT_EQ(gettid(), who[1]);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, perf_disable(self->fd));
		ASSERT_EQ(0, perf_enable(self->fd));
	}
	EXPECT_EQ(3, count_records(self, PERF_RECORD_ITRACE_START));
}

TEST_F(aux, the_driver_announces)
{
	self->attr.config = 1;
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, perf_disable(self->fd));
		ASSERT_EQ(0, perf_enable(self->fd));
	}
	EXPECT_EQ(1, count_records(self, PERF_RECORD_ITRACE_START));
}

TEST_F(aux, ids_of_the_hardware)
{
	const struct perf_event_header *header;

	self->attr.config1 = 0x1234567890;
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	header = perf_buf_next_of(&self->buf, PERF_RECORD_AUX_OUTPUT_HW_ID);
	ASSERT_NE(NULL, header);
	EXPECT_EQ(0x1234567890, *(const __u64 *)(header + 1));
}

/* The output of a member is in the trace: the member's record has its id. */
TEST_F(aux, output_of_a_member)
{
	struct perf_event_attr attr = fake_attr("poke");
	const struct perf_event_header *header;
	struct perf_buf buf;
	int fd;

	attr.read_format = 0;
	attr.aux_output = 1;
	EXPECT_EQ(-EINVAL, open_here(attr, -1));
	fd = open_here(PERF_SW(DUMMY), -1);
	EXPECT_EQ(-EINVAL, open_here(attr, fd));
	open_data(_metadata, self);
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	/* The member does nothing else with the area. */
	attr.aux_pause = 1;
	EXPECT_EQ(-EOPNOTSUPP, open_here(attr, self->fd));
	attr.aux_pause = 0;
	attr.aux_resume = 1;
	EXPECT_EQ(-EOPNOTSUPP, open_here(attr, self->fd));
	attr.aux_resume = 0;
	attr.aux_sample_size = 64;
	EXPECT_EQ(-EINVAL, open_here(attr, self->fd));
	attr.aux_sample_size = 0;
	fd = open_here(attr, self->fd);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	ASSERT_EQ(0, perf_enable(self->fd));
	header = perf_buf_next_of(&buf, PERF_RECORD_AUX_OUTPUT_HW_ID);
	ASSERT_NE(NULL, header);
	EXPECT_EQ(0, *(const __u64 *)(header + 1));
	/* Without the leader there is no area to write to. */
	munmap(self->area, self->size);
	perf_buf_unmap(&self->buf);
	close(self->fd);
	EXPECT_EQ(0, fake_poke(1));
	EXPECT_EQ(0, read(fd, &(__u64){ 0 }, 8));
}

/* Samples of a member with the last bytes of the trace. */
TEST_F(aux, samples_of_the_trace)
{
	struct perf_event_attr attr = fake_attr("poke");
	const struct perf_event_header *header;
	struct perf_buf buf;
	struct perf_rec rec;
	const unsigned char *bytes;
	__u64 end, step;
	int fd;

	attr.read_format = 0;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_AUX;
	attr.aux_sample_size = 64;
	EXPECT_EQ(-EINVAL, open_here(attr, -1));
	open_data(_metadata, self);
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ));
	fd = open_here(attr, self->fd);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, DATA_PAGES));
	ASSERT_EQ(0, perf_enable(self->fd));
	/* The third piece begins before the end of the area and ends behind it. */
	step = (self->size + 32) / 3;
	for (end = step; end < 2 * self->size; end += step) {
		ASSERT_EQ(0, trace("write", step));
		ASSERT_EQ(0, fake_poke(1));
		header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE);
		ASSERT_NE(NULL, header);
		ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
		ASSERT_EQ(64, rec.aux_size);
		bytes = (const unsigned char *)rec.aux;
		for (int i = 0; i < 64; i++)
			ASSERT_EQ((end - 64 + i) % PRIME, bytes[i]);
	}
	/* Empty while the trace is disabled. */
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(NULL, perf_buf_next_of(&buf, PERF_RECORD_SAMPLE));
}

TEST_F(aux, members_pause_and_resume)
{
	struct perf_event_attr pause = fake_attr("poke"), resume;
	int stop, go;

	pause.read_format = 0;
	pause.sample_period = 1;
	pause.disabled = 1;
	resume = pause;
	pause.aux_pause = 1;
	resume.aux_resume = 1;
	self->attr.aux_start_paused = 1;
	open_data(_metadata, self);
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	stop = open_here(pause, self->fd);
	go = open_here(resume, self->fd);
	ASSERT_LE(0, stop);
	ASSERT_LE(0, go);
	ASSERT_EQ(0, perf_enable(self->fd));

	ASSERT_EQ(0, trace("write", 10));
	EXPECT_EQ(0, perf_count(self->fd));
	ASSERT_EQ(0, perf_enable(go));
	ASSERT_EQ(0, fake_poke(1));
	ASSERT_EQ(0, perf_disable(go));
	ASSERT_EQ(0, trace("write", 60));
	EXPECT_EQ(60, perf_count(self->fd));
	/* Scheduling in restores the initial state. */
	ASSERT_EQ(0, perf_disable(self->fd));
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, trace("write", 40));
	EXPECT_EQ(100, perf_count(self->fd));
	ASSERT_EQ(0, perf_enable(stop));
	ASSERT_EQ(0, fake_poke(1));
	ASSERT_EQ(0, perf_disable(stop));
	ASSERT_EQ(0, trace("write", 1000));
	EXPECT_EQ(100, perf_count(self->fd));
	/* Scheduling in restores a paused state, too. */
	ASSERT_EQ(0, perf_disable(self->fd));
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, trace("write", 1000));
	EXPECT_EQ(100, perf_count(self->fd));
	EXPECT_EQ(100, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, 0, 100));
}

/* A member that uses the trace is in error without it. */
TEST_F(aux, members_without_the_trace)
{
	static const struct perf_event_attr kinds[] = {
		PERF_SW(PAGE_FAULTS, .aux_sample_size = 64, .sample_type = PERF_SAMPLE_AUX),
		PERF_SW(PAGE_FAULTS, .aux_pause = 1),
		PERF_SW(PAGE_FAULTS, .aux_resume = 1, .disabled = 1),
	};
	int i, fds[ARRAY_SIZE(kinds)], plain;
	__u64 count;

	open_data(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		fds[i] = open_here(kinds[i], self->fd);
		ASSERT_LE(0, fds[i]);
		EXPECT_EQ(8, read(fds[i], &count, 8));
	}
	plain = open_here(PERF_SW(PAGE_FAULTS), self->fd);
	ASSERT_LE(0, plain);
	perf_buf_unmap(&self->buf);
	close(self->fd);
	EXPECT_EQ(8, read(plain, &count, 8));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		EXPECT_EQ(0, read(fds[i], &count, 8)) {
			TH_LOG("kind %d", i);
		}
		EXPECT_EQ(0, perf_enable(fds[i]));
		EXPECT_EQ(8, read(fds[i], &count, 8));
	}
}

TEST_F(aux, pausing_needs_a_leader_that_can)
{
	struct perf_event_attr attr = fake_attr("poke");

	attr.sample_period = 1;
	attr.aux_pause = 1;
	ASSERT_EQ(0, trace("capabilities", CAP_USUAL & ~CAP_AUX_PAUSE));
	open_data(_metadata, self);
	EXPECT_EQ(-EINVAL, open_here(attr, self->fd));
	self->attr.aux_start_paused = 1;
	EXPECT_EQ(-EOPNOTSUPP, open_here(self->attr, -1));
}

/* The number of pieces of an area of 16 pages. The driver sees it by the addresses. */
static long pieces(FIXTURE_DATA(aux) *self, long caps, int prot)
{
	long size;

	if (trace("capabilities", CAP_USUAL | caps))
		return -1;
	size = map_area(self, 16, prot);
	if (size < 0)
		return size;
	munmap(self->area, self->size);
	return trace_value("pieces");
}

TEST_F(aux, memory_as_the_driver_wants_it)
{
	open_data(_metadata, self);
	/* Half the area is a watermark. Adjacent pieces look like one. */
	EXPECT_GE(2, pieces(self, CAP_AUX_PREFER_LARGE, PROT_READ | PROT_WRITE));
	EXPECT_GE(2, pieces(self, CAP_AUX_NO_SG, PROT_READ | PROT_WRITE));
	EXPECT_EQ(1, pieces(self, CAP_AUX_NO_SG, PROT_READ));
	EXPECT_LE(1, pieces(self, 0, PROT_READ | PROT_WRITE));
}

TEST_F(aux, memory_the_driver_cannot_use)
{
	open_data(_metadata, self);
	ASSERT_EQ(0, trace("max_pages", 2));
	EXPECT_EQ(-ENOMEM, map_area(self, 4, PROT_READ | PROT_WRITE));
	EXPECT_EQ(2 * self->page, map_area(self, 2, PROT_READ | PROT_WRITE));
}

/* Either events of tasks or events of CPUs, and one per context. */
TEST_F(aux, exclusive)
{
	int cpu = nth_cpu(0), fd;

	open_data(_metadata, self);
	EXPECT_EQ(-EBUSY, open_here(self->attr, -1));
	EXPECT_EQ(-EBUSY, perf_open_self(self->attr));
	perf_buf_unmap(&self->buf);
	close(self->fd);
	fd = perf_open_self(self->attr);
	EXPECT_LE(0, fd);
	EXPECT_EQ(-EBUSY, perf_open_self(self->attr));
	EXPECT_EQ(-EBUSY, perf_open(self->attr, 0, cpu, -1));
	EXPECT_EQ(-EBUSY, open_here(self->attr, -1));
}

/* Switches cut the trace of a task into pieces. None is lost. */
TEST_F(aux, of_a_task)
{
	const struct perf_event_header *header;
	const struct aux_news *news;
	__u64 told = 0;

	self->fd = perf_open_self(self->attr);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, DATA_PAGES));
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, perf_enable(self->fd));
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, trace("write", 100 + i));
		switch_out(1);
	}
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(1045, perf_count(self->fd));
	EXPECT_EQ(1045, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, 0, 1045));
	while ((header = perf_buf_next_of(&self->buf, PERF_RECORD_AUX))) {
		news = (const void *)(header + 1);
		EXPECT_EQ(told, news->offset);
		EXPECT_EQ(0, news->flags);
		told += news->size;
	}
	EXPECT_EQ(1045, told);
}

/* An event that was enabled without an area traces as soon as there is one. */
TEST_F(aux, an_area_that_comes_late)
{
	self->attr.disabled = 0;
	open_data(_metadata, self);
	ASSERT_EQ(0, trace("write", 10));
	EXPECT_EQ(0, perf_count(self->fd));
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, trace("write", 100));
	EXPECT_EQ(100, perf_count(self->fd));
	ASSERT_EQ(0, perf_disable(self->fd));
	EXPECT_EQ(100, perf_buf_aux_head(&self->buf));
	EXPECT_TRUE(trace_is_right(self, 0, 100));
}

/* The event stops when the area is unmapped, and starts with the next one. */
TEST_F(aux, an_area_after_another)
{
	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	for (int i = 1; i < 4; i++) {
		ASSERT_EQ(0, trace("write", 100));
		EXPECT_EQ(i * 100, perf_count(self->fd));
		ASSERT_EQ(0, munmap(self->area, self->size));
		ASSERT_EQ(0, trace("write", 100));
		EXPECT_EQ(i * 100, perf_count(self->fd));
		ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	}
	EXPECT_EQ(0, perf_buf_aux_head(&self->buf));
}

/* The area can belong to another event. */
TEST_F(aux, the_area_of_another_event)
{
	int other;

	ASSERT_EQ(0, trace("capabilities", CAP_USUAL & ~CAP_EXCLUSIVE));
	open_data(_metadata, self);
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	self->attr.disabled = 0;
	other = open_here(self->attr, -1);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, trace("write", 10));
	EXPECT_EQ(0, perf_count(other));
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	ASSERT_EQ(0, trace("write", 100));
	EXPECT_EQ(100, perf_count(other));
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, -1));
	EXPECT_EQ(100, perf_buf_aux_head(&self->buf));
	/* The record is written, though no byte can be written there any more. */
	expect_news(_metadata, self, 0, 100, 0);
	ASSERT_EQ(0, trace("write", 100));
	EXPECT_EQ(100, perf_count(other));
}

static bool traced(int fd)
{
	trace("write", 10);
	return perf_count(fd);
}

/* Trace more until the event has some of it. */
static bool traces_soon(int fd)
{
	return BURNS_UNTIL(traced(fd));
}

/* The driver refuses, and does not say when it will be free. */
TEST_F(aux, a_source_that_is_taken)
{
	ASSERT_EQ(0, trace("busy", 1));
	open_mapped(_metadata, self, PROT_READ);
	ASSERT_EQ(0, trace("write", 10));
	burn_cpu(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, trace("write", 10));
	EXPECT_EQ(0, perf_count(self->fd));
	ASSERT_EQ(0, trace("busy", 0));
	EXPECT_TRUE(traces_soon(self->fd));
}

/* Two events alternate on one source. */
TEST_F(aux, a_source_for_two)
{
	int other;

	ASSERT_EQ(0, trace("capabilities", CAP_USUAL & ~CAP_EXCLUSIVE));
	open_mapped(_metadata, self, PROT_READ);
	self->attr.disabled = 0;
	other = open_here(self->attr, -1);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, self->fd));
	EXPECT_TRUE(traces_soon(other));
	EXPECT_TRUE(traces_soon(self->fd));
}

/* The filters of the event that runs here, one range per line. */
static int filters(unsigned long start[4], unsigned long size[4])
{
	char text[512], *at = text;
	int nr = 0, len;

	if (file_read(TRACE_FILTERS, text, sizeof(text)) < 0)
		return -1;
	while (nr < 4 && sscanf(at, "%lx %lx\n%n", &start[nr], &size[nr], &len) == 2) {
		at += len;
		nr++;
	}
	return nr;
}

TEST_F(aux, filters_in_the_kernel)
{
	unsigned long start[4], size[4];

	open_mapped(_metadata, self, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER,
				(long)"filter 0x1000/0x200,start 0x5000"));
	ASSERT_EQ(4, filters(start, size));
	EXPECT_EQ(0x1000, start[0]);
	EXPECT_EQ(0x200, size[0]);
	EXPECT_EQ(0x5000, start[1]);
	EXPECT_EQ(0, size[1]);
	/* A filter that the driver cannot do, and more filters than it has. */
	EXPECT_EQ(-EOPNOTSUPP, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER,
					  (long)"start 0x1000/0x200"));
	EXPECT_EQ(-EOPNOTSUPP, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER,
					  (long)"start 1,start 2,start 3,start 4,start 5"));
}

/* A range of a file is traced where the program has mapped the file. */
TEST_F(aux, filters_in_a_file)
{
	unsigned long start[4], size[4];
	char text[128];
	void *at;
	int fd;

	self->fd = perf_open_self(self->attr);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, DATA_PAGES));
	ASSERT_LT(0, map_area(self, AUX_PAGES, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, perf_enable(self->fd));
	snprintf(text, sizeof(text), "filter 0x10/0x20@/proc/self/exe");
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_SET_FILTER, (long)text));
	fd = open("/proc/self/exe", O_RDONLY);
	ASSERT_LE(0, fd);
	at = mmap(NULL, self->page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	ASSERT_NE(MAP_FAILED, at);
	ASSERT_EQ(4, filters(start, size));
	EXPECT_EQ((unsigned long)at + 0x10, start[0]);
	EXPECT_EQ(0x20, size[0]);
}

TEST_HARNESS_MAIN
