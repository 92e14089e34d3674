// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records: listeners and delivery.
 *
 * This file decides which events get a record, and writes it for each of them. The other files
 * sideband_*.c make the records. The rules are in sideband.h.
 *
 * __always_inline: the record of a mapping takes 18 instructions less, of 1,026 for mmap(2) and
 * munmap(2) with it (make bench, x86_64).
 *
 * Context: any but NMI for perf_sideband_emit() and what it calls, also with irqs off and rq lock
 * held.
 */
#include "../base/contexts.h"
#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"

/* Read by each mmap(), fork and context switch. Written at open and close only. */
atomic_t perf_sideband_listeners[PERF_SIDEBAND_KINDS] __read_mostly;

/* Maximum number of listeners for which a record is written with interrupts off. */
#define PERF_SIDEBAND_AT_ONCE	32

/* Return the kinds of records that the attributes select. */
static unsigned int perf_attr_needs(const struct perf_event_attr *attr)
{
	unsigned int kinds = 0;

	/* Fast path: most events select no records. */
	if (!(attr->task || attr->comm || attr->mmap || attr->mmap_data || attr->mmap2 ||
	      attr->namespaces || attr->ksymbol || attr->bpf_event || attr->text_poke ||
	      attr->cgroup || attr->context_switch))
		return 0;
	/* FORK and EXIT are needed to attribute names and mappings to tasks. */
	if (attr->task || attr->comm || attr->mmap || attr->mmap_data)
		kinds |= BIT(PERF_SIDEBAND_TASK);
	if (attr->comm)
		kinds |= BIT(PERF_SIDEBAND_COMM);
	if (attr->namespaces)
		kinds |= BIT(PERF_SIDEBAND_NAMESPACES);
	/* mmap2 alone only selects the format. With mmap_data it selects all mappings. */
	if (attr->mmap || (attr->mmap2 && attr->mmap_data))
		kinds |= BIT(PERF_SIDEBAND_MMAP);
	if (attr->mmap_data)
		kinds |= BIT(PERF_SIDEBAND_MMAP_DATA);
	if (attr->build_id && attr->mmap2)
		kinds |= BIT(PERF_SIDEBAND_BUILD_ID);
	if (attr->ksymbol)
		kinds |= BIT(PERF_SIDEBAND_KSYMBOL);
	if (attr->bpf_event)
		kinds |= BIT(PERF_SIDEBAND_BPF_EVENT);
	if (attr->text_poke)
		kinds |= BIT(PERF_SIDEBAND_TEXT_POKE);
	if (attr->cgroup)
		kinds |= BIT(PERF_SIDEBAND_CGROUP);
	if (attr->context_switch)
		kinds |= BIT(PERF_SIDEBAND_SWITCH);
	return kinds;
}

/**
 * perf_sideband_account() - count a new event as a listener
 * @event: the event; its attributes and its parent are set
 *
 * Child events are not counted: their parent is counted as long as they exist.
 *
 * Context: task.
 */
void perf_sideband_account(struct perf_event *event)
{
	enum perf_sideband_kind kind;

	if (event->parent) {
		event->sideband_kinds = event->parent->sideband_kinds;
		return;
	}
	event->sideband_kinds = perf_attr_needs(&event->attr);
	if (likely(!event->sideband_kinds))
		return;
	for (kind = 0; kind < PERF_SIDEBAND_KINDS; kind++) {
		if (perf_sideband_matches(event, kind))
			atomic_inc(&perf_sideband_listeners[kind]);
	}
	if (perf_sideband_matches(event, PERF_SIDEBAND_SWITCH))
		perf_switch_key_inc();
}

/**
 * __perf_sideband_unaccount() - undo perf_sideband_account()
 * @event: an event that is being freed, without a parent, with kinds of records selected
 *
 * Context: task.
 */
void __perf_sideband_unaccount(struct perf_event *event)
{
	enum perf_sideband_kind kind;

	for (kind = 0; kind < PERF_SIDEBAND_KINDS; kind++) {
		if (perf_sideband_matches(event, kind))
			atomic_dec(&perf_sideband_listeners[kind]);
	}
	if (perf_sideband_matches(event, PERF_SIDEBAND_SWITCH))
		perf_switch_key_dec();
}

