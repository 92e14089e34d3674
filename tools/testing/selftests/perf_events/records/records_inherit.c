// SPDX-License-Identifier: GPL-2.0
/*
 * Records about families of tasks: READ, which an inherited event with inherit_stat
 * writes when its task exits, the order of records around fork, exec and exit, and pids
 * in records of an event that was opened in a pid namespace.
 */
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

struct read_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 value[];
};

FIXTURE(family)
{
	struct perf_listener l;
	int cpu;
};

FIXTURE_SETUP(family)
{
	self->cpu = nth_cpu(0);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(family)
{
}

static pid_t fault_in_child(int pages)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		fault_pages(pages);
		_exit(0);
	}
	return wait_status(pid) ? -1 : pid;
}

/* READ */

#define SKIP_WITHOUT_READ						\
	SKIP_STOCK_FAULT(true, "no READ record, as the task is gone first")

static int count_reads(struct __test_metadata *_metadata,
		       struct _test_data_family *self,
		       struct perf_event_attr attr)
{
	int nr;

	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_LT(0, fault_in_child(5));
	nr = perf_listen_count(&self->l, PERF_RECORD_READ);
	EXPECT_EQ(0, perf_listen_end(&self->l));
	return nr;
}

/* Needs both bits. The event may sample or only count. */
TEST_F(family, read_needs_inherit_stat)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS);

	SKIP_WITHOUT_READ;
	attr.inherit = 1;
	attr.inherit_stat = 1;
	EXPECT_EQ(1, count_reads(_metadata, self, attr));
	attr.sample_period = 1000;
	EXPECT_EQ(1, count_reads(_metadata, self, attr));
	attr.inherit_stat = 0;
	EXPECT_EQ(0, count_reads(_metadata, self, attr));
	attr.inherit_stat = 1;
	attr.inherit = 0;
	EXPECT_EQ(0, count_reads(_metadata, self, attr));
}

/* The values of the child alone, in every format. */
TEST_F(family, read_in_every_format)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.inherit_stat = 1, .sample_id_all = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID);
	const struct read_record *r;
	unsigned int words;
	__u64 format;
	pid_t pid;

	SKIP_WITHOUT_READ;
	for (format = 0; format < PERF_FORMAT_MAX; format++) {
		if (format & PERF_FORMAT_GROUP)
			continue;
		attr.read_format = format;
		ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
		fault_pages(1000);
		pid = fault_in_child(7);
		ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_READ));
		r = (const void *)self->l.header;
		EXPECT_EQ(pid, (pid_t)r->pid);
		EXPECT_EQ(pid, (pid_t)r->tid);
		words = 1 + __builtin_popcountll(format);
		EXPECT_EQ(sizeof(*r) + 8 * words + 3 * 8, r->header.size);
		/* Includes the faults of the child's start and exit. */
		EXPECT_LE(7, r->value[0]);
		EXPECT_GT(1000, r->value[0]);
		if (format == PERF_FORMAT_ID)
			EXPECT_EQ(perf_event_id(self->l.fd), r->value[1]);
		if (format == PERF_ALL_TIMES)
			EXPECT_LE(r->value[2], r->value[1]);
		EXPECT_EQ(perf_event_id(self->l.fd), self->l.rec.id);
		EXPECT_EQ(pid, (pid_t)self->l.rec.tid);
		EXPECT_FALSE(perf_listen_of(&self->l, PERF_RECORD_READ));
		EXPECT_EQ(0, perf_listen_end(&self->l));
	}
}

