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
		guard(raw_spinlock_irqsave)(&cpuctx->ctx.lock);
		WRITE_ONCE(cpuctx->ctx.cpu, cpu);
		perf_subctx_sched_in(&cpuctx->ctx.own, perf_time());
	}
	perf_pmu_scope_online(cpu);
	return 0;
}

static void perf_cpu_off_locked(struct perf_event_context *ctx, void *arg)
{
	perf_subctx_sched_out(&ctx->own, perf_time());
	WRITE_ONCE(ctx->cpu, -1);
}

/**
 * perf_event_exit_cpu() - a CPU is going down
 * @cpu: the CPU
 *
 * Hotplug calls this twice: while the CPU still runs, and when it is dead. It is also called
 * for each online CPU at reboot.
 *
 * Return: 0.
 */
int perf_event_exit_cpu(unsigned int cpu)
{
	struct perf_cpu_context *cpuctx = &per_cpu(perf_cpu_context, cpu);
	struct perf_event_context *ctx = &cpuctx->ctx;
	struct perf_event *event;

	perf_pmu_scope_offline(cpu);

	if (!cpu_online(cpu)) {
		perf_pmu_cpu_gone(cpu);
		perf_clock_timer_cpu_gone(cpuctx);
	}

	guard(mutex)(&ctx->mutex);
	if (!cpuctx->online)
		return 0;
	WRITE_ONCE(cpuctx->online, false);
	while (!list_empty(&ctx->event_list)) {
		event = list_last_entry(&ctx->event_list, struct perf_event,
					event_entry);
		perf_ctx_remove(event, PERF_EVENT_STATE_OFF, true);
		cond_resched();
	}
	perf_ctx_call(ctx, perf_cpu_off_locked, NULL);
	return 0;
}
