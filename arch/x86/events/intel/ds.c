// SPDX-License-Identifier: GPL-2.0
/*
 * The debug store: the page per CPU that tells the hardware where to write
 * PEBS and BTS records. Its place in the cpu entry area is mapped at boot, on
 * CPUs that have the feature, before any driver could ask for it.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include <asm/intel_ds.h>
#include "../core_pmu.h"

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store() - set the PMU up again on this CPU
 *
 * Resume from suspend, interrupts off. The debug store has not been handed out
 * before: there is no driver for PEBS or BTS. But of all there is this is the one
 * call that tells of a resume, so the counters are seen to here, whoever made them.
 */
void perf_restore_debug_store(void)
{
	x86_core_resume();
}
