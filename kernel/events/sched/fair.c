// SPDX-License-Identifier: GPL-2.0
/*
 * Fair sharing: selection of the flexible groups that count on a PMU when not all of them fit.
 *
 * This file keeps the order of the groups, and selects; it changes no counter. fair_sched.c
 * schedules in and out what is selected here.
 *
 * Groups of the CPU and of the running task have a part of the counters each: sides.c selects the
 * side. The groups of a side are selected in the order of their vruntime, lowest first. The
 * vruntime of a group is its runtime (the time it was scheduled in) plus the vruntime_offset of
 * its pmu_ctx. The offset makes the vruntimes of different pmu_ctxs comparable. Each side has a
 * floor, the lowest vruntime of its groups. What becomes eligible is placed within one slice of
 * it: a pmu_ctx that is scheduled in by perf_fair_level(), a group by perf_fair_place(). So time
 * without counters earns no credit, and time without competition no debt, beyond one slice. A
 * group that is evicted keeps a lead of four slices at most: perf_fair_enqueue_all().
 *
 * A slice ends with a rotation. The groups with the lowest vruntime are scheduled in. For each of
 * them, groups with a higher vruntime, and groups of a side that has more than its part, are
 * scheduled out, highest vruntime first, until it fits. All other groups keep their counters.
 * Where possible, a rotation is one exchange of as many groups as are due; see
 * perf_fair_select().
 *
 * Slices are short while groups have little runtime, and get longer afterwards. The difference
 * between the runtimes of two groups thus always is a small part of each runtime.
 *
 * A group that does not fit although no other flexible group is scheduled in is unfit. It is
 * kept off until the generation of the PMU changes: groups have arrived, or left their counters.
 * A driver may also refuse a group for a reason of its own, and does not report the end of
 * that reason. Unfit groups are therefore tried again after one slice, and after twice the
 * delay with each further attempt in vain, up to a limit: see perf_fair_retry(). The number of
 * groups tried at a time is bounded, so the cost does not grow with the number of waiting
 * groups, except for the depth of their tree.
 *
 * Context: The CPU concerned, irqs off, locks as in cpu_pmu.h.
 */
#include <linux/math64.h>
#include <linux/rbtree.h>

#include "../base/event.h"
#include "../base/times.h"
#include "fair.h"

/* Number of running groups that are searched for the lowest vruntime. */
#define PERF_LOWEST_LOOKS		16

/* The lead over the floor, in slices, that a group keeps at most when it is evicted. */
#define PERF_LEAD_SLICES		4

/*
 * A slice is 1/PERF_SLICE_PARTS of the runtime of a group. When at least PERF_SLICE_CROWD
 * times as many groups share the PMU as fit, it is the larger of 1/PERF_SLICE_CROWD_PARTS of
 * the runtime and 1/PERF_SLICE_PARTS_OF_ALL of the time in which the group got that runtime.
 * The number of slices then does not grow with the number of groups.
 */
#define PERF_SLICE_PARTS		53
#define PERF_SLICE_CROWD		8
#define PERF_SLICE_CROWD_PARTS	24
#define PERF_SLICE_PARTS_OF_ALL	400
/*
 * Shares must be equal after this many multiplexing intervals. A slice is never shorter than
 * the slice at that point, or, if several pmu_ctxs compete, than half of it.
 */
#define PERF_SLICE_SETTLED	48
#define PERF_SLICE_MIN_NS	(100 * NSEC_PER_USEC)

/* Longest delay between attempts to schedule unfit groups in, as a shift of the longest slice. */
#define PERF_RETRY_LONGEST	6

static struct perf_event *perf_fair_first_waiting(const struct perf_event_pmu_context *pmu_ctx)
{
	struct rb_node *node = rb_first_cached(&pmu_ctx->waiting);

	return node ? rb_entry(node, struct perf_event, waiting_node) : NULL;
}

static bool perf_fair_less(struct rb_node *a, const struct rb_node *b)
{
	return perf_vruntime_before(rb_entry(a, struct perf_event, waiting_node)->runtime,
				    rb_entry(b, struct perf_event, waiting_node)->runtime);
}

