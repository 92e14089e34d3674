// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping of a buffer, or of its AUX area: charged memory, references, the driver's callbacks.
 *
 * mmap.c and aux_mmap.c have the operations of the two kinds of mappings. Locking and lifetime
 * rules are in ring_buffer.h.
 *
 * Context: task, mmap_lock held for writing.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/perf_refusal.h>

#include "../output/ring_buffer.h"
#include "attach.h"
#include "mapping.h"
#include "userpage_mmap.h"

/**
 * perf_charge_pages() - charge current for memory that cannot be paged out
 * @charge: result, for perf_uncharge_pages()
 * @pages: number of pages
 *
 * Each user has perf_event_mlock_kb per online CPU. Pages beyond that are charged to the
 * process, like mlock(2). Other processes of the user may be charged at the same time, so the
 * user's free pages are read and taken in one atomic operation.
 *
 * Context: task. Caller must hold mmap_lock of current's mm for writing.
 * Return: 0, or -EPERM if RLIMIT_MEMLOCK does not allow so many pages.
 */
int perf_charge_pages(struct perf_buffer_charge *charge, unsigned long pages)
{
	unsigned long each = (unsigned long)sysctl_perf_event_mlock >> (PAGE_SHIFT - 10);
	unsigned long limit = each * num_online_cpus(), rlimit_pages, pinned;
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
 * @charge: from perf_charge_pages(); nothing is done if its @mm is NULL
 *
 * Context: task.
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
 * perf_mapping_add() - add a mapping to a buffer
 * @event: the event that is mapped
 * @rb: the buffer that it is attached to; gains a reference
 *
 * Context: task, interrupts on. Caller must hold rb->mutex.
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

/**
 * perf_mapping_drop() - remove a mapping from a buffer
 * @event: the event that was mapped
 * @rb: the buffer; loses a reference
 *
 * Detaches the event when its last mapping goes. Detaches all events, and uncharges the memory,
 * when the last mapping of the buffer goes.
 *
 * Context: task, interrupts on, may sleep.
 */
void perf_mapping_drop(struct perf_event *event, struct perf_buffer *rb)
{
	struct perf_buffer_charge charge = {};
	struct perf_event *other, *next;

	scoped_guard(mutex, &rb->mutex) {
		if (event->mmap_count > 1) {
			event->mmap_count--;
		} else {
			perf_userpage_end(event);
			perf_rb_detach(event, rb);
		}
		if (!--rb->nr_mappings) {
			/* The list is only changed under rb->mutex. */
			list_for_each_entry_safe(other, next, &rb->events, rb_entry)
				perf_rb_detach(other, rb);
			charge = rb->charge;
			rb->charge.mm = NULL;
		}
	}
	perf_uncharge_pages(&charge);
	perf_rb_put(rb);
}

/**
 * perf_notify_pmu_mapped() - call pmu::event_mapped(), if there is one
 * @event: the event that is mapped
 * @mm: address space of the mapping
 */
void perf_notify_pmu_mapped(struct perf_event *event, struct mm_struct *mm)
{
	if (event->pmu->event_mapped)
		event->pmu->event_mapped(event, mm);
}

/**
 * perf_notify_pmu_unmapped() - call pmu::event_unmapped(), if there is one
 * @event: the event that is mapped
 * @mm: address space of the mapping, which is about to go
 */
void perf_notify_pmu_unmapped(struct perf_event *event, struct mm_struct *mm)
{
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
