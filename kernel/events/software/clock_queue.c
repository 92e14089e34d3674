// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of sampling clocks: which period ends next, and the CPU's timer for that.
 *
 * What the queues are, and their rules, are in clock_queue.h; what happens when a
 * period ends is in clock_event.c. Entered by events that begin or end to count, by
 * leaders of others that do, by sub-contexts that are switched on or off, and by the timer.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "clock_queue.h"
#include "software.h"
#include "follow.h"

/* perf_cpu_context::clock_timer_at of a timer that does not run, and ::clock_others_at */
#define PERF_CLOCK_NEVER	U64_MAX

/*
 * The timer goes by another clock than the sets, and may be a little early for that: what
 * is left then is not worth another interrupt.
 */
#define PERF_CLOCK_SLACK	((s64)NSEC_PER_USEC)

/* How long after its time the timer's handler may begin, ns, if nothing held it up. */
#define PERF_CLOCK_ON_TIME	(5 * (s64)NSEC_PER_USEC)

/* A time of a queue, KTIME_MAX at most: that never comes. */
static ktime_t perf_clock_later(s64 time, u64 ns)
{
	ktime_t later;

	if (ns > S64_MAX || check_add_overflow(time, (s64)ns, &later))
		return KTIME_MAX;
	return later;
}

static struct timerqueue_head *perf_clock_events(struct perf_event *event)
{
	if (perf_event_follows(event))
		return &event->group_leader->followers->clocks.events;
	return &event->subctx->clocks.events;
}

static ktime_t perf_clock_first(struct timerqueue_head *head)
{
	struct timerqueue_node *first = timerqueue_getnext(head);

	return first ? first->expires : KTIME_MAX;
}

static void perf_clock_find_due(struct perf_subctx *subctx)
{
	struct perf_clock_queue *queue = &subctx->clocks;

	queue->due = min(perf_clock_first(&queue->events), perf_clock_first(&queue->groups));
	if (queue->due != KTIME_MAX)
		subctx->busy = true;
}

/* When a time of the leader comes, by the clock of its sub-context. It is ACTIVE. */
static ktime_t perf_clock_of_subctx(const struct perf_event *leader, ktime_t time)
{
	s64 ahead = leader->stamp_running;
	ktime_t due;

	if (time == KTIME_MAX || check_add_overflow(time, ahead, &due))
		return KTIME_MAX;
	return due;
}

/* The first of the followers has changed, or the leader has begun or ended to count. */
static void perf_clock_group_changed(struct perf_event *leader)
{
	struct perf_follower_clocks *clocks = &leader->followers->clocks;
	struct perf_clock_queue *queue = &leader->subctx->clocks;
	bool links = leader->followers->on && timerqueue_getnext(&clocks->events);
	ktime_t due = KTIME_MAX;

	if (links)
		due = perf_clock_of_subctx(leader, perf_clock_first(&clocks->events));
	if (links == clocks->is_linked && (!links || due == clocks->linked.expires))
		return;
	if (clocks->is_linked)
		timerqueue_del(&queue->groups, &clocks->linked);
	clocks->is_linked = links;
	if (!links)
		return;
	timerqueue_init(&clocks->linked);
	clocks->linked.expires = due;
	timerqueue_add(&queue->groups, &clocks->linked);
}

static void perf_clock_queue_changed(struct perf_event *event)
{
	if (perf_event_follows(event))
		perf_clock_group_changed(event->group_leader);
	perf_clock_find_due(event->subctx);
}

/* How long nothing of the sub-context is due, ns, maybe negative; S64_MAX: for ever. */
static s64 perf_clock_subctx_rest(const struct perf_subctx *subctx, u64 now)
{
	if (!perf_clock_queue_is_used(&subctx->clocks) || !subctx->clock.on)
		return S64_MAX;
	return subctx->clocks.due - (s64)perf_clock_read(&subctx->clock, now);
}

/**
 * struct perf_clock_search - which of the sub-contexts that are on here is due first
 * @now: perf_time()
 * @first: that sub-context, or NULL
 * @rest: how long nothing of it is due, ns, maybe negative; S64_MAX without @first
 * @others: the same of all other sets
 */
struct perf_clock_search {
	u64			now;
	struct perf_subctx	*first;
	s64			rest;
	s64			others;
};

