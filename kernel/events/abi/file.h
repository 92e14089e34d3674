/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file behind an event's descriptor.
 */
#ifndef _KERNEL_EVENTS_FILE_H
#define _KERNEL_EVENTS_FILE_H

#include <linux/perf_event.h>

extern const struct file_operations perf_event_fops;

struct perf_event *perf_event_of_file(struct file *file);

#endif /* _KERNEL_EVENTS_FILE_H */
