// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of traced.c: what a tracepoint's list of a CPU has for events of a task, and
 * which of them an occurrence reaches.
 *
 * The tracepoints are two of the subsystem's own, which do not fire meanwhile.
 */
#include <kunit/test.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

#include "context.h"
#include "event.h"
#include "state.h"
#include "traced.h"
#include "../trace/trace.h"

#define NR_TRACED	50

/**
 * struct traced_fixture - one test
 * @call: two tracepoints
 * @events: of the first one
 * @other: of the second one
 * @child: a task that inherits and never runs
 */
struct traced_fixture {
	struct trace_event_call	*call[2];
	struct perf_event	*events[NR_TRACED];
	struct perf_event	*other;
	struct task_struct	*child;
};

static struct trace_event_call *find_tracepoint(const char *name)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(trace_event_name(call), name))
			return call;
	}
	return NULL;
}

static int traced_test_init(struct kunit *test)
{
	struct traced_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	fix->call[0] = find_tracepoint("perf_event_refused");
	fix->call[1] = find_tracepoint("perf_event_rate_limit");
	KUNIT_ASSERT_NOT_NULL(test, fix->call[0]);
	KUNIT_ASSERT_NOT_NULL(test, fix->call[1]);
	fix->child = kunit_kzalloc(test, sizeof(*fix->child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fix->child);
	/* it is never freed */
	refcount_set(&fix->child->usage, 1000000);
	test->priv = fix;
	return 0;
}

static void close_event(struct perf_event **event)
{
	if (*event)
		perf_event_close(*event);
	*event = NULL;
}

static void traced_test_exit(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;

	if (!fix)
		return;
	for (unsigned int i = 0; i < NR_TRACED; i++)
		close_event(&fix->events[i]);
	close_event(&fix->other);
}

static struct perf_event *open_traced(struct kunit *test, struct perf_event *leader,
				      struct trace_event_call *call,
				      struct perf_event_attr attr)
{
	struct perf_event_context *ctx = perf_ctx_find(current, -1);
	struct perf_event_request req = {
		.attr		= &attr,
		.cpu		= -1,
		.task		= current,
		.leader		= leader,
		.cgroup_fd	= -1,
	};
	struct perf_event *event;

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(ctx));
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = call->event.type;
	attr.size = sizeof(attr);
	event = perf_event_make(&req);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	scoped_guard(mutex, &ctx->mutex)
		KUNIT_ASSERT_EQ(test, perf_ctx_install(ctx, event), 0);
	perf_ctx_put_found(ctx);
	return event;
}

static void open_all(struct kunit *test, struct perf_event_attr attr)
{
	struct traced_fixture *fix = test->priv;

	for (unsigned int i = 0; i < NR_TRACED; i++)
		fix->events[i] = open_traced(test, NULL, fix->call[0], attr);
	fix->other = open_traced(test, NULL, fix->call[1], attr);
}

/* What has to be done for a tracepoint at a switch. Irqs off. */
static unsigned int nr_listed(struct trace_event_call *call)
{
	struct hlist_node *node;
	unsigned int nr = 0;

	hlist_for_each(node, this_cpu_ptr(call->perf_events))
		nr++;
	return nr;
}

static void enable(struct perf_event *event, bool on)
{
	guard(mutex)(&event->ctx->mutex);
	if (on)
		perf_event_enable_one(event);
	else
		perf_event_disable_one(event);
}

/* The tracepoint is hit. */
static void occur(struct trace_event_call *call)
{
	struct pt_regs *regs;
	void *record;
	int rctx;

	guard(preempt)();
	record = perf_trace_buf_alloc(64, &regs, &rctx);
	if (!record)
		return;
	perf_fetch_caller_regs(regs);
	perf_tp_event(call->event.type, 1, record, 64, regs,
		      this_cpu_ptr(call->perf_events), rctx, NULL);
}

/* However many events a tracepoint has, a switch does one thing for it. */
static void switch_lists_tracepoints(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event_context *ctx;

	open_all(test, (struct perf_event_attr) { });
	ctx = fix->other->ctx;
	for (int i = 0; i < 3; i++) {
		guard(irq)();
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[0]), 1);
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[1]), 1);
		perf_ctx_off(ctx);
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[0]), 0);
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[1]), 0);
		perf_ctx_on(ctx);
	}
	occur(fix->call[0]);
	for (unsigned int i = 0; i < NR_TRACED; i++)
		KUNIT_EXPECT_EQ(test, local64_read(&fix->events[i]->count), 1);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->other->count), 0);
}

/* A tracepoint of which nothing counts is skipped where it is hit. */
static void disabled_are_not_listed(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;

	open_all(test, (struct perf_event_attr) { });
	for (unsigned int i = 0; i < NR_TRACED; i++) {
		scoped_guard(irq)
			KUNIT_EXPECT_EQ(test, nr_listed(fix->call[0]), 1);
		occur(fix->call[0]);
		enable(fix->events[i], false);
	}
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[0]), 0);
	occur(fix->call[0]);
	for (unsigned int i = 0; i < NR_TRACED; i++)
		KUNIT_EXPECT_EQ(test, local64_read(&fix->events[i]->count), i + 1);
	enable(fix->events[7], true);
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, nr_listed(fix->call[0]), 1);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[7]->count), 9);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[8]->count), 9);
}

/* A sibling counts what occurs while its leader counts. */
static void sibling_counts_with_its_leader(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event *sibling;

	fix->other = open_traced(test, NULL, fix->call[1], (struct perf_event_attr) { });
	sibling = open_traced(test, fix->other, fix->call[0], (struct perf_event_attr) { });
	fix->events[0] = sibling;

	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 1);
	enable(fix->other, false);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 1);
	enable(fix->other, true);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 2);

	/* on its own it counts on */
	enable(fix->other, false);
	close_event(&fix->other);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 3);
}

/* What is inherited of a tracepoint's events is together again, and goes without a trace. */
static void copies_are_together(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event_set *set;
	struct perf_traced *traced;
	unsigned int nr = 0;

	open_all(test, (struct perf_event_attr) { .inherit = 1 });
	KUNIT_ASSERT_EQ(test, perf_event_init_task(fix->child, 0), 0);
	KUNIT_ASSERT_NOT_NULL(test, fix->child->perf_event_ctxp);
	set = &fix->child->perf_event_ctxp->own;
	hlist_for_each_entry(traced, &set->traced, set_entry) {
		KUNIT_EXPECT_EQ(test, traced->nr_events,
				traced->call == fix->call[0] ? NR_TRACED : 1);
		KUNIT_EXPECT_EQ(test, traced->nr_added, traced->nr_events);
		KUNIT_EXPECT_PTR_EQ(test, traced->set, set);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 2);
	/* the copies are off */
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fix->events[0]->child_count), 0);
	perf_event_exit_task(fix->child);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fix->events[0]->child_count), 0);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 1);
}

static struct kunit_case traced_cases[] = {
	KUNIT_CASE(switch_lists_tracepoints),
	KUNIT_CASE(disabled_are_not_listed),
	KUNIT_CASE(sibling_counts_with_its_leader),
	KUNIT_CASE(copies_are_together),
	{}
};

static struct kunit_suite traced_suite = {
	.name		= "perf_events_traced",
	.init		= traced_test_init,
	.exit		= traced_test_exit,
	.test_cases	= traced_cases,
};

kunit_test_suite(traced_suite);
