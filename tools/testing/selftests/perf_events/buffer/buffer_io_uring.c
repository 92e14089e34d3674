// SPDX-License-Identifier: GPL-2.0
/*
 * Polling and reading an event by io_uring.
 */
#include <linux/io_uring.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

struct uring {
	int fd;
	struct io_uring_params params;
	char *sq_ring;
	char *cq_ring;
	struct io_uring_sqe *sqes;
};

static int uring_open(struct uring *ring)
{
	struct io_uring_params *p = &ring->params;
	const int prot = PROT_READ | PROT_WRITE;

	memset(ring, 0, sizeof(*ring));
	ring->fd = syscall(__NR_io_uring_setup, 4, p);
	if (ring->fd < 0)
		return -errno;
	ring->sq_ring = mmap(NULL, p->sq_off.array + p->sq_entries * 4, prot,
			     MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->cq_ring = mmap(NULL, p->cq_off.cqes + p->cq_entries *
			     sizeof(struct io_uring_cqe), prot, MAP_SHARED,
			     ring->fd, IORING_OFF_CQ_RING);
	ring->sqes = mmap(NULL, p->sq_entries * sizeof(struct io_uring_sqe),
			  prot, MAP_SHARED, ring->fd, IORING_OFF_SQES);
	return ring->sq_ring == MAP_FAILED || ring->cq_ring == MAP_FAILED ||
	       ring->sqes == MAP_FAILED ? -errno : 0;
}

/* False if the kernel has no io_uring or it is disabled. */
static bool uring_available(struct uring *ring)
{
	int ret = uring_open(ring);

	if (ret == -ENOSYS || ret == -EPERM)
		return false;
	if (ret)
		_exit(93);
	return true;
}

static int uring_submit(struct uring *ring, struct io_uring_sqe sqe)
{
	__u32 *tail = (__u32 *)(ring->sq_ring + ring->params.sq_off.tail);
	__u32 *array = (__u32 *)(ring->sq_ring + ring->params.sq_off.array);
	__u32 slot = *tail & (ring->params.sq_entries - 1);

	ring->sqes[slot] = sqe;
	array[slot] = slot;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return syscall(__NR_io_uring_enter, ring->fd, 1, 0, 0, NULL, 0) == 1 ?
		0 : -errno;
}

/* Get the result of the next completion. With wait set, wait for it. */
static int uring_result(struct uring *ring, bool wait)
{
	__u32 *head = (__u32 *)(ring->cq_ring + ring->params.cq_off.head);
	__u32 *tail = (__u32 *)(ring->cq_ring + ring->params.cq_off.tail);
	struct io_uring_cqe *cqes = (void *)(ring->cq_ring +
					     ring->params.cq_off.cqes);
	int res;

	if (wait)
		syscall(__NR_io_uring_enter, ring->fd, 0, 1,
			IORING_ENTER_GETEVENTS, NULL, 0);
	if (__atomic_load_n(tail, __ATOMIC_ACQUIRE) == *head)
		return -EAGAIN;
	res = cqes[*head & (ring->params.cq_entries - 1)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return res;
}

TEST(io_uring_poll)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_POLL_ADD };
	struct perf_buf buf;
	struct uring ring;
	int fd, i;

	if (!uring_available(&ring))
		SKIP(return, "no io_uring");
	fd = perf_open_self(FAULTS(.wakeup_events = 1));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	sqe.fd = fd;
	sqe.poll32_events = POLLIN;
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, uring_submit(&ring, sqe));
		EXPECT_EQ(-EAGAIN, uring_result(&ring, false));
		perf_fault(fd, 1);
		EXPECT_EQ(POLLIN, uring_result(&ring, true));
		EXPECT_EQ(0, perf_poll(fd, POLLIN));
	}
	/* A request for the hangup, which comes with the unmapping. */
	ASSERT_EQ(0, uring_submit(&ring, sqe));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(POLLHUP, uring_result(&ring, true));
	/* A request that is pending when the files are closed. */
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, uring_submit(&ring, sqe));
	close(fd);
	close(ring.fd);
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

TEST(io_uring_read)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_READ };
	struct perf_count_lost count = {};
	struct uring ring;
	int fd;

	if (!uring_available(&ring))
		SKIP(return, "no io_uring");
	fd = perf_open_self(FAULTS());
	ASSERT_LE(0, fd);
	fault_pages(1);
	perf_fault(fd, 7);
	sqe.fd = fd;
	sqe.addr = (unsigned long)&count;
	sqe.len = sizeof(count);
	ASSERT_EQ(0, uring_submit(&ring, sqe));
	EXPECT_EQ(sizeof(count), uring_result(&ring, true));
	EXPECT_EQ(perf_counted(fd).value, count.value);
	EXPECT_LE(7, count.value);
	sqe.len = 1;
	ASSERT_EQ(0, uring_submit(&ring, sqe));
	EXPECT_EQ(-ENOSPC, uring_result(&ring, true));
}

TEST_HARNESS_MAIN
