// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of migrate.c: events, and all that they have, move to another CPU with their PMU.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/trace_events.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
#include "../context/context.h"
#include "../output/ring_buffer.h"
#include "../pmu/pmu.h"
#include "../software/follow.h"
#include "test_cpu.h"
#include "test_fault.h"
#include "test_open.h"

#define PMUS		2	/* registered for each test */
#define SHARED		PMUS	/* one more, which all CPUs share, for some tests */
#define COUNTER		3	/* page->index of the counter */
#define STOPPED		2
#define CROSSINGS	2
#define MOVES		10	/* in one of them the host must let the old CPU run */

/**
 * struct stop - siblings that are to be disabled as soon as their leader stops
 * @leader: the leader; del() of it disables the siblings from irq_work
 * @event: the siblings
 * @state: their states after their works
 * @nr_moving: number of siblings that moved at that time
 * @seen: notes the states
 */
struct stop {
	struct perf_event	*leader;
	struct perf_event	*event[STOPPED];
	enum perf_event_state	state[STOPPED];
	int			nr_moving;
	struct irq_work		seen;
};

/**
 * struct crossing - when an event was on neither of two CPUs
 * @event: the event
 * @left_at: perf_time() of the old CPU at its del()
 * @joined_at: perf_time() of the new CPU at its add()
 */
struct crossing {
	struct perf_event	*event;
	u64			left_at;
	u64			joined_at;
};

/**
 * struct migrate_test - one test
 * @pmu: the PMUs
 * @nr_registered: number of them that are registered
 * @nr_added: number of events between add() and del()
 * @may_open: at the last del(), events could be opened on its CPU
 * @stop: siblings to be disabled
 * @crossing: the moves that are timed, in the order in which the events move
 * @refused: event for which there is no counter
 */
struct migrate_test {
	struct pmu	pmu[PMUS + 1];
	int		nr_registered;
	atomic_t	nr_added;
	bool		may_open;
	struct stop	stop;
	struct crossing	crossing[CROSSINGS];
	struct perf_event *refused;
};

static struct migrate_test *migrate_test;

/* User space may read the counters. */
static int counter_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	return 0;
}

static int counter_event_idx(struct perf_event *event)
{
	return COUNTER;
}

static struct crossing *find_crossing(struct perf_event *event)
{
	for (int i = 0; i < CROSSINGS; i++) {
		if (migrate_test->crossing[i].event == event)
			return &migrate_test->crossing[i];
	}
	return NULL;
}

static int counter_add(struct perf_event *event, int flags)
{
	struct crossing *crossing = find_crossing(event);

	if (event->cpu != smp_processor_id())
		return -ENOENT;
	if (event == migrate_test->refused)
		return -EAGAIN;
	if (crossing)
		crossing->joined_at = perf_time();
	atomic_inc(&migrate_test->nr_added);
	return 0;
}

/* Runs after the works of the siblings, which were queued at the same time. */
static void stop_seen(struct irq_work *work)
{
	struct stop *stop = container_of(work, struct stop, seen);

	for (int i = 0; i < STOPPED; i++) {
		if (irq_work_is_pending(&stop->event[i]->pending_disable_irq)) {
			irq_work_queue(work);
			return;
		}
	}
	for (int i = 0; i < STOPPED; i++) {
		stop->state[i] = stop->event[i]->state;
		stop->nr_moving += !!(stop->event[i]->attach_state & PERF_ATTACH_MOVING);
	}
}

/* As if the siblings had overflowed for the last time just before. */
static void stop_siblings(struct stop *stop)
{
	stop->leader = NULL;
	for (int i = 0; i < STOPPED; i++)
		perf_event_disable_inatomic(stop->event[i]);
	irq_work_queue(&stop->seen);
}

static void counter_del(struct perf_event *event, int flags)
{
	struct crossing *crossing = find_crossing(event);

	if (crossing)
		crossing->left_at = perf_time();
	local64_add(1000, &event->count);
	atomic_dec(&migrate_test->nr_added);
	migrate_test->may_open = READ_ONCE(this_perf_cpu()->online);
	if (event == migrate_test->stop.leader)
		stop_siblings(&migrate_test->stop);
}

static void counter_op(struct perf_event *event, int flags)
{
}

static void counter_read(struct perf_event *event)
{
}

