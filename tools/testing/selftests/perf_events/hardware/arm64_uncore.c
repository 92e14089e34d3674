// SPDX-License-Identifier: GPL-2.0
/*
 * PMUs outside of arm64's CPUs: the base's drivers on emulators of their registers,
 * CONFIG_ARM64_PMU_EMULATOR. A PMU counts for the machine or for a cluster of CPUs, and belongs to
 * one CPU. The test says how often the events occur.
 */
#include <glob.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"

#define NR_EVENTS	8
#define MOST_COUNTERS	8

FIXTURE(uncore)
{
	struct perf_event_attr attr;
	char pmu[64];
	int cpu;
};

/*
 * An event of @events occurs @weights times as often as the number that is written to the
 * emulator's file "count". A counter that counts @wraps overflows after at most @half occurrences.
 */
FIXTURE_VARIANT(uncore)
{
	const char *emulator;
	const char *pmu;		/* with wildcards: drivers number their devices */
	int counters;
	const char *event, *event_is;	/* an event in sysfs */
	const char *hidden;		/* an event that the hardware does not have, or NULL */
	const char *format, *format_is;
	__u64 events[NR_EVENTS];
	__u64 weights[NR_EVENTS];
	__u64 no_event;			/* 0 if the driver accepts any number */
	__u64 wraps, wraps_weight, half;
	bool alone;			/* no event shares a group with another one */
	bool in_config2;		/* where the event is in the attributes */
	int sampling, of_a_task, of_a_task_on_a_cpu;	/* the errno of these */
};

/* The counters of an SMMU. */
FIXTURE_VARIANT_ADD(uncore, smmu) {
	.emulator = "arm64_pmcg_emulator", .pmu = "smmuv3_pmcg_7ffff000", .counters = 4,
	.event = "transaction", .event_is = "event=0x01",
	.format = "filter_enable", .format_is = "config1:33",
	.events = { 0, 1, 2, 3, 4, 5, 6, 7 }, .weights = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.no_event = 8, .wraps = 7, .wraps_weight = 8, .half = 1ULL << 31,
	.sampling = EOPNOTSUPP, .of_a_task = EOPNOTSUPP, .of_a_task_on_a_cpu = EINVAL,
};

/* The cache that a cluster of CPUs shares (DSU). */
FIXTURE_VARIANT_ADD(uncore, dsu) {
	.emulator = "arm64_dsu_emulator", .pmu = "arm_dsu_*", .counters = 6,
	.event = "bus_access", .event_is = "event=0x19", .hidden = "memory_error",
	.format = "event", .format_is = "config:0-31",
	.events = { 0x19, 0x1d, 0x1e, 0x29, 0x2a, 0x2b, 0x2c, 0x19 },
	.weights = { 0x1a, 0x1e, 0x1f, 0x2a, 0x2b, 0x2c, 0x2d, 0x1a },
	.wraps = 0x2c, .wraps_weight = 0x2d, .half = 1ULL << 31,
	.sampling = EOPNOTSUPP, .of_a_task = EINVAL, .of_a_task_on_a_cpu = EINVAL,
};

/* A mesh between caches (CMN). Its events are events of two nodes together. */
#define MESH_HNF(_event)	(5 | (_event) << 16)
#define MESH_XP(_event)		(6 | (_event) << 16)
#define MESH_CYCLES		3ULL
#define MESH_NODE(_id)		(1ULL << 31 | (__u64)(_id) << 32)

FIXTURE_VARIANT_ADD(uncore, cmn) {
	.emulator = "arm64_cmn_emulator", .pmu = "arm_cmn_*", .counters = 4,
	.event = "hnf_cache_miss", .event_is = "type=0x5,eventid=0x1",
	.hidden = "sbsx_rd_req",
	.format = "eventid", .format_is = "config:16-26",
	.events = { MESH_HNF(1), MESH_HNF(2), MESH_HNF(3), MESH_HNF(4),
		    MESH_HNF(5), MESH_HNF(6), MESH_XP(7), MESH_XP(8) },
	.weights = { 2, 4, 6, 8, 10, 12, 14, 16 },
	/* the type of a node that the mesh does not have */
	.no_event = 7, .wraps = MESH_XP(0x7ff), .wraps_weight = 2 * 0x7ff, .half = 1ULL << 47,
	.sampling = EINVAL, .of_a_task = EINVAL, .of_a_task_on_a_cpu = EINVAL,
};

