// SPDX-License-Identifier: GPL-2.0
/*
 * The time, task, id, CPU, period, raw data and CPU mode in a sample, each compared
 * with the result of other system calls.
 */
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define FAULTS(_type, ...)	PERF_SAMPLED(PAGE_FAULTS, _type, ##__VA_ARGS__)

/* TIME */

static const struct {
	clockid_t clock;
	const char *name;
} clocks[] = {
	{ CLOCK_REALTIME, "realtime" },
	{ CLOCK_MONOTONIC, "monotonic" },
	{ CLOCK_MONOTONIC_RAW, "monotonic raw" },
	{ CLOCK_BOOTTIME, "boottime" },
	{ CLOCK_TAI, "tai" },
};

/* The clocks are read without their lock, so they may be a little behind. */
#define CLOCK_SLACK	(20 * 1000)

static void check_clockid(struct __test_metadata *_metadata, size_t which,
			  pid_t pid, int cpu)
{
	clockid_t clock = clocks[which].clock;
	struct perf_event_attr attr = FAULTS(PERF_SAMPLE_TIME |
		PERF_SAMPLE_TID, .use_clockid = 1, .clockid = clock);
	struct perf_listener l;
	__u64 before, after;
	int i, seen;

	ASSERT_EQ(0, perf_listen(&l, attr, pid, cpu));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, perf_enable(l.fd));
		before = clock_ns(clock);
		fault_pages(1);
		after = clock_ns(clock);
		ASSERT_EQ(0, perf_disable(l.fd));
		seen = 0;
		while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
			if (l.rec.tid != gettid())
				continue;
			seen += before <= l.rec.time + CLOCK_SLACK &&
				l.rec.time <= after + CLOCK_SLACK;
		}
		EXPECT_LE(1, seen) {
			TH_LOG("clock %s", clocks[which].name);
		}
	}
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST(time_of_each_clock)
{
	size_t i;

	ASSERT_EQ(0, stay_resident());
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		check_clockid(_metadata, i, 0, -1);
}

TEST(time_of_each_clock_on_cpu)
{
	int cpu = nth_cpu(0);
	size_t i;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	for (i = 0; i < ARRAY_SIZE(clocks); i++)
		check_clockid(_metadata, i, -1, cpu);
}

/* Two faults, 100 ms apart, by the default clock. */
static void check_default_clock(struct __test_metadata *_metadata, pid_t pid,
				int cpu)
{
	struct perf_event_attr attr = FAULTS(PERF_SAMPLE_TIME |
		PERF_SAMPLE_TID | PERF_SAMPLE_ADDR);
	__u64 wall[4], time[2] = { 0, 0 }, min, max;
	struct perf_listener l;
	char *page;
	int i;

	page = map_fresh_pages(2);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, perf_listen(&l, attr, pid, cpu));
	ASSERT_EQ(0, perf_enable(l.fd));
	for (i = 0; i < 2; i++) {
		wall[2 * i] = clock_ns(CLOCK_MONOTONIC_RAW);
		page[i * page_size] = 1;
		wall[2 * i + 1] = clock_ns(CLOCK_MONOTONIC_RAW);
		sleep_ms(i ? 0 : 100);
	}
	ASSERT_EQ(0, perf_disable(l.fd));
	while (perf_listen_of(&l, PERF_RECORD_SAMPLE))
		for (i = 0; i < 2; i++)
			if (l.rec.addr == (unsigned long)page + i * page_size)
				time[i] = l.rec.time;
	min = wall[2] - wall[1];
	max = wall[3] - wall[0];
	ASSERT_NE(0, time[0]);
	EXPECT_LT(time[0], time[1]);
	EXPECT_LE(min * 99 / 100, time[1] - time[0]);
	EXPECT_GE(max * 101 / 100 + NSEC_PER_MSEC, time[1] - time[0]);
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST(time_of_default_clock)
{
	check_default_clock(_metadata, 0, -1);
}

