// SPDX-License-Identifier: GPL-2.0
/*
 * No unfinished record is published. A task writes large records with a copy of its stack.
 * The stack is filled with one value, a different one each time. A timer interrupts the
 * task and writes other records. A reader on another CPU reads each record as soon as
 * data_head includes it. From then on no byte of it changes, and all bytes of the stack are
 * equal.
 */
#include <pthread.h>
#include <asm/perf_regs.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#if defined(__x86_64__)
#define STACK_POINTER	PERF_REG_X86_SP
#define RELAX		"pause"
#elif defined(__aarch64__)
#define STACK_POINTER	PERF_REG_ARM64_SP
#define RELAX		"yield"
#elif defined(__riscv)
#define STACK_POINTER	PERF_REG_RISCV_SP
#define RELAX		"nop"
#elif defined(__powerpc__)
#define STACK_POINTER	PERF_REG_POWERPC_R1
#define RELAX		"or 31, 31, 31"
#elif defined(__s390x__)
#define STACK_POINTER	PERF_REG_S390_R15
#define RELAX		"nopr 7"
#endif

#define PATTERN		40960
#define EARLY		256
#define RUN_NS		(2 * NSEC_PER_SEC)

/* Let an emulator run the other CPU while one spins. */
static void relax(void)
{
	asm volatile(RELAX : : : "memory");
}

static struct perf_event_attr dump_attr(void)
{
	return PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,
		       .sample_type = PERF_SAMPLE_IDENTIFIER |
				      PERF_SAMPLE_REGS_USER |
				      PERF_SAMPLE_STACK_USER,
		       .sample_regs_user = 1ULL << STACK_POINTER,
		       .sample_stack_user = 49152, .sample_id_all = 1,
		       .read_format = PERF_FORMAT_LOST, .exclude_kernel = 1);
}

/*
 * Samples without a stack are short, and frequent. The PMU's interrupt may be one that
 * cannot be masked.
 */
static struct perf_event_attr tick_attr(bool of_pmu)
{
	return PERF_ATTR(of_pmu ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
			 of_pmu ? PERF_COUNT_HW_CPU_CYCLES :
				  PERF_COUNT_SW_CPU_CLOCK,
			 .sample_period = 20000, .disabled = 1,
			 .sample_type = PERF_SAMPLE_IDENTIFIER,
			 .sample_id_all = 1);
}

/**
 * struct shared - state that the writer and the reader share
 * @dumps: attributes of the event that samples the stack
 * @ticks: attributes of the other sampling events
 * @dumps_id: id of the event of @dumps
 * @ticks_id: ids of the events of @ticks: the timer's and the PMU's
 * @buf: the buffer of all events
 * @pattern: the value of the bytes on the writer's stack
 * @reader_cpu: CPU of the reader
 * @stop: the reader must stop
 * @nr_dumps: number of stack samples that were read
 * @nr_ticks: number of other samples that were read
 * @nr_lost: number of lost samples, from the records that were read
 * @torn: number of stack samples with bytes that differ
 * @early: end of a record when data_head was read
 * @changed: number of records that were not finished at that time
 * @wrong: number of other impossible records
 */
struct shared {
	struct perf_event_attr dumps;
	struct perf_event_attr ticks;
	__u64 dumps_id;
	__u64 ticks_id[2];
	struct perf_buf buf;
	const unsigned char *pattern;
	int reader_cpu;
	bool stop;
	size_t nr_dumps;
	size_t nr_ticks;
	size_t nr_lost;
	size_t torn;
	unsigned char early[EARLY];
	size_t changed;
	size_t wrong;
};

static bool is_even(const struct shared *s, const struct perf_rec *rec)
{
	unsigned long sp = rec->regs_user ? rec->regs_user[0] : 0;
	size_t from = (unsigned long)s->pattern - sp;
	const unsigned char *byte = rec->stack;

	if (rec->stack_valid > rec->stack_size || from >= rec->stack_size ||
	    rec->stack_valid < from + PATTERN)
		return false;
	return !memcmp(byte + from, byte + from + 1, PATTERN - 1);
}

static void take(struct shared *s, const struct perf_event_header *header)
{
	const __u64 *id = (const void *)(header + 1);
	struct perf_rec rec;

	if (header->type == PERF_RECORD_LOST) {
		s->nr_lost += ((const struct perf_lost *)header)->lost;
	} else if (header->type == PERF_RECORD_THROTTLE ||
		   header->type == PERF_RECORD_UNTHROTTLE) {
		return;
	} else if (header->type != PERF_RECORD_SAMPLE) {
		s->wrong++;
	} else if (*id == s->dumps_id) {
		s->nr_dumps++;
		s->torn += !perf_rec_parse(&s->dumps, header, &rec) ||
			   !is_even(s, &rec);
	} else if (*id == s->ticks_id[0] || *id == s->ticks_id[1]) {
		s->nr_ticks++;
		s->wrong += !perf_rec_parse(&s->ticks, header, &rec);
	} else {
		s->wrong++;
	}
}

