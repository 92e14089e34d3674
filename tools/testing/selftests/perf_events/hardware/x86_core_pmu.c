// SPDX-License-Identifier: GPL-2.0
/*
 * The x86 core PMU: which groups fit on the counters, overflows, modes, refusals. With
 * an emulator (x86_pmu_emulator= on the kernel's command line) counts have known ratios, and
 * are compared with those.
 */
#include <limits.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/user.h"

#ifdef __x86_64__

#define COUNTERS_MAX	16
#define FORMAT		PMU_DEVICES "/cpu/format/"
#define NOBODY		65534
#define PERIOD		10000000
#define PERIODS_MIN	12

static bool is_emulated(void)
{
	return machine_is("");
}

static struct perf_event_attr hardware(__u64 id)
{
	return PERF_ATTR(PERF_TYPE_HARDWARE, id);
}

static __u64 tsc(void)
{
	__u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a" (low), "=d" (high) :: "memory");
	return (__u64)high << 32 | low;
}

/* In user mode, without a system call. */
static void spin_cycles(__u64 cycles)
{
	__u64 start = tsc();

	while (tsc() - start < cycles)
		;
}

FIXTURE(core_pmu)
{
	int removable;
	long paranoid;
};

FIXTURE_SETUP(core_pmu)
{
	if (perf_try_self(hardware(PERF_COUNT_HW_CPU_CYCLES)) == -ENOENT)
		SKIP(return, "no core PMU");
	/* Before this task is bound to one CPU. */
	self->removable = hotplug_cpu();
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(core_pmu)
{
	file_write_long(PARANOID, self->paranoid);
}

/* Open siblings of an event without a fixed counter, until one is refused. */
static int fill_group(int *fds, int *refusal)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_MISSES);
	int n;

	attr.read_format = PERF_ALL_TIMES;
	attr.disabled = 1;
	for (n = 0; n < COUNTERS_MAX; n++) {
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0) {
			*refusal = fds[n];
			break;
		}
		attr.disabled = 0;
	}
	return n;
}

TEST_F(core_pmu, group_of_all_counters_is_on_at_once)
{
	int fds[COUNTERS_MAX], refusal = 0, n, i;
	struct perf_timed t;
	char why[256];

	n = fill_group(fds, &refusal);
	ASSERT_LE(2, n);
	EXPECT_EQ(-EINVAL, refusal);
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, "group_fd: "));

	ASSERT_EQ(0, perf_enable(fds[0]));
	burn_cpu(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(fds[0]));
	for (i = 0; i < n; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.value);
		EXPECT_LT(0, t.enabled);
		EXPECT_EQ(t.enabled, t.running);
	}
}

/* With twice as many events each runs for a part of the time, as its times show. */
TEST_F(core_pmu, more_events_than_counters_take_turns)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_BRANCH_MISSES);
	int fds[2 * COUNTERS_MAX], refusal, n, i;

	n = fill_group(fds, &refusal);
	for (i = 0; i < n; i++)
		close(fds[i]);
	attr.read_format = PERF_ALL_TIMES;
	for (i = 0; i < 2 * n; i++) {
		fds[i] = perf_open_self(attr);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_TRUE(BURNS_UNTIL(all_take_turns(fds, 2 * n)));
}

struct pair {
	__u64 nr;
	__u64 value[2];
};

/* Count a group. Returns true if the second event has a rate, in 1024 cycles. */
static bool counts_at_rate(int leader, __u64 rate)
{
	__u64 expected, slack = 1;
	struct pair pair;

	if (perf_ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ||
	    perf_enable(leader))
		return false;
	if (turned_on_one_by_one())
		burn_cpu(20 * NSEC_PER_MSEC);
	if (perf_disable(leader) || read(leader, &pair, sizeof(pair)) != sizeof(pair))
		return false;
	expected = pair.value[0] * rate / 1024;
	if (turned_on_one_by_one())
		slack = expected / 20;
	return pair.value[0] && pair.value[1] + slack >= expected &&
	       pair.value[1] <= expected + slack;
}

/*
 * Counters of a group start and stop together, to the cycle. One try must not be
 * interrupted by a switch, which rounds once more.
 */
