// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of sample.c, sample_fields.c and their neighbours: the table of fields, the layout
 * of an event's samples, and the bytes that are written to a buffer.
 */
#include <kunit/test.h>
#include <linux/io.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../base/event.h"
#include "../output/sample_id.h"
#include "../sample/sample.h"
#include "../sample/sample_fields.h"
#include "../output/output.h"
#include "../output/ring_buffer.h"
#include "../sample/sample_leading.h"
#include "sample_bench.h"

#define ALL_BITS	((u64)PERF_SAMPLE_MAX - 1)

/* order of the fields in include/uapi/linux/perf_event.h */
static const u64 abi_order[PERF_SAMPLE_NR_FIELDS] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD, PERF_SAMPLE_READ, PERF_SAMPLE_CALLCHAIN,
	PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER,
	PERF_SAMPLE_STACK_USER, PERF_SAMPLE_WEIGHT_TYPE, PERF_SAMPLE_DATA_SRC,
	PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_PHYS_ADDR,
	PERF_SAMPLE_CGROUP, PERF_SAMPLE_DATA_PAGE_SIZE,
	PERF_SAMPLE_CODE_PAGE_SIZE, PERF_SAMPLE_AUX,
};

#define SIZED_BITS	PERF_SAMPLE_SIZED_BITS
#define ELASTIC_BITS	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX)

static void table_is_complete(struct kunit *test)
{
	const struct perf_sample_field *field;
	u64 seen = 0;

	for (int i = 0; i < PERF_SAMPLE_NR_FIELDS; i++) {
		field = &perf_sample_fields[i];
		KUNIT_EXPECT_EQ_MSG(test, field->bits, abi_order[i], "row %d", i);
		KUNIT_EXPECT_FALSE(test, seen & field->bits);
		KUNIT_EXPECT_EQ(test, !field->value, !!(field->bits & SIZED_BITS));
		KUNIT_EXPECT_EQ(test, !field->value, !!field->collect);
		KUNIT_EXPECT_EQ(test, !field->value, !!field->put);
		seen |= field->bits;
	}
	KUNIT_EXPECT_EQ(test, seen, ALL_BITS);
	KUNIT_EXPECT_PTR_EQ(test, perf_sample_fields[PERF_SAMPLE_NR_LEADING].value,
			    NULL);
}

static void compile_check(struct kunit *test, u64 type)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perf_sample_layout *layout = &event->sample_layout;
	unsigned int values = 0, later = 0, elastic = 0;
	u64 sized = 0;

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr.sample_type = type;
	perf_sample_compile(event);

	for (int i = 0; i < PERF_SAMPLE_NR_FIELDS; i++) {
		if (!(type & abi_order[i]))
			continue;
		if (!(abi_order[i] & SIZED_BITS & ~ELASTIC_BITS))
			values++;
		if (i < PERF_SAMPLE_NR_LEADING)
			continue;
		KUNIT_ASSERT_LT(test, later, layout->nr_fields);
		KUNIT_EXPECT_EQ(test, layout->fields[later], i);
		later++;
	}
	KUNIT_EXPECT_EQ_MSG(test, layout->size, 8 + 8 * values, "type %llx", type);
	KUNIT_EXPECT_EQ(test, layout->nr_fields, later);
	KUNIT_EXPECT_EQ(test, layout->nr_sized, hweight64(type & SIZED_BITS));

	for (int i = 0; i < layout->nr_sized; i++) {
		const struct perf_sample_field *field =
			&perf_sample_fields[layout->sized[i]];

		KUNIT_EXPECT_FALSE(test, sized & field->bits);
		sized |= field->bits;
		/* among the sized fields, those that can be cut short come last */
		KUNIT_EXPECT_GE(test, field->elastic, elastic);
		elastic = field->elastic;
	}
	KUNIT_EXPECT_EQ(test, sized, type & SIZED_BITS);
	kunit_kfree(test, event);
}

