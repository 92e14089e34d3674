// SPDX-License-Identifier: GPL-2.0
/*
 * Simulated code besides the subsystem's own: a writer, the way of a side-band record, and copying.
 * Has points, as the subsystem's files have.
 */
#include "ring.h"

#include "kernel/events/output/output_writer.h"
#include "kernel/events/output/sample_id.h"
#include "kernel/events/trace/aux.h"

void *ring_memcpy(void *to, const void *from, size_t n);
void *ring_memset(void *at, int byte, size_t n);

void *ring_memcpy(void *to, const void *from, size_t n)
{
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		WRITE_ONCE(*(u64 *)(to + i), *(const u64 *)(from + i));
	for (; i < n; i++)
		WRITE_ONCE(*(u8 *)(to + i), *(const u8 *)(from + i));
	return to;
}

void *ring_memset(void *at, int byte, size_t n)
{
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		WRITE_ONCE(*(u64 *)(at + i), (u8)byte * 0x0101010101010101ULL);
	for (; i < n; i++)
		WRITE_ONCE(*(u8 *)(at + i), byte);
	return at;
}

/* The same calls in the same order as in perf_sideband_write(). */
void perf_sideband_aux(struct perf_event *event, u64 offset, u64 size, u64 flags)
{
	u64 numbers[] = { offset, size, flags };
	struct perf_output_handle handle;
	struct perf_event_header header = {
		.type = PERF_RECORD_AUX,
		.size = sizeof(header) + sizeof(numbers) + perf_sample_id_size(event),
	};

	if (perf_output_begin(&handle, NULL, event, header.size))
		return;
	perf_output_header(&handle, &header);
	perf_output_mem(&handle, numbers, sizeof(numbers));
	perf_sample_id_put(&handle, event);
	perf_output_end(&handle);
}

static unsigned long copy_words(void *dst, const void *src, unsigned long off, unsigned long len)
{
	ring_memcpy(dst, src + off, len);
	return 0;
}

/* The words of a record are a part of a table, or zero. Each function that writes has its turn. */
static void put_words(struct perf_output_handle *handle, unsigned int number, unsigned int nr)
{
	const u64 *from = words + number % (NR_WORDS / 2);
	unsigned int i;

	switch (number % 6) {
	case 0:
		for (i = 0; i < nr; i++)
			perf_output_u64(handle, from[i]);
		return;
	case 1:
		if (perf_output_fits(handle, nr * sizeof(u64))) {
			perf_output_placed(handle, perf_output_words(handle->addr, from, nr));
			return;
		}
		break;
	case ZERO_TURN:
		perf_output_zero(handle, nr * sizeof(u64));
		return;
	case 3:
		perf_output_copy(handle, copy_words, from, nr * sizeof(u64));
		return;
	case 4:
		perf_output_user(handle, from, nr * sizeof(u64));
		return;
	}
	perf_output_mem(handle, from, nr * sizeof(u64));
}

/**
 * ring_write() - write a record
 * @write: the record; its members err and start are set
 * @number: its number, which is its first word
 */
void ring_write(struct write *write, unsigned int number)
{
	struct perf_event *event = &events[write->event];
	unsigned int id_size = write->sample ? 0 : perf_sample_id_size(event);
	struct perf_output_handle handle;
	struct perf_event_header header = {
		.type = write->sample ? PERF_RECORD_SAMPLE : PERF_RECORD_COMM,
		.size = write->size,
	};

	if (write->sample && write->size)
		write->err = perf_output_begin_sample(&handle, event, write->size);
	else
		write->err = perf_output_begin(&handle, NULL, event, write->size);
	if (write->err)
		return;
	write->start = ((unsigned long)handle.page << PAGE_SHIFT) +
		       (PAGE_SIZE - handle.size);
	perf_output_header(&handle, &header);
	perf_output_u64(&handle, number);
	if (write->aux)
		perf_output_copy_aux(&aux_handle, &handle, write->piece,
				     write->piece + write->size - 2 * sizeof(u64));
	else
		put_words(&handle, number, (write->size - id_size) / sizeof(u64) - 2);
	if (!write->sample)
		perf_sample_id_put(&handle, event);
	perf_output_end(&handle);
}
