// SPDX-License-Identifier: GPL-2.0
/*
 * Tracing events: the PMUs "tracepoint", "kprobe" and "uprobe".
 *
 * This file opens such events and passes occurrences to the events that count them.
 * kernel/trace/trace_event_perf.c creates the probes and the records. traced.c
 * maintains the lists of a tracepoint. perf_swevent_count() counts an occurrence for
 * one event.
 *
 * Entry points: the PMU operations; perf_trace_run_bpf_submit() and perf_tp_event()
 * from tracepoints, with preemption off, in any context including NMI. The latter two
 * take over a recursion context from the caller and release it on every path.
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
#include "../base/recursion.h"
#include "../base/walk.h"
#include "software.h"
#include "traced.h"
#include "tracepoint.h"
#include "../../trace/trace.h"

/* An occurrence, as passed to all events. */
struct perf_tp_occurrence {
	u64			count;
	void			*record;
	struct pt_regs		*regs;
	struct perf_raw_record	raw;
};

/*
 * Whether the event counts now. A sibling that follows its leader stays added while the
 * leader does not count. A foreign sibling (no cgroup of its own, its leader has one) of a group
 * that needs no PMU stays added while no task of the leader's cgroup runs.
 */
static bool perf_tp_listens(const struct perf_event *event)
{
	const struct perf_subctx *subctx;

	if (event->hw.state & PERF_HES_STOPPED)
		return false;
	if (perf_event_follows(event))
		return READ_ONCE(event->group_leader->state) == PERF_EVENT_STATE_ACTIVE;
	subctx = READ_ONCE(event->subctx);
	return !perf_cgroup_is_foreign(event, subctx) || READ_ONCE(subctx->clock.on);
}

static bool perf_tp_passes(const struct perf_event *event,
			   const struct perf_tp_occurrence *occ)
{
	/* the filter is set on the event opened by user space and applies to its child events */
	const struct perf_event *root = event->parent ?: event;
	struct event_filter *filter = READ_ONCE(root->filter);

	if (event->attr.exclude_kernel && !user_mode(occ->regs))
		return false;
	return !filter || filter_match_preds(filter, occ->record);
}

static void perf_tp_notify(struct perf_event *event,
			   struct perf_tp_occurrence *occ)
{
	/* too large to be cleared at each occurrence; most take no sample */
	struct perf_sample_data data __uninitialized;

	if (!perf_tp_listens(event) || !perf_tp_passes(event, occ))
		return;

	perf_sample_data_init(&data, 0, 0);
	perf_sample_save_raw_data(&data, event, &occ->raw);
	perf_swevent_count(event, occ->count, &data, occ->regs);
}

/*
 * Notify many events: interrupts are let in during the walk. RCU keeps the events of
 * @traced valid, but an interrupt may unlink @traced from the list of the CPU.
 *
 * Return: the node after @traced on the list of the CPU.
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

/* In function tracing the nodes of the list are events, see traced.h. */
static noinline void perf_tp_notify_function(struct hlist_head *head,
					     struct perf_tp_occurrence *occ)
{
	struct perf_event *event;

	hlist_for_each_entry_rcu(event, head, hlist_entry)
		perf_tp_notify(event, occ);
}

/* Notify the events on the tracepoint's list of this CPU. */
static void perf_tp_notify_all(struct hlist_head *head,
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
 * Whether an event of a task that this CPU does not run counts an occurrence about that
 * task. The event must be enabled, but need not be scheduled in. Only events bound to
 * this CPU are candidates: an event that follows its task may be counting on another CPU
 * now. The event counts the occurrence, but takes no sample: a sample describes the
 * running task, and only an event that is scheduled in can overflow. A signal caused by
 * another task would come too late to be synchronous.
 */
static bool perf_tp_reaches(const struct perf_event *event)
{
	return perf_tp_is_enabled(event) && perf_tp_is_enabled(event->group_leader) &&
	       !event->attr.sigtrap;
}

/*
 * RCU keeps the sub-contexts of a task valid: they are freed a grace period after its context
 * is gone. Irqs are mostly off. The number of tracepoints and PERF_TRACED_AFAR bound the walk.
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
 * perf_tp_event() - pass an occurrence of a tracepoint to its events
 * @event_type: number of the tracepoint, for the record's header
 * @count: how many occurrences, mostly 1
 * @record: the record, beginning with a struct trace_entry
 * @entry_size: size of the record, bytes
 * @regs: registers at the occurrence
 * @head: this CPU's list of struct perf_traced; for function tracing, of events
 * @rctx: from perf_swevent_get_recursion_context(); released here
 * @task: task that the occurrence is about, if that is not current; else NULL
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

	/* An interrupt could unlink the event that is being visited. */
	local_irq_save(flags);
	perf_occurrence_irqs(rctx, flags);
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
 * perf_trace_run_bpf_submit() - run BPF programs on an occurrence, then notify events
 * @raw_data: the record; its first eight bytes pass @regs to BPF programs
 * @size: size of the record, bytes
 * @rctx: from perf_swevent_get_recursion_context(); released here
 * @call: the tracepoint
 * @count: how many occurrences, mostly 1
 * @regs: registers at the occurrence
 * @head: as for perf_tp_event()
 * @task: task that the occurrence is about, if that is not current; else NULL
 *
 * If the programs return 0, the events do not count the occurrence.
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
 * An unscheduled event is on the list of its perf_traced all the time, and counts while
 * PERF_HES_STOPPED is clear. Other events are events of function tracing. perf_trace_add()
 * only ever sets the flag, so it is cleared here.
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

/* No hardware is started or stopped. An occurrence checks PERF_HES_STOPPED. */
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

/* The event has its tracepoint or probe. It does not count before it is added. */
static void perf_tracing_opened(struct perf_event *event)
{
	event->hw.state = PERF_HES_STOPPED;
	event->event_caps |= PERF_EV_CAP_CURRENT;
	if (event->tp_event->event.type != TRACE_FN)
		event->event_caps |= PERF_EV_CAP_NOSCHED;
}

/* Checks common to the three PMUs. */
static int perf_tracing_check(struct perf_event *event)
{
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "tracing events have no branch stacks");
	return 0;
}

