// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of writers that interrupt each other.
 *
 * While a record is written, output.c passes points where another writer can interrupt. The tests
 * write a record at each of these points, at each point of the interrupting writer, and so on,
 * three deep. At every point all records before data_head must be complete.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/poll.h>

#include "../base/event.h"
#include "../buffer/attach.h"
#include "../lifetime/event.h"
#include "../output/output.h"
#include "../output/ring_buffer.h"
#include "../output/output_writer.h"
#include "../overflow/overflow.h"
#include "test_cpu.h"

#define TEST_DEPTH	3
#define TEST_RECORD	PERF_RECORD_SAMPLE

/* layout of a record, with its number at both ends */
struct test_record {
	struct perf_event_header	header;
	u64				number;
	u64				filling[5];
	u64				check;
};

struct nest {
	struct kunit		*test;
	struct perf_event	*event;
	struct perf_buffer	*rb;
	/* the point of the writer of each depth at which the next writer interrupts */
	unsigned int		at[TEST_DEPTH];
	unsigned int		passed[TEST_DEPTH + 1];
	unsigned int		depth;
	unsigned int		written;
	unsigned int		refused;
	u64			last_head;
};

static struct nest *nest;

static void *rb_at(struct perf_buffer *rb, u64 offset)
{
	offset &= rb->mask;
	return rb->chunks[offset >> rb->chunk_shift] +
	       (offset & ((1UL << rb->chunk_shift) - 1));
}

static u64 rb_u64(struct perf_buffer *rb, u64 offset)
{
	return *(u64 *)rb_at(rb, offset);
}

/* Check all records between data_tail and data_head, and count them. */
static void check_published(struct nest *n, unsigned int *records, u64 *lost)
{
	u64 head = READ_ONCE(n->rb->user_page->data_head);
	u64 at = n->rb->user_page->data_tail;

	*records = 0;
	*lost = 0;
	KUNIT_EXPECT_GE(n->test, head, n->last_head);
	n->last_head = head;
	while (at < head) {
		struct perf_event_header header;
		u64 first = rb_u64(n->rb, at);

		memcpy(&header, &first, sizeof(header));
		if (header.type == PERF_RECORD_LOST) {
			*lost += rb_u64(n->rb, at + 16);
		} else {
			KUNIT_ASSERT_EQ(n->test, header.type, TEST_RECORD);
			KUNIT_ASSERT_EQ(n->test, header.size,
					sizeof(struct test_record));
			KUNIT_EXPECT_EQ(n->test, rb_u64(n->rb, at + 8),
					~rb_u64(n->rb, at + header.size - 8));
			++*records;
		}
		KUNIT_ASSERT_GT(n->test, header.size, 0);
		at += header.size;
	}
	KUNIT_EXPECT_EQ(n->test, at, head);
}

static void write_one(struct nest *n)
{
	struct perf_event_header header = {
		.type = TEST_RECORD,
		.size = sizeof(struct test_record),
	};
	struct perf_output_handle handle;
	unsigned int number = n->written + n->refused;

	n->passed[n->depth] = 0;
	if (perf_output_begin_sample(&handle, n->event, header.size)) {
		n->refused++;
		return;
	}
	n->written++;
	perf_output_header(&handle, &header);
	perf_output_u64(&handle, number);
	for (int i = 0; i < 5; i++)
		perf_output_u64(&handle, i);
	perf_output_test_hook();
	perf_output_u64(&handle, ~(u64)number);
	perf_output_end(&handle);
}

static void nest_hook(void)
{
	struct nest *n = nest;
	unsigned int records;
	u64 lost;

	check_published(n, &records, &lost);
	if (n->depth == TEST_DEPTH)
		return;
	if (n->passed[n->depth]++ != n->at[n->depth])
		return;
	n->depth++;
	write_one(n);
	n->depth--;
}

/* hook for tests with one writer */
static void no_interruption(void)
{
}

