// SPDX-License-Identifier: GPL-2.0
/*
 * The debug store: the page per CPU with the addresses to which the hardware writes PEBS
 * and BTS records. It is mapped in the cpu entry area at boot, on CPUs with the feature,
 * also without a driver for it.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include <asm/intel_ds.h>

DEFINE_PER_CPU_PAGE_ALIGNED(struct debug_store, cpu_debug_store);

/**
 * perf_restore_debug_store() - restore the MSR with the address of the debug store
 *
 * Does nothing: the MSR is never set, because there is no driver for PEBS or BTS.
 * suspend.c resumes the counters.
 *
 * Context: Resume from suspend, interrupts disabled.
 */
void perf_restore_debug_store(void)
{
}
