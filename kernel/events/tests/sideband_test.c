// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: which attributes select which side-band records, how mappings and strings are encoded in
 * them, and for how many listeners at a time they are written.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/mman.h>

#include "../base/event.h"
#include "../sideband/sideband.h"
#include "../sideband/sideband_mmap.h"
#include "test_irq.h"
#include "test_open.h"

struct asks_case {
	const char		*name;
	struct perf_event_attr	attr;
	u32			kinds;
};

#define KIND(_kind)	BIT(PERF_SIDEBAND_##_kind)

static const struct asks_case asks_cases[] = {
	{ "nothing", {} },
	{ "what makes no record", { .inherit = 1, .inherit_stat = 1, .sample_id_all = 1,
		.watermark = 1, .sample_period = 1 } },
	{ "task", { .task = 1 }, KIND(TASK) },
	{ "comm", { .comm = 1 }, KIND(COMM) | KIND(TASK) },
	{ "exec is a form of comm", { .comm_exec = 1 } },
	{ "mmap", { .mmap = 1 }, KIND(MMAP) | KIND(TASK) },
	{ "mmap_data", { .mmap_data = 1 }, KIND(MMAP_DATA) | KIND(TASK) },
	{ "mmap2 is a form of mmap", { .mmap2 = 1 } },
	{ "mmap2 with mmap", { .mmap = 1, .mmap2 = 1 }, KIND(MMAP) | KIND(TASK) },
	{ "mmap2 with mmap_data", { .mmap_data = 1, .mmap2 = 1 },
		KIND(MMAP) | KIND(MMAP_DATA) | KIND(TASK) },
	{ "build_id is part of mmap2", { .mmap = 1, .build_id = 1 },
		KIND(MMAP) | KIND(TASK) },
	{ "build_id", { .mmap = 1, .mmap2 = 1, .build_id = 1 },
		KIND(MMAP) | KIND(BUILD_ID) | KIND(TASK) },
	{ "namespaces", { .namespaces = 1 }, KIND(NAMESPACES) },
	{ "ksymbol", { .ksymbol = 1 }, KIND(KSYMBOL) },
	{ "bpf_event", { .bpf_event = 1 }, KIND(BPF_EVENT) },
	{ "text_poke", { .text_poke = 1 }, KIND(TEXT_POKE) },
	{ "cgroup", { .cgroup = 1 }, KIND(CGROUP) },
	{ "context_switch", { .context_switch = 1 }, KIND(SWITCH) },
};

static void asks_case_name(const struct asks_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(asks_cases, asks_cases, asks_case_name);

static void sideband_asks(struct kunit *test)
{
	const struct asks_case *c = test->param_value;
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perf_event *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, child);
	event->attr = c->attr;
	perf_sideband_account(event);
	KUNIT_EXPECT_EQ(test, event->sideband_kinds, c->kinds);

	child->parent = event;
	perf_sideband_account(child);
	KUNIT_EXPECT_EQ(test, child->sideband_kinds, c->kinds);
	perf_sideband_unaccount(child);
	perf_sideband_unaccount(event);
}

static void sideband_counts_listeners(struct kunit *test)
{
	struct perf_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	struct perf_event *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	int before = atomic_read(&perf_sideband_listeners[PERF_SIDEBAND_COMM]);

	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_NOT_NULL(test, child);
	event->attr.comm = 1;
	child->attr.comm = 1;
	child->parent = event;

	perf_sideband_account(event);
	perf_sideband_account(child);
	KUNIT_EXPECT_TRUE(test, perf_sideband_enabled(PERF_SIDEBAND_COMM));
	KUNIT_EXPECT_EQ(test, before + 1,
			atomic_read(&perf_sideband_listeners[PERF_SIDEBAND_COMM]));
	perf_sideband_unaccount(child);
	perf_sideband_unaccount(event);
	KUNIT_EXPECT_EQ(test, before,
			atomic_read(&perf_sideband_listeners[PERF_SIDEBAND_COMM]));
}

static void sideband_mmap_prot(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_mmap_prot(0), PROT_NONE);
	KUNIT_EXPECT_EQ(test, perf_mmap_prot(VM_READ | VM_EXEC | VM_MAYWRITE),
			PROT_READ | PROT_EXEC);
	KUNIT_EXPECT_EQ(test, perf_mmap_prot(VM_READ | VM_WRITE | VM_EXEC),
			PROT_READ | PROT_WRITE | PROT_EXEC);
}

static void sideband_mmap_flags(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_mmap_flags(VM_READ), MAP_PRIVATE);
	/* a shared mapping of a file that was opened for reading only has no VM_SHARED */
	KUNIT_EXPECT_EQ(test, perf_mmap_flags(VM_READ | VM_MAYSHARE), MAP_SHARED);
	KUNIT_EXPECT_EQ(test, perf_mmap_flags(VM_LOCKED), MAP_PRIVATE | MAP_LOCKED);
	KUNIT_EXPECT_EQ(test, perf_mmap_flags(VM_HUGETLB | VM_MAYSHARE),
			MAP_SHARED | MAP_HUGETLB);
	/* these flags are not part of the record */
	KUNIT_EXPECT_EQ(test, perf_mmap_flags(VM_GROWSDOWN | VM_NORESERVE),
			MAP_PRIVATE);
}