/* Register the next one of the PMUs. */
static int register_next(struct migrate_test *t, unsigned int scope)
{
	static const char * const names[] = { "kunit_moves", "kunit_moves_too", "kunit_shared" };
	struct pmu *pmu = &t->pmu[t->nr_registered];
	int err;

	*pmu = (struct pmu) {
		.task_ctx_nr	= perf_invalid_context,
		.scope		= scope,
		.event_init	= counter_event_init,
		.add		= counter_add,
		.del		= counter_del,
		.start		= counter_op,
		.stop		= counter_op,
		.read		= counter_read,
		.event_idx	= counter_event_idx,
	};
	err = perf_pmu_register(pmu, names[t->nr_registered], -1);
	if (!err)
		t->nr_registered++;
	return err;
}

static void unregister_last(struct migrate_test *t)
{
	perf_pmu_unregister(&t->pmu[--t->nr_registered]);
}

static struct perf_event *counter(struct kunit *test, int pmu, int cpu, bool disabled)
{
	struct migrate_test *t = test->priv;
	struct perf_event_attr attr = {
		.type		= t->pmu[pmu].type,
		.size		= sizeof(attr),
		.disabled	= disabled,
		/* frequency mode, at a rate that does not matter during the test */
		.freq		= 1,
		.sample_freq	= 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

/* Is the event on a CPU's list of those in frequency mode? */
static bool ticks_on(struct perf_event *event, int cpu)
{
	return test_ticks_in(event, &per_cpu(perf_cpu_context, cpu).ctx.own);
}

/* Events keep their counts when they move, and disabled events stay disabled. */
static void pmu_migrate(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *on, *off;

	on = counter(test, 0, src, false);
	off = counter(test, 0, src, true);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 1);

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	KUNIT_EXPECT_EQ(test, on->cpu, dst);
	KUNIT_EXPECT_EQ(test, on->oncpu, dst);
	KUNIT_EXPECT_EQ(test, (int)on->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, local64_read(&on->count), 1000);
	KUNIT_EXPECT_TRUE(test, ticks_on(on, dst) && ticks_on(off, dst));
	KUNIT_EXPECT_FALSE(test, ticks_on(on, src) || ticks_on(off, src));
	KUNIT_EXPECT_EQ(test, off->cpu, dst);
	KUNIT_EXPECT_EQ(test, (int)off->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 1);

	/* no event is left on @src, and the events can move back */
	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	perf_pmu_migrate_context(&t->pmu[0], dst, src);
	KUNIT_EXPECT_EQ(test, on->oncpu, src);
	KUNIT_EXPECT_EQ(test, local64_read(&on->count), 2000);
	perf_event_enable(off);
	KUNIT_EXPECT_EQ(test, off->oncpu, src);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 2);

	perf_event_release_kernel(on);
	perf_event_release_kernel(off);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);
}

/*
 * Let another CPU have the events of shared PMUs, as if @cpu went offline and came back. This
 * includes the real PMUs of the machine.
 */
static void leave_shared(int cpu)
{
	guard(cpus_read_lock)();
	perf_pmu_scope_offline(cpu);
	perf_pmu_scope_online(cpu);
}

/* The events of a shared PMU move from a CPU that goes offline, also if the driver was unbound. */
static void pmu_migrate_unregistered(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	const struct cpumask *serving;
	struct perf_event *event;
	int src, dst;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, register_next(t, PERF_PMU_SCOPE_SYS_WIDE), 0);
	serving = perf_pmu_scope_mask(&t->pmu[SHARED]);
	src = cpumask_first(serving);
	event = counter(test, SHARED, src, false);
	unregister_last(t);

	leave_shared(src);
	dst = cpumask_first(serving);
	KUNIT_EXPECT_NE(test, dst, src);
	KUNIT_EXPECT_EQ(test, event->cpu, dst);
	KUNIT_EXPECT_EQ(test, event->oncpu, dst);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 1000);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 1);

	/* on most machines the first CPU has the events of shared PMUs again then */
	leave_shared(dst);
	KUNIT_EXPECT_EQ(test, event->oncpu, (int)cpumask_first(serving));

	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);
}

