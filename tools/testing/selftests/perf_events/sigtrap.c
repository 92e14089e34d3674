// SPDX-License-Identifier: GPL-2.0
/*
 * attr.sigtrap: each overflow is a SIGTRAP of the thread that overflows, before
 * it executes anything else. Software events and hardware breakpoints, across
 * threads, fork and exec, with the signal blocked, and with events that go away.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "perf_util.h"
#include "../kselftest_harness.h"

#ifndef TRAP_PERF
#define TRAP_PERF		6
#endif
#ifndef TRAP_PERF_FLAG_ASYNC
#define TRAP_PERF_FLAG_ASYNC	1
#endif

#define SIG_DATA		0x123456789abcdef0ULL
#define MAX_TRAPS		64

#define TRAP_ATTR(_type, _config, ...)					\
	PERF_ATTR(_type, _config, .sample_period = 1, .disabled = 1,	\
		  .sigtrap = 1, .remove_on_exec = 1,			\
		  .sig_data = SIG_DATA, .exclude_kernel = 1, ##__VA_ARGS__)

#define TRAP_SW(_name, ...)						\
	TRAP_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##_name, ##__VA_ARGS__)

#define TRAP_WRITE(_var, ...)						\
	TRAP_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,	\
		  .bp_addr = (unsigned long)&(_var),			\
		  .bp_len = sizeof(_var), ##__VA_ARGS__)

/* From <linux/hw_breakpoint.h>, which C libraries do not always follow. */
#define HW_BREAKPOINT_R		1
#define HW_BREAKPOINT_W		2
#define HW_BREAKPOINT_X		4

/* What a signal says from si_addr on; C libraries know no si_perf_data. */
struct trap {
	unsigned long addr;
	unsigned long data;
	__u32 type;
	__u32 flags;
};

/* Of this thread: its signals, and what the first ones said. */
static __thread volatile int hits;
static __thread struct trap traps[MAX_TRAPS];
/* Of all threads; and signals that were not what they should be. */
static atomic_int all_hits;
static atomic_int strays;
/* What a handler is to do besides. */
static void (*volatile in_handler)(void);

static volatile long watched;
static atomic_long watched_by_many;

static void on_trap(int signo, siginfo_t *info, void *context)
{
	int hit = hits;

	if (info->si_code != TRAP_PERF) {
		atomic_fetch_add(&strays, 1);
		return;
	}
	if (hit < MAX_TRAPS)
		memcpy(&traps[hit], &info->si_addr, sizeof(struct trap));
	hits = hit + 1;
	atomic_fetch_add(&all_hits, 1);
	if (in_handler)
		in_handler();
}

static void block_trap(bool block)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static void set_action(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGTRAP, &action, NULL);
}

static __attribute__((noinline)) void touch_stack(void)
{
	volatile char stack[32 * 1024];
	size_t i;

	for (i = 0; i < sizeof(stack); i += 1024)
		stack[i] = 0;
}

static __attribute__((noinline)) void target(void)
{
	asm volatile("" ::: "memory");
}

static void write_watched(int times)
{
	while (times--)
		watched = times;
}

FIXTURE(trap)
{
	int fd;
};

FIXTURE_SETUP(trap)
{
	struct sigaction action = {
		.sa_sigaction = on_trap,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};

	self->fd = -1;
	ASSERT_EQ(0, sigaction(SIGTRAP, &action, NULL));
	ASSERT_EQ(0, stay_resident());
	touch_stack();
}

FIXTURE_TEARDOWN(trap)
{
	close(self->fd);
	EXPECT_EQ(0, atomic_load(&strays));
}

/*
 * x86 traps behind an access, and resumes a function that it trapped at. arm64
 * traps in front and steps over once, which the handler's first instruction
 * uses up: back from the handler it traps again, for ever, unless the handler
 * turns the event off.
 */
#ifdef __x86_64__
static const bool traps_once = true;
#else
static const bool traps_once;
#endif

/* For tests in which a handler returns to what it was called for. */
#define OPEN_BREAKPOINT(_attr) do {					\
	if (!traps_once)						\
		SKIP(return, "breakpoints do not get past a handler");	\
	OPEN_BREAKPOINT_ONCE(_attr);					\
} while (0)

