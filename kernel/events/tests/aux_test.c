// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of transactions on an AUX area, and of group members that sample the area or
 * pause the trace source.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/perf_event.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/state.h"
#include "../lifetime/event.h"
#include "../overflow/aux_pause.h"
#include "../overflow/overflow.h"
#include "../sample/sample_aux.h"
#include "aux_fake.h"
#include "../output/output.h"
#include "../output/wake.h"
#include "../output/wakeup.h"

#define FLAG_TRUNCATED	PERF_AUX_FLAG_TRUNCATED
#define FLAG_OVERWRITE	PERF_AUX_FLAG_OVERWRITE

static int fake_skip(struct fake_aux *t, unsigned long size)
{
	guard(irqsave)();
	return perf_aux_output_skip(&t->handle, size);
}

static void fake_consume(struct fake_aux *t)
{
	fake_rb(t)->user_page->aux_tail = fake_head(t);
}

static bool fake_woken(struct fake_aux *t)
{
	fake_settle(t);
	return atomic_xchg(&fake_rb(t)->poll, 0);
}

static void fake_expect_none(struct kunit *test, struct fake_aux *t)
{
	KUNIT_EXPECT_EQ(test, fake_next_record(t).header.type, 0);
}

static void aux_transaction(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	KUNIT_EXPECT_PTR_EQ(test, fake_begin(t), (void *)t);
	KUNIT_EXPECT_PTR_EQ(test, t->handle.event, t->event);
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(&t->handle), (void *)t);
	KUNIT_EXPECT_EQ(test, t->handle.head, 0);
	KUNIT_EXPECT_EQ(test, t->handle.size, AUX_BYTES - 1);
	KUNIT_EXPECT_EQ(test, t->handle.wakeup, AUX_BYTES / 2);
	KUNIT_EXPECT_EQ(test, t->handle.aux_flags, 0);
	perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_COLLISION);
	fake_end(t, 100);
	KUNIT_EXPECT_NULL(test, t->handle.event);
	KUNIT_EXPECT_NULL(test, perf_get_aux(&t->handle));
	KUNIT_EXPECT_EQ(test, t->handle.aux_flags, PERF_AUX_FLAG_COLLISION);
	KUNIT_EXPECT_EQ(test, fake_head(t), 100);
	fake_expect_record(test, t, 0, 100, PERF_AUX_FLAG_COLLISION);
	fake_end(t, 50);
	KUNIT_EXPECT_EQ(test, fake_head(t), 100);

	/* an empty transaction writes no record, unless a flag tells of more than its format */
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	fake_end(t, 0);
	fake_expect_none(test, t);
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	fake_end(t, 0);
	fake_expect_none(test, t);
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	fake_end(t, 8);
	fake_expect_record(test, t, 100, 8, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);

	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	perf_aux_output_flag(&t->handle, PERF_AUX_FLAG_PARTIAL);
	fake_end(t, 0);
	fake_expect_record(test, t, 108, 0, PERF_AUX_FLAG_PARTIAL);
}

static void aux_wraps(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	u64 head = 0;
	int i;

	for (i = 0; i < 20; i++) {
		unsigned long size = AUX_BYTES - 1 - 8 * i;

		KUNIT_ASSERT_NOT_NULL(test, fake_begin(t));
		KUNIT_EXPECT_EQ(test, t->handle.head, head);
		KUNIT_EXPECT_EQ(test, t->handle.size, AUX_BYTES - 1);
		fake_end(t, size);
		fake_expect_record(test, t, head, size, 0);
		fake_rb(t)->user_page->data_tail = t->read;
		head += size;
		KUNIT_EXPECT_EQ(test, fake_head(t), head);
		fake_consume(t);
	}
}

