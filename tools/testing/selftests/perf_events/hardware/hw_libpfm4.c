// SPDX-License-Identifier: GPL-2.0
/*
 * Events by their names in libpfm4: perf's own, and the CPU's, with event select values
 * from the tables of libpfm4. The library encodes the names. The test opens the events,
 * and compares their counts with the expected ones.
 *
 * Without the library the tests are skipped.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef HAVE_LIBPFM4

/* the library has an older copy of the kernel's header */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

#define CALLS	2000
#define TURNS	1000000UL

/* The vendors' names. The last is NULL. */
static const char * const instruction_names[] = {
	"RETIRED_INSTRUCTIONS", "INSTRUCTIONS_RETIRED", "INSTRUCTION_RETIRED",
	"INST_RETIRED", NULL
};

static const char * const cycle_names[] = {
	"CYCLES_NOT_IN_HALT", "CPU_CLK_UNHALTED", "UNHALTED_CORE_CYCLES", "CPU_CYCLES", NULL
};

static int encode(const char *name, struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };

	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	return pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3,
					 PFM_OS_PERF_EVENT, &arg);
}

/*
 * Encode the first of the names that is an event of this CPU. Returns false without
 * any.
 */
static bool encode_native(const char * const *names, const char *modes,
			  struct perf_event_attr *attr)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	char name[64];

	for (; *names; names++) {
		snprintf(name, sizeof(name), "%s%s", *names, modes);
		if (encode(name, attr) == PFM_SUCCESS)
			break;
	}
	return *names &&
	       pfm_get_event_info(pfm_find_event(*names), PFM_OS_NONE,
				  &event) == PFM_SUCCESS &&
	       pfm_get_pmu_info(event.pmu, &pmu) == PFM_SUCCESS &&
	       pmu.type == PFM_PMU_TYPE_CORE;
}

struct group_counts {
	__u64 nr;
	__u64 value[2];
};

/* Count a load in both modes. The group's leader comes first. */
static bool count_group(int leader, struct group_counts *out)
{
	perf_ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	perf_enable(leader);
	spin_and_call(CALLS);
	perf_disable(leader);
	return read(leader, out, sizeof(*out)) == sizeof(*out) && out->nr == 2;
}

/* Nearly equal. The counters are not read at the same time. */
static bool cycles_fit(__u64 cycles, __u64 count)
{
	return count && cycles * 49 / 50 <= count && count <= cycles * 51 / 50;
}

/*
 * Check that an event beside cycles counts so. Returns a negative errno without the
 * event.
 */
static int counts(struct __test_metadata *_metadata, struct perf_event_attr attr,
		  bool (*fit)(__u64, __u64))
{
	struct perf_event_attr cycles;
	struct group_counts group = { };
	bool fits = false;
	int leader, fd;

	if (encode("perf::CYCLES", &cycles) != PFM_SUCCESS)
		return -ENOENT;
	cycles.read_format = PERF_FORMAT_GROUP;
	cycles.disabled = 1;
	leader = perf_open_self(cycles);
	if (leader < 0)
		return leader;
	fd = perf_open(attr, 0, -1, leader);
	if (fd >= 0)
		fits = IN_SOME_TRY(FIT_TRIES, count_group(leader, &group) &&
				   fit(group.value[0], group.value[1]));
	if (fd >= 0 && !fits)
		printf("# %llu cycles, counted %llu\n", group.value[0], group.value[1]);
	close(leader);
	if (fd < 0)
		return fd;
	close(fd);
	return fits;
}

FIXTURE(libpfm4)
{
};

FIXTURE_SETUP(libpfm4)
{
	const char *reason = no_pmu();

	if (reason)
		SKIP(return, "%s", reason);
	ASSERT_EQ(PFM_SUCCESS, pfm_initialize());
}

FIXTURE_TEARDOWN(libpfm4)
{
	pfm_terminate();
}

TEST_F(libpfm4, names_of_perf)
{
	struct perf_event_attr attr;

	ASSERT_EQ(PFM_SUCCESS, encode("perf::INSTRUCTIONS", &attr));
	EXPECT_EQ(PERF_TYPE_HARDWARE, attr.type);
	EXPECT_EQ(PERF_COUNT_HW_INSTRUCTIONS, attr.config);
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	EXPECT_EQ(1, counts(_metadata, attr, instructions_fit));
}

TEST_F(libpfm4, names_of_the_cpu)
{
	struct perf_event_attr attr;

	if (!encode_native(cycle_names, "", &attr))
		SKIP(return, "libpfm4 does not know this CPU");
	EXPECT_NE(PERF_TYPE_HARDWARE, attr.type);
	EXPECT_EQ(1, counts(_metadata, attr, cycles_fit));

	ASSERT_TRUE(encode_native(instruction_names, "", &attr));
	EXPECT_NE(PERF_TYPE_HARDWARE, attr.type);
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	EXPECT_EQ(1, counts(_metadata, attr, instructions_fit));
}

/* Two instructions per turn, and those between two system calls. */
TEST_F(libpfm4, a_loop_by_the_cpus_name)
{
	struct perf_event_attr attr;
	__u64 count;
	int fd;

	if (pmu_is_emulated())
		SKIP(return, "the emulated PMU counts by the clock");
	if (!encode_native(instruction_names, ":u", &attr))
		SKIP(return, "libpfm4 does not know this CPU");
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	EXPECT_NE(PERF_TYPE_HARDWARE, attr.type);
	EXPECT_EQ(1, attr.exclude_kernel + 0);
	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_enable(fd));
	spin(TURNS);
	ASSERT_EQ(0, perf_disable(fd));
	count = perf_count(fd);
	EXPECT_LE(2 * TURNS, count);
	EXPECT_GE(2 * TURNS + 1000, count);
}

TEST_F(libpfm4, modes)
{
	struct perf_event_attr attr;
	int fd;

	ASSERT_EQ(PFM_SUCCESS, encode("perf::CYCLES:u", &attr));
	EXPECT_EQ(1, attr.exclude_kernel + 0);
	EXPECT_EQ(0, attr.exclude_user + 0);
	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_enable(fd));
	spin_and_call(CALLS);
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_LT(0, perf_count(fd));
}

/* A period in the name makes the event a sampling one. */
TEST_F(libpfm4, period)
{
	pfm_perf_encode_arg_t arg = { .size = sizeof(arg) };
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	arg.attr = &attr;
	ASSERT_EQ(PFM_SUCCESS,
		  pfm_get_os_event_encoding("perf::CYCLES:period=1000000", PFM_PLM3,
					    PFM_OS_PERF_EVENT_EXT, &arg));
	EXPECT_EQ(1000000, attr.sample_period);
	fd = perf_open_self(attr);
	EXPECT_LE(0, fd);
}

#else /* !HAVE_LIBPFM4 */

TEST(libpfm4)
{
	SKIP(return, "built without libpfm4");
}

#endif

TEST_HARNESS_MAIN
