// SPDX-License-Identifier: GPL-2.0
/*
 * Clones: contexts that count the same, exchanged between tasks at a switch.
 *
 * What that means, and its rules, are in clones.h. Owns the shapes, and brings
 * contexts home; who copies them is copy.c, who switches them on and off
 * context.c. Exchanges run in the context switch, the rest in task context.
 */
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/stop_machine.h>

#include "clones.h"
#include "event.h"
#include "tracepoint.h"

/* 0 is the shape of a context that is like no other */
static atomic64_t perf_clones_last_shape;

static const siphash_key_t perf_clones_key;

/*
 * Serialises bringing home. Innermost of the mutexes, see clones.h; with it come
 * ctx->locks only, here or on CPUs that are stopped.
 */
static DEFINE_MUTEX(perf_clones_home_mutex);

static void perf_clones_lock_pair(struct perf_event_context *a,
				  struct perf_event_context *b)
{
	if (b < a)
		swap(a, b);
	raw_spin_lock(&a->lock);
	raw_spin_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void perf_clones_unlock_pair(struct perf_event_context *a,
				    struct perf_event_context *b)
{
	raw_spin_unlock(&a->lock);
	raw_spin_unlock(&b->lock);
}

/* The context of @task that is away, now that the task has @got instead of @gave. */
static struct perf_event_context *
perf_clones_away(struct task_struct *task, struct perf_event_context *got,
		 struct perf_event_context *gave)
{
	struct perf_event_context *away = gave->home == task ? gave : gave->away;

