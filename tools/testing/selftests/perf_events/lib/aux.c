// SPDX-License-Identifier: GPL-2.0
#include "aux.h"
#include "perf_test.h"

#define DATA_PAGES	8

/**
 * aux_announce() - Announce an AUX area behind the records of a buffer
 * @buf: The buffer.
 * @pages: Pages of the area.
 */
void aux_announce(struct perf_buf *buf, size_t pages)
{
	buf->meta->aux_offset = buf->length;
	buf->meta->aux_size = pages * page_size;
}

/**
 * aux_try_map() - Announce an AUX area behind the records of a buffer, map it and unmap it
 * @buf: The buffer.
 * @fd: An event that writes to it.
 * @pages: Pages of the area.
 * @prot: PROT_* of the area.
 *
 * Return: 0, or a negative errno.
 */
int aux_try_map(struct perf_buf *buf, int fd, size_t pages, int prot)
{
	aux_announce(buf, pages);
	return perf_try_map(fd, pages * page_size, prot, MAP_SHARED, buf->length);
}

/**
 * aux_map() - Map the records and the AUX area of an event
 * @area: The result.
 * @fd: The event.
 * @pages: Pages of the area.
 * @prot: PROT_* of the area: without PROT_WRITE it is overwritten.
 *
 * Return: 0, or a negative errno.
 */
int aux_map(struct aux_area *area, int fd, size_t pages, int prot)
{
	int err = perf_buf_map(&area->buf, fd, DATA_PAGES);

	if (err)
		return err;
	area->fd = fd;
	area->size = pages * page_size;
	aux_announce(&area->buf, pages);
	area->bytes = mmap(NULL, area->size, prot, MAP_SHARED, fd, area->buf.length);
	if (area->bytes != MAP_FAILED)
		return 0;
	err = -errno;
	perf_buf_unmap(&area->buf);
	return err;
}

/**
 * aux_unmap() - Unmap both, and close the event
 * @area: What aux_map() has mapped.
 */
void aux_unmap(struct aux_area *area)
{
	munmap(area->bytes, area->size);
	perf_buf_unmap(&area->buf);
	close(area->fd);
}

/**
 * aux_next() - Get the next PERF_RECORD_AUX
 * @area: The event.
 *
 * Return: Its body, valid until the next call, or NULL if there is none.
 */
const struct aux_news *aux_next(struct aux_area *area)
{
	const struct perf_event_header *header;

	header = perf_buf_next_of(&area->buf, PERF_RECORD_AUX);
	return header ? (const struct aux_news *)(header + 1) : NULL;
}

/**
 * aux_set_tail() - Give back the space of what was read
 * @area: The event.
 * @tail: The position before which everything was read.
 */
void aux_set_tail(struct aux_area *area, __u64 tail)
{
	__atomic_store_n(&area->buf.meta->aux_tail, tail, __ATOMIC_RELEASE);
}

/**
 * aux_copy() - Copy bytes of the trace, also around the end of the area
 * @area: The event.
 * @from: Position of the first byte.
 * @to: Where they go.
 * @size: Number of bytes, at most the size of the area.
 */
void aux_copy(const struct aux_area *area, __u64 from, void *to, size_t size)
{
	size_t at = from % area->size, first = area->size - at;

	if (first > size)
		first = size;
	memcpy(to, area->bytes + at, first);
	memcpy((unsigned char *)to + first, area->bytes, size - first);
}
