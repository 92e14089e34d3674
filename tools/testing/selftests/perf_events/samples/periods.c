// SPDX-License-Identifier: GPL-2.0
/*
 * Each period of a software event, a tracepoint or a breakpoint that ends gives one sample, or one
 * that is counted as lost, while the event is disabled and enabled, and its task moves. So does
 * each period of an event that rotates.
 */
#include <linux/hw_breakpoint.h>
#include <sys/resource.h>

#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/periods.h"
#include "../lib/tracing.h"

#define TRACEPOINT	"syscalls/sys_enter_getpriority"

/* It ends within a round, and goes on in the next one. */
#define PERIOD		7

static __attribute__((noinline)) void executed(void)
{
	asm volatile("" : : : "memory");
}

static void fault(void)
{
	fault_pages(5);
}

static void call(void)
{
	for (int i = 0; i < 5; i++)
		getpriority(PRIO_PROCESS, 0);
}

static void execute(void)
{
	for (int i = 0; i < 5; i++)
		executed();
}

FIXTURE(periods)
{
	struct perf_limits limits;
};

/*
 * An event that is throttled has periods that end without a sample. A user cannot lift the limits,
 * and can run only those tests that have few samples.
 */
FIXTURE_SETUP(periods)
{
	int err = perf_lift_limits(&self->limits);

	ASSERT_TRUE(!err || err == -EACCES);
}

FIXTURE_TEARDOWN_PARENT(periods)
{
	perf_restore_limits(&self->limits);
}

static void each_gives_a_sample(struct __test_metadata *_metadata, struct perf_event_attr attr,
				void (*work)(void))
{
	struct perf_periods periods;

	for (int lossy = 0; lossy < 2; lossy++) {
		ASSERT_EQ(0, perf_periods_of(&periods, attr, work, lossy));
		EXPECT_LT(PERF_PERIODS_ROUNDS / 2, periods.ended);
		EXPECT_EQ(lossy, periods.lost > 0);
		EXPECT_EQ(periods.ended, periods.samples + periods.lost);
	}
}

TEST_F(periods, of_a_software_event)
{
	each_gives_a_sample(_metadata, PERF_SW(PAGE_FAULTS, .sample_period = PERIOD), fault);
}

TEST_F(periods, of_a_tracepoint)
{
	long id = tracepoint_id(TRACEPOINT);

	if (id < 0)
		SKIP(return, "no tracepoint, or not allowed");
	each_gives_a_sample(_metadata, PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
						 .sample_period = PERIOD), call);
}

TEST_F(periods, of_a_breakpoint)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0,
						.bp_type = HW_BREAKPOINT_X,
						.bp_len = sizeof(long),
						.bp_addr = (unsigned long)executed,
						.sample_period = PERIOD, .exclude_kernel = 1);

	if (perf_no_breakpoint(perf_try_self(attr)))
		SKIP(return, "no hardware breakpoints on this machine");
	each_gives_a_sample(_metadata, attr, execute);
}

static void poke(void)
{
	for (int i = 0; i < 10; i++) {
		fake_poke(20);
		burn_cpu(NSEC_PER_MSEC / 5);
	}
}

/* It loses its counter to others again and again, in the middle of a period. */
TEST_F(periods, of_an_event_that_rotates)
{
	int others[2 * FAKE_COUNTERS], nr;
	struct perf_event_attr attr;
	struct perf_periods periods;

	SKIP_WITHOUT_FAKE();
	attr = fake_attr("poke");
	attr.sample_period = PERIOD;
	for (nr = 0; nr < 2 * FAKE_COUNTERS; nr++) {
		others[nr] = perf_open_self(fake_attr("poke"));
		ASSERT_LE(0, others[nr]);
	}
	for (int lossy = 0; lossy < 2; lossy++) {
		ASSERT_EQ(0, perf_periods_of(&periods, attr, poke, lossy));
		EXPECT_TRUE(periods.rotated);
		EXPECT_LT(PERF_PERIODS_ROUNDS / 2, periods.ended);
		EXPECT_EQ(lossy, periods.lost > 0);
		EXPECT_EQ(periods.ended, periods.samples + periods.lost);
	}
	perf_close_all(others, nr);
	fake_prepare();
}

TEST_HARNESS_MAIN