/**
 * perf_fair_enqueue() - let a flexible group wait for counters
 * @leader: the group's leader, INACTIVE, on no list
 *
 * Context: Caller must hold the locks named in cpu_pmu.h.
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
 * perf_fair_dequeue() - remove a group from the waiting groups, if it is one of them
 * @leader: the leader of an enqueued group
 *
 * Context: Caller must hold the locks named in cpu_pmu.h.
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
 * The flexible group of a pmu_ctx with the lowest vruntime. Of the running groups only the
 * last ones of the list are searched: they were scheduled in last and so have run for less
 * time. A PMU on which all groups fit may have many of them.
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

/* The lowest vruntime of a side on a PMU. Return: false if the side has no flexible group there. */
static bool perf_fair_min_vruntime(struct perf_cpu_pmu_context *cpc, enum perf_side side,
				   u64 now, u64 *min_vruntime)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *head;
	bool known = false;
	u64 vruntime;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (perf_pmu_ctx_side(pmu_ctx) != side)
			continue;
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

static void perf_fair_raise_floor(struct perf_fair_floor *floor, u64 lowest)
{
	if (floor->stale || perf_vruntime_before(floor->vruntime, lowest))
		floor->vruntime = lowest;
	floor->stale = false;
}

/*
 * The floor of a side on a PMU: the lowest vruntime of its groups that wait or run there. It only
 * rises while any pmu_ctx of the side is scheduled in, and keeps its value while none of them has
 * such a group. Afterwards vruntimes are compared with those that come next.
 *
 * Return: false if there is nothing to compare with.
 */
static bool perf_fair_floor(struct perf_cpu_pmu_context *cpc, enum perf_side side, u64 now,
			    u64 *vruntime)
{
	struct perf_fair_floor *floor = &cpc->floors[side];
	u64 lowest;

	if (perf_fair_min_vruntime(cpc, side, now, &lowest))
		perf_fair_raise_floor(floor, lowest);
	*vruntime = floor->vruntime;
	return !floor->stale;
}

static bool perf_fair_is_ahead(const struct perf_event *leader, u64 floor, u64 now)
{
	u64 lead = PERF_LEAD_SLICES * perf_slice_max(leader->group_pmu);

	return perf_vruntime_before(floor + lead, perf_fair_vruntime(leader, now));
}

/* Let those groups of a list wait that belong to one side, ahead by PERF_LEAD_SLICES at most. */
static void perf_fair_enqueue_ahead(struct perf_cpu_pmu_context *cpc, enum perf_side side,
				    struct list_head *ahead, u64 now)
{
	u64 lowest, vruntime, lead = PERF_LEAD_SLICES * perf_slice_max(cpc->pmu);
	struct perf_fair_floor *floor = &cpc->floors[side];
	bool known = perf_fair_min_vruntime(cpc, side, now, &lowest);
	struct perf_event *leader, *next;

	/* groups of this list are on no other one yet */
	list_for_each_entry(leader, ahead, group_entry) {
		if (perf_pmu_ctx_side(leader->pmu_ctx) != side)
			continue;
		vruntime = perf_fair_vruntime(leader, now);
		if (!known || perf_vruntime_before(vruntime, lowest))
			lowest = vruntime;
		known = true;
	}
	if (known)
		perf_fair_raise_floor(floor, lowest);
	list_for_each_entry_safe(leader, next, ahead, group_entry) {
		if (perf_pmu_ctx_side(leader->pmu_ctx) != side)
			continue;
		list_del_init(&leader->group_entry);
		vruntime = perf_fair_vruntime(leader, now);
		if (perf_vruntime_before(floor->vruntime + lead, vruntime))
			leader->runtime -= vruntime - floor->vruntime - lead;
		perf_fair_enqueue(leader);
	}
}

/**
 * perf_fair_enqueue_all() - let groups wait that had counters, or were tried
 * @cpc: this CPU's side of their PMU
 * @leaders: list of leaders; empty afterwards
 * @now: perf_time()
 *
 * A group that ran on counters of which no other could make use may be far ahead. Not more than
 * PERF_LEAD_SLICES are kept, or it would not run for as long once others can use them.
 */
void perf_fair_enqueue_all(struct perf_cpu_pmu_context *cpc, struct list_head *leaders, u64 now)
{
	struct perf_event *leader, *next;
	struct perf_fair_floor *floor;
	LIST_HEAD(ahead);

	list_for_each_entry_safe(leader, next, leaders, group_entry) {
		floor = &cpc->floors[perf_pmu_ctx_side(leader->pmu_ctx)];
		/* the floor may have risen since it was computed the last time */
		if (floor->stale || perf_fair_is_ahead(leader, floor->vruntime, now)) {
			list_move_tail(&leader->group_entry, &ahead);
			continue;
		}
		list_del_init(&leader->group_entry);
		perf_fair_enqueue(leader);
	}
	if (likely(list_empty(&ahead)))
		return;
	for (enum perf_side side = 0; side < PERF_SIDES; side++)
		perf_fair_enqueue_ahead(cpc, side, &ahead, now);
}

