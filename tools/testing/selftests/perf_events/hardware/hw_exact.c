// SPDX-License-Identifier: GPL-2.0
/*
 * Results that must be exact to the instruction, or nearly: the length of a loop,
 * counts that are scaled because of multiplexing, the shares of the time, and the
 * number of samples.
 *
 * A machine that counts instructions counts them exactly. QEMU does so if its time is
 * made of instructions (-icount) and there is one CPU. On x86 the emulator of a PMU counts them,
 * with some instructions of each entry into the kernel. Elsewhere the load of the host affects
 * the figures, so the tests are skipped there.
 */
#include <fcntl.h>

#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define MAX_EVENTS	256

/* Steady work, and its number of instructions. */
#define TURNS		1000000UL
#define LENGTH		(2 * TURNS)

static int fds[MAX_EVENTS];

static struct perf_event_attr user_instructions(void)
{
	return PERF_HW(INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1,
		       .read_format = PERF_ALL_TIMES);
}

FIXTURE(hw_exact)
{
};

/* QEMU has one number of instructions, to which all CPUs add. */
static bool counts_are_shared(void)
{
	char machine[64] = "";

	file_read("/sys/firmware/devicetree/base/compatible", machine, sizeof(machine));
	return !strcmp(machine, "linux,dummy-virt") && nth_cpu(1) >= 0;
}

FIXTURE_SETUP(hw_exact)
{
	if (no_pmu())
		SKIP(return, "%s", no_pmu());
	if ((pmu_is_emulated() && !emulator_counts_instructions()) ||
	    perf_try_self(user_instructions()))
		SKIP(return, "instructions are not counted");
	if (counts_are_shared())
		SKIP(return, "the emulator counts the instructions of all CPUs as one");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
}

FIXTURE_TEARDOWN(hw_exact)
{
}

/* A loop */

/* Whether two counts of the same instructions agree. */
static bool is_equal(__u64 one, __u64 other)
{
	__u64 difference = one < other ? other - one : one - other;

	return difference <= (pmu_is_emulated() ? other / 1000 : 0);
}

/* Not inlined, so that each call executes the same instructions. */
static __attribute__((noipa)) __u64 length_of(int fd, unsigned long turns)
{
	perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	perf_enable(fd);
	spin(turns);
	perf_disable(fd);
	return perf_timed_count(fd).value;
}

/* Interrupts come at different places, and are not counted. */
TEST_F(hw_exact, a_loop_is_as_long_each_time)
{
	struct perf_event_attr attr = user_instructions();
	__u64 first, twice;
	int fd, i;

	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	length_of(fd, 1000);
	first = length_of(fd, TURNS);
	for (i = 0; i < 20; i++)
		EXPECT_TRUE(is_equal(first, length_of(fd, TURNS)));
	twice = length_of(fd, 2 * TURNS);
	EXPECT_TRUE(is_equal(twice - first, LENGTH));
	/* From the end of one system call to the start of the next. */
	EXPECT_LE(LENGTH, first);
	EXPECT_TRUE(first <= LENGTH + 200 || is_equal(first, LENGTH));
}

TEST_F(hw_exact, a_loop_beside_other_tasks)
{
	struct perf_event_attr attr = user_instructions();
	pid_t child[3];
	__u64 first;
	int fd, i;

	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	first = length_of(fd, TURNS);
	for (i = 0; i < 3; i++) {
		child[i] = fork_child();
		if (child[i] == 0) {
			perf_open_self(user_instructions());
			for (;;) {
				spin(10000);
				sched_yield();
			}
		}
	}
	for (i = 0; i < 10; i++)
		EXPECT_TRUE(is_equal(first, length_of(fd, TURNS)));
	for (i = 0; i < 3; i++) {
		kill(child[i], SIGKILL);
		EXPECT_EQ(-SIGKILL, wait_status(child[i]));
	}
}

/* Overflows */

static int nr_signals;

static void on_sigio(int signal)
{
	__atomic_add_fetch(&nr_signals, 1, __ATOMIC_RELAXED);
}

/*
 * Of cycles: for overflows of event counters QEMU 7.2 raises the interrupt at the next
 * access.
 */
TEST_F(hw_exact, each_overflow_is_a_sample_and_a_signal)
{
	static const __u64 periods[] = { 20000, 100000, 1000000 };
	struct perf_event_attr attr = user_instructions();
	struct perf_listener l;
	__u64 due;
	size_t i;

	perf_raise_sample_rate();
	signal(SIGIO, on_sigio);
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.disabled = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		attr.sample_period = periods[i];
		ASSERT_EQ(0, perf_listen_self(&l, attr));
		ASSERT_EQ(0, fcntl(l.fd, F_SETOWN, getpid()));
		ASSERT_EQ(0, fcntl(l.fd, F_SETFL, O_ASYNC));
		__atomic_store_n(&nr_signals, 0, __ATOMIC_RELAXED);
		perf_enable(l.fd);
		spin(5 * TURNS);
		perf_disable(l.fd);
		due = perf_timed_count(l.fd).value / periods[i];
		EXPECT_LT(0, due);
		EXPECT_EQ(due, __atomic_load_n(&nr_signals, __ATOMIC_RELAXED));
		EXPECT_EQ(due, perf_listen_count(&l, PERF_RECORD_SAMPLE));
		EXPECT_EQ(0, perf_listen_end(&l));
	}
}