static struct nest *nest_init(struct kunit *test, unsigned int nr_pages)
{
	struct nest *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, n);
	n->test = test;
	n->event = kunit_kzalloc(test, sizeof(*n->event), GFP_KERNEL);
	n->rb = perf_rb_alloc(nr_pages, -1);
	KUNIT_ASSERT_NOT_NULL(test, n->event);
	KUNIT_ASSERT_NOT_NULL(test, n->rb);

	n->rb->watermark = perf_rb_bytes(n->rb) / 2;
	n->event->id = 7;
	perf_event_overflow_init(n->event);
	rcu_assign_pointer(n->event->rb, n->rb);
	nest = n;
	perf_output_test_hook = nest_hook;
	static_branch_enable(&perf_output_test_on);
	return n;
}

static void nest_exit(struct nest *n)
{
	static_branch_disable(&perf_output_test_on);
	perf_event_overflow_flush(n->event);
	perf_wake_sync(&n->rb->wake_polled);
	RCU_INIT_POINTER(n->event->rb, NULL);
	perf_rb_free(n->rb);
}

/* Number of points that a writer passes if it is not interrupted. */
static unsigned int nest_points(struct nest *n)
{
	for (int i = 0; i < TEST_DEPTH; i++)
		n->at[i] = UINT_MAX;
	write_one(n);
	return n->passed[0];
}

static void nest_everywhere(struct kunit *test)
{
	struct nest *n = nest_init(test, 4);
	unsigned int points = nest_points(n) + 1;
	unsigned int records;
	u64 lost;

	KUNIT_EXPECT_GE(test, points, 8);
	for (unsigned int i = 0; i < points * points * points; i++) {
		unsigned int before = n->written;

		n->at[0] = i % points;
		n->at[1] = i / points % points;
		n->at[2] = i / points / points;
		n->rb->user_page->data_tail = n->rb->user_page->data_head;
		write_one(n);
		check_published(n, &records, &lost);
		KUNIT_EXPECT_EQ(test, records, n->written - before);
		KUNIT_EXPECT_EQ(test, lost, 0);
		KUNIT_EXPECT_FALSE(test, n->rb->open);
		KUNIT_EXPECT_EQ(test, n->rb->user_page->data_head,
				local_read(&n->rb->head));
	}
	KUNIT_EXPECT_EQ(test, n->refused, 0);
	nest_exit(n);
}

/* With a slow reader, each record is either written or counted as lost. */
static void nest_full(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	unsigned int points = nest_points(n) + 2, size = PAGE_SIZE / SZ_4K;
	unsigned int records, total = 0, tried = 0;
	u64 lost, total_lost = 0;

	for (unsigned int i = 0; i < 4 * points * points * size; i++) {
		n->at[0] = i % points;
		n->at[1] = i / points % points;
		n->at[2] = i % 3;
		write_one(n);
		if (i % (97 * size))
			continue;
		check_published(n, &records, &lost);
		total += records;
		total_lost += lost;
		n->rb->user_page->data_tail = n->rb->user_page->data_head;
	}
	check_published(n, &records, &lost);
	total += records;
	total_lost += lost + local_read(&n->rb->lost);
	tried = n->written + n->refused;

	KUNIT_EXPECT_GT(test, n->refused, 0);
	KUNIT_EXPECT_EQ(test, total, n->written);
	KUNIT_EXPECT_EQ(test, total_lost, n->refused);
	KUNIT_EXPECT_EQ(test, total + total_lost, tried);
	KUNIT_EXPECT_EQ(test, atomic64_read(&n->event->lost_samples), n->refused);
	nest_exit(n);
}

