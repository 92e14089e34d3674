// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware that writes what is no precise record, or traces branches outside of their buffer:
 * precise sampling, or the trace, ends until the machine is booted again, readers can tell, and
 * everything else goes on. The emulator does that with x86_pmu_emulator_spoil=counters,trace on the
 * kernel's command line, once on each CPU. So each case can pass once in a boot.
 */
#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/x86_emulator.h"
#include "rejected.h"

#ifdef __x86_64__

#define PERIOD		20000
#define CONDITIONAL	0x01c4	/* retired conditional branches */
#define STRETCH		(100 * PERIOD)
#define AREA_PAGES	64

/* The last resort against a condition that never comes true. */
#define STRETCHES	20000

FIXTURE(breaker)
{
	struct perf_limits limits;
};

FIXTURE_SETUP(breaker)
{
	if (!kernel_parameter("x86_pmu_emulator_spoil="))
		SKIP(return, "no emulator that spoils records");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, perf_lift_limits(&self->limits));
}

FIXTURE_TEARDOWN_PARENT(breaker)
{
	perf_restore_limits(&self->limits);
}

static struct perf_event_attr sampling(unsigned int precise)
{
	return PERF_RAW(CONDITIONAL, .sample_period = PERIOD, .precise_ip = precise,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID, .exclude_kernel = 1,
			.read_format = PERF_ALL_TIMES, .disabled = 1);
}

static long highest_level(void)
{
	long max = -1;

	file_read_long("/sys/bus/event_source/devices/cpu/caps/max_precise", &max);
	return max;
}

static void expect_refusal(struct __test_metadata *_metadata, struct perf_event_attr attr,
			   const char *field, const char *why)
{
	char text[256];

	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for(field));
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", text, sizeof(text)));
	EXPECT_NE(NULL, strstr(text, why)) {
		TH_LOG("refused: %s", text);
	}
}

static void expect_no_precise_samples(struct __test_metadata *_metadata)
{
	EXPECT_EQ(0, highest_level());
	expect_refusal(_metadata, sampling(1), "precise_ip", "no record, see the log");
}

static void expect_no_trace(struct __test_metadata *_metadata, struct perf_event_attr attr)
{
	expect_refusal(_metadata, attr, "type", "outside of the buffer, see the log");
}

/* Samples, and records of lost ones. */
static void see(struct perf_buf *buf, int *samples, int *lost)
{
	const struct perf_event_header *header;

	while ((header = perf_buf_next(buf))) {
		*samples += header->type == PERF_RECORD_SAMPLE;
		*lost += header->type == PERF_RECORD_LOST_SAMPLES;
	}
}

static bool has_samples(struct perf_buf *buf)
{
	int samples = 0, lost = 0;

	see(buf, &samples, &lost);
	return samples;
}

