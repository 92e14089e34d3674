// SPDX-License-Identifier: GPL-2.0
/*
 * The PMUs of free-running registers: msr, power, cstate_core and cstate_pkg. With an
 * emulator (x86_pmu_emulator=) their rates are known: they follow the time stamp counter.
 */
#include "../lib/cgroup.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/x86_emulator.h"

#ifdef __x86_64__

/* Attributes of an event by its name in sysfs. The type is 0 without the event. */
static struct perf_event_attr named(const char *pmu, const char *event)
{
	struct perf_event_attr attr = PERF_ATTR(0, 0);
	char path[256], text[64];
	long type = 0;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events/%s", pmu, event);
	if (file_read(path, text, sizeof(text)) < 0 ||
	    sscanf(text, "event=%llx", &attr.config) != 1)
		return attr;
	snprintf(path, sizeof(path), PMU_DEVICES "/%s/type", pmu);
	file_read_long(path, &type);
	attr.type = type;
	return attr;
}

/* The first CPU of a PMU's cpumask. */
static long serving_cpu(const char *pmu)
{
	char path[256];
	long cpu = -1;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/cpumask", pmu);
	return file_read_long(path, &cpu) ? -1 : cpu;
}

/* Count the group msr/tsc/, msr/EVENT/ of this task. */
static void with_tsc(struct __test_metadata *_metadata, const char *event, __u64 *tsc, __u64 *value)
{
	struct perf_event_attr attr = named("msr", "tsc");
	struct {
		__u64 nr;
		__u64 value[2];
	} group;
	int leader, fd;

	attr.disabled = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open_self(attr);
	fd = perf_open(named("msr", event), 0, -1, leader);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, fd);
	perf_enable(leader);
	burn_cpu(10 * NSEC_PER_MSEC);
	perf_disable(leader);
	ASSERT_EQ(sizeof(group), read(leader, &group, sizeof(group)));
	*tsc = group.value[0];
	*value = group.value[1];
	close(fd);
	close(leader);
}

/* The machine may be interrupted between two reads: one try must fit. */
static bool is_part_of_tsc(struct __test_metadata *_metadata, const char *event,
			   unsigned int divisor)
{
	__u64 tsc, value;

	with_tsc(_metadata, event, &tsc, &value);
	return tsc && value >= tsc / divisor - tsc / 10 && value <= tsc / divisor + tsc / 10;
}

TEST(mperf_follows_the_tsc)
{
	if (!named("msr", "mperf").type || !pmu_is_emulated())
		SKIP(return, "no emulated MPERF");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, is_part_of_tsc(_metadata, "mperf", 1)));
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, is_part_of_tsc(_metadata, "aperf", 2)));
}

TEST(msr_refusals)
{
	struct perf_event_attr attr = named("msr", "tsc");

	if (!attr.type)
		SKIP(return, "no PMU msr");
	attr.config = 1000;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	/* Hardware P-states, which few CPUs have. */
	attr.config = 3;
	EXPECT_EQ(access(PMU_DEVICES "/msr/events/pperf", F_OK) ? -EINVAL : 0,
		  perf_try_self(attr));
	attr.config = 0;
	EXPECT_EQ(0, perf_try_self(attr));
	attr.exclude_kernel = 1;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	attr.exclude_kernel = 0;
	attr.sample_period = 1000;
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
}

/* In the unit of sysfs: an emulated package uses some watts. */
TEST(energy_is_in_joules)
{
	struct perf_event_attr attr = named("power", "energy-pkg");
	char text[64];
	__u64 before, opened, counted, after;
	double scale, joules;
	int fd;

	if (!attr.type)
		SKIP(return, "no PMU power");
	ASSERT_LT(0, file_read(PMU_DEVICES "/power/events/energy-pkg.scale", text, sizeof(text)));
	scale = strtod(text, NULL);
	EXPECT_EQ(-EINVAL, perf_try_self(attr));

	before = clock_ns(CLOCK_MONOTONIC);
	fd = perf_open(attr, -1, serving_cpu("power"), -1);
	opened = clock_ns(CLOCK_MONOTONIC);
	ASSERT_LE(0, fd);
	sleep_ms(200);
	counted = clock_ns(CLOCK_MONOTONIC);
	joules = perf_count(fd) * scale;
	after = clock_ns(CLOCK_MONOTONIC);
	EXPECT_LT(0.1, joules * NSEC_PER_SEC / (counted - opened));
	EXPECT_GT(1000, joules * NSEC_PER_SEC / (after - before));
}

/* The emulator has a register of the graphics' energy, which always reads as 0. */
TEST(energy_that_is_always_0_is_not_offered)
{
	struct perf_event_attr attr = named("power", "energy-pkg");

	if (!attr.type || !machine_is("intel"))
		SKIP(return, "no emulated PMU power of Intel");
	EXPECT_EQ(-1, access(PMU_DEVICES "/power/events/energy-gpu", F_OK));
	attr.config = 4;
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, serving_cpu("power"), -1, 0));
}

/* A cgroup is a part of the tasks, which these PMUs cannot tell apart. */
TEST(a_package_counts_no_cgroups)
{
	struct perf_event_attr attr = named("power", "energy-pkg");
	const char *pmu = "power";
	char why[256] = "";
	int dir;

	if (!attr.type) {
		pmu = "cstate_core";
		attr = named(pmu, "c6-residency");
	}
	if (!attr.type)
		SKIP(return, "neither a PMU power nor cstate_core");
	dir = open(CGROUPFS, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, dir);
	EXPECT_EQ(-EINVAL, perf_try(attr, dir, serving_cpu(pmu), -1, PERF_FLAG_PID_CGROUP));
	ASSERT_LT(0, file_read("/proc/self/perf_event_refusal", why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, "counts CPUs, not cgroups"));
	close(dir);
}

TEST(residency_counts_idle_time)
{
	struct perf_event_attr attr = named("cstate_core", "c6-residency");
	__u64 before;
	int fd;

	if (!attr.type)
		SKIP(return, "no PMU cstate_core");
	EXPECT_EQ(-EINVAL, perf_try_self(attr));
	fd = perf_open(attr, -1, serving_cpu("cstate_core"), -1);
	ASSERT_LE(0, fd);
	before = perf_count(fd);
	/* A real core may not be idle. */
	if (pmu_is_emulated())
		EXPECT_TRUE(COMES_TRUE(perf_count(fd) > before));
	EXPECT_LE(before, perf_count(fd));
	close(fd);
	attr.config = 63;
	EXPECT_EQ(-EINVAL, perf_try(attr, -1, serving_cpu("cstate_core"), -1, 0));
}

#else /* !__x86_64__ */

TEST(system_pmus)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
