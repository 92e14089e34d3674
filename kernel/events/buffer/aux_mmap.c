// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping the AUX area of a buffer.
 *
 * This file has rb->aux: creating an area, sharing it, and stopping its writers before it goes.
 * User space sets offset and size of the area in the control page and maps exactly that range.
 * The kernel reads both values once, and checks them. All mappings of the area are the same
 * range. Each counts as a mapping of the buffer too, so that the events keep writing to it.
 * Locking and lifetime rules are in output/aux_area.h.
 *
 * Entry points: perf_aux_mmap(), and the operations of the mapping.
 * Context: task. Caller must hold mmap_lock as in mapping.c.
 */
#include <linux/mm.h>
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "attach.h"
#include "aux_memory.h"
#include "aux_mmap.h"
#include "aux_stop.h"
#include "charge.h"
#include "mapping.h"

/* The last reference has gone. The caller must drop the area's reference to the buffer. */
static void perf_aux_gone(struct perf_aux_area *area)
{
	lockdep_assert_held(&area->rb->aux_mutex);

	WRITE_ONCE(area->rb->aux, NULL);
	perf_aux_free(area);
}

static void perf_aux_last_work(struct work_struct *work)
{
	struct perf_aux_area *area = container_of(work, struct perf_aux_area,
						  last_work);
	struct perf_buffer *rb = area->rb;

	/* last_irq has queued this work, but may still be running. */
	irq_work_sync(&area->last_irq);
	scoped_guard(mutex, &rb->aux_mutex)
		perf_aux_gone(area);
	perf_rb_put(rb);
}

static void perf_aux_last_irq(struct irq_work *work)
{
	schedule_work(&container_of(work, struct perf_aux_area, last_irq)->last_work);
}

/**
 * perf_aux_put() - drop the reference that a transaction holds
 * @area: the area
 *
 * Context: any, NMI included.
 */
void perf_aux_put(struct perf_aux_area *area)
{
	if (unlikely(refcount_dec_and_test(&area->refcount)))
		irq_work_queue(&area->last_irq);
}

static struct perf_aux_area *perf_aux_make(struct perf_event *event,
					   struct perf_buffer *rb,
					   unsigned long nr_pages, bool overwrite)
{
	struct perf_buffer_charge *charge;
	struct perf_aux_area *area;

	charge = perf_charge_make(current->mm, nr_pages);
	if (IS_ERR(charge))
		return ERR_CAST(charge);

	if (!perf_event_has_aux(event)) {
		perf_charge_free(charge);
		return ERR_PTR(perf_refuse(-EOPNOTSUPP, "mmap",
					   "PMU %s has no AUX area",
					   event->pmu->name));
	}
	area = perf_aux_alloc(event, nr_pages, overwrite);
	if (!area) {
		perf_charge_free(charge);
		return ERR_PTR(perf_refuse(-ENOMEM, "mmap",
					   "no AUX area of %lu pages that PMU %s can use",
					   nr_pages, event->pmu->name));
	}
	INIT_LIST_HEAD(&area->charges);
	list_add(&charge->entry, &area->charges);
	init_irq_work(&area->last_irq, perf_aux_last_irq);
	INIT_WORK(&area->last_work, perf_aux_last_work);
	return area;
}

static void perf_aux_publish(struct perf_aux_area *area, struct perf_buffer *rb)
{
	refcount_inc(&rb->refcount);
	area->rb = rb;
	WRITE_ONCE(rb->user_page->aux_head, 0);
	WRITE_ONCE(rb->user_page->aux_tail, 0);
	/* Pairs with the load in perf_aux_get(). */
	smp_store_release(&rb->aux, area);
}

/* Add a mapping to the area of the buffer. Create the area if there is none. */
static struct perf_aux_area *perf_aux_share(struct perf_event *event,
					    struct perf_buffer *rb,
					    struct vm_area_struct *vma)
{
	struct perf_aux_area *area = rb->aux;
	int err;

	lockdep_assert_held(&rb->aux_mutex);

	if (area && !area->nr_mappings)
		return ERR_PTR(perf_refuse(-EBUSY, "mmap",
					   "the last AUX area is still being written to"));
	if (area && (area->pgoff != vma->vm_pgoff ||
		     area->nr_pages != vma_pages(vma)))
		return ERR_PTR(perf_refuse(-EINVAL, "mmap",
					   "there is an AUX area already, of %u pages at page %lu",
					   area->nr_pages, area->pgoff));
	if (!area) {
		area = perf_aux_make(event, rb, vma_pages(vma),
				     !(vma->vm_flags & VM_WRITE));
		if (IS_ERR(area))
			return area;
		area->pgoff = vma->vm_pgoff;
		perf_aux_publish(area, rb);
	}
	err = perf_charge_get(&area->charges, current->mm, area->nr_pages);
	if (err)
		return ERR_PTR(err);
	WRITE_ONCE(area->nr_mappings, area->nr_mappings + 1);
	return area;
}

/* Remove a mapping. With the last one, stop all writers and drop the mappings' reference. */
static void perf_aux_unshare(struct perf_buffer *rb, struct mm_struct *mm)
{
	struct perf_aux_area *area = rb->aux;
	struct perf_event *event;

	guard(mutex)(&rb->aux_mutex);
	perf_charge_put(&area->charges, mm);
	WRITE_ONCE(area->nr_mappings, area->nr_mappings - 1);
	if (area->nr_mappings)
		return;

	scoped_guard(mutex, &rb->mutex) {
		list_for_each_entry(event, &rb->events, rb_entry) {
			perf_aux_stop(event, rb);
			cond_resched();
		}
	}
	if (refcount_dec_and_test(&area->refcount)) {
		perf_aux_gone(area);
		/* This is not the last reference to the buffer: the mapping has another one. */
		perf_rb_put(rb);
	}
}