static void perf_clock_search_ctx(struct perf_event_context *ctx,
				  struct perf_clock_search *search)
{
	struct perf_subctx *subctx;
	s64 rest;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		rest = perf_clock_subctx_rest(subctx, search->now);
		if (rest >= search->rest) {
			search->others = min(search->others, rest);
			continue;
		}
		search->others = search->rest;
		search->rest = rest;
		search->first = subctx;
	}
}

/* The sub-context that is due first of all that are on here, in *@rest; NULL: there is none. */
static noinline struct perf_subctx *
perf_clock_search(struct perf_cpu_context *cpuctx, u64 now, s64 *rest)
{
	struct perf_clock_search search = {
		.now	= now,
		.rest	= S64_MAX,
		.others	= S64_MAX,
	};

	perf_clock_search_ctx(&cpuctx->ctx, &search);
	if (cpuctx->task_ctx)
		perf_clock_search_ctx(cpuctx->task_ctx, &search);
	cpuctx->clock_timer_for = search.first;
	cpuctx->clock_others_at = search.others == S64_MAX ? PERF_CLOCK_NEVER :
							     now + search.others;
	*rest = search.rest;
	return search.first;
}

/* Let the timer run for @rest, when @subctx is due, if it does not already; or for none. */
static void perf_clock_timer_set(struct perf_cpu_context *cpuctx,
				 struct perf_subctx *subctx, u64 now, s64 rest)
{
	u64 wait = max(rest, 0LL);
	u64 at = rest == S64_MAX ? PERF_CLOCK_NEVER : now + wait;

	cpuctx->clock_timer_for = subctx;
	if (at == cpuctx->clock_timer_at)
		return;
	cpuctx->clock_timer_at = at;
	if (at == PERF_CLOCK_NEVER)
		hrtimer_try_to_cancel(&cpuctx->clock_timer);
	else
		hrtimer_start(&cpuctx->clock_timer, ns_to_ktime(wait),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

static void perf_clock_timer_update(struct perf_cpu_context *cpuctx, u64 now)
{
	struct perf_subctx *subctx;
	s64 rest;

	subctx = perf_clock_search(cpuctx, now, &rest);
	perf_clock_timer_set(cpuctx, subctx, now, rest);
}

static void perf_clock_subctx_changed(struct perf_subctx *subctx, ktime_t due)
{
	if (subctx->clocks.due != due && subctx->clock.on)
		perf_clock_queue_on(subctx, perf_time());
}

/**
 * perf_clock_queue_add() - a sampling clock begins to count
 * @event: the event, not in a queue
 * @left: until its period ends, ns that it counts
 *
 * Context: irqs off, under ctx->lock, on the CPU where the context is on if it is.
 */
void perf_clock_queue_add(struct perf_event *event, u64 left)
{
	struct timerqueue_node *node = &event->hw.clock_node;
	u64 now = perf_event_running_clock(event, perf_ctx_now(event->ctx));
	ktime_t due = event->subctx->clocks.due;

	lockdep_assert_held(&event->ctx->lock);

	timerqueue_init(node);
	node->expires = perf_clock_later(now, left);
	if (timerqueue_add(perf_clock_events(event), node)) {
		perf_clock_queue_changed(event);
		perf_clock_subctx_changed(event->subctx, due);
	}
}

/**
 * perf_clock_queue_del() - undo perf_clock_queue_add()
 * @event: the event
 *
 * Context: as perf_clock_queue_add().
 * Return: how long its period still had to go, ns; not positive when it is over.
 */
s64 perf_clock_queue_del(struct perf_event *event)
{
	struct timerqueue_head *head = perf_clock_events(event);
	struct timerqueue_node *node = &event->hw.clock_node;
	u64 now = perf_event_running_clock(event, perf_ctx_now(event->ctx));
	bool first = timerqueue_getnext(head) == node;
	ktime_t due = event->subctx->clocks.due;

	lockdep_assert_held(&event->ctx->lock);

	timerqueue_del(head, node);
	if (first) {
		perf_clock_queue_changed(event);
		perf_clock_subctx_changed(event->subctx, due);
	}
	return node->expires - (s64)now;
}

/**
 * perf_clock_queue_switch_followers() - a leader has begun or ended to count
 * @leader: with followers, among them sampling clocks
 *
 * Context: as perf_clock_queue_add().
 */
void perf_clock_queue_switch_followers(struct perf_event *leader)
{
	struct perf_subctx *subctx = leader->subctx;
	ktime_t due = subctx->clocks.due;

	perf_clock_group_changed(leader);
	perf_clock_find_due(subctx);
	perf_clock_subctx_changed(subctx, due);
}

/**
 * perf_clock_queue_on() - a sub-context with sampling clocks is on here, or is due at another time
 * @subctx: the sub-context
 * @now: perf_time()
 *
 * Context: as perf_subctx_sched_in().
 */
void perf_clock_queue_on(struct perf_subctx *subctx, u64 now)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	s64 rest;

	if (cpuctx->clock_timer_for == subctx) {
		perf_clock_timer_update(cpuctx, now);
		return;
	}
	/* its last period may be what has just gone: the timer has nothing to do with it */
	rest = perf_clock_subctx_rest(subctx, now);
	if (rest == S64_MAX)
		return;
	/* the others are due when the timer is, or never */
	if (cpuctx->clock_timer_at != PERF_CLOCK_NEVER &&
	    rest >= (s64)(cpuctx->clock_timer_at - now)) {
		cpuctx->clock_others_at = min(cpuctx->clock_others_at, now + rest);
		return;
	}
	cpuctx->clock_others_at = min(cpuctx->clock_others_at, cpuctx->clock_timer_at);
	perf_clock_timer_set(cpuctx, subctx, now, rest);
}

/**
 * perf_clock_queue_off() - a sub-context with sampling clocks has been switched off here
 * @subctx: the sub-context
 * @now: perf_time()
 *
 * Context: as perf_subctx_sched_out().
 */
void perf_clock_queue_off(struct perf_subctx *subctx, u64 now)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();