/* The cache that a cluster of HiSilicon's CPUs shares. */
FIXTURE_VARIANT_ADD(uncore, l3c) {
	.emulator = "arm64_l3c_emulator", .pmu = "hisi_sccl*_l3c*", .counters = 8,
	.event = "victim_num", .event_is = "config=0x4",
	.format = "event", .format_is = "config:0-7",
	.events = { 0, 1, 2, 3, 4, 0x20, 0x21, 0x22 },
	.weights = { 1, 2, 3, 4, 5, 0x21, 0x22, 0x23 },
	.no_event = 0x5a, .wraps = 0x59, .wraps_weight = 0x5a, .half = 1ULL << 47,
	.sampling = EOPNOTSUPP, .of_a_task = EOPNOTSUPP, .of_a_task_on_a_cpu = EOPNOTSUPP,
};

/* A controller of memory (DMC-620). Its counters have no switch for all of them: no groups. */
#define MEMORY_EVENT(_event)	((_event) << 3 | 1 << 9)

FIXTURE_VARIANT_ADD(uncore, dmc) {
	.emulator = "arm64_dmc_emulator", .pmu = "arm_dmc620_7fffc000", .counters = 8,
	.event = "clkdiv2_rdwr", .event_is = "event=0x12,clkdiv2=0x1",
	.format = "event", .format_is = "config2:3-8",
	.events = { MEMORY_EVENT(0), MEMORY_EVENT(1), MEMORY_EVENT(2), MEMORY_EVENT(3),
		    MEMORY_EVENT(4), MEMORY_EVENT(5), MEMORY_EVENT(6), MEMORY_EVENT(7) },
	.weights = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.wraps = MEMORY_EVENT(0x19), .wraps_weight = 0x1a, .half = 1ULL << 31,
	.alone = true, .in_config2 = true,
	.sampling = EOPNOTSUPP, .of_a_task = EOPNOTSUPP, .of_a_task_on_a_cpu = EOPNOTSUPP,
};

static int emulator_set(const char *emulator, const char *file, unsigned long value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", emulator, file);
	return file_write_long(path, value);
}

#define EMULATOR_SET(_file, _value)	emulator_set(variant->emulator, _file, _value)
#define COUNT(_times)			ASSERT_EQ(0, EMULATOR_SET("count", _times))

static bool emulator_exists(const char *emulator)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/present", emulator);
	return access(path, W_OK) == 0;
}

/* Find the one PMU of a pattern. */
static bool find_pmu(const char *pattern, char *name, size_t size)
{
	char path[128];
	glob_t found;
	bool one;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", pattern);
	if (glob(path, 0, NULL, &found))
		return false;
	one = found.gl_pathc == 1;
	snprintf(name, size, "%s", strrchr(found.gl_pathv[0], '/') + 1);
	globfree(&found);
	return one;
}

