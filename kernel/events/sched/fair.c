// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: who of those that share a PMU is on, when not all fit.
 *
 * Groups are served in the order in which they are owed time. The key of a
 * group is how long it was on (runtime), plus its pmu_ctx's vruntime_offset, which
 * makes the keys of different pmu_ctxs comparable: a pmu_ctx that comes on is not
 * owed more than who is owed most here already, for time spent off the CPU is
 * no debt; but what it was served too much it does not lose by going away.
 *
 * A turn ends with a rotation. The groups that are owed most come on, and for each
 * of them those that were served more go off, who was served most first, until
 * it fits. All others stay where they are. Where it can be, that is one exchange of
 * as many as are due; see perf_fair_exchange().
 *
 * Turns are short when groups have not had much yet, and longer afterwards: so
 * what one has got more than another is always a small part of what each has.
 *
 * A group that does not fit although nobody else that shares is on is unfit, and
 * set aside until the PMU's generation changes: by then somebody has come or
 * gone. But a driver can refuse for a reason of its own, which nobody tells of when
 * it is gone. So they are tried again after a turn, and if nothing else changes
 * after twice that time and so on: see perf_fair_retry(). What is tried at a
 * time is bounded, so nothing here grows with the number of groups that wait,
 * but the depth of their tree.
 *
 * Locking: see sched.h.
 */
#include <linux/math64.h>
#include <linux/rbtree.h>

#include "../base/event.h"
#include "../base/times.h"
#include "batch.h"
#include "sched.h"

/* Groups that may be tried in vain: while there is room, and at a rotation. */
#define PERF_FILL_TRIES		2
#define PERF_ROTATE_TRIES	4

/* Groups that are on and looked at to see who is owed most. */
#define PERF_LOWEST_LOOKS		16

/*
 * A turn is one of so many parts of what a group has got. In a crowd, where at least so
 * many times as many groups share as are on, it is one of fewer parts, or one of so many
 * parts of the time in which they got it: how many turns there are does not grow with the
 * number of groups then.
 */
#define PERF_SLICE_PARTS		53
#define PERF_SLICE_CROWD		8
#define PERF_SLICE_CROWD_PARTS	24
#define PERF_SLICE_PARTS_OF_ALL	400
/* After so many intervals shares are that equal: no turn need be shorter than then. */
#define PERF_SLICE_SETTLED	48
#define PERF_SLICE_MIN_NS	(100 * NSEC_PER_USEC)

/* Turns after which groups that are unfit are tried again at the latest, as a shift. */
#define PERF_RETRY_LONGEST	6

static struct perf_event *perf_fair_first_waiting(const struct perf_event_pmu_context *pmu_ctx)
{
	struct rb_node *node = rb_first_cached(&pmu_ctx->waiting);

	return node ? rb_entry(node, struct perf_event, waiting_node) : NULL;
}

static u64 perf_fair_runtime(const struct perf_event *leader, u64 now)
{
	if (leader->state != PERF_EVENT_STATE_ACTIVE)
		return leader->runtime;
	return perf_pmu_ctx_clock(leader->pmu_ctx, now) - leader->runtime_stamp;
}

static u64 perf_fair_vruntime(const struct perf_event *leader, u64 now)
{
	return perf_fair_runtime(leader, now) + leader->pmu_ctx->vruntime_offset;
}

/* @a is owed more than @b */
static bool perf_vruntime_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static bool perf_fair_less(struct rb_node *a, const struct rb_node *b)
{
	return perf_vruntime_before(rb_entry(a, struct perf_event, waiting_node)->runtime,
				    rb_entry(b, struct perf_event, waiting_node)->runtime);
}

/**
 * perf_fair_enqueue() - a group that shares waits for its turn
 * @leader: INACTIVE, on no list
 */
void perf_fair_enqueue(struct perf_event *leader)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;

	rb_add_cached(&leader->waiting_node, &pmu_ctx->waiting, perf_fair_less);
	pmu_ctx->nr_waiting++;
	if (perf_pmu_ctx_is_on(pmu_ctx))
		perf_this_cpc(pmu_ctx)->nr_waiting++;
}

