// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that do not count, as hypervisors have them: x86_pmu_emulator_stuck=FAULT:COUNTER,...
 *
 * A counter is a number, "f" and a number for a fixed counter, or "all". CPUID lists all of them.
 *
 *   still	never counts
 *   forgets	is 0 after each write
 *   off	cannot be enabled
 *   faults	accesses to its registers fault
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/printk.h>
#include <linux/string.h>
#include "emulator.h"

struct emu_stuck emu_stuck;

static int __init emu_stuck_counters(const char *text, u64 *counters)
{
	unsigned int nr;
	int err;

	if (!strcmp(text, "all")) {
		*counters = ~0ULL;
		return 0;
	}
	err = kstrtouint(text + (*text == 'f'), 10, &nr);
	if (*text == 'f')
		nr += EMU_FIXED;
	if (err || nr >= EMU_COUNTERS)
		return -EINVAL;
	*counters = BIT_ULL(nr);
	return 0;
}

static u64 *__init emu_stuck_mask(const char *fault)
{
	if (!strcmp(fault, "still"))
		return &emu_stuck.still;
	if (!strcmp(fault, "forgets"))
		return &emu_stuck.forgets;
	if (!strcmp(fault, "off"))
		return &emu_stuck.off;
	return strcmp(fault, "faults") ? NULL : &emu_stuck.faults;
}

static int __init emu_stuck_choose(char *text)
{
	char *part, *fault;
	u64 counters, *mask;

	while ((part = strsep(&text, ","))) {
		fault = strsep(&part, ":");
		mask = emu_stuck_mask(fault);
		if (!mask || !part || emu_stuck_counters(part, &counters))
			pr_warn("x86 PMU emulator: no such fault: %s:%s\n", fault, part ?: "");
		else
			*mask |= counters;
	}
	return 0;
}
early_param("x86_pmu_emulator_stuck", emu_stuck_choose);
