// SPDX-License-Identifier: GPL-2.0
/*
 * Exact overflows: on the fake PMU it is known which occurrence ends a period.
 */
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define SIGNAL	(SIGRTMIN + 3)

#define MEMBERS	4

static volatile sig_atomic_t signals, hups;
static volatile sig_atomic_t signals_of_fd[64];

static void take_signal(int sig, siginfo_t *info, void *context)
{
	signals++;
	hups += info->si_code == POLL_HUP;
	if (info->si_fd < 64)
		signals_of_fd[info->si_fd]++;
}

/* The number of signals of so many occurrences. They come at once, but wait a little. */
static int signals_of(unsigned long count)
{
	signals = 0;
	hups = 0;
	if (fake_poke(count))
		return -1;
	sleep_ms(5);
	return signals;
}

FIXTURE(overflow)
{
	struct perf_event_attr attr;
	struct perf_listener l;
	long faults;
	int cpu[2];
};

FIXTURE_SETUP(overflow)
{
	SKIP_WITHOUT_FAKE();
	/* With a low limit many overflows in a tick are throttled. */
	perf_raise_sample_rate();
	self->faults = fake_faults();
	self->cpu[0] = nth_cpu(0);
	self->cpu[1] = nth_cpu(1) < 0 ? self->cpu[0] : nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu[0]));
	self->attr = fake_attr("poke");
	self->attr.read_format = 0;
	self->attr.sample_period = 100;
	self->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
}

FIXTURE_TEARDOWN_PARENT(overflow)
{
	if (access(FAKE_DEVICE, F_OK))
		return;
	EXPECT_EQ(self->faults, fake_faults());
	fake_prepare();
}

static void let_signal(struct __test_metadata *_metadata, int fd)
{
	struct sigaction action = {
		.sa_sigaction = take_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct f_owner_ex owner = { F_OWNER_TID, gettid() };

	sigaction(SIGNAL, &action, NULL);
	ASSERT_EQ(0, fcntl(fd, F_SETOWN_EX, &owner));
	ASSERT_EQ(0, fcntl(fd, F_SETSIG, SIGNAL));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_ASYNC));
}

static void open_signalling(struct __test_metadata *_metadata,
			    FIXTURE_DATA(overflow) *self)
{
	self->l.fd = perf_open_self(self->attr);
	ASSERT_LE(0, self->l.fd);
	let_signal(_metadata, self->l.fd);
}

/* Samples since the last call, each of this task and with the period @period. */
static int samples(struct __test_metadata *_metadata, struct perf_listener *l,
		   __u64 period)
{
	int nr = 0;

	while (perf_listen_of(l, PERF_RECORD_SAMPLE)) {
		EXPECT_EQ(gettid(), l->rec.tid);
		EXPECT_EQ(period, l->rec.period);
		nr++;
	}
	EXPECT_EQ(0, l->damaged);
	return nr;
}

TEST_F(overflow, one_for_each_period)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	ASSERT_EQ(0, fake_poke(99));
	EXPECT_EQ(0, samples(_metadata, &self->l, 100));
	ASSERT_EQ(0, fake_poke(1));
	EXPECT_EQ(1, samples(_metadata, &self->l, 100));
	ASSERT_EQ(0, fake_poke(1234));
	EXPECT_EQ(12, samples(_metadata, &self->l, 100));
	ASSERT_EQ(0, fake_poke(66));
	EXPECT_EQ(1, samples(_metadata, &self->l, 100));
	EXPECT_EQ(1400, perf_count(self->l.fd));
}

/*
 * The rest of a period is kept while the task is scheduled out or the event is
 * disabled.
 */
TEST_F(overflow, periods_outlast_switches)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	for (int i = 0; i < 99; i++) {
		ASSERT_EQ(0, pin_to_cpu(self->cpu[i % 2]));
		ASSERT_EQ(0, fake_poke(1));
		if (!(i % 9)) {
			ASSERT_EQ(0, perf_disable(self->l.fd));
			ASSERT_EQ(0, fake_poke(50));
			ASSERT_EQ(0, perf_enable(self->l.fd));
		}
	}
	EXPECT_EQ(0, samples(_metadata, &self->l, 100));
	ASSERT_EQ(0, fake_poke(1));
	EXPECT_EQ(1, samples(_metadata, &self->l, 100));
	EXPECT_EQ(100, perf_count(self->l.fd));
}

