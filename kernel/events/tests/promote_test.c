// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the leader of a group is closed, and its siblings become single events. What their
 * context, sub-context and pmu_ctx count is compared with the events that are left. What else a
 * sibling has stays where it is.
 *
 * A number that is too high keeps an empty pmu_ctx scheduled in, or an empty sub-context alive. One
 * that is too low lets a context switch pass the groups that are left.
 */
#include <kunit/test.h>
#include <linux/hw_breakpoint.h>
#include <linux/module.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>

#include "../abi/read.h"
#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
#include "../context/cgroup.h"
#include "../context/context.h"
#include "../context/ctx_sched.h"
#include "../context/group.h"
#include "../context/task_ctx.h"
#include "../output/ring_buffer.h"
#include "../sideband/sideband.h"
#include "fake_counters.h"
#include "test_open.h"

#define COUNTERS	4
#define MANY		(PERF_GROUP_BATCH + 3)

/**
 * struct promote_test - one test
 * @fake: the PMU
 * @cpu: the CPU of the test
 * @of_task: the events belong to current, otherwise to @cpu
 * @ctx: their context
 * @nr_others: number of events of the context that are not the test's
 * @nr_others_own: the same of its own sub-context
 * @nr_enqueued: number of enqueued groups that are not the test's
 */
struct promote_test {
	struct fake_pmu			fake;
	int				cpu;
	bool				of_task;
	struct perf_event_context	*ctx;
	unsigned int			nr_others;
	unsigned int			nr_others_own;
	unsigned int			nr_enqueued;
};

static const struct promote_param {
	const char	*name;
	bool		of_task;
} promote_params[] = {
	{ "events of a CPU", false },
	{ "events of a task", true },
};

KUNIT_ARRAY_PARAM_DESC(promote, promote_params, name);

static struct perf_event *open_in(struct kunit *test, struct perf_event *leader,
				  struct perf_event_attr attr)
{
	struct promote_test *t = test->priv;
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= t->of_task ? -1 : t->cpu,
		.task	= t->of_task ? current : NULL,
		.leader	= leader,
	};

	return test_open(test, &req);
}

/* An event that needs a counter. */
static struct perf_event *open_counter(struct kunit *test, struct perf_event *leader,
				       bool disabled)
{
	struct promote_test *t = test->priv;

	return open_in(test, leader, (struct perf_event_attr) {
		.type		= t->fake.pmu.type,
		.config		= FAKE_CONFIG(FAKE_POKE, 0),
		.disabled	= disabled,
	});
}

/* An event that needs no counter, and follows its leader. */
static struct perf_event *open_software(struct kunit *test, struct perf_event *leader)
{
	return open_in(test, leader, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
	});
}

/* Caller must hold the lock of the context. */
static struct perf_event_pmu_context *find_pmu_ctx(struct promote_test *t,
						   struct perf_subctx *subctx)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
		if (pmu_ctx->pmu == &t->fake.pmu)
			return pmu_ctx;
	}
	return NULL;
}

static unsigned int nr_in_tree(const struct perf_event_pmu_context *pmu_ctx)
{
	unsigned int nr = 0;

	for (struct rb_node *node = rb_first_cached(&pmu_ctx->waiting); node; node = rb_next(node))
		nr++;
	return nr;
}

/* The numbers of events and of enqueued groups, of which @nr_here are in the sub-context. */
static void expect_in(struct kunit *test, struct perf_subctx *subctx, unsigned int nr_events,
		      unsigned int nr_groups, unsigned int nr_here)
{
	struct promote_test *t = test->priv;
	struct perf_event_pmu_context *pmu_ctx;
	unsigned int nr_listed = 0, nr_counted = 0, nr_waiting = 0, nr_in = 0;

	scoped_guard(raw_spinlock_irqsave, &t->ctx->lock) {
		pmu_ctx = find_pmu_ctx(t, subctx);
		if (!pmu_ctx)
			break;
		nr_in = nr_in_tree(pmu_ctx);
		nr_listed = list_count_nodes(&pmu_ctx->pinned) +
			    list_count_nodes(&pmu_ctx->running) +
			    list_count_nodes(&pmu_ctx->unfit) + nr_in;
		nr_counted = pmu_ctx->nr_groups;
		nr_waiting = pmu_ctx->nr_waiting;
	}
	KUNIT_EXPECT_EQ(test, t->ctx->nr_events, t->nr_others + nr_events);
	KUNIT_EXPECT_EQ(test, t->ctx->nr_enqueued, t->nr_enqueued + nr_groups);
	KUNIT_EXPECT_EQ(test, nr_counted, nr_here);
	KUNIT_EXPECT_EQ(test, nr_listed, nr_here);
	KUNIT_EXPECT_EQ(test, nr_waiting, nr_in);
}

