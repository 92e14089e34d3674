// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_FLAG_PID_CGROUP: counting the tasks of a control group on a CPU, with nested
 * groups, tasks that move, groups that alternate and groups that are removed. Uses the
 * unified hierarchy, or perf_event's own if it has one.
 */
#include <signal.h>
#include <sys/mount.h>

#include "../lib/cgroup.h"
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define PAGES	100

/* A task in a control group. It is resident and faults on demand. */
struct member {
	struct gate go;
	struct gate done;
	pid_t pid;
};

FIXTURE(cgroup)
{
	char root[PATH_MAX];
	char top[PATH_MAX];
	char a[PATH_MAX + 8];
	char b[PATH_MAX + 8];
	char nested[PATH_MAX + 16];
	int cpu;
	int other;	/* another CPU, or -1 */
	int removable;	/* one that can be taken offline, or -1 */
};

/* Find where the hierarchy that perf_event uses is mounted. */
static int find_hierarchy(char *path)
{
	char line[1024], dir[512], type[64], opts[512];
	FILE *mounts = fopen("/proc/mounts", "r");
	int found = -ENOENT;

	if (!mounts)
		return -errno;
	while (fgets(line, sizeof(line), mounts)) {
		if (sscanf(line, "%*s %511s %63s %511s", dir, type, opts) != 3)
			continue;
		if (!strcmp(type, "cgroup") && strstr(opts, "perf_event")) {
			snprintf(path, PATH_MAX, "%s", dir);
			found = 0;
			break;
		}
		if (!strcmp(type, "cgroup2") && found) {
			snprintf(path, PATH_MAX, "%s", dir);
			found = 0;
		}
	}
	fclose(mounts);
	return found;
}

/*
 * Let the root delegate its controllers. Before that a directory of the unified
 * hierarchy has no perf_event side. User space usually does so at boot.
 */
static void wake_hierarchy(const char *root)
{
	char path[PATH_MAX + 32], names[256], text[260];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", root);
	if (file_read(path, names, sizeof(names)) <= 0)
		return;
	names[strcspn(names, "\n ")] = '\0';
	snprintf(text, sizeof(text), "+%s", names);
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", root);
	file_write(path, text);
}

static int move_to(const char *dir, pid_t pid)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	return file_write_long(path, pid);
}

