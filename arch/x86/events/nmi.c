// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU's interrupt, which the local APIC delivers as an NMI.
 *
 * The handler disables the PMU, so that the values it reads are consistent and no
 * overflow is missed. It handles counters until the status is zero, because one NMI may
 * stand for several overflows: the CPU keeps only one NMI pending. It returns how many
 * counters it handled. With that number the NMI code can tell a second NMI, whose
 * overflows were handled already, from an NMI of another source.
 *
 * Entry points: perf_events_lapic_init() when the APIC of a CPU is set up,
 * x86_nmi_handle() in NMI (Xen: in a hard interrupt).
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include "core_pmu.h"
#include "nmi.h"
#include "perf_event.h"
#include "topdown.h"

/* Give up when the status is still set after so many rounds. */
#define NMI_MAX_ROUNDS	64

/**
 * perf_events_lapic_init() - route PMU interrupts of this CPU to its NMI
 *
 * The APIC masks its entry whenever it has delivered an interrupt from it.
 *
 * Context: Set-up of the CPU's local APIC at boot, on hotplug and on resume. Preemption
 * disabled.
 */
void perf_events_lapic_init(void)
{
	if (x86_pmu.name)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
}

static void handle_counter(struct x86_cpu_pmu *cpu, unsigned int idx,
			   struct pt_regs *regs)
{
	struct perf_event *event = cpu->owner[idx];
	struct perf_sample_data data __uninitialized;
	bool due;

	if (event->hw.flags & X86_EVENT_TOPDOWN) {
		x86_topdown_overflow(cpu);
		return;
	}
	x86_count_update(event);
	/* The overflow may be of the event that had the counter before. */
	if (!x86_count_wrapped(event))
		return;

	due = local64_read(&event->hw.period_left) <= 0;
	perf_sample_data_init(&data, 0, event->hw.last_period);
	x86_count_arm(cpu, event);
	perf_event_update_userpage(event);
	if (due && perf_event_overflow(event, &data, x86_hw_interrupted(regs)))
		x86_sched_stop(event);
}

/* Processor trace has filled an output region: that of a guest, or of the host. */
static void handle_trace(void)
{
	if (!perf_guest_handle_intel_pt_intr())
		intel_pt_interrupt();
}

/* Claim an NMI of counters that were stopped, or are being stopped. */
static int claim_late(struct x86_cpu_pmu *cpu)
{
	u64 stopping = x86_cpu_wrapped(cpu->stopping, cpu->core);
	bool late;

	late = cpu->wrapped && local_clock() - cpu->wrapped_at < X86_NMI_LATE;
	cpu->stopping &= ~stopping;
	cpu->wrapped = 0;
	return stopping || late;
}

/* The PMU is disabled. Returns the number of counters that had overflowed. */
static int handle_overflows(struct x86_cpu_pmu *cpu, struct pt_regs *regs)
{
	unsigned int rounds = 0;
	int handled = 0;
	u64 found;

	while ((found = x86_cpu_overflowed(cpu))) {
		handled += hweight64(found);
		if (found & GLOBAL_STATUS_TRACE_TOPAPMI)
			handle_trace();
		found &= ~GLOBAL_STATUS_TRACE_TOPAPMI;
		for (found &= cpu->active; found; found &= found - 1)
			handle_counter(cpu, __ffs64(found), regs);
		if (WARN_ONCE(++rounds > NMI_MAX_ROUNDS,
			      "perf: overflow status that does not go away\n"))
			break;
	}
	return handled ?: claim_late(cpu);
}

/**
 * x86_nmi_take() - handle the overflows of this CPU's counters
 * @regs: registers of the interrupted context
 * @by_apic: the local APIC has delivered the interrupt and masked its entry
 *
 * Return: the number of counters that had overflowed.
 */
int x86_nmi_take(struct pt_regs *regs, bool by_apic)
{
	struct x86_cpu_pmu *cpu = this_cpu_ptr(&x86_cpu_pmu);
	bool on = cpu->on;
	int handled;

	if (!cpu->core)
		return 0;
	x86_cpu_off(cpu);
	handled = handle_overflows(cpu, regs);
	/*
	 * Delivery has masked the entry. Unmask it while the PMU is disabled: the next
	 * overflow needs it unmasked, and no overflow that was handled may raise an NMI.
	 */
	if (by_apic)
		apic_write(APIC_LVTPC, APIC_DM_NMI);
	if (on)
		x86_cpu_on(cpu);
	return handled;
}
NOKPROBE_SYMBOL(x86_nmi_take);

/**
 * x86_nmi_handle() - handle overflows that were not signalled by the local APIC
 * @regs: registers of the interrupted context
 *
 * Return: the number of counters that had overflowed.
 */
int x86_nmi_handle(struct pt_regs *regs)
{
	return x86_nmi_take(regs, false);
}

static int x86_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 start = local_clock();
	int handled = x86_nmi_take(regs, true);

	if (handled)
		perf_sample_event_took(local_clock() - start);
	return handled;
}
NOKPROBE_SYMBOL(x86_nmi);

/**
 * x86_nmi_init() - enable PMU interrupts
 *
 * The APIC of the boot CPU was set up before. Other CPUs call perf_events_lapic_init()
 * when theirs is set up.
 *
 * Context: Boot, on the boot CPU.
 */
void __init x86_nmi_init(void)
{
	perf_events_lapic_init();
	register_nmi_handler(NMI_LOCAL, x86_nmi, 0, "PMI");
}