/* The same if all of them are in the own sub-context, which has no other events than these. */
static void expect_own(struct kunit *test, unsigned int nr_events, unsigned int nr_groups)
{
	struct promote_test *t = test->priv;
	struct perf_subctx *own = &t->ctx->own;

	expect_in(test, own, nr_events, nr_groups, nr_groups);
	KUNIT_EXPECT_EQ(test, own->nr_events, t->nr_others_own + nr_events);
}

/* Of a group that counts, each enabled sibling that needs a counter becomes a group. */
static void siblings_are_enqueued(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_event *leader = open_counter(test, NULL, false);
	struct perf_event *on = open_counter(test, leader, false);
	struct perf_event *off = open_counter(test, leader, true);
	struct perf_event *follows = open_software(test, leader);

	KUNIT_EXPECT_TRUE(test, perf_event_follows(follows));
	expect_own(test, 4, 1);
	KUNIT_EXPECT_EQ(test, hweight_long(this_cpu_ptr(t->fake.cpus)->used), 2);
	perf_event_close(leader);
	expect_own(test, 3, 1);
	KUNIT_EXPECT_GE(test, on->oncpu, 0);
	KUNIT_EXPECT_EQ(test, hweight_long(this_cpu_ptr(t->fake.cpus)->used), 1);

	perf_event_enable(off);
	expect_own(test, 3, 2);
	perf_event_disable(on);
	expect_own(test, 3, 1);
	perf_event_close(on);
	perf_event_close(follows);
	expect_own(test, 1, 1);
	perf_event_close(off);
	expect_own(test, 0, 0);
}

/* Close events that are single, and expect that @nr_events in @nr_groups groups are left. */
static void close_each(struct kunit *test, struct perf_event **events, unsigned int nr,
		       unsigned int nr_events, unsigned int nr_groups)
{
	for (unsigned int i = 0; i < nr; i++)
		perf_event_close(events[i]);
	expect_own(test, nr_events, nr_groups);
}

/* The siblings of a disabled leader were in no queue, and are now. */
static void siblings_of_a_disabled_leader_are_enqueued(struct kunit *test)
{
	struct perf_event *leader = open_counter(test, NULL, true);
	struct perf_event *on[2], *off;

	on[0] = open_counter(test, leader, false);
	on[1] = open_counter(test, leader, false);
	off = open_counter(test, leader, true);
	expect_own(test, 4, 0);
	perf_event_close(leader);
	expect_own(test, 3, 2);
	close_each(test, on, 2, 1, 0);
	close_each(test, &off, 1, 0, 0);
}

/* The group waits for counters that another one has. Some of its siblings may wait, too. */
static void siblings_of_a_waiting_group_are_enqueued(struct kunit *test)
{
	struct perf_event *others[COUNTERS], *leader, *event[2];
	unsigned int i;

	for (i = 0; i < COUNTERS; i++)
		others[i] = open_counter(test, i ? others[0] : NULL, false);
	leader = open_counter(test, NULL, false);
	for (i = 0; i < 2; i++)
		event[i] = open_counter(test, leader, false);
	expect_own(test, COUNTERS + 3, 2);
	perf_event_close(leader);
	expect_own(test, COUNTERS + 2, 1 + 2);
	perf_event_close(others[0]);
	expect_own(test, COUNTERS + 1, COUNTERS - 1 + 2);
	close_each(test, event, 2, COUNTERS - 1, COUNTERS - 1);
	close_each(test, others + 1, COUNTERS - 1, 0, 0);
}