/* The reader is woken at half of the buffer, whatever the depth of the writer that reaches it. */
static void nest_watermark(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	unsigned int points = nest_points(n) + 1;

	for (unsigned int i = 0; i < points * points; i++) {
		u64 start = n->rb->user_page->data_head;
		u64 woken = local_read(&n->rb->woken);

		n->rb->user_page->data_tail = start;
		atomic_set(&n->rb->poll, 0);
		n->at[0] = i % points;
		n->at[1] = i / points;
		n->at[2] = UINT_MAX;
		while (!atomic_read(&n->rb->poll)) {
			KUNIT_ASSERT_LE(test, n->rb->user_page->data_head - woken,
					n->rb->watermark);
			write_one(n);
		}
		KUNIT_EXPECT_GT(test, n->rb->user_page->data_head - woken,
				n->rb->watermark);
		KUNIT_EXPECT_EQ(test, local_read(&n->rb->woken) - woken,
				n->rb->watermark);
		KUNIT_EXPECT_FALSE(test, n->rb->wake);
	}
	nest_exit(n);
}

/* Records of several watermarks: each one wakes, and @woken follows them. */
static void watermark_is_small(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	unsigned long behind;

	nest_points(n);
	static_branch_disable(&perf_output_test_on);
	perf_output_test_hook = no_interruption;
	n->rb->watermark = 1;
	for (unsigned int i = 0; i < 600; i++) {
		n->rb->backward = i >= 300;
		if (i == 300)
			local_set(&n->rb->woken, local_read(&n->rb->head));
		n->rb->user_page->data_tail = local_read(&n->rb->head);
		atomic_set(&n->rb->poll, 0);
		write_one(n);
		behind = local_read(&n->rb->head) - local_read(&n->rb->woken);
		if (n->rb->backward)
			behind = -behind;
		KUNIT_EXPECT_NE(test, atomic_read(&n->rb->poll), 0);
		KUNIT_EXPECT_LE(test, behind, sizeof(struct test_record));
	}
	KUNIT_EXPECT_EQ(test, n->refused, 0);
	nest_exit(n);
}

/* A buffer that is full before the watermark is passed: the first record that is lost wakes. */
static void full_wakes_once(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	struct perf_output_handle handle;
	unsigned int wakeups = 0, refused;

	nest_points(n);
	static_branch_disable(&perf_output_test_on);
	perf_output_test_hook = no_interruption;
	n->rb->watermark = perf_rb_bytes(n->rb);
	/* what was lost before does not hide it */
	local_set(&n->rb->lost, 1);
	atomic_set(&n->rb->poll, 0);
	for (unsigned int i = 0; i < perf_rb_bytes(n->rb) / sizeof(struct test_record) + 10; i++) {
		write_one(n);
		if (!atomic_xchg(&n->rb->poll, 0))
			continue;
		wakeups++;
		KUNIT_EXPECT_EQ(test, n->refused, 1);
	}
	KUNIT_EXPECT_GE(test, n->refused, 10);
	KUNIT_EXPECT_EQ(test, wakeups, 1);

	/* at the next position, but not because of a record that never fits */
	n->rb->user_page->data_tail = n->rb->user_page->data_head;
	refused = n->refused;
	write_one(n);
	KUNIT_EXPECT_EQ(test, n->refused, refused);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, NULL, n->event, perf_rb_bytes(n->rb)),
			-ENOSPC);
	KUNIT_EXPECT_EQ(test, atomic_read(&n->rb->poll), 0);
	KUNIT_EXPECT_EQ(test, perf_output_begin(&handle, NULL, n->event, perf_rb_bytes(n->rb) - 8),
			-ENOSPC);
	KUNIT_EXPECT_NE(test, atomic_read(&n->rb->poll), 0);
	nest_exit(n);
}

static void nest_wakeup_events(struct kunit *test)
{
	struct nest *n = nest_init(test, 4);
	unsigned int points = nest_points(n) + 1;

	n->event->attr.wakeup_events = 1;
	for (unsigned int i = 0; i < points; i++) {
		n->rb->user_page->data_tail = n->rb->user_page->data_head;
		atomic_set(&n->rb->poll, 0);
		n->at[0] = i;
		n->at[1] = UINT_MAX;
		write_one(n);
		KUNIT_EXPECT_EQ(test, atomic_read(&n->rb->poll),
				EPOLLIN | EPOLLRDNORM);
		KUNIT_EXPECT_FALSE(test, n->rb->wake);
	}
	nest_exit(n);
}

