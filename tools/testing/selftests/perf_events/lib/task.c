// SPDX-License-Identifier: GPL-2.0
#include <sys/socket.h>

#include "perf_test.h"

/**
 * gate_new() - Make a gate
 *
 * Return: The gate, closed.
 */
struct gate gate_new(void)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		_exit(98);
	return (struct gate){ fd[0], fd[1] };
}

/**
 * gate_open() - Let one gate_wait() return
 * @g: The gate.
 */
void gate_open(struct gate *g)
{
	if (write(g->wr, "x", 1) != 1)
		_exit(97);
}

/**
 * gate_wait() - Wait until the gate is opened
 * @g: The gate. The process exits if all tasks that could open it are dead.
 */
void gate_wait(struct gate *g)
{
	ssize_t len;
	char c;

	do {
		len = read(g->rd, &c, 1);
	} while (len < 0 && errno == EINTR);
	/* 0: all tasks that could open the gate are dead. */
	if (len != 1)
		_exit(96);
}

/**
 * gate_wait_for_child() - Wait until another process opens the gate
 * @g: The gate. This process cannot open it any more: so it exits if the others die before.
 */
void gate_wait_for_child(struct gate *g)
{
	close(g->wr);
	gate_wait(g);
}

/**
 * rounds_shared() - Allocate the state of a loop in memory that children share
 *
 * Return: The state, at its start. It is freed when the last process exits.
 */
struct rounds *rounds_shared(void)
{
	struct rounds *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		_exit(95);
	return r;
}

/**
 * rounds_go_on() - Check whether a loop must make another round
 * @r: The loop.
 *
 * Return: False if it must end.
 */
bool rounds_go_on(struct rounds *r)
{
	return !atomic_load(&r->stop);
}

/**
 * rounds_add() - Count a round of a loop
 * @r: The loop.
 */
void rounds_add(struct rounds *r)
{
	atomic_fetch_add(&r->done, 1);
}

/**
 * rounds_end() - Tell that a loop has ended
 * @r: The loop.
 */
void rounds_end(struct rounds *r)
{
	atomic_store(&r->ended, true);
}

/**
 * rounds_stop() - Let a loop end
 * @r: The loop.
 */
void rounds_stop(struct rounds *r)
{
	atomic_store(&r->stop, true);
}

/**
 * rounds_pass() - Wait for a loop to make more rounds
 * @r: The loop.
 * @nr: Number of rounds from now on. The first of them may have begun before.
 *
 * Return: False if the loop has ended before that.
 */
bool rounds_pass(struct rounds *r, unsigned long nr)
{
	unsigned long end = atomic_load(&r->done) + nr;

	while (atomic_load(&r->done) < end) {
		if (atomic_load(&r->ended))
			return atomic_load(&r->done) >= end;
		sleep_ms(1);
	}
	return true;
}

/**
 * fork_child() - Fork a child that is killed when the caller ends
 *
 * Return: As fork().
 */
pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/**
 * wait_status() - Wait for a child to end
 * @pid: The child.
 *
 * Return: The exit status, the negative number of the signal that killed the child, or
 * a negative errno.
 */
int wait_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/**
 * wait_all() - Wait for all children to end
 */
void wait_all(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* The state of a task in /proc/PID/stat: 'R', 'S', ... Or 0 if there is no such task. */
static char task_state(pid_t pid)
{
	char path[64], buf[1024], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, buf, sizeof(buf)) < 0)
		return 0;
	p = strrchr(buf, ')');
	return p ? p[2] : 0;
}

/* /proc/PID/syscall waits until a task that has left the state R has left its CPU. */
static bool is_off_cpu(pid_t pid)
{
	char path[64], buf[256];

	snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
	return file_read(path, buf, sizeof(buf)) > 0 && strncmp(buf, "running", 7);
}

/**
 * wait_off_cpu() - Wait until a task that is going to sleep or to stop has left its CPU
 * @pid: The task.
 *
 * Return: False if it never does.
 */
