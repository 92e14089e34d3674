// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: lookup, allocation, switching on and off, changes on the CPU where they are on.
 *
 * Events enter a context through perf_ctx_install() and leave it through perf_ctx_remove().
 * All changes in between go through perf_ctx_call(). Locking and lifetime rules are in
 * base/contexts.h. The callers decide which events are installed, and in what order.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../base/event.h"
#include "../base/times.h"
#include "../output/userpage.h"
#include "../sideband/sideband.h"
#include "../overflow/freq.h"
#include "../software/clock_queue.h"
#include "../software/follow.h"
#include "../software/traced.h"
#include "../sched/sched.h"
#include "ctx_swap.h"
#include "context.h"
#include "filtered.h"
#include "group.h"
#include "subctx.h"
#include "state.h"

static struct kmem_cache *perf_ctx_cache;

/**
 * perf_ctx_alloc_init() - prepare for contexts of tasks; boot
 */
void __init perf_ctx_alloc_init(void)
{
	perf_ctx_cache = KMEM_CACHE(perf_event_context, SLAB_PANIC);
}

static struct lock_class_key perf_cpu_ctx_lock_key;
static struct lock_class_key perf_cpu_ctx_mutex_key;

static void perf_ctx_init(struct perf_event_context *ctx)
{
	raw_spin_lock_init(&ctx->lock);
	mutex_init(&ctx->mutex);
	INIT_LIST_HEAD(&ctx->event_list);
	xa_init(&ctx->subctxs);
	refcount_set(&ctx->refcount, 1);
	ctx->cpu = -1;
	perf_subctx_init(&ctx->own, ctx);
}

/**
 * perf_ctx_init_cpu() - initialise a CPU's context; boot
 * @cpuctx: the context
 * @cpu: the CPU
 */
void perf_ctx_init_cpu(struct perf_cpu_context *cpuctx, int cpu)
{
	perf_ctx_init(&cpuctx->ctx);
	lockdep_set_class(&cpuctx->ctx.lock, &perf_cpu_ctx_lock_key);
	lockdep_set_class(&cpuctx->ctx.mutex, &perf_cpu_ctx_mutex_key);
	INIT_LIST_HEAD(&cpuctx->pmus);
	perf_clock_timer_init(cpuctx);
}

/**
 * perf_ctx_alloc_task() - allocate a context for a task, not yet hooked to it
 * @task: the task; not referenced, since the task unhooks the context when it exits
 *
 * Return: the context, with one reference that belongs to the task, or NULL.
 */
struct perf_event_context *perf_ctx_alloc_task(struct task_struct *task)
{
	struct perf_event_context *ctx = kmem_cache_alloc(perf_ctx_cache, GFP_KERNEL);

	if (!ctx)
		return NULL;
	memset(ctx, 0, offsetof(struct perf_event_context, first_pmu_ctx));
	perf_ctx_init(ctx);
	ctx->task = task;
	return ctx;
}

static void perf_ctx_free_rcu(struct rcu_head *head)
{
	struct perf_event_context *ctx =
		container_of(head, struct perf_event_context, rcu_head);

	kvfree(ctx->copied_subctxs);
	kmem_cache_free(perf_ctx_cache, ctx);
}

/**
 * perf_ctx_put_many() - drop references; task context
 * @ctx: the context
 * @nr: how many, at least one
 */
void perf_ctx_put_many(struct perf_event_context *ctx, unsigned int nr)
{
	/* @ctx may be freed as soon as these references are dropped: RCU keeps its memory */
	scoped_guard(rcu) {
		if (refcount_sub_and_test(nr, &ctx->refcount))
			break;
		/* pairs with perf_ctx_wait_unused(), which comes after unhooking */
		smp_mb__after_atomic();
		if (READ_ONCE(ctx->task) == PERF_TASK_GONE)
			wake_up_var(&ctx->refcount);
		return;
	}
	WARN_ON_ONCE(ctx->nr_events);
	perf_subctx_free_all(ctx);
	perf_ctx_family_put(ctx->family);
	call_rcu(&ctx->rcu_head, perf_ctx_free_rcu);
}

