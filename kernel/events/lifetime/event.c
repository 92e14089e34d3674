// SPDX-License-Identifier: GPL-2.0
/*
 * Events: made, referenced, closed, freed.
 *
 * perf_event_open(2) and the kernel's own counters make their events here; what
 * they have to check first is theirs. So does inheritance: a copy takes over what
 * has been found out about its original, and goes by what its parent holds. An
 * event that has been made is not in a context yet, see perf_ctx_install(). Task
 * context.
 *
 * Lifetime rules
 *
 *   A reference each: the file or the kernel user, and for an inherited event
 *   its place on the parent's list. An inherited event references its parent,
 *   which in turn keeps the PMU with its module, and the pid namespace in which
 *   it names tasks, if it does.
 *   The file's reference is dropped by perf_event_close(), after which the
 *   event is DEAD and has no children. The last reference frees the event,
 *   after whatever is pending for it; the memory goes a grace period later,
 *   since occurrences read it under RCU.
 */
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
#include "../context/cgroup.h"
#include "../context/ctx_swap.h"
#include "../context/context.h"
#include "../context/state.h"
#include "../buffer/attach.h"
#include "../buffer/aux.h"
#include "../buffer/filter.h"
#include "../pmu/pmu.h"
#include "owner.h"

static struct kmem_cache *perf_event_cache;
static atomic64_t perf_event_last_id;

/* how many are given back to the allocator at once */
#define PERF_EVENT_BATCH	16

/* how many child events one RCU callback frees: other callbacks can run in between */
#define PERF_CHILDREN_RING	32

/**
 * perf_event_overflow_init() - prepare a new event
 * @event: the event
 */
void perf_event_overflow_init(struct perf_event *event)
{
	init_waitqueue_head(&event->waitq);
	init_irq_work(&event->pending_irq, perf_event_pending_irq);
	event->pending_disable_irq = IRQ_WORK_INIT_HARD(perf_event_pending_disable);
}

static void perf_event_init_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (event->parent && event->parent->hw.sample_period)
		hwc->sample_period = event->parent->hw.sample_period;
	else if (event->attr.freq && event->attr.sample_freq)
		hwc->sample_period = 1;
	else
		hwc->sample_period = event->attr.sample_period;
	hwc->last_period = hwc->sample_period;
	local64_set(&hwc->period_left, hwc->sample_period);
}

static void perf_event_init_handler(struct perf_event *event,
				    const struct perf_event_request *req)
{
	if (req->handler) {
		event->overflow_handler = req->handler;
		event->overflow_handler_context = req->handler_context;
	} else if (event->attr.write_backward) {
		event->overflow_handler = perf_event_output_backward;
	} else {
		event->overflow_handler = perf_event_output_forward;
	}
}

/* What is the same for an opened event and a copy. */
static __always_inline void perf_event_begin_life(struct perf_event *event)
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
	/* one that only counts has no periods, and nothing is ever pending for it */
	if (perf_event_is_plain(event))
		return;
	INIT_LIST_HEAD(&event->freq_entry);
	perf_event_overflow_init(event);
	perf_sigtrap_init(event);
	perf_event_init_period(event);
}

/* What a copy has its parent for: an owner, a buffer, filters and copies. */
static void perf_event_begin_opened(struct perf_event *event)
{
	INIT_LIST_HEAD(&event->owner_entry);
	INIT_LIST_HEAD(&event->rb_entry);
	INIT_LIST_HEAD(&event->poll_entry);
	INIT_LIST_HEAD(&event->addr_filters.list);
	raw_spin_lock_init(&event->addr_filters.lock);
	mutex_init(&event->child_mutex);
}

/* But for its attributes, which are copied, and what perf_tracepoint_event_init() clears. */
static __always_inline void perf_event_blank(struct perf_event *event)
{
	memset(event, 0, offsetof(struct perf_event, attr));
}

