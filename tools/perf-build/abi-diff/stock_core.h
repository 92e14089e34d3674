/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the PMUs made of memory call of our core, for building them for the stock kernel:
 * enough to open events and to map buffers.
 */
#ifndef STOCK_CORE_H
#define STOCK_CORE_H

#include <linux/perf_event.h>

static inline bool perf_event_has_any_exclude(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* The stock kernel does not export these: nothing overflows there, ... */
#define perf_event_overflow(event, data, regs)	0
/* ... no record says that a trace begins, ... */
#define perf_event_itrace_started(event)	do { } while (0)
/* ... and no sample gets bytes of the AUX area. */
#define perf_output_copy_aux(aux_handle, handle, from, to)	0

#endif /* STOCK_CORE_H */
