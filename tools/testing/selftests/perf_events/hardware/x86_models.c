// SPDX-License-Identifier: GPL-2.0
/*
 * Additions of Intel's models to the core PMU: events that need certain counters,
 * registers beside the counters, a counter that transactions use, topdown metrics. For
 * the machines intel-haswell, intel-icelake, intel-skylake and intel-westmere
 * (x86_pmu_emulator= on the kernel's command line), and for metrics the machines of parts with
 * kinds of cores as well. The first four count offcore responses at the rate in their
 * register: 1 + 16 * its low four bits, in 1024 cycles.
 */
#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef __x86_64__

#define OFFCORE_0	0x01b7
#define OFFCORE_1	0x01bb

#define SLOTS		0x0400
#define METRIC(n)	(0x8000 + ((n) << 8))
#define LEVEL_1		4
#define LEVEL_2		8

#define ABORT_FILE	"/sys/bus/event_source/devices/cpu/allow_tsx_force_abort"

/* The shares of the emulated slots, in 255ths. */
static const __u64 metrics[LEVEL_2] = { 0x40, 0x10, 0x30, 0x7f, 0x10, 0x08, 0x18, 0x3f };

/* Machines with metrics, and the number of their metrics. */
static const struct {
	const char *machine;
	int metrics;
} machines_with_metrics[] = {
	{ "intel-icelake", LEVEL_1 }, { "intel-alderlake", LEVEL_2 },
	{ "intel-p-only", LEVEL_2 }, { "intel-meteorlake", LEVEL_2 },
	{ "intel-arrowlake-h", LEVEL_2 },
};

static int metrics_of_machine(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(machines_with_metrics); i++) {
		if (machine_is(machines_with_metrics[i].machine))
			return machines_with_metrics[i].metrics;
	}
	return 0;
}

static struct perf_event_attr offcore(__u64 code, __u64 response)
{
	struct perf_event_attr attr = PERF_RAW(code);

	attr.config1 = response;
	return attr;
}

FIXTURE(models)
{
};

FIXTURE_SETUP(models)
{
	if (!machine_is("intel-haswell") && !machine_is("intel-icelake") &&
	    !machine_is("intel-skylake") && !machine_is("intel-westmere"))
		SKIP(return, "no such machine behind the PMU");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(models)
{
}

#define GROUP_MAX	(2 + LEVEL_2)

struct group {
	__u64 nr;
	__u64 value[GROUP_MAX];
};

/*
 * Open @nr events as a group with a disabled leader. Returns 0, or the refusal of
 * one.
 */
static int open_group(struct perf_event_attr *attrs, int nr, int *fds)
{
	int n;

	for (n = 0; n < nr; n++) {
		attrs[n].read_format = n ? 0 : PERF_FORMAT_GROUP;
		attrs[n].disabled = !n;
		fds[n] = perf_open(attrs[n], 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			return fds[n];
	}
	return 0;
}

static bool near(__u64 value, __u64 expected)
{
	__u64 slack = expected / 64 + 2;

	return value + slack >= expected && value <= expected + slack;
}

static bool occurs(__u64 value, __u64 cycles, __u64 response)
{
	return near(value, cycles * (1 + 16 * (response & 0xf)) / 1024);
}

/* Two values have a register each, in either of the two events. */
TEST_F(models, two_responses_are_counted_at_once)
{
	static const __u64 codes[][2] = {
		{ OFFCORE_0, OFFCORE_0 }, { OFFCORE_1, OFFCORE_1 }, { OFFCORE_0, OFFCORE_1 },
	};
	struct perf_event_attr attrs[3];
	struct group g;
	int fds[3];
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		attrs[0] = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
		attrs[1] = offcore(codes[i][0], 0x0101);
		attrs[2] = offcore(codes[i][1], 0x0102);
		ASSERT_EQ(0, open_group(attrs, 3, fds));
		ASSERT_EQ(0, perf_enable(fds[0]));
		burn_cpu(10 * NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_disable(fds[0]));
		ASSERT_LT(0, read(fds[0], &g, sizeof(g)));
		ASSERT_LT(100000, g.value[0]);
		EXPECT_TRUE(occurs(g.value[1], g.value[0], 1));
		EXPECT_TRUE(occurs(g.value[2], g.value[0], 2));
		perf_close_all(fds, 3);
	}
}

TEST_F(models, a_group_has_no_third_response)
{
	struct perf_event_attr attrs[4];
	int fds[4], n;

	for (n = 0; n < 3; n++)
		attrs[n] = offcore(OFFCORE_0, 0x0101 + n);
	EXPECT_EQ(-EINVAL, open_group(attrs, 3, fds));
	EXPECT_TRUE(refused_for("group_fd"));
	perf_close_all(fds, 2);

	/* The same value twice. */
	attrs[2] = attrs[0];
	attrs[3] = attrs[1];
	EXPECT_EQ(0, open_group(attrs, 4, fds));
	perf_close_all(fds, 4);
}

/* Single events are multiplexed. */
TEST_F(models, more_responses_take_turns)
{
	struct perf_event_attr attr;
	int fds[4], n;

	for (n = 0; n < 4; n++) {
		attr = offcore(OFFCORE_0, 0x0101 + n);
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		fds[n] = perf_open_self(attr);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(fds, 4)));
	perf_close_all(fds, 4);
}

