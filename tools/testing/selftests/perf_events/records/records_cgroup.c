// SPDX-License-Identifier: GPL-2.0
/*
 * CGROUP records: a control group was made.
 */
#include <sched.h>
#include <linux/limits.h>
#include <sys/stat.h>

#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

struct cgroup_record {
	struct perf_event_header header;
	__u64 id;
	char path[];
};

#define LISTENER(...)							\
	PERF_SW(DUMMY, .disabled = 1, .sample_id_all = 1,		\
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, ##__VA_ARGS__)
#define TRAILER	16

FIXTURE(cgroup)
{
	struct perf_listener l;
	int cpu;
};

FIXTURE_SETUP(cgroup)
{
	if (getuid())
		SKIP(return, "needs root");
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(cgroup)
{
}

static void listen_to(struct __test_metadata *_metadata,
		      struct _test_data_cgroup *self, struct perf_event_attr attr)
{
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
}

TEST_F(cgroup, cgroup)
{
	const struct cgroup_record *r;
	char path[256], inner[280];

	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.cgroup = 1)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	if (cgroup_make("records", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	snprintf(inner, sizeof(inner), "%s/inner", path);
	/* Groups that exist may get their perf_event side just now. */
	do {
		ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_CGROUP));
		r = (const void *)self->l.header;
	} while (file_inode(path) != r->id);
	EXPECT_STREQ(path + strlen(CGROUPFS), r->path);
	EXPECT_EQ(0, r->header.misc);
	EXPECT_EQ(sizeof(*r) + ((strlen(r->path) + 8) & ~7UL) + TRAILER,
		  r->header.size);
	EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
	ASSERT_EQ(0, mkdir(inner, 0755));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_CGROUP));
	r = (const void *)self->l.header;
	EXPECT_EQ(file_inode(inner), r->id);
	EXPECT_STREQ(inner + strlen(CGROUPFS), r->path);
	/* Removing a group causes no record. */
	EXPECT_EQ(0, cgroup_remove(inner));
	EXPECT_EQ(0, cgroup_remove(path));
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Make a cgroup, and compare the path in its record. Returns 0, or what failed. */
static int path_in_record(struct __test_metadata *_metadata, struct perf_listener *l,
			  const char *dir, const char *want)
{
	const struct cgroup_record *r;
	int different;

	if (mkdir(dir, 0755))
		return 1;
	do {
		if (!perf_listen_of(l, PERF_RECORD_CGROUP))
			return 2;
		r = (const void *)l->header;
	} while (file_inode(dir) != r->id);
	different = strcmp(want, r->path);
	if (different)
		TH_LOG("%s is %s, not %s", dir, r->path, want);
	if (r->header.size != sizeof(*r) + ((strlen(r->path) + 8) & ~7UL) + TRAILER)
		return 3;
	return different ? 4 : 0;
}

/* In a cgroup namespace whose root is @dir: make cgroups inside, beside it and above. */
static int paths_in_namespace(struct __test_metadata *_metadata, struct perf_listener *l,
			      const char *dir)
{
	static const char *const made[][2] = {
		{ "%s/inner", "/inner" },
		{ "%s/inner/deep", "/inner/deep" },
		{ "%s/../beside", "/../beside" },
		{ "%s/../beside/deep", "/../beside/deep" },
		{ "%s/../../records_above", "/../../records_above" },
	};
	char path[ARRAY_SIZE(made)][PATH_MAX];
	unsigned int i, n = 0;
	int err = 0;

	if (cgroup_enter(dir, getpid()) || unshare(CLONE_NEWCGROUP) ||
	    perf_listen_self(l, LISTENER(.cgroup = 1)) || perf_enable(l->fd))
		return 10;
	for (i = 0; i < ARRAY_SIZE(made) && !err; i++) {
		snprintf(path[n], sizeof(path[n]), made[i][0], dir);
		err = path_in_record(_metadata, l, path[n++], made[i][1]);
	}
	while (n)
		cgroup_remove(path[--n]);
	return err;
}

/* Names of cgroups outside the namespace are not shown in it. */
TEST_F(cgroup, paths_begin_at_the_root_of_the_namespace)
{
	char outer[256], root[280];
	int status;
	pid_t pid;

	if (cgroup_make("records", outer, sizeof(outer)))
		SKIP(return, "no unified control groups");
	snprintf(root, sizeof(root), "%s/root", outer);
	ASSERT_EQ(0, mkdir(root, 0755));
	pid = fork_child();
	if (!pid)
		_exit(paths_in_namespace(_metadata, &self->l, root));
	status = wait_status(pid);
	EXPECT_EQ(0, cgroup_remove(root));
	EXPECT_EQ(0, cgroup_remove(outer));
	SKIP_STOCK_FAULT(status == 4, "records show paths outside the namespace");
	EXPECT_EQ(0, status);
}

/* A child event uses the namespace in which its parent was opened, not its task's namespace. */
TEST_F(cgroup, a_childs_path_begins_where_the_parents_does)
{
	char outer[256], inner[280];
	int status;
	pid_t pid;

	if (cgroup_make("records", outer, sizeof(outer)))
		SKIP(return, "no unified control groups");
	snprintf(inner, sizeof(inner), "%s/inner", outer);
	ASSERT_EQ(0, perf_listen(&self->l, LISTENER(.cgroup = 1, .inherit = 1), 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fork_child();
	if (!pid)
		_exit(cgroup_enter(outer, getpid()) || unshare(CLONE_NEWCGROUP) ||
		      mkdir(inner, 0755));
	status = wait_status(pid);
	ASSERT_EQ(0, status);
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_CGROUP));
	EXPECT_STREQ(inner + strlen(CGROUPFS), ((struct cgroup_record *)self->l.header)->path);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	EXPECT_EQ(0, cgroup_remove(inner));
	EXPECT_EQ(0, cgroup_remove(outer));
}

/* An event of a CPU with attr.cgroup and no other such bit. */
TEST_F(cgroup, cgroup_heard_by_cpu)
{
	char path[256];
	int nr;

	listen_to(_metadata, self, LISTENER(.cgroup = 1));
	if (cgroup_make("records", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	nr = perf_listen_count(&self->l, PERF_RECORD_CGROUP);
	EXPECT_EQ(0, cgroup_remove(path));
	SKIP_STOCK_FAULT(!nr, "a CPU's listener hears cgroups only with others");
	EXPECT_LE(1, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Together with attr.comm. */
TEST_F(cgroup, cgroup_heard_by_cpu_with_comm)
{
	char path[256];

	listen_to(_metadata, self, LISTENER(.cgroup = 1, .comm = 1));
	if (cgroup_make("records", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	EXPECT_LE(1, perf_listen_count(&self->l, PERF_RECORD_CGROUP));
	EXPECT_EQ(0, cgroup_remove(path));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
