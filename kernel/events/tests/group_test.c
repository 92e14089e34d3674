// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: unscheduled events in the sub-context of a CPU, alone and in groups.
 *
 * Events are made and installed as perf_event_open(2) does it, on the CPU that the test is bound
 * to. The tests generate occurrences of emulation faults. No other code of the kernel reports
 * these here, so counts are exact.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../context/context.h"
#include "../context/group.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../context/task_ctx.h"
#include "../base/event.h"
#include "../abi/read.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
#include "../output/ring_buffer.h"
#include "fake_counters.h"
#include "test_cpu.h"
#include "test_open.h"

#define FAKE_ID	PERF_COUNT_SW_EMULATION_FAULTS

struct group_test {
	struct perf_event_context *ctx;
	struct pt_regs regs;
};

static int group_test_init(struct kunit *test)
{
	struct group_test *gt = kunit_kzalloc(test, sizeof(*gt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gt);
	test_bind(test, 0);
	gt->ctx = perf_ctx_find(NULL, 0);
	test->priv = gt;
	return 0;
}

static void group_test_exit(struct kunit *test)
{
	struct group_test *gt = test->priv;

	perf_ctx_put(gt->ctx);
}

static void hit(struct kunit *test, int times)
{
	struct group_test *gt = test->priv;

	while (times--)
		perf_sw_event(FAKE_ID, 1, &gt->regs, 0);
}

static struct perf_event *add_event(struct kunit *test, struct perf_event *leader,
				    bool disabled)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= FAKE_ID,
		.disabled	= disabled,
	};
	struct perf_event_request req = {
		.attr		= &attr,
		.cpu		= 0,
		.leader		= leader,
	};

	return test_open(test, &req);
}

static void with_mutex(struct kunit *test, struct perf_event *event,
		       void (*fn)(struct perf_event *event))
{
	struct group_test *gt = test->priv;

	guard(mutex)(&gt->ctx->mutex);
	fn(event);
}

static u64 count_of(struct perf_event *event)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	return value.count;
}

static void set_hears_only_listeners(struct kunit *test)
{
	struct group_test *gt = test->priv;
	struct perf_event *one = add_event(test, NULL, false);
	struct perf_event *two = add_event(test, NULL, true);

	KUNIT_EXPECT_TRUE(test, perf_event_is_nosched(one));
	KUNIT_EXPECT_TRUE(test, gt->ctx->own.listened & BIT(FAKE_ID));
	hit(test, 3);
	KUNIT_EXPECT_EQ(test, count_of(one), 3);
	KUNIT_EXPECT_EQ(test, count_of(two), 0);

	with_mutex(test, two, perf_event_enable_one);
	hit(test, 2);
	with_mutex(test, one, perf_event_disable_one);
	hit(test, 4);
	KUNIT_EXPECT_EQ(test, count_of(one), 5);
	KUNIT_EXPECT_EQ(test, count_of(two), 6);

	perf_event_close(one);
	hit(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(two), 7);
	perf_event_close(two);
	KUNIT_EXPECT_FALSE(test, gt->ctx->own.listened & BIT(FAKE_ID));
}

static void toggling_twice_changes_nothing(struct kunit *test)
{
	struct perf_event *event = add_event(test, NULL, false);

	with_mutex(test, event, perf_event_enable_one);
	hit(test, 1);
	with_mutex(test, event, perf_event_disable_one);
	with_mutex(test, event, perf_event_disable_one);
	hit(test, 1);
	with_mutex(test, event, perf_event_enable_one);
	hit(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);
	perf_event_close(event);
}

