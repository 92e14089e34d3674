// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of traced.c: what a tracepoint's list of a CPU contains for the events of a task,
 * and which events an occurrence reaches.
 *
 * The tests use two tracepoints of perf itself, which do not fire during the tests.
 */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_events.h>

#include "../base/contexts.h"
#include "../context/ctx_sched.h"
#include "../context/state.h"
#include "../base/event.h"
#include "fake_counters.h"
#include "test_cpu.h"
#include "test_open.h"
#include "../software/traced.h"
#include "../../trace/trace.h"

#define NR_TRACED	50

/**
 * struct traced_fixture - one test
 * @call: two tracepoints
 * @events: events of the first tracepoint
 * @afar: events of the second tracepoint that are bound to one CPU
 * @other: an event of the second tracepoint
 * @child: a task that inherits events and never runs
 * @nr_listed: length of the lists of @call on the CPU of the test, without the test's events
 * @fake: a PMU
 * @registered: @fake is registered
 */
struct traced_fixture {
	struct trace_event_call	*call[2];
	struct perf_event	*events[NR_TRACED];
	struct perf_event	*afar[PERF_TRACED_AFAR + 1];
	struct perf_event	*other;
	struct task_struct	*child;
	unsigned int		nr_listed[2];
	struct fake_pmu		fake;
	bool			registered;
};

/*
 * Length of the list of a CPU that a context switch changes. The last event of the tracepoint frees
 * the lists when it is closed. Caller must have an event of it, or hold event_mutex.
 */
static unsigned int nr_listed_on(int cpu, struct trace_event_call *call)
{
	struct hlist_node *node;
	struct hlist_head __percpu *lists = READ_ONCE(call->perf_events);
	unsigned int nr = 0;

	/* no event is open */
	if (!lists)
		return 0;
	guard(rcu)();
	__hlist_for_each_rcu(node, per_cpu_ptr(lists, cpu))
		nr++;
	return nr;
}

/* The same while the test has no event of the tracepoint. */
static unsigned int nr_listed_now(int cpu, struct trace_event_call *call)
{
	guard(mutex)(&event_mutex);
	return nr_listed_on(cpu, call);
}

static int traced_test_init(struct kunit *test)
{
	struct traced_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	fix->call[0] = test_tracepoint("perf_event_refused");
	fix->call[1] = test_tracepoint("perf_event_rate_limit");
	KUNIT_ASSERT_NOT_NULL(test, fix->call[0]);
	KUNIT_ASSERT_NOT_NULL(test, fix->call[1]);
	fix->child = kunit_kzalloc(test, sizeof(*fix->child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fix->child);
	/* enough references that the task is never freed */
	refcount_set(&fix->child->usage, 1000000);
	test_bind_here(test);
	for (int i = 0; i < 2; i++)
		fix->nr_listed[i] = nr_listed_now(smp_processor_id(), fix->call[i]);
	test->priv = fix;
	return 0;
}

static void close_event(struct perf_event **event)
{
	if (!IS_ERR_OR_NULL(*event))
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
	for (unsigned int i = 0; i < ARRAY_SIZE(fix->afar); i++)
		close_event(&fix->afar[i]);
	close_event(&fix->other);
	if (fix->registered)
		fake_pmu_unregister(&fix->fake);
}

/* The function that ends the test unregisters the PMU. */
static void register_fake(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;

	fix->fake.nr_counters = 4;
	fix->fake.width = 48;
	KUNIT_ASSERT_EQ(test, fake_pmu_register(&fix->fake, "kunit_moved", THIS_MODULE), 0);
	fix->registered = true;
}

static struct perf_event *open_traced(struct kunit *test, struct perf_event *leader,
				      struct trace_event_call *call,
				      struct perf_event_attr attr)
{
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = call->event.type;
	return test_open_own(test, leader, attr);
}

static void open_all(struct kunit *test, struct perf_event_attr attr)
{
	struct traced_fixture *fix = test->priv;

	for (unsigned int i = 0; i < NR_TRACED; i++)
		fix->events[i] = open_traced(test, NULL, fix->call[0], attr);
	fix->other = open_traced(test, NULL, fix->call[1], attr);
}

/* How many nodes the list of a tracepoint has because of the test. Caller has irqs off. */
static int nr_listed(struct kunit *test, unsigned int i)
{
	struct traced_fixture *fix = test->priv;

	return (int)nr_listed_on(smp_processor_id(), fix->call[i]) - (int)fix->nr_listed[i];
}

static void enable(struct perf_event *event, bool on)
{
	guard(mutex)(&event->ctx->mutex);
	if (on)
		perf_event_enable_one(event);
	else
		perf_event_disable_one(event);
}

/* Let a tracepoint occur. @task is the task that it concerns, as for a wakeup, or NULL. */
static void occur_about(struct trace_event_call *call, struct task_struct *task)
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
		      this_cpu_ptr(call->perf_events), rctx, task);
}