/* Register the shared PMU. Return: the CPU that has its events, which can go offline. */
static int register_shared(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	const struct cpumask *serving;

	KUNIT_ASSERT_EQ(test, register_next(t, PERF_PMU_SCOPE_SYS_WIDE), 0);
	serving = perf_pmu_scope_mask(&t->pmu[SHARED]);
	/* the first CPU cannot go offline on all machines */
	if (cpumask_first(serving) == cpumask_first(cpu_online_mask))
		leave_shared(cpumask_first(serving));
	return cpumask_first(serving);
}

/* While the events of a shared PMU leave a CPU that goes offline, none can be opened there. */
static void no_event_is_opened_behind(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	const struct cpumask *serving;
	struct perf_event *event;
	int src, err;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	src = register_shared(test);
	serving = perf_pmu_scope_mask(&t->pmu[SHARED]);
	event = counter(test, SHARED, src, false);

	err = test_remove_cpu(src);
	if (err) {
		perf_event_release_kernel(event);
		kunit_skip(test, "CPU %d cannot go offline: %d", src, err);
	}
	KUNIT_EXPECT_FALSE(test, t->may_open);
	KUNIT_EXPECT_NE(test, event->cpu, src);
	KUNIT_EXPECT_EQ(test, event->oncpu, (int)cpumask_first(serving));
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 1000);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_TRUE(test, t->may_open);

	KUNIT_ASSERT_EQ(test, add_cpu(src), 0);
	event = counter(test, 0, src, false);
	KUNIT_EXPECT_EQ(test, event->oncpu, src);
	perf_event_release_kernel(event);
}

/* Let an event write to the buffer of another event. */
static int redirect(struct perf_event *event, struct perf_event *output)
{
	struct perf_event_context *ctx = perf_ctx_lock_of_event(event);
	int err = perf_event_set_output(event, output);

	mutex_unlock(&ctx->mutex);
	return err;
}

/*
 * The events of one CPU write to a buffer. When an event moves, the buffer moves along; an event
 * that stays behind writes no more.
 */
static void pmu_migrate_buffer(struct kunit *test)
{
	struct perf_event_attr software = {
		.type	= PERF_TYPE_SOFTWARE,
		.config	= PERF_COUNT_SW_DUMMY,
		.size	= sizeof(software),
	};
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *moves, *stays, *late;
	struct perf_buffer *rb;

	moves = counter(test, 0, src, false);
	stays = perf_event_create_kernel_counter(&software, src, NULL, NULL, NULL);
	late = perf_event_create_kernel_counter(&software, src, NULL, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stays) || IS_ERR(late));
	rb = test_buffer(test, stays, 1);
	KUNIT_EXPECT_EQ(test, redirect(moves, stays), 0);

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	KUNIT_EXPECT_EQ(test, moves->cpu, dst);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(moves->rb), rb);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(stays->rb));
	KUNIT_EXPECT_EQ(test, redirect(late, stays), -EINVAL);

	perf_event_release_kernel(late);
	perf_event_release_kernel(moves);
	perf_event_release_kernel(stays);
	perf_rb_put(rb);
}

/*
 * Two PMUs share a buffer, and move one after the other. The second one stays behind until it is
 * on the CPU of the buffer, too. The same holds if the first one comes back to the second one.
 */
static void pmu_migrate_buffer_of_two(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	struct pmu *first = &t->pmu[0], *second = &t->pmu[1];
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	int other = cpumask_next(dst, cpu_online_mask);
	struct perf_event *a, *b;
	struct perf_buffer *rb;

	/* neither of the writer's CPUs, if there is a third one */
	if (other >= nr_cpu_ids)
		other = src;

	a = counter(test, 0, src, false);
	b = counter(test, 1, src, false);
	rb = test_buffer(test, a, 1);
	KUNIT_EXPECT_EQ(test, redirect(b, a), 0);

	perf_pmu_migrate_context(first, src, dst);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(a->rb), rb);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(b->rb));
	perf_pmu_migrate_context(second, src, dst);
	KUNIT_EXPECT_EQ(test, b->cpu, dst);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(a->rb), rb);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(b->rb), rb);

	perf_pmu_migrate_context(first, dst, src);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(a->rb), rb);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(b->rb));
	perf_pmu_migrate_context(first, src, dst);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(a->rb), rb);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(b->rb), rb);

	/* b stays behind, and is alone then: the buffer goes where b goes */
	perf_pmu_migrate_context(first, dst, src);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(b->rb));
	perf_event_release_kernel(a);
	KUNIT_EXPECT_EQ(test, rb->nr_writers, 0);
	perf_pmu_migrate_context(second, dst, other);
	KUNIT_EXPECT_EQ(test, b->cpu, other);
	KUNIT_EXPECT_EQ(test, rb->cpu, other);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(b->rb), rb);
	KUNIT_EXPECT_EQ(test, rb->nr_writers, 1);

	perf_event_release_kernel(b);
	KUNIT_EXPECT_EQ(test, rb->nr_writers, 0);
	perf_rb_put(rb);
}