FIXTURE_SETUP(cgroup)
{
	ASSERT_EQ(0, find_hierarchy(self->root)) {
		TH_LOG("no control group hierarchy is mounted");
	}
	wake_hierarchy(self->root);
	snprintf(self->top, sizeof(self->top) - 1, "%.2000s/perf_test_%d",
		 self->root, getpid());
	snprintf(self->a, sizeof(self->a), "%s/a", self->top);
	snprintf(self->b, sizeof(self->b), "%s/b", self->top);
	snprintf(self->nested, sizeof(self->nested), "%s/nested", self->a);
	ASSERT_EQ(0, mkdir(self->top, 0755));
	ASSERT_EQ(0, mkdir(self->a, 0755));
	ASSERT_EQ(0, mkdir(self->b, 0755));
	ASSERT_EQ(0, mkdir(self->nested, 0755));
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	self->removable = hotplug_cpu();
	if (self->removable == self->cpu)
		self->removable = -1;
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN_PARENT(cgroup)
{
	if (self->removable > 0)
		cpu_set_online(self->removable, true);
	cgroup_remove(self->nested);
	cgroup_remove(self->a);
	cgroup_remove(self->b);
	EXPECT_EQ(0, cgroup_remove(self->top));
}

static int open_on(const char *dir, struct perf_event_attr attr, int cpu,
		   int group_fd)
{
	int cgroup = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd;

	if (cgroup < 0)
		return -errno;
	fd = perf_raw_open(&attr, cgroup, cpu, group_fd,
			   PERF_FLAG_PID_CGROUP);
	close(cgroup);
	return fd;
}

static struct member member_of(const char *dir)
{
	struct member m = { gate_new(), gate_new(), 0 };
	void *p;

	m.pid = fork_child();
	if (m.pid == 0) {
		if (move_to(dir, getpid()) || stay_resident())
			_exit(1);
		/* Page tables for the pages to come, so that only pages fault. */
		p = map_fresh_pages(PAGES);
		touch_pages(p, PAGES);
		gate_open(&m.done);
		for (;;) {
			gate_wait(&m.go);
			madvise(p, PAGES * sysconf(_SC_PAGESIZE),
				MADV_DONTNEED);
			touch_pages(p, PAGES);
			gate_open(&m.done);
		}
	}
	close(m.done.wr);
	gate_wait(&m.done);
	return m;
}

static void member_round(struct member *m)
{
	gate_open(&m->go);
	gate_wait(&m->done);
}

static void member_end(struct member *m)
{
	kill(m->pid, SIGKILL);
	waitpid(m->pid, NULL, 0);
}

TEST_F(cgroup, counts_its_tasks_exactly)
{
	struct member in_a = member_of(self->a);
	struct member in_b = member_of(self->b);
	int fd = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int i;

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, perf_count(fd));
	for (i = 1; i <= 5; i++) {
		member_round(&in_a);
		EXPECT_EQ(i * PAGES, perf_count(fd));
		member_round(&in_b);
		EXPECT_EQ(i * PAGES, perf_count(fd));
	}
	/* The faults of this task are not counted. */
	fault_pages(20);
	EXPECT_EQ(5 * PAGES, perf_count(fd));
	member_end(&in_a);
	member_end(&in_b);
}

TEST_F(cgroup, two_take_turns)
{
	struct member in_a = member_of(self->a);
	struct member in_b = member_of(self->b);
	int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int b = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int i;

	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	for (i = 0; i < 50; i++) {
		member_round(&in_a);
		member_round(&in_b);
		if (i % 2)
			member_round(&in_b);
	}
	EXPECT_EQ(50 * PAGES, perf_count(a));
	EXPECT_EQ(75 * PAGES, perf_count(b));
	member_end(&in_a);
	member_end(&in_b);
}

