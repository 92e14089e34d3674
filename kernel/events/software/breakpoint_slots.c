// SPDX-License-Identifier: GPL-2.0
/*
 * Accounting of debug registers, see breakpoint_slots.h.
 *
 * The cost of a claim depends on the breakpoints of its task, not on the number of
 * tasks that have breakpoints. The exception is a breakpoint of a CPU: its claim
 * visits all tasks that have breakpoints bound to CPUs. This file does not deal
 * with events, hw_breakpoint.c does.
 *
 * The caller serialises all calls. Context: task. A claim without a task allocates
 * no memory and does not sleep.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "breakpoint_slots.h"

/**
 * struct perf_bp_task - a task that has breakpoints
 * @task: the task
 * @node: in perf_bp_ledger::tasks
 * @nr: number of its breakpoints, of all types
 * @anywhere: number of those not bound to a CPU, by type
 * @bound: number of those bound to a CPU, by perf_bp_index(); xarray values
 * @bound_entry: on perf_bp_ledger::bound_tasks while @bound is not empty
 */
struct perf_bp_task {
	struct task_struct	*task;
	struct rhash_head	node;
	unsigned int		nr;
	unsigned int		anywhere[TYPE_MAX];
	struct xarray		bound;
	struct list_head	bound_entry;
};

static const struct rhashtable_params perf_bp_tasks_params = {
	.key_len		= sizeof_field(struct perf_bp_task, task),
	.key_offset		= offsetof(struct perf_bp_task, task),
	.head_offset		= offsetof(struct perf_bp_task, node),
	.automatic_shrinking	= true,
};

static unsigned long perf_bp_index(int cpu, enum bp_type_idx type)
{
	return (unsigned long)cpu * TYPE_MAX + type;
}

static unsigned int perf_bp_bound(struct perf_bp_task *t, int cpu, enum bp_type_idx type)
{
	void *entry = xa_load(&t->bound, perf_bp_index(cpu, type));

	return entry ? xa_to_value(entry) : 0;
}

static int perf_bp_set_bound(struct perf_bp_ledger *ledger, struct perf_bp_task *t,
			     const struct perf_bp_claim *claim, unsigned int nr)
{
	unsigned long index = perf_bp_index(claim->cpu, claim->type);

	if (nr) {
		int err = xa_err(xa_store(&t->bound, index, xa_mk_value(nr), GFP_KERNEL));

		if (err)
			return err;
		if (list_empty(&t->bound_entry))
			list_add(&t->bound_entry, &ledger->bound_tasks);
		return 0;
	}
	xa_erase(&t->bound, index);
	if (xa_empty(&t->bound))
		list_del_init(&t->bound_entry);
	return 0;
}

static struct perf_bp_task *perf_bp_find_task(struct perf_bp_ledger *ledger,
					      struct task_struct *task)
{
	return rhashtable_lookup_fast(&ledger->tasks, &task, perf_bp_tasks_params);
}

static struct perf_bp_task *perf_bp_get_task(struct perf_bp_ledger *ledger,
					     struct task_struct *task)
{
	struct perf_bp_task *t = perf_bp_find_task(ledger, task);
	int err;

	if (t)
		return t;
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->task = task;
	xa_init_flags(&t->bound, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&t->bound_entry);
	err = rhashtable_insert_fast(&ledger->tasks, &t->node, perf_bp_tasks_params);
	if (!err)
		return t;
	kfree(t);
	return ERR_PTR(err);
}

static void perf_bp_put_task(struct perf_bp_ledger *ledger, struct perf_bp_task *t)
{
	if (t->nr)
		return;
	rhashtable_remove_fast(&ledger->tasks, &t->node, perf_bp_tasks_params);
	xa_destroy(&t->bound);
	kfree(t);
}

static bool perf_bp_fits_task(struct perf_bp_ledger *ledger, struct perf_bp_task *t,
			      const struct perf_bp_claim *claim)
{
	enum bp_type_idx type = claim->type;
	unsigned int nr = t->anywhere[type] + 1;
	unsigned long index;
	void *entry;

	if (claim->cpu >= 0)
		return ledger->cpus[claim->cpu][type] + nr +
		       perf_bp_bound(t, claim->cpu, type) <= ledger->slots[type];

	/* A breakpoint that follows its task to any CPU must fit on each CPU. */
	if (ledger->busiest_cpu[type] + nr > ledger->slots[type])
		return false;
	xa_for_each(&t->bound, index, entry) {
		if (index % TYPE_MAX == type &&
		    ledger->cpus[index / TYPE_MAX][type] + xa_to_value(entry) + nr >
		    ledger->slots[type])
			return false;
	}
	return true;
}