/**
 * perf_fair_level() - level the vruntime of a pmu_ctx that is being scheduled in
 * @cpc: this CPU's side of the PMU
 * @pmu_ctx: not yet on @cpc->pmu_ctxs
 * @now: perf_time()
 *
 * It is compared with the other pmu_ctxs of its side. If it was on this CPU the last time, it may
 * be one slice below the floor, or above it. Without that credit, a cgroup with short time slices
 * would be level with the others each time it is scheduled in, and never ahead of them. Without
 * that debt, being scheduled out would clear a surplus. More than that comes from a time without
 * competition.
 */
void perf_fair_level(struct perf_cpu_pmu_context *cpc,
		     struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	u64 floor, vruntime, slice = perf_slice_max(pmu_ctx->pmu);
	struct perf_event *head;

	if (!perf_fair_floor(cpc, perf_pmu_ctx_side(pmu_ctx), now, &floor))
		return;
	head = perf_fair_lowest(pmu_ctx, now);
	if (!head)
		return;
	/* vruntimes of different CPUs are not comparable */
	if (!perf_pmu_ctx_was_here(pmu_ctx, cpc))
		slice = 0;
	vruntime = perf_fair_vruntime(head, now);
	if (perf_vruntime_before(vruntime, floor - slice))
		pmu_ctx->vruntime_offset += floor - slice - vruntime;
	else if (perf_vruntime_before(floor + slice, vruntime))
		pmu_ctx->vruntime_offset += floor + slice - vruntime;
}

/**
 * perf_fair_place() - place a group beside the others when it becomes eligible
 * @leader: the leader of a flexible group, INACTIVE, on no list
 * @now: perf_ctx_now()
 *
 * The group gets no credit for the time before. If its vruntime is higher than the others', not
 * more than one slice of that is kept: the group may have been alone, or on another PMU.
 */
void perf_fair_place(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_event *head = perf_fair_lowest(pmu_ctx, now);
	u64 slice = perf_slice_max(pmu_ctx->pmu), lowest, placed;
	bool on = perf_pmu_ctx_is_on(pmu_ctx);

	if (on && perf_fair_floor(perf_this_cpc(pmu_ctx), perf_pmu_ctx_side(pmu_ctx), now, &lowest))
		lowest -= pmu_ctx->vruntime_offset;
	else if (head)
		lowest = perf_fair_runtime(head, now);
	else
		return;

	placed = leader->runtime;
	if (perf_vruntime_before(placed, lowest))
		placed = lowest;
	else if (perf_vruntime_before(lowest + slice, placed))
		placed = lowest + slice;
	leader->runtime = placed;
}

/* Find the waiting group of each side with the lowest vruntime; NULL if none waits. */
static void perf_fair_find_first(struct perf_cpu_pmu_context *cpc, u64 now,
				 struct perf_event *first[PERF_SIDES])
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *leader;
	enum perf_side side;

	first[PERF_SIDE_CPU] = NULL;
	first[PERF_SIDE_TASK] = NULL;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		leader = perf_fair_first_waiting(pmu_ctx);
		if (!leader)
			continue;
		side = perf_pmu_ctx_side(pmu_ctx);
		if (!first[side] || perf_vruntime_before(perf_fair_vruntime(leader, now),
							 perf_fair_vruntime(first[side], now)))
			first[side] = leader;
	}
}

/**
 * perf_fair_pick_next() - select the group to be tried next
 * @cpc: this CPU's side of a PMU
 * @done: bit n is set if no further group of side n is to be tried
 * @now: perf_time()
 *
 * Return: the leader of a waiting group of the side that is behind, that with the lowest vruntime
 * there; NULL when none waits.
 */
struct perf_event *perf_fair_pick_next(struct perf_cpu_pmu_context *cpc, unsigned long done,
				       u64 now)
{
	struct perf_event *first[PERF_SIDES];
	struct perf_event_pmu_context *only;

	if (!cpc->nr_waiting)
		return NULL;
	if (likely(list_is_singular(&cpc->pmu_ctxs))) {
		only = list_first_entry(&cpc->pmu_ctxs, struct perf_event_pmu_context, cpu_entry);
		return done & BIT(perf_pmu_ctx_side(only)) ? NULL : perf_fair_first_waiting(only);
	}
	perf_fair_find_first(cpc, now, first);
	if (!first[PERF_SIDE_CPU] || done & BIT(PERF_SIDE_CPU))
		return done & BIT(PERF_SIDE_TASK) ? NULL : first[PERF_SIDE_TASK];
	if (!first[PERF_SIDE_TASK] || done & BIT(PERF_SIDE_TASK))
		return first[PERF_SIDE_CPU];
	return first[perf_side_behind(cpc)];
}

