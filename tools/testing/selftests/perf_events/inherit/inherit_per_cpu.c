// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a task for each CPU, inherited, as perf record COMMAND opens them: what
 * happens on a CPU is counted and recorded by the events for that CPU and of the task
 * concerned, and by no others.
 */
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define MAX_CPUS	16

FIXTURE(per_cpu)
{
	struct perf_listener l[MAX_CPUS];
	int fd[MAX_CPUS];
	int cpu[MAX_CPUS];
	int nr;
};

FIXTURE_SETUP(per_cpu)
{
	for (self->nr = 0; self->nr < MAX_CPUS; self->nr++) {
		self->cpu[self->nr] = nth_cpu(self->nr);
		if (self->cpu[self->nr] < 0)
			break;
	}
	if (self->nr < 2)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pin_to_cpu(self->cpu[0]));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(per_cpu)
{
}

static void open_all(struct __test_metadata *_metadata, FIXTURE_DATA(per_cpu) *self,
		     struct perf_event_attr attr, pid_t pid)
{
	for (int i = 0; i < self->nr; i++) {
		self->fd[i] = perf_open(attr, pid, self->cpu[i], -1);
		ASSERT_LE(0, self->fd[i]);
	}
}

static void close_all(FIXTURE_DATA(per_cpu) *self)
{
	for (int i = 0; i < self->nr; i++)
		close(self->fd[i]);
}

/* Records */

/* The records that each generation causes on the index-th CPU. */
static void leave_traces(FIXTURE_DATA(per_cpu) *self, int generation, int i)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char name[16];

	if (pin_to_cpu(self->cpu[i]))
		_exit(1);
	snprintf(name, sizeof(name), "on%d_%d", i, generation);
	prctl(PR_SET_NAME, name);
	/* The mapping is shared, so that it is not merged with the previous one. */
	if (mmap(NULL, (100 * generation + i + 1) * page, PROT_READ | PROT_EXEC,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		_exit(1);
}

/* A child that moves from CPU to CPU, and has a child of its own on each. */
static void wander(FIXTURE_DATA(per_cpu) *self)
{
	for (int i = 0; i < self->nr; i++) {
		pid_t pid;

		leave_traces(self, 1, i);
		pid = fork_child();
		if (!pid) {
			leave_traces(self, 2, i);
			_exit(0);
		}
		if (wait_status(pid))
			_exit(1);
	}
	_exit(0);
}

struct traces {
	int named[2];
	int mapped[2];
	int forks;
	int exits;
	int elsewhere;
};

static void look_at_record(FIXTURE_DATA(per_cpu) *self, int i, pid_t child,
			   struct traces *seen)
{
	struct perf_listener *l = &self->l[i];
	const __u32 *ids = perf_listen_body(l);
	const __u64 *where = (const void *)(ids + 2);
	size_t page = sysconf(_SC_PAGESIZE);
	char name[16];

	if ((int)l->rec.cpu != self->cpu[i])
		seen->elsewhere++;
	switch (l->header->type) {
	case PERF_RECORD_COMM:
		for (int g = 0; g < 2; g++) {
			snprintf(name, sizeof(name), "on%d_%d", i, g + 1);
			seen->named[g] += !strcmp(name, (const char *)(ids + 2));
		}
		break;
	case PERF_RECORD_MMAP:
		for (int g = 0; g < 2; g++)
			seen->mapped[g] += where[1] == (100 * (g + 1) + i + 1) * page;
		break;
	case PERF_RECORD_FORK:
		seen->forks += ids[1] == (__u32)child;
		break;
	case PERF_RECORD_EXIT:
		seen->exits++;
		break;
	}
}

/* Each CPU's buffer has the records of both generations there, once, and no others. */
TEST_F(per_cpu, records_of_the_cpu)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1, .task = 1, .comm = 1,
		.mmap = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU);
	pid_t child;

	for (int i = 0; i < self->nr; i++)
		ASSERT_EQ(0, perf_listen(&self->l[i], attr, 0, self->cpu[i]));
	child = fork_child();
	if (!child)
		wander(self);
	ASSERT_EQ(0, wait_status(child));

	for (int i = 0; i < self->nr; i++) {
		struct traces seen = {};

		while (perf_listen_next(&self->l[i]))
			look_at_record(self, i, child, &seen);
		EXPECT_EQ(1, seen.named[0]);
		EXPECT_EQ(1, seen.named[1]);
		EXPECT_EQ(1, seen.mapped[0]);
		EXPECT_EQ(1, seen.mapped[1]);
		EXPECT_EQ(1, seen.forks);
		/* The child exits on the last CPU. */
		EXPECT_EQ(1 + (i == self->nr - 1), seen.exits);
		EXPECT_EQ(0, seen.elsewhere);
		EXPECT_EQ(0, perf_listen_end(&self->l[i]));
	}
}

