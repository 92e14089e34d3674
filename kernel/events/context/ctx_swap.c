// SPDX-License-Identifier: GPL-2.0
/*
 * Clones: contexts that count the same, exchanged between tasks at a switch.
 *
 * What that means, and its rules, are in ctx_swap.h. Owns the families, and brings
 * contexts home. Contexts are copied by child.c, and switched on and off by
 * context.c. Exchanges run in the context switch, the rest in task context.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/traced.h"
#include "../software/tracepoint.h"
#include "ctx_swap.h"
#include "context.h"

/**
 * struct perf_ctx_family - contexts that are copies of each other
 * @refcount: contexts whose perf_event_context::family this is, and bringing home
 * @home_mutex: serialises bringing home, but for perf_ctx_swap_try_home(), which leaves
 *	alone what is pinned. Innermost of the mutexes, see ctx_swap.h; with it come ctx->locks
 *	only, here or on CPUs that are stopped.
 * @lock: all that follows. Raw, inside ctx->lock.
 * @generation: of the members that have seen all operations
 * @previous: the generation before that, or 0
 * @operation: the number of the last one, which made @generation out of @previous
 * @event_id: the id of the event that it was on
 *
 * A member that is one generation behind catches up when the last operation reaches it.
 * One that is further behind, or that changes otherwise, is out: its generation is 0.
 * So members of one generation have seen the same operations in the same order.
 *
 * The number of a generation is used once, in all families. So two contexts with the same
 * one are of one family.
 */
struct perf_ctx_family {
	refcount_t	refcount;
	struct mutex	home_mutex;
	raw_spinlock_t	lock;
	u64		generation;
	u64		previous;
	u64		operation;
	u64		event_id;
};

/* Operations, and generations, are numbered from 1 on. 0 stands for none. */
static atomic64_t perf_ctx_swap_last_operation;
static atomic64_t perf_ctx_swap_last_generation;

static struct perf_ctx_family *perf_ctx_family_alloc(void)
{
	struct perf_ctx_family *family = kmalloc(sizeof(*family), GFP_KERNEL_ACCOUNT);

	if (!family)
		return NULL;
	refcount_set(&family->refcount, 1);
	mutex_init(&family->home_mutex);
	raw_spin_lock_init(&family->lock);
	family->generation = atomic64_inc_return(&perf_ctx_swap_last_generation);
	family->previous = 0;
	family->operation = 0;
	family->event_id = 0;
	return family;
}

/**
 * perf_ctx_family_put() - drop a reference on a family
 * @family: the family, or NULL
 *
 * Context: task.
 */
void perf_ctx_family_put(struct perf_ctx_family *family)
{
	if (family && refcount_dec_and_test(&family->refcount))
		kfree(family);
}

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

/* The context of @task that is away, now that the task has @got instead of @gave. */
static struct perf_event_context *
perf_ctx_swap_away(struct task_struct *task, struct perf_event_context *got,
		   struct perf_event_context *gave)
{
	struct perf_event_context *away = gave->home_task == task ? gave : gave->away;

	return away == got ? NULL : away;
}

/* Two tasks get each other's context; both are locked. */
static void perf_ctx_swap_pointers(struct perf_event_context *a, struct perf_event_context *b)
{
	struct task_struct *task_a = a->task, *task_b = b->task;
	struct perf_event_context *away_a, *away_b;

	away_a = perf_ctx_swap_away(task_a, b, a);
	away_b = perf_ctx_swap_away(task_b, a, b);
	WRITE_ONCE(a->task, task_b);
	WRITE_ONCE(b->task, task_a);
	a->away = away_b;
	b->away = away_a;
	/* pairs with READ_ONCE() in perf_ctx_pin() and elsewhere */
	rcu_assign_pointer(task_b->perf_event_ctxp, a);
	rcu_assign_pointer(task_a->perf_event_ctxp, b);
}

/* Caller must hold ctx->lock: bringing home changes this of pinned contexts, too. */
static bool perf_ctx_swap_is_own(const struct perf_event_context *ctx)
{
	return (!ctx->home_task || ctx->home_task == ctx->task) && !ctx->away;
}

static __always_inline void perf_ctx_pin_locked(struct perf_event_context *ctx)
{
	ctx->pin_count++;
	perf_ctx_get(ctx);
}

/**
 * struct perf_ctx_pin - what perf_ctx_pin() has found
 * @own: the context is the task's own
 * @family: if the context has not been pinned, its family, referenced; else NULL
 */
struct perf_ctx_pin {
	bool				own;
	struct perf_ctx_family		*family;
};