static void siblings_follow_their_leader(struct kunit *test)
{
	struct perf_event *leader = add_event(test, NULL, true);
	struct perf_event *on = add_event(test, leader, false);
	struct perf_event *off = add_event(test, leader, true);

	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 2);
	hit(test, 5);
	KUNIT_EXPECT_EQ(test, count_of(on), 0);

	with_mutex(test, leader, perf_event_enable_one);
	hit(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(leader), 1);
	KUNIT_EXPECT_EQ(test, count_of(on), 1);
	KUNIT_EXPECT_EQ(test, count_of(off), 0);

	with_mutex(test, off, perf_event_enable_one);
	hit(test, 1);
	with_mutex(test, leader, perf_event_disable_one);
	hit(test, 7);
	KUNIT_EXPECT_EQ(test, count_of(leader), 2);
	KUNIT_EXPECT_EQ(test, count_of(on), 2);
	KUNIT_EXPECT_EQ(test, count_of(off), 1);

	perf_event_close(off);
	KUNIT_EXPECT_EQ(test, leader->nr_siblings, 1);
	perf_event_close(on);
	perf_event_close(leader);
}

static void siblings_outlive_their_leader(struct kunit *test)
{
	struct perf_event *leader = add_event(test, NULL, false);
	struct perf_event *on = add_event(test, leader, false);
	struct perf_event *off = add_event(test, leader, true);

	hit(test, 1);
	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, on->group_leader, on);
	KUNIT_EXPECT_PTR_EQ(test, off->group_leader, off);
	hit(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(on), 2);
	KUNIT_EXPECT_EQ(test, count_of(off), 0);
	with_mutex(test, off, perf_event_enable_one);
	hit(test, 1);
	KUNIT_EXPECT_EQ(test, count_of(on), 3);
	KUNIT_EXPECT_EQ(test, count_of(off), 1);
	perf_event_close(on);
	perf_event_close(off);
}

/*
 * The page of a follower is updated when its leader starts. Without a leader it is like the page of
 * any event of the CPU, which is updated only with the event.
 */
static void page_of_a_former_follower(struct kunit *test)
{
	struct perf_event *leader = add_event(test, NULL, false);
	struct perf_event *event = add_event(test, leader, false);
	struct perf_buffer *rb = test_buffer(test, event, 0);
	u32 lock;

	KUNIT_EXPECT_TRUE(test, perf_event_follows(event));
	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(event, rb);
	KUNIT_EXPECT_FALSE(test, hlist_unhashed(&event->mapped_entry));

	lock = rb->user_page->lock;
	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, event->group_leader, event);
	KUNIT_EXPECT_TRUE(test, hlist_unhashed(&event->mapped_entry));
	KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);
	lock = rb->user_page->lock;
	with_mutex(test, event, perf_event_disable_one);
	KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_end(event);
	perf_event_close(event);
	perf_rb_put(rb);
}

/*
 * The events of a CPU that goes offline leave, and their mappings stay. Their sub-context may be
 * freed then, with its list of pages. Nor does one more mapping put the event on the list.
 */
static void page_of_an_event_that_left(struct kunit *test)
{
	struct perf_event *leader = add_event(test, NULL, false);
	struct perf_event *event = add_event(test, leader, false);
	struct perf_buffer *rb = test_buffer(test, event, 0);

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(event, rb);
	KUNIT_EXPECT_FALSE(test, hlist_unhashed(&event->mapped_entry));
	scoped_guard(mutex, &event->ctx->mutex) {
		perf_ctx_remove(event, PERF_EVENT_STATE_EXIT, true);
		perf_ctx_remove(leader, PERF_EVENT_STATE_EXIT, true);
	}
	KUNIT_EXPECT_TRUE(test, perf_event_follows(event));
	KUNIT_EXPECT_TRUE(test, hlist_unhashed(&event->mapped_entry));
	KUNIT_EXPECT_TRUE(test, hlist_empty(&event->ctx->own.mapped));

	scoped_guard(mutex, &rb->mutex) {
		perf_userpage_end(event);
		perf_userpage_begin(event, rb);
		KUNIT_EXPECT_TRUE(test, hlist_unhashed(&event->mapped_entry));
		KUNIT_EXPECT_TRUE(test, hlist_empty(&event->ctx->own.mapped));
		perf_userpage_end(event);
	}
	perf_event_close(leader);
	perf_event_close(event);
	perf_rb_put(rb);
}

