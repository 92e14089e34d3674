// SPDX-License-Identifier: GPL-2.0
/*
 * When the reader of a buffer is woken: after how many samples or bytes, the results of
 * poll(), select() and epoll, and what happens when the task is gone. Signals are in
 * wakeup_signal.c.
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "../lib/buffer.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define FAULTS(...)							\
	PERF_SW(PAGE_FAULTS, .sample_period = 1, .disabled = 1,		\
		.sample_type = PERF_SAMPLE_ADDR | PERF_SAMPLE_ID,	\
		.sample_id_all = 1, ##__VA_ARGS__)

/* header, address, id */
#define RECORD_SIZE	24U

static int open_mapped(struct perf_event_attr attr, struct perf_buf *buf,
		       size_t pages)
{
	int fd = perf_open_self(attr);

	if (fd < 0 || perf_buf_map(buf, fd, pages))
		return -1;
	stay_resident();
	perf_buf_touch(buf);
	return fd;
}

/* Returns true once for each wakeup. */
static bool woken(int fd)
{
	return perf_poll(fd, POLLIN) == POLLIN;
}

static void rename_task(int fd)
{
	perf_enable(fd);
	prctl(PR_SET_NAME, "renamed");
	perf_disable(fd);
}

/* By number of samples */

TEST(every_nth_sample)
{
	struct perf_buf buf;
	int fd, n, i;

	for (n = 1; n < 10; n++) {
		fd = open_mapped(FAULTS(.wakeup_events = n), &buf, 4);
		ASSERT_LE(0, fd);
		EXPECT_FALSE(woken(fd));
		for (i = 1; i <= 50; i++) {
			perf_fault(fd, 1);
			ASSERT_EQ(i % n == 0, woken(fd)) {
				TH_LOG("sample %d of %d", i, n);
			}
			ASSERT_FALSE(woken(fd));
		}
		perf_buf_unmap(&buf);
		close(fd);
	}
}

/* Reading the records makes no difference. */
TEST(poll_reports_wakeups_not_data)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 2), &buf, 4);

	ASSERT_LE(0, fd);
	perf_fault(fd, 1);
	EXPECT_FALSE(woken(fd));
	perf_fault(fd, 1);
	EXPECT_EQ(2, perf_buf_count(&buf));
	EXPECT_TRUE(woken(fd));
	EXPECT_FALSE(woken(fd));
	/* Two wakeups at a time are reported once. */
	perf_fault(fd, 4);
	EXPECT_TRUE(woken(fd));
	EXPECT_FALSE(woken(fd));
	/* POLLIN is the only event. */
	perf_fault(fd, 2);
	EXPECT_EQ(POLLIN, perf_poll(fd, ~0) & ~POLLRDNORM);
	perf_fault(fd, 2);
	EXPECT_EQ(0, perf_poll(fd, POLLOUT | POLLPRI));
}

TEST(side_band_is_no_sample)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 2, .comm = 1), &buf, 4);
	int i;

	ASSERT_LE(0, fd);
	perf_fault(fd, 1);
	for (i = 0; i < 5; i++)
		rename_task(fd);
	EXPECT_FALSE(woken(fd));
	perf_fault(fd, 1);
	EXPECT_TRUE(woken(fd));
}

TEST(lost_is_no_sample)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 3), &buf, 1);
	int i;

	ASSERT_LE(0, fd);
	perf_fault(fd, 1);
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
	for (i = 0; i < 7; i++) {
		perf_fault(fd, 1);
		EXPECT_FALSE(woken(fd));
	}
	ASSERT_EQ(0, perf_ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0));
	perf_fault(fd, 1);
	EXPECT_FALSE(woken(fd));
	perf_fault(fd, 1);
	EXPECT_TRUE(woken(fd));
	/* The buffer is full. */
	perf_fault(fd, 300);
	woken(fd);
	for (i = 0; i < 7; i++) {
		perf_fault(fd, 1);
		EXPECT_FALSE(woken(fd));
	}
}