/* Counts */

#define PAGES	50

static int fault_everywhere(FIXTURE_DATA(per_cpu) *self, int generations)
{
	pid_t pid = fork_child();

	if (pid)
		return wait_status(pid);
	for (int i = 0; i < self->nr; i++) {
		if (pin_to_cpu(self->cpu[i]))
			_exit(1);
		fault_pages(PAGES * (i + 1));
	}
	if (generations > 1 && fault_everywhere(self, generations - 1))
		_exit(1);
	_exit(0);
}

/* The children share no pages and fault rarely otherwise. */
TEST_F(per_cpu, counts_of_the_cpu)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .exclude_kernel = 1);
	__u64 count;

	open_all(_metadata, self, attr, 0);
	ASSERT_EQ(0, fault_everywhere(self, 3));
	/* The faults at the start of a task are on the first and the last CPU. */
	for (int i = 1; i < self->nr - 1; i++) {
		count = perf_count(self->fd[i]);
		EXPECT_LE(3 * PAGES * (i + 1), count);
		EXPECT_GT(3 * PAGES * (i + 1) + PAGES, count);
	}
	close_all(self);
}

/* Some CPUs only, with a gap, and not in order. */
TEST_F(per_cpu, counts_of_some_cpus)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .exclude_kernel = 1);
	int index[] = { self->nr - 1, 0, self->nr - 2 };
	__u64 count;
	int fd[3];

	for (int i = 0; i < 3; i++) {
		fd[i] = perf_open(attr, 0, self->cpu[index[i]], -1);
		ASSERT_LE(0, fd[i]);
	}
	ASSERT_EQ(0, fault_everywhere(self, 2));
	for (int i = 0; i < 3; i++) {
		count = perf_count(fd[i]);
		EXPECT_LE(2 * PAGES * (index[i] + 1), count);
		/* The faults at the start of a task are on the first and the last CPU. */
		EXPECT_GT(2 * PAGES * (index[i] + 2), count);
		close(fd[i]);
	}
}

/*
 * A task that has inherited events for some CPUs opens events for these and other CPUs.
 */
TEST_F(per_cpu, opened_beside_inherited)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
					      .exclude_kernel = 1);
	int last = self->nr - 1;
	pid_t child;
	int fd;

	fd = perf_open(attr, 0, self->cpu[last], -1);
	ASSERT_LE(0, fd);
	child = fork_child();
	if (!child) {
		open_all(_metadata, self, attr, 0);
		if (fault_everywhere(self, 1))
			_exit(1);
		for (int i = 0; i < self->nr; i++) {
			if (perf_count(self->fd[i]) < PAGES * (i + 1))
				_exit(2 + i);
		}
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(child));
	EXPECT_LE(PAGES * (last + 1), perf_count(fd));
	close(fd);
}

/* Wakeups */

struct sleeper {
	struct gate begin;
	struct gate wake;
	struct gate tell;
	pid_t parent;
	pid_t pid;
};

