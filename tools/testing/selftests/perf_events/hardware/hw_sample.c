// SPDX-License-Identifier: GPL-2.0
/*
 * Samples by a PMU's interrupt: by period and by frequency, their fields, limits,
 * signals and throttling. On a busy or emulated machine an overflow comes late, so
 * there may be fewer samples than periods, and never more.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define IDS	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Disabled at first. */
#define EVERY(_period, ...)						\
	HW_CYCLES(.sample_period = (_period), .sample_type = IDS,	\
		  .disabled = 1, ##__VA_ARGS__)

/* Steps of work, within which a sample must come. */
#define STEPS		1000000

FIXTURE(hw_sample)
{
	struct perf_listener l;
	long rate;
};

FIXTURE_SETUP(hw_sample)
{
	int err;

	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate));
	perf_raise_sample_rate();
	err = perf_try_self(EVERY(1000000));
	if (err)
		SKIP(return, "the PMU does not sample: %s", perf_errname(err));
}

/* Also after a failed assertion. */
FIXTURE_TEARDOWN_PARENT(hw_sample)
{
	if (self->rate)
		file_write_long(SAMPLE_RATE, self->rate);
}

/* Run until the event has so many samples, or has had time for hundreds. */
static int sample_for(struct _test_data_hw_sample *self, int wanted, int steps)
{
	int nr = 0, i;

	perf_enable(self->l.fd);
	for (i = 0; i < steps && nr < wanted; i++) {
		spin_and_call(20);
		nr += perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
	}
	perf_disable(self->l.fd);
	return nr + perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
}

/* Run until the event has so many samples, however late its overflows are. */
static int sample(struct _test_data_hw_sample *self, int wanted)
{
	return sample_for(self, wanted, STEPS);
}

TEST_F(hw_sample, no_more_than_periods)
{
	static const __u64 periods[] = { 200000, 1000000, 5000000 };
	size_t i;
	int nr;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(periods[i])));
		nr = sample(self, 10);
		EXPECT_LE(10, nr);
		EXPECT_GE(perf_count(self->l.fd) / periods[i], nr);
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

TEST_F(hw_sample, what_stands_in_them)
{
	int cpu = nth_cpu(0), nr = 0, i;
	__u64 last = 0;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(500000)));
	perf_enable(self->l.fd);
	for (i = 0; i < 1000 || (!perf_buf_fill(&self->l.buf) && i < STEPS); i++)
		spin(2000);
	perf_disable(self->l.fd);
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		bool in_kernel = is_kernel_address(self->l.rec.ip);
		int mode = self->l.header->misc & PERF_RECORD_MISC_CPUMODE_MASK;

		EXPECT_EQ(getpid(), (pid_t)self->l.rec.pid);
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_EQ(cpu, self->l.rec.cpu);
		EXPECT_EQ(500000, self->l.rec.period);
		EXPECT_LE(last, self->l.rec.time);
		EXPECT_EQ(in_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
			  mode);
		last = self->l.rec.time;
		nr++;
	}
	EXPECT_LT(0, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A loop of two instructions at the start of the function. */
void spin_here(unsigned long turns);

asm(".text\n"
	".globl spin_here\n"
	"spin_here:\n\t"
#if defined(__aarch64__)
	"subs x0, x0, #1\n\tb.ne spin_here\n"
#elif defined(__riscv)
	"addi a0, a0, -1\n\tbnez a0, spin_here\n"
#elif defined(__powerpc64__)
	"addic. 3, 3, -1\n\tbne spin_here\n"
#elif defined(__s390x__)
	"aghi %r2, -1\n\tjne spin_here\n"
#else
	"dec %rdi\n\tjnz spin_here\n"
#endif
#if defined(__powerpc64__)
	"\tblr\n"
#elif defined(__s390x__)
	"\tbr %r14\n"
#else
	"\tret\n"
#endif
	);

/* The samples of a program that executes one loop are in that loop. */
TEST_F(hw_sample, address_is_where_it_was)
{
	int nr = 0, inside = 0, i;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(1000000,
						      .exclude_kernel = 1)));
	perf_enable(self->l.fd);
	for (i = 0; i < STEPS / 10 && nr < 200; i++) {
		spin_here(500000);
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			__u64 ip = self->l.rec.ip;

			nr++;
			inside += ip - (unsigned long)spin_here <= 8;
		}
	}
	EXPECT_LE(200, nr);
	/* Late samples, of which a faulty emulator has many, are elsewhere. */
	EXPECT_LE(nr / 2, inside);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(hw_sample, callchain_has_the_caller)
{
	struct perf_event_attr attr = EVERY(1000000);
	int nr = 0, deep = 0, i;

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	perf_enable(self->l.fd);
	for (i = 0; i < STEPS && nr < 10; i++) {
		spin_and_call(50);
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			nr++;
			/* A context, the address itself, and its caller. */
			deep += self->l.rec.chain && self->l.rec.nr_chain >= 2;
		}
	}
	EXPECT_LE(10, nr);
	EXPECT_EQ(nr, deep);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/*
 * Frequency: the period is adjusted, and is in the sample. It starts with one event and
 * an interrupt for each, during which nothing is counted. So the rate seems low, the
 * more so on a busy host, and lower when the kernel permits only one per tick. With a
 * low frequency the period grows nevertheless.
 */
