// SPDX-License-Identifier: GPL-2.0
/*
 * Transactions on an AUX area, and the use that others make of it.
 *
 * Owns the writer's side of struct perf_aux_area. A driver begins a transaction
 * when its source starts to write, and ends it when it has stopped or the
 * hardware wants a new piece; in between only the driver knows how far it has
 * come. What was written is published in the control page and told in a record.
 * When the reader is too slow, the source is turned off: it says so in the
 * record, and the reader turns it on again when there is room.
 *
 * In overwrite mode nobody waits: there is always room, and the driver says
 * where it stopped.
 *
 * Members of the source's group can have a piece of the area in their samples,
 * and can pause and resume it when they overflow.
 *
 * Entry points: drivers, irqs off or NMI, on the event's CPU. A handle belongs
 * to the caller; zeroed, or with handle->event NULL, it is closed. How an area
 * comes and goes: aux_mmap.c.
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
#include "aux.h"

/* The area that an event writes to, referenced; NULL when it may not any more. */
static struct perf_aux_area *perf_aux_get(struct perf_buffer *rb)
{
	/* pairs with the store in perf_aux_publish() */
	struct perf_aux_area *area = smp_load_acquire(&rb->aux);

	if (!area || !READ_ONCE(area->nr_mappings) ||
	    !refcount_inc_not_zero(&area->refcount))
		return NULL;
	return area;
}

/* Tell the reader how far it can read, and wake it if that is worth it. */
static void perf_aux_advance(struct perf_aux_area *area, struct perf_event *event)
{
	unsigned long step = area->watermark;

	/* What was written comes first. Pairs with the reader's after aux_head. */
	smp_wmb();
	WRITE_ONCE(area->rb->user_page->aux_head, area->head);

	if (!step || (long)(area->head - area->wakeup) < 0)
		return;
	area->wakeup = area->head - area->head % step + step;
	perf_rb_wake(area->rb, event);
}

/*
 * There is nothing to write to until the reader has caught up. It is woken to
 * do so, and to enable the event again.
 */
static void perf_aux_full(struct perf_aux_area *area, struct perf_event *event)
{
	perf_rb_wake(area->rb, event);
	perf_event_disable_inatomic(event);
}

/*
 * Whatever the reader has made of aux_tail, the result lies within the area. One byte less
 * than there is room for is offered, but a source that stops at the end of a page only can
 * write that byte too: an area that is full must not look empty then.
 */
static unsigned long perf_aux_room(const struct perf_aux_area *area)
{
	unsigned long tail = READ_ONCE(area->rb->user_page->aux_tail);

	/* The reader is done with what it frees. Pairs with its barrier before. */
	smp_mb();
	if (area->head - tail >= perf_aux_bytes(area))
		return 0;
	return CIRC_SPACE(area->head, tail, perf_aux_bytes(area));
}

/* Returns false when there is no room. */
static bool perf_aux_open(struct perf_output_handle *handle,
			  struct perf_aux_area *area)
{
	handle->rb = area->rb;
	handle->head = area->head;
	handle->aux_flags = 0;
	handle->size = 0;
	if (area->overwrite)
		return true;
	handle->wakeup = area->wakeup;
	handle->size = perf_aux_room(area);
	return handle->size;
}

static void perf_aux_close(struct perf_output_handle *handle,
			   struct perf_aux_area *area)
{
	WRITE_ONCE(handle->event, NULL);
	/* the next one may begin on another CPU */
	smp_store_release(&area->handle, NULL);
	perf_aux_put(area);
}

/**
 * perf_event_itrace_started() - the driver has announced the trace itself
 * @event: of a PMU with PERF_PMU_CAP_ITRACE
 *
 * Ends the ITRACE_START records of the event.
 *
 * Context: irqs off, from the driver's start().
 */
void perf_event_itrace_started(struct perf_event *event)
{
	event->attach_state |= PERF_ATTACH_ITRACE;
}
EXPORT_SYMBOL_GPL(perf_event_itrace_started);

