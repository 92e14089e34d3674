/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Side-band records: to whom they go, and how.
 *
 * A listener is an event that asks by its attributes to be told what happens
 * beside the events, in the same buffer as its samples. It is told what happens
 * on its CPU, if it is a CPU's, or while its task runs, if it is a task's,
 * as long as it is enabled, whether or not it counts at the moment.
 *
 * Who has something to tell asks three questions, each dearer than the one
 * before:
 *
 *	perf_sideband_enabled()	is there a listener on the machine? One load.
 *	perf_sideband_has_listener()	is there one here? A list for each sub-context that is on,
 *				mostly empty. Only worth it if the record costs
 *				something to make.
 *	perf_sideband_emit()	write the record for each that is here.
 *
 * Locking and lifetime rules
 *
 *   perf_subctx::sideband lists the listeners of a sub-context, so a record looks at
 *   none that are bound to another CPU or cgroup. It is changed with ctx->lock held,
 *   where the context is on if it is, and read there under RCU.
 *   A guest of a cgroup's sub-context listens to the whole CPU, see subctx.h: it is on the list
 *   of the CPU's own sub-context.
 *   perf_sideband_listeners counts what was opened, from before an event is
 *   made until it is freed; what is inherited does not outlive its parent.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/atomic.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "../base/contexts.h"
#include "../base/event.h"

/* What can be listened for; perf_attr_needs() says which attribute asks. */
enum perf_sideband_kind {
	PERF_SIDEBAND_TASK,		/* FORK, EXIT */
	PERF_SIDEBAND_COMM,
	PERF_SIDEBAND_NAMESPACES,
	PERF_SIDEBAND_MMAP,		/* MMAP, MMAP2 of what is executable */
	PERF_SIDEBAND_MMAP_DATA,	/* and of what is not */
	PERF_SIDEBAND_BUILD_ID,		/* that MMAP2 records shall have one */
	PERF_SIDEBAND_KSYMBOL,
	PERF_SIDEBAND_BPF_EVENT,
	PERF_SIDEBAND_TEXT_POKE,
	PERF_SIDEBAND_CGROUP,
	PERF_SIDEBAND_SWITCH,		/* SWITCH, SWITCH_CPU_WIDE */
	PERF_SIDEBAND_KINDS
};

/**
 * struct perf_sideband - a record about something that happened
 * @kind: who is to be told; not looked at by perf_sideband_write()
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @size: bytes without the header and the sample_id; a multiple of eight
 * @shape: optional; for a record that is not the same for all listeners, changes
 *	this listener's copy of @type, @misc and @size
 * @put: optional; write exactly @size bytes
 *
 * Embedded in a struct with what @shape and @put look at. Both are called with
 * irqs off and under RCU, maybe with the rq lock held.
 */
struct perf_sideband {
	enum perf_sideband_kind	kind;
	u32	type;
	u16	misc;
	u32	size;
	void	(*shape)(const struct perf_event *event,
			 struct perf_sideband *copy,
			 const struct perf_sideband *record);
	void	(*put)(struct perf_output_handle *handle,
		       struct perf_event *event,
		       const struct perf_sideband *record);
};

/* sideband.c: delivery */
extern atomic_t perf_sideband_listeners[PERF_SIDEBAND_KINDS];

/**
 * perf_sideband_enabled() - whether anybody on the machine listens
 * @kind: for what
 *
 * Any context. A counter and no static key: this is also asked while kernel
 * text is being changed.
 *
 * Return: false when it is not worth looking further.
 */
static __always_inline bool perf_sideband_enabled(enum perf_sideband_kind kind)
{
	return atomic_read(&perf_sideband_listeners[kind]);
}

bool perf_sideband_has_listener(enum perf_sideband_kind kind);
void perf_sideband_emit(const struct perf_sideband *record);
void perf_sideband_emit_unhooked(struct perf_event_context *ctx,
				 const struct perf_sideband *record);
void perf_sideband_write(struct perf_event *event,
			 const struct perf_sideband *record);

/* Whether an event asks for a kind of record; decided at open. */
static inline bool perf_sideband_matches(const struct perf_event *event,
					 enum perf_sideband_kind kind)
{
	return event->sideband_kinds & BIT(kind);
}

void perf_sideband_account(struct perf_event *event);
void __perf_sideband_unaccount(struct perf_event *event);

/* Undo perf_sideband_account(): the event is being freed; task context. */
static inline void perf_sideband_unaccount(struct perf_event *event)
{
	if (unlikely(event->sideband_kinds) && !event->parent)
		__perf_sideband_unaccount(event);
}

void __perf_sideband_attach(struct perf_event *event);
void __perf_sideband_detach(struct perf_event *event);

/* An event comes into its context: ctx->lock is held, on the CPU where that is on. */
static inline void perf_sideband_attach(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(event->sideband_kinds))
		__perf_sideband_attach(event);
}

/* Undo that. The event does not come into a context again within a grace period. */
static inline void perf_sideband_detach(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(event->sideband_kinds))
		__perf_sideband_detach(event);
}

/* Strings in records end in NUL and are filled up with NULs. */
static inline unsigned int perf_sideband_string_size(const char *string)
{
	return round_up(strlen(string) + 1, sizeof(u64));
}

void perf_sideband_put_string(struct perf_output_handle *handle,
			      const char *string);

/* sideband_task.c: a task's end */
void perf_sideband_exit(struct task_struct *task,
			struct perf_event_context *ctx);

/* sideband_switch.c: context switches */
void perf_sideband_switch(struct task_struct *task, struct task_struct *other,
			  bool in);

/* sideband_cgroup.c: a cgroup was made */
#ifdef CONFIG_CGROUP_PERF
void perf_sideband_cgroup(struct cgroup *cgrp);
#endif

/* sideband_event.c: about an event itself, to its own buffer only */
void perf_sideband_throttle(struct perf_event *event, bool throttled);
void perf_sideband_mmap(struct vm_area_struct *vma);
void perf_sideband_fork(struct task_struct *task);
void perf_sideband_read(struct perf_event_context *ctx, struct task_struct *task);
void perf_sideband_lost_samples(struct perf_event *event, u64 lost);
void perf_sideband_itrace_start(struct perf_event *event);
void perf_sideband_aux(struct perf_event *event, u64 offset, u64 size, u64 flags);
void perf_sideband_aux_hw_id(struct perf_event *event, u64 hw_id);

/**
 * perf_aux_announce() - say that a trace source begins, or goes on, to trace
 * @event: any; about to be added to its PMU
 *
 * PERF_PMU_CAP_ITRACE: each time, until the driver has done so itself.
 */
static inline void perf_aux_announce(struct perf_event *event)
{
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_ITRACE) &&
	    !(perf_event_root(event)->attach_state & PERF_ATTACH_ITRACE))
		perf_sideband_itrace_start(event);
}

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
