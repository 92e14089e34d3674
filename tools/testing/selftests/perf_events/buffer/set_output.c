// SPDX-License-Identifier: GPL-2.0
/*
 * Several events and one buffer: PERF_EVENT_IOC_SET_OUTPUT, PERF_FLAG_FD_OUTPUT, which
 * events may share, what arrives, and what happens to redirected events when either
 * side is closed or unmapped.
 */
#include <pthread.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_IDENTIFIER, ##__VA_ARGS__)

static int set_output(int fd, int target)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, target);
}

/* Redirect an event and undo it. */
static int try_output(int fd, int target)
{
	int ret = set_output(fd, target);

	return ret ? ret : set_output(fd, -1);
}

static int open_with_output(struct perf_event_attr attr, pid_t pid, int cpu,
			    int target, unsigned long flags)
{
	return perf_raw_open(&attr, pid, cpu, target,
			     PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_CLOEXEC |
			     flags);
}

/* Unread samples with an event's id. Others are counted in rest. */
static int samples_of(struct perf_buf *buf, int fd, int *rest)
{
	struct perf_event_attr attr = FAULTS();
	const struct perf_event_header *header;
	__u64 id = perf_event_id(fd);
	struct perf_rec rec;
	int n = 0, others = 0;

	while ((header = perf_buf_next(buf))) {
		if (header->type == PERF_RECORD_SAMPLE &&
		    perf_rec_parse(&attr, header, &rec) && rec.id == id)
			n++;
		else
			others++;
	}
	if (rest)
		*rest = others;
	return buf->bad ? -1 : n;
}

/* Check that samples of an event arrive in a buffer. */
static bool arrives(int fd, struct perf_buf *buf)
{
	stay_resident();
	perf_buf_touch(buf);
	perf_buf_drop(buf);
	perf_fault(fd, 4);
	return samples_of(buf, fd, NULL) == 4;
}

/* A target with a mapping, and an event to be redirected. */
FIXTURE(pair)
{
	int target;
	int source;
	struct perf_buf buf;
};

FIXTURE_SETUP(pair)
{
	self->target = perf_open_self(FAULTS());
	self->source = perf_open_self(FAULTS());
	ASSERT_LE(0, self->target);
	ASSERT_LE(0, self->source);
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->target, 4));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&self->buf);
}

FIXTURE_TEARDOWN(pair)
{
}

/* Records */

TEST_F(pair, told_apart_by_id)
{
	int third = perf_open_self(FAULTS()), rest, i;

	ASSERT_LE(0, third);
	ASSERT_EQ(0, set_output(self->source, self->target));
	ASSERT_EQ(0, set_output(third, self->target));
	for (i = 0; i < 5; i++) {
		perf_fault(self->target, 2);
		EXPECT_EQ(2, samples_of(&self->buf, self->target, &rest));
		EXPECT_EQ(0, rest);
		perf_fault(self->source, 3);
		perf_fault(third, 1);
		EXPECT_EQ(3, samples_of(&self->buf, self->source, &rest));
		EXPECT_EQ(1, rest);
	}
	EXPECT_EQ(10, perf_count(self->target));
	EXPECT_EQ(15, perf_count(self->source));
	EXPECT_EQ(5, perf_count(third));
}

/* Both events sample each fault. Records come one after the other, and all are whole. */
TEST_F(pair, both_at_once)
{
	int rest, own;

	ASSERT_EQ(0, set_output(self->source, self->target));
	perf_enable(self->source);
	perf_fault(self->target, 50);
	perf_disable(self->source);
	own = samples_of(&self->buf, self->target, &rest);
	EXPECT_EQ(50 + perf_count(self->source), own + rest);
	SKIP_STOCK_FAULT(own == 0,
			 "all samples of one occurrence have the id of one event");
	EXPECT_EQ(50, own);
	EXPECT_EQ(perf_count(self->source), rest);
	EXPECT_LE(50, rest);
}