TEST_F(models, a_response_has_bits_that_exist)
{
	EXPECT_EQ(-EINVAL, perf_try_self(offcore(OFFCORE_0, 1ULL << 63)));
	EXPECT_TRUE(refused_for("config1"));
	/* An event without a register ignores the value. */
	EXPECT_EQ(0, perf_try_self(offcore(0x003c, 1ULL << 63)));
}

/* Without PEBS the event would count something else than loads that took so long. */
TEST_F(models, latencies_of_loads_need_precise_sampling)
{
	struct perf_event_attr attr = offcore(machine_is("intel-westmere") ? 0x100b : 0x01cd, 30);

	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("config"));
	attr.sample_period = 1000;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	EXPECT_TRUE(refused_for("config"));
}

TEST_F(models, cache_events_use_the_register)
{
	struct perf_event_attr attrs[2];
	struct group g;
	int fds[2];

	attrs[0] = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	attrs[1] = PERF_ATTR(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL |
			     PERF_COUNT_HW_CACHE_OP_WRITE << 8 |
			     PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	ASSERT_EQ(0, open_group(attrs, 2, fds));
	ASSERT_EQ(0, perf_enable(fds[0]));
	burn_cpu(10 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(fds[0]));
	ASSERT_LT(0, read(fds[0], &g, sizeof(g)));
	EXPECT_TRUE(occurs(g.value[1], g.value[0], 2));
	perf_close_all(fds, 2);
}

/* Haswell counts this unit mask of 0xc0 on counter 1 only. */
TEST_F(models, events_with_one_counter_take_turns)
{
	struct perf_event_attr attrs[2] = { PERF_RAW(0x01c0), PERF_RAW(0x01c0) };
	int fds[2], n;

	if (!machine_is("intel-haswell"))
		SKIP(return, "another machine");
	EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
	close(fds[0]);

	for (n = 0; n < 2; n++) {
		attrs[n].disabled = 0;
		attrs[n].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING;
		fds[n] = perf_open_self(attrs[n]);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(fds, 2)));
	perf_close_all(fds, 2);
}

/* Events of the emulator beside cycles, with their number in 1024 cycles. */
static const struct {
	__u64 code;
	unsigned int rate;
} others[] = { { 0x00c4, 128 }, { 0x00c5, 4 }, { 0x4f2e, 32 }, { 0x412e, 8 }, { 0x00c4, 128 } };

/* A group led by @cycles, with @nr of the events above from @first on. */
struct beside_cycles {
	struct perf_event_attr cycles;
	int first;
	int nr;
	int fds[GROUP_MAX];
};

static int open_beside(struct beside_cycles *group)
{
	struct perf_event_attr attrs[GROUP_MAX] = { group->cycles };
	int n;

	for (n = 0; n < group->nr; n++)
		attrs[1 + n] = PERF_RAW(others[group->first + n].code);
	return open_group(attrs, 1 + group->nr, group->fds);
}

