// SPDX-License-Identifier: GPL-2.0
/*
 * Overflow: what happens when a period of a sampling event ends.
 *
 * The BPF program, if any, decides; then the event's handler takes the sample.
 * REFRESH counts down, an event that overflows too often is throttled until
 * the next tick, in frequency mode the period follows the rate (freq.c). What
 * can not be done in NMI is left to irq_work: waking readers, signals, turning off.
 * Taking the sample itself is in overflow_take.h.
 *
 * perf_event_overflow() runs with irqs off or in NMI, on the event's CPU.
 */
#include <linux/tick.h>

#include "context.h"
#include "overflow_take.h"
#include "place.h"
#include "ring_buffer.h"
#include "sample_rate.h"
#include "sideband.h"
#include "state.h"

/* Ticks of this CPU, and whether an event was throttled since the last one. */
static DEFINE_PER_CPU(u64, perf_ticks);
static DEFINE_PER_CPU(bool, perf_throttled);

/**
 * perf_event_wakeup - wake the pollers of the event, send its signals
 * @event: the event; irqs may be off, not in NMI, no scheduler lock held
 *
 * What becomes pending meanwhile, in NMI, is left for another run of the work.
 */
void perf_event_wakeup(struct perf_event *event)
{
	struct perf_event *root = perf_event_root(event);
	int signals = atomic_xchg(&event->pending_signals, 0);

	wake_up_all(&root->waitq);
	if (signals & PERF_SIGNAL_IN)
		kill_fasync(&root->fasync, SIGIO, POLL_IN);
	if (signals & PERF_SIGNAL_HUP)
		kill_fasync(&root->fasync, SIGIO, POLL_HUP);
}

static void perf_event_pending_irq(struct irq_work *work)
{
	perf_event_wakeup(container_of(work, struct perf_event, pending_irq));
}

/*
 * Turn the event off where its context is on. The task may have been switched
 * since the overflow, and may run on another CPU: follow it.
 */
static void perf_event_pending_disable(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event,
						pending_disable_irq);
	struct perf_event_context *ctx = event->ctx;
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	int cpu;

	lockdep_assert_irqs_disabled();

	cpu = READ_ONCE(ctx->cpu);
	if (cpu >= 0 && cpu != smp_processor_id()) {
		irq_work_queue_on(work, cpu);
		return;
	}
	if (cpu < 0) {
		raw_spin_lock(&ctx->lock);
		if (ctx->cpu >= 0) {
			cpu = ctx->cpu;
			raw_spin_unlock(&ctx->lock);
			irq_work_queue_on(work, cpu);
			return;
		}
		perf_event_settle_disable(event, 0);
		raw_spin_unlock(&ctx->lock);
		return;
	}
	perf_cpu_lock(cpuctx);
	perf_event_settle_disable(event, perf_time());
	perf_place_fill_waiting(ctx);
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_event_disable_inatomic - turn an event off, soon
 * @event: the event; irqs off or NMI, on its CPU
 */
void perf_event_disable_inatomic(struct perf_event *event)
{
	event->pending_disable = 1;
	irq_work_queue(&event->pending_disable_irq);
}

/**
 * perf_event_overflow_init - prepare a new event
 * @event: the event
 */
void perf_event_overflow_init(struct perf_event *event)
{
	init_waitqueue_head(&event->waitq);
	init_irq_work(&event->pending_irq, perf_event_pending_irq);
	event->pending_disable_irq = IRQ_WORK_INIT_HARD(perf_event_pending_disable);
}

/* Count an overflow of this tick. True when there were too many. */
static bool perf_event_rate_exceeded(struct perf_event *event)
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
 * perf_event_account_interrupt - count an interrupt, throttle if there are too many
 * @event: a sampling event, on its CPU; irqs off or NMI
 *
 * Return: 1 when the event must stop until the next tick.
 */
int perf_event_account_interrupt(struct perf_event *event)
{
	if (event->hw.interrupts != MAX_INTERRUPTS) {
		if (!perf_event_rate_exceeded(event))
			return 0;
		perf_sideband_throttle(event, true);
	}

	/* also if it was throttled already: on another CPU, or before a tick */
	event->hw.interrupts = MAX_INTERRUPTS;
	/* a clock, which needs no tick to go on: see perf_clock_event_tick() */
	if (perf_event_is_resident(event))
		return 1;
	__this_cpu_write(perf_throttled, true);
	tick_dep_set_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
	return 1;
}

/**
 * perf_event_overflow - a driver reports that a period has ended
 * @event: the event, ACTIVE on this CPU; irqs off or NMI
 * @data: initialised with perf_sample_data_init()
 * @regs: what was interrupted
 *
 * Return: non-zero when the driver must stop the event now; the core starts
 * it again, or has finished with it.
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

/* As perf_event_overflow_swevent(), which says why not all of them are taken. */
void perf_event_take_several(struct perf_event *event, u64 overflows,
			     struct perf_sample_data *data, struct pt_regs *regs)
{
	do {
		if (perf_event_take(event, data, regs))
			return;
	} while (--overflows && !perf_event_rate_exceeded(event));

	if (unlikely(overflows))
		atomic64_add(overflows, &perf_event_root(event)->lost_samples);
}

static void perf_event_unthrottle(struct perf_event *event, void *unused)
{
	struct pmu *home = event->group_leader->group_home;

	if (event->state != PERF_EVENT_STATE_ACTIVE ||
	    event->hw.interrupts != MAX_INTERRUPTS || perf_event_is_resident(event) ||
	    event->oncpu != smp_processor_id())
		return;
	event->hw.interrupts = 0;
	perf_sideband_throttle(event, false);
	/* nobody of its PMU interrupts to read it while it is started by halves */
	if (home)
		perf_pmu_disable(home);
	event->pmu->start(event, 0);
	if (home)
		perf_pmu_enable(home);
}

/* Resident events go on by themselves. */
static void perf_ctx_tick(struct perf_event_context *ctx, bool throttled)
{
	struct perf_event_set *set;

	perf_ctx_for_each_set_on(set, ctx) {
		perf_freq_tick(set);
		if (throttled)
			perf_place_each_on(set, perf_event_unthrottle, NULL);
	}
}

static bool perf_ctx_tick_wanted(struct perf_event_context *ctx)
{
	struct perf_event_set *set;

	perf_ctx_for_each_set_on(set, ctx) {
		if (perf_freq_tick_wanted(set))
			return true;
	}
	return false;
}

static bool perf_cpu_tick_wanted(struct perf_cpu_context *cpuctx)
{
	return perf_ctx_tick_wanted(&cpuctx->ctx) ||
	       (cpuctx->task_ctx && perf_ctx_tick_wanted(cpuctx->task_ctx));
}

/**
 * perf_event_task_tick - the scheduler's tick; hardirq, no rq lock
 */
void perf_event_task_tick(void)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool throttled = __this_cpu_read(perf_throttled);

	lockdep_assert_irqs_disabled();

	__this_cpu_inc(perf_ticks);
	if (likely(!throttled && !perf_cpu_tick_wanted(cpuctx)))
		return;

	if (throttled) {
		__this_cpu_write(perf_throttled, false);
		tick_dep_clear_cpu(smp_processor_id(), TICK_DEP_BIT_PERF_EVENTS);
	}
	perf_cpu_lock(cpuctx);
	perf_ctx_tick(&cpuctx->ctx, throttled);
	if (cpuctx->task_ctx)
		perf_ctx_tick(cpuctx->task_ctx, throttled);
	perf_cpu_unlock(cpuctx);
}
