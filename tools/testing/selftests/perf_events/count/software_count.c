// SPDX-License-Identifier: GPL-2.0
/*
 * Counts of software events. They are exact where the number is known beforehand
 * (faults of fresh pages, migrations) or from another source in the kernel (switches in
 * getrusage()), and within bounds for the clocks.
 */
#include <pthread.h>
#include <signal.h>

#include "../lib/compat_elf.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define PAGES	100

/*
 * Faults. The pages of the process are resident, so only fresh pages fault. In the
 * first round the kernel does its own deferred work.
 */
static __u64 faults_of(struct __test_metadata *_metadata,
		       struct perf_event_attr attr, size_t pages)
{
	__u64 value = 0;
	int fd, round;
	void *p;

	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stay_resident());
	for (round = 0; round < 2; round++) {
		p = map_fresh_pages(pages);
		ASSERT_NE(NULL, p);
		ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
		ASSERT_EQ(0, perf_enable(fd));
		touch_pages(p, pages);
		ASSERT_EQ(0, perf_disable(fd));
		value = perf_count(fd);
		munmap(p, pages * sysconf(_SC_PAGESIZE));
	}
	close(fd);
	return value;
}

TEST(page_faults)
{
	EXPECT_EQ(PAGES, faults_of(_metadata, PERF_SW(PAGE_FAULTS), PAGES));
	EXPECT_EQ(1, faults_of(_metadata, PERF_SW(PAGE_FAULTS), 1));
	EXPECT_EQ(3000, faults_of(_metadata, PERF_SW(PAGE_FAULTS), 3000));
}

TEST(page_faults_minor)
{
	EXPECT_EQ(PAGES, faults_of(_metadata, PERF_SW(PAGE_FAULTS_MIN),
				   PAGES));
}

TEST(page_faults_major)
{
	EXPECT_EQ(0, faults_of(_metadata, PERF_SW(PAGE_FAULTS_MAJ), PAGES));
}

TEST(page_faults_exclude_user)
{
	EXPECT_EQ(0, faults_of(_metadata, PERF_SW(PAGE_FAULTS,
						  .exclude_user = 1), PAGES));
}

TEST(page_faults_exclude_kernel)
{
	EXPECT_EQ(PAGES, faults_of(_metadata, PERF_SW(PAGE_FAULTS,
						      .exclude_kernel = 1),
				   PAGES));
}

/* The kernel faults on behalf of the user while it fills a buffer. */
TEST(page_faults_of_kernel_mode)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1);
	size_t len = 16 * sysconf(_SC_PAGESIZE);
	int zero = open("/dev/zero", O_RDONLY);
	int all, user, kernel;
	void *p;

	all = perf_open_self(attr);
	attr.exclude_kernel = 1;
	user = perf_open(attr, 0, -1, all);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	kernel = perf_open(attr, 0, -1, all);
	ASSERT_LE(0, zero);
	ASSERT_LE(0, all);
	ASSERT_LE(0, user);
	ASSERT_LE(0, kernel);
	ASSERT_EQ(0, stay_resident());
	p = map_fresh_pages(16);
	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, perf_enable(user));
	ASSERT_EQ(0, perf_enable(kernel));
	ASSERT_EQ(0, perf_enable(all));
	EXPECT_EQ(len, read(zero, p, len));
	ASSERT_EQ(0, perf_disable(all));
	EXPECT_EQ(16, perf_count(all));
	EXPECT_EQ(0, perf_count(user));
	EXPECT_EQ(16, perf_count(kernel));
}

/* Eight events of one kind have the same count. */
TEST(same_event_many_times)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1);
	int fd[8], i;
	void *p = map_fresh_pages(PAGES);

	ASSERT_NE(NULL, p);
	for (i = 0; i < 8; i++) {
		attr.disabled = i == 0;
		fd[i] = perf_open(attr, 0, -1, i ? fd[0] : -1);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, perf_enable(fd[0]));
	touch_pages(p, 0);
	ASSERT_EQ(0, perf_disable(fd[0]));
	ASSERT_EQ(0, perf_ioctl(fd[0], PERF_EVENT_IOC_RESET,
				PERF_IOC_FLAG_GROUP));
	munmap(p, PAGES * sysconf(_SC_PAGESIZE));
	p = map_fresh_pages(PAGES);
	ASSERT_EQ(0, perf_enable(fd[0]));
	touch_pages(p, PAGES);
	ASSERT_EQ(0, perf_disable(fd[0]));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(PAGES, perf_count(fd[i]));
}

