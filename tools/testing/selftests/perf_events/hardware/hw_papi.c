// SPDX-License-Identifier: GPL-2.0
/*
 * Counting and sampling through PAPI, a library that profilers use. It has its own
 * names for events that CPUs have in common, reads counters in user space where it can,
 * and gets overflows by signals.
 *
 * Without the library the tests are skipped.
 */
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#ifdef HAVE_PAPI
#include <papi.h>

#define PERIOD		10000000
#define CALLS		2000
#define TURNS		1000000UL

static volatile int overflows;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	overflows++;
}

/*
 * If its libpfm4 does not support the CPU's PMU, PAPI has no perf events at all, not even
 * generic ones.
 */
static bool knows_no_pmu(void)
{
	int id = PAPI_get_component_index("perf_event");
	const PAPI_component_info_t *info = PAPI_get_component_info(id);

	return info && info->disabled && strstr(info->disabled_reason, "no default PMU");
}

/* A new set with one event, or a negative error of PAPI. */
static int new_set(const char *name)
{
	int set = PAPI_NULL, err;

	err = PAPI_create_eventset(&set);
	if (err == PAPI_OK)
		err = PAPI_add_named_event(set, name);
	return err == PAPI_OK ? set : err;
}

/* Count cycles and instructions. Returns true if they can be of the same time. */
static bool count_both(struct __test_metadata *_metadata, int set, long long *values)
{
	ASSERT_EQ(PAPI_OK, PAPI_start(set));
	spin_and_call(CALLS);
	ASSERT_EQ(PAPI_OK, PAPI_stop(set, values));
	return instructions_fit(values[0], values[1]);
}

static void expect_both(struct __test_metadata *_metadata, int set)
{
	long long values[2];

	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, count_both(_metadata, set, values))) {
		TH_LOG("%lld cycles, %lld instructions", values[0], values[1]);
	}
}

static bool count_loop(int set, unsigned long turns, long long *count)
{
	if (PAPI_start(set) != PAPI_OK)
		return false;
	spin(turns);
	return PAPI_stop(set, count) == PAPI_OK;
}

FIXTURE(papi)
{
	long paranoid;
};

FIXTURE_SETUP(papi)
{
	const char *reason = no_pmu();

	if (reason)
		SKIP(return, "%s", reason);
	/* PAPI checks the number itself, not the rights of root. */
	ASSERT_EQ(0, file_read_long(PARANOID, &self->paranoid));
	ASSERT_EQ(0, file_write_long(PARANOID, 1));
	ASSERT_EQ(PAPI_VER_CURRENT, PAPI_library_init(PAPI_VER_CURRENT));
	if (knows_no_pmu()) {
		file_write_long(PARANOID, self->paranoid);
		SKIP(return, "PAPI knows no PMU of this CPU");
	}
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN_PARENT(papi)
{
	file_write_long(PARANOID, self->paranoid);
}

TEST_F(papi, names_of_perf)
{
	int set = new_set("perf::CYCLES");

	ASSERT_LE(0, set);
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	ASSERT_EQ(PAPI_OK, PAPI_add_named_event(set, "perf::INSTRUCTIONS"));
	expect_both(_metadata, set);
}

/* Event select values from PAPI's tables, for CPUs that PAPI supports. */
TEST_F(papi, names_of_its_own)
{
	int set = PAPI_NULL;

	if (PAPI_query_event(PAPI_TOT_CYC) != PAPI_OK ||
	    PAPI_query_event(PAPI_TOT_INS) != PAPI_OK)
		SKIP(return, "PAPI does not know this CPU");
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	ASSERT_EQ(PAPI_OK, PAPI_create_eventset(&set));
	ASSERT_EQ(PAPI_OK, PAPI_add_event(set, PAPI_TOT_CYC));
	ASSERT_EQ(PAPI_OK, PAPI_add_event(set, PAPI_TOT_INS));
	expect_both(_metadata, set);
}

/* The overhead of the library is the same for a loop of twice the length. */
TEST_F(papi, a_loop_by_its_own_name)
{
	long long once = 0, twice = 0;
	int set = PAPI_NULL;

	if (pmu_is_emulated())
		SKIP(return, "the emulated PMU counts by the clock");
	if (PAPI_query_event(PAPI_TOT_INS) != PAPI_OK)
		SKIP(return, "PAPI does not know this CPU");
	if (no_instructions())
		SKIP(return, "%s", no_instructions());
	ASSERT_EQ(PAPI_OK, PAPI_create_eventset(&set));
	ASSERT_EQ(PAPI_OK, PAPI_add_event(set, PAPI_TOT_INS));
	ASSERT_TRUE(count_loop(set, TURNS, &once));
	ASSERT_TRUE(count_loop(set, 2 * TURNS, &twice));
	EXPECT_LE(2 * TURNS - 100, twice - once);
	EXPECT_GE(2 * TURNS + 100, twice - once);
}

/*
 * Each read, in user space or not, returns more than the last, and stop returns the
 * most.
 */
TEST_F(papi, reads_while_it_counts)
{
	int set = new_set("perf::CYCLES"), i;
	long long last = 0, value = 0;

	ASSERT_LE(0, set);
	ASSERT_EQ(PAPI_OK, PAPI_start(set));
	for (i = 0; i < 100; i++) {
		spin(1000);
		ASSERT_EQ(PAPI_OK, PAPI_read(set, &value));
		ASSERT_LT(last, value);
		last = value;
	}
	ASSERT_EQ(PAPI_OK, PAPI_stop(set, &value));
	EXPECT_LE(last, value);

	ASSERT_EQ(PAPI_OK, PAPI_reset(set));
	ASSERT_EQ(PAPI_OK, PAPI_read(set, &value));
	EXPECT_EQ(0, value);
}

TEST_F(papi, overflows)
{
	int set = new_set("perf::CYCLES"), code = 0;
	long long value = 0;

	ASSERT_LE(0, set);
	ASSERT_EQ(PAPI_OK, PAPI_event_name_to_code((char *)"perf::CYCLES", &code));
	overflows = 0;
	ASSERT_EQ(PAPI_OK, PAPI_overflow(set, code, PERIOD, 0, on_overflow));
	ASSERT_EQ(PAPI_OK, PAPI_start(set));
	while (overflows < 10)
		spin_and_call(10);
	ASSERT_EQ(PAPI_OK, PAPI_stop(set, &value));
	EXPECT_LE(overflows, value / PERIOD + 1);
}

#else /* !HAVE_PAPI */

TEST(papi)
{
	SKIP(return, "built without PAPI");
}

#endif

TEST_HARNESS_MAIN
