// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which contexts are of one family and generation, and when tasks swap their contexts.
 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../context/context.h"
#include "../context/ctx_family.h"
#include "../context/ctx_pin.h"
#include "../context/ctx_swap.h"

#define NR_EVENTS	4
#define NR_TASKS	4

/*
 * Tasks, each with a context that has a child event of each parent event. Each parent event was
 * opened for a task of its own, with a context of its own.
 */
struct swap_fixture {
	struct task_struct		*task[NR_TASKS];
	struct perf_event_context	*ctx[NR_TASKS];
	struct perf_event		*parent[NR_EVENTS];
	struct perf_event_context	*home[NR_EVENTS];
	struct perf_event		*child[NR_TASKS][NR_EVENTS];
};

static struct swap_fixture *fixture_of(struct kunit *test)
{
	return test->priv;
}

/* Let context @to inherit from context @from. @to must not be away. */
static void inherit_context(struct swap_fixture *fix, int from, int to)
{
	struct perf_event_context *child = fix->ctx[to];
	unsigned int changes;

	perf_ctx_family_put(child->family);
	child->family = NULL;
	child->generation = 0;
	guard(mutex)(&fix->ctx[from]->mutex);
	changes = perf_ctx_family_begin_inherit(fix->ctx[from]);
	perf_ctx_family_end_inherit(fix->ctx[from], child, changes);
}

static int swap_test_init(struct kunit *test)
{
	struct swap_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

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
		/* enough references that the task is never freed */
		refcount_set(&fix->task[t]->usage, 1000);
		fix->ctx[t] = perf_ctx_alloc_task(fix->task[t]);
		KUNIT_ASSERT_NOT_NULL(test, fix->ctx[t]);
		fix->task[t]->perf_event_ctxp = fix->ctx[t];
		for (int i = 0; i < NR_EVENTS; i++) {
			fix->child[t][i] = kunit_kzalloc(test, sizeof(*fix->child[t][i]),
							 GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, fix->child[t][i]);
			fix->child[t][i]->parent = fix->parent[i];
			fix->child[t][i]->ctx = fix->ctx[t];
		}
	}
	test->priv = fix;
	return 0;
}

static void swap_test_exit(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	for (int t = 0; fix && t < NR_TASKS; t++) {
		fix->ctx[t]->cpu = -1;
		fix->ctx[t]->nr_events = 0;
		perf_ctx_put(fix->ctx[t]);
	}
	for (int i = 0; fix && i < NR_EVENTS; i++)
		perf_ctx_put(fix->home[i]);
}

static void toggle(struct swap_fixture *fix, int task, int event)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_ctx_family_toggled(fix->child[task][event]);
}

static void begin(struct swap_fixture *fix, int event)
{
	guard(mutex)(&fix->parent[event]->ctx->mutex);
	perf_ctx_family_begin_operation(fix->parent[event]);
}

/* Enable or disable an event and its child events. */
static void toggle_all(struct swap_fixture *fix, int event)
{
	begin(fix, event);
	for (int t = 0; t < NR_TASKS; t++)
		toggle(fix, t, event);
	perf_ctx_family_end_operation(fix->parent[event]);
}

static void change(struct swap_fixture *fix, int task)
{
	guard(raw_spinlock_irqsave)(&fix->ctx[task]->lock);
	perf_ctx_changed(fix->ctx[task]);
}

/* Switch from the first task, whose context is scheduled in on this CPU, to the second one. */
static bool exchange(struct swap_fixture *fix)
{
	guard(irqsave)();
	fix->ctx[0]->cpu = smp_processor_id();
	return perf_ctx_swap(fix->task[0], fix->task[1]);
}

/* All contexts inherit from the context of the first task, which is the task's own context. */
static void one_family(struct swap_fixture *fix)
{
	for (int t = 1; t < NR_TASKS; t++)
		inherit_context(fix, 0, t);
	fix->ctx[0]->home_task = fix->task[0];
}

static bool switch_between(struct swap_fixture *fix, int from, int to)
{
	struct perf_event_context *on = fix->task[from]->perf_event_ctxp;
	bool exchanged;

	guard(irqsave)();
	on->cpu = smp_processor_id();
	exchanged = perf_ctx_swap(fix->task[from], fix->task[to]);
	on->cpu = -1;
	return exchanged;
}

static bool are_equal(struct swap_fixture *fix, int one, int other)
{
	return fix->ctx[one]->generation &&
	       fix->ctx[one]->generation == fix->ctx[other]->generation &&
	       fix->ctx[one]->family == fix->ctx[other]->family;
}

static void complete_inheritance_makes_a_family(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	inherit_context(fix, 0, 1);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_NOT_NULL(test, fix->ctx[0]->family);
}

