/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address filters: the ranges to which an event's trace is confined.
 *
 * User space names them by file and offset, or by kernel address. An event has
 * one list, which those inherited from it share; but each event has its own
 * ranges, since each task has its own address space.
 *
 * Locking rules
 *
 *   ctx->mutex		of the event that was opened: replacing its list.
 *   addr_filters.lock	the list, and the ranges of all events that share it. Raw,
 *			irqs off; innermost. perf_event_addr_filters() finds it.
 *   mmap_lock		of the task that an event follows, to look for files in its
 *			address space. Inside ctx->mutex, outside the one above.
 *
 * Lifetime rules
 *
 *   A filter holds the path of its file. The list is freed with the event that
 *   was opened, after those inherited from it; ranges go a grace period after
 *   the event, since mmap(2) of another thread may be looking.
 */
#ifndef _KERNEL_EVENTS_FILTER_H
#define _KERNEL_EVENTS_FILTER_H

#include <linux/perf_event.h>

struct perf_event_context;

/* filter_parse.c */
int perf_filter_parse(const struct perf_event *event, const char *text,
		      struct list_head *filters);
void perf_filter_free_list(struct list_head *filters);

/* filter.c */
int perf_event_set_addr_filter(struct perf_event *event, const char *text);
int __perf_filter_init_event(struct perf_event *event);
void __perf_filter_free(struct perf_event *event);
void __perf_filter_free_ranges(struct perf_event *event);

/* A PMU has taken the event: make room for its ranges. Return: 0 or -ENOMEM. */
static inline int perf_filter_init_event(struct perf_event *event)
{
	return event->pmu->nr_addr_filters ? __perf_filter_init_event(event) : 0;
}

/* The event leaves nothing behind that was inherited from it; task context. */
static inline void perf_filter_free(struct perf_event *event)
{
	if (event->addr_filter_ranges)
		__perf_filter_free(event);
}

/* Nobody can see it any more; any context. */
static inline void perf_filter_free_ranges(struct perf_event *event)
{
	if (event->addr_filter_ranges)
		__perf_filter_free_ranges(event);
}

/* filter.c: what changes an address space; see there who calls them */
void perf_filter_refresh(struct perf_event *event);
void perf_filter_fork(struct task_struct *task);
void perf_filter_mmap(const struct vm_area_struct *vma);

/* how many lists name a file */
extern atomic_t perf_filter_nr_lists;

/**
 * perf_filter_names_files() - whether an event depends on its address space
 * @event: any
 *
 * Return: true when one of its filters is in a file.
 */
static inline bool perf_filter_names_files(struct perf_event *event)
{
	return READ_ONCE(perf_event_addr_filters(event)->nr_file_filters);
}

#endif /* _KERNEL_EVENTS_FILTER_H */
