// SPDX-License-Identifier: GPL-2.0
/*
 * AMD's additions to the core PMU: events that take two counters, and events of the
 * northbridge, which the cores of a node share. For the machines amd-zen, amd-perfmonv2
 * and amd-legacy (x86_pmu_emulator= on the kernel's command line). In these machines floating
 * point events occur 20 times per cycle.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef __x86_64__

#define FLOPS		0xff03		/* takes two counters */
#define FLOPS_PER_CYCLE	20
#define UPPER_PART	0xf000000ffULL	/* makes the next counter a part of a pair */
#define BRANCHES	0x00c2
#define GROUP_MAX	8

struct group {
	__u64 nr;
	__u64 value[GROUP_MAX];
};

/*
 * Open events as a group with a disabled leader. Returns the number of open events,
 * which is less than @nr if one was refused.
 */
static int open_group(const __u64 *configs, int nr, int *fds)
{
	struct perf_event_attr attr;
	int n;

	for (n = 0; n < nr; n++) {
		attr = PERF_RAW(configs[n]);
		attr.read_format = n ? 0 : PERF_FORMAT_GROUP;
		attr.disabled = !n;
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	return n;
}

/*
 * The number of an event has twelve bits. Bit 9 of it is bit 33 of the event select register, which
 * has another meaning on Intel's CPUs.
 */
TEST(what_counts_can_be_sampled)
{
	__u64 number, config;
	int counted, sampled;

	if (!machine_is("amd-zen") && !machine_is("amd-perfmonv2") && !machine_is("amd-legacy"))
		SKIP(return, "no emulated machine of AMD's");
	/* op_cache_hit_miss.op_cache_miss of Zen 3 and 4 */
	EXPECT_EQ(0, perf_try_self(PERF_RAW(0x20000048fULL, .sample_period = 100000)));
	for (number = 0; number < 0x1000; number += 37) {
		config = (number & 0xf00) << 24 | (number & 0xff);
		counted = perf_try_self(PERF_RAW(config));
		sampled = perf_try_self(PERF_RAW(config, .sample_period = 100000));
		EXPECT_EQ(counted, sampled) {
			TH_LOG("event 0x%llx", number);
		}
	}
}

FIXTURE(large)
{
	int fds[GROUP_MAX];
};

FIXTURE_SETUP(large)
{
	if (!machine_is("amd-zen") && !machine_is("amd-perfmonv2"))
		SKIP(return, "no emulated machine with events that take two counters");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(large)
{
}

static bool is_flops(__u64 value, __u64 cycles)
{
	__u64 expected = cycles * FLOPS_PER_CYCLE;
	__u64 slack = turned_on_one_by_one() ? expected / 20 : FLOPS_PER_CYCLE;

	return value + slack >= expected && value <= expected + slack;
}

/*
 * Count a group with a leader that counts cycles. Returns true if all counts fit. They may
 * not after a switch: without global control counters start and stop one after the other,
 * and the first one alone counts what happens in between.
 */
static bool counts_fit(const int *fds, const __u64 *configs, int nr)
{
	struct group g;
	int n;

	if (ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) || perf_enable(fds[0]))
		return false;
	burn_cpu(20 * NSEC_PER_MSEC);
	if (perf_disable(fds[0]) || read(fds[0], &g, sizeof(g)) <= 0 || g.value[0] < 100000)
		return false;
	for (n = 1; n < nr; n++) {
		if (!g.value[n] || (configs[n] == FLOPS && !is_flops(g.value[n], g.value[0])))
			return false;
	}
	return true;
}

/* At any place in the group, whichever other event has to move. */
TEST_F(large, count_with_others)
{
	static const struct {
		__u64 configs[GROUP_MAX];
		int nr;
	} groups[] = {
		{ { 0x76, FLOPS }, 2 },
		{ { 0x76, FLOPS, FLOPS, BRANCHES }, 4 },
		{ { 0x76, BRANCHES, BRANCHES, BRANCHES, FLOPS }, 5 },
		{ { 0x76, BRANCHES, FLOPS, FLOPS }, 4 },
		{ { 0x76, FLOPS, BRANCHES, FLOPS }, 4 },
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		ASSERT_EQ(groups[i].nr, open_group(groups[i].configs, groups[i].nr, self->fds));
		EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, counts_fit(self->fds, groups[i].configs,
							      groups[i].nr))) {
			TH_LOG("group %zu", i);
		}
		perf_close_all(self->fds, groups[i].nr);
	}
}

/* Six counters fit three of them, or two and two others, ... */
TEST_F(large, groups_that_do_not_fit)
{
	static const __u64 groups[][GROUP_MAX] = {
		{ FLOPS, FLOPS, FLOPS, BRANCHES },
		{ FLOPS, BRANCHES, FLOPS, BRANCHES, BRANCHES },
		{ BRANCHES, BRANCHES, BRANCHES, BRANCHES, FLOPS, BRANCHES },
		{ BRANCHES, BRANCHES, BRANCHES, BRANCHES, BRANCHES, FLOPS },
	};
	static const int fit[] = { 3, 4, 5, 5 };

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		EXPECT_EQ(fit[i], open_group(groups[i], fit[i] + 1, self->fds));
		EXPECT_TRUE(refused_for("group_fd"));
		perf_close_all(self->fds, fit[i]);
	}
}