	return away == got ? NULL : away;
}

/* Two tasks get each other's context; both are locked. */
static void perf_clones_swap(struct perf_event_context *a, struct perf_event_context *b)
{
	struct task_struct *task_a = a->task, *task_b = b->task;
	struct perf_event_context *away_a, *away_b;

	away_a = perf_clones_away(task_a, b, a);
	away_b = perf_clones_away(task_b, a, b);
	WRITE_ONCE(a->task, task_b);
	WRITE_ONCE(b->task, task_a);
	a->away = away_b;
	b->away = away_a;
	/* pairs with READ_ONCE() in perf_clones_tie() and elsewhere */
	rcu_assign_pointer(task_b->perf_event_ctxp, a);
	rcu_assign_pointer(task_a->perf_event_ctxp, b);
}

/* Under the lock: whoever is brought home does not ask who is tied. */
static bool perf_clones_is_own(const struct perf_event_context *ctx)
{
	return (!ctx->home || ctx->home == ctx->task) && !ctx->away;
}

static __always_inline void perf_clones_tie_locked(struct perf_event_context *ctx)
{
	ctx->tied++;
	perf_ctx_get(ctx);
}

/*
 * A task's context, or NULL. If it is the task's @own, or @any will do, it is tied,
 * with a reference: it is not exchanged until untied, and if it is the task's own it
 * stays. If not, it may be gone.
 */
static __always_inline struct perf_event_context *
perf_clones_tie(struct task_struct *task, bool any, bool *own)
{
	struct perf_event_context *ctx;

	guard(rcu)();
	while ((ctx = READ_ONCE(task->perf_event_ctxp))) {
		guard(raw_spinlock_irqsave)(&ctx->lock);
		/* it has been exchanged meanwhile */
		if (ctx->task != task)
			continue;
		*own = perf_clones_is_own(ctx);
		if (any || *own)
			perf_clones_tie_locked(ctx);
		break;
	}
	return ctx;
}

/**
 * perf_clones_untie - undo perf_clones_tie_own()
 * @ctx: what that returned; the reference is dropped
 */
void perf_clones_untie(struct perf_event_context *ctx)
{
	scoped_guard(raw_spinlock_irqsave, &ctx->lock) {
		ctx->tied--;
		/* the last reference is the task's, which goes after this lock was held */
		if (ctx->task != PERF_TASK_GONE) {
			refcount_dec(&ctx->refcount);
			return;
		}
	}
	perf_ctx_put(ctx);
}

/**
 * struct perf_clones_return - a context is brought home
 * @own: that is away
 * @other: that its home task has instead
 * @done: they have been exchanged
 * @own_cpu: if not, where @own was last seen on, or -1
 * @other_cpu: where @other was last seen on, or -1
 */
struct perf_clones_return {
	struct perf_event_context	*own;
	struct perf_event_context	*other;
	bool				done;
	int				own_cpu;
	int				other_cpu;
};

/* Nothing happens if one of them is on; for stop_one_cpu() and stop_two_cpus(). */
static int perf_clones_try_swap(void *arg)
{
	struct perf_clones_return *ret = arg;

	guard(irqsave)();
	perf_clones_lock_pair(ret->own, ret->other);
	ret->done = ret->own->cpu < 0 && ret->other->cpu < 0;
	/* what is off may come on while the other one's CPU is stopped: then both are */
	if (ret->own->cpu >= 0)
		ret->own_cpu = ret->own->cpu;
	if (ret->other->cpu >= 0)
		ret->other_cpu = ret->other->cpu;
	if (ret->done)
		perf_clones_swap(ret->own, ret->other);
	perf_clones_unlock_pair(ret->own, ret->other);
	return 0;
}

/*
 * If one is that of current: with irqs off here it does not come on. @leaves: current
 * is about to lose its own, which need not come on before.
 */
static void perf_clones_exchange_here(struct perf_clones_return *ret, bool leaves)
{
	struct perf_event_context *mine;

	guard(irqsave)();
	mine = READ_ONCE(current->perf_event_ctxp);
	if (mine != ret->own && mine != ret->other) {
		perf_clones_try_swap(ret);
		return;
	}
	perf_ctx_off(mine);
	perf_clones_try_swap(ret);
	if (!ret->done || !leaves)
		perf_ctx_on(READ_ONCE(current->perf_event_ctxp));
}

#ifdef CONFIG_SMP
/*
 * Stop the CPUs where they are on. A task whose CPU is stopped has been switched out,
 * and finds the other context when it comes back. So neither runs uncounted.
 */
static void perf_clones_exchange_stopped(struct perf_clones_return *ret)
{
	int own = ret->own_cpu, other = ret->other_cpu, err;

	/* the same one: one after the other; it would wait for itself */
	if (own < 0 || other < 0 || own == other)
		err = stop_one_cpu(max(own, other), perf_clones_try_swap, ret);
	else
		err = stop_two_cpus(own, other, perf_clones_try_swap, ret);
	/* a CPU that has gone offline has nothing on: look again */
	if (err) {
		ret->own_cpu = -1;
		ret->other_cpu = -1;
	}
}
#else
/* What is on is that of current. */
static void perf_clones_exchange_stopped(struct perf_clones_return *ret)
{
}
#endif

/*
 * Both are tied. Their tasks may sleep, run, and move meanwhile. One that runs has its
 * context on, unless that is empty, as when its events have just been closed and some
 * copies of them have not. perf_ctx_install() knows.
 */
static void perf_clones_exchange_back(struct perf_clones_return *ret, bool leaves)
{
	perf_clones_exchange_here(ret, leaves);
	while (!ret->done) {
		perf_clones_exchange_stopped(ret);
		if (!ret->done)
			perf_clones_exchange_here(ret, leaves);
	}
}

/*
 * Bring home what is away, be it @task's or what @task has. Neither the home task nor
 * the one that has its context can exit, before it has been here.
 */
static struct perf_event_context *
perf_clones_bring_home(struct task_struct *task, bool leaves)
{
	struct perf_event_context *ctx;
	struct perf_clones_return ret = { .own_cpu = -1, .other_cpu = -1 };
	bool own;

	ctx = perf_clones_tie(task, true, &own);
	if (!ctx || own)
		return ctx;

	if (ctx->away) {
		ret.other = ctx;
		/* whoever has it */
		ret.own = ctx->away;
		scoped_guard(raw_spinlock_irqsave, &ret.own->lock)
			perf_clones_tie_locked(ret.own);
	} else {
		ret.own = ctx;
		ret.other = perf_clones_tie(ctx->home, true, &own);
	}
	perf_clones_exchange_back(&ret, leaves);

	perf_clones_untie(ctx);
	return ctx == ret.own ? ret.other : ret.own;
}

static struct perf_event_context *
__perf_clones_tie_own(struct task_struct *task, bool leaves)
{
	struct perf_event_context *ctx;
	bool own;

	ctx = perf_clones_tie(task, false, &own);
	if (!ctx || likely(own))
		return ctx;

	guard(mutex)(&perf_clones_home_mutex);
	return perf_clones_bring_home(task, leaves);
}

/**
 * perf_clones_tie_own - a task's own context, to stay with it until untied
 * @task: current, or referenced; if its perf_event_mutex is not held, it may exit
 *
 * The task has been given back its own if it had another task's.
 *
 * Context: task, irqs on.
 * Return: the context, for perf_clones_untie(), or NULL when the task has none.
 */
struct perf_event_context *perf_clones_tie_own(struct task_struct *task)
{
	return __perf_clones_tie_own(task, false);
}

/**
 * perf_clones_tie_last - perf_clones_tie_own() for a task that is to lose its context
 * @task: current, or a child that never ran
 *
 * The task's own may be off though the task runs, if it had another task's.
 */
struct perf_event_context *perf_clones_tie_last(struct task_struct *task)
{
	return __perf_clones_tie_own(task, true);
}

/**
 * perf_clones_event_needs_task - whether the context of an event stays with its task
 * @event: its PMU has taken it
 *
 * Those whose counts are told task by task, and those whose source, reader or signal
 * goes by the task, or keeps something for each.
 *
 * Return: true if so, whatever else there is in the context.
 */
bool perf_clones_event_needs_task(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || (attr->sample_type & PERF_SAMPLE_READ))
		return true;
	if (attr->sigtrap || attr->aux_output || attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	/* a program of the task writes to it */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		return true;
	/* the rest is what drivers and tracing have */
	if (perf_event_is_resident(event))
		return false;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_SCHED_CB |
				   PERF_ATTACH_ITRACE))
		return true;
	if (event->pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return true;
	return event->pmu->setup_aux || event->addr_filter_ranges ||
	       perf_event_has_uprobe(event);
}