/* The buffer counts samples. Each event has its own number to compare with. */
TEST(shared_buffer)
{
	struct perf_buf buf;
	int two = open_mapped(FAULTS(.wakeup_events = 2), &buf, 4);
	int five = perf_open_self(FAULTS(.wakeup_events = 5)), i;

	ASSERT_LE(0, two);
	ASSERT_LE(0, five);
	ASSERT_EQ(0, perf_ioctl(five, PERF_EVENT_IOC_SET_OUTPUT, two));
	for (i = 1; i <= 20; i++) {
		perf_fault(five, 1);
		EXPECT_EQ(i % 5 == 0, woken(two));
	}
	for (i = 0; i < 10; i++) {
		perf_fault(five, 1);
		EXPECT_FALSE(woken(i & 1 ? two : five));
		perf_fault(two, 1);
		EXPECT_TRUE(woken(i & 1 ? two : five));
	}
}

/* By number of bytes */

/* One wakeup for each so many bytes, no more and not much less. */
static void check_watermark(struct __test_metadata *_metadata,
			    struct perf_event_attr attr, size_t pages,
			    size_t watermark)
{
	size_t written = 0, wakeups = 0, since = 0;
	struct perf_buf buf;
	int fd = open_mapped(attr, &buf, pages);

	ASSERT_LE(0, fd);
	while (written < 4 * buf.size) {
		perf_fault(fd, 1);
		written += RECORD_SIZE;
		since += RECORD_SIZE;
		if (woken(fd)) {
			wakeups++;
			since = 0;
		}
		ASSERT_GE(watermark + RECORD_SIZE, since);
		perf_buf_drop(&buf);
	}
	EXPECT_LE(written / (watermark + RECORD_SIZE), wakeups);
	EXPECT_GE(written / watermark + 1, wakeups);
	perf_buf_unmap(&buf);
	close(fd);
}

TEST(watermark)
{
	static const size_t watermarks[] = { 1, 24, 25, 100, 1000, 3000, 4000 };
	size_t i;

	for (i = 0; i < sizeof(watermarks) / sizeof(*watermarks); i++) {
		check_watermark(_metadata,
				FAULTS(.watermark = 1,
				       .wakeup_watermark = watermarks[i]), 1,
				watermarks[i]);
	}
}

TEST(half_full_by_default)
{
	size_t half = sysconf(_SC_PAGESIZE) / 2;

	check_watermark(_metadata, FAULTS(), 1, half);
	check_watermark(_metadata, FAULTS(), 2, 2 * half);
	check_watermark(_metadata, FAULTS(.watermark = 1), 1, half);
}

/* A half full buffer wakes the reader after any number of samples. */
TEST(half_full_besides_number)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1000), &buf, 1);
	int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 300 && !woken(fd); i++)
		perf_fault(fd, 1);
	EXPECT_LE(buf.size / 2, perf_buf_head(&buf));
	EXPECT_GE(buf.size / 2 + 2 * RECORD_SIZE, perf_buf_head(&buf));
}

/* A watermark that the buffer does not reach: only the first record that is lost wakes. */
TEST(full_before_the_watermark)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.watermark = 1, .wakeup_watermark = size,
				    .read_format = PERF_FORMAT_LOST), &buf, 1);
	int wakeups = 0, i;

	ASSERT_LE(0, fd);
	for (i = 0; i < (int)(size / RECORD_SIZE) + 10; i++) {
		perf_fault(fd, 1);
		if (woken(fd) && !wakeups++)
			EXPECT_EQ(1, perf_counted(fd).lost);
	}
	EXPECT_LT(1, perf_counted(fd).lost);
	SKIP_STOCK_FAULT(!wakeups, "a full buffer does not wake its reader");
	EXPECT_EQ(1, wakeups);
	perf_buf_unmap(&buf);
	close(fd);
}

TEST(side_band_reaches_watermark)
{
	struct perf_event_attr attr = PERF_SW(DUMMY, .comm = 1, .disabled = 1,
					      .watermark = 1,
					      .wakeup_watermark = 100);
	struct perf_buf buf;
	int fd = open_mapped(attr, &buf, 1), i;

	ASSERT_LE(0, fd);
	for (i = 0; i < 20 && !woken(fd); i++)
		rename_task(fd);
	EXPECT_LT(100, perf_buf_head(&buf));
	EXPECT_GE(100 + 32, perf_buf_head(&buf));
}

/* Sleeping */

struct poller {
	int fd;
	int timeout;
	pid_t tid;
	struct gate ready;
	int ret;
	volatile int revents;
};

static void *poll_in_thread(void *arg)
{
	struct poller *poller = arg;
	struct pollfd p = { .fd = poller->fd, .events = POLLIN };

	poller->tid = gettid();
	gate_open(&poller->ready);
	poller->ret = poll(&p, 1, poller->timeout);
	poller->revents = p.revents;
	return NULL;
}

