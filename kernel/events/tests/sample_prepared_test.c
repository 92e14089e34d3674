// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of samples that a driver writes by itself: perf_prepare_sample() and its
 * neighbours in sample.c. They must write what perf_event_output() writes.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../base/event.h"
#include "../sample/sample.h"
#include "../sample/sample_fields.h"
#include "sample_bench.h"

#define ALL_BITS	((u64)PERF_SAMPLE_MAX - 1)

/* Words of the fields in a record with a header and all leading fields. */
#define AT_IP		2
#define AT_TID		3
#define AT_TIME		4
#define AT_CPU		8

/**
 * struct source - fields that a driver has
 * @raw: RAW
 * @branches: BRANCH_STACK, of one branch
 * @chain: CALLCHAIN, of two addresses
 */
struct source {
	struct perf_raw_record		raw;
	struct perf_branch_stack	*branches;
	struct perf_callchain_entry	*chain;
};

static struct source *source_init(struct kunit *test)
{
	struct source *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->branches = kunit_kzalloc(test, struct_size(s->branches, entries, 1), GFP_KERNEL);
	s->chain = kunit_kzalloc(test, struct_size(s->chain, ip, 2), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, s->branches && s->chain);

	s->raw.frag.data = "twelve bytes";
	s->raw.frag.size = 12;
	s->branches->nr = 1;
	s->branches->entries[0] = (struct perf_branch_entry) { .from = 1, .to = 2 };
	s->chain->nr = 2;
	s->chain->ip[0] = 3;
	s->chain->ip[1] = 4;
	return s;
}

/* A new sample of this type, with what the driver has. */
static void source_fill(struct bench *b, struct source *s, u64 type)
{
	b->event->attr.sample_type = type;
	/* the layout of the previous type is overwritten, even if there are no fields now */
	__perf_sample_compile(b->event);
	perf_sample_data_init(b->data, 0, 9);
	if (type & PERF_SAMPLE_RAW)
		perf_sample_save_raw_data(b->data, b->event, &s->raw);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		perf_sample_save_brstack(b->data, b->event, s->branches, NULL);
	b->data->callchain = s->chain;
	b->data->sample_flags |= type & PERF_SAMPLE_CALLCHAIN;
}

/* Write a sample as a driver does, and expect that exactly this record is written. */
static unsigned int write_prepared(struct bench *b, struct perf_event_header *header)
{
	u64 start = b->rb->user_page->data_head;
	struct perf_output_handle handle;
	unsigned int size;
	int err;

	err = perf_output_begin(&handle, b->data, b->event, header->size);
	KUNIT_EXPECT_EQ(b->test, err, 0);
	if (err)
		return 0;
	perf_output_sample(&handle, header, b->data, b->event);
	perf_output_end(&handle);
	size = bench_read(b, start);
	KUNIT_EXPECT_EQ(b->test, size, header->size);
	return size;
}

/* Both ways to write a sample of this type write the same bytes. */
static void check_same(struct kunit *test, struct bench *b, struct source *s, u64 type)
{
	struct perf_event_header header;
	unsigned int size;
	void *expected;

	guard(preempt)();
	source_fill(b, s, type);
	/* the bench has a clock that stands still, but no fixed CPU */
	b->data->cpu_entry.cpu = 3;
	b->data->sample_flags |= PERF_SAMPLE_CPU;
	size = bench_take(b);
	expected = kmemdup(b->record, size, GFP_ATOMIC);
	KUNIT_EXPECT_NOT_NULL(test, expected);
	if (!expected)
		return;

	source_fill(b, s, type);
	b->data->cpu_entry.cpu = 3;
	b->data->sample_flags |= PERF_SAMPLE_CPU;
	memset(b->record, 0, size);
	perf_prepare_sample(b->data, b->event, b->regs);
	perf_prepare_header(&header, b->data, b->event, b->regs);
	KUNIT_EXPECT_EQ_MSG(test, header.size, size, "type %llx", type);
	write_prepared(b, &header);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(b->record, expected, size), 0, "type %llx", type);
	kfree(expected);
}

static void same_as_output(struct kunit *test)
{
	struct bench *b = bench_init(test, 0);
	struct source *s = source_init(test);

	b->event->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	b->event->attr.sample_regs_user = 3;
	b->event->attr.sample_regs_intr = 3;
	b->event->attr.sample_stack_user = 64;
	for (int hidden = 0; hidden < 2; hidden++) {
		b->event->attr.exclude_kernel = hidden;
		check_same(test, b, s, 0);
		check_same(test, b, s, ALL_BITS);
		for (int bit = 0; BIT_ULL(bit) < PERF_SAMPLE_MAX; bit++) {
			check_same(test, b, s, BIT_ULL(bit));
			check_same(test, b, s, ALL_BITS & ~BIT_ULL(bit));
		}
	}
	bench_exit(b);
}

