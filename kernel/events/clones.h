/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Clones: contexts that count the same, exchanged between tasks at a switch.
 *
 * Every event of an inherited context has a parent that adds up what its copies
 * count; which task a copy belongs to does not show. So when the CPU switches
 * between two tasks whose contexts hold copies of the same events in the same
 * states, the context that is on can stay on, and the tasks exchange them.
 *
 * A context's shape says what it counts. It is made up when the context is copied
 * for the first time, and a complete copy has it too. Enabling and disabling an
 * event changes it in the same way in each copy, and back; whatever else changes a
 * context takes it away. So two contexts of one shape are equal at any time, also
 * while a change of a parent makes its way through the copies.
 *
 * A context is tied to its task while anybody can tell whose it is: if it has
 * events that were opened, or such as look at their task, and while its task
 * copies it or execs.
 *
 * Locking rules: shape and tied are under ctx->lock, and so is ctx->task, with the
 * task's perf_event_ctxp. An exchange holds the locks of both contexts, first that
 * of the one that is on, and has irqs off on the CPU that switches: the pointer of
 * current does not change while irqs are off, that of a tied context at all.
 */
#ifndef _KERNEL_EVENTS_CLONES_H
#define _KERNEL_EVENTS_CLONES_H

#include "context.h"

struct perf_event_context *perf_clones_tie_task(struct task_struct *task);
struct perf_event_context *perf_clones_tie_current(void);
void perf_clones_untie(struct perf_event_context *ctx);
bool perf_clones_event_ties(struct perf_event *event);

unsigned int perf_clones_begin_copy(struct perf_event_context *from);
void perf_clones_end_copy(struct perf_event_context *from,
			  struct perf_event_context *to, unsigned int changes);
void perf_clones_toggled(struct perf_event *event, bool enabled);
bool perf_clones_exchange(struct task_struct *prev, struct task_struct *next);

/* The context has changed: it is like no other. */
static inline void perf_clones_changed(struct perf_event_context *ctx)
{
	lockdep_assert_held(&ctx->lock);
	ctx->changes++;
	WRITE_ONCE(ctx->shape, 0);
}

#endif /* _KERNEL_EVENTS_CLONES_H */
