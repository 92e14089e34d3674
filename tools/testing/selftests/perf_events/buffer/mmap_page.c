// SPDX-License-Identifier: GPL-2.0
/*
 * The control page of a mapped event: each field, and what a program can compute from
 * it without a system call: the current time_enabled, a sample's time from the cycle
 * counter, a count from the hardware's counter.
 */
#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

/* For rounding and for the adjustments of the kernel's clock. */
#define SLACK_NS	2000

#if defined(__x86_64__)
static __u64 read_cycles(void)
{
	__u32 low, high;

	asm volatile("lfence; rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (__u64)high << 32 | low;
}
#elif defined(__aarch64__)
static __u64 read_cycles(void)
{
	__u64 cycles;

	asm volatile("isb; mrs %0, cntvct_el0" : "=r" (cycles) : : "memory");
	return cycles;
}
#elif defined(__riscv)
static __u64 read_cycles(void)
{
	__u64 cycles;

	asm volatile("fence; rdtime %0" : "=r" (cycles) : : "memory");
	return cycles;
}
#else
static __u64 read_cycles(void)
{
	return 0;
}
#endif

/* A consistent copy. The lock is odd while the kernel writes. */
static struct perf_event_mmap_page page_copy(struct perf_event_mmap_page *page)
{
	struct perf_event_mmap_page copy;
	__u32 lock;

	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		memcpy(&copy, page, sizeof(copy));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((lock & 1) || __atomic_load_n(&page->lock,
					       __ATOMIC_RELAXED) != lock);
	return copy;
}

static __u64 scaled(const struct perf_event_mmap_page *page, __u64 cycles)
{
	__u64 whole, rest;

	if (page->cap_user_time_short)
		cycles = page->time_cycles +
			 ((cycles - page->time_cycles) & page->time_mask);
	whole = cycles >> page->time_shift;
	rest = cycles & ((1ULL << page->time_shift) - 1);
	return whole * page->time_mult +
	       ((rest * page->time_mult) >> page->time_shift);
}

/* The current time on the clock of samples. */
static __u64 sample_time_now(struct perf_event_mmap_page *page)
{
	struct perf_event_mmap_page copy = page_copy(page);

	return copy.time_zero + scaled(&copy, read_cycles());
}

/*
 * The current time_enabled, if the event is enabled. A switch of the task changes the
 * page.
 */
static __u64 enabled_now(struct perf_event_mmap_page *page)
{
	struct perf_event_mmap_page copy;
	__u64 cycles;

	do {
		copy = page_copy(page);
		cycles = read_cycles();
	} while (page_copy(page).lock != copy.lock);
	return copy.time_enabled + copy.time_offset + scaled(&copy, cycles);
}

static struct perf_event_attr timed_faults(void)
{
	return PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
		       .sample_type = PERF_SAMPLE_TIME,
		       .read_format = PERF_ALL_TIMES);
}

FIXTURE(page)
{
	int fd;
	struct perf_buf buf;
	struct perf_event_mmap_page *page;
};

FIXTURE_SETUP(page)
{
	self->fd = perf_open_self(timed_faults());
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->fd, 4));
	self->page = self->buf.meta;
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&self->buf);
}

FIXTURE_TEARDOWN(page)
{
}

TEST_F(page, layout)
{
	size_t page_size = sysconf(_SC_PAGESIZE), i;

	EXPECT_EQ(0, self->page->version);
	EXPECT_EQ(0, self->page->compat_version);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, __reserved),
		  self->page->size);
	EXPECT_EQ(1024, offsetof(struct perf_event_mmap_page, data_head));
	EXPECT_EQ(0, self->page->data_head);
	EXPECT_EQ(0, self->page->data_tail);
	EXPECT_EQ(page_size, self->page->data_offset);
	EXPECT_EQ(4 * page_size, self->page->data_size);
	EXPECT_EQ(0, self->page->aux_head);
	EXPECT_EQ(0, self->page->aux_tail);
	EXPECT_EQ(0, self->page->aux_offset);
	EXPECT_EQ(0, self->page->aux_size);
	EXPECT_EQ(0, self->page->__reserved_1);
	for (i = 0; i < sizeof(self->page->__reserved); i++)
		EXPECT_EQ(0, self->page->__reserved[i]);
	/* No kernel memory is behind the fields. */
	for (i = sizeof(*self->page); i < page_size; i++)
		EXPECT_EQ(0, ((unsigned char *)self->page)[i]);
	for (i = 0; i < self->buf.size; i++)
		EXPECT_EQ(0, self->buf.data[i]);
}

