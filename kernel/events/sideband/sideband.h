/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Side-band records: which events get them, and how.
 *
 * A listener is an event whose attributes select side-band records. These go to the same buffer
 * as its samples. A CPU event gets the records of its CPU. A task's event gets records of the
 * time in which its task runs. The event must be enabled. It need not be active.
 *
 * The code that reports an occurrence makes three steps, each more expensive than the previous
 * one:
 *
 *	perf_sideband_enabled()		Is there any listener on the machine? One load.
 *	perf_sideband_has_listener()	Is there a listener on this CPU? Searches the list of
 *					each sub-context that is scheduled in; most are empty.
 *					Only useful if the record is expensive to make.
 *	perf_sideband_emit()		Write the record for each listener on this CPU.
 *
 * Locking and lifetime rules
 *
 *   perf_subctx::sideband lists the listeners of a sub-context. So a record does not
 *   visit listeners that are bound to another CPU or cgroup. The list is changed under
 *   ctx->lock, on the context's CPU if the context is scheduled in. It is read on that
 *   CPU under RCU.
 *   An event that is foreign in a cgroup's sub-context (perf_cgroup_is_foreign())
 *   listens to the whole CPU: it is on the list of the CPU's own sub-context.
 *   perf_sideband_listeners counts events opened by user space or in the kernel, from
 *   before they are made until they are freed. Child events are not counted: they do
 *   not outlive their parent.
 */
#ifndef _KERNEL_EVENTS_SIDEBAND_H
#define _KERNEL_EVENTS_SIDEBAND_H

#include <linux/atomic.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "../base/contexts.h"
#include "../base/event.h"

/* Kinds of records. perf_attr_needs() maps attributes to kinds. */
enum perf_sideband_kind {
	PERF_SIDEBAND_TASK,		/* FORK, EXIT */
	PERF_SIDEBAND_COMM,
	PERF_SIDEBAND_NAMESPACES,
	PERF_SIDEBAND_MMAP,		/* MMAP, MMAP2 of executable mappings */
	PERF_SIDEBAND_MMAP_DATA,	/* MMAP, MMAP2 of other mappings */
	PERF_SIDEBAND_BUILD_ID,		/* no record: MMAP2 shows the build ID */
	PERF_SIDEBAND_KSYMBOL,
	PERF_SIDEBAND_BPF_EVENT,
	PERF_SIDEBAND_TEXT_POKE,
	PERF_SIDEBAND_CGROUP,
	PERF_SIDEBAND_SWITCH,		/* SWITCH, SWITCH_CPU_WIDE */
	PERF_SIDEBAND_KINDS
};

/**
 * struct perf_sideband - a side-band record
 * @kind: kind of listeners that get it; not used by perf_sideband_write()
 * @type: PERF_RECORD_*
 * @misc: PERF_RECORD_MISC_*
 * @size: size in bytes without header and sample_id, a multiple of eight
 * @shape: optional; adapts @type, @misc and @size of @copy to a listener, for records that
 *	differ between listeners
 * @put: optional; writes exactly @size bytes
 *
 * Embedded in a struct with the data for @shape and @put. Both are called with interrupts off
 * and under RCU, maybe with the rq lock held.
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
 * perf_sideband_enabled() - is there any listener on the machine?
 * @kind: kind of record
 *
 * This is a counter and not a static key, because it is also read while kernel text is being
 * patched.
 *
 * Context: any.
 * Return: false if there is none.
 */
static inline bool perf_sideband_enabled(enum perf_sideband_kind kind)
{
	return atomic_read(&perf_sideband_listeners[kind]);
}

bool perf_sideband_has_listener(enum perf_sideband_kind kind);
void perf_sideband_emit(const struct perf_sideband *record);
void perf_sideband_emit_unhooked(struct perf_event_context *ctx,
				 const struct perf_sideband *record);
bool perf_sideband_write(struct perf_event *event,
			 const struct perf_sideband *record);

/* Do the attributes of an event select a kind of record? Determined at open. */
static inline bool perf_sideband_matches(const struct perf_event *event,
					 enum perf_sideband_kind kind)
{
	return event->sideband_kinds & BIT(kind);
}

void perf_sideband_account(struct perf_event *event);
void __perf_sideband_unaccount(struct perf_event *event);

/* Undo perf_sideband_account() for an event that is being freed. Task context. */
static inline void perf_sideband_unaccount(struct perf_event *event)
{
	if (unlikely(event->sideband_kinds) && !event->parent)
		__perf_sideband_unaccount(event);
}

void __perf_sideband_attach(struct perf_event *event);
void __perf_sideband_detach(struct perf_event *event);

/*
 * Add an event to its context. Caller must hold ctx->lock, on the context's CPU if the context is
 * scheduled in.
 */
static inline void perf_sideband_attach(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(event->sideband_kinds))
		__perf_sideband_attach(event);
}

/*
 * Undo perf_sideband_attach(). The event must not be attached again before a grace period has
 * passed.
 */
static inline void perf_sideband_detach(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (unlikely(event->sideband_kinds))
		__perf_sideband_detach(event);
}

/* Size of a string in a record: NUL-terminated, padded with NULs to eight bytes. */
static inline unsigned int perf_sideband_string_size(const char *string)
{
	return round_up(strlen(string) + 1, sizeof(u64));
}

void perf_sideband_put_string(struct perf_output_handle *handle,
			      const char *string);

/* sideband_task.c: the end of a task */
void perf_sideband_exit(struct task_struct *task,
			struct perf_event_context *ctx);

/* sideband_switch.c: context switches */
void perf_sideband_switch(struct task_struct *task, struct task_struct *other,
			  bool in);

/* sideband_cgroup.c: a new cgroup */
#ifdef CONFIG_CGROUP_PERF
void perf_sideband_cgroup(struct cgroup *cgrp);
#endif

/* Records about an event itself: sideband_event.c; others: sideband_mmap.c, sideband_task.c */
void perf_sideband_throttle(struct perf_event *event, bool throttled);
void perf_sideband_mmap(struct vm_area_struct *vma);
void perf_sideband_fork(struct task_struct *task);
void perf_sideband_read(struct perf_event_context *ctx, struct task_struct *task);
void perf_sideband_itrace_start(struct perf_event *event);
void perf_sideband_aux(struct perf_event *event, u64 offset, u64 size, u64 flags);

/**
 * perf_aux_announce() - write PERF_RECORD_ITRACE_START if the event needs it
 * @event: any event, about to be added to its PMU
 *
 * Events of PMUs with PERF_PMU_CAP_ITRACE need it each time, until the driver has called
 * perf_event_itrace_started().
 *
 * Context: irqs off, on the event's CPU.
 */
static inline void perf_aux_announce(struct perf_event *event)
{
	if (unlikely(event->pmu->capabilities & PERF_PMU_CAP_ITRACE) &&
	    !(perf_event_root(event)->attach_state & PERF_ATTACH_ITRACE))
		perf_sideband_itrace_start(event);
}

#endif /* _KERNEL_EVENTS_SIDEBAND_H */
