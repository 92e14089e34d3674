// SPDX-License-Identifier: GPL-2.0
/*
 * attr.sigtrap of hardware breakpoints: the thread that hits one gets a SIGTRAP at
 * once. Watchpoints that are changed, shared by many threads, and removed by others;
 * children that hit them while they are killed.
 */
#include <linux/hw_breakpoint.h>
#include <pthread.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/sigtrap.h"
#include "../lib/sigtrap_fixture.h"

#define THREADS		16

#define TRAP_WRITE(_var, ...)						\
	TRAP_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,	\
		  .bp_addr = (unsigned long)&(_var),			\
		  .bp_len = sizeof(_var), ##__VA_ARGS__)

static volatile long watched;
static atomic_long watched_by_many;

static __attribute__((noinline)) void target(void)
{
	asm volatile("" ::: "memory");
}

static void write_watched(int times)
{
	while (times--)
		watched = times;
}

/*
 * x86 traps after an access, and resumes a function that it trapped at. arm64 traps
 * before the access and steps over it once. The first instruction of the handler uses
 * up that step: after the handler it traps again, forever, unless the handler disables
 * the event.
 */
#ifdef __x86_64__
static const bool traps_once = true;
#else
static const bool traps_once;
#endif

/* For tests with a handler that returns to the instruction that trapped. */
#define OPEN_BREAKPOINT(_attr) do {					\
	if (!traps_once)						\
		SKIP(return, "breakpoints do not get past a handler");	\
	OPEN_BREAKPOINT_ONCE(_attr);					\
} while (0)

/* Machines may have no debug registers, or none free. */
#define OPEN_BREAKPOINT_ONCE(_attr) do {				\
	self->fd = perf_open_self(_attr);				\
	if (perf_no_breakpoint(self->fd))				\
		SKIP(return, "no hardware breakpoint: %s",		\
		     perf_errname(self->fd));				\
	ASSERT_LE(0, self->fd);						\
} while (0)

TEST_F(trap, watchpoint)
{
	long sum = 0;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	watched = 1;
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 1; i <= 50; i++) {
		watched = i;
		EXPECT_EQ(i, trap_hits);
		sum += watched;
		EXPECT_EQ(i, trap_hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, &watched, 0);
	}
	EXPECT_EQ(1275, sum);
	perf_disable(self->fd);
	watched = 1;
	EXPECT_EQ(50, trap_hits);
	EXPECT_EQ(50, perf_count(self->fd));
}

TEST_F(trap, watchpoint_of_reads)
{
	long sum = 0;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched, .bp_type = HW_BREAKPOINT_R |
					    HW_BREAKPOINT_W));
	watched = 3;
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 0; i < 20; i++)
		sum += watched;
	watched = 5;
	perf_disable(self->fd);
	EXPECT_EQ(60, sum);
	EXPECT_EQ(21, trap_hits);
	EXPECT_EQ(21, perf_count(self->fd));
}

static int modify(int fd, struct perf_event_attr attr)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr);
}

/* The data of the signal may change together with the address. */
TEST_F(trap, modified_watchpoint)
{
	static volatile long other;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	ASSERT_EQ(0, perf_enable(self->fd));
	watched = 1;
	EXPECT_EQ(1, trap_hits);
	EXPECT_TRAP(&traps[0], PERF_TYPE_BREAKPOINT, &watched, 0);

	ASSERT_EQ(0, modify(self->fd, TRAP_WRITE(other, .sig_data = 2, .disabled = 0)));
	watched = 1;
	EXPECT_EQ(1, trap_hits);
	other = 1;
	EXPECT_EQ(2, trap_hits);
	EXPECT_EQ((unsigned long)&other, traps[1].addr);
	EXPECT_EQ(2, traps[1].data);
	perf_disable(self->fd);
}

/* A refused change has no effect at all. */
TEST_F(trap, refused_modification)
{
	static volatile long other;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	EXPECT_EQ(-EINVAL, modify(self->fd, TRAP_WRITE(other, .sample_period = 2,
						       .sig_data = 1)));
	ASSERT_EQ(0, perf_enable(self->fd));
	watched = 1;
	other = 1;
	perf_disable(self->fd);
	EXPECT_EQ(1, trap_hits);
	SKIP_STOCK_FAULT(traps[0].data == 1, "a refused change of sig_data is made");
	EXPECT_TRAP(&traps[0], PERF_TYPE_BREAKPOINT, &watched, 0);
}

TEST_F(trap, breakpoint)
{
	int i;

	OPEN_BREAKPOINT(TRAP_ATTR(PERF_TYPE_BREAKPOINT, 0,
				  .bp_type = HW_BREAKPOINT_X,
				  .bp_addr = (unsigned long)target,
				  .bp_len = sizeof(long)));
	target();
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 1; i <= 50; i++) {
		target();
		EXPECT_EQ(i, trap_hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, target, 0);
	}
	perf_disable(self->fd);
	target();
	EXPECT_EQ(50, trap_hits);
	EXPECT_EQ(50, perf_count(self->fd));
}

TEST_F(trap, disable_watchpoint_in_handler)
{
	int i;

	OPEN_BREAKPOINT_ONCE(TRAP_WRITE(watched));
	disabled_on_trap = self->fd;
	trap_in_handler = disable_on_trap;
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, perf_enable(self->fd));
		watched = i;
		EXPECT_EQ(i, trap_hits);
		watched = i + 100;
		EXPECT_EQ(i, trap_hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, &watched, 0);
	}
	trap_in_handler = NULL;
	EXPECT_EQ(20, perf_count(self->fd));
}

#define ROUNDS		200

struct crowd {
	pthread_t threads[THREADS];
	pthread_barrier_t start;
	int rounds;
};