/* A task's event does not count the faults of another task. */
TEST(faults_of_other_task_only)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1);
	struct gate go = gate_new(), done = gate_new();
	pid_t child = fork_child();
	int mine, theirs;
	void *p;

	if (child == 0) {
		if (stay_resident())
			_exit(1);
		/* The first round maps what a child shares with its parent. */
		p = map_fresh_pages(PAGES);
		touch_pages(p, 1);
		gate_open(&done);
		gate_wait(&go);
		touch_pages((char *)p + sysconf(_SC_PAGESIZE), PAGES - 1);
		gate_open(&done);
		gate_wait(&go);
		_exit(0);
	}
	ASSERT_LT(0, child);
	ASSERT_EQ(0, stay_resident());
	gate_wait(&done);
	mine = perf_open_self(attr);
	theirs = perf_open(attr, child, -1, -1);
	ASSERT_LE(0, mine);
	ASSERT_LE(0, theirs);
	ASSERT_EQ(0, perf_enable(mine));
	ASSERT_EQ(0, perf_enable(theirs));
	gate_open(&go);
	gate_wait(&done);
	ASSERT_EQ(0, perf_disable(theirs));
	ASSERT_EQ(0, perf_disable(mine));
	EXPECT_EQ(PAGES - 1, perf_count(theirs));
	EXPECT_EQ(0, perf_count(mine));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
}

/*
 * Switches. getrusage() counts them, too. The measurement is repeated when a switch
 * happened between getrusage() and enabling or disabling the event.
 */
static bool at_steady_switches(int fd, unsigned long request, long *switches)
{
	*switches = switches_of(RUSAGE_THREAD);
	return perf_ioctl(fd, request, 0) == 0 &&
	       switches_of(RUSAGE_THREAD) == *switches;
}

/* Count the switches of both. Returns false if the measurement must be repeated. */
static bool count_switches(struct __test_metadata *_metadata, int fd, struct gate *to,
			   struct gate *from, long *switches)
{
	long start, end;
	int i;

	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0));
	if (!at_steady_switches(fd, PERF_EVENT_IOC_ENABLE, &start)) {
		perf_disable(fd);
		return false;
	}
	for (i = 0; i < 500; i++) {
		gate_open(to);
		gate_wait(from);
	}
	if (!at_steady_switches(fd, PERF_EVENT_IOC_DISABLE, &end))
		return false;
	*switches = end - start;
	return true;
}

TEST(context_switches)
{
	int fd = perf_open_self(PERF_SW(CONTEXT_SWITCHES, .disabled = 1));
	struct gate to = gate_new(), from = gate_new();
	long switches = -1;
	pid_t child;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	child = echo_child(&to, &from);
	ASSERT_LT(0, child);
	ASSERT_TRUE(IN_SOME_TRY(20, count_switches(_metadata, fd, &to, &from, &switches)));
	EXPECT_LE(500, perf_count(fd));
	EXPECT_EQ(switches, perf_count(fd));
	kill_child(child);
}

/* Switches happen in the kernel. */
TEST(context_switches_excluded)
{
	int all = perf_open_self(PERF_SW(CONTEXT_SWITCHES));
	int user = perf_open_self(PERF_SW(CONTEXT_SWITCHES,
					  .exclude_kernel = 1));
	int kernel = perf_open_self(PERF_SW(CONTEXT_SWITCHES,
					    .exclude_user = 1));

	ASSERT_LE(0, all);
	ASSERT_LE(0, user);
	ASSERT_LE(0, kernel);
	switch_out(20);
	EXPECT_LE(20, perf_count(all));
	EXPECT_EQ(0, perf_count(user));
	EXPECT_LE(20, perf_count(kernel));
}

TEST(context_switches_of_cpu)
{
	int cpu = nth_cpu(0);
	int fd = perf_open(PERF_SW(CONTEXT_SWITCHES), -1, cpu, -1);
	struct gate to = gate_new(), from = gate_new();
	__u64 before;
	pid_t child;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(cpu));
	child = echo_child(&to, &from);
	before = perf_count(fd);
	for (i = 0; i < 200; i++) {
		gate_open(&to);
		gate_wait(&from);
	}
	/* Two switches each. */
	EXPECT_LE(before + 400, perf_count(fd));
	kill_child(child);
}

/* Migrations */

TEST(cpu_migrations)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd, i;
	__u64 before;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(here));
	fd = perf_open_self(PERF_SW(CPU_MIGRATIONS));
	ASSERT_LE(0, fd);
	before = perf_count(fd);
	EXPECT_EQ(0, before);
	for (i = 0; i < 25; i++) {
		ASSERT_EQ(0, pin_to_cpu(there));
		ASSERT_EQ(2 * i + 1, perf_count(fd));
		ASSERT_EQ(0, pin_to_cpu(here));
		ASSERT_EQ(2 * i + 2, perf_count(fd));
	}
	/* To the CPU on which the task is: no migration. */
	ASSERT_EQ(0, pin_to_cpu(here));
	EXPECT_EQ(50, perf_count(fd));
}

