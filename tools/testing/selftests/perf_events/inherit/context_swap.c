// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that inherited the same events and alternate on one CPU. A kernel may swap
 * their contexts instead of scheduling events out and in, also with the context of the
 * task for which the events were opened. Counts must be as if it did not. The events
 * are tracepoints, which have to be scheduled in.
 */
#include <pthread.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/record.h"

#define MEMBERS	4
#define EVENTS	6
#define CALLS	3	/* what a member does when it has the token */

enum order {
	ORDER_NONE,
	ORDER_EXIT,
	ORDER_FORK,
	ORDER_EXEC,
};

/* The token that goes round a ring, from member to member. */
struct token {
	int rounds;
	int who;
	enum order what;
};

/* Shared with the members, which are tasks bound to one CPU. */
struct ring_state {
	bool gone[MEMBERS];
	long calls[MEMBERS];
	pid_t heir[MEMBERS];
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

/* A child starts and exits. */
static void fork_calls(int nr)
{
	pid_t pid = fork();

	if (pid == 0) {
		make_calls(nr);
		_exit(0);
	}
	wait_status(pid);
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
		/* The member that would have counted the round is gone. */
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
		fork_calls(7);
		r->state->calls[nr] += 7;
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

/* The members are threads of one process. Its first thread only waits. */
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

/* Let the token go round. One member gets an order. */
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

/*
 * The first member, for which the events are opened before it forks the others. So
 * there are switches between it and the tasks that inherited from it.
 */
static void fork_founder(struct ring *r, struct gate *go)
{
	pid_t pid;
	int i;

	r->pid[0] = fork_child();
	if (r->pid[0])
		return;
	gate_wait(go);
	for (i = 1; i < MEMBERS; i++) {
		pid = fork();
		if (pid == 0) {
			be_member(&(struct member){ r, i });
			_exit(0);
		}
		r->state->heir[i] = pid;
	}
	be_member(&(struct member){ r, 0 });
	_exit(0);
}

/* When the founder has the token for the first time it has forked all members. */
static void founded(struct ring *r, struct gate *go)
{
	gate_open(go);
	ring_run(r, 1);
	memcpy(&r->pid[1], &r->state->heir[1], sizeof(pid_t) * (MEMBERS - 1));
}

FIXTURE(context_swap)
{
	struct ring r;
	struct gate go;
	struct perf_event_attr attr;
	int fd[EVENTS];
	int on_exec, removed;
	__u64 before;
};

FIXTURE_VARIANT(context_swap)
{
	bool threads;
	bool grouped;
	bool founder;
};

FIXTURE_VARIANT_ADD(context_swap, processes) {};
FIXTURE_VARIANT_ADD(context_swap, threads) { .threads = true };
FIXTURE_VARIANT_ADD(context_swap, grouped) { .grouped = true };
FIXTURE_VARIANT_ADD(context_swap, founder) { .founder = true };
FIXTURE_VARIANT_ADD(context_swap, founder_grouped) { .grouped = true, .founder = true };

static long calls_id(void)
{
	long id;

	if (file_read_long("/sys/kernel/tracing/events/syscalls/sys_enter_getpriority/id",
			   &id))
		return -1;
	return id;
}

FIXTURE_SETUP(context_swap)
{
	struct ring *r = &self->r;
	struct perf_event_attr more;
	pid_t whom = 0;
	int i;

	if (calls_id() < 0)
		SKIP(return, "needs the tracepoints of system calls");
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	self->attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id(), .inherit = 1,
			       .read_format = PERF_ALL_TIMES);
	r->state = mmap(NULL, sizeof(*r->state), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r->state);
	ASSERT_EQ(0, pipe2(r->home, O_CLOEXEC));
	for (i = 0; i < MEMBERS; i++)
		ASSERT_EQ(0, pipe2(r->in[i], O_CLOEXEC));
	if (variant->founder) {
		self->go = gate_new();
		fork_founder(r, &self->go);
		whom = r->pid[0];
	}
	for (i = 0; i < EVENTS; i++) {
		self->fd[i] = perf_open(self->attr, whom, -1,
					variant->grouped && i ? self->fd[0] : -1);
		ASSERT_LE(0, self->fd[i]);
	}
	more = self->attr;
	more.disabled = 1;
	more.enable_on_exec = 1;
	self->on_exec = perf_open(more, whom, -1, -1);
	ASSERT_LE(0, self->on_exec);
	more = self->attr;
	more.remove_on_exec = 1;
	self->removed = perf_open(more, whom, -1, -1);
	ASSERT_LE(0, self->removed);

	/* Children of a founder that is gone become children of this task. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (variant->threads)
		fork_threads(r);
	else if (variant->founder)
		founded(r, &self->go);
	else
		fork_members(r);
}

FIXTURE_TEARDOWN(context_swap)
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

TEST_F(context_swap, count_exactly)
{
	long before = ring_calls(&self->r);
	int i;

	for (i = 0; i < 5; i++) {
		ring_run(&self->r, 100);
		EXPECT_ALL(ring_calls(&self->r));
	}
	EXPECT_EQ(before + 5 * 100 * MEMBERS * CALLS, ring_calls(&self->r));
}

/*
 * Run the ring. Returns true if each event has run for more than a quarter of the time. @least is
 * the shortest time that one has run.
 */
static bool run_all_the_time(struct __test_metadata *_metadata,
			     struct _test_data_context_swap *self, __u64 *took, __u64 *least)
{
	__u64 start = clock_ns(CLOCK_MONOTONIC_RAW);
	struct perf_timed t[EVENTS], now;
	int i;

	*least = ~0ULL;
	for (i = 0; i < EVENTS; i++)
		t[i] = perf_timed_count(self->fd[i]);
	ring_run(&self->r, 500);
	for (i = 0; i < EVENTS; i++) {
		now = perf_timed_count(self->fd[i]);
		now.enabled -= t[i].enabled;
		now.running -= t[i].running;
		*took = clock_ns(CLOCK_MONOTONIC_RAW) - start;
		EXPECT_EQ(now.enabled, now.running);
		EXPECT_GE(*took + *took / 100 + NSEC_PER_MSEC, now.running);
		*least = now.running < *least ? now.running : *least;
	}
	return *took / 4 < *least;
}

/*
 * The events have the whole time of the tasks, and no other. When the host runs another program
 * during a switch, no event has that time. One of a few tries has to be mostly without such a gap.
 */
TEST_F(context_swap, times)
{
	__u64 took, least;

	EXPECT_TRUE(IN_SOME_TRY(50, run_all_the_time(_metadata, self, &took, &least))) {
		TH_LOG("an event ran for %llu ns of %llu", least, took);
	}
}

TEST_F(context_swap, exit_one_by_one)
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

TEST_F(context_swap, disabled_in_between)
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

/*
 * One event is enabled and disabled while the tasks switch. The others continue to
 * count.
 */
TEST_F(context_swap, one_is_toggled_meanwhile)
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
	kill_child(toggler);
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

/* An event opened for one member counts that member only. */
TEST_F(context_swap, opened_for_one)
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

TEST_F(context_swap, closed_and_opened)
{
	long before;

	ring_run(&self->r, 50);
	close(self->fd[EVENTS - 1]);
	before = ring_calls(&self->r);
	ring_run(&self->r, 50);
	/* This process and the children that it forks from here on. */
	self->fd[EVENTS - 1] = perf_open_self(self->attr);
	ASSERT_LE(0, self->fd[EVENTS - 1]);
	ring_run(&self->r, 50);
	EXPECT_EQ(0, perf_timed_count(self->fd[EVENTS - 1]).value);
	EXPECT_LT(before, ring_calls(&self->r));
	close(self->fd[EVENTS - 1]);
	self->fd[EVENTS - 1] = self->fd[0];
	EXPECT_ALL(ring_calls(&self->r));
}

TEST_F(context_swap, fork_meanwhile)
{
	int i;

	for (i = 0; i < 20; i++)
		ring_order(&self->r, 10, i % MEMBERS, ORDER_FORK);
	EXPECT_ALL(ring_calls(&self->r));
}

/* Wait until a member that has called exec is dead. It need not be reaped yet. */
static void wait_dead(pid_t pid)
{
	char path[64], text[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (file_read(path, text, sizeof(text)) > 0) {
		state = strrchr(text, ')');
		if (state && state[2] == 'Z')
			break;
		sleep_ms(1);
	}
}

/*
 * An exec takes nothing from the other members, and the member continues to obey its
 * orders.
 */
TEST_F(context_swap, exec_meanwhile)
{
	int order[2] = { 2, 0 }, i;
	long before;

	if (variant->threads)
		SKIP(return, "exec ends the other threads");
	for (i = 0; i < 2; i++) {
		ring_run(&self->r, 50);
		before = ring_calls(&self->r);
		ring_order(&self->r, 1, order[i], ORDER_EXEC);
		wait_dead(self->r.pid[order[i]]);
		EXPECT_LT(before, ring_calls(&self->r));
		EXPECT_ALL(ring_calls(&self->r) + 11 * (i + 1));
		EXPECT_EQ(11 * (i + 1), (int)perf_timed_count(self->on_exec).value);
		EXPECT_EQ(ring_calls(&self->r), (long)perf_timed_count(self->removed).value);
	}
	ring_run(&self->r, 20);
	EXPECT_ALL(ring_calls(&self->r) + 22);
	EXPECT_EQ(22, (int)perf_timed_count(self->on_exec).value);
	EXPECT_EQ(ring_calls(&self->r), (long)perf_timed_count(self->removed).value);
}

/* Opening an event that others join, and closing it, may not change any count. */
TEST_F(context_swap, joined_and_left)
{
	struct perf_event_attr attr = self->attr;
	long before, calls;
	int fd, i;

	if (!variant->founder)
		SKIP(return, "the task with the events does not take turns");
	for (i = 0; i < 10; i++) {
		ring_run(&self->r, 10 + i);
		before = ring_calls(&self->r);
		calls = self->r.state->calls[0];
		fd = perf_open(attr, self->r.pid[0], -1,
			       self->fd[variant->grouped ? 0 : i % EVENTS]);
		ASSERT_LE(0, fd);
		ring_run(&self->r, 10);
		/* Members that exist do not inherit it. */
		EXPECT_EQ(self->r.state->calls[0] - calls,
			  (long)perf_timed_count(fd).value);
		close(fd);
		EXPECT_LT(before, ring_calls(&self->r));
		EXPECT_ALL(ring_calls(&self->r));
	}
	for (i = EVENTS - 1; i > 0; i--) {
		ring_run(&self->r, 10);
		close(self->fd[i]);
		self->fd[i] = self->fd[0];
		ring_run(&self->r, 10);
		EXPECT_ALL(ring_calls(&self->r));
	}
}

/* Read on another CPU, a sum never decreases. */
TEST_F(context_swap, read_meanwhile)
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

/* All of the above at once, on all CPUs. */

#define WORKERS	6

/* Rounds of the loops below, on any host: an event is opened for each worker. */
#define ROUNDS_MIN	(16 * WORKERS)

struct storm {
	bool stop;
	long calls[WORKERS];
	pid_t pid[WORKERS];
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
			fork_calls(2);
			storm->calls[nr] += 2;
			break;
		case 2:
			sleep_ms(1);
		}
	}
	_exit(0);
}

/* The founder is the parent of the others, the task of the events, or neither. */
FIXTURE(storm)
{
	struct storm *shared;
	struct gate go, ready;
	pid_t pid[WORKERS];
	int always, toggled;
};

FIXTURE_VARIANT(storm)
{
	bool founder;
};

FIXTURE_VARIANT_ADD(storm, children) {};
FIXTURE_VARIANT_ADD(storm, founder) { .founder = true };

static void fork_workers(struct storm *storm, pid_t *pid, int from, int cpus)
{
	int i;

	pid_t child;

	for (i = from; i < WORKERS; i++) {
		child = fork();
		if (child == 0)
			be_worker(storm, i, cpus);
		pid[i] = child;
	}
}

FIXTURE_SETUP(storm)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id(),
						.inherit = 1);
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t whom = 0;

	if (calls_id() < 0)
		SKIP(return, "needs the tracepoints of system calls");
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	self->go = gate_new();
	self->ready = gate_new();
	if (variant->founder) {
		whom = fork_child();
		if (whom == 0) {
			gate_wait(&self->go);
			fork_workers(self->shared, self->shared->pid, 1, cpus);
			gate_open(&self->ready);
			be_worker(self->shared, 0, cpus);
		}
	}
	self->always = perf_open(attr, whom, -1, -1);
	self->toggled = perf_open(attr, whom, -1, self->always);
	ASSERT_LE(0, self->always);
	ASSERT_LE(0, self->toggled);
	if (variant->founder) {
		gate_open(&self->go);
		gate_wait(&self->ready);
		memcpy(self->pid, self->shared->pid, sizeof(self->pid));
		self->pid[0] = whom;
	} else {
		fork_workers(self->shared, self->pid, 0, cpus);
	}
}

