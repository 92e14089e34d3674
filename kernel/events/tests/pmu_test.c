// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of pmu.c: numbers of PMUs, and which of several PMUs gets an event. Each PMU is a
 * fake that logs the calls of its event_init().
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/hw_breakpoint.h>
#include <linux/irq_work.h>
#include <linux/string.h>

#include "../base/contexts.h"
#include "../buffer/attach.h"
#include "../buffer/userpage_mmap.h"
#include "../context/context.h"
#include "../base/event.h"
#include "../overflow/overflow.h"
#include "../sched/cpu_pmu.h"
#include "../software/follow.h"
#include "../pmu/pmu.h"
#include "../output/ring_buffer.h"
#include "test_open.h"
#include "../output/userpage.h"

#define FAKES	3

/* a number that no PMU has unless a test registers one with it */
#define FAKE_TYPE	0x7ead0000

/**
 * struct fake_pmu - a PMU with selectable results of event_init()
 * @pmu: the PMU
 * @mark: letter that event_init() adds to the log
 * @answer: result of event_init() for events with another number
 * @own_answer: result of event_init() for events with the number of the PMU
 * @registered: @pmu is registered, and must be unregistered at the end of the test
 */
struct fake_pmu {
	struct pmu	pmu;
	char		mark;
	int		answer;
	int		own_answer;
	bool		registered;
};

#define STOPPED		2

/**
 * struct pmu_test_stop - siblings that are to be disabled as soon as their leader stops
 * @leader: the leader; del() of it disables the siblings from irq_work
 * @event: the siblings
 * @state: their states after their irq_works
 * @nr_moving: number of siblings that moved at that time
 * @seen: notes the states
 */
struct pmu_test_stop {
	struct perf_event	*leader;
	struct perf_event	*event[STOPPED];
	enum perf_event_state	state[STOPPED];
	int			nr_moving;
	struct irq_work		seen;
};

/**
 * struct pmu_test - one test
 * @fake: the PMUs
 * @event: the event that fake_open() offers to the PMUs
 * @take_all: event_init() accepts all other events
 * @config_seen: config of @event at the last call of event_init()
 * @nr_destroyed: number of calls of destroy()
 * @nr_added: number of events between add() and del()
 * @stop: siblings to be disabled
 * @log: marks of the PMUs that @event was offered to
 */
struct pmu_test {
	struct fake_pmu		fake[FAKES];
	struct perf_event	*event;
	bool			take_all;
	atomic_t		nr_added;
	u64			config_seen;
	int			nr_destroyed;
	struct pmu_test_stop	stop;
	char			log[16];
};

static struct pmu_test *pmu_test;

static void fake_destroy(struct perf_event *event)
{
	pmu_test->nr_destroyed++;
}

static int fake_event_init(struct perf_event *event)
{
	struct fake_pmu *fake = container_of(event->pmu, struct fake_pmu, pmu);
	size_t len = strlen(pmu_test->log);

	/* an event of the test that was opened, or of another task */
	if (event != pmu_test->event)
		return pmu_test->take_all ? 0 : -ENOENT;

	if (len + 1 < sizeof(pmu_test->log))
		pmu_test->log[len] = fake->mark;
	pmu_test->config_seen = event->attr.config;
	event->destroy = fake_destroy;
	if (event->attr.type == event->pmu->type)
		return fake->own_answer;
	return fake->answer;
}

static int fake_add(struct perf_event *event, int flags)
{
	if (event->cpu != smp_processor_id())
		return -ENOENT;
	atomic_inc(&pmu_test->nr_added);
	return 0;
}

