// SPDX-License-Identifier: GPL-2.0
/*
 * The processes that run a program, and their end. A case is bounded by its steps: none of
 * them waits for anything but the steps before it. At the end the case's control group kills
 * all that is left.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "fuzz.h"

#define SHARED_ADDRESS	((void *)0x2000000000)
/* signals of a case until SIGTRAPs end, and until the receiving process ends */
#define MAX_TRAPS	50
#define MAX_SIGNALS	1000
/* seconds that an end takes only if the kernel hangs */
#define PATIENCE	600

struct shared *shared;
__thread unsigned int this_worker;

/* for world.c; the descriptors of a case are in its shared memory */
int slot_fds[MAX_SLOTS] = { -1, -1, -1, -1 };

static void change_version(void)
{
	__atomic_add_fetch(&shared->version, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &shared->version, FUTEX_WAKE, 1000, NULL, NULL, 0);
}

void mark_done(unsigned int step)
{
	__atomic_store_n(&shared->done[step], 1, __ATOMIC_SEQ_CST);
	change_version();
}

/* The remaining steps of a worker count as done. */
void worker_gone(unsigned int worker)
{
	unsigned int i;

	for (i = 0; i < shared->program.nr; i++) {
		if (shared->program.steps[i].worker == worker)
			mark_done(i);
	}
}

unsigned int this_step(const struct fuzz_step *step)
{
	return step - shared->program.steps;
}

static bool all_done(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!__atomic_load_n(&shared->done[i], __ATOMIC_SEQ_CST))
			return false;
	}
	return true;
}

static bool all_here(unsigned int unused)
{
	unsigned int i;

	(void)unused;
	for (i = 0; i < NR_WORKERS; i++) {
		if (!__atomic_load_n(&shared->pids[PID_WORKER + i], __ATOMIC_SEQ_CST))
			return false;
	}
	return true;
}

static void wait_until(bool (*condition)(unsigned int), unsigned int argument)
{
	for (;;) {
		uint32_t version = __atomic_load_n(&shared->version, __ATOMIC_SEQ_CST);

		if (condition(argument))
			return;
		syscall(SYS_futex, &shared->version, FUTEX_WAIT, version, NULL, NULL, 0);
	}
}

static void run_step(const struct fuzz_step *step)
{
	long ret;

	__atomic_add_fetch(&shared->tries[step->kind], 1, __ATOMIC_RELAXED);
	ret = kinds[step->kind].run(step);
	if (ret >= 0)
		__atomic_add_fetch(&shared->successes[step->kind], 1, __ATOMIC_RELAXED);
	shared->results[this_step(step)] = ret < 0 ? -errno : ret;
	mark_done(this_step(step));
}

static void run_steps(unsigned int next)
{
	const struct program *program = &shared->program;
	unsigned int i;

	for (i = next; i < program->nr; i++) {
		const struct fuzz_step *step = &program->steps[i];

		if (step->worker != this_worker)
			continue;
		if (!step->races)
			wait_until(all_done, i);
		run_step(step);
	}
	wait_until(all_done, program->nr);
}

static void announce(unsigned int worker)
{
	this_worker = worker;
	__atomic_store_n(&shared->pids[PID_WORKER + worker], syscall(SYS_gettid),
			 __ATOMIC_SEQ_CST);
	change_version();
}

static void run_worker(unsigned int worker)
{
	announce(worker);
	wait_until(all_here, 0);
	cover_worker(worker);
	run_steps(0);
}

static void *second_thread(void *worker)
{
	run_worker((uintptr_t)worker);
	return NULL;
}

static void on_signal(int signal)
{
	unsigned int nr = __atomic_add_fetch(&shared->signals, 1, __ATOMIC_RELAXED);

	if (nr > MAX_SIGNALS)
		_exit(0);
	if (signal == SIGTRAP && nr > MAX_TRAPS)
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

static void handle_signals(void)
{
	static const int signals[] = { SIGTRAP, SIGIO, SIGUSR1, SIGPIPE };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* A process with its own memory and the common table of descriptors. */
static pid_t start_process(unsigned int process)
{
	pid_t pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	unsigned int worker = process * 2;
	pthread_t thread;

	if (pid < 0)
		err(1, "clone");
	if (pid)
		return pid;
	handle_signals();
	if (worker != ROOT_WORKER &&
	    pthread_create(&thread, NULL, second_thread, (void *)(uintptr_t)(worker + 1)))
		err(1, "thread");
	run_worker(worker);
	_exit(0);
}

/* Wait for the processes. The steps of one that has ended are done. */
static void await(const pid_t *pids)
{
	struct pollfd polled[NR_PROCESSES];
	unsigned int i, left = NR_PROCESSES;

	for (i = 0; i < NR_PROCESSES; i++) {
		polled[i].fd = syscall(SYS_pidfd_open, pids[i], 0);
		polled[i].events = POLLIN;
		if (polled[i].fd < 0)
			err(1, "pidfd");
	}
	while (left && (poll(polled, NR_PROCESSES, -1) > 0 || errno == EINTR)) {
		for (i = 0; i < NR_PROCESSES; i++) {
			if (polled[i].fd < 0 || !polled[i].revents)
				continue;
			worker_gone(i * 2);
			if (i * 2 != ROOT_WORKER)
				worker_gone(i * 2 + 1);
			polled[i].fd = -1;
			left--;
		}
	}
}

static bool uses_doomed(const struct program *program)
{
	unsigned int i;

	for (i = 0; i < program->nr; i++) {
		if (program->steps[i].kind == KIND_OPEN &&
		    program->steps[i].args[1] == PID_DOOMED)
			return true;
	}
	return false;
}

/* The process of a case. It is root until its first child, which stays root, has started. */
static void run_here(void)
{
	pid_t pids[NR_PROCESSES];
	unsigned int i;

	machine_set(CASE_CGROUP "/cgroup.procs", "0");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, shared->sockets))
		err(1, "socket");
	pids[2] = start_process(2);
	world_block(shared->program.caller);
	if (uses_doomed(&shared->program))
		world_doom();
	for (i = 0; i < NR_PIDS; i++)
		shared->pids[i] = world_pid(i);
	/* never the descriptors of the case */
	for (i = MAX_SLOTS; i < NR_OTHERS; i++)
		shared->others[i] = world_fd(i);
	for (i = 0; i < NR_PROGRAMS; i++)
		shared->bpf[i] = world_program(i);
	pids[0] = start_process(0);
	pids[1] = start_process(1);
	await(pids);
	_exit(0);
}