/**
 * perf_clones_event_ties - a context must stay with its task while it has an event
 * @event: that is in it; its context is at home, ctx->lock is held
 */
void perf_clones_event_ties(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_TIED)
		return;
	event->attach_state |= PERF_ATTACH_TIED;
	event->ctx->tied++;
}

/**
 * perf_clones_event_enters - an event comes into its context
 * @event: the event; ctx->lock is held
 */
void perf_clones_event_enters(struct perf_event *event)
{
	if (!event->parent)
		event->ctx->home = event->ctx->task;
	/* of a plain one it is known that it does not */
	if (!perf_event_is_plain(event) && perf_clones_event_needs_task(event))
		perf_clones_event_ties(event);
}

/**
 * perf_clones_begin_copy - a context is about to be copied
 * @from: the context; its mutex is held
 *
 * Return: for perf_clones_end_copy().
 */
unsigned int perf_clones_begin_copy(struct perf_event_context *from)
{
	guard(raw_spinlock_irqsave)(&from->lock);
	if (!from->shape)
		from->shape = atomic64_inc_return(&perf_clones_last_shape);
	return from->changes;
}

/**
 * perf_clones_end_copy - a context has been copied
 * @from: the original; the mutexes of both are held
 * @to: the copy, never on so far
 * @changes: from perf_clones_begin_copy()
 *
 * It has the same shape if all events were copied, and none was changed meanwhile:
 * who changes a copy has changed the original before.
 */
void perf_clones_end_copy(struct perf_event_context *from,
			  struct perf_event_context *to, unsigned int changes)
{
	guard(raw_spinlock_irqsave)(&from->lock);
	raw_spin_lock_nested(&to->lock, SINGLE_DEPTH_NESTING);
	if (from->changes == changes && from->nr_events == to->nr_events)
		to->shape = from->shape;
	raw_spin_unlock(&to->lock);
}

/**
 * perf_clones_reshape - an event has been enabled or disabled
 * @event: the event, whose context has a shape; ctx->lock is held
 * @enabled: which of it
 */
void perf_clones_reshape(struct perf_event *event, bool enabled)
{
	struct perf_event_context *ctx = event->ctx;
	u64 part;

	/* mixed well: sums of such numbers are different for different events */
	part = siphash_1u64(perf_event_root(event)->id, &perf_clones_key);
	WRITE_ONCE(ctx->shape, enabled ? ctx->shape + part : ctx->shape - part);
}

static bool perf_clones_are_equal(const struct perf_event_context *a,
				  const struct perf_event_context *b)
{
	u64 shape = READ_ONCE(a->shape);

	return shape && shape == READ_ONCE(b->shape);
}

/* Both are locked. They may have been given to others since they were found. */
static bool perf_clones_can_exchange(const struct perf_event_context *on,
				     const struct task_struct *prev,
				     const struct perf_event_context *off,
				     const struct task_struct *next)
{
	return on->task == prev && off->task == next &&
	       perf_clones_are_equal(on, off) && !on->tied && !off->tied &&
	       on->cpu == smp_processor_id() && off->cpu < 0;
}

/**
 * perf_clones_exchange - let the context that is on stay on for the next task
 * @prev: current, whose context is on here
 * @next: the task that will run
 *
 * Context: the context switch, under the rq lock, irqs off.
 * Return: false when the contexts have to be switched.
 */
bool perf_clones_exchange(struct task_struct *prev, struct task_struct *next)
{
	struct perf_event_context *on = READ_ONCE(prev->perf_event_ctxp);
	struct perf_event_context *off = READ_ONCE(next->perf_event_ctxp);
	bool possible;

	if (likely(!on || !off || !perf_clones_are_equal(on, off)))
		return false;

	perf_clones_lock_pair(on, off);
	possible = perf_clones_can_exchange(on, prev, off, next);
	if (possible)
		perf_clones_swap(on, off);
	perf_clones_unlock_pair(on, off);
	return possible;
}
