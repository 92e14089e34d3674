/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Software events: occurrences that the kernel reports, and their PMU.
 */
#ifndef _KERNEL_EVENTS_SOFTWARE_H
#define _KERNEL_EVENTS_SOFTWARE_H

#include <linux/perf_event.h>

void perf_swevent_count(struct perf_event *event, u64 nr,
			struct perf_sample_data *data, struct pt_regs *regs);
bool perf_swevent_excluded(const struct perf_event *event, struct pt_regs *regs);

/* task_migration.c */
void perf_task_migration_get(void);
void perf_task_migration_put(void);
void perf_task_migration_flush(void);

/* software_pmu.c */
void __init perf_swevent_init(void);

#endif /* _KERNEL_EVENTS_SOFTWARE_H */