/*
 * A mapped event stays behind when its buffer moves. Its page names no counter then: the driver can
 * give the counter to another event, and the page is not updated. It names the counter again when
 * the buffer is back.
 */
static void pmu_migrate_page_stays(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *moves, *stays;
	struct perf_event_mmap_page *page;
	struct perf_buffer *rb;
	u32 lock;

	moves = counter(test, 0, src, false);
	stays = counter(test, 1, src, false);
	rb = test_buffer(test, stays, 1);
	page = rb->user_page;
	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(stays, rb);
	KUNIT_EXPECT_EQ(test, page->index, COUNTER);
	KUNIT_EXPECT_EQ(test, redirect(moves, stays), 0);

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(stays->rb));
	KUNIT_EXPECT_EQ(test, (int)stays->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, page->index, 0);
	KUNIT_EXPECT_FALSE(test, page->cap_user_time);
	KUNIT_EXPECT_EQ(test, page->lock & 1, 0);
	lock = page->lock;
	perf_event_disable(stays);
	perf_event_enable(stays);
	KUNIT_EXPECT_EQ(test, (int)stays->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, page->lock, lock);

	perf_pmu_migrate_context(&t->pmu[0], dst, src);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(stays->rb), rb);
	KUNIT_EXPECT_EQ(test, page->index, COUNTER);

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_end(stays);
	perf_event_release_kernel(stays);
	perf_event_release_kernel(moves);
	perf_rb_put(rb);
}

static void set_moving(struct perf_event *event, bool moving)
{
	guard(raw_spinlock_irq)(&event->ctx->lock);
	if (moving)
		event->attach_state |= PERF_ATTACH_MOVING;
	else
		event->attach_state &= ~PERF_ATTACH_MOVING;
}

/*
 * An event is unmapped, and leaves its CPU before its page is written for the last time. It lost
 * its counter without writing the page. The page names that counter no more, while the event moves
 * and afterwards, and keeps the times.
 */
static void pmu_migrate_unmapped(struct kunit *test)
{
	struct perf_event *event = counter(test, 0, cpumask_first(cpu_online_mask), false);
	struct perf_buffer *rb = test_buffer(test, event, 0);
	struct perf_event_mmap_page *page = rb->user_page;
	u64 enabled;

	mutex_lock(&rb->mutex);
	perf_userpage_begin(event, rb);
	KUNIT_EXPECT_EQ(test, page->index, COUNTER);
	enabled = page->time_enabled;
	perf_userpage_end(event);
	perf_rb_detach(event, rb);
	local64_set(&event->count, 5000);
	set_moving(event, true);
	perf_userpage_leave(event, rb);
	set_moving(event, false);
	mutex_unlock(&rb->mutex);

	KUNIT_EXPECT_EQ(test, page->index, 0);
	KUNIT_EXPECT_EQ(test, page->offset, 5000);
	KUNIT_EXPECT_EQ(test, page->time_enabled, enabled);
	KUNIT_EXPECT_FALSE(test, page->cap_user_time);
	KUNIT_EXPECT_EQ(test, page->lock & 1, 0);
	perf_event_release_kernel(event);
	perf_rb_put(rb);
}

/* Open an event in the group of @leader: of the first fake PMU, or page faults. */
static struct perf_event *join(struct kunit *test, struct perf_event *leader, u32 type)
{
	struct perf_event_attr attr = {
		.type	= type,
		.config	= PERF_COUNT_SW_PAGE_FAULTS,
		/* it samples, and does not overflow during the test */
		.sample_period = BIT_ULL(40),
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= leader->cpu,
		.leader	= leader,
	};

	return test_open(test, &req);
}

/* Is the control page of the event updated by @cpu when its leader begins to count? */
static bool is_timed_on(struct perf_event *event, int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *other;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	hlist_for_each_entry(other, &ctx->own.mapped, mapped_entry) {
		if (other == event)
			return true;
	}
	return false;
}

