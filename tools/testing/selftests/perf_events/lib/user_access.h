/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64: counters that a program reads by itself.
 */
#ifndef PERF_TEST_USER_ACCESS_H
#define PERF_TEST_USER_ACCESS_H

#include <stdbool.h>
#include <linux/perf_event.h>

#define USER_ACCESS_SYSCTL	"/proc/sys/kernel/perf_user_access"

/* attr.config of cycles, which every PMUv3 counts */
#define PMUV3_CYCLES	0x11

/**
 * read_register() - Read a counter
 * @index: From the control page: the number of the counter plus one.
 *
 * Return: The raw value. 0 on other architectures.
 */
static inline __u64 read_register(unsigned int index)
{
	__u64 value = 0;

#if defined(__aarch64__)
	__u64 number = index - 1;

	if (index == 32)
		asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
	else
		asm volatile("msr pmselr_el0, %1\n\t"
			     "isb\n\t"
			     "mrs %0, pmxevcntr_el0" : "=r"(value) : "r"(number));
#endif
	return value;
}

/**
 * read_self() - Read a count by the protocol of the control page
 * @page: The event's control page.
 * @count: Output, the count. Without a counter it is that of the last update.
 *
 * Return: False while the event has no counter.
 */
static inline bool read_self(const struct perf_event_mmap_page *page, __u64 *count)
{
	__u32 seq, index;
	__u16 width;
	__s64 value;

	do {
		seq = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		index = page->index;
		*count = page->offset;
		if (index) {
			width = page->pmc_width;
			value = read_register(index);
			value = (__s64)((__u64)value << (64 - width)) >> (64 - width);
			*count += value;
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != seq || seq & 1);

	return index;
}

#endif /* PERF_TEST_USER_ACCESS_H */
