// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of address filters: parsing, ranges in an address space that changes, and which
 * ranges the driver gets.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../trace/filter.h"
#include "../context/install.h"
#include "test_child.h"

#define NR_FILTERS	3
#define FILE_NAME	"/kunit_perf_filter"
/* a file of its own: address spaces of earlier tests may still map FILE_NAME */
#define LEAK_NAME	FILE_NAME "_leak"

#define FILTER		PERF_ADDR_FILTER_ACTION_FILTER
#define START		PERF_ADDR_FILTER_ACTION_START
#define STOP		PERF_ADDR_FILTER_ACTION_STOP

#define EXEC		(PROT_READ | PROT_EXEC)

/**
 * struct filter_test - one test
 * @pmu: a PMU with address filters
 * @registered: @pmu is registered
 * @event: an event of @pmu
 * @file: the file that filters name
 * @answer: return value of addr_filters_validate()
 * @ends: the next stop() reports the last overflow of the event
 * @nr_synced: number of calls of addr_filters_sync()
 * @nr: number of ranges at the last of these calls
 * @range: these ranges
 * @child: child of the test's thread
 * @addr: where @child has mapped @file
 * @is_done: @child has done a step
 * @may_map: @child may map @file
 */
struct filter_test {
	struct pmu			pmu;
	bool				registered;
	struct perf_event		*event;
	struct file			*file;
	int				answer;
	bool				ends;
	int				nr_synced;
	int				nr;
	struct perf_addr_filter_range	range[NR_FILTERS];
	struct test_child		child;
	unsigned long			addr;
	struct completion		is_done;
	struct completion		may_map;
};

static struct filter_test *filter_test;

/* The driver */

static int filter_event_init(struct perf_event *event)
{
	return event->attr.type == event->pmu->type ? 0 : -ENOENT;
}

static void filter_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	perf_event_addr_filters_sync(event);
}

static void filter_stop(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (filter_test->ends)
		perf_event_disable_inatomic(event);
	filter_test->ends = false;
}

static int filter_add(struct perf_event *event, int flags)
{
	filter_start(event, 0);
	return 0;
}

static void filter_del(struct perf_event *event, int flags)
{
	filter_stop(event, PERF_EF_UPDATE);
}

static void filter_read(struct perf_event *event)
{
}

static int filter_validate(struct list_head *filters)
{
	return filter_test->answer;
}

static void filter_sync(struct perf_event *event)
{
	struct filter_test *t = filter_test;

	/* tests of child events read their ranges directly */
	if (event->parent)
		return;
	t->nr_synced++;
	t->nr = list_count_nodes(&perf_event_addr_filters(event)->list);
	memcpy(t->range, event->addr_filter_ranges, sizeof(t->range));
}

/* The test */

static void filter_open(struct kunit *test, int cpu, bool inherit)
{
	struct filter_test *t = test->priv;
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.inherit	= inherit,
	};

	t->pmu = (struct pmu) {
		.task_ctx_nr		= perf_sw_context,
		.nr_addr_filters	= NR_FILTERS,
		.event_init		= filter_event_init,
		.add			= filter_add,
		.del			= filter_del,
		.start			= filter_start,
		.stop			= filter_stop,
		.read			= filter_read,
		.addr_filters_validate	= filter_validate,
		.addr_filters_sync	= filter_sync,
	};
	KUNIT_ASSERT_EQ(test, perf_pmu_register(&t->pmu, "kunit_filter", -1), 0);
	t->registered = true;

	attr.type = t->pmu.type;
	t->event = perf_event_create_kernel_counter(&attr, cpu,
						    cpu < 0 ? current : NULL,
						    NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->event);
}

/* Make a file for filters to name. The test is skipped if the root is read-only. */
static void filter_make_file(struct kunit *test, const char *name)
{
	struct filter_test *t = test->priv;

	t->file = filp_open(name, O_RDWR | O_CREAT, 0700);
	if (IS_ERR(t->file))
		kunit_skip(test, "no file can be made");
}

