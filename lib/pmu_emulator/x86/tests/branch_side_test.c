// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of records of branches on an emulated PMU. The test records branches itself, see
 * emu_branches_push(), and reads them with perf_snapshot_branch_stack, or by the driver's
 * operations. Skipped without x86_pmu_emulator=, and on machines without such records.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/perf_event.h>
#include <linux/perf_event_test.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include "arch/x86/events/branch/branch.h"
#include "arch/x86/events/core/nmi.h"
#include "arch/x86/events/core/suspend.h"
#include "arch/x86/events/counters/side.h"
#include "../stage.h"
#include "driver.h"

#define FIRST	0xffffffff81000000ULL
#define CALLS	3

static struct emu_stage stage;
static struct pt_regs nmi_regs;

static int take_nmi(struct emu_stage *unused)
{
	return x86_nmi_take(&nmi_regs, true);
}

static void push(u64 from, u64 to, u64 class)
{
	struct emu_branch branch = { .from = from, .to = to, .class = class };

	emu_branches_push(this_cpu_ptr(&emu_cpu), &branch);
}

static void push_call(unsigned int n)
{
	push(FIRST + 0x100 * n, FIRST + 0x100 * n + 0x80, SDM_LBR_REL_CALL);
}

/* Bind this task to a CPU of the first PMU, which serves generic events. */
static void bind(struct kunit *test)
{
	test_bind(test, cpumask_first(&x86_core_pmus[0]->cpus));
}

/* An event of this task with records of branches, or an error. The task is bound to a CPU. */
static struct perf_event *event_of(struct kunit *test, u64 branch_sample_type, u64 period)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_HARDWARE,
		.config			= PERF_COUNT_HW_CPU_CYCLES,
		.size			= sizeof(attr),
		.sample_period		= period,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= branch_sample_type,
		.pinned			= 1,
	};

	bind(test);
	return perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
}

/* The same with records of the kernel's branches. It counts. */
static struct perf_event *event_of_task(struct kunit *test, u64 branch_sample_type)
{
	struct perf_event *event;

	event = event_of(test, branch_sample_type | PERF_SAMPLE_BRANCH_KERNEL, BIT_ULL(30));
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, PERF_EVENT_STATE_ACTIVE, event->state);
	return event;
}

/* Records that follow an overflow have a suite of their own, see tests/brs_test.c. */
static bool has(u8 can)
{
	const struct x86_core_pmu *core = emulated_core();

	return core && core->branches.ops && !(core->branches.can & X86_BRANCHES_ONE) &&
	       (core->branches.can & can) == can;
}

static void begin_stage(void)
{
	stage = (struct emu_stage) { .nmi = take_nmi };
	emu_stage_begin(&stage);
}

/*
 * Another task runs meanwhile. The time of a sleep may have passed before this task has left the
 * CPU. Then it sleeps again.
 */
static void sleep_a_while(void)
{
	unsigned long switches = current->nvcsw;

	do {
		schedule_timeout_uninterruptible(2);
	} while (current->nvcsw == switches);
}

static int snapshot(struct perf_branch_entry *entries)
{
	return static_call(perf_snapshot_branch_stack)(entries, X86_BRANCHES_MAX);
}

/* Record calls, let other tasks run, and get what is left of the records. */
static int records_after_switch(struct kunit *test, u64 branch_sample_type,
				struct perf_branch_entry *entries)
{
	struct perf_event *event = event_of_task(test, branch_sample_type);
	unsigned int n;
	int nr;

	local_irq_disable();
	begin_stage();
	for (n = 0; n < CALLS; n++)
		push_call(n);
	local_irq_enable();
	sleep_a_while();
	local_irq_disable();
	nr = snapshot(entries);
	emu_stage_end();
	local_irq_enable();
	perf_event_release_kernel(event);
	return nr;
}

static void calls_survive_a_switch(struct kunit *test)
{
	struct perf_branch_entry *entries;
	unsigned int n;
	int nr;

	if (!has(X86_BRANCHES_STACK))
		kunit_skip(test, "no emulated machine with a stack of calls");
	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	nr = records_after_switch(test, PERF_SAMPLE_BRANCH_CALL_STACK, entries);
	KUNIT_ASSERT_EQ(test, CALLS, nr);
	for (n = 0; n < CALLS; n++) {
		KUNIT_EXPECT_EQ(test, FIRST + 0x100 * (CALLS - 1 - n), entries[n].from);
		KUNIT_EXPECT_EQ(test, FIRST + 0x100 * (CALLS - 1 - n) + 0x80, entries[n].to);
	}
}

