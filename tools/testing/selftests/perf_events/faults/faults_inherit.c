// SPDX-License-Identifier: GPL-2.0
/*
 * fork(2) and clone(2) of a task with inherited events, with each allocation and each copy
 * failing in turn: ENOMEM, no task and no event remains, and the next child counts.
 *
 * The child shares the memory of its parent, so that few of the allocations are made by mm.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/pmu.h"
#include "../lib/tracing.h"
#include "fault_rows.h"

#define MANY	40
#define PAGES	10

static int fds[MANY];
static int nr_fds;
static struct perf_event_attr attrs[MANY];
static int cpus[MANY];
static bool grouped;

static char stack[64 * 1024] __attribute__((aligned(16)));
static volatile long watched;

/*
 * What the child does; NULL: it only exits. Volatile: to the compiler clone() is a leaf function,
 * which does not call child_main().
 */
static void (*volatile load)(void);
static char *volatile fresh;

static void add(struct perf_event_attr attr, int cpu)
{
	attr.inherit = 1;
	attrs[nr_fds] = attr;
	cpus[nr_fds++] = cpu;
}

/* One child, which has exited when clone() returns. It must not use the library's state. */
static int child_main(void *arg)
{
	if (load)
		load();
	_exit(0);
}

static int clone_child(void)
{
	int pid = clone(child_main, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	return pid < 0 ? -errno : pid;
}

static void reap(int pid)
{
	waitpid(pid, NULL, 0);
}

static int open_all(void)
{
	int i;

	for (i = 0; i < nr_fds; i++) {
		fds[i] = perf_open(attrs[i], 0, cpus[i], grouped && i ? fds[0] : -1);
		if (fds[i] < 0)
			return fds[i];
	}
	return 0;
}

static void close_all(void)
{
	perf_close_all(fds, nr_fds);
	nr_fds = 0;
	grouped = false;
}

static void touch_fresh(void)
{
	touch_pages(fresh, PAGES);
}

static void write_watched(void)
{
	for (int i = 0; i < PAGES; i++)
		watched = i;
}

static void renames(void)
{
	rename_self(PAGES);
}

/* Whether a child without faults is counted, by the first event alone. */
static bool child_counts(int (*ready)(void), void (*what)(void))
{
	bool right = false;
	int pid;

	fresh = map_fresh_pages(PAGES);
	if (!fresh || ready())
		return false;
	load = what;
	pid = clone_child();
	load = NULL;
	if (pid >= 0) {
		reap(pid);
		right = perf_count(fds[0]) >= PAGES;
	}
	close_all();
	munmap(fresh, PAGES * sysconf(_SC_PAGESIZE));
	return right;
}

/* Rows */

/*
 * Then the contexts of parent and child are never swapped. Seldom up to two objects more are
 * survived; which ones was not traced.
 */
#define NO_FAMILY	"perf_ctx_family_end_inherit() does without a family, others have fallbacks"

static int ready_none(void)
{
	return 0;
}

/* What clone() itself needs: no event is inherited. */
FAULT_ROW(no_event, .ready = ready_none, .act = clone_child, .undo = reap);

static int ready_one(void)
{
	add(PERF_SW(PAGE_FAULTS), -1);
	return open_all();
}

static bool one_counts(void)
{
	return child_counts(ready_one, touch_fresh);
}

FAULT_ROW(event, .ready = ready_one, .act = clone_child, .undo = reap, .clear = close_all,
	  .works = one_counts,
	  .tolerated = 4, .why = NO_FAMILY);

/* More events than have a place on the stack of fork */
static int ready_many(void)
{
	for (int i = 0; i < MANY; i++)
		add(PERF_SW(PAGE_FAULTS), -1);
	return open_all();
}

static bool many_count(void)
{
	return child_counts(ready_many, touch_fresh);
}

FAULT_ROW(many_events, .ready = ready_many, .act = clone_child, .undo = reap,
	  .clear = close_all, .works = many_count, .rounds = 8,
	  .tolerated = 4, .why = NO_FAMILY);

static int ready_group(void)
{
	grouped = true;
	for (int i = 0; i < 5; i++)
		add(PERF_SW(PAGE_FAULTS), -1);
	return open_all();
}

static bool group_counts(void)
{
	return child_counts(ready_group, touch_fresh);
}

FAULT_ROW(group_of_events, .ready = ready_group, .act = clone_child, .undo = reap,
	  .clear = close_all, .works = group_counts,
	  .tolerated = 4, .why = NO_FAMILY);

/* Events on each CPU, and on CPU 0 one that writes callchains */
static int ready_cpus(void)
{
	for (int i = 0; nth_cpu(i) >= 0 && i < 4; i++)
		add(PERF_SAMPLED(PAGE_FAULTS, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN),
		    nth_cpu(i));
	return open_all();
}

FAULT_ROW(events_of_cpus, .ready = ready_cpus, .act = clone_child, .undo = reap,
	  .clear = close_all,
	  .tolerated = 4, .why = NO_FAMILY);

static const char *missing_tracepoint(void)
{
	return tracepoint_id("task/task_rename") < 0 ? "no tracepoints" : NULL;
}

static int ready_tracepoint(void)
{
	add(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename")), -1);
	return open_all();
}

static bool tracepoint_counts(void)
{
	return child_counts(ready_tracepoint, renames);
}

FAULT_ROW(tracepoint, .missing = missing_tracepoint, .ready = ready_tracepoint,
	  .act = clone_child, .undo = reap, .clear = close_all, .works = tracepoint_counts,
	  .tolerated = 4, .why = NO_FAMILY);

static struct perf_event_attr breakpoint(void)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
			 .bp_addr = (unsigned long)&watched, .bp_len = sizeof(watched),
			 .exclude_kernel = 1);
}

static const char *missing_breakpoint(void)
{
	return perf_try_self(breakpoint()) ? "no breakpoints" : NULL;
}

static int ready_breakpoint(void)
{
	add(breakpoint(), -1);
	return open_all();
}

static bool breakpoint_counts(void)
{
	return child_counts(ready_breakpoint, write_watched);
}

FAULT_ROW(breakpoint_of_task, .missing = missing_breakpoint, .ready = ready_breakpoint,
	  .act = clone_child, .undo = reap, .clear = close_all, .works = breakpoint_counts,
	  .tolerated = 8,
	  .why = NO_FAMILY ", perf_pmu_of_event() tries twice, and rhashtable grows later");

static const char *missing_hardware(void)
{
	return perf_try_self(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)) ||
	       perf_try_self(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS)) ?
	       "no counters of the CPU" : NULL;
}

static int ready_hardware(void)
{
	add(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), -1);
	add(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, .sample_period = 1000000,
		      .sample_type = PERF_SAMPLE_IP), -1);
	return open_all();
}

static bool hardware_counts(void)
{
	return child_counts(ready_hardware, touch_fresh);
}

FAULT_ROW(hardware, .missing = missing_hardware, .ready = ready_hardware, .act = clone_child,
	  .undo = reap, .clear = close_all, .works = hardware_counts,
	  .tolerated = 4, .why = NO_FAMILY);

TEST_HARNESS_MAIN
