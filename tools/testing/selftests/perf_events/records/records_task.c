// SPDX-License-Identifier: GPL-2.0
/*
 * Records about tasks: FORK, EXIT, COMM, NAMESPACES and READ. Their contents, and the
 * events that get them: events of a task, of a CPU, inherited ones, disabled ones,
 * and events in a pid namespace.
 */
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

/* FORK and EXIT. */
struct task_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 ppid;
	__u32 tid;
	__u32 ptid;
	__u64 time;
};

struct comm_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	char comm[];
};

struct namespaces_record {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 nr;
	struct perf_ns_link_info link[];
};

#define LISTENER(...)							\
	PERF_SW(DUMMY, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, \
		.sample_id_all = 1, .disabled = 1, ##__VA_ARGS__)

FIXTURE(task)
{
	struct perf_listener l;
	int cpu;
	int other;	/* or -1 */
};

FIXTURE_SETUP(task)
{
	self->cpu = nth_cpu(0);
	self->other = nth_cpu(1);
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(task)
{
}

static void listen_to(struct __test_metadata *_metadata,
		      struct _test_data_task *self,
		      struct perf_event_attr attr, pid_t pid, int cpu)
{
	ASSERT_EQ(0, perf_listen(&self->l, attr, pid, cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
}

static void listen_end(struct __test_metadata *_metadata,
		       struct _test_data_task *self)
{
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

static pid_t fork_and_wait(void)
{
	pid_t pid = fork_child();

	if (pid == 0)
		_exit(0);
	return wait_status(pid) ? -1 : pid;
}

/*
 * The number of FORK or EXIT records of a task among all unread records. The last one
 * is in *found, its trailer in l->rec.
 */
static int task_records(struct perf_listener *l, __u32 type, pid_t tid,
			struct task_record *found)
{
	struct perf_rec trailer = {};
	int nr = 0;

	while (perf_listen_next(l)) {
		const struct task_record *r = (const void *)l->header;

		if (r->header.type == type && (pid_t)r->tid == tid) {
			*found = *r;
			trailer = l->rec;
			nr++;
		}
	}
	l->rec = trailer;
	return nr;
}

/* FORK */

TEST_F(task, fork_of_process)
{
	struct perf_event_attr attr = LISTENER(.task = 1, .use_clockid = 1,
					       .clockid = CLOCK_MONOTONIC);
	struct task_record r;
	__u64 start, end;
	pid_t pid;

	listen_to(_metadata, self, attr, 0, -1);
	start = clock_ns(CLOCK_MONOTONIC);
	pid = fork_and_wait();
	end = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_FORK, pid, &r));
	EXPECT_EQ(pid, r.pid);
	EXPECT_EQ(getpid(), r.ppid);
	EXPECT_EQ(gettid(), r.ptid);
	EXPECT_LE(start, r.time + 20000);
	EXPECT_LE(r.time, end + 20000);
	EXPECT_LE(start, self->l.rec.time + 20000);
	EXPECT_LE(self->l.rec.time, end + 20000);
	EXPECT_EQ(0, r.header.misc);
	EXPECT_EQ(sizeof(r) + 16, r.header.size);
	listen_end(_metadata, self);
}

static void *say_tid(void *arg)
{
	*(pid_t *)arg = gettid();
	return NULL;
}

TEST_F(task, fork_of_thread)
{
	struct task_record r;
	pthread_t thread;
	pid_t tid;

	listen_to(_metadata, self, LISTENER(.task = 1), 0, -1);
	ASSERT_EQ(0, pthread_create(&thread, NULL, say_tid, &tid));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_FORK, tid, &r));
	EXPECT_EQ(getpid(), r.pid);
	EXPECT_EQ(getpid(), r.ppid);
	EXPECT_EQ(gettid(), r.ptid);
	listen_end(_metadata, self);
}

/* An event without inherit does not record the child's exit. */
TEST_F(task, exit_is_of_the_listeners_tasks)
{
	struct task_record r;
	pid_t pid;

	listen_to(_metadata, self, LISTENER(.task = 1), 0, -1);
	pid = fork_and_wait();
	EXPECT_EQ(0, task_records(&self->l, PERF_RECORD_EXIT, pid, &r));
	listen_end(_metadata, self);
}

TEST_F(task, exit_of_watched_task)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	struct task_record r;

	if (pid == 0) {
		gate_wait(&go);
		_exit(0);
	}
	listen_to(_metadata, self, LISTENER(.task = 1), pid, -1);
	gate_open(&go);
	ASSERT_EQ(0, wait_status(pid));
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_EXIT, pid, &r));
	EXPECT_EQ(pid, r.pid);
	EXPECT_EQ(getpid(), r.ppid);
	EXPECT_EQ(getpid(), r.ptid);
	EXPECT_EQ(sizeof(r) + 16, r.header.size);
	listen_end(_metadata, self);
}