TEST(time_of_default_clock_on_cpu)
{
	int cpu = nth_cpu(0);

	ASSERT_EQ(0, pin_to_cpu(cpu));
	check_default_clock(_metadata, -1, cpu);
}

/* The times of events of two tasks on one CPU can be compared. */
TEST(time_never_goes_back)
{
	struct perf_listener l;
	__u64 last = 0;
	int i, nr = 0;

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, perf_listen_self(&l, FAULTS(PERF_SAMPLE_TIME)));
	ASSERT_EQ(0, perf_enable(l.fd));
	for (i = 0; i < 50; i++)
		fault_pages(4);
	ASSERT_EQ(0, perf_disable(l.fd));
	while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
		ASSERT_LE(last, l.rec.time);
		last = l.rec.time;
		nr++;
	}
	EXPECT_LE(200, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* TID, ID, STREAM_ID, IDENTIFIER */

static void *fault_in_thread(void *arg)
{
	*(pid_t *)arg = gettid();
	fault_pages(3);
	return NULL;
}

#define ALL_IDS	(PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
		 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU)

/* The number of different streams of a listener, and of the samples of each task. */
struct heard {
	int samples[3];
	__u64 stream[8];
	unsigned int streams;
};

static void hear(struct perf_listener *l, const pid_t *tids, struct heard *h)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		h->samples[i] += l->rec.tid == tids[i];
	for (i = 0; i < h->streams; i++)
		if (h->stream[i] == l->rec.stream_id)
			return;
	if (i < 8)
		h->stream[h->streams++] = l->rec.stream_id;
}

/* A task, its thread and its child, sampled by one event. */
static void check_inherited(struct __test_metadata *_metadata,
			    struct perf_listener *l, struct heard *h)
{
	pid_t tids[3] = { gettid() };
	pthread_t t;
	int i;

	ASSERT_EQ(0, perf_enable(l->fd));
	fault_pages(3);
	ASSERT_EQ(0, pthread_create(&t, NULL, fault_in_thread, &tids[1]));
	ASSERT_EQ(0, pthread_join(t, NULL));
	tids[2] = fork_child();
	if (tids[2] == 0) {
		fault_pages(3);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(tids[2]));
	ASSERT_EQ(0, perf_disable(l->fd));
	while (perf_listen_of(l, PERF_RECORD_SAMPLE)) {
		EXPECT_EQ(perf_event_id(l->fd), l->rec.id);
		EXPECT_EQ(perf_event_id(l->fd), l->rec.identifier);
		EXPECT_EQ(nth_cpu(0), l->rec.cpu);
		EXPECT_EQ(l->rec.tid == tids[2] ? tids[2] : getpid(),
			  l->rec.pid);
		hear(l, tids, h);
	}
	for (i = 0; i < 3; i++)
		EXPECT_LE(3, h->samples[i]);
}

/*
 * Each copy of an event is a stream. A kernel may swap the contexts of tasks, so a
 * stream is not a task. The stream of the opened event is among them, and there are no
 * more streams than tasks.
 */
TEST(ids_of_inherited)
{
	struct perf_event_attr attr = FAULTS(ALL_IDS, .inherit = 1);
	struct heard h = {};
	struct perf_listener l;
	unsigned int i;
	int own = 0;

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, perf_listen(&l, attr, 0, nth_cpu(0)));
	check_inherited(_metadata, &l, &h);
	/* Contexts may be swapped: one event for all tasks, or one for each. */
	EXPECT_LE(1, h.streams);
	EXPECT_GE(3, h.streams);
	for (i = 0; i < h.streams; i++)
		own += h.stream[i] == perf_event_id(l.fd);
	EXPECT_GE(1, own);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* A new pid namespace, and in it a child that opens a gate when it runs. */
static pid_t fork_in_pid_namespace(void)
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	if (unshare(CLONE_NEWPID))
		_exit(4);
	pid = fork_child();
	if (pid)
		_exit(wait_status(pid));
	return 0;
}

