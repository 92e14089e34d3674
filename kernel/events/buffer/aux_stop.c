// SPDX-License-Identifier: GPL-2.0
/*
 * Events that write to an AUX area are stopped, and started again.
 *
 * An event is stopped when it must not write to its AUX area any more: the area is unmapped, or
 * the event is given another buffer.
 *
 * Context: task, irqs on.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../output/aux_area.h"
#include "../output/ring_buffer.h"
#include "../sched/sched.h"
#include "../context/ctx_call.h"
#include "../context/state.h"
#include "aux_stop.h"

static void perf_aux_stop_one(struct perf_event *event)
{
	if (event->state == PERF_EVENT_STATE_ACTIVE &&
	    event->oncpu == smp_processor_id())
		event->pmu->stop(event, PERF_EF_UPDATE);
}

static void perf_aux_stop_locked(struct perf_event_context *ctx, void *arg)
{
	perf_aux_stop_one(arg);
}

static void perf_aux_stop_child(struct perf_event *event, void *parent)
{
	if (event->parent == parent)
		perf_aux_stop_one(event);
}

/* Child events of an event that is bound to a CPU write to the same buffer: stop them too. */
static void perf_aux_stop_here(void *arg)
{
	struct perf_cpu_context *cpuctx = this_perf_cpu();
	struct perf_event *event = arg;
	struct perf_subctx *subctx;

	perf_cpu_lock(cpuctx);
	perf_aux_stop_one(event);
	if (event->attr.inherit && cpuctx->task_ctx) {
		perf_ctx_for_each_subctx_on(subctx, cpuctx->task_ctx)
			perf_sched_for_each_active(subctx, perf_aux_stop_child, event);
	}
	perf_cpu_unlock(cpuctx);
}

/**
 * perf_aux_stop() - make an event end the transaction that it may have open
 * @event: an event that writes, or wrote, to the buffer; not inherited
 * @rb: the buffer; nothing is done if it has no AUX area
 *
 * The event, and its running child events, stay stopped until they are scheduled in again. To
 * keep an event from opening another transaction, the caller must clear its buffer first.
 *
 * Context: task, irqs on, may interrupt another CPU.
 */
void perf_aux_stop(struct perf_event *event, const struct perf_buffer *rb)
{
	struct perf_event_context *ctx = READ_ONCE(event->ctx);
	int cpu = READ_ONCE(event->cpu);

	if (!READ_ONCE(rb->aux) || !perf_event_has_aux(event) || !ctx)
		return;
	/* This fails if the CPU is offline: no event is active there. */
	if (cpu >= 0)
		smp_call_function_single(cpu, perf_aux_stop_here, event, 1);
	else
		perf_ctx_call(ctx, perf_aux_stop_locked, event);
}

/**
 * perf_aux_start() - start an event that can write to an AUX area from now on
 * @event: an event that is attached to the buffer
 *
 * Without an area the event could not be started, or it was stopped when the previous one went.
 *
 * Context: task, irqs on, may interrupt another CPU. Caller must hold rb->mutex.
 */
void perf_aux_start(struct perf_event *event)
{
	if (perf_event_has_aux(event))
		perf_event_restart(event);
}
