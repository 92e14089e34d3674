// SPDX-License-Identifier: GPL-2.0
/*
 * Many writers in one buffer for each CPU: tasks that fault, the scheduler, soft and
 * hard interrupts, each of which interrupts others in the middle of a record, and a
 * reader that is too slow. Every record is parsed. At the end each event's count must
 * be its samples plus its lost samples.
 */
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define MAX_CPUS	4
/* Writers run so long, and until there are so many samples in each ring. */
#define RUN_NS		(2 * NSEC_PER_SEC)
#define SAMPLES_MIN	20

#define SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |	\
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/**
 * struct source - an event, and the records that were read of it
 * @attr: its attributes
 * @id: its id in records
 * @fd: its descriptor
 * @samples: number of samples read so far
 * @others: number of other records read so far
 */
struct source {
	struct perf_event_attr attr;
	__u64 id;
	int fd;
	size_t samples;
	size_t others;
};

enum { FAULTS, SWITCHES, CLOCK, SIDE_BAND, WAKEUPS, SOFTIRQS, SOURCES };

/**
 * struct ring - the buffer of a CPU
 * @buf: the buffer
 * @sources: the events that write to it; not opened if fd is negative
 * @samples: number of samples of all sources read so far
 * @cpu: the CPU, -1 for the buffer of a task
 * @lost: sum of the PERF_RECORD_LOST
 * @wrong: number of impossible records
 */
struct ring {
	struct perf_buf buf;
	struct source sources[SOURCES];
	atomic_ulong samples;
	int cpu;
	__u64 lost;
	size_t wrong;
};

struct torture {
	struct ring rings[MAX_CPUS];
	int cpus[MAX_CPUS];
	int nr_cpus;
	int nr_rings;
	int nr_threads;
	size_t data_pages;
	int prot;
	__u64 sample_type;
	bool backward;
	bool stop;
};

static struct perf_event_attr source_attr(const struct torture *t, int which)
{
	struct perf_event_attr attrs[SOURCES] = {
		[FAULTS] = PERF_SW(PAGE_FAULTS, .sample_period = 1),
		[SWITCHES] = PERF_SW(CONTEXT_SWITCHES, .sample_period = 1),
		[CLOCK] = PERF_SW(CPU_CLOCK, .sample_period = 150000),
		[SIDE_BAND] = PERF_SW(DUMMY, .comm = 1, .task = 1, .mmap = 1,
				      .mmap_data = 1),
		[WAKEUPS] = PERF_ATTR(PERF_TYPE_TRACEPOINT,
				      tracepoint_id("sched/sched_wakeup"),
				      .sample_period = 1),
		[SOFTIRQS] = PERF_ATTR(PERF_TYPE_TRACEPOINT,
				       tracepoint_id("irq/softirq_entry"),
				       .sample_period = 1),
	};
	struct perf_event_attr attr = attrs[which];

