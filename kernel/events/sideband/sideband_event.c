// SPDX-License-Identifier: GPL-2.0
/*
 * Side-band records about an event itself, in its own buffer.
 *
 * These are THROTTLE, UNTHROTTLE, READ, LOST_SAMPLES, and records of trace sources: ITRACE_START,
 * AUX, AUX_OUTPUT_HW_ID. They are written without being selected by an attribute, except READ,
 * which inherit_stat selects.
 *
 * Context: task for READ; any, NMI included, on the event's CPU for all other records.
 */
#include <linux/export.h>
#include <linux/smp.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../output/output.h"
#include "../output/sample_id.h"
#include "../sample/sample_read.h"
#include "sideband.h"

#define PERF_NUMBERS_MAX	3

/* Maximum number of events of an exiting task that are read with interrupts off. */
#define PERF_INHERITED_AT_ONCE	32

/**
 * struct perf_numbers_record - a record that consists of numbers
 * @base: the record; its size gives the length of @number
 * @number: the numbers
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
 * perf_sideband_throttle() - write PERF_RECORD_THROTTLE or PERF_RECORD_UNTHROTTLE
 * @event: the event
 * @throttled: the event has been throttled, else it continues
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
 * perf_sideband_aux() - write PERF_RECORD_AUX: there is new data in the AUX area
 * @event: the trace source
 * @offset: offset of the data, free-running
 * @size: number of bytes
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
 * perf_report_aux_output_id() - report the id of an event in the trace
 * @event: the event; the record of a child event names its parent
 * @hw_id: its id in the trace stream
 *
 * Called by drivers. Writes PERF_RECORD_AUX_OUTPUT_HW_ID. Without a buffer nothing is written.
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
	struct perf_numbers_record record = PERF_NUMBERS(AUX_OUTPUT_HW_ID, hw_id);

	perf_sideband_write(perf_event_root(event), &record.base);
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);

/**
 * perf_log_lost_samples() - report samples that the hardware has dropped
 * @event: the event
 * @lost: number of samples
 *
 * Called by drivers. Writes PERF_RECORD_LOST_SAMPLES, or counts the samples if there is no room or
 * no buffer. Programs add up the records and the count, so it has each sample in one place.
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
void perf_log_lost_samples(struct perf_event *event, u64 lost)
{
	struct perf_numbers_record record = PERF_NUMBERS(LOST_SAMPLES, lost);

	if (!perf_sideband_write(event, &record.base))
		atomic64_add(lost, &perf_event_root(event)->lost_samples);
}

static void perf_itrace_put(struct perf_output_handle *handle,
			    struct perf_event *event,
			    const struct perf_sideband *base)
{
	perf_output_u32_pair(handle, perf_event_pid(event, current),
			     perf_event_tid(event, current));
}

/**
 * perf_sideband_itrace_start() - write PERF_RECORD_ITRACE_START: a trace begins or continues
 * @event: the trace source; current is the traced task
 *
 * Context: irqs off, on the event's CPU.
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
 * struct perf_inherited_record - PERF_RECORD_READ: the counts of a task's child event
 * @base: the record
 * @event: the child event
 * @task: the task
 * @nr: number of values
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

/* Read some of the events that follow *@event. Return: false if there are no more. */
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
 * Update the counts of all events of the task. Records are written from the counts in memory,
 * and a group's record has the counts of all members. The context is scheduled out, so its
 * clocks stand, and one update is enough for all records.
 */
static void perf_inherited_update(struct perf_event_context *ctx)
{
	struct perf_event *event;

	event = list_entry(&ctx->event_list, struct perf_event, event_entry);
	while (perf_inherited_update_some(ctx, &event))
		cond_resched();
}

/* The buffer of an event that is bound to a CPU is only written on that CPU. */
static void perf_inherited_emit(struct perf_event *event, struct task_struct *task)
{
	/* As perf_read_nr(), but ctx->mutex is held, so the group does not change. */
	unsigned int nr = event->attr.read_format & PERF_FORMAT_GROUP ?
			  1 + event->group_leader->nr_siblings : 1;
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
	struct perf_event_times times;

	/* @now does not matter: the context is scheduled out, and its clocks stand. */
	perf_event_times(event, 0, &times);
	/* Do not interrupt another CPU if the task has never run there. */
	if (!times.running)
		return;

	if (event->cpu >= 0) {
		smp_call_function_single(event->cpu, perf_inherited_write_here,
					 &record, 1);
	} else {
		guard(irqsave)();
		perf_inherited_write_here(&record);
	}
}

/* Does the event need a PERF_RECORD_READ, and is there a buffer for it? */
static bool perf_inherited_is_needed(const struct perf_event *event)
{
	return event->parent && event->attr.inherit_stat &&
	       rcu_access_pointer(event->parent->rb);
}

/**
 * perf_sideband_read() - write PERF_RECORD_READ for the child events of an exiting task
 * @ctx: context of the task, unhooked, with all events still installed
 * @task: the task
 *
 * Only child events with inherit_stat are recorded. After this their counts are available only
 * as part of the sum. An event without a buffer is not read.
 *
 * Context: task, irqs on, may interrupt other CPUs. Caller must hold ctx->mutex.
 */
void perf_sideband_read(struct perf_event_context *ctx, struct task_struct *task)
{
	struct perf_event *event;
	bool updated = false;

	lockdep_assert_held(&ctx->mutex);

	/* Events with inherit_stat pin their context. */
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