static unsigned long filter_map(struct kunit *test, unsigned long pgoff,
				unsigned long pages, int prot)
{
	struct filter_test *t = test->priv;
	unsigned long addr = vm_mmap(t->file, 0, pages << PAGE_SHIFT, prot,
				     MAP_PRIVATE, pgoff << PAGE_SHIFT);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return addr;
}

static int filter_set(struct filter_test *t, const char *text)
{
	return perf_event_set_addr_filter(t->event, text);
}

static void expect_range(struct kunit *test, int i, unsigned long start,
			 unsigned long size)
{
	struct filter_test *t = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, t->range[i].start, start, "filter %d", i);
	KUNIT_EXPECT_EQ_MSG(test, t->range[i].size, size, "filter %d", i);
}

/* Make an event of which only attributes and PMU are used. */
static struct perf_event *filter_fake_event(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	t->pmu.name = "kunit_filter";
	t->pmu.nr_addr_filters = NR_FILTERS;
	event->pmu = &t->pmu;
	event->attach_state = PERF_ATTACH_TASK;
	return event;
}

struct filter_good {
	const char	*text;
	int		nr;
	struct {
		enum perf_addr_filter_action_t	action;
		unsigned long			offset;
		unsigned long			size;
		bool				file;
	} want[NR_FILTERS];
};

static const struct filter_good filter_good[] = {
	{ "", 0 },
	{ " ,\n,  ", 0 },
	{ "filter 0x1000/0x20", 1, { { FILTER, 0x1000, 0x20 } } },
	{ "filter 4096/32\n", 1, { { FILTER, 4096, 32 } } },
	{ "start 0x1000", 1, { { START, 0x1000, 0 } } },
	{ "stop 0x1000/0x10", 1, { { STOP, 0x1000, 0x10 } } },
	{ "start 0", 1, { { START, 0, 0 } } },
	{ "filter 0/0xffffffff", 1, { { FILTER, 0, 0xffffffff } } },
	{ "filter 0x10/0x20@" FILE_NAME, 1, { { FILTER, 0x10, 0x20, true } } },
	{ "start 16@" FILE_NAME ",", 1, { { START, 16, 0, true } } },
	{ "filter 1/2,start 3\nstop\t4", 3,
	  { { FILTER, 1, 2 }, { START, 3, 0 }, { STOP, 4, 0 } } },
	{ "  filter   1/2@" FILE_NAME " , ,stop 5", 2,
	  { { FILTER, 1, 2, true }, { STOP, 5, 0 } } },
};

static void check_filters(struct kunit *test, const struct filter_good *row,
			  struct list_head *filters)
{
	struct perf_addr_filter *filter;
	int i = 0;

	KUNIT_EXPECT_EQ_MSG(test, list_count_nodes(filters), row->nr, "'%s'",
			    row->text);
	list_for_each_entry(filter, filters, entry) {
		if (i == row->nr)
			break;
		KUNIT_EXPECT_EQ_MSG(test, filter->action, row->want[i].action,
				    "'%s'", row->text);
		KUNIT_EXPECT_EQ_MSG(test, filter->offset, row->want[i].offset,
				    "'%s'", row->text);
		KUNIT_EXPECT_EQ_MSG(test, filter->size, row->want[i].size,
				    "'%s'", row->text);
		KUNIT_EXPECT_EQ_MSG(test, !!filter->path.dentry, row->want[i].file,
				    "'%s'", row->text);
		i++;
	}
}

static void filter_parse_good(struct kunit *test)
{
	struct perf_event *event = filter_fake_event(test);
	LIST_HEAD(filters);
	int i;

	filter_make_file(test, FILE_NAME);
	for (i = 0; i < ARRAY_SIZE(filter_good); i++) {
		KUNIT_EXPECT_EQ_MSG(test, perf_filter_parse(event, filter_good[i].text,
							    &filters),
				    0, "'%s'", filter_good[i].text);
		check_filters(test, &filter_good[i], &filters);
		perf_filter_free_list(&filters);
		KUNIT_EXPECT_TRUE(test, list_empty(&filters));
	}
}