/* A mapped follower moves with its leader, and the new CPU updates its control page. */
static void pmu_migrate_mapped(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *leader, *event;
	struct perf_buffer *rb;
	u32 lock;

	leader = counter(test, 0, src, false);
	event = join(test, leader, PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_TRUE(test, perf_event_follows(event));
	rb = test_buffer(test, event, 0);
	scoped_guard(mutex, &rb->mutex)
		perf_userpage_begin(event, rb);
	KUNIT_EXPECT_TRUE(test, is_timed_on(event, src));

	lock = rb->user_page->lock;
	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	KUNIT_EXPECT_EQ(test, event->cpu, dst);
	KUNIT_EXPECT_FALSE(test, is_timed_on(event, src));
	KUNIT_EXPECT_TRUE(test, is_timed_on(event, dst));
	KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);
	lock = rb->user_page->lock;
	perf_event_disable(leader);
	KUNIT_EXPECT_NE(test, rb->user_page->lock, lock);

	scoped_guard(mutex, &rb->mutex)
		perf_userpage_end(event);
	KUNIT_EXPECT_FALSE(test, is_timed_on(event, dst));
	perf_event_release_kernel(event);
	perf_event_release_kernel(leader);
	perf_rb_put(rb);
}

/* Open a group. One sibling follows the leader. When the leader stops, both are disabled. */
static struct perf_event *open_siblings(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	struct stop *stop = &t->stop;
	struct perf_event *leader = counter(test, 0, cpumask_first(cpu_online_mask), false);

	stop->event[0] = join(test, leader, t->pmu[0].type);
	stop->event[1] = join(test, leader, PERF_TYPE_SOFTWARE);
	stop->seen = IRQ_WORK_INIT_HARD(stop_seen);
	stop->nr_moving = 0;
	stop->leader = leader;
	return leader;
}

/* Enable the siblings, and close them. In between the PMUs have @nr_added events. */
static void close_siblings(struct kunit *test, int nr_added)
{
	struct migrate_test *t = test->priv;
	struct stop *stop = &t->stop;

	for (int i = 0; i < STOPPED; i++) {
		perf_event_enable(stop->event[i]);
		KUNIT_EXPECT_EQ(test, (int)stop->event[i]->state, PERF_EVENT_STATE_ACTIVE);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), nr_added);
	for (int i = 0; i < STOPPED; i++)
		perf_event_release_kernel(stop->event[i]);
}

/* Open a group, and move it. One sibling follows the leader. Both are disabled meanwhile. */
static struct perf_event *move_siblings(struct kunit *test, int src, int dst)
{
	struct migrate_test *t = test->priv;
	struct perf_event *leader = open_siblings(test);
	struct stop *stop = &t->stop;

	KUNIT_EXPECT_FALSE(test, perf_event_follows(stop->event[0]));
	KUNIT_EXPECT_TRUE(test, perf_event_follows(stop->event[1]));
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 2);

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	irq_work_sync(&stop->seen);
	return leader;
}

/*
 * Siblings are to be disabled from irq_work, which runs when their group has left the old CPU. They
 * are disabled when the group is on the new CPU, and not in between. If a host stops the old CPU,
 * the irq_work may come too late to be in between. Then another group is moved.
 */
static void sibling_is_disabled_while_it_moves(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *leader = move_siblings(test, src, dst);
	struct stop *stop = &t->stop;

	for (int i = 1; i < MOVES && stop->nr_moving != STOPPED; i++) {
		close_siblings(test, 2);
		perf_event_release_kernel(leader);
		perf_pmu_migrate_context(&t->pmu[0], dst, src);
		leader = move_siblings(test, src, dst);
	}
	KUNIT_EXPECT_EQ(test, stop->nr_moving, STOPPED);
	KUNIT_EXPECT_EQ(test, (int)stop->state[0], PERF_EVENT_STATE_INACTIVE);
	KUNIT_EXPECT_EQ(test, (int)stop->state[1], PERF_EVENT_STATE_ACTIVE);
	for (int i = 0; i < STOPPED; i++) {
		KUNIT_EXPECT_EQ(test, stop->event[i]->cpu, dst);
		KUNIT_EXPECT_EQ(test, (int)stop->event[i]->state, PERF_EVENT_STATE_OFF);
		KUNIT_EXPECT_FALSE(test, stop->event[i]->pending_disable);
	}
	KUNIT_EXPECT_EQ(test, leader->oncpu, dst);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 1);

	/* the group is as before, but for the siblings' state */
	close_siblings(test, 2);
	perf_event_release_kernel(leader);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);
}

