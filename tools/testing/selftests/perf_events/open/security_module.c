// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals of a security module. SELinux has a permission for each of its hooks: to open an
 * event, to open it for a CPU, to count the kernel, to have a tracepoint's data, to read and to
 * change an event. A policy has a domain for each of them that lacks only this permission.
 *
 * A policy lasts until the machine ends, so the test runs only on a kernel that was booted with
 * lsm=selinux and has none yet. It needs Debian's checkpolicy. AppArmor and Smack have no hook
 * for events in 6.12.
 */
#include <sys/mount.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define SELINUXFS	"/sys/fs/selinux"
#define POLICY		"/tmp/perf_test_policy"

/* The permissions. A domain lacks one, the last domain none. */
enum lacking { OPEN, CPU, KERNEL, TRACEPOINT, READ, WRITE, NOTHING, NR_DOMAINS };

static const char * const names[NR_DOMAINS] = {
	"open", "cpu", "kernel", "tracepoint", "read", "write", "nothing"
};

/* The initial identifiers that the kernel knows, by number from 1; others have no name. */
static const char * const sids[] = {
	"kernel", "security", "unlabeled", NULL, "file", NULL, "init", "any_socket",
	"port", "netif", "netmsg", "node", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
	NULL, NULL, NULL, NULL, NULL, NULL, "devnull",
};

#define NR_SIDS		ARRAY_SIZE(sids)

static void write_rules(FILE *f)
{
	int domain, permission;

	for (domain = 0; domain < NR_DOMAINS; domain++) {
		fprintf(f, "allow no_%s domain:perf_event {", names[domain]);
		for (permission = 0; permission < NOTHING; permission++)
			if (permission != domain)
				fprintf(f, " %s", names[permission]);
		fprintf(f, " };\n");
	}
}

/* The policy: classes, identifiers, permissions, types, rules, contexts, in this order. */
static int write_policy(void)
{
	FILE *f = fopen(POLICY ".conf", "w");
	size_t i;

	if (!f)
		return -errno;
	fprintf(f, "class process\nclass perf_event\n");
	for (i = 0; i < NR_SIDS; i++) {
		if (sids[i])
			fprintf(f, "sid %s\n", sids[i]);
		else
			fprintf(f, "sid unused%zu\n", i);
	}
	fprintf(f, "class process { transition dyntransition }\n");
	fprintf(f, "class perf_event { open cpu kernel tracepoint read write }\n");
	fprintf(f, "attribute domain;\n");
	for (i = 0; i < NR_DOMAINS; i++)
		fprintf(f, "type no_%s, domain;\n", names[i]);
	fprintf(f, "role tests;\nrole tests types domain;\n");
	fprintf(f, "allow domain domain:process { transition dyntransition };\n");
	write_rules(f);
	fprintf(f, "user tests roles tests;\n");
	for (i = 0; i < NR_SIDS; i++)
		if (sids[i])
			fprintf(f, "sid %s tests:tests:no_nothing\n", sids[i]);
	return fclose(f) ? -errno : 0;
}

/* The kernel takes a policy in one write. */
static int load_policy(void)
{
	static char policy[1 << 16];
	ssize_t len;
	int fd;

	fd = open(POLICY, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = read(fd, policy, sizeof(policy));
	close(fd);
	fd = open(SELINUXFS "/load", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	len = write(fd, policy, len) == len ? 0 : -errno;
	close(fd);
	return len;
}

/* NULL, or why there is no policy with the domains. */
static const char *prepare(void)
{
	char text[128] = "";

	if (access(SELINUXFS "/load", F_OK) &&
	    mount("selinuxfs", SELINUXFS, "selinuxfs", 0, NULL))
		return "SELinux is not enabled: lsm=selinux";
	if (file_read("/proc/self/attr/current", text, sizeof(text)) > 0 &&
	    !strncmp(text, "tests:", 6))
		return NULL;
	if (strchr(text, ':'))
		return "another policy is loaded";
	if (write_policy())
		return "the policy cannot be written";
	if (system("checkpolicy -U allow -o " POLICY " " POLICY ".conf >/dev/null"))
		return "checkpolicy does not make a policy of it";
	return load_policy() ? "the kernel does not take the policy" : NULL;
}

FIXTURE(module)
{
	const char *missing;
	int fd;			/* a task's event that was opened with all permissions */
};

FIXTURE_SETUP(module)
{
	self->missing = prepare();
	if (self->missing && !strncmp(self->missing, "SELinux is", 10))
		SKIP(return, "%s", self->missing);
	ASSERT_EQ(NULL, self->missing) {
		TH_LOG("%s", self->missing);
	}
	self->fd = perf_open_self(PERF_SW(DUMMY));
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(module)
{
	close(self->fd);
}

/* The calls, each as a child in a domain makes it: 0, or a negative errno. */

static int open_task(int fd)
{
	return perf_try_self(PERF_SW(DUMMY, .exclude_kernel = 1));
}

static int open_kernel(int fd)
{
	return perf_try_self(PERF_SW(DUMMY));
}

static int open_cpu(int fd)
{
	return perf_try(PERF_SW(DUMMY, .exclude_kernel = 1), -1, nth_cpu(0), -1, 0);
}

static int open_raw(int fd)
{
	return perf_try_self(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename"),
				       .exclude_kernel = 1, .sample_period = 1,
				       .sample_type = PERF_SAMPLE_RAW));
}

static int read_event(int fd)
{
	__u64 value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? 0 : -errno;
}

static int map_event(int fd)
{
	return perf_try_pages(fd, 1);
}

static int change_event(int fd)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_RESET, 0);
}

