// SPDX-License-Identifier: GPL-2.0
/*
 * Sleep in poll() until there are samples of another process, and until it has exited.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES		200
#define DATA_PAGES	4

static int child(int start)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory, go;
	int i;

	if (read(start, &go, 1) != 1)
		return 1;
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	return 0;
}

/* Count the samples. Headers have 8 bytes, as records are aligned, so they never wrap. */
static int drain(struct perf_event_mmap_page *control)
{
	const char *data = (const char *)control + control->data_offset;
	__u64 head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	__u64 tail = control->data_tail;
	int samples = 0;

	while (tail < head) {
		const struct perf_event_header *header =
			(const void *)(data + tail % control->data_size);

		samples += header->type == PERF_RECORD_SAMPLE;
		tail += header->size;
	}
	__atomic_store_n(&control->data_tail, tail, __ATOMIC_RELEASE);
	return samples;
}

int main(void)
{
	struct perf_event_mmap_page *control;
	struct perf_event_attr attr;
	int start[2], samples = 0, wakeups = 0, status;
	struct pollfd wait;
	pid_t pid;

	if (pipe(start)) {
		perror("pipe");
		return 1;
	}
	pid = fork();
	if (pid == 0)
		_exit(child(start[0]));
	if (pid < 0) {
		perror("fork");
		return 1;
	}

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_ADDR;
	attr.exclude_kernel = 1;
	attr.wakeup_events = 20;
	wait.fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (wait.fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	control = mmap(NULL, (1 + DATA_PAGES) * sysconf(_SC_PAGESIZE),
		       PROT_READ | PROT_WRITE, MAP_SHARED, wait.fd, 0);
	if (control == MAP_FAILED || write(start[1], "", 1) != 1) {
		perror("mmap or write");
		return 1;
	}

	wait.events = POLLIN;
	do {
		if (poll(&wait, 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			perror("poll");
			return 1;
		}
		wakeups++;
		samples += drain(control);
	} while (!(wait.revents & POLLHUP));	/* until the process has exited */
	samples += drain(control);

	waitpid(pid, &status, 0);
	printf("%d samples in %d wakeups\n", samples, wakeups);
	return status || samples < PAGES;
}
