// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which contexts are of one family and generation, and when tasks exchange theirs.
 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../context/ctx_swap.h"
#include "../context/context.h"

#define NR_EVENTS	4
#define NR_TASKS	4

/*
 * Some tasks, and for each a context with copies of the same events. These were opened
 * for other tasks, a task each.
 */
struct clones_fixture {
	struct task_struct		*task[NR_TASKS];
	struct perf_event_context	*ctx[NR_TASKS];
	struct perf_event		*parent[NR_EVENTS];
	struct perf_event_context	*home[NR_EVENTS];
	struct perf_event		*copy[NR_TASKS][NR_EVENTS];
};

static struct clones_fixture *fixture_of(struct kunit *test)
{
	return test->priv;
}

/* @to has not been copied to before, or is no member that is away. */
static void copy_context(struct clones_fixture *fix, int from, int to)
{
	struct perf_event_context *copy = fix->ctx[to];
	unsigned int changes;

	perf_ctx_family_put(copy->family);
	copy->family = NULL;
	copy->generation = 0;
	guard(mutex)(&fix->ctx[from]->mutex);
	changes = perf_ctx_swap_begin_copy(fix->ctx[from]);
	perf_ctx_swap_end_copy(fix->ctx[from], copy, changes);
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
		fix->home[i] = perf_ctx_alloc_task(NULL);
		KUNIT_ASSERT_NOT_NULL(test, fix->home[i]);
		fix->parent[i]->ctx = fix->home[i];
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
	for (int i = 0; fix && i < NR_EVENTS; i++)
		perf_ctx_put(fix->home[i]);
}

static void toggle(struct clones_fixture *fix, int task, int event)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_ctx_swap_toggled(fix->copy[task][event]);
}

static void begin(struct clones_fixture *fix, int event)
{
	guard(mutex)(&fix->parent[event]->ctx->mutex);
	perf_ctx_swap_begin_operation(fix->parent[event]);
}

/* Enable or disable an event and all that is inherited from it. */
static void toggle_all(struct clones_fixture *fix, int event)
{
	begin(fix, event);
	for (int t = 0; t < NR_TASKS; t++)
		toggle(fix, t, event);
	perf_ctx_swap_end_operation(fix->parent[event]);
}

static void change(struct clones_fixture *fix, int task)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_ctx_changed(fix->ctx[task]);
}

/* The first task's context is on, on this CPU, and the second one comes. */
static bool exchange(struct clones_fixture *fix)
{
	guard(irqsave)();
	fix->ctx[0]->cpu = smp_processor_id();
	return perf_ctx_swap(fix->task[0], fix->task[1]);
}

/* All are copies of the first one, which is the first task's own. */
static void one_family(struct clones_fixture *fix)
{
	for (int t = 1; t < NR_TASKS; t++)
		copy_context(fix, 0, t);
	fix->ctx[0]->home_task = fix->task[0];
}

static bool switch_between(struct clones_fixture *fix, int from, int to)
{
	struct perf_event_context *on = fix->task[from]->perf_event_ctxp;
	bool exchanged;

	guard(irqsave)();
	on->cpu = smp_processor_id();
	exchanged = perf_ctx_swap(fix->task[from], fix->task[to]);
	on->cpu = -1;
	return exchanged;
}

static bool are_equal(struct clones_fixture *fix, int one, int other)
{
	return fix->ctx[one]->generation &&
	       fix->ctx[one]->generation == fix->ctx[other]->generation &&
	       fix->ctx[one]->family == fix->ctx[other]->family;
}

static void complete_copy_is_of_the_family(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	copy_context(fix, 0, 1);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_NOT_NULL(test, fix->ctx[0]->family);
}

