// SPDX-License-Identifier: GPL-2.0
/*
 * Context swap: at a context switch, two tasks exchange contexts that count the same.
 *
 * ctx_swap.h describes the concept and its rules. This file swaps contexts and returns them to
 * their home tasks. ctx_family.c decides which contexts are equal. Swaps run in the context
 * switch, everything else in task context.
 *
 * __always_inline: see pmu/pmu.c.
 */
#include <linux/sched.h>
#include <linux/stop_machine.h>

#include "../base/contexts.h"
#include "context.h"
#include "ctx_family.h"
#include "ctx_sched.h"
#include "ctx_swap.h"
#include "task_data.h"

static void perf_ctx_swap_lock_pair(struct perf_event_context *a,
				    struct perf_event_context *b)
{
	if (b < a)
		swap(a, b);
	raw_spin_lock(&a->lock);
	raw_spin_lock_nested(&b->lock, SINGLE_DEPTH_NESTING);
}

static void perf_ctx_swap_unlock_pair(struct perf_event_context *a,
				      struct perf_event_context *b)
{
	raw_spin_unlock(&a->lock);
	raw_spin_unlock(&b->lock);
}

/* The own context of @task if that is away, after the task exchanged @gave for @got. */
static struct perf_event_context *
perf_ctx_swap_away(struct task_struct *task, struct perf_event_context *got,
		   struct perf_event_context *gave)
{
	struct perf_event_context *away = gave->home_task == task ? gave : gave->away;

	return away == got ? NULL : away;
}

/*
 * Swap the contexts of two tasks. Caller must hold the locks of both contexts. A part of each
 * context switch between tasks with child events of the same parents.
 */
static __always_inline void perf_ctx_swap_pointers(struct perf_event_context *a,
						   struct perf_event_context *b)
{
	struct task_struct *task_a = a->task, *task_b = b->task;
	struct perf_event_context *away_a, *away_b;

	away_a = perf_ctx_swap_away(task_a, b, a);
	away_b = perf_ctx_swap_away(task_b, a, b);
	WRITE_ONCE(a->task, task_b);
	WRITE_ONCE(b->task, task_a);
	a->away = away_b;
	b->away = away_a;
	perf_task_data_swap(a, b);
	/* pairs with READ_ONCE() in perf_ctx_pin() and elsewhere */
	rcu_assign_pointer(task_b->perf_event_ctxp, a);
	rcu_assign_pointer(task_a->perf_event_ctxp, b);
}

/* Caller must hold ctx->lock: a return to the home task changes pinned contexts, too. */
static bool perf_ctx_swap_is_own(const struct perf_event_context *ctx)
{
	return (!ctx->home_task || ctx->home_task == ctx->task) && !ctx->away;
}

static void perf_ctx_pin_locked(struct perf_event_context *ctx)
{
	ctx->pin_count++;
	perf_ctx_get(ctx);
}

/**
 * struct perf_ctx_pin - result of perf_ctx_pin()
 * @own: the context is the task's own
 * @family: if the context has not been pinned, its family, referenced; otherwise NULL
 */
struct perf_ctx_pin {
	bool				own;
	struct perf_ctx_family		*family;
};

/*
 * Find a task's context and pin it, if it is the task's own context or a member of @held, the
 * family whose home_mutex the caller holds. A pinned context is referenced, and is not swapped
 * until it is unpinned. If it is the task's own context, it stays with the task. A context
 * that has not been pinned may be freed at any time.
 *
 * Return: the context, or NULL when the task has none.
 */
static __always_inline struct perf_event_context *
perf_ctx_pin(struct task_struct *task, const struct perf_ctx_family *held,
	     struct perf_ctx_pin *tie)
{
	struct perf_event_context *ctx;

