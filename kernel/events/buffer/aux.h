/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The AUX area: made, mapped, unmapped. Locking and lifetime rules are in output/aux_area.h.
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

/* aux_mmap.c: the mapping, and what has to stop when it goes */
int perf_aux_mmap(struct perf_event *event, struct vm_area_struct *vma);
void perf_aux_stop(struct perf_event *event, const struct perf_buffer *rb);
void perf_aux_start(struct perf_event *event);
void perf_aux_put(struct perf_aux_area *area);

/**
 * perf_aux_init_event() - what a new event needs to pause
 * @event: its PMU has taken it
 */
static inline void perf_aux_init_event(struct perf_event *event)
{
	if (event->attr.aux_start_paused)
		event->hw.aux_paused = 1;
}

#endif /* _KERNEL_EVENTS_AUX_H */
