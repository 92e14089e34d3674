// SPDX-License-Identifier: GPL-2.0
/*
 * attr.sigtrap: each overflow is a SIGTRAP of the thread that overflows, before its
 * next instruction. Software events, across threads, fork and exec, with the signal
 * blocked, and with events that are closed.
 */
#include <pthread.h>

#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/sigtrap.h"
#include "../lib/sigtrap_fixture.h"

#define THREADS		16

#define TRAP_SW(_name, ...)						\
	TRAP_ATTR(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##_name, ##__VA_ARGS__)

static void set_action(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGTRAP, &action, NULL);
}

TEST_F(trap, page_fault)
{
	long size = sysconf(_SC_PAGESIZE);
	volatile char *p = map_fresh_pages(20);
	int i;

	ASSERT_NE(NULL, p);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	p[0] = 1;
	EXPECT_EQ(0, trap_hits);
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 1; i < 20; i++) {
		p[i * size + i] = 1;
		/* The signal comes before the next instruction. */
		EXPECT_EQ(i, trap_hits);
		EXPECT_TRAP(&traps[i - 1], PERF_TYPE_SOFTWARE,
			    p + i * size + i, 0);
	}
	for (i = 0; i < 20; i++)
		p[i * size] = 1;
	EXPECT_EQ(19, trap_hits);
	ASSERT_EQ(0, perf_disable(self->fd));
	fault_pages(10);
	EXPECT_EQ(19, trap_hits);
	EXPECT_EQ(19, perf_count(self->fd));
}

TEST_F(trap, period)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .sample_period = 7));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(70);
	EXPECT_EQ(10, trap_hits);
	fault_pages(6);
	EXPECT_EQ(10, trap_hits);
	fault_pages(1);
	EXPECT_EQ(11, trap_hits);
	perf_disable(self->fd);
	EXPECT_EQ(77, perf_count(self->fd));
}

/* A counting event does not overflow. */
TEST_F(trap, counting)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS, .sample_period = 0));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(70);
	perf_disable(self->fd);
	EXPECT_EQ(0, trap_hits);
	EXPECT_EQ(70, perf_count(self->fd));
}

/* A fault of the kernel on a user's page: one signal, at the end of the call. */
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
	EXPECT_EQ(1, trap_hits);
	EXPECT_TRAP(&traps[0], PERF_TYPE_SOFTWARE, p, 0);
	EXPECT_EQ(3 * size, read(zero, p + size, 3 * size));
	EXPECT_EQ(2, trap_hits);
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
	EXPECT_EQ(0, trap_hits);
	EXPECT_EQ(0, perf_count(self->fd));
	close(zero);
}

/*
 * The overflow is where no signal can be sent. It is sent when the task returns to user
 * mode.
 */
TEST_F(trap, context_switch)
{
	self->fd = perf_open_self(TRAP_SW(CONTEXT_SWITCHES,
					  .exclude_kernel = 0));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	/* Several switches on the way to user mode are one trap. */
	for (int n = 0; trap_hits < 10 && n < 10000; n++)
		switch_out(1);
	perf_disable(self->fd);
	EXPECT_LE(10, trap_hits);
	EXPECT_GE(perf_count(self->fd), trap_hits);
}

/* From a timer's interrupt. */
TEST_F(trap, task_clock)
{
	int i;

	self->fd = perf_open_self(TRAP_SW(TASK_CLOCK,
					  .sample_period = NSEC_PER_MSEC));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	EXPECT_TRUE(BURNS_UNTIL(trap_hits >= 10));
	perf_disable(self->fd);
	EXPECT_GE(perf_count(self->fd) / NSEC_PER_MSEC, trap_hits);
	for (i = 0; i < trap_hits && i < MAX_TRAPS; i++) {
		EXPECT_EQ((unsigned long)SIG_DATA, traps[i].data);
		EXPECT_EQ(PERF_TYPE_SOFTWARE, traps[i].type);
	}
}

/*
 * An event of user mode, with an interrupt that comes in the kernel: no signal
 * is lost, and no address is the kernel's.
 */
TEST_F(trap, late_interrupt)
{
	struct perf_event_attr attr;
	int i;

	SKIP_WITHOUT_FAKE();
	ASSERT_EQ(0, pin_to_cpu(nth_cpu(0)));
	attr = fake_attr("poke");
	attr = TRAP_ATTR(attr.type, attr.config, .sample_period = 100);
	self->fd = perf_open_self(attr);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_enable(self->fd));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, fake_poke(99));
		EXPECT_EQ(i, trap_hits);
		ASSERT_EQ(0, fake_poke(1));
		EXPECT_EQ(i + 1, trap_hits);
		EXPECT_TRAP(&traps[i], attr.type, 0, 0);
	}
	EXPECT_EQ(2000, perf_count(self->fd));
}