/**
 * perf_fair_dequeue() - a group does not wait for its turn, if it did
 * @leader: any that is queued
 */
void perf_fair_dequeue(struct perf_event *leader)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;

	if (RB_EMPTY_NODE(&leader->waiting_node))
		return;
	rb_erase_cached(&leader->waiting_node, &pmu_ctx->waiting);
	RB_CLEAR_NODE(&leader->waiting_node);
	pmu_ctx->nr_waiting--;
	if (perf_pmu_ctx_is_on(pmu_ctx))
		perf_this_cpc(pmu_ctx)->nr_waiting--;
}

/*
 * The one of a pmu_ctx that is owed most. Of those that are on only the latest are looked
 * at: they have been on for less time, and a PMU on which all fit may have many.
 */
static struct perf_event *perf_fair_lowest(struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	struct perf_event *head = perf_fair_first_waiting(pmu_ctx), *leader;
	unsigned int looks = PERF_LOWEST_LOOKS;

	list_for_each_entry_reverse(leader, &pmu_ctx->running, group_entry) {
		if (!looks--)
			break;
		if (!head || perf_vruntime_before(perf_fair_runtime(leader, now),
						  perf_fair_runtime(head, now)))
			head = leader;
	}
	return head;
}

/* The longest turn. */
static u64 perf_slice_max(const struct pmu *pmu)
{
	return READ_ONCE(pmu->hrtimer_interval_ms) * (u64)NSEC_PER_MSEC;
}

/**
 * perf_fair_init_runtime() - a newcomer is owed as much as who is owed most, no more
 * @pmu_ctx: where it goes
 * @leader: the newcomer
 * @now: perf_ctx_now()
 *
 * Nor is it owed much less: it may have been served on another PMU.
 */
void perf_fair_init_runtime(struct perf_event_pmu_context *pmu_ctx,
			    struct perf_event *leader, u64 now)
{
	struct perf_event *head = perf_fair_lowest(pmu_ctx, now);
	u64 runtime;

	if (!head)
		return;
	runtime = perf_fair_runtime(head, now);
	if (perf_vruntime_before(leader->runtime, runtime) ||
	    leader->runtime - runtime > perf_slice_max(pmu_ctx->pmu))
		leader->runtime = runtime;
}

/* The key of who is owed most on a PMU; false when nobody shares it. */
static bool perf_fair_min_vruntime(struct perf_cpu_pmu_context *cpc, u64 now, u64 *min_vruntime)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *head;
	bool known = false;
	u64 vruntime;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		head = perf_fair_lowest(pmu_ctx, now);
		if (!head)
			continue;
		vruntime = perf_fair_vruntime(head, now);
		if (!known || perf_vruntime_before(vruntime, *min_vruntime))
			*min_vruntime = vruntime;
		known = true;
	}
	return known;
}

/**
 * perf_fair_level() - a pmu_ctx joins others on a PMU
 * @cpc: this CPU's side of the PMU
 * @pmu_ctx: not on yet
 * @now: perf_time()
 *
 * What it missed of a turn while it was on here is still owed: else a task with short
 * slices would be level with the others each time it comes, and never before them.
 */
void perf_fair_level(struct perf_cpu_pmu_context *cpc,
		     struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	struct perf_event *head = perf_fair_lowest(pmu_ctx, now);
	bool was_here = perf_pmu_ctx_was_here(pmu_ctx, cpc);
	u64 min_vruntime, vruntime;

	if (!head || !perf_fair_min_vruntime(cpc, now, &min_vruntime))
		return;
	if (was_here)
		min_vruntime -= perf_slice_max(pmu_ctx->pmu);
	vruntime = perf_fair_vruntime(head, now);
	/* what it knows of another CPU says nothing here */
	if (perf_vruntime_before(vruntime, min_vruntime) || !was_here)
		pmu_ctx->vruntime_offset += min_vruntime - vruntime;
}

/**
 * perf_fair_level_first() - the first of a pmu_ctx's groups that shares
 * @cpc: this CPU's side of the PMU, on which the pmu_ctx is
 * @leader: the group's leader, on no list yet
 * @now: perf_time()
 */