/**
 * perf_ctx_wait_unused() - wait until the caller's reference is the last one
 * @ctx: unhooked and empty; its events are closed, some may not be freed yet
 *
 * Afterwards no event references the task any more: an event drops its reference on the task
 * before its reference on the context.
 */
void perf_ctx_wait_unused(struct perf_event_context *ctx)
{
	wait_var_event(&ctx->refcount, refcount_read(&ctx->refcount) == 1);
}

/*
 * Switch on a context that was empty when its task was switched in. If the task does not run
 * here, its next switch-in sees the first event: the scheduler takes the locks of the runqueue
 * in between.
 */
struct perf_ctx_start {
	struct task_struct		*task;
	struct perf_event_context	*ctx;
	bool				moved;
};

static void perf_ctx_start_here(void *arg)
{
	struct perf_ctx_start *start = arg;

	lockdep_assert_irqs_disabled();
	if (start->task == current)
		perf_ctx_on(start->ctx);
	start->moved = start->task != current &&
		       task_cpu(start->task) != smp_processor_id();
}

/*
 * The context is off though its task runs. This happens when the context was returned to a
 * task whose other context was empty. If the task is switched in after this check, the switch
 * turns the context on.
 */
static bool perf_ctx_waits(const struct perf_event_context *ctx,
			   const struct task_struct *task)
{
	return task && READ_ONCE(ctx->cpu) < 0 && task_curr(task);
}

/* A task's context has got its first event: switch it on if @task, referenced, runs. */
static void perf_ctx_let_in(struct task_struct *task, struct perf_event_context *ctx)
{
	struct perf_ctx_start start = { .task = task, .ctx = ctx };

	if (task == current) {
		guard(irq)();
		perf_ctx_start_here(&start);
		return;
	}
	do {
		start.moved = false;
		if (smp_call_function_single(task_cpu(task), perf_ctx_start_here,
					     &start, 1))
			start.moved = true;
	} while (start.moved && READ_ONCE(task->on_rq));
}

static struct perf_event_context *perf_ctx_find_task(struct task_struct *task)
{
	struct perf_event_context *ctx;

	ctx = perf_ctx_pin_own(task);
	if (ctx)
		return ctx;

	guard(mutex)(&task->perf_event_mutex);
	/* has a context been made meanwhile? */
	ctx = perf_ctx_pin_own(task);
	if (ctx)
		return ctx;
	/* perf_event_exit_task() has run, or waits for the mutex. */
	if (task->flags & PF_EXITING)
		return ERR_PTR(-ESRCH);

	ctx = perf_ctx_alloc_task(task);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->pin_count = 1;
	perf_ctx_get(ctx);
	/* pairs with READ_ONCE() in switch.c and elsewhere */
	rcu_assign_pointer(task->perf_event_ctxp, ctx);
	return ctx;
}

/**
 * perf_ctx_find() - find the context for an event, or make it
 * @task: the event's task, or NULL
 * @cpu: the event's CPU when there is no task
 *
 * For a task, the result is the task's own context, which stays with the task until
 * perf_ctx_put_found().
 *
 * Context: Task context.
 * Return: the context, to be released by perf_ctx_put_found(); ERR_PTR(-ESRCH) when the task
 * is exiting; ERR_PTR(-ENOMEM).
 */
struct perf_event_context *perf_ctx_find(struct task_struct *task, int cpu)
{
	struct perf_event_context *ctx;

	if (task)
		return perf_ctx_find_task(task);

	ctx = &per_cpu(perf_cpu_context, cpu).ctx;
	perf_ctx_get(ctx);
	return ctx;
}

/**
 * perf_ctx_put_found() - undo perf_ctx_find(), whether the event was installed or not
 * @ctx: the context that perf_ctx_find() returned
 */
void perf_ctx_put_found(struct perf_event_context *ctx)
{
	if (perf_ctx_is_task(ctx))
		perf_ctx_unpin(ctx);
	else
		perf_ctx_put(ctx);
}