/* The first poll() gets the buffer's POLLIN. */
TEST(poll_is_shared)
{
	int target = perf_open_self(FAULTS(.wakeup_events = 1));
	int source = perf_open_self(FAULTS(.wakeup_events = 1));
	struct perf_buf buf;

	ASSERT_EQ(0, perf_buf_map(&buf, target, 1));
	EXPECT_EQ(POLLHUP, perf_poll(source, POLLIN));
	ASSERT_EQ(0, set_output(source, target));
	EXPECT_EQ(0, perf_poll(source, POLLIN));
	perf_fault(source, 1);
	EXPECT_EQ(POLLIN, perf_poll(target, POLLIN));
	EXPECT_EQ(0, perf_poll(source, POLLIN));
	perf_fault(target, 1);
	EXPECT_EQ(POLLIN, perf_poll(source, POLLIN));
	EXPECT_EQ(0, perf_poll(target, POLLIN));
}

/* Refusals */

TEST_F(pair, refused)
{
	int null = open("/dev/null", O_RDWR);

	EXPECT_EQ(-EINVAL, set_output(self->source, self->source));
	EXPECT_EQ(-EBADF, set_output(self->source, null));
	EXPECT_EQ(-EBADF, set_output(self->source, 9999));
	EXPECT_EQ(-EBADF, set_output(self->source, -2));
	EXPECT_EQ(-EINVAL, set_output(self->source,
				      perf_open_self(FAULTS())));
	/* An event with its own mapping cannot be redirected. */
	EXPECT_EQ(-EINVAL, set_output(self->target, self->target));
	EXPECT_EQ(-EINVAL, set_output(self->target, self->source));
	EXPECT_EQ(-EINVAL, set_output(self->target, -1));
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(0, set_output(self->target, -1));
	EXPECT_EQ(-EINVAL, set_output(self->source, self->target));
}

/* A refusal does not change the output. */
TEST_F(pair, refused_keeps_output)
{
	ASSERT_EQ(0, set_output(self->source, self->target));
	EXPECT_EQ(-EINVAL, set_output(self->source, self->source));
	EXPECT_EQ(-EBADF, set_output(self->source, 9999));
	EXPECT_EQ(-EINVAL, set_output(self->source,
				      perf_open_self(FAULTS())));
	EXPECT_TRUE(arrives(self->source, &self->buf));
}

/* A buffer has one writer at a time: events of one task, or of one CPU. */
TEST(same_task_or_cpu)
{
	enum { OK = 0, NO = -EINVAL };
	int self_any, self_0, child_any, child_0, cpu_0, cpu_1, i, t;
	int here = nth_cpu(0), there = nth_cpu(1);
	struct perf_buf buf;
	pid_t child;
	struct gate go = gate_new();

	if (there < 0)
		SKIP(return, "needs two CPUs");
	child = fork_child();
	if (child == 0) {
		gate_wait(&go);
		_exit(0);
	}
	self_any = perf_open_self(FAULTS());
	self_0 = perf_open(FAULTS(), 0, here, -1);
	child_any = perf_open(FAULTS(), child, -1, -1);
	child_0 = perf_open(FAULTS(), child, here, -1);
	cpu_0 = perf_open(FAULTS(), -1, here, -1);
	cpu_1 = perf_open(FAULTS(), -1, there, -1);
	const int fd[] = { self_any, self_0, child_any, child_0, cpu_0, cpu_1 };
	const int may[6][6] = {
		/* to self_any, self_0, child_any, child_0, cpu_0, cpu_1 */
		{ OK, NO, NO, NO, NO, NO },
		{ NO, OK, NO, OK, OK, NO },
		{ NO, NO, OK, NO, NO, NO },
		{ NO, OK, NO, OK, OK, NO },
		{ NO, OK, NO, OK, OK, NO },
		{ NO, NO, NO, NO, NO, OK },
	};

	for (t = 0; t < 6; t++) {
		ASSERT_LE(0, fd[t]);
		ASSERT_EQ(0, perf_buf_map(&buf, fd[t], 1));
		for (i = 0; i < 6; i++) {
			if (i == t)
				continue;
			EXPECT_EQ(may[i][t], try_output(fd[i], fd[t])) {
				TH_LOG("%d to %d", i, t);
			}
		}
		perf_buf_unmap(&buf);
	}
	gate_open(&go);
	wait_status(child);
}