/* If the leader needs no counter, its group is in the queue for the siblings. */
static void siblings_of_a_software_event_are_enqueued(struct kunit *test)
{
	struct perf_event *leader = open_software(test, NULL), *event[3];

	event[0] = open_software(test, leader);
	expect_own(test, 2, 0);
	event[1] = open_counter(test, leader, false);
	event[2] = open_counter(test, leader, false);
	expect_own(test, 4, 1);
	perf_event_close(leader);
	expect_own(test, 3, 2);
	close_each(test, event, 3, 0, 0);
}

/* A leader with many siblings loses them in several steps. */
static void many_siblings_are_enqueued(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_event *leader, *event[MANY];

	t->fake.any_group = true;
	leader = open_counter(test, NULL, false);
	for (unsigned int i = 0; i < MANY; i++)
		event[i] = open_counter(test, leader, false);
	expect_own(test, 1 + MANY, 1);
	perf_event_close(leader);
	expect_own(test, MANY, MANY);
	KUNIT_EXPECT_EQ(test, hweight_long(this_cpu_ptr(t->fake.cpus)->used), COUNTERS);
	close_each(test, event, MANY, 0, 0);
}

/* A sibling that cannot count alone is in error, and in no queue. */
static void sibling_in_error_is_not_enqueued(struct kunit *test)
{
	struct perf_event *leader = open_counter(test, NULL, false);
	struct perf_event *alone = open_counter(test, leader, false);
	struct perf_event *event = open_counter(test, leader, false);

	event->event_caps |= PERF_EV_CAP_SIBLING;
	expect_own(test, 3, 1);
	perf_event_close(leader);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ERROR);
	expect_own(test, 2, 1);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ERROR);
	expect_own(test, 2, 1);
	perf_event_close(event);
	expect_own(test, 1, 1);
	perf_event_close(alone);
	expect_own(test, 0, 0);
}

static u64 count_of(struct perf_event *event)
{
	struct perf_event_value value;

	perf_read_own(event, &value);
	return value.count;
}

/* Open an event that is bound to the CPU of the test. */
static struct perf_event *open_bound(struct kunit *test, struct perf_event *leader,
				     struct perf_event_attr attr)
{
	struct promote_test *t = test->priv;
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= t->cpu,
		.task	= t->of_task ? current : NULL,
		.leader	= leader,
	};

	return test_open(test, &req);
}

/* A task's sub-context that is bound to a CPU keeps the siblings, its listeners, and its ticks. */
static void siblings_bound_to_a_cpu_stay_there(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_event_attr poked = {
		.type	= t->fake.pmu.type,
		.config	= FAKE_CONFIG(FAKE_POKE, 0),
	};
	struct perf_event *leader, *counter, *ticks, *listener;
	struct perf_subctx *subctx;
	unsigned int nr_events;

	leader = open_bound(test, NULL, poked);
	subctx = leader->subctx;
	nr_events = subctx->nr_events - 1;
	counter = open_bound(test, leader, poked);
	poked.freq = 1;
	poked.sample_freq = 1;
	ticks = open_bound(test, leader, poked);
	listener = open_bound(test, leader, (struct perf_event_attr) {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.mmap	= 1,
	});
	KUNIT_EXPECT_EQ(test, subctx->cpu, t->of_task ? t->cpu : -1);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(ticks, subctx));
	KUNIT_EXPECT_EQ(test, test_nr_records(listener, t->cpu, PERF_SIDEBAND_MMAP), 1);
	expect_in(test, subctx, 4, 1, 1);
	fake_pmu_poke(&t->fake, 1);

	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, counter->subctx, subctx);
	KUNIT_EXPECT_PTR_EQ(test, listener->subctx, subctx);
	KUNIT_EXPECT_EQ(test, subctx->nr_events, nr_events + 3);
	KUNIT_EXPECT_TRUE(test, test_ticks_in(ticks, subctx));
	KUNIT_EXPECT_EQ(test, test_nr_records(listener, t->cpu, PERF_SIDEBAND_MMAP), 1);
	expect_in(test, subctx, 3, 2, 2);
	fake_pmu_poke(&t->fake, 1);
	KUNIT_EXPECT_EQ(test, count_of(counter), 2);
	KUNIT_EXPECT_EQ(test, count_of(ticks), 2);

	perf_event_close(listener);
	KUNIT_EXPECT_EQ(test, test_nr_records(listener, t->cpu, PERF_SIDEBAND_MMAP), 0);
	perf_event_close(ticks);
	perf_event_close(counter);
	expect_in(test, subctx, 0, 0, 0);
}