/* Runs after the irq_works of the siblings, which were queued at the same time. */
static void stop_seen(struct irq_work *work)
{
	struct pmu_test_stop *stop = container_of(work, struct pmu_test_stop, seen);

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
static void stop_siblings(struct pmu_test_stop *stop)
{
	stop->leader = NULL;
	for (int i = 0; i < STOPPED; i++)
		perf_event_disable_inatomic(stop->event[i]);
	irq_work_queue(&stop->seen);
}

static void fake_del(struct perf_event *event, int flags)
{
	local64_add(1000, &event->count);
	atomic_dec(&pmu_test->nr_added);
	if (event == pmu_test->stop.leader)
		stop_siblings(&pmu_test->stop);
}

static void fake_op(struct perf_event *event, int flags)
{
}

static void fake_read(struct perf_event *event)
{
}

static int fake_register(struct pmu_test *t, int i, int type, int capabilities)
{
	static const char * const names[FAKES] = {
		"kunit_a", "kunit_b", "kunit_c"
	};
	struct fake_pmu *fake = &t->fake[i];
	int err;

	fake->pmu = (struct pmu) {
		.capabilities	= capabilities,
		.task_ctx_nr	= perf_invalid_context,
		.event_init	= fake_event_init,
		.add		= fake_add,
		.del		= fake_del,
		.start		= fake_op,
		.stop		= fake_op,
		.read		= fake_read,
	};
	fake->mark = 'a' + i;
	fake->answer = -ENOENT;
	err = perf_pmu_register(&fake->pmu, names[i], type);
	fake->registered = !err;
	return err;
}

static void fake_unregister(struct pmu_test *t, int i)
{
	perf_pmu_unregister(&t->fake[i].pmu);
	t->fake[i].registered = false;
}

/* Initialise @t->event as an event that was not offered to any PMU yet. */
static struct perf_event *fake_event(struct pmu_test *t, u32 type, u64 config)
{
	struct perf_event *event = t->event;

	memset(event, 0, sizeof(*event));
	event->attr.type = type;
	event->attr.config = config;
	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);

	memset(t->log, 0, sizeof(t->log));
	t->nr_destroyed = 0;
	return event;
}

/* Offer an event and release it. Return: the mark of the PMU that took it, or an errno. */
static int fake_open(struct pmu_test *t, u32 type, u64 config)
{
	struct perf_event *event = fake_event(t, type, config);
	struct pmu *pmu = perf_pmu_of_event(event);
	int mark;

	if (IS_ERR(pmu))
		return PTR_ERR(pmu);
	mark = container_of(pmu, struct fake_pmu, pmu)->mark;
	perf_pmu_release_event(event);
	return mark;
}

static void pmu_numbers(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int first;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_register(t, 1, -1, 0), 0);
	first = t->fake[0].pmu.type;
	KUNIT_EXPECT_GE(test, first, (int)PERF_TYPE_MAX);
	KUNIT_EXPECT_GE(test, t->fake[1].pmu.type, (int)PERF_TYPE_MAX);
	KUNIT_EXPECT_NE(test, t->fake[1].pmu.type, first);

	KUNIT_EXPECT_EQ(test, fake_register(t, 2, first, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_register(t, 2, FAKE_TYPE, 0), 0);
	KUNIT_EXPECT_EQ(test, t->fake[2].pmu.type, FAKE_TYPE);
}

static void pmu_reregister(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int i;

	for (i = 0; i < 3; i++) {
		/* stale contents of the struct must not matter */
		memset(&t->fake[0], i ? 0xa5 : 0, sizeof(t->fake[0]));
		KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
		t->fake[0].own_answer = 0;
		KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 0), 'a');
		fake_unregister(t, 0);
		KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 0), -ENOENT);
	}
}

static void pmu_stale_members(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct pmu *pmu = &t->fake[0].pmu;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, 0), 0);
	fake_unregister(t, 0);
	pmu->dev = (struct device *)-1L;
	atomic_set(&pmu->exclusive_cnt, 7);
	KUNIT_ASSERT_EQ(test, perf_pmu_register(pmu, "kunit_a", -1), 0);
	t->fake[0].registered = true;
	KUNIT_EXPECT_EQ(test, atomic_read(&pmu->exclusive_cnt), 0);
	KUNIT_EXPECT_PTR_NE(test, pmu->dev, (struct device *)-1L);
	if (pmu->dev)
		KUNIT_EXPECT_PTR_EQ(test, dev_get_drvdata(pmu->dev), (void *)pmu);
}

static const char * const permanent[] = {
	"software", "tracepoint", "breakpoint", "kprobe", "uprobe",
};

/* Which of these are registered, and which are permanent, by their places in permanent[]. */
struct pmu_names {
	unsigned int listed, permanent, nr_others;
};

static void note_name(struct pmu *pmu, void *arg)
{
	int at = match_string(permanent, ARRAY_SIZE(permanent), pmu->name);
	struct pmu_names *names = arg;

	if (at < 0) {
		names->nr_others += perf_pmu_is_permanent(pmu);
		return;
	}
	names->listed |= BIT(at);
	if (perf_pmu_is_permanent(pmu))
		names->permanent |= BIT(at);
}

/*
 * event_init() of the core's own PMUs takes the CPU hotplug lock. A lookup of one that held SRCU
 * would hang with a driver that calls perf_pmu_unregister() under this lock.
 */
