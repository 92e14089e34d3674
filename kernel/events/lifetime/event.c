// SPDX-License-Identifier: GPL-2.0
/*
 * Events: making, closing and freeing them.
 *
 * perf_event_open(2), in-kernel counters and inheritance make their events here. The callers
 * check attributes and permissions before. A child event takes the results of these checks
 * from the event that it is inherited from. It has no owner, buffer, filters or child events
 * of its own, and uses what its parent holds. A new event is in no context yet, see
 * perf_ctx_install(). Task context.
 *
 * Lifetime rules
 *
 *   An opened event is referenced by its file or by the kernel user; perf_event_close() drops
 *   this reference. A child event is referenced by its place on the parent's list. A child
 *   event references its parent. The parent keeps the PMU and the PMU's module, and if it
 *   writes records the pid namespace that their pids are of.
 *   After perf_event_close() the event is DEAD and has no child events. Dropping the last
 *   reference frees the event, after pending work of the event has finished. The memory is
 *   freed a grace period later, because occurrences read it under RCU.
 *
 * __always_inline here and in context/install.c: a child event takes 65 instructions less at fork
 * and exit, of 1,100 (make bench, x86_64).
 */
#include <linux/nsproxy.h>
#include <linux/perf_event.h>
#include <linux/perf_refusal.h>
#include <linux/pid_namespace.h>
#include <linux/rbtree.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../base/attr.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/wakeup.h"
#include "../sample/sample.h"
#include "../sideband/sideband.h"
#include "../overflow/freq.h"
#include "../overflow/overflow.h"
#include "../overflow/sigtrap.h"
#include "../software/bpf_attach.h"
#include "../software/traced.h"
#include "../software/tracepoint.h"
#include "../sched/sched_task.h"
#include "../context/cgroup.h"
#include "../context/context.h"
#include "../context/ctx_pin.h"
#include "../context/install.h"
#include "../context/state.h"
#include "../buffer/attach.h"
#include "../trace/aux.h"
#include "../trace/filter.h"
#include "../pmu/pmu.h"
#include "event.h"
#include "owner.h"

static struct kmem_cache *perf_event_cache;
static atomic64_t perf_event_last_id;

/* number of child events that are given back to the allocator in one call */
#define PERF_EVENT_BATCH	16

/* number of child events that are allocated in one call, which keeps preemption off */
#define PERF_CHILDREN_ALLOC	256

/* number of child events that one RCU callback frees: other callbacks can run in between */
#define PERF_CHILDREN_RING	32

/**
 * perf_event_overflow_init() - prepare a new event for overflows
 * @event: the event; no occurrence can find it yet
 */
void perf_event_overflow_init(struct perf_event *event)
{
	init_waitqueue_head(&event->waitq);
	perf_wake_init(&event->pending_wake, perf_event_pending_wake);
	event->pending_disable_irq = IRQ_WORK_INIT_HARD(perf_event_pending_disable);
}

static void perf_event_init_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!event->attr.freq || !event->attr.sample_freq)
		hwc->sample_period = event->attr.sample_period;
	else
		hwc->sample_period = event->parent ? event->parent->hw.sample_period : 1;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

/* Initialise what opened events and child events have in common. */
static __always_inline void perf_event_init_common(struct perf_event *event)
{
	event->oncpu = -1;
	event->id = atomic64_inc_return(&perf_event_last_id);
	atomic_long_set(&event->refcount, 1);

	INIT_LIST_HEAD(&event->sibling_list);
	INIT_LIST_HEAD(&event->sched_siblings);
	INIT_LIST_HEAD(&event->event_entry);
	INIT_LIST_HEAD(&event->group_entry);
	RB_CLEAR_NODE(&event->waiting_node);
	INIT_LIST_HEAD(&event->active_entry);
	INIT_LIST_HEAD(&event->child_list);
	/* a plain event has no periods, and no irq_work or task_work is ever pending for it */
	if (perf_event_is_plain(event))
		return;
	INIT_LIST_HEAD(&event->freq_entry);
	perf_event_overflow_init(event);
	perf_sigtrap_init(event);
	perf_event_init_period(event);
}

