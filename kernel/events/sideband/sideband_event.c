// SPDX-License-Identifier: GPL-2.0
/*
 * Side band: what happens to an event itself, in its own buffer.
 *
 * THROTTLE and UNTHROTTLE, READ, LOST_SAMPLES, and what a trace source has to
 * say: ITRACE_START, AUX, AUX_OUTPUT_HW_ID. Nobody need ask for these but for
 * READ. Those for the trace source and the throttle are written in any context,
 * NMI included, on the CPU of the event.
 */
#include <linux/smp.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../output/output.h"
#include "../output/sample_id.h"
#include "../sample/sample_read.h"
#include "sideband.h"

#define PERF_NUMBERS_MAX	3

/* how many events of a task that exits are read while interrupts are off */
#define PERF_INHERITED_AT_ONCE	32

/**
 * struct perf_numbers_record - a record that is all numbers
 * @base: the record
 * @number: as many as @base.size says
 */
struct perf_numbers_record {
	struct perf_sideband	base;
	u64			number[PERF_NUMBERS_MAX];
};

static void perf_numbers_put(struct perf_output_handle *handle,
			     struct perf_event *event,
			     const struct perf_sideband *base)
{
	const struct perf_numbers_record *record =
		container_of(base, struct perf_numbers_record, base);

	perf_output_mem(handle, record->number, base->size);
}

#define PERF_NUMBERS(_type, ...) {					\
	.base = {							\
		.type	= PERF_RECORD_##_type,				\
		.size	= sizeof((u64[]) { __VA_ARGS__ }),		\
		.put	= perf_numbers_put,				\
	},								\
	.number = { __VA_ARGS__ },					\
}

/**
 * perf_sideband_throttle() - an event overflows too often, or may go on
 * @event: the event
 * @throttled: it does not count until the next tick
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_sideband_throttle(struct perf_event *event, bool throttled)
{
	struct perf_numbers_record record =
		PERF_NUMBERS(THROTTLE, event->clock(),
			     perf_event_root(event)->id, event->id);

	if (!throttled)
		record.base.type = PERF_RECORD_UNTHROTTLE;
	perf_sideband_write(event, &record.base);
}

/**
 * perf_sideband_lost_samples() - the hardware dropped samples
 * @event: whose
 * @lost: how many
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_sideband_lost_samples(struct perf_event *event, u64 lost)
{
	struct perf_numbers_record record = PERF_NUMBERS(LOST_SAMPLES, lost);

	perf_sideband_write(event, &record.base);
}

/**
 * perf_sideband_aux() - there is something in the AUX area
 * @event: the trace source
 * @offset: where, free-running
 * @size: bytes
 * @flags: PERF_AUX_FLAG_*
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_sideband_aux(struct perf_event *event, u64 offset, u64 size, u64 flags)
{
	struct perf_numbers_record record = PERF_NUMBERS(AUX, offset, size, flags);

	perf_sideband_write(event, &record.base);
}

/**
 * perf_sideband_aux_hw_id() - what a trace source is called in the trace
 * @event: the trace source
 * @hw_id: its id there
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_sideband_aux_hw_id(struct perf_event *event, u64 hw_id)
{
	struct perf_numbers_record record = PERF_NUMBERS(AUX_OUTPUT_HW_ID, hw_id);

	perf_sideband_write(event, &record.base);
}

static void perf_itrace_put(struct perf_output_handle *handle,
			    struct perf_event *event,
			    const struct perf_sideband *base)
{
	perf_output_u32_pair(handle, perf_event_pid(event, current),
			     perf_event_tid(event, current));
}

/**
 * perf_sideband_itrace_start() - a trace source begins, or goes on, to trace
 * @event: the trace source
 *
 * Context: irqs off, on the event's CPU, current is who is traced.
 */
void perf_sideband_itrace_start(struct perf_event *event)
{
	const struct perf_sideband record = {
		.type	= PERF_RECORD_ITRACE_START,
		.size	= 2 * sizeof(u32),
		.put	= perf_itrace_put,
	};

	perf_sideband_write(event, &record);
}

/**
 * struct perf_inherited_record - what a task's copy of an event has counted
 * @base: the record
 * @event: the copy
 * @task: the task
 * @nr: members of the group that it tells about
 */
