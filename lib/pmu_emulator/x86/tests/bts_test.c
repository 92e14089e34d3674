// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the trace of branches on an emulated PMU. The test traces branches itself, see
 * emu_bts_push(), for an event of the core PMU that samples each branch. Skipped without
 * x86_pmu_emulator=, and on machines without a trace.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event_test.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/core/suspend.h"
#include "arch/x86/events/counters/counters.h"
#include "arch/x86/events/counters/side.h"
#include "arch/x86/events/intel/ds/bts.h"
#include "arch/x86/events/intel/ds/ds.h"
#include "arch/x86/events/standalone.h"
#include "kernel/events/pmu/pmu.h"
#include "../ds.h"
#include "../stage.h"
#include "driver.h"

/* Addresses of user mode, and one of the kernel. */
#define FROM(_n)	(0x400000ULL + 0x10 * (_n))
#define TO(_n)		(FROM(_n) + 8)
#define KERNEL		0xffffffff81000000ULL

/*
 * Records that the buffer of such an event has room for, and those before the interrupt. With
 * samples that are as large as possible, the interrupt comes before.
 */
#define ROOM			512
#define THRESHOLD		384
#define THRESHOLD_LARGE		12

/* In one of so many tries, a host must let the CPU run until a late interrupt has come. */
#define TRIES			100

/* The interrupted user mode. */
#define INTERRUPTED_IP		0x410000ULL

#define BTS_BITS	(SDM_DEBUGCTL_TR | SDM_DEBUGCTL_BTS | SDM_DEBUGCTL_BTINT |	\
			 SDM_DEBUGCTL_BTS_OFF_OS | SDM_DEBUGCTL_BTS_OFF_USR)

/**
 * struct bts_test - a traced event
 * @event: the event
 * @cpu: its CPU, to which the test's thread is bound
 * @stage: empty script, which replaces the clock
 * @samples: number of samples
 * @first: number of the branch that the first sample showed
 * @wrong: number of samples that did not show the branch after the last sample's branch
 * @lost: number of samples that were reported as lost, before the test
 * @unwound: number of samples with a chain that no earlier sample has had
 */
struct bts_test {
	struct perf_event	*event;
	int			cpu;
	struct emu_stage	stage;
	unsigned int		samples;
	unsigned int		first;
	unsigned int		wrong;
	u64			lost;
	unsigned int		unwound;
};

static struct pt_regs bts_regs = {
	.ip	= INTERRUPTED_IP,
	.cs	= __USER_CS,
	.ss	= __USER_DS,
};

static int take_nmi(struct emu_stage *stage)
{
	return x86_nmi_take(&bts_regs, true);
}

static bool traces(void)
{
	return this_cpu_read(emu_cpu.debugctl) & SDM_DEBUGCTL_TR;
}

/* The chain is the mark of user mode, and the instruction. It must not change meanwhile. */
static void check_chain(struct bts_test *bt, struct perf_callchain_entry *chain)
{
	int level;

	if (chain->nr < 2 || chain->ip[0] != PERF_CONTEXT_USER) {
		bt->wrong++;
		return;
	}
	if (chain->ip[1] == INTERRUPTED_IP)
		bt->unwound++;
	chain->ip[1] = 0;
	if (get_callchain_entry(&level)) {
		put_callchain_entry(level);
		bt->wrong++;
	}
}

static void on_sample(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct bts_test *bt = event->overflow_handler_context;
	unsigned int n = (regs->ip - FROM(0)) / 0x10;

	if (!bt->samples)
		bt->first = n;
	if (n != bt->first + bt->samples || regs->ip != FROM(n) || data->addr != TO(n))
		bt->wrong++;
	/* The hardware must not write while records are read. */
	if (traces())
		bt->wrong++;
	if (data->sample_flags & PERF_SAMPLE_CALLCHAIN)
		check_chain(bt, data->callchain);
	bt->samples++;
}

