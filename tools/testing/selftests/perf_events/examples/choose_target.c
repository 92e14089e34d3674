// SPDX-License-Identifier: GPL-2.0
/*
 * The same event of four targets: this thread, another thread, another process, a CPU.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 50

static int thread_pipe[2], child_pipe[2], thread_id_pipe[2];

static void touch_new_pages(int pages)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	while (pages--)
		memory[pages * page] = 1;
}

static int open_faults(pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		perror("perf_event_open");
	return fd;
}

static void *thread(void *unused)
{
	pid_t id = syscall(SYS_gettid);
	char go;

	if (write(thread_id_pipe[1], &id, sizeof(id)) == sizeof(id) &&
	    read(thread_pipe[0], &go, 1) == 1)
		touch_new_pages(2 * PAGES);
	return NULL;
}

static int show(const char *target, int fd, __u64 least)
{
	__u64 count;

	if (fd < 0)
		return 1;
	if (read(fd, &count, sizeof(count)) != sizeof(count)) {
		perror("read");
		return 1;
	}
	printf("%-16s %llu\n", target, count);
	return count < least;
}

int main(void)
{
	int self, other, process, all, bad, cpu = sched_getcpu();
	pthread_t handle;
	cpu_set_t cpus;
	pid_t tid, child;
	char go;

	if (pipe(thread_pipe) || pipe(child_pipe) || pipe(thread_id_pipe)) {
		perror("pipe");
		return 1;
	}
	child = fork();
	if (child == 0) {
		if (read(child_pipe[0], &go, 1) == 1)
			touch_new_pages(3 * PAGES);
		_exit(0);
	}
	if (child < 0 || pthread_create(&handle, NULL, thread, NULL) ||
	    read(thread_id_pipe[0], &tid, sizeof(tid)) != sizeof(tid)) {
		perror("fork or pthread_create");
		return 1;
	}

	self = open_faults(0, -1);
	other = open_faults(tid, -1);		/* a thread id, not pthread_t */
	process = open_faults(child, -1);	/* its main thread only */
	all = open_faults(-1, cpu);		/* all tasks, while they are on that CPU */

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	touch_new_pages(PAGES);
	if (write(thread_pipe[1], "", 1) != 1 || write(child_pipe[1], "", 1) != 1)
		return 1;
	pthread_join(handle, NULL);
	waitpid(child, NULL, 0);

	/* The count of a task remains after the task has exited. */
	bad = show("this thread", self, PAGES);
	bad |= show("another thread", other, 2 * PAGES);
	bad |= show("another process", process, 3 * PAGES);
	bad |= show("this CPU", all, PAGES);
	return bad;
}
