// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): permissions as a matrix of callers, targets, kinds of events and values
 * of perf_event_paranoid. permission_rows.h has the expected results. permissions.c has the
 * order of checks, and permissions after the event was opened.
 *
 * A kernel that is locked down stays so until the machine ends. So the matrix is tried again with
 * lockdown only if PERF_TEST_LOCKDOWN is in the environment, in a machine of its own that was
 * booted with lsm=lockdown. security_module.c has refusals by another security module.
 */
#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"
#include "permission_rows.h"

#define LEVELS		5
#define LEVEL_OF(_i)	((_i) - 1)
#define LEVEL(_level)	((_level) + 1)
#define NR_KINDS	ARRAY_SIZE(kinds)
#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define DEVICES		"/sys/bus/event_source/devices/"

/* No open was tried. */
#define UNTRIED		1

/* Results, by caller, level, target and kind; memory that all callers share. */
static int (*results)[LEVELS][NR_TARGETS][NR_KINDS];

/**
 * struct place - Where a target is
 * @pid: The pid argument.
 * @cpu: The cpu argument.
 * @flags: The flags.
 * @run: The pipes of SETUID.
 */
static struct place {
	pid_t pid;
	int cpu;
	unsigned long flags;
	struct user_program run;
} places[NR_TARGETS];

/* Attributes of the kinds; the size is 0 if the kernel has no such events. */
static struct perf_event_attr attrs[NR_KINDS];

static bool is_locked_down_for(const char *reason)
{
	char text[128], chosen[64];

	snprintf(chosen, sizeof(chosen), "[%s]", reason);
	return file_read(LOCKDOWN, text, sizeof(text)) > 0 && strstr(text, chosen);
}

/* Preparations, as root */

static long device_type(const char *name)
{
	char path[128];
	long type = -1;

	snprintf(path, sizeof(path), DEVICES "%s/type", name);
	file_read_long(path, &type);
	return type;
}

static void complete(struct perf_event_attr *attr, enum source source)
{
	long id = 0;

	switch (source) {
	case AS_WRITTEN:
		return;
	case TRACEPOINT:
		id = tracepoint_id("task/task_rename");
		attr->config = id;
		break;
	case FUNCTIONS:
		id = tracepoint_id("ftrace/function");
		attr->config = id;
		break;
	case KPROBE:
		id = device_type("kprobe");
		attr->type = id;
		attr->kprobe_func = (unsigned long)SYSCALL_SYMBOL(getpgid);
		break;
	case UPROBE:
		id = device_type("uprobe");
		attr->type = id;
		attr->uprobe_path = (unsigned long)"";
		break;
	case KERNEL_ADDRESS:
		attr->bp_addr = kernel_symbol("jiffies");
		id = attr->bp_addr ? 0 : -1;
		break;
	}
	if (id < 0)
		attr->size = 0;
}

/* An architecture or a CPU may have no debug registers. */
static bool breakpoints;

static void prepare_kinds(void)
{
	size_t i;

	breakpoints = perf_try_self(PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .exclude_kernel = 1,
					      .bp_addr = 0x1000, .bp_type = HW_BREAKPOINT_W,
					      .bp_len = HW_BREAKPOINT_LEN_4)) == 0;
	for (i = 0; i < NR_KINDS; i++) {
		attrs[i] = kinds[i].attr;
		complete(&attrs[i], kinds[i].source);
	}
}

/* A child that waits to be killed, as another user or in a user namespace. */
static pid_t waiting_child(uid_t uid, __u64 caps, bool in_namespace)
{
	struct gate ready = gate_new();
	pid_t pid = fork_child();

	if (pid == 0) {
		if (uid && user_become(uid, caps))
			_exit(250);
		/* The change of credentials has cleared the signal at the parent's end. */
		if (in_namespace && (user_namespace_root() ||
				     prctl(PR_SET_PDEATHSIG, SIGKILL)))
			_exit(251);
		gate_open(&ready);
		for (;;)
			pause();
	}
	close(ready.wr);
	gate_wait(&ready);
	close(ready.rd);
	return pid;
}

static pid_t setuid_child(struct user_program *run, const char *program)
{
	pid_t pid;

	*run = user_program_new();
	pid = fork_child();
	if (pid == 0) {
		if (user_become(USER_NOBODY, 0))
			_exit(250);
		user_program_exec(run, program);
	}
	return user_program_begun(run) ? pid : -1;
}

/* @path: where the path of the control group goes */
static int prepare_targets(const char *program, char *path, size_t size)
{
	int i;

	for (i = 0; i < NR_TARGETS; i++)
		places[i] = (struct place){ .cpu = -1 };
	places[SAME_USER].pid = waiting_child(USER_NOBODY, 0, false);
	places[OTHER_USER].pid = waiting_child(USER_OTHER, 0, false);
	places[ROOT].pid = waiting_child(0, 0, false);
	places[MORE_CAPS].pid = waiting_child(USER_NOBODY, USER_CAP(CAP_NET_ADMIN), false);
	places[NAMESPACE].pid = waiting_child(USER_NOBODY, 0, true);
	places[SETUID].pid = setuid_child(&places[SETUID].run, program);
	places[KTHREAD].pid = 2;
	places[CPU].pid = -1;
	places[CPU].cpu = nth_cpu(0);
	places[CGROUP].flags = PERF_FLAG_PID_CGROUP;
	places[CGROUP].cpu = nth_cpu(0);
	places[CGROUP].pid = cgroup_make("matrix", path, size) ? -1 :
			     open(path, O_RDONLY | O_DIRECTORY);
	return places[SETUID].pid < 0 ? -1 : 0;
}