static void perf_event_fill(struct perf_event *event,
			    const struct perf_event_request *req)
{
	perf_event_blank(event);
	event->attr = *req->attr;
	event->orig_type = req->attr->type;
	event->cpu = req->cpu;
	event->group_leader = req->leader ?: event;
	event->state = event->attr.disabled ? PERF_EVENT_STATE_OFF
					    : PERF_EVENT_STATE_INACTIVE;
	perf_event_begin_opened(event);
	perf_event_begin_life(event);
	if (req->task) {
		event->attach_state = PERF_ATTACH_TASK;
		event->hw.target = get_task_struct(req->task);
	}
	if (!has_branch_stack(event))
		event->attr.branch_sample_type = 0;
	perf_event_init_handler(event, req);
	perf_sideband_account(event);
}

/* Let the PMU take a copy, unless there is nothing to prepare. */
static int perf_event_copy_pmu(struct perf_event *copy)
{
	struct pmu *pmu;

	if (copy->pmu)
		return 0;
	pmu = perf_pmu_of_event(copy);
	if (!IS_ERR(pmu))
		return 0;
	copy->pmu = NULL;
	return PTR_ERR(pmu);
}

/* A copy of it is nothing but its count and its place among the listeners. */
static bool perf_event_is_simple(const struct perf_event *event)
{
	return perf_event_is_nosched(event) && !perf_event_is_traced(event);
}

/* What has been found out about @event holds for its copy. */
static void perf_event_fill_copy(struct perf_event *copy, struct perf_event *event,
				 struct perf_event *leader,
				 struct perf_event_context *ctx)
{
	struct perf_event *root = perf_event_root(event);

