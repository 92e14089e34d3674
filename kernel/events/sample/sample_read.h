/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts in a record.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_READ_H
#define _KERNEL_EVENTS_SAMPLE_READ_H

#include <linux/perf_event.h>

u64 perf_read_here(struct perf_event *event);
unsigned int perf_read_nr(struct perf_event *event);
void perf_read_put(struct perf_output_handle *handle, struct perf_event *event,
		   unsigned int nr, bool current_counts);

/**
 * perf_read_size() - compute the number of bytes that a read returns
 * @read_format: PERF_FORMAT_*
 * @nr_members: number of events in the group; ignored without PERF_FORMAT_GROUP
 *
 * Return: bytes.
 */
static inline size_t perf_read_size(u64 read_format, unsigned int nr_members)
{
	unsigned int once = !!(read_format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			    !!(read_format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned int each = 1 + !!(read_format & PERF_FORMAT_ID) +
			    !!(read_format & PERF_FORMAT_LOST);

	if (read_format & PERF_FORMAT_GROUP)
		return sizeof(u64) * (1 + once + (size_t)each * nr_members);
	return sizeof(u64) * (once + each);
}

#endif /* _KERNEL_EVENTS_SAMPLE_READ_H */