/**
 * __perf_sideband_attach() - add a listener to its context
 * @event: the event; its sub-context is set
 *
 * Listeners for context switches come first, see perf_sideband_ends_before().
 *
 * Context: Caller must hold ctx->lock.
 */
void __perf_sideband_attach(struct perf_event *event)
{
	struct perf_subctx *subctx = perf_event_lone_subctx(event, event->subctx);

	if (perf_sideband_matches(event, PERF_SIDEBAND_SWITCH))
		list_add_rcu(&event->sideband_entry, &subctx->sideband);
	else
		list_add_tail_rcu(&event->sideband_entry, &subctx->sideband);
	WRITE_ONCE(event->ctx->nr_sideband, event->ctx->nr_sideband + 1);
}

/**
 * __perf_sideband_detach() - undo __perf_sideband_attach()
 * @event: the event, leaving its context
 *
 * Context: Caller must hold ctx->lock.
 */
void __perf_sideband_detach(struct perf_event *event)
{
	list_del_rcu(&event->sideband_entry);
	WRITE_ONCE(event->ctx->nr_sideband, event->ctx->nr_sideband - 1);
}

/* A listener must be enabled. It need not be active. */
static bool perf_sideband_hears(const struct perf_event *event,
				enum perf_sideband_kind kind)
{
	return perf_sideband_matches(event, kind) &&
	       READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
}

/*
 * Neither @event nor any entry of the list after it is a listener for the kind. A context switch,
 * with interrupts off and the rq lock held, visits those that listen for it, which are limited in
 * number (context/limits.c), and no others.
 */
static bool perf_sideband_ends_before(const struct perf_event *event,
				      enum perf_sideband_kind kind)
{
	return kind == PERF_SIDEBAND_SWITCH && !perf_sideband_matches(event, kind);
}

static noinline bool __perf_sideband_ctx_hears(const struct perf_event_context *ctx,
					       enum perf_sideband_kind kind)
{
	const struct perf_subctx *subctx;
	const struct perf_event *event;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		list_for_each_entry_rcu(event, &subctx->sideband, sideband_entry) {
			if (perf_sideband_hears(event, kind))
				return true;
		}
	}
	return false;
}

static bool perf_sideband_ctx_hears(const struct perf_event_context *ctx,
				    enum perf_sideband_kind kind)
{
	return READ_ONCE(ctx->nr_sideband) && __perf_sideband_ctx_hears(ctx, kind);
}

/**
 * perf_sideband_has_listener() - is there a listener on this CPU?
 * @kind: kind of record
 *
 * Looks at the contexts of this CPU and of its running task. The caller may be migrated before
 * it emits the record. The record then goes to the listeners of the new CPU.
 *
 * Context: any but NMI.
 * Return: true if a record would be written for at least one event.
 */
bool perf_sideband_has_listener(enum perf_sideband_kind kind)
{
	const struct perf_event_context *task_ctx;

	guard(preempt)();
	if (perf_sideband_ctx_hears(&this_perf_cpu()->ctx, kind))
		return true;
	task_ctx = READ_ONCE(this_perf_cpu()->task_ctx);
	return task_ctx && perf_sideband_ctx_hears(task_ctx, kind);
}

/**
 * perf_sideband_write() - write a record for one event
 * @event: the event; whether its attributes select the record is not checked
 * @record: the record
 *
 * Context: as perf_output_begin().
 * Return: true if the record was written, false if it was lost, or there is no buffer.
 */
bool perf_sideband_write(struct perf_event *event,
			 const struct perf_sideband *record)
{
	struct perf_output_handle handle;
	struct perf_event_header header;
	struct perf_sideband copy = *record;
	unsigned int size;

	if (record->shape)
		record->shape(event, &copy, record);

	size = sizeof(header) + copy.size + perf_sample_id_size(event);
	if (WARN_ON_ONCE(size > U16_MAX))
		return false;
	header.type = copy.type;
	header.misc = copy.misc;
	header.size = size;

	if (perf_output_begin(&handle, NULL, event, size))
		return false;
	perf_output_header(&handle, &header);
	if (record->put)
		record->put(&handle, event, record);
	perf_sample_id_put(&handle, event);
	perf_output_end(&handle);
	return true;
}

