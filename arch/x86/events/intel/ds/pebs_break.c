// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware that writes what is no record. What it writes next may be wrong in ways that nothing
 * shows, so precise sampling of such cores is off until reboot.
 *
 * The CPU that has found it stops at once. Each other one stops when it reads records, starts or
 * stops a precise event the next time. The events that record there are disabled, as after a last
 * permitted overflow, and report a lost sample. Events that are on no CPU get no counter any more:
 * their times show that they do not run, and those that are pinned are in error. New events are
 * refused.
 *
 * Context: irqs off or NMI, PMU disabled.
 */
#include <linux/printk.h>
#include <linux/smp.h>
#include "../../core/schedule.h"
#include "pebs_cpu.h"

#define BREAK_WHY	"the hardware wrote what is no record, see the log"

/**
 * pebs_break() - switch precise sampling of this kind of core off until reboot
 * @cpu: this CPU's PMU
 * @what: what is wrong, for the log
 * @word: raw values that show it
 *
 * Logs a line the first time. pebs_break_here() must follow.
 */
void pebs_break(struct x86_cpu_pmu *cpu, const char *what, const u64 word[PEBS_BREAK_WORDS])
{
	struct x86_core_pmu *core = cpu->core;

	if (!x86_side_break(core, X86_SIDE_PRECISE, BREAK_WHY))
		return;
	/* The run queue may be locked. */
	printk_deferred_enter();
	pr_err("perf: PMU %s: precise samples: off until reboot: CPU %d: %s: %016llx %016llx %016llx %016llx\n",
	       core->name, smp_processor_id(), what, word[0], word[1], word[2], word[3]);
	printk_deferred_exit();
}

static void pebs_break_event(struct x86_cpu_pmu *cpu, struct perf_event *event)
{
	if (is_sampling_event(event))
		perf_log_lost_samples(event, 1);
	perf_event_disable_inatomic(event);
	/* Not the one that is being stopped. */
	if (cpu->active & BIT_ULL(event->hw.idx))
		x86_sched_stop(event);
}

/**
 * pebs_break_here() - stop precise sampling on this CPU
 * @cpu: this CPU's PMU
 *
 * For a CPU on which precise sampling is broken, with a buffer. The second call only empties the
 * buffer.
 */
void pebs_break_here(struct x86_cpu_pmu *cpu)
{
	struct pebs_cpu *pebs = this_cpu_ptr(&pebs_cpu);
	struct intel_ds *ds = this_cpu_ptr(&intel_ds);
	u64 todo;

	if (!pebs->enable) {
		/* A late record may have moved it. */
		ds->store->pebs_index = ds->buffer_at;
		return;
	}
	pebs->draining = true;
	barrier();	/* from here on neither an NMI nor the stop of an event comes here */
	pebs->enable = 0;
	pebs_write_enable(pebs);
	ds->store->pebs_index = ds->buffer_at;
	for (todo = cpu->recorded; todo; todo &= todo - 1)
		pebs_break_event(cpu, cpu->owner[__ffs64(todo)]);
	barrier();	/* up to here */
	pebs->draining = false;
}
