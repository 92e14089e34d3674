// SPDX-License-Identifier: GPL-2.0
/*
 * Arm's instruction trace: the base's PMU cs_etm, its CoreSight core and its driver of the trace
 * buffer (TRBE), on an emulator of the buffer's registers, CONFIG_ARM64_PMU_EMULATOR. The test says
 * how many bytes a CPU traces, and compares each byte.
 */
#include "../lib/aux.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"

#define EMULATOR	"/sys/kernel/debug/arm64_trbe_emulator"
#define PMU		"cs_etm"

/* What the emulator has: byte n is n modulo PRIME. The driver pads with PADDING. */
#define PRIME		101
#define PADDING		0x70
#define ALIGN		64
#define AUX_PAGES	4

#define RAW		PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW

/* TRBSR_EL1 */
#define ABORTED		(1UL << 18)

/* Why some cases are skipped on the stock kernel. */
#define STAYS_OFF	"the first ENABLE after an area was full has no effect"

static int emulator_set(const char *file, unsigned long value)
{
	return folder_write_long(EMULATOR, file, value);
}

static long emulator_get(const char *file)
{
	return folder_read_long(EMULATOR, file);
}

/* The number that selects the buffer of a CPU, for perf_event_attr::config2. */
static long sink_of(int cpu)
{
	char file[64], text[64];

	snprintf(file, sizeof(file), "sinks/trbe%d", cpu);
	if (read_pmu_file(PMU, file, text, sizeof(text)) <= 0)
		return -1;
	return strtol(text, NULL, 0);
}

FIXTURE(coresight)
{
	struct perf_event_attr attr;
	struct aux_area area;
	bool mapped;
	int cpu;
	int other;	/* another CPU, or -1 */
};

FIXTURE_SETUP(coresight)
{
	if (access(EMULATOR "/present", W_OK))
		SKIP(return, "no emulator of TRBE: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	ASSERT_EQ(0, emulator_set("present", 1));
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	self->attr = PERF_ATTR(pmu_type(PMU), 0, .disabled = 1);
}

FIXTURE_TEARDOWN(coresight)
{
	if (access(EMULATOR "/present", W_OK))
		return;
	if (self->mapped)
		aux_unmap(&self->area);
	/* The driver has written no register that the trace unit owned. */
	EXPECT_EQ(0, emulator_get("misuse"));
	/* Paths are released a little later than the area. */
	EXPECT_TRUE(COMES_TRUE(emulator_set("present", 0) == 0));
	EXPECT_EQ(-1, sink_of(self->cpu));
}

static void cs_open(struct __test_metadata *_metadata, FIXTURE_DATA(coresight) *self, pid_t pid,
		    int cpu, int prot)
{
	int fd = perf_open(self->attr, pid, cpu, -1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, aux_map(&self->area, fd, AUX_PAGES, prot));
	self->mapped = true;
	ASSERT_EQ(0, perf_enable(fd));
}

/* An event of this CPU, so that preempting the test does not end a transaction. */
static void cs_open_here(struct __test_metadata *_metadata, FIXTURE_DATA(coresight) *self)
{
	cs_open(_metadata, self, -1, self->cpu, PROT_READ | PROT_WRITE);
}

/* Check the bytes of a record, the first of which is the emulator's byte with this number. */
static bool trace_is_right(const struct aux_area *area, const struct aux_news *news, __u64 number)
{
	unsigned char *bytes = malloc(news->size);
	bool right = true;

	aux_copy(area, news->offset, bytes, news->size);
	for (__u64 i = 0; i < news->size && right; i++)
		right = bytes[i] == (number + i) % PRIME;
	free(bytes);
	return right;
}

/* Map an area for a sink. Returns 0 or a negative errno. */
static int try_sink(FIXTURE_DATA(coresight) *self, __u64 sink)
{
	struct perf_event_attr attr = self->attr;
	struct aux_area area;
	int fd, err;

	attr.config2 = sink;
	fd = perf_open(attr, -1, self->cpu, -1);
	if (fd < 0)
		return fd;
	err = aux_map(&area, fd, AUX_PAGES, PROT_READ | PROT_WRITE);
	if (err)
		close(fd);
	else
		aux_unmap(&area);
	return err;
}

TEST_F(coresight, in_sysfs)
{
	char text[64];

	EXPECT_LT(0, sink_of(self->cpu));
	snprintf(text, sizeof(text), PMU_DEVICES "/" PMU "/cpu%d", self->cpu);
	EXPECT_EQ(0, access(text, F_OK));
	ASSERT_LT(0, read_pmu_file(PMU, "format/sinkid", text, sizeof(text)));
	EXPECT_STREQ("config2:0-31", text);
}

TEST_F(coresight, each_byte)
{
	const struct aux_news *news;
	__u64 first;

	cs_open_here(_metadata, self);
	first = emulator_get("written");
	ASSERT_EQ(0, emulator_set("trace", 1000));
	/* There is no record before there is a reason. */
	EXPECT_EQ(NULL, aux_next(&self->area));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(0, news->offset);
	EXPECT_EQ(1000, news->size);
	EXPECT_EQ(RAW, news->flags);
	EXPECT_TRUE(trace_is_right(&self->area, news, first));
	EXPECT_EQ(1000, perf_buf_aux_head(&self->area.buf));
	/* A disabled event does not trace. The next part begins at an aligned address. */
	ASSERT_EQ(0, emulator_set("trace", 50));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("trace", 10));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(1024, news->offset);
	EXPECT_EQ(10, news->size);
	EXPECT_TRUE(trace_is_right(&self->area, news, first + 1000));
	for (int i = 1000; i < 1024; i++)
		EXPECT_EQ(PADDING, self->area.bytes[i]);
}

