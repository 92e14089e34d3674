// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals that say why.
 *
 * Owns the reason of each task's last refused request, the tracepoint
 * perf:perf_event_refused and /proc/<pid>/perf_event_refusal. Few tasks are ever
 * refused anything: the reasons are in a table of their own, and task_struct is as
 * it was. The table grows with the number of entries, one a task at most, so that
 * the exit of a task takes as long whatever others were refused.
 * Does not decide anything: whoever refuses picks the errno, which is the ABI's,
 * and passes it through perf_refuse().
 *
 * Entry points: perf_refuse() in the context of the task that asked, the reading
 * ones in any task's. Locking rules: the table has its own locks for coming into it
 * and leaving it; task_lock() keeps a text whole; an entry is found under RCU, by
 * its own task also without, and freed a grace period after its task has forgotten
 * it, which it does before it is freed itself.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "refusal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/perf_event.h>

/**
 * struct perf_refusal - what a task was told last
 * @entry: in perf_refusals, by @task
 * @task: whose it is
 * @rcu_head: for freeing
 * @nr: how often it was refused something, less what found no memory
 * @text: "<field>: <reason>", cut where it gets too long
 */
struct perf_refusal {
	struct rhash_head		entry;
	const struct task_struct	*task;
	struct rcu_head			rcu_head;
	unsigned int			nr;
	char				text[PERF_REFUSAL_SIZE];
};

static struct rhashtable perf_refusals;

static const struct rhashtable_params perf_refusals_params = {
	.key_len		= sizeof_field(struct perf_refusal, task),
	.key_offset		= offsetof(struct perf_refusal, task),
	.head_offset		= offsetof(struct perf_refusal, entry),
	.automatic_shrinking	= true,
};

/* A task's, or NULL; under RCU. */
static struct perf_refusal *perf_refusal_find(const struct task_struct *task)
{
	/*
	 * No task was ever refused anything, or those are gone. An entry is counted
	 * before its task goes on.
	 */
	if (likely(!atomic_read(&perf_refusals.nelems)))
		return NULL;
	return rhashtable_lookup(&perf_refusals, &task, perf_refusals_params);
}

/* Current's: only current gives itself one, or takes it away before the end. */
static struct perf_refusal *perf_refusal_find_mine(void)
{
	guard(rcu)();
	return perf_refusal_find(current);
}

/**
 * perf_refusal_make() - an entry for a task
 * @task: has none; current, or a test's
 *
 * Context: task, may sleep.
 * Return: the entry, NULL without memory.
 */
struct perf_refusal *perf_refusal_make(const struct task_struct *task)
{
	struct perf_refusal *refusal;

	refusal = kzalloc(sizeof(*refusal), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!refusal)
		return NULL;
	refusal->task = task;
	if (!rhashtable_insert_fast(&perf_refusals, &refusal->entry,
				    perf_refusals_params))
		return refusal;
	kfree(refusal);
	return NULL;
}

/**
 * perf_refusal_nr_lists() - over how many lists the entries are spread; for a test
 *
 * Return: how many.
 */
unsigned int perf_refusal_nr_lists(void)
{
	guard(rcu)();
	return rht_dereference_rcu(perf_refusals.tbl, &perf_refusals)->size;
}

/* The same, made at its first refusal; NULL without memory. */
static struct perf_refusal *perf_refusal_mine(void)
{
	struct perf_refusal *refusal = perf_refusal_find_mine();

	if (refusal || (current->flags & PF_EXITING))
		return refusal;
	return perf_refusal_make(current);
}

/**
 * perf_refuse() - turn a request down and say why
 * @err: negative errno for the caller
 * @field: the attribute or argument that is to blame
 * @fmt: the reason, printf-like: what was asked, what can be had
 *
 * To be used as "return perf_refuse(-EINVAL, ...)". The reason replaces the
 * one that current was told before. Must not be used where a request is merely
 * tried elsewhere, nor under task_lock().
 *
 * Context: task, may sleep.
 * Return: @err.
 */
int perf_refuse(int err, const char *field, const char *fmt, ...)
{
	char reason[PERF_REFUSAL_SIZE - 32];
	struct perf_refusal *refusal;
	va_list args;

	va_start(args, fmt);
	vscnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);

	trace_perf_event_refused(err, field, reason);

	refusal = perf_refusal_mine();
	if (refusal) {
		task_lock(current);
		refusal->nr++;
		scnprintf(refusal->text, sizeof(refusal->text), "%s: %s",
			  field, reason);
		task_unlock(current);
	}
	return err;
}
EXPORT_SYMBOL_GPL(perf_refuse);

/**
 * perf_refusal_count() - has somebody in between given a reason?
 *
 * Context: task.
 * Return: a number that perf_refuse() changes for current.
 */
unsigned int perf_refusal_count(void)
{
	struct perf_refusal *refusal = perf_refusal_find_mine();

	return refusal ? refusal->nr : 0;
}

/**
 * perf_refusal_free_task() - forget what a task was told
 * @task: current, or one that does not run any more, or never did; nobody else calls
 *	this for it now
 *
 * May be called again; in between the task may be refused something else.
 *
 * Context: any but NMI.
 */
void perf_refusal_free_task(struct task_struct *task)
{
	struct perf_refusal *refusal;

	scoped_guard(rcu)
		refusal = perf_refusal_find(task);
	if (likely(!refusal))
		return;
	rhashtable_remove_fast(&perf_refusals, &refusal->entry, perf_refusals_params);
	kfree_rcu(refusal, rcu_head);
}

/**
 * perf_refusal_read() - what a task was told last
 * @task: the task, referenced
 * @text: where the reason goes, as a string
 * @size: room at @text
 *
 * Context: task, not under task_lock().
 * Return: true if there was any refusal.
 */
bool perf_refusal_read(struct task_struct *task, char *text, size_t size)
{
	struct perf_refusal *refusal;

	guard(rcu)();
	refusal = perf_refusal_find(task);
	if (!refusal)
		return false;

	task_lock(task);
	strscpy(text, refusal->text, size);
	task_unlock(task);
	return true;
}

/**
 * proc_perf_event_refusal() - show /proc/<pid>[/task/<tid>]/perf_event_refusal
 * @m: output: one line, or nothing if the task was never refused anything
 * @ns: unused
 * @pid: unused
 * @task: the task, referenced
 *
 * A reason may tell addresses and names of what the task looked at: readable
 * by those who could read its memory.
 *
 * Context: task, may sleep.
 * Return: 0, -EACCES, or -EINTR.
 */
int proc_perf_event_refusal(struct seq_file *m, struct pid_namespace *ns,
			    struct pid *pid, struct task_struct *task)
{
	char text[PERF_REFUSAL_SIZE];
	bool may, found = false;

	/* the program must not change between the question and the answer */
	if (down_read_killable(&task->signal->exec_update_lock))
		return -EINTR;
	may = ptrace_may_access(task, PTRACE_MODE_READ_FSCREDS);
	if (may)
		found = perf_refusal_read(task, text, sizeof(text));
	up_read(&task->signal->exec_update_lock);

	if (!may)
		return -EACCES;
	if (found)
		seq_printf(m, "%s\n", text);
	return 0;
}

/**
 * perf_refusal_init() - make the table; boot
 */
void __init perf_refusal_init(void)
{
	WARN_ON(rhashtable_init(&perf_refusals, &perf_refusals_params));
}
