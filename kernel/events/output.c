// SPDX-License-Identifier: GPL-2.0
/*
 * Writing records: space is reserved, filled, and published.
 *
 * Owns the writer's side of struct perf_buffer. What a record consists of is
 * sample.c's and sideband.c's. Any context, NMI included; see ring_buffer.h for
 * who may write where.
 *
 * A writer can be interrupted at any point by others that write to the same
 * buffer, and these are done before it goes on. So whoever finds no writer at
 * work is the outermost, and when it is done, everything reserved is written.
 * Only the outermost publishes: data_head then tells the reader of nothing
 * unfinished, and never goes back.
 */
#include <linux/minmax.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "event.h"
#include "output.h"
#include "ring_buffer.h"
#include "sample.h"

/* What PERF_RECORD_LOST says, without the identification of the sample. */
struct perf_lost_record {
	struct perf_event_header	header;
	u64				id;
	u64				lost;
};

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
DEFINE_STATIC_KEY_FALSE(perf_output_test_on);
void (*perf_output_test_hook)(void);

/* Where the tests let another writer come in between. */
#define perf_output_interruptible()					\
	do {								\
		barrier();						\
		if (static_branch_unlikely(&perf_output_test_on))	\
			perf_output_test_hook();			\
	} while (0)
#else
#define perf_output_interruptible()	barrier()
#endif

/* One byte is never used: a full buffer and an empty one would look the same. */
static bool perf_rb_has_room(const struct perf_buffer *rb, unsigned long head,
			     unsigned long size)
{
	unsigned long tail, used;

	if (rb->overwrite)
		return size <= rb->mask;

	/*
	 * Nothing is stored before data_tail says that it has been read: the
	 * stores depend on this load. Pairs with the barrier that the reader has
	 * before it moves data_tail.
	 */
	tail = READ_ONCE(rb->user_page->data_tail);
	used = (rb->backward ? tail - head : head - tail) & rb->mask;
	return size <= rb->mask - used;
}

/* @head may be behind @woken, if those who came in between have moved that. */
static __always_inline void perf_rb_check_watermark(struct perf_buffer *rb,
						    unsigned long head)
{
	long woken = local_read(&rb->woken);
	long written = rb->backward ? woken - head : head - woken;
	long next = rb->backward ? woken - rb->watermark : woken + rb->watermark;

	if (likely(written <= (long)rb->watermark))
		return;
	perf_output_interruptible();
	/* if it fails, someone in between has done the same */
	if (local_try_cmpxchg(&rb->woken, &woken, next))
		WRITE_ONCE(rb->wake, true);
}

/* Mostly pages, which is known when this is compiled. */
static unsigned int perf_rb_chunk_shift(const struct perf_buffer *rb)
{
	return IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ? rb->chunk_shift : PAGE_SHIFT;
}

/* Reserve @size bytes and point @handle to them. */
static __always_inline bool perf_rb_reserve(struct perf_buffer *rb,
					    struct perf_output_handle *handle,
					    unsigned long size)
{
	unsigned int shift = perf_rb_chunk_shift(rb);
	unsigned long chunk_mask = (1UL << shift) - 1;
	unsigned long next, start;
	long head;

	head = local_read(&rb->head);
	do {
		if (unlikely(!perf_rb_has_room(rb, head, size)))
			return false;
		next = rb->backward ? head - size : head + size;
		perf_output_interruptible();
	} while (!local_try_cmpxchg(&rb->head, &head, next));

	perf_output_interruptible();
	perf_rb_check_watermark(rb, next);

	start = (rb->backward ? next : head) & rb->mask;
	handle->page = start >> shift;
	handle->addr = rb->chunks[handle->page] + (start & chunk_mask);
	handle->size = chunk_mask + 1 - (start & chunk_mask);
	return true;
}

/**
 * perf_rb_wake - wake who waits for a buffer
 * @rb: the buffer
 * @event: one that writes to it
 *
 * By irq_work, since this may be NMI, or under the rq lock. Any context,
 * preemption off.
 */