static struct perf_event *traced_event_of(struct bts_test *bt, u64 sample_type)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.config		= PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.size		= sizeof(attr),
		.sample_period	= 1,
		.sample_type	= sample_type,
		.exclude_kernel	= 1,
		.pinned		= 1,
	};

	if (sample_type & PERF_SAMPLE_STACK_USER)
		attr.sample_stack_user = SZ_32K;
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	if (sample_type & PERF_SAMPLE_READ)
		attr.read_format = PERF_FORMAT_GROUP;

	return perf_event_create_kernel_counter(&attr, bt->cpu, NULL, on_sample, bt);
}

static struct perf_event *traced_event(struct bts_test *bt)
{
	return traced_event_of(bt, 0);
}

/* Replace the event by one with samples of another type. */
static void need_samples_of(struct kunit *test, u64 sample_type)
{
	struct bts_test *bt = test->priv;

	perf_event_release_kernel(bt->event);
	bt->event = traced_event_of(bt, sample_type);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bt->event));
	KUNIT_ASSERT_EQ(test, bt->event->state, PERF_EVENT_STATE_ACTIVE);
}

static void push(unsigned int n)
{
	emu_bts_push(this_cpu_ptr(&emu_cpu), FROM(n), TO(n));
}

static void push_many(unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		push(n);
}

static struct x86_cpu_pmu *this_pmu(void)
{
	return this_cpu_ptr(&x86_cpu_pmu);
}

/* The event begins with an empty buffer, and was not throttled. */
static unsigned long begin(struct bts_test *bt)
{
	unsigned long flags;

	local_irq_save(flags);
	bt->stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&bt->stage);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	bt->event->hw.interrupts = 0;
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	bt->samples = 0;
	bt->wrong = 0;
	bt->unwound = 0;
	return flags;
}

/* The event stays stopped: the clock must not change the results. */
static void end(struct bts_test *bt, unsigned long flags)
{
	emu_stage_drain(&bt->stage);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	emu_stage_end();
	local_irq_restore(flags);
}

/* Interrupts since then were not too late to be claimed. */
static bool in_time(u64 since)
{
	return local_clock() - since < X86_NMI_LATE;
}

static void expect_samples(struct kunit *test, unsigned int nr, unsigned int first)
{
	struct bts_test *bt = test->priv;

	KUNIT_EXPECT_EQ(test, bt->samples, nr);
	KUNIT_EXPECT_EQ(test, bt->wrong, 0);
	if (nr)
		KUNIT_EXPECT_EQ(test, bt->first, first);
	KUNIT_EXPECT_EQ(test, bt->stage.for_nothing, 0);
}

static void an_interrupt_comes_at_the_threshold(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);
	bool before, after;

	push_many(THRESHOLD - 1);
	before = bt->stage.nmi_due;
	push(THRESHOLD - 1);
	after = bt->stage.nmi_due;
	end(bt, flags);
	KUNIT_EXPECT_FALSE(test, before);
	KUNIT_EXPECT_TRUE(test, after);
	expect_samples(test, THRESHOLD, 0);
}

static void tracing_goes_on_after_an_interrupt(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);
	unsigned int n;
	bool on;

	push_many(THRESHOLD);
	emu_stage_drain(&bt->stage);
	on = traces();
	for (n = 0; n < 3; n++)
		push(THRESHOLD + n);
	intel_bts_drain(this_pmu());
	end(bt, flags);
	KUNIT_EXPECT_TRUE(test, on);
	expect_samples(test, THRESHOLD + 3, 0);
}

/* The handler's own branches must not be traced. */
static void nothing_is_traced_in_the_handler(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);

	bt->stage.latency = 100;
	push_many(THRESHOLD);
	this_pmu()->trace->pause(this_pmu());
	push(THRESHOLD);
	this_pmu()->trace->resume(this_pmu());
	end(bt, flags);
	expect_samples(test, THRESHOLD, 0);
}