static void occur(struct trace_event_call *call)
{
	occur_about(call, NULL);
}

/* A context switch adds one node to the list of a tracepoint for all of its events. */
static void switch_lists_tracepoints(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event_context *ctx;

	open_all(test, (struct perf_event_attr) { });
	ctx = fix->other->ctx;
	for (int i = 0; i < 3; i++) {
		guard(irq)();
		KUNIT_EXPECT_EQ(test, nr_listed(test, 0), 1);
		KUNIT_EXPECT_EQ(test, nr_listed(test, 1), 1);
		perf_ctx_sched_out(ctx);
		KUNIT_EXPECT_EQ(test, nr_listed(test, 0), 0);
		KUNIT_EXPECT_EQ(test, nr_listed(test, 1), 0);
		perf_ctx_sched_in(ctx, perf_time());
	}
	occur(fix->call[0]);
	for (unsigned int i = 0; i < NR_TRACED; i++)
		KUNIT_EXPECT_EQ(test, local64_read(&fix->events[i]->count), 1);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->other->count), 0);
}

/* A tracepoint without enabled events is not listed. */
static void disabled_are_not_listed(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;

	open_all(test, (struct perf_event_attr) { });
	for (unsigned int i = 0; i < NR_TRACED; i++) {
		scoped_guard(irq)
			KUNIT_EXPECT_EQ(test, nr_listed(test, 0), 1);
		occur(fix->call[0]);
		enable(fix->events[i], false);
	}
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, nr_listed(test, 0), 0);
	occur(fix->call[0]);
	for (unsigned int i = 0; i < NR_TRACED; i++)
		KUNIT_EXPECT_EQ(test, local64_read(&fix->events[i]->count), i + 1);
	enable(fix->events[7], true);
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, nr_listed(test, 0), 1);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[7]->count), 9);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[8]->count), 9);
}

/* A sibling counts only while its leader counts. */
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

	/* when the leader is closed, the sibling counts alone */
	enable(fix->other, false);
	close_event(&fix->other);
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, local64_read(&sibling->count), 3);
}

/* The child events of a tracepoint share one perf_traced, and leave nothing behind. */
static void child_events_are_together(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct perf_subctx *subctx;
	struct perf_traced *traced;
	unsigned int nr = 0;

	open_all(test, (struct perf_event_attr) { .inherit = 1 });
	KUNIT_ASSERT_EQ(test, perf_event_init_task(fix->child, 0), 0);
	KUNIT_ASSERT_NOT_NULL(test, fix->child->perf_event_ctxp);
	subctx = &fix->child->perf_event_ctxp->own;
	hlist_for_each_entry(traced, &subctx->traced, subctx_entry) {
		KUNIT_EXPECT_EQ(test, traced->nr_events,
				traced->call == fix->call[0] ? NR_TRACED : 1);
		KUNIT_EXPECT_EQ(test, traced->nr_added, traced->nr_events);
		KUNIT_EXPECT_PTR_EQ(test, traced->subctx, subctx);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 2);
	/* the child events do not count, because their task does not run */
	occur(fix->call[0]);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fix->events[0]->child_count), 0);
	perf_event_exit_task(fix->child);
	KUNIT_EXPECT_EQ(test, atomic64_read(&fix->events[0]->child_count), 0);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 1);
}

/* Open an event of the second tracepoint: the first one occurs at each refusal. */
static struct perf_event *try_open_afar(struct kunit *test, int cpu, bool inherit)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_TRACEPOINT,
		.config		= fix->call[1]->event.type,
		.inherit	= inherit,
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= cpu,
		.task	= current,
	};

	return test_try_open(&req);
}

/* Open events until one is refused. Return: the number of events in fix->afar. */
static unsigned int open_afar(struct kunit *test, unsigned int nr, int cpu)
{
	struct traced_fixture *fix = test->priv;
	struct perf_event *event;

	while (nr < ARRAY_SIZE(fix->afar)) {
		event = try_open_afar(test, cpu, true);
		if (IS_ERR(event)) {
			KUNIT_EXPECT_EQ(test, PTR_ERR(event), -ENOSPC);
			break;
		}
		fix->afar[nr++] = event;
	}
	return nr;
}

