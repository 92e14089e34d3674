// SPDX-License-Identifier: GPL-2.0
/*
 * ioctl(2) on an event: one row per command.
 *
 * Most handlers run with the mutex of the event's context held. Enable, disable and
 * reset also act on the child events; with PERF_IOC_FLAG_GROUP, on the whole group.
 * Context: task.
 */
#include <linux/bpf.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/hw_breakpoint.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include <linux/perf_refusal.h>

#include "../base/attr.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/userpage.h"
#include "../software/breakpoint.h"
#include "../software/tracepoint.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/state.h"
#include "../buffer/attach.h"
#include "../trace/filter.h"
#include "bpf_prog.h"
#include "file.h"
#include "ioctl.h"
#include "period.h"

/*
 * Of a group, siblings are enabled before the leader: they start counting with it. So a group
 * that needs counters is scheduled in once, and not again for each member.
 */
static long perf_ioctl_enable(struct perf_event *event, unsigned long arg)
{
	struct perf_event *sibling;

	if (arg & PERF_IOC_FLAG_GROUP) {
		event = event->group_leader;
		for_each_sibling_event(sibling, event) {
			perf_event_with_children(sibling, perf_event_enable_one);
			cond_resched();
		}
	}
	perf_event_with_children(event, perf_event_enable_one);
	return 0;
}

/*
 * Of a group, the leader is disabled first: its siblings stop with it. The siblings are disabled
 * last to first, so that each is next to those already disabled, see perf_group_sort().
 */
static long perf_ioctl_disable(struct perf_event *event, unsigned long arg)
{
	struct perf_event *sibling;

	if (!(arg & PERF_IOC_FLAG_GROUP)) {
		perf_event_with_children(event, perf_event_disable_one);
		return 0;
	}
	event = event->group_leader;
	perf_event_with_children(event, perf_event_disable_one);
	list_for_each_entry_reverse(sibling, &event->sibling_list, sibling_list) {
		perf_event_with_children(sibling, perf_event_disable_one);
		cond_resched();
	}
	return 0;
}

static void perf_event_reset_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;

	if (perf_event_has_counter(event))
		event->pmu->read(event);
	local64_set(&event->count, 0);
	perf_userpage_changed(event);
}

static void perf_event_reset_one(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_event_reset_locked, event);
}

static long perf_ioctl_reset(struct perf_event *event, unsigned long arg)
{
	struct perf_event *member;

	if (!(arg & PERF_IOC_FLAG_GROUP)) {
		perf_event_with_children(event, perf_event_reset_one);
		return 0;
	}
	perf_group_for_each(member, event->group_leader) {
		perf_event_with_children(member, perf_event_reset_one);
		cond_resched();
	}
	return 0;
}

static long perf_ioctl_refresh(struct perf_event *event, unsigned long arg)
{
	return perf_event_refresh_one(event, arg);
}

static long perf_ioctl_period(struct perf_event *event, unsigned long arg)
{
	struct perf_event_context *ctx;
	u64 value;
	long ret;

	if (copy_from_user(&value, (void __user *)arg, sizeof(value)))
		return -EFAULT;
	ctx = perf_ctx_lock_of_event(event);
	ret = perf_event_set_period(event, value);
	mutex_unlock(&ctx->mutex);
	return ret;
}

static long perf_ioctl_id(struct perf_event *event, unsigned long arg)
{
	return copy_to_user((void __user *)arg, &event->id, sizeof(event->id)) ?
	       -EFAULT : 0;
}

static long perf_ioctl_set_output(struct perf_event *event, unsigned long arg)
{
	struct perf_event *output;

	if ((int)arg == -1)
		return perf_event_set_output(event, NULL);

	CLASS(fd, target)(arg);
	if (!fd_file(target))
		return perf_refuse(-EBADF, "output", "%d is not open", (int)arg);
	output = perf_event_of_file(fd_file(target));
	if (!output)
		return perf_refuse(-EBADF, "output", "%d is not an event", (int)arg);
	return perf_event_set_output(event, output);
}

static long perf_ioctl_pause_output(struct perf_event *event, unsigned long arg)
{
	return perf_event_pause_output(event, arg);
}

