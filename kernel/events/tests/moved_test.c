// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of a PMU that moves to another CPU: no event is left behind, also none that is opened
 * meanwhile.
 *
 * The fake PMU counts on one CPU. As drivers of such PMUs do, it selects that CPU in event_init().
 * While event_init() runs, the PMU moves, as in the driver's callback of CPU hotplug. Opens are
 * tried as counters of the kernel and with perf_event_open(2). No CPU goes offline inside of
 * event_init(), see pmu.h: the parts of an open are called one by one then.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/refusal.h"
#include "../pmu/pmu.h"
#include "test_cpu.h"
#include "test_open.h"

#define GROUPS	3

/**
 * struct moved_test - one test
 * @pmu: the PMU
 * @src: the CPU that has its events at first; can go offline
 * @dst: another one
 * @cpu: the CPU that event_init() selects
 * @attr: attributes for perf_event_open(2), or NULL if the kernel opens the events
 * @fd: descriptor of the open event
 * @meanwhile: called once by event_init(), after it has selected the CPU, or NULL
 */
struct moved_test {
	struct pmu	pmu;
	int		src;
	int		dst;
	int		cpu;
	struct perf_event_attr __user *attr;
	int		fd;
	void		(*meanwhile)(struct moved_test *t);
};

static struct moved_test *moved_test;

static int moved_event_init(struct perf_event *event)
{
	struct moved_test *t = moved_test;
	void (*meanwhile)(struct moved_test *t);

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	event->cpu = t->cpu;
	meanwhile = t->meanwhile;
	t->meanwhile = NULL;
	if (meanwhile)
		meanwhile(t);
	return 0;
}

static int moved_add(struct perf_event *event, int flags)
{
	return 0;
}

static void moved_del(struct perf_event *event, int flags)
{
	local64_add(1000, &event->count);
}

static void moved_op(struct perf_event *event, int flags)
{
}

static void moved_read(struct perf_event *event)
{
}

/* The PMU moves. Many drivers select the new CPU afterwards. */
static void move(struct moved_test *t)
{
	perf_pmu_migrate_context(&t->pmu, t->src, t->dst);
	t->cpu = t->dst;
}

static void move_there_and_back(struct moved_test *t)
{
	move(t);
	perf_pmu_migrate_context(&t->pmu, t->dst, t->src);
	t->cpu = t->src;
}

/* Return: false if the old CPU cannot go offline. */
static bool old_cpu_goes_and_comes(struct kunit *test)
{
	struct moved_test *t = test->priv;

	if (test_remove_cpu(t->src))
		return false;
	KUNIT_ASSERT_EQ(test, add_cpu(t->src), 0);
	return true;
}

/* Call perf_event_open(2) for CPU 0; the PMU selects another one. Return: a descriptor or errno. */
#if defined(CONFIG_X86_64)
#define CAN_CALL	true

static int call_open(struct perf_event_attr __user *attr)
{
	struct pt_regs regs = {
		.di	= (unsigned long)attr,
		.si	= -1,
		.r10	= -1,
	};

	return x64_sys_call(&regs, __NR_perf_event_open);
}
#elif defined(CONFIG_ARM64)
#define CAN_CALL	true

static int call_open(struct perf_event_attr __user *attr)
{
	struct pt_regs regs = { .regs = { (unsigned long)attr, -1, 0, -1, 0 } };

	return sys_call_table[__NR_perf_event_open](&regs);
}
#else
#define CAN_CALL	false

static int call_open(struct perf_event_attr __user *attr)
{
	return -EINVAL;
}
#endif

static struct perf_event *open_by_call(struct kunit *test, const struct perf_event_attr *attr)
{
	struct moved_test *t = test->priv;
	struct perf_event *event;
	struct file *file;

	KUNIT_ASSERT_EQ(test, copy_to_user(t->attr, attr, sizeof(*attr)), 0);
	t->fd = call_open(t->attr);
	if (t->fd < 0)
		return ERR_PTR(t->fd);
	file = fget(t->fd);
	event = file->private_data;
	fput(file);
	return event;
}

