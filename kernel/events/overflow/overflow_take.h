/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking a sample, inlined.
 *
 * Only for overflow.c, to which drivers report, and software.c: an occurrence of a
 * software event may be nothing but this. Irqs off or NMI, on the event's CPU.
 */
#ifndef _KERNEL_EVENTS_OVERFLOW_TAKE_H
#define _KERNEL_EVENTS_OVERFLOW_TAKE_H

#include "../base/event.h"
#include "../output/wakeup.h"
#include "aux_pause.h"
#include "bpf.h"
#include "freq.h"
#include "sigtrap.h"

static __always_inline int perf_event_take_one(struct perf_event *event,
					       struct perf_sample_data *data,
					       struct pt_regs *regs)
{
	unsigned int signal = 0;
	int stop = 0;

	if (!perf_event_bpf_passes(event, data, regs))
		return 0;

	if (READ_ONCE(perf_event_root(event)->fasync))
		signal = PERF_SIGNAL_IN;
	if (atomic_read(&event->event_limit) &&
	    atomic_dec_and_test(&event->event_limit)) {
		signal = PERF_SIGNAL_HUP;
		perf_event_disable_inatomic(event);
		stop = 1;
	}
	/* it is for this sample, whether or not that wakes readers as well */
	if (unlikely(signal))
		atomic_or(signal, &event->pending_signals);

	if (event->attr.sigtrap)
		perf_sigtrap_raise(event, data->sample_flags & PERF_SAMPLE_ADDR ?
				   data->addr : 0, user_mode(regs));

	event->overflow_handler(event, data, regs);

	if (unlikely(signal))
		irq_work_queue(&event->pending_irq);
	return stop;
}

/* One sample, whatever the rate. Non-zero: the event must stop. */
static __always_inline int perf_event_take(struct perf_event *event,
					   struct perf_sample_data *data,
					   struct pt_regs *regs)
{
	int stop;

	perf_aux_before_sample(event);
	stop = perf_event_take_one(event, data, regs);
	perf_aux_after_sample(event);
	return stop;
}

/* overflow.c */
void perf_event_take_several(struct perf_event *event, u64 overflows,
			     struct perf_sample_data *data, struct pt_regs *regs);

/**
 * perf_event_overflow_swevent() - periods of a software event have ended
 * @event: the event
 * @overflows: how many
 * @data: the sample
 * @regs: where
 *
 * The first is always taken: a software event does not storm by itself, nor can
 * it be stopped. But one occurrence can be worth millions of periods, with irqs
 * off, maybe under the rq lock; what goes beyond the rate is lost.
 */
static __always_inline void
perf_event_overflow_swevent(struct perf_event *event, u64 overflows,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	if (event->attr.freq)
		perf_freq_overflow(event);
	if (likely(overflows == 1))
		perf_event_take(event, data, regs);
	else
		perf_event_take_several(event, overflows, data, regs);
}

#endif /* _KERNEL_EVENTS_OVERFLOW_TAKE_H */
