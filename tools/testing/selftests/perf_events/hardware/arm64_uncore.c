// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of an SMMU: the base's driver on a model of its registers,
 * CONFIG_ARM64_PMU_MODELS. The PMU counts for the machine, and belongs to one CPU. The test says
 * how often the events occur.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"

#define MODEL		"/sys/kernel/debug/arm64_pmcg_model/"
#define PMU		"smmuv3_pmcg_7ffff000"

/* What the model has. Event e occurs (e + 1) times as often as event 0. */
#define NR_COUNTERS	4
#define NR_EVENTS	8
#define FILTER		(1ULL << 33)

static int model_set(const char *file, unsigned long value)
{
	char path[128];

	snprintf(path, sizeof(path), MODEL "%s", file);
	return file_write_long(path, value);
}

static long its_cpu(void)
{
	char text[64];

	return read_pmu_file(PMU, "cpumask", text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : -1;
}

FIXTURE(uncore)
{
	struct perf_event_attr attr;
	int cpu;
};

FIXTURE_SETUP(uncore)
{
	if (access(MODEL "present", W_OK))
		SKIP(return, "no model of an SMMU: CONFIG_ARM64_PMU_MODELS, arm64, root");
	/* The driver chooses the CPU on which its device appears. */
	self->cpu = hotplug_cpu();
	if (self->cpu < 0)
		self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, model_set("present", 1));
	ASSERT_EQ(self->cpu, its_cpu());
	ASSERT_EQ(0, model_set("stream", 1));
	self->attr = PERF_ATTR(pmu_type(PMU), 0);
}

FIXTURE_TEARDOWN(uncore)
{
	if (access(MODEL "present", W_OK))
		return;
	EXPECT_TRUE(COMES_TRUE(model_set("present", 0) == 0));
	EXPECT_EQ(-1, its_cpu());
}

static int open_event(FIXTURE_DATA(uncore) *self, __u64 event, int cpu, int group)
{
	self->attr.config = event;
	return perf_open(self->attr, -1, cpu, group);
}

TEST_F(uncore, in_sysfs)
{
	char text[64];

	ASSERT_LT(0, read_pmu_file(PMU, "events/transaction", text, sizeof(text)));
	EXPECT_STREQ("event=0x01", text);
	ASSERT_LT(0, read_pmu_file(PMU, "format/filter_enable", text, sizeof(text)));
	EXPECT_STREQ("config1:33", text);
	/* The driver hides events that the hardware does not have. */
	EXPECT_GT(0, read_pmu_file(PMU, "events/nothing", text, sizeof(text)));
}

TEST_F(uncore, refusals)
{
	const struct perf_event_attr good = self->attr;
	struct perf_event_attr attr;

#define EXPECT_REFUSED(_errno, ...) do {				\
	attr = good;							\
	__VA_ARGS__;							\
	EXPECT_ROW(-(_errno), perf_try(attr, -1, self->cpu, -1, 0), #__VA_ARGS__); \
} while (0)

	EXPECT_ROW(0, perf_try(good, -1, self->cpu, -1, 0), "good");
	EXPECT_REFUSED(EINVAL, attr.config = NR_EVENTS);
	EXPECT_REFUSED(EOPNOTSUPP, attr.sample_period = 1000);
	EXPECT_REFUSED(EINVAL, attr.exclude_user = 1);
	EXPECT_REFUSED(EINVAL, attr.exclude_kernel = 1);
	/* It counts for no task. */
	EXPECT_ROW(-EOPNOTSUPP, perf_try(good, 0, -1, -1, 0), "a task");
	EXPECT_ROW(-EINVAL, perf_try(good, 0, self->cpu, -1, 0), "a task on a CPU");
}

TEST_F(uncore, groups_that_cannot_count)
{
	int fds[NR_COUNTERS], dummy;

	/* Software events may lead, and take no counter. */
	dummy = perf_open(PERF_SW(DUMMY), -1, self->cpu, -1);
	ASSERT_LE(0, dummy);
	for (int i = 0; i < NR_COUNTERS; i++) {
		fds[i] = open_event(self, i, self->cpu, dummy);
		EXPECT_LE(0, fds[i]);
	}
	EXPECT_EQ(-EINVAL, open_event(self, 0, self->cpu, dummy));
	perf_close_all(fds, NR_COUNTERS);
	close(dummy);

	fds[0] = open_event(self, 0, self->cpu, -1);
	ASSERT_LE(0, fds[0]);
	/* Events of two PMUs in a group */
	EXPECT_EQ(-EINVAL, perf_try(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), -1,
				    self->cpu, fds[0], 0));
	close(fds[0]);
}

