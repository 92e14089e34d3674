// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults of perf_event_open(2) and of ioctls, each named after its CVE
 * or after what went wrong: groups over several hardware PMUs, periods that are not checked,
 * permissions that are checked too early or at the wrong level.
 */
#include <linux/capability.h>
#include <sys/socket.h>

#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"
#include "../lib/user.h"

/* A. Attribute and arguments */

/*
 * A PMU's validation took the members of another hardware PMU for its own.
 * Fails if perf_group_join_fault() does not compare the PMUs of the members.
 */
TEST(cve_2015_8955_group_over_hardware_pmus)
{
	struct perf_event_attr cycles = PERF_ATTR(PERF_TYPE_HARDWARE,
						  PERF_COUNT_HW_CPU_CYCLES);
	struct perf_event_attr fake;
	int leader, member, software;

	SKIP_WITHOUT_FAKE();
	fake = fake_attr("poke");
	if (perf_try_self(cycles) == -ENOENT)
		SKIP(return, "no PMU with a cycle counter");
	leader = perf_open_self(cycles);
	ASSERT_LE(0, leader);
	EXPECT_EQ(-EINVAL, perf_open(fake, 0, -1, leader));

	leader = perf_open_self(fake);
	ASSERT_LE(0, leader);
	EXPECT_EQ(-EINVAL, perf_open(cycles, 0, -1, leader));

	/* The same behind a software leader, in both orders. */
	software = perf_open_self(PERF_SW(TASK_CLOCK));
	member = perf_open(fake, 0, -1, software);
	ASSERT_LE(0, member);
	EXPECT_EQ(-EINVAL, perf_open(cycles, 0, -1, software));
	software = perf_open_self(PERF_SW(TASK_CLOCK));
	member = perf_open(cycles, 0, -1, software);
	ASSERT_LE(0, member);
	EXPECT_EQ(-EINVAL, perf_open(fake, 0, -1, software));
	EXPECT_LE(0, perf_open(cycles, 0, -1, software));
}

static int change_period(int fd, __u64 period)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

/*
 * PERF_EVENT_IOC_PERIOD took values that perf_event_open(2) refuses.
 * Fails if perf_event_set_period() does not call perf_period_check().
 */
TEST(ioc_period_unchecked)
{
	int period = perf_open_self(PERF_SW(CPU_CLOCK, .sample_period = 1000000));
	int freq = perf_open_self(PERF_SW(PAGE_FAULTS, .freq = 1, .sample_freq = 100));
	int plain = perf_open_self(PERF_SW(CPU_CLOCK));
	long limit;

	ASSERT_LE(0, period);
	ASSERT_LE(0, freq);
	ASSERT_LE(0, plain);
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &limit));
	EXPECT_EQ(-EINVAL, change_period(period, 0));
	EXPECT_EQ(-EINVAL, change_period(period, 1ULL << 63));
	EXPECT_EQ(-EINVAL, change_period(period, ~0ULL));
	EXPECT_EQ(0, change_period(period, (1ULL << 63) - 1));
	EXPECT_EQ(-EINVAL, change_period(freq, 0));
	EXPECT_EQ(-EINVAL, change_period(freq, limit + 1)) {
		TH_LOG("limit %ld", limit);
	}
	EXPECT_EQ(-EINVAL, change_period(freq, ~0ULL));
	EXPECT_EQ(0, change_period(freq, 200));
	EXPECT_EQ(-EINVAL, change_period(plain, 1000));
	EXPECT_EQ(-EFAULT, perf_ioctl(period, PERF_EVENT_IOC_PERIOD, 8));
}

/* B. Permissions */

/* The level of permissions, which the tests change. */
FIXTURE(level)
{
	long before;
};

FIXTURE_SETUP(level)
{
	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, file_read_long(PARANOID, &self->before));
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(level)
{
	user_setuid_program_remove();
	file_write_long(PARANOID, self->before);
}

