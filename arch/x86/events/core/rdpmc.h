/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters that user space reads, see rdpmc.c.
 */
#ifndef _X86_EVENTS_RDPMC_H
#define _X86_EVENTS_RDPMC_H

#include "../counters/core_pmu.h"

extern const struct attribute_group x86_rdpmc_group;
void x86_rdpmc_mapped(struct perf_event *event, struct mm_struct *mm);
void x86_rdpmc_unmapped(struct perf_event *event, struct mm_struct *mm);
int x86_rdpmc_event_idx(struct perf_event *event);
bool x86_rdpmc_offered(void);
unsigned int x86_rdpmc_width(const struct perf_event *event, bool indexed);

#endif /* _X86_EVENTS_RDPMC_H */
