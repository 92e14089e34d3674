// SPDX-License-Identifier: GPL-2.0
/*
 * What an emulated x86 PMU counts on a machine with the number of executed instructions as its time
 * (x86_pmu_emulator_clock=instructions): loops of known length, user mode and the kernel apart,
 * other events at their rates, overflows, and RDPMC.
 *
 * The emulator counts some instructions of each entry into the kernel in user mode, so counts of
 * user mode are exact to 0.1 %.
 */
#include <fcntl.h>

#include "../lib/buffer.h"
#include "../lib/hardware.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/user_access.h"

#ifdef __x86_64__

/* Instructions of user mode around two system calls that enable and disable an event. */
#define AROUND		500

FIXTURE(counted)
{
};

FIXTURE_SETUP(counted)
{
	if (!emulator_counts_instructions())
		SKIP(return, "no emulated machine that counts executed instructions");
}

FIXTURE_TEARDOWN(counted)
{
}

static struct perf_event_attr user(__u64 id)
{
	return PERF_ATTR(PERF_TYPE_HARDWARE, id, .exclude_kernel = 1, .exclude_hv = 1,
			 .disabled = 1);
}

/* The count of a loop of so many instructions. */
static __u64 count_loop(int fd, __u64 instructions)
{
	perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	perf_enable(fd);
	spin(instructions / 2);
	perf_disable(fd);
	return perf_count(fd);
}

/* Interrupts and switches add some instructions. */
static bool is_counted(struct __test_metadata *_metadata, int fd, __u64 length)
{
	__u64 value = count_loop(fd, length);

	TH_LOG("%llu instructions: %llu", length, value);
	EXPECT_LE(length, value);
	return value <= length + length / 1000;
}

TEST_F(counted, loop_has_its_length)
{
	static const __u64 lengths[] = { 1000000, 3000000, 10000000, 50000000 };
	int fd = perf_open_self(user(PERF_COUNT_HW_INSTRUCTIONS));
	size_t i;

	ASSERT_LE(0, fd);
	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, is_counted(_metadata, fd, lengths[i])));
}

TEST_F(counted, short_loop_has_its_length)
{
	int fd = perf_open_self(user(PERF_COUNT_HW_INSTRUCTIONS));
	__u64 value;

	ASSERT_LE(0, fd);
	value = count_loop(fd, 1000);
	EXPECT_LE(1000, value);
	EXPECT_GE(1000 + AROUND, value);
}

/* Events of a group, each at its rate per 1024 ticks, of which an instruction has two. */
TEST_F(counted, events_have_their_rates)
{
	static const struct {
		__u64 id;
		__u64 rate;
	} rates[] = {
		{ PERF_COUNT_HW_CPU_CYCLES, 1024 },
		{ PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 128 },
		{ PERF_COUNT_HW_BRANCH_MISSES, 4 },
	};
	__u64 length = 10000000, value, due;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		fd = perf_open_self(user(rates[i].id));
		ASSERT_LE(0, fd);
		value = count_loop(fd, length);
		due = length * 2 * rates[i].rate / 1024;
		EXPECT_LE(due, value);
		EXPECT_GE(due + due / 1000, value);
		close(fd);
	}
}

/* Counts of one time: of user mode, of the kernel, and of both. */
struct modes {
	__u64 user;
	__u64 kernel;
	__u64 both;
};

static int count_modes(struct modes *m, int calls, unsigned long turns)
{
	struct perf_event_attr attr = user(PERF_COUNT_HW_INSTRUCTIONS);
	struct {
		__u64 nr;
		struct modes modes;
	} group;
	int fd[3], i;

	attr.read_format = PERF_FORMAT_GROUP;
	for (i = 0; i < 3; i++) {
		attr.disabled = i == 0;
		attr.exclude_kernel = i == 0;
		attr.exclude_user = i == 1;
		fd[i] = perf_open(attr, 0, -1, i ? fd[0] : -1);
		if (fd[i] < 0)
			return fd[i];
	}
	perf_enable(fd[0]);
	while (calls--)
		getppid();
	if (turns)
		spin(turns);
	perf_disable(fd[0]);
	i = read(fd[0], &group, sizeof(group));
	*m = group.modes;
	perf_close_all(fd, 3);
	return i == sizeof(group) ? 0 : -EIO;
}

TEST_F(counted, modes_are_apart)
{
	struct modes idle, calls, loop;

	/* Without global control they are enabled one by one. */
	__u64 slack = turned_on_one_by_one() ? 20000 : 3;

	if (emulator_is_hostile())
		SKIP(return, "time passes in the kernel");
	ASSERT_EQ(0, count_modes(&idle, 0, 0));
	ASSERT_EQ(0, count_modes(&calls, 1000, 0));
	ASSERT_EQ(0, count_modes(&loop, 0, 5000000));
	TH_LOG("nothing: %llu user, %llu kernel", idle.user, idle.kernel);
	TH_LOG("1000 calls: %llu user, %llu kernel", calls.user, calls.kernel);
	TH_LOG("a loop: %llu user, %llu kernel", loop.user, loop.kernel);
	EXPECT_LE(loop.both, loop.user + loop.kernel + slack);
	EXPECT_GE(loop.both + slack, loop.user + loop.kernel);
	EXPECT_LE(calls.both, calls.user + calls.kernel + slack);
	EXPECT_GE(calls.both + slack, calls.user + calls.kernel);

	/* The loop is all in user mode; the kernel has a tick each million instructions. */
	EXPECT_LE(10000000, loop.user);
	EXPECT_GE(10010000, loop.user);
	EXPECT_GE(500000, loop.kernel);
	/* The shortest system call has fewer than 300 instructions in the kernel. */
	EXPECT_LT(20 * 1000, calls.kernel - idle.kernel);
	EXPECT_GT(500 * 1000, calls.kernel - idle.kernel);
	EXPECT_GT(300 * 1000, calls.user - idle.user);
}

