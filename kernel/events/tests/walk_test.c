// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of walk.h: what a walk visits while its list changes, and that an occurrence
 * with many events enables interrupts in between.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../context/state.h"
#include "../software/software.h"
#include "../base/walk.h"
#include "test_irq.h"

#define NR_NODES	6

struct walk_fixture {
	struct hlist_head	list;
	struct hlist_node	node[NR_NODES];
};

/* Make a list of all nodes in ascending order. */
static struct walk_fixture *make_list(struct kunit *test)
{
	struct walk_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	for (int i = NR_NODES - 1; i >= 0; i--)
		hlist_add_head_rcu(&fix->node[i], &fix->list);
	return fix;
}

static void take_off(struct hlist_node *node)
{
	perf_walk_pass(node);
	hlist_del_rcu(node);
}

/* Expect that the next steps of a walk visit @nodes, which end with -1. */
static void expect_steps(struct kunit *test, struct walk_fixture *fix,
			 struct perf_walk *walk, const int *nodes)
{
	for (; *nodes >= 0; nodes++)
		KUNIT_EXPECT_PTR_EQ(test, perf_walk_step(walk), &fix->node[*nodes]);
}

static void walk_visits_all(struct kunit *test)
{
	struct walk_fixture *fix = make_list(test);
	struct perf_walk walk;

	guard(irqsave)();
	perf_walk_begin(&walk, fix->list.first);
	expect_steps(test, fix, &walk, (const int[]) { 0, 1, 2, 3, 4, 5, -1 });
	KUNIT_EXPECT_NULL(test, perf_walk_step(&walk));
	perf_walk_end(&walk);
}

static void walk_passes_what_goes(struct kunit *test)
{
	struct walk_fixture *fix = make_list(test);
	struct perf_walk walk;

	guard(irqsave)();
	perf_walk_begin(&walk, fix->list.first);
	expect_steps(test, fix, &walk, (const int[]) { 0, 1, -1 });
	/* the node that was visited last, the next two nodes, and a later one */
	take_off(&fix->node[1]);
	take_off(&fix->node[2]);
	take_off(&fix->node[3]);
	take_off(&fix->node[5]);
	expect_steps(test, fix, &walk, (const int[]) { 4, -1 });
	KUNIT_EXPECT_NULL(test, perf_walk_step(&walk));
	perf_walk_end(&walk);
}

/* A node that is added during a walk is put to the front, so the walk does not visit it. */
static void walk_visits_none_twice(struct kunit *test)
{
	struct walk_fixture *fix = make_list(test);
	struct hlist_head other = {};
	struct perf_walk walk;

	guard(irqsave)();
	perf_walk_begin(&walk, fix->list.first);
	expect_steps(test, fix, &walk, (const int[]) { 0, 1, -1 });
	take_off(&fix->node[1]);
	hlist_add_head_rcu(&fix->node[1], &fix->list);
	take_off(&fix->node[2]);
	hlist_add_head_rcu(&fix->node[2], &other);
	expect_steps(test, fix, &walk, (const int[]) { 3, 4, -1 });
	take_off(&fix->node[5]);
	hlist_add_head_rcu(&fix->node[5], &fix->list);
	KUNIT_EXPECT_NULL(test, perf_walk_step(&walk));
	perf_walk_end(&walk);
}

static void walks_nest(struct kunit *test)
{
	struct walk_fixture *fix = make_list(test);
	struct perf_walk outer, inner;

	guard(irqsave)();
	perf_walk_begin(&outer, fix->list.first);
	expect_steps(test, fix, &outer, (const int[]) { 0, -1 });
	perf_walk_begin(&inner, fix->list.first);
	expect_steps(test, fix, &inner, (const int[]) { 0, 1, 2, -1 });
	take_off(&fix->node[1]);
	take_off(&fix->node[3]);
	expect_steps(test, fix, &inner, (const int[]) { 4, -1 });
	perf_walk_end(&inner);
	take_off(&fix->node[4]);
	expect_steps(test, fix, &outer, (const int[]) { 2, 5, -1 });
	perf_walk_end(&outer);
	KUNIT_EXPECT_NULL(test, __this_cpu_read(perf_walks));
}

#define NR_EVENTS	(5 * PERF_WALK_AT_ONCE)

/**
 * struct many_events - events of the running task that the same occurrence counts
 * @events: the events
 * @irqs_on: queued by each overflow; runs, and resets @at_once, when interrupts are on
 * @heard: number of calls of the overflow handler
 * @at_once: number of these since interrupts were on
 * @most: maximum of @at_once
 * @preemptible: the task could have been preempted in the middle of a walk
 * @toggle: disable and enable the next event whenever interrupts are on
 * @toggled: number of times that this was done
 */
struct many_events {
	struct perf_event	*events[NR_EVENTS];
	struct irq_work		irqs_on;
	unsigned int		heard;
	unsigned int		at_once;
	unsigned int		most;
	bool			preemptible;
	bool			toggle;
	unsigned int		toggled;
};