/* The event alone has no meaning, and would change the meaning of another one. */
TEST_F(large, upper_part_is_no_event)
{
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_RAW(UPPER_PART)));
	EXPECT_TRUE(refused_for("config"));
}

/* One sample for each full period, as with any other event. */
TEST_F(large, every_overflow_is_one_sample)
{
	struct perf_event_attr attr = PERF_RAW(FLOPS);
	struct perf_buf buf;
	__u64 count;
	int fd, n = 0;

	attr.sample_period = 200000000;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 16));
	ASSERT_EQ(0, perf_enable(fd));
	do {
		burn_cpu(50 * NSEC_PER_MSEC);
	} while (perf_count(fd) < 12 * attr.sample_period);
	ASSERT_EQ(0, perf_disable(fd));
	count = perf_count(fd);
	while (perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))
		n++;
	EXPECT_LT(10, n);
	EXPECT_EQ(count / attr.sample_period, n);
	perf_buf_unmap(&buf);
	close(fd);
}

static int count_on(int cpu, __u64 config)
{
	struct perf_event_attr attr = PERF_RAW(config);

	attr.read_format = PERF_ALL_TIMES;
	return perf_open(attr, -1, cpu, -1);
}

/* Single events are multiplexed, together with others. */
TEST_F(large, more_than_fit_take_turns)
{
	int n;

	for (n = 0; n < GROUP_MAX; n++) {
		self->fds[n] = count_on(nth_cpu(0), n & 1 ? BRANCHES : FLOPS);
		ASSERT_LE(0, self->fds[n]);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(self->fds, GROUP_MAX)));
	perf_close_all(self->fds, GROUP_MAX);
}

#define SHARED		0x00e0		/* of the northbridge */
#define COUNTERS	4

FIXTURE(northbridge)
{
	int cpu;
	int other;
	int removable;
	int fds[COUNTERS];
};

FIXTURE_SETUP(northbridge)
{
	if (!machine_is("amd-legacy"))
		SKIP(return, "no emulated machine that shares a northbridge's events");
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	self->removable = hotplug_cpu();
	if (self->other < 0)
		SKIP(return, "one CPU");
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(northbridge)
{
}

/* A counter that one core uses for such an event is not free for another core's. */
TEST_F(northbridge, a_core_waits_for_another)
{
	int fd, own, n;

	for (n = 0; n < COUNTERS; n++) {
		self->fds[n] = count_on(self->cpu, SHARED + n);
		ASSERT_LE(0, self->fds[n]);
		EXPECT_TRUE(gets_its_turn(self->fds[n]));
	}
	fd = count_on(self->other, SHARED);
	ASSERT_LE(0, fd);
	/* The core's other events are not affected. */
	own = count_on(self->other, BRANCHES);
	ASSERT_LE(0, own);
	EXPECT_TRUE(gets_its_turn(own));
	sleep_ms(50);
	EXPECT_EQ(0, perf_timed_count(fd).running);
	close(self->fds[2]);
	EXPECT_TRUE(gets_its_turn(fd));
	close(fd);
	close(own);

	/* The other core's events do not affect this core's events. */
	for (n = 0; n < COUNTERS; n++) {
		if (n != 2)
			close(self->fds[n]);
		self->fds[n] = count_on(self->other, BRANCHES);
		ASSERT_LE(0, self->fds[n]);
	}
	fd = count_on(self->cpu, SHARED);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(gets_its_turn(fd));
	close(fd);
	perf_close_all(self->fds, COUNTERS);
}

/*
 * Both cores have more events of both kinds than there are counters. The emulator sees no
 * conflict.
 */
TEST_F(northbridge, cores_come_and_go_beside_each_other)
{
	const int cpus[2] = { self->cpu, self->other };
	int fds[2][6], i, n, round;

	for (round = 0; round < 20; round++) {
		for (n = 0; n < 6; n++) {
			for (i = 0; i < 2; i++) {
				fds[i][n] = count_on(cpus[i], n & 1 ? SHARED : BRANCHES);
				ASSERT_LE(0, fds[i][n]);
			}
		}
		sleep_ms(10);
		for (n = 0; n < 6; n++) {
			for (i = 0; i < 2; i++)
				close(fds[i][(n * 5 + round) % 6]);
		}
	}
}

/* A core that goes offline releases its counters. */
TEST_F(northbridge, a_core_that_goes_keeps_nothing)
{
	int cpu = self->removable, fd, n;

	if (cpu < 0 || cpu == self->cpu)
		SKIP(return, "no CPU can be taken offline");
	for (n = 0; n < COUNTERS; n++) {
		self->fds[n] = count_on(cpu, SHARED);
		ASSERT_LE(0, self->fds[n]);
		EXPECT_TRUE(gets_its_turn(self->fds[n]));
	}
	fd = count_on(self->cpu, SHARED);
	ASSERT_LE(0, fd);
	sleep_ms(50);
	EXPECT_EQ(0, perf_timed_count(fd).running);
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	EXPECT_TRUE(gets_its_turn(fd));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	perf_close_all(self->fds, COUNTERS);
	close(fd);
}

#else /* !__x86_64__ */

TEST(amd)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