static void compile_each_and_all(struct kunit *test)
{
	compile_check(test, 0);
	compile_check(test, ALL_BITS);
	compile_check(test, SIZED_BITS);
	for (int bit = 0; BIT_ULL(bit) < PERF_SAMPLE_MAX; bit++) {
		compile_check(test, BIT_ULL(bit));
		compile_check(test, ALL_BITS & ~BIT_ULL(bit));
	}
}

static void compile_many(struct kunit *test)
{
	u64 mix = 1;

	for (int i = 0; i < 500; i++) {
		mix = mix * 6364136223846793005ULL + 1442695040888963407ULL;
		compile_check(test, (mix >> 32) & ALL_BITS);
	}
}

static void trailer_sizes(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	static const u64 bits[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};

	KUNIT_ASSERT_NOT_NULL(test, event);
	for (int subctx = 0; subctx < BIT(ARRAY_SIZE(bits)); subctx++) {
		event->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
					  PERF_SAMPLE_RAW;
		for (int i = 0; i < ARRAY_SIZE(bits); i++) {
			if (subctx & BIT(i))
				event->attr.sample_type |= bits[i];
		}
		event->attr.sample_id_all = 0;
		perf_sample_compile(event);
		KUNIT_EXPECT_EQ(test, perf_sample_id_size(event), 0);
		event->attr.sample_id_all = 1;
		perf_sample_compile(event);
		KUNIT_EXPECT_EQ(test, perf_sample_id_size(event),
				8 * hweight32(subctx));
	}
}

/* perf_sample_leading(), which does not use the table, writes the values of the table. */
static void leading_as_in_table(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perf_sample_data data = {
		.ip = 1, .tid_entry = { 2, 3 }, .time = 4, .addr = 5,
		.cpu_entry = { 6 }, .period = 7,
	};
	struct perf_sample sample = {
		.event = event, .root = event, .data = &data, .given = ALL_BITS,
	};
	u64 out[PERF_SAMPLE_NR_LEADING], *end, *at;

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->id = 8;
	for (u64 type = 0; type < BIT(PERF_SAMPLE_NR_LEADING); type++) {
		u64 bits = 0;

		for (int i = 0; i < PERF_SAMPLE_NR_LEADING; i++) {
			if (type & BIT(i))
				bits |= perf_sample_fields[i].bits;
		}
		end = perf_sample_leading(&sample, bits, out);
		at = out;
		for (int i = 0; i < PERF_SAMPLE_NR_LEADING; i++) {
			if (!(type & BIT(i)))
				continue;
			KUNIT_EXPECT_EQ(test, *at, perf_sample_fields[i].value(&sample));
			at++;
		}
		KUNIT_EXPECT_PTR_EQ(test, at, end);
	}
}

#define LEADING_BITS	PERF_SAMPLE_LEADING_BITS

static void write_computed(struct kunit *test)
{
	struct bench *b = bench_init(test, LEADING_BITS);
	u64 *r = b->record + 1;

	KUNIT_EXPECT_EQ(test, bench_take(b), 80);
	KUNIT_EXPECT_EQ(test, bench_misc(b), PERF_RECORD_MISC_KERNEL);
	KUNIT_EXPECT_EQ(test, r[0], 77);
	KUNIT_EXPECT_EQ(test, r[1], instruction_pointer(b->regs));
	KUNIT_EXPECT_EQ(test, r[2], words(current->tgid, current->pid));
	KUNIT_EXPECT_EQ(test, r[3], 4711);
	KUNIT_EXPECT_EQ(test, r[4], 0);
	KUNIT_EXPECT_EQ(test, r[5], 77);
	KUNIT_EXPECT_EQ(test, r[6], 77);
	KUNIT_EXPECT_LT(test, first_word(r[7]), nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, r[8], 9);
	bench_exit(b);
}

