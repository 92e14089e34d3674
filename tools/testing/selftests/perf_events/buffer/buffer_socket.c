// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor of an event with a buffer, passed to another process over a socket.
 */
#include <sys/socket.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.read_format = PERF_FORMAT_LOST, ##__VA_ARGS__)

/* The receiver gets an event on its parent and reads the parent's records. */
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
	/* From here on only the receiver has the event. */
	close(fd);
	gate_wait(&ready);
	fault_pages(20);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(child));
}

/* Between sender and receiver only the socket holds the descriptor. */
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
	/* This descriptor is never received. The mapping keeps the event. */
	ASSERT_EQ(0, send_fd(sock[0], fd));
	perf_enable(fd);
	close(fd);
	close(sock[0]);
	close(sock[1]);
	fault_pages(3);
	EXPECT_LE(3, perf_buf_count(&buf));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
}

TEST_HARNESS_MAIN
