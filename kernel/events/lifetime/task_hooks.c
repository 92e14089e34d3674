// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks of fork and mmap: side-band records, and updates of address filters.
 */
#include <linux/perf_event.h>

#include "../trace/filter.h"
#include "../sideband/sideband.h"

/**
 * perf_event_mmap() - record a new or changed mapping of current, and update address filters
 * @vma: the mapping
 *
 * Context: task. Caller must hold mmap_lock for writing, and may hold an anon_vma lock. May
 * allocate; must not take mmap_lock.
 */
void perf_event_mmap(struct vm_area_struct *vma)
{
	perf_sideband_mmap(vma);
	perf_filter_mmap(vma);
}

/**
 * perf_event_fork() - record a new task, and apply address filters to its mappings
 * @tsk: the new task, visible to other tasks, not woken yet
 *
 * Context: task, no locks held.
 */
void perf_event_fork(struct task_struct *tsk)
{
	perf_sideband_fork(tsk);
	perf_event_namespaces(tsk);
	perf_filter_fork(tsk);
}