struct perf_inherited_record {
	struct perf_sideband	base;
	struct perf_event	*event;
	struct task_struct	*task;
	unsigned int		nr;
};

static void perf_inherited_put(struct perf_output_handle *handle,
			       struct perf_event *event,
			       const struct perf_sideband *base)
{
	const struct perf_inherited_record *record =
		container_of(base, struct perf_inherited_record, base);

	perf_output_u32_pair(handle, perf_event_pid(event, record->task),
			     perf_event_tid(event, record->task));
	perf_read_put(handle, event, record->nr, true);
}

static void perf_inherited_write_here(void *arg)
{
	struct perf_inherited_record *record = arg;

	perf_sideband_write(record->event, &record->base);
}

/* Some of the task's events get their counts, from *@event on. False: all have. */
static bool perf_inherited_update_some(struct perf_event_context *ctx,
				       struct perf_event **event)
{
	unsigned int left = PERF_INHERITED_AT_ONCE;

	guard(raw_spinlock_irq)(&ctx->lock);
	list_for_each_entry_continue((*event), &ctx->event_list, event_entry) {
		if (perf_event_needs_read(*event))
			(*event)->pmu->read(*event);
		if (!--left)
			return true;
	}
	return false;
}

/*
 * Bring the counts of all events of the task up to date: a record goes by memory, and
 * that of a group shows all members. The context is off, so that its clocks stand: once
 * is enough for all records.
 */
static void perf_inherited_update(struct perf_event_context *ctx)
{
	struct perf_event *event;

	event = list_entry(&ctx->event_list, struct perf_event, event_entry);
	while (perf_inherited_update_some(ctx, &event))
		cond_resched();
}

/*
 * How many values the record has, as perf_read_nr(): but ctx->mutex is held, so the
 * group stands still.
 */
static unsigned int perf_inherited_nr(const struct perf_event *event)
{
	if (!(event->attr.read_format & PERF_FORMAT_GROUP))
		return 1;
	return 1 + event->group_leader->nr_siblings;
}

static bool perf_inherited_counted(struct perf_event *event)
{
	struct perf_event_times times;

	/* the context is off: its clocks stand */
	perf_event_times(event, 0, &times);
	return times.running;
}

/* The buffer of an event that is bound to a CPU is that CPU's to write. */
static void perf_inherited_emit(struct perf_event *event, struct task_struct *task)
{
	unsigned int nr = perf_inherited_nr(event);
	struct perf_inherited_record record = {
		.base = {
			.type	= PERF_RECORD_READ,
			.size	= 2 * sizeof(u32) +
				  perf_read_size(event->attr.read_format, nr),
			.put	= perf_inherited_put,
		},
		.event	= event,
		.task	= task,
		.nr	= nr,
	};

	/* do not bother another CPU if the task never was there */
	if (!perf_inherited_counted(event))
		return;

	if (event->cpu >= 0) {
		smp_call_function_single(event->cpu, perf_inherited_write_here,
					 &record, 1);
	} else {
		guard(irqsave)();
		perf_inherited_write_here(&record);
	}
}

/* It is to be told, and there is where to. */
static bool perf_inherited_is_needed(const struct perf_event *event)
{
	return event->parent && event->attr.inherit_stat &&
	       rcu_access_pointer(event->parent->rb);
}

/**
 * perf_sideband_read() - tell what a task has counted, event by event
 * @ctx: the task's context, unhooked, with all events still in it; ctx->mutex is
 *	held
 * @task: the task
 *
 * Of what it inherited and was asked for by attr.inherit_stat; afterwards it can
 * only be told as part of a sum. Without a buffer nothing is read.
 *
 * Context: task, may interrupt other CPUs.
 */
void perf_sideband_read(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event *event;
	bool updated = false;

	lockdep_assert_held(&ctx->mutex);

	/* they tie their context to the task */
	if (!READ_ONCE(ctx->pin_count))
		return;
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (perf_inherited_is_needed(event)) {
			if (!updated)
				perf_inherited_update(ctx);
			updated = true;
			perf_inherited_emit(event, task);
		}
		cond_resched();
	}
}