/**
 * perf_ctx_lock_of_event() - lock the mutex of an event's context
 * @event: an installed event, referenced until the mutex is unlocked
 *
 * perf_pmu_migrate_context() may move the event until the mutex is held, so event->ctx is
 * checked again. Events move only between contexts of CPUs, which are static. The event's
 * reference keeps any other context.
 *
 * Return: the context.
 */
struct perf_event_context *perf_ctx_lock_of_event(struct perf_event *event)
{
	struct perf_event_context *ctx;

	for (;;) {
		ctx = READ_ONCE(event->ctx);
		mutex_lock(&ctx->mutex);
		if (ctx == event->ctx)
			return ctx;
		mutex_unlock(&ctx->mutex);
	}
}

/*
 * Take the locks for switching a task's context on or off on this CPU. The lock of the CPU's
 * context is needed as well if groups of the context compete for counters. While the context
 * is off, that can change until ctx->lock is held.
 */
static bool perf_ctx_switch_lock(struct perf_cpu_context *cpuctx,
				 struct perf_event_context *ctx)
{
	bool both = READ_ONCE(ctx->nr_scheduled);

	for (;;) {
		if (both)
			raw_spin_lock(&cpuctx->ctx.lock);
		raw_spin_lock(&ctx->lock);
		if (likely(both || !ctx->nr_scheduled))
			return both;
		raw_spin_unlock(&ctx->lock);
		both = true;
	}
}

static void perf_ctx_switch_unlock(struct perf_cpu_context *cpuctx,
				   struct perf_event_context *ctx, bool both)
{
	raw_spin_unlock(&ctx->lock);
	if (both)
		raw_spin_unlock(&cpuctx->ctx.lock);
}

/* Caller must hold the locks of perf_ctx_switch_lock(). */
static bool perf_ctx_is_off_here(const struct perf_event_context *ctx)
{
	return ctx->task == current && ctx->cpu < 0;
}

static void perf_ctx_switch_on(struct perf_cpu_context *cpuctx,
			       struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(ctx->cpu, smp_processor_id());
	WRITE_ONCE(cpuctx->task_ctx, ctx);
	if (unlikely(ctx->nr_user_reads))
		arch_perf_user_access(true);
	perf_subctx_sched_in(&ctx->own, now);
	if (unlikely(perf_ctx_has_subctxs(ctx))) {
		ctx->local = perf_subctx_find(ctx, ctx->cpu);
		if (ctx->local)
			perf_subctx_sched_in(ctx->local, now);
	}
}

/* Return: false when @ctx is not current's context any more. */
static bool perf_ctx_try_on(struct perf_cpu_context *cpuctx,
			    struct perf_event_context *ctx)
{
	bool both = perf_ctx_switch_lock(cpuctx, ctx);
	bool mine = ctx->task == current;

	if (likely(ctx->nr_events && perf_ctx_is_off_here(ctx)))
		perf_ctx_switch_on(cpuctx, ctx, perf_time());
	perf_ctx_switch_unlock(cpuctx, ctx, both);
	return mine;
}

/**
 * perf_ctx_on() - switch current's context on
 * @ctx: current's context, or NULL
 *
 * Called when current begins to run, gets a context, or its context gets the first event. Does
 * nothing if the context is on already or has no events: an empty context is not guaranteed to
 * be switched off again.
 *
 * Context: irqs off, maybe under the rq lock.
 */
void perf_ctx_on(struct perf_event_context *ctx)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();

	/* current may have another context, or none, since the caller looked */
	while (ctx && cpuctx->task_ctx != ctx && !perf_ctx_try_on(cpuctx, ctx))
		ctx = READ_ONCE(current->perf_event_ctxp);
}

static void perf_ctx_switch_off(struct perf_cpu_context *cpuctx,
				struct perf_event_context *ctx, u64 now)
{
	WRITE_ONCE(cpuctx->task_ctx, NULL);
	if (ctx->local) {
		perf_subctx_sched_out(ctx->local, now);
		ctx->local = NULL;
	}
	perf_subctx_sched_out(&ctx->own, now);
	if (unlikely(ctx->nr_user_reads))
		arch_perf_user_access(false);
	WRITE_ONCE(ctx->cpu, -1);
}

