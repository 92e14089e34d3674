/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control page of a buffer.
 */
#ifndef _KERNEL_EVENTS_USERPAGE_H
#define _KERNEL_EVENTS_USERPAGE_H

#include <linux/perf_event.h>

struct perf_buffer;

void perf_userpage_init(struct perf_buffer *rb);
void perf_userpage_begin(struct perf_event *event, struct perf_buffer *rb);
void perf_userpage_moved(struct perf_event *event);
void perf_userpage_end(struct perf_event *event);

/*
 * Does user space read the event's counter by itself? Only PMUs that have a
 * number for it own hw.flags; in other events something else lies there.
 */
static inline bool perf_event_user_reads(const struct perf_event *event)
{
	return event->pmu->event_idx &&
	       event->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT;
}

/* weak, for architectures that grant it by task */
void arch_perf_user_reads(bool wants);

/* An event has begun or ceased to count. */
static inline void perf_userpage_changed(struct perf_event *event)
{
	if (unlikely(event->mmap_count))
		perf_event_update_userpage(event);
}

#endif /* _KERNEL_EVENTS_USERPAGE_H */
