/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacements for functions of our core that the PMUs in memory call, to build them for
 * the stock kernel. With them, events can be opened and buffers can be mapped.
 */
#ifndef STOCK_CORE_H
#define STOCK_CORE_H

#include <linux/perf_event.h>

static inline bool perf_event_has_any_exclude(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* The stock kernel does not export these functions: no event overflows, ... */
#define perf_event_overflow(event, data, regs)	0
/* ... no record reports the start of a trace, ... */
#define perf_event_itrace_started(event)	do { } while (0)
/* ... and no sample contains bytes of the AUX area. */
#define perf_output_copy_aux(aux_handle, handle, from, to)	0

#endif /* STOCK_CORE_H */
