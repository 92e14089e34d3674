// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that do not count, which the driver leaves out: x86_pmu_emulator_stuck= on the kernel's
 * command line. Events get the counters that count, groups are limited to these, and the log and
 * refusals name the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/x86_emulator.h"

#ifdef __x86_64__

#define COUNTERS_MAX	16
/* syslog(2) */
#define READ_ALL	3
#define SIZE_BUFFER	10
/* branches and instructions of the emulator, see rates.c */
#define INSTRUCTIONS_PER_BRANCH	4

#define LEFT_OUT	"perf: PMU cpu: without counters that do not count; 0x5a5a5a5 was written: "
#define NOT_OFFERED	"perf: PMU cpu: not offered, no counter counts; 0x5a5a5a5 was written: "
#define LISTED_MAX	5

/**
 * struct stuck - a machine with counters that do not count
 * @machine: its name
 * @faults: value of x86_pmu_emulator_stuck=
 * @log: the list in the log, NULL-terminated
 * @without: how refusals end
 * @counters: mask of the counters that are left
 * @siblings: number of events of general purpose counters that fit beside instructions
 */
struct stuck {
	const char	*machine;
	const char	*faults;
	const char	*log[LISTED_MAX + 1];
	const char	*without;
	__u64		counters;
	int		siblings;
};

static const struct stuck machines[] = {
	{
		.machine	= "intel-v5",
		.faults		= "still:1,forgets:3,off:5,faults:6,still:f1,still:f2",
		.log		= {
			"1 (read 0x5a5a5a5, moved by 0)",
			"3 (read 0x0)",
			"5 (read 0x5a5a5a5, enable bits lost, moved by 0)",
			"6 (access faults)",
			"fixed 1-2 (read 0x5a5a5a5, moved by 0)",
		},
		.without	= "; counters 1,3,5-6, fixed 1-2 do not count",
		.counters	= 0x95 | 0x9ULL << 32,
		.siblings	= 4,
	}, {
		.machine	= "amd-perfmonv2",
		.faults		= "still:0,forgets:2",
		.log		= { "0 (read 0x5a5a5a5, moved by 0)", "2 (read 0x0)" },
		.without	= "; counters 0,2 do not count",
		.counters	= 0x3a,
		.siblings	= 3,
	},
};

/* Does the log have a line with these words, and this list behind them? */
static bool log_has(const char *words, const char *const *listed)
{
	int size = klogctl(SIZE_BUFFER, NULL, 0);
	char *log = size > 0 ? calloc(1, size + 1) : NULL;
	char *at = log && klogctl(READ_ALL, log, size) > 0 ? strstr(log, words) : NULL;

	if (at)
		at += strlen(words);
	for (int i = 0; at && listed[i]; i++) {
		const char *end = listed[i + 1] ? ", " : "\n";
		size_t len = strlen(listed[i]);

		at = !strncmp(at, listed[i], len) && !strncmp(at + len, end, strlen(end)) ?
		     at + len + strlen(end) : NULL;
	}
	free(log);
	return at;
}

static bool refusal_has(const char *text)
{
	char why[256];

	return file_read("/proc/self/perf_event_refusal", why, sizeof(why)) > 0 &&
	       strstr(why, text);
}

static bool faults_are(const char *faults)
{
	const char *value = kernel_parameter("x86_pmu_emulator_stuck=");

	return value && !strncmp(value, faults, strlen(faults));
}

FIXTURE(counting)
{
	const struct stuck *stuck;
};

FIXTURE_SETUP(counting)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machine_is(machines[i].machine) && faults_are(machines[i].faults))
			self->stuck = &machines[i];
	}
	if (!self->stuck)
		SKIP(return, "not a machine with some counters that do not count");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(counting)
{
}

static struct perf_event_attr hardware(__u64 id)
{
	return PERF_ATTR(PERF_TYPE_HARDWARE, id, .read_format = PERF_ALL_TIMES);
}

/* Instructions, and branches beside them until one is refused. Returns the number of events. */
static int fill_group(int *fds, int *refusal)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_INSTRUCTIONS);
	int n;

	attr.disabled = 1;
	for (n = 0; n < COUNTERS_MAX; n++) {
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0) {
			*refusal = fds[n];
			break;
		}
		attr = hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	}
	return n;
}

TEST_F(counting, the_log_names_them)
{
	EXPECT_TRUE(log_has(LEFT_OUT, self->stuck->log));
}

