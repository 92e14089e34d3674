// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping of a buffer, or of its AUX area: charge, references, the driver's callbacks.
 *
 * mmap.c and aux_mmap.c have the operations of the two kinds of mappings. Locking and lifetime
 * rules are in ring_buffer.h.
 *
 * Context: task. For a new mapping mmap_lock is held for writing. munmap(2) downgrades it before a
 * mapping goes, so it is held for reading then. Calls for one address space exclude each other
 * nevertheless: the next one has to take it for writing first.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/perf_refusal.h>

#include "../output/ring_buffer.h"
#include "attach.h"
#include "charge.h"
#include "mapping.h"
#include "userpage_mmap.h"

/**
 * perf_mapping_add() - add a mapping to a buffer
 * @event: the event that is mapped
 * @rb: the buffer that it is attached to; gains a reference
 * @mm: the address space; charged for the buffer
 *
 * Context: task, irqs on, may sleep. Caller must hold mmap_lock of @mm for writing, and rb->mutex.
 * Return: 0, or an error of perf_charge_get().
 */
int perf_mapping_add(struct perf_event *event, struct perf_buffer *rb, struct mm_struct *mm)
{
	int err;

	lockdep_assert_held(&rb->mutex);

	err = perf_charge_get(&rb->charges, mm, rb->nr_pages + 1UL);
	if (err)
		return err;
	WRITE_ONCE(rb->only_mm, perf_charge_only_mm(&rb->charges));
	refcount_inc(&rb->refcount);
	if (event->mmap_count) {
		WRITE_ONCE(event->mmap_count, event->mmap_count + 1);
		perf_userpage_share(event);
	} else {
		perf_userpage_begin(event, rb);
	}
	rb->nr_mappings++;
	return 0;
}

/**
 * perf_mapping_drop() - remove a mapping from a buffer
 * @event: the event that was mapped
 * @rb: the buffer; loses a reference
 * @mm: the address space of the mapping; no longer charged if it was its last one
 *
 * Detaches the event when its last mapping goes. Detaches all events when the last mapping of the
 * buffer goes.
 *
 * Context: task, irqs on, may sleep.
 */
void perf_mapping_drop(struct perf_event *event, struct perf_buffer *rb, struct mm_struct *mm)
{
	struct perf_event *other, *next;

	scoped_guard(mutex, &rb->mutex) {
		perf_charge_put(&rb->charges, mm);
		WRITE_ONCE(rb->only_mm, perf_charge_only_mm(&rb->charges));
		if (event->mmap_count > 1) {
			WRITE_ONCE(event->mmap_count, event->mmap_count - 1);
		} else {
			perf_userpage_end(event);
			perf_rb_detach(event, rb);
			if (rb->nr_mappings > 1)
				perf_userpage_leave(event, rb);
		}
		if (!--rb->nr_mappings) {
			/* The list is only changed under rb->mutex. */
			list_for_each_entry_safe(other, next, &rb->events, rb_entry) {
				perf_rb_detach(other, rb);
				cond_resched();
			}
		}
		perf_userpage_remapped(rb, event);
	}
	perf_rb_put(rb);
}

/**
 * perf_notify_pmu_mapped() - call pmu::event_mapped(), if there is one, and update the page
 * @event: the event that is mapped; its mmap_count includes the mapping
 * @rb: the buffer
 * @mm: address space of the mapping
 */
void perf_notify_pmu_mapped(struct perf_event *event, struct perf_buffer *rb,
			    struct mm_struct *mm)
{
	mmap_assert_write_locked(mm);
	if (event->pmu->event_mapped)
		event->pmu->event_mapped(event, mm);
	guard(mutex)(&rb->mutex);
	perf_userpage_remapped(rb, event);
}

/**
 * perf_notify_pmu_unmapped() - call pmu::event_unmapped(), if there is one
 * @event: the event that is mapped; its mmap_count still includes the mapping
 * @mm: address space of the mapping, which is about to go
 */
void perf_notify_pmu_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	mmap_assert_locked(mm);
	if (event->pmu->event_unmapped)
		event->pmu->event_unmapped(event, mm);
}

/**
 * perf_vma_may_split() - refuse to split the mapping of a buffer
 * @vma: the mapping
 * @addr: where to split it
 *
 * Return: -EINVAL: a buffer can only be mapped as a whole.
 */
int perf_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return perf_refuse(-EINVAL, "munmap",
			   "a part of a buffer cannot be unmapped or changed");
}