	attr.sample_type = t->sample_type;
	if (attr.type == PERF_TYPE_TRACEPOINT)
		attr.sample_type |= PERF_SAMPLE_RAW;
	if (attr.sample_type & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = 256 << which;
	attr.read_format = PERF_FORMAT_LOST;
	attr.sample_id_all = 1;
	attr.disabled = 1;
	attr.write_backward = t->backward;
	attr.wakeup_events = 1;
	return attr;
}

/* Tracepoints may be missing. All others must exist. */
static int open_source(struct torture *t, struct ring *ring, int which)
{
	struct source *source = &ring->sources[which];

	source->attr = source_attr(t, which);
	source->fd = -1;
	if ((int)source->attr.config < 0)
		return 0;
	source->fd = perf_open(source->attr, ring->cpu < 0 ? 0 : -1, ring->cpu,
			       -1);
	if (source->fd < 0)
		return which >= WAKEUPS ? 0 : source->fd;
	source->id = perf_event_id(source->fd);
	if (which != FAULTS)
		return perf_ioctl(source->fd, PERF_EVENT_IOC_SET_OUTPUT,
				  ring->sources[FAULTS].fd);
	return perf_buf_map_prot(&ring->buf, source->fd, t->data_pages,
				 t->prot);
}

static int open_rings(struct torture *t)
{
	int i, which, ret;

	for (i = 0; i < t->nr_rings; i++) {
		for (which = 0; which < SOURCES; which++) {
			ret = open_source(t, &t->rings[i], which);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static void switch_all(struct torture *t, unsigned long request)
{
	int i, which;

	for (i = 0; i < t->nr_rings; i++)
		for (which = 0; which < SOURCES; which++)
			if (t->rings[i].sources[which].fd >= 0)
				perf_ioctl(t->rings[i].sources[which].fd,
					   request, 0);
}

/* Reading */

static struct source *source_of(struct ring *ring,
				const struct perf_event_header *header)
{
	const __u64 *first = (const void *)(header + 1);
	const __u64 *end = (const void *)header + header->size;
	__u64 id = header->type == PERF_RECORD_SAMPLE ? *first : end[-1];
	int which;

	for (which = 0; which < SOURCES; which++)
		if (ring->sources[which].fd >= 0 &&
		    ring->sources[which].id == id)
			return &ring->sources[which];
	return NULL;
}

static bool can_be(struct ring *ring, const struct perf_event_header *header)
{
	struct source *source = source_of(ring, header);
	struct perf_rec rec;

	if (!source || !perf_rec_parse(&source->attr, header, &rec))
		return false;
	if (rec.id != source->id || !rec.time || rec.cpu >= CPU_SETSIZE)
		return false;
	if (ring->cpu >= 0 && rec.cpu != (__u32)ring->cpu)
		return false;
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		source->samples++;
		atomic_fetch_add(&ring->samples, 1);
		/* Zeros would be space that was never written. */
		return !rec.raw || rec.raw_size % 8 == 4;
	case PERF_RECORD_LOST:
		ring->lost += ((const struct perf_lost *)header)->lost;
		return perf_rec_body(&source->attr, header) == 16;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		source->others++;
		return source == &ring->sources[SIDE_BAND];
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return source == &ring->sources[CLOCK];
	default:
		return false;
	}
}

static size_t read_some(struct ring *ring, size_t most)
{
	const struct perf_event_header *header;
	size_t n = 0;

	while (n < most && (header = perf_buf_next(&ring->buf))) {
		ring->wrong += !can_be(ring, header);
		n++;
	}
	return n;
}

static void *slow_reader(void *arg)
{
	struct torture *t = arg;
	unsigned int seed = 3;
	int i;

	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		for (i = 0; i < t->nr_rings; i++)
			read_some(&t->rings[i], rand_r(&seed) % 200);
		if (rand_r(&seed) % 4 == 0)
			sleep_ms(1);
	}
	return NULL;
}

/* Loads */

static void *busy_thread(void *arg)
{
	struct torture *t = arg;
	unsigned int seed = gettid();
	int cpu = t->nr_rings > 1 ? gettid() % t->nr_rings : 0;

	pin_to_cpu(t->cpus[cpu]);
	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		fault_pages(1 + rand_r(&seed) % 30);
		switch (rand_r(&seed) % 8) {
		case 0:
			sleep_ms(1);
			break;
		case 1:
			prctl(PR_SET_NAME, "busy");
			break;
		case 2:
			if (t->nr_rings > 1 || t->rings[0].cpu < 0)
				pin_to_cpu(t->cpus[rand_r(&seed) % t->nr_cpus]);
			break;
		default:
			sched_yield();
			break;
		}
	}
	return NULL;
}

static bool all_have_samples(struct torture *t)
{
	int i;

	for (i = 0; i < t->nr_rings; i++)
		if (atomic_load(&t->rings[i].samples) <= SAMPLES_MIN &&
		    !__atomic_load_n(&t->rings[i].buf.bad, __ATOMIC_RELAXED))
			return false;
	return true;
}

static void busy_self(struct torture *t, __u64 ns)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	int n = 0;

	while (clock_ns(CLOCK_MONOTONIC) - start < ns || !all_have_samples(t)) {
		fault_pages(7);
		if (n++ % 16 == 0)
			prctl(PR_SET_NAME, "self");
		if (n % 64 == 0)
			pin_to_cpu(t->cpus[n / 64 % t->nr_cpus]);
		if (n % 8 == 0)
			sched_yield();
	}
}

/* The reader has its own thread. Writers are other threads and this one. */
static void run(struct __test_metadata *_metadata, struct torture *t,
		bool with_reader)
{
	pthread_t threads[8], reader;
	int i;

	ASSERT_GE(8, t->nr_threads);
	if (with_reader)
		ASSERT_EQ(0, pthread_create(&reader, NULL, slow_reader, t));
	for (i = 0; i < t->nr_threads; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, busy_thread, t));
	switch_all(t, PERF_EVENT_IOC_ENABLE);
	busy_self(t, RUN_NS);
	switch_all(t, PERF_EVENT_IOC_DISABLE);
	__atomic_store_n(&t->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < t->nr_threads; i++)
		pthread_join(threads[i], NULL);
	if (with_reader)
		pthread_join(reader, NULL);
}

