// SPDX-License-Identifier: GPL-2.0
/*
 * Events, their tasks and their descriptors: tasks that exit, exec or lose rights,
 * threads that are running, and descriptors that are passed by fork, over a socket, or
 * outlive the process that opened them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define NOBODY	65534

/* A child that touches 100 fresh pages each time its gate is opened. */
struct worker {
	struct gate go;
	struct gate done;
	pid_t pid;
};

static struct worker worker_new(void)
{
	struct worker w = { gate_new(), gate_new(), 0 };

	w.pid = fork_child();
	if (w.pid == 0) {
		for (;;) {
			gate_wait(&w.go);
			fault_pages(100);
			gate_open(&w.done);
		}
	}
	close(w.done.wr);
	return w;
}

static void worker_round(struct worker *w)
{
	gate_open(&w->go);
	gate_wait(&w->done);
}

static void worker_end(struct worker *w)
{
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
}

/* Exit */

TEST(read_after_exit)
{
	struct worker w = worker_new();
	int fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1), i;
	__u64 value;

	ASSERT_LE(0, fd);
	worker_round(&w);
	worker_end(&w);
	value = perf_count(fd);
	EXPECT_LE(100, value);
	EXPECT_GT(300, value);
	for (i = 0; i < 10; i++)
		EXPECT_EQ(value, perf_count(fd));
}

TEST(zombie)
{
	struct worker w = worker_new();
	int fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1);
	siginfo_t info;
	__u64 value;

	ASSERT_LE(0, fd);
	worker_round(&w);
	kill(w.pid, SIGKILL);
	ASSERT_EQ(0, waitid(P_PID, w.pid, &info, WEXITED | WNOWAIT));
	value = perf_count(fd);
	EXPECT_LE(100, value);
	EXPECT_EQ(0, perf_disable(fd));
	waitpid(w.pid, NULL, 0);
	EXPECT_EQ(value, perf_count(fd));
}

TEST(close_after_exit)
{
	int fd[10], i;
	struct worker w = worker_new();

	for (i = 0; i < 10; i++) {
		fd[i] = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1,
				  i % 5 ? fd[i - i % 5] : -1);
		ASSERT_LE(0, fd[i]);
	}
	worker_round(&w);
	worker_end(&w);
	for (i = 0; i < 10; i++) {
		EXPECT_LE(100, perf_count(fd[i]));
		EXPECT_EQ(0, close(fd[i]));
	}
}

TEST(group_of_exited_task)
{
	__u64 format = PERF_FORMAT_GROUP, buf[8];
	struct worker w = worker_new();
	int leader = perf_open(PERF_SW(PAGE_FAULTS, .read_format = format),
			       w.pid, -1, -1);
	int member = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, leader);

	ASSERT_LE(0, leader);
	ASSERT_LE(0, member);
	worker_round(&w);
	worker_end(&w);
	/* It may be a group no longer. The values are still right. */
	ASSERT_LE(16, read(leader, buf, sizeof(buf)));
	EXPECT_LE(1, buf[0]);
	EXPECT_LE(100, buf[1]);
	EXPECT_LE(100, perf_count(member));
}

TEST(poll_reports_hangup)
{
	struct worker w = worker_new();
	int fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ASSERT_LE(0, fd);
	worker_end(&w);
	EXPECT_EQ(1, poll(&p, 1, PATIENCE_MS));
	EXPECT_EQ(POLLHUP, p.revents);
}

/* Without a buffer no event ever comes. */
TEST(poll_without_buffer)
{
	int fd = perf_open_self(PERF_SW(DUMMY));
	struct pollfd p = { .fd = fd, .events = POLLIN };

	ASSERT_LE(0, fd);
	EXPECT_EQ(1, poll(&p, 1, PATIENCE_MS));
	EXPECT_EQ(POLLHUP, p.revents);
}

TEST(exit_with_own_events_open)
{
	pid_t pid;
	int i;

	for (i = 0; i < 50; i++) {
		pid = fork_child();
		if (pid == 0) {
			int leader = perf_open_self(PERF_SW(PAGE_FAULTS));

			perf_open(PERF_SW(CPU_CLOCK), 0, -1, leader);
			perf_open(PERF_SW(TASK_CLOCK, .inherit = 1), 0, -1,
				  -1);
			perf_open(PERF_SW(DUMMY), -1, nth_cpu(0), -1);
			_exit(leader < 0);
		}
		EXPECT_EQ(0, wait_status(pid));
	}
}

/* The monitor dies first. */
TEST(opener_killed)
{
	struct gate ready = gate_new();
	struct worker w = worker_new();
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1);
		if (fd < 0)
			_exit(1);
		gate_open(&ready);
		for (;;)
			pause();
	}
	gate_wait(&ready);
	worker_round(&w);
	kill(pid, SIGKILL);
	EXPECT_EQ(-SIGKILL, wait_status(pid));
	worker_round(&w);
	fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1);
	ASSERT_LE(0, fd);
	worker_round(&w);
	EXPECT_LE(100, perf_count(fd));
	worker_end(&w);
}