static bool has_counted(const struct beside_cycles *group)
{
	struct group g;

	return read(group->fds[0], &g, sizeof(g)) > 0 && g.value[0];
}

static bool counts_fit(const struct beside_cycles *group)
{
	bool fit = true;
	struct group g;
	int n;

	if (read(group->fds[0], &g, sizeof(g)) <= 0 || !g.value[0])
		return false;
	for (n = 0; n < group->nr; n++) {
		unsigned int rate = others[group->first + n].rate;

		if (near(g.value[1 + n], g.value[0] * rate / 1024))
			continue;
		printf("# event %#llx: %llu in %llu cycles\n", others[group->first + n].code,
		       g.value[1 + n], g.value[0]);
		fit = false;
	}
	return fit;
}

/*
 * Counters count the event that they got last: errata AAK100, AAP53 and BD53. Two groups get the
 * counters in turn.
 */
TEST_F(models, counters_that_get_other_events_count_them)
{
	struct beside_cycles groups[2] = {
		{ .cycles = HW_CYCLES(), .first = 0, .nr = 4 },
		{ .cycles = HW_CYCLES(), .first = 1, .nr = 4 },
	};
	int n;

	for (n = 0; n < 2; n++)
		ASSERT_EQ(0, open_beside(&groups[n]));
	for (n = 0; n < 2; n++)
		ASSERT_EQ(0, perf_enable(groups[n].fds[0]));
	burn_cpu(50 * NSEC_PER_MSEC);
	/* A late tick is a late turn. */
	EXPECT_TRUE(BURNS_UNTIL(has_counted(&groups[0]) && has_counted(&groups[1])));
	for (n = 0; n < 2; n++)
		ASSERT_EQ(0, perf_disable(groups[n].fds[0]));
	for (n = 0; n < 2; n++) {
		EXPECT_TRUE(counts_fit(&groups[n]));
		perf_close_all(groups[n].fds, 1 + groups[n].nr);
	}
}

/* Events that go on lose nothing when others get counters beside them, again and again. */
TEST_F(models, counters_go_on_beside_new_events)
{
	struct beside_cycles groups[2] = {
		{ .cycles = HW_CYCLES(), .first = 0, .nr = 2 },
		{ .cycles = PERF_RAW(0x003c), .first = 2, .nr = 1 },
	};
	int n;

	for (n = 0; n < 2; n++)
		ASSERT_EQ(0, open_beside(&groups[n]));
	ASSERT_EQ(0, perf_enable(groups[0].fds[0]));
	for (n = 0; n < 20; n++) {
		burn_cpu(NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_enable(groups[1].fds[0]));
		burn_cpu(NSEC_PER_MSEC);
		ASSERT_EQ(0, perf_disable(groups[1].fds[0]));
	}
	ASSERT_EQ(0, perf_disable(groups[0].fds[0]));
	for (n = 0; n < 2; n++) {
		EXPECT_TRUE(counts_fit(&groups[n]));
		perf_close_all(groups[n].fds, 1 + groups[n].nr);
	}
}

/* Another thread of a CPU's core, or -1. */
static int other_thread(int cpu)
{
	char path[96], text[64], *at = text;
	int other;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	if (file_read(path, text, sizeof(text)) <= 0)
		return -1;
	while (*at) {
		other = strtol(at, &at, 10);
		if (other != cpu)
			return other;
		at += strcspn(at, "0123456789");
	}
	return -1;
}

static int count_on(int cpu, struct perf_event_attr attr)
{
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return perf_open(attr, -1, cpu, -1);
}

static int offcore_on(int cpu, __u64 response)
{
	return count_on(cpu, offcore(OFFCORE_0, response));
}

/* Two threads of a core. */
FIXTURE(threads)
{
	int cpu;
	int other;
};