static void times_follow_the_states(struct kunit *test)
{
	struct perf_event *leader = add_event(test, NULL, true);
	struct perf_event *sibling = add_event(test, leader, false);
	struct perf_event_value before, after;

	perf_read_own(sibling, &before);
	KUNIT_EXPECT_EQ(test, before.enabled, 0);
	KUNIT_EXPECT_EQ(test, before.running, 0);

	with_mutex(test, leader, perf_event_enable_one);
	udelay(10);
	perf_read_own(sibling, &after);
	KUNIT_EXPECT_GE(test, after.enabled, 10 * NSEC_PER_USEC);
	KUNIT_EXPECT_EQ(test, after.enabled, after.running);

	with_mutex(test, leader, perf_event_disable_one);
	perf_read_own(sibling, &before);
	udelay(10);
	perf_read_own(sibling, &after);
	KUNIT_EXPECT_EQ(test, before.enabled, after.enabled);
	KUNIT_EXPECT_EQ(test, before.running, after.running);

	perf_event_close(leader);
	perf_event_close(sibling);
}

static struct perf_event *add_fake(struct kunit *test, struct fake_pmu *fake,
				   struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = fake->pmu.type };
	struct perf_event_request req = { .attr = &attr, .cpu = 0, .leader = leader };

	return test_open(test, &req);
}

/* As drivers report the number of a counter. */
static int counter_idx(struct perf_event *event)
{
	return event->hw.idx + 1;
}

/* Open a member of a group, of the CPU or of current. */
static struct perf_event *join(struct kunit *test, u32 type, bool of_task,
			       struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type		= type,
		.config		= type == PERF_TYPE_SOFTWARE ? FAKE_ID : FAKE_CONFIG(FAKE_POKE, 0),
	};
	struct perf_event_request req = {
		.attr		= &attr,
		.cpu		= of_task ? -1 : 0,
		.task		= of_task ? current : NULL,
		.leader		= leader,
	};

	return test_open(test, &req);
}

/* What a program computes from the page of an event and from the counter that the page names. */
static u64 count_by_page(struct fake_pmu *fake, const struct perf_event_mmap_page *page)
{
	u64 count;

	guard(irq)();
	count = page->offset;
	if (page->index)
		count += this_cpu_ptr(fake->cpus)->raw[page->index - 1];
	return count;
}

static bool page_names_counter(struct perf_event *event, const struct perf_event_mmap_page *page)
{
	guard(irq)();
	return event->oncpu >= 0 && page->index == counter_idx(event);
}

/* Close the leader of a mapped sibling, which has @nr_more siblings that follow. */
static void promote_mapped(struct kunit *test, struct fake_pmu *fake, bool of_task,
			   unsigned int nr_more)
{
	struct perf_event *leader = join(test, fake->pmu.type, of_task, NULL);
	struct perf_event *event = join(test, fake->pmu.type, of_task, leader);
	struct perf_event *more[PERF_GROUP_BATCH];
	struct perf_buffer *rb = test_buffer(test, event, 0);
	struct perf_event_mmap_page *page = rb->user_page;
	unsigned int i;
	u32 lock;

	for (i = 0; i < nr_more; i++)
		more[i] = join(test, PERF_TYPE_SOFTWARE, of_task, leader);
	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(event, rb);
	KUNIT_EXPECT_FALSE(test, perf_event_follows(event));
	KUNIT_EXPECT_EQ(test, hlist_unhashed(&event->mapped_entry), !of_task);
	fake_pmu_poke(fake, 3);
	KUNIT_EXPECT_TRUE(test, page_names_counter(event, page));
	KUNIT_EXPECT_EQ(test, count_by_page(fake, page), 3);

	lock = page->lock;
	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, event->group_leader, event);
	KUNIT_EXPECT_EQ(test, hlist_unhashed(&event->mapped_entry), !of_task);
	KUNIT_EXPECT_NE(test, page->lock, lock);
	KUNIT_EXPECT_TRUE(test, page_names_counter(event, page));
	fake_pmu_poke(fake, 4);
	KUNIT_EXPECT_EQ(test, count_by_page(fake, page), 7);

	perf_event_disable(event);
	KUNIT_EXPECT_EQ(test, page->index, 0);
	KUNIT_EXPECT_EQ(test, count_by_page(fake, page), 7);
	perf_event_enable(event);
	KUNIT_EXPECT_TRUE(test, page_names_counter(event, page));
	fake_pmu_poke(fake, 2);
	KUNIT_EXPECT_EQ(test, count_by_page(fake, page), 9);
	KUNIT_EXPECT_EQ(test, count_of(event), 9);

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_end(event);
	for (i = 0; i < nr_more; i++)
		perf_event_close(more[i]);
	perf_event_close(event);
	perf_rb_put(rb);
}

