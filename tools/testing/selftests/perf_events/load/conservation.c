// SPDX-License-Identifier: GPL-2.0
/*
 * Many tasks with many events, in many control groups, which fork, migrate and execute setuid
 * programs while a CPU goes offline and comes back. The tasks make a known number of calls: no
 * event may lose one or count one twice, each sample of a CPU is in its buffer or counted as
 * lost, and all memory comes back.
 *
 * PERF_LOAD="TASKS EVENTS CGROUPS ROUNDS" in the environment sets the sizes. EVENTS is the number
 * of events of each task. A task forks in each round.
 */
#include <stdatomic.h>

#include "../lib/buffer.h"
#include "../lib/cgroup.h"
#include "../lib/fault_memory.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"
#include "../lib/user.h"

#define CALLS		20	/* of a task in a round */
#define MAX_TASKS	4000
#define MAX_EVENTS	64	/* of a task */
#define MAX_CGROUPS	400
#define MAX_CPUS	256
#define DATA_PAGES	8
#define TOGGLES		5
#define MAX_ROUNDS	2000

/* What the tasks have done, in memory that they share. */
struct done {
	atomic_ulong calls[MAX_CGROUPS];	/* counted by events of tasks */
	atomic_ulong all[MAX_CGROUPS];		/* calls of setuid programs as well */
	atomic_ulong failures;
};

static struct {
	int tasks, events, cgroups, rounds;
} size = { 40, 10, 4, 12 };

static struct done *done;
static struct rounds *toggles;		/* of the CPU that goes offline, or NULL */
static char program[PATH_MAX];

/* The CPUs of the machine, before a task is bound to one of them. */
static int cpus[MAX_CPUS], nr_cpus;

static void make_calls(int nr)
{
	for (int i = 0; i < nr; i++)
		getpriority(PRIO_PROCESS, 0);
}

static void make_counted_calls(int cgroup)
{
	make_calls(CALLS);
	atomic_fetch_add(&done->calls[cgroup], CALLS);
	atomic_fetch_add(&done->all[cgroup], CALLS);
}

/* A setuid copy of this program runs with "calls": another user makes these calls. */
int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "calls")) {
		make_calls(atoi(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}

/* A CPU may be offline: then the task stays where it is. */
static void migrate(unsigned int *seed)
{
	pin_to_cpu(cpus[rand_r(seed) % nr_cpus]);
}

static void reap(pid_t pid)
{
	if (wait_status(pid))
		atomic_fetch_add(&done->failures, 1);
}

static void child(int cgroup, int round, unsigned int *seed)
{
	char calls[16];
	pid_t pid;

	migrate(seed);
	make_counted_calls(cgroup);
	if (round % 4 == 1) {
		pid = fork();
		if (pid < 0)
			_exit(1);
		make_counted_calls(cgroup);
		if (pid == 0)
			_exit(0);
		reap(pid);
	}
	if (round % 4 == 2) {
		atomic_fetch_add(&done->all[cgroup], CALLS);
		snprintf(calls, sizeof(calls), "%d", CALLS);
		execl(program, program, "calls", calls, NULL);
		_exit(2);
	}
	_exit(0);
}

/* Whether a task has another round: until the CPU has gone and come back often enough, too. */
static bool goes_on(int round)
{
	return round < size.rounds ||
	       (toggles && round < MAX_ROUNDS && atomic_load(&toggles->done) < TOGGLES);
}

/* Two children at a time. */
static void work(int task, struct gate *start)
{
	unsigned int seed = task + 1;
	int cgroup = task % size.cgroups, round;
	pid_t last = 0, pid;

	if (user_become(USER_OTHER, 0))
		_exit(3);
	gate_wait(start);
	for (round = 0; goes_on(round); round++) {
		migrate(&seed);
		make_counted_calls(cgroup);
		pid = fork();
		if (pid < 0)
			_exit(4);
		if (pid == 0) {
			seed += round;
			child(cgroup, round, &seed);
		}
		if (last)
			reap(last);
		last = pid;
	}
	if (last)
		reap(last);
	_exit(0);
}

static void toggle_cpu(int cpu)
{
	while (rounds_go_on(toggles)) {
		if (cpu_set_online(cpu, false) || cpu_set_online(cpu, true))
			atomic_fetch_add(&done->failures, 1);
		rounds_add(toggles);
	}
	rounds_end(toggles);
	_exit(0);
}

/* Every second event of a task counts the calls; the others are there to be switched. */
static struct perf_event_attr event_of_task(int event, long tracepoint)
{
	static const __u64 others[] = {
		PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_TASK_CLOCK,
		PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_DUMMY,
	};

	if (event % 2 == 0)
		return PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint, .inherit = 1);
	return PERF_ATTR(PERF_TYPE_SOFTWARE, others[event / 2 % 4], .inherit = 1);
}

FIXTURE(load)
{
	long tracepoint;
	int victim;			/* the CPU that goes offline, or -1 */
	pid_t toggler;
	pid_t pid[MAX_TASKS];
	int *of_tasks;			/* by task and event */
	int *of_cgroups;		/* by control group and CPU */
	int of_cpus[MAX_CPUS];
	struct perf_buf buf[MAX_CPUS];
	char cgroup[MAX_CGROUPS][64];
	struct fault_memory before;
};

FIXTURE_VARIANT(load)
{
	bool hotplug;
};

FIXTURE_VARIANT_ADD(load, cpus_stay) {};

FIXTURE_VARIANT_ADD(load, a_cpu_goes) { .hotplug = true };

FIXTURE_SETUP(load)
{
	struct rlimit files = { 200000, 200000 };
	const char *sizes = getenv("PERF_LOAD");

	self->tracepoint = tracepoint_id("syscalls/sys_enter_getpriority");
	if (self->tracepoint < 0)
		SKIP(return, "no tracepoints of system calls");
	if (sizes)
		ASSERT_EQ(4, sscanf(sizes, "%d %d %d %d", &size.tasks, &size.events,
				    &size.cgroups, &size.rounds));
	ASSERT_TRUE(size.tasks > 0 && size.tasks <= MAX_TASKS);
	ASSERT_TRUE(size.events > 0 && size.events <= MAX_EVENTS);
	ASSERT_TRUE(size.cgroups > 0 && size.cgroups <= MAX_CGROUPS);
	for (nr_cpus = 0; nr_cpus < MAX_CPUS && nth_cpu(nr_cpus) >= 0; nr_cpus++)
		cpus[nr_cpus] = nth_cpu(nr_cpus);
	self->victim = -1;
	if (variant->hotplug) {
		self->victim = hotplug_cpu();
		if (self->victim < 0 || self->victim == nth_cpu(0))
			SKIP(return, "no CPU that can be taken offline");
	}
	if (self->victim >= 0)
		toggles = rounds_shared();
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, user_setuid_program(program, sizeof(program)));
	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		    -1, 0);
	ASSERT_NE(MAP_FAILED, done);
	self->of_tasks = malloc(size.tasks * size.events * sizeof(int));
	self->of_cgroups = malloc(size.cgroups * nr_cpus * sizeof(int));
	ASSERT_TRUE(self->of_tasks && self->of_cgroups);
}

