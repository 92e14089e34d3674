// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing events: the PMUs "tracepoint", "kprobe" and "uprobe".
 *
 * Owns how such an event is opened, and how an occurrence finds the events that
 * count it. Does not own probes and records: kernel/trace/trace_event_perf.c makes them.
 * What is on the lists of a tracepoint is in traced.c; what one occurrence does to one
 * event in perf_swevent_count().
 *
 * Entry points: the PMU operations, as everywhere; perf_trace_run_bpf_submit()
 * and perf_tp_event() from tracepoints, preemption off, in any context including
 * NMI. Each is handed a recursion context, and gives it back on every path.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/rculist.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/walk.h"
#include "software.h"
#include "traced.h"
#include "tracepoint.h"
#include "../../trace/trace.h"

/* How an occurrence looks to all events alike. */
struct perf_tp_occurrence {
	u64			count;
	void			*record;
	struct pt_regs		*regs;
	struct perf_raw_record	raw;
};

/*
 * The event counts now. A sibling that follows its leader stays added while the leader
 * does not count.
 */
static bool perf_tp_listens(const struct perf_event *event)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return false;
	return !perf_event_follows(event) ||
	       READ_ONCE(event->group_leader->state) == PERF_EVENT_STATE_ACTIVE;
}

static bool perf_tp_passes(const struct perf_event *event,
			   const struct perf_tp_occurrence *occ)
{
	/* the filter is set on what user space knows, and holds for its child events */
	const struct perf_event *root = event->parent ?: event;
	struct event_filter *filter = READ_ONCE(root->filter);

	if (event->attr.exclude_kernel && !user_mode(occ->regs))
		return false;
	return !filter || filter_match_preds(filter, occ->record);
}

static __always_inline void perf_tp_notify(struct perf_event *event,
					   struct perf_tp_occurrence *occ)
{
	/* too large to be cleared for nothing at each occurrence */
	struct perf_sample_data data __uninitialized;

	if (!perf_tp_listens(event) || !perf_tp_passes(event, occ))
		return;

	perf_sample_data_init(&data, 0, 0);
	perf_sample_save_raw_data(&data, event, &occ->raw);
	perf_swevent_count(event, occ->count, &data, occ->regs);
}

/*
 * So many that interrupts have to be let in. What the list consists of does not change
 * under RCU, but @traced may go off that of the CPU.
 *
 * Return: what comes after it there.
 */
static noinline struct hlist_node *perf_tp_notify_many(struct perf_traced *traced,
						       struct perf_tp_occurrence *occ,
						       unsigned long flags)
{
	struct perf_event *event;
	struct perf_walk walk;

	perf_walk_begin(&walk, traced->linked.next);
	hlist_for_each_entry_rcu(event, &traced->events, hlist_entry) {
		perf_tp_notify(event, occ);
		perf_walk_rest(&walk, flags);
	}
	perf_walk_end(&walk);
	return walk.next;
}

/* Function tracing has no list of the CPU: each event is one by itself, see traced.h. */
static noinline void perf_tp_notify_function(struct hlist_head *head,
					     struct perf_tp_occurrence *occ)
{
	struct perf_event *event;

	hlist_for_each_entry_rcu(event, head, hlist_entry)
		perf_tp_notify(event, occ);
}

/* The tracepoint's list of this CPU. */
static __always_inline void perf_tp_notify_all(struct hlist_head *head,
					       struct perf_tp_occurrence *occ,
					       unsigned long flags)
{
	struct hlist_node *node = head->first;
	struct perf_traced *traced;
	struct perf_event *event;

	while (node) {
		traced = hlist_entry(node, struct perf_traced, linked);
		if (unlikely(traced->nr_events > PERF_WALK_AT_ONCE)) {
			node = perf_tp_notify_many(traced, occ, flags);
			continue;
		}
		hlist_for_each_entry_rcu(event, &traced->events, hlist_entry)
			perf_tp_notify(event, occ);
		node = traced->linked.next;
	}
}