/* Once the period has been adjusted. */
TEST_F(hw_exact, as_many_samples_as_the_frequency_asks_for)
{
	struct perf_event_attr attr = HW_CYCLES(.freq = 1, .sample_freq = 4000);
	struct perf_listener l;
	int nr;

	perf_raise_sample_rate();
	ASSERT_EQ(0, perf_listen_self(&l, attr));
	burn_cpu(100 * NSEC_PER_MSEC);
	perf_listen_count(&l, PERF_RECORD_SAMPLE);
	burn_cpu(100 * NSEC_PER_MSEC);
	nr = perf_listen_count(&l, PERF_RECORD_SAMPLE);
	TH_LOG("%d samples in 100 ms at 4000 per second", nr);
	EXPECT_LE(360, nr);
	EXPECT_GE(440, nr);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* More events than counters */

/*
 * The i-th of four events: cycles and instructions, each of both modes and of user
 * mode.
 */
static struct perf_event_attr mixed(int i)
{
	struct perf_event_attr attr = user_instructions();

	if (i & 1)
		attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	else
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.exclude_kernel = !!(i & 2);
	attr.exclude_hv = !!(i & 2);
	attr.disabled = 1;
	return attr;
}

static int open_mixed(int *fd, int nr, bool pinned)
{
	int i;

	for (i = 0; i < nr; i++) {
		struct perf_event_attr attr = mixed(i);

		attr.pinned = pinned;
		fd[i] = perf_open_self(attr);
		if (fd[i] < 0)
			return fd[i];
	}
	return 0;
}

static double scaled(struct perf_timed t)
{
	return (double)t.value * t.enabled / t.running;
}

/*
 * The difference, in percent, between scaled counts and events that count all the time.
 */
static double worst_error(int nr, unsigned int ms)
{
	double worst = 0, error;
	int truth[4], i;

	if (open_mixed(truth, 4, true) || open_mixed(fds, nr, false))
		return -1;
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	burn_cpu(ms * NSEC_PER_MSEC);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (i = 0; i < nr; i++) {
		error = scaled(perf_timed_count(fds[i])) /
			scaled(perf_timed_count(truth[i & 3])) * 100 - 100;
		if (error < 0)
			error = -error;
		if (!(error <= worst))
			worst = error;
	}
	perf_close_all(truth, 4);
	perf_close_all(fds, nr);
	return worst;
}

TEST_F(hw_exact, scaled_counts_tell_the_truth)
{
	static const struct {
		int nr;
		unsigned int ms;
	} rows[] = {
		{ 4, 200 }, { 7, 200 }, { 16, 400 }, { 64, 1000 },
	};
	/* The four pinned events leave only two counters of some emulated PMUs. */
	size_t nr = ARRAY_SIZE(rows) - pmu_is_emulated(), i;
	double error, limit = pmu_is_emulated() ? 3 : 1;

	for (i = 0; i < nr; i++) {
		error = worst_error(rows[i].nr, rows[i].ms);
		TH_LOG("%d events: %.3f%% off at most", rows[i].nr, error);
		EXPECT_TRUE(error >= 0 && error <= limit);
	}
}

/* Shares */

static int rotation_ms(void)
{
	char path[256], text[32];
	const char *name = find_pmuv3();

	snprintf(path, sizeof(path), PMU_DEVICES "/%s/perf_event_mux_interval_ms",
		 name ? name : "cpu");
	return file_read(path, text, sizeof(text)) > 0 ? atoi(text) : 4;
}

/* The shortest and the longest time_running of nr equal events, in nanoseconds. */
static int shares(int nr, int rotations, __u64 *least, __u64 *most)
{
	struct perf_event_attr attr = mixed(0);
	int i;

	for (i = 0; i < nr; i++) {
		fds[i] = perf_open_self(attr);
		if (fds[i] < 0)
			return fds[i];
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	burn_cpu(rotations * rotation_ms() * NSEC_PER_MSEC);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	*least = ~0ULL;
	*most = 0;
	for (i = 0; i < nr; i++) {
		struct perf_timed t = perf_timed_count(fds[i]);

		*least = t.running < *least ? t.running : *least;
		*most = t.running > *most ? t.running : *most;
	}
	perf_close_all(fds, nr);
	return 0;
}

TEST_F(hw_exact, equal_events_have_equal_shares)
{
	__u64 least, most;

	SKIP_STOCK_FAULT(true, "some get twice what others get");
	ASSERT_EQ(0, shares(64, 60, &least, &most));
	TH_LOG("64 events, 60 rotations: %llu to %llu us", least / 1000, most / 1000);
	EXPECT_LE(most * 10, least * 11);
}

TEST_F(hw_exact, none_of_many_starves)
{
	__u64 least, most;

	SKIP_STOCK_FAULT(true, "some wait for ever");
	ASSERT_EQ(0, shares(256, 60, &least, &most));
	TH_LOG("256 events, 60 rotations: %llu to %llu us", least / 1000, most / 1000);
	EXPECT_LT(0, least);
}

TEST_HARNESS_MAIN
