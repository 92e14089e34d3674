// SPDX-License-Identifier: GPL-2.0
/*
 * Mapping an event's buffer.
 *
 * Owns mmap(2) of an event: what may be mapped, what it costs the user, and
 * what happens when a mapping goes. The whole buffer is mapped at once, and
 * only as a whole; it is neither copied by fork(2) nor split by munmap(2).
 * Whoever maps an event that has a buffer maps the same. Its AUX area is mapped
 * by the same rules: aux_mmap.c.
 *
 * Entry points: perf_event_mmap_file(), and the operations of the mapping, in
 * task context with mmap_lock held for writing. See ring_buffer.h for locking
 * and lifetime.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/security.h>
#include <linux/perf_refusal.h>

#include "../output/ring_buffer.h"
#include "attach.h"
#include "aux.h"
#include "mmap.h"
#include "userpage_mmap.h"

/* Pages that a user may have for free. */
static unsigned long perf_user_limit(void)
{
	unsigned long each = (unsigned long)sysctl_perf_event_mlock >> (PAGE_SHIFT - 10);

	return each * num_online_cpus();
}

/**
 * perf_charge_pages() - charge current for memory that cannot be paged out
 * @charge: result, for perf_uncharge_pages()
 * @pages: how many; mmap_lock of current's mm is held for writing
 *
 * Each user has perf_event_mlock_kb per CPU; what goes beyond is charged to the
 * process, like mlock(2). Other processes of the user may be charged at the same time,
 * so what was left of it is looked at and taken in one.
 *
 * Return: 0, or -EPERM when RLIMIT_MEMLOCK does not allow so much.
 */
int perf_charge_pages(struct perf_buffer_charge *charge, unsigned long pages)
{
	unsigned long limit = perf_user_limit(), rlimit_pages, pinned;
	struct user_struct *user = current_user();
	struct mm_struct *mm = current->mm;
	long used = atomic_long_read(&user->perf_mlock);

	mmap_assert_write_locked(mm);

	rlimit_pages = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	do {
		pinned = pages - min(pages, limit - min_t(unsigned long, limit, used));
		if (atomic64_read(&mm->pinned_vm) + pinned > rlimit_pages &&
		    sysctl_perf_event_paranoid > -1 && !capable(CAP_IPC_LOCK))
			return perf_refuse(-EPERM, "mmap",
					   "%lu pages are beyond perf_event_mlock_kb (%d), RLIMIT_MEMLOCK allows %lu",
					   pinned, sysctl_perf_event_mlock,
					   rlimit_pages);
	} while (!atomic_long_try_cmpxchg(&user->perf_mlock, &used, used + pages - pinned));

	charge->user = get_uid(user);
	charge->mm = mm;
	mmgrab(mm);
	charge->locked = pages - pinned;
	charge->pinned = pinned;
	atomic64_add(pinned, &mm->pinned_vm);
	return 0;
}

/**
 * perf_uncharge_pages() - undo perf_charge_pages()
 * @charge: what that has filled in; nothing happens if it has not
 */
void perf_uncharge_pages(struct perf_buffer_charge *charge)
{
	if (!charge->mm)
		return;
	atomic_long_sub(charge->locked, &charge->user->perf_mlock);
	atomic64_sub(charge->pinned, &charge->mm->pinned_vm);
	free_uid(charge->user);
	mmdrop(charge->mm);
	charge->mm = NULL;
}

/**
 * perf_mapping_add() - one mapping more of a buffer
 * @event: by way of which it is mapped, and which writes to it
 * @rb: the buffer that it is attached to; its mutex is held
 */
void perf_mapping_add(struct perf_event *event, struct perf_buffer *rb)
{
	lockdep_assert_held(&rb->mutex);

	refcount_inc(&rb->refcount);
	if (event->mmap_count)
		event->mmap_count++;
	else
		perf_userpage_begin(event, rb);
	rb->nr_mappings++;
}

static void perf_rb_detach_all(struct perf_buffer *rb)
{
	struct perf_event *event, *next;

	/* the list changes under the mutex only */
	list_for_each_entry_safe(event, next, &rb->events, rb_entry)
		perf_rb_detach(event, rb);
}

/**
 * perf_mapping_drop() - one mapping less
 * @event: by way of which it was mapped
 * @rb: the buffer; loses a reference
 *
 * An event whose own mappings are gone writes no more, and when nobody maps the
 * buffer at all nobody does.
 */
void perf_mapping_drop(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_buffer_charge charge = {};

	scoped_guard(mutex, &rb->mutex) {
		if (event->mmap_count > 1) {
			event->mmap_count--;
		} else {
			perf_userpage_end(event);
			perf_rb_detach(event, rb);
		}
		if (!--rb->nr_mappings) {
			perf_rb_detach_all(rb);
			charge = rb->charge;
			rb->charge.mm = NULL;
		}
	}
	perf_uncharge_pages(&charge);
	perf_rb_put(rb);
}

/**
 * perf_notify_pmu_mapped() - let the driver know of a mapping
 * @event: by way of which it is mapped
 * @mm: where
 */
void perf_notify_pmu_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (event->pmu->event_mapped)
		event->pmu->event_mapped(event, mm);
}

/**
 * perf_notify_pmu_unmapped() - let the driver know that a mapping goes
 * @event: by way of which it is mapped
 * @mm: where
 */
