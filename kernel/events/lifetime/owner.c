// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the task that opened an event, and the prctl(2) that enables or disables all events
 * of their owner. An owner's events may count other tasks, or CPUs.
 *
 * Locking: owner->perf_event_mutex protects owner->perf_event_list. Lock order:
 * perf_event_mutex, then ctx->mutex. When the owner exits, event->owner is cleared under
 * perf_event_mutex. The task is freed a grace period later at the earliest. Task context.
 */
#include <linux/sched/task.h>

#include "../base/contexts.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "../context/ctx_call.h"
#include "../context/state.h"
#include "owner.h"

/**
 * perf_owner_add() - make current the owner of an event
 * @event: the event that current has opened
 *
 * Context: task, may sleep.
 */
void perf_owner_add(struct perf_event *event)
{
	guard(mutex)(&current->perf_event_mutex);
	/* pairs with perf_owner_remove() */
	smp_store_release(&event->owner, current);
	list_add_tail(&event->owner_entry, &current->perf_event_list);
}

/**
 * perf_owner_remove() - take an event that is closed off its owner's list
 * @event: the event; current need not be its owner
 *
 * Context: task, may sleep. Caller must not hold the mutex of a context.
 */
void perf_owner_remove(struct perf_event *event)
{
	struct task_struct *owner = READ_ONCE(event->owner);

	/* current cannot exit meanwhile; any other owner is referenced unless it has exited */
	if (unlikely(owner != current)) {
		guard(rcu)();
		/* pairs with perf_owner_add() and perf_owner_exit() */
		owner = smp_load_acquire(&event->owner);
		if (!owner || !refcount_inc_not_zero(&owner->usage))
			return;
	}
	scoped_guard(mutex, &owner->perf_event_mutex) {
		/* NULL if the owner has exited before the mutex was taken */
		if (event->owner) {
			list_del_init(&event->owner_entry);
			event->owner = NULL;
		}
	}
	if (owner != current)
		put_task_struct(owner);
}

/**
 * perf_owner_exit() - leave the events of a task without an owner
 * @task: current, which exits
 *
 * The files of the events stay usable.
 *
 * Context: task, may sleep. Caller must not hold the mutex of a context.
 */
void perf_owner_exit(struct task_struct *task)
{
	struct perf_event *event, *next;

	/*
	 * Only current adds to its list. Other tasks only remove events, and do not access the
	 * list any more after they have removed the last one.
	 */
	if (list_empty(&task->perf_event_list))
		return;
	guard(mutex)(&task->perf_event_mutex);
	list_for_each_entry_safe(event, next, &task->perf_event_list, owner_entry) {
		list_del_init(&event->owner_entry);
		/* pairs with perf_owner_remove() */
		smp_store_release(&event->owner, NULL);
		cond_resched();
	}
}

/* number of events that are toggled during one hold of ctx->lock */
#define PERF_OWNER_BATCH	32

/**
 * struct perf_owner_toggle - progress of enabling or disabling the events of an owner
 * @list: the owner's events
 * @event: the next event; the head of @list at the end
 * @enable: true to enable, false to disable
 */
struct perf_owner_toggle {
	struct list_head	*list;
	struct perf_event	*event;
	bool			enable;
};

/* Toggle up to PERF_OWNER_BATCH events of one context that are not inherited. */
static void perf_owner_toggle_locked(struct perf_event_context *ctx, void *arg)
{
	struct perf_owner_toggle *toggle = arg;
	struct perf_event *event = toggle->event;
	u64 now = perf_ctx_now(ctx);
	int left = PERF_OWNER_BATCH;

	list_for_each_entry_from(event, toggle->list, owner_entry) {
		if (event->ctx != ctx || event->attr.inherit || !left--)
			break;
		if (toggle->enable)
			__perf_event_enable(event, now);
		else
			__perf_event_disable(event, now, PERF_EVENT_STATE_OFF);
	}
	if (!toggle->enable)
		perf_sched_fill_waiting(ctx);
	toggle->event = event;
}

static int perf_owner_toggle(bool enable)
{
	struct perf_event_context *ctx = NULL;
	struct perf_event *event;
	struct perf_owner_toggle toggle = {
		.list	= &current->perf_event_list,
		.enable	= enable,
	};

	guard(mutex)(&current->perf_event_mutex);
	toggle.event = list_first_entry(toggle.list, struct perf_event, owner_entry);
	while (!list_entry_is_head(toggle.event, toggle.list, owner_entry)) {
		cond_resched();
		event = toggle.event;
		/* most events of an owner are of one context: it stays locked for the next event */
		if (event->ctx != ctx) {
			if (ctx)
				mutex_unlock(&ctx->mutex);
			ctx = perf_ctx_lock_of_event(event);
		}
		if (!event->attr.inherit) {
			perf_ctx_call(ctx, perf_owner_toggle_locked, &toggle);
			continue;
		}
		perf_event_with_children(event, enable ? perf_event_enable_one :
							 perf_event_disable_one);
		toggle.event = list_next_entry(event, owner_entry);
	}
	if (ctx)
		mutex_unlock(&ctx->mutex);
	return 0;
}

/**
 * perf_event_task_enable() - prctl(PR_TASK_PERF_EVENTS_ENABLE): enable what current opened
 *
 * Return: 0.
 */
int perf_event_task_enable(void)
{
	return perf_owner_toggle(true);
}

/**
 * perf_event_task_disable() - prctl(PR_TASK_PERF_EVENTS_DISABLE): disable what current opened
 *
 * Return: 0.
 */
int perf_event_task_disable(void)
{
	return perf_owner_toggle(false);
}