TEST_F(cgroup, nested_count_upwards)
{
	struct member in_a = member_of(self->a);
	struct member deep = member_of(self->nested);
	int top = open_on(self->top, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int b = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int nested = open_on(self->nested, PERF_SW(PAGE_FAULTS), self->cpu,
			     -1);

	ASSERT_LE(0, top);
	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	ASSERT_LE(0, nested);
	member_round(&in_a);
	EXPECT_EQ(PAGES, perf_count(top));
	EXPECT_EQ(PAGES, perf_count(a));
	EXPECT_EQ(0, perf_count(nested));
	member_round(&deep);
	EXPECT_EQ(2 * PAGES, perf_count(top));
	EXPECT_EQ(2 * PAGES, perf_count(a));
	EXPECT_EQ(PAGES, perf_count(nested));
	EXPECT_EQ(0, perf_count(b));
	member_end(&in_a);
	member_end(&deep);
}

TEST_F(cgroup, root_counts_all)
{
	struct member deep = member_of(self->nested);
	int fd = open_on(self->root, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	__u64 before;

	ASSERT_LE(0, fd);
	before = perf_count(fd);
	member_round(&deep);
	EXPECT_LE(before + PAGES, perf_count(fd));
	before = perf_count(fd);
	fault_pages(20);
	EXPECT_LE(before + 20, perf_count(fd));
	member_end(&deep);
}

TEST_F(cgroup, task_moves)
{
	struct member m = member_of(self->a);
	int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int b = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int i;

	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	for (i = 1; i <= 5; i++) {
		member_round(&m);
		ASSERT_EQ(0, move_to(self->b, m.pid));
		member_round(&m);
		member_round(&m);
		ASSERT_EQ(0, move_to(self->a, m.pid));
		EXPECT_EQ(i * PAGES, perf_count(a));
		EXPECT_EQ(2 * i * PAGES, perf_count(b));
	}
	member_end(&m);
}

/* A task that moves itself is counted in its new group at once. */
TEST_F(cgroup, running_task_moves_itself)
{
	int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int b = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	void *p = map_fresh_pages(4 * PAGES);
	size_t page = sysconf(_SC_PAGESIZE);
	__u64 before_a, before_b;

	ASSERT_LE(0, a);
	ASSERT_LE(0, b);
	ASSERT_EQ(0, stay_resident());
	munmap(p, 4 * PAGES * page);
	p = map_fresh_pages(4 * PAGES);
	ASSERT_NE(NULL, p);
	touch_pages(p, 1);
	EXPECT_EQ(0, perf_count(a));
	ASSERT_EQ(0, move_to(self->a, getpid()));
	before_a = perf_count(a);
	touch_pages(p + PAGES * page, PAGES);
	EXPECT_EQ(before_a + PAGES, perf_count(a));
	before_b = perf_count(b);
	ASSERT_EQ(0, move_to(self->b, getpid()));
	touch_pages(p + 2 * PAGES * page, PAGES);
	EXPECT_LE(before_b + PAGES, perf_count(b));
	EXPECT_GE(before_a + PAGES + 5, perf_count(a));
	ASSERT_EQ(0, move_to(self->root, getpid()));
	before_b = perf_count(b);
	touch_pages(p + 3 * PAGES * page, PAGES);
	EXPECT_EQ(before_b, perf_count(b));
}

/* Return: a task that runs on @cpu until it is killed, and is not preempted, or -1. */
static pid_t busy_on(int cpu)
{
	pid_t child;
	bool busy;
	int fd;

	/* tasks that the last one has kept waiting run now */
	sleep_ms(50);
	child = fork_child();
	if (child == 0) {
		struct sched_param fifo = { .sched_priority = 1 };

		if (pin_to_cpu(cpu) || sched_setscheduler(0, SCHED_FIFO, &fifo))
			_exit(1);
		for (;;)
			burn_cpu(NSEC_PER_MSEC);
	}
	fd = perf_open(PERF_SW(TASK_CLOCK), child, cpu, -1);
	busy = BURNS_UNTIL(perf_count(fd) > NSEC_PER_MSEC);
	close(fd);
	if (busy)
		return child;
	kill_child(child);
	return -1;
}

/*
 * Move a task that runs on another CPU. Return whether the event @fd counts there before any
 * switch.
 */
static bool counts_before_a_switch(const char *dir, pid_t child, int cpu, int fd)
{
	int switches = perf_open(PERF_SW(CONTEXT_SWITCHES), -1, cpu, -1);
	__u64 at = perf_count(switches), before = perf_count(fd);
	bool right;

	burn_cpu(NSEC_PER_MSEC);
	right = perf_count(fd) == before && !move_to(dir, child) &&
		BURNS_UNTIL(perf_count(fd) > before || perf_count(switches) != at) &&
		perf_count(switches) == at;
	close(switches);
	return right;
}

static bool counts_moved_task(const char *dir, int cpu, int fd)
{
	pid_t child = busy_on(cpu);
	bool right;

	if (child < 0)
		return false;
	right = counts_before_a_switch(dir, child, cpu, fd);
	kill_child(child);
	return right;
}

/* No switch tells the CPU that its task was moved. It is interrupted. */
TEST_F(cgroup, running_task_is_moved)
{
	int fd;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	fd = open_on(self->a, PERF_SW(CPU_CLOCK), self->other, -1);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(IN_SOME_TRY(100, counts_moved_task(self->a, self->other, fd)));
	close(fd);
}

/* A task's own event waits for counters that pinned events of its cgroup have. It is moved. */
static bool gets_counter_of_cgroup(const char *from, const char *to, int cpu, int pinned)
{
	pid_t child = busy_on(cpu);
	__u64 before = perf_count(pinned);
	struct perf_event_attr attr = fake_attr("ns");
	bool right = false;
	int fd;

	if (child < 0)
		return false;
	attr.read_format = 0;
	if (!move_to(from, child) && BURNS_UNTIL(perf_count(pinned) > before)) {
		fd = perf_open(attr, child, -1, -1);
		right = fd >= 0 && counts_before_a_switch(to, child, cpu, fd);
		close(fd);
	}
	kill_child(child);
	return right;
}

TEST_F(cgroup, counters_of_running_task_that_is_moved)
{
	static const char interval[] = FAKE_DEVICE "/perf_event_mux_interval_ms";
	int pinned[FAKE_COUNTERS];
	long ms;

	SKIP_WITHOUT_FAKE();
	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	for (int i = 0; i < FAKE_COUNTERS; i++) {
		struct perf_event_attr attr = fake_attr("ns");

		attr.pinned = 1;
		attr.read_format = 0;
		pinned[i] = open_on(self->a, attr, self->other, -1);
		ASSERT_LE(0, pinned[i]);
	}
	/* no rotation comes first */
	ASSERT_EQ(0, file_read_long(interval, &ms));
	ASSERT_EQ(0, file_write_long(interval, 1000000));
	EXPECT_TRUE(IN_SOME_TRY(100, gets_counter_of_cgroup(self->a, self->b, self->other,
							    pinned[0])));
	EXPECT_EQ(0, file_write_long(interval, ms));
}

TEST_F(cgroup, group_of_events)
{
	struct member m = member_of(self->a);
	int leader = open_on(self->a, PERF_SW(PAGE_FAULTS, .disabled = 1,
			     .read_format = PERF_FORMAT_GROUP), self->cpu, -1);
	int member = open_on(self->a, PERF_SW(PAGE_FAULTS_MIN), self->cpu,
			     leader);
	__u64 buf[8];

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	member_round(&m);
	ASSERT_EQ(0, perf_enable(leader));
	member_round(&m);
	member_round(&m);
	ASSERT_EQ(0, perf_disable(leader));
	member_round(&m);
	ASSERT_EQ(24, read(leader, buf, sizeof(buf)));
	EXPECT_EQ(2, buf[0]);
	EXPECT_EQ(2 * PAGES, buf[1]);
	EXPECT_EQ(2 * PAGES, buf[2]);
	member_end(&m);
}

TEST_F(cgroup, group_across_cgroups_refused)
{
	int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	int plain = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu, -1);

	ASSERT_LE(0, a);
	ASSERT_LE(0, plain);
	EXPECT_EQ(-EINVAL, open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu,
				   a));
	EXPECT_EQ(-EINVAL, open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu,
				   plain));
	/* A member that names no cgroup has its leader's. */
	EXPECT_EQ(0, perf_try(PERF_SW(PAGE_FAULTS), -1, self->cpu, a, 0));
	EXPECT_EQ(-EINVAL, perf_try(PERF_SW(PAGE_FAULTS), 0, self->cpu, a,
				    0));
}

