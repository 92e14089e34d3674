// SPDX-License-Identifier: GPL-2.0
/*
 * perf_event_open(2): the steps of one open.
 *
 *	perf_open_parse()		flags and attributes
 *	perf_open_authorise()		permissions that the attributes need
 *	perf_open_reserve_fd()		a file descriptor
 *	perf_open_find_leader()		the group's leader
 *	perf_open_find_task()		the task
 *	perf_open_check_target()	attributes that exclude each other on this target
 *	perf_open_build()		the event, by its PMU
 *	perf_open_publish()		the file; then
 *	    perf_open_reach()		permission to watch this task or CPU
 *	    perf_open_install()		the output, the group, the context
 *
 * When a step fails, sys_perf_event_open() undoes the steps before it. The order of the
 * checks is ABI: programs use the errno to decide what to leave out in the next try.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/perf_refusal.h>

#include "../base/attr.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/group.h"
#include "../context/install.h"
#include "../context/task_ctx.h"
#include "../buffer/attach.h"
#include "../pmu/pmu.h"
#include "../lifetime/event.h"
#include "../lifetime/owner.h"
#include "file.h"
#include "read.h"

#define PERF_FLAG_ALL	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT |	\
			 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/**
 * struct perf_open - state of one perf_event_open(2)
 * @attr: attributes
 * @pid: process, 0, -1, or a cgroup's descriptor
 * @cpu: CPU or -1
 * @group_fd: leader's descriptor or -1
 * @flags: PERF_FLAG_*
 * @group: file of @group_fd; holds the leader
 * @leader: group leader, or NULL
 * @task: the task, referenced, or NULL
 * @since: perf_pmu_moment() from before @event was made
 * @event: the event
 * @file: its file
 * @fd: its descriptor, reserved; or negative
 */
struct perf_open {
	struct perf_event_attr	*attr;
	pid_t			pid;
	int			cpu;
	int			group_fd;
	unsigned long		flags;
	struct fd		group;
	struct perf_event	*leader;
	struct task_struct	*task;
	u64			since;
	struct perf_event	*event;
	struct file		*file;
	int			fd;
};

static int perf_open_parse(struct perf_open *open,
			   struct perf_event_attr __user *uattr)
{
	int err;

	if (open->flags & ~PERF_FLAG_ALL)
		return perf_refuse(-EINVAL, "flags", "unknown bits %#lx",
				   open->flags & ~PERF_FLAG_ALL);
	err = perf_attr_copy(uattr, open->attr);
	if (err)
		return err;
	err = perf_attr_check(open->attr);
	if (err)
		return err;
	perf_attr_set_defaults(open->attr);
	return 0;
}

static int perf_open_authorise(struct perf_open *open)
{
	int err = perf_attr_authorise(open->attr);

	if (err)
		return err;
	perf_attr_hide_kernel(open->attr);

	if ((open->flags & PERF_FLAG_PID_CGROUP) &&
	    (open->pid == -1 || open->cpu == -1))
		return perf_refuse(-EINVAL, "flags",
				   "a cgroup is counted on one CPU: both are needed");
	return 0;
}

static int perf_open_mode(const struct perf_open *open)
{
	return O_RDWR | (open->flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0);
}

static int perf_open_reserve_fd(struct perf_open *open)
{
	open->fd = get_unused_fd_flags(perf_open_mode(open));
	if (open->fd < 0)
		return perf_refuse(open->fd, "fd", "no file descriptor is free");
	return 0;
}

static int perf_open_find_leader(struct perf_open *open)
{
	struct perf_event *event;

	if (open->group_fd == -1)
		return 0;

	open->group = fdget(open->group_fd);
	if (!fd_file(open->group))
		return perf_refuse(-EBADF, "group_fd", "%d is not open",
				   open->group_fd);
	event = perf_event_of_file(fd_file(open->group));
	if (!event)
		return perf_refuse(-EBADF, "group_fd", "%d is not an event",
				   open->group_fd);
	if (event->state <= PERF_EVENT_STATE_EXIT)
		return perf_refuse(-ENODEV, "group_fd",
				   "the task of the event named has exited");
	if (!(open->flags & PERF_FLAG_FD_NO_GROUP))
		open->leader = event;
	return 0;
}

static int perf_open_find_task(struct perf_open *open)
{
	struct task_struct *task;

	if (open->pid == -1 || (open->flags & PERF_FLAG_PID_CGROUP))
		return 0;
	scoped_guard(rcu) {
		task = open->pid ? find_task_by_vpid(open->pid) : current;
		if (task)
			open->task = get_task_struct(task);
	}
	if (!open->task)
		return perf_refuse(-ESRCH, "pid", "no task %d", open->pid);
	return 0;
}

