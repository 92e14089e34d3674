// SPDX-License-Identifier: GPL-2.0
/*
 * Objects that calls refer to: PMUs, tracepoints, other tasks, descriptors; and the
 * identity of the caller. Slow to create, so they are created once, or once per block of
 * cases.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi.h"

#define USER		1000
#define NOBODY		65534

/* types of the ABI, then types from sysfs; plan_bad_attr() depends on index 4 */
struct pmu_type pmu_types[16] = {
	{ "software", PERF_TYPE_SOFTWARE },
	{ "hardware", PERF_TYPE_HARDWARE },
	{ "cache", PERF_TYPE_HW_CACHE },
	{ "raw", PERF_TYPE_RAW },
	{ "breakpoint", PERF_TYPE_BREAKPOINT },
	{ "tracepoint", PERF_TYPE_TRACEPOINT },
	{ "tracepoint", PERF_TYPE_TRACEPOINT },
};
unsigned int nr_pmu_types = 7;

struct tracepoint tracepoints[] = {
	{ .name = "sched:sched_switch" }, { .name = "sched:sched_wakeup" },
	{ .name = "raw_syscalls:sys_enter" }, { .name = "task:task_rename" },
	{ .name = "sched:sched_process_fork" }, { .name = "task:task_newtask" },
	{ .name = "syscalls:sys_enter_getppid" },
};
const unsigned int nr_tracepoints = ARRAY_SIZE(tracepoints);

const char *const pid_names[NR_PIDS] = {
	"self", "own", "child", "doomed", "root's", "user's", "zombie", "gone", "-1", "-2",
	"cgroup", "sub-cgroup", "/dev/null", "closed",
};

static const struct identity {
	const char	*name;
	uid_t		uid;
	uint64_t	caps;
} identities[] = {
	{ "root", 0, ~0ull },
	{ "nobody", NOBODY, 0 },
	{ "perfmon", NOBODY, 1ull << CAP_PERFMON },
	{ "sys_admin", NOBODY, 1ull << CAP_SYS_ADMIN },
	{ "sys_ptrace", NOBODY, 1ull << CAP_SYS_PTRACE },
	{ "perfmon+kill", NOBODY, 1ull << CAP_PERFMON | 1ull << CAP_KILL },
	{ "ipc_lock", NOBODY, 1ull << CAP_IPC_LOCK },
};

/* values of perf_event_paranoid; 3 and 4 allow hardly anything to most users */
static const int levels[] = { -1, 0, 1, 2, -1, 0, 1, 2, 3, 4 };

const char uprobe_file[] = "/tmp/abi-diff-probed";
static const char cgroup_below[] = "/sys/fs/cgroup/abi-diff";

volatile uint64_t watched_variable;

static pid_t pids[NR_PIDS];
static pid_t doomed;
static int no_event, foreign, cgroup_fds[2];
/* one per case of a block that needs one, because changes to it would last */
static int foreign_fds[BLOCK];
/* BPF programs that do nothing; see world_program() */
static int programs[NR_PROGRAMS];

__attribute__((noinline)) void watched_function(void)
{
	__asm__ volatile("" : : : "memory");
}

static uint64_t read_number(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long number;

	if (!file || fscanf(file, "%llu", &number) != 1)
		err(1, "%s", path);
	fclose(file);
	return number;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

/* Look up PMUs by a list of names with commas. Each of them must exist. */
void world_find(const char *pmus)
{
	char path[256], *names = strdup(pmus), *name;
	unsigned int i;

	for (name = strtok(names, ","); name; name = strtok(NULL, ",")) {
		struct pmu_type *type = &pmu_types[nr_pmu_types++];

		if (nr_pmu_types > ARRAY_SIZE(pmu_types))
			errx(1, "too many PMUs");
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
		type->name = name;
		type->type = read_number(path);
	}
	for (i = 0; i < nr_tracepoints; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id",
			 tracepoints[i].name);
		*strchr(path, ':') = '/';
		tracepoints[i].id = read_number(path);
	}
}

/*
 * The trace source takes one event at a time. The stock kernel counts an event that was
 * refused, and never uncounts it, so that all later cases would differ.
 */
static void share_trace(void)
{
	static const char path[] = "/sys/kernel/debug/fake_trace/capabilities";
	const uint64_t exclusive = 0x10;
	char text[24];

	if (access(path, F_OK))
		return;
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)(read_number(path) & ~exclusive));
	write_file(path, text);
}

static int open_event(uint32_t type, uint64_t config, pid_t pid, int cpu)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .size = sizeof(attr), .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		err(1, "an event of type %u, config %llu", type, (unsigned long long)config);
	return fd;
}

/* Open events that stay open: the first event of a tracepoint is slow, later ones are not. */
static void open_anchors(void)
{
	unsigned int i;

	for (i = 0; i < nr_tracepoints; i++)
		open_event(PERF_TYPE_TRACEPOINT, tracepoints[i].id, -1, 0);
	open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1);
}

/* Open an event of root for the case. */
void world_open_foreign(uint64_t number)
{
	foreign_fds[number % BLOCK] = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, -1, 1);
}

/* Close the events of the block. */
void world_close_foreign(void)
{
	unsigned int i;

	for (i = 0; i < BLOCK; i++) {
		if (foreign_fds[i])
			close(foreign_fds[i]);
		foreign_fds[i] = 0;
	}
}

void world_case(uint64_t number)
{
	foreign = foreign_fds[number % BLOCK];
}