/* Machines without debug registers, or with all of them taken. */
#define OPEN_BREAKPOINT_ONCE(_attr) do {				\
	self->fd = perf_open_self(_attr);				\
	if (self->fd == -ENOENT || self->fd == -EOPNOTSUPP ||		\
	    self->fd == -ENODEV || self->fd == -ENOSPC)			\
		SKIP(return, "no hardware breakpoint: %s",		\
		     perf_errname(self->fd));				\
	ASSERT_LE(0, self->fd);						\
} while (0)

#define EXPECT_TRAP(_trap, _type, _addr, _flags) do {			\
	const struct trap *__trap = (_trap);				\
									\
	EXPECT_EQ((unsigned long)(_addr), __trap->addr);		\
	EXPECT_EQ((unsigned long)SIG_DATA, __trap->data);		\
	EXPECT_EQ((_type), __trap->type);				\
	EXPECT_EQ((_flags), __trap->flags);				\
} while (0)

TEST_F(trap, page_fault)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *p = map_fresh_pages(20);
	int i;

	ASSERT_NE(NULL, p);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	p[0] = 1;
	EXPECT_EQ(0, hits);
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 1; i < 20; i++) {
		p[i * size + i] = 1;
		/* It is there before the next instruction. */
		EXPECT_EQ(i, hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_SOFTWARE,
			    p + i * size + i, 0);
	}
	for (i = 0; i < 20; i++)
		p[i * size] = 1;
	EXPECT_EQ(19, hits);
	ASSERT_EQ(0, perf_disable(self->fd));
	fault_pages(10);
	EXPECT_EQ(19, hits);
	EXPECT_EQ(19, perf_count(self->fd));
}

TEST_F(trap, period)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .sample_period = 7));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(70);
	EXPECT_EQ(10, hits);
	fault_pages(6);
	EXPECT_EQ(10, hits);
	fault_pages(1);
	EXPECT_EQ(11, hits);
	perf_disable(self->fd);
	EXPECT_EQ(77, perf_count(self->fd));
}

/* Nothing overflows that only counts. */
TEST_F(trap, counting)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .sample_period = 0));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(70);
	perf_disable(self->fd);
	EXPECT_EQ(0, hits);
	EXPECT_EQ(70, perf_count(self->fd));
}

/* A fault of the kernel on a user's page: at the end of the call, once. */
TEST_F(trap, fault_in_kernel)
{
	long size = sysconf(_SC_PAGESIZE);
	char *p = map_fresh_pages(4);
	int zero = open("/dev/zero", O_RDONLY);

	ASSERT_NE(NULL, p);
	ASSERT_LE(0, zero);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .exclude_kernel = 0));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	EXPECT_EQ(8, read(zero, p, 8));
	EXPECT_EQ(1, hits);
	EXPECT_TRAP(&traps[0], PERF_TYPE_SOFTWARE, p, 0);
	EXPECT_EQ(3 * size, read(zero, p + size, 3 * size));
	EXPECT_EQ(2, hits);
	perf_disable(self->fd);
	EXPECT_EQ(4, perf_count(self->fd));
	close(zero);
}

TEST_F(trap, fault_in_kernel_excluded)
{
	char *p = map_fresh_pages(2);
	int zero = open("/dev/zero", O_RDONLY);

	ASSERT_NE(NULL, p);
	ASSERT_LE(0, zero);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	EXPECT_EQ(8, read(zero, p, 8));
	perf_disable(self->fd);
	EXPECT_EQ(0, hits);
	EXPECT_EQ(0, perf_count(self->fd));
	close(zero);
}

/* Raised where nothing can be sent, and sent when the task is back. */
TEST_F(trap, context_switch)
{
	int i;

	self->fd = perf_open_self(TRAP_SW(CONTEXT_SWITCHES,
					  .exclude_kernel = 0));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 0; i < 20; i++)
		sleep_ms(5);
	perf_disable(self->fd);
	EXPECT_LE(10, hits);
	EXPECT_GE(perf_count(self->fd), hits);
}

