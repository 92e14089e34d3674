/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frequency mode: how long the periods are that give the rate of samples asked for.
 */
#ifndef _KERNEL_EVENTS_FREQ_H
#define _KERNEL_EVENTS_FREQ_H

#include <linux/perf_event.h>

#include "event.h"
#include "set.h"

/*
 * A rate is not measured over more than this: it has changed since. Times the highest
 * frequency there can be it is still a number of 64 bits.
 */
#define PERF_FREQ_MAX_INTERVAL	(8ULL * NSEC_PER_SEC)

u64 perf_freq_period(u64 counted, u64 took, u64 freq);
u64 perf_freq_approach(u64 period, u64 ideal);
bool perf_freq_is_overdue(u64 took, u64 freq);

/* At a tick, of a set's events; if there are more, the rest has its turn at the next. */
#define PERF_FREQ_AT_ONCE	64

void perf_freq_overflow(struct perf_event *event);
void perf_freq_init_event(struct perf_event *event);
void __perf_freq_unaccount(void);

/* Undo perf_freq_init_event(): the event is being freed; task context. */
static inline void perf_freq_unaccount(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED) && !event->parent)
		__perf_freq_unaccount();
}

/* An event comes into its context, or leaves it: ctx->lock is held. */
static inline void perf_freq_attach(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED))
		list_add_tail(&event->freq_entry, &event->set->freq_events);
}

static inline void perf_freq_detach(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED))
		list_del_init(&event->freq_entry);
}

void perf_freq_tick(struct perf_event_set *set);
bool perf_freq_tick_wanted(const struct perf_event_set *set);

#endif /* _KERNEL_EVENTS_FREQ_H */