/*
 * Start a thread that waits, and let it fall asleep. It has no timeout: at the end of a
 * timeout poll() checks once more, and would find data without a wakeup. The harness
 * ends a test that hangs.
 */
static pthread_t start_poller(struct poller *poller)
{
	pthread_t thread;

	poller->ready = gate_new();
	poller->revents = 0;
	if (pthread_create(&thread, NULL, poll_in_thread, poller))
		_exit(95);
	gate_wait(&poller->ready);
	/* With an event that overflows all the time it may be woken already. */
	COMES_TRUE(poller->revents || is_asleep(poller->tid));
	return thread;
}

TEST(sleeper_is_woken)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1), &buf, 4), i;
	struct poller poller = { .fd = fd, .timeout = -1 };
	pthread_t thread;

	ASSERT_LE(0, fd);
	for (i = 0; i < 5; i++) {
		thread = start_poller(&poller);
		perf_fault(fd, 1);
		pthread_join(thread, NULL);
		EXPECT_EQ(1, poller.ret);
		EXPECT_EQ(POLLIN, poller.revents);
	}
	EXPECT_FALSE(woken(fd));
}

/* The poller sleeps on the descriptor that shares the buffer. */
TEST(sleeper_on_redirected)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1), &buf, 4);
	int other = perf_open_self(FAULTS(.wakeup_events = 1));
	struct poller poller = { .fd = other, .timeout = -1 };
	pthread_t thread;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	thread = start_poller(&poller);
	perf_fault(fd, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(POLLIN, poller.revents);
	poller.fd = fd;
	thread = start_poller(&poller);
	perf_fault(other, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(POLLIN, poller.revents);
}

/* Samples from the timer's interrupt, and from the scheduler. */
TEST(sleeper_woken_from_any_context)
{
	const struct perf_event_attr attrs[] = {
		PERF_SW(CPU_CLOCK, .sample_period = 2000000,
			.sample_type = PERF_SAMPLE_IP, .wakeup_events = 1),
		PERF_SW(TASK_CLOCK, .sample_period = 2000000,
			.sample_type = PERF_SAMPLE_IP, .wakeup_events = 1),
		PERF_SW(CONTEXT_SWITCHES, .sample_period = 1,
			.sample_type = PERF_SAMPLE_IP, .wakeup_events = 1),
	};
	struct poller poller = { .timeout = -1 };
	struct perf_buf buf;
	pthread_t thread;
	size_t i;
	int n;

	for (i = 0; i < sizeof(attrs) / sizeof(*attrs); i++) {
		poller.fd = open_mapped(attrs[i], &buf, 8);
		ASSERT_LE(0, poller.fd);
		for (n = 0; n < 5; n++) {
			thread = start_poller(&poller);
			while (!poller.revents) {
				burn_cpu(5 * NSEC_PER_MSEC);
				sleep_ms(1);
			}
			pthread_join(thread, NULL);
			EXPECT_EQ(POLLIN, poller.revents);
			perf_buf_drop(&buf);
		}
		perf_buf_unmap(&buf);
		close(poller.fd);
	}
}

TEST(timeouts)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1), &buf, 1);
	struct timespec wait = { .tv_nsec = 30 * NSEC_PER_MSEC };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	__u64 start = clock_ns(CLOCK_MONOTONIC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, poll(&p, 1, 30));
	EXPECT_EQ(0, p.revents);
	EXPECT_EQ(0, ppoll(&p, 1, &wait, NULL));
	EXPECT_LE(60 * NSEC_PER_MSEC, clock_ns(CLOCK_MONOTONIC) - start);
	perf_fault(fd, 1);
	EXPECT_EQ(1, ppoll(&p, 1, NULL, NULL));
	EXPECT_EQ(POLLIN, p.revents);
}

/* select() and epoll */

TEST(by_select)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1), &buf, 1), i;
	struct timeval none;
	fd_set in, out, except;

	ASSERT_LE(0, fd);
	for (i = 0; i < 6; i++) {
		FD_ZERO(&in);
		FD_ZERO(&out);
		FD_ZERO(&except);
		FD_SET(fd, &in);
		FD_SET(fd, &out);
		FD_SET(fd, &except);
		none = (struct timeval){ 0, 0 };
		if (i & 1)
			perf_fault(fd, 1);
		EXPECT_EQ(i & 1, select(fd + 1, &in, &out, &except, &none));
		EXPECT_EQ(i & 1, !!FD_ISSET(fd, &in));
		EXPECT_FALSE(FD_ISSET(fd, &out));
		EXPECT_FALSE(FD_ISSET(fd, &except));
	}
}

