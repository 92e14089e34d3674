// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of events and buffers is charged to the memory cgroup of the task that causes it to
 * be allocated, so that memory.max limits it.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "../lib/cgroup.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"

#define BUFFERS		64
#define BUFFER_PAGES	64

#define EVENTS		256
#define TASKS		32
/* An event has more, see Documentation/perf/admin.rst. */
#define EVENT_BYTES	1024

/* Have all, or nothing of it. Return: false if a call fails. */
static bool have_buffers(bool all)
{
	size_t size = (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE);
	int i, fd;

	for (i = 0; all && i < BUFFERS; i++) {
		fd = perf_open_self(PERF_SW(DUMMY));
		if (fd < 0 || mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			return false;
	}
	return true;
}

static long bytes_of_buffers(void)
{
	return BUFFERS * BUFFER_PAGES * sysconf(_SC_PAGESIZE);
}

/* The children end with their group. */
static bool have_inherited_events(bool all)
{
	const struct perf_event_attr attr = PERF_SW(PAGE_FAULTS, .inherit = 1);
	pid_t child;
	int i;

	for (i = 0; all && i < EVENTS; i++) {
		if (perf_open_self(attr) < 0)
			return false;
	}
	for (i = 0; i < TASKS; i++) {
		child = fork();
		if (child < 0)
			return false;
		if (child == 0) {
			pause();
			_exit(0);
		}
	}
	return true;
}

static long bytes_of_events(void)
{
	return (long)TASKS * EVENTS * EVENT_BYTES;
}

FIXTURE(memory)
{
	char group[PATH_MAX];
};

FIXTURE_VARIANT(memory)
{
	bool (*have)(bool all);
	long (*bytes)(void);
};

FIXTURE_VARIANT_ADD(memory, buffers) {
	.have = have_buffers, .bytes = bytes_of_buffers
};

FIXTURE_VARIANT_ADD(memory, inherited_events) {
	.have = have_inherited_events, .bytes = bytes_of_events
};

FIXTURE_SETUP(memory)
{
	SKIP_STOCK_FAULT(true, "events and buffers are not charged to the memory cgroup");
	ASSERT_EQ(0, cgroup_make("memory", self->group, sizeof(self->group)));
	if (cgroup_write(CGROUPFS, "cgroup.subtree_control", "+memory")) {
		cgroup_remove(self->group);
		SKIP(return, "no memory cgroups");
	}
}

FIXTURE_TEARDOWN(memory)
{
	cgroup_remove(self->group);
}

/* Return: what the group is charged while a process of it has all, or nothing; or -1. */
static long charged(const char *group, bool (*have)(bool all), bool all)
{
	struct gate ready = gate_new();
	char path[PATH_MAX + 20];
	long value = -1;
	int status;
	pid_t child;

	child = fork_child();
	if (child == 0) {
		if (cgroup_enter(group, getpid()) || !have(all))
			_exit(1);
		gate_open(&ready);
		pause();
		_exit(1);
	}
	gate_wait_for_child(&ready);
	snprintf(path, sizeof(path), "%s/memory.current", group);
	if (file_read_long(path, &value))
		value = -1;
	cgroup_write(group, "cgroup.kill", "1");
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
		return -1;
	return value;
}

TEST_F(memory, is_charged)
{
	struct rlimit no_limit = { RLIM_INFINITY, RLIM_INFINITY };
	long without, with;

	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &no_limit));
	without = charged(self->group, variant->have, false);
	ASSERT_LT(0, without);
	with = charged(self->group, variant->have, true);
	/* The group may still be charged for some of what is gone. */
	EXPECT_LE(variant->bytes() / 4 * 3, with - without);
}

TEST_HARNESS_MAIN