struct filter_bad {
	const char	*text;
	int		err;
};

static const struct filter_bad filter_bad[] = {
	{ "trace 0x1000/0x20",			-EINVAL },
	{ "0x1000/0x20",			-EINVAL },
	{ "filter",				-EINVAL },
	{ "filter 0x1000",			-EINVAL },
	{ "filter 0x1000/0",			-EINVAL },
	{ "filter 0x1000/",			-EINVAL },
	{ "filter /0x20",			-EINVAL },
	{ "filter 0x1000 / 0x20",		-EINVAL },
	{ "filter main/0x20",			-EINVAL },
	{ "filter 0x1000/all",			-EINVAL },
	{ "filter -1/5",			-EINVAL },
	{ "start 0x10000000000000000",		-EINVAL },
	{ "filter 0xfffffffffffffff0/0x11",	-EINVAL },
	{ "start 1 filter",			-EINVAL },
	{ "start 1 2",				-EINVAL },
	{ "start 1, stop 2x",			-EINVAL },
	{ "filter 1/2@/kunit/nowhere",		-ENOENT },
	{ "filter 1/2@",			-EINVAL },
	{ "filter 1/2@/",			-EINVAL },
	{ "start 1 start 2 start 3 start 4",	-EOPNOTSUPP },
};

static void filter_parse_bad(struct kunit *test)
{
	struct perf_event *event = filter_fake_event(test);
	LIST_HEAD(filters);
	int i;

	for (i = 0; i < ARRAY_SIZE(filter_bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, perf_filter_parse(event, filter_bad[i].text,
							    &filters),
				    filter_bad[i].err, "'%s'", filter_bad[i].text);
		KUNIT_EXPECT_TRUE(test, list_empty(&filters));
	}
}

static void filter_against_attr(struct kunit *test)
{
	struct perf_event *event = filter_fake_event(test);
	LIST_HEAD(filters);

	filter_make_file(test, FILE_NAME);
	event->attr.exclude_kernel = 1;
	KUNIT_EXPECT_EQ(test, perf_filter_parse(event, "start 1", &filters), -EINVAL);
	KUNIT_EXPECT_EQ(test, perf_filter_parse(event, "start 1@" FILE_NAME,
						&filters), 0);
	perf_filter_free_list(&filters);

	event->attr.exclude_kernel = 0;
	event->attach_state = 0;
	KUNIT_EXPECT_EQ(test, perf_filter_parse(event, "start 1", &filters), 0);
	perf_filter_free_list(&filters);
	KUNIT_EXPECT_EQ(test, perf_filter_parse(event, "start 1@" FILE_NAME,
						&filters), -EOPNOTSUPP);
}

/* The driver of a running event gets new filters at once, and only when they have changed. */
static void filter_reaches_driver(struct kunit *test)
{
	struct filter_test *t = test->priv;

	filter_open(test, raw_smp_processor_id(), false);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 0);
	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 0x1000/0x20, stop 0x5000"), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
	KUNIT_EXPECT_EQ(test, t->nr, 2);
	expect_range(test, 0, 0x1000, 0x20);
	expect_range(test, 1, 0x5000, 0);

	perf_event_disable(t->event);
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);

	perf_event_disable(t->event);
	KUNIT_EXPECT_EQ(test, filter_set(t, "start 7"), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 2);
	KUNIT_EXPECT_EQ(test, t->nr, 1);
	expect_range(test, 0, 7, 0);

	KUNIT_EXPECT_EQ(test, filter_set(t, ""), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 3);
	KUNIT_EXPECT_EQ(test, t->nr, 0);
}

