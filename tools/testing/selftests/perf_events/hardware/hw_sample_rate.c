// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of the rate of samples. The administrator sets perf_event_max_sample_rate. A CPU
 * has a lower limit of its own while its PMU interrupts take more time than
 * perf_cpu_time_max_percent permits.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define TRACEPOINT	"perf/perf_event_rate_limit"

/* At this rate one percent of the time is 100 ns for each interrupt. */
#define HIGH_RATE	100000

/*
 * Steps of work, within which a change must come that needs a window of 128 interrupts.
 * On a busy host each of them may be late.
 */
#define TRIES		PATIENCE_MS

FIXTURE(rate)
{
	struct perf_listener cycles;
	struct perf_listener limits;
	long rate_before, percent_before;
	int rate_at, cpu;
};

FIXTURE_SETUP(rate)
{
	struct perf_event_attr trace = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(trace),
		.sample_type = PERF_SAMPLE_RAW, .sample_period = 1,
	};
	int size;

	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate_before));
	ASSERT_EQ(0, file_read_long(CPU_TIME, &self->percent_before));
	if (perf_is_stock())
		return;
	trace.config = tracepoint_id(TRACEPOINT);
	ASSERT_LT(0, (long)trace.config);
	ASSERT_EQ(0, tracepoint_field(TRACEPOINT, "rate", &self->rate_at, &size));
	ASSERT_EQ(sizeof(int), size);
	ASSERT_EQ(0, perf_listen(&self->limits, trace, -1, self->cpu));
}

FIXTURE_TEARDOWN_PARENT(rate)
{
	if (no_pmu())
		return;
	file_write_long(CPU_TIME, self->percent_before);
	EXPECT_EQ(0, file_write_long(SAMPLE_RATE, self->rate_before));
}

static int set_limits(long percent, long rate)
{
	/* With 0 or 100 the rate cannot be set. */
	return file_write_long(CPU_TIME, 50) ?: file_write_long(SAMPLE_RATE, rate) ?:
	       file_write_long(CPU_TIME, percent);
}

/* Sample cycles as often as the limit permits. */
static int listen_to_cycles(struct perf_listener *l)
{
	return perf_listen_self(l, HW_CYCLES(.sample_period = 20000,
					     .sample_type = PERF_SAMPLE_IP));
}

/* This CPU's limit in the last record, or -1 without a new one. */
static int new_limit(FIXTURE_DATA(rate) *self)
{
	int rate = -1;

	while (perf_listen_of(&self->limits, PERF_RECORD_SAMPLE))
		memcpy(&rate, (const char *)self->limits.rec.raw + self->rate_at,
		       sizeof(rate));
	return rate;
}

/* Work until the limit is lower, or higher, than @rate. Returns -1 if it never is. */
static int limit_beyond(FIXTURE_DATA(rate) *self, int rate, bool higher)
{
	int limit, i;

	for (i = 0; i < TRIES; i++) {
		burn_cpu(NSEC_PER_MSEC);
		perf_buf_drop(&self->cycles.buf);
		limit = new_limit(self);
		if (limit > 0 && (higher ? limit > rate : limit < rate))
			return limit;
	}
	return -1;
}

TEST_F(rate, what_the_administrator_set_stays)
{
	long rate;

	if (perf_is_stock())
		SKIP(return, "the stock kernel lowers perf_event_max_sample_rate for good");
	ASSERT_EQ(0, set_limits(1, HIGH_RATE));
	ASSERT_EQ(0, listen_to_cycles(&self->cycles));
	EXPECT_LT(0, limit_beyond(self, HIGH_RATE, false));
	EXPECT_EQ(0, perf_listen_end(&self->cycles));

	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &rate));
	EXPECT_EQ(HIGH_RATE, rate);
	EXPECT_EQ(0, perf_try_self(HW_CYCLES(.freq = 1, .sample_freq = HIGH_RATE)));
	EXPECT_EQ(-EINVAL, perf_try_self(HW_CYCLES(.freq = 1,
						   .sample_freq = HIGH_RATE + 1)));
}

/* Events that overflow more often are throttled meanwhile. */
TEST_F(rate, a_limited_cpu_throttles)
{
	int limit, throttled = 0, i;

	if (perf_is_stock())
		SKIP(return, "the stock kernel lowers perf_event_max_sample_rate for good");
	ASSERT_EQ(0, set_limits(1, HIGH_RATE));
	ASSERT_EQ(0, listen_to_cycles(&self->cycles));
	limit = limit_beyond(self, HIGH_RATE, false);
	EXPECT_LT(0, limit);
	for (i = 0; i < TRIES && !throttled; i++) {
		burn_cpu(NSEC_PER_MSEC);
		throttled = perf_listen_count(&self->cycles, PERF_RECORD_THROTTLE);
	}
	EXPECT_LT(0, throttled);
	EXPECT_EQ(0, perf_listen_end(&self->cycles));
}

