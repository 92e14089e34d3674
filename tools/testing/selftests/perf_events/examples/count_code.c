// SPDX-License-Identifier: GPL-2.0
/*
 * Count one thing around a piece of code: the page faults of writing to new memory.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 64

int main(void)
{
	struct perf_event_attr attr;
	long page = sysconf(_SC_PAGESIZE);
	unsigned long long faults;
	char *memory;
	int fd, i;

	/* What is not set must be 0. */
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.disabled = 1;
	attr.exclude_kernel = 1;	/* so that no privilege is needed */

	/* pid 0 is the calling thread, cpu -1 is any CPU, group -1 is no group. */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		perror("PERF_EVENT_IOC_ENABLE");
		return 1;
	}
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0)) {
		perror("PERF_EVENT_IOC_DISABLE");
		return 1;
	}

	if (read(fd, &faults, sizeof(faults)) != sizeof(faults)) {
		perror("read");
		return 1;
	}
	printf("%d new pages, %llu page faults\n", PAGES, faults);
	close(fd);
	return faults < PAGES;
}