/* Events in one buffer must have the same clock. */
TEST(same_clock)
{
	const struct perf_event_attr attrs[] = {
		FAULTS(),
		FAULTS(.use_clockid = 1, .clockid = CLOCK_MONOTONIC),
		FAULTS(.use_clockid = 1, .clockid = CLOCK_MONOTONIC_RAW),
		FAULTS(.use_clockid = 1, .clockid = CLOCK_REALTIME),
	};
	struct perf_buf buf;
	int i, j, from, to;

	for (i = 0; i < 4; i++) {
		to = perf_open_self(attrs[i]);
		ASSERT_EQ(0, perf_buf_map(&buf, to, 1));
		for (j = 0; j < 4; j++) {
			from = perf_open_self(attrs[j]);
			EXPECT_EQ(i == j ? 0 : -EINVAL, set_output(from, to));
			close(from);
		}
		perf_buf_unmap(&buf);
		close(to);
	}
}

TEST(same_direction)
{
	int forward = perf_open_self(FAULTS());
	int backward = perf_open_self(FAULTS(.write_backward = 1));
	struct perf_buf buf;

	ASSERT_EQ(0, perf_buf_map(&buf, forward, 1));
	EXPECT_EQ(-EINVAL, set_output(backward, forward));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	ASSERT_EQ(0, perf_buf_map(&buf, backward, 1));
	EXPECT_EQ(-EINVAL, set_output(forward, backward));
	EXPECT_EQ(0, set_output(perf_open_self(FAULTS(.write_backward = 1)),
				backward));
}

TEST_F(pair, other_kinds_of_event)
{
	EXPECT_EQ(0, set_output(perf_open_self(PERF_SW(DUMMY)), self->target));
	EXPECT_EQ(0, set_output(perf_open_self(PERF_SW(CPU_CLOCK,
						       .sample_period = 1000000,
						       .disabled = 1)),
				self->target));
	EXPECT_EQ(0, set_output(perf_open_self(PERF_SW(CONTEXT_SWITCHES)),
				self->target));
}

TEST(buffer_without_data)
{
	int target = perf_open_self(FAULTS());
	int source = perf_open_self(FAULTS());
	struct perf_buf buf;

	ASSERT_EQ(0, perf_buf_map(&buf, target, 0));
	EXPECT_EQ(0, set_output(source, target));
	perf_fault(source, 3);
	EXPECT_LE(3, perf_count(source));
	EXPECT_EQ(0, perf_buf_head(&buf));
}

/*
 * Copies of an inherited event run on several CPUs at a time, and a buffer has one
 * writer. Such an event may be refused. If it is not, records are whole.
 */
static pid_t faulting_child(int cpu, struct gate *go)
{
	pid_t child = fork_child();

	if (child == 0) {
		pin_to_cpu(nth_cpu(cpu));
		gate_wait(go);
		for (int i = 0; i < 40; i++)
			fault_pages(50);
		_exit(0);
	}
	return child;
}

/* The number of whole samples. Impossible ones are counted in wrong. */
static size_t whole_samples(struct perf_buf *buf, struct perf_event_attr *attr,
			    __u64 id, size_t *wrong)
{
	const struct perf_event_header *header;
	struct perf_rec rec;
	size_t n = 0;

	while ((header = perf_buf_next(buf))) {
		if (header->type == PERF_RECORD_LOST)
			continue;
		if (header->type == PERF_RECORD_SAMPLE &&
		    perf_rec_parse(attr, header, &rec) && rec.id == id)
			n++;
		else
			++*wrong;
	}
	return n;
}