static unsigned int open_afar_unprivileged(struct kunit *test, int cpu)
{
	const struct cred *old;
	struct cred *cred;
	unsigned int nr;

	cred = prepare_creds();
	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	nr = open_afar(test, 0, cpu);
	revert_creds(old);
	put_cred(cred);
	return nr;
}

/*
 * An occurrence that concerns a task counts all events of the task that are bound to the CPU,
 * while another task runs there. So their number is limited. Child events need no check, because
 * there are no more of them than of the events they are inherited from.
 */
static void afar_are_bounded(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	unsigned int nr, wrong = 0;

	nr = open_afar_unprivileged(test, smp_processor_id());
	KUNIT_EXPECT_EQ(test, nr, PERF_TRACED_USER);
	nr = open_afar(test, nr, smp_processor_id());
	KUNIT_EXPECT_EQ(test, nr, PERF_TRACED_AFAR);

	KUNIT_ASSERT_EQ(test, perf_event_init_task(fix->child, 0), 0);
	occur_about(fix->call[1], fix->child);
	perf_event_exit_task(fix->child);
	for (unsigned int i = 0; i < nr; i++)
		wrong += local64_read(&fix->afar[i]->count) != 1 ||
			 atomic64_read(&fix->afar[i]->child_count) != 1;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	close_event(&fix->afar[7]);
	fix->afar[7] = try_open_afar(test, smp_processor_id(), false);
	KUNIT_EXPECT_FALSE(test, IS_ERR(fix->afar[7]));
}

/* Events that are not bound to a CPU count only while their task runs. */
static void unbound_are_limited_for_users(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;

	unsigned int nr = open_afar_unprivileged(test, -1);

	KUNIT_EXPECT_EQ(test, nr, PERF_TRACED_USER);
	KUNIT_EXPECT_EQ(test, open_afar(test, nr, -1), ARRAY_SIZE(fix->afar));
}

static void occur_here(void *call)
{
	occur(call);
}

static void occur_on(int cpu, struct trace_event_call *call)
{
	smp_call_function_single(cpu, occur_here, call, true);
}

static struct perf_event *open_on(struct kunit *test, int cpu, struct perf_event *leader, u32 type,
				  u64 config)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	struct perf_event_request req = { .attr = &attr, .cpu = cpu, .leader = leader };

	return test_open(test, &req);
}

/* The perf_traced of a tracepoint in the own sub-context of a CPU, as of now; zeroes if none. */
static struct perf_traced traced_on(int cpu, struct trace_event_call *call)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_traced *traced;

	guard(mutex)(&ctx->mutex);
	hlist_for_each_entry(traced, &ctx->own.traced, subctx_entry) {
		if (traced->call == call)
			return *traced;
	}
	return (struct perf_traced) { };
}

/*
 * Tracepoints in a group of a PMU move along to another CPU, and back while the leader does not
 * count. Two of them share a perf_traced; one is disabled when it moves.
 */
static void siblings_move_with_their_leader(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct trace_event_call *call = fix->call[1];
	int from = cpumask_first(cpu_online_mask), to = test_next_cpu(test, from);
	unsigned int nr_listed = nr_listed_now(from, call);
	struct perf_traced *traced, before;

	register_fake(test);
	fix->other = open_on(test, from, NULL, fix->fake.pmu.type, FAKE_CONFIG(FAKE_NS, 0));
	for (int i = 0; i < 3; i++)
		fix->events[i] = open_on(test, from, fix->other, PERF_TYPE_TRACEPOINT,
					 call->event.type);
	enable(fix->events[2], false);
	occur_on(from, call);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 1);

	before = traced_on(to, call);
	perf_pmu_migrate_context(&fix->fake.pmu, from, to);
	traced = fix->events[0]->traced;
	KUNIT_ASSERT_NOT_NULL(test, traced);
	KUNIT_EXPECT_PTR_EQ(test, fix->events[2]->traced, traced);
	KUNIT_EXPECT_PTR_EQ(test, traced->subctx->ctx, &per_cpu(perf_cpu_context, to).ctx);
	KUNIT_EXPECT_EQ(test, traced->nr_events, before.nr_events + 3);
	KUNIT_EXPECT_EQ(test, traced->nr_added, before.nr_added + 2);
	KUNIT_EXPECT_EQ(test, nr_listed_on(from, call), nr_listed);
	occur_on(from, call);
	occur_on(to, call);
	enable(fix->events[2], true);
	occur_on(to, call);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 3);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[1]->count), 3);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[2]->count), 1);

	enable(fix->other, false);
	perf_pmu_migrate_context(&fix->fake.pmu, to, from);
	occur_on(from, call);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 3);
	enable(fix->other, true);
	occur_on(from, call);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[0]->count), 4);
	close_event(&fix->events[0]);
	occur_on(from, call);
	KUNIT_EXPECT_EQ(test, local64_read(&fix->events[1]->count), 5);
	KUNIT_EXPECT_EQ(test, fix->events[1]->oncpu, from);
	before = traced_on(from, call);
	close_event(&fix->events[1]);
	KUNIT_EXPECT_EQ(test, fix->events[2]->traced->nr_added, before.nr_added - 1);
	close_event(&fix->events[2]);
	close_event(&fix->other);
}

