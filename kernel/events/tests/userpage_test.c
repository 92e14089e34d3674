// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the control page. An update may be interrupted by an overflow, which changes the
 * counter and updates the page too. The offset in the page has to fit the new counter.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <linux/mmap_lock.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/smp.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../buffer/attach.h"
#include "../buffer/mapping.h"
#include "../buffer/userpage_mmap.h"
#include "../context/cgroup.h"
#include "../output/output_writer.h"
#include "../output/ring_buffer.h"
#include "../output/userpage.h"
#include "test_cpu.h"
#include "test_open.h"

#define COUNTER		3	/* page->index of the counter */
#define PERIOD		1000

/**
 * struct update - an update of a control page, and what interrupts it
 * @event: the event
 * @rb: a buffer that only this test writes to
 * @passed: number of points that the interrupted update has passed
 * @at: the point at which it is interrupted
 * @again: its repetition is interrupted too
 * @reads: the interruption reads the counter, and does not update the page
 * @nested: the interruption is active
 * @lock: the page's lock, read in the interruption
 * @cpu: a CPU that begins to write the page at @at, and ends when the update has ended; or -1
 * @writes: it is in the middle of that
 * @wrote: it is not any more
 * @ended: the update has ended
 */
struct update {
	struct perf_event	*event;
	struct perf_buffer	*rb;
	unsigned int		passed;
	unsigned int		at;
	bool			again;
	bool			reads;
	bool			nested;
	u32			lock;
	int			cpu;
	bool			writes;
	bool			wrote;
	bool			ended;
};

static struct update *update;

static void update_page(struct update *u)
{
	guard(preempt)();
	perf_userpage_write(u->event, u->rb, COUNTER, perf_time());
}

/* An overflow: the driver adds a period to the count, and programs the counter anew. */
static void overflow(struct update *u)
{
	local64_add(PERIOD, &u->event->count);
	local64_sub(7, &u->event->hw.prev_count);
	if (u->reads)
		return;
	update_page(u);
	u->lock = u->rb->user_page->lock;
}

static void set(bool *flag)
{
	/* Pairs with is_set(). */
	smp_store_release(flag, true);
}

static bool is_set(const bool *flag)
{
	/* Pairs with set(). */
	return smp_load_acquire(flag);
}

static void update_on_another_cpu(void *arg)
{
	struct update *u = arg;

	perf_userpage_write(u->event, u->rb, COUNTER + 1, perf_time());
	set(&u->wrote);
}

static void begin_on_another_cpu(struct update *u)
{
	if (smp_call_function_single(u->cpu, update_on_another_cpu, u, 0))
		set(&u->wrote);
	while (!is_set(&u->writes) && !is_set(&u->wrote))
		cpu_relax();
}

static void update_hook(void)
{
	struct update *u = update;

	if (raw_smp_processor_id() == u->cpu) {
		set(&u->writes);
		while (!is_set(&u->ended))
			cpu_relax();
		return;
	}
	if (u->nested || u->passed++ != u->at)
		return;
	if (u->again)
		u->at = u->passed;
	u->again = false;
	u->nested = true;
	if (u->cpu < 0)
		overflow(u);
	else
		begin_on_another_cpu(u);
	u->nested = false;
}

static u64 offset_of(struct perf_event *event)
{
	return local64_read(&event->count) - local64_read(&event->hw.prev_count);
}

/* Return: the number of points that the update has passed. */
static unsigned int interrupt_at(struct kunit *test, struct update *u, unsigned int at,
				 bool again)
{
	struct perf_event_mmap_page *page = u->rb->user_page;
	u32 lock = page->lock;

	u->passed = 0;
	u->at = at;
	u->again = again;
	update_page(u);
	KUNIT_EXPECT_EQ(test, page->index, COUNTER);
	KUNIT_EXPECT_EQ(test, (u64)page->offset, offset_of(u->event));
	KUNIT_EXPECT_EQ(test, page->lock & 1, 0);
	KUNIT_EXPECT_GT(test, page->lock, lock);
	return u->passed;
}

