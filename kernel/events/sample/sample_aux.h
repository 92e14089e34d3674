/* SPDX-License-Identifier: GPL-2.0 */
/* A part of the AUX area in a sample. */
#ifndef _KERNEL_EVENTS_SAMPLE_AUX_H
#define _KERNEL_EVENTS_SAMPLE_AUX_H

#include <linux/perf_event.h>

unsigned int perf_aux_sample_size(struct perf_event *event, unsigned int room);
void perf_aux_sample_put(struct perf_output_handle *handle,
			 struct perf_event *event, unsigned int size);

#endif /* _KERNEL_EVENTS_SAMPLE_AUX_H */
