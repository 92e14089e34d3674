/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking a sample, inlined.
 *
 * To be included only by overflow.c, to which drivers report overflows, and software.c: an
 * occurrence of a software event may consist of nothing else.
 *
 * __always_inline: as in software.c. perf_event_take_one() matters on arm64, 9 to 15 instructions
 * of a sampled page fault.
 *
 * Context: irqs off or NMI, on the event's CPU.
 */
#ifndef _KERNEL_EVENTS_OVERFLOW_TAKE_H
#define _KERNEL_EVENTS_OVERFLOW_TAKE_H

#include "../base/event.h"
#include "../output/wake.h"
#include "../output/wakeup.h"
#include "aux_pause.h"
#include "bpf.h"
#include "freq.h"
#include "sigtrap.h"

int perf_event_take_by_program(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs);

static __always_inline int __perf_event_take_one(struct perf_event *event,
						 struct perf_sample_data *data,
						 struct pt_regs *regs)
{
	unsigned int signal = 0;
	int stop = 0;

	if (READ_ONCE(perf_event_root(event)->fasync))
		signal = PERF_SIGNAL_IN;
	if (atomic_read(&event->event_limit) &&
	    atomic_dec_and_test(&event->event_limit)) {
		signal = PERF_SIGNAL_HUP;
		perf_event_disable_inatomic(event);
		stop = 1;
	}
	/* the signal is for this sample, whether or not the sample also wakes readers */
	if (unlikely(signal))
		atomic_or(signal, &event->pending_signals);

	if (event->attr.sigtrap)
		perf_sigtrap_raise(event, data->sample_flags & PERF_SAMPLE_ADDR ?
				   data->addr : 0, user_mode(regs));

	event->overflow_handler(event, data, regs);

	if (unlikely(signal))
		perf_wake_queue(&event->pending_wake, event);
	return stop;
}

static __always_inline int perf_event_take_one(struct perf_event *event,
					       struct perf_sample_data *data,
					       struct pt_regs *regs)
{
	return perf_event_has_program(event) ? perf_event_take_by_program(event, data, regs) :
					       __perf_event_take_one(event, data, regs);
}

/* Take one sample without a check of the rate. Return: non-zero when the event must stop. */
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
 * perf_event_overflow_swevent() - report the end of periods of a software event
 * @event: the event
 * @overflows: number of periods
 * @data: the sample
 * @regs: registers at the occurrence
 *
 * The first sample is always taken: a software event cannot cause an interrupt storm by
 * itself, and cannot be stopped. But one occurrence can be worth millions of periods, with
 * irqs off and perhaps under the rq lock. Samples beyond the rate are therefore lost.
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