/* The size includes a terminating NUL. */
static void sideband_string_size(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, perf_sideband_string_size(""), 8);
	KUNIT_EXPECT_EQ(test, perf_sideband_string_size("sevench"), 8);
	KUNIT_EXPECT_EQ(test, perf_sideband_string_size("eightchr"), 16);
}

#define NR_LISTENERS	100

/**
 * struct counted_record - a record that counts its listeners
 * @record: the record
 * @irqs_on: queued for each listener; runs, and resets @at_once, when interrupts are on
 * @listeners: number of listeners
 * @at_once: number of listeners since interrupts were on
 * @most: maximum of @at_once
 */
struct counted_record {
	struct perf_sideband	record;
	struct irq_work		irqs_on;
	unsigned int		listeners;
	unsigned int		at_once;
	unsigned int		most;
};

static void counted_irqs_on(struct irq_work *work)
{
	container_of(work, struct counted_record, irqs_on)->at_once = 0;
}

/* The shape() callback, which is called for each listener, with or without a buffer. */
static void count_listener(const struct perf_event *event, struct perf_sideband *copy,
			   const struct perf_sideband *record)
{
	struct counted_record *counted = container_of(record, struct counted_record, record);

	counted->listeners++;
	counted->most = max(counted->most, ++counted->at_once);
	test_irq_work_queue(&counted->irqs_on);
}

/* Open a listener of current, for context switches or for cgroups. */
static struct perf_event *make_listener(struct kunit *test, bool of_switches)
{
	return test_open_own(test, NULL, (struct perf_event_attr) {
		.type		= PERF_TYPE_SOFTWARE,
		.config		= PERF_COUNT_SW_DUMMY,
		.cgroup		= !of_switches,
		.context_switch	= of_switches,
	});
}

/* A record reaches each listener once, and interrupts are enabled in between. */
static void sideband_reaches_all_in_steps(struct kunit *test)
{
	struct counted_record counted = {
		.record	= { .kind = PERF_SIDEBAND_CGROUP, .shape = count_listener },
		.irqs_on = IRQ_WORK_INIT_HARD(counted_irqs_on),
	};
	struct perf_event *listeners[NR_LISTENERS];

	for (unsigned int i = 0; i < NR_LISTENERS; i++)
		listeners[i] = make_listener(test, false);
	perf_sideband_emit(&counted.record);
	irq_work_sync(&counted.irqs_on);
	KUNIT_EXPECT_EQ(test, counted.listeners, NR_LISTENERS);
	KUNIT_EXPECT_LT(test, counted.most, NR_LISTENERS / 2);
	for (unsigned int i = 0; i < NR_LISTENERS; i++)
		perf_event_close(listeners[i]);
}

/*
 * A context switch visits its listeners, and one that is none, where the walk ends. What follows
 * is not reached: it is a listener for switches here, but was none when it was added.
 */
static void sideband_switch_visits_few(struct kunit *test)
{
	struct counted_record counted = {
		.record	= { .kind = PERF_SIDEBAND_SWITCH, .shape = count_listener },
		.irqs_on = IRQ_WORK_INIT_HARD(counted_irqs_on),
	};
	struct perf_event *others[2], *listeners[2];

	for (unsigned int i = 0; i < 2; i++) {
		others[i] = make_listener(test, false);
		listeners[i] = make_listener(test, true);
	}
	others[1]->sideband_kinds |= KIND(SWITCH);
	perf_sideband_emit(&counted.record);
	others[1]->sideband_kinds &= ~KIND(SWITCH);
	irq_work_sync(&counted.irqs_on);
	KUNIT_EXPECT_EQ(test, counted.listeners, 2);
	for (unsigned int i = 0; i < 2; i++) {
		perf_event_close(others[i]);
		perf_event_close(listeners[i]);
	}
}

static struct kunit_case sideband_test_cases[] = {
	KUNIT_CASE_PARAM(sideband_asks, asks_cases_gen_params),
	KUNIT_CASE(sideband_counts_listeners),
	KUNIT_CASE(sideband_mmap_prot),
	KUNIT_CASE(sideband_mmap_flags),
	KUNIT_CASE(sideband_string_size),
	KUNIT_CASE(sideband_reaches_all_in_steps),
	KUNIT_CASE(sideband_switch_visits_few),
	{}
};

static struct kunit_suite sideband_test_suite = {
	.name		= "perf_sideband",
	.test_cases	= sideband_test_cases,
};

kunit_test_suite(sideband_test_suite);