	guard(rcu)();
	while ((ctx = READ_ONCE(task->perf_event_ctxp))) {
		guard(raw_spinlock_irqsave)(&ctx->lock);
		/* the context has been swapped meanwhile */
		if (ctx->task != task)
			continue;
		tie->family = NULL;
		tie->own = perf_ctx_swap_is_own(ctx);
		if (likely(tie->own) || ctx->family == held) {
			perf_ctx_pin_locked(ctx);
		} else {
			tie->family = ctx->family;
			refcount_inc(&tie->family->refcount);
		}
		break;
	}
	return ctx;
}

/**
 * perf_ctx_unpin() - undo perf_ctx_pin_own()
 * @ctx: the context that perf_ctx_pin_own() returned; its reference is dropped
 */
void perf_ctx_unpin(struct perf_event_context *ctx)
{
	scoped_guard(raw_spinlock_irqsave, &ctx->lock) {
		ctx->pin_count--;
		/* not the last one: the task's reference is dropped after this lock is released */
		if (ctx->task != PERF_TASK_GONE) {
			refcount_dec(&ctx->refcount);
			return;
		}
	}
	perf_ctx_put(ctx);
}

/**
 * struct perf_ctx_swap_return - return of a context to its home task
 * @own: the context that is away
 * @other: the context that the home task has instead
 * @done: the two contexts have been swapped
 * @own_cpu: if not @done, the CPU where @own was last seen on, or -1
 * @other_cpu: if not @done, the CPU where @other was last seen on, or -1
 */
struct perf_ctx_swap_return {
	struct perf_event_context	*own;
	struct perf_event_context	*other;
	bool				done;
	int				own_cpu;
	int				other_cpu;
};

/* Does nothing if one of the contexts is on. Callback of stop_one_cpu() and stop_two_cpus(). */
static int perf_ctx_try_swap(void *arg)
{
	struct perf_ctx_swap_return *ret = arg;

	guard(irqsave)();
	perf_ctx_swap_lock_pair(ret->own, ret->other);
	ret->done = ret->own->cpu < 0 && ret->other->cpu < 0;
	/* a context that was off may be on by now: then both CPUs have to be stopped next */
	if (ret->own->cpu >= 0)
		ret->own_cpu = ret->own->cpu;
	if (ret->other->cpu >= 0)
		ret->other_cpu = ret->other->cpu;
	if (ret->done)
		perf_ctx_swap_pointers(ret->own, ret->other);
	perf_ctx_swap_unlock_pair(ret->own, ret->other);
	return 0;
}

/*
 * Try the swap on this CPU. If one of the contexts is current's, it is scheduled out, and
 * with irqs off it stays so. @leaves: current is about to lose its own context, which need
 * not be scheduled in before.
 */
static void perf_ctx_swap_here(struct perf_ctx_swap_return *ret, bool leaves)
{
	struct perf_event_context *mine;

	guard(irqsave)();
	mine = READ_ONCE(current->perf_event_ctxp);
	if (mine != ret->own && mine != ret->other) {
		perf_ctx_try_swap(ret);
		return;
	}
	perf_ctx_sched_out(mine);
	perf_ctx_try_swap(ret);
	if (!ret->done || !leaves)
		perf_ctx_sched_in_filled(READ_ONCE(current->perf_event_ctxp));
}

#ifdef CONFIG_SMP
/*
 * Stop the CPUs where the contexts are on. A task whose CPU is stopped has been switched out.
 * When the task is switched in again, it has the other context. So neither task runs
 * uncounted.
 */
static void perf_ctx_swap_stopped(struct perf_ctx_swap_return *ret)
{
	int own = ret->own_cpu, other = ret->other_cpu, err;

	/* not stop_two_cpus() for a single CPU: the stopper would wait for itself */
	if (own < 0 || other < 0 || own == other)
		err = stop_one_cpu(max(own, other), perf_ctx_try_swap, ret);
	else
		err = stop_two_cpus(own, other, perf_ctx_try_swap, ret);
	/* a CPU that has gone offline has no context on: look again */
	if (err) {
		ret->own_cpu = -1;
		ret->other_cpu = -1;
	}
}
#else
/* There is one CPU: a context that is on is current's. */
static void perf_ctx_swap_stopped(struct perf_ctx_swap_return *ret)
{
}
#endif