void perf_fair_level_first(struct perf_cpu_pmu_context *cpc,
			   struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	u64 min_vruntime;

	if (!perf_fair_lowest(pmu_ctx, now) && perf_fair_min_vruntime(cpc, now, &min_vruntime))
		pmu_ctx->vruntime_offset = min_vruntime - leader->runtime;
}

/* Of all that wait, the one that is owed most. */
static struct perf_event *perf_fair_pick_waiting(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event *best = NULL, *first;
	struct perf_event_pmu_context *pmu_ctx;

	if (!cpc->nr_waiting)
		return NULL;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		first = perf_fair_first_waiting(pmu_ctx);
		if (first && (!best || perf_vruntime_before(perf_fair_vruntime(first, now),
							    perf_fair_vruntime(best, now))))
			best = first;
	}
	return best;
}

/*
 * Of a pmu_ctx's groups that are on, the one that was served most. Their time is told by
 * one clock: it is the one whose stamp is least.
 */
static struct perf_event *perf_fair_highest_active(struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *tail = NULL, *leader;

	list_for_each_entry(leader, &pmu_ctx->running, group_entry) {
		/* a pmu_ctx that is coming on has not got its counters back yet */
		if (leader->oncpu < 0)
			break;
		if (!tail || perf_vruntime_before(leader->runtime_stamp, tail->runtime_stamp))
			tail = leader;
	}
	return tail;
}

/* Of all that are on and share, the one that was served most. */
static struct perf_event *perf_fair_pick_victim(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event *best = NULL, *tail;
	struct perf_event_pmu_context *pmu_ctx;

	if (!cpc->nr_running)
		return NULL;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		tail = perf_fair_highest_active(pmu_ctx);
		if (tail && (!best || perf_vruntime_before(perf_fair_vruntime(best, now),
							   perf_fair_vruntime(tail, now))))
			best = tail;
	}
	return best;
}

static void perf_fair_sched_out(struct perf_cpu_pmu_context *cpc, struct perf_event *leader,
				u64 now)
{
	perf_group_sched_out(cpc, leader, now);
	list_del_init(&leader->group_entry);
}

/**
 * perf_fair_evict() - somebody makes room for a pinned group
 * @cpc: this CPU's side of the PMU, disabled
 * @now: perf_time()
 *
 * Return: false when there is nobody to do so.
 */
bool perf_fair_evict(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event *leader = perf_fair_pick_victim(cpc, now);

	if (!leader)
		return false;
	perf_fair_sched_out(cpc, leader, now);
	perf_fair_enqueue(leader);
	return true;
}

/**
 * perf_fair_has_unfit() - may counters that are free be of use to an unfit group?
 * @cpc: this CPU's side of a PMU
 *
 * Return: true if they may.
 */
bool perf_fair_has_unfit(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (!list_empty(&pmu_ctx->unfit))
			return true;
	}
	return false;
}

/**
 * perf_fair_retry() - unfit groups may fit, if it is long enough that they did not
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * It costs what a rotation does, so it is done the less often the longer it has been
 * in vain; a driver's reason that lasts long need not be found to be gone at once.
 *
 * Return: they are to be tried.
 */
bool perf_fair_retry(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 pass = perf_slice_max(cpc->pmu);

	if ((s64)(cpc->retry_at - now) > 0)
		return false;
	cpc->retry_wait = clamp(2 * cpc->retry_wait, pass, pass << PERF_RETRY_LONGEST);
	cpc->retry_at = now + cpc->retry_wait;
	cpc->generation++;
	return true;
}

/* It cannot be on now, whoever goes. */
static void perf_fair_set_unfit(struct perf_cpu_pmu_context *cpc,
				struct perf_event *leader, u64 now)
{
	leader->unfit_at = cpc->generation;
	list_add_tail(&leader->group_entry, &leader->pmu_ctx->unfit);
	if (cpc->retry_wait)
		return;
	cpc->retry_wait = perf_slice_max(cpc->pmu);
	cpc->retry_at = now + cpc->retry_wait;
}