/* Pids are from the namespace of the event's opener. */
TEST(tid_seen_from_outside)
{
	struct perf_event_attr attr = FAULTS(PERF_SAMPLE_TID, .inherit = 1);
	struct perf_listener l;
	int inner = 0;
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, perf_listen(&l, attr, 0, nth_cpu(0)));
	ASSERT_EQ(0, perf_enable(l.fd));
	pid = fork_in_pid_namespace();
	if (pid == 0) {
		fault_pages(5);
		_exit(getpid() == 1 ? 0 : 5);
	}
	ASSERT_EQ(0, wait_status(pid));
	ASSERT_EQ(0, perf_disable(l.fd));
	while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
		EXPECT_LT(1, l.rec.pid);
		EXPECT_EQ(l.rec.pid, l.rec.tid);
		inner += l.rec.pid != getpid() && l.rec.pid != pid;
	}
	EXPECT_LE(5, inner);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* Seen from inside, a task outside of the namespace has the pid 0. */
TEST(tid_seen_from_inside)
{
	struct gate ready = gate_new(), go = gate_new();
	struct perf_listener l;
	int own = 0, zero = 0;
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	pid = fork_in_pid_namespace();
	if (pid == 0) {
		if (perf_listen(&l, FAULTS(PERF_SAMPLE_TID), -1, nth_cpu(0)))
			_exit(6);
		perf_enable(l.fd);
		fault_pages(5);
		gate_open(&ready);
		gate_wait(&go);
		perf_disable(l.fd);
		while (perf_listen_of(&l, PERF_RECORD_SAMPLE)) {
			own += l.rec.pid == 1 && l.rec.tid == 1;
			zero += l.rec.pid == 0 && l.rec.tid == 0;
		}
		_exit(perf_listen_end(&l) ? 7 : own < 5 ? 8 : zero < 7 ? 9 : 0);
	}
	gate_wait(&ready);
	fault_pages(7);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
}

/* CPU */

TEST(cpu_where_it_happened)
{
	int cpus[64], nr, i;
	struct perf_listener l;

	for (nr = 0; nr < 64; nr++) {
		cpus[nr] = nth_cpu(nr);
		if (cpus[nr] < 0)
			break;
	}
	ASSERT_EQ(0, perf_listen_self(&l, FAULTS(PERF_SAMPLE_CPU)));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(0, pin_to_cpu(cpus[i]));
		ASSERT_EQ(0, perf_enable(l.fd));
		fault_pages(2);
		ASSERT_EQ(0, perf_disable(l.fd));
		ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
		do {
			EXPECT_EQ(cpus[i], l.rec.cpu);
		} while (perf_listen_of(&l, PERF_RECORD_SAMPLE));
	}
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* PERIOD */

static int samples_of_100(struct __test_metadata *_metadata, __u64 type,
			  __u64 period, __u64 want)
{
	struct perf_listener l;
	int nr = 0;

	ASSERT_EQ(0, perf_listen_self(&l, FAULTS(type)));
	ASSERT_EQ(0, perf_ioctl(l.fd, PERF_EVENT_IOC_PERIOD,
				(unsigned long)&period));
	ASSERT_EQ(0, perf_enable(l.fd));
	fault_pages(100);
	ASSERT_EQ(0, perf_disable(l.fd));
	EXPECT_EQ(100, perf_count(l.fd));
	for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++)
		ASSERT_EQ(want, l.rec.period);
	EXPECT_EQ(0, perf_listen_end(&l));
	return nr;
}

/*
 * A software event may occur several times at once. With a fixed period and the field
 * PERIOD each occurrence is a sample, with the number of occurrences. Without PERIOD
 * there is one sample for each period.
 */
TEST(period_field_of_software)
{
	static const __u64 periods[] = { 1, 2, 7, 50 };
	size_t i;

	ASSERT_EQ(0, stay_resident());
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		EXPECT_EQ(100, samples_of_100(_metadata, PERF_SAMPLE_PERIOD,
					      periods[i], 1));
		EXPECT_EQ(100 / periods[i],
			  samples_of_100(_metadata, 0, periods[i], 0));
	}
}