/* A new event inherits nothing: the permission to read is the reading task's. */
static int read_new(int fd)
{
	int new = perf_open_self(PERF_SW(DUMMY, .exclude_kernel = 1));
	int err = new < 0 ? new : read_event(new);

	if (new >= 0)
		close(new);
	return err;
}

static const struct {
	const char *name;
	int (*call)(int fd);
	unsigned int needs;
} calls[] = {
	{ "open for the caller", open_task, 1 << OPEN },
	{ "open with the kernel", open_kernel, 1 << OPEN | 1 << KERNEL },
	{ "open for a CPU", open_cpu, 1 << OPEN | 1 << CPU },
	{ "open a tracepoint with its data", open_raw, 1 << OPEN | 1 << TRACEPOINT },
	{ "read", read_event, 1 << READ },
	{ "map", map_event, 1 << READ },
	{ "reset", change_event, 1 << WRITE },
	{ "open and read", read_new, 1 << OPEN | 1 << READ },
};

#define NR_CALLS	ARRAY_SIZE(calls)

static int call_in(enum lacking domain, size_t i, int fd)
{
	char context[64];
	pid_t child = fork_child();

	if (child == 0) {
		snprintf(context, sizeof(context), "tests:tests:no_%s", names[domain]);
		if (file_write("/proc/self/attr/current", context))
			_exit(250);
		_exit(-calls[i].call(fd));
	}
	return -wait_status(child);
}

TEST_F(module, each_permission)
{
	int domain, want;
	char name[128];
	size_t i;

	for (domain = 0; domain < NR_DOMAINS; domain++) {
		for (i = 0; i < NR_CALLS; i++) {
			want = calls[i].needs & 1 << domain ? -EACCES : 0;
			snprintf(name, sizeof(name), "without permission \"%s\": %s",
				 names[domain], calls[i].name);
			EXPECT_ROW(want, call_in(domain, i, self->fd), name);
		}
	}
}

/* What was opened before goes on. A refusal leaves no event behind. */
TEST_F(module, refused_task_has_no_event)
{
	EXPECT_EQ(-EACCES, call_in(OPEN, 0, self->fd));
	EXPECT_EQ(0, call_in(NOTHING, 0, self->fd));
	EXPECT_EQ(0, read_event(self->fd));
	EXPECT_EQ(0, change_event(self->fd));
}

/* A child event inherits the creator's security: fork works where opening does not. */
TEST_F(module, inherited_in_any_domain)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS, .inherit = 1));
	pid_t child;

	ASSERT_LE(0, fd);
	child = fork_child();
	if (child == 0) {
		if (file_write("/proc/self/attr/current", "tests:tests:no_open"))
			_exit(250);
		if (perf_try_self(PERF_SW(DUMMY)) != -EACCES)
			_exit(251);
		child = fork_child();
		if (child == 0) {
			fault_pages(10);
			_exit(0);
		}
		_exit(wait_status(child));
	}
	EXPECT_EQ(0, wait_status(child));
	EXPECT_LE(10, perf_count(fd));
}

TEST_HARNESS_MAIN