FIXTURE_SETUP(threads)
{
	if (!machine_is("intel-haswell") && !machine_is("intel-westmere"))
		SKIP(return, "no emulated machine with threads");
	self->cpu = nth_cpu(0);
	self->other = other_thread(self->cpu);
	if (self->other < 0)
		SKIP(return, "a core has but one thread");
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(threads)
{
}

/* Since Sandy Bridge each thread has the registers for two values. */
TEST_F(threads, have_registers_of_their_own)
{
	int fds[4], n;

	if (machine_is("intel-westmere"))
		SKIP(return, "threads share the registers");
	for (n = 0; n < 4; n++) {
		fds[n] = offcore_on(n & 1 ? self->other : self->cpu, 0x0101 + n);
		ASSERT_LE(0, fds[n]);
	}
	for (n = 0; n < 4; n++)
		EXPECT_TRUE(gets_its_turn(fds[n]));
	sleep_ms(50);
	for (n = 0; n < 4; n++) {
		struct perf_timed t = perf_timed_count(fds[n]);

		EXPECT_EQ(t.enabled, t.running);
	}
	perf_close_all(fds, 4);
}

/* A third value waits until the other thread has released one of its two. */
TEST_F(threads, share_registers)
{
	int cpu = self->cpu, other = self->other;
	int fds[2], same, third, n;

	if (!machine_is("intel-westmere"))
		SKIP(return, "each thread has registers");
	for (n = 0; n < 2; n++) {
		fds[n] = offcore_on(cpu, 0x0101 + n);
		ASSERT_LE(0, fds[n]);
	}
	third = offcore_on(other, 0x0103);
	ASSERT_LE(0, third);
	same = offcore_on(other, 0x0102);
	ASSERT_LE(0, same);
	EXPECT_TRUE(gets_its_turn(same));
	sleep_ms(50);
	EXPECT_EQ(0, perf_timed_count(third).running);

	close(fds[0]);
	EXPECT_TRUE(gets_its_turn(third));
	close(same);
	close(fds[1]);
	close(third);

	/* Also when the other thread has no other events. */
	for (n = 0; n < 2; n++) {
		fds[n] = offcore_on(cpu, 0x0101 + n);
		ASSERT_LE(0, fds[n]);
	}
	third = offcore_on(other, 0x0103);
	ASSERT_LE(0, third);
	sleep_ms(50);
	EXPECT_EQ(0, perf_timed_count(third).running);
	perf_close_all(fds, 2);
	EXPECT_TRUE(gets_its_turn(third));
	close(third);
}

#define COUNTERS	4
#define LOADS		0x81d0

static bool gets_one_more_turn(int fd)
{
	__u64 before = perf_timed_count(fd).running;

	return COMES_TRUE(perf_timed_count(fd).running > before);
}

static bool all_get_their_turns(const int *fds, int nr)
{
	int n, i;

	for (i = 0; i < 3; i++) {
		for (n = 0; n < nr; n++) {
			if (!gets_one_more_turn(fds[n]))
				return false;
		}
	}
	return true;
}

/*
 * Retired loads are counted by the other thread's counter of the same number, too, so
 * that one has to be free. The emulator reports a violation.
 */
TEST_F(threads, retired_loads_spoil_no_counter_of_the_other)
{
	const struct perf_event_attr misses = PERF_ATTR(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_BRANCH_MISSES);
	int cpu = self->cpu, other = self->other;
	int fds[COUNTERS], loads, n;

	if (!machine_is("intel-haswell"))
		SKIP(return, "a machine without this erratum");

	/* All counters are in use there. The events give some up, and are multiplexed. */
	for (n = 0; n < COUNTERS; n++) {
		fds[n] = count_on(cpu, misses);
		ASSERT_LE(0, fds[n]);
		EXPECT_TRUE(gets_its_turn(fds[n]));
	}
	loads = count_on(other, PERF_RAW(LOADS));
	ASSERT_LE(0, loads);
	EXPECT_TRUE(gets_its_turn(loads));
	EXPECT_TRUE(all_get_their_turns(fds, COUNTERS));
	EXPECT_TRUE(gets_one_more_turn(loads));
	close(loads);
	perf_close_all(fds, COUNTERS);
}

/* A group that needs all counters takes turns with the loads of the other thread. */
TEST_F(threads, a_group_of_all_counters_has_its_turn)
{
	const struct perf_event_attr misses = PERF_ATTR(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_BRANCH_MISSES);
	struct perf_event_attr attr = misses;
	int fds[COUNTERS], loads[2], n;

	if (!machine_is("intel-haswell"))
		SKIP(return, "a machine without this erratum");
	for (n = 0; n < 2; n++) {
		loads[n] = count_on(self->other, PERF_RAW(LOADS));
		ASSERT_LE(0, loads[n]);
		EXPECT_TRUE(gets_its_turn(loads[n]));
	}
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	for (n = 0; n < COUNTERS; n++) {
		fds[n] = perf_open(attr, -1, self->cpu, n ? fds[0] : -1);
		ASSERT_LE(0, fds[n]);
	}
	EXPECT_TRUE(all_get_their_turns(fds, COUNTERS));
	EXPECT_TRUE(all_get_their_turns(loads, 2));
	EXPECT_TRUE(all_get_their_turns(fds, COUNTERS));
	perf_close_all(fds, COUNTERS);
	perf_close_all(loads, 2);
}

/* A group that cannot fit beside half of the other thread's pinned events takes none of them. */
TEST_F(threads, pinned_events_do_not_give_way_in_vain)
{
	struct perf_event_attr misses = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
						  .pinned = 1);
	struct perf_event_attr attr = PERF_RAW(LOADS, .read_format = PERF_ALL_TIMES);
	int fds[COUNTERS - 1], loads[COUNTERS - 1], n;

	if (!machine_is("intel-haswell"))
		SKIP(return, "a machine without this erratum");
	for (n = 0; n < COUNTERS - 1; n++) {
		fds[n] = count_on(self->cpu, misses);
		ASSERT_LE(0, fds[n]);
	}
	for (n = 0; n < COUNTERS - 1; n++) {
		loads[n] = perf_open(attr, -1, self->other, n ? loads[0] : -1);
		ASSERT_LE(0, loads[n]);
	}
	sleep_ms(50);
	EXPECT_EQ(0, perf_timed_count(loads[0]).running);
	for (n = 0; n < COUNTERS - 1; n++)
		EXPECT_TRUE(gets_one_more_turn(fds[n]));
	perf_close_all(loads, COUNTERS - 1);
	perf_close_all(fds, COUNTERS - 1);
}

