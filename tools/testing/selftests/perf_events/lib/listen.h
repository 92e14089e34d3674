/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event together with its attributes and its buffer:
 *
 *	struct perf_listener l;
 *
 *	ASSERT_EQ(0, perf_listen_self(&l, attr));
 *	...
 *	while (perf_listen_next(&l))
 *		EXPECT_EQ(getpid(), l.rec.pid);
 *	EXPECT_EQ(0, perf_listen_end(&l));
 */
#ifndef PERF_TEST_LISTEN_H
#define PERF_TEST_LISTEN_H

#include "buffer.h"

#define PERF_LISTEN_PAGES	64

/**
 * struct perf_listener - An event and the buffer with its records
 * @attr: Attributes that it was opened with.
 * @fd: The event.
 * @header: The record that was read last, inside of @buf.
 * @rec: The parsed record.
 * @damaged: Number of records that had not the size that follows from @attr.
 * @buf: The buffer.
 */
struct perf_listener {
	struct perf_event_attr attr;
	int fd;
	const struct perf_event_header *header;
	struct perf_rec rec;
	unsigned int damaged;
	struct perf_buf buf;
};

int perf_listen_pages(struct perf_listener *l, struct perf_event_attr attr,
		      pid_t pid, int cpu, size_t pages);
int perf_listen(struct perf_listener *l, struct perf_event_attr attr, pid_t pid,
		int cpu);
int perf_listen_self(struct perf_listener *l, struct perf_event_attr attr);
bool perf_listen_next(struct perf_listener *l);
bool perf_listen_of(struct perf_listener *l, __u32 type);
const void *perf_listen_body(const struct perf_listener *l);
int perf_listen_count(struct perf_listener *l, __u32 type);
bool perf_listen_throttled(struct perf_listener *l, bool before);
int perf_listen_new_period(struct perf_listener *l, __u64 period);
int perf_listen_end(struct perf_listener *l);

#endif /* PERF_TEST_LISTEN_H */
