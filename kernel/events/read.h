/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading events.
 */
#ifndef _KERNEL_EVENTS_READ_H
#define _KERNEL_EVENTS_READ_H

#include <linux/perf_event.h>

/**
 * struct perf_event_value - what an event has counted
 * @count: occurrences
 * @enabled: ns
 * @running: ns
 */
struct perf_event_value {
	u64 count;
	u64 enabled;
	u64 running;
};

size_t perf_read_size(u64 read_format, unsigned int nr_members);
bool perf_read_fits(struct perf_event *leader, struct perf_event *joining);
void perf_read_own(struct perf_event *event, struct perf_event_value *value);
u64 perf_read_here(struct perf_event *event);
ssize_t perf_event_read_file(struct file *file, char __user *buf, size_t count,
			     loff_t *ppos);

/* sample_read.c: in a record */
unsigned int perf_read_nr(struct perf_event *event);
void perf_read_put(struct perf_output_handle *handle, struct perf_event *event,
		   unsigned int nr, bool current_counts);

#endif /* _KERNEL_EVENTS_READ_H */