static void check_epoll(struct __test_metadata *_metadata, __u32 flags)
{
	struct epoll_event event = { .events = EPOLLIN | flags }, got;
	int ep = epoll_create1(EPOLL_CLOEXEC), i;
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(.wakeup_events = 1), &buf, 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	for (i = 1; i < 4; i++) {
		perf_fault(fd, i);
		EXPECT_EQ(1, epoll_wait(ep, &got, 1, PATIENCE_MS));
		EXPECT_EQ(EPOLLIN, got.events);
		EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	}
	/* Another call has taken the wakeup. */
	perf_fault(fd, 1);
	EXPECT_TRUE(woken(fd));
	EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(1, epoll_wait(ep, &got, 1, PATIENCE_MS));
	EXPECT_EQ(EPOLLHUP, got.events);
	close(ep);
	close(fd);
}

TEST(by_epoll_level)
{
	check_epoll(_metadata, 0);
}

TEST(by_epoll_edge)
{
	check_epoll(_metadata, EPOLLET);
}

/* The end of the task */

static pid_t child_behind(struct gate *go)
{
	pid_t child = fork_child();

	if (child == 0) {
		gate_wait(go);
		_exit(0);
	}
	return child;
}

TEST(task_exits)
{
	struct perf_event_attr attr = FAULTS(.wakeup_events = 1);
	struct gate go = gate_new();
	pid_t child = child_behind(&go);
	int unmapped = perf_open(attr, child, -1, -1);
	int fd = perf_open(attr, child, -1, -1);
	struct poller poller = { .fd = fd, .timeout = -1 };
	struct perf_buf buf;
	pthread_t thread;

	ASSERT_LE(0, fd);
	ASSERT_LE(0, unmapped);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	EXPECT_EQ(POLLHUP, perf_poll(unmapped, POLLIN));
	EXPECT_EQ(0, perf_poll(fd, POLLIN));
	thread = start_poller(&poller);
	gate_open(&go);
	/* The poller is woken. */
	pthread_join(thread, NULL);
	EXPECT_EQ(1, poller.ret);
	EXPECT_EQ(POLLHUP, poller.revents);
	EXPECT_EQ(0, wait_status(child));
	EXPECT_EQ(POLLHUP, perf_poll(fd, POLLIN));
	EXPECT_EQ(POLLHUP, perf_poll(fd, 0));
	EXPECT_EQ(POLLHUP, perf_poll(unmapped, POLLIN));
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	EXPECT_EQ(POLLHUP, perf_poll(fd, POLLIN));
}

/*
 * A task with an inherited event, its child, and the gates that let each of them
 * continue. The event is of one CPU, because only such inherited events have a buffer.
 */
struct family {
	struct gate born;	/* the child has a copy */
	struct gate go;		/* the task exits */
	struct gate end;	/* the child exits, or calls exec and waits */
	pid_t task;
	int fd;
	struct perf_buf buf;
};

static void live_as_child(struct family *f, bool execs)
{
	gate_open(&f->born);
	gate_wait(&f->end);
	if (!execs)
		_exit(0);
	/* The program ends when the other end of the gate is closed. */
	dup2(f->end.rd, STDIN_FILENO);
	execlp("cat", "cat", NULL);
	_exit(94);
}

static void live_as_task(struct family *f, bool execs)
{
	/* The child must not hold the gate that it waits at. */
	close(f->end.wr);
	gate_wait(&f->go);
	if (fork() == 0)
		live_as_child(f, execs);
	gate_wait(&f->go);
	_exit(0);
}

static int start_family(struct family *f, struct perf_event_attr attr, bool execs)
{
	f->born = gate_new();
	f->go = gate_new();
	f->end = gate_new();
	f->task = fork_child();
	if (f->task == 0)
		live_as_task(f, execs);
	attr.inherit = 1;
	f->fd = perf_open(attr, f->task, nth_cpu(0), -1);
	if (f->fd < 0 || perf_buf_map(&f->buf, f->fd, 1))
		return -1;
	gate_open(&f->go);
	gate_wait(&f->born);
	return 0;
}

