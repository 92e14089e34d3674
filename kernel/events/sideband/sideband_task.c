// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records of tasks: PERF_RECORD_FORK, EXIT, COMM and NAMESPACES.
 *
 * The rest of the kernel reports events in the life of a task here. inherit.c handles what fork
 * and exit mean for the events of the task. The functions *_emit() are apart from their callers,
 * so that no record is initialized on the stack when there is no listener.
 *
 * Context: task.
 */
#include <linux/fs.h>
#include <linux/nsproxy.h>
#include <linux/path.h>
#include <linux/proc_ns.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"

/**
 * struct perf_task_record - a record about a task
 * @base: the record
 * @task: the task
 * @comm: COMM: its name
 * @ns: NAMESPACES: its namespaces
 */
struct perf_task_record {
	struct perf_sideband		base;
	struct task_struct		*task;
	union {
		char			comm[TASK_COMM_LEN];
		struct perf_ns_link_info ns[NR_NAMESPACES];
	};
};

static const struct perf_task_record *
perf_task_record_of(const struct perf_sideband *base)
{
	return container_of(base, struct perf_task_record, base);
}

static void perf_task_put_ids(struct perf_output_handle *handle,
			      struct perf_event *event, struct task_struct *task)
{
	perf_output_u32_pair(handle, perf_event_pid(event, task),
			     perf_event_tid(event, task));
}

/* Size of the body of FORK and EXIT. */
#define PERF_TASK_BODY	(4 * sizeof(u32) + sizeof(u64))

static void perf_task_put(struct perf_output_handle *handle,
			  struct perf_event *event, struct task_struct *task,
			  u32 parent_pid, u32 parent_tid)
{
	perf_output_u32_pair(handle, perf_event_pid(event, task), parent_pid);
	perf_output_u32_pair(handle, perf_event_tid(event, task), parent_tid);
	perf_output_u64(handle, event->clock());
}

/* The parent in FORK is the thread that created the task. */
static void perf_fork_put(struct perf_output_handle *handle,
			  struct perf_event *event,
			  const struct perf_sideband *base)
{
	perf_task_put(handle, event, perf_task_record_of(base)->task,
		      perf_event_pid(event, current),
		      perf_event_tid(event, current));
}

/* The parent in EXIT is a process. The ABI has its PID in both fields. */
static void perf_exit_put(struct perf_output_handle *handle,
			  struct perf_event *event,
			  const struct perf_sideband *base)
{
	struct task_struct *task = perf_task_record_of(base)->task;
	u32 parent = perf_event_pid(event, rcu_dereference_sched(task->real_parent));

	perf_task_put(handle, event, task, parent, parent);
}

static void perf_fork_emit(struct task_struct *task)
{
	struct perf_task_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_TASK,
			.type	= PERF_RECORD_FORK,
			.size	= PERF_TASK_BODY,
			.put	= perf_fork_put,
		},
		.task = task,
	};

	perf_sideband_emit(&record.base);
}

/**
 * perf_sideband_fork() - record a new task
 * @task: the task; visible, not yet woken
 *
 * Context: as perf_event_fork().
 */
void perf_sideband_fork(struct task_struct *task)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TASK))
		perf_fork_emit(task);
}

static void perf_exit_emit(struct task_struct *task, struct perf_event_context *ctx)
{
	struct perf_task_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_TASK,
			.type	= PERF_RECORD_EXIT,
			.size	= PERF_TASK_BODY,
			.put	= perf_exit_put,
		},
		.task = task,
	};

	if (task->flags & PF_EXITING)
		perf_sideband_emit(&record.base);
	if (ctx)
		perf_sideband_emit_unhooked(ctx, &record.base);
}

/**
 * perf_sideband_exit() - record the end of a task's events
 * @task: current; exiting, or executing a program that must not be observed
 * @ctx: its context, unhooked, with all events still installed; or NULL
 *
 * The task's own events get the record in both cases. CPU events get it only if the task exits,
 * because otherwise it continues to run.
 *
 * Context: task. Caller must hold ctx->mutex if there is a context.
 */
void perf_sideband_exit(struct task_struct *task, struct perf_event_context *ctx)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_TASK))
		perf_exit_emit(task, ctx);
}