/* What the driver changes after the preparation is written. */
static void changed_fields(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_LEADING_BITS);
	struct perf_event_header header;
	u64 *r = b->record;

	preempt_disable();
	perf_prepare_sample(b->data, b->event, b->regs);
	KUNIT_EXPECT_EQ(test, b->data->ip, instruction_pointer(b->regs));
	KUNIT_EXPECT_EQ(test, b->data->tid_entry.pid, current->tgid);
	KUNIT_EXPECT_EQ(test, b->data->tid_entry.tid, current->pid);
	KUNIT_EXPECT_EQ(test, b->data->time, 4711);
	KUNIT_EXPECT_EQ(test, b->data->cpu_entry.cpu, smp_processor_id());
	perf_prepare_header(&header, b->data, b->event, b->regs);
	KUNIT_EXPECT_EQ(test, header.misc, PERF_RECORD_MISC_KERNEL);

	b->data->ip = 101;
	b->data->tid_entry.pid = 102;
	b->data->tid_entry.tid = 103;
	b->data->time = 104;
	b->data->cpu_entry.cpu = 105;
	header.misc = PERF_RECORD_MISC_USER;
	KUNIT_EXPECT_EQ(test, write_prepared(b, &header), 80);
	KUNIT_EXPECT_EQ(test, bench_misc(b), PERF_RECORD_MISC_USER);
	KUNIT_EXPECT_EQ(test, r[AT_IP], 101);
	KUNIT_EXPECT_EQ(test, r[AT_TID], words(102, 103));
	KUNIT_EXPECT_EQ(test, r[AT_TIME], 104);
	KUNIT_EXPECT_EQ(test, r[AT_CPU], words(105, 0));
	preempt_enable();
	bench_exit(b);
}

/* A sample without registers, in memory that was not initialised. */
static void only_an_address(struct kunit *test)
{
	struct bench *b = bench_init(test, ALL_BITS);
	struct perf_event_header header;
	u64 *r = b->record, *behind;

	preempt_disable();
	b->event->attr.sample_regs_user = 3;
	b->event->attr.sample_regs_intr = 3;
	b->event->attr.sample_stack_user = 64;
	memset(b->data, 0xa5, sizeof(*b->data));
	b->data->ip = 101;
	b->data->period = 102;
	perf_event_header__init(&header, b->data, PERF_RECORD_SAMPLE,
				PERF_RECORD_MISC_HYPERVISOR,
				sizeof(header) + b->event->header_size, b->event);
	KUNIT_EXPECT_EQ(test, header.type, PERF_RECORD_SAMPLE);
	write_prepared(b, &header);
	KUNIT_EXPECT_EQ(test, bench_misc(b), PERF_RECORD_MISC_HYPERVISOR);
	KUNIT_EXPECT_EQ(test, r[AT_IP], 101);
	KUNIT_EXPECT_EQ(test, r[AT_TID], words(current->tgid, current->pid));
	KUNIT_EXPECT_EQ(test, r[AT_TIME], 4711);
	KUNIT_EXPECT_EQ(test, r[AT_CPU], words(smp_processor_id(), 0));
	KUNIT_EXPECT_EQ(test, r[1 + PERF_SAMPLE_NR_LEADING - 1], 102);
	/* the count, no chain, RAW without data, no branches, no registers, no stack */
	behind = r + 1 + PERF_SAMPLE_NR_LEADING;
	KUNIT_EXPECT_EQ(test, behind[0], 0);
	KUNIT_EXPECT_EQ(test, behind[1], 0);
	KUNIT_EXPECT_EQ(test, behind[2], words(4, 0));
	KUNIT_EXPECT_EQ(test, behind[3], 0);
	KUNIT_EXPECT_EQ(test, behind[4], PERF_SAMPLE_REGS_ABI_NONE);
	KUNIT_EXPECT_EQ(test, behind[5], 0);

	/* without fields of variable size, the size is the one that the driver computes */
	b->event->attr.sample_type = ALL_BITS & ~PERF_SAMPLE_SIZED_BITS;
	__perf_sample_compile(b->event);
	perf_event_header__init(&header, b->data, PERF_RECORD_SAMPLE, 0,
				sizeof(header) + b->event->header_size, b->event);
	KUNIT_EXPECT_EQ(test, header.size, sizeof(header) + b->event->header_size);
	preempt_enable();
	bench_exit(b);
}

/* A sample that does not fit into a record is refused, and counts as lost. */
static void too_large(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_RAW);
	struct perf_raw_record raw = { .frag = { .size = U16_MAX } };
	struct perf_output_handle handle;
	struct perf_event_header header;

	preempt_disable();
	perf_sample_save_raw_data(b->data, b->event, &raw);
	perf_prepare_sample(b->data, b->event, b->regs);
	perf_prepare_header(&header, b->data, b->event, b->regs);
	KUNIT_EXPECT_EQ(test, -E2BIG,
			perf_output_begin(&handle, b->data, b->event, header.size));
	KUNIT_EXPECT_EQ(test, b->rb->user_page->data_head, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 1);
	preempt_enable();
	bench_exit(b);
}

/* These samples count for attr.wakeup_events. */
static void wakes_after_samples(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_IP);
	struct perf_event_header header;

	preempt_disable();
	b->event->attr.wakeup_events = 3;
	perf_prepare_sample(b->data, b->event, b->regs);
	perf_prepare_header(&header, b->data, b->event, b->regs);
	for (int i = 0; i < 7; i++) {
		KUNIT_EXPECT_EQ(test, local_read(&b->rb->nr_samples), i % 3);
		write_prepared(b, &header);
	}
	preempt_enable();
	bench_exit(b);
}

static struct kunit_case prepared_cases[] = {
	KUNIT_CASE(same_as_output),
	KUNIT_CASE(changed_fields),
	KUNIT_CASE(only_an_address),
	KUNIT_CASE(too_large),
	KUNIT_CASE(wakes_after_samples),
	{}
};

static struct kunit_suite prepared_suite = {
	.name		= "perf_events_sample_prepared",
	.test_cases	= prepared_cases,
};

kunit_test_suite(prepared_suite);
