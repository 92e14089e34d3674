// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: what events have when their context is exchanged. Throttled events, events that are to be
 * disabled, and events that user space reads.
 *
 * The test's thread has a context, which a task that never runs inherits. The tests call what the
 * scheduler calls at a switch between the two, with interrupts off. So each switch is an exchange
 * unless the contexts differ.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/ctx_swap.h"
#include "../context/state.h"
#include "../overflow/overflow.h"
#include "fake_counters.h"
#include "test_open.h"

#define MAX_EVENTS	4

/* attr.config1: user space reads the counter */
#define USER_READS	1

/**
 * struct exchange_test - one test
 * @fake: the PMU; its events sample, but no period ends
 * @event_init: event_init() of the fake PMU
 * @child: a task that inherits events and never runs
 * @other: a task without events that never runs
 * @events: open events of the test's thread
 * @nr_events: number of @events
 */
struct exchange_test {
	struct fake_pmu		fake;
	int			(*event_init)(struct perf_event *event);
	struct task_struct	*child;
	struct task_struct	*other;
	struct perf_event	*events[MAX_EVENTS];
	unsigned int		nr_events;
};

static int exchange_event_init(struct perf_event *event)
{
	struct exchange_test *t = container_of(event->pmu, struct exchange_test, fake.pmu);
	int err = t->event_init(event);

	if (!err && event->attr.config1 == USER_READS)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	return err;
}

static int exchange_event_idx(struct perf_event *event)
{
	return event->hw.idx + 1;
}

static int exchange_init(struct kunit *test)
{
	struct exchange_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	t->child = kunit_kzalloc(test, sizeof(*t->child), GFP_KERNEL);
	t->other = kunit_kzalloc(test, sizeof(*t->other), GFP_KERNEL);
	if (!t->child || !t->other)
		return -ENOMEM;
	/* enough references that the task is never freed */
	refcount_set(&t->child->usage, 1000000);
	t->fake.nr_counters = 4;
	t->fake.width = 48;
	err = fake_pmu_register(&t->fake, "kunit_exchange", THIS_MODULE);
	if (err)
		return err;
	t->event_init = t->fake.pmu.event_init;
	t->fake.pmu.event_init = exchange_event_init;
	t->fake.pmu.event_idx = exchange_event_idx;
	test->priv = t;
	return 0;
}

static struct perf_event *open_event(struct kunit *test, struct perf_event_attr attr)
{
	struct exchange_test *t = test->priv;

	KUNIT_ASSERT_LT(test, t->nr_events, MAX_EVENTS);
	attr.type = t->fake.pmu.type;
	attr.config = FAKE_CONFIG(FAKE_POKE, 0);
	attr.sample_period = BIT_ULL(40);
	t->events[t->nr_events] = test_open_own(test, NULL, attr);
	return t->events[t->nr_events++];
}

static void close_last(struct exchange_test *t)
{
	perf_event_close(t->events[--t->nr_events]);
}

static void child_begins(struct kunit *test)
{
	struct exchange_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, perf_event_init_task(t->child, 0), 0);
	KUNIT_ASSERT_NOT_NULL(test, t->child->perf_event_ctxp);
}

/* If the child has the context of current, that comes home first. */
static void child_exits(struct exchange_test *t)
{
	struct perf_event_context *own = perf_ctx_pin_own(current);

	if (own)
		perf_ctx_unpin(own);
	if (t->child->perf_event_ctxp)
		perf_event_exit_task(t->child);
}

static void exchange_exit(struct kunit *test)
{
	struct exchange_test *t = test->priv;

	if (!t)
		return;
	child_exits(t);
	while (t->nr_events)
		close_last(t);
	fake_pmu_unregister(&t->fake);
}

static struct perf_event *inherited_from(struct kunit *test, struct perf_event *event)
{
	KUNIT_ASSERT_FALSE(test, list_empty(&event->child_list));
	return list_first_entry(&event->child_list, struct perf_event, child_list);
}

/* The CPU switches between tasks. Those that never run are not switched in. */
static void switch_tasks(struct task_struct *prev, struct task_struct *next)
{
	lockdep_assert_irqs_disabled();
	perf_switch_out(prev, next);
	if (next == current)
		perf_switch_in(prev, next);
}

/* The child runs, and then a task without events. The child keeps the context that it has got. */
static void let_child_keep(struct exchange_test *t)
{
	switch_tasks(current, t->child);
	switch_tasks(t->child, t->other);
	switch_tasks(t->other, current);
}

/* Does a switch exchange the contexts? In any case they are where they were afterwards. */
static bool exchanges(struct exchange_test *t)
{
	struct perf_event_context *mine = current->perf_event_ctxp;
	bool exchanged;

	guard(irq)();
	switch_tasks(current, t->child);
	exchanged = current->perf_event_ctxp != mine;
	switch_tasks(t->child, current);
	return exchanged;
}

