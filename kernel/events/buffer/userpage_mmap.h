/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeping the control page of a mapped event up to date.
 */
#ifndef _KERNEL_EVENTS_USERPAGE_MMAP_H
#define _KERNEL_EVENTS_USERPAGE_MMAP_H

#include <linux/perf_event.h>

struct perf_buffer;

void perf_userpage_init(struct perf_buffer *rb);
void perf_userpage_begin(struct perf_event *event, struct perf_buffer *rb);
void perf_userpage_share(struct perf_event *event);
void perf_userpage_remapped(struct perf_buffer *rb, struct perf_event *event);
void perf_userpage_moved(struct perf_event *event);
void perf_userpage_leave(struct perf_event *event, struct perf_buffer *rb);
void perf_userpage_stop(struct perf_event *event, struct perf_buffer *rb);
void perf_userpage_rewrite(struct perf_event *event);
void perf_userpage_end(struct perf_event *event);

#endif /* _KERNEL_EVENTS_USERPAGE_MMAP_H */