static void incomplete_inheritance_makes_none(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);
	unsigned int changes;

	fix->ctx[0]->nr_events = 2;
	fix->ctx[1]->nr_events = 1;
	inherit_context(fix, 0, 1);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->generation, 0);

	/* an event was toggled twice while the context was inherited */
	fix->ctx[1]->nr_events = 2;
	mutex_lock(&fix->ctx[0]->mutex);
	changes = perf_ctx_family_begin_inherit(fix->ctx[0]);
	toggle(fix, 0, 1);
	toggle(fix, 0, 1);
	perf_ctx_family_end_inherit(fix->ctx[0], fix->ctx[1], changes);
	mutex_unlock(&fix->ctx[0]->mutex);
	KUNIT_EXPECT_EQ(test, fix->ctx[1]->generation, 0);
}

static void operations_keep_members_equal(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	one_family(fix);
	for (int i = 0; i < 20; i++) {
		toggle_all(fix, i % NR_EVENTS);
		for (int t = 1; t < NR_TASKS; t++)
			KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, t));
	}
}

/* During an operation the contexts that it has reached differ from the other ones. */
static void operation_is_on_its_way(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

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
	/* inherit from a context that the operation has not reached */
	inherit_context(fix, 2, 1);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 2, 1));
	toggle(fix, 2, 2);
	toggle(fix, 1, 2);
	perf_ctx_family_end_operation(fix->parent[2]);
	for (int t = 1; t < NR_TASKS; t++)
		KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, t));
}

/* Two concurrent operations that reach contexts in different orders make them differ. */
static void operations_cross(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

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
	perf_ctx_family_end_operation(fix->parent[0]);
	perf_ctx_family_end_operation(fix->parent[1]);
	/* both operations are complete: contexts that have differed are never equal again */
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 2));
}

/* Disabling and enabling one event alone, as the limit of overflows does, is not undone. */
static void alone_there_is_no_way_back(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

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
 * Whether contexts are equal does not depend on the ids of events: neither on equal ids, nor on
 * different ids with the same sum.
 */
static void ids_do_not_matter(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	for (int i = 0; i < NR_EVENTS; i++)
		fix->parent[i]->id = 1000;
	one_family(fix);
	for (int t = 0; t < 2; t++) {
		for (int i = t; i < NR_EVENTS; i += 2) {
			begin(fix, i);
			toggle(fix, t, i);
			perf_ctx_family_end_operation(fix->parent[i]);
		}
	}
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
	KUNIT_EXPECT_FALSE(test, exchange(fix));
}

/*
 * Contexts of two families are never swapped, even if the families have the same history and
 * their events have the same ids. Otherwise a user could get another user's context.
 */
static void families_do_not_mix(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	for (int t = 0; t < NR_TASKS; t += 2)
		inherit_context(fix, t, t + 1);
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

/* A context references its family, so no other family can have the same address meanwhile. */
static void family_is_held(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);
	struct perf_ctx_family *family;

	inherit_context(fix, 0, 1);
	family = fix->ctx[1]->family;
	change(fix, 0);
	/* the changed context founds another family */
	inherit_context(fix, 0, 2);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[1]->family, family);
	KUNIT_EXPECT_PTR_NE(test, fix->ctx[0]->family, family);
	KUNIT_EXPECT_TRUE(test, are_equal(fix, 0, 2));
	KUNIT_EXPECT_FALSE(test, are_equal(fix, 0, 1));
}

static void equal_contexts_are_swapped(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	inherit_context(fix, 0, 1);
	KUNIT_EXPECT_TRUE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->task[0]->perf_event_ctxp, fix->ctx[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->task[1]->perf_event_ctxp, fix->ctx[0]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[1]);
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[1]->task, fix->task[0]);
}

static void other_contexts_are_not_swapped(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);

	/* nothing was inherited: neither context has a family */
	KUNIT_EXPECT_FALSE(test, exchange(fix));

	for (int t = 0; t < 2; t++) {
		inherit_context(fix, 0, 1);
		fix->ctx[t]->pin_count++;
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->pin_count--;
		toggle(fix, t, 1);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		inherit_context(fix, 0, 1);
		change(fix, t);
		KUNIT_EXPECT_FALSE(test, exchange(fix));
	}
	/* the context was given to another task since the lookup */
	inherit_context(fix, 0, 1);
	for (int t = 0; t < 2; t++) {
		fix->ctx[t]->task = fix->task[2];
		KUNIT_EXPECT_FALSE(test, exchange(fix));
		fix->ctx[t]->task = fix->task[t];
	}
	fix->ctx[1]->cpu = 0;
	KUNIT_EXPECT_FALSE(test, exchange(fix));
	KUNIT_EXPECT_PTR_EQ(test, fix->ctx[0]->task, fix->task[0]);
}

/* Each task has one context, and the one of the first task points to the task's own context. */
static void expect_in_order(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);
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
	struct swap_fixture *fix = fixture_of(test);

	one_family(fix);
	for (int i = 0; i < ARRAY_SIZE(way); i++) {
		KUNIT_EXPECT_TRUE(test, switch_between(fix, way[i][0], way[i][1]));
		expect_in_order(test);
	}
}

