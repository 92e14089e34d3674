// SPDX-License-Identifier: GPL-2.0
/*
 * CPU hotplug.
 *
 * A CPU can have events while it is online. When a CPU goes offline, its events are
 * removed from its context. They keep their counts and can be read and closed, but do
 * not count again when the CPU comes back online. Drivers that move their events to
 * another CPU do so earlier.
 */
#include <linux/hw_breakpoint.h>
#include <linux/reboot.h>

#include "../base/clock.h"
#include "../base/contexts.h"
#include "../software/clock_queue.h"
#include "../context/ctx_call.h"
#include "../context/install.h"
#include "../context/subctx_sched.h"
#include "pmu.h"

/**
 * perf_event_init_cpu() - a CPU is coming up
 * @cpu: the CPU
 *
 * Hotplug calls this twice, first on another CPU. The context can be scheduled in
 * only on the CPU itself. No cross-call reaches the CPU before.
 *
 * Return: 0.
 */
int perf_event_init_cpu(unsigned int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	if (cpu != raw_smp_processor_id())
		return 0;

	scoped_guard(mutex, &cpuctx->ctx.mutex) {
		if (cpuctx->online)
			return 0;
		WRITE_ONCE(cpuctx->online, true);
		cpuctx->online_since = perf_pmu_next_moment();
		guard(raw_spinlock_irqsave)(&cpuctx->ctx.lock);
		WRITE_ONCE(cpuctx->ctx.cpu, cpu);
		/* it has no groups yet */
		perf_subctx_sched_in(&cpuctx->ctx.own, perf_time());
	}
	perf_pmu_scope_online(cpu);
	return 0;
}

/* Let no event be installed on the CPU from now on. */
static void perf_cpu_close(struct perf_cpu_context *cpuctx)
{
	guard(mutex)(&cpuctx->ctx.mutex);
	WRITE_ONCE(cpuctx->online, false);
}

static void perf_cpu_off_locked(struct perf_event_context *ctx, void *arg)
{
	perf_subctx_sched_out(&ctx->own, perf_time());
	WRITE_ONCE(ctx->cpu, -1);
}

static void perf_cpu_remove_events(struct perf_event_context *ctx)
{
	struct perf_event *event;

	guard(mutex)(&ctx->mutex);
	while (!list_empty(&ctx->event_list)) {
		event = list_last_entry(&ctx->event_list, struct perf_event,
					event_entry);
		perf_ctx_remove(event, PERF_EVENT_STATE_OFF, true);
		cond_resched();
	}
	/* it is off already at the second call of hotplug, or after the call of a reboot */
	if (ctx->cpu >= 0)
		perf_ctx_call(ctx, perf_cpu_off_locked, NULL);
}

/**
 * perf_event_exit_cpu() - a CPU is going down
 * @cpu: the CPU
 *
 * Hotplug calls this twice: while the CPU still runs, and when it is dead. A reboot may do the
 * same at that time, see perf_cpu_shut_down(). So each call does all of it: none returns before the
 * context is off.
 *
 * Opening an event fails before the events of shared PMUs move. An event that was opened between
 * that and the removal of the others would be left behind.
 *
 * Return: 0.
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	perf_cpu_close(cpuctx);
	perf_pmu_scope_offline(cpu);

	if (!cpu_online(cpu)) {
		perf_pmu_cpu_gone(cpu);
		perf_clock_timer_cpu_gone(cpuctx);
	}
	perf_cpu_remove_events(&cpuctx->ctx);
	return 0;
}

/**
 * perf_cpu_shut_down() - a CPU is going to execute nothing more, because the machine reboots
 * @cpu: the CPU
 *
 * Its events end. Events of shared PMUs do not move: all CPUs are shut down, one after the other.
 *
 * Context: task, may sleep. CPUs may go offline meanwhile.
 */
void perf_cpu_shut_down(int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);

	perf_cpu_close(cpuctx);
	perf_cpu_remove_events(&cpuctx->ctx);
}