/* The values of the records and the remainder add up to the whole. */
TEST_F(family, reads_add_up)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.inherit_stat = 1, .disabled = 1);
	__u64 parts = 0, mine;
	int own, nr = 0, i;

	SKIP_WITHOUT_READ;
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	own = perf_open(PERF_SW(PAGE_FAULTS), 0, self->cpu, -1);
	ASSERT_LE(0, own);
	ASSERT_EQ(0, perf_enable(self->l.fd));
	mine = perf_count(own);
	for (i = 1; i <= 8; i++)
		ASSERT_LT(0, fault_in_child(10 * i));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	mine = perf_count(own) - mine;
	for (; perf_listen_of(&self->l, PERF_RECORD_READ); nr++)
		parts += ((const struct read_record *)self->l.header)->value[0];
	EXPECT_EQ(8, nr);
	EXPECT_LE(10 * 36, parts);
	EXPECT_EQ(perf_count(self->l.fd), parts + mine);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

static void *fault_in_thread(void *arg)
{
	fault_pages(11);
	*(pid_t *)arg = gettid();
	return NULL;
}

TEST_F(family, read_of_thread)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.inherit_stat = 1, .inherit_thread = 1);
	const struct read_record *r;
	pthread_t thread;
	pid_t tid;

	SKIP_WITHOUT_READ;
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, pthread_create(&thread, NULL, fault_in_thread, &tid));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* A child process does not inherit. */
	ASSERT_LT(0, fault_in_child(1));
	/* pthread_join() can return before the thread has exited. */
	ASSERT_TRUE(COMES_TRUE(perf_listen_of(&self->l, PERF_RECORD_READ)));
	r = (const void *)self->l.header;
	EXPECT_EQ(getpid(), (pid_t)r->pid);
	EXPECT_EQ(tid, (pid_t)r->tid);
	EXPECT_LE(11, r->value[0]);
	EXPECT_FALSE(perf_listen_of(&self->l, PERF_RECORD_READ));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Order */

/* Types of the records of one task, in order. A FORK belongs to the child. */
static int types_of(struct perf_listener *l, pid_t tid, __u32 *types, int max)
{
	int nr = 0;

	while (perf_listen_next(l)) {
		const __u32 *body = perf_listen_body(l);
		__u32 type = l->header->type;
		bool forks = type == PERF_RECORD_FORK ||
			     type == PERF_RECORD_EXIT;

		/* pid, ppid, tid, or pid, tid */
		if ((pid_t)body[forks ? 2 : 1] != tid || nr == max)
			continue;
		/* Records of one type in a row count as one. */
		if (!nr || types[nr - 1] != type)
			types[nr++] = type;
	}
	return nr;
}

