/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clones: contexts that count the same, exchanged between tasks at a switch.
 *
 * Each event of an inherited context has a parent, whose count includes those of all its
 * copies. Which task a copy belongs to does not show. So when the CPU switches
 * between two tasks whose contexts hold copies of the same events in the same
 * states, the context that is on can stay on, and the tasks exchange them.
 *
 * A context and its complete copies are a family, an object that each of them
 * references. A family has a generation: an operation that enables or disables an event
 * and its children takes each member from one generation to the next. Whatever else
 * changes a context takes its generation away. A generation's number is used for no other
 * one, of any family. So two contexts with the same generation are of the same family, and
 * equal at any time, also while an operation makes its way through the copies. This decides
 * which task an event samples: numbers are compared that are never used twice, not hashes.
 *
 * The context in which a task's events were opened is the task's own, and is at home with
 * that task. It is exchanged like the copies. What the events themselves count then belongs
 * to another task, whose copies count for this one, and reading an event returns the sum.
 * The context must be at home when events are opened for the task or copied from it, and
 * when the task execs or exits, or the task that has the context instead:
 * perf_ctx_pin_own() brings it home.
 *
 * A context is pinned to its task, and not exchanged, while it matters which task it belongs
 * to: if it has events that depend on the task, or whose counters the task reads without
 * a system call, and while the context is changed, copied, or brought home.
 *
 * Locking rules: family, generation, pin_count and away are under ctx->lock, and so is
 * ctx->task, with the task's perf_event_ctxp. An exchange holds the locks of both
 * contexts, that at the lower address first, and has irqs off on the CPU that switches:
 * the pointer of current does not change while irqs are off, that of a pinned context only
 * when it is brought home. Bringing home takes a mutex of the family, inside
 * task->perf_event_mutex, ctx->mutex and mmap_lock. Both contexts are off for it: that of
 * current, with irqs off here, and those of tasks that run elsewhere, while their CPUs
 * are stopped. Only tasks of the family wait for that, and those that open events for it.
 * Without the mutex a task may take its own context back, while neither context is pinned and
 * both are off: with the mutex held one of them is pinned first.
 *
 * Lifetime rules: a context keeps its family until it is freed, or founds another one
 * when it is copied, generation or none. It is at home then. A family has one context
 * that can be away, its founder, since no other one has opened events and still a
 * generation; what is away and what its home task has instead are of one family.
 */
#ifndef _KERNEL_EVENTS_CTX_SWAP_H
#define _KERNEL_EVENTS_CTX_SWAP_H

#include "../base/contexts.h"
#include "../base/event.h"

struct perf_event_context *perf_ctx_pin_own(struct task_struct *task);
struct perf_event_context *perf_ctx_pin_last(struct task_struct *task);
void perf_ctx_unpin(struct perf_event_context *ctx);
void __perf_ctx_swap_event_enters(struct perf_event *event);
bool perf_ctx_swap_event_needs_task(struct perf_event *event);
void perf_ctx_swap_event_pins(struct perf_event *event);

unsigned int perf_ctx_swap_begin_copy(struct perf_event_context *from);
void perf_ctx_swap_end_copy(struct perf_event_context *from,
			    struct perf_event_context *to, unsigned int changes);
void perf_ctx_swap_begin_operation(struct perf_event *event);
void perf_ctx_swap_advance(struct perf_event *event);
void perf_ctx_family_put(struct perf_ctx_family *family);
struct perf_event_context *perf_ctx_swap_beside(const struct perf_event_context *mine);
bool perf_ctx_swap(struct task_struct *prev, struct task_struct *next);

/* An event comes into its context. Of a plain one it is known that it looks at no task. */
static __always_inline void perf_ctx_swap_event_enters(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!event->parent)
		event->ctx->home_task = event->ctx->task;
	if (!perf_event_is_plain(event))
		__perf_ctx_swap_event_enters(event);
}

/* An event leaves its context. */
static inline void perf_ctx_swap_event_leaves(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	if (!(event->attach_state & PERF_ATTACH_PINS_CTX))
		return;
	event->attach_state &= ~PERF_ATTACH_PINS_CTX;
	event->ctx->pin_count--;
}

/* The operation is over. */
static inline void perf_ctx_swap_end_operation(struct perf_event *event)
{
	WRITE_ONCE(event->ctx->operated, NULL);
}

/* An event has been enabled or disabled; in an operation, its clones are as well. */
static inline void perf_ctx_swap_toggled(struct perf_event *event)
{
	lockdep_assert_held(&event->ctx->lock);
	event->ctx->changes++;
	if (event->ctx->generation)
		perf_ctx_swap_advance(event);
}

#endif /* _KERNEL_EVENTS_CTX_SWAP_H */
