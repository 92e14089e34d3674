// SPDX-License-Identifier: GPL-2.0
/*
 * Side band: what happened beside the events, for those who record it.
 *
 * Owns who listens for what, and the one way in which a record gets to all that
 * do. What the records consist of is in sideband_*.c, by what they are about.
 * The rules are in sideband.h.
 *
 * perf_sideband_emit() and what it calls run in any context but NMI, also with
 * irqs off and the rq lock held.
 */
#include "../base/contexts.h"
#include "../output/output.h"
#include "../output/sample_id.h"
#include "sideband.h"

/* Read by everybody who maps memory, forks or switches; written at open and close. */
atomic_t perf_sideband_listeners[PERF_SIDEBAND_KINDS] __read_mostly;

/* For how many listeners a record is written while interrupts are off. */
#define PERF_SIDEBAND_AT_ONCE	32

/* Which attribute asks for which kinds of record. */
static unsigned int perf_attr_needs(const struct perf_event_attr *attr)
{
	unsigned int kinds = 0;

	/* most ask for nothing */
	if (!(attr->task || attr->comm || attr->mmap || attr->mmap_data || attr->mmap2 ||
	      attr->namespaces || attr->ksymbol || attr->bpf_event || attr->text_poke ||
	      attr->cgroup || attr->context_switch))
		return 0;
	/* who has names and maps of tasks needs to know whose they are */
	if (attr->task || attr->comm || attr->mmap || attr->mmap_data)
		kinds |= BIT(PERF_SIDEBAND_TASK);
	if (attr->comm)
		kinds |= BIT(PERF_SIDEBAND_COMM);
	if (attr->namespaces)
		kinds |= BIT(PERF_SIDEBAND_NAMESPACES);
	/* mmap2 asks for a form, but with mmap_data for all mappings */
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
 * perf_sideband_account() - an event is being opened that may want to listen
 * @event: its attributes and its parent are set; task context
 *
 * What is inherited from it need not be counted.
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
		perf_sched_events_inc();
}

/**
 * __perf_sideband_unaccount() - undo perf_sideband_account()
 * @event: being freed, opened, listens for something; task context
 */
void __perf_sideband_unaccount(struct perf_event *event)
{
	enum perf_sideband_kind kind;

	for (kind = 0; kind < PERF_SIDEBAND_KINDS; kind++) {
		if (perf_sideband_matches(event, kind))
			atomic_dec(&perf_sideband_listeners[kind]);
	}
	if (perf_sideband_matches(event, PERF_SIDEBAND_SWITCH))
		perf_sched_events_dec();
}

/**
 * __perf_sideband_attach() - an event that listens comes into its context
 * @event: its sub-context is known; ctx->lock is held
 */
void __perf_sideband_attach(struct perf_event *event)
{
	struct perf_subctx *subctx = event->subctx;

	if (perf_cgroup_is_foreign(event, subctx))
		subctx = &event->ctx->own;
	list_add_tail_rcu(&event->sideband_entry, &subctx->sideband);
	WRITE_ONCE(event->ctx->nr_sideband, event->ctx->nr_sideband + 1);
}

/**
 * __perf_sideband_detach() - undo __perf_sideband_attach()
 * @event: leaves its context; ctx->lock is held
 */
void __perf_sideband_detach(struct perf_event *event)
{
	list_del_rcu(&event->sideband_entry);
	WRITE_ONCE(event->ctx->nr_sideband, event->ctx->nr_sideband - 1);
}

/* Enabled is enough. */
static bool perf_sideband_hears(const struct perf_event *event,
				enum perf_sideband_kind kind)
{
	return perf_sideband_matches(event, kind) &&
	       READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;
}

static bool perf_sideband_subctx_listens(const struct perf_subctx *subctx,
					 enum perf_sideband_kind kind)
{
	const struct perf_event *event;

	list_for_each_entry_rcu(event, &subctx->sideband, sideband_entry) {
		if (perf_sideband_hears(event, kind))
			return true;
	}
	return false;
}

static noinline bool __perf_sideband_ctx_hears(const struct perf_event_context *ctx,
					       enum perf_sideband_kind kind)
{
	const struct perf_subctx *subctx;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		if (perf_sideband_subctx_listens(subctx, kind))
			return true;
	}
	return false;
}

static __always_inline bool perf_sideband_ctx_hears(const struct perf_event_context *ctx,
						    enum perf_sideband_kind kind)
{
	return READ_ONCE(ctx->nr_sideband) && __perf_sideband_ctx_hears(ctx, kind);
}

/**
 * perf_sideband_has_listener() - whether anybody listens here
 * @kind: for what
 *
 * Here is this CPU, and the task that it runs. By the time that there is
 * something to tell it may be another CPU, whose listeners are told then.
 *
 * Return: false when a record would be told to nobody.
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
 * @event: whose record it is, whatever it asks for
 * @record: the record
 *
 * Context: as perf_output_begin().
 */
void perf_sideband_write(struct perf_event *event,
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
		return;
	header.type = copy.type;
	header.misc = copy.misc;
	header.size = size;

	if (perf_output_begin(&handle, event, size))
		return;
	perf_output_header(&handle, &header);
	if (record->put)
		record->put(&handle, event, record);
	perf_sample_id_put(&handle, event);
	perf_output_end(&handle);
}

/*
 * Write a record for listeners of a sub-context, those after @at. Interrupts are off, so that no
 * event leaves its context, to be freed, while a record is written for it.
 *
 * Return: the last one looked at, or the head of the list when there are no more, or
 * when the context is not on @cpu any more.
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
		if (!--left)
			return &event->sideband_entry;
	}
	return &subctx->sideband;
}

/* Caller must have preemption off, which also makes it a reader of RCU. */
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

static __always_inline void perf_sideband_emit_ctx(struct perf_event_context *ctx,
						   const struct perf_sideband *record)
{
	if (READ_ONCE(ctx->nr_sideband))
		__perf_sideband_emit_ctx(ctx, record);
}

/**
 * perf_sideband_emit_unhooked() - write a record for the listeners of a context that was on
 * @ctx: a task's that has been unhooked here; its mutex is held
 * @record: the record
 *
 * Events that are bound to a CPU listen if it is this one.
 *
 * Context: task.
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
 * perf_sideband_emit() - write a record for each listener here
 * @record: the record
 *
 * Interrupts are let in after each 32 listeners. While preemption is off a context only
 * goes off its CPU when its last event leaves, so that no listener is passed over.
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
 * perf_sideband_put_string() - write a string as records have it
 * @handle: begun
 * @string: takes up perf_sideband_string_size() bytes, and must not change
 */
void perf_sideband_put_string(struct perf_output_handle *handle,
			      const char *string)
{
	unsigned int len = strlen(string);

	perf_output_mem(handle, string, len);
	perf_output_zero(handle, perf_sideband_string_size(string) - len);
}
