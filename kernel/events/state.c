// SPDX-License-Identifier: GPL-2.0
/*
 * Event states and times.
 *
 * An event that is INACTIVE or ACTIVE wants to count; it counts, and its
 * time_enabled runs, when its leader wants to as well. Resident groups are
 * ACTIVE exactly when they want to: what stops at a switch is the set's clock.
 * Groups with a home PMU are ACTIVE while place.c has them on it, and at a switch
 * also lose their counters; see perf_event_has_counter(). A sibling that follows its
 * leader is ACTIVE as long as it is enabled, and has its times from those of the
 * leader: see follow.h.
 *
 * A time is kept twice: as a total, and as how far the set's clock is ahead of
 * it. While the time runs the second counts, while it stands the first, and a
 * single store, of a state, decides which. Folding makes one out of the other
 * before the state changes, or only the total where that is what counts then; it
 * never changes the one that counts. So an NMI that reads the event sees the right
 * time between any two stores.
 *
 * All functions but the last few run under ctx->lock, on the CPU where the
 * context is on if it is; see perf_ctx_call().
 */
#include "aux.h"
#include "cgroup.h"
#include "clones.h"
#include "context.h"
#include "event.h"
#include "follow.h"
#include "group.h"
#include "overflow.h"
#include "place.h"
#include "sideband.h"
#include "state.h"
#include "userpage.h"

/**
 * perf_event_is_wanted - would count if it could
 * @event: the event
 *
 * Return: true while time_enabled runs with the clock.
 */
bool perf_event_is_wanted(const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE;
}

/* The clock that an event's time_enabled is taken from. */
static __always_inline const struct perf_clock *
perf_event_enabled_clock(const struct perf_event *event)
{
	const struct perf_event_set *set = event->set;

	if (unlikely(perf_cgroup_is_guest(event, set)))
		set = &set->ctx->own;
	return set->enabled;
}

/* Of any event but one that follows. */
static __always_inline void
perf_event_own_times(const struct perf_event *event, u64 now,
		     struct perf_event_times *times)
{
	const struct perf_clock *enabled, *running = &event->set->clock;
	u64 clock;

	times->enabled = READ_ONCE(event->total_time_enabled);
	times->running = READ_ONCE(event->total_time_running);
	if (!perf_event_is_wanted(event))
		return;

	enabled = perf_event_enabled_clock(event);
	clock = perf_clock_read(enabled, now);
	times->enabled = perf_time_running(clock, READ_ONCE(event->stamp_enabled),
					   times->enabled);
	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	/* mostly both are one */
	if (unlikely(enabled != running))
		clock = perf_clock_read(running, now);
	times->running = perf_time_running(clock, READ_ONCE(event->stamp_running),
					   times->running);
}

/*
 * What the times of an event are taken from: the clocks of its set; of one that follows,
 * the times of its leader. Those stand while the leader does not count.
 */
static __always_inline void perf_event_clocks(const struct perf_event *event, u64 now,
					      struct perf_event_times *clocks)
{
	const struct perf_clock *enabled, *running = &event->set->clock;

	if (unlikely(perf_event_follows(event))) {
		perf_event_own_times(event->group_leader, now, clocks);
		return;
	}
	enabled = perf_event_enabled_clock(event);
	clocks->running = perf_clock_read(running, now);
	clocks->enabled = likely(enabled == running) ? clocks->running :
						       perf_clock_read(enabled, now);
}

static noinline void perf_follower_times(const struct perf_event *event, u64 now,
					 struct perf_event_times *times)
{
	struct perf_event_times clocks;

