// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of x86 outside of the cores, and of AMD's IOMMU. The drivers of the base run, on the
 * machines intel-pt and amd-ibs, which x86_pmu_emulator= selects. There event N occurs 8 * (1 + the
 * low three bits of N) times in 1024 cycles.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"

#ifdef __x86_64__

struct pair_count {
	__u64 nr;
	__u64 value[2];
};

/* Events 2 and 5 occur three and six times as often as event 0. */
static bool is_one_to_two(const struct pair_count *from, const struct pair_count *to)
{
	__u64 three = to->value[0] - from->value[0], six = to->value[1] - from->value[1];

	return three > 100 && six > three * 2 - three / 4 && six < three * 2 + three / 4;
}

static int open_pair(__u32 type, int cpu, int *fds)
{
	struct perf_event_attr attr = PERF_ATTR(type, 2, .read_format = PERF_FORMAT_GROUP);

	fds[0] = perf_open(attr, -1, cpu, -1);
	attr.config = 5;
	fds[1] = perf_open(attr, -1, cpu, fds[0]);
	return fds[1];
}

/* In one try of a few: the machine may be interrupted between two registers. */
static bool pair_counts(struct __test_metadata *_metadata, int fd)
{
	struct pair_count from, to;

	ASSERT_EQ(sizeof(from), read(fd, &from, sizeof(from)));
	burn_cpu(10 * NSEC_PER_MSEC);
	ASSERT_EQ(sizeof(to), read(fd, &to, sizeof(to)));
	return is_one_to_two(&from, &to);
}

FIXTURE(uncore)
{
	__u32 type;
	int cpu;
	int offline;	/* the CPU that a test takes offline, or 0 */
};

FIXTURE_VARIANT(uncore)
{
	const char *pmu;
	int counters;
	bool takes_any_group;
};

FIXTURE_VARIANT_ADD(uncore, amd_l3) {
	.pmu = "amd_l3",
	.counters = 6,
};

FIXTURE_VARIANT_ADD(uncore, amd_df) {
	.pmu = "amd_df",
	.counters = 4,
};

FIXTURE_VARIANT_ADD(uncore, cbox) {
	.pmu = "uncore_cbox_0",
	.counters = 4,
};

FIXTURE_VARIANT_ADD(uncore, cha) {
	.pmu = "uncore_cha_1",
	.counters = 4,
};

/* Registers in the configuration space of PCI. */
FIXTURE_VARIANT_ADD(uncore, imc) {
	.pmu = "uncore_imc_1",
	.counters = 4,
};

FIXTURE_VARIANT_ADD(uncore, ha) {
	.pmu = "uncore_ha_0",
	.counters = 4,
};

/* The driver finds out that counters do not suffice when it schedules a group. */
FIXTURE_VARIANT_ADD(uncore, amd_iommu) {
	.pmu = "amd_iommu_0",
	.counters = 8,
	.takes_any_group = true,
};

#define MAX_COUNTERS	8

FIXTURE_SETUP(uncore)
{
	long type = pmu_type(variant->pmu);

	if (type < 0 || !pmu_is_emulated())
		SKIP(return, "no emulated PMU %s", variant->pmu);
	self->type = type;
	self->cpu = pmu_reader_cpu(variant->pmu, 0);
	ASSERT_LE(0, self->cpu);
}

FIXTURE_TEARDOWN_PARENT(uncore)
{
	/* a test that ended early */
	if (self->offline > 0)
		cpu_set_online(self->offline, true);
}

TEST_F(uncore, a_group_counts_together)
{
	int fds[2];

	ASSERT_LE(0, open_pair(self->type, self->cpu, fds));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, pair_counts(_metadata, fds[0])));
	close(fds[1]);
	close(fds[0]);
}

TEST_F(uncore, refusals)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, 2);
	int fds[MAX_COUNTERS + 1], n;

	/* Events of CPUs only, without sampling. */
	EXPECT_EQ(-EINVAL, perf_try(attr, 0, -1, -1, 0));
	attr.sample_period = 1000;
	EXPECT_GT(0, perf_try(attr, -1, self->cpu, -1, 0));
	attr.sample_period = 0;

	if (variant->takes_any_group)
		return;
	/* No group is larger than the PMU. */
	for (n = 0; n <= variant->counters; n++) {
		fds[n] = perf_open(attr, -1, self->cpu, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
	}
	EXPECT_EQ(variant->counters, n);
	while (n--)
		close(fds[n]);
}

TEST_F(uncore, more_events_than_counters_take_turns)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, 2, .read_format = PERF_ALL_TIMES);
	int fds[MAX_COUNTERS + 2], n;

	for (n = 0; n < variant->counters + 2; n++) {
		fds[n] = perf_open(attr, -1, self->cpu, -1);
		ASSERT_LE(0, fds[n]);
	}
	for (n = 0; n < variant->counters + 2; n++)
		EXPECT_TRUE(gets_its_turn(fds[n]));
	while (n--)
		close(fds[n]);
}

/* Open a group of an event of the PMU and a tracepoint. Return: the tracepoint. */
static int open_with_tracepoint(__u32 type, int cpu, int *leader)
{
	*leader = perf_open(PERF_ATTR(type, 2), -1, cpu, -1);
	return perf_open(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename")), -1,
			 cpu, *leader);
}