/* What is expected */

static int errno_of(char cell)
{
	switch (cell) {
	case 'A': return -EACCES;
	case 'P': return -EPERM;
	case 'I': return -EINVAL;
	case 'O': return -EOPNOTSUPP;
	}
	return 0;
}

/* arm64 has no breakpoints of a task in the kernel. It refuses them before it checks rights. */
static bool is_refused_by_arm64(enum target target, size_t kind, int err)
{
#ifdef __aarch64__
	return kinds[kind].attr.type == PERF_TYPE_BREAKPOINT && target < CPU &&
	       kinds[kind].source == KERNEL_ADDRESS && (!err || err == -EPERM);
#else
	return false;
#endif
}

static int expected(enum caller caller, int level, enum target target, size_t kind,
		    bool locked)
{
	enum rights rights = callers[caller].rights;
	const char *cell = kinds[kind].cells[rights];
	int err;

	if (locked && kinds[kind].locked[rights])
		cell = kinds[kind].locked[rights];
	err = errno_of(cell[level]);
	if (is_refused_by_arm64(target, kind, err))
		return -EINVAL;
	if (err)
		return err;
	cell = kinds[kind].sigtrap ? targets[target].trap[caller] :
				     targets[target].cells[caller];
	return errno_of(cell[level]) ?: kinds[kind].end;
}

/* The opens */

/* Whether the table has a cell for them. */
static bool has_cell(enum target target, size_t kind)
{
	if (kinds[kind].slow && target != OWN)
		return false;
	if ((target == CPU || target == CGROUP) && !kinds[kind].any_cpu)
		return false;
	return !kinds[kind].sigtrap || targets[target].trap[USER][0] != '?';
}

static bool is_there(enum target target)
{
	return target != CGROUP || places[target].pid >= 0;
}

/* Cells that this kernel has no event or target for are named in the output. */
static void report_untried(struct __test_metadata *_metadata)
{
	enum target t;
	size_t k;

	for (k = 0; k < NR_KINDS; k++)
		if (!attrs[k].size)
			TH_LOG("not tried, this kernel has none: %s", kinds[k].name);
	for (t = 0; t < NR_TARGETS; t++)
		if (!is_there(t))
			TH_LOG("not tried, there is none: %s", targets[t].name);
}

/* What is opened slowly is opened once for each kind of rights. A refusal takes no time. */
static bool is_worth_its_time(enum caller caller, int level, enum target target, size_t kind,
			      bool locked)
{
	return !kinds[kind].slow || caller == USER || caller == PERFMON || caller == ADMIN ||
	       expected(caller, level, target, kind, locked);
}

static int try_one(enum caller caller, int level, enum target target, size_t kind, bool locked)
{
	const struct place *place = &places[target];

	if (!has_cell(target, kind) || !is_there(target) || !attrs[kind].size ||
	    !is_worth_its_time(caller, level, target, kind, locked))
		return UNTRIED;
	return perf_try(attrs[kind], place->pid, place->cpu, -1, place->flags);
}

static void try_all(enum caller caller, int level, bool locked)
{
	enum target t;
	size_t k;

	for (t = 0; t < NR_TARGETS; t++) {
		for (k = 0; k < NR_KINDS; k++)
			results[caller][level][t][k] = try_one(caller, level, t, k, locked);
	}
}

static int try_as(enum caller caller, int level, bool locked)
{
	pid_t child = fork_child();

	if (child == 0) {
		if (user_become(USER_NOBODY, callers[caller].caps))
			_exit(250);
		if (caller == NAMESPACE_ROOT && user_namespace_root())
			_exit(251);
		try_all(caller, level, locked);
		_exit(0);
	}
	return wait_status(child);
}

/* Return: the number of opens of the caller. */
static int check(struct __test_metadata *_metadata, enum caller caller, int level,
		 bool locked)
{
	int got, nr = 0;
	enum target t;
	char name[256];
	size_t k;

	for (t = 0; t < NR_TARGETS; t++) {
		for (k = 0; k < NR_KINDS; k++) {
			got = results[caller][level][t][k];
			if (got == UNTRIED)
				continue;
			nr++;
			if (kinds[k].attr.type == PERF_TYPE_BREAKPOINT && !breakpoints)
				continue;
			snprintf(name, sizeof(name), "paranoid %d, %s opens \"%s\" for %s",
				 LEVEL_OF(level), callers[caller].name, kinds[k].name,
				 targets[t].name);
			EXPECT_ROW(expected(caller, level, t, k, locked), got, name);
		}
	}
	return nr;
}