/*
 * The page of a follower of a task stays mapped, and a switch of the task updates it as before.
 * The page of a CPU's follower is updated only with the event: see group_test.c.
 */
static void mapped_sibling_stays_mapped(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_event *leader = open_counter(test, NULL, false);
	struct perf_event *event = open_software(test, leader);
	struct perf_buffer *rb = test_buffer(test, event, 0);
	u32 lock;

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(event, rb);
	lock = rb->user_page->lock;
	perf_event_close(leader);
	KUNIT_EXPECT_EQ(test, event->mmap_count, 1);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(event->rb), rb);
	KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);
	if (t->of_task) {
		guard(irq)();
		perf_ctx_sched_out(t->ctx);
		lock = rb->user_page->lock;
		perf_ctx_sched_in(t->ctx, perf_time());
		KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);
	}
	scoped_guard(mutex, &rb->mutex)
		perf_userpage_end(event);
	perf_event_close(event);
	perf_rb_put(rb);
}

#ifdef CONFIG_HAVE_HW_BREAKPOINT
#define MAX_WATCHED	16

static unsigned long watched;

static struct perf_event *watch(struct kunit *test, struct perf_event *leader)
{
	struct promote_test *t = test->priv;
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= (unsigned long)&watched,
		.bp_len		= sizeof(watched),
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= t->of_task ? -1 : t->cpu,
		.task	= t->of_task ? current : NULL,
		.leader	= leader,
	};

	return test_try_open(&req);
}

/* How many more breakpoints there can be. */
static int nr_free_registers(struct kunit *test)
{
	struct perf_event *bp[MAX_WATCHED];
	int nr;

	for (nr = 0; nr < MAX_WATCHED; nr++) {
		bp[nr] = watch(test, NULL);
		if (IS_ERR(bp[nr]))
			break;
	}
	for (int i = 0; i < nr; i++)
		perf_event_close(bp[i]);
	return nr;
}

/* A breakpoint has its register with a leader of another PMU, and without. */
static void breakpoint_keeps_its_register(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_event *leader, *event;
	int nr = nr_free_registers(test);

	if (!nr)
		kunit_skip(test, "no debug register");

	leader = open_counter(test, NULL, false);
	event = watch(test, leader);
	if (IS_ERR(event)) {
		perf_event_close(leader);
		KUNIT_FAIL_AND_ABORT(test, "refused: %ld", PTR_ERR(event));
	}
	KUNIT_EXPECT_EQ(test, nr_free_registers(test), nr - 1);
	expect_own(test, 2, 1);
	WRITE_ONCE(watched, 1);
	KUNIT_EXPECT_EQ(test, count_of(event), 1);

	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, event->group_pmu, event->pmu);
	KUNIT_EXPECT_EQ(test, nr_free_registers(test), nr - 1);
	/* no group is left that needs the other PMU */
	expect_in(test, &t->ctx->own, 1, 1, 0);
	WRITE_ONCE(watched, 2);
	KUNIT_EXPECT_EQ(test, count_of(event), 2);

	perf_event_close(event);
	KUNIT_EXPECT_EQ(test, nr_free_registers(test), nr);
}
#endif

