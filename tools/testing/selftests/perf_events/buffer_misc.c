// SPDX-License-Identifier: GPL-2.0
/*
 * Odd but legal things to do with an event that has a buffer: hand its fd to
 * another process, watch the buffer itself with a breakpoint, wait for it with
 * io_uring, read from it while the task exits. Races are in buffer_race.c.
 */
#include <linux/hw_breakpoint.h>
#include <linux/io_uring.h>
#include <sys/socket.h>

#include "perf_buffer.h"
#include "../kselftest_harness.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

/* File descriptors over a socket */

static int send_fd(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {}, byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&msg))
		return -EIO;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* The receiver of an event of its parent: reads what that does. */
static int receiver(int sock, struct gate *ready, struct gate *go)
{
	struct perf_buf buf;
	int fd = receive_fd(sock);

	if (fd < 0 || perf_buf_map(&buf, fd, 4))
		return 1;
	gate_open(ready);
	gate_wait(go);
	if (perf_buf_count(&buf) < 20)
		return 2;
	if (perf_counted(fd).value < 20 || perf_disable(fd))
		return 3;
	perf_buf_unmap(&buf);
	if (perf_poll(fd, POLLIN) != POLLHUP)
		return 4;
	return close(fd) ? 5 : 0;
}

TEST(passed_over_socket)
{
	struct gate ready = gate_new(), go = gate_new();
	int sock[2], fd;
	pid_t child;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	child = fork_child();
	if (child == 0)
		_exit(receiver(sock[1], &ready, &go));
	fd = perf_open_self(FAULTS());
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_enable(fd));
	ASSERT_EQ(0, send_fd(sock[0], fd));
	/* From here on the event is the receiver's alone. */
	close(fd);
	gate_wait(&ready);
	fault_pages(20);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
}

/* Between sender and receiver nobody has it but the socket. */
TEST(held_by_socket)
{
	struct perf_buf buf;
	int sock[2], fd;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	fd = perf_open_self(FAULTS());
	ASSERT_EQ(0, send_fd(sock[0], fd));
	ASSERT_EQ(0, perf_enable(fd));
	close(fd);
	fault_pages(20);
	fd = receive_fd(sock[1]);
	ASSERT_LE(0, fd);
	EXPECT_LE(20, perf_counted(fd).value);
	perf_disable(fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	EXPECT_TRUE(perf_buf_works(&buf, fd));
	/* Nobody will ever receive it: the mapping keeps it. */
	ASSERT_EQ(0, send_fd(sock[0], fd));
	perf_enable(fd);
	close(fd);
	close(sock[0]);
	close(sock[1]);
	fault_pages(3);
	EXPECT_LE(3, perf_buf_count(&buf));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

/* Watched memory */

static struct perf_event_attr breakpoint(volatile void *where, int type,
					 __u64 sample_type)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = type,
			 .bp_addr = (unsigned long)where,
			 .bp_len = HW_BREAKPOINT_LEN_8, .sample_period = 1,
			 .sample_type = sample_type, .disabled = 1,
			 .exclude_kernel = 1, .exclude_hv = 1,
			 .read_format = PERF_FORMAT_LOST);
}

static int open_breakpoint(struct perf_event_attr attr)
{
	int fd = perf_open_self(attr);

	/* None, or none left. */
	return fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV ||
	       fd == -ENOSPC ? -ENODEV : fd;
}

/* The event reports each time that its own buffer's control page is written. */
TEST(breakpoint_on_own_buffer)
{
	int faults = perf_open_self(FAULTS()), fd, i;
	struct perf_buf buf, other;

	ASSERT_LE(0, faults);
	ASSERT_EQ(0, perf_buf_map(&other, faults, 1));
	fd = open_breakpoint(breakpoint(&other.meta->data_tail,
					HW_BREAKPOINT_W, PERF_SAMPLE_ADDR));
	if (fd == -ENODEV)
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	/* Both write to the buffer that is watched. */
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, faults));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&other);
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < 40; i++) {
		perf_fault(faults, 1);
		perf_buf_set_tail(&other, 0);
	}
	perf_disable(fd);
	EXPECT_EQ(40, perf_counted(fd).value);
	EXPECT_EQ(80, perf_buf_count(&other));
	EXPECT_EQ(0, perf_counted(fd).lost);
	EXPECT_EQ(0, perf_buf_unmap(&other));
	/* The breakpoint is bound to the address, not to the page. */
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