static void rename_on(int cpu, int nr)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		if (pin_to_cpu(cpu))
			_exit(1);
		rename_self(nr);
		_exit(0);
	}
	wait_status(pid);
}

/*
 * The CPU that reads a package goes offline: another CPU of the package takes over. A tracepoint
 * in a group moves along.
 */
TEST_F(uncore, events_move_with_the_reader)
{
	int cpu = pmu_reader_cpu(variant->pmu, 1), nr = pmu_nr_readers(variant->pmu);
	int fds[2], leader, point;
	__u64 before;

	if (cpu <= 0)
		SKIP(return, "one reader");
	if (tracepoint_id("task/task_rename") < 0)
		SKIP(return, "no tracepoints");
	ASSERT_LE(0, open_pair(self->type, cpu, fds));
	point = open_with_tracepoint(self->type, cpu, &leader);
	ASSERT_LE(0, point);
	ASSERT_TRUE(IN_SOME_TRY(FIT_TRIES, pair_counts(_metadata, fds[0])));
	self->offline = cpu;
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	if (pmu_nr_readers(variant->pmu) < nr) {
		ASSERT_EQ(0, cpu_set_online(cpu, true));
		SKIP(return, "each CPU has one of its own");
	}
	EXPECT_NE(cpu, pmu_reader_cpu(variant->pmu, 1));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, pair_counts(_metadata, fds[0])));
	before = perf_count(point);
	rename_on(pmu_reader_cpu(variant->pmu, 1), 100);
	EXPECT_LE(before + 100, perf_count(point));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, pair_counts(_metadata, fds[0])));
	close(point);
	close(leader);
	close(fds[1]);
	close(fds[0]);
}

#define MOST_BREAKPOINTS	16

static long watched;

static int open_breakpoint(int cpu, int leader)
{
	return perf_open(PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
				   .bp_addr = (unsigned long)&watched, .bp_len = sizeof(watched)),
			 -1, cpu, leader);
}

/* How many more breakpoints a CPU can have. */
static int nr_free_breakpoints(int cpu)
{
	int fds[MOST_BREAKPOINTS], nr = 0;

	while (nr < MOST_BREAKPOINTS) {
		fds[nr] = open_breakpoint(cpu, -1);
		if (fds[nr] < 0)
			break;
		nr++;
	}
	perf_close_all(fds, nr);
	return nr;
}

/* A breakpoint in the group takes a debug register of the new CPU, and none of the old one. */
TEST_F(uncore, breakpoints_move_with_the_reader)
{
	int from = pmu_reader_cpu(variant->pmu, 1), nr = pmu_nr_readers(variant->pmu);
	int all, to, leader, bp;

	if (from <= 0)
		SKIP(return, "one reader");
	all = nr_free_breakpoints(from);
	ASSERT_LE(1, all);
	leader = perf_open(PERF_ATTR(self->type, 2), -1, from, -1);
	ASSERT_LE(0, leader);
	bp = open_breakpoint(from, leader);
	ASSERT_LE(0, bp);
	EXPECT_EQ(all - 1, nr_free_breakpoints(from));
	self->offline = from;
	ASSERT_EQ(0, cpu_set_online(from, false));
	if (pmu_nr_readers(variant->pmu) < nr) {
		ASSERT_EQ(0, cpu_set_online(from, true));
		SKIP(return, "each CPU has one of its own");
	}
	to = pmu_reader_cpu(variant->pmu, 1);
	EXPECT_EQ(all - 1, nr_free_breakpoints(to));
	ASSERT_EQ(0, cpu_set_online(from, true));
	EXPECT_EQ(all, nr_free_breakpoints(from));
	close(bp);
	close(leader);
	EXPECT_EQ(all, nr_free_breakpoints(from));
	EXPECT_EQ(all, nr_free_breakpoints(to));
}

/* Only counter 0 of a C-box has event 1. */
TEST(cbox_constraints)
{
	struct perf_event_attr attr;
	long type = pmu_type("uncore_cbox_0");
	int fd;

	if (type < 0)
		SKIP(return, "no PMU uncore_cbox_0");
	attr = PERF_ATTR(type, 1);
	fd = perf_open(attr, -1, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, 0, fd, 0));
	attr.config = 2;
	EXPECT_EQ(0, perf_try(attr, -1, 0, fd, 0));
	close(fd);
}

/* Event 255 of a memory controller is the fixed counter, of which there is one. */
TEST(imc_has_a_fixed_counter)
{
	struct perf_event_attr attr;
	long type = pmu_type("uncore_imc_0");
	__u64 before, after;
	int fd;

	if (type < 0)
		SKIP(return, "no PMU uncore_imc_0");
	attr = PERF_ATTR(type, 255);
	fd = perf_open(attr, -1, 0, -1);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, 0, fd, 0));
	before = perf_count(fd);
	burn_cpu(NSEC_PER_MSEC);
	after = perf_count(fd);
	EXPECT_LT(before, after);
	close(fd);
}

#else /* !__x86_64__ */

TEST(uncore)
{
	SKIP(return, "x86 only");
}

#endif /* __x86_64__ */

TEST_HARNESS_MAIN