static u64 count_here(struct perf_event *event)
{
	event->pmu->read(event);
	return local64_read(&event->count);
}

/* Does the event count what occurs on this CPU? */
static bool counts(struct exchange_test *t, struct perf_event *event)
{
	u64 before = count_here(event);

	fake_pmu_interrupt(this_cpu_ptr(t->fake.cpus), 1, NULL);
	return count_here(event) == before + 1;
}

/* As the core leaves an event that overflows, and has overflowed too often. */
static void throttle(struct perf_event *event)
{
	perf_event_mark_throttled(event);
	if (perf_event_account_interrupt(event))
		event->pmu->stop(event, PERF_EF_UPDATE);
}

static void expect_throttled(struct kunit *test, struct perf_event *event, bool throttled)
{
	KUNIT_EXPECT_EQ(test, perf_event_is_throttled(event), throttled);
	KUNIT_EXPECT_EQ(test, counts(test->priv, event), !throttled);
}

static void expect_sound(struct kunit *test)
{
	struct exchange_test *t = test->priv;
	int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, cpu)->nr_faults, 0);
}

/*
 * An exchange does not start an event that is throttled. The next tick does, whichever task has the
 * context. If the context is scheduled out before, the event starts anew with the context.
 */
static void throttled_event_stays_until_the_tick(struct kunit *test)
{
	struct exchange_test *t = test->priv;
	struct perf_event *event = open_event(test, (struct perf_event_attr) { .inherit = 1 });
	struct perf_event *inherited;

	child_begins(test);
	inherited = inherited_from(test, event);
	scoped_guard(irq) {
		expect_throttled(test, event, false);
		throttle(event);
		switch_tasks(current, t->child);
		KUNIT_EXPECT_PTR_EQ(test, t->child->perf_event_ctxp, event->ctx);
		expect_throttled(test, event, true);
		perf_event_task_tick();
		expect_throttled(test, event, false);

		throttle(event);
		switch_tasks(t->child, current);
		KUNIT_EXPECT_PTR_EQ(test, current->perf_event_ctxp, event->ctx);
		expect_throttled(test, event, true);
		perf_event_task_tick();
		expect_throttled(test, event, false);

		/* the tick finds the inherited event, too */
		throttle(event);
		let_child_keep(t);
		KUNIT_EXPECT_PTR_EQ(test, current->perf_event_ctxp, inherited->ctx);
		expect_throttled(test, inherited, false);
		throttle(inherited);
		expect_throttled(test, inherited, true);
		perf_event_task_tick();
		expect_throttled(test, inherited, false);
		KUNIT_EXPECT_TRUE(test, perf_event_is_throttled(event));

		throttle(inherited);
		let_child_keep(t);
		KUNIT_EXPECT_PTR_EQ(test, current->perf_event_ctxp, event->ctx);
		expect_throttled(test, event, false);
	}
	expect_sound(test);
}

/*
 * The tick ends the throttling of events, and does not start one after its last overflow: the
 * irq_work that disables it is still to come.
 */
static void ended_event_stays_stopped(struct kunit *test)
{
	struct perf_event *event = open_event(test, (struct perf_event_attr) {});

	scoped_guard(irq) {
		throttle(event);
		event->pending_disable = 1;
		perf_event_task_tick();
		KUNIT_EXPECT_FALSE(test, counts(test->priv, event));
		irq_work_queue(&event->pending_disable_irq);
	}
	irq_work_sync(&event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_OFF);
	expect_sound(test);
}

/**
 * enum disable_where - where the irq_work runs that disables an event
 * @HERE: on the CPU of the event's context
 * @WHILE_OFF: on the last CPU of the context, which is off
 * @ELSEWHERE: on another CPU than the context's CPU
 * @WHERE_MAX: number of cases
 */
enum disable_where {
	HERE,
	WHILE_OFF,
	ELSEWHERE,
	WHERE_MAX,
};

/* As if the event had overflowed for the last time. */
static void queue_disable(struct perf_event *event, enum disable_where where)
{
	if (where != ELSEWHERE) {
		perf_event_disable_inatomic(event);
		return;
	}
	event->pending_disable = 1;
	irq_work_queue_on(&event->pending_disable_irq,
			  cpumask_any_but(cpu_online_mask, smp_processor_id()));
}

/* Preemption is off, so current cannot be switched out while its context is with the child. */
static void exchange_and_disable(struct kunit *test, struct perf_event *event,
				 enum disable_where where)
{
	struct exchange_test *t = test->priv;

