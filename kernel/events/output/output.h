/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing a record: one reservation, stores, one publish.
 *
 *	if (perf_output_begin(&handle, NULL, event, size))
 *		return;
 *	perf_output_u64(&handle, ...);
 *	perf_output_mem(&handle, ..., ...);
 *	perf_output_end(&handle);
 *
 * Exactly @size bytes must be written, a multiple of eight. A record is either written as a
 * whole, or counted as lost by perf_output_begin(). Preemption is off between begin and end,
 * so nothing in between may sleep.
 *
 * __always_inline: see sample/sample.c.
 *
 * Context: any, NMI included, on the CPU that writes to the buffer. See ring_buffer.h.
 */
#ifndef _KERNEL_EVENTS_OUTPUT_H
#define _KERNEL_EVENTS_OUTPUT_H

#include <linux/perf_event.h>

void perf_output_next_chunk(struct perf_output_handle *handle);
void perf_output_mem(struct perf_output_handle *handle, const void *from,
		     unsigned int len);
void perf_output_zero(struct perf_output_handle *handle, unsigned int len);
unsigned int perf_output_user(struct perf_output_handle *handle,
			      const void __user *from, unsigned int len);
unsigned int perf_output_copy(struct perf_output_handle *handle, perf_copy_f copy,
			      const void *from, unsigned int len);

/**
 * perf_output_u64() - write eight bytes
 * @handle: an open handle, at a multiple of eight bytes
 * @value: the eight bytes
 */
static __always_inline void perf_output_u64(struct perf_output_handle *handle,
					    u64 value)
{
	*(u64 *)handle->addr = value;
	handle->addr += sizeof(u64);
	handle->size -= sizeof(u64);
	if (unlikely(!handle->size))
		perf_output_next_chunk(handle);
}

/**
 * perf_output_fits() - can several words be written in place?
 * @handle: an open handle, at a multiple of eight bytes
 * @len: number of bytes
 *
 * If so, the caller writes them to handle->addr and calls perf_output_placed().
 *
 * Return: true if the chunk has room for @len bytes, and is not full after that.
 */
static __always_inline bool perf_output_fits(const struct perf_output_handle *handle,
					     unsigned int len)
{
	return likely(handle->size > len);
}

/**
 * perf_output_placed() - advance the handle over words written in place
 * @handle: the handle, after perf_output_fits() returned true
 * @end: end of the written words, within the checked length
 */
static inline void perf_output_placed(struct perf_output_handle *handle,
				      u64 *end)
{
	handle->size -= (void *)end - handle->addr;
	handle->addr = end;
}

/**
 * perf_output_words() - write several words in place
 * @out: destination, within what perf_output_fits() has checked
 * @from: the words
 * @nr: number of words, mostly too small to be worth a call of memcpy()
 *
 * Return: end of the written words, for perf_output_placed().
 */
static inline u64 *perf_output_words(u64 *out, const u64 *from,
				     unsigned long nr)
{
	unsigned long i, whole = round_down(nr, 4);

	for (i = 0; i != whole; i += 4)
		memcpy(out + i, from + i, 4 * sizeof(u64));
	for (; i != nr; i++)
		out[i] = from[i];
	return out + nr;
}

/* Write two 32-bit members of a record, in memory order. */
static __always_inline void perf_output_u32_pair(struct perf_output_handle *handle,
						 u32 first, u32 second)
{
	union {
		u32 half[2];
		u64 whole;
	} both = { .half = { first, second } };

	perf_output_u64(handle, both.whole);
}

static __always_inline void
perf_output_header(struct perf_output_handle *handle,
		   const struct perf_event_header *header)
{
	union {
		struct perf_event_header header;
		u64 whole;
	} both = { .header = *header };

	static_assert(sizeof(*header) == sizeof(u64));
	perf_output_u64(handle, both.whole);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
DECLARE_STATIC_KEY_FALSE(perf_output_test_on);
extern void (*perf_output_test_hook)(void);
#endif

#endif /* _KERNEL_EVENTS_OUTPUT_H */