TEST_F(uncore, counts)
{
	int fds[NR_COUNTERS];

	for (int i = 0; i < NR_COUNTERS; i++) {
		fds[i] = open_event(self, 2 * i, self->cpu, i ? fds[0] : -1);
		ASSERT_LE(0, fds[i]);
	}
	ASSERT_EQ(0, model_set("count", 1000));
	ASSERT_EQ(0, perf_disable_group(fds[0]));
	ASSERT_EQ(0, model_set("count", 1));
	ASSERT_EQ(0, perf_enable_group(fds[0]));
	ASSERT_EQ(0, model_set("count", 234));
	for (int i = 0; i < NR_COUNTERS; i++)
		EXPECT_EQ(1234 * (2 * i + 1), perf_count(fds[i]));
	perf_close_all(fds, NR_COUNTERS);
}

/* A narrow counter wraps. The interrupt adds what it has lost. */
TEST_F(uncore, wraps)
{
	int fd = open_event(self, 7, self->cpu, -1);

	ASSERT_LE(0, fd);
	for (int i = 0; i < 20; i++)
		ASSERT_EQ(0, model_set("count", 0x0fffffff));
	EXPECT_EQ(20 * 8 * 0x0fffffffULL, perf_count(fd));
	close(fd);
}

TEST_F(uncore, streams)
{
	int fds[2];

	self->attr.config1 = FILTER | 42;
	fds[0] = open_event(self, 0, self->cpu, -1);
	self->attr.config1 = 0;
	fds[1] = open_event(self, 0, self->cpu, -1);
	ASSERT_LE(0, fds[0]);
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, model_set("count", 10));
	ASSERT_EQ(0, model_set("stream", 42));
	ASSERT_EQ(0, model_set("count", 3));
	EXPECT_EQ(3, perf_count(fds[0]));
	EXPECT_EQ(13, perf_count(fds[1]));
	perf_close_all(fds, 2);
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
		SKIP(return, "only one CPU");
	fds[0] = open_event(self, 0, other, -1);
	ASSERT_LE(0, fds[0]);
	fds[1] = open_event(self, 1, other, fds[0]);
	ASSERT_LE(0, fds[1]);
	ASSERT_EQ(0, model_set("count", 5));
	EXPECT_EQ(5, perf_count(fds[0]));
	EXPECT_EQ(10, perf_count(fds[1]));
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
	int fds[NR_COUNTERS + 2];

	self->attr.read_format = PERF_ALL_TIMES;
	for (int i = 0; i < NR_COUNTERS + 2; i++) {
		fds[i] = open_event(self, i, self->cpu, -1);
		ASSERT_LE(0, fds[i]);
	}
	for (int i = 0; i < NR_COUNTERS + 2; i++)
		EXPECT_TRUE(gets_its_turn(fds[i]));
	for (int i = 0; i < NR_COUNTERS + 2; i++)
		EXPECT_TRUE(COMES_TRUE(has_waited(fds[i])));
	perf_close_all(fds, NR_COUNTERS + 2);
}

/* The driver's CPU goes offline. Its events count on, on another CPU, and groups stay whole. */
TEST_F(uncore, offline)
{
	int fds[3], member;
	cpu_set_t all;

	if (hotplug_cpu() < 0)
		SKIP(return, "no CPU can be taken offline");
	fds[0] = open_event(self, 0, self->cpu, -1);
	fds[1] = open_event(self, 1, self->cpu, fds[0]);
	fds[2] = open_event(self, 2, self->cpu, -1);
	for (int i = 0; i < 3; i++)
		ASSERT_LE(0, fds[i]);
	ASSERT_EQ(0, model_set("count", 100));
	memset(&all, 0xff, sizeof(all));
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(all), &all));
	ASSERT_EQ(0, cpu_set_online(self->cpu, false));
	EXPECT_NE(self->cpu, its_cpu());
	ASSERT_EQ(0, model_set("count", 20));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(120 * (i + 1), perf_count(fds[i]));
	/* New members join on the new CPU. */
	member = open_event(self, 3, its_cpu(), fds[0]);
	EXPECT_LE(0, member);
	ASSERT_EQ(0, model_set("count", 3));
	EXPECT_EQ(12, perf_count(member));
	ASSERT_EQ(0, cpu_set_online(self->cpu, true));
	ASSERT_EQ(0, model_set("count", 1));
	EXPECT_EQ(124, perf_count(fds[0]));
	EXPECT_EQ(248, perf_count(fds[1]));
	close(member);
	perf_close_all(fds, 3);
}

TEST_HARNESS_MAIN