FIXTURE_TEARDOWN(storm)
{
	for (int i = 0; i < WORKERS; i++) {
		if (self->pid[i] > 0)
			kill(self->pid[i], SIGKILL);
	}
	while (wait(NULL) > 0)
		;
}

/* Stop the members. Returns the number of their calls. */
static long storm_end(struct storm *storm, const pid_t *pid)
{
	long calls = 0;
	int i;

	__atomic_store_n(&storm->stop, true, __ATOMIC_RELAXED);
	/* Members are reaped by the founder, or here when it is gone. */
	for (i = 0; i < WORKERS; i++) {
		wait_dead(pid[i]);
		calls += storm->calls[i];
	}
	return calls;
}

TEST_F(storm, counts_all)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id());
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	int fd, i;

	for (i = 0; race_goes_on(i, ROUNDS_MIN, start, 4 * NSEC_PER_SEC); i++) {
		sleep_ms(20);
		EXPECT_EQ(0, i & 1 ? perf_enable(self->toggled) :
				     perf_disable(self->toggled));
		fd = i % 16 ? -1 : perf_open(attr, self->pid[i / 16 % WORKERS], -1, -1);
		EXPECT_LE(perf_count(self->toggled), perf_count(self->always));
		if (fd >= 0)
			close(fd);
	}
	EXPECT_EQ(storm_end(self->shared, self->pid), (long)perf_count(self->always));
}

