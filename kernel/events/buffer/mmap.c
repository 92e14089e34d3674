// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping an event's buffer.
 *
 * This file has mmap(2) of an event: what can be mapped. mapping.c has what happens when a
 * mapping goes. charge.c charges the memory. A buffer can only be mapped as a whole. The mapping
 * is not split by munmap(2), and copied by fork(2) only after MADV_DOFORK. Mapping an event that
 * has a buffer already maps that buffer again, with the same size. The AUX area follows the same
 * rules, see aux_mmap.c.
 *
 * Entry points: perf_event_mmap_file(), and the operations of the mapping. Locking and lifetime
 * rules are in ring_buffer.h.
 * Context: task. Caller must hold mmap_lock as in mapping.c.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/security.h>
#include <linux/perf_refusal.h>

#include "../output/ring_buffer.h"
#include "attach.h"
#include "aux_mmap.h"
#include "charge.h"
#include "mapping.h"
#include "mmap.h"
#include "userpage_mmap.h"

/*
 * Called by mremap(2): the new mapping is opened, then the old one is closed. Called by fork(2)
 * for a mapping with MADV_DOFORK. Charging it does not fail: see perf_charge_get().
 */
static void perf_data_vma_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	scoped_guard(mutex, &rb->mutex)
		WARN_ON_ONCE(perf_mapping_add(event, rb, vma->vm_mm));
	perf_notify_pmu_mapped(event, rb, vma->vm_mm);
}

static void perf_data_vma_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;

	perf_notify_pmu_unmapped(event, vma->vm_mm);
	perf_mapping_drop(event, vma->vm_private_data, vma->vm_mm);
}

/* A mapping is always of the whole buffer, so vmf->pgoff is within the buffer. */
static vm_fault_t perf_data_vma_fault(struct vm_fault *vmf)
{
	vmf->page = perf_rb_page(vmf->vma->vm_private_data, vmf->pgoff);
	get_page(vmf->page);
	return 0;
}

/* User space can write to the control page only. */
static vm_fault_t perf_data_vma_mkwrite(struct vm_fault *vmf)
{
	if (vmf->pgoff)
		return VM_FAULT_SIGBUS;
	lock_page(vmf->page);
	return VM_FAULT_LOCKED;
}

static const struct vm_operations_struct perf_data_vma_ops = {
	.open		= perf_data_vma_open,
	.close		= perf_data_vma_close,
	.may_split	= perf_vma_may_split,
	.fault		= perf_data_vma_fault,
	.page_mkwrite	= perf_data_vma_mkwrite,
};

/* Allocate and charge a buffer for the event. It is not attached yet. */
static struct perf_buffer *perf_data_make(struct perf_event *event,
					  unsigned long nr_pages, bool overwrite)
{
	const struct perf_event_attr *attr = &event->attr;
	struct perf_buffer_charge *charge;
	struct perf_buffer *rb;

	charge = perf_charge_make(current->mm, nr_pages + 1);
	if (IS_ERR(charge))
		return ERR_CAST(charge);

	rb = perf_rb_alloc(nr_pages, event->cpu);
	if (!rb) {
		perf_charge_free(charge);
		return ERR_PTR(-ENOMEM);
	}
	list_add(&charge->entry, &rb->charges);
	rb->overwrite = overwrite;
	rb->backward = attr->write_backward;
	/* Without a watermark in attr it is half of the buffer. */
	if (attr->watermark)
		rb->watermark = min_t(unsigned long, attr->wakeup_watermark,
				      perf_rb_bytes(rb));
	if (!rb->watermark)
		rb->watermark = perf_rb_bytes(rb) / 2;
	perf_userpage_init(rb);
	return rb;
}

/* Add a mapping to the buffer of the event. Return: NULL if the event has no buffer. */
static struct perf_buffer *perf_data_share(struct perf_event *event,
					   unsigned long nr_pages)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);
	int err = 0;

	if (!rb)
		return NULL;
	if (rb->nr_pages == nr_pages)
		err = perf_mapping_add(event, rb, current->mm);
	else
		err = perf_refuse(-EINVAL, "mmap",
				  "%lu pages of data asked, the event has a buffer of %u",
				  nr_pages, rb->nr_pages);
	/* The new mapping has a reference of its own. */
	perf_rb_unlock(rb);
	return err ? ERR_PTR(err) : rb;
}

