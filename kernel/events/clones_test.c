// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which contexts have one shape, and when tasks exchange theirs.
 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "clones.h"
#include "context.h"

#define NR_EVENTS	4
#define NR_TASKS	4

/* Some tasks, and for each a context with copies of the same events. */
struct clones_fixture {
	struct task_struct		*task[NR_TASKS];
	struct perf_event_context	*ctx[NR_TASKS];
	struct perf_event		*parent[NR_EVENTS];
	struct perf_event		*copy[NR_TASKS][NR_EVENTS];
};

static struct clones_fixture *fixture_of(struct kunit *test)
{
	return test->priv;
}

static void copy_context(struct clones_fixture *fix)
{
	unsigned int changes = perf_clones_begin_copy(fix->ctx[0]);

	perf_clones_end_copy(fix->ctx[0], fix->ctx[1], changes);
}

static int clones_test_init(struct kunit *test)
{
	struct clones_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	for (int i = 0; i < NR_EVENTS; i++) {
		fix->parent[i] = kunit_kzalloc(test, sizeof(*fix->parent[i]),
					       GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, fix->parent[i]);
		fix->parent[i]->id = 1000 + i;
	}
	for (int t = 0; t < NR_TASKS; t++) {
		fix->task[t] = kunit_kzalloc(test, sizeof(*fix->task[t]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, fix->task[t]);
		/* it is never freed */
		refcount_set(&fix->task[t]->usage, 1000);
		fix->ctx[t] = perf_ctx_alloc_task(fix->task[t]);
		KUNIT_ASSERT_NOT_NULL(test, fix->ctx[t]);
		fix->task[t]->perf_event_ctxp = fix->ctx[t];
		for (int i = 0; i < NR_EVENTS; i++) {
			fix->copy[t][i] = kunit_kzalloc(test, sizeof(*fix->copy[t][i]),
							GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, fix->copy[t][i]);
			fix->copy[t][i]->parent = fix->parent[i];
			fix->copy[t][i]->ctx = fix->ctx[t];
		}
	}
	test->priv = fix;
	return 0;
}

static void clones_test_exit(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	for (int t = 0; fix && t < NR_TASKS; t++) {
		fix->ctx[t]->cpu = -1;
		fix->ctx[t]->nr_events = 0;
		perf_ctx_put(fix->ctx[t]);
	}
}

static void toggle(struct clones_fixture *fix, int task, int event, bool enabled)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_clones_toggled(fix->copy[task][event], enabled);
}

static void change(struct clones_fixture *fix, int task)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_clones_changed(fix->ctx[task]);
}

/* The first task's context is on, on this CPU, and the second one comes. */
static bool exchange(struct clones_fixture *fix)
{
	guard(irqsave)();
	fix->ctx[0]->cpu = smp_processor_id();
	return perf_clones_exchange(fix->task[0], fix->task[1]);
}

static void complete_copy_has_the_shape(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	copy_context(fix);
	KUNIT_EXPECT_NE(test, fix->ctx[0]->shape, 0);
	KUNIT_EXPECT_EQ(test, fix->ctx[0]->shape, fix->ctx[1]->shape);
}

static void other_copies_have_none(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	unsigned int changes;

	fix->ctx[0]->nr_events = 2;
	fix->ctx[1]->nr_events = 1;
	copy_context(fix);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->shape, 0);

	/* changed, and back, while it was copied */
	fix->ctx[1]->nr_events = 2;
	changes = perf_clones_begin_copy(fix->ctx[0]);
	toggle(fix, 0, 1, false);
	toggle(fix, 0, 1, true);
	perf_clones_end_copy(fix->ctx[0], fix->ctx[1], changes);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->shape, 0);
}

static void toggles_commute(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	u64 shape;

	copy_context(fix);
	shape = fix->ctx[0]->shape;
	toggle(fix, 0, 0, false);
	toggle(fix, 0, 2, false);
	KUNIT_EXPECT_NE(test, fix->ctx[0]->shape, fix->ctx[1]->shape);
	toggle(fix, 1, 2, false);
	KUNIT_EXPECT_NE(test, fix->ctx[0]->shape, fix->ctx[1]->shape);
	toggle(fix, 1, 0, false);
	KUNIT_EXPECT_EQ(test, fix->ctx[0]->shape, fix->ctx[1]->shape);
	KUNIT_EXPECT_NE(test, fix->ctx[0]->shape, shape);
	toggle(fix, 0, 0, true);
	toggle(fix, 0, 2, true);
	KUNIT_EXPECT_EQ(test, fix->ctx[0]->shape, shape);
}

/* Of four ids in a row, the sum of the outer ones is that of the inner ones. */
static void sums_of_ids_do_not_matter(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	copy_context(fix);
	toggle(fix, 0, 0, false);
	toggle(fix, 0, 3, false);
	toggle(fix, 1, 1, false);
	toggle(fix, 1, 2, false);
	KUNIT_EXPECT_NE(test, fix->ctx[0]->shape, fix->ctx[1]->shape);
}

