// SPDX-License-Identifier: GPL-2.0
/*
 * Charges for the memory of buffers and AUX areas, which cannot be paged out.
 *
 * Each address space that maps a buffer is charged for all of it, once, until its last mapping
 * of the buffer goes. If the first one alone were charged, a child process could create buffers,
 * pass them to its parent and exit: the parent would keep any amount of memory. The memory is also
 * charged to the memory cgroup of the task that creates the buffer.
 *
 * Locking rules: a list of charges is protected by rb->mutex for a buffer, by rb->aux_mutex for an
 * AUX area. A charge that is on no list belongs to the caller.
 *
 * Context: task.
 */
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/perf_refusal.h>

#include "charge.h"

/*
 * Charge current's user, and @mm. Each user has perf_event_mlock_kb per online CPU. Pages beyond
 * that are charged to the address space, like mlock(2). Other processes of the user may be charged
 * at the same time, so the user's free pages are read and taken in one atomic operation.
 *
 * The limit is current's, so another address space is charged without a limit: the address space
 * of a child process, see perf_charge_get().
 */
static int perf_charge_pages(struct perf_buffer_charge *charge, struct mm_struct *mm,
			     unsigned long pages)
{
	unsigned long each = (unsigned long)sysctl_perf_event_mlock >> (PAGE_SHIFT - 10);
	unsigned long limit = each * num_online_cpus(), rlimit_pages, pinned;
	struct user_struct *user = current_user();
	long used = atomic_long_read(&user->perf_mlock);

	rlimit_pages = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	do {
		pinned = pages - min(pages, limit - min_t(unsigned long, limit, used));
		if (mm == current->mm && pinned &&
		    atomic64_read(&mm->pinned_vm) + pinned > rlimit_pages &&
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
 * perf_charge_make() - charge an address space for memory
 * @mm: the address space
 * @pages: number of pages
 *
 * Caller must hold mmap_lock of @mm for writing.
 *
 * Return: the charge, without mappings and on no list; or ERR_PTR() of -EPERM if RLIMIT_MEMLOCK
 * does not allow current so many pages. It is never an error if @mm is not current's.
 */
struct perf_buffer_charge *perf_charge_make(struct mm_struct *mm, unsigned long pages)
{
	struct perf_buffer_charge *charge;
	int err;

	mmap_assert_write_locked(mm);

	charge = kzalloc(sizeof(*charge), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	INIT_LIST_HEAD(&charge->entry);
	err = perf_charge_pages(charge, mm, pages);
	if (err) {
		kfree(charge);
		return ERR_PTR(err);
	}
	return charge;
}

/**
 * perf_charge_free() - undo perf_charge_make()
 * @charge: the charge; leaves its list, if it is on one
 */
void perf_charge_free(struct perf_buffer_charge *charge)
{
	list_del(&charge->entry);
	atomic_long_sub(charge->locked, &charge->user->perf_mlock);
	atomic64_sub(charge->pinned, &charge->mm->pinned_vm);
	free_uid(charge->user);
	mmdrop(charge->mm);
	kfree(charge);
}

static struct perf_buffer_charge *perf_charge_find(struct list_head *charges,
						   struct mm_struct *mm)
{
	struct perf_buffer_charge *charge;

	list_for_each_entry(charge, charges, entry) {
		if (charge->mm == mm)
			return charge;
	}
	return NULL;
}

/**
 * perf_charge_get() - charge an address space for a mapping
 * @charges: charges of the buffer or AUX area
 * @mm: the address space
 * @pages: size of the buffer or AUX area
 *
 * A fork copies mappings after MADV_DOFORK, and this must not fail. The address space of the child
 * process is charged as much as its parent's was, which was limited.
 *
 * Caller must hold mmap_lock of @mm for writing, and the lock of @charges.
 *
 * Return: 0, or -EPERM as for perf_charge_make(). It is always 0 if @mm is charged already, or is
 * not current's.
 */
int perf_charge_get(struct list_head *charges, struct mm_struct *mm, unsigned long pages)
{
	struct perf_buffer_charge *charge = perf_charge_find(charges, mm);

	if (!charge) {
		charge = perf_charge_make(mm, pages);
		if (IS_ERR(charge))
			return PTR_ERR(charge);
		list_add(&charge->entry, charges);
	}
	charge->nr_mappings++;
	return 0;
}

/**
 * perf_charge_put() - undo perf_charge_get()
 * @charges: charges of the buffer or AUX area
 * @mm: the address space of the mapping that goes
 *
 * Caller must hold the lock of @charges.
 */
void perf_charge_put(struct list_head *charges, struct mm_struct *mm)
{
	struct perf_buffer_charge *charge = perf_charge_find(charges, mm);

	if (!WARN_ON_ONCE(!charge) && !--charge->nr_mappings)
		perf_charge_free(charge);
}

/**
 * perf_charge_only_mm() - get the address space that has all mappings
 * @charges: charges of the buffer or AUX area
 *
 * Caller must hold the lock of @charges.
 *
 * Return: the address space, without a reference; NULL if there are several, or none.
 */
struct mm_struct *perf_charge_only_mm(const struct list_head *charges)
{
	if (!list_is_singular(charges))
		return NULL;
	return list_first_entry(charges, struct perf_buffer_charge, entry)->mm;
}