/* For each task that pins its own context, after each sequence of two swaps. */
static void own_context_comes_home(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);
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

		/* a call for another task may have left the own context of the first task away */
		ctx = perf_ctx_pin_own(fix->task[0]);
		KUNIT_EXPECT_PTR_EQ(test, ctx, fix->ctx[0]);
		perf_ctx_unpin(ctx);
		expect_in_order(test);
	}
}

/* The context has been returned to its task since the lookup: only one context is locked. */
static void context_taken_back_is_beside_none(struct kunit *test)
{
	struct swap_fixture *fix = fixture_of(test);
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

/* What must stay with its task, and what need not */
static const struct pin_case {
	const char		*name;
	struct perf_event_attr	attr;
	u32			attach_state;
	int			capabilities;
	bool			pins;
} pin_cases[] = {
	{ "dummy", { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY } },
	{ "inherit", { .inherit = 1 } },
	{ "sampling", { .sample_period = 1, .sample_type = PERF_SAMPLE_IP } },
	{ "inherit_stat", { .inherit = 1, .inherit_stat = 1 }, .pins = true },
	{ "PERF_SAMPLE_READ", { .sample_type = PERF_SAMPLE_READ }, .pins = true },
	{ "sigtrap", { .sigtrap = 1 }, .pins = true },
	{ "aux_output", { .aux_output = 1 }, .pins = true },
	{ "breakpoint", { .type = PERF_TYPE_BREAKPOINT }, .pins = true },
	{ "bpf-output", { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_BPF_OUTPUT },
	  .pins = true },
	{ "context-switches", { .type = PERF_TYPE_SOFTWARE,
				.config = PERF_COUNT_SW_CONTEXT_SWITCHES } },
	{ "ITRACE event", { }, .attach_state = PERF_ATTACH_ITRACE, .pins = true },
	{ "EXCLUSIVE PMU", { }, .capabilities = PERF_PMU_CAP_EXCLUSIVE, .pins = true },
	{ "ITRACE PMU", { }, .capabilities = PERF_PMU_CAP_ITRACE, .pins = true },
	{ "NO_NMI PMU", { }, .capabilities = PERF_PMU_CAP_NO_NMI },
};

static void reasons_to_pin(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct pmu *pmu = kunit_kzalloc(test, sizeof(*pmu), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	event->pmu = pmu;
	for (int i = 0; i < ARRAY_SIZE(pin_cases); i++) {
		const struct pin_case *c = &pin_cases[i];

		event->attr = c->attr;
		event->attach_state = c->attach_state;
		pmu->capabilities = c->capabilities;
		KUNIT_EXPECT_EQ_MSG(test, perf_event_needs_task(event), c->pins, "%s", c->name);
	}
}

static void *any_area(struct perf_event *event, void **pages, int nr, bool overwrite)
{
	return NULL;
}

/* A trace belongs to one task, and address filters belong to one address space. */
static void traces_and_filters_pin(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct pmu *pmu = kunit_kzalloc(test, sizeof(*pmu), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	event->pmu = pmu;
	pmu->setup_aux = any_area;
	KUNIT_EXPECT_TRUE(test, perf_event_needs_task(event));
	pmu->setup_aux = NULL;
	KUNIT_EXPECT_FALSE(test, perf_event_needs_task(event));
	event->addr_filter_ranges = (void *)event;
	KUNIT_EXPECT_TRUE(test, perf_event_needs_task(event));
}

static struct kunit_case swap_cases[] = {
	KUNIT_CASE(complete_inheritance_makes_a_family),
	KUNIT_CASE(incomplete_inheritance_makes_none),
	KUNIT_CASE(operations_keep_members_equal),
	KUNIT_CASE(operation_is_on_its_way),
	KUNIT_CASE(operations_cross),
	KUNIT_CASE(alone_there_is_no_way_back),
	KUNIT_CASE(ids_do_not_matter),
	KUNIT_CASE(families_do_not_mix),
	KUNIT_CASE(family_is_held),
	KUNIT_CASE(equal_contexts_are_swapped),
	KUNIT_CASE(other_contexts_are_not_swapped),
	KUNIT_CASE(own_context_is_known_wherever_it_is),
	KUNIT_CASE(own_context_comes_home),
	KUNIT_CASE(context_taken_back_is_beside_none),
	KUNIT_CASE(reasons_to_pin),
	KUNIT_CASE(traces_and_filters_pin),
	{}
};

static struct kunit_suite swap_suite = {
	.name		= "perf_events_ctx_swap",
	.init		= swap_test_init,
	.exit		= swap_test_exit,
	.test_cases	= swap_cases,
};

kunit_test_suite(swap_suite);