static void other_copies_are_of_none(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	unsigned int changes;

	fix->ctx[0]->nr_events = 2;
	fix->ctx[1]->nr_events = 1;
	copy_context(fix, 0, 1);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->generation, 0);

	/* changed, and back, while it was copied */
	fix->ctx[1]->nr_events = 2;
	mutex_lock(&fix->ctx[0]->mutex);
	changes = perf_ctx_swap_begin_copy(fix->ctx[0]);
	toggle(fix, 0, 1);
	toggle(fix, 0, 1);
	perf_ctx_swap_end_copy(fix->ctx[0], fix->ctx[1], changes);
	mutex_unlock(&fix->ctx[0]->mutex);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->generation, 0);
}

static void operations_keep_members_equal(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	one_family(fix);
	for (int i = 0; i < 20; i++) {
		toggle_all(fix, i % NR_EVENTS);
		for (int t = 1; t < NR_TASKS; t++)
			KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, t));
	}
}

/* While an operation makes its way, those that it has reached differ from the others. */
static void operation_is_on_its_way(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	one_family(fix);
	begin(fix, 2);
	toggle(fix, 0, 2);
	toggle(fix, 3, 2);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 3));
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 1, 2));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	toggle(fix, 1, 2);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 2));
	/* a copy of what it has reached, and of what it has not */
	copy_context(fix, 2, 1);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 2, 1));
	toggle(fix, 2, 2);
	toggle(fix, 1, 2);
	perf_ctx_swap_end_operation(fix->parent[2]);
	for (int t = 1; t < NR_TASKS; t++)
		KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, t));
}

/* Two operations at a time: what the second reaches first has another history. */
static void operations_cross(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	one_family(fix);
	begin(fix, 0);
	begin(fix, 1);
	toggle(fix, 0, 0);
	toggle(fix, 1, 1);
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	toggle(fix, 2, 0);
	toggle(fix, 2, 1);
	for (int t = 0; t < NR_TASKS; t++) {
		if (t != 3)
			KUNIT_EXPECT_FALSE(test, are_equal(fix, t, 3));
	}
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 1, 2));
	toggle(fix, 0, 1);
	toggle(fix, 1, 0);
	perf_ctx_swap_end_operation(fix->parent[0]);
	perf_ctx_swap_end_operation(fix->parent[1]);
	/* both have reached them, in different orders: out is out */
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 2));
}

/* An event that is disabled by itself, as at its last overflow, and enabled again. */
static void alone_there_is_no_way_back(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	one_family(fix);
	toggle(fix, 1, 0);
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	toggle(fix, 1, 0);
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	toggle_all(fix, 0);
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 2));
}

/*
 * Ids, and sums of what is made of them, do not matter: not if they are the same, and
 * not if those of different events add up to the same.
 */
static void ids_do_not_matter(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	for (int i = 0; i < NR_EVENTS; i++)
		fix->parent[i]->id = 1000;
	one_family(fix);
	for (int t = 0; t < 2; t++) {
		for (int i = t; i < NR_EVENTS; i += 2) {
			begin(fix, i);
			toggle(fix, t, i);
			perf_ctx_swap_end_operation(fix->parent[i]);
		}
	}
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_FALSE(test, exchange(fix));
}

/*
 * Two families with the same history, and the same ids of events: contexts of one user
 * are not exchanged with those of another one whatever is done to the events of both.
 */
static void families_do_not_mix(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	for (int t = 0; t < NR_TASKS; t += 2)
		copy_context(fix, t, t + 1);
	for (int i = 0; i < NR_EVENTS; i++)
		fix->parent[i]->id = 1000;
	for (int i = 0; i < 20; i++) {
		toggle_all(fix, i % NR_EVENTS);
		KUNIT_EXPECT_NE(test, fix->ctx[0]->generation, 0);
		KUNIT_EXPECT_NE(test, fix->ctx[0]->generation, fix->ctx[2]->generation);
		KUNIT_EXPECT_FALSE(test, switch_between(fix, 0, 2));
		KUNIT_EXPECT_FALSE(test, switch_between(fix, 3, 1));
		KUNIT_EXPECT_TRUE(test, switch_between(fix, 2, 3));
	}
}