static bool perf_tp_is_enabled(const struct perf_event *event)
{
	return READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
}

/*
 * An event of a task that this CPU does not run, for a tracepoint that tells about
 * that task. Enabled is enough, it need not be on. Only events bound to this CPU
 * are told: those that follow their task may be counting on another one just now.
 * They count it, but take no sample: what a sample says is of the running task,
 * and an overflow is only for an event that is on. A signal for what another task
 * did would come too late to be synchronous.
 */
static bool perf_tp_reaches(const struct perf_event *event)
{
	return perf_tp_is_enabled(event) && perf_tp_is_enabled(event->group_leader) &&
	       !event->attr.sigtrap;
}

/*
 * A task's sets stay until a grace period is over after its context has gone. Irqs are off
 * mostly: what is walked is bounded by the number of tracepoints, and by PERF_TRACED_AFAR.
 */
static void perf_tp_notify_task(struct task_struct *task, u16 type,
				struct perf_tp_occurrence *occ)
{
	struct perf_event_context *ctx;
	struct perf_traced *traced;
	struct perf_subctx *subctx;
	struct perf_event *event;

	guard(rcu)();
	ctx = READ_ONCE(task->perf_event_ctxp);
	subctx = ctx ? perf_subctx_find(ctx, smp_processor_id()) : NULL;
	if (!subctx)
		return;
	hlist_for_each_entry_rcu(traced, &subctx->traced, subctx_entry) {
		if (traced->type != type)
			continue;
		hlist_for_each_entry_rcu(event, &traced->events, hlist_entry) {
			if (perf_tp_reaches(event) && perf_tp_passes(event, occ))
				local64_add(occ->count, &event->count);
		}
		return;
	}
}

/**
 * perf_tp_event() - something traced occurred
 * @event_type: its number, for the record's header
 * @count: how often, mostly 1
 * @record: the record, beginning with a struct trace_entry
 * @entry_size: bytes
 * @regs: where
 * @head: this CPU's list of struct perf_traced; of function tracing, one event
 * @rctx: from perf_swevent_get_recursion_context(); given back
 * @task: that it is about, if that is not current; else NULL
 *
 * Context: any, preemption off.
 */
void perf_tp_event(u16 event_type, u64 count, void *record, int entry_size,
		   struct pt_regs *regs, struct hlist_head *head, int rctx,
		   struct task_struct *task)
{
	struct perf_tp_occurrence occ = {
		.count	= count,
		.record	= record,
		.regs	= regs,
		.raw.frag = { .size = entry_size, .data = record },
	};
	unsigned long flags;

	perf_trace_buf_update(record, event_type);

	/* An interrupt could take the event that is looked at off its list. */
	local_irq_save(flags);
	if (unlikely(event_type == TRACE_FN))
		perf_tp_notify_function(head, &occ);
	else
		perf_tp_notify_all(head, &occ, flags);
	local_irq_restore(flags);

	if (task && task != current)
		perf_tp_notify_task(task, event_type, &occ);

	perf_swevent_put_recursion_context(rctx);
}
EXPORT_SYMBOL_GPL(perf_tp_event);

/**
 * perf_trace_run_bpf_submit() - a tracepoint was hit: programs first, then events
 * @raw_data: the record; BPF programs find @regs in its first eight bytes
 * @size: bytes
 * @rctx: from perf_swevent_get_recursion_context(); given back
 * @call: the tracepoint
 * @count: how often, mostly 1
 * @regs: where
 * @head: as for perf_tp_event()
 * @task: that it is about, if that is not current; else NULL
 *
 * A program that returns 0 keeps the occurrence from the events.
 *
 * Context: any, preemption off.
 */
void perf_trace_run_bpf_submit(void *raw_data, int size, int rctx,
			       struct trace_event_call *call, u64 count,
			       struct pt_regs *regs, struct hlist_head *head,
			       struct task_struct *task)
{
	bool dropped = false;

