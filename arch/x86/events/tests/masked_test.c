// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of features that the CPU lists and the kernel does not use. They run on any x86
 * machine, and access no register.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/string.h>
#include <asm/cpu_device_id.h>
#include <asm/cpufeature.h>
#include <asm/intel-family.h>
#include "../core/detect.h"

static unsigned int masked;

static bool is_masked(unsigned int feature)
{
	return feature == masked;
}

/* Describe the core without a feature. Kernels for other vendors only have no such core. */
static __maybe_unused struct x86_core_pmu *
without(struct kunit *test, struct x86_detect_cpu cpu, unsigned int feature)
{
	struct x86_core_pmu *core = kunit_kzalloc(test, sizeof(*core), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, core);
	masked = feature;
	x86_detect_mask(&cpu, is_masked);
	KUNIT_ASSERT_EQ(test, x86_detect_core(core, &cpu), 0);
	return core;
}

#ifdef CONFIG_CPU_SUP_INTEL
static const struct x86_detect_cpu skylake = {
	.id = { X86_VENDOR_INTEL, 6, VFM_MODEL(INTEL_SKYLAKE_X), 4 },
	.features.reg = {
		[CPUID_ECX] = CPUID1_ECX_PDCM | CPUID1_ECX_DTES64 | CPUID1_ECX_DS_CPL,
		[CPUID_EDX] = CPUID1_EDX_DS,
	},
	.extended.reg = { [CPUID_EBX] = CPUID7_EBX_HLE | CPUID7_EBX_RTM },
	/* version 4, four counters, three fixed ones, of 48 bits */
	.perfmon.reg = { [CPUID_EAX] = 0x07300404, [CPUID_EDX] = 0x603 },
	/* formats 3 and 5 */
	.capabilities = 0x33c5,
};

static void masked_on_intel(struct kunit *test)
{
	struct x86_detect_cpu alderlake = skylake;
	struct x86_core_pmu *core;

	core = without(test, skylake, X86_FEATURE_APIC);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_PRECISE]);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_TRACE]);
	KUNIT_EXPECT_TRUE(test, core->raw_mask & HSW_IN_TX);
	KUNIT_EXPECT_TRUE(test, core->branches.can & X86_BRANCHES_TX);

	core = without(test, skylake, X86_FEATURE_DS);
	KUNIT_EXPECT_NULL(test, core->side[X86_SIDE_PRECISE]);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	KUNIT_EXPECT_NULL(test, core->side[X86_SIDE_TRACE]);
	KUNIT_EXPECT_NULL(test, without(test, skylake, X86_FEATURE_DTES64)->side[X86_SIDE_TRACE]);
	KUNIT_EXPECT_NULL(test, without(test, skylake, X86_FEATURE_DSCPL)->side[X86_SIDE_TRACE]);
	KUNIT_EXPECT_FALSE(test, without(test, skylake, X86_FEATURE_RTM)->raw_mask & HSW_IN_TX);

	/* any version of records is better than the legacy ones */
	alderlake.id.model = VFM_MODEL(INTEL_ALDERLAKE);
	alderlake.extended.reg[CPUID_EDX] = CPUID7_EDX_ARCH_LBR;
	alderlake.lbr.reg[CPUID_EAX] = 0xff;
	alderlake.lbr.reg[CPUID_EBX] = 0x7;
	alderlake.capabilities = 0;
	core = without(test, alderlake, X86_FEATURE_APIC);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	core = without(test, alderlake, X86_FEATURE_ARCH_LBR);
	KUNIT_EXPECT_NULL(test, core->side[X86_SIDE_BRANCHES]);
}
#endif

#ifdef CONFIG_CPU_SUP_AMD
static const struct x86_detect_cpu zen4 = {
	.id = { X86_VENDOR_AMD, 0x19, 0x11, 1 },
	.amd_features.reg = { [CPUID_ECX] = CPUID_EXT1_ECX_PERFCTR_CORE },
	.amd_perfmon.reg = {
		[CPUID_EAX] = CPUID_EXT22_EAX_PERFMON_V2 | CPUID_EXT22_EAX_LBR_V2 |
			      CPUID_EXT22_EAX_FREEZE,
		/* six counters, 16 records */
		[CPUID_EBX] = 16 << 4 | 6,
	},
};

static void masked_on_amd(struct kunit *test)
{
	struct x86_core_pmu *core = without(test, zen4, X86_FEATURE_APIC);

	KUNIT_EXPECT_EQ(test, core->version, 2);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	core = without(test, zen4, X86_FEATURE_AMD_LBR_V2);
	KUNIT_EXPECT_EQ(test, core->version, 2);
	KUNIT_EXPECT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	core = without(test, zen4, X86_FEATURE_AMD_LBR_PMC_FREEZE);
	KUNIT_EXPECT_NOT_NULL(test, core->side[X86_SIDE_BRANCHES]);
	KUNIT_EXPECT_TRUE(test, core->branches.can & X86_BRANCHES_GO_ON);
	core = without(test, zen4, X86_FEATURE_PERFMON_V2);
	KUNIT_EXPECT_EQ(test, core->version, 1);
	KUNIT_EXPECT_EQ(test, core->counters, 0x3f);
	KUNIT_EXPECT_NULL(test, core->side[X86_SIDE_BRANCHES]);
}
#endif

/* Each masked feature is a bit of its own. */
static void masked_bits(struct kunit *test)
{
	static const unsigned int features[] = {
		X86_FEATURE_DS, X86_FEATURE_DTES64, X86_FEATURE_DSCPL, X86_FEATURE_PDCM,
		X86_FEATURE_HLE, X86_FEATURE_RTM, X86_FEATURE_ARCH_LBR,
		X86_FEATURE_PERFCTR_CORE, X86_FEATURE_BRS, X86_FEATURE_PERFMON_V2,
		X86_FEATURE_AMD_LBR_V2, X86_FEATURE_AMD_LBR_PMC_FREEZE,
	};
	const unsigned int bits = BITS_PER_BYTE * sizeof(struct x86_detect_cpu);
	struct x86_detect_cpu *cpu = kunit_kzalloc(test, sizeof(*cpu), GFP_KERNEL);
	struct x86_detect_cpu *all = kunit_kzalloc(test, sizeof(*all), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, cpu && all);
	memset(all, 0xff, sizeof(*all));
	for (unsigned int i = 0; i < ARRAY_SIZE(features); i++) {
		memset(cpu, 0xff, sizeof(*cpu));
		masked = features[i];
		x86_detect_mask(cpu, is_masked);
		KUNIT_EXPECT_EQ_MSG(test, bitmap_weight((unsigned long *)cpu, bits), bits - 1,
				    "feature %u", features[i]);
		bitmap_and((unsigned long *)all, (unsigned long *)all, (unsigned long *)cpu, bits);
	}
	/* no two have the same bit */
	KUNIT_EXPECT_EQ(test, bitmap_weight((unsigned long *)all, bits),
			bits - ARRAY_SIZE(features));
}

static struct kunit_case masked_cases[] = {
#ifdef CONFIG_CPU_SUP_INTEL
	KUNIT_CASE(masked_on_intel),
#endif
#ifdef CONFIG_CPU_SUP_AMD
	KUNIT_CASE(masked_on_amd),
#endif
	KUNIT_CASE(masked_bits),
	{}
};

static struct kunit_suite masked_suite = {
	.name		= "perf_x86_masked",
	.test_cases	= masked_cases,
};

kunit_test_suite(masked_suite);
