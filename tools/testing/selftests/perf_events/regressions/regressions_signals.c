// SPDX-License-Identifier: GPL-2.0
/*
 * Reproducers of known faults of attr.sigtrap, each named after what went wrong: an event
 * that is freed while its signal is pending, and signals that never arrive.
 */
#include <pthread.h>
#include <sys/socket.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/sigtrap.h"

/* F. Exit, exec, signals */

/*
 * One system call drops the last reference on the file of an event, and overflows the event:
 * the kernel copies a message to a page that is not there, and discards the descriptor that
 * came with the message. The file is closed on the way back to user mode, as is the signal
 * sent, in either order.
 * Fails if perf_event_close() waits for the signal.
 */
TEST(free_hangs_on_sigtrap)
{
	int sock[2], fd, i;
	char *page;

	ASSERT_EQ(0, trap_prepare());
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	for (i = 0; i < 100; i++) {
		fd = perf_open_self(TRAP_ATTR(PERF_TYPE_SOFTWARE,
					      PERF_COUNT_SW_PAGE_FAULTS,
					      .exclude_kernel = 0));
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, send_fd(sock[1], fd));
		page = map_fresh_pages(1);
		ASSERT_NE(NULL, page);
		ASSERT_EQ(0, perf_enable(fd));
		close(fd);
		ASSERT_EQ(1, recv(sock[0], page, 1, 0));
		/* The event is gone, and the task goes on. */
		fault_pages(3);
		munmap(page, page_size);
	}
	EXPECT_GE(100, trap_hits);
	EXPECT_EQ(0, atomic_load(&trap_strays));
	close(sock[0]);
	close(sock[1]);
}

struct victim {
	pid_t tid;
	int fd;
	atomic_int faults;
	struct rounds rounds;
};

#define TRAP_ROUNDS	300

static void *fault_all_along(void *arg)
{
	struct victim *v = arg;

	v->fd = trap_prepare() ?: perf_open_self(TRAP_ATTR(PERF_TYPE_SOFTWARE,
							   PERF_COUNT_SW_PAGE_FAULTS));
	v->tid = gettid();
	rounds_add(&v->rounds);
	if (v->fd < 0)
		return NULL;
	perf_enable(v->fd);
	while (rounds_go_on(&v->rounds)) {
		fault_pages(5);
		sched_yield();
		rounds_add(&v->rounds);
	}
	perf_disable(v->fd);
	atomic_store(&v->faults, trap_hits);
	return NULL;
}

/*
 * A signal was lost when the task left its CPU between the overflow and the signal.
 * Fails if perf_sigtrap_send() returns without a signal after the task has moved.
 */
TEST(sigtraps_go_missing)
{
	int here = nth_cpu(0), there = nth_cpu(1), i;
	struct victim v = {};
	pthread_t thread;

	if (there < 0)
		SKIP(return, "needs two CPUs");
	ASSERT_EQ(0, pthread_create(&thread, NULL, fault_all_along, &v));
	ASSERT_TRUE(rounds_pass(&v.rounds, 1));
	ASSERT_LE(0, v.fd);
	for (i = 0; i < TRAP_ROUNDS || atomic_load(&v.rounds.done) < TRAP_ROUNDS; i++)
		ASSERT_EQ(0, pin_pid_to_cpu(v.tid, i & 1 ? here : there));
	rounds_stop(&v.rounds);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_LE(5 * (TRAP_ROUNDS - 1), atomic_load(&v.faults));
	EXPECT_EQ(atomic_load(&v.faults), perf_count(v.fd));
	EXPECT_EQ(0, atomic_load(&trap_strays));
	close(v.fd);
}

TEST_HARNESS_MAIN
