/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The AUX area: where a trace source writes at full speed.
 *
 * A buffer can have one AUX area. The reader asks for it in the control page
 * and maps it; a driver writes to it in transactions, and what was written is
 * told in records of the buffer.
 *
 * Locking rules
 *
 *   rb->aux_mutex	making and unmapping the area. Outside rb->mutex,
 *			inside mmap_lock.
 *
 *   Writers take no lock: as with the buffer, all writers of one area are on one
 *   CPU at any time, and only one transaction is open. A member described below as
 *   the transaction's is accessed by the open transaction only.
 *
 * Lifetime rules
 *
 *   An area is referenced by its mappings, once for all, and by the open
 *   transaction. It references its buffer. When the last mapping goes, no
 *   transaction can begin any more, and the events that write to the area are
 *   stopped on their CPUs, by which their drivers let go of it; then it is
 *   freed. Should a driver hold on, it is freed when that ends its transaction.
 *   rb->aux is followed with preemption off, and the struct goes a grace period
 *   later than the memory that it describes.
 */
#ifndef _KERNEL_EVENTS_AUX_AREA_H
#define _KERNEL_EVENTS_AUX_AREA_H

#include <linux/perf_event.h>

#include "../base/event.h"
#include "ring_buffer.h"

/**
 * struct perf_aux_area - one area
 * @mask: size in bytes, minus one
 * @watermark: bytes after which the reader is woken; 0 in overwrite mode
 * @overwrite: the reader cannot write to its mapping: old data is overwritten
 * @data: what pmu::setup_aux() returned
 * @handle: of the open transaction, or NULL
 * @head: up to where is written, free-running; the transaction's
 * @wakeup: @head at which the reader is to be woken; the transaction's
 * @copying: a piece of the area is being copied into a sample
 * @pausing: the source is being paused or resumed
 * @rb: the buffer that it belongs to, referenced
 * @pgoff: where it is mapped, in pages after the control page
 * @nr_pages: a power of two
 * @nr_mappings: 0 when it is on its way out; rb->aux_mutex to change
 * @in_use: a mapping is complete, and writers have been started
 * @charge: who pays for it; rb->aux_mutex
 * @release: pmu::free_aux()
 * @module: of the driver, referenced
 * @refcount: see above
 * @last_irq: the transaction was the last to let go, and that in atomic context
 * @last_work: what follows
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
	bool				in_use;
	struct perf_buffer_charge	charge;
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

/* The area that an event writes to, not referenced. Caller must hold RCU. */
static inline struct perf_aux_area *perf_aux_peek(struct perf_event *event)
{
	struct perf_buffer *rb = rcu_dereference(perf_event_root(event)->rb);

	/* pairs with the store in perf_aux_publish() */
	return rb ? smp_load_acquire(&rb->aux) : NULL;
}

/* The trace source that an event belongs to, if it writes on this CPU now. */
static inline struct perf_event *perf_aux_source(const struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (leader == event || leader->state != PERF_EVENT_STATE_ACTIVE ||
	    leader->oncpu != smp_processor_id())
		return NULL;
	return leader;
}

#endif /* _KERNEL_EVENTS_AUX_AREA_H */