/* Initialise an opened event, but for what depends on its PMU. */
static void perf_event_init_opened(struct perf_event *event,
				   const struct perf_event_request *req)
{
	/* members from attr on are set here, or by perf_tracepoint_event_init() */
	memset(event, 0, offsetof(struct perf_event, attr));
	event->attr = *req->attr;
	event->orig_type = req->attr->type;
	event->cpu = req->cpu;
	event->group_leader = req->leader ?: event;
	event->state = event->attr.disabled ? PERF_EVENT_STATE_OFF
					    : PERF_EVENT_STATE_INACTIVE;
	/* a child event has no owner, buffer, filters and child events */
	INIT_LIST_HEAD(&event->owner_entry);
	INIT_LIST_HEAD(&event->rb_entry);
	INIT_LIST_HEAD(&event->poll_entry);
	INIT_LIST_HEAD(&event->addr_filters.list);
	raw_spin_lock_init(&event->addr_filters.lock);
	mutex_init(&event->child_mutex);
	perf_event_init_common(event);
	if (req->task) {
		event->attach_state = PERF_ATTACH_TASK;
		event->hw.target = get_task_struct(req->task);
	}
	if (!has_branch_stack(event))
		event->attr.branch_sample_type = 0;
	if (req->handler) {
		event->overflow_handler = req->handler;
		event->overflow_handler_context = req->handler_context;
	} else if (event->attr.write_backward) {
		event->overflow_handler = perf_event_output_backward;
	} else {
		event->overflow_handler = perf_event_output_forward;
	}
	perf_sideband_account(event);
}

/* A child event of a simple event needs a count and a place on a list of listeners only. */
static bool perf_event_is_simple(const struct perf_event *event)
{
	return perf_event_is_nosched(event) && !perf_event_is_traced(event);
}

/*
 * PERF_EVENT_IOC_PERIOD changes the period for the opened event and for later child events. The
 * mutex of its context, under which it runs, is not held where a child task forks.
 */
static void perf_event_inherit_period(struct perf_event *child, const struct perf_event *event)
{
	struct perf_event *root = child->parent;

	scoped_guard(mutex, &root->child_mutex)
		child->attr.sample_period = root->attr.sample_period;
	/* @event is a child event too, and has its period from before PERF_EVENT_IOC_PERIOD */
	if (child->attr.sample_period != event->attr.sample_period)
		child->ctx->unlike = true;
	perf_event_init_period(child);
}

/*
 * Initialise a child event. Results of checks are taken from @event, which is opened or a child
 * event itself.
 */
static void perf_event_init_child(struct perf_event *child, struct perf_event *event,
				  struct perf_event *leader,
				  struct perf_event_context *ctx)
{
	struct perf_event *root = perf_event_root(event);

	memset(child, 0, offsetof(struct perf_event, attr));
	atomic_long_inc(&root->refcount);
	child->parent = root;
	if (perf_event_is_simple(event)) {
		child->pmu = event->pmu;
		child->event_caps = event->event_caps;
	}
	child->group_leader = leader ?: child;
	child->ctx = ctx;
	child->hw.target = ctx->task;
	child->attach_state = PERF_ATTACH_TASK;
	child->attr = event->attr;
	child->attr.type = event->orig_type;
	child->orig_type = event->orig_type;
	child->cpu = event->cpu;
	child->clock = event->clock;
	child->overflow_handler = root->overflow_handler;
	child->overflow_handler_context = root->overflow_handler_context;
	perf_event_init_common(child);
	if (!perf_event_is_plain(child)) {
		if (unlikely(event != root && is_sampling_event(event)))
			perf_event_inherit_period(child, event);
		child->sample_layout = event->sample_layout;
		child->header_size = event->header_size;
		perf_sideband_account(child);
	}
}

/* RCU callback: no reader can hold a pointer to the event. */
static void perf_event_free_last(struct perf_event *event)
{
	if (unlikely(event->followers))
		kfree(event->followers);
	if (perf_event_is_plain_child(event))
		return;
	if (event->ns)
		put_pid_ns(event->ns);
	put_cgroup_ns(event->cgroup_ns);
	perf_event_free_trace_filter(event);
	perf_filter_free_ranges(event);
}

static void perf_event_free_rcu(struct rcu_head *head)
{
	struct perf_event *event = container_of(head, struct perf_event, rcu_head);

	perf_event_free_last(event);
	kmem_cache_free(perf_event_cache, event);
}

