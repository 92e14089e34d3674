// SPDX-License-Identifier: GPL-2.0
/*
 * Frequency mode on the fake PMU, where a rate can change as no load's does. What
 * a second is worth is told by the event's own time, so a slow machine does not
 * matter.
 */
#include "perf_fake.h"
#include "perf_listen.h"
#include "../kselftest_harness.h"

FIXTURE(frequency)
{
	struct perf_event_attr attr;
	struct perf_listener l;
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

static void open_mapped(struct __test_metadata *_metadata,
			FIXTURE_DATA(frequency) *self, int freq)
{
	self->attr.sample_freq = freq;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
}

/* Samples since the last call, and the last period among them. */
static int samples(struct __test_metadata *_metadata, FIXTURE_DATA(frequency) *self,
		   __u64 *period)
{
	int nr = 0;

	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		*period = self->l.rec.period;
		nr++;
	}
	EXPECT_EQ(0, self->l.damaged);
	return nr;
}

static __u64 ran_ns(FIXTURE_DATA(frequency) *self)
{
	return perf_timed_count(self->l.fd).running;
}

/* So many occurrences at a time, as fast as it goes, until the event has run so long. */
static void poke_for(struct __test_metadata *_metadata, FIXTURE_DATA(frequency) *self,
		     unsigned long count, __u64 ns)
{
	__u64 end = ran_ns(self) + ns;

	while (ran_ns(self) < end)
		ASSERT_EQ(0, fake_poke(count));
}

/*
 * What happened a hundred million times a second happens a thousand times. The
 * period that was right then would now last for hours.
 */
TEST_F(frequency, falling_rate)
{
	__u64 fast = 0, slow = 0;
	int i, nr = 0;

	open_mapped(_metadata, self, 500);
	poke_for(_metadata, self, 1000000, 400 * NSEC_PER_MSEC);
	ASSERT_LT(0, samples(_metadata, self, &fast));
	ASSERT_LT(1000000, fast);

	for (i = 0; i < 10000 && nr < 20; i++) {
		poke_for(_metadata, self, 1, NSEC_PER_MSEC);
		nr += samples(_metadata, self, &slow);
	}
	EXPECT_LE(20, nr);
	EXPECT_GT(fast / 1000, slow);
}

/* While nothing happens no period is to be made up, nor one lost. */
TEST_F(frequency, pause)
{
	__u64 before = 0, after = 0;

	open_mapped(_metadata, self, 1000);
	poke_for(_metadata, self, 10000, 300 * NSEC_PER_MSEC);
	ASSERT_LT(0, samples(_metadata, self, &before));
	poke_for(_metadata, self, 0, 200 * NSEC_PER_MSEC);
	EXPECT_EQ(0, samples(_metadata, self, &after));
	poke_for(_metadata, self, 10000, 100 * NSEC_PER_MSEC);
	ASSERT_LT(0, samples(_metadata, self, &after));
	EXPECT_LT(before / 10, after);
	EXPECT_GT(before * 10, after);
}

/* A task that runs for a part of the time is not sampled more often for it. */
TEST_F(frequency, seldom_on_the_cpu)
{
	__u64 ran, period;
	int i, nr;

	open_mapped(_metadata, self, 100);
	poke_for(_metadata, self, 1000, 200 * NSEC_PER_MSEC);
	samples(_metadata, self, &period);

	ran = ran_ns(self);
	for (i = 0; i < 150; i++) {
		poke_for(_metadata, self, 1000, 4 * NSEC_PER_MSEC);
		sleep_ms(20);
	}
	ran = ran_ns(self) - ran;
	nr = samples(_metadata, self, &period);
	TH_LOG("%d samples in %llu ms", nr, (unsigned long long)(ran / NSEC_PER_MSEC));
	EXPECT_GT(2 * 100 * ran / NSEC_PER_SEC, nr);
	EXPECT_LT(100 * ran / NSEC_PER_SEC / 4, nr);
}

TEST_HARNESS_MAIN
