// SPDX-License-Identifier: GPL-2.0
/*
 * Address filters: from the list that user space set to the hardware.
 *
 * This file has the list, its translation into addresses, and reprogramming active hardware. A
 * filter in the kernel has an address already. The address of a filter in a file is where the
 * event's task has mapped that part of the file for execution. While it is not mapped, the
 * filter has no address. So the ranges are computed
 *
 *	when the list is set		perf_event_set_addr_filter(), an ioctl
 *	when a task is created		perf_filter_fork(), from perf_event_fork()
 *	when it execs			perf_filter_refresh(), from perf_event_exec()
 *	when it maps memory		perf_filter_mmap(), from perf_event_mmap()
 *
 * Each time the event is stopped and started on its CPU. Its driver then calls
 * perf_event_addr_filters_sync().
 *
 * Child events share the list of their parent. So the list can be replaced while the ranges of
 * a child event still belong to the previous list. Lists are numbered, and ranges have the
 * number of their list. A driver never sees ranges of another list than the current one.
 *
 * filter_parse.c parses the text. Filters of tracepoints are in tracepoint.c. Locking and
 * lifetime rules are in filter.h.
 */
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/filtered.h"
#include "../overflow/overflow.h"
#include "filter.h"

atomic_t perf_filter_nr_lists;

static unsigned long perf_filter_list(struct perf_event *event)
{
	return perf_filter_ranges(perf_event_root(event))->list;
}

static bool perf_filter_is_stale(struct perf_event *event)
{
	return perf_filter_ranges(event)->made_for != perf_filter_list(event);
}

static bool perf_filter_in_file(const struct perf_addr_filter *filter)
{
	return filter->path.dentry;
}

/* Set the ranges that do not depend on an address space, and clear all others. */
static void perf_filter_reset(struct perf_event *event)
{
	struct perf_filter_ranges *ranges = perf_filter_ranges(event);
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter_range *range = ranges->range;
	struct perf_addr_filter *filter;

	lockdep_assert_held(&head->lock);

	list_for_each_entry(filter, &head->list, entry) {
		bool in_file = perf_filter_in_file(filter);

		range->start = in_file ? 0 : filter->offset;
		range->size = in_file ? 0 : filter->size;
		range++;
	}
	ranges->made_for = perf_filter_list(event);
	event->addr_filters_gen++;
}

/**
 * perf_event_addr_filters_sync() - let the driver program changed filters
 * @event: the event, about to be started
 *
 * Called by the start() of drivers with filters. Calls pmu::addr_filters_sync() under the lock
 * of the list if the generation in the hardware is not the current one.
 *
 * Context: irqs off, on the event's CPU, not in NMI.
 */
void perf_event_addr_filters_sync(struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct hw_perf_event *hw = &event->hw;

	if (!event->addr_filter_ranges)
		return;

	guard(raw_spinlock)(&head->lock);
	/* perf_filter_refresh() restarts the event once it has found the files. */
	if (perf_filter_is_stale(event))
		perf_filter_reset(event);
	if (hw->addr_filters_gen == event->addr_filters_gen)
		return;
	event->pmu->addr_filters_sync(event);
	hw->addr_filters_gen = event->addr_filters_gen;
}
EXPORT_SYMBOL_GPL(perf_event_addr_filters_sync);

static void perf_filter_restart_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;

	/* An event that is stopped for another reason calls sync() when it is started. */
	if (!perf_event_has_counter(event) ||
	    (event->hw.state & PERF_HES_STOPPED))
		return;
	event->pmu->stop(event, PERF_EF_UPDATE);
	if (!perf_event_is_halted(event))
		event->pmu->start(event, 0);
}

static void perf_filter_restart(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_filter_restart_locked, event);
}

/*
 * Compute where a mapping has the filter's part of the filter's file.
 *
 * Return: false if the mapping does not contain any of it, or is of another file.
 */
static bool perf_filter_locate(const struct perf_addr_filter *filter,
			       const struct vm_area_struct *vma,
			       struct perf_addr_filter_range *range)
{
	u64 from = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 to = from + (vma->vm_end - vma->vm_start);
	u64 start = max_t(u64, from, filter->offset);
	/* A single address has size 0; it is looked up as one byte. */
	u64 end = min_t(u64, to, filter->offset + max(filter->size, 1UL));

	if (!perf_filter_in_file(filter) ||
	    d_inode(filter->path.dentry) != file_user_inode(vma->vm_file) || start >= end)
		return false;
	range->start = vma->vm_start + (start - from);
	range->size = filter->size ? end - start : 0;
	return true;
}