static void write_given(struct kunit *test)
{
	struct bench *b = bench_init(test, ALL_BITS & ~SIZED_BITS);
	u64 *r = b->record + 1;

	*b->data = (struct perf_sample_data) {
		.sample_flags	= ALL_BITS & ~SIZED_BITS,
		.ip		= 101,
		.tid_entry	= { 102, 103 },
		.time		= 104,
		.addr		= 105,
		.cpu_entry	= { 106 },
		.period		= 107,
		.weight.full	= 108,
		.data_src.val	= 109,
		.txn		= 110,
		.phys_addr	= 111,
		.cgroup		= 112,
		.data_page_size	= 113,
		.code_page_size	= 114,
	};
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 17);
	KUNIT_EXPECT_EQ(test, r[1], 101);
	KUNIT_EXPECT_EQ(test, r[2], words(102, 103));
	KUNIT_EXPECT_EQ(test, r[3], 104);
	KUNIT_EXPECT_EQ(test, r[4], 105);
	KUNIT_EXPECT_EQ(test, r[7], words(106, 0));
	for (int i = 8; i < 16; i++)
		KUNIT_EXPECT_EQ(test, r[i], 107 + i - 8);
	bench_exit(b);
}

/* Fields that the source of the sample does not provide. */
static void write_defaults(struct kunit *test)
{
	struct bench *b = bench_init(test, ALL_BITS & ~(LEADING_BITS | PERF_SAMPLE_CALLCHAIN |
							PERF_SAMPLE_REGS_INTR));
	u64 *r = b->record + 1;

	b->event->attr.sample_regs_user = 0xf;
	b->event->attr.sample_stack_user = 512;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 14);
	KUNIT_EXPECT_EQ(test, r[0], 0);			/* READ */
	KUNIT_EXPECT_EQ(test, r[1], words(4, 0));	/* RAW */
	KUNIT_EXPECT_EQ(test, r[2], 0);			/* BRANCH_STACK */
	/* a kernel thread has no user space */
	KUNIT_EXPECT_EQ(test, r[3], PERF_SAMPLE_REGS_ABI_NONE);
	KUNIT_EXPECT_EQ(test, r[4], 0);			/* STACK_USER */
	KUNIT_EXPECT_EQ(test, r[5], 0);			/* WEIGHT */
	KUNIT_EXPECT_EQ(test, r[6], PERF_MEM_NA);
	KUNIT_EXPECT_EQ(test, r[7], 0);			/* TRANSACTION */
	KUNIT_EXPECT_EQ(test, r[8], 0);			/* PHYS_ADDR */
	KUNIT_EXPECT_EQ(test, r[10], 0);		/* DATA_PAGE_SIZE */
	KUNIT_EXPECT_EQ(test, r[12], 0);		/* AUX */
	bench_exit(b);
}

static void write_kernel_hidden(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR |
				     PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
				     PERF_SAMPLE_CODE_PAGE_SIZE);
	/* on s390 an address does not tell whether it is the kernel's */
	bool apart = (unsigned long)b->data >= TASK_SIZE_MAX;
	u64 *r = b->record + 1;

	b->event->attr.sample_regs_intr = 1;
	perf_sample_data_init(b->data, (unsigned long)b->data, 1);
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 7);
	KUNIT_EXPECT_NE(test, r[0], 0);
	KUNIT_EXPECT_EQ(test, r[1], IS_ENABLED(CONFIG_64BIT) ?
			PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32);
	if (apart)
		KUNIT_EXPECT_EQ(test, r[3], virt_to_phys(b->data));
	/* on powerpc the kernel's memory need not be in a page table */
	if (apart && IS_ENABLED(CONFIG_HAVE_GUP_FAST) && !IS_ENABLED(CONFIG_PPC)) {
		KUNIT_EXPECT_GE(test, r[4], PAGE_SIZE);
		KUNIT_EXPECT_GE(test, r[5], PAGE_SIZE);
	}

	b->event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 6);
	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, r[i], 0);
	KUNIT_EXPECT_EQ(test, bench_misc(b), 0);

	/* addresses given by a driver are hidden as well */
	b->data->sample_flags |= PERF_SAMPLE_IP;
	b->data->ip = (unsigned long)b->data;
	bench_take(b);
	if (apart)
		KUNIT_EXPECT_EQ(test, r[0], 0);
	bench_exit(b);
}

