// SPDX-License-Identifier: GPL-2.0
/*
 * The debug store: the page per CPU that tells the hardware where to write
 * PEBS and BTS records. Its place in the cpu entry area is mapped at boot, on
 * CPUs that have the feature, before any driver could ask for it.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include <asm/intel_ds.h>

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store() - hand the debug store to this CPU again
 *
 * Resume from suspend, interrupts off. Nothing has been handed out before:
 * there is no driver for PEBS or BTS.
 */
void perf_restore_debug_store(void)
{
}