/*
 * The page of a sibling with a counter names that counter. When the leader is closed, the sibling
 * gets a counter anew. Its page names that one, and is updated as before. If the leader has many
 * siblings, it has its own counter meanwhile.
 */
static void page_of_a_former_sibling(struct kunit *test)
{
	struct fake_pmu fake = { .nr_counters = 4, .width = 48 };

	KUNIT_ASSERT_EQ(test, fake_pmu_register(&fake, "kunit_page", THIS_MODULE), 0);
	fake.pmu.event_idx = counter_idx;
	promote_mapped(test, &fake, false, 0);
	promote_mapped(test, &fake, false, PERF_GROUP_BATCH);
	promote_mapped(test, &fake, true, 0);
	promote_mapped(test, &fake, true, PERF_GROUP_BATCH);
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(fake.cpus, 0)->nr_faults, 0);
	fake_pmu_unregister(&fake);
}

/*
 * An irq_work that disables a member takes it off sched_siblings and puts it back, without
 * ctx->mutex. A check of the group in between must find the member.
 */
static void member_is_seen_while_it_is_sorted(struct kunit *test)
{
	struct group_test *gt = test->priv;
	struct fake_pmu one = { .nr_counters = 4, .width = 48 };
	struct fake_pmu two = { .nr_counters = 4, .width = 48 };
	struct perf_event *leader, *member, *other;
	const char *before, *meanwhile, *own;

	KUNIT_ASSERT_EQ(test, fake_pmu_register(&one, "kunit_one", THIS_MODULE), 0);
	KUNIT_ASSERT_EQ(test, fake_pmu_register(&two, "kunit_two", THIS_MODULE), 0);
	leader = add_event(test, NULL, true);
	member = add_fake(test, &one, leader);
	other = add_fake(test, &two, NULL);
	scoped_guard(mutex, &gt->ctx->mutex) {
		before = perf_group_join_fault(leader, other, gt->ctx);
		scoped_guard(raw_spinlock_irq, &gt->ctx->lock)
			list_del_init(&member->group_entry);
		meanwhile = perf_group_join_fault(leader, other, gt->ctx);
		scoped_guard(raw_spinlock_irq, &gt->ctx->lock)
			list_add_tail(&member->group_entry, &leader->sched_siblings);
		own = perf_group_join_fault(leader, member, gt->ctx);
	}
	KUNIT_EXPECT_STREQ(test, before, "the group has counters of another PMU");
	KUNIT_EXPECT_PTR_EQ(test, meanwhile, before);
	KUNIT_EXPECT_NULL(test, own);

	perf_event_close(other);
	perf_event_close(member);
	perf_event_close(leader);
	fake_pmu_unregister(&two);
	fake_pmu_unregister(&one);
}

static struct kunit_case group_cases[] = {
	KUNIT_CASE(set_hears_only_listeners),
	KUNIT_CASE(toggling_twice_changes_nothing),
	KUNIT_CASE(siblings_follow_their_leader),
	KUNIT_CASE(siblings_outlive_their_leader),
	KUNIT_CASE(page_of_a_former_follower),
	KUNIT_CASE(page_of_an_event_that_left),
	KUNIT_CASE(times_follow_the_states),
	KUNIT_CASE(page_of_a_former_sibling),
	KUNIT_CASE(member_is_seen_while_it_is_sorted),
	{}
};

static struct kunit_suite group_suite = {
	.name		= "perf_events_group",
	.init		= group_test_init,
	.exit		= group_test_exit,
	.test_cases	= group_cases,
};

kunit_test_suite(group_suite);