/*
 * Both threads have more events of both kinds than there are registers. The emulator sees
 * no conflict.
 */
TEST_F(threads, come_and_go_beside_each_other)
{
	const int cpus[2] = { self->cpu, self->other };
	struct perf_event_attr attr;
	int fds[2][8], i, n, round;

	for (round = 0; round < 20; round++) {
		for (n = 0; n < 8; n++) {
			for (i = 0; i < 2; i++) {
				attr = n & 1 ? PERF_RAW(LOADS) : PERF_RAW(0x00c4);
				/* Two values on each thread; three on both. */
				if (n & 2)
					attr = offcore(OFFCORE_0, 0x0101 + i + (n >> 2));
				fds[i][n] = count_on(cpus[i], attr);
				ASSERT_LE(0, fds[i][n]);
			}
		}
		sleep_ms(10);
		for (n = 0; n < 8; n++) {
			for (i = 0; i < 2; i++)
				close(fds[i][(n * 3 + round) % 8]);
		}
	}
}

TEST_F(models, sysfs_tells_the_model)
{
	char text[256], machine[300];

	ASSERT_LT(0, file_read("/sys/devices/cpu/caps/pmu_name", text, sizeof(text)));
	text[strcspn(text, "\n")] = 0;
	snprintf(machine, sizeof(machine), "intel-%s", text);
	EXPECT_TRUE(machine_is(machine));
	EXPECT_EQ(machine_is("intel-skylake"), !access(ABORT_FILE, F_OK));
	ASSERT_LT(0, file_read("/sys/devices/cpu/format/offcore_rsp", text, sizeof(text)));
	EXPECT_EQ(0, strcmp(text, "config1:0-63\n"));
	EXPECT_LT(0, file_read("/sys/devices/cpu/format/ldlat", text, sizeof(text)));
	EXPECT_EQ(machine_is("intel-skylake") || machine_is("intel-icelake"),
		  !access("/sys/devices/cpu/format/frontend", F_OK));
	EXPECT_EQ(machine_is("intel-icelake"), !access("/sys/devices/cpu/events/slots", F_OK));
}