static void clones_are_exchanged(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	copy_context(fix);
	KUNIT_EXPECT_TRUE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->task[0]->perf_event_ctxp, fix->ctx[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->task[1]->perf_event_ctxp, fix->ctx[0]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[1]->task, fix->task[0]);
}

static void others_are_not_exchanged(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	/* never copied: both have shape 0 */
	KUNIT_EXPECT_FALSE(test, exchange(fix));

	for (int t = 0; t < 2; t++) {
		copy_context(fix);
		fix->ctx[t]->tied++;
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->tied--;
		toggle(fix, t, 1, false);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		toggle(fix, t, 1, true);
		change(fix, t);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
	}
	/* given to somebody else since it was found */
	copy_context(fix);
	for (int t = 0; t < 2; t++) {
		fix->ctx[t]->task = fix->task[2];
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->task = fix->task[t];
	}
	fix->ctx[1]->cpu = 0;
	KUNIT_EXPECT_FALSE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[0]);
}

/* All have the shape of the first one, which is the first task's own. */
static void one_family(struct clones_fixture *fix)
{
	copy_context(fix);
	for (int t = 0; t < NR_TASKS; t++)
		fix->ctx[t]->shape = fix->ctx[0]->shape;
	fix->ctx[0]->home = fix->task[0];
}

static bool switch_between(struct clones_fixture *fix, int from, int to)
{
	struct perf_event_context *on = fix->task[from]->perf_event_ctxp;
	bool exchanged;

	guard(irqsave)();
	on->cpu = smp_processor_id();
	exchanged = perf_clones_exchange(fix->task[from], fix->task[to]);
	on->cpu = -1;
	return exchanged;
}

/* Each task has one context, and the first one knows where its own is. */
static void expect_in_order(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	struct perf_event_context *ctx;

	for (int t = 0; t < NR_TASKS; t++) {
		ctx = fix->task[t]->perf_event_ctxp;
		KUNIT_EXPECT_PTR_EQ(test, ctx->task, fix->task[t]);
		KUNIT_EXPECT_PTR_EQ(test, ctx->away,
				    t == 0 && ctx != fix->ctx[0] ? fix->ctx[0] : NULL);
		KUNIT_EXPECT_EQ(test, ctx->tied, 0);
	}
}

static void own_context_is_known_wherever_it_is(struct kunit *test)
{
	static const u8 way[][2] = {
		{ 0, 1 }, { 1, 0 }, { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 1 },
		{ 1, 3 }, { 3, 1 }, { 1, 0 }, { 0, 2 }, { 2, 3 }, { 3, 0 },
	};
	struct clones_fixture *fix = fixture_of(test);

	one_family(fix);
	for (int i = 0; i < ARRAY_SIZE(way); i++) {
		KUNIT_EXPECT_TRUE(test, switch_between(fix, way[i][0], way[i][1]));
		expect_in_order(test);
	}
}

/* For each task that may ask, after each way of two exchanges. */
static void own_context_comes_home(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	struct perf_event_context *ctx;

	one_family(fix);
	for (int i = 0; i < NR_TASKS * NR_TASKS * NR_TASKS; i++) {
		int asks = i % NR_TASKS, first = i / NR_TASKS % NR_TASKS;
		int second = i / NR_TASKS / NR_TASKS;

		if (first)
			switch_between(fix, 0, first);
		if (first != second)
			switch_between(fix, first, second);
		ctx = perf_clones_tie_own(fix->task[asks]);
		KUNIT_EXPECT_PTR_EQ(test, ctx, fix->task[asks]->perf_event_ctxp);
		KUNIT_EXPECT_EQ(test, ctx == fix->ctx[0], asks == 0);
		KUNIT_EXPECT_EQ(test, ctx->tied, 1);
		perf_clones_untie(ctx);
		expect_in_order(test);

		/* who had nothing to do with it has left it where it was */
		ctx = perf_clones_tie_own(fix->task[0]);
		KUNIT_EXPECT_PTR_EQ(test, ctx, fix->ctx[0]);
		perf_clones_untie(ctx);
		expect_in_order(test);
	}
}

static struct kunit_case clones_cases[] = {
	KUNIT_CASE(complete_copy_has_the_shape),
	KUNIT_CASE(other_copies_have_none),
	KUNIT_CASE(toggles_commute),
	KUNIT_CASE(sums_of_ids_do_not_matter),
	KUNIT_CASE(clones_are_exchanged),
	KUNIT_CASE(others_are_not_exchanged),
	KUNIT_CASE(own_context_is_known_wherever_it_is),
	KUNIT_CASE(own_context_comes_home),
	{}
};

static struct kunit_suite clones_suite = {
	.name		= "perf_events_clones",
	.init		= clones_test_init,
	.exit		= clones_test_exit,
	.test_cases	= clones_cases,
};

kunit_test_suite(clones_suite);