/* Such a member stays enabled. Then it is an event of the CPU. */
TEST_F(cgroup, plain_member_without_leader)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .read_format =
					      PERF_ALL_TIMES);
	struct member in = member_of(self->a), out = member_of(self->b);
	struct perf_timed before, t;
	int leader = open_on(self->a, attr, self->cpu, -1), plain;

	plain = perf_open(attr, -1, self->cpu, leader);
	ASSERT_LE(0, leader);
	ASSERT_LE(0, plain);
	member_round(&in);
	member_round(&out);
	ASSERT_TRUE(wait_asleep(in.pid));
	before = perf_timed_count(plain);
	EXPECT_EQ(PAGES, before.value);
	burn_cpu(20 * NSEC_PER_MSEC);
	t = perf_timed_count(plain);
	EXPECT_LE(before.enabled + 20 * NSEC_PER_MSEC, t.enabled);
	/* No task of the group runs. */
	EXPECT_EQ(before.running, t.running);

	close(leader);
	/* Some kernels update the member only now. */
	perf_disable(plain);
	perf_enable(plain);
	/* Now all tasks of the CPU count, not only these two. */
	before = perf_timed_count(plain);
	EXPECT_LE(PAGES, before.value);
	EXPECT_GT(2 * PAGES, before.value);
	member_round(&in);
	member_round(&out);
	t = perf_timed_count(plain);
	EXPECT_LE(before.value + 2 * PAGES, t.value);
	EXPECT_GT(before.value + 3 * PAGES, t.value);
	EXPECT_EQ(t.enabled - before.enabled, t.running - before.running);
	member_end(&in);
	member_end(&out);
}

