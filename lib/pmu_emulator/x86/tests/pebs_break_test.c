// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of hardware that writes what is no precise record, on an emulated PMU of Intel.
 * Precise sampling must end on each CPU, and everything else must go on. Skipped without
 * x86_pmu_emulator=.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/counters/side.h"
#include "arch/x86/events/intel/ds/pebs_cpu.h"
#include "../ds.h"
#include "../stage.h"
#include "driver.h"

#define PERIOD		1000

/* BR_INST_RETIRED.CONDITIONAL, which is precise on all models. */
#define CONDITIONAL	0x01c4

/**
 * struct break_test - a precise event, and one that is not
 * @core: the PMU
 * @max: x86_core_precise::max before the test
 * @cpu: the CPU, to which the test's thread is bound
 * @event: the precise event
 * @other: the other event
 * @samples: number of overflows that were reported
 * @stage: empty script, which replaces the clock
 */
struct break_test {
	struct x86_core_pmu	*core;
	u8			max;
	int			cpu;
	struct perf_event	*event;
	struct perf_event	*other;
	unsigned int		samples;
	struct emu_stage	stage;
};

static struct pt_regs break_regs;

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&break_regs, true);
}

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct break_test *bt = event->overflow_handler_context;

	bt->samples++;
}

static struct perf_event *open_with(struct break_test *bt, unsigned int precise, bool pinned)
{
	struct perf_event_attr attr = {
		.type		= bt->core->pmu.type,
		.config		= CONDITIONAL,
		.size		= sizeof(attr),
		.sample_period	= precise ? PERIOD : 0,
		.precise_ip	= precise,
		.pinned		= pinned,
	};

	return perf_event_create_kernel_counter(&attr, bt->cpu, NULL, on_overflow, bt);
}

/* A period ends, and the hardware writes a record. */
static void end_period(const struct perf_event *event)
{
	struct emu_cpu *emu = this_cpu_ptr(&emu_cpu);
	unsigned int idx = event->hw.idx;

	emu->counter[idx].value = 0;
	if (emu_machine->vendor->overflow(emu, BIT_ULL(idx)))
		emu_raise_pmi(emu);
}

static bool is_off(const struct break_test *bt)
{
	u64 enable = 1;

	emu_ds_read(SDM_PEBS_ENABLE, &enable);
	return !enable && x86_side_is_broken(bt->core, X86_SIDE_PRECISE) && !bt->core->precise.max;
}

/* The event was disabled, and lost a sample. What is not precise counts. New events are refused. */
static void expect_end(struct kunit *test, u64 lost)
{
	struct break_test *bt = test->priv;
	struct perf_event *event;
	u64 before, after;

	irq_work_sync(&bt->event->pending_disable_irq);
	KUNIT_EXPECT_EQ(test, bt->event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, atomic64_read(&bt->event->lost_samples), lost + 1);
	scoped_guard(irqsave) {
		bt->other->pmu->read(bt->other);
		before = local64_read(&bt->other->count);
		this_cpu_ptr(&emu_cpu)->counter[bt->other->hw.idx].value += 3;
		bt->other->pmu->read(bt->other);
		after = local64_read(&bt->other->count);
	}
	KUNIT_EXPECT_EQ(test, bt->other->state, PERF_EVENT_STATE_ACTIVE);
	KUNIT_EXPECT_EQ(test, after, before + 3);

	event = open_with(bt, 1, false);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EOPNOTSUPP);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	/* There is no counter for it any more. */
	perf_event_enable(bt->event);
	KUNIT_EXPECT_EQ(test, bt->event->state, PERF_EVENT_STATE_ERROR);
}

static void spoilt(struct kunit *test, enum emu_spoil_what what)
{
	struct break_test *bt = test->priv;
	u64 lost = atomic64_read(&bt->event->lost_samples);
	unsigned int samples[2];
	unsigned long flags;
	bool off, stopped;

	local_irq_save(flags);
	bt->stage.latency = 100000;
	end_period(bt->event);
	emu_stage_drain(&bt->stage);
	samples[0] = bt->samples;
	emu_spoil_next(what);
	end_period(bt->event);
	emu_stage_drain(&bt->stage);
	samples[1] = bt->samples;
	off = is_off(bt);
	stopped = bt->event->hw.state & PERF_HES_STOPPED;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, samples[0], 1);
	KUNIT_EXPECT_LE(test, samples[1], 2);
	KUNIT_EXPECT_TRUE(test, off);
	KUNIT_EXPECT_TRUE(test, stopped);
	expect_end(test, lost);
}

static void a_size_that_is_wrong(struct kunit *test)
{
	spoilt(test, EMU_SPOIL_SIZE);
}

