// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): permissions. Sets kernel.perf_event_paranoid to -1 to 3, as an
 * ordinary user without capabilities, with CAP_PERFMON and with CAP_SYS_ADMIN, and
 * opens events of other users' tasks.
 *
 * Level 3 is Debian's: every event needs CAP_SYS_ADMIN. A kernel without that
 * restriction treats 3 as 2 and fails here.
 */
#include <linux/capability.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"
#include "../lib/user.h"

#define NOBODY		65534
#define SOMEBODY	65533

enum { NO_CAP = -1 };

#define CAPS(_a, _b)	(1ULL << (_a) | 1ULL << (_b))

static __u64 caps_of(int cap)
{
	return cap == NO_CAP ? 0 : 1ULL << cap;
}

static int set_caps(__u64 caps)
{
	struct __user_cap_header_struct hdr = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	return syscall(SYS_capset, &hdr, data) ? -errno : 0;
}

/* Become an ordinary user with these capabilities at most. */
static int become(uid_t uid, __u64 caps)
{
	if (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	    setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	if (set_caps(caps))
		return -EPERM;
	/*
	 * A change of the user makes a task undumpable. A login makes it dumpable
	 * again.
	 */
	if (prctl(PR_SET_DUMPABLE, 1) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		return -errno;
	return 0;
}

struct request {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int output;	/* an event, or 0 */
	unsigned long flags;
};

/* Try to open as another user. The exit status of a child is the result. */
static int try_with(uid_t uid, __u64 caps, struct request rq)
{
	pid_t child = fork_child();
	int status;

	if (child == 0) {
		if (become(uid, caps))
			_exit(250);
		_exit(-perf_try(rq.attr, rq.pid, rq.cpu, rq.output ?: -1, rq.flags));
	}
	status = wait_status(child);
	return status < 0 ? -EIO : -status;
}

static int try_as(uid_t uid, int cap, struct request rq)
{
	return try_with(uid, caps_of(cap), rq);
}

/* A child of the given user that waits to be killed. */
static pid_t child_of_user(uid_t uid, int cap)
{
	struct gate ready = gate_new();
	pid_t pid = fork_child();

	if (pid == 0) {
		if (uid && become(uid, caps_of(cap)))
			_exit(250);
		gate_open(&ready);
		for (;;)
			pause();
	}
	close(ready.wr);
	gate_wait(&ready);
	close(ready.rd);
	return pid;
}

FIXTURE(paranoid)
{
	long saved;
};

FIXTURE_VARIANT(paranoid)
{
	long level;
};

FIXTURE_VARIANT_ADD(paranoid, minus_one) { .level = -1 };
FIXTURE_VARIANT_ADD(paranoid, zero) { .level = 0 };
FIXTURE_VARIANT_ADD(paranoid, one) { .level = 1 };
FIXTURE_VARIANT_ADD(paranoid, two) { .level = 2 };
FIXTURE_VARIANT_ADD(paranoid, three) { .level = 3 };

FIXTURE_SETUP(paranoid)
{
	ASSERT_EQ(0, geteuid());
	ASSERT_EQ(0, file_read_long(PARANOID, &self->saved));
	ASSERT_EQ(0, file_write_long(PARANOID, variant->level));
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(paranoid)
{
	EXPECT_EQ(0, file_write_long(PARANOID, self->saved));
}

/* At this level CAP_PERFMON does not suffice. */
#define LEVEL3()	(variant->level >= 3)
#define WITH_PERFMON()	(LEVEL3() ? -EACCES : 0)

TEST_F(paranoid, user_only_self)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.cpu = -1,
	};

	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(0, try_as(NOBODY, CAP_SYS_ADMIN, rq));
	EXPECT_EQ(0, perf_try(rq.attr, 0, -1, -1, 0));
}

TEST_F(paranoid, kernel_too)
{
	struct request rq = { .attr = PERF_SW(DUMMY), .cpu = -1 };

	EXPECT_EQ(variant->level > 1 ? -EACCES : 0,
		  try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(0, try_as(NOBODY, CAP_SYS_ADMIN, rq));
	/* An unrelated capability does not help. */
	EXPECT_EQ(variant->level > 1 ? -EACCES : 0,
		  try_as(NOBODY, CAP_SYS_PTRACE, rq));
}

TEST_F(paranoid, hypervisor_needs_nothing)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1),
		.cpu = -1,
	};

	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
}

