// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults of events that sample, each named after its CVE or after
 * what went wrong: interrupts without end, timers that outlive their event, records of
 * tasks that are exiting. Many are seen only as a splat, with KASAN or lockdep, or as a
 * machine that hangs. What user space can see is checked on every kernel.
 */
#include <pthread.h>
#include <poll.h>

#include "../lib/bpf.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define CYCLES(_period)							\
	PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,		\
		  .sample_period = (_period), .sample_type = PERF_SAMPLE_IP)

/* G. Overflow, throttling, timers */

/* Check that this task and others make progress. */
static bool machine_lives(void)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		fault_pages(10);
		sleep_ms(1);
		_exit(0);
	}
	return wait_status(pid) == 0;
}

/* A clock with the shortest period, so that the timer is always due. */
TEST(cve_2011_2918_software_clock_overflows_without_end)
{
	static const __u64 periods[] = { 1, 2, 100, 1000, 9999, 10000 };
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK,
					      .sample_type = PERF_SAMPLE_IP);
	struct perf_listener l;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(periods); i++) {
		attr.sample_period = periods[i];
		ASSERT_EQ(0, perf_listen_self(&l, attr));
		burn_cpu(20 * NSEC_PER_MSEC);
		EXPECT_TRUE(machine_lives());
		EXPECT_TRUE(BURNS_UNTIL(perf_listen_of(&l, PERF_RECORD_SAMPLE)));
		ASSERT_EQ(0, perf_disable(l.fd));
		EXPECT_EQ(0, perf_listen_end(&l));
	}
}

/* Every cycle is a sample: the interrupt's handler always finds another overflow. */
TEST(cve_2024_46848_period_1_of_the_hardware)
{
	struct perf_listener l;
	int i;

	if (perf_try_self(CYCLES(1)))
		SKIP(return, "no PMU with a cycle counter");
	for (i = 1; i < 20; i += 6) {
		ASSERT_EQ(0, perf_listen_self(&l, CYCLES(i)));
		burn_cpu(20 * NSEC_PER_MSEC);
		EXPECT_TRUE(machine_lives());
		ASSERT_EQ(0, perf_disable(l.fd));
		EXPECT_LT(0, perf_count(l.fd));
		EXPECT_EQ(0, perf_listen_end(&l));
	}
}

/* Throttle a group that has one member that is off and one that is on. */
static void throttle_group(struct __test_metadata *_metadata, struct perf_event_attr leader,
			   struct perf_event_attr member)
{
	/* Nanoseconds of a clock; what a counter counts in that time depends on the host. */
	const __u64 least = leader.type == PERF_TYPE_SOFTWARE ? 10 * NSEC_PER_MSEC : 1;
	static struct perf_listener l;
	long before;
	int off, on;

	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &before));
	if (file_write_long(SAMPLE_RATE, 500))
		SKIP(return, "needs root");
	EXPECT_EQ(0, perf_listen_self(&l, leader));
	on = perf_open(member, 0, -1, l.fd);
	member.disabled = 1;
	member.sample_period = leader.sample_period;
	off = perf_open(member, 0, -1, l.fd);
	EXPECT_LE(0, off);
	EXPECT_LE(0, on);
	EXPECT_EQ(0, perf_enable(l.fd));
	burn_cpu(20 * NSEC_PER_MSEC);
	EXPECT_TRUE(BURNS_UNTIL(perf_listen_of(&l, PERF_RECORD_UNTHROTTLE)));
	EXPECT_EQ(0, perf_disable(l.fd));
	EXPECT_EQ(0, file_write_long(SAMPLE_RATE, before));
	EXPECT_EQ(0, perf_count(off));
	EXPECT_LE(least, perf_count(on));
	EXPECT_EQ(0, perf_listen_end(&l));
	close(off);
	close(on);
}

/* The end of throttling started members of the group that were disabled. */
TEST(cve_2025_39821_unthrottled_with_siblings)
{
	struct perf_event_attr cycles = CYCLES(20000);

	throttle_group(_metadata, PERF_SW(CPU_CLOCK, .disabled = 1, .sample_period = 20000),
		       PERF_SW(TASK_CLOCK));
	cycles.disabled = 1;
#ifdef __riscv
	return;	/* QEMU's counters do not count twice: of two events the second one stays 0 */
#endif
	if (!perf_try_self(cycles))
		throttle_group(_metadata, cycles, PERF_ATTR(PERF_TYPE_HARDWARE,
							    PERF_COUNT_HW_CPU_CYCLES));
}