/*
 * Write a record for the listeners of a sub-context that follow @at. Interrupts are off, so
 * that no event leaves its context, and is freed, while a record is written for it.
 *
 * Return: the last entry visited; or the head of the list if there are no more, or if the
 * context is not scheduled in on @cpu any more.
 */
static __always_inline struct list_head *
perf_sideband_emit_some(struct perf_subctx *subctx, struct list_head *at, int cpu,
			const struct perf_sideband *record)
{
	struct perf_event *event = list_entry(at, struct perf_event, sideband_entry);
	unsigned int left = PERF_SIDEBAND_AT_ONCE;

	guard(irqsave)();
	if (READ_ONCE(subctx->ctx->cpu) != cpu)
		return &subctx->sideband;
	list_for_each_entry_continue_rcu(event, &subctx->sideband, sideband_entry) {
		if (perf_sideband_hears(event, record->kind))
			perf_sideband_write(event, record);
		else if (perf_sideband_ends_before(event, record->kind))
			break;
		if (!--left)
			return &event->sideband_entry;
	}
	return &subctx->sideband;
}

/* Caller must have preemption off, which is also an RCU read-side critical section. */
static __always_inline void perf_sideband_emit_subctx(struct perf_subctx *subctx, int cpu,
						      const struct perf_sideband *record)
{
	struct list_head *at = &subctx->sideband;

	do {
		at = perf_sideband_emit_some(subctx, at, cpu, record);
	} while (unlikely(at != &subctx->sideband));
}

static noinline void __perf_sideband_emit_ctx(struct perf_event_context *ctx,
					      const struct perf_sideband *record)
{
	struct perf_subctx *subctx;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		if (!list_empty(&subctx->sideband))
			perf_sideband_emit_subctx(subctx, smp_processor_id(), record);
	}
}

static void perf_sideband_emit_ctx(struct perf_event_context *ctx,
				   const struct perf_sideband *record)
{
	if (READ_ONCE(ctx->nr_sideband))
		__perf_sideband_emit_ctx(ctx, record);
}

/**
 * perf_sideband_emit_unhooked() - write a record for the listeners of an unhooked context
 * @ctx: context of a task, unhooked on this CPU
 * @record: the record
 *
 * Events that are bound to a CPU only get the record if it is this one.
 *
 * Context: task. Caller must hold ctx->mutex.
 */
void perf_sideband_emit_unhooked(struct perf_event_context *ctx,
				 const struct perf_sideband *record)
{
	struct perf_subctx *subctx;

	guard(preempt)();
	perf_sideband_emit_subctx(&ctx->own, -1, record);
	subctx = perf_subctx_find(ctx, smp_processor_id());
	if (subctx)
		perf_sideband_emit_subctx(subctx, -1, record);
}

/**
 * perf_sideband_emit() - write a record for each listener on this CPU
 * @record: the record
 *
 * Interrupts are enabled after each PERF_SIDEBAND_AT_ONCE listeners, unless the caller has
 * disabled them. While preemption is off, a context is scheduled out only if its last event
 * leaves, so no listener is missed.
 *
 * Context: any but NMI.
 */
void perf_sideband_emit(const struct perf_sideband *record)
{
	struct perf_event_context *task_ctx;

	guard(preempt)();
	perf_sideband_emit_ctx(&this_perf_cpu()->ctx, record);
	task_ctx = READ_ONCE(this_perf_cpu()->task_ctx);
	if (task_ctx)
		perf_sideband_emit_ctx(task_ctx, record);
}

/**
 * perf_sideband_put_string() - write a string, padded with NULs
 * @handle: an open handle
 * @string: the string; must not change. It occupies perf_sideband_string_size() bytes.
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_sideband_put_string(struct perf_output_handle *handle,
			      const char *string)
{
	unsigned int len = strlen(string);

	perf_output_mem(handle, string, len);
	perf_output_zero(handle, perf_sideband_string_size(string) - len);
}