#define RENAMES	50

static int rename_in(const char *dir, int nr)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		if (move_to(dir, getpid()))
			_exit(1);
		rename_self(nr);
		_exit(0);
	}
	return wait_status(pid);
}

/*
 * A tracepoint without a cgroup counts with its leader, and alone when the leader is closed. The
 * second time it is disabled meanwhile. Then the cgroup has no event any more. Kernel threads may
 * be renamed at any time.
 */
TEST_F(cgroup, plain_tracepoint_without_leader)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, 0);
	int leader, plain, off;
	__u64 before;
	long id;

	id = tracepoint_id("task/task_rename");
	if (id < 0)
		SKIP(return, "no tracepoints");
	attr.config = id;
	for (off = 0; off < 2; off++) {
		leader = open_on(self->a, PERF_SW(CPU_CLOCK), self->cpu, -1);
		plain = perf_open(attr, -1, self->cpu, leader);
		ASSERT_LE(0, leader);
		ASSERT_LE(0, plain);
		rename_self(RENAMES);
		EXPECT_GT(RENAMES, perf_count(plain));
		EXPECT_EQ(0, rename_in(self->a, RENAMES));
		EXPECT_EQ(0, rename_in(self->b, RENAMES));
		EXPECT_LE(RENAMES, perf_count(plain));
		EXPECT_GT(2 * RENAMES, perf_count(plain));

		if (off)
			perf_disable(plain);
		close(leader);
		if (!off && perf_is_stock())
			perf_disable(plain);
		/* Some kernels update the member only now. */
		if (off || perf_is_stock())
			perf_enable(plain);
		before = perf_count(plain);
		rename_self(RENAMES);
		EXPECT_EQ(0, rename_in(self->a, RENAMES));
		EXPECT_LE(2 * RENAMES, perf_count(plain) - before);
		EXPECT_GT(3 * RENAMES, perf_count(plain) - before);
		perf_disable(plain);
		before = perf_count(plain);
		rename_self(RENAMES);
		EXPECT_EQ(before, perf_count(plain));
		close(plain);
	}
}

/* The remaining members count correctly in any order of closing. */
TEST_F(cgroup, members_close_in_any_order)
{
	struct member in = member_of(self->a);
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS);
	int fds[3], first, i;

	for (first = 0; first < 3; first++) {
		fds[0] = open_on(self->a, attr, self->cpu, -1);
		fds[1] = perf_open(attr, -1, self->cpu, fds[0]);
		fds[2] = open_on(self->a, attr, self->cpu, fds[0]);
		for (i = 0; i < 3; i++)
			ASSERT_LE(0, fds[i]);
		member_round(&in);
		close(fds[first]);
		for (i = 0; i < 3; i++) {
			if (i == first)
				continue;
			perf_disable(fds[i]);
			perf_enable(fds[i]);
		}
		member_round(&in);
		for (i = 0; i < 3; i++) {
			if (i == first)
				continue;
			EXPECT_LE(2 * PAGES, perf_count(fds[i]));
			EXPECT_GT(3 * PAGES, perf_count(fds[i]));
			close(fds[i]);
		}
	}
	member_end(&in);
}