TEST(inherited)
{
	/* Large samples, so that one is being written most of the time. */
	struct perf_event_attr attr = FAULTS(.inherit = 1,
					     .sample_stack_user = 4096);
	int target = perf_open_self(FAULTS()), fd, ret, i;
	size_t samples = 0, wrong = 0;
	struct gate go = gate_new();
	struct perf_buf buf;

	attr.sample_type |= PERF_SAMPLE_STACK_USER;
	fd = perf_open_self(attr);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, target, 16));
	ret = set_output(fd, target);
	if (ret) {
		EXPECT_EQ(-EINVAL, ret);
		EXPECT_EQ(-EINVAL, open_with_output(attr, 0, -1, target,
						    PERF_FLAG_FD_NO_GROUP));
		return;
	}
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 17));
	perf_enable(fd);
	for (i = 0; i < 4; i++)
		ASSERT_LT(0, faulting_child(i, &go));
	for (i = 0; i < 4; i++)
		gate_open(&go);
	for (i = 0; i < 4; i += waitpid(-1, NULL, WNOHANG) > 0)
		samples += whole_samples(&buf, &attr, perf_event_id(fd),
					 &wrong);
	perf_disable(fd);
	SKIP_STOCK_FAULT(buf.bad || wrong || samples <= 100,
			 "copies on several CPUs damage the buffer");
	EXPECT_FALSE(buf.bad);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(100, samples);
}

/* After redirecting */

TEST_F(pair, detach)
{
	EXPECT_EQ(0, set_output(self->source, -1));
	ASSERT_EQ(0, set_output(self->source, self->target));
	EXPECT_TRUE(arrives(self->source, &self->buf));
	EXPECT_EQ(0, set_output(self->source, -1));
	EXPECT_FALSE(arrives(self->source, &self->buf));
	EXPECT_EQ(POLLHUP, perf_poll(self->source, POLLIN));
	EXPECT_EQ(0, set_output(self->source, -1));
	EXPECT_TRUE(arrives(self->target, &self->buf));
	/* The event can have its own mapping then. */
	EXPECT_EQ(0, perf_try_pages(self->source, 3));
	EXPECT_EQ(0, set_output(self->source, self->target));
	EXPECT_TRUE(arrives(self->source, &self->buf));
}

TEST_F(pair, from_one_to_another)
{
	int other = perf_open_self(FAULTS());
	struct perf_buf second;
	int i;

	ASSERT_EQ(0, perf_buf_map(&second, other, 2));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, set_output(self->source, self->target));
		ASSERT_EQ(0, set_output(self->source, self->target));
		EXPECT_TRUE(arrives(self->source, &self->buf));
		EXPECT_EQ(0, perf_buf_fill(&second));
		ASSERT_EQ(0, set_output(self->source, other));
		EXPECT_TRUE(arrives(self->source, &second));
		EXPECT_EQ(0, perf_buf_fill(&self->buf));
	}
}

/* The number of samples in a buffer. */
static size_t samples_in(struct perf_buf *buf)
{
	const struct perf_event_header *header;
	size_t n = 0;

	while ((header = perf_buf_next(buf)))
		n += header->type == PERF_RECORD_SAMPLE;
	return n;
}

/* A child that faults from when the gate is opened to when it must stop. */
static pid_t fault_in_rounds(struct gate *go, struct rounds *r)
{
	pid_t child = fork_child();

	if (child)
		return child;
	pin_to_cpu(nth_cpu(1) < 0 ? nth_cpu(0) : nth_cpu(1));
	gate_wait(go);
	while (rounds_go_on(r)) {
		fault_pages(50);
		rounds_add(r);
	}
	_exit(0);
}