static void pmu_permanent(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct pmu_names names = {};

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, 0), 0);
	perf_pmu_for_each(note_name, &names);
	KUNIT_EXPECT_TRUE(test, names.listed & BIT(0));
	KUNIT_EXPECT_EQ(test, names.permanent, names.listed);
	KUNIT_EXPECT_EQ(test, names.nr_others, 0);
}

static void pmu_by_number(struct kunit *test)
{
	struct pmu_test *t = test->priv;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_register(t, 1, -1, 0), 0);
	t->fake[1].answer = 0;

	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 5), 'a');
	KUNIT_EXPECT_STREQ(test, t->log, "a");
	KUNIT_EXPECT_EQ(test, t->nr_destroyed, 1);

	/* the result of the PMU with the number is final, even if another PMU would accept */
	t->fake[0].own_answer = -ENOENT;
	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 5), -ENOENT);
	KUNIT_EXPECT_STREQ(test, t->log, "a");
	KUNIT_EXPECT_EQ(test, t->nr_destroyed, 0);
	KUNIT_EXPECT_NULL(test, t->event->destroy);

	t->fake[0].own_answer = -EACCES;
	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 5), -EACCES);
	KUNIT_EXPECT_NULL(test, t->event->pmu);
}

static void pmu_without_number(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int i;

	for (i = 0; i < FAKES; i++)
		KUNIT_ASSERT_EQ(test, fake_register(t, i, -1, 0), 0);

	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 0), -ENOENT);
	KUNIT_EXPECT_STREQ(test, t->log, "cba");

	t->fake[1].answer = 0;
	t->fake[0].answer = 0;
	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 0), 'b');
	KUNIT_EXPECT_STREQ(test, t->log, "cb");

	t->fake[2].answer = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_STREQ(test, t->log, "c");
}

static void pmu_generic(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	u64 with, without, unknown = (u64)FAKE_TYPE << PERF_PMU_TYPE_SHIFT;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, PERF_PMU_CAP_EXTENDED_HW_TYPE), 0);
	KUNIT_ASSERT_EQ(test, fake_register(t, 1, -1, 0), 0);
	t->fake[0].answer = 0;
	t->fake[1].answer = 0;
	with = (u64)t->fake[0].pmu.type << PERF_PMU_TYPE_SHIFT;
	without = (u64)t->fake[1].pmu.type << PERF_PMU_TYPE_SHIFT;

	KUNIT_EXPECT_EQ(test, fake_open(t, PERF_TYPE_HARDWARE, with | 3), 'a');
	KUNIT_EXPECT_EQ(test, t->config_seen, 3);
	KUNIT_EXPECT_EQ(test, t->event->attr.type, (u32)PERF_TYPE_HARDWARE);
	KUNIT_EXPECT_EQ(test, fake_open(t, PERF_TYPE_HW_CACHE, with | 3), 'a');

	KUNIT_EXPECT_EQ(test, fake_open(t, PERF_TYPE_HARDWARE, without), -ENOENT);
	KUNIT_EXPECT_STREQ(test, t->log, "");

	/* no PMU has the number: the event is offered to all */
	KUNIT_EXPECT_EQ(test, fake_open(t, PERF_TYPE_HARDWARE, unknown | 3), 'b');
	KUNIT_EXPECT_EQ(test, t->config_seen, 3);

	/* for other types the upper half is part of config */
	KUNIT_EXPECT_EQ(test, fake_open(t, FAKE_TYPE, unknown | 3), 'b');
	KUNIT_EXPECT_EQ(test, t->config_seen, unknown | 3);
}

/* A child event is offered to the PMU of its parent first, whatever its number is. */
static void pmu_of_parent(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct perf_event *event, *parent;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_register(t, 1, FAKE_TYPE, 0), 0);
	t->fake[0].answer = 0;

	parent = kunit_kzalloc(test, sizeof(*parent), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, parent);
	parent->pmu = &t->fake[0].pmu;

	event = fake_event(t, FAKE_TYPE, 0);
	event->parent = parent;
	KUNIT_EXPECT_PTR_EQ(test, perf_pmu_of_event(event), &t->fake[0].pmu);
	KUNIT_EXPECT_STREQ(test, t->log, "a");
	perf_pmu_release_event(event);

	t->fake[0].answer = -EBUSY;
	event = fake_event(t, FAKE_TYPE, 0);
	event->parent = parent;
	KUNIT_EXPECT_PTR_EQ(test, perf_pmu_of_event(event), &t->fake[1].pmu);
	KUNIT_EXPECT_STREQ(test, t->log, "ab");
	perf_pmu_release_event(event);
}