TEST_F(rate, higher_again_when_interrupts_fit)
{
	int limit, again;

	if (perf_is_stock())
		SKIP(return, "the stock kernel does not raise it again");
	ASSERT_EQ(0, set_limits(1, HIGH_RATE));
	ASSERT_EQ(0, listen_to_cycles(&self->cycles));
	limit = limit_beyond(self, HIGH_RATE, false);
	EXPECT_LT(0, limit);
	/* The permitted time is 99 times as long now. */
	ASSERT_EQ(0, file_write_long(CPU_TIME, 99));
	again = limit_beyond(self, limit, true);
	EXPECT_LT(limit, again);
	EXPECT_GE(HIGH_RATE, again);
	EXPECT_EQ(0, perf_listen_end(&self->cycles));
}

/* No interrupt comes that could be measured, but other samples are taken. */
TEST_F(rate, lapses_when_no_interrupts_come)
{
	struct perf_event_attr clock = PERF_SW(CPU_CLOCK,
					       .sample_period = NSEC_PER_MSEC,
					       .sample_type = PERF_SAMPLE_IP);
	int limit = 0, i;

	if (perf_is_stock())
		SKIP(return, "the stock kernel does not raise it again");
	ASSERT_EQ(0, set_limits(1, HIGH_RATE));
	ASSERT_EQ(0, listen_to_cycles(&self->cycles));
	EXPECT_LT(0, limit_beyond(self, HIGH_RATE, false));
	EXPECT_EQ(0, perf_listen_end(&self->cycles));

	/* after a long stop of this CPU the record is there before the loop begins */
	ASSERT_EQ(0, perf_listen_self(&self->cycles, clock));
	for (i = 0; i < 2000 && limit < HIGH_RATE; i++) {
		sleep_ms(50);
		burn_cpu(5 * NSEC_PER_MSEC);
		perf_buf_drop(&self->cycles.buf);
		limit = new_limit(self);
	}
	EXPECT_EQ(HIGH_RATE, limit);
	EXPECT_EQ(0, perf_listen_end(&self->cycles));
}

/*
 * PERF_EVENT_IOC_PERIOD starts an event that was throttled. If the tick then started it once more,
 * a driver would lose what it counted in between. Some emulated counters jump at times.
 */
TEST_F(rate, new_period_ends_throttling)
{
	struct perf_event_attr attr = HW_CYCLES(.sample_period = 20000,
						.sample_type = PERF_SAMPLE_IP,
						.read_format = PERF_FORMAT_GROUP);
	__u64 before[3], after[3];
	int beside, i, kept = 0;

	ASSERT_EQ(0, set_limits(100, 1000));
	ASSERT_EQ(0, perf_listen_self(&self->cycles, attr));
	beside = perf_open(HW_CYCLES(.read_format = PERF_FORMAT_GROUP), 0, -1, self->cycles.fd);
	ASSERT_LE(0, beside);
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(1, perf_listen_new_period(&self->cycles, 1ULL << 30));
		ASSERT_EQ(sizeof(before), read(self->cycles.fd, before, sizeof(before)));
		burn_cpu(20 * NSEC_PER_MSEC);
		ASSERT_EQ(sizeof(after), read(self->cycles.fd, after, sizeof(after)));
		ASSERT_LT(before[2], after[2]);
		kept += after[1] - before[1] >= (after[2] - before[2]) / 2;
		ASSERT_EQ(0, perf_ioctl(self->cycles.fd, PERF_EVENT_IOC_PERIOD,
					(unsigned long)&attr.sample_period));
	}
	EXPECT_LE(8, kept);
	close(beside);
	EXPECT_EQ(0, perf_listen_end(&self->cycles));
}

FIXTURE(unlimited)
{
	long rate_before, percent_before;
};

FIXTURE_VARIANT(unlimited)
{
	long percent;
};

FIXTURE_VARIANT_ADD(unlimited, at_0) { .percent = 0 };
FIXTURE_VARIANT_ADD(unlimited, at_100) { .percent = 100 };

FIXTURE_SETUP(unlimited)
{
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate_before));
	ASSERT_EQ(0, file_read_long(CPU_TIME, &self->percent_before));
}

FIXTURE_TEARDOWN_PARENT(unlimited)
{
	if (no_pmu())
		return;
	file_write_long(CPU_TIME, self->percent_before);
	EXPECT_EQ(0, file_write_long(SAMPLE_RATE, self->rate_before));
}

/*
 * The time of interrupts does not throttle: a machine on which no interrupt takes as
 * little as 10 ns takes a window of them, and then many more.
 */
TEST_F(unlimited, nothing_is_lowered)
{
	struct perf_listener l;
	int nr = 0, i;
	long rate;

	ASSERT_EQ(0, set_limits(variant->percent, 100000000));
	ASSERT_EQ(0, listen_to_cycles(&l));
	for (i = 0; i < TRIES && nr < 1000; i++) {
		burn_cpu(NSEC_PER_MSEC);
		while (perf_listen_next(&l)) {
			EXPECT_NE(PERF_RECORD_THROTTLE, l.header->type);
			nr += l.header->type == PERF_RECORD_SAMPLE;
		}
	}
	EXPECT_LE(1000, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &rate));
	EXPECT_EQ(100000000, rate);
}

TEST_HARNESS_MAIN
