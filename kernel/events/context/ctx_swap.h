/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context swap: at a context switch, two tasks exchange contexts that count the same.
 *
 * Each event of an inherited context has a parent. The parent's count includes the counts of
 * all its child events, so it does not matter which task a child event belongs to. When the
 * CPU switches between two tasks whose contexts hold child events of the same parents in the
 * same states, the context that is on can stay on. The tasks swap contexts instead.
 *
 * A context and the contexts completely inherited from it form a family, an object that each
 * member references. A family has a generation. An operation that enables or disables an
 * event and its child events moves each member from one generation to the next. Any other
 * change of a context clears the context's generation. A generation number is never reused,
 * in any family. So two contexts with the same generation are of the same family, and they
 * are equal at any time, also while an operation is still reaching the members. The
 * comparison decides which task an event samples. Therefore unique numbers are compared, not
 * hashes.
 *
 * The context in which a task's events were opened is the task's own context; that task is
 * the context's home task. The own context is swapped like an inherited one. The opened
 * events then count for another task, while child events in that task's context count for
 * the home task. Reading an event returns the sum. A context is away while another task than
 * its home task has it. A context that is away must be returned before events are opened for
 * the home task or inherited from it, and before the home task, or the task that has the
 * context, execs or exits. perf_ctx_pin_own() returns the context.
 *
 * A context is pinned to its task, and not swapped, while it matters which task has it: while
 * it contains events that depend on the task or whose counters the task reads without a system
 * call, and while the context is changed, inherited from, or returned to its home task.
 *
 * Locking rules:
 *
 * ctx->lock protects family, generation, pin_count, away, ctx->task, and the task's
 * perf_event_ctxp. A swap holds the locks of both contexts, the one at the lower address
 * first, with irqs off on the CPU that switches. The pointer of current does not change while
 * irqs are off. The pointer to a pinned context changes only when a context is returned.
 *
 * Returning a context takes family->home_mutex, inside task->perf_event_mutex, ctx->mutex,
 * mmap_lock and rb->mutex. Both contexts must be off. The context of current is off because irqs
 * are off here; the contexts of tasks that run elsewhere are off while their CPUs are stopped.
 * Only tasks of the family, and callers that open events for them, wait for the mutex. A task may
 * take its own context back without the mutex while neither context is pinned and both are off: a
 * holder of the mutex pins one of them first.
 *
 * Lifetime rules:
 *
 * A context keeps its family until the context is freed, or until it founds another family
 * when a child context is made from it. The context is with its home task at that point. Only
 * the founder of a family can be away, because no other member has both opened events and a
 * generation. A context that is away and the context that its home task has instead are of
 * one family.
 */
#ifndef _KERNEL_EVENTS_CTX_SWAP_H
#define _KERNEL_EVENTS_CTX_SWAP_H

#include "../base/contexts.h"
#include "ctx_family.h"

struct perf_event_context *perf_ctx_pin_own(struct task_struct *task);
struct perf_event_context *perf_ctx_pin_last(struct task_struct *task);
void perf_ctx_unpin(struct perf_event_context *ctx);

struct perf_event_context *perf_ctx_swap_beside(const struct perf_event_context *mine);
bool __perf_ctx_swap(struct task_struct *prev, struct perf_event_context *on,
		     struct task_struct *next, struct perf_event_context *off);

/**
 * perf_ctx_swap() - keep the context that is on for the next task, if possible
 * @prev: current, whose context is on here
 * @next: the task that will run
 *
 * Context: irqs off, in a context switch, rq lock held.
 * Return: true if the contexts have been swapped, false when they have to be switched.
 */
static inline bool perf_ctx_swap(struct task_struct *prev, struct task_struct *next)
{
	struct perf_event_context *on = READ_ONCE(prev->perf_event_ctxp);
	struct perf_event_context *off = READ_ONCE(next->perf_event_ctxp);

	if (likely(!on || !off || !perf_ctx_family_equal(on, off)))
		return false;
	return __perf_ctx_swap(prev, on, next, off);
}

#endif /* _KERNEL_EVENTS_CTX_SWAP_H */