/*
 * Both contexts are pinned. Their tasks may sleep, run, and migrate meanwhile. A task that
 * runs has its context on unless the context is empty, as when its events have just been
 * closed and some of their child events have not. perf_ctx_install() handles a context that
 * is off though its task runs.
 */
static void perf_ctx_swap_back(struct perf_ctx_swap_return *ret, bool leaves)
{
	perf_ctx_swap_here(ret, leaves);
	while (!ret->done) {
		perf_ctx_swap_stopped(ret);
		if (!ret->done)
			perf_ctx_swap_here(ret, leaves);
	}
}

/*
 * Return the context of a family that is away to its home task. That is either the own context
 * of the task that has @ctx, or @ctx itself, if its home task is another one. Neither the home
 * task nor the task that has its context can exit before that task has returned the context.
 *
 * @ctx is pinned. Caller must hold the family's home_mutex.
 *
 * Return: the context that the task that had @ctx has now, pinned. @ctx is unpinned.
 */
static struct perf_event_context *
perf_ctx_swap_return_home(struct perf_event_context *ctx, bool leaves)
{
	struct perf_ctx_swap_return ret = { .own_cpu = -1, .other_cpu = -1 };
	struct perf_ctx_pin tie;

	if (ctx->away) {
		ret.other = ctx;
		ret.own = ctx->away;
		scoped_guard(raw_spinlock_irqsave, &ret.own->lock)
			perf_ctx_pin_locked(ret.own);
	} else {
		ret.own = ctx;
		ret.other = perf_ctx_pin(ctx->home_task, ctx->family, &tie);
	}
	perf_ctx_swap_back(&ret, leaves);

	perf_ctx_unpin(ctx);
	return ctx == ret.own ? ret.other : ret.own;
}

/**
 * perf_ctx_swap_beside() - find the context to swap current's context with
 * @mine: the context that current had when the caller looked
 *
 * A context without events is off while its task runs. So the home task of @mine can take
 * @mine back meanwhile. The home task's context is @mine itself then.
 *
 * Context: irqs off, so that neither the context nor the home task is freed.
 * Return: a context other than @mine; NULL when there is none to swap with, or when @mine
 * has been swapped meanwhile.
 */
struct perf_event_context *perf_ctx_swap_beside(const struct perf_event_context *mine)
{
	struct perf_event_context *away = READ_ONCE(mine->away);
	struct task_struct *home = READ_ONCE(mine->home_task);
	struct perf_event_context *beside;

	if (away || !home || home == current)
		return away;
	beside = READ_ONCE(home->perf_event_ctxp);
	return beside == mine ? NULL : beside;
}

/*
 * Caller must hold the locks of both contexts. A pinned context may be in the middle of a
 * return to its home task, and is left alone.
 */
static bool perf_ctx_swap_can_go_home(const struct perf_event_context *mine,
				      const struct perf_event_context *beside)
{
	return mine->task == current && !mine->pin_count && !beside->pin_count &&
	       mine->cpu < 0 && beside->cpu < 0 &&
	       (mine->away == beside || beside->away == mine);
}

/*
 * If the other task does not run, for example because it waits for current to exit, the swap
 * needs only the locks of the two contexts.
 *
 * Return: current's own context, pinned, or NULL when nothing has been done.
 */
static struct perf_event_context *perf_ctx_swap_try_home(bool leaves)
{
	struct perf_event_context *mine, *beside;
	bool possible;