	if (bpf_prog_array_valid(call)) {
		struct pt_regs **bpf_regs = raw_data;

		*bpf_regs = regs;
		dropped = !trace_call_bpf(call, raw_data);
	}

	if (dropped || (hlist_empty(head) && !task))
		perf_swevent_put_recursion_context(rctx);
	else
		perf_tp_event(call->event.type, count, raw_data, size, regs,
			      head, rctx, task);
}
EXPORT_SYMBOL_GPL(perf_trace_run_bpf_submit);

/*
 * A unscheduled event is on the list of its tracepoint all the time, and counts while it is
 * not marked as stopped. Others are function tracing's, of which perf_trace_add() only
 * ever sets the mark.
 */
static int perf_tracing_add(struct perf_event *event, int flags)
{
	if (!event->traced) {
		event->hw.state = 0;
		return perf_trace_add(event, flags);
	}
	if (is_sampling_event(event)) {
		event->hw.last_period = event->hw.sample_period;
		perf_swevent_set_period(event);
	}
	perf_traced_add(event);
	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	return 0;
}

static void perf_tracing_del(struct perf_event *event, int flags)
{
	if (!event->traced) {
		perf_trace_del(event, flags);
		return;
	}
	event->hw.state = PERF_HES_STOPPED;
	perf_traced_del(event);
}

/* A tracing event counts when it is hit; to stop it is to look away. */
static void perf_tracing_start(struct perf_event *event, int flags)
{
	if (flags & PERF_EF_RELOAD && is_sampling_event(event))
		perf_swevent_set_period(event);
	event->hw.state &= ~PERF_HES_STOPPED;
}

static void perf_tracing_stop(struct perf_event *event, int flags)
{
	event->hw.state |= PERF_HES_STOPPED;
}

static void perf_tracing_read(struct perf_event *event)
{
}

/* The event has its tracepoint or probe, and counts nothing before it is added. */
static void perf_tracing_opened(struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED;
	if (event->tp_event->event.type != TRACE_FN)
		event->event_caps |= PERF_EV_CAP_NOSCHED;
}

/* What holds for the three PMUs alike. */
static int perf_tracing_check(struct perf_event *event)
{
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "tracing events have no branch stacks");
	event->event_caps |= PERF_EV_CAP_CURRENT;
	return 0;
}

/*
 * Of most classes the functions for opening and closing do nothing, and are not called,
 * so that forks and exits with many copies do not wait for each other.
 */
static bool perf_tracing_opens_freely(struct trace_event_call *call)
{
	return call->class->reg == trace_event_reg ||
	       call->flags & TRACE_EVENT_FL_KPROBE || is_syscall_trace_event(call);
}

/*
 * The others go through lists: of the probes of the tracepoint, which come and go one by
 * one, and of the tasks to be probed. event_mutex protects them. It is taken within the
 * mutexes of contexts, and the locks of tracing, mmap_lock and the CPU hotplug lock
 * within it: nothing that holds one of those may take the mutex of a task's context.
 */
static int perf_tracing_notify_class(struct perf_event *event, enum trace_reg type)
{
	struct trace_event_call *call = event->tp_event;

	if (perf_tracing_opens_freely(call))
		return 0;
	guard(mutex)(&event_mutex);
	return call->class->reg(call, type, event);
}

static void perf_tracing_destroy_child(struct perf_event *event)
{
	perf_tracing_notify_class(event, TRACE_REG_PERF_CLOSE);
}

/*
 * An inherited event has the tracepoint or probe of its parent, which lives longer. It
 * cannot make a probe of its own: the attributes point into the memory of the process that
 * opened the parent, and the permission was given to that process.
 */
static int perf_tracing_init_child(struct perf_event *event)
{
	int err;

	event->tp_event = event->parent->tp_event;
	err = perf_tracing_notify_class(event, TRACE_REG_PERF_OPEN);
	if (err)
		return err;
	event->destroy = perf_tracing_destroy_child;
	perf_tracing_opened(event);
	return 0;
}