static unsigned long copy_half(void *to, const void *from, unsigned long offset,
			       unsigned long len)
{
	memcpy(to, from + offset, len / 2);
	return len - len / 2;
}

static void write_raw(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT);
	struct perf_raw_frag last = { .data = "third", .size = 5 };
	struct perf_raw_frag second = {
		.next = &last, .copy = copy_half, .data = "second", .size = 6,
	};
	struct perf_raw_record raw = {
		.frag = { .next = &second, .data = "first", .size = 5 },
	};
	char *text = (char *)b->record + 12;

	perf_sample_save_raw_data(b->data, b->event, &raw);
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 + 24 + 8);
	KUNIT_EXPECT_EQ(test, *(u32 *)(b->record + 1), 20);
	KUNIT_EXPECT_EQ(test, memcmp(text, "firstsec\0\0\0third\0\0\0\0", 20), 0);
	KUNIT_EXPECT_EQ(test, b->record[4], 0);
	bench_exit(b);
}

static void write_branches(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_BRANCH_STACK |
				     PERF_SAMPLE_TRANSACTION);
	struct perf_branch_stack *stack;
	u64 counters[2] = { 31, 32 };
	u64 *r = b->record + 1;

	stack = kunit_kzalloc(test, struct_size(stack, entries, 2), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, stack);
	stack->nr = 2;
	stack->hw_idx = 5;
	stack->entries[0] = (struct perf_branch_entry) { .from = 1, .to = 2 };
	stack->entries[1] = (struct perf_branch_entry) { .from = 3, .to = 4 };
	perf_sample_save_brstack(b->data, b->event, stack, counters);

	/* counters are written only with PERF_SAMPLE_BRANCH_COUNTERS */
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * (1 + 1 + 6 + 1));
	KUNIT_EXPECT_EQ(test, r[0], 2);
	KUNIT_EXPECT_EQ(test, r[1], 1);
	KUNIT_EXPECT_EQ(test, r[5], 4);
	KUNIT_EXPECT_EQ(test, r[7], 0);

	b->event->attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX |
					    PERF_SAMPLE_BRANCH_COUNTERS;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * (1 + 2 + 6 + 2 + 1));
	KUNIT_EXPECT_EQ(test, r[1], 5);
	KUNIT_EXPECT_EQ(test, r[2], 1);
	KUNIT_EXPECT_EQ(test, r[8], 31);
	KUNIT_EXPECT_EQ(test, r[9], 32);

	/* no branches: the index is written nevertheless */
	perf_sample_data_init(b->data, 0, 1);
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 4);
	KUNIT_EXPECT_EQ(test, r[0], 0);
	KUNIT_EXPECT_EQ(test, r[1], -1ULL);
	bench_exit(b);
}

static struct perf_callchain_entry *long_chain(struct kunit *test, u64 nr)
{
	struct perf_callchain_entry *chain;

	chain = kunit_kzalloc(test, struct_size(chain, ip, nr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, chain);
	chain->nr = nr;
	for (u64 i = 0; i < nr; i++)
		chain->ip[i] = i;
	return chain;
}

static void write_chain(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT);
	u64 *r = b->record + 1;

	b->data->callchain = long_chain(test, 20000);
	b->data->sample_flags |= PERF_SAMPLE_CALLCHAIN;

	b->data->callchain->nr = 3;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 6);
	KUNIT_EXPECT_EQ(test, r[0], 3);
	KUNIT_EXPECT_EQ(test, r[3], 2);

	/* the size of a record has 16 bits */
	b->data->callchain->nr = 20000;
	KUNIT_EXPECT_EQ(test, bench_take(b), PERF_SAMPLE_MAX_SIZE);
	KUNIT_EXPECT_EQ(test, r[0], PERF_SAMPLE_MAX_SIZE / 8 - 3);
	KUNIT_EXPECT_EQ(test, r[r[0]], r[0] - 1);
	KUNIT_EXPECT_EQ(test, r[r[0] + 1], 0);
	bench_exit(b);
}

