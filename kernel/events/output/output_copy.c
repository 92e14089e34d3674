// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of a record are copied into reserved space, which may consist of several chunks.
 *
 * Context: between perf_output_begin() and perf_output_end(), NMI included.
 */
#include <linux/minmax.h>
#include <linux/uaccess.h>

#include "output.h"
#include "ring_buffer.h"

/**
 * perf_output_next_chunk() - move to the next chunk when the current one is full
 * @handle: an open handle
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_output_next_chunk(struct perf_output_handle *handle)
{
	const struct perf_buffer *rb = handle->rb;
	unsigned long last = rb->mask >> rb->chunk_shift;

	handle->page = (handle->page + 1) & last;
	handle->addr = rb->chunks[handle->page];
	handle->size = 1UL << rb->chunk_shift;
}

static void perf_output_advance(struct perf_output_handle *handle,
				unsigned int len)
{
	handle->addr += len;
	handle->size -= len;
	if (!handle->size)
		perf_output_next_chunk(handle);
}

/**
 * perf_output_copy() - write bytes with a copy function
 * @handle: an open handle
 * @copy: copy function; returns the number of bytes not copied
 * @from: source, passed to @copy
 * @len: number of bytes
 *
 * Stops at the first byte that cannot be copied.
 *
 * Context: between perf_output_begin() and perf_output_end().
 * Return: number of bytes not written.
 */
unsigned int perf_output_copy(struct perf_output_handle *handle, perf_copy_f copy,
			      const void *from, unsigned int len)
{
	unsigned long offset = 0;
	unsigned int piece, left;

	while (len) {
		piece = min_t(unsigned long, len, handle->size);
		left = copy(handle->addr, from, offset, piece);
		perf_output_advance(handle, piece - left);
		offset += piece - left;
		len -= piece - left;
		if (left)
			break;
	}
	return len;
}

/**
 * perf_output_mem() - write bytes from kernel memory
 * @handle: an open handle
 * @from: kernel memory
 * @len: number of bytes
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_output_mem(struct perf_output_handle *handle, const void *from,
		     unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece, from += piece) {
		piece = min_t(unsigned long, len, handle->size);
		memcpy(handle->addr, from, piece);
		perf_output_advance(handle, piece);
	}
}

/**
 * perf_output_zero() - write zeroes
 * @handle: an open handle
 * @len: number of bytes
 *
 * Context: between perf_output_begin() and perf_output_end().
 */
void perf_output_zero(struct perf_output_handle *handle, unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece) {
		piece = min_t(unsigned long, len, handle->size);
		memset(handle->addr, 0, piece);
		perf_output_advance(handle, piece);
	}
}

/**
 * perf_output_user() - write bytes from current's user memory
 * @handle: an open handle
 * @from: user memory
 * @len: number of bytes
 *
 * Does not handle faults: stops at the first page that is not present.
 *
 * Context: between perf_output_begin() and perf_output_end().
 * Return: number of bytes not written.
 */
unsigned int perf_output_user(struct perf_output_handle *handle,
			      const void __user *from, unsigned int len)
{
	unsigned int piece;

	for (; len; len -= piece, from += piece) {
		piece = min_t(unsigned long, len, handle->size);
		piece = min_t(unsigned long, piece,
			      PAGE_SIZE - offset_in_page(from));
		if (copy_from_user_nofault(handle->addr, from, piece))
			break;
		perf_output_advance(handle, piece);
	}
	return len;
}
