/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of AUX areas.
 */
#ifndef _KERNEL_EVENTS_AUX_MEMORY_H
#define _KERNEL_EVENTS_AUX_MEMORY_H

#include <linux/perf_event.h>

#include "../output/aux_area.h"

struct perf_aux_area *perf_aux_alloc(struct perf_event *event,
				     unsigned long nr_pages, bool overwrite);
void perf_aux_free(struct perf_aux_area *area);

#endif /* _KERNEL_EVENTS_AUX_MEMORY_H */
