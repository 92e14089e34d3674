// SPDX-License-Identifier: GPL-2.0
/*
 * PMUv3, the PMU of arm64: valid attributes, and its files in sysfs.
 */
#include <dirent.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define TH(_value)	((unsigned long long)(_value) << 5)

#define SW_INCR		0x00
#define CYCLES		0x11
#define CHAIN		0x1e
#define MEM_ACCESS	0x13

FIXTURE(hw_pmuv3)
{
	const char *name;
	int type;
};

FIXTURE_SETUP(hw_pmuv3)
{
	self->name = find_pmuv3();
	if (!self->name)
		SKIP(return, "no PMUv3");
	self->type = pmu_type(self->name);
	ASSERT_LT(0, self->type);
}

FIXTURE_TEARDOWN(hw_pmuv3)
{
}

TEST_F(hw_pmuv3, what_may_be_asked)
{
	const __u32 pmu = self->type, raw = PERF_TYPE_RAW;
	const __u32 hw = PERF_TYPE_HARDWARE, cache = PERF_TYPE_HW_CACHE;
	const struct {
		const char *name;
		struct perf_event_attr attr;
		int want;
	} rows[] = {
		{ "cycles", HW_CYCLES(), 0 },
		{ "cycles of this PMU", HW_CYCLES(.config = (__u64)pmu << 32), 0 },
		{ "raw", PERF_ATTR(raw, CYCLES), 0 },
		{ "by the PMU's number", PERF_ATTR(pmu, CYCLES), 0 },
		{ "of the core's own", PERF_ATTR(pmu, 0xc0), 0 },
		{ "16 bits", PERF_ATTR(pmu, 0xffff), 0 },
		{ "CHAIN", PERF_ATTR(pmu, CHAIN), -EINVAL },
		{ "CHAIN, raw", PERF_ATTR(raw, CHAIN), -EINVAL },
		{ "no such generic event", PERF_ATTR(hw, PERF_COUNT_HW_MAX), -EINVAL },
		{ "never a generic event here",
		  PERF_HW(REF_CPU_CYCLES), -ENOENT },
		{ "no such cache", PERF_ATTR(cache, PERF_COUNT_HW_CACHE_MAX), -EINVAL },
		{ "no such operation", PERF_ATTR(cache, 3 << 8), -EINVAL },
		{ "no such result", PERF_ATTR(cache, 2 << 16), -EINVAL },
		{ "cache event of nobody", PERF_ATTR(cache, PERF_COUNT_HW_CACHE_BPU |
						     1 << 8 | 1 << 16), -ENOENT },
		{ "long", PERF_ATTR(pmu, CYCLES, .config1 = PMUV3_LONG), 0 },
		{ "long, any event", PERF_ATTR(pmu, MEM_ACCESS, .config1 = PMUV3_LONG), 0 },
		{ "read by a program", PERF_ATTR(pmu, CYCLES, .config1 = PMUV3_RDPMC), 0 },
		{ "long cycles read by a program",
		  PERF_ATTR(pmu, CYCLES, .config1 = PMUV3_RDPMC | PMUV3_LONG), 0 },
		{ "comparison, no threshold", PERF_ATTR(pmu, CYCLES, .config1 = 0x1c), 0 },
		{ "bits of no field", PERF_ATTR(pmu, CYCLES, .config1 = 1ULL << 63,
						.config2 = 1), 0 },
		{ "not when idle", HW_CYCLES(.exclude_idle = 1), -EOPNOTSUPP },
		{ "guest only", HW_CYCLES(.exclude_host = 1), 0 },
		{ "host only", HW_CYCLES(.exclude_guest = 1), 0 },
		{ "branch stack", HW_CYCLES(.sample_period = 100000,
			.sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = PERF_SAMPLE_BRANCH_ANY), -EOPNOTSUPP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_ROW(rows[i].want, perf_try_self(rows[i].attr), rows[i].name);
}

TEST_F(hw_pmuv3, refusals_say_why)
{
	struct perf_event_attr branches = HW_CYCLES(.sample_period = 100000,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	int leader = perf_open_self(HW_CYCLES()), i, err = 0;
	int sw_leader = perf_open_self(PERF_ATTR(self->type, SW_INCR));

	if (perf_is_stock())
		SKIP(return, "needs /proc/self/perf_event_refusal");
	ASSERT_LE(0, leader);
	ASSERT_LE(0, sw_leader);
	EXPECT_EQ(-EOPNOTSUPP, perf_try_self(branches));
	EXPECT_TRUE(refused_for("sample_type"));
	for (i = 0; i < 40 && err >= 0; i++)
		err = perf_open(HW_CYCLES(), 0, -1, leader);
	EXPECT_EQ(-EINVAL, err);
	EXPECT_TRUE(refused_for("group_fd"));
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_ATTR(self->type, CHAIN)));
	EXPECT_TRUE(refused_for("config"));
	for (i = 0, err = 0; i < 40 && err >= 0; i++)
		err = perf_open(PERF_ATTR(self->type, SW_INCR, .exclude_hv = 1), 0, -1,
				sw_leader);
	EXPECT_EQ(-EINVAL, err);
	EXPECT_TRUE(refused_for("group_fd"));
	/* unless the PMU has such a threshold */
	err = perf_try_self(PERF_ATTR(self->type, SW_INCR, .config1 = TH(4095)));
	if (err)
		EXPECT_TRUE(refused_for("config1"));
}

TEST_F(hw_pmuv3, a_program_does_not_read_a_cpus_events)
{
	struct perf_event_attr attr = PERF_ATTR(self->type, CYCLES, .config1 = PMUV3_RDPMC);
	int cpu = nth_cpu(0);

	EXPECT_EQ(-EINVAL, perf_try(attr, -1, cpu, -1, 0));
	EXPECT_EQ(0, perf_try(attr, 0, cpu, -1, 0));
	attr.config1 = 0;
	EXPECT_EQ(0, perf_try(attr, -1, cpu, -1, 0));
}

TEST_F(hw_pmuv3, threshold_up_to_what_caps_say)
{
	unsigned long long max;
	char text[64];

	ASSERT_LT(0, read_pmu_file(self->name, "caps/threshold_max", text,
				   sizeof(text)));
	EXPECT_EQ(10, strlen(text));
	max = strtoull(text, NULL, 16);
	EXPECT_GE(4095, max);
	if (max)
		EXPECT_EQ(0, perf_try_self(PERF_ATTR(self->type, MEM_ACCESS,
						     .config1 = TH(max))));
	if (max < 4095)
		EXPECT_EQ(-EINVAL, perf_try_self(PERF_ATTR(self->type, MEM_ACCESS,
							   .config1 = TH(max + 1))));
}

TEST_F(hw_pmuv3, caps)
{
	static const char *const files[] = {
		"caps/slots", "caps/bus_slots", "caps/bus_width",
	};
	unsigned long value;
	char text[64], *end;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_LT(0, read_pmu_file(self->name, files[i], text, sizeof(text)));
		EXPECT_EQ(10, strlen(text));
		value = strtoul(text, &end, 16);
		EXPECT_EQ('\0', *end);
	}
	/* A power of two, or unknown. */
	EXPECT_EQ(0, value & (value - 1));
}