/* The event is freed while its timer is about to fire. */
TEST(cve_2026_23014_timer_outlives_event)
{
	int i, fd, cpu = nth_cpu(1);

	for (i = 0; i < 500; i++) {
		fd = perf_open(PERF_SW(CPU_CLOCK, .sample_period = 10000 + i),
			       i & 1 ? -1 : 0, i & 1 && cpu >= 0 ? cpu :
			       i & 1 ? 0 : -1, -1);
		ASSERT_LE(0, fd);
		if (i % 3 == 0)
			perf_disable(fd);
		if (i % 3 == 1)
			perf_enable(fd);
		close(fd);
	}
	EXPECT_TRUE(machine_lives());
}

struct waker {
	int fd;
	struct rounds woken;
};

static void *poll_on(void *arg)
{
	struct waker *w = arg;

	while (rounds_go_on(&w->woken)) {
		struct pollfd p = { .fd = w->fd, .events = POLLIN };

		if (poll(&p, 1, 10) == 1)
			rounds_add(&w->woken);
	}
	return NULL;
}

/* A sample that is taken in the scheduler wakes a poller. */
TEST(cve_2026_23311_wakeup_while_scheduling)
{
	struct perf_event_attr attr = PERF_SW(CONTEXT_SWITCHES,
		.sample_period = 1, .wakeup_events = 1,
		.sample_type = PERF_SAMPLE_TID);
	int cpu = nth_cpu(0), i;
	struct perf_listener l;
	struct waker w = {};
	pthread_t thread;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_listen(&l, attr, -1, cpu));
	w.fd = l.fd;
	ASSERT_EQ(0, pthread_create(&thread, NULL, poll_on, &w));
	for (i = 0; i < 200; i++) {
		sleep_ms(1);
		perf_buf_drop(&l.buf);
	}
	EXPECT_TRUE(COMES_TRUE(atomic_load(&w.woken.done)));
	rounds_stop(&w.woken);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* Two clocks in one group throttle each other from their own timers. */
TEST(clock_throttles_itself)
{
	int leader, member, i;

	for (i = 0; i < 5; i++) {
		leader = perf_open_self(PERF_SW(CPU_CLOCK, .disabled = 1,
						.sample_period = 1));
		member = perf_open(PERF_SW(TASK_CLOCK, .sample_period = 1), 0,
				   -1, leader);
		ASSERT_LE(0, leader);
		ASSERT_LE(0, member);
		ASSERT_EQ(0, perf_enable(leader));
		burn_cpu(20 * NSEC_PER_MSEC);
		EXPECT_TRUE(machine_lives());
		close(i & 1 ? leader : member);
		close(i & 1 ? member : leader);
	}
}

#define CLOCKS		500
#define STRETCHES	200

/*
 * The smallest number of samples, of 16 bytes, between two moments when the program runs. A
 * host for which an interrupt is expensive, or a busy one, makes many of the numbers larger: the
 * timer is due again before the program has executed an instruction.
 */
static __u64 samples_at_a_stretch(struct perf_buf *buf)
{
	__u64 last = perf_buf_head(buf), least = ~0ULL, head, samples;

	for (int i = 0; i < STRETCHES; i++) {
		do {
			head = perf_buf_head(buf);
		} while (head == last);
		perf_buf_set_tail(buf, head);
		samples = (head - last) / 16;
		if (samples < least)
			least = samples;
		last = head;
	}
	return least;
}

/*
 * All clocks together need more time than there is. The program gets some time, too: it runs
 * each time that a small part of the clocks were handled. Without a limit on the samples of
 * one interrupt all of them are handled at a stretch. KUnit tests how long the timer waits after
 * such a part.
 */
TEST(more_clocks_than_time)
{
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .sample_period = 10000,
					      .sample_type = PERF_SAMPLE_IP,
					      .disabled = 1);
	static int fd[CLOCKS];
	struct perf_buf buf;
	__u64 samples;
	size_t i;

	for (i = 0; i < CLOCKS; i++) {
		fd[i] = perf_open_self(attr);
		ASSERT_LE(0, fd[i]);
		if (i) {
			ASSERT_EQ(0, perf_ioctl(fd[i], PERF_EVENT_IOC_SET_OUTPUT, fd[0]));
			continue;
		}
		ASSERT_EQ(0, perf_buf_map(&buf, fd[0], 64));
	}
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_ENABLE));
	samples = samples_at_a_stretch(&buf);
	EXPECT_TRUE(machine_lives());
	burn_cpu(10 * NSEC_PER_MSEC);
	ASSERT_EQ(0, prctl(PR_TASK_PERF_EVENTS_DISABLE));
	for (i = 0; i < CLOCKS; i++) {
		EXPECT_LT(10 * NSEC_PER_MSEC, perf_count(fd[i]));
		close(fd[i]);
	}
	SKIP_STOCK_FAULT(samples >= CLOCKS / 2, "each clock has a timer of its own");
	EXPECT_GT(CLOCKS / 2, samples);
	perf_buf_unmap(&buf);
}