	times->enabled = READ_ONCE(event->total_time_enabled);
	times->running = READ_ONCE(event->total_time_running);
	if (READ_ONCE(event->state) < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_event_own_times(event->group_leader, now, &clocks);
	times->enabled = perf_time_running(clocks.enabled,
					   READ_ONCE(event->stamp_enabled),
					   times->enabled);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		times->running = perf_time_running(clocks.running,
						   READ_ONCE(event->stamp_running),
						   times->running);
}

static __always_inline void
__perf_event_times(const struct perf_event *event, u64 now,
		   struct perf_event_times *times)
{
	if (unlikely(perf_event_follows(event)))
		perf_follower_times(event, now, times);
	else
		perf_event_own_times(event, now, times);
}

/**
 * perf_event_times - an event's times, without those of children
 * @event: the event; under ctx->lock, or on its CPU
 * @now: perf_ctx_now()
 * @times: result
 */
void perf_event_times(struct perf_event *event, u64 now,
		      struct perf_event_times *times)
{
	__perf_event_times(event, now, times);
}

/**
 * perf_event_stamp - let an event's times continue from its totals now
 * @event: the event
 * @now: perf_ctx_now()
 */
void perf_event_stamp(struct perf_event *event, u64 now)
{
	struct perf_event_times clocks;

	perf_event_clocks(event, now, &clocks);
	WRITE_ONCE(event->stamp_enabled, clocks.enabled - event->total_time_enabled);
	WRITE_ONCE(event->stamp_running, clocks.running - event->total_time_running);
}

/* Bring an event's totals up to date; what they are for is about to stand. */
static __always_inline void perf_event_total(struct perf_event *event, u64 now)
{
	struct perf_event_times times;

	__perf_event_times(event, now, &times);
	WRITE_ONCE(event->total_time_enabled, times.enabled);
	WRITE_ONCE(event->total_time_running, times.running);
}

/**
 * perf_event_fold - bring an event's totals and stamps up to date
 * @event: the event
 * @now: perf_ctx_now()
 *
 * Before its state, its leader or its set changes, if its times may run then.
 */
void perf_event_fold(struct perf_event *event, u64 now)
{
	perf_event_total(event, now);
	perf_event_stamp(event, now);
}

/**
 * perf_event_running_begins - time_running will go on from its total
 * @event: INACTIVE
 * @now: perf_ctx_now()
 *
 * What perf_event_fold() does, for who becomes ACTIVE: time_enabled runs on.
 */
void perf_event_running_begins(struct perf_event *event, u64 now)
{
	WRITE_ONCE(event->stamp_running, perf_event_running_clock(event, now) -
					 event->total_time_running);
}

/**
 * perf_event_running_ends - undoes perf_event_running_begins()
 * @event: ACTIVE, about to be INACTIVE
 * @now: perf_ctx_now()
 */
void perf_event_running_ends(struct perf_event *event, u64 now)
{
	u64 clock = perf_event_running_clock(event, now);

	WRITE_ONCE(event->total_time_running,
		   perf_time_running(clock, event->stamp_running,
				     event->total_time_running));
}

static __always_inline void __perf_event_prepare(struct perf_event *event)
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
 * perf_event_prepare - an event that is ACTIVE is about to be added to its PMU
 * @event: the event
 */
void perf_event_prepare(struct perf_event *event)
{
	__perf_event_prepare(event);
}

/*
 * Whoever reads an event in an NMI, or where a driver's function is probed, calls that
 * driver if the event is on this CPU. So oncpu says so only while the driver has the
 * event entirely: from behind add() until before del().
 */
static void perf_event_show(struct perf_event *event, int cpu)
{
	barrier();
	WRITE_ONCE(event->oncpu, cpu);
}

static void perf_event_del(struct perf_event *event)
{
	WRITE_ONCE(event->oncpu, -1);
	barrier();
	event->pmu->del(event, 0);
}

static __always_inline int __perf_event_resume(struct perf_event *event)
{
	__perf_event_prepare(event);
	if (unlikely(event->pmu->add(event, PERF_EF_START)))
		return -EAGAIN;
	perf_event_show(event, event->ctx->cpu);
	perf_userpage_changed(event);
	return 0;
}

/**
 * perf_event_resume - let an event that is ACTIVE have a counter
 * @event: the event; if its group has a home, the PMU is disabled
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
 */
int perf_event_resume(struct perf_event *event)
{
	return __perf_event_resume(event);
}

/**
 * perf_event_suspend - take an event's counter away
 * @event: ACTIVE, with a counter, and so it stays; the PMU is disabled
 *
 * Its group goes on counting when its set does. Until then their clock stands.
 */
void perf_event_suspend(struct perf_event *event)
{
	perf_event_del(event);
	perf_userpage_changed(event);
}

/**
 * perf_event_begin - let one event count; its stamps must be those of now
 * @event: INACTIVE; if its group has a home, the PMU is disabled
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
 */
int perf_event_begin(struct perf_event *event)
{
	int err;

	WRITE_ONCE(event->state, PERF_EVENT_STATE_ACTIVE);
	err = __perf_event_resume(event);
	if (err)
		WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	else
		perf_followers_switch(event, true);
	return err;
}

/**
 * perf_event_go - let one event count
 * @event: INACTIVE; if its group has a home, the PMU is disabled
 * @now: perf_ctx_now()
 *
 * Return: 0, or non-zero when it does not fit on its PMU.
 */
int perf_event_go(struct perf_event *event, u64 now)
{
	perf_event_running_begins(event, now);
	return perf_event_begin(event);
}

/* Let one event count no longer; its totals must be up to date. */
static __always_inline void perf_event_cease(struct perf_event *event)
{
	if (perf_event_has_counter(event))
		perf_event_del(event);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	perf_followers_switch(event, false);
	perf_userpage_changed(event);
}

/**
 * perf_event_halt - let one event count no longer
 * @event: ACTIVE; if its group has a home, the PMU is disabled
 * @now: perf_ctx_now()
 */
void perf_event_halt(struct perf_event *event, u64 now)
{
	perf_event_running_ends(event, now);
	perf_event_cease(event);
}

/**
 * perf_group_go - let a group count, or queue for its PMU
 * @leader: the leader; nothing happens unless it wants to count
 * @now: perf_ctx_now()
 */
void perf_group_go(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->state != PERF_EVENT_STATE_INACTIVE ||
	    !(leader->attach_state & PERF_ATTACH_CONTEXT))
		return;

