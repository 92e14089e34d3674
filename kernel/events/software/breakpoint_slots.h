/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Accounting of debug registers.
 *
 * A CPU has a number of slots for each type of breakpoint. It uses them for its own
 * breakpoints and for the running task's. A claim is granted only if the
 * slots suffice on every CPU with every task. So scheduling in a breakpoint never
 * has to wait and never fails for lack of a register.
 */
#ifndef _KERNEL_EVENTS_BREAKPOINT_SLOTS_H
#define _KERNEL_EVENTS_BREAKPOINT_SLOTS_H

#include <linux/hw_breakpoint.h>
#include <linux/list.h>
#include <linux/rhashtable-types.h>

#define PERF_BP_MAX_SLOTS	32

/**
 * struct perf_bp_claim - task, CPU and type of a breakpoint
 * @task: the task, or NULL for a breakpoint of a CPU
 * @cpu: the CPU, or -1 for any CPU on which the task runs
 * @type: TYPE_INST or TYPE_DATA
 */
struct perf_bp_claim {
	struct task_struct	*task;
	int			cpu;
	enum bp_type_idx	type;
};

/**
 * struct perf_bp_ledger - the slots that are taken
 * @slots: number of slots of a CPU, by type
 * @nr: number of granted claims
 * @cpus: number of breakpoints of CPUs, by CPU and type
 * @busiest_cpu: maximum of @cpus over all CPUs, by type
 * @tasks_with: number of tasks that have n breakpoints not bound to a CPU, by type and n
 * @tasks: struct perf_bp_task, by task
 * @bound_tasks: list of the tasks that have breakpoints bound to CPUs
 */
struct perf_bp_ledger {
	unsigned int		slots[TYPE_MAX];
	unsigned int		nr;
	u8			(*cpus)[TYPE_MAX];
	unsigned int		busiest_cpu[TYPE_MAX];
	unsigned int		tasks_with[TYPE_MAX][PERF_BP_MAX_SLOTS + 1];
	struct rhashtable	tasks;
	struct list_head	bound_tasks;
};

int perf_bp_ledger_init(struct perf_bp_ledger *ledger);
void perf_bp_ledger_destroy(struct perf_bp_ledger *ledger);
int perf_bp_take(struct perf_bp_ledger *ledger, const struct perf_bp_claim *claim);
void perf_bp_give_back(struct perf_bp_ledger *ledger, const struct perf_bp_claim *claim);

#endif /* _KERNEL_EVENTS_BREAKPOINT_SLOTS_H */