static void aux_wakes(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, PAGE_SIZE);

	fake_map(test, t, RW);
	fake_begin(t);
	KUNIT_EXPECT_EQ(test, t->handle.wakeup, PAGE_SIZE);
	fake_end(t, PAGE_SIZE - 1);
	KUNIT_EXPECT_FALSE(test, fake_woken(t));
	fake_begin(t);
	fake_end(t, 1);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));

	fake_begin(t);
	KUNIT_EXPECT_EQ(test, t->handle.wakeup, 2 * PAGE_SIZE);
	fake_end(t, 1 + PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));
	fake_begin(t);
	KUNIT_EXPECT_EQ(test, t->handle.wakeup, 3 * PAGE_SIZE);
	fake_end(t, 16);
	KUNIT_EXPECT_FALSE(test, fake_woken(t));
}

static void aux_skips(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, 0, PAGE_SIZE);

	fake_map(test, t, RW);
	KUNIT_EXPECT_EQ(test, fake_skip(t, 1), -ENOSPC);
	fake_begin(t);
	KUNIT_EXPECT_EQ(test, fake_skip(t, AUX_BYTES), -ENOSPC);
	KUNIT_EXPECT_EQ(test, t->handle.size, AUX_BYTES - 1);
	KUNIT_EXPECT_EQ(test, fake_skip(t, PAGE_SIZE + 8), 0);
	KUNIT_EXPECT_EQ(test, t->handle.head, PAGE_SIZE + 8);
	KUNIT_EXPECT_EQ(test, t->handle.size, AUX_BYTES - PAGE_SIZE - 9);
	KUNIT_EXPECT_EQ(test, t->handle.wakeup, 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fake_head(t), PAGE_SIZE + 8);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));
	fake_end(t, 24);
	fake_expect_record(test, t, PAGE_SIZE + 8, 24, 0);
}

/* An event whose area is full is disabled when it starts. Room in the area lets it start again. */
static void aux_fills_up(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_ACTIVE);
	t->written = AUX_BYTES - 1;
	perf_event_disable(t->event);
	fake_expect_record(test, t, 0, AUX_BYTES - 1, 0);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));

	perf_event_enable(t->event);
	fake_settle(t);
	KUNIT_EXPECT_NULL(test, t->handle.event);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));

	fake_rb(t)->user_page->aux_tail += 64;
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, t->handle.size, 64);
	perf_event_disable(t->event);
}

static void aux_truncated(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	perf_event_enable(t->event);
	perf_aux_output_flag(&t->handle, FLAG_TRUNCATED);
	fake_end(t, 40);
	fake_settle(t);
	fake_expect_record(test, t, 0, 40, FLAG_TRUNCATED);
	KUNIT_EXPECT_TRUE(test, fake_woken(t));
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, t->nr_stops, 0);
}

/* A restart stops the event, the driver finds the area full, and the event is not started again. */
static void aux_full_at_restart(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	unsigned int changes;

	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_starts, 1);
	perf_event_restart(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_starts, 2);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_ACTIVE);
	t->is_full = true;
	changes = t->event->ctx->changes;
	perf_event_restart(t->event);
	/* a disable is a change of the context, in which others may change something, too */
	KUNIT_EXPECT_GT(test, t->event->ctx->changes, changes);
	KUNIT_EXPECT_EQ(test, t->nr_starts, 2);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_OFF);
	fake_settle(t);
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_starts, 3);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_ACTIVE);
	perf_event_disable(t->event);
}

/* A driver that stops with the registers of a reset source: no position is made up. */
static void aux_incredible(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);

	KUNIT_ASSERT_NOT_NULL(test, fake_begin(t));
	fake_end(t, 10);
	fake_expect_record(test, t, 0, 10, 0);
	KUNIT_ASSERT_NOT_NULL(test, fake_begin(t));
	fake_end(t, AUX_BYTES + 1);
	fake_expect_record(test, t, 10, 0, PERF_AUX_FLAG_PARTIAL);
	KUNIT_EXPECT_EQ(test, fake_head(t), 10);
	KUNIT_ASSERT_NOT_NULL(test, fake_begin(t));
	fake_end(t, 20);
	fake_expect_record(test, t, 10, 20, 0);
}

