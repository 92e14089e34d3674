// SPDX-License-Identifier: GPL-2.0
/*
 * Attach to a running process: one event for each of its threads, for one second.
 *
 * Usage: attach_threads [PID]. Without PID it attaches to a child with two busy threads.
 * To attach to a process of another user needs CAP_PERFMON.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 256

static void *spin(void *unused)
{
	for (;;)
		;
	return NULL;
}

/* A child with two busy threads; a byte in the pipe means that both exist. */
static pid_t start_child(void)
{
	int ready[2];
	pthread_t thread;
	pid_t child;
	char byte;

	if (pipe(ready))
		return -1;
	child = fork();
	if (child == 0) {
		if (pthread_create(&thread, NULL, spin, NULL) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		spin(NULL);
	}
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		return -1;
	return child;
}

/* Open an event for each thread that exists now. Returns their number. */
static int attach(pid_t pid, int *fds, pid_t *tids)
{
	struct perf_event_attr attr;
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.inherit = 1;	/* for the threads that begin from now on */

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)) && nr < THREADS_MAX) {
		if (entry->d_name[0] == '.')
			continue;
		tids[nr] = atoi(entry->d_name);
		fds[nr] = syscall(SYS_perf_event_open, &attr, tids[nr], -1, -1,
				  PERF_FLAG_FD_CLOEXEC);
		if (fds[nr] >= 0) {
			nr++;
		} else if (errno != ESRCH) {	/* ESRCH: it has just exited */
			nr = -1;
			break;
		}
	}
	closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 1 ? atoi(argv[1]) : start_child();
	int fds[THREADS_MAX], nr, i, bad = 0;
	pid_t tids[THREADS_MAX];
	__u64 ns;

	nr = attach(pid, fds, tids);
	if (nr <= 0) {
		perror("attach");
		if (argc < 2 && pid > 0)
			kill(pid, SIGKILL);
		return 1;
	}
	sleep(1);
	for (i = 0; i < nr; i++) {
		if (read(fds[i], &ns, sizeof(ns)) != sizeof(ns)) {
			perror("read");
			bad = 1;
			break;
		}
		printf("thread %d ran for %llu us\n", tids[i], ns / 1000);
	}
	if (argc < 2) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		bad |= nr != 2;
	}
	return bad;
}