/*
 * The running group of a pmu_ctx with the highest vruntime. All groups of a pmu_ctx use one
 * clock, so it is the group with the lowest runtime_stamp.
 */
static struct perf_event *perf_fair_highest_active(struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *tail = NULL, *leader;

	list_for_each_entry(leader, &pmu_ctx->running, group_entry) {
		/*
		 * this group and those after it have no counters yet: the pmu_ctx is being
		 * scheduled in
		 */
		if (leader->oncpu < 0)
			break;
		if (!tail || perf_vruntime_before(leader->runtime_stamp, tail->runtime_stamp))
			tail = leader;
	}
	return tail;
}

/**
 * perf_fair_pick_victim() - select the group of a side to be scheduled out first
 * @cpc: this CPU's side of a PMU
 * @side: the side
 * @now: perf_time()
 *
 * Return: the leader of the running group with the highest vruntime, or NULL when no flexible
 * group of the side has counters.
 */
struct perf_event *perf_fair_pick_victim(struct perf_cpu_pmu_context *cpc, enum perf_side side,
					 u64 now)
{
	struct perf_event *best = NULL, *tail;
	struct perf_event_pmu_context *pmu_ctx;

	if (!cpc->nr_running)
		return NULL;
	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (perf_pmu_ctx_side(pmu_ctx) != side)
			continue;
		tail = perf_fair_highest_active(pmu_ctx);
		if (tail && (!best || perf_vruntime_before(perf_fair_vruntime(best, now),
							   perf_fair_vruntime(tail, now))))
			best = tail;
	}
	return best;
}

/**
 * perf_fair_has_unfit() - check for unfit groups on a PMU
 * @cpc: this CPU's side of a PMU
 *
 * Return: true if there are any, so that free counters may be of use to them.
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
 * perf_fair_retry() - make unfit groups eligible again when their delay has passed
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * A retry costs as much as a rotation. The delay is therefore doubled with each retry, up to a
 * limit. When a driver refuses a group for a long time, the end of that need not be noticed at
 * once.
 *
 * Return: true if unfit groups are to be tried now.
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

/**
 * perf_fair_retry_soon() - let unfit groups be tried after one interval
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * Nothing is done if they are tried before, or if the delay has been doubled since the last change.
 */
void perf_fair_retry_soon(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 pass = perf_slice_max(cpc->pmu);

	if (cpc->retry_wait)
		return;
	cpc->retry_wait = pass;
	if (cpc->retry_at - now > pass)
		cpc->retry_at = now + pass;
}

/**
 * perf_fair_set_unfit() - keep a group off that does not fit on the PMU alone
 * @cpc: this CPU's side of the PMU, on which no flexible group has counters
 * @leader: the group's leader, on no list
 * @now: perf_time()
 */
void perf_fair_set_unfit(struct perf_cpu_pmu_context *cpc,
			 struct perf_event *leader, u64 now)
{
	perf_fair_retry_ended(leader);
	if (!leader->unfit_at)
		cpc->retry_wait = 0;
	leader->unfit_at = cpc->generation;
	list_add_tail(&leader->group_entry, &leader->pmu_ctx->unfit);
	perf_fair_retry_soon(cpc, now);
}

/* Was a group tried before another one? On other CPUs they were tried before this one. */
static bool perf_unfit_before(const struct perf_event *leader, const struct perf_event *first)
{
	if (perf_same_cpu_generation(leader->unfit_at, first->unfit_at))
		return leader->unfit_at < first->unfit_at;
	return leader->unfit_at >> PERF_GENERATION_BITS != smp_processor_id();
}

/**
 * perf_fair_enqueue_new() - let a group wait that has become eligible
 * @leader: the group's leader, placed, on no list
 * @now: perf_ctx_now()
 *
 * If it was unfit when it was disabled, it is unfit, and tried again with the others. So a program
 * that toggles such groups takes no attempts of other groups. The group that was tried the longest
 * time ago is the first one again.
 */
