// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of overflows of the counter of slots and of PERF_METRICS, on an emulated PMU. They
 * come before each register access of an operation, and their interrupts at once or some
 * accesses later. Slots must be counted exactly, and metrics that have overflowed must be reset.
 *
 * Skipped without x86_pmu_emulator=, and on machines without metrics.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/counters/core_pmu.h"
#include "arch/x86/events/features/topdown.h"
#include "../stage.h"

/* attr.config of slots */
#define SLOTS		0x400

/* Slots left until the counter overflows, and slots after it. */
#define SLOTS_LEFT	1000
#define SLOTS_BEYOND	7

#define LATENCY_MAX	16

/**
 * struct topdown_test - an event of slots on a CPU
 * @cpu: the CPU, to which the test's thread is bound
 * @slots: the event
 * @stage: script of the current run
 * @idle: empty script, between two runs
 */
struct topdown_test {
	int			cpu;
	struct perf_event	*slots;
	struct emu_stage	stage;
	struct emu_stage	idle;
};

/* An operation of the driver that interrupts can hit. */
typedef void (*topdown_op)(struct perf_event *event);

static struct pt_regs topdown_regs;

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&topdown_regs, true);
}

static u64 *slots_register(void)
{
	return &this_cpu_ptr(&emu_cpu)->counter[INTEL_PMC_IDX_FIXED_SLOTS].value;
}

static u64 *status_register(void)
{
	return &this_cpu_ptr(&emu_cpu)->global_status;
}

static u64 count_of(struct perf_event *event)
{
	return local64_read(&event->count);
}

static void op_read(struct perf_event *event)
{
	event->pmu->read(event);
}

static void op_restart(struct perf_event *event)
{
	event->pmu->stop(event, PERF_EF_UPDATE);
	event->pmu->start(event, PERF_EF_RELOAD);
}

static void op_replace(struct perf_event *event)
{
	struct pmu *pmu = event->pmu;

	perf_pmu_disable(pmu);
	pmu->del(event, PERF_EF_UPDATE);
	perf_pmu_enable(pmu);
	perf_pmu_disable(pmu);
	pmu->add(event, PERF_EF_START);
	perf_pmu_enable(pmu);
}

/* Set the registers. The count includes @value afterwards if they are kept. */
static void begin(struct topdown_test *tt, bool kept, u64 value)
{
	struct perf_event *event = tt->slots;

	event->hw.flags &= ~X86_EVENT_KEEPS_SLOTS;
	op_read(event);
	*slots_register() = value;
	if (!kept)
		return;
	event->hw.flags |= X86_EVENT_KEEPS_SLOTS;
	op_restart(event);
}

/* Returns the number of accesses. */
static unsigned int play(struct kunit *test, topdown_op op, bool kept, unsigned int access,
			 unsigned int latency)
{
	u64 near_end = BIT_ULL(emu_machine->width) - SLOTS_LEFT, before, counted;
	struct topdown_test *tt = test->priv;
	struct perf_event *event = tt->slots;
	unsigned long flags;

	local_irq_save(flags);
	begin(tt, kept, near_end);
	before = count_of(event) + (kept ? 0 : near_end);
	tt->stage = (struct emu_stage) {
		.step	= { {
			.access = access, .counter = event->hw.idx,
			.overflow = true, .more = SLOTS_BEYOND,
		} },
		.steps	 = 1,
		.latency = latency,
		.nmi	 = take_nmi,
	};
	emu_stage_begin(&tt->stage);
	op(event);
	tt->stage.steps = 0;
	emu_stage_drain(&tt->stage);
	op_read(event);
	counted = count_of(event) - before;
	emu_stage_begin(&tt->idle);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ_MSG(test, counted, tt->stage.counted[INTEL_PMC_IDX_FIXED_SLOTS],
			    "kept %d, overflow before access %u, latency %u", kept, access,
			    latency);
	KUNIT_EXPECT_EQ(test, tt->stage.for_nothing, 0);
	return tt->stage.accesses;
}

static void play_all(struct kunit *test, topdown_op op)
{
	unsigned int access, latency, overflows = 0;

	for (int kept = 0; kept < 2; kept++) {
		for (latency = 0; latency < LATENCY_MAX; latency++) {
			for (access = 0; access < play(test, op, kept, access, latency); access++) {
				struct topdown_test *tt = test->priv;

				overflows += !!tt->stage.counted[INTEL_PMC_IDX_FIXED_SLOTS];
			}
		}
	}
	KUNIT_EXPECT_GT(test, overflows, 0);
}

static void overflow_while_read(struct kunit *test)
{
	play_all(test, op_read);
}

/* The interrupt may come when the counter is stopped, or counts again. */
static void overflow_while_restarted(struct kunit *test)
{
	play_all(test, op_restart);
}