/* The next event of the walk. The event that was opened last is at the front of the list. */
static struct perf_event *many_next(struct many_events *many)
{
	unsigned int done = many->heard + many->toggled;

	return done < NR_EVENTS ? many->events[NR_EVENTS - 1 - done] : NULL;
}

static void many_toggle(struct many_events *many)
{
	struct perf_event *event = many_next(many);

	if (!event || event->ctx->cpu != smp_processor_id())
		return;
	perf_cpu_lock(this_perf_cpu());
	__perf_event_disable(event, perf_time(), PERF_EVENT_STATE_OFF);
	__perf_event_enable(event, perf_time());
	perf_cpu_unlock(this_perf_cpu());
	many->toggled++;
}

static void many_irqs_on(struct irq_work *work)
{
	struct many_events *many = container_of(work, struct many_events, irqs_on);

	many->at_once = 0;
	/* in the middle of the walk */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT) && many_next(many) &&
	    !(preempt_count() & PREEMPT_MASK))
		many->preemptible = true;
	if (many->toggle)
		many_toggle(many);
}

static void many_heard(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct many_events *many = event->overflow_handler_context;

	many->heard++;
	many->most = max(many->most, ++many->at_once);
	test_irq_work_queue(&many->irqs_on);
}

/* Open events that overflow at each occurrence. */
static struct many_events *make_many(struct kunit *test)
{
	struct many_events *many = kunit_kzalloc(test, sizeof(*many), GFP_KERNEL);
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_EMULATION_FAULTS,
		.size		= sizeof(attr),
		.sample_period	= 1,
	};

	KUNIT_ASSERT_NOT_NULL(test, many);
	many->irqs_on = IRQ_WORK_INIT_HARD(many_irqs_on);
	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		many->events[i] = perf_event_create_kernel_counter(&attr, -1, current,
								   many_heard, many);
		KUNIT_ASSERT_FALSE(test, IS_ERR(many->events[i]));
	}
	return many;
}

static void many_occur(struct many_events *many)
{
	struct pt_regs regs;

	perf_fetch_caller_regs(&regs);
	perf_swevent_hit(PERF_COUNT_SW_EMULATION_FAULTS, 1, &regs, 0);
	irq_work_sync(&many->irqs_on);
}

static void occurrence_lets_interrupts_in(struct kunit *test)
{
	struct many_events *many = make_many(test);

	many_occur(many);
	KUNIT_EXPECT_EQ(test, many->heard, NR_EVENTS);
	KUNIT_EXPECT_LE(test, many->most, 2 * PERF_WALK_AT_ONCE);
	KUNIT_EXPECT_FALSE(test, many->preemptible);

	/* interrupts that were disabled before stay disabled */
	many->heard = 0;
	many->most = 0;
	many->at_once = 0;
	scoped_guard(irq) {
		struct pt_regs regs;

		perf_fetch_caller_regs(&regs);
		perf_swevent_hit(PERF_COUNT_SW_EMULATION_FAULTS, 1, &regs, 0);
		KUNIT_EXPECT_TRUE(test, irqs_disabled());
		KUNIT_EXPECT_EQ(test, many->most, NR_EVENTS);
	}
	irq_work_sync(&many->irqs_on);
	for (unsigned int i = 0; i < NR_EVENTS; i++)
		perf_event_release_kernel(many->events[i]);
}

/*
 * Interrupts in the middle of an occurrence remove the next event from its list, and add it to the
 * front. The walk skips that event, and visits no event twice.
 */
static void changes_in_between_lose_none(struct kunit *test)
{
	struct many_events *many = make_many(test);
	unsigned int i, passed = 0;

	many->toggle = true;
	many_occur(many);
	many->toggle = false;
	for (i = 0; i < NR_EVENTS; i++) {
		u64 count = local64_read(&many->events[i]->count);

		KUNIT_EXPECT_LE(test, count, 1);
		passed += !count;
	}
	KUNIT_EXPECT_EQ(test, passed, many->toggled);
	KUNIT_EXPECT_GE(test, many->toggled, 2);
	KUNIT_EXPECT_EQ(test, many->heard, NR_EVENTS - many->toggled);
	for (i = 0; i < NR_EVENTS; i++)
		perf_event_release_kernel(many->events[i]);
}

static struct kunit_case walk_cases[] = {
	KUNIT_CASE(walk_visits_all),
	KUNIT_CASE(walk_passes_what_goes),
	KUNIT_CASE(walk_visits_none_twice),
	KUNIT_CASE(walks_nest),
	KUNIT_CASE(occurrence_lets_interrupts_in),
	KUNIT_CASE(changes_in_between_lose_none),
	{}
};

static struct kunit_suite walk_suite = {
	.name		= "perf_events_walk",
	.test_cases	= walk_cases,
};

kunit_test_suite(walk_suite);
