// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of callchain.c: limits of a callchain, and which event gets which part of it.
 * Unwinding by the architecture is not tested.
 */
#include <kunit/test.h>
#include <linux/cleanup.h>
#include <linux/limits.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sysctl.h>
#include "../base/contexts.h"
#include "../base/recursion.h"

#define CHAIN_ROOM	64

static struct perf_callchain_entry *chain_alloc(struct kunit *test)
{
	struct perf_callchain_entry *entry;

	entry = kunit_kzalloc(test, struct_size(entry, ip, CHAIN_ROOM), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	return entry;
}

static void chain_stops_at_max_stack(struct kunit *test)
{
	struct perf_callchain_entry_ctx ctx = {
		.entry = chain_alloc(test),
		.max_stack = 3,
	};

	KUNIT_EXPECT_EQ(test, 0, perf_callchain_store_context(&ctx, PERF_CONTEXT_KERNEL));
	for (int i = 1; i <= 3; i++)
		KUNIT_EXPECT_EQ(test, 0, perf_callchain_store(&ctx, i));
	KUNIT_EXPECT_NE(test, 0, perf_callchain_store(&ctx, 4));
	/* markers do not count as addresses */
	KUNIT_EXPECT_EQ(test, 0, perf_callchain_store_context(&ctx, PERF_CONTEXT_USER));
	KUNIT_EXPECT_NE(test, 0, perf_callchain_store(&ctx, 5));

	KUNIT_EXPECT_EQ(test, 5, ctx.entry->nr);
	KUNIT_EXPECT_EQ(test, 3, ctx.entry->ip[3]);
	KUNIT_EXPECT_EQ(test, (u64)PERF_CONTEXT_USER, ctx.entry->ip[4]);
}

static void chain_stops_at_max_contexts(struct kunit *test)
{
	int max = sysctl_perf_event_max_contexts_per_stack;
	struct perf_callchain_entry_ctx ctx = {
		.entry = chain_alloc(test),
		.max_stack = CHAIN_ROOM,
	};

	if (max >= CHAIN_ROOM)
		kunit_skip(test, "perf_event_max_contexts_per_stack was raised to %d", max);

	for (int i = 0; i < max; i++)
		KUNIT_EXPECT_EQ(test, 0, perf_callchain_store_context(&ctx, PERF_CONTEXT_USER));
	KUNIT_EXPECT_NE(test, 0, perf_callchain_store_context(&ctx, PERF_CONTEXT_USER));
	/* no room for the marker: addresses without it would be attributed to another part */
	KUNIT_EXPECT_NE(test, 0, perf_callchain_store(&ctx, 1));
	KUNIT_EXPECT_EQ(test, max, ctx.entry->nr);
}

static void chain_buffers_are_bounded(struct kunit *test)
{
	int max = sysctl_perf_event_max_stack;

	KUNIT_EXPECT_EQ(test, -EOVERFLOW, get_callchain_buffers(max + 1));
	KUNIT_EXPECT_EQ(test, 0, get_callchain_buffers(max));
	KUNIT_EXPECT_EQ(test, 0, get_callchain_buffers(0));
	put_callchain_buffers();
	put_callchain_buffers();
}

static void chain_entry_is_claimed_once(struct kunit *test)
{
	struct perf_callchain_entry *first, *second, *again;
	int rctx, none;

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(0));
	scoped_guard(preempt) {
		first = get_callchain_entry(&rctx);
		second = get_callchain_entry(&none);
		if (first)
			put_callchain_entry(rctx);
		again = get_callchain_entry(&rctx);
		if (again)
			put_callchain_entry(rctx);
	}
	put_callchain_buffers();

	KUNIT_EXPECT_NOT_NULL(test, first);
	KUNIT_EXPECT_NULL(test, second);
	KUNIT_EXPECT_PTR_EQ(test, first, again);
}

/*
 * get_callchain_entry() disables preemption until the entry is put: the entry belongs to the CPU
 * and to the context level that the task runs in.
 */
static void chain_entry_keeps_the_cpu(struct kunit *test)
{
	bool free, claimed, left;
	int rctx, none;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		kunit_skip(test, "in this kernel no task is preempted in the kernel");

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(0));
	free = preemptible();
	if (get_callchain_entry(&rctx)) {
		claimed = preemptible();
		/* a refused call leaves preemption enabled */
		if (get_callchain_entry(&none))
			KUNIT_FAIL(test, "claimed twice");
		put_callchain_entry(rctx);
		left = preemptible();
	} else {
		KUNIT_FAIL(test, "not claimed");
		claimed = true;
		left = false;
	}
	put_callchain_buffers();

	KUNIT_EXPECT_TRUE(test, free);
	KUNIT_EXPECT_FALSE(test, claimed);
	KUNIT_EXPECT_TRUE(test, left);
}

/* Without buffers get_callchain_entry() fails and leaves preemption enabled. */
static void chain_entry_refused_holds_nothing(struct kunit *test)
{
	int before = preempt_count(), rctx;

	KUNIT_EXPECT_NULL(test, get_callchain_entry(&rctx));
	KUNIT_EXPECT_EQ(test, preempt_count(), before);
}

