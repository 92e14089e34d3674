// SPDX-License-Identifier: GPL-2.0
/*
 * Architectural perfmon of version 6 on x86: more bits in the event select, and CPUs
 * with two kinds of cores. Each kind has a PMU, which counts on its CPUs only.
 */
#include "../lib/hardware.h"
#include "../lib/perf_test.h"
#include "../../kselftest_harness.h"

#define GROUP_MAX	16

/* Raw cycles, on every core. */
#define RAW_CYCLES	0x3c

/* The first CPU in a list like "2-3", or -1. */
static int first_cpu_of(const char *pmu)
{
	char text[256];

	return read_pmu_file(pmu, "cpus", text, sizeof(text)) > 0 ? atoi(text) : -1;
}

TEST(select_fields)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_RAW, 0x1 | 0x3ULL << 40);
	const char *pmu = "cpu";
	char text[64];
	int fd;

	if (read_pmu_file(pmu, "format/umask", text, sizeof(text)) < 0)
		pmu = "cpu_core";
	if (read_pmu_file(pmu, "format/umask", text, sizeof(text)) < 0 ||
	    !strstr(text, "40-47"))
		SKIP(return, "no PMU whose unit masks have two bytes");
	EXPECT_STREQ("config:8-15,40-47", text);
	ASSERT_LT(0, read_pmu_file(pmu, "format/eq", text, sizeof(text)));
	EXPECT_STREQ("config:36", text);

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	spin_and_call(1000);
	EXPECT_LT(0, perf_count(fd));
}

FIXTURE(hybrid)
{
	int cpu;
	int other;
	int type;
};

FIXTURE_VARIANT(hybrid)
{
	const char *pmu;
	const char *other;
	int counters;
};

FIXTURE_VARIANT_ADD(hybrid, core)
{
	.pmu = "cpu_core", .other = "cpu_atom", .counters = 10,
};

FIXTURE_VARIANT_ADD(hybrid, atom)
{
	.pmu = "cpu_atom", .other = "cpu_core", .counters = 8,
};

FIXTURE_SETUP(hybrid)
{
	self->cpu = first_cpu_of(variant->pmu);
	self->other = first_cpu_of(variant->other);
	if (self->cpu < 0 || self->other < 0)
		SKIP(return, "all cores are alike");
	self->type = pmu_type(variant->pmu);
	ASSERT_LT(0, self->type);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(hybrid)
{
}

static void expect_here_only(struct __test_metadata *_metadata, int fd, int here, int there)
{
	struct perf_timed before, after;

	ASSERT_EQ(0, pin_to_cpu(here));
	spin_and_call(1000);
	ASSERT_EQ(0, pin_to_cpu(there));
	before = perf_timed_count(fd);
	spin_and_call(1000);
	after = perf_timed_count(fd);
	EXPECT_LT(0, before.value);
	EXPECT_EQ(before.value, after.value);
	EXPECT_EQ(before.running, after.running);
	EXPECT_LT(before.enabled, after.enabled);
	ASSERT_EQ(0, pin_to_cpu(here));
	spin_and_call(1000);
	EXPECT_LT(after.value, perf_timed_count(fd).value);
}

TEST_F(hybrid, raw_events_count_on_their_cores)
{
	int fd = perf_open_self(PERF_ATTR(self->type, RAW_CYCLES,
					  .read_format = PERF_ALL_TIMES));

	ASSERT_LE(0, fd);
	expect_here_only(_metadata, fd, self->cpu, self->other);
}

/* The PMU's number is in the upper bits of the generic event. */
TEST_F(hybrid, generic_events_count_on_their_cores)
{
	__u64 config = (__u64)self->type << 32 | PERF_COUNT_HW_INSTRUCTIONS;
	int fd = perf_open_self(PERF_ATTR(PERF_TYPE_HARDWARE, config,
					  .read_format = PERF_ALL_TIMES));

	ASSERT_LE(0, fd);
	expect_here_only(_metadata, fd, self->cpu, self->other);
}

TEST_F(hybrid, cpus_of_the_other_kind_are_refused)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, RAW_CYCLES);
	int fd = perf_open(attr, -1, self->cpu, -1);

	EXPECT_LE(0, fd);
	EXPECT_EQ(-ENOENT, perf_open(attr, -1, self->other, -1));
}

/* All counters of a kind are used, also those that the other kind does not have. */
TEST_F(hybrid, group_of_all_counters)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, 0x1, .disabled = 1,
						.read_format = PERF_ALL_TIMES);
	int fds[GROUP_MAX], n, i;
	struct perf_timed t;

	for (n = 0; n < GROUP_MAX; n++) {
		fds[n] = perf_open(attr, 0, -1, n ? fds[0] : -1);
		if (fds[n] < 0)
			break;
		attr.disabled = 0;
	}
	ASSERT_LT(0, n);
	if (pmu_is_modelled())
		EXPECT_EQ(variant->counters, n);
	ASSERT_EQ(0, perf_enable(fds[0]));
	spin_and_call(1000);
	ASSERT_EQ(0, perf_disable(fds[0]));
	for (i = 0; i < n; i++) {
		t = perf_timed_count(fds[i]);
		EXPECT_LT(0, t.value);
		EXPECT_EQ(t.enabled, t.running);
	}
}

/* Each CPU has one kind. */
TEST_F(hybrid, kinds_share_no_cpu)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, RAW_CYCLES);
	struct perf_event_attr other = PERF_ATTR(pmu_type(variant->other), RAW_CYCLES);
	int cpu, fd;

	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int kinds = 0;

		fd = perf_open(attr, -1, cpu, -1);
		kinds += fd >= 0;
		close(fd);
		fd = perf_open(other, -1, cpu, -1);
		kinds += fd >= 0;
		close(fd);
		EXPECT_EQ(1, kinds);
	}
}

TEST_HARNESS_MAIN