TEST_F(counting, groups_are_limited_to_the_others)
{
	int fds[COUNTERS_MAX], refusal = 0, n;

	n = fill_group(fds, &refusal);
	EXPECT_EQ(1 + self->stuck->siblings, n);
	EXPECT_EQ(-EINVAL, refusal);
	EXPECT_TRUE(refused_for("group_fd"));
	EXPECT_TRUE(refusal_has(self->stuck->without));
	perf_close_all(fds, n);
}

TEST_F(counting, a_full_group_counts)
{
	struct perf_timed leader, sibling;
	int fds[COUNTERS_MAX], refusal, n, i;

	n = fill_group(fds, &refusal);
	ASSERT_LE(2, n);
	ASSERT_EQ(0, perf_enable(fds[0]));
	burn_cpu(20 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(fds[0]));
	leader = perf_timed_count(fds[0]);
	EXPECT_LT(0, leader.value);
	EXPECT_EQ(leader.enabled, leader.running);
	for (i = 1; i < n; i++) {
		sibling = perf_timed_count(fds[i]);
		EXPECT_EQ(sibling.enabled, sibling.running);
		/* Each time that the group is scheduled, a count may be rounded down. */
		EXPECT_LE(sibling.value * INSTRUCTIONS_PER_BRANCH, leader.value + 1000);
		EXPECT_GE(sibling.value * INSTRUCTIONS_PER_BRANCH, leader.value - 1000);
	}
	perf_close_all(fds, n);
}

/* Index of the counter of an event, fixed counters from 32; -1 if it has none. */
static int counter_of(int fd)
{
	struct perf_event_mmap_page *page;
	__u32 index;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -1;
	index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
	munmap(page, sysconf(_SC_PAGESIZE));
	if (!index--)
		return -1;
	return index & 1U << 30 ? 32 + (index & 0xff) : index;
}

TEST_F(counting, programs_are_told_of_the_others_only)
{
	int fds[COUNTERS_MAX], refusal, n, i, counter;
	__u64 seen = 0;

	n = fill_group(fds, &refusal);
	ASSERT_EQ(0, perf_enable(fds[0]));
	for (i = 0; i < n; i++) {
		counter = counter_of(fds[i]);
		ASSERT_LE(0, counter);
		EXPECT_EQ(0, seen & 1ULL << counter);
		seen |= 1ULL << counter;
	}
	EXPECT_EQ(0, seen & ~self->stuck->counters);
	perf_close_all(fds, n);
}

/* Only one counter counts reference cycles. */
TEST_F(counting, an_event_of_a_missing_counter_is_refused)
{
	struct perf_event_attr attr = hardware(PERF_COUNT_HW_REF_CPU_CYCLES);
	char text[64];

	if (!machine_is("intel-"))
		SKIP(return, "no event needs one certain counter");
	EXPECT_EQ(-ENOENT, perf_try_self(attr));
	EXPECT_TRUE(refusal_has(self->stuck->without));
	EXPECT_GT(0, read_pmu_file("cpu", "events/ref-cycles", text, sizeof(text)));
	/* the same as a raw event */
	attr = PERF_RAW(0x0300);
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	EXPECT_TRUE(refusal_has(self->stuck->without));
}

/* Counters 1, 3, 4 and 5 are left: one pair of an even counter and the next one. */
TEST_F(counting, a_pair_needs_both_counters)
{
	struct perf_event_attr attr = PERF_RAW(0xff03, .read_format = PERF_ALL_TIMES);
	struct perf_timed count;
	int fd;

	if (!machine_is("amd-"))
		SKIP(return, "no event needs two counters");
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, fd, 0));
	EXPECT_TRUE(refusal_has(self->stuck->without));
	burn_cpu(20 * NSEC_PER_MSEC);
	count = perf_timed_count(fd);
	EXPECT_LT(0, count.value);
	EXPECT_EQ(count.enabled, count.running);
	close(fd);
}

/* There is no PMU, if no counter counts. */
TEST(without_counters_there_is_no_pmu)
{
	static const char *const listed[] = {
		"0-3 (read 0x5a5a5a5, moved by 0)",
		"fixed 0-2 (read 0x5a5a5a5, moved by 0)",
		NULL,
	};

	if (!machine_is("intel-v2") || !faults_are("still:all"))
		SKIP(return, "some counters count");
	EXPECT_EQ(-ENOENT, perf_try_self(hardware(PERF_COUNT_HW_CPU_CYCLES)));
	EXPECT_EQ(NULL, find_x86_core_pmu());
	EXPECT_TRUE(log_has(NOT_OFFERED, listed));
	EXPECT_LE(0, perf_try_self(PERF_SW(DUMMY)));
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