	guard(irqsave)();
	mine = READ_ONCE(current->perf_event_ctxp);
	beside = mine ? perf_ctx_swap_beside(mine) : NULL;
	if (!beside)
		return NULL;
	perf_ctx_sched_out(mine);
	perf_ctx_swap_lock_pair(mine, beside);
	possible = perf_ctx_swap_can_go_home(mine, beside);
	if (possible) {
		perf_ctx_swap_pointers(mine, beside);
		perf_ctx_pin_locked(beside);
	}
	perf_ctx_swap_unlock_pair(mine, beside);
	if (!possible || !leaves)
		perf_ctx_sched_in_filled(READ_ONCE(current->perf_event_ctxp));
	return possible ? beside : NULL;
}

/*
 * The context that @task had was not its own context, but a member of @family. The caller's
 * reference on @family is dropped.
 */
static noinline struct perf_event_context *
perf_ctx_pin_away(struct task_struct *task, struct perf_ctx_family *family,
		  bool leaves)
{
	struct perf_event_context *ctx = NULL;
	struct perf_ctx_pin tie = {};

	if (task == current)
		ctx = perf_ctx_swap_try_home(leaves);
	if (ctx) {
		perf_ctx_family_put(family);
		return ctx;
	}
	do {
		scoped_guard(mutex, &family->home_mutex) {
			ctx = perf_ctx_pin(task, family, &tie);
			if (ctx && !tie.own && !tie.family)
				ctx = perf_ctx_swap_return_home(ctx, leaves);
		}
		perf_ctx_family_put(family);
		/* by now the task may have a context of another family, again not its own */
		family = tie.family;
	} while (ctx && family);
	return ctx;
}

static struct perf_event_context *
__perf_ctx_pin_own(struct task_struct *task, bool leaves)
{
	struct perf_event_context *ctx;
	struct perf_ctx_pin tie;

	ctx = perf_ctx_pin(task, NULL, &tie);
	if (likely(!ctx || tie.own))
		return ctx;
	return perf_ctx_pin_away(task, tie.family, leaves);
}

/**
 * perf_ctx_pin_own() - pin a task's own context
 * @task: current, or a referenced task; without its perf_event_mutex the task may exit
 *
 * If the task had another context, its own context is returned to it first. The context stays
 * with the task until perf_ctx_unpin().
 *
 * Context: task, irqs on.
 * Return: the context, to be unpinned by perf_ctx_unpin(), or NULL when the task has none.
 */
struct perf_event_context *perf_ctx_pin_own(struct task_struct *task)
{
	return __perf_ctx_pin_own(task, false);
}

/**
 * perf_ctx_pin_last() - perf_ctx_pin_own() for a task that is about to lose its context
 * @task: current, or a child that never ran
 *
 * If the task had another context, its own context may be left off though the task runs.
 *
 * Context: task, irqs on.
 * Return: the task's own context, pinned, or NULL when the task has none.
 */
struct perf_event_context *perf_ctx_pin_last(struct task_struct *task)
{
	return __perf_ctx_pin_own(task, true);
}

/* Caller must hold the locks of both contexts. They may have been swapped since the lookup. */
static bool perf_ctx_can_swap(const struct perf_event_context *on,
			      const struct task_struct *prev,
			      const struct perf_event_context *off,
			      const struct task_struct *next)
{
	return on->task == prev && off->task == next &&
	       perf_ctx_family_equal(on, off) && !on->pin_count && !off->pin_count &&
	       on->cpu == smp_processor_id() && off->cpu < 0;
}

/**
 * __perf_ctx_swap() - swap contexts that seem to be equal
 * @prev: current
 * @on: its context, which is on here
 * @next: the task that will run
 * @off: its context, as perf_ctx_swap() has found it without a lock
 *
 * Context: as perf_ctx_swap().
 * Return: true if the contexts have been swapped.
 */
bool __perf_ctx_swap(struct task_struct *prev, struct perf_event_context *on,
		     struct task_struct *next, struct perf_event_context *off)
{
	bool possible;

	perf_ctx_swap_lock_pair(on, off);
	possible = perf_ctx_can_swap(on, prev, off, next);
	if (possible)
		perf_ctx_swap_pointers(on, off);
	perf_ctx_swap_unlock_pair(on, off);
	return possible;
}
