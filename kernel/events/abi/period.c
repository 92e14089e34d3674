// SPDX-License-Identifier: GPL-2.0
/*
 * Periods: PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_REFRESH, and the same for counters of
 * the kernel. overflow.c handles the end of a period.
 *
 * Caller must hold the mutex of the event's context, unless a function takes it.
 * Context: task.
 */
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/ctx_swap.h"
#include "../context/state.h"
#include "../overflow/overflow.h"
#include "period.h"

static int perf_period_check(struct perf_event *event, u64 value)
{
	struct pmu *pmu = event->pmu;

	if (!is_sampling_event(event))
		return perf_refuse(-EINVAL, "sample_period", "the event does not sample");
	if (!value)
		return perf_refuse(-EINVAL, "sample_period", "0 is not a period");
	if ((s64)value < 0)
		return perf_refuse(-EINVAL, "sample_period", "bit 63 is set");
	if (event->attr.freq) {
		if (value > sysctl_perf_event_sample_rate)
			return perf_refuse(-EINVAL, "sample_freq",
					   "%llu asked, sysctl perf_event_max_sample_rate allows %d",
					   value, sysctl_perf_event_sample_rate);
		return 0;
	}
	if (pmu->check_period && pmu->check_period(event, value))
		return perf_refuse(-EINVAL, "sample_period",
				   "PMU %s does not take %llu", pmu->name, value);
	return 0;
}

struct perf_period_change {
	struct perf_event	*event;
	u64			value;
};

/* Called on the event's CPU if it is scheduled in. The current period is abandoned. */
static void perf_period_change_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_period_change *change = arg;
	struct perf_event *event = change->event;
	bool active = perf_event_has_counter(event);
	/* a follower has no counter on its group PMU */
	struct pmu *group_pmu = perf_event_follows(event) ? NULL : event->group_leader->group_pmu;
	bool starts;

	/* the child contexts have the old period: no context swap with them any more */
	perf_ctx_changed(ctx);
	if (active && group_pmu)
		perf_pmu_disable(group_pmu);
	if (active)
		event->pmu->stop(event, PERF_EF_UPDATE);
	/* after the last overflow the event stays stopped, until its irq_work disables it */
	starts = active && !event->pending_disable;
	/* it is started below: the tick must not start it once more */
	if (starts && perf_event_is_throttled(event) && !perf_event_is_nosched(event))
		perf_event_end_throttle(event, true);

	/* frequency and period share a field; a frequency's period is adjusted later */
	event->attr.sample_period = change->value;
	if (!event->attr.freq)
		event->hw.sample_period = change->value;
	local64_set(&event->hw.period_left, 0);

	if (starts)
		event->pmu->start(event, PERF_EF_RELOAD);
	if (active && group_pmu)
		perf_pmu_enable(group_pmu);
}

/**
 * perf_event_set_period() - change period or frequency
 * @event: the event
 * @value: events per sample, or samples per second in frequency mode
 *
 * Return: 0 or -EINVAL.
 */
int perf_event_set_period(struct perf_event *event, u64 value)
{
	struct perf_period_change change = { .event = event, .value = value };
	struct task_struct *task = event->hw.target;
	struct perf_event_context *ctx = NULL;
	int err = perf_period_check(event, value);

	if (err)
		return err;
	/* only this task's event changes; events of child contexts keep their own period */
	if (event->attr.inherit && !event->parent && task)
		ctx = perf_ctx_pin_own(task);
	scoped_guard(mutex, &event->child_mutex)
		perf_ctx_call(event->ctx, perf_period_change_locked, &change);
	if (ctx)
		perf_ctx_unpin(ctx);
	return 0;
}

/**
 * perf_event_refresh_one() - enable an event for a number of overflows
 * @event: the event
 * @refresh: number of overflows; added to the rest of an earlier call
 *
 * Return: 0, or -EINVAL for an event that does not sample or is inherited.
 */
int perf_event_refresh_one(struct perf_event *event, int refresh)
{
	if (event->attr.inherit)
		return perf_refuse(-EINVAL, "inherit",
				   "overflows of an inherited event cannot be limited");
	if (!is_sampling_event(event))
		return perf_refuse(-EINVAL, "sample_period", "the event does not sample");

	/* If it counts already, the limit so far, or none, decides on what was recorded so far. */
	perf_event_flush_samples_one(event);
	atomic_add(refresh, &event->event_limit);
	perf_event_enable_one(event);
	/* from now on with a limit */
	perf_event_flush_samples_one(event);
	return 0;
}

/**
 * perf_event_period() - change the period of an event; task context
 * @event: the event
 * @value: as for perf_event_set_period()
 *
 * Return: as there.
 */
int perf_event_period(struct perf_event *event, u64 value)
{
	struct perf_event_context *ctx = perf_ctx_lock_of_event(event);
	int err = perf_event_set_period(event, value);

	mutex_unlock(&ctx->mutex);
	return err;
}
EXPORT_SYMBOL_GPL(perf_event_period);

/**
 * perf_event_refresh() - enable an event for some overflows; task context
 * @event: the event
 * @refresh: as for perf_event_refresh_one()
 *
 * Return: as there.
 */
int perf_event_refresh(struct perf_event *event, int refresh)
{
	struct perf_event_context *ctx = perf_ctx_lock_of_event(event);
	int err = perf_event_refresh_one(event, refresh);

	mutex_unlock(&ctx->mutex);
	return err;
}
EXPORT_SYMBOL_GPL(perf_event_refresh);