/* If the core refuses an event that the PMU has accepted, event_init() is undone. */
static void pmu_refused_afterwards(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, PERF_PMU_CAP_NO_EXCLUDE), 0);

	event = fake_event(t, FAKE_TYPE, 0);
	event->attr.exclude_idle = 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_pmu_of_event(event)), -EINVAL);
	KUNIT_EXPECT_EQ(test, t->nr_destroyed, 1);
	KUNIT_EXPECT_NULL(test, event->pmu);

	event = fake_event(t, FAKE_TYPE, 0);
	event->attach_state = PERF_ATTACH_TASK;
	KUNIT_EXPECT_EQ(test, PTR_ERR(perf_pmu_of_event(event)), -EINVAL);
	KUNIT_EXPECT_EQ(test, t->nr_destroyed, 1);
}

static void pmu_exclusive(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct perf_event *cpu, *task;

	cpu = kunit_kzalloc(test, sizeof(*cpu), GFP_KERNEL);
	task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, cpu);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_ASSERT_EQ(test, fake_register(t, 0, -1, PERF_PMU_CAP_EXCLUSIVE), 0);
	cpu->pmu = &t->fake[0].pmu;
	task->pmu = &t->fake[0].pmu;
	task->attach_state = PERF_ATTACH_TASK;

	KUNIT_EXPECT_EQ(test, perf_pmu_claim_exclusive(cpu), 0);
	KUNIT_EXPECT_EQ(test, perf_pmu_claim_exclusive(task), -EBUSY);
	perf_pmu_release_exclusive(task);
	perf_pmu_release_exclusive(cpu);
	perf_pmu_release_exclusive(cpu);

	KUNIT_EXPECT_EQ(test, perf_pmu_claim_exclusive(task), 0);
	KUNIT_EXPECT_EQ(test, perf_pmu_claim_exclusive(cpu), -EBUSY);
	perf_pmu_release_exclusive(task);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->fake[0].pmu.exclusive_cnt), 0);
}

/* A PMU is unregistered while an event is open. */
static void pmu_gone_before_event(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct perf_event *event;

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	event = fake_event(t, FAKE_TYPE, 0);
	KUNIT_ASSERT_PTR_EQ(test, perf_pmu_of_event(event), &t->fake[0].pmu);

	fake_unregister(t, 0);
	KUNIT_ASSERT_NOT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
	perf_pmu_release_event(event);
	KUNIT_EXPECT_EQ(test, t->nr_destroyed, 1);
	KUNIT_EXPECT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
}

static struct perf_event *fake_counter_of(struct kunit *test, u32 type, int cpu, bool disabled)
{
	struct perf_event_attr attr = {
		.type		= type,
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

static struct perf_event *fake_counter(struct kunit *test, int cpu, bool disabled)
{
	return fake_counter_of(test, FAKE_TYPE, cpu, disabled);
}

/*
 * The rotation timer of a CPU that goes offline ends on another CPU. After that, a rotation can be
 * started again, also that of a PMU that was unregistered while an event is open. No group waits
 * here, so no timer is needed.
 */
static void pmu_timer_ends_elsewhere(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *event;
	int cpu, end;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	KUNIT_EXPECT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	event = fake_counter(test, cpu, true);
	cpc = per_cpu_ptr(t->fake[0].pmu.cpu_pmu_context, cpu);
	fake_unregister(t, 0);

	/* as perf_rotate_start() has left it */
	WRITE_ONCE(cpc->timer_on, true);
	scoped_guard(irq)
		end = cpc->timer.function(&cpc->timer);
	KUNIT_EXPECT_EQ(test, end, (int)HRTIMER_NORESTART);
	/* as hotplug does when the CPU is dead */
	perf_pmu_cpu_gone(cpu);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(cpc->timer_on));
	migrate_enable();