static void interrupted_update_has_the_new_count(struct kunit *test)
{
	struct update *u = test->priv;
	unsigned int points = interrupt_at(test, u, UINT_MAX, false);

	KUNIT_EXPECT_GE(test, points, 2);
	for (unsigned int at = 0; at < points; at++) {
		/* The update is repeated, so that more points are passed. */
		KUNIT_EXPECT_GT(test, interrupt_at(test, u, at, false), points);
		KUNIT_EXPECT_GT(test, interrupt_at(test, u, at, true), points);
	}
}

/* Another event's sample reads the counter, which moves the count and its start value. */
static void interrupted_by_a_read_has_one_state(struct kunit *test)
{
	struct update *u = test->priv;
	struct perf_event_mmap_page *page = u->rb->user_page;
	unsigned int points = interrupt_at(test, u, UINT_MAX, false);
	u64 before, after;

	u->reads = true;
	for (unsigned int at = 0; at < points; at++) {
		before = offset_of(u->event);
		u->passed = 0;
		u->at = at;
		update_page(u);
		after = offset_of(u->event);
		KUNIT_EXPECT_TRUE(test, page->offset == before || page->offset == after);
	}
}

/* In the middle of the outer update the lock says that the page is being written. */
static void lock_stays_odd_after_the_nested_update(struct kunit *test)
{
	struct update *u = test->priv;

	interrupt_at(test, u, 0, false);
	KUNIT_EXPECT_EQ(test, u->lock & 1, 1);
}

/* The reader can write to the lock. */
static void lock_of_the_reader_is_not_used(struct kunit *test)
{
	struct update *u = test->priv;

	u->rb->user_page->lock = 1;
	KUNIT_EXPECT_EQ(test, interrupt_at(test, u, UINT_MAX, false),
			interrupt_at(test, u, UINT_MAX, false));
}

/* Return: the number of points that the update has passed. */
static unsigned int begin_another_at(struct update *u, unsigned int at)
{
	u->passed = 0;
	u->at = at;
	u->writes = false;
	u->wrote = false;
	u->ended = false;
	update_page(u);
	set(&u->ended);
	while (u->passed > at && !is_set(&u->wrote))
		cpu_relax();
	return u->passed;
}

/*
 * Two mapped events of a buffer, one of which is a task's, may be written by two CPUs. The readers
 * of their page wait while its lock is odd.
 */
static void two_cpus_leave_a_page_to_read(struct kunit *test)
{
	struct update *u = test->priv;
	struct perf_event_mmap_page *page = u->rb->user_page;
	unsigned int points, at;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	test_bind_here(test);
	u->rb->user_page_shared = true;
	u->cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	points = begin_another_at(u, UINT_MAX);
	KUNIT_EXPECT_GE(test, points, 2);
	for (at = 0; at < points; at++) {
		KUNIT_EXPECT_EQ(test, begin_another_at(u, at), points);
		KUNIT_EXPECT_EQ(test, page->lock & 1, 0);
		KUNIT_EXPECT_EQ(test, page->lock, (u32)local_read(&u->rb->user_page_seq));
		KUNIT_EXPECT_EQ(test, page->index, COUNTER);
		/* Later it may write. */
		smp_call_function_single(u->cpu, update_on_another_cpu, u, 1);
		KUNIT_EXPECT_EQ(test, page->index, COUNTER + 1);
		KUNIT_EXPECT_EQ(test, page->lock & 1, 0);
	}
}