/* Whatever aux_tail the reader writes, a transaction is never larger than the area. */
static void aux_wild_tail(struct kunit *test)
{
	static const u64 tails[] = { 1, AUX_BYTES, AUX_BYTES + 5, ~0ULL, 1ULL << 63 };
	struct fake_aux *t = fake_mapped(test, RW);
	int i;

	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		fake_rb(t)->user_page->aux_tail = tails[i];
		fake_begin(t);
		if (t->handle.event)
			KUNIT_EXPECT_LT(test, t->handle.size, AUX_BYTES);
		fake_end(t, 0);
	}
	fake_settle(t);
}

static void aux_overwrites(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, PROT_READ);

	KUNIT_EXPECT_TRUE(test, t->overwrite);
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_EQ(test, t->handle.size, 0);
	KUNIT_EXPECT_EQ(test, fake_skip(t, 8), -ENOSPC);
	t->handle.head = 5 * AUX_BYTES + 24;
	fake_end(t, AUX_BYTES);
	KUNIT_EXPECT_EQ(test, fake_head(t), 5 * AUX_BYTES + 24);
	fake_expect_record(test, t, 5 * AUX_BYTES + 24, AUX_BYTES, FLAG_OVERWRITE);
	KUNIT_EXPECT_FALSE(test, fake_woken(t));

	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_EQ(test, t->handle.head, 5 * AUX_BYTES + 24);
	fake_end(t, 0);
	fake_expect_none(test, t);
}

static void aux_begins_twice(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_output_handle other = { .event = t->event };

	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	scoped_guard(irqsave)
		KUNIT_EXPECT_NULL(test, perf_aux_output_begin(&other, t->event));
	KUNIT_EXPECT_NULL(test, other.event);
	/* the first transaction is still open */
	KUNIT_EXPECT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_PTR_EQ(test, perf_get_aux(&t->handle), (void *)t);
	fake_end(t, 8);
	KUNIT_EXPECT_NOT_NULL(test, fake_begin(t));
	KUNIT_EXPECT_EQ(test, t->handle.head, 8);
	fake_end(t, 0);
}

/* A reader in poll(2), which looks at every point where output.c can be interrupted. */
static struct {
	struct fake_aux	*t;
	u64		seen;	/* data_head when a wakeup was taken */
	u64		end;	/* end of the transaction's record */
	unsigned int	points;
	unsigned int	end_at;	/* the point at which an NMI ends the transaction */
	bool		ended;
} poller;

static void poller_look(void)
{
	struct perf_buffer *rb = fake_rb(poller.t);

	if (atomic_xchg(&rb->poll, 0))
		poller.seen = READ_ONCE(rb->user_page->data_head);
}

static void poller_end(void)
{
	fake_end(poller.t, PAGE_SIZE);
	poller.end = local_read(&fake_rb(poller.t)->head);
	poller.ended = true;
}

static void poller_hook(void)
{
	poller_look();
	if (poller.points++ != poller.end_at)
		return;
	poller_end();
	poller_look();
}

/* A source with a watermark of one page, which has begun a transaction */
static struct fake_aux *poller_begin(struct kunit *test, struct fake_aux *t, unsigned int end_at)
{
	if (!t) {
		t = fake_make(test, 0, PAGE_SIZE);
		fake_map(test, t, RW);
	}
	fake_rb(t)->user_page->data_tail = fake_rb(t)->user_page->data_head;
	fake_consume(t);
	KUNIT_ASSERT_NOT_NULL(test, fake_begin(t));
	fake_woken(t);
	poller.t = t;
	poller.points = 0;
	poller.end_at = end_at;
	poller.ended = false;
	return t;
}

static void poller_start(void)
{
	perf_output_test_hook = poller_hook;
	static_branch_enable(&perf_output_test_on);
}

static void poller_stop(void)
{
	static_branch_disable(&perf_output_test_on);
}

/* Whether a wakeup has come, or will come, after the record was published */
static bool poller_is_told(void)
{
	return atomic_read(&fake_rb(poller.t)->poll) || poller.seen >= poller.end;
}

/* A reader that is woken for the data finds the record. */
static void aux_record_before_wakeup(struct kunit *test)
{
	poller_begin(test, NULL, UINT_MAX);
	poller_start();
	poller_end();
	poller_stop();
	KUNIT_EXPECT_GE(test, poller.points, 4);
	KUNIT_EXPECT_TRUE(test, poller_is_told());
}