#define NR_KINDS	64

/* Find some of the machine's tracepoints that can be opened. Return: the number. */
static unsigned int find_kinds(struct trace_event_call **kinds)
{
	struct trace_event_call *call;
	unsigned int nr = 0;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (nr == NR_KINDS)
			break;
		if (call->class->perf_probe && call->class->system &&
		    !(call->flags & (TRACE_EVENT_FL_IGNORE_ENABLE | TRACE_EVENT_FL_DYNAMIC)))
			kinds[nr++] = call;
	}
	return nr;
}

/* How many perf_traced the search for one of them looks at; 0 if it does not find it. */
static unsigned int nr_steps(struct perf_traced *traced)
{
	struct rb_node *node = &traced->node;
	unsigned int nr = 1;

	for (; node; node = rb_parent(node), nr++) {
		if (node == traced->subctx->traced_tree.rb_node)
			return nr;
	}
	return 0;
}

static unsigned int nr_in_tree(struct perf_subctx *subctx)
{
	unsigned int nr = 0;

	guard(mutex)(&subctx->ctx->mutex);
	for (struct rb_node *node = rb_first(&subctx->traced_tree); node; node = rb_next(node))
		nr++;
	return nr;
}

static void expect_few_steps(struct kunit *test, struct perf_event **events, unsigned int nr)
{
	/* a red-black tree is at most twice as high as a full tree */
	unsigned int most = 2 * (ilog2(nr_in_tree(events[0]->traced->subctx)) + 1);

	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_GE(test, nr_steps(events[i]->traced), 1);
		KUNIT_EXPECT_LE(test, nr_steps(events[i]->traced), most);
	}
}

/* A group with many tracepoints moves: none is compared with all that are there already. */
static void many_tracepoints_move_in_few_steps(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	int from = cpumask_first(cpu_online_mask), to = test_next_cpu(test, from);
	struct perf_subctx *own = &per_cpu(perf_cpu_context, to).ctx.own;
	struct trace_event_call *kinds[NR_KINDS];
	struct perf_event **there = fix->afar, **moves = fix->afar + NR_KINDS;
	unsigned int nr = find_kinds(kinds), nr_before = nr_in_tree(own);
	unsigned int before[NR_KINDS];

	KUNIT_ASSERT_GT(test, nr, 8);
	register_fake(test);
	fix->other = open_on(test, from, NULL, fix->fake.pmu.type, FAKE_CONFIG(FAKE_NS, 0));
	for (unsigned int i = 0; i < nr; i++) {
		there[i] = open_on(test, to, NULL, PERF_TYPE_TRACEPOINT, kinds[i]->event.type);
		moves[i] = open_on(test, from, fix->other, PERF_TYPE_TRACEPOINT,
				   kinds[i]->event.type);
	}
	expect_few_steps(test, there, nr);
	expect_few_steps(test, moves, nr);
	for (unsigned int i = 0; i < nr; i++)
		before[i] = there[i]->traced->nr_events;

	perf_pmu_migrate_context(&fix->fake.pmu, from, to);
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_PTR_EQ(test, moves[i]->traced, there[i]->traced);
		KUNIT_EXPECT_EQ(test, there[i]->traced->nr_events, before[i] + 1);
	}
	/* half of them go, the others are found as before */
	for (unsigned int i = 0; i < nr / 2; i++) {
		close_event(&there[i]);
		close_event(&moves[i]);
	}
	expect_few_steps(test, moves + nr / 2, nr - nr / 2);
	perf_pmu_migrate_context(&fix->fake.pmu, to, from);
	for (unsigned int i = nr / 2; i < nr; i++) {
		KUNIT_EXPECT_PTR_NE(test, moves[i]->traced, there[i]->traced);
		close_event(&there[i]);
	}
	KUNIT_EXPECT_EQ(test, nr_in_tree(own), nr_before);
	expect_few_steps(test, moves + nr / 2, nr - nr / 2);
	for (unsigned int i = nr / 2; i < nr; i++)
		close_event(&moves[i]);
	close_event(&fix->other);
}

