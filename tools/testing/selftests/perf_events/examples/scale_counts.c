// SPDX-License-Identifier: GPL-2.0
/*
 * Open more events than the PMU has counters, and scale their counts.
 *
 * Usage: scale_counts [PMU CONFIG], as in "scale_counts cpu 0x3c". The default is the PMU
 * "fake" of test kernels, which counts nanoseconds.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EVENTS		12
#define CPU_TIME_NS	300000000ULL
#define SKIPPED		4	/* the exit status of a kselftest that cannot run */

struct value {
	__u64 count;
	__u64 time_enabled;
	__u64 time_running;
};

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

static __u64 cpu_time_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* Each event has had a counter at least once. */
static bool all_have_run(const int *fds)
{
	struct value value;
	int i;

	for (i = 0; i < EVENTS; i++)
		if (read(fds[i], &value, sizeof(value)) != sizeof(value) ||
		    !value.time_running)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const char *pmu = argc > 2 ? argv[1] : "fake";
	struct perf_event_attr attr;
	struct value value;
	double share, scaled, sum = 0;
	int fds[EVENTS], i, impossible = 0;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = pmu_type(pmu);
	attr.config = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	if ((int)attr.type < 0) {
		fprintf(stderr, "there is no PMU named %s\n", pmu);
		return SKIPPED;
	}
	for (i = 0; i < EVENTS; i++) {
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				 PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0) {
			perror("perf_event_open");
			return 1;
		}
	}

	while (cpu_time_ns() < CPU_TIME_NS || !all_have_run(fds))
		;

	for (i = 0; i < EVENTS; i++) {
		/* A read of 0 bytes: a pinned event that has lost its counter. */
		if (read(fds[i], &value, sizeof(value)) != sizeof(value)) {
			perror("read");
			return 1;
		}
		share = (double)value.time_running / value.time_enabled;
		sum += share;
		scaled = value.count / share;
		impossible |= share > 1 || !value.count;
		/* The default counts nanoseconds, as time_enabled does. */
		if (argc < 3)
			impossible |= scaled < value.time_enabled * 0.5 ||
				      scaled > value.time_enabled * 2.0;
		if (i < 3)
			printf("event %d: counted %llu in %.0f %% of the time, scaled %.0f\n",
			       i, value.count, 100 * share, scaled);
	}
	printf("%d events, on average %.1f had a counter\n", EVENTS, sum);
	return impossible;
}
