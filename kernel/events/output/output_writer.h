/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserving and publishing a record, inlined.
 *
 * These functions are most of the cost of a short sample, so sample.c inlines them. Other
 * callers use perf_output_begin() and perf_output_end() of output.c. The slow paths are out of
 * line, in output.c. The top of that file describes nested writers. The KUnit test includes
 * this header for perf_output_test_point().
 *
 * __always_inline: see sample/sample.c.
 */
#ifndef _KERNEL_EVENTS_OUTPUT_WRITER_H
#define _KERNEL_EVENTS_OUTPUT_WRITER_H

#include "../base/event.h"
#include "output.h"
#include "ring_buffer.h"
#include "wakeup.h"

/* output.c: slow paths */
int perf_output_drop_paused(struct perf_buffer *rb, struct perf_event *event);
int perf_output_drop_full(struct perf_output_handle *handle, unsigned int size);
int perf_output_drop_too_big(struct perf_event *event);
bool perf_rb_reserve_backward(struct perf_buffer *rb,
			      struct perf_output_handle *handle, unsigned long size);
bool perf_rb_reserve_after_lost(struct perf_buffer *rb,
				struct perf_output_handle *handle,
				struct perf_event *event, unsigned int size);

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/* A point at which the KUnit tests run a nested writer. */
#define perf_output_test_point()					\
	do {								\
		barrier();						\
		if (static_branch_unlikely(&perf_output_test_on))	\
			perf_output_test_hook();			\
	} while (0)
#else
#define perf_output_test_point()	barrier()
#endif

/*
 * Number of bytes that can be reserved. One byte is never used: a full buffer could not be
 * distinguished from an empty one.
 */
static inline unsigned long perf_rb_room(const struct perf_buffer *rb,
					 unsigned long head, bool backward)
{
	const struct perf_event_mmap_page *page = rb->user_page;
	unsigned long tail, used;

	/*
	 * No store to the space happens before this load has found it to be free: the stores
	 * depend on the load. Pairs with the reader's barrier before its store to data_tail.
	 *
	 * In an overwritten buffer, unpublished records must stay: a writer that was interrupted
	 * still stores to its own.
	 */
	tail = READ_ONCE(*(rb->overwrite ? &page->data_head : &page->data_tail));
	used = (backward ? tail - head : head - tail) & rb->mask;
	return rb->mask - used;
}

/*
 * Let the writer wake the reader if @head has passed the watermark. @head may be behind @woken: a
 * nested writer may have advanced @woken.
 */
static inline void perf_rb_advance_watermark(struct perf_buffer *rb,
					     unsigned long head, bool backward)
{
	long woken = local_read(&rb->woken);
	long written = backward ? woken - head : head - woken;
	long watermark = rb->watermark;
	long step, next;

	if (likely(written <= watermark))
		return;
	/*
	 * A record of several watermarks leaves @woken one watermark behind. If it left the others
	 * as well, the distance would grow until it overflows.
	 */
	step = max(watermark, written - watermark);
	next = backward ? woken - step : woken + step;
	perf_output_test_point();
	/* If this fails, a nested writer has advanced @woken and set @wake. */
	if (local_try_cmpxchg(&rb->woken, &woken, next))
		WRITE_ONCE(rb->wake, true);
}

/* Constant at compile time, unless the data is one vmalloc() chunk. */
static inline unsigned int perf_rb_chunk_shift(const struct perf_buffer *rb)
{
	return IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ? rb->chunk_shift : PAGE_SHIFT;
}