static int try_function_tracer(struct perf_event_attr attr, __u64 caps)
{
	pid_t child = fork_child();

	if (child == 0)
		_exit(user_become(USER_NOBODY, caps) ? 250 :
		      -perf_try_self(attr));
	return -wait_status(child);
}

/*
 * Function tracing shows each function that the kernel calls. It needs what raw data of
 * tracepoints needs.
 * Fails if the trace events do not call perf_allow_tracepoint().
 */
TEST_F(level, cve_2013_2930_function_tracer_at_wrong_level)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT,
		tracepoint_id("ftrace/function"), .disabled = 1,
		.exclude_kernel = 1);
	long level;

	if (tracepoint_id("ftrace/function") < 0)
		SKIP(return, "needs the function tracer");
	for (level = -1; level <= 2; level++) {
		ASSERT_EQ(0, file_write_long(PARANOID, level));
		EXPECT_EQ(level > -1 ? -EPERM : 0, try_function_tracer(attr, 0)) {
			TH_LOG("perf_event_paranoid %ld", level);
		}
		EXPECT_EQ(0, try_function_tracer(attr, USER_CAP(CAP_PERFMON)));
	}
}

#define RACERS		64	/* events of one exec */
#define RACES		30

/*
 * Open events of the task until it is refused; each open is a round, for which the task waits
 * before its exec. Return: the number of events.
 */
static int open_until_refused(pid_t victim, int *fd, struct rounds *opens)
{
	int nr = 0, ret;

	for (;;) {
		ret = perf_open(PERF_SW(PAGE_FAULTS, .exclude_kernel = 1), victim, -1, -1);
		if (ret < 0) {
			rounds_end(opens);
			return ret == -EACCES ? nr : ret;
		}
		rounds_add(opens);
		/* Older events are closed, so that the number stays small. */
		if (nr < RACERS)
			fd[nr++] = ret;
		else
			close(dup3(ret, fd[nr++ % RACERS], O_CLOEXEC) < 0 ? -1 : ret);
	}
}

/* Opens events of a task while the task executes a program with more rights. */
static int watch_exec_of(const char *program)
{
	struct user_program run = user_program_new();
	struct rounds *opens = rounds_shared();
	static __u64 before[RACERS];
	static int fd[RACERS];
	int nr, i, status = 0;
	pid_t victim;

	victim = fork_child();
	if (victim == 0) {
		/* The first event is there: the exec races with the next ones. */
		while (!atomic_load(&opens->done) && !atomic_load(&opens->ended))
			sched_yield();
		user_program_exec(&run, program);
	}
	nr = open_until_refused(victim, fd, opens);
	if (nr < 1)
		return 10;
	nr = nr < RACERS ? nr : RACERS;
	if (!user_program_begun(&run))
		return 11;
	for (i = 0; i < nr; i++)
		before[i] = perf_count(fd[i]);
	if (!user_program_faults(&run, 200))
		return 12;
	for (i = 0; i < nr; i++) {
		if (perf_count(fd[i]) != before[i])
			status = 13;
		close(fd[i]);
	}
	user_program_end(&run);
	return wait_status(victim) ? 14 : status;
}

/*
 * The permission to trace a task was checked before it executed a setuid program, and the
 * event installed after that: it counted the program.
 * Fails if perf_open_reach() does not hold exec_update_lock, and sleeps after
 * perf_open_may_watch().
 */
TEST_F(level, cve_2019_3901_open_races_exec)
{
	char program[64];
	pid_t child;
	int i;

	ASSERT_EQ(0, user_setuid_program(program, sizeof(program)));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	for (i = 0; i < RACES; i++) {
		child = fork_child();
		if (child == 0)
			_exit(user_become(USER_NOBODY, 0) ? 250 : watch_exec_of(program));
		EXPECT_EQ(0, wait_status(child));
	}
}

int main(int argc, char **argv)
{
	user_program_main(argc, argv);
	return test_harness_run(argc, argv);
}