/* After so many signals the event is disabled. */
TEST_F(trap, refresh)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 3));
	fault_pages(20);
	EXPECT_EQ(3, trap_hits);
	ASSERT_EQ(0, perf_ioctl(self->fd, PERF_EVENT_IOC_REFRESH, 2));
	fault_pages(20);
	EXPECT_EQ(5, trap_hits);
}

TEST_F(trap, disable_in_handler)
{
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	disabled_on_trap = self->fd;
	trap_in_handler = disable_on_trap;
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(20);
	trap_in_handler = NULL;
	EXPECT_EQ(1, trap_hits);
	EXPECT_EQ(1, perf_count(self->fd));
}

static char *page_of_handler;

static void touch_in_handler(void)
{
	trap_in_handler = NULL;
	touch_pages(page_of_handler, 1);
}

/* The signal is blocked in its handler. A signal that the handler causes comes later. */
TEST_F(trap, nested)
{
	page_of_handler = map_fresh_pages(1);
	ASSERT_NE(NULL, page_of_handler);
	self->fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
	ASSERT_LE(0, self->fd);
	trap_in_handler = touch_in_handler;
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(1);
	perf_disable(self->fd);
	EXPECT_EQ(2, trap_hits);
	EXPECT_EQ(0, traps[0].flags);
	EXPECT_TRAP(&traps[1], PERF_TYPE_SOFTWARE, page_of_handler,
		    TRAP_PERF_FLAG_ASYNC);
}

/* One signal stays pending, and is marked as late. */
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
	EXPECT_EQ(0, trap_hits);
	EXPECT_EQ(5, perf_count(self->fd));
	block_trap(false);
	EXPECT_EQ(1, trap_hits);
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
	EXPECT_EQ(0, trap_hits);
	block_trap(false);
	/* The signal does not need the event any more. */
	EXPECT_EQ(1, trap_hits);
	fault_pages(5);
	EXPECT_EQ(1, trap_hits);
}

/* Closed by the call that causes the signal. */
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
	i = trap_hits;
	sleep_ms(2);
	EXPECT_EQ(i, trap_hits);
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

/* The event is removed with the program: no signal kills the next one. */
TEST_F(trap, exec)
{
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		fd = perf_open_self(TRAP_SW(PAGE_FAULTS));
		if (fd < 0 || stay_resident() || perf_enable(fd))
			_exit(90);
		fault_pages(3);
		if (trap_hits != 3)
			_exit(91);
		perf_exec_touch(500);
	}
	EXPECT_EQ(0, wait_status(pid));
}

/* Of two events that overflow together one signal can be pending. */
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
	EXPECT_EQ(10, trap_hits);
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
	EXPECT_EQ(0, trap_hits);
	ASSERT_EQ(0, perf_enable(self->fd));
	fault_pages(4);
	ASSERT_EQ(0, perf_disable(self->fd));
	fault_pages(3);
	EXPECT_EQ(4, trap_hits);
	EXPECT_EQ(4, perf_count(member));
	close(member);
}

/* Forked children have their own handlers and events. */
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

			/* Shared pages are copied first. */
			if (stay_resident())
				_exit(90);
			before = trap_hits;
			fault_pages(10);
			_exit(trap_hits - before);
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
		trap_hits = 0;
		fault_pages(10);
		_exit(trap_hits);
	}
	EXPECT_EQ(0, wait_status(pid));
	perf_disable(self->fd);
}

struct own_fault {
	pthread_t thread;
	pthread_barrier_t *start;
	int error;
	int trap_hits;
	bool right_addr;
};

static void *own_fault_thread(void *data)
{
	struct own_fault *own = data;
	char *p = map_fresh_pages(1);
	int fd = perf_open_self(TRAP_SW(PAGE_FAULTS));

	touch_stack();
	/* The handler writes to memory of the thread. */
	memset(traps, 0, sizeof(traps));
	trap_hits = 0;
	own->error = fd < 0 ? fd : 0;
	pthread_barrier_wait(own->start);
	perf_enable(fd);
	touch_pages(p, 1);
	perf_disable(fd);
	own->trap_hits = trap_hits;
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
		EXPECT_EQ(1, own[i].trap_hits);
		EXPECT_TRUE(own[i].right_addr);
	}
	EXPECT_EQ(THREADS, atomic_load(&trap_all_hits));
	EXPECT_EQ(0, trap_hits);
}

static void *leaving_thread(void *data)
{
	block_trap(true);
	fault_pages(3);
	/* Exits with a pending signal that is never delivered. */
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
		/* New stacks fault, and a new thread has no signal blocked. */
		block_trap(true);
		perf_enable(self->fd);
		ASSERT_EQ(0, pthread_create(&thread, NULL, leaving_thread,
					    NULL));
		pthread_join(thread, NULL);
		perf_disable(self->fd);
	}
	EXPECT_EQ(0, trap_hits);
	block_trap(false);
	EXPECT_LE(150, perf_count(self->fd));
}

PERF_TEST_EXEC_MAIN