/* Those that may fit by now: one at a time, so that others have a chance as well. */
static void perf_fair_retry_unfit(struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *leader;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		leader = list_first_entry_or_null(&pmu_ctx->unfit, struct perf_event,
						  group_entry);
		if (likely(!leader) || leader->unfit_at == cpc->generation)
			continue;
		list_del_init(&leader->group_entry);
		perf_fair_enqueue(leader);
	}
}

/* Who is to be tried next. */
static struct perf_event *perf_fair_pick_next(struct perf_cpu_pmu_context *cpc, u64 now)
{
	perf_fair_retry_unfit(cpc);
	return perf_fair_pick_waiting(cpc, now);
}

/**
 * struct perf_fair_pass - an attempt to put groups on
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 * @tries: how many more may be tried in vain
 * @misfits: leaders that were
 */
struct perf_fair_pass {
	struct perf_cpu_pmu_context	*cpc;
	u64				now;
	unsigned int			tries;
	struct list_head		misfits;
};

static void perf_fair_set_running(struct perf_event *leader)
{
	perf_fair_dequeue(leader);
	list_add_tail(&leader->group_entry, &leader->pmu_ctx->running);
}

static void perf_fair_misfit(struct perf_fair_pass *pass, struct perf_event *leader)
{
	pass->tries--;
	perf_fair_dequeue(leader);
	if (pass->cpc->nr_running) {
		list_add_tail(&leader->group_entry, &pass->misfits);
		return;
	}
	perf_fair_set_unfit(pass->cpc, leader, pass->now);
}

/* Those for which there was no room wait on. */
static void perf_fair_requeue(struct list_head *leaders)
{
	struct perf_event *leader, *next;

	list_for_each_entry_safe(leader, next, leaders, group_entry) {
		list_del_init(&leader->group_entry);
		perf_fair_enqueue(leader);
	}
}

/**
 * perf_fair_fill() - put on what fits without anybody going
 * @cpc: this CPU's side of the PMU, disabled
 * @now: perf_time(); when groups go on because their set does, that at which the
 *	set's clock was started, so that they lose no time against it
 */
void perf_fair_fill(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_fair_pass pass = {
		.cpc		= cpc,
		.now		= now,
		.tries		= PERF_FILL_TRIES,
		.misfits	= LIST_HEAD_INIT(pass.misfits),
	};
	struct perf_event *leader;

	while (pass.tries && (leader = perf_fair_pick_next(cpc, now))) {
		if (perf_group_sched_in(cpc, leader, now))
			perf_fair_set_running(leader);
		else
			perf_fair_misfit(&pass, leader);
	}
	perf_fair_requeue(&pass.misfits);
}

/* How many of a group's events, that may need counters, are on or will be with it. */
static int perf_fair_group_size(struct perf_event *leader)
{
	struct perf_event *event;
	int size = 0;

	if (likely(!leader->nr_siblings))
		return 1;
	perf_group_for_each_enabled(event, leader)
		size += event->state == leader->state;
	return size;
}

/*
 * Let a group come on, and those go that were served more. What has come on in
 * this rotation was owed more than it is, and stays.
 *
 * Return: true when it is on. @room: by how many events are fewer on.
 */
static bool perf_fair_replace(struct perf_fair_pass *pass, struct perf_event *leader,
			      struct list_head *evicted, bool full, int *room)
{
	u64 vruntime = perf_fair_vruntime(leader, pass->now);
	struct perf_event *victim;

	while (full || !perf_group_sched_in(pass->cpc, leader, pass->now)) {
		victim = perf_fair_pick_victim(pass->cpc, pass->now);
		if (!victim ||
		    !perf_vruntime_before(vruntime, perf_fair_vruntime(victim, pass->now))) {
			/* with @full it was not tried at all */
			return full && perf_group_sched_in(pass->cpc, leader, pass->now);
		}
		full = false;
		perf_fair_sched_out(pass->cpc, victim, pass->now);
		list_add(&victim->group_entry, evicted);
		*room += perf_fair_group_size(victim);
	}
	return true;
}

/* There was more room than the newcomers needed: who was owed more first. */
static void perf_fair_put_back(struct perf_fair_pass *pass, struct list_head *evicted)
{
	struct perf_event *leader, *next;

	list_for_each_entry_safe(leader, next, evicted, group_entry) {
		if (!perf_group_sched_in(pass->cpc, leader, pass->now))
			continue;
		list_move_tail(&leader->group_entry, &leader->pmu_ctx->running);
	}
}

