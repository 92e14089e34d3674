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

#include "context.h"
#include "owner.h"
#include "state.h"

/**
 * perf_owner_add - current has opened an event
 * @event: the event
 */
void perf_owner_add(struct perf_event *event)
{
	guard(mutex)(&current->perf_event_mutex);
	/* pairs with perf_owner_remove() */
	smp_store_release(&event->owner, current);
	list_add_tail(&event->owner_entry, &current->perf_event_list);
}

/**
 * perf_owner_remove - an event is closed
 * @event: the event, by any task
 */
void perf_owner_remove(struct perf_event *event)
{
	struct task_struct *owner;

	scoped_guard(rcu) {
		/* pairs with perf_owner_add() and perf_owner_exit() */
		owner = smp_load_acquire(&event->owner);
		if (owner && !refcount_inc_not_zero(&owner->usage))
			owner = NULL;
	}
	if (!owner)
		return;

	scoped_guard(mutex, &owner->perf_event_mutex) {
		/* exiting meanwhile? */
		if (event->owner) {
			list_del_init(&event->owner_entry);
			event->owner = NULL;
		}
	}
	put_task_struct(owner);
}

/**
 * perf_owner_exit - a task exits; its events are nobody's, their files work on
 * @task: current
 */
void perf_owner_exit(struct task_struct *task)
{
	struct perf_event *event, *next;

	guard(mutex)(&task->perf_event_mutex);
	list_for_each_entry_safe(event, next, &task->perf_event_list, owner_entry) {
		list_del_init(&event->owner_entry);
		/* pairs with perf_owner_remove() */
		smp_store_release(&event->owner, NULL);
	}
}

static int perf_owner_for_each(perf_event_fn fn)
{
	struct perf_event *event, *holder = NULL;
	struct perf_event_context *ctx = NULL;

	guard(mutex)(&current->perf_event_mutex);
	list_for_each_entry(event, &current->perf_event_list, owner_entry) {
		/* most of them count the same task: keep its context locked */
		if (event->ctx != ctx) {
			if (ctx)
				perf_ctx_unlock_of_event(holder, ctx);
			ctx = perf_ctx_lock_of_event(event);
			holder = event;
		}
		perf_event_for_each_child(event, fn);
	}
	if (ctx)
		perf_ctx_unlock_of_event(holder, ctx);
	return 0;
}

/**
 * perf_event_task_enable - prctl(PR_TASK_PERF_EVENTS_ENABLE)
 *
 * Return: 0.
 */
int perf_event_task_enable(void)
{
	return perf_owner_for_each(perf_event_enable_one);
}

/**
 * perf_event_task_disable - prctl(PR_TASK_PERF_EVENTS_DISABLE)
 *
 * Return: 0.
 */
int perf_event_task_disable(void)
{
	return perf_owner_for_each(perf_event_disable_one);
}
