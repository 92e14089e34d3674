/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that write to an AUX area are stopped, and started again.
 */
#ifndef _KERNEL_EVENTS_AUX_STOP_H
#define _KERNEL_EVENTS_AUX_STOP_H

#include <linux/perf_event.h>

struct perf_buffer;

void perf_aux_stop(struct perf_event *event, const struct perf_buffer *rb);
void perf_aux_start(struct perf_event *event);

#endif /* _KERNEL_EVENTS_AUX_STOP_H */