	if (cpuctx->clock_timer_for == subctx)
		perf_clock_timer_update(cpuctx, now);
}

static struct perf_event *perf_clock_queue_first(struct perf_clock_queue *queue)
{
	struct timerqueue_node *first = timerqueue_getnext(&queue->events);
	struct perf_follower_clocks *clocks;

	if (!first || first->expires > perf_clock_first(&queue->groups)) {
		clocks = container_of(timerqueue_getnext(&queue->groups),
				      struct perf_follower_clocks, linked);
		first = timerqueue_getnext(&clocks->events);
	}
	return container_of(first, struct perf_event, hw.clock_node);
}

/* The end of the first of the next periods that is still to come; others are missed. */
static ktime_t perf_clock_next(ktime_t ended, u64 period, u64 now)
{
	ktime_t next = perf_clock_later(ended, period);

	if (next > (s64)now)
		return next;
	return next + (div64_u64(now - next, period) + 1) * period;
}

/*
 * The one that comes behind the first of a queue. Nothing is to the left of the first, so
 * to the right of it there is no more than one, which has none to the left either.
 */
static struct rb_node *perf_clock_second(const struct timerqueue_node *first)
{
	return first->node.rb_right ?: rb_parent(&first->node);
}

/* The first of a queue expires later. Mostly it is still the first, and stays in place. */
static __always_inline void perf_clock_postpone(struct timerqueue_head *head,
						struct timerqueue_node *node, ktime_t expires)
{
	struct rb_node *second = perf_clock_second(node);

	if (likely(!second ||
		   expires < rb_entry(second, struct timerqueue_node, node)->expires)) {
		node->expires = expires;
		return;
	}
	timerqueue_del(head, node);
	node->expires = expires;
	timerqueue_add(head, node);
}

static noinline void perf_clock_postpone_follower(struct perf_event *event, u64 period, u64 now)
{
	struct timerqueue_node *node = &event->hw.clock_node;

	perf_clock_postpone(perf_clock_events(event), node,
			    perf_clock_next(node->expires, period,
					    perf_event_running_clock(event, now)));
	perf_clock_queue_changed(event);
}

/*
 * The first period of a sub-context is over. The event stays in its place until its overflow is
 * handled.
 */
static __always_inline void perf_clock_queue_tick(struct perf_subctx *subctx, u64 now)
{
	struct perf_event *event = perf_clock_queue_first(&subctx->clocks);
	struct timerqueue_node *node = &event->hw.clock_node;
	u64 period = perf_clock_event_tick(event);

	if (unlikely(perf_event_follows(event))) {
		perf_clock_postpone_follower(event, period, now);
		return;
	}
	perf_clock_postpone(&subctx->clocks.events, node,
			    perf_clock_next(node->expires, period,
					    perf_clock_read(&subctx->clock, now)));
	perf_clock_find_due(subctx);
}