/* The sum of the LOST records, once the last losses are reported. */
static void check_ring(struct __test_metadata *_metadata, struct ring *ring,
		       int index)
{
	struct perf_count_lost count;
	size_t samples = 0;
	__u64 lost = 0;
	int which;

	read_some(ring, ~0UL);
	/* One more record brings the losses that were not reported yet. */
	if (ring->cpu >= 0)
		pin_to_cpu(ring->cpu);
	perf_fault(ring->sources[FAULTS].fd, 1);
	read_some(ring, ~0UL);
	EXPECT_FALSE(ring->buf.bad);
	EXPECT_EQ(0, ring->wrong);
	for (which = 0; which < SOURCES; which++) {
		struct source *source = &ring->sources[which];

		if (source->fd < 0)
			continue;
		count = perf_counted(source->fd);
		lost += count.lost;
		samples += source->samples;
		if (which == CLOCK || which == SIDE_BAND)
			continue;
		EXPECT_EQ(count.value, source->samples + count.lost) {
			TH_LOG("ring %d, source %d: %zu read, %llu lost",
			       index, which, source->samples, count.lost);
		}
	}
	EXPECT_EQ(lost, ring->lost);
	if (getenv("PERF_TEST_SHOW"))
		TH_LOG("ring %d: %zu samples, %llu lost", index, samples, lost);
}

static void torture_rings(struct __test_metadata *_metadata, struct torture *t)
{
	int i, which;

	ASSERT_EQ(0, open_rings(t));
	run(_metadata, t, true);
	for (i = 0; i < t->nr_rings; i++)
		check_ring(_metadata, &t->rings[i], i);
	for (i = 0; i < t->nr_rings; i++) {
		EXPECT_EQ(0, perf_buf_unmap(&t->rings[i].buf));
		for (which = 0; which < SOURCES; which++)
			close(t->rings[i].sources[which].fd);
	}
}

/* Too large for a stack. */
static struct torture torture;

static struct torture *per_cpu_torture(size_t data_pages, __u64 more)
{
	struct torture *t = &torture;

	t->data_pages = data_pages;
	t->prot = PROT_READ | PROT_WRITE;
	t->sample_type = SAMPLE_TYPE | more;
	t->nr_threads = 6;
	t->nr_cpus = list_cpus(t->cpus, MAX_CPUS);
	for (t->nr_rings = 0; t->nr_rings < t->nr_cpus; t->nr_rings++)
		t->rings[t->nr_rings].cpu = t->cpus[t->nr_rings];
	return t;
}

TEST(small_buffers)
{
	torture_rings(_metadata, per_cpu_torture(1, 0));
}

TEST(large_buffers)
{
	torture_rings(_metadata, per_cpu_torture(64, 0));
}

/* Records across pages, from every context. */
TEST(large_records)
{
	torture_rings(_metadata, per_cpu_torture(8, PERF_SAMPLE_STACK_USER |
						 PERF_SAMPLE_CALLCHAIN));
}

/* One task that moves between CPUs. */
TEST(task_that_migrates)
{
	struct torture *t = per_cpu_torture(2, PERF_SAMPLE_STACK_USER);

	t->nr_rings = 1;
	t->rings[0].cpu = -1;
	torture_rings(_metadata, t);
}

/*
 * A backward buffer that overwrites and is paused now and then: it has whole records,
 * the youngest first, up to the oldest one, which is cut.
 */
static void check_snapshot(struct __test_metadata *_metadata, struct ring *ring)
{
	size_t covered;

	perf_ioctl(ring->sources[FAULTS].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	/* When an IPI has been handled, a writer that had begun has finished. */
	perf_disable(ring->sources[SIDE_BAND].fd);
	perf_enable(ring->sources[SIDE_BAND].fd);
	perf_buf_snapshot(&ring->buf);
	covered = ring->buf.pos;
	read_some(ring, ~0UL);
	covered = ring->buf.pos - covered;
	/* The records fill nearly all of a buffer that was overwritten. */
	EXPECT_LE(-perf_buf_head(&ring->buf) > ring->buf.size ?
		  ring->buf.size - 1024 : 0, covered);
	perf_ioctl(ring->sources[FAULTS].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
}

static bool all_are_overwritten(struct torture *t)
{
	int i;

	for (i = 0; i < t->nr_rings; i++)
		if (-perf_buf_head(&t->rings[i].buf) <= t->rings[i].buf.size)
			return false;
	return true;
}

TEST(snapshots)
{
	struct torture *t = per_cpu_torture(4, 0);
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	pthread_t threads[6];
	int i, which;

	t->prot = PROT_READ;
	t->backward = true;
	ASSERT_EQ(0, open_rings(t));
	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, busy_thread, t));
	switch_all(t, PERF_EVENT_IOC_ENABLE);
	while (clock_ns(CLOCK_MONOTONIC) - start < RUN_NS || !all_are_overwritten(t)) {
		for (i = 0; i < t->nr_rings; i++)
			check_snapshot(_metadata, &t->rings[i]);
		sleep_ms(5);
	}
	switch_all(t, PERF_EVENT_IOC_DISABLE);
	t->stop = true;
	for (i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < t->nr_rings; i++) {
		EXPECT_EQ(0, t->rings[i].wrong);
		for (which = 0; which < SOURCES; which++)
			close(t->rings[i].sources[which].fd);
	}
}

TEST_HARNESS_MAIN
