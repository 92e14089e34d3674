/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file behind an event's descriptor.
 */
#ifndef _KERNEL_EVENTS_FILE_H
#define _KERNEL_EVENTS_FILE_H

#include <linux/perf_event.h>

extern const struct file_operations perf_event_fops;

/**
 * perf_event_of_file() - the event behind an open file
 * @file: the file, referenced
 *
 * Return: the event, valid as long as the file is open; NULL if @file is not an event's.
 */
static inline struct perf_event *perf_event_of_file(struct file *file)
{
	return file->f_op == &perf_event_fops ? file->private_data : NULL;
}

#endif /* _KERNEL_EVENTS_FILE_H */
