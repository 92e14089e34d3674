// SPDX-License-Identifier: GPL-2.0
/*
 * How many counters of a PMU are free? Open pinned events until one gets no counter.
 *
 * Usage: free_counters [PMU CONFIG], as in "free_counters cpu 0x3c". The default is the PMU
 * "fake" of test kernels.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST		64
#define SKIPPED		4	/* the exit status of a kselftest that cannot run */

/* Each PMU has a type, a number that is given at boot. */
static int pmu_type(const char *pmu)
{
	char path[256];
	FILE *file;
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

int main(int argc, char **argv)
{
	const char *pmu = argc > 2 ? argv[1] : "fake";
	struct perf_event_attr attr;
	ssize_t size;
	int nr, fd;
	__u64 count;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = pmu_type(pmu);
	attr.config = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	attr.pinned = 1;
	attr.exclude_kernel = argc > 2;	/* so that no privilege is needed; "fake" counts all */
	if ((int)attr.type < 0) {
		fprintf(stderr, "there is no PMU named %s\n", pmu);
		return SKIPPED;
	}
	for (nr = 0; nr < MOST; nr++) {
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0) {
			perror("perf_event_open");
			return 1;
		}
		size = read(fd, &count, sizeof(count));
		if (size < 0) {
			perror("read");
			return 1;
		}
		/* the event is in error, because no counter is left for it */
		if (!size)
			break;
	}
	/* The events end with the program, and free their counters. */
	printf("%s: %d counters are free for this event\n", pmu, nr);
	return argc < 3 && nr != 4;
}
