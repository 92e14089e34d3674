// SPDX-License-Identifier: GPL-2.0
/*
 * How many events a user without CAP_PERFMON may have for one task, CPU or cgroup, and limits that
 * hold with CAP_PERFMON, too. The numbers are in Documentation/perf/abi.rst.
 */
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>

#include "../lib/cgroup.h"
#include "../lib/cpu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"
#include "../lib/user.h"

#define EVENTS_OF_USERS		4096
#define VISITED_OF_USERS	64
#define BOUND_OF_ANYONE		512

#define TOO_MANY_VISITED	"more than 64 events that a switch visits need CAP_PERFMON"
#define TOO_MANY_OF_A_TASK	"more than 4096 events need CAP_PERFMON"

/* Change the effective capabilities; they can be had back. */
static int have_caps(__u64 caps)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective = data[0].permitted & caps;
	data[1].effective = data[1].permitted & (caps >> 32);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/*
 * Open up to @nr events for the calling thread, with these capabilities at most.
 *
 * Return: how many; if one was refused, its descriptor is the error.
 */
static int open_with(__u64 caps, struct perf_event_attr attr, int *fds, int nr)
{
	int i;

	if (have_caps(caps))
		return -1;
	for (i = 0; i < nr; i++) {
		fds[i] = perf_open_self(attr);
		if (fds[i] < 0)
			break;
	}
	return i;
}

/* Does the reason of the last refusal contain @text? */
static bool refusal_says(const char *text)
{
	char why[256];

	return file_read("/proc/self/perf_event_refusal", why, sizeof(why)) > 0 &&
	       strstr(why, text);
}

/* Events that an occurrence with interrupts off visits. */
FIXTURE(visited)
{
	long saved;		/* perf_event_paranoid before the test */
	struct perf_event_attr attr;
};

FIXTURE_VARIANT(visited)
{
	struct perf_event_attr attr;
	const char *tracepoint;
	const char *pmu;
	long level;
};

FIXTURE_VARIANT_ADD(visited, outputs_of_programs) {
	.attr = PERF_SW(BPF_OUTPUT, .exclude_kernel = 1, .inherit = 1), .level = 2
};

FIXTURE_VARIANT_ADD(visited, records_of_switches) {
	.attr = PERF_SW(DUMMY, .context_switch = 1, .exclude_kernel = 1, .inherit = 1), .level = 2
};

FIXTURE_VARIANT_ADD(visited, switches) {
	.attr = PERF_SW(CONTEXT_SWITCHES, .inherit = 1), .level = 1
};

FIXTURE_VARIANT_ADD(visited, migrations) {
	.attr = PERF_SW(CPU_MIGRATIONS, .inherit = 1), .level = 1
};

FIXTURE_VARIANT_ADD(visited, switches_of_cgroups) {
	.attr = PERF_SW(CGROUP_SWITCHES, .inherit = 1), .level = 1
};

FIXTURE_VARIANT_ADD(visited, tracepoint) {
	.attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, 0, .inherit = 1), .level = 1,
	.tracepoint = "sched/sched_switch"
};

/* Event 0 is tsc, which exists wherever the PMU does. It cannot exclude the kernel. */
FIXTURE_VARIANT_ADD(visited, counters_of_msr) {
	.attr = PERF_ATTR(0, 0, .inherit = 1), .level = 1, .pmu = "msr"
};

FIXTURE_SETUP(visited)
{
	ASSERT_EQ(0, geteuid());
	self->attr = variant->attr;
	ASSERT_EQ(0, file_read_long(PARANOID, &self->saved));
	if (variant->tracepoint) {
		long id = tracepoint_id(variant->tracepoint);

		if (id < 0)
			SKIP(return, "no tracepoints");
		self->attr.config = id;
	}
	if (variant->pmu) {
		long type = pmu_type(variant->pmu);

		if (type < 0)
			SKIP(return, "no PMU %s: it is x86's", variant->pmu);
		self->attr.type = type;
	}
	SKIP_STOCK_FAULT(true, "an occurrence visits any number of events");
	ASSERT_EQ(0, file_write_long(PARANOID, variant->level));
}

FIXTURE_TEARDOWN(visited)
{
	EXPECT_EQ(0, file_write_long(PARANOID, self->saved));
}

TEST_F(visited, are_few)
{
	int fds[VISITED_OF_USERS + 1], more;

	EXPECT_EQ(VISITED_OF_USERS, open_with(0, self->attr, fds, VISITED_OF_USERS + 1));
	EXPECT_EQ(-ENOSPC, fds[VISITED_OF_USERS]);
	EXPECT_TRUE(refused_for("config"));
	EXPECT_TRUE(refusal_says(variant->tracepoint ? "there are 64 events of this tracepoint" :
						       TOO_MANY_VISITED));
	/* There is room again. */
	close(fds[3]);
	fds[3] = perf_open_self(self->attr);
	EXPECT_LE(0, fds[3]);
	/* Another kind of event is not concerned. */
	more = perf_open_self(PERF_SW(PAGE_FAULTS, .exclude_kernel = 1));
	EXPECT_LE(0, more);
	close(more);
	perf_close_all(fds, VISITED_OF_USERS);
}

