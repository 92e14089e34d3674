// SPDX-License-Identifier: GPL-2.0
/*
 * What events add to the cost of what a kernel does anyway.
 *
 * Meant for a machine whose clock is the instructions it has executed (QEMU
 * with -icount shift=0): then a figure repeats, on any host. Prints one line a
 * row: name, cost without events, cost with, both per operation.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS	512

/* of a sampling event: room for the faults of a pass with their callchains */
#define BUFFER_PAGES	512

/* faults in a pass; passes, of which the cheapest counts: no tick fell into it */
#define FAULTS		500
#define FAULT_PASSES	15

static int fds[MAX_EVENTS];

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int open_event(unsigned long long config, int group, unsigned long long format,
		      int disabled, int inherit)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= config,
		.read_format	= format,
		.disabled	= disabled,
		.inherit	= inherit,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);

	if (fd < 0) {
		perror("perf_event_open");
		exit(1);
	}
	return fd;
}

static void open_events(int nr, unsigned long long config, int inherit)
{
	for (int i = 0; i < nr; i++)
		fds[i] = open_event(config, -1, 0, 0, inherit);
}

static void close_events(int nr)
{
	for (int i = 0; i < nr; i++)
		close(fds[i]);
}

/* Two switches and two pipe transfers. */
static long long ping_pong(int rounds)
{
	int to[2], from[2];
	long long start;
	char c = 0;
	pid_t child;

	if (pipe(to) || pipe(from))
		exit(1);
	child = fork();
	if (!child) {
		while (read(to[0], &c, 1) == 1 && c != 'q')
			if (write(from[1], &c, 1) != 1)
				break;
		_exit(0);
	}
	for (int i = 0; i < 50; i++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			exit(1);
	start = now();
	for (int i = 0; i < rounds; i++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			exit(1);
	start = now() - start;
	c = 'q';
	if (write(to[1], &c, 1) != 1)
		exit(1);
	waitpid(child, NULL, 0);
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
	return start / rounds;
}

/*
 * Faults on pages that are there already, of a file that is mapped anew for each
 * pass: neither allocation nor zeroing blurs what events add.
 */
static long long fault_pass(char *p, struct perf_event_mmap_page *control)
{
	long long start;

	if (control)
		control->data_tail = control->data_head;
	if (madvise(p, FAULTS * 4096L, MADV_DONTNEED))
		exit(1);
	start = now();
	for (int i = 0; i < FAULTS; i++)
		p[i * 4096L] = 1;
	return now() - start;
}

static long long faults(struct perf_event_mmap_page *control)
{
	long long best = 0, size = FAULTS * 4096L;
	int fd = memfd_create("faults", 0);
	char *p;

	if (fd < 0 || ftruncate(fd, size))
		exit(1);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		exit(1);
	fault_pass(p, control);
	for (int i = 0; i < FAULT_PASSES; i++) {
		long long took = fault_pass(p, control);

		if (!best || took < best)
			best = took;
	}
	munmap(p, size);
	close(fd);
	return best / FAULTS;
}

static long long forks(int rounds)
{
	long long start = now();

	for (int i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return (now() - start) / rounds;
}

static long long ioctls(int fd, int rounds)
{
	long long start = now();

	for (int i = 0; i < rounds; i++) {
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	return (now() - start) / rounds / 2;
}

/* an ioctl that reaches no event: the system call alone */
static long long empty_ioctls(int rounds)
{
	int fd = open_event(PERF_COUNT_SW_DUMMY, -1, 0, 1, 0);
	long long start = now();

	for (int i = 0; i < 2 * rounds; i++)
		ioctl(fd, 0x123456, 0);
	start = (now() - start) / rounds / 2;
	close(fd);
	return start;
}

static long long reads(int fd, int rounds)
{
	static char buf[16384];
	long long start = now();

	for (int i = 0; i < rounds; i++)
		if (read(fd, buf, sizeof(buf)) <= 0)
			exit(1);
	return (now() - start) / rounds;
}

static long long prctls(int rounds)
{
	long long start = now();

	for (int i = 0; i < rounds; i++) {
		prctl(PR_TASK_PERF_EVENTS_DISABLE);
		prctl(PR_TASK_PERF_EVENTS_ENABLE);
	}
	return (now() - start) / rounds / 2;
}

static void row(const char *name, int nr, long long without, long long with)
{
	printf("%-28s %4d %8lld %8lld %8lld\n", name, nr, without, with,
	       with - without);
	fflush(stdout);
}

static void bench_switch(void)
{
	static const int counts[] = { 1, 16, 64 };
	long long base = ping_pong(300);

	for (int i = 0; i < 3; i++) {
		open_events(counts[i], PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0);
		row("switch", counts[i], base, ping_pong(300));
		close_events(counts[i]);
	}
}

static void bench_toggle(void)
{
	static const int counts[] = { 1, 256 };
	long long base = empty_ioctls(200);

	for (int i = 0; i < 2; i++) {
		open_events(counts[i], PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0);
		ioctls(fds[0], 20);
		row("enable or disable", counts[i], base, ioctls(fds[0], 200));
		if (counts[i] == 256)
			row("prctl, per event", counts[i], 0, prctls(20) / 256);
		close_events(counts[i]);
	}
}

static void bench_read(void)
{
	static const int counts[] = { 1, 64 };
	unsigned long long format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	long long base = empty_ioctls(200);

	for (int i = 0; i < 2; i++) {
		fds[0] = open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, -1, format, 0, 0);
		for (int j = 1; j < counts[i]; j++)
			fds[j] = open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, fds[0],
					    format, 0, 0);
		reads(fds[0], 20);
		row("read a group", counts[i], base, reads(fds[0], 200));
		close_events(counts[i]);
	}
}

static void bench_fault_sampled(const char *name, unsigned long long fields,
				long long base)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period	= 1,
		.sample_type	= fields,
	};
	struct perf_event_mmap_page *control;
	long long cost;
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0) {
		perror("perf_event_open");
		exit(1);
	}
	control = mmap(NULL, (1 + BUFFER_PAGES) * 4096L, PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (control == MAP_FAILED) {
		close(fd);
		return;
	}
	cost = faults(control);
	if (control->data_head < FAULTS * FAULT_PASSES * 16L)
		printf("%s: no samples\n", name);
	row(name, 1, base, cost);
	munmap(control, (1 + BUFFER_PAGES) * 4096L);
	close(fd);
}