struct mover {
	pid_t tid;
	int here;
	int there;
	struct rounds rounds;
};

static void *move_about(void *arg)
{
	struct mover *m = arg;

	m->tid = gettid();
	while (rounds_go_on(&m->rounds)) {
		pin_to_cpu(m->here);
		fault_pages(1);
		pin_to_cpu(m->there);
		fault_pages(1);
		rounds_add(&m->rounds);
	}
	return NULL;
}

/* The period changes while the task moves between CPUs. */
static void change_period_of_mover(struct __test_metadata *_metadata,
				   struct perf_event_attr attr)
{
	struct mover m = { .here = nth_cpu(0), .there = nth_cpu(1) };
	__u64 period, start;
	pthread_t thread;
	int fd, i;

	if (m.there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pthread_create(&thread, NULL, move_about, &m));
	while (!m.tid)
		sleep_ms(1);
	fd = perf_open(attr, m.tid, -1, -1);
	ASSERT_LE(0, fd);
	start = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < 2000 && race_goes_on(i, 70, start, NSEC_PER_SEC); i++) {
		period = 1000 + i % 7 * 100000;
		ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PERIOD,
					(unsigned long)&period));
	}
	/* On a busy host the task may not have run yet. */
	EXPECT_TRUE(COMES_TRUE(perf_count(fd)));
	EXPECT_TRUE(rounds_pass(&m.rounds, 1));
	rounds_stop(&m.rounds);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	close(fd);
}

TEST(period_changes_while_task_migrates)
{
	change_period_of_mover(_metadata, PERF_SW(CPU_CLOCK,
						  .sample_period = 100000));
	change_period_of_mover(_metadata, PERF_SW(PAGE_FAULTS,
						  .sample_period = 100000));
	if (!perf_try_self(CYCLES(100000)))
		change_period_of_mover(_metadata, CYCLES(100000));
}

/* F. Exit and exec */

/* A sample of the user's stack is due when the task has no memory map any more. */
TEST(cve_2025_38424_user_stack_after_exit)
{
	struct perf_event_attr attr = PERF_SW(CONTEXT_SWITCHES,
		.sample_period = 1, .sample_stack_user = 4096,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_STACK_USER |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER,
		.sample_regs_user = 1);
	static const char *const points[] = {
		"sched/sched_process_exit", "sched/sched_process_free",
		"task/task_rename",
	};
	int cpu = nth_cpu(0), fd[4], i, nr = 0;
	struct perf_listener l;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	ASSERT_EQ(0, perf_listen_pages(&l, attr, -1, cpu, 256));
	for (i = 0; i < 3; i++) {
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = tracepoint_id(points[i]);
		fd[i] = perf_open(attr, -1, cpu, -1);
		if (fd[i] >= 0)
			EXPECT_EQ(0, perf_ioctl(fd[i],
						PERF_EVENT_IOC_SET_OUTPUT,
						l.fd));
	}
	for (i = 0; i < 50; i++) {
		pid_t pid = fork_child();

		if (pid == 0) {
			fault_pages(1);
			if (i & 1)
				_exit(0);
			kill(getpid(), SIGKILL);
		}
		EXPECT_EQ(i & 1 ? 0 : -SIGKILL, wait_status(pid));
		while (perf_listen_next(&l))
			nr += l.header->type == PERF_RECORD_SAMPLE;
	}
	EXPECT_LE(50, nr);
	for (i = 0; i < 3; i++)
		close(fd[i]);
	EXPECT_EQ(0, perf_listen_end(&l));
}