TEST_F(task, exit_of_inherited)
{
	struct task_record r;
	pid_t pid;

	listen_to(_metadata, self, LISTENER(.task = 1, .inherit = 1), 0,
		  self->cpu);
	pid = fork_and_wait();
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_EXIT, pid, &r));
	EXPECT_EQ(pid, r.pid);
	listen_end(_metadata, self);
}

/* A whole tree, each task once. */
TEST_F(task, tree_of_inherited)
{
	int forks = 0, exits = 0, i;
	pid_t pid;

	listen_to(_metadata, self, LISTENER(.task = 1, .inherit = 1), 0,
		  self->cpu);
	pid = fork_child();
	if (pid == 0) {
		for (i = 0; i < 5; i++)
			fork_and_wait();
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	while (perf_listen_next(&self->l)) {
		forks += self->l.header->type == PERF_RECORD_FORK;
		exits += self->l.header->type == PERF_RECORD_EXIT;
	}
	EXPECT_EQ(6, forks);
	EXPECT_EQ(6, exits);
	listen_end(_metadata, self);
}

TEST_F(task, cpu_hears_all_on_it)
{
	struct task_record r;
	pid_t here, there;

	if (self->other < 0)
		SKIP(return, "needs two CPUs");
	listen_to(_metadata, self, LISTENER(.task = 1), -1, self->cpu);
	here = fork_and_wait();
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_FORK, here, &r));
	EXPECT_EQ(getpid(), r.ppid);
	here = fork_and_wait();
	ASSERT_EQ(1, task_records(&self->l, PERF_RECORD_EXIT, here, &r));
	ASSERT_EQ(0, pin_to_cpu(self->other));
	there = fork_and_wait();
	EXPECT_EQ(0, task_records(&self->l, PERF_RECORD_FORK, there, &r));
	there = fork_and_wait();
	EXPECT_EQ(0, task_records(&self->l, PERF_RECORD_EXIT, there, &r));
	listen_end(_metadata, self);
}

/* A disabled event, or one without the bit, gets no record. */
TEST_F(task, only_who_asked_and_is_enabled)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.task = 1, .comm = 1,
							 .namespaces = 1)));
	fork_and_wait();
	prctl(PR_SET_NAME, "unheard");
	EXPECT_FALSE(perf_listen_next(&self->l));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fork_and_wait();
	EXPECT_TRUE(perf_listen_of(&self->l, PERF_RECORD_FORK));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	perf_buf_drop(&self->l.buf);
	fork_and_wait();
	EXPECT_FALSE(perf_listen_next(&self->l));
	listen_end(_metadata, self);
	listen_to(_metadata, self, LISTENER(), 0, -1);
	fork_and_wait();
	prctl(PR_SET_NAME, "unasked");
	EXPECT_FALSE(perf_listen_next(&self->l));
	listen_end(_metadata, self);
}

/* COMM */

/* The next COMM record of a task, or NULL. */
static const struct comm_record *next_comm(struct perf_listener *l, pid_t tid)
{
	const struct comm_record *r;

	while (perf_listen_of(l, PERF_RECORD_COMM)) {
		r = (const void *)l->header;
		if ((pid_t)r->tid == tid)
			return r;
	}
	return NULL;
}