FIXTURE(force_abort)
{
	struct perf_event_attr attrs[COUNTERS + 1];
	int fds[COUNTERS + 1];
};

FIXTURE_SETUP(force_abort)
{
	int n;

	if (!machine_is("intel-skylake"))
		SKIP(return, "no emulated machine whose transactions want a counter");
	for (n = 0; n <= COUNTERS; n++)
		self->attrs[n] = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN_PARENT(force_abort)
{
	file_write(ABORT_FILE, "1");
}

/* The number of counters that a group of events can have. */
static int group_size(struct perf_event_attr *attrs, int *fds)
{
	int n;

	for (n = 1; n <= COUNTERS + 1; n++) {
		if (open_group(attrs, n, fds)) {
			perf_close_all(fds, n - 1);
			return refused_for("group_fd") ? n - 1 : -1;
		}
		perf_close_all(fds, n);
	}
	return n;
}

TEST_F(force_abort, file_says_whether_events_have_the_counter)
{
	char text[16];

	ASSERT_LT(0, file_read(ABORT_FILE, text, sizeof(text)));
	EXPECT_EQ(0, strcmp(text, "1\n"));
	EXPECT_EQ(COUNTERS, group_size(self->attrs, self->fds));

	ASSERT_EQ(0, file_write(ABORT_FILE, "0"));
	ASSERT_LT(0, file_read(ABORT_FILE, text, sizeof(text)));
	EXPECT_EQ(0, strcmp(text, "0\n"));
	EXPECT_EQ(COUNTERS - 1, group_size(self->attrs, self->fds));

	EXPECT_NE(0, file_write(ABORT_FILE, "2"));
	EXPECT_EQ(0, file_write(ABORT_FILE, "y"));
	EXPECT_EQ(COUNTERS, group_size(self->attrs, self->fds));
}

/* The emulator reports if the counter counts while transactions use it. */
TEST_F(force_abort, groups_count_on_all_counters)
{
	struct group g;
	int n, round;

	for (round = 0; round < 20; round++) {
		ASSERT_EQ(0, open_group(self->attrs, COUNTERS, self->fds));
		ASSERT_EQ(0, perf_enable(self->fds[0]));
		burn_cpu(NSEC_PER_MSEC);
		sleep_ms(1);
		ASSERT_EQ(0, perf_disable(self->fds[0]));
		ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
		for (n = 0; n < COUNTERS; n++)
			EXPECT_LT(0, g.value[n]);
		perf_close_all(self->fds, COUNTERS);
	}
}

/* Also while events are scheduled in, and more than there are counters. */
TEST_F(force_abort, file_changes_while_events_count)
{
	int n, round;

	for (n = 0; n <= COUNTERS; n++) {
		self->attrs[n].read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
					     PERF_FORMAT_TOTAL_TIME_RUNNING;
		self->fds[n] = perf_open_self(self->attrs[n]);
		ASSERT_LE(0, self->fds[n]);
	}
	for (round = 0; round < 40; round++) {
		ASSERT_EQ(0, file_write(ABORT_FILE, round & 1 ? "1" : "0"));
		burn_cpu(5 * NSEC_PER_MSEC);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(self->fds, COUNTERS + 1)));
	perf_close_all(self->fds, COUNTERS + 1);
}

FIXTURE(topdown)
{
	struct perf_event_attr attrs[1 + LEVEL_2];
	int fds[1 + LEVEL_2];
};