static long cpu_of(const char *pmu)
{
	char text[64];

	return read_pmu_file(pmu, "cpumask", text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : -1;
}

FIXTURE_SETUP(uncore)
{
	if (!emulator_exists(variant->emulator))
		SKIP(return, "no %s: CONFIG_ARM64_PMU_EMULATOR, arm64, root", variant->emulator);
	ASSERT_EQ(0, EMULATOR_SET("present", 1));
	ASSERT_TRUE(find_pmu(variant->pmu, self->pmu, sizeof(self->pmu)));
	self->cpu = cpu_of(self->pmu);
	ASSERT_LE(0, self->cpu);
	self->attr = PERF_ATTR(pmu_type(self->pmu), 0);
}

FIXTURE_TEARDOWN(uncore)
{
	if (!emulator_exists(variant->emulator))
		return;
	/* A failed assertion may have left it offline. */
	cpu_set_online(self->cpu, true);
	EXPECT_TRUE(COMES_TRUE(EMULATOR_SET("present", 0) == 0));
	EXPECT_EQ(-1, cpu_of(self->pmu));
}

static void set_event(struct perf_event_attr *attr, const FIXTURE_VARIANT(uncore) *variant,
		      __u64 event)
{
	if (variant->in_config2)
		attr->config2 = event;
	else
		attr->config = event;
}

#define OPEN(_event, _cpu, _group) \
	open_event(self, variant, _event, _cpu, _group)

static int open_event(FIXTURE_DATA(uncore) *self, const FIXTURE_VARIANT(uncore) *variant,
		      __u64 event, int cpu, int group)
{
	set_event(&self->attr, variant, event);
	return perf_open(self->attr, -1, cpu, group);
}

/* The leader of the other events of a test, unless each must be alone. */
#define LEADER(_fd)	(variant->alone ? -1 : (_fd))

/* Open an event for each counter. Returns how many have a leader of their own. */
static int open_events(struct __test_metadata *_metadata, FIXTURE_DATA(uncore) *self,
		       const FIXTURE_VARIANT(uncore) *variant, int *fds)
{
	for (int i = 0; i < variant->counters; i++) {
		fds[i] = OPEN(variant->events[i], self->cpu, i ? LEADER(fds[0]) : -1);
		ASSERT_LE(0, fds[i]);
	}
	return variant->alone ? variant->counters : 1;
}

TEST_F(uncore, in_sysfs)
{
	char path[128], text[64];

	snprintf(path, sizeof(path), "events/%s", variant->event);
	ASSERT_LT(0, read_pmu_file(self->pmu, path, text, sizeof(text)));
	EXPECT_STREQ(variant->event_is, text);
	snprintf(path, sizeof(path), "format/%s", variant->format);
	ASSERT_LT(0, read_pmu_file(self->pmu, path, text, sizeof(text)));
	EXPECT_STREQ(variant->format_is, text);
	if (!variant->hidden)
		return;
	snprintf(path, sizeof(path), "events/%s", variant->hidden);
	EXPECT_GT(0, read_pmu_file(self->pmu, path, text, sizeof(text)));
}

TEST_F(uncore, refusals)
{
	struct perf_event_attr attr;

	set_event(&self->attr, variant, variant->events[0]);
#define EXPECT_REFUSED(_errno, ...) do {				\
	attr = self->attr;						\
	__VA_ARGS__;							\
	EXPECT_ROW(-(_errno), perf_try(attr, -1, self->cpu, -1, 0), #__VA_ARGS__); \
} while (0)

	EXPECT_ROW(0, perf_try(self->attr, -1, self->cpu, -1, 0), "good");
	if (variant->no_event)
		EXPECT_REFUSED(EINVAL, set_event(&attr, variant, variant->no_event));
	EXPECT_REFUSED(variant->sampling, attr.sample_period = 1000);
	EXPECT_REFUSED(EINVAL, attr.exclude_user = 1);
	EXPECT_REFUSED(EINVAL, attr.exclude_kernel = 1);
	/* It counts for no task. */
	EXPECT_ROW(-variant->of_a_task, perf_try(self->attr, 0, -1, -1, 0), "a task");
	EXPECT_ROW(-variant->of_a_task_on_a_cpu, perf_try(self->attr, 0, self->cpu, -1, 0),
		   "a task on a CPU");
}

TEST_F(uncore, groups_that_cannot_count)
{
	int fds[MOST_COUNTERS], dummy, most = variant->alone ? 1 : variant->counters;

	/* Software events may lead, and take no counter. */
	dummy = perf_open(PERF_SW(DUMMY), -1, self->cpu, -1);
	ASSERT_LE(0, dummy);
	for (int i = 0; i < most; i++) {
		fds[i] = OPEN(variant->events[i], self->cpu, dummy);
		EXPECT_LE(0, fds[i]);
	}
	EXPECT_EQ(-EINVAL, OPEN(variant->events[0], self->cpu, dummy));
	perf_close_all(fds, most);
	close(dummy);

	fds[0] = OPEN(variant->events[0], self->cpu, -1);
	ASSERT_LE(0, fds[0]);
	/* Events of two PMUs in a group */
	EXPECT_EQ(-EINVAL, perf_try(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), -1,
				    self->cpu, fds[0], 0));
	close(fds[0]);
}

TEST_F(uncore, counts)
{
	int fds[MOST_COUNTERS], leaders = open_events(_metadata, self, variant, fds);

	COUNT(1000);
	for (int i = 0; i < leaders; i++)
		ASSERT_EQ(0, perf_disable_group(fds[i]));
	COUNT(1);
	for (int i = 0; i < leaders; i++)
		ASSERT_EQ(0, perf_enable_group(fds[i]));
	COUNT(234);
	for (int i = 0; i < variant->counters; i++)
		EXPECT_EQ(1234 * variant->weights[i], perf_count(fds[i]));
	perf_close_all(fds, variant->counters);
}

