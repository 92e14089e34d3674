// SPDX-License-Identifier: GPL-2.0
/* Opening events of each kind. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"

const char *const kind_names[NR_KINDS] = {
	[SOFTWARE]	= "software",
	[CLOCK]		= "clock",
	[TRACEPOINT]	= "tracepoint",
	[HARDWARE]	= "hardware",
};

int events[MAX_EVENTS];

/* Id of a tracepoint, by its path in tracefs. */
long tracepoint_id(const char *name)
{
	char path[128];
	long id = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s/id", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%ld", &id) != 1)
		die(path);
	fclose(file);
	return id;
}

struct perf_event_attr kind_attr(enum kind kind)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	switch (kind) {
	case SOFTWARE:
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
		break;
	case CLOCK:
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		break;
	case TRACEPOINT:
		attr.type = PERF_TYPE_TRACEPOINT;
		attr.config = tracepoint_id("syscalls/sys_enter_getpriority");
		break;
	case HARDWARE:
		attr.type = PERF_TYPE_HARDWARE;
		attr.config = PERF_COUNT_HW_CPU_CYCLES;
		break;
	default:
		abort();
	}
	return attr;
}

int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group,
	       unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* A machine may have no PMU. */
bool kind_works(enum kind kind)
{
	struct perf_event_attr attr = kind_attr(kind);
	int fd = open_event(&attr, 0, -1, -1, 0);

	if (fd < 0 && (errno == ENOENT || errno == EOPNOTSUPP))
		return false;
	if (fd < 0)
		die(kind_names[kind]);
	close(fd);
	return true;
}

void open_events(enum kind kind, int nr, struct options how)
{
	struct perf_event_attr attr = kind_attr(kind);
	pid_t pid = how.cpu_wide ? -1 : 0;
	int cpu = how.cpu_wide ? 0 : -1;

	attr.read_format = how.format;
	attr.disabled = how.disabled;
	attr.inherit = how.inherit;
	for (int i = 0; i < nr; i++) {
		int leader = how.group && i ? events[0] : -1;

		events[i] = how.cgroup ?
			    open_event(&attr, how.cgroup, cpu, leader,
				       PERF_FLAG_PID_CGROUP) :
			    open_event(&attr, pid, cpu, leader, 0);
		if (events[i] < 0)
			die(kind_names[kind]);
	}
}

void close_events(int nr)
{
	while (nr--)
		close(events[nr]);
}

#define INTERVALS	"/sys/bus/event_source/devices/*/perf_event_mux_interval_ms"

/* Set the multiplexing interval of all PMUs. */
void set_turns(int ms)
{
	glob_t files;

	if (glob(INTERVALS, 0, NULL, &files))
		die("perf_event_mux_interval_ms");
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *file = fopen(files.gl_pathv[i], "w");

		if (!file || fprintf(file, "%d", ms) < 0 || fclose(file))
			die(files.gl_pathv[i]);
	}
	globfree(&files);
}