/* Release what an opened event holds and its child events only use. */
static void perf_event_release_opened(struct perf_event *event)
{
	perf_sched_task_unaccount(event);
	perf_freq_unaccount(event);
	perf_sideband_unaccount(event);
	perf_event_end_output(event);
	perf_event_bpf_release(event);
	if (event->attach_state & PERF_ATTACH_CALLCHAIN)
		put_callchain_buffers();
	perf_filter_free(event);
	perf_pmu_release_exclusive(event);
	perf_cgroup_disconnect(event);
}

#ifdef CONFIG_SECURITY
static bool perf_event_is_labelled(const struct perf_event *event)
{
	return event->security;
}
#else
static bool perf_event_is_labelled(const struct perf_event *event)
{
	return false;
}
#endif

/* Release what an event holds, except its references on task, context and parent. */
static __always_inline void perf_event_release_resources(struct perf_event *event)
{
	if (perf_event_is_labelled(event))
		security_perf_event_free(event);
	if (perf_event_is_plain_child(event))
		return;
	perf_event_overflow_flush(event);
	if (!event->parent)
		perf_event_release_opened(event);
	/* child events of simple events were never offered to the PMU */
	if (event->pmu && !(event->parent && perf_event_is_simple(event)))
		perf_pmu_release_event(event);
}

/**
 * perf_event_free() - free an event that no other code can reach
 * @event: an event that was never installed, or was removed; perf_event_make() and
 *	perf_event_make_child() may have failed at any stage
 *
 * The memory is freed a grace period later, by perf_event_free_rcu().
 *
 * Context: task, may sleep.
 */
void perf_event_free(struct perf_event *event)
{
	struct perf_event *parent = event->parent;

	perf_event_release_resources(event);
	if (event->hw.target)
		put_task_struct(event->hw.target);
	if (event->ctx)
		perf_ctx_put(event->ctx);
	if (parent)
		perf_event_put(parent);
	call_rcu(&event->rcu_head, perf_event_free_rcu);
}

/* RCU callback of the first child event of a ring. Only group_entry connects the ring. */
static void perf_children_free_rcu(struct rcu_head *head)
{
	struct perf_event *first = container_of(head, struct perf_event, rcu_head);
	struct perf_event *child, *next;
	void *batch[PERF_EVENT_BATCH];
	size_t nr = 0;

	list_for_each_entry_safe(child, next, &first->group_entry, group_entry) {
		perf_event_free_last(child);
		batch[nr++] = child;
		if (nr < PERF_EVENT_BATCH)
			continue;
		kmem_cache_free_bulk(perf_event_cache, nr, batch);
		nr = 0;
	}
	if (nr)
		kmem_cache_free_bulk(perf_event_cache, nr, batch);
	perf_event_free_last(first);
	kmem_cache_free(perf_event_cache, first);
}

/*
 * Release the first child events of the list @children, up to PERF_CHILDREN_RING, and connect them
 * to a ring without a head, for perf_children_free_rcu().
 */
static void perf_children_free_ring(struct list_head *children)
{
	struct perf_event *child, *first, *next;
	unsigned int nr = 0;
	LIST_HEAD(ring);

	first = list_first_entry(children, struct perf_event, group_entry);
	list_for_each_entry_safe(child, next, children, group_entry) {
		perf_event_release_resources(child);
		perf_event_put(child->parent);
		if (++nr == PERF_CHILDREN_RING)
			break;
	}
	if (nr == PERF_CHILDREN_RING)
		list_cut_position(&ring, children, &child->group_entry);
	else
		list_splice_init(children, &ring);
	put_task_struct_many(first->hw.target, nr);
	/* perf_ctx_wait_unused() requires that the task's references are dropped first */
	perf_ctx_put_many(first->ctx, nr);
	list_del(&ring);
}

/**
 * perf_children_free() - free child events of one task whose last references are gone
 * @children: list by perf_event::group_entry of child events that were removed from one
 *	context; may be empty. Empty afterwards.
 *
 * Context: task, may sleep. Caller must hold a reference on the context.
 */
void perf_children_free(struct list_head *children)
{
	struct perf_event *first;

	while (!list_empty(children)) {
		first = list_first_entry(children, struct perf_event, group_entry);
		perf_children_free_ring(children);
		call_rcu(&first->rcu_head, perf_children_free_rcu);
		cond_resched();
	}
}

