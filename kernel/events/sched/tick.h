/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tick does for events in frequency mode.
 */
#ifndef _KERNEL_EVENTS_TICK_H
#define _KERNEL_EVENTS_TICK_H

#include "../base/contexts.h"

/* Events of a sub-context that are checked per tick. Later ticks check the remaining events. */
#define PERF_FREQ_AT_ONCE	64

void perf_tick_freq(struct perf_subctx *subctx);
bool perf_tick_freq_is_due(const struct perf_subctx *subctx);

#endif /* _KERNEL_EVENTS_TICK_H */
