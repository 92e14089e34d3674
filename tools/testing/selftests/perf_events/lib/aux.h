/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Map the AUX area of an event behind its records.
 */
#ifndef PERF_TEST_AUX_H
#define PERF_TEST_AUX_H

#include <stddef.h>
#include <linux/perf_event.h>

#include "buffer.h"

/**
 * struct aux_news - The body of PERF_RECORD_AUX
 * @offset: Where the new bytes begin.
 * @size: Number of bytes.
 * @flags: PERF_AUX_FLAG_*.
 */
struct aux_news {
	__u64 offset;
	__u64 size;
	__u64 flags;
};

/**
 * struct aux_area - An event with its records and its AUX area
 * @fd: The event.
 * @buf: Its records.
 * @bytes: The area.
 * @size: Bytes of the area.
 */
struct aux_area {
	int fd;
	struct perf_buf buf;
	unsigned char *bytes;
	size_t size;
};

void aux_announce(struct perf_buf *buf, size_t pages);
int aux_try_map(struct perf_buf *buf, int fd, size_t pages, int prot);
int aux_map(struct aux_area *area, int fd, size_t pages, int prot);
void aux_unmap(struct aux_area *area);
const struct aux_news *aux_next(struct aux_area *area);
void aux_set_tail(struct aux_area *area, __u64 tail);
void aux_copy(const struct aux_area *area, __u64 from, void *to, size_t size);

#endif /* PERF_TEST_AUX_H */