/* What a test changes. A parent puts it back: a failed ASSERT ends the test's process. */
struct matrix {
	long before;		/* value of perf_event_paranoid */
	char group[256];
};

static void set_up(struct __test_metadata *_metadata, struct matrix *m)
{
	char program[64];

	results = mmap(NULL, sizeof(*results) * NR_CALLERS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, results);
	ASSERT_EQ(0, file_read_long(PARANOID, &m->before));
	ASSERT_EQ(0, user_setuid_program(program, sizeof(program)));
	/* before a lockdown, which hides the numbers of tracepoints */
	prepare_kinds();
	/* It is open until the test ends, so that its code does not change at each open. */
	perf_open_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename")));
	ASSERT_EQ(0, prepare_targets(program, m->group, sizeof(m->group)));
}

/* The targets end with the test, in whichever way it ends. */
static void put_back(struct matrix *m)
{
	file_write_long(PARANOID, m->before);
	if (m->group[0])
		cgroup_remove(m->group);
	user_setuid_program_remove();
}

static void try_level(struct __test_metadata *_metadata, int level, bool locked)
{
	unsigned long nr_opens = 0;
	enum caller c;

	ASSERT_EQ(0, file_write_long(PARANOID, LEVEL_OF(level)));
	for (c = 0; c < NR_CALLERS; c++)
		EXPECT_EQ(0, try_as(c, level, locked));
	for (c = 0; c < NR_CALLERS; c++)
		nr_opens += check(_metadata, c, level, locked);
	TH_LOG("paranoid %d: %zu kinds, %d targets, %d callers, %lu opens", LEVEL_OF(level),
	       NR_KINDS, NR_TARGETS, NR_CALLERS, nr_opens);
}

/* A test for each level: the time of a case is limited. */
FIXTURE(matrix)
{
	struct matrix m;
};

FIXTURE_VARIANT(matrix)
{
	int level;
};

FIXTURE_VARIANT_ADD(matrix, paranoid_minus_1) { .level = 0 };
FIXTURE_VARIANT_ADD(matrix, paranoid_0) { .level = 1 };
FIXTURE_VARIANT_ADD(matrix, paranoid_1) { .level = 2 };
FIXTURE_VARIANT_ADD(matrix, paranoid_2) { .level = 3 };
FIXTURE_VARIANT_ADD(matrix, paranoid_3) { .level = 4 };

FIXTURE_SETUP(matrix)
{
	if (getuid())
		SKIP(return, "needs root");
	set_up(_metadata, &self->m);
}

FIXTURE_TEARDOWN_PARENT(matrix)
{
	put_back(&self->m);
}

TEST_F(matrix, opens)
{
	report_untried(_metadata);
	try_level(_metadata, variant->level, is_locked_down_for("confidentiality"));
}

/* A task that does not exist has another errno than a task that must not be watched. */
TEST_F(matrix, target_that_does_not_exist)
{
	struct perf_event_attr attr = USER_SW();
	pid_t gone = fork_child(), child;

	if (gone == 0)
		_exit(0);
	ASSERT_EQ(0, wait_status(gone));
	ASSERT_EQ(0, file_write_long(PARANOID, LEVEL_OF(variant->level)));
	child = fork_child();
	if (child == 0)
		_exit(user_become(USER_NOBODY, 0) ? 250 : -perf_try(attr, gone, -1, -1, 0));
	/* At level 3 a user may not open any event. */
	EXPECT_EQ(LEVEL_OF(variant->level) == 3 ? EACCES : ESRCH, wait_status(child));
}

/*
 * These tests are the last ones, in this order. A kernel that is locked down for integrity only
 * permits what it permits otherwise. CVE-2021-46971: for confidentiality, it asked about events
 * that show no registers.
 */
FIXTURE(locked_down)
{
	struct matrix m;
};

FIXTURE_VARIANT(locked_down)
{
	const char *reason;
};

FIXTURE_VARIANT_ADD(locked_down, integrity) { .reason = "integrity" };
FIXTURE_VARIANT_ADD(locked_down, confidentiality) { .reason = "confidentiality" };

FIXTURE_SETUP(locked_down)
{
	if (!getenv("PERF_TEST_LOCKDOWN"))
		SKIP(return, "lasts until the machine ends: PERF_TEST_LOCKDOWN permits it");
	set_up(_metadata, &self->m);
}

FIXTURE_TEARDOWN_PARENT(locked_down)
{
	put_back(&self->m);
}

TEST_F(locked_down, opens)
{
	bool locked = !strcmp(variant->reason, "confidentiality");

	ASSERT_EQ(0, file_write(LOCKDOWN, variant->reason));
	ASSERT_TRUE(is_locked_down_for(variant->reason));
	/* The least and the default paranoia: the kernel asks about lockdown besides. */
	try_level(_metadata, LEVEL(-1), locked);
	try_level(_metadata, LEVEL(2), locked);
}

int main(int argc, char **argv)
{
	user_program_main(argc, argv);
	return test_harness_run(argc, argv);
}