TEST_F(hw_sample, by_frequency)
{
	__u64 first = 0, longest = 0, period;
	int nr = 0, grown = 0, i;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(40, .freq = 1)));
	perf_enable(self->l.fd);
	for (i = 0; i < PATIENCE_MS && grown < 10; i++) {
		burn_cpu(NSEC_PER_MSEC);
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			period = self->l.rec.period;
			longest = period > longest ? period : longest;
			if (!nr++)
				first = period;
			grown += period > 1000;
		}
	}
	perf_disable(self->l.fd);
	EXPECT_LT(first, longest);
	EXPECT_LE(10, grown);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(hw_sample, refresh_ends_it)
{
	int limit, nr, i;

	for (limit = 1; limit < 5; limit++) {
		ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(200000)));
		ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_REFRESH, limit));
		for (i = nr = 0; i < STEPS && nr < limit; i++) {
			spin_and_call(20);
			nr += perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
		}
		spin_and_call(2000);
		nr += perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
		EXPECT_EQ(limit, nr);
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

TEST_F(hw_sample, period_is_changed)
{
	__u64 period = 300000;

	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(1ULL << 40)));
	EXPECT_EQ(0, sample_for(self, 1, 3000));
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD,
				(unsigned long)&period));
	EXPECT_LE(5, sample(self, 5));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The leader's sample has the counts of the group. */
TEST_F(hw_sample, members_are_read)
{
	struct perf_event_attr attr = EVERY(1000000);
	__u64 last[2] = {}, i, nr = 0;
	int member;

	attr.sample_type |= PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	member = perf_open(HW_CYCLES(), 0, -1, self->l.fd);
	ASSERT_LE(0, member);
	perf_enable(self->l.fd);
	for (i = 0; i < 50 || (!perf_buf_fill(&self->l.buf) && i < STEPS); i++)
		spin_and_call(50);
	perf_disable(self->l.fd);
	while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
		const __u64 *values = self->l.rec.read;

		ASSERT_EQ(2, values[0]);
		/* A late sample does not delay the next one. */
		EXPECT_LE(++nr * 1000000, values[1]);
		EXPECT_LT(last[0], values[1]);
		/* The event starts a little later, on a busy host maybe much later. */
		EXPECT_LE(last[1], values[2]);
		last[0] = values[1];
		last[1] = values[2];
	}
	EXPECT_LT(0, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/*
 * Too many samples: some are not taken, which is recorded, and the machine does not
 * hang.
 */
TEST_F(hw_sample, storm_is_throttled)
{
	int throttled = 0, unthrottled = 0, samples = 0, i;
	__u64 count;

	/* Less than any machine takes. */
	ASSERT_EQ(0, file_write_long(SAMPLE_RATE, 1000));
	ASSERT_EQ(0, perf_listen_self(&self->l, EVERY(500)));
	perf_enable(self->l.fd);
	for (i = 0; i < PATIENCE_MS && !unthrottled; i++) {
		burn_cpu(NSEC_PER_MSEC);
		while (perf_listen_next(&self->l)) {
			throttled += self->l.header->type == PERF_RECORD_THROTTLE;
			unthrottled += self->l.header->type == PERF_RECORD_UNTHROTTLE;
			samples += self->l.header->type == PERF_RECORD_SAMPLE;
		}
	}
	/* The event may be throttled, and a busy host is late to end that. */
	count = perf_count(self->l.fd);
	EXPECT_TRUE(BURNS_UNTIL(perf_count(self->l.fd) > count));
	perf_disable(self->l.fd);
	EXPECT_LT(0, samples);
	EXPECT_LT(0, throttled);
	EXPECT_LT(0, unthrottled);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

static int nr_traps;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	__atomic_fetch_add(&nr_traps, 1, __ATOMIC_RELAXED);
}

static int traps(void)
{
	return __atomic_load_n(&nr_traps, __ATOMIC_RELAXED);
}

TEST_F(hw_sample, trap_in_the_program)
{
	struct sigaction action = {
		.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO,
	};
	int fd, i;

	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	fd = perf_open_self(HW_CYCLES(.sample_period = 1000000, .disabled = 1,
				      .exclude_kernel = 1, .remove_on_exec = 1,
				      .sigtrap = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < STEPS / 10 && traps() < 3; i++)
		spin(200000);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_LE(3, traps());
}

TEST_F(hw_sample, a_cpus_tasks)
{
	int cpu = nth_cpu(0), mine = 0, i;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_listen(&self->l, EVERY(1000000), -1, cpu));
	perf_enable(self->l.fd);
	for (i = 0; i < STEPS && mine < 10; i++) {
		spin_and_call(50);
		while (perf_listen_of(&self->l, PERF_RECORD_SAMPLE)) {
			EXPECT_EQ(cpu, self->l.rec.cpu);
			mine += (pid_t)self->l.rec.tid == gettid();
		}
	}
	perf_disable(self->l.fd);
	EXPECT_LE(10, mine);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