/* The number of the trace is reported once. */
TEST_F(coresight, hardware_id)
{
	const struct perf_event_header *header;
	__u64 id;

	cs_open_here(_metadata, self);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, perf_disable(self->area.fd));
		ASSERT_EQ(0, perf_enable(self->area.fd));
	}
	header = perf_buf_next_of(&self->area.buf, PERF_RECORD_AUX_OUTPUT_HW_ID);
	ASSERT_NE(NULL, header);
	id = *(const __u64 *)(header + 1);
	EXPECT_LT(0, id & 0xff);
	EXPECT_EQ(sink_of(self->cpu), id >> 8 & 0xffffffff);
	EXPECT_EQ(NULL, perf_buf_next_of(&self->area.buf, PERF_RECORD_AUX_OUTPUT_HW_ID));
}

/* A reader that reads in time gets each byte, around the end of the area. */
TEST_F(coresight, around_the_end)
{
	const struct aux_news *news;
	__u64 next, seen = 0, got = 0;
	int wraps = 0;

	cs_open_here(_metadata, self);
	next = emulator_get("written");
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(0, emulator_set("trace", 3001));
		if (i == 39)
			ASSERT_EQ(0, perf_disable(self->area.fd));
		while ((news = aux_next(&self->area))) {
			/* The trace may have gaps where the buffer was full. */
			EXPECT_EQ(RAW, news->flags & ~PERF_AUX_FLAG_COLLISION);
			wraps += !!(news->flags & PERF_AUX_FLAG_COLLISION);
			EXPECT_LE(seen, news->offset);
			ASSERT_TRUE(trace_is_right(&self->area, news, next));
			next += news->size;
			got += news->size;
			seen = news->offset + news->size;
			aux_set_tail(&self->area, seen);
		}
	}
	EXPECT_EQ(40 * 3001, got);
	EXPECT_LE(7, wraps);
}

