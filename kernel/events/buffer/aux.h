/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AUX areas: allocation and mapping. Locking and lifetime rules are in output/aux_area.h.
 * <linux/perf_event.h> declares the transactions of aux.c, which drivers call.
 */
#ifndef _KERNEL_EVENTS_AUX_H
#define _KERNEL_EVENTS_AUX_H

#include <linux/perf_event.h>
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"

/* aux_memory.c */
struct perf_aux_area *perf_aux_alloc(struct perf_event *event,
				     unsigned long nr_pages, bool overwrite);
void perf_aux_free(struct perf_aux_area *area);

/* aux_mmap.c */
int perf_aux_mmap(struct perf_event *event, struct vm_area_struct *vma);
void perf_aux_put(struct perf_aux_area *area);

/**
 * perf_aux_init_event() - initialize the paused state of a new event
 * @event: the event; its PMU has accepted it
 */
static inline void perf_aux_init_event(struct perf_event *event)
{
	if (event->attr.aux_start_paused)
		event->hw.aux_paused = 1;
}

#endif /* _KERNEL_EVENTS_AUX_H */