/* Attach and map a new buffer. Return: NULL if the event has got another one meanwhile. */
static struct perf_buffer *perf_data_begin(struct perf_event *event, unsigned long nr_pages,
					   bool overwrite)
{
	struct perf_buffer *rb = perf_data_make(event, nr_pages, overwrite);
	bool attached;

	if (IS_ERR(rb))
		return rb;
	scoped_guard(mutex, &rb->mutex) {
		attached = perf_rb_attach(event, rb);
		/* perf_data_make() has charged the memory. */
		if (attached)
			WARN_ON_ONCE(perf_mapping_add(event, rb, current->mm));
	}
	if (!attached)
		perf_charge_free(list_first_entry(&rb->charges, struct perf_buffer_charge,
						  entry));
	/* The mapping has a reference of its own. */
	perf_rb_put(rb);
	return attached ? rb : NULL;
}

/*
 * Another mmap(2), or SET_OUTPUT, may attach the event first. The charge of the new buffer is given
 * back before the event's buffer is charged, so an address space never has both charges.
 */
static struct perf_buffer *perf_data_get(struct perf_event *event,
					 unsigned long nr_pages, bool overwrite)
{
	struct perf_buffer *rb;

	do {
		rb = perf_data_share(event, nr_pages);
		if (!rb)
			rb = perf_data_begin(event, nr_pages, overwrite);
	} while (!rb);
	return rb;
}

static int perf_data_mmap(struct perf_event *event, struct vm_area_struct *vma)
{
	unsigned long nr_pages = vma_pages(vma) - 1;
	struct perf_buffer *rb;

	if (nr_pages && !is_power_of_2(nr_pages))
		return perf_refuse(-EINVAL, "mmap",
				   "%lu pages of data asked, it has to be a power of two after the first page",
				   nr_pages);
	if (nr_pages > PERF_RB_MAX_PAGES)
		return perf_refuse(-ENOMEM, "mmap", "%lu pages of data asked, %lu are possible",
				   nr_pages, (unsigned long)PERF_RB_MAX_PAGES);
	/* Without this limit, the allocation could get other programs killed. */
	if (nr_pages > totalram_pages() / 2)
		return perf_refuse(-ENOMEM, "mmap",
				   "%lu pages of data asked, the machine has %lu",
				   nr_pages, totalram_pages());

	rb = perf_data_get(event, nr_pages, !(vma->vm_flags & VM_WRITE));
	if (IS_ERR(rb))
		return PTR_ERR(rb);

	vma->vm_private_data = rb;
	vma->vm_ops = &perf_data_vma_ops;
	perf_notify_pmu_mapped(event, rb, vma->vm_mm);
	return 0;
}

/**
 * perf_event_mmap_file() - mmap(2) of an event
 * @file: file of an event
 * @vma: the new mapping; offset 0 maps the buffer, other offsets the AUX area
 *
 * Context: task. Caller must hold mmap_lock for writing.
 * Return: 0; -EINVAL for what cannot be mapped; -EPERM if the user may not have so much memory;
 * -ENOMEM; for AUX areas see perf_aux_mmap(); or an error of the security module.
 */
int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	struct perf_event *event = file->private_data;
	int err;

	/* Child events run on several CPUs at the same time. */
	if (event->cpu < 0 && event->attr.inherit)
		return perf_refuse(-EINVAL, "mmap",
				   "an inherited event needs a CPU to have a buffer");
	if (!(vma->vm_flags & VM_SHARED))
		return perf_refuse(-EINVAL, "mmap", "it has to be MAP_SHARED");
	err = security_perf_event_read(event);
	if (err)
		return err;

	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	if (vma->vm_pgoff)
		return perf_aux_mmap(event, vma);
	return perf_data_mmap(event, vma);
}