/*
 * Fields that can be cut short leave room for later fields, at least for the size of each. The
 * callchain alone would fill the record here, with any number of leading fields.
 */
static void write_elastic_minimum(struct kunit *test)
{
	const u64 elastic = ELASTIC_BITS | PERF_SAMPLE_WEIGHT;
	u64 *r, nr;

	for (int leading = 0; leading <= PERF_SAMPLE_NR_LEADING; leading++) {
		u64 bits = elastic;
		struct bench *b;

		for (int i = 0; i < leading; i++)
			bits |= perf_sample_fields[i].bits;
		b = bench_init(test, bits);
		b->event->attr.sample_stack_user = round_down(U16_MAX, 8);
		b->data->callchain = long_chain(test, 20000);
		b->data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
		/* from callchains that fit to callchains that are cut */
		for (nr = 8175 - leading; nr < 8200; nr++) {
			b->data->callchain->nr = nr;
			r = b->record + 1 + leading;
			KUNIT_EXPECT_EQ(test, bench_take(b),
					min(8 * (1 + leading + 1 + nr + 1 + 1 + 1),
					    PERF_SAMPLE_MAX_SIZE));
			KUNIT_EXPECT_EQ(test, r[0], min(nr, 8191 - 5 - leading));
			/* stack, weight, trace */
			KUNIT_EXPECT_EQ(test, r[1 + r[0]], 0);
			KUNIT_EXPECT_EQ(test, r[3 + r[0]], 0);
		}
		KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 0);
		bench_exit(b);
	}
}

static void write_too_large(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_RAW);
	struct perf_raw_record raw = { .frag = { .size = U16_MAX } };
	void *bytes = kunit_kzalloc(test, U16_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	raw.frag.data = bytes;
	perf_sample_save_raw_data(b->data, b->event, &raw);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, -E2BIG,
				perf_event_output(b->event, b->data, b->regs));
	KUNIT_EXPECT_EQ(test, b->rb->user_page->data_head, 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 1);

	/* a PERF_RECORD_LOST comes before the next record */
	perf_sample_data_init(b->data, 0, 1);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, 0, perf_event_output(b->event, b->data, b->regs));
	KUNIT_EXPECT_EQ(test, bench_read(b, 0), 8 * (3 + 2));
	KUNIT_EXPECT_EQ(test, first_word(b->record[0]), PERF_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, b->record[1], 77);
	KUNIT_EXPECT_EQ(test, b->record[2], 1);

	/* the largest record */
	raw.frag.next = NULL;
	raw.frag.size = PERF_SAMPLE_MAX_SIZE - 8 - 4;
	perf_sample_data_init(b->data, 0, 1);
	perf_sample_save_raw_data(b->data, b->event, &raw);
	KUNIT_EXPECT_EQ(test, bench_take(b), PERF_SAMPLE_MAX_SIZE);
	bench_exit(b);
}

/* Dropped samples are in a record, or counted where there is no room for it; never both. */
static void write_lost_samples(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_IP);

	scoped_guard(irqsave)
		perf_log_lost_samples(b->event, 3);
	KUNIT_EXPECT_EQ(test, bench_read(b, 0), 16);
	KUNIT_EXPECT_EQ(test, (u32)b->record[0], PERF_RECORD_LOST_SAMPLES);
	KUNIT_EXPECT_EQ(test, b->record[1], 3);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 0);
	for (unsigned long n = 0; n < perf_rb_bytes(b->rb) / 16; n++)
		scoped_guard(irqsave)
			perf_log_lost_samples(b->event, 1);
	atomic64_set(&b->event->lost_samples, 0);
	scoped_guard(irqsave)
		perf_log_lost_samples(b->event, 5);
	/* and the record itself */
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 5 + 1);
	bench_exit(b);
}

