// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the trial of counters, on an emulated PMU: counters that do not count are found,
 * whatever their fault, and the registers are as before. Skipped without x86_pmu_emulator=.
 *
 * The machine is stopped meanwhile, because all CPUs have the same faults.
 */
#include <kunit/test.h>
#include <linux/stop_machine.h>
#include <asm/apic.h>
#include "arch/x86/events/core/counting.h"
#include "arch/x86/events/core/suspend.h"
#include "../emulator.h"
#include "../stage.h"
#include "driver.h"

#define NR_FAULTS	(sizeof(struct emu_stuck) / sizeof(u64))

/* Fixed counters above have events that need not occur. */
#define SURE		(X86_PMC_GENERIC_MASK | GENMASK_ULL(EMU_FIXED + 3, EMU_FIXED))

/**
 * struct registers - the registers that a trial uses
 * @count: the counters
 * @select: event selects
 * @fixed_ctrl: control of the fixed counters
 * @global_ctrl: global control
 * @global_status: global status
 * @extra: extra registers
 * @lvtpc: the local APIC's entry
 */
struct registers {
	u64	count[EMU_COUNTERS];
	u64	select[EMU_MAX_GENERIC];
	u64	fixed_ctrl;
	u64	global_ctrl;
	u64	global_status;
	u64	extra[EMU_EXTRA];
	u32	lvtpc;
};

/**
 * struct trial - a trial of all counters of a CPU
 * @core: its kind of core
 * @stuck: the faults
 * @found: the counters that were found
 * @before: the registers before
 * @after: the registers after
 */
struct trial {
	struct x86_core_pmu	*core;
	struct emu_stuck	stuck;
	u64			found;
	struct registers	before;
	struct registers	after;
};

static void save(struct registers *registers)
{
	const struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);

	memset(registers, 0, sizeof(*registers));
	for (unsigned int idx = 0; idx < EMU_COUNTERS; idx++)
		registers->count[idx] = cpu->counter[idx].value;
	memcpy(registers->select, cpu->select, sizeof(registers->select));
	registers->fixed_ctrl = cpu->fixed_ctrl;
	registers->global_ctrl = cpu->global_ctrl;
	registers->global_status = cpu->global_status;
	memcpy(registers->extra, cpu->extra, sizeof(registers->extra));
	registers->lvtpc = apic_read(APIC_LVTPC);
}

/* Any values with which no counter counts. */
static void fill(const struct x86_core_pmu *core)
{
	const struct x86_cpu_pmu *pmu = this_cpu_ptr(&x86_cpu_pmu);
	struct emu_cpu *cpu = this_cpu_ptr(&emu_cpu);
	u64 todo;

	for (todo = core->counters; todo; todo &= todo - 1) {
		unsigned int idx = __ffs64(todo);

		cpu->counter[idx].value = 0x1000 + idx;
		/* x86_counters_clear() sets these to 0. Events keep their event selects. */
		if (core->clear_first)
			cpu->counter[idx].value = 0;
		if (idx >= EMU_FIXED)
			continue;
		if (!core->clear_first)
			cpu->select[idx] = SDM_SEL_OS | (0x40 + idx);
		else
			cpu->select[idx] = pmu->owned & BIT_ULL(idx) ? pmu->select[idx] : 0;
	}
	if (!core->regs->global_ctrl)
		return;
	cpu->global_status = BIT_ULL(__ffs64(core->counters));
	if (core->regs->fixed_ctrl)
		cpu->fixed_ctrl = SDM_FIXED_USR;
	/* A counter that is enabled, and has no mode to count in. */
	cpu->global_ctrl = BIT_ULL(__ffs64(core->counters));
	if (core->clear_first)
		cpu->global_ctrl = BIT_ULL(INTEL_PMC_IDX_FIXED + 1);
	else
		cpu->select[__ffs64(core->counters)] = SDM_SEL_EN;
}

static int try_here(void *data)
{
	struct trial *trial = data;

	x86_core_suspend();
	fill(trial->core);
	save(&trial->before);
	emu_stuck = trial->stuck;
	trial->found = x86_counting_try(trial->core);
	emu_stuck = (struct emu_stuck) { };
	save(&trial->after);
	emu_lose_power();
	x86_core_resume();
	return 0;
}

static void try_with(struct kunit *test, struct trial *trial, struct emu_stuck stuck)
{
	const struct cpumask *cpu = cpumask_of(cpumask_first(&trial->core->cpus));

	trial->stuck = stuck;
	/* One kind of core: the CPUs of another one have other counters. */
	KUNIT_ASSERT_EQ(test, stop_machine(try_here, trial, cpu), 0);
}

static struct trial *new_trial(struct kunit *test)
{
	struct trial *trial;

	if (!emulated_core())
		kunit_skip(test, "no emulated PMU");
	trial = kunit_kzalloc(test, sizeof(*trial), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, trial);
	trial->core = emulated_core();
	return trial;
}

static void counters_pass_and_registers_are_as_before(struct kunit *test)
{
	struct trial *trial = new_trial(test);

	try_with(test, trial, (struct emu_stuck) { });
	KUNIT_EXPECT_EQ(test, trial->found, 0);
	KUNIT_EXPECT_MEMEQ(test, &trial->before, &trial->after, sizeof(trial->before));
}

/* Each counter has each fault once. The other registers are as before. */
static void each_fault_is_found(struct kunit *test)
{
	struct trial *trial = new_trial(test);

	for (unsigned int turn = 0; turn <= NR_FAULTS; turn++) {
		u64 mask[NR_FAULTS + 1] = { }, todo, without;
		unsigned int nr = turn;

		for (todo = trial->core->counters & SURE; todo; todo &= todo - 1)
			mask[nr++ % ARRAY_SIZE(mask)] |= todo & -todo;
		without = mask[NR_FAULTS];
		try_with(test, trial, (struct emu_stuck) { mask[0], mask[1], mask[2], mask[3] });
		KUNIT_EXPECT_EQ(test, trial->found, trial->core->counters & SURE & ~without);
		KUNIT_EXPECT_EQ(test, trial->before.global_ctrl, trial->after.global_ctrl);
		KUNIT_EXPECT_EQ(test, trial->before.global_status, trial->after.global_status);
		KUNIT_EXPECT_EQ(test, trial->before.lvtpc, trial->after.lvtpc);
	}
}

static void all_may_be_stuck(struct kunit *test)
{
	struct trial *trial = new_trial(test);

	for (unsigned int nr = 0; nr < NR_FAULTS; nr++) {
		u64 mask[NR_FAULTS] = { };

		mask[nr] = ~0ULL;
		try_with(test, trial, (struct emu_stuck) { mask[0], mask[1], mask[2], mask[3] });
		KUNIT_EXPECT_EQ(test, trial->found & SURE, trial->core->counters & SURE);
		KUNIT_EXPECT_EQ(test, trial->before.lvtpc, trial->after.lvtpc);
	}
}

static struct kunit_case trial_cases[] = {
	KUNIT_CASE(counters_pass_and_registers_are_as_before),
	KUNIT_CASE(each_fault_is_found),
	KUNIT_CASE(all_may_be_stuck),
	{ }
};

static struct kunit_suite trial_suite = {
	.name		= "perf_x86_trial",
	.test_cases	= trial_cases,
};

kunit_test_suite(trial_suite);
