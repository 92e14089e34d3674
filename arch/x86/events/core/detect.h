/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Detection: the description of a core PMU, computed from what CPUID and
 * IA32_PERF_CAPABILITIES say of a CPU. Nothing but x86_detect_read() accesses the CPU, so
 * tests describe machines that they do not run on.
 */
#ifndef _X86_EVENTS_DETECT_H
#define _X86_EVENTS_DETECT_H

#include "../counters/core_pmu.h"

/* Intel SDM volume 2, CPUID: bits of leaves 1, 7 and 7.1. */
#define CPUID1_ECX_DTES64		BIT(2)
#define CPUID1_ECX_DS_CPL		BIT(4)
#define CPUID1_ECX_PDCM			BIT(15)
#define CPUID1_ECX_HYPERVISOR		BIT(31)
#define CPUID1_EDX_DS			BIT(21)
#define CPUID7_EBX_HLE			BIT(4)
#define CPUID7_EBX_RTM			BIT(11)
#define CPUID7_EDX_TSX_FORCE_ABORT	BIT(13)
#define CPUID7_EDX_HYBRID		BIT(15)
#define CPUID7_EDX_ARCH_LBR		BIT(19)
#define CPUID7_1_EAX_PERFMON_EXT	BIT(8)

/* AMD64 Architecture Programmer's Manual volume 3, appendix E: leaves 0x8000 0001, 0008, 0022. */
#define CPUID_EXT1_ECX_PERFCTR_CORE	BIT(23)
#define CPUID_EXT8_EBX_BRS		BIT(31)
#define CPUID_EXT22_EAX_PERFMON_V2	BIT(0)
#define CPUID_EXT22_EAX_LBR_V2		BIT(1)
#define CPUID_EXT22_EAX_FREEZE		BIT(2)

/* Bits of IA32_PERF_CAPABILITIES: SDM volume 4. */
#define PERF_CAP_LBR_FORMAT		GENMASK_ULL(5, 0)
#define PERF_CAP_FREEZE_SMM		BIT_ULL(12)
#define PERF_CAP_FULL_WIDTH		BIT_ULL(13)
#define PERF_CAP_METRICS		BIT_ULL(15)
#define PERF_CAP_PEBS_TIMING		BIT_ULL(17)

/**
 * struct x86_detect_cpu - what a CPU says of itself
 * @id: vendor and model
 * @features: CPUID leaf 1
 * @extended: leaf 7
 * @extended_1: leaf 7, subleaf 1
 * @perfmon: leaf 0xa
 * @native: leaf 0x1a: EAX has the type of core in bits 31 to 24, and below it the native
 *	model
 * @lbr: leaf 0x1c
 * @perfmon_ext: leaf 0x23
 * @perfmon_counters: leaf 0x23, subleaf 1
 * @amd_features: leaf 0x80000001
 * @amd_more: leaf 0x80000008
 * @amd_perfmon: leaf 0x80000022
 * @capabilities: IA32_PERF_CAPABILITIES
 * @misc_enable: IA32_MISC_ENABLE, on CPUs with a debug store
 * @stuck: counters that are listed, but do not count, see counting.c
 *
 * A leaf or register that does not exist is 0. Leaf 0x23 exists if leaf 7.1 says so.
 */
struct x86_detect_cpu {
	struct x86_hw_identity	id;
	struct x86_hw_cpuid	features;
	struct x86_hw_cpuid	extended;
	struct x86_hw_cpuid	extended_1;
	struct x86_hw_cpuid	perfmon;
	struct x86_hw_cpuid	native;
	struct x86_hw_cpuid	lbr;
	struct x86_hw_cpuid	perfmon_ext;
	struct x86_hw_cpuid	perfmon_counters;
	struct x86_hw_cpuid	amd_features;
	struct x86_hw_cpuid	amd_more;
	struct x86_hw_cpuid	amd_perfmon;
	u64			capabilities;
	u64			misc_enable;
	u64			stuck;
};

void x86_detect_read(struct x86_detect_cpu *cpu);
void x86_detect_mask(struct x86_detect_cpu *cpu, bool (*is_masked)(unsigned int feature));
u32 x86_detect_kind(const struct x86_detect_cpu *cpu);
int x86_detect_core(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);

/**
 * struct x86_vendor - the CPUs of a vendor
 * @vendor: X86_VENDOR_*
 * @describe: as x86_detect_core()
 */
struct x86_vendor {
	u8	vendor;
	int	(*describe)(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu);
};

/* ../vendors.c; ends with a row without @describe */
extern const struct x86_vendor x86_vendors[];

#endif /* _X86_EVENTS_DETECT_H */