static int perf_open_check_target(struct perf_open *open)
{
	struct perf_event_attr *attr = open->attr;

	if (open->task && open->leader && open->leader->attr.inherit != attr->inherit)
		return perf_refuse(-EINVAL, "inherit",
				   "all or none of a group are inherited");
	return perf_attr_check_target(attr, open->task, open->cpu);
}

static int perf_open_build(struct perf_open *open)
{
	struct perf_event_request req = {
		.attr		= open->attr,
		.cpu		= open->cpu,
		.task		= open->task,
		.leader		= open->leader,
		.of_cgroup	= open->flags & PERF_FLAG_PID_CGROUP,
		.cgroup_fd	= open->pid,
		.handler	= NULL,
		.handler_context = NULL,
	};
	struct perf_event *event;
	int err;

	open->since = perf_pmu_moment();
	event = perf_event_make(&req);
	if (IS_ERR(event))
		return PTR_ERR(event);
	open->event = event;

	err = perf_attr_check_sampling(&event->attr, event->pmu);
	if (err)
		return err;
	return perf_pmu_claim_exclusive(event);
}

/* Check whether the attributes suit the AUX area of the leader. */
static int perf_open_check_aux(struct perf_open *open)
{
	struct perf_event *event = open->event, *leader = open->leader;
	struct perf_event_attr *attr = open->attr;
	const char *fault;

	if (!perf_attr_uses_leader_aux(attr))
		return 0;
	if (!leader || !leader->pmu->setup_aux)
		fault = "the group has no leader with an AUX area";
	else if (attr->aux_sample_size && !leader->pmu->snapshot_aux)
		fault = "the leader's AUX area cannot be sampled";
	else if (attr->aux_output && (!event->pmu->aux_output_match ||
				      !event->pmu->aux_output_match(leader)))
		fault = "the leader's AUX area does not take this output";
	else if (attr->aux_output && attr->aux_sample_size)
		fault = "an event whose output is in the AUX area cannot sample it";
	else if ((attr->aux_pause || attr->aux_resume) &&
		 !(leader->pmu->capabilities & PERF_PMU_CAP_AUX_PAUSE))
		fault = "the leader cannot be paused";
	else
		return 0;
	return perf_refuse(-EINVAL, attr->aux_sample_size ?
			   "aux_sample_size" : "aux_action", "%s", fault);
}

/* Caller must hold exec_update_lock of the task: it prevents exec after the check. */
static int perf_open_may_watch(struct perf_open *open)
{
	unsigned int mode = PTRACE_MODE_READ_REALCREDS;
	bool allowed = perfmon_capable();

	if (open->attr->sigtrap) {
		/* a signal is forced on the task: as for kill(2), in the task's user namespace */
		mode = PTRACE_MODE_ATTACH_REALCREDS;
		guard(rcu)();
		allowed = allowed &&
			  ns_capable(__task_cred(open->task)->user_ns, CAP_KILL);
	}
	if (!allowed && !ptrace_may_access(open->task, mode))
		return perf_refuse(-EACCES, "pid", "task %d is not yours to watch",
				   open->pid);
	return 0;
}

/* Caller must hold ctx->mutex until the event is installed, so the checks stay valid. */
static int perf_open_join(struct perf_open *open, struct perf_event_context *ctx)
{
	struct perf_event *event = open->event, *leader = open->leader;
	const char *fault;

	lockdep_assert_held(&ctx->mutex);

	if (!leader)
		return 0;
	/*
	 * The leader's task has exited, or its CPU has been offline since. @leader may be a member
	 * of a group in another context. The leader of that group may be freed meanwhile.
	 */
	if (!(READ_ONCE(leader->attach_state) & PERF_ATTACH_CONTEXT))
		return perf_refuse(-ENODEV, "group_fd",
				   "the leader does not count any more");
	fault = perf_group_join_fault(leader, event, ctx);
	if (fault)
		return perf_refuse(-EINVAL, "group_fd", "%s", fault);
	if (!perf_read_admit(leader, event))
		return perf_refuse(-E2BIG, "group_fd",
				   "the group would be too large to read");
	return 0;
}

static int perf_open_install_in(struct perf_open *open,
				struct perf_event_context *ctx)
{
	int err;

	guard(mutex)(&ctx->mutex);
	err = perf_pmu_check_cpu(open->event, open->since);
	if (!err)
		err = perf_open_join(open, ctx);
	if (!err)
		err = perf_pmu_check_exclusive(open->event, ctx);
	if (err)
		return err;