void perf_rb_wake(struct perf_buffer *rb, struct perf_event *event)
{
	atomic_set(&rb->poll, EPOLLIN | EPOLLRDNORM);
	if (!event->pending_kill)
		event->pending_kill = POLL_IN;
	event->pending_wakeup = 1;
	irq_work_queue(&event->pending_irq);
}

/*
 * The outermost writer is done. Others may come in between the load of the head
 * and the moment in which they are outermost themselves: look again.
 */
static __always_inline void perf_rb_publish(struct perf_buffer *rb,
					    struct perf_event *event)
{
	unsigned long head;

	do {
		WRITE_ONCE(rb->open, true);
		perf_output_interruptible();
		head = local_read(&rb->head);
		perf_output_interruptible();
		/* Records before data_head. Pairs with the reader's after it. */
		smp_wmb();
		WRITE_ONCE(rb->user_page->data_head, head);
		perf_output_interruptible();
		WRITE_ONCE(rb->open, false);
		perf_output_interruptible();
	} while (unlikely(head != local_read(&rb->head)));

	if (unlikely(READ_ONCE(rb->wake))) {
		WRITE_ONCE(rb->wake, false);
		perf_rb_wake(rb, event);
	}
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
static noinline bool perf_rb_reserve_after_lost(struct perf_buffer *rb,
						struct perf_output_handle *handle,
						struct perf_event *event,
						unsigned int size)
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

static __always_inline int perf_output_start(struct perf_output_handle *handle,
					     struct perf_event *event,
					     unsigned int size)
{
	struct perf_buffer *rb;
	bool reserved;

	preempt_disable_notrace();
	rb = rcu_dereference_sched(perf_event_root(event)->rb);
	if (unlikely(!rb)) {
		preempt_enable_notrace();
		return -ENOENT;
	}
	if (unlikely(READ_ONCE(rb->paused))) {
		if (rb->nr_pages)
			perf_rb_count_lost(rb, event, 1);
		preempt_enable_notrace();
		return -ENOSPC;
	}

	handle->rb = rb;
	handle->event = event;
	handle->outermost = !READ_ONCE(rb->open);
	perf_output_interruptible();
	WRITE_ONCE(rb->open, true);
	perf_output_interruptible();

	if (likely(!local_read(&rb->lost)))
		reserved = perf_rb_reserve(rb, handle, size);
	else
		reserved = perf_rb_reserve_after_lost(rb, handle, event, size);
	if (likely(reserved))
		return 0;

	perf_rb_count_lost(rb, event, 1);
	perf_output_end(handle);
	return -ENOSPC;
}

/**
 * perf_output_begin - reserve space for a record
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
 * perf_output_begin_sample - same for a sample
 * @handle: to be written through
 * @event: whose record it is
 * @size: bytes, a multiple of eight
 *
 * Samples wake the reader by their number, if attr.wakeup_events says so.
 *
 * Context: any. Return: as perf_output_begin().
 */
int perf_output_begin_sample(struct perf_output_handle *handle,
			     struct perf_event *event, unsigned int size)
{
	const struct perf_event_attr *attr = &event->attr;
	int err = perf_output_start(handle, event, size);

	if (err || attr->watermark || !attr->wakeup_events)
		return err;
	if (local_inc_return(&handle->rb->nr_samples) >= attr->wakeup_events) {
		local_set(&handle->rb->nr_samples, 0);
		WRITE_ONCE(handle->rb->wake, true);
	}
	return 0;
}

/**
 * perf_output_end - the record is written
 * @handle: from perf_output_begin()
 *
 * Context: as perf_output_begin(); preemption is as before that again.
 */
void perf_output_end(struct perf_output_handle *handle)
{
	if (likely(handle->outermost))
		perf_rb_publish(handle->rb, handle->event);
	preempt_enable_notrace();
}

/**
 * perf_output_next_chunk - the chunk is full, go on in the next one
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
 * perf_output_copy - write bytes with a copy function
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
 * perf_output_mem - write bytes
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
 * perf_output_zero - write zeroes
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
 * perf_output_user - write bytes of current's memory
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
