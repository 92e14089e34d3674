// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2) of each kind of event, with each allocation and each copy failing in turn:
 * ENOMEM or EFAULT, nothing leaks, and the event can be opened and counts afterwards.
 */
#include <linux/hw_breakpoint.h>

#include "../lib/buffer.h"
#include "../lib/cgroup.h"
#include "../lib/pmu.h"
#include "../lib/tracing.h"
#include "fault_rows.h"

/* The call that a row makes. */
static struct {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group;
	unsigned long flags;
} call;

/* What a row has opened or made for its calls, once. */
static struct {
	pid_t child;
	int leader;
	struct perf_buf buf;	/* the leader's */
	int cgroup;
	char dir[256];		/* the control group's */
} made = { .leader = -1, .cgroup = -1 };

static volatile long watched;

static int open_call(void)
{
	return perf_raw_open(&call.attr, call.pid, call.cpu, call.group, call.flags);
}

static void close_call(int fd)
{
	close(fd);
}

static int set_call(struct perf_event_attr attr, pid_t pid, int cpu)
{
	call.attr = attr;
	call.pid = pid;
	call.cpu = cpu;
	call.group = -1;
	call.flags = PERF_FLAG_FD_CLOEXEC;
	return 0;
}

/* Whether a load of ten occurrences is counted. */
static bool counts_ten(void (*load)(void))
{
	int fd = open_call();
	bool right;

	if (fd < 0)
		return false;
	load();
	right = perf_count(fd) >= 10;
	close(fd);
	return right;
}

static void load_faults(void)
{
	fault_pages(10);
}

static void load_renames(void)
{
	rename_self(10);
}

static void load_umasks(void)
{
	for (int i = 0; i < 10; i++)
		umask(022);
}

static void load_writes(void)
{
	for (int i = 0; i < 10; i++)
		watched = i;
}

static void load_time(void)
{
	burn_cpu(5 * NSEC_PER_MSEC);
}

static bool counts_faults_again(void)
{
	return counts_ten(load_faults);
}

static bool counts_renames(void)
{
	return counts_ten(load_renames);
}

static bool counts_umasks(void)
{
	return counts_ten(load_umasks);
}

static bool counts_writes(void)
{
	return counts_ten(load_writes);
}

static bool counts_time(void)
{
	return counts_ten(load_time);
}

/* Software events */

static int ready_task(void)
{
	return set_call(PERF_SW(PAGE_FAULTS), 0, -1);
}

FAULT_ROW(task, .ready = ready_task, .act = open_call, .undo = close_call, .copies = 1,
	  .works = counts_faults_again);

static int ready_task_on_cpu(void)
{
	pin_to_cpu(nth_cpu(0));
	return set_call(PERF_SW(PAGE_FAULTS), 0, nth_cpu(0));
}

FAULT_ROW(task_on_cpu, .ready = ready_task_on_cpu, .act = open_call, .undo = close_call,
	  .copies = 1, .works = counts_faults_again);

static int ready_cpu(void)
{
	pin_to_cpu(nth_cpu(0));
	return set_call(PERF_SW(PAGE_FAULTS), -1, nth_cpu(0));
}

FAULT_ROW(cpu, .ready = ready_cpu, .act = open_call, .undo = close_call, .copies = 1,
	  .works = counts_faults_again);

/* The first event of a task that has none. */
static int ready_other_task(void)
{
	made.child = fork_child();
	if (made.child == 0) {
		for (;;)
			pause();
	}
	return set_call(PERF_SW(PAGE_FAULTS), made.child, -1);
}

static void kill_other_task(void)
{
	kill_child(made.child);
}

FAULT_ROW(other_task, .ready = ready_other_task, .act = open_call, .undo = close_call,
	  .clear = kill_other_task, .copies = 1);

static int ready_clock(void)
{
	return set_call(PERF_SW(CPU_CLOCK, .sample_period = NSEC_PER_MSEC,
				.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN), 0, -1);
}