/*
 * The event is redirected from one buffer to another while it writes. No record is
 * lost.
 */
TEST(exchanged_while_it_writes)
{
	struct rounds *r = rounds_shared();
	struct perf_event_attr attr = FAULTS(.exclude_kernel = 1,
					     .read_format = PERF_FORMAT_LOST);
	struct gate go = gate_new();
	struct perf_count_lost count;
	struct perf_buf buf[2];
	int to[2], fd, i, n;
	size_t told = 0;
	pid_t child;

	child = fault_in_rounds(&go, r);
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	for (i = 0; i < 2; i++) {
		to[i] = perf_open(attr, child, -1, -1);
		ASSERT_LE(0, to[i]);
		ASSERT_EQ(0, perf_buf_map(&buf[i], to[i], 256));
	}
	fd = perf_open(attr, child, -1, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_output(fd, to[0]));
	perf_enable(fd);
	gate_open(&go);
	for (i = 0; i < 10; i++) {
		ASSERT_TRUE(rounds_pass(r, 2));
		for (n = 1; n <= 200; n++)
			ASSERT_EQ(0, set_output(fd, to[n % 2]));
		told += samples_in(&buf[0]) + samples_in(&buf[1]);
	}
	rounds_stop(r);
	EXPECT_EQ(0, wait_status(child));
	told += samples_in(&buf[0]) + samples_in(&buf[1]);
	EXPECT_FALSE(buf[0].bad || buf[1].bad);
	/* A buffer becomes full if this CPU is stopped. Its last losses are in no record. */
	count = perf_counted(fd);
	SKIP_STOCK_FAULT(told + count.lost != count.value, "what is written in between is lost");
	EXPECT_EQ(count.value, told + count.lost);
}

/* Poll until the parent says stop. Exits with 1 if poll() found no buffer. */
static int poll_all_the_time(int fd, struct gate *started, struct gate *stop)
{
	bool hup = false;

	gate_open(started);
	while (!(perf_poll(stop->rd, POLLIN) & POLLIN))
		hup |= perf_poll(fd, POLLIN) & POLLHUP;
	return hup;
}

TEST(exchanged_while_it_is_polled)
{
	struct gate started = gate_new(), stop = gate_new();
	int to[2], fd = perf_open_self(FAULTS()), i, hup;
	struct perf_buf buf[2];
	pid_t child;

	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		to[i] = perf_open_self(FAULTS());
		ASSERT_LE(0, to[i]);
		ASSERT_EQ(0, perf_buf_map(&buf[i], to[i], 1));
	}
	ASSERT_EQ(0, set_output(fd, to[0]));
	child = fork_child();
	if (child == 0) {
		pin_to_cpu(nth_cpu(1) < 0 ? nth_cpu(0) : nth_cpu(1));
		_exit(poll_all_the_time(fd, &started, &stop));
	}
	gate_wait(&started);
	for (i = 0; i < 20000; i++)
		ASSERT_EQ(0, set_output(fd, to[i % 2]));
	gate_open(&stop);
	hup = wait_status(child);
	SKIP_STOCK_FAULT(hup, "in between there is no buffer");
	EXPECT_EQ(0, hup);
}

/* A poller that sleeps gets the records of the new buffer. */
TEST(exchanged_while_a_poller_sleeps)
{
	int to[2], fd = perf_open_self(FAULTS(.wakeup_events = 1)), i, got;
	struct gate started = gate_new();
	struct perf_buf buf[2];
	pid_t child;

	ASSERT_LE(0, fd);
	for (i = 0; i < 2; i++) {
		to[i] = perf_open_self(FAULTS(.wakeup_events = 1));
		ASSERT_LE(0, to[i]);
		ASSERT_EQ(0, perf_buf_map(&buf[i], to[i], 1));
	}
	ASSERT_EQ(0, set_output(fd, to[0]));
	perf_poll(fd, POLLIN);
	perf_fault(to[1], 1);
	child = fork_child();
	if (child == 0) {
		struct pollfd p = { fd, POLLIN, 0 };

		gate_open(&started);
		/* With a timeout poll() would check once more at its end. */
		poll(&p, 1, -1);
		_exit(p.revents);
	}
	gate_wait(&started);
	ASSERT_TRUE(wait_asleep(child));
	ASSERT_EQ(0, set_output(fd, to[1]));
	got = wait_status(child);
	SKIP_STOCK_FAULT(got != POLLIN, "a poller is told that there is no buffer");
	EXPECT_EQ(POLLIN, got);
}

