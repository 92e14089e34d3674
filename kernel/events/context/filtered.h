/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a task that can have address filters: trace/filter.c goes through them when
 * the address space of the task changes.
 */
#ifndef _KERNEL_EVENTS_FILTERED_H
#define _KERNEL_EVENTS_FILTERED_H

#include "../base/contexts.h"

/**
 * struct perf_filter_ranges - what event->addr_filter_ranges points into
 * @event: the event
 * @entry: on perf_event_context::filtered, ctx->lock and ctx->mutex to change, either
 *	or RCU to read
 * @list: of the event that was opened, number of its current list
 * @made_for: number of the list that the ranges belong to
 * @searched: number of the list whose files have been looked for
 * @range: one for each filter of the list, in its order
 */
struct perf_filter_ranges {
	struct perf_event		*event;
	struct hlist_node		entry;
	unsigned long			list;
	unsigned long			made_for;
	unsigned long			searched;
	struct perf_addr_filter_range	range[];
};

static inline struct perf_filter_ranges *perf_filter_ranges(struct perf_event *event)
{
	return container_of(event->addr_filter_ranges, struct perf_filter_ranges,
			    range[0]);
}

/* An event comes into its context. Caller must hold ctx->lock. */
static inline void perf_filter_attach(struct perf_event *event,
				      struct perf_event_context *ctx)
{
	/* the context of a CPU has no address space */
	if (unlikely(event->addr_filter_ranges) && perf_ctx_is_task(ctx))
		hlist_add_head_rcu(&perf_filter_ranges(event)->entry, &ctx->filtered);
}

/* An event leaves its context. Caller must hold ctx->lock. */
static inline void perf_filter_detach(struct perf_event *event)
{
	struct hlist_node *entry;

	if (likely(!event->addr_filter_ranges))
		return;
	entry = &perf_filter_ranges(event)->entry;
	if (!hlist_unhashed(entry))
		hlist_del_init_rcu(entry);
}

#endif /* _KERNEL_EVENTS_FILTERED_H */