static long perf_ioctl_set_filter(struct perf_event *event, unsigned long arg)
{
	char *text __free(kfree) = strndup_user((const char __user *)arg, PAGE_SIZE);

	if (IS_ERR(text))
		return PTR_ERR(no_free_ptr(text));
	if (perf_event_is_tracing(event))
		return perf_event_set_trace_filter(event, text);
	if (event->pmu->nr_addr_filters)
		return perf_event_set_addr_filter(event, text);
	return perf_refuse(-EINVAL, "filter", "PMU %s has no filters",
			   event->pmu->name);
}

static long perf_ioctl_set_bpf(struct perf_event *event, unsigned long arg)
{
	return perf_event_bpf_attach_fd(event, arg);
}

static long perf_ioctl_query_bpf(struct perf_event *event, unsigned long arg)
{
	return perf_event_query_prog_array(event, (void __user *)arg);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
/*
 * @request: user space has passed @attr; otherwise it is what the parent has got, or what the
 * breakpoint was. On failure the breakpoint is unchanged.
 */
static int perf_breakpoint_change(struct perf_event *event, struct perf_event_attr *attr,
				  bool request)
{
	bool on = event->state >= PERF_EVENT_STATE_INACTIVE;
	int err;

	perf_event_disable_one(event);
	err = request ? modify_user_hw_breakpoint_check(event, attr, true) :
			perf_bp_change(event, attr);
	if (!err) {
		on = !attr->disabled;
		event->attr.disabled = attr->disabled;
	}
	if (on)
		perf_event_enable_one(event);
	return err;
}

/* Change the event and all child events, or none of them. */
static int perf_event_modify_breakpoint(struct perf_event *event,
					struct perf_event_attr *attr)
{
	struct perf_event_attr old = event->attr;
	struct perf_event *child, *failed = NULL;
	int err;

	old.disabled = event->state < PERF_EVENT_STATE_INACTIVE;

	guard(mutex)(&event->child_mutex);
	err = perf_breakpoint_change(event, attr, true);
	if (err)
		return err;
	list_for_each_entry(child, &event->child_list, child_list) {
		err = perf_breakpoint_change(child, attr, false);
		if (err) {
			failed = child;
			break;
		}
		cond_resched();
	}
	if (!err)
		return 0;

	list_for_each_entry(child, &event->child_list, child_list) {
		if (child == failed)
			break;
		perf_breakpoint_change(child, &old, false);
		cond_resched();
	}
	perf_breakpoint_change(event, &old, false);
	return err;
}
#else
static int perf_event_modify_breakpoint(struct perf_event *event,
					struct perf_event_attr *attr)
{
	return -EOPNOTSUPP;
}
#endif

static long perf_ioctl_modify(struct perf_event *event, unsigned long arg)
{
	struct perf_event_context *ctx;
	struct perf_event_attr attr;
	int err;

	err = perf_attr_copy((struct perf_event_attr __user *)arg, &attr);
	if (!err)
		err = perf_attr_check(&attr);
	if (err)
		return err;
	perf_attr_set_defaults(&attr);
	if (attr.type != event->attr.type)
		return perf_refuse(-EINVAL, "type", "%u asked, the event has %u",
				   attr.type, event->attr.type);
	/* the errno of the stock kernel, where a clock has a type of its own */
	if (attr.type == PERF_TYPE_SOFTWARE && event->attr.config <= PERF_COUNT_SW_TASK_CLOCK)
		return perf_refuse(-EINVAL, "type", "a clock cannot be modified");
	if (attr.type != PERF_TYPE_BREAKPOINT)
		return perf_refuse(-EOPNOTSUPP, "type",
				   "only breakpoints can be modified");
	/* the open may have cleared it in the same way */
	if (!event->attr.ksymbol)
		perf_attr_hide_kernel(&attr);
	ctx = perf_ctx_lock_of_event(event);
	err = perf_event_modify_breakpoint(event, &attr);
	mutex_unlock(&ctx->mutex);
	return err;
}

/**
 * struct perf_ioctl - one command; the table is indexed by its number
 * @cmd: PERF_EVENT_IOC_*
 * @handler: runs with the mutex of the event's context held, but for PERF_IOCTL_UNLOCKED
 * @flags: PERF_IOCTL_*
 */
struct perf_ioctl {
	unsigned int	cmd;
	long		(*handler)(struct perf_event *event, unsigned long arg);
	unsigned int	flags;
};

/* The command encodes the size of a pointer, so it differs for 32-bit programs. */
#define PERF_IOCTL_POINTER	1
/*
 * The handler takes the mutex itself, if it needs it. Before, it accesses memory of user space: a
 * page may be missing for as long as a user's program likes. Or it waits for a grace period. Or it
 * takes locks of tracing:
 * cpus_read_lock() nests inside these, and the mutex of a CPU context nests inside
 * cpus_read_lock().
 */
#define PERF_IOCTL_UNLOCKED	2

static const struct perf_ioctl perf_ioctls[] = {
	{ PERF_EVENT_IOC_ENABLE,		perf_ioctl_enable },
	{ PERF_EVENT_IOC_DISABLE,		perf_ioctl_disable },
	{ PERF_EVENT_IOC_REFRESH,		perf_ioctl_refresh },
	{ PERF_EVENT_IOC_RESET,			perf_ioctl_reset },
	{ PERF_EVENT_IOC_PERIOD,		perf_ioctl_period, PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_SET_OUTPUT,		perf_ioctl_set_output },
	{ PERF_EVENT_IOC_SET_FILTER,		perf_ioctl_set_filter,
	  PERF_IOCTL_POINTER | PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_ID,			perf_ioctl_id,
	  PERF_IOCTL_POINTER | PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_SET_BPF,		perf_ioctl_set_bpf, PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_PAUSE_OUTPUT,		perf_ioctl_pause_output, PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_QUERY_BPF,		perf_ioctl_query_bpf,
	  PERF_IOCTL_POINTER | PERF_IOCTL_UNLOCKED },
	{ PERF_EVENT_IOC_MODIFY_ATTRIBUTES,	perf_ioctl_modify,
	  PERF_IOCTL_POINTER | PERF_IOCTL_UNLOCKED },
};

static const struct perf_ioctl *perf_ioctl_find(unsigned int cmd, size_t pointer_size)
{
	unsigned int wanted, nr = _IOC_NR(cmd);
	const struct perf_ioctl *row;

	if (nr >= ARRAY_SIZE(perf_ioctls))
		return NULL;
	row = &perf_ioctls[array_index_nospec(nr, ARRAY_SIZE(perf_ioctls))];
	wanted = row->cmd;
	if (row->flags & PERF_IOCTL_POINTER)
		wanted = _IOC(_IOC_DIR(wanted), _IOC_TYPE(wanted), _IOC_NR(wanted),
			      pointer_size);
	return cmd == wanted ? row : NULL;
}

static long perf_ioctl_run(struct file *file, const struct perf_ioctl *ioctl,
			   unsigned long arg)
{
	struct perf_event *event = file->private_data;
	struct perf_event_context *ctx;
	long ret;

	if (!ioctl)
		return -ENOTTY;
	ret = security_perf_event_write(event);
	if (ret)
		return ret;

	if (ioctl->flags & PERF_IOCTL_UNLOCKED)
		return ioctl->handler(event, arg);

	ctx = perf_ctx_lock_of_event(event);
	ret = ioctl->handler(event, arg);
	mutex_unlock(&ctx->mutex);
	return ret;
}

/**
 * perf_event_ioctl() - ioctl(2)
 * @file: an event's
 * @cmd: PERF_EVENT_IOC_*
 * @arg: for the command
 *
 * Return: 0 or an errno; -ENOTTY for an unknown command.
 */
long perf_event_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perf_ioctl_run(file, perf_ioctl_find(cmd, sizeof(void *)), arg);
}

#ifdef CONFIG_COMPAT
/**
 * perf_event_compat_ioctl() - ioctl(2) of a 32-bit program
 * @file: an event's
 * @cmd: PERF_EVENT_IOC_*, as that program sees them
 * @arg: for the command
 *
 * Return: as perf_event_ioctl().
 */
long perf_event_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return perf_ioctl_run(file, perf_ioctl_find(cmd, sizeof(compat_uptr_t)),
			      (unsigned long)compat_ptr(arg));
}
#endif