/*
 * A target that is redirected itself: its buffer is used, and later redirections of it
 * are not followed.
 */
TEST_F(pair, chain)
{
	int third = perf_open_self(FAULTS());

	ASSERT_EQ(0, set_output(self->source, self->target));
	ASSERT_EQ(0, set_output(third, self->source));
	EXPECT_TRUE(arrives(third, &self->buf));
	ASSERT_EQ(0, set_output(self->source, -1));
	EXPECT_TRUE(arrives(third, &self->buf));
	close(self->source);
	EXPECT_TRUE(arrives(third, &self->buf));
	ASSERT_EQ(0, set_output(third, -1));
	EXPECT_FALSE(arrives(third, &self->buf));
}

TEST_F(pair, target_unmapped)
{
	ASSERT_EQ(0, set_output(self->source, self->target));
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(POLLHUP, perf_poll(self->source, POLLIN));
	perf_fault(self->source, 3);
	/* The redirection has ended for good. */
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->target, 2));
	EXPECT_FALSE(arrives(self->source, &self->buf));
	EXPECT_EQ(POLLHUP, perf_poll(self->source, POLLIN));
	EXPECT_TRUE(arrives(self->target, &self->buf));
	EXPECT_EQ(0, set_output(self->source, self->target));
	EXPECT_TRUE(arrives(self->source, &self->buf));
}

TEST_F(pair, target_closed)
{
	int third = perf_open_self(FAULTS());

	ASSERT_EQ(0, set_output(self->source, self->target));
	close(self->target);
	/* The mapping of the target keeps the buffer, also for new events. */
	EXPECT_TRUE(arrives(self->source, &self->buf));
	EXPECT_EQ(0, set_output(third, self->source));
	EXPECT_TRUE(arrives(third, &self->buf));
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	EXPECT_EQ(POLLHUP, perf_poll(self->source, POLLIN));
	EXPECT_EQ(POLLHUP, perf_poll(third, POLLIN));
	EXPECT_EQ(-EINVAL, set_output(third, self->source));
}

TEST_F(pair, source_closed)
{
	int i, fd;

	for (i = 0; i < 50; i++) {
		fd = perf_open_self(FAULTS());
		ASSERT_EQ(0, set_output(fd, self->target));
		perf_fault(fd, 1);
		close(fd);
	}
	EXPECT_EQ(50, perf_buf_count(&self->buf));
	EXPECT_TRUE(arrives(self->target, &self->buf));
}

/* A mapping of a redirected event is another mapping of the same buffer. */
TEST_F(pair, source_mapped)
{
	int third = perf_open_self(FAULTS());
	struct perf_buf second;

	ASSERT_EQ(0, set_output(self->source, self->target));
	EXPECT_EQ(-EINVAL, perf_try_pages(self->source, 3));
	ASSERT_EQ(0, perf_buf_map(&second, self->source, 4));
	EXPECT_TRUE(arrives(self->source, &self->buf));
	EXPECT_EQ(self->buf.meta->data_head, second.meta->data_head);
	/* A mapped event cannot be redirected. */
	EXPECT_EQ(-EINVAL, set_output(self->source, -1));
	EXPECT_EQ(-EINVAL, set_output(self->source, self->target));
	/* The first owner unmaps the buffer. The buffer stays. */
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	second.pos = perf_buf_head(&second);
	EXPECT_TRUE(arrives(self->source, &second));
	EXPECT_EQ(POLLHUP, perf_poll(self->target, POLLIN));
	EXPECT_EQ(0, set_output(third, self->source));
	EXPECT_TRUE(arrives(third, &second));
	EXPECT_EQ(-EINVAL, set_output(third, self->target));
	ASSERT_EQ(0, perf_buf_map(&self->buf, self->target, 1));
	EXPECT_TRUE(arrives(self->target, &self->buf));
	EXPECT_EQ(0, perf_buf_unmap(&second));
	EXPECT_EQ(POLLHUP, perf_poll(self->source, POLLIN));
	EXPECT_EQ(POLLHUP, perf_poll(third, POLLIN));
}