/*
 * The sub-context that is due next, after @subctx was. Others are checked when one may be:
 * an overflow can have enabled or disabled a clock.
 */
static __always_inline struct perf_subctx *
perf_clock_next_subctx(struct perf_cpu_context *cpuctx, struct perf_subctx *subctx, u64 now,
		       s64 *rest)
{
	s64 rest_of_set = perf_clock_subctx_rest(subctx, now);

	if (unlikely(rest_of_set == S64_MAX || cpuctx->clock_timer_for != subctx ||
		     now + rest_of_set > cpuctx->clock_others_at))
		return perf_clock_search(cpuctx, now, rest);
	*rest = rest_of_set;
	return subctx;
}

/*
 * Let the timer fire again in @rest from @now on, perf_time(). It has fired @late, ns.
 *
 * When it was on time, its next time is as far from the last one as that of perf_time(),
 * and neither clock is read again. When it was not, as when handling took longer than a
 * period or the two clocks have drifted apart, both are. What is due by then waits for as
 * long as this handler has taken: time that is the program's, and other interrupts'.
 */
static enum hrtimer_restart
perf_clock_timer_again(struct perf_cpu_context *cpuctx, u64 now, s64 late, s64 rest)
{
	struct hrtimer *timer = &cpuctx->clock_timer;
	ktime_t from;
	u64 end;

	if (late >= 0 && late < PERF_CLOCK_ON_TIME && rest > PERF_CLOCK_SLACK) {
		from = ktime_add_ns(hrtimer_get_expires(timer), late);
	} else {
		end = perf_time();
		rest -= end - now;
		if (rest <= PERF_CLOCK_SLACK)
			rest = max_t(s64, end - now, PERF_CLOCK_SLACK);
		now = end;
		from = hrtimer_cb_get_time(timer);
	}
	cpuctx->clock_timer_at = now + rest;
	hrtimer_set_expires(timer, perf_clock_later(from, rest));
	return HRTIMER_RESTART;
}

/* Each event has its turn once at most, since its next period ends after @now. */
static enum hrtimer_restart perf_clock_timer_fire(struct hrtimer *timer)
{
	struct perf_cpu_context *cpuctx =
		container_of(timer, struct perf_cpu_context, clock_timer);
	struct perf_subctx *subctx = cpuctx->clock_timer_for;
	unsigned int left = PERF_CLOCKS_AT_ONCE;
	s64 late, rest;
	u64 now;

	/* Hotplug has moved the timer of a dying CPU here. */
	if (cpuctx != this_perf_cpu())
		return HRTIMER_NORESTART;

	now = perf_time();
	late = now - cpuctx->clock_timer_at;
	/* a handler that was about to end could not cancel the timer */
	rest = subctx ? perf_clock_subctx_rest(subctx, now) : S64_MAX;
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	while (rest <= PERF_CLOCK_SLACK && left--) {
		perf_clock_queue_tick(subctx, now);
		subctx = perf_clock_next_subctx(cpuctx, subctx, now, &rest);
	}
	/* an event that was stopped meanwhile has started the timer */
	if (unlikely(hrtimer_is_queued(timer))) {
		perf_clock_timer_update(cpuctx, perf_time());
		return HRTIMER_NORESTART;
	}
	return subctx ? perf_clock_timer_again(cpuctx, now, late, rest) : HRTIMER_NORESTART;
}

/**
 * perf_clock_timer_cpu_gone() - a CPU is dead; its timer, if it was set, is not
 * @cpuctx: of the CPU; nothing is on there any more; may sleep
 */
void perf_clock_timer_cpu_gone(struct perf_cpu_context *cpuctx)
{
	hrtimer_cancel(&cpuctx->clock_timer);
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	cpuctx->clock_timer_for = NULL;
	cpuctx->clock_others_at = PERF_CLOCK_NEVER;
}

/**
 * perf_clock_timer_init() - a CPU's timer, that does not run yet; boot
 * @cpuctx: the context of any CPU
 */
void perf_clock_timer_init(struct perf_cpu_context *cpuctx)
{
	hrtimer_init(&cpuctx->clock_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpuctx->clock_timer.function = perf_clock_timer_fire;
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	cpuctx->clock_others_at = PERF_CLOCK_NEVER;
}