	perf_event_release_kernel(event);
	KUNIT_EXPECT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
}

/* Is the event on a CPU's list of those in frequency mode? */
static bool ticks_on(struct perf_event *event, int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *other;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	list_for_each_entry(other, &ctx->own.freq_events, freq_entry) {
		if (other == event)
			return true;
	}
	return false;
}

/* Events keep their counts when they move, and disabled events stay disabled. */
static void pmu_migrate(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct perf_event *on, *off;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	on = fake_counter(test, src, false);
	off = fake_counter(test, src, true);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 1);

	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
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
	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
	perf_pmu_migrate_context(&t->fake[0].pmu, dst, src);
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
	struct pmu_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct perf_event *moves, *stays, *late;
	struct perf_event_context *ctx;
	struct perf_buffer *rb;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	moves = fake_counter(test, src, false);
	stays = perf_event_create_kernel_counter(&software, src, NULL, NULL, NULL);
	late = perf_event_create_kernel_counter(&software, src, NULL, NULL, NULL);
	rb = perf_rb_alloc(1, -1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(stays) || IS_ERR(late) || !rb);
	scoped_guard(mutex, &rb->mutex)
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(stays, rb));
	ctx = perf_ctx_lock_of_event(moves);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(moves, stays), 0);
	mutex_unlock(&ctx->mutex);

	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
	KUNIT_EXPECT_EQ(test, moves->cpu, dst);
	KUNIT_EXPECT_PTR_EQ(test, rcu_access_pointer(moves->rb), rb);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(stays->rb));
	ctx = perf_ctx_lock_of_event(late);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(late, stays), -EINVAL);
	mutex_unlock(&ctx->mutex);

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
	struct pmu_test *t = test->priv;
	struct pmu *first = &t->fake[0].pmu, *second = &t->fake[1].pmu;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct perf_event_context *ctx;
	struct perf_event *a, *b;
	struct perf_buffer *rb;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_register(t, 1, FAKE_TYPE + 1, 0), 0);
	t->take_all = true;
	a = fake_counter_of(test, FAKE_TYPE, src, false);
	b = fake_counter_of(test, FAKE_TYPE + 1, src, false);
	rb = perf_rb_alloc(1, -1);
	KUNIT_ASSERT_NOT_NULL(test, rb);
	scoped_guard(mutex, &rb->mutex)
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(a, rb));
	ctx = perf_ctx_lock_of_event(b);
	KUNIT_EXPECT_EQ(test, perf_event_set_output(b, a), 0);
	mutex_unlock(&ctx->mutex);

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

	perf_event_release_kernel(b);
	perf_event_release_kernel(a);
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
	struct pmu_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct perf_event *leader, *event;
	struct perf_buffer *rb;
	u32 lock;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	leader = fake_counter(test, src, false);
	event = join(test, leader, PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_TRUE(test, perf_event_follows(event));
	rb = perf_rb_alloc(0, -1);
	KUNIT_ASSERT_NOT_NULL(test, rb);
	scoped_guard(mutex, &rb->mutex) {
		KUNIT_EXPECT_TRUE(test, perf_rb_attach(event, rb));
		perf_userpage_begin(event, rb);
	}
	KUNIT_EXPECT_TRUE(test, is_timed_on(event, src));

	lock = rb->user_page->lock;
	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
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

/*
 * Siblings are to be disabled from irq_work, which runs when their group has left the old CPU. They
 * are disabled when the group is on the new CPU, and not in between. One of them follows its
 * leader.
 */
static void sibling_is_disabled_while_it_moves(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct pmu_test_stop *stop = &t->stop;
	struct perf_event *leader;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	leader = fake_counter(test, src, false);
	stop->event[0] = join(test, leader, FAKE_TYPE);
	stop->event[1] = join(test, leader, PERF_TYPE_SOFTWARE);
	KUNIT_EXPECT_FALSE(test, perf_event_follows(stop->event[0]));
	KUNIT_EXPECT_TRUE(test, perf_event_follows(stop->event[1]));
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 2);
	stop->seen = IRQ_WORK_INIT_HARD(stop_seen);
	stop->leader = leader;

	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
	irq_work_sync(&stop->seen);
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
	for (int i = 0; i < STOPPED; i++) {
		perf_event_enable(stop->event[i]);
		KUNIT_EXPECT_EQ(test, (int)stop->event[i]->state, PERF_EVENT_STATE_ACTIVE);
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 2);

	for (int i = 0; i < STOPPED; i++)
		perf_event_release_kernel(stop->event[i]);
	perf_event_release_kernel(leader);
	KUNIT_EXPECT_EQ(test, atomic_read(&t->nr_added), 0);
}

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
 * is none, its group does not move.
 */