/* Samples and records while exec replaces the task's memory. */
TEST(samples_across_exec)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .sample_period = 1,
		.mmap = 1, .sample_stack_user = 512, .sample_regs_user = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_PHYS_ADDR |
			       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_ADDR);
	struct perf_listener l;
	int i;

	for (i = 0; i < 30; i++) {
		struct gate go = gate_new();
		pid_t pid = fork_child();

		if (pid == 0) {
			gate_wait(&go);
			perf_exec_touch(20);
		}
		attr.remove_on_exec = i % 3 == 2;
		ASSERT_EQ(0, perf_listen(&l, attr, pid, -1));
		gate_open(&go);
		EXPECT_EQ(0, wait_status(pid));
		EXPECT_LT(0, perf_listen_count(&l, PERF_RECORD_SAMPLE));
		EXPECT_EQ(0, perf_listen_end(&l));
		close(go.rd);
		close(go.wr);
	}
}

/* The samples of all software events that count one occurrence are made from one set of data. */
TEST(one_occurrence_for_several_events)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .disabled = 1, .sample_period = 1,
					      .sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_TIME |
							     PERF_SAMPLE_CALLCHAIN);
	static struct perf_listener l[2];
	struct timespec now;
	int i;

	clock_gettime(CLOCK_REALTIME, &now);
	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, perf_listen_self(&l[0], attr));
	attr.use_clockid = 1;
	attr.clockid = CLOCK_REALTIME;
	attr.exclude_callchain_user = 1;
	ASSERT_EQ(0, perf_listen_self(&l[1], attr));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, perf_enable(l[i].fd));
	fault_pages(1);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, perf_disable(l[i].fd));
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(perf_listen_of(&l[i], PERF_RECORD_SAMPLE));
	SKIP_STOCK_FAULT(l[1].rec.id == l[0].rec.id, "the second sample is the first event's");
	for (i = 0; i < 2; i++)
		EXPECT_EQ(perf_event_id(l[i].fd), l[i].rec.id);
	/* of two clocks, which agree as long as the time of the machine was never set */
	EXPECT_LE(now.tv_sec * NSEC_PER_SEC + now.tv_nsec, l[1].rec.time);
	EXPECT_NE(l[0].rec.time, l[1].rec.time);
	/* user mode faulted */
	EXPECT_LT(1, l[0].rec.nr_chain);
	EXPECT_EQ(0, l[1].rec.nr_chain);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, perf_listen_end(&l[i]));
}

/* H. Leaks */

/* The first close of a copy of a tracepoint event freed the program of the original. */
TEST(cve_2024_56665_program_of_inherited_tracepoint)
{
	const struct bpf_insn insns[] = { BPF_SET(BPF_REG_0, 1), BPF_END_PROG };
	int prog = bpf_load(BPF_PROG_TYPE_TRACEPOINT, insns, 2, "inherited");
	long id = tracepoint_id("task/task_rename");
	int fd, i;

	if (prog < 0 || id < 0)
		SKIP(return, "no BPF or no tracepoints");
	for (i = 0; i < 10; i++) {
		fd = perf_open_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
					      .inherit = 1));
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog));
		if (fork() == 0) {
			prctl(PR_SET_NAME, "child");
			_exit(0);
		}
		if (i & 1)
			close(fd);
		wait(NULL);
		if (!(i & 1)) {
			EXPECT_LE(1, perf_count(fd));
			close(fd);
		}
	}
}

/* Filters, accepted or not, are freed with their events. */
TEST(cve_2020_25704_filters_are_freed)
{
	long id = tracepoint_id("task/task_rename");
	int fd, i;

	if (id < 0)
		SKIP(return, "no tracepoints");
	for (i = 0; i < 60; i++) {
		fd = perf_open_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, id,
					      .inherit = 1));
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EINVAL, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
					      (unsigned long)"pid ==="));
		EXPECT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER,
					(unsigned long)"pid == 1"));
		close(fd);
	}
}

/* Copies of copies, until the last task of a long line has exited. */
TEST(inherit_until_memory_runs_out)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.sample_period = 1, .sample_type = PERF_SAMPLE_TID);
	int cpu = nth_cpu(0), depth, events, fd;
	pid_t pid = 0;

	ASSERT_EQ(0, pin_to_cpu(cpu));
	for (events = 0; events < 50; events++) {
		fd = perf_open(attr, 0, events & 1 ? cpu : -1, -1);
		ASSERT_LE(0, fd);
	}
	for (depth = 0; depth < 50; depth++) {
		pid = fork();
		if (pid)
			break;
		fault_pages(1);
	}
	/* Each task waits for its child. The last one has none. */
	if (depth)
		_exit(pid > 0 ? wait_status(pid) : 0);
	ASSERT_LT(0, pid);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(50, perf_count(fd));
}

PERF_TEST_EXEC_MAIN