static void filter_driver_refuses(struct kunit *test)
{
	struct filter_test *t = test->priv;

	filter_open(test, raw_smp_processor_id(), false);
	KUNIT_EXPECT_EQ(test, filter_set(t, "start 7"), 0);
	t->answer = -EDOM;
	KUNIT_EXPECT_EQ(test, filter_set(t, "start 8"), -EDOM);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&t->event->addr_filters.list), 1);
	expect_range(test, 0, 7, 0);
}

/* Setting a filter does not start an event that is stopped for another reason. */
static void filter_leaves_stopped(struct kunit *test)
{
	struct filter_test *t = test->priv;

	filter_open(test, raw_smp_processor_id(), false);
	t->event->hw.state = PERF_HES_STOPPED;
	KUNIT_EXPECT_EQ(test, filter_set(t, "start 7"), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 0);
	KUNIT_EXPECT_EQ(test, t->event->hw.state, PERF_HES_STOPPED);
}

/* The driver stops for a new filter, and what it has recorded ends the event. */
static void filter_leaves_ended(struct kunit *test)
{
	struct filter_test *t = test->priv;

	filter_open(test, raw_smp_processor_id(), false);
	t->ends = true;
	KUNIT_EXPECT_EQ(test, filter_set(t, "start 7"), 0);
	KUNIT_EXPECT_FALSE(test, t->ends);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 0);
	irq_work_sync(&t->event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, (int)t->event->state, PERF_EVENT_STATE_OFF);
	perf_event_enable(t->event);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
}

