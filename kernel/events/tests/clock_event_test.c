// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: sampling clocks: the cost of a context switch, and how many samples one run of the
 * timer takes.
 *
 * The clocks are opened for the task of the test. The test keeps irqs off until the periods of
 * many clocks have ended. It waits only for samples, or for a clock to advance.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../software/clock_queue.h"
#include "../context/context.h"
#include "../context/ctx_sched.h"
#include "../context/state.h"
#include "../base/event.h"
#include "../software/follow.h"
#include "test_irq.h"
#include "test_open.h"

#define NR_CLOCKS	200

/* number of rounds among which one must not be interrupted by the host */
#define ROUNDS		1000

/* a test fails if it waits longer for samples: longer than a host stops a CPU */
#define WAIT_NS		(60ULL * NSEC_PER_SEC)

/* a period that does not end while the test runs */
#define NEVER_ENDS	(1000ULL * NSEC_PER_SEC)

/**
 * struct clocks_fixture - one test
 * @pmu: PMU whose add() fails while @room is false
 * @room: add() of @pmu succeeds
 * @clocks: sampling clocks; if they are a group, the leader may be among them
 * @leader: leader of @pmu, or NULL
 * @child: a task that inherits events and never runs
 * @irqs_on: queued by each sample; runs, and resets @at_once, when interrupts are on
 * @samples: number of samples
 * @at_once: number of samples since interrupts were on
 * @most: maximum of @at_once
 * @began: time of the first sample since interrupts were on, ktime_get()
 * @ended: time of the last sample, ktime_get()
 * @stretches: number of runs of the timer that took the maximum of PERF_CLOCKS_AT_ONCE samples
 * @too_soon: number of these after which the timer was due again in less time than the run took
 * @faults: number of samples that violate a rule, see clock_sampled()
 * @next_due: end of the period that begins with a sample, by the clock of the sub-context, or 0
 * @piled_up: when irqs were enabled again, by the clock of the sub-context
 * @last_due: end of the last period that was sampled, by the clock of the sub-context
 */
struct clocks_fixture {
	struct pmu		pmu;
	bool			room;
	struct perf_event	*clocks[NR_CLOCKS];
	struct perf_event	*leader;
	struct task_struct	*child;
	struct irq_work		irqs_on;
	unsigned int		samples;
	unsigned int		at_once;
	unsigned int		most;
	ktime_t			began;
	ktime_t			ended;
	unsigned int		stretches;
	unsigned int		too_soon;
	unsigned int		faults;
	s64			next_due;
	s64			piled_up;
	s64			last_due;
};

static void clocks_irqs_on(struct irq_work *work)
{
	struct clocks_fixture *fix = container_of(work, struct clocks_fixture, irqs_on);
	ktime_t due = hrtimer_get_expires(&this_perf_cpu()->clock_timer);
	s64 took = fix->ended - fix->began;

	if (fix->at_once == PERF_CLOCKS_AT_ONCE) {
		fix->stretches++;
		/* the timer's handler measures with another clock, so allow an eighth less */
		fix->too_soon += due < fix->ended + took - took / 8;
	}
	fix->at_once = 0;
}

/*
 * End of an event's period, by the clock of the sub-context. In the overflow handler this is the
 * period that has ended, because the timer advances the event after the sample.
 */
static s64 clock_due(const struct perf_event *event)
{
	s64 due = event->hw.clock_node.expires;

	return perf_event_follows(event) ? due + event->group_leader->stamp_running : due;
}

static void clock_sampled(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct clocks_fixture *fix = event->overflow_handler_context;

	fix->samples++;
	fix->ended = ktime_get();
	if (!fix->at_once)
		fix->began = fix->ended;
	fix->most = max(fix->most, ++fix->at_once);
	test_irq_work_queue(&fix->irqs_on);
	if (event->group_leader->state != PERF_EVENT_STATE_ACTIVE ||
	    event->ctx->cpu != smp_processor_id() || clock_due(event) < fix->last_due)
		fix->faults++;
	fix->last_due = clock_due(event);
	if (fix->next_due)
		event->hw.sample_period = fix->next_due - clock_due(event);
}

static int limited_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static int limited_add(struct perf_event *event, int flags)
{
	return container_of(event->pmu, struct clocks_fixture, pmu)->room ? 0 : -EAGAIN;
}

static void limited_del(struct perf_event *event, int flags)
{
}

static void limited_read(struct perf_event *event)
{
}