/* A group is read at one moment: no count is of another one. */
TEST_F(uncore, a_group_is_read)
{
	int fds[MOST_COUNTERS], leaders, members;
	__u64 values[1 + MOST_COUNTERS];

	self->attr.read_format = PERF_FORMAT_GROUP;
	leaders = open_events(_metadata, self, variant, fds);
	members = variant->counters / leaders;
	for (int round = 1; round <= 3; round++) {
		COUNT(77777);
		ASSERT_EQ((1 + members) * sizeof(*values), read(fds[0], values, sizeof(values)));
		EXPECT_EQ(members, values[0]);
		for (int i = 0; i < members; i++)
			EXPECT_EQ(round * 77777 * variant->weights[i], values[1 + i]);
	}
	perf_close_all(fds, variant->counters);
}

/* A narrow counter wraps. The interrupt adds what it has lost. */
TEST_F(uncore, wraps)
{
	__u64 times = (variant->half - 1) / variant->wraps_weight;
	int fd = OPEN(variant->wraps, self->cpu, -1);

	ASSERT_LE(0, fd);
	for (int i = 0; i < 20; i++)
		COUNT(times);
	EXPECT_EQ(20 * variant->wraps_weight * times, perf_count(fd));
	close(fd);
}

/* The driver moves an event of any CPU to its own. */
TEST_F(uncore, opened_on_another_cpu)
{
	int fds[2], other;
	cpu_set_t all;

	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	other = nth_cpu(0);
	if (other == self->cpu)
		other = nth_cpu(1);
	if (other < 0)
		SKIP(return, "only one CPU");
	fds[0] = OPEN(variant->events[0], other, -1);
	ASSERT_LE(0, fds[0]);
	fds[1] = OPEN(variant->events[1], other, LEADER(fds[0]));
	ASSERT_LE(0, fds[1]);
	COUNT(5);
	EXPECT_EQ(5 * variant->weights[0], perf_count(fds[0]));
	EXPECT_EQ(5 * variant->weights[1], perf_count(fds[1]));
	perf_close_all(fds, 2);
}

/* The event was enabled without a counter for some time. */
static bool has_waited(int fd)
{
	struct perf_timed timed = perf_timed_count(fd);

	return timed.running < timed.enabled;
}

/* More events than counters take turns. */
TEST_F(uncore, takes_turns)
{
	int fds[MOST_COUNTERS + 2], nr = variant->counters + 2;

	self->attr.read_format = PERF_ALL_TIMES;
	for (int i = 0; i < nr; i++) {
		fds[i] = OPEN(variant->events[i % NR_EVENTS], self->cpu, -1);
		ASSERT_LE(0, fds[i]);
	}
	for (int i = 0; i < nr; i++)
		EXPECT_TRUE(gets_its_turn(fds[i]));
	for (int i = 0; i < nr; i++)
		EXPECT_TRUE(COMES_TRUE(has_waited(fds[i])));
	perf_close_all(fds, nr);
}

/* The driver's CPU goes offline. Its events count on, on another CPU, and groups stay whole. */
TEST_F(uncore, offline)
{
	const __u64 *weights = variant->weights;
	int fds[3], member;
	cpu_set_t all;

	if (nth_cpu(1) < 0)
		SKIP(return, "only one CPU");
	for (int i = 0; i < 3; i++) {
		fds[i] = OPEN(variant->events[i], self->cpu, i == 1 ? LEADER(fds[0]) : -1);
		ASSERT_LE(0, fds[i]);
	}
	COUNT(100);
	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	EXPECT_NE(self->cpu, cpu_of(self->pmu));
	COUNT(20);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(120 * weights[i], perf_count(fds[i]));
	/* New members join on the new CPU. */
	member = OPEN(variant->events[3], cpu_of(self->pmu), LEADER(fds[0]));
	EXPECT_LE(0, member);
	COUNT(3);
	EXPECT_EQ(3 * weights[3], perf_count(member));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	COUNT(1);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(124 * weights[i], perf_count(fds[i]));
	close(member);
	perf_close_all(fds, 3);
}

FIXTURE(smmu)
{
	int cpu;
};