/* The rest is lost. The event is disabled until the reader enables it again. */
TEST_F(coresight, full)
{
	const struct aux_news *news;
	__u64 next, seen = 0, flags = 0;

	cs_open_here(_metadata, self);
	next = emulator_get("written");
	ASSERT_EQ(0, emulator_set("trace", 2 * self->area.size));
	while ((news = aux_next(&self->area))) {
		EXPECT_FALSE(flags & PERF_AUX_FLAG_TRUNCATED);
		flags = news->flags;
		ASSERT_TRUE(trace_is_right(&self->area, news, next));
		next += news->size;
		seen = news->offset + news->size;
	}
	EXPECT_TRUE(flags & PERF_AUX_FLAG_TRUNCATED);
	EXPECT_LE(self->area.size - page_size, seen);
	EXPECT_EQ(emulator_get("written"), next);
	ASSERT_EQ(0, emulator_set("trace", 64));
	EXPECT_EQ(emulator_get("written"), next);

	aux_set_tail(&self->area, perf_buf_aux_head(&self->area.buf));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("trace", 100));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	SKIP_STOCK_FAULT(!news, STAYS_OFF);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(100, news->size);
	EXPECT_TRUE(trace_is_right(&self->area, news, next));
}

/* Without PROT_WRITE old bytes are overwritten. */
TEST_F(coresight, snapshot)
{
	const struct aux_news *news;
	unsigned char *bytes;
	__u64 end = 0, last;

	cs_open(_metadata, self, -1, self->cpu, PROT_READ);
	ASSERT_EQ(0, emulator_set("trace", 3 * self->area.size + 10 * ALIGN));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	last = emulator_get("written");
	while ((news = aux_next(&self->area))) {
		EXPECT_TRUE(news->flags & PERF_AUX_FLAG_OVERWRITE);
		end = news->offset;
	}
	EXPECT_EQ(3 * self->area.size + 10 * ALIGN, end);
	EXPECT_EQ(end, perf_buf_aux_head(&self->area.buf));
	bytes = malloc(self->area.size);
	aux_copy(&self->area, end - self->area.size, bytes, self->area.size);
	for (size_t i = 0; i < self->area.size; i++)
		ASSERT_EQ((last - self->area.size + i) % PRIME, bytes[i]);
	free(bytes);
}

/* An event of a CPU can only use the buffer of this CPU. */
TEST_F(coresight, sinks)
{
	EXPECT_EQ(0, try_sink(self, sink_of(self->cpu)));
	/* If there is no such buffer, the driver takes the CPU's buffer. */
	EXPECT_EQ(0, try_sink(self, 0x12345));
	if (self->other >= 0)
		EXPECT_EQ(-ENOMEM, try_sink(self, sink_of(self->other)));
}

TEST_F(coresight, aborted)
{
	const struct aux_news *news;

	cs_open_here(_metadata, self);
	ASSERT_EQ(0, emulator_set("trace", 64));
	ASSERT_EQ(0, emulator_set("syndrome", ABORTED));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(RAW | PERF_AUX_FLAG_TRUNCATED, news->flags);
	EXPECT_EQ(0, news->size);
	/* The event is disabled. */
	EXPECT_EQ(-ENODEV, emulator_set("syndrome", ABORTED));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	ASSERT_EQ(0, emulator_set("trace", 128));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	SKIP_STOCK_FAULT(!news, STAYS_OFF);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(128, news->size);
}

/* Set filters, enable the event, and compare what the trace unit gets. */
static void expect_filters(struct __test_metadata *_metadata, FIXTURE_DATA(coresight) *self,
			   const char *filters, const char *expected)
{
	char text[256] = "";

	ASSERT_EQ(0, perf_disable(self->area.fd));
	ASSERT_EQ(0, perf_ioctl(self->area.fd, PERF_EVENT_IOC_SET_FILTER,
				(unsigned long)filters));
	ASSERT_EQ(0, perf_enable(self->area.fd));
	file_read(EMULATOR "/filters", text, sizeof(text));
	EXPECT_STREQ(expected, text);
}