/* Replace what differs between machines by its number. */
static void resolve(struct attr_plan *plan)
{
	struct perf_event_attr *attr = &plan->attr;

	if (plan->type)
		attr->type = plan->type->type;
	if (plan->tracepoint)
		attr->config = plan->tracepoint->id;
	if (plan->upper)
		attr->config |= (uint64_t)plan->upper->type << 32;
	if (plan->path) {
		attr->config1 = (uintptr_t)plan->path;
		if (attr->config2 == 0x1000)
			attr->config2 = watched_offset();
	}
}

static void prepare(const struct program *program)
{
	unsigned int i;

	for (i = 0; i < PROGRAM_STEPS; i++)
		shared->results[i] = NOT_RUN;
	shared->program = *program;
	shared->version = 0;
	shared->signals = 0;
	memset(shared->done, 0, sizeof(shared->done));
	memset(shared->slots, -1, sizeof(shared->slots));
	memset(shared->pids, 0, sizeof(shared->pids));
	memset(shared->others, -1, sizeof(shared->others));
	memset(shared->lengths, 0, sizeof(shared->lengths));
	for (i = 0; i < program->nr; i++)
		resolve(&shared->program.steps[i].attr);
}

static bool group_is_empty(int fd)
{
	char text[64] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		err(1, CASE_CGROUP "/cgroup.events");
	return strstr(text, "populated 0") != NULL;
}

/* Kill all tasks of the case, and wait for their end. Returns -1 if they do not end. */
static int end_all(void)
{
	int fd = open(CASE_CGROUP "/cgroup.events", O_RDONLY | O_CLOEXEC), tries;

	machine_set(CASE_CGROUP "/cgroup.kill", "1");
	for (tries = 0; tries < PATIENCE && !group_is_empty(fd); tries++) {
		struct pollfd polled = { .fd = fd, .events = POLLPRI };

		/* without a child to reap, the file tells when the group is empty */
		while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
			;
		if (!group_is_empty(fd))
			poll(&polled, 1, 1000);
	}
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
	close(fd);
	return tries < PATIENCE ? 0 : -1;
}

/* Run a program. Returns -1 if the case did not end. */
int case_run(const struct program *program)
{
	struct pollfd polled = { .events = POLLIN };
	bool ended;
	pid_t pid;

	world_open_foreign(program->caller);
	world_case(program->caller);
	prepare(program);
	cover_clear();
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid)
		run_here();
	polled.fd = syscall(SYS_pidfd_open, pid, 0);
	ended = poll(&polled, 1, PATIENCE * 1000) > 0;
	close(polled.fd);
	ended &= !end_all();
	world_close_foreign();
	return ended ? 0 : -1;
}

static void map_shared(void)
{
	shared = mmap(SHARED_ADDRESS, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_FIXED_NOREPLACE, SHARED_FD, 0);
	if (shared == MAP_FAILED)
		err(1, "shared memory");
}

/* After exec: the other thread of the process is gone. */
void case_continue(unsigned int worker, unsigned int next)
{
	map_shared();
	handle_signals();
	if (worker != ROOT_WORKER)
		worker_gone(worker ^ 1);
	announce(worker);
	run_steps(next);
}

/* Call once, after world_begin(). */
void case_begin(void)
{
	int shared_fd = memfd_create("fuzz", 0), scratch = memfd_create("scratch", 0);

	if (ftruncate(shared_fd, sizeof(*shared)) || dup2(shared_fd, SHARED_FD) < 0 ||
	    dup2(scratch, SCRATCH_FD) < 0)
		err(1, "memory");
	close(shared_fd);
	close(scratch);
	map_shared();
	if ((mkdir(CASE_CGROUP "/a", 0755) || mkdir(CASE_CGROUP "/b", 0755)) && errno != EEXIST)
		err(1, CASE_CGROUP);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		err(1, "prctl");
}
