/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapping an event's buffer.
 */
#ifndef _KERNEL_EVENTS_MMAP_H
#define _KERNEL_EVENTS_MMAP_H

#include <linux/perf_event.h>

int perf_event_mmap_file(struct file *file, struct vm_area_struct *vma);

#endif /* _KERNEL_EVENTS_MMAP_H */