/* The same if the leader is closed: the siblings are disabled when they are single events. */
static void sibling_is_disabled_while_its_leader_leaves(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	struct perf_event *leader = open_siblings(test);
	struct stop *stop = &t->stop;

	perf_event_release_kernel(leader);
	irq_work_sync(&stop->seen);
	KUNIT_EXPECT_EQ(test, stop->nr_moving, 0);
	for (int i = 0; i < STOPPED; i++) {
		KUNIT_EXPECT_PTR_EQ(test, stop->event[i]->group_leader, stop->event[i]);
		KUNIT_EXPECT_EQ(test, (int)stop->state[i], PERF_EVENT_STATE_OFF);
		KUNIT_EXPECT_FALSE(test, stop->event[i]->pending_disable);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);

	close_siblings(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);
}

/* The event counts, so both times go on with the clock of its CPU. */
static void expect_times_go_on(struct kunit *test, struct perf_event *event)
{
	struct test_times from = test_times(event), to = test_times_later(event);

	KUNIT_EXPECT_EQ(test, to.enabled - from.enabled, to.now - from.now);
	KUNIT_EXPECT_EQ(test, to.running - from.running, to.now - from.now);
}

/*
 * Move the second event of the crossings, which counts. Its times stand still from when it has left
 * the old CPU until it joins the new one. The first event leaves and joins just before it. So the
 * two limit when that is, and a time is compared with times of the same CPU only.
 */
static void move_timed(struct kunit *test, int src, int dst)
{
	struct migrate_test *t = test->priv;
	struct crossing *first = &t->crossing[0], *second = &t->crossing[1];
	struct test_times before = test_times_later(second->event), after;

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	after = test_times(second->event);
	KUNIT_EXPECT_EQ(test, second->event->oncpu, dst);
	KUNIT_EXPECT_GE(test, after.enabled - before.enabled,
			first->left_at - before.now + after.now - second->joined_at);
	KUNIT_EXPECT_LE(test, after.enabled - before.enabled,
			second->left_at - before.now + after.now - first->joined_at);
	KUNIT_EXPECT_EQ(test, before.running, before.enabled);
	KUNIT_EXPECT_EQ(test, after.running, after.enabled);
	expect_times_go_on(test, second->event);
}

/* How much less than its leader a follower has counted. Both count. */
static u64 times_behind(struct perf_event *event)
{
	struct test_times leader = test_times(event->group_leader), own = test_times(event);

	return own.now - own.enabled - (leader.now - leader.enabled);
}

/*
 * The times of an event that counts and of its follower go on at the new CPU. The times of a
 * disabled event stand still. There and back: the clocks of the CPUs' contexts differ.
 */
static void pmu_migrate_times(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *first, *event, *follower, *off;
	struct test_times before, after;
	u64 behind;

	first = counter(test, 0, src, false);
	event = counter(test, 0, src, false);
	off = counter(test, 0, src, false);
	test_times_later(event);
	follower = join(test, event, PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_TRUE(test, perf_event_follows(follower));
	perf_event_disable(off);
	before = test_times(off);
	behind = times_behind(follower);
	t->crossing[0].event = first;
	t->crossing[1].event = event;

	move_timed(test, src, dst);
	KUNIT_EXPECT_EQ(test, times_behind(follower), behind);
	expect_times_go_on(test, follower);
	move_timed(test, dst, src);
	KUNIT_EXPECT_EQ(test, times_behind(follower), behind);
	move_timed(test, src, dst);

	after = test_times(off);
	KUNIT_EXPECT_EQ(test, after.enabled, before.enabled);
	KUNIT_EXPECT_EQ(test, after.running, before.running);
	before = after;
	perf_event_enable(off);
	after = test_times(off);
	KUNIT_EXPECT_GE(test, after.enabled, before.enabled);
	KUNIT_EXPECT_LE(test, after.enabled - before.enabled, after.now - before.now);
	expect_times_go_on(test, off);

	perf_event_release_kernel(follower);
	perf_event_release_kernel(off);
	perf_event_release_kernel(event);
	perf_event_release_kernel(first);
}

/* Only time_enabled of an event without a counter goes on, at the old CPU and at the new one. */
static void pmu_migrate_times_waiting(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *event = counter(test, 0, src, false);
	struct test_times before, after, later;

	test_times_later(event);
	perf_event_disable(event);
	t->refused = event;
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_INACTIVE);
	before = test_times_later(event);

	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	after = test_times(event);
	KUNIT_EXPECT_EQ(test, event->cpu, dst);
	KUNIT_EXPECT_GE(test, after.enabled, before.enabled);
	KUNIT_EXPECT_EQ(test, after.running, before.running);
	later = test_times_later(event);
	KUNIT_EXPECT_EQ(test, later.enabled - after.enabled, later.now - after.now);
	KUNIT_EXPECT_EQ(test, later.running, before.running);

	t->refused = NULL;
	perf_event_disable(event);
	perf_event_enable(event);
	KUNIT_EXPECT_EQ(test, event->oncpu, dst);
	expect_times_go_on(test, event);
	perf_event_release_kernel(event);
}