/* A backward buffer is written from high to low addresses: the newest record is at data_head. */
static void backward(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	u64 head;

	nest_points(n);
	local_set(&n->rb->head, 0);
	local_set(&n->rb->woken, 0);
	n->rb->backward = true;
	n->rb->overwrite = true;
	static_branch_disable(&perf_output_test_on);
	perf_output_test_hook = no_interruption;

	for (unsigned int i = 0; i < 300; i++) {
		unsigned int number = n->written + n->refused;

		write_one(n);
		head = n->rb->user_page->data_head;
		KUNIT_EXPECT_EQ(test, rb_u64(n->rb, head + 8), number);
		if (i)
			KUNIT_EXPECT_EQ(test, rb_u64(n->rb, head + 8 +
						     sizeof(struct test_record)),
					number - 1);
	}
	KUNIT_EXPECT_EQ(test, n->refused, 0);
	nest_exit(n);
}

/* Writers that interrupt one another do not overwrite what the first one is still writing. */
static void overwrite_is_limited(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	unsigned int fit = perf_rb_bytes(n->rb) / sizeof(struct test_record) - 1;
	struct perf_output_handle handle;
	unsigned int records;
	u64 lost;

	nest_points(n);
	perf_output_test_hook = no_interruption;
	n->rb->overwrite = true;
	for (unsigned int i = 0; i < 3 * fit; i++)
		write_one(n);
	KUNIT_EXPECT_EQ(test, n->refused, 0);

	n->rb->user_page->data_tail = n->rb->user_page->data_head;
	KUNIT_ASSERT_EQ(test, perf_output_begin(&handle, NULL, n->event,
						sizeof(struct test_record)), 0);
	n->written = 0;
	for (unsigned int i = 0; i < 2 * fit; i++)
		write_one(n);
	KUNIT_EXPECT_EQ(test, n->written, fit - 1);
	KUNIT_EXPECT_EQ(test, n->refused, fit + 1);
	perf_output_header(&handle, &(struct perf_event_header) {
		.type = TEST_RECORD, .size = sizeof(struct test_record) });
	for (unsigned int i = 0; i < 6; i++)
		perf_output_u64(&handle, 0);
	perf_output_u64(&handle, ~0ULL);
	perf_output_end(&handle);
	n->last_head = 0;
	check_published(n, &records, &lost);
	KUNIT_EXPECT_EQ(test, records, fit);

	/* what was refused is lost, and the next record says so */
	n->rb->user_page->data_tail = n->rb->user_page->data_head;
	write_one(n);
	check_published(n, &records, &lost);
	KUNIT_EXPECT_EQ(test, records, 1);
	KUNIT_EXPECT_EQ(test, lost, fit + 1);
	nest_exit(n);
}

struct pauser {
	struct perf_event	*event;
	struct completion	ready, ends;
	bool			begin;
	bool			paused;
	bool			done;
	bool			early;
};

static struct pauser pauser;

/* The other CPU may be stopped, or it waits for this one, see pause_hook(). */
#define PAUSE_TRIES	10

static int pause_thread(void *arg)
{
	complete(&pauser.ready);
	while (!READ_ONCE(pauser.begin))
		cond_resched();
	perf_event_pause_output(pauser.event, true);
	WRITE_ONCE(pauser.done, true);
	complete(&pauser.ends);
	return 0;
}

/*
 * In a writer: let another CPU pause the buffer. That CPU may not come to it, for example while
 * stop_machine() runs.
 */
static void pause_hook(void)
{
	if (pauser.begin)
		return;
	WRITE_ONCE(pauser.begin, true);
	for (int i = 0; i < 10000000 && !pauser.paused; i++) {
		cpu_relax();
		pauser.paused = READ_ONCE(nest->rb->paused);
	}
	for (int i = 0; i < 100000 && !pauser.early; i++) {
		cpu_relax();
		pauser.early = READ_ONCE(pauser.done);
	}
}