FIXTURE_SETUP(topdown)
{
	int n;

	if (!metrics_of_machine())
		SKIP(return, "no emulated machine with metrics behind the PMU");
	self->attrs[0] = PERF_RAW(SLOTS);
	for (n = 0; n < LEVEL_2; n++)
		self->attrs[1 + n] = PERF_RAW(METRIC(n));
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(topdown)
{
}

static bool parts_are_right(const struct group *g)
{
	unsigned int n;

	for (n = 0; n + 1 < g->nr; n++) {
		if (!near(g->value[1 + n], g->value[0] * metrics[n] / 255))
			return false;
	}
	return true;
}

TEST_F(topdown, parts_make_up_the_slots)
{
	struct group g = { };

	ASSERT_EQ(0, open_group(self->attrs, 1 + LEVEL_1, self->fds));
	ASSERT_EQ(0, perf_enable(self->fds[0]));
	burn_cpu(10 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(self->fds[0]));
	ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
	EXPECT_LT(1000000, g.value[0]);
	EXPECT_TRUE(parts_are_right(&g));
	perf_close_all(self->fds, 1 + LEVEL_1);
}

/* All metrics of both levels are counted by one group. */
TEST_F(topdown, second_level)
{
	struct group g = { };

	if (metrics_of_machine() < LEVEL_2)
		SKIP(return, "this machine has no second level");
	ASSERT_EQ(0, open_group(self->attrs, 1 + LEVEL_2, self->fds));
	ASSERT_EQ(0, perf_enable(self->fds[0]));
	burn_cpu(10 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(self->fds[0]));
	ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
	EXPECT_EQ(1 + LEVEL_2, g.nr);
	EXPECT_LT(1000000, g.value[0]);
	EXPECT_TRUE(parts_are_right(&g));
	perf_close_all(self->fds, 1 + LEVEL_2);
}

/* Frequent reads, and disabling and enabling, lose nothing. */
TEST_F(topdown, counts_go_on_from_look_to_look)
{
	struct perf_event_attr attrs[2] = {
		PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), PERF_RAW(0x003c),
	};
	struct group g = { }, cycles = { };
	struct perf_event_attr shorter = PERF_RAW(0x003c);
	__u64 before = 0;
	int fds[2], inner, n;

	ASSERT_EQ(0, open_group(attrs, 2, fds));
	ASSERT_EQ(0, open_group(self->attrs, 1 + LEVEL_1, self->fds));
	shorter.disabled = 1;
	inner = perf_open_self(shorter);
	ASSERT_LE(0, inner);
	ASSERT_EQ(0, perf_enable(fds[0]));
	ASSERT_EQ(0, perf_enable(self->fds[0]));
	ASSERT_EQ(0, perf_enable(inner));
	for (n = 0; n < 200; n++) {
		burn_cpu(50000);
		if (n % 10 == 9)
			usleep(100);
		ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
		ASSERT_LT(before, g.value[0]);
		ASSERT_TRUE(parts_are_right(&g));
		before = g.value[0];
	}
	ASSERT_EQ(0, perf_disable(inner));
	ASSERT_EQ(0, perf_disable(self->fds[0]));
	ASSERT_EQ(0, perf_disable(fds[0]));
	ASSERT_LT(0, read(fds[0], &cycles, sizeof(cycles)));
	ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
	/* Four slots per cycle. One event counts cycles for longer, another for less long. */
	EXPECT_LE(g.value[0], 4 * cycles.value[0]);
	EXPECT_GE(g.value[0] + g.value[0] / 64, 4 * perf_count(inner));
	close(inner);
	perf_close_all(self->fds, 1 + LEVEL_1);
	perf_close_all(fds, 2);
}