/* As long as a context knows its family, no other one can be at the same place. */
static void family_is_held(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	struct perf_ctx_family *family;

	copy_context(fix, 0, 1);
	family = fix->ctx[1]->family;
	change(fix, 0);
	/* the original founds another one */
	copy_context(fix, 0, 2);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[1]->family, family);
	KUNIT_EXPECT_PTR_NE(test, fix->ctx[0]->family, family);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 2));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
}

static void clones_are_exchanged(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	copy_context(fix, 0, 1);
	KUNIT_EXPECT_TRUE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->task[0]->perf_event_ctxp, fix->ctx[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->task[1]->perf_event_ctxp, fix->ctx[0]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[1]->task, fix->task[0]);
}

static void others_are_not_exchanged(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);

	/* never copied: both are of no family */
	KUNIT_EXPECT_FALSE(test, exchange(fix));

	for (int t = 0; t < 2; t++) {
		copy_context(fix, 0, 1);
		fix->ctx[t]->pin_count++;
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->pin_count--;
		toggle(fix, t, 1);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		copy_context(fix, 0, 1);
		change(fix, t);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
	}
	/* given to another task since it was found */
	copy_context(fix, 0, 1);
	for (int t = 0; t < 2; t++) {
		fix->ctx[t]->task = fix->task[2];
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->task = fix->task[t];
	}
	fix->ctx[1]->cpu = 0;
	KUNIT_EXPECT_FALSE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[0]);
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
		KUNIT_EXPECT_EQ(test, ctx->pin_count, 0);
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
		ctx = perf_ctx_pin_own(fix->task[asks]);
		KUNIT_EXPECT_PTR_EQ(test, ctx, fix->task[asks]->perf_event_ctxp);
		KUNIT_EXPECT_EQ(test, ctx == fix->ctx[0], asks == 0);
		KUNIT_EXPECT_EQ(test, ctx->pin_count, 1);
		perf_ctx_unpin(ctx);
		expect_in_order(test);

		/* an unrelated call has left the context where it was */
		ctx = perf_ctx_pin_own(fix->task[0]);
		KUNIT_EXPECT_PTR_EQ(test, ctx, fix->ctx[0]);
		perf_ctx_unpin(ctx);
		expect_in_order(test);
	}
}

/* The context has been returned to its task since the lookup: only one context is locked. */
static void context_taken_back_is_beside_none(struct kunit *test)
{
	struct clones_fixture *fix = fixture_of(test);
	struct perf_event_context *mine;

	one_family(fix);
	KUNIT_ASSERT_TRUE(test, switch_between(fix, 0, 1));
	mine = fix->task[1]->perf_event_ctxp;
	KUNIT_ASSERT_PTR_EQ(test, mine, fix->ctx[0]);
	guard(irq)();
	KUNIT_EXPECT_PTR_EQ(test, perf_ctx_swap_beside(mine), fix->ctx[1]);
	KUNIT_EXPECT_TRUE(test, switch_between(fix, 1, 0));
	KUNIT_EXPECT_NULL(test, perf_ctx_swap_beside(mine));
}

static struct kunit_case clones_cases[] = {
	KUNIT_CASE(complete_copy_is_of_the_family),
	KUNIT_CASE(other_copies_are_of_none),
	KUNIT_CASE(operations_keep_members_equal),
	KUNIT_CASE(operation_is_on_its_way),
	KUNIT_CASE(operations_cross),
	KUNIT_CASE(alone_there_is_no_way_back),
	KUNIT_CASE(ids_do_not_matter),
	KUNIT_CASE(families_do_not_mix),
	KUNIT_CASE(family_is_held),
	KUNIT_CASE(clones_are_exchanged),
	KUNIT_CASE(others_are_not_exchanged),
	KUNIT_CASE(own_context_is_known_wherever_it_is),
	KUNIT_CASE(own_context_comes_home),
	KUNIT_CASE(context_taken_back_is_beside_none),
	{}
};

static struct kunit_suite clones_suite = {
	.name		= "perf_events_ctx_swap",
	.init		= clones_test_init,
	.exit		= clones_test_exit,
	.test_cases	= clones_cases,
};

kunit_test_suite(clones_suite);