	err = perf_ctx_install(ctx, open->event);
	switch (err) {
	case -ESRCH:
		return perf_refuse(err, "pid", "task %d is exiting", open->pid);
	case -ENODEV:
		return perf_refuse(err, "cpu", "CPU %d is offline", open->cpu);
	}
	return err;
}

static int perf_open_install(struct perf_open *open)
{
	struct perf_event *event = open->event;
	struct perf_event_context *ctx;
	int err = 0;

	/* event->cpu, not open->cpu: uncore PMUs change it to the CPU that reads them */
	ctx = perf_ctx_find(open->task, event->cpu);
	if (IS_ERR(ctx))
		return perf_refuse(PTR_ERR(ctx), "pid", "task %d is exiting",
				   open->pid);

	/* checked early for the order of errnos; perf_ctx_install() repeats it under ctx->mutex */
	if (!perf_ctx_is_online(ctx))
		err = perf_refuse(-ENODEV, "cpu", "CPU %d is offline", open->cpu);
	if (!err)
		err = perf_open_check_aux(open);
	if (!err && (open->flags & PERF_FLAG_FD_OUTPUT) && open->group_fd != -1)
		err = perf_event_set_output(event, perf_event_of_file(fd_file(open->group)));
	if (!err)
		err = perf_open_install_in(open, ctx);
	perf_ctx_put_found(ctx);
	return err;
}

static int perf_open_reach(struct perf_open *open)
{
	int err;

	if (!open->task) {
		err = perf_allow_cpu();
		if (err)
			return perf_refuse(err, "pid",
					   "a whole CPU: needs CAP_PERFMON, or perf_event_paranoid < 1");
		return perf_open_install(open);
	}

	/* current is in this system call, so it cannot exec meanwhile */
	if (open->task == current)
		return perf_open_install(open);

	err = down_read_interruptible(&open->task->signal->exec_update_lock);
	if (err)
		return err;
	err = perf_open_may_watch(open);
	if (!err)
		err = perf_open_install(open);
	up_read(&open->task->signal->exec_update_lock);
	return err;
}

static int perf_open_publish(struct perf_open *open)
{
	int err;

	open->file = anon_inode_getfile("[perf_event]", &perf_event_fops,
					open->event, perf_open_mode(open));
	if (IS_ERR(open->file))
		return PTR_ERR(open->file);
	/* from here on the file owns the event */
	err = perf_open_reach(open);
	if (err) {
		open->file->private_data = NULL;
		fput(open->file);
		return err;
	}
	perf_owner_add(open->event);
	fd_install(open->fd, open->file);
	return open->fd;
}

static int perf_open_steps(struct perf_open *open)
{
	int err;

	err = perf_open_reserve_fd(open);
	if (!err)
		err = perf_open_find_leader(open);
	if (!err)
		err = perf_open_find_task(open);
	if (!err)
		err = perf_open_check_target(open);
	if (!err)
		err = perf_open_build(open);
	return err ?: perf_open_publish(open);
}

/**
 * sys_perf_event_open() - open an event
 * @uattr: what to count or sample
 * @pid: task to watch: 0 the caller, -1 any; with PERF_FLAG_PID_CGROUP a cgroup
 * @cpu: CPU, or -1 for any
 * @group_fd: leader of the group to join, or -1
 * @flags: PERF_FLAG_*
 *
 * Return: a file descriptor, or an errno. /proc/self/perf_event_refusal has the reason
 * in words.
 */
SYSCALL_DEFINE5(perf_event_open, struct perf_event_attr __user *, uattr,
		pid_t, pid, int, cpu, int, group_fd, unsigned long, flags)
{
	/* not cleared: perf_attr_copy() writes all of it */
	struct perf_event_attr attr __uninitialized;
	struct perf_open open = {
		.attr		= &attr,
		.pid		= pid,
		.cpu		= cpu,
		.group_fd	= group_fd,
		.flags		= flags,
		.group		= EMPTY_FD,
		.leader		= NULL,
		.task		= NULL,
		.since		= 0,
		.event		= NULL,
		.file		= NULL,
		.fd		= -1,
	};
	int ret;

	ret = perf_open_parse(&open, uattr);
	if (!ret)
		ret = perf_open_authorise(&open);
	if (ret)
		return ret;

	ret = perf_open_steps(&open);
	if (ret < 0 && open.event)
		perf_event_free(open.event);
	if (ret < 0 && open.fd >= 0)
		put_unused_fd(open.fd);
	if (open.task)
		put_task_struct(open.task);
	fdput(open.group);
	return ret;
}