TEST_F(page, capabilities)
{
	EXPECT_EQ(0, self->page->cap_bit0 + 0);
	EXPECT_EQ(1, self->page->cap_bit0_is_deprecated + 0);
	/* The hardware does not count this event. */
	EXPECT_EQ(0, self->page->cap_user_rdpmc + 0);
	EXPECT_EQ(0, self->page->index);
	EXPECT_EQ(0, self->page->pmc_width);
	EXPECT_EQ(0, self->page->cap_____res + 0);
	EXPECT_LE(self->page->cap_user_time_zero |
		  self->page->cap_user_time_short,
		  self->page->cap_user_time + 0);
	if (self->page->cap_user_time) {
		EXPECT_NE(0, self->page->time_mult);
		EXPECT_GT(64, self->page->time_shift);
	}
	if (!self->page->cap_user_time_short) {
		EXPECT_EQ(0, self->page->time_cycles);
		EXPECT_EQ(0, self->page->time_mask);
	}
}

TEST(without_data)
{
	int fd = perf_open_self(timed_faults());
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	EXPECT_EQ(sysconf(_SC_PAGESIZE), buf.meta->data_offset);
	EXPECT_EQ(0, buf.meta->data_size);
	EXPECT_EQ(0, buf.meta->data_head);
	EXPECT_EQ(0, buf.meta->lock & 1);
	EXPECT_NE(0, buf.meta->size);
}

/* The lock is even after any operation on the event. */
TEST_F(page, lock)
{
	__u32 before = self->page->lock;
	int i;

	EXPECT_EQ(0, before & 1);
	EXPECT_NE(0, before);
	for (i = 0; i < 20; i++) {
		perf_fault(self->fd, 1);
		EXPECT_EQ(0, self->page->lock & 1);
		perf_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0);
		EXPECT_EQ(0, self->page->lock & 1);
		sleep_ms(1);
		EXPECT_EQ(0, self->page->lock & 1);
	}
	/* A reader detects a change by the lock. */
	EXPECT_NE(before, self->page->lock);
}

/* With index 0 the count is in offset, as of the last update. */
TEST_F(page, offset)
{
	EXPECT_EQ(0, self->page->offset);
	perf_fault(self->fd, 5);
	perf_enable(self->fd);
	EXPECT_EQ(5, page_copy(self->page).offset);
	perf_disable(self->fd);
	perf_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(0, page_copy(self->page).offset);
}

static void check_sample_time(struct __test_metadata *_metadata,
			      struct _test_data_page *self)
{
	struct perf_event_attr attr = timed_faults();
	const struct perf_event_header *header;
	__u64 before, after;
	struct perf_rec rec;

	before = sample_time_now(self->page);
	perf_fault(self->fd, 1);
	after = sample_time_now(self->page);
	header = perf_buf_next(&self->buf);
	ASSERT_NE(NULL, header);
	ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
	ASSERT_LE(before, rec.time + SLACK_NS);
	ASSERT_GE(after + SLACK_NS, rec.time);
}

/* The sample of a fault lies between two times that are computed before and after it. */
TEST_F(page, time_of_samples)
{
	int i;

	if (!self->page->cap_user_time_zero)
		SKIP(return, "the clock cannot be derived from the counter");
	for (i = 0; i < 50; i++) {
		check_sample_time(_metadata, self);
		if (i % 10 == 9)
			sleep_ms(20);
	}
	/* The same on another CPU. */
	pin_to_cpu(nth_cpu(1));
	check_sample_time(_metadata, self);
}

/*
 * Where the page offers the time of the kernel's clock, the time of another clock follows the same
 * rule, or is not offered.
 */