static void bench_fault(void)
{
	unsigned long long fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
				    PERF_SAMPLE_PERIOD;
	long long base = faults(NULL);

	open_events(1, PERF_COUNT_SW_PAGE_FAULTS, 0);
	row("page fault, counted", 1, base, faults(NULL));
	close_events(1);
	bench_fault_sampled("page fault, sampled", fields, base);
	bench_fault_sampled("page fault, callchain",
			    fields | PERF_SAMPLE_CALLCHAIN, base);
}

static void bench_open(void)
{
	long long start;

	open_events(1, PERF_COUNT_SW_DUMMY, 0);
	for (int i = 0; i < 20; i++)
		close(open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, -1, 0, 0, 0));
	start = now();
	for (int i = 0; i < 200; i++)
		close(open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, -1, 0, 0, 0));
	row("open and close", 1, 0, (now() - start) / 200);
	close_events(1);
}

static void bench_fork(void)
{
	long long base;

	forks(20);
	base = forks(100);
	open_events(16, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1);
	forks(10);
	row("fork and exit", 16, base, forks(100));
	close_events(16);
}

int main(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	printf("%-28s %4s %8s %8s %8s\n", "what", "nr", "without", "with", "adds");
	bench_switch();
	bench_toggle();
	bench_read();
	bench_fault();
	bench_open();
	bench_fork();
	return 0;
}