bool wait_off_cpu(pid_t pid)
{
	return COMES_TRUE(is_off_cpu(pid));
}

/**
 * is_asleep() - Check whether a task sleeps and has left its CPU
 * @pid: The task.
 *
 * A task gets the state S while it still runs. Its events count until it has left its
 * CPU, which takes long if the host runs other programs in between.
 *
 * Return: True if it sleeps.
 */
bool is_asleep(pid_t pid)
{
	return task_state(pid) == 'S' && is_off_cpu(pid);
}

/**
 * wait_asleep() - Wait until is_asleep()
 * @pid: The task.
 *
 * Return: False if it never is.
 */
bool wait_asleep(pid_t pid)
{
	return COMES_TRUE(is_asleep(pid));
}

/**
 * kill_child() - Kill a child and wait for it to end
 * @pid: The child.
 */
void kill_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/**
 * echo_child() - Fork a child that opens a gate each time another is opened
 * @to: The gate that the child waits at.
 * @from: The gate that the child opens.
 *
 * Return: As fork().
 */
pid_t echo_child(struct gate *to, struct gate *from)
{
	pid_t pid = fork_child();

	if (pid == 0) {
		for (;;) {
			gate_wait(to);
			gate_open(from);
		}
	}
	return pid;
}

/**
 * send_fd() - Send a file descriptor over a socket
 * @sock: The socket.
 * @fd: The file descriptor.
 *
 * Return: 0, or a negative errno.
 */
int send_fd(int sock, int fd)
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

/**
 * receive_fd() - Receive a file descriptor from a socket
 * @sock: The socket.
 *
 * Return: The file descriptor, or a negative errno.
 */
int receive_fd(int sock)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec data = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	int fd;

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -errno;
	head = CMSG_FIRSTHDR(&msg);
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return -EINVAL;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/**
 * perf_exec_touch() - Exec the running program, to cause minor faults
 * @pages: At least so many faults. The program's main() must be PERF_TEST_EXEC_MAIN.
 */
void perf_exec_touch(int pages)
{
	char count[16];

	snprintf(count, sizeof(count), "%d", pages);
	execl("/proc/self/exe", "touch", "--touch", count, NULL);
	_exit(94);
}

/**
 * perf_exec_main() - Do what perf_exec_touch() passed as arguments, if it did
 * @argc: Of main().
 * @argv: Of main().
 */
void perf_exec_main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--touch")) {
		fault_pages(atoi(argv[2]));
		_exit(0);
	}
}

/**
 * switches_of() - Count context switches
 * @who: RUSAGE_SELF, RUSAGE_CHILDREN or RUSAGE_THREAD.
 *
 * Return: Voluntary and involuntary switches.
 */
long switches_of(int who)
{
	struct rusage ru;

	getrusage(who, &ru);
	return ru.ru_nvcsw + ru.ru_nivcsw;
}

/**
 * switch_out() - Leave the CPU
 * @times: So many times at least.
 *
 * A sleep can end before the task has left its CPU. Then there is no switch.
 */
void switch_out(int times)
{
	long end = switches_of(RUSAGE_THREAD) + times;

	while (switches_of(RUSAGE_THREAD) < end)
		sleep_ms(1);
}

/**
 * rename_self() - Hit the tracepoint task:task_rename
 * @times: How often.
 */
void rename_self(int times)
{
	while (times--)
		prctl(PR_SET_NAME, "renamed");
}

/**
 * faults_of_pid() - Count the page faults of a task
 * @pid: The task.
 *
 * Return: Minor and major faults as in fields 10 and 12 of /proc/PID/stat, or -1.
 */
long faults_of_pid(pid_t pid)
{
	unsigned long minor, major;
	char path[64], buf[1024], *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, buf, sizeof(buf)) < 0)
		return -1;
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %lu %*u %lu",
			 &minor, &major) != 2)
		return -1;
	return minor + major;
}