/* An event that writes to the buffer of the source */
static struct perf_event *poller_writer(struct kunit *test, struct fake_aux *t)
{
	struct perf_event *writer = kunit_kzalloc(test, sizeof(*writer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, writer);
	perf_event_overflow_init(writer);
	RCU_INIT_POINTER(writer->rb, fake_rb(t));
	return writer;
}

/* Return: true if the source is to be signalled. */
static bool poller_write(struct kunit *test, struct perf_event *writer, unsigned int size)
{
	struct perf_output_handle out;
	int err;

	guard(irqsave)();
	err = perf_output_begin(&out, NULL, writer, size);
	if (!err) {
		perf_output_zero(&out, size);
		perf_output_end(&out);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	return atomic_read(&poller.t->event->pending_signals) & PERF_SIGNAL_IN;
}

/*
 * The same when the transaction ends in an NMI, at each point of another event's writer. The owner
 * of the source is signalled, too.
 */
static void aux_record_within_another(struct kunit *test)
{
	struct fake_aux *t = poller_begin(test, NULL, 0);
	struct perf_event *writer = poller_writer(test, t);
	struct fasync_struct *owner = kunit_kzalloc(test, sizeof(*owner), GFP_KERNEL);
	unsigned int at = 0;
	bool signalled;

	KUNIT_ASSERT_NOT_NULL(test, owner);
	poller_start();
	for (;; at++) {
		WRITE_ONCE(t->event->fasync, owner);
		signalled = poller_write(test, writer, 16);
		WRITE_ONCE(t->event->fasync, NULL);
		if (!poller.ended)
			break;
		KUNIT_EXPECT_TRUE_MSG(test, poller_is_told(), "point %u", at);
		KUNIT_EXPECT_TRUE_MSG(test, signalled, "point %u", at);
		perf_wake_sync(&t->event->pending_wake);
		poller_begin(test, t, at + 1);
	}
	poller_stop();
	fake_end(t, 0);
	KUNIT_EXPECT_GE(test, at, 4);
	perf_event_overflow_flush(writer);
}

/* Members of the group of the trace source */

static struct perf_event *aux_member(struct kunit *test, struct fake_aux *t)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->group_leader = t->event;
	event->attr.aux_sample_size = 3000;
	return event;
}

static unsigned int aux_sample_size(struct perf_event *member, unsigned int room)
{
	guard(preempt)();
	return perf_aux_sample_size(member, room);
}

static void aux_samples(struct kunit *test)
{
	struct fake_aux *t = fake_mapped(test, RW);
	struct perf_event *member = aux_member(test, t);
	struct perf_output_handle out;
	unsigned long at;
	int i;

	KUNIT_EXPECT_EQ(test, aux_sample_size(member, 60000), 0);
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, aux_sample_size(member, 60000), 3000);
	KUNIT_EXPECT_EQ(test, aux_sample_size(member, 1001), 1000);

	for (i = 0; i < AUX_PAGES; i++)
		memset(t->pages[i], 'a' + i, PAGE_SIZE);
	/* the end of one page and the beginning of the next */
	t->written = PAGE_SIZE + 16;
	scoped_guard(irqsave) {
		KUNIT_ASSERT_EQ(test, perf_output_begin(&out, NULL, t->event, 32), 0);
		perf_aux_sample_put(&out, member, 32);
		perf_output_end(&out);
	}
	KUNIT_EXPECT_EQ(test, memcmp(fake_rb(t)->chunks[0],
				     "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb", 32), 0);

	/* the end and the beginning of the area */
	t->written = 8;
	scoped_guard(irqsave) {
		KUNIT_ASSERT_EQ(test, perf_output_begin(&out, NULL, t->event, 16), 0);
		perf_aux_sample_put(&out, member, 16);
		perf_output_end(&out);
	}
	KUNIT_EXPECT_EQ(test, memcmp(fake_rb(t)->chunks[0] + 32,
				     "ddddddddaaaaaaaa", 16), 0);