FAULT_ROW(clock_with_callchains, .ready = ready_clock, .act = open_call, .undo = close_call,
	  .copies = 1, .works = counts_time, .tolerated = FAULT_PER_CPU,
	  .why = "kvmalloc() of the callchains of a CPU takes pages instead");

static int ready_member(void)
{
	made.leader = perf_open_self(PERF_SW(CONTEXT_SWITCHES));
	set_call(PERF_SW(PAGE_FAULTS), 0, -1);
	call.group = made.leader;
	return made.leader < 0 ? made.leader : 0;
}

static void close_leader(void)
{
	close(made.leader);
}

static bool member_counts(void)
{
	bool right;

	if (ready_member())
		return false;
	right = counts_faults_again();
	close_leader();
	return right;
}

FAULT_ROW(member_of_group, .ready = ready_member, .act = open_call, .undo = close_call,
	  .clear = close_leader, .copies = 1, .works = member_counts);

static int ready_output(void)
{
	int err = ready_member();

	call.flags |= PERF_FLAG_FD_OUTPUT;
	return err ?: perf_buf_map(&made.buf, made.leader, 1);
}

static void close_output(void)
{
	perf_buf_unmap(&made.buf);
	close_leader();
}

FAULT_ROW(member_with_output, .ready = ready_output, .act = open_call, .undo = close_call,
	  .clear = close_output, .copies = 1);

/* The attributes are no event: the reason is kept in any case, if there is memory for it. */
static int ready_refused(void)
{
	return set_call(PERF_SW(PAGE_FAULTS, .exclude_kernel = 1, .sample_type = ~0ULL), 0, -1);
}

FAULT_ROW(refused, .ready = ready_refused, .act = open_call, .copies = 1, .end = -EINVAL,
	  .none = true);

/* Control groups */

static const char *missing_cgroup(void)
{
	if (cgroup_make("faults", made.dir, sizeof(made.dir)))
		return "no control groups";
	made.cgroup = open(made.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return NULL;
}

static void remove_cgroup(void)
{
	close(made.cgroup);
	cgroup_remove(made.dir);
}

static int ready_cgroup(void)
{
	pin_to_cpu(nth_cpu(0));
	if (made.cgroup < 0)
		return -ENOENT;
	set_call(PERF_SW(PAGE_FAULTS), made.cgroup, nth_cpu(0));
	call.flags |= PERF_FLAG_PID_CGROUP;
	return 0;
}

FAULT_ROW(cgroup, .missing = missing_cgroup, .ready = ready_cgroup, .act = open_call,
	  .undo = close_call, .copies = 1, .finish = remove_cgroup, .tolerated = 1,
	  .why = "kvmalloc() of the table of control groups takes pages instead");

/* Hardware */

static const char *missing_hardware(void)
{
	return perf_try_self(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES)) ?
	       "no counters of the CPU" : NULL;
}

static int ready_cycles(void)
{
	return set_call(PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), 0, -1);
}

FAULT_ROW(cycles, .missing = missing_hardware, .ready = ready_cycles, .act = open_call,
	  .undo = close_call, .copies = 1, .works = counts_time);

static const struct perf_event_attr call_stack =
	PERF_ATTR(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, .sample_period = 100000,
		  .sample_type = PERF_SAMPLE_BRANCH_STACK, .exclude_kernel = 1,
		  .branch_sample_type = PERF_SAMPLE_BRANCH_USER |
					PERF_SAMPLE_BRANCH_CALL_STACK);

static const char *missing_branches(void)
{
	return perf_try_self(call_stack) ? "no stacks of calls in hardware" : NULL;
}

static int ready_branches(void)
{
	return set_call(call_stack, 0, -1);
}

FAULT_ROW(branch_stack, .missing = missing_branches, .ready = ready_branches, .act = open_call,
	  .undo = close_call, .copies = 1, .works = counts_time);