static void counters_that_do_not_exist(struct kunit *test)
{
	spoilt(test, EMU_SPOIL_COUNTERS);
}

static void an_index_outside(struct kunit *test)
{
	spoilt(test, EMU_SPOIL_INDEX);
}

/* Another CPU has found it. Here the event stops the next time that its records are read. */
static void found_by_another_cpu(struct kunit *test)
{
	struct break_test *bt = test->priv;
	u64 lost = atomic64_read(&bt->event->lost_samples);
	unsigned long flags;
	bool off;

	local_irq_save(flags);
	x86_side_break(bt->core, X86_SIDE_PRECISE, "a test");
	bt->event->pmu->read(bt->event);
	off = is_off(bt);
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, off);
	expect_end(test, lost);
}

/* The event has a counter, and starts after another CPU has found it. */
static void started_after_that(struct kunit *test)
{
	struct break_test *bt = test->priv;
	unsigned long flags;
	u64 recorded;
	bool off;

	local_irq_save(flags);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	x86_side_break(bt->core, X86_SIDE_PRECISE, "a test");
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	recorded = this_cpu_read(x86_cpu_pmu.recorded);
	off = is_off(bt);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, recorded, 0);
	KUNIT_EXPECT_TRUE(test, off);
	expect_end(test, atomic64_read(&bt->event->lost_samples) - 1);
}

/* No event records. A late record has left a wrong index, which the next start finds. */
static void starts_with_index(struct kunit *test, u64 outside)
{
	struct break_test *bt = test->priv;
	struct intel_ds *ds = this_cpu_ptr(&intel_ds);
	unsigned long flags;
	u64 recorded, index;
	bool off;

	local_irq_save(flags);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	ds->store->pebs_index = ds->buffer_at + outside;
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	recorded = this_cpu_read(x86_cpu_pmu.recorded);
	off = is_off(bt);
	index = ds->store->pebs_index;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, recorded, 0);
	KUNIT_EXPECT_TRUE(test, off);
	KUNIT_EXPECT_EQ(test, index, ds->buffer_at);
	expect_end(test, atomic64_read(&bt->event->lost_samples) - 1);
}

static void found_by_a_start_above(struct kunit *test)
{
	starts_with_index(test, PEBS_BUFFER_SIZE + sizeof(u64));
}

static void found_by_a_start_below(struct kunit *test)
{
	starts_with_index(test, -(u64)sizeof(u64));
}

/* Eight bytes are no record. */
static void found_by_a_start_between(struct kunit *test)
{
	starts_with_index(test, sizeof(u64));
}

static void break_exit(struct kunit *test)
{
	struct break_test *bt = test->priv;

	if (!bt)
		return;
	emu_stage_end_on(bt->cpu);
	if (!IS_ERR_OR_NULL(bt->event))
		perf_event_release_kernel(bt->event);
	if (!IS_ERR_OR_NULL(bt->other))
		perf_event_release_kernel(bt->other);
	/* no reboot between two cases */
	bt->core->why_not[X86_SIDE_PRECISE] = NULL;
	bt->core->precise.max = bt->max;
	bt->core->broken = 0;
}

static int break_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct break_test *bt;

	if (!core || !core->side[X86_SIDE_PRECISE])
		kunit_skip(test, "no emulated PMU with precise sampling");
	bt = kunit_kzalloc(test, sizeof(*bt), GFP_KERNEL);
	if (!bt)
		return -ENOMEM;
	bt->core = core;
	bt->max = core->precise.max;
	bt->cpu = cpumask_first(&core->cpus);
	bt->stage.nmi = take_nmi;
	test->priv = bt;
	test_bind(test, bt->cpu);
	scoped_guard(irqsave)
		emu_stage_begin(&bt->stage);
	bt->event = open_with(bt, 1, true);
	bt->other = open_with(bt, 0, true);
	if (IS_ERR(bt->event) || IS_ERR(bt->other))
		return -EBUSY;
	return bt->event->hw.idx < 0 || bt->other->hw.idx < 0 ? -EBUSY : 0;
}

static struct kunit_case break_cases[] = {
	KUNIT_CASE(a_size_that_is_wrong),
	KUNIT_CASE(counters_that_do_not_exist),
	KUNIT_CASE(an_index_outside),
	KUNIT_CASE(found_by_another_cpu),
	KUNIT_CASE(started_after_that),
	KUNIT_CASE(found_by_a_start_above),
	KUNIT_CASE(found_by_a_start_below),
	KUNIT_CASE(found_by_a_start_between),
	{ }
};

static struct kunit_suite break_suite = {
	.name		= "perf_x86_pebs_break",
	.init		= break_init,
	.exit		= break_exit,
	.test_cases	= break_cases,
};

kunit_test_suite(break_suite);
