// SPDX-License-Identifier: GPL-2.0
/*
 * Frequency mode on the fake PMU: a test can set its rate. Seconds are seconds of the
 * event's own time, so a slow machine does not matter.
 */
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

/* One in so many tries has to be without a disturbance by the host. */
#define TRIES	50

FIXTURE(frequency)
{
	struct perf_event_attr attr;
	struct perf_listener l;
	/* periods of the samples that were read last */
	__u64 first;
	__u64 last;
	long faults;
};

FIXTURE_SETUP(frequency)
{
	SKIP_WITHOUT_FAKE();
	self->faults = fake_faults();
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	self->attr = fake_attr("poke");
	self->attr.freq = 1;
	self->attr.sample_type = PERF_SAMPLE_PERIOD;
}

FIXTURE_TEARDOWN(frequency)
{
	if (!access(FAKE_DEVICE, F_OK))
		EXPECT_EQ(self->faults, fake_faults());
}

static void open_mapped_on(struct __test_metadata *_metadata,
			   FIXTURE_DATA(frequency) *self, int freq, int cpu)
{
	self->attr.sample_freq = freq;
	ASSERT_EQ(0, perf_listen(&self->l, self->attr, 0, cpu));
}

static void open_mapped(struct __test_metadata *_metadata,
			FIXTURE_DATA(frequency) *self, int freq)
{
	open_mapped_on(_metadata, self, freq, -1);
}

/* Samples since the last call. */
static int samples(struct __test_metadata *_metadata, FIXTURE_DATA(frequency) *self)
{
	int nr = 0;

	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		self->last = self->l.rec.period;
		if (!nr++)
			self->first = self->last;
	}
	EXPECT_EQ(0, self->l.damaged);
	return nr;
}

static __u64 ran_ns(FIXTURE_DATA(frequency) *self)
{
	return perf_timed_count(self->l.fd).running;
}

/* So many occurrences at a time, as fast as possible, until the event has run so long. */
static void poke_for(struct __test_metadata *_metadata, FIXTURE_DATA(frequency) *self,
		     unsigned long count, __u64 ns)
{
	__u64 end = ran_ns(self) + ns;

	while (ran_ns(self) < end)
		ASSERT_EQ(0, fake_poke(count));
}

/*
 * The same, and on until there was a sample. When the host runs other programs the event
 * runs for a while without an occurrence. Returns the number of samples.
 */
static int poke_until_sampled(struct __test_metadata *_metadata,
			      FIXTURE_DATA(frequency) *self, unsigned long count, __u64 ns)
{
	int nr, ms;

	poke_for(_metadata, self, count, ns);
	nr = samples(_metadata, self);
	for (ms = 0; !nr && ms < PATIENCE_MS; ms++) {
		poke_for(_metadata, self, count, NSEC_PER_MSEC);
		nr = samples(_metadata, self);
	}
	return nr;
}

/* Poke as fast as possible. On a busy host the rate may be too low now and then. */
static bool rate_is_high(struct __test_metadata *_metadata, FIXTURE_DATA(frequency) *self)
{
	ASSERT_LT(0, poke_until_sampled(_metadata, self, 1000000, 400 * NSEC_PER_MSEC));
	return self->last > 1000000;
}

/*
 * The rate falls from a hundred million per second to a thousand. The period of the
 * high rate would now last for hours.
 */
static void let_the_rate_fall(struct __test_metadata *_metadata,
			      FIXTURE_DATA(frequency) *self)
{
	int i, nr = 0;
	__u64 fast;

	ASSERT_TRUE(IN_SOME_TRY(TRIES, rate_is_high(_metadata, self)));
	fast = self->last;

	for (i = 0; i < PATIENCE_MS && nr < 20; i++) {
		poke_for(_metadata, self, 1, NSEC_PER_MSEC);
		nr += samples(_metadata, self);
	}
	EXPECT_LE(20, nr);
	EXPECT_GT(fast / 1000, self->last);
}

TEST_F(frequency, falling_rate)
{
	open_mapped(_metadata, self, 500);
	let_the_rate_fall(_metadata, self);
}

/* The tick of a CPU also adjusts the events of the task for that CPU. */
TEST_F(frequency, falling_rate_on_one_cpu)
{
	open_mapped_on(_metadata, self, 500, nth_cpu(0));
	let_the_rate_fall(_metadata, self);
}

/* Poke, pause, and poke. Returns true if the periods before and after the pause are alike. */
static bool pause_changes_nothing(struct __test_metadata *_metadata,
				  FIXTURE_DATA(frequency) *self)
{
	__u64 before;

	ASSERT_LT(0, poke_until_sampled(_metadata, self, 10000, 300 * NSEC_PER_MSEC));
	before = self->last;
	poke_for(_metadata, self, 0, 200 * NSEC_PER_MSEC);
	EXPECT_EQ(0, samples(_metadata, self));
	ASSERT_LT(0, poke_until_sampled(_metadata, self, 10000, 100 * NSEC_PER_MSEC));
	TH_LOG("%llu, then %llu to %llu", before, self->first, self->last);
	return before / 1000 < self->first && before / 10 < self->last &&
	       before * 10 > self->last;
}

/*
 * While nothing occurs the period may not change. The rate at the start of the pause
 * may be low, and a busy host changes the rate, too: one of a few tries must be without that.
 */
TEST_F(frequency, pause)
{
	open_mapped(_metadata, self, 1000);
	EXPECT_TRUE(IN_SOME_TRY(TRIES, pause_changes_nothing(_metadata, self)));
}

/* Poke at a hundred samples per second for a part of the time. */
static bool samples_by_time_on_cpu(struct __test_metadata *_metadata,
				   FIXTURE_DATA(frequency) *self)
{
	__u64 ran = ran_ns(self);
	int nr, i;

	for (i = 0; i < 150; i++) {
		poke_for(_metadata, self, 1000, 4 * NSEC_PER_MSEC);
		sleep_ms(20);
	}
	ran = ran_ns(self) - ran;
	nr = samples(_metadata, self);
	TH_LOG("%d samples in %llu ms", nr, (unsigned long long)(ran / NSEC_PER_MSEC));
	return 2 * 100 * ran / NSEC_PER_SEC > nr && 100 * ran / NSEC_PER_SEC / 4 < nr;
}

/* A task that runs for a part of the time is not sampled more often because of that. */
TEST_F(frequency, seldom_on_the_cpu)
{
	open_mapped(_metadata, self, 100);
	poke_for(_metadata, self, 1000, 200 * NSEC_PER_MSEC);
	samples(_metadata, self);
	EXPECT_TRUE(IN_SOME_TRY(10, samples_by_time_on_cpu(_metadata, self)));
}

TEST_HARNESS_MAIN