/* Threads */

struct spinner {
	volatile pid_t tid;
	volatile bool stop;
	struct gate go;
	struct gate done;
};

static void *spin(void *arg)
{
	struct spinner *s = arg;

	s->tid = syscall(SYS_gettid);
	while (!s->stop)
		;
	return NULL;
}

/*
 * The event is attached while the task runs. It counts from there, not from the next
 * switch.
 */
TEST(running_thread)
{
	struct spinner s = {};
	pthread_t thread;
	struct perf_timed t;
	int fd;

	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, &s));
	while (!s.tid)
		sched_yield();
	fd = perf_open(PERF_SW(TASK_CLOCK, .read_format = PERF_ALL_TIMES),
		       s.tid, -1, -1);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(COMES_TRUE((t = perf_timed_count(fd)).value >= NSEC_PER_MSEC));
	EXPECT_EQ(t.enabled, t.running);
	/* The event is detached while the task runs. */
	EXPECT_EQ(0, perf_disable(fd));
	t = perf_timed_count(fd);
	sleep_ms(2);
	EXPECT_EQ(t.value, perf_timed_count(fd).value);
	EXPECT_EQ(0, close(fd));
	s.stop = true;
	pthread_join(thread, NULL);
}

static void *thread_at_gates(void *arg)
{
	struct spinner *s = arg;

	s->tid = syscall(SYS_gettid);
	gate_open(&s->done);
	gate_wait(&s->go);
	fault_pages(100);
	gate_open(&s->done);
	return NULL;
}

TEST(thread_counted_by_other_thread)
{
	struct spinner s = { .go = gate_new(), .done = gate_new() };
	pthread_t thread;
	int fd;

	ASSERT_EQ(0, pthread_create(&thread, NULL, thread_at_gates, &s));
	gate_wait(&s.done);
	fd = perf_open(PERF_SW(PAGE_FAULTS), s.tid, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&s.go);
	gate_wait(&s.done);
	pthread_join(thread, NULL);
	EXPECT_LE(100, perf_count(fd));
	EXPECT_GT(300, perf_count(fd));
	EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY), s.tid, -1, -1, 0));
}

/* Descriptors that travel */

TEST(descriptor_by_fork)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	__u64 before;
	pid_t pid;

	ASSERT_LE(0, fd);
	fault_pages(10);
	pid = fork_child();
	if (pid == 0) {
		__u64 value = perf_count(fd);

		/* The faults of the parent, not the faults of the child. */
		if (value < 10 || value > 5000)
			_exit(1);
		if (perf_disable(fd))
			_exit(2);
		close(fd);
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(pid));
	/*
	 * The child has disabled the event. Its close() does not close it for the
	 * parent.
	 */
	before = perf_count(fd);
	fault_pages(5);
	EXPECT_EQ(before, perf_count(fd));
	EXPECT_EQ(0, perf_enable(fd));
	fault_pages(5);
	EXPECT_LE(before + 5, perf_count(fd));
}

TEST(descriptor_outlives_opener)
{
	struct gate go = gate_new();
	struct worker w = worker_new();
	int sock[2], fd = -1;
	__u64 value = 0;
	pid_t opener;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	opener = fork();
	if (opener == 0) {
		/* A grandchild inherits the event's only descriptor. */
		fd = perf_open(PERF_SW(PAGE_FAULTS), w.pid, -1, -1);
		if (fd < 0)
			_exit(1);
		if (fork() == 0) {
			gate_wait(&go);
			value = perf_count(fd);
			_exit(write(sock[1], &value, 8) != 8);
		}
		_exit(0);
	}
	EXPECT_EQ(0, wait_status(opener));
	worker_round(&w);
	gate_open(&go);
	ASSERT_EQ(8, read(sock[0], &value, 8));
	EXPECT_LE(100, value);
	EXPECT_GT(300, value);
	worker_end(&w);
}

/* A child opens an event on itself, sends it to the parent and exits. */
TEST(descriptor_by_socket)
{
	int sock[2], fd;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
	pid = fork_child();
	if (pid == 0) {
		fd = perf_open_self(PERF_SW(PAGE_FAULTS));
		if (fd < 0 || send_fd(sock[1], fd))
			_exit(1);
		close(fd);
		fault_pages(123);
		_exit(0);
	}
	fd = receive_fd(sock[0]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(123, perf_count(fd));
	EXPECT_EQ(0, perf_disable(fd));
	EXPECT_NE(0, perf_event_id(fd));
}

/* Only the socket holds the descriptor, and then drops it. */
TEST(descriptor_lost_in_socket)
{
	int sock[2], fd, i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sock));
		fd = perf_open_self(PERF_SW(PAGE_FAULTS));
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, send_fd(sock[1], fd));
		close(fd);
		fault_pages(2);
		close(sock[0]);
		close(sock[1]);
	}
}