/* PERF_FLAG_FD_OUTPUT */

TEST_F(pair, at_open)
{
	int fd, member;

	fd = open_with_output(FAULTS(), 0, -1, self->target,
			      PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(arrives(fd, &self->buf));
	EXPECT_EQ(0, set_output(fd, -1));
	EXPECT_FALSE(arrives(fd, &self->buf));
	/* The descriptor is the group's leader as well, unless a flag prevents it. */
	member = open_with_output(FAULTS(), 0, -1, self->target, 0);
	ASSERT_LE(0, member);
	perf_fault(member, 4);
	EXPECT_EQ(0, perf_count(member));
	perf_buf_drop(&self->buf);
	perf_ioctl(self->target, PERF_EVENT_IOC_RESET, 0);
	perf_enable(self->target);
	perf_fault(member, 4);
	perf_disable(self->target);
	EXPECT_LE(4, perf_count(member));
	EXPECT_EQ(perf_count(member) + perf_count(self->target),
		  perf_buf_count(&self->buf));
}

TEST_F(pair, at_open_refused)
{
	const unsigned long alone = PERF_FLAG_FD_NO_GROUP;
	int null = open("/dev/null", O_RDWR);

	EXPECT_EQ(-EINVAL, open_with_output(FAULTS(), 0, -1, self->source,
					    alone));
	EXPECT_EQ(-EINVAL, open_with_output(FAULTS(), 0, nth_cpu(0),
					    self->target, alone));
	EXPECT_EQ(-EINVAL, open_with_output(FAULTS(), -1, nth_cpu(0),
					    self->target, alone));
	EXPECT_EQ(-EINVAL, open_with_output(FAULTS(), getppid(), -1,
					    self->target, alone));
	EXPECT_EQ(-EINVAL, open_with_output(FAULTS(.write_backward = 1), 0, -1,
					    self->target, alone));
	EXPECT_EQ(-EBADF, open_with_output(FAULTS(), 0, -1, null, alone));
	EXPECT_EQ(-EBADF, open_with_output(FAULTS(), 0, -1, 9999, alone));
	EXPECT_TRUE(arrives(self->target, &self->buf));
}

/* CVE-2026-23127: the event's mapping must be the target's buffer, and be counted. */
TEST_F(pair, cve_2026_23127_at_open_then_mapped)
{
	struct perf_buf second;
	int fd;

	fd = open_with_output(FAULTS(), 0, -1, self->target,
			      PERF_FLAG_FD_NO_GROUP);
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, perf_try_pages(fd, 3));
	ASSERT_EQ(0, perf_buf_map(&second, fd, 4));
	EXPECT_TRUE(arrives(fd, &self->buf));
	EXPECT_EQ(self->buf.meta->data_head, second.meta->data_head);
	close(self->target);
	EXPECT_EQ(0, perf_buf_unmap(&self->buf));
	second.pos = perf_buf_head(&second);
	EXPECT_TRUE(arrives(fd, &second));
	close(fd);
	EXPECT_EQ(0, perf_buf_unmap(&second));
}

TEST_HARNESS_MAIN
