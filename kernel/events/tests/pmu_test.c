// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of pmu.c: numbers of PMUs, and which of several PMUs gets an event. Each PMU is a
 * fake that logs the calls of its event_init().
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/string.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../sched/cpu_pmu.h"
#include "../pmu/pmu.h"
#include "test_child.h"
#include "test_cpu.h"

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

/**
 * struct pmu_test - one test
 * @fake: the PMUs
 * @event: the event that fake_open() offers to the PMUs
 * @take_all: event_init() accepts all other events
 * @config_seen: config of @event at the last call of event_init()
 * @nr_destroyed: number of calls of destroy()
 * @log: marks of the PMUs that @event was offered to
 */
struct pmu_test {
	struct fake_pmu		fake[FAKES];
	struct perf_event	*event;
	bool			take_all;
	u64			config_seen;
	int			nr_destroyed;
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
	return 0;
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
		.del		= fake_op,
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

/* A task forks after the PMU of its event was unregistered. */
static void child_event_of_a_pmu_that_is_gone(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= FAKE_TYPE,
		.size		= sizeof(attr),
		.disabled	= 1,
		.inherit	= 1,
	};
	struct pmu_test *t = test->priv;
	struct perf_event *event, *inherited;
	struct test_child child = {};

	KUNIT_ASSERT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	t->fake[0].pmu.task_ctx_nr = perf_hw_context;
	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	fake_unregister(t, 0);

	test_child_begin(test, &child);
	scoped_guard(mutex, &event->child_mutex) {
		inherited = list_first_entry_or_null(&event->child_list, struct perf_event,
						     child_list);
		KUNIT_EXPECT_NOT_NULL(test, inherited);
		if (inherited)
			KUNIT_EXPECT_PTR_EQ(test, inherited->pmu, &t->fake[0].pmu);
	}
	perf_event_enable(event);
	perf_event_disable(event);
	test_child_end(&child);

	scoped_guard(mutex, &event->child_mutex)
		KUNIT_EXPECT_TRUE(test, list_empty(&event->child_list));
	KUNIT_EXPECT_NOT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
}

/*
 * The rotation timer of a CPU that goes offline ends on another CPU. After that, a rotation can be
 * started again, also the rotation of a PMU that was unregistered while an event is open. No group
 * waits here, so no timer is needed.
 */
static void pmu_timer_ends_elsewhere(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= FAKE_TYPE,
		.size		= sizeof(attr),
		.disabled	= 1,
	};
	struct pmu_test *t = test->priv;
	struct perf_cpu_pmu_context *cpc;
	struct perf_event *event;
	int cpu, end;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");

	test_bind_here(test);
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	KUNIT_EXPECT_EQ(test, fake_register(t, 0, FAKE_TYPE, 0), 0);
	t->take_all = true;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
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

	perf_event_release_kernel(event);
	KUNIT_EXPECT_NULL(test, t->fake[0].pmu.cpu_pmu_context);
}

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
	KUNIT_CASE(child_event_of_a_pmu_that_is_gone),
	KUNIT_CASE(pmu_timer_ends_elsewhere),
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