#if defined(CONFIG_EVENT_TRACING) && defined(TEST_HAS_FAULTS)
/* Open a tracepoint in the group of @leader: it needs memory on each CPU that it moves to. */
static struct perf_event *join_traced(struct kunit *test, struct perf_event *leader)
{
	struct trace_event_call *call = test_tracepoint("perf_event_rate_limit");
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= leader->cpu,
		.leader	= leader,
	};

	KUNIT_ASSERT_NOT_NULL(test, call);
	attr.config = call->event.type;
	return test_open(test, &req);
}

/*
 * A CPU goes offline while there is no memory. Another CPU is selected for the shared PMU. The
 * group ends in error, so a read of any member shows that. It stays so when the CPU is offline.
 */
static void group_ends_without_memory(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	struct perf_event *leader, *traced;
	struct test_fault *fault;
	bool failed;
	int src, err;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	fault = test_fault_begin(test);
	leader = counter(test, SHARED, register_shared(test), false);
	/* to the first CPU, and to one that can go offline: only the tracepoint needs memory */
	leave_shared(leader->cpu);
	leave_shared(leader->cpu);
	src = leader->cpu;
	traced = join_traced(test, leader);
	local64_set(&leader->count, 0);

	scoped_guard(cpus_read_lock) {
		test_fault_arm(fault, 0);
		perf_pmu_scope_offline(src);
		failed = test_fault_disarm(fault);
	}
	kunit_release_action(test, test_fault_end, fault);
	KUNIT_EXPECT_TRUE(test, failed);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(src, perf_pmu_scope_mask(&t->pmu[SHARED])));
	KUNIT_EXPECT_EQ(test, leader->cpu, src);
	KUNIT_EXPECT_EQ(test, (int)leader->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, (int)traced->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, local64_read(&leader->count), 1000);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);

	err = test_remove_cpu(src);
	if (!err) {
		KUNIT_EXPECT_EQ(test, (int)leader->state, PERF_EVENT_STATE_ERROR);
		KUNIT_EXPECT_EQ(test, (int)traced->state, PERF_EVENT_STATE_ERROR);
		KUNIT_EXPECT_EQ(test, local64_read(&leader->count), 1000);
	}
	perf_event_release_kernel(traced);
	perf_event_release_kernel(leader);
	if (err) {
		scoped_guard(cpus_read_lock)
			perf_pmu_scope_online(src);
		kunit_skip(test, "CPU %d cannot go offline: %d", src, err);
	}
	KUNIT_EXPECT_EQ(test, add_cpu(src), 0);
}
#endif

#ifdef CONFIG_HAVE_HW_BREAKPOINT
#define MAX_WATCHED	16

static unsigned long watched;

static struct perf_event *watch(int cpu, struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_BREAKPOINT,
		.bp_type	= HW_BREAKPOINT_W,
		.bp_addr	= (unsigned long)&watched,
		.bp_len		= sizeof(watched),
	};
	struct perf_event_request req = { .attr = &attr, .cpu = cpu, .leader = leader };

	return test_try_open(&req);
}