/* Take the callchain of this thread, and copy it: the entry is valid with preemption off only. */
static int chain_take(bool kernel, bool user, u32 max_stack, bool crosstask,
		      struct perf_callchain_entry *copy)
{
	struct perf_callchain_entry *chain;
	struct pt_regs regs = {};

	guard(preempt)();
	perf_fetch_caller_regs(&regs);
	chain = get_perf_callchain(&regs, kernel, user, max_stack, crosstask, true);
	if (!chain)
		return -ENOENT;
	if (chain->nr > CHAIN_ROOM)
		return -E2BIG;
	memcpy(copy, chain, struct_size(chain, ip, chain->nr));
	return 0;
}

static void chain_of_the_kernel(struct kunit *test)
{
	struct perf_callchain_entry *chain = chain_alloc(test);

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(0));
	for (u32 max = 0; max < 4; max++) {
		KUNIT_EXPECT_EQ(test, 0, chain_take(true, true, max, false, chain));
		/* a kernel thread has no user part */
		KUNIT_EXPECT_GE(test, chain->nr, 1);
		KUNIT_EXPECT_LE(test, chain->nr, max + 1);
		KUNIT_EXPECT_EQ(test, (u64)PERF_CONTEXT_KERNEL, chain->ip[0]);
	}
	put_callchain_buffers();
}

static void chain_without_parts_is_empty(struct kunit *test)
{
	struct perf_callchain_entry *chain = chain_alloc(test);

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(0));
	KUNIT_EXPECT_EQ(test, 0, chain_take(false, true, 8, false, chain));
	KUNIT_EXPECT_EQ(test, 0, chain->nr);
	KUNIT_EXPECT_EQ(test, 0, chain_take(false, true, 8, true, chain));
	KUNIT_EXPECT_EQ(test, 0, chain->nr);
	put_callchain_buffers();
}

/* Length of the callchain that an event with @attr gets here. */
static u64 chain_of_event(struct kunit *test, const struct perf_event_attr *attr)
{
	struct perf_event_context *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct pt_regs regs = {};

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	KUNIT_ASSERT_NOT_NULL(test, event);
	event->attr = *attr;
	event->ctx = ctx;

	guard(preempt)();
	perf_fetch_caller_regs(&regs);
	return perf_callchain(event, &regs)->nr;
}

/* CVE-2026-98937: an event that excludes the kernel must not show kernel addresses. */
static void chain_respects_exclude_kernel(struct kunit *test)
{
	struct perf_event_attr attr = { .sample_max_stack = 8 };

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(0));
	KUNIT_EXPECT_GE(test, chain_of_event(test, &attr), 1);

	attr.exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test, 0, chain_of_event(test, &attr));

	attr.exclude_kernel = 0;
	attr.exclude_callchain_kernel = 1;
	KUNIT_EXPECT_EQ(test, 0, chain_of_event(test, &attr));
	put_callchain_buffers();
}

static int chain_write_sysctl(const char *value)
{
	static const int most = 655360;
	struct ctl_table table = {
		.data	= &sysctl_perf_event_max_stack,
		.maxlen	= sizeof(int),
		.mode	= 0644,
		.extra1	= SYSCTL_ZERO,
		.extra2	= (void *)&most,
	};
	size_t len = strlen(value);
	char buffer[16];
	loff_t pos = 0;

	strscpy(buffer, value, sizeof(buffer));
	return perf_event_max_stack_handler(&table, 1, buffer, &len, &pos);
}

static void chain_limit_is_fixed_while_used(struct kunit *test)
{
	int max = sysctl_perf_event_max_stack;

	KUNIT_ASSERT_EQ(test, 0, get_callchain_buffers(max));
	KUNIT_EXPECT_EQ(test, -EBUSY, chain_write_sysctl("1"));
	KUNIT_EXPECT_EQ(test, max, sysctl_perf_event_max_stack);
	put_callchain_buffers();

	KUNIT_EXPECT_EQ(test, -EINVAL, chain_write_sysctl("655361"));
	KUNIT_EXPECT_EQ(test, -EINVAL, chain_write_sysctl("-1"));
	KUNIT_EXPECT_EQ(test, max, sysctl_perf_event_max_stack);
}

static struct kunit_case callchain_cases[] = {
	KUNIT_CASE(chain_stops_at_max_stack),
	KUNIT_CASE(chain_stops_at_max_contexts),
	KUNIT_CASE(chain_buffers_are_bounded),
	KUNIT_CASE(chain_entry_is_claimed_once),
	KUNIT_CASE(chain_entry_keeps_the_cpu),
	KUNIT_CASE(chain_entry_refused_holds_nothing),
	KUNIT_CASE(chain_of_the_kernel),
	KUNIT_CASE(chain_without_parts_is_empty),
	KUNIT_CASE(chain_respects_exclude_kernel),
	KUNIT_CASE(chain_limit_is_fixed_while_used),
	{}
};

static struct kunit_suite callchain_suite = {
	.name		= "perf-callchain",
	.test_cases	= callchain_cases,
};

kunit_test_suite(callchain_suite);
