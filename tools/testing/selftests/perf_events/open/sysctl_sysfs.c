// SPDX-License-Identifier: GPL-2.0
/*
 * Files: the sysctls with their modes and ranges, and /sys/bus/event_source for the
 * PMUs that every kernel has.
 */
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"

#define SYSCTL		"/proc/sys/kernel/"
#define DEVICES		"/sys/bus/event_source/devices/"

struct range_row {
	const char *name;
	long min;
	long max;		/* the largest valid value */
};

/* Write to a sysctl and read it back. Returns 0 or the errno of the write. */
static int try_value(const char *name, const char *text, long *back)
{
	char path[128];
	int ret;

	snprintf(path, sizeof(path), SYSCTL "%s", name);
	ret = file_write(path, text);
	if (file_read_long(path, back))
		return -EIO;
	return ret;
}

static void check_range(struct __test_metadata *_metadata,
			const struct range_row *row)
{
	long values[] = {
		row->min, row->min + 1, row->min - 1,
		row->max, row->max - 1, row->max + 1,
	};
	char path[128], text[32];
	long saved, back;
	size_t i;
	int ret;

	snprintf(path, sizeof(path), SYSCTL "%s", row->name);
	ASSERT_EQ(0, file_read_long(path, &saved));
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		bool good = values[i] >= row->min && values[i] <= row->max;
		long before;

		ASSERT_EQ(0, file_read_long(path, &before));
		snprintf(text, sizeof(text), "%ld", values[i]);
		ret = try_value(row->name, text, &back);
		EXPECT_EQ(good ? 0 : -EINVAL, ret) {
			TH_LOG("%s <- %ld", row->name, values[i]);
		}
		EXPECT_EQ(good ? values[i] : before, back) {
			TH_LOG("%s <- %ld", row->name, values[i]);
		}
	}
	EXPECT_EQ(-EINVAL, try_value(row->name, "many", &back));
	EXPECT_EQ(0, file_write_long(path, saved));
}

TEST(perf_event_paranoid)
{
	check_range(_metadata, &(struct range_row){
		"perf_event_paranoid", INT_MIN, INT_MAX });
}

TEST(perf_event_mlock_kb)
{
	check_range(_metadata, &(struct range_row){
		"perf_event_mlock_kb", INT_MIN, INT_MAX });
}

TEST(perf_event_max_sample_rate)
{
	check_range(_metadata, &(struct range_row){
		"perf_event_max_sample_rate", 1, INT_MAX });
}

TEST(perf_cpu_time_max_percent)
{
	check_range(_metadata, &(struct range_row){
		"perf_cpu_time_max_percent", 0, 100 });
}

TEST(perf_event_max_stack)
{
	check_range(_metadata, &(struct range_row){
		"perf_event_max_stack", 0, 640 * 1024 });
}

TEST(perf_event_max_contexts_per_stack)
{
	check_range(_metadata, &(struct range_row){
		"perf_event_max_contexts_per_stack", 0, 1000 });
}

/* The rate cannot be set while the kernel does not measure interrupts. */
TEST(rate_without_limit_on_time)
{
	static const char *const limits[] = { "0", "100" };
	long percent, rate, back;
	size_t i;

	ASSERT_EQ(0, file_read_long(SYSCTL "perf_cpu_time_max_percent",
				    &percent));
	ASSERT_EQ(0, file_read_long(SYSCTL "perf_event_max_sample_rate",
				    &rate));
	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		ASSERT_EQ(0, try_value("perf_cpu_time_max_percent", limits[i],
				       &back));
		EXPECT_EQ(-EINVAL, try_value("perf_event_max_sample_rate",
					     "5000", &back));
		EXPECT_EQ(rate, back);
	}
	EXPECT_EQ(0, file_write_long(SYSCTL "perf_cpu_time_max_percent",
				     percent));
	EXPECT_EQ(0, file_write_long(SYSCTL "perf_event_max_sample_rate",
				     rate));
}

TEST(rate_limits_frequency)
{
	long rate;

	ASSERT_EQ(0, file_read_long(SYSCTL "perf_event_max_sample_rate",
				    &rate));
	ASSERT_EQ(0, file_write_long(SYSCTL "perf_event_max_sample_rate",
				     1000));
	EXPECT_EQ(0, perf_try_self(PERF_SW(CPU_CLOCK, .freq = 1,
					   .sample_freq = 1000)));
	EXPECT_EQ(-EINVAL, perf_try_self(PERF_SW(CPU_CLOCK, .freq = 1,
						 .sample_freq = 1001)));
	EXPECT_EQ(0, file_write_long(SYSCTL "perf_event_max_sample_rate",
				     rate));
}