static int perf_tracepoint_event_init(struct perf_event *event)
{
	int err;

	if (event->attr.type != PERF_TYPE_TRACEPOINT)
		return -ENOENT;
#ifdef CONFIG_FUNCTION_TRACER
	/* one of functions registers these, see kernel/trace/trace_event_perf.c */
	memset(&event->ftrace_ops, 0, sizeof(event->ftrace_ops));
#endif
	err = perf_tracing_check(event);
	if (err)
		return err;
	if (event->parent)
		return perf_tracing_init_child(event);

	err = perf_trace_init(event);
	if (err == -EPERM || err == -EACCES)
		return perf_refuse(err, "config",
				   "tracepoint %llu is not open to this user (perf_event_paranoid is %d)",
				   event->attr.config, sysctl_perf_event_paranoid);
	if (err)
		return perf_refuse(err, "config",
				   "there is no tracepoint %llu, or not for such an event",
				   event->attr.config);

	event->destroy = perf_trace_destroy;
	perf_tracing_opened(event);
	return 0;
}

#define PERF_TRACING_OPS						\
	.task_ctx_nr	= perf_sw_context,				\
	.add		= perf_tracing_add,				\
	.del		= perf_tracing_del,				\
	.start		= perf_tracing_start,				\
	.stop		= perf_tracing_stop,				\
	.read		= perf_tracing_read

static struct pmu perf_tracepoint = {
	PERF_TRACING_OPS,
	.event_init	= perf_tracepoint_event_init,
};

#if defined(CONFIG_KPROBE_EVENTS) || defined(CONFIG_UPROBE_EVENTS)
/*
 * attr.config of a probe. Programs look in format/ whether the kernel knows the
 * fields, and rely on where they are.
 */
#define PERF_PROBE_RETURN	BIT_ULL(0)
#define PERF_PROBE_REF_CTR_SHIFT	32

PMU_FORMAT_ATTR(retprobe, "config:0");

static bool perf_probe_is_return(const struct perf_event *event)
{
	return event->attr.config & PERF_PROBE_RETURN;
}

/*
 * Is @event for this PMU, and may it be? A uprobe changes the text of every process
 * that maps the file: that takes more than the right to watch.
 */
static int perf_probe_check(struct perf_event *event, int cap)
{
	bool allowed = cap == CAP_PERFMON ? perfmon_capable() : capable(cap);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!event->parent && !allowed)
		return perf_refuse(-EACCES, "type", "such probes are for %s only",
				   cap == CAP_SYS_ADMIN ? "CAP_SYS_ADMIN" : "CAP_PERFMON");
	return perf_tracing_check(event);
}
#endif

#ifdef CONFIG_KPROBE_EVENTS
static struct attribute *perf_kprobe_format[] = {
	&format_attr_retprobe.attr,
	NULL
};

static const struct attribute_group perf_kprobe_format_group = {
	.name	= "format",
	.attrs	= perf_kprobe_format,
};

static const struct attribute_group *perf_kprobe_groups[] = {
	&perf_kprobe_format_group,
	NULL
};

static int perf_kprobe_event_init(struct perf_event *event)
{
	int err = perf_probe_check(event, CAP_PERFMON);

	if (err)
		return err;
	if (event->parent)
		return perf_tracing_init_child(event);

	err = perf_kprobe_init(event, perf_probe_is_return(event));
	if (err)
		return perf_refuse(err, "kprobe_func",
				   "no %sprobe could be put at %s %#llx",
				   perf_probe_is_return(event) ? "return " : "",
				   event->attr.kprobe_func ?
				   "the named function, offset" : "address",
				   event->attr.probe_offset);

	event->destroy = perf_kprobe_destroy;
	perf_tracing_opened(event);
	return 0;
}

static struct pmu perf_kprobe = {
	PERF_TRACING_OPS,
	.event_init	= perf_kprobe_event_init,
	.attr_groups	= perf_kprobe_groups,
};

static bool perf_event_is_kprobe(const struct perf_event *event)
{
	return event->pmu == &perf_kprobe;
}