/**
 * perf_aux_output_begin() - open a transaction on the AUX area
 * @handle: not written when there is no buffer at all; on success it has where to
 *	write (@head, free-running), how much (@size, 0 in overwrite mode), and
 *	where the reader wants to be woken (@wakeup, not in overwrite mode)
 * @event: the trace source; what is inherited writes to its parent's area
 *
 * If there is no room, the event is going to be turned off.
 *
 * Context: irqs off or NMI.
 * Return: what pmu::setup_aux() returned, or NULL: no trace can be written.
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
		/* if it is this one, it still has to be ended */
		if (other != handle)
			handle->event = NULL;
		perf_aux_put(area);
		return NULL;
	}
	if (!perf_aux_open(handle, area)) {
		perf_aux_full(area, event);
		perf_aux_close(handle, area);
		return NULL;
	}
	handle->event = event;
	return area->data;
}
EXPORT_SYMBOL_GPL(perf_aux_output_begin);

/* Is there something to say to the reader about the transaction? */
static bool perf_aux_is_news(u64 flags, unsigned long size)
{
	/* which mode it is in the reader knows */
	return size || flags & ~(u64)PERF_AUX_FLAG_OVERWRITE;
}

/**
 * perf_aux_output_end() - close a transaction
 * @handle: closed ones are ignored; @aux_flags can still be read afterwards. In
 *	overwrite mode @head says where the source has stopped.
 * @size: bytes written, without those passed over
 *
 * If it was flagged as truncated, the event is going to be turned off, by an
 * irq_work on this CPU.
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
		start = area->head;
		area->head += size;
	}
	perf_aux_advance(area, event);
	if (perf_aux_is_news(handle->aux_flags, size))
		perf_sideband_aux(event, start, size, handle->aux_flags);
	if (handle->aux_flags & PERF_AUX_FLAG_TRUNCATED)
		perf_aux_full(area, event);
	perf_aux_close(handle, area);
}
EXPORT_SYMBOL_GPL(perf_aux_output_end);

/**
 * perf_aux_output_skip() - pass over part of the AUX area
 * @handle: open; @head, @size and @wakeup are brought up to date
 * @size: bytes
 *
 * Context: irqs off or NMI.
 * Return: 0, or -ENOSPC if there is not so much room; there is none in
 * overwrite mode, where the driver is free to go where it likes, nor in a
 * closed handle.
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
 * perf_get_aux() - the driver's description of the area
 * @handle: of the transaction
 *
 * Context: any.
 * Return: what perf_aux_output_begin() returned, NULL if @handle is closed.
 */
void *perf_get_aux(struct perf_output_handle *handle)
{
	return handle->event ? handle->rb->aux->data : NULL;
}
EXPORT_SYMBOL_GPL(perf_get_aux);

/**
 * perf_aux_output_flag() - say something about the record of a transaction
 * @handle: open
 * @flags: PERF_AUX_FLAG_*, but for OVERWRITE, which only the core knows
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
 * perf_report_aux_output_id() - tell readers which trace stream is an event's
 * @event: the trace source
 * @hw_id: its id in the stream
 *
 * Dropped when there is no buffer to tell it in.
 *
 * Context: irqs off.
 */
void perf_report_aux_output_id(struct perf_event *event, u64 hw_id)
{
	perf_sideband_aux_hw_id(event, hw_id);
}
EXPORT_SYMBOL_GPL(perf_report_aux_output_id);

/**
 * perf_output_copy_aux() - write a piece of the AUX area into a record
 * @aux_handle: of the open transaction
 * @handle: of the record
 * @from: offset at which the piece begins
 * @to: offset at which it ends; both are taken modulo the size of the area. Equal
 *	offsets are the ends of all of it.
 *
 * For pmu::snapshot_aux().
 *
 * Context: any.
 * Return: bytes written; an area has no holes.
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