/* How many more breakpoints a CPU can have. */
static int nr_free_slots(int cpu)
{
	struct perf_event *bp[MAX_WATCHED];
	int nr, i;

	for (nr = 0; nr < MAX_WATCHED; nr++) {
		bp[nr] = watch(cpu, NULL);
		if (IS_ERR(bp[nr]))
			break;
	}
	for (i = 0; i < nr; i++)
		perf_event_close(bp[i]);
	return nr;
}

/*
 * A breakpoint that moves has a debug register where it is, and no longer where it was. Where there
 * is none, its group does not move, and ends in error.
 */
static void pmu_migrate_breakpoint(struct kunit *test)
{
	struct migrate_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = test_next_cpu(test, src);
	struct perf_event *leader, *bp[2], *others[MAX_WATCHED];
	int nr = nr_free_slots(src), i;

	if (nr < 2)
		kunit_skip(test, "no two debug registers");

	leader = counter(test, 0, src, false);
	for (i = 0; i < 2; i++) {
		bp[i] = watch(src, leader);
		if (IS_ERR(bp[i])) {
			KUNIT_FAIL(test, "no breakpoint in the group: %ld", PTR_ERR(bp[i]));
			goto out;
		}
	}
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), nr - 2);
	perf_pmu_migrate_context(&t->pmu[0], src, dst);
	KUNIT_EXPECT_EQ(test, bp[0]->cpu, dst);
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), nr);
	KUNIT_EXPECT_EQ(test, nr_free_slots(dst), nr - 2);

	/* one register is free, and is free again when there is none for the second breakpoint */
	for (i = 0; i < nr - 1; i++)
		others[i] = watch(src, NULL);
	perf_pmu_migrate_context(&t->pmu[0], dst, src);
	KUNIT_EXPECT_EQ(test, leader->cpu, dst);
	KUNIT_EXPECT_EQ(test, bp[0]->cpu, dst);
	KUNIT_EXPECT_EQ(test, bp[1]->cpu, dst);
	KUNIT_EXPECT_EQ(test, (int)leader->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, (int)bp[0]->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, (int)bp[1]->state, PERF_EVENT_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), 1);
	KUNIT_EXPECT_EQ(test, nr_free_slots(dst), nr - 2);
	for (i = 0; i < nr - 1; i++)
		if (!IS_ERR(others[i]))
			perf_event_close(others[i]);
	i = 2;
out:
	while (i--)
		perf_event_close(bp[i]);
	perf_event_release_kernel(leader);
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), nr);
	KUNIT_EXPECT_EQ(test, nr_free_slots(dst), nr);
}
#endif

static int migrate_test_init(struct kunit *test)
{
	struct migrate_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	int err = 0;

	if (!t)
		return -ENOMEM;
	test->priv = t;
	migrate_test = t;
	while (!err && t->nr_registered < PMUS)
		err = register_next(t, PERF_PMU_SCOPE_NONE);
	return err;
}

static void migrate_test_exit(struct kunit *test)
{
	struct migrate_test *t = test->priv;

	while (t && t->nr_registered)
		unregister_last(t);
}

static struct kunit_case migrate_cases[] = {
	KUNIT_CASE(pmu_migrate),
	KUNIT_CASE(pmu_migrate_unregistered),
	KUNIT_CASE(no_event_is_opened_behind),
	KUNIT_CASE(pmu_migrate_buffer),
	KUNIT_CASE(pmu_migrate_buffer_of_two),
	KUNIT_CASE(pmu_migrate_page_stays),
	KUNIT_CASE(pmu_migrate_mapped),
	KUNIT_CASE(pmu_migrate_unmapped),
	KUNIT_CASE(sibling_is_disabled_while_it_moves),
	KUNIT_CASE(sibling_is_disabled_while_its_leader_leaves),
	KUNIT_CASE(pmu_migrate_times),
	KUNIT_CASE(pmu_migrate_times_waiting),
#if defined(CONFIG_EVENT_TRACING) && defined(TEST_HAS_FAULTS)
	KUNIT_CASE(group_ends_without_memory),
#endif
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE(pmu_migrate_breakpoint),
#endif
	{}
};

static struct kunit_suite migrate_suite = {
	.name		= "perf_migrate",
	.init		= migrate_test_init,
	.exit		= migrate_test_exit,
	.test_cases	= migrate_cases,
};

kunit_test_suite(migrate_suite);
