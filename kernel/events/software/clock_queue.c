// SPDX-License-Identifier: GPL-2.0
/*
 * Queues of sampling clocks: which period ends next, and the CPU's timer for that.
 *
 * clock_queue.h describes the queues and their locking. clock_tick.c handles the end of a
 * period. Entry points: a clock starts or stops, a leader of followers starts or stops, a
 * sub-context is scheduled in or out, and the timer.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "clock_queue.h"
#include "clock_tick.h"
#include "follow.h"

/* perf_cpu_context::clock_timer_at of a stopped timer; ::clock_others_at if nothing is due */
#define PERF_CLOCK_NEVER	U64_MAX

/*
 * The timer and the sub-contexts use different clocks, so the timer may fire a little early.
 * A rest of up to this many ns is not worth another interrupt.
 */
#define PERF_CLOCK_SLACK	((s64)NSEC_PER_USEC)

/* A timer handler that begins less than this many ns late is on time. */
#define PERF_CLOCK_ON_TIME	(5 * (s64)NSEC_PER_USEC)

/* Return: @time + @ns, saturated to KTIME_MAX, which means never. */
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

/*
 * Convert a running time of @leader to the clock of its sub-context. The leader must be
 * ACTIVE.
 */
static ktime_t perf_clock_of_subctx(const struct perf_event *leader, ktime_t time)
{
	s64 ahead = leader->stamp_running;
	ktime_t due;

	if (time == KTIME_MAX || check_add_overflow(time, ahead, &due))
		return KTIME_MAX;
	return due;
}

/* Relink the group: its first follower has changed, or the leader has started or stopped. */
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

/* Return: ns until the sub-context is due, negative if overdue, S64_MAX for never. */
static s64 perf_clock_subctx_rest(const struct perf_subctx *subctx, u64 now)
{
	if (!perf_clock_queue_is_used(&subctx->clocks) || !subctx->clock.on)
		return S64_MAX;
	return subctx->clocks.due - (s64)perf_clock_read(&subctx->clock, now);
}

/**
 * struct perf_clock_search - search for the sub-context on this CPU that is due first
 * @now: perf_time()
 * @first: that sub-context, or NULL
 * @rest: ns until @first is due, negative if overdue; S64_MAX without @first
 * @others: minimum of the same over all other sub-contexts
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

/* Return: the sub-context on this CPU that is due first, in *@rest ns, or NULL. */
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

/* Set the timer to @rest ns from @now, when @subctx is due. S64_MAX stops the timer. */
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
		perf_clock_queue_sched_in(subctx, perf_time());
}

/**
 * perf_clock_queue_add() - queue a sampling clock that starts
 * @event: the event, not in a queue
 * @left: rest of its period, ns of the clock that it counts
 *
 * Caller must hold ctx->lock.
 *
 * Context: irqs off, on the context's CPU if the context is scheduled in.
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
 * Return: rest of the period, ns; zero or negative if the period has ended.
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
 * perf_clock_queue_switch_followers() - a leader has started or stopped counting
 * @leader: the leader; its followers include sampling clocks
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
 * perf_clock_queue_sched_in() - a sub-context is scheduled in, or its due time has changed
 * @subctx: the sub-context
 * @now: perf_time()
 *
 * Context: as perf_subctx_sched_in().
 */
void perf_clock_queue_sched_in(struct perf_subctx *subctx, u64 now)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	s64 rest;

	if (cpuctx->clock_timer_for == subctx) {
		perf_clock_timer_update(cpuctx, now);
		return;
	}
	/* the last clock may just have left the queue: the timer is not for this sub-context */
	rest = perf_clock_subctx_rest(subctx, now);
	if (rest == S64_MAX)
		return;
	/* not due before the timer: the timer stays, this sub-context counts as another one */
	if (cpuctx->clock_timer_at != PERF_CLOCK_NEVER &&
	    rest >= (s64)(cpuctx->clock_timer_at - now)) {
		cpuctx->clock_others_at = min(cpuctx->clock_others_at, now + rest);
		return;
	}
	cpuctx->clock_others_at = min(cpuctx->clock_others_at, cpuctx->clock_timer_at);
	perf_clock_timer_set(cpuctx, subctx, now, rest);
}