static struct perf_event *open_counter(struct kunit *test)
{
	struct moved_test *t = test->priv;
	struct perf_event_attr attr = {
		.type	= t->pmu.type,
		.size	= sizeof(attr),
	};

	if (t->attr)
		return open_by_call(test, &attr);
	return perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);
}

static void close_counter(struct kunit *test, struct perf_event *event)
{
	struct moved_test *t = test->priv;

	if (t->attr)
		__fput_sync(file_close_fd(t->fd));
	else
		perf_event_release_kernel(event);
}

/* What /proc/self/perf_event_refusal shows. */
static void expect_refusal(struct kunit *test, const char *expected)
{
	char text[PERF_REFUSAL_SIZE];

	KUNIT_ASSERT_TRUE(test, perf_refusal_read(current, text, sizeof(text)));
	KUNIT_EXPECT_STREQ(test, text, expected);
}

/* The refusal of an open for @cpu, which the PMU has left. */
static void expect_refusal_of(struct kunit *test, int cpu)
{
	char text[PERF_REFUSAL_SIZE];

	snprintf(text, sizeof(text), "cpu: PMU kunit_moved has moved from CPU %d to another one",
		 cpu);
	expect_refusal(test, text);
}

/* An open fails because the PMU has moved. */
static void expect_refused(struct kunit *test)
{
	unsigned int before = perf_refusal_count();
	struct perf_event *event = open_counter(test);

	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -ENODEV);
	KUNIT_EXPECT_NE(test, perf_refusal_count(), before);
	if (!IS_ERR(event))
		close_counter(test, event);
}

/* An open succeeds, and the event counts on @cpu. */
static void expect_counts(struct kunit *test, int cpu)
{
	struct perf_event *event = open_counter(test);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	KUNIT_EXPECT_EQ(test, event->oncpu, cpu);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	close_counter(test, event);
}

/* The PMU moves between event_init() and the installation. */
static void moved_while_opened(struct kunit *test)
{
	struct moved_test *t = test->priv;

	t->meanwhile = move;
	expect_refused(test);
	expect_refusal_of(test, t->src);
	expect_counts(test, t->dst);
}

/* The PMU has moved, and its driver does not select the new CPU yet. */
static void moved_before_driver_selects(struct kunit *test)
{
	struct moved_test *t = test->priv;

	perf_pmu_migrate_context(&t->pmu, t->src, t->dst);
	expect_refused(test);
	expect_refusal_of(test, t->src);
	t->cpu = t->dst;
	expect_counts(test, t->dst);
}

/* The PMU is on the same CPU again when the event is installed. */
static void moved_back_while_opened(struct kunit *test)
{
	struct moved_test *t = test->priv;

	t->meanwhile = move_there_and_back;
	expect_counts(test, t->src);
	expect_counts(test, t->src);
}

/* The driver has cleared its choice, and selects another CPU when the PMU has moved. */
static void no_cpu_while_it_moves(struct kunit *test)
{
	struct moved_test *t = test->priv;

	t->cpu = -1;
	expect_refused(test);
	expect_refusal(test, "cpu: PMU kunit_moved is on no CPU now");
	perf_refusal_free_task(current);
	t->cpu = nr_cpu_ids;
	expect_refused(test);
	expect_refusal(test, "cpu: PMU kunit_moved is on no CPU now");
	t->cpu = t->src;
	expect_counts(test, t->src);
}

/* The refusal of an open during which @cpu was offline. */
static void expect_refusal_of_offline(struct kunit *test, int cpu)
{
	char text[PERF_REFUSAL_SIZE];

	snprintf(text, sizeof(text), "cpu: CPU %d was offline during this open", cpu);
	expect_refusal(test, text);
}

/* The first part of an open: event_init() selects a CPU. */
static struct perf_event *begin_open(struct kunit *test)
{
	struct moved_test *t = test->priv;
	struct perf_event_attr attr = { .type = t->pmu.type };
	struct perf_event_request req = { .attr = &attr };
	struct perf_event *event = perf_event_make(&req);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

/* The last check of an open that began at @since. */
static int end_open(struct perf_event *event, u64 since)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, event->cpu).ctx;
	int err;

	scoped_guard(mutex, &ctx->mutex)
		err = perf_pmu_check_cpu(event, since);
	perf_event_free(event);
	return err;
}