static int move_to_cpu(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

/*
 * An event is opened for a running task after it has swapped contexts with others on
 * another CPU, which run there. No task runs uncounted meanwhile, also if the opener
 * shares a CPU with it.
 */
TEST_F(storm, opened_while_all_run)
{
	struct perf_event_attr attr = PERF_ATTR(PERF_TYPE_TRACEPOINT, calls_id());
	__u64 start = clock_ns(CLOCK_MONOTONIC);
	int fd, i, w;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 4)
		SKIP(return, "needs four CPUs");
	for (i = 0; race_goes_on(i, ROUNDS_MIN, start, 2 * NSEC_PER_SEC); i++) {
		for (w = 0; w < WORKERS; w++)
			EXPECT_EQ(0, move_to_cpu(self->pid[w], i & 1));
		EXPECT_EQ(0, move_to_cpu(0, 2 + i / 2 % 2));
		sleep_ms(5);
		EXPECT_EQ(0, move_to_cpu(self->pid[0], 2));
		sleep_ms(1);
		fd = perf_open(attr, self->pid[0], -1, -1);
		EXPECT_LE(0, fd);
		close(fd);
	}
	EXPECT_EQ(storm_end(self->shared, self->pid), (long)perf_count(self->always));
}

/* Two tasks that alternate on one CPU. Each causes some faults when it has its turn. */
#define TURNS	50
#define FAULTS	20

