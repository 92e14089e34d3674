/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86: counters that a program reads by itself.
 */
#ifndef PERF_TEST_RDPMC_H
#define PERF_TEST_RDPMC_H

#ifdef __x86_64__

#include <stdbool.h>
#include <linux/perf_event.h>

/**
 * rdpmc() - Read a counter
 * @index: The counter, as the instruction numbers them.
 *
 * Return: The raw value.
 */
static inline __u64 rdpmc(__u32 index)
{
	__u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
	return (__u64)high << 32 | low;
}

/**
 * read_by_page() - Read a count as include/uapi/linux/perf_event.h describes
 * @page: The event's control page.
 * @value: Output, the count. It is not set if the event has no counter.
 *
 * Inline, because x86_counted counts its instructions.
 *
 * Return: True if the event had a counter.
 */
static inline bool read_by_page(const struct perf_event_mmap_page *page, __u64 *value)
{
	__u32 seq, index;
	__u64 count, raw;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = page->index;
		count = page->offset;
		if (!page->cap_user_rdpmc || !index)
			return false;
		raw = rdpmc(index - 1) << (64 - page->pmc_width);
		count += (__s64)raw >> (64 - page->pmc_width);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (seq != __atomic_load_n(&page->lock, __ATOMIC_RELAXED));
	*value = count;
	return true;
}

#endif /* __x86_64__ */

#endif /* PERF_TEST_RDPMC_H */