/* From the second mapped event of a CPU's buffer on, each writer claims the page. */
static void second_mapped_event_shares_the_page(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
	};
	int cpu = cpumask_first(cpu_online_mask);
	struct update *u = test->priv;
	struct perf_event *one, *two;
	struct perf_buffer *rb;
	u32 lock;

	u->at = UINT_MAX;
	one = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	two = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, one);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, two);
	rb = test_buffer(test, one, 0);
	scoped_guard(mutex, &rb->mutex) {
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(two, rb));
		perf_userpage_begin(one, rb);
		rb->nr_mappings++;
		KUNIT_EXPECT_FALSE(test, rb->user_page_shared);
		perf_userpage_begin(two, rb);
		KUNIT_EXPECT_TRUE(test, rb->user_page_shared);

		/* another CPU writes, and then no more */
		lock = rb->user_page->lock;
		atomic_set(&rb->user_page_writer, nr_cpu_ids + 1);
		scoped_guard(irq)
			perf_userpage_freeze(two, rb, perf_time());
		perf_event_update_userpage(two);
		KUNIT_EXPECT_EQ(test, rb->user_page->lock, lock);
		atomic_set(&rb->user_page_writer, 0);
		scoped_guard(irq)
			perf_userpage_freeze(two, rb, perf_time());
		KUNIT_EXPECT_EQ(test, rb->user_page->lock, lock + 2);
		KUNIT_EXPECT_EQ(test, atomic_read(&rb->user_page_writer), 0);

		perf_userpage_end(two);
		rb->nr_mappings--;
		perf_userpage_end(one);
	}
	perf_event_release_kernel(two);
	perf_event_release_kernel(one);
	perf_rb_put(rb);
}

#ifdef CONFIG_CGROUP_PERF
/* Does the page offer to continue the times, with and without the number of a counter? */
static bool is_continued(struct update *u, struct perf_event *event, u32 index)
{
	guard(preempt)();
	perf_userpage_write(event, u->rb, index, perf_time());
	return u->rb->user_page->cap_user_time;
}

/*
 * The times of a cgroup's event go on only while a task of the cgroup runs. Without a counter, the
 * page is not written when that ends. Neither is it for a sibling of such an event.
 */
static void time_of_a_cgroup_is_not_continued(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.disabled	= 1,
	};
	struct update *u = test->priv;
	struct perf_event *event, *leader;
	struct perf_cgroup *cgrp;

	u->at = UINT_MAX;
	cgrp = kunit_kzalloc(test, sizeof(*cgrp), GFP_KERNEL);
	leader = kunit_kzalloc(test, sizeof(*leader), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, cgrp && leader);
	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL,
						 NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	if (!is_continued(u, event, 0)) {
		perf_event_release_kernel(event);
		kunit_skip(test, "user space cannot read the clock");
	}

	event->cgrp = cgrp;
	KUNIT_EXPECT_FALSE(test, is_continued(u, event, 0));
	KUNIT_EXPECT_TRUE(test, is_continued(u, event, COUNTER));
	event->cgrp = NULL;

	leader->cgrp = cgrp;
	event->group_leader = leader;
	KUNIT_EXPECT_FALSE(test, is_continued(u, event, 0));
	event->group_leader = event;
	KUNIT_EXPECT_TRUE(test, is_continued(u, event, 0));
	perf_event_release_kernel(event);
}
#endif

static int readable_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	return 0;
}

static int readable_add(struct perf_event *event, int flags)
{
	return 0;
}

static void readable_op(struct perf_event *event, int flags)
{
}

static void readable_read(struct perf_event *event)
{
}

/* The driver counts the mappings. */
static void readable_mapped(struct perf_event *event, struct mm_struct *mm)
{
	event->hw.config++;
}

static void readable_unmapped(struct perf_event *event, struct mm_struct *mm)
{
	event->hw.config--;
}

/* Tells the mappings that the driver has counted, if the core has counted as many. */
static int readable_event_idx(struct perf_event *event)
{
	return event->hw.config == READ_ONCE(event->mmap_count) ? COUNTER + event->hw.config : 0;
}

/* A PMU with counters that user space reads. */
static const struct pmu readable_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.event_init	= readable_event_init,
	.add		= readable_add,
	.del		= readable_op,
	.start		= readable_op,
	.stop		= readable_op,
	.read		= readable_read,
	.event_idx	= readable_event_idx,
	.event_mapped	= readable_mapped,
	.event_unmapped	= readable_unmapped,
};

/**
 * struct shared_page - an event of the test's thread whose page several threads map
 * @pmu: a copy of readable_pmu
 * @event: the event
 * @rb: its buffer
 * @mm: address space of the other thread that maps it, or NULL for another one than the test's
 * @is_mapped: it has
 * @err: result of the mapping
 */
struct shared_page {
	struct pmu		pmu;
	struct perf_event	*event;
	struct perf_buffer	*rb;
	struct mm_struct	*mm;
	struct completion	is_mapped;
	int			err;
};

