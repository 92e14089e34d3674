// SPDX-License-Identifier: GPL-2.0
#include "buffer.h"
#include "perf_test.h"

/**
 * perf_buf_map_prot() - Map an event's buffer
 * @buf: The buffer.
 * @fd: The event.
 * @data_pages: Data pages; the control page comes in addition.
 * @prot: PROT_*. Without PROT_WRITE the kernel overwrites old records.
 *
 * Return: 0, or a negative errno.
 */
int perf_buf_map_prot(struct perf_buf *buf, int fd, size_t data_pages, int prot)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *p;

	memset(buf, 0, offsetof(struct perf_buf, record));
	buf->length = (1 + data_pages) * page;
	p = mmap(NULL, buf->length, prot, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	buf->meta = p;
	buf->size = data_pages * page;
	if (data_pages)
		buf->data = (unsigned char *)p + page;
	buf->writable = prot & PROT_WRITE;
	return 0;
}

/**
 * perf_buf_map() - Map an event's buffer to be read and written
 * @buf: The buffer.
 * @fd: The event.
 * @data_pages: Data pages; the control page comes in addition.
 *
 * Return: 0, or a negative errno.
 */
int perf_buf_map(struct perf_buf *buf, int fd, size_t data_pages)
{
	return perf_buf_map_prot(buf, fd, data_pages, PROT_READ | PROT_WRITE);
}

/**
 * perf_buf_unmap() - Unmap a buffer
 * @buf: The buffer.
 *
 * Return: 0, or a negative errno.
 */
int perf_buf_unmap(struct perf_buf *buf)
{
	return munmap(buf->meta, buf->length) ? -errno : 0;
}

/**
 * perf_try_map() - Map an event and unmap it
 * @fd: The event.
 * @len: As for mmap().
 * @prot: As for mmap().
 * @flags: As for mmap().
 * @offset: As for mmap().
 *
 * Return: 0, or a negative errno.
 */