void perf_notify_pmu_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	if (event->pmu->event_unmapped)
		event->pmu->event_unmapped(event, mm);
}

/* mremap(2) moves a mapping: the new one is opened, the old one closed. */
static void perf_data_vma_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *rb = vma->vm_private_data;

	scoped_guard(mutex, &rb->mutex)
		perf_mapping_add(event, rb);
	perf_notify_pmu_mapped(event, vma->vm_mm);
}

static void perf_data_vma_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;

	perf_notify_pmu_unmapped(event, vma->vm_mm);
	perf_mapping_drop(event, vma->vm_private_data);
}

/**
 * perf_vma_may_split() - a buffer is mapped as a whole or not at all
 * @vma: the mapping
 * @addr: where to split it
 *
 * Return: -EINVAL.
 */
int perf_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return perf_refuse(-EINVAL, "munmap",
			   "a part of a buffer cannot be unmapped or changed");
}

/* Only the whole buffer is mapped, so the offset lies within it. */
static vm_fault_t perf_data_vma_fault(struct vm_fault *vmf)
{
	vmf->page = perf_rb_page(vmf->vma->vm_private_data, vmf->pgoff);
	get_page(vmf->page);
	return 0;
}

/* The data is the kernel's to write, the control page is not. */
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

/* attr says when to wake the reader, half of the buffer is the default */
static void perf_data_configure(struct perf_buffer *rb, struct perf_event *event,
				bool overwrite)
{
	const struct perf_event_attr *attr = &event->attr;

	rb->overwrite = overwrite;
	rb->backward = attr->write_backward;
	if (attr->watermark)
		rb->watermark = min_t(unsigned long, attr->wakeup_watermark,
				      perf_rb_bytes(rb));
	if (!rb->watermark)
		rb->watermark = perf_rb_bytes(rb) / 2;
	perf_userpage_init(rb);
}

/* Make a buffer for the event, which is not attached to it yet. */
static struct perf_buffer *perf_data_make(struct perf_event *event,
					  unsigned long nr_pages, bool overwrite)
{
	struct perf_buffer_charge charge;
	struct perf_buffer *rb;
	int err;

	err = perf_charge_pages(&charge, nr_pages + 1);
	if (err)
		return ERR_PTR(err);

	rb = perf_rb_alloc(nr_pages, event->cpu);
	if (!rb) {
		perf_uncharge_pages(&charge);
		return ERR_PTR(-ENOMEM);
	}
	rb->charge = charge;
	perf_data_configure(rb, event, overwrite);
	return rb;
}

/* Map the buffer that the event has; NULL if it has none. */
static struct perf_buffer *perf_data_share(struct perf_event *event,
					   unsigned long nr_pages)
{
	struct perf_buffer *rb = perf_rb_lock_of_event(event);
	int err = 0;

	if (!rb)
		return NULL;
	if (rb->nr_pages == nr_pages)
		perf_mapping_add(event, rb);
	else
		err = perf_refuse(-EINVAL, "mmap",
				  "%lu pages of data asked, the event has a buffer of %u",
				  nr_pages, rb->nr_pages);
	/* the mapping has a reference, if there is one */
	perf_rb_unlock(rb);
	return err ? ERR_PTR(err) : rb;
}

/* Map a new buffer; false if the event has got one meanwhile. */
static bool perf_data_begin(struct perf_event *event, struct perf_buffer *rb)
{
	guard(mutex)(&rb->mutex);
	if (!perf_rb_attach(event, rb))
		return false;
	perf_mapping_add(event, rb);
	return true;
}

static struct perf_buffer *perf_data_get(struct perf_event *event,
					 unsigned long nr_pages, bool overwrite)
{
	struct perf_buffer *rb, *made;

	rb = perf_data_share(event, nr_pages);
	if (rb)
		return rb;

	made = perf_data_make(event, nr_pages, overwrite);
	if (IS_ERR(made))
		return made;
	do {
		if (perf_data_begin(event, made))
			rb = made;
		else
			rb = perf_data_share(event, nr_pages);
	} while (!rb);
	/* another process, or SET_OUTPUT, was faster */
	if (rb != made)
		perf_uncharge_pages(&made->charge);
	perf_rb_put(made);
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
	/* rather than have other programs killed for it */
	if (nr_pages > totalram_pages() / 2)
		return perf_refuse(-ENOMEM, "mmap",
				   "%lu pages of data asked, the machine has %lu",
				   nr_pages, totalram_pages());

	rb = perf_data_get(event, nr_pages, !(vma->vm_flags & VM_WRITE));
	if (IS_ERR(rb))
		return PTR_ERR(rb);

	vma->vm_private_data = rb;
	vma->vm_ops = &perf_data_vma_ops;
	perf_notify_pmu_mapped(event, vma->vm_mm);
	return 0;
}

/**
 * perf_event_mmap_file() - mmap(2)
 * @file: an event's
 * @vma: the new mapping; at offset 0 the buffer, further on its AUX area
 *
 * Return: 0; -EINVAL for what cannot be mapped, -EPERM when the user may not
 * have so much, -ENOMEM.
 */
int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma)
{
	struct perf_event *event = file->private_data;
	int err;

	/* child events run on other CPUs at the same time */
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
