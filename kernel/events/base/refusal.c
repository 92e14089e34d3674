// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals with a reason.
 *
 * The reason of a refused request goes to the tracepoint perf:perf_event_refused. The last
 * one of each task is kept for /proc/<pid>/perf_event_refusal. Few tasks ever get a
 * refusal, so the reasons are in a separate table and task_struct does not grow. The
 * table grows with the number of entries, at most one per task. So the cost of a task's
 * exit does not depend on the refusals of other tasks. Nothing is decided here: the
 * caller of perf_refuse() picks the errno, which is ABI.
 *
 * Entry points: perf_refuse() runs in the context of the requesting task, the functions
 * that read in the context of any task.
 *
 * Locking rules: the table has its own locks for insertion and removal. task_lock()
 * keeps a text consistent. An entry is looked up under RCU, by its own task also without.
 *
 * Lifetime rules: an entry is removed when its task executes another program, and before its task
 * is freed. It is freed a grace period after its removal.
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
 * struct perf_refusal - the last refusal of a task
 * @entry: in perf_refusals, by @task
 * @task: the task
 * @rcu_head: for freeing
 * @nr: number of refusals, except those for which there was no memory
 * @text: "<field>: <reason>", truncated to fit
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

/* Find the entry of a task, or NULL. Caller must be in an RCU read-side section. */
static struct perf_refusal *perf_refusal_find(const struct task_struct *task)
{
	/*
	 * Fast path: the table is empty. An insertion updates the count before the task
	 * returns from perf_refuse(), so a task never misses its own entry.
	 */
	if (likely(!atomic_read(&perf_refusals.nelems)))
		return NULL;
	return rhashtable_lookup(&perf_refusals, &task, perf_refusals_params);
}

/* Current's entry. RCU is not needed after return: only current inserts or removes it. */
static struct perf_refusal *perf_refusal_find_mine(void)
{
	guard(rcu)();
	return perf_refusal_find(current);
}

/**
 * perf_refusal_make() - create the entry of a task
 * @task: task without an entry; current, or a test's
 *
 * Context: task, may sleep.
 * Return: the entry, or NULL without memory.
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
 * perf_refusal_nr_lists() - number of hash buckets of the table; for a test
 *
 * Return: the number of buckets.
 */
unsigned int perf_refusal_nr_lists(void)
{
	guard(rcu)();
	return rht_dereference_rcu(perf_refusals.tbl, &perf_refusals)->size;
}

/**
 * perf_refuse() - refuse a request with a reason
 * @err: negative errno for the caller
 * @field: the offending attribute or argument
 * @fmt: the reason, printf-like: the requested value and the supported ones
 *
 * Use as "return perf_refuse(-EINVAL, ...)". The reason replaces the reason of current's previous
 * refusal. Must not be used if the request may succeed elsewhere, such as at another PMU.
 *
 * Context: task, may sleep. Caller must not hold task_lock().
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

	/* the entry is created at the first refusal, except while exiting */
	refusal = perf_refusal_find_mine();
	if (!refusal && !(current->flags & PF_EXITING))
		refusal = perf_refusal_make(current);
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
 * perf_refusal_count() - detect refusals of current between two calls
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
 * perf_refusal_free_task() - remove the entry of a task
 * @task: current, or a task that no longer runs, or never did
 *
 * May be called again, as the task may get another refusal in between. Concurrent calls for
 * one task are not allowed.
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
 * perf_refusal_read() - read the last refusal of a task
 * @task: the task, referenced
 * @text: buffer for the reason, as a string
 * @size: size of @text
 *
 * Context: task. Caller must not hold task_lock().
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
 * @m: output: one line, or nothing if the task never had a refusal
 * @ns: unused
 * @pid: unused
 * @task: the task, referenced
 *
 * A reason may contain addresses and names that the task requested. So the file is readable
 * only with permission to read the task's memory. The file's mode permits all: a task that is not
 * dumpable, such as a profiler with file capabilities, would not be the owner of its own file.
 *
 * Context: task, may sleep.
 * Return: 0, -EACCES, or -EINTR.
 */
int proc_perf_event_refusal(struct seq_file *m, struct pid_namespace *ns,
			    struct pid *pid, struct task_struct *task)
{
	char text[PERF_REFUSAL_SIZE];
	bool may, found = false;

	/* Prevents an exec between the permission check and the read. */
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
 * perf_refusal_init() - initialise the table
 *
 * Context: boot.
 */
void __init perf_refusal_init(void)
{
	WARN_ON(rhashtable_init(&perf_refusals, &perf_refusals_params));
}
