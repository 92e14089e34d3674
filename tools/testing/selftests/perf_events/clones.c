// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that inherited the same events and take turns on one CPU: a kernel may
 * let them exchange what they inherited rather than take it off and put it on. No
 * count may show that. The events are tracepoints, which have to be put on.
 */
#include <pthread.h>

#include "perf_util.h"
#include "../kselftest_harness.h"

#define MEMBERS	4
#define EVENTS	6
#define CALLS	3	/* whenever a member has the token */

enum order {
	ORDER_NONE,
	ORDER_EXIT,
	ORDER_FORK,
	ORDER_EXEC,
};

/* What goes round in a ring, from member to member. */
struct token {
	int rounds;
	int who;
	enum order what;
};

/* Shared with the members, which are tasks bound to one CPU. */
struct ring_state {
	bool gone[MEMBERS];
	long calls[MEMBERS];
};

struct ring {
	int in[MEMBERS][2];
	int home[2];
	pid_t pid[MEMBERS];
	pid_t process;
	struct ring_state *state;
};

struct member {
	struct ring *ring;
	int nr;
};

static void make_calls(int nr)
{
	while (nr--)
		syscall(__NR_getpriority, PRIO_PROCESS, 0);
}

static void send_on(struct ring *r, int nr, struct token *token)
{
	int fd = r->home[1], i;

	if (nr == MEMBERS - 1)
		token->rounds--;
	for (i = nr + 1; token->rounds && i <= nr + MEMBERS; i++) {
		if (!r->state->gone[i % MEMBERS]) {
			fd = r->in[i % MEMBERS][1];
			break;
		}
		/* who would have counted the round is gone */
		if (i % MEMBERS == MEMBERS - 1 && !--token->rounds)
			break;
	}
	if (write(fd, token, sizeof(*token)) != sizeof(*token))
		_exit(1);
}

static void obey(struct ring *r, int nr, struct token *token)
{
	enum order what = token->what;

	if (token->who != nr || what == ORDER_NONE)
		return;
	token->what = ORDER_NONE;
	switch (what) {
	case ORDER_FORK:
		if (fork() == 0) {
			make_calls(7);
			_exit(0);
		}
		r->state->calls[nr] += 7;
		while (wait(NULL) < 0)
			;
		break;
	case ORDER_EXIT:
	case ORDER_EXEC:
		r->state->gone[nr] = true;
		send_on(r, nr, token);
		if (what == ORDER_EXEC)
			execl("/proc/self/exe", "calls", "--calls", "11", NULL);
		syscall(__NR_exit, 0);
	default:
		break;
	}
}

static void *be_member(void *arg)
{
	struct member *m = arg;
	struct ring *r = m->ring;
	struct token token;

	while (read(r->in[m->nr][0], &token, sizeof(token)) == sizeof(token)) {
		make_calls(CALLS);
		r->state->calls[m->nr] += CALLS;
		obey(r, m->nr, &token);
		send_on(r, m->nr, &token);
	}
	return NULL;
}

static void fork_members(struct ring *r)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		r->pid[i] = fork_child();
		if (r->pid[i] == 0) {
			be_member(&(struct member){ r, i });
			_exit(0);
		}
	}
}

/* The members are threads of one process, whose first one only waits. */
static void fork_threads(struct ring *r)
{
	struct member member[MEMBERS];
	pthread_t thread;
	int i;

	r->process = fork_child();
	if (r->process)
		return;
	for (i = 0; i < MEMBERS; i++) {
		member[i] = (struct member){ r, i };
		if (pthread_create(&thread, NULL, be_member, &member[i]))
			_exit(1);
	}
	for (;;)
		pause();
}

FIXTURE(clones)
{
	struct ring r;
	struct perf_event_attr attr;
	int fd[EVENTS];
	__u64 before;
};

FIXTURE_VARIANT(clones)
{
	bool threads;
	bool grouped;
};