static int end_of_task(struct family *f)
{
	gate_open(&f->go);
	return wait_status(f->task);
}

/*
 * perf record -p of a task that exits before its child: the hangup comes with the
 * child's exit.
 */
TEST(child_outlives_task)
{
	struct family f;
	struct poller poller = { .timeout = -1 };
	pthread_t thread;

	ASSERT_EQ(0, start_family(&f, FAULTS(.wakeup_events = 1), false));
	poller.fd = f.fd;
	EXPECT_EQ(0, perf_poll(f.fd, POLLIN));
	thread = start_poller(&poller);
	EXPECT_EQ(0, end_of_task(&f));
	EXPECT_EQ(0, perf_poll(f.fd, POLLIN));
	EXPECT_EQ(0, poller.revents);
	gate_open(&f.end);
	pthread_join(thread, NULL);
	EXPECT_EQ(1, poller.ret);
	EXPECT_EQ(POLLHUP, poller.revents);
	EXPECT_EQ(POLLHUP, perf_poll(f.fd, POLLIN));
}

TEST(child_outlives_task_under_epoll)
{
	struct epoll_event event = { .events = EPOLLIN }, got;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct family f;

	ASSERT_EQ(0, start_family(&f, FAULTS(), false));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, f.fd, &event));
	EXPECT_EQ(0, end_of_task(&f));
	EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	gate_open(&f.end);
	EXPECT_EQ(1, epoll_wait(ep, &got, 1, PATIENCE_MS));
	EXPECT_EQ(EPOLLHUP, got.events);
}

/* The child exits first: the hangup comes with the task's exit. */
TEST(task_outlives_child)
{
	struct family f;
	struct poller poller = { .timeout = -1 };
	pthread_t thread;

	ASSERT_EQ(0, start_family(&f, FAULTS(.wakeup_events = 1), false));
	poller.fd = f.fd;
	thread = start_poller(&poller);
	gate_open(&f.end);
	sleep_ms(20);
	EXPECT_EQ(0, perf_poll(f.fd, POLLIN));
	EXPECT_EQ(0, end_of_task(&f));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, poller.ret);
	EXPECT_EQ(POLLHUP, poller.revents);
}

/* The child continues as another program. Its copy of the event is removed. */
TEST(last_copy_is_removed_by_exec)
{
	struct family f;
	struct poller poller = { .timeout = -1 };
	pthread_t thread;

	ASSERT_EQ(0, start_family(&f, FAULTS(.remove_on_exec = 1), true));
	poller.fd = f.fd;
	thread = start_poller(&poller);
	EXPECT_EQ(0, end_of_task(&f));
	EXPECT_EQ(0, perf_poll(f.fd, POLLIN));
	gate_open(&f.end);
	pthread_join(thread, NULL);
	EXPECT_EQ(1, poller.ret);
	EXPECT_EQ(POLLHUP, poller.revents);
	close(f.end.wr);
}

/* The poller is woken when there is no buffer left. */
TEST(unmapped_under_sleeper)
{
	struct perf_buf buf;
	int fd = open_mapped(FAULTS(), &buf, 1);
	int other = perf_open_self(FAULTS());
	struct poller own = { .fd = fd, .timeout = -1 };
	struct poller redirected = { .fd = other, .timeout = -1 };
	pthread_t first, second;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd));
	first = start_poller(&own);
	second = start_poller(&redirected);
	EXPECT_EQ(0, perf_buf_unmap(&buf));
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	EXPECT_EQ(POLLHUP, own.revents);
	EXPECT_EQ(POLLHUP, redirected.revents);
}

TEST(task_exits_under_epoll)
{
	struct epoll_event event = { .events = EPOLLIN }, got;
	int ep = epoll_create1(EPOLL_CLOEXEC);
	struct gate go = gate_new();
	pid_t child = child_behind(&go);
	int fd = perf_open(FAULTS(), child, -1, -1);
	struct perf_buf buf;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, perf_buf_map(&buf, fd, 1));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event));
	EXPECT_EQ(0, epoll_wait(ep, &got, 1, 0));
	gate_open(&go);
	EXPECT_EQ(1, epoll_wait(ep, &got, 1, PATIENCE_MS));
	EXPECT_EQ(EPOLLHUP, got.events);
	EXPECT_EQ(0, wait_status(child));
}

TEST_HARNESS_MAIN