static void kernel_addresses_have_no_samples(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);

	push(0);
	emu_bts_push(this_cpu_ptr(&emu_cpu), KERNEL, TO(7));
	emu_bts_push(this_cpu_ptr(&emu_cpu), FROM(7), KERNEL);
	push(1);
	intel_bts_drain(this_pmu());
	end(bt, flags);
	expect_samples(test, 2, 0);
}

/* Interrupts that come too late find records that were overwritten. */
static void a_full_buffer_has_the_latest(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);
	u64 lost = atomic64_read(&bt->event->lost_samples);

	push_many(ROOM + 10);
	end(bt, flags);
	expect_samples(test, ROOM, 10);
	KUNIT_EXPECT_EQ(test, atomic64_read(&bt->event->lost_samples), lost + 1);
}

static void a_buffer_that_is_just_full(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);

	push_many(ROOM);
	end(bt, flags);
	expect_samples(test, ROOM, 0);
}

/*
 * Two interrupts come after the records were taken. Returns true if the first one was in time. It
 * is one of *@for_nothing if it was not claimed.
 */
static bool interrupt_late(struct bts_test *bt, unsigned int *for_nothing)
{
	unsigned long flags = begin(bt);
	bool timely;
	u64 start;

	bt->stage.latency = 100;
	push_many(THRESHOLD);
	start = local_clock();
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	emu_stage_drain(&bt->stage);
	timely = in_time(start);
	*for_nothing = bt->stage.for_nothing;
	emu_stage_raise(&bt->stage);
	emu_stage_drain(&bt->stage);
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	end(bt, flags);
	return timely;
}

/* An interrupt is claimed that comes after its records were taken, but only one. */
static void late_interrupts_are_claimed(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned int for_nothing, tries = TRIES;

	while (!interrupt_late(bt, &for_nothing) && --tries)
		;
	KUNIT_EXPECT_EQ(test, for_nothing, 0);
	KUNIT_EXPECT_EQ(test, bt->stage.for_nothing, 1);
	KUNIT_EXPECT_EQ(test, bt->samples, THRESHOLD);
}

static void a_switch_takes_the_records(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	struct pmu *pmu = bt->event->pmu;
	unsigned long flags = begin(bt);

	push_many(3);
	perf_pmu_disable(pmu);
	pmu->sched_task(NULL, current, false);
	perf_pmu_enable(pmu);
	end(bt, flags);
	expect_samples(test, 3, 0);
}

/* Unwinding is slow, and would give the same for all records of an interrupt. */
static void a_chain_is_unwound_once_in_an_interrupt(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned int interrupts, n = 0;
	unsigned long flags;

	need_samples_of(test, PERF_SAMPLE_CALLCHAIN);
	flags = begin(bt);
	for (interrupts = 0; interrupts < 2; interrupts++) {
		while (!bt->stage.nmi_due && n < 2 * ROOM)
			push(n++);
		emu_stage_drain(&bt->stage);
	}
	end(bt, flags);
	expect_samples(test, n, 0);
	KUNIT_EXPECT_EQ(test, bt->unwound, 2);
	KUNIT_EXPECT_LT(test, n, 2 * THRESHOLD);
}

/* Returns the number of records before the interrupt, ROOM if there is none. */
static unsigned int records_until_interrupt(struct bts_test *bt)
{
	unsigned long flags = begin(bt);
	unsigned int n = 0;

	while (!bt->stage.nmi_due && n < ROOM)
		push(n++);
	end(bt, flags);
	return n;
}

/* An interrupt must not write megabytes. */
static void large_samples_come_in_small_numbers(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags;
	unsigned int nr;

	need_samples_of(test, PERF_SAMPLE_STACK_USER);
	KUNIT_EXPECT_EQ(test, records_until_interrupt(bt), THRESHOLD_LARGE);
	need_samples_of(test, PERF_SAMPLE_READ);
	KUNIT_EXPECT_EQ(test, records_until_interrupt(bt), THRESHOLD);
	/* Computed anew at each start. Nothing else may see siblings that do not exist. */
	local_irq_save(flags);
	bt->event->nr_siblings = 1000;
	nr = records_until_interrupt(bt);
	bt->event->nr_siblings = 0;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, nr, THRESHOLD_LARGE);
}