/**
 * perf_clock_queue_sched_out() - a sub-context with sampling clocks has been scheduled out
 * @subctx: the sub-context
 * @now: perf_time()
 *
 * Context: as perf_subctx_sched_out().
 */
void perf_clock_queue_sched_out(struct perf_subctx *subctx, u64 now)
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

/* Return: the first end of a period after @now. Periods that ended before are lost. */
static ktime_t perf_clock_next(ktime_t ended, u64 period, u64 now)
{
	ktime_t next = perf_clock_later(ended, period);

	if (next > (s64)now)
		return next;
	return next + (div64_u64(now - next, period) + 1) * period;
}

/* Postpone the first node of a queue. Mostly it remains the first and is not requeued. */
static void perf_clock_postpone(struct timerqueue_head *head,
				struct timerqueue_node *node, ktime_t expires)
{
	/*
	 * The first node has no left child, so its right subtree has at most one node, and that
	 * node has no left child either.
	 */
	struct rb_node *second = node->node.rb_right ?: rb_parent(&node->node);

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
 * Handle the end of the first period of a sub-context. The event is requeued after its
 * overflow has been handled.
 */
static void perf_clock_queue_tick(struct perf_subctx *subctx, u64 now)
{
	struct perf_event *event = perf_clock_queue_first(&subctx->clocks);
	struct timerqueue_node *node = &event->hw.clock_node;
	u64 period = perf_clock_tick(event);

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
 * Return: the sub-context that is due next, after @subctx was due. The other sub-contexts are
 * searched only if one of them may be due first. An overflow can have enabled or disabled a
 * clock.
 */
static struct perf_subctx *
perf_clock_next_subctx(struct perf_cpu_context *cpuctx, struct perf_subctx *subctx, u64 now,
		       s64 *rest)
{
	s64 subctx_rest = perf_clock_subctx_rest(subctx, now);

	if (unlikely(subctx_rest == S64_MAX || cpuctx->clock_timer_for != subctx ||
		     now + subctx_rest > cpuctx->clock_others_at))
		return perf_clock_search(cpuctx, now, rest);
	*rest = subctx_rest;
	return subctx;
}

/*
 * Set the timer to fire again @rest ns after @now, a perf_time(). It has fired @late ns late.
 *
 * If the timer was on time, its next expiry is computed from its last one, and no clock is
 * read again. Otherwise both clocks are read: the handler may have taken longer than a period,
 * or the two clocks may have drifted apart. What is due by then is delayed by as much time as
 * the handler has taken. That leaves time to the program and to other interrupts.
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

/* Each event is handled at most once, since its next period ends after @now. */
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
	/* hrtimer_try_to_cancel() fails while the handler runs: there may be nothing due */
	rest = subctx ? perf_clock_subctx_rest(subctx, now) : S64_MAX;
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	while (rest <= PERF_CLOCK_SLACK && left--) {
		perf_clock_queue_tick(subctx, now);
		subctx = perf_clock_next_subctx(cpuctx, subctx, now, &rest);
	}
	/* an event that was started or stopped meanwhile has set the timer */
	if (unlikely(hrtimer_is_queued(timer))) {
		perf_clock_timer_update(cpuctx, perf_time());
		return HRTIMER_NORESTART;
	}
	return subctx ? perf_clock_timer_again(cpuctx, now, late, rest) : HRTIMER_NORESTART;
}

/**
 * perf_clock_timer_cpu_gone() - cancel the timer of a dead CPU
 * @cpuctx: context of the CPU, on which nothing is scheduled in any more
 *
 * Hotplug may have moved the timer to another CPU.
 *
 * Context: task, may sleep.
 */
void perf_clock_timer_cpu_gone(struct perf_cpu_context *cpuctx)
{
	hrtimer_cancel(&cpuctx->clock_timer);
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	cpuctx->clock_timer_for = NULL;
	cpuctx->clock_others_at = PERF_CLOCK_NEVER;
}

/**
 * perf_clock_timer_init() - initialise a CPU's timer, stopped; boot
 * @cpuctx: context of any CPU
 */
void perf_clock_timer_init(struct perf_cpu_context *cpuctx)
{
	hrtimer_init(&cpuctx->clock_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpuctx->clock_timer.function = perf_clock_timer_fire;
	cpuctx->clock_timer_at = PERF_CLOCK_NEVER;
	cpuctx->clock_others_at = PERF_CLOCK_NEVER;
}