/* Update the ranges for a new mapping. Return: true if a range has changed. */
static bool perf_filter_add_vma(struct perf_event *event,
				const struct vm_area_struct *vma)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct perf_addr_filter_range *range = event->addr_filter_ranges;
	struct perf_addr_filter_range found;
	struct perf_addr_filter *filter;
	bool changed = false;

	guard(raw_spinlock_irqsave)(&head->lock);
	/* The list has been replaced. perf_filter_refresh() will visit all mappings. */
	if (perf_filter_is_stale(event))
		return false;

	list_for_each_entry(filter, &head->list, entry) {
		if (perf_filter_locate(filter, vma, &found) &&
		    memcmp(range, &found, sizeof(found))) {
			*range = found;
			changed = true;
		}
		range++;
	}
	if (changed)
		event->addr_filters_gen++;
	return changed;
}

static bool perf_filter_can_match(const struct vm_area_struct *vma)
{
	return vma->vm_file && (vma->vm_flags & VM_EXEC);
}

/* Recompute the ranges. Caller must hold mmap_lock if @mm is not NULL. */
static void perf_filter_make_ranges(struct perf_event *event, struct mm_struct *mm)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	struct vm_area_struct *vma;
	struct vma_iterator vmi;

	scoped_guard(raw_spinlock_irqsave, &head->lock) {
		perf_filter_reset(event);
		perf_filter_ranges(event)->searched = perf_filter_list(event);
	}
	if (!mm)
		return;
	vma_iter_init(&vmi, mm, 0);
	for_each_vma(vmi, vma) {
		if (perf_filter_can_match(vma))
			perf_filter_add_vma(event, vma);
	}
}

/* Return the address space in which to look for files, referenced, or NULL. */
static struct mm_struct *perf_filter_get_mm(struct perf_event *event)
{
	struct task_struct *task = event->hw.target;

	if (!task || READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT ||
	    !perf_filter_names_files(event))
		return NULL;
	return get_task_mm(task);
}

/**
 * perf_filter_refresh() - recompute the ranges after a change of address space or list
 * @event: any event
 *
 * Context: task, mmap_lock not held. Caller must hold the mutex of the event's context, or the
 * event follows a task, so that it is never moved to another context.
 */
void perf_filter_refresh(struct perf_event *event)
{
	struct mm_struct *mm;
	bool moved;

	if (!event->addr_filter_ranges)
		return;

	do {
		mm = perf_filter_get_mm(event);
		if (mm)
			mmap_read_lock(mm);
		perf_filter_make_ranges(event, mm);
		/* Retry after an exec. A later exec calls perf_filter_refresh() by itself. */
		moved = mm && READ_ONCE(event->hw.target->mm) &&
			READ_ONCE(event->hw.target->mm) != mm;
		if (mm) {
			mmap_read_unlock(mm);
			mmput(mm);
		}
	} while (moved);
	perf_filter_restart(event);
}

/*
 * Return a child event, referenced, for which the files of the current list have not been looked
 * up yet. It may be running, with ranges that were made without them. It moves to the end of the
 * parent's list, so that the next call does not pass it.
 */
static struct perf_event *perf_filter_next_child(struct perf_event *event)
{
	struct perf_event *child;

	guard(mutex)(&event->child_mutex);
	list_for_each_entry(child, &event->child_list, child_list) {
		if (child->addr_filter_ranges &&
		    perf_filter_ranges(child)->searched != perf_filter_list(child) &&
		    perf_event_get_live(child)) {
			/* The only one stays: poll() looks without the mutex whether it exists. */
			if (!list_is_last(&child->child_list, &event->child_list))
				list_move_tail(&child->child_list, &event->child_list);
			return child;
		}
		cond_resched();
	}
	return NULL;
}

/* Replace the event's list by @filters. @filters receives the previous list. */
static void perf_filter_replace(struct perf_event *event, struct list_head *filters)
{
	struct perf_addr_filters_head *head = &event->addr_filters;
	bool had_files = head->nr_file_filters;
	struct perf_addr_filter *filter;
	unsigned int nr_files = 0;
	LIST_HEAD(old);

	list_for_each_entry(filter, filters, entry)
		nr_files += perf_filter_in_file(filter);

	scoped_guard(raw_spinlock_irqsave, &head->lock) {
		list_splice_init(&head->list, &old);
		list_splice_init(filters, &head->list);
		WRITE_ONCE(head->nr_file_filters, nr_files);
		perf_filter_ranges(event)->list++;
	}
	list_splice(&old, filters);
	atomic_add(!!nr_files - had_files, &perf_filter_nr_lists);
}