/* perf_rb_reserve() for a buffer that is filled @backward or forward. */
static __always_inline bool perf_rb_reserve_in(struct perf_buffer *rb,
					       struct perf_output_handle *handle,
					       unsigned long size, bool backward)
{
	unsigned int shift = perf_rb_chunk_shift(rb);
	unsigned long chunk_mask = (1UL << shift) - 1;
	unsigned long next, start;
	long head;

	head = local_read(&rb->head);
	do {
		if (unlikely(size > perf_rb_room(rb, head, backward)))
			return false;
		next = backward ? head - size : head + size;
		perf_output_test_point();
	} while (unlikely(!local_try_cmpxchg(&rb->head, &head, next)));

	perf_output_test_point();
	perf_rb_advance_watermark(rb, next, backward);

	start = (backward ? next : head) & rb->mask;
	handle->page = start >> shift;
	handle->addr = rb->chunks[handle->page] + (start & chunk_mask);
	handle->size = chunk_mask + 1 - (start & chunk_mask);
	return true;
}

/* Reserve @size bytes and point @handle to them. Return: false if there is no room. */
static __always_inline bool perf_rb_reserve(struct perf_buffer *rb,
					    struct perf_output_handle *handle,
					    unsigned long size)
{
	/* One test here, instead of one for each use of @backward. */
	if (unlikely(rb->backward))
		return perf_rb_reserve_backward(rb, handle, size);
	return perf_rb_reserve_in(rb, handle, size, false);
}

/* perf_output_begin(), inlined. */
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
	if (unlikely(READ_ONCE(rb->paused)))
		return perf_output_drop_paused(rb, event);

	handle->rb = rb;
	handle->event = event;
	handle->outermost = !READ_ONCE(rb->open);
	perf_output_test_point();
	WRITE_ONCE(rb->open, true);
	perf_output_test_point();

	if (likely(!local_read(&rb->lost)))
		reserved = perf_rb_reserve(rb, handle, size);
	else
		reserved = perf_rb_reserve_after_lost(rb, handle, event, size);
	return likely(reserved) ? 0 : perf_output_drop_full(handle, size);
}

/* Wake the reader after attr.wakeup_events samples, when the record is finished. */
static __always_inline void
perf_output_count_sample(struct perf_output_handle *handle,
			 const struct perf_event_attr *attr)
{
	if (attr->watermark || !attr->wakeup_events)
		return;
	if (local_inc_return(&handle->rb->nr_samples) >= attr->wakeup_events) {
		local_set(&handle->rb->nr_samples, 0);
		WRITE_ONCE(handle->rb->wake, true);
	}
}

/**
 * perf_output_begin_sample() - perf_output_begin() for a sample
 * @handle: the handle to initialize
 * @event: the event
 * @size: size of the record in bytes, a multiple of eight
 *
 * Also counts the sample, to wake the reader after attr.wakeup_events samples.
 *
 * Context: as perf_output_begin().
 * Return: as perf_output_begin().
 */
static __always_inline int
perf_output_begin_sample(struct perf_output_handle *handle,
			 struct perf_event *event, unsigned int size)
{
	int err = perf_output_start(handle, event, size);

	if (!err)
		perf_output_count_sample(handle, &event->attr);
	return err;
}

/*
 * Publish when the outermost writer is done. A writer that interrupts between the load of the
 * head and the store to rb->open is not outermost and does not publish. So the head is checked
 * again after the store.
 */
static __always_inline void perf_rb_publish(struct perf_buffer *rb,
					    struct perf_event *event)
{
	unsigned long head;

	do {
		WRITE_ONCE(rb->open, true);
		perf_output_test_point();
		head = local_read(&rb->head);
		perf_output_test_point();
		/* Records before data_head. Pairs with the reader's barrier after data_head. */
		smp_wmb();
		WRITE_ONCE(rb->user_page->data_head, head);
		perf_output_test_point();
		WRITE_ONCE(rb->open, false);
		perf_output_test_point();
	} while (unlikely(head != local_read(&rb->head)));

	if (unlikely(READ_ONCE(rb->wake))) {
		WRITE_ONCE(rb->wake, false);
		perf_rb_wake(rb, event);
	}
}

/* perf_output_end(), inlined. */
static __always_inline void perf_output_finish(struct perf_output_handle *handle)
{
	if (likely(handle->outermost))
		perf_rb_publish(handle->rb, handle->event);
	preempt_enable_notrace();
}

#endif /* _KERNEL_EVENTS_OUTPUT_WRITER_H */