/* A period that exceeds the counter's width. */
TEST_F(overflow, periods_wider_than_the_counter)
{
	self->attr.sample_period = 1000;
	ASSERT_EQ(0, fake_set("width", "8"));
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	ASSERT_EQ(0, fake_poke(999));
	EXPECT_EQ(0, samples(_metadata, &self->l, 1000));
	ASSERT_EQ(0, fake_poke(1));
	EXPECT_EQ(1, samples(_metadata, &self->l, 1000));
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(0, fake_poke(7));
	EXPECT_EQ(7, samples(_metadata, &self->l, 1000));
	EXPECT_EQ(8000, perf_count(self->l.fd));
}

TEST_F(overflow, a_new_period_begins_at_once)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	ASSERT_EQ(0, fake_poke(150));
	EXPECT_EQ(1, samples(_metadata, &self->l, 100));
	self->attr.sample_period = 10;
	ASSERT_EQ(0, ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD, &self->attr.sample_period));
	ASSERT_EQ(0, fake_poke(9));
	EXPECT_EQ(0, samples(_metadata, &self->l, 10));
	ASSERT_EQ(0, fake_poke(21));
	EXPECT_EQ(3, samples(_metadata, &self->l, 10));
	EXPECT_EQ(180, perf_count(self->l.fd));
}

/*
 * Also a period that is set while the event is disabled, and one that is longer than
 * before.
 */
TEST_F(overflow, a_new_period_counts_from_its_call)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	ASSERT_EQ(0, fake_poke(60));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	self->attr.sample_period = 50;
	ASSERT_EQ(0, ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD, &self->attr.sample_period));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	ASSERT_EQ(0, fake_poke(49));
	EXPECT_EQ(0, samples(_metadata, &self->l, 50));
	ASSERT_EQ(0, fake_poke(1));
	EXPECT_EQ(1, samples(_metadata, &self->l, 50));
	ASSERT_EQ(0, fake_poke(30));
	self->attr.sample_period = 1000;
	ASSERT_EQ(0, ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD, &self->attr.sample_period));
	ASSERT_EQ(0, fake_poke(999));
	EXPECT_EQ(0, samples(_metadata, &self->l, 1000));
	ASSERT_EQ(0, fake_poke(1));
	EXPECT_EQ(1, samples(_metadata, &self->l, 1000));
	EXPECT_EQ(60 + 50 + 30 + 1000, perf_count(self->l.fd));
}

TEST_F(overflow, a_signal_for_each)
{
	open_signalling(_metadata, self);
	EXPECT_EQ(0, signals_of(99));
	EXPECT_EQ(1, signals_of(1));
	EXPECT_EQ(0, signals_of(50));
	EXPECT_EQ(1, signals_of(50));
	EXPECT_EQ(0, hups);
}

TEST_F(overflow, refresh_counts_down)
{
	self->attr.disabled = 1;
	open_signalling(_metadata, self);
	EXPECT_EQ(0, signals_of(1000));
	EXPECT_EQ(0, perf_count(self->l.fd));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 3));
	EXPECT_EQ(1, signals_of(100));
	EXPECT_EQ(0, hups);
	EXPECT_EQ(1, signals_of(100));
	EXPECT_EQ(0, hups);
	EXPECT_EQ(1, signals_of(150));
	EXPECT_EQ(1, hups);
	/* The event is disabled, and stopped where the third period ended. */
	EXPECT_EQ(0, signals_of(1000));
	EXPECT_EQ(300, perf_count(self->l.fd));

	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 1));
	EXPECT_EQ(1, signals_of(100));
	EXPECT_EQ(1, hups);
	EXPECT_EQ(400, perf_count(self->l.fd));
}

/* REFRESH ends within one interrupt, however many periods that spans. */
TEST_F(overflow, refresh_ends_within_an_interrupt)
{
	self->attr.disabled = 1;
	open_signalling(_metadata, self);
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 3));
	signals_of(1234);
	EXPECT_EQ(1, hups);
	EXPECT_EQ(300, perf_count(self->l.fd));
	/* What is added while the event runs counts as well. */
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 1));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, 2));
	signals_of(1234);
	EXPECT_EQ(600, perf_count(self->l.fd));
}

