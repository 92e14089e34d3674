// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of tracepoints about another task than the running one, or that stand for
 * more than one occurrence; of the function tracer; of control groups; and of several
 * events that share a buffer.
 */
#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

FIXTURE(trace)
{
	struct perf_listener l;
	int cpu;
};

FIXTURE_SETUP(trace)
{
	self->cpu = nth_cpu(0);
	if (tracepoint_id("task/task_rename") < 0)
		SKIP(return, "no tracepoints");
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
	ASSERT_EQ(0, stay_resident());
}

FIXTURE_TEARDOWN(trace)
{
}

static struct perf_event_attr point(const char *name, __u64 type)
{
	return PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id(name),
			 .sample_period = 1, .sample_type = type,
			 .disabled = 1);
}

/* Tracepoints about another task */

/*
 * A wakeup belongs to the task that is woken, though the waker runs. An event on the
 * waker's CPU counts it. Samples are only of what the task does itself.
 */
TEST_F(trace, wakeup_belongs_to_the_sleeper)
{
	struct perf_event_attr attr = point("sched/sched_wakeup",
					    PERF_SAMPLE_TID);
	struct gate go = gate_new(), done = gate_new();
	pid_t pid = fork_child();
	int nr = 0, i;

	if (pid == 0) {
		for (;;) {
			gate_wait(&go);
			gate_open(&done);
		}
	}
	ASSERT_EQ(0, perf_listen(&self->l, attr, pid, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 40; i++) {
		ASSERT_TRUE(wait_asleep(pid));
		gate_open(&go);
		gate_wait(&done);
	}
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		EXPECT_EQ(pid, (pid_t)self->l.rec.tid);
	EXPECT_LE(nr + 40, perf_count(self->l.fd));
	kill(pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(pid));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* sched_switch belongs to the previous task. */
TEST_F(trace, switch_of_task)
{
	static const char tp[] = "sched/sched_switch";
	int prev_at, size, nr = 0;

	ASSERT_EQ(0, tracepoint_field(tp, "prev_pid", &prev_at, &size));
	ASSERT_EQ(0, perf_listen_self(&self->l, point(tp, PERF_SAMPLE_TID |
						      PERF_SAMPLE_RAW)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	switch_out(20);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		const char *raw = self->l.rec.raw;

		EXPECT_EQ(gettid(), *(int *)(raw + prev_at));
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
	}
	EXPECT_LE(20, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Weights */

#define RUNTIME	"sched/sched_stat_runtime"

/*
 * Run for about so long. Reading the CPU time would itself be an occurrence, so this is the time
 * that passes. Of a gap in which another task may have run hardly anything counts.
 */
static void run_for(__u64 ns)
{
	__u64 last = clock_ns(CLOCK_MONOTONIC), now, used = 0;

	while (used < ns) {
		now = clock_ns(CLOCK_MONOTONIC);
		used += now - last < NSEC_PER_MSEC / 4 ? now - last : NSEC_PER_MSEC / 4;
		last = now;
	}
}

/* The period of a sample is a number of nanoseconds. They add up. */
TEST_F(trace, weight_of_occurrence)
{
	struct perf_event_attr attr = point(RUNTIME, PERF_SAMPLE_PERIOD |
					    PERF_SAMPLE_RAW);
	int at, size, nr = 0;
	__u64 sum = 0;

	if (tracepoint_id(RUNTIME) < 0)
		SKIP(return, "no such tracepoint");
	ASSERT_EQ(0, tracepoint_field(RUNTIME, "runtime", &at, &size));
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	run_for(100 * NSEC_PER_MSEC);
	switch_out(1);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		const char *raw = self->l.rec.raw;

		EXPECT_EQ(*(__u64 *)(raw + at), self->l.rec.period);
		sum += self->l.rec.period;
	}
	EXPECT_LT(0, nr);
	EXPECT_EQ(perf_count(self->l.fd), sum);
	EXPECT_LE(2 * NSEC_PER_MSEC, sum);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A sample for each period that the weights fill, also several at once. */
TEST_F(trace, periods_in_occurrences)
{
	struct perf_event_attr attr = point(RUNTIME, PERF_SAMPLE_TID);
	__u64 count;
	int nr;

	if (tracepoint_id(RUNTIME) < 0)
		SKIP(return, "no such tracepoint");
	/* A host may stop for seconds, which is one occurrence: still below the limit of a tick. */
	attr.sample_period = 50 * NSEC_PER_MSEC;
	perf_raise_sample_rate();
	ASSERT_EQ(0, perf_listen_self(&self->l, attr));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	burn_cpu(400 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	count = perf_count(self->l.fd);
	nr = perf_listen_count(&self->l, PERF_RECORD_SAMPLE);
	EXPECT_LT(0, nr);
	EXPECT_EQ(count / attr.sample_period, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A new period begins with the call, in full length. */
TEST_F(trace, period_changed)
{
	struct perf_event_attr attr = point("task/task_rename", PERF_SAMPLE_TID);
	static const struct {
		__u64 period;
		int times;
		int samples;
	} steps[] = {
		{ 1, 5, 5 }, { 10, 9, 0 }, { 3, 2, 0 }, { 3, 3, 1 }, { 1, 1, 1 },
	};
	char filter[32];
	int i, n;

	attr.sample_period = 1000;
	ASSERT_EQ(0, perf_listen(&self->l, attr, -1, self->cpu));
	/* other tasks of the CPU may be renamed as well */
	snprintf(filter, sizeof(filter), "pid == %d", gettid());
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	prctl(PR_SET_NAME, "before");
	for (i = 0; i < 5; i++) {
		__u64 period = steps[i].period;

		ASSERT_EQ(0, ioctl(self->l.fd, PERF_EVENT_IOC_PERIOD, &period));
		for (n = 0; n < steps[i].times; n++)
			prctl(PR_SET_NAME, "renamed");
		EXPECT_EQ(steps[i].samples,
			  perf_listen_count(&self->l, PERF_RECORD_SAMPLE)) {
			TH_LOG("step %d", i);
		}
	}
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The function tracer */

TEST_F(trace, functions)
{
	struct perf_event_attr attr = point("ftrace/function", PERF_SAMPLE_IP |
					    PERF_SAMPLE_TID);
	int nr = 0, i, err;

	if (getuid() || tracepoint_id("ftrace/function") < 0)
		SKIP(return, "no function tracer");
	/* Following the user's stack could fault. */
	attr.exclude_callchain_user = 1;
	attr.sample_period = 10;
	err = perf_listen_self(&self->l, attr);
	if (err == -EINVAL || err == -EOPNOTSUPP)
		SKIP(return, "functions cannot be sampled here");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 20; i++)
		umask(022);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		EXPECT_TRUE(is_kernel_address(self->l.rec.ip));
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
	}
	EXPECT_LT(0, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A filter on the function itself. */
TEST_F(trace, one_function)
{
	static const char symbol[] = SYSCALL_SYMBOL(umask);
	__u64 start = kernel_symbol(symbol);
	struct perf_event_attr attr = point("ftrace/function", PERF_SAMPLE_RAW);
	int nr = 0, at, size, i;
	char filter[128];

	if (getuid() || tracepoint_id("ftrace/function") < 0 || !start)
		SKIP(return, "no function tracer");
	attr.exclude_callchain_user = 1;
	ASSERT_EQ(0, tracepoint_field("ftrace/function", "ip", &at, &size));
	snprintf(filter, sizeof(filter), "ip == %s", symbol);
	if (perf_listen_self(&self->l, attr))
		SKIP(return, "functions cannot be sampled here");
	ASSERT_EQ(0, perf_ioctl(self->l.fd, PERF_EVENT_IOC_SET_FILTER,
				(unsigned long)filter));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 20; i++)
		umask(022);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++) {
		const char *raw = self->l.rec.raw;

		/* The tracer's instruction is at the start or near it. */
		EXPECT_GE(16, *(unsigned long *)(raw + at) - start);
	}
	EXPECT_EQ(20, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Control groups */

TEST_F(trace, tasks_of_cgroup)
{
	struct perf_event_attr attr = PERF_SAMPLED(PAGE_FAULTS,
						   PERF_SAMPLE_TID);
	int dir, nr = 0, mine = 0;
	char path[256];
	pid_t pid;

	if (getuid() || cgroup_make("sampled", path, sizeof(path)))
		SKIP(return, "no unified control groups");
	dir = open(path, O_RDONLY | O_CLOEXEC);
	self->l.attr = attr;
	self->l.fd = perf_raw_open(&attr, dir, self->cpu, -1,
				   PERF_FLAG_PID_CGROUP);
	ASSERT_LE(0, self->l.fd);
	ASSERT_EQ(0, perf_buf_map(&self->l.buf, self->l.fd, 16));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	fault_pages(10);
	pid = fork_child();
	if (pid == 0) {
		if (cgroup_enter(path, getpid()))
			_exit(1);
		fault_pages(25);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	fault_pages(10);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	for (; perf_listen_of(&self->l, PERF_RECORD_SAMPLE); nr++)
		mine += (pid_t)self->l.rec.tid == gettid();
	EXPECT_LE(25, nr);
	EXPECT_EQ(0, mine);
	EXPECT_EQ(perf_count(self->l.fd), nr);
	EXPECT_EQ(0, perf_buf_unmap(&self->l.buf));
	close(self->l.fd);
	close(dir);
	EXPECT_EQ(0, cgroup_remove(path));
}

/* One buffer for several events. IDENTIFIER names the event of a record. */

#define SHARED	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID)

TEST_F(trace, events_share_a_buffer)
{
	struct perf_event_attr attr[3] = {
		PERF_SW(PAGE_FAULTS, .sample_period = 2, .sample_type = SHARED),
		point("task/task_rename", SHARED | PERF_SAMPLE_RAW),
		PERF_SW(DUMMY, .sample_type = SHARED | PERF_SAMPLE_TIME,
			.sample_id_all = 1, .comm = 1),
	};
	int fd[3], nr[3] = { 0, 0, 0 }, i;
	__u64 id, ids[3];

	ASSERT_EQ(0, perf_listen_self(&self->l, attr[0]));
	fd[0] = self->l.fd;
	for (i = 0; i < 3; i++) {
		if (i)
			fd[i] = perf_open_self(attr[i]);
		ASSERT_LE(0, fd[i]);
		ids[i] = perf_event_id(fd[i]);
		if (i)
			ASSERT_EQ(0, perf_ioctl(fd[i],
						PERF_EVENT_IOC_SET_OUTPUT,
						fd[0]));
	}
	ASSERT_EQ(0, perf_disable(fd[0]));
	perf_buf_drop(&self->l.buf);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, perf_enable(fd[i]));
	for (i = 0; i < 10; i++) {
		fault_pages(2);
		prctl(PR_SET_NAME, "shared");
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, perf_disable(fd[i]));
	while ((self->l.header = perf_buf_next(&self->l.buf))) {
		const struct perf_event_header *header = self->l.header;
		const __u64 *words = (const __u64 *)header;

		/* First in a sample, last in any other record. */
		id = header->type == PERF_RECORD_SAMPLE ? words[1] :
		     words[header->size / 8 - 1];
		for (i = 0; i < 3 && ids[i] != id; i++)
			;
		ASSERT_GT(3, i);
		EXPECT_TRUE(perf_rec_parse(&attr[i], header, &self->l.rec));
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_EQ(i == 2 ? PERF_RECORD_COMM : PERF_RECORD_SAMPLE,
			  header->type);
		nr[i]++;
	}
	EXPECT_EQ(10, nr[0]);
	EXPECT_EQ(10, nr[1]);
	EXPECT_EQ(10, nr[2]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