/* From a timer's interrupt. */
TEST_F(trap, task_clock)
{
	int i;

	self->fd = perf_open_self(TRAP_SW(TASK_CLOCK,
					  .sample_period = NSEC_PER_MSEC));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	burn_cpu(100 * NSEC_PER_MSEC);
	perf_disable(self->fd);
	EXPECT_LE(1, hits);
	EXPECT_GE(perf_count(self->fd) / NSEC_PER_MSEC, hits);
	for (i = 0; i < hits && i < MAX_TRAPS; i++) {
		EXPECT_EQ((unsigned long)SIG_DATA, traps[i].data);
		EXPECT_EQ(PERF_TYPE_SOFTWARE, traps[i].type);
	}
}

TEST_F(trap, watchpoint)
{
	long sum = 0;
	int i;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	watched = 1;
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 1; i <= 50; i++) {
		watched = i;
		EXPECT_EQ(i, hits);
		sum += watched;
		EXPECT_EQ(i, hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, &watched, 0);
	}
	EXPECT_EQ(1275, sum);
	perf_disable(self->fd);
	watched = 1;
	EXPECT_EQ(50, hits);
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
	EXPECT_EQ(21, hits);
	EXPECT_EQ(21, perf_count(self->fd));
}

static int modify(int fd, struct perf_event_attr attr)
{
	return perf_ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, (unsigned long)&attr);
}

/* What the signal says may change with the address. */
TEST_F(trap, modified_watchpoint)
{
	static volatile long other;

	OPEN_BREAKPOINT(TRAP_WRITE(watched));
	ASSERT_EQ(0, perf_enable(self->fd));
	watched = 1;
	EXPECT_EQ(1, hits);
	EXPECT_TRAP(&traps[0], PERF_TYPE_BREAKPOINT, &watched, 0);

	ASSERT_EQ(0, modify(self->fd, TRAP_WRITE(other, .sig_data = 2, .disabled = 0)));
	watched = 1;
	EXPECT_EQ(1, hits);
	other = 1;
	EXPECT_EQ(2, hits);
	EXPECT_EQ((unsigned long)&other, traps[1].addr);
	EXPECT_EQ(2, traps[1].data);
	perf_disable(self->fd);
}

/* Nothing changes by halves. */
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
	EXPECT_EQ(1, hits);
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
		EXPECT_EQ(i, hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, target, 0);
	}
	perf_disable(self->fd);
	target();
	EXPECT_EQ(50, hits);
	EXPECT_EQ(50, perf_count(self->fd));
}

/* After so many it is off by itself. */
TEST_F(trap, refresh)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 3));
	fault_pages(20);
	EXPECT_EQ(3, hits);
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 2));
	fault_pages(20);
	EXPECT_EQ(5, hits);
}

static int disabled_by_handler;

static void disable_in_handler(void)
{
	perf_disable(disabled_by_handler);
}

TEST_F(trap, disable_in_handler)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	disabled_by_handler = self->fd;
	in_handler = disable_in_handler;
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(20);
	in_handler = NULL;
	EXPECT_EQ(1, hits);
	EXPECT_EQ(1, perf_count(self->fd));
}

TEST_F(trap, disable_watchpoint_in_handler)
{
	int i;

	OPEN_BREAKPOINT_ONCE(TRAP_WRITE(watched));
	disabled_by_handler = self->fd;
	in_handler = disable_in_handler;
	for (i = 1; i <= 20; i++) {
		ASSERT_EQ(0, perf_enable(self->fd));
		watched = i;
		EXPECT_EQ(i, hits);
		watched = i + 100;
		EXPECT_EQ(i, hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_BREAKPOINT, &watched, 0);
	}
	in_handler = NULL;
	EXPECT_EQ(20, perf_count(self->fd));
}

static char *page_of_handler;

static void touch_in_handler(void)
{
	in_handler = NULL;
	touch_pages(page_of_handler, 1);
}

/* The handler runs with the signal blocked: what it raises comes late. */
TEST_F(trap, nested)
{
	page_of_handler = map_fresh_pages(1);
	ASSERT_NE(NULL, page_of_handler);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	in_handler = touch_in_handler;
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(1);
	perf_disable(self->fd);
	EXPECT_EQ(2, hits);
	EXPECT_EQ(0, traps[0].flags);
	EXPECT_TRAP(&traps[1], PERF_TYPE_SOFTWARE, page_of_handler,
		    TRAP_PERF_FLAG_ASYNC);
}