/**
 * perf_ctx_off() - current stops running, or loses its context
 * @ctx: current's context
 *
 * Context: irqs off, maybe under the rq lock.
 */
void perf_ctx_off(struct perf_event_context *ctx)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	bool both;

	if (cpuctx->task_ctx != ctx)
		return;

	both = perf_ctx_switch_lock(cpuctx, ctx);
	perf_ctx_switch_off(cpuctx, ctx, perf_time());
	perf_ctx_switch_unlock(cpuctx, ctx, both);
}

/**
 * perf_ctx_unhook() - detach a task's context from the task
 * @task: current, or a child that never ran
 *
 * From here on no event can be installed in the context. Events in the context do not count
 * any more.
 *
 * Context: Task context.
 * Return: the context with the task's reference, or NULL.
 */
struct perf_event_context *perf_ctx_unhook(struct task_struct *task)
{
	struct perf_event_context *ctx;

	guard(mutex)(&task->perf_event_mutex);
	/* the task must exit with its own context, not with the context of another task */
	ctx = perf_ctx_pin_last(task);
	if (!ctx)
		return NULL;

	guard(irq)();
	if (task == current)
		perf_ctx_off(ctx);
	RCU_INIT_POINTER(task->perf_event_ctxp, NULL);
	raw_spin_lock(&ctx->lock);
	ctx->task = PERF_TASK_GONE;
	ctx->pin_count--;
	raw_spin_unlock(&ctx->lock);
	/* as in perf_ctx_unpin(); the task's reference passes to the caller */
	refcount_dec(&ctx->refcount);
	return ctx;
}

struct perf_ctx_request {
	struct perf_event_context	*ctx;
	perf_ctx_fn			fn;
	void				*arg;
	int				cpu;
};

/* Run the request if the context is off; otherwise set request->cpu to where it is on. */
static void perf_ctx_call_off(struct perf_ctx_request *request)
{
	struct perf_event_context *ctx = request->ctx;

	guard(raw_spinlock_irqsave)(&ctx->lock);
	request->cpu = ctx->cpu;
	if (request->cpu < 0)
		request->fn(ctx, request->arg);
}

