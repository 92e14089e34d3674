// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the times of an event, and what an NMI reads of them in the middle of a change.
 */
#include <kunit/test.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/times.h"
#include "../context/state.h"
#include "../context/subctx.h"

/* A group of one event, in a sub-context with a clock that has run since 1000. */
struct times_fixture {
	struct perf_event	event;
	struct perf_event	leader;
	struct perf_subctx	subctx;
};

static struct times_fixture *times_fixture(struct kunit *test)
{
	struct times_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	perf_subctx_init(&fix->subctx, NULL);
	perf_clock_start(&fix->subctx.clock, 1000);
	fix->event.group_leader = &fix->leader;
	fix->event.subctx = &fix->subctx;
	INIT_LIST_HEAD(&fix->leader.sched_siblings);
	INIT_LIST_HEAD(&fix->event.group_entry);
	fix->event.total_time_enabled = 70;
	fix->event.total_time_running = 30;
	fix->leader.state = PERF_EVENT_STATE_INACTIVE;
	perf_event_stamp_times(&fix->event, 1000);
	return fix;
}

static void expect_times(struct kunit *test, struct perf_event *event, u64 now,
			 u64 enabled, u64 running)
{
	struct perf_event_times times;

	perf_event_times(event, now, &times);
	KUNIT_EXPECT_EQ(test, times.enabled, enabled);
	KUNIT_EXPECT_EQ(test, times.running, running);
}

/* A reader gets the same times after any subset of the stores of perf_event_update_times(). */
static void expect_times_halfway(struct kunit *test, struct perf_event *event,
				 u64 now, u64 enabled, u64 running)
{
	struct perf_event *mixed = kunit_kzalloc(test, sizeof(*mixed), GFP_KERNEL);
	struct perf_event *old = kunit_kzalloc(test, sizeof(*old), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mixed);
	KUNIT_ASSERT_NOT_NULL(test, old);
	memcpy(old, event, sizeof(*old));
	perf_event_update_times(event, now);

	for (unsigned int stored = 0; stored < 16; stored++) {
		memcpy(mixed, old, sizeof(*mixed));
		if (stored & 1)
			mixed->total_time_enabled = event->total_time_enabled;
		if (stored & 2)
			mixed->total_time_running = event->total_time_running;
		if (stored & 4)
			mixed->stamp_enabled = event->stamp_enabled;
		if (stored & 8)
			mixed->stamp_running = event->stamp_running;
		expect_times(test, mixed, now, enabled, running);
	}
	kunit_kfree(test, old);
	kunit_kfree(test, mixed);
}

static void times_follow_the_states(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event;

	event->state = PERF_EVENT_STATE_OFF;
	expect_times(test, event, 1100, 70, 30);
	perf_event_update_times(event, 1100);
	event->state = PERF_EVENT_STATE_INACTIVE;
	expect_times(test, event, 1110, 80, 30);
	perf_event_update_times(event, 1200);
	event->state = PERF_EVENT_STATE_ACTIVE;
	expect_times(test, event, 1230, 200, 60);
	perf_event_update_times(event, 1230);
	event->state = PERF_EVENT_STATE_INACTIVE;
	expect_times(test, event, 1300, 270, 60);
	perf_event_update_times(event, 1300);
	fix->leader.state = PERF_EVENT_STATE_OFF;
	expect_times(test, event, 1400, 270, 60);
}

static void times_stand_with_the_clock(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event;

	event->state = PERF_EVENT_STATE_ACTIVE;
	perf_clock_stop(&fix->subctx.clock, 1010);
	expect_times(test, event, 5000, 80, 40);
	perf_event_update_times(event, 0);
	expect_times(test, event, 0, 80, 40);
	perf_clock_start(&fix->subctx.clock, 7000);
	expect_times(test, event, 7005, 85, 45);
}

