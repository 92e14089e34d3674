/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86 and arm64: counters that a program reads by itself.
 *
 * They differ in the instruction, in the file that allows it, and in the permission. On x86 a
 * program has the permission while it has an event mapped that offers its counter. On arm64 a task
 * has it while it has an event that asked for that.
 */
#ifndef PERF_TEST_USER_ACCESS_H
#define PERF_TEST_USER_ACCESS_H

#include <stdbool.h>
#include <linux/perf_event.h>

#define USER_ACCESS_SYSCTL	"/proc/sys/kernel/perf_user_access"

/* attr.config of cycles, which every PMUv3 counts */
#define PMUV3_CYCLES	0x11

/* A counter that any CPU has, as read_register() numbers them */
#if defined(__aarch64__)
#define ANY_REGISTER	32
#else
#define ANY_REGISTER	1
#endif

/**
 * struct user_access - An event with a counter that programs can read
 * @attr: Its attributes.
 * @file: The file that allows it, or NULL.
 * @before: What the file had before.
 */
struct user_access {
	struct perf_event_attr attr;
	const char *file;
	long before;
};

#if defined(__x86_64__)
/**
 * rdpmc() - Read a counter
 * @number: The counter, as the instruction numbers them.
 *
 * Return: The raw value.
 */
static inline __u64 rdpmc(__u32 number)
{
	__u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (number));
	return (__u64)high << 32 | low;
}
#endif

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
#elif defined(__x86_64__)
	value = rdpmc(index - 1);
#endif
	return value;
}

/**
 * read_self() - Read a count by the protocol of the control page
 * @page: The event's control page.
 * @count: Output, the count. Without a counter it is the count at the last update.
 *
 * Inline, because x86_counted counts its instructions.
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

int user_access_allow(struct user_access *access);
void user_access_restore(const struct user_access *access);
int try_register(unsigned int index);
void load_address_space(void);
bool permission_is(bool mapped);

#endif /* PERF_TEST_USER_ACCESS_H */
