/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A mapping of a buffer, or of its AUX area.
 */
#ifndef _KERNEL_EVENTS_MAPPING_H
#define _KERNEL_EVENTS_MAPPING_H

#include <linux/perf_event.h>

struct perf_buffer;

int perf_mapping_add(struct perf_event *event, struct perf_buffer *rb, struct mm_struct *mm);
void perf_mapping_drop(struct perf_event *event, struct perf_buffer *rb, struct mm_struct *mm);
void perf_notify_pmu_mapped(struct perf_event *event, struct perf_buffer *rb,
			    struct mm_struct *mm);
void perf_notify_pmu_unmapped(struct perf_event *event, struct mm_struct *mm);
int perf_vma_may_split(struct vm_area_struct *vma, unsigned long addr);

#endif /* _KERNEL_EVENTS_MAPPING_H */