static int clocks_init(struct kunit *test)
{
	struct clocks_fixture *fix = kunit_kzalloc(test, sizeof(*fix), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fix);
	fix->irqs_on = IRQ_WORK_INIT_HARD(clocks_irqs_on);
	fix->room = true;
	fix->pmu = (struct pmu) {
		.task_ctx_nr	= perf_hw_context,
		.event_init	= limited_event_init,
		.add		= limited_add,
		.del		= limited_del,
		.start		= limited_del,
		.stop		= limited_del,
		.read		= limited_read,
	};
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&fix->pmu, "limited", -1), 0);
	fix->child = kunit_kzalloc(test, sizeof(*fix->child), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fix->child);
	/* enough references that the task is never freed */
	refcount_set(&fix->child->usage, 1000000);
	test->priv = fix;
	return 0;
}

static void clocks_close_all(struct clocks_fixture *fix)
{
	for (unsigned int i = 0; i < NR_CLOCKS; i++) {
		if (fix->clocks[i])
			perf_event_close(fix->clocks[i]);
		fix->clocks[i] = NULL;
	}
	if (fix->leader)
		perf_event_close(fix->leader);
	fix->leader = NULL;
}

static void clocks_exit(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;

	clocks_close_all(fix);
	irq_work_sync(&fix->irqs_on);
	perf_pmu_unregister(&fix->pmu);
}

static struct perf_event *open_event(struct kunit *test, struct perf_event *leader,
				     struct perf_event_attr attr)
{
	struct perf_event_request req = {
		.attr			= &attr,
		.cpu			= -1,
		.task			= current,
		.leader			= leader,
		.handler		= clock_sampled,
		.handler_context	= test->priv,
	};

	return test_open(test, &req);
}

static struct perf_event *open_clock(struct kunit *test, struct perf_event *leader, u64 period)
{
	return open_event(test, leader, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.sample_period	= period,
		.inherit	= 1,
	});
}

/* Open a leader on the PMU of the test, which need not have room for it. */
static void open_leader(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;

	fix->leader = open_event(test, NULL, (struct perf_event_attr) {
		.type		= fix->pmu.type,
		.inherit	= 1,
	});
}

static void open_clocks(struct kunit *test, struct perf_event *leader, u64 period)
{
	struct clocks_fixture *fix = test->priv;

	for (unsigned int i = 0; i < NR_CLOCKS; i++)
		fix->clocks[i] = open_clock(test, leader, period);
}

static unsigned int nr_queued(const struct timerqueue_head *head)
{
	struct rb_node *node;
	unsigned int nr = 0;

	for (node = rb_first_cached(&head->rb_root); node; node = rb_next(node))
		nr++;
	return nr;
}

/* Wait until the clock of the task's own sub-context has advanced by @ns. irqs may be off. */
static void let_pass(struct perf_event_context *ctx, u64 ns)
{
	u64 end = perf_clock_read(&ctx->own.clock, perf_time()) + ns;

	while ((s64)(perf_clock_read(&ctx->own.clock, perf_time()) - end) < 0)
		cpu_relax();
}

/* Wait for @nr samples, but not forever. */
static void let_sample(struct clocks_fixture *fix, unsigned int nr)
{
	ktime_t end = ktime_add_ns(ktime_get(), WAIT_NS);

	while (READ_ONCE(fix->samples) < nr && ktime_before(ktime_get(), end))
		cpu_relax();
}

/* Keep irqs off for @ns, so that the periods of all clocks end; then wait for the samples. */
static void pile_up(struct clocks_fixture *fix, struct perf_event_context *ctx, u64 ns)
{
	scoped_guard(irq) {
		let_pass(ctx, ns);
		fix->samples = 0;
		fix->most = 0;
		fix->at_once = 0;
		fix->piled_up = perf_clock_read(&ctx->own.clock, perf_time());
	}
	let_sample(fix, NR_CLOCKS);
}

/* Number of clocks that pile_up() has not sampled. */
static unsigned int nr_overdue(struct clocks_fixture *fix)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_CLOCKS; i++)
		nr += clock_due(fix->clocks[i]) <= fix->piled_up;
	return nr;
}

/* State of a clock that every access of the core changes. */
struct clock_print {
	struct timerqueue_node	node;
	u64			began;
};

static void take_prints(struct clocks_fixture *fix, struct clock_print *prints)
{
	for (unsigned int i = 0; i < NR_CLOCKS; i++) {
		prints[i].node = fix->clocks[i]->hw.clock_node;
		prints[i].began = local64_read(&fix->clocks[i]->hw.prev_count);
	}
}