TEST_F(paranoid, whole_cpu)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.pid = -1,
		.cpu = nth_cpu(0),
	};

	EXPECT_EQ(variant->level > 0 ? -EACCES : 0,
		  try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(0, try_as(NOBODY, CAP_SYS_ADMIN, rq));
}

/* An event of an own task on one CPU needs no more rights than one on all CPUs. */
TEST_F(paranoid, own_task_on_one_cpu)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.cpu = nth_cpu(0),
	};

	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
}

TEST_F(paranoid, namespaces_records)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1,
				.namespaces = 1),
		.cpu = -1,
	};

	/* No level permits this one. */
	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(0, try_as(NOBODY, CAP_SYS_ADMIN, rq));
}

TEST_F(paranoid, physical_addresses)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1,
				.sample_type = PERF_SAMPLE_PHYS_ADDR),
		.cpu = -1,
	};

	EXPECT_EQ(variant->level > 1 ? -EACCES : 0,
		  try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
}

TEST_F(paranoid, task_of_same_user)
{
	pid_t target = child_of_user(NOBODY, NO_CAP);
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.pid = target,
		.cpu = -1,
	};

	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	kill_child(target);
}

TEST_F(paranoid, task_of_other_user)
{
	pid_t target = child_of_user(SOMEBODY, NO_CAP);
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.pid = target,
		.cpu = -1,
	};

	/* Refused at -1, too: ptrace's rules protect tasks at every level. */
	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, CAP_SYS_PTRACE, rq));
	/* Before the check of the output, which has no buffer. */
	rq.output = perf_open_self(rq.attr);
	rq.flags = PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT;
	ASSERT_LE(0, rq.output);
	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(LEVEL3() ? -EACCES : -EINVAL, try_as(NOBODY, CAP_SYS_PTRACE, rq));
	kill_child(target);
}

TEST_F(paranoid, task_of_root)
{
	pid_t target = child_of_user(0, NO_CAP);
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1),
		.pid = target,
		.cpu = -1,
	};

	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(WITH_PERFMON(), try_as(NOBODY, CAP_PERFMON, rq));
	kill_child(target);
}

/* The task receives a signal: the caller needs CAP_KILL or the right to trace it. */
TEST_F(paranoid, trap_of_other_user)
{
	pid_t target = child_of_user(SOMEBODY, NO_CAP);
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1,
				.sigtrap = 1, .remove_on_exec = 1),
		.pid = target,
		.cpu = -1,
	};

	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_KILL, rq));
	EXPECT_EQ(WITH_PERFMON(), try_with(NOBODY, CAPS(CAP_PERFMON, CAP_KILL), rq));
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_SYS_ADMIN, rq));
	EXPECT_EQ(0, try_with(NOBODY, CAPS(CAP_SYS_ADMIN, CAP_KILL), rq));
	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, CAP_SYS_PTRACE, rq));
	kill_child(target);
}

/* A task that only CAP_KILL may signal, and a task that its own user may signal. */
TEST_F(paranoid, trap_of_root_and_of_same_user)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1,
				.sigtrap = 1, .remove_on_exec = 1),
		.cpu = -1,
	};

	rq.pid = child_of_user(0, NO_CAP);
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(WITH_PERFMON(), try_with(NOBODY, CAPS(CAP_PERFMON, CAP_KILL), rq));
	kill_child(rq.pid);

	/*
	 * The task has more capabilities than its opener: it can be killed, not traced.
	 */
	rq.pid = child_of_user(NOBODY, CAP_NET_ADMIN);
	EXPECT_EQ(-EACCES, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(WITH_PERFMON(), try_with(NOBODY, CAPS(CAP_PERFMON, CAP_KILL), rq));
	kill_child(rq.pid);

	rq.pid = child_of_user(NOBODY, NO_CAP);
	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
	kill_child(rq.pid);
}

/* The attributes are checked before the target. */
TEST_F(paranoid, order_of_refusals)
{
	struct request kernel = {
		.attr = PERF_SW(DUMMY), .pid = INT_MAX, .cpu = -1,
	};
	struct request bits = {
		.attr = PERF_SW(DUMMY, .__reserved_2 = 1), .cpu = -1,
	};
	struct request flags = {
		.attr = PERF_SW(DUMMY), .cpu = -1, .flags = 1UL << 20,
	};

	EXPECT_EQ(variant->level > 1 ? -EACCES : -ESRCH,
		  try_as(NOBODY, NO_CAP, kernel));
	EXPECT_EQ(-EINVAL, try_as(NOBODY, NO_CAP, bits));
	EXPECT_EQ(-EINVAL, try_as(NOBODY, NO_CAP, flags));
}