/* A child's trace has the id of the event that user space has opened. */
static void write_output_id_of_child(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_STREAM_ID);
	struct perf_event *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, child);
	b->event->sample_layout.id_size = sizeof(u64);
	child->attr = b->event->attr;
	child->sample_layout = b->event->sample_layout;
	child->id = b->event->id + 1;
	child->parent = b->event;
	scoped_guard(irqsave)
		perf_report_aux_output_id(child, 0x1234);
	KUNIT_EXPECT_EQ(test, bench_read(b, 0), 24);
	KUNIT_EXPECT_EQ(test, (u32)b->record[0], PERF_RECORD_AUX_OUTPUT_HW_ID);
	KUNIT_EXPECT_EQ(test, b->record[1], 0x1234);
	KUNIT_EXPECT_EQ(test, b->record[2], b->event->id);
	bench_exit(b);
}

/* The contents of a record do not depend on its place in the buffer. */
static void write_across_chunks(struct kunit *test)
{
	struct bench *b = bench_init(test, LEADING_BITS | PERF_SAMPLE_CALLCHAIN |
				     PERF_SAMPLE_TRANSACTION);
	u64 *r = b->record + 1;

	b->data->callchain = long_chain(test, 600);
	b->data->sample_flags |= PERF_SAMPLE_CALLCHAIN;
	for (u64 nr = 0; nr < 600; nr++) {
		b->data->callchain->nr = nr;
		KUNIT_ASSERT_EQ(test, bench_take(b), 8 * (1 + 9 + 1 + nr + 1));
		KUNIT_ASSERT_EQ(test, r[0], 77);
		KUNIT_ASSERT_EQ(test, r[8], 9);
		KUNIT_ASSERT_EQ(test, r[9], nr);
		for (u64 i = 0; i < nr; i++)
			KUNIT_ASSERT_EQ(test, r[10 + i], i);
		KUNIT_ASSERT_EQ(test, r[10 + nr], 0);
	}
	bench_exit(b);
}

static void write_group(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_READ);
	struct perf_event *first = bench_event(test, 78);
	struct perf_event *second = bench_event(test, 79);
	u64 *r = b->record + 1;

	list_add_tail(&first->sibling_list, &b->event->sibling_list);
	list_add_tail(&second->sibling_list, &b->event->sibling_list);
	first->group_leader = b->event;
	second->group_leader = b->event;
	b->event->nr_siblings = 2;
	local64_set(&b->event->count, 11);
	local64_set(&first->count, 12);
	local64_set(&second->count, 13);
	b->event->total_time_enabled = 200;
	b->event->total_time_running = 100;

	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 2);
	KUNIT_EXPECT_EQ(test, r[0], 11);

	b->event->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				     PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * (1 + 3 + 6));
	KUNIT_EXPECT_EQ(test, r[0], 3);
	KUNIT_EXPECT_EQ(test, r[1], 200);
	KUNIT_EXPECT_EQ(test, r[2], 100);
	for (int i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, r[3 + 2 * i], 11 + i);
		KUNIT_EXPECT_EQ(test, r[4 + 2 * i], 77 + i);
	}

	/* a member that leaves is off the list before nr_siblings is decremented */
	list_del_init(&second->sibling_list);
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * (1 + 3 + 4));
	KUNIT_EXPECT_EQ(test, r[0], 2);
	bench_exit(b);
}

/* Samples of a child event have the id of its parent; the stream id is its own. */
static void write_inherited(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID |
				     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ);
	struct perf_event *root = b->event, *child = bench_event(test, 88);
	u64 *r = b->record + 1;

	child->parent = root;
	child->attr.sample_type = root->attr.sample_type;
	child->attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	local64_set(&child->count, 5);
	atomic64_set(&root->lost_samples, 3);
	child->sample_layout = root->sample_layout;
	b->event = child;
	KUNIT_EXPECT_EQ(test, bench_take(b), 8 * 7);
	KUNIT_EXPECT_EQ(test, r[0], 77);
	KUNIT_EXPECT_EQ(test, r[1], 77);
	KUNIT_EXPECT_EQ(test, r[2], 88);
	KUNIT_EXPECT_EQ(test, r[3], 5);
	KUNIT_EXPECT_EQ(test, r[4], 77);
	KUNIT_EXPECT_EQ(test, r[5], 3);
	b->event = root;
	bench_exit(b);
}

