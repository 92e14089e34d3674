/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may have how many debug registers.
 *
 * A CPU has a number of slots for each type of breakpoint. On it are its own
 * breakpoints and, one task at a time, those of the task that runs. The ledger takes
 * a breakpoint only if on no CPU and with no task more will be wanted than there
 * are, so that none ever has to wait or to fail later.
 */
#ifndef _KERNEL_EVENTS_BREAKPOINT_SLOTS_H
#define _KERNEL_EVENTS_BREAKPOINT_SLOTS_H

#include <linux/hw_breakpoint.h>
#include <linux/list.h>
#include <linux/rhashtable-types.h>

#define PERF_BP_MAX_SLOTS	32

/**
 * struct perf_bp_claim - where a breakpoint will be
 * @task: with which task, or NULL: always
 * @cpu: on which CPU, or -1: wherever the task runs
 * @type: TYPE_INST or TYPE_DATA
 */
struct perf_bp_claim {
	struct task_struct	*task;
	int			cpu;
	enum bp_type_idx	type;
};

/**
 * struct perf_bp_ledger - what has been taken
 * @slots: that a CPU has, by type
 * @nr: claims that were taken
 * @cpus: CPUs' own breakpoints, by CPU and type
 * @busiest_cpu: the largest of those
 * @tasks_with: how many tasks have n breakpoints that are not bound to a CPU
 * @tasks: struct perf_bp_task by task
 * @bound_tasks: those that have breakpoints bound to CPUs
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