#ifdef CONFIG_CGROUP_PERF
/* Open an event of the cgroup of this thread. */
static struct perf_event *open_of_cgroup(struct kunit *test, int cpu, struct perf_event *leader,
					 u32 type, u64 config)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	struct perf_event_request req = { .attr = &attr, .cpu = cpu, .leader = leader };

	return test_open_of_cgroup(test, test_own_cgroup(), &req);
}

/*
 * A group of a cgroup moves. A tracepoint of the cgroup has its perf_traced in the cgroup's
 * sub-context at the new place, a foreign one in the own sub-context of the CPU.
 */
static void foreign_tracepoints_move(struct kunit *test)
{
	struct traced_fixture *fix = test->priv;
	struct trace_event_call *call = fix->call[1];
	int from = cpumask_first(cpu_online_mask), to = test_next_cpu(test, from);
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, to).ctx;
	unsigned int nr_listed = nr_listed_now(from, call);
	struct perf_event *member, *foreign;

	register_fake(test);
	fix->other = open_of_cgroup(test, from, NULL, fix->fake.pmu.type, FAKE_CONFIG(FAKE_NS, 0));
	member = open_of_cgroup(test, from, fix->other, PERF_TYPE_TRACEPOINT, call->event.type);
	foreign = open_on(test, from, fix->other, PERF_TYPE_TRACEPOINT, call->event.type);
	fix->events[0] = member;
	fix->events[1] = foreign;
	KUNIT_EXPECT_TRUE(test, perf_cgroup_is_foreign(foreign, foreign->subctx));

	perf_pmu_migrate_context(&fix->fake.pmu, from, to);
	KUNIT_EXPECT_PTR_EQ(test, member->subctx->ctx, ctx);
	KUNIT_EXPECT_PTR_EQ(test, foreign->subctx, member->subctx);
	KUNIT_EXPECT_PTR_EQ(test, member->traced->subctx, member->subctx);
	KUNIT_EXPECT_PTR_EQ(test, foreign->traced->subctx, &ctx->own);
	KUNIT_EXPECT_EQ(test, nr_listed_on(from, call), nr_listed);
	occur_on(from, call);
	occur_on(to, call);
	KUNIT_EXPECT_EQ(test, local64_read(&member->count), 1);
	KUNIT_EXPECT_EQ(test, local64_read(&foreign->count), 1);

	/* the perf_traced is where the foreign event needs it without its leader */
	close_event(&fix->other);
	KUNIT_EXPECT_PTR_EQ(test, foreign->subctx, &ctx->own);
	KUNIT_EXPECT_PTR_EQ(test, foreign->traced->subctx, &ctx->own);
	occur_on(to, call);
	KUNIT_EXPECT_EQ(test, local64_read(&member->count), 2);
	KUNIT_EXPECT_EQ(test, local64_read(&foreign->count), 2);
	close_event(&fix->events[0]);
	occur_on(to, call);
	KUNIT_EXPECT_EQ(test, local64_read(&foreign->count), 3);
	close_event(&fix->events[1]);
}
#endif

static struct kunit_case traced_cases[] = {
	KUNIT_CASE(switch_lists_tracepoints),
	KUNIT_CASE(disabled_are_not_listed),
	KUNIT_CASE(sibling_counts_with_its_leader),
	KUNIT_CASE(child_events_are_together),
	KUNIT_CASE(afar_are_bounded),
	KUNIT_CASE(unbound_are_limited_for_users),
	KUNIT_CASE(siblings_move_with_their_leader),
	KUNIT_CASE(many_tracepoints_move_in_few_steps),
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(foreign_tracepoints_move),
#endif
	{}
};

static struct kunit_suite traced_suite = {
	.name		= "perf_events_traced",
	.init		= traced_test_init,
	.exit		= traced_test_exit,
	.test_cases	= traced_cases,
};

kunit_test_suite(traced_suite);