/* One is kept, and says that it comes late. */
TEST_F(trap, blocked)
{
	char *p = map_fresh_pages(5);

	ASSERT_NE(NULL, p);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	block_trap(true);
	ASSERT_EQ(0, perf_enable(self->fd));
	touch_pages(p, 5);
	perf_disable(self->fd);
	EXPECT_EQ(0, hits);
	EXPECT_EQ(5, perf_count(self->fd));
	block_trap(false);
	EXPECT_EQ(1, hits);
	EXPECT_TRAP(&traps[0], PERF_TYPE_SOFTWARE, p, TRAP_PERF_FLAG_ASYNC);
}

TEST_F(trap, closed_while_blocked)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	block_trap(true);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(5);
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, hits);
	block_trap(false);
	/* The signal was sent, the event is not needed for it. */
	EXPECT_EQ(1, hits);
	fault_pages(5);
	EXPECT_EQ(1, hits);
}

/* Closed by the very call that raises it. */
TEST_F(trap, closed_in_flight)
{
	int i;

	for (i = 0; i < 100; i++) {
		struct perf_event_attr attr =
			TRAP_SW(CONTEXT_SWITCHES, .exclude_kernel = 0,
				.disabled = 0);
		int fd = perf_open_self(attr);

		ASSERT_LE(0, fd);
		sched_yield();
		close(fd);
	}
	i = hits;
	sleep_ms(2);
	EXPECT_EQ(i, hits);
}

TEST_F(trap, ignored)
{
	set_action(SIG_IGN);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(5);
	perf_disable(self->fd);
	EXPECT_EQ(5, perf_count(self->fd));
}

TEST_F(trap, default_action)
{
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		set_action(SIG_DFL);
		fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
		if (fd < 0 || perf_enable(fd))
			_exit(90);
		fault_pages(1);
		_exit(91);
	}
	EXPECT_EQ(-SIGTRAP, wait_status(pid));
}

/* The event is gone with the program: nothing kills the next one. */
TEST_F(trap, exec)
{
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
		if (fd < 0 || stay_resident() || perf_enable(fd))
			_exit(90);
		fault_pages(3);
		if (hits != 3)
			_exit(91);
		perf_exec_touch(500);
	}
	EXPECT_EQ(0, wait_status(pid));
}

/* Of two events that overflow together, one signal can be pending. */
TEST_F(trap, two_events)
{
	int other = perf_open_self(TRAP_SW(PAGE_FAULTS_MIN));

	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, perf_enable(self->fd));
	ASSERT_EQ(0, perf_enable(other));
	fault_pages(10);
	perf_disable(self->fd);
	perf_disable(other);
	EXPECT_EQ(10, hits);
	EXPECT_EQ(10, perf_count(self->fd));
	EXPECT_EQ(10, perf_count(other));
	close(other);
}

TEST_F(trap, group)
{
	int member;

	self->fd = perf_open_self(PERF_SW(PAGE_FAULTS, .disabled = 1,
					  .exclude_kernel = 1));
	ASSERT_LE(0, self->fd);
	member = perf_open(TRAP_SW(PAGE_FAULTS, .disabled = 0), 0, -1,
			   self->fd);
	ASSERT_LE(0, member);
	fault_pages(3);
	EXPECT_EQ(0, hits);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(4);
	ASSERT_EQ(0, perf_disable(self->fd));
	fault_pages(3);
	EXPECT_EQ(4, hits);
	EXPECT_EQ(4, perf_count(member));
	close(member);
}

/* Forked children have handlers and events of their own. */
TEST_F(trap, inherited_by_child)
{
	int i;

	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .inherit = 1,
					  .exclude_kernel = 0));
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 20; i++) {
		pid_t pid;

		perf_enable(self->fd);
		pid = fork_child();
		if (pid == 0) {
			int before;

			/* Pages shared until now are copied first. */
			if (stay_resident())
				_exit(90);
			before = hits;
			fault_pages(10);
			_exit(hits - before);
		}
		EXPECT_EQ(10, wait_status(pid));
		perf_disable(self->fd);
	}
}

TEST_F(trap, not_inherited_by_child)
{
	pid_t pid;

	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .inherit = 1,
					  .inherit_thread = 1));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	pid = fork_child();
	if (pid == 0) {
		hits = 0;
		fault_pages(10);
		_exit(hits);
	}
	EXPECT_EQ(0, wait_status(pid));
	perf_disable(self->fd);
}