/* All members of a group overflow at once: each has a sample with all counts. */
TEST_F(overflow, all_members_at_once)
{
	int fd[MEMBERS], seen = 0, i;

	self->attr.read_format = PERF_FORMAT_GROUP;
	self->attr.sample_type = PERF_SAMPLE_READ;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	fd[0] = self->l.fd;
	ASSERT_EQ(0, perf_disable(fd[0]));
	for (i = 1; i < MEMBERS; i++) {
		fd[i] = perf_open(self->attr, 0, -1, fd[0]);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, perf_ioctl(fd[i], PERF_EVENT_IOC_SET_OUTPUT, fd[0]));
	}
	for (i = 0; i < MEMBERS; i++)
		let_signal(_metadata, fd[i]);
	ASSERT_EQ(0, perf_enable(fd[0]));
	EXPECT_EQ(0, signals_of(99));
	EXPECT_EQ(MEMBERS, signals_of(1));
	EXPECT_EQ(0, signals_of(99));
	EXPECT_EQ(MEMBERS, signals_of(1));
	for (i = 0; i < MEMBERS; i++)
		EXPECT_EQ(2, signals_of_fd[fd[i]]);
	while (perf_listen_next(&self->l)) {
		ASSERT_EQ(PERF_RECORD_SAMPLE, self->l.header->type);
		ASSERT_EQ(0, self->l.damaged);
		ASSERT_EQ(MEMBERS, self->l.rec.read[0]);
		for (i = 0; i < MEMBERS; i++)
			EXPECT_EQ(seen < MEMBERS ? 100 : 200, self->l.rec.read[1 + i]);
		seen++;
	}
	EXPECT_EQ(2 * MEMBERS, seen);
}

TEST_F(overflow, readers_are_woken_by_bytes)
{
	__u64 last = 0, head;

	self->attr.watermark = 1;
	self->attr.wakeup_watermark = 100;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, fake_poke(100));
		sleep_ms(2);
		head = perf_buf_head(&self->l.buf);
		EXPECT_EQ((i + 1) * 32, head);
		EXPECT_EQ(head - last > 100 ? POLLIN : 0, perf_poll(self->l.fd, POLLIN));
		if (head - last > 100)
			last += 100;
	}
	EXPECT_EQ(20, samples(_metadata, &self->l, 100));
}

TEST_F(overflow, readers_are_woken_by_number)
{
	self->attr.wakeup_events = 3;
	ASSERT_EQ(0, perf_listen_self(&self->l, self->attr));
	for (int i = 1; i <= 9; i++) {
		ASSERT_EQ(0, fake_poke(100));
		sleep_ms(2);
		EXPECT_EQ(i % 3 ? 0 : POLLIN, perf_poll(self->l.fd, POLLIN));
	}
	EXPECT_EQ(9, samples(_metadata, &self->l, 100));
}

#define SHARERS	7

static bool all_have_counted(const struct perf_listener *l)
{
	for (int i = 0; i < SHARERS; i++)
		if (!perf_count(l[i].fd))
			return false;
	return true;
}

/* More events than counters: each event's samples agree with its count. */
TEST_F(overflow, samples_match_counts_when_shared)
{
	struct perf_listener l[SHARERS];
	int total = 0, rounds = 0, i;

	for (i = 0; i < SHARERS; i++)
		ASSERT_EQ(0, perf_listen_self(&l[i], self->attr));
	while (rounds < 60 || (!all_have_counted(l) && rounds < PATIENCE_MS)) {
		ASSERT_EQ(0, fake_poke(130));
		burn_cpu(NSEC_PER_MSEC);
		rounds++;
	}
	for (i = 0; i < SHARERS; i++) {
		ASSERT_EQ(0, perf_disable(l[i].fd));
		EXPECT_EQ(perf_count(l[i].fd) / 100, samples(_metadata, &l[i], 100));
		EXPECT_LT(0, perf_count(l[i].fd));
		total += perf_count(l[i].fd);
	}
	EXPECT_EQ(4 * rounds * 130, total);
}

TEST_HARNESS_MAIN