/* 200 ms are 100,000,000 instructions. */
static bool counts_few_asleep(struct __test_metadata *_metadata, int fd)
{
	__u64 before = perf_count(fd), counted;

	perf_enable(fd);
	sleep_ms(200);
	perf_disable(fd);
	counted = perf_count(fd) - before;
	EXPECT_LT(0, counted);
	TH_LOG("%llu", counted);
	return counted < 5000000;
}

/*
 * A task that sleeps executes nothing, and neither does the CPU that it leaves idle. In some
 * try no other task of the machine runs on that CPU for long.
 */
TEST_F(counted, idle_time_does_not_count)
{
	struct perf_event_attr attr = user(PERF_COUNT_HW_INSTRUCTIONS);
	int fd;

	attr.exclude_kernel = 0;
	fd = perf_open(attr, -1, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(IN_SOME_TRY(FIT_TRIES, counts_few_asleep(_metadata, fd)));
}

/* Overflows */

static int nr_signals;

static void on_sigio(int signal)
{
	__atomic_add_fetch(&nr_signals, 1, __ATOMIC_RELAXED);
}

static void each_period_is_a_signal(struct __test_metadata *_metadata, __u64 id, __u64 period)
{
	struct perf_event_attr attr = user(id);
	struct perf_listener l;
	__u64 due, nr;

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	ASSERT_EQ(0, perf_listen_self(&l, attr));
	ASSERT_EQ(0, fcntl(l.fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(l.fd, F_SETFL, O_ASYNC));
	__atomic_store_n(&nr_signals, 0, __ATOMIC_RELAXED);
	perf_enable(l.fd);
	spin(10000000);
	perf_disable(l.fd);
	due = perf_count(l.fd) / period;
	TH_LOG("event %llu, period %llu: %llu periods", id, period, due);
	EXPECT_LT(0, due);
	/* The last NMI may be due when the event is disabled. Its sample comes later. */
	nr = __atomic_load_n(&nr_signals, __ATOMIC_RELAXED);
	if (emulator_is_hostile() && nr + 1 == due)
		due--;
	EXPECT_EQ(due, nr);
	while (perf_listen_next(&l)) {
		EXPECT_EQ(PERF_RECORD_SAMPLE, l.header->type);
		EXPECT_EQ(period, l.rec.period);
		EXPECT_TRUE(emulator_is_hostile() || PERF_RECORD_MISC_USER ==
			    (l.header->misc & PERF_RECORD_MISC_CPUMODE_MASK));
		due--;
	}
	EXPECT_EQ(0, due);
	EXPECT_EQ(0, perf_listen_end(&l));
}

TEST_F(counted, each_period_is_one_signal)
{
	/* Not so many per second that the event is throttled. */
	static const __u64 periods[] = { 200000, 333333, 1000000, 3000000 };
	size_t i;

	perf_raise_sample_rate();
	signal(SIGIO, on_sigio);
	for (i = 0; i < sizeof(periods) / sizeof(*periods); i++) {
		each_period_is_a_signal(_metadata, PERF_COUNT_HW_INSTRUCTIONS, periods[i]);
		each_period_is_a_signal(_metadata, PERF_COUNT_HW_CPU_CYCLES, periods[i]);
	}
}

/* RDPMC. Between the two there are only the instructions of a function's end and of a call. */
TEST_F(counted, rdpmc_equals_read)
{
	struct perf_event_attr attr = user(PERF_COUNT_HW_INSTRUCTIONS);
	__u64 by_page = 0, by_call, page_before = 0, call_before;
	struct perf_buf buf;
	int fd, i;

	attr.disabled = 0;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 0));
	ASSERT_TRUE(read_self(buf.meta, &page_before));
	call_before = perf_count(fd);
	for (i = 0; i < 20; i++) {
		spin(5000000);
		ASSERT_TRUE(read_self(buf.meta, &by_page));
		by_call = perf_count(fd);
		ASSERT_LT(by_page, by_call);
		ASSERT_GT(by_page + AROUND, by_call);
		EXPECT_LE(10000000, by_page - page_before);
		EXPECT_GE(10010000, by_page - page_before);
		EXPECT_LE(10000000, by_call - call_before);
		EXPECT_GE(10010000, by_call - call_before);
		page_before = by_page;
		call_before = by_call;
	}
}

#else /* !__x86_64__ */

TEST(counted)
{
	SKIP(return, "x86 only");
}

#endif

TEST_HARNESS_MAIN