static unsigned int nr_changed(struct clocks_fixture *fix, const struct clock_print *prints)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < NR_CLOCKS; i++) {
		struct hw_perf_event *hwc = &fix->clocks[i]->hw;

		nr += memcmp(&prints[i].node, &hwc->clock_node, sizeof(hwc->clock_node)) ||
		      prints[i].began != local64_read(&hwc->prev_count);
	}
	return nr;
}

/* A context switch changes no clock. It starts and stops the timer of the CPU. */
static void switch_touches_no_clock(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct clock_print *prints = kunit_kcalloc(test, NR_CLOCKS, sizeof(*prints),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prints);
	for (int grouped = 0; grouped < 2; grouped++) {
		if (grouped)
			open_leader(test);
		open_clocks(test, fix->leader, NEVER_ENDS);
		take_prints(fix, prints);
		for (int i = 0; i < 10; i++) {
			guard(irq)();
			perf_ctx_sched_out(fix->clocks[0]->ctx);
			KUNIT_EXPECT_FALSE(test,
					   hrtimer_is_queued(&this_perf_cpu()->clock_timer));
			perf_ctx_sched_in(fix->clocks[0]->ctx, perf_time());
			KUNIT_EXPECT_TRUE(test,
					  hrtimer_is_queued(&this_perf_cpu()->clock_timer));
		}
		KUNIT_EXPECT_EQ(test, nr_changed(fix, prints), 0);
		clocks_close_all(fix);
	}
}

static void toggling_a_leader_touches_no_other(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct clock_print *prints = kunit_kcalloc(test, NR_CLOCKS, sizeof(*prints),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prints);
	fix->leader = open_clock(test, NULL, NEVER_ENDS);
	open_clocks(test, fix->leader, NEVER_ENDS);
	take_prints(fix, prints);
	KUNIT_ASSERT_NOT_NULL(test, fix->leader->followers);
	for (int i = 0; i < 10; i++) {
		guard(mutex)(&fix->leader->ctx->mutex);
		perf_event_disable_one(fix->leader);
		KUNIT_EXPECT_FALSE(test, fix->leader->followers->clocks.is_linked);
		perf_event_enable_one(fix->leader);
		KUNIT_EXPECT_TRUE(test, fix->leader->followers->clocks.is_linked);
	}
	KUNIT_EXPECT_EQ(test, nr_changed(fix, prints), 0);
}

static void child_events_are_queued(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct perf_event_context *ctx;

	for (int grouped = 0; grouped < 2; grouped++) {
		if (grouped)
			fix->leader = open_clock(test, NULL, NEVER_ENDS);
		open_clocks(test, fix->leader, NEVER_ENDS);
		KUNIT_ASSERT_EQ(test, perf_event_init_task(fix->child, 0), 0);
		ctx = fix->child->perf_event_ctxp;
		KUNIT_ASSERT_NOT_NULL(test, ctx);
		KUNIT_EXPECT_EQ(test, nr_queued(&ctx->own.clocks.events),
				grouped ? 1 : NR_CLOCKS);
		KUNIT_EXPECT_EQ(test, nr_queued(&ctx->own.clocks.groups), grouped);
		KUNIT_EXPECT_EQ(test, ctx->own.clocks.due, NEVER_ENDS);
		/* the exit drops the last reference otherwise */
		perf_ctx_get(ctx);
		perf_event_exit_task(fix->child);
		KUNIT_EXPECT_EQ(test, ctx->own.clocks.due, KTIME_MAX);
		perf_ctx_put(ctx);
		clocks_close_all(fix);
	}
}

/*
 * One run of the timer takes a limited number of samples, so that other interrupts are handled in
 * between. If a host preempts the CPU before the interrupt returns, the timer can be due again and
 * the same interrupt continues. So the limit is checked in the best of several rounds.
 */
static void few_are_sampled_at_a_stretch(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	unsigned int least;

	for (int grouped = 0; grouped < 2; grouped++) {
		if (grouped)
			fix->leader = open_clock(test, NULL, NEVER_ENDS);
		open_clocks(test, fix->leader, 20 * NSEC_PER_MSEC);
		least = NR_CLOCKS;
		for (int i = 0; i < ROUNDS && least > PERF_CLOCKS_AT_ONCE; i++) {
			pile_up(fix, fix->clocks[0]->ctx, 21 * NSEC_PER_MSEC);
			KUNIT_EXPECT_EQ(test, nr_overdue(fix), 0);
			least = min(least, fix->most);
		}
		KUNIT_EXPECT_EQ(test, least, PERF_CLOCKS_AT_ONCE);
		KUNIT_EXPECT_EQ(test, fix->faults, 0);
		clocks_close_all(fix);
		fix->last_due = 0;
	}
}

