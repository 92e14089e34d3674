// SPDX-License-Identifier: GPL-2.0
/*
 * Pins: events that keep a context with its task.
 *
 * ctx_swap.h describes the concept and its rules.
 */
#include "../base/contexts.h"
#include "../base/event.h"
#include "../software/traced.h"
#include "../software/tracepoint.h"
#include "ctx_pin.h"

/**
 * perf_event_needs_task() - whether an event pins its context to the task
 * @event: an event that its PMU has accepted
 *
 * An event pins its context if its counts are reported per task, or if its source, its reader
 * or its signal depends on the task. State that a driver keeps for each task does not pin the
 * context: see task_data.c.
 *
 * Return: true if the event pins its context.
 */
bool perf_event_needs_task(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->inherit_stat || (attr->sample_type & PERF_SAMPLE_READ))
		return true;
	if (attr->sigtrap || attr->aux_output || attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	/* a program of the task writes to it */
	if (perf_event_is_bpf_output(event))
		return true;
	if (perf_event_is_traced(event) && perf_event_has_uprobe(event))
		return true;
	/* the remaining conditions apply to events of drivers only */
	if (perf_event_is_nosched(event))
		return false;
	if (event->attach_state & PERF_ATTACH_ITRACE)
		return true;
	if (event->pmu->capabilities & (PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE))
		return true;
	return event->pmu->setup_aux || event->addr_filter_ranges;
}

/**
 * perf_ctx_pin_for_event() - pin a context to its task as long as it contains an event
 * @event: the event; its context is with its home task
 *
 * Caller must hold ctx->lock.
 */
void perf_ctx_pin_for_event(struct perf_event *event)
{
	if (event->attach_state & PERF_ATTACH_PINS_CTX)
		return;
	event->attach_state |= PERF_ATTACH_PINS_CTX;
	event->ctx->pin_count++;
}

/**
 * __perf_ctx_pin_enter() - an event that may depend on its task enters its context
 * @event: the event
 *
 * Caller must hold ctx->lock.
 */
void __perf_ctx_pin_enter(struct perf_event *event)
{
	if (perf_event_needs_task(event))
		perf_ctx_pin_for_event(event);
}