TEST_F(core_pmu, emulator_counts_at_its_rates)
{
	static const struct {
		__u64 id;
		__u64 rate;
	} rates[] = {
		{ PERF_COUNT_HW_INSTRUCTIONS, 512 },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 128 },
		{ PERF_COUNT_HW_BRANCH_MISSES, 4 },
	};
	struct perf_event_attr attr;
	int leader, fd;
	size_t i;

	if (!is_emulated())
		SKIP(return, "the PMU is real");

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
		attr.read_format = PERF_FORMAT_GROUP;
		attr.disabled = 1;
		leader = perf_open_self(attr);
		ASSERT_LE(0, leader);
		fd = perf_open(hardware(rates[i].id), 0, -1, leader);
		ASSERT_LE(0, fd);
		EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, counts_at_rate(leader, rates[i].rate)));
		close(fd);
		close(leader);
	}
}

/* Count the cycles of a loop. Returns true if most of its time is the task's. */
static bool follows_the_tsc(struct __test_metadata *_metadata, int fd)
{
	__u64 outer, inner, value;

	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	outer = tsc();
	ASSERT_EQ(0, perf_enable(fd));
	inner = tsc();
	spin_cycles(1000000);
	inner = tsc() - inner;
	ASSERT_EQ(0, perf_disable(fd));
	outer = tsc() - outer;
	value = perf_count(fd);
	EXPECT_LE(value, outer);
	return value >= inner / 2;
}

TEST_F(core_pmu, emulated_cycles_follow_the_tsc)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	if (!is_emulated())
		SKIP(return, "the PMU is real");

	attr.disabled = 1;
	attr.pinned = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	/* A switch in between takes time that is not the task's: one of a few tries. */
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, follows_the_tsc(_metadata, fd)));
}

struct sampled {
	__u64 count;
	int samples;
	int user;
	int kernel;
	int others;
};

/* The interrupts of a busy host take long, which may lower the rate of samples. */
static bool is_throttling(const struct perf_event_header *rec)
{
	return rec->type == PERF_RECORD_THROTTLE || rec->type == PERF_RECORD_UNTHROTTLE;
}

static bool sample(struct perf_event_attr attr, __u64 cycles, struct sampled *out)
{
	const struct perf_event_header *rec;
	struct perf_buf buf;
	struct perf_rec parsed;
	int fd;

	memset(out, 0, sizeof(*out));
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	attr.disabled = 1;
	fd = perf_open_self(attr);
	if (fd < 0 || perf_buf_map(&buf, fd, 64))
		return false;
	perf_enable(fd);
	/* On a busy host the emulator has little time for its counters. */
	do {
		spin_cycles(cycles);
	} while (perf_count(fd) < PERIODS_MIN * attr.sample_period);
	perf_disable(fd);
	out->count = perf_count(fd);

	while ((rec = perf_buf_next(&buf))) {
		int mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;

		if (rec->type != PERF_RECORD_SAMPLE) {
			out->others += !is_throttling(rec);
			continue;
		}
		if (!perf_rec_parse(&attr, rec, &parsed) ||
		    parsed.period != attr.sample_period)
			return false;
		out->samples++;
		out->user += mode == PERF_RECORD_MISC_USER && (__s64)parsed.ip >= 0;
		out->kernel += mode == PERF_RECORD_MISC_KERNEL && (__s64)parsed.ip < 0;
	}
	perf_buf_unmap(&buf);
	close(fd);
	return !buf.bad;
}

/*
 * One sample for each full period, no more and no less. A faulty emulator is late with the last
 * one: if the event is disabled before, the sample comes once it counts again.
 */
static bool is_due(__u64 count, __u64 samples)
{
	return samples == count / PERIOD ||
	       (emulator_is_hostile() && samples + 1 == count / PERIOD);
}

TEST_F(core_pmu, every_overflow_is_one_sample)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	struct sampled s;

	attr.sample_period = PERIOD;
	ASSERT_TRUE(sample(attr, 80ULL * PERIOD, &s));
	EXPECT_EQ(0, s.others);
	EXPECT_LT(10, s.samples);
	EXPECT_TRUE(is_due(s.count, s.samples)) {
		TH_LOG("count %llu, %d samples", s.count, s.samples);
	}
	EXPECT_EQ(s.samples, s.user + s.kernel);
}

/* Two counters that overflow at nearly the same time may share an NMI. */
TEST_F(core_pmu, events_that_overflow_together)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	struct perf_buf buf[2];
	int fd[2], i, n;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.disabled = 1;
	for (i = 0; i < 2; i++) {
		fd[i] = perf_open(attr, 0, -1, i ? fd[0] : -1);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, perf_buf_map(&buf[i], fd[i], 64));
		attr.disabled = 0;
	}
	ASSERT_EQ(0, perf_enable(fd[0]));
	do {
		burn_cpu(300 * NSEC_PER_MSEC);
	} while (perf_count(fd[0]) < PERIODS_MIN * PERIOD);
	ASSERT_EQ(0, perf_disable(fd[0]));
	for (i = 0; i < 2; i++) {
		for (n = 0; perf_buf_next_of(&buf[i], PERF_RECORD_SAMPLE); n++)
			;
		EXPECT_LT(10, n);
		EXPECT_TRUE(is_due(perf_count(fd[i]), n));
	}
}