FIXTURE_VARIANT_ADD(clones, processes) {};
FIXTURE_VARIANT_ADD(clones, threads) { .threads = true };
FIXTURE_VARIANT_ADD(clones, grouped) { .grouped = true };

static long calls_id(void)
{
	long id;

	if (file_read_long("/sys/kernel/tracing/events/syscalls/sys_enter_getpriority/id",
			   &id))
		return -1;
	return id;
}

FIXTURE_SETUP(clones)
{
	struct ring *r = &self->r;
	int i;

	if (calls_id() < 0)
		SKIP(return, "needs the tracepoints of system calls");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	self->attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id(), .inherit = 1,
			       .read_format = PERF_ALL_TIMES);
	for (i = 0; i < EVENTS; i++) {
		self->fd[i] = perf_open(self->attr, 0, -1,
					variant->grouped && i ? self->fd[0] : -1);
		ASSERT_LE(0, self->fd[i]);
	}
	r->state = mmap(NULL, sizeof(*r->state), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r->state);
	ASSERT_EQ(0, pipe2(r->home, O_CLOEXEC));
	for (i = 0; i < MEMBERS; i++)
		ASSERT_EQ(0, pipe2(r->in[i], O_CLOEXEC));
	if (variant->threads)
		fork_threads(r);
	else
		fork_members(r);
}

FIXTURE_TEARDOWN(clones)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		if (self->r.pid[i] > 0)
			kill(self->r.pid[i], SIGKILL);
	}
	if (self->r.process > 0)
		kill(self->r.process, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* Let the token go round, one member being given an order. */
static void ring_order(struct ring *r, int rounds, int who, enum order what)
{
	struct token token = { rounds, who, what };
	int i;

	for (i = 0; r->state->gone[i]; i++)
		;
	if (write(r->in[i][1], &token, sizeof(token)) != sizeof(token) ||
	    read(r->home[0], &token, sizeof(token)) != sizeof(token))
		_exit(2);
}

static void ring_run(struct ring *r, int rounds)
{
	ring_order(r, rounds, -1, ORDER_NONE);
}

static long ring_calls(struct ring *r)
{
	long sum = 0;
	int i;

	for (i = 0; i < MEMBERS; i++)
		sum += r->state->calls[i];
	return sum;
}

#define EXPECT_ALL(_want) do {						\
	for (int __i = 0; __i < EVENTS; __i++)				\
		EXPECT_EQ((_want), (long)perf_timed_count(self->fd[__i]).value);	\
} while (0)

TEST_F(clones, count_exactly)
{
	int i;

	for (i = 0; i < 5; i++) {
		ring_run(&self->r, 100);
		EXPECT_ALL(ring_calls(&self->r));
	}
	EXPECT_EQ(5 * 100 * MEMBERS * CALLS, ring_calls(&self->r));
}

/* All the time that they had, and no other. */
TEST_F(clones, times)
{
	struct perf_timed t[EVENTS];
	__u64 start, took;
	int i;

	for (i = 0; i < EVENTS; i++)
		t[i] = perf_timed_count(self->fd[i]);
	start = clock_ns(CLOCK_MONOTONIC);
	ring_run(&self->r, 500);
	took = clock_ns(CLOCK_MONOTONIC) - start;
	for (i = 0; i < EVENTS; i++) {
		struct perf_timed now = perf_timed_count(self->fd[i]);

		EXPECT_EQ(now.enabled - t[i].enabled, now.running - t[i].running);
		EXPECT_LT(took / 4, now.running - t[i].running);
		/* between the two readings of the clock and of the event */
		EXPECT_GT(took + 100 * NSEC_PER_MSEC, now.running - t[i].running);
	}
}

TEST_F(clones, exit_one_by_one)
{
	int order[MEMBERS - 1] = { 1, 3, 0 }, i;
	long last;

	for (i = 0; i < MEMBERS - 1; i++) {
		ring_run(&self->r, 50);
		ring_order(&self->r, 20, order[i], ORDER_EXIT);
		last = ring_calls(&self->r);
		EXPECT_ALL(last);
		ring_run(&self->r, 20);
		EXPECT_LT(last, ring_calls(&self->r));
		EXPECT_ALL(ring_calls(&self->r));
	}
}