/* Permission for the CPU is checked before the leader's AUX area. */
TEST_F(paranoid, cpu_before_aux_leader)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1,
				.sample_type = PERF_SAMPLE_AUX, .aux_sample_size = 8),
		.pid = -1,
		.cpu = nth_cpu(0),
	};

	EXPECT_EQ(variant->level > 0 ? -EACCES : -EINVAL, try_as(NOBODY, NO_CAP, rq));
	EXPECT_EQ(-EINVAL, perf_try(rq.attr, -1, rq.cpu, -1, 0));
}

/* Uprobes change the text of all processes, so permission to count does not suffice. */
TEST_F(paranoid, uprobes_are_for_sys_admin)
{
	struct request rq = {
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1), .cpu = -1,
	};
	long type;

	if (file_read_long("/sys/bus/event_source/devices/uprobe/type", &type))
		SKIP(return, "no uprobes");
	rq.attr.type = type;
	rq.attr.config = 0;
	rq.attr.uprobe_path = (__u64)(unsigned long)"";
	EXPECT_EQ(-EACCES, try_as(NOBODY, CAP_PERFMON, rq));
	EXPECT_EQ(-EINVAL, try_as(NOBODY, CAP_SYS_ADMIN, rq));
}

/* Sample the caller's own umask(2) with its argument, as another user. Exit statuses. */
static int sample_own_umask(struct perf_event_attr attr, int mask_at)
{
	static struct perf_listener l;
	int nr = 0;

	if (become(NOBODY, 0))
		return 250;
	attr.disabled = 1;
	if (perf_listen_self(&l, attr))
		return 1;
	perf_enable(l.fd);
	umask(0123);
	perf_disable(l.fd);
	for (; perf_listen_of(&l, PERF_RECORD_SAMPLE); nr++)
		if (*(const int *)((const char *)l.rec.raw + mask_at) != 0123)
			return 2;
	return nr == 1 ? 0 : 3;
}

/*
 * The data of the caller's own system calls needs no right, with exclude_kernel. The data of other
 * tracepoints does, and so do the system calls on a CPU.
 */
TEST_F(paranoid, own_system_calls)
{
	int mask_at, size, refused = LEVEL3() ? -EACCES : variant->level > -1 ? -EPERM : 0;
	long umask_id = tracepoint_id("syscalls/sys_enter_umask");
	struct request rq = {
		.attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, umask_id, .sample_period = 1,
				  .sample_type = PERF_SAMPLE_RAW,
				  .exclude_kernel = 1, .exclude_hv = 1),
		.cpu = -1,
	};
	pid_t child;

	if (umask_id < 0)
		SKIP(return, "no tracepoints of system calls");
	ASSERT_EQ(0, tracepoint_field("syscalls/sys_enter_umask", "mask", &mask_at, &size));
	EXPECT_EQ(LEVEL3() ? -EACCES : 0, try_as(NOBODY, NO_CAP, rq));
	child = fork_child();
	if (child == 0)
		_exit(sample_own_umask(rq.attr, mask_at));
	EXPECT_EQ(LEVEL3() ? 1 : 0, wait_status(child));

	rq.attr.config = tracepoint_id("task/task_rename");
	EXPECT_EQ(refused, try_as(NOBODY, NO_CAP, rq));
	rq.attr.config = umask_id;
	rq.pid = -1;
	rq.cpu = nth_cpu(0);
	EXPECT_EQ(refused, try_as(NOBODY, NO_CAP, rq));
}

/* A plain counter of a permitted kind does not show kernel addresses. */
TEST_F(paranoid, permission_is_checked_at_open_only)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS);
	pid_t child;
	int fd = perf_open_self(attr);

	ASSERT_LE(0, fd);
	child = fork_child();
	if (child == 0) {
		if (become(NOBODY, 0))
			_exit(250);
		if (perf_count(fd) == ~0ULL)
			_exit(1);
		if (perf_disable(fd) || perf_enable(fd) ||
		    perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0))
			_exit(2);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(child));
}

TEST_HARNESS_MAIN
