// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's CPUs with two kinds of cores, and a PMU for each kind. Both kinds have the
 * same architectural events. The counters are read from CPUID when the first core of a
 * kind comes online.
 *
 * Context: Boot.
 *
 * Source: Intel SDM volume 2, CPUID leaves 7 and 0x1a.
 */
#include <linux/init.h>
#include "../archperfmon.h"
#include "hybrid.h"

#define CPUID7_EDX_HYBRID	BIT(15)

/* Kinds of cores: CPUID leaf 0x1a EAX[31:24]. */
#define CORE_TYPE_CORE	0x40
#define CORE_TYPE_ATOM	0x20

/* Events that name no kind of core are for the first one. */
static struct x86_core_pmu hybrid_cores[] = {
	{ .name = "cpu_core", .type = PERF_TYPE_RAW, .core_type = CORE_TYPE_CORE },
	{ .name = "cpu_atom", .type = -1, .core_type = CORE_TYPE_ATOM },
};

static struct x86_event_code hybrid_codes[ARRAY_SIZE(hybrid_cores)][ARCHPERFMON_CODES];

/**
 * intel_is_hybrid() - check for several kinds of cores
 *
 * Return: true if CPUID reports several kinds.
 */
bool __init intel_is_hybrid(void)
{
	struct x86_hw_cpuid features;

	x86_hw_cpuid(7, 0, &features);
	return features.reg[CPUID_EDX] & CPUID7_EDX_HYBRID;
}

/**
 * intel_hybrid_detect() - describe both kinds of cores, and add their PMUs
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