TEST_F(clones, disabled_in_between)
{
	long before, calls;
	int i;

	ring_run(&self->r, 50);
	for (i = 0; i < EVENTS; i++)
		EXPECT_EQ(0, perf_disable(self->fd[i]));
	before = ring_calls(&self->r);
	ring_run(&self->r, 50);
	EXPECT_ALL(before);
	for (i = 0; i < EVENTS; i++)
		EXPECT_EQ(0, perf_enable(self->fd[i]));
	calls = ring_calls(&self->r);
	ring_run(&self->r, 50);
	EXPECT_ALL(before + ring_calls(&self->r) - calls);
}

/* Switched on and off while they switch: the events that are not, count on. */
TEST_F(clones, one_is_toggled_meanwhile)
{
	pid_t toggler = fork_child();
	int i;

	if (toggler == 0) {
		pin_to_cpu(nth_cpu(0) ? 0 : 1);
		for (;;) {
			perf_disable(self->fd[1]);
			perf_enable(self->fd[1]);
		}
	}
	ring_run(&self->r, 500);
	kill(toggler, SIGKILL);
	waitpid(toggler, NULL, 0);
	if (variant->grouped)
		EXPECT_EQ(0, perf_enable(self->fd[1]));
	for (i = 0; i < EVENTS; i++) {
		if (i == 1)
			continue;
		EXPECT_EQ(ring_calls(&self->r),
			  (long)perf_timed_count(self->fd[i]).value);
	}
	EXPECT_GE(ring_calls(&self->r), (long)perf_timed_count(self->fd[1]).value);
}

/* An event opened for one of them counts that one only. */
TEST_F(clones, opened_for_one)
{
	struct perf_event_attr attr = self->attr;
	long calls;
	int fd, i;

	if (variant->threads)
		SKIP(return, "the threads' numbers are not known here");
	attr.inherit = 0;
	for (i = 0; i < MEMBERS; i++) {
		ring_run(&self->r, 50);
		fd = perf_open(attr, self->r.pid[i], -1, -1);
		ASSERT_LE(0, fd);
		calls = self->r.state->calls[i];
		ring_run(&self->r, 50);
		EXPECT_EQ(self->r.state->calls[i] - calls,
			  (long)perf_timed_count(fd).value);
		EXPECT_ALL(ring_calls(&self->r));
		close(fd);
	}
}

TEST_F(clones, closed_and_opened)
{
	long before;

	ring_run(&self->r, 50);
	close(self->fd[EVENTS - 1]);
	before = ring_calls(&self->r);
	ring_run(&self->r, 50);
	/* only this process and those it forks from here on */
	self->fd[EVENTS - 1] = perf_open_self(self->attr);
	ASSERT_LE(0, self->fd[EVENTS - 1]);
	ring_run(&self->r, 50);
	EXPECT_EQ(0, perf_timed_count(self->fd[EVENTS - 1]).value);
	EXPECT_LT(before, ring_calls(&self->r));
	close(self->fd[EVENTS - 1]);
	self->fd[EVENTS - 1] = self->fd[0];
	EXPECT_ALL(ring_calls(&self->r));
}

TEST_F(clones, fork_meanwhile)
{
	int i;

	for (i = 0; i < 20; i++)
		ring_order(&self->r, 10, i % MEMBERS, ORDER_FORK);
	EXPECT_ALL(ring_calls(&self->r));
}