TEST(duplicate_keeps_event)
{
	int fd = perf_open_self(PERF_SW(PAGE_FAULTS));
	int copy = dup(fd);

	ASSERT_LE(0, copy);
	close(fd);
	fault_pages(5);
	EXPECT_LE(5, perf_count(copy));
}

/* Exec */

TEST(counts_through_exec)
{
	struct gate go = gate_new();
	pid_t pid = fork_child();
	int fd;

	if (pid == 0) {
		gate_wait(&go);
		fault_pages(100);
		perf_exec_touch(400);
	}
	fd = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(500, perf_count(fd));
}

TEST(descriptor_through_exec)
{
	struct perf_event_attr attr = PERF_SW(DUMMY);
	int kept = perf_raw_open(&attr, 0, -1, -1, 0);
	int closed = perf_open_self(attr);
	char path[64], target[64] = "";
	pid_t pid;

	ASSERT_LE(0, kept);
	ASSERT_LE(0, closed);
	pid = fork_child();
	if (pid == 0) {
		dup2(kept, 100);
		fcntl(closed, F_DUPFD_CLOEXEC, 101);
		execl("/bin/sh", "sh", "-c",
		      "sleep 60 & echo $! > /dev/null; read x < /proc/$$/stat;"
		      "[ -e /proc/$$/fd/100 ] || exit 1;"
		      "[ ! -e /proc/$$/fd/101 ] || exit 2;"
		      "kill $!; exit 0", NULL);
		_exit(94);
	}
	EXPECT_EQ(0, wait_status(pid));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", kept);
	EXPECT_LT(0, readlink(path, target, sizeof(target) - 1));
}

/* A copy of this program that its user may execute, but not read. */
static int unreadable_self(void)
{
	int fd = memfd_create("unreadable", 0), self;
	char buf[65536];
	ssize_t len;

	self = open("/proc/self/exe", O_RDONLY);
	if (fd < 0 || self < 0)
		return -1;
	while ((len = read(self, buf, sizeof(buf))) > 0)
		if (write(fd, buf, len) != len)
			return -1;
	close(self);
	if (fchmod(fd, 0111))
		return -1;
	return fd;
}

/*
 * A task's events end when it executes a program that its user may not read. The same
 * happens when a program has more rights.
 */
TEST(exec_of_protected_program)
{
	struct gate go = gate_new(), ready = gate_new();
	char *argv[] = { "touch", "--touch", "3000", NULL };
	char path[64];
	int program, run, fd;
	pid_t pid;

	program = unreadable_self();
	ASSERT_LE(0, program);
	/* No descriptor may be open for writing. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", program);
	run = open(path, O_PATH | O_CLOEXEC);
	ASSERT_LE(0, run);
	close(program);
	pid = fork_child();
	if (pid == 0) {
		if (setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY))
			_exit(1);
		gate_open(&ready);
		gate_wait(&go);
		fault_pages(100);
		syscall(SYS_execveat, run, "", argv, environ, AT_EMPTY_PATH);
		_exit(93);
	}
	gate_wait(&ready);
	fd = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
	ASSERT_LE(0, fd);
	gate_open(&go);
	EXPECT_EQ(0, wait_status(pid));
	EXPECT_LE(100, perf_count(fd));
	EXPECT_GT(2000, perf_count(fd));
}

/* Tasks start and exit while others open events on them. */
TEST(open_against_exit)
{
	int i, opened = 0, fd;
	pid_t pid;

	for (i = 0; i < 200; i++) {
		pid = fork_child();
		if (pid == 0)
			_exit(0);
		fd = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
		if (fd < 0) {
			EXPECT_EQ(-ESRCH, fd);
		} else {
			opened++;
			EXPECT_NE(~0ULL, perf_count(fd));
			close(fd);
		}
		waitpid(pid, NULL, 0);
		EXPECT_EQ(-ESRCH, perf_try(PERF_SW(DUMMY), pid, -1, -1, 0));
	}
	TH_LOG("%d of 200 were still alive", opened);
}

/*
 * The first event of a running task, many times: it counts from the open, not from the
 * task's next switch.
 */
TEST(first_event_of_a_running_task)
{
	_Atomic long *rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int i;

	ASSERT_NE(MAP_FAILED, (void *)rounds);
	pid = fork_child();
	if (pid == 0) {
		pin_to_cpu(nth_cpu(1));
		for (;;) {
			fault_pages(10);
			atomic_fetch_add(rounds, 1);
		}
	}
	for (i = 0; i < 8; i++) {
		int fd = perf_open(PERF_SW(PAGE_FAULTS), pid, -1, -1);
		long begin = atomic_load(rounds);

		ASSERT_LE(0, fd);
		while (atomic_load(rounds) < begin + 6)
			sched_yield();
		/* Five of them from start to end. */
		EXPECT_LE(50, perf_count(fd));
		close(fd);
	}
	kill_child(pid);
	munmap((void *)rounds, sizeof(*rounds));
}

PERF_TEST_EXEC_MAIN