static void filter_follows_mmap(struct kunit *test)
{
	const unsigned long half = PAGE_SIZE / 2;
	struct filter_test *t = test->priv;
	unsigned long addr, again;
	char filters[256];

	filter_make_file(test, FILE_NAME);
	filter_open(test, -1, false);
	snprintf(filters, sizeof(filters), "filter 0x%lx/0x%lx@" FILE_NAME
		 " start 0x%lx@" FILE_NAME " filter 0x9000/0x10",
		 3 * half, PAGE_SIZE, 4 * half + 0x10);
	KUNIT_ASSERT_EQ(test, filter_set(t, filters), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
	expect_range(test, 0, 0, 0);
	expect_range(test, 1, 0, 0);
	expect_range(test, 2, 0x9000, 0x10);

	/* a mapping without PROT_EXEC, and one of another part of the file */
	filter_map(test, 0, 8, PROT_READ);
	filter_map(test, 8, 8, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);

	addr = filter_map(test, 0, 8, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 2);
	expect_range(test, 0, addr + 3 * half, PAGE_SIZE);
	expect_range(test, 1, addr + 4 * half + 0x10, 0);
	expect_range(test, 2, 0x9000, 0x10);

	/* maps the end of the first range, and the second range */
	again = filter_map(test, 2, 1, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 3);
	expect_range(test, 0, again, half);
	expect_range(test, 1, again + 0x10, 0);

	/* maps the beginning of the first range, in a mapping that is not merged */
	filter_map(test, 20, 1, PROT_READ);
	addr = filter_map(test, 0, 2, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 4);
	expect_range(test, 0, addr + 3 * half, half);
	expect_range(test, 1, again + 0x10, 0);

	KUNIT_EXPECT_EQ(test, filter_set(t, ""), 0);
	filter_map(test, 0, 8, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 5);
}

/* When its task exits, the event leaves the list that mappings go through: it may be freed. */
static void filter_leaves_with_its_event(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct perf_event_context *ctx;

	filter_make_file(test, FILE_NAME);
	filter_open(test, -1, false);
	ctx = t->event->ctx;
	KUNIT_ASSERT_EQ(test, filter_set(t, "filter 0x0/0x1000@" FILE_NAME), 0);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
	KUNIT_EXPECT_FALSE(test, hlist_empty(&ctx->filtered));
	scoped_guard(mutex, &ctx->mutex)
		perf_ctx_remove(t->event, PERF_EVENT_STATE_EXIT, true);
	KUNIT_EXPECT_TRUE(test, hlist_empty(&ctx->filtered));
	filter_map(test, 0, 8, EXEC);
	KUNIT_EXPECT_EQ(test, t->nr_synced, 1);
}

/* mmap(2) visits only the events of the task that have filters. */
static void filter_mmap_looks_at_few(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct perf_event_context *ctx;
	unsigned long addr;

	filter_make_file(test, FILE_NAME);
	filter_open(test, -1, false);
	KUNIT_ASSERT_EQ(test, filter_set(t, "filter 0x1000/0x100@" FILE_NAME), 0);
	ctx = t->event->ctx;
	/* mmap(2) must not walk event_list: take the event off that list meanwhile */
	mutex_lock(&ctx->mutex);
	scoped_guard(raw_spinlock_irq, &ctx->lock)
		list_del_init(&t->event->event_entry);
	addr = vm_mmap(t->file, 0, 8 << PAGE_SHIFT, EXEC, MAP_PRIVATE, 0);
	scoped_guard(raw_spinlock_irq, &ctx->lock)
		list_add(&t->event->event_entry, &ctx->event_list);
	mutex_unlock(&ctx->mutex);
	expect_range(test, 0, addr + 0x1000, 0x100);
}

/* The child event of the child of the test's thread. */
static struct perf_event *filter_child_event(struct filter_test *t)
{
	guard(mutex)(&t->event->child_mutex);
	return list_first_entry_or_null(&t->event->child_list, struct perf_event, child_list);
}

static void filter_inherited(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct perf_addr_filter_range *range;
	struct perf_event *child;
	unsigned long addr;

	filter_make_file(test, FILE_NAME);
	filter_open(test, -1, true);
	addr = filter_map(test, 0, 8, EXEC);
	KUNIT_ASSERT_EQ(test, filter_set(t, "start 0x7000 filter 0x1000/0x100@" FILE_NAME), 0);
	test_child_begin(test, &t->child);
	child = filter_child_event(t);
	if (child) {
		/* the ranges were computed at fork */
		range = child->addr_filter_ranges;
		KUNIT_EXPECT_EQ(test, range[0].start, 0x7000);
		KUNIT_EXPECT_EQ(test, range[1].start, addr + 0x1000);
		KUNIT_EXPECT_EQ(test, range[1].size, 0x100);

		/* the ranges are computed again when the filters are replaced */
		KUNIT_EXPECT_EQ(test, filter_set(t, "filter 0x2000/0x200@" FILE_NAME), 0);
		KUNIT_EXPECT_EQ(test, range[0].start, addr + 0x2000);
		KUNIT_EXPECT_EQ(test, range[0].size, 0x200);
	}
	test_child_end(&t->child);
	KUNIT_EXPECT_NOT_NULL(test, child);
}

/* What the child of filter_computed_at_exec() does: another program, which maps the file later. */
static void filter_exec(void *arg)
{
	struct filter_test *t = arg;

	vm_munmap(t->addr, 8 << PAGE_SHIFT);
	perf_event_exec();
	complete(&t->is_done);
	wait_for_completion(&t->may_map);
	t->addr = vm_mmap(t->file, 0, 8 << PAGE_SHIFT, EXEC, MAP_PRIVATE, 0);
	complete(&t->is_done);
}

/* After an exec the ranges are in the new address space. */
static void filter_computed_at_exec(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct perf_addr_filter_range *range;
	struct perf_event *child;

	filter_make_file(test, FILE_NAME);
	filter_open(test, -1, true);
	t->addr = filter_map(test, 0, 8, EXEC);
	KUNIT_ASSERT_EQ(test, filter_set(t, "start 0x7000 filter 0x1000/0x100@" FILE_NAME), 0);
	init_completion(&t->is_done);
	init_completion(&t->may_map);
	t->child.run = filter_exec;
	t->child.arg = t;
	test_child_begin(test, &t->child);

	wait_for_completion(&t->is_done);
	child = filter_child_event(t);
	if (child) {
		range = child->addr_filter_ranges;
		KUNIT_EXPECT_EQ(test, range[0].start, 0x7000);
		KUNIT_EXPECT_EQ(test, range[1].start, 0);
		KUNIT_EXPECT_EQ(test, range[1].size, 0);
	}
	complete(&t->may_map);
	wait_for_completion(&t->is_done);
	if (child) {
		KUNIT_EXPECT_EQ(test, range[0].start, 0x7000);
		KUNIT_EXPECT_EQ(test, range[1].start, t->addr + 0x1000);
		KUNIT_EXPECT_EQ(test, range[1].size, 0x100);
	}
	test_child_end(&t->child);
	KUNIT_EXPECT_NOT_NULL(test, child);
}

/* The paths of filters are released, whether the filters are accepted, refused or replaced. */
static void filter_cve_2020_25704_leak(struct kunit *test)
{
	struct filter_test *t = test->priv;
	struct dentry *dentry;
	unsigned int before;

	filter_make_file(test, LEAK_NAME);
	dentry = t->file->f_path.dentry;
	before = d_count(dentry);
	filter_open(test, -1, false);

	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 1/2@" LEAK_NAME
				   " filter 3@" LEAK_NAME), -EINVAL);
	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 1/2@" LEAK_NAME " filter 3/4@/"), -EINVAL);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before);
	t->answer = -EOPNOTSUPP;
	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 1/2@" LEAK_NAME), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before);

	t->answer = 0;
	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 1/2@" LEAK_NAME " start 3@" LEAK_NAME), 0);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before + 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&perf_filter_nr_lists), 1);
	KUNIT_EXPECT_EQ(test, filter_set(t, "filter 1/2@" LEAK_NAME), 0);
	KUNIT_EXPECT_EQ(test, d_count(dentry), before + 1);

	perf_event_release_kernel(t->event);
	t->event = NULL;
	KUNIT_EXPECT_EQ(test, d_count(dentry), before);
	KUNIT_EXPECT_EQ(test, atomic_read(&perf_filter_nr_lists), 0);
}

