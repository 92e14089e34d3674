/* SPDX-License-Identifier: GPL-2.0 */
/*
 * KUnit: an event with a buffer, to take samples and read the bytes that were written.
 */
#ifndef _KERNEL_EVENTS_SAMPLE_BENCH_H
#define _KERNEL_EVENTS_SAMPLE_BENCH_H

#include <kunit/test.h>
#include <linux/perf_event.h>

#include "../output/ring_buffer.h"
#include "../output/sample_id.h"

/**
 * struct bench - an event with a buffer, and a sample for it
 * @test: the test
 * @event: the event
 * @rb: buffer of the event
 * @data: the sample
 * @regs: registers of the kernel
 * @record: the last record, see bench_take()
 */
struct bench {
	struct kunit		*test;
	struct perf_event	*event;
	struct perf_buffer	*rb;
	struct perf_sample_data	*data;
	struct pt_regs		*regs;
	u64			*record;
};

struct perf_event *bench_event(struct kunit *test, u64 id);
struct bench *bench_init(struct kunit *test, u64 type);
void bench_exit(struct bench *b);
unsigned int bench_read(struct bench *b, u64 start);
unsigned int bench_take(struct bench *b);
u16 bench_misc(const struct bench *b);

static inline u64 words(u32 first, u32 second)
{
	return perf_id_pair(first, second);
}

/* The first of the two values that words() joins, in either byte order. */
static inline u32 first_word(u64 both)
{
	u32 word;

	memcpy(&word, &both, sizeof(word));
	return word;
}

#endif /* _KERNEL_EVENTS_SAMPLE_BENCH_H */