FIXTURE_SETUP(smmu)
{
	if (!emulator_exists("arm64_pmcg_emulator"))
		SKIP(return, "no emulator of an SMMU: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	ASSERT_EQ(0, emulator_set("arm64_pmcg_emulator", "present", 1));
	self->cpu = cpu_of("smmuv3_pmcg_7ffff000");
	ASSERT_EQ(0, emulator_set("arm64_pmcg_emulator", "stream", 1));
}

FIXTURE_TEARDOWN(smmu)
{
	if (emulator_exists("arm64_pmcg_emulator"))
		EXPECT_TRUE(COMES_TRUE(emulator_set("arm64_pmcg_emulator", "present", 0) == 0));
}

#define SMMU_FILTER	(1ULL << 33)

TEST_F(smmu, streams)
{
	struct perf_event_attr attr = PERF_ATTR(pmu_type("smmuv3_pmcg_7ffff000"), 0);
	int fds[2];

	attr.config1 = SMMU_FILTER | 42;
	fds[0] = perf_open(attr, -1, self->cpu, -1);
	attr.config1 = 0;
	fds[1] = perf_open(attr, -1, self->cpu, -1);
	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, emulator_set("arm64_pmcg_emulator", "count", 10));
	ASSERT_EQ(0, emulator_set("arm64_pmcg_emulator", "stream", 42));
	ASSERT_EQ(0, emulator_set("arm64_pmcg_emulator", "count", 3));
	EXPECT_EQ(3, perf_count(fds[0]));
	EXPECT_EQ(13, perf_count(fds[1]));
	perf_close_all(fds, 2);
}

FIXTURE(memory)
{
	int cpu;
};

FIXTURE_SETUP(memory)
{
	if (!emulator_exists("arm64_dmc_emulator"))
		SKIP(return, "no emulator of a DMC: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	ASSERT_EQ(0, emulator_set("arm64_dmc_emulator", "present", 1));
	self->cpu = cpu_of("arm_dmc620_7fffc000");
}

FIXTURE_TEARDOWN(memory)
{
	if (emulator_exists("arm64_dmc_emulator"))
		EXPECT_TRUE(COMES_TRUE(emulator_set("arm64_dmc_emulator", "present", 0) == 0));
}

/* Counters of both clocks. Events may have a mask of addresses; the emulator's address is 0. */
TEST_F(memory, addresses_and_clocks)
{
	const struct { __u64 mask, match, event; int weight; } rows[] = {
		{ 0, 0, MEMORY_EVENT(5), 6 },
		{ 0xfff, 0, MEMORY_EVENT(5), 6 },
		{ 0xfff, 0x123, MEMORY_EVENT(5), 0 },
		{ 0xfffULL << 32, 0x123ULL << 32, MEMORY_EVENT(5), 0 },
		{ 0xfff, 0x123, MEMORY_EVENT(5) | 1, 6 },	/* inverted */
		{ 0, 0, 1 << 3, 2 },				/* at the full clock */
		{ 0, 0, 2 << 3, 3 },
	};
	struct perf_event_attr attr = PERF_ATTR(pmu_type("arm_dmc620_7fffc000"), 0);
	int fds[ARRAY_SIZE(rows)];

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		attr.config = rows[i].mask;
		attr.config1 = rows[i].match;
		attr.config2 = rows[i].event;
		fds[i] = perf_open(attr, -1, self->cpu, -1);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, emulator_set("arm64_dmc_emulator", "count", 1000));
	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(1000 * rows[i].weight, perf_count(fds[i])) {
			TH_LOG("row %d", i);
		}
	}
	perf_close_all(fds, ARRAY_SIZE(rows));
}

FIXTURE(dsu)
{
	char pmu[64];
	long cpus;	/* of the machine */
};

/* The last CPU is not in the cluster. */
FIXTURE_SETUP(dsu)
{
	if (!emulator_exists("arm64_dsu_emulator"))
		SKIP(return, "no emulator of a DSU: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	self->cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (self->cpus < 3)
		SKIP(return, "less than three CPUs");
	ASSERT_EQ(0, emulator_set("arm64_dsu_emulator", "cpus", self->cpus - 1));
	ASSERT_EQ(0, emulator_set("arm64_dsu_emulator", "present", 1));
	ASSERT_TRUE(find_pmu("arm_dsu_*", self->pmu, sizeof(self->pmu)));
}

FIXTURE_TEARDOWN(dsu)
{
	if (!emulator_exists("arm64_dsu_emulator") || self->cpus < 3)
		return;
	EXPECT_TRUE(COMES_TRUE(emulator_set("arm64_dsu_emulator", "present", 0) == 0));
	EXPECT_EQ(0, emulator_set("arm64_dsu_emulator", "cpus", self->cpus));
}

/* The events of a cluster count on its CPUs only, and no other CPU touches the registers. */
TEST_F(dsu, cpus_of_the_cluster)
{
	struct perf_event_attr attr = PERF_ATTR(pmu_type(self->pmu), 0x19);
	int fds[2], last = self->cpus - 1;
	long accesses = -1;
	char text[64];

	ASSERT_LT(0, read_pmu_file(self->pmu, "associated_cpus", text, sizeof(text)));
	EXPECT_EQ(0, strncmp(text, "0-", 2));
	EXPECT_EQ(last - 1, strtol(text + 2, NULL, 10));
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, last, -1, 0));
	for (int i = 0; i < 2; i++) {
		fds[i] = perf_open(attr, -1, last - 1, -1);
		ASSERT_LE(0, fds[i]);
	}
	/* Reading, control and the end of an event from a foreign CPU */
	ASSERT_EQ(0, pin_to_cpu(last));
	ASSERT_EQ(0, emulator_set("arm64_dsu_emulator", "count", 10));
	EXPECT_EQ(10 * 0x1a, perf_count(fds[0]));
	EXPECT_EQ(0, perf_disable(fds[0]));
	ASSERT_EQ(0, emulator_set("arm64_dsu_emulator", "count", 10));
	EXPECT_EQ(10 * 0x1a, perf_count(fds[0]));
	EXPECT_EQ(20 * 0x1a, perf_count(fds[1]));
	perf_close_all(fds, 2);
	EXPECT_EQ(0, file_read_long("/sys/kernel/debug/arm64_dsu_emulator/foreign", &accesses));
	EXPECT_EQ(0, accesses);
}

