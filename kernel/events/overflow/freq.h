/* SPDX-License-Identifier: GPL-2.0 */
/* Frequency mode: selection of the period that gives the requested sampling rate. */
#ifndef _KERNEL_EVENTS_FREQ_H
#define _KERNEL_EVENTS_FREQ_H

#include <linux/perf_event.h>

#include "../base/clock.h"
#include "../base/event.h"
#include "../base/times.h"

/*
 * A rate is measured over at most this time, since it may have changed before. The product of
 * this time and the highest possible frequency fits into 64 bits.
 */
#define PERF_FREQ_MAX_INTERVAL	(8ULL * NSEC_PER_SEC)

u64 perf_freq_period(u64 counted, u64 took, u64 freq);
u64 perf_freq_approach(u64 period, u64 ideal);
bool perf_freq_is_overdue(u64 took, u64 freq);

/**
 * struct perf_freq_measure - how fast an event counts
 * @counted: increase of the count since the last measurement
 * @took: running time since then, ns
 */
struct perf_freq_measure {
	u64 counted;
	u64 took;
};

bool perf_freq_measure(struct perf_event *event, u64 now, struct perf_freq_measure *m);

/* Running time of the event, from an arbitrary start: only differences are meaningful. */
static inline u64 perf_freq_time(const struct perf_event *event)
{
	return perf_event_running_clock(event, perf_time()) -
	       READ_ONCE(event->stamp_running);
}

void perf_freq_overflow(struct perf_event *event);
void perf_freq_init_event(struct perf_event *event);
void __perf_freq_unaccount(void);

/* Undo perf_freq_init_event() when the event is being freed. Context: task. */
static inline void perf_freq_unaccount(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED) && !event->parent)
		__perf_freq_unaccount();
}

/* The event is added to, or removed from, its context. Caller must hold ctx->lock. */
static inline void perf_freq_attach(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED))
		list_add_tail(&event->freq_entry, &event->subctx->freq_events);
}

static inline void perf_freq_detach(struct perf_event *event)
{
	if (unlikely(event->event_caps & PERF_EV_CAP_TICKED))
		list_del_init(&event->freq_entry);
}

#endif /* _KERNEL_EVENTS_FREQ_H */