static int shared_page_first(void *arg)
{
	struct shared_page *page = arg;

	if (page->mm)
		kthread_use_mm(page->mm);
	scoped_guard(mutex, &page->rb->mutex)
		perf_userpage_begin(page->event, page->rb);
	if (page->mm)
		kthread_unuse_mm(page->mm);
	complete(&page->is_mapped);
	return 0;
}

static struct shared_page *shared_page_open(struct kunit *test)
{
	struct shared_page *page = kunit_kzalloc(test, sizeof(*page), GFP_KERNEL);
	struct perf_event_attr attr = { .disabled = 1 };
	struct update *u = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, page);
	/* gives this thread an address space */
	KUNIT_ASSERT_NE(test, kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
					    MAP_ANONYMOUS | MAP_PRIVATE, 0), 0);
	u->at = UINT_MAX;
	page->pmu = readable_pmu;
	init_completion(&page->is_mapped);
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&page->pmu, "kunit_readable", -1), 0);
	attr.type = page->pmu.type;
	page->event = test_open_own(test, NULL, attr);
	page->rb = test_buffer(test, page->event, 0);
	return page;
}

/* Open the event, and let another thread map it. */
static struct shared_page *shared_page_begin(struct kunit *test, bool same_program)
{
	struct shared_page *page = shared_page_open(test);

	page->mm = same_program ? current->mm : NULL;
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(shared_page_first, page, "perf_page_test")));
	wait_for_completion(&page->is_mapped);
	KUNIT_EXPECT_EQ(test, (int)page->event->mmap_count, 1);
	return page;
}

static void shared_page_end(struct shared_page *page)
{
	/* The first mapping is counted only by the event. */
	scoped_guard(mutex, &page->rb->mutex)
		perf_userpage_end(page->event);
	perf_event_release_kernel(page->event);
	perf_rb_put(page->rb);
	perf_pmu_unregister(&page->pmu);
}

static bool is_pinned(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_PINS_CTX && event->ctx->pin_count == 1;
}

/*
 * A task reads the counter of its own event, so it keeps its context, even if another program has
 * mapped the event before.
 */
static void counter_of_a_shared_page_is_the_own(struct kunit *test)
{
	struct shared_page *page = shared_page_begin(test, false);
	int err;

	KUNIT_EXPECT_FALSE(test, is_pinned(page->event));
	mmap_write_lock(current->mm);
	scoped_guard(mutex, &page->rb->mutex)
		err = perf_mapping_add(page->event, page->rb, current->mm);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, (int)page->event->mmap_count, 2);
	KUNIT_EXPECT_TRUE(test, is_pinned(page->event));
	if (!err)
		perf_mapping_drop(page->event, page->rb, current->mm);
	mmap_write_unlock(current->mm);
	shared_page_end(page);
}

/* The same if another thread of the task's program has mapped it. The task need not map it. */
static void counter_of_a_thread_is_the_own(struct kunit *test)
{
	struct shared_page *page = shared_page_begin(test, true);

	KUNIT_EXPECT_TRUE(test, is_pinned(page->event));
	shared_page_end(page);
}

/* The mappings go at an exec. The pin stays, because the event does, and goes with it. */
static void pin_of_a_page_goes_with_its_event(struct kunit *test)
{
	struct shared_page *page = shared_page_begin(test, true);
	struct perf_event_context *ctx = page->event->ctx;

	perf_event_exec();
	KUNIT_EXPECT_TRUE(test, is_pinned(page->event));
	/* the test's other event keeps the context */
	shared_page_end(page);
	KUNIT_EXPECT_EQ(test, ctx->pin_count, 0);
}

/* As mmap(2) of the event does it. */
static int map_page(struct shared_page *page)
{
	int err;

	mmap_write_lock(current->mm);
	scoped_guard(mutex, &page->rb->mutex)
		err = perf_mapping_add(page->event, page->rb, current->mm);
	if (!err)
		perf_notify_pmu_mapped(page->event, page->rb, current->mm);
	mmap_write_unlock(current->mm);
	return err;
}