/* The cycles of a cluster have a counter of their own, beside six others. */
TEST_F(dsu, cycles)
{
	struct perf_event_attr attr = PERF_ATTR(pmu_type(self->pmu), 0x11);
	int cycles = perf_open(attr, -1, 0, -1), fds[6];

	ASSERT_LE(0, cycles);
	attr.config = 0x19;
	for (int i = 0; i < 6; i++) {
		fds[i] = perf_open(attr, -1, 0, cycles);
		EXPECT_LE(0, fds[i]);
	}
	attr.config = 0x11;
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, 0, cycles, 0));
	ASSERT_EQ(0, emulator_set("arm64_dsu_emulator", "count", 100));
	EXPECT_EQ(100 * 0x12, perf_count(cycles));
	EXPECT_EQ(100 * 0x1a, perf_count(fds[5]));
	perf_close_all(fds, 6);
	close(cycles);
}

FIXTURE(mesh)
{
	char pmu[64];
	int cpu;
};

FIXTURE_SETUP(mesh)
{
	if (!emulator_exists("arm64_cmn_emulator"))
		SKIP(return, "no emulator of a mesh: CONFIG_ARM64_PMU_EMULATOR, arm64, root");
	ASSERT_EQ(0, emulator_set("arm64_cmn_emulator", "present", 1));
	ASSERT_TRUE(find_pmu("arm_cmn_*", self->pmu, sizeof(self->pmu)));
	self->cpu = cpu_of(self->pmu);
}

FIXTURE_TEARDOWN(mesh)
{
	if (emulator_exists("arm64_cmn_emulator"))
		EXPECT_TRUE(COMES_TRUE(emulator_set("arm64_cmn_emulator", "present", 0) == 0));
}

/* An event of one node, beside the same event of all nodes, and the mesh's cycles. */
TEST_F(mesh, nodes)
{
	struct perf_event_attr attr = PERF_ATTR(pmu_type(self->pmu), 0);
	const struct { __u64 config; int weight; } rows[] = {
		{ MESH_HNF(9), 18 },
		{ MESH_HNF(9) | MESH_NODE(0), 9 },
		{ MESH_HNF(5) | MESH_NODE(16), 5 },
		{ MESH_CYCLES, 1 },
	};
	int fds[ARRAY_SIZE(rows)];

	for (int i = 0; i < ARRAY_SIZE(rows); i++) {
		attr.config = rows[i].config;
		fds[i] = perf_open(attr, -1, self->cpu, i ? fds[0] : -1);
		ASSERT_LE(0, fds[i]);
	}
	attr.config = MESH_HNF(9) | MESH_NODE(8);
	EXPECT_ROW(-EINVAL, perf_try(attr, -1, self->cpu, -1, 0), "no such node");
	attr.config = MESH_CYCLES;
	EXPECT_ROW(-EINVAL, perf_try(attr, -1, self->cpu, fds[0], 0), "two counts of cycles");
	ASSERT_EQ(0, emulator_set("arm64_cmn_emulator", "count", 70000));
	for (int i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_EQ(70000 * rows[i].weight, perf_count(fds[i]));
	perf_close_all(fds, ARRAY_SIZE(rows));
}

TEST_HARNESS_MAIN
