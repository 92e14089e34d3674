/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Map the buffer of an event and read its records:
 *
 *	struct perf_buf buf;
 *	const struct perf_event_header *rec;
 *	struct perf_rec out;
 *
 *	ASSERT_EQ(0, perf_buf_map(&buf, fd, 8));
 *	while ((rec = perf_buf_next(&buf))) {
 *		ASSERT_TRUE(perf_rec_parse(&attr, rec, &out));
 *		...
 *	}
 *	EXPECT_FALSE(buf.bad);
 *	perf_buf_unmap(&buf);
 *
 * Each record is copied out of the buffer, and its space is given back at once. The
 * copy that perf_buf_next() returns is valid until the next call.
 */
#ifndef PERF_TEST_BUFFER_H
#define PERF_TEST_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/perf_event.h>
#include <sys/types.h>

#include "record.h"

/**
 * struct perf_buf - The mapping of one event's buffer, and the reader's position
 * @meta: The control page.
 * @data: The records; NULL if there are 0 data pages.
 * @size: Bytes of @data.
 * @length: Bytes of the whole mapping.
 * @pos: Position of the next record.
 * @end: Reading stops here: data_head, or the end of a snapshot.
 * @writable: data_tail can be written.
 * @snapshot: perf_buf_snapshot() was called: data_head is not read again.
 * @bad: A record cannot be what its header says; reading has stopped there.
 * @record: The record that perf_buf_next() returned.
 */
struct perf_buf {
	struct perf_event_mmap_page *meta;
	unsigned char *data;
	size_t size;
	size_t length;
	__u64 pos;
	__u64 end;
	bool writable;
	bool snapshot;
	bool bad;
	union {
		struct perf_event_header header;
		__u64 word[(1 << 16) / sizeof(__u64)];
	} record;
};

int perf_buf_map_prot(struct perf_buf *buf, int fd, size_t data_pages, int prot);
int perf_buf_map(struct perf_buf *buf, int fd, size_t data_pages);
int perf_buf_unmap(struct perf_buf *buf);
int perf_try_map(int fd, size_t len, int prot, int flags, off_t offset);
int perf_try_pages(int fd, size_t pages);
long perf_pinned_kb(void);

__u64 perf_buf_head(const struct perf_buf *buf);
__u64 perf_buf_aux_head(const struct perf_buf *buf);
void perf_buf_set_tail(struct perf_buf *buf, __u64 tail);
__u64 perf_buf_fill(const struct perf_buf *buf);
void perf_buf_copy(const struct perf_buf *buf, __u64 pos, void *to, size_t len);
void perf_buf_touch(struct perf_buf *buf);

const struct perf_event_header *perf_buf_next(struct perf_buf *buf);
const struct perf_event_header *
perf_buf_next_of(struct perf_buf *buf, __u32 type);
int perf_buf_count(struct perf_buf *buf);
void perf_buf_drop(struct perf_buf *buf);
void perf_buf_snapshot(struct perf_buf *buf);
bool perf_buf_works(struct perf_buf *buf, int fd);

#endif /* PERF_TEST_BUFFER_H */