TEST_F(visited, are_more_with_cap_perfmon)
{
	int fds[VISITED_OF_USERS + 1];

	EXPECT_EQ(VISITED_OF_USERS + 1, open_with(USER_CAP(CAP_PERFMON), self->attr, fds,
						  VISITED_OF_USERS + 1));
	ASSERT_EQ(0, have_caps(0));
	EXPECT_EQ(-ENOSPC, perf_try_self(self->attr));
	perf_close_all(fds, VISITED_OF_USERS + 1);
}

/* A task that opens the events, and creates the next task, could have any number otherwise. */
TEST_F(visited, include_inherited)
{
	int fds[VISITED_OF_USERS];
	pid_t child;

	ASSERT_EQ(VISITED_OF_USERS, open_with(0, self->attr, fds, VISITED_OF_USERS));
	child = fork_child();
	if (child == 0)
		_exit(perf_try_self(self->attr) == -ENOSPC ? 0 : 1);
	EXPECT_EQ(0, wait_status(child));
	perf_close_all(fds, VISITED_OF_USERS);
}

/* They count nothing, and no switch visits them. */
TEST(switches_without_the_kernel)
{
	const struct perf_event_attr attr = PERF_SW(CONTEXT_SWITCHES, .exclude_kernel = 1);
	int fds[VISITED_OF_USERS + 1];
	__u64 sum = 0;
	long saved;
	int i;

	ASSERT_EQ(0, file_read_long(PARANOID, &saved));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	EXPECT_EQ(VISITED_OF_USERS + 1, open_with(0, attr, fds, VISITED_OF_USERS + 1));
	usleep(1);
	for (i = 0; i <= VISITED_OF_USERS; i++)
		sum += perf_count(fds[i]);
	EXPECT_EQ(0, sum);
	perf_close_all(fds, VISITED_OF_USERS + 1);
	EXPECT_EQ(0, file_write_long(PARANOID, saved));
}

TEST(events_of_a_task)
{
	const struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .exclude_kernel = 1);
	struct rlimit limit = { EVENTS_OF_USERS + 100, EVENTS_OF_USERS + 100 };
	static int fds[EVENTS_OF_USERS + 1];
	long saved;

	SKIP_STOCK_FAULT(true, "an occurrence visits any number of events");
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	ASSERT_EQ(0, file_read_long(PARANOID, &saved));
	ASSERT_EQ(0, file_write_long(PARANOID, 2));
	EXPECT_EQ(EVENTS_OF_USERS, open_with(0, attr, fds, EVENTS_OF_USERS + 1));
	EXPECT_EQ(-ENOSPC, fds[EVENTS_OF_USERS]);
	EXPECT_TRUE(refused_for("pid"));
	EXPECT_TRUE(refusal_says(TOO_MANY_OF_A_TASK));
	fds[EVENTS_OF_USERS] = perf_open(attr, 0, 0, -1);
	/* bound to a CPU: another sub-context */
	EXPECT_LE(0, fds[EVENTS_OF_USERS]);
	close(fds[EVENTS_OF_USERS]);
	EXPECT_EQ(1, open_with(USER_CAP(CAP_PERFMON), attr, fds + EVENTS_OF_USERS, 1));
	perf_close_all(fds, EVENTS_OF_USERS + 1);
	EXPECT_EQ(0, file_write_long(PARANOID, saved));
}

/* Events that the switches of a CPU visit. */
FIXTURE(visited_by_cpu)
{
	int cpu[2];
	long saved;
	int fds[VISITED_OF_USERS + 1];
	int nr;
};

/* @leader: A member of the group that the events join, or -1. Return: The result of the last. */
static int open_on_cpu(FIXTURE_DATA(visited_by_cpu) *self, int leader, int nr)
{
	const struct perf_event_attr attr = PERF_SW(CONTEXT_SWITCHES);
	int fd = 0;

	while (nr-- && fd >= 0) {
		fd = perf_open(attr, -1, self->cpu[0], leader);
		if (fd >= 0 && self->nr < (int)ARRAY_SIZE(self->fds))
			self->fds[self->nr++] = fd;
		else
			close(fd);
	}
	return fd;
}

#define EXPECT_NO_ROOM(_leader) do {					\
	EXPECT_EQ(-ENOSPC, open_on_cpu(self, (_leader), 1));		\
	EXPECT_TRUE(refused_for("config"));				\
	EXPECT_TRUE(refusal_says(TOO_MANY_VISITED));			\
} while (0)

