// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of tracepoint.c: what copies of tracing events do to the class of their
 * tracepoint or probe.
 *
 * Some classes keep lists that event_mutex protects, of sibling probes and of the tasks
 * that are probed: see uprobe_perf_open() in kernel/trace/trace_uprobe.c. A class of the
 * test's own stands in for them, and looks at the mutex.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include "../context/context.h"
#include "../base/event.h"
#include "../pmu/pmu.h"
#include "../../trace/trace.h"

/**
 * struct heir_world - a copy, its parent, and their tracepoint
 * @call: the tracepoint
 * @class: its class
 * @parent: opened
 * @copy: to be made and destroyed
 * @opens: how often the class was opened less how often it was closed
 * @calls: how often it was called
 * @unlocked: without event_mutex
 * @err: what opening returns
 */
struct heir_world {
	struct trace_event_call		call;
	struct trace_event_class	class;
	struct perf_event		parent;
	struct perf_event		copy;
	int				opens;
	unsigned int			calls;
	unsigned int			unlocked;
	int				err;
};

static int heir_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct heir_world *world = container_of(call, struct heir_world, call);

	world->calls++;
	/* without lockdep, it may be another task that holds it */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) ? !lockdep_is_held(&event_mutex) :
					       !mutex_is_locked(&event_mutex))
		world->unlocked++;
	if (type == TRACE_REG_PERF_CLOSE)
		world->opens--;
	else if (type == TRACE_REG_PERF_OPEN && !world->err)
		world->opens++;
	return world->err;
}

static void heir_find_pmu(struct pmu *pmu, void *arg)
{
	struct perf_event *event = arg;

	if (pmu->type == PERF_TYPE_TRACEPOINT)
		event->pmu = pmu;
}

static int heir_test_init(struct kunit *test)
{
	struct heir_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->class.reg = heir_reg;
	world->call.class = &world->class;
	world->parent.tp_event = &world->call;
	world->parent.attr.type = PERF_TYPE_TRACEPOINT;
	world->copy.attr.type = PERF_TYPE_TRACEPOINT;
	world->copy.attr.size = sizeof(world->copy.attr);
	world->copy.parent = &world->parent;
	perf_pmu_for_each(heir_find_pmu, &world->parent);
	KUNIT_ASSERT_NOT_NULL(test, world->parent.pmu);
	test->priv = world;
	return 0;
}

/* As a fork does it, and the exit of the task. */
static int heir_make(struct heir_world *world)
{
	struct pmu *pmu = perf_pmu_of_event(&world->copy);

	return PTR_ERR_OR_ZERO(pmu);
}

static void heir_of_probe_holds_event_mutex(struct kunit *test)
{
	struct heir_world *world = test->priv;

	world->call.flags = TRACE_EVENT_FL_UPROBE;
	KUNIT_ASSERT_EQ(test, 0, heir_make(world));
	KUNIT_EXPECT_EQ(test, 1, world->opens);
	KUNIT_EXPECT_PTR_EQ(test, &world->call, world->copy.tp_event);
	perf_pmu_release_event(&world->copy);
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 2, world->calls);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

static void heir_of_unknown_class_holds_event_mutex(struct kunit *test)
{
	struct heir_world *world = test->priv;

	KUNIT_ASSERT_EQ(test, 0, heir_make(world));
	perf_pmu_release_event(&world->copy);
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 2, world->calls);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

static void heir_refused_leaves_nothing(struct kunit *test)
{
	struct heir_world *world = test->priv;

	world->err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, -ENOMEM, heir_make(world));
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

/* Opening one of a kprobe does nothing: forks need not wait for each other. */
static void heir_of_kprobe_needs_no_mutex(struct kunit *test)
{
	struct heir_world *world = test->priv;

	world->call.flags = TRACE_EVENT_FL_KPROBE;
	KUNIT_ASSERT_EQ(test, 0, heir_make(world));
	KUNIT_EXPECT_PTR_EQ(test, &world->call, world->copy.tp_event);
	perf_pmu_release_event(&world->copy);
	KUNIT_EXPECT_EQ(test, 0, world->calls);
}

static struct kunit_case heir_cases[] = {
	KUNIT_CASE(heir_of_probe_holds_event_mutex),
	KUNIT_CASE(heir_of_unknown_class_holds_event_mutex),
	KUNIT_CASE(heir_refused_leaves_nothing),
	KUNIT_CASE(heir_of_kprobe_needs_no_mutex),
	{}
};

static struct kunit_suite heir_suite = {
	.name		= "perf-tracepoint",
	.init		= heir_test_init,
	.test_cases	= heir_cases,
};

kunit_test_suite(heir_suite);
