// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's CPUs with cores of two kinds: a PMU for each. They have the architectural
 * events in common, and each core tells of its own counters as it comes up.
 *
 * Boot only. Source: Intel SDM volume 2, CPUID leaves 7 and 0x1a.
 */
#include <linux/init.h>
#include "../archperfmon.h"
#include "hybrid.h"

#define CPUID7_EDX_HYBRID	BIT(15)

/* Kinds of cores: CPUID leaf 0x1a EAX[31:24]. */
#define CORE_TYPE_CORE	0x40
#define CORE_TYPE_ATOM	0x20

/* In this order: events that name neither are the first one's. */
static struct x86_core_pmu hybrid_cores[] = {
	{ .name = "cpu_core", .type = PERF_TYPE_RAW, .core_type = CORE_TYPE_CORE },
	{ .name = "cpu_atom", .type = -1, .core_type = CORE_TYPE_ATOM },
};

static struct x86_event_code hybrid_codes[ARRAY_SIZE(hybrid_cores)][ARCHPERFMON_CODES];

/**
 * intel_is_hybrid() - are there cores of more than one kind?
 *
 * Return: what CPUID says.
 */
bool __init intel_is_hybrid(void)
{
	struct x86_hw_cpuid features;

	x86_hw_cpuid(7, 0, &features);
	return features.reg[CPUID_EDX] & CPUID7_EDX_HYBRID;
}

/**
 * intel_hybrid_detect() - describe both kinds
 *
 * Return: 0 or -ENODEV.
 */
int __init intel_hybrid_detect(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(hybrid_cores) && !err; i++)
		err = intel_core_describe(&hybrid_cores[i], hybrid_codes[i]);
	return err;
}