TEST(cpu_migrations_disabled)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(here));
	fd = perf_open_self(PERF_SW(CPU_MIGRATIONS, .disabled = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pin_to_cpu(there));
	EXPECT_EQ(0, perf_count(fd));
	ASSERT_EQ(0, perf_enable(fd));
	ASSERT_EQ(0, pin_to_cpu(here));
	ASSERT_EQ(0, perf_disable(fd));
	ASSERT_EQ(0, pin_to_cpu(there));
	EXPECT_EQ(1, perf_count(fd));
}

/* The other counts are right after migrations. */
TEST(faults_across_migrations)
{
	int here = nth_cpu(0), there = nth_cpu(1), fd, i;
	__u64 before;
	void *p;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, stay_resident());
	fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	ASSERT_LE(0, fd);
	p = map_fresh_pages(PAGES);
	touch_pages(p, 1);
	ASSERT_EQ(0, pin_to_cpu(there));
	ASSERT_EQ(0, pin_to_cpu(here));
	before = perf_count(fd);
	for (i = 1; i < PAGES; i++) {
		touch_pages((char *)p + i * sysconf(_SC_PAGESIZE), 1);
		pin_to_cpu(i & 1 ? there : here);
	}
	EXPECT_EQ(before + PAGES - 1, perf_count(fd));
}

/* Clocks */

static void check_clock(struct __test_metadata *_metadata,
			struct perf_event_attr attr)
{
	__u64 wall[2], count;
	int fd;

	attr.disabled = 1;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	wall[0] = clock_ns(CLOCK_MONOTONIC_RAW);
	ASSERT_EQ(0, perf_enable(fd));
	burn_cpu(30 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(fd));
	wall[1] = clock_ns(CLOCK_MONOTONIC_RAW);
	count = perf_count(fd);
	/*
	 * About the CPU time that was used, and no more than the time that passed. The
	 * task's CPU time includes switches, the event's does not.
	 */
	EXPECT_LE(15 * NSEC_PER_MSEC, count);
	EXPECT_GE((wall[1] - wall[0]) * 101 / 100 + NSEC_PER_MSEC / 10, count);
	/* Disabled: the count does not change. */
	burn_cpu(NSEC_PER_MSEC);
	EXPECT_EQ(count, perf_count(fd));
}

TEST(task_clock)
{
	check_clock(_metadata, PERF_SW(TASK_CLOCK));
}

TEST(cpu_clock_of_task)
{
	check_clock(_metadata, PERF_SW(CPU_CLOCK));
}

/* Sleep, and count the task clock until the task was off the CPU for so long. */
static __u64 task_clock_of_sleeper(int fd, __u64 *cpu)
{
	__u64 before = perf_count(fd), start, wall, off = 0;

	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	wall = clock_ns(CLOCK_MONOTONIC);
	perf_enable(fd);
	while (off < 300 * NSEC_PER_MSEC) {
		sleep_ms(30);
		off = clock_ns(CLOCK_MONOTONIC) - wall -
		      (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start);
	}
	perf_disable(fd);
	*cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	return perf_count(fd) - before;
}

static bool stops_off_cpu(int fd, __u64 *count, __u64 *cpu)
{
	*count = task_clock_of_sleeper(fd, cpu);
	return *count <= *cpu + *cpu / 50 + NSEC_PER_MSEC;
}

/*
 * On a busy host a task that hardly does anything can have much CPU time. A switch ends the
 * CPU time before the task clock: if the host takes the CPU in between, only the clock has that
 * time.
 */
TEST(task_clock_stops_off_cpu)
{
	int fd = perf_open_self(PERF_SW(TASK_CLOCK, .disabled = 1));
	__u64 count, cpu;

	ASSERT_LE(0, fd);
	EXPECT_TRUE(IN_SOME_TRY(20, stops_off_cpu(fd, &count, &cpu))) {
		TH_LOG("task clock %llu, CPU time %llu", count, cpu);
	}
	EXPECT_LT(0, count);
}

TEST(cpu_clock_of_cpu_never_stops)
{
	int cpu = nth_cpu(0);
	int fd = perf_open(PERF_SW(CPU_CLOCK, .disabled = 1), -1, cpu, -1);
	__u64 wall[4], count;

	ASSERT_LE(0, fd);
	wall[0] = clock_ns(CLOCK_MONOTONIC_RAW);
	ASSERT_EQ(0, perf_enable(fd));
	wall[1] = clock_ns(CLOCK_MONOTONIC_RAW);
	sleep_ms(100);
	wall[2] = clock_ns(CLOCK_MONOTONIC_RAW);
	ASSERT_EQ(0, perf_disable(fd));
	wall[3] = clock_ns(CLOCK_MONOTONIC_RAW);
	count = perf_count(fd);
	EXPECT_LE((wall[2] - wall[1]) * 99 / 100, count);
	EXPECT_GE((wall[3] - wall[0]) * 101 / 100 + NSEC_PER_MSEC / 10, count);
}