	guard(preempt)();
	scoped_guard(irq) {
		queue_disable(event, where);
		switch_tasks(current, t->child);
		KUNIT_EXPECT_PTR_EQ(test, t->child->perf_event_ctxp, event->ctx);
		if (where == WHILE_OFF)
			switch_tasks(t->child, t->other);
		KUNIT_EXPECT_EQ(test, event->ctx->cpu,
				where == WHILE_OFF ? -1 : smp_processor_id());
		KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	}
	/* another CPU may queue it again, for this one */
	while (irq_work_is_busy(&event->pending_disable_irq))
		cpu_relax();
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_FALSE(test, event->pending_disable);
	KUNIT_EXPECT_EQ(test, event->oncpu, -1);
	scoped_guard(irq)
		switch_tasks(where == WHILE_OFF ? t->other : t->child, current);
}

/*
 * An event is to be disabled, and another task has got its context before. It is disabled there,
 * and the event inherited from it, which current has got, is not. The contexts differ then.
 */
static void event_is_disabled_with_its_new_task(struct kunit *test)
{
	struct exchange_test *t = test->priv;
	struct perf_event *event, *inherited;

	for (enum disable_where where = HERE; where < WHERE_MAX; where++) {
		if (where == ELSEWHERE && num_online_cpus() < 2)
			break;
		event = open_event(test, (struct perf_event_attr) { .inherit = 1 });
		child_begins(test);
		inherited = inherited_from(test, event);
		exchange_and_disable(test, event, where);

		KUNIT_EXPECT_PTR_EQ(test, current->perf_event_ctxp, inherited->ctx);
		KUNIT_EXPECT_PTR_EQ(test, t->child->perf_event_ctxp, event->ctx);
		KUNIT_EXPECT_EQ(test, (int)inherited->state, PERF_EVENT_STATE_ACTIVE);
		scoped_guard(irq)
			KUNIT_EXPECT_TRUE(test, counts(t, inherited));
		KUNIT_EXPECT_FALSE(test, exchanges(t));

		/* it goes on at home */
		perf_event_enable(event);
		child_exits(t);
		KUNIT_EXPECT_PTR_EQ(test, current->perf_event_ctxp, event->ctx);
		KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
		scoped_guard(irq)
			KUNIT_EXPECT_TRUE(test, counts(t, event));
		close_last(t);
	}
	expect_sound(test);
}

/* @of_current: expected in current's context. @of_child: expected in the child's context. */
static void expect_user_reads(struct kunit *test, unsigned int of_current, unsigned int of_child)
{
	struct exchange_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, current->perf_event_ctxp->nr_user_reads, of_current);
	KUNIT_EXPECT_EQ(test, t->child->perf_event_ctxp->nr_user_reads, of_child);
}

/*
 * A task may read counters while its context has such events. An exchange does not change what the
 * CPU allows, so it needs contexts with as many of them. An event is counted in the context that it
 * is in, whichever task has that.
 */
static void exchanged_contexts_have_equal_user_reads(struct kunit *test)
{
	static const struct perf_event_attr plain = { .inherit = 1 };
	static const struct perf_event_attr read = { .inherit = 1, .config1 = USER_READS };
	static const struct perf_event_attr alone = { .config1 = USER_READS };
	struct exchange_test *t = test->priv;
	struct perf_event *event;

	open_event(test, plain);
	event = open_event(test, read);
	open_event(test, read);
	child_begins(test);
	expect_user_reads(test, 2, 2);
	KUNIT_EXPECT_TRUE(test, exchanges(t));
	scoped_guard(mutex, &event->ctx->mutex)
		perf_event_with_children(event, perf_event_disable_one);
	expect_user_reads(test, 2, 2);
	KUNIT_EXPECT_TRUE(test, exchanges(t));

	/* one was opened after the fork */
	open_event(test, read);
	expect_user_reads(test, 3, 2);
	KUNIT_EXPECT_FALSE(test, exchanges(t));
	close_last(t);
	child_exits(t);

	/* two are closed after the exchange */
	child_begins(test);
	scoped_guard(irq)
		let_child_keep(t);
	KUNIT_EXPECT_PTR_EQ(test, t->child->perf_event_ctxp, event->ctx);
	expect_user_reads(test, 2, 2);
	close_last(t);
	expect_user_reads(test, 1, 1);
	close_last(t);
	expect_user_reads(test, 0, 0);
	child_exits(t);
	KUNIT_EXPECT_EQ(test, current->perf_event_ctxp->nr_user_reads, 0);

	/* one is not inherited */
	open_event(test, alone);
	child_begins(test);
	expect_user_reads(test, 1, 0);
	KUNIT_EXPECT_FALSE(test, exchanges(t));
	expect_sound(test);
}

static struct kunit_case exchange_cases[] = {
	KUNIT_CASE(throttled_event_stays_until_the_tick),
	KUNIT_CASE(ended_event_stays_stopped),
	KUNIT_CASE(event_is_disabled_with_its_new_task),
	KUNIT_CASE(exchanged_contexts_have_equal_user_reads),
	{}
};

static struct kunit_suite exchange_suite = {
	.name		= "perf_exchange",
	.init		= exchange_init,
	.exit		= exchange_exit,
	.test_cases	= exchange_cases,
};

kunit_test_suite(exchange_suite);