/* The depth cannot change while callchains are in use. */
TEST(stack_depth_in_use)
{
	struct perf_event_attr attr = PERF_SW(DUMMY,
		.sample_type = PERF_SAMPLE_CALLCHAIN, .sample_period = 1);
	long depth, contexts, back;
	int fd;

	ASSERT_EQ(0, file_read_long(SYSCTL "perf_event_max_stack", &depth));
	ASSERT_EQ(0, file_read_long(SYSCTL "perf_event_max_contexts_per_stack",
				    &contexts));
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EBUSY, try_value("perf_event_max_stack", "64", &back));
	EXPECT_EQ(depth, back);
	EXPECT_EQ(-EBUSY, try_value("perf_event_max_contexts_per_stack", "4",
				    &back));
	EXPECT_EQ(contexts, back);
	close(fd);
	EXPECT_EQ(0, try_value("perf_event_max_stack", "64", &back));
	EXPECT_EQ(0, file_write_long(SYSCTL "perf_event_max_stack", depth));
}

TEST(modes)
{
	static const char *const names[] = {
		"perf_event_paranoid", "perf_event_mlock_kb",
		"perf_event_max_sample_rate", "perf_cpu_time_max_percent",
		"perf_event_max_stack", "perf_event_max_contexts_per_stack",
	};
	char path[128];
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), SYSCTL "%s", names[i]);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(0644, st.st_mode & 07777);
		EXPECT_EQ(0, st.st_uid);
	}
}

/* /sys/bus/event_source */

TEST(types)
{
	EXPECT_EQ(PERF_TYPE_SOFTWARE, pmu_type("software"));
	EXPECT_EQ(PERF_TYPE_TRACEPOINT, pmu_type("tracepoint"));
	if (pmu_type("breakpoint") >= 0)	/* there are debug registers */
		EXPECT_EQ(PERF_TYPE_BREAKPOINT, pmu_type("breakpoint"));
}

TEST(dynamic_types_are_above_the_fixed)
{
	EXPECT_LE(PERF_TYPE_MAX, pmu_type("kprobe"));
	EXPECT_LE(PERF_TYPE_MAX, pmu_type("uprobe"));
	EXPECT_NE(pmu_type("kprobe"), pmu_type("uprobe"));
}

TEST(probe_formats)
{
	char text[64];

	ASSERT_LT(0, file_read(DEVICES "kprobe/format/retprobe", text,
			       sizeof(text)));
	EXPECT_STREQ("config:0\n", text);
	ASSERT_LT(0, file_read(DEVICES "uprobe/format/retprobe", text,
			       sizeof(text)));
	EXPECT_STREQ("config:0\n", text);
	ASSERT_LT(0, file_read(DEVICES "uprobe/format/ref_ctr_offset", text,
			       sizeof(text)));
	EXPECT_STREQ("config:32-63\n", text);
}

TEST(device_files)
{
	static const char *const files[] = {
		"type", "perf_event_mux_interval_ms", "uevent", "subsystem",
	};
	static const char *const pmus[] = {
		"software", "tracepoint", "breakpoint",
	};
	char path[128], target[PATH_MAX] = "";
	struct stat st;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		if (!strcmp(pmus[i], "breakpoint") && pmu_type("breakpoint") < 0)
			continue;
		for (k = 0; k < ARRAY_SIZE(files); k++) {
			snprintf(path, sizeof(path), DEVICES "%s/%s", pmus[i],
				 files[k]);
			EXPECT_EQ(0, stat(path, &st)) {
				TH_LOG("%s is missing", path);
			}
		}
		snprintf(path, sizeof(path), DEVICES "%s/type", pmus[i]);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(0444, st.st_mode & 0777);
		snprintf(path, sizeof(path),
			 DEVICES "%s/perf_event_mux_interval_ms", pmus[i]);
		ASSERT_EQ(0, stat(path, &st));
		EXPECT_EQ(0644, st.st_mode & 0777);
		/* Not a fixed-function PMU of some CPUs. */
		snprintf(path, sizeof(path), DEVICES "%s/cpumask", pmus[i]);
		EXPECT_NE(0, stat(path, &st));
		snprintf(path, sizeof(path), DEVICES "%s", pmus[i]);
		ASSERT_LT(0, readlink(path, target, sizeof(target) - 1));
	}
}

TEST(mux_interval)
{
	static const char path[] = DEVICES
		"tracepoint/perf_event_mux_interval_ms";
	long saved, back;

	ASSERT_EQ(0, file_read_long(path, &saved));
	EXPECT_LT(0, saved);
	EXPECT_EQ(0, file_write_long(path, 7));
	ASSERT_EQ(0, file_read_long(path, &back));
	EXPECT_EQ(7, back);
	/* Write the same value again. */
	EXPECT_EQ(0, file_write_long(path, 7));
	EXPECT_EQ(-EINVAL, file_write_long(path, 0));
	EXPECT_EQ(-EINVAL, file_write_long(path, -1));
	EXPECT_EQ(-EINVAL, file_write(path, "soon"));
	ASSERT_EQ(0, file_read_long(path, &back));
	EXPECT_EQ(7, back);
	EXPECT_EQ(0, file_write_long(path, saved));
}

TEST_HARNESS_MAIN