/* Who execs takes nothing away from the others. */
TEST_F(clones, exec_meanwhile)
{
	struct perf_event_attr attr = self->attr;
	struct ring r = self->r;
	int removed, i;
	long calls;

	if (variant->threads)
		SKIP(return, "exec ends the other threads");
	attr.remove_on_exec = 1;
	removed = perf_open_self(attr);
	ASSERT_LE(0, removed);
	/* other members, that have inherited it */
	calls = ring_calls(&r);
	for (i = 0; i < MEMBERS; i++) {
		kill(r.pid[i], SIGKILL);
		waitpid(r.pid[i], NULL, 0);
	}
	fork_members(&self->r);

	ring_run(&self->r, 50);
	ring_order(&self->r, 20, 2, ORDER_EXEC);
	EXPECT_EQ(0, wait_status(self->r.pid[2]));
	self->r.pid[2] = 0;
	ring_run(&self->r, 20);
	EXPECT_ALL(ring_calls(&self->r) + 11);
	EXPECT_EQ(ring_calls(&self->r) - calls,
		  (long)perf_timed_count(removed).value);
}

/* Read from another CPU, a sum never becomes less. */
TEST_F(clones, read_meanwhile)
{
	pid_t reader = fork_child();
	struct perf_timed last = {}, now;
	int i;

	if (reader == 0) {
		pin_to_cpu(nth_cpu(0) ? 0 : 1);
		for (;;) {
			now = perf_timed_count(self->fd[2]);
			if (now.value < last.value || now.enabled < last.enabled ||
			    now.running < last.running)
				_exit(1);
			last = now;
		}
	}
	for (i = 0; i < 20; i++)
		ring_run(&self->r, 20);
	EXPECT_EQ(0, kill(reader, SIGKILL));
	EXPECT_EQ(-SIGKILL, wait_status(reader));
	EXPECT_ALL(ring_calls(&self->r));
}

/* Everything at once, on all CPUs. */

#define WORKERS	6

struct storm {
	bool stop;
	long calls[WORKERS];
};

static void be_worker(struct storm *storm, int nr, int cpus)
{
	unsigned int seed = nr;

	while (!__atomic_load_n(&storm->stop, __ATOMIC_RELAXED)) {
		make_calls(1);
		storm->calls[nr]++;
		sched_yield();
		switch (rand_r(&seed) % 64) {
		case 0:
			pin_to_cpu(rand_r(&seed) % cpus);
			break;
		case 1:
			if (fork() == 0) {
				make_calls(2);
				_exit(0);
			}
			storm->calls[nr] += 2;
			while (wait(NULL) < 0)
				;
			break;
		case 2:
			sleep_ms(1);
		}
	}
	_exit(0);
}

TEST(storm)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id(),
						.inherit = 1);
	__u64 end = clock_ns(CLOCK_MONOTONIC) + 4 * NSEC_PER_SEC;
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), always, toggled, fd, i;
	pid_t pid[WORKERS];
	struct storm *storm;
	long calls = 0;

	if (calls_id() < 0)
		SKIP(return, "needs the tracepoints of system calls");
	storm = mmap(NULL, sizeof(*storm), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, storm);
	always = perf_open_self(attr);
	toggled = perf_open(attr, 0, -1, always);
	ASSERT_LE(0, always);
	ASSERT_LE(0, toggled);
	for (i = 0; i < WORKERS; i++) {
		pid[i] = fork_child();
		if (pid[i] == 0)
			be_worker(storm, i, cpus);
	}
	attr.inherit = 0;
	for (i = 0; clock_ns(CLOCK_MONOTONIC) < end; i++) {
		sleep_ms(20);
		EXPECT_EQ(0, i & 1 ? perf_enable(toggled) : perf_disable(toggled));
		fd = i % 16 ? -1 : perf_open(attr, pid[i / 16 % WORKERS], -1, -1);
		EXPECT_LE(perf_count(toggled), perf_count(always));
		if (fd >= 0)
			close(fd);
	}
	__atomic_store_n(&storm->stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < WORKERS; i++) {
		EXPECT_EQ(0, wait_status(pid[i]));
		calls += storm->calls[i];
	}
	EXPECT_EQ(calls, (long)perf_count(always));
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--calls")) {
		make_calls(atoi(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}