FIXTURE_SETUP(visited_by_cpu)
{
	self->cpu[0] = nth_cpu(0);
	self->cpu[1] = nth_cpu(1);
	ASSERT_EQ(0, file_read_long(PARANOID, &self->saved));
	SKIP_STOCK_FAULT(true, "an occurrence visits any number of events");
	ASSERT_EQ(0, file_write_long(PARANOID, -1));
}

FIXTURE_TEARDOWN(visited_by_cpu)
{
	EXPECT_EQ(0, have_caps(~0ULL));
	EXPECT_EQ(0, file_write_long(PARANOID, self->saved));
}

TEST_F(visited_by_cpu, are_few)
{
	const struct perf_event_attr attr = PERF_SW(CONTEXT_SWITCHES);
	int other;

	ASSERT_EQ(0, have_caps(0));
	ASSERT_LE(0, open_on_cpu(self, -1, VISITED_OF_USERS));
	EXPECT_NO_ROOM(-1);
	/* other targets, and another kind of event */
	EXPECT_EQ(0, perf_try_self(attr));
	if (self->cpu[1] >= 0) {
		other = perf_open(attr, -1, self->cpu[1], -1);
		EXPECT_LE(0, other);
		close(other);
	}
	other = perf_open(PERF_SW(PAGE_FAULTS), -1, self->cpu[0], -1);
	EXPECT_LE(0, other);
	close(other);

	close(self->fds[--self->nr]);
	EXPECT_LE(0, open_on_cpu(self, -1, 1));
	ASSERT_EQ(0, have_caps(USER_CAP(CAP_PERFMON)));
	EXPECT_LE(0, open_on_cpu(self, -1, 1));
	perf_close_all(self->fds, self->nr);
}

/* A leader in @dir, for events without a cgroup. */
static int open_leader(FIXTURE_DATA(visited_by_cpu) *self, const char *dir)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY);
	int fd = perf_raw_open(&attr, dir_fd, self->cpu[0], -1, PERF_FLAG_PID_CGROUP);

	close(dir_fd);
	return fd;
}

/* When the leader is closed, they are events of the CPU. That cannot be refused. */
TEST_F(visited_by_cpu, may_have_a_leader_in_a_cgroup)
{
	char dir[PATH_MAX];
	int leader, err;

	err = cgroup_make("perf_limits", dir, sizeof(dir));
	if (err == -ENOENT)
		SKIP(return, "needs cgroups");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, have_caps(0));
	leader = open_leader(self, dir);
	EXPECT_LE(0, leader);
	EXPECT_LE(0, open_on_cpu(self, leader, VISITED_OF_USERS));
	EXPECT_EQ(VISITED_OF_USERS, self->nr);
	EXPECT_NO_ROOM(leader);
	EXPECT_NO_ROOM(-1);

	close(leader);
	EXPECT_NO_ROOM(-1);
	leader = open_leader(self, dir);
	EXPECT_LE(0, leader);
	EXPECT_NO_ROOM(leader);
	close(self->fds[--self->nr]);
	EXPECT_LE(0, open_on_cpu(self, leader, 1));
	close(leader);
	perf_close_all(self->fds, self->nr);
	ASSERT_EQ(0, have_caps(~0ULL));
	EXPECT_EQ(0, cgroup_remove(dir));
}

/* A wakeup counts all events of the woken task that are bound to the CPU. */
TEST(bound_events_of_a_tracepoint)
{
	struct rlimit limit = { BOUND_OF_ANYONE + 100, BOUND_OF_ANYONE + 100 };
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, 0);
	long id = tracepoint_id("sched/sched_wakeup");
	int fds[BOUND_OF_ANYONE], i, cpu = nth_cpu(0), other = nth_cpu(1);

	if (id < 0)
		SKIP(return, "no tracepoints");
	SKIP_STOCK_FAULT(true, "an occurrence visits any number of events");
	attr.config = id;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < BOUND_OF_ANYONE; i++) {
		fds[i] = perf_open(attr, 0, cpu, -1);
		ASSERT_LE(0, fds[i]);
	}
	EXPECT_EQ(-ENOSPC, perf_open(attr, 0, cpu, -1));
	EXPECT_TRUE(refused_for("config"));
	EXPECT_TRUE(refusal_says("there are 512 events of this tracepoint already"));
	/* not bound, or elsewhere */
	EXPECT_EQ(0, perf_try_self(attr));
	if (other >= 0) {
		other = perf_open(attr, 0, other, -1);
		EXPECT_LE(0, other);
		close(other);
	}
	close(fds[--i]);
	fds[i] = perf_open(attr, 0, cpu, -1);
	EXPECT_LE(0, fds[i]);
	perf_close_all(fds, BOUND_OF_ANYONE);
}

TEST_HARNESS_MAIN