TEST_F(hw_pmuv3, format)
{
	static const char *const files[][2] = {
		{ "format/event", "config:0-15" },
		{ "format/long", "config1:0" },
		{ "format/rdpmc", "config1:1" },
		{ "format/threshold", "config1:5-16" },
		{ "format/threshold_compare", "config1:3-4" },
		{ "format/threshold_count", "config1:2" },
	};
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		ASSERT_LT(0, read_pmu_file(self->name, files[i][0], text, sizeof(text)));
		EXPECT_STREQ(files[i][1], text);
	}
}

/*
 * Each file in events/ is an event that can be opened. The generic events' equivalents
 * are listed.
 */
TEST_F(hw_pmuv3, listed_events_open)
{
	char path[512], file[300], text[64];
	struct dirent *entry;
	unsigned long number;
	int listed = 0;
	DIR *dir;

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/events", self->name);
	dir = opendir(path);
	ASSERT_NE(NULL, dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "events/%s", entry->d_name);
		ASSERT_LT(0, read_pmu_file(self->name, file, text, sizeof(text)));
		ASSERT_EQ(0, strncmp(text, "event=0x", 8));
		number = strtoul(text + 8, NULL, 16);
		EXPECT_ROW(0, perf_try_self(PERF_ATTR(self->type, number)),
			   entry->d_name);
		EXPECT_NE(CHAIN, number);
		listed++;
	}
	closedir(dir);
	EXPECT_LT(0, listed);

	ASSERT_LT(0, read_pmu_file(self->name, "events/cpu_cycles", text, sizeof(text)));
	EXPECT_STREQ("event=0x0011", text);
	/* PMUv3 requires this event. */
	ASSERT_LT(0, read_pmu_file(self->name, "events/sw_incr", text, sizeof(text)));
	EXPECT_STREQ("event=0x0000", text);
}

