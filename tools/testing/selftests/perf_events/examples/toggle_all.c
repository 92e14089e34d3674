// SPDX-License-Identifier: GPL-2.0
/*
 * Stop and continue all events that a task has opened, without their descriptors:
 * prctl(). A library uses it to leave itself out of a profile.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 40

static char *memory;
static long page;

static void touch_new_pages(void)
{
	char *end = memory + PAGES * page;

	for (; memory < end; memory += page)
		*memory = 1;
}

static int open_faults(__u64 config)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config;
	attr.exclude_kernel = 1;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(void)
{
	int all = open_faults(PERF_COUNT_SW_PAGE_FAULTS);
	int minor = open_faults(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	__u64 before[2], stopped[2], after[2];

	page = sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, 3 * PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all < 0 || minor < 0 || memory == MAP_FAILED) {
		perror("perf_event_open or mmap");
		return 1;
	}

	touch_new_pages();
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	if (read(all, &before[0], 8) != 8 || read(minor, &before[1], 8) != 8)
		return 1;

	touch_new_pages();
	if (read(all, &stopped[0], 8) != 8 || read(minor, &stopped[1], 8) != 8)
		return 1;

	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	touch_new_pages();
	if (read(all, &after[0], 8) != 8 || read(minor, &after[1], 8) != 8)
		return 1;

	printf("page faults: %llu, stopped %llu, continued %llu\n",
	       before[0], stopped[0], after[0]);
	printf("minor ones:  %llu, stopped %llu, continued %llu\n",
	       before[1], stopped[1], after[1]);
	return before[0] < PAGES || stopped[0] != before[0] || stopped[1] != before[1] ||
	       after[0] < stopped[0] + PAGES || after[1] < stopped[1] + PAGES;
}
