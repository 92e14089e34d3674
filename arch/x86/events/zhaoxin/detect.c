// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of Zhaoxin, and of its predecessors by Centaur: architectural performance
 * monitoring of version 2, with the events that CPUID reports.
 *
 * Context: Boot.
 */
#include <linux/init.h>
#include "../archperfmon.h"

static struct x86_core_pmu zhaoxin_core = {
	.name	= "cpu",
	.type	= PERF_TYPE_RAW,
};

static struct x86_event_code zhaoxin_codes[ARCHPERFMON_CODES];

/**
 * zhaoxin_core_detect() - detect the core PMU of a Zhaoxin or Centaur CPU
 *
 * Return: 0 or -ENODEV.
 */
int __init zhaoxin_core_detect(void)
{
	int err;

	err = archperfmon_describe(&zhaoxin_core, zhaoxin_codes);
	return err ?: x86_core_add(&zhaoxin_core);
}