TEST_F(family, order_of_records)
{
	static const __u32 want[] = {
		PERF_RECORD_FORK, PERF_RECORD_COMM, PERF_RECORD_MMAP,
		PERF_RECORD_EXIT,
	};
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1, .task = 1,
		.comm = 1, .mmap = 1, .disabled = 1);
	__u32 types[16];
	pid_t pid;
	int i, nr;

	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fork_child();
	if (pid == 0)
		perf_exec_touch(1);
	ASSERT_EQ(0, wait_status(pid));
	nr = types_of(&self->l, pid, types, 16);
	ASSERT_EQ(ARRAY_SIZE(want), nr);
	for (i = 0; i < nr; i++)
		EXPECT_EQ(want[i], types[i]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* NAMESPACES of a child follow its FORK, whether the namespaces are new or not. */
TEST_F(family, namespaces_follow_fork)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1, .task = 1,
		.namespaces = 1, .disabled = 1);
	__u32 types[16];
	pid_t pid;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fault_in_child(1);
	ASSERT_EQ(3, types_of(&self->l, pid, types, 16));
	EXPECT_EQ(PERF_RECORD_FORK, types[0]);
	EXPECT_EQ(PERF_RECORD_NAMESPACES, types[1]);
	EXPECT_EQ(PERF_RECORD_EXIT, types[2]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* One READ and one EXIT, in any order, and no record behind them. */
TEST_F(family, read_and_exit)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1,
		.inherit_stat = 1, .task = 1, .disabled = 1);
	__u32 types[16];
	pid_t pid;

	SKIP_WITHOUT_READ;
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fault_in_child(1);
	ASSERT_EQ(3, types_of(&self->l, pid, types, 16));
	EXPECT_EQ(PERF_RECORD_FORK, types[0]);
	EXPECT_EQ(PERF_RECORD_READ + PERF_RECORD_EXIT, types[1] + types[2]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A task that is killed exits like any other. */
TEST_F(family, killed)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1, .task = 1,
					      .disabled = 1);
	__u32 types[16];
	pid_t pid;

	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fork_child();
	if (pid == 0)
		pause();
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(-SIGKILL, wait_status(pid));
	ASSERT_EQ(2, types_of(&self->l, pid, types, 16));
	EXPECT_EQ(PERF_RECORD_FORK, types[0]);
	EXPECT_EQ(PERF_RECORD_EXIT, types[1]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Pid namespaces */

/*
 * In records of an outer event tasks of a new namespace, and their parents, have the
 * outer pids.
 */
TEST_F(family, namespace_heard_from_outside)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .inherit = 1, .task = 1,
					      .disabled = 1);
	int forks = 0, exits = 0;
	pid_t pid, init = 0;

	if (getuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, perf_listen(&self->l, attr, 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fork_child();
	if (pid == 0) {
		if (unshare(CLONE_NEWPID) || fault_in_child(1) <= 0)
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	while (perf_listen_next(&self->l)) {
		/* pid, ppid, tid, ptid */
		const __u32 *task = perf_listen_body(&self->l);

		EXPECT_LT(1, task[0]);
		EXPECT_EQ(task[0], task[2]);
		if (self->l.header->type == PERF_RECORD_FORK && ++forks == 2) {
			EXPECT_EQ(pid, (pid_t)task[1]);
			init = task[0];
		}
		exits += self->l.header->type == PERF_RECORD_EXIT;
		if (self->l.header->type == PERF_RECORD_EXIT && exits == 1)
			EXPECT_EQ(init, (pid_t)task[0]);
	}
	EXPECT_EQ(2, forks);
	EXPECT_EQ(2, exits);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* In a namespace: open an event of the CPU while the parent forks outside. */
static int hear_outsiders(struct _test_data_family *self, struct gate *ready,
			  struct gate *go)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .task = 1, .comm = 1,
		.sample_id_all = 1, .sample_type = PERF_SAMPLE_TID);
	int inside = 0, outside = 0, wrong = 0;

	if (perf_listen(&self->l, attr, -1, self->cpu))
		return 10;
	gate_open(ready);
	gate_wait(go);
	fault_in_child(1);
	perf_disable(self->l.fd);
	while (perf_listen_next(&self->l)) {
		const __u32 *task = perf_listen_body(&self->l);

		if (self->l.header->type == PERF_RECORD_FORK && task[0] == 2) {
			inside++;
			wrong += task[1] != 1 || self->l.rec.pid != 1;
		} else if (self->l.header->type == PERF_RECORD_FORK) {
			outside++;
			wrong += task[0] || task[1] || task[2] || task[3];
			wrong += self->l.rec.pid != 0;
		}
	}
	if (perf_listen_end(&self->l))
		return 11;
	return wrong ? 12 : inside != 1 ? 13 : outside < 3 ? 14 : 0;
}

TEST_F(family, outsiders_heard_in_namespace)
{
	struct gate ready = gate_new(), go = gate_new();
	pid_t pid;
	int i;

	if (getuid())
		SKIP(return, "needs root");
	pid = fork_child();
	if (pid == 0) {
		if (unshare(CLONE_NEWPID))
			_exit(1);
		pid = fork_child();
		if (pid == 0)
			_exit(hear_outsiders(self, &ready, &go));
		_exit(wait_status(pid));
	}
	gate_wait(&ready);
	for (i = 0; i < 3; i++)
		ASSERT_LT(0, fault_in_child(1));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
}

PERF_TEST_EXEC_MAIN