TEST_F(task, comm_by_prctl)
{
	static const struct {
		const char *set;
		const char *told;
		unsigned int bytes;
	} rows[] = {
		{ "a", "a", 8 }, { "", "", 8 }, { "seven77", "seven77", 8 },
		{ "eight888", "eight888", 16 },
		{ "exactly15bytes_", "exactly15bytes_", 16 },
		{ "longer than fifteen", "longer than fif", 16 },
	};
	const struct comm_record *r;
	size_t i;

	listen_to(_metadata, self, LISTENER(.comm = 1), 0, -1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		prctl(PR_SET_NAME, rows[i].set);
		r = next_comm(&self->l, gettid());
		ASSERT_NE(NULL, r);
		EXPECT_EQ(getpid(), r->pid);
		EXPECT_STREQ(rows[i].told, r->comm);
		EXPECT_EQ(0, r->header.misc);
		EXPECT_EQ(sizeof(*r) + rows[i].bytes + 16, r->header.size);
		EXPECT_EQ(gettid(), self->l.rec.tid);
	}
	EXPECT_EQ(NULL, next_comm(&self->l, gettid()));
	listen_end(_metadata, self);
}

static void *wait_at_gate(void *arg)
{
	struct gate *gates = arg;

	gate_open(&gates[0]);
	gate_wait(&gates[1]);
	return NULL;
}

/* A thread is renamed by another one: the record is about the renamed thread. */
TEST_F(task, comm_of_thread_by_proc)
{
	struct gate gates[2] = { gate_new(), gate_new() };
	struct perf_listener other;
	const struct comm_record *r;
	char path[64];
	pthread_t thread;
	pid_t tid = 0, found;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_at_gate, gates));
	gate_wait(&gates[0]);
	/* The thread is the task with another tid. */
	for (found = getpid() + 1; !tid && found < getpid() + 100; found++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/comm", found);
		if (!access(path, W_OK))
			tid = found;
	}
	ASSERT_NE(0, tid);
	ASSERT_EQ(0, perf_listen(&other, LISTENER(.comm = 1), tid, -1));
	ASSERT_EQ(0, perf_enable(other.fd));
	listen_to(_metadata, self, LISTENER(.comm = 1), -1, self->cpu);
	ASSERT_EQ(0, file_write(path, "named"));
	/*
	 * The other thread renames it here: the events of the CPU and of this task get
	 * the record.
	 */
	r = next_comm(&self->l, tid);
	ASSERT_NE(NULL, r);
	EXPECT_EQ(getpid(), r->pid);
	EXPECT_STREQ("named", r->comm);
	EXPECT_EQ(gettid(), self->l.rec.tid);
	EXPECT_EQ(NULL, next_comm(&other, tid));
	gate_open(&gates[1]);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, perf_listen_end(&other));
	listen_end(_metadata, self);
}

/* A COMM of an exec has the EXEC bit. An event that the exec enables gets it. */
static void check_exec_comm(struct __test_metadata *_metadata,
			    struct _test_data_task *self,
			    struct perf_event_attr attr)
{
	struct gate go = gate_new();
	const struct comm_record *r;
	pid_t pid = fork_child();

	if (pid == 0) {
		gate_wait(&go);
		prctl(PR_SET_NAME, "before");
		perf_exec_touch(1);
	}
	ASSERT_EQ(0, perf_listen(&self->l, attr, pid, -1));
	if (!attr.enable_on_exec)
		ASSERT_EQ(0, perf_enable(self->l.fd));
	gate_open(&go);
	ASSERT_EQ(0, wait_status(pid));
	if (!attr.enable_on_exec) {
		r = next_comm(&self->l, pid);
		ASSERT_NE(NULL, r);
		EXPECT_STREQ("before", r->comm);
		EXPECT_EQ(0, r->header.misc);
	}
	r = next_comm(&self->l, pid);
	ASSERT_NE(NULL, r);
	/* /proc/self/exe was executed. */
	EXPECT_STREQ("exe", r->comm);
	EXPECT_EQ(PERF_RECORD_MISC_COMM_EXEC, r->header.misc);
	listen_end(_metadata, self);
}

