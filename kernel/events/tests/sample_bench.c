// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: an event with a buffer, to take samples and read the bytes that were written.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>

#include "../base/event.h"
#include "../lifetime/event.h"
#include "../output/ring_buffer.h"
#include "../overflow/overflow.h"
#include "../sample/sample.h"
#include "sample_bench.h"

#define TEST_PAGES	32

static u64 bench_clock(void)
{
	return 4711;
}

struct perf_event *bench_event(struct kunit *test, u64 id)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->id = id;
	event->ns = &init_pid_ns;
	event->clock = bench_clock;
	event->attr.use_clockid = 1;
	event->group_leader = event;
	event->state = PERF_EVENT_STATE_OFF;
	INIT_LIST_HEAD(&event->sibling_list);
	perf_event_overflow_init(event);
	return event;
}

struct bench *bench_init(struct kunit *test, u64 type)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	b->test = test;
	b->event = bench_event(test, 77);
	b->data = kunit_kzalloc(test, sizeof(*b->data), GFP_KERNEL);
	b->regs = kunit_kzalloc(test, sizeof(*b->regs), GFP_KERNEL);
	b->record = kunit_kzalloc(test, U16_MAX + 1, GFP_KERNEL);
	b->rb = perf_rb_alloc(TEST_PAGES, -1);
	KUNIT_ASSERT_TRUE(test, b->data && b->regs && b->record && b->rb);

	b->rb->watermark = perf_rb_bytes(b->rb);
	rcu_assign_pointer(b->event->rb, b->rb);
	b->event->attr.sample_type = type;
	perf_sample_compile(b->event);
	perf_sample_data_init(b->data, 0, 9);
	perf_fetch_caller_regs(b->regs);
	return b;
}

void bench_exit(struct bench *b)
{
	perf_event_overflow_flush(b->event);
	perf_wake_sync(&b->rb->wake_polled);
	RCU_INIT_POINTER(b->event->rb, NULL);
	perf_rb_free(b->rb);
}

static u64 bench_word(const struct bench *b, u64 at)
{
	unsigned int shift = b->rb->chunk_shift;

	at &= b->rb->mask;
	return *(u64 *)(b->rb->chunks[at >> shift] + (at & ((1UL << shift) - 1)));
}

/* Read all bytes from @start on into b->record. Return: their number. */
unsigned int bench_read(struct bench *b, u64 start)
{
	u64 end = b->rb->user_page->data_head;

	KUNIT_ASSERT_LE(b->test, end - start, U16_MAX);
	for (u64 at = start; at < end; at += sizeof(u64))
		b->record[(at - start) / sizeof(u64)] = bench_word(b, at);
	b->rb->user_page->data_tail = end;
	return end - start;
}

/* Take a sample, and expect that exactly this record is written. Return: its size. */
unsigned int bench_take(struct bench *b)
{
	u64 start = b->rb->user_page->data_head;
	struct perf_event_header header;
	unsigned int size;

	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(b->test, 0,
				perf_event_output(b->event, b->data, b->regs));
	size = bench_read(b, start);
	memcpy(&header, b->record, sizeof(header));
	KUNIT_EXPECT_EQ(b->test, header.type, PERF_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(b->test, header.size, size);
	return size;
}

u16 bench_misc(const struct bench *b)
{
	struct perf_event_header header;

	memcpy(&header, b->record, sizeof(header));
	return header.misc;
}