TEST_F(cgroup, other_cpu_does_not_count)
{
	struct member m = member_of(self->a);
	int there = self->other, fd;
	cpu_set_t all;

	if (there < 0)
		SKIP(goto out, "needs two CPUs");
	fd = open_on(self->a, PERF_SW(PAGE_FAULTS), there, -1);
	ASSERT_LE(0, fd);
	member_round(&m);
	EXPECT_EQ(0, perf_count(fd));
	CPU_ZERO(&all);
	CPU_SET(there, &all);
	ASSERT_EQ(0, sched_setaffinity(m.pid, sizeof(all), &all));
	member_round(&m);
	EXPECT_EQ(PAGES, perf_count(fd));
out:
	member_end(&m);
}

/* Have the kernel free what it frees later. */
static void free_all(void)
{
	file_write_long("/proc/sys/vm/drop_caches", 2);
	file_write_long("/sys/module/rcutree/parameters/do_rcu_barrier", 1);
}

/*
 * A group stays readable, on the stock kernel its leader does. What the events of a cgroup share on
 * a CPU is freed with the last of them. KASAN reports an access.
 */
TEST_F(cgroup, group_is_read_after_its_cpu_went)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .read_format = PERF_FORMAT_GROUP);
	int cpu = self->removable, leader, sibling;
	__u64 values[3];

	if (cpu < 0)
		SKIP(return, "no CPU that can be taken offline");
	leader = open_on(self->a, attr, cpu, -1);
	sibling = open_on(self->a, attr, cpu, leader);
	ASSERT_LE(0, sibling);
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	/* what is collected is freed by a work item, soon */
	for (int i = 0; i < 20; i++) {
		free_all();
		memset(values, 0, sizeof(values));
		EXPECT_LE((ssize_t)(2 * sizeof(*values)), read(leader, values, sizeof(values)));
		EXPECT_LE(1, values[0]);
		EXPECT_EQ(0, values[1]);
		EXPECT_EQ(0, values[2]);
	}
	EXPECT_EQ(0, cpu_set_online(cpu, true));
	close(sibling);
	close(leader);
}

/* The event's times advance while tasks of its group are on the CPU. */
TEST_F(cgroup, times)
{
	struct member m = member_of(self->a);
	int fd = open_on(self->a, PERF_SW(PAGE_FAULTS, .read_format =
					  PERF_ALL_TIMES), self->cpu, -1);
	struct perf_timed t, last;

	ASSERT_LE(0, fd);
	member_round(&m);
	ASSERT_TRUE(wait_asleep(m.pid));
	last = perf_timed_count(fd);
	EXPECT_EQ(PAGES, last.value);
	EXPECT_LT(0, last.running);
	EXPECT_LE(last.running, last.enabled);
	/* Now no task of the group runs. */
	burn_cpu(5 * NSEC_PER_MSEC);
	t = perf_timed_count(fd);
	EXPECT_EQ(last.running, t.running);
	member_round(&m);
	t = perf_timed_count(fd);
	EXPECT_LT(last.running, t.running);
	EXPECT_LE(t.running, t.enabled);
	member_end(&m);
}

TEST_F(cgroup, removed_directory)
{
	struct member m = member_of(self->a);
	int fd;

	fd = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, move_to(self->b, m.pid));
	member_round(&m);
	ASSERT_EQ(0, move_to(self->a, m.pid));
	ASSERT_EQ(0, cgroup_remove(self->b));
	EXPECT_EQ(PAGES, perf_count(fd));
	member_round(&m);
	EXPECT_EQ(PAGES, perf_count(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_EQ(0, perf_enable(fd));
	EXPECT_EQ(PAGES, perf_count(fd));
	close(fd);
	member_end(&m);
}

TEST_F(cgroup, opened_by_removed_directory)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS);
	int dir = open(self->b, O_RDONLY | O_DIRECTORY), fd;

	ASSERT_LE(0, dir);
	ASSERT_EQ(0, rmdir(self->b));
	fd = perf_raw_open(&attr, dir, self->cpu, -1, PERF_FLAG_PID_CGROUP);
	EXPECT_EQ(-ENOENT, fd);
}

