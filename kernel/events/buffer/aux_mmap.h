/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping the AUX area of a buffer. Locking and lifetime rules are in output/aux_area.h.
 */
#ifndef _KERNEL_EVENTS_AUX_MMAP_H
#define _KERNEL_EVENTS_AUX_MMAP_H

#include <linux/perf_event.h>

#include "../output/aux_area.h"

int perf_aux_mmap(struct perf_event *event, struct vm_area_struct *vma);
void perf_aux_put(struct perf_aux_area *area);

#endif /* _KERNEL_EVENTS_AUX_MMAP_H */
