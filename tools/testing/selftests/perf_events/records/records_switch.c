// SPDX-License-Identifier: GPL-2.0
/*
 * SWITCH and SWITCH_CPU_WIDE: every switch from and to a task, whether it was
 * preempted, and the next or previous task. THROTTLE and UNTHROTTLE of events that
 * sample more often than permitted.
 */
#include <signal.h>

#include "../lib/harness.h"
#include "../lib/listen.h"
#include "../lib/perf_test.h"

#define OUT	PERF_RECORD_MISC_SWITCH_OUT
#define PUSHED	PERF_RECORD_MISC_SWITCH_OUT_PREEMPT

#define LISTENER(...)							\
	PERF_SW(DUMMY, .context_switch = 1, .disabled = 1,		\
		.sample_id_all = 1, .sample_type = PERF_SAMPLE_TID |	\
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, ##__VA_ARGS__)

FIXTURE(switches)
{
	struct perf_listener l;
	struct gate to;
	struct gate from;
	int cpu;
};

FIXTURE_SETUP(switches)
{
	self->cpu = nth_cpu(0);
	self->to = gate_new();
	self->from = gate_new();
	ASSERT_EQ(0, pin_to_cpu(self->cpu));
}

FIXTURE_TEARDOWN(switches)
{
}

static void echo(struct _test_data_switches *self, int times)
{
	while (times--) {
		gate_open(&self->to);
		gate_wait(&self->from);
	}
}

/* Events of a task */

TEST_F(switches, out_and_in)
{
	int nr[2] = { 0, 0 }, last = 0;
	__u64 time = 0;

	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER()));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	switch_out(10);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_next(&self->l)) {
		int out = !!(self->l.header->misc & OUT);

		EXPECT_EQ(PERF_RECORD_SWITCH, self->l.header->type);
		EXPECT_EQ(8 + 3 * 8, self->l.header->size);
		/* The records alternate. The first is a switch out. */
		EXPECT_NE(last, out);
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		EXPECT_EQ(getpid(), (pid_t)self->l.rec.pid);
		EXPECT_EQ(self->cpu, self->l.rec.cpu);
		EXPECT_LE(time, self->l.rec.time);
		time = self->l.rec.time;
		last = out;
		nr[out]++;
	}
	EXPECT_EQ(nr[0], nr[1]);
	EXPECT_LE(10, nr[1]);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/*
 * Record switches, and count them by the task's own account. Returns false if one happened between
 * the account and the start or the end of the records.
 */
static bool record_and_count(struct __test_metadata *_metadata, struct _test_data_switches *self,
			     long *switches)
{
	long before, after;

	perf_buf_drop(&self->l.buf);
	before = switches_of(RUSAGE_THREAD);
	ASSERT_EQ(0, perf_enable(self->l.fd));
	if (before != switches_of(RUSAGE_THREAD)) {
		ASSERT_EQ(0, perf_disable(self->l.fd));
		return false;
	}
	echo(self, 200);
	after = switches_of(RUSAGE_THREAD);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	*switches = after - before;
	return after == switches_of(RUSAGE_THREAD);
}