/* If more clocks are due than one run samples, the program runs as long as the handler did. */
static void program_has_its_share(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;

	open_clocks(test, NULL, 20 * NSEC_PER_MSEC);
	for (int i = 0; i < ROUNDS && fix->stretches < 5; i++) {
		pile_up(fix, fix->clocks[0]->ctx, 21 * NSEC_PER_MSEC);
		/* or else each round would wait in vain */
		KUNIT_ASSERT_EQ(test, nr_overdue(fix), 0);
	}
	KUNIT_EXPECT_GT(test, fix->stretches, 0);
	/* a clock that ends just after a run need not be delayed, which is rare */
	KUNIT_EXPECT_LE(test, 3 * fix->too_soon, fix->stretches);
}

/* Clocks are sampled in the order of their ends, also if some of them follow a leader. */
static void those_due_first_come_first(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct perf_event *leader;
	unsigned int i;

	open_leader(test);
	for (i = 0; i < NR_CLOCKS; i++) {
		leader = i & 1 ? fix->leader : NULL;
		fix->clocks[i] = open_clock(test, leader,
					    (20000 + 7919 * i % NR_CLOCKS) * NSEC_PER_USEC);
	}
	for (int round = 0; round < 3; round++) {
		pile_up(fix, fix->leader->ctx, 21 * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, nr_overdue(fix), 0);
	}
	KUNIT_EXPECT_EQ(test, fix->faults, 0);
}

/* Let ten periods of a clock end. Returns the number of samples. */
static unsigned int miss_periods(struct kunit *test, struct perf_event *clock, s64 period)
{
	struct clocks_fixture *fix = test->priv;
	s64 first, next;

	scoped_guard(irq) {
		first = clock_due(clock);
		fix->samples = 0;
		let_pass(clock->ctx, 10 * period);
	}
	let_sample(fix, 1);
	guard(irq)();
	next = clock_due(clock);
	KUNIT_EXPECT_GE(test, next, first + 10 * period);
	KUNIT_EXPECT_EQ(test, (next - first) % period, 0);
	return fix->samples;
}

/*
 * After ten missed periods there is one sample. The next period ends in phase with them. There
 * are more samples if a host preempts the CPU for another period.
 */
static void missed_periods_are_skipped(struct kunit *test)
{
	const s64 period = 10 * NSEC_PER_MSEC;
	struct clocks_fixture *fix = test->priv;
	unsigned int least = UINT_MAX;

	fix->clocks[0] = open_clock(test, NULL, period);
	for (int i = 0; i < ROUNDS && least > 1; i++)
		least = min(least, miss_periods(test, fix->clocks[0], period));
	KUNIT_EXPECT_EQ(test, least, 1);
}

/* Disabling and enabling a clock does not change the rest of its period. */
static void period_goes_on_where_it_was(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct perf_event *clock;
	s64 due;

	for (int follows = 0; follows < 2; follows++) {
		if (follows)
			open_leader(test);
		clock = open_clock(test, fix->leader, NEVER_ENDS);
		fix->clocks[0] = clock;
		let_pass(clock->ctx, NSEC_PER_MSEC);
		/* no clock advances while irqs are off and the context is scheduled out */
		scoped_guard(irq) {
			perf_ctx_sched_out(clock->ctx);
			due = clock->hw.clock_node.expires;
			perf_event_disable_one(clock);
			KUNIT_EXPECT_EQ(test, clock->subctx->clocks.due, KTIME_MAX);
			perf_event_enable_one(clock);
			KUNIT_EXPECT_EQ(test, clock->hw.clock_node.expires, due);
			perf_ctx_sched_in(clock->ctx, perf_time());
		}
		KUNIT_EXPECT_EQ(test, clock_due(clock), clock->subctx->clocks.due);
		clocks_close_all(fix);
	}
}

/* The end of the longest period does not wrap to a time in the past. */
static void longest_period_never_ends(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;

	open_leader(test);
	for (int follows = 0; follows < 2; follows++) {
		fix->clocks[follows] = open_clock(test, follows ? fix->leader : NULL, S64_MAX);
		let_pass(fix->leader->ctx, NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, fix->clocks[follows]->hw.clock_node.expires, KTIME_MAX);
		KUNIT_EXPECT_EQ(test, fix->clocks[follows]->subctx->clocks.due, KTIME_MAX);
	}
	KUNIT_EXPECT_EQ(test, fix->samples, 0);
}