int perf_try_map(int fd, size_t len, int prot, int flags, off_t offset)
{
	void *p = mmap(NULL, len, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	return munmap(p, len) ? -errno : 0;
}

/**
 * perf_try_pages() - Map some pages of an event and unmap them
 * @fd: The event.
 * @pages: Number of pages, the control page included.
 *
 * Return: 0, or a negative errno.
 */
int perf_try_pages(int fd, size_t pages)
{
	return perf_try_map(fd, pages * sysconf(_SC_PAGESIZE),
			    PROT_READ | PROT_WRITE, MAP_SHARED, 0);
}

/**
 * perf_pinned_kb() - Get what is charged to the process beyond its user's limit
 *
 * Return: Kilobytes, or -1.
 */
long perf_pinned_kb(void)
{
	char text[8192], *at;

	if (file_read("/proc/self/status", text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, "VmPin:");
	return at ? atol(at + sizeof("VmPin:") - 1) : -1;
}

/**
 * perf_buf_head() - Read data_head
 * @buf: The buffer.
 *
 * Loads of records that come later see all that the kernel wrote up to there.
 *
 * Return: The position behind the last record.
 */
__u64 perf_buf_head(const struct perf_buf *buf)
{
	return __atomic_load_n(&buf->meta->data_head, __ATOMIC_ACQUIRE);
}

/**
 * perf_buf_aux_head() - Read aux_head
 * @buf: The buffer. Loads of the AUX area that come later see all up to there.
 *
 * Return: The position behind the last byte of the AUX area that was written.
 */
__u64 perf_buf_aux_head(const struct perf_buf *buf)
{
	return __atomic_load_n(&buf->meta->aux_head, __ATOMIC_ACQUIRE);
}

/**
 * perf_buf_set_tail() - Write data_tail, if the mapping is writable
 * @buf: The buffer.
 * @tail: From here on the kernel must not overwrite. Loads of records before that
 *	position are complete when the kernel sees the new value.
 */
void perf_buf_set_tail(struct perf_buf *buf, __u64 tail)
{
	if (buf->writable)
		__atomic_store_n(&buf->meta->data_tail, tail, __ATOMIC_RELEASE);
}

/**
 * perf_buf_fill() - Get the number of bytes that were not read yet
 * @buf: The buffer.
 *
 * Return: Bytes.
 */
__u64 perf_buf_fill(const struct perf_buf *buf)
{
	return perf_buf_head(buf) - buf->pos;
}

/**
 * perf_buf_touch() - Fault in the pages of a buffer
 * @buf: The buffer.
 *
 * For events that sample page faults: the pages do not fault later.
 */
void perf_buf_touch(struct perf_buf *buf)
{
	size_t page = sysconf(_SC_PAGESIZE), at;

	(void)*(volatile __u64 *)&buf->meta->data_head;
	if (buf->writable)
		*(volatile __u64 *)&buf->meta->data_tail = buf->pos;
	for (at = 0; at < buf->size; at += page)
		(void)*(volatile unsigned char *)(buf->data + at);
}

/**
 * perf_buf_copy() - Copy out of a buffer, around its end
 * @buf: The buffer.
 * @pos: Position of the first byte, as in data_head.
 * @to: Where the bytes go.
 * @len: Their number.
 */
void perf_buf_copy(const struct perf_buf *buf, __u64 pos, void *to, size_t len)
{
	size_t at = pos & (buf->size - 1), first = buf->size - at;

	if (first > len)
		first = len;
	memcpy(to, buf->data + at, first);
	memcpy((unsigned char *)to + first, buf->data, len - first);
}

/**
 * perf_buf_next() - Read a record
 * @buf: The buffer.
 *
 * Return: The record, or NULL if all were read or one is damaged (@buf->bad).
 */
const struct perf_event_header *perf_buf_next(struct perf_buf *buf)
{
	struct perf_event_header *header = &buf->record.header;

	if (!buf->snapshot)
		buf->end = perf_buf_head(buf);
	if (buf->bad || !buf->data || buf->pos == buf->end)
		return NULL;
	/* A head that went back, or ran over what was not read. */
	if (buf->writable && buf->end - buf->pos > buf->size) {
		buf->bad = true;
		return NULL;
	}
	perf_buf_copy(buf, buf->pos, header, sizeof(*header));
	if (header->size < sizeof(*header) || header->size % 8 ||
	    header->size > buf->end - buf->pos) {
		buf->bad = !buf->snapshot;
		return NULL;
	}
	perf_buf_copy(buf, buf->pos, header, header->size);
	buf->pos += header->size;
	if (!buf->snapshot)
		perf_buf_set_tail(buf, buf->pos);
	return header;
}

/**
 * perf_buf_next_of() - Read records up to one of a type
 * @buf: The buffer.
 * @type: PERF_RECORD_*.
 *
 * Return: The record, or NULL if there is none or one is damaged (@buf->bad).
 */
const struct perf_event_header *
perf_buf_next_of(struct perf_buf *buf, __u32 type)
{
	const struct perf_event_header *header;

	do {
		header = perf_buf_next(buf);
	} while (header && header->type != type);
	return header;
}

/**
 * perf_buf_count() - Read and count all records
 * @buf: The buffer.
 *
 * Return: The number of records, or -1 if one is damaged.
 */
int perf_buf_count(struct perf_buf *buf)
{
	int n = 0;

	while (perf_buf_next(buf))
		n++;
	return buf->bad ? -1 : n;
}

/**
 * perf_buf_drop() - Skip all records that were not read yet
 * @buf: The buffer.
 */
void perf_buf_drop(struct perf_buf *buf)
{
	buf->pos = perf_buf_head(buf);
	perf_buf_set_tail(buf, buf->pos);
}

/**
 * perf_buf_snapshot() - Begin to read a buffer that is written backward
 * @buf: The buffer. Its writer must be paused or disabled.
 *
 * perf_buf_next() goes from the youngest record to the oldest one that is complete.
 * Where the buffer never was written a header has the size 0.
 */
void perf_buf_snapshot(struct perf_buf *buf)
{
	buf->pos = perf_buf_head(buf);
	buf->end = buf->pos + buf->size;
	buf->snapshot = true;
}

/**
 * perf_buf_works() - Check that three faults are three records
 * @buf: The buffer of @fd.
 * @fd: A disabled event that samples each page fault.
 *
 * Return: True if they are.
 */
bool perf_buf_works(struct perf_buf *buf, int fd)
{
	stay_resident();
	perf_buf_touch(buf);
	perf_buf_drop(buf);
	perf_fault(fd, 3);
	return perf_buf_count(buf) == 3;
}
