/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading events.
 */
#ifndef _KERNEL_EVENTS_READ_H
#define _KERNEL_EVENTS_READ_H

#include <linux/perf_event.h>

/**
 * struct perf_event_value - count and times of an event
 * @count: occurrences
 * @enabled: time enabled, ns
 * @running: time running, ns
 */
struct perf_event_value {
	u64 count;
	u64 enabled;
	u64 running;
};

void perf_read_own(struct perf_event *event, struct perf_event_value *value);
bool perf_read_admit(struct perf_event *leader, struct perf_event *joining);
ssize_t perf_event_read_file(struct file *file, char __user *buf, size_t count,
			     loff_t *ppos);

#endif /* _KERNEL_EVENTS_READ_H */