static void __init perf_kprobe_register(void)
{
	perf_pmu_register(&perf_kprobe, "kprobe", -1);
}
#else
static bool perf_event_is_kprobe(const struct perf_event *event)
{
	return false;
}

static void __init perf_kprobe_register(void) { }
#endif

#ifdef CONFIG_UPROBE_EVENTS
PMU_FORMAT_ATTR(ref_ctr_offset, "config:32-63");

static struct attribute *perf_uprobe_format[] = {
	&format_attr_retprobe.attr,
	&format_attr_ref_ctr_offset.attr,
	NULL
};

static const struct attribute_group perf_uprobe_format_group = {
	.name	= "format",
	.attrs	= perf_uprobe_format,
};

static const struct attribute_group *perf_uprobe_groups[] = {
	&perf_uprobe_format_group,
	NULL
};

static int perf_uprobe_event_init(struct perf_event *event)
{
	unsigned long ref_ctr_offset = event->attr.config >> PERF_PROBE_REF_CTR_SHIFT;
	int err = perf_probe_check(event, CAP_SYS_ADMIN);

	if (err)
		return err;
	if (event->parent)
		return perf_tracing_init_child(event);

	err = perf_uprobe_init(event, ref_ctr_offset, perf_probe_is_return(event));
	if (err)
		return perf_refuse(err, "uprobe_path",
				   "no %sprobe could be put at offset %#llx of the file",
				   perf_probe_is_return(event) ? "return " : "",
				   event->attr.probe_offset);

	event->destroy = perf_uprobe_destroy;
	perf_tracing_opened(event);
	return 0;
}

static struct pmu perf_uprobe = {
	PERF_TRACING_OPS,
	.event_init	= perf_uprobe_event_init,
	.attr_groups	= perf_uprobe_groups,
};

static bool perf_event_is_uprobe(const struct perf_event *event)
{
	return event->pmu == &perf_uprobe;
}

static void __init perf_uprobe_register(void)
{
	perf_pmu_register(&perf_uprobe, "uprobe", -1);
}
#else
static bool perf_event_is_uprobe(const struct perf_event *event)
{
	return false;
}

static void __init perf_uprobe_register(void) { }
#endif

/**
 * perf_event_is_tracing() - is this an event of one of the PMUs here?
 * @event: the event
 *
 * If so and it was opened, event->tp_event is set.
 *
 * Return: true if it is.
 */
bool perf_event_is_tracing(struct perf_event *event)
{
	return event->pmu == &perf_tracepoint || perf_event_is_kprobe(event) ||
	       perf_event_is_uprobe(event);
}

/**
 * perf_event_has_uprobe() - whether breakpoints in its task's memory make an event
 * @event: with its PMU
 *
 * Return: true when they do.
 */
bool perf_event_has_uprobe(struct perf_event *event)
{
	struct trace_event_call *call = perf_event_root(event)->tp_event;

	return call && (call->flags & TRACE_EVENT_FL_UPROBE);
}

/**
 * perf_event_set_trace_filter() - count only what a filter lets through
 * @event: a tracing event from perf_event_open(2)
 * @text: the filter in the language of kernel/trace; is written to
 *
 * Context: task, may sleep.
 * Return: 0, -EINVAL for a bad filter, -EEXIST if there is one, -ENOMEM.
 */
int perf_event_set_trace_filter(struct perf_event *event, char *text)
{
	int err = ftrace_profile_set_filter(event, event->attr.config, text);

	if (err)
		return perf_refuse(err, "filter", "%s",
				   err == -EEXIST ? "the event has one already" :
				   "it does not suit the fields of this tracepoint");
	return 0;
}

/**
 * perf_tracepoint_init() - register the PMUs; boot
 */
void __init perf_tracepoint_init(void)
{
	perf_pmu_register(&perf_tracepoint, "tracepoint", PERF_TYPE_TRACEPOINT);
	perf_kprobe_register();
	perf_uprobe_register();
}