static void fold_can_be_interrupted(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event;

	event->state = PERF_EVENT_STATE_ACTIVE;
	expect_times_halfway(test, event, 1400, 470, 430);
	expect_times_halfway(test, event, 1500, 570, 530);
	event->state = PERF_EVENT_STATE_INACTIVE;
	expect_times_halfway(test, event, 1600, 670, 530);
	event->state = PERF_EVENT_STATE_OFF;
	expect_times_halfway(test, event, 1700, 670, 530);
	event->state = PERF_EVENT_STATE_INACTIVE;
	expect_times_halfway(test, event, 1705, 675, 530);
}

/* The times of a disabled event do not advance. After it is enabled they go on from there. */
static void off_and_on_again(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event;
	struct perf_event_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	raw_spin_lock_init(&ctx->lock);
	ctx->cpu = -1;
	INIT_LIST_HEAD(&event->sibling_list);
	event->ctx = ctx;
	event->attach_state = PERF_ATTACH_CONTEXT;
	event->state = PERF_EVENT_STATE_INACTIVE;
	fix->leader.state = PERF_EVENT_STATE_OFF;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	/* the times have not advanced so far, because the leader was disabled */
	expect_times(test, event, 1400, 70, 30);
	__perf_event_disable(event, 1400, PERF_EVENT_STATE_OFF);
	expect_times(test, event, 1500, 70, 30);
	__perf_event_enable(event, 1500);
	KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_INACTIVE);
	/* enable the leader */
	fix->leader.state = PERF_EVENT_STATE_INACTIVE;
	expect_times(test, event, 1600, 170, 30);
	__perf_event_disable(event, 1700, PERF_EVENT_STATE_OFF);
	expect_times(test, event, 1800, 270, 30);
	__perf_event_disable(event, 1900, PERF_EVENT_STATE_OFF);
	expect_times(test, event, 2000, 270, 30);
}

/* The time of the reading CPU can be behind the time of the last update. */
static void times_never_go_back(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event;

	event->state = PERF_EVENT_STATE_ACTIVE;
	perf_event_update_times(event, 1400);
	expect_times(test, event, 1390, 470, 430);
	perf_event_update_times(event, 1390);
	expect_times(test, event, 1390, 470, 430);
}

/* A follower has the times of its leader, although only the leader is updated. */
static void followers_have_the_times_of_the_leader(struct kunit *test)
{
	struct times_fixture *fix = times_fixture(test);
	struct perf_event *event = &fix->event, *leader = &fix->leader;

	leader->group_leader = leader;
	leader->subctx = &fix->subctx;
	leader->state = PERF_EVENT_STATE_OFF;
	leader->total_time_enabled = 500;
	leader->total_time_running = 400;
	perf_event_stamp_times(leader, 1000);
	event->attach_state = PERF_ATTACH_FOLLOWS;
	perf_event_stamp_times(event, 1000);
	event->state = PERF_EVENT_STATE_ACTIVE;
	expect_times(test, event, 1100, 70, 30);
	expect_times_halfway(test, event, 1150, 70, 30);

	perf_event_update_times(leader, 1200);
	leader->state = PERF_EVENT_STATE_INACTIVE;
	expect_times(test, event, 1250, 120, 30);
	perf_event_update_times(leader, 1300);
	leader->state = PERF_EVENT_STATE_ACTIVE;
	expect_times(test, event, 1350, 220, 80);
	expect_times_halfway(test, event, 1400, 270, 130);
	expect_times_halfway(test, leader, 1400, 700, 500);
	expect_times(test, event, 1450, 320, 180);

	perf_event_update_times(leader, 1500);
	leader->state = PERF_EVENT_STATE_OFF;
	expect_times(test, event, 2000, 370, 230);
	perf_event_update_times(event, 2100);
	event->state = PERF_EVENT_STATE_OFF;
	expect_times(test, event, 2200, 370, 230);
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE(times_follow_the_states),
	KUNIT_CASE(times_stand_with_the_clock),
	KUNIT_CASE(fold_can_be_interrupted),
	KUNIT_CASE(times_never_go_back),
	KUNIT_CASE(off_and_on_again),
	KUNIT_CASE(followers_have_the_times_of_the_leader),
	{}
};

static struct kunit_suite state_suite = {
	.name		= "perf_events_state",
	.test_cases	= state_cases,
};

kunit_test_suite(state_suite);
