// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of pmu::sched_task() at context switches.
 *
 * A PMU is called on a CPU while it has requested that there, from add() of an event until
 * del(). A switch visits only the PMUs with requests on its CPU. As long as no event exists that
 * can make a request, a static key keeps the check out of the switch.
 *
 * Context: Task for accounting, otherwise the CPU concerned, irqs off.
 */
#include <linux/jump_label_ratelimit.h>
#include <linux/percpu.h>

#include "../base/contexts.h"
#include "../base/event.h"
#include "cpu_pmu.h"
#include "sched_task.h"

/* Enabled while events with PERF_ATTACH_SCHED_TASK exist; disabled late, as perf_switch_key. */
DEFINE_STATIC_KEY_DEFERRED_FALSE(perf_sched_task_key, HZ);

/**
 * perf_sched_task_account() - prepare the context switch for requests of an event
 * @event: an opened event that its PMU has accepted
 *
 * Child events need no account of their own: the opened event outlives them, and is on a PMU
 * with the same operations.
 *
 * Context: Task, may sleep. Takes cpus_read_lock() if the event can make requests.
 */
void perf_sched_task_account(struct perf_event *event)
{
	if (!event->pmu->sched_task || event->parent)
		return;
	if (!has_branch_stack(event) &&
	    !(event->attach_state & (PERF_ATTACH_SCHED_CB | PERF_ATTACH_TASK_DATA)))
		return;
	event->attach_state |= PERF_ATTACH_SCHED_TASK;
	static_branch_inc(&perf_sched_task_key.key);
	perf_switch_key_inc();
}

/**
 * __perf_sched_task_unaccount() - undo perf_sched_task_account()
 * @event: the event, being freed
 */
void __perf_sched_task_unaccount(struct perf_event *event)
{
	event->attach_state &= ~PERF_ATTACH_SCHED_TASK;
	perf_switch_key_dec();
	static_branch_slow_dec_deferred(&perf_sched_task_key);
}

/**
 * perf_sched_cb_inc() - request sched_task() calls on this CPU
 * @pmu: the PMU, disabled
 *
 * Requests are counted. Each must be matched by a perf_sched_cb_dec() on the same CPU. The
 * event must also have a branch stack, PERF_ATTACH_SCHED_CB or PERF_ATTACH_TASK_DATA, without
 * which the context switch does not check for requests.
 *
 * Context: The PMU's add(), irqs off.
 */
void perf_sched_cb_inc(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = this_cpu_ptr(pmu->cpu_pmu_context);

	if (WARN_ON_ONCE(!pmu->sched_task))
		return;
	if (!cpc->sched_cb_usage++)
		list_add_tail(&cpc->sched_task_entry, &this_perf_cpu()->sched_task_pmus);
}

/**
 * perf_sched_cb_dec() - undo one perf_sched_cb_inc()
 * @pmu: the PMU, disabled
 *
 * Context: The PMU's del(), irqs off.
 */
void perf_sched_cb_dec(struct pmu *pmu)
{
	struct perf_cpu_pmu_context *cpc = this_cpu_ptr(pmu->cpu_pmu_context);

	if (WARN_ON_ONCE(!cpc->sched_cb_usage))
		return;
	if (!--cpc->sched_cb_usage)
		list_del(&cpc->sched_task_entry);
}

/* The pmu_ctx of a PMU in a context that is on here, or NULL. */
static struct perf_event_pmu_context *
perf_sched_task_find(struct perf_event_context *ctx, const struct pmu *pmu)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_subctx *subctx;

	perf_ctx_for_each_subctx_on(subctx, ctx) {
		list_for_each_entry(pmu_ctx, &subctx->pmu_ctx_list, subctx_entry) {
			if (pmu_ctx->pmu == pmu)
				return pmu_ctx;
		}
	}
	return NULL;
}

static struct perf_event_pmu_context *
perf_sched_task_pmu_ctx(struct perf_cpu_context *cpuctx, const struct pmu *pmu)
{
	struct perf_event_pmu_context *pmu_ctx = NULL;

	if (cpuctx->task_ctx)
		pmu_ctx = perf_sched_task_find(cpuctx->task_ctx, pmu);
	return pmu_ctx ?: perf_sched_task_find(&cpuctx->ctx, pmu);
}

/**
 * __perf_sched_task() - call sched_task() of the PMUs that have requested it on this CPU
 * @cpuctx: this CPU's context
 * @task: the task
 * @sched_in: the task begins to run, and its context is on; or it stops running, and its
 *	context is still on
 *
 * Context: Context switch, irqs off, no lock of a context held.
 */
void __perf_sched_task(struct perf_cpu_context *cpuctx, struct task_struct *task, bool sched_in)
{
	struct perf_event_pmu_context *pmu_ctx;
	struct perf_cpu_pmu_context *cpc;

	perf_cpu_lock(cpuctx);
	list_for_each_entry(cpc, &cpuctx->sched_task_pmus, sched_task_entry) {
		pmu_ctx = perf_sched_task_pmu_ctx(cpuctx, cpc->pmu);
		perf_pmu_disable(cpc->pmu);
		cpc->pmu->sched_task(pmu_ctx, task, sched_in);
		perf_pmu_enable(cpc->pmu);
	}
	perf_cpu_unlock(cpuctx);
}