TEST_F(cgroup, many_open_and_close)
{
	struct member in_a = member_of(self->a);
	struct member in_b = member_of(self->b);
	int keep = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1), i;

	ASSERT_LE(0, keep);
	for (i = 1; i <= 30; i++) {
		int a = open_on(self->a, PERF_SW(PAGE_FAULTS), self->cpu, -1);
		int b = open_on(self->b, PERF_SW(PAGE_FAULTS), self->cpu, -1);

		ASSERT_LE(0, a);
		ASSERT_LE(0, b);
		member_round(&in_a);
		member_round(&in_b);
		EXPECT_EQ(PAGES, perf_count(a));
		EXPECT_EQ(PAGES, perf_count(b));
		EXPECT_EQ(i * PAGES, perf_count(keep));
		close(a);
		close(b);
	}
	member_end(&in_a);
	member_end(&in_b);
}

/* cgroup-switches: a switch to a task of another group, and no other switch. */
TEST_F(cgroup, switches_between)
{
	struct member in_a = member_of(self->a);
	struct member in_b = member_of(self->b);
	int fd = perf_open(PERF_SW(CGROUP_SWITCHES), -1, self->cpu, -1);
	int on_a = perf_open(PERF_SW(CGROUP_SWITCHES), in_a.pid, -1, -1);
	__u64 before;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, on_a);
	before = perf_count(fd);
	for (i = 0; i < 50; i++) {
		member_round(&in_a);
		member_round(&in_b);
	}
	/* One switch each way for each of the two. */
	EXPECT_LE(before + 150, perf_count(fd));
	EXPECT_LE(50, perf_count(on_a));
	member_end(&in_a);
	member_end(&in_b);
}

/* Fork a member that only opens the other gate in a round, so that a round rarely spans a tick. */
static struct member idle_member(void)
{
	struct member m = { gate_new(), gate_new(), 0 };

	m.pid = echo_child(&m.go, &m.done);
	return m;
}

/*
 * Let two members of a group alternate. Returns true if most switches of the first one are within
 * the group. The event @fd counts those between groups, and @all counts all.
 */
static bool alternate_within(struct __test_metadata *_metadata, struct member *first,
			     struct member *second, int fd, int all)
{
	__u64 between = perf_count(fd), switches = perf_count(all);
	int i;

	for (i = 0; i < 100; i++) {
		member_round(first);
		member_round(second);
	}
	between = perf_count(fd) - between;
	switches = perf_count(all) - switches;
	EXPECT_LE(100, switches);
	return between < switches / 2;
}

TEST_F(cgroup, switches_within)
{
	struct member first, second;
	int fd, all;

	ASSERT_EQ(0, move_to(self->a, getpid()));
	first = idle_member();
	second = idle_member();
	fd = perf_open(PERF_SW(CGROUP_SWITCHES), first.pid, -1, -1);
	all = perf_open(PERF_SW(CONTEXT_SWITCHES), first.pid, -1, -1);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, all);
	/*
	 * Another task may run in between. The slower the machine, the more often it does:
	 * one of a few tries has to have mostly switches within the group.
	 */
	EXPECT_TRUE(IN_SOME_TRY(50, alternate_within(_metadata, &first, &second, fd, all)));
	member_end(&first);
	member_end(&second);
	ASSERT_EQ(0, move_to(self->root, getpid()));
}

TEST_HARNESS_MAIN
