/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control page of a buffer.
 */
#ifndef _KERNEL_EVENTS_USERPAGE_H
#define _KERNEL_EVENTS_USERPAGE_H

#include <linux/perf_event.h>

struct perf_buffer;

void perf_userpage_write(struct perf_event *event, struct perf_buffer *rb,
			 u32 index, u64 now);
void perf_userpage_freeze(struct perf_event *event, struct perf_buffer *rb, u64 now);
void perf_userpage_freeze_moving(struct perf_event *event, struct perf_buffer *rb, u64 now);

/* Called when an event starts or stops counting. */
static inline void perf_userpage_changed(struct perf_event *event)
{
	if (unlikely(event->mmap_count))
		perf_event_update_userpage(event);
}

#endif /* _KERNEL_EVENTS_USERPAGE_H */