/* Load a program that returns 1, for each program type that events take. */
static void load_programs(void)
{
	static const uint32_t types[NR_PROGRAMS] = {
		BPF_PROG_TYPE_PERF_EVENT, BPF_PROG_TYPE_TRACEPOINT, BPF_PROG_TYPE_KPROBE,
	};
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	unsigned int i;

	for (i = 0; i < NR_PROGRAMS; i++) {
		union bpf_attr attr = {
			.prog_type = types[i], .insn_cnt = ARRAY_SIZE(code),
			.insns = (uintptr_t)code, .license = (uintptr_t)"GPL",
		};

		programs[i] = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
		if (programs[i] < 0)
			err(1, "BPF program");
	}
}

int world_program(unsigned int program)
{
	return programs[program];
}

/* A stopped task that lives as long as its parent. */
static pid_t sleeper(uid_t uid)
{
	pid_t parent = getpid(), pid = fork();

	if (pid) {
		waitpid(pid, NULL, WUNTRACED);
		return pid;
	}
	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
		    setresuid(uid, uid, uid)))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		raise(SIGSTOP);
	_exit(0);
}

static pid_t make_zombie(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	return pid;
}

static void copy_program(void)
{
	if (system("/bin/busybox cp /proc/$PPID/exe /tmp/abi-diff-probed"))
		errx(1, "cannot copy this program to %s", uprobe_file);
}

/* Cgroups below the root take part in events only after a delegation. */
static void wake_hierarchy(void)
{
	FILE *file = fopen("/sys/fs/cgroup/cgroup.controllers", "r");
	char name[64], text[65];

	if (!file || fscanf(file, "%63s", name) != 1)
		errx(1, "/sys/fs/cgroup has no controllers");
	fclose(file);
	snprintf(text, sizeof(text), "+%s", name);
	write_file("/sys/fs/cgroup/cgroup.subtree_control", text);
}

/* The last CPU goes offline, unless the kernel has no hotplug. */
static void take_cpu_offline(void)
{
	static const char online[] = "/sys/devices/system/cpu/cpu3/online";

	if (!access(online, F_OK))
		write_file(online, "0");
}

void world_begin(void)
{
	/* while this is 0, the rate cannot be set, and the stock kernel does not lower it */
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "2000");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	take_cpu_offline();
	wake_hierarchy();
	share_trace();
	if (mkdir(cgroup_below, 0755) && errno != EEXIST)
		err(1, "%s", cgroup_below);
	cgroup_fds[0] = open("/sys/fs/cgroup", O_RDONLY | O_CLOEXEC);
	cgroup_fds[1] = open(cgroup_below, O_RDONLY | O_CLOEXEC);
	no_event = open("/dev/null", O_RDWR | O_CLOEXEC);
	copy_program();
	open_anchors();
	load_programs();
	pids[PID_ROOTS] = sleeper(0);
	pids[PID_USERS] = sleeper(USER);
	pids[PID_GONE] = fork();
	if (!pids[PID_GONE])
		_exit(0);
	waitpid(pids[PID_GONE], NULL, 0);
}

void world_end(void)
{
	kill(pids[PID_ROOTS], SIGKILL);
	kill(pids[PID_USERS], SIGKILL);
	rmdir(cgroup_below);
}

static const struct identity *identity_of(uint64_t number)
{
	return &identities[number / BLOCK % ARRAY_SIZE(identities)];
}

const char *world_identity(uint64_t number)
{
	return identity_of(number)->name;
}

int world_paranoid(uint64_t number)
{
	return levels[number / BLOCK / ARRAY_SIZE(identities) % ARRAY_SIZE(levels)];
}

static void become(const struct identity *identity)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct caps[2] = {};
	uid_t uid = identity->uid;
	int i;

	if (!uid)
		return;
	prctl(PR_SET_KEEPCAPS, 1);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		err(1, "user %u", uid);
	for (i = 0; i < 2; i++) {
		caps[i].permitted = identity->caps >> 32 * i;
		caps[i].effective = caps[i].permitted;
	}
	if (syscall(SYS_capset, &head, caps))
		err(1, "capabilities %#llx", (unsigned long long)identity->caps);
	/* otherwise the caller could not open events for its own children */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Give the process of a block the identity of the caller of its cases. */
void world_block(uint64_t number)
{
	struct rlimit limit = { 64 * 4096, 64 * 4096 };
	char paranoid[16];

	snprintf(paranoid, sizeof(paranoid), "%d", world_paranoid(number));
	write_file("/proc/sys/kernel/perf_event_paranoid", paranoid);
	setrlimit(RLIMIT_MEMLOCK, &limit);
	become(identity_of(number));
	pids[PID_CHILD] = sleeper(0);
	pids[PID_ZOMBIE] = make_zombie();
}

pid_t world_doom(void)
{
	if (!doomed)
		doomed = sleeper(0);
	return doomed;
}

void world_end_doomed(void)
{
	if (!doomed)
		return;
	kill(doomed, SIGKILL);
	waitpid(doomed, NULL, 0);
	doomed = 0;
}

int world_pid(enum pid pid)
{
	switch (pid) {
	case PID_SELF:
		return 0;
	case PID_OWN_NUMBER:
		return getpid();
	case PID_DOOMED:
		return doomed ?: pids[PID_GONE];
	case PID_ALL:
		return -1;
	case PID_NEGATIVE:
		return -2;
	case PID_CGROUP_ROOT:
		return cgroup_fds[0];
	case PID_CGROUP_BELOW:
		return cgroup_fds[1];
	case PID_NOT_CGROUP:
		return no_event;
	case PID_CLOSED_FD:
		return 999;
	default:
		return pids[pid];
	}
}

int world_fd(int other)
{
	switch (other) {
	case OTHER_NONE:
		return -1;
	case OTHER_CLOSED:
		return 999;
	case OTHER_NO_EVENT:
		return no_event;
	case OTHER_FOREIGN:
		return foreign;
	case OTHER_NEGATIVE:
		return -2;
	default:
		return slot_fds[other];
	}
}
