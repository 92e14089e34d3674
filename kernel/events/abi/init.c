// SPDX-License-Identifier: GPL-2.0
/*
 * Initialisation of the subsystem at boot, and stopping all PMUs at reboot.
 */
#include <linux/hw_breakpoint.h>
#include <linux/reboot.h>

#include "../base/contexts.h"
#include "../base/refusal.h"
#include "../output/wake.h"
#include "../software/software.h"
#include "../software/tracepoint.h"
#include "../context/context.h"
#include "../pmu/pmu.h"
#include "../lifetime/event.h"

/* Stop all PMUs: a kernel started by kexec expects them to be idle. */
static int perf_event_reboot(struct notifier_block *nb, unsigned long action,
			     void *data)
{
	int cpu;

	for_each_online_cpu(cpu)
		perf_cpu_shut_down(cpu);
	return NOTIFY_OK;
}

/* last, so that other notifiers can still release their events */
static struct notifier_block perf_event_reboot_notifier = {
	.notifier_call	= perf_event_reboot,
	.priority	= INT_MIN,
};

/**
 * perf_event_init() - initialise the subsystem
 *
 * Context: boot, irqs off, one CPU. Slab and timekeeping are initialised.
 */
void __init perf_event_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		perf_ctx_init_cpu(&per_cpu(perf_cpu_context, cpu), cpu);
	perf_wake_boot();
	perf_refusal_init();
	perf_event_alloc_init();
	perf_ctx_alloc_init();
	perf_event_init_cpu(smp_processor_id());

	perf_swevent_init();
	perf_tracepoint_init();
	WARN(init_hw_breakpoint(), "perf: no hardware breakpoints\n");
	register_reboot_notifier(&perf_event_reboot_notifier);
}