static void other_records_do_not(struct kunit *test)
{
	struct perf_branch_entry *entries;

	if (!has(0))
		kunit_skip(test, "no emulated machine with records of branches");
	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	KUNIT_EXPECT_EQ(test, 0, records_after_switch(test, PERF_SAMPLE_BRANCH_ANY, entries));
}

/*
 * At a switch, the task's event is put on before sched_task() of the PMU runs. What is recorded in
 * between is of the task.
 */
static void a_switch_removes_records_once(struct kunit *test)
{
	struct perf_branch_entry *entries;
	struct perf_event *event;
	struct pmu *pmu;
	int nr;

	if (!has(0))
		kunit_skip(test, "no emulated machine with records of branches");
	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	event = event_of_task(test, PERF_SAMPLE_BRANCH_ANY);
	pmu = event->pmu;
	local_irq_disable();
	begin_stage();
	push_call(0);
	perf_pmu_disable(pmu);
	pmu->del(event, PERF_EF_UPDATE);
	perf_pmu_enable(pmu);
	perf_pmu_disable(pmu);
	pmu->add(event, PERF_EF_START);
	perf_pmu_enable(pmu);
	push_call(1);
	perf_pmu_disable(pmu);
	pmu->sched_task(NULL, current, true);
	perf_pmu_enable(pmu);
	nr = snapshot(entries);
	emu_stage_end();
	local_irq_enable();
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, 1, nr);
	KUNIT_EXPECT_EQ(test, FIRST + 0x100, entries[0].from);
}

/* The latest record is first, also after more records than there are registers. */
static void snapshot_has_the_latest(struct kunit *test)
{
	struct perf_branch_entry *entries;
	unsigned int n, depth, all;
	struct perf_event *event;
	int nr, none;

	if (!has(0))
		kunit_skip(test, "no emulated machine with records of branches");
	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	event = event_of_task(test, PERF_SAMPLE_BRANCH_ANY);
	depth = x86_core_of(event->pmu)->branches.depth;
	all = depth + depth / 2;

	local_irq_disable();
	begin_stage();
	for (n = 0; n < all; n++)
		push_call(n);
	nr = snapshot(entries);
	KUNIT_EXPECT_TRUE(test, this_cpu_read(emu_cpu.branches.recording));
	emu_stage_end();
	local_irq_enable();

	KUNIT_EXPECT_EQ(test, depth, nr);
	for (n = 0; n < nr; n++)
		KUNIT_EXPECT_EQ(test, FIRST + 0x100 * (all - 1 - n), entries[n].from);
	perf_event_release_kernel(event);
	none = snapshot(entries);
	KUNIT_EXPECT_EQ(test, 0, none);
}

/* A return removes its call. Other branches are not recorded. */
static void returns_remove_calls(struct kunit *test)
{
	struct perf_branch_entry *entries;
	struct perf_event *event;
	int nr;

	if (!has(X86_BRANCHES_STACK))
		kunit_skip(test, "no emulated machine with a stack of calls");
	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	event = event_of_task(test, PERF_SAMPLE_BRANCH_CALL_STACK);
	local_irq_disable();
	begin_stage();
	push_call(0);
	push_call(1);
	push(FIRST, FIRST + 8, SDM_LBR_JCC);
	push(FIRST + 0x180, FIRST + 0x105, SDM_LBR_RET);
	nr = snapshot(entries);
	emu_stage_end();
	local_irq_enable();
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, 1, nr);
	KUNIT_EXPECT_EQ(test, FIRST, entries[0].from);
}

/* A program's calls, in user mode. */
#define USER_FIRST	0x401000ULL

/* The interrupt calls its handler. Hardware records that, unless it is frozen or left out. */
static int take_nmi_with_a_call(struct emu_stage *unused)
{
	if (this_cpu_read(emu_cpu.branches.recording))
		push(FIRST + 0x1000, FIRST + 0x2000, SDM_LBR_REL_CALL);
	return take_nmi(unused);
}