/* As for the buffer itself, see perf_data_vma_open(). */
static void perf_aux_vma_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	scoped_guard(mutex, &rb->aux_mutex) {
		WARN_ON_ONCE(perf_charge_get(&rb->aux->charges, vma->vm_mm, rb->aux->nr_pages));
		WRITE_ONCE(rb->aux->nr_mappings, rb->aux->nr_mappings + 1);
	}
	scoped_guard(mutex, &rb->mutex)
		WARN_ON_ONCE(perf_mapping_add(event, rb, vma->vm_mm));
	perf_notify_pmu_mapped(event, rb, vma->vm_mm);
}

static void perf_aux_vma_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	perf_notify_pmu_unmapped(event, vma->vm_mm);
	perf_aux_unshare(rb, vma->vm_mm);
	perf_mapping_drop(event, rb, vma->vm_mm);
}

/*
 * Only the trace source writes to the area. A writable mapping selects the mode in which nothing
 * is overwritten; the program cannot write to it.
 */
static vm_fault_t perf_aux_vma_mkwrite(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct perf_aux_vma_ops = {
	.open		= perf_aux_vma_open,
	.close		= perf_aux_vma_close,
	.may_split	= perf_vma_may_split,
	.page_mkwrite	= perf_aux_vma_mkwrite,
};

/* Check the mapping against the control page, and that it is behind the data. */
static int perf_aux_check(const struct perf_buffer *rb,
			  struct vm_area_struct *vma)
{
	unsigned long nr_pages = vma_pages(vma);
	u64 offset = READ_ONCE(rb->user_page->aux_offset);
	u64 size = READ_ONCE(rb->user_page->aux_size);

	if (vma->vm_pgoff <= rb->nr_pages)
		return perf_refuse(-EINVAL, "mmap",
				   "page %lu is within the data, which has %u",
				   vma->vm_pgoff, rb->nr_pages);
	if (offset != (u64)vma->vm_pgoff << PAGE_SHIFT)
		return perf_refuse(-EINVAL, "mmap",
				   "the mapping is at page %lu, aux_offset is %llu",
				   vma->vm_pgoff, offset);
	if (size != (u64)nr_pages << PAGE_SHIFT)
		return perf_refuse(-EINVAL, "mmap",
				   "the mapping has %lu pages, aux_size is %llu",
				   nr_pages, size);
	if (!is_power_of_2(nr_pages))
		return perf_refuse(-EINVAL, "mmap",
				   "%lu pages of AUX area asked, it has to be a power of two",
				   nr_pages);
	return 0;
}

static int perf_aux_insert_pages(struct vm_area_struct *vma,
				 const struct perf_aux_area *area)
{
	unsigned long addr = vma->vm_start;
	int err = 0;

	/* Pages are inserted read-only, because there is a page_mkwrite() operation. */
	vma_set_page_prot(vma);
	for (unsigned int i = 0; !err && i < area->nr_pages; i++) {
		err = vm_insert_page(vma, addr, virt_to_page(area->pages[i]));
		addr += PAGE_SIZE;
	}
	return err;
}

static int perf_aux_map(struct perf_event *event, struct perf_buffer *rb,
			struct vm_area_struct *vma)
{
	struct perf_aux_area *area;
	struct perf_event *writer;
	int err;

	scoped_guard(mutex, &rb->aux_mutex) {
		area = perf_aux_share(event, rb, vma);
		if (IS_ERR(area))
			return PTR_ERR(area);
	}
	err = perf_aux_insert_pages(vma, area);
	if (err)
		goto undo;
	scoped_guard(mutex, &rb->mutex) {
		/* The event may have been detached since its buffer was looked up. */
		if (rcu_access_pointer(event->output) != rb) {
			err = perf_refuse(-EINVAL, "mmap",
					  "the buffer has been unmapped meanwhile");
			goto undo;
		}
		err = perf_mapping_add(event, rb, vma->vm_mm);
		if (err)
			goto undo;
		/* The first mapping to be complete starts the writers, not the first begun. */
		if (!xchg(&area->in_use, true)) {
			list_for_each_entry(writer, &rb->events, rb_entry) {
				perf_aux_start(writer);
				cond_resched();
			}
		}
	}
	return 0;
undo:
	perf_aux_unshare(rb, vma->vm_mm);
	return err;
}

/**
 * perf_aux_mmap() - map the AUX area of an event's buffer
 * @event: the event that is mapped
 * @vma: the new mapping, at an offset other than 0
 *
 * Context: task. Caller must hold mmap_lock for writing.
 * Return: 0; -EINVAL if the event has no buffer, or offset and size differ from the values in the
 * control page or from the existing area; -EPERM if the user may not have so much
 * memory; -EOPNOTSUPP if the PMU has no AUX area; -ENOMEM if there is no memory, or none that
 * the driver can use; -EBUSY while a driver still writes to the previous area.
 */
int perf_aux_mmap(struct perf_event *event, struct vm_area_struct *vma)
{
	struct perf_buffer *rb = perf_rb_get_of_event(event);
	int err;

	if (!rb)
		return perf_refuse(-EINVAL, "mmap", "the buffer has to be mapped before");
	err = perf_aux_check(rb, vma);
	if (err)
		goto out;
	vma->vm_private_data = rb;
	vma->vm_ops = &perf_aux_vma_ops;
	err = perf_aux_map(event, rb, vma);
	if (!err)
		perf_notify_pmu_mapped(event, rb, vma->vm_mm);
out:
	perf_rb_put(rb);
	return err;
}