/* If the interrupt turns tracing on, a branch is traced after it. */
static int take_nmi_then_branch(struct emu_stage *stage)
{
	int handled = x86_nmi_take(&bts_regs, true);

	push(THRESHOLD);
	return handled;
}

/* An interrupt comes @latency register accesses after a drain began. Returns true if in time. */
static bool interrupt_drain(struct kunit *test, unsigned int latency)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);
	bool on, timely;
	u64 start;

	bt->stage.latency = latency;
	bt->stage.nmi = take_nmi_then_branch;
	push_many(THRESHOLD);
	start = local_clock();
	intel_bts_drain(this_pmu());
	on = traces();
	emu_stage_drain(&bt->stage);
	timely = in_time(start);
	end(bt, flags);
	KUNIT_EXPECT_TRUE(test, on);
	KUNIT_EXPECT_GE(test, bt->samples, THRESHOLD);
	KUNIT_EXPECT_EQ(test, bt->wrong, 0);
	return timely;
}

/* An interrupt comes at each of the first register accesses of a drain. */
static void interrupts_during_a_drain(struct kunit *test)
{
	struct bts_test *bt = test->priv;

	for (unsigned int latency = 0; latency < 8; latency++) {
		unsigned int tries = TRIES;

		while (!interrupt_drain(test, latency) && --tries)
			;
		KUNIT_EXPECT_EQ(test, bt->stage.for_nothing, 0);
	}
}

static void the_count_is_the_counter_s(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);
	unsigned long flags = begin(bt);
	u64 before = local64_read(&bt->event->count);

	cpu->counter[bt->event->hw.idx].value += 1000;
	push_many(3);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	end(bt, flags);
	expect_samples(test, 3, 0);
	KUNIT_EXPECT_EQ(test, local64_read(&bt->event->count) - before, 1000);
}

/* IA32_DEBUGCTL keeps the bits of other code. */
static void others_keep_their_bits(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);
	u64 on, off;

	this_cpu_write(emu_cpu.debugctl, this_cpu_read(emu_cpu.debugctl) | SDM_DEBUGCTL_BTF);
	bt->event->pmu->stop(bt->event, PERF_EF_UPDATE);
	off = this_cpu_read(emu_cpu.debugctl);
	bt->event->pmu->start(bt->event, PERF_EF_RELOAD);
	on = this_cpu_read(emu_cpu.debugctl);
	this_cpu_write(emu_cpu.debugctl, on & ~SDM_DEBUGCTL_BTF);
	end(bt, flags);
	KUNIT_EXPECT_EQ(test, off & (BTS_BITS | SDM_DEBUGCTL_BTF), SDM_DEBUGCTL_BTF);
	KUNIT_EXPECT_EQ(test, on & (BTS_BITS | SDM_DEBUGCTL_BTF),
			SDM_DEBUGCTL_TR | SDM_DEBUGCTL_BTS | SDM_DEBUGCTL_BTINT |
			SDM_DEBUGCTL_BTS_OFF_OS | SDM_DEBUGCTL_BTF);
}

/* A CPU that resumes has lost what its registers said. */
static void tracing_survives_a_loss_of_power(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);

	x86_core_suspend();
	emu_lose_power();
	x86_core_resume();
	push_many(3);
	intel_bts_drain(this_pmu());
	end(bt, flags);
	expect_samples(test, 3, 0);
}

/* The AUX area's trace is not stopped before. */
static void a_running_trace_survives_a_loss_of_power(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags = begin(bt);

	x86_core_suspend();
	intel_bts_start(this_pmu());
	emu_lose_power();
	x86_core_resume();
	push_many(3);
	intel_bts_drain(this_pmu());
	end(bt, flags);
	expect_samples(test, 3, 0);
}

