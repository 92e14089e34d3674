// SPDX-License-Identifier: GPL-2.0
/*
 * Clones: contexts that count the same, exchanged between tasks at a switch.
 *
 * What that means, and its rules, are in clones.h. Owns the shapes; who copies
 * contexts is inherit.c, who switches them on and off context.c. Exchanges run
 * in the context switch, the rest in task context.
 */
#include <linux/sched.h>
#include <linux/siphash.h>

#include "clones.h"
#include "event.h"
#include "tracepoint.h"

/* 0 is the shape of a context that is like no other */
static atomic64_t perf_clones_last_shape;

static const siphash_key_t perf_clones_key;

/**
 * perf_clones_tie_task - a task's context, to stay with the task for good
 * @task: its perf_event_mutex is held
 *
 * Return: the context, referenced, or NULL when the task has none.
 */
struct perf_event_context *perf_clones_tie_task(struct task_struct *task)
{
	struct perf_event_context *ctx;

	lockdep_assert_held(&task->perf_event_mutex);

	guard(rcu)();
	while ((ctx = READ_ONCE(task->perf_event_ctxp))) {
		guard(raw_spinlock_irqsave)(&ctx->lock);
		/* else it has been exchanged meanwhile */
		if (ctx->task == task) {
			ctx->tied++;
			perf_ctx_get(ctx);
			break;
		}
	}
	return ctx;
}

/**
 * perf_clones_tie_current - current's context, to stay with it until untied
 *
 * Context: task.
 * Return: the context, which current keeps alive, or NULL.
 */
struct perf_event_context *perf_clones_tie_current(void)
{
	struct perf_event_context *ctx;

	if (likely(!READ_ONCE(current->perf_event_ctxp)))
		return NULL;

	guard(irq)();
	ctx = READ_ONCE(current->perf_event_ctxp);
	raw_spin_lock(&ctx->lock);
	ctx->tied++;
	raw_spin_unlock(&ctx->lock);
	return ctx;
}

/**
 * perf_clones_untie - undo perf_clones_tie_current()
 * @ctx: what that returned
 */
void perf_clones_untie(struct perf_event_context *ctx)
{
	guard(raw_spinlock_irqsave)(&ctx->lock);
	ctx->tied--;
}

/**
 * perf_clones_event_ties - whether an event cannot do without its task
 * @event: about to be installed
 *
 * Those that were opened are read, joined and closed by way of their task. Of the
 * inherited ones, those whose counts are told task by task, and those whose source
 * or signal goes by hw.target or keeps something for each task.
 *
 * Return: true when its context must stay with the task.
 */
bool perf_clones_event_ties(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!event->parent)
		return true;
	if (attr->inherit_stat || (attr->sample_type & PERF_SAMPLE_READ))
		return true;
	if (attr->sigtrap || attr->aux_output || attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	if (event->attach_state & (PERF_ATTACH_TASK_DATA | PERF_ATTACH_SCHED_CB |
				   PERF_ATTACH_ITRACE))
		return true;
	if (event->pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return true;
	return event->addr_filter_ranges || perf_event_has_uprobe(event);
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
 * perf_clones_toggled - an event has been enabled or disabled
 * @event: the event; ctx->lock is held
 * @enabled: which of it
 */
void perf_clones_toggled(struct perf_event *event, bool enabled)
{
	struct perf_event_context *ctx = event->ctx;
	u64 part;

	lockdep_assert_held(&ctx->lock);

	ctx->changes++;
	if (!ctx->shape)
		return;
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

static bool perf_clones_can_exchange(const struct perf_event_context *on,
				     const struct perf_event_context *off)
{
	return perf_clones_are_equal(on, off) && !on->tied && !off->tied &&
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

	raw_spin_lock(&on->lock);
	raw_spin_lock_nested(&off->lock, SINGLE_DEPTH_NESTING);
	possible = perf_clones_can_exchange(on, off);
	if (possible) {
		WRITE_ONCE(on->task, next);
		WRITE_ONCE(off->task, prev);
		/* pairs with READ_ONCE() in perf_clones_tie_task() and elsewhere */
		rcu_assign_pointer(next->perf_event_ctxp, on);
		rcu_assign_pointer(prev->perf_event_ctxp, off);
	}
	raw_spin_unlock(&off->lock);
	raw_spin_unlock(&on->lock);
	return possible;
}
