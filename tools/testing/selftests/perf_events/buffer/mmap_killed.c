// SPDX-License-Identifier: GPL-2.0
/*
 * A task is killed while mmap(2) of an event allocates memory. The allocation ends there, and
 * nothing of it stays charged.
 *
 * An event counts the pages that the task gets, and its overflow sends SIGKILL. So the task is
 * killed at a known page.
 */
#include "../lib/aux.h"
#include "../lib/buffer.h"
#include "../lib/cgroup.h"
#include "../lib/fake_pmu.h"
#include "../lib/harness.h"
#include "../lib/perf_test.h"
#include "../lib/tracing.h"

#define TRACE_TYPE	"/sys/bus/event_source/devices/fake_trace/type"
#define TRACE_MAX_PAGES	FAKE_DEBUGFS "/fake_trace/max_pages"
#define TRACE_USUAL	1024	/* value of the file before the test */

#define PAGES		4096
#define KILLED_AT	1000

/* Less than a user has without a charge to the process, and PAGES is more on up to 32 CPUs. */
#define ALLOWED		4

/**
 * struct victim - A child that maps an event
 * @go: Where it waits before mmap(2).
 * @pid: The child.
 * @allocated: The event that counts its pages.
 */
struct victim {
	struct gate go;
	pid_t pid;
	int allocated;
};

/* Open a tracepoint of the child, with a period. */
static int watch_for(struct victim *v, const char *tracepoint, int period)
{
	return perf_open(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id(tracepoint),
				   .sample_period = period, .disabled = 1), v->pid, -1, -1);
}

/* Count the pages that the child gets from the gate on. With @deadly it is killed at that page. */
static int watch(struct victim *v, int deadly)
{
	int fd = watch_for(v, "kmem/mm_page_alloc", deadly ?: KILLED_AT);

	if (fd < 0)
		return fd;
	if (deadly && (fcntl(fd, F_SETOWN, v->pid) || fcntl(fd, F_SETSIG, SIGKILL) ||
		       fcntl(fd, F_SETFL, O_ASYNC)))
		return -errno;
	return perf_enable(fd) ?: fd;
}

/* Let the child go on, and return its status. */
static int run(struct victim *v, int deadly)
{
	v->allocated = watch(v, deadly);
	if (v->allocated < 0)
		return v->allocated;
	gate_open(&v->go);
	return wait_status(v->pid);
}

static struct victim child_maps_data(void)
{
	struct victim v = { .go = gate_new() };
	struct perf_buf buf;
	int fd;

	fd = perf_open_self(PERF_SW(DUMMY));
	v.pid = fork_child();
	if (!v.pid) {
		gate_wait(&v.go);
		_exit(-perf_buf_map(&buf, fd, PAGES));
	}
	close(fd);
	return v;
}

/* The control page and the data are mapped before the gate. */
static struct victim child_maps_aux(long type)
{
	struct victim v = { .go = gate_new() };
	struct gate mapped = gate_new();
	struct perf_buf buf;
	int fd;

	fd = perf_open_self(PERF_ATTR(type, 0, .disabled = 1));
	v.pid = fork_child();
	if (!v.pid) {
		if (perf_buf_map(&buf, fd, 1))
			_exit(-1);
		gate_open(&mapped);
		gate_wait(&v.go);
		_exit(-aux_try_map(&buf, fd, PAGES, PROT_READ | PROT_WRITE));
	}
	gate_wait_for_child(&mapped);
	close(fd);
	return v;
}

/* What the user may have without a charge to the process is there again. */
static bool is_not_charged(void)
{
	struct perf_buf buf;
	int fd = perf_open_self(PERF_SW(DUMMY));

	return fd >= 0 && !perf_buf_map(&buf, fd, ALLOWED) && !perf_pinned_kb();
}

