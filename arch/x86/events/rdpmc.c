// SPDX-License-Identifier: GPL-2.0
/*
 * Reading counters with RDPMC: who may, and under which index. CR4.PCE follows
 * the two keys below and mm->context.perf_rdpmc_allowed (see cr4_update_pce());
 * all stay off as long as no PMU driver turns them on.
 */
#include <linux/jump_label.h>

#include <asm/mmu_context.h>

#include "perf_event.h"

/* sysfs "rdpmc" of the PMU is 0: nobody may */
DEFINE_STATIC_KEY_FALSE(rdpmc_never_available_key);
/* it is 2: everybody may; else tasks that have an event mapped */
DEFINE_STATIC_KEY_FALSE(rdpmc_always_available_key);

/**
 * perf_clear_dirty_counters() - leave no count of others for RDPMC to find
 *
 * Called with interrupts off, when an mm that may use RDPMC is loaded: counters
 * that current has no event on are zeroed. Without a driver none has counted.
 */
void perf_clear_dirty_counters(void)
{
}

/**
 * x86_perf_rdpmc_index() - the operand of RDPMC that reads an event
 * @event: event of the core PMU that is on this CPU
 *
 * Interrupts off, so that the event stays where it is.
 */
int x86_perf_rdpmc_index(struct perf_event *event)
{
	int idx = event->hw.idx;

	lockdep_assert_irqs_disabled();

	if (idx < INTEL_PMC_IDX_FIXED)
		return idx;

	return INTEL_PMC_FIXED_RDPMC_BASE | (idx - INTEL_PMC_IDX_FIXED);
}
