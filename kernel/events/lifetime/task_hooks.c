// SPDX-License-Identifier: GPL-2.0
/*
 * What a task does that is recorded, and that address filters depend on.
 */
#include <linux/perf_event.h>

#include "../buffer/filter.h"
#include "../sideband/sideband.h"

/**
 * perf_event_mmap() - current mapped something, or changed a mapping
 * @vma: the mapping
 *
 * Context: task, mmap_lock held for write, perhaps an anon_vma lock as well. May
 * allocate, must not take mmap_lock.
 */
void perf_event_mmap(struct vm_area_struct *vma)
{
	perf_sideband_mmap(vma);
	perf_filter_mmap(vma);
}

/**
 * perf_event_fork() - a task was born
 * @tsk: it; visible, not yet woken
 *
 * Context: task, no lock held.
 */
void perf_event_fork(struct task_struct *tsk)
{
	perf_sideband_fork(tsk);
	perf_event_namespaces(tsk);
	perf_filter_fork(tsk);
}