/* Run the request if the context is on here. With irqs off, ctx->cpu and task_ctx are stable. */
static void perf_ctx_call_here(void *info)
{
	struct perf_ctx_request *request = info;
	struct perf_event_context *ctx = request->ctx;
	struct perf_event_context *task_ctx;
	struct perf_cpu_context *cpuctx;

	guard(irqsave)();
	cpuctx = this_perf_cpu();
	if (READ_ONCE(ctx->cpu) != smp_processor_id())
		return;

	perf_cpu_lock(cpuctx);
	task_ctx = cpuctx->task_ctx;
	request->cpu = -1;
	request->fn(ctx, request->arg);
	/* fn() may have switched task_ctx off: do not use cpuctx->task_ctx */
	if (task_ctx)
		raw_spin_unlock(&task_ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
}

/**
 * perf_ctx_call() - change something in a context
 * @ctx: the context
 * @fn: the change
 * @arg: for @fn
 *
 * Runs @fn with irqs off and ctx->lock held. If the context is on, @fn runs on that CPU, also
 * under the lock of that CPU's context. If the context is off, @fn runs here. This CPU is
 * tried first, because most tasks change their own context.
 *
 * Context: Task context, irqs on, since another CPU may have to be interrupted.
 */
void perf_ctx_call(struct perf_event_context *ctx, perf_ctx_fn fn, void *arg)
{
	struct perf_ctx_request request = { .ctx = ctx, .fn = fn, .arg = arg };

	request.cpu = raw_smp_processor_id();
	perf_ctx_call_here(&request);
	while (request.cpu >= 0) {
		perf_ctx_call_off(&request);
		if (request.cpu >= 0)
			smp_call_function_single(request.cpu, perf_ctx_call_here,
						 &request, 1);
	}
}

/* The task may run right now on the CPU for which its first event has been installed. */
static void perf_ctx_check_subctx(struct perf_event_context *ctx,
				  struct perf_subctx *subctx)
{
	if (ctx->cpu < 0 || subctx->cpu != ctx->cpu || subctx->clock.on)
		return;
	ctx->local = subctx;
	perf_subctx_sched_in(subctx, perf_time());
}

/* The first user readable event gives the task access to counters; the last one revokes it. */
static __always_inline void
perf_ctx_count_user_reads(struct perf_event_context *ctx, struct perf_event *event,
			  int change)
{
	unsigned int before = ctx->nr_user_reads;

	if (!perf_event_is_user_readable(event) || !perf_ctx_is_task(ctx))
		return;
	ctx->nr_user_reads += change;
	if (ctx->cpu >= 0 && !before != !ctx->nr_user_reads)
		arch_perf_user_access(ctx->nr_user_reads);
}

/* What is needed to install an event; @original is the event it is inherited from, or NULL. */
struct perf_ctx_installation {
	struct perf_event		*event;
	struct perf_event		*original;
	struct pmu			*group_pmu;
	struct perf_event_pmu_context	*pmu_ctx;
};

/* Make the group's pmu_ctx, and the event's own one for when its leader is removed. */
static bool perf_ctx_make_pmu_ctxs(struct perf_subctx *subctx,
				   struct perf_event *event,
				   struct perf_ctx_installation *inst)
{
	if (inst->group_pmu) {
		inst->pmu_ctx = perf_subctx_pmu_ctx(subctx, inst->group_pmu);
		if (!inst->pmu_ctx)
			return false;
	}
	/* in most cases both are the same */
	if (inst->group_pmu == event->pmu && !perf_cgroup_is_foreign(event, subctx))
		return true;
	return perf_group_make_pmu_ctxs(subctx, event);
}

/* Assign a sub-context to the event, and allocate what its group will need. */
static int perf_ctx_prepare(struct perf_event_context *ctx,
			    struct perf_ctx_installation *inst)
{
	struct perf_event *event = inst->event;
	struct perf_subctx *subctx;
	int err;

	lockdep_assert_held(&ctx->mutex);

	subctx = perf_subctx_get(ctx, event);
	if (!subctx)
		return -ENOMEM;
	if (!perf_ctx_make_pmu_ctxs(subctx, event, inst)) {
		perf_subctx_put(subctx);
		return -ENOMEM;
	}
	event->subctx = subctx;
	err = perf_followers_prepare(event) ? perf_traced_prepare(event, inst->original) :
					      -ENOMEM;
	if (err)
		perf_subctx_put(subctx);
	return err;
}

/**
 * perf_ctx_prepare_copy() - do what can fail when a child event enters a context
 * @ctx: a new task's context
 * @copy: the child event, made for @ctx
 * @original: the event that @copy is inherited from
 *
 * On success @copy is a member of its group, which is not visible to others yet.
 *
 * Caller must hold the mutexes of @ctx and of the context of @original.
 *
 * Return: 0 or -ENOMEM.
 */
int perf_ctx_prepare_copy(struct perf_event_context *ctx, struct perf_event *copy,
			  struct perf_event *original)
{
	struct perf_event *leader = copy->group_leader;
	struct perf_ctx_installation inst = {
		.event		= copy,
		.original	= original,
		.group_pmu		= perf_group_pmu_with(leader, copy),
	};
	int err;

	err = perf_ctx_prepare(ctx, &inst);
	if (err)
		return err;
	perf_group_attach(copy);
	leader->group_pmu = inst.group_pmu;
	leader->pmu_ctx = inst.pmu_ctx;
	return 0;
}

static noinline void perf_ctx_enter_more(struct perf_event_context *ctx,
					 struct perf_event *event)
{
	perf_ctx_count_user_reads(ctx, event, 1);
	perf_sideband_attach(event);
	perf_freq_attach(event);
	perf_traced_enter(event);
	perf_filter_attach(event, ctx);
}

static __always_inline void __perf_ctx_enter(struct perf_event_context *ctx,
					     struct perf_event *event)
{
	list_add_tail_rcu(&event->event_entry, &ctx->event_list);
	ctx->nr_events++;
	event->subctx->nr_events++;
	event->attach_state |= PERF_ATTACH_CONTEXT;
	if (perf_event_is_plain_child(event))
		return;
	perf_ctx_swap_event_enters(event);
	if (!perf_event_is_plain(event))
		perf_ctx_enter_more(ctx, event);
}

/**
 * perf_ctx_enter() - add events to the lists of their context
 * @ctx: the context
 * @events: events that are prepared and do not count
 * @nr: number of events
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_enter(struct perf_event_context *ctx, struct perf_event **events,
		    unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&ctx->lock);

	for (i = 0; i < nr; i++)
		__perf_ctx_enter(ctx, events[i]);
}

static noinline void perf_ctx_leave_more(struct perf_event_context *ctx,
					 struct perf_event *event)
{
	perf_sideband_detach(event);
	perf_freq_detach(event);
	perf_traced_leave(event);
	perf_filter_detach(event);
	perf_ctx_swap_event_leaves(event);
	perf_ctx_count_user_reads(ctx, event, -1);
}

/**
 * perf_ctx_leave() - remove an event from the lists of its context
 * @ctx: the context
 * @event: the event, disabled
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_leave(struct perf_event_context *ctx, struct perf_event *event)
{
	lockdep_assert_held(&ctx->lock);

	list_del_rcu(&event->event_entry);
	ctx->nr_events--;
	event->subctx->nr_events--;
	event->attach_state &= ~PERF_ATTACH_CONTEXT;
	if (perf_event_is_plain_child(event))
		return;
	hlist_del_init(&event->mapped_entry);
	if (!perf_event_is_plain(event))
		perf_ctx_leave_more(ctx, event);
}

static void perf_ctx_install_at(struct perf_event_context *ctx,
				struct perf_ctx_installation *inst, u64 now)
{
	struct perf_event *event = inst->event;
	struct perf_event *leader = event->group_leader;

	bool moves = leader == event || leader->group_pmu != inst->group_pmu;

	perf_ctx_enter(ctx, &event, 1);
	perf_ctx_changed(ctx);
	perf_ctx_check_subctx(ctx, event->subctx);

	/* If the new member changes the group PMU, the whole group moves to that PMU. */
	if (leader != event && moves)
		perf_group_stop(leader, now);
	perf_event_stamp_times(event, now);
	perf_group_attach(event);
	leader->group_pmu = inst->group_pmu;
	leader->pmu_ctx = inst->pmu_ctx;
	if (leader == event && event->state == PERF_EVENT_STATE_INACTIVE)
		__perf_group_start(event, now);
	else if (moves)
		perf_group_start(leader, now);
	else
		perf_sibling_start(event, now);
}