/**
 * struct perf_exchange - who goes and who comes at the end of a turn
 * @off: they are on
 * @on: they wait
 * @room: what @off leave and @on do not need, events
 * @all: nobody else is owed more than those who stay
 */
struct perf_exchange {
	struct perf_batch	off;
	struct perf_batch	on;
	int			room;
	bool			all;
};

/* Those of a pmu_ctx that are on, who was served most first. */
static unsigned int perf_fair_sort_victims(struct perf_event_pmu_context *pmu_ctx,
					   struct perf_event **victims)
{
	struct perf_event *leader;
	unsigned int nr = 0, i;

	list_for_each_entry(leader, &pmu_ctx->running, group_entry) {
		for (i = nr++; i; i--) {
			if (!perf_vruntime_before(leader->runtime_stamp,
						  victims[i - 1]->runtime_stamp))
				break;
			victims[i] = victims[i - 1];
		}
		victims[i] = leader;
	}
	return nr;
}

/*
 * Who would go and who would come if counters were alike: of those who are owed most as
 * many as have room when those are gone who were served more. Nobody moves yet.
 */
static void perf_fair_select(struct perf_exchange *exchange,
			     struct perf_event_pmu_context *pmu_ctx, u64 clock)
{
	struct perf_event *victims[PERF_BATCH_MAX];
	unsigned int nr = perf_fair_sort_victims(pmu_ctx, victims), i = 0;
	struct perf_event *leader;
	struct rb_node *node;

	for (node = rb_first_cached(&pmu_ctx->waiting); node; node = rb_next(node)) {
		leader = rb_entry(node, struct perf_event, waiting_node);
		for (; exchange->room < perf_fair_group_size(leader); i++) {
			if (i == nr || !perf_vruntime_before(leader->runtime,
							     clock - victims[i]->runtime_stamp))
				goto all;
			if (!perf_batch_gather(&exchange->off, victims[i]))
				return;
			exchange->room += perf_fair_group_size(victims[i]);
		}
		if (!perf_batch_gather(&exchange->on, leader))
			return;
		exchange->room -= perf_fair_group_size(leader);
	}
all:
	exchange->all = true;
}

/* Groups of a batch that has gone off. */
static void perf_fair_batch_out(struct perf_batch *batch, struct list_head *evicted)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			list_move(&batch->events[i]->group_entry, evicted);
	}
}

/* Groups of a batch that has come on. */
static void perf_fair_batch_in(struct perf_batch *batch)
{
	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			perf_fair_set_running(batch->events[i]);
	}
}

static int perf_fair_batch_size(struct perf_batch *batch)
{
	int size = 0;

	for (unsigned int i = 0; i < batch->nr; i++) {
		if (perf_event_leads(batch->events[i]))
			size += perf_fair_group_size(batch->events[i]);
	}
	return size;
}

/*
 * Most rotations are of one pmu_ctx, on a PMU with counters most of which are alike. Then
 * all who go and all who come do so together.
 *
 * Return: the rotation is done. If not, @room says by how many events are fewer on, and
 * the rest goes one after the other.
 */
static bool perf_fair_exchange(struct perf_cpu_pmu_context *cpc,
			       struct list_head *evicted, int *room, u64 now)
{
	struct perf_exchange exchange __uninitialized;
	struct perf_event_pmu_context *pmu_ctx;

	if (!list_is_singular(&cpc->pmu_ctxs) || cpc->nr_running > PERF_BATCH_MAX ||
	    cpc->pmu->capabilities & PERF_PMU_CAP_ITRACE)
		return false;
	pmu_ctx = list_first_entry(&cpc->pmu_ctxs, struct perf_event_pmu_context, cpu_entry);
	perf_batch_begin(&exchange.off, cpc->pmu);
	perf_batch_begin(&exchange.on, cpc->pmu);
	exchange.room = 0;
	exchange.all = false;
	perf_fair_select(&exchange, pmu_ctx, perf_pmu_ctx_clock(pmu_ctx, now));
	if (!exchange.on.nr)
		return exchange.all && !exchange.off.nr;