FIXTURE_TEARDOWN_PARENT(load)
{
	for (int i = 0; i < MAX_TASKS; i++)
		if (self->pid[i] > 0)
			kill(self->pid[i], SIGKILL);
	if (self->toggler > 0)
		kill(self->toggler, SIGKILL);
	if (self->victim >= 0)
		cpu_set_online(self->victim, true);
	for (int i = 0; i < MAX_CGROUPS; i++)
		if (self->cgroup[i][0])
			cgroup_remove(self->cgroup[i]);
	user_setuid_program_remove();
}

static void make_cgroups(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self)
{
	char name[16];
	int cgroup, cpu, dir, *fd = self->of_cgroups;

	for (cgroup = 0; cgroup < size.cgroups; cgroup++) {
		snprintf(name, sizeof(name), "load%d", cgroup);
		ASSERT_EQ(0, cgroup_make(name, self->cgroup[cgroup],
					 sizeof(self->cgroup[cgroup])));
		dir = open(self->cgroup[cgroup], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ASSERT_LE(0, dir);
		for (cpu = 0; cpu < nr_cpus; cpu++, fd++) {
			struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT,
								self->tracepoint);

			*fd = perf_raw_open(&attr, dir, cpus[cpu], -1,
					    PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);
			ASSERT_LE(0, *fd);
		}
		close(dir);
	}
}

static void watch_cpus(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self)
{
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		self->of_cpus[cpu] = perf_open(PERF_ATTR(PERF_TYPE_TRACEPOINT, self->tracepoint,
							 .sample_period = 1,
							 .sample_type = PERF_SAMPLE_TID,
							 .read_format = PERF_FORMAT_LOST),
					       -1, cpus[cpu], -1);
		ASSERT_LE(0, self->of_cpus[cpu]);
		ASSERT_EQ(0, perf_buf_map(&self->buf[cpu], self->of_cpus[cpu], DATA_PAGES));
	}
}

static void start_tasks(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self,
			struct gate *start)
{
	int task, event, *fd = self->of_tasks;
	pid_t pid;