static int perf_event_get_callchain(struct perf_event *event)
{
	int err;

	if (!(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return 0;
	err = get_callchain_buffers(event->attr.sample_max_stack);
	if (err)
		return perf_refuse(err, "sample_max_stack",
				   "%u asked, sysctl perf_event_max_stack allows %d",
				   event->attr.sample_max_stack,
				   sysctl_perf_event_max_stack);
	event->attach_state |= PERF_ATTACH_CALLCHAIN;
	return 0;
}

/* Initialise what depends on the PMU, which has just accepted the event. */
static int perf_event_finish(struct perf_event *event)
{
	int err;

	if (event->pmu->task_ctx_nr == perf_sw_context)
		event->event_caps |= PERF_EV_CAP_SOFTWARE;
	perf_sched_task_account(event);
	perf_freq_init_event(event);
	perf_aux_init_event(event);
	err = perf_filter_init_event(event);
	return err ?: security_perf_event_alloc(event);
}

static bool perf_event_needs_no_record(struct perf_event *event)
{
	return perf_event_is_simple(event) && !is_sampling_event(event) &&
	       !event->sideband_kinds && !perf_event_needs_task(event);
}

/* Called after the PMU has accepted the event: programs look for the PMU's errno. */
static int perf_event_join_cgroup(struct perf_event *event, int fd)
{
	struct perf_event *leader = event->group_leader;
	int err;

	if (event->pmu->task_ctx_nr == perf_invalid_context)
		return perf_refuse(-EINVAL, "pid", "PMU %s counts CPUs, not cgroups",
				   event->pmu->name);
	err = perf_cgroup_connect(event, fd);
	if (err)
		return err;
	/* only for an event of a cgroup: one without may join a leader of any cgroup */
	if (perf_cgroup_event_id(event) != perf_cgroup_event_id(leader))
		return perf_refuse(-EINVAL, "group_fd",
				   "the leader counts another cgroup, or none");
	return 0;
}

/* The namespaces of the opener decide which pids and paths the records of an event contain. */
static void perf_event_get_namespaces(struct perf_event *event)
{
	event->ns = get_pid_ns(task_active_pid_ns(current));
	if (perf_sideband_matches(event, PERF_SIDEBAND_CGROUP)) {
		event->cgroup_ns = current->nsproxy->cgroup_ns;
		get_cgroup_ns(event->cgroup_ns);
	}
}

/**
 * perf_event_make() - make an event that is in no context yet
 * @req: parameters of the event; its attributes have been checked
 *
 * If the event is to join a group, the caller must hold a reference on @req->leader.
 *
 * Context: task, may sleep.
 * Return: the event with one reference, or an ERR_PTR.
 */
struct perf_event *perf_event_make(const struct perf_event_request *req)
{
	struct perf_event *event;
	int err;

	event = kmem_cache_alloc(perf_event_cache, GFP_KERNEL);
	if (!event)
		return ERR_PTR(-ENOMEM);
	perf_event_init_opened(event, req);

	err = PTR_ERR_OR_ZERO(perf_pmu_of_event(event));
	if (!err && req->of_cgroup)
		err = perf_event_join_cgroup(event, req->cgroup_fd);
	if (err)
		goto err_free;
	/* while no task of the cgroup runs, oncpu must not say that programs may write here */
	if (perf_event_is_bpf_output(event) && perf_cgroup_event_id(event->group_leader) >= 0)
		event->event_caps &= ~PERF_EV_CAP_NOSCHED;

	/* child events take over the results of this part */
	perf_sample_compile(event);
	err = perf_event_get_callchain(event);
	if (!err)
		err = perf_attr_set_clock(event);
	if (!err)
		err = perf_event_finish(event);
	if (err)
		goto err_free;
	/* an event that writes no records needs no namespace for their pids */
	if (perf_event_needs_no_record(event))
		event->event_caps |= PERF_EV_CAP_PLAIN;
	else
		perf_event_get_namespaces(event);
	return event;

err_free:
	perf_event_free(event);
	return ERR_PTR(err);
}

/**
 * perf_children_alloc() - allocate child events, and take their references on context and task
 * @ctx: the context of a new task
 * @children: result: @nr pointers for perf_event_make_child() or perf_children_unalloc()
 * @nr: number of child events
 *
 * Context: task, may sleep.
 * Return: 0; -ENOMEM, without references taken.
 */
int perf_children_alloc(struct perf_event_context *ctx, struct perf_event **children,
			unsigned int nr)
{
	unsigned int done, some;

	for (done = 0; done < nr; done += some) {
		some = min(nr - done, PERF_CHILDREN_ALLOC);
		if (!kmem_cache_alloc_bulk(perf_event_cache, GFP_KERNEL, some,
					   (void **)children + done)) {
			kmem_cache_free_bulk(perf_event_cache, done, (void **)children);
			return -ENOMEM;
		}
		cond_resched();
	}
	refcount_add(nr, &ctx->refcount);
	refcount_add(nr, &ctx->task->usage);
	return 0;
}

/**
 * perf_children_unalloc() - undo perf_children_alloc() for child events that were not made
 * @ctx: as for perf_children_alloc()
 * @children: pointers that were not passed to perf_event_make_child()
 * @nr: number of pointers, may be 0
 */
void perf_children_unalloc(struct perf_event_context *ctx, struct perf_event **children,
			   unsigned int nr)
{
	if (!nr)
		return;
	kmem_cache_free_bulk(perf_event_cache, nr, (void **)children);
	put_task_struct_many(ctx->task, nr);
	perf_ctx_put_many(ctx, nr);
}

/**
 * perf_event_make_child() - make a child event for a new task
 * @child: memory from perf_children_alloc(); freed on failure
 * @event: the event that is inherited, which is opened or a child event itself
 * @leader: the child event of the leader of @event; NULL if @event is a leader
 * @ctx: the context for which @child was allocated
 *
 * The child event takes a reference on its parent. It is on no list of a group or context yet.
 *
 * Context: task. Caller must hold the mutexes of @ctx and of the context of @event.
 * Return: 0 or an errno.
 */
int perf_event_make_child(struct perf_event *child, struct perf_event *event,
			  struct perf_event *leader, struct perf_event_context *ctx)
{
	int err;

	perf_event_init_child(child, event, leader, ctx);
	if (perf_event_is_plain(child)) {
		err = security_perf_event_alloc(child);
	} else {
		/* a child event of a simple event has its PMU already */
		err = child->pmu ? 0 : PTR_ERR_OR_ZERO(perf_pmu_of_event(child));
		if (!err)
			err = perf_event_finish(child);
	}
	if (err)
		perf_event_free(child);
	return err;
}

/*
 * Close the first child event of @parent. Lock order is ctx->mutex, then child_mutex, so the
 * child event is looked up before its context can be locked. Its task may exit in between and
 * remove the child event from the list.
 *
 * Return: false if @parent has no child events.
 */
static bool perf_event_close_child(struct perf_event *parent)
{
	struct perf_event_context *ctx;
	struct perf_event *child;
	bool ours;

	scoped_guard(mutex, &parent->child_mutex) {
		child = list_first_entry_or_null(&parent->child_list,
						 struct perf_event, child_list);
		if (!child)
			return false;
		atomic_long_inc(&child->refcount);
		ctx = child->ctx;
		perf_ctx_get(ctx);
	}

	mutex_lock(&ctx->mutex);
	scoped_guard(mutex, &parent->child_mutex) {
		ours = !list_empty(&child->child_list);
		list_del_init(&child->child_list);
	}
	if (ours)
		perf_ctx_remove(child, PERF_EVENT_STATE_DEAD, false);
	mutex_unlock(&ctx->mutex);

	perf_ctx_put(ctx);
	if (ours)
		perf_event_put(child);
	perf_event_put(child);
	return true;
}

/**
 * perf_event_close() - remove an event and its child events, and drop a reference
 * @event: an opened event that was installed; the caller's reference is dropped
 *
 * Context: task, may sleep. Caller must not hold the mutex of a context.
 */
void perf_event_close(struct perf_event *event)
{
	struct perf_event_context *ctx;

	perf_owner_remove(event);

	ctx = perf_ctx_lock_of_event(event);
	perf_ctx_remove(event, PERF_EVENT_STATE_DEAD, false);
	mutex_unlock(&ctx->mutex);

	/* the event is DEAD now: no child event is added any more */
	while (event->attr.inherit && perf_event_close_child(event))
		cond_resched();
	perf_event_put(event);
}

/**
 * perf_event_alloc_init() - prepare for events; boot
 */
void __init perf_event_alloc_init(void)
{
	perf_event_cache = KMEM_CACHE(perf_event, SLAB_PANIC | SLAB_ACCOUNT);
}

const struct perf_upcalls perf_upcalls = {
	.free_event	= perf_event_free,
};