/* An NMI that reads the metrics may come at any time, also while they are read. */
TEST_F(topdown, samples_read_them_too)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct group g = { }, last = { };
	struct perf_buf buf;
	const struct perf_event_header *rec;
	int fd, cycles, n, samples = 0;

	ASSERT_EQ(0, open_group(self->attrs, 1 + LEVEL_1, self->fds));
	attr.sample_period = 200000;
	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	fd = perf_open(attr, 0, -1, self->fds[0]);
	ASSERT_LE(0, fd);
	/* The sampling event may be throttled. */
	cycles = perf_open(PERF_RAW(0x003c), 0, -1, self->fds[0]);
	ASSERT_LE(0, cycles);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 64));
	ASSERT_EQ(0, perf_enable(self->fds[0]));
	while (samples < 3) {
		for (n = 0; n < 5000; n++)
			ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
		while ((rec = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
			memcpy(&g, rec + 1, rec->size - sizeof(*rec));
			EXPECT_LE(last.value[0], g.value[0]);
			last = g;
			samples++;
		}
	}
	ASSERT_EQ(0, perf_disable(self->fds[0]));
	ASSERT_LT(0, read(self->fds[0], &g, sizeof(g)));
	EXPECT_LE(last.value[0], g.value[0]);
	EXPECT_TRUE(near(g.value[2 + LEVEL_1] * 4, g.value[0]));
	perf_buf_unmap(&buf);
	close(cycles);
	close(fd);
	perf_close_all(self->fds, 1 + LEVEL_1);
}

/* When slots is closed, its metric is in error for good, also while another event counts slots. */
TEST_F(topdown, parts_end_with_their_slots)
{
	struct perf_event_attr attrs[2] = { PERF_RAW(SLOTS), PERF_RAW(METRIC(0)) };
	struct perf_timed t;
	int fds[2], other;

	ASSERT_EQ(0, open_group(attrs, 2, fds));
	ASSERT_EQ(0, perf_enable(fds[0]));
	burn_cpu(NSEC_PER_MSEC);
	ASSERT_LT(0, perf_count(fds[1]));
	close(fds[0]);
	EXPECT_EQ(0, read(fds[1], &t, sizeof(t)));
	EXPECT_EQ(0, perf_enable(fds[1]));
	attrs[0].read_format = 0;
	attrs[0].disabled = 0;
	other = perf_open_self(attrs[0]);
	ASSERT_LE(0, other);
	burn_cpu(NSEC_PER_MSEC);
	EXPECT_LT(0, perf_count(other));
	EXPECT_EQ(0, read(fds[1], &t, sizeof(t)));
	close(fds[1]);
	close(other);
}

/* A metric that is in error for good is not inherited, and fails no fork. */
TEST_F(topdown, orphaned_part_is_not_inherited)
{
	struct perf_event_attr attrs[2] = { PERF_RAW(SLOTS), PERF_RAW(METRIC(0)) };
	int fds[2];
	pid_t pid;

	for (int i = 0; i < 2; i++) {
		attrs[i].inherit = 1;
		fds[i] = perf_open(attrs[i], 0, -1, i ? fds[0] : -1);
		ASSERT_LE(0, fds[i]);
	}
	/* with its leader it is inherited */
	for (int closed = 0; closed < 2; closed++) {
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid)
			_exit(0);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		close(fds[closed]);
	}
}

TEST_F(topdown, parts_need_slots)
{
	struct perf_event_attr attrs[2];
	int fds[2];

	EXPECT_EQ(-EINVAL, perf_try_self(PERF_RAW(METRIC(0))));
	EXPECT_TRUE(refused_for("group_fd"));
	if (metrics_of_machine() < LEVEL_2) {
		attrs[0] = PERF_RAW(SLOTS);
		attrs[1] = PERF_RAW(METRIC(LEVEL_1));
		EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
		EXPECT_TRUE(refused_for("config"));
		close(fds[0]);
	}

	attrs[0] = PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	attrs[1] = PERF_RAW(METRIC(0));
	EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
	EXPECT_TRUE(refused_for("group_fd"));
	close(fds[0]);

	attrs[0] = PERF_RAW(SLOTS);
	attrs[0].sample_period = 1000000;
	EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
	EXPECT_TRUE(refused_for("group_fd"));
	close(fds[0]);

	attrs[0] = PERF_RAW(SLOTS);
	attrs[1].sample_period = 1000000;
	EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
	EXPECT_TRUE(refused_for("sample_period"));
	close(fds[0]);

	attrs[1] = PERF_RAW(METRIC(0));
	attrs[1].exclude_kernel = 1;
	EXPECT_EQ(-EINVAL, open_group(attrs, 2, fds));
	EXPECT_TRUE(refused_for("exclude_user"));
	close(fds[0]);
}

#else /* !__x86_64__ */

TEST(models)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