TEST(time_of_other_clock)
{
	struct perf_event_attr attr = timed_faults();
	__u64 before, here, after;
	struct perf_buf buf;
	int fd;

	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	if (!buf.meta->cap_user_time_zero)
		SKIP(return, "the page does not offer the time of any clock");
	perf_buf_unmap(&buf);
	close(fd);

	attr.use_clockid = 1;
	attr.clockid = CLOCK_REALTIME;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	if (!buf.meta->cap_user_time_zero)
		return;
	before = clock_ns(CLOCK_REALTIME);
	here = sample_time_now(buf.meta);
	after = clock_ns(CLOCK_REALTIME);
#ifdef __riscv
	SKIP(return, "riscv_pmu.c of the base has the kernel's clock for every event");
#endif
	SKIP_STOCK_FAULT(here + SLACK_NS < before || after + SLACK_NS < here,
			 "time_zero is not of the clock in the attributes");
	EXPECT_LE(before, here + SLACK_NS);
	EXPECT_GE(after + SLACK_NS, here);
}

/*
 * time_enabled is as old as the page's last update. With the counter a program can
 * compute the current one.
 */
static void check_enabled(struct __test_metadata *_metadata, int fd,
			  struct perf_event_mmap_page *page)
{
	struct perf_event_mmap_page copy;
	__u64 before, here, after;

	before = perf_timed_count(fd).enabled;
	here = enabled_now(page);
	copy = page_copy(page);
	after = perf_timed_count(fd).enabled;
	EXPECT_LE(before, here + SLACK_NS);
	EXPECT_GE(after + SLACK_NS, here);
	EXPECT_LE(copy.time_enabled, after);
	EXPECT_LE(copy.time_running, copy.time_enabled);
}

TEST_F(page, time_enabled)
{
	int cpus[2], nr_cpus = list_cpus(cpus, 2), i;
	struct perf_timed t;

	if (!self->page->cap_user_time)
		SKIP(return, "the clock cannot be derived from the counter");
	EXPECT_EQ(0, self->page->time_enabled);
	EXPECT_EQ(0, self->page->time_running);
	perf_enable(self->fd);
	for (i = 0; i < 10; i++) {
		check_enabled(_metadata, self->fd, self->page);
		burn_cpu(NSEC_PER_MSEC);
		check_enabled(_metadata, self->fd, self->page);
		/* The time does not advance while the task sleeps. */
		sleep_ms(5);
		check_enabled(_metadata, self->fd, self->page);
		pin_to_cpu(cpus[i % nr_cpus]);
	}
	perf_disable(self->fd);
	perf_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0);
	t = perf_timed_count(self->fd);
	EXPECT_EQ(t.enabled, self->page->time_enabled);
	EXPECT_EQ(t.running, self->page->time_running);
}

/* A page that is mapped later has the current times. */
TEST(time_enabled_before_mapping)
{
	struct perf_event_attr attr = timed_faults();
	struct perf_buf buf;
	__u64 before;
	int fd;

	attr.disabled = 0;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	burn_cpu(3 * NSEC_PER_MSEC);
	before = perf_timed_count(fd).enabled;
	ASSERT_LE(2 * NSEC_PER_MSEC, before);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	EXPECT_LE(before, page_copy(buf.meta).time_enabled);
	EXPECT_LE(before, page_copy(buf.meta).time_running);
	if (buf.meta->cap_user_time)
		check_enabled(_metadata, fd, buf.meta);
}

TEST(time_enabled_of_cpu)
{
	struct perf_event_attr attr = timed_faults();
	struct perf_buf buf;
	int fd;

	attr.disabled = 0;
	fd = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	if (!buf.meta->cap_user_time)
		SKIP(return, "the clock cannot be derived from the counter");
	check_enabled(_metadata, fd, buf.meta);
	sleep_ms(20);
	check_enabled(_metadata, fd, buf.meta);
}

#define MANY	100

/* Many mapped events: siblings of @leader, or single events. All of them have @attr. */
static int map_many(struct perf_event_attr attr, int leader, struct perf_buf *bufs, int *fds)
{
	int i, err;

	for (i = 0; i < MANY; i++) {
		fds[i] = perf_open(attr, 0, -1, leader);
		if (fds[i] < 0)
			return fds[i];
		err = perf_buf_map(&bufs[i], fds[i], 0);
		if (err)
			return err;
	}
	return 0;
}

static void get_locks(struct perf_buf *bufs, __u32 *locks)
{
	int i;

	for (i = 0; i < MANY; i++)
		locks[i] = page_copy(bufs[i].meta).lock;
}

/* The number of pages that were written since get_locks(). */
static int nr_written(struct perf_buf *bufs, const __u32 *locks)
{
	int i, nr = 0;

	for (i = 0; i < MANY; i++)
		nr += page_copy(bufs[i].meta).lock != locks[i];
	return nr;
}