static void perf_ctx_install_locked(struct perf_event_context *ctx, void *arg)
{
	perf_ctx_install_at(ctx, arg, perf_ctx_now(ctx));
}

/*
 * Install the first event of current's context. The context is switched on first, so that the
 * event counts at once.
 *
 * Return: false if the context is another task's, or on already; nothing has been done then.
 */
static bool perf_ctx_install_first(struct perf_event_context *ctx,
				   struct perf_ctx_installation *inst)
{
	struct perf_cpu_context *cpuctx;
	bool possible;
	u64 now;

	guard(irq)();
	cpuctx = this_perf_cpu();
	raw_spin_lock(&cpuctx->ctx.lock);
	raw_spin_lock(&ctx->lock);
	possible = perf_ctx_is_off_here(ctx);
	if (possible) {
		now = perf_time();
		perf_ctx_switch_on(cpuctx, ctx, now);
		perf_ctx_install_at(ctx, inst, now);
	}
	raw_spin_unlock(&ctx->lock);
	raw_spin_unlock(&cpuctx->ctx.lock);
	return possible;
}

/**
 * perf_ctx_is_online() - whether the CPU's state allows events to be installed
 * @ctx: the context, referenced
 *
 * Context: Task context. Without ctx->mutex the result may be outdated at once.
 * Return: true for the context of a task, and for the context of an online CPU.
 */
bool perf_ctx_is_online(const struct perf_event_context *ctx)
{
	return perf_ctx_is_task(ctx) ||
	       READ_ONCE(container_of(ctx, struct perf_cpu_context, ctx)->online);
}