	perf_batch_off(cpc, &exchange.off, now);
	perf_fair_batch_out(&exchange.off, evicted);
	*room = exchange.room;
	if (!perf_batch_on(cpc, &exchange.on, now)) {
		*room += perf_fair_batch_size(&exchange.on);
		return false;
	}
	perf_fair_batch_in(&exchange.on);
	return exchange.all && !*room;
}

/* All that are on have the same turn. */
static void perf_slice_start(struct perf_cpu_pmu_context *cpc, u64 length, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;

	cpc->slice_end = now + length;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry)
		pmu_ctx->slice_end = perf_pmu_ctx_clock(pmu_ctx, now) + length;
}

/**
 * perf_fair_rotate() - a turn is over
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 */
void perf_fair_rotate(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_fair_pass pass = {
		.cpc		= cpc,
		.now		= now,
		.tries		= PERF_ROTATE_TRIES,
		.misfits	= LIST_HEAD_INIT(pass.misfits),
	};
	struct perf_event *leader;
	LIST_HEAD(evicted);
	bool full = false, done = false;
	int room = 0;

	perf_pmu_disable(cpc->pmu);
	leader = cpc->nr_running ? perf_fair_pick_next(cpc, now) : NULL;
	if (leader && perf_group_sched_in(cpc, leader, now)) {
		perf_fair_set_running(leader);
	} else if (leader) {
		done = perf_fair_exchange(cpc, &evicted, &room, now);
		full = room <= 0;
	}
	while (!done && pass.tries && (leader = perf_fair_pick_next(cpc, now))) {
		if (perf_fair_replace(&pass, leader, &evicted, full, &room)) {
			perf_fair_set_running(leader);
			room -= perf_fair_group_size(leader);
		} else {
			/* it was full before, and is no less so now */
			if (room <= 0 && cpc->nr_running)
				break;
			perf_fair_misfit(&pass, leader);
		}
		full = room <= 0 && !list_empty(&evicted);
	}
	/* who went may have had counters that are good for others, or more of them */
	while (done && (leader = perf_fair_pick_next(cpc, now)) &&
	       perf_group_sched_in(cpc, leader, now))
		perf_fair_set_running(leader);
	if (room > 0)
		perf_fair_put_back(&pass, &evicted);
	perf_fair_requeue(&evicted);
	perf_fair_requeue(&pass.misfits);
	perf_slice_start(cpc, perf_slice_length(cpc, now), now);
	perf_pmu_enable(cpc->pmu);
}

/* A turn of those of whom each had been on for @served when @passed had passed. */
static u64 perf_slice_part(u64 runtime, u64 passed)
{
	if (passed < runtime * PERF_SLICE_CROWD)
		return div_u64(runtime, PERF_SLICE_PARTS);
	return max(div_u64(runtime, PERF_SLICE_CROWD_PARTS),
		   div_u64(passed, PERF_SLICE_PARTS_OF_ALL));
}

/*
 * As it is when shares have to be equal for the first time: shorter turns would make
 * them more equal before that, and cost more.
 */
static u64 perf_slice_min(const struct perf_cpu_pmu_context *cpc, u64 longest)
{
	unsigned int groups = cpc->nr_running + cpc->nr_waiting;
	u64 settled = longest * PERF_SLICE_SETTLED;
	u64 runtime = div_u64(settled * max(cpc->nr_running, 1U), groups);

	return max(perf_slice_part(runtime, settled), PERF_SLICE_MIN_NS);
}

/**
 * perf_slice_length() - how long the next turn is
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 *
 * Return: ns, perf_event_mux_interval_ms at most.
 */
u64 perf_slice_length(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 longest = perf_slice_max(cpc->pmu);
	struct perf_event *leader = perf_fair_pick_waiting(cpc, now);
	struct perf_event_times times;

	if (!leader)
		return longest;
	perf_event_times(leader, now, &times);
	return min(max(perf_slice_part(times.running, times.enabled),
		       perf_slice_min(cpc, longest)), longest);
}