	for (task = 0; task < size.tasks; task++) {
		/* the child shares the fixture */
		pid = fork_child();
		ASSERT_LE(0, pid);
		if (pid == 0)
			work(task, start);
		self->pid[task] = pid;
		ASSERT_EQ(0, cgroup_enter(self->cgroup[task % size.cgroups], pid));
		for (event = 0; event < size.events; event++, fd++) {
			*fd = perf_open(event_of_task(event, self->tracepoint), pid, -1, -1);
			ASSERT_LE(0, *fd);
		}
	}
}

/* Each event of each task that counts calls has the same sum. */
static void check_tasks(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self)
{
	unsigned long made = 0, counted;
	int event, task, cgroup;

	for (cgroup = 0; cgroup < size.cgroups; cgroup++)
		made += done->calls[cgroup];
	for (event = 0; event < size.events; event += 2) {
		counted = 0;
		for (task = 0; task < size.tasks; task++)
			counted += perf_count(self->of_tasks[task * size.events + event]);
		EXPECT_EQ(made, counted) {
			TH_LOG("event %d of each task", event);
		}
	}
	TH_LOG("%lu calls of %d tasks, counted by %d events of each", made, size.tasks,
	       (size.events + 1) / 2);
}

static void check_cgroups(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self)
{
	int cgroup, cpu, *fd = self->of_cgroups;

	for (cgroup = 0; cgroup < size.cgroups; cgroup++) {
		unsigned long counted = 0;

		for (cpu = 0; cpu < nr_cpus; cpu++)
			counted += perf_count(*fd++);
		/* an event of a CPU does not count while the CPU is offline */
		if (self->victim >= 0) {
			EXPECT_GE(done->all[cgroup], counted);
			continue;
		}
		EXPECT_EQ(done->all[cgroup], counted) {
			TH_LOG("control group %d", cgroup);
		}
	}
}

/* An event has a record for what it has counted, also if its CPU was offline. */
static void check_cpus(struct __test_metadata *_metadata, FIXTURE_DATA(load) *self)
{
	unsigned long made = 0, counted = 0, samples = 0, all_lost = 0;
	int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		struct perf_count_lost got = perf_counted(self->of_cpus[cpu]);
		unsigned long seen = 0;

		while (perf_buf_next_of(&self->buf[cpu], PERF_RECORD_SAMPLE))
			seen++;
		EXPECT_FALSE(self->buf[cpu].bad);
		EXPECT_EQ(got.value, seen + got.lost) {
			TH_LOG("CPU %d: %lu samples, %llu lost", cpus[cpu], seen, got.lost);
		}
		counted += got.value;
		samples += seen;
		all_lost += got.lost;
	}
	for (int cgroup = 0; cgroup < size.cgroups; cgroup++)
		made += done->all[cgroup];
	if (self->victim < 0)
		EXPECT_EQ(made, counted);
	EXPECT_LT(0, samples);
	TH_LOG("CPUs: %lu overflows, %lu samples, %lu lost", counted, samples, all_lost);
}

static void close_all(FIXTURE_DATA(load) *self)
{
	perf_close_all(self->of_tasks, size.tasks * size.events);
	perf_close_all(self->of_cgroups, size.cgroups * nr_cpus);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		perf_buf_unmap(&self->buf[cpu]);
	perf_close_all(self->of_cpus, nr_cpus);
	for (int i = 0; i < size.cgroups; i++)
		if (!cgroup_remove(self->cgroup[i]))
			self->cgroup[i][0] = '\0';
}

TEST_F_TIMEOUT(load, every_call_is_counted_once, 14400)
{
	struct gate start = gate_new();
	char leak[128];
	pid_t pid;
	int task;

	ASSERT_EQ(0, fault_memory_read(&self->before));
	make_cgroups(_metadata, self);
	watch_cpus(_metadata, self);
	start_tasks(_metadata, self, &start);
	if (self->victim >= 0) {
		pid = fork_child();
		if (pid == 0)
			toggle_cpu(self->victim);
		self->toggler = pid;
	}
	for (task = 0; task < size.tasks; task++)
		gate_open(&start);
	for (task = 0; task < size.tasks; task++) {
		reap(self->pid[task]);
		self->pid[task] = 0;
	}
	if (self->toggler > 0) {
		EXPECT_LE(TOGGLES, toggles->done);
		rounds_stop(toggles);
		reap(self->toggler);
		self->toggler = 0;
	}
	EXPECT_EQ(0, done->failures);
	check_tasks(_metadata, self);
	check_cgroups(_metadata, self);
	check_cpus(_metadata, self);
	close_all(self);
	EXPECT_TRUE(fault_memory_is_back(&self->before, size.tasks, false, leak, sizeof(leak))) {
		TH_LOG("%s", leak);
	}
}
