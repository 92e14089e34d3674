/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserving and publishing a record, inlined.
 *
 * Only for output.c, whose perf_output_begin() and perf_output_end() others call,
 * and for sample.c, since this is most of what a short sample costs. What is rare
 * is a call, to output.c; see there for how writers come in between each other. The
 * test includes it for what it hooks.
 */
#ifndef _KERNEL_EVENTS_OUTPUT_WRITER_H
#define _KERNEL_EVENTS_OUTPUT_WRITER_H

#include "../base/event.h"
#include "output.h"
#include "ring_buffer.h"
#include "wakeup.h"

/* output.c: what is rare */
int perf_output_paused(struct perf_buffer *rb, struct perf_event *event);
int perf_output_full(struct perf_output_handle *handle);
int perf_output_too_big(struct perf_event *event);
bool perf_rb_reserve_backward(struct perf_buffer *rb,
			      struct perf_output_handle *handle, unsigned long size);
bool perf_rb_reserve_after_lost(struct perf_buffer *rb,
				struct perf_output_handle *handle,
				struct perf_event *event, unsigned int size);

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
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

/*
 * How much can be written. One byte is never used: a full buffer and an empty one
 * would look the same.
 */
static __always_inline unsigned long perf_rb_room(const struct perf_buffer *rb,
						  unsigned long head, bool backward)
{
	unsigned long tail, used;

	if (rb->overwrite)
		return rb->mask;

	/*
	 * Nothing is stored before data_tail says that it has been read: the
	 * stores depend on this load. Pairs with the barrier that the reader has
	 * before it moves data_tail.
	 */
	tail = READ_ONCE(rb->user_page->data_tail);
	used = (backward ? tail - head : head - tail) & rb->mask;
	return rb->mask - used;
}

/* @head may be behind @woken, if those who came in between have moved that. */
static __always_inline void perf_rb_check_watermark(struct perf_buffer *rb,
						    unsigned long head, bool backward)
{
	long woken = local_read(&rb->woken);
	long written = backward ? woken - head : head - woken;
	long next = backward ? woken - rb->watermark : woken + rb->watermark;

	if (likely(written <= (long)rb->watermark))
		return;
	perf_output_interruptible();
	/* if it fails, someone in between has done the same */
	if (local_try_cmpxchg(&rb->woken, &woken, next))
		WRITE_ONCE(rb->wake, true);
}

/* Mostly pages, which is known when this is compiled. */
static __always_inline unsigned int perf_rb_chunk_shift(const struct perf_buffer *rb)
{
	return IS_ENABLED(CONFIG_PERF_USE_VMALLOC) ? rb->chunk_shift : PAGE_SHIFT;
}

/* Reserve @size bytes in a buffer that is filled @backward; as perf_rb_reserve(). */
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
		perf_output_interruptible();
	} while (unlikely(!local_try_cmpxchg(&rb->head, &head, next)));

	perf_output_interruptible();
	perf_rb_check_watermark(rb, next, backward);

	start = (backward ? next : head) & rb->mask;
	handle->page = start >> shift;
	handle->addr = rb->chunks[handle->page] + (start & chunk_mask);
	handle->size = chunk_mask + 1 - (start & chunk_mask);
	return true;
}

/* Reserve @size bytes and point @handle to them; false if there is no room. */
static __always_inline bool perf_rb_reserve(struct perf_buffer *rb,
					    struct perf_output_handle *handle,
					    unsigned long size)
{
	/* asked once, and not at each step */
	if (unlikely(rb->backward))
		return perf_rb_reserve_backward(rb, handle, size);
	return perf_rb_reserve_in(rb, handle, size, false);
}

/* perf_output_begin() */
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
		return perf_output_paused(rb, event);

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
	return likely(reserved) ? 0 : perf_output_full(handle);
}

/**
 * perf_output_begin_sample() - perf_output_begin() for a sample
 * @handle: to be written through
 * @event: whose record it is
 * @size: bytes, a multiple of eight
 *
 * Samples wake the reader by their number, if attr.wakeup_events says so.
 *
 * Context: any.
 * Return: as perf_output_begin().
 */
static __always_inline int
perf_output_begin_sample(struct perf_output_handle *handle,
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

/* perf_output_end() */
static __always_inline void perf_output_finish(struct perf_output_handle *handle)
{
	if (likely(handle->outermost))
		perf_rb_publish(handle->rb, handle->event);
	preempt_enable_notrace();
}

#endif /* _KERNEL_EVENTS_OUTPUT_WRITER_H */
