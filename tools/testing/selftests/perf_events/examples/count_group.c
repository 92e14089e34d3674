// SPDX-License-Identifier: GPL-2.0
/*
 * Count three things as a group: they count at the same times, so they can be compared.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES 100

static const struct {
	const char *name;
	__u64 config;
} kinds[] = {
	{ "task clock", PERF_COUNT_SW_TASK_CLOCK },
	{ "page faults", PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor faults", PERF_COUNT_SW_PAGE_FAULTS_MIN },
};

#define NR (sizeof(kinds) / sizeof(kinds[0]))

/* What read() returns with the read_format below: the leader is the first value. */
struct group {
	__u64 nr;
	__u64 time_enabled;
	__u64 time_running;
	struct {
		__u64 count;
		__u64 id;
	} values[NR];
};

int main(void)
{
	struct perf_event_attr attr;
	long page = sysconf(_SC_PAGESIZE);
	struct group group;
	__u64 ids[NR];
	int fds[NR];
	char *memory;
	unsigned int i;

	for (i = 0; i < NR; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = kinds[i].config;
		attr.exclude_kernel = 1;
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				   PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		/* Siblings are enabled, and count while the leader does. */
		attr.disabled = i == 0;
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1,
				 i ? fds[0] : -1, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0 || ioctl(fds[i], PERF_EVENT_IOC_ID, &ids[i])) {
			perror(kinds[i].name);
			return 1;
		}
	}
	memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		perror("mmap");
		return 1;
	}

	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);

	/* One read returns the whole group, taken at one moment. */
	if (read(fds[0], &group, sizeof(group)) != sizeof(group) || group.nr != NR) {
		perror("read");
		return 1;
	}
	if (group.values[1].count < PAGES) {
		fprintf(stderr, "too few page faults\n");
		return 1;
	}
	for (i = 0; i < NR; i++) {
		if (group.values[i].id != ids[i])
			return 1;
		printf("%-12s %llu\n", kinds[i].name, group.values[i].count);
	}
	printf("%llu ns for each page fault\n",
	       group.values[0].count / group.values[1].count);

	return group.values[2].count > group.values[1].count ||
	       group.time_running != group.time_enabled;
}