void perf_fair_enqueue_new(struct perf_event *leader, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx = leader->pmu_ctx;
	struct perf_event *first;

	if (likely(!leader->unfit_at)) {
		perf_fair_enqueue(leader);
		return;
	}
	first = list_first_entry_or_null(&pmu_ctx->unfit, struct perf_event, group_entry);
	if (first && perf_unfit_before(leader, first))
		list_add(&leader->group_entry, &pmu_ctx->unfit);
	else
		list_add_tail(&leader->group_entry, &pmu_ctx->unfit);
	if (perf_pmu_ctx_is_on(pmu_ctx))
		perf_fair_retry_soon(perf_this_cpc(pmu_ctx), now);
	else
		pmu_ctx->unfit_stale = true;
}

/* The next unfit group of a pmu_ctx to be tried, or NULL. Those just found unfit are at the end. */
static struct perf_event *perf_fair_first_untried(const struct perf_cpu_pmu_context *cpc,
						  struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_event *leader = list_first_entry_or_null(&pmu_ctx->unfit, struct perf_event,
							     group_entry);

	if (likely(!leader) || pmu_ctx->retried || leader->unfit_at == cpc->generation)
		return NULL;
	return leader;
}

/**
 * perf_fair_retry_unfit() - let unfit groups wait again if the generation has changed
 * @cpc: this CPU's side of a PMU
 * @now: perf_time()
 *
 * One group of each pmu_ctx is taken at a time. The next one follows when it has been scheduled
 * in, or was found unfit again.
 */
void perf_fair_retry_unfit(struct perf_cpu_pmu_context *cpc, u64 now)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_event *leader;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		leader = perf_fair_first_untried(cpc, pmu_ctx);
		if (likely(!leader))
			continue;
		list_del_init(&leader->group_entry);
		perf_fair_place(leader, now);
		/* before groups with the lowest vruntime, which it may have to evict */
		leader->runtime--;
		perf_fair_enqueue(leader);
		pmu_ctx->retried = leader;
	}
}

/**
 * perf_fair_has_untried() - check for unfit groups that perf_fair_retry_unfit() would take
 * @cpc: this CPU's side of a PMU
 *
 * Return: true if there are any.
 */
bool perf_fair_has_untried(const struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *pmu_ctx;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (perf_fair_first_untried(cpc, pmu_ctx))
			return true;
	}
	return false;
}

/* Sort the running groups of a pmu_ctx, highest vruntime first. */
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

/**
 * perf_fair_select() - select groups to evict and to schedule in
 * @exchange: the result; need not be initialised
 * @pmu_ctx: the only one on the PMU that competes, with at most PERF_BATCH_MAX running groups
 * @now: perf_time()
 *
 * Selects as if counters were interchangeable. Waiting groups are taken lowest vruntime first,
 * as long as they fit once running groups with a higher vruntime are evicted. No group is moved
 * yet.
 */
void perf_fair_select(struct perf_exchange *exchange,
		      struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	u64 clock = perf_pmu_ctx_clock(pmu_ctx, now);
	struct perf_event *victims[PERF_BATCH_MAX];
	unsigned int nr = perf_fair_sort_victims(pmu_ctx, victims), i = 0;
	struct perf_event *leader;
	struct rb_node *node;

	perf_batch_begin(&exchange->out, pmu_ctx->pmu);
	perf_batch_begin(&exchange->in, pmu_ctx->pmu);
	exchange->room = 0;
	exchange->all = false;
	for (node = rb_first_cached(&pmu_ctx->waiting); node; node = rb_next(node)) {
		leader = rb_entry(node, struct perf_event, waiting_node);
		for (; exchange->room < perf_fair_group_size(leader); i++) {
			if (i == nr || !perf_vruntime_before(leader->runtime,
							     clock - victims[i]->runtime_stamp))
				goto all;
			if (!perf_batch_gather(&exchange->out, victims[i]))
				return;
			exchange->room += perf_fair_group_size(victims[i]);
		}
		if (!perf_batch_gather(&exchange->in, leader))
			return;
		exchange->room -= perf_fair_group_size(leader);
	}
all:
	exchange->all = true;
}

/* The slice of groups that ran for @runtime in a time of @passed. */
static u64 perf_slice_part(u64 runtime, u64 passed)
{
	if (passed < runtime * PERF_SLICE_CROWD)
		return div_u64(runtime, PERF_SLICE_PARTS);
	return max(div_u64(runtime, PERF_SLICE_CROWD_PARTS),
		   div_u64(passed, PERF_SLICE_PARTS_OF_ALL));
}

/*
 * The slice at the time when shares must be equal for the first time. Shorter slices would
 * make shares more equal before that time, but cost more.
 */
