/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners: the task that opened an event, and the list of the events that a task opened.
 */
#ifndef _KERNEL_EVENTS_OWNER_H
#define _KERNEL_EVENTS_OWNER_H

#include <linux/perf_event.h>

void perf_owner_add(struct perf_event *event);
void perf_owner_remove(struct perf_event *event);
void perf_owner_exit(struct task_struct *task);

#endif /* _KERNEL_EVENTS_OWNER_H */
