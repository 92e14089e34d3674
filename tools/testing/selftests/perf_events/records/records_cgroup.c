// SPDX-License-Identifier: GPL-2.0
/*
 * CGROUP records: a control group was made.
 */
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