/* What a start of recording must write is lost: KVM has restored an older value. */
static void lose_debugctl(struct pmu *pmu)
{
	perf_pmu_disable(pmu);
	this_cpu_write(emu_cpu.debugctl,
		       this_cpu_read(emu_cpu.debugctl) ^ DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	perf_pmu_enable(pmu);
}

/* Record calls of one level, and take an interrupt. The stack has the calls, and no others. */
static void play_stack(struct kunit *test, u64 level, u64 first, bool freezes)
{
	struct perf_branch_entry *entries;
	struct perf_event *event;
	unsigned int n;
	u64 debugctl;
	int nr;

	entries = kunit_kcalloc(test, X86_BRANCHES_MAX, sizeof(*entries), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entries);
	event = event_of(test, PERF_SAMPLE_BRANCH_CALL_STACK | level, 1000);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	local_irq_disable();
	begin_stage();
	stage.nmi = take_nmi_with_a_call;
	lose_debugctl(event->pmu);
	debugctl = this_cpu_read(emu_cpu.debugctl);
	for (n = 0; n < CALLS; n++)
		push(first + 0x100 * n, first + 0x100 * n + 0x80, SDM_LBR_REL_CALL);
	stage.step[0] = (struct emu_step) {
		.access		= stage.accesses,
		.counter	= event->hw.idx,
		.overflow	= true,
	};
	stage.steps = 1;
	event->pmu->read(event);
	stage.steps = 0;
	emu_stage_drain(&stage);
	nr = snapshot(entries);
	KUNIT_EXPECT_TRUE(test, this_cpu_read(emu_cpu.branches.recording));
	emu_stage_end();
	local_irq_enable();
	perf_event_release_kernel(event);

	KUNIT_EXPECT_EQ(test, !!(debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI), freezes);
	KUNIT_ASSERT_EQ(test, CALLS, nr);
	for (n = 0; n < CALLS; n++)
		KUNIT_EXPECT_EQ(test, first + 0x100 * (CALLS - 1 - n), entries[n].from);
}

/*
 * An interrupt freezes a stack of the kernel's calls, because its handler calls functions as well.
 * A stack of user mode goes on.
 */
static void stacks_do_not_have_the_handler(struct kunit *test)
{
	if (!has(X86_BRANCHES_STACK))
		kunit_skip(test, "no emulated machine with a stack of calls");
	play_stack(test, PERF_SAMPLE_BRANCH_USER, USER_FIRST, false);
	play_stack(test, PERF_SAMPLE_BRANCH_KERNEL, FIRST, true);
}

/*
 * AMD's CPUs without a freeze: it is not requested, and the handler is not recorded either, because
 * records have user mode only.
 */
static void without_a_freeze(struct kunit *test)
{
	struct x86_branches *branches;
	struct perf_event *event;
	u64 debugctl;

	if (!has(0) || !x86_core_pmus[0]->host_guest)
		kunit_skip(test, "no emulated machine of AMD with records of branches");
	branches = &x86_core_pmus[0]->branches;
	branches->can |= X86_BRANCHES_GO_ON;
	event = event_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL, BIT_ULL(30));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(event), -EOPNOTSUPP);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	event = event_of(test, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER, BIT_ULL(30));
	debugctl = this_cpu_read(emu_cpu.debugctl);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	branches->can &= ~X86_BRANCHES_GO_ON;
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_FALSE(test, debugctl & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	KUNIT_EXPECT_TRUE(test, debugctl & DEBUGCTLMSR_LBR);
	event = event_of_task(test, PERF_SAMPLE_BRANCH_ANY);
	KUNIT_EXPECT_TRUE(test,
			  this_cpu_read(emu_cpu.debugctl) & DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
	perf_event_release_kernel(event);
}

/* A CPU that resumes has lost what its registers said. */
static void recording_survives_a_loss_of_power(struct kunit *test)
{
	struct perf_event *event;

	if (!has(0))
		kunit_skip(test, "no emulated machine with records of branches");
	event = event_of_task(test, PERF_SAMPLE_BRANCH_COND);
	local_irq_disable();
	begin_stage();
	x86_core_suspend();
	KUNIT_EXPECT_FALSE(test, this_cpu_read(emu_cpu.branches.recording));
	emu_lose_power();
	x86_core_resume();
	KUNIT_EXPECT_TRUE(test, this_cpu_read(emu_cpu.branches.recording));
	if (x86_core_of(event->pmu)->branches.can & X86_BRANCHES_SHARED)
		KUNIT_EXPECT_EQ(test, this_cpu_read(emu_cpu.branches.mode), 0ULL);
	else	/* the kernel's conditional branches only */
		KUNIT_EXPECT_EQ(test, this_cpu_read(emu_cpu.branches.mode), 0x1faULL);
	emu_stage_end();
	local_irq_enable();
	perf_event_release_kernel(event);
}

/* IA32_DEBUGCTL keeps the bits of other code when recording starts and stops. */
static void others_keep_their_bits(struct kunit *test)
{
	struct perf_event *event;
	u64 during;

	if (!has(0) || x86_core_pmus[0]->host_guest)
		kunit_skip(test, "no emulated machine of Intel with records of branches");
	bind(test);
	this_cpu_write(emu_cpu.debugctl, this_cpu_read(emu_cpu.debugctl) | DEBUGCTLMSR_BTF);
	event = event_of_task(test, PERF_SAMPLE_BRANCH_ANY);
	during = this_cpu_read(emu_cpu.debugctl);
	KUNIT_EXPECT_EQ(test, DEBUGCTLMSR_FREEZE_LBRS_ON_PMI | DEBUGCTLMSR_BTF,
			during & (DEBUGCTLMSR_FREEZE_LBRS_ON_PMI | DEBUGCTLMSR_BTF));
	perf_event_release_kernel(event);
	KUNIT_EXPECT_TRUE(test, this_cpu_read(emu_cpu.debugctl) & DEBUGCTLMSR_BTF);
	KUNIT_EXPECT_FALSE(test, this_cpu_read(emu_cpu.debugctl) & DEBUGCTLMSR_LBR);
	this_cpu_write(emu_cpu.debugctl, this_cpu_read(emu_cpu.debugctl) & ~DEBUGCTLMSR_BTF);
}

struct probed {
	struct x86_core_pmu	*core;
	u8			depth;
};

static void probe_here(void *info)
{
	struct probed *probed = info;

	probed->core->branches.depth = probed->depth;
	/* Nothing that was recorded before is filled in. */
	begin_stage();
	x86_branch_probe(probed->core);
	emu_stage_end();
}

/* Probe the registers of a core with so many records, on a CPU that has no event. */
static bool exist_with(struct x86_core_pmu *core, u8 depth)
{
	struct probed probed = { core, depth };

	core->branches = x86_core_pmus[0]->branches;
	core->side[X86_SIDE_BRANCHES] = &x86_branch_side;
	smp_call_function_single(cpumask_first(&x86_core_pmus[0]->cpus), probe_here, &probed,
				 true);
	return core->branches.ops && core->side[X86_SIDE_BRANCHES];
}

/* A hypervisor may show the format of records, and hide the registers, or some of them. */
static void registers_that_are_missing(struct kunit *test)
{
	struct x86_core_pmu *core;

	if (!has(0))
		kunit_skip(test, "no emulated machine with records of branches");
	core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_EXPECT_TRUE(test, exist_with(core, x86_core_pmus[0]->branches.depth));
	KUNIT_EXPECT_FALSE(test, exist_with(core, 2 * x86_core_pmus[0]->branches.depth));
}

static struct kunit_case side_cases[] = {
	KUNIT_CASE(calls_survive_a_switch),
	KUNIT_CASE(other_records_do_not),
	KUNIT_CASE(a_switch_removes_records_once),
	KUNIT_CASE(snapshot_has_the_latest),
	KUNIT_CASE(returns_remove_calls),
	KUNIT_CASE(stacks_do_not_have_the_handler),
	KUNIT_CASE(without_a_freeze),
	KUNIT_CASE(recording_survives_a_loss_of_power),
	KUNIT_CASE(others_keep_their_bits),
	KUNIT_CASE(registers_that_are_missing),
	{ }
};

static struct kunit_suite side_suite = {
	.name		= "perf_x86_side_branches",
	.test_cases	= side_cases,
};

kunit_test_suite(side_suite);