TEST_F(core_pmu, user_events_sample_user_mode)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	struct sampled s;

	if (!is_emulated())
		SKIP(return, "a real PMU skids into the kernel");
	if (emulator_is_hostile())
		SKIP(return, "NMIs are delayed");
	attr.sample_period = PERIOD;
	attr.exclude_kernel = 1;
	ASSERT_TRUE(sample(attr, 80ULL * PERIOD, &s));
	EXPECT_LT(0, s.samples);
	EXPECT_EQ(s.samples, s.user);
}

TEST_F(core_pmu, neither_mode_counts_nothing)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	int fd;

	attr.exclude_kernel = 1;
	attr.exclude_user = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	burn_cpu(2 * NSEC_PER_MSEC);
	EXPECT_EQ(0, perf_count(fd));
}

TEST_F(core_pmu, refusals_say_why)
{
	struct perf_event_attr attr;
	char why[256];

	attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	attr.sample_period = PERIOD;
	/* x86_precise.c has the machines with precise sampling. */
	ASSERT_NE(NULL, find_x86_core_pmu());
	ASSERT_LT(0, read_pmu_file(find_x86_core_pmu(), "caps/max_precise", why, sizeof(why)));
	if (!atoi(why)) {
		attr.precise_ip = 1;
		EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
		ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", why, sizeof(why)));
		EXPECT_EQ(0, strncmp(why, "precise_ip: ", 12));
	}

	attr.precise_ip = 0;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	/* No machine has these counters. Some have records of branches: see x86_branches. */
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COUNTERS;
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(attr));
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", why, sizeof(why)));
	EXPECT_EQ(0, strncmp(why, "branch_sample_type: ", 20));

	EXPECT_EQ(-EINVAL, perf_try_self(hardware(PERF_COUNT_HW_MAX)));
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_ATTR(PERF_TYPE_HW_CACHE, 0xff)));
}

/* What the format has, but must not be requested. */
TEST_F(core_pmu, raw_events_that_are_refused)
{
	struct perf_event_attr any = PERF_RAW(0xc0 | 1 << 21, .exclude_kernel = 1);
	pid_t child;

	if (!access(FORMAT "in_tx_cp", F_OK))
		EXPECT_EQ(-EINVAL, perf_try_self(PERF_ATTR(pmu_type("cpu"), 0xc0 | 1ULL << 33,
							   .sample_period = PERIOD)));
	/* Both threads of a core: for users who may see other tasks. */
	if (access(FORMAT "any", F_OK))
		return;
	EXPECT_EQ(0, perf_try_self(any));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	child = fork_child();
	if (child == 0)
		_exit(setresuid(NOBODY, NOBODY, NOBODY) || perf_try_self(any) != -EACCES);
	EXPECT_EQ(0, wait_status(child));
}

/* A task without privilege forks while root counts both threads of its core. */
TEST_F(core_pmu, any_thread_is_inherited)
{
	struct perf_event_attr any = PERF_RAW(0xc0 | 1 << 21, .exclude_kernel = 1, .inherit = 1);
	struct gate go = gate_new();
	pid_t pid;

	if (access(FORMAT "any", F_OK))
		SKIP(return, "the CPU has no such bit");
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	pid = user_who_forks(&go);
	ASSERT_LE(0, perf_open(any, pid, -1, -1));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
}

/* A CPU that goes offline removes its events. When it is back, new events count. */
TEST_F(core_pmu, cpu_goes_and_comes_back)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_CPU_CYCLES);
	int cpu = self->removable, fd, round;
	__u64 value;

	if (cpu < 0)
		SKIP(return, "no CPU can be taken offline");
	attr.sample_period = PERIOD;
	for (round = 0; round < 2; round++) {
		fd = perf_open(attr, -1, cpu, -1);
		ASSERT_LE(0, fd);
		EXPECT_TRUE(COMES_TRUE(perf_count(fd)));
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		value = perf_count(fd);
		sleep_ms(5);
		EXPECT_EQ(value, perf_count(fd));
		ASSERT_EQ(0, cpu_set_online(cpu, true));
		close(fd);
	}
}

#else /* !__x86_64__ */

TEST(core_pmu)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
