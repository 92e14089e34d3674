/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The matrix of permissions, as Documentation/perf/abi.rst has it. Data of
 * permission_matrix.c.
 *
 * A cell has one character for each value of perf_event_paranoid, from -1 to 3:
 *
 *	.	the event is opened
 *	A	EACCES
 *	P	EPERM
 *	I	EINVAL
 *	O	EOPNOTSUPP
 *	?	not tested
 *
 * What the kind of the event needs is checked first, then what the target needs.
 */
#ifndef PERMISSION_ROWS_H
#define PERMISSION_ROWS_H

#include <errno.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>

#include "../lib/event.h"
#include "../lib/user.h"

/* Callers. Each but the last one is USER_NOBODY in the first user namespace. */
enum caller {
	USER, PERFMON, ADMIN, KILL, PTRACE, PERFMON_KILL, ADMIN_KILL, NAMESPACE_ROOT,
	NR_CALLERS
};

/* What a kind of event depends on: the capabilities of a caller in the first namespace. */
enum rights { NO_RIGHTS, MAY_PERFMON, MAY_ADMIN, NR_RIGHTS };

static const struct caller_row {
	const char *name;
	__u64 caps;
	enum rights rights;
} callers[NR_CALLERS] = {
	[USER]		 = { "user", 0, NO_RIGHTS },
	[PERFMON]	 = { "CAP_PERFMON", USER_CAP(CAP_PERFMON), MAY_PERFMON },
	[ADMIN]		 = { "CAP_SYS_ADMIN", USER_CAP(CAP_SYS_ADMIN), MAY_ADMIN },
	[KILL]		 = { "CAP_KILL", USER_CAP(CAP_KILL), NO_RIGHTS },
	[PTRACE]	 = { "CAP_SYS_PTRACE", USER_CAP(CAP_SYS_PTRACE), NO_RIGHTS },
	[PERFMON_KILL]	 = { "CAP_PERFMON and CAP_KILL",
			     USER_CAP(CAP_PERFMON) | USER_CAP(CAP_KILL), MAY_PERFMON },
	[ADMIN_KILL]	 = { "CAP_SYS_ADMIN and CAP_KILL",
			     USER_CAP(CAP_SYS_ADMIN) | USER_CAP(CAP_KILL), MAY_ADMIN },
	[NAMESPACE_ROOT] = { "root of a user namespace", 0, NO_RIGHTS },
};

/* Where the type or config of a kind comes from. */
enum source { AS_WRITTEN, TRACEPOINT, FUNCTIONS, KPROBE, UPROBE, KERNEL_ADDRESS };

