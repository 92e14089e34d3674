// SPDX-License-Identifier: GPL-2.0
/*
 * One event on its PMU.
 *
 * Whether it shall count is not decided here: see context/state.c for the user's wish and
 * sched.c for groups that need counters. All runs under ctx->lock, on the CPU where the
 * context is on if it is.
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
	/* it starts now, throttled or not: the next tick owes it nothing */
	if (unlikely(event->hw.interrupts == MAX_INTERRUPTS)) {
		event->hw.interrupts = 0;
		if (event->ctx->cpu >= 0)
			perf_sideband_throttle(event, false);
	}
	perf_aux_announce(event);
}

/**
 * perf_event_prepare_add() - an event that is ACTIVE is about to be added to its PMU
 * @event: the event
 */
void perf_event_prepare_add(struct perf_event *event)
{
	__perf_event_prepare_add(event);
}

/*
 * Whoever reads an event in an NMI, or where a driver's function is probed, calls that
 * driver if the event is on this CPU. So oncpu says so only while the driver has the
 * event entirely: from behind add() until before del().
 */
static void perf_event_set_oncpu(struct perf_event *event, int cpu)
{
	barrier();
	WRITE_ONCE(event->oncpu, cpu);
}

/**
 * __perf_event_del() - take an event from its driver
 * @event: the driver has it
 */
void __perf_event_del(struct perf_event *event)
{
	WRITE_ONCE(event->oncpu, -1);
	barrier();
	event->pmu->del(event, 0);
}

static __always_inline int __perf_event_add(struct perf_event *event)
{
	__perf_event_prepare_add(event);
	if (unlikely(event->pmu->add(event, PERF_EF_START)))
		return -EAGAIN;
	perf_event_set_oncpu(event, event->ctx->cpu);
	perf_userpage_changed(event);
	return 0;
}

/**
 * perf_event_add() - let an event that is ACTIVE have a counter
 * @event: the event; if its group has a PMU, the PMU is disabled
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
 */
int perf_event_add(struct perf_event *event)
{
	return __perf_event_add(event);
}

/**
 * perf_event_del() - take an event's counter away
 * @event: ACTIVE, with a counter, and so it stays; the PMU is disabled
 *
 * Its group goes on counting when its sub-context does. Until then their clock stands.
 */
void perf_event_del(struct perf_event *event)
{
	__perf_event_del(event);
	perf_userpage_changed(event);
}

/**
 * __perf_event_sched_in() - let one event count; its stamps must be those of now
 * @event: INACTIVE; if its group has a PMU, the PMU is disabled
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
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
 * perf_event_sched_in() - let one event count
 * @event: INACTIVE; if its group has a PMU, the PMU is disabled
 * @now: perf_ctx_now()
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
 */
int perf_event_sched_in(struct perf_event *event, u64 now)
{
	perf_event_running_start(event, now);
	return __perf_event_sched_in(event);
}

/**
 * __perf_event_sched_out() - let one event count no longer
 * @event: ACTIVE; its totals must be up to date
 */
void __perf_event_sched_out(struct perf_event *event)
{
	if (perf_event_has_counter(event))
		__perf_event_del(event);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	perf_followers_switch(event, false);
	perf_userpage_changed(event);
}

/**
 * perf_event_sched_out() - let one event count no longer
 * @event: ACTIVE; if its group has a PMU, the PMU is disabled
 * @now: perf_ctx_now()
 */
void perf_event_sched_out(struct perf_event *event, u64 now)
{
	perf_event_running_stop(event, now);
	__perf_event_sched_out(event);
}
