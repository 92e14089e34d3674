/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file for each PMU in debugfs: the events that have its counters.
 */
#ifndef _KERNEL_EVENTS_DEBUGFS_H
#define _KERNEL_EVENTS_DEBUGFS_H

struct pmu;

#ifdef CONFIG_DEBUG_FS
void perf_debugfs_add(struct pmu *pmu);
void perf_debugfs_remove(struct pmu *pmu);
#else
static inline void perf_debugfs_add(struct pmu *pmu) { }
static inline void perf_debugfs_remove(struct pmu *pmu) { }
#endif

#endif /* _KERNEL_EVENTS_DEBUGFS_H */
