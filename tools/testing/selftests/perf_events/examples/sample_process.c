// SPDX-License-Identifier: GPL-2.0
/*
 * Sample all threads of a running process, also those that begin later. Each CPU has one buffer;
 * each thread has an event for each CPU, which writes to the CPU's buffer.
 *
 * Usage: sample_process [PID]. It ends when each thread that was there has ten samples, when the
 * threads have ended, or when no sample came for some seconds. Without PID it samples a child with
 * two threads, which starts a third one. To sample a process of another user needs CAP_PERFMON.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUS_MAX	256
#define THREADS_MAX	256
#define DATA_PAGES	8		/* a power of two; one more for control */
#define PERIOD_NS	1000000
#define ENOUGH		10		/* samples of each thread */
#define IDLE_MS		5000		/* of a process that sleeps */

static struct pollfd polled[CPUS_MAX];	/* the event that has the CPU's buffer */
static struct perf_event_mmap_page *buffer[CPUS_MAX];
static int nr_buffers;

static struct {
	pid_t tid;
	int samples;
} threads[THREADS_MAX];
static int nr_threads;

static void *spin(void *unused)
{
	for (;;)
		;
	return NULL;
}

/* A child with two busy threads, and a third one when a byte comes from the parent. */
static pid_t start_child(int *more)
{
	int ready[2], go[2];
	pthread_t thread;
	pid_t child;
	char byte;

	if (pipe(ready) || pipe(go))
		return -1;
	child = fork();
	if (child == 0) {
		if (pthread_create(&thread, NULL, spin, NULL) ||
		    write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1 ||
		    pthread_create(&thread, NULL, spin, NULL))
			_exit(1);
		spin(NULL);
	}
	/* so that the read below ends with the child */
	close(ready[1]);
	close(go[0]);
	*more = go[1];
	if (child < 0 || read(ready[0], &byte, 1) != 1)
		return -1;
	return child;
}

/* An event of the thread on the CPU. The CPU's first event has the buffer. */
static int open_one(pid_t tid, int cpu, int output)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = PERIOD_NS;
	attr.sample_type = PERF_SAMPLE_TID;
	attr.exclude_kernel = 1;
	attr.wakeup_events = ENOUGH;
	attr.inherit = 1;	/* for the threads that begin from now on */
	fd = syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && output >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, output))
		return -1;
	return fd;
}

static void fail(const char *call)
{
	perror(call);
	exit(1);
}

/* Returns whether the CPU has a buffer: it is online, and a thread is left. */
static int open_cpu(const pid_t *tids, int nr, int cpu)
{
	int first = -1, fd, i;

	for (i = 0; i < nr; i++) {
		fd = open_one(tids[i], cpu, first);
		if (fd < 0 && errno == ESRCH)	/* it has just exited */
			continue;
		if (fd < 0 && errno == ENODEV)	/* the CPU is offline */
			return 0;
		if (fd < 0)
			fail("perf_event_open");
		if (first >= 0)
			continue;
		/* It needs its buffer before others can write to that. */
		first = fd;
		polled[nr_buffers] = (struct pollfd){ .fd = first, .events = POLLIN };
		buffer[nr_buffers] = mmap(NULL, (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE),
					  PROT_READ | PROT_WRITE, MAP_SHARED, first, 0);
		if (buffer[nr_buffers] == MAP_FAILED)
			fail("mmap");
	}
	return first >= 0;
}

static int list_threads(pid_t pid, pid_t *tids)
{
	struct dirent *entry;
	char path[64];
	int nr = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)) && nr < THREADS_MAX)
		if (entry->d_name[0] != '.')
			tids[nr++] = atoi(entry->d_name);
	closedir(dir);
	return nr;
}

static void count(pid_t tid)
{
	int i;

	for (i = 0; i < nr_threads && threads[i].tid != tid; i++)
		;
	if (i == THREADS_MAX)
		return;
	if (i == nr_threads)
		threads[nr_threads++].tid = tid;
	threads[i].samples++;
}

static void read_buffer(struct perf_event_mmap_page *control)
{
	__u64 head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	const char *data = (const char *)control + control->data_offset;
	__u64 tail = control->data_tail;

	while (tail < head) {
		const struct perf_event_header *header =
			(const void *)(data + tail % control->data_size);
		/* A record can go on at the beginning: the first 8 bytes are never split. */
		const __u32 *pid_tid = (const void *)(data + (tail + 8) % control->data_size);

		if (header->type == PERF_RECORD_SAMPLE)
			count(pid_tid[1]);
		tail += header->size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
}

/* Returns whether enough threads have enough samples. */
static int enough(int wanted)
{
	int i, full = 0;

	for (i = 0; i < nr_threads; i++)
		full += threads[i].samples >= ENOUGH;
	return full >= wanted;
}

/* Wait for samples and read them. Returns false if there will be no more. */
static int read_more(void)
{
	int ready = poll(polled, nr_buffers, IDLE_MS), i, open = 0;

	for (i = 0; i < nr_buffers; i++) {
		read_buffer(buffer[i]);
		/* its threads have ended */
		if (ready > 0 && polled[i].revents & POLLHUP)
			polled[i].fd = -1;
		open += polled[i].fd >= 0;
	}
	return ready > 0 && open;
}

int main(int argc, char **argv)
{
	int more = -1, nr, cpu, i, bad = 0;
	pid_t pid = argc > 1 ? atoi(argv[1]) : start_child(&more);
	static pid_t tids[THREADS_MAX];

	nr = pid > 0 ? list_threads(pid, tids) : 0;
	if (!nr) {
		fprintf(stderr, "there is no such process\n");
		return 1;
	}
	for (cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF) && nr_buffers < CPUS_MAX; cpu++)
		nr_buffers += open_cpu(tids, nr, cpu);
	if (!nr_buffers) {
		fprintf(stderr, "the process has ended\n");
		bad = 1;
	} else if (more >= 0) {
		bad = write(more, "", 1) != 1;
		nr++;
	}
	while (!bad && !enough(nr) && read_more())
		;
	for (i = 0; i < nr_threads; i++)
		printf("thread %d: %d samples\n", threads[i].tid, threads[i].samples);
	if (argc < 2) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		bad |= nr_threads != 3;
	}
	return bad;
}
