/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGTRAP on overflow.
 */
#ifndef _KERNEL_EVENTS_SIGTRAP_H
#define _KERNEL_EVENTS_SIGTRAP_H

#include <linux/perf_event.h>

void perf_sigtrap_init(struct perf_event *event);
void perf_sigtrap_raise(struct perf_event *event, u64 addr, bool user);

#endif /* _KERNEL_EVENTS_SIGTRAP_H */
