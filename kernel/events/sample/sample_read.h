/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts in a record.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_READ_H
#define _KERNEL_EVENTS_SAMPLE_READ_H

#include <linux/perf_event.h>

size_t perf_read_size(u64 read_format, unsigned int nr_members);
u64 perf_read_here(struct perf_event *event);
unsigned int perf_read_nr(struct perf_event *event);
void perf_read_put(struct perf_output_handle *handle, struct perf_event *event,
		   unsigned int nr, bool current_counts);

#endif /* _KERNEL_EVENTS_SAMPLE_READ_H */