/*
 * A switch writes a bounded number of pages. The other pages have the times of their
 * last update, and are marked as such.
 */
static void check_many(struct __test_metadata *_metadata, struct perf_buf *bufs, int *fds,
		       const __u32 *locks)
{
	int i, timed = 0, written = nr_written(bufs, locks);

	for (i = 0; i < MANY; i++) {
		if (!page_copy(bufs[i].meta).cap_user_time)
			continue;
		timed++;
		check_enabled(_metadata, fds[i], bufs[i].meta);
	}
	SKIP_STOCK_FAULT(written > 32, "each page is written to");
	EXPECT_GE(32, written);
	EXPECT_GE(32, timed);
	EXPECT_LT(0, written);
}

TEST(many_at_a_switch)
{
	static struct perf_buf bufs[MANY];
	struct perf_event_attr attr = timed_faults();
	__u32 locks[MANY];
	int fds[MANY];

	attr.disabled = 0;
	ASSERT_EQ(0, map_many(attr, -1, bufs, fds));
	get_locks(bufs, locks);
	switch_out(1);
	check_many(_metadata, bufs, fds, locks);
	/* One event is unmapped. Switches write the page of another one instead. */
	ASSERT_EQ(0, perf_buf_unmap(&bufs[0]));
	ASSERT_EQ(0, perf_buf_map(&bufs[0], fds[0], 0));
	EXPECT_EQ(page_copy(bufs[0].meta).cap_user_time + 0,
		  page_copy(bufs[1].meta).cap_user_time + 0);
}

/*
 * The same for siblings: their pages are written when the leader is enabled or
 * disabled.
 */
TEST(many_siblings)
{
	static struct perf_buf bufs[MANY];
	struct perf_event_attr attr = timed_faults();
	int fds[MANY], leader;
	__u32 locks[MANY];

	leader = perf_open_self(attr);
	ASSERT_LE(0, leader);
	attr.disabled = 0;
	ASSERT_EQ(0, map_many(attr, leader, bufs, fds));
	get_locks(bufs, locks);
	perf_enable(leader);
	check_many(_metadata, bufs, fds, locks);
}

/* What user space writes there is overwritten, or has no effect on the kernel. */
TEST_F(page, scribbled_over)
{
	struct perf_event_mmap_page good = page_copy(self->page);

	memset((char *)self->page, 0xa5, 1024);
	self->page->data_head = 999;
	perf_fault(self->fd, 3);
	perf_ioctl(self->fd, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(3 * 16, self->page->data_head);
	/* without the capability the kernel does not write the fields of the time */
	if (good.cap_user_time) {
		EXPECT_EQ(good.time_mult, self->page->time_mult);
		EXPECT_EQ(good.time_shift, self->page->time_shift);
		EXPECT_EQ(good.time_zero, self->page->time_zero);
	}
	EXPECT_EQ(0, self->page->index);
	EXPECT_EQ(0, self->page->offset);
	self->page->data_offset = 1;
	self->page->data_size = 1ULL << 40;
	self->page->size = 0;
	EXPECT_EQ(3, perf_buf_count(&self->buf));
	EXPECT_TRUE(perf_buf_works(&self->buf, self->fd));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->fd, 3));
	EXPECT_EQ(0, perf_try_pages(self->fd, 5));
}

/* A hardware event that user space may not read shows no counter. */
TEST(hardware_event)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_HARDWARE,
						PERF_COUNT_HW_CPU_CYCLES,
						.read_format = PERF_ALL_TIMES);
	int fd = perf_open_self(attr);
	struct perf_event_mmap_page copy;
	struct perf_buf buf;
	__u64 value;

	if (fd == -ENOENT)
		SKIP(return, "no PMU");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	copy = page_copy(buf.meta);
	EXPECT_TRUE(copy.cap_user_rdpmc ? copy.pmc_width : !copy.index);
	burn_cpu(NSEC_PER_MSEC);
	perf_disable(fd);
	value = perf_timed_count(fd).value;
	copy = page_copy(buf.meta);
	EXPECT_NE(0, value);
	EXPECT_EQ(0, copy.index);
	EXPECT_EQ(value, copy.offset);
}

TEST_HARNESS_MAIN