	/* a source that has stopped since the size of the sample was computed */
	perf_event_disable(t->event);
	t->read = fake_rb(t)->user_page->data_head;
	memset(fake_rb(t)->chunks[0] + t->read, 0xff, 32);
	scoped_guard(irqsave) {
		KUNIT_ASSERT_EQ(test, perf_output_begin(&out, NULL, t->event, 16), 0);
		perf_aux_sample_put(&out, member, 16);
		perf_output_end(&out);
	}
	for (at = t->read; at < t->read + 16; at++)
		KUNIT_EXPECT_EQ(test, *(u8 *)(fake_rb(t)->chunks[0] + at), 0);
}

static void aux_pauses(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_AUX_PAUSE, 0);
	struct perf_event *member = aux_member(test, t);

	fake_map(test, t, RW);
	perf_aux_pause_leader(member, true);
	KUNIT_EXPECT_EQ(test, t->nr_pauses, 0);

	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->event->hw.aux_paused, 0);
	/* a resume that interrupts the pausing is ignored */
	t->nested = member;
	perf_aux_pause_leader(member, true);
	KUNIT_EXPECT_EQ(test, t->nr_pauses, 1);
	KUNIT_EXPECT_EQ(test, t->event->hw.aux_paused, 1);
	t->nested = NULL;
	perf_aux_pause_leader(member, false);
	KUNIT_EXPECT_EQ(test, t->nr_pauses, 2);
	KUNIT_EXPECT_EQ(test, t->event->hw.aux_paused, 0);
	KUNIT_EXPECT_PTR_EQ(test, t->handle.event, t->event);

	/* aux_pause is set, aux_resume is not */
	member->attr.aux_pause = 1;
	perf_aux_before_sample(member);
	perf_aux_after_sample(member);
	KUNIT_EXPECT_EQ(test, t->nr_pauses, 3);
	KUNIT_EXPECT_EQ(test, t->event->hw.aux_paused, 1);
	perf_event_disable(t->event);
}

/* Each start writes ITRACE_START until the driver calls perf_event_itrace_started(). */
static void aux_announces(struct kunit *test)
{
	struct fake_aux *t = fake_make(test, PERF_PMU_CAP_ITRACE, 0);
	int i;

	fake_map(test, t, RW);
	for (i = 0; i < 2; i++) {
		perf_event_enable(t->event);
		perf_event_disable(t->event);
		KUNIT_EXPECT_EQ(test, fake_next_record(t).header.type,
				PERF_RECORD_ITRACE_START);
		fake_expect_none(test, t);
	}
	perf_event_itrace_started(t->event);
	perf_event_enable(t->event);
	scoped_guard(irqsave)
		perf_report_aux_output_id(t->event, 0x1234);
	perf_event_disable(t->event);
	KUNIT_EXPECT_EQ(test, fake_next_record(t).header.type,
			PERF_RECORD_AUX_OUTPUT_HW_ID);
}

static struct kunit_case aux_tests[] = {
	KUNIT_CASE(aux_transaction),
	KUNIT_CASE(aux_wraps),
	KUNIT_CASE(aux_wakes),
	KUNIT_CASE(aux_skips),
	KUNIT_CASE(aux_fills_up),
	KUNIT_CASE(aux_truncated),
	KUNIT_CASE(aux_full_at_restart),
	KUNIT_CASE(aux_incredible),
	KUNIT_CASE(aux_wild_tail),
	KUNIT_CASE(aux_overwrites),
	KUNIT_CASE(aux_begins_twice),
	KUNIT_CASE(aux_record_before_wakeup),
	KUNIT_CASE(aux_record_within_another),
	KUNIT_CASE(aux_samples),
	KUNIT_CASE(aux_pauses),
	KUNIT_CASE(aux_announces),
	{}
};

static struct kunit_suite aux_suite = {
	.name		= "perf_aux",
	.init		= fake_aux_init,
	.exit		= fake_aux_exit,
	.test_cases	= aux_tests,
};

kunit_test_suite(aux_suite);