/* Retired conditional branches: precise on all of Intel's CPUs that have such events. */
static const struct perf_event_attr precise =
	PERF_ATTR(PERF_TYPE_RAW, 0x01c4, .sample_period = 100000, .sample_type = PERF_SAMPLE_IP,
		  .precise_ip = 2, .exclude_kernel = 1);

static const char *missing_precise(void)
{
#ifdef __x86_64__
	return perf_try_self(precise) ? "no precise events" : NULL;
#else
	return "x86 only";
#endif
}

static int ready_precise(void)
{
	return set_call(precise, 0, -1);
}

FAULT_ROW(precise_event, .missing = missing_precise, .ready = ready_precise, .act = open_call,
	  .undo = close_call, .copies = 1);

/* Tracing */

static const char *missing_tracepoint(void)
{
	return tracepoint_id("task/task_rename") < 0 ? "no tracepoints" : NULL;
}

static int ready_tracepoint(void)
{
	return set_call(PERF_ATTR(PERF_TYPE_TRACEPOINT, tracepoint_id("task/task_rename")),
			0, -1);
}

FAULT_ROW(tracepoint, .missing = missing_tracepoint, .ready = ready_tracepoint,
	  .act = open_call, .undo = close_call, .copies = 1, .works = counts_renames);

static const char *missing_kprobe(void)
{
	return pmu_type("kprobe") < 0 ? "no kprobes" : NULL;
}

static int ready_kprobe(void)
{
	return set_call(PERF_ATTR(pmu_type("kprobe"), 0, .kprobe_func =
				  (unsigned long)SYSCALL_SYMBOL(umask)), 0, -1);
}

/* The attributes, and the name of the function */
FAULT_ROW(kprobe, .missing = missing_kprobe, .ready = ready_kprobe, .act = open_call,
	  .undo = close_call, .copies = 2, .works = counts_umasks, .rounds = 4);

/* Own code, which the uprobe is on. */
__attribute__((noinline))
static void probed(void)
{
	asm volatile("nop");
}

static void load_calls(void)
{
	for (int i = 0; i < 10; i++)
		probed();
}

static const char *missing_uprobe(void)
{
	return pmu_type("uprobe") < 0 ? "no uprobes" : NULL;
}

static int ready_uprobe(void)
{
	return set_call(PERF_ATTR(pmu_type("uprobe"), 0,
				  .uprobe_path = (unsigned long)"/proc/self/exe",
				  .probe_offset = file_offset(probed)), 0, -1);
}

static bool counts_calls(void)
{
	return counts_ten(load_calls);
}

FAULT_ROW(uprobe, .missing = missing_uprobe, .ready = ready_uprobe, .act = open_call,
	  .undo = close_call, .copies = 2, .works = counts_calls, .rounds = 4, .tolerated = 12,
	  .why = "the lookup of the path and uprobes.c try again");

/* Breakpoints */

static struct perf_event_attr breakpoint(void)
{
	return PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .bp_type = HW_BREAKPOINT_W,
			 .bp_addr = (unsigned long)&watched, .bp_len = sizeof(watched),
			 .exclude_kernel = 1);
}

static int ready_breakpoint(void)
{
	return set_call(breakpoint(), 0, -1);
}

static const char *missing_breakpoint(void)
{
	return perf_try_self(breakpoint()) ? "no breakpoints" : NULL;
}

FAULT_ROW(breakpoint_of_task, .missing = missing_breakpoint, .ready = ready_breakpoint,
	  .act = open_call, .undo = close_call, .copies = 1, .works = counts_writes);

static int ready_breakpoint_of_cpu(void)
{
	pin_to_cpu(nth_cpu(0));
	return set_call(breakpoint(), -1, nth_cpu(0));
}

FAULT_ROW(breakpoint_of_cpu, .missing = missing_breakpoint, .ready = ready_breakpoint_of_cpu,
	  .act = open_call, .undo = close_call, .copies = 1, .works = counts_writes);

TEST_HARNESS_MAIN