/*
 * A task's context, or NULL. If it is the task's own, or of the family whose home_mutex is
 * @held, it is pinned, with a reference: it is not exchanged until untied, and if it is the
 * task's own it stays. If not, it may be gone.
 */
static __always_inline struct perf_event_context *
perf_ctx_pin(struct task_struct *task, const struct perf_ctx_family *held,
	     struct perf_ctx_pin *tie)
{
	struct perf_event_context *ctx;

	guard(rcu)();
	while ((ctx = READ_ONCE(task->perf_event_ctxp))) {
		guard(raw_spinlock_irqsave)(&ctx->lock);
		/* it has been exchanged meanwhile */
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
 * @ctx: what that returned; the reference is dropped
 */
void perf_ctx_unpin(struct perf_event_context *ctx)
{
	scoped_guard(raw_spinlock_irqsave, &ctx->lock) {
		ctx->pin_count--;
		/* the last reference is the task's, which goes after this lock was held */
		if (ctx->task != PERF_TASK_GONE) {
			refcount_dec(&ctx->refcount);
			return;
		}
	}
	perf_ctx_put(ctx);
}

/**
 * struct perf_ctx_swap_return - a context is brought home
 * @own: that is away
 * @other: that its home task has instead
 * @done: they have been exchanged
 * @own_cpu: if not, where @own was last seen on, or -1
 * @other_cpu: where @other was last seen on, or -1
 */
struct perf_ctx_swap_return {
	struct perf_event_context	*own;
	struct perf_event_context	*other;
	bool				done;
	int				own_cpu;
	int				other_cpu;
};

/* Nothing happens if one of them is on; for stop_one_cpu() and stop_two_cpus(). */
static int perf_ctx_try_swap(void *arg)
{
	struct perf_ctx_swap_return *ret = arg;

	guard(irqsave)();
	perf_ctx_swap_lock_pair(ret->own, ret->other);
	ret->done = ret->own->cpu < 0 && ret->other->cpu < 0;
	/* what is off may come on while the other one's CPU is stopped: then both are */
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
 * If one is that of current: with irqs off here it does not come on. @leaves: current
 * is about to lose its own, which need not come on before.
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
	perf_ctx_off(mine);
	perf_ctx_try_swap(ret);
	if (!ret->done || !leaves)
		perf_ctx_on(READ_ONCE(current->perf_event_ctxp));
}

#ifdef CONFIG_SMP
/*
 * Stop the CPUs where they are on. A task whose CPU is stopped has been switched out,
 * and finds the other context when it comes back. So neither runs uncounted.
 */
static void perf_ctx_swap_stopped(struct perf_ctx_swap_return *ret)
{
	int own = ret->own_cpu, other = ret->other_cpu, err;

	/* the same one: one after the other; it would wait for itself */
	if (own < 0 || other < 0 || own == other)
		err = stop_one_cpu(max(own, other), perf_ctx_try_swap, ret);
	else
		err = stop_two_cpus(own, other, perf_ctx_try_swap, ret);
	/* a CPU that has gone offline has nothing on: look again */
	if (err) {
		ret->own_cpu = -1;
		ret->other_cpu = -1;
	}
}
#else
/* What is on is that of current. */
static void perf_ctx_swap_stopped(struct perf_ctx_swap_return *ret)
{
}
#endif

/*
 * Both are pinned. Their tasks may sleep, run, and move meanwhile. One that runs has its
 * context on, unless that is empty, as when its events have just been closed and some
 * copies of them have not. perf_ctx_install() knows.
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
 * Bring home the context of a family that is away: the own one of the task that has @ctx,
 * or @ctx, if its home is elsewhere. @ctx is pinned, and the family's home_mutex is held.
 * Neither the home task nor the one that has its context can exit before it has been here.
 *
 * Return: the own context of the task that had @ctx, pinned; @ctx is not any more.
 */
static struct perf_event_context *
perf_ctx_swap_return_home(struct perf_event_context *ctx, bool leaves)
{
	struct perf_ctx_swap_return ret = { .own_cpu = -1, .other_cpu = -1 };
	struct perf_ctx_pin tie;

	if (ctx->away) {
		ret.other = ctx;
		/* whichever task has it */
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
 * perf_ctx_swap_beside() - the context that one of current's has to be exchanged with
 * @mine: current had it at the last look, and it is not current's own
 *
 * A context without events is off while its task runs. So the home task of @mine can take
 * @mine back meanwhile, and finding what that task has then finds @mine itself.
 *
 * Context: irqs off, so that neither the context nor the home task is freed.
 * Return: the context, not @mine; NULL: it has been exchanged meanwhile.
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

/* Both are locked. One that is pinned may be on its way home. */
static bool perf_ctx_swap_can_go_home(const struct perf_event_context *mine,
				      const struct perf_event_context *beside)
{
	return mine->task == current && !mine->pin_count && !beside->pin_count &&
	       mine->cpu < 0 && beside->cpu < 0 &&
	       (mine->away == beside || beside->away == mine);
}

/*
 * If the other task does not run, as when it waits for this one to exit, the exchange
 * takes no more than the locks of the two contexts.
 *
 * Return: current's own context, pinned, or NULL: nothing has happened.
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
	perf_ctx_off(mine);
	perf_ctx_swap_lock_pair(mine, beside);
	possible = perf_ctx_swap_can_go_home(mine, beside);
	if (possible) {
		perf_ctx_swap_pointers(mine, beside);
		perf_ctx_pin_locked(beside);
	}
	perf_ctx_swap_unlock_pair(mine, beside);
	if (!possible || !leaves)
		perf_ctx_on(READ_ONCE(current->perf_event_ctxp));
	return possible ? beside : NULL;
}

/* The context that @task had was not its own, and of @family, whose reference is dropped. */
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
		/* what it has meanwhile may be of another family, and not its own again */
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
 * perf_ctx_pin_own() - a task's own context, to stay with it until untied
 * @task: current, or referenced; if its perf_event_mutex is not held, it may exit
 *
 * The task has been given back its own if it had another task's.
 *
 * Context: task, irqs on.
 * Return: the context, for perf_ctx_unpin(), or NULL when the task has none.
 */
struct perf_event_context *perf_ctx_pin_own(struct task_struct *task)
{
	return __perf_ctx_pin_own(task, false);
}

/**
 * perf_ctx_pin_last() - perf_ctx_pin_own() for a task that is to lose its context
 * @task: current, or a child that never ran
 *
 * The task's own may be off though the task runs, if it had another task's.
 *
 * Return: the context that it has then, or NULL.
 */
struct perf_event_context *perf_ctx_pin_last(struct task_struct *task)
{
	return __perf_ctx_pin_own(task, true);
}

/**
 * perf_ctx_swap_event_needs_task() - whether the context of an event stays with its task
 * @event: its PMU has taken it
 *
 * Those whose counts are told task by task, and those whose source, reader or signal
 * goes by the task, or keeps something for each.
 *
 * Return: true if so, whatever else there is in the context.
 */
bool perf_ctx_swap_event_needs_task(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || (attr->sample_type & PERF_SAMPLE_READ))
		return true;
	if (attr->sigtrap || attr->aux_output || attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	/* a program of the task writes to it */
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT)
		return true;
	if (perf_event_is_traced(event) && perf_event_has_uprobe(event))
		return true;
	/* the rest is what drivers have */
	if (perf_event_is_nosched(event))
		return false;
	if (event->attach_state & (PERF_ATTACH_SCHED_CB | PERF_ATTACH_ITRACE))
		return true;
	if (event->pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return true;
	return event->pmu->setup_aux || event->addr_filter_ranges;
}

/**
 * perf_ctx_swap_event_pins() - a context must stay with its task while it has an event
 * @event: that is in it; its context is at home, ctx->lock is held
 */
void perf_ctx_swap_event_pins(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_PINS_CTX)
		return;
	event->attach_state |= PERF_ATTACH_PINS_CTX;
	event->ctx->pin_count++;
}

/**
 * __perf_ctx_swap_event_enters() - an event comes into its context that may look at its task
 * @event: the event; ctx->lock is held
 */
void __perf_ctx_swap_event_enters(struct perf_event *event)
{
	if (perf_ctx_swap_event_needs_task(event))
		perf_ctx_swap_event_pins(event);
}

/**
 * perf_ctx_swap_begin_copy() - a context is about to be copied
 * @from: the context; its mutex is held
 *
 * Return: for perf_ctx_swap_end_copy().
 */
unsigned int perf_ctx_swap_begin_copy(struct perf_event_context *from)
{
	guard(raw_spinlock_irqsave)(&from->lock);
	return from->changes;
}

/* The lock of @from is held. @new is its family if it has none. */
static void perf_ctx_swap_join(struct perf_event_context *from, struct perf_event_context *to,
			       struct perf_ctx_family **new)
{
	if (!from->generation && *new) {
		swap(from->family, *new);
		WRITE_ONCE(from->generation, from->family->generation);
	}
	if (!from->generation)
		return;
	refcount_inc(&from->family->refcount);
	/* an operation takes from->lock before it comes to @to */
	to->family = from->family;
	to->generation = from->generation;
}

/**
 * perf_ctx_swap_end_copy() - a context has been copied
 * @from: the original; the mutexes of both are held
 * @to: the copy, never on so far
 * @changes: from perf_ctx_swap_begin_copy()
 *
 * Both are of one family if all events were copied, and none was changed meanwhile: what
 * changes a copy has changed the original before. Without memory they are not.
 */
void perf_ctx_swap_end_copy(struct perf_event_context *from,
			    struct perf_event_context *to, unsigned int changes)
{
	struct perf_ctx_family *new = NULL;

	lockdep_assert_held(&from->mutex);

	if (from->nr_events != to->nr_events)
		return;
	if (!READ_ONCE(from->generation))
		new = perf_ctx_family_alloc();
	scoped_guard(raw_spinlock_irqsave, &from->lock) {
		if (from->changes == changes)
			perf_ctx_swap_join(from, to, &new);
	}
	/* it has not been needed, or is the one that @from was of before */
	perf_ctx_family_put(new);
}

/**
 * perf_ctx_swap_begin_operation() - an event and its children are about to be changed alike
 * @event: the event, which was opened; the mutex of its context is held
 *
 * Those that are enabled or disabled until perf_ctx_swap_end_operation() stay clones.
 */
void perf_ctx_swap_begin_operation(struct perf_event *event)
{
	struct perf_event_context *ctx = event->ctx;

	lockdep_assert_held(&ctx->mutex);

	atomic64_set(&ctx->operation, atomic64_inc_return(&perf_ctx_swap_last_operation));
	/* pairs with perf_ctx_swap_operation() */
	smp_store_release(&ctx->operated, event);
}

/* The number of the operation on an event, or 0. */
static u64 perf_ctx_swap_operation(struct perf_event *event)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);

	/* pairs with perf_ctx_swap_begin_operation() */
	return smp_load_acquire(&ctx->operated) == event ? atomic64_read(&ctx->operation) : 0;
}

/**
 * perf_ctx_swap_advance() - an event has been enabled or disabled
 * @event: the event, whose context has a generation; ctx->lock is held
 *
 * An operation takes each member of a family from the same generation to the next. Two
 * at a time, on events opened for different tasks, may reach members in different orders;
 * those that they do not reach in the order that the family has seen are out.
 *
 * A number may be of an operation that has just begun on another event of the same
 * context. Together with the id of the event it stands for the same change anyway.
 */
void perf_ctx_swap_advance(struct perf_event *event)
{
	struct perf_event *root = perf_event_root(event);
	u64 operation = perf_ctx_swap_operation(root);
	struct perf_event_context *ctx = event->ctx;
	struct perf_ctx_family *family = ctx->family;
	u64 generation = 0;

	/* without one it is this event alone */
	if (operation) {
		guard(raw_spinlock)(&family->lock);
		if (family->operation != operation || family->event_id != root->id) {
			family->operation = operation;
			family->event_id = root->id;
			family->previous = family->generation;
			family->generation =
				atomic64_inc_return(&perf_ctx_swap_last_generation);
		}
		if (ctx->generation == family->previous)
			generation = family->generation;
	}
	WRITE_ONCE(ctx->generation, generation);
}

static bool perf_ctx_swap_are_equal(const struct perf_event_context *a,
				    const struct perf_event_context *b)
{
	u64 generation = READ_ONCE(a->generation);

	return generation && generation == READ_ONCE(b->generation);
}

/* Both are locked. They may have been given to others since they were found. */
static bool perf_ctx_can_swap(const struct perf_event_context *on,
			      const struct task_struct *prev,
			      const struct perf_event_context *off,
			      const struct task_struct *next)
{
	return on->task == prev && off->task == next &&
	       perf_ctx_swap_are_equal(on, off) && !on->pin_count && !off->pin_count &&
	       on->cpu == smp_processor_id() && off->cpu < 0;
}

/**
 * perf_ctx_swap() - let the context that is on stay on for the next task
 * @prev: current, whose context is on here
 * @next: the task that will run
 *
 * Context: the context switch, under the rq lock, irqs off.
 * Return: false when the contexts have to be switched.
 */
bool perf_ctx_swap(struct task_struct *prev, struct task_struct *next)
{
	struct perf_event_context *on = READ_ONCE(prev->perf_event_ctxp);
	struct perf_event_context *off = READ_ONCE(next->perf_event_ctxp);
	bool possible;

	if (likely(!on || !off || !perf_ctx_swap_are_equal(on, off)))
		return false;

	perf_ctx_swap_lock_pair(on, off);
	possible = perf_ctx_can_swap(on, prev, off, next);
	if (possible)
		perf_ctx_swap_pointers(on, off);
	perf_ctx_swap_unlock_pair(on, off);
	return possible;
}