/* If an event is not listed, the generic event of the same meaning cannot be opened. */
TEST_F(hw_pmuv3, generic_events_follow_the_list)
{
	static const struct {
		__u64 generic;
		const char *file[2];
	} rows[] = {
		{ PERF_COUNT_HW_INSTRUCTIONS, { "inst_retired" } },
		{ PERF_COUNT_HW_CACHE_REFERENCES, { "l1d_cache" } },
		{ PERF_COUNT_HW_CACHE_MISSES, { "l1d_cache_refill" } },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, { "br_retired", "pc_write_retired" } },
		{ PERF_COUNT_HW_BRANCH_MISSES, { "br_mis_pred" } },
		{ PERF_COUNT_HW_BUS_CYCLES, { "bus_cycles" } },
		{ PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, { "stall_frontend" } },
		{ PERF_COUNT_HW_STALLED_CYCLES_BACKEND, { "stall_backend" } },
	};
	char file[64], text[64];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool listed = false;

		for (j = 0; j < 2 && rows[i].file[j]; j++) {
			snprintf(file, sizeof(file), "events/%s", rows[i].file[j]);
			if (read_pmu_file(self->name, file, text, sizeof(text)) > 0)
				listed = true;
		}
		EXPECT_ROW(listed ? 0 : -ENOENT,
			   perf_try_self(PERF_ATTR(PERF_TYPE_HARDWARE,
						   rows[i].generic)),
			   rows[i].file[0]);
	}
}

/* Count a group of two. Returns true if the counts are nearly the same. */
static bool counts_the_same(struct __test_metadata *_metadata, int leader)
{
	struct { __u64 nr, value[2]; } g;

	ASSERT_EQ(0, perf_ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_EQ(0, perf_enable(leader));
	spin_and_call(500);
	ASSERT_EQ(0, perf_disable(leader));
	ASSERT_EQ(sizeof(g), read(leader, &g, sizeof(g)));
	EXPECT_LT(0, g.value[0]);
	return g.value[0] - g.value[0] / 50 <= g.value[1] &&
	       g.value[0] + g.value[0] / 50 >= g.value[1];
}

/*
 * Older PMUs use two counters for a long event. The count is the same. Without CHAIN a long event
 * of cycles needs their own counter, so it is the first one.
 */
TEST_F(hw_pmuv3, long_counts_the_same)
{
	int leader, other;

	leader = perf_open_self(PERF_ATTR(self->type, CYCLES, .config1 = PMUV3_LONG,
					  .disabled = 1, .read_format = PERF_FORMAT_GROUP));
	ASSERT_LE(0, leader);
	other = perf_open(PERF_ATTR(self->type, CYCLES), 0, -1, leader);
	ASSERT_LE(0, other);
	/* An emulator may be interrupted between two counters: one of a few tries. */
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, counts_the_same(_metadata, leader)));
}

TEST_HARNESS_MAIN