static void pmu_migrate_breakpoint(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int src = cpumask_first(cpu_online_mask);
	int dst = cpumask_next(src, cpu_online_mask);
	struct perf_event *leader, *bp[2], *others[MAX_WATCHED];
	int nr = nr_free_slots(src), i;

	if (dst >= nr_cpu_ids)
		kunit_skip(test, "needs two CPUs");
	if (nr < 2)
		kunit_skip(test, "no two debug registers");

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	leader = fake_counter(test, src, false);
	for (i = 0; i < 2; i++) {
		bp[i] = watch(src, leader);
		if (IS_ERR(bp[i])) {
			KUNIT_FAIL(test, "no breakpoint in the group: %ld", PTR_ERR(bp[i]));
			goto out;
		}
	}
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), nr - 2);
	perf_pmu_migrate_context(&t->fake[0].pmu, src, dst);
	KUNIT_EXPECT_EQ(test, bp[0]->cpu, dst);
	KUNIT_EXPECT_EQ(test, nr_free_slots(src), nr);
	KUNIT_EXPECT_EQ(test, nr_free_slots(dst), nr - 2);

	/* one register is free, and is free again when there is none for the second breakpoint */
	for (i = 0; i < nr - 1; i++)
		others[i] = watch(src, NULL);
	perf_pmu_migrate_context(&t->fake[0].pmu, dst, src);
	KUNIT_EXPECT_EQ(test, leader->cpu, dst);
	KUNIT_EXPECT_EQ(test, bp[0]->cpu, dst);
	KUNIT_EXPECT_EQ(test, bp[1]->cpu, dst);
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

static void pmu_scopes(struct kunit *test)
{
	struct pmu pmu = { .scope = PERF_PMU_SCOPE_NONE };
	int cpu;

	KUNIT_EXPECT_NULL(test, perf_pmu_scope_mask(&pmu));

	for (pmu.scope = PERF_PMU_SCOPE_CORE; pmu.scope < PERF_PMU_MAX_SCOPE; pmu.scope++) {
		const struct cpumask *mask = perf_pmu_scope_mask(&pmu);

		KUNIT_ASSERT_NOT_NULL(test, mask);
		KUNIT_EXPECT_FALSE(test, cpumask_empty(mask));
		KUNIT_EXPECT_TRUE(test, cpumask_subset(mask, cpu_possible_mask));
		for_each_online_cpu(cpu)
			KUNIT_EXPECT_GE(test, perf_pmu_scope_cpu(&pmu, cpu), 0);
	}
	pmu.scope = PERF_PMU_SCOPE_SYS_WIDE;
	KUNIT_EXPECT_EQ(test, cpumask_weight(perf_pmu_scope_mask(&pmu)), 1);
}

static int pmu_test_init(struct kunit *test)
{
	struct pmu_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->event = kunit_kzalloc(test, sizeof(*t->event), GFP_KERNEL);
	if (!t->event)
		return -ENOMEM;
	test->priv = t;
	pmu_test = t;
	return 0;
}

static void pmu_test_exit(struct kunit *test)
{
	struct pmu_test *t = test->priv;
	int i;

	for (i = 0; t && i < FAKES; i++) {
		if (t->fake[i].registered)
			fake_unregister(t, i);
	}
	pmu_test = NULL;
}

static struct kunit_case pmu_tests[] = {
	KUNIT_CASE(pmu_numbers),
	KUNIT_CASE(pmu_reregister),
	KUNIT_CASE(pmu_stale_members),
	KUNIT_CASE(pmu_permanent),
	KUNIT_CASE(pmu_by_number),
	KUNIT_CASE(pmu_without_number),
	KUNIT_CASE(pmu_generic),
	KUNIT_CASE(pmu_of_parent),
	KUNIT_CASE(pmu_refused_afterwards),
	KUNIT_CASE(pmu_exclusive),
	KUNIT_CASE(pmu_gone_before_event),
	KUNIT_CASE(pmu_timer_ends_elsewhere),
	KUNIT_CASE(pmu_migrate),
	KUNIT_CASE(pmu_migrate_buffer),
	KUNIT_CASE(pmu_migrate_buffer_of_two),
	KUNIT_CASE(pmu_migrate_mapped),
	KUNIT_CASE(sibling_is_disabled_while_it_moves),
#ifdef CONFIG_HAVE_HW_BREAKPOINT
	KUNIT_CASE(pmu_migrate_breakpoint),
#endif
	KUNIT_CASE(pmu_scopes),
	{}
};

static struct kunit_suite pmu_suite = {
	.name		= "perf_pmu",
	.init		= pmu_test_init,
	.exit		= pmu_test_exit,
	.test_cases	= pmu_tests,
};

kunit_test_suite(pmu_suite);
