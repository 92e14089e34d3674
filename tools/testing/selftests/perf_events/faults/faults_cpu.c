// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU comes online while there are events of it, with each allocation failing in turn: either
 * the CPU is online, or it stays offline with ENOMEM. The events count when it is online again.
 *
 * What the CPU's own threads allocate does not fail: only allocations of the task that writes
 * to the file of the CPU fail.
 */
#include "fault_rows.h"

static int cpu = -1, home;
static int file = -1;
static int bound = -1, of_task = -1;

static const char *missing_cpu(void)
{
	char path[64];

	home = nth_cpu(0);
	cpu = hotplug_cpu();
	if (cpu < 0 || cpu == home)
		return "no CPU that can be taken offline";
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return "no file to take the CPU online with";
	pin_to_cpu(home);
	bound = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);
	of_task = perf_open(PERF_SW(PAGE_FAULTS), 0, cpu, -1);
	return bound < 0 || of_task < 0 ? "no events" : NULL;
}

static int ready_offline(void)
{
	return cpu_set_online(cpu, false);
}

static int take_online(void)
{
	return pwrite(file, "1", 1, 0) == 1 ? 0 : -errno;
}

/* Ten faults on the CPU: what the event has counted of them. */
static long counted(int fd)
{
	long before = perf_count(fd);

	pin_to_cpu(cpu);
	fault_pages(10);
	pin_to_cpu(home);
	return perf_count(fd) - before;
}

static bool events_count(void)
{
	int fd;
	bool right;

	if (cpu_set_online(cpu, true))
		return false;
	fd = perf_open(PERF_SW(PAGE_FAULTS), -1, cpu, -1);
	right = fd >= 0 && counted(fd) >= 10 && counted(of_task) >= 10 && counted(bound) >= 0;
	close(fd);
	close(of_task);
	close(bound);
	return right;
}

FAULT_ROW(cpu_comes_online, .missing = missing_cpu, .ready = ready_offline,
	  .act = take_online, .works = events_count, .rounds = 3, .copies = 1,
	  .tolerated = 24, .why = "other subsystems do without, or try again");

TEST_HARNESS_MAIN
