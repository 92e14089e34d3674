// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU of Zhaoxin, and of its predecessors by Centaur: architectural performance
 * monitoring of version 2, with the events that CPUID reports.
 *
 * Context: any.
 */
#include "../core/archperfmon.h"
#include "detect.h"

/**
 * zhaoxin_core_describe() - describe the core PMU of a Zhaoxin or Centaur CPU
 * @core: output; zeroed by the caller
 * @cpu: the CPU
 *
 * Return: 0 or -ENODEV.
 */
int zhaoxin_core_describe(struct x86_core_pmu *core, const struct x86_detect_cpu *cpu)
{
	core->name = "cpu";
	core->type = PERF_TYPE_RAW;
	return archperfmon_describe(core, cpu, 0);
}