/* The period of a clock is the time between two samples. */
TEST(period_field_of_clock)
{
	struct perf_event_attr attr = PERF_SAMPLED(CPU_CLOCK,
						   PERF_SAMPLE_PERIOD);
	struct perf_listener l;
	int nr = 0, ms;

	attr.sample_period = 1000003;
	ASSERT_EQ(0, perf_listen_self(&l, attr));
	ASSERT_EQ(0, perf_enable(l.fd));
	for (ms = 0; ms < PATIENCE_MS && nr < 10; ms++) {
		burn_cpu(NSEC_PER_MSEC);
		for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++)
			EXPECT_EQ(1000003, l.rec.period);
	}
	ASSERT_EQ(0, perf_disable(l.fd));
	EXPECT_LE(10, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* misc */

/* The CPU mode, in a sample from each kind of code. */
TEST(misc_mode)
{
	size_t len = 8 * sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY), nr = 0;
	struct perf_listener l;
	void *page;

	ASSERT_LE(0, zero);
	ASSERT_EQ(0, stay_resident());
	page = map_fresh_pages(8);
	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, perf_listen_self(&l, FAULTS(PERF_SAMPLE_IP |
						 PERF_SAMPLE_ADDR)));
	ASSERT_EQ(0, perf_enable(l.fd));
	EXPECT_EQ(len, read(zero, page, len));
	ASSERT_EQ(0, perf_disable(l.fd));
	for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, l.header->misc);
		EXPECT_TRUE(is_kernel_address(l.rec.ip));
		EXPECT_GT(len, l.rec.addr - (unsigned long)page);
	}
	EXPECT_EQ(8, nr);
	ASSERT_EQ(0, perf_enable(l.fd));
	fault_pages(8);
	ASSERT_EQ(0, perf_disable(l.fd));
	for (nr = 0; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_EQ(PERF_RECORD_MISC_USER, l.header->misc);
		EXPECT_FALSE(is_kernel_address(l.rec.ip));
	}
	EXPECT_EQ(8, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* RAW */

TEST(raw_of_tracepoint)
{
	static const char tp[] = "task/task_rename";
	int pid_at, old_at, new_at, size, i;
	char name[16] = "renamed-00", last[16];
	struct perf_listener l;
	long id = tracepoint_id(tp);
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
		.sample_period = 1, .sample_type = PERF_SAMPLE_RAW |
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD);
	const char *raw;

	if (id < 0)
		SKIP(return, "no tracepoints");
	ASSERT_EQ(0, tracepoint_field(tp, "pid", &pid_at, &size));
	ASSERT_EQ(0, tracepoint_field(tp, "oldcomm", &old_at, &size));
	ASSERT_EQ(0, tracepoint_field(tp, "newcomm", &new_at, &size));
	ASSERT_EQ(16, size);
	ASSERT_EQ(0, perf_listen_self(&l, attr));
	prctl(PR_GET_NAME, last);
	for (i = 0; i < 10; i++) {
		name[9] = '0' + i;
		prctl(PR_SET_NAME, name);
		ASSERT_TRUE(perf_listen_of(&l, PERF_RECORD_SAMPLE));
		raw = l.rec.raw;
		ASSERT_LE(new_at + 16, l.rec.raw_size);
		EXPECT_EQ(id, *(__u16 *)raw);
		EXPECT_EQ(gettid(), *(int *)(raw + 4));
		EXPECT_EQ(gettid(), *(int *)(raw + pid_at));
		EXPECT_STREQ(last, raw + old_at);
		EXPECT_STREQ(name, raw + new_at);
		EXPECT_EQ(PERF_RECORD_MISC_KERNEL, l.header->misc);
		EXPECT_TRUE(is_kernel_address(l.rec.ip));
		EXPECT_EQ(1, l.rec.period);
		memcpy(last, name, sizeof(last));
	}
	EXPECT_EQ(0, perf_listen_count(&l, PERF_RECORD_SAMPLE));
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST_HARNESS_MAIN
