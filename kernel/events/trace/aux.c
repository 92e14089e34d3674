// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions on an AUX area.
 *
 * This file has the writer's side of struct perf_aux_area. A driver begins a transaction when
 * its trace source starts to write. It ends the transaction when the source has stopped, or
 * when the hardware needs a new piece of the area. Only the driver knows the position in
 * between. At the end, the position is published in the control page, and a record says what
 * was written. When the reader is too slow, the event is disabled: the record says so, and the
 * reader enables the event again when there is room.
 *
 * In overwrite mode there is always room, and the driver reports where it stopped.
 *
 * Members of the source's group can have a piece of the area in their samples, and can pause
 * and resume the source when they overflow.
 *
 * The callers are drivers, on the event's CPU. The caller provides the handle. A handle is
 * closed if handle->event is NULL. buffer/aux_mmap.c creates and frees areas.
 *
 * Context: irqs off or NMI.
 */
#include <linux/bug.h>
#include <linux/circ_buf.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/printk.h>

#include "../base/event.h"
#include "../output/aux_area.h"
#include "../output/output.h"
#include "../output/ring_buffer.h"
#include "../output/wakeup.h"
#include "../sideband/sideband.h"
#include "../buffer/aux_mmap.h"
#include "aux.h"

/* Flags that say how the data is to be read. Without data they need no record. */
#define PERF_AUX_FLAGS_OF_DATA	((u64)PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK)

/* Return the AUX area of a buffer, referenced; NULL if there is none or it is being torn down. */
static struct perf_aux_area *perf_aux_get(struct perf_buffer *rb)
{
	/* Pairs with the store in perf_aux_publish(). */
	struct perf_aux_area *area = smp_load_acquire(&rb->aux);

	if (!area || !READ_ONCE(area->nr_mappings) ||
	    !refcount_inc_not_zero(&area->refcount))
		return NULL;
	return area;
}

/* Publish the position of the area, and wake the reader if a watermark has been passed. */
static void perf_aux_advance(struct perf_aux_area *area, struct perf_event *event)
{
	unsigned long step = area->watermark;

	/* Data before aux_head. Pairs with the reader's barrier after reading aux_head. */
	smp_wmb();
	WRITE_ONCE(area->rb->user_page->aux_head, area->head);

	if (!step || (long)(area->head - area->wakeup) < 0)
		return;
	area->wakeup = area->head - area->head % step + step;
	perf_rb_wake_published(area->rb, event);
}

/* The area is full. Wake the reader, which has to make room and to enable the event again. */
static void perf_aux_disable_full(struct perf_aux_area *area, struct perf_event *event)
{
	perf_rb_wake_published(area->rb, event);
	perf_event_disable_inatomic(event);
}

/*
 * Fill in the handle. The size is within the area, whatever the reader has stored to aux_tail.
 * It is one byte less than what is free. A source that only stops at the end of a page can
 * write that byte as well. A full area must not look like an empty one then.
 *
 * Return: false if there is no room.
 */
static bool perf_aux_open(struct perf_output_handle *handle,
			  struct perf_aux_area *area)
{
	unsigned long bytes = perf_aux_bytes(area), tail;

	handle->rb = area->rb;
	handle->head = area->head;
	handle->aux_flags = 0;
	handle->size = 0;
	if (area->overwrite)
		return true;
	handle->wakeup = area->wakeup;
	tail = READ_ONCE(area->rb->user_page->aux_tail);
	/* Pairs with the reader's barrier before its store to aux_tail. */
	smp_mb();
	if (area->head - tail < bytes)
		handle->size = CIRC_SPACE(area->head, tail, bytes);
	return handle->size;
}

static void perf_aux_close(struct perf_output_handle *handle,
			   struct perf_aux_area *area)
{
	WRITE_ONCE(handle->event, NULL);
	/* Orders the end of this transaction before the next one, maybe on another CPU. */
	smp_store_release(&area->handle, NULL);
	perf_aux_put(area);
}

/**
 * perf_event_itrace_started() - the driver has announced the trace itself
 * @event: the event; its PMU has PERF_PMU_CAP_ITRACE
 *
 * From now on no PERF_RECORD_ITRACE_START is written for @event and its child events. A call
 * for a child event has no effect.
 *
 * Context: irqs off, called by the driver's start().
 */
void perf_event_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}
EXPORT_SYMBOL_GPL(perf_event_itrace_started);

/**
 * perf_aux_output_begin() - open a transaction on the AUX area
 * @handle: filled in on success: where to write (@head, free-running), how much (@size, 0 in
 *	overwrite mode), and where the reader is to be woken (@wakeup, not in overwrite mode);
 *	not written if the event has no buffer
 * @event: the trace source; a child event writes to the area of its parent
 *
 * If there is no room, the event is disabled by an irq_work on this CPU.
 *
 * Context: irqs off or NMI.
 * Return: what pmu::setup_aux() returned, or NULL if no trace can be written.
 */
void *perf_aux_output_begin(struct perf_output_handle *handle,
			    struct perf_event *event)
{
	struct perf_output_handle *other = NULL;
	struct perf_aux_area *area;
	struct perf_buffer *rb;

	guard(rcu)();
	rb = rcu_dereference(perf_event_root(event)->rb);
	if (!rb)
		return NULL;