static void unmap_page(struct shared_page *page, struct mm_struct *mm)
{
	mmap_write_lock(mm);
	perf_notify_pmu_unmapped(page->event, mm);
	perf_mapping_drop(page->event, page->rb, mm);
	mmap_write_unlock(mm);
}

static int map_page_afar(void *arg)
{
	struct shared_page *page = arg;

	kthread_use_mm(page->mm);
	page->err = map_page(page);
	kthread_unuse_mm(page->mm);
	complete(&page->is_mapped);
	return 0;
}

/*
 * What pmu::event_idx() returns depends on all mappings, including mappings of other programs. The
 * page has what it has returned.
 */
static void page_follows_the_mappings(struct kunit *test)
{
	struct shared_page *page = shared_page_open(test);
	const struct perf_event_mmap_page *user_page = page->rb->user_page;

	perf_event_enable(page->event);
	page->mm = mm_alloc();
	KUNIT_ASSERT_NOT_NULL(test, page->mm);

	KUNIT_ASSERT_EQ(test, map_page(page), 0);
	KUNIT_EXPECT_EQ(test, user_page->index, COUNTER + 1);
	KUNIT_ASSERT_EQ(test, map_page(page), 0);
	KUNIT_EXPECT_EQ(test, user_page->index, COUNTER + 2);
	KUNIT_EXPECT_PTR_EQ(test, page->rb->only_mm, current->mm);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(map_page_afar, page, "perf_page_test")));
	wait_for_completion(&page->is_mapped);
	KUNIT_ASSERT_EQ(test, page->err, 0);
	KUNIT_EXPECT_EQ(test, user_page->index, COUNTER + 3);
	KUNIT_EXPECT_NULL(test, page->rb->only_mm);

	unmap_page(page, current->mm);
	KUNIT_EXPECT_EQ(test, user_page->index, COUNTER + 2);
	KUNIT_EXPECT_NULL(test, page->rb->only_mm);
	unmap_page(page, page->mm);
	KUNIT_EXPECT_EQ(test, user_page->index, COUNTER + 1);
	KUNIT_EXPECT_PTR_EQ(test, page->rb->only_mm, current->mm);
	unmap_page(page, current->mm);
	KUNIT_EXPECT_EQ(test, (int)page->event->mmap_count, 0);
	mmput(page->mm);
	shared_page_end(page);
}

static int userpage_init(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.disabled	= 1,
	};
	struct update *u = kunit_kzalloc(test, sizeof(*u), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, u);
	u->event = test_open_own(test, NULL, attr);
	u->rb = perf_rb_alloc(0, -1);
	KUNIT_ASSERT_NOT_NULL(test, u->rb);
	u->cpu = -1;
	test->priv = u;
	update = u;
	perf_output_test_hook = update_hook;
	static_branch_enable(&perf_output_test_on);
	return 0;
}

static void userpage_exit(struct kunit *test)
{
	struct update *u = test->priv;

	if (!u || !u->event)
		return;
	perf_event_release_kernel(u->event);
	if (!u->rb)
		return;
	static_branch_disable(&perf_output_test_on);
	perf_rb_free(u->rb);
}

static struct kunit_case userpage_cases[] = {
	KUNIT_CASE(interrupted_update_has_the_new_count),
	KUNIT_CASE(interrupted_by_a_read_has_one_state),
	KUNIT_CASE(lock_stays_odd_after_the_nested_update),
	KUNIT_CASE(lock_of_the_reader_is_not_used),
	KUNIT_CASE(two_cpus_leave_a_page_to_read),
	KUNIT_CASE(second_mapped_event_shares_the_page),
#ifdef CONFIG_CGROUP_PERF
	KUNIT_CASE(time_of_a_cgroup_is_not_continued),
#endif
	KUNIT_CASE(counter_of_a_shared_page_is_the_own),
	KUNIT_CASE(counter_of_a_thread_is_the_own),
	KUNIT_CASE(pin_of_a_page_goes_with_its_event),
	KUNIT_CASE(page_follows_the_mappings),
	{}
};

static struct kunit_suite userpage_suite = {
	.name		= "perf_userpage",
	.init		= userpage_init,
	.exit		= userpage_exit,
	.test_cases	= userpage_cases,
};

kunit_test_suite(userpage_suite);
