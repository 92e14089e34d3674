// SPDX-License-Identifier: GPL-2.0
/*
 * Intel's core PMU, as CPUID describes it. What is particular to a model is not
 * known here: its events are raw, and go to any counter.
 *
 * Boot only.
 */
#include <linux/init.h>
#include "../archperfmon.h"

static struct x86_core_pmu intel_core = {
	.name	= "cpu",
	.type	= PERF_TYPE_RAW,
};

static struct x86_event_code intel_codes[ARCHPERFMON_CODES];

/**
 * intel_core_detect() - see whether this Intel CPU has a PMU that we know
 *
 * Return: 0 or -ENODEV.
 */
int __init intel_core_detect(void)
{
	int err;

	err = archperfmon_describe(&intel_core, intel_codes);
	return err ?: x86_core_add(&intel_core);
}