static void *crowd_thread(void *data)
{
	struct crowd *crowd = data;
	int i;

	pthread_barrier_wait(&crowd->start);
	for (i = 0; i < crowd->rounds; i++)
		atomic_fetch_add(&watched_by_many, 1);
	return (void *)(long)trap_hits;
}

static void crowd_begin(struct crowd *crowd, int rounds)
{
	int i;

	crowd->rounds = rounds;
	pthread_barrier_init(&crowd->start, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&crowd->threads[i], NULL, crowd_thread,
				   crowd))
			_exit(93);
}

/* A thread gets its own signals only. */
TEST_F(trap, inherited_by_threads)
{
	struct crowd crowd;
	void *theirs;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched_by_many, .inherit = 1,
				   .inherit_thread = 1, .disabled = 0));
	crowd_begin(&crowd, ROUNDS);
	pthread_barrier_wait(&crowd.start);
	for (i = 0; i < THREADS; i++) {
		pthread_join(crowd.threads[i], &theirs);
		EXPECT_EQ(ROUNDS, (long)theirs);
	}
	EXPECT_EQ(THREADS * ROUNDS, atomic_load(&watched_by_many));
	EXPECT_EQ(0, trap_hits);
	EXPECT_EQ(perf_count(self->fd), atomic_load(&trap_all_hits));
}

/* Enabled and disabled by another thread while threads hit the breakpoint. */
TEST_F(trap, switched_under_threads)
{
	struct crowd crowd;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched_by_many, .inherit = 1,
				   .inherit_thread = 1));
	crowd_begin(&crowd, ROUNDS * 20);
	pthread_barrier_wait(&crowd.start);
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, perf_enable(self->fd));
		sched_yield();
		EXPECT_EQ(0, perf_disable(self->fd));
		sched_yield();
	}
	EXPECT_EQ(0, perf_enable(self->fd));
	EXPECT_EQ(0, perf_disable(self->fd));
	for (i = 0; i < THREADS; i++)
		pthread_join(crowd.threads[i], NULL);
	EXPECT_EQ(THREADS * ROUNDS * 20, atomic_load(&watched_by_many));
	EXPECT_EQ(0, trap_hits);
	EXPECT_EQ(perf_count(self->fd), atomic_load(&trap_all_hits));
}

struct victim {
	atomic_int tid;
	atomic_bool stop;
	atomic_long writes;
};

static void *victim_thread(void *data)
{
	struct victim *victim = data;

	atomic_store(&victim->tid, gettid());
	while (!atomic_load(&victim->stop)) {
		watched = 1;
		atomic_fetch_add(&victim->writes, 1);
	}
	return (void *)(long)trap_hits;
}

/* Events of a thread that are opened and closed while it hits them. */
TEST_F(trap, closed_from_outside)
{
	struct victim victim = {};
	pthread_t thread;
	void *theirs;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	ASSERT_EQ(0, pthread_create(&thread, NULL, victim_thread, &victim));
	while (!atomic_load(&victim.tid))
		sched_yield();
	for (i = 0; i < 200; i++) {
		int fd = perf_open(TRAP_WRITE(watched, .disabled = 0),
				   atomic_load(&victim.tid), -1, -1);
		long writes = atomic_load(&victim.writes);

		ASSERT_LE(0, fd);
		while (i % 2 && atomic_load(&victim.writes) < writes + 3)
			sched_yield();
		close(fd);
	}
	atomic_store(&victim.stop, true);
	pthread_join(thread, &theirs);
	EXPECT_LE(100, (long)theirs);
	EXPECT_GE(atomic_load(&victim.writes), (long)theirs);
	EXPECT_EQ(0, trap_hits);
}

/* Children that fork, overflow, are killed, or call exec, all at the same time. */
TEST_F(trap, storm)
{
	int i, status, alive = 0, wrong = 0;

	OPEN_BREAKPOINT(TRAP_WRITE(watched, .inherit = 1, .disabled = 0));
	for (i = 0; i < 200; i++) {
		pid_t pid = fork_child();

		ASSERT_LE(0, pid);
		if (pid == 0) {
			write_watched(i % 8);
			if (trap_hits != i % 8)
				_exit(80);
			if (i % 3 == 0)
				kill(getpid(), SIGKILL);
			if (i % 3 == 1)
				perf_exec_touch(5);
			_exit(0);
		}
		if (++alive < 8)
			continue;
		wait(&status);
		alive--;
		wrong += WIFEXITED(status) ? !!WEXITSTATUS(status) :
			 WTERMSIG(status) != SIGKILL;
	}
	while (alive--) {
		wait(&status);
		wrong += WIFEXITED(status) ? !!WEXITSTATUS(status) :
			 WTERMSIG(status) != SIGKILL;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, trap_hits);
	/* 25 times 0 to 7 */
	EXPECT_EQ(700, perf_count(self->fd));
}

/* Killed by the parent at any moment. */
TEST_F(trap, killed_storm)
{
	pid_t pids[4];
	int i, n;

	OPEN_BREAKPOINT(TRAP_WRITE(watched, .inherit = 1, .disabled = 0));
	for (i = 0; i < 20; i++) {
		for (n = 0; n < 4; n++) {
			pids[n] = fork_child();
			ASSERT_LE(0, pids[n]);
			while (pids[n] == 0)
				watched = 1;
		}
		sleep_ms(5);
		for (n = 0; n < 4; n++)
			kill(pids[n], SIGKILL);
		for (n = 0; n < 4; n++)
			EXPECT_EQ(-SIGKILL, wait_status(pids[n]));
	}
	EXPECT_EQ(0, trap_hits);
	watched = 1;
	EXPECT_EQ(1, trap_hits);
}

PERF_TEST_EXEC_MAIN
