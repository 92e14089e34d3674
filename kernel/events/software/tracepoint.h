/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the tracing subsystem: tracepoints, kprobes, uprobes.
 */
#ifndef _KERNEL_EVENTS_TRACEPOINT_H
#define _KERNEL_EVENTS_TRACEPOINT_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#ifdef CONFIG_EVENT_TRACING
bool perf_event_is_tracing(struct perf_event *event);
bool perf_event_has_uprobe(struct perf_event *event);
int perf_event_set_trace_filter(struct perf_event *event, char *text);
void __init perf_tracepoint_init(void);

/*
 * Free the filter of an event. Caller must have waited for a grace period after the event was
 * unlinked. Context: any.
 */
static inline void perf_event_free_trace_filter(struct perf_event *event)
{
	if (event->filter)
		ftrace_profile_free_filter(event);
}
#else
static inline bool perf_event_is_tracing(struct perf_event *event) { return false; }
static inline bool perf_event_has_uprobe(struct perf_event *event) { return false; }
static inline int perf_event_set_trace_filter(struct perf_event *event, char *text)
{
	return -ENOENT;
}

static inline void perf_event_free_trace_filter(struct perf_event *event) { }
static inline void perf_tracepoint_init(void) { }
#endif

#endif /* _KERNEL_EVENTS_TRACEPOINT_H */