	perf_event_blank(copy);
	atomic_long_inc(&root->refcount);
	copy->parent = root;
	if (perf_event_is_simple(event)) {
		copy->pmu = event->pmu;
		copy->event_caps = event->event_caps;
	}
	copy->group_leader = leader ?: copy;
	copy->ctx = ctx;
	copy->hw.target = ctx->task;
	copy->attach_state = PERF_ATTACH_TASK | PERF_ATTACH_CHILD;
	copy->attr = event->attr;
	copy->attr.type = event->orig_type;
	copy->orig_type = event->orig_type;
	copy->cpu = event->cpu;
	copy->clock = event->clock;
	copy->overflow_handler = root->overflow_handler;
	copy->overflow_handler_context = root->overflow_handler_context;
	perf_event_begin_life(copy);
	if (!perf_event_is_plain(copy)) {
		copy->sample_layout = event->sample_layout;
		perf_sideband_account(copy);
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
	perf_event_free_trace_filter(event);
	perf_filter_free_ranges(event);
}

static void perf_event_free_rcu(struct rcu_head *head)
{
	struct perf_event *event = container_of(head, struct perf_event, rcu_head);

	perf_event_free_last(event);
	kmem_cache_free(perf_event_cache, event);
}

/* What an opened event has, and a copy uses. */
static void perf_event_close_down(struct perf_event *event)
{
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

/* Its PMU has not seen it, and it goes by the references of its parent. */
static bool perf_event_is_simple_child(const struct perf_event *event)
{
	return event->parent && perf_event_is_simple(event);
}

/* Let go of what an event holds, but for its task, its context and its parent. */
static __always_inline void perf_event_let_go(struct perf_event *event)
{
	if (perf_event_is_labelled(event))
		security_perf_event_free(event);
	if (perf_event_is_plain_child(event))
		return;
	perf_event_overflow_flush(event);
	if (!event->parent)
		perf_event_close_down(event);
	if (event->pmu && !perf_event_is_simple_child(event))
		perf_pmu_release_event(event);
}

/**
 * perf_event_free() - free an event that no other code can reach
 * @event: never installed, or removed; any stage of perf_event_make() or
 *	perf_event_make_child()
 */
void perf_event_free(struct perf_event *event)
{
	struct perf_event *parent = event->parent;

	perf_event_let_go(event);
	if (event->hw.target)
		put_task_struct(event->hw.target);
	if (event->ctx)
		perf_ctx_put(event->ctx);
	if (parent)
		perf_event_put(parent);
	call_rcu(&event->rcu_head, perf_event_free_rcu);
}

/* The first of a ring of copies, which only group_entry connects. */
static void perf_children_free_rcu(struct rcu_head *head)
{
	struct perf_event *first = container_of(head, struct perf_event, rcu_head);
	struct perf_event *copy, *next;
	void *batch[PERF_EVENT_BATCH];
	size_t nr = 0;

	list_for_each_entry_safe(copy, next, &first->group_entry, group_entry) {
		perf_event_free_last(copy);
		batch[nr++] = copy;
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

/* The first ones of @copies become a ring without a head, for perf_children_free_rcu(). */
static void perf_children_free_ring(struct list_head *copies)
{
	struct perf_event *copy, *first, *next;
	unsigned int nr = 0;
	LIST_HEAD(ring);

	first = list_first_entry(copies, struct perf_event, group_entry);
	list_for_each_entry_safe(copy, next, copies, group_entry) {
		perf_event_let_go(copy);
		perf_event_put(copy->parent);
		if (++nr == PERF_CHILDREN_RING)
			break;
	}
	if (nr == PERF_CHILDREN_RING)
		list_cut_position(&ring, copies, &copy->group_entry);
	else
		list_splice_init(copies, &ring);
	put_task_struct_many(first->hw.target, nr);
	/* perf_ctx_wait_unused() requires that the task's references are dropped first */
	perf_ctx_put_many(first->ctx, nr);
	list_del(&ring);
}

/**
 * perf_children_free() - free the copies of a task whose last references are gone
 * @copies: list by perf_event::group_entry, maybe empty; all of one context and its
 *	task, and removed from it. Empty afterwards.
 */
void perf_children_free(struct list_head *copies)
{
	struct perf_event *first;

	while (!list_empty(copies)) {
		first = list_first_entry(copies, struct perf_event, group_entry);
		perf_children_free_ring(copies);
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

/* What depends on the PMU, which has just taken the event. */
static int perf_event_finish(struct perf_event *event)
{
	int err;

	if (event->pmu->task_ctx_nr == perf_sw_context)
		event->event_caps |= PERF_EV_CAP_SOFTWARE;
	perf_freq_init_event(event);
	perf_aux_init_event(event);
	err = perf_filter_init_event(event);
	return err ?: security_perf_event_alloc(event);
}

static bool perf_event_needs_no_record(struct perf_event *event)
{
	return perf_event_is_simple(event) && !is_sampling_event(event) &&
	       !event->sideband_kinds && !perf_ctx_swap_event_needs_task(event);
}

/* And what a copy takes from its original, which has it then. */
static int perf_event_finish_opened(struct perf_event *event)
{
	int err;

	perf_sample_compile(event);
	err = perf_event_get_callchain(event);
	if (!err)
		err = perf_attr_set_clock(event);
	if (!err)
		err = perf_event_finish(event);
	if (err)
		return err;
	/* one that writes nothing names no task */
	if (perf_event_needs_no_record(event))
		event->event_caps |= PERF_EV_CAP_PLAIN;
	else
		event->ns = get_pid_ns(task_active_pid_ns(current));
	return 0;
}

/* After the PMU: what it refuses is an errno that programs look for. */
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
	/* a member without a cgroup follows its leader's */
	if (perf_cgroup_event_id(event) != perf_cgroup_event_id(leader))
		return perf_refuse(-EINVAL, "group_fd",
				   "the leader counts another cgroup, or none");
	return 0;
}

/**
 * perf_event_make() - an event, not in a context yet
 * @req: what to make; attributes have been checked
 *
 * If the new event is to join a group, @req->leader must not go away meanwhile.
 *
 * Return: the event with one reference, or ERR_PTR.
 */
struct perf_event *perf_event_make(const struct perf_event_request *req)
{
	struct perf_event *event;
	struct pmu *pmu;
	int err;

	event = kmem_cache_alloc(perf_event_cache, GFP_KERNEL);
	if (!event)
		return ERR_PTR(-ENOMEM);
	perf_event_fill(event, req);

	pmu = perf_pmu_of_event(event);
	if (IS_ERR(pmu)) {
		event->pmu = NULL;
		err = PTR_ERR(pmu);
		goto err_free;
	}
	if (req->of_cgroup)
		err = perf_event_join_cgroup(event, req->cgroup_fd);
	else
		err = 0;
	if (!err)
		err = perf_event_finish_opened(event);
	if (!err)
		return event;

err_free:
	perf_event_free(event);
	return ERR_PTR(err);
}

/**
 * perf_children_alloc() - memory for copies, and their references on context and task
 * @ctx: a new task's
 * @copies: result, for perf_event_make_child() or perf_children_unalloc()
 * @nr: how many
 *
 * Return: 0 or -ENOMEM, and there are none then.
 */
int perf_children_alloc(struct perf_event_context *ctx, struct perf_event **copies,
			unsigned int nr)
{
	if (!kmem_cache_alloc_bulk(perf_event_cache, GFP_KERNEL, nr, (void **)copies))
		return -ENOMEM;
	refcount_add(nr, &ctx->refcount);
	refcount_add(nr, &ctx->task->usage);
	return 0;
}

/**
 * perf_children_unalloc() - give back what perf_event_make_child() has not touched
 * @ctx: as for perf_children_alloc()
 * @copies: memory
 * @nr: how many, or 0
 */
void perf_children_unalloc(struct perf_event_context *ctx, struct perf_event **copies,
			   unsigned int nr)
{
	if (!nr)
		return;
	kmem_cache_free_bulk(perf_event_cache, nr, (void **)copies);
	put_task_struct_many(ctx->task, nr);
	perf_ctx_put_many(ctx, nr);
}

/**
 * perf_event_make_child() - a copy of an event for a new task
 * @copy: from perf_children_alloc(); freed on failure
 * @event: the original, itself opened or a copy; the mutex of its context is held
 * @leader: copy of the original's leader, or NULL for that itself
 * @ctx: for which @copy was allocated; its mutex is held
 *
 * Takes a reference on the parent. The copy is on no list of a group or context yet.
 *
 * Return: 0 or an errno.
 */
int perf_event_make_child(struct perf_event *copy, struct perf_event *event,
			  struct perf_event *leader, struct perf_event_context *ctx)
{
	int err;

	perf_event_fill_copy(copy, event, leader, ctx);
	if (perf_event_is_plain(copy)) {
		err = security_perf_event_alloc(copy);
	} else {
		err = perf_event_copy_pmu(copy);
		if (!err)
			err = perf_event_finish(copy);
	}
	if (err)
		perf_event_free(copy);
	return err;
}

/*
 * Take the first child off its task. The order of locks is context, then list
 * of children; so find one, lock its context, and see whether it is still
 * there: its task may be exiting.
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
 * perf_event_close() - remove an event and its child events
 * @event: installed once; the caller's reference is dropped
 */
void perf_event_close(struct perf_event *event)
{
	struct perf_event_context *ctx;

	perf_owner_remove(event);

	ctx = perf_ctx_lock_of_event(event);
	perf_ctx_remove(event, PERF_EVENT_STATE_DEAD, false);
	mutex_unlock(&ctx->mutex);

	/* DEAD: no child is added from here on. */
	while (event->attr.inherit && perf_event_close_child(event))
		cond_resched();
	perf_event_put(event);
}

/**
 * perf_event_alloc_init() - prepare for events; boot
 */
void __init perf_event_alloc_init(void)
{
	perf_event_cache = KMEM_CACHE(perf_event, SLAB_PANIC);
}

const struct perf_upcalls perf_upcalls = {
	.free_event	= perf_event_free,
};
