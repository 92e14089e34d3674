// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a task's context is scheduled in while the task runs and has events.
 */
#include <kunit/test.h>

#include "../base/contexts.h"

static struct perf_event *event_of_current(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_SOFTWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_SW_DUMMY,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static struct perf_event_context *task_context_on_here(void)
{
	guard(irqsave)();
	return this_perf_cpu()->task_ctx;
}

static unsigned long switches_of_current(void)
{
	return current->nvcsw + current->nivcsw;
}

static void on_with_the_first_event(struct kunit *test)
{
	struct perf_event *event = event_of_current(test);

	KUNIT_EXPECT_PTR_EQ(test, task_context_on_here(), event->ctx);
	schedule_timeout_idle(1);
	KUNIT_EXPECT_PTR_EQ(test, task_context_on_here(), event->ctx);
	perf_event_release_kernel(event);
}

/*
 * Closing the last event schedules the context out at once: the hook of the next context switch
 * may be disabled by then.
 */
static void off_with_the_last_event(struct kunit *test)
{
	struct perf_event_context *on;
	int tries = 1000;
	bool switched;

	do {
		struct perf_event *event = event_of_current(test);
		unsigned long switches = switches_of_current();

		perf_event_release_kernel(event);
		on = task_context_on_here();
		switched = switches_of_current() != switches;
	} while (switched && --tries);

	KUNIT_EXPECT_FALSE_MSG(test, switched, "a task that closes an event is always switched");
	KUNIT_EXPECT_NULL(test, on);
}

/* Number of entries on the lists that a tick, a record or a wakeup walks. */
static unsigned int nr_on_lists(struct perf_subctx *subctx)
{
	return list_count_nodes(&subctx->sideband) + list_count_nodes(&subctx->freq_events) +
	       !hlist_empty(&subctx->traced);
}

/*
 * Events of one task that are bound to two CPUs are only on the lists of their CPU's
 * sub-context. They are neither on the lists of the other CPU's sub-context nor on the
 * lists of the task's own sub-context.
 */
static void lists_are_of_one_cpu(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_PAGE_FAULTS_MAJ,
		.freq		= 1,
		.sample_freq	= 1,
		.comm		= 1,
	};
	struct perf_event_context *ctx;
	struct perf_event *event[2];
	struct perf_subctx *subctx;
	int cpu = -1;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	for (int i = 0; i < 2; i++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		event[i] = perf_event_create_kernel_counter(&attr, cpu, current, NULL,
							    NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event[i]);
	}
	ctx = event[0]->ctx;
	KUNIT_EXPECT_EQ(test, nr_on_lists(&ctx->own), 0);
	for (int i = 0; i < 2; i++) {
		subctx = perf_subctx_find(ctx, event[i]->cpu);
		KUNIT_ASSERT_PTR_EQ(test, subctx, event[i]->subctx);
		KUNIT_EXPECT_EQ(test, nr_on_lists(subctx), 2);
		KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&subctx->sideband, struct perf_event,
							   sideband_entry), event[i]);
		KUNIT_EXPECT_PTR_EQ(test, list_first_entry(&subctx->freq_events,
							   struct perf_event, freq_entry),
				    event[i]);
	}
	for (int i = 0; i < 2; i++) {
		subctx = event[i]->subctx;
		perf_event_release_kernel(event[i]);
		/* the other event still references the context */
		if (!i)
			KUNIT_EXPECT_EQ(test, nr_on_lists(subctx), 0);
	}
}

/*
 * Events of switches that exclude the kernel count nothing: no switch visits them, whether they
 * count or sample.
 */
static void without_the_kernel_no_switch_is_visited(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.exclude_kernel	= 1,
	};
	static const u64 ids[] = {
		PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
		PERF_COUNT_SW_CGROUP_SWITCHES,
	};
	struct perf_event *event;

	for (int i = 0; i < 2 * ARRAY_SIZE(ids); i++) {
		attr.config = ids[i / 2];
		attr.sample_period = i % 2;
		event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
		KUNIT_EXPECT_EQ(test, event->state, PERF_EVENT_STATE_ACTIVE);
		KUNIT_EXPECT_EQ(test, event->subctx->listened, 0);
		KUNIT_EXPECT_EQ(test, event->subctx->sampled, 0);
		perf_event_disable(event);
		perf_event_enable(event);
		schedule_timeout_idle(1);
		KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0);
		perf_event_release_kernel(event);
	}
}

/* The search finds each inherited sub-context, with or without gaps between the CPUs. */
static void inherited_subctxs_are_found(struct kunit *test)
{
	static const int cpus[][6] = {
		{ 0, 1, 2, 3, 4, 5 },
		{ 2, 3, 4, 5, 6, 7 },
		{ 1, 3, 4, 9, 10, 60 },
		{ 0, 57, 58, 59, 60, 61 },
		{ 0, 1, 2, 3, 4, 61 },
	};
	struct perf_event_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct perf_subctx *expected;

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	xa_init(&ctx->subctxs);
	ctx->inherited_subctxs = kunit_kzalloc(test, struct_size(ctx->inherited_subctxs, subctx, 6),
					       GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->inherited_subctxs);
	for (int row = 0; row < ARRAY_SIZE(cpus); row++) {
		for (int nr = 1; nr <= 6; nr++) {
			ctx->inherited_subctxs->nr = nr;
			for (int i = 0; i < nr; i++)
				ctx->inherited_subctxs->subctx[i].cpu = cpus[row][i];
			for (int cpu = 0; cpu < 64; cpu++) {
				expected = NULL;
				for (int i = 0; i < nr; i++) {
					if (cpus[row][i] == cpu)
						expected = &ctx->inherited_subctxs->subctx[i];
				}
				KUNIT_EXPECT_PTR_EQ(test, perf_subctx_find(ctx, cpu), expected);
			}
		}
	}
}

static struct kunit_case context_tests[] = {
	KUNIT_CASE(on_with_the_first_event),
	KUNIT_CASE(off_with_the_last_event),
	KUNIT_CASE(lists_are_of_one_cpu),
	KUNIT_CASE(without_the_kernel_no_switch_is_visited),
	KUNIT_CASE(inherited_subctxs_are_found),
	{}
};

static struct kunit_suite context_suite = {
	.name		= "perf_context",
	.test_cases	= context_tests,
};

kunit_test_suite(context_suite);