static void overflow_while_replaced(struct kunit *test)
{
	play_all(test, op_replace);
}

/* The overflow belongs to another event, which had the counter. */
static void overflow_of_the_event_before(struct kunit *test)
{
	struct topdown_test *tt = test->priv;
	struct perf_event *event = tt->slots;
	int handled, again;
	unsigned long flags;
	u64 before, after;

	local_irq_save(flags);
	begin(tt, false, 0);
	before = count_of(event);
	event->pmu->stop(event, PERF_EF_UPDATE);
	*status_register() |= BIT_ULL(INTEL_PMC_IDX_FIXED_SLOTS);
	event->pmu->start(event, PERF_EF_RELOAD);
	handled = x86_nmi_take(&topdown_regs, true);
	again = x86_nmi_take(&topdown_regs, true);
	op_read(event);
	after = count_of(event);
	local_irq_restore(flags);

	KUNIT_EXPECT_EQ(test, after, before);
	KUNIT_EXPECT_EQ(test, handled, 1);
	KUNIT_EXPECT_EQ(test, again, 0);
}

/* Registers that are kept are reset nevertheless, wherever the interrupt comes. */
static void metrics_overflow_while_restarted(struct kunit *test)
{
	struct topdown_test *tt = test->priv;
	struct perf_event *event = tt->slots;
	unsigned int access = 0, accesses;
	unsigned long flags;
	u64 before, left;

	do {
		local_irq_save(flags);
		begin(tt, true, SLOTS_LEFT);
		before = count_of(event);
		*slots_register() += SLOTS_BEYOND;
		*status_register() |= GLOBAL_STATUS_PERF_METRICS_OVF;
		tt->stage = (struct emu_stage) {
			.nmi = take_nmi, .nmi_due = true, .nmi_at = access,
		};
		emu_stage_begin(&tt->stage);
		op_restart(event);
		accesses = tt->stage.accesses;
		emu_stage_drain(&tt->stage);
		left = *slots_register();
		op_read(event);
		emu_stage_begin(&tt->idle);
		local_irq_restore(flags);

		KUNIT_EXPECT_EQ_MSG(test, left, 0, "interrupt at access %u", access);
		KUNIT_EXPECT_EQ(test, count_of(event) - before, SLOTS_BEYOND);
		KUNIT_EXPECT_EQ(test, tt->stage.for_nothing, 0);
	} while (access++ < accesses);
}

static void on_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
}

/* Runs in another thread than the test, and so may run on another CPU. */
static void topdown_test_exit(struct kunit *test)
{
	struct topdown_test *tt = test->priv;

	if (!tt)
		return;
	if (!IS_ERR_OR_NULL(tt->slots))
		perf_event_release_kernel(tt->slots);
	emu_stage_end_on(tt->cpu);
}

/* A CPU that has metrics, or -1. */
static int cpu_with_metrics(void)
{
	int nr;

	for_each_online_cpu(nr) {
		if (per_cpu(x86_cpu_pmu, nr).core && per_cpu(x86_cpu_pmu, nr).core->metrics)
			return nr;
	}
	return -1;
}

static int topdown_test_init(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.config		= SLOTS,
		.size		= sizeof(attr),
		.pinned		= 1,
		.disabled	= 1,
	};
	struct topdown_test *tt;
	int nr = cpu_with_metrics();

	if (!x86_hw_emulated() || nr < 0)
		kunit_skip(test, "no emulated PMU with metrics");
	tt = kunit_kzalloc(test, sizeof(*tt), GFP_KERNEL);
	if (!tt)
		return -ENOMEM;
	tt->cpu = nr;
	tt->idle.nmi = take_nmi;
	test->priv = tt;
	test_bind(test, nr);
	emu_stage_begin(&tt->idle);
	tt->slots = perf_event_create_kernel_counter(&attr, nr, NULL, on_overflow, NULL);
	if (IS_ERR(tt->slots))
		return PTR_ERR(tt->slots);
	perf_event_enable(tt->slots);
	return tt->slots->hw.idx == INTEL_PMC_IDX_FIXED_SLOTS ? 0 : -EBUSY;
}

static struct kunit_case topdown_cases[] = {
	KUNIT_CASE(overflow_while_read),
	KUNIT_CASE(overflow_while_restarted),
	KUNIT_CASE(overflow_while_replaced),
	KUNIT_CASE(overflow_of_the_event_before),
	KUNIT_CASE(metrics_overflow_while_restarted),
	{ }
};

static struct kunit_suite topdown_suite = {
	.name		= "perf_x86_topdown",
	.init		= topdown_test_init,
	.exit		= topdown_test_exit,
	.test_cases	= topdown_cases,
};

kunit_test_suite(topdown_suite);