TEST_F(coresight, address_filters)
{
	int fd;

	cs_open_here(_metadata, self);
	fd = self->area.fd;
	expect_filters(_metadata, self, "filter 0xffff800080001000/0x2000",
		       "2 ffff800080001000 ffff800080003000\n");
	/* The driver does not clear the end of the range before. */
	expect_filters(_metadata, self, "start 0xffff800080001000, stop 0xffff800080002000",
		       "3 ffff800080001000 ffff800080003000\n4 0 ffff800080002000\n");
	/* The driver refuses ranges beside addresses, and more than it has comparators for. */
	EXPECT_EQ(-EOPNOTSUPP, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)
		  "filter 0xffff800080001000/0x2000, start 0xffff800080001000"));
	EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)
		  "filter 0xffff800080001000"));
	EXPECT_EQ(-EOPNOTSUPP, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)
		  "start 1,start 2,start 3,start 4,start 5,start 6,start 7,start 8,start 9"));
}

/* Each CPU has a buffer of its own, and the task one area. */
TEST_F(coresight, a_task_that_moves)
{
	const struct aux_news *news;
	__u64 got = 0;

	cs_open(_metadata, self, 0, -1, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 32; i++) {
		ASSERT_EQ(0, emulator_set("trace", 100));
		if (self->other >= 0)
			ASSERT_EQ(0, pin_to_cpu(i % 2 ? self->cpu : self->other));
		switch_out(1);
	}
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area))) {
		EXPECT_EQ(RAW, news->flags & ~PERF_AUX_FLAG_COLLISION);
		got += news->size;
	}
	EXPECT_EQ(32 * 100, got);
}

/* A child's trace is in the parent's area. The area is for one CPU. */
TEST_F(coresight, a_child)
{
	const struct aux_news *news;
	__u64 got = 0;

	self->attr.inherit = 1;
	cs_open(_metadata, self, 0, self->cpu, PROT_READ | PROT_WRITE);
	if (fork_child() == 0)
		_exit(emulator_set("trace", 500) ? 1 : 0);
	EXPECT_EQ(0, wait_status(-1));
	ASSERT_EQ(0, emulator_set("trace", 20));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	while ((news = aux_next(&self->area)))
		got += news->size;
	EXPECT_EQ(520, got);
}

/* The PMU is exclusive: an event of the CPU and one of a task cannot both exist. */
TEST_F(coresight, exclusive)
{
	cs_open_here(_metadata, self);
	EXPECT_EQ(-EBUSY, perf_try(self->attr, 0, -1, -1, 0));
	/* The emulator stays while a path exists. */
	EXPECT_EQ(-EBUSY, emulator_set("present", 0));
}

/*
 * The CPU goes away while it traces. The driver resets the buffer before the event stops: what
 * it had is lost, and the transaction ends like one without data. The event stays without a CPU; a
 * new one traces.
 */
TEST_F(coresight, offline)
{
	const struct aux_news *news;
	cpu_set_t all;
	int victim;

	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	victim = hotplug_cpu();
	if (victim <= self->cpu)
		SKIP(return, "no other CPU can be taken offline");
	ASSERT_EQ(0, pin_to_cpu(victim));
	cs_open(_metadata, self, -1, victim, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, emulator_set("trace", 300));
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, cpu_set_online(victim, false));
	ASSERT_EQ(0, cpu_set_online(victim, true));
	EXPECT_EQ(NULL, aux_next(&self->area));
	EXPECT_EQ(0, perf_buf_aux_head(&self->area.buf));
	aux_unmap(&self->area);
	self->mapped = false;

	ASSERT_EQ(0, pin_to_cpu(victim));
	cs_open(_metadata, self, -1, victim, PROT_READ | PROT_WRITE);
	ASSERT_EQ(0, emulator_set("trace", 40));
	ASSERT_EQ(0, perf_disable(self->area.fd));
	news = aux_next(&self->area);
	ASSERT_NE(NULL, news);
	EXPECT_EQ(40, news->size);
	pin_to_cpu(self->cpu);
}

TEST_HARNESS_MAIN
