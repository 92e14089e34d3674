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
 * perf_restore_debug_store() - tell this CPU again where its debug store is
 *
 * Resume from suspend, interrupts off. It has not been told before: there is no
 * driver for PEBS or BTS. The counters have their turn later, see suspend.c.
 */
void perf_restore_debug_store(void)
{
}