/* The end of the record at the reader's position. It is written last. */
static size_t look_early(struct shared *s)
{
	const struct perf_buf *buf = &s->buf;
	struct perf_event_header header;
	size_t len;

	perf_buf_copy(buf, buf->pos, &header, sizeof(header));
	len = header.size < EARLY ? header.size : EARLY;
	perf_buf_copy(buf, buf->pos + header.size - len, s->early, len);
	return len;
}

static void read_eagerly(struct shared *s)
{
	const struct perf_event_header *header;
	size_t len;

	while (perf_buf_fill(&s->buf)) {
		len = look_early(s);
		header = perf_buf_next(&s->buf);
		if (!header)
			return;
		s->changed += header->size < len ||
			      memcmp(s->early, (const char *)header +
				     header->size - len, len);
		take(s, header);
	}
}

static void *eager_reader(void *arg)
{
	struct shared *s = arg;

	pin_to_cpu(s->reader_cpu);
	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED) && !s->buf.bad) {
		read_eagerly(s);
		relax();
	}
	return NULL;
}

/* Let the reader wait for the next record, to read it while it is written. */
static void wait_for_reader(struct shared *s)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);

	while (__atomic_load_n(&s->buf.meta->data_tail, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&s->buf.meta->data_head, __ATOMIC_RELAXED) &&
	       clock_ns(CLOCK_MONOTONIC) - start < NSEC_PER_MSEC)
		relax();
}

/* The reader has seen both kinds of samples, or has given up. */
static bool has_read_both(const struct shared *s)
{
	return __atomic_load_n(&s->buf.bad, __ATOMIC_RELAXED) ||
	       (__atomic_load_n(&s->nr_dumps, __ATOMIC_RELAXED) &&
		__atomic_load_n(&s->nr_ticks, __ATOMIC_RELAXED));
}

/* The page is discarded each time, so that it faults, and hardly anything else happens. */
static void write_dumps(struct shared *s, int fd)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned char pattern[PATTERN];
	volatile char *fresh = map_fresh_pages(1);
	unsigned int value = 0;

	s->pattern = pattern;
	memset(pattern, 0, sizeof(pattern));
	perf_enable(fd);
	while (clock_ns(CLOCK_MONOTONIC) - start < RUN_NS || !has_read_both(s)) {
		memset(pattern, ++value, sizeof(pattern));
		madvise((void *)fresh, page, MADV_DONTNEED);
		wait_for_reader(s);
		*fresh = value;
	}
	perf_disable(fd);
}

static int open_all(struct shared *s, int *dumps, int *ticks)
{
	int i;

	s->dumps = dump_attr();
	s->ticks = tick_attr(false);
	*dumps = perf_open_self(s->dumps);
	if (*dumps < 0 || perf_buf_map(&s->buf, *dumps, 64))
		return -ENOENT;
	s->dumps_id = perf_event_id(*dumps);
	for (i = 0; i < 2; i++) {
		ticks[i] = perf_open_self(tick_attr(i));
		if (ticks[i] < 0)
			continue;
		s->ticks_id[i] = perf_event_id(ticks[i]);
		if (perf_ioctl(ticks[i], PERF_EVENT_IOC_SET_OUTPUT, *dumps))
			return -EINVAL;
	}
	return ticks[0] < 0 ? ticks[0] : 0;
}

/* Too large for a stack that is copied. */
static struct shared shared;

TEST(interrupted_dumps)
{
	struct shared *s = &shared;
	struct perf_count_lost count;
	int dumps, ticks[2];
	pthread_t reader;

	s->reader_cpu = nth_cpu(1);
	if (s->reader_cpu < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, open_all(s, &dumps, ticks));
	pin_to_cpu(nth_cpu(0));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&s->buf);
	ASSERT_EQ(0, pthread_create(&reader, NULL, eager_reader, s));
	perf_enable(ticks[0]);
	perf_enable(ticks[1]);
	write_dumps(s, dumps);
	perf_disable(ticks[1]);
	perf_disable(ticks[0]);
	__atomic_store_n(&s->stop, true, __ATOMIC_RELAXED);
	pthread_join(reader, NULL);
	read_eagerly(s);
	count = perf_counted(dumps);
	EXPECT_FALSE(s->buf.bad);
	EXPECT_EQ(0, s->changed);
	EXPECT_EQ(0, s->torn);
	EXPECT_EQ(0, s->wrong);
	EXPECT_NE(0, s->nr_dumps);
	EXPECT_NE(0, s->nr_ticks);
	EXPECT_EQ(count.value, s->nr_dumps + count.lost);
	if (getenv("PERF_TEST_SHOW"))
		TH_LOG("%zu dumps, %zu ticks, %zu lost", s->nr_dumps,
		       s->nr_ticks, s->nr_lost);
}

TEST_HARNESS_MAIN