static void write_trailer(struct kunit *test)
{
	struct bench *b = bench_init(test, LEADING_BITS);
	struct perf_event_header header = { .type = PERF_RECORD_COMM };
	struct perf_output_handle handle;
	u64 *r = b->record + 1;

	b->event->attr.sample_id_all = 1;
	perf_sample_compile(b->event);
	header.size = sizeof(header) + perf_sample_id_size(b->event);
	KUNIT_EXPECT_EQ(test, header.size, 8 * 7);
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, NULL, b->event, header.size), 0);
	perf_output_header(&handle, &header);
	perf_sample_id_put(&handle, b->event);
	perf_output_end(&handle);

	KUNIT_EXPECT_EQ(test, bench_read(b, 0), 8 * 7);
	KUNIT_EXPECT_EQ(test, r[0], words(current->tgid, current->pid));
	KUNIT_EXPECT_EQ(test, r[1], 4711);
	KUNIT_EXPECT_EQ(test, r[2], 77);
	KUNIT_EXPECT_EQ(test, r[3], 77);
	KUNIT_EXPECT_LT(test, first_word(r[4]), nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, r[5], 77);
	bench_exit(b);
}

static void without_buffer(struct kunit *test)
{
	struct bench *b = bench_init(test, PERF_SAMPLE_IP | PERF_SAMPLE_RAW);

	RCU_INIT_POINTER(b->event->rb, NULL);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, -ENOENT,
				perf_event_output(b->event, b->data, b->regs));
	KUNIT_EXPECT_EQ(test, atomic64_read(&b->event->lost_samples), 0);
	bench_exit(b);
}

static void ids_of_tasks(struct kunit *test)
{
	struct perf_event *event = bench_event(test, 1);
	struct perf_event *child = bench_event(test, 2);

	KUNIT_EXPECT_EQ(test, perf_event_pid(event, current), current->tgid);
	KUNIT_EXPECT_EQ(test, perf_event_tid(event, current), current->pid);
	KUNIT_EXPECT_EQ(test, perf_event_pid(event, &init_task), 0);
	KUNIT_EXPECT_EQ(test, perf_event_tid(event, &init_task), 0);

	/* the pid namespace of the parent event's opener decides, not the forking task's */
	child->parent = event;
	child->ns = NULL;
	KUNIT_EXPECT_EQ(test, perf_event_pid(child, current), current->tgid);
}

static struct kunit_case sample_cases[] = {
	KUNIT_CASE(table_is_complete),
	KUNIT_CASE(compile_each_and_all),
	KUNIT_CASE(compile_many),
	KUNIT_CASE(trailer_sizes),
	KUNIT_CASE(leading_as_in_table),
	KUNIT_CASE(write_computed),
	KUNIT_CASE(write_given),
	KUNIT_CASE(write_defaults),
	KUNIT_CASE(write_kernel_hidden),
	KUNIT_CASE(write_raw),
	KUNIT_CASE(write_branches),
	KUNIT_CASE(write_chain),
	KUNIT_CASE(write_elastic_minimum),
	KUNIT_CASE(write_too_large),
	KUNIT_CASE(write_lost_samples),
	KUNIT_CASE(write_output_id_of_child),
	KUNIT_CASE(write_across_chunks),
	KUNIT_CASE(write_group),
	KUNIT_CASE(write_inherited),
	KUNIT_CASE(write_trailer),
	KUNIT_CASE(without_buffer),
	KUNIT_CASE(ids_of_tasks),
	{}
};

static struct kunit_suite sample_suite = {
	.name		= "perf_events_sample",
	.test_cases	= sample_cases,
};

kunit_test_suite(sample_suite);