#define USER_SW(...)	PERF_SW(DUMMY, .exclude_kernel = 1, .exclude_hv = 1, ##__VA_ARGS__)
#define USER_ATTR(_type, ...)						\
	PERF_ATTR(_type, 0, .exclude_kernel = 1, .exclude_hv = 1, ##__VA_ARGS__)

/**
 * struct kind_row - A kind of event, opened for a task that any caller may watch
 * @name: For the output.
 * @attr: Attributes, completed from @source.
 * @source: Where type and config come from.
 * @cells: For each kind of rights.
 * @locked: The same if the kernel is locked down for confidentiality; NULL if nothing differs.
 * @sigtrap: The target's second table counts.
 * @any_cpu: Can be opened for a CPU.
 * @slow: Changes the kernel's code, which takes seconds in an emulated machine. So it is tried for
 *	OWN only, and opened by USER, PERFMON and ADMIN only: one caller of each kind of rights.
 * @end: The result if all is permitted.
 */
struct kind_row {
	const char *name;
	struct perf_event_attr attr;
	enum source source;
	const char *cells[NR_RIGHTS];
	const char *locked[NR_RIGHTS];
	bool sigtrap;
	bool any_cpu;
	bool slow;
	int end;
};

static const struct kind_row kinds[] = {
	{
		.name = "count of user mode", .attr = USER_SW(), .any_cpu = true,
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "count of the kernel", .any_cpu = true,
		.attr = PERF_SW(DUMMY, .exclude_hv = 1),
		.cells = { "...AA", "....A", "....." },
	}, {
		.name = "count of the hypervisor",
		.attr = PERF_SW(DUMMY, .exclude_kernel = 1),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "sample with address, registers and stack of user mode",
		.attr = USER_SW(.sample_period = 1000, .sample_regs_user = 1,
				.sample_stack_user = 512,
				.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
					       PERF_SAMPLE_REGS_USER |
					       PERF_SAMPLE_STACK_USER),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "callchain", .any_cpu = true,
		.attr = USER_SW(.sample_period = 1000,
				.sample_type = PERF_SAMPLE_CALLCHAIN),
		.cells = { "...AA", "....A", "....." },
	}, {
		.name = "callchain of user mode",
		.attr = USER_SW(.sample_period = 1000, .exclude_callchain_kernel = 1,
				.sample_type = PERF_SAMPLE_CALLCHAIN),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "branches of the kernel",
		.attr = USER_SW(.sample_period = 1000,
				.sample_type = PERF_SAMPLE_BRANCH_STACK,
				.branch_sample_type = PERF_SAMPLE_BRANCH_KERNEL |
						      PERF_SAMPLE_BRANCH_ANY),
		/* Software events have no branches. */
		.cells = { "OOOAA", "OOOOA", "OOOOO" },
	}, {
		.name = "branches of user mode",
		.attr = USER_SW(.sample_period = 1000,
				.sample_type = PERF_SAMPLE_BRANCH_STACK,
				.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
						      PERF_SAMPLE_BRANCH_ANY),
		.cells = { "OOOOA", "OOOOA", "OOOOO" },
	}, {
		.name = "interrupted registers",
		.attr = USER_SW(.sample_period = 1000, .sample_regs_intr = 1,
				.sample_type = PERF_SAMPLE_REGS_INTR),
		.cells = { "....A", "....A", "....." },
		.locked = { "PPPPA", "PPPPA", "PPPPP" },
	}, {
		.name = "physical addresses", .any_cpu = true,
		.attr = USER_SW(.sample_period = 1000,
				.sample_type = PERF_SAMPLE_PHYS_ADDR),
		.cells = { "...AA", "....A", "....." },
	}, {
		.name = "text_poke", .any_cpu = true,
		.attr = USER_SW(.text_poke = 1),
		.cells = { "...AA", "....A", "....." },
	}, {
		.name = "namespaces", .any_cpu = true,
		.attr = USER_SW(.namespaces = 1),
		.cells = { "AAAAA", "....A", "....." },
	}, {
		.name = "ksymbol and BPF programs", .any_cpu = true,
		.attr = USER_SW(.ksymbol = 1, .bpf_event = 1),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "side band of tasks", .any_cpu = true,
		.attr = USER_SW(.mmap = 1, .mmap2 = 1, .comm = 1, .task = 1,
				.context_switch = 1, .cgroup = 1),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "tracepoint", .source = TRACEPOINT, .any_cpu = true,
		.attr = USER_ATTR(PERF_TYPE_TRACEPOINT),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "tracepoint with raw data", .source = TRACEPOINT, .any_cpu = true,
		.attr = USER_ATTR(PERF_TYPE_TRACEPOINT, .sample_period = 1,
				  .sample_type = PERF_SAMPLE_RAW),
		.cells = { ".PPPA", "....A", "....." },
	}, {
		.name = "functions of the kernel", .source = FUNCTIONS, .slow = true,
		.attr = USER_ATTR(PERF_TYPE_TRACEPOINT),
		.cells = { ".PPPA", "....A", "....." },
	}, {
		.name = "kprobe", .source = KPROBE, .slow = true,
		.attr = USER_ATTR(0, .disabled = 1),
		.cells = { "AAAAA", "....A", "....." },
		.locked = { "AAAAA", "PPPPA", "PPPPP" },
	}, {
		.name = "uprobe", .source = UPROBE,
		.attr = USER_ATTR(0, .disabled = 1),
		/* The file does not exist: EINVAL is a permission. */
		.cells = { "AAAAA", "AAAAA", "IIIII" },
	}, {
		.name = "breakpoint in the kernel", .source = KERNEL_ADDRESS,
		.attr = PERF_ATTR(PERF_TYPE_BREAKPOINT, 0, .exclude_hv = 1,
				  .bp_type = HW_BREAKPOINT_W,
				  .bp_len = HW_BREAKPOINT_LEN_4),
		.cells = { "PPPAA", "PPPPA", "....." },
	}, {
		.name = "breakpoint in user mode",
		.attr = USER_ATTR(PERF_TYPE_BREAKPOINT,
				  .bp_addr = 0x1000, .bp_type = HW_BREAKPOINT_W,
				  .bp_len = HW_BREAKPOINT_LEN_4),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "signal", .sigtrap = true,
		.attr = USER_SW(.sigtrap = 1, .remove_on_exec = 1),
		.cells = { "....A", "....A", "....." },
	}, {
		.name = "sample of an AUX area", .any_cpu = true,
		.attr = USER_SW(.sample_type = PERF_SAMPLE_AUX, .aux_sample_size = 8),
		/* There is no leader. The target is checked before that. */
		.end = -EINVAL,
		.cells = { "....A", "....A", "....." },
	},
};

/* Targets */
enum target {
	OWN, SAME_USER, OTHER_USER, ROOT, MORE_CAPS, SETUID, KTHREAD, NAMESPACE, CPU, CGROUP,
	NR_TARGETS
};

#define ALL	"....."
#define NONE	"AAAAA"
#define WIDE	"..AAA"
#define SKIPPED	"?????"

/**
 * struct target_row - A target, and the callers that may open an event for it
 * @name: For the output.
 * @cells: For each caller.
 * @trap: For each caller, if the event sends a signal to the task.
 */
struct target_row {
	const char *name;
	const char *cells[NR_CALLERS];
	const char *trap[NR_CALLERS];
};

static const struct target_row targets[NR_TARGETS] = {
	/* USER PERFMON ADMIN KILL PTRACE PERFMON_KILL ADMIN_KILL NAMESPACE_ROOT */
	[OWN] = {
		"the caller",
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL },
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL },
	},
	[SAME_USER] = {
		"a task of the same user, which may execute a setuid program later",
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, NONE },
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, NONE },
	},
	[OTHER_USER] = {
		"a task of another user",
		{ NONE, ALL, ALL, NONE, ALL, ALL, ALL, NONE },
		{ NONE, NONE, NONE, NONE, ALL, ALL, ALL, NONE },
	},
	[ROOT] = {
		"a task of root",
		{ NONE, ALL, ALL, NONE, ALL, ALL, ALL, NONE },
		{ NONE, NONE, NONE, NONE, ALL, ALL, ALL, NONE },
	},
	[MORE_CAPS] = {
		"a task of the same user with CAP_NET_ADMIN",
		{ NONE, ALL, ALL, NONE, ALL, ALL, ALL, NONE },
		{ NONE, NONE, NONE, NONE, ALL, ALL, ALL, NONE },
	},
	[SETUID] = {
		"a setuid program of the same user",
		{ NONE, ALL, ALL, NONE, ALL, ALL, ALL, NONE },
		{ NONE, NONE, NONE, NONE, ALL, ALL, ALL, NONE },
	},
	[KTHREAD] = {
		"a thread of the kernel",
		{ NONE, ALL, ALL, NONE, ALL, ALL, ALL, NONE },
		{ SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED },
	},
	[NAMESPACE] = {
		"root of a user namespace that the same user has made",
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, NONE },
		{ ALL, ALL, ALL, ALL, ALL, ALL, ALL, NONE },
	},
	[CPU] = {
		"a CPU",
		{ WIDE, ALL, ALL, WIDE, WIDE, ALL, ALL, WIDE },
		{ SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED },
	},
	[CGROUP] = {
		"a cgroup",
		{ WIDE, ALL, ALL, WIDE, WIDE, ALL, ALL, WIDE },
		{ SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED, SKIPPED },
	},
};

#endif /* PERMISSION_ROWS_H */