/**
 * perf_event_set_addr_filter() - PERF_EVENT_IOC_SET_FILTER
 * @event: an event opened by user space; its PMU has address filters
 * @text: the new list, see filter_parse.c; replaces all filters
 *
 * Context: task, no locks held.
 * Return: 0, or an error of perf_filter_parse() or pmu::addr_filters_validate().
 */
int perf_event_set_addr_filter(struct perf_event *event, const char *text)
{
	struct perf_event_context *ctx;
	struct perf_event *child;
	LIST_HEAD(filters);
	int err;

	err = perf_filter_parse(event, text, &filters);
	if (err)
		return err;

	ctx = perf_ctx_lock_of_event(event);
	err = event->pmu->addr_filters_validate(&filters);
	if (err) {
		perf_refuse(err, "filter", "PMU %s cannot do that",
			    event->pmu->name);
	} else {
		perf_filter_replace(event, &filters);
		perf_filter_refresh(event);
		while ((child = perf_filter_next_child(event))) {
			perf_filter_refresh(child);
			perf_event_put(child);
			cond_resched();
		}
	}
	mutex_unlock(&ctx->mutex);
	perf_filter_free_list(&filters);
	return err;
}

/**
 * perf_filter_fork() - compute the ranges of a new task's events
 * @task: the task; has its address space, is visible, does not run yet
 *
 * Context: task, no locks held.
 */
void perf_filter_fork(struct task_struct *task)
{
	struct perf_event_context *ctx = READ_ONCE(task->perf_event_ctxp);
	struct perf_filter_ranges *ranges;

	if (likely(!atomic_read(&perf_filter_nr_lists)) || !ctx)
		return;

	guard(mutex)(&ctx->mutex);
	hlist_for_each_entry(ranges, &ctx->filtered, entry) {
		if (perf_filter_names_files(ranges->event))
			perf_filter_refresh(ranges->event);
		cond_resched();
	}
}

/**
 * perf_filter_mmap() - update the ranges after current has mapped something
 * @vma: the mapping, new or changed
 *
 * All threads share the mapping, so the events of all threads are updated. Only events that can
 * have filters are visited.
 *
 * Context: task. Caller must hold mmap_lock for writing.
 */
void perf_filter_mmap(const struct vm_area_struct *vma)
{
	struct perf_filter_ranges *ranges;
	struct perf_event_context *ctx;
	struct task_struct *thread;

	if (likely(!atomic_read(&perf_filter_nr_lists)) ||
	    !perf_filter_can_match(vma))
		return;

	guard(rcu)();
	for_each_thread(current, thread) {
		ctx = rcu_dereference(thread->perf_event_ctxp);
		if (!ctx)
			continue;
		hlist_for_each_entry_rcu(ranges, &ctx->filtered, entry) {
			if (perf_filter_names_files(ranges->event) &&
			    perf_filter_add_vma(ranges->event, vma))
				perf_filter_restart(ranges->event);
		}
	}
}

/**
 * __perf_filter_init_event() - allocate the ranges of an event
 * @event: the event; its PMU has address filters and has accepted it
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int __perf_filter_init_event(struct perf_event *event)
{
	unsigned int nr = event->pmu->nr_addr_filters;
	struct perf_filter_ranges *ranges;

	/* A child event of another PMU than its parent's does not use the list. */
	if (event->parent && event->parent->pmu != event->pmu)
		return 0;
	ranges = kzalloc(struct_size(ranges, range, nr), GFP_KERNEL_ACCOUNT);
	if (!ranges)
		return -ENOMEM;
	ranges->event = event;
	event->addr_filter_ranges = ranges->range;
	return 0;
}

/**
 * __perf_filter_free() - free the list of an event
 * @event: an event with ranges, not in a context, and without child events
 *
 * Does nothing for a child event, which shares the list of its parent.
 *
 * Context: task, may sleep.
 */
void __perf_filter_free(struct perf_event *event)
{
	struct perf_addr_filters_head *head = &event->addr_filters;
	LIST_HEAD(filters);

	if (event->parent)
		return;
	perf_filter_replace(event, &filters);
	perf_filter_free_list(&filters);
	WARN_ON_ONCE(!list_empty(&head->list));
}