static u64 perf_slice_min(const struct perf_cpu_pmu_context *cpc, u64 longest)
{
	unsigned int groups = cpc->nr_running + cpc->nr_waiting;
	u64 settled = longest * PERF_SLICE_SETTLED;
	u64 runtime = mul_u64_u32_div(settled, max(cpc->nr_running, 1U), groups);

	return max(perf_slice_part(runtime, settled), PERF_SLICE_MIN_NS);
}

/* The length of the next slice. */
static u64 perf_slice_length(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 longest = perf_slice_max(cpc->pmu), part = longest;
	struct perf_event *first[PERF_SIDES];
	struct perf_event_times times;

	if (!cpc->nr_waiting)
		return longest;
	perf_fair_find_first(cpc, now, first);
	for (enum perf_side side = 0; side < PERF_SIDES; side++) {
		if (!first[side])
			continue;
		perf_event_times(first[side], now, &times);
		part = min(part, perf_slice_part(times.running, times.enabled));
	}
	return min(longest, max(part, perf_slice_min(cpc, longest)));
}

/**
 * perf_fair_only() - find the only pmu_ctx that competes on a PMU
 * @cpc: this CPU's side of the PMU
 *
 * Others may have pinned groups, like the watchdog's.
 *
 * Return: the pmu_ctx; NULL if none competes, or several do.
 */
struct perf_event_pmu_context *perf_fair_only(const struct perf_cpu_pmu_context *cpc)
{
	struct perf_event_pmu_context *pmu_ctx, *only = NULL;

	list_for_each_entry(pmu_ctx, &cpc->pmu_ctxs, cpu_entry) {
		if (list_empty(&pmu_ctx->running) && !pmu_ctx->nr_waiting)
			continue;
		if (only)
			return NULL;
		only = pmu_ctx;
	}
	return only;
}

/**
 * perf_slice_begin() - begin a slice
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 *
 * It is at most as long as perf_event_mux_interval_ms. Several pmu_ctxs that compete may come and
 * go in step with slices of equal length. One of them would then be there at no rotation, or at
 * each rotation for no time. So the length of their slices is random, between half of it and all.
 */
void perf_slice_begin(struct perf_cpu_pmu_context *cpc, u64 now)
{
	cpc->slice = perf_slice_length(cpc, now);
	if (!perf_fair_only(cpc))
		cpc->slice -= mul_u64_u32_shr(cpc->slice / 2, perf_cpc_random(cpc), 32);
	cpc->slice_end = now + cpc->slice;
	cpc->shared = perf_sides_compete(cpc);
}

/**
 * perf_slice_shorten() - let the slice, and the delay of unfit groups, end within one interval
 * @cpc: this CPU's side of the PMU
 * @now: perf_time()
 */
void perf_slice_shorten(struct perf_cpu_pmu_context *cpc, u64 now)
{
	u64 end = now + perf_slice_max(cpc->pmu);

	if ((s64)(cpc->slice_end - end) > 0)
		cpc->slice_end = end;
	if ((s64)(cpc->retry_at - end) > 0)
		cpc->retry_at = end;
}

/**
 * perf_slice_is_over() - check whether the slice of a pmu_ctx ends before it is scheduled in
 * @pmu_ctx: the pmu_ctx
 * @now: perf_time()
 *
 * Return: true if it does, or if the interval was lowered below what is left of the slice.
 */
bool perf_slice_is_over(const struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	s64 rest = pmu_ctx->slice_end - perf_pmu_ctx_clock(pmu_ctx, now);

	return rest <= 0 || (u64)rest > perf_slice_max(pmu_ctx->pmu);
}

/**
 * perf_slice_continue() - a pmu_ctx has come back in the middle of its slice
 * @cpc: this CPU's side of the PMU
 * @pmu_ctx: the pmu_ctx, on @cpc
 * @now: perf_time()
 *
 * If the slice of the PMU ended while nothing waited there, the pmu_ctx's slice goes on. If groups
 * of other pmu_ctxs wait, the rotation is due.
 */
void perf_slice_continue(struct perf_cpu_pmu_context *cpc,
			 const struct perf_event_pmu_context *pmu_ctx, u64 now)
{
	if (pmu_ctx->nr_waiting && cpc->nr_waiting == pmu_ctx->nr_waiting &&
	    (s64)(cpc->slice_end - now) <= 0)
		cpc->slice_end = now + pmu_ctx->slice_end - perf_pmu_ctx_clock(pmu_ctx, now);
}