/* One of the records is the last one that the event may have. They are read when it is stopped. */
static void an_event_with_its_last_record_stays_stopped(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	unsigned long flags;
	bool stopped;

	atomic_set(&bt->event->event_limit, 1);
	flags = begin(bt);
	push_many(3);
	x86_core_suspend();
	emu_lose_power();
	x86_core_resume();
	stopped = bt->event->hw.state & PERF_HES_STOPPED;
	end(bt, flags);
	KUNIT_EXPECT_TRUE(test, stopped);
	expect_samples(test, 1, 0);
}

static void the_trace_has_one_owner(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	struct perf_event *other = traced_event(bt);

	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	/* A pinned event that does not fit. */
	KUNIT_EXPECT_EQ(test, other->state, PERF_EVENT_STATE_ERROR);
	perf_event_release_kernel(other);
}

static void records_of_branches_are_excluded(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_HARDWARE,
		.config			= PERF_COUNT_HW_CPU_CYCLES,
		.size			= sizeof(attr),
		.sample_period		= BIT_ULL(30),
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.exclude_kernel		= 1,
	};
	struct bts_test *bt = test->priv;
	struct perf_event *event;

	if (!x86_core_pmus[0]->side[X86_SIDE_BRANCHES])
		kunit_skip(test, "no records of branches");
	event = perf_event_create_kernel_counter(&attr, bt->cpu, NULL, on_sample, bt);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EBUSY);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
}

/* Then nothing that the hardware writes can be relied on: the trace is off, until the test ends. */
static void an_index_outside_ends_the_trace(struct kunit *test)
{
	struct bts_test *bt = test->priv;
	struct x86_core_pmu *core = this_pmu()->core;
	u64 lost = atomic64_read(&bt->event->lost_samples);
	unsigned long flags = begin(bt);
	struct perf_event *next;
	bool on;

	push(0);
	emu_spoil_next(EMU_SPOIL_TRACE);
	push(1);
	intel_bts_drain(this_pmu());
	on = traces();
	end(bt, flags);
	irq_work_sync(&bt->event->pending_disable_irq);
	KUNIT_EXPECT_FALSE(test, on);
	KUNIT_EXPECT_TRUE(test, x86_side_is_broken(core, X86_SIDE_TRACE));
	KUNIT_EXPECT_EQ(test, bt->event->state, PERF_EVENT_STATE_OFF);
	KUNIT_EXPECT_EQ(test, atomic64_read(&bt->event->lost_samples), lost + 1);
	expect_samples(test, 0, 0);
	/* an interrupt for each branch */
	next = traced_event(bt);
	KUNIT_EXPECT_FALSE(test, IS_ERR(next));
	if (!IS_ERR(next)) {
		KUNIT_EXPECT_FALSE(test, next->hw.flags & X86_EVENT_TRACED);
		perf_event_release_kernel(next);
	}
	core->why_not[X86_SIDE_TRACE] = NULL;
	core->broken = 0;
}

static void find_area_pmu(struct pmu *pmu, void *arg)
{
	struct perf_event_attr *attr = arg;

	if (pmu->name && !strcmp(pmu->name, "intel_bts"))
		attr->type = pmu->type;
}