TEST(clocks_only_grow)
{
	int task = perf_open_self(PERF_SW(TASK_CLOCK));
	int cpu = perf_open_self(PERF_SW(CPU_CLOCK));
	__u64 last_task = 0, last_cpu = 0, now;
	int i, here = nth_cpu(0), there = nth_cpu(1);

	ASSERT_LE(0, task);
	ASSERT_LE(0, cpu);
	for (i = 0; i < 2000; i++) {
		now = perf_count(task);
		ASSERT_LE(last_task, now);
		last_task = now;
		now = perf_count(cpu);
		ASSERT_LE(last_cpu, now);
		last_cpu = now;
		if (i % 50 == 0 && there >= 0)
			pin_to_cpu(i % 100 ? there : here);
	}
	EXPECT_LT(0, last_task);
	EXPECT_LT(0, last_cpu);
}

/* A clock and an event of another kind, with either of them as the leader. */
TEST(clock_in_mixed_group)
{
	struct perf_event_attr faults = PERF_SW(PAGE_FAULTS);
	struct perf_event_attr clock = PERF_SW(TASK_CLOCK);
	struct perf_event_attr faults_off = PERF_SW(PAGE_FAULTS, .disabled = 1);
	struct perf_event_attr clock_off = PERF_SW(TASK_CLOCK, .disabled = 1);
	int first[2], second[2];

	first[0] = perf_open_self(faults_off);
	first[1] = perf_open(clock, 0, -1, first[0]);
	second[0] = perf_open_self(clock_off);
	second[1] = perf_open(faults, 0, -1, second[0]);
	ASSERT_LE(0, first[1]);
	ASSERT_LE(0, second[1]);
	ASSERT_EQ(0, perf_enable(first[0]));
	ASSERT_EQ(0, perf_enable(second[0]));
	fault_pages(10);
	burn_cpu(5 * NSEC_PER_MSEC);
	EXPECT_LE(10, perf_count(first[0]));
	EXPECT_LE(2 * NSEC_PER_MSEC, perf_count(first[1]));
	EXPECT_LE(2 * NSEC_PER_MSEC, perf_count(second[0]));
	EXPECT_LE(10, perf_count(second[1]));
}

/* The rest */

TEST(dummy_counts_nothing)
{
	int fd = perf_open_self(PERF_SW(DUMMY));

	ASSERT_LE(0, fd);
	fault_pages(10);
	sleep_ms(2);
	burn_cpu(NSEC_PER_MSEC);
	EXPECT_EQ(0, perf_count(fd));
}

TEST(quiet_events_stay_zero)
{
	int bpf = perf_open_self(PERF_SW(BPF_OUTPUT));
	int alignment = perf_open_self(PERF_SW(ALIGNMENT_FAULTS));
	int emulation = perf_open_self(PERF_SW(EMULATION_FAULTS));

	ASSERT_LE(0, bpf);
	ASSERT_LE(0, alignment);
	ASSERT_LE(0, emulation);
	fault_pages(10);
	sleep_ms(2);
	EXPECT_EQ(0, perf_count(bpf));
	EXPECT_EQ(0, perf_count(alignment));
	EXPECT_EQ(0, perf_count(emulation));
}

/* Accesses that the kernel completes, because they are not aligned. arm64 has such accesses. */
TEST(accesses_completed_by_the_kernel)
{
	__u64 count = 0;
	int status = compat_elf_completed(&count);

	if (status == COMPAT_MISSING)
		SKIP(return, "no 32-bit programs with accesses that the kernel completes");
	EXPECT_EQ(0, status);
	EXPECT_EQ(COMPAT_TIMES, count);
}

/* Without another cgroup on the CPU there is no switch between cgroups. */
TEST(cgroup_switches_in_one_cgroup)
{
	/* a switch between two of the opens or reads counts only as a context switch */
	int switches = perf_open_self(PERF_SW(CONTEXT_SWITCHES));
	int fd = perf_open_self(PERF_SW(CGROUP_SWITCHES));
	__u64 between;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, switches);
	switch_out(20);
	between = perf_count(fd);
	EXPECT_LE(20, perf_count(switches));
	EXPECT_GE(perf_count(switches), between);
}

static void *fault_in_thread(void *arg)
{
	fault_pages(PAGES);
	return arg;
}

/* Without inherit an event counts one thread. */
TEST(other_threads_do_not_count)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1));
	pthread_t thread;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_enable(fd));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fault_in_thread, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, perf_disable(fd));
	EXPECT_GT(PAGES, perf_count(fd));
}

TEST_HARNESS_MAIN