/* The old CPU is online again when the event is installed, and the PMU is on another CPU. */
static void moved_and_old_cpu_is_back(struct kunit *test)
{
	struct moved_test *t = test->priv;
	u64 since = perf_pmu_moment();
	struct perf_event *event = begin_open(test);
	bool came;

	move(t);
	came = old_cpu_goes_and_comes(test);
	KUNIT_EXPECT_EQ(test, end_open(event, since), -ENODEV);
	if (came)
		expect_refusal_of_offline(test, t->src);
	else
		expect_refusal_of(test, t->src);
	expect_counts(test, t->dst);
	if (!came)
		return;

	/* the driver may select a CPU that has come online, without a move */
	t->cpu = t->src;
	expect_counts(test, t->src);
}

/* The PMU had no other CPU to move to. Meanwhile it may have been on one that came online first. */
static void old_cpu_is_back(struct kunit *test)
{
	struct moved_test *t = test->priv;
	u64 since = perf_pmu_moment();
	struct perf_event *event = begin_open(test);
	bool came = old_cpu_goes_and_comes(test);

	KUNIT_EXPECT_EQ(test, end_open(event, since), came ? -ENODEV : 0);
	if (came)
		expect_refusal_of_offline(test, t->src);
	expect_counts(test, t->src);
}

/* An event that was opened in time moves, and counts when its old CPU is offline. */
static void moved_after_open(struct kunit *test)
{
	struct moved_test *t = test->priv;
	struct perf_event *event = open_counter(test);
	int err;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	move(t);
	err = test_remove_cpu(t->src);
	KUNIT_EXPECT_EQ(test, event->oncpu, t->dst);
	KUNIT_EXPECT_EQ(test, (int)event->state, PERF_EVENT_STATE_ACTIVE);
	close_counter(test, event);
	if (!err)
		KUNIT_EXPECT_EQ(test, add_cpu(t->src), 0);
}

/* Open an event of the PMU, or a software event, on the old CPU. */
static struct perf_event *open_in(struct kunit *test, struct perf_event *leader, bool software,
				  bool disabled)
{
	struct moved_test *t = test->priv;
	struct perf_event_attr attr = {
		.type		= software ? PERF_TYPE_SOFTWARE : t->pmu.type,
		.config		= software ? PERF_COUNT_SW_DUMMY : 0,
		.disabled	= disabled,
	};
	struct perf_event_request req = {
		.attr	= &attr,
		.cpu	= t->src,
		.leader	= leader,
	};

	return test_open(test, &req);
}

/* Return: the number of events in the context of a CPU that belong to a group of the fake PMU. */
static int nr_events_on(struct moved_test *t, int cpu)
{
	struct perf_event_context *ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	struct perf_event *event;
	int nr = 0;

	guard(mutex)(&ctx->mutex);
	list_for_each_entry(event, &ctx->event_list, event_entry)
		nr += event->group_leader->group_pmu == &t->pmu;
	return nr;
}

/*
 * All events of a PMU move with it: groups, of which the members stand apart and side by side in
 * the list of the CPU's events, also if the leader is a software event or disabled.
 */
