// SPDX-License-Identifier: GPL-2.0
/*
 * Count a task and the children that it creates later: the attribute inherit.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN	4
#define PAGES		30

static int open_faults(int inherit)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.exclude_kernel = 1;
	attr.inherit = inherit;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int touch_new_pages(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (memory == MAP_FAILED)
		return 1;
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	return 0;
}

int main(void)
{
	int alone = open_faults(0), all = open_faults(1), status, i;
	__u64 alone_count, all_count;

	if (alone < 0 || all < 0) {
		perror("perf_event_open");
		return 1;
	}
	for (i = 0; i < CHILDREN; i++) {
		if (fork() == 0)
			_exit(touch_new_pages());
	}
	for (i = 0; i < CHILDREN; i++) {
		if (wait(&status) < 0 || status) {
			fprintf(stderr, "a child failed\n");
			return 1;
		}
	}

	/* The count includes child tasks that run, and child tasks that have exited. */
	if (read(alone, &alone_count, sizeof(__u64)) != sizeof(__u64) ||
	    read(all, &all_count, sizeof(__u64)) != sizeof(__u64)) {
		perror("read");
		return 1;
	}
	printf("%llu page faults of this task, %llu with its %d children\n",
	       alone_count, all_count, CHILDREN);
	return all_count < alone_count + CHILDREN * PAGES;
}
