// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow: handling of the end of a period of a sampling event.
 *
 * The BPF program, if any, decides whether a sample is taken. The event's handler then takes
 * it. PERF_EVENT_IOC_REFRESH limits the number of overflows. An event that overflows too often
 * is throttled until the next tick. In frequency mode the period follows the rate (freq.c).
 * Actions that are not possible in NMI are left to irq_work: waking readers, signals,
 * disabling the event. Taking the sample is in overflow_take.h.
 *
 * Context: irqs off or NMI, on the event's CPU, for perf_event_overflow().
 */
#include <linux/tick.h>

#include "../base/event.h"
#include "../sideband/sideband.h"
#include "freq.h"
#include "overflow.h"
#include "overflow_take.h"
#include "sample_rate.h"

/* Number of ticks of this CPU, and whether an event was throttled since the last tick. */
DEFINE_PER_CPU(u64, perf_ticks);
DEFINE_PER_CPU(bool, perf_throttled);

/**
 * perf_event_disable_inatomic() - disable an event from irq_work
 * @event: the event, on its CPU
 *
 * Context: irqs off or NMI.
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	event->pending_disable = 1;
	irq_work_queue(&event->pending_disable_irq);
}

/* Count an overflow. Return: true if there were too many since the last tick. */
static bool perf_event_count_overflow(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 tick = __this_cpu_read(perf_ticks);

	if (hwc->interrupts_seq != tick) {
		hwc->interrupts_seq = tick;
		hwc->interrupts = 0;
	}
	return ++hwc->interrupts > perf_sample_rate_per_tick();
}

/**
 * perf_event_account_interrupt() - count an interrupt, and throttle the event if there are too
 * many
 * @event: a sampling event, on its CPU
 *
 * Context: irqs off or NMI.
 * Return: 1 when the event must stop until the next tick.
 */
int perf_event_account_interrupt(struct perf_event *event)
{
	if (!perf_event_is_throttled(event)) {
		if (!perf_event_count_overflow(event))
			return 0;
		perf_sideband_throttle(event, true);
	}

	/* also if the event is throttled already: on another CPU, or before a tick */
	perf_event_mark_throttled(event);
	/* an unscheduled clock does not need the tick to restart: see perf_clock_tick() */
	if (perf_event_is_nosched(event))
		return 1;
	__this_cpu_write(perf_throttled, true);
	tick_dep_set_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
	return 1;
}

/**
 * perf_event_end_throttle() - let an event that is throttled sample again
 * @event: throttled; the caller starts it
 * @report: write a record of it
 *
 * There are four callers: the scheduler tick of the event's CPU (sched/tick.c), whatever adds
 * the event to its PMU before that tick (sched/event_sched.c), PERF_EVENT_IOC_PERIOD
 * (abi/period.c), and the timer of a clock (software/clock_tick.c). Each of them starts the event
 * once: a driver may lose counts if the event is started while it runs.
 *
 * Context: irqs off, on the event's CPU. If the context is off, on any CPU, under ctx->lock.
 */
void perf_event_end_throttle(struct perf_event *event, bool report)
{
	event->hw.interrupts = 0;
	if (report)
		perf_sideband_throttle(event, false);
}

/**
 * perf_event_overflow() - report the end of a period, called by drivers
 * @event: the event, ACTIVE on this CPU
 * @data: initialised with perf_sample_data_init()
 * @regs: registers of the interrupted context
 *
 * Context: irqs off or NMI.
 * Return: non-zero when the driver must stop the event now. The core starts the event again if
 * it is still to count.
 */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int stop;

	if (unlikely(!is_sampling_event(event)))
		return 0;

	stop = perf_event_account_interrupt(event);
	if (event->attr.freq)
		perf_freq_overflow(event);
	return perf_event_take(event, data, regs) | stop;
}
EXPORT_SYMBOL_GPL(perf_event_overflow);

/*
 * Take one sample if the event's program wants it. Some drivers use @data for the next event as
 * well: what was filled in for the program and for this sample is not given then.
 */
int perf_event_take_by_program(struct perf_event *event, struct perf_sample_data *data,
			       struct pt_regs *regs)
{
	u64 given = data->sample_flags, dyn_size = data->dyn_size;
	int stop = 0;

	if (perf_event_bpf_run(event, data, regs))
		stop = __perf_event_take_one(event, data, regs);
	data->sample_flags = given;
	data->dyn_size = dyn_size;
	return stop;
}

/* See perf_event_overflow_swevent() for why not all samples are taken. */
void perf_event_take_several(struct perf_event *event, u64 overflows,
			     struct perf_sample_data *data, struct pt_regs *regs)
{
	do {
		if (perf_event_take(event, data, regs))
			return;
	} while (--overflows && !perf_event_count_overflow(event));

	if (unlikely(overflows))
		atomic64_add(overflows, &perf_event_root(event)->lost_samples);
}
