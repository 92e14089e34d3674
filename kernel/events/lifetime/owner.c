// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: the events that a task opened, wherever they count, and the prctl()
 * that turns all of them on or off.
 *
 * owner->perf_event_list is under owner->perf_event_mutex, which is outside
 * ctx->mutex. The exit of the owner clears event->owner under that mutex, a
 * grace period before the task can be freed. Task context.
 */
#include <linux/sched/task.h>

#include "../base/contexts.h"
#include "../sched/sched.h"
#include "../context/context.h"
#include "../context/state.h"
#include "owner.h"

/**
 * perf_owner_add() - current has opened an event
 * @event: the event
 */
void perf_owner_add(struct perf_event *event)
{
	guard(mutex)(&current->perf_event_mutex);
	/* pairs with perf_owner_remove() */
	smp_store_release(&event->owner, current);
	list_add_tail(&event->owner_entry, &current->perf_event_list);
}

/* Its owner, referenced unless it is current, or NULL. */
static struct task_struct *perf_owner_get(struct perf_event *event)
{
	struct task_struct *owner;

	/* current does not exit meanwhile */
	if (likely(READ_ONCE(event->owner) == current))
		return current;

	guard(rcu)();
	/* pairs with perf_owner_add() and perf_owner_exit() */
	owner = smp_load_acquire(&event->owner);
	return owner && refcount_inc_not_zero(&owner->usage) ? owner : NULL;
}

/**
 * perf_owner_remove() - an event is closed
 * @event: the event, by any task
 */
void perf_owner_remove(struct perf_event *event)
{
	struct task_struct *owner;

	owner = perf_owner_get(event);
	if (!owner)
		return;

	scoped_guard(mutex, &owner->perf_event_mutex) {
		/* exiting meanwhile? */
		if (event->owner) {
			list_del_init(&event->owner_entry);
			event->owner = NULL;
		}
	}
	if (owner != current)
		put_task_struct(owner);
}

/**
 * perf_owner_exit() - a task exits; its events lose their owner, their files stay usable
 * @task: current
 */
void perf_owner_exit(struct task_struct *task)
{
	struct perf_event *event, *next;

	/* others only take events off, and do not look at the list after the last */
	if (list_empty(&task->perf_event_list))
		return;
	guard(mutex)(&task->perf_event_mutex);
	list_for_each_entry_safe(event, next, &task->perf_event_list, owner_entry) {
		list_del_init(&event->owner_entry);
		/* pairs with perf_owner_remove() */
		smp_store_release(&event->owner, NULL);
	}
}

/* What is toggled under one lock, with irqs off. */
#define PERF_OWNER_BATCH	32

/**
 * struct perf_owner_toggle - on the way through the events of an owner
 * @list: its events
 * @event: the next one
 * @enable: or disable
 */
struct perf_owner_toggle {
	struct list_head	*list;
	struct perf_event	*event;
	bool			enable;
};

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

/* Some events of one context, or one and what is inherited from it. */
static void perf_owner_toggle_some(struct perf_owner_toggle *toggle)
{
	struct perf_event *event = toggle->event;

	if (!event->attr.inherit) {
		perf_ctx_call(event->ctx, perf_owner_toggle_locked, toggle);
		return;
	}
	perf_event_with_children(event, toggle->enable ? perf_event_enable_one
							: perf_event_disable_one);
	toggle->event = list_next_entry(event, owner_entry);
}

static int perf_owner_toggle(bool enable)
{
	struct perf_event_context *ctx = NULL;
	struct perf_owner_toggle toggle = {
		.list	= &current->perf_event_list,
		.enable	= enable,
	};

	guard(mutex)(&current->perf_event_mutex);
	toggle.event = list_first_entry(toggle.list, struct perf_event, owner_entry);
	while (!list_entry_is_head(toggle.event, toggle.list, owner_entry)) {
		/* most of them count the same task: keep its context locked */
		if (toggle.event->ctx != ctx) {
			if (ctx)
				mutex_unlock(&ctx->mutex);
			ctx = perf_ctx_lock_of_event(toggle.event);
		}
		perf_owner_toggle_some(&toggle);
	}
	if (ctx)
		mutex_unlock(&ctx->mutex);
	return 0;
}

/**
 * perf_event_task_enable() - prctl(PR_TASK_PERF_EVENTS_ENABLE)
 *
 * Return: 0.
 */
int perf_event_task_enable(void)
{
	return perf_owner_toggle(true);
}

/**
 * perf_event_task_disable() - prctl(PR_TASK_PERF_EVENTS_DISABLE)
 *
 * Return: 0.
 */
int perf_event_task_disable(void)
{
	return perf_owner_toggle(false);
}
