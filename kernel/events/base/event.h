/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: references, states and groups.
 *
 * Prefixes in kernel/events/, beside those that are a folder's or a file's name:
 *
 *	perf_event_	one event; also the API for the rest of the kernel
 *	perf_group_	a leader and its siblings		context/group.h
 *	perf_followers_	siblings that count with the leader	software/follow.h
 *	perf_ctx_	the events of a task or a CPU		context/context.h
 *	perf_subctx_	events of a context that count under one condition
 *							context/subctx.h
 *	perf_pmu_ctx_	groups of a sub-context that need one PMU's counters
 *							sched/cpu_pmu.h
 *	perf_sched_	scheduling groups on a PMU's counters	sched/sched.h
 *	perf_fair_	choice of groups if not all of them fit	sched/fair.h
 *	perf_side_	parts of the CPU and of the task	sched/sides.h
 *	perf_slice_	time slices				sched/fair.h
 *	perf_ctx_swap_	exchange of two tasks' equal contexts	context/ctx_swap.h
 *	perf_children_	child events of a new task		lifetime/child.h
 *	perf_clock_	time while a condition holds		base/clock.h
 *	perf_traced_	events of one tracepoint		software/traced.h
 *	perf_swevent_	software events				software/software.h
 *	perf_rb_	a buffer				output/ring_buffer.h
 *	perf_refuse	refusals				linux/perf_refusal.h
 *
 * Verbs, one for each level at which events begin and cease to count:
 *
 *	enable, disable		user space says so: an event, a group
 *	sched_in, sched_out	a condition begins to hold on a CPU, or there are counters: a
 *				context, a sub-context and its queues, a batch of groups, a group,
 *				an event. A context that is scheduled in is also called on.
 *	resume, suspend		a plan gets its counters or gives them back; its events stay ACTIVE
 *	join, leave		one of several: a pmu_ctx on a CPU's counters, an event in a group
 *	add, del		an event gets a counter or loses it; an entry of a list or queue
 *	start, stop		a counter or a clock runs or stands still
 *	attach, detach		a buffer, a program, an object that an event has or not
 */
#ifndef _KERNEL_EVENTS_EVENT_H
#define _KERNEL_EVENTS_EVENT_H

#include <linux/perf_event.h>
#include <linux/sched.h>

#include "contexts.h"

/* Drop a reference. Return: true if it was the last one; the caller must free the event. */
static inline bool perf_event_put_last(struct perf_event *event)
{
	return atomic_long_dec_and_test(&event->refcount);
}

/**
 * struct perf_upcalls - functions of upper layers that lower layers call
 * @free_event: perf_event_free()
 */
struct perf_upcalls {
	void (*free_event)(struct perf_event *event);
};

extern const struct perf_upcalls perf_upcalls;

/* Drop a reference. Context: task, may sleep. */
static inline void perf_event_put(struct perf_event *event)
{
	if (perf_event_put_last(event))
		perf_upcalls.free_event(event);
}

/* The event that user space opened: @event itself, or the one it was inherited from. */
static inline struct perf_event *perf_event_root(struct perf_event *event)
{
	return event->parent ?: event;
}

static inline bool perf_event_leads(const struct perf_event *event)
{
	return event->group_leader == event;
}

