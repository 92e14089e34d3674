/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The AUX area of a buffer: memory that a trace source writes at full speed.
 *
 * A buffer has at most one AUX area. User space requests it through the control page and maps
 * it. A driver writes to it in transactions. PERF_RECORD_AUX records in the buffer describe
 * what was written.
 *
 * Locking rules
 *
 *   rb->aux_mutex	creating and unmapping the area. Outside rb->mutex, inside
 *			mmap_lock.
 *
 *   Writers take no lock: as with the buffer, all writers of one area are on one
 *   CPU at any time, and only one transaction is open. Members marked "transaction"
 *   below are accessed by the open transaction only.
 *
 * Lifetime rules
 *
 *   All mappings together hold one reference on the area. The open transaction
 *   holds another one. The area holds a reference on its buffer. When the last
 *   mapping goes, no new transaction can begin. The events that write to the area
 *   are then stopped on their CPUs, so their drivers end the open transaction, and
 *   the area is freed. If a driver keeps its transaction open, the area is freed
 *   when that transaction ends. Readers dereference rb->aux under RCU.
 *   The struct is freed a grace period after the memory that it describes.
 */
#ifndef _KERNEL_EVENTS_AUX_AREA_H
#define _KERNEL_EVENTS_AUX_AREA_H

#include <linux/perf_event.h>

#include "../base/event.h"
#include "ring_buffer.h"

/**
 * struct perf_aux_area - an AUX area
 * @mask: size in bytes, minus one
 * @watermark: number of bytes after which the reader is woken; 0 in overwrite mode
 * @overwrite: the reader's mapping is read-only, so old data is overwritten
 * @data: return value of pmu::setup_aux()
 * @handle: handle of the open transaction, or NULL
 * @head: transaction: end of the written data, free-running
 * @wakeup: transaction: value of @head at which the reader is woken next
 * @copying: a piece of the area is being copied into a sample
 * @pausing: the source is being paused or resumed
 * @rb: the area's buffer, referenced
 * @pgoff: offset of the mapping in the event's file, in pages
 * @nr_pages: number of pages, a power of two
 * @nr_mappings: number of mappings, 0 while the area is being torn down; changed under
 *	rb->aux_mutex
 * @in_use: a mapping is complete, and writers have been started; a word for xchg()
 * @charges: perf_buffer_charge::entry of the address spaces that map the area; rb->aux_mutex
 * @release: pmu::free_aux()
 * @module: the driver's module, referenced
 * @refcount: see the lifetime rules
 * @last_irq: queued when a transaction drops the last reference, maybe in atomic context
 * @last_work: queued by @last_irq, frees the area
 * @rcu_head: for freeing
 * @pages: addresses of the pages; drivers keep the pointer
 */
struct perf_aux_area {
	unsigned long			mask;
	unsigned long			watermark;
	bool				overwrite;
	void				*data;

	struct perf_output_handle	*handle;
	unsigned long			head;
	unsigned long			wakeup;
	bool				copying;
	bool				pausing;

	struct perf_buffer		*rb;
	unsigned long			pgoff;
	unsigned int			nr_pages;
	unsigned int			nr_mappings;
	unsigned int			in_use;
	struct list_head		charges;
	void				(*release)(void *data);
	struct module			*module;
	refcount_t			refcount;
	struct irq_work			last_irq;
	struct work_struct		last_work;
	struct rcu_head			rcu_head;
	void				**pages;
};

static inline unsigned long perf_aux_bytes(const struct perf_aux_area *area)
{
	return area->mask + 1;
}

static inline bool perf_event_has_aux(const struct perf_event *event)
{
	return event->pmu->setup_aux;
}

/* Return the area that an event writes to, without a reference. Caller must hold RCU. */
static inline struct perf_aux_area *perf_aux_peek(struct perf_event *event)
{
	struct perf_buffer *rb = rcu_dereference(perf_event_root(event)->rb);

	/* Pairs with the store in perf_aux_publish(). */
	return rb ? smp_load_acquire(&rb->aux) : NULL;
}

/*
 * Return the trace source that leads an event's group if it is active on this CPU, else NULL.
 * The leader itself has no source.
 */
static inline struct perf_event *perf_aux_source(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || leader->state != PERF_EVENT_STATE_ACTIVE ||
	    leader->oncpu != smp_processor_id())
		return NULL;
	return leader;
}

#endif /* _KERNEL_EVENTS_AUX_AREA_H */