/* Reads of the data, by the program and on its behalf by the kernel. */
TEST(breakpoint_on_data)
{
	int faults = perf_open_self(FAULTS()), fd, i;
	struct perf_buf buf;
	volatile __u64 *word;

	ASSERT_LE(0, faults);
	ASSERT_EQ(0, perf_buf_map(&buf, faults, 1));
	word = (__u64 *)buf.data;
	fd = open_breakpoint(breakpoint(word, HW_BREAKPOINT_RW,
					PERF_SAMPLE_ADDR | PERF_SAMPLE_ID));
	if (fd == -ENODEV)
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, faults));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	perf_fault(faults, 1);
	ASSERT_EQ(0, perf_enable(fd));
	for (i = 0; i < 25; i++)
		(void)*word;
	perf_disable(fd);
	EXPECT_EQ(25, perf_counted(fd).value);
	/* The kernel's own writes of records go by another address. */
	EXPECT_EQ(26, perf_buf_count(&buf));
	EXPECT_TRUE(perf_buf_works(&buf, faults));
}

/*
 * A watched word on the stack, and the stack is dumped into the sample: while
 * one record is written the next one is due.
 */
TEST(breakpoint_in_dumped_stack)
{
	volatile __u64 words[64] = {};
	struct perf_event_attr attr;
	const struct perf_event_header *header;
	struct perf_buf buf;
	struct perf_rec rec;
	int fd, i, samples = 0;

	attr = breakpoint(&words[32], HW_BREAKPOINT_RW, PERF_SAMPLE_ADDR |
			  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr.exclude_kernel = 0;
	attr.sample_regs_user = 1;
	attr.sample_stack_user = 8192;
	fd = open_breakpoint(attr);
	if (fd == -ENODEV)
		SKIP(return, "no breakpoints");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
	ASSERT_EQ(0, stay_resident());
	perf_buf_touch(&buf);
	for (i = 0; i < 20; i++) {
		perf_enable(fd);
		words[32] = i;
		perf_disable(fd);
		while ((header = perf_buf_next(&buf))) {
			if (header->type == PERF_RECORD_LOST)
				continue;
			ASSERT_EQ(PERF_RECORD_SAMPLE, header->type);
			ASSERT_TRUE(perf_rec_parse(&attr, header, &rec));
			EXPECT_EQ((unsigned long)&words[32], rec.addr);
			samples++;
		}
	}
	EXPECT_FALSE(buf.bad);
	EXPECT_LE(20, samples);
	EXPECT_LE(20, perf_counted(fd).value);
}

/* io_uring, by its system calls */

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

/* Not built in, or switched off. */
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

/* The result of the next completion; waits for it if asked to. */
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
	/* Waiting for the end, which comes by unmapping. */
	ASSERT_EQ(0, uring_submit(&ring, sqe));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(POLLHUP, uring_result(&ring, true));
	/* A request that is still pending when everything is closed. */
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

/* The end of a task */

TEST(task_exits_while_read)
{
	const struct perf_event_header *header;
	struct perf_count_lost count = {};
	struct perf_event_attr attr = FAULTS();
	size_t samples, lost;
	struct perf_buf buf;
	struct gate go;
	int fd, round;
	pid_t child;

	for (round = 0; round < 50; round++) {
		go = gate_new();
		child = fork_child();
		if (child == 0) {
			gate_wait(&go);
			fault_pages(50);
			_exit(0);
		}
		fd = perf_open(attr, child, -1, -1);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, perf_buf_map(&buf, fd, 2));
		ASSERT_EQ(0, perf_enable(fd));
		gate_open(&go);
		samples = 0;
		lost = 0;
		while (perf_poll(fd, POLLIN) != POLLHUP) {
			count = perf_counted(fd);
			while ((header = perf_buf_next(&buf)))
				samples += header->type == PERF_RECORD_SAMPLE;
		}
		while ((header = perf_buf_next(&buf)))
			samples += header->type == PERF_RECORD_SAMPLE;
		EXPECT_FALSE(buf.bad);
		lost = perf_counted(fd).lost;
		EXPECT_LE(count.value, perf_counted(fd).value);
		EXPECT_EQ(perf_counted(fd).value, samples + lost);
		EXPECT_LE(50, samples + lost);
		EXPECT_EQ(0, wait_status(child));
		perf_buf_unmap(&buf);
		close(fd);
		close(go.rd);
		close(go.wr);
	}
}

TEST_HARNESS_MAIN