static int filter_test_init(struct kunit *test)
{
	struct filter_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	test->priv = t;
	filter_test = t;
	/* gives this thread an address space */
	return kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0) ? 0 : -ENOMEM;
}

static void filter_test_exit(struct kunit *test)
{
	struct filter_test *t = test->priv;

	if (!t)
		return;
	if (!IS_ERR_OR_NULL(t->event))
		perf_event_release_kernel(t->event);
	if (t->registered)
		perf_pmu_unregister(&t->pmu);
	if (!IS_ERR_OR_NULL(t->file))
		fput(t->file);
	filter_test = NULL;
}

static struct kunit_case filter_tests[] = {
	KUNIT_CASE(filter_parse_good),
	KUNIT_CASE(filter_parse_bad),
	KUNIT_CASE(filter_against_attr),
	KUNIT_CASE(filter_reaches_driver),
	KUNIT_CASE(filter_driver_refuses),
	KUNIT_CASE(filter_leaves_stopped),
	KUNIT_CASE(filter_leaves_ended),
	KUNIT_CASE(filter_follows_mmap),
	KUNIT_CASE(filter_leaves_with_its_event),
	KUNIT_CASE(filter_mmap_looks_at_few),
	KUNIT_CASE(filter_inherited),
	KUNIT_CASE(filter_computed_at_exec),
	KUNIT_CASE(filter_cve_2020_25704_leak),
	{}
};

static struct kunit_suite filter_suite = {
	.name		= "perf_filter",
	.init		= filter_test_init,
	.exit		= filter_test_exit,
	.test_cases	= filter_tests,
};

kunit_test_suite(filter_suite);