	if (leader->group_home) {
		perf_place_enqueue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE)
			perf_event_go(event, now);
	}
}

/**
 * perf_group_halt - let a group count no longer; undoes perf_group_go()
 * @leader: the leader
 * @now: perf_ctx_now()
 */
void perf_group_halt(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->state < PERF_EVENT_STATE_INACTIVE ||
	    !(leader->attach_state & PERF_ATTACH_CONTEXT))
		return;

	if (leader->group_home) {
		perf_place_dequeue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_halt(event, now);
	}
}

static void perf_group_fold(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	/*
	 * An event that follows has times that derive from those of the leader. A disabled
	 * one is folded when it is enabled.
	 */
	perf_group_for_each_enabled(event, leader)
		perf_event_fold(event, now);
}

/**
 * perf_sibling_go - let a sibling count if its group does
 * @event: the sibling; nothing happens unless it is INACTIVE, and its leader wants to
 *	count
 * @now: perf_ctx_now()
 *
 * The other members are not looked at, unless there is no room for it.
 */
void perf_sibling_go(struct perf_event *event, u64 now)
{
	if (event->state != PERF_EVENT_STATE_INACTIVE)
		return;
	if (perf_event_follows(event))
		perf_event_go(event, now);
	else if (!perf_event_is_wanted(event))
		return;
	else if (event->group_leader->group_home)
		perf_place_grow(event, now);
	else
		perf_event_go(event, now);
}

/**
 * perf_leader_begin - let a group count, or queue for its PMU
 * @leader: the leader, INACTIVE and attached; it and the siblings that do not follow have
 *	the stamps of now
 * @now: perf_ctx_now()
 */
void perf_leader_begin(struct perf_event *leader, u64 now)
{
	struct perf_event *event;

	if (leader->group_home) {
		perf_place_enqueue(leader, now);
		return;
	}
	perf_group_for_each_enabled(event, leader) {
		if (event->state == PERF_EVENT_STATE_INACTIVE)
			perf_event_begin(event);
	}
}

/* Enabled, and folded just now. */
static void perf_sibling_begin(struct perf_event *event, u64 now)
{
	if (perf_event_follows(event))
		perf_event_begin(event);
	else
		perf_sibling_go(event, now);
}

/**
 * perf_event_turn_on - the user enables an event
 * @event: attached; nothing happens if it is enabled, or gone
 * @now: perf_ctx_now()
 */
void perf_event_turn_on(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (event->state >= PERF_EVENT_STATE_INACTIVE ||
	    event->state <= PERF_EVENT_STATE_EXIT ||
	    !(event->attach_state & PERF_ATTACH_CONTEXT))
		return;

	perf_clones_toggled(event);
	if (event == leader) {
		perf_group_fold(leader, now);
		WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
		perf_leader_begin(leader, now);
		return;
	}

	perf_event_fold(event, now);
	WRITE_ONCE(event->state, PERF_EVENT_STATE_INACTIVE);
	perf_group_sort(event);
	perf_sibling_begin(event, now);
}

/**
 * perf_sibling_halt - a sibling counts no longer, the rest of its group goes on
 * @event: the sibling; nothing happens unless it is ACTIVE
 * @now: perf_ctx_now()
 */
void perf_sibling_halt(struct perf_event *event, u64 now)
{
	struct pmu *home;
	bool counts;

	if (event->state != PERF_EVENT_STATE_ACTIVE)
		return;
	home = event->group_leader->group_home;
	counts = home && perf_event_has_counter(event) && !perf_event_follows(event);
	if (counts)
		perf_pmu_disable(home);
	perf_event_halt(event, now);
	if (counts)
		perf_pmu_enable(home);
}

/* All members count no longer, and their totals are up to date. */
static void perf_leader_turn_off(struct perf_event *leader, u64 now)
{
	bool resident = !leader->group_home;
	struct perf_event *event;

	if (!resident && leader->attach_state & PERF_ATTACH_CONTEXT)
		perf_place_dequeue(leader, now);
	perf_group_for_each_enabled(event, leader) {
		perf_event_total(event, now);
		if (resident && event->state == PERF_EVENT_STATE_ACTIVE)
			perf_event_cease(event);
	}
}

