// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU's interrupt, which the local APIC delivers as an NMI. The handler
 * itself will come with the first PMU driver.
 */
#include <asm/apic.h>

#include "perf_event.h"

/**
 * perf_events_lapic_init() - route PMU interrupts of this CPU to its NMI
 *
 * Each CPU's local APIC set-up, at boot, on hotplug and on resume; preemption
 * off. The APIC masks the entry whenever it has delivered from it.
 */
void perf_events_lapic_init(void)
{
	if (x86_pmu.name)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
}