/* Programs of BPF write records to such an event, where it is on. */
static inline bool perf_event_is_bpf_output(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

/* cpu-clock, task-clock */
static inline bool perf_event_is_clock(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

static inline bool perf_event_is_nosched(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_NOSCHED;
}

/* The headers of include/linux/ assert that their bits are below the first private one. */
#define PERF_PRIVATE_BIT(nr)	BIT(PERF_FIRST_PRIVATE_BIT + (nr))

/* perf_event::attach_state: bits that are private to the core */
#define PERF_ATTACH_CONTEXT	PERF_PRIVATE_BIT(0)	/* on the lists of its context */
#define PERF_ATTACH_GROUP	PERF_PRIVATE_BIT(1)	/* member of its group; leaders, too */
#define PERF_ATTACH_ITRACE	PERF_PRIVATE_BIT(2)	/* after perf_event_itrace_started() */
#define PERF_ATTACH_EXCLUSIVE	PERF_PRIVATE_BIT(3)	/* counted in pmu::exclusive_cnt */
#define PERF_ATTACH_CALLCHAIN	PERF_PRIVATE_BIT(4)	/* has callchain buffers */
#define PERF_ATTACH_PINS_CTX	PERF_PRIVATE_BIT(5)	/* pins its context, see ctx_swap.h */
#define PERF_ATTACH_FOLLOWS	PERF_PRIVATE_BIT(6)	/* follows its leader, see follow.h */
#define PERF_ATTACH_MOVING	PERF_PRIVATE_BIT(7)	/* moves from one CPU to another */
#define PERF_ATTACH_HAS_DATA	PERF_PRIVATE_BIT(8)	/* uses data of its task, see task_data.c */
#define PERF_ATTACH_SCHED_TASK	PERF_PRIVATE_BIT(9)	/* counted in perf_sched_task_key */

/*
 * perf_event::event_caps: bits that are private to the core.
 *
 * A plain event is unscheduled, takes no samples, is no listener for anything else and allows
 * a context swap. A child event of it needs no further checks. A ticked one is in frequency mode,
 * with a period that the tick can shorten.
 */
#define PERF_EV_CAP_PLAIN	PERF_PRIVATE_BIT(0)
#define PERF_EV_CAP_TICKED	PERF_PRIVATE_BIT(1)

/* pmu::capabilities: a bit that is private to the core. The PMU is never unregistered. */
#define PERF_PMU_CAP_PERMANENT	PERF_PRIVATE_BIT(0)

static inline bool perf_event_is_plain(const struct perf_event *event)
{
	return event->event_caps & PERF_EV_CAP_PLAIN;
}

static inline bool perf_event_is_plain_child(const struct perf_event *event)
{
	return event->parent && perf_event_is_plain(event);
}

/*
 * True between the driver's add() and del(). While a sub-context is scheduled out, its groups
 * on a group PMU have no counters, though they stay ACTIVE. An event that follows its leader
 * keeps its counter, whatever happens to the leader.
 * Context: Caller must hold ctx->lock or run on the event's CPU.
 */
static inline bool perf_event_has_counter(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_ACTIVE &&
	       (event->oncpu >= 0 || !event->group_leader->group_pmu ||
		(event->attach_state & PERF_ATTACH_FOLLOWS));
}

/* Is event->count stale until pmu->read() is called? */
static inline bool perf_event_needs_read(const struct perf_event *event)
{
	return perf_event_has_counter(event) &&
	       !(event->event_caps & PERF_EV_CAP_CURRENT);
}

/* Is the event an unscheduled sibling, with times that run with its leader's? See follow.h. */
static inline bool perf_event_follows(const struct perf_event *event)
{
	return event->attach_state & PERF_ATTACH_FOLLOWS;
}

/**
 * perf_event_should_count() - are the event and its leader enabled?
 * @event: the event
 *
 * Return: true while time_enabled runs with the clock.
 */
static inline bool perf_event_should_count(const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state >= PERF_EVENT_STATE_INACTIVE;
}

/**
 * perf_event_get_live() - take a reference unless the last one is gone
 * @event: memory that RCU or a list keeps allocated
 *
 * Return: true if the reference was taken.
 */
static inline bool perf_event_get_live(struct perf_event *event)
{
	return atomic_long_inc_not_zero(&event->refcount);
}

/*
 * Is @ctx, whose lock is held, the event's context, and does the event stay there until the lock is
 * dropped? It leaves a context under that context's lock. A CPU's event may be moving, or may have
 * joined the context of another CPU.
 */
static inline bool perf_event_stays_in(const struct perf_event *event,
				       const struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);

	/* Pairs with perf_migration_join(), which sets event->ctx before it clears the bit. */
	return !(smp_load_acquire(&event->attach_state) & PERF_ATTACH_MOVING) &&
	       READ_ONCE(event->ctx) == ctx;
}

/* Its leader was closed, and it can only be a sibling: it is in error for good. */
static inline bool perf_event_is_orphan(const struct perf_event *event)
{
	return event->group_leader == event && (event->event_caps & PERF_EV_CAP_SIBLING);
}

/*
 * Set the pmu_ctx of a group that is not scheduled. Whether it was unfit on another one means
 * nothing there.
 */
static inline void perf_group_set_pmu_ctx(struct perf_event *leader,
					  struct perf_event_pmu_context *pmu_ctx)
{
	if (leader->pmu_ctx != pmu_ctx)
		leader->unfit_at = 0;
	leader->pmu_ctx = pmu_ctx;
}

/* Does a new task get a child event of @event, provided that the leader is inherited? */
static inline bool perf_event_is_inherited(const struct perf_event *event, u64 clone_flags)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->inherit)
		return false;
	if (perf_event_is_orphan(event))
		return false;
	if (attr->inherit_thread && !(clone_flags & CLONE_THREAD))
		return false;
	/* The new task starts without signal handlers: SIGTRAP could kill it. */
	return !attr->sigtrap || !(clone_flags & CLONE_CLEAR_SIGHAND);
}

static inline struct perf_event *perf_group_next(struct perf_event *leader,
						 struct perf_event *member)
{
	struct list_head *next = member == leader ? leader->sibling_list.next
						  : member->sibling_list.next;

	if (next == &leader->sibling_list)
		return NULL;
	return list_entry(next, struct perf_event, sibling_list);
}

/* Iterate over the leader, then its siblings in the order in which they joined. */
#define perf_group_for_each(member, leader)				\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next(leader, member))

static inline struct perf_event *perf_group_next_sched(struct perf_event *leader,
						       struct perf_event *member)
{
	struct list_head *next = member == leader ? leader->sched_siblings.next
						  : member->group_entry.next;

	if (next == &leader->sched_siblings)
		return NULL;
	return list_entry(next, struct perf_event, group_entry);
}

/*
 * Iterate over the leader and the siblings that do not follow it. Caller must hold ctx->lock,
 * under which perf_group_sort() changes the order.
 */
#define perf_group_for_each_sched(member, leader)			\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next_sched(leader, member))

/* Enabled siblings come before disabled ones: see perf_group_sort(). */
static inline struct perf_event *perf_group_next_enabled(struct perf_event *leader,
							 struct perf_event *member)
{
	struct perf_event *next = perf_group_next_sched(leader, member);

	return next && next->state >= PERF_EVENT_STATE_INACTIVE ? next : NULL;
}

/*
 * Iterate over the leader and the siblings that are enabled and do not follow it. Of no other
 * member does the state or the counter change when the group is scheduled in or out.
 * Disabled siblings cost nothing.
 */
#define perf_group_for_each_enabled(member, leader)			\
	for ((member) = (leader); (member);				\
	     (member) = perf_group_next_enabled(leader, member))

#endif /* _KERNEL_EVENTS_EVENT_H */
