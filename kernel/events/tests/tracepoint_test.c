// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of tracepoint.c: how child events call the class of their tracepoint or probe.
 *
 * Some classes keep lists of sibling probes and of probed tasks, which event_mutex protects:
 * see uprobe_perf_open() in kernel/trace/trace_uprobe.c. The class of these tests checks that
 * the mutex is held.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include "../base/event.h"
#include "../pmu/pmu.h"
#include "../../trace/trace.h"

/**
 * struct child_world - a child event, its parent, and their tracepoint
 * @call: the tracepoint
 * @class: class of the tracepoint
 * @parent: the parent event
 * @child: the child event, which the tests make and destroy
 * @opens: number of opens of the class minus number of closes
 * @calls: number of calls of the class
 * @unlocked: number of these without event_mutex
 * @err: return value of an open
 */
struct child_world {
	struct trace_event_call		call;
	struct trace_event_class	class;
	struct perf_event		parent;
	struct perf_event		child;
	int				opens;
	unsigned int			calls;
	unsigned int			unlocked;
	int				err;
};

static int child_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct child_world *world = container_of(call, struct child_world, call);

	world->calls++;
	/* without lockdep this may miss a fault, because another task may hold the mutex */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) ? !lockdep_is_held(&event_mutex) :
					       !mutex_is_locked(&event_mutex))
		world->unlocked++;
	if (type == TRACE_REG_PERF_CLOSE)
		world->opens--;
	else if (type == TRACE_REG_PERF_OPEN && !world->err)
		world->opens++;
	return world->err;
}

static void child_find_pmu(struct pmu *pmu, void *arg)
{
	struct perf_event *event = arg;

	if (pmu->type == PERF_TYPE_TRACEPOINT)
		event->pmu = pmu;
}

static int child_test_init(struct kunit *test)
{
	struct child_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->class.reg = child_reg;
	world->call.class = &world->class;
	world->parent.tp_event = &world->call;
	world->parent.attr.type = PERF_TYPE_TRACEPOINT;
	world->child.attr.type = PERF_TYPE_TRACEPOINT;
	world->child.attr.size = sizeof(world->child.attr);
	world->child.parent = &world->parent;
	perf_pmu_for_each(child_find_pmu, &world->parent);
	KUNIT_ASSERT_NOT_NULL(test, world->parent.pmu);
	test->priv = world;
	return 0;
}

/* Make the child event as fork(2) does it. */
static int child_make(struct child_world *world)
{
	struct pmu *pmu = perf_pmu_of_event(&world->child);

	return PTR_ERR_OR_ZERO(pmu);
}

static void child_of_probe_holds_event_mutex(struct kunit *test)
{
	struct child_world *world = test->priv;

	world->call.flags = TRACE_EVENT_FL_UPROBE;
	KUNIT_ASSERT_EQ(test, 0, child_make(world));
	KUNIT_EXPECT_EQ(test, 1, world->opens);
	KUNIT_EXPECT_PTR_EQ(test, &world->call, world->child.tp_event);
	perf_pmu_release_event(&world->child);
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 2, world->calls);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

static void child_of_unknown_class_holds_event_mutex(struct kunit *test)
{
	struct child_world *world = test->priv;

	KUNIT_ASSERT_EQ(test, 0, child_make(world));
	perf_pmu_release_event(&world->child);
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 2, world->calls);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

static void child_refused_leaves_nothing(struct kunit *test)
{
	struct child_world *world = test->priv;

	world->err = -ENOMEM;
	KUNIT_EXPECT_EQ(test, -ENOMEM, child_make(world));
	KUNIT_EXPECT_EQ(test, 0, world->opens);
	KUNIT_EXPECT_EQ(test, 0, world->unlocked);
}

/* The class of kprobes needs no mutex for child events, so forks need not wait for each other. */
static void child_of_kprobe_needs_no_mutex(struct kunit *test)
{
	struct child_world *world = test->priv;

	world->call.flags = TRACE_EVENT_FL_KPROBE;
	KUNIT_ASSERT_EQ(test, 0, child_make(world));
	KUNIT_EXPECT_PTR_EQ(test, &world->call, world->child.tp_event);
	perf_pmu_release_event(&world->child);
	KUNIT_EXPECT_EQ(test, 0, world->calls);
}

static struct kunit_case child_cases[] = {
	KUNIT_CASE(child_of_probe_holds_event_mutex),
	KUNIT_CASE(child_of_unknown_class_holds_event_mutex),
	KUNIT_CASE(child_refused_leaves_nothing),
	KUNIT_CASE(child_of_kprobe_needs_no_mutex),
	{}
};

static struct kunit_suite child_suite = {
	.name		= "perf-tracepoint",
	.init		= child_test_init,
	.test_cases	= child_cases,
};

kunit_test_suite(child_suite);
