// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records: space is reserved, filled, and published.
 *
 * Owns the writer's side of struct perf_buffer. What a record consists of is
 * sample.c's and sideband.c's. Any context, NMI included; see ring_buffer.h for
 * who may write where. Reserving and publishing are in output_writer.h.
 *
 * A writer can be interrupted at any point by others that write to the same
 * buffer, and these are done before it goes on. So whoever finds no writer at
 * work is the outermost, and when it is done, everything reserved is written.
 * Only the outermost publishes: data_head then tells the reader of nothing
 * unfinished, and never goes back.
 */
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "../base/event.h"
#include "output.h"
#include "output_writer.h"
#include "ring_buffer.h"
#include "sample_id.h"

/* What PERF_RECORD_LOST says, without the identification of the sample. */
struct perf_lost_record {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
DEFINE_STATIC_KEY_FALSE(perf_output_test_on);
void (*perf_output_test_hook)(void);
#endif

/* perf_rb_reserve() in a buffer that is filled backward. */
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

static void perf_output_lost(struct perf_output_handle *handle,
			     struct perf_event *event, u64 lost)
{
	struct perf_event_header header = {
		.type = PERF_RECORD_LOST,
		.size = sizeof(struct perf_lost_record) +
			perf_sample_id_size(event),
	};

	perf_output_header(handle, &header);
	perf_output_u64(handle, perf_event_root(event)->id);
	perf_output_u64(handle, lost);
	perf_sample_id_put(handle, event);
}

/* There were lost records: tell of them before the one of @size bytes. */
bool perf_rb_reserve_after_lost(struct perf_buffer *rb,
				struct perf_output_handle *handle,
				struct perf_event *event, unsigned int size)
{
	u64 lost = local_xchg(&rb->lost, 0);

	perf_output_interruptible();
	if (!lost)
		return perf_rb_reserve(rb, handle, size);

	if (!perf_rb_reserve(rb, handle, size + sizeof(struct perf_lost_record) +
					 perf_sample_id_size(event))) {
		local_add(lost, &rb->lost);
		return false;
	}
	perf_output_lost(handle, event, lost);
	return true;
}

/* A record is refused for as long as its buffer is paused. */
int perf_output_paused(struct perf_buffer *rb, struct perf_event *event)
{
	if (rb->nr_pages)
		perf_rb_count_lost(rb, event, 1);
	preempt_enable_notrace();
	return -ENOSPC;
}

/* A record is refused because its header cannot say how large it is. */
int perf_output_too_big(struct perf_event *event)
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

/* A record is refused because there is no room. */
int perf_output_full(struct perf_output_handle *handle)
{
	perf_rb_count_lost(handle->rb, handle->event, 1);
	perf_output_finish(handle);
	return -ENOSPC;
}

/**
 * perf_output_begin() - reserve space for a record
 * @handle: to be written through
 * @event: whose record it is; what is inherited writes to its parent's buffer
 * @size: bytes, a multiple of eight
 *
 * Context: any, see the top of output.h.
 * Return: 0, and preemption is off until perf_output_end(); -ENOENT when there
 * is no buffer; -ENOSPC when there is no room in it, and the record is counted
 * as lost.
 */
int perf_output_begin(struct perf_output_handle *handle,
		      struct perf_event *event, unsigned int size)
{
	return perf_output_start(handle, event, size);
}

/**
 * perf_output_end() - the record is written
 * @handle: from perf_output_begin()
 *
 * Context: as perf_output_begin(); preemption is as before that again.
 */
void perf_output_end(struct perf_output_handle *handle)
{
	perf_output_finish(handle);
}

/**
 * perf_output_next_chunk() - the chunk is full, go on in the next one
 * @handle: begun
 */
void perf_output_next_chunk(struct perf_output_handle *handle)
{
	const struct perf_buffer *rb = handle->rb;
	unsigned long last = rb->mask >> rb->chunk_shift;

	handle->page = (handle->page + 1) & last;
	handle->addr = rb->chunks[handle->page];
	handle->size = 1UL << rb->chunk_shift;
}

static void perf_output_advance(struct perf_output_handle *handle,
				unsigned int len)
{
	handle->addr += len;
	handle->size -= len;
	if (!handle->size)
		perf_output_next_chunk(handle);
}

/**
 * perf_output_copy() - write bytes with a copy function
 * @handle: begun
 * @copy: returns how many of the bytes it could not copy
 * @from: for @copy
 * @len: bytes
 *
 * Stops at the first byte that cannot be copied.
 *
 * Return: how many bytes were not written.
 */
unsigned int perf_output_copy(struct perf_output_handle *handle, perf_copy_f copy,
			      const void *from, unsigned int len)
{
	unsigned long offset = 0;
	unsigned int piece, left;

	while (len) {
		piece = min_t(unsigned long, len, handle->size);
		left = copy(handle->addr, from, offset, piece);
		perf_output_advance(handle, piece - left);
		offset += piece - left;
		len -= piece - left;
		if (left)
			break;
	}
	return len;
}

/**
 * perf_output_mem() - write bytes
 * @handle: begun
 * @from: kernel memory
 * @len: bytes
 */
void perf_output_mem(struct perf_output_handle *handle, const void *from,
		     unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece, from += piece) {
		piece = min_t(unsigned long, len, handle->size);
		memcpy(handle->addr, from, piece);
		perf_output_advance(handle, piece);
	}
}

/**
 * perf_output_zero() - write zeroes
 * @handle: begun
 * @len: bytes
 */
void perf_output_zero(struct perf_output_handle *handle, unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece) {
		piece = min_t(unsigned long, len, handle->size);
		memset(handle->addr, 0, piece);
		perf_output_advance(handle, piece);
	}
}

/**
 * perf_output_user() - write bytes of current's memory
 * @handle: begun
 * @from: user memory
 * @len: bytes
 *
 * Never faults; stops at the first page that is not there.
 *
 * Return: how many bytes were not written.
 */
unsigned int perf_output_user(struct perf_output_handle *handle,
			      const void __user *from, unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece, from += piece) {
		piece = min_t(unsigned long, len, handle->size);
		piece = min_t(unsigned long, piece,
			      PAGE_SIZE - offset_in_page(from));
		if (copy_from_user_nofault(handle->addr, from, piece))
			break;
		perf_output_advance(handle, piece);
	}
	return len;
}
