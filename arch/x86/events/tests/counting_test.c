// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counters that do not count: which ones are left out, and what the PMU is without
 * them. They run on any x86 machine, and access no register.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include "../core/counting.h"
#include "../core/detect.h"
#include "../core/event.h"
#include "../counters/arch_events.h"

static const struct x86_trial good = {
	.read = X86_TRIAL_VALUE, .enabled = true, .moved = 2000, .sure = true,
};

static void a_counter_passes_if_it_counts(struct kunit *test)
{
	struct x86_trial trial = good;

	KUNIT_EXPECT_TRUE(test, x86_counting_passes(&trial, false));
	trial.moved = 1;
	KUNIT_EXPECT_TRUE(test, x86_counting_passes(&trial, false));
	trial.moved = 0;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, false));
	/* no event of the counter is sure to occur */
	trial.sure = false;
	KUNIT_EXPECT_TRUE(test, x86_counting_passes(&trial, false));

	trial = good;
	trial.enabled = false;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, false));
	trial = good;
	trial.read = 0;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, false));
	trial = good;
	trial.faults = true;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, false));
}

/* perf_x86_counters=all keeps what has registers. */
static void all_are_those_with_registers(struct kunit *test)
{
	struct x86_trial trial = good;

	trial.moved = 0;
	trial.enabled = false;
	KUNIT_EXPECT_TRUE(test, x86_counting_passes(&trial, true));
	trial.read = 0;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, true));
	trial = good;
	trial.faults = true;
	KUNIT_EXPECT_FALSE(test, x86_counting_passes(&trial, true));
}

static struct x86_core_pmu *core_without(struct kunit *test, const struct x86_detect_cpu *cpu,
					 u64 stuck)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);
	struct x86_detect_cpu *copy = kunit_kzalloc(test, sizeof(*copy), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	*copy = *cpu;
	copy->stuck = stuck;
	KUNIT_ASSERT_EQ(test, x86_detect_core(core, copy), 0);
	x86_counting_note(core);
	return core;
}

#ifdef CONFIG_CPU_SUP_INTEL
#define FIXED	X86_PMC_FIXED_BIT

static const struct x86_detect_cpu icelake = {
	.id = { X86_VENDOR_INTEL, 6, VFM_MODEL(INTEL_ICELAKE_L), 5 },
	.features.reg = {
		[CPUID_ECX] = CPUID1_ECX_PDCM | CPUID1_ECX_DTES64 | CPUID1_ECX_DS_CPL,
		[CPUID_EDX] = CPUID1_EDX_DS,
	},
	/* version 5, eight counters, four fixed ones, of 48 bits */
	.perfmon.reg = { [CPUID_EAX] = 0x07300805, [CPUID_ECX] = 0xf, [CPUID_EDX] = 0x604 },
	/* metrics, full width, precise records of format 4 */
	.capabilities = 0xe4c5,
};

static void what_needs_them_goes_with_them(struct kunit *test)
{
	const u64 all = GENMASK_ULL(7, 0) | FIXED(0) | FIXED(1) | FIXED(2) | FIXED(3);
	const u64 stuck = BIT_ULL(1) | FIXED(0) | FIXED(2) | FIXED(3);
	struct x86_core_pmu *core = core_without(test, &icelake, 0);

	KUNIT_EXPECT_EQ(test, core->counters, all);
	KUNIT_EXPECT_STREQ(test, core->without, "");
	KUNIT_EXPECT_NE(test, core->metrics, 0);
	KUNIT_EXPECT_NOT_NULL(test, core->files.events[X86_EVENTS_OF_TOPDOWN_1]);
	KUNIT_EXPECT_NOT_NULL(test, x86_core_code_of(core, PERF_COUNT_HW_REF_CPU_CYCLES));
	KUNIT_EXPECT_EQ(test, core->precise.max, 3);
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, ARCH_INSTRUCTIONS),
			GENMASK_ULL(7, 0) | FIXED(0));

	core = core_without(test, &icelake, stuck);
	KUNIT_EXPECT_EQ(test, core->counters, all & ~stuck);
	KUNIT_EXPECT_EQ(test, core->metrics, 0);
	KUNIT_EXPECT_NULL(test, core->files.events[X86_EVENTS_OF_TOPDOWN_1]);
	KUNIT_EXPECT_NULL(test, x86_core_code_of(core, PERF_COUNT_HW_REF_CPU_CYCLES));
	KUNIT_EXPECT_EQ(test, core->precise.max, 2);
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, ARCH_INSTRUCTIONS),
			GENMASK_ULL(7, 0) & ~BIT_ULL(1));
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, ARCH_CYCLES),
			(GENMASK_ULL(7, 0) & ~BIT_ULL(1)) | FIXED(1));
	KUNIT_EXPECT_EQ(test, x86_core_counters_for(core, FIXED_SLOTS), 0);
	KUNIT_EXPECT_STREQ(test, core->without, "; counters 1, fixed 0,2-3 do not count");

	core = core_without(test, &icelake, FIXED(1));
	KUNIT_EXPECT_STREQ(test, core->without, "; counters fixed 1 do not count");
}

/* Models know counters that CPUID does not list. */
static void unlisted_counters_may_be_stuck(struct kunit *test)
{
	struct x86_detect_cpu *core2 = kunit_kzalloc(test, sizeof(*core2), GFP_KERNEL);
	struct x86_core_pmu *core;

	KUNIT_ASSERT_NOT_NULL(test, core2);
	core2->id = (struct x86_hw_identity){ X86_VENDOR_INTEL, 6, VFM_MODEL(INTEL_CORE2_MEROM) };
	core2->perfmon.reg[CPUID_EAX] = 0x07280202;
	core = core_without(test, core2, 0);
	KUNIT_EXPECT_EQ(test, core->unlisted, FIXED(0) | FIXED(1) | FIXED(2));
	core = core_without(test, core2, FIXED(1));
	KUNIT_EXPECT_EQ(test, core->unlisted, FIXED(0) | FIXED(2));
	KUNIT_EXPECT_EQ(test, core->counters, GENMASK_ULL(1, 0) | FIXED(0) | FIXED(2));
}
#endif

#ifdef CONFIG_CPU_SUP_AMD
static void counters_of_amd_are_left_out(struct kunit *test)
{
	struct x86_detect_cpu *zen = kunit_kzalloc(test, sizeof(*zen), GFP_KERNEL);
	struct x86_core_pmu *core;

	KUNIT_ASSERT_NOT_NULL(test, zen);
	zen->id = (struct x86_hw_identity){ X86_VENDOR_AMD, 0x17, 0x31 };
	zen->amd_features.reg[CPUID_ECX] = CPUID_EXT1_ECX_PERFCTR_CORE;
	core = core_without(test, zen, BIT_ULL(0) | BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, core->counters, GENMASK_ULL(4, 1));
	KUNIT_EXPECT_STREQ(test, core->without, "; counters 0,5 do not count");
}
#endif

static struct kunit_case counting_cases[] = {
	KUNIT_CASE(a_counter_passes_if_it_counts),
	KUNIT_CASE(all_are_those_with_registers),
#ifdef CONFIG_CPU_SUP_INTEL
	KUNIT_CASE(what_needs_them_goes_with_them),
	KUNIT_CASE(unlisted_counters_may_be_stuck),
#endif
#ifdef CONFIG_CPU_SUP_AMD
	KUNIT_CASE(counters_of_amd_are_left_out),
#endif
	{}
};

static struct kunit_suite counting_suite = {
	.name		= "perf_x86_counting",
	.test_cases	= counting_cases,
};

kunit_test_suite(counting_suite);
