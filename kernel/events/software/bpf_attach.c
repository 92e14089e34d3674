// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on events: attached by ioctl or link, run when something occurs.
 *
 * A program on a tracing event is attached to its tracepoint or probe and runs at
 * every occurrence. kernel/trace/bpf_trace.c implements that; this file only checks
 * which programs fit. A program on any other event runs on overflow and decides
 * whether a sample is written, see perf_event_bpf_run().
 *
 * perf_event::prog is set on the event opened by user space only. A child event
 * uses the program of its parent.
 *
 * Locking rules: perf_bpf_mutex protects prog and bpf_cookie of events other than
 * tracing events. The mutex of bpf_trace.c protects them for tracing events.
 * Overflows read prog under RCU, in any context. The event holds a reference to
 * its program. A program is freed a grace period after the last reference is put.
 */
#include <linux/bpf.h>
#include <linux/cleanup.h>
#include <linux/filter.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include "bpf_attach.h"
#include "tracepoint.h"

static DEFINE_MUTEX(perf_bpf_mutex);

/*
 * A program that walks stacks gets the registers of the precise sample. An unwinder
 * cannot start from these, so the sample must contain the complete callchain.
 */
static bool perf_bpf_stack_out_of_reach(const struct perf_event_attr *attr,
					const struct bpf_prog *prog)
{
	return prog->call_get_stack && attr->precise_ip &&
	       (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN) ||
		attr->exclude_callchain_kernel || attr->exclude_callchain_user);
}

static int perf_bpf_attach(struct perf_event *event, struct bpf_prog *prog,
			   u64 cookie)
{
	guard(mutex)(&perf_bpf_mutex);

	/* ABI: -EEXIST takes precedence over the -EINVAL of a wrong type */
	if (event->prog)
		return perf_refuse(-EEXIST, "bpf", "the event has a program already");
	if (prog->type != BPF_PROG_TYPE_PERF_EVENT)
		return perf_refuse(-EINVAL, "bpf",
				   "programs of type %d do not run on this event, only type %d (perf_event)",
				   prog->type, BPF_PROG_TYPE_PERF_EVENT);
	if (perf_bpf_stack_out_of_reach(&event->attr, prog))
		return perf_refuse(-EPROTO, "bpf",
				   "the program takes stacks: with precise_ip the event must sample the whole callchain");

	event->bpf_cookie = cookie;
	smp_store_release(&event->prog, prog);	/* pairs with perf_event_bpf_run() */
	return 0;
}

#ifdef CONFIG_EVENT_TRACING
/* Return: the only program type that can run at @call, or BPF_PROG_TYPE_UNSPEC. */
static enum bpf_prog_type perf_bpf_type_for(struct trace_event_call *call)
{
	if (call->flags & (TRACE_EVENT_FL_KPROBE | TRACE_EVENT_FL_UPROBE))
		return BPF_PROG_TYPE_KPROBE;
	if ((call->flags & TRACE_EVENT_FL_TRACEPOINT) || is_syscall_trace_event(call))
		return BPF_PROG_TYPE_TRACEPOINT;
	return BPF_PROG_TYPE_UNSPEC;
}

static int perf_bpf_fits_tracing(struct trace_event_call *call,
				 const struct bpf_prog *prog)
{
	enum bpf_prog_type type = perf_bpf_type_for(call);
	u32 size;

	if (type == BPF_PROG_TYPE_UNSPEC)
		return perf_refuse(-EINVAL, "bpf",
				   "programs run on tracepoints, kprobes, uprobes and syscalls only");
	if (prog->type != type)
		return perf_refuse(-EINVAL, "bpf",
				   "the program is of type %d, here type %d runs",
				   prog->type, type);
	if (prog->sleepable && !(call->flags & TRACE_EVENT_FL_UPROBE))
		return perf_refuse(-EINVAL, "bpf",
				   "sleepable programs run on uprobes only");
	if (prog->kprobe_override && !(call->flags & TRACE_EVENT_FL_KPROBE))
		return perf_refuse(-EINVAL, "bpf",
				   "only on a kprobe can a program override a return value");
	if (type != BPF_PROG_TYPE_TRACEPOINT)
		return 0;

	size = trace_event_get_offsets(call);
	if (prog->aux->max_ctx_offset > size)
		return perf_refuse(-EACCES, "bpf",
				   "the program reads %u bytes, the record has %u",
				   prog->aux->max_ctx_offset, size);
	return 0;
}

static int perf_bpf_attach_tracing(struct perf_event *event,
				   struct bpf_prog *prog, u64 cookie)
{
	int err = perf_bpf_fits_tracing(event->tp_event, prog);

	if (err)
		return err;
	err = perf_event_attach_bpf_prog(event, prog, cookie);
	if (err)
		return perf_refuse(err, "bpf", "%s",
				   err == -EEXIST ? "the event has a program already" :
				   err == -E2BIG ? "too many programs on this tracepoint" :
				   "the tracepoint or probe does not take the program");
	return 0;
}
#else
static int perf_bpf_attach_tracing(struct perf_event *event,
				   struct bpf_prog *prog, u64 cookie)
{
	return -EOPNOTSUPP;
}
#endif

/**
 * perf_bpf_set() - attach a program to an event
 * @event: from perf_event_open(2)
 * @prog: the program; on success the event takes over the caller's reference
 * @cookie: for bpf_get_attach_cookie()
 *
 * Samples that a driver has, but has not reported yet, are not flushed.
 *
 * Context: task, may sleep.
 * Return: as perf_event_set_bpf_prog().
 */
int perf_bpf_set(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	if (perf_event_is_tracing(event))
		return perf_bpf_attach_tracing(event, prog, cookie);
	return perf_bpf_attach(event, prog, cookie);
}

/**
 * perf_event_free_bpf_prog() - detach an event's program, if it has one
 * @event: any event; a child event never has a program
 *
 * The event does not start the program after this returns. A run that has begun
 * may still be in progress.
 *
 * Context: task, may sleep.
 */
void perf_event_free_bpf_prog(struct perf_event *event)
{
	struct bpf_prog *prog;

	if (!READ_ONCE(event->prog))
		return;
	if (perf_event_is_tracing(event)) {
		perf_event_detach_bpf_prog(event);
		return;
	}

	scoped_guard(mutex, &perf_bpf_mutex) {
		prog = event->prog;
		WRITE_ONCE(event->prog, NULL);
	}
	if (prog)
		bpf_prog_put(prog);
}