/* As many records as switches by the task's own account. */
TEST_F(switches, each_is_told)
{
	pid_t child = echo_child(&self->to, &self->from);
	long switches = 0;
	int outs = 0;

	ASSERT_EQ(0, perf_listen_pages(&self->l, LISTENER(), 0, -1, 128));
	ASSERT_TRUE(IN_SOME_TRY(20, record_and_count(_metadata, self, &switches)));
	while (perf_listen_next(&self->l))
		outs += !!(self->l.header->misc & OUT);
	EXPECT_LE(200, outs);
	EXPECT_EQ(switches, outs);
	kill(child, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(child));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* The number of unread records of switches out that have these bits of misc or not. */
static int switches_out(struct __test_metadata *_metadata, struct perf_listener *l,
			int bits)
{
	int nr = 0;

	while (perf_listen_next(l)) {
		/* A switch in has no such bit. */
		if (!(l->header->misc & OUT))
			EXPECT_EQ(0, l->header->misc);
		nr += (l->header->misc & (OUT | PUSHED)) == bits;
	}
	return nr;
}

/* A task that sleeps is not preempted. A task that shares a CPU with another one is. */
TEST_F(switches, pushed)
{
	pid_t child;

	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER()));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	EXPECT_TRUE(COMES_TRUE(switches_out(_metadata, &self->l, OUT)));
	child = fork_child();
	if (child == 0) {
		for (;;)
			;
	}
	EXPECT_TRUE(BURNS_UNTIL(switches_out(_metadata, &self->l, OUT | PUSHED)));
	kill(child, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(child));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_F(switches, only_if_asked)
{
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER(.context_switch = 0)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	switch_out(1);
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
	ASSERT_EQ(0, perf_listen_self(&self->l, LISTENER()));
	switch_out(1);
	EXPECT_FALSE(perf_listen_next(&self->l));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Inherited copies record the switches of the children. */
TEST_F(switches, inherited)
{
	int theirs = 0;
	pid_t pid;

	ASSERT_EQ(0, perf_listen(&self->l, LISTENER(.inherit = 1), 0,
				 self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	pid = fork_child();
	if (pid == 0) {
		switch_out(3);
		_exit(0);
	}
	ASSERT_EQ(0, wait_status(pid));
	while (perf_listen_next(&self->l))
		theirs += (pid_t)self->l.rec.tid == pid &&
			  (self->l.header->misc & OUT);
	EXPECT_LE(3, theirs);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Events of a CPU */

/*
 * Each switch causes two records: one out, by the previous task, which names the next;
 * and one in, by the next task, which names the previous.
 */
TEST_F(switches, cpu_wide)
{
	__u32 next_tid = 0, left_tid = 0, met = 0, nr = 0;
	pid_t child = echo_child(&self->to, &self->from);
	bool last_out = false;

	ASSERT_EQ(0, perf_listen_pages(&self->l, LISTENER(), -1, self->cpu,
				       128));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	echo(self, 100);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	while (perf_listen_next(&self->l)) {
		const __u32 *other = perf_listen_body(&self->l);
		bool out = self->l.header->misc & OUT;

		EXPECT_EQ(PERF_RECORD_SWITCH_CPU_WIDE, self->l.header->type);
		EXPECT_EQ(8 + 8 + 3 * 8, self->l.header->size);
		EXPECT_NE(last_out, out);
		if (out) {
			next_tid = other[1];
			left_tid = self->l.rec.tid;
			met += (left_tid == (__u32)gettid() &&
				next_tid == (__u32)child);
		} else if (nr) {
			EXPECT_EQ(next_tid, self->l.rec.tid);
			EXPECT_EQ(left_tid, other[1]);
		}
		last_out = out;
		nr++;
	}
	EXPECT_LE(200, nr);
	EXPECT_LT(0, met);
	kill(child, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(child));
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* An event of a task on one CPU records as an event of a task. */
TEST_F(switches, task_on_cpu)
{
	int nr = 0;

	ASSERT_EQ(0, perf_listen(&self->l, LISTENER(), 0, self->cpu));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	switch_out(3);
	while (perf_listen_next(&self->l)) {
		EXPECT_EQ(PERF_RECORD_SWITCH, self->l.header->type);
		EXPECT_EQ(gettid(), (pid_t)self->l.rec.tid);
		nr++;
	}
	EXPECT_LE(6, nr);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Throttling */

#define CLOCK_EVERY(_period)						\
	PERF_SW(CPU_CLOCK, .sample_period = (_period), .disabled = 1,	\
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1)

struct throttle_record {
	struct perf_event_header header;
	__u64 time;
	__u64 id;
	__u64 stream_id;
};

FIXTURE(throttle)
{
	struct perf_listener l;
	long rate;
	bool changed;
};

FIXTURE_SETUP(throttle)
{
	ASSERT_EQ(0, file_read_long(SAMPLE_RATE, &self->rate));
	/* Two samples a tick, at 250 ticks a second. */
	self->changed = !file_write_long(SAMPLE_RATE, 500);
}

/* A failed ASSERT ends the test's process. */
FIXTURE_TEARDOWN_PARENT(throttle)
{
	if (self->changed)
		file_write_long(SAMPLE_RATE, self->rate);
}

/* What was read so far: samples, and how often the event was throttled and unthrottled. */
struct throttling {
	int samples;
	int throttled;
	int unthrottled;
};

/* THROTTLE and UNTHROTTLE alternate and have the event's id. */
static void check_throttling(struct __test_metadata *_metadata,
			     struct perf_listener *l, struct throttling *t)
{
	__u64 id = perf_event_id(l->fd);

	while (perf_listen_next(l)) {
		const struct throttle_record *r = (const void *)l->header;

		if (r->header.type == PERF_RECORD_SAMPLE) {
			t->samples++;
			continue;
		}
		if (r->header.type != PERF_RECORD_THROTTLE &&
		    r->header.type != PERF_RECORD_UNTHROTTLE)
			continue;
		t->throttled += r->header.type == PERF_RECORD_THROTTLE;
		t->unthrottled += r->header.type == PERF_RECORD_UNTHROTTLE;
		EXPECT_EQ(r->header.type == PERF_RECORD_THROTTLE,
			  t->throttled - t->unthrottled);
		EXPECT_EQ(id, r->id);
		EXPECT_EQ(id, r->stream_id);
		EXPECT_NE(0, r->time);
		EXPECT_EQ(0, r->header.misc);
		EXPECT_EQ(sizeof(*r), perf_rec_body(&l->attr, l->header) + 8);
	}
}

static bool was_unthrottled(struct __test_metadata *_metadata,
			    struct perf_listener *l, struct throttling *t)
{
	check_throttling(_metadata, l, t);
	return t->unthrottled;
}

TEST_F(throttle, clock)
{
	struct throttling t = {};

	if (!self->changed)
		SKIP(return, "needs root");
	ASSERT_EQ(0, perf_listen_self(&self->l, CLOCK_EVERY(20000)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	EXPECT_TRUE(BURNS_UNTIL(was_unthrottled(_metadata, &self->l, &t)));
	burn_cpu(100 * NSEC_PER_MSEC);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	check_throttling(_metadata, &self->l, &t);
	EXPECT_LT(0, t.samples);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* A task that leaves the CPU meanwhile is unthrottled, with a record. */
TEST_F(throttle, across_switches)
{
	struct throttling t = {};
	int i;

	if (!self->changed)
		SKIP(return, "needs root");
	ASSERT_EQ(0, perf_listen_self(&self->l, CLOCK_EVERY(20000)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 60 || (!t.unthrottled && i < PATIENCE_MS); i++) {
		burn_cpu(NSEC_PER_MSEC);
		switch_out(1);
		check_throttling(_metadata, &self->l, &t);
	}
	ASSERT_EQ(0, perf_disable(self->l.fd));
	check_throttling(_metadata, &self->l, &t);
	EXPECT_LT(0, t.unthrottled);
	EXPECT_LT(0, t.samples);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* Page faults are no interrupts, so they are not throttled. */
TEST_F(throttle, not_faults)
{
	struct throttling t = {};
	int i;

	ASSERT_EQ(0, stay_resident());
	ASSERT_EQ(0, perf_listen_self(&self->l, PERF_SAMPLED(PAGE_FAULTS,
							     PERF_SAMPLE_TIME)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	for (i = 0; i < 40; i++)
		fault_pages(100);
	ASSERT_EQ(0, perf_disable(self->l.fd));
	EXPECT_EQ(4000, perf_count(self->l.fd));
	check_throttling(_metadata, &self->l, &t);
	EXPECT_EQ(0, t.throttled);
	EXPECT_EQ(4000, t.samples);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

/* No throttling below the limit. */
TEST_F(throttle, not_when_slow)
{
	struct throttling t = {};

	ASSERT_EQ(0, perf_listen_self(&self->l,
				      CLOCK_EVERY(20 * NSEC_PER_MSEC)));
	ASSERT_EQ(0, perf_enable(self->l.fd));
	EXPECT_TRUE(BURNS_UNTIL(perf_buf_fill(&self->l.buf) >= 100));
	ASSERT_EQ(0, perf_disable(self->l.fd));
	check_throttling(_metadata, &self->l, &t);
	EXPECT_EQ(0, t.throttled);
	EXPECT_LT(0, t.samples);
	EXPECT_EQ(0, perf_listen_end(&self->l));
}

TEST_HARNESS_MAIN
