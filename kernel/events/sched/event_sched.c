// SPDX-License-Identifier: GPL-2.0
/*
 * Scheduling of one event on its PMU.
 *
 * Whether an event is to count is decided elsewhere: context/state.c has the state that user
 * space requested, sched.c has the groups that need counters.
 *
 * __always_inline here and in software_pmu.c: enabling and disabling an event takes 13
 * instructions less, of 450 (make bench, x86_64).
 *
 * Context: Caller must hold ctx->lock. If the context is scheduled in, this runs on its CPU.
 */
#include "../base/event.h"
#include "../base/times.h"
#include "../output/userpage.h"
#include "../overflow/overflow.h"
#include "../sideband/sideband.h"
#include "../software/follow.h"
#include "event_sched.h"

static __always_inline void __perf_event_prepare_add(struct perf_event *event)
{
	/*
	 * Adding starts the event even if it was throttled, so the next tick need not start it. An
	 * event that is about to be disabled is not started.
	 */
	if (unlikely(perf_event_is_throttled(event)) && !event->pending_disable)
		perf_event_end_throttle(event, event->ctx->cpu >= 0);
	perf_aux_announce(event);
}

/**
 * perf_event_prepare_add() - prepare an ACTIVE event for being added to its PMU
 * @event: the event
 */
void perf_event_prepare_add(struct perf_event *event)
{
	__perf_event_prepare_add(event);
}

/*
 * A reader in NMI context, or in a probe on a function of the driver, calls that driver if
 * oncpu is this CPU. oncpu must therefore be set only while the driver has all of the event:
 * from after add() until before del().
 */
static void perf_event_set_oncpu(struct perf_event *event, int cpu)
{
	barrier();
	WRITE_ONCE(event->oncpu, cpu);
}

static __always_inline int __perf_event_add(struct perf_event *event)
{
	__perf_event_prepare_add(event);
	if (unlikely(event->pmu->add(event, perf_event_add_flags(event))))
		return -EAGAIN;
	perf_event_set_oncpu(event, event->ctx->cpu);
	perf_userpage_changed(event);
	return 0;
}

/**
 * perf_event_add() - give an ACTIVE event a counter
 * @event: the event; if its group has a PMU, the PMU is disabled
 *
 * Return: 0, or non-zero when the event does not fit on its PMU.
 */
int perf_event_add(struct perf_event *event)
{
	return __perf_event_add(event);
}

/**
 * __perf_event_sched_in() - schedule one event in
 * @event: INACTIVE, its time stamps up to date; if its group has a PMU, the PMU is disabled
 *
 * Return: 0, or non-zero when the event does not fit on its PMU.
 */
int __perf_event_sched_in(struct perf_event *event)
{
	int err;

	WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
	err = __perf_event_add(event);
	if (err)
		WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	else
		perf_followers_switch(event, true);
	return err;
}

/**
 * perf_event_sched_in() - schedule one event in
 * @event: INACTIVE; if its group has a PMU, the PMU is disabled
 * @now: perf_ctx_now()
 *
 * Return: 0, or non-zero when the event does not fit on its PMU.
 */
int perf_event_sched_in(struct perf_event *event, u64 now)
{
	perf_event_running_start(event, now);
	return __perf_event_sched_in(event);
}

/**
 * perf_event_sched_out() - schedule one event out
 * @event: ACTIVE; if its group has a PMU, the PMU is disabled
 * @now: perf_ctx_now()
 */
void perf_event_sched_out(struct perf_event *event, u64 now)
{
	perf_event_running_stop(event, now);
	__perf_event_sched_out(event);
}