/* Opens an event of intel_bts. */
static int try_area(struct perf_event_attr *attr, int cpu, struct task_struct *task)
{
	struct perf_event *event = perf_event_create_kernel_counter(attr, cpu, task, NULL, NULL);

	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

/* Another kind of core has its own trace. An event of a task may trace there. */
static void a_trace_ends_for_one_kind(struct kunit *test)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = 1 };
	int cpu[2];

	if (x86_core_pmu_count < 2)
		kunit_skip(test, "one kind of core");
	perf_pmu_for_each(find_area_pmu, &attr);
	KUNIT_ASSERT_NE(test, attr.type, 0);
	for (int kind = 0; kind < 2; kind++)
		cpu[kind] = cpumask_first(&x86_core_pmus[kind]->cpus);

	for (int kind = 0; kind < 2; kind++) {
		struct x86_core_pmu *core = x86_core_pmus[kind];

		x86_side_break(core, X86_SIDE_TRACE, "a test");
		KUNIT_EXPECT_EQ(test, try_area(&attr, cpu[kind], NULL), -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, try_area(&attr, cpu[!kind], NULL), 0);
		KUNIT_EXPECT_EQ(test, try_area(&attr, -1, current), 0);
		core->why_not[X86_SIDE_TRACE] = NULL;
		core->broken = 0;
	}
	for (int kind = 0; kind < 2; kind++)
		x86_side_break(x86_core_pmus[kind], X86_SIDE_TRACE, "a test");
	KUNIT_EXPECT_EQ(test, try_area(&attr, -1, current), -EOPNOTSUPP);
	for (int kind = 0; kind < 2; kind++) {
		x86_core_pmus[kind]->why_not[X86_SIDE_TRACE] = NULL;
		x86_core_pmus[kind]->broken = 0;
	}
}

static int bts_init(struct kunit *test)
{
	struct x86_core_pmu *core = emulated_core();
	struct bts_test *bt;

	if (!core || !core->side[X86_SIDE_TRACE])
		kunit_skip(test, "no emulated machine with a trace of branches");
	bt = kunit_kzalloc(test, sizeof(*bt), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bt);
	test->priv = bt;
	bt->cpu = cpumask_first(&core->cpus);
	test_bind(test, bt->cpu);
	bt->event = traced_event(bt);
	KUNIT_ASSERT_FALSE(test, IS_ERR(bt->event));
	KUNIT_ASSERT_EQ(test, bt->event->state, PERF_EVENT_STATE_ACTIVE);
	return 0;
}

static void leave_stage(void *unused)
{
	emu_stage_end();
}

/* Runs in another thread, also after a case that was ended. */
static void bts_exit(struct kunit *test)
{
	struct bts_test *bt = test->priv;

	if (!bt)
		return;
	smp_call_function_single(bt->cpu, leave_stage, NULL, true);
	if (!IS_ERR_OR_NULL(bt->event))
		perf_event_release_kernel(bt->event);
}

static struct kunit_case bts_cases[] = {
	KUNIT_CASE(an_interrupt_comes_at_the_threshold),
	KUNIT_CASE(tracing_goes_on_after_an_interrupt),
	KUNIT_CASE(nothing_is_traced_in_the_handler),
	KUNIT_CASE(kernel_addresses_have_no_samples),
	KUNIT_CASE(a_full_buffer_has_the_latest),
	KUNIT_CASE(a_buffer_that_is_just_full),
	KUNIT_CASE(late_interrupts_are_claimed),
	KUNIT_CASE(a_switch_takes_the_records),
	KUNIT_CASE(a_chain_is_unwound_once_in_an_interrupt),
	KUNIT_CASE(large_samples_come_in_small_numbers),
	KUNIT_CASE(interrupts_during_a_drain),
	KUNIT_CASE(the_count_is_the_counter_s),
	KUNIT_CASE(others_keep_their_bits),
	KUNIT_CASE(tracing_survives_a_loss_of_power),
	KUNIT_CASE(a_running_trace_survives_a_loss_of_power),
	KUNIT_CASE(an_event_with_its_last_record_stays_stopped),
	KUNIT_CASE(the_trace_has_one_owner),
	KUNIT_CASE(records_of_branches_are_excluded),
	KUNIT_CASE(an_index_outside_ends_the_trace),
	KUNIT_CASE(a_trace_ends_for_one_kind),
	{ }
};

static struct kunit_suite bts_suite = {
	.name		= "perf_x86_trace",
	.init		= bts_init,
	.exit		= bts_exit,
	.test_cases	= bts_cases,
};

kunit_test_suite(bts_suite);