	area = perf_aux_get(rb);
	if (!area) {
		handle->event = NULL;
		return NULL;
	}
	if (unlikely(!try_cmpxchg(&area->handle, &other, handle))) {
		pr_warn_once("perf: PMU %s has a transaction open already\n",
			     event->pmu->name);
		/* The handle of the open transaction must stay open, for perf_aux_output_end(). */
		if (other != handle)
			handle->event = NULL;
		perf_aux_put(area);
		return NULL;
	}
	if (!perf_aux_open(handle, area)) {
		perf_aux_disable_full(area, event);
		perf_aux_close(handle, area);
		return NULL;
	}
	handle->event = event;
	return area->data;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/*
 * Some drivers stop with the registers of a source that was reset before, for example when a CPU
 * goes offline, and compute any size from them. Then nothing is known of the trace. A reader
 * must not get positions of bytes that were never written.
 */
static unsigned long perf_aux_credible(struct perf_output_handle *handle,
				       struct perf_aux_area *area, unsigned long size)
{
	if (likely(size <= perf_aux_bytes(area)))
		return size;
	pr_warn_once("perf: PMU %s claims to have written %lu bytes to an area of %lu\n",
		     handle->event->pmu->name, size, perf_aux_bytes(area));
	handle->aux_flags |= PERF_AUX_FLAG_PARTIAL;
	return 0;
}

/**
 * perf_aux_output_end() - close a transaction
 * @handle: the handle; a closed one is ignored. @aux_flags stays valid afterwards. In overwrite
 *	mode the driver sets @head to the position where the source has stopped.
 * @size: number of bytes written, without those passed to perf_aux_output_skip(). If the
 *	area has fewer bytes, the record has none, and PERF_AUX_FLAG_PARTIAL.
 *
 * If the transaction was flagged as truncated, the event is disabled by an irq_work on this
 * CPU.
 *
 * Context: irqs off or NMI.
 */
void perf_aux_output_end(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_event *event = handle->event;
	struct perf_aux_area *area;
	unsigned long start;

	if (!event)
		return;

	area = handle->rb->aux;
	if (area->overwrite) {
		handle->aux_flags |= PERF_AUX_FLAG_OVERWRITE;
		area->head = handle->head;
		start = area->head;
	} else {
		size = perf_aux_credible(handle, area, size);
		start = area->head;
		area->head += size;
	}
	if (size || handle->aux_flags & ~PERF_AUX_FLAGS_OF_DATA)
		perf_sideband_aux(event, start, size, handle->aux_flags);
	/* A reader that is woken for the data looks for the record. */
	perf_aux_advance(area, event);
	if (handle->aux_flags & PERF_AUX_FLAG_TRUNCATED)
		perf_aux_disable_full(area, event);
	perf_aux_close(handle, area);
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip() - skip part of the AUX area
 * @handle: the handle; @head, @size and @wakeup are updated
 * @size: number of bytes
 *
 * Context: irqs off or NMI.
 * Return: 0; -ENOSPC if @handle is closed or has less than @size bytes left. In overwrite mode
 * the driver may write anywhere, @size of the handle is 0, and only 0 bytes can be skipped.
 */
int perf_aux_output_skip(struct perf_output_handle *handle, unsigned long size)
{
	struct perf_aux_area *area;

	if (!handle->event || size > handle->size)
		return -ENOSPC;

	area = handle->rb->aux;
	if (area->overwrite)
		return 0;
	area->head += size;
	perf_aux_advance(area, handle->event);
	handle->head = area->head;
	handle->wakeup = area->wakeup;
	handle->size -= size;
	return 0;
}
EXPORT_SYMBOL_GPL(perf_aux_output_skip);

/**
 * perf_get_aux() - get the driver's description of the area
 * @handle: the handle of the transaction
 *
 * Context: any.
 * Return: what perf_aux_output_begin() returned, or NULL if @handle is closed.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux->data : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag() - set flags in the record of a transaction
 * @handle: an open handle
 * @flags: PERF_AUX_FLAG_*, except OVERWRITE, which the core sets
 *
 * Context: irqs off or NMI.
 */
void perf_aux_output_flag(struct perf_output_handle *handle, u64 flags)
{
	WARN_ON_ONCE(flags & PERF_AUX_FLAG_OVERWRITE);
	handle->aux_flags |= flags & ~(u64)PERF_AUX_FLAG_OVERWRITE;
}
EXPORT_SYMBOL_GPL(perf_aux_output_flag);

/**
 * perf_output_copy_aux() - write a piece of the AUX area into a record
 * @aux_handle: the handle of the open transaction
 * @handle: the handle of the record
 * @from: offset of the beginning of the piece
 * @to: offset of its end; both are taken modulo the size of the area. Equal offsets denote the
 *	whole area.
 *
 * For pmu::snapshot_aux().
 *
 * Context: any.
 * Return: number of bytes written.
 */
long perf_output_copy_aux(struct perf_output_handle *aux_handle,
			  struct perf_output_handle *handle,
			  unsigned long from, unsigned long to)
{
	const struct perf_aux_area *area = aux_handle->rb->aux;
	unsigned long len = ((to - from - 1) & area->mask) + 1;
	unsigned long at, piece, left;

	for (left = len; left; left -= piece) {
		at = (to - left) & area->mask;
		piece = min(left, PAGE_SIZE - offset_in_page(at));
		perf_output_mem(handle, area->pages[at >> PAGE_SHIFT] +
				    offset_in_page(at), piece);
	}
	return len;
}
EXPORT_SYMBOL_GPL(perf_output_copy_aux);