/*
 * By the clock of the sub-context, a period ends just within the range of ktime_t. By the clock of
 * the timer, which is ahead, its end exceeds the range. The timer must not be in the past.
 */
static void long_period_sets_no_past_timer(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;

	/* KTIME_MAX would mean that the period never ends */
	fix->next_due = KTIME_MAX - 1;
	fix->clocks[0] = open_clock(test, NULL, NSEC_PER_MSEC);
	let_sample(fix, 1);
	KUNIT_EXPECT_EQ(test, fix->clocks[0]->subctx->clocks.due, KTIME_MAX - 1);
	for (int tries = 0; tries < 10; tries++) {
		let_pass(fix->clocks[0]->ctx, NSEC_PER_MSEC);
		guard(irq)();
		KUNIT_EXPECT_GT(test, hrtimer_get_expires(&this_perf_cpu()->clock_timer),
				ktime_get());
	}
	KUNIT_EXPECT_EQ(test, fix->samples, 1);
}

/* The leader of the only clock gets no counter at a switch: the timer is not started. */
static void timer_forgets_a_set_without_clocks(struct kunit *test)
{
	struct clocks_fixture *fix = test->priv;
	struct perf_cpu_context *cpuctx;

	open_leader(test);
	fix->clocks[0] = open_clock(test, fix->leader, NEVER_ENDS);
	guard(irq)();
	cpuctx = this_perf_cpu();
	KUNIT_EXPECT_PTR_EQ(test, cpuctx->clock_timer_for, fix->leader->subctx);
	perf_ctx_sched_out(fix->leader->ctx);
	KUNIT_EXPECT_NULL(test, cpuctx->clock_timer_for);
	fix->room = false;
	perf_ctx_sched_in(fix->leader->ctx, perf_time());
	KUNIT_EXPECT_EQ(test, fix->leader->state, PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_NULL(test, cpuctx->clock_timer_for);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&cpuctx->clock_timer));
}

/* A clock takes no samples while its leader has no counter. */
static void sibling_samples_while_its_leader_counts(struct kunit *test)
{
	const u64 period = 2 * NSEC_PER_MSEC;
	struct clocks_fixture *fix = test->priv;
	struct perf_event_context *ctx;
	unsigned int samples;

	open_leader(test);
	fix->clocks[0] = open_clock(test, fix->leader, period);
	ctx = fix->leader->ctx;
	for (int i = 0; i < 3; i++) {
		fix->room = false;
		perf_event_restart(fix->leader);
		KUNIT_EXPECT_EQ(test, fix->leader->state, PERF_EVENT_STATE_INACTIVE);
		KUNIT_EXPECT_EQ(test, ctx->own.clocks.due, KTIME_MAX);
		samples = fix->samples;
		let_pass(ctx, 5 * period);
		KUNIT_EXPECT_EQ(test, fix->samples, samples);

		fix->room = true;
		perf_event_restart(fix->leader);
		KUNIT_EXPECT_EQ(test, fix->leader->state, PERF_EVENT_STATE_ACTIVE);
		let_sample(fix, samples + 2);
		KUNIT_EXPECT_GE(test, fix->samples, samples + 2);
	}
	KUNIT_EXPECT_EQ(test, fix->faults, 0);
}

static struct kunit_case clock_event_cases[] = {
	KUNIT_CASE(switch_touches_no_clock),
	KUNIT_CASE(toggling_a_leader_touches_no_other),
	KUNIT_CASE(child_events_are_queued),
	KUNIT_CASE(few_are_sampled_at_a_stretch),
	KUNIT_CASE(program_has_its_share),
	KUNIT_CASE(those_due_first_come_first),
	KUNIT_CASE(missed_periods_are_skipped),
	KUNIT_CASE(period_goes_on_where_it_was),
	KUNIT_CASE(longest_period_never_ends),
	KUNIT_CASE(long_period_sets_no_past_timer),
	KUNIT_CASE(timer_forgets_a_set_without_clocks),
	KUNIT_CASE(sibling_samples_while_its_leader_counts),
	{}
};

static struct kunit_suite clock_event_suite = {
	.name		= "perf_events_clock_event",
	.init		= clocks_init,
	.exit		= clocks_exit,
	.test_cases	= clock_event_cases,
};

kunit_test_suite(clock_event_suite);
