// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records: the functions that begin and end a record, lost records, slow paths.
 *
 * output_writer.h reserves and publishes space, inlined here and in sample.c. output_copy.c
 * fills it. The contents of records are defined in sample.c and in the files sideband_*.c.
 *
 * A writer can be interrupted at any point by other writers of the same buffer. These finish
 * before the interrupted writer continues. So a writer that finds no other writer active is
 * the outermost one, and when it is done, everything reserved has been written. Only the
 * outermost writer publishes. So data_head never covers an unfinished record, and never goes
 * back.
 *
 * Context: any, NMI included. ring_buffer.h says which CPU may write to a buffer.
 */
#include "../base/event.h"
#include "output.h"
#include "output_writer.h"
#include "ring_buffer.h"
#include "sample_id.h"

/* Body of PERF_RECORD_LOST, without the sample_id. */
struct perf_lost_record {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
DEFINE_STATIC_KEY_FALSE(perf_output_test_on);
void (*perf_output_test_hook)(void);
#endif

/* Slow path of perf_rb_reserve(): a buffer that is filled backward. */
bool perf_rb_reserve_backward(struct perf_buffer *rb,
			      struct perf_output_handle *handle, unsigned long size)
{
	return perf_rb_reserve_in(rb, handle, size, true);
}

static void perf_rb_count_lost(struct perf_buffer *rb, struct perf_event *event,
			       u64 records)
{
	local_add(records, &rb->lost);
	atomic64_inc(&perf_event_root(event)->lost_samples);
}

/*
 * Slow path of perf_output_start(): earlier records were lost. Write PERF_RECORD_LOST, and
 * reserve @size bytes after it.
 */
bool perf_rb_reserve_after_lost(struct perf_buffer *rb,
				struct perf_output_handle *handle,
				struct perf_event *event, unsigned int size)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_LOST,
		.size = sizeof(struct perf_lost_record) +
			perf_sample_id_size(event),
	};
	unsigned long lost = local_xchg(&rb->lost, 0);

	perf_output_test_point();
	if (!lost)
		return perf_rb_reserve(rb, handle, size);

	if (!perf_rb_reserve(rb, handle, size + header.size)) {
		local_add(lost, &rb->lost);
		return false;
	}
	perf_output_header(handle, &header);
	perf_output_u64(handle, perf_event_root(event)->id);
	perf_output_u64(handle, lost);
	perf_sample_id_put(handle, event);
	return true;
}

/* Slow path of perf_output_start(): the buffer is paused. */
int perf_output_drop_paused(struct perf_buffer *rb, struct perf_event *event)
{
	if (rb->nr_pages)
		perf_rb_count_lost(rb, event, 1);
	preempt_enable_notrace();
	return -ENOSPC;
}

/* The record's size does not fit into its header. Count it as lost. */
int perf_output_drop_too_big(struct perf_event *event)
{
	struct perf_buffer *rb;

	guard(preempt_notrace)();
	rb = rcu_dereference_sched(perf_event_root(event)->rb);
	if (!rb)
		return -ENOENT;
	if (rb->nr_pages)
		perf_rb_count_lost(rb, event, 1);
	return -E2BIG;
}

/*
 * The buffer may be full before a watermark is passed, and no other record may come that fits. So
 * wake the reader, once for each position.
 */
static void perf_rb_wake_full(struct perf_buffer *rb)
{
	long woken = local_read(&rb->woken), head = local_read(&rb->head);

	/* If this fails, a nested writer has advanced @woken and set @wake. */
	if (woken != head && local_try_cmpxchg(&rb->woken, &woken, head))
		WRITE_ONCE(rb->wake, true);
}

/* Slow path of perf_output_start(): the buffer is full. Undo it, and count the record as lost. */
int perf_output_drop_full(struct perf_output_handle *handle, unsigned int size)
{
	/* room for a record that is larger than the buffer comes never */
	if (size <= handle->rb->mask)
		perf_rb_wake_full(handle->rb);
	perf_rb_count_lost(handle->rb, handle->event, 1);
	perf_output_finish(handle);
	return -ENOSPC;
}

/**
 * perf_output_begin() - reserve space for a record
 * @handle: the handle to initialize
 * @data: not used; the base's drivers pass their sample
 * @event: the event; a child event writes to the buffer of its parent
 * @size: size of the record in bytes, a multiple of eight; 0 for a sample that does not fit
 *	into a record
 *
 * Context: any, NMI included, on the CPU that writes to the buffer.
 * Return: 0 with preemption off until perf_output_end(); -ENOENT if there is no buffer;
 * -ENOSPC if the buffer is full or paused; -E2BIG if @size is 0. Such a record is counted as
 * lost, unless the buffer has no data pages.
 */
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_sample_data *data, struct perf_event *event,
		      unsigned int size)
{
	if (unlikely(!size))
		return perf_output_drop_too_big(event);
	return perf_output_start(handle, event, size);
}

/**
 * perf_output_end() - finish a record
 * @handle: handle from perf_output_begin()
 *
 * Context: as perf_output_begin(). Enables preemption again.
 */
void perf_output_end(struct perf_output_handle *handle)
{
	perf_output_finish(handle);
}
