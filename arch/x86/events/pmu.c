// SPDX-License-Identifier: GPL-2.0
/*
 * The core PMU: which one there is, and what the rest of the kernel is told of
 * it. No driver has been written yet, so the answers are those of a machine
 * without a PMU: nothing is counted in hardware, and KVM offers none to guests.
 */
#include <linux/cache.h>
#include <linux/export.h>
#include <linux/string.h>

#include "perf_event.h"

static int x86_pmu_no_irq(struct pt_regs *regs)
{
	return 0;
}

struct x86_pmu x86_pmu __read_mostly = {
	.handle_irq	= x86_pmu_no_irq,
};

/**
 * perf_get_x86_pmu_capability() - tell KVM what it may offer to guests
 * @cap: filled in; all zero without a PMU, and KVM then offers none
 *
 * Task context.
 */
void perf_get_x86_pmu_capability(struct x86_pmu_capability *cap)
{
	memset(cap, 0, sizeof(*cap));
}
EXPORT_SYMBOL_GPL(perf_get_x86_pmu_capability);

/**
 * perf_get_hw_event_config() - how this CPU encodes a generic hardware event
 * @hw_event: one of enum perf_hw_id
 *
 * Any context. Return: event select bits without privilege and enable bits, 0
 * if the CPU does not have the event.
 */
u64 perf_get_hw_event_config(int hw_event)
{
	return 0;
}
EXPORT_SYMBOL_GPL(perf_get_hw_event_config);

/**
 * perf_check_microcode() - look at errata again after a late microcode load
 *
 * Task context, CPU hotplug locked. No erratum matters while nothing is
 * programmed.
 */
void perf_check_microcode(void)
{
}