/*
 * The open and close functions of most classes do nothing. They are not called, so that forks
 * and exits with many child events do not contend for event_mutex.
 */
static bool perf_tracing_opens_freely(struct trace_event_call *call)
{
	return call->class->reg == trace_event_reg ||
	       call->flags & TRACE_EVENT_FL_KPROBE || is_syscall_trace_event(call);
}

/*
 * The other classes use lists of the probes of the tracepoint and of the tasks to be probed.
 * event_mutex protects these lists. It nests inside the mutexes of contexts. The locks of
 * tracing, mmap_lock and the CPU hotplug lock nest inside event_mutex. So a holder of one of
 * those must not take the mutex of a task's context.
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
 * A child event uses the tracepoint or probe of its parent, which outlives the child. It cannot
 * create a probe: the attributes point into the memory of the process that opened the parent,
 * and the permission was granted to that process.
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
	/* for a function tracing event, trace_event_perf.c registers these */
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
	if (err == -ENOMEM)
		return perf_refuse(err, "config", "no memory for tracepoint %llu",
				   event->attr.config);
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
	.capabilities	= PERF_PMU_CAP_PERMANENT,			\
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
 * Fields of attr.config of a probe. ABI: programs check format/ for the fields the kernel
 * supports, and rely on their positions.
 */
#define PERF_PROBE_RETURN	BIT_ULL(0)
#define PERF_PROBE_REF_CTR_SHIFT	32

PMU_FORMAT_ATTR(retprobe, "config:0");

static bool perf_probe_is_return(const struct perf_event *event)
{
	return event->attr.config & PERF_PROBE_RETURN;
}

/*
 * Check type and permission of a probe event. A uprobe modifies the text of every process that
 * maps the file, so CAP_PERFMON is not enough for it.
 */
static int perf_probe_check(struct perf_event *event, int cap)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* asked only when it matters: a question is audited, and marks the task */
	if (!event->parent && !(cap == CAP_PERFMON ? perfmon_capable() : capable(cap)))
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

static void __init perf_kprobe_register(void)
{
	perf_pmu_register(&perf_kprobe, "kprobe", -1);
}
#else
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

static void __init perf_uprobe_register(void)
{
	perf_pmu_register(&perf_uprobe, "uprobe", -1);
}
#else
static void __init perf_uprobe_register(void) { }
#endif

/**
 * perf_event_is_tracing() - whether an event belongs to one of the tracing PMUs
 * @event: the event
 *
 * event->tp_event of an opened tracing event is set.
 *
 * Return: true if the event belongs to one.
 */
bool perf_event_is_tracing(struct perf_event *event)
{
	/* No other PMU has these operations. */
	return event->pmu->add == perf_tracing_add;
}

/**
 * perf_event_has_uprobe() - whether an event counts hits of a uprobe
 * @event: the event; its PMU is set
 *
 * Return: true if it does.
 */
bool perf_event_has_uprobe(struct perf_event *event)
{
	struct trace_event_call *call = perf_event_root(event)->tp_event;

	return call && (call->flags & TRACE_EVENT_FL_UPROBE);
}

/**
 * perf_event_set_trace_filter() - count only occurrences that a filter accepts
 * @event: a tracing event from perf_event_open(2)
 * @text: the filter, in the syntax of kernel/trace; modified while it is parsed
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