static void alternate(struct gate *mine, struct gate *other)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		gate_wait(mine);
		fault_pages(FAULTS);
		gate_open(other);
	}
}

/*
 * PERF_EVENT_IOC_PERIOD changes the event and later child events. A child that was there before
 * keeps the old period, and its own child has the new one. So their contexts are not alike.
 */
TEST(period_stays_with_its_task)
{
	struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1, .sample_period = 1000000,
					      .sample_type = PERF_SAMPLE_TID);
	struct gate go = gate_new(), old = gate_new(), new = gate_new();
	const struct perf_event_header *header;
	int fd, nr = 0, wrong = 0;
	__u64 period = FAULTS / 2;
	struct perf_buf buf;
	struct perf_rec rec;
	pid_t pid;

	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	fd = perf_open(attr, 0, nth_cpu(0), -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 16));
	pid = fork_child();
	if (!pid) {
		pid_t child;

		gate_wait(&go);
		child = fork_child();
		if (!child) {
			alternate(&new, &old);
			_exit(0);
		}
		gate_open(&new);
		alternate(&old, &new);
		_exit(-wait_status(child));
	}
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &period));
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	while ((header = perf_buf_next_of(&buf, PERF_RECORD_SAMPLE))) {
		ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
		wrong += rec.tid == (__u32)pid;
		nr += rec.tid != (__u32)pid && rec.tid != (__u32)getpid();
	}
	SKIP_STOCK_FAULT(wrong, "mixes the periods of parent and child");
	/* The child of the child has two samples in each of its turns. */
	EXPECT_LE(2 * TURNS, nr);
	EXPECT_EQ(0, wrong);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--calls")) {
		make_calls(atoi(argv[2]));
		return 0;
	}
	return test_harness_run(argc, argv);
}