/*
 * vmalloc() gets pages from mm's bulk allocator, up to a hundred at a time, and in between it does
 * not look for signals. No tracepoint occurs for each of them. But pages that may be charged to a
 * memory cgroup come one by one, from the moment on when the machine has such a group.
 */
static void have_memory_cgroup(void)
{
	char group[PATH_MAX], before[256] = "";

	if (cgroup_make("mmap_killed", group, sizeof(group)))
		return;
	file_read(CGROUPFS "/cgroup.subtree_control", before, sizeof(before));
	cgroup_write(CGROUPFS, "cgroup.subtree_control", "+memory");
	if (!strstr(before, "memory"))
		cgroup_write(CGROUPFS, "cgroup.subtree_control", "-memory");
	cgroup_remove(group);
}

/* Open an event that counts virtually contiguous areas as large as the buffer, or return -errno. */
static int watch_areas(struct victim *v)
{
	int fd = watch_for(v, "vmalloc/alloc_vmap_area", 1000), err;
	char filter[32];

	if (fd < 0)
		return fd;
	snprintf(filter, sizeof(filter), "size >= %zu", PAGES * page_size);
	err = perf_ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
	return err ?: perf_enable(fd) ?: fd;
}

TEST(data_pages)
{
	struct victim v;
	int areas;

	if (tracepoint_id("kmem/mm_page_alloc") < 0)
		SKIP(return, "no tracepoints, or not root");
	have_memory_cgroup();
	v = child_maps_data();
	ASSERT_LT(0, v.pid);
	areas = watch_areas(&v);
	ASSERT_LE(0, areas);
	ASSERT_EQ(0, run(&v, 0));
	if (perf_count(areas) && perf_count(v.allocated) < PAGES) {
		/* It is killed at its first page, and gets all of them nevertheless. */
		v = child_maps_data();
		ASSERT_LT(0, v.pid);
		/* an EXPECT_ that fails would be skipped, too */
		ASSERT_EQ(-SIGKILL, run(&v, 1));
		ASSERT_TRUE(is_not_charged());
		SKIP(return, "CONFIG_PERF_USE_VMALLOC, and no memory cgroup: pages come in bulk");
	}
	/* what is allocated is counted */
	ASSERT_LE(PAGES, perf_count(v.allocated));

	v = child_maps_data();
	ASSERT_LT(0, v.pid);
	EXPECT_EQ(-SIGKILL, run(&v, KILLED_AT));
	EXPECT_LE(KILLED_AT, perf_count(v.allocated));
	EXPECT_GT(PAGES / 2, perf_count(v.allocated));
	EXPECT_TRUE(is_not_charged());
}

FIXTURE(trace)
{
	long type;
};

FIXTURE_SETUP(trace)
{
	SKIP_WITHOUT_FAKE();
	if (tracepoint_id("kmem/mm_page_alloc") < 0)
		SKIP(return, "no tracepoints");
	ASSERT_EQ(0, file_read_long(TRACE_TYPE, &self->type));
	ASSERT_EQ(0, file_write_long(TRACE_MAX_PAGES, PAGES));
}

FIXTURE_TEARDOWN_PARENT(trace)
{
	if (!access(TRACE_MAX_PAGES, F_OK))
		file_write_long(TRACE_MAX_PAGES, TRACE_USUAL);
}

TEST_F(trace, area)
{
	struct victim v = child_maps_aux(self->type);

	ASSERT_LT(0, v.pid);
	ASSERT_EQ(0, run(&v, 0));
	ASSERT_LE(PAGES, perf_count(v.allocated));

	v = child_maps_aux(self->type);
	ASSERT_LT(0, v.pid);
	EXPECT_EQ(-SIGKILL, run(&v, KILLED_AT));
	EXPECT_LE(KILLED_AT, perf_count(v.allocated));
	EXPECT_GT(PAGES / 2, perf_count(v.allocated));
	EXPECT_TRUE(is_not_charged());
}

TEST_HARNESS_MAIN