/* The sleeper's child sleeps on the last CPU. Only the gate wakes it. */
static void sleep_in_child(FIXTURE_DATA(per_cpu) *self, struct sleeper *s)
{
	pid_t pid;

	gate_wait(&s->begin);
	pid = fork_child();
	if (!pid) {
		pid = getpid();
		if (pin_to_cpu(self->cpu[self->nr - 1]) ||
		    write(s->tell.wr, &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		for (;;)
			gate_wait(&s->wake);
	}
	wait_status(pid);
	_exit(0);
}

/*
 * A task is woken from one CPU after the other. Its events for the CPU of the waker
 * count the wakeup's tracepoint, though they are inherited copies and the task runs
 * elsewhere. The waker has no events.
 */
TEST_F(per_cpu, wakeups_by_the_cpu_of_the_waker)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT,
		tracepoint_id("sched/sched_waking"), .inherit = 1);
	struct sleeper s = { gate_new(), gate_new(), gate_new() };
	int other[MAX_CPUS];

	s.parent = fork_child();
	if (!s.parent)
		sleep_in_child(self, &s);
	open_all(_metadata, self, attr, s.parent);
	memcpy(other, self->fd, sizeof(other));
	attr.config = tracepoint_id("sched/sched_process_wait");
	open_all(_metadata, self, attr, s.parent);

	ASSERT_EQ(0, pin_pid_to_cpu(s.parent, self->cpu[self->nr - 1]));
	gate_open(&s.begin);
	ASSERT_EQ(sizeof(s.pid), read(s.tell.rd, &s.pid, sizeof(s.pid)));
	for (int i = 0; i < self->nr - 1; i++) {
		ASSERT_EQ(0, pin_to_cpu(self->cpu[i]));
		for (int n = 0; n < 10 * (i + 1); n++) {
			ASSERT_TRUE(wait_asleep(s.pid));
			gate_open(&s.wake);
		}
	}
	/* The parent's wait was on the last CPU. No task woke it there. */
	for (int i = 1; i < self->nr - 1; i++) {
		EXPECT_EQ(10 * (i + 1), perf_count(other[i]));
		EXPECT_EQ(0, perf_count(self->fd[i]));
	}
	EXPECT_LE(10, perf_count(other[0]));
	kill(s.pid, SIGKILL);
	EXPECT_EQ(0, wait_status(s.parent));
	for (int i = 0; i < self->nr; i++)
		close(other[i]);
	close_all(self);
}

/* The tick */

/*
 * An event that samples too often on its CPU is stopped until the tick, and then
 * continues. It also continues when the task is scheduled in.
 */
TEST_F(per_cpu, throttled_until_the_tick)
{
	struct perf_event_attr attr = PERF_SW(CPU_CLOCK, .sample_period = 20000);
	int throttled = 0, unthrottled = 0;
	struct perf_listener *l = &self->l[1];
	long rate, before, switched = 0;

	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &rate));
	/* Two samples per tick, at 250 ticks a second. */
	if (file_write_long(SAMPLE_RATE, 500))
		SKIP(return, "needs root");
	for (int i = 0; i < self->nr; i++)
		EXPECT_EQ(0, perf_listen(&self->l[i], attr, 0, self->cpu[i]));
	EXPECT_EQ(0, pin_to_cpu(self->cpu[1]));
	before = switches_of(RUSAGE_SELF);
	for (int ms = 0; ms < PATIENCE_MS && unthrottled <= switched + 2; ms++) {
		burn_cpu(NSEC_PER_MSEC);
		switched = switches_of(RUSAGE_SELF) - before;
		while (perf_listen_next(l)) {
			throttled += l->header->type == PERF_RECORD_THROTTLE;
			unthrottled += l->header->type == PERF_RECORD_UNTHROTTLE;
		}
	}
	file_write_long(SAMPLE_RATE, rate);
	EXPECT_LT(switched + 2, unthrottled);
	EXPECT_LE(unthrottled, throttled);
	for (int i = 0; i < self->nr; i++)
		EXPECT_EQ(0, perf_listen_end(&self->l[i]));
}

TEST_HARNESS_MAIN
