/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event states: enable, disable.
 */
#ifndef _KERNEL_EVENTS_STATE_H
#define _KERNEL_EVENTS_STATE_H

#include <linux/perf_event.h>

void perf_sibling_go(struct perf_event *event, u64 now);
void perf_sibling_halt(struct perf_event *event, u64 now);

void perf_leader_begin(struct perf_event *leader, u64 now);
void perf_group_go(struct perf_event *leader, u64 now);
void perf_group_halt(struct perf_event *leader, u64 now);

void perf_event_turn_on(struct perf_event *event, u64 now);
void perf_event_settle_disable(struct perf_event *event, u64 now);
void perf_event_pending_disable(struct irq_work *work);
void perf_event_turn_off(struct perf_event *event, u64 now,
			 enum perf_event_state state);
void perf_event_end(struct perf_event *event, enum perf_event_state state);

void perf_event_enable_one(struct perf_event *event);
void perf_event_disable_one(struct perf_event *event);
void perf_event_restart(struct perf_event *event);
typedef void (*perf_event_fn)(struct perf_event *event);

void perf_event_with_children(struct perf_event *event, perf_event_fn fn);

#endif /* _KERNEL_EVENTS_STATE_H */
