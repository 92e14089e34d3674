// SPDX-License-Identifier: GPL-2.0
/*
 * Data that a driver keeps for each task: one object of pmu::task_ctx_cache per context of a
 * task, as long as the context has an event of the PMU with PERF_ATTACH_TASK_DATA.
 *
 * The list of a context has an entry for each such PMU. Entries belong to the context, like the
 * events that they count. Objects belong to the task: when two tasks swap their contexts, the
 * contexts swap their objects.
 *
 * A driver uses the object on the CPU where the context is scheduled in, and not any more after
 * del() of the last of these events. So the object can be freed without a grace period when that
 * event has been removed.
 *
 * Locking: entries and their number of users change under ctx->mutex and ctx->lock. Objects are
 * swapped under the locks of both contexts. A walk needs the mutex or the lock.
 */
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "subctx.h"
#include "task_data.h"

/**
 * struct perf_task_data - a driver's data for the task of a context
 * @entry: on perf_event_context::task_data
 * @pmu_ctx: a pmu_ctx of the context and the PMU; valid as long as the context
 * @users: number of events of the context that have PERF_ATTACH_HAS_DATA and this PMU
 * @data: object of pmu::task_ctx_cache
 */
struct perf_task_data {
	struct hlist_node		entry;
	struct perf_event_pmu_context	*pmu_ctx;
	unsigned int			users;
	void				*data;
};

static struct perf_task_data *perf_task_data_find(const struct perf_event_context *ctx,
						  const struct pmu *pmu)
{
	struct perf_task_data *td;

	hlist_for_each_entry(td, &ctx->task_data, entry) {
		if (td->pmu_ctx->pmu == pmu)
			return td;
	}
	return NULL;
}

static struct perf_task_data *perf_task_data_alloc(struct perf_event_pmu_context *pmu_ctx)
{
	struct perf_task_data *td = kzalloc(sizeof(*td), GFP_KERNEL_ACCOUNT);

	if (!td)
		return NULL;
	td->pmu_ctx = pmu_ctx;
	td->data = kmem_cache_zalloc(pmu_ctx->pmu->task_ctx_cache, GFP_KERNEL_ACCOUNT);
	if (td->data)
		return td;
	kfree(td);
	return NULL;
}

/**
 * __perf_task_data_get() - provide the data of the task for an event
 * @ctx: the context of a task that @event is about to enter, pinned to the task or not visible
 *	yet
 * @event: the event, with its sub-context set
 *
 * Caller must hold ctx->mutex.
 *
 * Return: false if memory allocation failed.
 */
bool __perf_task_data_get(struct perf_event_context *ctx, struct perf_event *event)
{
	struct perf_task_data *td = perf_task_data_find(ctx, event->pmu);
	struct perf_event_pmu_context *pmu_ctx;

	lockdep_assert_held(&ctx->mutex);

	if (!td) {
		pmu_ctx = perf_subctx_pmu_ctx(event->subctx, event->pmu);
		td = pmu_ctx ? perf_task_data_alloc(pmu_ctx) : NULL;
		if (!td)
			return false;
	}
	guard(raw_spinlock_irq)(&ctx->lock);
	if (!td->users++)
		hlist_add_head(&td->entry, &ctx->task_data);
	event->attach_state |= PERF_ATTACH_HAS_DATA;
	return true;
}

/**
 * __perf_task_data_put() - undo __perf_task_data_get()
 * @ctx: the context
 * @event: the event, removed from the context, or never installed
 *
 * Caller must hold ctx->mutex.
 */
void __perf_task_data_put(struct perf_event_context *ctx, struct perf_event *event)
{
	struct perf_task_data *td = perf_task_data_find(ctx, event->pmu);

	lockdep_assert_held(&ctx->mutex);

	scoped_guard(raw_spinlock_irq, &ctx->lock) {
		event->attach_state &= ~PERF_ATTACH_HAS_DATA;
		if (--td->users)
			return;
		hlist_del(&td->entry);
	}
	kmem_cache_free(event->pmu->task_ctx_cache, td->data);
	kfree(td);
}

/*
 * For each PMU of @a, swap the object with @b's. Equal contexts have events of the same
 * PMUs. Contexts that are returned to their tasks may not be equal any more: an object without a
 * counterpart belonged to the other task, and its new task has no data yet.
 *
 * A context has at most one object for each PMU with a task_ctx_cache, and few PMUs have one.
 */
static void perf_task_data_swap_with(struct perf_event_context *a, struct perf_event_context *b,
				     bool swap_pairs)
{
	struct perf_task_data *mine, *other;
	struct pmu *pmu;

	hlist_for_each_entry(mine, &a->task_data, entry) {
		pmu = mine->pmu_ctx->pmu;
		other = perf_task_data_find(b, pmu);
		if (!other) {
			memset(mine->data, 0, kmem_cache_size(pmu->task_ctx_cache));
		} else if (swap_pairs) {
			swap(mine->data, other->data);
			if (pmu->swap_task_ctx)
				pmu->swap_task_ctx(mine->pmu_ctx, other->pmu_ctx);
		}
	}
}

/**
 * __perf_task_data_swap() - keep data with its task while two tasks swap their contexts
 * @a: a context
 * @b: the other context
 *
 * Caller must hold the locks of both contexts.
 */
void __perf_task_data_swap(struct perf_event_context *a, struct perf_event_context *b)
{
	lockdep_assert_held(&a->lock);
	lockdep_assert_held(&b->lock);

	perf_task_data_swap_with(a, b, true);
	perf_task_data_swap_with(b, a, false);
}

static void *perf_task_data_of(const struct perf_event_context *ctx, const struct pmu *pmu)
{
	struct perf_task_data *td;

	lockdep_assert_held(&ctx->lock);

	td = perf_task_data_find(ctx, pmu);
	return td ? td->data : NULL;
}

/**
 * perf_event_task_data() - get the driver's data for the task of an event
 * @event: the event
 *
 * Context: in the operations of the PMU that are called with the context lock held: add(), del(),
 * add_batch(), del_batch().
 * Return: the object of pmu::task_ctx_cache, or NULL if the context is not a task's, or has no
 * event of the PMU with PERF_ATTACH_TASK_DATA. It is valid until del() of the last such event of
 * the context, or until the next call of pmu::sched_task().
 */
void *perf_event_task_data(struct perf_event *event)
{
	return perf_task_data_of(event->ctx, event->pmu);
}

/**
 * perf_pmu_ctx_task_data() - get the driver's data for the task of a pmu_ctx
 * @pmu_ctx: the argument of pmu::sched_task() or pmu::swap_task_ctx()
 *
 * Context: in pmu::sched_task() or pmu::swap_task_ctx().
 * Return: as perf_event_task_data().
 */
void *perf_pmu_ctx_task_data(struct perf_event_pmu_context *pmu_ctx)
{
	return perf_task_data_of(pmu_ctx->ctx, pmu_ctx->pmu);
}