/**
 * perf_ctx_install() - put an event into a context
 * @ctx: the context, referenced
 * @event: an event that was never installed, or was removed with state OFF or INACTIVE;
 *	group_leader is the leader of the group that the event joins
 *
 * The event starts counting if its state is INACTIVE and the condition of its sub-context
 * holds. The event gets a reference of its own on @ctx.
 *
 * Caller must hold ctx->mutex.
 *
 * Return: 0; -ESRCH when the task has exited; -ENODEV when the CPU is offline; -ENOSPC when
 * the context has too many events of a tracepoint; -ENOMEM.
 */
int perf_ctx_install(struct perf_event_context *ctx, struct perf_event *event)
{
	struct perf_ctx_installation inst = {
		.event	= event,
		.group_pmu	= perf_group_pmu_with(event->group_leader, event),
	};
	bool first = perf_ctx_is_task(ctx) && !ctx->nr_events;
	int err;

	lockdep_assert_held(&ctx->mutex);

	if (ctx->task == PERF_TASK_GONE)
		return -ESRCH;
	if (!perf_ctx_is_online(ctx))
		return -ENODEV;

	err = perf_ctx_prepare(ctx, &inst);
	if (err)
		return err;
	perf_ctx_get(ctx);
	WRITE_ONCE(event->ctx, ctx);
	if (first)
		perf_sched_events_inc();
	if (first && perf_ctx_install_first(ctx, &inst))
		return 0;
	perf_ctx_call(ctx, perf_ctx_install_locked, &inst);
	if (first || perf_ctx_waits(ctx, event->hw.target))
		perf_ctx_let_in(event->hw.target, ctx);
	return 0;
}

struct perf_ctx_removal {
	struct perf_event	*event;
	enum perf_event_state	state;
	bool			keep_group;
};

static void perf_ctx_remove_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_ctx_removal *removal = arg;
	struct perf_event *event = removal->event;
	u64 now = perf_ctx_now(ctx);

	__perf_event_disable(event, now, removal->state);
	perf_ctx_changed(ctx);
	if (event->attach_state & PERF_ATTACH_CONTEXT)
		perf_ctx_leave(ctx, event);
	if (!removal->keep_group)
		perf_group_detach(event, now);
	perf_sched_fill_waiting(ctx);
	/* see perf_ctx_on(); while the context is on here, events are added only on this CPU */
	if (!ctx->nr_events && perf_ctx_is_task(ctx) && ctx->cpu >= 0)
		perf_ctx_switch_off(this_perf_cpu(), ctx, now);
}

static void perf_ctx_disband_locked(struct perf_event_context *ctx, void *arg)
{
	perf_ctx_changed(ctx);
	perf_group_disband_some(arg, perf_ctx_now(ctx));
	perf_sched_fill_waiting(ctx);
}

/**
 * perf_ctx_remove() - take an event out of its context
 * @event: the event
 * @state: new state, below INACTIVE; a lower state is kept
 * @keep_group: keep the group readable as one. The event is detached from its group when it
 *	is removed once more. Without @keep_group a leader's siblings become single events.
 *
 * The event's counts and times are final. event->ctx stays set and referenced until the event
 * is freed or installed elsewhere.
 *
 * Caller must hold ctx->mutex.
 */
void perf_ctx_remove(struct perf_event *event, enum perf_event_state state,
		     bool keep_group)
{
	struct perf_ctx_removal removal = {
		.event		= event,
		.state		= state,
		.keep_group	= keep_group,
	};
	struct perf_event_context *ctx = event->ctx;
	bool attached = event->attach_state & PERF_ATTACH_CONTEXT;

	lockdep_assert_held(&ctx->mutex);

	while (!keep_group && event->nr_siblings > PERF_GROUP_BATCH) {
		perf_ctx_call(ctx, perf_ctx_disband_locked, event);
		cond_resched();
	}
	perf_ctx_call(ctx, perf_ctx_remove_locked, &removal);
	if (!attached)
		return;
	perf_subctx_put(event->subctx);
	if (perf_ctx_is_task(ctx) && !ctx->nr_events)
		perf_sched_events_dec();
}
