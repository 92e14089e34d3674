/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address filters: the ranges to which an event's trace is confined.
 *
 * User space gives a filter as a file and an offset, or as a kernel address. An event has one
 * list, which its child events share. Each event has ranges of its own, because each task has
 * its own address space.
 *
 * Locking rules
 *
 *   ctx->mutex		of the event opened by user space: replacing its list.
 *   addr_filters.lock	the list, and the ranges of all events that share it. Raw,
 *			interrupts off; innermost. perf_event_addr_filters() returns its
 *			struct.
 *   mmap_lock		of the event's task: looking for files in its address space.
 *			Inside ctx->mutex, outside addr_filters.lock.
 *
 * Lifetime rules
 *
 *   A filter holds the path of its file. The list is freed with the event opened by
 *   user space, after its child events. Ranges are freed in the event's RCU
 *   callback, because mmap(2) of another thread may be reading them.
 */
#ifndef _KERNEL_EVENTS_FILTER_H
#define _KERNEL_EVENTS_FILTER_H

#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../context/filtered.h"

/* filter_parse.c */
int perf_filter_parse(const struct perf_event *event, const char *text,
		      struct list_head *filters);
void perf_filter_free_list(struct list_head *filters);

/* filter.c */
int perf_event_set_addr_filter(struct perf_event *event, const char *text);
int __perf_filter_init_event(struct perf_event *event);
void __perf_filter_free(struct perf_event *event);

/* Allocate the ranges of an event that its PMU has accepted. Return: 0 or -ENOMEM. */
static inline int perf_filter_init_event(struct perf_event *event)
{
	return event->pmu->nr_addr_filters ? __perf_filter_init_event(event) : 0;
}

/* Free the list of an event without child events. Task context. */
static inline void perf_filter_free(struct perf_event *event)
{
	if (event->addr_filter_ranges)
		__perf_filter_free(event);
}

/* Free the ranges of an event. No reader can hold a pointer. Any context but NMI. */
static inline void perf_filter_free_ranges(struct perf_event *event)
{
	if (event->addr_filter_ranges)
		kfree(perf_filter_ranges(event));
}

/* filter.c: changes of an address space; the top of the file lists the callers */
void perf_filter_refresh(struct perf_event *event);
void perf_filter_fork(struct task_struct *task);
void perf_filter_mmap(const struct vm_area_struct *vma);

/* Number of lists that name a file. */
extern atomic_t perf_filter_nr_lists;

/**
 * perf_filter_names_files() - do the filters of an event depend on its address space?
 * @event: any event
 *
 * Return: true if one of its filters is in a file.
 */
static inline bool perf_filter_names_files(struct perf_event *event)
{
	return READ_ONCE(perf_event_addr_filters(event)->nr_file_filters);
}

#endif /* _KERNEL_EVENTS_FILTER_H */
