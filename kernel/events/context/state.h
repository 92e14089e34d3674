/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event states: enable, disable.
 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/perf_event.h>

void perf_sibling_start(struct perf_event *event, u64 now);
void perf_sibling_stop(struct perf_event *event, u64 now);

void __perf_group_start(struct perf_event *leader, u64 now);
void perf_group_start(struct perf_event *leader, u64 now);
void perf_group_stop(struct perf_event *leader, u64 now);

void __perf_event_enable(struct perf_event *event, u64 now);
void perf_event_pending_disable(struct irq_work *work);
void perf_event_disable_stopped(struct perf_event *event);
void __perf_event_disable(struct perf_event *event, u64 now,
			  enum perf_event_state state);
void perf_event_retire(struct perf_event *event, enum perf_event_state state);

void perf_event_enable_one(struct perf_event *event);
void perf_event_disable_one(struct perf_event *event);
void perf_event_restart(struct perf_event *event);
void perf_event_flush_samples_one(struct perf_event *event);
void perf_event_flush_samples(struct perf_event *event);

typedef void (*perf_event_fn)(struct perf_event *event);

void perf_event_with_children(struct perf_event *event, perf_event_fn fn);

#endif /* _KERNEL_EVENTS_STATE_H */
