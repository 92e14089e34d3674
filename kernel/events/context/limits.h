/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many events a sub-context may have.
 */
#ifndef _KERNEL_EVENTS_LIMITS_H
#define _KERNEL_EVENTS_LIMITS_H

#include <linux/perf_event.h>

/*
 * Limits of a user without CAP_PERFMON, for the events of one sub-context. An occurrence visits
 * all events that count it, with preemption off. A context switch visits those below with
 * interrupts off and the run queue locked.
 */
#define PERF_SUBCTX_EVENTS_USER		4096
#define PERF_SWITCH_VISITS_USER		64

int perf_ctx_check_limits(const struct perf_event *event);

#endif /* _KERNEL_EVENTS_LIMITS_H */
