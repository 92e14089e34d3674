// SPDX-License-Identifier: GPL-2.0
/*
 * The static key that lets the scheduler count migrations.
 *
 * A migration has two parts. perf_event_task_migrate() marks the task, under the key of
 * PERF_COUNT_SW_CPU_MIGRATIONS. perf_event_task_sched_in() counts and clears the mark when
 * the task runs, under perf_task_migration_key. A mark that is left behind would be counted by
 * an event that is opened much later, so this key has to be disabled after the other one:
 * the tasks marked last have about a second to run.
 *
 * A task that is runnable for longer without running keeps its mark. The next event that
 * counts it is then one too high.
 */
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "software.h"

/* The other key is disabled after HZ, see perf_swevent_keys. */
#define PERF_TASK_MIGRATION_DELAY	(2 * HZ)

DEFINE_STATIC_KEY_FALSE(perf_task_migration_key);

/* Not zero only while the key is enabled. */
static atomic_t perf_task_migration_events;

/* Protects the state of the key. */
static DEFINE_MUTEX(perf_task_migration_mutex);

static void perf_task_migration_key_disable(struct work_struct *work);
static DECLARE_DELAYED_WORK(perf_task_migration_work, perf_task_migration_key_disable);

static void perf_task_migration_key_disable(struct work_struct *work)
{
	guard(mutex)(&perf_task_migration_mutex);
	if (atomic_read(&perf_task_migration_events))
		return;
	/* On a busy system the work that disables the other key can be late. */
	if (perf_swevent_enabled(PERF_COUNT_SW_CPU_MIGRATIONS))
		mod_delayed_work(system_wq, &perf_task_migration_work, PERF_TASK_MIGRATION_DELAY);
	else
		static_branch_disable(&perf_task_migration_key);
}

/**
 * perf_task_migration_get() - let the scheduler count migrations
 *
 * Context: task, may sleep.
 */
void perf_task_migration_get(void)
{
	if (atomic_inc_not_zero(&perf_task_migration_events))
		return;

	guard(mutex)(&perf_task_migration_mutex);
	static_branch_enable(&perf_task_migration_key);
	atomic_inc(&perf_task_migration_events);
}

/**
 * perf_task_migration_put() - undo perf_task_migration_get()
 *
 * Caller must have dropped its hold of the key of PERF_COUNT_SW_CPU_MIGRATIONS.
 *
 * Context: any.
 */
void perf_task_migration_put(void)
{
	if (atomic_dec_and_test(&perf_task_migration_events))
		mod_delayed_work(system_wq, &perf_task_migration_work, PERF_TASK_MIGRATION_DELAY);
}

#ifdef CONFIG_PERF_EVENTS_KUNIT_TEST
/**
 * perf_task_migration_flush() - run the work that is due later at once; for tests
 *
 * Context: task, may sleep.
 */
void perf_task_migration_flush(void)
{
	flush_delayed_work(&perf_task_migration_work);
}
#endif
