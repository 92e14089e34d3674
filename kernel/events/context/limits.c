// SPDX-License-Identifier: GPL-2.0
/*
 * How many events a sub-context may have.
 *
 * The number of descriptors limits the events of a process. It limits neither a task's events nor a
 * CPU's: other processes may observe it too, and a child inherits. So what the kernel does for
 * a task at a fault or at a context switch is limited here. software/traced.c limits the events
 * of one tracepoint.
 *
 * Child events are counted and not limited: a task has no more of them than its parent had.
 *
 * A foreign event (perf_cgroup_is_foreign()) needs room in two sub-contexts, and takes it in both:
 * in the sub-context of its leader's cgroup, and in the CPU's own. It listens for side-band
 * records in the latter from the start. The rest of it gets there when the leader is closed, which
 * cannot fail.
 *
 * A PMU that moves to another CPU brings its events there, even if these are too many then.
 */
#include <linux/capability.h>
#include <linux/perf_refusal.h>
#include <linux/sched.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../sideband/sideband.h"
#include "../software/software.h"
#include "limits.h"

/* Does a context switch visit the event itself? */
static bool perf_event_is_visited(const struct perf_event *event)
{
	if (perf_sideband_matches(event, PERF_SIDEBAND_SWITCH))
		return true;
	/* a PMU with a limited number of counters: a switch visits those that have one */
	if (event->pmu->task_ctx_nr != perf_sw_context)
		return false;
	/* any number fits, and those that are scheduled are scheduled one by one */
	return !perf_event_is_nosched(event) || perf_swevent_is_of_switches(event);
}

/* Does the event take room in the sub-context? */
static bool perf_event_takes_room(const struct perf_event *event, const struct perf_subctx *subctx)
{
	return event->subctx == subctx || perf_event_lone_subctx(event, event->subctx) == subctx;
}

/*
 * Does one of two sub-contexts of a context, which may be the same, have PERF_SWITCH_VISITS_USER
 * events that a switch visits?
 */
static bool perf_subctxs_are_full_of_visited(const struct perf_subctx *a,
					     const struct perf_subctx *b)
{
	unsigned int nr_a = 0, nr_b = 0;
	const struct perf_event *other;

	list_for_each_entry(other, &a->ctx->event_list, event_entry) {
		if (perf_event_is_visited(other)) {
			nr_a += perf_event_takes_room(other, a);
			nr_b += perf_event_takes_room(other, b);
			if (max(nr_a, nr_b) >= PERF_SWITCH_VISITS_USER)
				return true;
		}
		cond_resched();
	}
	return false;
}

static bool perf_subctx_is_full(const struct perf_subctx *subctx)
{
	return subctx->nr_events + subctx->nr_foreign >= PERF_SUBCTX_EVENTS_USER;
}

/**
 * perf_ctx_check_limits() - is there room for one more event?
 * @event: an event that was opened; its sub-context is set, but it has not entered it yet
 *
 * Caller must hold the mutex of the context.
 *
 * Context: task.
 * Return: 0 or -ENOSPC.
 */
int perf_ctx_check_limits(const struct perf_event *event)
{
	struct perf_subctx *subctx = event->subctx, *alone = perf_event_lone_subctx(event, subctx);

	lockdep_assert_held(&subctx->ctx->mutex);

	if (unlikely(perf_subctx_is_full(subctx) || perf_subctx_is_full(alone)) &&
	    !perfmon_capable())
		return perf_refuse(-ENOSPC, "pid", "more than %d events need CAP_PERFMON",
				   PERF_SUBCTX_EVENTS_USER);
	if (perf_event_is_visited(event) && perf_subctxs_are_full_of_visited(subctx, alone) &&
	    !perfmon_capable())
		return perf_refuse(-ENOSPC, "config",
				   "more than %d events that a switch visits need CAP_PERFMON",
				   PERF_SWITCH_VISITS_USER);
	return 0;
}