static bool perf_bp_fits_cpu(struct perf_bp_ledger *ledger,
			     const struct perf_bp_claim *claim)
{
	enum bp_type_idx type = claim->type;
	unsigned int most = ledger->slots[type];
	struct perf_bp_task *t;

	/* an upper bound of the breakpoints that any one task has on this CPU */
	while (most && !ledger->tasks_with[type][most])
		most--;
	list_for_each_entry(t, &ledger->bound_tasks, bound_entry)
		most = max(most, t->anywhere[type] +
				 perf_bp_bound(t, claim->cpu, type));
	return ledger->cpus[claim->cpu][type] + 1 + most <= ledger->slots[type];
}

static void perf_bp_change_cpu(struct perf_bp_ledger *ledger,
			       const struct perf_bp_claim *claim, int change)
{
	enum bp_type_idx type = claim->type;
	unsigned int most = 0;
	int cpu;

	ledger->cpus[claim->cpu][type] += change;
	for_each_possible_cpu(cpu)
		most = max(most, ledger->cpus[cpu][type]);
	ledger->busiest_cpu[type] = most;
}

static int perf_bp_change_task(struct perf_bp_ledger *ledger, struct perf_bp_task *t,
			       const struct perf_bp_claim *claim, int change)
{
	enum bp_type_idx type = claim->type;
	int err;

	if (claim->cpu >= 0) {
		err = perf_bp_set_bound(ledger, t, claim,
					perf_bp_bound(t, claim->cpu, type) + change);
		if (err)
			return err;
	} else {
		/* tasks_with[type][0] changes as well, but is never read */
		ledger->tasks_with[type][t->anywhere[type]]--;
		t->anywhere[type] += change;
		ledger->tasks_with[type][t->anywhere[type]]++;
	}
	t->nr += change;
	return 0;
}

/**
 * perf_bp_take() - take a slot for a breakpoint, for as long as it exists
 * @ledger: the ledger
 * @claim: task, CPU and type of the breakpoint
 *
 * Return: 0, -ENOSPC, or -ENOMEM.
 */
int perf_bp_take(struct perf_bp_ledger *ledger, const struct perf_bp_claim *claim)
{
	struct perf_bp_task *t;
	int err = -ENOSPC;

	if (claim->task) {
		t = perf_bp_get_task(ledger, claim->task);
		if (IS_ERR(t))
			return PTR_ERR(t);
		if (perf_bp_fits_task(ledger, t, claim))
			err = perf_bp_change_task(ledger, t, claim, 1);
		perf_bp_put_task(ledger, t);
	} else if (perf_bp_fits_cpu(ledger, claim)) {
		perf_bp_change_cpu(ledger, claim, 1);
		err = 0;
	}
	if (!err)
		ledger->nr++;
	return err;
}

/**
 * perf_bp_give_back() - undo perf_bp_take()
 * @ledger: the ledger
 * @claim: as passed to perf_bp_take()
 */
void perf_bp_give_back(struct perf_bp_ledger *ledger, const struct perf_bp_claim *claim)
{
	struct perf_bp_task *t;

	if (claim->task) {
		t = perf_bp_find_task(ledger, claim->task);
		if (WARN_ON_ONCE(!t))
			return;
		/* cannot fail: storing a smaller value allocates no memory */
		perf_bp_change_task(ledger, t, claim, -1);
		perf_bp_put_task(ledger, t);
	} else {
		perf_bp_change_cpu(ledger, claim, -1);
	}
	ledger->nr--;
}

/**
 * perf_bp_ledger_init() - initialise an empty ledger
 * @ledger: the ledger; the caller has set slots, to PERF_BP_MAX_SLOTS at most
 *
 * Return: 0 or -ENOMEM.
 */
int perf_bp_ledger_init(struct perf_bp_ledger *ledger)
{
	int err;

	INIT_LIST_HEAD(&ledger->bound_tasks);
	ledger->cpus = kcalloc(nr_cpu_ids, sizeof(*ledger->cpus), GFP_KERNEL);
	if (!ledger->cpus)
		return -ENOMEM;
	err = rhashtable_init(&ledger->tasks, &perf_bp_tasks_params);
	if (err)
		kfree(ledger->cpus);
	return err;
}

/**
 * perf_bp_ledger_destroy() - undo perf_bp_ledger_init()
 * @ledger: the ledger; no slot is taken
 */
void perf_bp_ledger_destroy(struct perf_bp_ledger *ledger)
{
	rhashtable_destroy(&ledger->tasks);
	kfree(ledger->cpus);
}
