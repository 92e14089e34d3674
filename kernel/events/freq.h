/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frequency mode: how long the periods are that give the rate of samples asked for.
 */
#ifndef _KERNEL_EVENTS_FREQ_H
#define _KERNEL_EVENTS_FREQ_H

#include <linux/perf_event.h>

struct perf_event_context;

/*
 * A rate is not measured over more than this: it has changed since. Times the highest
 * frequency there can be it is still a number of 64 bits.
 */
#define PERF_FREQ_MAX_INTERVAL	(8ULL * NSEC_PER_SEC)

u64 perf_freq_period(u64 counted, u64 took, u64 freq);
u64 perf_freq_approach(u64 period, u64 ideal);
bool perf_freq_is_overdue(u64 took, u64 freq);

void perf_freq_overflow(struct perf_event *event);
void __perf_freq_attach(struct perf_event *event);
void __perf_freq_detach(struct perf_event *event);

/* An event comes into its context, or leaves it: ctx->lock is held. */
static inline void perf_freq_attach(struct perf_event *event)
{
	if (unlikely(event->attr.freq))
		__perf_freq_attach(event);
}

static inline void perf_freq_detach(struct perf_event *event)
{
	if (unlikely(event->attr.freq))
		__perf_freq_detach(event);
}

void perf_freq_tick(struct perf_event_context *ctx);
bool perf_freq_tick_wanted(const struct perf_event_context *ctx);

#endif /* _KERNEL_EVENTS_FREQ_H */