static void perf_sibling_turn_off(struct perf_event *event, u64 now)
{
	struct perf_event *leader = event->group_leader;

	if (leader->group_home && !perf_event_follows(event)) {
		perf_sibling_halt(event, now);
		perf_event_total(event, now);
		if (leader->state >= PERF_EVENT_STATE_INACTIVE)
			perf_place_shrunk(leader);
		return;
	}
	perf_event_total(event, now);
	if (event->state == PERF_EVENT_STATE_ACTIVE)
		perf_event_cease(event);
}

/**
 * perf_event_turn_off - an event is disabled, in error, or leaves
 * @event: attached
 * @now: perf_ctx_now()
 * @state: the new state, below INACTIVE; a lower one stays
 */
void perf_event_turn_off(struct perf_event *event, u64 now,
			 enum perf_event_state state)
{
	bool enabled = event->state >= PERF_EVENT_STATE_INACTIVE;

	/* stamps stay: perf_event_turn_on() makes new ones */
	if (enabled) {
		perf_clones_toggled(event);
		if (perf_event_leads(event))
			perf_leader_turn_off(event, now);
		else
			perf_sibling_turn_off(event, now);
	}
	if (event->state > state)
		WRITE_ONCE(event->state, state);
	if (enabled && !perf_event_leads(event))
		perf_group_sort(event);
}

/**
 * perf_event_end - an event that leaves has counted what it will count
 * @event: attached, and its context is off; of a group without home, or whose home
 *	has let go of it. It goes before its leader, which decides whether its time runs.
 * @state: the last state, below OFF; a lower one stays
 */
void perf_event_end(struct perf_event *event, enum perf_event_state state)
{
	bool counts = perf_event_has_counter(event);

	/* all clocks stand */
	perf_event_total(event, 0);
	if (event->state > state)
		WRITE_ONCE(event->state, state);
	if (counts)
		perf_event_del(event);
}

/**
 * perf_event_settle_disable - turn off what perf_event_disable_inatomic() was called for
 * @event: the event; nothing happens if that has been done
 * @now: perf_ctx_now()
 */
void perf_event_settle_disable(struct perf_event *event, u64 now)
{
	if (!event->pending_disable)
		return;
	perf_event_turn_off(event, now, PERF_EVENT_STATE_OFF);
	/* until here no NMI has overflowed it again */
	event->pending_disable = 0;
}

static void perf_event_enable_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;
	u64 now = perf_ctx_now(ctx);

	/* it was turned off before, or would be afterwards */
	if (unlikely(event->pending_disable))
		perf_event_settle_disable(event, now);
	perf_event_turn_on(event, now);
}

/**
 * perf_event_enable_one - enable one event, not its children
 * @event: the event; the mutex of its context is held, or the event cannot
 *	move to another context
 */
void perf_event_enable_one(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_event_enable_locked, event);
}

static void perf_event_disable_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg;

	if (event->state < PERF_EVENT_STATE_INACTIVE)
		return;
	perf_event_turn_off(event, perf_ctx_now(ctx), PERF_EVENT_STATE_OFF);
	perf_place_fill_waiting(ctx);
}

/**
 * perf_event_disable_one - disable one event, not its children
 * @event: as for perf_event_enable_one()
 */
void perf_event_disable_one(struct perf_event *event)
{
	perf_ctx_call(event->ctx, perf_event_disable_locked, event);
}

static void perf_event_restart_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_event *event = arg, *leader = event->group_leader;
	u64 now = perf_ctx_now(ctx);

	/* it may have moved to another CPU; there it was added anew */
	if (event->ctx != ctx || !(event->attach_state & PERF_ATTACH_CONTEXT) ||
	    !leader->group_home)
		return;
	perf_group_halt(leader, now);
	perf_group_go(leader, now);
	perf_place_fill_waiting(ctx);
}

/**
 * perf_event_restart - try an event's group anew
 * @event: the event; what its driver refused it for, or stopped it for, may be gone
 *
 * Nothing happens to what was inherited from it, nor if it is disabled.
 *
 * Context: task, irqs on; may interrupt another CPU.
 */
void perf_event_restart(struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	if (ctx)
		perf_ctx_call(ctx, perf_event_restart_locked, event);
}

/**
 * perf_event_with_children - do something to an event and all inherited from it
 * @event: the event; the mutex of its context is held
 * @fn: what to do; may not sleep on a context's mutex
 */
void perf_event_with_children(struct perf_event *event, perf_event_fn fn)
{
	struct perf_event *child;

	WARN_ON_ONCE(event->parent);

	if (!event->attr.inherit) {
		fn(event);
		return;
	}
	perf_clones_begin_operation(event);
	fn(event);
	scoped_guard(mutex, &event->child_mutex) {
		list_for_each_entry(child, &event->child_list, child_list) {
			fn(child);
			cond_resched();
		}
	}
	perf_clones_end_operation(event);
}