/* Write a record. Return: true if another CPU has paused the buffer meanwhile. */
static bool paused_while_writing(struct kunit *test, struct nest *n)
{
	struct task_struct *task;

	pauser = (struct pauser) { .event = n->event };
	init_completion(&pauser.ready);
	init_completion(&pauser.ends);
	perf_event_pause_output(n->event, false);

	task = kthread_create(pause_thread, NULL, "perf_pause_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	test_bind_here(test);
	kthread_bind(task, cpumask_any_but(cpu_online_mask, smp_processor_id()));
	wake_up_process(task);
	wait_for_completion(&pauser.ready);
	write_one(n);
	WRITE_ONCE(pauser.begin, true);
	wait_for_completion(&pauser.ends);
	KUNIT_EXPECT_FALSE(test, pauser.early);
	return pauser.paused;
}

/* The output of an overwritten buffer is paused when no record is being written any more. */
static void pause_waits(struct kunit *test)
{
	struct nest *n;
	int tries = 0;

	if (num_online_cpus() < 2)
		kunit_skip(test, "the writer keeps its CPU: another one has to pause");
	n = nest_init(test, 1);
	nest_points(n);
	n->rb->overwrite = true;
	rcu_assign_pointer(n->event->output, n->rb);
	perf_output_test_hook = pause_hook;
	while (!paused_while_writing(test, n) && ++tries < PAUSE_TRIES)
		;
	KUNIT_EXPECT_LT(test, tries, PAUSE_TRIES);
	KUNIT_EXPECT_EQ(test, n->refused, 0);
	write_one(n);
	KUNIT_EXPECT_EQ(test, n->refused, 1);
	RCU_INIT_POINTER(n->event->output, NULL);
	nest_exit(n);
}

/* A wrong data_tail affects only the reader that has written it. */
static void bad_tail(struct kunit *test)
{
	struct nest *n = nest_init(test, 1);
	static const u64 tails[] = { 1, 7, 4095, 4096, 1ULL << 63, ~0ULL };

	nest_points(n);
	static_branch_disable(&perf_output_test_on);
	perf_output_test_hook = no_interruption;
	for (unsigned int i = 0; i < 600; i++) {
		u64 before = local_read(&n->rb->head);

		n->rb->user_page->data_tail = tails[i % ARRAY_SIZE(tails)];
		write_one(n);
		KUNIT_EXPECT_LE(test, local_read(&n->rb->head) - before,
				sizeof(struct test_record) + 24);
		KUNIT_EXPECT_EQ(test, local_read(&n->rb->head) % 8, 0);
	}
	KUNIT_EXPECT_GT(test, n->written, 1);
	nest_exit(n);
}

static void no_data_pages(struct kunit *test)
{
	struct nest *n = nest_init(test, 0);

	n->at[0] = UINT_MAX;
	write_one(n);
	KUNIT_EXPECT_EQ(test, n->written, 0);
	/* a buffer without data pages counts no lost records */
	KUNIT_EXPECT_EQ(test, local_read(&n->rb->lost), 0);
	KUNIT_EXPECT_EQ(test, atomic64_read(&n->event->lost_samples), 0);
	nest_exit(n);
}

static struct kunit_case output_cases[] = {
	KUNIT_CASE(nest_everywhere),
	KUNIT_CASE(nest_full),
	KUNIT_CASE(nest_watermark),
	KUNIT_CASE(watermark_is_small),
	KUNIT_CASE(full_wakes_once),
	KUNIT_CASE(nest_wakeup_events),
	KUNIT_CASE(backward),
	KUNIT_CASE(overwrite_is_limited),
	KUNIT_CASE(pause_waits),
	KUNIT_CASE(bad_tail),
	KUNIT_CASE(no_data_pages),
	{}
};

static struct kunit_suite output_suite = {
	.name = "perf_output",
	.test_cases = output_cases,
};

kunit_test_suite(output_suite);