static void perf_comm_put(struct perf_output_handle *handle,
			  struct perf_event *event,
			  const struct perf_sideband *base)
{
	const struct perf_task_record *record = perf_task_record_of(base);

	perf_task_put_ids(handle, event, record->task);
	perf_sideband_put_string(handle, record->comm);
}

static void perf_comm_emit(struct task_struct *task, bool exec)
{
	struct perf_task_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_COMM,
			.type	= PERF_RECORD_COMM,
			.misc	= exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
			.put	= perf_comm_put,
		},
		.task = task,
	};

	get_task_comm(record.comm, task);
	record.base.size = 2 * sizeof(u32) +
			   perf_sideband_string_size(record.comm);
	perf_sideband_emit(&record.base);
}

/**
 * perf_event_comm() - a task's name has changed
 * @tsk: the task, not always current
 * @exec: changed by an exec
 *
 * Context: task. The caller may be in an RCU read-side section, so this must not sleep.
 */
void perf_event_comm(struct task_struct *tsk, bool exec)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_COMM))
		perf_comm_emit(tsk, exec);
}

static const struct proc_ns_operations *const perf_namespaces[NR_NAMESPACES] = {
#ifdef CONFIG_NET_NS
	[NET_NS_INDEX]		= &netns_operations,
#endif
#ifdef CONFIG_UTS_NS
	[UTS_NS_INDEX]		= &utsns_operations,
#endif
#ifdef CONFIG_IPC_NS
	[IPC_NS_INDEX]		= &ipcns_operations,
#endif
#ifdef CONFIG_PID_NS
	[PID_NS_INDEX]		= &pidns_operations,
#endif
#ifdef CONFIG_USER_NS
	[USER_NS_INDEX]		= &userns_operations,
#endif
	[MNT_NS_INDEX]		= &mntns_operations,
#ifdef CONFIG_CGROUPS
	[CGROUP_NS_INDEX]	= &cgroupns_operations,
#endif
};

/*
 * Return the device of the file system on which all namespaces are files. It is cached: looking
 * it up creates such a file, which would happen for each namespace of each new task.
 */
static u64 perf_ns_dev(struct task_struct *task)
{
	static u64 dev;
	struct path path;

	if (!READ_ONCE(dev) && !ns_get_path(&path, task, &mntns_operations)) {
		WRITE_ONCE(dev, new_encode_dev(path.dentry->d_sb->s_dev));
		path_put(&path);
	}
	return READ_ONCE(dev);
}

static void perf_ns_put(struct perf_output_handle *handle,
			struct perf_event *event,
			const struct perf_sideband *base)
{
	const struct perf_task_record *record = perf_task_record_of(base);

	perf_task_put_ids(handle, event, record->task);
	perf_output_u64(handle, NR_NAMESPACES);
	perf_output_mem(handle, record->ns, sizeof(record->ns));
}

static void perf_namespace_emit(struct task_struct *task)
{
	struct perf_task_record record = {
		.base = {
			.kind	= PERF_SIDEBAND_NAMESPACES,
			.type	= PERF_RECORD_NAMESPACES,
			.size	= 2 * sizeof(u32) + sizeof(u64) + sizeof(record.ns),
			.put	= perf_ns_put,
		},
		.task = task,
	};
	const struct proc_ns_operations *ops;
	struct ns_common *ns;

	/* The reader gets all of it. An initializer of a union clears its first member only. */
	memset(record.ns, 0, sizeof(record.ns));
	for (unsigned int i = 0; i < NR_NAMESPACES; i++) {
		ops = perf_namespaces[i];
		ns = ops ? ops->get(task) : NULL;
		if (!ns)
			continue;
		record.ns[i].dev = perf_ns_dev(task);
		record.ns[i].ino = ns->inum;
		ops->put(ns);
	}
	perf_sideband_emit(&record.base);
}

/**
 * perf_event_namespaces() - a task's namespaces have changed
 * @tsk: current, or its new child
 *
 * Context: task, no locks held.
 */
void perf_event_namespaces(struct task_struct *tsk)
{
	if (perf_sideband_enabled(PERF_SIDEBAND_NAMESPACES) &&
	    perf_sideband_has_listener(PERF_SIDEBAND_NAMESPACES))
		perf_namespace_emit(tsk);
}