/* A child event of one that has ended has no records, like its parent. */
static void expect_fork(struct __test_metadata *_metadata)
{
	pid_t pid = fork_child();

	if (!pid)
		_exit(0);
	EXPECT_LT(0, pid) {
		TH_LOG("fork: errno %d", errno);
	}
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

/* The first event ends, and so does one that has no CPU now. Another one samples on. */
TEST_F(breaker, precise_sampling_ends)
{
	int fd, plain, waiting, inherited, samples = 0, lost = 0;
	struct perf_event_attr attr = sampling(1);
	static struct perf_buf buf, plain_buf;
	struct perf_timed before, after;
	bool more = false;
	pid_t pid;

	ASSERT_LT(0, highest_level());
	/* It must not be the one that gets the record. */
	pid = fork_child();
	if (!pid)
		raise(SIGSTOP);
	for (; !pid;)
		sleep_ms(1);
	ASSERT_EQ(pid, waitpid(pid, NULL, WUNTRACED));
	waiting = perf_open(sampling(1), pid, -1, -1);
	ASSERT_LE(0, waiting);
	ASSERT_EQ(0, perf_enable(waiting));
	attr.inherit = 1;
	inherited = perf_open_self(attr);
	ASSERT_LE(0, inherited);
	plain = perf_open_self(sampling(0));
	ASSERT_LE(0, plain);
	ASSERT_EQ(0, perf_buf_map(&plain_buf, plain, 64));
	ASSERT_EQ(0, perf_enable(plain));
	fd = perf_open_self(sampling(1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; highest_level() && n < STRETCHES; n++) {
		spin(STRETCH);
		see(&buf, &samples, &lost);
	}
	see(&buf, &samples, &lost);
	EXPECT_LT(0, samples);
	EXPECT_EQ(1, lost);
	expect_no_precise_samples(_metadata);

	/* It was disabled: neither its count nor its times go on. */
	before = perf_timed_count(fd);
	has_samples(&plain_buf);
	for (int n = 0; !more && n < STRETCHES; n++) {
		spin(STRETCH);
		more = has_samples(&plain_buf);
	}
	EXPECT_TRUE(more);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.value, after.value);
	EXPECT_EQ(before.enabled, after.enabled);
	see(&buf, &samples, &lost);
	EXPECT_EQ(1, lost);
	expect_fork(_metadata);

	/* Enabled again, it gets no counter, like the one that has waited. */
	ASSERT_EQ(0, perf_enable(fd));
	spin(STRETCH);
	after = perf_timed_count(fd);
	EXPECT_EQ(before.value, after.value);
	EXPECT_LT(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	before = perf_timed_count(waiting);
	ASSERT_EQ(0, kill(pid, SIGCONT));
	EXPECT_TRUE(COMES_TRUE(perf_timed_count(waiting).enabled > before.enabled));
	EXPECT_EQ(before.running, perf_timed_count(waiting).running);
	EXPECT_TRUE(has_samples(&plain_buf));

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	perf_buf_unmap(&buf);
	perf_buf_unmap(&plain_buf);
	close(fd);
	close(plain);
	close(waiting);
	close(inherited);
}

/* What is not precise counts and samples on. */
TEST_F(breaker, others_go_on)
{
	static struct perf_buf buf;
	int fd = perf_open_self(sampling(0));
	bool more = false;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; !more && n < STRETCHES; n++) {
		spin(STRETCH);
		more = has_samples(&buf);
	}
	EXPECT_TRUE(more);
	EXPECT_LT(STRETCH, perf_count(fd));
	perf_buf_unmap(&buf);
	close(fd);
}

/* The event is disabled. One that samples each branch takes interrupts instead. */
TEST_F(breaker, the_trace_ends)
{
	struct perf_event_attr tracing = PERF_ATTR(pmu_type("intel_bts"), 0, .disabled = 1,
						   .inherit = 1,
						   .read_format = PERF_ALL_TIMES);
	struct perf_event_attr each = PERF_HW(BRANCH_INSTRUCTIONS, .sample_period = 1,
					      .sample_type = PERF_SAMPLE_IP, .exclude_kernel = 1,
					      .disabled = 1);
	struct perf_timed before, after;
	const struct aux_news *news;
	static struct perf_buf buf;
	struct aux_area area;
	__u64 flags = 0;
	bool more = false;
	int fd;

	fd = perf_open(tracing, 0, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, aux_map(&area, fd, AREA_PAGES, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; !(flags & PERF_AUX_FLAG_PARTIAL) && n < STRETCHES; n++) {
		spin(STRETCH);
		while ((news = aux_next(&area))) {
			flags |= news->flags;
			aux_set_tail(&area, news->offset + news->size);
		}
	}
	EXPECT_TRUE(flags & PERF_AUX_FLAG_PARTIAL);
	expect_no_trace(_metadata, tracing);

	before = perf_timed_count(fd);
	spin(STRETCH);
	EXPECT_EQ(before.enabled, perf_timed_count(fd).enabled);
	ASSERT_EQ(0, perf_enable(fd));
	spin(STRETCH);
	after = perf_timed_count(fd);
	EXPECT_LT(before.enabled, after.enabled);
	EXPECT_EQ(before.running, after.running);
	EXPECT_EQ(NULL, aux_next(&area));
	expect_fork(_metadata);
	aux_unmap(&area);

	fd = perf_open_self(each);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(fd));
	for (int n = 0; !more && n < STRETCHES; n++) {
		spin(PERIOD);
		more = has_samples(&buf);
	}
	EXPECT_TRUE(more);
	perf_buf_unmap(&buf);
	close(fd);
}

#else /* !__x86_64__ */

TEST(breaker)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