TEST_F(task, comm_by_exec)
{
	check_exec_comm(_metadata, self, LISTENER(.comm = 1));
	check_exec_comm(_metadata, self, LISTENER(.comm = 1, .comm_exec = 1));
}

TEST_F(task, comm_by_exec_that_enables)
{
	check_exec_comm(_metadata, self, LISTENER(.comm = 1,
						  .enable_on_exec = 1));
}

/* NAMESPACES */

static const char *const ns_names[NR_NAMESPACES] = {
	[NET_NS_INDEX] = "net", [UTS_NS_INDEX] = "uts", [IPC_NS_INDEX] = "ipc",
	[PID_NS_INDEX] = "pid", [USER_NS_INDEX] = "user",
	[MNT_NS_INDEX] = "mnt", [CGROUP_NS_INDEX] = "cgroup",
};

/* A record agrees with /proc. */
static void check_namespaces(struct __test_metadata *_metadata,
			     struct perf_listener *l, pid_t tid)
{
	const struct namespaces_record *r = (const void *)l->header;
	char path[64];
	struct stat st;
	int i;

	EXPECT_EQ(tid, (pid_t)r->tid);
	ASSERT_EQ(NR_NAMESPACES, r->nr);
	EXPECT_EQ(sizeof(*r) + NR_NAMESPACES * sizeof(*r->link) + 16,
		  r->header.size);
	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/%d/ns/%s", tid,
			 ns_names[i]);
		/* A kernel may lack some of them. */
		if (stat(path, &st))
			continue;
		EXPECT_EQ(st.st_ino, r->link[i].ino) {
			TH_LOG("namespace %s", ns_names[i]);
		}
		EXPECT_EQ(st.st_dev, r->link[i].dev);
	}
}

TEST_F(task, namespaces_by_unshare)
{
	static const int flags[] = {
		CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS,
		CLONE_NEWCGROUP, CLONE_NEWUTS | CLONE_NEWIPC,
	};
	size_t i;

	if (getuid())
		SKIP(return, "needs root");
	listen_to(_metadata, self, LISTENER(.namespaces = 1), 0, -1);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		if (unshare(flags[i]))
			continue;
		ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_NAMESPACES));
		check_namespaces(_metadata, &self->l, gettid());
		EXPECT_FALSE(perf_listen_next(&self->l));
	}
	listen_end(_metadata, self);
}

TEST_F(task, namespaces_by_setns)
{
	int ns = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);

	if (getuid() || ns < 0)
		SKIP(return, "needs root");
	ASSERT_EQ(0, unshare(CLONE_NEWUTS));
	listen_to(_metadata, self, LISTENER(.namespaces = 1), 0, -1);
	ASSERT_EQ(0, setns(ns, CLONE_NEWUTS));
	ASSERT_TRUE(perf_listen_of(&self->l, PERF_RECORD_NAMESPACES));
	check_namespaces(_metadata, &self->l, gettid());
	listen_end(_metadata, self);
}

/* Each fork on the CPU makes such a record as well. */
static int own_namespaces(struct perf_listener *l)
{
	int nr = 0;

	while (perf_listen_of(l, PERF_RECORD_NAMESPACES))
		nr += (pid_t)((const struct namespaces_record *)l->header)->tid == gettid();
	return nr;
}

/* An event of a CPU with attr.namespaces and no other such bit. */
TEST_F(task, namespaces_heard_by_cpu)
{
	int nr;

	if (getuid())
		SKIP(return, "needs root");
	listen_to(_metadata, self, LISTENER(.namespaces = 1), -1, self->cpu);
	ASSERT_EQ(0, unshare(CLONE_NEWUTS));
	nr = own_namespaces(&self->l);
	SKIP_STOCK_FAULT(!nr, "a CPU's listener hears it only with others");
	EXPECT_EQ(1, nr);
	listen_end(_metadata, self);
	listen_to(_metadata, self, LISTENER(.namespaces = 1, .comm = 1), -1,
		  self->cpu);
	ASSERT_EQ(0, unshare(CLONE_NEWUTS));
	EXPECT_EQ(1, own_namespaces(&self->l));
	listen_end(_metadata, self);
}

PERF_TEST_EXEC_MAIN