#ifdef CONFIG_CGROUP_PERF
/* Siblings without a cgroup leave the sub-context of their leader's cgroup with its queue. */
static void foreign_siblings_change_their_queue(struct kunit *test)
{
	struct promote_test *t = test->priv;
	struct perf_cgroup *cgrp = test_own_cgroup();
	struct perf_event_attr attr = { .type = t->fake.pmu.type };
	struct perf_event_request req = { .attr = &attr, .cpu = t->cpu };
	struct perf_event *stays, *leader, *on, *off;
	struct perf_subctx *of_cgroup, *own = &t->ctx->own;
	unsigned int nr_before;

	stays = test_open_of_cgroup(test, cgrp, &req);
	nr_before = stays->subctx->nr_events - 1;
	leader = test_open_of_cgroup(test, cgrp, &req);
	on = open_counter(test, leader, false);
	off = open_counter(test, leader, true);
	of_cgroup = stays->subctx;
	KUNIT_EXPECT_PTR_EQ(test, on->subctx, of_cgroup);
	expect_in(test, of_cgroup, 4, 2, 2);
	expect_in(test, own, 4, 2, 0);
	KUNIT_EXPECT_EQ(test, of_cgroup->nr_events, nr_before + 4);
	KUNIT_EXPECT_EQ(test, own->nr_events, t->nr_others_own);

	perf_event_close(leader);
	KUNIT_EXPECT_PTR_EQ(test, off->subctx, own);
	expect_in(test, of_cgroup, 3, 2, 1);
	expect_in(test, own, 3, 2, 1);
	KUNIT_EXPECT_EQ(test, of_cgroup->nr_events, nr_before + 1);
	KUNIT_EXPECT_EQ(test, own->nr_events, t->nr_others_own + 2);

	perf_event_enable(off);
	expect_in(test, own, 3, 3, 2);
	perf_event_close(stays);
	expect_own(test, 2, 2);
	perf_event_close(on);
	perf_event_close(off);
	expect_own(test, 0, 0);
}
#endif

static int promote_init(struct kunit *test)
{
	const struct promote_param *param = test->param_value;
	struct promote_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err;

	if (!t)
		return -ENOMEM;
	test_bind_here(test);
	t->cpu = smp_processor_id();
	t->of_task = param && param->of_task;
	t->fake.nr_counters = COUNTERS;
	t->fake.width = 48;
	t->ctx = perf_ctx_find(t->of_task ? current : NULL, t->of_task ? -1 : t->cpu);
	if (IS_ERR(t->ctx))
		return PTR_ERR(t->ctx);
	err = fake_pmu_register(&t->fake, "kunit_promote", THIS_MODULE);
	if (err) {
		perf_ctx_put_found(t->ctx);
		return err;
	}
	t->nr_others = t->ctx->nr_events;
	t->nr_others_own = t->ctx->own.nr_events;
	t->nr_enqueued = t->ctx->nr_enqueued;
	test->priv = t;
	return 0;
}

static void promote_exit(struct kunit *test)
{
	struct promote_test *t = test->priv;

	if (!t)
		return;
	KUNIT_EXPECT_EQ(test, per_cpu_ptr(t->fake.cpus, t->cpu)->nr_faults, 0);
	perf_ctx_put_found(t->ctx);
	fake_pmu_unregister(&t->fake);
}

static struct kunit_case promote_cases[] = {
	KUNIT_CASE_PARAM(siblings_are_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(siblings_of_a_disabled_leader_are_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(siblings_of_a_waiting_group_are_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(siblings_of_a_software_event_are_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(many_siblings_are_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(sibling_in_error_is_not_enqueued, promote_gen_params),
	KUNIT_CASE_PARAM(siblings_bound_to_a_cpu_stay_there, promote_gen_params),
	KUNIT_CASE_PARAM(mapped_sibling_stays_mapped, promote_gen_params),
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE_PARAM(breakpoint_keeps_its_register, promote_gen_params),
#endif
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(foreign_siblings_change_their_queue),
#endif
	{}
};

static struct kunit_suite promote_suite = {
	.name		= "perf_promote",
	.init		= promote_init,
	.exit		= promote_exit,
	.test_cases	= promote_cases,
};

kunit_test_suite(promote_suite);
