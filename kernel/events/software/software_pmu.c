// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of software events.
 *
 * It has the events that software.c counts, and the two clocks of clock_event.c.
 *
 * __always_inline: see sched/event_sched.c.
 *
 * Context: task for event_init(). add() and del() are called under ctx->lock: for an unscheduled
 * event when it is enabled and disabled, for a member of a scheduled group each time the group is
 * scheduled in and out.
 */
#include <linux/perf_refusal.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/walk.h"
#include "clock_event.h"
#include "follow.h"
#include "software.h"

static void perf_swevent_destroy(struct perf_event *event)
{
	static_branch_slow_dec_deferred(&perf_swevent_keys[event->attr.config]);
	if (event->attr.config == PERF_COUNT_SW_CPU_MIGRATIONS)
		perf_task_migration_put();
}

static int perf_swevent_event_init(struct perf_event *event)
{
	u64 id = event->attr.config;
	struct static_key *key;

	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (has_branch_stack(event))
		return perf_refuse(-EOPNOTSUPP, "branch_sample_type",
				   "software events have no branch stack");
	if (id >= PERF_COUNT_SW_MAX)
		return perf_refuse(-ENOENT, "config",
				   "software event %llu asked, the last is %d",
				   id, PERF_COUNT_SW_MAX - 1);

	if (perf_event_is_clock(event)) {
		perf_clock_event_init(event);
		return 0;
	}

	event->event_caps |= PERF_EV_CAP_CURRENT;
	/*
	 * A program that writes to a bpf-output event must run on the CPU of the
	 * event (oncpu). For a task's event oncpu changes at each context switch, so
	 * this one is scheduled. So is a cgroup's event, see perf_event_make().
	 */
	if (id != PERF_COUNT_SW_BPF_OUTPUT || !event->hw.target)
		event->event_caps |= PERF_EV_CAP_NOSCHED;

	if (!event->parent) {
		/* Before tasks are marked, and until they are not. */
		if (id == PERF_COUNT_SW_CPU_MIGRATIONS)
			perf_task_migration_get();
		key = &perf_swevent_keys[id].key.key;
		/* Mostly the key is on already, and the CPU hotplug lock is not needed. */
		if (!static_key_fast_inc_not_disabled(key))
			static_key_slow_inc(key);
		event->destroy = perf_swevent_destroy;
	}
	return 0;
}

/*
 * An event of context switches that excludes the kernel counts nothing. It is not linked, so that
 * no switch visits it.
 */
static __always_inline bool perf_swevent_never_occurs(const struct perf_event *event)
{
	return BIT(event->attr.config) & PERF_SWEVENTS_OF_SWITCHES &&
	       event->attr.exclude_kernel;
}

static __always_inline void perf_swevent_listen(struct perf_event *event)
{
	struct perf_subctx *subctx = event->subctx;
	u64 id = event->attr.config;

	if (unlikely(perf_swevent_never_occurs(event)))
		return;
	if (unlikely(perf_event_follows(event))) {
		perf_followers_add(event);
		return;
	}
	hlist_add_head_rcu(&event->hlist_entry, &subctx->listeners[id]);
	WRITE_ONCE(subctx->listened, subctx->listened | BIT(id));
	/* a long list is not walked by the fast path, which lets no interrupts in */
	if (unlikely(subctx->nr_events > PERF_WALK_AT_ONCE))
		WRITE_ONCE(subctx->sampled, subctx->sampled | BIT(id));
}

/* Not inlined: most events only count. */
static noinline int perf_swevent_add_sampler(struct perf_event *event)
{
	struct perf_subctx *subctx = event->subctx;

	event->hw.last_period = event->hw.sample_period;
	perf_swevent_set_period(event);
	if (!perf_event_follows(event) && !perf_swevent_never_occurs(event))
		WRITE_ONCE(subctx->sampled, subctx->sampled | BIT(event->attr.config));
	perf_swevent_listen(event);
	return 0;
}

static int perf_swevent_add(struct perf_event *event, int flags)
{
	if (perf_event_is_clock(event))
		return perf_clock_event_add(event, flags);

	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	if (is_sampling_event(event))
		return perf_swevent_add_sampler(event);
	perf_swevent_listen(event);
	return 0;
}

static void perf_swevent_del(struct perf_event *event, int flags)
{
	if (perf_event_is_clock(event)) {
		perf_clock_event_del(event);
		return;
	}
	if (unlikely(perf_swevent_never_occurs(event)))
		return;
	if (unlikely(perf_event_follows(event))) {
		perf_followers_del(event);
		return;
	}
	perf_walk_pass(&event->hlist_entry);
	hlist_del_rcu(&event->hlist_entry);
	perf_subctx_update_ids(event->subctx, event->attr.config);
}

static void perf_swevent_start(struct perf_event *event, int flags)
{
	if (perf_event_is_clock(event)) {
		perf_clock_event_start(event);
		return;
	}
	event->hw.state = 0;
	if (flags & PERF_EF_RELOAD)
		perf_swevent_set_period(event);
}

static void perf_swevent_stop(struct perf_event *event, int flags)
{
	if (perf_event_is_clock(event))
		perf_clock_event_stop(event);
	else
		event->hw.state = PERF_HES_STOPPED;
}

static void perf_swevent_read(struct perf_event *event)
{
	if (perf_event_is_clock(event))
		perf_clock_event_read(event);
}

static struct pmu perf_swevent_pmu = {
	.task_ctx_nr	= perf_sw_context,
	.capabilities	= PERF_PMU_CAP_NO_NMI | PERF_PMU_CAP_PERMANENT,
	.event_init	= perf_swevent_event_init,
	.add		= perf_swevent_add,
	.del		= perf_swevent_del,
	.start		= perf_swevent_start,
	.stop		= perf_swevent_stop,
	.read		= perf_swevent_read,
};

/**
 * perf_swevent_init() - register the PMU; boot
 */
void __init perf_swevent_init(void)
{
	perf_pmu_register(&perf_swevent_pmu, "software", PERF_TYPE_SOFTWARE);
}