static void cve_2026_99187_migration_leaves_none_behind(struct kunit *test)
{
	struct moved_test *t = test->priv;
	struct perf_event *event[GROUPS * 3], *other;
	int i, err;

	/* the last group has a software event as its leader, the group before a disabled one */
	for (i = 0; i < GROUPS; i++)
		event[i] = open_in(test, NULL, i == GROUPS - 1, i == GROUPS - 2);
	other = open_in(test, NULL, true, false);
	for (i = 0; i < GROUPS; i++) {
		event[GROUPS + 2 * i] = open_in(test, event[i], false, false);
		event[GROUPS + 2 * i + 1] = open_in(test, event[i], true, false);
	}
	KUNIT_EXPECT_EQ(test, nr_events_on(t, t->src), ARRAY_SIZE(event));

	move(t);
	KUNIT_EXPECT_EQ(test, nr_events_on(t, t->src), 0);
	KUNIT_EXPECT_EQ(test, nr_events_on(t, t->dst), ARRAY_SIZE(event));
	KUNIT_EXPECT_EQ(test, other->cpu, t->src);
	err = test_remove_cpu(t->src);
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		KUNIT_EXPECT_EQ(test, event[i]->cpu, t->dst);
		KUNIT_EXPECT_TRUE(test, event[i]->attach_state & PERF_ATTACH_CONTEXT);
		/* while a leader is disabled, its group does not count */
		if (event[i]->group_leader->state >= PERF_EVENT_STATE_INACTIVE)
			KUNIT_EXPECT_EQ(test, (int)event[i]->state, PERF_EVENT_STATE_ACTIVE);
	}
	perf_event_enable(event[GROUPS - 2]);
	KUNIT_EXPECT_EQ(test, event[GROUPS - 2]->oncpu, t->dst);
	perf_event_close(other);
	for (i = ARRAY_SIZE(event); i--;)
		perf_event_close(event[i]);
	if (!err)
		KUNIT_EXPECT_EQ(test, add_cpu(t->src), 0);
}

static const struct moved_param {
	const char	*name;
	bool		by_call;
} moved_params[] = {
	{ "counter of the kernel", false },
	{ "perf_event_open(2)", true },
};

KUNIT_ARRAY_PARAM_DESC(moved, moved_params, name);

/* Return: memory for the attributes, or an ERR_PTR(). */
static struct perf_event_attr __user *user_attr(struct kunit *test)
{
	unsigned long at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					 MAP_ANONYMOUS | MAP_PRIVATE, 0);

	return (struct perf_event_attr __user *)(at ?: -ENOMEM);
}

static int moved_test_init(struct kunit *test)
{
	struct moved_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	const struct moved_param *param = test->param_value;
	int err;

	if (!t)
		return -ENOMEM;
	if (param && param->by_call && !CAN_CALL)
		kunit_skip(test, "a system call cannot be called here");
	if (param && param->by_call)
		t->attr = user_attr(test);
	if (IS_ERR((__force void *)t->attr))
		return PTR_ERR((__force void *)t->attr);
	t->dst = cpumask_first(cpu_online_mask);
	/* the first CPU cannot go offline on all machines */
	t->src = test_next_cpu(test, t->dst);
	t->cpu = t->src;
	t->pmu = (struct pmu) {
		.task_ctx_nr	= perf_invalid_context,
		.event_init	= moved_event_init,
		.add		= moved_add,
		.del		= moved_del,
		.start		= moved_op,
		.stop		= moved_op,
		.read		= moved_read,
	};
	moved_test = t;
	err = perf_pmu_register(&t->pmu, "kunit_moved", -1);
	if (!err)
		test->priv = t;
	return err;
}

static void moved_test_exit(struct kunit *test)
{
	struct moved_test *t = test->priv;

	if (t)
		perf_pmu_unregister(&t->pmu);
}

static struct kunit_case moved_cases[] = {
	KUNIT_CASE_PARAM(moved_while_opened, moved_gen_params),
	KUNIT_CASE_PARAM(moved_before_driver_selects, moved_gen_params),
	KUNIT_CASE_PARAM(moved_back_while_opened, moved_gen_params),
	KUNIT_CASE_PARAM(no_cpu_while_it_moves, moved_gen_params),
	KUNIT_CASE(moved_and_old_cpu_is_back),
	KUNIT_CASE(old_cpu_is_back),
	KUNIT_CASE_PARAM(moved_after_open, moved_gen_params),
	KUNIT_CASE(cve_2026_99187_migration_leaves_none_behind),
	{}
};

static struct kunit_suite moved_suite = {
	.name		= "perf_moved",
	.init		= moved_test_init,
	.exit		= moved_test_exit,
	.test_cases	= moved_cases,
};

kunit_test_suite(moved_suite);