#define THREADS		16
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
	return (void *)(long)hits;
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

/* A thread's signals are its own. */
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
	EXPECT_EQ(0, hits);
	EXPECT_EQ(perf_count(self->fd), atomic_load(&all_hits));
}

/* Enabled and disabled from outside while threads run into it. */
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
	EXPECT_EQ(0, hits);
	EXPECT_EQ(perf_count(self->fd), atomic_load(&all_hits));
}

struct own_fault {
	pthread_t thread;
	pthread_barrier_t *start;
	int error;
	int hits;
	bool right_addr;
};

static void *own_fault_thread(void *data)
{
	struct own_fault *own = data;
	char *p = map_fresh_pages(1);
	int fd = perf_open_self(TRAP_SW(PAGE_FAULTS));

	touch_stack();
	/* Storage of the thread, which the handler writes. */
	memset(traps, 0, sizeof(traps));
	hits = 0;
	own->error = fd < 0 ? fd : 0;
	pthread_barrier_wait(own->start);
	perf_enable(fd);
	touch_pages(p, 1);
	perf_disable(fd);
	own->hits = hits;
	own->right_addr = traps[0].addr == (unsigned long)p;
	close(fd);
	return NULL;
}

TEST_F(trap, thread_each_its_event)
{
	struct own_fault own[THREADS] = {};
	pthread_barrier_t start;
	int i;

	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		own[i].start = &start;
		ASSERT_EQ(0, pthread_create(&own[i].thread, NULL,
					    own_fault_thread, &own[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(own[i].thread, NULL);
		EXPECT_EQ(0, own[i].error);
		EXPECT_EQ(1, own[i].hits);
		EXPECT_TRUE(own[i].right_addr);
	}
	EXPECT_EQ(THREADS, atomic_load(&all_hits));
	EXPECT_EQ(0, hits);
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
	return (void *)(long)hits;
}

/* Events of a thread that come and go while it runs into them. */
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
		long writes = atomic_load(&victim.writes);
		int fd = perf_open(TRAP_WRITE(watched, .disabled = 0),
				   atomic_load(&victim.tid), -1, -1);

		ASSERT_LE(0, fd);
		while (i % 2 && atomic_load(&victim.writes) < writes + 3)
			sched_yield();
		close(fd);
	}
	atomic_store(&victim.stop, true);
	pthread_join(thread, &theirs);
	EXPECT_LE(100, (long)theirs);
	EXPECT_GE(atomic_load(&victim.writes), (long)theirs);
	EXPECT_EQ(0, hits);
}

static void *leaving_thread(void *data)
{
	block_trap(true);
	fault_pages(3);
	/* Exits with a signal pending that nobody will take. */
	return NULL;
}

TEST_F(trap, thread_exits_while_blocked)
{
	pthread_t thread;
	int i;

	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .inherit = 1,
					  .inherit_thread = 1));
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 50; i++) {
		/* New stacks fault, and a new thread has nothing blocked. */
		block_trap(true);
		perf_enable(self->fd);
		ASSERT_EQ(0, pthread_create(&thread, NULL, leaving_thread,
					    NULL));
		pthread_join(thread, NULL);
		perf_disable(self->fd);
	}
	EXPECT_EQ(0, hits);
	block_trap(false);
	EXPECT_LE(150, perf_count(self->fd));
}

/* Children that fork, overflow, are killed, or exec, all at the same time. */
TEST_F_TIMEOUT(trap, storm, 300)
{
	int i, status, alive = 0, wrong = 0;

	OPEN_BREAKPOINT(TRAP_WRITE(watched, .inherit = 1, .disabled = 0));
	for (i = 0; i < 200; i++) {
		pid_t pid = fork_child();

		ASSERT_LE(0, pid);
		if (pid == 0) {
			write_watched(i % 8);
			if (hits != i % 8)
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
	EXPECT_EQ(0, hits);
	/* 25 times 0 to 7 */
	EXPECT_EQ(700, perf_count(self->fd));
}

/* Killed from outside, wherever in it they are. */
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
	EXPECT_EQ(0, hits);
	watched = 1;
	EXPECT_EQ(1, hits);
}

PERF_TEST_EXEC_MAIN
